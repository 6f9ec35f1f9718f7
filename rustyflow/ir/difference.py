"""The comparison of two graphs: the same program, or the nodes where they part."""

from __future__ import annotations

from difflib import SequenceMatcher
from typing import Any

from .graphs import Change, Graph, depth_first
from .node import Node, owner
from .text import call
from .torch_names import brackets

MOST = 4_000_000
"""Beyond this many pairs two stretches without a common end are not aligned, only listed."""

UNKNOWN = "?"


def from_results(graph: Graph) -> list[Node]:
    """The nodes that lead to a result, depth first, each after its operands: the same whatever ran first."""
    above = {node.id: [owner(ref) for ref in node.operands if ref[:1] == "%"] for node in graph}
    return [graph[at] for at in depth_first(map(owner, graph.results), above.__getitem__)]


def structure(graph: Graph) -> tuple:
    """One tuple per node that leads to a result, operands as positions, so that the order of creation does not
    matter.
    """
    order = from_results(graph)
    position = {node.id: k for k, node in enumerate(order)}
    return (*[(node.kind, *_said(node), *[_moved(ref, position) for ref in node.operands]) for node in order],
            tuple([_moved(ref, position) for ref in graph.results]))


def _said(node: Node) -> tuple:
    """A node without its operands."""
    return node.op, node.attrs, tuple([(v.shape, v.dtype) for v in node.results]), node.requires_grad


def _moved(ref: str, position: dict[str, int]) -> Any:
    at, _, label = ref.partition(".")
    return (position[at], label) if ref[:1] == "%" else ref


def differences(left: Graph, right: Graph) -> tuple[Change, ...]:
    """The differences between two nodes.

    What only one of the graphs knows is none: an untracked operand where the other has '?', an argument that PyTorch
    does not keep.
    """
    if left == right:
        return ()
    pairs = _pairs(from_results(left), from_results(right))
    place = {a.id: b.id for a, b in pairs if a is not None and b is not None}
    back = {b: a for a, b in place.items()}
    more, less = _unknown(left, right, place), _unknown(right, left, back)
    found = []
    for a, b in pairs:
        if b is None:
            if a.id not in more:
                found.append(Change("removed", a, None, f"{a.id} = {call(a)}"))
        elif a is None:
            if b.id not in less:
                found.append(Change("added", None, b, f"{b.id} = {call(b)}"))
        elif what := _apart((left, a), (right, b), place, more | less):
            found.append(Change("changed", a, b, f"{a.id} = {call(a)}: {what}"))
    returned = [_spot(left, ref, place) for ref in left.results]
    if not found and returned != [_spot(right, ref) for ref in right.results]:
        what = f"returns {', '.join(left.results)}, now {', '.join(right.results)}"
        found.append(Change("changed", None, None, what))
    return tuple(found)


def _unknown(graph: Graph, other: Graph, place: dict[str, str]) -> set[str]:
    """Untracked nodes that are read only where the other graph does not know what is read."""
    found: set[str] = set()
    for node in reversed(graph.nodes):
        users = graph.users(node.id)
        readers = [(user, k) for user, k in users if user.id not in found]
        hidden = all(user.op == "copy_slices" for user, _ in readers)  # PyTorch hides what was written
        if users and node.id not in place and (hidden or not node.requires_grad):
            if all(user.id in place and _operand(other[place[user.id]], k) == UNKNOWN for user, k in readers):
                found.add(node.id)
    return found


def _operand(node: Node, k: int) -> str:
    return node.operands[k] if k < len(node.operands) else UNKNOWN


def _spot(graph: Graph, ref: str, place: dict[str, str] | None = None) -> Any:
    """A reference as the other graph has it: its node, and which of the results; a number as a number."""
    if ref[:1] == "%":
        at = owner(ref)
        return at if place is None else place.get(at), graph[at].refs.index(ref)
    try:
        return float(ref)  # 2 is 2.0
    except ValueError:
        return ref


def _pairs(left: list[Node], right: list[Node]) -> list[tuple[Any, Any]]:
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
        for tag, i, j, k, m in SequenceMatcher(None, a[start : len(a) - end], b[start : len(b) - end],
                                               autojunk=False).get_opcodes():
            if tag == "equal" or (tag == "replace" and j - i == m - k):
                pairs += zip(middle[i:j], other[k:m])
            else:
                pairs += [(n, None) for n in middle[i:j]] + [(None, n) for n in other[k:m]]
    else:
        pairs += [(n, None) for n in middle] + [(None, n) for n in other]
    return pairs + list(zip(left[len(left) - end :], right[len(right) - end :]))


def _kindred(node: Node) -> tuple:
    return node.kind if node.op != "expand" else "expand", node.op


def _apart(one: tuple[Graph, Node], other: tuple[Graph, Node], place: dict[str, str], unknown: set[str]) -> str:
    """In words what differs between two nodes, each given with its graph, that stand for one another."""
    (left, a), (right, b) = one, other
    first = a.operands[0] if a.operands else ""
    shape = left[first].results[left[first].refs.index(first)].shape if first[:1] == "%" else None
    found = []
    if _kindred(a) != _kindred(b):
        found.append(f"now {b.op}" if a.op != b.op else f"now a {b.kind}")
    pairs = [(_operand(a, k), _operand(b, k)) for k in range(max(len(a.operands), len(b.operands)))]
    if any(_spot(left, x, place) != _spot(right, y) if UNKNOWN not in (x, y) else _tracked(x, y, unknown)
           for x, y in pairs):
        found.append(f"operands {', '.join(a.operands)} now {', '.join(b.operands)}")
    if not _alike(dict(a.attrs), dict(b.attrs), shape):
        found.append(f"arguments {_pairs_said(a)} now {_pairs_said(b)}")
    both = min(len(a.results), len(b.results))  # PyTorch tells of some results only that have gradients
    if _said(a)[2][:both] != _said(b)[2][:both]:
        found.append(f"{', '.join(map(str, a.results))} now {', '.join(map(str, b.results))}")
    if a.requires_grad != b.requires_grad:
        found.append("now tracked" if b.requires_grad else "no longer tracked")
    return "; ".join(found)


def _tracked(x: str, y: str, unknown: set[str]) -> bool:
    """True if only one of two operands is '?', and the other a node that this does not stand for."""
    known = y if x == UNKNOWN else x
    return known[:1] == "%" and owner(known) not in unknown


def _alike(a: dict, b: dict, shape: tuple | None) -> bool:
    """True if the arguments that both name are the same; one number stands for a tuple of it."""
    if "items" in a and "items" in b and shape is not None:
        a, b = [{**attrs, "items": brackets(attrs["items"], shape)} for attrs in (a, b)]
    return all(x == b[key] or _once(x) == _once(b[key]) for key, x in a.items() if key in b)


def _once(x: Any) -> Any:
    return x[0] if isinstance(x, tuple) and x and len(set(x)) == 1 else x


def _pairs_said(node: Node) -> str:
    return " ".join(f"{key}={value}" for key, value in node.attrs) or "none"
