"""Two panels under a graph: an inspector, a rule in symbols and in numbers, and a ledger of one number that grows."""

from collections.abc import Sequence
from textwrap import wrap

from ...scene import Look, Shape, draw
from ...scene.draw import LEFT, RIGHT
from ...scene.measure import width
from ..words.numbers import bracketed
from .dag import panel
from .line import flow

INSPECTOR, LEDGER, PANEL = 516, 284, 108
"""Widths of the two panels, and their height."""

PIECES, SIZE = 10, 15.5
"""How many differently coloured pieces a formula has; its font size."""

LINE = int((INSPECTOR - 32) / width("0", SIZE, mono=True))
"""The characters of a formula that fit into one line."""

SYMBOLS = int((INSPECTOR - 32) / width("0", 15, mono=True))
"""The same for one in symbols."""

Piece = tuple[str, str]
"""Words of a formula, and their ink."""


def panels(y: float, notes: Sequence[Piece]) -> list[Shape]:
    """Both panels, empty and out of sight, and in their place the legend: notes with their inks."""
    pieces = [(f"p{i}", "") for i in range(PIECES)]
    inspector = draw.group(
        "ins", panel(INSPECTOR, PANEL), draw.text(16, 25, "", "mono strong", 16, id="i0"),
        *(draw.text(16, 49 + 24 * k, "", "mono muted", 15, id=f"i{k + 1}") for k in range(3)),
        flow(*pieces, x=16, y=74, size=SIZE), draw.text(16, 97, "", "muted", 15, id="i4"),
        flow(("r0", ""), ("r1", "grad-ink strong"), x=16, y=98, size=SIZE), cls="aside off", at=(LEFT, y),
    )  # fmt: skip
    rows = [draw.text(16, 25, "", "mono strong", 16, id="l0")]
    for k, (id, ink) in enumerate((("l1", "mono"), ("l2", "mono grad-ink"), ("l3", "mono grad-ink strong"))):
        rows.append(draw.text(16, 49 + 24 * k, "", "muted", 15, id=f"{id}w"))
        rows.append(draw.text(LEDGER - 16, 49 + 24 * k, "", ink, 16, "end", id=id))
    ledger = draw.group("led", panel(LEDGER, PANEL), *rows, cls="aside off", at=(RIGHT - LEDGER, y))
    high = 110 / len(notes)
    words = [draw.text(0, high * (k + 0.7), note, ink, 16) for k, (note, ink) in enumerate(notes)]
    return [inspector, ledger, draw.group("leg", *words, cls="aside", at=(LEFT, y))]


def inspected(head: str, symbols: str, pieces: Sequence[Piece], last: str) -> Look:
    """The inspector with a heading, a rule in symbols, the same in coloured pieces, and a last line.

    Each may need more than its line. A result that does not fit behind its formula stands on the last one, in place of
    the words; a formula that does not fit either, or whose line its symbols take, is left out.
    """
    lines = wrap(symbols, SYMBOLS, subsequent_indent="  ") or [""]
    sets = {("i0", "text"): head} | {(f"i{k}", "text"): line for k, line in enumerate(lines[:3], 1)}
    pieces = list(pieces)
    if len(pieces) > PIECES:
        pieces = [*pieces[: PIECES - 3], ("".join(words for words, _ in pieces[PIECES - 3 : -2]), ""), *pieces[-2:]]
    longest = sum(len(words) for words, _ in pieces)
    if len(lines) > 1:
        alone = len(lines) == 2 and pieces and len(pieces[-1][0]) < LINE - 2
        sets |= {("r0", "text"): "= ", ("r1", "text"): pieces[-1][0]} if alone else {}
        pieces = []
    elif longest > LINE and len(pieces) > 2 and sum(len(words) for words, _ in pieces[:-2]) <= LINE:
        *pieces, (equals, _), (result, _) = pieces
        sets |= {("r0", "text"): equals.lstrip(), ("r1", "text"): result}
    else:
        sets["i4", "text"] = last
        if longest > LINE:  # the result alone
            (words, ink), begin = pieces[-1], [piece for piece in pieces[:1] if piece[0].endswith(" = ")]
            pieces = [*begin, (words if len(words) <= LINE else words[: LINE - 1] + "…", ink)]
    inks: dict[str, tuple[str, ...]] = {}
    for n, (words, ink) in enumerate(pieces):
        sets[f"p{n}", "text"] = words
        for cls in ink.split():
            inks[cls] = (*inks.get(cls, ()), f"p{n}")
    return Look({"-off": ("ins",), "off": ("leg",), **inks}, sets)


def grown(head: str, before: str, came: str, after: str, when: str) -> Look:
    """The ledger of one gradient: what it was, what comes, what it is now, or so far."""
    texts = {"l0": head, "l1w": "before", "l1": before, "l2w": "comes", "l2": f"+ {bracketed(came)}",
             "l3w": when, "l3": after}  # fmt: skip
    return Look({"-off": ("led",), "off": ("leg",)}, {(id, "text"): words for id, words in texts.items()})
