"""show.broadcast: how shapes meet, which stored number each result reads, and how gradients are summed back."""

import re
from collections.abc import Callable, Container, Sequence
from functools import reduce
from itertools import chain, count
from math import prod
from typing import Any

import numpy as np

from ..dispatch.operation import OPS
from ..dispatch.registry import PUBLIC
from ..errors import ArgumentTypeError, ArgumentValueError, CallError
from ..ir.formula import rules
from ..ir.text import clean
from ..layout import flat_index
from ..ops.creation import from_numpy
from ..scene import Figure, Look, Scene, Shape, draw
from ..scene.measure import shorten, width, wrap
from ..tensor.table import fill
from .kit.alignment import Alignment, Index
from .kit.cells import Cells
from .kit.grids import BESIDE, LEFT, OPERANDS, RIGHT, WHOLE, margin, plan, readable
from .kit.line import Pointed, fitting, line
from .kit.story import Story
from .kit.table import Table
from .shapes import alone
from .source import Source, Value, exact, look, summary, upstream_of
from .words.caller import words
from .words.numbers import UPSTREAM, as_written, bracketed, sign
from .words.sentences import SYMBOLS, indexed, listed, many, written

ALIASES = {
    **{symbol: name for name, symbol in SYMBOLS.items()}, "subtract": "sub", "multiply": "mul", "divide": "div",
    "true_divide": "div", "truediv": "div", "power": "pow", "float_power": "pow",
}  # fmt: skip

PRODUCTS = 44
"""A sum of products is written out when it is no longer than so many characters; a longer one as a sum of numbers."""

SENDS = "Backward: point at a gradient that arrives to see where it goes, at a number to see the sum that it gets."


def broadcast(
    *tensors: Any, op: str | Callable = "+", upstream: Any = None, names: Sequence[str] | None = None,
    title: str | None = None,
) -> Figure:  # fmt: skip
    """How shapes align from the right, what is repeated, and where each number of the result comes from.

    Point at a result cell to see what it reads; at a stored number to see all its readers. `g` turns to the backward
    side: the upstream gradient falls back along the same links and is summed over the repeated axes.

    Args:
        tensors: two or more rustyflow tensors, NumPy arrays, PyTorch tensors or Python numbers. Shapes that clash are
            drawn with the changes that would make them fit. Rank above 4 is shown as a table of shapes.
        op: an elementwise operation: `"+"`, `"mul"`, `rustyflow.maximum`, `np.subtract` ... With more than two operands
            it is applied from left to right.
        upstream: the gradient that arrives at the result, of its shape; default: small unequal integers.
        names: what to call the tensors; default: the names in the calling line.
        title: the program; default: the names joined by the operation.

    Raises:
        TypeError: an argument is no tensor, array or number. ValueError: fewer than two tensors, an unknown operation,
        or the wrong number of names. ShapeError (a RuntimeError): `upstream` has another shape than the result.

    Example:
        >>> import rustyflow as rf
        >>> import numpy as np
        >>> figure = rf.show.broadcast(np.array([[10], [20], [30]]), np.array([1, 2, 3, 4]), names=["a", "b"])
        >>> print(figure.state(link="r6").sentence)
        (a + b)[1, 2] = a[1, 0] + b[2] = 20 + 3 = 23.
        >>> print(figure.state(link="a4", toggles=("g",)).sentence)
        a.grad[1, 0] = 3 + 1 + 2 + 1 = 7, summed over j · dim 1, the axis along which a was repeated.
    """
    if len(tensors) < 2:
        raise ArgumentValueError(
            f"{len(tensors)} tensors", "broadcasting is between two or more", "show.broadcast(a, b)"
        )
    if word := next((x for x in tensors if isinstance(x, str)), None):
        raise ArgumentTypeError(
            f"{word!r} among the tensors", "the operation has a name of its own", f"show.broadcast(..., op={word!r})"
        )
    if names is not None and len(names) != len(tensors):
        raise ArgumentValueError(
            f"{len(names)} names, {len(tensors)} tensors", "each tensor has one name", "names=['a', 'b']"
        )
    caller = words(len(tensors))
    said = caller.arguments if names is None else ()
    called = [clean(str(name)) for name in names] if names is not None else _called(said, caller.variables)
    op = _operation("add" if op is None else op if isinstance(op, str) else getattr(op, "__name__", repr(op)))
    sources = [
        look(np.asarray(x) if isinstance(x, bool | int | float) else x, name)
        for x, name in zip(tensors, called, strict=True)
    ]
    made = [f"{name} = {code}" for name, code in zip(called, said, strict=False) if code and code != name]
    wants = [bool(getattr(x, "requires_grad", False)) for x in tensors]
    program = title or ",  ".join([written(op, called), *made])
    return Figure(scene_of(sources, op, upstream, wants if any(wants) else None, program))


