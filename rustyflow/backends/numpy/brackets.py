"""Reading, writing and adding at index arrays that broadcast together, array k along axis dims[k]: square brackets."""
from __future__ import annotations

import itertools as _itertools
from math import comb as _comb

import numpy as np

from ...layout import axis_order as _axis_order, check_extent as _check_extent
from .axis import from_front as _from_front, need_below as _need_below
from .core import write as _write
from .index import index_add as _index_add
from .runs import RUN as _RUN


def index(a, dims, arrays):
    """Read `a` at index arrays, into a fresh row-major array."""
    if len(dims) == 1 and a.flags.c_contiguous:
        return a.take(arrays[0], dims[0])
    if dims == (*range(len(dims)),):
        y = a[arrays]
        return y if y.flags.c_contiguous else y.copy()
    return _read(a, dims, arrays)


def brackets(a, dims, arrays):
    """`index` for square brackets: the result has PyTorch's strides.

    These are those of an elementwise result, of `a` repeated along the index arrays' axes, and of the index arrays
    repeated along the other axes.
    """
    if all([at.flags.c_contiguous for at in arrays]):
        if a.flags.c_contiguous:
            return index(a, dims, arrays)
        if dims == (0,) and 0 not in a.strides and [*a.strides] == sorted(a.strides, reverse=True):
            return a[arrays[0]]  # rows of a part of a tensor: NumPy's result is row-major
    return _read(a, dims, arrays, as_elementwise=True)


def _read(a, dims, arrays, as_elementwise=False):
    """Read at index arrays; a part at a time where NumPy's result would have another order of axes."""
    try:
        given, arrays = arrays, np.broadcast_arrays(*arrays)
    except ValueError as error:
        raise IndexError(*error.args) from None
    rest, rank = [d for d in range(a.ndim) if d not in dims], arrays[0].ndim
    first = dims[0] if dims[-1] - dims[0] == len(dims) - 1 else 0
    axes = rest[:first] + [None] * rank + rest[first:]
    shape = [*[a.shape[d] for d in rest[:first]], *arrays[0].shape, *[a.shape[d] for d in rest[first:]]]
    order = tuple(range(len(axes)))
    if as_elementwise:
        own = [0 if d is None or a.shape[d] == 1 else a.strides[d] for d in axes]
        order = _axis_order(shape, own, *[(0,) * first + at.strides + (0,) * (len(rest) - first) for at in arrays])
    back = [order.index(k) for k in range(len(axes))]
    if [axes[k] for k in order] == [None] * rank + rest:  # NumPy's own order: the arrays' axes first
        turn = [k - first for k in order[:rank]]
        turned = [at.transpose(turn) for at in arrays]
        if _axis_order(turned[0].shape, *[at.strides for at in turned]) == (*range(rank),):
            y = a[_key(dims, given if turn == sorted(turn) else turned)]
            y = np.moveaxis(y, range(first, first + rank), range(rank))
            return (y if y.flags.c_contiguous else y.copy()).transpose(back)
    y, d = np.empty([shape[k] for k in order], a.dtype).transpose(back), order[0]
    step = max(4 * _RUN * shape[d] // max(y.size, 1), 1)
    for k in range(0, shape[d], step):
        part = slice(k, k + step)
        here = a if axes[d] is None else a[(slice(None),) * axes[d] + (part,)]
        some = arrays if axes[d] is not None else [at[(slice(None),) * (d - first) + (part,)] for at in arrays]
        _write(y[(slice(None),) * d + (part,)], here[_key(dims, some)])
    return y


def _key(dims, arrays):
    key = [slice(None)] * (dims[-1] + 1)
    for dim, array in zip(dims, arrays):
        key[dim] = array
    return tuple(key)


def index_zeros(g, shape, dims, arrays):
    """The dual of `index`: zeros of `shape` with g added where it was read; repeated indices add up."""
    arrays = np.broadcast_arrays(*arrays)
    if len(dims) == 1:
        d, rows = dims[0], arrays[0]
        rows = _from_front(rows, shape[d])
        return _index_add(np.zeros(shape, g.dtype), d, rows, g.reshape(*shape[:d], rows.size, *shape[d + 1:]))
    sizes, rest, rank = [shape[d] for d in dims], [d for d in range(len(shape)) if d not in dims], arrays[0].ndim
    first = dims[0] if dims[-1] - dims[0] == len(dims) - 1 else 0
    out, inner = np.zeros([shape[d] for d in (*dims, *rest)], g.dtype), [shape[d] for d in rest]
    if g.size:
        cells, g = out.reshape(-1, *inner), np.moveaxis(g, range(first, first + rank), range(rank))
        step = max(_RUN * len(g) // g.size, 1)
        for k in range(0, len(g), step):
            rows = 0
            for n, at in zip(sizes, arrays):
                at = _from_front(at[k:k + step], n)
                _need_below(at, n)
                rows = rows * n + at
            _index_add(cells, 0, rows, g[k:k + step].reshape(rows.size, *inner))
    order = *dims, *rest
    return out if order == (*range(len(order)),) else out.transpose(np.argsort(order))


def index_put(a, dims, arrays, values, accumulate=False):
    """Write values at index arrays into `a` itself, or add them; returns it. Without cells any index will do."""
    if not a.size:
        return a
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


def choices(n, r, again):
    """Every choice of r of the indices 0 to n - 1, one per row.

    Each stands at most once unless they may come again.
    """
    count = _comb(n + r - 1 if again and n else n, r)
    _check_extent((count, r))
    rows = (_itertools.combinations_with_replacement if again else _itertools.combinations)(range(n), r)
    return np.fromiter(_itertools.chain.from_iterable(rows), np.int64, count * r).reshape(count, r)
