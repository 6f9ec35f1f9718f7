"""Long arrays a run of cells at a time, so that what is made on the way stays in the cache and costs little memory."""
from __future__ import annotations

from functools import wraps as _wraps

import numpy as np

RUN = 1 << 16  # cells


def by_runs(function, length=RUN):
    """A function of every cell for itself that takes several passes: long dense arrays of one layout go in runs.

    Its first argument is an array; others are arrays or numbers. Cells lie as in the first one.

    Example:
        >>> by_runs(lambda a, b: a + b)(np.ones(3), 2)
        array([3., 3., 3.])
    """
    @_wraps(function)
    def run_by_run(a, *others):
        if a.size <= length or not a.flags.forc:
            return function(a, *others)
        long = [isinstance(b, np.ndarray) and b.ndim > 0 for b in others]
        if any([is_long and (b.shape, b.strides) != (a.shape, a.strides) for b, is_long in zip(others, long)]):
            return function(a, *others)
        cells, rest = a.ravel("K"), [b.ravel("K") if is_long else b for b, is_long in zip(others, long)]
        out = None
        for k in range(0, a.size, length):
            run = slice(k, k + length)
            part = function(cells[run], *[b[run] if is_long else b for b, is_long in zip(rest, long)])
            out = np.empty_like(a, part.dtype) if out is None else out
            out.ravel("K")[run] = part
        return out
    return run_by_run
