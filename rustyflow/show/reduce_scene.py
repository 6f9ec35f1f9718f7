"""The reduction figure: the grid with its results in the margin, and what it says; the story is in reduce_story.py."""

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from ..dispatch.registry import PUBLIC
from ..errors import ArgumentValueError, CallError
from ..layout import reduced_shape
from ..ops.creation import from_numpy
from ..scene import Link, Links, Shape, draw
from ..scene.measure import shorten, width
from ..tensor import Tensor
from .kit.alignment import Index
from .kit.grids import AIR, LEFT, RIGHT, WHOLE, Plan, margin, plan, shades
from .broadcast_links import FORWARD, indexed
from .kit.cells import flow, twofold
from .words.numbers import as_written, bracketed, sign
from .words.sentences import listed, many
from .source import Source, Value, exact, look

JOINED = {"sum": " + ", "mean": " + ", "prod": " * "}
UPSTREAM = (3, 1, 2, 4, 1, 2, 5, 1, 3)
"""The gradients that arrive when none are given."""


class Picture:
    """The grid of x, with the results in its margin: right of the rows, or below the columns, that they come from."""

    def __init__(self, source: Source, op: str, dims: tuple[int, ...], bare: bool, keepdim: bool, upstream: Any):
        self.source, self.op, self.dims, self.keepdim, self.name = source, op, dims, keepdim, source.name
        inside = "" if bare else f"dim={dims[0] if len(dims) == 1 else dims}"
        kept = "keepdim=True" if keepdim else ""
        self.title = f"{self.name}.{op}({', '.join(filter(None, (inside, kept)))})"
        rank = len(source.shape)
        self.shape = reduced_shape(source.shape, dims, keepdim)
        self.plan: Plan = plan(source.shape, 1, WHOLE - 230)
        self.cells = [cell for row in self.plan.grid.rows for cell in row]
        self.number = {cell: n for n, cell in enumerate(self.cells)}
        slots = [source.offset + sum(i * s for i, s in zip(c, source.stride, strict=True)) for c in self.cells]
        self.values = source.read(slots)
        self.lanes: dict[Index, list[int]] = {}
        for n, cell in enumerate(self.cells):
            self.lanes.setdefault(tuple(0 if d in dims else i for d, i in enumerate(cell)), []).append(n)
        self.axes = listed([f"{draw.LETTERS[d]} · dim {d}" for d in dims]) if dims and rank else "nothing"
        self._compute(upstream)
        self._draw()

    def own(self, first: Index) -> Index:
        """The index of a result cell, from the first cell of its lane."""
        return tuple(i for d, i in enumerate(first) if self.keepdim or d not in self.dims)

    def _apply(self, x: Tensor) -> Tensor:
        call = PUBLIC[self.op]
        if not self.dims:
            return x if self.op != "logsumexp" else call(x, tuple(range(x.ndim)))
        whole = len(self.dims) == len(self.source.shape) and not self.keepdim
        try:
            if whole and self.op != "logsumexp":  # that one asks for dim always
                out = call(x)
            else:
                out = call(x, dim=self.dims[0] if len(self.dims) == 1 else self.dims, keepdim=self.keepdim)
        except CallError:  # it takes other arguments
            out = None
        out = out[0] if isinstance(out, tuple) and out else out
        if not isinstance(out, Tensor) or tuple(out.shape) != self.shape:
            raise ArgumentValueError(
                f"op={self.op!r}", "op takes x, dim and keepdim, and reduces", "'sum', 'mean', 'amax'"
            )
        return out

    def _compute(self, upstream: Any) -> None:
        """Results and, where all cells are drawn, the engine's gradients; factors are those of an upstream of ones."""
        array = np.asarray(self.source.array())
        result = self._apply(from_numpy(np.ascontiguousarray(array) if array.size < 1 << 22 else array))
        table = np.asarray(result.detach().numpy())
        self.results = {first: exact(table[self.own(first)])[0] for first in self.lanes}
        self.signs = dict.fromkeys(self.lanes, "=")
        if self.plan.whole and not self.plan.dots and self.cells:
            written = np.zeros_like(array)
            for cell, value in zip(self.cells, self.values, strict=True):
                written[cell] = as_written(value)
            found = np.asarray(self._apply(from_numpy(written)).detach().numpy())
            self.signs = {k: sign([exact(found[self.own(k)])[0]], [value]) for k, value in self.results.items()}
        self.back: list[Value] | None = None
        if not self.plan.whole or self.plan.dots or not self.cells:
            return
        kind = self.source.dtype if self.source.dtype in ("float32", "float64") else "float64"
        given = np.array([UPSTREAM[n % 9] for n in range(len(self.lanes))], kind).reshape(self.shape)
        if upstream is not None:
            given = np.array(
                look(upstream if hasattr(upstream, "shape") else np.asarray(upstream), "upstream").array(), kind
            )
        self.upstream = (
            {first: given[self.own(first)].item() for first in self.lanes} if given.shape == self.shape else {}
        )
        if not self.upstream:
            raise ArgumentValueError(
                f"upstream of shape {given.shape}", f"the result has shape {self.shape}", "upstream= like it"
            )
        x = from_numpy(np.array(array, kind)).requires_grad_()
        if self._apply(x).requires_grad:
            self.back, self.factors = (self._gradient(x, kind, g) for g in (given, np.ones_like(given)))
        elif upstream is not None:
            raise ArgumentValueError(
                f"op={self.op!r} with an upstream gradient", "a bool or an index has no gradient", "leave upstream out"
            )

    def _gradient(self, x: Tensor, kind: str, upstream: np.ndarray) -> list[Value]:
        x.grad = None
        out = self._apply(x)
        out.backward(from_numpy(upstream).to(out.dtype))
        grad = np.asarray(x.grad.numpy())
        return exact([grad[cell] for cell in self.cells])

    # -- drawing -----------------------------------------------------------------------------------------------------

    def _draw(self) -> None:
        made, top, side = self.plan, 108.0, self.plan.side
        note = f"shape {self.source.shape} becomes {self.shape}" if self.dims else "nothing to reduce"
        shapes: list[Shape] = list(draw.title(self.title, note, y=34))
        x, left = LEFT + 70, float(LEFT)
        for d in range(len(self.source.shape)):
            said = f"dim {d}" + ("" if d not in self.dims else " stays as 1" if self.keepdim else " disappears")
            shapes += [draw.badge(left, 68, d), draw.text(left + 30, 85, said, "muted", 15)]
            left += width(said, 15) + 56
        size = 16 if side > 32 else 14
        cells, results = [], []
        tints = (shades(self.values), shades(list(self.results.values()))) if made.dots else ()
        back = self.back or [""] * len(self.cells)
        (faces, small), (backs, other) = (draw.fitted(numbers, side - 4, size) for numbers in (self.values, back))
        for n, cell in enumerate(self.cells):
            dx, dy = made.grid.places[cell]
            if made.dots:
                cells.append(_dot(f"a{n}", x + dx, top + dy, side, tints[0][n]))
            else:
                at = x + dx, top + dy
                cells.append(twofold(f"a{n}", *at, faces[n], backs[n], "value", side, side, min(small, other)))
        right, bottom = x + made.grid.w, top + made.grid.h
        big, self.order = side if made.dots else max(side, 30.0), list(self.lanes)
        spots, beside = margin(made.grid, self.order, big) if self.order else ({}, True)
        wide = max(big, 52.0) if beside or len(self.order) == 1 else side
        coming = [self.upstream[first] for first in self.order] if self.back else [""] * len(self.order)
        (faces, small), (backs, other) = (
            draw.fitted(numbers, wide - 4, size) for numbers in (self.results.values(), coming)
        )
        for m, first in enumerate(self.order):
            dx, dy = spots[first]
            place = (x + dx + (AIR if beside else 0), top + dy + (0 if beside else 10))
            if made.dots:
                results.append(_dot(f"r{m}", *place, side, tints[1][m]))
            else:
                results.append(twofold(f"r{m}", *place, faces[m], backs[m], "", wide, side, min(small, other)))
            right, bottom = max(right, place[0] + wide), max(bottom, place[1] + big)
        shapes += [draw.text(x + a, top + b, said, "mono muted", 15) for a, b, said in made.grid.headers]
        shapes += [draw.text(x + a, top + b, "⋯", "muted", 18, "middle") for a, b in made.grid.gaps]
        shapes += [draw.group("X", *cells), draw.group("R", *results)]
        y = bottom + 36
        longest = max((len(indexed(self.title, self.own(first)) + self.expression(lane)) + 14
                       for first, lane in self.lanes.items()), default=1)  # fmt: skip
        self.size = max(15.0, min(20.0, (RIGHT - LEFT) / longest / 0.602))
        shapes.append(flow(*FORWARD, x=LEFT, y=y, size=self.size, cls="unless-g" if self.back else ""))
        if self.back:
            back = ("h0", "muted"), ("h1", "grad-ink strong"), ("h2", "muted")
            shapes.append(flow(*back, x=LEFT, y=y, size=self.size, cls="when-g"))
            shapes += self._bars(y + 18)
        self.height = y + (64 if self.back else 16)
        self.shapes = tuple(shapes)

    def _bars(self, y: float) -> list[Shape]:
        """How much gradient comes in, and how much goes out."""
        coming, going = sum(self.upstream.values()), sum(self.back or ())
        most, parts = max(abs(coming), abs(going)) or 1, []
        for k, (said, total) in enumerate((("in", coming), ("out", going))):
            wide = max(2.0, abs(total) / most * 300) if total == total else 2.0
            row = y + 20 * k
            parts += [draw.text(LEFT, row + 14, said, "muted", 15), draw.cell("", LEFT + 40, row, "", "grad", wide, 16),
                      draw.text(LEFT + 50 + wide, row + 14, draw.spell(float(total)), "mono grad-ink", 15)]  # fmt: skip
        return [draw.group("bars", *parts, cls="when-g")]

    # -- words -------------------------------------------------------------------------------------------------------

    def expression(self, lane: Sequence[int]) -> str:
        """A lane in the operation's own words: `3 + 4 + 5`, `(3 + 4 + 5) / 3`, `amax(3, 4, 5)`."""
        shown = [bracketed(draw.spell(self.values[n])) for n in lane]
        full = self.plan.whole
        shown = shown if full and len(shown) <= 12 else [*shown[:4], "...", shown[-1]]
        if self.op not in JOINED:
            return f"{self.op}({', '.join(shown)})"
        said = JOINED[self.op].join(shown)
        return f"({said}) / {self.length:,}" if self.op == "mean" else said

    def links(self) -> tuple[Links, ...]:
        """A result lights its lane, a cell its result."""
        results, cells = {}, {}
        for m, first in enumerate(self.order):
            lane, own = self.lanes[first], self.own(first)
            head, total = f"{indexed(self.title, own)} = ", draw.spell(self.results[first])
            args: tuple = (head, self.expression(lane), f" {self.signs[first]} ", total)
            if self.back is not None:
                up, out = self.upstream[first], [draw.spell(self.back[n]) for n in lane]
                head = f"{indexed('g', own)} = {draw.spell(up)} fans out over its {many(len(lane), 'cell')}: "
                room = RIGHT - LEFT - width(head, self.size, mono=True)
                args += (head, shorten(", ".join(out), room, self.size, mono=True), "")
            results[f"r{m}"] = Link((f"r{m}", *(f"a{n}" for n in lane)), args)
            for n in lane:
                here = indexed(self.name, self.cells[n])
                args = (f"{here} = {draw.spell(self.values[n])}", " goes into ", indexed(self.title, own), "")
                if self.back is not None:
                    by = draw.spell(self.factors[n])
                    grad = f"{indexed(self.name + '.grad', self.cells[n])} = "
                    equals = sign([as_written(up) * as_written(self.factors[n])], [self.back[n]])
                    args += (grad, f"{draw.spell(up)} · {by}", f" {equals} {draw.spell(self.back[n])}")
                cells[f"a{n}"] = Link((f"a{n}", f"r{m}"), args)
        sets = {(f"f{i}", "text"): (i,) for i in range(4)}
        if self.back is None:
            return Links((0, 1, 2, 3, "."), results, sets), Links((0, 1, 2, "."), cells, sets)
        sets |= {(f"h{i}", "text"): (4 + i,) for i in range(3)}
        return (
            Links({"": (0, 1, 2, 3, "."), "g": (4, 5, 6, ".")}, results, sets),
            Links({"": (0, 1, 2, "."), "g": (4, 5, 6, ".")}, cells, sets),
        )

    @property
    def length(self) -> int:
        """How many cells a lane has."""
        return prod(self.source.shape[d] for d in self.dims)


def _dot(id: str, x: float, y: float, side: float, shade: int | None) -> Shape:
    """A cell too small for its number."""
    at = (("x", round(x, 1)), ("y", round(y, 1)), ("width", side), ("height", side))
    return Shape("rect", id, ("dot", "odd" if shade is None else f"shade{shade}"), at)
