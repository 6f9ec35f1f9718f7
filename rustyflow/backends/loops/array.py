"""An array is a layout over a flat list: (shape, stride, offset), counted in slots. Nothing is read or written but through `Buffer`."""
from __future__ import annotations

from itertools import count as _count
from math import copysign as _copysign, inf as _inf, isfinite as _isfinite, prod as _prod
from struct import Struct as _Struct
from typing import Any, Callable, NamedTuple

from ... import layout as _rules
from ...dtype import ALL as _ALL
from ...errors import AbsentError as _AbsentError


class Event(NamedTuple):
    """One slot of one storage, read or written. `storage` is a number that grows from storage to storage."""

    kind: str
    storage: int
    slot: int
    value: Any


_watchers: list[Callable[[Event], Any]] = []


class watch:
    """Call `callback` with every Event from now on, until `stop()` or the end of a `with` block.

    Example:
        >>> seen = []
        >>> with watch(seen.append):
        ...     a = from_data([1.5, 2.5], "float32")
        >>> [(e.kind, e.slot, e.value) for e in seen]
        [('write', 0, 1.5), ('write', 1, 2.5)]
    """

    def __init__(self, callback: Callable[[Event], Any]):
        self.callback = callback
        _watchers.append(callback)

    def stop(self) -> None:
        if self.callback in _watchers:
            _watchers.remove(self.callback)

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.stop()


# Rounding: a Python float has 53 bits; of two numbers of float32 or float16 it gives + - * / and sqrt so exactly that rounding once more is right

def _rounded(code: str):
    pack, unpack = _Struct(code).pack, _Struct(code).unpack

    def store(value):
        try:
            return unpack(pack(value))[0]
        except OverflowError:
            return _copysign(_inf, value)
    return store


def _wrapped(bits: int, signed: bool):
    def store(value):
        if isinstance(value, float) and not _isfinite(value):
            return -(1 << bits - 1) if signed else 0
        value = int(value) & ((1 << bits) - 1)
        return value - (1 << bits) if signed and value >> (bits - 1) else value
    return store


_STORE = {d.numpy: {"float64": float, "float32": _rounded("<f"), "float16": _rounded("<e"), "bool": bool}.get(d.name) or _wrapped(8 * d.itemsize, d.is_signed)
          for d in _ALL}
_BY_NAME = {d.name: d.numpy for d in _ALL}
float64, int64, boolean = _BY_NAME["float64"], _BY_NAME["int64"], _BY_NAME["bool"]


def kind_of(dtype):
    """A dtype given as itself, by name, or as a Python type."""
    return dtype if dtype in _STORE and not isinstance(dtype, (str, type)) else _BY_NAME[{bool: "bool", int: "int64", float: "float64"}.get(dtype, dtype)]


class Buffer:
    """A flat list of one dtype, and its number."""

    __slots__ = ("cells", "dtype", "number", "store")
    _numbers = _count(1)

    def __init__(self, size: int, dtype):
        self.store = _STORE[dtype]
        self.cells, self.dtype, self.number = [self.store(0)] * size, dtype, next(Buffer._numbers)

    def read(self, slot: int):
        value = self.cells[slot]
        for watcher in _watchers:
            watcher(Event("read", self.number, slot, value))
        return value

    def write(self, slot: int, value) -> None:
        self.cells[slot] = value = self.store(value)
        for watcher in _watchers:
            watcher(Event("write", self.number, slot, value))


class Flags(NamedTuple):
    """Whether the cells lie in order: rows first, columns first; and whether they may be written to."""

    c_contiguous: bool
    f_contiguous: bool
    writeable: bool = True


