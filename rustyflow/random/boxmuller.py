"""Normal numbers from uniform ones; float32 ones as PyTorch makes them on x86 with AVX2, bit for bit.

There PyTorch takes float32 logarithm, sine and cosine from the polynomials of S. L. Moshier's Cephes library (logf,
sinf, cosf), compiled so that a product and the sum after it are rounded once; here the same, for every logarithm, sine
and cosine that a draw can want. With NumPy's own functions, which take half the time, one number in 500 would be three
or four units in the last place off PyTorch's, times a std. Without AVX2 PyTorch itself differs from this by more.

float64 takes the C library's functions in both; where NumPy has a logarithm of its own (AVX-512), one number in 600
differs in the last place.
Source: G. E. P. Box, M. E. Muller, A note on the generation of random normal deviates, 1958;
https://www.netlib.org/cephes/
"""

from __future__ import annotations

from math import pi

import numpy as np

BLOCK = 16
"""Normal numbers are made in blocks: eight radii and eight angles give eight cosines and then eight sines."""
LOG = (7.0376836292e-2, -1.1514610310e-1, 1.1676998740e-1, -1.2420140846e-1, 1.4249322787e-1, -1.6668057665e-1,
       2.0000714765e-1, -2.4999993993e-1, 3.3333331174e-1)
SIN = (-1.9515295891e-4, 8.3321608736e-3, -1.6666654611e-1)
COS = (2.443315711809948e-5, -1.388731625493765e-3, 4.166664568298827e-2)
ROOT_HALF = int(np.float32(0.5**0.5).view(np.int32))
QUARTER = 1.5703125 + 4.837512969970703125e-4 + float(np.float32(7.54978995489188216e-8))
"""pi / 2, as the three float32 numbers have it of which Cephes subtracts multiples."""


def box_muller(unit: np.ndarray) -> np.ndarray:
    """Turn uniform numbers in [0, 1), float32 or float64, into as many standard normal ones in their place.

    Example:
        >>> box_muller(np.linspace(0, 0.9, 16))[1:3].round(4)
        array([-0.3407, -0.4091])
    """
    radii, angles = unit.reshape(-1, 2, BLOCK // 2).swapaxes(0, 1)
    log, sin_cos = (_log, _sin_cos) if unit.dtype == np.float32 else (np.log, lambda x: (np.sin(x), np.cos(x)))
    radius = np.sqrt(-2 * log(1 - radii))
    sine, cosine = sin_cos(angles * unit.dtype.type(2 * pi))
    np.multiply(radius, cosine, out=radii)
    np.multiply(radius, sine, out=angles)
    return unit


def _log(x):
    """With x = m * 2**e, m between the roots of 1/2 and 2: log m + e * log 2."""
    bits = x.view(np.int32)
    e = (bits - ROOT_HALF) >> 23
    m = (bits - (e << 23)).view(np.float32) - 1
    e, square = e.astype(np.float32), m * m
    y = _fused(_polynomial(LOG, m) * m, square, e * -2.12194440e-4) - square * 0.5
    return m + y + e * 0.693359375


def _sin_cos(x):
    """Sine and cosine of angles from 0 to 2 pi: those of what is left beside whole quarters, turned by the quarters."""
    quarters = np.floor(x * (2 / pi) + 0.5)
    x = _fused(quarters, -QUARTER, x)
    square = x * x
    sine = _fused(_polynomial(SIN, square) * square, x, x)
    cosine = _fused(_polynomial(COS, square) * square, square, square * -0.5) + 1
    quarters -= 2
    away = np.abs(quarters)
    c, s = away - 1, quarters * (away - 2)  # the quarters' own: 1, 0, -1, 0, 1 and 0, 1, 0, -1, 0
    return sine * c + cosine * s, cosine * c - sine * s


def _polynomial(coefficients, x):
    """Its value by Horner's rule."""
    y, x = np.float32(coefficients[0]), x.astype(np.float64)
    for c in np.float32(coefficients[1:]):
        y = _fused(y, x, c)
    return y


def _fused(a, b, c):
    """a * b + c rounded once, for the product of two float32 numbers is exact in float64."""
    wide = a.astype(np.float64)
    wide *= b
    wide += c
    return wide.astype(np.float32)
