"""Sums as accurate as PyTorch's, at the speed of memory where BLAS can add."""
from __future__ import annotations

from functools import lru_cache as _lru_cache
from math import prod as _prod

import numpy as np

from .settings import fold as _fold, visited as _visited

_SHORT, _WIDE, _ROW = 128, 4096, 1024  # numbers added in one round: across memory, along it, in longer lines
PART = 1 << 18  # values held at a time
_MANY, _FEW = 1 << 14, 256  # least cells, in all and per product, for which a product with ones pays


def add_up(a, dim=None, keepdim=False, dtype=None):
    """The sum over axes: float16 is added in float32, a long axis in rounds, a repeated number as a product.

    NumPy adds pairwise only along memory; across it, it adds one number after another and rounds a growing sum each
    time.
    """
    to = a.dtype if dtype is None else np.dtype(dtype)
    if to.kind == "f" and to != a.dtype:
        return add_up_of(lambda part: part.astype(to), a, dim, keepdim)
    if to.kind != "f" or a.dtype.kind != "f":
        return _fold(np.add, a, axis=dim, keepdims=keepdim, dtype=dtype)
    if a.itemsize == 2:
        return add_up_of(lambda part: part.astype(np.float32), a, dim, keepdim).astype(a.dtype)
    if (given := a.size) > _SHORT:
        if dim is None and a.flags.forc and not keepdim:
            a = a.ravel("K")
        axes = range(a.ndim) if dim is None else dim if isinstance(dim, tuple) else (dim,)
        if a.flags.fnc:
            return add_up(a.T, tuple([~d for d in axes]), keepdim).T
        for d in axes:
            d %= a.ndim
            if not a.strides[d]:
                a = a[(slice(None),) * d + (slice(1),)] * a.dtype.type(a.shape[d])
            while 1 < a.shape[d] and (a.shape[d] > _SHORT or a.size >= _MANY) and _needs_round(a, d):
                a = _round(a, d)
        if keepdim and a.size < given and all([a.shape[d] == 1 for d in axes]):
            return a
    return _fold(np.add, a, axis=dim, keepdims=keepdim)


