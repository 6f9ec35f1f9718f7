"""The figure show.op: any operation, cell by cell.

Each number shows what it was read from, and a gradient how it comes back over the same way.
"""

<<<<<<< HEAD
from collections.abc import Callable, Mapping, Sequence
=======
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
>>>>>>> part-oneb
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from ...backends.loops.number import ManySteps
from ...errors import AbsentError, ArgumentTypeError, GradError
from ...ops.creation import from_numpy
from ...scene import Figure
from ...tensor import Tensor
from ..calls.beside import repeated, with_outside
from ..calls.call import MANY, as_ours, fits, function, parameters, program, taken_out, tensors_in
from ..kit.tracked import opened
from ..source import Source, source_of, with_origins
from ..words.caller import Words, caller_text, parts as parts_in
from ..words.given import Names, named, titled
<<<<<<< HEAD
from ..words.sentences import many
from .limits import is_drawn, not_drawn, rule_told, smaller, told, too_large, watched
from .picture import LETTERS, OpPicture
from .reads import Call, Written, first_tensor, laid, reads
from .runs import as_numbers
from .sends import gradients, operations
=======
from ..words.sentences import arriving, indexed, listed, many, names_in
from .layout import BELOW, HEAD, TOP, Grid, Layout, inked, layout
from .limits import is_drawn, not_drawn, rule_told, smaller, told, too_large, watched
from .lines import Lines
from .maps import Axis, Through, axes_said, formula, letter_of, own_letters, ranges, runs_of, spelled
from .parts import LETTERS as PARTS, crossed, joined, parts
from .reads import Call, Index, Read, Reads, Written, depends, first_tensor, laid, reads
from .runs import as_numbers
from .sends import Gradients, gradients, operations
from .steps import Steps
from .windows import windows

LETTERS, BACK, HEAT = "abcdekm", "pqrstuv", "HIJKLMN"
"""The first letters of the ids of each operand's cells, of its gradient's, and of how many results read each cell."""

STEPS, SHADES, TERSE = 64, 4, 6
"""The most steps of results that are made one by one; in how many shades the cells stand that were read; the most
characters of what stands at an axis."""
>>>>>>> part-oneb


def op(
    f: str | Callable, *operands: Any, upstream: Any = None, one_by_one: bool = False,
    names: Names = None, title: str | None = None, **attributes: Any,
) -> Figure:  # fmt: skip
    """Draws any operation, cell by cell.

    A result pointed at lights what was read for it, an operand's cell all its readers.

    Nothing of the picture is written for an operation: what is read is followed while it runs, the formula in letters
    is shown if it is found again for other sizes and numbers, and the gradients are those of the engine. `g` turns to
    the backward side, where the same links run the other way. Of several results the first is shown.

    Args:
        f: an operation by name, such as "gather"; a function of rustyflow, or one of your own, such as
            `lambda x: x[::2]`.
        operands: what it takes, in its order; tensors and arrays, also in lists, are drawn. So are tensors that f uses
            from outside, a module's weights too, of up to 256 cells; what f changes meanwhile is put back.
        attributes: further arguments of the operation, such as dim=1.
        upstream: the gradient that arrives, of the result's shape; default: small unequal integers.
        one_by_one: make the results before one's eyes, a read, or a product that is added, a step.
        names: what to call the tensors, ["x", "w"] or {"w": w}; default: the names in the calling line.
        title: the title; default: the call in these names, of a lambda what it computes.

    Raises:
        TypeError: no function, no tensor among the operands; a name or a title that is no text. ValueError: another
        number of names than tensors; no operation of this name; one that writes to
        an operand, or to a tensor from outside; no tensor as result. And what the operation raises.

    Example:
        >>> import rustyflow as rf
        >>> x = rf.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
        >>> figure = rf.show.op("cumsum", x, dim=1, names=["x"])
        >>> print(figure.state(link="y5").sentence)
        y[1, 2] adds up 3 numbers of x: y[1, 2] = 4 + 5 + 6 = 15.
        >>> print(figure.state(link="a3", toggles=("g",)).sentence)
        x.grad[1, 0] collects from g[1, 0], g[1, 1] and g[1, 2]: x.grad[1, 0] = 4 + 1 + 2 = 7.
    """
    asked = asked_of(f, operands, attributes, caller_text((f, *operands)), names, title)
    sources = [source_of(x, name) for x, name in zip(asked.tensors, asked.names)]
    sources = with_origins(sources, asked.tensors, asked.texts)
    return figure_of(asked.call, sources, asked.title, upstream, one_by_one, asked.variables)


