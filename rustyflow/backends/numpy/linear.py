"""The linear layer, and the embedding, which is a linear layer of one-hot rows."""
from __future__ import annotations

from math import isfinite as _isfinite

import numpy as np

from .axis import need_below as _need_below
from .halves import product as _product
from .index import index_add as _index_add
from .runs import RUN as _RUN


def linear(x, weight, bias):
    """x @ weight.T + bias; many axes of x are one product of all rows."""
    y = _product(x if x.ndim == 2 else x.reshape(-1, x.shape[-1]) if x.size else x, weight.T)
    if bias is not None:
        if bias.ndim < 2:
            y += bias
        else:
            return y.reshape(x.shape[:-1] + weight.shape[:1]) + bias
    return y if x.ndim == 2 else y.reshape(x.shape[:-1] + weight.shape[:1])


def read_rows(weight, index):
    """Rows of a table; some at a time if it is not row-major.

    NumPy's take would first copy all of it.
    """
    if weight.flags.c_contiguous and index.size:
        return weight.take(index, 0)
    y, rows = np.empty((index.size, weight.shape[1]), weight.dtype), index.ravel()
    step = max(_RUN // max(weight.shape[1], 1), 1)
    for k in range(0, index.size, step):
        y[k:k + step] = weight[rows[k:k + step]]
    return y.reshape(index.shape + weight.shape[1:])


_FEW = 1 << 21  # products in a one-hot matmul: below this it is faster than adding row by row


def embedding_rows(g, index, count, padding_idx):
    """The dual of `read_rows`: `count` rows of zeros with g added to the rows that were read, but for padding_idx."""
    _need_below(index, count)
    index, g = index.reshape(-1), g.reshape(index.size, g.shape[-1])
    if padding_idx >= 0:
        kept = np.flatnonzero(index != padding_idx)
        index, g = index[kept], g[kept]
    if count * index.size * g.shape[1] <= _FEW and _isfinite(np.vdot(g, g)):  # 0 times infinity would be NaN
        return _product((np.arange(count)[:, None] == index).astype(g.dtype), g)
    return _index_add(np.zeros((count, g.shape[1]), g.dtype), 0, index, g)


def one_hot(index, count):
    out = np.zeros((index.size, count), np.int64)
    out[np.arange(index.size), index.reshape(-1)] = 1
    return out.reshape(index.shape + (count,))
