"""Cells that a mask names, that are not 0, or that lie in a triangle."""

from __future__ import annotations

from ...layout import broadcast_shapes, indices
from .array import Array, empty, made, picked, slot_of
from .buffer import int64
from .laid import stack
from .memory import filled
from .number import counted


def fill_where(a, mask, value):
    """Write one value into `a` itself where mask is True."""
    for slot, m in zip(a.slots, mask.expand(a.shape).slots):
        other = value.read()[0] if isinstance(value, Array) else value
        a.buffer.write(slot, other if mask.buffer.read(m) else a.buffer.read(slot))


def write_where(a, mask, source):
    """Write the first cells of `source`, in order, into `a` itself where mask is True."""
    source, k = source.ravel(), 0
    for slot, m in zip(a.slots, mask.expand(a.shape).slots):
        here = mask.buffer.read(m)
        a.buffer.write(slot, source.buffer.read(slot_of(source, (k,))) if here else a.buffer.read(slot))
        k = k + here


def masked_select(a, mask):
    shape = broadcast_shapes(a.shape, mask.shape)
    a, mask = a.expand(shape), mask.expand(shape)
    found = [(source, m) for source, m in zip(a.slots, mask.slots) if mask.buffer.read(m)]
    counted()  # then each is picked for its own cell of the mask
    return picked(a, (source for source, m in found if mask.buffer.read(m)), (len(found),))


def masked_place(g, mask):
    """Zeros of mask's shape with g, in order, where it is True."""
    out, sources = filled(mask.shape, 0, g.dtype), iter(g.slots)
    for slot, m in enumerate(mask.slots):
        if mask.buffer.read(m):
            out.buffer.write(slot, g.buffer.read(next(sources)))
    return out


def first_places(g, shape):
    """Zeros of `shape` whose first cells hold g's."""
    out = filled(shape, 0, g.dtype)
    for slot, source in enumerate(g.slots):
        out.buffer.write(slot, g.buffer.read(source))
    return out


def nonzero(a):
    """The index of every cell that is not 0, one array per axis (one for a 0-d array)."""
    a = a if a.ndim else a.reshape((1,))
    n = sum(map(bool, a.read()))
    counted()  # then each is found for its own place

    def axis(d):
        return (place[d] for place in indices(a.shape) if a.buffer.read(slot_of(a, place)))

    return tuple([made(axis(d), (n,), int64) for d in range(a.ndim)])


def argwhere(a):
    """The same as rows, one per cell found."""
    columns = nonzero(a)
    return stack(columns, 0).T if a.ndim else empty((columns[0].size, 0), int64)


def _triangle(a, out, keep):
    out = a.copy() if out is None else out
    for place in indices(a.shape):
        if not keep(place[-2], place[-1]):
            out.buffer.write(slot_of(out, place), 0)
    return out


def tril(a, k, out=None):
    return _triangle(a, out, lambda row, column: column - row <= k)


def triu(a, k, out=None):
    return _triangle(a, out, lambda row, column: column - row >= k)


Array.at_mask = masked_select
