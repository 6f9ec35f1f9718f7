"""What the tensor itself needs: arrays over a flat buffer, casts, shapes, and arithmetic that never warns."""
from __future__ import annotations

from contextvars import copy_context as _copy_context
from math import prod as _prod

import numpy as np

from ...layout import broadcast_axes as _broadcast_axes, contiguous_stride as _contiguous_stride, extent as _extent

Array = np.ndarray
asarray = np.asarray

with np.errstate(all="ignore"):
    # NumPy keeps np.seterr in a context variable: running in a copy of this context is silent, and costs a tenth of np.errstate
    quiet = _copy_context().copy


def flat(a: np.ndarray) -> np.ndarray:
    """The memory of a dense array as one axis, without copying."""
    if not a.flags.c_contiguous:
        a = a.transpose(sorted(range(a.ndim), key=lambda d: -a.strides[d]))
        assert a.flags.c_contiguous, "a fresh result must be dense"
    return np.ndarray((a.size,), a.dtype, a)


def strided(buffer, shape, stride, offset) -> np.ndarray:
    """The array that reads a flat buffer through a layout counted in elements."""
    item = buffer.dtype.itemsize
    if 0 in shape:
        # NumPy checks the offset of an empty array against the buffer, PyTorch does not
        return np.ndarray(shape, buffer.dtype, buffer[:0], 0, [s * item for s in stride])
    return np.ndarray(shape, buffer.dtype, buffer, offset * item, [s * item for s in stride])


def stride(a: np.ndarray) -> tuple[int, ...]:
    """Strides in elements."""
    item = a.itemsize
    return tuple([s // item for s in a.strides])


def to_numpy(a: np.ndarray) -> np.ndarray:
    """The same memory for a user, who may reshape it without reshaping the tensor."""
    return a.view()


def from_data(data, dtype) -> np.ndarray:
    """A fresh row-major array from numbers or nested lists."""
    return np.array(data, dtype=dtype, order="C")


def cast(a, dtype):
    """A dense array as another NumPy dtype; the same array where nothing is to do."""
    return a if a.dtype is dtype else a.astype(dtype)


def filled(shape, value, dtype) -> np.ndarray:
    """A fresh array of one value."""
    return np.full(shape, value, dtype)


def dense(a: np.ndarray) -> np.ndarray:
    """A row-major copy, always fresh memory."""
    return a.copy(order="C")


def write(target: np.ndarray, value) -> None:
    """Write a value through a strided array."""
    target[...] = value


def reshape(a, shape):
    return a.reshape(shape)


def permute(a, dims):
    return a.transpose(dims)


def transpose(a, dim0, dim1):
    return a.swapaxes(dim0, dim1) if a.ndim else a


def expand(a, shape):
    return np.broadcast_to(a, shape)


def unsqueeze(a, dim):
    return np.expand_dims(a, dim)


def sum_to(g, shape):
    """Undo broadcasting: sum over the axes that were added or stretched, so that every copy's gradient reaches the one it copied."""
    if g.shape == shape:
        return g
    lead, stretched = _broadcast_axes(shape, g.shape)
    g = np.add.reduce(g, axis=lead + stretched, keepdims=True) if lead or stretched else g
    return g.reshape(shape)


def through(a, shape, layout):
    """Read a dense array of `shape` through a view's layout function (shape, stride, offset) -> layout, as a copy of its own."""
    a = np.ascontiguousarray(a).reshape(-1)
    return strided(a, *layout(shape, _contiguous_stride(shape), 0)).copy()


def scatter_through(g, shape, layout):
    """The dual of `through`: zeros of `shape` with `g` added through the view; cells that share a slot add up."""
    out = np.zeros(_prod(shape), g.dtype)
    slots = strided(np.arange(len(out)), *layout(shape, _contiguous_stride(shape), 0))
    np.add.at(out, slots, g) if g.size > out.size or _repeats(slots) else out.__setitem__(slots, g)
    return out.reshape(shape)


def _repeats(slots):
    return any(s == 0 and n > 1 for s, n in zip(slots.strides, slots.shape)) or len(np.unique(slots)) < slots.size


def _span(*layouts):
    return max([1] + [_extent(*layout)[1] for layout in layouts])


def slots_read(x, own, other):
    """Lay x out over slots through layout `own`, read them through `other`; slots that `own` does not reach hold 0."""
    buffer = np.zeros(_span(own, other), x.dtype)
    strided(buffer, *own)[...] = x
    return strided(buffer, *other).copy()


def slots_add(g, own, other):
    """The dual of `slots_read`: add g over the slots of `other`, read through `own`; cells of `own` that share a slot share its sum."""
    buffer = np.zeros(_span(own, other), g.dtype)
    np.add.at(buffer, strided(np.arange(len(buffer)), *other), g)
    cells = strided(np.arange(len(buffer)), *own)
    if _repeats(cells):
        buffer = buffer / np.maximum(np.bincount(cells.ravel(), minlength=len(buffer)), 1).astype(g.dtype)
    return strided(buffer, *own).copy()


def slots_clear(x, own, other):
    """x with 0 in every slot that `other` reaches."""
    buffer = np.zeros(_span(own, other), x.dtype)
    strided(buffer, *own)[...] = x
    strided(buffer, *other)[...] = 0
    return strided(buffer, *own).copy()


def write_sum(target, g) -> None:
    """Add into an array that is already there."""
    np.add(target, g, out=target, casting="unsafe")


def owns(g) -> bool:
    """Whether an array has memory of its own in row-major order."""
    return g.__class__ is np.ndarray and g.base is None and g.flags.c_contiguous and g.flags.writeable


def copy_like(g, like):
    """A dense copy; in column-major order where `like` is."""
    g = np.asarray(g)
    order = "F" if getattr(like, "flags", None) is not None and like.flags.f_contiguous and not like.flags.c_contiguous else "C"
    return g.copy(order=order)


def shares(a, b) -> bool:
    """Whether two arrays have a slot in common; exact up to a fixed effort, and False where that does not settle it."""
    try:
        return np.shares_memory(a, b, max_work=100_000)
    except np.exceptions.TooHardError:
        return False
