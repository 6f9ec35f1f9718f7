"""The sentences of a comparison: of each event, and of the first that differs."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...claims.claim import equation
from ...claims.digits import spell
from ..words.sentences import indexed, many
from .numbers import Comparison, Row, apart, differing

FEW = 6
"""Arrays of so many numbers are written out."""


def brief(value: Any) -> str:
    """Returns an array in few characters: `3`, `[1, 2]`, `2×3 numbers`.

    >>> brief(np.array(3.0)), brief(np.array([1.0, 0.5])), brief(np.ones((4, 5))), brief(None)
    ('3', '[1, 0.5]', '4×5 numbers', 'nothing')
    """
    if value is None:
        return "nothing"
    if isinstance(value, str):
        return value
    if value.ndim == 0:
        return spell(value.item())
    if value.size > FEW or value.size == 0:
        return f"{'×'.join(map(str, value.shape))} numbers"
    inner = [brief(part) for part in value]
    return f"[{', '.join(inner)}]"


def added(row: Row) -> str:
    """Returns what is sent, and what it comes to there: `1 + 3 = 4`, where both are one number each.

    >>> added(Row("sends", "y", value=np.array(3.0), holds=np.array(4.0)))
    '1 + 3 = 4'
    >>> added(Row("sends", "y", value=np.array(3.0), holds=np.array(3.0)))
    '3'
    """
    part, whole = row.value, row.holds
    if isinstance(part, str) or part is None or whole is None or whole.shape != part.shape or (whole == part).all():
        return brief(part)
    if part.ndim:
        return f"{brief(part)}, in all {brief(whole)}" if part.size <= 3 else brief(part)
    before = whole - part
    return f"{spell(before.item())} + {spell(part.item())} = {spell(whole.item())}"


def is_there(name: str, value: Any) -> str:
    """Returns an array as an equation, `y = [1, 2]`; one of many numbers by its shape alone.

    >>> is_there("y", np.array([1.0, 1 / 3])), is_there("y", np.ones((4, 5)))
    ('y ≈ [1, 0.333]', 'y: 4×5 numbers')
    """
    few = isinstance(value, np.ndarray) and 0 < value.size <= FEW
    return equation(name, value.tolist()) if few else f"{name}: {brief(value)}"


def told(row: Row) -> str:
    """Returns an event as half a sentence."""
    match row.kind:
        case "value":
            return f"computes {is_there(row.who, row.value)}"
        case "visit":
            return f"visits {row.who}"
        case "sends":
            return f"sends {brief(row.value)} from {row.who} to {row.to}"
        case "says":
            return f"says of {row.who} “{row.value}”"
        case "gradient" if row.value is None:
            return f"has no gradient for {row.who}"
        case "gradient":
            return f"has {is_there(row.who + '.grad', row.value)}"
        case "gives":
            return f"gives {is_there(row.who, row.value)}"
        case _:
            return str(row.value) if str(row.value).startswith("has not") else f"ends in {row.value}"


def sentence(compared: Comparison, k: int) -> str:
    """Returns what is said of an event: of one that differs, in what."""
    left, right = compared.pair(k)
    ours, theirs = compared.left.name, compared.right.name
    if k != compared.first:
        if k > (len(compared) if compared.first is None else compared.first):
            one = [f"{name} {told(row)}" for name, row in ((ours, left), (theirs, right)) if row]
            return f"Event {k + 1}: {'; '.join(one)}."
        return f"Event {k + 1} is the same: each {told(left)}." if left else ""
    head = f"Event {k + 1} is the first that differs"
    if left is None or right is None:
        more, rest = (theirs, right) if left is None else (ours, left)
        return f"{head}: {more} {told(rest)}, and {ours if left is None else theirs} has come to its end."
    return f"{head}: {_differs(compared, left, right)}"


def _differs(compared: Comparison, left: Row, right: Row) -> str:
    ours, theirs = compared.left.name, compared.right.name
    match compared.how:
        case "again":
            return f"{theirs} visits {right.who} once more, and {ours} {told(left)}."
        case "sum" if left.holds.shape != right.holds.shape:
            shapes = [f"{tuple(row.holds.shape)} in {name}" for name, row in ((ours, left), (theirs, right))]
            return f"{left.to}.grad has shape {shapes[0]}, and {shapes[1]}."
        case "sum":
            at, about = _cell(left.holds, right.holds), left.to
            return (f"{equation(_at(about + '.grad', at), left.holds[at].item())} in {ours}, and "
                    f"{equation('', right.holds[at].item())} in {theirs}.")  # fmt: skip
        case "value" if not isinstance(left.value, str):
            at = _cell(left.value, right.value)
            about = {"sends": f"what {left.who} sends to {left.to}", "gradient": f"{left.who}.grad"}
            name = _at(about.get(left.kind, left.who), at)
            return (f"{equation(name, left.value[at].item())} in {ours}, and {equation('', right.value[at].item())} "
                    f"in {theirs}{_others(left.value, right.value)}.")  # fmt: skip
        case "shape":
            shapes = [f"{name} {told(row)} of shape {tuple(row.value.shape)}"
                      for name, row in ((ours, left), (theirs, right))]  # fmt: skip
            return f"{shapes[0]}, and {shapes[1]}."
        case _:
            return f"{ours} {told(left)}, and {theirs} {told(right)}."


def _cell(a: Any, b: Any) -> tuple[int, ...]:
    """The first cell in which two arrays of one shape differ."""
    return tuple(map(int, np.unravel_index(apart(a, b).argmax(), a.shape)))


def _at(name: str, at: Sequence[int]) -> str:
    return indexed(name, at) if len(at) else name


def _others(a: Any, b: Any) -> str:
    more = int(apart(a, b).sum()) - 1
    return f"; {many(more, 'other number')} {'differs' if more == 1 else 'differ'}, too" if more > 0 else ""


def ending(compared: Comparison) -> str:
    """Returns what is said in the end: that they never differ, or what has become of the gradients."""
    if compared.first is None:
        return f"They never differ. Compared were {compared.counted}."
    ours, theirs = ({row.who: row for row in side.rows if row.kind in ("gradient", "gives")}
                    for side in (compared.left, compared.right))  # fmt: skip
    if ended := next((row for row in compared.right.rows if row.kind == "ends"), None):
        return f"In the end: {compared.right.name} {told(ended)}."
    if any(row.kind == "ends" for row in compared.left.rows):
        return f"In the end: {compared.right.name} comes to its end, and {compared.left.name} does not."
    astray = [name for name, row in ours.items() if name not in theirs or differs_at_end(row, theirs[name])]
    if not astray:
        same = "the gradients are the same" if len(ours) > 1 else "the gradient is the same"
        return f"In the end {same}: a test of that alone would pass."
    name = astray[0]
    which = f"{name}.grad" if ours[name].kind == "gradient" else name
    found = is_there("", theirs[name].value).removeprefix(": ") if name in theirs else "missing"
    also = f"; {len(astray)} of {len(ours)} differ" if len(astray) > 1 else ""
    return f"In the end {is_there(which, ours[name].value)} in {compared.left.name}, and {found} in " \
           f"{compared.right.name}{also}."  # fmt: skip


def differs_at_end(a: Row, b: Row) -> bool:
    """True if two gradients differ, or one of them is missing."""
    if isinstance(a.value, str) or isinstance(b.value, str) or a.value is None or b.value is None:
        return a.value is not b.value and str(a.value) != str(b.value)
    return bool(differing(a.value, b.value))
