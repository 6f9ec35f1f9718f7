"""Reductions along dims. `dim` is None (everything), an int or a tuple of ints; `shape` arguments are tuples."""
from __future__ import annotations

import numpy as np


def sum(a, dim=None, keepdim=False):
    return np.add.reduce(a, axis=dim, keepdims=keepdim)


def amax(a, dim=None, keepdim=False):
    return np.maximum.reduce(a, axis=dim, keepdims=keepdim)


def amin(a, dim=None, keepdim=False):
    return np.minimum.reduce(a, axis=dim, keepdims=keepdim)


def restore(g, dim, keepdim, ndim):
    """Give a reduced array its lost axes back as axes of size 1, ready to broadcast."""
    if keepdim or not ndim:
        return g
    if dim is None:
        return g.reshape((1,) * ndim)
    return np.expand_dims(g, dim)


def max_dim(a, dim, keepdim):
    at = np.argmax(a, axis=dim, keepdims=True)
    values = np.take_along_axis(a, at, dim)
    return (values, at) if keepdim else (values.squeeze(dim), at.squeeze(dim))
