"""The values of a program when it ran: those written over are looked for, or computed again."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from ...autograd import no_grad
from ...backends import backend
from ...dispatch.operation import Op
from ...ir import Graph, Node
from ...ir.node import owner
from ...tensor import Tensor
from ...tensor.history import AccumulateGrad
from ..words.nodes import MAYBE, SINCE, changed
from ..words.rule import arrays_of, behind

NEAR = 1e-3, 1e-6
"""How near a result that is computed again comes, relative and absolute, if it is made of the same numbers."""


def as_it_was(graph: Graph) -> Graph:
    """The graph with the values that its nodes had when they were read.

    Those that were written over are as their readers kept them, or are computed again. Leaves that have changed since
    they were read have none.

    >>> from rustyflow import ir, tensor
    >>> x = tensor([1.0, 2.0], requires_grad=True)
    >>> h = x * 2
    >>> h *= x
    >>> made = ir.graph(h, names={})
    >>> made["%2"].out, as_it_was(made)["%2"].out.tolist()
    (None, [2.0, 4.0])
    """
    lost, was = _lost(graph), {node.id: node for node in graph}
    kept = dict(_kept(graph, lost))
    for node in graph:
        if node.id in lost or any(array is None for array in node.outs):
            pairs = zip(node.results, node.refs, strict=True)
            late = SINCE if node.kind == "constant" and node.results[0].overwritten else ""
            values = (replace(value, array=kept.get(ref), overwritten=late) for value, ref in pairs)
            was[node.id] = replace(node, results=tuple(values))
    rebuilt = Graph(tuple(was.values()), graph.results)
    for id in list(was):
        node, mended = was[id], {}
        leaves = [leaf for leaf in _leaves(rebuilt, node) if not changed(leaf)]
        late, why = [leaf for leaf in leaves if _written(leaf) > node.history.number], SINCE
        now = _again(rebuilt, node) if leaves or node.out is None else None
        if node.out is None and now is not None and not late:
            mended[id] = replace(node, results=(replace(node.results[0], array=now, overwritten=""),))
        elif "?" in node.operands:  # which is taken for what makes the result come out
            pass
        elif node.out is not None and now is not None and now.shape == node.out.shape:
            with np.errstate(over="ignore"):  # what is past the largest float is inf in both
                same = np.allclose(now.astype(node.out.dtype), node.out, *NEAR, equal_nan=True)
            before = None if same or late else _read_as(rebuilt, node, now)
            mended |= {id: before} if before is not None else {}
            late, why = ([], SINCE) if same or before is not None else (late, SINCE) if late else (leaves, MAYBE)
        for leaf in late:
            mended[leaf.id] = replace(leaf, results=(replace(leaf.results[0], array=None, overwritten=why),))
        if mended:
            was |= mended
            rebuilt = Graph(tuple(was.values()), graph.results)
    for id, node in was.items():  # a view of what has changed has changed as well
        base = was[owner(node.base)] if node.is_view else node
        if changed(base):
            since = base.results[0].overwritten
            was[id] = replace(node, results=(replace(node.results[0], array=None, overwritten=since),))
    return Graph(tuple(was.values()), graph.results)


def _read_as(graph: Graph, node: Node, now: Any) -> Node | None:
    """A node with the result that its operands give, if its readers have read this one."""
    before = replace(node, results=(replace(node.results[0], array=now, overwritten=""),))
    with_now = Graph(tuple([before if other.id == node.id else other for other in graph]), graph.results)
    for user, _ in graph.users(node.id):
        arrays = [_again(one, user) for one in (with_now, graph)]
        if user.out is not None and all(array is not None and array.shape == user.out.shape for array in arrays):
            if [np.allclose(array, user.out, *NEAR, equal_nan=True) for array in arrays] == [True, False]:
                return before
    return None


def _lost(graph: Graph) -> set[str]:
    """The nodes whose memory has another result by now: one that an operation wrote there in place."""
    lost: set[str] = set()
    there: dict[int, list[str]] = {}
    for node in graph:
        if node.kind != "op" or node.results[0].array is None:
            continue
        memory = id(backend.memory_of(node.results[0].array))
        if not node.is_view:
            lost.update(there.pop(memory, ()))
        there.setdefault(memory, []).append(node.id)
    return lost


def _kept(graph: Graph, lost: set[str]) -> Iterator[tuple[str, Any]]:
    """The arrays that operations have saved, by reference, and those of parts that were written to."""
    for node in graph:
        if node.rule == "copy_slices" and node.out is not None and node.id not in lost:
            yield node.operands[1], _slots([node.out], *node.history.attrs["other"])
        saved, slots = getattr(node.history, "saved", None), getattr(getattr(node.history, "op", None), "slots", ())
        for one in node.saved:
            x = saved[slots.index(one.name)] if saved and one.name in slots else None
            if isinstance(x, Tensor) and not one.overwritten and one.ref[:1] == "%" and graph[one.ref].kind == "op":
                yield one.ref, x._a


def _leaves(graph: Graph, node: Node) -> list[Node]:
    """The leaves that an operation reads, or views of which it reads."""
    sources = [behind(graph, ref) for ref in node.operands if node.kind == "op"]
    sources = [graph[source.base] if source is not None and source.is_view else source for source in sources]
    return [source for source in sources if source is not None and type(source.history) is AccumulateGrad]


def _written(leaf: Node) -> int:
    """When a leaf was last written to, as far as its storage knows."""
    x = leaf.history.variable
    return x._storage.written if x is not None and x._storage is not None else 0


def _again(graph: Graph, node: Node) -> Any:
    """The result of an operation computed again, or None where its operands are not known."""
    op = getattr(node.history, "op", None)
    if node.kind != "op" or node.labels or not isinstance(op, Op) or op.variadic:
        return None
    known: Mapping[str, Any] = arrays_of(graph, node)
    operands = [known.get(name) for name in op.operands]
    if not operands or any(array is None for array in operands):
        return None
    if op.name in ("copy_slices", "as_strided"):
        return _slots(operands, *node.history.attrs["other"])
    if op.forward is None:  # another view
        dense = np.array(operands[0], order="C")
        steps = tuple([step // dense.itemsize for step in dense.strides])
        return _slots([dense], *op.layout(dense.shape, steps, 0, **node.history.attrs))
    real = [array for array in operands if array.dtype.kind == "f"] or operands  # others follow it
    dtype = np.result_type(*[array for array in real if array.ndim] or real)
    try:
        with no_grad(), backend.silent():
            arrays = (x.astype(dtype) if x.dtype.kind == "f" else x for x in operands)
            result = op.forward(backend, *arrays, **node.history.attrs)
            return result[0] if type(result) is tuple else result
    except Exception:  # what cannot be computed so stays unknown
        return None


def _slots(operands: list[Any], size: tuple[int, ...], stride: tuple[int, ...], offset: int) -> Any:
    """The cells that a view reads of a dense array, or that array with a value written there."""
    whole = np.array(operands[0], order="C")
    if offset + sum((n - 1) * step for n, step in zip(size, stride, strict=True)) >= whole.size:
        return None
    steps = [step * whole.itemsize for step in stride]
    part = np.lib.stride_tricks.as_strided(whole.reshape(-1)[offset:], size, steps)
    if len(operands) == 1:
        return part.copy()
    part[...] = operands[1]
    return whole
