"""The picture of operands that meet: their grids, the cells that light together, and the story of both ways."""

from collections.abc import Iterator, Sequence
from math import isfinite, prod

from ...claims.claim import equation, worked
from ...claims.tree import added, floats
from ...errors import ArgumentValueError
from ...scene import Look, Scene, Shape, draw
from ...scene.draw import LEFT, RIGHT
from ...scene.measure import shorten, width
from ..kit.alignment import Index
from ..kit.cells import Cells, Place
from ..kit.grids import BESIDE, OPERANDS, chosen
from ..kit.line import BACKWARD, FORWARD, Pointed, flow
from ..kit.reading import COLOURED
from ..kit.story import Story
from ..kit.table import Table
from ..kit.tracked import Opens
from ..source import Source, Value, summary, unasked
from ..words.sentences import SYMBOLS, arriving, indexed, listed, many
from .elementwise import Elementwise, floating
from .layout import AIR, LINE, LOW, NAMED, SIGN, TABLE, Wanted, sized

ADDED = 4
"""The most shares of a sum of which each is a step of the story."""

SENDS = "Backward: point at a gradient that arrives to see where it goes, at a number to see its sum."


class BroadcastPicture:
    """A grid for each operand and for the result, and under them the table of shapes, or the way back.

    Grids stay where they are when the figure is turned over: the gradient that arrives stands in the place of the
    result, and what each cell is sent under the values, with the sums at the edges.
    """

    def __init__(self, table: Table, sources: Sequence[Source], arrives: Source | None, backward: bool):
        self.table, self.met, self.made_up = table, table.met, arrives is None
        backward = backward and any(map(floating, sources))
        arrives_as = arriving([table.title, table.result])
        every = [k for k, source in enumerate(sources) if floating(source) and self.met.repeated(k)]
        self._settle(sources, every if backward else None, ())
        self.computed = computed = Elementwise(sources, table.op, self.met, list(self.plan.grid.places), arrives_as)
        if self.plan.whole and not self.plan.dots:
            if backward:
                computed.differentiate(arrives)
            if arrives and not computed.two_sided:
                rule, write = "a gradient arrives where one flows", "leave upstream out"
                raise ArgumentValueError(f"upstream= for op={table.op!r}, which has no gradient", rule, write)
        self.flows = [k for k in computed.operands if computed.totals[k] is not None]
        self.summed = [k for k in self.flows if self.met.repeated(k)]
        shown = [*computed.values, *computed.totals, *(computed.back if computed.two_sided else ())]
        numbers = [value for some in shown if some for value in some.values()]
        sums = [computed.sum(k, index) for k in self.flows for index in computed.readers[k]]
        pieces = ((head, "".join(rest)) for head, *rest in sums)
        longest = tuple(max(map(len, some)) for some in zip(*pieces)) or (1, 1)
        self._settle(sources, self.summed if computed.two_sided else None, numbers, longest)
        self.back = computed.two_sided and not self.plan.dots
        if not self.back:
            self.flows, self.summed = [], []
        letters = (*OPERANDS[: len(sources)], "r")
        self.grids = self._placed(letters, self.layout.homes)
        self.results = self.grids[-1]
        returns = [*self.layout.returns, self.layout.homes[-1]]
        self.shares = self._placed([f"g{letter}" for letter in letters], returns)
        self.margins = {k: self.wanted.edge(k, self.plan) for k in self.summed}
        self.shapes = tuple(self._draw())
        self.links = self._point().links

    def _settle(
        self, sources: Sequence[Source], summed: Sequence[int] | None, numbers: Sequence[Value],
        pieces: tuple[int, int] = (1, 1),
    ) -> None:  # fmt: skip
        """Settles for a size of cells in which these numbers can be read, and for places of the grids."""
        facts = sum(source.numel > 64 for source in sources) if prod(self.met.shape) > COLOURED else 0
        below = self.table.height + 24 * facts
        self.wanted = Wanted(self.met, [source.grad for source in sources], summed, pieces, below)
        self.plan, self.layout = chosen(self.met.shape, numbers, self.wanted.together, self.wanted.apart)

    def _placed(self, letters: Sequence[str], homes: Sequence[Place]) -> list[Cells]:
        return [
            Cells(letter, {cell: (x + dx, y + dy) for cell, (dx, dy) in self.plan.grid.places.items()})
            for letter, (x, y) in zip(letters, homes)
        ]

    def _stored(self, k: int, cell: Index) -> str:
        """The id of the number of an operand that a cell reads."""
        return self.grids[k][self.met.first(k, cell)]

    def _sums(self, cell: Index) -> list[str]:
        """The ids of the sums to which what a cell sends is added."""
        return [f"s{self._stored(k, cell)}" for k in self.summed]

    def _draw(self) -> list[Shape]:
        computed, layout, last = self.computed, self.layout, len(self.computed.names)
        hidden, shapes = "unless-g" * self.back, []
        self.noted: dict[int, float] = {}
        for k, name in enumerate(computed.names):
            shapes.append(draw.group("", *self._around(layout.homes[k], name, k), *self._cells(k), cls="piece"))
        if layout.apart:
            shapes = [draw.group("", *shapes, cls=hidden)]
        around = self._around(layout.homes[-1], computed.result)
        result = draw.group("", *around, *self._cells(last), cls="piece")
        shapes.append(draw.group("GR", result, draw.group("", *self._signs(), cls="between"), cls=hidden))
        lines = [len("".join(pieces)) for pieces in computed.lines.values()]
        y, size = layout.end + LINE, sized(max(lines, default=1), layout.width - 2 * LEFT)
        shapes.append(draw.group("", flow(*FORWARD, x=LEFT, y=y, size=size), cls=f"aside {hidden}"))
        self.table.top = y + TABLE
        summaries, low = ([], self.table.bottom) if self.plan.whole else self._summaries(self.table.bottom)
        shapes += [draw.group("", *self.table.rows(), cls=f"piece {hidden}"),
                   draw.group("", *self.table.said(), cls=f"aside {hidden}"), draw.group("", *summaries, cls="aside")]
        self.height: float | dict[str, float] = low + LOW
        if not self.back:
            return shapes
        self.height = {"": self.height, "g": layout.low + LOW}
        x, y, size = layout.formula
        ends = BACKWARD[:1], BACKWARD[1:]
        rows = ends if layout.lines == 2 else (BACKWARD,)
        sums = [flow(*row, x=x, y=y + n * 1.5 * size, size=size) for n, row in enumerate(rows)]
        back = [*self._backward(), draw.group("", *sums, cls="aside")]
        return [*shapes, draw.group("B", *back, cls="when-g")]

    def _backward(self) -> Iterator[Shape]:
        """Yields the gradient that arrives, the grids of what each cell is sent, and the sums."""
        computed, plan = self.computed, self.plan
        for k, (x, y) in enumerate([*self.layout.returns, self.layout.homes[-1]]):
            last = k == len(computed.names)
            head = f"upstream {computed.arrives}" if last else self._gets(k, self._room(k))
            drawn = [draw.text(x, y - 10, head, "mono strong grad-ink", draw.NUMBER, room=self._room(k)),
                     *self._headers((x, y))]  # fmt: skip
            if last or k in self.flows:
                numbers = list(computed.back[k].values())
                copies = [not last and self.met.first(k, cell) != cell for cell in computed.cells]
                cls = ["grad virtual" if copy else "grad" for copy in copies]
                drawn += self.shares[k].draw(numbers, plan.wide, plan.side, self._size, cls)
            if k in self.summed:
                drawn.append(self._margin(k))
            yield draw.group("", *drawn, cls="piece")

    def _room(self, k: int = -1) -> float:
        """The room of a heading; that of the sums of an operand ends where they do."""
        plan, grid, layout = self.plan, self.plan.grid, self.layout
        if self._beside(k):
            return grid.w + BESIDE + plan.wide - self._grad(k) - AIR
        return grid.w + layout.gap - 12 if layout.beside else RIGHT - LEFT - SIGN

    def _around(self, home: Place, name: str, k: int | None = None) -> list[Shape]:
        """The name above a grid, of operand k with its shape, and the headers of its blocks."""
        (x, y), room = home, self._room()
        if k is None and self.layout.beside:
            room = self.layout.width - LEFT - x
        parts = [draw.text(x, y - 10, name, "mono strong", draw.NUMBER, room=room)]
        wide = width(shorten(name, room, draw.NUMBER, mono=True, bold=True), draw.NUMBER, mono=True, bold=True)
        if k is not None and (left := room - wide - 12) > NAMED / 2:
            self.noted[k] = left
            told = shorten(f"as {self.met.shape}", left, draw.LABEL, mono=True)
            parts.append(draw.text(x + wide + 12, y - 10, told, "mono muted" + " unless-g" * self.back, id=f"N{k}"))
        parts += self._headers(home, k)
        return parts if self.computed.cells else [*parts, draw.text(x, y + 14, "no cells", "muted")]

    def _headers(self, home: Place, k: int | None = None) -> list[Shape]:
        """The headers of a grid's blocks, and marks where cells are left out."""
        (x, y), grid = home, self.plan.grid
        ids = [f"H{k}_{n}h" if k is not None and self.met.repeated(k) else "" for n in range(len(grid.headers))]
        parts = [draw.text(x + a, y + b, header, "mono muted", id=id) for id, (a, b, header) in zip(ids, grid.headers)]
        return [*parts, *(draw.text(x + a, y + b, "⋯", "muted", draw.NUMBER, "middle") for a, b in grid.gaps)]

    def _gets(self, k: int, room: float) -> str:
        """The heading of an operand's grid on the backward side, with the rule where there is room for it."""
        name, rule = self.computed.names[k], self.computed.program(k)
        if k not in self.flows:
            return f"{name}: no gradient"
        heads = f"{name} gets {rule}", f"{name}'s share"
        if k not in self.summed and not self.computed.partly(k):
            heads = f"{self.computed.grads[k]} = {rule}", self.computed.grads[k]
        return heads[0] if rule and width(heads[0], draw.NUMBER, mono=True, bold=True) <= room else heads[1]

    def _cells(self, k: int) -> list[Shape]:
        """The cells of operand k, or of the result: dashed where they are read again, and not stored."""
        plan, grid, values = self.plan, self.grids[k], list(self.computed.values[k].values())
        virtual = [grid is not self.results and not self.computed.is_stored(k, cell) for cell in grid]
        if plan.dots:
            return grid.dots(values, plan.side, virtual)
        return grid.draw(values, plan.wide, plan.side, self._size, ["virtual" * copy for copy in virtual])

    @property
    def _size(self) -> float:
        """The size of type of numbers in cells."""
        return draw.NUMBER if self.plan.side >= draw.CELL else draw.LABEL

    def _beside(self, k: int) -> bool:
        """True if the sums of an operand stand at the right of its grid, and not below it."""
        return k in self.margins and self.margins[k][1]

    def _grad(self, k: int) -> float:
        """The room for the name of an operand's sums."""
        return min(NAMED, width(self.computed.grads[k], draw.NUMBER, mono=True, bold=True) + 1)

    def _margin(self, k: int) -> Shape:
        """The gradient of an operand: the sums over its copies, at the edge of what they are sent."""
        computed, side, wide = self.computed, self.plan.side, self.plan.wide
        (x, y), (spots, beside) = self.layout.returns[k], self.margins[k]
        totals = [computed.totals[k][self.met.feed(k, cell)] for cell in spots]
        faces, size = draw.fitted(totals, wide - 6, self._size)
        cells = [
            draw.cell(f"s{self.grids[k][cell]}", x + a, y + b, face, "grad", wide, side, size)
            for (cell, (a, b)), face in zip(spots.items(), faces)
        ]
        if k == self.summed[0]:  # one of its numbers grows while the story adds up
            own = f"s{self._stored(k, self._sample)}"
            cells = [cell if cell.id != own else cell._replace(
                children=(cell.children[0], cell.children[1]._replace(id=f"n{own}"))) for cell in cells]  # fmt: skip
        at, anchor = (x + self.plan.grid.w + BESIDE + wide, y - 10), "end"
        if not beside:
            low = max(b for _, b in spots.values())
            at, anchor = (x + max(a for a, _ in spots.values()) + wide + 8, y + low + side / 2 + 6), "start"
        name, ink = computed.grads[k], "mono strong grad-ink"
        return draw.group(f"S{k}", *cells, draw.text(*at, name, ink, draw.NUMBER, anchor, room=self._grad(k)))

    def _signs(self) -> list[Shape]:
        """The operation between the grids, if it is a symbol, and an equals sign."""
        layout, parts = self.layout, []
        between = [SYMBOLS.get(self.computed.op, "")] * (len(self.computed.names) - 1)
        for (x, y), sign in zip(layout.homes[1:], [*between, "="]):
            at = x - (layout.gap / 2 if layout.beside else SIGN - 14), y + self.plan.grid.h / 2 + 8
            parts.append(draw.text(*at, sign, "muted", draw.FORMULA, "middle"))
        return parts

    def _summaries(self, y: float) -> tuple[list[Shape], float]:
        """The facts about operands of which not all cells are drawn, from `y` on, and where they end."""
        parts = []
        for source in self.computed.sources:
            facts = "; ".join(f"{word} {value}" for word, value in summary(source))
            if source.numel > 64 and facts:
                y += 24
                summed_up = f"{source.name}: {source.numel:,} numbers; {facts}"
                parts.append(draw.text(LEFT, y, summed_up, "muted", room=RIGHT - LEFT))
        return parts, y

    def _sends(self, cell: Index) -> str:
        """Says what the gradient sends that arrives at a result cell."""
        up = equation(indexed(self.computed.arrives, cell), self.computed.back[-1][cell])
        return f"{up}, which arrives at this result cell, sends {self.computed.sent(cell)}."

    def _point(self) -> Pointed:
        """Lets result cells light what they read, stored cells their readers, copies and sums their owners."""
        pointed, computed = Pointed(4 * self.back), self.computed
        for cell in computed.cells:
            here = [grid[cell] for grid in self.grids]
            stored, sent_to = [self._stored(k, cell) for k in computed.operands], []
            if self.back:  # above are the values that are multiplied, below what is sent
                sent_to = [*here, *(self.shares[k][cell] for k in (*self.flows, -1)), *self._sums(cell)]
            line, back = computed.lines[cell], self._sends(cell) if self.back else ""
            for id in (self.results[cell], *([self.shares[-1][cell]] if self.back else ())):
                pointed.at(id, [*here, *stored], line, lights_back=sent_to, sentence=computed.meets(cell),
                           sentence_back=back)  # fmt: skip
        for k in computed.operands:
            for index, readers in computed.readers[k].items():
                self._point_at_stored(pointed, k, index, readers)
                for cell in () if self.plan.dots else readers[1:]:
                    self._point_at_copy(pointed, k, cell)
        return pointed

    def _point_at_stored(self, pointed: Pointed, k: int, index: Index, readers: Sequence[Index]) -> None:
        """Lets a stored cell, and the sum at the edge, light all that reads it and is added up."""
        computed, name = self.computed, indexed(self.computed.names[k], index)
        times, by = computed.read_by(k, index, self.plan.whole)
        sentence = f"{equation(name, computed.values[k][readers[0]])} is read {times}{by}."
        back, sentence_back = (), f"{name} gets no gradient."
        if k in self.flows:
            back, why = computed.sum(k, index), "Read once, so nothing is summed"
            if computed.partly(k):
                why = "Read once from here, so nothing is summed"
            if k in self.summed:
                axes = "axis" if len(self.met.repeated(k)) == 1 else "axes"
                why = f"Summed over {computed.along(k)}, the {axes} along which {computed.names[k]} was repeated"
            sentence_back = f"{why}: {''.join(back)}."
        stored = self.grids[k][readers[0]]
        lights = [stored, *self.results.of(readers), *(() if self.plan.dots else self.grids[k].of(readers))]
        ids = [stored]
        if self.back and k in self.flows:
            ids += [self.shares[k][readers[0]], *([f"s{stored}"] if k in self.summed else [])]
        turned = [*ids, *(self.shares[-1].of(readers) if self.back else ())]
        turned += self.shares[k].of(readers) if k in self.flows else ()
        for id in ids:
            pointed.at(id, lights, (), back, lights_back=turned, sentence=sentence, sentence_back=sentence_back)

    def _point_at_copy(self, pointed: Pointed, k: int, cell: Index) -> None:
        """Lets a virtual copy light the stored cell that it is, and the result cell that reads it there."""
        computed, name, where = self.computed, self.computed.names[k], indexed("", cell)
        stored, copy, read = self._stored(k, cell), self.grids[k][cell], computed.named(k, cell)
        pieces = f"{name} at {where} is ", equation(read, computed.values[k][cell])
        stride = "strides" if len(self.met.repeated(k)) > 1 else "stride"
        sentence = f"{name}'s cell at {where} is virtual: {stride} 0 along {computed.along(k)}, reads {read} again."
        sentence_back, ids, turned = f"{name} gets no gradient.", [copy], [copy]
        if self.back:
            turned += [self.shares[-1][cell], *([f"s{stored}"] if k in self.summed else [])]
        if self.back and k in self.flows:
            share, grad = equation("", computed.back[k][cell]), indexed(computed.grads[k], self.met.feed(k, cell))
            sentence_back = f"{name}'s virtual cell at {where} is sent {share}, which is added to {grad}."
            ids.append(self.shares[k][cell])
        for id in ids:
            pointed.at(id, [copy, self.results[cell], stored], pieces, lights_back=[*turned, *ids],
                       sentence=sentence, sentence_back=sentence_back)  # fmt: skip

    def opens(self) -> Iterator[Opens]:
        """Yields the cells with what each opens: its value, on the backward side the gradient of that."""
        computed = self.computed
        for cell in computed.cells:
            for grid in (self.shares[-1], self.results) if self.back else ():
                yield Opens(grid[cell], "g", -1, cell, True)
            yield Opens(self.results[cell], "", -1, cell)
        for k in computed.operands:
            for index, readers in computed.readers[k].items():
                drawn, stored = readers[:1] if self.plan.dots else readers, self.grids[k][readers[0]]
                if k in self.flows:
                    sums = [f"s{stored}"] if k in self.summed else []
                    for id in (*sums, *self.shares[k].of(drawn), *self.grids[k].of(drawn)):
                        yield Opens(id, "g", k, index, True)
                for id in self.grids[k].of(drawn):
                    yield Opens(id, "", k, index)

    def scene(self) -> Scene:
        """Tells the whole, the rules, the repeats of operands, a few cells, and the way back."""
        computed, table, story, about, still = self.computed, self.table, Story(), self.table.about(), -1
        either = " or ".join(dict.fromkeys(computed.names)) if len(computed.names) < 4 else "an operand"
        shape = f"{computed.result} has shape {self.met.shape}"
        turned = SENDS + " What arrives is made up here." * self.made_up
        if computed.cells:
            point = f": point at a cell of it to see what it reads, at one of {either} to see who reads it"
            sentence = f"{shape}{point}."
            story.tell({"": sentence, "g": turned} if self.back else sentence, picture=point)
        table.later(story)
        self._later(story)
        table.tell(story, self.summed if self.back else None)
        self._stretch(story)
        if computed.cells:
            still = self._read(story)
            self._turn(story)
        if self.back:
            forward = f"{shape}: each of its cells reads one number of {listed(computed.names)}."
            story.two_sided(self.links, forward, turned)
            about += ("the gradients that arrive are made up: upstream= gives others",) * self.made_up
        grids = [self.results, *self.shares[-1:] * self.back, *self.grids[:-1], *(self.shares[k] for k in self.flows)]
        linked = {id for family in self.links for id in family.links}
        paths = [
            grid.path([cell for cell in row if grid[cell] in linked] for row in self.plan.grid.rows)
            for grid in grids
        ]
        paths = [tuple(filter(None, path)) for path in paths if path]
        return Scene(
            table.title, self.layout.width, self.height, self.shapes, tuple(story.frames),
            self.links if computed.cells else (), tuple(paths), {"g": "backward"} if self.back else {}, still, about,
            note=table.note, flows=self._flows(),
        )  # fmt: skip

    def _flows(self) -> dict[str, tuple[tuple[str, str], ...]]:
        """The ways of numbers: from operands to the result, and back to the operands and their sums."""
        letters = OPERANDS[: len(self.computed.names)]
        back = [("gr", f"g{letters[k]}") for k in self.flows]
        back += [(f"g{letters[k]}", f"s{letters[k]}") for k in self.summed]
        return {"": tuple((letter, "r") for letter in letters), **({"g": tuple(back)} if back else {})}

    def _later(self, story: Story) -> None:
        """Lets all wait: copies stand on the stored cells, and nothing has been read, sent or summed."""
        met = self.met
        for k, source in enumerate(self.computed.sources):
            grid, moved = self.grids[k], {}
            if k in self.noted:
                moved[f"N{k}", "text"] = shorten(str(source.shape), self.noted[k], draw.LABEL, mono=True)
            if met.repeated(k):
                moved |= {(f"H{k}_{n}h", "text"): own(header, [draw.letter_of(d) for d in met.repeated(k)])
                          for n, (_, _, header) in enumerate(self.plan.grid.headers)}  # fmt: skip
            copies = [cell for cell in grid if met.first(k, cell) != cell]
            for cell in () if self.plan.dots else copies:
                moved[grid[cell], "transform"] = draw.place(*grid.places[met.first(k, cell)])
            story.later(f"G{k}", Look({"off": grid.of(copies)}, moved))
        story.later("cells", off=("GR",))
        if self.back:
            margins = [f"S{k}" for k in self.summed]
            shares = [id for k in self.flows for id in self.shares[k].ids]
            story.later("shares", back=True, waiting=shares, off=margins)
            for k in self.summed:
                story.later(f"S{k}", back=True, waiting=[f"s{self.grids[k][cell]}" for cell in self.margins[k][0]])

    def _stretch(self, story: Story) -> None:
        """Tells how each operand is read as the whole shape."""
        for k, source in enumerate(self.computed.sources):
            if self.met.repeated(k):
                story.tell(f"{source.name} is read as {self.met.shape}: {self.computed.read_again(k)}.", f"G{k}")

    @property
    def _sample(self) -> Index:
        """A cell that is not in a corner where that can be had: (1, 2) of (3, 4)."""
        wanted = tuple(min(1 + (d == self.met.rank - 1), n - 1) for d, n in enumerate(self.met.shape))
        return wanted if wanted in self.results.places else self.computed.cells[0]

    def _read(self, story: Story) -> int:
        """Tells two cells and a number that is read again, and returns the number of the second cell's frame."""
        computed, sample, first = self.computed, self._sample, self.computed.cells[0]
        if sample != first:
            reads = listed([computed.named(k, first) for k in computed.operands])
            sentence = f"Each cell of {computed.result} reads one number of each: {reads} for the first."
            story.tell(sentence, "cells", link=self.results[first])
        still = len(story.frames)
        story.tell(computed.meets(sample), "cells", link=self.results[sample])
        side = computed.choice(sample)
        other = (cell for cell in computed.cells if side is not None and computed.choice(cell) != side)
        if cell := next(other, None):  # a masked or clipped cell, or one that is not
            story.tell(computed.meets(cell), "cells", link=self.results[cell])
        for k in list(filter(self.met.repeated, computed.operands))[:1]:
            place = f"as {computed.names[k]} " * computed.shared(k)
            by = f"{many(self.met.times(k), 'cell')} of the result, along {computed.along(k)}"
            story.tell(f"{computed.named(k, sample)} is read {place}by {by}.", link=self._stored(k, sample))
        return still

    def _turn(self, story: Story) -> None:
        """Tells what arrives, what it sends, what is summed, and over which axes."""
        computed, met, names, sample = self.computed, self.met, self.computed.names, self._sample
        if not self.back:
            most = max(computed.operands, key=met.times)
            if met.times(most) > 1 and not self.plan.whole or self.plan.dots:
                sent = f"{met.times(most):,} gradients"
                story.tell(f"Backward, each number of {names[most]} is sent {sent}, and gets their sum.")
            return
        made_up = ": numbers made up here, unless you give yours with upstream=" if self.made_up else ""
        upstream = f"an upstream gradient, {computed.arrives}{made_up}."
        upstream += unasked(computed.sources[k] for k in self.flows)
        story.tell(f"Backward: each cell of {computed.result} receives {upstream}", back=True)
        sentence = f"Each sends its share back to what it read: {computed.sent(sample)}."
        story.tell(sentence, "shares", link=self.results[sample], back=True)
        for k, name in enumerate(names):
            if k not in self.flows:
                kind = "a Python number" if computed.sources[k].number else computed.sources[k].dtype
                why = "here: it only chooses" if floating(computed.sources[k]) else f": it is {kind}"
                story.tell(f"{name} has no gradient {why}.".replace(" :", ":"), back=True)
            elif k in self.summed:
                times, total = met.times(k), equation("", computed.totals[k][met.feed(k, sample)])
                if k == self.summed[0] and times <= ADDED:
                    self._add(story, k, met.feed(k, sample))
                gets = "from here it gets" if computed.partly(k) else "it gets"
                sentence = f"was read {times} times, so {gets} the sum of {times} gradients: {total}"
                story.tell(f"{computed.named(k, sample)} {sentence}.", f"S{k}", link=self._stored(k, sample), back=True)
        story.tell(computed.in_all(), back=True)

    def _add(self, story: Story, k: int, index: Index) -> None:
        """Tells a sum before it is whole: the shares that came, one more in each step."""
        computed, readers = self.computed, self.computed.readers[k][index]
        sums, own = [f"s{self.grids[k][cell]}" for cell in self.margins[k][0]], f"s{self._stored(k, readers[0])}"
        come = [computed.back[k][cell] for cell in readers]
        if not all(map(isfinite, come)):
            return
        story.later(f"S{k}", back=True, waiting=[id for id in sums if id != own])
        for came in range(1, len(readers)):
            tree = added(come[:came])
            sentence = f"{indexed(computed.grads[k], index)} so far: {worked(tree)}."
            (face,), _ = draw.fitted([floats(tree)], self.plan.wide - 6, self._size)
            lit = [self.shares[grid][cell] for cell in readers[:came] for grid in (k, -1)]
            sends = [(self.shares[k][readers[came - 1]], own)]
            story.tell(sentence, lit=[*lit, own], looks=[Look({}, {(f"n{own}", "text"): face})], back=True, sends=sends)


def own(header: str, again: Sequence[str]) -> str:
    """The header of a block before an operand is repeated: of the letters that it has; none over a copy.

    >>> own("i = 0, j = 1", ["i"]), own("i = 1, j = 1", ["i"]), own("i = 0", ["i"])
    ('j = 1', '', '')
    """
    parts = header.split(", ")
    copied = any(part.split(" = ")[0] in again and not part.endswith(" = 0") for part in parts)
    return "" if copied else ", ".join(part for part in parts if part.split(" = ")[0] not in again)
