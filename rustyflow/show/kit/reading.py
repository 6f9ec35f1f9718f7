"""Views on their storage: the slot that each cell reads, the readers of each slot, and those that are drawn."""

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cached_property
from itertools import product
from math import prod
from typing import Any

import numpy as np

from ...layout import flat_index
from ..source import Source, Value
from ..words.sentences import indexed, many

NUMBERED, COLOURED, EDGE = 256, 2048, 3
"""Cells drawn with their number; cells drawn as colour; beyond that the first and last `EDGE` of an axis."""

COLUMNS, ROWS = (24, 80), 64
"""The longest axes that still fit: columns with numbers, columns as colour, rows."""

AXES, RANK = 4, 8
"""Cells are drawn along so many axes, of a tensor of so many, the others being of size 1."""

COUNTED = 1 << 20
"""Of up to so many cells the slots they read are counted one by one."""

Index = tuple[int, ...]


def drawn_axes(shape: Index) -> list[int] | None:
    """The axes along which cells stand, or None where there are too many to be drawn.

    They are all of up to four; of up to eight those of more than one place, if these are at most four.

    >>> drawn_axes((2, 1, 3)), drawn_axes((1, 2, 1, 1, 3)), drawn_axes((2,) * 5)
    ([0, 1, 2], [1, 4], None)
    """
    axes = [d for d, n in enumerate(shape) if n != 1 or len(shape) <= AXES]
    return axes if len(axes) <= AXES and len(shape) <= RANK else None


class Reading:
    """A view and its cells that are drawn: up to `room`, of more, or of a long axis, the ends.

    Attributes:
        axes: per dim the number of its letter (0 is i), which follows the axis through views.
        live: the axes along which cells stand, or None where they are too many: then no cell is drawn.
        kept: per axis the drawn indices, None where some are left out.
        cells: the drawn cells, row-major. slots: what each of them reads. aliased: the slots that several of them read.
        looks: the class of each cell. A virtual one stands at index > 0 of a stride-0 axis, and reads again what
            another one reads; the stored ones among those are blue.
        small: they are so many that they have no room for numbers. storage: what they read, once that is made.

    >>> from rustyflow.show.source import source_of
    >>> reading = Reading(source_of(np.arange(12).reshape(3, 4).T[1:, :2], "y"), (1, 0), 256)
    >>> reading.called(reading.cells[-1]), reading.slots[2, 1], reading.values[2, 1], reading.whole
    ('y[2, 1]', 7, 7, True)
    """

    storage: "Storage"

    def __init__(self, source: Source, axes: Index, room: int, numbered: int = NUMBERED):
        self.source, self.axes, self.live, self.numbered = source, axes, drawn_axes(source.shape), numbered
        self.kept = _kept(source.shape, self.live, room, EDGE if numbered >= NUMBERED else 2)
        self.cells: list[Index] = list(product(*([k for k in axis if k is not None] for axis in self.kept)))
        self.small = len(self.cells) > numbered
        self.slots = {cell: flat_index(cell, source.stride, source.offset) for cell in self.cells}
        self.aliased = {slot for slot, times in Counter(self.slots.values()).items() if times > 1}
        still = [d for d, step in enumerate(source.stride) if step == 0]
        again = [any(cell[d] for d in still) for cell in self.cells]
        stored = "value " if any(again) else ""
        self.looks = [
            "virtual" if virtual else stored + "aliased" * (slot in self.aliased)
            for virtual, slot in zip(again, self.slots.values(), strict=True)
        ]

    @cached_property
    def values(self) -> dict[Index, Value]:
        """The number that each cell holds."""
        return dict(zip(self.cells, self.source.read(list(self.slots.values())), strict=True))

    @property
    def whole(self) -> bool:
        """True if every cell is drawn."""
        return len(self.cells) == self.source.numel

    def called(self, cell: Index) -> str:
        """A cell as the program writes it: `y[2, 1]`."""
        return indexed(self.source.name, cell)


