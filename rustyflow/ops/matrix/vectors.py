"""Products of vectors that lie along an axis: across, and summed."""
from __future__ import annotations

from ...dispatch import apply, function, is_recorded, need_tensors, op, renamed, unfit
from ...errors import DimError, DTypeError, ShapeError, align_right, warn
from ...layout import broadcast_shapes, wrap_dim
from ..elementwise.arithmetic import mul
from ..reduce.sums import sum
from ..views import expand
from .factors import inner_sizes
from .linalg import dot
from .norm import need_floats


@op
class cross:
    """y = cross(a, b, dim)        da = cross(b, g, dim)        db = cross(g, a, dim)

    The cross product of vectors of three cells along dim (the first axis of size 3 when left out).
    Raises: ShapeError, DTypeError (RuntimeErrors): no axis of size 3, two dtypes. DimError (an IndexError): no such
    axis. UnsupportedDTypeError (a NotImplementedError): bools.
    Source: https://pytorch.org/docs/stable/generated/torch.cross.html

    Example:
        >>> import rustyflow as rf
        >>> rf.cross(rf.tensor([1, 0, 0]), rf.tensor([0, 1, 0]), dim=0)
        tensor([0, 0, 1])
    """
    torch_name, takes = "LinalgCrossBackward0", "iuf"

    def forward(F, a, b, *, dim): return F.crossed(a, b, dim)
    def grad_a(F, g, b, *, dim): return F.crossed(b, g, dim)
    def grad_b(F, g, a, *, dim): return F.crossed(g, a, dim)

    def call(input, other, dim=None):
        rank = input._a.ndim
        if rank != other._a.ndim:
            raise ShapeError(align_right(("input", input._a.shape), ("other", other._a.shape)),
                             "linalg.cross: inputs must have the same number of dimensions.",
                             "unsqueeze gives it another")
        if not rank and dim is not None:
            raise DimError(f"cross of tensors without axes, dim={dim}",
                           f"cross: Dimension specified as {dim} but tensor has no dimensions",
                           "vectors of three cells")
        dim = dim if dim is None else wrap_dim(dim, rank)
        shape = broadcast_shapes(input._a.shape, other._a.shape)
        if dim is None:
            warn("Using cross without specifying the dim arg is deprecated: it takes the first axis of 3 cells. "
                 "Pass dim, or use linalg.cross, which takes the last axis.")
            dim = next((d for d, n in enumerate(shape) if n == 3), rank - 1)
        dim -= rank
        if not rank or input._a.shape[dim] != 3 or other._a.shape[dim] != 3:
            raise ShapeError(align_right(("input", input._a.shape), ("other", other._a.shape)),
                             "linalg.cross: inputs must have length 3 along dim", "an axis of size 3")
        if input._a.dtype.kind == "b":
            raise unfit(cross.op, input.dtype)
        if input._a.dtype != other._a.dtype:
            raise DTypeError(f"input: {input.dtype!r}, other: {other.dtype!r}",
                             f"expected scalar type {input.dtype.name} but found {other.dtype.name}",
                             f"other.to({input.dtype!r})")
        return apply(cross.op, input, other, dim=dim)


def vecdot(x, y, *, dim=-1):
    """The sums of products along dim; of two vectors it is their `dot`.

    Raises:
        DTypeError (a RuntimeError): whole numbers, or two dtypes. BroadcastError, MatmulError (RuntimeErrors), DimError
        (an IndexError).
    Source: https://pytorch.org/docs/stable/generated/torch.linalg.vecdot.html

    Example:
        >>> import rustyflow as rf
        >>> rf.linalg.vecdot(rf.ones(2, 3), rf.ones(3))
        tensor([3., 3.])
    """
    need_tensors("linalg_vecdot", x=x, y=y)
    need_floats("linalg.vecdot", x)
    if x.dtype is not y.dtype:
        raise DTypeError(f"linalg.vecdot of {x.dtype!r} and {y.dtype!r}",
                         f"linalg.vecdot: Expected x and y to have the same dtype, but found x of type {x.dtype.name} "
                         f"and y of type {y.dtype.name} instead", "y.to(x.dtype)")
    shape = broadcast_shapes(x._a.shape, y._a.shape)
    dim = wrap_dim(dim, len(shape))
    if x._a.ndim == y._a.ndim == 1:
        inner_sizes("linalg.vecdot", x, y, *x._a.shape, *y._a.shape)
        return apply(_vdot, x, y)
    return sum_of_products(x, y, dim)


def sum_of_products(x, y, dim):
    """sum(x * y, dim); without an array of the products where that is not recorded."""
    shape = broadcast_shapes(x._a.shape, y._a.shape)
    if is_recorded(x, y) or not shape:
        return sum(mul(x, y), dim)
    return apply(dots.op, *[a if a._a.shape == shape else expand(a, shape) for a in (x, y)], dim=dim)


_vdot = renamed(dot.op, "VdotBackward0", called="linalg.vecdot")


@op(public=False, method=False)
class dots:
    """y = sum(a * b, dim)"""
    promote, elementwise = None, False
    def forward(F, a, b, *, dim): return F.vecdot(a, b, dim)


@function(public=False, method=False)
def crossed(a, b, dim):
    """The cross product along dim, recorded, of tensors that broadcast."""
    return apply(cross.op, a, b, dim=dim)
