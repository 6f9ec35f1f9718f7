"""Fifteen engines that are broken as published ones were, each in one place."""

from collections.abc import Iterator
from typing import Any

from ... import ir
from ...ops.creation import zeros
from ...show.compare.engine import Engine, Event, Gradients, value_of
from ...tensor import Tensor


class PlusForMinus(Engine):
    """The gradient of a - b for b is +1."""

    rules = Engine.rules | {"sub": lambda g, node, a, b: (g, g)}


class NeverSummed(Engine):
    """A gradient keeps the shape in which it arrives, also where one number was read many times."""

    rules = Engine.rules | {"expand": lambda g, node, x: (g,)}


class SeenByValue(Engine):
    """A node is left out of the walk if one with the same value was visited before."""

    def order(self, graph: ir.Graph) -> Iterator[str]:
        seen: list[tuple[str, Any]] = []
        for id in super().order(graph):
            key = graph[id].op, value_of(graph, graph[id].refs[0]).tolist()
            if key not in seen:
                yield id
            seen.append(key)


class KeepsBetween(Engine):
    """The gradients of what lies between are still there when backward is called again."""

    def __init__(self) -> None:
        super().__init__()
        self.kept: Gradients = {}

    def begin(self, graph: ir.Graph, upstream: Tensor) -> Gradients:
        between = {ref for node in graph if node.kind == "op" for ref in node.refs}
        kept = {ref: g for ref, g in self.kept.items() if ref in between}
        self.kept = kept | super().begin(graph, upstream)
        return self.kept


class WithoutPow(Engine):
    """Forward has a power, backward has no rule for one."""

    rules = {name: rule for name, rule in Engine.rules.items() if name != "pow"}


class TwoLoops(Engine):
    """Tensors of three axes are let in, and two loops read them."""

    def value(self, node: ir.Node, graph: ir.Graph) -> Tensor:
        right = super().value(node, graph)
        if node.op != "add" or right.ndim < 3:
            return right
        a, b = (value_of(graph, ref) for ref in node.operands)
        flat = zeros(right.numel())
        for i in range(right.shape[0]):
            for j in range(right.shape[1]):
                flat[i * right.shape[1] + j] = a.flatten()[i * a.shape[1] + j] + b.flatten()[i * b.shape[1] + j]
        return flat.reshape(right.shape)


class OncePerPath(Engine):
    """A walk into the depth visits a shared node once for each way that leads there."""

    def order(self, graph: ir.Graph) -> Iterator[str]:
        reads = {node.id: [graph[ref].id for ref in node.operands if ref[0] == "%"] for node in graph}
        ahead = [graph[graph.results[0]].id]
        while ahead:
            id = ahead.pop()
            yield id
            ahead += reads[id]


class AllOfTheTied(Engine):
    """Each of several largest numbers gets all of the gradient."""

    rules = Engine.rules | {"max": lambda g, node, x: (g * (x == x.max()),)}


class ShrinkingAxes(Engine):
    """Axes are summed in ascending order, and each sum moves the axes behind it."""

    @staticmethod
    def _summed(g: Tensor, node: ir.Node, x: Tensor) -> tuple:
        for axis in range(g.ndim - x.ndim):
            g = g.sum(axis)
        return (g,)

    rules = Engine.rules | {"expand": _summed}


class AllAxesTurned(Engine):
    """The transpose of a batch turns all of its axes round."""

    rules = Engine.rules | {
        "bmm": lambda g, node, a, b: (g @ b.permute(2, 1, 0), a.permute(2, 1, 0) @ g),
    }


class RowsForColumns(Engine):
    """Axis 0 of a sum is called "rows", and what is left are the sums of columns."""

    def __call__(self, graph: ir.Graph, upstream: Tensor | None = None) -> Gradients:
        found = super().__call__(graph, upstream)
        for node in graph:
            for axis in dict(node.attrs).get("dim", ()) if node.op == "sum" else ():
                self.events.append(Event("says", node.id, f"axis {axis}: {('rows', 'columns')[axis]}"))
        return found


class FromTheLeft(Engine):
    """Shapes are aligned from the left, so the gradient of what was expanded is summed over the wrong axes."""

    @staticmethod
    def _summed(g: Tensor, node: ir.Node, x: Tensor) -> tuple:
        lanes = g.sum(tuple(range(x.ndim, g.ndim)))
        part = zeros(x.shape)
        n = min(len(lanes), len(part))
        part[:n] = lanes[:n]
        return (part,)

    rules = Engine.rules | {"expand": _summed}


class WrongSlots(Engine):
    """The gradient of a product's left side is written into slots by the right side's shape."""

    @staticmethod
    def _written(g: Tensor, node: ir.Node, a: Tensor, b: Tensor) -> tuple:
        right, da = (g @ b.mT).flatten(), zeros(a.numel())
        for slot, value in enumerate(right):
            i, j = divmod(slot, b.shape[1])
            da[(i * b.shape[0] + j) % a.numel()] += value
        return da.reshape(a.shape), a.mT @ g

    rules = Engine.rules | {"mm": _written}


class NothingArrives(Engine):
    """Cross-entropy's backward does not multiply by what arrives."""

    @staticmethod
    def _alone(g: Tensor, node: ir.Node, x: Tensor, target: Tensor) -> tuple:
        right = zeros(x.shape).scatter(1, target[:, None], 1.0)
        return (x.softmax(1) - right, None)

    rules = Engine.rules | {"cross_entropy": _alone}
