"""A storage read as elements of one dtype."""
from __future__ import annotations

from typing import Any

from ..backends import backend
from ..dtype import OF_NUMPY, as_dtype, get_default_dtype
from ..errors import ArgumentTypeError, ShapeError
from .storage import Cells, UntypedStorage, blank, holding


class TypedStorage(Cells):
    """Elements: an untyped storage, and the dtype in which its bytes are read.

    Made of a list of numbers, of a size (as zeros), or around a storage: `TypedStorage(wrap_storage=bytes, dtype=...)`.

    Differs from PyTorch: `x.storage()` does not warn that programs should prefer `x.untyped_storage()`.
    Raises:
        ArgumentTypeError (a TypeError): no slot, or no number. IndexOutOfRange (an IndexError): a slot outside.
        DTypeError (a RuntimeError): a number that the dtype does not hold.
    Source: https://pytorch.org/docs/stable/storage.html

    Example:
        >>> import rustyflow as rf
        >>> x = rf.tensor([[1., 4.], [2., 1.]])
        >>> x.t().storage()
         1.0
         4.0
         2.0
         1.0
        [rustyflow.storage.TypedStorage(dtype=rustyflow.float32, device=cpu) of size 4]
        >>> x.storage()[1] = 9
        >>> x.t()[1, 0]
        tensor(9.)
    """

    __slots__ = ("_untyped", "dtype")
    _unit, _no_slot = "elements", ShapeError

    def __init__(self, numbers: Any = (), *, dtype: Any = None, wrap_storage: UntypedStorage | None = None):
        self.dtype = get_default_dtype() if dtype is None else as_dtype(dtype)
        if wrap_storage is not None and not isinstance(wrap_storage, UntypedStorage):
            raise ArgumentTypeError(f"TypedStorage(wrap_storage={wrap_storage!r:.60})",
                                    "what is wrapped is an UntypedStorage", "wrap_storage=x.untyped_storage()")
        if wrap_storage is not None:
            self._untyped = wrap_storage.untyped()
        else:
            self._untyped = holding(blank("TypedStorage", numbers, self.dtype))
            self.begin(numbers)

    @property
    def cells(self):
        """The memory as one flat array of this dtype."""
        buffer = self._untyped.buffer
        return buffer if OF_NUMPY[buffer.dtype] is self.dtype else backend.reinterpret(buffer, self.dtype.numpy)

    _holds = property(lambda self: self.dtype)
    _what = property(lambda self: f"dtype={self.dtype!r}, device=cpu")

    def __reduce_ex__(self, protocol: Any) -> tuple:
        return _typed, (self._untyped, self.dtype)

    def nbytes(self) -> int:
        """The count of bytes."""
        return self._untyped.nbytes()

    def element_size(self) -> int:
        """The bytes of one element."""
        return self.dtype.itemsize

    def untyped(self) -> UntypedStorage:
        """The same memory in bytes."""
        return self._untyped

    def data_ptr(self) -> int:
        """The address of the first byte."""
        return self._untyped.data_ptr()

    def clone(self) -> TypedStorage:
        """A copy, in memory of its own."""
        return TypedStorage(dtype=self.dtype, wrap_storage=self._untyped.clone())


def _typed(storage: UntypedStorage, dtype: Any) -> TypedStorage:
    return TypedStorage(dtype=dtype, wrap_storage=storage)
