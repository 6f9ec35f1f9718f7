"""Reading, writing and adding by index arrays."""

from __future__ import annotations

import operator
from itertools import combinations, combinations_with_replacement, product

from ...errors import BroadcastError
from ...layout import broadcast_shapes, contiguous_stride, indices
from . import scalar
from .array import Array, made, picked, slot_of, write
from .buffer import int64
from .memory import filled, from_data
from .number import lifted


def _checked(i, n):
    """An index counted from the front.

    Raises:
        IndexError: outside its axis.
    """
    if not -n <= i < n:
        raise IndexError(f"index {i} is out of bounds for an axis of size {n}")
    return i + n if i < 0 else i


def _along(a, dim, index):
    """Pairs of slots (of the index array's cell, of the cell of `a` that it names along dim)."""
    for place in indices(index.shape):
        k = slot_of(index, place)
        i = index.buffer.read(k)
        if not a.ndim:
            yield k, a.offset + _checked(i, 1), place
            continue
        there = list(place) if index.ndim else [0] * a.ndim
        there[dim] = _checked(i, a.shape[dim])
        yield k, slot_of(a, there), place


def are_below(index, n):
    """True if all whole numbers are from 0 to n - 1."""
    return not index.size or (index.min() >= 0 and int(index.max()) < n)


def gather(a, dim, index):
    """y[i, j] = a[index[i, j], j] along dim."""
    return picked(a, (source for _, source, _ in _along(a, dim, index)), index.shape)


def scatter_write(a, dim, index, src):
    """a[index[i, j], j] = src[i, j] along dim, into `a` itself; the last of several writes stays."""
    for _, target, place in _along(a, dim, index):
        value = src
        if isinstance(src, Array):
            value = src.buffer.read(slot_of(src, place) if src.ndim else src.offset)
        a.buffer.write(target, value)
    return a


def scatter_join(function, a, dim, index, src):
    """The same, joining by a function of two arrays: every write counts."""
    for _, target, place in _along(a, dim, index):
        other = Array(src.buffer, (), (), slot_of(src, place)) if isinstance(src, Array) and src.ndim else src
        write(Array(a.buffer, (), (), target), function(Array(a.buffer, (), (), target), other))
    return a


def scatter_reduce(a, dim, index, src, reduce, include_self):
    """Joins the cells of src that index sends to one cell of `a`, and that cell if it is included."""
    join = lifted(_JOINS[reduce])
    counts, read, store = {}, a.buffer.read, a.buffer.store
    for _, target, place in _along(a, dim, index):
        value = src.buffer.read(slot_of(src, place) if src.ndim else src.offset)
        counts[target] = counts.get(target, int(include_self)) + 1
        a.buffer.write(target, value if counts[target] == 1 else store(join(read(target), value)))
    if reduce == "mean":
        divide = scalar.quotient if a.dtype.kind == "f" else scalar.floor_quotient
        for target, count in counts.items():
            a.buffer.write(target, store(lifted(divide)(read(target), count)))
    return a


_JOINS = {"sum": operator.add, "mean": operator.add, "prod": operator.mul,
          "amax": scalar.larger, "amin": scalar.smaller}


def scatter_clear(a, dim, index):
    return scatter_write(a.copy(), dim, index, 0)


def scatter_add_zeros(a, shape, dim, index):
    """The dual of `gather`: zeros of `shape` with `a` added where it was read."""
    out = filled(shape, 0, a.dtype)
    for _, target, place in _along(out, dim, index):
        out.buffer.write(target, out.buffer.read(target) + a.buffer.read(slot_of(a, place)))
    return out


def take(a, index_):
    """The cells of the flattened `a` at index; negative numbers count from the end."""
    return index(a.reshape((-1,)), (0,), (index_,))


# Several index arrays, array k along axis dims[k]


def _named(shape, stride, offset, dims, arrays):
    """Returns the slots that index arrays name, in the order of the result, and the result's shape.

    Each is found when it is asked for.
    """
    try:
        lead = broadcast_shapes(*[x.shape for x in arrays])
    except BroadcastError as error:
        raise IndexError(error.rule) from None
    if 0 not in lead and 0 in (shape[d] for d in dims):
        raise IndexError("an index into an axis of no cells")
    arrays = [x.expand(lead) for x in arrays]
    rest = [d for d in range(len(shape)) if d not in dims]
    first = dims[0] if dims[-1] - dims[0] == len(dims) - 1 else 0
    before, after = rest[:first], rest[first:]
    sizes = [tuple([shape[d] for d in part]) for part in (before, after)]

    def slots():
        for outer, place, inner in product(indices(sizes[0]), indices(lead), [*indices(sizes[1])]):
            at = [_checked(x.buffer.read(slot_of(x, place)), shape[d]) for d, x in zip(dims, arrays)]
            yield offset + sum([i * stride[d] for d, i in zip((*dims, *before, *after), (*at, *outer, *inner))])

    return slots(), (*sizes[0], *lead, *sizes[1])


