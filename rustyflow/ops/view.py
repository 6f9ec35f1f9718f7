"""Views: new layouts over the same storage. The rule for the layout is `rustyflow.layout`'s; here is what their
gradients are.
"""
from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from operator import index as as_int

from .. import layout as rules
from ..backends import backend
from ..dtype import dtype
from ..errors import ArgumentTypeError, ShapeError
from ..layout import wrap_dims
from ..tensor import Tensor
from .guard import guard
from .registry import apply, apply_view, expose, function, op, renamed


def sizes(args) -> tuple[int, ...]:
    """Sizes given as numbers or as one sequence.

    Raises:
        ArgumentTypeError (a TypeError): something that is no whole number.

    Example:
        >>> sizes((2, 3)), sizes(([2, 3],))
        ((2, 3), (2, 3))
    """
    given = args[0] if len(args) == 1 and isinstance(args[0], (tuple, list)) else args
    try:
        return tuple([as_int(n) for n in given])
    except TypeError:
        raise ArgumentTypeError(f"sizes {given!r}", "sizes must be whole numbers",
                                "e.g. x.view(3, 4) or x.view((3, 4))") from None


def several(name: str, key: str, args: tuple, named: dict, example: str) -> tuple:
    """What was given one by one, as one sequence, or by its keyword.

    Raises:
        ArgumentTypeError (a TypeError): nothing, both, or another keyword.

    Example:
        >>> several("flip", "dims", (0, 1), {}, "x.flip(0)"), several("flip", "dims", (), {"dims": (0,)}, "x.flip(0)")
        ((0, 1), ((0,),))
    """
    if args and not named or not args and [*named] == [key]:
        return args or (named[key],)
    wrong = next((k for k in named if k != key), None)
    rule = f"{name}() got an unexpected keyword argument '{wrong}'" if wrong else f"{name}() takes '{key}' once"
    given = ", ".join(f"{k}={v!r:.20}" for k, v in named.items())
    raise ArgumentTypeError(f"{name}(...{given})", rule, f"e.g. {example}")


def takes_a_tuple(call: Callable) -> None:
    """Give a method that takes numbers one by one its function, which takes them as a tuple: as PyTorch, x.flip(0, 1)
    and flip(x, (0, 1)).
    """
    name = call.__name__

    @wraps(call)
    def form(input, *dims, **named):
        if dims and (len(dims) > 1 or not isinstance(dims[0], (tuple, list))):
            told = f"{', '.join(map(str, dims)):.60}"
            raise ArgumentTypeError(f"{name}(input, {told})",
                                    f"{name}(): argument 'dims' must be tuple of ints, not {type(dims[0]).__name__}",
                                    f"rustyflow.{name}(x, ({told},)), or x.{name}({told})")
        return call(input, *dims, **named)
    expose(name, form, method=False)


@op(public=False, method=False)
class sum_to:
    """y = x summed down to a shape that broadcasts to x's        dx = g, repeated"""
    def forward(F, x, *, size): return F.sum_to(x, size)
    def grad_x(F, g, shape, *, size): return F.expand(g, shape)
    def call(x, shape): return x if tuple(x.shape) == tuple(shape) else apply(sum_to.op, x, size=tuple(shape))


@function(public=False, method=False)
def restore(g, dim, keepdim, ndim):
    """Give a reduced tensor its lost axes back as axes of size 1."""
    if keepdim or not ndim:
        return g
    dims = range(ndim) if dim is None else [d % ndim for d in (dim if isinstance(dim, tuple) else (dim,))]
    kept = iter(g._a.shape)
    return view(g, [1 if d in dims else next(kept) for d in range(ndim)])


def _regular(a) -> bool:
    """Whether a row-major array has a new array's strides also for axes of size 1, where any would do."""
    step = a.itemsize
    for n, s in zip(a.shape[::-1], a.strides[::-1]):
        if s != step:
            return False
        step *= n
    return True


