"""show.op: any operation, cell by cell: what each number was read from, and how a gradient comes back over the same
way."""

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from ..errors import AbsentError, ArgumentTypeError, ArgumentValueError, GradError
from ..ops.creation import from_numpy
from ..random import fork_rng, get_rng_state, set_rng_state
from ..scene import Figure, Frame, Look, Scene, Shape, draw
from .called import called, function, program, tensors_in, used_beside
from .kit.board import Board, grids
from .kit.line import Pointed, fitting, flow, line
from .kit.reading import NUMBERED, Reading
from .kit.story import Story
from .maps import formula, letter_of, own_letters, runs_of, spelled
from .reads import FAILED, WAYS, Call, Index, Read, Reads, come_to, depends, first_tensor, laid, pairs, reads, way_of
from .sends import Gradients, gradients
from .source import Source, exact, source_of
from .words.caller import Words, caller_text, given
from .words.exact import as_written, sign, sign_of_sum
from .words.numbers import bracketed
from .words.sentences import gradient, indexed, listed, many

LETTERS, BACK, HEAT = "abcdekm", "pqrstuv", "HIJKLMN"
"""The first letters of the ids of each operand's cells, of its gradient's, and of how often each cell was read."""

PRODUCTS = ("products", "product")
"""The ways in which a result is made of products: its gradients are such, too."""

TERMS, TOLD, MOST = 12, 2, 4
"""The most numbers of a formula that are written out, the most indices of which each is told, the most readers."""

STEPS, SHADES = 64, 4
"""The most steps of results that are made one by one; in how many shades the cells stand that were read."""

RANK, MANY = 4, 10**6
"""The most axes that are drawn; an operation on more cells than that is not run."""


def op(
    f: str | Callable, *operands: Any, names: Sequence[str] | None = None, upstream: Any = None,
    one_by_one: bool = False, **attributes: Any,
) -> Figure:  # fmt: skip
    """Any operation, cell by cell: a result pointed at lights what was read for it, an operand's cell all its readers.

    Nothing of the picture is written for an operation: what is read is followed while it runs, the formula in letters
    is shown if it is found again for other sizes and numbers, and the gradients are those of the engine. `g` turns to
    the backward side, where the same links run the other way. Of several results the first is shown.

    Args:
        f: an operation by name, such as "gather"; a function of rustyflow, or one of your own, such as
            `lambda x: x[::2]`.
        operands: what it takes, in its order; tensors and arrays, also in lists, are drawn.
        attributes: further arguments of the operation, such as dim=1.
        names: what to call the tensors. upstream: the gradient that arrives, of the result's shape; default: small
            unequal integers. one_by_one: make the results before one's eyes, a read, or a product that is added, a
            step.

    Raises:
        TypeError: no function, no tensor among the operands. ValueError: no operation of this name; one that writes to
        its operand, or uses a tensor that is none; no tensor as result. And what the operation raises.

    Example:
        >>> import rustyflow as rf
        >>> x = rf.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
        >>> figure = rf.show.op("cumsum", x, dim=1, names=["x"])
        >>> print(figure.state(link="y5").sentence)
        y[1, 2] = 4 + 5 + 6 = 15.
        >>> print(figure.state(link="a3", toggles=("g",)).sentence)
        x.grad[1, 0] = 4 + 1 + 2 = 7.
    """
    asked = asked_of(f, operands, attributes, caller_text(1 + len(operands)), names)
    sources = [source_of(x, name) for x, name in zip(asked.tensors, asked.names)]
    return Figure(scene_of(asked.call, sources, asked.title, upstream, one_by_one))


class Asked(NamedTuple):
    """What is asked for: the operation as a function of its tensors alone, these, their names, and the program."""

    call: Call
    tensors: list[Any]
    names: list[str]
    title: str


