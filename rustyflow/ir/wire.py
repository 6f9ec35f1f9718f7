"""The graph as JSON, one node per line: everything but the engine's own nodes.

Infinities and NaN are words, so that any reader takes it.
"""

from __future__ import annotations

import json
from dataclasses import fields
from math import isfinite
from typing import Any

from ..backends import backend
from ..dtype import ALL
from ..errors import ArgumentValueError
from ..tensor import KEEP
from .graphs import Graph
from .node import KINDS, Node, Saved, Value

VERSION = 1
DTYPES = {d.name: d for d in ALL}


def encode(graph: Graph) -> str:
    """Example:
    >>> import rustyflow as rf
    >>> g = rf.ir.graph(rf.ones(2, requires_grad=True).exp())
    >>> Graph.from_json(g.to_json()) == g
    True
    """
    lines = ",\n".join(json.dumps(_node(n), ensure_ascii=False) for n in graph.nodes)
    return f'{{"rustyflow.ir": {VERSION}, "results": {json.dumps(graph.results)}, "nodes": [\n{lines}\n]}}'


def _node(node: Node) -> dict:
    """The fields that say something."""
    found: dict[str, Any] = {}
    for field in fields(Node):
        value = getattr(node, field.name)
        if field.name == "results":
            value = [_value(v) for v in value]
        elif field.name == "saved":
            value = [{key: x for key, x in vars(s).items() if x not in (None, "", False)} for s in value]
        elif field.name == "attrs":
            value = [[key, _finite(x)] for key, x in value]
        if field.name != "history" and value not in (None, (), [], "", False):
            found[field.name] = value
    return found


def _value(value: Value) -> dict:
    found: dict[str, Any] = {"shape": value.shape, "dtype": value.dtype}
    if value.stride is not None:
        found["stride"] = value.stride
    if value.array is not None and value.array.size <= KEEP:
        found["value"] = _finite(value.array.tolist())
    return found


def _finite(x: Any) -> Any:
    if isinstance(x, (list, tuple)):
        return [_finite(part) for part in x]
    return {"float": str(x)} if isinstance(x, float) and not isfinite(x) else x


def _word(found: dict) -> Any:
    """A number that is written as a word; all else as it is."""
    return float(found["float"]) if found.keys() == {"float"} else found


def _back(x: Any) -> Any:
    """Lists as tuples."""
    return tuple(_back(part) for part in x) if isinstance(x, list) else x


def decode(text: str) -> Graph:
    try:
        data = json.loads(text, object_hook=_word)
        if data["rustyflow.ir"] != VERSION:
            raise KeyError("version")
        nodes = tuple(_read(n, k + 1) for k, n in enumerate(data["nodes"]))
        graph = Graph(nodes, tuple(map(str, data["results"])))
        _check(graph)
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
        raise ArgumentValueError(f"Graph.from_json of {len(text) if isinstance(text, str) else type(text).__name__}"
                                 f"{' characters' if isinstance(text, str) else ''}",
                                 f"this is no graph that to_json wrote: {error!s:.80}",
                                 "the text of graph.to_json()") from None
    return graph


def _read(data: dict, number: int) -> Node:
    results = tuple(_value_back(v) for v in data["results"])
    saved = tuple(Saved(**{key: x for key, x in s.items() if key in Saved.__dataclass_fields__})
                  for s in data.get("saved", ()))
    known = {f.name for f in fields(Node)} - {"results", "saved", "history"}
    node = Node(**{key: _back(x) for key, x in data.items() if key in known}, results=results, saved=saved)
    if node.id != f"%{number}" or node.kind not in KINDS or not results:
        raise ValueError(f"node {number}")
    return node


def _value_back(data: dict) -> Value:
    shape, stride = (tuple(data[key]) if data.get(key) is not None else None for key in ("shape", "stride"))
    array = None
    if "value" in data:
        array = backend.from_data(data["value"], DTYPES[data["dtype"]].numpy).reshape(shape)
    return Value(shape, data["dtype"], stride, array)


def _check(graph: Graph) -> None:
    """Every reference names a node above."""
    seen: set[str] = set()
    for node in graph.nodes:
        if any(ref[:1] == "%" and ref not in seen for ref in node.operands):
            raise ValueError(f"operands of {node.id}")
        seen |= {node.id, *node.refs}
    if not all(ref in seen for ref in graph.results):
        raise ValueError("results")
