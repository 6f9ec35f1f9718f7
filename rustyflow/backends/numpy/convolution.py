"""Convolution over any number of axes as matrix products over windows: no loop over pixels.

The windows of a few samples at a time, or of a few rows of a large sample, are copied into columns, so that memory does
not grow with the batch, the image or the kernel. With stride 1 a kernel position reads one run of the flattened padded
image, so the copy is fast; the surplus cells between rows of the result are dropped at the end.
"""
from __future__ import annotations

from itertools import product as _product
from math import prod as _prod

import numpy as np

_AT_ONCE = 3 << 20  # bytes of image, columns and result
_SMALL, _LONG = 1_000_000, 512  # multiplications that BLAS does without repacking; least columns per product


class _Grid:
    """The layout of the windows in the padded image; `pitch` holds the strides of the result's axes in a column."""

    def __init__(self, shape, filters, stride, padding, dilation, groups, dtype):
        self.n, self.channels, *self.size = shape
        self.outputs, _, *kernel = filters
        self.kernel, self.stride, self.padding, self.dilation = kernel, stride, padding, dilation
        self.dtype, self.cells, self.runs, self.groups = dtype, _prod(kernel), max(stride) == 1, groups
        self.padded = [m + 2 * p for m, p in zip(self.size, padding)]
        self.reach = [d * (k - 1) + 1 for d, k in zip(dilation, kernel)]
        self.out = tuple([(m - r) // s + 1 for m, r, s in zip(self.padded, self.reach, stride)])
        self.steps = [_prod(self.padded[d + 1:]) for d in range(len(self.size))]
        self.pitch = self.steps if self.runs else [_prod(self.out[d + 1:]) for d in range(len(self.size))]

    def parts(self):
        """(samples, rows): what is computed together; rows are places along the first axis of the result."""
        n = self.out[0]
        cells = self.channels * _prod(self.padded) + (self.channels * self.cells + self.outputs) * self.line(n)
        own = max(1, self.dtype.itemsize * cells)
        turns, bands = -(-self.n // max(1, _AT_ONCE // own)), min(-(-own // _AT_ONCE), max(1, n))
        samples, rows = max(1, -(-self.n // max(1, turns))), max(1, -(-n // bands))
        return [(slice(k, k + samples), slice(i, min(i + rows, n)))
                for k in range(0, self.n, samples) for i in range(0, n, rows)]

    def line(self, rows):
        """The length of a column for so many rows."""
        out = rows, *self.out[1:]
        return 1 + sum([(o - 1) * p for o, p in zip(out, self.pitch)]) if 0 not in out else 0

    def frame(self, n, rows):
        """(zeros, to, source): room, channels first, for what the windows at `rows` of n samples see; zeros[to] =
        image[source].
        """
        start = rows.start * self.stride[0]
        seen = (rows.stop - rows.start - 1) * self.stride[0] + self.reach[0]
        first = max(start - self.padding[0], 0)
        past = max(min(start + seen - self.padding[0], self.size[0]), first)
        to = [slice(p, p + m) for p, m in zip(self.padding, self.size)]
        to[0] = slice(first + self.padding[0] - start, past + self.padding[0] - start)
        zeros = np.zeros((self.channels, n, seen, *self.padded[1:]), self.dtype)
        return zeros, (slice(None), slice(None), *to), (slice(None), slice(None), slice(first, past))

    def columns(self, x, rows):
        """(groups, channels / groups * kernel, n * line): the windows of an image at these rows."""
        if max(self.padding) == 0 and x.flags.c_contiguous:
            padded, start, (sample, channel) = x, rows.start * self.stride[0] * x.strides[2], x.strides[:2]
        else:
            padded, to, source = self.frame(len(x), rows)
            padded[to] = x[source].swapaxes(0, 1)
            start, (channel, sample) = 0, padded.strides[:2]
        line, out = self.line(rows.stop - rows.start), (rows.stop - rows.start, *self.out[1:])
        last = (line,) if self.runs else out
        steps = (1,) if self.runs else [step * s for step, s in zip(self.steps, self.stride)]
        lead = [step * d for step, d in zip(self.steps, self.dilation)]
        strides = (channel, *[self.dtype.itemsize * s for s in lead], sample, *[self.dtype.itemsize * s for s in steps])
        windows = np.ndarray((self.channels, *self.kernel, len(x), *last), x.dtype, padded, start, strides)
        return windows.reshape(self.groups, self.channels // self.groups * self.cells, len(x) * line)

    def result(self, lines, rows):
        """The result (n, channels, *out) as a view of (channels, n, line), without the surplus cells between rows."""
        strides = lines.strides[1::-1] + tuple([self.dtype.itemsize * p for p in self.pitch])
        return np.ndarray((*lines.shape[1::-1], rows, *self.out[1:]), lines.dtype, lines, 0, strides)

    def lines(self, g):
        """(groups, channels / groups, n * line) with g in the result's cells and 0 between rows."""
        n, channels, *out = g.shape
        line = self.line(out[0])
        spread = (np.empty if line == _prod(out) else np.zeros)((channels, n, line), g.dtype)
        self.result(spread, out[0])[...] = g
        return spread.reshape(self.groups, channels // self.groups, n * line)

    def add_back(self, columns, padded, rows):
        """The dual of `columns`: add every window's share to the framed image, one kernel position at a time."""
        line, out = self.line(rows), (rows, *self.out[1:])
        columns = columns.reshape(self.channels, self.cells, padded.shape[1], line)
        flat = padded.reshape(*padded.shape[:2], _prod(padded.shape[2:]))
        for k, at in enumerate(_product(*map(range, self.kernel))):
            first = [i * d for i, d in zip(at, self.dilation)]
            if self.runs:
                start = sum([f * step for f, step in zip(first, self.steps)])
                flat[:, :, start:start + line] += columns[:, k]
            else:
                inside = [slice(f, f + s * (o - 1) + 1, s) for f, s, o in zip(first, self.stride, out)]
                padded[(slice(None), slice(None), *inside)] += columns[:, k].reshape(*padded.shape[:2], *out)


def convolution(x, w, bias, **how):
    """(N, C, *size), (O, C / groups, *kernel) -> (N, O, *out)."""
    grid = _Grid(x.shape, w.shape, dtype=x.dtype, **how)
    y = np.empty((len(x), len(w), *grid.out), x.dtype)
    filters = _filters(w, grid)
    for part, rows in grid.parts():
        lines = _matmul(filters, grid.columns(x[part], rows))
        if bias is not None:
            lines += bias.reshape(grid.groups, -1, 1)
        cells = y[part, :, rows]
        cells[...] = grid.result(lines.reshape(*cells.shape[1::-1], grid.line(cells.shape[2])), cells.shape[2])
    return y


def convolved(x, w, **how):
    """The convolution without a bias."""
    return convolution(x, w, None, **how)


def convolution_input(g, w, shape, **how):
    """The gradient of convolution for its input of `shape`."""
    if len(w) <= shape[1] and (reach := _reach(g.shape[2:], w.shape[2:], shape[2:], **how)):
        return convolution(g, _turned(w, how["groups"]), None, **how | {"padding": reach})
    grid = _Grid(shape, w.shape, dtype=g.dtype, **how)
    dx = np.zeros(shape, g.dtype)
    filters = _filters(w, grid).swapaxes(1, 2)
    for part, rows in grid.parts():
        padded, image, whose = grid.frame(len(g[part]), rows)
        grid.add_back(_matmul(filters, grid.lines(g[part, :, rows])), padded, rows.stop - rows.start)
        dx[part][whose] += padded[image].swapaxes(0, 1)
    return dx


def convolution_weight(g, x, shape, **how):
    """The gradient of convolution for its weight of `shape`."""
    grid = _Grid(x.shape, shape, dtype=g.dtype, **how)
    dw = np.zeros((grid.groups, shape[0] // grid.groups, _prod(shape[1:])), g.dtype)
    turned = g.dtype == np.float32 and dw.shape[1] < dw.shape[2]  # BLAS is faster with the longer side in front
    for part, rows in grid.parts():
        lines, columns = grid.lines(g[part, :, rows]), grid.columns(x[part], rows)
        for run in _runs(dw[0].size, lines.shape[2]):
            a, b = lines[..., run], columns[..., run]
            dw += np.matmul(b, a.swapaxes(1, 2)).swapaxes(1, 2) if turned else np.matmul(a, b.swapaxes(1, 2))
    return dw.reshape(shape)


def _matmul(filters, columns):
    """The matrix product, a run of columns at a time."""
    lines = np.empty((*filters.shape[:2], columns.shape[2]), columns.dtype)
    for run in _runs(filters[0].size, columns.shape[2]):
        np.matmul(filters, columns[..., run], out=lines[..., run])
    return lines


def _runs(size, n):
    """Slices of n columns to multiply by a matrix of this size, so small that BLAS repacks none.

    That takes half the time where rows are few.
    """
    run = _SMALL // max(size, 1)
    return [slice(k, k + run) for k in range(0, n, run)] if run >= _LONG else [slice(n)]


def _filters(w, grid):
    return w.reshape(grid.groups, len(w) // grid.groups, _prod(w.shape[1:]))


def _reach(out, kernel, size, stride, padding, dilation, groups):
    """The padding with which a convolution of g gives the input's gradient, if one does; else None."""
    last = [d * (k - 1) for d, k in zip(dilation, kernel)]
    reach = tuple([e - p for e, p in zip(last, padding)])
    fits = [r >= 0 and n + 2 * r - e == m for n, r, e, m in zip(out, reach, last, size)]
    return reach if max(stride) == 1 and all(fits) else None


def _turned(w, groups):
    """The filters with the kernel reversed and input and output channels exchanged: (C, O / groups, *kernel)."""
    outputs, inputs, *kernel = w.shape
    w = np.flip(w, tuple(range(2, w.ndim))).reshape(groups, outputs // groups, inputs, *kernel).swapaxes(1, 2)
    return w.reshape(groups * inputs, outputs // groups, *kernel)
