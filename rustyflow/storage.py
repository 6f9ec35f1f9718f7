"""Storage: one flat run of memory that any number of tensors read in their own order."""
from __future__ import annotations

from itertools import count

from .backends import backend
from .dtype import OF_NUMPY, dtype

tick = count(1).__next__
"""One clock for everything: it numbers the nodes of graphs and dates the writes to storages."""


class Storage:
    """A flat buffer, its dtype, and the record of writes through tensors.

    `version` counts in-place writes, shared by every view. `written` is the time of the last one by `tick`, and
    `writer` its op: a node saved before `written` holds a value that is gone. Writes through `numpy()`, `.data` or
    another library are not counted.

    Example:
        >>> import rustyflow as rf
        >>> x = rf.arange(6).view(2, 3)
        >>> len(x.untyped_storage()), x.t().untyped_storage() is x.untyped_storage()
        (6, True)
    """

    __slots__ = ("_buffer", "array", "version", "written", "writer", "__weakref__")

    def __init__(self, array):
        self._buffer, self.array, self.version, self.written, self.writer = None, array, 0, 0, ""

    @property
    def buffer(self):
        """The memory as one flat array, made on first use from the dense array that the storage began with."""
        array = self.array  # read before the question: another thread may flatten it meanwhile
        if self._buffer is None:
            self._buffer, self.array = backend.flat(array), None
        return self._buffer

    @property
    def dtype(self) -> dtype:
        return OF_NUMPY[self.buffer.dtype]

    def __len__(self) -> int:
        """Slots, in elements (`size` and `nbytes` count bytes, as PyTorch's do)."""
        return len(self.buffer)

    def nbytes(self) -> int:
        return len(self.buffer) * self.buffer.dtype.itemsize

    size = nbytes

    def data_ptr(self) -> int:
        return backend.address(self.buffer)

    def tolist(self) -> list:
        return self.buffer.tolist()

    def __getitem__(self, slot):
        return self.buffer[slot].item() if isinstance(slot, int) else self.buffer[slot].tolist()

    def over(self, buffer) -> Storage:
        """A storage over other memory with this one's record, for a tensor whose `.data` was set."""
        if buffer is self.buffer:
            return self
        out = Storage(buffer)
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

    def __repr__(self):
        return f"Storage({len(self)} x {self.dtype.name}, version {self.version})"
