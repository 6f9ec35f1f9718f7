"""Activations, in as few passes over memory as NumPy allows."""
from __future__ import annotations

from math import pi as _pi, sqrt as _sqrt

import numpy as np

from .cellwise import into as _into, over as _over
from .choice import relu as _relu, where as _where
from .core import empty_as as _empty_as
from .elementwise import sigmoid as _sigmoid
from .errorfunction import erf as _erf, tanh_of as _tanh_of
from .halves import by_single as _by_single, cells_by_single as _cells_by_single
from .runs import by_runs as _by_runs

_MANY = 1 << 13  # cells


@_cells_by_single
def silu(x):
    y = _sigmoid(x)
    y *= x
    return y


@_cells_by_single
def hardsigmoid(x):
    y = np.asarray(x + 3)
    np.clip(y, 0, 6, out=y)
    y /= 6
    return y


@_cells_by_single
def hardswish(x):
    y = hardsigmoid(x)
    y *= x
    return y


def glu_input(g, x, dim):
    """The gradient of glu, with each half written where it belongs."""
    y, n, before = np.empty(x.shape, x.dtype), x.shape[dim] // 2, (slice(None),) * dim
    first, second = (*before, slice(n)), (*before, slice(n, None))
    s, dsecond = y[first], y[second]
    _into(s, lambda F, b: _sigmoid(b), None, x[second])
    np.subtract(1, s, out=dsecond)
    dsecond *= s
    dsecond *= x[first]
    dsecond *= g
    s *= g
    return y


@_cells_by_single
def mish(x):
    y = np.asarray(softplus(x, 1, 20))
    np.tanh(y, out=y)
    y *= x
    return y


@_cells_by_single
def leaky_relu(x, slope):
    if not slope > 0:  # 0 times infinity would be NaN
        return np.where(x > 0, x, x * slope)
    y = np.asarray(x * slope)
    return (np.maximum if slope <= 1 else np.minimum)(x, y, out=y)


def prelu(x, weight):
    y = np.asarray(x * weight)
    if y.size >= _MANY and ((weight <= 1) & (weight != 0)).all():  # 0 times infinity would be NaN
        return np.maximum(x, y, out=y)
    _over(lambda F, y, x: _where(x > 0, x, y), None, y, x)
    return y


@_cells_by_single
def elu(x, alpha, scale, per=1):
    """scale * alpha * (exp(x / per) - 1) below 0, plus scale * x above: each is 0 on the other side."""
    if not (np.isfinite(alpha) and np.isfinite(1 / per)):  # times which 0 is no number
        return np.where(x < 0, scale * alpha * np.expm1(x / per), scale * x)
    y = _empty_as(x)
    y.fill(0)
    np.minimum(y, x, out=y)
    if per != 1:
        y /= per
    np.expm1(y, out=y)
    y *= scale * alpha
    _over(lambda F, y, x: y + _relu(x) * scale, None, y, x)
    return y


def celu(x, alpha):
    return elu(x, alpha, 1, alpha)


@_cells_by_single
def softshrink(x, lambd):
    y = np.asarray(np.clip(x, -lambd, lambd))
    return np.subtract(x, y, out=y)


@_cells_by_single
def logsigmoid(x):
    """-log(1 + exp(-x)); far below 0, where that overflows, x itself, from which it does not differ any more."""
    y = np.asarray(np.negative(x))
    np.exp(y, out=y)
    np.log1p(y, out=y)
    np.subtract(0, y, out=y)  # not np.negative, which would give -0 for 0
    if not np.min(x, initial=0) >= -40:  # true for NaN, too
        np.copyto(y, x, where=x < -40)
    return y


@_cells_by_single
def softplus(x, beta, threshold):
    if beta == 1:
        y = np.asarray(np.exp(x))
    else:
        y = np.asarray(x * beta)
        np.exp(y, out=y)
    np.log1p(y, out=y)
    if beta != 1:
        y /= beta
    top = np.max(x, initial=-np.inf) * beta if beta > 0 else np.min(x, initial=np.inf) * beta
    if not top <= threshold:  # true for NaN, too
        np.copyto(y, x, where=x * beta > threshold)
    return y


# With p the share of standard normal numbers below x, artanh(2 * p - 1) / x as powers of x * x: a fit of our own for
# float32, that of the tanh form for p to 3e-8; and the two powers that make what PyTorch calls tanh.
_NORMAL = (1.75617012924e-9, -1.32263319629e-7, 3.96474419282e-6, -5.5306192627e-5, -3.25949778007e-5,
           0.0363330845756, 0.79788494146)
_NORMAL_BY_TANH = (0.044715 * _sqrt(2 / _pi), _sqrt(2 / _pi))


@_by_runs
@_by_single
def gelu(x):
    return _below(x) * x if x.dtype == np.float64 else _gated(x, _NORMAL)


@_by_runs
@_by_single
def gelu_tanh(x):
    return _gated(x, _NORMAL_BY_TANH)


def _gated(x, coefficients):
    """x times a share from 0 to 1, which is half of 1 + tanh."""
    y = _tanh_of(x, coefficients)
    y += 1
    y *= x
    y *= 0.5
    return y


@_by_runs
@_by_single
def gelu_input(g, x):
    """The gradient of the exact gelu: the share below x, plus x times the bell curve at x."""
    slope = np.exp(x * x * -0.5)
    slope *= x
    slope *= 1 / _sqrt(2 * _pi)
    slope += _below(x)
    slope *= g
    return slope


def _below(x):
    """The share of standard normal numbers below x."""
    share = np.asarray(_erf(x * _sqrt(0.5)) if x.dtype == np.float64 else _tanh_of(x, _NORMAL))
    share += 1
    share *= 0.5
    return share
