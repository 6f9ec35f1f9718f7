"""Formulas of operations as text: the rule for one operand, its letters put in other words, sums written out."""

import re
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ..ir import Graph, Node
from .dag import brief, numbers

UNTRACKED = "(untracked)"
"""What stands for an operand that was not kept: no letter, which might be another tensor's name."""


def rule_of(formula: str, operand: str) -> str:
    """The right side of `da = ...` in a formula."""
    parts = [part.strip() for part in formula.split("  ")]
    found = next((part for part in parts if part.startswith(f"d{operand} = ")), "")
    return found.partition(" = ")[2]


def plain(rule: str) -> str:
    """A rule without the arguments that figures leave out."""
    return re.sub(r"alpha \* | \* alpha|, dim\b|, keepdim\b|, 0 where .*", "", rule)


def computed(node: Node) -> str:
    """The right side of `y = ...` in a node's formula, with the index that was read."""
    rule = plain(node.formula.split("  ")[0].partition(" = ")[2])
    items = dict(node.attrs).get("items", ())
    return re.sub(r"\[items\].*", f"[{', '.join(map(str, items))}]", rule)


def pieces(rule: str, words_: dict[str, str]) -> Iterator[tuple[str, str]]:
    """The letters of a rule, and what is put there, and what lies between: -3 in brackets behind a sign, or as a base.

    >>> "".join(said for _, said in pieces("-x", {"x": "-3"})), "".join(said for _, said in pieces("x", {"x": "-3"}))
    ('-(-3)', '-3')
    """
    tokens = re.findall(r"[A-Za-z_]+|[^A-Za-z_]+", rule)
    for before, token, after in zip(["", *tokens], tokens, [*tokens[1:], ""], strict=False):
        said = words_.get(token) or token
        bound = before.rstrip()[-1:] in ("+", "-", "*", "/") or after.startswith(" **")
        yield token, f"({said})" if said != token and said[:1] == "-" and bound else said


def put(rule: str, words_: dict[str, str]) -> str:
    return "".join(said for _, said in pieces(rule, words_))


def behind(graph: Graph, ref: str) -> Node | None:
    """The node that an operand is, below its expansions; None for a number and for what was not kept."""
    if ref[:1] != "%":
        return None
    node = graph[ref]
    return behind(graph, node.operands[0]) if node.kind == "expand" else node


def arrays_of(graph: Graph, node: Node) -> dict[str, Any]:
    """The arrays that the formula of a node names; None for one that is not known."""
    found: dict[str, Any] = {}
    for name, ref in zip(_operands(node), node.operands, strict=False):
        source = behind(graph, ref)
        found[name] = source.out if source is not None else np.array(float(ref)) if is_number(ref) else None
    found["y"] = node.out
    lost = [name for name in ("a", "b") if name in found and found[name] is None]
    if computed(node) in ("a + b", "a - b") and len(lost) == 1:
        number = _number(computed(node), found, lost[0])
        found |= {lost[0]: np.array(number)} if number is not None else {}
    return found


def names_of(graph: Graph, node: Node, name: Callable[[Node], str]) -> dict[str, str]:
    """What the letters in the formula of a node stand for; y is its own result."""
    found, arrays = {"y": name(node)}, arrays_of(graph, node)
    for own, ref in zip(_operands(node), node.operands, strict=False):
        source = behind(graph, ref)
        if ref == "?":
            found[own] = UNTRACKED if arrays[own] is None else brief(float(arrays[own]), 7)
        else:
            found[own] = name(source) if source is not None else ref
    return found


def _operands(node: Node) -> list[str]:
    from ..ops import OPS

    return list(getattr(OPS.get(node.rule), "operands", ()))


def _number(rule: str, arrays: dict[str, Any], lost: str) -> float | None:
    """The one number that a sum or a difference did not keep, if the rounding of its result leaves no doubt: every
    number that it may have been must look the same."""
    y, other = (np.asarray(arrays[name]) for name in ("y", "b" if lost == "a" else "a"))
    if arrays["y"] is None or arrays["b" if lost == "a" else "a"] is None or not y.size or y.dtype.kind != "f":
        return None
    with np.errstate(all="ignore"):
        whole, part, slack = y.astype(float), other.astype(float), np.spacing(np.abs(y)).astype(float)
        value = part - whole if (rule, lost) == ("a - b", "b") else whole + part if rule == "a - b" else whole - part
    low, high = float((value - slack).max()), float((value + slack).min())
    if not low <= high or not np.isfinite([low, high]).all() or brief(low) != brief(high):
        return None
    tries = (float(f"{(low + high) / 2:.{digits}g}") for digits in range(1, 8))
    return next((number for number in tries if low <= number <= high), None)


def ruled(rule: str, words_: dict[str, str]) -> str:
    """A rule in the program's names: `dx = g * w` for `da = g * b`.

    >>> ruled("da = g * b", {"a": "x", "b": "2", "y": "y"}), ruled("dx = g * y", {"x": "%2", "y": "%3"})
    ('dx = g * 2', 'd(%2) = g * %3')
    """
    return put(rule, {**words_, **{f"d{own}": wrt(word) for own, word in words_.items()}})


def wrt(name: str) -> str:
    """The gradient for what is called so: `dx`, `d(%2)`."""
    return f"d{name}" if name.isidentifier() else f"d({name})"


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
