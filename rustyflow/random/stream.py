"""The distributions that PyTorch's CPU generator makes of its words, as NumPy arrays.

They are equal to PyTorch's number by number.

How was found out by comparing with PyTorch 2.13 on x86 with AVX2, and is held by the tests. Every distribution in
every dtype agrees bit for bit, but for four cases. What is made of logarithms in float64 (exponential, normal beside 16
and more of float32, see `boxmuller`) differs in the last places, in which also machines differ; so does uniform_ of
float64 between bounds, whose product and sum PyTorch rounds once; the order of equal winners of `multinomial` without
replacement is PyTorch's own; and so is its way with a randperm of 214,748,364 numbers and more.

A draw fills the array it is given in row-major order. PyTorch fills strided memory in the order in which it lies: see
`in_memory_order`.
"""

from __future__ import annotations

from math import pi

import numpy as np

from ..backends.numpy.runs import RUN
from ..errors import RandomError, UnsupportedDTypeError
from .boxmuller import BLOCK, box_muller
from .mt19937 import Words
from .shuffle import swap

WIDE_SPAN = 2**28
"""Integers of a span from here on come from wide words."""
WIDE_PERM = (2**32 - 1) // 20
"""randperm of this many and more takes wide words, for a word modulo so many would favour the small numbers."""


