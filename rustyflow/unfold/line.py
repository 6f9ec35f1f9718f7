"""One level as it is written: letters and numbers side by side, in lines that a reader takes in."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from ..claims.claim import Claim, sign_of
from ..claims.tree import TERMS, Leaf, Op, Tree, spelled, text

LONGEST = 150
"""The most letters of a line."""

MARK = re.compile(r"(?<![\w\]])\(-\x01(\d+)\x02\)|(-?)\x01(\d+)\x02")
"""A leaf in a text, in brackets of its own where it is negative and stands among others."""


class Piece(NamedTuple):
    """A number within a level: the number itself, and how it is written in letters and in digits."""

    number: Any
    letters: str
    digits: str


class Line(NamedTuple):
    """One level: its pieces, the sign and the digits of what it comes to, the note; and the whole tree."""

    pieces: tuple[str | Piece, ...]
    sign: str
    digits: str
    note: str
    tree: Tree | None


def line_of(name: str, tree: Tree | None, value: Any, note: str, bits: int = 0) -> Line:
    """The line of one level."""
    if tree is None:
        return Line((), sign_of(value), spelled(value, 3), note, None)
    claim = Claim(name, tree, value, bits=bits)
    digits, _ = claim.told
    _, _, between, result = claim.pieces
    sign, _, more = between.strip().partition(" ")
    result = f"{more} {result}" if more else result
    for most in (TERMS, 6, 5, 4, 3) if widest(tree) <= TERMS else (6, 5, 4, 3):
        pieces = pieces_of(tree, digits, most)
        letters, numbers = (sum(len(p if isinstance(p, str) else p[k]) for p in pieces) for k in (1, 2))
        if len(name) + 3 + letters + len(note) + 2 <= LONGEST and numbers + len(result) + 6 <= LONGEST:
            break
    return Line(pieces, sign or claim.told[1], result, note, tree)


def widest(tree: Tree) -> int:
    """The most terms of a sum, or parts of another operation, in a tree."""
    return max(len(tree.parts), *map(widest, tree.parts)) if isinstance(tree, Op) and tree.parts else 1


def pieces_of(tree: Tree, digits: int, most: int) -> tuple[str | Piece, ...]:
    """A tree's text in pieces, of long sums the first terms and the last."""
    met: list[Any] = []

    def marked(tree: Tree) -> Tree:
        if isinstance(tree, Op):
            return Op(tree.how, tuple(map(marked, tree.parts)))
        if not hasattr(tree, "number"):
            return tree
        met.append(tree)
        return Leaf(tree.value, "-" * spelled(tree.value, digits).startswith("-") + f"\x01{len(met) - 1}\x02")

    pieces: list[str | Piece] = []
    written, last = text(marked(tree), digits, most), 0
    for mark in MARK.finditer(written):
        leaf = met[int(mark[1] or mark[3])]
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
    return len(joined(pieces_of(tree, 3, 6 if widest(tree) > TERMS else TERMS), 1))
