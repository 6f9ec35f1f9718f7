"""What PyTorch's CPU generator makes of its words: distributions as NumPy arrays, equal to PyTorch's number by number.

How was found out by comparing with PyTorch 2.13 on x86 with AVX2, and is held by the tests. Every distribution in
every dtype agrees bit for bit, but for three cases. Where NumPy's double log, sin and cos do not round as the C
library's (exponential, float64 normal, fewer than 16 normal numbers), the last place may differ; the order of equal
winners of `multinomial` without replacement is PyTorch's own; and so is its way with a randperm of 214,748,364 numbers
and more. PyTorch itself differs from this in the last place of float32 normal numbers on machines without AVX2.

A draw fills its array in row-major order. PyTorch fills strided memory in the order in which it lies: see
`in_memory_order`.
"""

from __future__ import annotations

from math import pi, prod

import numpy as np

from .boxmuller import BLOCK, BoxMuller, scaled
from .errors import ArgumentValueError, UnsupportedDTypeError
from .mt19937 import RandomError, Words
from .permutation import shuffled

RUN = 2**16
"""Numbers are made this many at a time, so that what is worked on stays in the cache."""
WIDE_SPAN = 2**28
"""Integers of a span from here on come from wide words."""
WIDE_PERM = (2**32 - 1) // 20
"""randperm of this many and more takes wide words, for a word modulo so many would favour the small numbers."""


