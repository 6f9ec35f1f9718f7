"""Storage: one flat run of memory, of bytes, that any number of tensors read in their own order."""
from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from typing import Any

import numpy as np

from ..arguments.numbers import fitted
from ..backends import backend
from ..dtype import dtype, named, uint8
from ..errors import AbsentError, AbsentName, ArgumentTypeError, DTypeError, IndexOutOfRange, ReadOnlyError, ShapeError
from .device import CPU

tick = count(1).__next__
"""One clock for everything: it numbers the nodes of graphs and dates the writes to storages."""

_SHOWN = 1000


_new = object.__new__


class Cells:
    """A row of numbers that lie side by side: what the two kinds of storage have in common."""

    __slots__ = ()
    device = CPU
    is_cuda = is_sparse = False

    def __len__(self) -> int:
        return self.nbytes() // self.element_size()

    def size(self) -> int:
        """The count of numbers."""
        return len(self)

    def __iter__(self) -> Iterator:
        return iter(self.tolist())

    def tolist(self) -> list:
        """All numbers, in the order of memory."""
        return self.cells.tolist()

    def __getitem__(self, slot: Any) -> Any:
        return self.cells[self._slot(slot)].item()

    def __setitem__(self, slot: Any, value: Any) -> None:
        if not isinstance(slot, slice):
            slot = slice(self._slot(slot), self._slot(slot) + 1)
        elif slot.step not in (None, 1):
            raise self._no_steps(slot)
        self._write(slot, value, "storage[...] = value")

    def fill_(self, value: Any) -> Any:
        """Write one number into every slot; return the storage."""
        self._write(slice(None), value, "storage.fill_")
        return self

    def copy_(self, source: Any, non_blocking: bool = False) -> Any:
        """Write the numbers of another storage of the same kind and size; return this one.

        Raises:
            ArgumentTypeError (a TypeError): no storage. ShapeError (a RuntimeError): another size.
        """
        if not isinstance(source, type(self)):
            raise ArgumentTypeError(f"storage.copy_({source!r:.60})", f"a {type(self).__name__} is copied from another",
                                    "copy_(x.storage()), or copy_(x.untyped_storage())")
        if self.nbytes() != source.nbytes():
            raise ShapeError(f"{self.nbytes()} bytes, and a source of {source.nbytes()}",
                             "size does not match: a storage is copied whole", "a clone(), or tensors: x[:n].copy_(y)")
        self._writable("storage.copy_")
        alike = self._holds is source._holds
        to, cells = (self.cells, source.cells) if alike else (self.untyped().cells, source.untyped().cells)
        backend.write(to, cells)
        self.untyped().wrote("storage.copy_")
        return self

    def __copy__(self) -> Any:
        return self.clone()

    def __deepcopy__(self, memo: dict) -> Any:
        return self.clone()

    def __getattr__(self, name: str) -> Any:
        if hasattr(type(self), name):  # a property that has failed: with its own words
            return object.__getattribute__(self, name)
        if name.startswith("_") or name in ("flags", "item", "ndim"):
            raise AttributeError(name)
        raise AbsentName(f"{type(self).__name__}.{name}", "a storage is read, written, filled, copied and printed; it "
                         "converts and moves nothing", "the tensor's own method, or storage.tolist()")

    def resize_(self, size: Any) -> None:
        """Left out: tensors keep the memory that they see.

        Raises:
            AbsentError (a NotImplementedError): always.
        """
        raise AbsentError(f"storage.resize_({size!r:.60})",
                          "a storage keeps its size: the tensors over it would read memory that is gone",
                          "cat of the tensor and zeros, or x.new_zeros(size)")

    def begin(self, numbers: Any) -> None:
        """Write the numbers that a new storage is made of, if it is not only a size."""
        for slot, value in enumerate(() if isinstance(numbers, int) else numbers):
            self[slot] = value
        self.untyped().record = 0, 0, ""

    def _slot(self, slot: Any) -> int:
        if type(slot) is not int:
            raise (ArgumentTypeError if type(slot) is bool else self._no_slot)(
                f"storage[{slot!r:.60}], an index of type {type(slot).__name__}",
                f"can't index a {type(self).__name__} with it: a storage has one axis, and a slot is a whole number; "
                "slices are read of untyped storages", "storage[0], or storage.tolist()[1:3]")
        if not -len(self) <= slot < len(self):
            raise IndexOutOfRange(f"storage[{slot}], of {len(self)} {self._unit}",
                                  f"index {slot} out of range for storage of size {len(self)}",
                                  f"a slot from 0 to {len(self) - 1}" if len(self) else "a storage that has slots")
        return slot % len(self)

    def _no_steps(self, slot: slice) -> ShapeError:
        return ShapeError(f"storage[{slot.start}:{slot.stop}:{slot.step}]", "storages are sliced with a step of 1",
                          "x[::2] of the tensor, a view with strides of its own")

    def _writable(self, name: str) -> None:
        if not self.cells.flags.writeable:
            raise ReadOnlyError(f"{name} on memory that may only be read", "what lends the memory forbids writes",
                                "x.clone().storage()")

    def _write(self, cells: Any, value: Any, name: str) -> None:
        if hasattr(value, "_a") and value._a.ndim == 1 and value._a.size == self.cells[cells].size:
            self._writable(name)
            backend.write(self.cells[cells], backend.cast(value._a, self._holds.numpy))
            return self.untyped().wrote(name)
        if hasattr(value, "item") and getattr(value, "ndim", 1) == 0:
            value = value.item()
        if isinstance(value, float) and self._unit == "bytes":
            raise DTypeError(f"{name} with {value!r}", "a byte is a whole number from 0 to 255", "x.storage()[0] = 1.5")
        if not isinstance(value, (int, float)):
            raise ArgumentTypeError(f"{name} with {value!r:.60}, of type {type(value).__name__}",
                                    "a slot holds one number", f"storage[0] = 3, or x[:] = ... for many {self._unit}")
        self._writable(name)
        backend.write(self.cells[cells], fitted(name, value, self._holds))
        self.untyped().wrote(name)

    def __repr__(self) -> str:
        rows = [f" {number}" for number in self.cells[:_SHOWN].tolist()]
        rows += ["..."] * (len(self) > _SHOWN)
        return "\n".join([*rows, f"[rustyflow.storage.{type(self).__name__}({self._what}) of size {len(self)}]"])


