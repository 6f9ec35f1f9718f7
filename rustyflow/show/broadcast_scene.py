"""The broadcast figure: what stands where. What it says is in broadcast_links.py, the story in broadcast_story.py."""

import re
from collections.abc import Callable, Sequence
from math import prod
from typing import Any

from ..errors import ArgumentValueError
from ..scene import Shape, draw
from ..scene.measure import shorten, width, wrap
from .broadcast_links import Lines
from .broadcast_table import Table, heading, mended
from .kit.alignment import Alignment, Index, repairs
from .kit.cells import shades, twofold
from .kit.grids import BESIDE, LEFT, OPERANDS, RIGHT, WHOLE, margin, plan, readable
from .source import Source, Value, summary
from .words.numbers import as_written, bracketed, sign
from .words.sentences import indexed, listed

TABLE = 42
"""Where the table of shapes begins."""

PRODUCTS = 44
"""A sum of products is written out when it is no longer than so many characters; a longer one as a sum of numbers."""


class Picture:
    """The drawing: the table of shapes, a grid for each operand and for the result, the margins of sums, a formula.

    Attributes the story reads: `cells` (drawn positions of the result), `reads` (per operand, what each of them reads),
    `values`, `signs` (`=` or `≈` before each of them), `backward` (None where nothing flows back), `copies` (per
    operand and stored cell, the numbers of the positions that read it), `owns` and `firsts` (per operand and position:
    the stored cell it reads, and the number of the first position that reads it), `repairs` (of shapes that clash).
    """

    def __init__(
        self,
        title: str,
        sources: Sequence[Source],
        met: Alignment,
        operation: Any,
        forward: Callable,
        backward: Callable,
    ):
        if len(sources) > len(OPERANDS):
            raise ArgumentValueError(
                f"{len(sources)} tensors", f"at most {len(OPERANDS)} fit into one figure", "show fewer at once"
            )
        self.title, self.sources, self.met, self.operation = title, sources, met, operation
        self.names = [source.name for source in sources]
        self.result = operation.says(self.names)
        self.repairs = [] if met.shape is not None else repairs(met.shapes)
        self.fits = met.shape is not None and met.rank <= 4
        self.cells: list[Index] = []
        self.backward, self.plan = None, None
        if self.fits:
            self._compute(forward, backward)
        numbers = self.numbers() if met.shape is not None else None
        self.table = Table(met, self.names, self.result, numbers, self.backward is not None, TABLE)
        shapes = [*heading(title, met, operation), *self.table.shapes]
        self.bottom, self.links = self.table.bottom, ()
        if self.fits:
            shapes += self._grids(self.bottom + 35)
            self.lines = Lines(self, self.bottom + 20)
            shapes += self.lines.shapes
            self.bottom, self.links = self.lines.bottom, self.lines.links
        elif met.shape is not None:
            words = f"cells of {met.rank} axes are not drawn; those of 4 are"
            shapes.append(draw.text(LEFT, self.bottom + 20, words, "muted"))
            self.bottom += 24
        elif self.repairs:
            shapes += mended(self.repairs, self.names, self.bottom + 6)
            self.bottom += 50 + 34 * len(self.repairs)
        self.height = self.bottom + 6
        self.shapes = tuple(shapes)

    def _compute(self, forward: Callable, backward: Callable) -> None:
        below = Table(self.met, self.names, self.result, self.numbers(), False, TABLE).bottom
        room, operands = WHOLE - below - 109, range(len(self.sources))
        self.plan = plan(self.met.shape, len(self.sources) + 1, room)
        self.cells = [cell for row in self.plan.grid.rows for cell in row]
        self.number = {cell: n for n, cell in enumerate(self.cells)}
        self.reads, self.values, self.signs = forward(self.cells)
        if self.plan.whole and not self.plan.dots:
            self.backward = backward(self.cells)
            numbers, back = [*self.reads, self.values], self.backward
            if back is not None:
                sums = [total.values() for total in back.totals if total]
                numbers += [back.upstream, *filter(None, back.shares), *sums]
            self.plan = plan(self.met.shape, len(self.sources) + 1, room, readable(*numbers))
        self.owns = [[self.met.feed(k, cell) for cell in self.cells] for k in operands]
        self.firsts = [[self.number[self.met.first(k, cell)] for cell in self.cells] for k in operands]
        self.copies = [self._copies(k) for k in operands]
        self.others = [self._other(k) for k in operands]

    def called(self, operand: int, cell: Index) -> str:
        """The stored cell that position `cell` of the result reads, as the program writes it: `a[1, 0]`."""
        return indexed(self.names[operand], self.owns[operand][self.number[cell]])

    def real(self, operand: int, cell: Index) -> str:
        """The id of the stored cell that position `cell` reads."""
        return f"{OPERANDS[operand]}{self.firsts[operand][self.number[cell]]}"

    def along(self, operand: int) -> str:
        """`j · dim 1`: the axes along which an operand is repeated."""
        return listed([f"{draw.LETTERS[d]} · dim {d}" for d in self.met.repeated(operand)])

    def _other(self, operand: int) -> int | None:
        """The operand by which a gradient is multiplied on its way back to this one: in `g * b`."""
        rule = self.operation.rule(operand, [f"#{k}" for k in range(len(self.sources))])
        other = re.fullmatch(r"g \* #(\d)", rule)
        return int(other[1]) if other else None

    def factors(self, operand: int, n: int) -> tuple[Value, ...]:
        """Result cell `n` sends to an operand the product of these; one of the two is on the picture's other side."""
        other = self.others[operand]
        return () if other is None else (self.backward.upstream[n], self.reads[other][n])

    def sent(self, operand: int, n: int) -> str:
        """What result cell `n` sends to an operand: `3·5`, or a number."""
        factors = self.factors(operand, n) or (self.backward.shares[operand][n],)
        return "·".join(bracketed(draw.spell(v)) for v in factors) if factors[1:] else draw.spell(*factors)

    def sum_of(self, operand: int, cell: Index) -> tuple[str, str, str]:
        """The terms of a stored cell's gradient, `=` or `≈`, and their sum, as text."""
        own = self.owns[operand][self.number[cell]]
        readers, total = self.copies[operand][own], self.backward.totals[operand][own]
        products = [self.sent(operand, n) for n in readers]
        if self.others[operand] is not None and len(" + ".join(products)) <= PRODUCTS:
            terms, added = products, [prod(map(as_written, self.factors(operand, n))) for n in readers]
        else:
            shares = [self.backward.shares[operand][n] for n in readers]
            terms, added = [draw.spell(share) for share in shares], map(as_written, shares)
        if len(terms) > 12:
            terms = [*terms[:9], "...", terms[-1]]
        joined = terms[0] + "".join(f" - {t[1:]}" if t[0] == "-" else f" + {t}" for t in terms[1:]) if terms else "0"
        return joined, sign([sum(added)], [total]), draw.spell(total)

    def summed(self, operand: int) -> bool:
        """Whether gradients of the operand are drawn, and are sums."""
        return self.flows(operand) and bool(self.met.repeated(operand))

    def margin(self, operand: int) -> tuple[str, ...]:
        """The ids of an operand's sums."""
        return tuple(f"s{OPERANDS[operand]}{readers[0]}" for readers in self.copies[operand].values())

    def flows(self, operand: int) -> bool:
        """Whether a gradient of the operand is drawn."""
        return self.backward is not None and self.backward.totals[operand] is not None

    def numbers(self) -> tuple[int, int]:
        """How many numbers are stored, and how many the operands are read as."""
        stored = sum(
            prod(n for n, s in zip(x.shape, x.stride, strict=True) if s) if x.numel else 0 for x in self.sources
        )
        return stored, prod(self.met.shape) * len(self.sources)

    def _copies(self, operand: int) -> dict[Index, list[int]]:
        found: dict[Index, list[int]] = {}
        for n, own in enumerate(self.owns[operand]):
            found.setdefault(own, []).append(n)
        return found

    def _grids(self, top: float) -> list[Shape]:
        made, many, parts = self.plan, len(self.sources), []
        below, self.margins = 0.0, []
        self.homes = [made.at(k, top) for k in range(many + 1)]
        self.faces = [self._fitted(k) for k in range(many + 1)] if not made.dots else []
        full = str(self.met.shape)
        for k, source in enumerate(self.sources):
            cells = [self._cell(k, n) for n in range(len(self.cells))]
            parts.append(draw.group(f"G{k}", *self._around(k, f"{source.name} as {full}", self._to(k)), *cells))
            if self.summed(k):
                shapes, low = self._sums(k)
                below = max(below, low)
                parts += shapes
        result = [self._cell(many, n) for n in range(len(self.cells))]
        up = "upstream g" if self.backward else ""
        parts.append(draw.group("GR", *self._around(many, self.result, up), *result, *self._signs()))
        self.bottom = max(self.homes[many][1] + made.grid.h, below) + 6
        if not made.whole:
            parts += self._summaries()
        self.legend = self._legend()
        parts += self.legend
        return parts

    def _around(self, k: int, forward: str, backward: str) -> list[Shape]:
        """Names above a grid, headers of its blocks, marks where cells are left out."""
        (x, y), made = self.homes[k], self.plan
        room = made.grid.w + (made.gap - 12 if made.beside else 300)
        flip = "unless-g" if backward else ""
        parts = [draw.text(x, y - 11, forward, f"mono strong {flip}", 16, room=room, id=f"N{k}")]
        if backward:
            if made.beside and self._right(k):  # the heading of the sums ends where they do
                room = made.grid.w + BESIDE + made.wide - width(self._grad(k), 15, mono=True) - 10
            parts.append(draw.text(x, y - 11, backward, "mono strong grad-ink when-g", 16, room=room))
        parts += [draw.text(x + a, y + b, words, "mono muted", 15) for a, b, words in made.grid.headers]
        parts += [draw.text(x + a, y + b, "⋯", "muted", 18, "middle") for a, b in made.grid.gaps]
        if not self.cells:
            parts.append(draw.text(x, y + 14, "no cells", "muted"))
        return parts

    def _right(self, k: int) -> bool:
        """Whether the sums of an operand stand at the right of its grid."""
        return k < len(self.sources) and self.summed(k) and margin(self.plan.grid, self._firsts(k), 0)[1]

    def _firsts(self, k: int) -> list[Index]:
        return [self.cells[readers[0]] for readers in self.copies[k].values()]

    def _to(self, k: int) -> str:
        if not self.flows(k):
            return "no gradient" if self.backward else ""
        rule = self.operation.rule(k, self.names)
        return f"{self.names[k]} gets {rule}" if rule else f"{self.names[k]}'s share"

    def _cell(self, k: int, n: int) -> Shape:
        """One cell of operand k, or of the result: on its face the value, on its back the gradient."""
        cell, side, many = self.cells[n], self.plan.side, len(self.sources)
        (x, y), (dx, dy) = self.homes[k], self.plan.grid.places[cell]
        copy = k < many and self.firsts[k][n] != n
        cls = "" if k == many else "virtual" if copy else "value"
        id = f"r{n}" if k == many else f"{OPERANDS[k]}{n}"
        if self.plan.dots:
            return self._dot(id, x + dx, y + dy, k, n, copy)
        faces, backs, size = self.faces[k]
        return twofold(id, x + dx, y + dy, faces[n], backs[n], cls, self.plan.wide, side, size)

    def _fitted(self, k: int) -> tuple[list[str], list[str], float]:
        """What the cells of a grid say on their faces and on their backs, and in which font size."""
        many, side, backs = len(self.sources), self.plan.side, [""] * len(self.cells)
        if self.backward and (k == many or self.flows(k)):
            backs = self.backward.upstream if k == many else self.backward.shares[k]
        sides = [draw.fitted(v, self.plan.wide - 4, 16 if side > 32 else 15)
                 for v in (self.values if k == many else self.reads[k], backs)]  # fmt: skip
        return sides[0][0], sides[1][0], min(size for _, size in sides)

    def _dot(self, id: str, x: float, y: float, k: int, n: int, copy: bool) -> Shape:
        if not hasattr(self, "shades"):
            self.shades = [shades(values) for values in (*self.reads, self.values)]
        shade, side = self.shades[k][n], self.plan.side
        at = (("x", round(x, 1)), ("y", round(y, 1)), ("width", side), ("height", side))
        return Shape(
            "rect", id, ("dot", "odd" if shade is None else f"shade{shade}", *(("dimmed",) if copy else ())), at
        )

    def _grad(self, k: int) -> str:
        """The heading of an operand's sums, as short as their column at the right needs it."""
        name = f"{self.names[k]}.grad"
        return shorten(name, self.plan.wide + 40, 15, mono=True) if self._right(k) else name

    def _sums(self, k: int) -> tuple[list[Shape], float]:
        """The gradient of an operand: the sums over its copies, in the margin of what they receive."""
        side, wide, (x, y) = self.plan.side, self.plan.wide, self.homes[k]
        firsts = self._firsts(k)
        spots, right = margin(self.plan.grid, firsts, side)
        ids = [self.number[cell] for cell in spots]
        totals = [self.backward.totals[k][self.owns[k][n]] for n in ids]
        words, size = draw.fitted(totals, wide - 4, 16 if side > 32 else 15)
        shapes = [
            draw.cell(f"s{OPERANDS[k]}{n}", x + a, y + b, said, "grad", wide, side, size)
            for n, said, (a, b) in zip(ids, words, spots.values(), strict=True)
        ]
        low, name = max(y + b + side for _, b in spots.values()), self._grad(k)
        if right:
            at, room, anchor = (x + self.plan.grid.w + BESIDE + wide, y - 11), wide + 40, "end"
        else:
            at, room, anchor = (
                (x + max(a for a, _ in spots.values()) + wide + 6, low - side / 2 + 5),
                self.plan.gap - 6,
                "start",
            )
            room = max(room, 64) if len(firsts) == 1 or k == len(self.sources) - 1 else room
        shapes.append(draw.text(*at, name, "mono grad-ink", 15, anchor, room=room))
        self.margins.append(k)
        return [draw.group(f"S{k}", *shapes, cls="when-g")], low

    def _signs(self) -> list[Shape]:
        made, many, symbol = self.plan, len(self.sources), self.operation.says(["", ""]).strip()
        parts = []
        for k in range(many):
            sign = "=" if k == many - 1 else symbol if len(symbol) < 3 else ""
            (x, y), tall = self.homes[k], made.grid.h
            at = (x + made.grid.w + made.gap / 2, y + tall / 2 + 9) if made.beside else (LEFT + 16, y + tall + 34)
            cls = "muted unless-g" if self.backward else "muted"
            parts.append(draw.text(*at, sign, cls, 28, "middle"))
        return parts

    def _legend(self) -> list[Shape]:
        """What solid and dashed mean, where there is room beside the grids, or else in the line of the sums."""
        made, (x, y) = self.plan, self.homes[many := len(self.sources)]
        right, low = x + made.grid.w + 18, y + made.grid.h
        beside = right <= RIGHT - 120
        room = beside or self.bottom - low > 50 and RIGHT - x > 246
        if made.dots or not made.beside or not room or not any(map(self.met.repeated, range(many))):
            return []
        said = {
            "unless-g" if self.backward else "": ["blue: stored", "dashed: virtual, stride 0 reads the blue one again"]
        }
        if self.backward:
            said["when-g"] = ["grids: what each cell sends back"]
            edges = "edges: the sums, one for each number stored" if beside else "edges: the sums"
            said["when-g"] += [edges] * any(map(self.summed, range(many)))
        parts = []
        for cls, notes in said.items():
            left, at = (right, y + 14) if beside else (x if cls == "when-g" else LEFT, low + 26)
            lines = []
            for note in notes:
                said_so = []
                for line in wrap(note, RIGHT - left, 15):
                    said_so.append(draw.text(left, at, line, "muted", 15))
                    at += 20
                lines.append(draw.group("ls" if note.startswith("edges") else "", *said_so))
                at += 10 if beside else 0  # between what one kind of cell means and the next
            parts.append(draw.group("", *lines, cls=cls))
        return [draw.group("lg", *parts)]

    def _summaries(self) -> list[Shape]:
        parts = []
        for source in self.sources:
            facts = "; ".join(f"{word} {value}" for word, value in summary(source))
            if source.numel > 64 and facts:
                self.bottom += 24
                words = f"{source.name}: {source.numel:,} numbers; {facts}"
                parts.append(draw.text(LEFT, self.bottom + 10, words, "muted", 15, room=RIGHT - LEFT))
        self.bottom += 10 if parts else 0
        return parts
