"""The walk: from the result back to the leaves, each node once, after all who used its result have reported.

Every node has a number that grew with time, and whoever used a result has a greater number than the node that made it.
So the waiting node with the greatest number has heard from all its users, and a heap is a topological order: no
visited set, no sort, no recursion.
"""
from __future__ import annotations

from _thread import RLock  # threading.RLock, without the 3 ms that all of threading takes
from collections.abc import Callable, Iterable
from heapq import heappop, heappush
from sys import getrefcount
from typing import Any

from ..backends import backend
from ..dispatch.registry import recording
from ..dispatch.write_check import check_write
from ..dtype import OF_NUMPY
from ..errors import ShapeError, TensorError, align_right, written_since
from ..layout import sums_to
from ..tensor import Tensor, wrap
from ..tensor.gradmode import mode
from ..tensor.history import AccumulateGrad, Output
from .hooks import after_node, before_node, on_tensors
from .step import Step
from .unpack import freed, unpack


def _held() -> int:
    """What `getrefcount` says of a value that a dict and a local variable hold; Python versions count differently."""
    grads = {0: object()}
    before = grads[0]
    return getrefcount(before)


def _passed_on() -> int:
    """What `getrefcount` says of a value that was passed through two calls, as a gradient is to `own`."""
    def inner(g):
        return getrefcount(g)

    def outer(g):
        return inner(g)
    g = object()
    return outer(g)


HELD, PASSED_ON = _held(), _passed_on()

adding = RLock()


def walk(roots: Iterable[tuple[Any, Any]], *, create_graph: bool = False, retain_graph: bool = False,
         sinks: dict | None = None, only: set[int] | None = None,
         observer: Callable[[Step], None] | None = None) -> None:
    """Send gradients from `roots` to the leaves.

    Args:
        roots: pairs of a history and its gradient: an array, or a tensor when `create_graph`.
        create_graph: record the gradients' own computation.
        retain_graph: keep what the nodes saved, for another walk.
        sinks: keyed by (node number, output index): put these gradients here, and accumulate in no leaf.
        only: the numbers of the nodes worth visiting; None for all.
        observer: called with every Step.

    Raises:
        GradError (a RuntimeError): a node's saved values were freed by an earlier walk. VersionError: or overwritten.
    """
    F: Any = recording if create_graph else backend
    heap: list[tuple[int, Any]] = []
    grads: dict[Any, Any] = {}
    enabled, mode.enabled = mode.enabled, create_graph
    try:
        with backend.silent():
            deliver([(target, g, None) for target, g in roots], heap, grads, None, None, F, observer)
            while heap:
                node = heappop(heap)[1]
                upstream = grads.pop(node)
                if node.hooked:
                    upstream = hooked(node, upstream, sinks, only, observer)
                    if upstream is None:  # a hook let nothing through
                        continue
                if sinks is not None:
                    if not node.hooked:
                        keep(sinks, node.number, upstream)
                    if not worth(node, only):
                        continue
                if node.__class__ is AccumulateGrad:
                    accumulate(node, upstream, create_graph)
                    if node.hooked:
                        after_node(node, (), upstream, F)
                    continue
                if upstream.__class__ is list and node.op.materialize:
                    upstream = materialized(upstream, node.out, create_graph)
                arrivals = contributions(node, upstream, F, create_graph, only)
                if node.hooked:
                    arrivals = after_node(node, arrivals, upstream, F)
                if observer is None:
                    upstream = None  # its memory is free before more is taken
                deliver(arrivals, heap, grads, node, upstream, F, observer)
                if not retain_graph and node.saved and node.op.frees:
                    node.saved = None
                    if observer is not None:
                        observer(Step("free", node))
    finally:
        mode.enabled = enabled


