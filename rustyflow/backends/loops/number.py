"""Numbers that know how they were made, of what, and what was compared on the way to them.

    with use("loops"), tracing() as trace:
        x = rf.tensor([3.0, 4.0])
        trace.leaves(x, "x")
        (x * x).sum()._a.buffer.cells[0].parts

They are floats and whole numbers like all others, so that no function of this backend knows of them. Arithmetic and
comparisons keep what they were made of; a function of math's is one step; a lambda is looked into.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from ...errors import TensorError
from ...layout import indices

LEAF, SAME = "leaf", ""
"""How a number of an operand was made; and one that is its only part, or a number that nothing was read for."""

SIGNS = {"add": "+", "sub": "-", "mul": "*", "truediv": "/", "floordiv": "//", "mod": "%", "pow": "**", "and_": "and",
         "or_": "or", "eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">=", "quotient": "/",
         "power": "**", "floor_quotient": "//", "remainder": "%", "neg": "-", "larger": "max", "smaller": "min",
         "not_": "not"}  # fmt: skip
"""How steps are called whose function has another name."""


class ManySteps(TensorError):
    """More steps than are traced: no ValueError, for which a caller would look for reasons in its operands."""


class Traced:
    """A number that knows how it was made.

    Attributes:
        how: the name or sign of a step, LEAF, or SAME. parts: the numbers that it took; of a leaf its operand and its
            index. by: the numbers that decided that it is this one: they were compared, or named its place.
    """

    __slots__ = ()
    how: str
    parts: tuple
    by: tuple

    def __bool__(self):
        """Tells whether it is not 0: whoever asks decides by it."""
        if _traces:
            _traces[-1].ask(self)
        return plain(self) != 0


class Number(Traced, float):
    """A float that knows how it was made."""

    __slots__ = ("by", "how", "parts")


class Whole(Traced, int):
    """A whole number that knows how it was made."""


class Truth(Whole):
    """True or False that knows what was compared."""


def traced(value: Any, how: str = SAME, parts: tuple = (), by: tuple = ()) -> Any:
    """The number that knows it."""
    kind = Truth if isinstance(value, (bool, Truth)) else Whole if isinstance(value, int) else Number
    number = kind(value)
    number.how, number.parts, number.by = how, parts, by
    if kind is Number and _traces:
        _traces[-1].count()
    return number


def plain(x: Any) -> Any:
    """The number alone.

    >>> plain(traced(2.0, "+", (1.0, 1.0))), plain(traced(True)), plain(3)
    (2.0, True, 3)
    """
    if not isinstance(x, Traced):
        return x
    return float(x) if isinstance(x, Number) else int(x) != 0 if isinstance(x, Truth) else int(x)


def lifted(f: Callable) -> Callable:
    """A function of single numbers whose result knows what it was made of, while numbers are traced; else itself."""
    if not _traces or f.__name__ == "<lambda>":
        return f

    def step(*numbers: Any) -> Any:
        value = f(*map(plain, numbers))
        if not any(isinstance(x, Traced) for x in numbers):
            return value
        return traced(value, SIGNS.get(f.__name__, f.__name__), numbers)

    return step


def _install(name: str) -> None:
    f, sign = getattr(operator, name), SIGNS[name]

    def forward(self: Any, other: Any) -> Any:
        if not isinstance(other, (int, float)):
            return NotImplemented
        return traced(f(plain(self), plain(other)), sign, (self, other))

    def reverse(self: Any, other: Any) -> Any:
        return traced(f(other, plain(self)), sign, (other, self)) if isinstance(other, (int, float)) else NotImplemented

    for kind in (Number, Whole):
        setattr(kind, f"__{name}__", forward)
        if name not in COMPARED:
            setattr(kind, f"__r{name}__", reverse)


COMPARED = "eq", "ne", "lt", "le", "gt", "ge"
for _name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", *COMPARED):
    _install(_name)
for _kind, _hash in ((Number, float.__hash__), (Whole, int.__hash__)):
    _kind.__hash__ = _hash
    _kind.__neg__ = lambda x: traced(-plain(x), "-", (x,))
    _kind.__abs__ = lambda x: traced(abs(plain(x)), "abs", (x,))


class Trace:
    """What happens while numbers are traced: the leaves, how many steps there were, and what is being compared."""

    def __init__(self, most: float):
        self.most, self.steps = most, 0
        self.asked: list[Traced] = []  # since the last number was written
        self.wrote = False
        self.compared: list[Traced] = []
        self.left: list[Traced] = []

    def leaves(self, x: Any, name: Any) -> None:
        """Puts numbers that know their index into the cells of a tensor."""
        cells, a = x._a.buffer.cells, x._a
        for index, slot in zip(indices(a.shape), a.slots):
            cells[slot] = traced(cells[slot], LEAF, (name, index))

    def count(self) -> None:
        """Counts a step.

        Raises:
            ManySteps: they are more than are traced.
        """
        self.steps += 1
        if self.steps > self.most:
            raise ManySteps(f"more than {self.most:,} steps", "no more are followed", "smaller operands")

    def ask(self, truth: Traced) -> None:
        """Takes down that something is decided by a comparison."""
        self.asked.append(truth)
        self.compared.append(truth)

    def begin(self) -> None:
        """Forgets what was compared for what is written by now."""
        if self.wrote:
            self.asked, self.wrote = [], False

    def decided(self, slot: Any) -> tuple:
        """What decides about a number that is written to a slot."""
        return (*self.asked, *([slot] if isinstance(slot, Traced) else ()))

    def went(self, cells: list) -> None:
        """Takes down numbers that leave, and come back as others that these decided."""
        self.left += [cell for cell in cells if isinstance(cell, Traced)]

    def came(self, values: list) -> list:
        """Numbers that were computed elsewhere, of all that have left."""
        return [traced(value, SAME, (), tuple(self.left)) for value in values] if self.left else values


_traces: list[Trace] = []


class tracing:
    """Follow each number in a `with` block, in arrays that are made there; `most` are the steps that are followed.

    Example:
        >>> import rustyflow as rf
        >>> from rustyflow.backends import use
        >>> with use("loops"), tracing() as trace:
        ...     x = rf.tensor([3.0, 4.0])
        ...     trace.leaves(x, "x")
        ...     y = (x * x).sum()._a.buffer.cells[0]
        >>> y, y.how, [part.how for part in y.parts], y.parts[1].parts[0].parts
        (25.0, '+', ['*', '*'], ('x', (1,)))
    """

    def __init__(self, most: float = float("inf")):
        self.trace = Trace(most)

    def __enter__(self) -> Trace:
        _traces.append(self.trace)
        return self.trace

    def __exit__(self, *exc: object) -> None:
        _traces.remove(self.trace)


def current() -> Trace | None:
    """The trace that is followed, if there is one."""
    return _traces[-1] if _traces else None


def kept(store: Callable, value: Any) -> Any:
    """A number as a dtype stores it, which knows how it was made."""
    number = store(plain(value))
    if not isinstance(value, Traced):
        return number
    same = number == plain(value) or number != number
    if type(number) is type(plain(value)):  # rounded or wrapped it is still made of the same
        return value if same else traced(number, value.how, value.parts, value.by)
    return traced(number, SAME if same else {int: "trunc"}.get(type(number), type(number).__name__), (value,))


def inner(number: Any) -> Any:
    """The step that made a number, behind copies of it.

    >>> inner(traced(2.0, SAME, (traced(2.0, "+", (1.0, 1.0)),))).how
    '+'
    """
    while isinstance(number, Traced) and number.how == SAME and number.parts:
        number = number.parts[0]
    return number


def steps(numbers: Iterator[Any]) -> Iterator[Traced]:
    """All steps that numbers were made by, and those that decided, each once, behind what they were made of."""
    done: set[int] = set()
    for number in numbers:
        todo: list[tuple[Any, bool]] = [(number, False)]
        while todo:
            x, seen = todo.pop()
            if not isinstance(x, Traced) or id(x) in done:
                continue
            if seen or x.how == LEAF:
                done.add(id(x))
                yield x
            else:
                todo.append((x, True))
                todo += [(part, False) for part in (*x.parts, *x.by)]


def taken(x: Traced) -> tuple:
    """The parts of a number that it is made of: of the greater of two the one that it is.

    >>> [*map(plain, taken(traced(3.0, "max", (2.0, 3.0))))]
    [3.0]
    """
    if x.how == LEAF or x.how in COMPARISONS:
        return ()
    if x.how not in ("max", "min"):
        return x.parts
    return next((part,) for part in x.parts if part == x or part != part)


COMPARISONS = {SIGNS[name] for name in COMPARED}


def leaves(numbers: Mapping[Any, Any], most: float = float("inf")) -> dict[Any, tuple[dict, dict]]:
    """Returns for each number the leaves that it was made of, and those that decided it, as `(name, index)`.

    Raises:
        ManySteps: all numbers together have more than `most`.

    >>> a, b = (traced(x, LEAF, ("x", (n,))) for n, x in enumerate((2.0, 3.0)))
    >>> leaves({"y": traced(3.0, "max", (a, b))})
    {'y': ({('x', (1,)): None}, {('x', (0,)): None})}
    """
    known: dict[int, tuple[dict, dict]] = {}
    many = 0
    for x in steps(iter(numbers.values())):
        if x.how == LEAF:
            known[id(x)] = {x.parts: None}, {}
            continue
        own, beside = {}, {}
        some = taken(x)
        for part in some:
            if isinstance(part, Traced):
                own |= known[id(part)][0]
                beside |= known[id(part)][1]
        for part in (*x.parts, *x.by):
            if isinstance(part, Traced) and not any(part is one for one in some):
                beside |= known[id(part)][0] | known[id(part)][1]
        known[id(x)] = own, {leaf: None for leaf in beside if leaf not in own}
        many += len(own) + len(beside)
        if many > most:
            raise ManySteps(f"more than {most:,} steps", "no more are followed", "smaller operands")
    return {key: known[id(x)] if isinstance(x, Traced) else ({}, {}) for key, x in numbers.items()}
