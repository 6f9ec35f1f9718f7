"""The owners of a gradient's array: one that nobody else holds is added to in place.

A leaf keeps it without a copy.
"""
from __future__ import annotations

from _thread import RLock  # threading.RLock, without the 3 ms that all of threading takes
from sys import getrefcount

from ..backends import backend
from ..dispatch import check_write
from ..tensor import Tensor, wrap
from .misfits import reshaped


def _held() -> int:
    """The count that `getrefcount` gives for a value held by a dict and a local variable.

    Python versions count differently.
    """
    grads = {0: object()}
    before = grads[0]
    return getrefcount(before)


def _passed_on() -> int:
    """The count that `getrefcount` gives for a value passed through two calls, as to `unshared`."""
    def inner(g):
        return getrefcount(g)

    def outer(g):
        return inner(g)
    g = object()
    return outer(g)


HELD, PASSED_ON = _held(), _passed_on()

adding = RLock()


def summed(before, g):
    """The sum of two gradients, with the strides of the first where that owns its memory.

    An in-place sum has these, and later sums round in memory order: an observer, which rules the in-place sum out, must
    not change a bit.
    """
    if isinstance(before, Tensor) or not backend.owns(before) or before.strides == g.strides:
        return before + g
    after = backend.dense_as(before)
    backend.write_sum(after, g)
    return after


def accumulate(leaf, g, create_graph) -> None:
    """Add to a leaf's gradient: dense, and in memory that nothing else uses.

    It is one store or one addition, so it is never half done. Threads take turns, because NumPy lets other threads run
    while it adds large arrays.

    Raises:
        MemoryOverlapError, ReadOnlyError, ShapeError (RuntimeErrors): .grad was set to what cannot be added to.
    """
    with adding:
        if create_graph:
            laid = wrap(backend.copy_like(g._a, leaf.out)) if leaf.grad is None else None
            leaf.grad = leaf.grad + g if laid is None else laid.copy_(g)
        elif leaf.grad is None:
            leaf.grad = wrap(unshared(g, leaf.out))
        else:
            check_write(leaf.grad, "adding to .grad")
            if leaf.grad._a.shape != g.shape:
                raise reshaped(f".grad of shape {tuple(leaf.grad.shape)}, and a gradient of shape {tuple(g.shape)}")
            if leaf.grad._storage is not None:
                leaf.grad._storage.wrote("accumulate")
            backend.write_sum(leaf.grad._a, g)
    for hook in leaf.after:
        hook(leaf.variable)


def unshared(g, like):
    """The gradient itself if nobody else holds its memory and it has the leaf's strides, else a copy with those
    strides.
    """
    if getrefcount(g) <= PASSED_ON and (like.strides == g.strides or like.flags.c_contiguous and g.flags.c_contiguous):
        if backend.owns(g):
            return g
        a = backend.whole(g)
        if a is not None and (a is g or getrefcount(a) <= HELD):
            return g
    return backend.copy_like(g, like)
