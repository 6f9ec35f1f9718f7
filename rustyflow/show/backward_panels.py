"""What the two panels of the backward figure show in a step: the rule in symbols and in numbers, and the ledger."""

from collections.abc import Iterator, Mapping, Sequence
from textwrap import wrap

from ..scene import Look
from .backward_scene import LINE, PIECES, SYMBOLS
from .words.numbers import bracketed
from .words.rule import pieces

Piece = tuple[str, str]
"""Words of a formula, and their ink."""


def in_numbers(rule: str, shown: Mapping[str, str]) -> Iterator[Piece]:
    """A rule with what its letters stand for, cut by colour: values, gradients, the rest."""
    for token, said in pieces(rule, shown):
        yield said, "" if not shown.get(token) else "grad-ink" if token == "g" else "value-ink"


def inspector(head: str, symbols: str, pieces: Sequence[Piece], last: str) -> Look:
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
    elif longest > LINE and sum(len(words) for words, _ in pieces[:-2]) <= LINE:
        *pieces, (equals, _), (result, _) = pieces
        sets |= {("r0", "text"): equals.lstrip(), ("r1", "text"): result}
    else:
        sets["i4", "text"] = last
        if longest > LINE:  # the result alone
            pieces = [*(piece for piece in pieces[:1] if piece[0].endswith(" = ")), pieces[-1]]
    inks: dict[str, tuple[str, ...]] = {}
    for n, (words, ink) in enumerate(pieces):
        sets[f"p{n}", "text"] = words
        for cls in ink.split():
            inks[cls] = (*inks.get(cls, ()), f"p{n}")
    return Look({"-off": ("ins",), "off": ("leg",), **inks}, sets)


def ledger(head: str, before: str, came: str, after: str, when: str) -> Look:
    """The ledger of one gradient: what it was, what comes, what it is now, or so far."""
    texts = {"l0": head, "l1w": "before", "l1": before, "l2w": "comes", "l2": f"+ {bracketed(came)}",
             "l3w": when, "l3": after}
    return Look({"-off": ("led",), "off": ("leg",)}, {(id, "text"): words for id, words in texts.items()})
