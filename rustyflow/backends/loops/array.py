"""An array: a layout over a flat list, (shape, stride, offset), counted in slots.

Nothing is read or written but through `Buffer`.
"""

from __future__ import annotations

from math import prod
from struct import Struct
from typing import NamedTuple

from ... import layout as rules
from .. import refuse_foreign
from .buffer import Buffer, boolean, fresh, kind_of
from .number import current


class Flags(NamedTuple):
    """The order of the cells, rows first or columns first, and whether they may be written to."""

    c_contiguous: bool
    f_contiguous: bool
    writeable: bool

    @property
    def carray(self) -> bool:
        """True if the cells lie in order, rows first, and may be written to."""
        return self.c_contiguous and self.writeable


class Array:
    """The interface that the tensor library asks of an array; operators are added by `operators` and `product`."""

    __slots__ = ("buffer", "shape", "stride", "offset", "base")
    __array_priority__ = 1000
    __array_ufunc__ = __array_function__ = refuse_foreign  # what NumPy asks before it computes

    def __init__(self, buffer: Buffer, shape, stride, offset: int = 0, base=None):
        self.buffer, self.shape, self.stride, self.offset, self.base = buffer, tuple(shape), tuple(stride), offset, base

    dtype = property(lambda self: self.buffer.dtype)
    ndim = property(lambda self: len(self.shape))
    size = property(lambda self: prod(self.shape))
    itemsize = property(lambda self: self.buffer.dtype.itemsize)
    nbytes = property(lambda self: self.size * self.itemsize)
    strides = property(lambda self: tuple([s * self.itemsize for s in self.stride]),
                       doc="In bytes, as NumPy counts them.")
    flat = property(lambda self: self.read())
    T = property(lambda self: self.transpose())
    mT = property(lambda self: self.swapaxes(-1, -2))

    @property
    def flags(self) -> Flags:
        return Flags(rules.is_contiguous(self.shape, self.stride),
                     rules.is_contiguous(self.shape[::-1], self.stride[::-1]), self.buffer.writeable)

    @property
    def slots(self) -> list[int]:
        return list(rules.slots(self.shape, self.stride, self.offset))

    def under(self, layout) -> Array:
        """The same buffer read through another layout."""
        shape, stride, offset = layout
        return Array(self.buffer, shape, stride, offset, self)

    def read(self) -> list:
        """All values, in order."""
        return [self.buffer.read(slot) for slot in self.slots]

    # Views

    def reshape(self, *shape) -> Array:
        shape = shape[0] if len(shape) == 1 and not isinstance(shape[0], int) else shape
        size = rules.infer_size(shape, self.size, self.shape)
        fits = rules.view_stride(self.shape, self.stride, size) is not None  # as in NumPy, what can be a view is one
        whole = self if fits else self.copy()
        return whole.under(rules.view(whole.shape, whole.stride, whole.offset, size=size))

    def transpose(self, *dims) -> Array:
        dims = dims[0] if len(dims) == 1 and not isinstance(dims[0], int) else dims or range(self.ndim)[::-1]
        return self.under(rules.permute(self.shape, self.stride, self.offset, dims=tuple(dims)))

    def swapaxes(self, a: int, b: int) -> Array:
        return self.under(rules.transpose(self.shape, self.stride, self.offset, dim0=a, dim1=b))

    def squeeze(self, dim=None) -> Array:
        dims = tuple(range(self.ndim)) if dim is None else (dim,) if isinstance(dim, int) else dim
        return self.under(rules.squeeze(self.shape, self.stride, self.offset, dims=dims))

    def expand(self, shape) -> Array:
        if tuple(shape) == self.shape:
            return self
        return self.under(rules.expand(self.shape, self.stride, self.offset, size=shape))

    def view(self) -> Array:
        return self.under((self.shape, self.stride, self.offset))

    def ravel(self) -> Array:
        return self.reshape((-1,))

    def __getitem__(self, key):
        if isinstance(key, Array):
            return self.at_mask(key) if key.dtype is boolean else self.at_index(key)
        items = key if isinstance(key, tuple) else (key,)
        return self.under(rules.read(self.shape, self.stride, self.offset, items=items))

    def __setitem__(self, key, value):
        write(self[key], value)

    # Copies and Python values

    def copy(self, order: str = "C") -> Array:
        if order == "F":
            return self.transpose().copy().transpose().owned()
        return picked(self, self.slots, self.shape)

    def owned(self) -> Array:
        """The same array as the owner of its memory."""
        return Array(self.buffer, self.shape, self.stride, self.offset)

    def astype(self, dtype, copy: bool = True) -> Array:
        dtype = kind_of(dtype)
        if dtype is self.dtype and not copy:
            return self
        return picked(self, self.slots, self.shape, dtype)

    def item(self):
        (slot,) = self.slots
        return self.buffer.value(slot)

    def tolist(self):
        """Nested lists; looking at results is no event."""
        if not self.shape:
            return self.item()
        return [self[i].tolist() for i in range(self.shape[0])]

    def __len__(self):
        return self.shape[0]

    def __iter__(self):
        return iter([self[i] for i in range(len(self))])

    def __bool__(self):
        return bool(self.item())

    def __float__(self):
        return float(self.item())

    def __int__(self):
        return int(self.item())

    __index__ = __int__
    __hash__ = object.__hash__

    @property
    def __array_interface__(self) -> dict:
        """A copy that others may look at, such as what prints arrays."""
        code = "q" if self.itemsize == 8 and self.dtype.kind == "i" else self.dtype.char  # of int64 that is C's long
        cells = [self.buffer.cells[slot] for slot in self.slots]
        if trace := current():
            trace.went(cells)
        data = bytearray(Struct(f"={len(cells)}{code}").pack(*cells) or b"\0")
        return {"shape": self.shape, "typestr": self.dtype.str, "data": data, "version": 3}

    def __str__(self):
        return str(self.tolist())

    def __repr__(self):
        return f"loops({self.tolist()}, {self.dtype.name})"


def slot_of(a: Array, place) -> int:
    """The slot of a cell."""
    return a.offset + sum([i * s for i, s in zip(place, a.stride)])


def empty(shape, dtype) -> Array:
    """Fresh memory in row-major order; its zeros are no event."""
    return Array(fresh(prod(shape), dtype), shape, rules.contiguous_stride(tuple(shape)))


def made(values, shape, dtype) -> Array:
    """Fresh memory in row-major order, written cell after cell as the values come."""
    out = empty(shape, dtype)
    for slot, value in enumerate(values):
        out.buffer.write(slot, value)
    return out


def picked(a: Array, slots, shape, dtype=None) -> Array:
    """A fresh array of what lies in some slots of a's memory."""
    return made(map(a.buffer.read, slots), shape, dtype or a.dtype)


def write(target: Array, value) -> None:
    """Writes a value through a layout; it broadcasts.

    Where the same memory is read and written, all of it is read first.
    """
    if not isinstance(value, Array) and hasattr(value, "tolist"):  # random numbers come so
        value = Array.made_of(value, target.dtype)
    if not isinstance(value, Array):
        values = [value] * target.size
    else:
        while value.ndim > target.ndim and value.shape[0] == 1:
            value = value[0]
        value = value.expand(target.shape)
        values = value.read() if value.buffer is target.buffer else map(value.buffer.read, value.slots)
    for slot, x in zip(target.slots, values):
        target.buffer.write(slot, x)