def add_up_of(function, a, dim=None, keepdim=False, *others, reduce=add_up):
    """The sum over axes of an elementwise function(a, *others), without an array of all its values.

    Others broadcast to `a`: they are numbers, or arrays with all its axes. `reduce` may be another fold, if it may take
    cells in any order.

    Example:
        >>> add_up_of(np.square, np.ones((2, 3)), 1)
        array([3., 3.])
    """
    if a.size <= PART:
        return reduce(function(a, *others), dim, keepdim)
    a = _visited(a)
    axes = [d % a.ndim for d in (range(a.ndim) if dim is None else dim if isinstance(dim, tuple) else (dim,))]
    if a.flags.fnc:
        turned = [np.transpose(b) for b in others]
        return add_up_of(function, a.T, tuple([~d for d in axes]), keepdim, *turned, reduce=reduce).T
    if len(axes) == a.ndim > 1 and a.flags.forc:
        y = add_up_of(function, a.ravel("K"), 0, False, *[np.reshape(b, ()) for b in others], reduce=reduce)
        return np.reshape(y, (1,) * a.ndim) if keepdim else y
    if axes == [0] and reduce is add_up and (rows := _rows_for_blas(a)):
        y = _add_up_rows(function, a, others, rows)
        return y if keepdim else y[0]
    d = max(range(a.ndim), key=lambda d: (a.shape[d] - 1) * a.strides[d])  # each part is then close together in memory
    step, parts = max(PART * a.shape[d] // a.size, 1), []
    step -= step % _SHORT if step > _SHORT else 0  # then `add_up` has whole rounds
    for k in range(0, a.shape[d], step):
        run = *(slice(None),) * d, slice(k, k + step)
        near = [b[run] if np.ndim(b) and b.shape[d] > 1 else b for b in others]
        parts.append(reduce(function(a[run], *near), dim, True))
    y = np.concatenate(parts, d)
    y = reduce(y, d, True) if d in axes else y
    return y if keepdim else y.squeeze(tuple(axes))


def _rows_for_blas(a):
    """The number of rows to hold at a time if products with ones pay, else 0.

    Rows may be neither too short nor so long that only few make a part.
    """
    rows = min(PART * len(a) // a.size, _SHORT)
    return rows if a.flags.c_contiguous and a.size >= _FEW * len(a) and rows >= _SHORT // 4 else 0


def _add_up_rows(function, a, others, rows):
    """The sum of the function's values over the rows of a row-major array, by BLAS, `rows` at a time."""
    y = None
    for k in range(0, len(a), rows):
        run = slice(k, k + rows)
        values = function(a[run], *[b[run] if np.ndim(b) and len(b) > 1 else b for b in others])
        if y is None:
            y = np.empty((-(-len(a) // rows), values[0].size), values.dtype)
        np.matmul(_ones(len(values), y.dtype), values.reshape(len(values), -1), out=y[k // rows])
    return add_up(y, 0, True).reshape(1, *a.shape[1:])


def add_up_products(a, b, d, keepdim=False):
    """The sum of a * b, of one shape, along an axis, without an array of all products."""
    n, steps = a.shape[d], [x.strides[d] // x.itemsize for x in (a, b)]
    if steps == [1, 1] and n >= _SHORT:
        y = np.vecdot(a, b, axis=d)
    elif min(steps) >= _SHORT:
        lines = [np.moveaxis(x, d, 0) for x in (a, b)]
        rounds = [[x[k:k + _SHORT] for x in lines] for k in range(0, n, _SHORT)]
        y = add_up(np.array([np.einsum("i...,i...->...", *parts) for parts in rounds]), 0)
    else:
        return add_up_of(np.multiply, a, d, keepdim, b)
    return np.expand_dims(y, d) if keepdim else y


def _needs_round(a, d):
    """True if a plain sum along axis d would lose digits, or be slow: short axes after it."""
    if a.shape[d] > _SHORT and not _is_along(a, d):
        return True
    return _prod(a.shape[d + 1:]) < _SHORT and _is_for_blas(a, d)


def _is_along(a, d):
    return a.strides[d] == a.itemsize and 0 not in a.strides[d:]


def _is_for_blas(a, d):
    enough = a.size >= _MANY and (_is_along(a, d) or _prod(a.shape[d:]) >= _FEW)
    return enough and a.strides[-1] == a.itemsize and 0 not in a.strides


def _round(a, d):
    """`a` with axis d reduced to the sums of runs along it; to one sum if the axis is short."""
    n, along, before, after = a.shape[d], _is_along(a, d), a.shape[:d], a.shape[d + 1:]
    if n <= (_WIDE if along else _SHORT):
        return _added(a, d).reshape(*before, 1, *after)
    run = _ROW if along else _SHORT
    few = -(-n // run)
    run = run if n % few else n // few  # a little shorter where no cells are then left over
    many, left = divmod(n, run)
    whole = a[(slice(None),) * d + (slice(n - left),)] if left else a
    runs = _added(whole.reshape(*before, many, run, *after), d + 1).reshape(*before, many, *after)
    if not left:
        return runs
    rest = _added(a[(slice(None),) * d + (slice(n - left, None),)], d).reshape(*before, 1, *after)
    return np.concatenate((runs, rest), d)


def _added(a, d):
    """The sums over one axis, by BLAS as a product with ones; the caller reshapes them.

    In one call or one per line.
    """
    if not _is_for_blas(a, d):
        return _fold(np.add, a, axis=d)
    n, lead = a.shape[d], a.shape[:d + 1]
    if not _is_along(a, d):
        return np.matmul(_ones(n, a.dtype), a.reshape(*lead, -1))
    if n > _SHORT:
        return np.vecdot(a.reshape(lead), _ones(n, a.dtype))
    return np.matmul(a.reshape(-1, n), _ones(n, a.dtype))


@_lru_cache(8)
def _ones(n, dtype):
    return np.ones(n, dtype)
