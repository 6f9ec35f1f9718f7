"""NumPy's settings while an op runs: no warnings, a ufunc buffer of a chosen size, no walk without end."""
from __future__ import annotations

from contextvars import copy_context as _copy_context
from functools import partial as _partial

import numpy as np

_before = _copy_context()
with np.errstate(all="ignore"):
    _buffered = _copy_context().copy  # as `quiet`, but with NumPy's own buffer size
    # NumPy copies a row-broadcast operand into its ufunc buffer, as many rows as fit; a buffer too small for two rows
    # of 512 makes it read wide rows in place, in half the time.
    np.setbufsize(1008)
    _after = _copy_context()
    quiet = _after.copy  # running in a copy of this context is silent, at a tenth of the cost of np.errstate

_changed = [(variable, value) for variable, value in _after.items() if _before.get(variable) is not value]
_settings, _own = _changed[0] if _changed else (None, None)  # the variable in which NumPy keeps its settings


class silent:
    """A context manager in which arithmetic does not warn; np.errstate, which would also do, takes twice the time."""

    def __enter__(self):
        self.token = _settings.set(_own)

    def __exit__(self, *exc):
        _settings.reset(self.token)


if _settings is None:  # a NumPy that keeps them elsewhere
    silent = _partial(np.errstate, all="ignore")  # type: ignore[misc]


def fold(ufunc, a, **how):
    """ufunc.reduce(a, **how); many cells use NumPy's own buffer, as a reduction restarts when its buffer is full.

    Example:
        >>> fold(np.add, np.ones((2, 3)), axis=1)
        array([3., 3.])
    """
    return ufunc.reduce(a, **how) if a.size < _MANY else _buffered().run(ufunc.reduce, visited(a), **how)


def visited(a):
    """An array whose every cell is about to be read.

    One of more cells than memory has bytes repeats a few.

    Such a walk takes hours, and nothing can interrupt NumPy on it.
    Raises:
        MemoryError.

    Example:
        >>> visited(np.ones(2)), visited(np.broadcast_to(1, 2 ** 50)) is None
        Traceback (most recent call last):
        MemoryError: 1125899906842624 cells to read, which repeat a memory of far fewer
    """
    if a.size > _VAST:
        try:
            np.empty(a.size, np.uint8)  # asked for, never touched
        except MemoryError:
            raise MemoryError(f"{a.size} cells to read, which repeat a memory of far fewer") from None
    return a


_MANY, _VAST = 1 << 13, 1 << 30  # cells
