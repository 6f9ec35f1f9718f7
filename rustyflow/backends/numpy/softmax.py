"""Softmax and its logarithm along an axis; a 0-d array is one line of one number."""
from __future__ import annotations

import numpy as np

from .adding import add_up_of as _add_up_of
from .core import add_up as _add_up, in_order as _in_order
from .extreme import largest as _largest


def _below_top(x, dim, out=None):
    """x minus the largest number of its line: a fresh row-major array whose exponentials cannot overflow; or `out`."""
    top = _largest(x, dim)
    return _in_order(x - top) if out is None else np.subtract(x, top, out=out)


def softmax(x, dim, out=None):
    if not x.ndim:
        return softmax(x.reshape(1), 0).reshape(())
    y = _below_top(x, dim, out)
    np.exp(y, out=y)
    y /= _add_up(y, dim, True)
    return y


def softmax_input(g, y, dim):
    """The gradient of softmax: y * (g - sum(g * y))."""
    if not y.ndim:
        return softmax_input(g.reshape(1), y.reshape(1), 0).reshape(())
    if dim == y.ndim - 1:
        dx = g - np.vecdot(g, y)[..., None]
    else:
        dx = g - _add_up(g * y, dim, True)
    dx *= y
    return dx


def log_softmax(x, dim, out=None):
    if not x.ndim:
        return log_softmax(x.reshape(1), 0).reshape(())
    y = _below_top(x, dim, out)
    y -= np.log(_add_up_of(np.exp, y, dim, True))
    return y
