"""Numbers that open: each into the expression it was made by, level by level, as sentences that Python has written.

A player follows the links from level to level and puts nothing together itself.

>>> h = Level("h[0]", (Part(1, "z[0]", "3"), "·2"), "=", "6")
>>> z = Level("z[0]", (Part(LEAF, "x[0]", "3"),), "=", "3")
>>> told = Unfolds((h, z), {"h0": Part(0, "h[0]", "6", "h0")})
>>> str(told.levels[0]), told.levels[told.levels[0].numbers[0].opens].about
('h[0] = z[0]·2 = 3·2 = 6', 'z[0]')
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

LEAF, BEYOND = -1, -2
"""In the place of a level: the number opens no further; it does, but its level is not here, and Python is asked."""

class Part(NamedTuple):
    """A number in an expression.

    Attributes:
        opens: the position of its level, or `LEAF` or `BEYOND`. letters, digits: as it is written in the two lines.
        shape: the id of its cell, or "". grad: it is a gradient.
    """

    opens: int
    letters: str
    digits: str
    shape: str = ""
    grad: bool = False


class Level(NamedTuple):
    """The expression of one number.

    Attributes:
        about: its name. pieces: the expression, text and `Part`s in turn. sign: before the result, `=` or `≈`.
        digits: the result. note: what else is to be said of it, or "". grad: it is a gradient.
        every: the numbers in order with those for which dots stand, if there are some. read: the ids of further cells.
    """

    about: str
    pieces: tuple[str | Part, ...]
    sign: str
    digits: str
    note: str = ""
    grad: bool = False
    every: tuple[Part, ...] = ()
    read: str = ""

    @property
    def numbers(self) -> tuple[Part, ...]:
        """The numbers that it is made of, in their order, those behind dots too."""
        return self.every or tuple(piece for piece in self.pieces if isinstance(piece, Part))

    @property
    def letters(self) -> str:
        """The expression in names."""
        return "".join(piece if isinstance(piece, str) else piece.letters for piece in self.pieces)

    @property
    def in_digits(self) -> str:
        """The expression in numbers."""
        return "".join(piece if isinstance(piece, str) else piece.digits for piece in self.pieces)

    def __str__(self) -> str:
        letters, digits = self.letters, self.in_digits
        lines = [f" = {letters}"] * (letters != digits) + [f" = {digits}"] * (digits != self.digits)
        return f"{self.about}{''.join(lines)} {self.sign} {self.digits}" + (f", {self.note}" if self.note else "")


@dataclass(frozen=True, eq=False)
class Unfolds:
    """The levels of a picture, and which of its shapes open into which.

    Args:
        levels: of each number once.
        opens: id of a shape to its number, or to that by toggle, `{"": value, "g": gradient}`.
        of: what the gradients are of, `loss = 0.86`.
        more: gives the levels from a number on that is `BEYOND`, for a picture in front of Python: that of a shape,
            on a side (the toggles that are on), along names of numbers from it; None where there is none.

    Raises:
        ValueError: a position where there is no level.
    """

    levels: tuple[Level, ...]
    opens: Mapping[str, Part | Mapping[str, Part]]
    of: str = ""
    more: Callable[[str, tuple[str, ...], tuple[str, ...]], "tuple[Level, ...] | None"] | None = None

    def __post_init__(self) -> None:
        reached = [part for level in self.levels for part in level.numbers] + [part for _, _, part in self.roots()]
        if wrong := sorted(part.opens for part in reached if not BEYOND <= part.opens < len(self.levels)):
            raise ValueError(f"level {wrong[0]} of {len(self.levels)}; a number opens one of the levels, or is a leaf")

    def roots(self) -> Iterator[tuple[str, str, Part]]:
        """Each shape that opens, the side on which it does, and its number."""
        for shape, opens in self.opens.items():
            for side, part in [("", opens)] if isinstance(opens, Part) else opens.items():
                yield shape, side, part

    def shapes(self) -> set[str]:
        """The ids of all shapes that it speaks of."""
        told = {id for level in self.levels for part in level.numbers for id in part.shape.split()}
        return told | {id for level in self.levels for id in level.read.split()} | self.opens.keys()


def packed(levels: Sequence[Level], roots: Iterable[Part] = ()) -> dict[str, list]:
    """The levels as the player reads them, with each part once, by its number; roots come first.

    >>> dz = Level("dz", (Part(1, "dh", "(-3)", "h0", True), "·", Part(LEAF, "w", "2")), "=", "-6", grad=True)
    >>> dh = Level("dh", (Part(LEAF, "loss", "3"), "·(-1)"), "=", "-3", "", True)
    >>> told = packed([dz, dh], [Part(0, "dz", "-6", grad=True)])
    >>> told["parts"]
    [[0, 'dz', '-6', '', 1], [1, 'dh', '(-3)', 'h0', 1], [-1, 'w', '2'], [-1, 'loss', '3']]
    >>> told["levels"]
    [['dz', [[1, '·', 2]], '=', '-6', '', 1], ['dh', [[3, '·(-1)']], '=', '-3', '', 1]]
    """
    parts: dict[Part, int] = {}
    for root in roots:
        parts.setdefault(root, len(parts))
    rows = []
    for level in levels:
        terms = [[p if isinstance(p, str) else parts.setdefault(p, len(parts)) for p in term] for term in _terms(level)]
        numbers = dict.fromkeys(level.numbers if level.read else level.every)
        every = [parts.setdefault(part, len(parts)) for part in numbers]
        row = level.about, terms, level.sign, level.digits, level.note, int(level.grad), every, level.read
        rows.append(_short(*row))
    return {"levels": rows, "parts": [_short(*part[:-1], int(part.grad)) for part in parts]}


def _terms(level: Level) -> list[list[str | Part]]:
    """The pieces of each term: between terms a long line wraps.

    >>> _terms(Level("y", ("a·(b + c) - d[0] + ", Part(LEAF, "e", "1"), "·2"), "=", "1"))
    [['a·(b + c)'], ['- d[0]'], ['+ ', Part(opens=-1, letters='e', digits='1', shape='', grad=False), '·2']]
    """
    terms: list[list[str | Part]] = [[]]
    depth = 0
    for piece in level.pieces:
        if isinstance(piece, Part):
            terms[-1].append(piece)
            continue
        text = ""
        for token in re.split(r"( (?=[+-] )|[()\[\]])", piece):
            depth += (token in ("(", "[")) - (token in (")", "]"))
            if token == " " and not depth:
                terms[-1] += [text] * bool(text)
                terms.append([])
                text = ""
            else:
                text += token
        terms[-1] += [text] * bool(text)
    return terms


def _short(*row: object) -> list[object]:
    """A row without what is empty at its end."""
    last = max((k for k, entry in enumerate(row) if entry), default=0)
    return list(row[: last + 1])
