"""The strides figure: what stands where; what lights is in strides_links.py, the story in strides_story.py."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import count
from typing import NamedTuple

from ..errors import ArgumentValueError
from ..scene import Look, Shape, draw
from ..scene.measure import width
from .kit.board import LEFT, PLENTY, RIGHT, Board, arrow, grid, least, passing, tape
from .kit.reading import COLOURED, NUMBERED, Reading, follow, gaps, read, readers
from .source import Source, Value, summary
from .words.sentences import indexed, many

PREFIXES, TAPES = "abcdehijlmno", "stuvxyz"
CARD, ARROWS, AIR, APART = 200, 12, 42, 40
"""Width of the card of facts; most arrows from one slot; room for arrows above a tape; room between tapes in a line."""


class Way(NamedTuple):
    """Where all stands that is above the tapes: the grids, how far down it goes, the facts, the formulas."""

    boards: list[Board]
    low: float
    cards: list[Shape]
    formulas: list[Shape]


class Picture:
    """The drawing for some sources: boards for the views, tapes for the storages, a formula and a card for each view.

    Attributes the story reads: `sources`, `kin` (tensors of the caller that are not drawn but share the storage),
    `also` (in a figure of several tensors, by storage, the names of such ones),
    `readings`, `boards`, `tapes`, `tape_of` (number of the tape of each view), `readers` (per tape: slot to cells), and
    `looks`, where it keeps what several frames share.
    """

    def __init__(
        self, sources: Sequence[Source], kin: Sequence[Source], title: str,
        also: Mapping[tuple, Sequence[str]] | None = None,
    ):  # fmt: skip
        storages = list(dict.fromkeys(source.storage for source in sources))
        if len(sources) > len(PREFIXES) or len(storages) > len(TAPES):
            raise ArgumentValueError(
                f"{len(sources)} tensors with {len(storages)} storages",
                f"at most {len(PREFIXES)} tensors with {len(TAPES)} storages fit into one figure",
                "show fewer at once",
            )
        self.sources, self.kin, self.title, self.also = sources, kin, title, also or {}
        self.arrows: dict[tuple[int, int], str] = {}
        self.looks: dict[tuple[int, int | None], tuple[Look, ...]] = {}
        self.tape_of = [storages.index(source.storage) for source in sources]
        self.readings = self._read()
        self.readers = readers(self.readings, self.tape_of)
        self.aliased = [self._aliased(v) for v in range(len(sources))]
        self.values = [source.read(r.slots) for source, r in zip(sources, self.readings, strict=True)]
        self.kin_cells = [_first_readers(source) for source in kin]
        self._arrange()

    def _read(self) -> list[Reading]:
        total = sum(source.numel for source in self.sources)
        room = (NUMBERED if total <= NUMBERED else COLOURED) // (1 if total <= COLOURED else len(self.sources))
        fresh, readings = count(), []
        known: dict[tuple, tuple[Source, tuple[int, ...]]] = {}
        for source in (*self.kin[:1], *self.sources):
            axes = follow(known.get(source.storage), source, fresh)
            known.setdefault(source.storage, (source, axes))
            readings.append(read(source, axes, room))
        return readings[len(self.kin[:1]) :]

    def _aliased(self, view: int) -> set[int]:
        found = self.readers[self.tape_of[view]]
        return {slot for slot, cells in found.items() if sum(v == view for v, _ in cells) > 1}

    def cell(self, view: int, number: int) -> str:
        """The id of a cell."""
        return f"{PREFIXES[view]}{number}"

    def slot(self, view: int, slot: int) -> str:
        """The id of the slot of a view's storage."""
        return f"{TAPES[self.tape_of[view]]}{slot}"

    def hop(self, view: int, dim: int) -> str:
        """The id of the arc for one step along an axis."""
        return f"hop{view}_{dim}"

    def brief(self, view: int) -> bool:
        """Whether the story of a view leaves out the steps along its axes: it is one of many, or the first of two."""
        return len(self.sources) > 2 or len(self.sources) == 2 and view == 0

    def steps(self, view: int) -> list[tuple[int, int]]:
        """For each axis that can be walked, its dim and the number of the cell one step from the first."""
        rank, number = len(self.sources[view].shape), {cell: n for n, cell in enumerate(self.readings[view].cells)}
        steps = [(dim, tuple(int(d == dim) for d in range(rank))) for dim in range(rank) if not self.brief(view)]
        return [(dim, number[cell]) for dim, cell in steps if cell in number]

    def _hop(self, view: int, dim: int, number: int) -> Shape | None:
        """An arc from the slot of the first cell to that of the next along an axis, with the stride; within a row."""
        reading, line = self.readings[view], self.tapes[self.tape_of[view]]
        (x, y), (u, v) = (line.places[reading.slots[n]] for n in (0, number))
        if line.dots or y != v:
            return None
        aside = line.w / 4 if x == u else 0  # a stride of 0 comes back to where it began
        path = Shape("path", "", ("arrow",), (("d", draw.hop((x - aside, y), (u + aside, v), line.w)),))
        by = draw.text((x + u + line.w) / 2, y - 7, str(self.sources[view].stride[dim]), "mono", 16, "middle")
        return draw.group(self.hop(view, dim), path, by, cls=f"hop off ink{min(reading.axes[dim], 4)}")

    def called(self, view: int, number: int) -> str:
        """A cell as the program writes it: `y[2, 1]`."""
        return indexed(self.sources[view].name, self.readings[view].cells[number])

    def facts(self, view: int) -> list[tuple[str, str]]:
        """What the card says of a view."""
        source = self.sources[view]
        others = [s.name for v, s in enumerate(self.sources) if v != view and s.storage == source.storage]
        others += [*(s.name for s in self.kin), *self.also.get(source.storage, ())]
        return [
            ("shape", str(source.shape)),
            ("stride", str(source.stride)),
            ("storage_offset", str(source.offset)),
            ("contiguous", "yes" if source.contiguous else "no"),
            ("shares with", ", ".join(others) or "nobody"),
        ]

    def formula(self, view: int, room: float) -> tuple[Shape, float]:
        """The sum of a view in symbols, in columns that keep their place when numbers come in."""
        source, axes = self.sources[view], self.readings[view].axes
        widest = max(4, *(len(str(s)) for s in self.readings[view].slots or [0]))
        for size in (30, 26, 22, 18):
            terms = [(str(source.offset), len(str(source.offset)), "muted", "offset")]
            for dim, (n, step, axis) in enumerate(zip(source.shape, source.stride, axes, strict=True)):
                by = f"·{step}" if step >= 0 else f"·({step})"
                term = draw.LETTERS[axis % 8] + by, len(str(max(n - 1, 0))) + len(by), f"ink{min(axis, 4)}"
                terms += [("+", 1, "muted", ""), (*term, f"dim {dim}")]
            terms += [("=", 1, "muted", ""), ("slot", widest, "lit-ink", "")]
            shape, wide = draw.formula(f"q{view}_", 0, 0, terms, size)
            if wide <= room:
                break
        letters = ", ".join(draw.LETTERS[axis % 8] for axis in axes)
        asks = f"{source.name}[{letters}] reads slot" if source.shape else f"{source.name} reads slot"
        head = draw.text(0, -42, asks, "muted", 16, id=f"r{view}", room=room)
        return draw.group(f"f{view}", head, shape, at=(0, 0)), max(wide, width(asks, 16))

    def _arrange(self) -> None:
        """Facts, formulas and grids in the first way a projector shows whole, else the lowest; under them the tapes."""
        self.held: list[dict[int, Value]] = []
        below = self._tapes(0)[-1].bottom + AIR
        ways = list(self._ways())
        lowest = min(ways, key=lambda way: way.low)
        way = next((way for way in ways if way.low + below + 8 <= draw.STAGE), lowest)
        self.boards, self.floor, self.cards = way.boards, way.low, way.cards
        self.beside = [passing(self.boards, view) for view in range(len(self.sources))]
        self.roof = self.floor + AIR
        self.tapes = self._tapes(self.roof)
        parts: list[Shape] = []
        for number, line in enumerate(self.tapes):
            parts += [draw.group(f"p{number}", *line.labels), *line.cells()]
        for view, board in enumerate(self.boards):
            parts += [draw.group(f"g{view}", *board.labels), *board.cells()]
        self.height = self.tapes[-1].bottom + 8
        head = draw.headed(self.title, self._note()) if self.inline else draw.title(self.title, self._note())
        steps = [(view, *step) for view in range(len(self.sources)) for step in self.steps(view)]
        self.hops = [hop for step in steps if (hop := self._hop(*step))]
        self.shapes = (*head, *self.cards, *parts, *way.formulas, draw.arrow("w"), *self.hops)

    def _ways(self) -> Iterator["Way"]:
        """Ways to place what stands above the tapes, the roomiest first.

        One tensor has its facts beside its grid and formula; else they are a strip, with the formula beside the grids,
        above them, or beside a shorter strip.
        """
        views, self.inline = range(len(self.sources)), False
        if len(views) == 1:
            boards, bottom, right = self._boards(82)
            room = RIGHT - right - 36
            made = self.formula(0, room - CARD - 14)
            if made[1] <= room - CARD - 14:
                facts = self.facts(0)
                cards = [draw.card("k0", RIGHT - CARD, 82, facts, CARD, "aside")]
                low = max(bottom, 188, 82 + 26 * len(facts) + 18) + 18
                yield Way(boards, low, cards, self._formulas([made], right + 36, 160))
                return
        self.inline = width(self.title, 20, mono=True, bold=True) + width(self._note(), draw.WORDS) + 20 <= RIGHT - LEFT
        top = 46.0 if self.inline else 70.0
        strips = [self._strip(v, top, RIGHT - LEFT) for v in views]
        boards, bottom, right = self._boards(top + 70)
        made = [self.formula(v, RIGHT - right - 36) for v in views]
        if max(wide for _, wide in made) <= RIGHT - right - 36:
            yield Way(boards, max(bottom, top + 176), strips, self._formulas(made, right + 36, top + 148))
        else:
            made = [self.formula(v, RIGHT - LEFT) for v in views]
            boards, bottom, _ = self._boards(top + 164)
            yield Way(boards, bottom, strips, self._formulas(made, LEFT, top + 120))
        if max(len(reading.cells) for reading in self.readings) > PLENTY:  # too high in any way
            return
        narrow = [self._strip(v, top, 0) for v in views]
        short = max(dict(strip.children[0].attrs)["width"] for strip in narrow)
        for side in (42, 36, 32):
            boards, bottom, right = self._boards(top + 70, side, 44)
            made = [self.formula(v, RIGHT - right - 36) for v in views]
            if right <= RIGHT and max(wide for _, wide in made) <= RIGHT - right - 36:
                yield Way(boards, max(bottom, top + 176), strips, self._formulas(made, right + 36, top + 148))
            made = [self.formula(v, RIGHT - LEFT - short - 24) for v in views]
            widest = max(wide for _, wide in made)
            if widest <= RIGHT - LEFT - short - 24:
                boards, bottom, right = self._boards(top + 88, side, 44)
                yield Way(boards, bottom, narrow, self._formulas(made, RIGHT - widest, top + 50))

    def _formulas(self, made: Sequence[tuple[Shape, float]], x: float, y: float) -> list[Shape]:
        hide = ("aside",) if len(self.sources) == 1 else ("aside", "off")
        return [shape._replace(attrs=(("transform", draw.place(x, y)),), cls=hide) for shape, _ in made]

    def _boards(self, top: float, side: float = draw.CELL, air: float = 56) -> tuple[list[Board], float, float]:
        boards: list[Board] = []
        x, y, low, right = float(LEFT), top, top, float(LEFT)
        for view, reading in enumerate(self.readings):
            name = self.sources[view].name if len(self.sources) > 1 else ""
            made = self._board(view, reading, x, y, name, side)
            under = self._board(view, reading, LEFT, low + 26, name, side) if x > LEFT else made
            if made.right > RIGHT or made.bottom > under.bottom:
                x, y, made = LEFT, low + 26, under
            boards.append(made)
            x, low, right = made.right + air, max(low, made.bottom), max(right, made.right)
        return boards, low, right

    def _board(self, view: int, reading: Reading, x: float, y: float, name: str, side: float) -> Board:
        return grid(reading, PREFIXES[view], self.values[view], self.aliased[view], x, y, name, side)

    def _strip(self, view: int, y: float, room: float) -> Shape:
        """The facts as columns of a low card, over all of `room`; in no room only those the others do not say too."""
        one = len(self.sources) == 1
        facts = [(self.sources[view].name, self.sources[view].dtype)] * (not one) + self.facts(view)
        facts = facts if room else facts[:-1]
        wants = [max(width(word, draw.SMALL), width(value, 16, mono=True)) + 14 for word, value in facts]
        room = room or sum(wants) + 30
        spare = (room - 24 - sum(wants)) / len(facts)
        parts = [Shape("rect", cls=("panel",), attrs=(("width", room), ("height", 56), ("rx", 8)))]
        x = 16.0
        for (word, value), wide in zip(facts, wants, strict=True):
            wide += spare
            pair = (draw.text(round(x, 1), 22, word, "muted", draw.SMALL, room=wide - 10),
                    draw.text(round(x, 1), 45, value, "mono strong", 16, room=wide - 10))  # fmt: skip
            parts.append(draw.group("", *pair))
            x += wide
        return draw.group(f"k{view}", *parts, cls="aside" if one else "aside off", at=(LEFT, y))

    def _tapes(self, y: float) -> list[Board]:
        """The storages, beside each other where they fit, else under each other."""
        made = [self._tape(number) for number in range(len(self.readers))]
        self.held = [held for *_, held in made]
        wants = [least(shown, tuple(held.values()), label) for shown, _, label, held in made]
        spare = RIGHT - LEFT - sum(wants) - APART * (len(made) - 1)
        slots = sum(len(shown) for shown, *_ in made)
        tapes, x = [], float(LEFT)
        for number, ((shown, dress, label, held), want) in enumerate(zip(made, wants, strict=True)):
            room = round(want + spare * len(shown) / max(slots, 1), 1) if spare >= 0 else RIGHT - LEFT
            tapes.append(tape(shown, TAPES[number], tuple(held.values()), dress, label, y, x, x + room))
            x, y = (x + room + APART, y) if spare >= 0 else (x, tapes[-1].bottom + AIR)
        return tapes

    def _tape(self, number: int) -> tuple[list[int | None], Callable[[int], str], str, dict[int, Value]]:
        """What a tape shows: slots, how each looks, the words under it, the numbers held."""
        view = self.tape_of.index(number)
        source, found = self.sources[view], self.readers[number]
        room = COLOURED if len(found) > NUMBERED or NUMBERED < source.size <= COLOURED else NUMBERED
        shown = gaps(list(found), source.size, room)
        slots = [slot for slot in shown if slot is not None]
        names = [s.name for v, s in enumerate(self.sources) if self.tape_of[v] == number]
        owner = self.kin[0].name if self.kin and self.kin[0].numel == source.size else names[0]
        twice = set().union(*(self.aliased[v] for v, t in enumerate(self.tape_of) if t == number))

        def dress(slot: int) -> str:
            return "aliased" if slot in twice else "" if slot in found else "unread"

        label = f"storage of {owner}: {many(source.size, f'{source.dtype} number')}"
        return shown, dress, label, dict(zip(slots, source.read(slots), strict=True))

    def _note(self) -> str:
        first = self.sources[0]
        shared = sum(source.storage == first.storage for source in self.sources)
        if len(self.sources) > 1 and shared == len(self.sources):
            note = f"{shared} tensors, one storage: nothing was copied"
        elif len(self.sources) > 1:
            apart = ": nothing is shared" if len(self.readers) == len(self.sources) else ""
            note = f"{len(self.sources)} tensors, {len(self.readers)} storages{apart}"
        else:
            note = f"{first.dtype}, shape {first.shape}"
            if self.kin:
                note = f"a view of {self.kin[0].name}: nothing was copied"
        return "; ".join([note, *self.summaries()])

    def summaries(self) -> list[str]:
        """What stands for the cells that are not drawn."""
        said = []
        for source, reading in zip(self.sources, self.readings, strict=True):
            if source.numel and not reading.whole:
                facts = ", ".join(f"{word} {value}" for word, value in summary(source))
                said.append(f"{source.name}: the ends of each axis{', ' * bool(facts)}{facts}")
        return said

    def seen(self, view: int, slot: int) -> str:
        """`; x sees it as x[1, 3]` for every other tensor that reads the slot."""
        cells = [c for c in self.readers[self.tape_of[view]].get(slot, []) if c[0] != view]
        first = {v: n for v, n in reversed(cells)}
        others = [(self.sources[v].name, self.called(v, first[v])) for v in sorted(first)]
        for source, found in zip(self.kin, self.kin_cells, strict=True):
            if slot in found:
                others.append((source.name, indexed(source.name, found[slot])))
        return "".join(f"; {name} sees it as {cell}" for name, cell in others[:3])

    def arrow(self, view: int, number: int, slot: int) -> str:
        """The path from a cell to a slot."""
        if (view, number) not in self.arrows:
            tape_of = self.tape_of[view]
            line = self.tapes[tape_of]
            above = [other for other in self.tapes[:tape_of] if other.bottom < line.bottom]
            board, beside = self.boards[view], self.beside[view]
            self.arrows[view, number] = arrow(board, number, line, slot, self.floor, self.roof, above, beside)
        return self.arrows[view, number]


def _first_readers(source: Source) -> dict[int, tuple[int, ...]]:
    if source.numel > COLOURED:
        return {}
    reading = read(source, (), COLOURED)
    return dict(zip(reversed(reading.slots), reversed(reading.cells), strict=True))