class Stream(Words):
    """A seeded stream and the distributions drawn from it; every draw returns a fresh array and moves the stream on.

    Threads may share a stream: a draw is never cut in two by another's.

    Example:
        >>> Stream(0).uniform(0, 1, (2,), np.dtype("float32"))
        array([0.4962566, 0.7682218], dtype=float32)
    """

    def _fill(self, shape, dtype, draw) -> np.ndarray:
        """An array of draw(n) for runs of n numbers."""
        n = prod(shape)
        with self._lock, np.errstate(all="ignore"):
            if n <= RUN:
                return draw(n).astype(dtype).reshape(shape)
            out = np.empty(n, dtype)
            for at in range(0, n, RUN):
                out[at : at + RUN] = draw(min(RUN, n - at))
        return out.reshape(shape)

    def uniform(self, low: float, high: float, shape, dtype: np.dtype) -> np.ndarray:
        """Numbers in [low, high), float; a number that rounds up to `high` becomes `low`.

        Raises:
            UnsupportedDTypeError (a NotImplementedError): an integer dtype.
            RandomError (a RuntimeError): bounds out of order or out of range.
        """
        need_float("uniform", dtype)
        largest = float(np.finfo(dtype).max)
        was = f"uniform from {low} to {high} in {dtype.name}"
        if not (abs(low) <= largest and abs(high) <= largest):
            raise RandomError(
                was, f"from or to is out of bounds for {dtype.name}", f"finite bounds of at most {largest:g}"
            )
        if not low <= high or high - low > largest:
            raise RandomError(
                was,
                "uniform_ expects to return a [from, to) range that the dtype can hold",
                "put the smaller bound first",
            )
        real = np.promote_types(dtype, np.float32).type
        unit, by, top = self._unit(dtype), real(high) - real(low), dtype.type(high)

        def draw(n):
            if (low, high) == (0, 1) and dtype.itemsize > 2:
                return unit(n)
            out = scaled(unit(n), by, low).astype(dtype, copy=False)
            out[out == top] = low
            return out

        return self._fill(shape, dtype, draw)

    def _unit(self, dtype):
        return self.doubles if dtype.itemsize == 8 else self.floats

    def normal(self, mean: float, std: float, shape, dtype: np.dtype, contiguous: bool = True) -> np.ndarray:
        """Normal numbers, float. PyTorch fills memory that is not contiguous as it fills fewer than 16 numbers.

        Raises:
            UnsupportedDTypeError (a NotImplementedError): an integer dtype.
            RandomError (a RuntimeError): a negative std.
        """
        if not std >= 0:
            raise RandomError(
                f"normal with mean={mean} and std={std}",
                f"normal expects std >= 0.0, but found std {std}",
                "a std of 0 or more",
            )
        n, standard = prod(shape), (mean, std) == (0, 1)
        if n == 0:
            return np.empty(shape, dtype)
        need_float("normal", dtype)

        def draw(make):
            return lambda n: _rounded(make(n) if standard else scaled(make(n), std, mean), dtype)

        if not contiguous or n < BLOCK:
            return self._fill(shape, dtype, draw(self._pairs))
        unit, makers = self._unit(dtype), {}

        def make(n):
            if n not in makers:
                makers[n] = BoxMuller(n, np.promote_types(dtype, np.float32))
            return makers[n](unit(n))

        blocks = draw(make)
        rest = n % BLOCK
        with self._lock:
            out = self._fill((n - rest,), dtype, blocks)
            if rest:  # the last 16 places are drawn again; what they would have got is used up first, not in float16
                if dtype.itemsize > 2:
                    unit(rest)
                out = np.append(out[: n - BLOCK], self._fill((BLOCK,), dtype, blocks))
        return out.reshape(shape)

    def _pairs(self, n: int) -> np.ndarray:
        """Normal doubles made two at a time; the second of an unfinished pair is kept for the next call."""
        before = [] if self._kept is None else [self._kept]
        angle, size = (
            self.doubles(2 * ((n - len(before) + 1) // 2)).reshape(-1, 2).T if n > len(before) else np.zeros((2, 0))
        )
        radius = np.sqrt(-2 * np.log1p(-size))
        angle = 2 * pi * angle
        values = np.concatenate([before, np.stack([radius * np.cos(angle), radius * np.sin(angle)], 1).ravel()])
        self._kept = float(values[n]) if len(values) > n else None
        return values[:n]

    def bernoulli(self, p, shape, dtype: np.dtype) -> np.ndarray:
        """Ones with probability p (a number, or an array that broadcasts to the shape), zeros otherwise, in any dtype.

        Raises:
            RandomError (a RuntimeError): p outside [0, 1].
            UnsupportedDTypeError (a NotImplementedError): an integer array for p.
        """
        if isinstance(p, np.ndarray):
            if p.size:
                need_float("bernoulli", p.dtype)
            inside, narrow = bool(((p >= 0) & (p <= 1)).all()), p.dtype.itemsize < 8
        else:
            inside, narrow = 0 <= p <= 1, False
        if not inside:
            raise RandomError(
                f"bernoulli with p={p}",
                f"bernoulli_ expects p to be in [0, 1], but got p={p}",
                "a probability, e.g. 0.5",
            )
        unit = self.floats if narrow else self.doubles
        if isinstance(p, np.ndarray):
            with self._lock:
                drawn = unit(prod(shape))
            return (drawn.reshape(shape) < p).astype(dtype)
        return self._fill(shape, dtype, lambda n: unit(n) < p)

    def dropout(self, p: float, shape, dtype: np.dtype) -> np.ndarray:
        """What dropout multiplies by: 0 with probability p, else 1 / (1 - p).

        Raises:
            ArgumentValueError (a ValueError): p outside [0, 1].
        """
        if not 0 <= p <= 1:
            raise ArgumentValueError(f"dropout(p={p})", "dropout probability has to be between 0 and 1", "e.g. p=0.5")
        if p == 1:
            return np.zeros(shape, dtype)
        real = np.promote_types(dtype, np.float32).type
        keep = self.bernoulli(1 - p, shape, dtype)
        keep *= (real(1) / real(1 - p)).astype(dtype)
        return keep

    def exponential(self, rate: float, shape, dtype: np.dtype) -> np.ndarray:
        """Exponential numbers of mean 1 / rate, float.

        Raises:
            RandomError (a RuntimeError): an integer dtype, or a rate that is not positive.
        """
        if dtype.kind != "f" and prod(shape):
            raise RandomError(
                f"exponential in {dtype.name}",
                "Exponential distribution is a continuous probability distribution: it needs a floating dtype",
                "convert first, e.g. x.float()",
            )
        if not rate > 0:
            raise RandomError(
                f"exponential with lambd={rate}",
                f"exponential_ expects lambda > 0.0, but found lambda={rate}",
                "a positive rate",
            )
        return self._fill(shape, dtype, lambda n: _rounded(-1 / rate * np.log1p(-self.doubles(n)), dtype))

    def integers(self, low: int, high: int, shape, dtype: np.dtype) -> np.ndarray:
        """Whole numbers in [low, high), in any dtype.

        Raises:
            RandomError (a RuntimeError): low is not less than high, or the dtype cannot hold the numbers.
        """
        was = f"whole numbers from {low} to {high} in {dtype.name}"
        if low >= high:
            raise RandomError(
                was,
                f"random_ expects 'from' to be less than 'to', but got from={low} >= to={high}",
                "`high` is not drawn: use low < high",
            )
        if dtype.kind != "f":
            least, most = (0, 1) if dtype.kind == "b" else (int(np.iinfo(dtype).min), int(np.iinfo(dtype).max))
            if low < least or high - 1 > most:
                name = "from" if low < least else "to - 1"
                raise RandomError(
                    was,
                    f"{name} is out of bounds for {dtype.name}, which holds {least} to {most}",
                    "a wider dtype, e.g. rustyflow.int64",
                )
        span = high - low

        def draw(n):
            if span == 2**64:
                return self.wide(n).view(np.int64)
            if span >= WIDE_SPAN:
                return (self.wide(n) % np.uint64(span)).view(np.int64) + low
            words = self.words(n)
            words -= words // np.uint32(span) * np.uint32(span)  # NumPy divides faster than it takes %
            return words + np.int64(low) if low else words

        return self._fill(shape, dtype, draw)

    def random(self, shape, dtype: np.dtype) -> np.ndarray:
        """Whole numbers from 0 to the largest up to which the dtype has them all."""
        words = self.wide if dtype.itemsize == 8 else self.words
        return self._fill(shape, dtype, lambda n: words(n) % (most(dtype) + 1))

    def permutation(self, n: int) -> np.ndarray:
        """0 .. n-1 in random order, int64: for every i in turn, places i and i + (word mod n - i) are swapped."""
        if n < 2:
            return np.arange(n)
        with self._lock:
            words = self.words(n - 1) if n < WIDE_PERM else self.wide(n - 1)
        words %= np.arange(n, 1, -1, dtype=words.dtype)
        partners = np.arange(n)
        np.add(partners[:-1], words, out=partners[:-1], casting="unsafe")
        return shuffled(partners)

    def multinomial(self, weights: np.ndarray, n: int, replacement: bool) -> np.ndarray:
        """n columns drawn per row of the weights, (k,) or (rows, k), int64 of shape (n,) or (rows, n).

        Raises:
            RandomError (a RuntimeError): weights that are negative, not finite or all zero; too few of them; n below 1.
        """
        with np.errstate(all="ignore"):
            _check_weights(weights, n, replacement)
            weights = weights.astype(np.promote_types(weights.dtype, np.float32), copy=False)
            if not replacement or n == 1:
                race = weights / in_memory_order(
                    weights, lambda shape, order: self.exponential(1, shape, weights.dtype)
                )
                return np.argsort(-race, axis=-1, kind="stable")[..., :n].copy()
            heaps = weights.reshape(-1, weights.shape[-1]).cumsum(1)
            with self._lock:
                at = self.doubles(len(heaps) * n).reshape(-1, n)
            drawn = [np.searchsorted(heap / heap[-1], u) for heap, u in zip(heaps, at, strict=True)]
        return np.array(drawn, np.int64).reshape(*weights.shape[:-1], n)


def in_memory_order(like: np.ndarray, draw) -> np.ndarray:
    """draw(shape, order), asked for the axes of `like` in the order in which they lie in memory, and put back in place.

    Example:
        >>> in_memory_order(np.zeros((2, 3)).T, lambda shape, order: np.arange(6).reshape(shape))
        array([[0, 3],
               [1, 4],
               [2, 5]])
    """
    order = sorted(range(like.ndim), key=lambda k: -like.strides[k])
    drawn = draw(tuple([like.shape[k] for k in order]), order)
    return drawn.transpose(sorted(range(like.ndim), key=order.__getitem__))


def most(dtype: np.dtype) -> int:
    """The largest whole number up to which a dtype has them all.

    Example:
        >>> most(np.dtype("float32")), most(np.dtype("int8"))
        (16777216, 127)
    """
    if dtype.kind == "f":
        return 2 ** (np.finfo(dtype).nmant + 1)
    return 1 if dtype.kind == "b" else int(np.iinfo(dtype).max)


def need_float(name: str, dtype: np.dtype) -> None:
    if dtype.kind != "f":
        raise UnsupportedDTypeError(
            f"{name} numbers in {dtype.name}",
            f"{name} is not implemented for {dtype.name}: it needs a floating dtype",
            "dtype=rustyflow.float32",
        )


def _rounded(x: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """x in a dtype; to float16 by way of float32, as PyTorch goes."""
    return x.astype(np.float32, copy=False).astype(dtype) if dtype.itemsize == 2 else x.astype(dtype, copy=False)


def _check_weights(weights, n, replacement):
    was = f"multinomial over weights of shape {weights.shape}, {n} samples"
    if weights.ndim not in (1, 2):
        raise RandomError(was, "prob_dist must be 1 or 2 dim", "one row of weights, or one row per distribution")
    if weights.dtype.kind != "f":
        raise RandomError(
            was,
            f"multinomial only supports floating-point dtypes for input, got: {weights.dtype.name}",
            "weights.float()",
        )
    if n <= 0:
        raise RandomError(was, "cannot sample n_sample <= 0 samples", "draw at least one")
    if not replacement and n > weights.shape[-1]:
        raise RandomError(
            was,
            "cannot sample n_sample > prob_dist.size(-1) samples without replacement",
            "replacement=True, or fewer samples",
        )
    if not (np.isfinite(weights) & (weights >= 0)).all():
        raise RandomError(
            was, "probability tensor contains either `inf`, `nan` or element < 0", "finite weights of 0 or more"
        )
    if not (weights.sum(-1) > 0).all():
        raise RandomError(
            was,
            "invalid multinomial distribution (sum of probabilities <= 0)",
            "at least one weight above 0 in every row",
        )
