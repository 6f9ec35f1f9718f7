"""Softmax and its logarithm along an axis; a 0-d array is one line of one number."""
from __future__ import annotations

import numpy as np

from .adding import add_up_of as _add_up_of
from .cellwise import cellwise as _cellwise
from .core import add_up as _add_up, in_order as _in_order
from .extreme import largest as _largest
from .halves import by_single as _by_single


def _below_top(x, dim, out=None):
    """x minus the largest number of its line: a fresh row-major array whose exponentials cannot overflow; or `out`."""
    top = _largest(x, dim)
    return _in_order(x - top) if out is None else np.subtract(x, top, out=out)


@_by_single
def softmax(x, dim, out=None):
    if not x.ndim:
        return softmax(x.reshape(1), 0).reshape(())
    y = _below_top(x, dim, out)
    np.exp(y, out=y)
    y /= _add_up(y, dim, True)
    return y


@_by_single
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


@_by_single
def log_softmax(x, dim, out=None):
    if not x.ndim:
        return log_softmax(x.reshape(1), 0).reshape(())
    y = _below_top(x, dim, out)
    y -= np.log(_add_up_of(np.exp, y, dim, True))
    return y


@_by_single
def log_softmax_input(g, y, dim):
    """The gradient of log_softmax: g - exp(y) * sum(g)."""
    return _cellwise(lambda F, y, g, total: g - np.exp(y) * total, None, y, g, _add_up(g, dim, True))
