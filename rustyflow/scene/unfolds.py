"""Numbers that open: each into the expression it was made by, level by level, as sentences that Python has written.

A player follows the links from level to level and puts nothing together itself.

>>> h = Level("h[0]", (Part(1, "z[0]", "3"), "·2"), "=", "6", shape="h0")
>>> z = Level("z[0]", (Part(LEAF, "x[0]", "3"),), "=", "3")
>>> told = Unfolds((h, z), {"h0": 0})
>>> str(told.levels[0]), told.levels[told.levels[0].numbers[0].opens].about
('h[0] = z[0]·2 = 3·2 = 6', 'z[0]')
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

LEAF, BEYOND = -1, -2
"""In the place of a level: the number opens no further; it does, but its level is not here, and Python is asked."""

Path = tuple[int, ...]
"""A way from a number to one of those it was made of: at each level the place among its `numbers`."""


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
        digits: the result. note: what else is to be said of it, or "". shape: the id of its own cell, or "".
        grad: it is a gradient.
    """

    about: str
    pieces: tuple[str | Part, ...]
    sign: str
    digits: str
    note: str = ""
    shape: str = ""
    grad: bool = False

    @property
    def numbers(self) -> tuple[Part, ...]:
        """The numbers that it is made of, in the order in which they are written."""
        return tuple(piece for piece in self.pieces if isinstance(piece, Part))

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
        return f"{self.about}{''.join(lines)} {self.sign} {self.digits}" + (f" {self.note}" if self.note else "")


@dataclass(frozen=True, eq=False)
class Unfolds:
    """The levels of a picture, and which of its shapes open into which.

    Args:
        levels: of each number once.
        opens: id of a shape to the position of its number's level, or to that by toggle, `{"": 0, "g": 7}`.
        of: what the gradients are of, `loss = 0.86`.
        more: gives the levels from a number on that are `BEYOND`, for a picture in front of Python: of a shape, on a
            side, along a path from its number; None where there is no such number.

    Raises:
        ValueError: a position where there is no level.
    """

    levels: tuple[Level, ...]
    opens: Mapping[str, int | Mapping[str, int]]
    of: str = ""
    more: Callable[[str, str, Path], "tuple[Level, ...] | None"] | None = None

    def __post_init__(self) -> None:
        reached = {part.opens for level in self.levels for part in level.numbers} | {k for _, _, k in self.roots()}
        if wrong := sorted(k for k in reached if not BEYOND <= k < len(self.levels)):
            raise ValueError(f"level {wrong[0]} of {len(self.levels)}; a number opens one of the levels, or is a leaf")

    def roots(self) -> Iterator[tuple[str, str, int]]:
        """Each shape that opens, the side on which it does, and the position of its level."""
        for shape, opens in self.opens.items():
            for side, k in opens.items() if isinstance(opens, Mapping) else [("", opens)]:
                yield shape, side, k

    def shapes(self) -> set[str]:
        """The ids of all shapes that it speaks of."""
        told = {cell.shape for level in self.levels for cell in (level, *level.numbers)}
        return (told | self.opens.keys()) - {""}


def packed(levels: Sequence[Level]) -> dict[str, object]:
    """The levels as the player reads them: each part once, by its number; of one written as in its level, that alone.

    >>> dz = Level("dz", (Part(1, "dh", "(-3)", "h0", True), "·", Part(LEAF, "w", "2")), "=", "-6", grad=True)
    >>> dh = Level("dh", (Part(LEAF, "loss", "3"), "·(-1)"), "=", "-3", "", "h0", True)
    >>> packed([dz, dh])["parts"]
    [[1], [-1, 'w', '2'], [-1, 'loss', '3']]
    >>> packed([dz, dh])["levels"]
    [['dz', [0, '·', 1], '=', '-6', '', '', 1], ['dh', [2, '·(-1)'], '=', '-3', '', 'h0', 1]]
    """
    parts: dict[Part, int] = {}
    rows = [_short(level.about, [p if isinstance(p, str) else parts.setdefault(p, len(parts)) for p in level.pieces],
                   level.sign, level.digits, level.note, level.shape, int(level.grad)) for level in levels]  # fmt: skip
    return {"levels": rows, "parts": [_part(part, levels) for part in parts]}


def _part(part: Part, levels: Sequence[Level]) -> int | list[object]:
    """The part; only its level's position where it is written as that has it, in a list if a minus has brackets."""
    if part.opens >= 0:
        own = levels[part.opens]
        same = Part(part.opens, own.about, own.digits, own.shape, own.grad)
        if part == same:
            return part.opens
        if part == same._replace(digits=f"({own.digits})") and own.digits.startswith("-"):
            return [part.opens]
    return _short(*part[:-1], int(part.grad))


def _short(*row: object) -> list[object]:
    """A row without what is empty at its end."""
    last = max((k for k, entry in enumerate(row) if entry), default=0)
    return list(row[: last + 1])
