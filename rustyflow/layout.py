"""Where the cells are: shapes, strides and offsets as pure functions on tuples of ints.

A layout is (shape, stride, offset), counted in elements of a flat storage. The cell at `index` lies in slot
`offset + sum(index * stride)`. Every view is a new layout over the same storage; nothing here touches memory.
Source of the rules: https://pytorch.org/docs/stable/tensor_view.html and https://pytorch.org/docs/stable/notes/broadcasting.html
"""
from __future__ import annotations

from itertools import product
from math import prod
from operator import index as as_int
from typing import Iterator, Sequence

from .errors import (ArgumentTypeError, ArgumentValueError, BroadcastError, DimError, IndexOutOfRange, ShapeError,
                     StorageBoundsError, ViewError, align_right)

Shape = tuple[int, ...]
Layout = tuple[Shape, Shape, int]


def contiguous_stride(shape: Shape) -> Shape:
    """Row-major strides: the last axis steps by one slot. An axis of size 0 counts as 1, as in PyTorch.

    Example:
        >>> contiguous_stride((2, 3, 4))
        (12, 4, 1)
    """
    stride, step = [], 1
    for size in reversed(shape):
        stride.append(step)
        step *= max(size, 1)
    return tuple(reversed(stride))


def column_major_stride(shape: Shape) -> Shape:
    """Column-major (Fortran) strides: the first axis steps by one slot.

    Example:
        >>> column_major_stride((2, 3, 4))
        (1, 2, 6)
    """
    return contiguous_stride(shape[::-1])[::-1]


def is_contiguous(shape: Shape, stride: Shape) -> bool:
    """Whether reading the cells in order reads consecutive slots. The stride of an axis of size 1 does not matter.

    Example:
        >>> is_contiguous((3, 4), (4, 1)), is_contiguous((4, 3), (1, 4))
        (True, False)
    """
    step = 1
    for size, s in zip(reversed(shape), reversed(stride)):
        if size == 0:
            return True
        if size != 1:
            if s != step:
                return False
            step *= size
    return True


def is_dense(shape: Shape, stride: Shape) -> bool:
    """Whether the cells fill a block of slots without holes or overlap, in whatever order of axes.

    Example:
        >>> is_dense((4, 3), (1, 4)), is_dense((2, 2), (4, 1)), is_dense((3,), (0,))
        (True, False, False)
    """
    step = 1
    for s, size in sorted((s, n) for s, n in zip(stride, shape) if n != 1):
        if size == 0:
            return True
        if s != step:
            return False
        step *= size
    return True


def flat_index(index: Sequence[int], stride: Shape, offset: int = 0) -> int:
    """The slot of a cell: `offset + sum(index * stride)`.

    Example:
        >>> flat_index((2, 1), (1, 4), 1)
        7
    """
    return offset + sum(i * s for i, s in zip(index, stride))


def indices(shape: Shape) -> Iterator[tuple[int, ...]]:
    """Every multi-index of a shape in row-major order.

    Example:
        >>> list(indices((2, 2)))
        [(0, 0), (0, 1), (1, 0), (1, 1)]
    """
    return product(*map(range, shape))


def slots(shape: Shape, stride: Shape, offset: int = 0) -> Iterator[int]:
    """The slot of every cell in row-major order.

    Example:
        >>> list(slots((2, 3), (1, 2), 0))
        [0, 2, 4, 1, 3, 5]
    """
    return (flat_index(i, stride, offset) for i in indices(shape))


def extent(shape: Shape, stride: Shape, offset: int = 0) -> tuple[int, int]:
    """The first slot a layout may read and one past the last; `(offset, offset)` when it has no cells.

    Example:
        >>> extent((3, 2), (1, 4), 1)
        (1, 8)
    """
    if 0 in shape:
        return offset, offset
    reach = [(n - 1) * s for n, s in zip(shape, stride)]
    return offset + sum(r for r in reach if r < 0), offset + sum(r for r in reach if r > 0) + 1


