"""The levels that the numbers of a picture open into, for its player, worked out from numbers.

A number is one of `rustyflow.unfold`: it knows its expression and the numbers in it.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from ...claims.digits import spell
from ...scene import BEYOND, LEAF, Level, Part, Unfolds
from ...scene.scene import of_side

MOST = 2000
"""So many levels a picture takes along; a live kernel gives the rest."""

AT_ONCE = 200
"""So many it gives when it is asked for one, and those around it."""

BEHIND = 100
"""So many levels more are written of numbers that stand behind dots, once all others are."""

HIDDEN = 128
"""The most numbers of a level of which those behind dots open, too: 64 products."""

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
            shown = [p.number for p in pieces if not isinstance(p, str) and name in (p.letters, p.number.name)]
            numbers = shown or [p for p in further(numbers[0]) if name in (p.brief, p.name)]
        return _Told(numbers[:1], shape_of, AT_ONCE).levels if numbers and numbers[0] and numbers[0].opens else None

    return Unfolds(told.levels, opens, of, more)


def further(number: Any) -> tuple[Any, ...]:
    """All numbers that one opens into, those behind dots too, and last itself as it is worked out.

    >>> import rustyflow as rf
    >>> from rustyflow.unfold import World
    >>> x = rf.tensor([1.0, 2.0], requires_grad=True)
    >>> [part.name for part in further(World(x.softmax(0), {"x": x}).where("softmax[0]"))]
    ['e[0]', 's', 'softmax[0] as worked out']
    """
    parts = tuple(getattr(number, "parts", ()))  # of several that stand together all are written
    form = getattr(number, "form", None)
    return parts if form is None else (*parts, form)


class _Told:
    """Levels from some numbers on, breadth first."""

    def __init__(self, numbers: Iterable[Any], shape_of: ShapeOf, most: int):
        self._shape_of, self._most, self._behind = shape_of, most, False
        self._at: dict[int, int] = {}
        self._queue: list[Any] = []
        for number in numbers:
            self._position(number)
        levels = [*map(self._level, self._queue)]  # which grows meanwhile
        self._most, self._behind = min(most, len(levels) + BEHIND), True
        for k, number in enumerate(self._queue):  # what stands behind dots is opened after all that is written
            levels[k] = self._with_all(number, levels[k])
            levels += map(self._level, self._queue[len(levels) :])
        self.levels = tuple(levels)

    def _position(self, number: Any) -> int:
        """The position of a number's level, which is then to be written."""
        if id(number) not in self._at and len(self._queue) >= self._most and self._behind:
            return BEYOND if number.made else LEAF
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

    def _with_all(self, number: Any, level: Level) -> Level:
        """The same level with the numbers for which dots stand, or of very many with their cells."""
        written = {p.number: part for p, part in zip(number.pieces, level.pieces) if not isinstance(p, str)}
        parts = further(number)
        if len(written) >= len(parts):
            return level
        if len(parts) > HIDDEN:
            return level._replace(read=" ".join(dict.fromkeys(id for n in parts for id in self._cell(n)[0].split())))
        return level._replace(every=tuple(written.get(n) or self.part(n, n.brief, spell(n.shown)) for n in parts))

    def part(self, number: Any, letters: str, digits: str) -> Part:
        """A number as it is written in an expression."""
        return Part(self._position(number), letters, digits, *self._cell(number))

    def _cell(self, number: Any) -> tuple[str, bool]:
        place = number.place
        return ("", False) if place is None else (self._shape_of(place) or "", bool(place.grad))
