"""A graph in the making: nodes put one after another, with the names that the program gives them."""

from __future__ import annotations

import weakref
from collections.abc import Iterator
from dataclasses import fields
from itertools import repeat
from typing import Any

from ..backends import backend
from ..dispatch import Op
from ..dtype import OF_NUMPY
from ..layout import broadcast_shapes, sums_to
from ..tensor import AccumulateGrad, Meta, Paths, Tensor, edge_of, history_of
from . import torch_names
from .graphs import Graph
from .names import Names, is_a
from .node import Node, Saved, Value

UNKNOWN, ABSENT = "?", "None"
"""What stands for an operand that nothing kept, and for one that was left out before another that was not."""

UNSAID = {f.name: f.default for f in fields(Node)}
NOT_ELEMENTWISE = ("convolution", "convolution_input", "convolution_weight", "standardize")
"""Ops whose operands are brought to one dtype, but not to one shape."""

STRETCHED = {**dict.fromkeys(("addmm", "addmv", "addr", "baddbmm", "addbmm"), 0),
             **dict.fromkeys(("fill", "copy_into", "step"), 1), "linear": 2}
"""Ops of which one operand is stretched to the result."""


def value_of(array: Any, overwritten: str = "") -> Value:
    """A Value of an array, or of the Meta that stands for a large one.

    One of a Function's other results is unknown.
    """
    if array is None:
        return Value(None, "")
    dtype, shape = OF_NUMPY[array.dtype].name, tuple(array.shape)
    if type(array) is Meta:
        return Value(shape, dtype)
    return Value(shape, dtype, backend.stride(array), array, overwritten)


def broadcasts(op: Any, shapes: list, out: tuple | None) -> list:
    """The shape each operand is stretched to, or None where it is read as it is or unknown."""
    known, as_they_are = [s for s in shapes if s is not None], [None] * len(shapes)
    if not isinstance(op, Op) or out is None or all(s == out for s in known):
        return as_they_are
    if op.name == "matmul":
        lead = out[: len(out) - 2]
        return [(*lead, *s[-2:]) if s and len(out) >= len(s) > 1 and s[:-2] != lead else None for s in shapes]
    if op.name in STRETCHED:
        return [out if k == STRETCHED[op.name] and s not in (None, out) else None for k, s in enumerate(shapes)]
    if op.name.endswith("_loss"):  # of one number, or of one per pair
        out = broadcast_shapes(*known) if op.promote else out
    if not op.promote or op.variadic or op.name in NOT_ELEMENTWISE or not all(sums_to(out, s) for s in known):
        return as_they_are
    return [out if s not in (None, out) else None for s in shapes]


def labels_of(op: Any, results: tuple) -> tuple[str, ...]:
    """The names of several results: as the op calls them, else by number; () for one alone."""
    if len(results) == 1:
        return ()
    return op.results if len(getattr(op, "results", ())) == len(results) else tuple(map(str, range(len(results))))


def given_ones(op: Any, refs: list[str]) -> list[str]:
    """References to operands, without those that a call may leave out, and did, at its end."""
    last, least = len(refs), len(op.operands) - len(op.optional) if getattr(op, "optional", ()) else len(refs)
    while last > least and refs[last - 1] in (UNKNOWN, ABSENT):
        last -= 1
    return refs[:last]


def known(node: Any) -> dict[str, Any]:
    """The arguments of a node's op; None for one that a backward has freed."""
    if not node.op.held:
        return node.attrs
    return {**node.attrs, **dict(zip(node.op.slots, node.saved or repeat(None)))}


def number(x: Any) -> str:
    """The number that a 0-d tensor which no variable holds was made from: 2 is 2.0 in it."""
    return repr(int(x)) if isinstance(x, float) and x.is_integer() and abs(x) < 1e6 else repr(x)


def _untracked(part: Any) -> bool:
    """True if nothing tracks a result: one of whole numbers has no gradient, though the operation is tracked."""
    return getattr(part, "dtype", None) is not None and part.dtype.kind not in "fc"


