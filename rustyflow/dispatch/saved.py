"""The values that a node saved: checked before they are read, and shown under PyTorch's names.

These are `_saved_self`, `_saved_other`, `_saved_result`, ...
"""
from __future__ import annotations

from functools import partial
from typing import Any

from ..backends import backend
from ..errors import GradError, VersionError
from ..tensor import Tensor, output_of, wrap


def saved_values(it) -> dict[str, property]:
    """The attributes of an op's nodes, read-only: operands as the function calls them, a result, arguments such as dim.

    Example:
        >>> import rustyflow as rf
        >>> from rustyflow.ops import OPS
        >>> rf.ones(1) is not None and sorted(saved_values(OPS["mul"]))
        ['_saved_other', '_saved_self']
    """
    found = {f"_saved_{name}": property(lambda node, name=name: node.attrs[name])
             for name in it.settings if name not in it.slots}
    if not it.variadic:
        found.update({f"_saved_{_theirs(it, name)}": property(partial(_read, k)) for k, name in enumerate(it.slots)})
    return found


def _theirs(it, slot: str) -> str:
    """PyTorch's name for a saved value: its formulas say `self` for the input, `result` for a single result, and
    `indices` for index arrays.
    """
    if slot in it.results:
        return "result" if len(it.results) == 1 else slot
    if it.held:
        return "indices" if slot == "arrays" else slot
    k = it.operands.index(slot)
    name = it.arguments[k] if k < len(it.arguments) else slot
    return "self" if name == "input" else name


def _read(k: int, node) -> Any:
    """One saved value, or None where no gradient needed it; index arrays are returned as tensors.

    Raises:
        GradError (a RuntimeError): backward has freed it. VersionError (a RuntimeError): it was written to since.
    """
    if node.saved is None:
        raise GradError(f"reading what {node.name()} saved, after a backward through it",
                        "Trying to backward through the graph a second time (or directly access saved tensors after "
                        "they have already been freed): backward frees what the operations saved",
                        "read it before backward, or backward(retain_graph=True)")
    value = node.saved[k] if node.saved else None
    if isinstance(value, Tensor):
        value = recorded(node, [checked(x, node) if j == k else None for j, x in enumerate(node.saved)])[k]
    elif node.op.held:
        for x in node.saved:
            checked(x, node)
        value = tuple([wrap(backend.copy_like(a, a)) if isinstance(a, backend.Array) else a for a in value])
    return value


def recorded(node, values) -> list:
    """The saved values for a recorded gradient: a result, which its node holds without history, gets its history back.
    """
    op = node.op
    for k, (name, x) in enumerate(zip(op.slots, values)):
        if name in op.results and isinstance(x, Tensor):
            x = values[k] = x.detach()
            if x._a.dtype.kind == "f":
                x._history = output_of(node, op.results.index(name))
    return values


def checked(x, node):
    """A saved value; refused if it was written to, or detached in place, after the node was made (by `tick`).

    Raises:
        GradError, VersionError (RuntimeErrors).
    """
    if isinstance(x, Tensor) and (x._storage is not None and x._storage.written > node.number
                                  or x._detached > node.number):
        raise overtaken(x, node)
    return x


def overtaken(x, node) -> GradError:
    """The error for a saved value that was overwritten, or detached in place."""
    storage = x._storage
    if storage is None or storage.written <= node.number:
        return GradError(f"{node.name()} saved a tensor of shape {list(x.shape)}, and detach_ cut it from its history",
                         "Trying to use a saved tensor that has been detached in-place, i.e. with .detach_().",
                         "y = y.detach(), which leaves the tensor that was saved as it is")
    writer = storage.writer
    plain, by = writer.rstrip("_"), f"{writer} (as in x[...] = v)" if writer in ("copy_", "index_put_") else writer
    alone = hasattr(Tensor, plain) and by == writer and storage.version == 1
    instead, last = f"use {plain}, which makes a new tensor, " * alone, "last " * (storage.version > 1)
    return VersionError(
        f"{node.name()} saved a tensor of shape {list(x.shape)}, and its storage was written into since, {last}by {by} "
        f"(it is at version {storage.version})",
        "one of the variables needed for gradient computation has been modified by an inplace operation: backward "
        "needs the value as it was",
        f"write after backward(), {instead}or clone() the tensor before the writes that follow", node=node,
        storage=storage)
