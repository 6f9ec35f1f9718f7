"""A number that opens: its name, its value, and one level of the expression that it comes from."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any, NamedTuple

from ..claims.tree import Leaf, Op, Tree, numbers
from ..errors import ArgumentValueError
from .line import Line, Piece, line_of


class Place(NamedTuple):
    """The cell at which a number stands.

    Attributes:
        tensor: the key of a tensor, which `World.key(x)` gives of x.
        index: of the cell.
        grad: True of a cell of its gradient.
    """

    tensor: Any
    index: tuple[int, ...]
    grad: bool


class Told(NamedTuple):
    """One level of a number: the tree that it comes from, whose leaves may be numbers; and why, in words.

    The tree is None of a leaf, and of what nothing tells.
    """

    tree: Tree | None
    note: str = ""


NOTHING = Told(None)


class At(Leaf):
    """A leaf of a tree that is a number which may be opened."""

    number: Number


class Number:
    """One number of a program, value or gradient, that opens into the expression that it comes from.

    Attributes:
        name: as the program has it, `dz[1, 1]`; value: the engine's. place: the cell; None of a rule's inner part.

    Example:
        >>> import rustyflow as rf
        >>> x = rf.tensor([2.0, 3.0], requires_grad=True)
        >>> y = World((x * x).sum(), {"x": x}).where("x.grad[1]")
        >>> print(y)
        x.grad[1] = dmul[1]·x[1] + dmul[1]·x[1]
          = 1·3 + 1·3 = 6
        >>> [part.name for part in y.parts], y.open("dmul[1]").value, y.open(1).opens
        (['dmul[1]', 'x[1]'], 1.0, False)
    """

    def __init__(
        self, name: str, value: Any, tell: Callable[[], Told] | None = None, place: Place | None = None,
        bits: int = 0, brief: str = "",
    ):  # fmt: skip
        self.name, self.place, self.bits, self.brief = name, place, bits, brief or name
        self.value = value.item() if hasattr(value, "item") else value
        self.shown = numbers(value)[0]
        self._tell = tell

    @property
    def leaf(self) -> At:
        """The number as a leaf of a tree."""
        leaf = At(self.shown)
        leaf.number = self
        return leaf

    @cached_property
    def told(self) -> Told:
        """One level, worked out when it is first asked for."""
        return self._tell() if self._tell else NOTHING

    @property
    def opens(self) -> bool:
        """True if there is a level to open."""
        return self.told.tree is not None

    @cached_property
    def _line(self) -> Line:
        tree, note = self.told
        return line_of(self.name, tree, self.shown, note, self.bits)

    @property
    def parts(self) -> tuple[Number, ...]:
        """The numbers of its level, each once, in the order in which they are written, and those left out, too."""
        return tuple(dict.fromkeys(parts_of(self._line.tree)))

    @property
    def leaves(self) -> tuple[Number, ...]:
        """The numbers that it comes from in the end, each once."""
        seen: dict[Number, None] = {}
        waiting = [self]
        while waiting:
            number = waiting.pop()
            if number not in seen:
                seen[number] = None
                waiting += reversed(number.parts)
        return tuple(number for number in seen if not number.opens)

    def open(self, which: int | str = 0) -> Number:
        """Returns a number of its level, by position or by name.

        Raises:
            ArgumentValueError (a ValueError): there is none.
        """
        parts = self.parts
        named = (k for k, x in enumerate(parts) if which in (x.name, x.brief))
        at = which if isinstance(which, int) else next(named, -1)
        if isinstance(which, str) and at < 0 or not -len(parts) <= at < len(parts):
            there = ", ".join(x.name for x in parts[:20]) + ", ..." * (len(parts) > 20)
            rule = f"it is made of {there}" if parts else f"{self.name} is a number that opens no further"
            raise ArgumentValueError(f"open({which!r})", rule, "open(0) for the first of its parts")
        return parts[at]

    pieces: tuple[str | Piece, ...] = property(lambda self: self._line.pieces)  # type: ignore[assignment]
    sign: str = property(lambda self: self._line.sign)  # type: ignore[assignment]
    digits: str = property(lambda self: self._line.digits)  # type: ignore[assignment]
    note: str = property(lambda self: self._line.note)  # type: ignore[assignment]

    @property
    def letters(self) -> str:
        """The level in letters, `dh[1, 1]·(1 - h[1, 1]·h[1, 1])`."""
        return "".join(piece if isinstance(piece, str) else piece.letters for piece in self.pieces)

    @property
    def numbers(self) -> str:
        """The level in numbers, `0.53·(1 - 0.54·0.54)`."""
        return "".join(piece if isinstance(piece, str) else piece.digits for piece in self.pieces)

    def __str__(self) -> str:
        why, equals = f", {self.note}" if self.note else "", f" {self.sign} {self.digits}"
        letters, written = self.letters, self.numbers
        if not letters:
            return f"{self.name}{equals}{why}"
        if written in (letters, self.digits):
            return f"{self.name} = {letters}{equals if letters != self.digits else ''}{why}"
        return f"{self.name} = {letters}{why}\n  = {written}{equals}"

    __repr__ = __str__


def parts_of(tree: Tree | None) -> list[Number]:
    """The numbers of a tree in order."""
    if isinstance(tree, At):
        return [tree.number]
    return [number for part in tree.parts for number in parts_of(part)] if isinstance(tree, Op) else []
