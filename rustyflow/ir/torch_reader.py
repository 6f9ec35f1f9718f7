"""The graph behind a PyTorch tensor, read from its grad_fn. PyTorch itself is never imported here: the tensor brings
it along.
"""

from __future__ import annotations

import re
from contextlib import suppress
from typing import Any

from ..errors import ArgumentTypeError, needs
from ..ops import OPS
from ..ops.creation.foreign import read as read_foreign
from ..tensor import KEEP, fill
from . import torch_names
from .builder import UNKNOWN, Builder, given_ones, labels_of, number
from .graphs import Graph, depth_first
from .names import Names
from .node import Node, Saved, Value

HIDDEN = ("_saved_self_sym_sizes", "_saved_self_sym_strides")

ARGUMENTS = (
    "dim dims dim0 dim1 dim2 dimension k largest keepdim correction size step kernel_size stride storage_offset "
    "padding dilation groups transposed count_include_pad divisor_override pad padding_idx repeats shifts offset "
    "diagonal ord beta alpha threshold min_val max_val negative_slope approximate decimals rounding_mode reduction "
    "delta eps accumulate scale value p"
).split()
"""The arguments, of those that PyTorch keeps, that say what was asked for."""

REDUCTIONS = ("none", "mean", "sum")

TWINS = {**dict.fromkeys(("batch_norm", "group_norm", "layer_norm"), "standardize"),
         **dict.fromkeys(("reflection_pad2d", "reflection_pad3d", "replication_pad1d", "replication_pad2d",
                          "replication_pad3d"), "pad_from")}
"""Our op behind several of PyTorch's."""

FACTORS = {"addmm": ("input", "mat1", "mat2"), "addmv": ("input", "mat", "vec"), "addr": ("input", "vec1", "vec2"),
           **dict.fromkeys(("baddbmm", "addbmm"), ("input", "batch1", "batch2"))}
"""What PyTorch calls the operands of products that are added to something."""


def read(tensors: tuple, names: Names) -> Graph:
    """The nodes from the leaves to the tensors' grad_fn, operands before users; untracked operands where PyTorch saved
    them.
    """
    reader = _Reader(names)
    for node in depth_first([x.grad_fn for x in tensors if x.grad_fn is not None], _parents):
        reader.node(node)
    return reader.graph([reader.tensor(x) for x in tensors])


def _parents(node: Any) -> list:
    return [parent for parent, _ in node.next_functions if parent is not None]


def _our_names() -> dict[str, Any]:
    """PyTorch's name of a node -> our op; of several, the one that has the function's name."""
    fill()
    found: dict[str, Any] = {}
    for op in OPS.values():
        plain = op.torch_name not in found or op.name == torch_names.function(op.torch_name)
        if plain and op.name not in torch_names.OWN:
            found[op.torch_name] = op
    return found


def _ours(found: dict[str, Any], torch: str) -> Any:
    """Our op for a node: by its name; SumBackward1 is another sum."""
    called = torch_names.function(torch)
    return found.get(torch) or OPS.get(TWINS.get(called, called)) or found.get(re.sub(r"\d$", "0", torch))


