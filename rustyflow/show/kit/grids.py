"""The grids of operands and result, equal and side by side, so that a place names a cell."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import product
from math import ceil

from ...claims.digits import spell
from ...scene import draw
from ...scene.draw import LEFT, RIGHT
from ...scene.measure import width
from ..source import Value
from .alignment import Index
from .reading import AXES, COLOURED, EDGE, NUMBERED, drawn_axes, ends

TALL, AIR = 330, 32
"""Height up to which grids stand side by side in their largest size; room between them, besides that for a margin of
sums."""

BESIDE = 6
"""Room between a grid and the sums at its right: less than between those and the next grid."""

WHOLE, MORE = 446, 96
"""The height of a drawing that a projector shows whole with words of 15 px in 20; how much higher it may be before it
is scrolled there."""

HEADER = 9.1
"""The width of a character in the header of a block."""

LONGEST = 7
"""For numbers of so many characters cells may be made wider."""

OPERANDS = "abcdekm"
"""The first letter of the ids of each operand's cells."""

Kept = tuple[tuple[int | None, ...], ...]


@dataclass(frozen=True, eq=False)
class Grid:
    """One grid: places of cells by index, headers of blocks, marks for what is left out, rows."""

    places: dict[Index, tuple[float, float]]
    headers: list[tuple[float, float, str]]
    gaps: list[tuple[float, float]]
    rows: list[tuple[Index, ...]]
    w: float
    h: float


@dataclass(frozen=True, eq=False)
class Plan:
    """The layout of a figure's grids: side by side or stacked, with numbers or dots, whole or cut.

    Attributes:
        side, wide: the height of a cell, and its width.
        beside: grids in a row, with `gap` between them; else one below another.
        dots: cells are too small for numbers. whole: every cell is drawn.
    """

    grid: Grid
    side: float
    wide: float
    gap: float
    beside: bool
    dots: bool
    whole: bool

    def at(self, number: int, top: float) -> tuple[float, float]:
        """The corner of a grid."""
        if self.beside:
            return LEFT + number * (self.grid.w + self.gap), top
        return LEFT + 40, top + number * (self.grid.h + self.side + 50)


