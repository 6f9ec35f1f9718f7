"""A tensor in the figure of strides: its axes, the sum from cell to slot, its origin, its links."""

from collections.abc import Iterator, Mapping, Sequence

from ...claims.claim import equation
from ...scene import Link, Links, Look, Shape, draw
from ...scene.measure import width
from ..kit.cells import Place
from ..kit.line import mapped
from ..kit.reading import AXES, Index, Reading
from ..source import Source
from ..words.sentences import indexed, listed, many
from .board import Board, arrows, hop
from .change import COPIES, Asked, order_of

ARROWS, TERMS = 12, 4
"""Most arrows from one slot; most terms of a formula of which no cell is drawn."""


class View(Reading):
    """One of the tensors.

    Attributes:
        panel: of several tensors, its card of facts and its formula; `focus` is the look in which they are seen.
        brief: the story leaves out the steps along its axes: it is one of many, or the first of two.
        steps: for each axis that the story walks, its dim and the cell one step from the first.
        terms: the dims of the terms of its formula; of many axes those of size 1 are left out.
        copies: the cells that stride 0 shows again, each with the stored one.
        board, line: its grid, and the tape of its storage. arrows: from each cell to its slot. hops: of the steps.
        old: what it was made of; with nothing told the one before it on its storage. taken: of a copy, the slot of
            that one which each slot was copied from.
    """

    old: "View | None" = None
    taken: Mapping[int, int] | None = None

    def __init__(self, number: int, of: int, source: Source, axes: Index, room: int, numbered: int):
        super().__init__(source, axes, room, numbered)
        self.number, self.name, rank = number, source.name, len(axes)
        self.panel = (f"k{number}", f"f{number}") if of > 1 else ()
        self.focus = (Look({"-off": self.panel}),)
        self.brief = of > 2 or number < of - 1
        units = [(dim, tuple(int(d == dim) for d in range(rank))) for dim in range(rank)]
        self.steps = [(dim, unit) for dim, unit in units if unit in self.slots and not self.brief]
        still = [d for d, step in enumerate(source.stride) if step == 0]
        first = {cell: tuple(0 if d in still else i for d, i in enumerate(cell)) for cell in self.cells if still}
        self.terms = self.live if rank > AXES and self.live is not None else range(min(rank, TERMS))
        self.copies = {cell: stored for cell, stored in first.items() if cell != stored and not self.small}

    @property
    def founds(self) -> bool:
        """True if it is the first of several on a storage, which comes with it."""
        return self.number > 0 and self.storage.readings[0] is self

    def follow(self, views: Sequence["View"], parent: int | None, program: str) -> None:
        """Finds what it was made of."""
        before = [view for view in views[: self.number] if view.storage is self.storage]
        self.old = views[parent] if parent is not None else before[-1] if before else None
        if self.old and self.old.storage is not self.storage:
            copied = COPIES.search(program[len(self.old.name) :])
            self.taken = order_of(self, self.old) if copied else None

    def origin(self, cell: Index) -> Place:
        """The place of a cell's origin: a cell of the older tensor with the same slot, or that slot."""
        slot, old = self.slots[cell], self.old
        if old and old.storage is self.storage and not old.board.small:
            seen = next((other for view, other in self.storage.readers[slot] if view is old), None)
            if seen is not None:
                return old.board.places[seen]
        return self.line.places[slot]

    def ink(self, dim: int) -> str:
        """The colour of an axis."""
        return f"ink{min(self.axes[dim], 4)}"

    def formula(self, room: float, sizes: Sequence[float]) -> tuple[float, tuple[Shape, ...]]:
        """The sum in symbols, in columns that stay when numbers come in, behind its width."""
        source, names = self.source, list(map(draw.letter_of, self.axes))
        terms = [(str(source.offset), len(str(source.offset)), "muted", "offset")]
        for dim in self.terms:
            n, step, name = source.shape[dim], source.stride[dim], names[dim]
            long = len(str(max(n - 1, 0))) + len(times(step))
            terms += [("+", 1, "muted", ""), (name + times(step), long, self.ink(dim), f"dim {dim}")]
        longest = max(4, *(len(str(slot)) for slot in self.slots.values() or [0]))
        terms += [("+ ...", 5, "muted", "")] * (self.live is None)
        terms += [("=", 1, "muted", ""), ("slot", longest, "lit-ink", "")]
        for size in sizes:
            shape, wide = draw.formula(f"q{self.number}_", 0, 0, terms, size)
            if wide <= room:
                break
        asks = f"{indexed(self.name, names)} reads slot"
        head = draw.text(0, -40, asks, "muted", draw.NUMBER, id=f"r{self.number}", room=room)
        return max(wide, width(asks, draw.NUMBER)), (head, shape)

    def place(self, board: Board, line: Board, boards: Sequence[Board], lines: Sequence[Board], floor: float) -> None:
        """Settles the grid, with arrows from cells to the tape, and arcs there for steps within a row."""
        self.board, self.line = board, line
        self.arrows = arrows(board, line, boards, lines, floor)
        self.hops: dict[int, Shape] = {}
        for dim, cell in self.steps:
            ends, by = (self.slots[self.cells[0]], self.slots[cell]), str(self.source.stride[dim])
            if arc := hop(line, *ends, by, f"hop{self.number}_{dim}", f"hop off {self.ink(dim)}"):
                self.hops[dim] = arc

    def still(self) -> str:
        """The axes along which it steps by 0: `j, dim 1`."""
        each = enumerate(zip(self.axes, self.source.stride, strict=True))
        return listed([f"{draw.letter_of(axis)}, dim {dim}" for dim, (axis, step) in each if step == 0])

    def equation(self, wanted: Asked, room: float, sizes: Sequence[float]) -> tuple[float, tuple[Shape, ...]]:
        """The equation that fails, behind its width: two axes merge only if strides agree."""
        (d, e), shape, stride = wanted.dims, self.source.shape, self.source.stride
        numbers = str(stride[d]), str(stride[e]), str(shape[e]), str(stride[e] * shape[e])
        looks = (self.ink(d), f"stride[{d}]"), (self.ink(e), f"stride[{e}]"), (self.ink(e), f"shape[{e}]"), ("warn", "")
        terms = [(number, len(number), *how) for number, how in zip(numbers, looks, strict=True)]
        for at, sign in ((3, "="), (2, "·"), (1, "≠")):
            terms.insert(at, (sign, 1, "warn" if sign == "≠" else "muted", ""))
        asks = f"to merge, stride[{d}] = stride[{e}] * shape[{e}]"
        for size in sizes:
            formula, wide = draw.formula("m", 0, 0, terms, size)
            if wide <= room:
                break
        head = draw.text(0, -40, asks, "muted", draw.NUMBER, room=room)
        return max(wide, min(room, width(asks, draw.NUMBER))), (head, formula)

    def step(self, dim: int) -> str:
        """The sentence for one step along an axis."""
        letter, by, n = draw.letter_of(self.axes[dim]), self.source.stride[dim], self.source.shape[dim]
        along = f"One step along {letter}, dim {dim}, moves "
        if by == 0:
            return along + f"0 slots: stride[{dim}] is 0, so all {n:,} positions read the same number."
        return along + f"{many(abs(by), 'slot')}{' back' if by < 0 else ''}: stride[{dim}] is {by}."


