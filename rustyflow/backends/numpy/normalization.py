"""Normalization in few passes: mean 0 and variance 1 over some axes, then weight and bias.

A layer's rows are taken a block at a time, so that what is between two passes stays in the cache, and the sums are
matrix products; over other axes the same is said for the whole array.
"""
from __future__ import annotations

from math import prod as _prod

import numpy as np

from .core import add_up as _add_up, in_order as _in_order, sum_to as _sum_to
from .halves import by_single as _by_single

_BLOCK = 1 << 19  # bytes of rows at a time


def _mean(a, dims):
    return _add_up(a, dims, True) / a.dtype.type(_prod([a.shape[d] for d in dims]))


def _mean_product(a, b, dims):
    """mean(a * b) over dims without keeping a * b."""
    n = a.dtype.type(_prod([a.shape[d] for d in dims]))
    if dims == (a.ndim - 1,):
        return np.vecdot(a, b)[..., None] / n
    return np.einsum("ijk,ijk->j", a, b)[None, :, None] / n


def _is_layer(x, inner, affine):
    return len(inner) == 2 and inner[1] == _prod(affine) and x.shape[x.ndim - len(affine):] == affine


@_by_single
def standardize(x, weight, bias, eps, inner, dims, affine):
    """The result in x's shape; mean and variance in the shape `inner` with axes of size 1."""
    if _is_layer(x, inner, affine):
        return _layer(x.reshape(inner), weight, bias, x.dtype.type(eps), x.shape)
    y = x.reshape(inner)
    mean = _mean(y, dims)
    y = _in_order(y - mean)
    var = _mean_product(y, y, dims)
    y *= 1 / np.sqrt(var + x.dtype.type(eps))
    y = y.reshape(x.shape)
    if weight is not None:
        y *= weight.reshape(affine)
    if bias is not None:
        y += bias.reshape(affine)
    return y, mean, var


@_by_single
def standardize_grads(g, x, weight, mean, var, shapes, eps, inner, dims, affine):
    """The gradients for x, weight and bias; None where none is needed."""
    root = 1 / np.sqrt(var + x.dtype.type(eps))
    if _is_layer(x, inner, affine):
        dx, dweight = _layer_grads(g.reshape(inner), x.reshape(inner), weight, mean, root, shapes)
        dbias = np.matmul(np.ones(inner[0], g.dtype), g.reshape(inner)) if shapes[2] else None
        return [None if shape is None else d.reshape(shape) for d, shape in zip((dx, dweight, dbias), shapes)]
    xhat = x.reshape(inner) - mean
    xhat *= root
    dweight = _sum_to(g * xhat.reshape(x.shape), affine).reshape(shapes[1]) if shapes[1] else None
    dbias = _sum_to(g, affine).reshape(shapes[2]) if shapes[2] else None
    if not shapes[0]:
        return None, dweight, dbias
    gw = (g if weight is None else g * weight.reshape(affine)).reshape(inner)
    xhat *= _mean_product(gw, xhat, dims)
    xhat += _mean(gw, dims)
    dx = np.subtract(gw, xhat, out=xhat)
    dx *= root
    return dx.reshape(x.shape), dweight, dbias


def rescaled(x, mean, scale, shift):
    """(x - mean) * scale + shift, which may be None."""
    y = _in_order(x - mean)
    y *= scale
    if shift is not None:
        y += shift
    return y


def _step(rows):
    return max(1, _BLOCK // max(1, rows.itemsize * rows.shape[1]))


def _blocks(rows):
    return [slice(k, k + _step(rows)) for k in range(0, len(rows), _step(rows))]


def _layer(rows, weight, bias, eps, shape):
    n = rows.dtype.type(rows.shape[1])
    mean = (np.matmul(rows, np.ones(rows.shape[1], rows.dtype)) / n)[:, None]
    y, var = np.empty(rows.shape, rows.dtype), np.empty_like(mean)
    for part in _blocks(rows):
        out = y[part]
        np.subtract(rows[part], mean[part], out=out)
        var[part] = np.vecdot(out, out)[:, None] / n
        out *= 1 / np.sqrt(var[part] + eps)
        if weight is not None:
            out *= weight.reshape(-1)
        if bias is not None:
            out += bias.reshape(-1)
    return y.reshape(shape), mean, var


def _layer_grads(g, rows, weight, mean, root, shapes):
    """For x, with far = x - mean: root * (gw - mean(gw) - far * root ** 2 * mean(gw * far)); and for weight."""
    n = rows.dtype.type(rows.shape[1])
    weight = np.ones(rows.shape[1], rows.dtype) if weight is None else weight.reshape(-1)
    centre = (np.matmul(g, weight) / n)[:, None]
    dx, dweight = np.empty(rows.shape, rows.dtype), np.zeros_like(weight)
    scratch = np.empty_like(rows[:_step(rows)])
    for part in _blocks(rows):
        out, r = dx[part], root[part]
        far = scratch[:len(out)]
        np.subtract(rows[part], mean[part], out=far)
        np.multiply(g[part], far, out=out)
        if shapes[1]:
            dweight += np.matmul(r[:, 0], out)
        far *= np.matmul(out, weight)[:, None] / -n * r * r
        np.multiply(g[part], weight, out=out)
        out -= centre[part]
        out += far
        out *= r
    return dx, dweight
