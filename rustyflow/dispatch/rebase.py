"""Histories after a write: a tensor's starts anew; a view's base gets one in which that part was copied in.

The ops that stand for this in the graph are `as_strided`, `copy_slices` and `write_where`, found by name because the
families of ops are built on this.
"""
from __future__ import annotations

from functools import cache

from ..backends import backend
from ..layout import Layout
from ..tensor import Tensor, View, alias_of, keep_retained, storage_of, wrap
from .operation import OPS, Op, renamed
from .promotion import constant
from .run import record


def rebase(x: Tensor, node, whole: Tensor | None = None) -> None:
    """Begins the history of x anew at `node`.

    When x is a view, its base becomes the base with this part copied in.

    `whole` is an untracked base as it was before the write, where that is known.
    """
    if type(x._history) is View:
        _copy_in(x._history.base, x, node, whole)
    else:
        before, x._history = x._history, node
        keep_retained(x, before, node)


def _copy_in(base: Tensor, x: Tensor, node, whole: Tensor | None) -> None:
    value = alias_of(x)
    value._history = node
    joined = alias_of(base)
    operands = base if base._history is not None else whole, value
    record(OPS["copy_slices"], operands, joined, {"own": layout_of(base), "other": layout_of(x)})
    before, base._history = base._history, joined._history
    keep_retained(base, before, base._history)
    view = x._history
    before, view.node, view.version, view.creation_meta = view.node, reread(base, x), x._storage.version, ""
    keep_retained(x, before, view.node)


def layout_of(x: Tensor) -> Layout:
    """(shape, stride, offset) of a tensor."""
    return x._a.shape, backend.stride(x._a), x._offset


def reread(base: Tensor, x: Tensor):
    """The node of a view after a write: `as_strided` of the base now; None if that is untracked."""
    layouts = {"own": layout_of(base), "other": layout_of(x)}
    return base._history and record(OPS["as_strided"], (base,), alias_of(x), layouts)


View.reread = staticmethod(reread)


def by_slots(it, x: Tensor, others: tuple, write) -> tuple:
    """Rewrite a one-value write through an overlapping view as a write to its base, which has one cell per slot.

    Each written slot then counts once in the gradient, however many cells of x show it. The value is the op's last
    operand. Returns what `overwrite` records and does instead: (op, tensor, operands, write).
    """
    base = x._history.base if type(x._history) is View else x
    told = bool(others) and (it.shown is None or len(it.operands) - 1 in it.shown)
    before = [backend.filled((storage_of(x).buffer.size,), number, x._a.dtype) for number in (0, 1)]
    for buffer in before:  # a written slot holds the same in both, whatever it held before
        write(backend.strided(buffer, *layout_of(x)))
    zeros, ones = [backend.strided(buffer, *layout_of(base)) for buffer in before]
    mask = wrap((zeros == ones) | backend.isnan(zeros))
    value = others[-1] if others else 0
    if not isinstance(value, Tensor):
        value = wrap(constant(value, x.dtype))
    elif value._a.ndim or value.dtype is not x.dtype:
        value = value.to(x.dtype)[(0,) * value._a.ndim]
    return _write_where(told), base, (mask, value), lambda a: backend.fill_where(a, mask._a, value._a)


@cache
def _write_where(told: bool) -> Op:
    """The op that writes one value into the slots of a base that a view of it wrote.

    The value is a tensor if `told`, else a number.
    """
    return renamed(OPS["write_where"], "CopySlices", [0, 2] if told else [0], "copy(input, src)")
