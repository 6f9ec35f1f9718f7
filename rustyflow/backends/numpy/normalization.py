"""Normalization in few passes: mean 0 and variance 1 over some axes, then weight and bias."""
from __future__ import annotations

from math import prod as _prod

import numpy as np

from .core import sum_to as _sum_to


def _mean(a, dims):
    return np.add.reduce(a, axis=dims, keepdims=True) / a.dtype.type(_prod([a.shape[d] for d in dims]))


def _mean_product(a, b, dims):
    """mean(a * b) over dims without keeping a * b."""
    n = a.dtype.type(_prod([a.shape[d] for d in dims]))
    if dims == (a.ndim - 1,):
        return np.vecdot(a, b)[..., None] / n
    return np.einsum("ijk,ijk->j", a, b)[None, :, None] / n


def standardize(x, weight, bias, eps, inner, dims, affine):
    """The result in x's shape; mean and variance in the shape `inner` with axes of size 1."""
    y = x.reshape(inner)
    mean = _mean(y, dims)
    y = y - mean
    var = _mean_product(y, y, dims)
    y *= 1 / np.sqrt(var + x.dtype.type(eps))
    y = y.reshape(x.shape)
    if weight is not None:
        y *= weight.reshape(affine)
    if bias is not None:
        y += bias.reshape(affine)
    return y, mean, var


def standardize_grads(g, x, weight, mean, var, shapes, eps, inner, dims, affine):
    """The gradients for x, weight and bias; None where none is needed."""
    root = 1 / np.sqrt(var + x.dtype.type(eps))
    xhat = x.reshape(inner) - mean
    xhat *= root
    dweight = _share(g, xhat.reshape(x.shape), affine).reshape(shapes[1]) if shapes[1] else None
    dbias = _sum_to(g, affine).reshape(shapes[2]) if shapes[2] else None
    if not shapes[0]:
        return None, dweight, dbias
    gw = (g if weight is None else g * weight.reshape(affine)).reshape(inner)
    xhat *= _mean_product(gw, xhat, dims)
    xhat += _mean(gw, dims)
    dx = np.subtract(gw, xhat, out=xhat)
    dx *= root
    return dx.reshape(x.shape), dweight, dbias


def _share(g, xhat, affine):
    """sum(g * xhat) over all axes that weight and bias lack."""
    lead = g.ndim - len(affine)
    if lead and g.shape[lead:] == affine:
        return np.einsum("ij,ij->j", g.reshape(-1, _prod(affine)), xhat.reshape(-1, _prod(affine)))
    return _sum_to(g * xhat, affine)
