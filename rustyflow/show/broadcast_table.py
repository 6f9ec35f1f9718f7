"""The table of shapes: aligned from the right, a verdict for each column, the meter, what would mend a clash."""

from collections.abc import Sequence
from typing import Any

from ..scene import Shape, draw
from ..scene.measure import shorten, width
from .kit.alignment import Alignment, Repair
from .kit.grids import LEFT, RIGHT
from .words.sentences import listed

CELL_W, CELL_H, PITCH, ROW, LINE = 64, 29, 80, 33, 25
"""A size in the table, the distance to the next column and row; the lines beside it."""


class Table:
    """The shapes of the operands under each other.

    Attributes:
        shapes: what is drawn. bottom: where it ends.
        moves: for each size that alignment moves to the right, its id and where it stood when just written.
    """

    def __init__(
        self, met: Alignment, names: Sequence[str], result: str, numbers: tuple[int, int] | None, flips: bool, y: float
    ):
        self.met, self.names, self.result, self.numbers, self.flips = met, names, result, numbers, flips
        self.shapes = self._table(y)
        self.bottom = y + 25 + max(ROW * (len(names) + 1), LINE * self.lines) + 4

    def _table(self, y: float) -> list[Shape]:
        met, names = self.met, [*self.names, self.result]
        label = min(150.0, max(width(name, 17, mono=True, bold=True) for name in names))
        self.table_x = LEFT + label + 22
        pitch = min(PITCH, (430 - label) / max(met.rank, 1))
        w, parts = min(CELL_W, pitch - 8), []
        lefts = [self.table_x + d * pitch for d in range(met.rank)]
        badges = [draw.badge(left, y, d) for d, left in enumerate(lefts)]
        named = [draw.text(left + 29, y + 17, f"dim {d}", "muted", 15) for d, left in enumerate(lefts) if pitch > 70]
        parts.append(draw.group("tb", *badges, *named))
        y += 25
        self.moves: dict[str, str] = {}
        for k, name in enumerate(names):
            row = y + k * ROW
            line = [draw.text(self.table_x - 18, row + 21, name, "mono strong", 17, "end", room=label)]
            last = k == len(self.names)
            sizes = met.sizes if last else met.padded[k]
            for d, n in enumerate(sizes):
                missing = not last and d < met.missing(k)
                cls = "virtual" if missing else f"ax{d}" if n != 1 and d < 5 else ""
                said, id = "?" if n is None else f"{n:,}", f"T{k}_{d}"
                at = self.table_x + d * pitch, row
                line.append(
                    draw.cell(
                        id,
                        *at,
                        shorten(said, w - 2, 14, mono=True),
                        cls,
                        w,
                        CELL_H,
                        min(18, 1.6 * w / max(len(said), 1)),
                    )
                )
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
            self.lines += 1 + bool(self.stretch())
            remarks = self._meter(x, y + met.rank * LINE, right)
            parts.append(draw.group("tm", *remarks, cls="unless-g" if self.flips else ""))
        return parts

    def _summed_over(self, dim: int) -> str:
        """What backward does along a column."""
        who = [name for k, name in enumerate(self.names) if self.flips and dim in self.met.repeated(k)]
        are = "is" if len(who) == 1 else "are"
        return f"{listed([f'{name}.grad' for name in who])} {are} summed over it" if who else ""

    def verdict(self, dim: int) -> str:
        """What the rule says of a column: who is repeated, or who clashes."""
        met = self.met
        sizes = [shape[dim] for shape in met.padded]
        verdict = met.verdict(dim)
        if verdict == "equal":
            return f"{'both' if len(sizes) == 2 else 'all'} have {sizes[0]:,}: nothing to do"
        if verdict == "clash":
            return " meets ".join(f"{n:,}" for n in dict.fromkeys(sizes) if n != 1) + ", and neither is 1: clash"
        return f"{self.ones(dim)}: {'it repeats' if sizes.count(1) == 1 else 'they repeat'}, stride 0"

    def ones(self, dim: int, one: str = "1") -> str:
        """Who has 1 along a column, and who no axis, which counts as 1."""
        met = self.met
        none = [name for k, name in enumerate(self.names) if dim < met.missing(k)]
        ones = [name for k, name in enumerate(self.names) if dim >= met.missing(k) and met.padded[k][dim] == 1]
        said = [f"{listed(none)} {'has none, counts' if len(none) == 1 else 'have none, count'} as 1"] if none else []
        said += [f"{listed(ones)} {'has' if len(ones) == 1 else 'have'} {one}"] if ones else []
        return ", ".join(said)

    def stretch(self, paired: str = ": every pair is formed") -> str:
        """Who is repeated along different axes, which may be a mistake; and what follows where two share no axis."""
        pairs = self.met.stretched()
        if not pairs:
            return ""
        who = listed([self.names[k] for k in sorted(set().union(*pairs))])
        if len(pairs) > 1 or not self.met.paired(*pairs[0]):
            return f"{who} stretch along different axes"
        both = "both sides stretch" if len(self.names) == 2 else f"{who} both stretch"
        return both + paired

    def _meter(self, x: float, y: float, right: float) -> list[Shape]:
        stored, pretended = self.numbers
        bar = 120 if right - x > 360 else 50
        part = max(3.0, min(1.0, stored / pretended) * bar) if pretended else 0
        said = f"{stored:,} {'number' if stored == 1 else 'numbers'} stored, read as {pretended:,}"
        parts = [
            draw.cell("", x, y + 8, "", "virtual", bar, 14), draw.cell("", x, y + 8, "", "value", part, 14),
            draw.text(x + bar + 12, y + 20, said, "muted", 15, room=right - x - bar - 12),
        ]  # fmt: skip
        if self.stretch():
            parts.append(draw.text(x, y + 20 + LINE, self.stretch(), "strong", 15, room=right - x))
        return parts


def heading(title: str, met: Alignment, operation: Any) -> tuple[Shape, ...]:
    """The program, and its shapes beside it where they fit."""
    shapes = operation.says([str(shape) for shape in met.shapes])
    said = f"{shapes} gives {met.shape}" if met.shape is not None else f"{shapes} do not fit"
    wide = width(title, 20, mono=True, bold=True)
    room = RIGHT - LEFT - wide - 20
    if width(said, 15, mono=True) > room:
        return draw.title(title, y=32, room=RIGHT - LEFT)
    return *draw.title(title, y=32), draw.text(LEFT + wide + 20, 32, said, "mono muted", 15, room=room)


def mended(repairs: Sequence[Repair], names: Sequence[str], y: float) -> list[Shape]:
    """What would fit: how to write it, the shape it has, the shape that gives."""
    parts = [draw.text(LEFT, y + 14, "what would fit", "strong", 16, id="xh")]
    for n, repair in enumerate(repairs):
        row = y + 44 + 34 * n
        code = "  or  ".join(code.format(names[repair.operand]) for code in repair.codes)
        parts.append(draw.group(
            f"x{n}",
            draw.text(LEFT, row, code, "mono strong", 16, room=330),
            draw.text(380, row, f"has shape {repair.shapes[repair.operand]}", "muted", 16, room=200),
            draw.text(590, row, f"gives {repair.result}", "mono value-ink", 16, room=RIGHT - 590),
        ))  # fmt: skip
    return parts
