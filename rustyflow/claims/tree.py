"""Trees of numbers: what an equation says, as text and as the number that its digits come to.

A leaf is a number, or an array of some; an operation has a sign or the name of a function, and its parts.

>>> tree = added([times(3.0, 1 / 3), times(-2.0, 4.0)])
>>> text(tree), exact(tree), text(tree, 5), exact(tree, 5)
('3·0.333 + (-2)·4', Decimal('-7.001'), '3·0.33333 + (-2)·4', Decimal('-7.00001'))
"""

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from decimal import ROUND_CEILING, ROUND_DOWN, ROUND_FLOOR, Context, Decimal, localcontext
from functools import reduce
from itertools import pairwise
from math import gcd, isfinite, lcm, prod, sin
from operator import and_, or_, xor
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from .digits import DIGITS, bracketed, read, spell, spell_all
from .fold import NOTHING
from .letters import letters_of
from .meaning import MEANINGS
from .rule import Rule
from .say import AND, ATOM, CHOICE, COMPARE, COMPARED, NOT, OR, POWER, PRODUCT, SIGN, SIGNS, WORDS, pieces
from .work import worked_out

TERMS, FEWEST = 12, 3
"""The most terms of a sum, or arguments of a function, that are written out, and as many as are in any case."""


class Leaf(NamedTuple):
    """A number, or an array of numbers; with a name that is what is said of it."""

    value: Any
    name: str = ""


class Setting(NamedTuple):
    """An argument that is no number of a tensor's, as a dim: it is written as a program writes it."""

    value: Any


class Op(NamedTuple):
    """An operation: a sign, `-` of one part too, or a function's name, and its parts."""

    how: str
    parts: "tuple[Tree, ...]"


class Filled(NamedTuple):
    """A rule with numbers, also whole arrays of them, in place of its letters.

    Its functions may be told in words.

    Attributes:
        rule: of one call.
        arrays: the numbers by letter.
        named: the letters that stand there by a name.

    >>> from .rule import rules_in
    >>> tree = Filled(rules_in("y = g * (1 - x)")[0], {"g": np.array([2.0, 3.0]), "x": np.array([0.5, 1 / 3])}, {})
    >>> text(tree), exact(tree)
    ('[2, 3]·(1 - [0.5, 0.333])', array([Decimal('1.0'), Decimal('2.001')], dtype=object))
    """

    rule: Rule
    arrays: Mapping[str, Any]
    named: Mapping[str, str]

    @property
    def known(self) -> dict[str, Any]:
        """The arrays that the rule reads."""
        return {name: self.arrays[name] for name in sorted(letters_of(self.rule)) if name in self.arrays}

    def pieces(self, digits: int) -> list[tuple[str, str]]:
        """The text in pieces: each letter with its numbers, and what lies between."""
        texts = {name: spelled(array, digits) for name, array in self.known.items()} | dict(self.named)
        return [(name, part if name else part.replace(" * ", DOTS["*"])) for name, part in pieces(self.rule, texts)]


Tree: TypeAlias = Leaf | Setting | Op | Filled


def added(terms: Iterable[Any]) -> Tree:
    """A sum; one of a single term is that term. A number may stand for its leaf."""
    return _joined("+", terms, 0)


def times(*factors: Any) -> Tree:
    """A product.

    >>> text(times(2, -3)), text(times(added([1, 2]), 3)), text(times(5))
    ('2·(-3)', '(1 + 2)·3', '5')
    """
    return _joined("*", factors, 1)


def of_pairs(terms: Iterable[Sequence[Any]]) -> Tree:
    """A sum of products of numbers."""
    return added([times(*factors) for factors in terms])


def called(name: str, parts: Iterable[Any], **settings: Any) -> Tree:
    """A function, or a sign between parts.

    >>> text(called("max", [1, -2, 3])), text(called("/", [added([1, 2]), 2])), text(called("sum", [np.ones(2)], dim=0))
    ('max(1, -2, 3)', '(1 + 2) / 2', 'sum([1, 1], 0)')
    """
    return Op(name, (*map(_tree, parts), *map(Setting, settings.values())))


def _tree(part: Any) -> Tree:
    return part if isinstance(part, Leaf | Setting | Op | Filled) else Leaf(part)


def _joined(sign: str, parts: Iterable[Any], nothing: int) -> Tree:
    trees = tuple(map(_tree, parts))
    return Op(sign, trees) if len(trees) > 1 else trees[0] if trees else Leaf(nothing)


