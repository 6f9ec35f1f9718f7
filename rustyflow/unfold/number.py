"""A number that opens: its name, its value, and one level of the expression that it comes from."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ..claims.tree import Op, Tree, floats, numbers
from ..errors import ArgumentValueError
from .line import Line, Piece, fits, joined, line_of, shortest
from .trees import At, at, parts_of, tidied

LONG = 24
"""An expression of so many letters may be a number of its own, where a line has no room for all."""


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
    """One level of a number.

    Attributes:
        tree: what it comes from, whose leaves may be numbers; None of a leaf, and of what nothing tells.
        note: why, in words. form: the level in the form in which the engine works it out, where that is another one.
    """

    tree: Tree | None
    note: str = ""
    form: Callable[[], Told] | None = None


NOTHING = Told(None)


class Number:
    """One number of a program, value or gradient, that opens into the expression that it comes from.

    Attributes:
        name: as the program has it, `dz[1, 1]`; value: the engine's. place: the cell; None of a rule's inner part.

    Example:
        >>> import rustyflow as rf
        >>> from rustyflow.unfold import World
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
        signed = self.value == 0 and isinstance(self.value, float) and not (place and place.grad)  # 1 / -0.0 is -inf
        self.shown = self.value if signed else numbers(value)[0]
        self._tell = tell

    @property
    def leaf(self) -> At:
        """The number as a leaf of a tree."""
        return at(self)

    @cached_property
    def told(self) -> Told:
        """One level, worked out when it is first asked for."""
        with np.errstate(all="ignore"):  # of numbers without an end the figure says so
            return self._tell() if self._tell else NOTHING

    @cached_property
    def form(self) -> Number | None:
        """The same number in the form in which the engine works it out, where that is not its rule's."""
        form = self.told.form
        return form and Number(f"{self.name} as worked out", self.value, form, bits=self.bits)

    @property
    def made(self) -> bool:
        """True if something made it, which may or may not be told: quickly known."""
        return self._tell is not None

    @property
    def opens(self) -> bool:
        """True if there is a level to open."""
        return self.told.tree is not None

    @cached_property
    def tree(self) -> Tree | None:
        """The tree of its level as it is written."""
        return self._written[0]

    @cached_property
    def _written(self) -> tuple[Tree | None, Line | None]:
        """That tree, and its line where it is not shortened, as it takes a while to find."""
        if self.told.tree is None:
            return None, None
        tree = tidied(self.told.tree)
        line = line_of(self.name, tree, self.shown, self.told.note, self.bits)
        if not isinstance(tree, Op) or fits(self.name, line.pieces, line.note, line.digits):
            return tree, line
        return shortened(self, tree), None

    @cached_property
    def _line(self) -> Line:
        tree, line = self._written
        same = line is not None and line.note == self.note
        return line if same else line_of(self.name, tree, self.shown, self.note, self.bits)

    @cached_property
    def note(self) -> str:
        """Why it is this number, in words, or ""."""
        note = self.told.note
        if self.shown == self.shown or not self.opens:
            return note
        first = self._first_nan()
        return f"{note}, " * bool(note) + ("where nan arises" if first is self else f"nan since {first.name}")

    def _first_nan(self) -> Number:
        """The number on the way to the leaves from which on all are nan."""
        number, seen = self, {self}
        while True:
            some = (part for part in parts_of(number.told.tree) if part.shown != part.shown and part not in seen)
            if (part := next(some, None)) is None:
                return number
            seen.add(part)
            number = part

    @property
    def parts(self) -> tuple[Number, ...]:
        """The numbers of its level, each once, in the order in which they are written, and those left out, too."""
        return tuple(dict.fromkeys(parts_of(self.tree)))

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
        at = which if isinstance(which, int) else next(named, len(parts))
        if not parts:
            rule = f"{self.name} is a number that opens no further"
            raise ArgumentValueError(f"open({which!r})", rule, f"its value, {self.digits}: number.value")
        if not -len(parts) <= at < len(parts):
            there = ", ".join(x.name for x in parts[:20]) + ", ..." * (len(parts) > 20)
            raise ArgumentValueError(f"open({which!r})", f"it is made of {there}", "open(0) for the first of its parts")
        return parts[at]

    pieces: tuple[str | Piece, ...] = property(lambda self: self._line.pieces)  # type: ignore[assignment]
    sign: str = property(lambda self: self._line.sign)  # type: ignore[assignment]
    digits: str = property(lambda self: self._line.digits)  # type: ignore[assignment]

    @property
    def letters(self) -> str:
        """The level in letters, `dh[1, 1]·(1 - h[1, 1]·h[1, 1])`."""
        return joined(self.pieces, 1)

    @property
    def numbers(self) -> str:
        """The level in numbers, `0.53·(1 - 0.54·0.54)`."""
        return joined(self.pieces, 2)

    def __str__(self) -> str:
        why, equals = f", {self.note}" if self.note else "", f" {self.sign} {self.digits}"
        letters, written = self.letters, self.numbers
        if not letters:
            return f"{self.name}{equals}{why}"
        if written in (letters, self.digits):
            return f"{self.name} = {letters}{equals if letters != self.digits else ''}{why}"
        return f"{self.name} = {letters}{why}\n  = {written}{equals}"

    __repr__ = __str__


def shortened(number: Number, tree: Op) -> Tree:
    """The same tree, in which long expressions are numbers of their own, as its level is longer than a line."""
    count, before = 0, number.name if number.name.startswith("part ") else ""

    def cut(part: Tree, long: int = LONG) -> Tree:
        nonlocal count
        if not isinstance(part, Op) or shortest(part) < long:
            return part
        count += 1
        name = f"{before}.{count}" if before else f"part {count}"
        return at(Number(name, float(floats(part)), lambda: Told(part), brief=f"({name})"))

    inner: Tree = tree
    while isinstance(inner, Op) and len(inner.parts) == 1:
        inner = inner.parts[0]
    if inner is not tree:
        return _in_place(tree, cut(inner, 0))
    return Op(tree.how, tuple(map(cut, tree.parts)))


def _in_place(tree: Tree, inner: Tree) -> Tree:
    """A function, or several, of one part, of another."""
    return Op(tree.how, (_in_place(tree.parts[0], inner),)) if isinstance(tree, Op) and len(tree.parts) == 1 else inner
