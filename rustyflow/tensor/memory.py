"""The side of a tensor that is memory: a storage, read through a shape, a stride and an offset."""
from __future__ import annotations

from _thread import allocate_lock  # threading.Lock, without the 3 ms that all of threading takes
from typing import Any

from ..backends import backend
from ..dtype import OF_NUMPY, dtype
from ..layout import wrap_dim
from .device import CPU
from .memory_format import contiguous_format, is_row_major
from .size import Size, of
from .storage import UntypedStorage, holding
from .typed_storage import TypedStorage


class Strided:
    """A storage and where to read it; `Tensor` is this with a history.

    `_a` is an array with this shape and these strides, which are kept nowhere else; the storage object is attached when
    the memory is first shared or overwritten.

    Example:
        >>> import rustyflow as rf
        >>> x = rf.arange(6).view(2, 3).t()
        >>> x.shape, x.stride(), x.storage_offset(), x.storage().tolist()
        (rustyflow.Size([3, 2]), (1, 3), 0, [0, 1, 2, 3, 4, 5])
    """

    __slots__ = ("_a", "_storage", "_offset")
    device = CPU
    is_cpu = True
    is_sparse = is_cuda = is_quantized = is_meta = False

    @property
    def shape(self) -> Size:
        """The number of indices along each axis.

        Source: https://pytorch.org/docs/stable/generated/torch.Tensor.shape.html

        Example:
            >>> import rustyflow as rf
            >>> rf.zeros(2, 3).shape
            rustyflow.Size([2, 3])
        """
        return of(Size, self._a.shape)

    def size(self, dim: int | None = None) -> Any:
        """The shape, or the size of one axis.

        Raises:
            DimError (an IndexError): no such axis.
        Source: https://pytorch.org/docs/stable/generated/torch.Tensor.size.html

        Example:
            >>> import rustyflow as rf
            >>> rf.zeros(2, 3).size(), rf.zeros(2, 3).size(-1)
            (rustyflow.Size([2, 3]), 3)
        """
        return of(Size, self._a.shape) if dim is None else self._a.shape[wrap_dim(dim, self._a.ndim)]

    def stride(self, dim: int | None = None) -> Any:
        """Per axis, or for one, how many slots of the storage it is to the next index.

        Raises:
            DimError (an IndexError): no such axis.
        Source: https://pytorch.org/docs/stable/generated/torch.Tensor.stride.html

        Example:
            >>> import rustyflow as rf
            >>> x = rf.zeros(2, 3)
            >>> x.stride(), x.t().stride(), x.stride(0)
            ((3, 1), (1, 3), 3)
        """
        stride = backend.stride(self._a)
        return stride if dim is None else stride[wrap_dim(dim, len(stride))]

    def storage_offset(self) -> int:
        """The slot of the storage in which the first cell lies.

        Source: https://pytorch.org/docs/stable/generated/torch.Tensor.storage_offset.html

        Example:
            >>> import rustyflow as rf
            >>> rf.arange(6).view(2, 3)[1, 1:].storage_offset()
            4
        """
        return self._offset

    def untyped_storage(self) -> UntypedStorage:
        """The storage in bytes, which every view of the tensor shares.

        Source: https://pytorch.org/docs/stable/generated/torch.Tensor.untyped_storage.html

        Example:
            >>> import rustyflow as rf
            >>> x = rf.arange(6).view(2, 3)
            >>> x[1].untyped_storage().nbytes(), x[1].untyped_storage() is x.untyped_storage()
            (48, True)
        """
        return (self._storage or storage_of(self)).untyped()

    def storage(self) -> TypedStorage:
        """The storage in elements of the tensor's dtype, which every view of the tensor shares.

        Source: https://pytorch.org/docs/stable/generated/torch.Tensor.storage.html

        Example:
            >>> import rustyflow as rf
            >>> x = rf.arange(6).view(2, 3)
            >>> x[1].storage().tolist(), x[1].storage()[0]
            ([0, 1, 2, 3, 4, 5], 0)
        """
        return TypedStorage(dtype=self.dtype, wrap_storage=storage_of(self))

    def data_ptr(self) -> int:
        """The address of the first cell, in bytes.

        Source: https://pytorch.org/docs/stable/generated/torch.Tensor.data_ptr.html

        Example:
            >>> import rustyflow as rf
            >>> x = rf.zeros(4)
            >>> x[3:].data_ptr() - x.data_ptr()
            12
        """
        return storage_of(self).data_ptr() + self._offset * self._a.dtype.itemsize

    def is_contiguous(self, *, memory_format: Any = contiguous_format) -> bool:
        """True if the cells, in order, lie in consecutive slots.

        Raises:
            ArgumentTypeError (a TypeError): no memory format.
        Source: https://pytorch.org/docs/stable/generated/torch.Tensor.is_contiguous.html

        Example:
            >>> import rustyflow as rf
            >>> x = rf.zeros(2, 3)
            >>> x.is_contiguous(), x.t().is_contiguous(), x[1:].is_contiguous()
            (True, False, True)
        """
        if memory_format is not contiguous_format:
            is_row_major("is_contiguous", memory_format)
        return self._a.flags.c_contiguous

    @property
    def ndim(self) -> int:
        """The number of axes: the same as `dim()`.

        Source: https://pytorch.org/docs/stable/generated/torch.Tensor.ndim.html

        Example:
            >>> import rustyflow as rf
            >>> rf.zeros(2, 3).ndim, rf.tensor(5).ndim
            (2, 0)
        """
        return self._a.ndim

    def dim(self) -> int:
        """The number of axes.

        Source: https://pytorch.org/docs/stable/generated/torch.Tensor.dim.html

        Example:
            >>> import rustyflow as rf
            >>> rf.zeros(2, 3).dim()
            2
        """
        return self._a.ndim

    ndimension = dim

    def numel(self) -> int:
        """The number of cells; `nelement` is another name for it.

        Source: https://pytorch.org/docs/stable/generated/torch.Tensor.numel.html

        Example:
            >>> import rustyflow as rf
            >>> rf.zeros(2, 3).numel(), rf.zeros(1).expand(1000).numel()
            (6, 1000)
        """
        return self._a.size

    nelement = numel

    @property
    def dtype(self) -> dtype:
        """The kind of number that the cells hold.

        Differs from PyTorch: there are no complex and no quantized dtypes, and no bfloat16.
        Source: https://pytorch.org/docs/stable/tensor_attributes.html#torch.dtype

        Example:
            >>> import rustyflow as rf
            >>> rf.zeros(1).dtype, rf.tensor([1]).dtype
            (rustyflow.float32, rustyflow.int64)
        """
        return OF_NUMPY[self._a.dtype]

    @property
    def itemsize(self) -> int:
        """The bytes of one cell: the same as `element_size()`.

        Source: https://pytorch.org/docs/stable/generated/torch.Tensor.itemsize.html

        Example:
            >>> import rustyflow as rf
            >>> rf.zeros(2).itemsize
            4
        """
        return self._a.dtype.itemsize

    def element_size(self) -> int:
        """The bytes of one cell.

        Source: https://pytorch.org/docs/stable/generated/torch.Tensor.element_size.html

        Example:
            >>> import rustyflow as rf
            >>> rf.zeros(2).element_size(), rf.tensor([True]).element_size()
            (4, 1)
        """
        return self._a.dtype.itemsize

    @property
    def nbytes(self) -> int:
        """The bytes of all cells, `numel() * element_size()`, however few slots they share.

        Source: https://pytorch.org/docs/stable/generated/torch.Tensor.nbytes.html

        Example:
            >>> import rustyflow as rf
            >>> x = rf.zeros(1).expand(1000)
            >>> x.nbytes, x.untyped_storage().nbytes()
            (4000, 4)
        """
        return self._a.size * self._a.dtype.itemsize

    def is_floating_point(self) -> bool:
        """True if the dtype is a floating one.

        Source: https://pytorch.org/docs/stable/generated/torch.Tensor.is_floating_point.html

        Example:
            >>> import rustyflow as rf
            >>> rf.zeros(1).is_floating_point(), rf.tensor([1]).is_floating_point()
            (True, False)
        """
        return self._a.dtype.kind == "f"

    def is_complex(self) -> bool:
        """True if the dtype is a complex one.

        Differs from PyTorch: never, for there are none.
        Source: https://pytorch.org/docs/stable/generated/torch.Tensor.is_complex.html

        Example:
            >>> import rustyflow as rf
            >>> rf.zeros(1).is_complex()
            False
        """
        return False

    def is_signed(self) -> bool:
        """True if the dtype has negative numbers.

        Source: https://pytorch.org/docs/stable/generated/torch.Tensor.is_signed.html

        Example:
            >>> import rustyflow as rf
            >>> rf.zeros(1).is_signed(), rf.zeros(1, dtype=rf.uint8).is_signed()
            (True, False)
        """
        return self.dtype.is_signed

    @property
    def _version(self) -> int:
        return self._storage.version if self._storage is not None else 0


def storage_of(x: Strided) -> UntypedStorage:
    """The tensor's storage, attached on first use; if several threads ask at once, only one of them attaches it."""
    if x._storage is None:
        with _attaching:
            if x._storage is None:
                x._storage = holding(x._a)
    return x._storage


_attaching = allocate_lock()
