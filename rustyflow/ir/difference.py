"""Whether two graphs are the same program, and where they part."""

from __future__ import annotations

from difflib import SequenceMatcher
from typing import Any

from .text import call
from .value import Change, Graph, Node, owner

MOST = 4_000_000
"""Beyond this many pairs two stretches without a common end are not aligned, only listed."""

FIELDS = ("op", "operands", "attrs", "results", "requires_grad")


def structure(graph: Graph) -> tuple:
    """One tuple per node that leads to a result, operands as positions: numbered depth first, so that the order of
    creation does not matter.
    """
    position: dict[str, int] = {}
    order: list[Node] = []
    for result in graph.results:
        waiting = [(owner(result), False)]
        while waiting:
            at, ready = waiting.pop()
            if at in position:
                continue
            node = graph[at]
            if ready:
                position[at] = len(order)
                order.append(node)
                continue
            waiting.append((at, True))
            waiting += [
                (owner(ref), False) for ref in reversed(node.operands) if ref[:1] == "%" and owner(ref) not in position
            ]
    return (
        *[(node.kind, *_said(node), *[_moved(ref, position) for ref in node.operands]) for node in order],
        tuple([_moved(ref, position) for ref in graph.results]),
    )


def _said(node: Node) -> tuple:
    """A node without its operands."""
    return node.op, node.attrs, tuple([(v.shape, v.dtype) for v in node.results]), node.requires_grad


def _moved(ref: str, position: dict[str, int]) -> Any:
    at, _, label = ref.partition(".")
    return (position[at], label) if ref[:1] == "%" else ref


def differences(left: Graph, right: Graph) -> tuple[Change, ...]:
    if left == right:
        return ()
    pairs = _pairs(left.nodes, right.nodes)
    place = {a.id: b.id for a, b in pairs if a is not None and b is not None}
    found = []
    for a, b in pairs:
        if b is None:
            found.append(Change("removed", a, None, f"{a.id} = {call(a)}"))
        elif a is None:
            found.append(Change("added", None, b, f"{b.id} = {call(b)}"))
        elif what := _apart(a, b, place):
            found.append(Change("changed", a, b, f"{a.id} = {call(a)}: {what}"))
    if not found:
        found.append(
            Change("changed", None, None, f"returns {', '.join(left.results)}, now {', '.join(right.results)}")
        )
    return tuple(found)


def _pairs(left: tuple[Node, ...], right: tuple[Node, ...]) -> list[tuple[Any, Any]]:
    """The nodes of both in one list, side by side where they are the same step of the program."""
    a, b = [_kindred(n) for n in left], [_kindred(n) for n in right]
    start = 0
    while start < min(len(a), len(b)) and a[start] == b[start]:
        start += 1
    end = 0
    while end < min(len(a), len(b)) - start and a[-1 - end] == b[-1 - end]:
        end += 1
    pairs: list[tuple[Any, Any]] = list(zip(left[:start], right[:start]))
    middle, other = left[start : len(left) - end], right[start : len(right) - end]
    if len(middle) * len(other) <= MOST:
        for tag, i, j, k, m in SequenceMatcher(
            None, a[start : len(a) - end], b[start : len(b) - end], autojunk=False
        ).get_opcodes():
            if tag == "equal" or (tag == "replace" and j - i == m - k):
                pairs += zip(middle[i:j], other[k:m])
            else:
                pairs += [(n, None) for n in middle[i:j]] + [(None, n) for n in other[k:m]]
    else:
        pairs += [(n, None) for n in middle] + [(None, n) for n in other]
    return pairs + list(zip(left[len(left) - end :], right[len(right) - end :]))


def _kindred(node: Node) -> tuple:
    return node.kind, node.op, len(node.operands)


def _apart(a: Node, b: Node, place: dict[str, str]) -> str:
    """In words what differs between two nodes that stand for one another."""
    found = []
    moved = tuple([place.get(owner(ref), "") + ref[len(owner(ref)) :] if ref[:1] == "%" else ref for ref in a.operands])
    if a.op != b.op or a.kind != b.kind:
        found.append(f"now {b.op}" if a.op != b.op else f"now a {b.kind}")
    if moved != b.operands and len(a.operands) == len(b.operands):
        found.append(f"operands {', '.join(a.operands)} now {', '.join(b.operands)}")
    if a.attrs != b.attrs:
        found.append(f"arguments {_pairs_said(a)} now {_pairs_said(b)}")
    if _said(a)[2] != _said(b)[2]:
        found.append(f"{', '.join(map(str, a.results))} now {', '.join(map(str, b.results))}")
    if a.requires_grad != b.requires_grad:
        found.append("now tracked" if b.requires_grad else "no longer tracked")
    return "; ".join(found)


def _pairs_said(node: Node) -> str:
    return " ".join(f"{key}={value}" for key, value in node.attrs) or "none"
