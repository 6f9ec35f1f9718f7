"""The graph as text: one line per node, shared nodes once.

%3 = mul %1, %2 : float32[3, 4]  saved: %1 %2
"""

from __future__ import annotations

from .graphs import Graph
from .node import Node

USUAL = ("count_include_pad", "largest")
"""Arguments that are True where a call does not say otherwise: of these False is said."""

WIDEST = 36
"""Columns are aligned up to this width."""

LEGEND = "   ? is an untracked operand that nothing kept{}; ir.trace(function, ...) sees such operands"


def clean(text: str, longest: int = 60) -> str:
    """A name from outside, on one line and harmless to look at.

    What cannot be printed is spelled out, what is too long is cut.

    Example:
        >>> clean("a\\n%9 = mul"), len(clean("x" * 999))
        ('a\\\\n%9 = mul', 60)
    """
    text = text if len(text) <= longest else text[: longest - 3] + "..."
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)


def said(attr: object) -> str:
    """An argument's value in words."""
    if not isinstance(attr, tuple):
        return clean(repr(attr))
    return clean(f"({', '.join(map(str, attr))}{',' if len(attr) == 1 else ''})")


def call(node: Node) -> str:
    """The call that ran: `sum %2 dim=(1,)`.

    Arguments that are None or False go without saying; a constant of one number is that number.
    """
    if node.kind == "constant" and node.shape == () and node.out is not None:
        return f"constant {node.out.item()}"
    attrs = {key: x for key, x in node.attrs if x is not None and (x is not False or key in USUAL)}
    operands = [clean(ref) for ref in node.operands]
    if "items" in attrs:  # select %2 items=(0, '1:') is select %2[0, 1:]
        operands[:1] = [f"{''.join(operands[:1])}[{', '.join(map(str, attrs.pop('items')))}]"]
    said_attrs = " ".join(f"{clean(key)}={said(x)}" for key, x in attrs.items())
    return " ".join(part for part in (clean(node.op), ", ".join(operands), said_attrs) if part)


def notes(node: Node) -> str:
    """The notes behind the shape."""
    found = []
    if node.base is not None:
        found.append(f"view of {node.base}")
    if node.kind == "constant" and node.results[0].overwritten:
        found.append("changed since")
    if node.saved:
        state = " (freed)" if all(s.freed for s in node.saved) else ""
        refs = dict.fromkeys(s.ref + (f" (overwritten by {clean(s.overwritten)})" if s.overwritten else "")
                             for s in node.saved)
        found.append("saved: " + " ".join(refs) + state)
    if node.scope:
        found.append(f"in {clean(node.scope)}")
    return "  ".join(found)


def line(node: Node, width: int = 0, torch: bool = False) -> str:
    """A node's line, without its name."""
    several = [f".{label} {value}" for label, value in zip(node.labels, node.results)]
    values = ", ".join(several) or str(node.results[0])
    parts = [f"{node.id + ' = ' + call(node):<{width}} : {values}", notes(node), node.torch if torch else ""]
    return "  ".join(part for part in parts if part)


def label(node: Node) -> str:
    """The program's name for a node's results: `c`, or `values, indices`, up to the last that it has one for."""
    names = list(node.names)
    while names and not names[-1]:
        names.pop()
    return ", ".join(clean(name) if name else "_" for name in names)


def text(graph: Graph, limit: int | None, torch: bool) -> str:
    nodes, over = graph.nodes, len(graph) - (len(graph) if limit is None else limit)
    head, tail = (nodes[: limit // 2], nodes[over + limit // 2 :]) if over > 0 else (nodes, ())
    names = min(max([len(label(n)) for n in head + tail], default=0), WIDEST)
    lengths = [len(n.id) + 3 + len(call(n)) for n in head + tail]
    width = max([n for n in lengths if n <= WIDEST], default=0) + 2
    margin = f"{'':<{names}}  " if names else ""

    def written(nodes):
        return [(f"{label(n):<{names}}  " if names else "") + line(n, width, torch) for n in nodes]

    lines = written(head)
    if tail:
        lines += [f"{margin}... {over:,} more ..."] + written(tail)
    lines.append(f"{margin}return {', '.join(graph.results)}")
    unknown = [n for n in head + tail if "?" in (*n.operands, *(saved.ref for saved in n.saved))]
    if unknown:
        gone = any(saved.freed for n in unknown for saved in n.saved)
        lines.append(LEGEND.format(", or what a backward has let go of" * gone))
    return "\n".join(lines)
