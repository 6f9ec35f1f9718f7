"""The grids of operands and result, equal, so that a place names a cell; and how large their cells are."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from math import inf, prod
from typing import TypeVar

from ...claims.digits import DIGITS
from ...scene import draw
from ...scene.measure import width
from ..source import Value
from .alignment import Index
from .reading import AXES, COLOURED, EDGE, NUMBERED, drawn_axes, ends

BESIDE, BLOCKS, HEADER = 6, 16, 24
"""Room between a grid and the sums at its right; between blocks; for the header of a block."""

TALL = 560
"""The height up to which a drawing grows that is larger than one of lesson size."""

WHOLE = 446
"""The height of a drawing that a projector shows whole with words of 15 px in 20."""

LONGEST = 7
"""For numbers of so many characters cells may be made wider."""

OPERANDS = "abcdekm"
"""The first letter of the ids of each operand's cells."""

Kept = tuple[tuple[int | None, ...], ...]
Laid = TypeVar("Laid")


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
    """A size for the cells of equal grids.

    Attributes:
        side, wide: the height of a cell, and its width.
        dots: cells are too small for numbers. whole: every cell is drawn.
    """

    grid: Grid
    side: float
    wide: float
    dots: bool
    whole: bool


def chosen(
    shape: Index, values: Iterable[Value], *ways: Callable[[Plan, float], Laid | None]
) -> tuple[Plan, Laid]:  # fmt: skip
    """The largest cells that fit, and how they are laid out.

    Up to 256 cells have numbers, up to 2,048 shades; of more only the ends of each axis are drawn. Each of the `ways`,
    the best first, lays a plan out in a height, if it fits.
    """
    values = list(values)
    every, needed = [*plans(shape, values)], draw.room_for(values, draw.LITTLE)
    numbered = [plan for plan in every if plan.whole and not plan.dots]
    rest = [plan for plan in every if plan not in numbered]
    readable = [plan for plan in numbered if plan.wide >= needed]  # in narrower cells numbers lose digits
    tries = [(lay, tall, some) for some in (readable, numbered) for lay in ways for tall in (draw.STAGE, TALL)]
    for lay, tall, some in (*tries, (ways[0], TALL, rest), (ways[0], inf, rest[-1:])):
        for plan in some:
            if (laid := lay(plan, tall)) is not None:
                return plan, laid
    raise AssertionError("a height without an end holds any plan")


def plans(shape: Index, values: Iterable[Value] = ()) -> Iterator[Plan]:
    """The sizes that cells may have, the largest first.

    First those for all of these numbers, then shades, then the ends of axes alone.

    >>> [(plan.side, plan.wide) for plan in plans((2, 3), [0.125]) if plan.whole]
    [(44, 64), (32, 48), (32, 32), (16, 16), (8, 8)]
    """
    numel, values = prod(shape), list(values)
    everything = tuple(tuple(range(n)) for n in shape) if numel <= COLOURED else ()
    sides = (draw.CELL, DIGITS), (draw.LITTLE, DIGITS), (draw.LITTLE, 1)  # in the last numbers lose digits
    sizes = [*dict.fromkeys((side, draw.room_for(values, side, digits)) for side, digits in sides)]
    blocks = (False, True) if len(shape) > 2 else (False,)
    for side, wide in sizes if numel <= NUMBERED else ():
        for stacked in blocks:
            yield Plan(spread(everything, side, draw.GAP, stacked, wide), side, wide, False, True)
    for side in (draw.DOT, draw.SPECK) if numel <= COLOURED else ():
        for stacked in blocks:
            yield Plan(spread(everything, side, 1, stacked), side, side, True, True)
    last = (drawn_axes(shape) or ())[-2:]
    edges = tuple(ends(n, EDGE if dim in last else 1) for dim, n in enumerate(shape))
    for side, wide in sizes:
        for stacked in blocks:
            yield Plan(spread(edges, side, draw.GAP, stacked, wide), side, wide, False, False)


def spread(kept: Kept, side: float, gap: float, stacked: bool = False, cell_w: float = 0) -> Grid:
    """The last two axes as a matrix, and outer ones as blocks beside each other, or stacked.

    An axis' None is a gap. Of more than four axes those with one place are left out.
    """
    cell_w = cell_w or side
    live = [d for d, axis in enumerate(kept) if len(axis) != 1 or len(kept) <= AXES]
    rank, across, pitch = len(live), cell_w + gap, side + gap
    columns = kept[live[-1]] if rank else (0,)
    rows = kept[live[-2]] if rank > 1 else (0,)
    outer, head = [kept[d] for d in live[: max(0, rank - 2)]], HEADER if rank > 2 else 0
    wide, tall = max(len(columns) * across - gap, 12), max(len(rows) * pitch - gap, 12)
    block = max(wide, width("i = 0, j = 0"[: 5 + 7 * (len(outer) - 1)], draw.LABEL, mono=True)) if outer else wide
    places, headers, gaps, lines, number = {}, [], [], [], 0
    right = bottom = 0.0
    for at in product(*(range(len(axis)) for axis in outer)):
        index = tuple(axis[p] for axis, p in zip(outer, at, strict=True))
        over, down = (0, number) if stacked or not outer else (at[-1], at[0] if len(at) > 1 else 0)
        x, y = over * (block + BLOCKS), down * (tall + head + BLOCKS / 2)
        number += 1
        right, bottom = max(right, x + block), max(bottom, y + head + tall)
        if outer:
            named = (f"{draw.letter_of(d)} = {'…' if i is None else i}" for d, i in zip(live, index))
            headers.append((x, y + 16, ", ".join(named)))
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
    top = min((y for _, y in spots), default=0)
    return {cell: (x, grid.h + 8 + y - top) for cell, (x, y) in zip(cells, spots, strict=True)}, False