class _Reader(Builder):
    def __init__(self, names: Names):
        super().__init__(names)
        self.ours = _our_names()
        self.by_node: dict[Any, str] = {}
        self.saved_constants: dict[tuple, str] = {}

    def tensor(self, x: Any) -> str:
        if x.grad_fn is not None:
            return self.made(self.by_node[x.grad_fn]).refs[x.output_nr]
        key = next((node for node in self.by_node if getattr(node, "variable", None) is x), None)
        return self.by_node[key] if key is not None else self.input(x)

    def input(self, x: Any) -> str:
        """A tensor that nothing tracks; the same memory is the same node."""
        key = _place(x)
        if key not in self.saved_constants:
            kind = "leaf" if x.requires_grad else "constant"
            self.saved_constants[key] = self.put(
                kind, kind, (_value(x),), names=(self.names.of(x),), requires_grad=x.requires_grad
            ).id
            self.alive.append(x)
        return self.saved_constants[key]

    def node(self, node: Any) -> None:
        leaf = getattr(node, "variable", None)
        made = self.recorded(node) if leaf is None else self.leaf(node, _value(leaf), self.names.of(leaf))
        self.by_node[node] = made.id

    def recorded(self, node: Any) -> Node:
        """The node of an op, after the expand nodes on its edges."""
        short = node.name().rpartition("::")[2]
        op = _ours(self.ours, short) if short != "CopySlices" else None  # which hides what changed a part, and how
        if getattr(node, "_saved_training", False):  # a batch norm of the batch's own means
            op = OPS["standardize"]
        said = torch_names.function(short)
        kept = _saved(node)
        refs = self.operands(op, node, kept)
        results = _results(op, node)
        operands, own = self.expanded(op, refs, results[0].shape)
        view = getattr(op, "layout", None) is not None and refs and refs[0] != UNKNOWN
        return self.put("op", said, results, torch=short, operands=tuple(operands), requires_grad=True, history=node,
                        base=self.base(refs[0]) if view else None, rule=op.name if op is not None else "",
                        attrs=self.arguments(said, node, refs), labels=labels_of(op, results),
                        names=tuple(self.names.of(node, k) for k in range(len(results))),
                        saved=tuple(self.remember(node, op, said, key, x, refs, own) for key, x in kept.items()))

    def _several(self, node) -> bool:
        return bool(self.made(self.by_node[node]).labels)

    def operands(self, op, node: Any, kept: dict) -> list[str]:
        """References to the operands: those that PyTorch tracks, in their places, and those it kept."""
        refs = [self.made(self.by_node[parent]).refs[k if self._several(parent) else 0] if parent is not None
                else UNKNOWN for parent, k in node.next_functions]
        if node.name().startswith("RsubBackward"):
            return [UNKNOWN, *refs]
        if op is None or op.variadic:
            return refs
        if len(refs) > len(op.operands):  # PyTorch's op has operands that ours has not, such as running means
            return [ref for ref in refs if ref != UNKNOWN]
        names = _parameters(op, torch_names.function(node.name()))
        numbers = {name: getattr(node, f"_saved_{name}", None) for name in names if name not in kept}
        numbers = {name: x for name, x in numbers.items() if isinstance(x, (int, float))}
        free = [k for k, name in enumerate(names) if name not in numbers]
        shown = [0, 2] if node.name().startswith("ClampMax") else op.shown if isinstance(op.shown, list) else None
        places = range(len(names)) if len(refs) == len(names) else shown or free
        given = dict(zip(places, refs))
        found = [given.get(k, UNKNOWN) for k in range(len(names))]
        for k, name in enumerate(names):
            if found[k] == UNKNOWN and (name in kept or name in numbers):
                found[k] = repr(numbers[name]) if name in numbers else self.operand(kept[name])
        return given_ones(op, found)

    def operand(self, x: Any) -> str:
        """An untracked operand that PyTorch kept for a gradient; a Python number is kept as a 0-d tensor that no
        variable holds.
        """
        if not hasattr(x, "data_ptr"):
            return UNKNOWN
        return self.input(x) if x.dim() or self.names.of(x) else number(x.item())

    def arguments(self, said: str, node: Any, refs: list[str]) -> tuple:
        """The arguments that PyTorch kept for a gradient."""
        shape = self.values[refs[0]].shape if refs and refs[0][:1] == "%" else ()
        found = {name: _signed(getattr(node, "_saved_" + name, None)) for name in ARGUMENTS}
        tensors = [(name, x) for name, x in found.items() if hasattr(x, "data_ptr")]
        found = {name: x for name, x in found.items() if not hasattr(x, "data_ptr")}
        found |= {name: str(_value(x)) for name, x in tensors if self.place_of(x) not in refs}
        found = {name: REDUCTIONS[x] if name == "reduction" else x for name, x in found.items() if x not in (None, ())}
        found = torch_names.counted(said, found, shape)
        if found.get("alpha") == 1 and said in ("add", "sub", "index_add"):
            del found["alpha"]
        if said in ("index", "index_put"):
            found["items"] = _items(node)
        elif said == "select":
            found = torch_names.along(found["dim"], _signed(node._saved_index))
        elif said == "slice":
            start, end, step = (_signed(getattr(node, "_saved_" + name)) for name in ("start", "end", "step"))
            ends = [start or "", "" if end >= shape[found["dim"]] else end, *([step] if step != 1 else [])]
            found = torch_names.along(found["dim"], ":".join(map(str, ends)))
        return tuple(found.items())

    def place_of(self, x: Any) -> str:
        """The reference to a tensor that was made before, if it was."""
        return self.tracked(x, None, UNKNOWN) if x.requires_grad else self.saved_constants.get(_place(x), UNKNOWN)

    def tracked(self, x: Any, node: Any, own: str) -> str:
        """The name of a tensor that PyTorch kept, where a gradient flows to it."""
        if x.grad_fn is None:
            return next((ref for other, ref in self.by_node.items() if getattr(other, "variable", None) is x), UNKNOWN)
        if x.grad_fn is node:
            return own
        ref = self.by_node.get(x.grad_fn)
        return self.made(ref).refs[x.output_nr if self._several(x.grad_fn) else 0] if ref else UNKNOWN

    def remember(self, node, op, said, key: str, x: Any, refs: list[str], own: str) -> Saved:
        names = _parameters(op, said) if op is not None else []
        places = {"input": 0, "weight": 1} | {name: k for k, name in enumerate(names)}
        made = {"result": own, **{name: f"{own}.{name}" for name in getattr(op, "results", ()) if name == "indices"}}
        ref = made.get(key, UNKNOWN) if key not in places else [*refs, UNKNOWN][min(places[key], len(refs))]
        if isinstance(x, int):
            return Saved(key, ref, x, "something")
        if ref == UNKNOWN and x is not FREED:
            ref = self.tracked(x, node, own)
        return Saved(key, ref, getattr(x, "_version", None), freed=x is FREED)


