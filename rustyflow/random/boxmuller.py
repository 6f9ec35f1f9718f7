"""Normal numbers from uniform ones, rounded as PyTorch's vector code on x86 rounds them, so that every bit agrees.

PyTorch computes float32 logarithm, sine and cosine with the polynomials of the Cephes library (S. L. Moshier,
netlib.org/cephes: logf, sinf, cosf), and its compiler fuses a product and a sum into one rounding. Both are repeated
here from additions, products and conversions, which IEEE 754 rounds alike on every machine; NumPy's own functions
differ between machines in the last place.
Source: G. E. P. Box, M. E. Muller, A note on the generation of random normal deviates, 1958.
"""

from __future__ import annotations

from math import isfinite, pi

import numpy as np

BLOCK = 16
"""Numbers are made in blocks: eight radii and eight angles give eight cosines and then eight sines."""

LOG = np.float32(
    [7.0376836292e-2, -1.1514610310e-1, 1.1676998740e-1, -1.2420140846e-1, 1.4249322787e-1, -1.6668057665e-1,
     2.0000714765e-1, -2.4999993993e-1, 3.3333331174e-1]
)
COS = np.float32([2.443315711809948e-5, -1.388731625493765e-3, 4.166664568298827e-2])
SIN = np.float32([-1.9515295891e-4, 8.3321608736e-3, -1.6666654611e-1])
ONE, ROOT_HALF = (int(np.float32(x).view(np.int32)) for x in (1, 0.5**0.5))
LN2_HIGH, LN2_LOW = np.float32([0.693359375, -2.12194440e-4])
QUARTER_PI = np.float32([0.78515625, 2.4187564849853515625e-4, 3.77489497744594108e-8])
"""pi / 4 in three parts, so that subtracting multiples of it loses nothing."""


class BoxMuller:
    """Turns n uniform numbers in [0, 1) into n standard normal ones; n a multiple of 16, float32 or float64.

    It works in memory of its own, for fresh memory would cost more than the arithmetic, and writes the result over the
    uniform numbers.

    Example:
        >>> make = BoxMuller(16, np.dtype("float32"))
        >>> make(np.linspace(0, 0.9, 16, dtype=np.float32))[1:3]
        array([-0.34073043, -0.40906724], dtype=float32)
    """

    def __init__(self, n: int, dtype: np.dtype):
        self.radius, self.sine, self.cosine, self.square, self.spare = np.empty((5, n // 2), dtype)
        self.wide, self.point = np.empty((2, n // 2), np.float64)
        self.bits = np.empty(n // 2, np.int32)

    def __call__(self, unit: np.ndarray) -> np.ndarray:
        radii, angles = unit.reshape(-1, 2, BLOCK // 2).swapaxes(0, 1)
        block = radii.shape
        np.subtract(1, radii, out=self.radius.reshape(block))
        np.multiply(angles, unit.dtype.type(2 * pi), out=self.sine.reshape(block))
        if unit.dtype == np.float32:
            self._log(self.radius)
            self._sincos(self.sine)
        else:
            np.log(self.radius, out=self.radius)
            np.cos(self.sine, out=self.cosine)
            np.sin(self.sine, out=self.sine)
        self.radius *= -2
        np.sqrt(self.radius, out=self.radius)
        np.multiply(self.radius.reshape(block), self.cosine.reshape(block), out=radii)
        np.multiply(self.radius.reshape(block), self.sine.reshape(block), out=angles)
        return unit

    def _log(self, x):
        """x becomes its natural logarithm: with x = m * 2**e, m between the roots of 1/2 and 2, log m + e * log 2."""
        bits, exponent, y = x.view(np.int32), self.bits, self.spare
        bits += ONE - ROOT_HALF
        np.right_shift(bits, 23, out=exponent)
        exponent -= 127
        bits &= 0x007FFFFF
        bits += ROOT_HALF
        x -= 1
        np.multiply(x, x, out=self.square)
        self._polynomial(LOG, x, y)
        y *= x
        np.multiply(exponent, LN2_LOW, out=self.cosine, casting="same_kind", dtype=np.float32)
        self._fused(y, self.square, self.cosine, y)
        self._fused(self.square, np.float32(-0.5), y, y)
        x += y
        self._fused(exponent, LN2_HIGH, x, x)

    def _sincos(self, x):
        """x, angles of 0 or more, becomes their sine, self.cosine the cosine; polynomials serve beside the axes."""
        octant, square, cosine, sine = self.bits, self.square, self.cosine, x
        np.multiply(x, np.float32(4 / pi), out=cosine)
        np.copyto(octant, cosine, casting="unsafe")
        octant += 1
        octant &= ~1
        for part in QUARTER_PI:
            self._fused(octant, -part, x, x)
        np.multiply(x, x, out=square)
        self._polynomial(COS, square, cosine)
        cosine *= square
        np.multiply(square, np.float32(-0.5), out=self.spare)
        self._fused(cosine, square, self.spare, cosine)
        cosine += 1
        self._polynomial(SIN, square, self.spare)
        square *= self.spare
        self._fused(square, x, x, sine)
        self._turn(sine.view(np.int32), cosine.view(np.int32), octant, self.spare.view(np.int32))

    @staticmethod
    def _turn(sine, cosine, octant, spare):
        """From beside an axis to the octant itself, on the bits: swap sine and cosine where due, then set the signs."""
        np.left_shift(octant, 30, out=spare)
        spare >>= 31
        differ = np.bitwise_xor(sine, cosine)
        differ &= spare
        sine ^= differ
        cosine ^= differ
        np.bitwise_and(octant, 4, out=spare)
        spare <<= 29
        sine ^= spare
        octant += 2
        octant &= 4
        octant <<= 29
        cosine ^= octant

    def _polynomial(self, coefficients, x, out):
        np.copyto(self.point, x)
        self._fused(x, coefficients[0], coefficients[1], out)
        for c in coefficients[2:]:
            self._fused(out, self.point, c, out)

    def _fused(self, a, b, c, out):
        """out = a * b + c, rounded once: the product of two float32 is exact in float64."""
        np.copyto(self.wide, a)
        self.wide *= b
        self.wide += c
        np.copyto(out, self.wide, casting="same_kind")


def scaled(x: np.ndarray, by: float, plus: float) -> np.ndarray:
    """x * by + plus in x's own dtype, float32 or float64, rounded once.

    Example:
        >>> scaled(np.array([0.1]), 3, -0.3)
        array([2.77555756e-17])
    """
    if x.dtype == np.float32:
        wide = np.multiply(x, np.float32(by), dtype=np.float64)
        wide += np.float32(plus)
        return wide.astype(np.float32)
    with np.errstate(all="ignore"):
        product = x * by
        total = product + plus
        if not isfinite(by) or plus == 0:
            return total
        # what the two roundings lost (T. J. Dekker 1971, D. E. Knuth 1969)
        x_high, by_high = x * SPLIT - (x * SPLIT - x), by * SPLIT - (by * SPLIT - by)
        x_low, by_low = x - x_high, by - by_high
        lost = ((x_high * by_high - product) + x_high * by_low + x_low * by_high) + x_low * by_low
        back = total - product
        lost += (product - (total - back)) + (plus - back)
        return np.where(np.isfinite(lost), total + lost, total)


SPLIT = 2.0**27 + 1
"""Times this, and back, a double falls into two halves whose products are exact."""
