"""Draws over the memory of a tensor, or with tensors for parameters: uniform_, normal_, bernoulli, multinomial ...

No gradient comes through a draw: what was overwritten is forgotten, and parameters decide no smooth function. As in
PyTorch it is zeros, or, where PyTorch has none, refused.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..backends import backend
from ..binding import taught
from ..errors import ArgumentTypeError, ArgumentValueError, DTypeError, GradError
from ..generator import source_of
from ..layout import broadcast_shapes
from ..mt19937 import RandomError
from ..sampling import in_memory_order, most
from ..scalars import numbers, whole
from ..tensor import Tensor, wrap
from .guard import need_tensors
from .out import resize
from .registry import Op, apply, apply_inplace, function, renamed


def _zeros(F, g, **attrs):
    return F.zeros_like(g)


def _refused(tried: str, why: str, instead: str):
    """A gradient that is not to be had."""

    def grad(F, g, **attrs):
        raise GradError(f"backward through {tried}", f"derivative for aten::{why}", instead)

    return grad


def _op(torch_name: str, *operands: str, name: str = "", grad=_zeros):
    """Turn what fills x into an op; in no table, for uniform_ has no form without an underscore."""

    def make(forward):
        grads = {f"grad_{operand}": grad for operand in operands or ("x",)}
        body = {"__doc__": forward.__doc__, "forward": forward, "torch_name": torch_name, "promote": None, **grads}

        def into(F, x, *rest, **attrs):
            drawn = forward(F, x, *rest, **attrs)
            if drawn is not x:
                F.write(x, drawn)

        body["into"] = into
        return Op(type(name or forward.__name__, (), body))

    return make


@_op("NotImplemented", name="drawn", grad=_refused(
    "numbers drawn into out=", "rand and its kin is not implemented: nothing is left of what out held",
    "out=y.detach(), the same memory without history"))
def NEW(F, x, *, drawn):
    """What `out=` of a function that makes random tensors is filled with."""
    return drawn(x if isinstance(x, np.ndarray) else np.empty(x.shape, x.dtype))


def bound(name: str, **given: Any) -> int:
    """A bound that must be a whole number of 64 bits.

    Raises:
        ArgumentTypeError (a TypeError): not whole. ArgumentValueError (a ValueError): beyond int64.
    """
    value, = whole(name, **given)
    if not -(2**63) <= value < 2**63:
        raise ArgumentValueError(f"{name} with {value}", "Overflow when unpacking long long: bounds are int64",
                                 "bounds from -2**63 to 2**63 - 1")
    return value


@_op("UniformBackward0")
def uniform(F, x, *, low, high, source):
    return in_memory_order(x, lambda a, order: source.uniform(low, high, a))


@function(public=False)
@taught
def uniform_(input, low=0.0, to=1.0, *, generator=None, **bounds) -> Tensor:
    """Fill the tensor with uniform numbers in [from, to); floating dtypes only.

    Raises:
        UnsupportedDTypeError (a NotImplementedError): an integer dtype.
        RandomError (a RuntimeError): bounds in the wrong order.
    Source: https://pytorch.org/docs/stable/generated/torch.Tensor.uniform_.html

    Example:
        >>> import rustyflow as rf
        >>> _ = rf.manual_seed(0)
        >>> rf.empty(2).uniform_(-1, 1)
        tensor([-0.0075,  0.5364])
    """
    low = bounds.pop("from", low)  # PyTorch's name, which is no name in Python
    if bounds:
        raise ArgumentTypeError(f"uniform_({', '.join(bounds)})",
                                "uniform_() knows the arguments from, to and generator", "x.uniform_(low, high)")
    low, high = numbers("uniform_", **{"from": low, "to": to})
    return apply_inplace(uniform, input, low=low, high=high, source=source_of(generator))


@_op("NormalBackward0")
def normal(F, x, *, mean, std, source):
    return in_memory_order(x, lambda a, order: source.normal(mean, std, a, x.flags.c_contiguous))


@function(public=False)
@taught
def normal_(input, mean=0.0, std=1.0, *, generator=None) -> Tensor:
    """Fill the tensor with normal numbers; floating dtypes only.

    Raises:
        UnsupportedDTypeError (a NotImplementedError): an integer dtype. RandomError (a RuntimeError): a negative std.
    Source: https://pytorch.org/docs/stable/generated/torch.Tensor.normal_.html

    Example:
        >>> import rustyflow as rf
        >>> _ = rf.manual_seed(0)
        >>> rf.empty(2).normal_(10, 2)
        tensor([13.0820,  9.4131])
    """
    mean, std = numbers("normal_", mean=mean, std=std)
    return apply_inplace(normal, input, mean=mean, std=std, source=source_of(generator))


@_op("ExponentialBackward0")
def exponential(F, x, *, lambd, source):
    return in_memory_order(x, lambda a, order: source.exponential(lambd, a))


@function(public=False)
@taught
def exponential_(input, lambd=1.0, *, generator=None) -> Tensor:
    """Fill the tensor with exponential numbers of rate lambd; floating dtypes only.

    Raises:
        RandomError (a RuntimeError): an integer dtype, or a rate that is not positive.
    Source: https://pytorch.org/docs/stable/generated/torch.Tensor.exponential_.html

    Example:
        >>> import rustyflow as rf
        >>> _ = rf.manual_seed(0)
        >>> rf.empty(2).exponential_()
        tensor([3.5083, 1.2304])
    """
    [lambd] = numbers("exponential_", lambd=lambd)
    return apply_inplace(exponential, input, lambd=lambd, source=source_of(generator))


def _random(F, x, *, low, high, source):
    if high is None and low is None:
        return in_memory_order(x, lambda a, order: source.random(a))
    return in_memory_order(x, lambda a, order: source.integers(low, high, a))


RANDOM = {given: _op(f"RandomBackward{k}", name="random")(_random) for k, given in enumerate(("from and to", "to", ""))}


@function(public=False)
def random_(input, *bounds, generator=None, **named) -> Tensor:
    """Fill the tensor with whole numbers from `from` (or 0) to below `to`; without `to`, to the largest it counts to.

    Written random_(), random_(to), random_(from, to) or random_(from, None).

    Raises:
        RandomError (a RuntimeError): no number between the bounds, or one the dtype lacks.
    Source: https://pytorch.org/docs/stable/generated/torch.Tensor.random_.html

    Example:
        >>> import rustyflow as rf
        >>> _ = rf.manual_seed(0)
        >>> rf.zeros(4).random_(2, 6)
        tensor([2., 5., 3., 2.])
    """
    names = ["to"] if len(bounds) + len(named) == 1 else ["from", "to"]
    given = {**dict(zip(names, bounds, strict=False)), **named}
    if (
        len(bounds) > len(names)
        or not set(given) <= set(names)
        or (given and given.get("from", given.get("to")) is None)
    ):
        raise ArgumentTypeError(f"random_ with {', '.join(map(str, (*bounds, *named)))}",
                                "random_() takes nothing, `to`, or `from` and `to`", "x.random_(2, 6)")
    low = bound("random_", **{"from": given.get("from", 0)}) if given else None
    high = None if not given else most(input._a.dtype) + 1 if given["to"] is None else bound("random_", to=given["to"])
    it = RANDOM[" and ".join(given)]
    return apply_inplace(it, input, low=low, high=high, source=source_of(generator))


@_op("BernoulliBackward2", name="bernoulli")
def bernoulli_by_number(F, x, *, p, source):
    return in_memory_order(x, lambda a, order: source.bernoulli(p, a))


@_op("BernoulliBackward1", "x", "p", name="bernoulli")
def bernoulli_by_tensor(F, x, p, *, source):
    if broadcast_shapes(x.shape, p.shape) != x.shape:
        raise RandomError(f"bernoulli_ on shape {x.shape} with p of shape {p.shape}",
                          "p must broadcast to the tensor's shape", "p.expand_as(x)")
    p = np.broadcast_to(p, x.shape)
    return in_memory_order(x, lambda a, order: source.bernoulli(p.transpose(order), a))


@function(public=False)
@taught
def bernoulli_(input, p=0.5, *, generator=None) -> Tensor:
    """Fill the tensor, of any dtype, with ones with probability p (a number, or a tensor that broadcasts), else zeros.

    Raises:
        RandomError (a RuntimeError): p outside [0, 1], or of another shape.
    Source: https://pytorch.org/docs/stable/generated/torch.Tensor.bernoulli_.html

    Example:
        >>> import rustyflow as rf
        >>> _ = rf.manual_seed(0)
        >>> rf.zeros(4).bernoulli_(0.5)
        tensor([0., 0., 1., 0.])
    """
    if isinstance(p, Tensor):
        return apply_inplace(bernoulli_by_tensor, input, p, source=source_of(generator))
    [p] = numbers("bernoulli_", p=p)
    return apply_inplace(bernoulli_by_number, input, p=p, source=source_of(generator))


@_op("BernoulliBackward0", name="bernoulli")
def bernoulli_of(F, x, *, source):
    return source.bernoulli(np.asarray(x), np.empty(x.shape, x.dtype))


@_op("NotImplemented", name="bernoulli", grad=_refused(
    "bernoulli(x, p)", "bernoulli is not implemented: the draw depends on p alone, a number",
    "bernoulli(x.detach(), p)"))
def bernoulli_like(F, x, *, p, source):
    return source.bernoulli(p, np.empty(x.shape, x.dtype))


@function
@taught
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
    need_tensors("bernoulli", input=input)
    source = source_of(generator)
    if p is None:
        drawn = apply(bernoulli_of, input, source=source)
    else:
        p, = numbers("bernoulli", p=p)
        drawn = apply(bernoulli_like, input, p=p, source=source)
    return drawn if out is None else _put("bernoulli", out, drawn)


@function
@taught
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
    need_tensors("multinomial", input=input)
    weights, n = np.asarray(input._a), bound("multinomial", num_samples=num_samples)
    drawn = wrap(backend.asarray(source_of(generator).multinomial(weights, n, bool(replacement))))
    return drawn if out is None else _put("multinomial", out, drawn)


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
    kinds: renamed(_op(f"NormalBackward{k}", "mean", "std", name="normal")(_around), f"NormalBackward{k}",
                   [i for i, is_tensor in enumerate(kinds) if is_tensor])
    for k, kinds in enumerate(((True, False), (False, True), (True, True)), 1)
}


def normal_around(mean, std, source) -> Tensor:
    """Normal numbers, each with the mean and the std in its place; at least one of the two is a tensor."""
    return apply(AROUND[isinstance(mean, Tensor), isinstance(std, Tensor)], mean, std, source=source)