class Stream(Words):
    """A seeded stream and the distributions drawn from it.

    A draw fills an array, returns it and moves the stream on.

    Threads may share a stream: a draw is never cut in two by another's.

    Example:
        >>> Stream(0).uniform(0, 1, np.empty(2, np.float32))
        array([0.4962566, 0.7682218], dtype=float32)
    """

    def _fill(self, out, draw, *beside) -> np.ndarray:
        """Fill an array with draw(n, *beside) for runs of n numbers; arrays `beside` it broadcast to its shape."""
        with self._lock, np.errstate(all="ignore"):
            if out.size <= RUN:
                rest = [np.broadcast_to(b, out.shape).reshape(-1) for b in beside]
                out[...] = draw(out.size, *rest).reshape(out.shape)
                return out
            modes = [["writeonly"], *[["readonly"] for _ in beside]]
            with np.nditer([out, *beside], ["buffered", "external_loop"], modes, order="C", buffersize=RUN) as runs:
                for parts in runs:
                    part, *rest = parts if beside else (parts,)
                    part[...] = draw(part.size, *rest)
        return out

    def uniform(self, low: float, high: float, out: np.ndarray) -> np.ndarray:
        """Numbers in [low, high), float; a number that rounds up to `high` becomes `low`.

        Raises:
            UnsupportedDTypeError (a NotImplementedError): an integer dtype.
            RandomError (a RuntimeError): bounds out of order or out of range.
        """
        dtype = out.dtype
        need_float_dtype("uniform", dtype)
        largest = float(np.finfo(dtype).max)
        was = f"uniform from {low} to {high} in {dtype.name}"
        if not (abs(low) <= largest and abs(high) <= largest):
            raise RandomError(was, f"from or to is out of bounds for {dtype.name}",
                              f"finite bounds of at most {largest:g}")
        if not low <= high or high - low > largest:
            raise RandomError(was, "uniform_ expects to return a [from, to) range that the dtype can hold",
                              "put the smaller bound first")
        real = np.promote_types(dtype, np.float32).type
        unit, by, top = self._unit(dtype), real(high) - real(low), dtype.type(high)

        def draw(n):
            if (low, high) == (0, 1) and dtype.itemsize > 2:
                return unit(n)
            drawn = scaled(unit(n), by, low).astype(dtype, copy=False)
            drawn[drawn == top] = low
            return drawn

        return self._fill(out, draw)

    def _unit(self, dtype):
        return self.doubles if dtype.itemsize == 8 else self.floats

    def normal(self, mean: float, std: float, out: np.ndarray, contiguous: bool = True) -> np.ndarray:
        """Normal numbers, float. PyTorch fills memory that is not contiguous as it fills fewer than 16 numbers.

        Raises:
            UnsupportedDTypeError (a NotImplementedError): an integer dtype.
            RandomError (a RuntimeError): a negative std.
        """
        if not std >= 0:
            raise RandomError(f"normal with mean={mean} and std={std}",
                              f"normal expects std >= 0.0, but found std {std}", "a std of 0 or more")
        n, dtype, standard = out.size, out.dtype, (mean, std) == (0, 1)
        if n == 0:
            return out
        need_float_dtype("normal", dtype)

        def draw(make):
            return lambda n: _rounded(make(n) if standard else scaled(make(n), std, mean), dtype)

        if not contiguous or n < BLOCK:
            return self._fill(out, draw(self._pairs))
        unit, flat, rest = self._unit(dtype), out.reshape(-1), n % BLOCK
        blocks = draw(lambda n: box_muller(unit(n)))
        with self._lock:
            self._fill(flat[: n - rest], blocks)
            if rest:  # the last 16 places are drawn again; what they would have got is used up first, not in float16
                if dtype.itemsize > 2:
                    unit(rest)
                self._fill(flat[n - BLOCK :], blocks)
        return out

    def _pairs(self, n: int) -> np.ndarray:
        """Normal doubles made two at a time; the second of an unfinished pair is kept for the next call."""
        before = [] if self._kept is None else [self._kept]
        pairs = max(n - len(before) + 1, 0) // 2
        angle, size = self.doubles(2 * pairs).reshape(-1, 2).T
        radius = np.sqrt(-2 * np.log1p(-size))
        angle = 2 * pi * angle
        values = np.concatenate([before, np.stack([radius * np.cos(angle), radius * np.sin(angle)], 1).ravel()])
        self._kept = float(values[n]) if len(values) > n else None
        return values[:n]

    def bernoulli(self, p, out: np.ndarray) -> np.ndarray:
        """Ones with probability p (a number, or an array that broadcasts to `out`), zeros otherwise, in any dtype.

        Raises:
            RandomError (a RuntimeError): p outside [0, 1].
            UnsupportedDTypeError (a NotImplementedError): an integer array for p.
        """
        if isinstance(p, np.ndarray):
            if p.size:
                need_float_dtype("bernoulli", p.dtype)
            with np.errstate(all="ignore"):
                inside = not p.size or p.min() >= 0 and p.max() <= 1
        else:
            inside = 0 <= p <= 1
        if not inside:
            raise RandomError(f"bernoulli with p={p}", f"bernoulli_ expects p to be in [0, 1], but got p={p}",
                              "a probability, e.g. 0.5")
        if not isinstance(p, np.ndarray):
            return self._fill(out, lambda n: self.below(p, n))
        unit = self._unit(p.dtype)
        return self._fill(out, lambda n, p: unit(n) < p, p)

    def exponential(self, rate: float, out: np.ndarray) -> np.ndarray:
        """Exponential numbers of mean 1 / rate, float.

        Raises:
            RandomError (a RuntimeError): an integer dtype, or a rate that is not positive.
        """
        dtype = out.dtype
        if dtype.kind != "f" and out.size:
            raise RandomError(f"exponential in {dtype.name}", "Exponential distribution is a continuous probability "
                              "distribution: it needs a floating dtype", "convert first, e.g. x.float()")
        if not rate > 0:
            raise RandomError(f"exponential with lambd={rate}",
                              f"exponential_ expects lambda > 0.0, but found lambda={rate}", "a positive rate")
        return self._fill(out, lambda n: _rounded(-1 / rate * np.log1p(-self.doubles(n)), dtype))

    def integers(self, low: int, high: int, out: np.ndarray) -> np.ndarray:
        """Whole numbers in [low, high), in any dtype.

        Raises:
            RandomError (a RuntimeError): low is not less than high, or the dtype cannot hold the numbers.
        """
        dtype = out.dtype
        was = f"whole numbers from {low} to {high} in {dtype.name}"
        if low >= high:
            raise RandomError(was, f"random_ expects 'from' to be less than 'to', but got from={low} >= to={high}",
                              "`high` is not drawn: use low < high")
        if dtype.kind != "f":
            least, most = (0, 1) if dtype.kind == "b" else (int(np.iinfo(dtype).min), int(np.iinfo(dtype).max))
            if low < least or high - 1 > most:
                name = "from" if low < least else "to - 1"
                raise RandomError(was, f"{name} is out of bounds for {dtype.name}, which holds {least} to {most}",
                                  "a wider dtype, e.g. rustyflow.int64")
        span = high - low

        def draw(n):
            if span == 2**64:
                return self.wide(n).view(np.int64)
            if span >= WIDE_SPAN:
                return (self.wide(n) % np.uint64(span)).view(np.int64) + low
            words = self.words(n)
            words -= words // np.uint32(span) * np.uint32(span)  # NumPy divides faster than it takes %
            return words + np.int64(low) if low else words

        return self._fill(out, draw)

    def random(self, out: np.ndarray) -> np.ndarray:
        """Whole numbers from 0 to the largest up to which the dtype has them all."""
        words, end = self.wide if out.itemsize == 8 else self.words, most(out.dtype) + 1
        return self._fill(out, lambda n: words(n) % end)

    def permutation(self, out: np.ndarray) -> np.ndarray:
        """0 .. n-1 in random order: for every i in turn, places i and i + (word mod n - i) are swapped."""
        n = out.size
        draw = self.words if n < WIDE_PERM else self.wide
        places = out if out.itemsize in (4, 8) and out.flags.c_contiguous else np.empty(n, np.int64)
        for at in range(0, n, RUN):
            places[at : at + RUN] = np.arange(at, min(at + RUN, n))
        with self._lock:
            for at in range(0, n - 1, RUN):
                words = draw(min(RUN, n - 1 - at))  # the last place has none left to be swapped with
                words %= np.arange(n - at, n - at - words.size, -1, dtype=words.dtype)
                words += np.arange(words.size, dtype=words.dtype)
                swap(places[at:], words.astype(np.int32))
        if places is not out:
            out[...] = places
        return out

    def multinomial(self, weights: np.ndarray, n: int, replacement: bool) -> np.ndarray:
        """n columns drawn per row of the weights, (k,) or (rows, k), int64 of shape (n,) or (rows, n)."""
        with np.errstate(all="ignore"):
            weights = weights.astype(np.promote_types(weights.dtype, np.float32), copy=False)
            if not replacement or n == 1:
                race = in_memory_order(np.empty_like(weights), lambda waits, order: self.exponential(1, waits))
                np.divide(weights, race, out=race)
                if n == 1:
                    return race.argmax(-1)[..., None]
                np.negative(race, out=race)
                rows, step = race.reshape(-1, race.shape[-1]), max(RUN // race.shape[-1], 1)
                drawn = [np.argsort(rows[k : k + step], axis=-1, kind="stable")[:, :n].copy()
                         for k in range(0, max(len(rows), 1), step)]
                return np.concatenate(drawn).reshape(*weights.shape[:-1], n)
            rows = np.atleast_2d(weights)
            drawn = self._fill(np.empty((len(rows), n)), self.doubles)
            for row, u, at in zip(rows, drawn, drawn.view(np.int64)):  # the answers take the memory of the numbers
                heap = row.cumsum()
                at[:] = np.searchsorted(heap / heap[-1], u)
            return drawn.view(np.int64).reshape(*weights.shape[:-1], n)


def scaled(x: np.ndarray, by: float, plus: float) -> np.ndarray:
    """x * by + plus in x's own dtype, float32 or float64, computed in float64: PyTorch rounds it once.

    Example:
        >>> scaled(np.array([0.1], np.float32), 3, -0.3)
        array([-7.450581e-09], dtype=float32)
    """
    real = x.dtype.type
    return (x * np.float64(real(by)) + np.float64(real(plus))).astype(real, copy=False)


def in_memory_order(a: np.ndarray, fill) -> np.ndarray:
    """Lets fill(array, order) fill an array, its axes in the order of memory; returns the array.

    Of another backend's array, which it cannot write to, it gives a NumPy array in place.

    Example:
        >>> in_memory_order(np.zeros((2, 3)).T, lambda a, order: np.copyto(a, [[0, 1, 2], [3, 4, 5]]))
        array([[0., 3.],
               [1., 4.],
               [2., 5.]])
    """
    order = range(a.ndim) if a.flags.c_contiguous else sorted(range(a.ndim), key=lambda k: -a.strides[k])
    out = a if isinstance(a, np.ndarray) else np.empty(a.shape, a.dtype)
    fill(out.transpose(order), order)
    return out


def most(dtype: np.dtype) -> int:
    """The largest whole number up to which a dtype has them all.

    Example:
        >>> most(np.dtype("float32")), most(np.dtype("int8"))
        (16777216, 127)
    """
    if dtype.kind == "f":
        return 2 ** (np.finfo(dtype).nmant + 1)
    return 1 if dtype.kind == "b" else int(np.iinfo(dtype).max)


def need_float_dtype(name: str, dtype: np.dtype) -> None:
    if dtype.kind != "f":
        raise UnsupportedDTypeError(f"{name} numbers in {dtype.name}",
                                    f"{name} is not implemented for {dtype.name}: it needs a floating dtype",
                                    "dtype=rustyflow.float32")


def _rounded(x: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """x in a dtype; to float16 by way of float32, as PyTorch goes."""
    return x.astype(np.float32, copy=False).astype(dtype) if dtype.itemsize == 2 else x.astype(dtype, copy=False)