def _called(arguments: Sequence[str | None], variables: Container[str]) -> list[str]:
    free = (name for name in chain("abcdefgh", (f"x{k}" for k in count())) if name not in variables)
    return [name if name and name.isidentifier() else next(free) for name in arguments]


def scene_of(
    sources: Sequence[Source], op: str, upstream: Any = None, asked: Sequence[bool] | None = None, title: str = ""
) -> Scene:
    """The scene of operands that meet; of shapes that clash, or have more than four axes, that of the shapes alone.

    `asked` are the operands that want their gradient; default: all.
    """
    if len(sources) > len(OPERANDS):
        raise ArgumentValueError(
            f"{len(sources)} tensors", f"at most {len(OPERANDS)} fit into one figure", "show fewer at once"
        )
    op, names, shapes = _operation(op), [source.name for source in sources], [source.shape for source in sources]
    stored = [prod(n for n, s in zip(x.shape, x.stride, strict=True) if s) if x.numel else 0 for x in sources]
    table = Table(names, shapes, op, title, sum(stored), [source.dtype for source in sources])
    if table.met.shape is None:
        return alone(table)
    arrives = None if upstream is None else upstream_of(upstream, table.met.shape)
    if table.met.rank > 4:
        return alone(table)
    return _Picture(_Meeting(sources, op, table.met), table, arrives, asked or [True] * len(sources)).scene()


def _operation(op: str) -> str:
    """The name of an operation in rustyflow."""
    fill()
    name = ALIASES.get(op, op)
    if name not in PUBLIC or name.endswith("_"):
        raise ArgumentValueError(
            f"op={op!r}",
            "op is an elementwise operation of rustyflow",
            "op='+', op='mul', op='maximum'; show.matmul(a, b) for a product of matrices",
        )
    return name


