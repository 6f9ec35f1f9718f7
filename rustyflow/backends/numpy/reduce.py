"""Reductions along dims, row-major whatever their operand is.

`dim` is None (everything), an int or a tuple of ints; `shape` arguments are tuples.
"""
from __future__ import annotations

from math import prod as _prod

import numpy as np

from .adding import PART as _PART, add_up as _add_up, add_up_of
from .along import along as _along
from .core import in_order as _in_order
from .halves import single as _single
from .runs import RUN as _RUN, by_lines as _by_lines
from .settings import fold as _fold, visited as _visited


def _count(a, dim):
    return a.size if dim is None else _prod([a.shape[d] for d in dim]) if isinstance(dim, tuple) else a.shape[dim]


def _line(a, dim):
    """A 0-d array has one axis as far as a dim is concerned."""
    return dim if a.ndim else None


def sum(a, dim=None, keepdim=False, dtype=None):
    return _in_order(_add_up(a, dim, keepdim, dtype))


def prod(a, dim=None, keepdim=False, dtype=None):
    if a.dtype == np.float16 and dtype is None:
        return _in_order(add_up_of(_single, a, dim, keepdim, reduce=prod).astype(a.dtype))
    return _in_order(_fold(np.multiply, a, axis=_line(a, dim), keepdims=keepdim, dtype=dtype))


def mean(a, dim=None, keepdim=False):
    return _in_order(_mean(a, dim, keepdim).astype(a.dtype, copy=False))


def _mean(a, dim, keepdim):
    """The mean; that of float16 is a float32."""
    total = _add_up(a, dim, keepdim) if a.itemsize > 2 else add_up_of(_single, a, dim, keepdim)
    return total / total.dtype.type(_count(a, dim))


def var(a, dim, keepdim, correction):
    return _in_order(_var(a, dim, keepdim, correction).astype(a.dtype, copy=False))


def std(a, dim, keepdim, correction):
    return _in_order(np.sqrt(_var(a, dim, keepdim, correction)).astype(a.dtype, copy=False))


def _var(a, dim, keepdim, correction):
    if a.size <= _PART:
        a = _single(a)  # widened once, as that is slow; a large array is widened twice, part by part
    n = _count(a, dim)
    squares, equal = _squares_apart(a, dim, n, _mean(a, dim, True))
    if a.itemsize <= 4 and n and not (good := equal | (squares > _LOST) & (squares < np.inf)).all():
        squares = np.where(good, squares, _squares_apart(a, dim, n, _add_up(a, dim, True, np.float64) / n)[0])
    return (squares if keepdim else squares.squeeze(dim)) / squares.dtype.type(max(n - correction, 0) if n else 0)


_LOST = 1e-31
"""Below this the cells of a sum of squares may have been too small for all digits of a float32."""


def _squares_apart(a, dim, n, mean):
    """The sum of the squares of the differences from the mean, in its dtype, and where all cells are equal."""
    squares = np.asarray(add_up_of(square_apart, a, dim, True, mean))
    equal = squares <= n * np.square(4 * np.finfo(mean.dtype).eps * mean)
    if equal.any():  # the mean of equal cells may be rounded
        equal &= np.maximum.reduce(a, dim, keepdims=True) == np.minimum.reduce(a, dim, keepdims=True)
        squares[equal] = 0
    return squares, equal


def square_apart(a, b):
    """The square of the difference, in the dtype of b."""
    apart = np.asarray(a.astype(b.dtype, copy=False) - b)
    return np.square(apart, out=apart)


def amax(a, dim=None, keepdim=False):
    return _in_order(_fold(np.maximum, a, axis=dim, keepdims=keepdim))


def amin(a, dim=None, keepdim=False):
    return _in_order(_fold(np.minimum, a, axis=dim, keepdims=keepdim))


def any(a, dim=None, keepdim=False):
    return _truth(a, _fold(np.logical_or, a, axis=dim, keepdims=keepdim))


def all(a, dim=None, keepdim=False):
    return _truth(a, _fold(np.logical_and, a, axis=dim, keepdims=keepdim))


def _truth(a, answer):
    answer = _in_order(answer)
    return answer.astype(np.uint8) if a.dtype.char == "B" else answer


def count_nonzero(a, dim=None):
    return np.count_nonzero(_visited(a), dim)


