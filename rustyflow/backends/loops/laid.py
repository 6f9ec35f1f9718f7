"""Views under PyTorch's names, joining, and reading and adding through layouts."""

from __future__ import annotations

from math import prod

from ... import layout as rules
from .array import Array, empty, write
from .memory import asarray, dense_as, filled

reshape, expand, squeeze, t = Array.reshape, Array.expand, Array.squeeze, Array.T.fget
permute, transpose = Array.transpose, Array.swapaxes


def unsqueeze(a, dim):
    return a.under(rules.unsqueeze(a.shape, a.stride, a.offset, dim=dim))


def select(a, dim, index):
    return a[(slice(None),) * (dim % a.ndim) + (index,)]


def narrow(a, dim, start, length):
    return a[(slice(None),) * (dim % a.ndim) + (slice(start, start + length),)]


def diagonal(a, offset, dim1, dim2):
    return a.under(rules.diagonal(a.shape, a.stride, a.offset, diag=offset, dim1=dim1, dim2=dim2))


def concatenate(arrays, dim):
    """End to end along dim."""
    dim %= arrays[0].ndim
    out = empty([sum(a.shape[dim] for a in arrays) if d == dim else n for d, n in enumerate(arrays[0].shape)],
                arrays[0].dtype)
    start = 0
    for a in arrays:
        write(narrow(out, dim, start, a.shape[dim]), a)
        start += a.shape[dim]
    return out


cat = concatenate


def stack(arrays, dim):
    arrays = [asarray(a) for a in arrays]
    return concatenate([unsqueeze(a, dim) for a in arrays], dim if dim >= 0 else dim + arrays[0].ndim + 1)


def flip(a, dims):
    """A copy with the indices along dims reversed."""
    dims = {d % a.ndim for d in (dims if isinstance(dims, tuple) else (dims,))} if a.ndim else set()
    first = a.offset + sum((a.shape[d] - 1) * a.stride[d] for d in dims) if a.size else a.offset
    return Array(a.buffer, a.shape, [-s if d in dims else s for d, s in enumerate(a.stride)], first).copy()


def in_rows(function, *arrays):
    """An elementwise function with a row-major result."""
    return in_order(function(*arrays))


def in_order(a):
    return a if a.flags.c_contiguous else a.copy()


def tile(a, repeats):
    """Side by side, repeats[d] times along each axis; missing axes are added in front."""
    own = (1,) * (len(repeats) - a.ndim) + a.shape
    cells = a.reshape([n for size in own for n in (1, size)])
    tiled = cells.expand([n for pair in zip(repeats, own) for n in pair]).copy()
    return tiled.reshape([r * n for r, n in zip(repeats, own)])


def roll(a, shifts, dims):
    """Moved along dims, or as one line where there are none.

    What leaves at one end comes back at the other.
    """
    if not dims:
        return roll(a.reshape(-1), (shifts if isinstance(shifts, int) else sum(shifts),), (0,)).reshape(a.shape)
    for by, dim in zip(shifts, dims):
        n = a.shape[dim]
        first = n - by % n if n else 0
        a = concatenate([narrow(a, dim, first, n - first), narrow(a, dim, 0, first)], dim)
    return a


def rot90(a, k, dims):
    """A quarter turn from the first of two dims to the second, k times."""
    for _ in range(k % 4):
        a = flip(a, dims[1]).swapaxes(*dims)
    return a


def constant_pad(a, pad, value):
    """`pad` counts (before, after) from the last axis on; a negative count cuts cells off."""
    counts = [(pad[2 * k], pad[2 * k + 1]) if 2 * k < len(pad) else (0, 0) for k in range(a.ndim)][::-1]
    out = filled([n + before + after for n, (before, after) in zip(a.shape, counts)], value, a.dtype)
    inside = tuple([slice(max(before, 0), n + before + min(after, 0)) for n, (before, after) in zip(a.shape, counts)])
    kept = tuple([slice(max(-before, 0), n - max(-after, 0)) for n, (before, after) in zip(a.shape, counts)])
    out[inside] = a[kept]
    return out


def diag_embed(a, shape, offset, dim1, dim2):
    """Zeros of `shape` with `a` on a diagonal."""
    out = filled(shape, 0, a.dtype)
    write(diagonal(out, offset, dim1, dim2), a)
    return out


# Gradients through layouts: a layout function maps (shape, stride, offset) to another


def through(a, layout):
    """Read an array through a view's layout, as a copy of its own."""
    return a.under(layout(a.shape, a.stride, a.offset)).copy()


def write_part(x, src, layout):
    """A copy of x that holds src, or 0 where that is None, in the part that a view reads."""
    y = dense_as(x)
    write(y.under(layout(y.shape, y.stride, 0)), 0 if src is None else src)
    return y


def scatter_through(g, shape, layout):
    """The dual: zeros of `shape` with `g` added through the view; cells that share a slot add up."""
    out = filled(shape, 0, g.dtype)
    _add_through(out, layout(tuple(shape), out.stride, 0), g)
    return out


def _add_through(out, layout, g):
    """Add g through a layout; where no slot is met twice, putting it there is enough."""
    overlap = rules.has_overlap(*layout[:2])
    for slot, source in zip(out.under(layout).slots, g.slots):
        out.buffer.write(slot, out.buffer.read(slot) + g.buffer.read(source) if overlap else g.buffer.read(source))


def _laid(x, own, other):
    """x over slots of its own layout, in a buffer that reaches as far as either."""
    buffer = filled((max([1] + [rules.extent(*layout)[1] for layout in (own, other)]),), 0, x.dtype)
    if x.size and prod(own[0]):
        write(buffer.under(own), x)
    return buffer


def slots_read(x, own, other):
    """Lay x out over slots through `own`, read them through `other`; slots that `own` does not reach hold 0."""
    return _laid(x, own, other).under(other).copy()


def slots_add(g, own, other):
    """The dual: adds g over the slots of `other`, read through `own`.

    Cells of `own` that share a slot share its sum.
    """
    buffer = filled((max([1] + [rules.extent(*layout)[1] for layout in (own, other)]),), 0, g.dtype)
    _add_through(buffer, other, g)
    readers = buffer.under(own).slots
    for slot in set(readers):
        if readers.count(slot) > 1:
            buffer.buffer.write(slot, buffer.buffer.read(slot) / readers.count(slot))
    return buffer.under(own).copy()


def slots_clear(x, own, other):
    """x with 0 in the slots that `other` reaches."""
    buffer = _laid(x, own, other)
    write(buffer.under(other), 0)
    return buffer.under(own).copy()


def stretched(a, shape):
    """No shorter way than by the layout."""
    return None
