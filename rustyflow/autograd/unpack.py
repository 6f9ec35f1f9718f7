"""What a node saved, as backward reads it; refused where it is gone, or was written to since."""
from __future__ import annotations

from ..errors import GradError, VersionError
from ..history import Output
from ..tensor import Tensor


def freed(node) -> GradError:
    """The error for a second walk through a graph whose saved values are gone."""
    return GradError(f"backward through {node.name()}, whose saved values are gone",
                     "Trying to backward through the graph a second time: backward frees what the operations saved",
                     "backward(retain_graph=True) the first time, or compute the result again; in a loop, "
                     "h = h.detach() before the next step reads it")


def unpack(node, saved, create_graph) -> list:
    """The saved values, as arrays or, to record on, as tensors with their history.

    Raises:
        VersionError (a RuntimeError): one of them was written to since; names the op that saved it and the write.
    """
    values, number = [], node.number
    for x in saved:
        if isinstance(x, Tensor):  # as `checked`, without its call
            storage = x._storage
            if storage is not None and storage.written > number:
                raise overtaken(x, node)
            a = x._a
            values.append(x if create_graph else a if a.dtype.kind == "f" else computed_with(node, a))
        elif x.__class__ is tuple:  # the operands of an op that takes any number
            kept = [checked(t, node) for t in x]
            values.append(tuple(kept if create_graph else [t._a if isinstance(t, Tensor) else t for t in kept]))
        else:
            values.append(x)
    return recorded(node, values) if create_graph else values


def computed_with(node, a):
    """Whole numbers that a node saved as they were, in the dtype it computed in: with float32 that is float32, too.

    NumPy would multiply them in float64. Small ones, bools and what the op takes as it is stay.
    """
    if node.op.promote and a.dtype.kind in "iu" and a.dtype.itemsize > 2:
        out = node.out if node.out.__class__ is not tuple else node.out[0]
        return a.astype(out.dtype)
    return a


def recorded(node, values) -> list:
    """The saved values to record on: a result, which its own node holds without history, has it again."""
    op = node.op
    for k, (name, x) in enumerate(zip(op.slots, values)):
        if name in op.results and isinstance(x, Tensor):
            x = values[k] = x.detach()
            if x._a.dtype.kind == "f":
                place = op.results.index(name)
                x._history = node if len(op.results) == 1 else Output(node, place, node.out[place])
    return values


def checked(x, node):
    """A saved value, unless it was written to after the node was made; `written` is when, by the clock of the nodes.

    Raises:
        VersionError (a RuntimeError).
    """
    if isinstance(x, Tensor) and x._storage is not None and x._storage.written > node.number:
        raise overtaken(x, node)
    return x


def overtaken(x, node) -> VersionError:
    """The error for a saved value that was overwritten."""
    storage = x._storage
    writer = storage.writer
    plain, by = writer.rstrip("_"), f"{writer} (as in x[...] = v)" if writer in ("copy_", "index_put_") else writer
    instead = f"use {plain}, which makes a new tensor, " if hasattr(Tensor, plain) and by == writer else ""
    return VersionError(
        f"{node.name()} saved a tensor of shape {list(x.shape)}, and {by} overwrote it (its storage is at version "
        f"{storage.version})",
        "one of the variables needed for gradient computation has been modified by an inplace operation: backward "
        "needs the value as it was",
        f"write after backward(), {instead}or clone() the tensor before writing", node=node, storage=storage)
