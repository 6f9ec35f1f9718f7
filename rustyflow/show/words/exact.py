"""What the numbers that are written come to, worked out without rounding, and the sign before it: `=` or `≈`."""

import ast
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from decimal import Context, Decimal, localcontext
from math import floor, isfinite, log10, prod
from typing import Any

import numpy as np

from ...claims import digits as spelling
from ...claims.digits import spell_all as digits_of  # noqa: F401
from ...claims.letters import letters_of, trees_of
from ...claims.meaning import PROGRAM
from ...claims.rule import Rule, parse
from ...claims.work import in_shape, value_of, worked_out
from ...scene import draw
from ..source import Value
from .numbers import DIGITS, numbers

SAME = Decimal("1e-55")
"""Relative: of 60 digits some of the last are lost where a third is multiplied by 3."""


NOISE = Decimal(str(spelling.NOISE))
"""Relative: what is no rounding."""


def exactly() -> AbstractContextManager:
    """Where decimal numbers have 60 digits, and 1 / 0 is inf."""
    return localcontext(Context(prec=60, Emin=-999999, Emax=999999, traps=[]))


def as_written(value: Value, digits: int = DIGITS) -> Any:
    """The number that a reader takes a number for.

    >>> as_written(1 / 3), as_written(2.0), as_written(True)
    (Decimal('0.333'), Decimal('2'), True)
    """
    return value if isinstance(value, bool | complex) else Decimal(draw.spell(value, digits))


def in_full(value: Value) -> Any:
    """The number that all its digits say: a float 0.1 is a tenth."""
    return value if isinstance(value, bool | complex) else Decimal(str(value))


def sign(found: Iterable[Any], shown: Iterable[Value], digits: int = DIGITS, most: float = 0.0) -> str:
    """`=` where the numbers that were found are exactly those that are shown, as they are written, and these are
    written in full, but for noise, of sums that of the greatest number in it; else `≈`.

    What is found is what the numbers on the screen come to: 3.01 * 3.01 is 9.0601, and no 9.06.

    >>> third = as_written(1 / 3)
    >>> sign([third * 3], [1.0]), sign([third * 3], [0.999]), sign([third], [1 / 3])
    ('≈', '=', '≈')
    >>> sign([Decimal("0.3")], [0.1 + 0.2]), sign([Decimal("-0.2")], [-0.19999993], most=0.9)
    ('=', '=')
    """
    with exactly():
        size = Decimal(most) if isfinite(most) else Decimal(0)
        pairs = [(a, as_written(b, digits), in_full(b), as_written(b, digits + MORE))
                 for a, b in zip(found, shown, strict=True)]  # fmt: skip
        same = (_same(a, b) and _same(b, c, NOISE, size * (b == more)) for a, b, c, more in pairs)
        return "=" if all(same) else "≈"


def _same(found: Any, shown: Any, but: Decimal = SAME, size: Decimal = Decimal(0)) -> bool:
    found = Decimal(repr(found)) if type(found) is float else found
    if found == shown or found is None or isinstance(shown, complex):
        return found == shown
    found, shown = Decimal(found), Decimal(shown)
    if not found.is_finite() or not shown.is_finite():
        return found.is_nan() and shown.is_nan()
    return abs(found - shown) <= but * max(abs(shown), size)


def sign_of_sum(parts: Iterable[Sequence[Value]], total: Value, digits: int = DIGITS, own: int = 0) -> str:
    """`=` where products of numbers, as these are written, add up to their sum as it is written, with `own` digits.

    >>> sign_of_sum([(3.0, 0.5), (2.0,)], 3.5), sign_of_sum([(1 / 3,), (1 / 3,), (1 / 3,)], 1.0)
    ('=', '≈')
    """
    with exactly():
        terms = [*map(tuple, parts)]
        found = sum(prod(as_written(v, digits) for v in term) for term in terms)
        return sign([found], [total], own or digits, _most(terms))


def as_rule(rule: str | Rule) -> Rule | None:
    """A rule, also where it is given as text; None for words that are no Python."""
    try:
        return Rule("", parse(rule)) if isinstance(rule, str) else rule
    except SyntaxError:
        return None


