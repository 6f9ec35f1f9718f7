"""Long arrays a run of cells at a time.

So what is made on the way stays in the cache and costs little memory.
"""
from __future__ import annotations

from functools import wraps as _wraps

import numpy as np

RUN = 1 << 16  # cells that are worked on at a time, so that they stay in the cache


def by_runs(function, length=RUN):
    """An elementwise function of several passes, a run of cells at a time.

    It takes long dense arrays of one layout so.

    Its first argument is an array; others are arrays or numbers. The result has the strides of the first.

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


def by_lines(function, length=RUN):
    """A function of the lines along an axis, some lines at a time.

    It is (a, dim, ...) -> arrays with all of its axes.

    Example:
        >>> by_lines(lambda a, dim: (a.sum(dim, keepdims=True),))(np.ones((2, 3)), 1)
        (array([[3.],
               [3.]]),)
    """
    @_wraps(function)
    def some_at_a_time(a, dim, *how):
        others = [(n, d) for d, n in enumerate(a.shape) if d != dim % a.ndim]
        if a.size <= length or not others:
            return function(a, dim, *how)
        n, d = max(others)
        return in_parts(lambda part: function(part, dim, *how), a, d, max(length * n // a.size, 1))
    return some_at_a_time


def in_parts(function, a, d, step, *others):
    """The arrays that a function makes of `a`, computed `step` places at a time.

    Each is as long as `a` along axis d.

    Other arguments are arrays that are as long along axis d.

    Example:
        >>> in_parts(lambda part: (part + 1, part.shape), np.zeros(3), 0, 3)
        (array([1., 1., 1.]), (3,))
    """
    n, out = a.shape[d] if a.ndim else 1, []
    if n <= step:
        return function(a, *others)

    def work(run):
        parts = function(a[run], *[b[run] for b in others])
        if not out:
            out.extend([np.empty((*part.shape[:d], n, *part.shape[d + 1:]), part.dtype) for part in parts])
        for whole, part in zip(out, parts):
            whole[run] = part

    for k in range(0, n, step):
        work((*(slice(None),) * d, slice(k, k + step)))
    return tuple(out)