@op(public=False)
class view:
    """y = x under another shape        dx = g under x's shape

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
        if size[0].__class__ is dtype:
            from .bits import view_dtype
            return view_dtype(input, size[0])
        return apply_view(view.op, input, size=sizes(size))


@op(public=False)
class expand:
    """y = x repeated without copying        dx = g summed over the repeats

    Axes of size 1 are stretched by stride 0, new ones appear in front; -1 keeps a size.
    Raises: ShapeError (a RuntimeError): an axis that is neither equal nor 1.
    Source: https://pytorch.org/docs/stable/generated/torch.Tensor.expand.html

    Example:
        >>> import rustyflow as rf
        >>> rf.ones(3, 1).expand(3, 4).stride()
        (1, 0)
    """
    layout = rules.expand
    def quick(a, *, size):
        try:
            return a.view() if a.shape == size else backend.stretched(a, size)
        except ValueError:
            return None

    def grad_x(F, g, shape, *, size): return F.sum_to(g, shape)

    def call(input, *size, **named):
        if named or not size:
            size = several("expand", "size", size, named, "x.expand(3, -1)")
        return apply_view(expand.op, input, size=sizes(size))


@op
class permute:
    """y = x with its axes in another order        dx = g with the order undone

    Source: https://pytorch.org/docs/stable/generated/torch.permute.html

    Example:
        >>> import rustyflow as rf
        >>> rf.zeros(2, 3, 4).permute(2, 0, 1).stride()
        (1, 12, 4)
    """
    layout = rules.permute

    def quick(a, *, dims):
        try:
            return a.transpose(dims) if dims else None
        except ValueError:
            return None


    def grad_x(F, g, *, dims):
        return F.permute(g, tuple(sorted(range(len(dims)), key=[d % len(dims) for d in dims].__getitem__)))

    @guard
    def call(input, *dims, **named):
        return apply_view(permute.op, input, dims=sizes(several("permute", "dims", dims, named, "x.permute(1, 0)")))


takes_a_tuple(permute)


@op
class transpose:
    """y = x with two axes swapped        dx = g with them swapped back

    Raises: DimError (an IndexError): no such axis.
    Source: https://pytorch.org/docs/stable/generated/torch.transpose.html

    Example:
        >>> import rustyflow as rf
        >>> rf.zeros(2, 3, 4).transpose(0, -1).shape
        rustyflow.Size([4, 3, 2])
    """
    layout = rules.transpose

    def quick(a, *, dim0, dim1):
        return a.swapaxes(dim0, dim1) if -a.ndim <= dim0 < a.ndim and -a.ndim <= dim1 < a.ndim else None

    def grad_x(F, g, *, dim0, dim1): return F.transpose(g, dim0, dim1)
    def call(input, dim0, dim1): return apply_view(transpose.op, input, dim0=as_int(dim0), dim1=as_int(dim1))


@op
class t:
    """y = the transpose of a tensor with at most two axes        dx = g transposed

    Raises: ShapeError (a RuntimeError): more than two axes.
    Source: https://pytorch.org/docs/stable/generated/torch.t.html

    Example:
        >>> import rustyflow as rf
        >>> rf.zeros(2, 3).t().stride()
        (1, 3)
    """
    torch_name = "TBackward0"
    layout = rules.t
    def quick(a): return a.T if a.ndim <= 2 else None
    def grad_x(F, g): return F.t(g)
    def call(input): return apply_view(t.op, input)


@op
class squeeze:
    """y = x without axes of size 1        dx = g with them put back

    All of them, or those among `dim` (a dim, several, or a tuple of dims); axes of another size stay.
    Raises: DimError (an IndexError): no such axis.
    Source: https://pytorch.org/docs/stable/generated/torch.squeeze.html

    Example:
        >>> import rustyflow as rf
        >>> x = rf.zeros(1, 3, 1)
        >>> x.squeeze().shape, x.squeeze(0).shape
        (rustyflow.Size([3]), rustyflow.Size([3, 1]))
    """
    layout = rules.squeeze

    def quick(a, *, dims):
        return a.squeeze(dims[0]) if len(dims) == 1 and a.ndim and a.shape[dims[0]] == 1 else None

    def grad_x(F, g, shape, *, dims): return F.reshape(g, shape)

    @guard
    def call(input, dim=None, *others):
        dim = (dim, *others) if others else dim
        dims = () if dim.__class__ is tuple and not dim else wrap_dims(dim, input._a.ndim)
        it = squeeze.op if dim is None else squeeze_dims if isinstance(dim, (tuple, list)) else squeeze_dim
        return apply_view(it, input, dims=dims)


squeeze_dim, squeeze_dims = (renamed(squeeze.op, f"SqueezeBackward{k}") for k in (1, 2))


@op
class unsqueeze:
    """y = x with a new axis of size 1        dx = g without it

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

    def call(input, dim=None, *, axis=None):
        return apply_view(unsqueeze.op, input, dim=as_int(axis if dim is None else dim))


