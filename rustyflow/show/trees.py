"""What a number was made of, as a formula in numbers: the steps that made it, simplified, and as many as a line holds.

Nothing here knows any op: the steps are those of the loops backend.
"""

import math
from collections.abc import Callable, Mapping
from decimal import Decimal
from fractions import Fraction
from functools import reduce
from math import isclose, isfinite, isnan, prod
from typing import Any, NamedTuple

from ..backends.loops import scalar
from ..backends.loops.number import COMPARISONS, LEAF, LEFT_OUT, SAME, Traced, plain, steps
from ..scene import draw
from ..scene.maps import TERMS
from .reads import Read
from .source import Value
from .words.exact import EXACT, as_written, digits_of, enough, exactly, in_full, sign, wraps
from .words.numbers import DIGITS, bracketed

DEEP, WIDE = 12, 2048
"""The most steps into each other that are told; the most terms that are drawn together into one sum."""


class Node(NamedTuple):
    """A step: its sign, or a function's name, what it takes, what it came to; of a number alone the sign is "".

    Attributes:
        read: the cell of an operand that a number is, if it is one.
    """

    sign: str
    parts: tuple["Node", ...]
    value: Value
    read: Read | None = None

    @property
    def fixed(self) -> bool:
        """True for a number that no operand gave."""
        return not self.sign and self.read is None


def nodes(
    trees: Mapping[Any, Any], numbers: Callable[[Read], Value], whole: bool = False, first: int = -1
) -> dict[Any, Node]:  # fmt: skip
    """Returns the steps of each number, simplified; `numbers` gives an operand's cell.

    Args:
        whole: as they were run, without leaving out what softmax takes off so that nothing overflows. first: the
            operand that stands first in products.

    >>> from ..backends.loops.number import traced
    >>> a = traced(3.0, LEAF, (0, (1,)))
    >>> node = nodes({"y": traced(6.0, "*", (traced(3.0, "+", (0.0, a)), 2.0))}, lambda read: 3.0)["y"]
    >>> text(node)
    '3·2'
    """
    known: dict[int, Node] = {}

    def part(x: Any) -> Node:
        return known[id(x)] if isinstance(x, Traced) else Node("", (), x)

    for x in steps(trees.values()):
        if x.how == LEAF:
            known[id(x)] = Node("", (), numbers(x.parts), x.parts)
        elif x.how == SAME:
            known[id(x)] = part(x.parts[0]) if x.parts else Node("", (), plain(x))
        elif x.how in COMPARISONS or x.how == LEFT_OUT:
            known[id(x)] = Node("", (), plain(x))
        else:
            parts = tuple(map(part, x.parts))
            if x.how == "*" and parts[1].read and parts[1].read[0] == first:
                parts = parts[::-1]
            known[id(x)] = _simple(x.how, parts, plain(x), whole)
    return {key: part(x) for key, x in trees.items()}


def _simple(how: str, parts: tuple[Node, ...], value: Value, whole: bool) -> Node:
    """A step without what changes nothing."""
    if all(part.fixed for part in parts):
        return Node("", (), value)
    if how in ("+", "*", "max", "min"):
        return _joined(how, parts, value, whole)
    if how == "-" and len(parts) == 2:
        a, b = parts
        if _is(b, 0):
            return a
        if _is(a, 0):
            return Node("-", (b,), value)
        if not whole and (logs := _unshifted(b)) and a.sign == "-" and len(a.parts) == 2 and a.parts[1] is logs[1]:
            return Node("-", (a.parts[0], logs[0]), value)
    if how == "-" and len(parts) == 1 and parts[0].sign == "-":
        (a, *b) = parts[0].parts
        return Node("-", (b[0], a), value) if b else a
    if how == "/":
        a, b = parts
        if _is(b, 1):
            return a
        if not whole and (sums := _shifted(b)) and (one := _shifted(a)) and one[1] is sums[1]:
            return Node("/", (one[0], sums[0]), value)
    return Node(how, parts, value)


def _is(node: Node, number: float) -> bool:
    return node.fixed and node.value == number


def _joined(how: str, parts: tuple[Node, ...], value: Value, whole: bool) -> Node:
    """A sum, a product or the greatest of all that is joined alike, without 0 and 1."""
    flat = [inner for part in parts for inner in (part.parts if part.sign == how else (part,))]
    flat = flat if len(flat) <= WIDE else [*parts]
    if how in "+*":
        flat = [part for part in flat if not _is(part, how == "*")]
    if how == "+" and len(flat) == 2:
        a, b = flat
        if not whole and (logs := _unshifted(a)) and b is logs[1]:
            return logs[0]
        if b.sign == "-" and len(b.parts) == 1:
            return Node("-", (a, b.parts[0]), value)
    if how == "*" and sum(part.sign == "/" for part in flat) == 1 and len(flat) > 1:
        (by,) = (part.parts[1] for part in flat if part.sign == "/")
        flat = [part.parts[0] if part.sign == "/" else part for part in flat]
        over = prod(part.value for part in flat)
        return Node("/", (_joined("*", tuple(flat), over, whole), by), value)
    return Node(how, tuple(flat), value) if len(flat) > 1 else flat[0]


