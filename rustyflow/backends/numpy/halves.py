"""float16 by way of float32, as PyTorch computes it: a sum of squares soon exceeds float16's largest number, 65504."""
from __future__ import annotations

from functools import wraps as _wraps

import numpy as np

from .core import cast as _cast
from .runs import by_runs as _by_runs
from .settings import visited as _visited


def by_single(function):
    """The function with float16 arrays passed as float32 and results cast back to float16, if its first array is
    float16.

    Example:
        >>> by_single(lambda a: np.sqrt((a * a).sum()))(np.full(3, 300, np.float16))
        np.float16(519.5)
    """
    @_wraps(function)
    def wide(a, *others, **how):
        if a.dtype != np.float16:
            return function(a, *others, **how)
        out = function(*[single(b) for b in (a, *others)], **how)
        if isinstance(out, (tuple, list)):
            return type(out)([_as(np.float16, np.float32, y) for y in out])
        return _as(np.float16, np.float32, out)
    return wide


def cells_by_single(function):
    """`by_single` for an elementwise function, which takes a long array a run of cells at a time."""
    by_runs = _by_runs(by_single(function))

    @_wraps(function)
    def wide(a, *others):
        return (by_runs if a.dtype == np.float16 else function)(a, *others)
    return wide


ROWS = 384  # rows at a time: with fewer, BLAS would repack the right matrix too often


def product(a, b, out=None):
    """np.matmul(a, b, out), row-major; float16 goes by way of float32, because BLAS lacks it."""
    if a.dtype != np.float16:
        return np.matmul(_visited(a), _visited(b), out, order="C")
    b = single(b)
    if a.ndim != 2 or b.ndim > 2 or len(a) <= ROWS:
        y = np.matmul(single(a), b)
        return np.asarray(y, a.dtype, order="C") if out is None else _written(out, y)
    out = np.empty(a.shape[:1] + b.shape[1:], a.dtype) if out is None else out
    for k in range(0, len(a), ROWS):
        _written(out[k:k + ROWS], np.matmul(single(a[k:k + ROWS]), b))
    return out


def _written(out, y):
    out[...] = y
    return out


def single(a):
    """A float16 array as float32; anything else as it is."""
    return _as(np.float32, np.float16, a)


def _as(dtype, given, a):
    return _cast(a, np.dtype(dtype)) if getattr(a, "dtype", None) == given else a
