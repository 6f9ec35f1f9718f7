"""The graph as an immutable value: nodes in the order in which they ran, each naming its operands by id.

`reader`, `tracer` and `torch_reader` make it; `text`, `tree`, `dot`, `wire` and `difference` read it. It holds small
results by reference, and no tensor.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from ..errors import ArgumentValueError
from ..errors.spelling import printed
from ..tensor import Tensor, edge_of, history_of
from .node import READERS, Node, owner


class Change(NamedTuple):
    """One difference of two graphs: 'removed', 'added' or 'changed'; the node in each (None where it has none); what
    differs, in words.

    Example:
        >>> import rustyflow as rf
        >>> x = rf.ones(2, requires_grad=True)
        >>> [change.what for change in rf.ir.graph(x * 2).diff(rf.ir.graph(x * 3))]
        ['%2 = mul %1, 2: operands %1, 2 now %1, 3']
    """

    kind: str
    left: Node | None
    right: Node | None
    what: str


@dataclass(frozen=True, eq=False)
class Graph:
    """Nodes in the order in which they ran, and the references that are its results.

    Two graphs are equal when the same ops run on the same operands with the same arguments, shapes and dtypes, from
    result to leaves: names, ids, values and memory do not matter.

    Example:
        >>> import rustyflow as rf
        >>> a, b = rf.ones(3, 1, requires_grad=True), rf.ones(4, requires_grad=True)
        >>> rf.ir.graph(a * b, names={"a": a, "b": b})
        a  %1 = leaf         : float32[3, 1]
        b  %2 = leaf         : float32[4]
           %3 = expand %1    : float32[3, 4]  view of %1
           %4 = expand %2    : float32[3, 4]  view of %2
           %5 = mul %3, %4   : float32[3, 4]  saved: %1 %2
           return %5
    """

    nodes: tuple[Node, ...]
    results: tuple[str, ...]

    @cached_property
    def _by_id(self) -> dict[str, Node]:
        return {n.id: n for n in self.nodes}

    @cached_property
    def _users(self) -> dict[str, list[tuple[Node, int]]]:
        users: dict[str, list[tuple[Node, int]]] = {n.id: [] for n in self.nodes}
        for node in self.nodes:
            for k, ref in enumerate(node.operands):
                if ref[:1] == "%":
                    users[owner(ref)].append((node, k))
        return users

    @cached_property
    def _by_history(self) -> dict[int, str]:
        return {id(n.history): n.id for n in self.nodes if n.history is not None}

    def __len__(self):
        return len(self.nodes)

    def __iter__(self) -> Iterator[Node]:
        return iter(self.nodes)

    def __getitem__(self, ref: str) -> Node:
        """The node of an id, a reference, or a name of the program.

        Raises:
            ArgumentValueError (a ValueError): none.
        """
        found = self._by_id.get(owner(ref)) or next((n for n in self.nodes if ref in n.names), None)
        if found is None:
            raise ArgumentValueError(f"graph[{ref!r}]", f"ids are %1 to %{len(self.nodes)}", "look at print(graph)")
        return found

    def users(self, ref: str) -> tuple[tuple[Node, int], ...]:
        """The readers of a node: pairs of a node and the position of the operand."""
        return tuple(self._users[self[ref].id])

    @property
    def edges(self) -> Iterator[tuple[str, str, int]]:
        """(reference, id of the node that reads it, position of the operand), in order."""
        return ((ref, node.id, k) for node in self.nodes for k, ref in enumerate(node.operands) if ref[:1] == "%")

    def find(self, thing: Any) -> str | None:
        """The reference of a tensor, or of a node of the engine; None for one that is not here.

        Nodes of the engine are such as `Step.node` or `y.grad_fn`.
        """
        node, k = edge_of(history_of(thing) if isinstance(thing, Tensor) else thing)
        found = self._by_history.get(id(node)) if node is not None else None
        return found and self._by_id[found].refs[k if isinstance(thing, Tensor) else 0]

    def expansion(self, ref: str, operand: int) -> str | None:
        """The id of the expand node on an edge into a node: where a `sum_to` of backward belongs."""
        operands = self[ref].operands
        got = self._by_id.get(operands[operand]) if operand < len(operands) else None
        return got.id if got is not None and got.kind == "expand" else None

    def text(self, *, limit: int | None = 400, torch: bool = False) -> str:
        """One line per node; of more than `limit` lines the middle is left out. `torch` adds PyTorch's names."""
        return READERS["text"](self, limit, torch)

    def tree(self, *, limit: int = 60) -> str:
        """The same as nested lhs and rhs: shared nodes are repeated, which is why a graph is better."""
        return printed(READERS["tree"](self, limit))

    def dot(self) -> str:
        """The graph in Graphviz's language."""
        return READERS["dot"](self)

    def graphviz(self) -> Any:
        """A `graphviz.Source`, which Jupyter draws.

        Raises:
            AbsentError (a NotImplementedError): the package `graphviz` is not installed.
        """
        return READERS["source"](self)

    def to_json(self) -> str:
        """Everything as text; small values included."""
        return READERS["encode"](self)

    @staticmethod
    def from_json(text: str) -> Graph:
        """The graph that `to_json` wrote.

        Raises:
            ArgumentValueError (a ValueError): some other text.
        """
        return READERS["decode"](text)

    def diff(self, other: Graph) -> tuple[Change, ...]:
        """The nodes removed, added and changed on the way from this graph to another; empty where they are equal."""
        return READERS["differences"](self, other)

    @cached_property
    def structure(self) -> tuple:
        """The part that makes two graphs equal: the nodes that lead to the results, numbered from these on."""
        return READERS["structure"](self)

    def __eq__(self, other):
        return self.structure == other.structure if isinstance(other, Graph) else NotImplemented

    def __hash__(self):
        return hash(self.structure)

    def __repr__(self):
        return printed(self.text())


def depth_first(roots: Iterable, above: Callable[[Any], list]) -> list:
    """The roots and all that is above them, depth first, each after what `above` gives of it, without recursion.

    Example:
        >>> depth_first([6], {6: [2, 3], 3: [2], 2: []}.get)
        [2, 3, 6]
    """
    order, done, waiting = [], set(), [(at, False) for at in reversed([*roots])]
    while waiting:
        at, ready = waiting.pop()
        if ready:
            order.append(at)
        elif at not in done:
            done.add(at)
            waiting += [(at, True), *[(up, False) for up in reversed(above(at)) if up not in done]]
    return order
