"""Readings drawn as grids, storages drawn as tapes: where each cell and each slot stands."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import ceil, isfinite

from ...scene import Shape, draw
from ...scene.draw import LEFT, RIGHT
from ...scene.measure import width
from ..source import Value
from .reading import NUMBERED, Reading

GUTTER, HEADER = 76, 26
"""Room for a row's badge at the left of a grid; the line that names one small multiple."""

LINE, PLENTY = 24, 64
"""Most cells in one line of a wrapped axis; from `PLENTY` cells on they are drawn smaller."""

EXACT = 12
"""The most characters of an integer that are still read in a cell."""

Place = tuple[float, float]


@dataclass(frozen=True, eq=False)
class Board:
    """A grid or a tape, settled where it stands.

    Attributes:
        labels: what does not light up. cells: draws the rest (only once it is settled: it is the costly part).
        places: the place of each cell by its number, of each slot by its address.
        rows: the same in rows, for the arrow keys. w, h: size of a cell. dots: the cells are too small for arrows.
        caption: where the words under a tape end.
    """

    labels: tuple[Shape, ...]
    cells: Callable[[], tuple[Shape, ...]]
    places: dict[int, Place]
    rows: tuple[tuple[int, ...], ...]
    w: float
    h: float
    right: float
    bottom: float
    dots: bool
    caption: float = 0


def arrow(
    board: Board, cell: int, line: Board, slot: int, floor: float, roof: float, above: Sequence[Board] = (),
    beside: Place | None = None,
) -> str:  # fmt: skip
    """The path from a cell down to a slot.

    It goes straight, along the gaps between cells, down to `floor`, below which no grid stands, and from `roof`, above
    which no tape lies, straight on to the slot; between the two it curves. Grids under its own it passes at the x of
    `beside`, to which it turns at that y; the tapes `above` that of the slot at the right of their captions.
    """
    if board.dots or line.dots:
        return ""
    (x, y), (u, v) = board.places[cell], line.places[slot]
    end = round(u + line.w / 2, 1), v - 3
    enter = (round(u - 1, 1), roof - 4) if v > roof else None
    if y + board.h >= board.bottom - 1:
        middle = round(x + board.w / 2, 1)
        start, leave = (middle, y + board.h + 2), (middle, floor) if floor > board.bottom + 4 else None
    else:
        gap = round(x + board.w + 1, 1)
        start, leave = (gap, y + board.h / 2), (gap, floor + 2)
    first = ""
    if beside:
        first = draw.curve(start, (beside[0], beside[1] + 22), (start[0], beside[1]), head=False)
        start, leave = (beside[0], beside[1] + 22), (beside[0], floor + 2)
    words = max((other.caption for other in above), default=0)
    if enter is None or enter[0] > words:
        return _joined(first, draw.curve(start, end, leave, enter))
    pitch = above[0].w + draw.GAP
    across, low = round(LEFT - 1 + pitch * ceil((words - LEFT) / pitch), 1), above[-1].bottom
    last = draw.curve((across, low), end)
    way = draw.curve(start, (across, low), leave, (across, roof - 4), head=False)
    return _joined(_joined(first, way), last)


def _joined(first: str, second: str) -> str:
    """Two paths, of which the second begins where the first ends."""
    return first + re.sub(r"^M[^A-Z]*", "", second) if first else second


def passing(boards: Sequence[Board], view: int) -> Place | None:
    """Where arrows of a grid turn aside, and how far, if other grids stand under it."""
    own, tops = boards[view], [min((y for _, y in b.places.values()), default=0) for b in boards]
    under = [b for b, top in zip(boards, tops, strict=True) if top > own.bottom]
    if not under:
        return None
    level = max(b.bottom for b, top in zip(boards, tops, strict=True) if top <= own.bottom)
    return min(max(b.right for b in under) + 14, RIGHT + 12), level + 2


