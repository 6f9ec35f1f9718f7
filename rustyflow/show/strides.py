"""show.strides: how a tensor and its views read one line of memory."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice, pairwise
from typing import Any, NamedTuple

from ..errors import ArgumentValueError
from ..layout import slots
from ..scene import Figure, Link, Links, Look, Scene, Shape, draw
from ..scene.draw import LEFT, RIGHT
from ..scene.measure import width
from .kit.board import AIR, PLENTY, Board, arrows, grids, hop, tapes
from .kit.reading import COLOURED, NUMBERED, Index, Reading, letters, storages
from .kit.story import Story
from .source import Source, shares, source_of, storage_of, summary
from .words.caller import Words, caller_text, given, titled
from .words.sentences import indexed, listed, many

PREFIXES, TAPES = "abcdehijlmno", "stuvxyz"
"""The first letter of the ids of each tensor's cells, and of each storage's slots."""

CARD, ARROWS = 200, 12
"""Width of the card of facts; most arrows from one slot."""

WALK = 6
"""How many slots of a walk are named."""

LEAST = 0.65
"""How small a projector may draw what a step tells of: a cell, its slot far below, and the formula, all in sight."""

OTHERS = "the other", "any other"


def strides(x: Any, *views: Any, names: Sequence[str] | None = None, title: str | None = None) -> Figure:
    """How tensors read their storage: memory as a tape, each tensor as a grid, the sum that leads from cell to slot.

    Point at a cell to see the slot it reads and the sum; point at a slot to see every cell of every view that reads it.

    Args:
        x: a rustyflow tensor, a NumPy array or a PyTorch tensor, of any shape.
        views: more of them; those that share the storage of `x` share its tape, a copy gets a tape of its own.
        names: what to call them; default: the names in the calling line.
        title: the program; default: the caller's own words.

    Raises:
        TypeError: an argument is no tensor or array. ValueError: more or fewer names than tensors.

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
    said = caller_text(len(tensors))
    likely = "xyzuvw" if views else "xtyzuvw"
    called = said.names(tensors, likely) if names is None else given(names, len(tensors))
    sources = [source_of(tensor, name) for tensor, name in zip(tensors, called, strict=True)]
    title = titled(title) or _title(said, called)
    others = [(name, v) for name, v in said.variables.items() if shares(name, v, sources)]
    others = [(name, v) for name, v in others if not any(v is tensor for tensor in tensors)]
    if views:
        also = {s.storage: [name for name, v in others if storage_of(v) == s.storage][:2] for s in sources}
        return Figure(scene_of(sources, (), title, also))
    kin = [source_of(v, name) for name, v in others if name != sources[0].name]
    kin.sort(key=lambda s: (s.numel != s.size, not s.contiguous))  # first the one that reads all of it in order
    return Figure(scene_of(sources, kin[:3], title))


def scene_of(
    sources: Sequence[Source], kin: Sequence[Source] = (), title: str = "",
    also: Mapping[tuple, Sequence[str]] | None = None,
) -> Scene:  # fmt: skip
    """The scene of some tensors; default title: their names.

    Other tensors on a storage are named without being drawn: `kin` on the one storage of one tensor, and seen where it
    reads the same; `also` on any, by its identity, by their names alone.
    """
    storages = dict.fromkeys(source.storage for source in sources)
    if len(sources) > len(PREFIXES) or len(storages) > len(TAPES):
        raise ArgumentValueError(
            f"{len(sources)} tensors with {len(storages)} storages",
            f"at most {len(PREFIXES)} tensors with {len(TAPES)} storages fit into one figure",
            "show fewer at once",
        )
    return _Picture(sources, kin, title or ",  ".join(source.name for source in sources), also or {}).scene()


def _title(said: Words, called: list[str]) -> str:
    programs = [program or name for program, name in zip(said.programs, called, strict=True)]
    for k, (argument, name) in enumerate(zip(said.arguments, called, strict=True)):
        if argument and argument != name:
            programs[k] = f"{name} = {argument}"
    return ",  ".join(programs[1:] if len(programs) == 2 and "=" in programs[1] else programs)


