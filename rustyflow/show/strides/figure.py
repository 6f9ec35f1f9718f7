"""show.strides: how a tensor and its views read one line of memory."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple

from ...claims.claim import equation
from ...errors import ArgumentValueError
from ...scene import Figure, Link, Links, Look, Scene, Shape, draw
from ...scene.draw import LEFT, RIGHT
from ...scene.measure import width
from ..kit.grids import TALL
from ..kit.line import mapped
from ..kit.reading import COLOURED, NUMBERED, Index, Reading, storages
from ..kit.story import Story
from ..source import Source, shares, source_of, storage_of, summary
from ..words.caller import caller_text
from ..words.given import Names, named, titled
from ..words.sentences import listed, many, names_in
from .axes import letters
from .board import AIR, Board, grids, tapes
from .change import Asked, asked, changed, parents
from .view import View, hop_links, slot_links, times
from .walk import MERGE, fails, grows, order, repeats

PREFIXES, TAPES = "abcdehijlmno", "stuvxyz"
"""The first letter of the ids of each tensor's cells, and of each storage's slots."""

CARD, TOP, LOW = 208, 8, 4
"""Width of the card of facts; where the grids of one tensor begin; the room below the tapes."""

LEAST = 0.65
"""How small a projector may draw what a step tells of: a cell, its slot far below, and the formula, all in sight."""

CHANGE = "shape", "stride", "storage_offset"
"""What one view may have otherwise than another."""

OTHERS = "the other", "any other"

SIZES = draw.FORMULA, draw.NUMBER, draw.LABEL
"""The sizes of a formula that has all the width."""

FEW = 64, 32
"""Up to so many cells have numbers in a figure that would be too high with more; and in one of long numbers."""


def strides(
    x: Any, *views: Any, view: Sequence[int] | int | None = None, names: Names = None, title: str | None = None,
) -> Figure:  # fmt: skip
    """Shows how tensors read their storage: memory as a tape, each tensor as a grid, cells joined to slots.

    Point at a cell to see the slot it reads and the sum; point at a slot to see every cell of every view that reads it.
    Of several views each step goes from one to the next: the tape stays, cells move to where they are read now.

    Args:
        x: a rustyflow tensor, a NumPy array or a PyTorch tensor, of any shape.
        views: more of them; those that share the storage of `x` share its tape, a copy gets a tape of its own.
        view: a shape: whether `x.view(shape)`, which NumPy calls `x.reshape(shape)`, can be without a copy; if not,
            which axes cannot merge, and what `reshape` copies.
        names: what to call them, ["x", "y"] or {"y": y}; default: the names in the calling line.
        title: the title; default: the tensors as the call has them, or the assignments of the same cell that made them.

    Raises:
        TypeError: an argument is no tensor or array; a name or a title that is no text. ValueError: another number of
        names than tensors; more tensors than one with `view`. ShapeError (a RuntimeError): a `view` of another number
        of cells.

    Example:
        >>> import rustyflow as rf
        >>> import numpy as np
        >>> x = np.arange(12).reshape(3, 4)
        >>> figure = rf.show.strides(x.T[1:, :2], names=["y"], title="y = x.T[1:, :2]")
        >>> print(figure.state(link="a5").sentence)
        y[2, 1] is slot 7, value 7; x sees it as x[1, 3].
        >>> figure.state(link="s7").classes["a5"]
        ('cell', 'lit')
    """
    tensors = (x, *views)
    caller, title = caller_text(tensors), titled(title)
    called = named(names, tensors, caller.names(tensors, "xyzuvw" if views else "xtyzuvw"))
    sources = list(map(source_of, tensors, called))
    others = [(name, v) for name, v in caller.variables.items() if shares(name, v, sources)]
    others = [(name, v) for name, v in others if not any(v is tensor for tensor in tensors)]
    also = {s.storage: [name for name, v in others if storage_of(v) == s.storage][:2] for s in sources}
    if view is not None:
        return _asked(sources, view, title, also, caller.letters(called) if names is None else ())
    title, programs = title or caller.title(called), caller.expressions
    kin = [source_of(v, name) for name, v in others if name != sources[0].name]
    alike = [source for source in kin if source.size == sources[0].size]
    origin = next((s for s in alike if programs[0].startswith((f"{s.name}.", f"{s.name}["))), None)
    if views:
        programs = [code or name for code, name in zip(programs, called)] if names is None else called
        origin = origin or next((s for s in (*alike, *sources) if s.storage == sources[0].storage and _whole(s)), None)
        return Figure(scene_of(sources, (), title, also, programs, origin=origin))
    also = {sources[0].storage: [s.name for s in kin if s not in alike][:2]}  # they see elements of another size
    # first the one that it was made of, then the one that reads all of the storage in order
    alike.sort(key=lambda s: (s is not origin, s.numel != s.size, not s.contiguous))
    return Figure(scene_of(sources, alike[:3], title, also, programs, origin=origin))


def _asked(
    sources: Sequence[Source], size: Sequence[int] | int, title: str | None, also: Mapping[tuple, Sequence[str]],
    stands: Sequence[str] = (),
) -> Figure:  # fmt: skip
    """Returns the figure of a tensor and the view that is asked for, or the copy in its place.

    `stands`: what the tensor's letter stands for.
    """
    if len(sources) > 1:
        was = f"view={size} with {len(sources)} tensors"
        raise ArgumentValueError(was, "one tensor is asked for a view", "show.strides(x, view=(2, 6))")
    got = asked(sources[0], size)
    title = title or ",  ".join([got.code, *filter(None, stands)])
    return Figure(scene_of([sources[0], got.source], (), title, also, wanted=got))


def scene_of(
    sources: Sequence[Source], kin: Sequence[Source] = (), title: str = "",
    also: Mapping[tuple, Sequence[str]] | None = None, programs: Sequence[str] = (), wanted: Asked | None = None,
    origin: Source | None = None,
) -> Scene:  # fmt: skip
    """The scene of some tensors; default title: their names.

    Other tensors on a storage are named without being drawn: `kin` on the one storage of one tensor, and seen where it
    reads the same; `also` on any, by its identity, by their names alone. `programs` say how each was made, and of
    which `origin`, that is not drawn, the first. The last of two may be what was `wanted` as a view of the first.
    """
    storages = dict.fromkeys(source.storage for source in sources)
    if len(sources) > len(PREFIXES) or len(storages) > len(TAPES):
        raise ArgumentValueError(
            f"{len(sources)} tensors with {len(storages)} storages",
            f"at most {len(PREFIXES)} tensors with {len(TAPES)} storages fit into one figure",
            "show fewer at once",
        )
    for source in sources:
        first = next(other for other in sources if other.storage == source.storage)
        if first.size != source.size:  # then they count its slots in elements of another size
            raise ArgumentValueError(
                f"{first.name} ({first.dtype}) and {source.name} ({source.dtype}) see one memory in elements of "
                "different sizes", "the slots of a tape are of one size: a stride counts elements",
                f"show.strides({first.name}) and show.strides({source.name})",
            )  # fmt: skip
    names = [source.name for source in sources]
    title = title or ",  ".join(names)
    others = [source.name for source in kin], *(also or {}).values()
    with draw.lettered(names_in([title, *names, *programs, *chain(*others)])):
        return StridesPicture(sources, kin, title, also or {}, programs or names, wanted, origin).scene()


def _differing(read: Mapping[View, Sequence[int]]) -> tuple[int, int]:
    """The number of views that read a slot, and the number of different cells as which they do."""
    return len(read), len(set(map(tuple, read.values())))


def _whole(source: Source) -> bool:
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
        bases = [source for source in kin[:1] if source is origin or _whole(source) and not _whole(sources[0])]
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
            self.tapes = storages(self.views, self.base.name if self.base and _whole(self.base) else "")
            for view, parent in zip(self.views, parents(programs, [source.name for source in sources]), strict=True):
                view.follow(self.views, parent, programs[view.number])
            self.shapes = tuple(self._draw())
            if self.height <= TALL:
                break
        self.links = tuple(self._point())

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
            shapes += line.shapes(f"p{n}")
        for n, (view, board) in enumerate(zip(self.views, way.boards, strict=True)):
            line = self.lines[self.tapes.index(view.storage)]
            view.place(board, line, way.boards, self.lines, way.low)
            shapes += board.shapes(f"g{n}")
        return [*shapes, *way.formulas, draw.arrow("w"), *(arc for view in self.views for arc in view.hops.values())]

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

    def _point(self) -> Iterator[Links]:
        """Lets cells light their slot and fill the formula, and slots light every cell that reads them."""
        for view in self.views:
            yield (cells := self._cell_links(view))
            yield from hop_links(view, cells)
        for line, storage in zip(self.lines, self.tapes, strict=True):
            yield slot_links(line, bool(self.kin or self.also.get(storage.source.storage)))

    def _cell_links(self, view: View) -> Links:
        links = {}
        for n, (cell, slot) in enumerate(view.slots.items()):
            value, seen = equation("", view.values[cell]), view.storage.seen(slot, view, self.kin_reads)
            args = ", ".join(map(str, cell)), slot, value, seen, view.arrows[cell], *cell
            named = {other: other.board[at] for other, at in reversed(view.storage.readers[slot]) if other is not view}
            links[n] = Link((view.board[cell], view.line[slot], *named.values()), args)
        here = (view.name, "[", 0, "]") if view.axes else (view.name,)
        sums = {2 * n + 2: (5 + dim, times(view.source.stride[dim])) for n, dim in enumerate(view.terms)}
        sums[2 * len(view.terms) + 2] = (1,)
        sets = {("w", "d"): (4,), (f"r{view.number}", "text"): (*here, " reads slot")}
        sets |= {(f"q{view.number}_{term}", "text"): parts for term, parts in sums.items()}
        rest = (*(id for other in self.views if other is not view for id in other.panel), *[MERGE] * self.unmet)
        sentence = *here, " is slot ", 1, ", value ", 2, 3, "."
        return Links(sentence, mapped(view.board.letter, links), sets, {"off": rest, "-off": view.panel})

    def scene(self) -> Scene:
        """Tells the whole, the memory, the way each view reads it, the order of reading, and what is shared."""
        story, first, last = Story(), self.views[0], self.views[-1]
        if some := any(view.cells for view in self.views):
            link, seen = self._differs()
            story.tell(self._whole() + seen, looks=last.focus, link=link)
        for view in self.views:
            story.later(f"g{view.number}", self._to_come(view))
            if view.founds:
                story.later(f"p{view.number}", self._to_grow(view))
            if view.copies and not view.board.small:
                rest = {(view.board[cell], "transform"): draw.place(*view.board.places[stored])
                        for cell, stored in view.copies.items()}  # fmt: skip
                story.later(f"v{view.number}", Look({"off": view.board.of(view.copies)}, rest))
        # before the first view comes there is only memory: none of it is hatched, and no arrow comes from a cell
        story.later("unread", Look({"-unread": tuple(id for line in self.lines for id in line.ids), "off": ("w",)}))
        if self.alone:
            story.later("facts", off=("k0", "f0"))
        if some:
            story.tell(self._memory())
        for view in self.views:
            if self.unmet and view.number:
                fails(story, first, self.wanted)
            self._tell(story, view)
        still = len(story.frames) - 1 if self.alone else -1
        if self.alone and len(first.cells) > 1:
            order(story, first)
            repeats(story, first)
        self._sharing(story, last)
        boards = [*(view.board for view in self.views), *self.lines]
        paths = tuple(board.path(board.rows) for board in boards)
        return Scene(
            self.title, 860, self.height, self.shapes, tuple(story.frames), self.links, paths, still=still,
            about=tuple(self._about()), least=LEAST, note=self._note(), flows={"": tuple(
                (view.line.letter, view.board.letter) for view in self.views if not view.board.small
            )},
        )  # fmt: skip

    def _to_come(self, view: View) -> Look:
        """Returns the look of a view before it comes.

        Its cells rest, unseen, where the tensor that it was made of has them, or on the slots they read, and move from
        there.

        What no view reads yet is hatched.
        """
        first = view.storage.readings[0] is view and view.number > 0
        readers = {} if first else view.storage.readers
        unread = view.line.of(slot for slot in readers if readers[slot][0][0] is view)
        places = {} if view.board.small else {view.board[cell]: view.origin(cell) for cell in view.slots}
        sets = {(id, "transform"): draw.place(*place) for id, place in places.items()}
        return Look({"off": (f"g{view.number}", *view.board.ids), "unread": unread}, sets)

    def _to_grow(self, view: View) -> Look:
        """Returns the look of a storage before it comes: its slots rest on those that they are copied from."""
        taken = {} if view.line.small or not view.taken or view.old.line.small else view.taken
        sets = {(view.line[slot], "transform"): draw.place(*view.old.line.places[was]) for slot, was in taken.items()}
        return Look({"off": (f"p{self.tapes.index(view.storage)}", *view.line.ids)}, sets)

    def _whole(self) -> str:
        """Says what the tensors share, so that a figure can be explored before it is stepped through."""
        last, held, size = len(self.views) - 1, len(self.tapes), many(self.views[0].source.size, "number")
        names = listed([view.name for view in self.views])
        if self.unmet:
            which = "{} and {} do not merge".format(*self.wanted.dims)
            if self.wanted.source.numpy:
                return f"{self.wanted.code} cannot be a view: axes {which}. It makes a copy instead."
            return f"{self.wanted.code} cannot be: dims {which}. {self.views[1].name} makes a copy instead."
        if last and held > last:
            return f"{names} have a storage each: what is written to one is not seen in {OTHERS[last > 1]}."
        if last and held > 1:
            return f"{names} have {held} storages: only some of them see the same numbers."
        if self.one:
            return f"{names} are names of one tensor: they read its storage of {size} in the same way."
        if last:
            if not all(view.source.numel for view in self.views):
                return f"{names} share one storage of {size}."
            ways = {(s.shape, s.stride, s.offset, s.dtype) for s in (view.source for view in self.views)}
            how = {1: f", {'all' if last > 1 else 'both'} in the same way", last + 1: ", each in its own way"}
            return f"{names} read one storage of {size}{how.get(len(ways), '')}."
        if self.base:
            return f"{names} is a view of {self.base.name}: a way of reading its storage of {size}."
        return f"{names} is a way of reading a storage of {size}."

    def _differs(self) -> tuple[str | None, str]:
        """A slot that views read as different cells, and the sentence for it; nothing where there is none.

        The story ends with the last such slot, and opens with the first.
        """
        first, last = self._shared()[0], self._shared()[-1]
        slot, cells, line = first
        if _differing(dict(cells))[1] < 2 or slot == last[0]:
            return None, ""
        return line[slot], f" Slot {slot} is {listed([view.called(cell) for view, cell in dict(cells).items()])}."

    def _shared(self) -> list[tuple[int, Sequence[tuple[View, Index]], Board | None]]:
        """The slots that most views read, of these those with most different cells; their readers and their tapes."""
        pairs = zip(self.tapes, self.lines, strict=True)
        read = [(slot, cells, line) for storage, line in pairs for slot, cells in storage.readers.items()]
        most = max((_differing(dict(cells)) for _, cells, _ in read), default=0)
        return [found for found in read if _differing(dict(found[1])) == most] or [(0, (), None)]

    def _memory(self) -> str:
        source, size = self.views[0].source, self.views[0].source.size
        owner = self.base or source
        if not size:
            return f"The storage of {owner.name} is empty: there is nothing to read."
        where = f"addresses 0 to {size - 1:,}" if size > 1 else "address 0"
        if owner.numel < size:
            return f"{owner.name} reads a storage of {many(size, 'number')}, one line of memory, at {where}."
        return f"{owner.name} keeps {many(size, 'number')} in one line of memory, its storage, at {where}."

    def _tell(self, story: Story, view: View) -> None:
        """Tells that a view comes: its first cell, what a step along each axis moves, then one cell in full."""
        come = f"g{view.number}", "unread"
        if view.founds:
            story.tell(grows(view, self._sharers(view)), f"p{view.number}")
        if not view.cells:
            story.tell(self._arrives(view), *come, "facts", looks=view.focus)
            return
        facts = [f"k{view.number}{word}" for word in self._moved(view)]
        story.tell(self._arrives(view), *come, looks=view.focus, lit=facts)
        first, last = view.cells[0], view.cells[-1]
        if view.copies:
            stored = len(view.cells) - len(view.copies)
            same = f"the same {stored} numbers are" if stored > 1 else "the same number is"
            sentence = f"Along {view.still()}, stride 0: {same} read again, dashed, and not stored again."
            story.tell(sentence, f"v{view.number}", looks=view.focus)
        if not view.brief and view.axes:
            sentence = f"The first cell, {view.called(first)}, reads slot {view.source.offset}: that is storage_offset."
            story.tell(sentence, "facts", link=view.board[first], looks=view.focus)
        for dim, cell in view.steps:
            link = view.hops[dim].id if dim in view.hops else view.board[cell]
            story.tell(view.step(dim), link=link, looks=view.focus)
        if first != last or not view.axes or view.brief:
            slot, value = view.slots[last], equation("", view.values[last])
            seen = view.storage.seen(slot, view, self.kin_reads)
            sentence = f"{view.called(last)} is slot {slot}, value {value}{seen}."
            story.tell(sentence, "facts", link=view.board[last], looks=view.focus)

    def _moved(self, view: View) -> list[str]:
        """Returns the words of the facts in which a view differs from the tensor that it was made of.

        Of a view with a new storage these are all.
        """
        if view.founds:
            return list(CHANGE)
        if view.old is None or view.old.storage is not view.storage:
            return []
        new, old = dict(self._facts(view)), dict(self._facts(view.old))
        return [word for word in CHANGE if new[word] != old[word]]

    def _arrives(self, view: View) -> str:
        source, shape = view.source, f"{view.name} has shape {view.source.shape}"
        if not source.numel:
            return f"{shape}: an axis of size 0 leaves no cells, so it reads nothing."
        if view.number and self.one:
            return f"{view.name} is another name for the same tensor: what is written to it is seen through both."
        if same := [v.name for v in self.views[: view.number] if v.source.of and v.source.of == source.of]:
            return f"{view.name} is another name for {same[0]}: what is written to it is seen through both."
        if view.number and view.old and view.old.storage is view.storage:
            return f"From {view.old.name} to {view.name}: {changed(source, view.old.source)}. Nothing is copied."
        if not source.shape:
            return f"{shape}: no axes, one cell."
        if view.number:
            one = ", one slot after the other" if source.contiguous and source.numel > 1 else ""
            return f"{view.name} reads it with shape {source.shape} and stride {source.stride}{one}."
        cells = f"each of its {many(source.numel, 'cell')}" if source.numel > 1 else "its one cell"
        return f"{shape}: {cells} reads one slot.{' Nothing was copied.' if self.base else ''}"

    def _sharing(self, story: Story, view: View) -> None:
        """Tells of a number that several tensors read, each as another cell where there is such a one.

        Of the numbers with most readers, and of those with most different cells, the last.
        """
        if self.kin and view.cells:
            names = listed([view.name, *(source.name for source in self.kin)])
            slot = view.slots[view.cells[len(view.cells) // 2]]
            read = {reading.source.name for reading, cells in self.kin_reads if slot in cells}
            seen = f"a number written to slot {slot} through one is seen through {OTHERS[len(self.kin) > 1]}"
            if not all(source.name in read or _whole(source) for source in self.kin):
                seen = "a number written to a slot is seen through all that read it"
            story.tell(f"{names} share this storage: {seen}.", link=view.line[slot])
            return
        slot, cells, _ = self._shared()[-1]
        if len(dict(cells)) > 1:  # more than one view
            seen = f"through one is seen through {OTHERS[len(cells) > 2]}"
            seen = "there is seen by all" if any(view.source.locked for view, _ in cells) else seen
            told = listed([view.called(cell) for view, cell in cells])
            sentence = f"Slot {slot} is read by {told}: a number written {seen}."
            story.tell(sentence, link=cells[0][0].line[slot], looks=view.focus)
