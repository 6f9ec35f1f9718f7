"""Numbers that know how they were made, of what, and what was compared on the way to them.

    with use("loops"), tracing() as trace:
        x = rf.tensor([3.0, 4.0])
        trace.leaves(x, "x")
        (x * x).sum()._a.buffer.cells[0].parts

They are floats and whole numbers like all others, so that no function of this backend knows of them. Arithmetic and
comparisons keep what they were made of; a function of math's is one step; a lambda is looked into.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from ...errors import TensorError
from ...layout import indices

LEAF, SAME, LEFT_OUT = "leaf", "", "left out"
"""How a number of an operand was made; one that is its only part, or that comes of nothing; a 0 that a mask made."""

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
    """The number that knows it; of a share of 0 that exp(-inf) leaves nothing but that."""
    if value == 0 and how in ("exp", "*", "/") and (left := _left_out(how, parts)) is not None:
        how, parts, by = LEFT_OUT, (), (left, *by)
    if value == -math.inf and how == "+" and (masks := [part for part in parts if plain(part) == -math.inf]):
        how, parts = SAME, (masks[0],) if isinstance(masks[0], Traced) else ()  # whatever it is added to
    kind = Truth if isinstance(value, (bool, Truth)) else Whole if isinstance(value, int) else Number
    number = kind(value)
    number.how, number.parts, number.by = how, parts, by
    return number


def _left_out(how: str, parts: tuple) -> Any:
    """Returns the part that makes a share 0, whatever it is a share of."""
    if how == "exp":
        return parts[0] if plain(parts[0]) == -math.inf else None
    for part in parts[: 1 + (how == "*")]:
        inner = part
        while isinstance(inner, Traced) and inner.how == SAME and inner.parts:
            inner = inner.parts[0]
        if isinstance(inner, Traced) and inner.how == LEFT_OUT:
            return part
    return None


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


COMPARED = "eq", "ne", "lt", "le", "gt", "ge"


def _install(name: str, sign: str, plainly: Callable) -> None:
    """Gives numbers an operator that keeps what it took."""
    compared, shares = name in COMPARED, {"*": 0, "/": 0, "+": -math.inf}.get(sign)
    floats, floats_back = getattr(float, f"__{name}__"), getattr(float, f"__r{name}__", None)

    def of(value: Any, *parts: Any) -> Any:
        if value is NotImplemented or compared or value == shares:
            return value if value is NotImplemented else traced(value, sign, parts)
        number = Number(value)
        number.how, number.parts, number.by = sign, parts, ()
        return number

    def whole(self: Any, other: Any) -> Any:
        known = isinstance(other, (int, float))
        return traced(plainly(plain(self), plain(other)), sign, (self, other)) if known else NotImplemented

    def whole_back(self: Any, other: Any) -> Any:
        known = isinstance(other, (int, float))
        return traced(plainly(plain(other), plain(self)), sign, (other, self)) if known else NotImplemented

    setattr(Number, f"__{name}__", lambda self, other: of(floats(self, other), self, other))
    setattr(Whole, f"__{name}__", whole)
    if not compared:
        setattr(Number, f"__r{name}__", lambda self, other: of(floats_back(self, other), other, self))
        setattr(Whole, f"__r{name}__", whole_back)


for _name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", *COMPARED):
    _install(_name, SIGNS[_name], getattr(operator, _name))
for _kind, _hash in ((Number, float.__hash__), (Whole, int.__hash__)):
    _kind.__hash__ = _hash
    _kind.__neg__ = lambda x: traced(-plain(x), "-", (x,))
    _kind.__abs__ = lambda x: traced(abs(plain(x)), "abs", (x,))


class Trace:
    """The record of numbers that are traced: how many steps of two numbers there are, and what is compared.

    Attributes:
        asked: the comparisons since the last number was written. compared: all of them. used: those that decided about
            a number that was written. left: the numbers that left, as for NumPy.
    """

    def __init__(self, most: float):
        self.most, self.steps, self.wrote = most, 0, False
        self.asked: list[Traced] = []
        self.compared: list[Traced] = []
        self.used: list[Traced] = []
        self.left: list[Traced] = []

    def leaves(self, x: Any, name: Any) -> None:
        """Puts numbers that know their index into the cells of a tensor."""
        cells, a = x._a.buffer.cells, x._a
        for index, slot in zip(indices(a.shape), a.slots):
            cells[slot] = traced(cells[slot], LEAF, (name, index))

    @property
    def idle(self) -> list[Traced]:
        """The comparisons that decided about no number that was written, but how many there are."""
        used = {id(x) for x in self.used}
        return [x for x in self.compared if id(x) not in used]

    def step(self) -> None:
        """Counts that a number is read, half a step, and forgets what was compared for what is written by now.

        Raises:
            ManySteps: there are more steps than are followed.
        """
        if self.wrote:
            self.asked, self.wrote = [], False
        self.steps += 0.5
        if self.steps > self.most:
            raise ManySteps(f"more than {self.most:,} steps", "no more are followed", "smaller operands")

    def ask(self, truth: Traced) -> None:
        """Takes down that something is decided by a comparison."""
        self.asked.append(truth)
        self.compared.append(truth)

    def decided(self, slot: Any) -> tuple:
        """Returns what decides about a number that is written to a slot."""
        self.used += self.asked
        return (*self.asked, *([slot] if isinstance(slot, Traced) else ()))

    def went(self, cells: list) -> None:
        """Takes down numbers that leave, and come back as others that these decided."""
        self.left += [cell for cell in cells if isinstance(cell, Traced)]

    def came(self, values: list) -> list:
        """Numbers that were computed elsewhere, of all that have left."""
        return [traced(value, by=tuple(self.left)) for value in values] if self.left else values


_traces: list[Trace] = []


class tracing:
    """Follows each number in a `with` block, in arrays made there, for at most so many steps.

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
        self.trace.most = math.inf


