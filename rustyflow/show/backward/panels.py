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

INSPECTOR, LEDGER, PANEL, ROW = 516, 284, 92, 21
"""Widths of the two panels, their height, and that of each of their four lines."""

PIECES, SIZE, LINES = 10, 15, 3
"""How many differently coloured pieces a line has; its font size; how many there are below the heading."""

LINE = int((INSPECTOR - 32) / width("0", SIZE, mono=True))
"""The characters that fit into one line."""

Piece = tuple[str, str]
"""Words of a formula, and their ink."""

Line = Sequence[Piece]


def panels(y: float, notes: Sequence[Piece]) -> list[Shape]:
    """Both panels, empty and out of sight, and in their place the legend: notes with their inks."""
    at = [21 + ROW * k for k in range(LINES + 1)]
    lines = (flow(*((f"p{k}{i}", "") for i in range(PIECES)), x=16, y=at[k + 1], size=SIZE) for k in range(LINES))
    heading = draw.text(16, at[0], "", "mono strong", 16, id="i0")
    inspector = draw.group("ins", panel(INSPECTOR, PANEL), heading, *lines, cls="aside off", at=(LEFT, y))
    rows = [draw.text(16, at[0], "", "mono strong", 16, id="l0")]
    for k, (id, ink) in enumerate((("l1", "mono"), ("l2", "mono grad-ink"), ("l3", "mono grad-ink strong")), 1):
        rows.append(draw.text(16, at[k], "", "muted", 15, id=f"{id}w"))
        rows.append(draw.text(LEDGER - 16, at[k], "", ink, 15, "end", id=id))
    ledger = draw.group("led", panel(LEDGER, PANEL), *rows, cls="aside off", at=(RIGHT - LEDGER, y))
    high = (PANEL + 2) / len(notes)
    legend = [draw.text(0, high * (k + 0.7), note, ink, 15) for k, (note, ink) in enumerate(notes)]
    return [inspector, ledger, draw.group("leg", *legend, cls="aside", at=(LEFT, y))]


def inspected(head: str, symbols: str, *formulas: Line, last: str = "") -> Look:
    """The inspector with a heading, a rule in symbols, formulas in coloured pieces, and last words where there is room.

    Each may need more than its line. A result that does not fit behind its formula stands in the next; of a formula
    that does not fit either, or has no room for that, the result is shown alone.
    """
    rule = wrap(symbols, LINE, subsequent_indent="  ")
    rule[LINES - 1 :] = [shorten(" ".join(rule[LINES - 1 :]), INSPECTOR - 32, SIZE, mono=True)] * (len(rule) >= LINES)
    shown = [[(line, "muted")] for line in rule]
    whole = [formula for formula in formulas if formula]
    broken = [_broken(formula) for formula in whole]
    if sum(map(len, broken)) + len(shown) > LINES:
        broken = [lines if len(lines) == 1 else [_alone(all_)] for lines, all_ in zip(broken, whole, strict=True)]
    shown = (shown + [line for lines in broken for line in lines])[:LINES]
    if last and len(shown) < LINES:
        shown.append([(last, "muted")])
    sets = {("i0", "text"): shorten(head, INSPECTOR - 32, 16, mono=True, bold=True)}
    inks: dict[str, tuple[str, ...]] = {}
    for k, line in enumerate(shown):
        for n, (text, ink) in enumerate(_few(line)):
            sets[f"p{k}{n}", "text"] = text
            for cls in ink.split():
                inks[cls] = (*inks.get(cls, ()), f"p{k}{n}")
    return Look({"-off": ("ins",), "off": ("leg",), **inks}, sets)


def _broken(formula: Line) -> list[Line]:
    """A formula as the lines that it needs: one, or one and its result, or its result alone."""
    if sum(len(text) for text, _ in formula) <= LINE:
        return [formula]
    *front, (equals, ink), result = formula if len(formula) > 2 else [*formula, ("", ""), ("", "")]
    if front and result[0] and sum(len(text) for text, _ in front) <= LINE:
        return [front, [(equals.lstrip(), ink), (result[0][: LINE - 2], result[1])]]
    return [_alone(formula)]


def _alone(formula: Line) -> Line:
    """The result of a formula, behind what it is of, and the sign that stood before it."""
    (number, ink), begin = formula[-1], [piece for piece in formula[:1] if piece[0].endswith((" = ", " ≈ "))]
    if begin and len(formula) > 1:
        (left, of), before = begin[0], formula[-2][0]
        how = before.rstrip() if before.startswith(", ") else ""  # ", summed"
        near = "≈" if number.startswith("≈ ") or not how and before.endswith(" ≈ ") else "="
        begin, number = [(f"{left[:-3]}{how} {near} ", of)], number.removeprefix("≈ ")
    elif len(formula) > 1 and formula[-2][0] in (" = ", " ≈ "):
        begin = [(formula[-2][0].lstrip(), "")]
    room = LINE - sum(len(text) for text, _ in begin)
    return [*begin, (number if len(number) <= room else number[: room - 1] + "…", ink)]


def _few(line: Line) -> Line:
    """A line in no more pieces than there are."""
    if len(line) <= PIECES:
        return line
    return [*line[: PIECES - 3], ("".join(text for text, _ in line[PIECES - 3 : -2]), ""), *line[-2:]]


def grown(head: str, before: str, came: str, after: str, when: str) -> Look:
    """The ledger of one gradient: what it was, what comes, what it is now, or so far."""
    rows = {"l1": ("before", before), "l2": ("comes", f"+ {bracketed(came)}"), "l3": (when, after)}
    texts = {"l0": shorten(head, LEDGER - 32, 16, mono=True, bold=True)}
    for id, (word, number) in rows.items():
        room = LEDGER - 44 - width(word, SIZE)
        texts |= {f"{id}w": word, id: shorten(number, room, SIZE, mono=True, bold=id == "l3")}
    return Look({"-off": ("led",), "off": ("leg",)}, {(id, "text"): text for id, text in texts.items()})
