"""Pooling: windows of the last two axes become their largest cell or their mean, window by window."""

from __future__ import annotations

from itertools import product
from math import trunc

from ...layout import indices
from . import scalar
from .array import empty, slot_of
from .buffer import int64
from .memory import filled
from .number import lifted


def _windows(shape, out, kernel, stride, padding, dilation=(1, 1)):
    """The indices of the cells of every window, plane by plane.

    As far as they lie in an array of `shape`.
    """
    for plane in indices(tuple(shape[:-2])):
        for at in product(*map(range, out)):
            places = [[o * s - p + k * d for k in range(n)] for o, n, s, p,
                      d in zip(at, kernel, stride, padding, dilation)]
            yield at, [(*plane, i, j) for i, j in product(*places) if 0 <= i < shape[-2] and 0 <= j < shape[-1]]


def max_pool2d(x, out, kernel, stride, padding, dilation):
    """The largest cell of every window and its number in its plane: the first of several, of NaNs the last."""
    larger = lifted(scalar.larger)
    values, at = (empty((*x.shape[:-2], *out), dtype) for dtype in (x.dtype, int64))
    for slot, (_, places) in enumerate(_windows(x.shape, out, kernel, stride, padding, dilation)):
        best, where = x.buffer.read(slot_of(x, places[0])), places[0]
        top = best
        for place in places[1:]:
            cell = x.buffer.read(slot_of(x, place))
            top = larger(top, cell)
            if cell > best or cell != cell:
                best, where = cell, place
        values.buffer.write(slot, top)
        at.buffer.write(slot, where[-2] * x.shape[-1] + where[-1])
    return values, at


def max_pooled(x, **how):
    """The largest cells alone."""
    return max_pool2d(x, **how)[0]


def _cells(at, inside, size, kernel, stride, padding, count_padding, override):
    """By what the sum of a window is divided; with count_padding its cells outside count, too."""
    if override or not count_padding:
        return override or len(inside)
    first = [o * s - p for o, s, p in zip(at, stride, padding)]
    down, right = (min(f + k, n + p) - f for f, k, n, p in zip(first, kernel, size, padding))
    return down * right


def averaged(x, out, kernel, stride, padding, count_padding, override):
    """The mean of every window."""
    y = empty((*x.shape[:-2], *out), x.dtype)
    for slot, (at, places) in enumerate(_windows(x.shape, out, kernel, stride, padding)):
        total = y.buffer.store(0)
        for place in places:
            total = y.buffer.store(total + x.buffer.read(slot_of(x, place)))
        mean = total / _cells(at, places, x.shape[-2:], kernel, stride, padding, count_padding, override)
        y.buffer.write(slot, mean if x.dtype.kind == "f" else trunc(mean))
    return y


def avg_pool2d_input(g, shape, out, kernel, stride, padding, count_padding, override):
    """The dual of `averaged`, for an input of `shape`."""
    dx = filled(shape, 0, g.dtype)
    for source, (at, places) in zip(g.slots, _windows(shape, out, kernel, stride, padding)):
        count = _cells(at, places, shape[-2:], kernel, stride, padding, count_padding, override)
        for place in places:
            slot = slot_of(dx, place)
            dx.buffer.write(slot, dx.buffer.read(slot) + dx.buffer.store(g.buffer.read(source) / count))
    return dx
