"""Pooling: windows of the last two axes become their largest cell or their mean, a pass per kernel position."""
from __future__ import annotations

from itertools import product as _product
from math import prod as _prod

import numpy as np

from .halves import by_single as _by_single
from .runs import in_parts as _in_parts


def _reach(out, kernel, stride, dilation):
    """The reach of the windows of a result, from the first cell of the padding on."""
    return [(o - 1) * s + d * (k - 1) + 1 for o, k, s, d in zip(out, kernel, stride, dilation)]


def _framed(x, value, padding, reach):
    """x in a frame of one value, as large as the windows need."""
    framed = np.full((*x.shape[:-2], *[max(r, p + n) for r, p, n in zip(reach, padding, x.shape[-2:])]), value, x.dtype)
    framed[_inside(x.shape, padding)] = x
    return framed


def _least(dtype):
    return -np.inf if dtype.kind == "f" else np.iinfo(dtype).min


def _fits(x, padding, reach):
    """True if all windows lie in x itself."""
    return not any(padding) and all([r <= n for r, n in zip(reach, x.shape[-2:])])


def _inside(shape, padding):
    return (..., slice(padding[0], padding[0] + shape[-2]), slice(padding[1], padding[1] + shape[-1]))


def _places(out, kernel, stride, dilation):
    """For every kernel position, the cells of the framed input that stand there in the windows."""
    for i, j in _product(*map(range, kernel)):
        y, x = i * dilation[0], j * dilation[1]
        rows = slice(y, y + stride[0] * (out[0] - 1) + 1, stride[0])
        columns = slice(x, x + stride[1] * (out[1] - 1) + 1, stride[1])
        yield ..., rows, columns


_SOME = 1 << 16  # windows at a time


