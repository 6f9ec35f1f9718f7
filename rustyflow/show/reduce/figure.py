"""show.reduce: the axis that disappears, lane by lane, and one gradient that fans out over a lane again."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from math import prod
from typing import Any

import numpy as np

from ...claims.claim import Claim, equation
from ...claims.digits import spell
from ...dispatch.registry import PUBLIC
from ...errors import ArgumentTypeError, ArgumentValueError
from ...layout import wrap_dims
from ...scene import Figure, Frame, Scene, Shape, draw
from ...scene.measure import width
from ...scene.scene import Sentence
from ...tensor.table import fill
from ..kit.alignment import Index
from ..kit.cells import Cells
from ..kit.grids import AIR, LEFT, MORE, RIGHT, WHOLE, margin, plan, readable
from ..kit.line import Pointed, fitting, line
from ..kit.story import Story
from ..kit.tracked import Opens, Tracked, opened, tracked
from ..source import Source, Value, exact, source_of, unasked
from ..words.caller import caller_text
from ..words.given import Names, named, one_name, titled
from ..words.sentences import call_of, indexed, listed, many, names_in
from .reduction import BARE, MIDDLE, PAIRED, SPREAD, Reduction

SEVERAL = "sum mean amax amin logsumexp var std nansum nanmean count_nonzero any all norm".split()
"""What reduces over several axes at once."""

BOTH, BESIDE = 98, 47
"""The room of a grid with a line of results below it when a projector shows it and that of its gradients; how much more
there is where results stand beside it."""

FRAMED, FANNED = 5, 8
"""How many lanes have a frame each; to how many cells of one a sentence tells what they get."""


def reduce(
    x: Any, op: str | Callable = "sum", dim: int | Sequence[int] | None = None, keepdim: bool = False, *,
    axis: int | Sequence[int] | None = None, upstream: Any = None, name: str | None = None,
    names: Names = None, title: str | None = None,
) -> Figure:  # fmt: skip
    """Shows what a reduction does to a shape: every lane along `dim` becomes one number.

    Point at a result to see its lane, at a cell to see where it goes. `g` turns to the backward side: each upstream
    gradient fans out over its lane, times the derivative of the operation: 1 for sum, 1/n for mean, 1 or 0 for max.

    Args:
        x: a rustyflow tensor, a NumPy array or a PyTorch tensor; of one of more than 4 axes the shapes are told. Whole
            numbers have no gradients, and no backward side.
        op: 'sum', 'mean', 'prod', 'amax', 'amin', 'max', 'min', 'logsumexp', 'var' ..., or a function of that name. Of
            an array, or by NumPy's function, 'var' and 'std' divide by n, and 'median' takes the mean of two in the
            middle, as NumPy's do; like these, 'mean' takes an array of whole numbers, too.
        dim: the axis or axes that disappear; default: all.
        keepdim: leave them with size 1. axis: NumPy's word for dim.
        upstream: the gradient that arrives, of the result's shape; default: small unequal integers.
        name: what to call x; default: the name in the calling line. names: the same as a list, ["x"].
        title: the title; default: the reduction of that name.

    Raises:
        TypeError: not a tensor or array, both dim and axis, both name and names; a name or a title that is no text.
        IndexError: no such dim. ValueError: no such operation, an upstream gradient for what has none, more than one
        name. ShapeError (a RuntimeError): an upstream gradient of another shape than the result.

    Example:
        >>> import rustyflow as rf
        >>> import numpy as np
        >>> figure = rf.show.reduce(np.arange(6.0).reshape(2, 3), "sum", 1, name="x")
        >>> print(figure.state(link="r1").sentence)
        x.sum(axis=1)[1] = 3 + 4 + 5 = 12.
        >>> print(figure.state(link="r1", toggles=("g",)).sentence)
        g[1] = 1 fans out over its 3 cells: [1, 1, 1].
    """
    caller, names = caller_text((x,)), one_name(name, names)
    called = named(names, [x], caller.names([x]))
    source, known = source_of(x, called[0]), caller.letters(called)[0] if names is None else ""
    whose = None if isinstance(op, str) else (getattr(op, "__module__", None) or "").partition(".")[0]
    op = op if isinstance(op, str) else getattr(op, "__name__", repr(op))
    if dim is not None and axis is not None:
        raise ArgumentTypeError(f"dim={dim} and axis={axis}", "axis is NumPy's word for dim: give one", f"dim={dim}")
    by_n = source.numpy if whose is None else whose == "numpy"
    return figure_of(source, op, dim if axis is None else axis, keepdim, upstream, known, by_n, titled(title) or "",
                     caller.variables)  # fmt: skip


def scene_of(*told: Any, **more: Any) -> Scene:
    """Returns the scene of `figure_of`, in which nothing opens."""
    return figure_of(*told, **more).scene


def figure_of(
    source: Source, op: str, dim: int | Sequence[int] | None = None, keepdim: bool = False, upstream: Any = None,
    known: str = "", by_n: bool = False, heading: str = "", variables: Mapping[str, Any] | None = None,
) -> Figure:  # fmt: skip
    """Returns the figure of a reduction.

    `known` says what the source's name stands for, where the program has no such name. Default heading: the reduction.
    `variables`: of the program, for names of what x was made of.

    `by_n`: var, std and median are as NumPy's, which divide by n and not by n - 1, and take the mean of two.
    """
    fill()
    if op not in PUBLIC:
        rule = "op is a reduction that a tensor has as a method"
        raise ArgumentValueError(f"op={op!r}", rule, "'sum', 'mean', 'amax', 'max', 'norm'")
    dims, keepdim = wrap_dims(dim, len(source.shape)), keepdim and bool(source.shape)
    whole = len(dims) == len(source.shape) > 1 and not keepdim and op not in SEVERAL  # which take no tuple
    bare = (dim is None and not keepdim or whole) and op != "logsumexp"  # which asks for dim always
    arguments = {} if bare else {"dim": dims[0] if len(dims) == 1 else dims if dims or dim is None else dim}
    arguments |= {"keepdim": True} if keepdim else {}
    correction = 0 if by_n and op in SPREAD else 1
    if op in SPREAD and correction == source.numpy:  # another than is taken where none is given
        arguments["correction"] = correction
    title = call_of(source.name, op, arguments, source.numpy)
    title += ".values" * (op in PAIRED and ("dim" in arguments or op == "mode") and not source.numpy)
    reduction = Reduction(source, op, dims, keepdim, title, bare, known, correction, by_n and op in MIDDLE,
                          heading or title)  # fmt: skip
    with draw.lettered(names_in([title, known, heading])):
        if len(source.shape) > 4:
            return Figure(_told(reduction))
        picture = ReducePicture(reduction, upstream)
        world = picture.world(variables)
        return Figure(picture.scene(), world, world and (lambda: opened(world, picture.opens())))


def _told(reduction: Reduction) -> Scene:
    """A reduction of more axes than are drawn."""
    shape, lanes = reduction.source.shape, f"{many(prod(reduction.shape), 'lane')} of {many(reduction.length, 'cell')}"
    sentence = f"{shape} becomes {reduction.shape}: {lanes}, each of which becomes one number."
    note = f"cells of {len(shape)} axes are not drawn; those of 4 are"
    return Scene(reduction.heading, 860, 8, (), (Frame(sentence),), about=(*reduction.about, note), note=note)


class ReducePicture:
    """The grid of x with the results in its margin, and under it the same of gradients.

    The results stand right of the rows, or below the columns, that they come from.
    """

    def __init__(self, reduction: Reduction, upstream: Any):
        self.reduction, self.name, self.title = reduction, reduction.source.name, reduction.title
        self.plan, self.x = plan(reduction.source.shape, 1, WHOLE - 230), LEFT + 70
        self.order = [cell for row in self.plan.grid.rows for cell in row]
        self.lanes: dict[Index, list[Index]] = {}
        for cell in self.order:
            self.lanes.setdefault(reduction.lane(cell), []).append(cell)
        self.axes = listed([f"{draw.letter_of(d)} · dim {d}" for d in reduction.dims])
        self._compute(upstream)
        if self.plan.whole and not self.plan.dots:
            results, room, more = self.results.values(), WHOLE - 230, MORE
            wanted = readable(self.values.values(), results, self.back.values() if self.back else ())
            if self.back:  # two grids, each with its results at the right, or in a line below
                room, more = BOTH + BESIDE * margin(self.plan.grid, list(self.lanes), 30)[1], MORE / 2
            most = RIGHT - self.x - (AIR + 52 if len(self.lanes) > 1 else 0)
            plans = (plan(reduction.source.shape, 1, room, wide, more) for wide in (*range(wanted, 22, -2), 0))
            self.plan = next((each for each in plans if each.grid.w <= most), self.plan)
        self.shapes = tuple(self._draw())
        self.links = self._point().links

    def _compute(self, upstream: Any) -> None:
        """Results and, where all cells are drawn, the engine's gradients."""
        reduction, source = self.reduction, self.reduction.source
        slots = [source.offset + sum(i * s for i, s in zip(c, source.stride, strict=True)) for c in self.order]
        self.values = dict(zip(self.order, source.read(slots), strict=True))
        array = np.asarray(source.array())
        table = reduction.of(np.array(array, order="C") if array.size < 1 << 22 else array)
        self.results = {first: exact(table[reduction.own(first)])[0] for first in self.lanes}
        self.equations = {
            first: reduction.lane_claim(first, [self.values[cell] for cell in lane], array, table[reduction.own(first)])
            for first, lane in self.lanes.items()
        }
        self.back: dict[Index, Value] | None = None
        if not self.plan.whole or self.plan.dots or not self.order:
            return
        if flow := reduction.gradients(array, upstream):
            given, back, factors = flow
            self.upstream = {first: given[reduction.own(first)].item() for first in self.lanes}
            self.back, self.factors = (
                dict(zip(self.order, exact([some[cell] for cell in self.order]), strict=True))
                for some in (back, factors)
            )

    def _draw(self) -> list[Shape]:
        reduction, shape = self.reduction, self.reduction.source.shape
        note = f"shape {shape} becomes {reduction.shape}" if reduction.dims else "nothing to reduce"
        note = f"{reduction.known}: {note}" if reduction.known else note
        self.note, shapes, top, left = note, [], 24.0, float(LEFT)
        for d in range(len(shape)):
            goes = " stays as 1" if reduction.keepdim else " disappears"
            fate = f"dim {d}{goes if d in reduction.dims else ''}"
            shapes += [draw.badge(left, top, d), draw.text(left + 30, top + 17, fate, "muted", 15)]
            left += width(fate, 15) + 56
        self.cells, self.lane_cells, low = self._places("a", "r", top + 56)
        shapes += [*self._grid(self.cells), *self._drawn(self.cells, self.values, "value", "X"),
                   *self._drawn(self.lane_cells, self.results, "", "R")]  # fmt: skip
        long = [len(str(claim)) for claim in self.equations.values()]
        ends = max((len(indexed(self.title, reduction.own(first))) for first in self.lanes), default=1)
        self.cell_texts = {cell: equation(indexed(self.name, cell), value) for cell, value in self.values.items()}
        long += [len(f"{claim} goes into ") + ends for claim in self.cell_texts.values()]
        size, y = fitting(max(long, default=1)), low + 36
        self.height: float | dict[str, float] = y + 16
        if not self.back:
            return [*shapes, *line(y, size)]
        start = low
        self.grads, self.given, low = self._places("ga", "gr", start + 56)
        back = [*self._grid(self.grads), *self._drawn(self.grads, self.back, "grad"),
                *self._drawn(self.given, self.upstream, "grad")]  # fmt: skip
        (x, _), (u, v) = (next(iter(cells.places.values())) for cells in (self.grads, self.given))
        ink, room = "mono strong grad-ink", x - LEFT + self._across() / 2 - 20
        at = (u, v - 10, reduction.arrives, ink, 16) if u > x else (u - 12, v + 22, reduction.arrives, ink, 16, "end")
        back += [draw.text(LEFT, start + 44, reduction.source.grad, ink, 16, room=room), draw.text(*at)]
        right = max(x for cells in (self.grads, self.given) for x, _ in cells.places.values()) + self.plan.wide + 60
        long = min(200, RIGHT - right - 120)
        beside = long >= 80
        bars = self._bars(right, start + 76, long) if beside else self._bars(LEFT, low + 46, 300)
        self.height = {"": y + 16, "g": low + (52 if beside else 98)}
        self.shares = {cell: self._share(first, cell) for first, lane in self.lanes.items() for cell in lane}
        small = fitting(max(*(len("".join(self._fans(first))) for first in self.lanes),
                            *(len(str(claim)) for claim in self.shares.values())))  # fmt: skip
        lines = line(y, size, 4)[0], line(low + 36, small, 4)[1]
        return [*shapes, draw.group("", *back, cls="when-g"), *lines, *bars]

    def _places(self, letter: str, lane: str, top: float) -> tuple[Cells, Cells, float]:
        """The places of the cells, and of those of the lanes in their margin; and the end of both."""
        grid, side, wide, order = self.plan.grid, self.plan.side, self.plan.wide, list(self.lanes)
        cells = Cells(letter, {c: (self.x + x, top + y) for c, (x, y) in grid.places.items() if c in self.values})
        big = side if self.plan.dots else max(side, 30.0)
        spots, beside = margin(grid, order, big) if order else ({}, True)
        self.wide = (wide if self.plan.dots else max(wide, 52.0)) if beside or len(order) == 1 else wide
        self.big = side if beside else big  # beside the rows results are as high as these
        away = AIR if beside else 0
        places = {c: (self.x + x + away, top + y) for c, (x, y) in spots.items()}
        return cells, Cells(lane, places), max([top + grid.h, *(y + big for _, y in places.values())])

    def _grid(self, cells: Cells) -> list[Shape]:
        """The letters of the last two axes beside the first rows and columns, headers of blocks, marks of gaps."""
        shape, grid, places = self.reduction.source.shape, self.plan.grid, list(cells.places.values())
        if not shape or not places:
            return []
        (x, y), (dx, dy) = places[0], grid.places[self.order[0]]
        left, top = x - dx, y - dy
        shapes = [draw.badge(x + self._across() / 2 - 12, top - 28, len(shape) - 1)]
        if len(shape) > 1:
            high = len({v for (*outer, _, _), (_, v) in cells.places.items() if not any(outer)})
            shapes.append(draw.badge(x - 32, y + high * (self.plan.side + 2) / 2 - 12, len(shape) - 2))
        shapes += [draw.text(left + a, top + b, header, "mono muted", 15) for a, b, header in grid.headers]
        return shapes + [draw.text(left + a, top + b, "⋯", "muted", 18, "middle") for a, b in grid.gaps]

    def _across(self) -> float:
        """The width of the first matrix."""
        spots, row = self.plan.grid.places, self.plan.grid.rows[0]
        return spots[row[-1]][0] + self.plan.wide - spots[row[0]][0]

    def _drawn(self, cells: Cells, numbers: Mapping[Index, Value], cls: str, id: str = "") -> list[Shape]:
        """A grid, or its margin, in numbers or shades."""
        side, small, lane = self.plan.side, self.plan.dots, numbers is not self.values and numbers is not self.back
        if small:
            return [draw.group(id, *cells.dots(list(numbers.values()), side))]
        wide, high = (self.wide, self.big) if lane else (self.plan.wide, side)
        return [draw.group(id, *cells.draw(list(numbers.values()), wide, high, 16 if side > 32 else 14, cls))]

    @staticmethod
    def _total(numbers: Mapping[Index, Value]) -> float:
        """The sum of gradients; 0 where only what rounding left of them is."""
        total, size = float(sum(numbers.values())), sum(map(abs, numbers.values()))
        return 0.0 if abs(total) < 1e-6 * size else total

    def _bars(self, x: float, y: float, long: float) -> list[Shape]:
        """Bars for the gradient that comes in, and for that which goes out."""
        coming, going = self._total(self.upstream), self._total(self.back)
        most, parts = max(abs(coming), abs(going)) or 1, []
        for k, (way, total) in enumerate((("in", coming), ("out", going))):
            wide = max(2.0, abs(total) / most * long) if total == total else 2.0
            row = y + 24 * k
            parts += [draw.text(x, row + 14, way, "muted", 15), draw.cell("", x + 40, row, "", "grad", wide, 16),
                      draw.text(x + 50 + wide, row + 14, spell(total), "mono grad-ink", 15)]  # fmt: skip
        return [draw.group("bars", *parts, cls="when-g")]

    def _share(self, first: Index, cell: Index) -> Claim:
        """The gradient of a cell of a lane."""
        numbers = self.upstream[first], self.factors[cell], self.values[cell], self.results[first], self.back[cell]
        return self.reduction.share_claim(cell, *numbers)

    def _arrives(self, first: Index) -> str:
        return equation(indexed(self.reduction.arrives, self.reduction.own(first)), self.upstream[first])

    def _fans(self, first: Index) -> tuple[str, str]:
        """Says how a gradient that arrives becomes those of its lane."""
        lane = self.lanes[first]
        return f"{self._arrives(first)} fans out over its {many(len(lane), 'cell')}: ", self._spread(lane)

    def _spread(self, lane: Sequence[Index]) -> str:
        """The gradients of a lane, of a long one those of the first cells."""
        more = f" and {len(lane) - FANNED} more" if len(lane) > FANNED else ""
        return equation("", [self.back[cell] for cell in lane[:FANNED]]) + more

    def _point(self) -> Pointed:
        """Lets a result light its lane, and a cell its result."""
        pointed = Pointed(4 if self.back else 0)
        for first, lane in self.lanes.items():
            result, pieces = self.lane_cells[first], self.equations[first].pieces
            goes = indexed(self.title, self.reduction.own(first))
            back = self._fans(first) if self.back else ()
            for id in (result, self.given[first]) if self.back else (result,):
                pointed.at(id, (result, *self.cells.of(lane)), pieces, back,
                           lights_back=(self.given[first], *self.grads.of(lane)) if self.back else None)  # fmt: skip
            for cell in lane:
                pieces, here = (self.cell_texts[cell], " goes into ", goes), [self.cells[cell]]
                if self.back:
                    back = self.shares[cell].pieces
                    here.append(self.grads[cell])
                for id in here:
                    pointed.at(id, (here[0], result), pieces, back,
                               lights_back=(*here, self.given[first]) if self.back else None)  # fmt: skip
        return pointed

    def world(self, variables: Mapping[str, Any] | None = None) -> Tracked | None:
        """The numbers of a reduction of which all cells are drawn, each of which opens."""
        reduction, lanes = self.reduction, {self.reduction.own(first): first for first in self.lanes}
        if not self.plan.whole or not self.order:
            return None
        each = [lanes[index] for index in np.ndindex(reduction.shape)]
        up = np.reshape([self.upstream[first] for first in each], reduction.shape) if self.back else None
        drawn = np.reshape([self.results[first] for first in each], reduction.shape)
        return tracked(reduction.apply, [reduction.source], drawn, name=self.title, gradient=up,
                       arrives=reduction.arrives, variables=variables)  # fmt: skip

    def opens(self) -> Iterator[Opens]:
        """Yields the cells with what each opens: its value, on the backward side the gradient of that."""
        own = self.reduction.own
        back = [(self.grads, self.given), (self.cells, self.lane_cells)] if self.back else []
        for cells, lanes in back:
            yield from (Opens(cells[cell], "g", 0, cell, True) for cell in cells)
            yield from (Opens(lanes[first], "g", -1, own(first), True) for first in lanes)
        yield from (Opens(self.cells[cell], "", 0, cell) for cell in self.cells)
        yield from (Opens(self.lane_cells[first], "", -1, own(first)) for first in self.lane_cells)

    def scene(self) -> Scene:
        """Tells the whole, the lanes one by one, what is left of the shape, and the way back."""
        reduction, story, order = self.reduction, Story(), list(self.lanes)
        shape, results = f"shape {reduction.shape}", self.lane_cells
        turned = "Backward: point at a gradient that arrives, or at a cell that gets one."
        point = ": point at a result to see its lane, at a cell to see where it goes"
        whole = f"{self.title} has {shape}{point}."
        if not order:
            whole = f"{self.name} has no cells, and {self.title} has {shape}{self._of_nothing()}."
        whole += f" Here {reduction.known}." if reduction.known else ""
        story.tell(self._both(whole, turned), picture=point)
        if order and reduction.dims:
            lanes, cells = many(prod(reduction.shape), "lane"), many(reduction.length, "cell")
            story.later("results", off=("R",))
            lit = self.cells.of(self.lanes[order[0]])
            middle = f" Of the two in the middle {'the mean' if reduction.between else 'the lower one'} is taken."
            real = all(value == value for value in self.results.values())
            middle *= reduction.op == "median" and reduction.length > 0 and reduction.length % 2 == 0 and real
            story.tell(f"Along {self.axes}, {self.name} has {lanes} of {cells}.{middle}", lit=lit)
            for m, first in enumerate(order[:FRAMED]):
                story.later("results", off=results.ids[m + 1 :])
                story.tell(f"{self.equations[first]}.", link=results[first])
            stays, gone, it = ("stays", "is gone", "it") if len(reduction.dims) == 1 else ("stay", "are gone", "them")
            # without a dim there is no keepdim to write
            keep = "keepdims" if reduction.source.numpy else "keepdim"
            bare = reduction.whole or reduction.op in BARE
            less = gone if bare else f"{gone}; {keep}=True would leave {it}, with size 1"
            slot = f"{stays}, with size 1" if reduction.keepdim else less
            sentence = f"{reduction.source.shape} has become {reduction.shape}: {self.axes} {slot}."
            fans = "Backward: each gradient that arrives fans out over its lane again."
            story.tell(self._both(sentence, fans), "results")
        still = min(2, len(story.frames) - 1)
        if self.back and order:
            self._backward(story)
            forward = f"{self.title} has {shape}: each of its cells is made of one lane of {self.name}."
            story.two_sided(self.links, forward, turned)
        return Scene(
            reduction.heading, 860, self.height, self.shapes, tuple(story.frames), self.links, self._paths(),
            {"g": "backward"} if self.back else {}, still, reduction.about, note=self.note,
        )  # fmt: skip

    def _of_nothing(self) -> str:
        """Says what the results are that are made of no cells, if there are any."""
        reduction = self.reduction
        if not prod(reduction.shape):
            return ": there is nothing to reduce"
        values = exact(reduction.of(np.asarray(reduction.source.array())))
        results, lanes = listed([*{equation("", value): None for value in values}]), many(prod(reduction.shape), "lane")
        return f": {lanes} of no cells, and of nothing {reduction.op} makes {results}"

    def _paths(self) -> tuple[tuple[tuple[str, ...], ...], ...]:
        """The ways of the arrow keys: over cells, results, and gradients."""
        rows, grids = self.plan.grid.rows, [self.cells, *([self.grads] if self.back else [])]
        lanes = [self.lane_cells, *([self.given] if self.back else [])]
        return tuple(path for cells, some in zip(grids, lanes, strict=True) for path in (cells.path(rows), (some.ids,)))

    def _both(self, forward: str, backward: str) -> Sentence:
        """The sentences of a figure of two sides; of one without a gradient the first alone."""
        return {"": forward, "g": backward} if self.back else forward

    def _backward(self, story: Story) -> None:
        """Tells what arrives, how it fans out over the first lane, and that no gradient is lost."""
        reduction, lanes, op = self.reduction, self.lanes, self.reduction.op
        first, lane = next(iter(lanes.items()))
        how = {"sum": "times 1", "mean": f"times 1/{reduction.length}"}.get(op, "times what the operation says")
        come = "comes, for the one result" if len(lanes) == 1 else "come, one for each result"
        story.later("gradients", back=True, waiting=self.grads.ids, off=("bars",))
        story.tell(f"Backward: {many(len(lanes), 'upstream gradient')} {come}.{unasked([reduction.source])}", back=True)
        sentence = f"{self._arrives(first)} fans out over its lane, {how}: {self._spread(lane)}."
        story.tell(sentence, "gradients", link=self.lane_cells[first], back=True)
        if op in ("max", "min", "amax", "amin"):
            self._ties(story)
        going, coming = (equation("", self._total(some)) for some in (self.back, self.upstream))
        story.tell(f"Gradient in: {coming}; gradient out: {going}: reduce forward, expand backward.", back=True)

    def _ties(self, story: Story) -> None:
        """The first lane in which several cells are the largest, or the smallest, and what they get."""
        for first, lane in self.lanes.items():
            same = [cell for cell in lane if self.values[cell] == self.results[first]]
            if len(same) > 1:
                cells = listed([indexed(self.name, cell) for cell in same])
                shared = self.reduction.op[0] == "a" or self.reduction.whole
                rule = "shares the gradient equally" if shared else "gives the gradient to one of them"
                story.tell(f"{cells} are equal: {self.reduction.op} {rule}.", link=self.lane_cells[first], back=True)
                return
