"""The grids of an operation, matrices of more axes in a block with one label, and where they stand."""

import re
from collections.abc import Callable, Container, Iterator, Sequence
from itertools import product
from math import inf
from typing import NamedTuple

import numpy as np

from ...scene import Shape, draw
from ...scene.draw import BETWEEN, CELL, DOT, GAP, LABEL, LEFT, LITTLE, NUMBER, RIGHT, ROWS, SPECK, STAGE, WIDE
from ...scene.measure import width
from ..kit.cells import Cells
from ..kit.line import flow
from ..source import exact

TOP, HEAD, GUTTER, WITHIN, LABELLED = 8, 32, 32, 12, 24
"""Where the first grid begins; the height of its name's line; the room for the letter at its left; how far matrices of
a block are apart, and the height of its label."""

BELOW, FOOT, TALLEST = 36, 20, 560
"""How far below the grids the line stands, and the end below that; the most height of a drawing."""

NAMED, LINE = 160, 18
"""How wide a name may make a grid, and the most cells of a single axis that stand in one line."""

FEW = 25
"""So many cells have room for numbers among others in shades."""

SIZES = CELL, LITTLE
"""The heights of cells with numbers."""

WAYS = ("beside", False), ("below", False), ("beside", True)
"""The ways in which both sides are in sight: gradients beside values or below, and one grid under another, or none."""


