"""Views of some cells, or of cells more than once: indices, slices, diagonals, windows, any stride."""
from __future__ import annotations

from collections.abc import Sequence
from operator import index as as_int

from ..errors import DimError, IndexOutOfRange, ShapeError, StorageBoundsError
from .dims import wrap_dim
from .indexing import LONGEST, no_such_index, span
from .strides import Layout, Shape, extent


def select(shape: Shape, stride: Shape, offset: int, *, dim: int, index: int) -> Layout:
    """One index along an axis; the axis disappears.

    Raises:
        IndexOutOfRange (an IndexError): no such index, or a 0-d tensor.

    Example:
        >>> select((3, 4), (4, 1), 0, dim=0, index=-1)
        ((4,), (1,), 8)
    """
    if not shape:
        raise IndexOutOfRange("a 0-d tensor", "select() cannot be applied to a 0-dim tensor",
                              "read its number with .item()")
    d = wrap_dim(dim, len(shape))
    n, i = shape[d], as_int(index)
    if not -n <= i < n:
        raise no_such_index(shape, d, i)
    return shape[:d] + shape[d + 1:], stride[:d] + stride[d + 1:], offset + (i + n if i < 0 else i) * stride[d]


def slice_(shape: Shape, stride: Shape, offset: int, *, dim: int, start: int | None, stop: int | None,
           step: int | None) -> Layout:
    """Every `step`-th index of an axis from `start` up to `stop`, clipped as Python slices are.

    Raises:
        ArgumentValueError (a ValueError): a step below 1.

    Example:
        >>> slice_((3, 4), (4, 1), 0, dim=1, start=1, stop=None, step=2)
        ((3, 2), (4, 2), 1)
    """
    d = wrap_dim(dim, len(shape))
    first, n, by = span(slice(start, stop, step), shape[d])
    return shape[:d] + (n,) + shape[d + 1:], stride[:d] + (stride[d] * by,) + stride[d + 1:], offset + first * stride[d]


def narrow(shape: Shape, stride: Shape, offset: int, *, dim: int, start: int, length: int) -> Layout:
    """`length` indices of an axis from `start` on.

    Raises:
        ShapeError (a RuntimeError) or DimError (an IndexError): outside the axis.

    Example:
        >>> narrow((3, 4), (4, 1), 0, dim=1, start=1, length=2)
        ((3, 2), (4, 1), 1)
    """
    if not shape:
        raise ShapeError("a 0-d tensor", "narrow() cannot be applied to a 0-dim tensor.",
                         "unsqueeze(0) gives it an axis")
    d = wrap_dim(dim, len(shape))
    n = shape[d]
    if not -n <= start <= n:
        raise DimError(f"start {start} on dim {d} of shape {tuple(shape)}",
                       f"start out of range (expected to be in range of [{-n}, {n}], but got {start})",
                       f"start from 0 to {n}")
    start = start + n if start < 0 else start
    if length < 0 or start + length > n:
        raise ShapeError(f"start {start}, length {length} on dim {d} of shape {tuple(shape)}",
                         "narrow(): length must be non-negative."
                         if length < 0 else f"start ({start}) + length ({length}) exceeds dimension size ({n}).",
                         f"length at most {n - start}")
    return shape[:d] + (length,) + shape[d + 1:], stride, offset + start * stride[d]


def diagonal(shape: Shape, stride: Shape, offset: int, *, diag: int, dim1: int, dim2: int) -> Layout:
    """The cells whose two indices differ by `diag`; the new axis comes last, its stride is the sum of both.

    Raises:
        ShapeError (a RuntimeError): the same axis twice.

    Example:
        >>> diagonal((3, 4), (4, 1), 0, diag=1, dim1=0, dim2=1)
        ((3,), (5,), 1)
    """
    a, b = wrap_dim(dim1, len(shape)), wrap_dim(dim2, len(shape))
    if a == b:
        raise ShapeError(f"dim1 {dim1} and dim2 {dim2} of shape {tuple(shape)}",
                         f"diagonal dimensions cannot be identical {dim1}, {dim2}", "name two axes")
    n = max(0, min(shape[a], shape[b] - diag) if diag >= 0 else min(shape[a] + diag, shape[b]))
    if n:
        offset += diag * stride[b] if diag >= 0 else -diag * stride[a]
    keep = [d for d in range(len(shape)) if d not in (a, b)]
    return tuple(shape[d] for d in keep) + (n,), tuple(stride[d] for d in keep) + (stride[a] + stride[b],), offset


def unfold(shape: Shape, stride: Shape, offset: int, *, dim: int, size: int, step: int) -> Layout:
    """Windows of `size` along an axis, one every `step`; the windows overlap in memory when step < size.

    Raises:
        ShapeError (a RuntimeError): a window larger than the axis, or a step below 1.

    Example:
        >>> unfold((5,), (1,), 0, dim=0, size=3, step=1)
        ((3, 3), (1, 1), 0)
    """
    d = wrap_dim(dim, len(shape))
    n, s = (shape[d], stride[d]) if shape else (1, 1)
    if not 0 <= size <= n:
        raise ShapeError(f"windows of {size} on dim {d} of shape {tuple(shape)}",
                         f"maximum size for tensor at dimension {d} is {n} but size is {size}",
                         f"a window of at most {n}")
    if step < 1:
        raise ShapeError(f"step {step}", f"step is {step} but must be > 0", "a step of 1 or more")
    if not shape:
        return (size,), (1,), offset
    windows = (n - size) // step + 1
    if step * s >= 1 << 63:
        raise StorageBoundsError(f"windows every {step} indices of stride {s}", "a stride has at most 64 bits",
                                 f"a step of {n}: there is one window")
    apart = step * s if step * s < 1 << 60 else LONGEST * s  # of one window alone
    return (*shape[:d], windows, *shape[d + 1:], size), (*stride[:d], apart, *stride[d + 1:], s), offset


def as_strided(slots: int, *, size: Sequence[int], stride: Sequence[int], offset: int) -> Layout:
    """Any layout that stays inside a storage of `slots` slots.

    Raises:
        ShapeError (a RuntimeError): lengths that differ, or negative sizes or strides.
        StorageBoundsError (a RuntimeError): a cell outside; the message names it.

    Example:
        >>> as_strided(12, size=(2, 2), stride=(4, 2), offset=1)
        ((2, 2), (4, 2), 1)
    """
    size, stride = tuple(size), tuple(stride)
    if len(size) != len(stride):
        raise ShapeError(f"size {size}, stride {stride}", "mismatch in length of strides and shape",
                         "give one stride per axis")
    if any(n < 0 for n in size) or any(s < 0 for s in stride) or offset < 0:
        raise ShapeError(f"size {size}, stride {stride}, storage_offset {offset}",
                         "as_strided: Negative strides are not supported, nor negative sizes or offsets",
                         "use flip to reverse; it copies")
    _, end = extent(size, stride, offset)
    if end > slots and 0 not in size:
        cell = tuple(n - 1 for n in size)
        layout = f"size {size}, stride {stride}, storage_offset {offset}"
        raise StorageBoundsError(f"{layout} over a storage of {slots} slots",
                                 f"setStorage: out of bounds for storage: index {cell} needs slot {end - 1}, "
                                 f"the storage ends at slot {slots - 1}",
                                 "a smaller size, stride or storage_offset",
                                 size=size, stride=stride, offset=offset, slots=slots)
    return size, stride, offset