def blank(name: str, size: Any, d: dtype) -> Any:
    """Zeroed memory for so many numbers of a dtype, or for those in a list.

    Raises:
        ArgumentTypeError (a TypeError): neither. ShapeError (a RuntimeError): a negative size.
    """
    if type(size) is not int and not isinstance(size, (list, tuple)):
        raise ArgumentTypeError(f"{name}({size!r:.60})", "a storage is made of a size, or of a list of numbers",
                                f"{name}(8), or {name}([1, 2])")
    if size.__class__ is int and size < 0:
        raise ShapeError(f"{name}({size})", "a size is not negative", f"{name}(0)")
    return backend.filled((size if size.__class__ is int else len(size),), 0, d.numpy)


class UntypedStorage(Cells):
    """Bytes. All views of a tensor have the same one: it is what they share.

    Made of a number of bytes (as zeros) or of a list of them. `resize_` is left out: tensors keep the memory they see.

    It also keeps the record of writes through tensors and storages: `version` counts them, for all views together.
    `written` is the time of the last one by `tick`, and `writer` its op: a node saved before `written` holds a value
    that is gone. Writes through `numpy()`, `.data` or another library are not counted.

    Differs from PyTorch: a write through a storage is counted like any other, so that backward refuses a value that is
    gone; what a byte does not hold is refused; no memory is left as it was found.
    Source: https://pytorch.org/docs/stable/storage.html

    Example:
        >>> import rustyflow as rf
        >>> x = rf.tensor([1, 256], dtype=rf.int16)
        >>> x.untyped_storage().tolist(), len(x.untyped_storage()), x[1:].untyped_storage() is x.untyped_storage()
        ([1, 0, 0, 1], 4, True)
        >>> x.untyped_storage()[1] = 1
        >>> x
        tensor([257, 256], dtype=rustyflow.int16)
    """

    __slots__ = ("_buffer", "array", "version", "written", "writer", "__weakref__")
    _unit, _no_slot, _holds, _what = "bytes", ArgumentTypeError, uint8, "device=cpu"

    def __init__(self, size: Any = 0):
        self.hold(blank("UntypedStorage", size, uint8))
        self.begin(size)

    def hold(self, array: Any) -> None:
        """Be the storage of a dense array, as if nothing had been written yet."""
        self._buffer, self.array, self.version, self.written, self.writer = None, array, 0, 0, ""

    @property
    def buffer(self):
        """The memory as one flat array of the dtype it began with, made on first use."""
        array = self.array  # read before the question: another thread may flatten it meanwhile
        if self._buffer is None:
            self._buffer, self.array = backend.flat(array), None
        return self._buffer

    @property
    def cells(self):
        """The memory as one flat array of bytes."""
        return backend.reinterpret(self.buffer, uint8.numpy)

    def nbytes(self) -> int:
        """The count of bytes."""
        return self.buffer.size * self.buffer.dtype.itemsize

    def element_size(self) -> int:
        """1: a byte."""
        return 1

    def __getitem__(self, slot: Any) -> Any:
        if not isinstance(slot, slice):
            return super().__getitem__(slot)
        if slot.step not in (None, 1):
            raise self._no_steps(slot)
        return holding(self.cells[slot])

    def untyped(self) -> UntypedStorage:
        """The storage itself."""
        return self

    def data_ptr(self) -> int:
        """The address of the first byte."""
        return backend.address(self.buffer)

    def __reduce_ex__(self, protocol):
        root = self.untyped().buffer
        if not hasattr(root, "tobytes"):
            raise AbsentError("pickling what another backend holds", "a pickle holds bytes",
                              "rustyflow.tensor(x.tolist()), under the NumPy backend")
        return pickled, (root.tobytes(), root.dtype.name)

    def clone(self) -> UntypedStorage:
        """A copy, in memory of its own."""
        return holding(backend.dense(self.buffer))

    def over(self, buffer) -> UntypedStorage:
        """A storage over other memory with this one's record, for a tensor whose `.data` was set."""
        if buffer is self.buffer:
            return self
        out = holding(buffer)
        out.record = self.record
        return out

    def wrote(self, op: str) -> None:
        """Date a write."""
        self.version += 1
        self.written, self.writer = tick(), op

    @property
    def record(self) -> tuple[int, int, str]:
        """(version, written, writer); set back to its old value when a write was refused."""
        return self.version, self.written, self.writer

    @record.setter
    def record(self, record: tuple[int, int, str]) -> None:
        self.version, self.written, self.writer = record


