"""Order and rank along an axis, and equality of cells.

NaN counts as the largest number; equal cells keep their order.
"""

from __future__ import annotations

from math import nan

from . import reduce
from .array import Array, empty, made
from .buffer import boolean, float64, int64
from .indexed import index_select
from .laid import unsqueeze
from .memory import asarray, filled
from .number import counted, place_in


def _in_order(cells, descending=False):
    """The places of the cells in order."""
    return sorted(range(len(cells)), key=lambda k: _rank(cells[k]), reverse=descending)


def _rank(x):
    return x != x, 0 if x != x else x


def _chosen(a, dim, length, choose):
    """The cells of each line along dim that `choose` names, `length` of them, and where they were."""
    dim = dim % a.ndim if a.ndim else 0
    shape = (*a.shape[:dim], length, *a.shape[dim + 1 :]) if a.ndim else ()
    values, at = empty(shape, a.dtype), empty(shape, int64)
    for run, into in zip(reduce.lanes(a, dim)[1], reduce.lanes(values, dim)[1]):
        cells = [a.buffer.read(source) for source in run]
        for slot, k in zip(into, choose(cells)):
            values.buffer.write(slot, cells[k])
            at.buffer.write(slot, k)
    return values, at


def sort_along(a, dim, descending):
    return _chosen(a, dim, a.shape[dim] if a.ndim else 1, lambda cells: _in_order(cells, descending))


def sorted_values(a, dim, ranks=None):
    return sort_along(a, dim, False)[0]


def top_along(a, dim, k, largest):
    """The k largest or smallest along dim, in order."""
    return _chosen(a, dim, k, lambda cells: _in_order(cells, largest))


def kth_dim(a, dim, keepdim, k):
    """The k-th cell in order, from 0 on."""
    return median_dim(a, dim, keepdim, lambda cells: [_in_order(cells)[k]])


def median_dim(a, dim, keepdim, choose=None):
    """The lower of two middle cells, or the first NaN."""
    values, at = _chosen(a, dim, 1, choose or _middle)
    return (values, at) if keepdim or not a.ndim else (values.squeeze(dim), at.squeeze(dim))


def nanmedian_dim(a, dim, keepdim):
    """The lower of two middle cells among the numbers, or the first cell where there are none."""
    return median_dim(a, dim, keepdim, lambda cells: [_in_order(cells)[max(sum(x == x for x in cells) - 1, 0) // 2]])


def _middle(cells):
    return [k for k, x in enumerate(cells) if x != x][:1] or [_in_order(cells)[(len(cells) - 1) // 2]]


def median(a):
    return median_dim(a.reshape(-1), 0, False)[0] if a.size else filled((), nan, a.dtype)


def nanmedian(a):
    return nanmedian_dim(a.reshape(-1), 0, False)[0] if a.size else filled((), nan, a.dtype)


def cummax_places(a, dim):
    """The place of the largest cell up to each: the last of equal ones, and the last NaN."""
    return _place_so_far(a, dim, lambda best, x: best > x)


def cummin_places(a, dim):
    return _place_so_far(a, dim, lambda best, x: best < x)


def _place_so_far(a, dim, stays):
    out = empty(a.shape, int64)
    for run, into in zip(reduce.lanes(a, dim)[1], reduce.lanes(out, dim)[1]):
        for k, (source, slot) in enumerate(zip(run, into)):
            at = out.buffer.read(into[k - 1]) if k else 0
            best, x = a.buffer.read(place_in(run, at)), a.buffer.read(source)
            out.buffer.write(slot, k if x != x or not (best != best or stays(best, x)) else at)
    return out


def search(boundaries, values, right):
    """The places at which values would be inserted among sorted boundaries, by halving.

    Row by row where those have rows.
    """
    out = empty(values.shape, int64)
    lines = reduce.lanes(boundaries, -1)[1]
    per_line = out.size // len(lines) if boundaries.ndim > 1 else out.size
    for slot, source in enumerate(values.slots):
        x, line = values.buffer.read(source), lines[slot // per_line]
        first, last = 0, len(line)
        while first < last:
            middle = (first + last) // 2
            y = boundaries.buffer.read(line[middle])
            before = _rank(y) <= _rank(x) if right else _rank(y) < _rank(x)
            first, last = (middle + 1, last) if before else (first, middle)
        out.buffer.write(slot, first)
    return out


# What is equal


def _slices(a, dim):
    """The cells, or the slices along dim, as lists of numbers."""
    if dim is None:
        return [[x] for x in a.read()]
    return [a.swapaxes(0, dim)[k].read() for k in range(a.shape[dim])]


def _distinct(a, dim, inverse, counts, slices, order):
    """Slices in an order in which equal ones are neighbours.

    The first of each; which of them each is; how often.
    """
    kept, which = [], [0] * len(order)
    for place, k in enumerate(order):
        if not place or slices[k] != slices[order[place - 1]] or any(x != x for x in slices[k]):
            kept.append(k)
        which[k] = len(kept) - 1
    places = _numbers(kept)
    values = index_select(a.reshape(-1) if dim is None else a, dim or 0, places)
    shape = a.shape if dim is None else (-1,)
    often = [which.count(k) for k in range(len(kept))] if counts else []
    return values, *([_numbers(which).reshape(shape)] if inverse else []), *([_numbers(often)] if counts else [])


def _numbers(values):
    return made(values, (len(values),), int64)


def distinct(a, dim, inverse, counts):
    slices = _slices(a, dim)
    order = sorted(range(len(slices)), key=lambda k: [_rank(x) for x in slices[k]])
    return _distinct(a, dim, inverse, counts, slices, order)


def distinct_runs(a, dim, inverse, counts):
    """The same for runs of equal neighbours."""
    slices = _slices(a, dim)
    return _distinct(a, dim, inverse, counts, slices, range(len(slices)))


def unique(a):
    return distinct(a, None, False, False)[0]


def isin(a, b, invert=False):
    a, b = asarray(a), asarray(b)
    found = reduce.any(unsqueeze(a, a.ndim) == b.reshape(-1), -1) if b.size else filled(a.shape, False, boolean)
    return ~found if invert else found


def bincount(a, weights, minlength):
    """The number of times that each whole number occurs, or the sum of the weights of its places."""
    n = max(minlength, int(a.max()) + 1 if a.size else 0)
    out = filled((n,), 0, int64 if weights is None else float64)
    for k, source in enumerate(a.slots):
        at = a.buffer.read(source)
        out.buffer.write(at, out.buffer.read(at) + (1 if weights is None else weights[k].read()[0]))
    return out


def repeat(a, times, dim):
    """The slices of `a` along dim, each so often: a number, or an array of one number for each."""
    often = (times if isinstance(times, Array) else filled((), times, int64)).expand(a.shape[dim : dim + 1])

    def slices():
        for k, slot in enumerate(often.slots):
            left = often.buffer.read(slot)
            while left > 0:
                yield k
                counted()  # for the next one it is asked anew
                left = left - 1
        counted()

    return index_select(a, dim, made(slices(), (int(reduce.sum(often)),), int64))


def longest_run(values, dim):
    """The end of the longest run of equal sorted values along dim, which is kept; the first of several."""
    shape, runs = reduce.lanes(values, dim, True)
    out, read = empty(shape, int64), values.buffer.read
    for slot, run in enumerate(runs):
        best = longest = length = 0
        for at in range(1, len(run)):
            length = length + 1 if read(run[at]) == read(run[at - 1]) else 0
            if length > longest:
                best, longest = at, length
        out.buffer.write(slot, best)
    return out
