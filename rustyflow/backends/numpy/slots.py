"""Reading and adding through layouts: the gradients of views, and of writes into them."""
from __future__ import annotations

import numpy as np

from ...layout import contiguous_stride as _contiguous_stride, extent as _extent, has_overlap as _has_overlap
from .core import strided as _strided
from .runs import RUN as _RUN


def through(a, shape, layout):
    """Read a dense array of `shape` through a view's layout function (shape, stride, offset) -> layout, as a copy."""
    a = np.ascontiguousarray(a).reshape(-1)
    return _strided(a, *layout(shape, _contiguous_stride(shape), 0)).copy()


def scatter_through(g, shape, layout):
    """The dual of `through`: zeros of `shape` with `g` added through the view; cells that share a slot add up."""
    out = np.zeros(shape, g.dtype)
    cells, own = out.reshape(-1), layout(shape, _contiguous_stride(shape), 0)
    if _has_overlap(*own[:2]):
        _add_at(cells, _strided(np.arange(out.size), *own), g)
    else:
        _strided(cells, *own)[...] = g
    return out


def _add_at(cells, slots, g):
    """Add g to the cells in its slots, some at a time."""
    step = max(_RUN * len(g) // max(g.size, 1), 1)
    for k in range(0, len(g), step):
        np.add.at(cells, slots[k:k + step].reshape(-1), g[k:k + step].reshape(-1))


def _span(*layouts):
    return max([1] + [_extent(*layout)[1] for layout in layouts])


def slots_read(x, own, other):
    """Lay x out over slots through layout `own`, read them through `other`; slots that `own` does not reach hold 0."""
    buffer = np.zeros(_span(own, other), x.dtype)
    _strided(buffer, *own)[...] = x
    return _strided(buffer, *other).copy()


def slots_add(g, own, other):
    """The dual of `slots_read`: add g over the slots of `other`, read through `own`, whose shared slots share a sum."""
    buffer = np.zeros(_span(own, other), g.dtype)
    if _has_overlap(*other[:2]):
        _add_at(buffer, _strided(np.arange(buffer.size), *other), g)
    else:
        _strided(buffer, *other)[...] = g
    if _has_overlap(*own[:2]):
        cells = _strided(np.arange(buffer.size), *own).reshape(-1)
        buffer /= np.maximum(np.bincount(cells, minlength=buffer.size), 1).astype(g.dtype)
    return _strided(buffer, *own).copy()


def slots_clear(x, own, other, value=0):
    """x with 0, or other values, in the slots that `other` reaches."""
    buffer = np.zeros(_span(own, other), x.dtype)
    y = _strided(buffer, *own)
    y[...] = x
    _strided(buffer, *other)[...] = value
    return y if y.size == buffer.size and y.flags.c_contiguous else y.copy()