def times(step: int) -> str:
    """`·4`, and `·(-4)`."""
    return f"·{step}" if step >= 0 else f"·({step})"


def hop_links(view: View, cells: Links) -> Iterator[Links]:
    """One step along an axis: two cells, the arc between their slots instead of an arrow, and the cell's formula."""
    sets = {target: value for target, value in cells.sets.items() if target != ("w", "d")}
    for dim, cell in view.steps:
        if dim in view.hops:
            arc, first = view.hops[dim].id, view.cells[0]
            lights, args = cells.links[view.board[cell]]
            lights = view.board[first], view.line[view.slots[first]], *lights
            classes = {**cells.classes, "-off": (*view.panel, arc)}
            yield Links(view.step(dim), {arc: Link(lights, args)}, sets, classes)


def slot_links(line: Board, shared: bool = False) -> Links:
    """The links of slots to the cells that read them.

    Of a storage that is `shared`, others that are not drawn may read the rest.
    """
    storage, links = line.drawn, dict[int, Link]()
    names = [view.source.name for view in storage.readings]
    unread = f"is not read by {names[0]}" if len(names) == 1 else "is read by none of these"
    unread = unread if shared else "is never read"
    unread = unread if all(view.whole for view in storage.readings) else "is read by no cell drawn here"
    for slot, value in storage.values.items():
        cells = storage.readers.get(slot, [])
        sentence = f"is read by {listed([view.called(cell) for view, cell in cells])}" if cells else unread
        lights = line[slot], *(view.board[cell] for view, cell in cells)
        paths = "".join(view.arrows[cell] for view, cell in cells[:ARROWS])
        links[slot] = Link(lights, (slot, equation("", value), sentence, paths))
    return Links(("Slot ", 0, " holds ", 1, " and ", 2, "."), mapped(line.letter, links), {("w", "d"): (3,)})
