"""Reading, writing and adding by index arrays."""
from __future__ import annotations

from math import prod as _prod

import numpy as np


def index(a, dims, arrays):
    """Read `a` at index arrays that broadcast together, array k along axis dims[k]: a fresh row-major array."""
    if len(dims) == 1 and a.flags.c_contiguous:
        return a.take(arrays[0], dims[0])
    return np.asarray(a[_key(dims, arrays)], order="C")


def _key(dims, arrays):
    key = [slice(None)] * (dims[-1] + 1)
    for dim, array in zip(dims, arrays):
        key[dim] = array
    return tuple(key)


def index_zeros(g, shape, dims, arrays):
    """The dual of `index`: zeros of `shape` with g added where it was read; repeated indices add up."""
    rest = [d for d in range(len(shape)) if d not in dims]
    sizes, arrays = [shape[d] for d in dims], np.broadcast_arrays(*arrays)
    rows = np.zeros((), np.int64)
    for n, at in zip(sizes, arrays):
        rows = rows * n + np.where(at < 0, at + n, at)
    first = dims[0] if dims[-1] - dims[0] == len(dims) - 1 else 0
    g = np.moveaxis(g, range(first, first + rows.ndim), range(rows.ndim))
    inner = _prod(shape[d] for d in rest)
    out = np.zeros(_prod(sizes) * inner, g.dtype)
    np.add.at(out, (rows.reshape(-1, 1) * inner + np.arange(inner)).reshape(-1), g.reshape(-1))
    return out.reshape(sizes + [shape[d] for d in rest]).transpose(np.argsort([*dims, *rest]))


def index_put(a, dims, arrays, values, accumulate=False):
    """Write values at index arrays into `a` itself, or add them; returns it."""
    if accumulate:
        np.add.at(a, _key(dims, arrays), values)
    else:
        a[_key(dims, arrays)] = values
    return a


def index_clear(a, dims, arrays):
    """A copy with 0 at index arrays."""
    a = np.array(a)
    a[_key(dims, arrays)] = 0
    return a


def _window(index, dim):
    """The part of an operand that an index array covers: all of `dim`, and no more than the index elsewhere."""
    return tuple(slice(None) if d == dim else slice(0, n) for d, n in enumerate(index.shape))


def _covered(index):
    return tuple(slice(0, n) for n in index.shape)


def _slots(shape, dim, index):
    """The slots of a row-major array of `shape` that index names along dim, for each of its own cells."""
    slots, step = np.zeros((1,) * index.ndim, np.int64), 1
    for d in range(index.ndim - 1, -1, -1):
        at = index if d == dim else np.arange(index.shape[d]).reshape((-1,) + (1,) * (index.ndim - 1 - d))
        slots, step = slots + (at if step == 1 else at * step), step * shape[d]
    return slots


def gather(a, dim, index):
    if not a.ndim or not index.ndim:
        return a.reshape(-1)[index]
    if a.flags.c_contiguous:
        return a.reshape(-1).take(_slots(a.shape, dim, index))
    return np.take_along_axis(a[_window(index, dim)], index, dim)


def scatter_write(a, dim, index, src):
    """a[index[i, j], j] = src[i, j] along dim, into `a` itself; the last of several writes to a cell stays."""
    if not a.ndim or not index.ndim:
        a.reshape(-1)[index] = src
    elif index.size:
        np.put_along_axis(a[_window(index, dim)], index, src[_covered(index)] if np.ndim(src) else src, dim)
    return a


def scatter_join(ufunc, a, dim, index, src):
    """The same with a ufunc in place of the assignment, so that every write counts; `a` is row-major."""
    src = src[_covered(index)].reshape(-1) if np.ndim(src) else src
    slots = _slots(a.shape, dim, index).reshape(-1) if a.ndim and index.ndim else index.reshape(-1)
    ufunc.at(a.reshape(-1), slots, src)
    return a


def scatter_clear(a, dim, index):
    """A copy with 0 in the cells that a scatter writes."""
    a = np.array(a)
    scatter_write(a, dim, index, 0)
    return a


def scatter_add_zeros(a, shape, dim, index):
    """The dual of `gather`: zeros of `shape` with `a` added where it was read."""
    out = np.zeros(_prod(shape), a.dtype)
    if not shape or not index.ndim:
        np.add.at(out, index.reshape(-1), a.reshape(-1))
        return out.reshape(shape)
    np.add.at(out, _slots(shape, dim, index).reshape(-1), a[_covered(index)].reshape(-1))
    return out.reshape(shape)


def index_add(a, dim, index, source):
    """Add slices of `source` to the slices of `a` that index names, into `a` itself, which is row-major."""
    if not a.ndim:
        np.add.at(a.reshape(1), index.reshape(-1), source.reshape(-1))
        return a
    inner = _prod(a.shape[dim + 1:])
    starts = np.arange(_prod(a.shape[:dim])).reshape(-1, 1, 1) * (a.shape[dim] * inner)
    np.add.at(a.reshape(-1), (starts + index.reshape(-1, 1) * inner + np.arange(inner)).reshape(-1), source.reshape(-1))
    return a


def index_copy(a, dim, index, source):
    """Put slices of `source` in place of the slices of `a` that index names, into `a` itself."""
    _front(a, dim)[index.reshape(-1)] = _front(source, dim)
    return a


def _front(a, dim):
    return np.moveaxis(a, dim, 0) if a.ndim else a.reshape(1)


def index_select(a, dim, index):
    return np.moveaxis(_front(a, dim)[index.reshape(-1)], 0, dim) if a.ndim else a.reshape(1)[index]


def index_fill(a, dim, index, value):
    """A copy of `a` with one value in the slices that index names."""
    a = np.array(a)
    _front(a, dim)[index] = value
    return a


def fill_where(a, mask, value):
    """Write one value into `a` itself where mask is True."""
    np.copyto(a, value, where=mask)


def masked_select(a, mask):
    return a[mask]


def masked_place(g, mask):
    """Zeros of mask's shape with g, in order, where it is True."""
    out = np.zeros(mask.shape, g.dtype)
    out[mask] = g.reshape(-1)[:np.count_nonzero(mask)]
    return out


def first_places(g, shape):
    """Zeros of `shape` whose first cells hold g's."""
    out = np.zeros(_prod(shape), g.dtype)
    out[:g.size] = g.reshape(-1)
    return out.reshape(shape)


def nonzero(a):
    """The index of every cell that is not 0, one array per axis (one for a 0-d array)."""
    return tuple([np.ascontiguousarray(at) for at in np.atleast_1d(a).nonzero()])


def tril(a, k):
    return np.tril(a, k)


def triu(a, k):
    return np.triu(a, k)


def diag_embed(a, shape, offset, dim1, dim2):
    """Zeros of `shape` with `a` on a diagonal."""
    out = np.zeros(shape, a.dtype)
    rows = np.arange(a.shape[-1])
    np.moveaxis(out, (dim1, dim2), (-2, -1))[..., rows + max(-offset, 0), rows + max(offset, 0)] = a
    return out
