"""Padding by a constant, where a negative count cuts cells off, or by an open grid.

The grid is of the cells that are read.
"""
from __future__ import annotations

from itertools import product as _product
from math import prod as _prod

import numpy as np

from .core import dense_as as _dense_as, write as _write
from .index import index_add as _index_add
from .runs import RUN as _RUN


def constant_pad(a, pad, value):
    """`pad` counts (before, after) from the last axis on."""
    counts = [(pad[2 * k], pad[2 * k + 1]) if 2 * k < len(pad) else (0, 0) for k in range(a.ndim)][::-1]
    to = tuple([slice(max(before, 0), n + before + min(after, 0)) for n, (before, after) in zip(a.shape, counts)])
    source = tuple([slice(max(-before, 0), n - max(-after, 0)) for n, (before, after) in zip(a.shape, counts)])
    if max(pad, default=0) <= 0:
        return _dense_as(a[source])
    out = np.empty([n + before + after for n, (before, after) in zip(a.shape, counts)], a.dtype)
    if not a[source].size:
        out[...] = value
        return out
    _write(out[to], a[source])
    for d, kept in enumerate(to):
        lead = (slice(None),) * d
        out[(*lead, slice(0, kept.start))] = value
        out[(*lead, slice(kept.stop, None))] = value
    return out


def read_grid(a, dims, grid):
    """A fresh row-major array of `a` read at an open grid.

    The grid has one line of places for each of the neighbouring axes `dims`.
    """
    lines, first = [at.ravel() for at in grid], dims[0]
    size = *a.shape[:first], *map(len, lines), *a.shape[dims[-1] + 1:]
    runs = [_neighbours(line) for line in lines]
    if None not in runs:
        out = np.empty(size, a.dtype)
        for part in _product(*runs):
            to, source = [(*(slice(None),) * first, *slices) for slices in zip(*part)]
            _write(out[to], a[source])
        return out
    if len(dims) == 1 and a.flags.c_contiguous:
        return a.take(lines[0], first)
    if first > 1 and a.flags.c_contiguous:
        return _outer_as_one(read_grid, a, dims, grid)
    out, inner = np.empty(size, a.dtype), [*zip(dims, lines)][:0:-1]
    for run in _runs(out, first):
        across = len(run) > first
        _pick(out[run], a if across else a[run], first, lines[0][run[-1]] if across else lines[0], inner)
    return out


def _pick(out, a, d, places, inner):
    """Read `a` at places along axis d and along the inner axes, first along the axis that leaves fewer cells."""
    low, high = places.min(initial=0), places.max(initial=-1) + 1
    if high - low > len(places):
        axes = [(d, places), *inner]
    else:
        a, axes = a[(*(slice(None),) * d, slice(low, high))], [*inner, (d, places - low)]
    *axes, (last, last_line) = axes
    for axis, line in axes:
        a = a.take(line, axis)
    a.take(last_line, last, out=out, mode="clip")  # no place is outside, but "raise" makes NumPy fill a copy first


def grid_zeros(g, shape, dims, grid):
    """The dual of `read_grid`: zeros of `shape` with g added where it was read."""
    lines, first = [at.ravel() for at in grid], dims[0]
    if first > 1 and g.flags.c_contiguous:
        return _outer_as_one(lambda g, dims, grid: grid_zeros(g, (len(g), *shape[first:]), dims, grid), g, dims, grid)
    out = np.zeros(shape, g.dtype)
    for run in _runs(g, first):
        across, part = len(run) > first, g[run]
        for d, line in [*zip(dims, lines)][:0:-1]:
            part = _add_along(np.zeros((*part.shape[:d], *shape[d:]), g.dtype), d, line, part)
        _add_along(out if across else out[run], first, lines[0][run[-1]] if across else lines[0], part)
    return out


def _outer_as_one(function, a, dims, grid):
    """A function of a row-major array with the axes before dims as one."""
    first = dims[0]
    y = function(a.reshape(_prod(a.shape[:first]), *a.shape[first:]), tuple([d - first + 1 for d in dims]), grid)
    return y.reshape(*a.shape[:first], *y.shape[1:])


_PARTS = 3  # parts; so many are enough if each is contiguous


def _runs(y, last):
    """Parts of y along the first of its axes, up to `last`, long enough for parts of 2 runs.

    Or the longest.
    """
    parts = y.size // (2 * _RUN) + 1
    d = max(range(last + 1), key=lambda d: min(y.shape[d], parts, _PARTS))
    step = max(y.shape[d] // parts, 1)
    return [(*(slice(None),) * d, slice(k, k + step)) for k in range(0, y.shape[d], step)]


def _add_along(out, d, line, g):
    """Add g to the places of a line along axis d, to neighbours all at once."""
    runs, lead = _neighbours(line), (slice(None),) * d
    if runs is None:
        return _index_add(out, d, line, g)
    for part, to in runs:
        out[(*lead, to)] += g[(*lead, part)]
    return out


def _neighbours(line):
    """The runs of neighbours in a line, each with its place in it, and those places.

    None if most are short.
    """
    cuts = [0, *((line[1:] - line[:-1] != 1).nonzero()[0] + 1).tolist(), len(line)]
    if len(cuts) > len(line) // 8 + 4:
        return None
    return [(slice(k, end), slice(line[k], line[k] + end - k)) for k, end in zip(cuts, cuts[1:]) if k < end]
