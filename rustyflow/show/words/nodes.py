"""The voice of figures on programs: names of nodes, and arrays as text."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from math import inf
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any

from ...claims.claim import Claim, Sends, equation, sign_of
from ...claims.digits import DIGITS
from ...claims.tree import Leaf
from ...ir import Graph, Node
from ...ir.node import owner
from ...ir.text import clean
from ...tensor import Tensor
from .numbers import written
from .rule import arriving_in, of_result, wrt
from .sentences import listed


def called(node: Node) -> str:
    """Returns the program's name for a node, else its operation.

    A node with several results has none of their names.
    """
    name = None if node.labels else node.name
    return name or (node.op if node.kind in ("op", "write") else node.kind)


def taken(variables: Mapping[str, Any]) -> frozenset[str]:
    """Returns the names that mean something to a program, other than a function, a class or a module.

    >>> import math
    >>> sorted(taken({"t": 1, "exp": len, "np": math, "Net": int}))
    ['t']
    """
    return frozenset(name for name, x in variables.items() if not isinstance(x, NO_VALUE))


def shaped(node: Node) -> str:
    """Returns the shape of a result in few characters: `2×3`."""
    return "×".join(map(str, node.shape)) if node.shape else "scalar" if node.shape is not None else "?"


def counted(node: Node) -> str:
    """Returns what stands for numbers too many to be written: their shape, in round brackets.

    Square ones are those of values.
    """
    return f"{len(node.labels)} results" if node.labels else str(tuple(node.shape or ()))


NO_VALUE = type, ModuleType, FunctionType, BuiltinFunctionType, MethodType
"""What a name may stand for that an operation is called by as well."""

SINCE = "since"
"""What is said to have written over a leaf that the program changed after it read it, on whatever way."""

MAYBE = "perhaps since"
"""The same of a leaf of which one cannot tell: what changed, through .data, may be another, or what was made of it."""


def changed(node: Node) -> bool:
    """True if a leaf has changed since it was read, or may have."""
    return any(value.overwritten in (SINCE, MAYBE) for value in node.results)


def certain(node: Node) -> bool:
    """True if a leaf that changed is surely what changed."""
    return all(value.overwritten != MAYBE for value in node.results)


def one_result(graph: Graph) -> Graph:
    """Returns the graph with one result of each operation that gives the program one.

    Others it has for its gradient alone, such as the softmax of a cross_entropy.

    >>> from rustyflow import ir, nn, tensor
    >>> loss = nn.functional.cross_entropy(tensor([[1.0, 2.0]], requires_grad=True), tensor([1]))
    >>> graph = one_result(ir.graph(loss, names={"loss": loss}))
    >>> len(graph.nodes[-1].results), graph.nodes[-1].name, graph.results
    (1, 'loss', ('%3',))
    """
    alone = {node.id for node in graph if node.labels[:1] == ("y",)}
    if not alone:
        return graph

    def ref(ref: str) -> str:
        return owner(ref) if owner(ref) in alone and ref.endswith(".y") else ref

    nodes = (replace(node, operands=tuple(map(ref, node.operands)), base=node.base and ref(node.base),
                     saved=tuple([replace(s, ref=ref(s.ref)) for s in node.saved])) for node in graph)  # fmt: skip
    return Graph(tuple([
        replace(node, labels=(), results=node.results[:1], names=node.names[:1]) if node.id in alone else node
        for node in nodes
    ]), tuple(map(ref, graph.results)))  # fmt: skip


def had(node: Node) -> Any:
    """Returns the gradient that a leaf of rustyflow's has from before, or None."""
    x = getattr(node.history, "variable", None)
    return x.grad._a if isinstance(x, Tensor) and x.grad is not None else None


