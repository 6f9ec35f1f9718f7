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
    window = []  # each cell's place from the corner, and how far that is in x and in w
    for c, *inside in product(range(channels // groups), *map(range, kernel)):
        far = [k * d for k, d in zip(inside, dilation)]
        window.append((far, _slot(x_step[1:], (c, *far)), _slot(w_step[1:], (c, *inside))))
    for sample, o, *at in product(range(n), range(filters), *map(range, out)):
        corner = [i * s - p for i, s, p in zip(at, stride, padding)]
        first = o // (filters // groups) * (channels // groups)
        y, x, w = _slot(y_step, (sample, o, *at)), _slot(x_step, (sample, first, *corner)), o * w_step[0]
        for far, in_x, in_w in window:
            if not any(padding) or all(0 <= i + k < m for i, k, m in zip(corner, far, size)):
                yield y, x + in_x, w + in_w


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