def asked_of(f: Any, operands: Sequence, attributes: Mapping, said: Words, names: Sequence[str] | None) -> Asked:
    """An operation, its operands and attributes as they were given, and the caller's words for it and for them."""
    tensors = tensors_in((operands, attributes))
    if not tensors:
        raise ArgumentTypeError("no tensor among the operands", "a figure draws tensors", "show.op('exp', x)")
    if names is None:
        words = [next((w for x, w in zip(operands, said.arguments[1:]) if x is tensor), None) for tensor in tensors]
        once = tuple(w if words.count(w) == 1 else None for w in words)
        names = said._replace(arguments=once).names(tensors, [*"abcdekm", *(f"t{n}" for n in range(len(tensors)))])
    else:
        names = given(names, len(tensors))
    title = program(f, said.arguments[0], operands, attributes, tensors, names)
    return Asked(partial(called, function(f), operands, attributes, tensors), tensors, names, title)


def scene_of(
    call: Call, sources: Sequence[Source], title: str, upstream: Any = None, one_by_one: bool = False
) -> Scene:
    """The scene of an operation on some operands."""
    if max(source.numel for source in sources) > MANY:
        return _told(sources, title, None, f"Cells are drawn up to {NUMBERED}, of up to {RANK} axes.")
    if len(sources) > len(LETTERS):
        return _told(sources, title, None, f"Up to {len(LETTERS)} operands are drawn.")
    f = call.args[0] if isinstance(call, partial) else call
    own = isinstance(call, partial) and not str(getattr(f, "__module__", "")).startswith("rustyflow")
    call = _repeated(call)
    arrays = _numbers(call, [laid(source.array()) for source in sources])
    result = first_tensor(call(*map(from_numpy, arrays)))
    shapes = [source.shape for source in sources]
    if max(map(len, [*shapes, result.shape])) > RANK or max([result.numel(), *(s.numel for s in sources)]) > NUMBERED:
        return _told(sources, title, tuple(result.shape), f"Cells are drawn up to {NUMBERED}, of up to {RANK} axes.")
    try:
        made = reads(call, arrays)
    except AbsentError as absent:
        return _told(sources, title, tuple(result.shape), f"Its cells cannot be followed: {absent.rule}.")
    except (ArgumentTypeError, AttributeError) as error:  # it ran on the operands alone, and meets another tensor here
        found = used_beside(f)
        more = ", ".join(found or ["w"])
        raise ArgumentValueError(
            f"f uses {listed(found) if found else 'a tensor'}, besides its operands",
            "a figure follows the tensors that are operands",
            f"show.op(lambda {'t' if 'x' in found else 'x'}, {more}: ..., {sources[0].name}, {more})",
        ) from error
    real = [k for k, source in enumerate(sources) if source.dtype.startswith("float")]
    flow, refused = None, ""
    try:
        flow = gradients(call, made, upstream, real)
    except GradError as error:
        refused = error.rule
    through = list(dict.fromkeys(flow.operations)) if flow and own else []
    return _Picture(call, made, sources, title, flow, through, one_by_one).scene(refused)


def _repeated(call: Call) -> Call:
    """An operation that draws the same random numbers in each run."""
    before = get_rng_state()

    def again(*operands: Any) -> Any:
        with fork_rng():
            set_rng_state(before)
            return call(*operands)

    return again


def _numbers(call: Call, arrays: list[np.ndarray]) -> list[np.ndarray]:
    """The operands, whole numbers as floats where they are beside floats and no indices: what takes no others fails."""
    if not any(x.dtype.kind == "f" for x in arrays):
        return arrays
    for k, x in enumerate(arrays):
        if x.dtype.kind in "iu":
            others = [*arrays[:k], x.astype(np.float32), *arrays[k + 1 :]]
            try:
                call(*map(from_numpy, others))
            except FAILED:
                continue
            arrays = others
    return arrays