def leaves(tree: Tree) -> Iterator[Leaf]:
    """The numbers of a tree, in order."""
    if isinstance(tree, Leaf):
        yield tree
    elif isinstance(tree, Op):
        for part in tree.parts:
            yield from leaves(part)
    elif isinstance(tree, Filled):
        yield from (Leaf(array) for name, array in tree.known.items() if name not in tree.named)


def of_rule(
    rule: ast.expr | Rule, values: Mapping[str, Any], names: Mapping[str, str] = NOTHING, *, whole: bool = False
) -> Tree:
    """The tree of a rule for one cell, with numbers or trees in the place of its letters.

    A letter that has a name stands there by its name. A choice by numbers is made: of `a if x > 0 else b` only one side
    is said; both where it is asked for `whole`.

    Raises:
        KeyError: a letter has no number. ValueError: a part that no tree of numbers has, as an index.

    >>> from .rule import parse
    >>> text(of_rule(parse("g * (1 - y * y) if x > 0 else 0"), {"g": 2.0, "y": 0.5, "x": 3.0}))
    '2·(1 - 0.5·0.5)'
    >>> text(of_rule(parse("a if c else b"), {"c": True, "a": 2, "b": 3}, whole=True))
    '2 where True, else 3'
    """
    if isinstance(rule, Rule):
        for letter, part in rule.known:
            values = {**values, letter: of_rule(part, values, names)}
        rule = rule.tree
    again: Callable[[ast.expr], Tree] = lambda part: of_rule(part, values, names, whole=whole)  # noqa: E731
    match rule:
        case ast.Name(id=letter):
            return Leaf(values[letter], names[letter]) if letter in names else _tree(values[letter])
        case ast.Constant(value=int() | float() as number):
            return Leaf(number)
        case ast.UnaryOp(op=ast.USub(), operand=part):
            return Op("-", (again(part),))
        case ast.UnaryOp(op=ast.Not(), operand=part):
            return Op("not", (again(part),))
        case ast.BoolOp(op=op, values=parts):
            return Op("and" if isinstance(op, ast.And) else "or", tuple(map(again, parts)))
        case ast.BinOp(left=left, op=op, right=right) if type(op) in SIGNS:
            sign, one, other = SIGNS[type(op)][0], again(left), again(right)
            flat = one.parts if sign in "+*" and isinstance(one, Op) and one.how == sign else (one,)
            return Op(sign, (*flat, other))
        case ast.Compare(left=left, ops=ops, comparators=rights):
            sides = [*map(again, (left, *rights))]
            pairs = [Op(COMPARED[type(op)], pair) for op, pair in zip(ops, pairwise(sides), strict=True)]
            return pairs[0] if len(pairs) == 1 else Op("and", tuple(pairs))
        case ast.IfExp(test=test, body=body, orelse=other):
            choice = floats(again(test))
            if np.ndim(choice) or whole and not isinstance(test, ast.UnaryOp):
                return Op("where", (again(test), again(body), again(other)))
            return again(body if choice else other)
        case ast.Call(func=ast.Name(id="along"), args=[part, *_]):
            return again(part)  # spread over a lane: the same in each cell
        case ast.Call(func=ast.Name(id=name), args=parts, keywords=[]):
            if name in MEANINGS and MEANINGS[name].phrase and not _of_numbers(name):
                raise ValueError(f"{name} is of whole arrays")
            operands = [Setting(part.value) if k and isinstance(part, ast.Constant) and not _of_numbers(name)
                        else again(part) for k, part in enumerate(parts)]  # fmt: skip
            return Op(name, tuple(operands))
        case ast.Attribute(value=part, attr="T" | "mT" as turned):
            return Op(f".{turned}", (again(part),))
    raise ValueError(f"{ast.unparse(rule)} is no tree of numbers")


def _of_numbers(name: str) -> bool:
    """True for a function of numbers, whose second argument is no setting."""
    return name == "where" or name in MEANINGS and MEANINGS[name].each


# as text


