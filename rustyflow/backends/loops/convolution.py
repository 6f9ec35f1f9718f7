"""Convolution, and its gradients, as the sum that defines it.

It goes over every cell of the result and every cell of its window.
"""

from __future__ import annotations

from itertools import product

from ...layout import contiguous_stride
from .array import empty
from .memory import filled


def _windows(shape, kernel, stride, padding, dilation, groups, filters):
    """(slot of y, slot of x, slot of w) of dense arrays, for every product in the sum.

    Padding is not read.
    """
    n, channels, *size = shape
    out = [(m + 2 * p - d * (k - 1) - 1) // s + 1 for m, k, s, p, d in zip(size, kernel, stride, padding, dilation)]
    y_step, x_step = contiguous_stride((n, filters, *out)), contiguous_stride(tuple(shape))
    w_step = contiguous_stride((filters, channels // groups, *kernel))
    for sample, o, *at in product(range(n), range(filters), *map(range, out)):
        first = o // (filters // groups) * (channels // groups)
        for c, *inside in product(range(channels // groups), *map(range, kernel)):
            place = [i * s + k * d - p for i, s, k, d, p in zip(at, stride, inside, dilation, padding)]
            if all(0 <= i < m for i, m in zip(place, size)):
                yield (_slot(y_step, (sample, o, *at)), _slot(x_step, (sample, first + c, *place)),
                       _slot(w_step, (o, c, *inside)))


def _slot(step, index):
    return sum([i * s for i, s in zip(index, step)])


def _dense(a):
    return a if a.flags.c_contiguous and not a.offset else a.copy()


def _add(out, slot, value):
    """Add to one slot, rounding the product and then the sum."""
    out.buffer.write(slot, out.buffer.read(slot) + out.buffer.store(value))


def convolution(x, w, bias, *, stride, padding, dilation, groups):
    """(N, C, *size), (O, C / groups, *kernel) -> (N, O, *out)."""
    x, w = _dense(x), _dense(w)
    size = [(m + 2 * p - d * (k - 1) - 1) // s + 1 for m, k, s, p,
            d in zip(x.shape[2:], w.shape[2:], stride, padding, dilation)]
    y = empty((x.shape[0], w.shape[0], *size), x.dtype)
    for at, source, weight in _windows(x.shape, w.shape[2:], stride, padding, dilation, groups, w.shape[0]):
        _add(y, at, x.buffer.read(source) * w.buffer.read(weight))
    return y if bias is None else y + bias.reshape(-1, *[1] * len(size))


def convolution_input(g, w, shape, *, stride, padding, dilation, groups):
    """The gradient of convolution for its input of `shape`."""
    g, w = _dense(g), _dense(w)
    dx = filled(shape, 0, g.dtype)
    for at, source, weight in _windows(shape, w.shape[2:], stride, padding, dilation, groups, w.shape[0]):
        _add(dx, source, g.buffer.read(at) * w.buffer.read(weight))
    return dx


def convolution_weight(g, x, shape, *, stride, padding, dilation, groups):
    """The gradient of convolution for its weight of `shape`."""
    g, x = _dense(g), _dense(x)
    dw = filled(shape, 0, g.dtype)
    for at, source, weight in _windows(x.shape, shape[2:], stride, padding, dilation, groups, shape[0]):
        _add(dw, weight, g.buffer.read(at) * x.buffer.read(source))
    return dw