def _told(sources: Sequence[Source], title: str, shape: Index | None, why: str) -> Scene:
    """An operation in words."""
    took = listed([f"{source.name} of shape {source.shape}" for source in sources])
    about = tuple(f"{source.name}: shape {source.shape}, {source.dtype}" for source in sources)
    gives = "" if shape is None else f" and gives shape {shape}"
    sentence = f"{title} takes {took}{gives}. {why}"
    return Scene(title, 860, 90, draw.title(title, gives.removeprefix(" and "), y=34), (Frame(sentence),), about=about)


Drawn = tuple[str, np.ndarray, tuple[int | None, ...], str]
"""A name, what stands in the cells, the letters of the axes, and the class of the cells."""


class _Picture:
    """Operands and result as grids in a row, under them how often each cell was read, if the results are made one by
    one; on the backward side the gradients."""

    def __init__(self, call: Call, made: Reads, sources: Sequence[Source], title: str, flow: Gradients | None,
                 through: Sequence[str] = (), one_by_one: bool = False):  # fmt: skip
        self.one_by_one = one_by_one
        self.made, self.title, self.names = made, title, [source.name for source in sources]
        self.result = next(name for name in ("y", "out", "result") if name not in self.names)
        self.way, self.depends = way_of(call, made), depends(call, made)
        maps = {} if self.depends else formula(call, made)
        shapes, rank = [source.shape for source in sources], made.result.ndim
        self.own = own_letters(self.names, rank)
        self.formula = spelled(maps, self.names, shapes, self.result, self.own) if maps else ""
        runs = runs_of(maps, self.names, self.own)
        self.axes: list[tuple[int | None, ...]] = [
            tuple(letter_of(axis, runs, self.own) for axis in maps.get(k) or ()) or (None,) * len(shape)
            for k, shape in enumerate(shapes)
        ]
        self.telling = [name for k, name in enumerate(self.names) if k not in made.counted]
        self.flow, self.through = flow, through
        self.readers: list[dict[Index, list[Index]]] = [{} for _ in sources]
        for cell, found in made.cells.items():
            for k, index in found:
                self.readers[k].setdefault(index, []).append(cell)
        if flow and self.way in PRODUCTS:  # a factor of 0 is a factor, too
            for to, read_by in zip(flow.factors, self.readers):
                for index, cells in read_by.items() if to else ():
                    to[index] = {cell: to.get(index, {}).get(cell, 0.0) for cell in cells}
        self.sends: dict[Index, list[tuple[int, Index, float]]] = {}
        for k, factors in enumerate(self.flow.factors if self.flow else ()):
            for index, sent in factors.items():
                for cell, factor in sent.items():
                    self.sends.setdefault(cell, []).append((k, index, factor))
        self.shapes = tuple(self._draw())
        self.links = self._point().links

    def _draw(self) -> list[Shape]:
        made = self.made
        sizes = " by ".join(_size(x) for x in made.operands)
        shapes: list[Shape] = list(draw.title(self.title, f"{sizes} gives {_size(made.result)}", y=34))
        if self.formula:
            shapes.append(_coloured(self.formula, self.names, 84))
        tensors = [(name, x, axes, "value") for name, x, axes in zip(self.names, made.operands, self.axes)]
        tensors.append((self.result, made.result, self.own, ""))
        boards, low = self._boards(tensors, LETTERS[: len(self.names)] + "y", 112.0 if self.formula else 92.0)
        *self.operands, self.results = boards
        for n, board in enumerate(boards):
            shapes += board.shapes(f"T{n}")
        self.heat: list[Board] = []
        if self.one_by_one:
            tensors = [(f"reads of {name}", np.zeros(x.shape, int), axes, "")
                       for name, x, axes in zip(self.names, made.operands, self.axes)]  # fmt: skip
            self.heat, low = self._boards(tensors, HEAT, low + 30)
            for n, board in enumerate(self.heat):
                labels, *cells = board.shapes(f"R{n}")
                shapes += [labels, *map(_counting, cells)]
        self.backs: dict[int, Board] = {}
        if self.flow:
            flowing = [k for k, total in enumerate(self.flow.totals) if total is not None]
            tensors = [(gradient(self.names[k]), self.flow.totals[k], self.axes[k], "") for k in flowing]
            tensors.append(("g", self.flow.upstream, self.own, ""))
            boards, low = self._boards(tensors, "".join(BACK[k] for k in flowing) + "g", low + 30)
            self.backs, self.arrives = dict(zip(flowing, boards)), boards[-1]
            for n, board in enumerate(boards):
                labels, *cells = board.shapes(f"B{n}")
                shapes += [labels, *map(_to_come, cells)]
        self.lines = {cell: self.forward(cell) for cell in made.cells}
        self.back_lines = {(k, index): self.backward(k, index) for k in self.backs for index in self.operands[k]}
        lines = [*self.lines.values(), *self.back_lines.values()]
        self.height = low + 66
        size = fitting(max((len("".join(pieces)) for pieces in lines), default=1))
        return [*shapes, *line(low + 42, size, backs=4 if self.flow else 0)]

    def _boards(self, tensors: Sequence[Drawn], letters: str, top: float) -> tuple[list[Board], float]:
        """Grids in one row, if some size of cells allows it; how far down they go."""
        readings = [Reading(source_of(np.array(x, order="C"), name), axes, NUMBERED) for name, x, axes, _ in tensors]
        for reading, (*_, look) in zip(readings, tensors):
            reading.looks = [look] * len(reading.cells)
        narrow = any(x.ndim > 1 and x.shape[-1] == 1 for _, x, *_ in tensors)
        for side in (42, 37, 32, 28):
            boards, low, _ = grids(readings, letters, top, side, 50 if narrow else 30)
            first = [next(iter(board.places.values()), (0, 0))[1] for board in boards]
            if max(first) - min(first) < 60:
                break
        return boards, low

    def forward(self, cell: Index) -> tuple[str, ...]:
        """The formula of a result, in numbers where the way is a simple one; before it what an index that it reads
        is."""
        made, read = self.made, self.made.numbers(cell)
        said, name = draw.spell(exact(made.result[cell])[0]), indexed(self.result, cell)
        tells = [read for read in made.cells[cell] if read[0] not in made.counted]
        told = [f"{indexed(self.names[k], index)} is {made.operands[k][index].item()}" for k, index in tells]
        if len(told) > TOLD or not read:
            told = []
        before = f"{' and '.join(told)}: " if told else ""
        head = f"{before}{name} = "
        if not made.cells[cell]:
            return head, said, ", and nothing was read for it"
        counted = [(k, index) for k, index in made.cells[cell] if k in made.counted]
        source = self.taken(cell, counted)
        worked, again = self._worked(cell, counted) if self.way and read and self.way != "copy" else (said, "")
        if worked != said:
            return head, worked, f" {again} ", said
        if source and len(read) == 1:
            return head, source, " = ", said
        if self.way and read and self.way != "copy":
            return head, said
        shown = [draw.spell(exact(made.operands[k][index])[0]) for k, index in sorted(counted)]
        if source:
            return f"{before}of ", _few(shown, ", "), f", {name} takes {source} = ", said
        if self.flow and len(counted) == 1 and not self.sends.get(cell):
            (k, index), *_ = counted
            return head, said, f", and a small step of {indexed(self.names[k], index)} = {shown[0]} does not move it"
        words = _few(shown, ", ") or "what was read"
        return f"{before}from ", words, f" comes {name} = ", said

    def taken(self, cell: Index, counted: Sequence[Read]) -> str:
        """The cell whose number a result is: the only one that was read, or the only one that moves it, as it moves."""
        value = as_written(exact(self.made.result[cell])[0])
        sends = self.sends.get(cell, [])
        if len(counted) == 1:
            k, index = counted[0]
        elif not self.way and len(sends) == 1 and sends[0][2] == 1:
            k, index, _ = sends[0]
        else:
            return ""
        same = as_written(exact(self.made.operands[k][index])[0]) == value
        return indexed(self.names[k], index) if same else ""

    def _copied(self, cell: Index) -> bool:
        counted = [read for read in self.made.cells[cell] if read[0] in self.made.counted]
        return len(counted) == 1 and bool(self.taken(cell, counted))

    def _worked(self, cell: Index, counted: Sequence[Read]) -> tuple[str, str]:
        """How a result is worked out of numbers, and whether it is that, or nearly, as they are written."""
        made, value, way = self.made, exact(self.made.result[cell])[0], self.way
        if way == "products":
            met = pairs([(k, (index, k)) for k, index in counted])
            met = [[exact(made.operands[k][index])[0] for index, k in part] for part in sorted(met, key=_by_place)]
            parts = ["·".join(bracketed(draw.spell(v)) for v in part) for part in met]
            return _few(parts, " + "), sign_of_sum(met, value)
        read, own = made.numbers(cell), made.own(cell)
        read = [read[n] for n in sorted(range(len(read)), key=lambda n: counted[n])]
        again = come_to(way, [(k, as_written(v)) for k, v in read], own if own is None else as_written(own))
        words = [bracketed(draw.spell(v)) for _, v in read]
        few = words if len(words) <= TERMS else [*words[: TERMS - 2], "...", words[-1]]
        expression = WAYS[way].said(few, None if own is None else bracketed(draw.spell(own)))
        expression = re.sub(r"\((\(-[^()]*\))\)", r"\1", expression).replace("exp(...)", "...")
        return expression, sign([again], [value])

    def backward(self, k: int, index: Index) -> tuple[str, ...]:
        """The formula of a gradient: what each reader sends back."""
        total = exact(self.flow.totals[k][index])[0] + 0.0
        head, said = f"{indexed(gradient(self.names[k]), index)} = ", draw.spell(total)
        sent = self.flow.factors[k].get(index, {})
        if not sent:
            why = "nobody reads it" if index not in self.readers[k] else "no result moves with it"
            if total:
                return head, said, ": the engine sends it, although no result moves with it"
            return head, said, f": {why}"
        terms = [(exact(self.flow.upstream[cell])[0], factor) for cell, factor in sent.items()]
        plain = self.way not in PRODUCTS and all(factor == 1 for _, factor in terms)
        words = [draw.spell(g) if plain else f"{bracketed(draw.spell(g))}·{bracketed(draw.spell(factor))}"
                 for g, factor in terms]  # fmt: skip
        expression = _few(words, " + ")
        if plain and len(sent) == 1:
            expression = indexed("g", next(iter(sent)))
        return (head, expression, f" {sign_of_sum(terms, total)} ", said) if expression != said else (head, said)

    def _point(self) -> Pointed:
        """A result lights what was read for it; a cell of an operand its readers; backward its gradient, and theirs."""
        made, pointed = self.made, Pointed(backs=4 if self.flow else 0)
        for cell, found in made.cells.items():
            lit = [self.operands[k][index] for k, index in dict.fromkeys(found)]
            back: tuple[str, ...] = ()
            sends: list[str] = []
            if self.flow:
                to = self.sends.get(cell, [])
                sends = [self.arrives[cell], *(self.backs[k][index] for k, index, _ in to)]
                parts = [f"{indexed(gradient(self.names[k]), index)}" for k, index, _ in to]
                up = draw.spell(exact(self.flow.upstream[cell])[0])
                back = f"{indexed('g', cell)} = {up}", f" goes to {listed(parts, 4)}" if parts else " goes to nobody"
            line = self.lines[cell]
            pointed.at(self.results[cell], lit, line, back, lights_back=sends, sentence=_sentence(line))
            if self.flow:
                pointed.at(self.arrives[cell], [self.results[cell], *lit], line, back,
                           lights_back=[self.results[cell], *sends], sentence=_sentence(line))  # fmt: skip
        for k, board in enumerate(self.operands):
            for index in board:
                cells = list(dict.fromkeys(self.readers[k].get(index, [])))
                value = draw.spell(exact(made.operands[k][index])[0])
                times = f"for {len(cells)} results: " if len(cells) > MOST else "by "
                read = f" is read {times}{listed([indexed(self.result, cell) for cell in cells], MOST)}"
                said = f"{indexed(self.names[k], index)} = {value}", read if cells else " is read by nobody"
                back, lit = ("It has no gradient",), []
                if k in self.backs:
                    back = self.back_lines[k, index]
                    lit = [self.backs[k][index], *(self.arrives[c] for c in self.flow.factors[k].get(index, ()))]
                pointed.at(board[index], [self.results[c] for c in cells], said, back, lights_back=lit)
                if k in self.backs:
                    both = [board[index], *lit]
                    pointed.at(self.backs[k][index], [board[index]], said, back, lights_back=both)
        return pointed

    def _made(self, story: Story) -> None:
        """Each result as it is made: what is read, and what it comes to so far; of those to come nothing is seen."""
        cells = list(self.made.cells)
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
            cell = indexed(self.names[k], index)
            often = many(often, "time")
            story.tell(f"The stronger its colour, the more often a cell was read: {cell} was read {often}.",
                       looks=[self._heated(most, most)])  # fmt: skip

    def _heated(self, times: Mapping[Read, int], most: Mapping[Read, int]) -> Look:
        """How often each cell was read so far, as a shade and as a number."""
        classes: dict[str, list[str]] = {}
        for (k, index), often in times.items():
            shade = -(-SHADES * often // max(most.values()))
            classes.setdefault(f"heat{shade}", []).append(self.heat[k][index])
        numbers = {(f"{self.heat[k][index]}n", "text"): str(often) for (k, index), often in times.items()}
        return Look({cls: tuple(ids) for cls, ids in classes.items()}, numbers)

    def _parts(self, cell: Index) -> list[tuple[list[Read], tuple[str, ...]]]:
        """What is read for a result, part by part, and the line of each."""
        made, counted = self.made, [read for read in self.made.cells[cell] if read[0] in self.made.counted]
        last = self.made.cells[cell], self.lines[cell]
        if self.way not in ("products", "sum") or len(counted) < 2:
            return [last]
        parts = [(read,) for read in sorted(counted)]
        if self.way == "products":
            parts = sorted(pairs([(k, (k, index)) for k, index in counted]), key=lambda part: (-len(part), part[0][1]))
        values = [[exact(made.operands[k][index])[0] for k, index in part] for part in parts]
        words = ["·".join(bracketed(draw.spell(v)) for v in part) for part in values]
        sums = np.cumsum([np.prod(np.array(part, float)) for part in values]).tolist()
        head = f"{indexed(self.result, cell)} so far: "
        steps = [
            ([*part], (head, _few(words[:n], " + "), f" {sign_of_sum(values[:n], so_far)} ", draw.spell(so_far)))
            for n, (part, so_far) in enumerate(zip(parts, sums), 1)
        ]
        return [*steps[:-1], ([*parts[-1]], last[1])]

    def scene(self, refused: str = "") -> Scene:
        """The whole, the formula, some results, or all of them as they are made, and the way back; or why there is
        none."""
        made, story = self.made, Story()
        took = listed([f"{name} {_size(x)}" for name, x in zip(self.names, made.operands)])
        by = f", by {listed(self.through)}," if len(self.through) > 1 else ""
        story.tell(f"{self.title}{by} makes {_size(made.result)} from {took}: point at a cell to see who reads whom.")
        if self.formula:
            story.tell(f"{self.formula}: found from what was read, and found again in two larger runs.")
        elif on := "the numbers" if self.depends else self.telling and listed(self.telling):
            story.tell(f"Which cells are read depends on {on}: point at a result to see those of this run.")
        if made.view is not None:
            of = self.names[made.view]
            story.tell(f"{self.result} is a view of {of}: it reads the storage of {of}, and nothing is copied.")
        elif self.way == "copy" or made.cells and all(self._copied(cell) for cell in made.cells):
            story.tell(f"{self.result} is a copy: its numbers stand in a storage of their own.")
        cells = list(made.cells)
        if self.one_by_one:
            self._made(story)
        some = {cells[0], cells[-1], max(cells, key=lambda cell: len(made.cells[cell]))} if cells else set()
        for cell in sorted(some) if not self.one_by_one else ():
            story.tell(_sentence(self.lines[cell]), link=self.results[cell])
        if refused:
            story.tell(f"There is no way back: {refused}.")
        if self.flow and cells:
            story.tell("Backward: the same links, the other way. Each cell gets the sum of what its readers send.",
                       back=True)  # fmt: skip
            for k in self.backs:
                most = max(self.flow.factors[k], key=lambda index: len(self.flow.factors[k][index]), default=None)
                if most is not None:
                    story.tell(_sentence(self.back_lines[k, most]), link=self.operands[k][most], back=True)
            story.two_sided([self.links], "Forward: point at a result to see what was read for it.",
                            "Backward: point at a gradient to see what it is the sum of.")  # fmt: skip
        boards = [*self.operands, self.results, *self.backs.values(), *([self.arrives] if self.flow else [])]
        about = [f"{name}: shape {x.shape}, {x.dtype}" for name, x in zip(self.names, made.operands)]
        about += [f"{self.result}: shape {made.result.shape}", *([self.formula] if self.formula else [])]
        linked = [n for n, frame in enumerate(story.frames) if frame.link and not self.one_by_one]
        still = linked[0] if linked else min(2, len(story.frames) - 1)
        return Scene(
            self.title, 860, self.height, self.shapes, tuple(story.frames), (self.links,),
            paths=tuple(board.path(board.rows) for board in boards if len(board)),
            toggles={"g": "backward"} if self.flow and cells else {}, still=still,
            about=tuple(about),
        )  # fmt: skip


def _size(x: np.ndarray) -> str:
    return str(x.shape) if x.ndim else "(0-d)"


def _sentence(pieces: Sequence[str]) -> str:
    words = f"{''.join(pieces)}."
    return words[0].upper() + words[1:] if words.startswith(("from ", "of ")) else words


def _by_place(part: tuple) -> tuple:
    """Products in the order of their first operand's cells, then what is added by itself."""
    return -len(part), part[0][0]


def _few(parts: Sequence[str], between: str) -> str:
    shown = [*parts] if len(parts) <= TERMS else [*parts[: TERMS - 2], "...", parts[-1]]
    return between.join(shown)


def _coloured(formula: str, names: Sequence[str], y: float) -> Shape:
    """A formula whose letters have the colours of their axes."""
    parts = re.split(r"(?<![A-Za-z_.])([i-p])(?![A-Za-z_(])", formula)
    axes = [n % 2 and part not in names for n, part in enumerate(parts)]
    inks = [f"ink{min(draw.LETTERS.index(part), 4)}" if axis else "" for axis, part in zip(axes, parts)]
    size = min(16.0, (draw.RIGHT - draw.LEFT) / len(formula) / 0.602)
    return flow(*(("", ink, part) for ink, part in zip(inks, parts) if part), x=draw.LEFT, y=y, size=size)


def _counting(cell: Shape) -> Shape:
    """The cell of a count, whose number changes."""
    box, number = cell.children
    return cell._replace(children=(box, number._replace(id=f"{cell.id}n")))


def _to_come(cell: Shape) -> Shape:
    """The cell of a gradient: empty until the backward side is on."""
    box, *rest = cell.children
    back = ("back", "when-g")
    numbers = (part._replace(cls=(*part.cls, *back)) for part in rest)
    return cell._replace(children=(box, box._replace(cls=back), *numbers))