class Voice:
    """The names of a graph's nodes, and the text of arrays, in one figure.

    Args:
        taken: names that the program has for something else than a node, by which no operation is called.

    Attributes:
        digits: of every number, so that the same one is the same in a box, in a rule and in a sentence.
        arrives: what the gradient that arrives is called.
        sends: by node and operand a factor that is a number as an arrow has it, and the claim that it is sent.

    >>> from rustyflow import ir, tensor
    >>> graph = ir.graph((tensor([0.5, 1.0], requires_grad=True) * 2).exp(), names={})
    >>> voice = Voice(graph)
    >>> [voice.called(node) for node in graph], voice.written(graph["%1"].out, 9), voice.tight(graph["%1"].outs, 9)
    (['%1', 'mul', 'exp'], '[0.5, 1]', '[.5, 1]')
    """

    def __init__(self, graph: Graph, taken: Iterable[str] = ()):
        self.graph, self.digits, self.arrives = graph, DIGITS, arriving_in(graph)
        self.taken = {*taken, *(name for node in graph for name in node.names if name)}
        self.alike = Counter((node.op, node.kind) for node in graph)
        self.known: dict[tuple[int, int, bool], tuple[Any, str]] = {}
        self.sends: dict[tuple[str, int], tuple[str, Sends]] = {}

    def name(self, node: Node) -> str:
        """Returns a node's name in sentences: the program's, else its operation, else its id.

        The operation is taken if nothing else is called so.
        """
        if node.name and not node.labels:
            return clean(node.name)
        unique = node.kind == "op" and self.alike[node.op, node.kind] == 1 and node.op not in self.taken
        return node.op if unique else node.id

    def grad(self, node: Node) -> str:
        """Returns the name of a leaf's gradient: `w.grad`, and another where that has one from before."""
        name = self.name(node)
        return f"{name}.grad" if had(node) is None else f"gradient of {name}"

    def arriving(self, node: Node, ref: str = "") -> str:
        """Returns the name of the gradient that reaches a node, or its result `ref`: `dz`; of no name `d(%2)`."""
        name = self.called(node, ref)
        return wrt(name, self.taken) if name in node.names else f"d({of_result(self.name(node), node, ref)})"

    def called(self, node: Node, ref: str = "") -> str:
        """Returns the name of a node, or of its result `ref`, in steps.

        Without a name of the program's it is its operation and its id, as in its box.
        """
        name = self.name(node)
        return of_result(f"{node.op} {name}" if name == node.id and node.kind == "op" else name, node, ref)

    def brief(self, node: Node) -> str:
        """Returns a node's name where there is little room, and the order of things tells which it is."""
        return self.called(node) if node.op in self.taken else clean(called(node))

    def claim(self, about: str, array: Any) -> Claim:
        """Returns the claim that something is an array."""
        return Claim(about, Leaf(array), array, digits=self.digits)

    def equals(self, array: Any) -> str:
        """Returns the sign before numbers that may be cut as they are written."""
        return sign_of(array, self.digits)

    def in_full(self, array: Any, room: float, digits: int = 0) -> str:
        """Returns an array, or several, as sentences say it; nothing where there is no room."""
        parts = array if type(array) is list else [array]
        if not self.written(array, room, digits):
            return ""
        return listed([equation("", part, digits or self.digits) for part in parts])

    def written(self, array: Any, room: float, digits: int = 0) -> str:
        """Returns an array, or several, as rules and sentences write it, if that is short enough."""
        parts = array if type(array) is list else [array]
        texts = [self.spelled(part, digits=digits) for part in parts]
        return listed(texts) if texts and all(0 < len(s) <= room for s in texts) and len(listed(texts)) <= room else ""

    def tight(self, arrays: Sequence[Any], room: float, digits: int = 0) -> str:
        """Returns arrays as boxes show them, if there is room for all."""
        texts = [self.spelled(array, True, digits) for array in arrays]
        return ", ".join(texts) if all(texts) and len(", ".join(texts)) <= room else ""

    def spelled(self, array: Any, tight: bool = False, digits: int = 0) -> str:
        """Returns the text of an array, however long; nothing for one of more than a few numbers."""
        digits = digits or self.digits
        key = id(array), digits, tight
        if key not in self.known:  # the array is kept with its text, so that no other takes its id
            self.known[key] = array, written(array, inf, digits, tight)
        return self.known[key][1]