class Asked(NamedTuple):
    """An operation as it is asked for: as a function of its tensors alone, these, their names, and the program.

    `variables`: of the program.
    """

    call: Call
    tensors: list[Any]
    names: list[str]
    title: str
    texts: list[str | None]
    variables: Mapping[str, Any]


def asked_of(f: Any, operands: Sequence, attributes: Mapping, caller: Words, names: Names,
             title: str | None) -> Asked:  # fmt: skip
    """Returns what is asked for, of an operation and its arguments as given, and the caller's words for them."""
    tensors = tensors_in((operands, attributes))
    if not tensors:
        raise ArgumentTypeError("no tensor among the operands", "a figure draws tensors", "show.op('exp', x)")
    given_as = [*zip(operands, caller.arguments[1:]), *((x, caller.keywords.get(key)) for key, x in attributes.items())]
    written = [part for x, w in given_as for part in parts_in(x, w)]
    texts = [next((w for x, w in written if x is tensor), None) for tensor in tensors]
    stands: list[str] = []
    once = caller._replace(arguments=tuple(w if texts.count(w) == 1 else None for w in texts))
    known = once._replace(arguments=tuple(None if w and caller.makes(w) else w for w in once.arguments))
    own = parameters(f, operands, attributes, tensors)
    called = named(names, tensors, known.names(tensors, "abcdekm", own=own))
    if names is None:
        stands = [*filter(None, once.letters(called))]
    else:
        texts = [None] * len(tensors)
    title = titled(title) or ",  ".join(
        [program(f, caller.arguments[0], operands, attributes, tensors, called), *stands]
    )
    f, attributes = as_ours(f, operands, attributes)
    call = function(f)
    fits(call, operands, attributes)
    it = caller.arguments[0] if (caller.arguments[0] or "").isidentifier() else None
    call, more, left = with_outside(call, operands, attributes, tensors, called, it, len(LETTERS))
    title = ",  ".join([title, *left])
    return Asked(call, [*tensors, *more.values()], [*called, *more], title, [*texts, *more], caller.variables)


