"""The graph of everything a function does, tracked or not: its ops are watched while it runs."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from ..backends import backend
from ..dispatch import tensors_in, watching
from ..tensor import KEEP, AccumulateGrad, Meta, Tensor, edge_of, history_of, storage_of
from . import torch_names
from .builder import Builder, value_of
from .graphs import Graph
from .names import Names, is_a
from .scopes import current


def trace(function: Callable, *inputs: Any, names: dict[str, Any] | None = None, **options: Any) -> Graph:
    """Call function(*inputs, **options) and give the graph of every op that ran, untracked operands and in-place
    writes included.

    Everything the function computes is held until it returns; its local variables give the names.
    Raises: what the function raises.

    Example:
        >>> import rustyflow as rf
        >>> def half(x):
        ...     h = x + 1
        ...     return h / 2
        >>> print(rf.ir.trace(half, rf.zeros(2, 3)))
        x  %1 = input       : float32[2, 3]
        h  %2 = add %1, 1   : float32[2, 3]
           %3 = div %2, 2   : float32[2, 3]
           return %3
    """
    tracer = _Tracer(function, Names(sys._getframe(1), names))
    for x in tensors_in(inputs):
        tracer.ref(x, "input")
    with watching(tracer):
        got = function(*inputs, **options)
    return tracer.finish([tracer.ref(x) for x in tensors_in(got)])


class _Tracer(Builder):
    """A watcher of ops.

    A value is known by the slots it lies in and the time it was written, so that detached aliases are one value.
    """

    wants_steps = True

    def __init__(self, function: Callable, names: Names):
        super().__init__(names)
        self.thread = threading.get_ident()
        self.code = getattr(function, "__code__", None)
        self.frame: Any = None
        self.cells: dict[tuple, tuple[str, int]] = {}
        self.last_write: dict[int, tuple[str, int, tuple]] = {}  # per storage: which node wrote last, when and where
        self.owners: dict[str, list[Tensor]] = {}

    def __call__(self, op, operands, attrs, out) -> None:
        if threading.get_ident() != self.thread or type(out) is tuple and not out:  # an axis without cells, taken apart
            return
        if self.frame is None:
            self.frame = self._find_frame()
        written = storage_of(out) if any(x is out for x in operands) else None
        if written is not None and op.name == "copy_into" and _cells(operands[0]) == _cells(operands[1]):
            return self.unmoved(out)  # Python ends y[0] += 1 with y[0] = y[0]
        refs = [self.ref(x, fresh=isinstance(x, Tensor) and storage_of(x) is written) for x in operands]
        results = out if type(out) is tuple else (out,)
        node, arrays = self.recorded(results[0]), tuple([_kept(r._a) for r in results])
        own = node if node is not None and node.op.name == op.name else None  # a view that was written is read anew
        made = self.operation(op, refs, attrs, arrays if type(out) is tuple else arrays[0], own,
                              inplace="" if written is None else written.writer, base=None if written is None else "")
        tracked = history_of(results[0]) is not None
        made = replace(made, base=made.base or None, scope=made.scope or current(), requires_grad=tracked)
        self.nodes[-1] = made
        if node is not None:
            self.where[id(node)] = made.id
        for ref, r in zip(made.refs, results):
            self.place_at(r, ref)
        if written is not None:
            self.last_write[id(written)] = made.id, written.written, _cells(out)

    def recorded(self, x: Tensor) -> Any:
        """The engine's node of the op that made this, if it was recorded and is not in the graph yet."""
        node, _ = edge_of(history_of(x))
        made = node is not None and type(node) is not AccumulateGrad and node.op is not None
        return node if made and id(node) not in self.where else None

    def unmoved(self, x: Tensor) -> None:
        """Follows cells that were written onto themselves.

        Who knew the storage as it was knows it now; a view made for it goes.
        """
        storage = storage_of(x)
        by, before, where = self.last_write.get(id(storage), ("", 0, ()))
        for key, (ref, time) in self.cells.items():
            if key[0] == id(storage) and time >= before:
                self.cells[key] = ref, storage.written
        self.last_write[id(storage)] = by, storage.written, where
        last = self.nodes[-1]
        if where == _cells(x) and last.is_view and self.cells[where][0] == last.id:
            self.nodes.pop()
            self.cells[where] = by, storage.written
            self.where.pop(id(last.history), None)

    def place_at(self, x: Tensor, ref: str) -> None:
        """From now on these slots hold this value."""
        storage = storage_of(x)
        self.cells[_cells(x)] = ref, storage.written
        self.owners.setdefault(ref, []).append(x)
        self.alive.append((x, storage))

    def ref(self, x: Any, kind: str = "constant", fresh: bool = False) -> str:
        """The reference to an operand; `fresh`: as it was before the write that is now told of."""
        if not isinstance(x, Tensor):
            return repr(x)
        storage = storage_of(x)
        ref, time = self.cells.get(_cells(x), (None, 0))
        by, last, _ = self.last_write.get(id(storage), ("", 0, ()))
        now = last if fresh else storage.written
        history = history_of(x)
        node = getattr(history, "node", history)
        if ref is None and id(node) in self.where:
            ref, time = self.of(history), now
        if ref is None:
            leaf = type(node) is AccumulateGrad
            if leaf:
                named = "parameter" if is_a("Parameter", x) else "leaf"
            else:
                named = kind if history is None else "input"
            ref = self.put(named, named, (value_of(x._a),), names=(self.names.of(x) or self.names.of(node),),
                           requires_grad=history is not None, torch=node.name() if node is not None else "",
                           history=node).id
            if node is not None:
                self.where[id(node)] = ref
        elif now > time:
            known = by and last == now
            ref = self.put("write", self.made(by).op if known else torch_names.written(storage.writer),
                           (value_of(Meta(x._a) if fresh else _kept(x._a)),),
                           operands=(ref, by) if known and by != ref else (ref,), requires_grad=history is not None).id
        self.place_at(x, ref)
        return ref

    def _find_frame(self):
        """The frame of the traced function, whose variables it still holds after the return."""
        frame = sys._getframe(2)
        while frame is not None and frame.f_code is not self.code:
            frame = frame.f_back
        return frame if frame is not None else False

    def finish(self, results: list[str]) -> Graph:
        """The graph, with the names of the function's own variables."""
        inner = Names(self.frame) if self.frame else Names()
        for k, node in enumerate(self.nodes):
            found = []
            for i, ref in enumerate(node.refs):
                given = node.names[i] if i < len(node.names) else None
                owners = self.owners.get(ref, ())
                found.append(next((name for x in owners for name in (inner.of(x),) if name), None) or given
                             or next((name for x in owners for name in (self.names.of(x),) if name), None))
            self.nodes[k] = replace(node, names=tuple(found) if any(found) else ())
        return self.graph(results)


def _cells(x: Tensor) -> tuple:
    return id(storage_of(x)), x._offset, tuple(x._a.shape), tuple(backend.stride(x._a))


def _kept(array: Any) -> Any:
    """A small result as it is now, whatever is written over it later."""
    return backend.dense_as(array) if array.size <= KEEP else Meta(array)
