"""Backward as a list of steps, and backward in an order of your own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..backends import backend
from ..errors import ArgumentValueError
from ..history import AccumulateGrad, Output, no_grad
from ..tensor import Tensor
from .backward import _roots
from .engine import Step, cast, contributions, walk, zeros


def backward_steps(y: Tensor, gradient: Tensor | None = None, *, retain_graph: bool = True) -> list[Step]:
    """What backward would do, in order: seed, vjp, sum_to, accumulate, and free unless the graph is retained.

    The leaves' .grad is not touched. Arrays in the steps are the engine's own: do not write to them.
    Raises:
        GradError (a RuntimeError): as `backward`.

    Example:
        >>> import rustyflow as rf
        >>> x = rf.tensor(3., requires_grad=True)
        >>> [(s.kind, float(s.contribution)) for s in backward_steps(x * x)]
        [('seed', 1.0), ('accumulate', 1.0), ('vjp', 3.0), ('accumulate', 3.0), ('vjp', 3.0), ('accumulate', 3.0)]
    """
    steps: list[Step] = []
    walk(_roots((y,), (gradient,), False), retain_graph=retain_graph, sinks={}, observer=steps.append)
    return steps


def own_order(y: Tensor, picks: Sequence[Any], gradient: Tensor | None = None) -> tuple[list[Step], dict[Any, Any]]:
    """Be the engine: visit waiting nodes in the order of `picks`, ready or not, each once.

    A node visited too early sends on only what it has; what reaches it later is 'lost', a kind of step of its own.
    Returns the steps, and per leaf's history the gradient that came of it.

    Raises:
        ArgumentValueError (a ValueError): a pick that is not waiting.

    Example:
        >>> import rustyflow as rf
        >>> x = rf.tensor(3., requires_grad=True)
        >>> y = x * x
        >>> steps, totals = own_order(y, [y.grad_fn])
        >>> float(totals[y.grad_fn.parents[0]])
        6.0
    """
    waiting: dict[int, list] = {}
    done: set[int] = set()
    steps: list[Step] = []
    totals: dict[Any, Any] = {}

    def deliver(target, g, source, operand, upstream):
        steps.append(
            Step("vjp", source, operand, upstream, g) if source is not None else Step("seed", target, contribution=g)
        )
        if g.shape != target.out.shape:
            steps.append(Step("sum_to", source, operand, g, g := backend.sum_to(g, target.out.shape)))
        if g.dtype is not target.out.dtype:
            g = cast(g, target.out.dtype)
        node, k = (target.node, target.index) if type(target) is Output else (target, 0)
        if node.number in done:
            steps.append(Step("lost", node, operand, g, g))
            return
        parts = waiting.setdefault(node.number, [node] + [None] * (len(node.out) if type(node.out) is tuple else 1))
        before = parts[k + 1]
        parts[k + 1] = g if before is None else before + g
        steps.append(Step("accumulate", node, operand, g, g, before, parts[k + 1]))
        if type(node) is AccumulateGrad:
            totals[node] = parts[1]

    with no_grad(), backend.silent():
        for target, g in _roots((y,), (gradient,), False):
            deliver(target, g, None, None, None)
        for pick in picks:
            node = pick.node if type(pick) is Output else pick
            if node.number not in waiting or type(node) is AccumulateGrad:
                names = ", ".join(p[0].name() for p in waiting.values() if type(p[0]) is not AccumulateGrad) or "none"
                raise ArgumentValueError(
                    f"pick {node.name()}",
                    f"only a node that a gradient has reached can go next: {names}",
                    "pick one of those",
                )
            parts = waiting.pop(node.number)[1:]
            done.add(node.number)
            g = parts if type(node.out) is tuple else parts[0]
            if type(g) is list and node.op.materialize(node):
                g = [zeros(out, False) if p is None and out.dtype.kind == "f" else p for p, out in zip(parts, node.out, strict=False)]
            sent = contributions(node, g, backend)
            for parent, contribution, i in sent:
                deliver(parent, contribution, node, i, g)
    return steps, totals
