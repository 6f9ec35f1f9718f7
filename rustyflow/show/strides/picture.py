"""The picture of show.strides: facts, formulas and a grid for each view, and under them a tape for each storage."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import NamedTuple

from ...scene import Shape, draw
from ...scene.draw import LEFT, RIGHT
from ...scene.measure import width
from ..kit.grids import TALL
from ..kit.reading import COLOURED, NUMBERED, Reading, storages
from ..source import Source, summary
from .axes import letters
from .board import AIR, Board, grids, tapes
from .change import Asked, parents
from .view import View
from .walk import MERGE

PREFIXES, TAPES = "abcdehijlmno", "stuvxyz"
"""The first letter of the ids of each tensor's cells, and of each storage's slots."""

CARD, TOP, LOW = 208, 8, 4
"""Width of the card of facts; where the grids of one tensor begin; the room below the tapes."""

CHANGE = "shape", "stride", "storage_offset"
"""What one view may have otherwise than another."""

SIZES = draw.FORMULA, draw.NUMBER, draw.LABEL
"""The sizes of a formula that has all the width."""

FEW = 64, 32
"""Up to so many cells have numbers in a figure that would be too high with more; and in one of long numbers."""


def whole(source: Source) -> bool:
    """True if a tensor reads all of its storage, in order."""
    return source.numel == source.size and source.contiguous


class _Way(NamedTuple):
    """A placing of all that is above the tapes: its lower end, the grids, title and facts, the formulas."""

    low: float
    boards: list[Board]
    head: Sequence[Shape]
    formulas: Sequence[Shape]


class StridesPicture:
    """Facts, formulas and a grid for each view, and under them a tape for each storage."""

    def __init__(
        self, sources: Sequence[Source], kin: Sequence[Source], title: str, also: Mapping[tuple, Sequence[str]],
        programs: Sequence[str], wanted: Asked | None, origin: Source | None,
    ):  # fmt: skip
        self.kin, self.title, self.also, self.alone, self.wanted = kin, title, also, len(sources) == 1, wanted
        # what it is a view of: as the program says, or what reads all of the storage
        bases = [source for source in kin[:1] if source is origin or whole(source) and not whole(sources[0])]
        self.base = next(iter(bases), None)
        origin = self.base or origin
        # facts and formulas of several tensors stand in one place: those of the one that is told of are seen
        self.aside = "aside" if self.alone else "aside off"
        total, axes = sum(source.numel for source in sources), letters([*[origin] * bool(origin), *sources])
        axes = axes[-len(sources) :]
        if not self.base:  # of one that is not drawn no letter is left out
            used = sorted(set(chain(*axes)))
            axes = [tuple(map(used.index, numbers)) for numbers in axes]
        room = (NUMBERED if total <= NUMBERED else COLOURED) // (1 if total <= COLOURED else len(sources))
        few = [Reading(source, (), COLOURED) for source in kin if source.numel <= COLOURED]
        self.kin_reads = [(reading, {s: c for c, s in reversed(reading.slots.items())}) for reading in few]
        for numbered in (NUMBERED, *FEW):  # what would be too high with numbers in all cells is drawn in shades
            pairs = enumerate(zip(sources, axes, strict=True))
            self.views = [View(n, len(sources), source, numbers, room, numbered) for n, (source, numbers) in pairs]
            self.tapes = storages(self.views, self.base.name if self.base and whole(self.base) else "")
            for view, parent in zip(self.views, parents(programs, [source.name for source in sources]), strict=True):
                view.follow(self.views, parent, programs[view.number])
            self.shapes = tuple(self._draw())
            if self.height <= TALL:
                break

    def _draw(self) -> list[Shape]:
        """Draws all in the first way that is low, else in the lowest."""
        sides, ways = (draw.CELL, draw.LITTLE), []
        for side in sides:
            below = tapes(self.tapes, TAPES, AIR, side)[-1].bottom + LOW
            ways += [(way.low + below, side, way) for way in self._ways(side)]
        tries = (way for tall in (draw.STAGE, TALL) for way in ways if way[0] <= tall)
        _, side, way = next(tries, min(ways, key=lambda way: way[0]))
        self.lines = tapes(self.tapes, TAPES, way.low + AIR, side)
        self.height = self.lines[-1].bottom + LOW
        shapes = [*way.head]
        for n, line in enumerate(self.lines):
            shapes += line.pieces(f"p{n}")
        for n, (view, board) in enumerate(zip(self.views, way.boards, strict=True)):
            line = self.lines[self.tapes.index(view.storage)]
            view.place(board, line, way.boards, self.lines, way.low)
            shapes += board.pieces(f"g{n}")
        hops = (arc for view in self.views for arc in view.hops.values())
        return [*shapes, *way.formulas, draw.group("", draw.arrow("w"), *hops, cls="between")]

    def _ways(self, side: float) -> Iterator[_Way]:
        """Yields ways to place what stands above the tapes, the roomiest first.

        One tensor has its facts beside its grid and formula; else they are a strip, with the formula beside the grids,
        above them, or beside a shorter strip.
        """
        all_room, formula = RIGHT - LEFT, TOP + 78
        if self.alone:
            boards, bottom, right = grids(self.views, PREFIXES, TOP, side)
            fit, formulas = self._formulas(formula, RIGHT - right - CARD - 50, right + 36)
            facts = self._facts(self.views[0])
            card = draw.card("k0", RIGHT - CARD, TOP, facts, CARD, "aside")
            low = TOP + 18 + 26 * len(facts)
            if fit:
                yield _Way(max(bottom, formula + 28, low) + 14, boards, [card], formulas)
            fit, under = self._formulas(low + 64, RIGHT - right - 36, right + 36)
            if fit:
                yield _Way(max(bottom, low + 92) + 14, boards, [card], under)
        head = [self._strip(view, TOP, all_room) for view in self.views]
        yield from self._beside(head, side, 56)
        boards, bottom, _ = grids(self.views, PREFIXES, 168, side)
        yield _Way(bottom, boards, head, self._formulas(128, all_room, LEFT, SIZES)[1])
        narrow = [self._strip(view, TOP) for view in self.views]
        short = max(dict(strip.children[0].attrs)["width"] for strip in narrow)
        fit, formulas = self._formulas(60, all_room - short - 24)
        yield from self._beside(head, side, 44)
        if fit:
            boards, bottom, _ = grids(self.views, PREFIXES, 96, side, 44)
            yield _Way(bottom, boards, narrow, formulas)

    def _beside(self, head: Sequence[Shape], side: float, air: float) -> Iterator[_Way]:
        """The way with the formulas beside the grids, if they fit there."""
        boards, bottom, right = grids(self.views, PREFIXES, 80, side, air)
        fit, formulas = self._formulas(156, RIGHT - right - 36, right + 36)
        if fit:
            yield _Way(max(bottom, 184), boards, head, formulas)

    def _formulas(
        self, y: float, room: float, x: float | None = None, sizes: Sequence[float] = (draw.FORMULA, draw.NUMBER)
    ) -> tuple[bool, list[Shape]]:  # fmt: skip
        """Returns True if the formulas fit in some room, and the formulas: from `x` on, or at the right edge."""
        formulas = {view.panel[1] if view.panel else "f0": view.formula(room, sizes) for view in self.views}
        if self.unmet:
            formulas[MERGE] = self.views[0].equation(self.wanted, room, sizes)
        wide = max(wide for wide, _ in formulas.values())
        at = RIGHT - wide if x is None else x, y
        return wide <= room, [draw.group(id, *parts, cls=self.aside, at=at) for id, (_, parts) in formulas.items()]

    @property
    def one(self) -> bool:
        """True for one tensor under several names."""
        return not self.alone and len({view.source.of or view for view in self.views}) == 1

    @property
    def unmet(self) -> bool:
        """True if a view was wanted that cannot be."""
        return self.wanted is not None and self.wanted.dims is not None

    def _strip(self, view: View, y: float, room: float = 0) -> Shape:
        """Draws the facts as columns of a low card, over all of `room`.

        Without a room the card is as wide as its facts, and leaves out whom the view shares its storage with.
        """
        facts = self._facts(view) if self.alone else [(view.name, view.source.dtype), *self._facts(view)]
        facts = facts if room else facts[:-1]
        bold = {"mono": True, "bold": True}
        wants = [max(width(word, draw.LABEL), width(value, draw.NUMBER, **bold)) + 16 for word, value in facts]
        room = room or sum(wants) + 30
        while sum(wants) > room - 24:  # what is long is cut
            wants[wants.index(max(wants))] -= 8
        spare = (room - 24 - sum(wants)) / len(facts)
        parts = [Shape("rect", cls=("panel",), attrs=(("width", room), ("height", 56), ("rx", 8)))]
        x = 16.0
        for (word, value), want in zip(facts, wants, strict=True):
            wide, named = want + spare, f"k{view.number}{word}" if word in CHANGE else ""
            pair = (draw.text(round(x, 1), 22, word, "muted", draw.LABEL, room=wide - 10),
                    draw.text(round(x, 1), 45, value, "mono strong", draw.NUMBER, room=wide - 8, id=named))  # fmt: skip
            parts.append(draw.group("", *pair))
            x += wide
        return draw.group(f"k{view.number}", *parts, cls=self.aside, at=(LEFT, y))

    def _facts(self, view: View) -> list[tuple[str, str]]:
        """Returns the facts of a view: words and values, for the card."""
        source = view.source
        return [
            ("shape", str(source.shape)),
            ("stride", str(source.stride)),
            ("storage_offset", str(source.offset)),
            ("contiguous", "yes" if source.contiguous else "no"),
            ("shares with", ", ".join(self._sharers(view)) or "nobody"),
        ]

    def _sharers(self, view: View) -> list[str]:
        """The names of the others on its storage, drawn or not."""
        drawn = [other.name for other in view.storage.readings if other is not view]
        return [*drawn, *(other.name for other in self.kin), *self.also.get(view.source.storage, ())]

    def _note(self) -> str:
        source, n, held = self.views[0].source, len(self.views), len(self.tapes)
        distinct = len({view.source.of or view for view in self.views})
        tensors = f"{n} tensors" if distinct == n else f"{distinct} tensors with {n} names"
        if self.base:
            note = f"a view of {self.base.name}: nothing was copied"
        elif self.alone:
            note = f"{source.dtype}, shape {source.shape}"
        elif self.one:
            note = f"one tensor with {n} names: nothing was copied"
        elif held == 1:
            note = f"{tensors}, one storage: nothing was copied"
        else:
            other = " between them" if any(self.also.values()) else ""  # with one that is not drawn something may be
            note = f"{tensors}, {held} storages{f': nothing is shared{other}' * (held == distinct)}"
        return "; ".join([note, *self._summaries()])

    def _summaries(self) -> Iterator[str]:
        """Yields a summary of each view of which not all cells are drawn."""
        for view in self.views:
            if view.source.numel and not view.whole:
                facts = [f"{word} {value}" for word, value in summary(view.source)]
                ends = ["the ends of each axis"] * (view.live is not None)
                yield f"{view.name}: {', '.join([*ends, *facts] or ['no cells are drawn'])}"

    def _about(self) -> Iterator[str]:
        """Yields the lines of text for what the drawing shows in all frames."""
        for view in self.views:
            if not self.alone:
                yield f"{view.name}:"
            yield from (f"{'' if self.alone else '  '}{word}: {value}" for word, value in self._facts(view))
        yield from self._summaries()
