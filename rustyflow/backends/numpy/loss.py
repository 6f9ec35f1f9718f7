"""Losses on classes: reading and writing one cell per target."""
from __future__ import annotations

import numpy as np

from .softmax import softmax as _softmax


def _weights(target, weight, ignore, dtype):
    """What each target counts, and a class number to read for each; None where all count 1."""
    counted = target != ignore
    if counted.all():
        return target, None if weight is None else weight[target]
    safe = np.where(counted, target, 0)
    return safe, counted.astype(dtype) if weight is None else np.where(counted, weight[safe], 0).astype(dtype)


def _total(counts, target, dtype):
    return dtype.type(target.size) if counts is None else np.add.reduce(counts, axis=None)


def nll(x, target, weight, ignore, reduction):
    """-x at the targets along the class axis, weighed; averaged by weight, summed, or as it is."""
    target, counts = _weights(target, weight, ignore, x.dtype)
    dim = min(1, x.ndim - 1)
    if x.ndim == 2:
        each = -x[np.arange(len(x)), target]
    else:
        each = -np.take_along_axis(x, np.expand_dims(target, dim).astype(np.int64, copy=False), dim).reshape(target.shape)
    if counts is not None:
        each = np.where(counts == 0, 0, each * counts)
    if reduction == "none":
        return each
    return np.add.reduce(each, axis=None) / _total(counts, target, x.dtype) if reduction == "mean" else np.add.reduce(each, axis=None)


def _shares(g, target, weight, ignore, reduction):
    """For every target, what its cell receives."""
    target, counts = _weights(target, weight, ignore, g.dtype)
    share = -g / _total(counts, target, g.dtype) if reduction == "mean" else -g
    return target, np.broadcast_to(share, target.shape) if counts is None else np.where(counts == 0, 0, share * counts)


def nll_input(g, target, weight, shape, ignore, reduction):
    """The gradient of `nll` for its input of `shape`."""
    target, shares = _shares(g, target, weight, ignore, reduction)
    out, dim = np.zeros(shape, g.dtype), min(1, len(shape) - 1)
    np.put_along_axis(out, np.expand_dims(target, dim).astype(np.int64, copy=False), np.expand_dims(shares, dim), dim)
    return out


def cross_entropy_input(g, x, target, weight, ignore, reduction):
    """The gradient of nll(log_softmax(x)): softmax(x) less 1 at the target, times what the target receives."""
    target, shares = _shares(g, target, weight, ignore, reduction)
    dim = min(1, x.ndim - 1)
    dx = _softmax(x, dim)
    if x.ndim == 2:
        dx *= -shares[:, None]
        dx[np.arange(len(x)), target] += shares
        return dx
    shares = np.expand_dims(shares, dim)
    dx *= -shares
    at = np.expand_dims(target, dim).astype(np.int64, copy=False)
    np.put_along_axis(dx, at, np.take_along_axis(dx, at, dim) + shares, dim)
    return dx