def plan(shape: Index, grids: int, room: float, wanted: int = 0, more: float = MORE) -> Plan:
    """The layout with the largest cells that fit.

    Up to 256 cells have numbers, up to 2,048 colours; of more only the ends of each axis are drawn.

    `room` is the height of a grid, with one line of sums, that a projector shows whole, and `more` how much more it may
    have before that is scrolled. Cells with numbers are squares,
    or up to `wanted` wide, if there is room for that.
    """
    numel = 1
    for n in shape:
        numel *= n
    everything = tuple(tuple(range(n)) for n in shape) if numel <= COLOURED else ()
    tries = [(True, room - side, side) for side in (42, 36, 31, 28, 25, 23)]
    tries += [(True, room + more - side, side) for side in (31, 28, 25)]
    tries += [(True, TALL, side) for side in (42, 36, 31)] + [(True, 640, side) for side in (31, 26)]
    tries += [(False, 640, side) for side in (36, 30, 26)] + [(True, 1300, side) for side in (36, 30, 26)]
    wanted = min(wanted, (RIGHT - LEFT) // (grids * max((1, *shape[-1:]))))  # wider ones never fit
    for beside, tall, side in tries if numel <= NUMBERED else ():
        for stacked in (False, True):
            if _fits(spread(everything, side, draw.GAP, stacked), grids, side, beside, tall):
                for wide in (*range(wanted, side, -1), side):
                    grid = spread(everything, side, draw.GAP, stacked, wide)
                    if _fits(grid, grids, wide if beside else side, beside, tall):
                        return Plan(grid, side, wide, wide + AIR, beside, False, True)
    for beside, side in [(b, s) for b in (True, False) for s in (14, 11, 8, 6)] if numel <= COLOURED else ():
        for stacked in (False, True):
            grid = spread(everything, side, 1, stacked)
            if _fits(grid, grids, 20, beside, 640 if beside else 1200):
                return Plan(grid, side, side, 48, beside, True, True)
    last = (drawn_axes(shape) or ())[-2:]
    edges = tuple(ends(n, EDGE if dim in last else 1) for dim, n in enumerate(shape))
    for beside, side in [(True, 36), (True, 30), (True, 26), (False, 30)]:
        for stacked in (False, True):
            grid = spread(edges, side, draw.GAP, stacked)
            if _fits(grid, grids, side, beside, 640):
                return Plan(grid, side, side, side + AIR, beside, False, False)
    return Plan(grid, side, side, side + AIR, False, False, False)


def readable(*numbers: Iterable[Value]) -> int:
    """The width of a cell in which a projector shows the longest number in 20 px.

    A number that is too long counts as one of `LONGEST` digits.

    >>> readable([1.0, 2.0], [-0.125])
    49
    """
    longest = max((len(draw.tight(spell(value))) for some in numbers for value in some), default=1)
    return ceil(width("0" * min(longest, LONGEST), draw.LABEL, mono=True)) + 6


def _fits(grid: Grid, grids: int, sums: float, beside: bool, tall: float) -> bool:
    """True if there is room for grids, and for a line of sums of size `sums` between them."""
    if beside:
        return grid.h <= tall and grids * grid.w + (grids - 1) * (sums + AIR) <= RIGHT - LEFT
    return grids * (grid.h + sums + 50) <= tall and grid.w <= RIGHT - LEFT - 80


def spread(kept: Kept, side: float, gap: float, stacked: bool, cell_w: float = 0) -> Grid:
    """The last two axes as a matrix, and outer ones as blocks beside each other, or stacked.

    An axis' None is a gap. Of more than four axes those with one place are left out.
    """
    cell_w = cell_w or side
    live = [d for d, axis in enumerate(kept) if len(axis) != 1 or len(kept) <= AXES]
    rank, across, pitch = len(live), cell_w + gap, side + gap
    columns = kept[live[-1]] if rank else (0,)
    rows = kept[live[-2]] if rank > 1 else (0,)
    outer, head = [kept[d] for d in live[: max(0, rank - 2)]], 20 if rank > 2 else 0
    wide, tall = max(len(columns) * across - gap, 12), max(len(rows) * pitch - gap, 12)
    block = max(wide, HEADER * len("i = 0, j = 0"[: 5 + 7 * (len(outer) - 1)]) if outer else 0)
    places, headers, gaps, lines, number = {}, [], [], [], 0
    right = bottom = 0.0
    for at in product(*(range(len(axis)) for axis in outer)):
        index = tuple(axis[p] for axis, p in zip(outer, at, strict=True))
        over, down = (0, number) if stacked or not outer else (at[-1], at[0] if len(at) > 1 else 0)
        x, y = over * (block + 14), down * (tall + head + 12)
        number += 1
        right, bottom = max(right, x + block), max(bottom, y + head + tall)
        if outer:
            named = (f"{draw.letter_of(d)} = {'…' if i is None else i}" for d, i in zip(live, index))
            headers.append((x, y + 14, ", ".join(named)))
        for r, row in enumerate(rows):
            line = []
            for c, column in enumerate(columns):
                spot = (round(x + c * across, 1), round(y + head + r * pitch, 1))
                if row is None or column is None or None in index:
                    gaps.append((spot[0] + cell_w / 2, spot[1] + side / 2 + 5))
                    continue
                at_ = dict(zip(live, (*index, row, column)[-rank:])) if rank else {}
                cell = tuple(at_.get(d, 0) for d in range(len(kept)))
                places[cell] = spot
                line.append(cell)
            if line:
                lines.append(tuple(line))
    return Grid(places, headers, gaps, lines, right, bottom)


def margin(grid: Grid, cells: Sequence[Index], side: float) -> tuple[dict[Index, tuple[float, float]], bool]:
    """The places of a grid's sums, one for each of `cells`, and True if these are at its right.

    Sums over columns stand at the right of their rows, sums over rows below their columns, as in any table.
    """
    spots = [grid.places[cell] for cell in cells]
    if len({x for x, _ in spots}) == 1 and len({y for _, y in spots}) == len(spots) > 1:
        return {cell: (grid.w + BESIDE, y) for cell, (_, y) in zip(cells, spots, strict=True)}, True
    top = min(y for _, y in spots)
    return {cell: (x, grid.h + 12 + y - top) for cell, (x, y) in zip(cells, spots, strict=True)}, False
