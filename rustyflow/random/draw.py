"""Draws over the memory of a tensor: uniform_, normal_, exponential_, random_, bernoulli_.

No gradient passes through a draw: the old values are overwritten, and the result is no smooth function of the
parameters. As in PyTorch the gradient is zeros, or refused where PyTorch has none.
"""

from __future__ import annotations

import numpy as np

from ..arguments.numbers import numbers, whole
from ..dispatch import Op, apply_inplace, function
from ..errors import ArgumentTypeError, GradError, RandomError
from ..layout import broadcast_shapes
from ..tensor import Tensor
from .generator import source_of
from .stream import in_memory_order, most


def _zeros(F, g, **attrs):
    return F.zeros_like(g)


def refused(tried: str, why: str, instead: str):
    """A gradient function that always raises."""

    def grad(F, g, **attrs):
        raise GradError(f"backward through {tried}", f"derivative for aten::{why}", instead)

    return grad


def draw_op(torch_name: str, *operands: str, name: str = "", grad=_zeros):
    """Turns a function that fills x into an op that is not put in OPS.

    For uniform_ has no form without an underscore.
    """

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


@draw_op("NotImplemented", name="drawn", grad=refused(
    "numbers drawn into out=", "rand and its kin is not implemented: nothing is left of what out held",
    "out=y.detach(), the same memory without history"))
def drawn_into(F, x, *, drawn):
    """The numbers that a function of random tensors writes to its `out=`."""
    return drawn(x if isinstance(x, np.ndarray) else np.empty(x.shape, x.dtype))


@draw_op("UniformBackward0")
def uniform(F, x, *, low, high, source):
    return in_memory_order(x, lambda a, order: source.uniform(low, high, a))


@function(public=False)
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


@draw_op("NormalBackward0")
def normal(F, x, *, mean, std, source):
    return in_memory_order(x, lambda a, order: source.normal(mean, std, a, x.flags.c_contiguous))


@function(public=False)
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


@draw_op("ExponentialBackward0")
def exponential(F, x, *, lambd, source):
    return in_memory_order(x, lambda a, order: source.exponential(lambd, a))


@function(public=False)
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


_RANDOM = [draw_op(f"RandomBackward{k}", name="random")(_random) for k in (2, 1, 0)]
"""By how many bounds are given."""


@function(public=False)
def random_(input, *bounds, generator=None, **named) -> Tensor:
    """Fills the tensor with whole numbers from `from` (or 0) to below `to`.

    Without `to` they go to the largest that the dtype counts to.

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
    given = {**dict(zip(names, bounds)), **named}
    if (len(bounds) > len(names) or not set(given) <= set(names)
            or given and given.get("from", given.get("to")) is None):
        raise ArgumentTypeError(f"random_ with {', '.join(map(str, (*bounds, *named)))}",
                                "random_() takes nothing, `to`, or `from` and `to`", "x.random_(2, 6)")
    low = high = None
    if given:
        low, = whole("random_", **{"from": given.get("from", 0)})
        high = most(input._a.dtype) + 1 if given["to"] is None else whole("random_", to=given["to"])[0]
    return apply_inplace(_RANDOM[len(given)], input, low=low, high=high, source=source_of(generator))


@draw_op("BernoulliBackward2", name="bernoulli")
def bernoulli_by_number(F, x, *, p, source):
    return in_memory_order(x, lambda a, order: source.bernoulli(p, a))


@draw_op("BernoulliBackward1", "x", "p", name="bernoulli")
def bernoulli_by_tensor(F, x, p, *, source):
    if broadcast_shapes(x.shape, p.shape) != x.shape:
        raise RandomError(f"bernoulli_ on shape {x.shape} with p of shape {p.shape}",
                          "p must broadcast to the tensor's shape", "p.expand_as(x)")
    p = np.broadcast_to(p, x.shape)
    return in_memory_order(x, lambda a, order: source.bernoulli(p.transpose(order), a))


@function(public=False)
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
