"""Readings drawn as grids, storages drawn as tapes, arrows from one to the other: where each cell and slot stands."""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice, product
from math import ceil
from typing import Any

from ...claims.digits import spell
from ...scene import Shape, draw
from ...scene.draw import LEFT, RIGHT
from ...scene.measure import width
from ..kit.cells import Cells, Place
from ..kit.reading import NUMBERED, Index, Reading, Storage
from ..source import Value

GUTTER, HEADER = 76, 26
"""Room for a row's badge at the left of a grid; the line that names one small multiple."""

LINE, PLENTY = 24, 64
"""Most cells in one line of a wrapped axis; of more than `PLENTY` numbers fewer digits are told."""

EXACT = 12
"""The most characters of an integer that are still read in a cell."""

AIR, APART = 42, 40
"""Room for arrows above a tape; room between tapes in a line."""

SLOT, NAMED = 30, 220
"""The least width of a slot; the most room for the name of a grid."""

PIECE = 344
"""The width of a piece of a tape: the least page that it fits has 390 px."""

MOST = 360
"""The height up to which shades are of the larger kind."""


Part = tuple[list[Shape], Sequence[Sequence[Any]]]


class Board(Cells):
    """A reading as a grid of cells by index, or a storage as a tape of slots, at its place.

    Attributes:
        drawn: the reading or storage. small: it has no room for numbers and arrows. w, h: size of a cell.
        parts: its blocks or lines, each as what does not light up, and its cells in rows, for the arrow keys.
        caption: where the words under a tape end.

    >>> import numpy as np
    >>> from rustyflow.show.kit.reading import storages
    >>> from rustyflow.show.source import source_of
    >>> x = Reading(source_of(np.arange(12).reshape(3, 4), "x"), (0, 1), 256)
    >>> (board,), low, _ = grids([x], "a", 40)
    >>> (line,) = tapes(storages([x]), "s", low + AIR)
    >>> board[1, 1], board.places[1, 1], line[5], line.places[5]
    ('a5', (146.0, 116.0), 's5', (362.5, 248.0))
    >>> arrows(board, line, [board], [line], low)[2, 1]
    'M168 208C168 230.9 666.1 222.1 666.1 245m-6 -8l6 8l6 -8'
    """

    def __init__(
        self, drawn: Reading | Storage, letter: str, places: Mapping[Any, Place], parts: Sequence[Part],
        size: Place, right: float, bottom: float, caption: float = 0,
    ):  # fmt: skip
        super().__init__(letter, places, numbers=places if isinstance(drawn, Storage) else None)
        self.drawn, self.small, self.parts = drawn, drawn.small, parts
        (self.w, self.h), self.right, self.bottom, self.caption = size, right, bottom, caption

    @property
    def rows(self) -> list[Sequence[Any]]:
        """Its cells in rows."""
        return [row for _, rows in self.parts for row in rows if row]

    def heads(self, id: str) -> list[str]:
        """The ids of what does not light up, a part each."""
        return [f"{id}_{k}" for k in range(len(self.parts))]

    def _cells(self) -> list[Shape]:
        """The cells: with numbers, slots also with addresses; or as dots."""
        values = list(self.drawn.values.values())
        if self.small:
            return self.dots(values, self.w, cls=self.drawn.looks)
        room = self.w - (10 if any("aliased" in look for look in self.drawn.looks) else 4)  # within both borders
        spellings, longest, sizes = _spelled(values), draw.longest(_spelled(values)), (draw.NUMBER, draw.LABEL)
        sizes = sizes[self.h < draw.CELL :]
        size = next((size for size in sizes if width("0" * longest, size, mono=True) <= room), draw.LABEL)
        if width("0" * longest, size, mono=True) > room:
            spellings, _ = draw.fitted(values, room, draw.LABEL)
        under = map(str, self.places) if isinstance(self.drawn, Storage) else [""] * len(self)
        cells = zip(self.ids, self.places.values(), spellings, self.drawn.looks, under, strict=True)
        return [draw.cell(id, *at, word, cls, self.w, self.h, size, below) for id, at, word, cls, below in cells]

    def pieces(self, id: str) -> Iterator[Shape]:
        """Yields the shapes in pieces that stand under each other on a narrow page.

        A block of a grid is one, with its labels; a long line of slots is several.
        """
        cells, tape = iter(self._cells()), isinstance(self.drawn, Storage) and not self.small
        for head, (labels, rows) in zip(self.heads(id), self.parts, strict=True):
            own = [*islice(cells, sum(map(len, rows)))]
            per = max(1, int(PIECE // (self.w + draw.GAP))) if tape else max(1, len(own))
            first, *others = [own[k : k + per] for k in range(0, len(own), per)] or [own]
            yield draw.group("", draw.group(head, *labels), *first, cls="piece")
            yield from (draw.group("", *other, cls="piece") for other in others)


def arrows(
    board: Board, line: Board, boards: Sequence[Board], lines: Sequence[Board], floor: float
) -> dict[Index, str]:
    """The paths from the cells of a grid down to the slots that they read on a tape.

    They go straight, along the gaps between cells, down to `floor`, below which no grid stands, and from `AIR` further
    down, above which no tape lies, straight on to the slot; between the two they curve. They pass grids under their own
    at the right, and tapes above that of the slot at the right of their captions.
    """
    if board.small or line.small:
        return dict.fromkeys(board, "")
    beside, roof = _passing(boards, board), floor + AIR
    above = [other for other in lines[: lines.index(line)] if other.bottom < line.bottom]
    captions = max((other.caption for other in above), default=0)

    def path(cell: Index, slot: int) -> str:
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
            right, turn = beside
            first = draw.curve(start, (right, turn + 22), (start[0], turn), head=False)
            start, leave = (right, turn + 22), (right, floor + 2)
        if enter is None or enter[0] > captions:
            return _joined(first, draw.curve(start, end, leave, enter))
        pitch = above[0].w + draw.GAP
        across, low = round(LEFT - 1 + pitch * ceil((captions - LEFT) / pitch), 1), above[-1].bottom
        way = draw.curve(start, (across, low), leave, (across, roof - 4), head=False)
        return _joined(first, way, draw.curve((across, low), end))

    return {cell: path(cell, slot) for cell, slot in board.drawn.slots.items()}


def _joined(*paths: str) -> str:
    """Paths each of which begins where the one before ends."""
    first, *others = filter(None, paths)
    return first + "".join(re.sub(r"^M[^A-Z]*", "", other) for other in others)


def _passing(boards: Sequence[Board], base: Board) -> Place | None:
    """The place at which arrows of a grid turn aside for grids under it, and how far down."""
    tops = [(board, min((y for _, y in board.places.values()), default=0)) for board in boards]
    under = [board for board, top in tops if top > base.bottom]
    if not under:
        return None
    level = max(board.bottom for board, top in tops if top <= base.bottom)
    return min(max(board.right for board in under) + 14, RIGHT + 12), level + 2


def hop(line: Board, start: int, end: int, by: str, id: str, cls: str) -> Shape | None:
    """An arc from a slot to another one in its row, with words over it."""
    (x, y), (u, v) = line.places[start], line.places[end]
    if line.small or y != v:
        return None
    aside = line.w / 4 if x == u else 0  # it comes back to where it began
    path = Shape("path", "", ("arrow",), (("d", draw.hop((x - aside, y), (u + aside, v), line.w)),))
    return draw.group(id, path, draw.text((x + u + line.w) / 2, y - 7, by, "mono", draw.NUMBER, "middle"), cls=cls)


def grids(
    readings: Sequence[Reading], letters: str, top: float, side: float = draw.CELL, air: float = 56
) -> tuple[list[Board], float, float]:
    """The grids of readings, side by side or, where that is lower, stacked; their lower and right ends."""
    boards: list[Board] = []
    x, y, low, right = float(LEFT), top, top, float(LEFT)
    for reading, letter in zip(readings, letters, strict=False):
        name = reading.source.name if len(readings) > 1 else ""
        board = grid(reading, letter, x, y, name, side)
        if x > LEFT and (board.right > RIGHT or board.bottom > low + 26):
            under = grid(reading, letter, LEFT, low + 26, name, side)
            if board.right > RIGHT or board.bottom > under.bottom:
                y, board = low + 26, under
        boards.append(board)
        x, low, right = board.right + air, max(low, board.bottom), max(right, board.right)
    return boards, low, right


def grid(reading: Reading, letter: str, x: float, y: float, name: str = "", side: float = draw.CELL) -> Board:
    """The grid of a reading: the last two axes as a matrix, outer axes as small multiples, with badges.

    `side` is the height of a cell where there are few.
    """
    live = reading.live or []
    named = 0.0
    rank, kept, gap = len(live), [reading.kept[d] for d in live], 1 if reading.small else draw.GAP
    w, h = _size(reading, side)
    matrix = _matrix(kept, w + gap, h + gap)
    wide = max((across for row in matrix for _, across, _ in row), default=0) + w
    tall = max((down for row in matrix for *_, down in row), default=0) + h
    gutter, header = GUTTER if rank > 1 else 0, HEADER * max(0, rank - 2)
    left, labels = x + gutter, []
    if name:
        beside = rank > 1 and width(name, draw.NUMBER, mono=True, bold=True) <= gutter - 6
        labels.append(draw.text(x, y + 18, name, "mono strong", draw.NUMBER, room=gutter - 6 if beside else NAMED))
        y += 0 if beside else 28
        named = 0.0 if beside else x + min(NAMED, width(name, draw.NUMBER, mono=True, bold=True))
    if rank:
        labels.append(_axis(left + max(0, min(wide, 400) - 74) / 2, y, reading.axes[live[-1]], f"dim {live[-1]}"))
        y += 30
    if rank > 1:
        labels.append(_axis(x, y + header + min(tall, 300) / 2 - 11, reading.axes[live[-2]], f"dim {live[-2]}"))
    places: dict[Index, Place] = {}
    parts: list[Part] = []

    def whole(index: Sequence[int | None]) -> tuple[int | None, ...]:
        """The index of a cell with the axes of size 1."""
        at: list[int | None] = [0] * len(reading.source.shape)
        for d, n in zip(live, index, strict=True):
            at[d] = n
        return tuple(at)

    block, bx, right = max(wide, 112 if header else 0), left, max(left + wide, named)
    for outer in product(*kept[: max(0, rank - 2)]) if reading.live is not None else ():
        if bx > left and bx + block > RIGHT:
            bx, y = left, y + header + tall + 18
        rows: list[Sequence[Index]] = []
        for k, index in enumerate(outer):
            label = f"dim {live[k]} = {'…' if index is None else index}"
            labels.append(_axis(bx, y + HEADER * k, reading.axes[live[k]], label))
        for row in matrix if None not in outer else ():
            spots = [(whole((*outer, *inner)), bx + dx, y + header + dy) for inner, dx, dy in row]
            shown = {index: (round(u, 1), round(v, 1)) for index, u, v in spots if None not in index}
            labels += [_more(u + w / 2, v + h / 2) for index, u, v in spots if None in index and not reading.small]
            places |= shown
            rows.append(tuple(shown))
        parts.append((labels, rows))
        labels = []
        right, bx = max(right, bx + block), bx + block + 22
    if not places:
        many = "no cells" if reading.live is not None else f"cells of {len(reading.source.shape)} axes are not drawn"
        wide = width(many, draw.NUMBER, mono=True) + 20
        parts = [(labels, ())] if not parts else parts
        parts[-1][0].append(draw.cell("", left, y + header, many, "virtual", wide))
        right, tall = max(right, left + wide), draw.CELL
    return Board(reading, letter, places, parts, (w, h), right, y + header + tall)


def tapes(storages: Sequence[Storage], letters: str, y: float, side: float = draw.CELL) -> list[Board]:
    """Storages beside each other where they fit, else under each other, in slots of that height."""
    wants = [_least(storage, side) for storage in storages]
    spare = RIGHT - LEFT - sum(wants) - APART * (len(wants) - 1)
    slots, boards, x = sum(len(storage.shown) for storage in storages), [], float(LEFT)
    for storage, letter, want in zip(storages, letters, wants, strict=False):
        room = round(want + spare * len(storage.shown) / max(slots, 1), 1) if spare >= 0 else RIGHT - LEFT
        boards.append(tape(storage, letter, y, x, x + room, side))
        x, y = (x + room + APART, y) if spare >= 0 else (x, boards[-1].bottom + AIR)
    return boards


def _least(storage: Storage, side: float) -> float:
    """The least width of a tape in one line, with its words."""
    count = len(storage.shown)
    if count > LINE:
        return float(RIGHT)
    return max(count * (_wanted(storage, side, SLOT) + draw.GAP), width(storage.label, draw.LABEL) + 12)


def tape(storage: Storage, letter: str, y: float, left: float, right: float, side: float = draw.CELL) -> Board:
    """A storage as a line of slots, wrapped into rows, each with its address."""
    slots, count, small, room, x = storage.shown, len(storage.shown), storage.small, right - left, left
    if small:
        x, w, h, gap, fall = LEFT + 64, float(draw.SPECK), float(draw.SPECK), 1, 14.0
        per = int((RIGHT - x) // (w + gap))
    else:
        gap, h, fall = draw.GAP, side, side + 24
        longest = max((width(str(s), draw.LABEL, mono=True) for s in slots[-3:] if s is not None), default=0) + 4
        longest = max(longest, _wanted(storage, side, SLOT))
        per = min(LINE, int(room // (longest + gap)))
        per = count if count <= per else 16 if per >= 16 and count <= PLENTY and side >= draw.CELL else per
        w = round(min(max(66.0, longest), room / max(per, 1) - gap), 1)
    places: dict[int, Place] = {}
    parts: list[tuple[list[Shape], list[list[int]]]] = []
    for k, slot in enumerate(slots):
        down, across = divmod(k, per)
        place = (round(x + across * (w + gap), 1), y + down * fall)
        if across == 0:
            at = small and slot is not None
            address = draw.text(x - 8, place[1] + 9, str(slot), "mono muted", draw.LABEL, "end")
            parts.append(([address] * at, [[]]))
        labels, (row,) = parts[-1]
        if slot is None:
            labels.append(_more(place[0] + w / 2, place[1] + h / 2))
        else:
            places[slot] = place
            row.append(slot)
    bottom = y + (max(1, len(parts)) - 1) * fall + h + (20 if small else 44)
    said = [draw.text(left, bottom - 4, storage.label, "muted", room=room)]
    parts.append((said if count else [*said, draw.cell("", x, y, "no slots", "virtual", 110)], []))
    caption = left + width(storage.label, draw.LABEL) + 6
    return Board(storage, letter, places, parts, (w, h), right, bottom, caption)


def _matrix(
    kept: Sequence[Sequence[int | None]], across: float, down: float
) -> list[list[tuple[tuple[int | None, ...], float, float]]]:
    """One matrix: the last two indices of each cell, None for some left out, and where. A single axis wraps."""
    if not kept:
        return [[((), 0, 0)]]
    if len(kept) > 1:
        return [
            [((row, column), c * across, r * down) for c, column in enumerate(kept[-1])]
            for r, row in enumerate(kept[-2])
        ]
    line, fits = kept[0], int((RIGHT - LEFT) // across)
    per = fits if len(line) > NUMBERED else min(LINE if len(line) > PLENTY else 16, max(1, fits))
    per = len(line) if len(line) <= 18 and len(line) * across <= RIGHT - LEFT else per
    return [
        [((index,), c * across, r // per * (down + 4)) for c, index in enumerate(line[r : r + per])]
        for r in range(0, len(line), max(1, per))
    ]


def _size(reading: Reading, side: float) -> Place:
    """The width and height of a cell, wide enough for its number where there is room."""
    live = reading.live or []
    rank = len(live)
    columns, rows = (len(reading.kept[d]) for d in (live * 2)[-1:-3:-1]) if live else (1, 1)
    if reading.small:
        roomy = columns * (draw.DOT + 1) <= RIGHT - LEFT - GUTTER and rows * (draw.DOT + 1) <= MOST
        return (draw.DOT, draw.DOT) if roomy else (draw.SPECK, draw.SPECK)
    if rank == 1 and columns > 18:
        columns = 16 if columns <= PLENTY else LINE
    fits = (RIGHT - LEFT - (GUTTER if rank > 1 else 0)) / max(columns, 1) - draw.GAP
    return float(int(min(fits, max(side, _wanted(reading, side))))), float(side)


def _wanted(of: Reading | Storage, side: float, least: float = 0) -> float:
    """The width at which every number fits in its cell, which is a square without a `least` width."""
    size = draw.NUMBER if side >= draw.CELL else draw.LABEL
    longest = min(draw.longest(_spelled(list(of.values.values()))), EXACT)
    return max(least or side, 8.0 * ceil((width("0" * longest, size, mono=True) + 6) / 8))


def _spelled(values: Sequence[Value]) -> list[str]:
    """Numbers in few characters; integers in full where rounded ones would be alike."""
    spellings = [spell(value, 3 if len(values) <= PLENTY else 2) for value in values]
    alike = len(set(spellings)) < len(set(values)) and all(type(value) is int for value in values)
    return [str(value) for value in values] if alike and max(len(str(v)) for v in values) <= EXACT else spellings


def _axis(x: float, y: float, axis: int | None, label: str) -> Shape:
    """The badge of an axis, or its number alone where it shares no letter."""
    return draw.text(x + 30, y + 16, label, "muted", draw.LABEL) if axis is None else draw.badge(x, y, axis, label)


def _more(x: float, y: float) -> Shape:
    """The dots in place of cells that are left out."""
    return draw.text(x, y + 5, "⋯", "muted", 18, "middle")
