"""Backward as a list of steps, and backward in an order of your own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..backends import backend
from ..errors import ArgumentTypeError, ArgumentValueError
from ..tensor import Tensor, history_of
from ..tensor.gradmode import no_grad
from ..tensor.history import AccumulateGrad, Node, edge_of
from .backward import roots_of
from .contributions import cast, contributions, materialized
from .engine import walk
from .goal import Goal
from .hooks import after_node, before_node, on_tensors, replaced
from .ownership import summed
from .step import Step


def backward_steps(y: Tensor, gradient: Tensor | None = None, *, retain_graph: bool = True) -> list[Step]:
    """The steps of backward, in order: seed, vjp, sum_to, accumulate, hook, free.

    A hook is one where it replaces a gradient; nothing is freed where the graph is retained.

    No .grad is touched, of a leaf or of a result that retains it; the program's hooks are called. Arrays in the steps
    are the engine's own: do not write to them.
    Raises:
        GradError (a RuntimeError): as `backward`.

    Example:
        >>> import rustyflow as rf
        >>> x = rf.tensor(3., requires_grad=True)
        >>> [(s.kind, float(s.contribution)) for s in rf.autograd.backward_steps(x * x)]
        [('seed', 1.0), ('accumulate', 1.0), ('vjp', 3.0), ('accumulate', 3.0), ('vjp', 3.0), ('accumulate', 3.0)]
        >>> print(rf.autograd.backward_steps(x * x)[-1])
        accumulate: a leaf had 3, 3 comes to it, and it has 6
    """
    steps: list[Step] = []
    observe((y,), (gradient,), steps.append, retain_graph=retain_graph)
    return steps


def observe(
    results: Sequence[Tensor], gradients: Sequence[Tensor | None], see: Callable[[Step], Any], *,
    retain_graph: bool = True,
) -> None:  # fmt: skip
    """Walk backward, and call `see` with each step; no .grad is touched.

    Raises:
        GradError (a RuntimeError): as `backward`.
    """
    retained: list[tuple[Any, Any]] = []

    def watch(step):
        see(step)
        if step.kind == "accumulate" and step.before is None:
            retained.extend(_retained(step.node))

    try:
        walk(roots_of(results, gradients, False), retain_graph=retain_graph, goal=Goal(()), observer=watch)
    finally:
        _restore(retained)


def _retained(node: Any) -> list[tuple[Any, Any]]:
    """The results of a node that keep their gradients, with what they have so far."""
    kept = [ref() for _, ref in node.retained or ()]
    return [(x, x._grad) for x in kept if x is not None]


def _restore(retained: list[tuple[Any, Any]]) -> None:
    for x, grad in reversed(retained):  # the first that was seen of each
        x._grad = grad


def own_order(y: Tensor, picks: Sequence[Any], gradient: Tensor | None = None) -> tuple[list[Step], dict[Any, Any]]:
    """Be the engine: visit waiting nodes in the order of `picks`, ready or not, each once.

    A node visited too early sends on only what it has; what reaches it later is 'lost', a kind of step of its own.
    A pick is a node, such as y.grad_fn, or a tensor, which stands for the node that made it.
    Returns the steps, and per leaf's history the gradient that came of it.

    Raises:
        ArgumentValueError (a ValueError): a pick that is not waiting.
        ArgumentTypeError (a TypeError): a pick that is no node and no tensor.

    Example:
        >>> import rustyflow as rf
        >>> x = rf.tensor(3., requires_grad=True)
        >>> y = x * x
        >>> steps, totals = rf.autograd.own_order(y, [y])
        >>> float(totals[y.grad_fn.next_functions[0][0]])
        6.0
    """
    it = OwnOrder(y, gradient)
    for pick in picks:
        it.visit(_picked(pick))
    it.end()
    return it.steps, it.totals


class OwnOrder:
    """An engine that visits nodes in a given order, one at a time.

    Attributes:
        waiting: per number of a node that a gradient has come to and that has not run: the node, and what came per
            output. steps: what happened. totals: per leaf what has arrived there.
    """

    def __init__(self, y: Tensor, gradient: Tensor | None = None):
        self.waiting: dict[int, tuple[Any, list]] = {}
        self.done: set[int] = set()
        self.steps: list[Step] = []
        self.totals: dict[Any, Any] = {}
        with no_grad(), backend.silent():
            for target, g in roots_of((y,), (gradient,), False):
                self.steps.append(Step("seed", target, contribution=g))
                self.deliver(target, g)

    def visit(self, node: Any) -> None:
        """Send on the gradient that a node has so far."""
        with no_grad(), backend.silent():
            self._visit(node)

    def end(self) -> None:
        """No more visits: what the leaves' hooks make of what arrived."""
        with no_grad(), backend.silent():
            for leaf in self.totals:
                self.totals[leaf] = _hooked(leaf, self.totals[leaf], self.steps)

    def _visit(self, node: Any) -> None:
        if node.number not in self.waiting or type(node) is AccumulateGrad:
            names = [n.name() for n, _ in self.waiting.values() if type(n) is not AccumulateGrad]
            raise ArgumentValueError(f"pick {node.name()}", "only a node that a gradient has reached can go next: "
                                     f"{', '.join(names) or 'none'}", "pick one of those")
        _, parts = self.waiting.pop(node.number)
        self.done.add(node.number)
        g = parts if type(node.out) is tuple else parts[0]
        if type(g) is list and node.op.materialize:
            g = materialized(g, node.out, False)
        g = _hooked(node, g, self.steps)
        if g is None:
            return
        for parent, contribution, i in after_node(node, contributions(node, g, backend), g, backend):
            self.steps.append(Step("vjp", node, i, g, contribution))
            self.deliver(parent, contribution, node, i)

    def deliver(self, target: Any, g: Any, source: Any = None, operand: int | None = None) -> None:
        """Add a contribution to what has come to a node, in the shape and dtype of its result."""
        node, k = edge_of(target)
        if g.shape != target.out.shape:
            self.steps.append(Step("sum_to", source, operand, g, g := backend.sum_to(g, target.out.shape)))
        if g.dtype is not target.out.dtype:
            g = cast(g, target.out.dtype)
        if node.number in self.done:
            self.steps.append(Step("lost", node, operand, g, g))
            return
        outputs = len(node.out) if type(node.out) is tuple else 1
        _, parts = self.waiting.setdefault(node.number, (node, [None] * outputs))
        before = parts[k]
        parts[k] = g if before is None else summed(before, g)
        self.steps.append(Step("accumulate", node, operand, g, g, before, parts[k]))
        if type(node) is AccumulateGrad:
            self.totals[node] = parts[0]


def _picked(pick: Any) -> Any:
    """The node that a pick stands for.

    Raises:
        ArgumentTypeError (a TypeError).
    """
    node, _ = edge_of(history_of(pick) if isinstance(pick, Tensor) else pick)
    if not isinstance(node, (Node, AccumulateGrad)):
        raise ArgumentTypeError(f"pick {pick!r:.40}", "the engine visits nodes, which operations on tracked tensors "
                                "made", "y.grad_fn, or y")
    return node


def _hooked(node: Any, g: Any, steps: list[Step]) -> Any:
    """The gradient that a node's hooks make of its own, as the engine has it.

    No .grad is touched.
    """
    if not node.hooked:
        return g
    came, retained = [*g] if type(g) is list else g, _retained(node)
    g = before_node(node, on_tensors(node, g))
    _restore(retained)
    if replaced(came, g):
        steps.append(Step("hook", node, None, came, g))
    return g
