"""NumPy's settings while an op runs: it does not warn, and how much it buffers."""
from __future__ import annotations

from contextvars import copy_context as _copy_context
from functools import partial as _partial

import numpy as np

_before = _copy_context()
with np.errstate(all="ignore"):
    _buffered = _copy_context().copy  # as `quiet`, with NumPy's own buffer
    # What a row meets that is repeated along it, NumPy first writes out for as many rows as its buffer holds. Without
    # room for two rows of 512 cells it reads wide rows where they lie, in half the time.
    np.setbufsize(1008)
    _after = _copy_context()
    quiet = _after.copy  # to run in a copy of this context is silent, for a tenth of np.errstate

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
    """ufunc.reduce(a, **how): of many cells with NumPy's own buffer, since it begins anew whenever its buffer is full.

    Example:
        >>> fold(np.add, np.ones((2, 3)), axis=1)
        array([3., 3.])
    """
    return ufunc.reduce(a, **how) if a.size < _MANY else _buffered().run(ufunc.reduce, a, **how)


_MANY = 1 << 13  # cells