def current() -> Trace | None:
    """The trace that is followed, if there is one."""
    return _traces[-1] if _traces else None


def place_in(slots: list[int], k: int) -> int:
    """Returns the k-th of some slots, which knows what `k` was made of."""
    return traced(slots[k], "slot", (k,)) if isinstance(k, Traced) else slots[k]


def counted() -> None:
    """Forgets what was compared so far: it has told how many numbers there are, and decides about none of them."""
    if _traces:
        _traces[-1].asked = []


# How a dtype stores them


def kept(store: Callable, value: Any) -> Any:
    """A number as a dtype stores it, which knows how it was made."""
    number = store(plain(value))
    if not isinstance(value, Traced):
        return number
    same = number == plain(value) or number != number
    if type(number) is type(plain(value)):  # rounded or wrapped it is still made of the same
        return value if same else traced(number, value.how, value.parts, value.by)
    how = "bool" if type(number) is bool else SAME if same or type(number) is float else "trunc"
    return traced(number, how, (value,))


def kept_float(store: Callable, value: Any) -> Any:
    """The same of a dtype of floats, where most numbers are floats already."""
    if type(value) is not Number:
        return kept(store, value)
    number = store(value)
    return value if _equal(number, value) else traced(number, value.how, value.parts, value.by)


_equal = float.__eq__


# What they were made of


def steps(numbers: Iterable[Any]) -> Iterator[Traced]:
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
                todo += [(part, False) for part in x.parts]


COMPARISONS = {SIGNS[name] for name in COMPARED}

CHOICES = {"max", "min", *COMPARISONS}
"""The steps whose result is not made of all that they took."""


def taken(x: Traced) -> tuple:
    """The parts of a number that it is made of: of the greater of two the one that it is.

    >>> [*map(plain, taken(traced(3.0, "max", (2.0, 3.0))))]
    [3.0]
    """
    if x.how not in CHOICES:
        return x.parts
    if x.how in COMPARISONS:
        return ()
    value = plain(x)
    return next(((part,) for part in x.parts if plain(part) == value or plain(part) != plain(part)), ())


def leaves(numbers: Mapping[Any, Any], most: float = float("inf")) -> dict[Any, tuple[dict, dict]]:
    """Returns for each number the leaves that it was made of, and those that decided it, as `(name, index)`.

    Raises:
        ManySteps: on the way to all of them there are more than `most`.

    >>> a, b = (traced(x, LEAF, ("x", (n,))) for n, x in enumerate((2.0, 3.0)))
    >>> leaves({"y": traced(3.0, "max", (a, b))})
    {'y': ({('x', (1,)): None}, {('x', (0,)): None})}
    """
    found, many = {}, 0
    for key, number in numbers.items():
        decided: list[Any] = []
        own, n = _met([number], decided)
        beside, m = _met(decided)
        found[key], many = (own, beside), many + n + m
        if many > most:
            raise ManySteps(f"more than {most:,} steps", "no more are followed", "smaller operands")
    return found


def _met(todo: list, decided: list | None = None) -> tuple[dict, int]:
    """Returns the leaves that numbers were made of, and of how many steps.

    What decided is told, or is followed as well.
    """
    met: dict = {}
    seen: set[int] = set()
    while todo:
        x = todo.pop()
        if not isinstance(x, Traced) or id(x) in seen:
            continue
        seen.add(id(x))
        if x.how == LEAF:
            met[x.parts] = None
            continue
        some = taken(x) if decided is not None and x.how in CHOICES else x.parts
        todo += some
        if x.by or some is not x.parts:
            others = [part for part in x.parts if not any(part is one for one in some)]
            (todo if decided is None else decided).extend((*x.by, *others))
    return met, len(seen)
