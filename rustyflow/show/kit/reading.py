"""How views read their storage: which slot each cell reads, who reads each slot, which axis is which. Integers only."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product

from ...layout import flat_index
from ..source import Source

NUMBERED, COLOURED, EDGE = 256, 2048, 3
"""Cells drawn with their number; cells drawn as colour; beyond that the first and last `EDGE` of an axis."""

COLUMNS, ROWS = (36, 100), 64
"""The longest axes that still fit: columns with numbers, columns as colour, rows."""

Index = tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Reading:
    """A view and the cells of it that are drawn.

    Attributes:
        kept: per axis the drawn indices, None where some are left out.
        cells: the drawn multi-indices, row-major.
        slots: the slot each of them reads.
        axes: per dim the number of its letter (0 is i), which follows the axis through views.
        repeats: for each cell whether it stands at index > 0 of a stride-0 axis: a virtual cell.
    """

    source: Source
    axes: tuple[int, ...]
    kept: tuple[tuple[int | None, ...], ...]
    cells: list[Index] = field(init=False)
    slots: list[int] = field(init=False)
    repeats: list[bool] = field(init=False)

    def __post_init__(self):
        stride, offset = self.source.stride, self.source.offset
        cells = list(product(*([k for k in axis if k is not None] for axis in self.kept)))
        still = [d for d, step in enumerate(stride) if step == 0]
        object.__setattr__(self, "cells", cells)
        object.__setattr__(self, "slots", [flat_index(cell, stride, offset) for cell in cells])
        object.__setattr__(self, "repeats", [any(cell[d] for d in still) for cell in cells])

    @property
    def virtual(self) -> bool:
        """Whether some cells are virtual: they read again what another one reads, by a stride of 0."""
        return any(self.repeats)

    @property
    def whole(self) -> bool:
        """Whether every cell is drawn."""
        return len(self.cells) == self.source.numel


def read(source: Source, axes: tuple[int, ...], room: int) -> Reading:
    """The reading of a source of which at most `room` cells are drawn; of more, or of too long an axis, the ends."""
    whole, rank = 0 < source.numel <= room, len(source.shape)
    longest = {rank - 1: COLUMNS[room > NUMBERED], rank - 2: ROWS} if rank > 1 else {}
    kept = []
    for dim, n in enumerate(source.shape):
        edge = EDGE if dim >= rank - 2 else 1
        kept.append(ends(n, (n if n <= longest.get(dim, n) else 8) if whole else edge))
    return Reading(source, axes, tuple(kept))


def ends(n: int, edge: int) -> tuple[int | None, ...]:
    """The first and last `edge` indices of an axis of n, with None for those between.

    >>> ends(3, 2), ends(10, 2)
    ((0, 1, 2), (0, 1, None, 8, 9))
    """
    if n <= 2 * edge:
        return tuple(range(n))
    return (*range(edge), None, *range(n - edge, n))


def readers(readings: Sequence[Reading], tape_of: Sequence[int]) -> list[dict[int, list[tuple[int, int]]]]:
    """Per storage, for each slot that is read, the cells that read it, as (number of the view, number of the cell).

    `tape_of` gives for each view the number of its storage.
    """
    found: list[dict[int, list[tuple[int, int]]]] = [{} for _ in range(max(tape_of) + 1)]
    for view, (reading, tape) in enumerate(zip(readings, tape_of, strict=True)):
        for cell, slot in enumerate(reading.slots):
            found[tape].setdefault(slot, []).append((view, cell))
    return found


def follow(base: tuple[Source, tuple[int, ...]] | None, source: Source, fresh: Iterator[int]) -> tuple[int, ...]:
    """The letters of a view's axes: those of the axes of `base` that it walks, new ones for axes that it invents.

    An axis of the view walks an axis of the base when it steps by a multiple of its stride without leaving it.
    """
    if base is None:
        return tuple(next(fresh) for _ in source.shape)
    origin, letters = base
    free = dict(enumerate(letters))
    found: dict[int, int] = {}
    order = sorted(range(len(source.shape)), key=lambda d: (source.shape[d] < 2, d))
    for dim in order:
        axis = next((a for a in free if _walks(origin, a, source, dim)), None)
        if axis is not None:
            found[dim] = free.pop(axis)
    return tuple(found[dim] if dim in found else next(fresh) for dim in range(len(source.shape)))


def _walks(origin: Source, axis: int, source: Source, dim: int) -> bool:
    n, step = source.shape[dim], abs(source.stride[dim])
    size, stride = origin.shape[axis], abs(origin.stride[axis])
    from_right = len(source.shape) - dim == len(origin.shape) - axis
    if n < 2 or step == 0 or size < 2:  # nothing to walk: only an axis in the same place can be meant
        return from_right and size < 2 and (step == 0 or n < 2) or n == size and step == stride == 0
    return stride > 0 and step % stride == 0 and step * (n - 1) <= stride * (size - 1)


def gaps(wanted: Sequence[int], size: int, room: int) -> list[int | None]:
    """The slots of a storage to draw: all, when at most `room`, else those wanted; None where some are left out.

    >>> gaps([0, 1, 7], 8, 8), gaps([0, 1, 7], 9, 8), gaps([2], 100, 8)
    ([0, 1, 2, 3, 4, 5, 6, 7], [0, 1, None, 7, None], [None, 2, None])
    """
    if size <= room:
        return list(range(size))
    shown: list[int | None] = []
    before = -1
    for slot in sorted(set(wanted)):
        if slot != before + 1:
            shown.append(None)
        shown.append(slot)
        before = slot
    return shown if before == size - 1 else [*shown, None]