def text(tree: Tree, digits: int = DIGITS, most: int = TERMS) -> str:
    """The text of a tree, its numbers with so many digits, 0 for all.

    Of more than `most` terms some are left out.

    >>> text(added(range(20))), text(Op("**", (Leaf(-2), Leaf(3)))), text(Op("-", (Leaf(1), times(2, 3))))
    ('0 + 1 + 2 + 3 + 4 + 5 + 6 + 7 + 8 + 9 + ... + 19', '(-2) ** 3', '1 - 2·3')
    >>> third, twice = called("/", [1, 3]), called("**", [called("**", [2, 3]), 2])
    >>> text(times(third, 2)), text(called("/", [times(1, 2), 3])), text(twice), text(called("-", [1, third, 2]))
    ('(1 / 3)·2', '1·2 / 3', '(2 ** 3) ** 2', '1 - 1 / 3 - 2')
    >>> text(called("@", [np.ones((1, 1)), np.ones(1)])), text(called("-", [1, added([2, 3])]))
    ('[[1]] @ [1]', '1 - (2 + 3)')
    """
    return _said(tree, digits, most)[0]


def _said(tree: Tree, digits: int, most: int) -> tuple[str, int]:
    """The text, and how tightly it holds together."""
    if isinstance(tree, Setting):
        return repr(tree.value), ATOM
    if isinstance(tree, Leaf):
        return tree.name or spelled(tree.value, digits), ATOM
    if isinstance(tree, Filled):
        return "".join(part for _, part in tree.pieces(digits)), WORDS
    if tree.how in TIGHT and len(tree.parts) > 1:
        held, between, parts = TIGHT[tree.how], DOTS.get(tree.how, f" {tree.how} "), _few(tree.parts, most)
        least = [held + (k > 0 if tree.how in "+-/@" else k == 0 or held != POWER) for k in range(len(parts))]
        texts = [_in(part, low, digits, most) for part, low in zip(parts, least, strict=True)]
        return between.join(map(bracketed, texts)), held
    if tree.how == "-":
        return f"-{bracketed(_in(tree.parts[0], PRODUCT, digits, most))}", SIGN
    if tree.how == "not":
        return f"not {_in(tree.parts[0], NOT, digits, most)}", NOT
    if tree.how[:1] == ".":
        return f"{_in(tree.parts[0], ATOM, digits, most)}{tree.how}", ATOM
    if tree.how == "where":
        test, body, other = (_in(part, CHOICE + 1, digits, most) for part in tree.parts)
        return f"{body} where {test}, else {other}", CHOICE
    texts = [_said(part, digits, most)[0] for part in _few(tree.parts, most)]
    return f"{tree.how}({', '.join(texts)})", ATOM


TIGHT = {sign: held for sign, held in SIGNS.values()} | dict.fromkeys(COMPARED.values(), COMPARE)
TIGHT |= {"and": AND, "or": OR}
DOTS = {"*": "·"}


def _in(tree: Tree, least: int, digits: int, most: int) -> str:
    inner, held = _said(tree, digits, most)
    return f"({inner})" if held < least else inner


def _few(parts: "Sequence[Tree]", most: int) -> "Sequence[Tree]":
    return parts if len(parts) <= most else (*parts[: most - 2], Leaf(0, "..."), parts[-1])


def spelled(value: Any, digits: int) -> str:
    """A number, or numbers in brackets; 0 for -0.0 in these, which gradients are full of."""
    if isinstance(value, bool | int | float | complex | str):
        return spell(value, digits) if digits else spell_all(value)
    array = np.asarray(value)
    if not array.ndim:
        return spelled(numbers(array)[0], digits)
    return nested([spelled(each, digits) for each in numbers(array)], array.shape)


def nested(texts: list[str], shape: Sequence[int]) -> str:
    """The texts of an array's cells as `[[1, 2], [3, 4]]`."""
    if not shape:
        return texts[0]
    step = len(texts) // shape[0] if shape[0] else 0
    return "[" + ", ".join(nested(texts[k * step : (k + 1) * step], shape[1:]) for k in range(shape[0])) + "]"


def numbers(array: Any) -> list[Any]:
    """The numbers of an array in order as they are, a float32 0.1 as 0.1, and 0 for -0.0."""
    if isinstance(array, bool | int | float | complex | str):
        return [array + 0.0 if isinstance(array, float) else array]
    flat = np.asarray(array).reshape(-1)
    return [float(str(v)) + 0.0 for v in flat] if flat.dtype.kind == "f" else flat.tolist()


# as numbers


def exactly() -> AbstractContextManager:
    """A context of decimal numbers with 260 digits, as many as a product of 12 of 64 bits has.

    1 / 0 is inf in it.
    """
    return localcontext(Context(prec=260, Emin=-999999, Emax=999999, traps=[]))