def figure_of(
    call: Call, sources: Sequence[Source], title: str, upstream: Any = None, one_by_one: bool = False,
    variables: Mapping[str, Any] | None = None,
) -> Figure:  # fmt: skip
    """Returns the figure of an operation on some operands.

    `variables`: of the program, for names of what the operands were made of.
    """
    if len(sources) > len(LETTERS):
        few = f"Up to {len(LETTERS)} operands are drawn. Try a lambda of fewer, with the others' numbers in it."
        return _told(sources, title, None, few)
    f, *given = call.args[:3] if isinstance(call, partial) else (call, (), {})
    named = [(source.name, source.shape) for source in sources]
    if max(source.numel for source in sources) > MANY:
        return _told(sources, title, None, f"{too_large(named)} {smaller(repeated(call), sources)}")
    foreign = isinstance(call, partial) and not str(getattr(f, "__module__", "")).startswith("rustyflow")
    call = repeated(call)
    arrays = as_numbers(call, [laid(source.array()) for source in sources])
    given_ = [*map(from_numpy, arrays)]
    try:
        with watched() as steps:
            results = call(*given_)
    except ArgumentTypeError as error:
        if "instead" not in error.facts:  # it is not PyTorch's function that was called
            raise
        rule = "a figure runs f on rustyflow's tensors, with the numbers of its operands"
        write = f"{error.facts['instead'] or 'what rustyflow has'} in f"
        raise ArgumentTypeError(error.was, rule, write) from error
    result, several = first_tensor(results), 1 if isinstance(results, Tensor) else len(results)
    array = result.detach().numpy()
    itself = any(x is result for x in given_)
    view = next((k for k, x in enumerate(arrays) if np.may_share_memory(x, array)), None)
    shape = tuple(result.shape)
    by_rule = partial(rule_told, steps, given_, [source.name for source in sources])
    if not all(map(is_drawn, (*arrays, array))):
        why = f"{by_rule()} {too_large([*named, ('the result', shape)])}".lstrip()
        return _told(sources, title, shape, f"{why} {smaller(call, sources)}")
    try:
        run = reads(call, arrays)._replace(view=view, itself=itself)  # as loops, some views are others
    except AbsentError as absent:
        why = f"Its cells cannot be followed: {absent.rule}."
        return _told(sources, title, shape, f"{why} Try {absent.fix}." if absent.fix else why)
    except ManySteps as error:
        why = f"Its cells are not drawn: to follow what its {many(array.size, 'result')} read takes {error.was}."
        why = f"{by_rule()} {why}".lstrip()
        return _told(sources, title, shape, f"{why} {smaller(call, sources)}")
    except Written as error:
        raise not_drawn(error, f, *given, [source.name for source in sources], title) from None
    real = [k for k, source in enumerate(sources) if source.dtype.startswith("float")]
    flow, refused = None, ""
    try:
        flow = gradients(call, run, upstream, real)
    except (GradError, AbsentError) as error:
        refused = error.rule
    except ManySteps as error:
        refused = f"to follow it takes {error.was}"
    through = list(dict.fromkeys(flow.operations if flow else operations(call, run))) if foreign else []
    picture = OpPicture(call, run, sources, title, flow, through, one_by_one, several)
    world = picture.world(call, variables)
    scene = picture.scene(refused, taken_out(f) if foreign else "")
    return Figure(scene, world, world and (lambda: opened(world, picture.opens())))


def _told(*words: Any) -> Figure:
    """A figure of words alone."""
    return Figure(told(*words))
<<<<<<< HEAD
=======


