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
LOG = np.float32([
    7.0376836292e-2, -1.1514610310e-1, 1.1676998740e-1, -1.2420140846e-1, 1.4249322787e-1, -1.6668057665e-1,
    2.0000714765e-1, -2.4999993993e-1, 3.3333331174e-1]).tolist()
SIN = [-1.9515295891e-4, 8.3321608736e-3, -1.6666654611e-1]
COS = [2.443315711809948e-5, -1.388731625493765e-3, 4.166664568298827e-2]
COS_SIN = np.float32([COS, SIN]).astype(np.float64).T.reshape(-1, 2, 1)
ROOT_HALF = int(np.float32(0.5**0.5).view(np.int32))
QUARTER = 1.5703125 + 4.837512969970703125e-4 + float(np.float32(7.54978995489188216e-8))
"""pi / 2, as the three float32 numbers have it of which Cephes subtracts multiples."""


def box_muller(unit: np.ndarray) -> np.ndarray:
    """Turn uniform numbers in [0, 1), float32 or float64, into as many standard normal ones in their place.

    Example:
        >>> box_muller(np.linspace(0, 0.9, 16))[1:3].round(4)
        array([-0.3407, -0.4091])
    """
    rows = unit.reshape(-1, BLOCK // 2)  # to be moved as wholes, for NumPy is slow on rows of eight
    places = np.arange(len(rows))
    radius, angle = rows.take(places.reshape(-1, 2).T, axis=0).reshape(2, -1)
    single = unit.dtype == np.float32
    radius = (_log if single else np.log)(np.subtract(1, radius, out=radius))
    radius *= -2
    angle *= unit.dtype.type(2 * pi)
    normal = _cos_sin(angle) if single else np.stack([np.cos(angle), np.sin(angle)])
    normal *= np.sqrt(radius, out=radius)
    normal.reshape(rows.shape).take(places.reshape(2, -1).T.ravel(), axis=0, out=rows, mode="clip")
    return unit


def _log(x):
    """With x = m * 2**e, m between the roots of 1/2 and 2: log m + e * log 2."""
    bits = x.view(np.int32)
    e = bits - ROOT_HALF
    e >>= 23
    m = (bits - (e << 23)).view(np.float32)
    m -= 1
    e, square = e.astype(np.float32), m * m
    y = _polynomial(LOG, m.astype(np.float64))
    y *= m
    y = _fused(y, square, e * -2.12194440e-4)
    y -= np.multiply(square, 0.5, out=square)
    y += m
    y += np.multiply(e, 0.693359375, out=e)
    return y


def _cos_sin(x):
    """Cosine and sine of angles from 0 to 2 pi: of the rest beside whole quarters, turned by these."""
    quarters = x * (2 / pi)
    quarters += 0.5
    np.floor(quarters, out=quarters)
    x = _fused(quarters, -QUARTER, x)
    square = x * x
    wide = square.astype(np.float64)
    both = _polynomial(COS_SIN, wide)
    both *= square
    cosine = _fused(both[0], wide, np.multiply(square, -0.5, out=square))
    cosine += 1
    sine = _fused(both[1], x, x)
    quarters -= 2
    away = np.abs(quarters)
    c, s = away - 1, np.multiply(quarters, away - 2, out=quarters)  # the quarters' own: 1, 0, -1, 0, 1; 0, 1, 0, -1, 0
    np.multiply(cosine, c, out=both[0])
    np.multiply(sine, c, out=both[1])
    both[0] -= np.multiply(sine, s, out=sine)
    both[1] += np.multiply(cosine, s, out=cosine)
    return both


def _polynomial(coefficients, x):
    """Its value in float32 by Horner's rule, for numbers of float32 that are given as float64."""
    wide = x * coefficients[0]
    wide += coefficients[1]
    y = wide.astype(np.float32)
    for c in coefficients[2:]:
        np.copyto(wide, y)
        wide *= x
        wide += c
        np.copyto(y, wide, casting="same_kind")
    return y


def _fused(a, b, c):
    """a * b + c rounded once, for the product of two float32 numbers is exact in float64."""
    wide = a.astype(np.float64)
    wide *= b
    wide += c
    return wide.astype(np.float32)