def _some_planes_at_a_time(function):
    """A function of an image, (x, out, ...) -> arrays of that many windows, some planes at a time."""
    def some_at_a_time(x, out, **how):
        planes, cells = _prod(x.shape[:-2]), _prod(out)
        if planes * cells <= _SOME:
            return function(x, out, **how)
        planes, step = x.reshape(planes, *x.shape[-2:]), max(_SOME // max(cells, 1), 1)
        found = _in_parts(lambda part: function(part, out, **how), planes, 0, step)
        return tuple([y.reshape(*x.shape[:-2], *out) for y in found])
    return some_at_a_time


@_some_planes_at_a_time
@_by_single
def max_pool2d(x, out, kernel, stride, padding, dilation):
    """The largest cell of every window and its number in its plane: the first of several, of NaNs the last."""
    least = _least(x.dtype)
    reach = _reach(out, kernel, stride, dilation)
    framed = x if _fits(x, padding, reach) else _framed(x, least, padding, reach)
    lost = bool(np.isnan(np.maximum.reduce(x, axis=None, initial=least)))
    down, right = np.divmod(np.arange(kernel[0] * kernel[1]), kernel[1])
    best = at = None
    for k, place in enumerate(_places(out, kernel, stride, dilation)):
        cell = framed[place]
        if best is None:
            best, at = cell.copy(), np.zeros(cell.shape, np.min_scalar_type(len(down)))
            continue
        better = cell > best
        if lost:
            better |= np.isnan(cell)
        np.maximum(best, cell, out=best)
        np.maximum(at, np.multiply(better, k, dtype=at.dtype), out=at)
    rows, columns = (down * dilation[0]).take(at), (right * dilation[1]).take(at)
    rows += (np.arange(out[0]) * stride[0] - padding[0])[:, None]
    columns += np.arange(out[1]) * stride[1] - padding[1]
    if any(padding):  # a window of nothing but -inf counts from its first cell inside
        rows = np.where(rows < 0, rows % dilation[0], rows)
        columns = np.where(columns < 0, columns % dilation[1], columns)
    rows *= x.shape[-1]
    rows += columns
    planes, windows = (*x.shape[:-2], x.shape[-2] * x.shape[-1]), (*x.shape[:-2], out[0] * out[1])
    # of a 0 and a -0, which tie, the first is the largest, not the one that NumPy's maximum takes
    return np.take_along_axis(x.reshape(planes), rows.reshape(windows), -1).reshape(rows.shape), rows


def max_pooled(x, **how):
    """The largest cells alone."""
    # of a 0 and a -0, which tie, the first is the largest; NumPy's maximum takes either
    return (max_pool2d if _has_minus_zero(x) else _max_pooled)(x, **how)[0]


@_some_planes_at_a_time
@_by_single
def _max_pooled(x, out, kernel, stride, padding, dilation):
    reach = _reach(out, kernel, stride, dilation)
    framed = x if _fits(x, padding, reach) else _framed(x, _least(x.dtype), padding, reach)
    if 1 in kernel:
        return _largest(framed, _places(out, kernel, stride, dilation)),
    # down the columns first, whose cells lie side by side
    down = _largest(framed, _places((out[0], framed.shape[-1]), (kernel[0], 1), (stride[0], 1), dilation))
    return _largest(down, _places(out, (1, kernel[1]), (1, stride[1]), dilation)),


def _largest(x, places):
    """Of the cells of x that stand at several places, a new array of the largest."""
    first, *others = places
    best = np.maximum(x[first], x[others.pop() if others else first], order="C")
    for place in others:
        np.maximum(best, x[place], out=best)
    return best


def _has_minus_zero(x):
    """A mask of -0, of whose bits only the sign's is set: as a whole number the least."""
    bits = np.dtype(f"i{x.dtype.itemsize}")
    return x.dtype.kind == "f" and x.size > 0 and x.view(bits).min() == np.iinfo(bits).min


def _cells(size, out, kernel, stride, padding, count_padding, override):
    """By what each window's sum is divided."""
    if override:
        return override
    counts = []
    for n, o, k, s, p in zip(size, out, kernel, stride, padding):
        first = np.arange(o) * s - p
        last = np.minimum(first + k, n + p)
        counts.append(last - first if count_padding else np.minimum(last, n) - np.maximum(first, 0))
    return counts[0][:, None] * counts[1]


def averaged(x, **how):
    """The mean of every window; with count_padding its cells outside count, too."""
    return _averaged(x, **how)[0]


@_some_planes_at_a_time
def _averaged(x, out, kernel, stride, padding, count_padding, override):
    reach = _reach(out, kernel, stride, (1, 1))
    framed = x if _fits(x, padding, reach) else _framed(x, 0, padding, reach)
    total = None
    for place in _places(out, kernel, stride, (1, 1)):
        if total is None:
            total = framed[place].copy()
        else:
            total += framed[place]
    cells = _cells(x.shape[-2:], out, kernel, stride, padding, count_padding, override)
    if x.dtype.kind != "f":
        return np.trunc(total / cells).astype(x.dtype),
    total /= np.asarray(cells, x.dtype)
    return total,


def avg_pool2d_input(g, shape, **how):
    """The dual of `averaged`, for an input of `shape`."""
    planes, step = g.reshape(_prod(g.shape[:-2]), *g.shape[-2:]), max(_SOME // max(_prod(shape[-2:]), 1), 1)
    return _in_parts(lambda part: (_spread(part, (len(part), *shape[-2:]), **how),), planes, 0, step)[0].reshape(shape)


def _spread(g, shape, out, kernel, stride, padding, count_padding, override):
    g = g / np.asarray(_cells(shape[-2:], out, kernel, stride, padding, count_padding, override), g.dtype)
    reach = _reach(out, kernel, stride, (1, 1))
    framed = np.zeros((*shape[:-2], *[max(r, p + n) for r, p, n in zip(reach, padding, shape[-2:])]), g.dtype)
    for place in _places(out, kernel, stride, (1, 1)):
        framed[place] += g
    return np.ascontiguousarray(framed[_inside(shape, padding)])
