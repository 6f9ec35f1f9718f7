"""Numbers and arrays as formulas show them, and whether what is shown is true: `=` or `≈`."""

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from math import floor, isfinite, log10, prod
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
    "pi": np.pi,
    "var": lambda x, dim=None, keepdim=False, correction=1: np.var(x, dim, ddof=correction, keepdims=keepdim),
}  # fmt: skip
"""What formulas call as PyTorch does."""

CLOSES_IN = re.compile(r"\b(tanh|erf)\(|1 \+ exp\(")
"""The functions that come close to 1 and never reach it: tanh, erf, and sigmoid by its formula."""

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


def _nested(words: list[str], shape: Sequence[int]) -> str:
    if not shape:
        return words[0]
    step = len(words) // shape[0] if shape[0] else 0
    return "[" + ", ".join(_nested(words[k * step : (k + 1) * step], shape[1:]) for k in range(shape[0])) + "]"


def as_written(value: Value, digits: int = DIGITS) -> Value:
    """The number that a reader takes a number for.

    >>> as_written(1 / 3), as_written(2.0), as_written(True)
    (0.333, 2.0, True)
    """
    return float(draw.spell(value, digits)) if isinstance(value, int | float) and type(value) is not bool else value


def sign(found: Iterable[Value], shown: Iterable[Value], digits: int = DIGITS) -> str:
    """`=` where the numbers that were found, rounded, are those that are shown; else `≈`.

    What is found is what the numbers on the screen come to: 0.333 * 3 is 0.999, and no 1.

    >>> sign([0.5 * 0.359], [0.18]), sign([0.333 * 3], [1.0]), sign([float("nan")], [float("nan")])
    ('=', '≈', '=')
    """
    pairs = zip(found, shown, strict=True)
    return "=" if all(_rounds(float(a), float(as_written(b, digits)), digits) for a, b in pairs) else "≈"


def _rounds(found: float, shown: float, digits: int) -> bool:
    """Whether a number is rounded to the one shown; a tie, such as 0.1795, may go up or down."""
    if not isfinite(found) or not found:
        return found == shown or found != found and shown != shown
    places = digits - 1 - floor(log10(abs(found)))
    unit = 10.0 ** -(places if abs(found) >= 1e6 else max(0, places))
    return abs(found - shown) <= unit * (0.5 + 1e-6) + 1e-15


def sign_of_sum(terms: Iterable[Value], total: Value, digits: int = DIGITS) -> str:
    """`=` where numbers, as they are written, add up to their sum as it is written."""
    return sign([sum(as_written(term, digits) for term in terms)], [total], digits)


def sign_of_rule(rule: str, arrays: Mapping[str, Any], result: Any, digits: int = DIGITS) -> str:
    """`=` where a rule, with its numbers as they are written, comes to its result as that is written; else `≈`.

    Of a rule that words tell, which nobody can work out, each number has to be written in full; so has a number that
    comes close to 1 and is written as 1, for what its gradient is made of is the rest: tanh(5) ≈ 1.

    >>> third, three = np.array(1 / 3), np.array(3.0)
    >>> sign_of_rule("a * b", {"a": third, "b": three}, np.array(1.0)), sign_of_rule("b / b", {"b": three}, np.array(1))
    ('≈', '=')
    """
    named = {name: np.asarray(array) for name, array in arrays.items() if array is not None}
    used = {name: named[name] for name in re.findall(r"[A-Za-z_]+", rule) if name in named}
    read = {name: _read(array, digits) for name, array in used.items()}
    result = np.asarray(result)
    whole = [*((array, read[name]) for name, array in used.items()), (result, _read(result, digits))]
    if all(np.array_equal(_plain(array), said, equal_nan=True) for array, said in whole):
        return "="
    true, found = (value_of(rule, names, result.shape) for names in (used, read))
    close = [v for v in numbers(result) if v != as_written(v, digits) in (-1, 1)]
    if close and CLOSES_IN.search(rule):
        return "≈"
    if true is None or found is None or not np.allclose(true, result, 1e-3, 1e-6, equal_nan=True):
        return "≈"
    return sign(found.reshape(-1), numbers(result), digits)


def _plain(array: np.ndarray) -> np.ndarray:
    return np.array(numbers(array), float).reshape(array.shape)


@lru_cache(256)
def _code(rule: str) -> Any:
    return compile(rule.strip(), "<rule>", "eval")


def _read(array: np.ndarray, digits: int) -> np.ndarray:
    """The numbers as a reader takes them; whole ones stay whole, for some are indices."""
    kind = {"f": float, "b": bool}.get(array.dtype.kind, np.int64)
    return np.array([as_written(v, digits) for v in numbers(array)], float).astype(kind).reshape(array.shape)


def value_of(rule: str, names: Mapping[str, Any], shape: tuple[int, ...]) -> np.ndarray | None:
    """What a rule comes to, its definitions first; None where it is no Python."""
    rule, _, known = rule.partition(" with ")
    names = {"__builtins__": {}, **FUNCTIONS, **names}
    try:
        with np.errstate(all="ignore"):
            for definition in re.split(r", (?=\w+ = )", known) if known else ():
                letter, _, said = definition.partition(" = ")
                names[letter] = eval(_code(said), names)  # of our own formulas, as the next
            found = np.asarray(eval(_code(rule.partition(", repeated")[0]), names), float)
            return found.reshape(shape) if found.size == prod(shape) else np.broadcast_to(found, shape)
    except Exception:  # a rule in words may be anything to Python, and an equals sign is worth no crash
        return None
