"""Differences of neighbours, and areas under the line through points."""
from __future__ import annotations

from ...arguments.numbers import number, whole
from ...dispatch import apply, function
from ...errors import DTypeError, ShapeError, align_right
from ...layout import wrap_dim
from ..creation import zeros, zeros_like
from ..elementwise.arithmetic import mul_number
from ..elementwise.division import div_number
from ..index.index_check import axis_of
from ..join.cat import cat
from ..views import narrow
from .cumulative import cumsum


def _neighbours(x, dim):
    """All cells along dim but the last, and all but the first."""
    n = max(x._a.shape[dim] - 1, 0)
    return narrow(x, dim, 0, n), narrow(x, dim, min(1, x._a.shape[dim]), n)


@function
def diff(input, n=1, dim=-1, prepend=None, append=None):
    """Each cell less the one before it along dim, n times over; bools give `xor`.

    Shapes: the size along dim is n less; `prepend` and `append` are joined to the input first.
    Raises:
        ShapeError (a RuntimeError): no axes, or n below 0.
    Source: https://pytorch.org/docs/stable/generated/torch.diff.html

    Example:
        >>> import rustyflow as rf
        >>> rf.diff(rf.tensor([1, 4, 9, 16])), rf.diff(rf.tensor([1, 4, 9, 16]), n=2)
        (tensor([3, 5, 7]), tensor([2, 2]))
    """
    n, = whole("diff", n=n)
    if dim.__class__ is not int:
        dim, = whole("diff", dim=dim)
    if not input._a.ndim:
        raise ShapeError("diff of a 0-d tensor", "diff expects input to be at least one-dimensional", "a vector")
    if n < 0:
        raise ShapeError(f"diff(n={n})", f"order must be non-negative but got {n}", "n=1")
    if not n and prepend is append is None:
        return zeros_like(input.detach()).copy_(input)
    dim = wrap_dim(dim, input._a.ndim)
    for name, x in (("prepend", prepend), ("append", append)):
        if x is not None and x._a.ndim != input._a.ndim:
            raise ShapeError(align_right((name, x._a.shape), ("input", input._a.shape)),
                             "diff expects prepend or append to be the same dimension as input", f"{name}.unsqueeze(0)")
    ends = [x for x in (prepend, input, append) if x is not None]
    out = cat(ends, dim) if len(ends) > 1 else input
    for _ in range(min(n, out._a.shape[dim])):
        before, after = _neighbours(out, dim)
        out = after ^ before if out._a.dtype.kind == "b" else after - before
    return out


def _no_bools(name, y, x, dx):
    """Refuse heights, places or widths that are True or False, with a DTypeError (a RuntimeError)."""
    if "b" in (y._a.dtype.kind, x is not None and x._a.dtype.kind):
        raise DTypeError(f"{name} of bools", f"{name}: received a bool input for `x` or `y`, but bool is not supported",
                         "y.int()")
    if isinstance(dx, bool):
        raise DTypeError(f"{name}(dx={dx})", f"{name}: Currently, we only support dx as a real number.", "dx=1.0")


def _strips(name, y, x, dim):
    """The sums of neighbouring heights times the widths between their places x."""
    n, shape = y._a.shape[dim], x._a.shape
    if len(shape) == 1:
        if shape[0] != n:
            raise ShapeError(f"y of shape {tuple(y.shape)}, x of shape {tuple(shape)}",
                             f"{name}: There must be one `x` value for each sample point", "an x for each y along dim")
        x = x.view([-1 if d == dim else 1 for d in range(y._a.ndim)])
    elif len(shape) < y._a.ndim:
        x = x.view((1,) * (y._a.ndim - len(shape)) + shape)
    (low, high), (left, right) = _neighbours(x, dim), _neighbours(y, dim)
    return (left + right) * (high - low)


@function(method=False)
def trapezoid(y, x=None, *, dx=1, dim=-1):
    """The area under the straight lines through points of these heights along dim, `dx` or the differences of x apart.

    Raises:
        ShapeError, DTypeError (RuntimeErrors): not one x for each y; bools. DimError (an IndexError): no axes.
    Source: https://pytorch.org/docs/stable/generated/torch.trapezoid.html

    Example:
        >>> import rustyflow as rf
        >>> y = rf.tensor([1., 5., 10.])
        >>> rf.trapezoid(y), rf.trapezoid(y, rf.tensor([1., 3., 6.]))
        (tensor(10.5000), tensor(28.5000))
    """
    dx, dim = number("trapezoid", "dx", dx), axis_of(y, dim)
    if not y._a.shape[dim]:
        return zeros(y._a.shape[:dim] + y._a.shape[dim + 1:], dtype=y.dtype)
    _no_bools("trapezoid", y, x, dx)
    if x is not None:
        return apply(div_number, _strips("trapezoid", y, x, dim).sum(dim), 2.0)
    ends = y.select(dim, 0) + y.select(dim, -1)
    return apply(mul_number, y.sum(dim) - apply(mul_number, ends, 0.5), dx)


@function(method=False)
def trapz(y, x=None, *, dx=1, dim=-1):
    """`trapezoid` by its older name, whose dx is a float whatever is given.

    Raises:
        as `trapezoid`.
    Source: https://pytorch.org/docs/stable/generated/torch.trapz.html

    Example:
        >>> import rustyflow as rf
        >>> rf.trapz(rf.tensor([1., 5., 10.]), dx=2)
        tensor(21.)
    """
    return trapezoid(y, x, dx=float(number("trapz", "dx", dx)), dim=dim)


@function(method=False)
def cumulative_trapezoid(y, x=None, *, dx=1, dim=-1):
    """The area up to each point but the first: `trapezoid`, running.

    Raises:
        ShapeError, DTypeError (RuntimeErrors): not one x for each y; bools. DimError (an IndexError): no axes.
    Source: https://pytorch.org/docs/stable/generated/torch.cumulative_trapezoid.html

    Example:
        >>> import rustyflow as rf
        >>> rf.cumulative_trapezoid(rf.tensor([1., 5., 10.]))
        tensor([ 3.0000, 10.5000])
    """
    dx = number("cumulative_trapezoid", "dx", dx)
    _no_bools("cumulative_trapezoid", y, x, dx)
    dim = axis_of(y, dim)
    if x is not None:
        return apply(div_number, cumsum(_strips("cumulative_trapezoid", y, x, dim), dim), 2.0)
    left, right = _neighbours(y, dim)
    return cumsum(apply(mul_number, left + right, dx / 2.0), dim)
