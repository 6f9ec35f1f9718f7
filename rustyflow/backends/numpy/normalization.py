"""Normalization in few passes: mean 0 and variance 1 over some axes, then weight and bias.

A layer's rows are taken a block at a time, so that what is between two passes stays in the cache, and the sums are
matrix products; over other axes the same is said for the whole array.
"""
from __future__ import annotations

from math import prod as _prod

import numpy as np

from .adding import add_up as _add_up
from .core import dense as _dense, in_order as _in_order, sum_to as _sum_to
from .halves import by_single as _by_single, single as _single

_BLOCK = 1 << 19  # bytes of rows at a time


def _mean(a, dims):
    return _add_up(a, dims, True) / a.dtype.type(_prod([a.shape[d] for d in dims]))


def _apart(x, mean):
    """x - mean as a fresh row-major array."""
    if x.flags.c_contiguous:
        return x - mean
    y = _dense(x)
    y -= mean
    return y


def _mean_product(a, b, dims):
    """mean(a * b) over dims without keeping a * b."""
    n = a.dtype.type(_prod([a.shape[d] for d in dims]))
    if dims == (a.ndim - 1,):
        return np.vecdot(a, b)[..., None] / n
    return np.einsum("ijk,ijk->j", a, b)[None, :, None] / n


def _is_layer(x, inner, affine):
    return len(inner) == 2 and inner[1] == _prod(affine) and x.shape[x.ndim - len(affine):] == affine


def standardize(x, weight, bias, eps, inner, dims, affine):
    """The result in x's shape; mean and variance in the shape `inner` with axes of size 1."""
    if _is_layer(x, inner, affine):
        return _layer(x.reshape(inner), weight, bias, eps, x.shape)
    return _standardize(x, weight, bias, eps, inner, dims, affine)


@_by_single
def _standardize(x, weight, bias, eps, inner, dims, affine):
    y = x.reshape(inner)
    mean = _mean(y, dims)
    y = _apart(y, mean)
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
    if _is_layer(x, inner, affine):
        every = _layer_grads(g.reshape(inner), x.reshape(inner), weight, mean, var, shapes, eps)
        return [None if shape is None else d.reshape(shape) for d, shape in zip(every, shapes)]
    return _standardize_grads(g, x, weight, mean, var, shapes, eps, inner, dims, affine)


@_by_single
def _standardize_grads(g, x, weight, mean, var, shapes, eps, inner, dims, affine):
    root = 1 / np.sqrt(var + x.dtype.type(eps))
    if dims == (0, 2):
        return _channel_grads(g, x, weight, mean, root, shapes, inner)
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


def _channel_grads(g, x, weight, mean, root, shapes, inner):
    """The same where each channel has one mean, one root and one weight: two sums per channel say all.

    dx = (g - mean(g) - (x - mean) * root**2 * mean(g * (x - mean))) * root * weight
    """
    g, dx = g.reshape(inner), x.reshape(inner) - mean
    total, together = _add_up(g, (0, 2), True), np.einsum("ijk,ijk->j", g, dx)[None, :, None] * root
    dweight = together.reshape(shapes[1]) if shapes[1] else None
    dbias = total.reshape(shapes[2]) if shapes[2] else None
    if not shapes[0]:
        return None, dweight, dbias
    n = dx.dtype.type(inner[0] * inner[2])
    dx *= together * root / n
    dx += total / n
    dx = np.subtract(g, dx, out=dx)
    dx *= root if weight is None else root * weight.reshape(root.shape)
    return dx.reshape(x.shape), dweight, dbias


def rescaled(x, mean, scale, shift):
    """(x - mean) * scale + shift, which may be None."""
    y = _apart(x, mean)
    y *= scale
    if shift is not None:
        y += shift
    return y


def _step(rows):
    return max(1, _BLOCK // max(1, max(rows.itemsize, 4) * rows.shape[1]))


def _blocks(rows):
    return [slice(k, k + _step(rows)) for k in range(0, len(rows), _step(rows))]


def _layer(rows, weight, bias, eps, shape):
    weight, bias, wide = _single(weight), _single(bias), np.promote_types(rows.dtype, np.float32).type
    n, ones = wide(rows.shape[1]), np.ones(rows.shape[1], wide)
    y, (mean, var) = np.empty(rows.shape, rows.dtype), np.empty((2, len(rows), 1), rows.dtype)
    for part in _blocks(rows):
        cells, out = _in_order(_single(rows[part])), y[part]
        centre = (np.matmul(cells, ones) / n)[:, None]
        far = np.subtract(cells, centre, out=out if rows.itemsize > 2 else cells)
        spread = np.vecdot(far, far)[:, None] / n
        far *= 1 / np.sqrt(spread + wide(eps))
        if weight is not None:
            far *= weight.reshape(-1)
        if bias is not None:
            far += bias.reshape(-1)
        mean[part], var[part] = centre, spread
        if far is not out:
            out[...] = far
    return y.reshape(shape), mean, var


def _layer_grads(g, rows, weight, mean, var, shapes, eps):
    """For x, with far = x - mean: root * (gw - mean(gw) - far * root ** 2 * mean(gw * far)); for weight and bias."""
    mean, weight, wide = _single(mean), _single(weight), np.promote_types(rows.dtype, np.float32).type
    root, n = 1 / np.sqrt(_single(var) + wide(eps)), wide(rows.shape[1])
    weight = np.ones(rows.shape[1], wide) if weight is None else weight.reshape(-1)
    dx, (dweight, dbias) = np.empty(rows.shape, rows.dtype), np.zeros((2, len(weight)), wide)
    scratch = np.empty_like(rows[:_step(rows)], wide)
    for part in _blocks(rows):
        up, far, r = _in_order(_single(g[part])), scratch[:len(dx[part])], root[part]
        centre = (np.matmul(up, weight) / n)[:, None]
        if shapes[2]:
            dbias += np.matmul(np.ones(len(up), wide), up)
        np.subtract(rows[part], mean[part], out=far)
        out = np.multiply(up, far, out=dx[part] if rows.itemsize > 2 else None)
        if shapes[1]:
            dweight += np.matmul(r[:, 0], out)
        far *= np.matmul(out, weight)[:, None] / -n * r * r
        np.multiply(up, weight, out=out)
        out -= centre
        out += far
        out *= r
        if rows.itemsize == 2:
            dx[part] = out
    return dx, dweight.astype(rows.dtype, copy=False), dbias.astype(rows.dtype, copy=False)
