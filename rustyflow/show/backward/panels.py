"""The two panels under a graph: an inspector of a rule, in symbols and numbers, and a ledger.

The ledger is of one number that grows.
"""

from collections.abc import Sequence
from textwrap import wrap

from ...claims.digits import bracketed
from ...scene import Look, Shape, draw
from ...scene.draw import LEFT, RIGHT
from ...scene.measure import shorten, width
from ..kit.dag import panel
from ..kit.line import flow

LEDGER, BETWEEN, PANEL, ROW, INNER = 272, 12, 98, 22, 16
"""The width of the ledger, the room between both panels, their height, that of each of their lines, and the room at the
sides within."""

PIECES, LINES = 10, 3
"""How many differently coloured pieces a line has; how many lines there are below the heading."""

Piece = tuple[str, str]
"""Words of a formula, and their ink."""

Line = Sequence[Piece]


class Panels:
    """Both panels, in a figure that ends at `right`.

    A line that is too long is set in the smaller size, and one that is too long for that too continues on the next.

    Attributes:
        line: the characters of a line in that size; large: in the usual one.

    >>> Panels().inspected("mul", "dx = g * w", [("dx = ", ""), ("6", "strong")]).sets["p10", "text"]
    'dx = '
    """

    def __init__(self, right: float = RIGHT):
        self.right, self.wide = right, right - LEFT - LEDGER - BETWEEN
        self.room = self.wide - 2 * INNER
        self.large, self.line = (int(self.room / width("0", size, mono=True)) for size in (draw.NUMBER, draw.LABEL))

    def draw(self, y: float) -> list[Shape]:
        """Both panels, empty and out of sight."""
        at = [INNER + 6 + ROW * k for k in range(LINES + 1)]
        lines = []
        for k in range(LINES):
            pieces = ((f"p{k}{i}", "") for i in range(PIECES))
            lines.append(flow(*pieces, x=INNER, y=at[k + 1], size=draw.NUMBER)._replace(id=f"p{k}"))
        heading = draw.text(INNER, at[0], "", "mono strong", draw.NUMBER, id="i0")
        inspector = draw.group("ins", panel(self.wide, PANEL), heading, *lines, cls="aside off", at=(LEFT, y))
        rows = [draw.text(INNER, at[0], "", "mono strong", draw.NUMBER, id="l0")]
        for k, (id, ink) in enumerate((("l1", "mono"), ("l2", "mono grad-ink"), ("l3", "mono grad-ink strong")), 1):
            rows.append(draw.text(INNER, at[k], "", "muted", draw.LABEL, id=f"{id}w"))
            rows.append(draw.text(LEDGER - INNER, at[k], "", ink, draw.NUMBER, "end", id=id))
        ledger = draw.group("led", panel(LEDGER, PANEL), *rows, cls="aside off", at=(self.right - LEDGER, y))
        return [inspector, ledger]

    def inspected(self, head: str, symbols: str, *formulas: Line, last: str = "") -> Look:
        """The inspector with a heading, a rule in symbols, formulas in coloured pieces, and last words.

        Each may need more than its line. A result that does not fit behind its formula stands in the next; of a formula
        that does not fit either, or has no room for that, the result is shown alone.
        """
        rule = wrap(symbols, self.line, subsequent_indent="  ")
        if len(rule) >= LINES:
            rule[LINES - 1 :] = [shorten(" ".join(rule[LINES - 1 :]), self.room, draw.LABEL, mono=True)]
        shown = [[(line, "muted")] for line in rule]
        whole = [formula for formula in formulas if formula]
        broken = [self._broken(formula) for formula in whole]
        if sum(map(len, broken)) + len(shown) > LINES:
            broken = [lines if len(lines) == 1 else [self._alone(all_)]
                      for lines, all_ in zip(broken, whole, strict=True)]  # fmt: skip
        shown = (shown + [line for lines in broken for line in lines])[:LINES]
        if last and len(shown) < LINES:
            shown.append([(last, "muted")])
        sets = {("i0", "text"): shorten(head, self.room, draw.NUMBER, mono=True, bold=True)}
        inks: dict[str, tuple[str, ...]] = {}
        for k, line in enumerate(shown):
            if sum(len(text) for text, _ in line) > self.large:
                inks["small"] = (*inks.get("small", ()), f"p{k}")
            for n, (text, ink) in enumerate(_few(line)):
                sets[f"p{k}{n}", "text"] = text
                for cls in ink.split():
                    inks[cls] = (*inks.get(cls, ()), f"p{k}{n}")
        return Look({"-off": ("ins",), **inks}, sets)

    def _broken(self, formula: Line) -> list[Line]:
        """A formula as the lines that it needs: one, or one and its result, or its result alone."""
        if sum(len(text) for text, _ in formula) <= self.line:
            return [formula]
        *front, (equals, ink), result = formula if len(formula) > 2 else [*formula, ("", ""), ("", "")]
        if front and result[0] and sum(len(text) for text, _ in front) <= self.line:
            return [front, [(equals.lstrip(), ink), (result[0][: self.line - 2], result[1])]]
        return [self._alone(formula)]

    def _alone(self, formula: Line) -> Line:
        """The result of a formula, behind what it is of, and the sign that stood before it."""
        (number, ink), begin = formula[-1], [piece for piece in formula[:1] if piece[0].endswith((" = ", " ≈ "))]
        if begin and len(formula) > 1:
            (left, of), before = begin[0], formula[-2][0]
            how = before.rstrip() if before.startswith(", ") else ""  # ", summed"
            near = "≈" if number.startswith("≈ ") or not how and before.endswith(" ≈ ") else "="
            begin, number = [(f"{left[:-3]}{how} {near} ", of)], number.removeprefix("≈ ")
        elif len(formula) > 1 and formula[-2][0] in (" = ", " ≈ "):
            begin = [(formula[-2][0].lstrip(), "")]
        room = self.line - sum(len(text) for text, _ in begin)
        return [*begin, (number if len(number) <= room else number[: room - 1] + "…", ink)]

    def grown(self, head: str, before: str, came: str, after: str, when: str) -> Look:
        """The ledger of one gradient: what it was, what comes, what it is now, or so far."""
        rows = {"l1": ("before", before), "l2": ("comes", f"+ {bracketed(came)}"), "l3": (when, after)}
        texts = {"l0": shorten(head, LEDGER - 2 * INNER, draw.NUMBER, mono=True, bold=True)}
        small = []
        for id, (word, number) in rows.items():
            room, bold = LEDGER - 2 * INNER - 12 - width(word, draw.LABEL), id == "l3"
            if width(number, draw.NUMBER, mono=True, bold=bold) > room:
                small.append(id)
            texts |= {f"{id}w": word, id: shorten(number, room, draw.LABEL, True, bold) if id in small else number}
        classes = {"-off": ("led",), **({"small": tuple(small)} if small else {})}
        return Look(classes, {(id, "text"): text for id, text in texts.items()})


def _few(line: Line) -> Line:
    """A line in no more pieces than there are."""
    if len(line) <= PIECES:
        return line
    return [*line[: PIECES - 3], ("".join(text for text, _ in line[PIECES - 3 : -2]), ""), *line[-2:]]
