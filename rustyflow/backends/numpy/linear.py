"""The linear layer, and the embedding, which is a linear layer of one-hot rows."""
from __future__ import annotations

import numpy as np

from .index import index_add as _index_add


def linear(x, weight, bias):
    """x @ weight.T + bias; many axes of x are one product of all rows."""
    y = np.matmul(x if x.ndim == 2 else x.reshape(-1, x.shape[-1]) if x.size else x, weight.T)
    if bias is not None:
        if bias.ndim < 2:
            y += bias
        else:
            return y.reshape(x.shape[:-1] + weight.shape[:1]) + bias
    return y if x.ndim == 2 else y.reshape(x.shape[:-1] + weight.shape[:1])


def read_rows(weight, index):
    return weight.take(index, 0) if index.size else np.empty(index.shape + weight.shape[1:], weight.dtype)


_FEW = 1 << 21  # products in a one-hot matmul: below this it is faster than adding row by row


def embedding_rows(g, index, count, padding_idx):
    """The dual of `read_rows`: `count` rows of zeros with g added to the rows that were read, but for padding_idx."""
    index, g = index.reshape(-1), g.reshape(index.size, g.shape[-1])
    if padding_idx >= 0:
        kept = np.flatnonzero(index != padding_idx)
        index, g = index[kept], g[kept]
    if count * index.size * g.shape[1] <= _FEW:
        return np.matmul((np.arange(count)[:, None] == index).astype(g.dtype), g)
    return _index_add(np.zeros((count, g.shape[1]), g.dtype), 0, index, g)


def one_hot(index, count):
    out = np.zeros((index.size, count), np.int64)
    out[np.arange(index.size), index.reshape(-1)] = 1
    return out.reshape(index.shape + (count,))
