"""The formula of a number that was traced: the steps that made it, simplified, as a tree of a claim.

Nothing here knows any op: the steps are those of the loops backend.
"""

import math
from collections.abc import Callable, Mapping
from math import prod
from typing import Any, NamedTuple

from ...backends.loops import scalar
from ...backends.loops.number import COMPARISONS, LEAF, LEFT_OUT, SAME, Traced, plain, steps
from ...claims.claim import Claim
from ...claims.digits import spell
from ...claims.tree import FEWEST, Leaf, Op, Tree, text
from ..source import Value
from .reads import Read

DEEP, WIDE, READ = 12, 2048, 200
"""The most steps into each other that are told; the most terms that are drawn together into one sum; the most numbers
of a formula that is tried, for nobody reads more."""


class Node(NamedTuple):
    """A step: its sign, or a function's name, what it takes, what it came to.

    Attributes:
        sign: "" of a number alone. read: the cell of an operand that a number is, if it is one.
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

    >>> from rustyflow.backends.loops.number import traced
    >>> a = traced(3.0, LEAF, (0, (1,)))
    >>> node = nodes({"y": traced(6.0, "*", (traced(3.0, "+", (0.0, a)), 2.0))}, lambda read: 3.0)["y"]
    >>> [part.value for part in node.parts], node.parts[0].read
    ([3.0, 2.0], (0, (1,)))
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
    flat = flat if len(flat) <= WIDE and not any(part.sign == how for part in flat) else [*parts]
    if how in "+*":
        flat = [part for part in flat if not _is(part, how == "*")]
    if how == "+" and len({part.read and part.read[0] for part in flat}) == 1 and flat[0].read:
        flat.sort(key=lambda part: part.read)  # cells of one operand, in their order
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
    shifted = _shifted(node.parts[0]) if node.sign == "log" else None
    return shifted and (Node("log", (shifted[0],), node.value + shifted[1].value), shifted[1])


def terms(node: Node) -> list[tuple[Read, ...]] | None:
    """The reads that are multiplied in each term of a sum; None where there is anything else in it.

    >>> a, b = (Node("", (), 2.0, (k, ())) for k in range(2))
    >>> terms(Node("+", (Node("*", (b, a), 4.0), a), 6.0))
    [((0, ()), (1, ())), ((0, ()),)]
    """
    products = []
    for term in node.parts if node.sign == "+" else (node,):
        factors = term.parts if term.sign == "*" else (term,)
        if any(factor.read is None for factor in factors):
            return None
        products.append(tuple(sorted(factor.read for factor in factors)))
    return products


def cut(node: Node, deep: int) -> Node:
    """A step whose steps, so many into each other, are numbers from there on."""
    if not node.sign or not deep:
        return node if not node.sign else Node("", (), node.value)
    parts = (cut(part, deep - 1) for part in node.parts)
    return node._replace(parts=tuple(Node("", (), part.value) if _counts(part) else part for part in parts))


def _counts(node: Node) -> bool:
    """True for a sum of True and False whose origin is cut off."""
    inner = (one for part in node.parts for one in (part, *part.parts))
    return node.sign == "+" and any(one.fixed and type(one.value) is bool for one in inner)


def height(node: Node, most: int = DEEP, *, known: dict[tuple[int, int], int]) -> int:
    """The number of steps into each other, up to so many."""
    key = id(node), most
    if key not in known:
        below = (height(part, most - 1, known=known) for part in node.parts)
        known[key] = 1 + max(below) if node.sign and most else 0
    return known[key]


def size(node: Node, deep: int, known: dict[tuple[int, int], tuple[int, int]]) -> tuple[int, int]:
    """The number of numbers in a formula told so deep, and the fewest letters that tell it.

    The terms between the first and the last are left out.
    """
    key = id(node), deep if node.sign else 0
    if key not in known:
        each = [size(part, deep - 1, known) for part in node.parts] if node.sign and deep else []
        told = each if len(each) < 4 else [each[0], each[-1]]
        alone = 1, len(spell(node.value)) + 1
        known[key] = (sum(many for many, _ in each), sum(letters for _, letters in told)) if each else alone
    return known[key]


def reads_in(node: Node) -> list[Read]:
    """The operands' cells that a step is told with."""
    return [node.read] if node.read else [read for part in node.parts for read in reads_in(part)]


CALLED = {"rint": "round"}
"""The other names of steps in formulas."""

BITWISE = {"and": "&", "or": "|"}
"""The signs of steps of whole numbers that are other ones of True and False."""

WRITTEN: dict[str, Callable[..., Tree]] = {
    "log1p": lambda x: Op("log", (Op("+", (Leaf(1), x)),)), "expm1": lambda x: Op("-", (Op("exp", (x,)), Leaf(1))),
    "exp2": lambda x: Op("**", (Leaf(2), x)), "erfc": lambda x: Op("-", (Leaf(1), Op("erf", (x,)))),
    "log_of_sum": lambda x, y: Op("log", (Op("+", (Op("exp", (x,)), Op("exp", (y,)))),)),
    "hypot": lambda x, y: Op("sqrt", (Op("+", (Op("*", (x, x)), Op("*", (y, y)))),)),
    "fmod": lambda x, y: Op("-", (x, Op("*", (y, Op("trunc", (Op("/", (x, y)),)))))),
    "trunc_quotient": lambda x, y: Op("trunc", (Op("/", (x, y)),)),
}  # fmt: skip
"""The functions that are written by simpler ones."""


def tree(node: Node) -> Tree:
    """The formula as a tree of numbers, of which claims are made.

    >>> from rustyflow.claims.tree import text
    >>> a, b = Node("", (), -2.0, (0, ())), Node("", (), 3.0, (1, ()))
    >>> text(tree(Node("/", (Node("-", (b, a), 5.0), Node("expm1", (a,), 0.1)), 50.0)))
    '(3 - (-2)) / (exp(-2) - 1)'
    """
    if not node.sign:
        return Leaf(node.value)
    parts = tuple(map(tree, node.parts))
    if node.sign in WRITTEN:
        return WRITTEN[node.sign](*parts)
    names = CALLED if isinstance(node.value, bool) else {**CALLED, **BITWISE}
    return Op(names.get(node.sign, node.sign), parts)


def told(about: str, node: Node, value: Value, room: int, bits: int = 0) -> tuple[Claim, list[Read]] | None:
    """Returns the claim that something is a formula in numbers, and the cells in it; None where none holds.

    It is as deep as the room of a line allows.

    >>> a = Node("", (), 3.0, (0, ()))
    >>> claim, reads = told("y", Node("+", (a, Node("exp", (a,), 20.0855)), 23.0855), 23.0855, 40)
    >>> str(claim), str(told("y", Node("+", (a, Node("exp", (a,), 20.0855)), 23.0855), 23.0855, 8)[0])
    ('y = 3 + exp(3) ≈ 23.1', 'y = 3 + 20.1 ≈ 23.1')
    """
    known: dict[tuple[int, int], tuple[int, int]] = {}
    for deep in range(height(node, known={}), 0, -1):
        many, letters = size(node, deep, known)
        if many > READ or letters > room + 1:
            continue
        part = cut(node, deep)
        formula = tree(part)
        if len(text(formula, most=FEWEST)) > room:
            continue
        claim = Claim(about, formula, value, bits=bits, room=room)
        if 0 < len(claim.pieces[1]) <= room:
            return claim, reads_in(part)
    return None