def _shifted(node: Node) -> tuple[Node, Node] | None:
    """A sum of exp(x - m) as one of exp(x), and m."""
    each = node.parts if node.sign == "+" else (node,)
    if not all(one.sign == "exp" and one.parts[0].sign == "-" and len(one.parts[0].parts) == 2 for one in each):
        return None
    m = each[0].parts[0].parts[1]
    if any(one.parts[0].parts[1] is not m for one in each):
        return None
    size = scalar.real(math.exp)(m.value)
    plains = tuple(Node("exp", one.parts[0].parts[:1], one.value * size) for one in each)
    return (Node("+", plains, node.value * size) if len(plains) > 1 else plains[0]), m


def _unshifted(node: Node) -> tuple[Node, Node] | None:
    """The logarithm of such a sum without the shift, and that."""
    found = _shifted(node.parts[0]) if node.sign == "log" else None
    return found and (Node("log", (found[0],), node.value + found[1].value), found[1])


def terms(node: Node) -> list[tuple[Read, ...]] | None:
    """The reads that are multiplied in each term of a sum; None where there is anything else in it.

    >>> a, b = (Node("", (), 2.0, (k, ())) for k in range(2))
    >>> terms(Node("+", (Node("*", (b, a), 4.0), a), 6.0))
    [((0, ()), (1, ())), ((0, ()),)]
    """
    found = []
    for term in node.parts if node.sign == "+" else (node,):
        factors = term.parts if term.sign == "*" else (term,)
        if any(factor.read is None for factor in factors):
            return None
        found.append(tuple(sorted(factor.read for factor in factors)))
    return found


def cut(node: Node, deep: int) -> Node:
    """A step whose steps, so many into each other, are numbers from there on."""
    if not node.sign or not deep:
        return node if not node.sign else Node("", (), node.value)
    return node._replace(parts=tuple(cut(part, deep - 1) for part in node.parts))


def reads_in(node: Node) -> list[Read]:
    """The operands' cells that a step is told with."""
    return [node.read] if node.read else [read for part in node.parts for read in reads_in(part)]


# Words

INFIX = {"+": 1, "-": 1, "*": 2, "/": 2, "//": 2, "%": 2, "**": 4}
"""How firmly a sign binds."""

NAMES = {"rint": "round", "log_of_sum": "logaddexp", "trunc_quotient": "trunc_divide"}


def text(node: Node, spell: Callable[[Value], str] = draw.spell, most: int = TERMS) -> str:
    """A formula in numbers; of many terms the first ones and the last.

    >>> a, b = Node("", (), -2.0, (0, ())), Node("", (), 3.0, (1, ()))
    >>> text(Node("/", (Node("-", (b, a), 5.0), Node("exp", (a,), 0.1)), 50.0))
    '(3 - (-2)) / exp(-2)'
    """
    if node.sign in ("max", "min"):
        return f"the {'greatest' if node.sign == 'max' else 'least'} of {', '.join(_few(node, spell, most))}"
    return _text(node, spell, most, 0)


def _text(node: Node, spell: Callable[[Value], str], most: int, firm: float) -> str:
    sign = node.sign
    if not sign:
        words = spell(node.value)
        return bracketed(words) if firm else words
    if sign == "-" and len(node.parts) == 1:
        words = f"-{_text(node.parts[0], spell, most, 3)}"
        return f"({words})" if firm else words
    if sign not in INFIX:
        return f"{NAMES.get(sign, sign)}({', '.join(_few(node, spell, most))})"
    own = INFIX[sign]
    between = "·" if sign == "*" else f" {sign} "
    last = own + (sign not in "+*") / 2
    parts = [_text(part, spell, most, own if n == 0 and sign != "**" else last if sign in "+*" else own + 0.5)
             for n, part in enumerate(node.parts)]  # fmt: skip
    if firm > own or firm == own and sign not in "+-*":
        return f"({between.join(_some(parts, most))})"
    return between.join(_some(parts, most))


def _few(node: Node, spell: Callable[[Value], str], most: int) -> list[str]:
    return _some([_text(part, spell, most, 0) for part in node.parts], most)


def _some(parts: list[str], most: int) -> list[str]:
    return parts if len(parts) <= most else [*parts[: most - 2], "...", parts[-1]]


# What it comes to

OF_MANY = {"+": sum, "*": prod, "max": max, "min": min}

OF_TWO: dict[str, Callable[[Any, Any], Any]] = {
    "-": lambda a, b: a - b, "/": lambda a, b: a / b, "//": lambda a, b: math.floor(Fraction(a) / Fraction(b)),
    "**": lambda a, b: a**b if b else type(a)(1), "trunc_quotient": lambda a, b: math.trunc(Fraction(a) / Fraction(b)),
    "%": lambda a, b: float(Fraction(a) % Fraction(b)), "fmod": lambda a, b: float(math.fmod(a, b)),
}  # fmt: skip

