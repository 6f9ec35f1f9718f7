"""From a tensor's history to the graph: the engine's nodes, in order of time."""

from __future__ import annotations

import sys
from typing import Any

from ..arguments.explain import outside_layers
from ..errors import ArgumentTypeError, is_torch, kind_of
from ..tensor import Tensor, edge_of, history_of
from .builder import Builder
from .graphs import Graph
from .names import Names, is_a


def graph(y: Any, *more: Any, names: dict[str, Any] | Names | None = None, depth: int = 1) -> Graph:
    """The graph behind one tensor or several: every tracked op, and the untracked operands that it read.

    Args:
        y, more: tensors of rustyflow's or of PyTorch's.
        names: what to call tensors, before the names that the calling program gives them; or all names there are.
        depth: how many calls up that program is; 0: it is not asked.

    Raises:
        ArgumentTypeError (a TypeError): no tensor.

    Example:
        >>> import rustyflow as rf
        >>> x = rf.tensor([1., 2.], requires_grad=True)
        >>> y = (x * x).sum()
        >>> print(rf.ir.graph(y))
        x  %1 = leaf         : float32[2]
           %2 = mul %1, %1   : float32[2]  saved: %1
        y  %3 = sum %2       : float32[]
           return %3
    """
    frame = outside_layers(sys._getframe(depth)) if depth and not isinstance(names, Names) else None
    called = names if isinstance(names, Names) else Names(frame, names)
    for x in (y, *more):
        if is_torch(x):
            from .torch_reader import read

            return read((y, *more), called)
        if isinstance(x, tuple | list) and any(is_a("Tensor", part) for part in x):
            was, rule = f"{kind_of(x)} of {len(x)}", "a graph is read from tensors, and this holds several"
            raise ArgumentTypeError(was, rule, "y[0], or *y for the graph of all of them")
        if callable(getattr(type(x), "named_parameters", None)):
            rule = "a graph is read from tensors, and a module makes them: it is what it gives that has one"
            raise ArgumentTypeError(f"{kind_of(x)}", rule, "model(x) in place of model")
        if not isinstance(x, Tensor):
            raise ArgumentTypeError(f"{str(x)[:60]}, of type {kind_of(x)}", "a graph is read from tensors",
                                    "give a tensor y that was computed; for a function f, rustyflow.ir.trace(f, x)",
                                    value=x)
    builder = Builder(called)
    for history in in_order([history_of(x) for x in (y, *more)]):
        builder.history(history)
    return builder.graph([builder.ref(x) for x in (y, *more)])


def in_order(roots: list) -> list:
    """The engine's nodes behind some histories, in order of time."""
    found: dict[int, Any] = {}
    waiting = [h for h in roots if h is not None]
    while waiting:
        node, _ = edge_of(waiting.pop())
        if id(node) not in found:
            found[id(node)] = node
            waiting += [p for p in node.parents if p is not None]
    return sorted(found.values(), key=lambda node: node.number)
