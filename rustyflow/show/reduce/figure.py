"""show.reduce: the axis that disappears, lane by lane, and one gradient that fans out over a lane again."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from math import inf, prod
from typing import Any, NamedTuple

import numpy as np

from ...claims.claim import Claim, equation
from ...claims.digits import spell
from ...dispatch.registry import PUBLIC
from ...errors import ArgumentTypeError, ArgumentValueError
from ...layout import wrap_dims
from ...scene import Figure, Frame, Look, Scene, Shape, draw
from ...scene.draw import LEFT, RIGHT
from ...scene.measure import width
from ...scene.scene import Sentence
from ...tensor.table import fill
from ..kit.alignment import Index
from ..kit.cells import Cells, Place
from ..kit.grids import BESIDE, Plan, chosen, margin
from ..kit.line import BACKWARD, FORWARD, Pointed, fitting, flow
from ..kit.story import Story
from ..kit.tracked import Opens, Tracked, opened, tracked
from ..kit.widened import widened
from ..source import Source, Value, exact, source_of, unasked
from ..words.caller import caller_text
from ..words.given import Names, named, one_name, titled
from ..words.sentences import call_of, indexed, listed, many, names_in
from .reduction import BARE, MIDDLE, PAIRED, SPREAD, Reduction

SEVERAL = "sum mean amax amin logsumexp var std nansum nanmean count_nonzero any all norm".split()
"""What reduces over several axes at once."""

GUTTER, HEAD, ROW = 88, 30, 30
"""Room at the left of a grid for its axis; above it for its name and the other axis; for the axes of its blocks."""

AWAY, BELOW, LINE, BARS, LOW = 24, 8, 32, 46, 8
"""From the rows to their results, and from the columns to theirs; then to the formula; for the bars; below all."""

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
        3 cells along j become one number: x.sum(axis=1)[1] = 3 + 4 + 5 = 12.
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
    figure = figure_of(source, op, dim if axis is None else axis, keepdim, upstream, known, by_n, titled(title) or "",
                       caller.variables)  # fmt: skip
    return widened(figure, [source])


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


class _Layout(NamedTuple):
    """The corners of the values and of the gradients, the lower ends of both, and the width of the figure.

    Gradients stand beside the values, or under them; where they are `apart`, in their place.
    """

    home: Place
    back: Place
    apart: bool
    end: float
    low: float
    width: float


class ReducePicture:
    """The grid of x with the results in its margin, and beside it, or under it, the same of gradients.

    The results stand right of the rows, or below the columns, that they come from.
    """

    def __init__(self, reduction: Reduction, upstream: Any):
        self.reduction, self.name, self.title = reduction, reduction.source.name, reduction.title
        self.shape, self.back = reduction.source.shape, None
        self.plan, self.layout = chosen(self.shape, (), self._lay)
        self.order = [cell for row in self.plan.grid.rows for cell in row]
        self.lanes: dict[Index, list[Index]] = {}
        for cell in self.order:
            self.lanes.setdefault(reduction.lane(cell), []).append(cell)
        self.axes = listed([f"{draw.letter_of(d)} · dim {d}" for d in reduction.dims])
        self._compute(upstream)
        shown = self.values.values(), self.results.values(), self.back.values() if self.back else ()
        self.plan, self.layout = chosen(
            self.shape, [number for some in shown for number in some], *(self._ways if self.back else (self._lay,))
        )  # fmt: skip
        self.back = None if self.plan.dots else self.back
        self.shapes = tuple(self._draw())
        self.links = self._point().links

    @property
    def _ways(self) -> tuple[Callable[[Plan, float], _Layout | None], ...]:
        """The ways to lay out both sides: gradients beside the values, under them, and in their place."""
        return self._lay, partial(self._lay, under=True), partial(self._lay, apart=True)

    def _lay(self, plan: Plan, tall: float, under: bool = False, apart: bool = False) -> _Layout | None:
        """The layout for a size of cells, if it fits."""
        spots, beside = self._margin(plan)
        wide = GUTTER + plan.grid.w + (AWAY + plan.wide if beside else 0)
        deep = plan.grid.h + (0 if beside or not spots else BELOW + plan.side)
        home = LEFT + GUTTER, HEAD + ROW * (len(self.shape) > 2)
        back, right = home, LEFT + wide
        if self.back and under:
            back = home[0], home[1] + deep + HEAD + 12
        elif self.back and not apart:
            back, right = (LEFT + wide + draw.BETWEEN + GUTTER, home[1]), LEFT + 2 * wide + draw.BETWEEN
        end, low = home[1] + deep, back[1] + deep
        high = max(end + LINE, low + LINE + BARS if self.back else 0) + LOW
        if beside and self.reduction.keepdim and len(self.shape) <= 2:  # the kept axis stands after the name
            named = min(plan.wide + 12, width(self.reduction.op, draw.NUMBER, mono=True, bold=True))
            right = max(right, LEFT + GUTTER + plan.grid.w + AWAY + named + 8 + 48 * len(self.reduction.dims))
        if right + LEFT <= draw.WIDE and high <= tall or tall == inf:
            return _Layout(home, back, apart, end, low, max(RIGHT, right) + LEFT)
        return None

    def _margin(self, plan: Plan) -> tuple[dict[Index, Place], bool]:
        """The places of results in the margin of a grid, and True if that is at its right."""
        firsts = dict.fromkeys(self.reduction.lane(cell) for row in plan.grid.rows for cell in row)
        return margin(plan.grid, [*firsts], plan.side) if firsts else ({}, True)

    def _compute(self, upstream: Any) -> None:
        """Results and, where all cells are drawn, the engine's gradients."""
        reduction, source = self.reduction, self.reduction.source
        slots = [source.offset + sum(i * s for i, s in zip(c, source.stride, strict=True)) for c in self.order]
        self.values = dict(zip(self.order, source.read(slots), strict=True))
        array = np.asarray(source.array())
        results = reduction.of_lanes(array, [*self.lanes])
        self.results = {first: exact(results[first])[0] for first in self.lanes}
        self.equations = {
            first: reduction.lane_claim(first, [self.values[cell] for cell in lane], array, results[first])
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
        reduction, layout, hidden = self.reduction, self.layout, "unless-g" * bool(self.back)
        note = f"shape {self.shape} becomes {reduction.shape}" if reduction.dims else "nothing to reduce"
        self.note = f"{reduction.known}: {note}" if reduction.known else note
        self.cells, self.lane_cells = self._places("a", "r", layout.home)
        named, *results = self._around(layout.home, self.name, reduction.op)
        values = [*self._axes(layout.home), named, *self._drawn(self.cells, self.values, "", "X")]
        results += self._drawn(self.lane_cells, self.results, "", "R")
        shapes = [draw.group("", *some, cls=f"piece {hidden * layout.apart}") for some in (values, results) if some]
        long = [len(str(claim)) for claim in self.equations.values()]
        size = fitting(max(long, default=1), layout.width - 2 * LEFT)
        shapes.append(draw.group("", flow(*FORWARD, x=LEFT, y=layout.end + LINE, size=size), cls=f"aside {hidden}"))
        self.cell_texts = {cell: equation(indexed(self.name, cell), value) for cell, value in self.values.items()}
        self.height: float | dict[str, float] = layout.end + LINE + LOW
        if not self.back:
            return shapes
        self.height = {"": self.height, "g": layout.low + LINE + BARS + LOW}
        self.grads, self.given = self._places("ga", "gr", layout.back)
        named, *given = self._around(layout.back, reduction.source.grad, reduction.arrives, "grad-ink")
        grads = [named, *self._drawn(self.grads, self.back, "grad")]
        given += self._drawn(self.given, self.upstream, "grad")
        self.shares = {cell: self._share(first, cell) for first, lane in self.lanes.items() for cell in lane}
        size = fitting(max((len(str(claim)) for claim in self.shares.values()), default=1), layout.width - 2 * LEFT)
        line = draw.group("", flow(*BACKWARD, x=LEFT, y=layout.low + LINE, size=size), cls="aside when-g")
        back = (draw.group("", *some, cls="piece when-g") for some in (grads, given))
        return [*shapes, *back, line, *self._bars(LEFT, layout.low + LINE + 10, 260)]

    def _places(self, letter: str, lane: str, home: Place) -> tuple[Cells, Cells]:
        """The places of the cells, and of those of the lanes in their margin."""
        (x, y), (spots, beside) = home, self._margin(self.plan)
        away = AWAY - BESIDE if beside else 0
        cells = {c: (x + dx, y + dy) for c, (dx, dy) in self.plan.grid.places.items() if c in self.values}
        return Cells(letter, cells), Cells(lane, {c: (x + dx + away, y + dy) for c, (dx, dy) in spots.items()})

    def _axes(self, home: Place) -> list[Shape]:
        """The axes with what becomes of them: the last two at the edges of the grid, others above."""
        (x, y), grid, rank, left = home, self.plan.grid, len(self.shape), float(LEFT)
        if not self.lanes:
            return []
        shapes, stays = [], "stays as 1" if self.reduction.keepdim else "disappears"
        for d in range(rank):
            goes = d in self.reduction.dims
            if d == rank - 1:
                shapes.append(draw.badge(x, y - 28, d, f"dim {d}{f' {stays}' * goes}"))
            elif d == rank - 2:
                middle = y + self._high() / 2
                shapes += [draw.badge(LEFT, middle - 30, d, f"dim {d}"),
                           *([draw.text(LEFT, middle + 12, stays, "muted")] if goes else [])]  # fmt: skip
            else:
                words = f"dim {d}{f' {stays}' * goes}"
                shapes.append(draw.badge(left, 0, d, words))
                left += width(words, draw.LABEL) + 56
        shapes += [draw.text(x + a, y + b, header, "mono muted") for a, b, header in grid.headers]
        return [*shapes, *(draw.text(x + a, y + b, "⋯", "muted", draw.NUMBER, "middle") for a, b in grid.gaps)]

    def _high(self) -> float:
        """The height of the first matrix."""
        spots = self.plan.grid.places
        first = [spots[cell][1] for cell in self.order if not any(cell[:-2])]
        return max(first) + min(first) + self.plan.side

    def _around(self, home: Place, name: str, results: str, ink: str = "") -> list[Shape]:
        """The names of a grid and of the results in its margin, with the axes that stay there as 1."""
        (x, y), (spots, beside), plan, bold = home, self._margin(self.plan), self.plan, f"mono strong {ink}"
        room = GUTTER + plan.grid.w - 12 if ink else GUTTER - 12  # there the axis stands
        shapes = [draw.text(x - GUTTER, y - 12, name, bold, draw.NUMBER, room=room)]
        if not spots:
            return shapes
        stays = self.reduction.dims if self.reduction.keepdim and not ink else ()
        u, v = next(iter(spots.values()))
        if beside:
            left, room = x + u + AWAY - BESIDE, plan.wide + (12 if stays else draw.BETWEEN - 12)
            shapes.append(draw.text(left, y - 12, results, bold, draw.NUMBER, room=room))
            end, long = left + plan.wide, 48 * len(stays)
            left, low = left + min(room, width(results, draw.NUMBER, mono=True, bold=True)) + 8, y - 28
            if len(self.shape) > 2 and left + long > self.layout.width - LEFT:
                left, low = end - long, 0  # above them, in the line of the first axes
        else:
            middle = y + v + plan.side / 2
            shapes.append(draw.text(x - GUTTER, middle + 6, results, bold, draw.NUMBER, room=GUTTER - 8))
            left, low = x + max(a for a, _ in spots.values()) + plan.wide + 12, middle - 11
        kept = (draw.badge(left + 48 * k, low, d, "1") for k, d in enumerate(stays))
        return [*shapes, draw.group("", *kept, cls="unless-g" * bool(self.back))]

    def _drawn(self, cells: Cells, numbers: Mapping[Index, Value], cls: str, id: str = "") -> list[Shape]:
        """A grid, or its margin, in numbers or shades."""
        plan, values = self.plan, list(numbers.values())
        if plan.dots:
            return [draw.group(id, *cells.dots(values, plan.side))]
        size = draw.NUMBER if plan.side >= draw.CELL else draw.LABEL
        return [draw.group(id, *cells.draw(values, plan.wide, plan.side, size, cls))]

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
            row = y + 20 * k
            parts += [draw.text(x, row + 13, way, "muted"), draw.cell("", x + 32, row, "", "grad", wide, draw.DOT),
                      draw.text(x + 40 + wide, row + 13, spell(total), "mono grad-ink")]  # fmt: skip
        return [draw.group("bars", *parts, cls="piece when-g")]

    def _share(self, first: Index, cell: Index) -> Claim:
        """The gradient of a cell of a lane."""
        numbers = self.upstream[first], self.factors[cell], self.values[cell], self.results[first], self.back[cell]
        return self.reduction.share_claim(cell, *numbers)

    def _becomes(self, first: Index) -> str:
        """Says which cells become a result, and what they come to."""
        cells, dims = self.reduction.length, self.reduction.dims
        along = f" along {listed([draw.letter_of(d) for d in dims])}" if dims else ""
        return f"{many(cells, 'cell')}{along} become{'s' * (cells == 1)} one number: {self.equations[first]}."

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
            result, back = self.lane_cells[first], "".join(self._fans(first)) + "." if self.back else ""
            for id in (result, self.given[first]) if self.back else (result,):
                pointed.at(id, (result, *self.cells.of(lane)), self.equations[first].pieces,
                           lights_back=(self.given[first], *self.grads.of(lane)) if self.back else None,
                           sentence=self._becomes(first), sentence_back=back)  # fmt: skip
            for cell in lane:
                goes, here = indexed(self.title, self.reduction.own(first)), [self.cells[cell]]
                pieces, sentence_back = (), ""
                if self.back:
                    pieces = self.shares[cell].pieces
                    here.append(self.grads[cell])
                    sentence_back = f"Its part of {indexed(self.reduction.arrives, self.reduction.own(first))}: "
                    sentence_back += f"{self.shares[cell]}."
                for id in here:
                    pointed.at(id, (here[0], result), (), pieces,
                               lights_back=(*here, self.given[first]) if self.back else None,
                               sentence=f"{self.cell_texts[cell]} goes into {goes}.",
                               sentence_back=sentence_back)  # fmt: skip
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
                story.tell(self._becomes(first), link=results[first])
            stays, gone, it = ("stays", "is gone", "it") if len(reduction.dims) == 1 else ("stay", "are gone", "them")
            # without a dim there is no keepdim to write
            keep = "keepdims" if reduction.source.numpy else "keepdim"
            bare = reduction.whole or reduction.op in BARE
            less = gone if bare else f"{gone}; {keep}=True would leave {it}, with size 1"
            slot = f"{stays}, with size 1" if reduction.keepdim else less
            sentence = f"{reduction.source.shape} has become {reduction.shape}: {self.axes} {slot}."
            fans = "Backward: each gradient that arrives fans out over its lane again."
            story.tell(self._both(sentence, fans), "results", looks=self._lies_down())
        still = min(2, len(story.frames) - 1)
        if self.back and order:
            self._backward(story)
            forward = f"{self.title} has {shape}: each of its cells is made of one lane of {self.name}."
            story.two_sided(self.links, forward, turned)
        return Scene(
            reduction.heading, self.layout.width, self.height, self.shapes, tuple(story.frames), self.links,
            self._paths(), {"g": "backward"} if self.back else {}, still, reduction.about, note=self.note,
            flows={"": (("a", "r"),), **({"g": (("gr", "ga"),)} if self.back else {})},
        )  # fmt: skip

    def _lies_down(self) -> list[Look]:
        """The look of results that lie down in one line, since the axis is gone along which they stood."""
        _, beside = self._margin(self.plan)
        if self.reduction.keepdim or len(self.shape) != 2 or not beside or self.plan.dots or not self.reduction.dims:
            return []
        (x, y), step = next(iter(self.lane_cells.places.values())), self.plan.wide + draw.GAP
        if x + step * len(self.lane_cells) > self.layout.width - LEFT:
            return []
        return [Look({}, {(id, "transform"): draw.place(x + step * n, y) for n, id in enumerate(self.lane_cells.ids)})]

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
