"""The table of shapes, aligned from the right, a verdict for each column, and the rules one by one."""

from collections.abc import Iterable, Sequence
from math import prod

from ...scene import Look, Shape, draw
from ...scene.draw import LEFT, RIGHT
from ...scene.measure import shorten, width
from ..words.sentences import listed, many, written
from .alignment import Alignment
from .story import Story

TOP, CELL_W, CELL_H, PITCH, ROW, LINE = 8, 64, draw.LITTLE, 80, 34, 24
"""Where the table begins, a size in it, the distance to the next column and row; the lines beside it."""

HEAD = 28
"""Where the first row of sizes stands, below the letters of the axes."""


class Table:
    """The shapes of some operands, and of what an operation makes of them, under each other.

    Attributes:
        met: how the shapes meet. result: `a + b`.
        stored, pretended: how many numbers are stored, and how many the operands are read as.
        top: where it begins; a figure may move it before it is drawn.

    >>> table = Table(["a", "b"], [(3, 1), (4,)], "add")
    >>> table.met.shape, table.verdict(1), table.stored, table.pretended
    ((3, 4), 'a has 1: it repeats, stride 0', 7, 24)
    """

    def __init__(
        self, names: Sequence[str], shapes: Sequence[tuple[int, ...]], op: str, title: str = "",
        stored: int | None = None, dtypes: Sequence[str] = (), grads: Sequence[str] = (),
    ):  # fmt: skip
        self.names, self.op, self.dtypes, self.grads = names, op, dtypes, grads
        self.met = met = Alignment(tuple(shapes))
        self.result = written(op, names)
        self.title = title or self.result
        self.stored = sum(map(prod, shapes)) if stored is None else stored
        self.pretended = 0 if met.shape is None else prod(met.shape) * len(names)
        self.label = min(150.0, max(width(name, draw.NUMBER, mono=True, bold=True) for name in (*names, self.result)))
        self.x = LEFT + self.label + 16
        self.pitch = min(PITCH, (430 - self.label) / max(met.rank, 1))
        lines = met.rank + (met.shape is not None and 1 + bool(self.stretch()))
        self.top, self.height = float(TOP), HEAD + max(ROW * (len(names) + 1), LINE * lines + 8)

    @property
    def bottom(self) -> float:
        """The place at which it ends."""
        return self.top + self.height

    def _at(self, row: int, dim: int) -> tuple[float, float]:
        return self.x + dim * self.pitch, self.top + HEAD + row * ROW

    def draw(self) -> list[Shape]:
        """The table, and what the rules say beside it."""
        return [*self.rows(), *self.said()]

    def rows(self) -> list[Shape]:
        """The sizes, axis under axis."""
        met, w = self.met, min(CELL_W, self.pitch - 8)
        lefts = [self._at(0, d)[0] for d in range(met.rank)]
        head = [draw.badge(left, self.top, d) for d, left in enumerate(lefts)]
        wordy = self.pitch > 70
        head += [draw.text(x + 30, self.top + 16, f"dim {d}", "muted") for d, x in enumerate(lefts) if wordy]
        shapes = [draw.group("tb", *head)]
        for k, name in enumerate((*self.names, self.result)):
            last, (_, y) = k == len(self.names), self._at(k, 0)
            row = [draw.text(self.x - 16, y + 22, name, "mono strong", draw.NUMBER, "end", room=self.label)]
            for d, n in enumerate(met.sizes if last else met.padded[k]):
                cls = "virtual" if not last and d < met.missing(k) else ""
                face = shorten("?" if n is None else f"{n:,}", w - 2, draw.LABEL, mono=True)
                row.append(draw.cell(f"T{k}_{d}", *self._at(k, d), face, cls, w, CELL_H, draw.LABEL))
            shapes.append(draw.group("tr" if last else "", *row))
        if not met.rank:
            shapes.append(draw.text(self.x, self.top + HEAD + 21, "no axes: one number each", "muted"))
        return shapes

    @property
    def note(self) -> str:
        """The shapes that meet, and what they give."""
        shapes = written(self.op, [*map(str, self.met.shapes)])
        return f"{shapes} do not fit" if self.met.shape is None else f"{shapes} gives {self.met.shape}"

    def said(self) -> list[Shape]:
        """A line for each column, then the meter and a warning: what the rules say."""
        x = self.x + self.met.rank * self.pitch + (8 if self.met.rank else 220)
        met, parts, y, room = self.met, [], self.top + HEAD + 21, RIGHT - x
        for d in range(met.rank):
            ink = "warn" if met.verdict(d) == "clash" else ""
            verdict = (draw.text(0, 0, f"dim {d}", f"ink{min(d, 4)}"),
                    draw.text(56, 0, self.verdict(d), ink, room=room - 56))  # fmt: skip
            parts.append(draw.group(f"v{d}", *verdict, at=(x, y + d * LINE)))
        if met.shape is None:
            return parts
        y, bar = y + met.rank * LINE, 120 if room > 360 else 48
        part = max(3.0, min(1.0, self.stored / self.pretended) * bar) if self.pretended else 0
        counts = f"{many(self.stored, 'number')} stored, read as {self.pretended:,}"
        bars = (("virtual", bar), ("", part))
        meter = [*(draw.cell("", x, y - 13, "", cls, wide, draw.DOT) for cls, wide in bars),
                 draw.text(x + bar + 12, y, counts, "muted", room=room - bar - 12)]  # fmt: skip
        if self.stretch():
            meter.append(draw.text(x, y + LINE, self.stretch(), "strong", room=room))
        return [*parts, draw.group("tm", *meter)]

    def _summed(self, dim: int, summed: Sequence[int] | None) -> str:
        """`for a.grad and b.grad, what flows back is`: what is summed over a column."""
        who = [self.grads[k] for k in summed or () if dim in self.met.repeated(k)]
        return f"for {listed(who)}, what flows back is" if who else ""

    def verdict(self, dim: int) -> str:
        """The verdict of the rules on a column: who is repeated, or who clashes."""
        sizes, verdict = [shape[dim] for shape in self.met.padded], self.met.verdict(dim)
        if verdict == "equal" and any(dim < self.met.missing(k) for k in range(len(sizes))):
            return f"{self._ones(dim)}: nothing to do"
        if verdict == "equal":
            return f"{'both' if len(sizes) == 2 else 'all'} have {sizes[0]:,}: nothing to do"
        if verdict == "clash":
            return " meets ".join(f"{n:,}" for n in dict.fromkeys(sizes) if n != 1) + ", and neither is 1: clash"
        if 0 in self.met.sizes:
            return f"{self._ones(dim)}: nothing is read"
        return f"{self._ones(dim)}: {'it repeats' if sizes.count(1) == 1 else 'they repeat'}, stride 0"

    def _ones(self, dim: int, one: str = "1") -> str:
        """Says who has 1 along a column, and who no axis, which counts as 1."""
        met = self.met
        none = [name for k, name in enumerate(self.names) if dim < met.missing(k)]
        ones = [name for k, name in enumerate(self.names) if dim >= met.missing(k) and met.padded[k][dim] == 1]
        who = [f"{listed(none)} {'has none, counts' if len(none) == 1 else 'have none, count'} as 1"] if none else []
        who += [f"{listed(ones)} {'has' if len(ones) == 1 else 'have'} {one}"] if ones else []
        return ", ".join(who)

    def stretch(self) -> str:
        """Says who is repeated along different axes, which may be a mistake, and what follows of it."""
        pairs = self.met.stretched()
        if not pairs or 0 in self.met.sizes:
            return ""
        who = listed([self.names[k] for k in sorted(set().union(*pairs))])
        if len(pairs) > 1 or not self.met.paired(*pairs[0]):
            along = [set(self.met.repeated(k)) for k in sorted(set().union(*pairs))]
            apart = len(set().union(*along)) == sum(map(len, along))
            return f"{who} {'stretch along different axes' if apart else 'do not all stretch along the same axes'}"
        both = "both sides stretch" if len(self.names) == 2 else f"{who} both stretch"
        return f"{both}: every pair is formed"

    def later(self, story: Story) -> None:
        """Lets the rules wait: shapes stand as they are written, without 1s in front, and without verdicts."""
        met, operands = self.met, range(len(self.names))
        moves = {}
        for k, lacks in enumerate(map(met.missing, operands)):
            for d in range(lacks, met.rank) if lacks else ():
                x, y = self._at(k, d)
                moves[f"T{k}_{d}", "transform"] = draw.place(x - lacks * self.pitch, y)
        story.later("align", Look({"off": ("tb",)}, moves))
        story.later("missing", off=[f"T{k}_{d}" for k in operands for d in range(met.missing(k))])
        for d in range(met.rank):
            story.later(f"v{d}", off=(f"v{d}",))
        story.later("result", off=("tr",) if met.shape is None else ("tr", "tm"))

    def whole(self) -> str:
        """Says what the shapes come to, before it is told why."""
        clash = max((d for d in range(self.met.rank) if self.met.verdict(d) == "clash"), default=None)
        if clash is None:
            return f"{self._shapes()}: {self.result} has shape {self.met.shape}."
        meets = self.verdict(clash).partition(",")[0]
        return f"{self._shapes()}. From the right, {meets} along {draw.letter_of(clash)}, dim {clash}: they clash."

    def apart(self, dims: Iterable[int]) -> list[str]:
        """The sizes along these axes that are not 1."""
        return [f"T{k}_{d}" for d in dims for k, sizes in enumerate(self.met.padded) if sizes[d] != 1]

    def _shapes(self) -> str:
        """Says who has which shape."""
        return listed([f"{name} has shape {shape}" for name, shape in zip(self.names, self.met.shapes, strict=True)])

    def tell(self, story: Story, summed: Sequence[int] | None = None) -> None:
        """The rules one by one, and what they come to; of shapes that clash up to the clash."""
        met, names = self.met, self.names
        story.tell(f"{self._shapes()}: which of their numbers meet?")
        rule = "Rule 1: write the shapes under each other from the right, last axis under last axis."
        story.tell(rule, "align")
        if lacking := [f"{name} counts as {met.padded[k]}" for k, name in enumerate(names) if met.missing(k)]:
            story.tell(f"Rule 2: where a shape has no axis left, put a 1 in front: {listed(lacking)}.", "missing")
        for d in reversed(range(met.rank)):
            sentence = self._column(d)
            if met.verdict(d) == "clash":
                story.later("clash", lit=self.apart([c for c in range(met.rank) if met.verdict(c) == "clash"]))
                return story.tell(sentence, f"v{d}", "result")
            who, axis = self._summed(d, summed), f"{draw.letter_of(d)}, dim {d}"
            back = f"{who} summed over {axis}, the axis of the virtual cells."
            if not who:
                again = [name for k, name in enumerate(names) if d in met.repeated(k)]
                back = f"along {axis}, nothing was repeated, so no gradient is summed."
                if again:
                    was, get = ("was", "it gets") if len(again) == 1 else ("were", "they get")
                    back = f"along {axis}, {listed(again)} {was} repeated, but {get} no gradient."
            story.tell(sentence if summed is None else {"": sentence, "g": f"Backward: {back}"}, f"v{d}")
        are = f"{many(self.stored, 'number')} {'is' if self.stored == 1 else 'are'} stored"
        sentence = f"So {self.result} has shape {met.shape}: {are}, and read as {self.pretended:,}."
        if told := self.stretch():
            sentence += f" {told[0].upper() if told.startswith('both') else told[0]}{told[1:]}."
        story.tell(sentence, "result")

    def _column(self, dim: int) -> str:
        """Says of a column that it matches, repeats or clashes."""
        met, axis = self.met, f"{draw.letter_of(dim)}, dim {dim}"
        sizes, verdict = [shape[dim] for shape in met.padded], met.verdict(dim)
        if verdict == "equal" and any(dim < met.missing(k) for k in range(len(sizes))):
            return f"Along {axis}, {self._ones(dim, 'size 1')}, so they match one to one."
        if verdict == "equal":
            return f"Along {axis}, the sizes are equal ({sizes[0]:,}), so they match one to one."
        if verdict == "clash":
            meets = " meets ".join(f"{n:,} of {name}" for n, name in zip(sizes, self.names, strict=True) if n != 1)
            return f"Along {axis}, {meets}: sizes must be equal or 1, so {self.result} is an error."
        repeats = "repeats" if sizes.count(1) == 1 else "repeat"
        rule = f"Rule 3: along {axis}, {self._ones(dim, 'size 1')}"
        if 0 in met.sizes:
            becomes = "becomes" if repeats == "repeats" else "become"
            return f"{rule}, which {becomes} {met.sizes[dim]:,}: {self.result} has no cells, so nothing is read."
        unlike = len({dim < met.missing(k) for k, n in enumerate(sizes) if n == 1}) == 2
        joined = ", and they" if unlike else " and"
        return f"{rule}{joined} {repeats} {met.sizes[dim]:,} times: stride 0, nothing is copied."

    def about(self) -> tuple[str, ...]:
        """In words what is drawn."""
        dtypes = [f", {dtype}" for dtype in self.dtypes] or [""] * len(self.names)
        named = zip(self.names, self.met.shapes, dtypes, strict=True)
        lines = [f"{name}: shape {shape}{dtype}" for name, shape, dtype in named]
        lines += [f"dim {d}: {self.verdict(d)}" for d in range(self.met.rank)]
        if self.met.shape is not None:
            stored = f"{many(self.stored, 'number')} stored, read as {self.pretended:,}"
            lines.append(f"{self.result}: shape {self.met.shape}; {stored}")
        return tuple(lines)
