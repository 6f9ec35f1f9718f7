"""A flat list of one dtype, whose reads and writes are events, and the rounding of its numbers."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import count
from math import copysign, inf, isfinite
from struct import Struct
from typing import Any, NamedTuple

from ...dtype import ALL
from .number import Trace, Traced, current, kept, kept_float, plain, traced


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
        ...     Buffer(2, float64).write(1, 2.5)
        >>> [(e.kind, e.slot, e.value) for e in seen]
        [('write', 1, 2.5)]
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


# Rounding: a Python float has 53 bits; of two numbers of float32 or float16 it gives + - * / and sqrt so exactly that
# rounding once more is right


def _rounded(code: str):
    pack, unpack = Struct(code).pack, Struct(code).unpack

    def store(value):
        try:
            return unpack(pack(value))[0]
        except OverflowError:
            return copysign(inf, value)

    return store


def _wrapped(bits: int, signed: bool):
    def store(value):
        if isinstance(value, float) and not isfinite(value):
            return -(1 << bits - 1) if signed and bits > 16 else 0
        value = int(value) & ((1 << bits) - 1)
        return value - (1 << bits) if signed and value >> (bits - 1) else value

    return store


_STORE = {d.numpy: {"float64": float, "float32": _rounded("<f"), "float16": _rounded("<e"), "bool": bool}.get(d.name)
          or _wrapped(8 * d.itemsize, d.is_signed) for d in ALL}
_BY_NAME = {d.name: d.numpy for d in ALL}
float64, int64, boolean = _BY_NAME["float64"], _BY_NAME["int64"], _BY_NAME["bool"]


def kind_of(dtype):
    """A dtype given as itself, by name, or as a Python type."""
    if dtype in _STORE and not isinstance(dtype, (str, type)):
        return dtype
    return _BY_NAME[{bool: "bool", int: "int64", float: "float64"}.get(dtype, dtype)]


class Buffer:
    """A flat list of one dtype, and its number."""

    __slots__ = ("cells", "dtype", "number", "store", "writeable")
    numbers = count(1)

    def __init__(self, size: int, dtype):
        self.store = _STORE[dtype]
        self.cells, self.dtype, self.number = [self.store(0)] * size, dtype, next(Buffer.numbers)
        self.writeable = True

    def read(self, slot: int):
        value = self.cells[slot]
        for watcher in _watchers:
            watcher(Event("read", self.number, slot, value))
        return value

    def write(self, slot: int, value) -> None:
        self.cells[slot] = value = self.store(value)
        for watcher in _watchers:
            watcher(Event("write", self.number, slot, value))

    def copy(self) -> Buffer:
        """The same cells under the same number, apart."""
        other = object.__new__(type(self))
        other.cells, other.dtype, other.number, other.store = self.cells.copy(), self.dtype, self.number, self.store
        other.writeable = True
        return other

    def value(self, slot: int):
        """Returns the value in a slot, for who looks at a result: no event."""
        return self.cells[slot]


class TracedBuffer(Buffer):
    """A buffer whose numbers know how they were made. `over`: what stood in slots before they were written over."""

    __slots__ = ("over", "trace")

    def __init__(self, size: int, dtype, trace: Trace):
        super().__init__(size, dtype)
        self.store = partial(kept_float if dtype.kind == "f" else kept, self.store)
        self.over, self.trace = {}, trace

    def read(self, slot: int):
        self.trace.step()
        value = self.cells[slot] if not _watchers else super().read(slot)
        return value if type(slot) is int else traced(plain(value), parts=(value,), by=(slot,))

    def write(self, slot: int, value) -> None:
        value, trace, before = self.store(value), self.trace, self.cells[slot]
        if trace.asked or type(slot) is not int:
            by = trace.decided(slot)
            value = traced(plain(value), parts=(value,) if isinstance(value, Traced) else (), by=by)
        if isinstance(before, Traced) and isinstance(value, Traced):
            if not _holds(value.parts, before):
                self.over.setdefault(int(slot), []).append(before)
        self.cells[slot], trace.wrote = value, True
        for watcher in _watchers:
            watcher(Event("write", self.number, slot, value))

    def copy(self) -> TracedBuffer:
        other = super().copy()
        other.over, other.trace = dict(self.over), self.trace
        return other

    def value(self, slot: int):
        return plain(self.cells[slot])


def _holds(parts: tuple, before) -> bool:
    for part in parts:
        if part is before:
            return True
    return False


def fresh(size: int, dtype) -> Buffer:
    """A buffer of zeros, whose numbers are traced while numbers are."""
    if (trace := current()) is None:
        return Buffer(size, dtype)
    trace.step()
    return TracedBuffer(size, dtype, trace)
