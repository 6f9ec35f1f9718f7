"""The values that a node saved, as backward reads them; refused if they were freed or overwritten."""
from __future__ import annotations

from ..dispatch import checked, overtaken, recorded
from ..errors import GradError
from ..tensor import Tensor


def freed(node) -> GradError:
    """The error for a second backward through a graph whose saved values were freed."""
    return GradError(f"backward through {node.name()}, whose saved values are gone",
                     "Trying to backward through the graph a second time: backward frees what the operations saved",
                     "backward(retain_graph=True) the first time, or compute the result again; in a loop, "
                     "h = h.detach() before the next step reads it")


def unpack(node, saved, create_graph) -> list:
    """The saved values: as arrays, or with `create_graph` as tensors with their history.

    Raises:
        VersionError (a RuntimeError): one of them was written to since; names the op that saved it and the write.
        GradError (a RuntimeError): or detached in place.
    """
    values, number = [], node.number
    for x in saved:
        if isinstance(x, Tensor):  # the test of `checked`, without the call
            storage = x._storage
            if storage is not None and storage.written > number or x._detached > number:
                raise overtaken(x, node)
            a = x._a
            values.append(x if create_graph else a if a.dtype.kind == "f" else computed_with(node, a))
        elif x.__class__ is tuple and node.op.variadic:  # the operands
            kept = [checked(t, node) for t in x]
            values.append(tuple(kept if create_graph else [t._a if isinstance(t, Tensor) else t for t in kept]))
        else:
            values.append(x)
    return recorded(node, values) if create_graph else values


def computed_with(node, a):
    """A saved array of integers, cast to the dtype that the op computed in, such as float32.

    NumPy would multiply int64 and float32 in float64. Bools, narrow integers and unpromoted operands stay as they are.
    """
    if node.op.promote and a.dtype.kind in "iu" and a.dtype.itemsize > 2:
        out = node.out if node.out.__class__ is not tuple else node.out[0]
        return a.astype(out.dtype)
    return a
