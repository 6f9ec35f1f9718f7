"""Reductions: an axis, several, or all of them disappear (or stay as 1 with keepdim)."""
from __future__ import annotations

from ..dtype import int64
from ..errors import DimError
from ..layout import wrap_dims
from .registry import apply, op


def axes(input, dim):
    """A dim argument as NumPy's: None for everything, else a tuple of axes."""
    return None if dim is None or (isinstance(dim, (tuple, list)) and not dim) else wrap_dims(dim, input._a.ndim)


@op
class sum:
    """y = sum(x, dim, keepdim)        dx = g, repeated along dim"""
    def forward(F, x, *, dim, keepdim): return F.sum(x, dim, keepdim)
    def grad_x(F, g, shape, *, dim, keepdim): return F.expand(F.restore(g, dim, keepdim, len(shape)), shape)

    def call(input, dim=None, keepdim=False, *, dtype=None):
        if dtype is not None:
            input = input.to(dtype)
        elif input._a.dtype.kind != "f":
            input = input.to(int64)
        return apply(sum.op, input, dim=axes(input, dim), keepdim=keepdim)


@op
class amax:
    """y = amax(x, dim, keepdim)        dx = g shared equally by the cells that are the largest"""
    kinks = "ties share the gradient equally"
    def forward(F, x, *, dim, keepdim): return F.amax(x, dim, keepdim)

    def grad_x(F, g, x, y, *, dim, keepdim):
        top = x == F.restore(y, dim, keepdim, x.ndim)
        return top * (F.restore(g, dim, keepdim, x.ndim) / F.sum(top, dim, True))

    def call(input, dim=(), keepdim=False):
        dims = axes(input, dim)
        if input._a.size == 0 and any(input._a.shape[d] == 0 for d in (range(input._a.ndim) if dims is None else dims)):
            raise DimError(f"amax over dim {dim} of shape {tuple(input.shape)}", "amax(): Expected reduction dim to have non-zero size",
                           "the largest of nothing is not defined: check the tensor is not empty")
        return apply(amax.op, input, dim=dims, keepdim=keepdim)