def exact(tree: Tree, digits: int = DIGITS) -> Any:
    """Returns what a tree comes to without rounding.

    Its numbers have so many digits as are written, 0 for all.

    A number, or an array of some: Decimals, or bools. It is nan where the number has no end, as tanh(1) has none, and
    None where the tree has a function that is not worked out by hand.
    """
    with exactly(), np.errstate(all="ignore"):
        try:
            value = _exact(tree, digits, EXACT)
            if _has_end(value):
                return value
            one, other = (_exact(tree, digits, functions) for functions in ANY)
            return np.where(one == other, one, value)[()]  # times 0, a value without an end does not matter
        except (ArithmeticError, KeyError, TypeError, ValueError, AttributeError):
            return None


def _has_end(value: Any) -> bool:
    return not isinstance(value, Decimal | np.ndarray) or all(v == v for v in np.ravel(value).tolist())


def _exact(tree: Tree, digits: int, functions: Mapping[str, Callable]) -> Any:
    if isinstance(tree, Setting):
        return tree.value
    if isinstance(tree, Leaf):
        return _read(tree.value, 0 if tree.name else digits)  # of one that is named no digits are cut
    if isinstance(tree, Filled):
        known = {name: _read(array, digits) for name, array in tree.known.items()}
        return worked_out(tree.rule, known, functions)
    parts = [_exact(part, digits, functions) for part in tree.parts]
    if tree.how == "-" and len(parts) == 1:
        return -parts[0]
    return reduce(BETWEEN_TWO[tree.how], parts) if tree.how in BETWEEN_TWO else functions[tree.how](*parts)


def _read(value: Any, digits: int) -> Any:
    if isinstance(value, bool | int | float | complex | str):
        return read(value, digits)
    array = np.asarray(value)
    cells = np.empty(array.size, bool if array.dtype.kind == "b" else object)
    cells[:] = [read(each, digits) for each in numbers(array)]
    return cells.reshape(array.shape)[()]


def floats(tree: Tree, digits: int | None = None) -> Any:
    """Returns what a tree comes to in floats, its numbers with all digits or with those that are written."""
    with np.errstate(all="ignore"):
        return _floats(tree, digits)


def _floats(tree: Tree, digits: int | None) -> Any:
    if isinstance(tree, Setting):
        return tree.value
    if isinstance(tree, Leaf):
        value = tree.value if digits is None else _read(tree.value, 0 if tree.name else digits)
        if isinstance(value, bool):
            return value
        return float(value) if isinstance(value, int | float | Decimal) else _array(value)
    if isinstance(tree, Filled):
        return worked_out(tree.rule, {name: _array(array if digits is None else _read(array, digits))
                                      for name, array in tree.known.items()})  # fmt: skip
    parts = [_floats(part, digits) for part in tree.parts]
    if tree.how == "-" and len(parts) == 1:
        return -parts[0]
    if tree.how in BETWEEN_TWO:
        return reduce(BETWEEN_TWO[tree.how], parts)
    if tree.how in OF_NUMBERS:
        return OF_NUMBERS[tree.how](np.array(parts, float))
    known = tree.how[:1] == "." or tree.how in ("gcd", "lcm", "not")  # of whole numbers, or of no arrays
    return EXACT[tree.how](*parts) if known else MEANINGS[tree.how].run(*parts)


def _array(value: Any) -> np.ndarray:
    array = np.asarray(value)
    return array if array.dtype.kind in "bc" else array.astype(float)


STEPS = {"//", "%", "&", "|", "^", "<<", ">>", "floor", "ceil", "trunc", "round", "sign", *COMPARED.values()}
"""What jumps from one number to the next, and adds nothing up."""


def size(tree: Tree) -> float:
    """The greatest number of a tree, or product in it: relative to this a sum may have lost digits."""
    if isinstance(tree, Op) and tree.how in STEPS:
        return 0.0
    if isinstance(tree, Op) and tree.how == "*":
        return prod(map(size, tree.parts))
    if isinstance(tree, Setting):
        return 0.0
    if isinstance(tree, Filled):
        return max(map(size, leaves(tree)), default=0.0)
    if isinstance(tree, Op):
        return max(map(size, tree.parts), default=0.0)
    some = (abs(value) for value in numbers(tree.value) if not isinstance(value, complex))
    return float(max((value for value in some if isfinite(value)), default=0.0))


