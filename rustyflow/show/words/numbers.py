"""Numbers and arrays as formulas show them, and what formulas come to."""

import ast
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from math import prod
from typing import Any

import numpy as np

from ...scene import draw
from ..source import Value, exact

DIGITS = 3
"""The digits of a number, where there is room; see `draw.spell`."""


def _over(reduce: Any) -> Any:
    """A reduction of NumPy's with PyTorch's arguments."""
    return lambda x, dim=None, keepdim=False: reduce(x, axis=dim, keepdims=keepdim)


FUNCTIONS = {
    name: getattr(np, name)
    for name in "exp log log2 log10 sqrt sin cos tan sinh cosh tanh abs sign floor trunc ceil where maximum minimum"
    " outer".split()
} | {name: _over(getattr(np, name)) for name in "sum prod mean amax amin".split()} | {
    "pi": np.pi, "range": range,
    "var": lambda x, dim=None, keepdim=False, correction=1: np.var(x, dim, ddof=correction, keepdims=keepdim),
}  # fmt: skip
"""What formulas call as PyTorch does."""

UPSTREAM = (1, 4, 2, 1, 3, 1, 2, 1, 2, 1, 1, 2, 3)
"""The gradients that arrive when none are given: small, unequal, and 13 of them, so that they line up with no axis."""

NINE = (3, 1, 2, 4, 1, 2, 5, 1, 3)
"""The same for a reduction and a product of matrices, whose results are small."""


def numbers(array: Any) -> list[Value]:
    """The numbers of an array in order, with 0 for -0.0, which gradients are full of."""
    return [v + 0.0 if isinstance(v, float) else v for v in exact(array)]


def bracketed(words: str) -> str:
    """A number among others in a formula: -3 in brackets."""
    return f"({words})" if words.startswith("-") else words


def written(array: Any, room: int = 14, digits: int = DIGITS, tight: bool = False) -> str:
    """An array as `[1, 1.5]` or `[[1, 2], [3, 4]]`, or nothing when that is longer than `room` characters.

    `tight` is for boxes: 0.5 is written .5 there.

    >>> written(np.array([1.0, 1.5])), written(np.array(0.736), tight=True), written(np.zeros((4, 4)))
    ('[1, 1.5]', '.736', '')
    """
    if array is None or np.asarray(array).size > 12:
        return ""
    shown = [draw.spell(v, digits) for v in numbers(array)]
    words = _nested([draw.tight(said) for said in shown] if tight else shown, np.asarray(array).shape)
    return words if len(words) <= room else ""


def in_full(array: Any, room: int = 14, digits: int = DIGITS) -> str:
    """The same as sentences say it: behind a `≈` where a number is cut.

    >>> in_full(np.array([0.5, 2.0])), in_full(np.array([0.5, 1 / 3]))
    ('[0.5, 2]', '≈ [0.5, 0.333]')
    """
    words = written(array, room, digits)
    return f"≈ {words}" if words and is_cut(array, digits) else words


def equal(words: str) -> str:
    """What something is, in words that have their `≈`, or have none.

    >>> equal("0.5"), equal("≈ 0.333")
    ('= 0.5', '≈ 0.333')
    """
    return words if words.startswith("≈ ") else f"= {words}"


def is_cut(array: Any, digits: int = DIGITS) -> bool:
    """Whether a number of an array is written with fewer digits than it has."""
    return not all(draw.is_exact(draw.spell(value, digits), value) for value in numbers(array))


def _nested(words: list[str], shape: Sequence[int]) -> str:
    if not shape:
        return words[0]
    step = len(words) // shape[0] if shape[0] else 0
    return "[" + ", ".join(_nested(words[k * step : (k + 1) * step], shape[1:]) for k in range(shape[0])) + "]"


ARITHMETIC = (
    ast.Expression, ast.Name, ast.Load, ast.Constant, ast.BinOp, ast.operator, ast.UnaryOp, ast.unaryop, ast.Compare,
    ast.cmpop, ast.BoolOp, ast.boolop, ast.Call, ast.keyword, ast.Attribute, ast.Subscript, ast.Slice, ast.Tuple,
)  # fmt: skip
"""The parts of a rule that is worked out. A rule may stand in the docstring of a reader's own op, so that it is held to
arithmetic: it reaches nothing behind its numbers, and comes to an end."""

LETTERS = "T", "mT", "shape"
"""The attributes that rules read."""

GREATEST = 1000
"""Numbers in a power are smaller: one of larger numbers may take hours."""


@lru_cache(256)
def _code(rule: str) -> Any:
    tree = ast.parse(rule.strip(), "<rule>", "eval")
    if not all(map(_is_arithmetic, ast.walk(tree))):
        raise SyntaxError("a rule is arithmetic")
    return compile(tree, "<rule>", "eval")


def _is_arithmetic(node: ast.AST) -> bool:
    match node:
        case ast.Call(func=function):
            return isinstance(function, ast.Name)
        case ast.Attribute(attr=name):
            return name in LETTERS
        case ast.BinOp(op=ast.Pow() | ast.LShift(), right=exponent):
            parts = [*ast.walk(node)]
            values = [part.value for part in parts if isinstance(part, ast.Constant)]
            small = all(abs(value) < GREATEST for value in values if isinstance(value, (int, float)))
            flat = sum(isinstance(part, ast.Pow) for part in parts) < 3
            return small and flat and not any(isinstance(part, LARGE) for part in ast.walk(exponent))
    return isinstance(node, ARITHMETIC)


LARGE = ast.Pow, ast.Mult, ast.LShift, ast.Call
"""The parts that no exponent has."""


def value_of(rule: str, names: Mapping[str, Any], shape: tuple[int, ...]) -> np.ndarray | None:
    """Returns what a rule comes to, its definitions first; None where it is no arithmetic."""
    if (found := defined(rule, names)) is None:
        return None
    try:
        found = np.asarray(found, float)
        return found.reshape(shape) if found.size == prod(shape) else np.broadcast_to(found, shape)
    except (TypeError, ValueError):  # a rule of one of several results
        return None


def defined(rule: str, names: Mapping[str, Any]) -> Any:
    """Returns what a rule comes to with its letters, definitions and functions; None where it is no arithmetic.

    >>> defined("x.T + s with s = 2 ** k", {"x": np.eye(1), "k": 3})
    array([[9.]])
    >>> print(defined("x.__class__", {"x": 1}), defined("9 ** 9 ** 9", {}), defined("[k for k in x]", {"x": [1]}))
    None None None
    """
    rule, _, known = rule.partition(" with ")
    names = {"__builtins__": {}, **FUNCTIONS, **names}
    try:
        with np.errstate(all="ignore"):
            for definition in re.split(r", (?=\w+ = )", known) if known else ():
                letter, _, said = definition.partition(" = ")
                names[letter] = eval(_code(said), names)  # `_code` lets arithmetic through alone
            return eval(_code(rule.partition(", repeated")[0]), names)
    except Exception:  # a rule in words may be anything to Python, and an equals sign is worth no crash
        return None
