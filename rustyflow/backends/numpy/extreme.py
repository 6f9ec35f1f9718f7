"""The largest number of each line: NumPy's own reduction takes up to a hundred times as long along short lines."""
from __future__ import annotations

import numpy as np

from .runs import RUN as _RUN
from .settings import fold as _fold

_FEW, _SHORT = 512, 64  # cells, and numbers in a line


def largest(a, dim):
    """The largest cell along an axis, which is kept with size 1.

    It is NaN in a line with a NaN, -inf in an empty one.
    """
    n = a.shape[dim] if a.ndim else 1
    if a.size < _FEW or a.itemsize < 4 or not a.flags.c_contiguous or dim % a.ndim < a.ndim - 1:
        return _fold(np.maximum, a, axis=dim if a.ndim else None, keepdims=True, initial=-np.inf)
    cells, lines = a.reshape(-1), a.size // n
    if n < _SHORT:
        step = max(_RUN // n, 1)
        parts = [_of_short(cells[k * n:(k + step) * n], n) for k in range(0, lines, step)]
        tops = parts[0] if len(parts) == 1 else np.concatenate(parts)
    else:
        tops = cells[np.argmax(a.reshape(lines, n), axis=1) + np.arange(0, a.size, n)]
    return tops.reshape(*a.shape[:-1], 1)


def _of_short(cells, n):
    """The largest of each n cells, from the largest of 2, 4, 8 ... cells at every place.

    Each is a pass over all of memory.
    """
    run = 1
    while run < n:
        step = min(run, n - run)
        cells = np.maximum(cells[:-step], cells[step:])
        run += step
    return cells[::n]
