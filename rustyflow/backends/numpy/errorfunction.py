"""erf and erfc, to a few units in the last place of float32 and float64.

In float64, near 0 a rational function of x * x; further out exp(-x * x) times one, which keeps small tails' digits.
Source: W. J. Cody, Rational Chebyshev approximations for the error function, Mathematics of Computation 23 (1969),
631-637.
"""
from __future__ import annotations

import numpy as np

from .core import cast as _cast
from .runs import by_runs as _by_runs

# (numerators, denominators), highest power first
_NEAR = ((1.85777706184603153e-1, 3.16112374387056560e0, 1.13864154151050156e2, 3.77485237685302021e2,
          3.20937758913846947e3),
         (1.0, 2.36012909523441209e1, 2.44024637934444173e2, 1.28261652607737228e3, 2.84423683343917062e3))
_MIDDLE = ((2.15311535474403846e-8, 5.64188496988670089e-1, 8.88314979438837594e0, 6.61191906371416295e1,
            2.98635138197400131e2, 8.81952221241769090e2, 1.71204761263407058e3, 2.05107837782607147e3,
            1.23033935479799725e3),
           (1.0, 1.57449261107098347e1, 1.17693950891312499e2, 5.37181101862009858e2, 1.62138957456669019e3,
            3.29079923573345963e3, 4.36261909014324716e3, 3.43936767414372164e3, 1.23033935480374942e3))
_FAR = ((1.63153871373020978e-2, 3.05326634961232344e-1, 3.60344899949804439e-1, 1.25781726111229246e-1,
         1.60837851487422766e-2, 6.58749161529837803e-4),
        (1.0, 2.56852019228982242e0, 1.87295284992346047e0, 5.27905102951428412e-1, 6.05183413124413191e-2,
         2.33520497626869185e-3))
_SPLIT, _FURTHER, _GONE = 0.46875, 4.0, 30.0
_ROOT_PI = 0.56418958354775628695  # 1 / sqrt(pi)


# Fits of our own for float32, of least largest error, highest power first: of artanh(erf(x)) / x in x * x, so that
# erf is right to 1e-8 of itself; and of erfc(x) * exp(x * x) * (x + 2) in 1 / (x + 2), to 5e-8.
_ODDS = (1.87931996871e-10, -8.79501483962e-9, 1.60715905632e-7, -1.32134828106e-6, 1.452185145e-6, 6.90536599192e-5,
         -5.95011517549e-4, -2.06805223704e-4, 0.102772192208, 1.12837917771)
_SCALED = (-30.306974402, 73.006778323, -62.522967998, 17.888793077, -0.88394581059, 3.2497579975, 1.9439729976,
           1.1295602642, 0.56417114965)


@_by_runs
def erf(x):
    if x.dtype == np.float16:
        return erf(_cast(x, np.dtype(np.float32))).astype(np.float16)
    if x.dtype == np.float32:
        return tanh_of(x, _ODDS)
    return _joined(x, lambda near, a: near, lambda tail, a: np.copysign(1 - tail, a))


@_by_runs
def erfc(x):
    if x.dtype == np.float16:
        return erfc(_cast(x, np.dtype(np.float32))).astype(np.float16)
    if x.dtype == np.float32:
        return _single_tail(x)
    return _joined(x, lambda near, a: 1 - near, lambda tail, a: np.where(a < 0, 2 - tail, tail))


def tanh_of(x, coefficients):
    """tanh(x * p(x * x)), which keeps the digits near 0; where p ends in a positive power, -1 and 1 far out."""
    y = _horner(coefficients, x * x)
    y *= x
    return np.tanh(y, out=y)


def _single_tail(x):
    """erfc in float32: exp(-a * a), its exponent in two parts so that no digit is lost, times a polynomial."""
    size = np.clip(np.abs(x), 0, 11)
    coarse = np.bitwise_and(size.view(np.int32), -4096).view(np.float32)
    near = 1 / (size + 2)
    y = _horner(_SCALED, near)
    y *= near
    y *= np.exp(-coarse * coarse)
    y *= np.exp((coarse - size) * (coarse + size))
    below = np.multiply(x < 0, 2, dtype=np.float32)
    y *= 1 - below
    y += below
    return y


def _joined(x, near, tail):
    """Both parts, for every cell, and the one it needs; `near` is given erf, `tail` erfc of the size of x."""
    a = np.atleast_1d(x)
    size = np.abs(a)
    inner, outer = near(a * _ratio(_NEAR, a * a), a), tail(_tail(np.maximum(size, _SPLIT)), a)
    return np.where(size <= _SPLIT, inner, outer).reshape(x.shape)


def _tail(a):
    """erfc of a >= _SPLIT in float64: the same, times a rational function."""
    a = np.minimum(a, _GONE)
    ratio = _ratio(_MIDDLE, a)
    far = a > _FURTHER
    if far.any():
        z = 1 / (a[far] * a[far])
        ratio[far] = (_ROOT_PI - z * _ratio(_FAR, z)) / a[far]
    coarse = np.trunc(a * 16) / 16
    return np.exp(-coarse * coarse) * np.exp(-(a - coarse) * (a + coarse)) * ratio


def _ratio(coefficients, x):
    above, below = (_horner(c, x) for c in coefficients)
    return above / below


def _horner(coefficients, x):
    y = np.asarray(coefficients[0] * x)
    y += coefficients[1]
    for c in coefficients[2:]:
        y *= x
        y += c
    return y
