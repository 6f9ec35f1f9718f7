"""The same bytes read as another dtype."""
from __future__ import annotations

from ...backends import backend
from ...dtype import dtype
from ...errors import ShapeError
from ...tensor import Reread, Tensor, over, storage_of


def view_dtype(input: Tensor, d: dtype) -> Tensor:
    """The same bytes as another dtype: a view without gradient.

    The last axis grows or shrinks with the size of a cell.

    Raises:
        ShapeError (a RuntimeError): cells that cannot be cut or joined that way; names the axis.
    """
    if d is input.dtype:
        return input.detach()
    shape, stride, offset = list(input._a.shape), list(backend.stride(input._a)), input._offset
    old, new = input._a.dtype.itemsize, d.itemsize
    if old != new:
        was = f"{input.dtype!r} viewed as {d!r}: shape {tuple(shape)}, stride {tuple(stride)}, offset {offset}"
        many = max(old, new) // min(old, new)
        if not shape or stride[-1] != 1:
            raise ShapeError(was,
                             f"self.size(-1) and self.stride(-1): cells of {old} bytes become cells of {new}, "
                             "along a last axis whose stride is 1",
                             "x.contiguous(), or unsqueeze(0) for a 0-d tensor; x.to(dtype) converts the values")
        if old > new:
            shape[-1] *= many
            stride, offset = [s * many for s in stride[:-1]] + [1], offset * many
        else:
            if shape[-1] % many or offset % many or any(s % many for s in stride[:-1]):
                raise ShapeError(was,
                                 f"the last axis, the offset and the other strides must be divisible by {many}, "
                                 "so that whole cells are joined",
                                 "x.contiguous(), or another dtype; x.to(dtype) converts the values instead")
            shape[-1] //= many
            stride, offset = [s // many for s in stride[:-1]] + [1], offset // many
    return over(Reread(storage_of(input), d), tuple(shape), tuple(stride), offset)
