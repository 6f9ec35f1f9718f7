"""Axes of another size: a cell is the mean of a stretch of them, or some of them with weights."""
from __future__ import annotations

from functools import lru_cache as _lru_cache
from math import isqrt as _isqrt, prod as _prod

import numpy as np

from .halves import by_single as _by_single
from .index import index_add as _index_add
from .runs import RUN as _RUN, in_parts as _in_parts


def stretch_means(x, sizes):
    """The means over sizes[k] stretches of each last axis, which cover it and are as equal as they can be."""
    return _axis_by_axis(_stretched, x, sizes)


def stretch_means_input(g, sizes):
    """The dual of `stretch_means`, for an input whose last axes have these sizes."""
    return _axis_by_axis(_unstretched, g, sizes)


def _axis_by_axis(function, x, sizes):
    """Resize one axis after another, first the one that leaves the fewest cells; some planes at a time."""
    axes = range(-len(sizes), 0)
    order = sorted(zip(axes, sizes), key=lambda to: to[1] / max(x.shape[to[0]], 1))

    @_by_single
    def work(part):
        for product in (np.matmul, _sparse_matmul):
            y = part
            for d, size in order:
                y = function(y, d, size, product)
            if np.isfinite(y).all():
                break
        return y,

    outer, inner = x.shape[:-len(sizes)], x.shape[-len(sizes):]
    if 0 in outer:
        return np.empty((*outer, *sizes), x.dtype)
    planes, step = x.reshape(_prod(outer), *inner), max(_RUN // max(_prod(inner), _prod(sizes), 1), 1)
    return _in_parts(work, planes, 0, step)[0].reshape(*outer, *sizes)


def _sparse_matmul(shares, lines, out):
    """shares @ lines, leaving out lines with a share of 0, because 0 times infinity would be NaN."""
    for k, share in enumerate(shares):
        out[:, k] = share[share != 0] @ lines[:, share != 0]


def _stretched(x, d, out, product):
    """Means along axis d (counted from the end), written through `_lines`, which are a view of the fresh result."""
    lines, y = _lines(x, d), np.empty((*x.shape[:d], out, *x.shape[d:][1:]), x.dtype)
    for stretches in _bands(out, x.shape[d]):
        cells, shares = _shares(out, x.shape[d], *stretches, x.dtype)
        product(shares, lines[:, cells], out=_lines(y, d)[:, slice(*stretches)])
    return y


def _unstretched(g, d, n, product):
    """The dual of `_stretched`. Neighbouring bands may share a cell, so what the first wrote there is added again."""
    means, x, done = _lines(g, d), np.zeros((*g.shape[:d], n, *g.shape[d:][1:]), g.dtype), 0
    for stretches in _bands(g.shape[d], n):
        cells, shares = _shares(g.shape[d], n, *stretches, g.dtype)
        seam = _lines(x, d)[:, cells.start:done].copy()
        product(shares.T, means[:, slice(*stretches)], out=_lines(x, d)[:, cells])
        _lines(x, d)[:, cells.start:done] += seam
        done = cells.stop
    return x


def _lines(x, d):
    """x as matrices whose columns are its lines along axis d.

    All of them are in one matrix if d is the last.
    """
    if d == -1:
        return x.reshape(_prod(x.shape[:-1]), x.shape[-1]).T[None]
    return x.reshape(_prod(x.shape[:d]), x.shape[d], _prod(x.shape[d + 1:]))


def _bands(out, n):
    """Bands (start, stop) of the `out` stretches of n cells, each with a small matrix of shares."""
    step = max(_isqrt(_RUN * out // max(n, out, 1)), 1)
    return [(k, min(k + step, out)) for k in range(0, out, step)]


@_lru_cache(4)
def _shares(out, n, start, stop, dtype):
    """The slice of the n cells that each stretch of `out` covers, and each cell's share in each mean.

    Stretches go from start to stop.
    """
    at = np.arange(start, stop)
    first, last = at * n // out, -(-(at + 1) * n // out)
    cells = np.arange(first[0], last[-1])
    inside = (first[:, None] <= cells) & (cells < last[:, None])
    return slice(first[0], last[-1]), (inside / (last - first)[:, None]).astype(dtype)


def weighed(a, dim, cells, weights):
    """The sum over k of the cells at cells[k] along dim, times weights[k]; some lines at a time."""
    weights = weights.reshape(*weights.shape, *(1,) * (a.ndim - dim - 1))

    def work(part):
        y = part.take(cells[0], dim)
        y *= weights[0]
        for at, weight in zip(cells[1:], weights[1:]):
            more = part.take(at, dim)
            more *= weight
            y += more
        return y,
    return _line_parts(work, a, dim, weights.shape[1])


def weighed_zeros(g, n, dim, cells, weights):
    """The dual of `weighed`: n zeros along dim to which g is added at cells[k], times weights[k]."""
    weights = weights.reshape(*weights.shape, *(1,) * (g.ndim - dim - 1))

    def work(part):
        y = np.zeros((*part.shape[:dim], n, *part.shape[dim + 1:]), g.dtype)
        for at, weight in zip(cells, weights):
            _index_add(y, dim, at, part * weight)
        return y,
    return _line_parts(work, g, dim, n)


def _line_parts(work, a, dim, n):
    """work(a), whose axis dim has length n, computed a part of the longest other axis at a time."""
    d = max([d for d in range(a.ndim) if d != dim], key=lambda d: a.shape[d])
    size = a.size // a.shape[dim] * max(a.shape[dim], n)
    return _in_parts(work, a, d, max(_RUN * a.shape[d] // max(size, 1), 1))[0]