OF_ONE: dict[str, Callable[[Any], Any]] = {
    "-": lambda a: -a, "abs": abs, "floor": math.floor, "ceil": math.ceil, "trunc": math.trunc, "rint": round,
    "sign": lambda a: (a > 0) - (a < 0),
}  # fmt: skip


STILL = "expm1", "log1p"
"""The functions that leave 0 what it is."""


def worked(node: Node, of: Callable[[Value], Any]) -> Any:
    """What a formula comes to, of decimals without rounding: nan where that has no end, or cannot be."""
    if not node.sign:
        return of(node.value)
    parts = [worked(part, of) for part in node.parts]
    decimal = any(isinstance(part, Decimal) for part in parts)
    kind = Decimal if decimal else float
    parts = [Decimal(part) if decimal and not isinstance(part, Decimal) else part for part in parts]
    try:
        if node.sign in OF_MANY:
            nan = [part for part in parts if part != part]
            return nan[0] if nan else OF_MANY[node.sign](parts)
        if len(parts) == 2 and node.sign in OF_TWO:
            return kind(OF_TWO[node.sign](*parts))
        if len(parts) == 1 and node.sign in OF_ONE:
            return kind(OF_ONE[node.sign](*parts))
        if node.sign in EXACT and (decimal or node.sign != "erf"):  # which NumPy has not
            return EXACT[node.sign](*parts)
        if decimal:
            return Decimal(0 if node.sign in STILL and parts == [0] else "nan")
        return float(reduce(lambda found, room: found or getattr(room, node.sign, None), (scalar, math), None)(*parts))
    except (ArithmeticError, ValueError, TypeError):
        return scalar.quotient(*parts) if node.sign == "/" and not decimal else kind("nan")


class Told(NamedTuple):
    """A formula in numbers, and what is said between it and its value."""

    words: str
    sign: str
    reads: list[Read]


def tell(node: Node, value: Value, room: int, bits: int = 0, half: bool = False) -> Told | None:
    """Returns a formula that comes to a value, as deep as the room of a line allows; None where none does.

    >>> a = Node("", (), 3.0, (0, ()))
    >>> tell(Node("+", (a, Node("exp", (a,), 20.0855)), 23.0855), 23.0855, 40)[:2]
    ('3 + exp(3)', '≈')
    """
    before = None
    for deep in range(DEEP, 0, -1):
        part = cut(node, deep)
        if part == before:
            continue
        before = part
        if bits and (whole := worked(part, in_full)) != value and wraps(whole, value, bits):
            short = "" if draw.spell(value) == str(value) else " ≈"
            words = _fit(part, room, 0)
            if words is not None:
                return Told(words, f"{draw.equals(int(whole))}, which {bits} bits hold as{short}", reads_in(part))
        if not _close(worked(part, float), value, half):
            continue
        if (found := _written(part, value, room, bits, half)) is not None:
            return Told(*found, reads_in(part))
    return None


def _written(node: Node, value: Value, room: int, bits: int, half: bool) -> tuple[str, str] | None:
    """A formula with as many digits as it takes to come to a value, if the line has room, and its sign."""
    numbers = leaves_of(node)
    most = max((abs(float(x)) for x in numbers), default=0.0)
    few = len(numbers) <= TERMS
    digits = few and enough(lambda n: [worked(node, lambda v: float(as_written(v, n)))], [value], most)
    if few and not digits and not bits and not half:
        return None
    words = _fit(node, room, digits or (0 if bits and few else DIGITS))
    if words is None:
        return None
    with exactly():
        again = worked(node, (lambda v: as_written(v, digits or DIGITS)) if digits or not bits else in_full)
    return words, sign([again], [value], most=most if node.sign in "+-" else 0.0)


def _fit(node: Node, room: int, digits: int) -> str | None:
    """The words of a formula with as many of its terms as fit; None where no few do. Without digits: with all."""
    spell = (lambda v: draw.spell(v, digits)) if digits else digits_of
    for most in (TERMS, 8, 6, 4):
        words = text(node, spell, most)
        if len(words) <= room:
            return words
    return None


def leaves_of(node: Node) -> list[Value]:
    """The numbers that a formula is told with."""
    return [node.value] if not node.sign else [value for part in node.parts for value in leaves_of(part)]


def _close(found: Any, value: Value, half: bool) -> bool:
    """True for what is a value but for rounding."""
    found, value = float(found), float(value)
    if isnan(found) or isnan(value) or not isfinite(value):
        return isnan(found) and isnan(value) or found == value
    return isclose(found, value, rel_tol=4e-3 if half else 1e-4, abs_tol=4e-3 if half else 1e-5)
