"""Strides and slots: which flat slot holds which cell."""
from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import product
from math import prod

from ..errors import ShapeError

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


def check_extent(shape: Shape) -> None:
    """Refuse a shape that no array can have, though views of it may need little memory.

    Raises:
        ShapeError (a RuntimeError): more than 64 axes, or more than 2**59 cells, with 1 for axes of size 0.

    Example:
        >>> check_extent((2, 3))
        >>> check_extent((1 << 40, 1 << 40))
        Traceback (most recent call last):
        rustyflow.errors.ShapeError: shape (1099511627776, 1099511627776)
        rule: numel: integer multiplication overflow: an array has at most 64 axes, and 2**59 cells
        try:  smaller sizes, or fewer axes
    """
    if len(shape) > 64 or prod([n or 1 for n in shape]) > 1 << 59:
        said = f"shape of {len(shape)} axes" if len(shape) > 64 else f"shape {tuple(shape)}"
        raise ShapeError(said, "numel: integer multiplication overflow: an array has at most 64 axes, and 2**59 cells",
                         "smaller sizes, or fewer axes")


def is_contiguous(shape: Shape, stride: Shape) -> bool:
    """True if reading the cells in order reads consecutive slots.

    The stride of an axis of size 1 does not matter.

    Example:
        >>> is_contiguous((3, 4), (4, 1)), is_contiguous((4, 3), (1, 4))
        (True, False)
    """
    return 0 in shape or _fill(zip(reversed(shape), reversed(stride)))


def is_dense(shape: Shape, stride: Shape) -> bool:
    """True if the cells fill a block of slots without holes or overlap, in any order of axes.

    Example:
        >>> is_dense((4, 3), (1, 4)), is_dense((2, 2), (4, 1)), is_dense((3,), (0,))
        (True, False, False)
    """
    return 0 in shape or _fill([(n, s) for s, n in sorted(zip(stride, shape))])


def _fill(axes: Iterable[tuple[int, int]]) -> bool:
    """True if each axis, as (size, stride), steps over just what those before it fill."""
    step = 1
    for size, s in axes:
        if size != 1:
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


def unravel_index(k: int, shape: Sequence[int]) -> tuple[int, ...]:
    """The multi-index of the k-th cell of a shape in row-major order.

    Example:
        >>> unravel_index(7, (2, 4)), flat_index((1, 3), contiguous_stride((2, 4)))
        ((1, 3), 7)
    """
    index = []
    for n in reversed(shape):
        k, i = divmod(k, n)
        index.append(i)
    return tuple(index[::-1])


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


def repeats_part(shape: Shape, stride: Shape, offset: int, other: Shape, start: int) -> bool:
    """True if the layout (shape, other, start) repeats cells of the layout (shape, stride, offset), with stride 0.

    Each of these cells then keeps its value when the repeats are written over all of them.

    Example (row 1 of a (3, 4) over each of its rows, row 0 over rows 1 and 2, and a column over each row):
        >>> repeats_part((3, 4), (4, 1), 0, (0, 1), 4), repeats_part((2, 4), (4, 1), 4, (0, 1), 0)
        (True, False)
        >>> repeats_part((3, 3), (3, 1), 0, (0, 3), 0)
        False
    """
    away = start - offset
    if any(there not in (0, here) for here, there, n in zip(stride, other, shape, strict=True) if n > 1):
        return False
    repeated = [(s, n) for s, there, n in zip(stride, other, shape, strict=True) if there == 0 < s and n > 1]
    for s, n in sorted(repeated, reverse=True):
        away -= s * max(0, min(away // s, n - 1))
    return bool(repeated) and away == 0


def meets_in_place(shape: Shape, stride: Shape, offset: int, other: Shape, start: int) -> bool:
    """True if every slot shared by the layouts (shape, stride, offset) and (shape, other, start) is one cell of both.

    Only layouts with holes are looked at: without any, both would have to be the same.

    Example (column 0 of a (3, 3) and its row 0; every second slot, and all from slot 2 on):
        >>> meets_in_place((3,), (3,), 0, (1,), 0), meets_in_place((3,), (2,), 0, (1,), 2)
        (True, False)
    """
    if stride == other or is_dense(shape, stride) and is_dense(shape, other):
        return (stride, offset) == (other, start)
    cell_at = {slot: cell for cell, slot in enumerate(slots(shape, stride, offset))}
    return all(cell_at.get(slot, cell) == cell for cell, slot in enumerate(slots(shape, other, start)))


def shares_slots(shape: Shape, stride: Shape) -> bool:
    """True if some slot stands for two cells; where `has_overlap` cannot say, the slots are counted.

    Example:
        >>> shares_slots((3, 2), (1, 1)), shares_slots((3, 2), (2, 3)), has_overlap((3, 2), (2, 3))
        (True, False, True)
    """
    if not has_overlap(shape, stride):
        return False
    first, end = extent(shape, stride)
    return prod(shape) > end - first or len(set(slots(shape, stride))) < prod(shape)


def has_overlap(shape: Shape, stride: Shape) -> bool:
    """True if some slot surely or possibly stands for two cells.

    This is PyTorch's test, exact for the layouts that views make.

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