def index(a, dims, arrays):
    slots, shape = _named(a.shape, a.stride, a.offset, dims, arrays)
    return picked(a, slots, shape)


brackets = index


def index_zeros(g, shape, dims, arrays):
    """The dual of `index`: zeros of `shape` with g added where it was read."""
    out = filled(shape, 0, g.dtype)
    slots, _ = _named(tuple(shape), contiguous_stride(tuple(shape)), 0, dims, arrays)
    for target, source in zip(slots, g.slots):
        out.buffer.write(target, out.buffer.read(target) + g.buffer.read(source))
    return out


read_grid = index


def index_put(a, dims, arrays, values, accumulate=False):
    """Write values at index arrays into `a` itself, or add them; returns it. Without cells any index will do."""
    if not a.size:
        return a
    # every index is looked at before anything is written, and read again for each cell that it names
    arrays = [made((_checked(x.buffer.read(k), a.shape[d]) for k in x.slots), x.shape, int64)
              for d, x in zip(dims, arrays)]  # fmt: skip
    slots, shape = _named(a.shape, a.stride, a.offset, dims, arrays)
    for target, source in zip(slots, values.expand(shape).slots):
        a.buffer.write(target,
                       a.buffer.read(target) + values.buffer.read(source) if accumulate else values.buffer.read(source))
    return a


def index_clear(a, dims, arrays):
    return index_put(a.copy(), dims, arrays, filled((), 0, a.dtype))


def index_select(a, dim, index_):
    return index(a, (dim % a.ndim,), (index_.reshape((-1,)),)) if a.ndim else a.expand(index_.shape).copy()


def ix_(*lists):
    """One index array per list, each along an axis of its own, so that they broadcast to all combinations."""
    shapes = [[-1 if k == d else 1 for k in range(len(lists))] for d in range(len(lists))]
    return tuple([from_data(cells, int64).reshape(shape) for cells, shape in zip(lists, shapes)])


def choices(n, r, again):
    """Returns every choice of r of the indices 0 to n - 1, one per row; repeated ones with `again`."""
    rows = [*(combinations_with_replacement if again else combinations)(range(n), r)]
    return from_data([i for row in rows for i in row], int64).reshape((len(rows), r))


# Whole slices


def _spread(a, dim, index):
    """The index laid along dim, for each cell of the slices of `a` that it names."""
    before, after = a.shape[:dim], a.shape[dim + 1 :]
    return index.reshape(*(1,) * len(before), index.size, *(1,) * len(after)).expand((*before, index.size, *after))


def index_add(a, dim, index, source, alpha=1):
    """Add slices of `source`, times alpha, to the slices of `a` that index names, into `a` itself."""
    index = _spread(a, dim, index)
    source = source if alpha == 1 else source * alpha
    return scatter_reduce(a, dim, index, source.reshape(index.shape), "sum", True)


def index_copy(a, dim, index, source):
    """Put slices of `source` in place of the slices of `a` that index names, into `a` itself."""
    index = _spread(a, dim, index)
    return scatter_write(a, dim, index, source.reshape(index.shape))


def fill_slices(a, dim, index, value):
    """Write one value into the slices of `a` itself that index names."""
    return scatter_write(a, dim, _spread(a, dim, index), value)


def index_fill(a, dim, index, value):
    return fill_slices(a.copy(), dim, index, value)


def read_rows(weight, index_):
    return index(weight, (0,), (index_,))


def embedding_rows(g, index, count, padding_idx):
    """The dual of `read_rows`: `count` rows of zeros with g added to the rows that were read, but for padding_idx."""
    out, g = filled((count, g.shape[-1]), 0, g.dtype), g.reshape((index.size, g.shape[-1]))
    for (k, column), source in zip(indices(g.shape), g.slots):
        row = index.buffer.read(index.slots[k])
        if row != padding_idx:
            target = slot_of(out, (row, column))
            out.buffer.write(target, out.buffer.read(target) + g.buffer.read(source))
    return out


def one_hot(index, count):
    """Each cell of a row asks whether the number says its place."""
    out = filled((index.size, count), 0, int64)
    for row, source in enumerate(index.slots):
        for place in range(count):
            out.buffer.write(row * count + place, index.buffer.read(source) == place)
    return out.reshape(*index.shape, count)


Array.at_index = lambda a, key: index(a, (0,), (key,))