class Builder:
    """Collects nodes; the reader and the tracer drive it."""

    def __init__(self, names: Names):
        self.names = names
        self.nodes: list[Node] = []
        self.where: dict[int, str] = {}  # the engine's nodes
        self.untracked: dict[tuple[int, bool], str] = {}  # tensors without history, and whether they have changed since
        self.indices: dict[int, str] = {}  # arrays of results that have none, of operations that have one
        self.alive: list[Any] = []  # so that no id is used twice
        self.values: dict[str, Value] = {}
        self.paths = Paths()
        self.writes = {id(backend.memory_of(x._a)): (x._storage.written, x._storage.writer) for x in names.alive
                       if isinstance(x, Tensor) and x._storage is not None and x._storage.written}

    def graph(self, results) -> Graph:
        return Graph(tuple(self.nodes), tuple(results))

    def put(self, kind: str, op: str, results: tuple[Value, ...], **facts) -> Node:
        # a frozen dataclass stores field by field, which is half the time of reading a large graph
        node = object.__new__(Node)
        vars(node).update(UNSAID, id=f"%{len(self.nodes) + 1}", kind=kind, op=op, results=results, **facts)
        self.nodes.append(node)
        self.values.update(zip(node.refs, results))
        return node

    def made(self, ref: str) -> Node:
        """The node that a reference names, or one of whose results it names."""
        return self.nodes[int(ref.partition(".")[0][1:]) - 1]

    def writer(self, array: Any, node: Any) -> str:
        """The op that wrote over a node's result since it ran, as far as the program's tensors tell."""
        if not self.writes or type(array) is Meta or node is None:
            return ""
        time, writer = self.writes.get(id(backend.memory_of(array)), (0, ""))
        return writer if time > node.number else ""

    def ref(self, x: Tensor) -> str:
        """The reference to a tensor; an untracked one becomes a constant."""
        history = history_of(x)
        return self.constant(x) if history is None else self.of(history)

    def of(self, history) -> str:
        node, k = edge_of(history)
        if id(node) not in self.where:
            self.history(node)
        return self.made(self.where[id(node)]).refs[k]

    def constant(self, x: Any, kind: str = "constant", since: int | None = None) -> str:
        """A tensor that nothing tracks, once.

        A number stands for itself, and so does a tensor of one without a name.

        One that was written to after the time `since` has other values by now.
        """
        if isinstance(x, weakref.ref):
            x = x()
        if not isinstance(x, Tensor):
            return UNKNOWN if x is None else number(x.item() if hasattr(x, "item") else x)
        if id(x._a) in self.indices:
            return self.indices[id(x._a)]
        late = since is not None and x._storage is not None and x._storage.written > since
        if since is not None and not (x._a.ndim or late or self.names.of(x)):
            return number(x._a.item())
        key = id(x), late
        if key not in self.untracked:
            self.alive.append(x)
            value = value_of(x._a, x._storage.writer if late else "")
            self.untracked[key] = self.put(kind, kind, (value,), names=(self.names.of(x),)).id
        return self.untracked[key]

    def history(self, node: Any) -> None:
        """A node of the engine, as it stands."""
        if type(node) is AccumulateGrad:
            made = self.leaf(node, value_of(node.out), self.names.of(node))
        else:
            made = self.operation(node.op, self.operands(node), known(node), node.out, node)
        self.where[id(node)] = made.id

    def leaf(self, node: Any, value: Value, name: str | None) -> Node:
        kind = "parameter" if is_a("Parameter", node.variable) else "leaf"
        return self.put(kind, kind, (value,), torch="AccumulateGrad", names=(name,), requires_grad=True, history=node)

    def operands(self, node: Any) -> list[str]:
        """References to a node's operands: tracked ones, and those that it was given."""
        return [self.of(parent) if parent is not None else self.untracked_operand(node, node.op, i)
                for i, parent in enumerate(node.parents)]

    def untracked_operand(self, node: Any, op: Any, i: int) -> str:
        if op.left_out and op.operands[i] in op.left_out:
            return ABSENT
        given = getattr(node, "given", None)
        return self.constant(given[i], since=node.number) if given else UNKNOWN

    def _called(self, node: Any, parts: tuple) -> Iterator[str | None]:
        """The program's name for each result of an operation that was recorded."""
        for k, part in enumerate(parts):
            yield self.names.of(node, k) or (self.names.of(part) if _untracked(part) else None)

    def operation(self, op, refs: list[str], attrs: dict, out: Any, node: Any = None, *, base: str | None = None,
                  inplace: str = "") -> Node:
        """An op's node after the expand nodes on its edges. `node`: the engine's, where it was recorded; `inplace`: the
        method that wrote, where one did.
        """
        parts = out if type(out) is tuple else (out,)
        results = tuple([value_of(part, self.writer(part, node)) for part in parts])
        operands, user = self.expanded(op, refs, results[0].shape)
        labels = labels_of(op, results)
        if op.layout is not None and base is None and refs[:1] and refs[0] != UNKNOWN:
            base = self.base(refs[0])
        ours = isinstance(op, Op)  # what a Function of the program's has for attrs is the engine's
        said = {key: torch_names.plain(x) for key, x in attrs.items()} if ours else {}
        said = torch_names.arguments(op.name if ours else "", said, self.shape(refs[0]) if refs else None)
        called = torch_names.name(op, node)
        operands = given_ones(op, operands)
        number = getattr(node, "number", 0)  # PyTorch computes gradients by operations of its own
        around = self.paths.around(number)
        other = self.paths.backward(number) or any(getattr(type(module), "_other_nodes", False) for module in around)
        theirs = node.name() if node is not None and not other else ""
        if ours and op.name == "copy_slices":
            self.hide(refs[-1])
        made = self.put("op", torch_names.written(inplace) if inplace else called, results,
                        torch=theirs, operands=tuple(operands), labels=labels,
                        names=tuple(self._called(node, parts)) if node is not None else (),
                        base=base, attrs=tuple(said.items()), rule=op.name if ours else "",
                        saved=self.saved(node, refs, user, labels) if node is not None else (),
                        requires_grad=node is not None,
                        scope=getattr(node, "scope", "") or self.paths.of(around), history=node)
        if node is not None and labels:
            self.indices |= {id(part): ref for part, ref in zip(parts, made.refs) if _untracked(part)}
        return made

    def hide(self, ref: str) -> None:
        """Takes PyTorch's name from the node that wrote to a part, and from that part's views.

        PyTorch's graph has one node for all of it, and others for views that something else has read.
        """
        wrote, hidden = True, set[str]()
        while ref[:1] == "%" and (made := self.made(ref)).kind == "op" and (wrote or made.base):
            since = self.nodes[int(made.id[1:]) :]
            if any(ref in node.operands and node.id not in hidden for node in since):
                break
            vars(made)["torch"], wrote = "", False
            hidden.add(made.id)
            ref = (*made.operands, UNKNOWN)[0]

    def shape(self, ref: str) -> tuple | None:
        """The shape of what a reference names; None for a number or what is unknown."""
        return self.values[ref].shape if ref[:1] == "%" else None

    def expanded(self, op: Any, refs: list[str], shape: tuple | None) -> tuple[list[str], str]:
        """The operands of an op whose result has this shape, behind expand nodes; and its own name."""
        stretched = broadcasts(op, [self.shape(ref) for ref in refs], shape)
        user = f"%{len(self.nodes) + 1 + sum(s is not None for s in stretched)}"
        return [r if s is None else self.expand(r, s, user) for r, s in zip(refs, stretched)], user

    def expand(self, ref: str, shape: tuple, user: str) -> str:
        value = self.values[ref]
        source = self.made(ref)
        return self.put("expand", "expand", (Value(shape, value.dtype),), operands=(ref,), base=self.base(ref),
                        requires_grad=source.requires_grad, rule="expand", user=user).id

    def base(self, ref: str) -> str:
        """Whose memory a result reads: its own, or that of the node it is a view of."""
        return self.made(ref).base or ref

    def saved(self, node, refs, own, labels) -> tuple[Saved, ...]:
        """The numbers that a node's gradients read, and whether they are still there."""
        op, kept = node.op, node.saved
        if kept is None:  # freed: what it was follows from the op
            reading = [reads for p, reads in zip(node.parents, op.reads) if p is not None] + [op.vjp_reads]
            slots = sorted({k for reads in reading for k in reads if type(k) is int and not op.held})
            names = [op.slots[k] for k in slots]
            return _sorted(op, [Saved(name, self.place(op, name, refs, own, labels), freed=True) for name in names])
        found = []
        for k, x in enumerate(() if op.held else kept):  # index tensors are not operands
            for i, part in enumerate(x) if type(x) is tuple else ((None, x),):
                if isinstance(part, Tensor):
                    name = op.slots[k] if op.slots else str(k)
                    if i is not None:
                        ref = refs[i]
                    else:
                        ref = self.place(op, name, refs, own, labels) if op.slots else self.seen(part, own)
                    storage = part._storage
                    late = storage is not None and storage.written > node.number
                    found.append(Saved(name, ref, part._version, storage.writer if late else ""))
        return _sorted(op, found)

    def seen(self, x: Tensor, own: str) -> str:
        """A tensor that a custom Function kept: an operand, a result, or one of its own making."""
        history = history_of(x)
        if history is None:
            return own
        return self.of(history) if id(getattr(history, "node", history)) in self.where else UNKNOWN

    def place(self, op, name, refs, own, labels) -> str:
        if name in op.results:
            return f"{own}.{name}" if labels else own
        return refs[op.operands.index(name)]


def _sorted(op, saved: list[Saved]) -> tuple[Saved, ...]:
    """Operands first, in their order."""
    order = [*op.operands, *op.results] if op.slots and not op.variadic else []
    return tuple(sorted(saved, key=lambda s: order.index(s.name) if s.name in order else len(order)))
