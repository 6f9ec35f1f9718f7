"""Reading and writing by index arrays."""
from __future__ import annotations

import numpy as np


def _window(index, shape, dim):
    """The part of an operand that an index array covers: all of `dim`, and no more than the index elsewhere."""
    return tuple(slice(None) if d == dim else slice(0, n) for d, n in enumerate(index.shape)) if shape else ()


def gather(a, dim, index):
    if not a.ndim or not index.ndim:
        return a.reshape(-1)[index]
    return np.take_along_axis(a[_window(index, a.shape, dim)], index, dim)


def scatter_add_zeros(a, shape, dim, index):
    out = np.zeros(shape, a.dtype)
    if not out.ndim or not index.ndim:
        np.add.at(out.reshape(-1), index, a)
        return out
    at = list(np.indices(index.shape, sparse=True))
    at[dim] = index
    np.add.at(out, tuple(at), a[tuple(slice(0, n) for n in index.shape)])
    return out
