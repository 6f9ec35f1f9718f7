"""Views of all cells: (shape, stride, offset) under another shape or another order of axes."""
from __future__ import annotations

from collections.abc import Sequence
from math import prod

from ..errors import DimError, ShapeError, ViewError
from .dims import wrap_dim, wrap_dims
from .strides import Layout, Shape, contiguous_stride


def infer_size(size: Sequence[int], numel: int, shape: Shape = ()) -> Shape:
    """Fill in a single -1 so that `size` holds `numel` cells.

    Raises:
        ShapeError (a RuntimeError): two -1s, a negative size, or a count that does not come out.

    Example:
        >>> infer_size((-1, 4), 12)
        (3, 4)
    """
    size = tuple(size)
    known = prod(n for n in size if n != -1)
    if size.count(-1) > 1:
        raise ShapeError(f"asked for shape {size}", "only one dimension can be inferred", "leave a single -1")
    if any(n < -1 for n in size):
        raise ShapeError(f"asked for shape {size}", f"invalid shape dimension {min(size)}",
                         "sizes are 0 or more, or one -1 to be inferred")
    if -1 in size:
        if known == 0:
            raise ShapeError(f"asked for shape {size} of {numel} cells",
                             f"cannot reshape tensor of {numel} elements into shape {list(size)} "
                             "because the unspecified dimension size -1 can be any value and is ambiguous",
                             "write every size out")
        if numel % known == 0:
            return tuple(numel // known if n == -1 else n for n in size)
    elif known == numel:
        return size
    raise ShapeError(f"shape {tuple(shape)} has {numel} cells, asked for {size}",
                     f"shape '{list(size)}' is invalid for input of size {numel}: "
                     "the product of the sizes must be the number of cells",
                     f"sizes beside the -1 whose product divides {numel}" if -1 in size
                     else f"choose sizes whose product is {numel}, or leave one as -1", size=size, numel=numel)


def view_stride(shape: Shape, stride: Shape, size: Shape) -> Shape | None:
    """The stride with which `size` reads the same cells in the same order, or None where no stride can.

    Neighbouring axes merge only when `stride[i] == stride[i+1] * shape[i+1]`; each merged block is then cut up afresh.

    Example:
        >>> view_stride((3, 4), (4, 1), (2, 6)), view_stride((4, 3), (1, 4), (12,))
        ((6, 1), None)
    """
    if prod(shape) == 0:
        return stride if shape == size else contiguous_stride(size)
    if not shape:
        return (1,) * len(size)
    out, at, base, cells, taken = [0] * len(size), len(size) - 1, stride[-1], 1, 1
    for d in range(len(shape) - 1, -1, -1):
        cells *= shape[d]
        if d and (shape[d - 1] == 1 or stride[d - 1] == cells * base):
            continue
        while at >= 0 and (taken < cells or size[at] == 1):
            out[at] = taken * base
            taken *= size[at]
            at -= 1
        if taken != cells:
            return None
        base, cells, taken = stride[d - 1], 1, 1
    return tuple(out)


def parted(shape: Shape, stride: Shape, size: Shape) -> tuple[int, int]:
    """The two axes that would have to merge for a view of `size`, and cannot.

    Between them are only sizes of 1.

    Example:
        >>> parted((4, 3), (1, 4), (12,)), parted((3, 2, 4), (4, 12, 1), (6, 4))
        ((0, 1), (0, 1))
    """
    cuts = {prod(size[k:]) for k in range(len(size) + 1)}
    for d in range(len(shape) - 1, 0, -1):
        e = next((e for e in range(d, len(shape)) if shape[e] != 1), d)
        if shape[d - 1] != 1 and stride[d - 1] != stride[e] * shape[e] and prod(shape[d:]) not in cuts:
            return d - 1, e
    raise ValueError(f"view{size} of shape {shape}, stride {stride} is one that strides allow")


def view(shape: Shape, stride: Shape, offset: int, *, size: Sequence[int]) -> Layout:
    """The same cells in the same order under another shape, without copying.

    Raises:
        ViewError (a RuntimeError): no stride can; names the two axes that cannot merge.

    Example:
        >>> view((3, 4), (4, 1), 0, size=(2, -1))
        ((2, 6), (6, 1), 0)
    """
    size = infer_size(size, prod(shape), shape)
    new = view_stride(shape, stride, size)
    if new is None:
        d, e = parted(shape, stride, size)
        why = (f"dims {d} and {e} cannot merge: stride[{d}] is {stride[d]}, "
               f"but stride[{e}] * shape[{e}] is {stride[e] * shape[e]}")
        raise ViewError(f"shape {tuple(shape)}, stride {tuple(stride)}, asked for view{tuple(size)}",
                        f"view size is not compatible with input tensor's size and stride: {why}",
                        f".reshape{tuple(size)}, which copies where it must, or .contiguous().view{tuple(size)}",
                        shape=shape, stride=stride, size=size, dims=(d, e))
    return size, new, offset


def permute(shape: Shape, stride: Shape, offset: int, *, dims: Sequence[int]) -> Layout:
    """Axes in another order.

    Example:
        >>> permute((2, 3, 4), (12, 4, 1), 0, dims=(2, 0, 1))
        ((4, 2, 3), (1, 12, 4), 0)
    """
    if len(dims) != len(shape):
        raise ShapeError(f"a tensor of {len(shape)} dims, permute{tuple(dims)}",
                         "permute names every axis once: number of dimensions in the tensor "
                         "input does not match the length of the desired ordering of dimensions",
                         f"give {len(shape)} dims, or use transpose(d0, d1) to swap two")
    order = wrap_dims(tuple(dims), len(shape)) if shape else ()
    return tuple(shape[d] for d in order), tuple(stride[d] for d in order), offset


def transpose(shape: Shape, stride: Shape, offset: int, *, dim0: int, dim1: int) -> Layout:
    """Two axes swapped.

    Example:
        >>> transpose((3, 4), (4, 1), 0, dim0=0, dim1=1)
        ((4, 3), (1, 4), 0)
    """
    order = list(range(len(shape)))
    a, b = wrap_dim(dim0, len(shape)), wrap_dim(dim1, len(shape))
    if order:
        order[a], order[b] = order[b], order[a]
    return tuple(shape[d] for d in order), tuple(stride[d] for d in order), offset


def t(shape: Shape, stride: Shape, offset: int) -> Layout:
    """Rows and columns swapped; what has fewer than two axes stays as it is.

    Raises:
        ShapeError: more than two axes.

    Example:
        >>> t((3, 4), (4, 1), 0), t((3,), (1,), 0)
        (((4, 3), (1, 4), 0), ((3,), (1,), 0))
    """
    if len(shape) > 2:
        raise ShapeError(f"shape {tuple(shape)}",
                         f"t() expects a tensor with <= 2 dimensions, but self is {len(shape)}D",
                         "x.transpose(d0, d1), or x.mT for batches")
    return shape[::-1], stride[::-1], offset


def squeeze(shape: Shape, stride: Shape, offset: int, *, dims: Sequence[int]) -> Layout:
    """Axes of size 1 among `dims` removed; others stay.

    Example:
        >>> squeeze((1, 3, 1), (3, 1, 1), 0, dims=(0, 1))
        ((3, 1), (1, 1), 0)
    """
    keep = [d for d, n in enumerate(shape) if not (d in dims and n == 1)]
    return tuple(shape[d] for d in keep), tuple(stride[d] for d in keep), offset


def unsqueeze(shape: Shape, stride: Shape, offset: int, *, dim: int) -> Layout:
    """A new axis of size 1 before `dim`.

    Example:
        >>> unsqueeze((3, 4), (4, 1), 0, dim=1)
        ((3, 1, 4), (4, 4, 1), 0)
    """
    rank = len(shape)
    if not -rank - 1 <= dim <= rank:
        raise DimError(f"a new axis at {dim} of a tensor with {rank} dims",
                       f"Dimension out of range (expected to be in range of [{-rank - 1}, {rank}], but got {dim})",
                       f"from {-rank - 1} to {rank}; -1 is behind the last axis", dim=dim, rank=rank)
    d = dim % (rank + 1)
    step = shape[d] * stride[d] if d < len(shape) else 1
    return shape[:d] + (1,) + shape[d:], stride[:d] + (step,) + stride[d:], offset