def hooked(node, upstream, sinks, only, observer):
    """Run a node's hooks on the gradient that arrived (a list for several results), and return what they make of it.

    As in PyTorch, the gradient kept in `sinks` is the one before tensor hooks where the walk goes on, else the one
    after.
    """
    came = [*upstream] if upstream.__class__ is list else upstream
    further = sinks is None or worth(node, only)
    if sinks is not None and further:
        keep(sinks, node.number, came)
    g = on_tensors(node, upstream)
    if sinks is not None and not further:
        keep(sinks, node.number, g)
    if further or only is None:
        g = before_node(node, g)
    if observer is not None and replaced(came, g):
        observer(Step("hook", node, None, came, g))
    return g


def replaced(came, g) -> bool:
    """Whether hooks replaced the gradient, or one of several."""
    return any([a is not b for a, b in zip(came, g)]) if came.__class__ is list else came is not g


def worth(node, only) -> bool:
    """Whether a walk that fills `sinks` goes on from a node. Such a walk accumulates in no leaf."""
    if node.__class__ is AccumulateGrad:
        return False
    return only is None or any([p is not None and p.number in only for p in node.parents])


def deliver(arrivals: list, heap: list, grads: dict, node, upstream, F, observer) -> None:
    """Add what `node` sends on to what its parents have received so far, each in its parent's shape and dtype.

    A parent's first gradient puts it into the heap. `upstream` is for the observer, as is `node`, which is None for the
    seeds. Arrivals are popped from the list, so that a later gradient can be added in place to one that nobody else
    holds.
    """
    while arrivals:
        target, g, operand = arrivals.pop(0)
        out = target.out
        if observer is not None:
            observer(Step("vjp", node, operand, upstream, g) if node else Step("seed", target, contribution=g))
        if g.shape != out.shape:
            if not sums_to(g.shape, out.shape):
                raise misfit(node, operand, target, g)
            whole, g = g, F.sum_to(g, out.shape)
            if observer is not None:
                observer(Step("sum_to", node, operand, whole, g))
        if g.dtype is not out.dtype:
            g = cast(g, out.dtype)
        if target.__class__ is Output:
            target, k = target.node, target.index
            parts = grads.get(target)
            if parts is None:
                parts = grads[target] = [None] * len(target.out)
                heappush(heap, (-target.number, target))
            before = parts[k]
            after = parts[k] = g if before is None else joined(before, g)
        elif target in grads:
            before = grads[target]
            if observer is None and F is backend and getrefcount(before) <= HELD and backend.owns(before):
                backend.write_sum(before, g)
                after = before
            else:
                after = grads[target] = joined(before, g)
        else:
            before = after = None
            grads[target] = g
            heappush(heap, (-target.number, target))
        if observer is not None:
            observer(Step("accumulate", target, operand, g, g, before, g if before is None else after))


def joined(before, g):
    """The sum of two gradients, with the strides of the first where that owns its memory, as an in-place sum has: later
    sums round in memory order, and an observer, which rules the in-place sum out, must not change a bit.
    """
    if isinstance(before, Tensor) or not backend.owns(before) or before.strides == g.strides:
        return before + g
    after = backend.dense_as(before)
    backend.write_sum(after, g)
    return after


def contributions(node, upstream, F, create_graph=False, only=None) -> list[tuple[Any, Any, int]]:
    """The gradients that a node sends on: per tracked operand (its history, the vector-Jacobian product, its position).

    Raises:
        GradError, VersionError (RuntimeErrors): the saved values are gone, or were overwritten. ShapeError (a
        RuntimeError): one has another shape now.
    """
    op, saved, parents = node.op, node.saved, node.parents
    if saved is None:
        raise freed(node)
    args = unpack(node, saved, create_graph) if saved else saved
    if only is not None:
        parents = [p if p is not None and p.number in only else None for p in parents]
    if op.vjp is None:
        try:
            return op.send(F, upstream, parents, args, node.attrs)
        except (ValueError, IndexError) as error:
            if isinstance(error, TensorError):
                raise
            raise (reshaped if isinstance(error, ValueError) else written_since)(f"{node.name()}: {error}") from error
    reads = [reserved(node, k) if k.__class__ is str else args[k] for k in op.vjp_reads]
    every = op.vjp(F, upstream, *reads, **node.attrs)
    return [(p, g, i) for i, (p, g) in enumerate(zip(parents, every)) if p is not None and g is not None]


