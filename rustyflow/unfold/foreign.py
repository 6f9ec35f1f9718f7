"""A program of PyTorch's, run once more here from what its graph's nodes have kept, so that its numbers open."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..dispatch.registry import PUBLIC
from ..errors import ArgumentValueError, TensorError, is_torch
from ..ir import Node
from ..ir.builder import ABSENT, UNKNOWN
from ..ir.names import Names
from ..ir.torch_reader import read
from ..nn import functional
from ..ops.creation import from_numpy
from ..ops.creation.foreign import read as read_foreign
from ..tensor import Tensor
from ..tensor.gradmode import enable_grad
from .again import Unknown

NEAR = 1e-3, 1e-5
"""How near a result that is computed here comes to the one that PyTorch kept, relative and absolute."""


class Twins:
    """Our tensors that stand for those of a graph of PyTorch's.

    Args:
        results: PyTorch's tensors. names: those of the program.

    Attributes:
        results: ours. names: what they are called. lines: the graph's line of each node, by our tensor. cut: the op
            that made what is taken as it is, for its node does not keep how, by the id of our tensor.

    Raises:
        ArgumentValueError (a ValueError): a result that nothing gives back.
    """

    def __init__(self, results: Sequence[Any], names: Names):
        self.graph, self.alive = read(tuple(results), names), names.alive
        self.known: dict[str, Any] = {}
        self.cut: dict[int, str] = {}
        kept = self._kept()
        for node in self.graph:
            for ref, x in zip(node.refs, self._made(node, kept), strict=False):
                self.known[ref] = x
        missing = [ref for ref in self.graph.results if not isinstance(self.known[ref], Tensor)]
        if missing:
            lost = next(node for node in self.graph if isinstance(self.known[node.refs[0]], Unknown))
            raise ArgumentValueError(f"a result of PyTorch's, made by {lost.op}", str(self.known[lost.refs[0]]),
                                     "compute it with rustyflow, or keep what it was made of in variables")
        self.results = tuple(self.known[ref] for ref in self.graph.results)
        self.names = {name: x for node in self.graph for name, ref in zip(node.names, node.refs, strict=False)
                      if name and isinstance(x := self.known[ref], Tensor)}  # fmt: skip
        self.lines = [(x, node.id) for node in self.graph for ref in node.refs
                      if isinstance(x := self.known[ref], Tensor)]  # fmt: skip

    @property
    def behind(self) -> list[Tensor]:
        """The tensors behind what is taken as it is, which hear nothing of what arrives there."""
        waiting = [ref for node in self.graph for ref in node.operands
                   if any(id(self.known[out]) in self.cut for out in node.refs)]  # fmt: skip
        met: dict[str, None] = {}
        while waiting:
            ref = waiting.pop()
            if ref[:1] == "%" and ref not in met:
                met[ref] = None
                waiting += self.graph[ref].operands
        return [x for ref in met if isinstance(x := self.known[ref], Tensor)]

    def of(self, x: Any) -> Tensor:
        """Our tensor for one of PyTorch's.

        Raises:
            ArgumentValueError (a ValueError): it is not in the graph.
        """
        for node in self.graph:
            theirs = getattr(node.history, "variable", None)
            mine = x.grad_fn is not None and node.history is x.grad_fn
            if mine or theirs is x or node.kind == "constant" and _same(node, x):
                found = self.known[node.refs[x.output_nr if mine and len(node.refs) > 1 else 0]]
                if isinstance(found, Tensor):
                    return found
        rule = "it is not behind the result, or its numbers are not kept"
        raise ArgumentValueError(f"a tensor of shape {tuple(x.shape)}", rule, f"one of {', '.join(self.names)}")

    def _kept(self) -> dict[str, Any]:
        """The results that nodes have saved, and those that the program still has, by reference."""
        kept: dict[str, Any] = {}
        by_node = {(id(x.grad_fn), x.output_nr): x for x in self.alive if is_torch(x) and x.grad_fn is not None}
        for node in self.graph:
            for k, ref in enumerate(node.refs):
                if (id(node.history), k) in by_node:
                    kept[ref] = by_node[id(node.history), k]
            for saved in node.saved:
                if not (saved.freed or saved.overwritten) and saved.ref[:1] == "%":
                    kept.setdefault(saved.ref, _saved(node, saved.name))
        return {ref: read_foreign(x, every=True) for ref, x in kept.items() if is_torch(x)}

    def _made(self, node: Node, kept: dict[str, Any]) -> list[Any]:
        """Our results of a node, or why there are none."""
        if node.kind != "op":
            return [self.known[node.operands[0]] if node.kind == "expand" else _leaf(node)]
        operands = [self.known[ref] if ref[:1] == "%" else _number(ref) for ref in node.operands]
        lost = Unknown(f"its node does not keep how {node.op} was called")
        made: Any = next((x for x in operands if isinstance(x, Unknown)), None)
        try:
            made = made or self._run(node, operands)
        except (TensorError, TypeError, ValueError, IndexError, AttributeError, LookupError) as error:
            made = error if isinstance(error, Unknown) else lost
        results = list(made) if isinstance(made, tuple | list) else [made]
        results += [made if isinstance(made, Unknown) else lost] * (len(node.refs) - len(results))
        for k, ref in enumerate(node.refs[: len(results)]):
            there = kept.get(ref)
            if there is None or isinstance(x := results[k], Tensor) and x.shape == there.shape and np.allclose(
                    x.detach().numpy(), there, *NEAR, equal_nan=True):  # fmt: skip
                continue
            results[k] = from_numpy(np.array(there))
            if results[k].is_floating_point():
                results[k].requires_grad_()
            self.cut[id(results[k])] = node.op
        return results

    def _run(self, node: Node, operands: list[Any]) -> Any:
        shape = node.results[0].shape
        function = SPECIAL.get(node.op) or (lambda *xs, node: _public(node.op)(*xs, **dict(node.attrs)))
        if UNKNOWN in operands and node.op != "convolution" or shape is None:
            raise Unknown(f"its node does not keep all that {node.op} was called with")
        with enable_grad():
            made = function(*operands, node=node)
        first = made[0] if isinstance(made, tuple | list) else made
        if tuple(first.shape) != tuple(shape):
            raise Unknown(f"its node does not keep how {node.op} was called")
        return made


def _number(text: str) -> Any:
    if text in (ABSENT, UNKNOWN):
        return None if text == ABSENT else text
    return int(text) if text.lstrip("-").isdigit() else float(text)


def _leaf(node: Node) -> Any:
    array = node.results[0].array
    if array is None:
        return Unknown(f"the numbers of {node.name or 'a leaf'} are gone")
    x = from_numpy(np.array(array))
    return x.requires_grad_() if node.requires_grad else x


def _saved(node: Node, name: str) -> Any:
    """The value that a node has saved; PyTorch shows some whole numbers without their sign.

    Raises:
        Unknown: backward has freed it.
    """
    try:
        x = getattr(node.history, f"_saved_{name}")
    except RuntimeError as error:
        raise Unknown(f"what the node of {node.op} kept is freed") from error
    return x - 2**64 if isinstance(x, int) and x >= 2**63 else x


def _same(node: Node, x: Any) -> bool:
    array = node.results[0].array
    return array is not None and tuple(x.shape) == array.shape and np.shares_memory(array, read_foreign(x, every=True))


def _public(name: str) -> Callable:
    """Our function of a name of PyTorch's.

    Raises:
        Unknown: there is none.
    """
    *_, last = name.split(".")
    found = PUBLIC.get(name) or PUBLIC.get(last) or getattr(functional, last, None) or getattr(Tensor, last, None)
    if found is None:
        raise Unknown(f"rustyflow has no {name}")
    return found


def _shaped(x: Tensor, node: Node) -> Tensor:
    return x.reshape(node.results[0].shape)


def _sliced(x: Tensor, node: Node) -> Tensor:
    dim, start, end, step = (_saved(node, name) for name in ("dim", "start", "end", "step"))
    return x[(slice(None),) * (dim % x.dim()) + (slice(start, min(end, x.shape[dim]), step),)]


def _indexed(x: Tensor, *_: Any, node: Node) -> Tensor:
    arrays = [i if i is None else from_numpy(np.array(read_foreign(i, every=True))) for i in _saved(node, "indices")]
    return x[tuple(slice(None) if i is None else i for i in arrays)]


def _normed(x: Tensor, weight: Any = None, bias: Any = None, *, node: Node) -> Tensor:
    """A layer norm, whose eps shows in the roots that PyTorch kept."""
    dims = tuple(range(-len(_saved(node, "normalized_shape")), 0))
    mean, root = (read_foreign(_saved(node, f"result{k}"), every=True) for k in (1, 2))
    spread = x.detach().numpy().var(dims, keepdims=True)
    eps = float(f"{float(np.median(1 / root.astype(float) ** 2 - spread)):.1g}")
    if not np.allclose(1 / np.sqrt(spread + eps), root, *NEAR):
        raise Unknown("its node does not keep eps")
    return functional.layer_norm(x, _saved(node, "normalized_shape"), weight, bias, eps)


def _convolved(x: Any, w: Any, bias: Any = None, *, node: Node) -> Tensor:
    x, w = (from_numpy(np.array(read_foreign(_saved(node, name), every=True))) if operand == UNKNOWN else operand
            for name, operand in (("input", x), ("weight", w)))  # fmt: skip
    if _saved(node, "transposed") or bias == UNKNOWN or bias is None and any(
            _saved(node, "bias_sym_sizes_opt") or ()):  # fmt: skip
        raise Unknown("its node does not keep all that convolution was called with")
    how = {name: _saved(node, name) for name in ("stride", "padding", "dilation", "groups")}
    return _public(f"conv{x.dim() - 2}d")(x, w, bias, **how)


SPECIAL: dict[str, Callable] = {
    **dict.fromkeys(("view", "reshape", "reshape_alias"), _shaped), "slice": _sliced, "index": _indexed,
    "expand": lambda x, node: x.expand(node.results[0].shape),
    "select": lambda x, node: x.select(_saved(node, "dim"), _saved(node, "index")),
    "layer_norm": _normed, "convolution": _convolved,
    **{name: lambda *xs, node: _public(node.op)(list(xs), _saved(node, "dim")) for name in ("cat", "stack")},
    "linalg.vector_norm": lambda x, node: x.norm(*(_saved(node, name) for name in ("ord", "dim", "keepdim"))),
    "gather": lambda x, index, node: x.gather(_saved(node, "dim"), index),
    "embedding": lambda weight, index, node: functional.embedding(index, weight),
    "nll_loss": lambda x, target, weight=None, *, node: functional.nll_loss(
        x, target, weight, ignore_index=_saved(node, "ignore_index"), reduction=dict(node.attrs)["reduction"]),
}  # fmt: skip
"""The operations whose nodes have kept their arguments otherwise than a call says them."""