def grid(
    reading: Reading, prefix: str, values: Sequence[Value], aliased: set[int], x: float, y: float, name: str = "",
    side: float = draw.CELL,
) -> Board:  # fmt: skip
    """The cells of a reading: the last two axes as a matrix, outer axes as small multiples, a badge for each axis.

    `side` is the height of a cell where there are few.
    """
    rank, kept, dots = len(reading.kept), reading.kept, len(reading.cells) > NUMBERED
    words = _spelled(values)
    w, h = _size(reading, words, dots, side)
    matrix = _matrix(kept, w + (1 if dots else draw.GAP), h + (1 if dots else draw.GAP))
    wide = max((c[1] for row in matrix for c in row), default=0) + w
    tall = max((c[2] for row in matrix for c in row), default=0) + h
    gutter, header = GUTTER if rank > 1 else 0, HEADER * max(0, rank - 2)
    left, labels = x + gutter, []
    if name:
        labels.append(draw.text(x, y + 16, name, "mono strong", 17, room=gutter - 6 if gutter else 160))
        y += 0 if rank > 1 else 28
    if rank:
        labels.append(draw.badge(left + max(0, min(wide, 400) - 74) / 2, y, reading.axes[-1], f"dim {rank - 1}"))
        y += 30
    if rank > 1:
        labels.append(draw.badge(x, y + header + min(tall, 300) / 2 - 11, reading.axes[-2], f"dim {rank - 2}"))
    places: dict[int, Place] = {}
    rows: list[tuple[int, ...]] = []
    block, bx, right = max(wide, 112 if header else 0), left, left + wide
    for outer in product(*kept[: max(0, rank - 2)]):
        if bx > left and bx + block > RIGHT:
            bx, y = left, y + header + tall + 18
        for k, index in enumerate(outer):
            said = f"dim {k} = {'…' if index is None else index}"
            labels.append(draw.badge(bx, y + HEADER * k, reading.axes[k], said))
        for row in matrix if None not in outer else ():
            first = len(places)
            for drawn, dx, dy in row:
                if drawn:
                    places[len(places)] = (round(bx + dx, 1), round(y + header + dy, 1))
                elif not dots:
                    labels.append(_more(bx + dx + w / 2, y + header + dy + h / 2))
            rows.append(tuple(range(first, len(places))))
        right, bx = max(right, bx + block), bx + block + 22
    if not places:
        labels.append(draw.cell("", left, y + header, "no cells", "virtual", 110))
        right, tall = max(right, left + 110), draw.CELL

    def cells() -> tuple[Shape, ...]:
        dress = (_dress(reading, n, aliased) for n in places)
        return _dots(prefix, places, values, w, h, dress) if dots else _cells(prefix, places, words, w, h, dress)

    rows = [row for row in rows if row]
    return Board(tuple(labels), cells, places, tuple(rows), w, h, right, y + header + tall, dots)


def least(slots: Sequence[int | None], values: Sequence[Value], label: str) -> float:
    """The least width of a tape in one line, with its words."""
    if len(slots) > LINE:
        return float(RIGHT)
    return max(len(slots) * (max(30.0, _wanted(_spelled(values))) + draw.GAP), width(label, draw.WORDS) + 12)


