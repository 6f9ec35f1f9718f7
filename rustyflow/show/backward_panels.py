"""What the two panels of the backward figure show in a step: the rule in symbols and in numbers, and the ledger."""

from collections.abc import Iterator, Sequence
from typing import Any

from ..scene import Look
from .backward_scene import LINE, PIECES
from .dag import written
from .formula import pieces

Piece = tuple[str, str]
"""Words of a formula, and their ink."""


def in_numbers(rule: str, arrays: dict[str, Any]) -> Iterator[Piece]:
    """A rule with numbers in it, cut by colour: values, gradients, the rest."""
    shown = {token: written(array, 26) for token, array in arrays.items()}
    for token, said in pieces(rule, shown):
        yield said, "" if not shown.get(token) else "grad-ink" if token == "g" else "value-ink"


def inspector(head: str, symbols: str, pieces: Sequence[Piece], last: str) -> Look:
    """The inspector with a heading, a rule in symbols, the same in coloured pieces, and a last line.

    A result that does not fit behind its formula stands on the last line, in place of the words; a formula that does
    not fit either is left out.
    """
    sets = {("i0", "text"): head, ("i1", "text"): symbols}
    pieces = list(pieces)
    if len(pieces) > PIECES:
        pieces = [*pieces[: PIECES - 3], ("".join(words for words, _ in pieces[PIECES - 3 : -2]), ""), *pieces[-2:]]
    longest = sum(len(words) for words, _ in pieces)
    if longest > LINE and sum(len(words) for words, _ in pieces[:-2]) <= LINE:
        *pieces, (equals, _), (result, _) = pieces
        sets |= {("r0", "text"): equals.lstrip(), ("r1", "text"): result}
    else:
        sets["i3", "text"] = last
        if longest > LINE:  # the result alone
            pieces = [*(piece for piece in pieces[:1] if piece[0].endswith(" = ")), pieces[-1]]
    inks: dict[str, tuple[str, ...]] = {}
    for n, (words, ink) in enumerate(pieces):
        sets[f"p{n}", "text"] = words
        for cls in ink.split():
            inks[cls] = (*inks.get(cls, ()), f"p{n}")
    return Look({"-off": ("ins",), "off": ("leg",), **inks}, sets)


def ledger(head: str, before: str, came: str, after: str) -> Look:
    """The ledger of one gradient: what it was, what comes, what it is."""
    texts = {"l0": head, "l1w": "before", "l1": before, "l2w": "comes", "l2": f"+ {came}", "l3w": "now", "l3": after}
    return Look({"-off": ("led",), "off": ("leg",)}, {(id, "text"): words for id, words in texts.items()})
