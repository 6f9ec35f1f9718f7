"""erf and erfc, to a few units in the last place of float32 and float64.

In float64, near 0 a rational function of x * x; further out exp(-x * x) times one, which keeps the digits of small
tails.
Source: W. J. Cody, Rational Chebyshev approximations for the error function, Mathematics of Computation 23 (1969),
631-637.
"""
from __future__ import annotations

import numpy as np

from .runs import by_runs as _by_runs

# (numerators, denominators), highest power first
_NEAR = ((1.85777706184603153e-1, 3.16112374387056560e0, 1.13864154151050156e2, 3.77485237685302021e2, 3.20937758913846947e3),
         (1.0, 2.36012909523441209e1, 2.44024637934444173e2, 1.28261652607737228e3, 2.84423683343917062e3))
_MIDDLE = ((2.15311535474403846e-8, 5.64188496988670089e-1, 8.88314979438837594e0, 6.61191906371416295e1, 2.98635138197400131e2,
            8.81952221241769090e2, 1.71204761263407058e3, 2.05107837782607147e3, 1.23033935479799725e3),
           (1.0, 1.57449261107098347e1, 1.17693950891312499e2, 5.37181101862009858e2, 1.62138957456669019e3,
            3.29079923573345963e3,
            4.36261909014324716e3, 3.43936767414372164e3, 1.23033935480374942e3))
_FAR = ((1.63153871373020978e-2, 3.05326634961232344e-1, 3.60344899949804439e-1, 1.25781726111229246e-1, 1.60837851487422766e-2, 6.58749161529837803e-4),
        (1.0, 2.56852019228982242e0, 1.87295284992346047e0, 5.27905102951428412e-1, 6.05183413124413191e-2, 2.33520497626869185e-3))
_SPLIT, _FURTHER, _GONE = 0.46875, 4.0, 30.0
_ROOT_PI = 0.56418958354775628695  # 1 / sqrt(pi)


# -log(1 - erf(a)) / (2 * a) for a from 0 to _ONE, lowest power first: a least squares fit of our own, to 4e-9
_HALF_RATE = tuple(c / 2 for c in (1.128379171608326, 0.6366193822421766, 0.10277782723386264, -0.01915304977077888, -0.00016042510692129466,
                                   0.0016670589951362602, -0.0006328553424063692, 0.00011764677753168525, -9.256915744023953e-06))
_ONE = 3.92  # from here on erf is 1 to the last digit of float32


@_by_runs
def erf(x):
    if x.dtype == np.float16:
        return erf(x.astype(np.float32)).astype(np.float16)
    return _single(x) if x.dtype == np.float32 else _joined(x, lambda near, a: near, lambda tail,
                                                            a: np.copysign(1 - tail, a))


@_by_runs
def erfc(x):
    if x.dtype == np.float16:
        return erfc(x.astype(np.float32)).astype(np.float16)
    return _joined(x, lambda near, a: 1 - near, lambda tail, a: np.where(a < 0, 2 - tail, tail))


def _single(x):
    """erf in float32: 1 - exp(-2 * s), as a tanh so that no digit is lost near 0."""
    size = np.asarray(np.abs(x))
    one = size >= _ONE
    np.minimum(size, _ONE, out=size)
    y = _horner(_HALF_RATE[::-1], size)
    y *= size
    np.tanh(y, out=y)
    np.add(y, 1, out=size)
    y *= 2
    y /= size
    np.copyto(y, 1, where=one)
    return np.copysign(y, x, out=y)


def _joined(x, near, tail):
    """Both parts, for every cell, and the one it needs; `near` is given erf, `tail` erfc of the size of x."""
    a = np.atleast_1d(x)
    size = np.abs(a)
    inner, outer = near(a * _ratio(_NEAR, a * a), a), tail(_tail(np.maximum(size, _SPLIT)), a)
    return np.where(size <= _SPLIT, inner, outer).reshape(x.shape)


def _tail(a):
    """erfc of a >= _SPLIT: exp(-a * a), its exponent in two parts so that no digit is lost, times a rational function."""
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
