"""Reading, writing and adding by index arrays."""
from __future__ import annotations

import itertools as _itertools
from math import comb as _comb, prod as _prod

import numpy as np

from ...layout import axis_order as _axis_order
from .core import dense as _dense, dense_as as _dense_as, in_order as _in_order, write as _write
from .runs import RUN as _RUN, in_parts as _in_parts


def index(a, dims, arrays):
    """Read `a` at index arrays that broadcast together, array k along axis dims[k]: a fresh row-major array."""
    if len(dims) == 1 and a.flags.c_contiguous:
        return a.take(arrays[0], dims[0])
    key, adjacent = _key(dims, arrays), dims[-1] - dims[0] == len(dims) - 1
    if not dims[0] or not adjacent:
        return _in_order(a[key])
    step = max(4 * _RUN * len(a) // max(a.size, 1), 1)  # NumPy lays what was read in another order
    return _in_parts(lambda part: (_in_order(part[key]),), a, 0, step)[0]


def brackets(a, dims, arrays):
    """`index` as square brackets read, whose result lies as PyTorch's does.

    That is as the result of an elementwise function would lie, of `a`, repeated along the index arrays' axes, and of
    the index arrays, repeated along the others.
    """
    if a.flags.c_contiguous and all([at.flags.c_contiguous for at in arrays]):
        return index(a, dims, arrays)
    read, arrays = a[_key(dims, arrays)], np.broadcast_arrays(*arrays)
    rest, rank = [d for d in range(a.ndim) if d not in dims], arrays[0].ndim
    first = dims[0] if dims[-1] - dims[0] == len(dims) - 1 else 0
    axes = rest[:first] + [None] * rank + rest[first:]
    steps = [0 if d is None or a.shape[d] == 1 else a.strides[d] for d in axes]
    others = [(0,) * first + at.strides + (0,) * (len(rest) - first) for at in arrays]
    order = _axis_order(read.shape, steps, *others)
    if order == (*range(read.ndim),):
        return _in_order(read)
    y = np.empty([read.shape[k] for k in order], a.dtype).transpose([order.index(k) for k in range(read.ndim)])
    _write(y, read)
    return y


def _key(dims, arrays):
    key = [slice(None)] * (dims[-1] + 1)
    for dim, array in zip(dims, arrays):
        key[dim] = array
    return tuple(key)


def index_zeros(g, shape, dims, arrays):
    """The dual of `index`: zeros of `shape` with g added where it was read; repeated indices add up."""
    rest = [d for d in range(len(shape)) if d not in dims]
    sizes, arrays = [shape[d] for d in dims], np.broadcast_arrays(*arrays)
    rows = np.zeros(arrays[0].shape, np.int64)
    for n, at in zip(sizes, arrays):
        rows *= n
        rows += at
        rows[at < 0] += n
    if len(dims) == 1:
        d, = dims
        return index_add(np.zeros(shape, g.dtype), d, rows, g.reshape(*shape[:d], rows.size, *shape[d + 1:]))
    first, order = dims[0] if dims[-1] - dims[0] == len(dims) - 1 else 0, [*dims, *rest]
    g = np.moveaxis(g, range(first, first + rows.ndim), range(rows.ndim))
    out = np.zeros([shape[d] for d in order], g.dtype)
    if g.size:
        index_add(out.reshape(_prod(sizes), -1), 0, rows, g.reshape(rows.size, -1))
    return out if order == sorted(order) else out.transpose(np.argsort(order))


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


def _memory(a):
    """The slots from the first cell of `a` to its last, as one axis."""
    if a.flags.c_contiguous or not a.size:
        return a.reshape(-1)
    span = 1 + sum([(n - 1) * s for n, s in zip(a.shape, a.strides)]) // a.itemsize
    return np.lib.stride_tricks.as_strided(a, (span,), (a.itemsize,))


def _slots(a, dim, index):
    """Which slots of `a`'s memory index names along dim, for each of its own cells."""
    step, rest = a.strides[dim] // a.itemsize, 0
    for d, n in enumerate(index.shape):
        if d != dim and n > 1:
            rest = rest + (np.arange(n) * (a.strides[d] // a.itemsize)).reshape((-1,) + (1,) * (index.ndim - 1 - d))
    if step == 1:
        return index + rest
    slots = np.multiply(index, step, dtype=np.int64)
    slots += rest
    return slots


def _along(a, dim, index):
    """Runs of index along its first axis; for each the memory of `a` (of that run, unless dim is 0), and its slots."""
    if not a.ndim or not index.ndim:
        yield ..., a.reshape(-1), index
    elif index.size:
        rows = max(1, _RUN * len(index) // index.size)
        for k in range(0, len(index), rows):
            part = slice(k, k + rows)
            here = a[part] if dim else a
            yield part, _memory(here), _slots(here, dim, index[part])


def _covered(src, index):
    """The part of src that index covers, a number as it is."""
    return src[tuple([slice(0, n) for n in index.shape or (1,)])] if np.ndim(src) else src


def gather(a, dim, index):
    out = np.empty(index.shape, a.dtype)
    a = a if not a.ndim or min(a.strides) >= 0 else a.copy()
    if index.ndim > 1 and index.strides[0] < index.strides[-1]:  # go in the order in which its cells lie
        for part, memory, slots in _along(a.T, index.ndim - 1 - dim, index.T):
            out.T[part] = memory.take(slots, mode="clip")
        return out
    for part, memory, slots in _along(a, dim, index):
        memory.take(slots, out=out[part], mode="clip")
    return out


def scatter_write(a, dim, index, src):
    """a[index[i, j], j] = src[i, j] along dim, into `a` itself; the last of several writes to a cell stays."""
    src = _covered(src, index)
    for part, memory, slots in _along(a, dim, index):
        memory[slots.reshape(-1)] = src[part].reshape(-1) if np.ndim(src) else src
    return a


def scatter_join(ufunc, a, dim, index, src, times=1):
    """The same with a ufunc in place of the assignment, so that every write counts; of src times a number."""
    src = _covered(src, index)
    for part, memory, slots in _along(a, dim, index):
        more = src[part].reshape(-1) if np.ndim(src) else src
        ufunc.at(memory, slots.reshape(-1), more if times == 1 else more * times)
    return a


def scatter_clear(a, dim, index):
    """A copy with 0 in the cells that a scatter writes."""
    return scatter_write(np.array(a), dim, index, 0)


def scatter_add_zeros(a, shape, dim, index):
    """The dual of `gather`: zeros of `shape` with `a` added where it was read."""
    return scatter_join(np.add, np.zeros(shape, a.dtype), dim, index, a)


def index_add(a, dim, index, source, alpha=1):
    """Add slices of `source`, times alpha, to the slices of `a` that index names, into `a` itself."""
    index = index.reshape(-1)
    if a.ndim < 2:
        return scatter_join(np.add, a, 0, index, source.reshape(-1), alpha)
    if index.size and source.size >= 8 * index.size and np.bincount(index).max() == 1:
        front, source, step = _front(a, dim), _front(source, dim), max(1, _RUN * index.size // source.size)
        for k in range(0, index.size, step):
            more = source[k:k + step]
            front[index[k:k + step]] += more if alpha == 1 else more * alpha
        return a
    index = np.broadcast_to(index.reshape([-1 if d == dim else 1 for d in range(a.ndim)]), source.shape)
    return scatter_join(np.add, a, dim, index, source, alpha)


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
    return fill_slices(_dense_as(a), dim, index, value)


def fill_slices(a, dim, index, value):
    """Write one value into the slices of `a` itself that index names."""
    _front(a, dim)[index] = value
    return a


def fill_where(a, mask, value):
    """Write one value into `a` itself where mask is True."""
    np.copyto(a, value, where=mask)


def write_where(a, mask, source):
    """Write the first cells of `source`, in order, into `a` itself where mask is True."""
    a[mask] = source.reshape(-1)[:np.count_nonzero(mask)]


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
    return tuple(_places(a))


def argwhere(a):
    """The same as rows, one per cell found."""
    return _places(a).T[:, :a.ndim]


def _places(a):
    """A row per axis, found a part of `a` at a time."""
    a, at = np.atleast_1d(a), 0
    found = np.empty((a.ndim, np.count_nonzero(a)), np.int64)
    step = max(_RUN // 2 * len(a) // max(a.size, 1), 1)
    for k in range(0, len(a), step):
        part = a[k:k + step].nonzero()
        stop = at + len(part[0])
        for row, places in zip(found, part):
            row[at:stop] = places
        found[0, at:stop] += k
        at = stop
    return found


def choices(n, r, again):
    """Every choice of r of the indices 0 to n - 1, one per row; each at most once unless they may come again."""
    count = _comb(n + r - 1 if again and n else n, r)
    rows = (_itertools.combinations_with_replacement if again else _itertools.combinations)(range(n), r)
    return np.fromiter(_itertools.chain.from_iterable(rows), np.int64, count * r).reshape(count, r)


def tril(a, k, out=None):
    """A copy with 0 above a diagonal; or `out`, which is a, itself."""
    out = _dense(a) if out is None else out
    np.copyto(out, False, where=np.tri(a.shape[-1], a.shape[-2], -k - 1, dtype=bool).T)
    return out


def triu(a, k, out=None):
    """A copy with 0 below a diagonal; or `out`, which is a, itself."""
    out = _dense(a) if out is None else out
    np.copyto(out, False, where=np.tri(a.shape[-2], a.shape[-1], k - 1, dtype=bool))
    return out


def diag_embed(a, shape, offset, dim1, dim2):
    """Zeros of `shape` with `a` on a diagonal."""
    out = np.zeros(shape, a.dtype)
    n, down, right = a.shape[-1], max(-offset, 0), max(offset, 0)
    square = np.moveaxis(out, (dim1, dim2), (-2, -1))[..., down:down + n, right:right + n]
    np.einsum("...ii->...i", square)[...] = a  # a view; that of np.diagonal cannot be written to
    return out
