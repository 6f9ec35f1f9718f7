"""What a node saved, as backward reads it; refused where it is gone, or was written to since."""
from __future__ import annotations

from ..errors import GradError, VersionError
from ..history import Output
from ..tensor import Tensor


def freed(node) -> GradError:
    """The error for a second walk through a graph whose saved values are gone."""
    return GradError(f"backward through {node.name()}, whose saved values are gone",
                     "Trying to backward through the graph a second time: backward frees what the operations saved",
                     "backward(retain_graph=True) the first time, or compute the result again")


def unpack(node, saved, create_graph) -> list:
    """The saved values, as arrays or, to record on, as tensors with their history.

    Raises:
        VersionError (a RuntimeError): one of them was written to since; names the op that saved it and the write.
    """
    values, number = [], node.number
    for x in saved:
        if isinstance(x, Tensor):
            storage = x._storage
            if storage is not None and storage.written > number:
                raise overtaken(x, node)
            values.append(x if create_graph else x._a)
        elif x.__class__ is tuple:
            values.append(tuple([checked(t, node) if create_graph or not isinstance(t, Tensor) else checked(t, node)._a
                                 for t in x]))
        else:
            values.append(x)
    return recorded(node, values) if create_graph else values


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
    if isinstance(x, Tensor) and x._storage is not None and x._storage.written > node.number:
        raise overtaken(x, node)
    return x


def overtaken(x, node) -> VersionError:
    """The error for a saved value that was overwritten."""
    storage = x._storage
    writer = storage.writer
    plain, by = writer.rstrip("_"), f"{writer} (as in x[...] = v)" if writer in ("copy_", "index_put_") else writer
    instead = f"use {plain}, which makes a new tensor, or " if hasattr(Tensor, plain) and by == writer else ""
    return VersionError(
        f"{node.name()} saved a tensor of shape {list(x.shape)}, and {by} overwrote it (its storage is at version "
        f"{storage.version})",
        "one of the variables needed for gradient computation has been modified by an inplace operation: backward "
        "needs the value as it was",
        f"{instead}clone() the tensor before writing", node=node, storage=storage)
