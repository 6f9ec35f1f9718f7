"""Softmax and its logarithm along an axis; a 0-d array is one line of one number."""
from __future__ import annotations

from functools import wraps as _wraps

import numpy as np

from .adding import add_up as _add_up, add_up_of as _add_up_of
from .cellwise import cellwise as _cellwise
from .core import in_order as _in_order
from .extreme import largest as _largest
from .halves import by_single as _by_single
from .runs import RUN as _RUN, in_parts as _in_parts


def _lines_by_single(function):
    """`by_single` for a function of the lines along an axis, (arrays ..., dim): of float16 some lines at a time."""
    wide = _by_single(function)

    @_wraps(function)
    def some_at_a_time(a, *given):
        if a.dtype != np.float16:
            return function(a, *given)
        others, dim = [b for b in given[:-1] if isinstance(b, np.ndarray)], given[-1]
        if a.size <= _RUN or len(others) + 1 != len(given) or a.size == a.shape[dim]:
            return wide(a, *given)
        n, d = max([(n, d) for d, n in enumerate(a.shape) if d != dim % a.ndim])
        return _in_parts(lambda *parts: (wide(*parts, dim),), a, d, max(2 * _RUN * n // a.size, 1), *others)[0]
    return some_at_a_time


def _below_top(x, dim):
    """x minus the largest number of its line: a fresh row-major array whose exponentials cannot overflow."""
    return _in_order(x - _largest(x, dim))


@_lines_by_single
def softmax(x, dim):
    if not x.ndim:
        return softmax(x.reshape(1), 0).reshape(())
    y = _below_top(x, dim)
    np.exp(y, out=y)
    y /= _add_up(y, dim, True)
    return y


@_lines_by_single
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


@_lines_by_single
def log_softmax(x, dim):
    if not x.ndim:
        return log_softmax(x.reshape(1), 0).reshape(())
    y = _below_top(x, dim)
    y -= np.log(_add_up_of(np.exp, y, dim, True))
    return y


@_lines_by_single
def log_softmax_input(g, y, dim):
    """The gradient of log_softmax: g - exp(y) * sum(g)."""
    return _cellwise(lambda F, y, g, total: g - np.exp(y) * total, None, y, g, _add_up(g, dim, True))