def holding(array: Any) -> UntypedStorage:
    """The storage of a dense array of ours; a program makes storages of sizes and numbers."""
    out = _new(UntypedStorage)
    out.hold(array)
    return out


def pickled(data: bytes, name: str) -> UntypedStorage:
    """The storage that some bytes of a dtype make up, in its own memory: so a pickled one is read.

    Raises:
        ArgumentTypeError (a TypeError): no bytes, or no such dtype. ShapeError (a RuntimeError): no whole number of
        elements.

    Example:
        >>> pickled(bytes([0, 1]), "int16").buffer.tolist()
        [256]
    """
    d = named(name)
    if not isinstance(data, bytes):
        raise ArgumentTypeError(f"a pickled storage of {type(data).__name__}", "a storage is pickled as bytes",
                                "pickle it again, with this release")
    if len(data) % d.itemsize:
        raise ShapeError(f"{len(data)} pickled bytes of {name}", f"an element has {d.itemsize} bytes",
                         "pickle it again: some of it is lost")
    return holding(np.frombuffer(data, d.numpy).copy())


class Reread(UntypedStorage):
    """A storage read as another dtype: slots of its own size, the version of the storage it is part of."""

    __slots__ = ("root",)

    def __init__(self, root: UntypedStorage, d: dtype):
        self.root = root.untyped()
        self._buffer, self.array = backend.reinterpret(root.buffer, d.numpy), None

    version = property(lambda self: self.root.version)
    written = property(lambda self: self.root.written)
    writer = property(lambda self: self.root.writer)
    record = property(lambda self: self.root.record, lambda self, record: setattr(self.root, "record", record))

    def wrote(self, op: str) -> None:
        self.root.wrote(op)

    def untyped(self) -> UntypedStorage:
        return self.root
