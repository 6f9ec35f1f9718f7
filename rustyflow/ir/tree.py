"""The recursive form, with every shared node again under every user.

So an engine prints it that knows of a tensor only its lhs and its rhs.

It shows what a tree cannot say. Its size is counted without writing it: 20 doublings make 21 nodes and 2,097,151 lines.
"""

from __future__ import annotations

from collections.abc import Container, Iterable

from .graphs import Graph
from .node import Node, owner
from .text import clean, said


def lines_of(graph: Graph) -> dict[str, int]:
    """Per node how many lines its tree has.

    Example:
        >>> import rustyflow as rf
        >>> x = rf.ones(1, requires_grad=True)
        >>> for _ in range(20): x = x + x
        >>> g = rf.ir.graph(x)
        >>> len(g), lines_of(g)["%21"]
        (21, 2097151)
    """
    count: dict[str, int] = {}
    for node in graph.nodes:  # operands come before their users
        count[node.id] = 1 + sum(count[owner(ref)] if ref[:1] == "%" else 1 for ref in node.operands)
    return count


def tree(graph: Graph, limit: int) -> str:
    count = lines_of(graph)
    whole = sum(count[owner(ref)] for ref in graph.results)
    fields = {node.id: _fields(node) for node in graph.nodes}
    alike = set.intersection(*map(set, fields.values())) if len(fields) > 1 else set()
    lines: list[str] = []
    waiting = [(ref, "", "", "") for ref in reversed(graph.results)]
    while waiting and len(lines) < limit:
        ref, side, lead, below = waiting.pop()
        node = graph[ref] if ref[:1] == "%" else None
        said_of = _said(node, fields[node.id], alike) if node is not None else f"value {clean(ref)}"
        lines.append(f"{lead}{side}{said_of}")
        operands = node.operands if node is not None else ()
        sides = ("lhs: ", "rhs: ") if len(operands) <= 2 else tuple(f"operand {k}: " for k in range(len(operands)))
        last = len(operands) - 1
        for k in range(last, -1, -1):
            branch, trunk = ("└─ ", "   ") if k == last else ("├─ ", "│  ")
            waiting.append((operands[k], sides[k], below + branch, below + trunk))
    if whole > len(lines):
        lines.append(f"... {whole - len(lines):,} lines more")
    each = [field for field in next(iter(fields.values()), ()) if field in alike]
    said_once = f"; in each {', '.join(each)}" if each else ""
    return "\n".join([*lines, f"{whole:,} lines for a graph of {len(graph):,} nodes{said_once}"])


def _fields(node: Node) -> tuple[str, str]:
    """track_grad and derivative: all that such a tree says, with the op. What is alike in each is said once."""
    grad = getattr(node.history, "grad", None)
    if grad is None:
        known = "None"
    else:
        known = said(grad.tolist()) if grad.numel() <= 8 else f"{grad.dtype.name}{list(grad.shape)}"
    return f"track_grad {node.requires_grad}", f"derivative {known}"


def _said(node: Node, fields: Iterable[str], alike: Container[str]) -> str:
    name = f"{clean(node.name)}: " if node.name else ""
    op = node.op if node.kind in ("op", "expand", "write") else None
    return ", ".join([f"{name}op {op}", *(field for field in fields if field not in alike)])
