"""Activations, in as few passes over memory as NumPy allows."""
from __future__ import annotations

from math import pi as _pi
from math import sqrt as _sqrt

import numpy as np

from .elementwise import sigmoid as _sigmoid
from .errorfunction import erf as _erf, tanh_of as _tanh_of
from .halves import by_single as _by_single
from .runs import by_runs as _by_runs


@_by_single
def silu(x):
    y = _sigmoid(x)
    y *= x
    return y


@_by_runs
@_by_single
def logsigmoid(x):
    return np.minimum(x, 0) - np.log1p(np.exp(-np.abs(x)))


@_by_runs
@_by_single
def softplus(x, beta, threshold):
    scaled = x if beta == 1 else x * beta
    far = scaled > threshold
    y = np.asarray(np.exp(scaled))
    np.log1p(y, out=y)
    if beta != 1:
        y /= beta
    if far.any():
        np.copyto(y, x, where=far)
    return y


# With p the share of standard normal numbers below x, artanh(2 * p - 1) / x as powers of x * x: a fit of our own for
# float32, that of the tanh form for p to 3e-8; and the two powers that make what PyTorch calls tanh.
_NORMAL = (1.75617012924e-9, -1.32263319629e-7, 3.96474419282e-6, -5.5306192627e-5, -3.25949778007e-5,
           0.0363330845756, 0.79788494146)
_NORMAL_BY_TANH = (0.044715 * _sqrt(2 / _pi), _sqrt(2 / _pi))


@_by_runs
def gelu(x):
    if x.dtype == np.float64:
        return _below(x) * x
    return _gated(x.astype(np.float32, copy=False), _NORMAL).astype(x.dtype, copy=False)


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
def gelu_input(g, x, y):
    """The gradient of the exact gelu: the share below x, which is y / x, plus x times the bell curve at x."""
    slope = np.exp(x * x * -0.5)
    slope *= x
    slope *= 1 / _sqrt(2 * _pi)
    share = y / x
    tiny = np.abs(x) < 2 * np.finfo(x.dtype).tiny  # where y has lost digits
    slope += np.where(tiny, x.dtype.type(0.5), share) if tiny.any() else share
    slope *= g
    return slope


def _below(x):
    """The share of standard normal numbers below x."""
    share = np.asarray(_erf(x * _sqrt(0.5)))
    share += 1
    share *= 0.5
    return share
