"""Mean 0 and variance 1 over some axes, then weight and bias, said by the functions it is made of."""

from __future__ import annotations

from .elementwise import rsqrt
from .reduce import mean, var


def standardize(x, weight, bias, eps, inner, dims, affine):
    """The result in x's shape; mean and variance in the shape `inner` with axes of size 1."""
    rows = x.reshape(inner)
    centre, spread = mean(rows, dims, True), var(rows, dims, True, 0)
    y = ((rows - centre) * rsqrt(spread + eps)).reshape(x.shape)
    y = y if weight is None else y * weight.reshape(affine)
    return y if bias is None else y + bias.reshape(affine), centre, spread


def rescaled(x, mean, scale, shift):
    """(x - mean) * scale + shift, which may be None."""
    y = (x - mean) * scale
    return y if shift is None else y + shift
