"""Convolution over any number of axes as matrix products over windows: no loop over pixels.

The windows of a few samples at a time are copied into columns, so that memory does not grow with the batch or with
the kernel. With stride 1 a window is a run of the padded image as one line, and the copy is of long runs; what then
stands between two rows of the result is left out at the end.
"""
from __future__ import annotations

from itertools import product as _product
from math import prod as _prod

import numpy as np

_AT_ONCE = 1 << 21  # bytes of columns
_SMALL, _LONG = 1_000_000, 512  # multiplications of a product that BLAS takes as it is, and columns worth one


class _Grid:
    """How windows lie in the padded image: `pitch` is the steps of a result's axes in a column, `line` its length."""

    def __init__(self, shape, kernel, stride, padding, dilation, groups, dtype):
        n, channels, *size = shape
        self.n, self.channels, self.size, self.groups = n, channels, size, groups
        self.kernel, self.stride, self.padding, self.dilation = kernel, stride, padding, dilation
        self.padded = [m + 2 * p for m, p in zip(size, padding)]
        self.out = tuple([(m - d * (k - 1) - 1) // s + 1 for m, k, s, d in zip(self.padded, kernel, stride, dilation)])
        self.item, self.cells, self.runs = dtype.itemsize, _prod(kernel), max(stride) == 1
        self.steps = [_prod(self.padded[d + 1:]) for d in range(len(size))]
        self.pitch = self.steps if self.runs else [_prod(self.out[d + 1:]) for d in range(len(size))]
        self.line = 1 + sum([(o - 1) * p for o, p in zip(self.out, self.pitch)]) if 0 not in self.out else 0
        self.at_once = max(1, _AT_ONCE // max(1, self.item * channels * self.cells * self.line))

    def parts(self):
        """Samples that are computed together."""
        return [slice(k, k + self.at_once) for k in range(0, self.n, self.at_once)]

    def pad(self, x):
        """The image in its frame of zeros, channels first: (channels, n, *padded)."""
        padded = np.zeros((self.channels, len(x), *self.padded), x.dtype)
        padded[self.inside] = x.swapaxes(0, 1)
        return padded

    @property
    def inside(self):
        """The image without its frame."""
        return (slice(None), slice(None), *[slice(p, p + m) for p, m in zip(self.padding, self.size)])

    def columns(self, padded):
        """(groups, channels / groups * kernel, n * line): the windows of a framed image."""
        last = (self.line,) if self.runs else self.out
        steps = (1,) if self.runs else [step * s for step, s in zip(self.steps, self.stride)]
        lead = [step * d for step, d in zip(self.steps, self.dilation)]
        channel, sample, *_ = padded.strides
        strides = (channel, *[self.item * s for s in lead], sample, *[self.item * s for s in steps])
        windows = np.ndarray((self.channels, *self.kernel, padded.shape[1], *last), padded.dtype, padded, 0, strides)
        return windows.reshape(self.groups, self.channels // self.groups * self.cells, padded.shape[1] * self.line)

    def result(self, lines):
        """The result's cells (n, channels, *out) in (channels, n, line): a view without what stands between rows."""
        strides = lines.strides[1::-1] + tuple([self.item * p for p in self.pitch])
        return np.ndarray((*lines.shape[1::-1], *self.out), lines.dtype, lines, 0, strides)

    def lines(self, g):
        """(groups, channels / groups, n * line) with g in the result's cells and 0 between rows."""
        full = self.line == _prod(self.out)
        spread = (np.empty if full else np.zeros)((g.shape[1], len(g), self.line), g.dtype)
        self.result(spread)[...] = g
        return spread.reshape(self.groups, g.shape[1] // self.groups, len(g) * self.line)

    def add_back(self, columns, padded):
        """The dual of `columns`: add every window's share to the framed image, one kernel position at a time."""
        columns = columns.reshape(self.channels, self.cells, padded.shape[1], self.line)
        flat = padded.reshape(*padded.shape[:2], _prod(self.padded))
        for k, at in enumerate(_product(*map(range, self.kernel))):
            first = [i * d for i, d in zip(at, self.dilation)]
            if self.runs:
                start = sum([f * step for f, step in zip(first, self.steps)])
                flat[:, :, start:start + self.line] += columns[:, k]
            else:
                inside = [slice(f, f + s * (o - 1) + 1, s) for f, s, o in zip(first, self.stride, self.out)]
                padded[(slice(None), slice(None), *inside)] += columns[:, k].reshape(*padded.shape[:2], *self.out)


def convolution(x, w, bias, **how):
    """(N, C, *size), (O, C / groups, *kernel) -> (N, O, *out)."""
    grid = _Grid(x.shape, w.shape[2:], dtype=x.dtype, **how)
    y = np.empty((len(x), len(w), *grid.out), x.dtype)
    filters = _filters(w, grid)
    for part in grid.parts():
        lines = _matmul(filters, grid.columns(grid.pad(x[part])))
        if bias is not None:
            lines += bias.reshape(grid.groups, -1, 1)
        y[part] = grid.result(lines.reshape(len(w), len(x[part]), grid.line))
    return y


def convolved(x, w, **how):
    """The convolution without a bias."""
    return convolution(x, w, None, **how)


def convolution_input(g, w, shape, **how):
    """The gradient of convolution for its input of `shape`."""
    if len(w) <= shape[1] and (reach := _reach(g.shape[2:], w.shape[2:], shape[2:], **how)):
        return convolution(g, _turned(w, how["groups"]), None, **how | {"padding": reach})
    grid = _Grid(shape, w.shape[2:], dtype=g.dtype, **how)
    dx = np.empty(shape, g.dtype)
    filters = _filters(w, grid).swapaxes(1, 2)
    for part in grid.parts():
        padded = np.zeros((grid.channels, len(g[part]), *grid.padded), g.dtype)
        grid.add_back(_matmul(filters, grid.lines(g[part])), padded)
        dx[part] = padded[grid.inside].swapaxes(0, 1)
    return dx


def convolution_weight(g, x, shape, **how):
    """The gradient of convolution for its weight of `shape`."""
    grid = _Grid(x.shape, shape[2:], dtype=g.dtype, **how)
    dw = np.zeros((grid.groups, shape[0] // grid.groups, _prod(shape[1:])), g.dtype)
    for part in grid.parts():
        lines, columns = grid.lines(g[part]), grid.columns(grid.pad(x[part]))
        for run in _runs(dw[0].size, lines.shape[2]):
            dw += np.matmul(lines[..., run], columns[..., run].swapaxes(1, 2))
    return dw.reshape(shape)


def _matmul(filters, columns):
    """The matrix product, a run of columns at a time."""
    lines = np.empty((*filters.shape[:2], columns.shape[2]), columns.dtype)
    for run in _runs(filters[0].size, columns.shape[2]):
        np.matmul(filters, columns[..., run], out=lines[..., run])
    return lines


def _runs(size, n):
    """Slices of n columns that meet a matrix of this size: products that are small enough for BLAS not to repack what
    it multiplies, which takes half the time where rows are few.
    """
    run = _SMALL // max(size, 1)
    return [slice(k, k + run) for k in range(0, n, run)] if run >= _LONG else [slice(n)]


def _filters(w, grid):
    return w.reshape(grid.groups, len(w) // grid.groups, _prod(w.shape[1:]))


def _reach(out, kernel, size, stride, padding, dilation, groups):
    """The padding with which a convolution of g has this size, which moves less memory if g has the fewer channels."""
    last = [d * (k - 1) for d, k in zip(dilation, kernel)]
    reach = tuple([e - p for e, p in zip(last, padding)])
    fits = [r >= 0 and n + 2 * r - e == m for n, r, e, m in zip(out, reach, last, size)]
    return reach if max(stride) == 1 and all(fits) else None


def _turned(w, groups):
    """The filters with both ends and both kinds of channels exchanged: (C, O / groups, *kernel)."""
    outputs, inputs, *kernel = w.shape
    w = np.flip(w, tuple(range(2, w.ndim))).reshape(groups, outputs // groups, inputs, *kernel).swapaxes(1, 2)
    return w.reshape(groups * inputs, outputs // groups, *kernel)