def cast(g, dtype):
    """A gradient in its operand's dtype."""
    if not isinstance(g, Tensor):
        return g.astype(dtype)
    return g.to(OF_NUMPY[dtype.numpy if hasattr(dtype, "numpy") else dtype])


def materialized(parts: list, outs: tuple, create_graph) -> list:
    """The gradients of several results, with zeros for those that nobody used; whole numbers have none."""
    return [zeros(out, create_graph) if part is None and out.dtype.kind == "f" else part
            for part, out in zip(parts, outs)]


def zeros(out, create_graph):
    """The gradient of a result that nobody used."""
    z = backend.filled(out.shape, 0, out.dtype)
    return wrap(z) if create_graph else z


def keep(sinks, number, g):
    """Store what arrived at a node in `sinks`, for those of its results that are asked for."""
    for k, part in enumerate(g) if type(g) is list else ((0, g),):
        if (number, k) in sinks:
            sinks[number, k] = part


def reserved(node, name):
    """The value of a gradient's parameter `needs` or `shapes`: per operand, whether it needs a gradient, or its shape.
    """
    return tuple([p is not None if name == "needs" else p and p.out.shape for p in node.parents])


def misfit(node, operand, target, g) -> ShapeError:
    """The error for a gradient of a shape that no broadcasting explains."""
    name = f"{node.name()} returned an invalid gradient at index {operand}" if node is not None else "seed"
    return ShapeError(align_right(("gradient", tuple(g.shape)), ("operand", tuple(target.out.shape))),
                      f"Function {name} - got {list(g.shape)} but expected shape compatible with "
                      f"{list(target.out.shape)}",
                      "a gradient has the shape of the operand it is for")


def reshaped(was) -> ShapeError:
    """The error for a shape that no longer fits because the program set a tensor's `.data`."""
    return ShapeError(was, "what backward meets must have the shape it had, and x.data was set to another",
                      "set x.data before the forward, and x.grad = None beside it")


def accumulate(leaf, g, create_graph) -> None:
    """Add to a leaf's gradient: dense, and in memory that nothing else uses.

    It is one store or one addition, so it is never half done. Threads take turns, because NumPy lets other threads run
    while it adds large arrays.

    Raises:
        MemoryOverlapError, ReadOnlyError, ShapeError (RuntimeErrors): .grad was set to what cannot be added to.
    """
    with adding:
        if create_graph:
            laid = wrap(backend.copy_like(g._a, leaf.out)) if leaf.grad is None else None
            leaf.grad = leaf.grad + g if laid is None else laid.copy_(g)
        elif leaf.grad is None:
            leaf.grad = wrap(own(g, leaf.out))
        else:
            check_write(leaf.grad, "adding to .grad")
            if leaf.grad._a.shape != g.shape:
                raise reshaped(f".grad of shape {tuple(leaf.grad.shape)}, and a gradient of shape {tuple(g.shape)}")
            if leaf.grad._storage is not None:
                leaf.grad._storage.wrote("accumulate")
            backend.write_sum(leaf.grad._a, g)
    for hook in leaf.after:
        hook(leaf.variable)


def own(g, like):
    """The gradient itself if nobody else holds its memory and it has the leaf's strides, else a copy with those
    strides.
    """
    if getrefcount(g) <= PASSED_ON and (like.strides == g.strides or
                                        like.flags.c_contiguous and g.flags.c_contiguous):
        if backend.owns(g):
            return g
        a = backend.whole(g)
        if a is not None and (a is g or getrefcount(a) <= HELD):
            return g
    return backend.copy_like(g, like)
