"""One level as it is written: letters and numbers side by side, in lines that a reader takes in."""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import isfinite
from typing import Any, NamedTuple

from ..claims.claim import Claim, sign_of
from ..claims.digits import DIGITS, NEAR, NOISE
from ..claims.tree import TERMS, Leaf, Op, Tree, floats, size, spelled, text
from .trees import At, widest

LONGEST = 150
"""The most letters of a line."""

FEWER = 6, 5, 4, 3, 2
"""So many terms of a longer sum are written, dots among them: the first, and the last."""

MARK = re.compile(r"(?<![\w\]])\(-\x03(\d+)\x02\)|-\x03(\d+)\x02|\x01(\d+)\x02")
"""A leaf in a text; one that is negative is in brackets of its own where it stands among others."""

DOTS = Leaf(0, "...")

LEFT, MADE, BEYOND = "with more digits", "which rounding has made", "which overflows to"


class Piece(NamedTuple):
    """A number within a level: the number itself, and how it is written in letters and in digits."""

    number: Any
    letters: str
    digits: str


class Line(NamedTuple):
    """One level: its pieces, the sign and the digits of what it comes to, and the note."""

    pieces: tuple[str | Piece, ...]
    sign: str
    digits: str
    note: str


def line_of(name: str, tree: Tree | None, value: Any, note: str, bits: int = 0) -> Line:
    """The line of one level."""
    if tree is None:
        return Line((), sign_of(value), spelled(value, DIGITS), note)
    claim = Claim(name, tree, value, bits=bits)
    sign, result = _came_to(claim)
    digits = claim.told[0] if claim.holds else DIGITS
    for most in terms(tree):
        pieces = pieces_of(tree, digits, most)
        if fits(name, pieces, note, result):
            break
    return Line(pieces, sign, result, note)


def terms(tree: Tree) -> tuple[int, ...]:
    """The numbers of terms with which a tree may be written."""
    return (TERMS, *FEWER) if widest(tree) <= TERMS else FEWER


def fits(name: str, pieces: Sequence[str | Piece], note: str, result: str) -> bool:
    """True if a level fits into its line, or its two lines."""
    letters, digits, why = joined(pieces, 1), joined(pieces, 2), f", {note}" if note else ""
    first, last = f"{name} = {letters}{why}", f" = {result}"
    if digits in (letters, result):
        return len(first + last) <= LONGEST
    return len(first) <= LONGEST and len(f"  = {digits}{last}") <= LONGEST


def _came_to(claim: Claim) -> tuple[str, str]:
    """The sign and the digits of what a level comes to; what rounding has left is called so."""
    whole = spelled(claim.value, claim.digits)
    if not claim.holds:
        try:
            reached = float(floats(claim.tree))
        except (LookupError, TypeError):  # of a function of the program's own nothing is worked out
            return sign_of(claim.value), whole
        why = BEYOND if isfinite(reached) and not isfinite(claim.value) else MADE
        return NEAR, f"{spelled(reached, claim.digits)}, {why} {whole}"
    _, left, between, result = claim.pieces
    if not left:  # the tree is written as the value is
        return claim.told[1], whole
    sign, _, more = between.strip().partition(" ")
    if more.endswith(LEFT) and abs(claim.value) <= 10 * NOISE * size(claim.tree):
        more = more.removesuffix(LEFT) + MADE
    return sign, f"{more} {result}" if more else result


def pieces_of(tree: Tree, digits: int, most: int) -> tuple[str | Piece, ...]:
    """A tree's text in pieces, of long sums the first terms and the last."""
    met: list[At] = []

    def marked(tree: Tree) -> Tree:
        if isinstance(tree, Op):
            room = max(most, 2) if tree.how == "+" else max(most, TERMS)
            some = tree.parts if len(tree.parts) <= room else (*tree.parts[: most - 2], DOTS, tree.parts[-1])
            return Op(tree.how, tuple(map(marked, some)))
        if not isinstance(tree, At):
            return tree
        met.append(tree)
        sign = "-\x03" if spelled(tree.value, digits).startswith("-") else "\x01"
        return Leaf(tree.value, f"{sign}{len(met) - 1}\x02")

    pieces: list[str | Piece] = []
    written, last = text(marked(tree), digits, TERMS + 1), 0
    for mark in MARK.finditer(written):
        leaf = met[int(mark[1] or mark[2] or mark[3])]
        number = spelled(leaf.value, digits)
        pieces += [written[last : mark.start()],
                   Piece(leaf.number, leaf.number.brief, f"({number})" if mark[1] else number)]  # fmt: skip
        last = mark.end()
    return tuple(piece for piece in (*pieces, written[last:]) if piece)


def joined(pieces: Sequence[str | Piece], k: int) -> str:
    """The pieces as one text, 1 for letters, 2 for digits."""
    return "".join(piece if isinstance(piece, str) else piece[k] for piece in pieces)


def shortest(tree: Tree) -> int:
    """The letters of a tree, of long sums the first terms and the last."""
    return len(joined(pieces_of(tree, DIGITS, terms(tree)[-1]), 1))