class Array:
    """What the tensor library asks of an array; operators are added by `elementwise` and `product`."""

    __slots__ = ("buffer", "shape", "stride", "offset", "base")
    __array_priority__ = 1000

    def __init__(self, buffer: Buffer, shape, stride, offset: int = 0, base=None):
        self.buffer, self.shape, self.stride, self.offset, self.base = buffer, tuple(shape), tuple(stride), offset, base

    dtype = property(lambda self: self.buffer.dtype)
    ndim = property(lambda self: len(self.shape))
    size = property(lambda self: _prod(self.shape))
    itemsize = property(lambda self: self.buffer.dtype.itemsize)
    nbytes = property(lambda self: self.size * self.itemsize)
    strides = property(lambda self: tuple([s * self.itemsize for s in self.stride]), doc="In bytes, as NumPy counts them.")
    T = property(lambda self: self.transpose())
    mT = property(lambda self: self.swapaxes(-1, -2))

    @property
    def flags(self) -> Flags:
        return Flags(_rules.is_contiguous(self.shape, self.stride), _rules.is_contiguous(self.shape[::-1], self.stride[::-1]))

    @property
    def slots(self) -> list[int]:
        return list(_rules.slots(self.shape, self.stride, self.offset))

    def under(self, layout) -> "Array":
        """The same buffer read through another layout."""
        return Array(self.buffer, *layout, base=self)

    def read(self) -> list:
        """All values, in order."""
        return [self.buffer.read(slot) for slot in self.slots]

    # Views

    def reshape(self, *shape) -> "Array":
        shape = shape[0] if len(shape) == 1 and not isinstance(shape[0], int) else shape
        whole = self if self.flags.c_contiguous else self.copy()
        return whole.under(_rules.view(whole.shape, whole.stride, whole.offset, size=shape))

    def transpose(self, *dims) -> "Array":
        dims = dims[0] if len(dims) == 1 and not isinstance(dims[0], int) else dims or range(self.ndim)[::-1]
        return self.under(_rules.permute(self.shape, self.stride, self.offset, dims=tuple(dims)))

    def swapaxes(self, a: int, b: int) -> "Array":
        return self.under(_rules.transpose(self.shape, self.stride, self.offset, dim0=a, dim1=b))

    def squeeze(self, dim=None) -> "Array":
        dims = tuple(range(self.ndim)) if dim is None else (dim,) if isinstance(dim, int) else dim
        return self.under(_rules.squeeze(self.shape, self.stride, self.offset, dims=dims))

    def expand(self, shape) -> "Array":
        return self if tuple(shape) == self.shape else self.under(_rules.expand(self.shape, self.stride, self.offset, size=shape))

    def view(self) -> "Array":
        return self.under((self.shape, self.stride, self.offset))

    def ravel(self) -> "Array":
        return self.reshape((-1,))

    def __getitem__(self, key):
        if isinstance(key, Array):
            from .indexed import index, masked_select
            return masked_select(self, key) if key.dtype is boolean else index(self, (0,), (key,))
        return self.under(_rules.read(self.shape, self.stride, self.offset, items=key if isinstance(key, tuple) else (key,)))

    def __setitem__(self, key, value):
        write(self[key], value)

    # Copies and Python values

    def copy(self, order: str = "C") -> "Array":
        if order == "F":
            return self.transpose().copy().transpose().owned()
        out = empty(self.shape, self.dtype)
        for slot, source in enumerate(self.slots):
            out.buffer.write(slot, self.buffer.read(source))
        return out

    def owned(self) -> "Array":
        """The same array as the owner of its memory."""
        return Array(self.buffer, self.shape, self.stride, self.offset)

    def astype(self, dtype, copy: bool = True) -> "Array":
        dtype = kind_of(dtype)
        if dtype is self.dtype and not copy:
            return self
        out = empty(self.shape, dtype)
        for slot, source in enumerate(self.slots):
            out.buffer.write(slot, self.buffer.read(source))
        return out

    def item(self):
        (slot,) = self.slots
        return self.buffer.cells[slot]

    def tolist(self):
        """Nested lists; looking at results is no event."""
        if not self.shape:
            return self.item()
        return [self.under((self.shape[1:], self.stride[1:], self.offset + i * self.stride[0])).tolist() for i in range(self.shape[0])]

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
        code = {"f": {8: "d", 4: "f", 2: "e"}, "i": {8: "q", 4: "i", 2: "h", 1: "b"}, "u": {1: "B"}, "b": {1: "?"}}[self.dtype.kind][self.itemsize]
        cells = [self.buffer.cells[slot] for slot in self.slots]
        return {"shape": self.shape, "typestr": self.dtype.str, "data": bytearray(_Struct(f"={len(cells)}{code}").pack(*cells) or b"\0"), "version": 3}

    def __str__(self):
        return str(self.tolist())

    def __repr__(self):
        return f"loops({self.tolist()}, {self.dtype.name})"