FREED = object()


def _parameters(op: Any, called: str) -> list[str]:
    """PyTorch's names for the operands of one of our ops where it keeps them."""
    listed = FACTORS.get(op.name) or [*op.arguments, *op.operands[len(op.arguments) :]]
    names = [own if len(own) > 1 and own not in ("low", "high") else said for own, said in zip(op.operands, listed)]
    theirs = {"input": "self", "x": "self"} | ({"index": "indices"} if called == "embedding" else {})
    return [theirs.get(name, name) for name in names]


def _results(op: Any, node: Any) -> tuple[Value, ...]:
    """The results of a node's op, so far as PyTorch says, without those that only PyTorch's op gives."""
    results = tuple(Value(tuple(m.shape), str(m.dtype).rpartition(".")[2]) for m in node._input_metadata)
    if not results:
        return (Value(None, "unknown"),)
    if getattr(op, "name", "") == "standardize":
        return results[:1]
    if getattr(op, "results", ()) == ("values", "indices") and len(results) == 1:
        return (results[0], Value(results[0].shape, "int64"))
    return results


def _signed(x: Any) -> Any:
    """PyTorch shows some whole numbers without their sign."""
    if isinstance(x, tuple):
        return tuple(map(_signed, x))
    return x - 2**64 if isinstance(x, int) and x >= 2**63 else x


def _items(node: Any) -> tuple:
    """The index in the brackets; a mask is as many numbers per axis as it has cells that are True."""
    try:
        indices = node._saved_indices
    except RuntimeError:  # a backward has freed them
        return (UNKNOWN,)
    found: list[str] = []
    for x in indices:
        if x is None:
            found.append(":")
        elif str(x.dtype) == "torch.bool":
            found += [f"int64[{int(x.sum())}]"] * x.dim()
        else:
            found.append(f"{str(x.dtype).rpartition('.')[2]}{list(x.shape)}")
    return tuple(found)


def _saved(node: Any) -> dict[str, Any]:
    """The tensors that a node keeps, by PyTorch's names for them.

    FREED stands for those a backward has let go of, and for those that were written over since the version that they
    now have.
    """
    found: dict[str, Any] = {}
    for key in dir(node):
        if key.startswith("_saved_") and key not in HIDDEN:
            name = key.removeprefix("_saved_")
            try:
                x = getattr(node, key)
            except RuntimeError as error:
                version = re.search(r"is at version (\d+)", str(error))
                found[name] = int(version[1]) if version else FREED
                continue
            if hasattr(x, "data_ptr"):
                found[name] = x
    return found


def _place(x: Any) -> tuple:
    """The thing that two tensors over the same memory have in common; a sparse or nested one only with itself."""
    try:
        return x.data_ptr(), tuple(x.shape), x.stride()
    except RuntimeError:
        return (id(x),)


def _value(x: Any) -> Value:
    """A tensor's shape, dtype, and its numbers where they can be read: by a copy, of few."""
    dtype = str(x.dtype).rpartition(".")[2]
    if getattr(x, "is_nested", False):  # it has no shape
        return Value(None, dtype)
    strided = str(x.layout) == "torch.strided"
    array = None
    if not {*needs(x)} - {"detach"} or x.numel() <= KEEP:
        with suppress(ArgumentTypeError):
            array = read_foreign(x, every=True)
    return Value(tuple(x.shape), dtype, tuple(x.stride()) if strided else None, array)
