"""Storage: one flat run of memory that any number of tensors read in their own order."""
from __future__ import annotations

from itertools import count

from .dtype import OF_NUMPY, dtype

tick = count(1).__next__
"""One clock for all that happens: it numbers the nodes of graphs and dates the writes to storages."""


class Storage:
    """A flat buffer, its dtype, and the record of writes through tensors.

    `version` counts in-place writes, shared by every view. `written` is the clock's time of the last one and `writer` its op:
    a node saved before `written` holds a value that is gone. Writes through `numpy()` or `data` of foreign code cannot be counted.

    Example:
        >>> import rustyflow as rf
        >>> x = rf.arange(6).view(2, 3)
        >>> x.untyped_storage().size(), x.t().untyped_storage() is x.untyped_storage()
        (6, True)
    """

    __slots__ = ("buffer", "version", "written", "writer", "__weakref__")

    def __init__(self, buffer):
        self.buffer, self.version, self.written, self.writer = buffer, 0, 0, ""

    @property
    def dtype(self) -> dtype:
        return OF_NUMPY[self.buffer.dtype]

    def size(self) -> int:
        """Slots, in elements (PyTorch's untyped storage counts bytes: see `nbytes`)."""
        return len(self.buffer)

    __len__ = size

    def nbytes(self) -> int:
        return len(self.buffer) * self.buffer.dtype.itemsize

    def data_ptr(self) -> int:
        return self.buffer.__array_interface__["data"][0]

    def tolist(self) -> list:
        return self.buffer.tolist()

    def __getitem__(self, slot):
        return self.buffer[slot].item() if isinstance(slot, int) else self.buffer[slot].tolist()

    def wrote(self, op: str) -> None:
        """Date a write."""
        self.version += 1
        self.written, self.writer = tick(), op

    def __repr__(self):
        return f"Storage({self.size()} x {self.dtype.name}, version {self.version})"
