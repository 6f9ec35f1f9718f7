"""Axes of another size: a cell is the mean of a stretch of them, or some of them with weights."""

from __future__ import annotations

from . import reduce
from .array import empty
from .indexed import index_add, index_select
from .memory import filled
from .product import matmul


def stretch_means(x, sizes):
    """The means over sizes[k] stretches of each last axis, which cover it and are as equal as they can be."""
    for d, out in enumerate(sizes, x.ndim - len(sizes)):
        lines, x = x.swapaxes(d, 0), empty((*x.shape[:d], out, *x.shape[d + 1 :]), x.dtype)
        for k, (first, last) in enumerate(_stretches(out, len(lines))):
            x.swapaxes(d, 0)[k] = reduce.sum(lines[first:last], 0) / (last - first)
    return x


def stretch_means_input(g, sizes):
    """The dual of `stretch_means`, for an input whose last axes have these sizes."""
    for d, n in enumerate(sizes, g.ndim - len(sizes)):
        lines = g.swapaxes(d, -1)
        g = matmul(lines, _shares(lines.shape[-1], n, g.dtype)).swapaxes(d, -1)
    return g


def _shares(out, n, dtype):
    """The (out, n) matrix that says what part of each mean every cell is."""
    matrix = filled((out, n), 0, dtype)
    for row, (first, last) in enumerate(_stretches(out, n)):
        matrix[row, first:last] = 1 / max(last - first, 1)
    return matrix


def _stretches(out, n):
    return [(row * n // out, -(-(row + 1) * n // out)) for row in range(out)]


def weighed(a, dim, cells, weights):
    """The sum over k of the cells at cells[k] along dim, times weights[k]."""
    return sum([index_select(a, dim, cells[k]) * _column(weights[k], a, dim) for k in range(cells.shape[0])], start=0.0)


def weighed_zeros(g, n, dim, cells, weights):
    """The dual of `weighed`: n zeros along dim to which g is added at cells[k], times weights[k]."""
    y = filled((*g.shape[:dim], n, *g.shape[dim + 1 :]), 0, g.dtype)
    for k in range(cells.shape[0]):
        index_add(y, dim, cells[k], g * _column(weights[k], g, dim))
    return y


def _column(weight, a, dim):
    return weight.reshape(-1, *(1,) * (a.ndim - dim - 1))
