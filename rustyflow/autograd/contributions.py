"""The gradients that one node sends on, by its op's rule, from saved values and the upstream gradient."""
from __future__ import annotations

from typing import Any

from ..backends import backend
from ..dtype import OF_NUMPY
from ..errors import TensorError, written_since
from ..tensor import Tensor, wrap
from .misfits import reshaped
from .unpack import freed, unpack


def contributions(node, upstream, F, create_graph=False, only=None) -> list[tuple[Any, Any, int]]:
    """The gradients that a node sends on: per tracked operand (its history, the vector-Jacobian product, its position).

    Raises:
        GradError, VersionError (RuntimeErrors): the saved values are gone, or were overwritten. ShapeError (a
        RuntimeError): one has another shape now.
    """
    op, saved, parents = node.op, node.saved, node.parents
    if saved is None:
        raise freed(node)
    args = unpack(node, saved, create_graph) if saved else saved
    if only is not None:
        parents = [p if p is not None and p.number in only else None for p in parents]
    if op.vjp is None:
        try:
            return op.send(F, upstream, parents, args, node.attrs)
        except (ValueError, IndexError) as error:
            if isinstance(error, TensorError):
                raise
            raise (reshaped if isinstance(error, ValueError) else written_since)(f"{node.name()}: {error}") from error
    reads = [reserved(node, k) if k.__class__ is str else args[k] for k in op.vjp_reads]
    every = op.vjp(F, upstream, *reads, **node.attrs)
    return [(p, g, i) for i, (p, g) in enumerate(zip(parents, every)) if p is not None and g is not None]


def cast(g, dtype):
    """A gradient in its operand's dtype."""
    if not isinstance(g, Tensor):
        return g.astype(dtype)
    return g.to(OF_NUMPY[dtype.numpy if hasattr(dtype, "numpy") else dtype])


def materialized(parts: list, outs: tuple, create_graph) -> list:
    """The gradients of several results, with zeros for those that nobody used; whole numbers have none."""
    return [zeros(out, create_graph) if part is None and out.dtype.kind == "f" else part
            for part, out in zip(parts, outs)]


def zeros(out, create_graph):
    """The gradient of a result that nobody used."""
    z = backend.filled(out.shape, 0, out.dtype)
    return wrap(z) if create_graph else z


def reserved(node, name):
    """The value of a gradient's parameter `needs` or `shapes`: per operand, whether it needs a gradient, or its shape.
    """
    return tuple([p is not None if name == "needs" else p and p.out.shape for p in node.parents])
