"""The broadcast figure: what stands where, and what lights with what. The story over it is in broadcast_story.py."""

from collections.abc import Callable, Sequence
from typing import Any

from ..scene import Link, Links, Shape, draw
from ..scene.measure import shorten, width, wrap
from .alignment import Alignment, Index, repairs
from .broadcast_layout import LEFT, RIGHT, margin, plan, shades
from .faces import flow, twofold
from .source import Source, Value, summary
from .strides_scene import listed

OPERANDS = "abcdekm"
CELL_W, CELL_H, PITCH, ROW = 60, 32, 76, 36
LINE = 26
"""A size in the table of shapes, and the distance to the next column and row; the lines beside it."""


class Picture:
    """The drawing: the table of shapes, a grid for each operand and for the result, the margins with the sums, a formula.

    Attributes the story reads: `cells` (drawn positions of the result), `reads` (per operand, what each of them reads),
    `values`, `backward` (None where nothing flows back), `copies` (per operand and stored cell, the numbers of the
    positions that read it), `repairs` (of shapes that clash).
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
            raise ValueError(f"{len(sources)} tensors in one figure; at most {len(OPERANDS)} fit; show fewer at once")
        self.title, self.sources, self.met, self.operation = title, sources, met, operation
        self.names = [source.name for source in sources]
        self.result = operation.says(self.names)
        self.repairs = [] if met.shape is not None else repairs(met.shapes)
        self.fits = met.shape is not None and met.rank <= 4
        self.cells: list[Index] = []
        self.backward, self.plan = None, None
        shapes = [*self._title(), *self._table(50)]
        top = 50 + 27 + max(ROW * (len(sources) + 1), LINE * self.lines) + 6
        if self.fits:
            self.plan = plan(met.shape, len(sources) + 1)
            self.cells = [cell for row in self.plan.grid.rows for cell in row]
            self.number = {cell: n for n, cell in enumerate(self.cells)}
            self.reads, self.values = forward(self.cells)
            if self.plan.whole and not self.plan.dots:
                self.backward = backward(self.cells)
            self.owns = [[met.feed(k, cell) for cell in self.cells] for k in range(len(sources))]
            self.firsts = [[self.number[met.first(k, cell)] for cell in self.cells] for k in range(len(sources))]
            self.copies = [self._copies(k) for k in range(len(sources))]
            shapes += self._grids(top + 28)
            shapes += self._formula(self.bottom + 28)
        else:
            self.bottom = top
            if met.shape is not None:
                self.bottom += 24
                shapes.append(
                    draw.text(LEFT, top + 20, f"cells of {met.rank} axes are not drawn; those of 4 are", "muted")
                )
            shapes += self._repairs(top + 6) if self.repairs else ()
        self.height = self.bottom + 10
        self.shapes = tuple(shapes)
        self.links = self._links()

    # -- names -------------------------------------------------------------------------------------------------------

    def called(self, operand: int, cell: Index) -> str:
        """The stored cell that position `cell` of the result reads, as the program writes it: `a[1, 0]`."""
        return _indexed(self.names[operand], self.owns[operand][self.number[cell]])

    def real(self, operand: int, cell: Index) -> str:
        """The id of the stored cell that position `cell` reads."""
        return f"{OPERANDS[operand]}{self.firsts[operand][self.number[cell]]}"

    def along(self, operand: int) -> str:
        """`j · dim 1`: the axes along which an operand is repeated."""
        return listed([f"{draw.LETTERS[d]} · dim {d}" for d in self.met.repeated(operand)])

    def sum_of(self, operand: int, cell: Index) -> tuple[str, str]:
        """The terms of a stored cell's gradient, and their sum, as text."""
        own = self.owns[operand][self.number[cell]]
        terms = [_brief(self.backward.shares[operand][n]) for n in self.copies[operand][own]]
        if len(terms) > 12:
            terms = [*terms[:9], "...", terms[-1]]
        joined = terms[0] + "".join(f" - {t[1:]}" if t[0] == "-" else f" + {t}" for t in terms[1:]) if terms else "0"
        return joined, _brief(self.backward.totals[operand][own])

    def summed(self, operand: int) -> bool:
        """Whether gradients of the operand are drawn, and are sums."""
        return self.flows(operand) and bool(self.met.repeated(operand))

    def flows(self, operand: int) -> bool:
        """Whether a gradient of the operand is drawn."""
        return self.backward is not None and self.backward.totals[operand] is not None

    def numbers(self) -> tuple[int, int]:
        """How many numbers are stored, and how many the operands pretend to be."""
        stored = sum(
            _prod(n for n, s in zip(x.shape, x.stride, strict=True) if s) if x.numel else 0 for x in self.sources
        )
        return stored, _prod(self.met.shape) * len(self.sources)

    def _copies(self, operand: int) -> dict[Index, list[int]]:
        found: dict[Index, list[int]] = {}
        for n, own in enumerate(self.owns[operand]):
            found.setdefault(own, []).append(n)
        return found

    def _title(self) -> list[Shape]:
        """The program, and its shapes beside it where they fit."""
        met = self.met
        shapes = self.operation.says([str(shape) for shape in met.shapes])
        said = f"{shapes} gives {met.shape}" if met.shape is not None else f"{shapes} do not fit"
        wide = width(self.title, 20, mono=True, bold=True)
        room = RIGHT - LEFT - wide - 20
        if width(said, 15, mono=True) > room:
            return list(draw.title(self.title, room=RIGHT - LEFT))
        return [*draw.title(self.title), draw.text(LEFT + wide + 20, 38, said, "mono muted", 15, room=room)]

    # -- the table of shapes -----------------------------------------------------------------------------------------

    def _table(self, y: float) -> list[Shape]:
        met, names = self.met, [*self.names, self.result]
        label = min(150.0, max(width(name, 17, mono=True, bold=True) for name in names))
        self.table_x = LEFT + label + 22
        pitch = min(PITCH, (430 - label) / max(met.rank, 1))
        w, parts = min(CELL_W, pitch - 8), []
        badges = [draw.badge(self.table_x + d * pitch, y, d, f"dim {d}" if pitch > 68 else "") for d in range(met.rank)]
        parts.append(draw.group("tb", *badges))
        y += 27
        self.moves: dict[str, str] = {}
        for k, name in enumerate(names):
            row = y + k * ROW
            line = [draw.text(self.table_x - 18, row + 22, name, "mono strong", 17, "end", room=label)]
            last = k == len(self.sources)
            sizes = met.sizes if last else met.padded[k]
            for d, n in enumerate(sizes):
                missing = not last and d < met.missing(k)
                cls = "virtual" if missing else f"ax{d}" if n != 1 and d < 5 else ""
                said, id = "?" if n is None else f"{n:,}", f"T{k}_{d}"
                at = self.table_x + d * pitch, row
                line.append(draw.cell(id, *at, _fit(said, w), cls, w, CELL_H, min(18, 1.6 * w / max(len(said), 1))))
                if not last and met.missing(k) and not missing:
                    self.moves[id] = draw.place(at[0] - met.missing(k) * pitch, row)
            parts.append(draw.group("tr", *line) if last else draw.group("", *line))
        if not met.rank:
            parts.append(draw.text(self.table_x, y + 23, "no axes: one number each", "muted"))
        verdicts = self.table_x + met.rank * pitch + (10 if met.rank else 220)
        return parts + self._verdicts(verdicts, y, RIGHT)

    def _verdicts(self, x: float, y: float, right: float) -> list[Shape]:
        """A line for each column, then the meter and a warning: what the rules say, and what they say of gradients."""
        met, parts = self.met, []
        for d in range(met.rank):
            ink = "warn" if met.verdict(d) == "clash" else "unless-g" if self._summed_over(d) else ""
            said = [draw.text(60, 0, self.verdict(d), ink, 15, room=right - x - 60)]
            if self._summed_over(d):
                said.append(draw.text(60, 0, self._summed_over(d), "when-g grad-ink", 15, room=right - x - 60))
            head = draw.text(0, 0, f"dim {d}", f"ink{min(d, 4)}", 15)
            parts.append(draw.group(f"v{d}", head, *said, at=(x, y + 20 + d * LINE)))
        self.lines = met.rank
        if met.shape is not None:
            self.lines += 1 + met.both_stretch()
            parts.append(draw.group("tm", *self._meter(x, y + met.rank * LINE, right)))
        return parts

    def _summed_over(self, dim: int) -> str:
        """What backward does along a column."""
        who = [self.names[k] for k in range(len(self.sources)) if dim in self.met.repeated(k)]
        return (
            " and ".join(f"{name}.grad" for name in who) + (" is" if len(who) == 1 else " are") + " summed over it"
            if who
            else ""
        )

    def verdict(self, dim: int) -> str:
        """What the rule says of a column: who is repeated, or who clashes."""
        met = self.met
        sizes = [shape[dim] for shape in met.padded]
        verdict = met.verdict(dim)
        if verdict == "equal":
            return f"{'both' if len(sizes) == 2 else 'all'} have {sizes[0]:,}: nothing to do"
        if verdict == "clash":
            return " meets ".join(f"{n:,}" for n in dict.fromkeys(sizes) if n != 1) + ", and neither is 1: clash"
        none = [name for k, name in enumerate(self.names) if dim < met.missing(k)]
        ones = [name for k, name in enumerate(self.names) if dim >= met.missing(k) and sizes[k] == 1]
        said = [
            f"{listed(who)} {'has' if len(who) == 1 else 'have'} {what}"
            for who, what in ((none, "none"), (ones, "1"))
            if who
        ]
        return f"{', '.join(said)}: {'it repeats' if len(none + ones) == 1 else 'they repeat'}, stride 0"

    def _meter(self, x: float, y: float, right: float) -> list[Shape]:
        stored, pretended = self.numbers()
        bar = 120 if right - x > 360 else 50
        part = max(3.0, min(1.0, stored / pretended) * bar) if pretended else 0
        said = f"stores {stored:,} {'number' if stored == 1 else 'numbers'}, pretends {pretended:,}"
        parts = [
            draw.cell("", x, y + 8, "", "virtual", bar, 14), draw.cell("", x, y + 8, "", "value", part, 14),
            draw.text(x + bar + 12, y + 20, said, "muted", 15, room=right - x - bar - 12),
        ]  # fmt: skip
        if self.met.both_stretch():
            parts.append(
                draw.text(x, y + 20 + LINE, "both sides stretch: every pair is formed", "warn", 15, room=right - x)
            )
        return parts

    # -- the grids ---------------------------------------------------------------------------------------------------

    def _grids(self, top: float) -> list[Shape]:
        made, many, parts = self.plan, len(self.sources), []
        below, self.margins = 0.0, []
        self.homes = [made.at(k, top) for k in range(many + 1)]
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
        self.bottom = max(self.homes[many][1] + made.grid.h, below) + 8
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
            room = made.grid.w - 8 if made.beside and self._right(k) else room
            parts.append(draw.text(x, y - 11, backward, "mono strong grad-ink when-g", 16, room=room))
        parts += [draw.text(x + a, y + b, words, "mono muted", 14) for a, b, words in made.grid.headers]
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
        return f"to {self.names[k]}: {rule}" if rule else f"to {self.names[k]}"

    def _cell(self, k: int, n: int) -> Shape:
        """One cell of operand k, or of the result: on its face the value, on its back the gradient."""
        cell, side, many = self.cells[n], self.plan.side, len(self.sources)
        (x, y), (dx, dy) = self.homes[k], self.plan.grid.places[cell]
        value = self.values[n] if k == many else self.reads[k][n]
        copy = k < many and self.firsts[k][n] != n
        cls = "" if k == many else "virtual" if copy else "value"
        id = f"r{n}" if k == many else f"{OPERANDS[k]}{n}"
        if self.plan.dots:
            return self._dot(id, x + dx, y + dy, k, n, copy)
        if self.backward is None:
            return draw.cell(id, x + dx, y + dy, value, cls, side, side, 16 if side > 32 else 14)
        share = self.backward.upstream[n] if k == many else self.backward.shares[k][n] if self.flows(k) else ""
        return twofold(id, x + dx, y + dy, value, share, cls, side, 16 if side > 32 else 14)

    def _dot(self, id: str, x: float, y: float, k: int, n: int, copy: bool) -> Shape:
        if not hasattr(self, "shades"):
            self.shades = [shades(values) for values in (*self.reads, self.values)]
        shade, side = self.shades[k][n], self.plan.side
        at = (("x", round(x, 1)), ("y", round(y, 1)), ("width", side), ("height", side))
        return Shape(
            "rect", id, ("dot", "odd" if shade is None else f"shade{shade}", *(("dimmed",) if copy else ())), at
        )

    def _sums(self, k: int) -> tuple[list[Shape], float]:
        """The gradient of an operand: the sums over its copies, in the margin of what they receive."""
        side, (x, y) = self.plan.side, self.homes[k]
        firsts = self._firsts(k)
        spots, right = margin(self.plan.grid, firsts, side)
        totals, size = self.backward.totals[k], 16 if side > 32 else 14
        shapes = [
            draw.cell(
                f"s{OPERANDS[k]}{self.number[cell]}",
                x + a,
                y + b,
                totals[self.owns[k][self.number[cell]]],
                "grad",
                side,
                side,
                size,
            )
            for cell, (a, b) in spots.items()
        ]
        low, name = max(y + b + side for _, b in spots.values()), f"{self.names[k]}.grad"
        if right:
            at, room, anchor = (x + self.plan.grid.w + 10 + side / 2, y - 11), side + 18, "middle"
        else:
            at, room, anchor = (
                (x + max(a for a, _ in spots.values()) + side + 6, low - side / 2 + 5),
                self.plan.gap - 10,
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
        """What solid and dashed mean, where there is room beside the grids."""
        made, many = self.plan, len(self.sources)
        x = self.homes[many][0] + made.grid.w + 18
        if made.dots or not made.beside or x > RIGHT - 120 or not any(map(self.met.repeated, range(many))):
            return []
        said = {
            "unless-g" if self.backward else "": ["blue: stored", "dashed: virtual, stride 0 reads the blue one again"]
        }
        if self.backward:
            said["when-g"] = ["each copy is sent a share", "the margin: their sum, one for each number stored"]
        parts = []
        for cls, notes in said.items():
            lines = [line for note in notes for line in wrap(note, RIGHT - x, 15)]
            y = self.homes[many][1] + 20
            parts.append(
                draw.group("", *(draw.text(x, y + 21 * i, t, "muted", 15) for i, t in enumerate(lines)), cls=cls)
            )
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

    def _repairs(self, y: float) -> list[Shape]:
        parts = [draw.text(LEFT, y + 14, "what would fit", "strong", 16)]
        for n, repair in enumerate(self.repairs):
            row = y + 44 + 34 * n
            code = "  or  ".join(code.format(self.names[repair.operand]) for code in repair.codes)
            parts.append(draw.group(
                f"x{n}",
                draw.text(LEFT, row, code, "mono strong", 16, room=330),
                draw.text(380, row, f"has shape {repair.shapes[repair.operand]}", "muted", 16, room=200),
                draw.text(590, row, f"gives {repair.result}", "mono value-ink", 16, room=RIGHT - 590),
            ))  # fmt: skip
        self.bottom = y + 44 + 34 * len(self.repairs)
        return parts

    # -- the formula and what lights with what -----------------------------------------------------------------------

    def _formula(self, y: float) -> list[Shape]:
        """A line under the grids, whose words the links fill in: what is read, or what is summed."""
        if not self.cells:
            return []
        longest = max((len("".join(self._read_words(n))) for n in range(len(self.cells))), default=1)
        if self.backward:
            summed = [self._sum_words(k, self.cells[r[0]]) for k in range(len(self.sources)) if self.flows(k)
                      for r in self.copies[k].values()]  # fmt: skip
            longest = max([longest, *(len("".join(w)) for w in summed)])
        size = max(15.0, min(22.0, (RIGHT - LEFT) / longest / 0.615))
        flip = ("unless-g", "when-g") if self.backward else ("", "when-g")
        shapes = [
            flow(
                ("f0", "muted"),
                ("f1", "value-ink"),
                ("f2", "muted"),
                ("f3", "lit-ink"),
                x=LEFT,
                y=y,
                size=size,
                cls=flip[0],
            )
        ]
        if self.backward:
            shapes.append(
                flow(
                    ("h0", "muted"),
                    ("h1", "grad-ink strong"),
                    ("h2", "muted"),
                    ("h3", "lit-ink"),
                    x=LEFT,
                    y=y,
                    size=size,
                    cls=flip[1],
                )
            )
            shapes.append(draw.text(LEFT, y + 26, "", "muted when-g", 15, id="h4"))
        self.room = int((RIGHT - LEFT) / size / 0.6)
        self.bottom = y + (34 if self.backward else 14)
        return shapes

    def _read_words(self, n: int) -> tuple[str, str, str, str]:
        cell, parts = self.cells[n], range(len(self.sources))
        cells = self.operation.says([self.called(k, cell) for k in parts])
        values = self.operation.says([_bracketed(self.reads[k][n]) for k in parts])
        return f"{_indexed(self._whole(), cell)} = " if cell else "", cells, f" = {values} = ", _brief(self.values[n])

    def _whole(self) -> str:
        return f"({self.result})" if " " in self.result and self.result[-1] != ")" else self.result

    def _sum_words(self, k: int, cell: Index) -> tuple[str, str, str, str]:
        terms, total = self.sum_of(k, cell)
        return (
            f"{_indexed(self.names[k] + '.grad', self.owns[k][self.number[cell]])} = ",
            terms,
            " = " if terms != total else "",
            total if terms != total else "",
        )

    def _grown(self, cell: Index) -> str:
        """What one upstream gradient becomes, for each operand."""
        n = self.number[cell]
        sent = [
            f"{_brief(self.backward.shares[k][n])} to {self.called(k, cell)}"
            for k in range(len(self.sources))
            if self.flows(k)
        ]
        return ", ".join(sent)

    def _links(self) -> tuple[Links, ...]:
        """Result cells light what they read; stored cells light all their readers; copies and sums what they belong to."""
        if not self.cells:
            return ()
        many = range(len(self.sources))
        families = [self._result_links()]
        for k in many:
            families.append(self._stored_links(k))
            if not self.plan.dots and self.met.repeated(k):
                families.append(self._copy_links(k))
        return tuple(families)

    def _sets(self, first: int) -> dict:
        sets = {(f"f{i}", "text"): (first + i,) for i in range(4)}
        if self.backward:
            sets |= {(f"h{i}", "text"): (first + 4 + i,) for i in range(5)}
        return sets

    def _result_links(self) -> Links:
        links = {}
        for n, cell in enumerate(self.cells):
            lights = [f"r{n}"]
            for k in range(len(self.sources)):
                lights += dict.fromkeys((self.real(k, cell), f"{OPERANDS[k]}{n}"))
                lights += [f"s{OPERANDS[k]}{self.firsts[k][n]}"] if self.summed(k) else []
            args = self._read_words(n)
            if self.backward:
                up = _brief(self.backward.upstream[n])
                args += (f"{_indexed('g', cell)} = {up}", " sends ", "", self._grown(cell), "")
            links[f"r{n}"] = Link(tuple(lights), args)
        says: Any = (0, 1, 2, 3, ".")
        if self.backward:
            says = {"": says, "g": (4, ", which arrives at this result cell,", 5, 7, ".")}
        return Links(says, links, self._sets(0))

    def _stored_links(self, k: int) -> Links:
        """A stored cell, and the sum in the margin: everything that reads it, everything that is added up."""
        links, name, dots = {}, self.names[k], self.plan.dots
        for own, readers in self.copies[k].items():
            cell, again = self.cells[readers[0]], len(readers)
            me = f"{OPERANDS[k]}{readers[0]}"
            lights = [me, *(f"r{n}" for n in readers)] + ([] if dots else [f"{OPERANDS[k]}{n}" for n in readers[1:]])
            lights += [f"s{OPERANDS[k]}{readers[0]}"] if self.summed(k) else []
            value = _brief(self.reads[k][readers[0]])
            times = "once" if again == 1 else f"{again} times" if self.plan.whole else "again and again"
            args: tuple = (f"{_indexed(name, own)} = {value}", f" is read {times}", "", "")
            if self.backward:
                words = (
                    self._sum_words(k, cell)
                    if self.flows(k)
                    else (f"{_indexed(name, own)} gets no gradient", "", "", "")
                )
                args += (*words, self._why(k))
            where = [f"[{', '.join(map(str, self.cells[n]))}]" for n in readers[:5]]
            more = f" and {again - 5} more" if again > 5 else ""
            args += (f", by {self._whole()}{', '.join(where)}{more}" if self.met.rank else "",)
            links[me] = Link(tuple(lights), args)
            if self.summed(k):
                links[f"s{OPERANDS[k]}{readers[0]}"] = links[me]
        says: Any = (0, 1, 9 if self.backward else 4, ".")
        if self.backward:
            says = {"": says, "g": (4, 5, 6, 7, *((", ", 8) if self.flows(k) and self.met.repeated(k) else ()), ".")}
        return Links(says, links, self._sets(0))

    def _why(self, k: int) -> str:
        if not self.flows(k):
            return ""
        if not self.met.repeated(k):
            return "nothing to sum: it was read once"
        axes = "axis" if len(self.met.repeated(k)) == 1 else "axes"
        return f"summed over {self.along(k)}, the {axes} along which {self.names[k]} was repeated"

    def _copy_links(self, k: int) -> Links:
        """A virtual copy: the stored cell that it is, and the one result cell that reads it there."""
        links, name = {}, self.names[k]
        for n, cell in enumerate(self.cells):
            first = self.firsts[k][n]
            if first == n:
                continue
            me = f"{OPERANDS[k]}{n}"
            lights = (me, f"{OPERANDS[k]}{first}", f"r{n}", *((f"s{OPERANDS[k]}{first}",) if self.summed(k) else ()))
            args: tuple = (self.called(k, cell), _brief(self.reads[k][n]), ", ".join(map(str, cell)))
            if self.backward:
                share = _brief(self.backward.shares[k][n]) if self.flows(k) else "nothing"
                args += (share, _indexed(f"{name}.grad", self.owns[k][n]))
            links[me] = Link(lights, args)
        stride = "strides" if len(self.met.repeated(k)) > 1 else "stride"
        words = (f"{name}'s copy at [", 2, "] is virtual: ", f"{stride} 0 along {self.along(k)}, reads ", 0, " again.")
        sets = {
            ("f0", "text"): (f"{name} at [", 2, "] is "),
            ("f1", "text"): (0,),
            ("f2", "text"): " = ",
            ("f3", "text"): (1,),
        }
        if not self.backward:
            return Links(words, links, sets)
        back = (f"{name}'s copy at [", 2, "] is sent ", 3, ", which is added to ", 4, ".")
        sets |= {("h0", "text"): (f"{name} at [", 2, "] gets "), ("h1", "text"): (3,), ("h2", "text"): ", added to ",
                 ("h3", "text"): (4,), ("h4", "text"): ""}  # fmt: skip
        return Links({"": words, "g": back}, links, sets)


def _indexed(name: str, index: Index) -> str:
    return f"{name}[{', '.join(map(str, index))}]" if index else name


def _brief(value: Value) -> str:
    """A number in a formula: 20 for 20.0, four digits of a long fraction; nan, inf, -0.0, True as they are."""
    words = str(value)
    if not isinstance(value, float) or words == "-0.0":
        return words
    return f"{value:.4g}" if len(words) > 6 or words.endswith(".0") and abs(value) < 1e4 else words.removesuffix(".0")


def _bracketed(value: Value) -> str:
    words = _brief(value)
    return f"({words})" if words.startswith("-") else words


def _fit(words: str, room: float) -> str:
    return shorten(words, room - 2, 14, mono=True)


def _prod(numbers) -> int:
    total = 1
    for n in numbers:
        total *= n
    return total