def logsumexp(a, dim, keepdim):
    top = _fold(np.maximum, a, axis=dim, keepdims=True, initial=-np.inf)
    top = np.where(np.isinf(top), 0, top)
    y = np.asarray(a - top)
    y = np.log(_add_up(np.exp(y, out=y), dim, True)) + top
    return _in_order(y if keepdim else np.squeeze(y, axis=dim))


def restore(g, dim, keepdim, ndim):
    """Give a reduced array its lost axes back as axes of size 1, ready to broadcast (as one number is)."""
    if keepdim or dim is None or not ndim:
        return g
    lost = [d % ndim for d in dim] if dim.__class__ is tuple else (dim % ndim,)
    return g[tuple([None if d in lost else slice(None) for d in range(ndim)])]


# Which cell: NumPy's answers, on 0-d arrays too

def argmax(a, dim=None, keepdim=False):
    return _place(np.argmax, a, dim, keepdim)


def argmin(a, dim=None, keepdim=False):
    return _place(np.argmin, a, dim, keepdim)


def _place(find, a, dim, keepdim):
    """find(a) along dim; some lines at a time, because NumPy copies lines that are not contiguous."""
    if dim is None or a.size <= _RUN or a.strides[dim] == a.itemsize:
        return find(a, axis=_line(a, dim), keepdims=keepdim)
    at, = _by_lines(lambda part, dim: (find(part, axis=dim, keepdims=True),))(a, dim)
    return at if keepdim else at.squeeze(dim)


def max_dim(a, dim, keepdim):
    return _values_at(a, dim, keepdim, argmax(a, dim, True))


def min_dim(a, dim, keepdim):
    return _values_at(a, dim, keepdim, argmin(a, dim, True))


def median_dim(a, dim, keepdim):
    return _values_at(a, dim, keepdim, *_middle(a, dim)) if a.ndim else (a.copy(), np.zeros((), np.int64))


def nanmedian_dim(a, dim, keepdim):
    return _values_at(a, dim, keepdim, *_known_middle(a, dim)) if a.ndim else (a.copy(), np.zeros((), np.int64))


def kth_dim(a, dim, keepdim, k):
    """The k-th cell of each line in order, from 0 on, and where it is."""
    return _values_at(a, dim, keepdim, *_ranked(a, dim, k)) if a.ndim else (a.copy(), np.zeros((), np.int64))


@_by_lines
def _ranked(a, dim, k):
    """The place of the k-th cell of each line in order; NaN comes last, equal cells keep order."""
    value = np.take(np.partition(a, k, axis=dim), [k], axis=dim)
    equal, lost = a == value, value != value
    if lost.any():
        np.copyto(equal, a != a, where=lost)
    if equal.sum(axis=dim).max(initial=0) > 1:
        less = np.where(lost, a == a, a < value).sum(axis=dim, keepdims=True)
        equal = equal.cumsum(axis=dim) > k - less
    return equal.argmax(axis=dim, keepdims=True),


@_by_lines
def _middle(a, dim):
    """The place of the middle cell of each line, or of its first NaN."""
    at, = _ranked(a, dim, (a.shape[dim] - 1) // 2)
    if a.dtype.kind == "f" and (lost := np.isnan(a)).any():
        at = np.where(lost.any(axis=dim, keepdims=True), np.argmax(lost, axis=dim, keepdims=True), at)
    return at,


@_by_lines
def _known_middle(a, dim):
    """The place of the middle one of the cells that are not NaN; NumPy sorts NaN last."""
    known = np.add.reduce(a == a, axis=dim, keepdims=True)
    return _along(np.argsort(a, dim, kind="stable"), np.maximum(known - 1, 0) // 2, dim),


def _values_at(a, dim, keepdim, at):
    values = _along(a, at, dim) if a.ndim else a.copy()
    return (values, at) if keepdim or not a.ndim else (values.squeeze(dim), at.squeeze(dim))


def median(a):
    """The lower of two middle cells; NaN where there is one, or no cell at all."""
    if not a.size or a.dtype.kind == "f" and np.isnan(a).any():
        return np.array(np.nan).astype(a.dtype)
    return _middle_of(a.flatten())


def _middle_of(cells):
    """The middle one of a 1-d array, which is reordered."""
    middle = (cells.size - 1) // 2
    cells.partition(middle)
    return cells[middle]


def nanmedian(a):
    """The lower of two middle ones of the cells that are numbers; NaN where none is."""
    known = a == a
    return median(a) if known.all() or not known.any() else _middle_of(a[known])
