"""Activations, in as few passes over memory as NumPy allows."""
from __future__ import annotations

from math import pi as _pi
from math import sqrt as _sqrt

import numpy as np

from .elementwise import sigmoid as _sigmoid
from .errorfunction import erf as _erf
from .runs import by_runs as _by_runs


def silu(x):
    y = _sigmoid(x)
    y *= x
    return y


@_by_runs
def logsigmoid(x):
    return np.minimum(x, 0) - np.log1p(np.exp(-np.abs(x)))


@_by_runs
def softplus(x, beta, threshold):
    scaled = x * beta
    return np.where(scaled > threshold, x, np.log1p(np.exp(scaled)) / beta)


@_by_runs
def gelu(x):
    return _below(x) * x


@_by_runs
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


@_by_runs
def gelu_tanh(x):
    y = np.asarray(x * x)
    y *= 0.044715
    y += 1
    y *= x
    y *= _sqrt(2 / _pi)
    np.tanh(y, out=y)
    y += 1
    y *= x
    y *= 0.5
    return y