BETWEEN_TWO: dict[str, Callable] = {
    "+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b, "/": lambda a, b: _quotient(a, b),
    "@": lambda a, b: a @ b, "**": lambda a, b: _power(a, b), "//": lambda a, b: _whole(a / b, ROUND_FLOOR),
    "%": lambda a, b: a - b * _whole(a / b, ROUND_FLOOR), "==": lambda a, b: a == b, "!=": lambda a, b: a != b,
    "<": lambda a, b: a < b, "<=": lambda a, b: a <= b, ">": lambda a, b: a > b, ">=": lambda a, b: a >= b,
    "&": lambda a, b: _whole_of(and_, a, b), "|": lambda a, b: _whole_of(or_, a, b),
    "^": lambda a, b: _whole_of(xor, a, b), "<<": lambda a, b: a * 2**b,
    ">>": lambda a, b: _whole(a / 2**b, ROUND_FLOOR), "and": np.logical_and, "or": np.logical_or,
}  # fmt: skip
"""Signs between two numbers, decimal or floats."""


def _whole_of(join: Callable, a: Any, b: Any) -> Any:
    """A function of whole numbers, of two decimal numbers or floats; bools stay bools."""
    return join(a, b) if isinstance(a, bool) else type(a)(join(int(a), int(b)))


def _power(a: Any, b: Any) -> Any:
    """A power; of 0 by 0 it is 1, of which decimal numbers know nothing."""
    if isinstance(b, Decimal) and not b:
        return Decimal(1)
    return np.power(a, b) if isinstance(a, float) else a**b  # to Python a root of -1 is complex


def _quotient(a: Any, b: Any) -> Any:
    """A quotient of floats by 0 is inf or nan, as one of decimal numbers is."""
    return np.true_divide(a, b) if isinstance(b, float | bool) and not isinstance(a, Decimal) else a / b


def _whole(x: Any, way: str) -> Any:
    """The whole number next to one, or to each of an array, decimal or floats."""
    if isinstance(x, np.ndarray):
        return np.frompyfunc(lambda v: _whole(v, way), 1, 1)(x)
    return x.to_integral_value(way) if isinstance(x, Decimal) else float(IN_FLOATS[way](x))


IN_FLOATS = {ROUND_FLOOR: np.floor, ROUND_CEILING: np.ceil, ROUND_DOWN: np.trunc}


def _function(points: Mapping[Any, Any], rule: Callable[[Any], Any] = lambda x: Decimal("nan")) -> np.ufunc:
    """A function that is exact at some points, or by a rule, and nan elsewhere.

    So nothing is said to be equal to what has no end: tanh(20) is close to 1, and no 1.
    """
    return np.frompyfunc(lambda x: Decimal(points[x]) if x in points else rule(x), 1, 1)


def _of(join: Callable) -> Callable:
    """A choice among numbers; nan if one of them is."""
    return lambda *x: Decimal("nan") if any(v != v for v in x) else join(x)


def _picked(name: str) -> Callable:
    """A function that picks, counts or finds one of some numbers: exact, though it runs on floats."""

    def pick(*x: Any) -> Any:
        numbers = [*map(float, x)]
        result = np.ravel(OF_NUMBERS[name](np.array(numbers)))[0]
        if isinstance(result, np.bool_):
            return bool(result)
        return next((v for v, number in zip(x, numbers, strict=True) if number == result), Decimal(str(result)))

    return pick


LEAST, MOST = Decimal("-inf"), Decimal("inf")
"""The ends of all numbers, at which functions have values that can be written."""

FREE = 7, 11
"""What a function comes to in two tries, where its value cannot be written."""


def _spread(x: np.ndarray, ddof: int) -> Any:
    """A variance; nan or inf, without a warning, where there is nothing to divide by."""
    return np.true_divide(np.sum((x - np.mean(x)) ** 2), max(0, len(x) - ddof))


def _numbers(x: np.ndarray) -> np.ndarray:
    return x[~np.isnan(x)] if not np.isnan(x).all() else np.array([np.nan])


