"""The walk: from the result back to the leaves, each node once, after all who used its result have reported.

Every node has a number that grew with time, and whoever used a result has a greater number than the node that made it.
So the waiting node with the greatest number has heard from all its users, and a heap is a topological order: no
visited set, no sort, no recursion.
"""
from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import nullcontext
from heapq import heappop, heappush
from sys import getrefcount
from typing import Any

from ..backends import backend
from ..dispatch import recording
from ..layout import sums_to
from ..tensor import AccumulateGrad, Output, set_grad_enabled
from ..tensor.runs import walking
from .contributions import cast, contributions, materialized
from .goal import Goal
from .hooks import after_node, hooked
from .misfits import misfit
from .ownership import HELD, accumulate, summed
from .step import Step

EVERY_LEAF = Goal()


def walk(roots: Iterable[tuple[Any, Any]], *, create_graph: bool = False, retain_graph: bool = False,
         goal: Goal = EVERY_LEAF, observer: Callable[[Step], None] | None = None) -> None:
    """Send gradients from `roots` to the leaves.

    Args:
        roots: pairs of a history and its gradient: an array, or a tensor when `create_graph`.
        create_graph: record the gradients' own computation.
        retain_graph: keep what the nodes saved, for another walk.
        goal: where gradients are asked for, if not in the leaves.
        observer: called with every Step.

    Raises:
        GradError (a RuntimeError): a node's saved values were freed by an earlier walk. VersionError: or overwritten.
    """
    F: Any = recording if create_graph else backend
    heap: list[tuple[int, Any]] = []
    grads: dict[Any, Any] = {}
    with set_grad_enabled(bool(create_graph)), backend.silent(), walking() if create_graph else nullcontext():
        deliver([(target, g, None) for target, g in roots], heap, grads, None, None, F, observer)
        while heap:
            node = heappop(heap)[1]
            upstream = grads.pop(node)
            if node.hooked:
                upstream = hooked(node, upstream, goal, observer)
            elif goal.sinks is not None:
                goal.keep(node, upstream)
            if upstream is None or goal.sinks is not None and not goal.is_beyond(node):
                continue  # a hook let nothing through, or all that is asked for is found
            if node.__class__ is AccumulateGrad:
                accumulate(node, upstream, create_graph)
                if node.hooked:
                    after_node(node, (), upstream, F)
                continue
            if upstream.__class__ is list and node.op.materialize:
                upstream = materialized(upstream, node.out, create_graph)
            arrivals = contributions(node, upstream, F, create_graph, goal.only)
            if node.hooked:
                arrivals = after_node(node, arrivals, upstream, F)
            if observer is None:
                upstream = None  # its memory is free before more is taken
            deliver(arrivals, heap, grads, node, upstream, F, observer)
            if not retain_graph and node.saved and node.op.frees:
                free(node, observer)


def deliver(arrivals: list, heap: list, grads: dict, node, upstream, F, observer) -> None:
    """Add what `node` sends on to what its parents have received so far, each in its parent's shape and dtype.

    A parent's first gradient puts it into the heap. `upstream` is for the observer, as is `node`, which is None for the
    seeds. Arrivals are popped from the list, so that a later gradient can be added in place to one that nobody else
    holds.
    """
    while arrivals:
        target, g, operand = arrivals.pop(0)
        if observer is not None:
            observer(Step("vjp", node, operand, upstream, g) if node else Step("seed", target, contribution=g))
        if g.shape != target.out.shape or g.dtype is not target.out.dtype:
            g = fitted(g, target, node, operand, F, observer)
        if target.__class__ is Output:
            target, k = target.node, target.index
            if target not in grads:
                grads[target] = [None] * len(target.out)
                heappush(heap, (-target.number, target))
            before = grads[target][k]
            after = grads[target][k] = g if before is None else summed(before, g)
        elif target not in grads:
            before = after = None
            grads[target] = g
            heappush(heap, (-target.number, target))
        else:
            before = grads[target]
            if observer is None and F is backend and getrefcount(before) <= HELD and backend.owns(before):
                backend.write_sum(before, g)
                after = before
            else:
                after = grads[target] = summed(before, g)
        if observer is not None:
            observer(Step("accumulate", target, operand, g, g, before, g if before is None else after))


def fitted(g, target, node, operand, F, observer):
    """A gradient in the shape of its operand, which may have been stretched, and in its dtype.

    Raises:
        ShapeError (a RuntimeError): no broadcasting explains its shape.
    """
    out = target.out
    if g.shape != out.shape:
        if not sums_to(g.shape, out.shape):
            raise misfit(node, operand, target, g)
        whole, g = g, F.sum_to(g, out.shape)
        if observer is not None:
            observer(Step("sum_to", node, operand, whole, g))
    return g if g.dtype is out.dtype else cast(g, out.dtype)


def free(node, observer) -> None:
    """Let go of what a node saved."""
    node.saved = None
    if observer is not None:
        observer(Step("free", node))