def has_overlap(shape: Shape, stride: Shape) -> bool:
    """Whether some slot surely or possibly stands for two cells: PyTorch's test, exact for the layouts views make.

    Example:
        >>> has_overlap((3, 4), (0, 1)), has_overlap((3, 4), (4, 1)), has_overlap((3, 2), (1, 1))
        (True, False, True)
    """
    if 0 in shape:
        return False
    reach = 0
    for s, size in sorted((abs(s), n) for s, n in zip(stride, shape) if n > 1):
        if s <= reach:
            return True
        reach += s * (size - 1)
    return False


def wrap_dim(dim: int, rank: int) -> int:
    """A dim counted from either end as one counted from the left. A 0-d tensor is taken to have one axis.

    Raises:
        DimError (an IndexError): the tensor has no such axis.

    Example:
        >>> wrap_dim(-1, 3)
        2
    """
    try:
        d = as_int(dim)
    except TypeError:
        raise ArgumentTypeError(f"dim was {dim!r}", "a dim is one whole number", "write e.g. dim=0 or dim=-1") from None
    n = max(rank, 1)
    if not -n <= d < n:
        raise DimError(f"dim {d} of a tensor with {rank} dims", f"Dimension out of range (expected to be in range of [{-n}, {n - 1}], but got {d})",
                       f"use a dim from {-n} to {n - 1}; dim=-1 is always the last axis", dim=d, rank=rank)
    return d + n if d < 0 else d


def wrap_dims(dim: int | Sequence[int] | None, rank: int) -> tuple[int, ...]:
    """The axes a reduction takes, each once: all of them for None or an empty sequence.

    Raises:
        DimError (an IndexError): no such axis. ShapeError (a RuntimeError): an axis named twice.

    Example:
        >>> wrap_dims((-1, 0), 3), wrap_dims(None, 2)
        ((2, 0), (0, 1))
    """
    if dim is None or (isinstance(dim, (tuple, list)) and not dim):
        return tuple(range(rank))
    dims = tuple(wrap_dim(d, rank) for d in (dim if isinstance(dim, (tuple, list)) else (dim,)))
    for d in dims:
        if dims.count(d) > 1:
            raise ShapeError(f"dims {tuple(dim)} of a tensor with {rank} dims", f"dim {d} appears multiple times in the list of dims",
                             "name each axis once", dims=dims)
    return dims if rank else ()


def reduced_shape(shape: Shape, dims: Sequence[int], keepdim: bool) -> Shape:
    """The shape left when `dims` disappear, or stay as 1.

    Example:
        >>> reduced_shape((2, 3, 4), (1,), False), reduced_shape((2, 3, 4), (1,), True)
        ((2, 4), (2, 1, 4))
    """
    if keepdim:
        return tuple(1 if d in dims else n for d, n in enumerate(shape))
    return tuple(n for d, n in enumerate(shape) if d not in dims)


# Broadcasting

def broadcast_shapes(*shapes: Shape, names: Sequence[str] | None = None) -> Shape:
    """The shape that all broadcast to: align from the right; sizes must be equal, or 1.

    Raises:
        BroadcastError (a RuntimeError): with the shapes aligned, the clashing dim and a repair.

    Example:
        >>> broadcast_shapes((3, 1), (4,))
        (3, 4)
    """
    rank = max(map(len, shapes), default=0)
    out = []
    for back in range(rank):
        size = 1
        for shape in shapes:
            n = shape[-1 - back] if back < len(shape) else 1
            if n != 1 and size != 1 and n != size:
                _clash(shapes, names or "abcdefgh", back, size, n)
            size = n if size == 1 else size
        out.append(size)
    return tuple(reversed(out))


