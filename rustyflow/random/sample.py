"""Draws whose parameters stand in a tensor: bernoulli, multinomial, normal. What gradients get is said in `draw`."""

from __future__ import annotations

import numpy as np

from ..arguments.numbers import numbers, whole
from ..backends import backend
from ..dispatch import apply, function, need_tensors, renamed, resize
from ..dtype import int64
from ..errors import DTypeError, RandomError
from ..layout import broadcast_shapes
from ..tensor import Tensor, wrap
from .draw import draw_op, refused
from .generator import source_of


@draw_op("BernoulliBackward0", name="bernoulli")
def bernoulli_of(F, x, *, source):
    return source.bernoulli(np.asarray(x), np.empty(x.shape, x.dtype))


@draw_op("NotImplemented", name="bernoulli", grad=refused(
    "bernoulli(x, p)", "bernoulli is not implemented: the draw depends on p alone, a number",
    "bernoulli(x.detach(), p)"))
def bernoulli_like(F, x, *, p, source):
    return source.bernoulli(p, np.empty(x.shape, x.dtype))


@function
def bernoulli(input, p=None, *, generator=None, out=None) -> Tensor:
    """Ones and zeros: one with the probability that stands in its place in `input`, or everywhere with probability p.

    Raises:
        RandomError (a RuntimeError): a probability outside [0, 1].
        UnsupportedDTypeError (a NotImplementedError): integer probabilities.
        GradError (a RuntimeError): backward through a draw with p.
    Source: https://pytorch.org/docs/stable/generated/torch.bernoulli.html

    Example:
        >>> import rustyflow as rf
        >>> _ = rf.manual_seed(0)
        >>> rf.bernoulli(rf.tensor([0., 0.9, 1.]))
        tensor([0., 1., 1.])
    """
    need_tensors("bernoulli", input=input, **{} if out is None else {"out": out})
    source = source_of(generator)
    if p is None:
        drawn = apply(bernoulli_of, input, source=source)
    else:
        p, = numbers("bernoulli", p=p)
        drawn = apply(bernoulli_like, input, p=p, source=source)
    return drawn if out is None else _put("bernoulli", out, drawn)


@function
def multinomial(input, num_samples, replacement=False, *, generator=None, out=None) -> Tensor:
    """Column numbers, int64, drawn by weight: (num_samples,) from weights (k,), (rows, num_samples) from (rows, k).

    Raises:
        RandomError (a RuntimeError): weights that are integers, negative, not finite or all zero; more samples than
        there are.
    Source: https://pytorch.org/docs/stable/generated/torch.multinomial.html

    Example:
        >>> import rustyflow as rf
        >>> _ = rf.manual_seed(0)
        >>> rf.multinomial(rf.tensor([0., 10., 3., 0.]), 2)
        tensor([1, 2])
    """
    if isinstance(out, Tensor) and out.dtype is not int64:
        raise DTypeError(f"multinomial(out=...) of {out.dtype!r}", f"multinomial expects Long tensor out, got: "
                         f"{out.dtype.name}", "out of dtype rustyflow.int64")
    weights, (n,) = np.asarray(input._a), whole("multinomial", num_samples=num_samples)
    _check_weights(weights, n, replacement)
    if 0 in weights.strides:  # fresh memory like it, in whose order the numbers are drawn, is row-major in PyTorch
        weights = np.ascontiguousarray(weights)
    drawn = wrap(backend.asarray(source_of(generator).multinomial(weights, n, bool(replacement))))
    return drawn if out is None else _put("multinomial", out, drawn)


def _check_weights(weights: np.ndarray, n: int, replacement: bool) -> None:
    """Refuse weights that are negative, not finite or all zero, or fewer than the samples; and no samples.

    Raises:
        RandomError (a RuntimeError).
    """
    was = f"multinomial over weights of shape {weights.shape}, {n} samples"
    if weights.ndim not in (1, 2):
        raise RandomError(was, "prob_dist must be 1 or 2 dim", "one row of weights, or one row per distribution")
    if weights.dtype.kind != "f":
        raise RandomError(was, f"multinomial only supports floating-point dtypes for input, got: {weights.dtype.name}",
                          "weights.float()")
    if n <= 0:
        raise RandomError(was, "cannot sample n_sample <= 0 samples", "draw at least one")
    if not replacement and n > weights.shape[-1]:
        raise RandomError(was, "cannot sample n_sample > prob_dist.size(-1) samples without replacement",
                          "replacement=True, or fewer samples")
    if weights.size:
        least, most = weights.min().item(), weights.max().item()
        if 0 <= least and 0 < most < np.inf and (weights.ndim == 1 or weights.max(-1).all()):
            return  # as nearly always: what follows says what is wrong
    with np.errstate(all="ignore"):
        if not (np.isfinite(weights) & (weights >= 0)).all():
            raise RandomError(was, "probability tensor contains either `inf`, `nan` or element < 0",
                              "finite weights of 0 or more")
        if not (weights.sum(-1) > 0).all():
            raise RandomError(was, "invalid multinomial distribution (sum of probabilities <= 0)",
                              "at least one weight above 0 in every row")


def _put(name: str, out: Tensor, drawn: Tensor) -> Tensor:
    resize(name, out, drawn._a.shape, backend.stride(drawn._a))
    return out.copy_(drawn)


def _around(F, mean, std, *, source):
    mean, std = [x if isinstance(x, (int, float)) else np.asarray(x) for x in (mean, std)]
    dtype = (mean if isinstance(mean, np.ndarray) else std).dtype
    if isinstance(std, np.ndarray) and not np.can_cast(std.dtype, dtype, "same_kind"):
        raise DTypeError(f"mean of {dtype}, std of {std.dtype}",
                         f"result type {std.dtype} can't be cast to the desired output type {dtype}", "mean.float()")
    if not np.all(np.asarray(std) >= 0):
        raise RandomError("normal with a negative std", "normal expects all elements of std >= 0.0", "std.abs()")
    out = source.normal(0, 1, np.empty(broadcast_shapes(np.shape(mean), np.shape(std)), dtype))
    if out.size:  # of whole numbers only nothing can be drawn
        np.multiply(out, std, out=out, casting="same_kind")
        np.add(out, mean, out=out, casting="same_kind")
    return out


AROUND = {
    kinds: renamed(draw_op(f"NormalBackward{k}", "mean", "std", name="normal")(_around), f"NormalBackward{k}",
                   [i for i, is_tensor in enumerate(kinds) if is_tensor])
    for k, kinds in enumerate(((True, False), (False, True), (True, True)), 1)
}


def normal_around(mean, std, source) -> Tensor:
    """Normal numbers, each with its own mean and std; one of the two at least is a tensor."""
    return apply(AROUND[isinstance(mean, Tensor), isinstance(std, Tensor)], mean, std, source=source)
