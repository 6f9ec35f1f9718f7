"""The levels that the numbers of a picture open into, for its player, worked out from numbers.

A number is one of `rustyflow.unfold`: it knows its expression and the numbers in it.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from ...scene import BEYOND, LEAF, Level, Part, Unfolds
from ...scene.scene import of_side

MOST = 2000
"""So many levels a picture takes along; a live kernel gives the rest."""

AT_ONCE = 200
"""So many it gives when it is asked for one, and those around it."""

ShapeOf = Callable[[Any], str | None]
"""The id of the shape at a number's place, or None."""


def unfolds(roots: Mapping[str, Any], shape_of: ShapeOf, most: int = MOST, of: str = "") -> Unfolds:
    """The levels that can be reached from the numbers of some shapes, those that take fewest steps first.

    Args:
        roots: numbers by the ids of the shapes that open into them, or one for each side, `{"": value, "g": gradient}`;
            a leaf opens nothing.
        shape_of: finds the shape of a number's place.
        most: so many levels are written; numbers beyond them are left to Python.
        of: what the gradients are of, `loss = 0.86`.

    Example:
        >>> import rustyflow as rf
        >>> from rustyflow.unfold import World
        >>> x = rf.tensor([2.0, 3.0], requires_grad=True)
        >>> world = World((x * x).sum(), {"x": x})
        >>> told = unfolds({"g1": world.where("x.grad[1]")}, lambda place: None)
        >>> told.opens["g1"].letters
        'x.grad[1]'
    """
    sides = {shape: number if isinstance(number, Mapping) else {"": number} for shape, number in roots.items()}
    sides = {shape: {side: n for side, n in numbers.items() if n.opens} for shape, numbers in sides.items()}
    told = _Told((number for numbers in sides.values() for number in numbers.values()), shape_of, most)
    parts = {shape: {side: told.part(n, n.name, n.digits) for side, n in numbers.items()}
             for shape, numbers in sides.items() if numbers}  # fmt: skip
    opens = {shape: by[""] if list(by) == [""] else by for shape, by in parts.items()}

    def more(shape: str, side: tuple[str, ...], path: Sequence[str]) -> tuple[Level, ...] | None:
        numbers = [of_side({"": None, **sides.get(shape, {})}, side)]
        for name in path:
            pieces = numbers[0].pieces if numbers and numbers[0] else ()
            numbers = [p.number for p in pieces if not isinstance(p, str) and name in (p.letters, p.number.name)]
        return _Told(numbers[:1], shape_of, AT_ONCE).levels if numbers and numbers[0] and numbers[0].opens else None

    return Unfolds(told.levels, opens, of, more)


class _Told:
    """Levels from some numbers on, breadth first."""

    def __init__(self, numbers: Iterable[Any], shape_of: ShapeOf, most: int):
        self._shape_of, self._most = shape_of, most
        self._at: dict[int, int] = {}
        self._queue: list[Any] = []
        for number in numbers:
            self._position(number)
        self.levels = tuple(map(self._level, self._queue))  # which grows meanwhile

    def _position(self, number: Any) -> int:
        """The position of a number's level, which is then to be written."""
        if not number.opens:
            return LEAF
        if id(number) not in self._at:
            if len(self._queue) >= self._most:
                return BEYOND
            self._at[id(number)] = len(self._queue)
            self._queue.append(number)
        return self._at[id(number)]

    def _level(self, number: Any) -> Level:
        pieces = tuple(p if isinstance(p, str) else self.part(p.number, p.letters, p.digits) for p in number.pieces)
        return Level(number.name, pieces, number.sign, number.digits, number.note, self._cell(number)[1])

    def part(self, number: Any, letters: str, digits: str) -> Part:
        """A number as it is written in an expression."""
        return Part(self._position(number), letters, digits, *self._cell(number))

    def _cell(self, number: Any) -> tuple[str, bool]:
        place = number.place
        return ("", False) if place is None else (self._shape_of(place) or "", bool(place.grad))