def _clash(shapes, names, back, one, other):
    rows = [(str(names[k]) if k < len(names) else f"#{k}", tuple(s)) for k, s in enumerate(shapes)]
    fix = "give one of them size 1 on that axis with unsqueeze, or make the sizes equal"
    for k, (name, shape) in enumerate(rows):
        for d in range(len(shape) + 1):
            grown = shape[:d] + (1,) + shape[d:]
            if d == len(shape) and _fits(*[grown if j == k else s for j, (_, s) in enumerate(rows)]):
                fix = f"{name}.unsqueeze({d if d else -1}) has shape {grown} and would broadcast"
    raise BroadcastError(
        align_right(*rows, mark=back),
        f"The size of tensor a ({one}) must match the size of tensor b ({other}) at non-singleton dimension {max(len(s) for _, s in rows) - 1 - back}: "
        "shapes align from the right, and on each axis sizes are equal or one of them is 1", fix, shapes=tuple(s for _, s in rows), back=back)


def _fits(*shapes):
    return all(len({s[-1 - b] for s in shapes if b < len(s)} - {1}) <= 1 for b in range(max(map(len, shapes))))


def broadcast_axes(shape: Shape, target: Shape) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Which axes of `target` were added in front of `shape`, and which were stretched from 1: what `sum_to` sums over.

    Example:
        >>> broadcast_axes((3, 1), (2, 3, 4))
        ((0,), (2,))
    """
    lead = len(target) - len(shape)
    return tuple(range(lead)), tuple(lead + d for d, n in enumerate(shape) if n == 1 and target[lead + d] != 1)


def expand(shape: Shape, stride: Shape, offset: int, *, size: Sequence[int]) -> Layout:
    """Repeat without copying: stretched and added axes get stride 0. -1 keeps a size.

    Raises:
        ShapeError (a RuntimeError): an axis that is neither equal nor 1, or fewer axes than before.

    Example:
        >>> expand((3, 1), (1, 1), 0, size=(2, 3, 4))
        ((2, 3, 4), (0, 1, 0), 0)
    """
    lead = len(size) - len(shape)
    if lead < 0:
        raise ShapeError(align_right(("tensor", shape), ("asked", tuple(size))),
                         f"the number of sizes provided ({len(size)}) must be greater or equal to the number of dimensions in the tensor ({len(shape)})",
                         "expand can add axes in front, never drop them: use squeeze or select for that")
    out_shape, out_stride = [], []
    for d, n in enumerate(size):
        old, s = (shape[d - lead], stride[d - lead]) if d >= lead else (1, 0)
        if n == -1 and d >= lead:
            n = old
        if n < 0:
            raise ShapeError(align_right(("tensor", shape), ("asked", tuple(size))), f"{n} isn't allowed in a leading, non-existing dimension {d}" if n == -1
                             else f"a size cannot be negative, and dim {d} asks for {n}", "give a new axis a size of its own")
        if n != old and old != 1:
            raise ShapeError(align_right(("tensor", shape), ("asked", tuple(size)), mark=len(size) - 1 - d),
                             f"The expanded size of the tensor ({n}) must match the existing size ({old}) at non-singleton dimension {d}",
                             "only an axis of size 1 can be stretched; use repeat to copy a longer one")
        out_shape.append(n)
        # PyTorch gives a new axis in front the stride a contiguous one would have when it is not stretched
        out_stride.append(s if n == old and d >= lead else 0 if n != 1 or d >= lead else None)
    for d in range(len(size) - 1, -1, -1):
        if out_stride[d] is None:
            out_stride[d] = out_shape[d + 1] * out_stride[d + 1] if d + 1 < len(size) else 1
    return tuple(out_shape), tuple(out_stride), offset


# Views: (shape, stride, offset, arguments) -> (shape, stride, offset)

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
        raise ShapeError(f"asked for shape {size}", f"invalid shape dimension {min(size)}", "sizes are 0 or more, or one -1 to be inferred")
    if -1 in size:
        if known == 0:
            raise ShapeError(f"asked for shape {size} of {numel} cells", f"cannot reshape tensor of {numel} elements into shape {list(size)} "
                             "because the unspecified dimension size -1 can be any value and is ambiguous", "write every size out")
        if numel % known == 0:
            return tuple(numel // known if n == -1 else n for n in size)
    elif known == numel:
        return size
    raise ShapeError(f"shape {tuple(shape)} has {numel} cells, asked for {size}", f"shape '{list(size)}' is invalid for input of size {numel}: "
                     "the product of the sizes must be the number of cells", f"choose sizes whose product is {numel}, or leave one as -1", size=size, numel=numel)


def view_stride(shape: Shape, stride: Shape, size: Shape) -> Shape | None:
    """The stride with which `size` reads the same cells in the same order, or None where no stride can.

    Neighbouring axes merge only when `stride[i] == stride[i+1] * shape[i+1]`; each merged block is then cut up afresh.

    Example:
        >>> view_stride((3, 4), (4, 1), (2, 6)), view_stride((4, 3), (1, 4), (12,))
        ((6, 1), None)
    """
    if prod(shape) == 0:
        return stride if shape == size else contiguous_stride(size)
    blocks, step, cells = [], 1, 1
    old = [(n, s) for n, s in zip(shape, stride) if n != 1]
    for k in range(len(old) - 1, -1, -1):
        n, s = old[k]
        step = s if cells == 1 else step
        cells *= n
        if k == 0 or old[k - 1][1] != n * s:
            blocks.append((cells, step))
            cells = 1
    out, at = [1] * len(size), len(size) - 1
    step = 1
    for cells, step in blocks or [(1, 1)]:
        taken = 1
        while at >= 0 and (taken < cells or size[at] == 1):
            out[at] = taken * step
            taken *= size[at]
            at -= 1
        if taken != cells:
            return None
    return tuple(out) if at < 0 else None


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
        d = next(d for d in range(len(shape) - 2, -1, -1) if stride[d] != stride[d + 1] * shape[d + 1] and shape[d] != 1 and shape[d + 1] != 1) \
            if any(stride[d] != stride[d + 1] * shape[d + 1] and shape[d] != 1 and shape[d + 1] != 1 for d in range(len(shape) - 1)) else 0
        why = f"dims {d} and {d + 1} cannot merge: stride[{d}] is {stride[d]}, but stride[{d + 1}] * shape[{d + 1}] is {stride[d + 1] * shape[d + 1]}" \
            if len(shape) > 1 else "the axes cannot be cut that way"
        raise ViewError(f"shape {tuple(shape)}, stride {tuple(stride)}, asked for view{tuple(size)}",
                        f"view size is not compatible with input tensor's size and stride: {why}",
                        f".reshape{tuple(size)}, which copies where it must, or .contiguous().view{tuple(size)}",
                        shape=shape, stride=stride, size=size, dims=(d, d + 1))
    return size, new, offset


def permute(shape: Shape, stride: Shape, offset: int, *, dims: Sequence[int]) -> Layout:
    """Axes in another order.

    Example:
        >>> permute((2, 3, 4), (12, 4, 1), 0, dims=(2, 0, 1))
        ((4, 2, 3), (1, 12, 4), 0)
    """
    if len(dims) != len(shape):
        raise ShapeError(f"a tensor of {len(shape)} dims, permute{tuple(dims)}", "permute names every axis once: number of dimensions in the tensor "
                         "input does not match the length of the desired ordering of dimensions", f"give {len(shape)} dims, or use transpose(d0, d1) to swap two")
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
    d = wrap_dim(dim, len(shape) + 1)
    step = shape[d] * stride[d] if d < len(shape) else 1
    return shape[:d] + (1,) + shape[d:], stride[:d] + (step,) + stride[d:], offset


def select(shape: Shape, stride: Shape, offset: int, *, dim: int, index: int) -> Layout:
    """One index along an axis; the axis disappears.

    Raises:
        IndexOutOfRange (an IndexError): no such index, or a 0-d tensor.

    Example:
        >>> select((3, 4), (4, 1), 0, dim=0, index=-1)
        ((4,), (1,), 8)
    """
    if not shape:
        raise IndexOutOfRange("a 0-d tensor", "select() cannot be applied to a 0-dim tensor", "read its number with .item()")
    d = wrap_dim(dim, len(shape))
    n, i = shape[d], as_int(index)
    if not -n <= i < n:
        raise IndexOutOfRange(f"index {i} on dim {d} of shape {tuple(shape)}", f"index {i} is out of bounds for dimension {d} with size {n}",
                              f"use {-n} to {n - 1}" if n else "an axis of size 0 has no index", dim=d, index=i, shape=shape)
    return shape[:d] + shape[d + 1:], stride[:d] + stride[d + 1:], offset + (i + n if i < 0 else i) * stride[d]


def slice_(shape: Shape, stride: Shape, offset: int, *, dim: int, start: int | None, stop: int | None, step: int | None) -> Layout:
    """Every `step`-th index of an axis from `start` up to `stop`, clipped as Python slices are.

    Raises:
        ArgumentValueError (a ValueError): a step below 1.

    Example:
        >>> slice_((3, 4), (4, 1), 0, dim=1, start=1, stop=None, step=2)
        ((3, 2), (4, 2), 1)
    """
    if step is not None and step < 1:
        raise ArgumentValueError(f"a slice with step {step}", "step must be greater than zero", "use flip(dim) to read backwards; it copies")
    d = wrap_dim(dim, len(shape))
    first, last, by = slice(start, stop, step).indices(shape[d])
    n = max(0, (last - first + by - 1) // by)
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
        raise ShapeError("a 0-d tensor", "narrow() cannot be applied to a 0-dim tensor.", "unsqueeze(0) gives it an axis")
    d = wrap_dim(dim, len(shape))
    n = shape[d]
    if not -n <= start <= n:
        raise DimError(f"start {start} on dim {d} of shape {tuple(shape)}", f"start out of range (expected to be in range of [{-n}, {n}], but got {start})",
                       f"start from 0 to {n}")
    start = start + n if start < 0 else start
    if length < 0 or start + length > n:
        raise ShapeError(f"start {start}, length {length} on dim {d} of shape {tuple(shape)}", "narrow(): length must be non-negative."
                         if length < 0 else f"start ({start}) + length ({length}) exceeds dimension size ({n}).", f"length at most {n - start}")
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
        raise ShapeError(f"dim1 {dim1} and dim2 {dim2} of shape {tuple(shape)}", f"diagonal dimensions cannot be identical {dim1}, {dim2}", "name two axes")
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
        raise ShapeError(f"windows of {size} on dim {d} of shape {tuple(shape)}", f"maximum size for tensor at dimension {d} is {n} but size is {size}",
                         f"a window of at most {n}")
    if step < 1:
        raise ShapeError(f"step {step}", f"step is {step} but must be > 0", "a step of 1 or more")
    if not shape:
        return (size,), (1,), offset
    return shape[:d] + ((n - size) // step + 1,) + shape[d + 1:] + (size,), stride[:d] + (step * s,) + stride[d + 1:] + (s,), offset


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
        raise ShapeError(f"size {size}, stride {stride}", "mismatch in length of strides and shape", "give one stride per axis")
    if any(n < 0 for n in size) or any(s < 0 for s in stride) or offset < 0:
        raise ShapeError(f"size {size}, stride {stride}, storage_offset {offset}",
                         "as_strided: Negative strides are not supported, nor negative sizes or offsets", "use flip to reverse; it copies")
    _, end = extent(size, stride, offset)
    if end > slots:
        cell = tuple(n - 1 for n in size)
        raise StorageBoundsError(f"size {size}, stride {stride}, storage_offset {offset} over a storage of {slots} slots",
                                 f"setStorage: out of bounds for storage: index {cell} needs slot {end - 1}, the storage ends at slot {slots - 1}",
                                 "a smaller size, stride or storage_offset", size=size, stride=stride, offset=offset, slots=slots)
    return size, stride, offset
