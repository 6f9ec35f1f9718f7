"""The graph in Graphviz's language: leaves as boxes, ops as ellipses, expand nodes and views dashed."""

from __future__ import annotations

from typing import Any

from ..errors import AbsentError
from .graphs import Graph
from .node import Node, owner
from .text import clean

STYLE = {
    "leaf": 'shape=box style="filled" fillcolor="#cfe8f3"',
    "parameter": 'shape=box style="filled" fillcolor="#cfe8f3" peripheries=2',
    "input": 'shape=box style="filled" fillcolor="#eef3f6"',
    "constant": 'shape=box style="filled" fillcolor="#eeeeee"',
    "op": "shape=ellipse",
    "expand": 'shape=ellipse style="dashed"',
    "write": 'shape=ellipse style="dotted"',
}


def quoted(text: str) -> str:
    """Text as a string of the language, whatever it holds.

    Example:
        >>> print(quoted('a"b' + chr(10)))
        "a\\"b\\\\n"
    """
    return '"' + clean(text).replace("\\", "\\\\").replace('"', '\\"') + '"'


def dot(graph: Graph) -> str:
    """Nodes and edges as text.

    Example:
        >>> import rustyflow as rf
        >>> x = rf.ones(2, requires_grad=True)
        >>> print(dot(rf.ir.graph(x.exp(), names={"x": x})))
        digraph {
          rankdir=LR
          n1 [label="x\\nfloat32[2]" shape=box style="filled" fillcolor="#cfe8f3"]
          n2 [label="exp\\nfloat32[2]" shape=ellipse peripheries=2]
          n1 -> n2
        }
    """
    results = {owner(ref) for ref in graph.results}
    lines = ["digraph {", "  rankdir=LR"]
    for node in graph.nodes:
        more = " peripheries=2" if node.id in results and node.kind == "op" else ""
        lines.append(f"  {_id(node.id)} [label={_label(node)} {STYLE[node.kind]}{more}]")
    for ref, target, k in graph.edges:
        sides = graph[target].operands
        marks = [f"label={quoted(ref.partition('.')[2])}"] if "." in ref else []
        if graph[target].is_view and k == 0:
            marks.append("style=dashed")
        if len(sides) > 1 and graph[target].op in ORDERED:
            marks.append(f'headlabel="{k + 1}"')
        lines.append(f"  {_id(owner(ref))} -> {_id(target)}" + (f" [{' '.join(marks)}]" if marks else ""))
    for node in graph.nodes:
        if node.base is not None and owner(node.base) not in {owner(ref) for ref in node.operands}:
            lines.append(f"  {_id(node.id)} -> {_id(owner(node.base))} [style=dashed constraint=false arrowhead=none]")
    return "\n".join([*lines, "}"])


ORDERED = ("sub", "div", "pow", "matmul", "mm", "bmm", "mv", "where", "atan2")
"""Ops for which it matters which operand is which."""


def _id(ref: str) -> str:
    return "n" + ref[1:]


def _label(node: Node) -> str:
    """The name or op over the shape; `\\n` between them is the language's own line break."""
    title = node.name or node.op
    if node.name and node.kind == "op":
        title = f"{node.name} = {node.op}"
    return quoted(title)[:-1] + "\\n" + quoted(", ".join(map(str, node.results)))[1:]


def source(graph: Graph) -> Any:
    try:
        import graphviz
    except ImportError:
        raise AbsentError("graph.graphviz()", "drawing through Graphviz needs the package graphviz",
                          "pip install graphviz, or graph.dot() for its text") from None
    return graphviz.Source(dot(graph))
