"""The places of the matrices of a product: left of the result and above it, or in a row."""

from collections.abc import Callable, Iterator, Sequence
from itertools import product
from typing import NamedTuple

from ...scene import draw
from ...scene.draw import BETWEEN, CELL, DOT, GAP, LABEL, LEFT, LITTLE, NUMBER, ROWS, SPECK, STAGE, WIDE
from ...scene.measure import LINE, width
from ..kit.line import fitting

CROSSED = 4
"""Up to so many rows of each, the second matrix stands above the result."""

HEAD, GUTTER, APART, SIGNED, NAMED = 32, 32, 40, 64, 160
"""The height of a name over a grid; the room for the letter at its left; how far the result is from the matrix beside
it, and the next in a row, with a sign; how wide a name may make a grid."""

TOP, BELOW, FOOT, TALLEST = 8, 36, 20, 560
"""Where the first name begins; how far below the grids the formula stands, and the end below that; the most height."""

Place = tuple[float, float]
Sizes = tuple[int, int, int]


class Trio(NamedTuple):
    """Two matrices and their product: where the cells of each begin, and the whole's size.

    `rooms`: for their names. `wides`: of their cells.
    """

    corners: tuple[Place, Place, Place]
    rooms: tuple[float, float, float]
    wides: Sequence[float]
    width: float
    height: float


def trio(sizes: Sizes, names: Sequence[str], wides: Sequence[float], high: float, crossed: bool, headed: bool) -> Trio:
    """Returns the places for cells of m x k, k x n and m x n, of a width each.

    A matrix above the result has cells of its width. `headed`: with a line above them.

    >>> trio((2, 3, 4), "abc", (44, 44, 44), 44, True, False).corners
    ((32, 200), (208, 32), (208, 200))
    >>> trio((2, 3, 4), "abc", (44, 44, 56), 44, False, False).corners
    ((32, 55.0), (232, 32.0), (478, 55.0))
    """
    m, k, n = sizes
    wides = (wides[0], max(wides[1:]), max(wides[1:])) if crossed else wides
    over = [max(0, count * (wide + GAP) - GAP) for count, wide in zip((k, n, n), wides)]
    down = [max(0, count * (high + GAP) - GAP) for count in (m, k, m)]
    said = [min(width(name, NUMBER, mono=True), NAMED) + room for name, room in
            zip(names, (GUTTER, GUTTER, 0 if crossed else GUTTER))]  # fmt: skip
    if crossed:
        right, low = GUTTER + max(over[0] + APART, said[0] + 16), HEAD + down[1] + HEAD
        rooms = right - GUTTER - 16, max(over[1], said[1]), max(over[1], said[2])
        return Trio(((GUTTER, low), (right, HEAD), (right, low)), rooms, wides, right + max(rooms[1:]), low + down[0])
    places, x, top, tall = [], GUTTER, HEAD + HEAD * headed, max(down)
    rooms = tuple(map(max, over, said))
    for room, up in zip(rooms, down):
        places.append((x, top + (tall - up) / 2))
        x += room + SIGNED
    return Trio(tuple(places), rooms, wides, x - SIGNED, top + tall)


class Plan(NamedTuple):
    """The layout of one side.

    Attributes:
        side: the height of a cell. crossed: one matrix stands above the result. room: the width of the drawing.
        places: of the trios. right, bottom: where these end. size: of the formula's type. aside: it is at the right.
    """

    side: float
    crossed: bool
    room: float
    trios: tuple[Trio, ...]
    places: tuple[Place, ...]
    right: float
    bottom: float
    size: float
    aside: bool

    @property
    def dots(self) -> bool:
        """True if cells have no room for numbers."""
        return self.side < LITTLE

    @property
    def height(self) -> float:
        """The height of the drawing."""
        return self.bottom + (FOOT / 2 if self.aside else BELOW + FOOT)


def plan(
    make: Callable[[float, bool], Sequence[Trio]], together: int, small: bool, longest: int, part: int
) -> Plan | None:
    """Returns the plan with the largest cells that fit, or None.

    Args:
        make: the trios for a height of cells, of matrices that are crossed. together: how many of them belong together.
        small: crossed ones are preferred.
        longest, part: the characters of the longest formula, and of its longest part.
    """
    for side, crossed, room, tall in _tries(small):
        trios = tuple(make(side, crossed))
        places, right, bottom = _laid(trios, together, room)
        if right > room - LEFT:
            continue
        size = fitting(min(longest, LINE), room - 2 * LEFT)
        if bottom + BELOW + FOOT <= tall:
            return Plan(side, crossed, room, trios, places, right, bottom, size, False)
        beside = fitting(part, room - LEFT - right - BETWEEN)
        if bottom + FOOT / 2 <= tall and len(trios) == 1 and beside > LABEL:
            return Plan(side, crossed, room, trios, places, right, bottom, beside, True)
    return None


def _tries(small: bool) -> Iterator[tuple[float, bool, float, float]]:
    """Yields heights of cells, ways to stand, widths and heights of the drawing: the best first."""
    ways = (True, False) if small else (False, True)
    for tall, crossed, side, room in product((STAGE, TALLEST), ways, (CELL, LITTLE), (draw.RIGHT + LEFT, WIDE)):
        yield side, crossed, room, tall
    for side, tall, crossed, room in product((DOT, SPECK), (STAGE, TALLEST), ways, (draw.RIGHT + LEFT, WIDE)):
        yield side, crossed, room, tall


def _laid(trios: Sequence[Trio], together: int, room: float) -> tuple[tuple[Place, ...], float, float]:
    """The places of trios beside each other, or under each other where that is too wide, and where they end.

    So many of them stand `together`, if the room is enough for that.
    """
    places, x, y, low, right = [], LEFT, TOP, TOP, LEFT
    for n, one in enumerate(trios):
        pair = sum(each.width for each in trios[n : n + together]) + BETWEEN * (together - 1)
        pair = one.width if n % together or pair > room - 2 * LEFT else pair
        if x > LEFT and x + pair > room - LEFT:
            x, y = LEFT, low + ROWS
        places.append((x, y))
        low, right, x = max(low, y + one.height), max(right, x + one.width), x + one.width + BETWEEN
    return tuple(places), right, low
