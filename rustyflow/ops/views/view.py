"""Views: new layouts over the same storage. The rule for the layout is `rustyflow.layout`'s; here is what their
gradients are.
"""
from __future__ import annotations

from collections.abc import Callable
from functools import wraps

from ... import layout as rules
from ...arguments.numbers import no_tuple, several, sizes, whole
from ...dispatch import apply_view, expose, function, function_of, op, renamed
from ...dtype import dtype
from ...tensor import Tensor


def takes_a_tuple(call: Callable) -> None:
    """Exposes the function of a method that takes numbers one by one.

    As in PyTorch it takes a tuple: x.flip(0, 1), but flip(x, (0, 1)).
    """
    name = call.__name__

    @wraps(call)
    def form(input, *dims, **named):
        if dims and (len(dims) > 1 or not isinstance(dims[0], (tuple, list))):
            told = f"{', '.join(map(str, dims)):.60}"
            raise no_tuple(name, "dims", dims[0], f"rustyflow.{name}(x, ({told},)), or x.{name}({told})")
        return call(input, *dims, **named)
    expose(name, form, method=False)


def _regular(a) -> bool:
    """True if a row-major array has the strides of a new array, also along axes of size 1."""
    step = a.itemsize
    for n, s in zip(a.shape[::-1], a.strides[::-1]):
        if s != step:
            return False
        step *= n
    return True


@op(public=False)
class view:
    """y = reshape(x, size)        dx = reshape(g, x.shape)

    The same cells in the same order, without copying; one size may be -1. Given a dtype, the same bytes read as that
    dtype.
    Raises: ViewError (a RuntimeError): no stride can say it; ShapeError: the number of cells differs.
    Source: https://pytorch.org/docs/stable/generated/torch.Tensor.view.html

    Example:
        >>> import rustyflow as rf
        >>> rf.arange(6).view(2, -1).stride()
        (3, 1)
        >>> rf.tensor([1.]).view(rf.int32)
        tensor([1065353216], dtype=rustyflow.int32)
    """
    layout = rules.view

    def quick(a, *, size):
        if a.flags.c_contiguous and a.size > 1 and (1 not in a.shape or _regular(a)) and size and min(size) >= -1:
            try:
                return a.reshape(size)
            except ValueError:
                return None

    def grad_x(F, g, shape, *, size): return F.reshape(g, shape)

    def call(input, *size, **named):
        if named or not size:
            size = several("view", "dtype" if "dtype" in named else "size", size, named, "x.view(-1)")
        if size[0].__class__ is dtype and len(size) == 1:
            from ..elementwise.bits import view_dtype
            return view_dtype(input, size[0])
        return apply_view(view.op, input, size=sizes(size))


@op
class squeeze:
    """y = squeeze(x, dims)        dx = unsqueeze(g, dims)

    All of them, or those among `dim` (a dim, several, or a tuple of dims); axes of another size stay.
    Raises: DimError (an IndexError): no such axis.
    Source: https://pytorch.org/docs/stable/generated/torch.squeeze.html

    Example:
        >>> import rustyflow as rf
        >>> rf.zeros(1, 3, 1).squeeze().shape, rf.zeros(1, 3, 1).squeeze(0).shape
        (rustyflow.Size([3]), rustyflow.Size([3, 1]))
    """
    layout = rules.squeeze

    def quick(a, *, dims):
        return a.squeeze(dims[0]) if len(dims) == 1 and a.ndim and a.shape[dims[0]] == 1 else None

    def grad_x(F, g, shape, *, dims): return F.reshape(g, shape)

    def call(input, dim=None, *others):
        dim = rules.whole_numbers((dim, *others)) if others else dim
        dims = () if isinstance(dim, (tuple, list)) and not dim else rules.wrap_dims(dim, input._a.ndim)
        it = squeeze.op if dim is None else squeeze_dims if isinstance(dim, (tuple, list)) else squeeze_dim
        return apply_view(it, input, dims=dims)


@function_of(squeeze)
def _squeeze(input, dim=None):
    """The method alone takes several dims one by one."""
    return squeeze(input, dim)


squeeze_dim, squeeze_dims = (renamed(squeeze.op, f"SqueezeBackward{k}") for k in (1, 2))


@op
class unsqueeze:
    """y = unsqueeze(x, dim)        dx = squeeze(g, dim)

    Raises: DimError (an IndexError): dim outside [-ndim - 1, ndim].
    Source: https://pytorch.org/docs/stable/generated/torch.unsqueeze.html

    Example:
        >>> import rustyflow as rf
        >>> rf.zeros(3).unsqueeze(-1).shape
        rustyflow.Size([3, 1])
    """
    layout = rules.unsqueeze

    def quick(a, *, dim):
        if 0 <= dim < a.ndim and a.size > 1 and (1 not in a.shape or a.flags.c_contiguous and _regular(a)):
            return a.reshape(a.shape[:dim] + (1,) + a.shape[dim:])

    def grad_x(F, g, shape, *, dim): return F.reshape(g, shape)

    def call(input, dim):
        return apply_view(unsqueeze.op, input, dim=dim if dim.__class__ is int else whole("unsqueeze", dim=dim)[0])


@op(public=False, method=False)
class alias:
    """y = alias(x)        dx = g"""
    def layout(shape, stride, offset): return shape, stride, offset
    def grad_x(F, g): return g
    def call(input): return apply_view(alias.op, input)


@function(method=False)
def detach(input):
    """The same memory without history; writes through either are seen, and counted, by both.

    Source: https://pytorch.org/docs/stable/generated/torch.Tensor.detach.html

    Example:
        >>> import rustyflow as rf
        >>> x = rf.ones(2, requires_grad=True)
        >>> rf.detach(x * 2).requires_grad
        False
    """
    return Tensor.detach(input)