class _Meeting:
    """What is computed: what each cell of the result reads from each operand, what it comes to, what flows back.

    Attributes:
        values: for each operand the numbers that the cells of the result read; at the end what they come to.
        back: for each operand the gradients of its copies, or None; at the end those that arrive.
        totals: for each operand its own gradient, or None where none flows. two_sided: whether any does.
        readers: for each operand the cells of the result that read its cells, by their own index.
    """

    def __init__(self, sources: Sequence[Source], op: str, met: Alignment):
        self.sources, self.op, self.met = sources, op, met
        self.names = [source.name for source in sources]
        self.operands = range(len(sources))
        self.result = written(op, self.names)
        self.whole = f"({self.result})" if " " in self.result and self.result[-1] != ")" else self.result
        rules = [self.rule(k, [f"#{n}" for n in self.operands]) for k in self.operands]
        found = [re.fullmatch(r"g \* #(\d)", rule) for rule in rules]
        self.others = [int(other[1]) if other else None for other in found]
        """For each operand the one by which a gradient is multiplied on its way back to it: in `g * b`."""

    def rule(self, operand: int, names: Sequence[str]) -> str:
        """The gradient for one operand, from the op's own formula, in the names of the program: `g * b`."""
        made = OPS.get(self.op)
        if made is None or len(made.operands) != len(names):
            return ""
        rule = rules(made.doc).get(f"d{made.operands[operand]}", "").replace("alpha * ", "").replace(" * alpha", "")
        called = dict(zip(made.operands, names, strict=True))
        return re.sub(r"[a-z_]+", lambda word: called.get(word[0], word[0]), rule)

    def compute(self, cells: Sequence[Index]) -> None:
        """What some cells of the result read, what that comes to, and `=` or `≈` before it."""
        self.cells, met = cells, self.met
        self.readers: list[dict[Index, list[Index]]] = [{} for _ in self.operands]
        for k in self.operands:
            for cell in cells:
                self.readers[k].setdefault(met.feed(k, cell), []).append(cell)
        reads = [self._read(k, [met.feed(k, cell) for cell in cells]) for k in self.operands]
        found = self._forward(reads) if cells else []
        rounded = [[as_written(value) for value in column] for column in reads]
        again = found if rounded == reads or not cells else self._forward(rounded)
        self.values = [dict(zip(cells, column, strict=True)) for column in (*reads, found)]
        self.signs = {cell: sign([a], [b]) for cell, a, b in zip(cells, again, found, strict=True)}
        self.totals: list[dict[Index, Value] | None] = [None for _ in self.operands]
        self.two_sided = False

    def _read(self, k: int, indices: Sequence[Index]) -> list[Value]:
        source = self.sources[k]
        return source.read([flat_index(index, source.stride, source.offset) for index in indices])

    def _apply(self, operands: Sequence[Any]) -> Any:
        """The op on tensors; of more operands than it takes, from left to right."""
        call = PUBLIC[self.op]
        takes = len(OPS[self.op].operands) if self.op in OPS else len(operands)
        return call(*operands) if takes == len(operands) else reduce(call, operands)

    def _forward(self, reads: Sequence[Sequence[Value]]) -> list[Value]:
        """What the operation gives for numbers read from each operand, cell by cell."""
        shape = (len(reads[0]),) if any(source.shape for source in self.sources) else ()
        operands = [_tensor(r if s.shape else r[:1], s.dtype, (len(r),) if s.shape else (), s.name)
                    for r, s in zip(reads, self.sources, strict=True)]  # fmt: skip  # 0-d: its dtype weighs less
        try:
            result = self._apply(operands)
        except CallError:  # it takes other arguments
            result = None
        if getattr(result, "shape", None) != shape:
            raise ArgumentValueError(
                f"op={self.op}", "op takes tensors cell by cell, and gives one number for each", "op='+'"
            )
        return look(result, "result").read(range(len(reads[0])))

    def differentiate(self, arrives: Source | None) -> None:
        """The gradients as the engine computes them: for each copy as if it were a tensor, and for the operands."""
        if not self.cells:
            return
        n, shapes = len(self.cells), [source.shape for source in self.sources]
        coming = exact(arrives.array()) if arrives else [UPSTREAM[i % len(UPSTREAM)] for i in range(n)]
        copies = [list(column.values()) for column in self.values[:-1]]
        shares = self._backward(copies, [(n,) for _ in shapes], coming, (n,))
        if shares is None:
            return
        own = [list(np.ndindex(shape)) for shape in shapes]
        sums = self._backward([self._read(k, own[k]) for k in self.operands], shapes, coming, self.met.shape)
        self.two_sided = True
        self.back = [c if c is None else dict(zip(self.cells, c, strict=True)) for c in (*shares, coming)]
        self.totals = [c if c is None else dict(zip(own[k], c, strict=True)) for k, c in enumerate(sums)]

    def _backward(
        self, values: Sequence[Sequence[Value]], shapes: Sequence[Index], coming: Sequence[Value], shape: Index
    ) -> list[list[Value] | None] | None:
        """The gradients of operands of such values and shapes; None where none flows."""
        floats = [s.dtype if s.dtype in ("float16", "float32", "float64") else "float64" for s in self.sources]
        leaves = [_tensor(*made).requires_grad_() for made in zip(values, floats, shapes, self.names, strict=True)]
        if self.op == "where":
            leaves[0] = leaves[0].detach() != 0
        result = self._apply(leaves)
        if not result.requires_grad:
            return None
        result.backward(_tensor(coming, str(result.dtype).rpartition(".")[2], shape, "upstream"))
        return [None if leaf.grad is None else exact(leaf.grad.numpy()) for leaf in leaves]

    def named(self, k: int, cell: Index, what: str = "") -> str:
        """What a cell of the result reads from an operand, as the program writes it: `a[1, 0]`; or its `.grad`."""
        return indexed(self.names[k] + what, self.met.feed(k, cell))

    def along(self, k: int) -> str:
        """`j · dim 1`: the axes along which an operand is repeated."""
        return listed([f"{draw.LETTERS[d]} · dim {d}" for d in self.met.repeated(k)])

    def summed(self) -> list[int]:
        """The operands whose gradients are sums."""
        return [k for k in self.operands if self.totals[k] is not None and self.met.repeated(k)]

    def line(self, cell: Index) -> tuple[str, str, str, str]:
        """The formula of a cell of the result."""
        cells = written(self.op, [self.named(k, cell) for k in self.operands])
        *reads, value = (draw.spell(column[cell]) for column in self.values)
        head = f"{indexed(self.whole, cell)} = " if cell else ""
        return head, cells, f" = {written(self.op, [*map(bracketed, reads)])} {self.signs[cell]} ", value

    def sum(self, k: int, own: Index) -> tuple[str, str, str, str]:
        """The formula of the gradient of a stored cell."""
        readers, total = self.readers[k][own], self.totals[k][own]
        sent = [self._factors(k, cell) for cell in readers]
        if len(" + ".join(map(_product, sent))) > PRODUCTS:
            sent = [(self.back[k][cell],) for cell in readers]
        terms, found = [*map(_product, sent)], sum(prod(map(as_written, factors)) for factors in sent)
        terms = [*terms[:9], "...", terms[-1]] if len(terms) > 12 else terms
        joined = terms[0] + "".join(f" - {t[1:]}" if t[0] == "-" else f" + {t}" for t in terms[1:])
        head, said = f"{indexed(self.names[k] + '.grad', own)} = ", draw.spell(total)
        return (head, joined, f" {sign([found], [total])} ", said) if joined != said else (head, joined, "", "")

    def _factors(self, k: int, cell: Index) -> tuple[Value, ...]:
        """A cell sends to an operand the product of these; one of two is on the picture's other side."""
        other = self.others[k]
        return (self.back[k][cell],) if other is None else (self.back[-1][cell], self.values[other][cell])

    def sent(self, cell: Index) -> str:
        """What the gradient that arrives at a cell becomes, for each operand."""
        sent = {k: _product(self._factors(k, cell)) for k in self.operands if self.totals[k] is not None}
        return ", ".join(f"{said} to {self.named(k, cell, '.grad')}" for k, said in sent.items())