def empty(shape, dtype) -> Array:
    """Fresh memory in row-major order; its zeros are no event."""
    return Array(Buffer(_prod(shape), dtype), shape, _rules.contiguous_stride(tuple(shape)))


# What the tensor itself needs

class _Loud:
    """Python's floats do not warn: the functions here give what IEEE 754 says, so that nothing needs quieting."""

    @staticmethod
    def run(function, *args, **kwargs):
        return function(*args, **kwargs)


def quiet():
    return _Loud


def from_data(data, dtype) -> Array:
    """A fresh array of numbers or nested lists; of foreign arrays, through their lists."""
    data = data.tolist() if hasattr(data, "tolist") else data
    shape, level = [], data
    while isinstance(level, (list, tuple)):
        shape.append(len(level))
        level = level[0] if level else None
    for _ in shape[1:]:
        data = [cell for row in data for cell in row]
    out = empty(shape, kind_of(dtype))
    for slot, value in enumerate(data if shape else [data]):
        out.buffer.write(slot, value.item() if hasattr(value, "item") else value)
    return out


def asarray(a, dtype=None, order=None) -> Array:
    if isinstance(a, Array):
        return a if dtype is None else cast(a, dtype)
    return from_data(a, dtype or getattr(a, "dtype", type(a)))


def filled(shape, value, dtype) -> Array:
    out = empty(shape, kind_of(dtype))
    write(out, value)
    return out


def number(value, dtype) -> Array:
    return filled((), value, dtype)


def type_as(a: Array, like: Array) -> Array:
    return cast(a, like.dtype)


def zeros_like(a) -> Array:
    return filled(a.shape, 0, a.dtype)


def write(target: Array, value) -> None:
    """Write a value through a layout; it broadcasts. Memory that is read and written is read first."""
    if not isinstance(value, Array):
        values = [value] * target.size
    else:
        while value.ndim > target.ndim and value.shape[0] == 1:
            value = value[0]
        values = value.expand(target.shape).read() if value.buffer is target.buffer else None
    if values is None:
        for slot, source in zip(target.slots, value.expand(target.shape).slots):
            target.buffer.write(slot, value.buffer.read(source))
    else:
        for slot, x in zip(target.slots, values):
            target.buffer.write(slot, x)


def write_sum(target: Array, g: Array) -> None:
    for slot, source in zip(target.slots, g.expand(target.shape).slots):
        target.buffer.write(slot, target.buffer.read(slot) + g.buffer.read(source))


def flat(a: Array) -> Array:
    return Array(a.buffer, (len(a.buffer.cells),), (1,))


def strided(buffer: Array, shape, stride, offset) -> Array:
    return buffer.under((tuple(shape), tuple(stride), offset))


def stride(a: Array) -> tuple[int, ...]:
    return a.stride


def cast(a: Array, dtype) -> Array:
    return a.astype(dtype, copy=False)


def dense(a: Array) -> Array:
    return a.copy()


def dense_as(a: Array) -> Array:
    """A copy with the same strides where those leave no holes."""
    order = sorted(range(a.ndim), key=lambda d: -a.stride[d])
    if not _rules.is_dense(a.shape, a.stride):
        return a.copy()
    return a.transpose(order).copy().transpose(sorted(range(a.ndim), key=order.__getitem__)).owned()


def copy_like(g: Array, like) -> Array:
    flags = getattr(like, "flags", None)
    return g.copy("F" if flags is not None and flags.f_contiguous and not flags.c_contiguous else "C")


def owns(g) -> bool:
    return g.base is None and g.flags.c_contiguous


def shares(a: Array, b: Array) -> bool:
    return a.buffer is b.buffer and not set(a.slots).isdisjoint(b.slots)


def address(a: Array) -> int:
    """A number that grows with the slots and differs from storage to storage."""
    return a.buffer.number << 40


def to_numpy(a: Array):
    raise _AbsentError("numpy() under the loops backend", "its memory is a Python list, which no array can share", "x.tolist(), or the numpy backend")