class Storage:
    """A storage with its readings, and which of its slots are drawn.

    Attributes:
        label: whose it is, and how large. readers: for each slot that is read, who reads it by which cell.
        shown: the drawn slots in order, None where some are left out. small: there is no room for numbers in them.
        values: what each of them holds. looks: its class.

    >>> from rustyflow.show.source import source_of
    >>> x = np.arange(6).reshape(2, 3)
    >>> views = [Reading(source_of(view), (0, 1), 256) for view in (x, x.T[:2])]
    >>> storage = Storage(views, "x")
    >>> [(reading is views[1], cell) for reading, cell in storage.readers[3]], storage.looks
    ([(False, (1, 0)), (True, (0, 1))], ['', '', '', '', '', ''])
    """

    def __init__(self, readings: Sequence[Reading], owner: str):
        self.source, self.readings = readings[0].source, readings
        size = self.source.size
        self.label = f"storage of {owner}: {many(size, f'{self.source.dtype} number')}"
        self.readers: dict[int, list[tuple[Any, Index]]] = {}
        for reading in readings:
            reading.storage = self
            for cell, slot in reading.slots.items():
                self.readers.setdefault(slot, []).append((reading, cell))
        room = COLOURED if len(self.readers) > NUMBERED or NUMBERED < size <= COLOURED else NUMBERED
        some = list(self.readers) or [slot for slot in ends(size, EDGE) if slot is not None]
        self.shown = gaps(some, size, room)
        self.small = len(self.shown) > min(reading.numbered for reading in readings)
        drawn = [slot for slot in self.shown if slot is not None]
        self.values = dict(zip(drawn, self.source.read(drawn), strict=True))
        twice = set().union(*(reading.aliased for reading in readings))
        never = "unread" * all(reading.whole for reading in readings)
        self.looks = ["aliased" if slot in twice else "" if slot in self.readers else never for slot in drawn]

    def seen(self, slot: int, by: Reading, kin: Iterable[tuple[Reading, dict[int, Index]]] = ()) -> str:
        """Says who else reads a slot, `; x sees it as x[1, 3]`; `kin` are undrawn readers."""
        cells: dict[Reading, list[Index]] = {}
        for other, cell in self.readers[slot]:
            cells.setdefault(other, []).append(cell)
        cells |= {other: [slots[slot]] for other, slots in kin if slot in slots}
        told = [f"; {other.source.name} sees it as {other.called(first)}" + f" and {len(more)} more" * bool(more)
                for other, (first, *more) in cells.items() if other is not by]  # fmt: skip
        return "".join(told[:3])


def stored(sources: Sequence[Source]) -> int:
    """The count of numbers that some tensors keep in memory; one that several cells read counts once.

    >>> from rustyflow.show.source import source_of
    >>> x = np.arange(6.0)
    >>> [stored(list(map(source_of, some))) for some in ([x[:4]], [x, x[4:]], [x, x.copy()])]
    [4, 6, 12]
    """
    by_storage: dict[tuple, list[Source]] = {}
    for source in sources:
        if source.numel:
            by_storage.setdefault((source.storage, source.size), []).append(source)
    total = 0
    for some in by_storage.values():
        ways = {(s.offset, *((n, step) for n, step in zip(s.shape, s.stride, strict=True) if step)) for s in some}
        counts = [prod(n for n, _ in axes) for _, *axes in ways]
        if sum(counts) <= COUNTED and (len(ways) > 1 or max(counts) > 1):
            total += len(np.unique(np.concatenate([_slots(offset, axes) for offset, *axes in ways])))
        else:
            total += min(sum(counts), some[0].size)
    return total


def _slots(offset: int, axes: Iterable[tuple[int, int]]) -> np.ndarray:
    """The slots that are reached from one by so many steps of a size along each axis."""
    reached = np.array([offset])
    for n, step in axes:
        reached = np.unique(reached[:, None] + step * np.arange(n))
    return reached


def storages(readings: Iterable[Reading], owner: str = "") -> list[Storage]:
    """The storages of some readings; the owner of each is the first reading on it, if it is nobody else."""
    by_storage: dict[tuple, list[Reading]] = {}
    for reading in readings:
        by_storage.setdefault(reading.source.storage, []).append(reading)
    return [Storage(some, owner or some[0].source.name) for some in by_storage.values()]


def _kept(
    shape: Index, live: Sequence[int] | None, room: int, ending: int = EDGE
) -> tuple[tuple[int | None, ...], ...]:  # fmt: skip
    if live is None:
        return ((),)
    whole, last = 0 < prod(shape) <= room, live[-2:]
    longest = {last[1]: COLUMNS[room > NUMBERED], last[0]: ROWS} if len(last) > 1 else {}
    kept = []
    for dim, n in enumerate(shape):
        edge = ending if dim in last else 1
        kept.append(ends(n, (n if n <= longest.get(dim, n) else 8) if whole else edge))
    return tuple(kept)


def ends(n: int, edge: int) -> tuple[int | None, ...]:
    """The first and last `edge` indices of an axis of n, with None for those between.

    >>> ends(3, 2), ends(10, 2)
    ((0, 1, 2), (0, 1, None, 8, 9))
    """
    if n <= 2 * edge:
        return tuple(range(n))
    return (*range(edge), None, *range(n - edge, n))


def gaps(wanted: Sequence[int], size: int, room: int) -> list[int | None]:
    """The slots of a storage to draw: all of up to `room`, else those wanted; None for a gap.

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