def _tensor(values: Sequence[Value], dtype: str, shape: Index, name: str) -> Any:
    kind = {"bfloat16": "float32", "uint16": "int32", "uint32": "int64", "uint64": "int64"}.get(dtype, dtype)
    if kind.startswith("complex"):
        raise ArgumentTypeError(
            f"{name} has dtype {dtype}", "rustyflow has no complex numbers", f"{name}.real, {name}.imag"
        )
    return from_numpy(np.array(values, kind).reshape(shape))


def _product(factors: Sequence[Value]) -> str:
    """`3·5`, or a number."""
    return "·".join(bracketed(draw.spell(v)) for v in factors) if factors[1:] else draw.spell(*factors)


class _Picture:
    """The table of shapes, a grid for each operand and for the result, the margins of sums, a formula."""

    def __init__(self, made: _Meeting, table: Table, arrives: Source | None, asked: Sequence[bool]):
        self.made, self.table, self.made_up, self.asked = made, table, arrives is None, asked
        room, grids = WHOLE - table.bottom - 109, len(made.sources) + 1
        self.plan = plan(made.met.shape, grids, room)
        made.compute(list(self.plan.grid.places))
        if self.plan.whole and not self.plan.dots:
            made.differentiate(arrives)
            shown = [*made.values, *made.totals, *(made.back if made.two_sided else ())]
            self.plan = plan(made.met.shape, grids, room, readable(*(some.values() for some in shown if some)))
        self.summed, self.result = made.summed(), len(made.sources)
        self.homes = [self.plan.at(k, table.bottom + 35) for k in range(grids)]
        self.grids = [
            Cells(letter, {cell: (x + dx, y + dy) for cell, (dx, dy) in self.plan.grid.places.items()})
            for letter, (x, y) in zip((*OPERANDS[: self.result], "r"), self.homes, strict=True)
        ]
        firsts = {k: [readers[0] for readers in made.readers[k].values()] for k in self.summed}
        self.margins = {k: margin(self.plan.grid, cells, self.plan.side) for k, cells in firsts.items()}
        self.shapes = tuple(self._draw())
        self.links = self._point().links

    def _first(self, k: int, cell: Index) -> str:
        """The id of the stored number that a cell reads."""
        return self.grids[k][self.made.met.first(k, cell)]

    def _sum(self, k: int, cell: Index) -> str:
        """The id of the sum to which what a cell sends is added."""
        return f"s{self._first(k, cell)}"

    def _right(self, k: int) -> bool:
        """Whether the sums of an operand stand at the right of its grid."""
        return k in self.margins and self.margins[k][1]

    def _draw(self) -> list[Shape]:
        made, plan = self.made, self.plan
        shapes, shape, low = self.table.draw(self.summed if made.two_sided else None), made.met.shape, 0.0
        for k, name in enumerate(made.names):
            around = self._around(k, f"{name} as {shape}", self._gets(k) if made.two_sided else "")
            shapes.append(draw.group(f"G{k}", *around, *self._cells(k)))
            if k in self.summed:
                sums, bottom = self._sums(k)
                shapes.append(sums)
                low = max(low, bottom)
        around = self._around(self.result, made.result, "upstream g" if made.two_sided else "")
        shapes.append(draw.group("GR", *around, *self._cells(self.result), *self._signs()))
        self.bottom = max(self.homes[-1][1] + plan.grid.h, low) + 6
        if not plan.whole:
            shapes += self._summaries()
        self.legend = self._legend()
        return [*shapes, *self.legend, *self._line()]

    def _around(self, k: int, forward: str, backward: str) -> list[Shape]:
        """Names above a grid, headers of its blocks, marks where cells are left out."""
        (x, y), made, plan = self.homes[k], self.made, self.plan
        room = plan.grid.w + (plan.gap - 12 if plan.beside else 300)
        parts = [draw.text(x, y - 11, forward, f"mono strong {'unless-g' * bool(backward)}", 16, room=room, id=f"N{k}")]
        if backward:
            if plan.beside and self._right(k):  # the heading of the sums ends where they do
                room = plan.grid.w + BESIDE + plan.wide - width(self._grad(k), 15, mono=True) - 10
            parts.append(draw.text(x, y - 11, backward, "mono strong grad-ink when-g", 16, room=room))
        parts += [draw.text(x + a, y + b, said, "mono muted", 15) for a, b, said in plan.grid.headers]
        parts += [draw.text(x + a, y + b, "⋯", "muted", 18, "middle") for a, b in plan.grid.gaps]
        return parts if made.cells else [*parts, draw.text(x, y + 14, "no cells", "muted")]

    def _gets(self, k: int) -> str:
        """The heading of an operand's grid on the backward side."""
        if self.made.totals[k] is None:
            return "no gradient"
        rule = self.made.rule(k, self.made.names)
        return f"{self.made.names[k]} gets {rule}" if rule else f"{self.made.names[k]}'s share"

    def _cells(self, k: int) -> list[Shape]:
        """The cells of operand k, or of the result: on their faces the values, on their backs the gradients."""
        made, plan, grid = self.made, self.plan, self.grids[k]
        values = list(made.values[k].values())
        virtual = [k < self.result and made.met.first(k, cell) != cell for cell in grid]
        if plan.dots:
            return grid.dots(values, plan.side, virtual)
        back = made.back[k] if made.two_sided else None
        cls = ["" if k == self.result else "virtual" if copy else "value" for copy in virtual]
        return grid.draw(values, back and [*back.values()], plan.wide, plan.side, self._size, cls)

    @property
    def _size(self) -> float:
        return 16 if self.plan.side > 32 else 15

    def _grad(self, k: int) -> str:
        """The heading of an operand's sums, as short as their column at the right needs it."""
        name = f"{self.made.names[k]}.grad"
        return shorten(name, self.plan.wide + 40, 15, mono=True) if self._right(k) else name

    def _sums(self, k: int) -> tuple[Shape, float]:
        """The gradient of an operand: the sums over its copies, in the margin of what they receive; where they end."""
        made, (side, wide), (x, y) = self.made, (self.plan.side, self.plan.wide), self.homes[k]
        spots, right = self.margins[k]
        totals = [made.totals[k][made.met.feed(k, cell)] for cell in spots]
        faces, size = draw.fitted(totals, wide - 4, self._size)
        cells = [draw.cell(self._sum(k, cell), x + a, y + b, said, "grad", wide, side, size)
                 for (cell, (a, b)), said in zip(spots.items(), faces, strict=True)]  # fmt: skip
        low = max(y + b + side for _, b in spots.values())
        at, room = (x + self.plan.grid.w + BESIDE + wide, y - 11), wide + 40
        if not right:
            at = x + max(a for a, _ in spots.values()) + wide + 6, low - side / 2 + 5
            room = max(self.plan.gap - 6, 64 if len(spots) == 1 or k == self.result - 1 else 0)
        name = draw.text(*at, self._grad(k), "mono grad-ink", 15, "end" if right else "start", room=room)
        return draw.group(f"S{k}", *cells, name, cls="when-g"), low

    def _signs(self) -> list[Shape]:
        """The operation between the grids, if it is a symbol, and an equals sign."""
        plan, parts, symbol = self.plan, [], SYMBOLS.get(self.made.op, "")
        for (x, y), said in zip(self.homes, [symbol] * (self.result - 1) + ["="], strict=False):
            at = (x + plan.grid.w + plan.gap / 2, y + plan.grid.h / 2 + 9)
            at = at if plan.beside else (LEFT + 16, y + plan.grid.h + 34)
            parts.append(draw.text(*at, said, "muted unless-g" if self.made.two_sided else "muted", 28, "middle"))
        return parts

    def _summaries(self) -> list[Shape]:
        """What can be said of operands of which not all cells are drawn."""
        parts = []
        for source in self.made.sources:
            facts = "; ".join(f"{word} {value}" for word, value in summary(source))
            if source.numel > 64 and facts:
                self.bottom += 24
                said = f"{source.name}: {source.numel:,} numbers; {facts}"
                parts.append(draw.text(LEFT, self.bottom + 10, said, "muted", 15, room=RIGHT - LEFT))
        self.bottom += 10 if parts else 0
        return parts

    def _legend(self) -> list[Shape]:
        """What solid and dashed mean, where there is room beside the grids, or else in the line of the sums."""
        made, plan, (x, y) = self.made, self.plan, self.homes[-1]
        right, low = x + plan.grid.w + 18, y + plan.grid.h
        beside = right <= RIGHT - 120
        room = beside or self.bottom - low > 50 and RIGHT - x > 246
        if plan.dots or not plan.beside or not room or not any(map(made.met.repeated, made.operands)):
            return []
        said = {"unless-g" * made.two_sided: ["blue: stored", "dashed: virtual, stride 0 reads the blue one again"]}
        if made.two_sided:
            edges = "edges: the sums, one for each number stored" if beside else "edges: the sums"
            said["when-g"] = ["grids: what each cell sends back", *[edges] * bool(self.summed)]
        parts = []
        for cls, notes in said.items():
            left, at = (right, y + 14) if beside else (x if cls == "when-g" else LEFT, low + 26)
            lines = []
            for note in notes:
                broken = wrap(note, RIGHT - left, 15)
                said_so = [draw.text(left, at + 20 * n, part, "muted", 15) for n, part in enumerate(broken)]
                lines.append(draw.group("ls" if note.startswith("edges") else "", *said_so))
                at += 20 * len(broken) + (10 if beside else 0)  # between what one kind of cell means and the next
            parts.append(draw.group("", *lines, cls=cls))
        return [draw.group("lg", *parts)]

    def _line(self) -> list[Shape]:
        """The formula under the grids: what is read, or what is summed."""
        made, y, lines = self.made, self.bottom + 20, [*map(self.made.line, self.made.cells)]
        self.height = y + 6 + (0 if not lines else 30 if made.two_sided else 12)
        if not lines:
            return []
        lines += [made.sum(k, own) for k in made.operands if made.totals[k] is not None for own in made.readers[k]]
        shapes = line(y, fitting(max(len("".join(said)) for said in lines), 22, 0.615), 4 * made.two_sided)
        return [*shapes, draw.text(LEFT, y + 23, "", "muted when-g", 15, id="h4")] if made.two_sided else shapes

    def _point(self) -> Pointed:
        """Result cells light what they read, stored cells all their readers, copies and sums what they belong to."""
        pointed, made, results = Pointed(5 * self.made.two_sided), self.made, self.grids[-1]
        for cell in made.cells:
            here = [*(grid[cell] for grid in self.grids), *(self._sum(k, cell) for k in self.summed)]
            stored, back, says = [self._first(k, cell) for k in made.operands], (), ""
            if made.two_sided:  # in the places of what is stored there are the gradients of other cells
                up, sent = f"{indexed('g', cell)} = {draw.spell(made.back[-1][cell])}", made.sent(cell)
                back, says = (up, " sends ", "", sent), f"{up}, which arrives at this result cell, sends {sent}."
            pointed.at(results[cell], [*here, *stored], made.line(cell), back, lights_back=here, says_back=says)
        for k in made.operands:
            for own, readers in made.readers[k].items():
                self._point_at_stored(pointed, k, own, readers)
                for cell in () if self.plan.dots else readers[1:]:
                    self._point_at_copy(pointed, k, cell)
        return pointed

    def _point_at_stored(self, pointed: Pointed, k: int, own: Index, readers: Sequence[Index]) -> None:
        """A stored cell, and the sum in the margin: everything that reads it, everything that is added up."""
        made, again, name = self.made, len(readers), indexed(self.made.names[k], own)
        times = "once" if again == 1 else f"{again} times" if self.plan.whole else "again and again"
        said = f"{name} = {draw.spell(made.values[k][readers[0]])}", f" is read {times}"
        by = f", by {made.whole}{', '.join(indexed('', cell) for cell in readers[:5])}" if made.met.rank else ""
        by += f" and {again - 5} more" if again > 5 and made.met.rank else ""
        back, why = (f"{name} gets no gradient", "", "", ""), ""
        if made.totals[k] is not None:
            axes = "axis" if len(made.met.repeated(k)) == 1 else "axes"
            why = f"summed over {made.along(k)}, the {axes} along which {made.names[k]} was repeated"
            back, why = made.sum(k, own), why if made.met.repeated(k) else "nothing to sum: it was read once"
        says = f"{''.join(back)}{f', {why}' if k in self.summed else ''}."
        ids = [self.grids[k][readers[0]], *([self._sum(k, readers[0])] if k in self.summed else [])]
        lights = [*ids, *self.grids[-1].of(readers), *(() if self.plan.dots else self.grids[k].of(readers))]
        for id in ids:
            pointed.at(id, lights, said, (*back, why) if made.two_sided else (), says=f"{''.join(said)}{by}.",
                       says_back=says)  # fmt: skip

    def _point_at_copy(self, pointed: Pointed, k: int, cell: Index) -> None:
        """A virtual copy: the stored cell that it is, and the one result cell that reads it there."""
        made, name, where = self.made, self.made.names[k], indexed("", cell)
        own, stride = made.named(k, cell), "strides" if len(made.met.repeated(k)) > 1 else "stride"
        here = [self.grids[-1][cell], *([self._sum(k, cell)] if k in self.summed else [])]
        said = f"{name} at {where} is ", own, " = ", draw.spell(made.values[k][cell])
        says = f"{name}'s cell at {where} is virtual: {stride} 0 along {made.along(k)}, reads {own} again."
        back, says_back = (), ""
        if made.two_sided:
            share = "nothing" if made.totals[k] is None else draw.spell(made.back[k][cell])
            grad = made.named(k, cell, ".grad")
            back = f"{name} at {where} gets ", share, ", added to ", grad
            says_back = f"{name}'s virtual cell at {where} is sent {share}, which is added to {grad}."
        pointed.at(self.grids[k][cell], [*here, self._first(k, cell)], said, back, lights_back=here, says=says,
                   says_back=says_back)  # fmt: skip

    def scene(self) -> Scene:
        """The whole, the rules, how the operands are repeated, a few cells, and the way back."""
        made, table, story = self.made, self.table, Story()
        either = " or ".join(dict.fromkeys(made.names)) if len(made.names) < 4 else "an operand"
        shape = f"{made.result} has shape {made.met.shape}"
        turned = SENDS + " The gradients that arrive are made up here." * self.made_up
        if made.cells:
            says = f"{shape}: point at a cell of it to see what it reads, at one of {either} to see who reads it."
            story.tell({"": says, "g": turned} if made.two_sided else says)
        table.later(story)
        self._later(story)
        table.tell(story, self.summed if made.two_sided else None)
        self._stretch(story)
        still = -1
        if made.cells:
            still = self._read(story)
            self._back(story)
        about = table.about()
        if made.two_sided:
            forward = f"{shape}: each of its cells reads one number of {listed(made.names)}."
            story.two_sided((self.links,), forward, turned)
            if self.made_up:
                about += ("the gradients that arrive are made up: upstream= gives others",)
            if any(dtype[:3] in ("int", "uin", "boo") for dtype in table.dtypes):
                about += ("integers have no gradient in a program; it is drawn as for floats",)
        rows, linked = self.plan.grid.rows, self.links.links
        links = (self.links,) if linked else ()
        paths = [grid.path([[cell for cell in row if grid[cell] in linked] for row in rows]) for grid in self.grids]
        paths = [tuple(row for row in path if row) for path in (paths[-1], *paths[:-1])] if made.cells else []
        return Scene(
            table.title, 860, self.height, self.shapes, tuple(story.frames), links, tuple(paths),
            {"g": "backward"} if made.two_sided else {}, still, about,
        )  # fmt: skip

    def _later(self, story: Story) -> None:
        """What waits: copies stand on the stored cells that they repeat, and nothing has been read, sent or summed."""
        made = self.made
        for k, (grid, source) in enumerate(zip(self.grids, made.sources, strict=False)):
            sets, copies = {}, [cell for cell in grid if made.met.first(k, cell) != cell]
            if not self.plan.dots:
                at = {cell: grid.places[made.met.first(k, cell)] for cell in copies}
                sets = {(grid[cell], "transform"): draw.place(*place) for cell, place in at.items()}
            sets[f"N{k}", "text"] = f"{made.names[k]}, {source.shape}"
            story.later(f"G{k}", Look({"off": grid.of(copies)}, sets))
        legend = bool(self.legend)
        story.later("cells", off=("GR", *["lg"] * legend))
        if made.two_sided:
            shares = [id for k in made.operands if made.totals[k] is not None for id in self.grids[k].ids]
            margins = [*(f"S{k}" for k in self.summed), *["ls"] * (legend and bool(self.summed))]
            story.later("shares", back=True, waiting=shares, off=margins)
            for k in self.summed:
                sums = [self._sum(k, cell) for cell in self.margins[k][0]]
                story.later(f"S{k}", back=True, waiting=sums)

    def _stretch(self, story: Story) -> None:
        """How each operand is read as the whole shape."""
        made, shape = self.made, self.made.met.shape
        for k, source in enumerate(made.sources):
            if not made.met.repeated(k):
                continue
            held = "its one number is" if source.numel == 1 else f"its {source.numel:,} numbers are each"
            stride = f"with stride 0 along {made.along(k)}; nothing is copied."
            says = f"{source.name} is read as {shape}: {held} read {made.met.times(k):,} times, {stride}"
            if not made.cells:
                says = f"{source.name} is read as {shape}: an axis of size 0 leaves nothing to read."
            story.tell(says, f"G{k}")

    @property
    def _sample(self) -> Index:
        """A cell that is not in a corner where that can be had: (1, 2) of (3, 4)."""
        shape = self.made.met.shape
        wanted = tuple(min(1 + (d == len(shape) - 1), n - 1) for d, n in enumerate(shape))
        return wanted if wanted in self.grids[-1].places else self.made.cells[0]

    def _read(self, story: Story) -> int:
        """Two cells and a number that is read again; the number of the frame of the second cell."""
        made, results, sample, first = self.made, self.grids[-1], self._sample, self.made.cells[0]
        if sample != first:
            reads = listed([made.named(k, first) for k in made.operands])
            says = f"Each cell of {made.result} reads one number of each: {reads} for the first."
            story.tell(says, "cells", link=results[first])
        story.tell("".join(made.line(sample)) + ".", "cells", link=results[sample])
        still = len(story.frames) - 1
        for k in [k for k in made.operands if made.met.repeated(k)][:1]:
            cells = many(made.met.times(k), "cell")
            says = f"{made.named(k, sample)} is read by {cells} of the result, along {made.along(k)}."
            story.tell(says, link=self._first(k, sample))
        return still

    def _back(self, story: Story) -> None:
        """What arrives, what it sends, what is summed, and over which axes."""
        made, met, sample = self.made, self.made.met, self._sample
        if not made.two_sided:
            most = max(made.operands, key=met.times)
            if met.times(most) > 1 and not self.plan.whole or self.plan.dots:
                times = f"{met.times(most):,} gradients"
                story.tell(f"Backward, each number of {made.names[most]} is sent {times}, and gets their sum.")
            return
        says = f"Backward: each cell of {made.result} receives an upstream gradient, g"
        says += ": numbers made up here, unless you give yours with upstream=." if self.made_up else "."
        story.tell(says, back=True)
        says = f"Each sends its share back to what it read: {made.sent(sample)}."
        story.tell(says, "shares", link=self.grids[-1][sample], back=True)
        for k, name in enumerate(made.names):
            if made.totals[k] is None:
                story.tell(f"{name} has no gradient here: it only chooses.", back=True)
            elif k in self.summed:
                own, times = met.feed(k, sample), met.times(k)
                total = draw.spell(made.totals[k][own])
                says = f"{indexed(name, own)} was read {times} times, so it gets the sum of {times} gradients: {total}."
                story.tell(says, f"S{k}", link=self._first(k, sample), back=True)
        told = [f"{made.names[k]}.grad is summed over {made.along(k)}" for k in self.summed]
        alone = [k for k in made.operands if made.totals[k] is not None and k not in self.summed and self.asked[k]]
        whole = [f"{made.names[k]}.grad is what arrives" for k in alone]
        says = f"In all, {listed([*told, *whole])}: repeat forward, sum backward."
        if not told:
            says = "Nothing was repeated, so nothing is summed: each gradient is what arrives."
        story.tell(says, back=True)