def alone(tree: ast.BinOp) -> bool:
    """True where both sides are a letter or a number."""
    return all(isinstance(side, ast.Name | ast.Constant) for side in (tree.left, tree.right))


def sign_of_rule(rule: str | Rule, arrays: Mapping[str, Any], result: Any, digits: int = DIGITS, own: int = 0) -> str:
    """`=` where a rule, with its numbers as they are written, comes to its result as that is written, with `own`
    digits; else `≈`.

    Of a rule that words tell, which nobody can work out, each number has to be written in full.

    >>> third, three, twenty = np.array(1 / 3), np.array(3.0), np.array(20.0)
    >>> sign_of_rule("a * b", {"a": third, "b": three}, np.array(1.0)), sign_of_rule("b / b", {"b": three}, np.array(1))
    ('≈', '=')
    >>> sign_of_rule("tanh(x)", {"x": twenty}, np.array(1.0)), sign_of_rule("exp(x)", {"x": 0 * twenty}, np.array(1.0))
    ('≈', '=')
    >>> sign_of_rule("a * log(2)", {"a": 0 * three}, np.array(0.0))
    '='
    """
    named = {name: np.asarray(array) for name, array in arrays.items() if array is not None}
    rule = as_rule(rule)
    used = {name: named[name] for name in (letters_of(rule) if rule else named) if name in named}
    result = np.asarray(result)
    found = worked(rule, {name: _read(array, digits) for name, array in used.items()}, result.shape)
    if found is not None:
        added = isinstance(rule.tree, ast.BinOp) and isinstance(rule.tree.op, ast.Add | ast.Sub) and alone(rule.tree)
        most = max((abs(float(v)) for array in used.values() for v in numbers(array)), default=0.0) if added else 0.0
        return sign(found.reshape(-1), numbers(result), own or digits, most)
    said = (value for array in (*used.values(), result) for value in numbers(array))
    return "=" if all(_same(in_full(value), as_written(value, digits)) for value in said) else "≈"


MORE = 3
"""Up to so many more digits are written where rounded numbers do not come to their result."""

TRIED = range(DIGITS, DIGITS + MORE + 1)
"""How many these are, where there is room."""


def digits_of_sum(parts: Iterable[Sequence[Value]], total: Value, digits: int = DIGITS) -> int:
    """How many digits it takes, so many or more, until products of numbers as they are written add up to their sum as
    it is written with so many, but for less than 1 in its last digit; 0 where that takes too many.

    >>> root = 8 ** 0.5
    >>> 2.8 + 1 + 2.8, round(root + 1 + root, 1), digits_of_sum([(root,), (1.0,), (root,)], root + 1 + root, 2)
    (6.6, 6.7, 3)
    """
    terms = [*map(tuple, parts)]

    def works(n: int) -> list[float]:
        return [sum(prod(float(as_written(value, n)) for value in term) for term in terms)]

    return enough(works, [total], _most(terms), digits)


def told(
    parts: Iterable[Sequence[Value]], total: Value, digits: int = DIGITS, bits: int = 0
) -> tuple[int, str]:  # fmt: skip
    """With how many digits products of numbers are written that add up to a sum, and what is said before that: where
    they cancel, so that no few digits tell it, also what they come to as they are written; and where the `bits` of a
    whole number do not hold it, what it would be.

    >>> told([(3.0, 0.24456)], 0.73368), told([(3.0, 0.5)], 1.5), told([(255, 2), (5, 1)], 3, bits=8)
    ((4, '≈'), (3, '='), (3, '= 515, which 8 bits hold as'))
    >>> told([(1.0,), (-0.99999997,)], 3e-8), told([(3, 1.88e-8), (1, 1.88e-8)], 3e-8)
    ((3, '≈ 0, with more digits'), (3, '≈ 7.52e-8, which rounding has made'))
    """
    terms = [*map(tuple, parts)]
    if bits and (whole := sum(map(prod, terms))) != total and wraps(whole, total, bits):
        cut = " ≈" * (draw.spell(total, digits) != str(total))
        return digits, f"{draw.equals(whole, digits)}, which {bits} bits hold as{cut}"
    if most := digits_of_sum(terms, total, digits):
        return most, sign_of_sum(terms, total, most, digits)
    with exactly():
        found = sum(prod(as_written(value, digits) for value in term) for term in terms)
        whole = sum(prod(map(in_full, term)) for term in terms)
        if not isfinite(total) or not isfinite(found) or comes_out(found, total, _most(terms), digits, 1.0):
            return digits, "≈"
        more = abs(whole - in_full(total)) * 10 <= abs(found - in_full(total))
    why = "with more digits" if more else "which rounding has made"
    return digits, f"≈ {draw.spell(float(found) + 0.0, digits)}, {why}"


