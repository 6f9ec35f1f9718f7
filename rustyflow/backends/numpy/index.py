"""Reading, writing and adding by an index array along one axis, a mask, or a diagonal's side."""
from __future__ import annotations

from math import prod as _prod

import numpy as np

from .axis import are_below, from_front as _from_front, need_below as _need_below
from .core import dense as _dense, dense_as as _dense_as
from .halves import single as _single
from .runs import RUN as _RUN
from .settings import visited as _visited


def _memory(a):
    """The slots from the first cell of `a` to its last, as one axis."""
    if a.flags.c_contiguous or not a.size:
        return a.reshape(-1)
    span = 1 + sum([(n - 1) * s for n, s in zip(a.shape, a.strides)]) // a.itemsize
    return np.lib.stride_tricks.as_strided(a, (span,), (a.itemsize,))


def _slots(a, dim, index):
    """For each cell of index, the slot of `a`'s memory that it names along dim."""
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
    """Yields (run, memory, slots): runs of index along its first axis.

    For each the memory of `a` and its slots there.
    """
    _need_below(index, a.shape[dim] if a.ndim else 1)
    if not a.ndim or not index.ndim:
        yield ..., a.reshape(-1), index
    elif index.size:
        rows = max(1, _RUN * len(index) // index.size)
        for k in range(0, len(index), rows):
            part = slice(k, k + rows)
            here = a[part] if dim else a
            yield part, _memory(here), _slots(here, dim, index[part])


def _covered(src, index):
    """The part of src that index covers; src itself if it is a number, or if index has no cells."""
    if not index.size:
        return src
    return src[tuple([slice(0, n) for n in index.shape or (1,)])] if np.ndim(src) else src


def gather(a, dim, index):
    out = np.empty(index.shape, a.dtype)
    a = a if not a.ndim or min(a.strides) >= 0 else a.copy()
    if index.ndim > 1 and index.strides[0] < index.strides[-1]:  # read it in the order of its memory
        for part, memory, slots in _along(a.T, index.ndim - 1 - dim, index.T):
            out.T[part] = memory.take(slots, mode="wrap")
        return out
    for part, memory, slots in _along(a, dim, index):
        memory.take(slots, out=out[part], mode="wrap")
    return out


def take(a, index):
    """The cells of the flattened `a` at index, row-major; negative numbers count from the end.

    A large array that is not contiguous is not flattened: its slots are computed, in 32 bits where these suffice,
    because NumPy divides them several times as fast as 64.
    """
    if a.flags.c_contiguous or a.size <= _RUN:
        return a.reshape(-1).take(index)
    below = are_below(index, a.size)
    if not below and not -a.size <= index.min() <= index.max() < a.size:
        raise IndexError("outside")
    memory, at = _memory(a), np.atleast_1d(index)
    sizes, steps = np.array(a.shape), np.floor_divide(a.strides, a.itemsize)
    jumps = steps[:-1] - sizes[1:] * steps[1:]  # slots from past a row's end to the next row
    whole = np.uint32 if max(memory.size, a.size) < 1 << 32 else np.int64
    sizes, steps, jumps = [n.astype(whole) for n in (sizes, steps, jumps)]
    out, few = np.empty(index.shape, a.dtype), max(1, _RUN * len(at) // max(1, at.size))
    found = np.atleast_1d(out)
    for k in range(0, len(at), few):
        rows = (at[k:k + few] if below else _from_front(at[k:k + few], a.size)).astype(sizes.dtype)
        slots = rows * steps[-1]
        for size, jump in zip(sizes[:0:-1], jumps[::-1]):
            rows //= size
            slots += rows * jump
        memory.take(slots, out=found[k:k + few], mode="wrap")
    return out


def scatter_write(a, dim, index, src):
    """a[index[i, j], j] = src[i, j] along dim, into `a` itself; the last of several writes to a cell stays."""
    src = _covered(src, index)
    for part, memory, slots in _along(a, dim, index):
        memory[slots.reshape(-1)] = src[part].reshape(-1) if np.ndim(src) else src
    return a


def scatter_join(ufunc, a, dim, index, src, times=1):
    """`scatter_write` with a ufunc in place of the assignment, so that every write counts; src is multiplied by
    `times`.
    """
    if a.dtype == np.float16 and ufunc is np.add:
        a[...] = scatter_join(ufunc, _single(a), dim, index, _single(src), times)
        return a
    src = _covered(src, index)
    for part, memory, slots in _along(a, dim, index):
        more = src[part].reshape(-1) if np.ndim(src) else src
        ufunc.at(memory, slots.reshape(-1), more if times == 1 else more * times)
    return a


def scatter_reduce(a, dim, index, src, reduce, include_self):
    """Joins the cells of src that index sends to one cell of `a` into `a`.

    With that cell itself if it is included.
    """
    join, nothing = _JOINS[reduce](a.dtype)
    if not include_self:
        scatter_write(a, dim, index, nothing)
    scatter_join(join, a, dim, index, src)
    if reduce == "mean":
        counts = scatter_join(np.add, np.full(a.shape, int(include_self)), dim, index, 1)
        np.maximum(counts, 1, out=counts)
        a[...] = a / counts.astype(a.dtype) if a.dtype.kind == "f" else a // counts
    return a


def _ends(dtype):
    """The smallest and the largest number of a dtype."""
    if dtype.kind == "f":
        return -np.inf, np.inf
    return (False, True) if dtype.kind == "b" else (np.iinfo(dtype).min, np.iinfo(dtype).max)


_JOINS = {
    "sum": lambda dtype: (np.add, 0), "mean": lambda dtype: (np.add, 0), "prod": lambda dtype: (np.multiply, 1),
    "amax": lambda dtype: (np.maximum, _ends(dtype)[0]), "amin": lambda dtype: (np.minimum, _ends(dtype)[1]),
}


def scatter_clear(a, dim, index):
    """A copy with 0 in the cells that a scatter writes."""
    return scatter_write(np.array(a), dim, index, 0)


def scatter_add_zeros(a, shape, dim, index):
    """The dual of `gather`: zeros of `shape` with `a` added where it was read."""
    return scatter_join(np.add, np.zeros(shape, a.dtype), dim, index, a)


def index_add(a, dim, index, source, alpha=1):
    """Add slices of `source`, times alpha, to the slices of `a` that index names, into `a` itself."""
    index = index.reshape(-1)
    if not a.size:
        return a
    if a.ndim < 2:
        return scatter_join(np.add, a, 0, index, source.reshape(-1), alpha)
    _need_below(index, a.shape[dim])
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
    if not a.ndim:
        return a.reshape(1)
    return np.moveaxis(a, dim, 0) if dim else a


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
    """`nonzero` as rows, one per cell found."""
    return _places(a).T[:, :a.ndim]


def _places(a):
    """The indices of the nonzero cells, one row per axis, found a part of `a` at a time."""
    a, at = np.atleast_1d(a), 0
    found = np.empty((a.ndim, np.count_nonzero(_visited(a))), np.int64)
    step = max(_RUN // 2 * len(a) // max(a.size, 1), 1)
    for k in range(0, len(a), step):
        part = a[k:k + step].nonzero()
        stop = at + len(part[0])
        for row, places in zip(found, part):
            row[at:stop] = places
        found[0, at:stop] += k
        at = stop
    return found


def tril(a, k, out=None):
    """A copy with 0 above a diagonal; with `out`, which is `a` itself, in place."""
    out = _dense(a) if out is None else out
    _clear_above(out, k)
    return out


def triu(a, k, out=None):
    """A copy with 0 below a diagonal (above it, with both axes reversed).

    With `out`, which is `a` itself, it is done in place.
    """
    out = _dense(a) if out is None else out
    _clear_above(out[..., ::-1, ::-1], a.shape[-1] - a.shape[-2] - k)
    return out


def _clear_above(a, k):
    """Writes 0 above a diagonal, a band of rows at a time.

    First the columns right of it, then the triangle that it crosses.
    """
    for i in range(0, a.shape[-2] if a.size else 0, _BAND):
        band = a[..., i:i + _BAND, :]
        first, past = [min(max(j, 0), a.shape[-1]) for j in (i + k + 1, i + k + band.shape[-2])]
        band[..., past:] = 0
        crossed = np.tri(band.shape[-2], past - first, i + k - first, dtype=bool)
        np.copyto(band[..., first:past], False, where=~crossed)


_BAND = 64  # rows


def diag_embed(a, shape, offset, dim1, dim2):
    """Zeros of `shape` with `a` on a diagonal."""
    out = np.zeros(shape, a.dtype)
    n, down, right = a.shape[-1], max(-offset, 0), max(offset, 0)
    square = np.moveaxis(out, (dim1, dim2), (-2, -1))[..., down:down + n, right:right + n]
    np.einsum("...ii->...i", square)[...] = a  # a view; that of np.diagonal cannot be written to
    return out
