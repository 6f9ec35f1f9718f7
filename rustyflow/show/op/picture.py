"""The picture of any operation: its grids, what lights with each cell, and its story."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ...claims.claim import Claim
from ...claims.tree import of_pairs
from ...scene import Links, Look, Scene, Shape, draw
from ...scene.maps import Column, Named, Way, alike
from ...scene.measure import shorten, width
from ..kit.line import FULL, fitting, flow, line, linked
from ..kit.reading import NUMBERED, Reading
from ..kit.story import Story
from ..kit.tracked import Opens, Tracked, tracked
from ..kit.widened import kind_of
from ..source import Source, exact, source_of, unasked
from ..words.sentences import arriving, indexed, listed, many, names_in
from .layout import BELOW, HEAD, TOP, Grid, Layout, inked, layout
from .lines import Lines
from .maps import Axis, Through, are_lettered, axes_said, formula, letter_of, own_letters, ranges, runs_of, spelled
from .parts import LETTERS as PARTS, crossed, joined, parts
from .reads import Call, Index, Read, Reads, depends
from .sends import Gradients, operations
from .steps import Steps
from .windows import windows

LETTERS, BACK, HEAT = "abcdekm", "pqrstuv", "HIJKLMN"
"""The first letters of the ids of each operand's cells, of its gradient's, and of how many results read each cell."""

STEPS, SHADES, TERSE = 64, 4, 6
"""The most steps of results that are made one by one; in how many shades the cells stand that were read; the most
characters of what stands at an axis."""


class OpPicture:
    """The picture of an operation: operands and result as grids in a row, and on the backward side the gradients.

    These stand beside them, below, or in their place, as there is room. Under the grids stands for how many results
    each cell was read, if these are made one by one. Of many cells each is a shade.
    """

    def __init__(self, call: Call, run: Reads, sources: Sequence[Source], title: str, flow: Gradients | None,
                 through: Sequence[str] = (), one_by_one: bool = False, several: int = 1):  # fmt: skip
        self.one_by_one, self.several = one_by_one, several
        self.run, self.title, self.sources, self.names = run, title, sources, [source.name for source in sources]
        self.kinds = [np.dtype(kind_of(source.dtype)).kind for source in sources]
        self.many = not all(_numbered(x) for x in (*run.operands, run.result))
        self.result = next(name for name in ("y", "out", "result") if name not in self.names)
        maps = formula(call, run)
        self.depends = not maps and depends(call, run)
        shapes, rank = [source.shape for source in sources], run.result.ndim
        self.letters = own_letters(self.names, rank)
        ways = operations(call, run)
        if weighs := crossed(run, ways):
            maps = joined(maps)
        runs = runs_of(maps, self.names, self.letters)
        if len(self.letters) < rank or not are_lettered(maps, runs):  # the names of operands are too many of them
            maps, runs = {}, {}
        self.ranges = ranges(runs)
        said = axes_said(maps, self.names, shapes, self.letters)
        self.axes: list[tuple[int | str | None, ...]] = [
            tuple(self._letter(*axis, runs) for axis in zip(maps.get(k) or (), said.get(k, ()))) or (None,) * len(shape)
            for k, shape in enumerate(shapes)
        ]
        self.telling = [name for k, name in enumerate(self.names) if k not in run.counted]
        self.flow, self.through = flow, through
        self.lines = Lines(
            run, flow, sources, self.result, Steps(call, run), several > 1, arriving([title, *self.names])
        )
        self.parts = [] if one_by_one or self.many else parts(call, run, ways, self.lines.maps, self.names, self.axes)
        self.crossed = bool(self.parts) and weighs
        self.lines.through = self.parts
        through = Through(self.parts[0].name, (0, 1, *range(3, len(shapes))), 2) if self.crossed else None
        if through:
            self.lines.weighed = self.parts[0].values
        self.formula = ""
        if maps:
            self.formula = spelled(maps, self.names, shapes, self.result, self.letters, run.result.shape, through)
        self.layout = self._laid()
        count = len(self.names)
        self.operands, self.between = self.layout.front[:count], self.layout.front[count:-1]
        self.results = self.layout.front[-1]
        self.heat = self.layout.more
        self.backs: dict[int, Grid] = {}
        if flow:
            *grads, self.arrives = self.layout.back
            self.backs = dict(zip(self.lines.flowing, grads))
        self.many = self.results.small or any(grid.small for grid in self.operands)
        cells = range(run.result.size)
        self.windows = windows(self.operands, [[*map(map_.cells, cells)] for map_ in self.lines.maps])
        self.shapes = tuple(self._draw())
        self.links = tuple(self._point())

    def _letter(self, axis: Axis, said: str, runs: Mapping[tuple[Index, ...], int]) -> int | str | None:
        """The number of the letter of an operand's axis, or what the formula has in its place, such as k+m."""
        own = letter_of(axis, runs, self.letters)
        moves = axis.indexed is None and any(any(line.by) for line in (axis.first, axis.last) if line)
        return said if own is None and moves and len(said) <= TERSE else own

    def _laid(self) -> Layout:
        """Returns where the grids of values, of counts and of gradients stand."""
        run = self.run
        between = [(part.name, part.values, part.axes, letter) for part, letter in zip(self.parts, PARTS)]
        values = [*zip(self.names, run.operands, self.axes, LETTERS), *between]
        values.append((self.result, run.result, self.letters, "y"))
        counts = [(f"reads of {name}", np.zeros(x.shape, int), axes, letter)
                  for name, x, axes, letter in zip(self.names, run.operands, self.axes, HEAT)]  # fmt: skip
        back = []
        if self.flow:
            totals = {k: self.flow.totals[k] + 0.0 for k in self.lines.flowing}
            back = [(self.sources[k].grad, total, self.axes[k], BACK[k]) for k, total in totals.items()]
            back.append((self.lines.arrives, self.flow.upstream, self.letters, "g"))

        def make(side: float) -> tuple[list[Grid], ...]:
            kinds = (values, ""), (counts if self.one_by_one else [], ""), (back, "grad")
            front, more, after = ([Grid(*one, side, look) for one in some] for some, look in kinds)
            if self.crossed:
                wide = max(front[1].wide, front[-2].wide)  # of one column
                front[1].turn(wide)
                front[-2] = Grid(*values[-2], side, wide=wide)
            return front, more, after

        return layout(make, TOP + HEAD * bool(self.formula), not self.many, self.crossed)

    def _draw(self) -> Iterator[Shape]:
        """Yields the formula, the grids of both sides, and the line of each."""
        sizes, plan = " by ".join(str(x.shape) for x in self.run.operands), self.layout
        self.note = f"{sizes} gives {self.run.result.shape}"
        if self.formula:
            yield draw.group("", _coloured(self.formula, self.names, TOP + 16), cls="aside")
        front = [draw.group("", *grid.shapes(f"T{n}"), *self._frames(n), cls="piece")
                 for n, grid in enumerate(plan.front)]  # fmt: skip
        front += [draw.group("", *map(_counting, grid.shapes(f"R{n}")), cls="piece")
                  for n, grid in enumerate(plan.more)]  # fmt: skip
        yield draw.group("", *front, cls="unless-g" if plan.way == "instead" and plan.back else "")
        if plan.back:
            back = [draw.group("", *grid.shapes(f"B{n}"), cls="piece") for n, grid in enumerate(plan.back)]
            yield draw.group("", *back, cls="when-g")
        size = fitting(self.lines.longest(FULL), plan.room - 2 * draw.LEFT)
        for low, line_ in zip(plan.ends.values(), line(0, size, backs=4 if self.flow else 0)):
            placed = line_._replace(attrs=tuple((k, low + BELOW if k == "y" else v) for k, v in line_.attrs))
            yield draw.group("", placed, cls="aside")

    def _frames(self, k: int) -> Iterator[Shape]:
        """Yields the windows through which an operand is read, unseen until a result is lit."""
        for at, (x, y, wide, high) in enumerate(self.windows[k][0] if k in self.windows else ()):
            place = ("width", wide), ("height", high), ("rx", 6), ("transform", draw.place(x, y))
            yield Shape("rect", f"W{k}_{at}", ("win", "off"), place)

    def _point(self) -> Iterator[Links]:
        """Yields the links: a result lights what was read for it, an operand's cell its readers; backward gradients."""
        run, lines = self.run, self.lines
        reads = [(LETTERS[k], Way(map)) for k, map in enumerate(lines.maps)]
        reads += [(letter, Way(part.read)) for letter, part in zip(PARTS, self.parts)]
        sends = [(BACK[k], Way(lines.sent[k])) for k in self.backs]
        told, up = lines.results, Named(lines.arrives, run.result.shape)
        sides: dict[str, list[Sequence[Column]]] = {"": told.columns}
        said = {"": lines.made}
        if self.flow:
            said["g"], sides["g"] = [lines.equal(up, exact(self.flow.upstream)), [lines.to]], []
        for letter in "yg" if self.flow else "y":
            itself = [("y", None), *([("g", None)] if letter == "g" else [])]
            yield self._framed(linked(
                letter, run.result.size, sides, {"": [*itself, *reads], "g": [*itself, ("g", None), *sends]}, said,
            ))  # fmt: skip
        for letter, part in zip(PARTS, self.parts):
            whose = Named(part.name, part.values.shape)
            line = [lines.equal(whose, exact(part.values))]
            if part.lines:
                line = [[alike(some)] for some in zip(*(claim.pieces for claim in part.lines))]
            goes = [(other, Way(map)) for other, map in part.reads.items()]
            lights, said = [(letter, None), *goes, ("y", Way(part.read, True))], [[whose, part.told, ": "], *line]
            both = ("", "g") if self.flow else ("",)
            yield linked(letter, part.values.size, dict.fromkeys(both, line), dict.fromkeys(both, lights),
                         dict.fromkeys(both, said))  # fmt: skip
        for k, x in enumerate(run.operands):
            itself, back = [(LETTERS[k], None)], [(BACK[k], None)]
            said = {"": [lines.equal(Named(self.names[k], x.shape), exact(x)), lines.readers(k)]}
            lights, sides = {"": [*itself, ("y", Way(lines.maps[k], True))], "g": itself}, {"": []}
            if self.flow:
                said["g"] = lines.collected(k) if k in self.backs else [[self._none(k)]]
                sides["g"] = lines.gradients[k].columns if k in self.backs else []
            if k in self.backs:
                lights["g"] = [*itself, *back, ("g", Way(lines.sent[k], True))]
                yield linked(BACK[k], x.size, sides, {"": [*itself, *back], "g": lights["g"]}, said)
            yield linked(LETTERS[k], x.size, sides, lights, said)

    def _flows(self) -> dict[str, tuple[tuple[str, str], ...]]:
        """The letters whose numbers go to those of others: operands to the result, its gradient to theirs."""
        through = {other for part in self.parts for other in part.reads}
        forward = tuple((letter, "y") for letter in LETTERS[: len(self.names)] if letter not in through)
        for letter, part in zip(PARTS, self.parts):
            forward += (*((other, letter) for other in part.reads), (letter, "y"))
        return {"": forward, "g": tuple(("g", BACK[k]) for k in self.backs)} if self.backs else {"": forward}

    def _framed(self, family: Links) -> Links:
        """The links of the results, each with the windows that it reads through."""
        for k, found in self.windows.items():
            for at in range(len(found[0])):
                links: Any = family.links
                places = tuple(draw.place(*some[at][:2]) for some in found)
                sets = {**family.sets, (f"W{k}_{at}", "transform"): (len(links.columns),)}
                links = replace(links, columns=(*links.columns, places))
                shown = (*family.classes.get("-off", ()), f"W{k}_{at}")
                family = replace(family, sets=sets, links=links, classes={"-off": shown})
        return family

    def world(self, call: Call, variables: Mapping[str, Any] | None = None) -> Tracked | None:
        """The numbers of the operation, each of which opens."""
        up, real = (self.flow.upstream, self.lines.flowing) if self.flow else (None, None)
        return tracked(call, self.sources, self.run.result, arrays=self.run.operands, real=real, name=self.result,
                       gradient=up, arrives=self.lines.arrives, variables=variables)  # fmt: skip

    def opens(self) -> Iterator[Opens]:
        """Yields the cells with what each opens: its value, on the backward side the gradient of that."""
        there = self.run.result.size > 0  # of no result there is no backward side
        for k, board in self.backs.items() if there else ():
            yield from (Opens(id, "g", k, index, True) for some in (board, self.operands[k])
                        for index, id in some.named.items())  # fmt: skip
        boards = [(self.arrives, -1), (self.results, -1)] if self.flow and there else []
        yield from (Opens(id, "g", k, index, True) for board, k in boards for index, id in board.named.items())
        boards = [(self.results, -1), *((board, k) for k, board in enumerate(self.operands))]
        yield from (Opens(id, "", k, index) for board, k in boards for index, id in board.named.items())

    def _none(self, k: int) -> str:
        """The reason why an operand has no gradient."""
        name = self.names[k]
        if self.kinds[k] == "b":
            return f"{name} holds True and False, which have no gradient"
        whole = self.kinds[k] in "iu"
        return f"{name} holds whole numbers, which have no gradient" if whole else f"No gradient flows back to {name}"

    def _made(self, story: Story) -> None:
        """Tells each result as it is made: what is read, and what it comes to so far.

        Of those to come nothing is seen.
        """
        cells = list(self.run.cells)
        steps = {cell: len(self._parts(cell)) for cell in cells}
        told, times = 0, Counter()
        most = Counter(read for cell in cells for part, _ in self._parts(cell) for read in part)
        for n, cell in enumerate(cells):
            if told and told + steps[cell] > STEPS:
                rest = len(cells) - n
                story.tell(f"And so on: {rest} more {'results are' if rest > 1 else 'result is'} made alike.",
                           looks=[self._heated(most, most)])  # fmt: skip
                break
            for k, (read, pieces) in enumerate(self._parts(cell), 1):
                told += 1
                name, whole = indexed(self.result, cell), k == steps[cell]
                words = f"{name}{self.lines.says.of(cell) if whole else f', {k} of its {steps[cell]} parts'}"
                to_come = Look({"off": self.results.of(cells[n + (k == steps[cell]) :])})
                lit = [self.operands[which][index] for which, index in read]
                lit += [self.results[cell]] if k == steps[cell] else []
                texts = Look({}, {(f"f{at}", "text"): piece for at, piece in enumerate(pieces)})
                times.update(read)
                story.tell(f"{words}: {''.join(pieces)}.", lit=lit, looks=[to_come, texts, self._heated(times, most)],
                           seen=f"{words}.")  # fmt: skip
        if most:
            (k, index), often = max(most.items(), key=lambda one: one[1])
            cell = f"{indexed(self.names[k], index)} is read for {many(often, 'result')}"
            story.tell(f"The stronger its colour, the more results read a cell: {cell}.",
                       looks=[self._heated(most, most)])  # fmt: skip

    def _heated(self, times: Mapping[Read, int], most: Mapping[Read, int]) -> Look:
        """The number of results for which each cell was read so far, also as a shade."""
        classes: dict[str, list[str]] = {}
        for (k, index), often in times.items():
            shade = -(-SHADES * often // max(most.values()))
            classes.setdefault(f"heat{shade}", []).append(self.heat[k][index])
        numbers = {(f"{self.heat[k][index]}n", "text"): str(often)
                   for (k, index), often in times.items() if not self.heat[k].small}  # fmt: skip
        return Look({cls: tuple(ids) for cls, ids in classes.items()}, numbers)

    def _parts(self, cell: Index) -> list[tuple[list[Read], tuple[str, ...]]]:
        """The reads of a result, part by part, and the line of each."""
        run, lines = self.run, self.lines
        last, parts = (run.cells[cell], lines.result_line(cell)), lines.terms[cell]
        if lines.way not in ("products", "sum") or len(parts) < 2 or run.compared[cell]:
            return [last]
        values = [[exact(run.operands[k][index])[0] for k, index in part] for part in parts]
        sums = np.cumsum([np.prod(np.array(part, float)) for part in values]).tolist()
        head = f"{indexed(self.result, cell)} so far: "
        steps = []
        for n, (part, so_far) in enumerate(zip(parts, sums), 1):
            near, *pieces = Claim("", of_pairs(values[:n]), so_far).pieces
            steps.append(([*part], (head + near, *pieces)))
        return [*steps[:-1], ([*parts[-1]], last[1])]

    def scene(self, refused: str = "", out: str = "") -> Scene:
        """Tells the whole, the formula, some results or all as they are made, and the way back.

        Args:
            refused: why there is no way back. out: by what numbers leave the tensors.
        """
        run, story = self.run, Story()
        took = listed([f"{name} {x.shape}" for name, x in zip(self.names, run.operands)])
        by = f", by {listed(self.through)}," if len(self.through) > 1 else ""
        empty = not any(x.size for x in (run.result, *run.operands))
        point = f": {'there is no cell to point at' if empty else 'point at a cell to see who reads whom'}"
        called = self.title.partition(",  ")[0]
        first = f", the first of {self.several} results," if self.several > 1 else ""
        story.tell(f"{called}{by} makes {run.result.shape}{first} from {took}{point}.", picture=point)
        if out:
            story.tell(f"Numbers that {out}() takes out of a tensor are not followed: what they come from is not lit.")
        if self.formula:
            story.tell(f"{self.formula}: found from what was read, and found again in two further runs.{self.ranges}")
        elif on := "the numbers" if self.depends else self.telling and listed(self.telling):
            point = ": point at a result to see those of this run"
            story.tell(f"Which cells are read depends on {on}{point}.", picture=point)
        if run.view is not None:
            of = self.names[run.view]
            view = f"a view of {of}: it reads the storage of {of}, and nothing is copied"
            story.tell(f"{self.result} is {f'{of} itself: nothing is made' if run.itself else view}.")
        elif self.lines.way == "copy":
            story.tell(f"{self.result} is a copy: its numbers stand in a storage of their own.")
        for part in self.parts:
            if part.says:
                story.tell(part.says)
        cells = list(run.cells)
        if self.one_by_one:
            self._made(story)
        some = {cells[0], cells[-1], max(cells, key=lambda cell: len(run.cells[cell]))} if cells else set()
        for cell in sorted(some) if not self.one_by_one else ():
            story.tell(self.lines.sentence(self.lines.made, self.lines.cells[cell]), link=self.results[cell])
        if refused:
            story.tell(f"There is no way back: {refused}.")
        if self.flow and cells:
            other = "Backward: the same links, the other way: each cell gets the sum of what comes."
            story.tell(other + unasked(self.sources[k] for k in self.backs), back=True)
            whose = self.backs
            for k in self.backs:
                most = max(self.flow.factors[k], key=lambda index: len(self.flow.factors[k][index]), default=None)
                if most is not None:
                    said = self.lines.sentence(self.lines.collected(k), self.lines.place[k][most])
                    story.tell(said, link=whose[k][most], back=True)
            story.two_sided(self.links, "Forward: point at a result to see what was read for it.",
                            "Backward: point at a gradient to see what it is the sum of.")  # fmt: skip
        boards = [*self.layout.front, *self.backs.values(), *([self.arrives] if self.flow else [])]
        about = [f"{source.name}: shape {source.shape}, {source.dtype}" for source in self.sources]
        about += [f"{self.result}: shape {run.result.shape}", *([self.formula] if self.formula else [])]
        heights = self.layout.heights if self.flow and cells else self.layout.heights[""]
        linked = [n for n, frame in enumerate(story.frames) if frame.link and not self.one_by_one]
        still = linked[0] if linked else min(2, len(story.frames) - 1)
        return Scene(
            self.title, self.layout.room, heights, self.shapes, tuple(story.frames), self.links,
            paths=tuple(board.path(board.rows) for board in boards if len(board)),
            toggles={"g": "backward"} if self.flow and cells else {}, still=still,
            about=tuple(about), note=self.note, flows=self._flows(),
        )  # fmt: skip


def _coloured(formula: str, names: Sequence[str], y: float) -> Shape:
    """A formula whose letters have the colours of their axes."""
    room = draw.RIGHT - draw.LEFT
    size = draw.NUMBER if width(formula, draw.NUMBER, mono=True) <= room else draw.LABEL
    formula = shorten(formula, room, size, mono=True)
    return flow(*inked(formula, names_in(names)), x=draw.LEFT, y=y, size=size)


def _numbered(x: np.ndarray) -> bool:
    """True if each cell has room for its number."""
    return Reading(source_of(x), (None,) * x.ndim, NUMBERED).whole


def _counting(shape: Shape) -> Shape:
    """The cell of a count, whose number changes."""
    if "cell" not in shape.cls:
        return shape
    box, number = shape.children
    return shape._replace(children=(box, number._replace(id=f"{shape.id}n")))