def wraps(whole: Any, value: int, bits: int) -> bool:
    """True for a whole number that is what so many bits keep of another one.

    >>> wraps(260, 4, 8), wraps(2**31, -(2**31), 32), wraps(260, 5, 8), wraps(Decimal("254.5"), 254, 8)
    (True, True, False, False)
    """
    with exactly():
        return (whole - value) % 2**bits == 0


def bits_of(dtype: np.dtype) -> int:
    """The bits of a dtype of whole numbers, which wrap around; 0 of all others.

    >>> bits_of(np.dtype("uint8")), bits_of(np.dtype("float64")), bits_of(np.dtype("bool"))
    (8, 0, 0)
    """
    return 8 * dtype.itemsize * (dtype.kind in "iu")


def _most(terms: Sequence[Sequence[Value]]) -> float:
    """The size of the greatest of some products."""
    return max((abs(float(prod(term))) for term in terms), default=0.0)


def digits_of_rule(rule: str | Rule, arrays: Mapping[str, Any], result: Any, digits: int = DIGITS) -> int:
    """The same of a rule with its numbers, which comes to its result; of one in words as many as are given.

    >>> near = np.array(0.9998)
    >>> digits_of_rule("1 - y * y", {"y": near}, 1 - near * near), digits_of_rule("y in words", {"y": near}, near)
    (4, 3)
    """
    named = {name: np.asarray(array) for name, array in arrays.items() if array is not None}
    if (rule := as_rule(rule)) is None:
        return digits
    used = {name: named[name] for name in letters_of(rule) if name in named}
    most = max((abs(float(value)) for array in used.values() for value in numbers(array)), default=0.0)

    def works(n: int) -> Any:
        read = {name: _read(array, n) for name, array in used.items()}
        read = {name: array.astype(float) if array.dtype == object else array for name, array in read.items()}
        found = value_of(rule, read, np.shape(result))
        return None if found is None else found.reshape(-1)

    return enough(works, numbers(result), most, digits)


def enough(works: Callable[[int], Any], shown: Sequence[Value], most: float, digits: int = DIGITS) -> int:
    """How many digits it takes until what works out of numbers with so many comes to what is shown; 0 where too many.
    `most` is the size of what is added up, if that may be 0."""
    for n in range(digits, digits + MORE + 1):
        found = works(n)
        if found is None or all(comes_out(a, b, most, digits) for a, b in zip(found, shown, strict=True)):
            return n
    return 0


def comes_out(found: Any, shown: Value, most: float, digits: int = DIGITS, by: float = 0.51) -> bool:
    """Whether what was found is what is shown, once it is rounded to its last digit, or by so much of that.

    >>> comes_out(1.1936, 1.1936, 1), comes_out(1.199, 1.1936, 1), comes_out(0.004, 0.0, 1.0)
    (True, False, True)
    """
    if found is None or isinstance(shown, bool | complex):
        return found == shown
    found, written = float(found), float(as_written(shown, digits))
    if not isfinite(written) or not isfinite(found) or found == written:
        return found == written or found != found and written != written
    size = abs(written) or (float(most) if most and isfinite(most) else 1.0)
    last = 10.0 ** (floor(log10(size)) - digits + 1)
    if written and (exponent := Decimal(draw.spell(shown, digits)).as_tuple().exponent) < 0:
        last = min(last, 10.0**exponent)
    return abs(found - written) <= by * last