class _View(Reading):
    """One of the tensors.

    Attributes:
        panel: of several tensors, its card of facts and its formula; `focus` is the look in which they are seen.
        brief: the story leaves out the steps along its axes: it is one of many, or the first of two.
        steps: for each axis that the story walks, its dim and the cell one step from the first.
        board, line: its grid, and the tape of its storage. arrows: from each cell to its slot. hops: of the steps.
    """

    def __init__(self, number: int, of: int, source: Source, axes: Index, room: int):
        super().__init__(source, axes, room)
        self.number, self.name, rank = number, source.name, len(axes)
        self.panel = (f"k{number}", f"f{number}") if of > 1 else ()
        self.focus = (Look({"-off": self.panel}),)
        self.brief = of > 2 or number < of - 1
        units = [(dim, tuple(int(d == dim) for d in range(rank))) for dim in range(rank)]
        self.steps = [(dim, unit) for dim, unit in units if unit in self.slots and not self.brief]

    def ink(self, dim: int) -> str:
        """The colour of an axis."""
        return f"ink{min(self.axes[dim], 4)}"

    def formula(self, room: float) -> tuple[float, tuple[Shape, ...]]:
        """How wide it is, and the sum in symbols, in columns that keep their place when numbers come in."""
        source, names = self.source, [draw.LETTERS[axis % 8] for axis in self.axes]
        terms = [(str(source.offset), len(str(source.offset)), "muted", "offset")]
        for dim, (n, step, name) in enumerate(zip(source.shape, source.stride, names, strict=True)):
            long = len(str(max(n - 1, 0))) + len(_times(step))
            terms += [("+", 1, "muted", ""), (name + _times(step), long, self.ink(dim), f"dim {dim}")]
        longest = max(4, *(len(str(slot)) for slot in self.slots.values() or [0]))
        terms += [("=", 1, "muted", ""), ("slot", longest, "lit-ink", "")]
        for size in (30, 26, 22, 18):
            shape, wide = draw.formula(f"q{self.number}_", 0, 0, terms, size)
            if wide <= room:
                break
        asks = f"{indexed(self.name, names)} reads slot"
        head = draw.text(0, -42, asks, "muted", 16, id=f"r{self.number}", room=room)
        return max(wide, width(asks, 16)), (head, shape)

    def place(self, board: Board, line: Board, boards: Sequence[Board], lines: Sequence[Board], floor: float) -> None:
        """Settles the grid, with an arrow from each cell to the tape, and there an arc for each step within a row."""
        self.board, self.line = board, line
        self.arrows = arrows(board, line, boards, lines, floor)
        self.hops: dict[int, Shape] = {}
        for dim, cell in self.steps:
            ends, by = (self.slots[self.cells[0]], self.slots[cell]), str(self.source.stride[dim])
            if arc := hop(line, *ends, by, f"hop{self.number}_{dim}", f"hop off {self.ink(dim)}"):
                self.hops[dim] = arc

    def step(self, dim: int) -> str:
        """What one step along an axis moves."""
        letter, by, n = draw.LETTERS[self.axes[dim] % 8], self.source.stride[dim], self.source.shape[dim]
        along = f"One step along {letter}, dim {dim}, moves "
        if by == 0:
            return along + f"0 slots: stride[{dim}] is 0, so all {n:,} positions read the same number."
        return along + f"{many(abs(by), 'slot')}{' back' if by < 0 else ''}: stride[{dim}] is {by}."


def _times(step: int) -> str:
    """`·4`, and `·(-4)`."""
    return f"·{step}" if step >= 0 else f"·({step})"


class _Way(NamedTuple):
    """Where all stands that is above the tapes: how far down it goes, the grids, title and facts, the formulas."""

    low: float
    boards: list[Board]
    head: Sequence[Shape]
    formulas: Sequence[Shape]


