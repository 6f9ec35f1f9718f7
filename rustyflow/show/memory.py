"""Readings drawn as grids, storages drawn as tapes: where each cell and each slot stands."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product
from math import isfinite

from ..scene import Shape, draw
from .reading import NUMBERED, Reading
from .source import Value

LEFT, RIGHT, GUTTER = 24, 836, 76
PLENTY = 64
"""From this many cells on they are drawn smaller."""

Place = tuple[float, float]


@dataclass(frozen=True, eq=False)
class Board:
    """A grid or a tape: its labels, how to draw its cells (once it is settled where it stands), the place of each cell by
    number, of each slot by address, and the rows for the arrow keys."""

    labels: tuple[Shape, ...]
    cells: Callable[[], tuple[Shape, ...]]
    places: dict[int, Place]
    rows: tuple[tuple[int, ...], ...]
    w: float
    h: float
    top: float
    right: float
    bottom: float


def arrow(board: Board, cell: int, line: Board, slot: int) -> str:
    """The path from a cell down to a slot, along the gaps between cells where others are in the way."""
    (x, y), (u, v) = board.places[cell], line.places[slot]
    end = round(u + line.w / 2, 1), v - 4
    enter = (u - 1, line.top - 4) if v > line.top else None
    if y + board.h >= board.bottom - 1:
        return draw.curve((x + board.w / 2, y + board.h + 2), end, enter=enter)
    gap = x + board.w + 1
    return draw.curve((gap, y + board.h / 2), end, (gap, board.bottom + 2), enter)


def grid(
    reading: Reading, prefix: str, values: Sequence[Value], aliased: set[int], x: float, y: float, name: str = ""
) -> Board:
    """The cells of a reading: the last two axes as a matrix, the outer axes as small multiples, each axis with its badge."""
    rank, kept, drawn = len(reading.kept), reading.kept, len(reading.cells)
    columns = kept[-1] if rank else (0,)
    rows = kept[-2] if rank > 1 else (0,)
    dots = drawn > NUMBERED
    side = _side(drawn, len(columns) if rank > 1 else min(len(columns), 18), dots)
    pitch, gutter = side + (1 if dots else draw.GAP), GUTTER if rank > 1 else 0
    left = x + gutter
    labels: list[Shape] = []
    if name:
        labels.append(draw.text(x, y + 16, name, "mono strong", 17, room=gutter - 6 if gutter else 160))
        y += 0 if rank > 1 else 28
    across = _offsets(columns, pitch) if rank != 1 else _wrapped(columns, pitch, RIGHT - left)
    down = _offsets(rows, pitch)
    wide = max((c[0] for c in across), default=0) + side
    tall = (max((c[1] for c in across), default=0) if rank == 1 else max((r[0] for r in down), default=0)) + side
    if rank:
        labels.append(draw.badge(left + max(0, min(wide, 400) - 74) / 2, y, reading.axes[-1], f"dim {rank - 1}"))
        y += 30
    header = 26 * max(0, rank - 2)
    if rank > 1:
        labels.append(draw.badge(x, y + header + min(tall, 300) / 2 - 11, reading.axes[-2], f"dim {rank - 2}"))
    places: dict[int, Place] = {}
    lines: list[tuple[int, ...]] = []
    bx, by, right, number = left, y, left + wide, 0
    block = max(wide, 112 if header else 0)
    for outer in product(*kept[: max(0, rank - 2)]):
        if bx > left and bx + block > RIGHT:
            bx, by = left, by + header + tall + 18
        for k, index in enumerate(outer):
            place = (bx, by + 26 * k)
            labels.append(draw.badge(*place, reading.axes[k], f"dim {k} = {'…' if index is None else index}"))
        right = max(right, bx + block)
        if None not in outer:
            for r, row in enumerate(rows):
                line = []
                for c, column in enumerate(columns):
                    dx, dy = across[c][0], across[c][1] + down[r][0]
                    if row is None or column is None:
                        if not dots:
                            labels.append(_dots(bx + dx + pitch / 2, by + header + dy + side / 2))
                        continue
                    places[number] = (round(bx + dx, 1), round(by + header + dy, 1))
                    line.append(number)
                    number += 1
                lines.append(tuple(line))
        bx += block + 22

    def cells() -> tuple[Shape, ...]:
        return _cells(prefix, places, values, side, side, dots, lambda n: _dress(reading, n, aliased))

    if not drawn:
        labels.append(draw.text(left, y + header + 16, "no cells", "muted"))
        tall = 26
    rows_ = tuple(line for line in lines if line)
    return Board(tuple(labels), cells, places, rows_, side, side, y, right, by + header + tall)


def tape(
    slots: Sequence[int | None], prefix: str, values: Sequence[Value], dress: Callable[[int], str], label: str,
    x: float, y: float,
) -> Board:  # fmt: skip
    """A storage as a line of slots, wrapped into rows, each with its address; None stands for slots left out."""
    many = len(slots)
    dots, room = many > NUMBERED, RIGHT - x
    if dots:
        x, w, h, gap, fall = x + 64, 10.0, 10.0, 1, 14.0
        per = int((RIGHT - x) // (w + gap))
    else:
        per = many if many <= 18 else 16 if many <= PLENTY else 24
        gap = draw.GAP
        w, h = min(66.0, max(24.0, room / max(per, 1) - gap)), draw.CELL if many <= PLENTY else 32.0
        fall = h + 26
    labels: list[Shape] = []
    places: dict[int, Place] = {}
    lines: list[tuple[int, ...]] = []
    w = round(w, 1)
    for k, slot in enumerate(slots):
        row, column = divmod(k, per)
        place = (round(x + column * (w + gap), 1), y + row * fall)
        if column == 0:
            lines.append(())
            if dots and slot is not None:
                labels.append(draw.text(x - 8, place[1] + 10, str(slot), "mono muted", draw.SMALL, "end"))
        if slot is None:
            labels.append(_dots(place[0] + w / 2, place[1] + h / 2))
        else:
            places[slot] = place
            lines[-1] += (slot,)

    def cells() -> tuple[Shape, ...]:
        return _cells(prefix, places, values, w, h, dots, dress, address=not dots)

    if not many:
        labels.append(draw.text(x, y + 16, "no slots", "muted"))
    bottom = y + max(1, -(-many // max(per, 1))) * fall + 20
    labels.append(draw.text(LEFT, bottom - 6, label, "muted", room=RIGHT - LEFT))
    return Board(tuple(labels), cells, places, tuple(lines), w, h, y, min(RIGHT, x + per * (w + gap)), bottom)


def _dress(reading: Reading, number: int, aliased: set[int]) -> str:
    if reading.repeats[number]:
        return "virtual"
    return "aliased" if reading.slots[number] in aliased else ""


def _side(drawn: int, columns: int, dots: bool) -> float:
    if dots:
        return max(6.0, min(14.0, 700 // max(columns, 1) - 1.0))
    fits = (RIGHT - LEFT - GUTTER) / max(columns, 1) - draw.GAP
    return float(max(18, min(draw.CELL if drawn <= PLENTY else 30, int(fits))))


def _offsets(indices: Sequence[int | None], pitch: float) -> list[Place]:
    return [(k * pitch, 0) for k in range(len(indices))]


def _wrapped(indices: Sequence[int | None], pitch: float, room: float) -> list[Place]:
    per = max(1, int(room // pitch))
    return [(k % per * pitch, k // per * (pitch + 4)) for k in range(len(indices))]


def _cells(prefix, places, values, w, h, dots, dress, address=False) -> tuple[Shape, ...]:
    if dots:
        finite = [v for v in values if not isinstance(v, complex) and isfinite(v)]
        low, high = min(finite, default=0), max(finite, default=0)
        return tuple(
            _dot(f"{prefix}{key}", x, y, w, h, value, low, high, dress(key))
            for (key, (x, y)), value in zip(places.items(), values, strict=True)
        )
    return tuple(
        draw.cell(f"{prefix}{key}", x, y, value, dress(key), w, h, 16 if h > 32 else 14, str(key) if address else "")
        for (key, (x, y)), value in zip(places.items(), values, strict=True)
    )


def _dot(id: str, x: float, y: float, w: float, h: float, value: Value, low: Value, high: Value, cls: str) -> Shape:
    """A cell too small for its number: the value as one of eight shades, what is no finite number as a mark of its own."""
    number = not isinstance(value, complex) and isfinite(value)
    shade = int(7 * (float(value) - float(low)) / ((float(high) - float(low)) or 1)) if number else 0
    return Shape(
        "rect", id, ("dot", f"shade{shade}" if number else "odd", *cls.split()),
        (("x", x), ("y", y), ("width", w), ("height", h)),
    )  # fmt: skip


def _dots(x: float, y: float) -> Shape:
    return draw.text(x, y + 5, "⋯", "muted", 18, "middle")
