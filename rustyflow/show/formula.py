"""Formulas of operations as text: the rule for one operand, its letters put in other words, sums written out."""

import re
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from .dag import brief, numbers


def rule_of(formula: str, operand: str) -> str:
    """The right side of `da = ...` in a formula."""
    parts = [part.strip() for part in formula.split("  ")]
    found = next((part for part in parts if part.startswith(f"d{operand} = ")), "")
    return found.partition(" = ")[2]


def plain(rule: str) -> str:
    """A rule without the arguments that figures leave out."""
    return re.sub(r"alpha \* | \* alpha|, dim\b|, keepdim\b|, 0 where .*", "", rule)


def put(rule: str, words_: dict[str, str]) -> str:
    return re.sub(r"[A-Za-z_]+", lambda token: words_.get(token[0]) or token[0], rule)


def ruled(rule: str, operands: Sequence[str], words_: Sequence[str], result: str) -> str:
    """A rule in the program's names, `dx = g * w` for `da = g * b`; in its own letters where a name is missing.

    >>> ruled("da = g * b", ("a", "b"), ("x", "2"), "y"), ruled("da = g * b", ("a", "b"), ("x", "%3"), "y")
    ('dx = g * 2', 'da = g * b')
    """
    known = {"y": result, **dict(zip(operands, words_, strict=False))}
    if not all(word.isidentifier() or is_number(word) for word in known.values()):
        return rule
    return put(rule, {**known, **{f"d{own}": f"d{word}" for own, word in known.items() if word.isidentifier()}})


def used(rule: str, arrays: dict[str, Any]) -> list[Any]:
    return [arrays[token] for token in re.findall(r"[A-Za-z_]+", rule) if token in arrays]


def is_number(ref: str) -> bool:
    return bool(re.fullmatch(r"-?[\d.]+(e-?\d+)?", ref))


def sums(before: np.ndarray, after: np.ndarray) -> Iterator[tuple[str, str, str]]:
    """For each number of `after` its index, the numbers of `before` that are added up, their sum; if that is short."""
    lead = before.ndim - after.ndim
    if before.size > 24:
        return
    for at in np.ndindex(after.shape):
        own = [slice(None) if after.shape[d] == 1 else i for d, i in enumerate(at)]
        terms = [brief(v) for v in numbers(before[(*[slice(None)] * lead, *own)])]
        head = f"[{', '.join(map(str, at))}]: " if after.size > 1 else ""
        yield head, " + ".join(f"({t})" if t[0] == "-" else t for t in terms), brief(numbers(after[at])[0])