OF_NUMBERS: dict[str, Callable] = {
    **{name: np.max for name in ("max", "amax")}, **{name: np.min for name in ("min", "amin")},
    "logsumexp": np.logaddexp.reduce, "count": len, "norm": np.linalg.norm,
    "var": lambda x: _spread(x, 1), "np.var": lambda x: _spread(x, 0), "np.median": np.median,
    "std": lambda x: np.sqrt(_spread(x, 1)), "np.std": lambda x: np.sqrt(_spread(x, 0)),
    "median": lambda x: MEANINGS["median"].run(x) + 0 * np.sum(x), "nanmedian": MEANINGS["nanmedian"].run,
    "np.nanmedian": lambda x: np.median(_numbers(x)), "nanmean": lambda x: np.mean(_numbers(x)), "nansum": np.nansum,
    "mode": lambda x: max(np.sort(x).tolist(), key=x.tolist().count), "count_nonzero": np.count_nonzero,
    **{name: getattr(np, name) for name in ("all", "any", "argmax", "argmin")},
}  # fmt: skip
"""The functions whose parts are numbers, in floats, of an array of these: `max(1, 2)` where a rule has `amax(x)`.

A function of a tree is looked up here first for floats, and in `MEANINGS` where its parts are arrays; for numbers as
they are written, in `EXACT`. Those of NumPy's that come to something else than PyTorch's begin with `np.`.
"""

EXACT: dict[str, Callable] = {
    **{name: _function({0: 0}) for name in "sin tan asin atan asinh atanh log1p expm1".split()},
    "acos": _function({1: 0}), "acosh": _function({1: 0}), "cos": _function({0: 1}),
    "exp": _function({LEAST: 0, 0: 1, MOST: MOST}), "cosh": _function({LEAST: MOST, 0: 1, MOST: MOST}),
    "sinh": _function({LEAST: LEAST, 0: 0, MOST: MOST}), "tanh": _function({LEAST: -1, 0: 0, MOST: 1}),
    "erf": _function({LEAST: -1, 0: 0, MOST: 1}), "erfc": _function({LEAST: 2, 0: 1, MOST: 0}),
    "log": _function({0: LEAST, 1: 0, MOST: MOST}),
    "log2": _function({0: LEAST, **{Decimal(2) ** n: n for n in range(-9, 54)}, MOST: MOST}),
    "log10": _function({0: LEAST, **{Decimal(10) ** n: n for n in range(-12, 19)}, MOST: MOST}),
    "sqrt": _function({}, Decimal.sqrt), "abs": _function({}, abs),
    "sign": _function({}, lambda x: x if x != x else Decimal((x > 0) - (x < 0))),
    "floor": lambda x: _whole(x, ROUND_FLOOR), "ceil": lambda x: _whole(x, ROUND_CEILING),
    "trunc": lambda x: _whole(x, ROUND_DOWN),
    "maximum": np.frompyfunc(_of(max), 2, 1), "minimum": np.frompyfunc(_of(min), 2, 1), "where": np.where,
    **{name: MEANINGS[name].run for name in ("sum", "prod", "mean")},
    "amax": lambda *x: (_of(max) if isinstance(x[0], Decimal | bool) else MEANINGS["amax"].run)(*x),
    "amin": lambda *x: (_of(min) if isinstance(x[0], Decimal | bool) else MEANINGS["amin"].run)(*x),
    "gcd": np.frompyfunc(lambda a, b: Decimal(gcd(int(a), int(b))), 2, 1), "not": np.logical_not,
    "lcm": np.frompyfunc(lambda a, b: Decimal(lcm(int(a), int(b))), 2, 1),
    "xor": np.frompyfunc(lambda a, b: bool(a) != bool(b), 2, 1),
    "outer": np.outer, ".T": np.transpose, ".mT": lambda x: np.swapaxes(x, -1, -2), "count": lambda *x: len(x),
    **{name: _picked(name) for name in "median nanmedian mode argmax argmin all any count_nonzero".split()},
    "max": _of(max), "min": _of(min),
}  # fmt: skip
"""The functions that come to numbers which can be written, of decimal numbers or arrays of such."""


def _as_if(function: Any, number: int) -> Any:
    """The function, coming to some number wherever its value cannot be written, another one for each that it is of:
    else one share of several would come to be the same as all others, or exp(x) that of exp(-x) taken off."""
    if not isinstance(function, np.ufunc):
        return function
    some = np.frompyfunc(lambda v: Decimal(sin(number * float(v) + 1) if isfinite(float(v)) else "nan"), 1, 1)
    return lambda *x: np.where((value := function(*x)) != value, some(x[0]), value)[()]


ANY = [{name: _as_if(function, number) for name, function in EXACT.items()} for number in FREE]
"""The functions twice: where both make the same of a tree, what they come to does not matter."""
