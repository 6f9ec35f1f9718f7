"""Sorting and searching."""
from __future__ import annotations

import numpy as np

from ...layout import axis_order as _axis_order
from .along import along as _along
from .core import dense_as as _dense_as, in_order as _in_order, stride as _stride
from .runs import RUN as _RUN, by_lines as _by_lines, by_runs as _by_runs


def sort_along(a, dim, descending):
    """Values in order along dim and their places, which lie as `a` does.

    Stable both ways, NaN as the largest.
    """
    if not a.ndim:
        return a.copy(), np.zeros((), np.int64)
    if not a.flags.c_contiguous and (order := _axis_order(a.shape, _stride(a))) != (*range(a.ndim),):
        own = [order.index(d) for d in range(a.ndim)]
        return tuple([part.transpose(own) for part in sort_along(a.transpose(order), order.index(dim), descending)])
    return _sorted(a, dim, descending)


@_by_lines
def _sorted(a, dim, descending):
    if descending:
        # the reverse of a stable sort of the reverse keeps equal cells in order
        at = a.shape[dim] - 1 - np.flip(np.argsort(np.flip(a, dim), dim, "stable"), dim)
    else:
        at = np.argsort(a, dim, "stable")
    return _along(a, at, dim), at


def sorted_values(a, dim, ranks=None):
    """The values of `sort_along` alone, ascending; with `ranks`, only the values at these ranks are in place."""
    y = _dense_as(a)
    if y.ndim and (ranks is None or a.shape[dim] <= _RUN):  # short lines are sorted faster than partitioned
        y.sort(dim)
    elif y.ndim:
        y.partition(ranks, dim)
    return y


def top_along(a, dim, k, largest):
    """The k largest or smallest along dim, in order, and where they were."""
    if not a.ndim:
        return a.reshape(1)[:k].reshape(() if k else (0,)).copy(), np.zeros(() if k else (0,), np.int64)
    return _top(a, dim, k, largest)


@_by_lines
def _top(a, dim, k, largest):
    n, chosen = a.shape[dim], None
    if 8 * k < n and k:
        # a partition finds them in linear time; those few are then put in order
        chosen = np.argpartition(a, n - k if largest else k - 1, dim)
        chosen = np.sort(chosen[(slice(None),) * dim + (slice(n - k, None) if largest else slice(0, k),)], dim)
        a = _along(a, chosen, dim)
    values, at = sort_along(a, dim, largest)
    first = (slice(None),) * dim + (slice(0, k),)
    at = at[first] if chosen is None else _along(chosen, at, dim)
    return values[first].copy(), np.array(at, order="C")


def search(boundaries, values, right):
    """The places at which values would be inserted among sorted boundaries, row by row where those have rows."""
    side = "right" if right else "left"
    common = np.result_type(boundaries, values)
    boundaries, values = boundaries.astype(common, copy=False), values.astype(common, copy=False)
    if boundaries.ndim == 1:
        return np.searchsorted(boundaries, values, side)
    if not boundaries.size:
        return np.zeros(values.shape, np.int64)
    lines = zip(boundaries.reshape(-1, boundaries.shape[-1]), values.reshape(-1, values.shape[-1]))
    rows = [np.searchsorted(b, v, side) for b, v in lines]
    return np.array(rows, np.int64).reshape(values.shape)


def distinct(a, dim, inverse, counts):
    """The different values in order, cells or slices along dim; if wanted, which each is, and how often they occur."""
    if dim is None and inverse:
        cells = a.reshape(-1)
        order = np.argsort(cells)
        values, places, *often = distinct_runs(cells[order], None, True, counts)
        which = np.empty(a.shape, np.int64)
        which.reshape(-1)[order] = places
        return values, which, *often
    found = np.unique(a, return_inverse=inverse, return_counts=counts, axis=dim, equal_nan=False)
    values, *rest = found if inverse or counts else (found,)
    if inverse:
        rest[0] = np.asarray(rest[0].reshape(-1), order="C")
    return values, *rest


def distinct_runs(a, dim, inverse, counts):
    """The same for runs of equal neighbours."""
    flat = a.reshape(-1) if dim is None else np.moveaxis(a, dim, 0)
    changes = np.ones(len(flat), bool)
    changes[1:] = (flat[1:] != flat[:-1]).any(tuple(range(1, flat.ndim)))
    values = np.moveaxis(np.ascontiguousarray(flat[changes]), 0, dim or 0)
    runs = [np.diff(np.append(np.flatnonzero(changes), len(flat)))] if counts else []
    if inverse:
        which = changes.astype(np.int64)
        which[:1] = 0
        runs.insert(0, np.cumsum(which, out=which).reshape(a.shape if dim is None else -1))
    return values, *runs


def isin(a, b, invert=False):
    """A mask of the cells of `a` that are among b's.

    Taken some at a time, but no fewer than are worth sorting b anew.
    """
    return _in_order(_by_runs(lambda part: np.isin(part, b, invert=invert), max(_RUN, 8 * np.size(b)))(np.asarray(a)))


def longest_run(values, dim):
    """The end of the longest run of equal sorted values along dim, which is kept; the first of several."""
    values = np.moveaxis(values, dim, -1)
    at = np.arange(values.shape[-1])
    start = np.zeros(values.shape, np.int64)
    np.multiply(values[..., 1:] != values[..., :-1], at[1:], out=start[..., 1:])
    length = at - np.maximum.accumulate(start, -1)
    return np.moveaxis(length.argmax(-1, keepdims=True), -1, dim)