@op(public=False, method=False)
class alias:
    """y = x, as a view of its own        dx = g"""
    def layout(shape, stride, offset): return shape, stride, offset
    def grad_x(F, g): return g
    def call(input): return apply_view(alias.op, input)


def _T(x):
    """All axes reversed: a view.

    Source: https://pytorch.org/docs/stable/tensors.html#torch.Tensor.T

    Example:
        >>> import rustyflow as rf
        >>> x = rf.zeros(2, 3)
        >>> x.T.shape, x.T.stride()
        (rustyflow.Size([3, 2]), (1, 3))
    """
    return permute(x, tuple(range(x._a.ndim))[::-1])


def _mT(x):
    """The last two axes swapped, each matrix of a batch transposed: a view.

    Raises:
        ShapeError (a RuntimeError): fewer than two axes.
    Source: https://pytorch.org/docs/stable/tensors.html#torch.Tensor.mT

    Example:
        >>> import rustyflow as rf
        >>> rf.zeros(5, 2, 3).mT.shape
        rustyflow.Size([5, 3, 2])
    """
    return adjoint(x)


def _H(x):
    """The transpose of a matrix: a view.

    Differs from PyTorch: nothing is conjugated, for there are no complex numbers.
    Raises:
        ShapeError (a RuntimeError): one axis, or more than two.
    Source: https://pytorch.org/docs/stable/tensors.html#torch.Tensor.H

    Example:
        >>> import rustyflow as rf
        >>> rf.arange(4).view(2, 2).H
        tensor([[0, 2],
                [1, 3]])
    """
    if x._a.ndim not in (0, 2):
        raise ShapeError(f"H of shape {tuple(x.shape)}",
                         f"tensor.H is only supported on matrices (2-D tensors). Got {x._a.ndim}-D tensor.",
                         "x.mT swaps the last two axes")
    return transpose(x, 0, 1) if x._a.ndim else x


Tensor.T, Tensor.mT, Tensor.H, Tensor.mH = property(_T), property(_mT), property(_H), property(_mT)


@function
@guard
def adjoint(input):
    """The last two axes swapped: a view, the same as `x.mT` for real numbers.

    Raises:
        ShapeError (a RuntimeError): fewer than two axes.
    Source: https://pytorch.org/docs/stable/generated/torch.adjoint.html

    Example:
        >>> import rustyflow as rf
        >>> rf.zeros(5, 2, 3).adjoint().shape
        rustyflow.Size([5, 3, 2])
    """
    if not input._a.ndim:
        return input
    if input._a.ndim < 2:
        raise ShapeError(f"shape {tuple(input.shape)}",
                         "tensor.mT is only supported on matrices or batches of matrices. "
                         f"Got {input._a.ndim}-D tensor.",
                         "unsqueeze(0) makes a vector a matrix")
    return transpose(input, -2, -1)


@function(method=False)
@guard
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
