"""What the numbers of a picture open into, for its player: levels of `scene.unfolds`, worked out from numbers.

A number is one of `rustyflow.unfold`: it knows its expression and the numbers in it.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ...scene import BEYOND, LEAF, Level, Part, Unfolds

MOST = 2000
"""So many levels a picture takes along; a live kernel gives the rest."""

Roots = Mapping[str, Any]
"""The number of each shape that opens, or one for each side: `{"": value, "g": gradient}`."""

ShapeOf = Callable[[Any], str | None]
"""The id of the shape at a number's place, or None."""


def unfolds(roots: Roots, shape_of: ShapeOf, most: int = MOST, of: str = "") -> Unfolds:
    """The levels that can be reached from the numbers of some shapes, those that take fewest steps first.

    Args:
        roots: numbers by the ids of the shapes that open into them; one that is a leaf opens nothing.
        shape_of: finds the shape of a number's place.
        most: so many levels are written; numbers beyond them are left to Python.
        of: what the gradients are of, `loss = 0.86`.
    """
    sides = {shape: dict(number) if isinstance(number, Mapping) else {"": number} for shape, number in roots.items()}
    sides = {shape: {side: n for side, n in told.items() if n.opens} for shape, told in sides.items()}
    told = _Told((number for numbers in sides.values() for number in numbers.values()), shape_of, most)
    opens = {shape: _opens({side: told.position(n) for side, n in numbers.items()})
             for shape, numbers in sides.items() if numbers}  # fmt: skip

    def more(shape: str, side: str, path: Sequence[int]) -> tuple[Level, ...] | None:
        number = sides.get(shape, {}).get(side)
        for place in path:
            parts = [] if number is None else [piece.number for piece in number.pieces if not isinstance(piece, str)]
            number = parts[place] if 0 <= place < len(parts) else None
        return None if number is None or not number.opens else _Told([number], shape_of, AT_ONCE).levels

    return Unfolds(told.levels, opens, of, more)


AT_ONCE = 200
"""So many levels more are written when one is asked for: a press tells hardly more than the numbers around it."""


def _opens(by_side: dict[str, int]) -> int | dict[str, int]:
    return by_side[""] if list(by_side) == [""] else by_side


class _Told:
    """Levels from some numbers on, breadth first."""

    def __init__(self, numbers, shape_of: ShapeOf, most: int):
        self._shape_of, self._most = shape_of, most
        self._at: dict[int, int] = {}
        self._queue: list[Any] = []
        for number in numbers:
            self.position(number)
        written: list[Level] = []
        for number in self._queue:  # which grows meanwhile
            written.append(self._level(number))
        self.levels = tuple(written)

    def position(self, number: Any) -> int:
        """The position of a number's level, which is now to be written; `LEAF` or `BEYOND` where none is."""
        if not number.opens:
            return LEAF
        if id(number) not in self._at:
            if len(self._queue) >= self._most:
                return BEYOND
            self._at[id(number)] = len(self._queue)
            self._queue.append(number)
        return self._at[id(number)]

    def _level(self, number: Any) -> Level:
        pieces = tuple(piece if isinstance(piece, str) else self._part(piece) for piece in number.pieces)
        return Level(number.name, pieces, number.sign, number.digits, number.note, *self._cell(number))

    def _part(self, piece: Any) -> Part:
        number = piece.number
        return Part(self.position(number), piece.letters, piece.digits, *self._cell(number))

    def _cell(self, number: Any) -> tuple[str, bool]:
        place = number.place
        return ("", False) if place is None else (self._shape_of(place) or "", bool(place.grad))