class _Picture:
    """Facts, formulas and a grid for each view, and under them a tape for each storage."""

    def __init__(
        self, sources: Sequence[Source], kin: Sequence[Source], title: str, also: Mapping[tuple, Sequence[str]]
    ):
        self.kin, self.title, self.also, self.alone = kin, title, also, len(sources) == 1
        # facts and formulas of several tensors stand in one place: those of the one that is told of are seen
        self.aside = "aside" if self.alone else "aside off"
        total, axes = sum(source.numel for source in sources), letters([*kin[:1], *sources])[-len(sources) :]
        room = (NUMBERED if total <= NUMBERED else COLOURED) // (1 if total <= COLOURED else len(sources))
        pairs = enumerate(zip(sources, axes, strict=True))
        self.views = [_View(n, len(sources), source, own, room) for n, (source, own) in pairs]
        self.tapes = storages(self.views, kin[0].name if kin and kin[0].numel == sources[0].size else "")
        few = [Reading(source, (), COLOURED) for source in kin if source.numel <= COLOURED]
        self.kin_reads = [(reading, {s: c for c, s in reversed(reading.slots.items())}) for reading in few]
        self.shapes = tuple(self._draw())
        self.links = tuple(self._point())

    def _draw(self) -> list[Shape]:
        """All in the first way that a projector shows whole, else the lowest."""
        below, ways = tapes(self.tapes, TAPES, AIR)[-1].bottom + 8, []
        for way in self._ways():
            ways.append(way)
            if way.low + below <= draw.STAGE:
                break
        else:
            way = min(ways, key=lambda way: way.low)
        self.lines = tapes(self.tapes, TAPES, way.low + AIR)
        self.height = self.lines[-1].bottom + 8
        shapes = [*way.head]
        for n, line in enumerate(self.lines):
            shapes += line.shapes(f"p{n}")
        for n, (view, board) in enumerate(zip(self.views, way.boards, strict=True)):
            line = self.lines[self.tapes.index(view.storage)]
            view.place(board, line, way.boards, self.lines, way.low)
            shapes += board.shapes(f"g{n}")
        return [*shapes, *way.formulas, draw.arrow("w"), *(arc for view in self.views for arc in view.hops.values())]

    def _ways(self) -> Iterator[_Way]:
        """Ways to place what stands above the tapes, the roomiest first.

        One tensor has its facts beside its grid and formula; else they are a strip, with the formula beside the grids,
        above them, or beside a shorter strip.
        """
        note, all_room = self._note(), RIGHT - LEFT
        if self.alone:
            boards, bottom, right = grids(self.views, PREFIXES, 82)
            fit, formulas = self._formulas(160, RIGHT - right - CARD - 50, right + 36)
            if fit:
                facts = self._facts(self.views[0])
                head = [*draw.title(self.title, note), draw.card("k0", RIGHT - CARD, 82, facts, CARD, "aside")]
                yield _Way(max(bottom, 188, 100 + 26 * len(facts)) + 18, boards, head, formulas)
                return
        inline = width(self.title, 20, mono=True, bold=True) + width(note, draw.WORDS) + 20 <= all_room
        title, top = (draw.headed(self.title, note), 46.0) if inline else (draw.title(self.title, note), 70.0)
        head = [*title, *(self._strip(view, top, all_room) for view in self.views)]
        yield from self._beside(head, top, draw.CELL, 56)
        boards, bottom, _ = grids(self.views, PREFIXES, top + 164)
        yield _Way(bottom, boards, head, self._formulas(top + 120, all_room, LEFT)[1])
        if max(len(view.cells) for view in self.views) > PLENTY:  # too high in any way
            return
        narrow = [self._strip(view, top) for view in self.views]
        short = max(dict(strip.children[0].attrs)["width"] for strip in narrow)
        fit, formulas = self._formulas(top + 50, all_room - short - 24)
        for side in (42, 36, 32):
            yield from self._beside(head, top, side, 44)
            if fit:
                boards, bottom, _ = grids(self.views, PREFIXES, top + 88, side, 44)
                yield _Way(bottom, boards, [*title, *narrow], formulas)

    def _beside(self, head: Sequence[Shape], top: float, side: float, air: float) -> Iterator[_Way]:
        """The way with the formulas beside the grids, if they fit there."""
        boards, bottom, right = grids(self.views, PREFIXES, top + 70, side, air)
        fit, formulas = self._formulas(top + 148, RIGHT - right - 36, right + 36)
        if fit:
            yield _Way(max(bottom, top + 176), boards, head, formulas)

    def _formulas(self, y: float, room: float, x: float | None = None) -> tuple[bool, list[Shape]]:
        """Whether the formulas fit in some room, and they: from x on, or at the right edge."""
        made = [view.formula(room) for view in self.views]
        wide = max(wide for wide, _ in made)
        at = RIGHT - wide if x is None else x, y
        return wide <= room, [draw.group(f"f{n}", *parts, cls=self.aside, at=at) for n, (_, parts) in enumerate(made)]

    def _strip(self, view: _View, y: float, room: float = 0) -> Shape:
        """The facts as columns of a low card, over all of `room`; in no room only those the others do not say too."""
        facts = self._facts(view) if self.alone else [(view.name, view.source.dtype), *self._facts(view)]
        facts = facts if room else facts[:-1]
        wants = [max(width(word, draw.SMALL), width(value, 16, mono=True)) + 14 for word, value in facts]
        room = room or sum(wants) + 30
        spare = (room - 24 - sum(wants)) / len(facts)
        parts = [Shape("rect", cls=("panel",), attrs=(("width", room), ("height", 56), ("rx", 8)))]
        x = 16.0
        for (word, value), want in zip(facts, wants, strict=True):
            wide = want + spare
            pair = (draw.text(round(x, 1), 22, word, "muted", draw.SMALL, room=wide - 10),
                    draw.text(round(x, 1), 45, value, "mono strong", 16, room=wide - 10))  # fmt: skip
            parts.append(draw.group("", *pair))
            x += wide
        return draw.group(f"k{view.number}", *parts, cls=self.aside, at=(LEFT, y))

    def _facts(self, view: _View) -> list[tuple[str, str]]:
        """What the card says of a view."""
        source = view.source
        sharing = [other.name for other in view.storage.readings if other is not view]
        sharing += [*(other.name for other in self.kin), *self.also.get(source.storage, ())]
        return [
            ("shape", str(source.shape)),
            ("stride", str(source.stride)),
            ("storage_offset", str(source.offset)),
            ("contiguous", "yes" if source.contiguous else "no"),
            ("shares with", ", ".join(sharing) or "nobody"),
        ]

    def _note(self) -> str:
        source, n, held = self.views[0].source, len(self.views), len(self.tapes)
        if self.kin:
            note = f"a view of {self.kin[0].name}: nothing was copied"
        elif self.alone:
            note = f"{source.dtype}, shape {source.shape}"
        elif held == 1:
            note = f"{n} tensors, one storage: nothing was copied"
        else:
            note = f"{n} tensors, {held} storages{': nothing is shared' if held == n else ''}"
        return "; ".join([note, *self._summaries()])

    def _summaries(self) -> Iterator[str]:
        """What stands for the cells that are not drawn."""
        for view in self.views:
            if view.source.numel and not view.whole:
                facts = [f"{word} {value}" for word, value in summary(view.source)]
                yield ", ".join([f"{view.name}: the ends of each axis", *facts])

    def _about(self) -> Iterator[str]:
        """What the drawing shows in all frames, in words."""
        for view in self.views:
            if not self.alone:
                yield f"{view.name}:"
            yield from (f"{'' if self.alone else '  '}{word}: {value}" for word, value in self._facts(view))
        yield from self._summaries()

    def _point(self) -> Iterator[Links]:
        """Cells light their slot and fill the formula; slots light every cell that reads them."""
        for view in self.views:
            yield (cells := self._cell_links(view))
            yield from _hop_links(view, cells)
        yield from map(_slot_links, self.lines)

    def _cell_links(self, view: _View) -> Links:
        links = {}
        for cell, slot in view.slots.items():
            value, seen = draw.in_full(view.values[cell]), self._seen(view, slot)
            args = ", ".join(map(str, cell)), slot, value, seen, view.arrows[cell], *cell
            links[view.board[cell]] = Link((view.board[cell], view.line[slot]), args)
        here = (view.name, "[", 0, "]") if view.axes else (view.name,)
        sums = {2 * dim + 2: (5 + dim, _times(step)) for dim, step in enumerate(view.source.stride)}
        sums[2 * len(view.axes) + 2] = (1,)
        sets = {("w", "d"): (4,), (f"r{view.number}", "text"): (*here, " reads slot")}
        sets |= {(f"q{view.number}_{term}", "text"): said for term, said in sums.items()}
        rest = tuple(id for other in self.views if other is not view for id in other.panel)
        return Links((*here, " is slot ", 1, ", value ", 2, 3, "."), links, sets, {"off": rest, "-off": view.panel})

    def _seen(self, view: _View, slot: int) -> str:
        """`; x sees it as x[1, 3]` for every other tensor that reads the slot."""
        first: dict[Reading, Index] = {}
        for other, cell in view.storage.readers[slot]:
            first.setdefault(other, cell)
        first |= {other: cells[slot] for other, cells in self.kin_reads if slot in cells}
        told = [(r.source.name, r.called(cell)) for r, cell in first.items() if r is not view]
        return "".join(f"; {name} sees it as {cell}" for name, cell in told[:3])

    def scene(self) -> Scene:
        """The whole, the memory, how each view reads it, the order of reading, and what is shared."""
        story, first, last = Story(), self.views[0], self.views[-1]
        if some := any(view.cells for view in self.views):
            story.tell(self._whole(), looks=last.focus)
        for view in self.views:
            story.later(f"g{view.number}", self._to_come(view))
        # before the first view comes there is only memory: none of it is hatched
        story.later("unread", Look({"-unread": tuple(id for line in self.lines for id in line.ids)}))
        if self.alone:
            story.later("facts", off=("k0", "f0"))
        if some:
            story.tell(self._memory())
        for view in self.views:
            self._tell(story, view)
        still = len(story.frames) - 1 if self.alone else -1
        if self.alone and len(first.cells) > 1:
            self._order(story, first)
            self._repeats(story, first)
        self._sharing(story, last)
        boards = [*(view.board for view in self.views), *self.lines]
        paths = tuple(board.path(board.rows) for board in boards)
        return Scene(
            self.title, 860, self.height, self.shapes, tuple(story.frames), self.links, paths, still=still,
            about=tuple(self._about()), least=LEAST,
        )  # fmt: skip

    def _to_come(self, view: _View) -> Look:
        """A view that is not there yet: its cells rest, unseen, on the slots they read, and rise from there.

        The first view on a tape brings it, and what no view reads yet is hatched.
        """
        off, readers = [f"g{view.number}", *view.board.ids], view.storage.readers
        if view.number and view.storage.readings[0] is view:
            off += [f"p{self.tapes.index(view.storage)}", *view.line.ids]
        unread = view.line.of(slot for slot in readers if readers[slot][0][0] is view)
        places = {} if view.board.small else {view.board[cell]: view.line.places[s] for cell, s in view.slots.items()}
        sets = {(id, "transform"): draw.place(*place) for id, place in places.items()}
        return Look({"off": tuple(off), "unread": unread}, sets)

    def _whole(self) -> str:
        """All of it, so that a figure can be explored before it is stepped through."""
        last, held, size = len(self.views) - 1, len(self.tapes), many(self.views[0].source.size, "number")
        names = listed([view.name for view in self.views])
        if last and held > last:
            return f"{names} have a storage each: what is written to one is not seen in {OTHERS[last > 1]}."
        if last and held > 1:
            return f"{names} have {held} storages: only some of them see the same numbers."
        if last:
            return f"{names} read one storage of {size}, each in its own way."
        if self.kin:
            return f"{names} is a view of {self.kin[0].name}: a way of reading its storage of {size}."
        return f"{names} is a way of reading a storage of {size}."

    def _memory(self) -> str:
        source, size = self.views[0].source, self.views[0].source.size
        owner = self.kin[0].name if self.kin else source.name
        if not size:
            return f"The storage of {owner} is empty: there is nothing to read."
        where = f"addresses 0 to {size - 1:,}" if size > 1 else "address 0"
        return f"{owner} keeps {many(size, 'number')} in one line of memory, its storage, at {where}."

    def _tell(self, story: Story, view: _View) -> None:
        """A view comes: where its first cell is, what a step along each axis moves, one cell with everything in it."""
        come = f"g{view.number}", "unread"
        if not view.cells:
            story.tell(self._arrives(view), *come, "facts", looks=view.focus)
            return
        story.tell(self._arrives(view), *come)
        first, last = view.cells[0], view.cells[-1]
        if not view.brief and view.axes:
            sentence = f"The first cell, {view.called(first)}, reads slot {view.source.offset}: that is storage_offset."
            story.tell(sentence, "facts", link=view.board[first], looks=view.focus)
        for dim, cell in view.steps:
            link = view.hops[dim].id if dim in view.hops else view.board[cell]
            story.tell(view.step(dim), link=link, looks=view.focus)
        if first != last or not view.axes or view.brief:
            slot, value = view.slots[last], draw.in_full(view.values[last])
            sentence = f"{view.called(last)} is slot {slot}, value {value}{self._seen(view, slot)}."
            story.tell(sentence, "facts", link=view.board[last], looks=view.focus)

    def _arrives(self, view: _View) -> str:
        source, shape = view.source, f"{view.name} has shape {view.source.shape}"
        if not source.numel:
            return f"{shape}: an axis of size 0 leaves no cells, so it reads nothing."
        if not source.shape:
            return f"{shape}: no axes, one cell."
        if view.number and view.storage.readings[0] is view:
            return f"{view.name} has a storage of its own: what is written to it is seen through no other."
        if view.number:
            how = f"shape {source.shape} and stride {source.stride}"
            return f"{view.name} reads the same storage with {how}: nothing was copied."
        cells = f"each of its {many(source.numel, 'cell')}" if source.numel > 1 else "its one cell"
        return f"{shape}: {cells} reads one slot.{' Nothing was copied.' if self.kin else ''}"

    def _order(self, story: Story, view: _View) -> None:
        """The first cells in order, and hops between the slots they read."""
        source, line = view.source, view.line
        first = islice(slots(tuple(min(n, WALK) for n in source.shape), source.stride, source.offset), WALK)
        visits = f"visits slots {', '.join(map(str, first))}" + (", ..." if source.numel > WALK else "")
        order = "one after the other, so it is" if source.contiguous else "not one after the other, so it is not"
        walk = list(view.slots.items())[: WALK if view.whole else 0]
        lit = dict.fromkeys(id for cell, slot in walk for id in (view.board[cell], line[slot]))
        places = [line.places[slot] for _, slot in walk]
        hops = "" if line.small else "".join(draw.hop(a, b, line.w) for a, b in pairwise(places) if a != b)
        sentence = f"Read in order, {view.name} {visits}: {order} contiguous."
        story.tell(sentence, lit=lit, looks=[Look(sets={("w", "d"): hops})])

    def _repeats(self, story: Story, view: _View) -> None:
        """The slot that most cells of a view read, if any is read by several."""
        if view.aliased:
            readers = view.storage.readers
            slot = min(view.aliased, key=lambda slot: (-len(readers[slot]), slot))
            means = f"{view.name} looks like {view.source.numel} numbers, and reads only {many(len(readers), 'slot')}."
            means = means if view.whole else "written to through one of them, all change."
            cells = listed([view.called(cell) for _, cell in readers[slot]], 4)
            story.tell(f"Slot {slot} is read by {cells}: {means}", link=view.line[slot])

    def _sharing(self, story: Story, view: _View) -> None:
        """A number that several tensors read: of those that most read, the last."""
        if self.kin and view.cells:
            names = listed([view.name, *(source.name for source in self.kin)])
            slot = view.slots[view.cells[len(view.cells) // 2]]
            seen = f"a number written to slot {slot} through one is seen through {OTHERS[len(self.kin) > 1]}"
            story.tell(f"{names} share this storage: {seen}.", link=view.line[slot])
            return
        read = [(slot, cells) for storage in self.tapes for slot, cells in storage.readers.items()]
        slot, cells = max(reversed(read), key=lambda pair: len(dict(pair[1])), default=(0, ()))
        if len(dict(cells)) > 1:  # more than one view
            told, other = listed([view.called(cell) for view, cell in cells]), OTHERS[len(cells) > 2]
            sentence = f"Slot {slot} is read by {told}: a number written through one is seen through {other}."
            story.tell(sentence, link=cells[0][0].line[slot], looks=view.focus)


def _hop_links(view: _View, cells: Links) -> Iterator[Links]:
    """One step along an axis: two cells, the arc between their slots instead of an arrow, and the cell's formula."""
    sets = {target: said for target, said in cells.sets.items() if target != ("w", "d")}
    for dim, cell in view.steps:
        if dim in view.hops:
            arc, first = view.hops[dim].id, view.cells[0]
            lights, args = cells.links[view.board[cell]]
            lights = view.board[first], view.line[view.slots[first]], *lights
            classes = {**cells.classes, "-off": (*view.panel, arc)}
            yield Links(view.step(dim), {arc: Link(lights, args)}, sets, classes)


def _slot_links(line: Board) -> Links:
    storage, links = line.drawn, {}
    unread = "is never read" if all(view.whole for view in storage.readings) else "is read by no cell drawn here"
    for slot, value in storage.values.items():
        cells = storage.readers.get(slot, [])
        sentence = f"is read by {listed([view.called(cell) for view, cell in cells])}" if cells else unread
        lights = line[slot], *(view.board[cell] for view, cell in cells)
        paths = "".join(view.arrows[cell] for view, cell in cells[:ARROWS])
        links[line[slot]] = Link(lights, (slot, draw.in_full(value), sentence, paths))
    return Links(("Slot ", 0, " holds ", 1, " and ", 2, "."), links, {("w", "d"): (3,)})
