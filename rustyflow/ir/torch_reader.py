"""The graph behind a PyTorch tensor, read from its grad_fn. PyTorch itself is never imported here: the tensor brings
it along.
"""

from __future__ import annotations

import re
from typing import Any

from ..ops import OPS
from ..table import fill
from .names import Names
from .reader import UNKNOWN, Builder, broadcasts
from .value import Graph, Saved, Value

HIDDEN = ("_saved_self_sym_sizes", "_saved_self_sym_strides")


def read(tensors: tuple, names: Names) -> Graph:
    """The nodes from the leaves to the tensors' grad_fn, operands before users; untracked operands where PyTorch saved
    them.
    """
    reader = _Reader(names)
    for node in _in_order([x.grad_fn for x in tensors]):
        reader.node(node)
    return reader.graph([reader.tensor(x) for x in tensors])


def _in_order(roots: list) -> list:
    """Depth first, each node after its operands, without recursion."""
    order, done, waiting = [], set(), [(node, False) for node in reversed(roots) if node is not None]
    while waiting:
        node, ready = waiting.pop()
        if ready:
            order.append(node)
        elif node not in done:
            done.add(node)
            waiting.append((node, True))
            waiting += [
                (parent, False)
                for parent, _ in reversed(node.next_functions)
                if parent is not None and parent not in done
            ]
    return order


def _our_names() -> dict[str, Any]:
    """PyTorch's name of a node -> our op."""
    fill()
    found: dict[str, Any] = {}
    for op in OPS.values():
        found.setdefault(op.torch_name, op)
    found.update(
        SumBackward1=OPS["sum"],
        MeanBackward1=OPS["mean"],
        ProdBackward1=OPS["prod"],
        MmBackward0=OPS["mm"],
        ExpandBackward0=OPS["expand"],
    )
    return found


class _Reader(Builder):
    def __init__(self, names: Names):
        super().__init__(names)
        self.ours = _our_names()
        self.by_node: dict[Any, str] = {}
        self.saved_constants: dict[tuple, str] = {}

    def tensor(self, x: Any) -> str:
        if x.grad_fn is not None:
            return self.nodes[int(self.by_node[x.grad_fn][1:]) - 1].refs[x.output_nr]
        key = next((node for node in self.by_node if getattr(node, "variable", None) is x), None)
        return self.by_node[key] if key is not None else self.input(x)

    def input(self, x: Any) -> str:
        """A tensor that nothing tracks; the same memory is the same node."""
        key = (x.data_ptr(), tuple(x.shape), x.stride())
        if key not in self.saved_constants:
            kind = "leaf" if x.requires_grad else "constant"
            self.saved_constants[key] = self.put(
                kind, kind, (_value(x),), names=(self.names.of(x),), requires_grad=x.requires_grad
            ).id
            self.alive.append(x)
        return self.saved_constants[key]

    def node(self, node: Any) -> None:
        name = node.name()
        if hasattr(node, "variable"):
            x = node.variable
            kind = "parameter" if type(x).__name__ == "Parameter" else "leaf"
            made = self.put(
                kind,
                kind,
                (_value(x),),
                torch="AccumulateGrad",
                names=(self.names.of(x),),
                requires_grad=True,
                history=node,
            )
        else:
            short = name.rpartition("::")[2]
            op = self.ours.get(short)
            said = (
                op.name
                if op is not None
                else re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", re.sub(r"Backward\d*$", "", short)).lower()
            )
            kept = _saved(node)
            refs = [
                self.nodes[int(self.by_node[parent][1:]) - 1].refs[k if self._several(parent) else 0]
                if parent is not None
                else self.operand(op, i, kept)
                for i, (parent, k) in enumerate(node.next_functions)
            ]
            results = tuple(Value(tuple(m.shape), str(m.dtype).rpartition(".")[2]) for m in node._input_metadata) or (
                Value(None, "unknown"),
            )
            stretched = (
                broadcasts(op, [self.values[r].shape if r[:1] == "%" else None for r in refs], results[0].shape)
                if results[0].shape is not None
                else [None] * len(refs)
            )
            user = f"%{len(self.nodes) + 1 + sum(s is not None for s in stretched)}"
            operands = [r if s is None else self.expand(r, s, user) for r, s in zip(refs, stretched)]
            view = op is not None and getattr(op, "layout", None) is not None and refs and refs[0] != UNKNOWN
            made = self.put(
                "op",
                said,
                results,
                torch=short,
                operands=tuple(operands),
                requires_grad=True,
                history=node,
                base=self.base(refs[0]) if view else None,
                labels=tuple(map(str, range(len(results)))) if len(results) > 1 else (),
                names=tuple(self.names.of(node, k) for k in range(len(results))),
                saved=tuple(self.remember(op, key, x, refs, user) for key, x in kept.items()),
            )
        self.by_node[node] = made.id

    def _several(self, node) -> bool:
        return bool(self.nodes[int(self.by_node[node][1:]) - 1].labels)

    def operand(self, op, i: int, kept: dict) -> str:
        """An untracked operand, where PyTorch kept it for a gradient; a Python number is kept as a 0-d tensor that no
        variable holds.
        """
        x = kept.get(("self", "other")[i]) if i < 2 else None
        if x is None or not hasattr(x, "data_ptr"):
            return UNKNOWN
        return self.input(x) if x.dim() or self.names.of(x) else repr(x.item())

    def remember(self, op, key: str, x: Any, refs: list[str], own: str) -> Saved:
        place = {"self": 0, "other": 1, "result": None}.get(key, -1)
        ref = own if place is None else refs[place] if 0 <= place < len(refs) else UNKNOWN
        return Saved(key, ref, getattr(x, "_version", None), freed=x is FREED)


FREED = object()


def _saved(node: Any) -> dict[str, Any]:
    """The tensors a node keeps, by PyTorch's names for them; FREED for those a backward has let go of."""
    found = {}
    for key in dir(node):
        if key.startswith("_saved_") and key not in HIDDEN:
            try:
                x = getattr(node, key)
            except RuntimeError:
                x = FREED
            if x is FREED or hasattr(x, "data_ptr"):
                found[key[len("_saved_") :]] = x
    return found


def _value(x: Any) -> Value:
    array = (
        x.detach().numpy()
        if x.device.type == "cpu" and x.layout is not None and str(x.dtype) != "torch.bfloat16"
        else None
    )
    return Value(tuple(x.shape), str(x.dtype).rpartition(".")[2], tuple(x.stride()), array)
