"""Reading and adding through layouts: the gradients of views, and of writes into them."""
from __future__ import annotations

from math import prod as _prod

import numpy as np

from ...layout import contiguous_stride as _contiguous_stride, extent as _extent, has_overlap as _has_overlap
from .core import dense_as as _dense_as, flat as _flat, stride as _stride, strided as _strided
from .halves import single as _single
from .runs import RUN as _RUN

_SMALL, _FEW = 1 << 14, 1 << 7  # least cells, in all and per part, for which adding parts at once pays


def through(a, layout):
    """Read an array through a view's layout function (shape, stride, offset) -> layout, as a copy."""
    shape, stride, offset = layout(a.shape, _contiguous_stride(a.shape), 0)
    if a.flags.c_contiguous or 0 in shape:
        return _strided(a.reshape(-1), shape, stride, offset).copy()
    here = a[tuple([slice(i, None) for i in np.unravel_index(offset, a.shape)])]  # from the first cell that is read
    shape, stride, _ = layout(a.shape, _stride(a), 0)
    return np.lib.stride_tricks.as_strided(here, shape, [step * a.itemsize for step in stride]).copy()


def write_part(x, src, layout):
    """A copy of x that holds src, or 0 where that is None, in the part that a view reads."""
    y = _dense_as(x)
    _strided(_flat(y), *layout(y.shape, _stride(y), 0))[...] = 0 if src is None else src
    return y


def scatter_through(g, shape, layout):
    """The dual of `through`: zeros of `shape` with `g` added through the view; cells that share a slot add up."""
    out = np.zeros(shape, g.dtype)
    cells, own = out.reshape(-1), layout(shape, _contiguous_stride(shape), 0)
    if _has_overlap(*own[:2]):
        _add_at(cells, own, g)
    else:
        _strided(cells, *own)[...] = g
    return out


def _add_at(cells, layout, g):
    """Add g to the cells through a layout whose cells share slots: all at once along axes where none does."""
    if cells.dtype == np.float16:
        wide = _single(cells)
        _add_at(wide, layout, _single(g))
        cells[...] = wide
        return
    (shape, stride, offset), apart = layout, []
    for d in sorted(range(g.ndim), key=lambda d: -shape[d]) if g.size > _SMALL else ():
        if not _has_overlap(*zip(*[(shape[e], stride[e]) for e in [*apart, d]])):
            apart.append(d)
    rest = [d for d in range(g.ndim) if d not in apart]
    if _prod([shape[d] for d in rest]) * _FEW > g.size:
        slots, step = _strided(np.arange(cells.size), *layout), max(_RUN * len(g) // max(g.size, 1), 1)
        for k in range(0, len(g), step):
            np.add.at(cells, slots[k:k + step].reshape(-1), g[k:k + step].reshape(-1))
        return
    order = sorted(apart)
    g = g.transpose(*rest, *order)
    for at in np.ndindex(*g.shape[:len(rest)]):
        first = offset + sum([i * stride[d] for i, d in zip(at, rest)])
        part = _strided(cells, [shape[d] for d in order], [stride[d] for d in order], first)
        part += g[at]


def _span(*layouts):
    return max([1] + [_extent(*layout)[1] for layout in layouts])


def slots_read(x, own, other):
    """Lay x out over slots through layout `own`, read them through `other`; slots that `own` does not reach hold 0."""
    if own == (x.shape, _contiguous_stride(x.shape), 0) and _span(other) <= x.size and x.flags.c_contiguous:
        return _strided(x.reshape(-1), *other).copy()
    buffer = np.zeros(_span(own, other), x.dtype)
    _strided(buffer, *own)[...] = x
    return _strided(buffer, *other).copy()


def slots_add(g, own, other):
    """The dual of `slots_read`: add g over the slots of `other`, read through `own`, whose shared slots share a sum."""
    buffer = np.zeros(_span(own, other), g.dtype)
    if _has_overlap(*other[:2]):
        _add_at(buffer, other, g)
    else:
        _strided(buffer, *other)[...] = g
    if _has_overlap(*own[:2]):
        cells = _strided(np.arange(buffer.size), *own).reshape(-1)
        buffer /= np.maximum(np.bincount(cells, minlength=buffer.size), 1).astype(g.dtype)
    return _all_of(buffer, own)


def slots_clear(x, own, other):
    """x with 0 in the slots that `other` reaches."""
    buffer = np.zeros(_span(own, other), x.dtype)
    y = _strided(buffer, *own)
    y[...] = x
    _strided(buffer, *other)[...] = 0
    return _all_of(buffer, own)


def _all_of(buffer, layout):
    """A buffer read through a layout: a view if every slot is read once, else a copy."""
    y = _strided(buffer, *layout)
    return y if y.size == buffer.size and not _has_overlap(*layout[:2]) else y.copy()