def tape(
    slots: Sequence[int | None], prefix: str, values: Sequence[Value], dress: Callable[[int], str], label: str,
    y: float, left: float = LEFT, right: float = RIGHT,
) -> Board:  # fmt: skip
    """A storage as a line of slots, wrapped into rows, each with its address; None stands for slots left out."""
    count, dots, room, x = len(slots), len(slots) > NUMBERED, right - left, left
    words = _spelled(values)
    labels: list[Shape] = []
    if dots:
        x, w, h, gap, fall = LEFT + 64, 10.0, 10.0, 1, 14.0
        per = int((RIGHT - x) // (w + gap))
    else:
        gap, h = draw.GAP, draw.CELL if count <= PLENTY else 32.0
        fall = h + 34
        longest = max((width(str(s), draw.SMALL, mono=True) for s in slots[-3:] if s is not None), default=0) + 4
        longest = max(longest, 30, _wanted(words) if count > PLENTY else 0)
        per = min(LINE, int(room // (longest + gap)))
        per = count if count <= per else 16 if per >= 16 and count <= PLENTY else per
        w = round(min(max(66.0, longest), room / max(per, 1) - gap), 1)
    places: dict[int, Place] = {}
    rows: list[tuple[int, ...]] = []
    for k, slot in enumerate(slots):
        down, across = divmod(k, per)
        place = (round(x + across * (w + gap), 1), y + down * fall)
        if across == 0:
            rows.append(())
            if dots and slot is not None:
                labels.append(draw.text(x - 8, place[1] + 10, str(slot), "mono muted", draw.SMALL, "end"))
        if slot is None:
            labels.append(_more(place[0] + w / 2, place[1] + h / 2))
        else:
            places[slot] = place
            rows[-1] += (slot,)
    if not count:
        labels.append(draw.cell("", x, y, "no slots", "virtual", 110))
    bottom = y + (max(1, len(rows)) - 1) * fall + h + (20 if dots else 44)
    labels.append(draw.text(left, bottom - 4, label, "muted", room=room))

    def cells() -> tuple[Shape, ...]:
        classes = map(dress, places)
        if dots:
            return _dots(prefix, places, values, w, h, classes)
        return _cells(prefix, places, words, w, h, classes, address=True)

    caption = left + width(label, draw.WORDS) + 6
    return Board(tuple(labels), cells, places, tuple(r for r in rows if r), w, h, right, bottom, dots, caption)


def _matrix(kept: Sequence[Sequence[int | None]], across: float, down: float) -> list[list[tuple[bool, float, float]]]:
    """The cells of one matrix: whether it is drawn (or left out), and where. A single axis wraps into lines."""
    if len(kept) < 2:
        line = kept[0] if kept else (0,)
        per = min(LINE if len(line) > PLENTY else 16, max(1, int((RIGHT - LEFT) // across)))
        if len(line) > NUMBERED:
            per = int((RIGHT - LEFT) // across)
        per = len(line) if len(line) <= 18 and len(line) * across <= RIGHT - LEFT else per
        return [
            [(index is not None, c * across, r // per * (down + 4)) for c, index in enumerate(line[r : r + per])]
            for r in range(0, len(line), max(1, per))
        ]
    return [
        [(row is not None and column is not None, c * across, r * down) for c, column in enumerate(kept[-1])]
        for r, row in enumerate(kept[-2])
    ]


def _size(reading: Reading, words: Sequence[str], dots: bool, side: float) -> Place:
    """How large a cell is: wide enough for its number where there is room."""
    rank, drawn = len(reading.kept), len(reading.cells)
    columns = len(reading.kept[-1]) if rank else 1
    if dots:
        side = max(6.0, min(14.0, 700 // max(columns, 1) - 1.0)) if rank > 1 else 12.0
        return side, side
    if rank == 1 and columns > 18:
        columns = 16 if columns <= PLENTY else LINE
    fits = (RIGHT - LEFT - (GUTTER if rank > 1 else 0)) / max(columns, 1) - draw.GAP
    high = side if drawn <= PLENTY else 30
    roomy = min(_wanted(words), 420 / max(columns, 1) if drawn <= PLENTY else 66)
    return float(int(max(18, min(fits, max(high, roomy))))), float(max(18, min(high, int(fits))))


def _spelled(values: Sequence[Value]) -> list[str]:
    """Numbers in few characters; integers in full where rounded ones would be alike."""
    words = [draw.spell(value, 3 if len(values) <= PLENTY else 2) for value in values]
    alike = len(set(words)) < len(set(values)) and all(type(value) is int for value in values)
    return [str(value) for value in values] if alike and max(len(str(v)) for v in values) <= EXACT else words


def _wanted(words: Sequence[str]) -> float:
    """The width at which every number fits in its cell; where they are many, all but the longest."""
    longest = max(words, key=len, default="")
    return min(66.0 if len(words) <= PLENTY else 46.0, width(longest, _font(words), mono=True) + 8)


def _font(words: Sequence[str]) -> float:
    return 16 if len(words) <= PLENTY else 14


def _dress(reading: Reading, number: int, aliased: set[int]) -> str:
    if reading.repeats[number]:
        return "virtual"
    stored = "value " if reading.virtual else ""
    return stored + "aliased" if reading.slots[number] in aliased else stored


def _cells(
    prefix: str, places: Mapping[int, Place], words: Sequence[str], w: float, h: float, dress: Iterable[str],
    address: bool = False,
) -> tuple[Shape, ...]:  # fmt: skip
    """Cells with their numbers, in one font size."""
    longest = max((width(word, 1, mono=True) for word in words), default=0)
    size = max(9, min(_font(words), round((w - 4) / (longest or 1), 1)))
    return tuple(
        draw.cell(f"{prefix}{key}", x, y, word, cls, w, h, size, str(key) if address else "")
        for (key, (x, y)), word, cls in zip(places.items(), words, dress, strict=True)
    )


def _dots(
    prefix: str, places: Mapping[int, Place], values: Sequence[Value], w: float, h: float, dress: Iterable[str]
) -> tuple[Shape, ...]:
    """Cells too small for numbers: each value as one of eight shades, NaN and Inf in a colour of their own."""
    reals = [0.0 if isinstance(v, complex) else float(v) for v in values]
    finite = [v for v in reals if isfinite(v)]
    low, high = min(finite, default=0.0), max(finite, default=0.0)
    shades = [f"shade{int(7 * (v - low) / ((high - low) or 1))}" if isfinite(v) else "odd" for v in reals]
    return tuple(
        Shape("rect", f"{prefix}{key}", ("dot", shade, *cls.split()), (("x", x), ("y", y), ("width", w), ("height", h)))
        for (key, (x, y)), shade, cls in zip(places.items(), shades, dress, strict=True)
    )


def _more(x: float, y: float) -> Shape:
    """What stands for cells left out."""
    return draw.text(x, y + 5, "⋯", "muted", 18, "middle")