class Grid(Cells):
    """The cells of a tensor, of more than two axes in a block of matrices with one label.

    They are at the origin until the grid is placed.

    Attributes:
        side, wide: the height and width of a cell. small: it has no room for a number. rows: of cells, for arrow keys.
        width, height: of all.

    >>> grid = Grid("w", np.arange(8).reshape(2, 1, 2, 2), (0, None, 1, 2), "a", 44)
    >>> grid.place(24, 8)
    >>> grid[1, 0, 1, 1], grid.places[1, 0, 1, 1], grid.width, grid.height
    ('a7', (204.0, 110.0), 224, 146)
    """

    def __init__(
        self, name: str, values: np.ndarray, axes: Sequence[int | str | None], letter: str, side: float, look: str = "",
        most: float = RIGHT - LEFT, wide: float = 0,
    ):  # fmt: skip
        self.name, self.values, self.axes, self.look = name, values, axes, look
        side, shape = max(side, LITTLE) if values.size <= FEW else side, values.shape
        self.small, self.side = side < LITTLE, side
        self.wide = side if self.small else max(wide, draw.room_for(exact(values), side))
        across, pitch, rank = self.wide + GAP, side + GAP, len(shape)
        rows, columns = (1, 1, *shape)[-2:] if rank else (1, 1)
        outer = [axis for axis in range(rank - 2) if shape[axis] > 1]
        self.gutter = max(GUTTER, _room(axes[-2]) + 6) if rank > 1 and axes[-2] is not None else 0
        self.wraps = rank == 1 and (columns > LINE if not self.small else columns * across > most)
        per = LINE if not self.small else max(1, int(most // across))
        wide, tall = columns * across - GAP, rows * pitch - GAP
        if self.wraps:
            wide, tall = per * across - GAP, -(-columns // per) * (pitch + 4) - GAP
        self.down = outer[0] if len(outer) > 1 else None
        self.over = outer[-1] if outer else None
        if len(outer) == 1 and shape[outer[0]] * (wide + WITHIN) > most - self.gutter:
            self.down, self.over = outer[0], None
        counts = [1 if axis is None else shape[axis] for axis in (self.down, self.over)]
        self.head = HEAD + LABELLED * bool(outer)
        self.size = wide, tall
        places = {}
        for index in np.ndindex(shape):
            at = [0 if axis is None else index[axis] for axis in (self.down, self.over)]
            row, column = (0, 0, *index)[-2:] if rank > 1 else (0, *index) if rank else (0, 0)
            x, y = column * across, row * pitch
            if self.wraps:
                x, y = column % per * across, column // per * (pitch + 4)
            x, y = x + at[1] * (wide + WITHIN), y + at[0] * (tall + WITHIN)
            places[index] = float(self.gutter + x), float(self.head + y)
        super().__init__(letter, places)
        full = self.gutter + counts[1] * (wide + WITHIN) - WITHIN
        said = self.gutter + (_room(axes[-1]) + 8 if rank and axes[-1] is not None else 0)
        said += min(width(name, NUMBER, mono=True), NAMED)
        if outer:
            said = max(said, self.gutter + width(self._label(), LABEL, mono=True))
        self.width = max(full, said, 0)
        self.height = self.head + max(counts[0] * (tall + WITHIN) - WITHIN, side)
        self.rows = self._rows(shape, per if self.wraps else columns)
        self.corner = 0.0, 0.0

    def _rows(self, shape: tuple[int, ...], per: int) -> tuple[tuple[tuple[int, ...], ...], ...]:
        """The cells in rows, for the arrow keys."""
        cells = list(np.ndindex(shape))
        return tuple(tuple(cells[n : n + per]) for n in range(0, len(cells), max(per, 1)))

    def turn(self, wide: float) -> None:
        """Draws it as its transpose, each cell by the name that it has, and of some width."""
        name, axes = f"{self.name}.T", self.axes[::-1]
        turned = Grid(name, self.values.T, axes, self.letter, self.side, self.look, wide=wide)
        places = {index: turned.places[index[::-1]] for index in self.places}
        rows = tuple(tuple(index[::-1] for index in row) for row in turned.rows)
        values = self.values
        self.__dict__.update(turned.__dict__)
        Cells.__init__(self, turned.letter, places)
        self.values, self.rows = values, rows

    def place(self, x: float, y: float) -> None:
        """Moves it, so that its upper left corner is there."""
        dx, dy = x - self.corner[0], y - self.corner[1]
        self.places = {index: (round(u + dx, 1), round(v + dy, 1)) for index, (u, v) in self.places.items()}
        self.corner = x, y

    @property
    def bottom(self) -> float:
        """The height at which it ends."""
        return self.corner[1] + self.height

    @property
    def right(self) -> float:
        """Its right edge."""
        return self.corner[0] + self.width

    def _spans(self) -> list[tuple[str, str, str]]:
        """The label of a block: the letters of its axes, and which way they go."""
        spans: list[tuple[str, str, str]] = []
        for axis, way in ((self.down, "down"), (self.over, "across")):
            if axis is not None:
                letter = self.axes[axis]
                spans += [("", "muted", ", ")] * bool(spans)
                if type(letter) is int:
                    spans.append(("", f"ink{min(letter, 4)}", draw.letter_of(letter)))
                else:
                    spans += [("", "muted", f"dim {axis}")] if letter is None else inked(letter)
                spans.append(("", "muted", f" {way}"))
        return spans

    def _label(self) -> str:
        return "".join(words for *_, words in self._spans())

    def labels(self) -> Iterator[Shape]:
        """Yields the name and the letters of the axes."""
        (x, y), tall, rank = self.corner, self.size[1], len(self.axes)
        left, room = x + self.gutter, self.width - self.gutter
        if rank and self.axes[-1] is not None:
            yield _mark(left, y + 5, self.axes[-1])
            wide = _room(self.axes[-1]) + 8
            left, room = left + wide, room - wide
        ink = "grad-ink" if self.look == "grad" else ""
        yield draw.text(left, y + 22, self.name, f"mono strong {ink}", NUMBER, room=max(room, 20))
        if self.gutter:
            yield _mark(x, y + self.head + max(tall, self.side) / 2 - 11, self.axes[-2])
        if self._label():
            yield flow(*self._spans(), x=x + self.gutter, y=y + HEAD + 12, size=LABEL)
        if not len(self):
            yield draw.text(x + self.gutter, y + self.head + 18, "no cells", "muted")

    def shapes(self, id: str) -> list[Shape]:
        """The labels as a group, and the cells: with numbers, or in shades."""
        labels, values = draw.group(id, *self.labels()), exact(self.values)
        if self.small:
            return [labels, *self.dots(values, self.side, cls=[self.look] * len(self))]
        return [labels, *self.draw(values, self.wide, self.side, NUMBER if self.side >= CELL else LABEL, self.look)]


def inked(text: str, names: Container[str] = ()) -> list[tuple[str, str, str]]:
    """The pieces of a text in letters, those of axes in their colours; `names` are no axes.

    >>> inked("2k+n")
    [('', '', '2'), ('', 'ink2', 'k'), ('', '', '+'), ('', 'ink4', 'n')]
    """
    parts = re.split(r"(?<![A-Za-z_.])([i-t])(?![A-Za-z_(])", text)
    axes = [n % 2 and part not in names for n, part in enumerate(parts)]
    inks = [f"ink{min(draw.LETTERS.index(part), 4)}" if axis else "" for axis, part in zip(axes, parts)]
    return [("", ink, part) for ink, part in zip(inks, parts) if part]


def _room(axis: int | str) -> float:
    """The width of what stands at an axis."""
    return 24 if type(axis) is int else round(width(str(axis), LABEL, mono=True)) + 8


def _mark(x: float, y: float, axis: int | str) -> Shape:
    """The letter at an axis, or what the formula has in its place."""
    if type(axis) is int:
        return draw.badge(x, y, axis)
    box = Shape("rect", attrs=(("width", _room(axis)), ("height", 22), ("rx", 4)))
    return Shape("g", "", ("badge", "ax4"), (("transform", draw.place(x, y)),), (
        box, flow(*inked(str(axis)), x=_room(axis) / 2, y=16, size=LABEL)))  # fmt: skip


class Layout(NamedTuple):
    """The way in which an operation is drawn.

    Attributes:
        front, more, back: the grids of the operands and the result; under them, if any; of the gradients.
        way: the gradients stand "beside" the values, "below" them, or "instead". room: the width of the drawing.
        ends: where the grids of each side end. size: of the line's type.
    """

    front: Sequence[Grid]
    more: Sequence[Grid]
    back: Sequence[Grid]
    way: str
    room: float
    ends: dict[str, float]

    @property
    def heights(self) -> dict[str, float]:
        """The height of the drawing on each side."""
        return {side: low + BELOW + FOOT for side, low in self.ends.items()}


Made = tuple[Sequence[Grid], Sequence[Grid], Sequence[Grid]]


def layout(make: Callable[[float], Made], top: float, numbered: bool, crossed: bool = False) -> Layout:
    """Returns the layout with the largest cells that fit: `numbered` ones, or shades.

    `make`: the grids for a height of cells: of values, of what stands under them, and of gradients.
    `crossed`: the second grid stands above the one before the last.
    """
    made: dict[float, Made] = {}
    for side, way, packed, room, tall in _tries(numbered):
        if side not in made:
            made[side] = make(side)
        front, more, back = made[side]
        if way == "beside" and (more or not back) or packed and more:
            continue
        deep = tall - BELOW - FOOT if packed else top
        low, right = _crossed(front, LEFT, top) if crossed else _rowed(front, LEFT, top, room, deep)
        if more:
            low, over = _rowed(more, LEFT, low + ROWS, room, top)
            right = max(right, over)
        ends = {"": low, "g": low}
        if back and way == "beside":
            low, right = _rowed(back, right + BETWEEN, top, inf, deep)
            ends = dict.fromkeys(ends, max(*ends.values(), low))
        elif back:
            low, over = _rowed(back, LEFT, top if way == "instead" else low + ROWS, room, deep)
            ends["g"], right = low, max(right, over)
        if right <= room - LEFT and max(ends.values()) + BELOW + FOOT <= tall:
            break
    return Layout(front, more, back, way, room, ends)


def _tries(numbered: bool) -> Iterator[tuple[float, str, bool, float, float]]:
    """Yields heights of cells, ways to stand, packed or not, widths and heights of the drawing: the best first."""
    rooms = RIGHT + LEFT, WIDE
    if numbered:
        for side, (way, packed), room in product(SIZES, WAYS, rooms):
            yield side, way, packed, room, STAGE
        for tall, packed, way, side, room in product(
            (STAGE, TALLEST), (False, True), ("below", "instead"), SIZES, rooms
        ):
            yield side, way, packed, room, tall
    for side, tall, room in product((DOT, SPECK), (STAGE, TALLEST), rooms):
        yield side, "instead", False, room, tall
    yield SPECK, "instead", False, WIDE, inf


def _rowed(grids: Sequence[Grid], x: float, y: float, room: float, deep: float) -> tuple[float, float]:
    """Places grids beside each other, and returns where they end.

    Those too wide for that begin a new row; what ends above `deep` may stand under the one before.
    """
    left, under, low, right, edge = x, inf, y, x, x
    for grid in grids:
        if under + grid.height > deep:  # a new column
            x = left if edge == left else edge + BETWEEN
            if x > left and x + grid.width > room - LEFT:
                x, y, edge = left, low + ROWS, left
            under = y
        grid.place(x, under)
        under, low, edge = grid.bottom + ROWS, max(low, grid.bottom), max(edge, grid.right)
        right = max(right, edge)
    return low, right


def _crossed(grids: Sequence[Grid], x: float, y: float) -> tuple[float, float]:
    """Places attention, and returns where it ends.

    q is left of the weights, k above them; v, what else there is and the result stand in a line with these.
    """
    q, k, v, *others, weights, result = grids
    low = y + k.height + GAP
    q.place(x, low)
    k.place(q.right + BETWEEN, y)
    weights.place(q.right + BETWEEN, low)
    edge = max(k.right, weights.right)
    for grid in (v, *others, result):
        grid.place(edge + BETWEEN, max(y, weights.bottom - max(each.height for each in (v, *others, result))))
        edge = grid.right
    return max(grid.bottom for grid in grids), edge