def _read(array: np.ndarray, digits: int) -> np.ndarray:
    """The numbers as a reader takes them; whole ones stay whole, for some are indices."""
    read = [as_written(v, digits) for v in numbers(array)]
    whole = array.dtype.kind in "iu" and max(map(abs, read), default=0) < 1 << 31
    made = np.empty(len(read), np.int64 if whole else bool if array.dtype.kind == "b" else object)
    made[:] = read
    return made.reshape(array.shape)


def worked(rule: Rule | None, names: Mapping[str, Any], shape: tuple[int, ...]) -> np.ndarray | None:
    """What a rule comes to without rounding; None where it is no arithmetic."""
    if rule is None:
        return None
    with exactly():
        found = worked_out(rule, names, {**PROGRAM, **EXACT})
    if isinstance(found, list | tuple):  # several results
        return None
    found = np.asarray(found, object)
    power = any(isinstance(node, ast.Pow) for tree in trees_of(rule) for node in ast.walk(tree))
    if power and any(v != v for v in found.reshape(-1)):  # 0 ** 0, of which decimal numbers know nothing
        floats = {name: np.asarray(array, float) for name, array in names.items()}
        found = np.asarray(worked_out(rule, floats, {**PROGRAM, **EXACT}), object)
    elif any(v != v for v in found.reshape(-1)):  # times 0, a value without an end does not matter
        with exactly():
            one, other = (np.asarray(worked_out(rule, names, {**PROGRAM, **of}), object) for of in ANY)
        found = np.where(one == other, one, found) if one.shape == found.shape else found
    return None if None in found.reshape(-1)[:1] else in_shape(found, shape, object)


def _function(name: str, points: Mapping[Any, Any], rule: Callable[[Any], Any] = lambda x: Decimal("nan")) -> np.ufunc:
    """A function whose values have no end but at some points, or by a rule: elsewhere it is nan here, so that nothing
    is said to be equal to it, for tanh(20) is close to 1, and no 1. Of floats it is what NumPy makes of them."""

    def exact(x: Any) -> Any:
        if isinstance(x, float):
            return float(getattr(np, name)(x))
        return Decimal(points[x]) if x in points else rule(Decimal(x))

    return np.frompyfunc(exact, 1, 1)


LEAST, MOST = Decimal("-inf"), Decimal("inf")
"""The ends of all numbers, at which functions have values that can be written."""

EXACT: dict[str, Any] = {
    **{name: _function(name.replace("a", "arc", name[0] == "a"), {0: 0})
       for name in "sin tan asin atan asinh atanh".split()},
    "acos": _function("arccos", {1: 0}), "acosh": _function("arccosh", {1: 0}), "cos": _function("cos", {0: 1}),
    "exp": _function("exp", {LEAST: 0, 0: 1, MOST: MOST}), "cosh": _function("cosh", {LEAST: MOST, 0: 1, MOST: MOST}),
    "sinh": _function("sinh", {LEAST: LEAST, 0: 0, MOST: MOST}), "tanh": _function("tanh", {LEAST: -1, 0: 0, MOST: 1}),
    "erf": _function("erf", {LEAST: -1, 0: 0, MOST: 1}), "log": _function("log", {0: LEAST, 1: 0, MOST: MOST}),
    "log2": _function("log2", {0: LEAST, **{Decimal(2) ** n: n for n in range(-9, 54)}, MOST: MOST}),
    "log10": _function("log10", {0: LEAST, **{Decimal(10) ** n: n for n in range(-12, 19)}, MOST: MOST}),
    "sqrt": _function("sqrt", {}, Decimal.sqrt),
}  # fmt: skip
"""The functions of formulas that come to few numbers which can be written."""


def _as_if(function: np.ufunc, number: int) -> np.ufunc:
    """The function, coming to one number wherever its value cannot be written."""

    def tried(x: Any) -> Any:
        found = function(x)
        return Decimal(number) if x == x and found != found else found

    return np.frompyfunc(tried, 1, 1)


ANY = [{name: _as_if(function, number) for name, function in EXACT.items()} for number in (7, 11)]
"""The functions twice: where both make the same of a rule, what they come to does not matter."""
