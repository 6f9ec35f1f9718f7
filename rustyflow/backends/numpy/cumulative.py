"""Running results along an axis. A 0-d array is its own."""
from __future__ import annotations

import numpy as np

from .runs import RUN as _RUN

_LINES, _APART = 512, 256  # lines, and bytes from one step to the next
_LONG = 256  # steps; a longer line is faster two at a time


def _running(function):
    """The running form of a ufunc along an axis.

    Floats are computed in float64, as in PyTorch: ten times 0.1 is 1.

    It takes some lines at a time, or some steps of all lines, whichever are close in memory, so that float64 costs
    little.
    """
    def run(a, dim, dtype=None, out=None):
        out = np.empty(a.shape, dtype or a.dtype) if out is None else out
        if a.ndim and a.size > _LINES * a.shape[dim] and max(abs(a.strides[dim]), abs(out.strides[dim])) >= _APART:
            return _step_by_step(function, a, dim, out)
        if not a.ndim or out.dtype.kind != "f" or out.itemsize == 8:
            return function.accumulate(a, axis=dim, dtype=dtype, out=out) if a.ndim else np.array(a, dtype=dtype)
        slow = max(range(a.ndim), key=lambda d: (a.shape[d] - 1) * a.strides[d]) if a.size > _RUN else dim
        if slow % a.ndim != dim % a.ndim and a.size <= _RUN * a.shape[slow]:
            rows, to = np.moveaxis(a, slow, 0), np.moveaxis(out, slow, 0)
            step, along = _RUN * len(rows) // a.size, dim % a.ndim + (dim % a.ndim < slow)
            for k in range(0, len(rows), step):
                to[k:k + step] = _in_float64(function, rows[k:k + step], along)
            return out
        lines, written, before = a.swapaxes(0, dim), out.swapaxes(0, dim), None
        steps = max(1, _RUN * len(lines) // max(1, a.size))
        for k in range(0, len(lines), steps):
            part = _in_float64(function, lines[k:k + steps], 0, before)
            written[k:k + steps], before = part, part[-1]
        return out
    return run


def _in_float64(function, a, dim, before=None):
    """Running results that continue from `before`; in long lines two steps at a time, because each step waits for the
    last.
    """
    part = a.astype(np.float64)
    lines = part.swapaxes(0, dim)
    if before is not None:
        lines[0] = function(lines[0], before)
    if len(lines) < _LONG or lines.strides[0] != lines.itemsize:
        return function.accumulate(part, axis=dim, out=part)
    even, odd = lines[:-1:2], lines[1::2]
    np.copyto(odd, function.accumulate(function(even, odd), axis=0))
    rest = lines[2::2]
    function(odd[:len(rest)], rest, out=rest)
    return part


def _step_by_step(function, a, dim, out):
    """Running results one step of all lines at a time.

    Faster than NumPy's line by line where lines are many and adjacent.
    """
    lines, to = a.swapaxes(0, dim), out.swapaxes(0, dim)
    to[0] = total = lines[0].astype(np.float64 if out.dtype.kind == "f" else out.dtype)
    for line, place in zip(lines[1:], to[1:]):
        place[...] = function(total, line, out=total, dtype=total.dtype, casting="unsafe")
    return out


cumsum, cumprod, logcumsumexp = map(_running, (np.add, np.multiply, np.logaddexp))


def cumsum_from_end(a, dim):
    """The sum of each cell and all after it."""
    out = a.copy() if not a.ndim else np.empty(a.shape, a.dtype)
    if a.ndim:
        cumsum(np.flip(a, dim), dim, out=np.flip(out, dim))
    return out


def shift(a, dim, by, fill):
    """Moved `by` places along dim, with `fill` where nothing came from."""
    out = np.full(a.shape, fill, a.dtype)
    if a.ndim and abs(by) < a.shape[dim]:
        to, out_of = (slice(by, None), slice(None, -by)) if by > 0 else (slice(None, by), slice(-by, None))
        lead = (slice(None),) * (dim % a.ndim)
        out[(*lead, to)] = a[(*lead, out_of)]
    return out


def cummax_places(a, dim):
    """The place of the largest cell up to each: the last of equal ones; NaN is the largest."""
    return _last_place(a, dim, np.maximum)


def cummin_places(a, dim):
    """The place of the smallest cell up to each; NaN is the smallest."""
    return _last_place(a, dim, np.minimum)


def _last_place(a, dim, extreme):
    if not a.ndim:
        return np.zeros((), np.int64)
    place = np.arange(a.shape[dim]).reshape([-1 if d == dim else 1 for d in range(a.ndim)])
    at = np.zeros(a.shape, place.dtype)
    np.copyto(at, place, where=(a == extreme.accumulate(a, dim)) | (a != a))
    return np.maximum.accumulate(at, dim, out=at)