class OpPicture:
    """The picture of an operation: operands and result as grids in a row, and on the backward side the gradients.

    These stand beside them, below, or in their place, as there is room. Under the grids stands for how many results
    each cell was read, if these are made one by one. Of many cells each is a shade.
    """

    def __init__(self, call: Call, run: Reads, sources: Sequence[Source], title: str, flow: Gradients | None,
                 through: Sequence[str] = (), one_by_one: bool = False, several: int = 1):  # fmt: skip
        self.one_by_one, self.several = one_by_one, several
        self.run, self.title, self.sources, self.names = run, title, sources, [source.name for source in sources]
        self.kinds = [np.dtype(source.dtype).kind if source.dtype != "bfloat16" else "f" for source in sources]
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
            back = [(self.sources[k].grad, self.flow.totals[k], self.axes[k], BACK[k]) for k in self.lines.flowing]
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
            yield _coloured(self.formula, self.names, TOP + 16)
        front = [shape for n, grid in enumerate(plan.front) for shape in grid.shapes(f"T{n}")]
        front += [_counting(shape) for n, grid in enumerate(plan.more) for shape in grid.shapes(f"R{n}")]
        for k, found in self.windows.items():
            for at, (x, y, wide, high) in enumerate(found[0]):
                place = ("width", wide), ("height", high), ("rx", 6), ("transform", draw.place(x, y))
                front.append(Shape("rect", f"W{k}_{at}", ("win", "dashed", "off"), place))
        yield draw.group("", *front, cls="unless-g" if plan.way == "instead" and plan.back else "")
        if plan.back:
            back = [shape for n, grid in enumerate(plan.back) for shape in grid.shapes(f"B{n}")]
            yield draw.group("", *back, cls="when-g")
        size = fitting(self.lines.longest(FULL), plan.room - 2 * draw.LEFT)
        for low, line_ in zip(plan.ends.values(), line(0, size, backs=4 if self.flow else 0)):
            yield line_._replace(attrs=tuple((k, low + BELOW if k == "y" else v) for k, v in line_.attrs))

    def _point(self) -> Iterator[Links]:
        """Yields the links: a result lights what was read for it, an operand's cell its readers; backward gradients."""
        run, lines = self.run, self.lines
        reads = [(LETTERS[k], Way(map)) for k, map in enumerate(lines.maps)]
        reads += [(letter, Way(part.read)) for letter, part in zip(PARTS, self.parts)]
        sends = [(BACK[k], Way(lines.sent[k])) for k in self.backs]
        told, up = lines.results, Named(lines.arrives, run.result.shape)
        sides: dict[str, list[Sequence[Column]]] = {"": told.columns}
        if self.flow:
            sides["g"] = [lines.equal(up, exact(self.flow.upstream)), [lines.to]]
        for letter in "yg" if self.flow else "y":
            itself = [("y", None), *([("g", None)] if letter == "g" else [])]
            yield self._framed(linked(
                letter, run.result.size, sides, {"": [*itself, *reads], "g": [*itself, ("g", None), *sends]},
                {"": told.sentence},
            ))  # fmt: skip
        for letter, part in zip(PARTS, self.parts):
            said = [lines.equal(Named(part.name, part.values.shape), exact(part.values)), [part.told]]
            goes = [(LETTERS[k], Way(map)) for k, map in part.reads.items()]
            lights = [(letter, None), *goes, ("y", Way(part.read, True))]
            both = ("", "g") if self.flow else ("",)
            yield linked(letter, part.values.size, dict.fromkeys(both, said), dict.fromkeys(both, lights))
        for k, x in enumerate(run.operands):
            itself, back = [(LETTERS[k], None)], [(BACK[k], None)]
            sides = {"": [lines.equal(Named(self.names[k], x.shape), exact(x)), lines.readers(k)]}
            lights = {"": [*itself, ("y", Way(lines.maps[k], True))], "g": itself}
            if self.flow:
                sides["g"] = lines.gradients[k].columns if k in self.backs else [[self._none(k)]]
            if k in self.backs:
                lights["g"] = [*itself, *back, ("g", Way(lines.sent[k], True))]
                yield linked(BACK[k], x.size, sides, {"": [*itself, *back], "g": lights["g"]})
            yield linked(LETTERS[k], x.size, sides, lights)

    def _flows(self) -> dict[str, tuple[tuple[str, str], ...]]:
        """The letters whose numbers go to those of others: operands to the result, its gradient to theirs."""
        through = {k for part in self.parts for k in part.reads}
        forward = tuple((letter, "y") for k, letter in enumerate(LETTERS[: len(self.names)]) if k not in through)
        for letter, part in zip(PARTS, self.parts):
            forward += (*((LETTERS[k], letter) for k in part.reads), (letter, "y"))
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
                to_come = Look({"off": self.results.of(cells[n + (k == steps[cell]) :])})
                lit = [self.operands[which][index] for which, index in read]
                lit += [self.results[cell]] if k == steps[cell] else []
                texts = Look({}, {(f"f{at}", "text"): piece for at, piece in enumerate(pieces)})
                times.update(read)
                story.tell(_sentence(pieces), lit=lit, looks=[to_come, texts, self._heated(times, most)])
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
            story.tell(_sentence(self.lines.result_line(cell)), link=self.results[cell])
        if refused:
            story.tell(f"There is no way back: {refused}.")
        if self.flow and cells:
            other = "Backward: the same links, the other way: each cell gets the sum of what comes."
            story.tell(other + unasked(self.sources[k] for k in self.backs), back=True)
            whose = self.backs
            for k in self.backs:
                most = max(self.flow.factors[k], key=lambda index: len(self.flow.factors[k][index]), default=None)
                if most is not None:
                    story.tell(_sentence(self.lines.gradient_line(k, most)), link=whose[k][most], back=True)
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


def _sentence(pieces: Sequence[str]) -> str:
    sentence = f"{''.join(pieces)}."
    return sentence[0].upper() + sentence[1:] if sentence.startswith(("from ", "of ")) else sentence


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

>>>>>>> part-oneb
