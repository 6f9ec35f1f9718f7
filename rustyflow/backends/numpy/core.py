"""The functions that the tensor itself needs: arrays over a flat buffer, casts, shapes, quiet arithmetic."""
from __future__ import annotations

from math import gcd as _gcd
from typing import Any as _Any

import numpy as np

from ...layout import (
    axis_order as _axis_order,
    broadcast_axes as _broadcast_axes,
    broadcast_shapes as _broadcast_shapes,
    contiguous_stride as _contiguous_stride,
    is_dense as _is_dense,
    kept_stride as _kept_stride,
)
from .adding import add_up as _add_up
from .runs import RUN as _RUN, in_parts as _in_parts

Array, Ufunc = np.ndarray, np.ufunc  # a Ufunc writes where `out` says
asarray = np.asarray


def _keep_freed_memory() -> None:
    """Let glibc keep up to 64 MiB that were freed, for the next arrays; elsewhere nothing happens.

    It gives memory back to the system as soon as a little lies free at the end of its heap, and asks for it again, page
    by page, in the next step. One large block, never touched and let go at once, moves that limit. Measured on two
    arrays of 1 MB: their sum and its product with one of them take 0.2 ms, and 0.6 ms without.
    """
    np.empty((32 << 20) - 8192, np.uint8)


_keep_freed_memory()


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
    """Strides in elements. NumPy gives a new empty array strides of 0, PyTorch those of a row-major layout."""
    if not a.size and not any(a.strides):
        return _contiguous_stride(a.shape)
    item = a.itemsize
    return tuple([s // item for s in a.strides])


def address(a: np.ndarray) -> int:
    """The place of the first cell."""
    return a.__array_interface__["data"][0]


def memory_of(a: np.ndarray):
    """The object that owns the memory, usually an array: the same for all arrays that share it."""
    owner: _Any = a
    while (base := getattr(owner, "base", None)) is not None:  # NumPy's as_strided puts one of its own between
        owner = base
    return owner


def flat_memory(a: np.ndarray) -> np.ndarray | None:
    """All the memory that an array has a part of, as one axis; None where that is not NumPy's own."""
    owner = memory_of(a)
    return flat(owner) if owns(owner) else None


def layout_in(a: np.ndarray, buffer: np.ndarray) -> tuple | None:
    """The shape, stride and offset through which an array reads a flat buffer; else None.

    It reads no slot twice by a stride of 0.
    """
    offset, rest = divmod(address(a) - address(buffer), buffer.itemsize)
    steps = stride(a)
    again = any([step <= 0 and n > 1 for n, step in zip(a.shape, steps)])
    if rest or again or a.dtype is not buffer.dtype or memory_of(a) is not memory_of(buffer):
        return None
    reach = sum([(n - 1) * step for n, step in zip(a.shape, steps)])
    return (a.shape, steps, offset) if a.size and offset >= 0 and offset + reach < buffer.size else None


def to_numpy(a: np.ndarray) -> np.ndarray:
    """A new array over the same memory for a user, who may reshape it without changing the tensor."""
    return a.view()


def from_data(data, dtype) -> np.ndarray:
    """A fresh row-major array from numbers or nested lists."""
    return np.array(data, dtype=dtype, order="C")


def copied(a, dtype) -> np.ndarray:
    """A fresh array with the values and the layout of another array, or with the value of a NumPy scalar."""
    return dense_as(np.asarray(a), dtype)


def cast(a, dtype):
    """An array as another NumPy dtype; the same array where nothing is to do."""
    if a.dtype is dtype:
        return a
    return a.astype(dtype) if a.flags.c_contiguous and 1 not in a.shape else dense_as(a, dtype)


def elementwise(forward, F, *arrays, **attrs):
    """Run an elementwise forward so that its result lies as PyTorch lays it.

    The first operand with a nonzero stride along two axes decides which of them is slower. NumPy takes row-major order
    wherever operands disagree, so the operands are passed with the result's axes sorted, slowest first.
    """
    first = arrays[0]
    alike = [a is None or a.ndim < 2 or a.strides == first.strides and a.shape == first.shape for a in arrays]
    says = first.ndim < 3 or 0 not in first.strides  # NumPy then finds the same order itself
    if all(alike) and says or [*first.strides] == sorted(first.strides, reverse=True):
        return forward(F, *arrays, **attrs)  # the first is row-major, or all operands agree
    shape = _broadcast_shapes(*[a.shape for a in arrays if a is not None])
    wide = [a if a is None or not a.ndim else a.reshape((1,) * (len(shape) - a.ndim) + a.shape) for a in arrays]
    steps = [[0 if n == 1 < m else s for m, n, s in zip(shape, a.shape, a.strides)]
             for a in wide if a is not None and a.ndim]
    order = _axis_order(shape, *steps)
    y = forward(F, *[a if a is None or not a.ndim else a.transpose(order) for a in wide], **attrs)
    return y.transpose([order.index(d) for d in range(len(shape))]) if y.ndim else y


def filled(shape, value, dtype) -> np.ndarray:
    """A fresh array of one value."""
    if value.__class__ is int and value == 0:
        return np.zeros(shape, dtype)
    a = np.empty(shape, dtype)
    a.fill(value)
    return a


def dense(a: np.ndarray) -> np.ndarray:
    """A row-major copy, always fresh memory."""
    if a.size < _RUN or a.flags.c_contiguous:
        return a.copy(order="C")
    again = [e for e in range(1, a.ndim) if not a.strides[e] and a.shape[e] > 1]
    if again:
        return _repeated(a, again[0])
    out = np.empty(a.shape, a.dtype)
    write(out, a)
    return out


def _repeated(a, e):
    """A row-major copy of an array with stride 0 along axis e, by np.repeat, which is faster than a copy.

    np.repeat first copies an array that is not contiguous, so a large one is repeated in parts.
    """
    def repeat(part):
        return np.repeat(part[once], a.shape[e], axis=e - 1).reshape(part.shape),
    once, d = (slice(None),) * e + (0,), max([d for d in range(a.ndim) if d != e], key=lambda d: a.shape[d])
    whole = a[once].flags.c_contiguous or a[once].size <= _AGAIN
    return _in_parts(repeat, a, d, a.size if whole else max(_AGAIN * a.shape[d] // a.size, 1))[0]


def in_order(a: np.ndarray) -> np.ndarray:
    """A fresh array in row-major order: itself, or a copy.

    At axes of size 1 too it has the strides of that order.
    """
    if a.ndim < 2 or not a.flags.c_contiguous:
        return a if a.ndim < 2 else dense(a)
    return strided(flat(a), a.shape, _contiguous_stride(a.shape), 0) if 1 in a.shape and _is_odd(a) else a


def _is_odd(a):
    """True if a row-major array has a stride at an axis of size 1 that a new one lacks."""
    step = a.itemsize
    for n, stride in zip(reversed(a.shape), reversed(a.strides)):
        if stride != step:
            return a.size > 0
        step *= n
    return False


def empty_as(a: np.ndarray, dtype=None) -> np.ndarray:
    """Fresh memory of an array's shape, with its strides where those leave no holes, else dense and in their order."""
    if a.flags.c_contiguous and 1 not in a.shape:
        return np.empty(a.shape, dtype or a.dtype)
    return strided(np.empty(a.size, dtype or a.dtype), a.shape, _kept_stride(a.shape, stride(a)), 0)


def dense_as(a: np.ndarray, dtype=None) -> np.ndarray:
    """A copy in the memory of `empty_as`."""
    if 0 not in a.strides and 1 not in a.shape:
        return np.array(a, dtype or a.dtype)  # in NumPy's own order, which is the same then; of a number, too
    out = empty_as(a, dtype)
    if out.flags.c_contiguous and out.dtype is a.dtype and 1 not in a.shape:
        return dense(a)
    write(out, a)
    return out


def copy_like(values, like) -> np.ndarray:
    """A copy with the strides of another array where those leave no holes, else in row-major order."""
    if like.flags.c_contiguous and 1 not in like.shape:
        return dense(np.asarray(values))
    out = empty_as(like) if _is_dense(like.shape, stride(like)) else np.empty(like.shape, like.dtype)
    write(out, values)
    return out


def write(target: np.ndarray, value) -> None:
    """Writes a value to a strided array.

    A large one in another order of axes is written in strips that fit the cache.
    """
    if target.size >= _RUN and not np.ndim(value):
        target = _once(target)
    strips = _strips(target, value) if target.size >= _RUN else None
    if strips is None:
        target[...] = value
        return
    d, width = strips
    again = value.size > (value := _once(value)).size
    if again:  # repeated cells are then gathered only once
        width = max(_AGAIN * target.shape[d] // value.size, 1)
    for k in range(0, target.shape[d], width):
        part = (slice(None),) * d + (slice(k, k + width),)
        target[part] = dense(value[part]) if again else value[part]


def _once(a):
    """An array without the repeats of axes that do not move in memory: these have size 1."""
    return a[tuple([slice(None if s else 1) for s in a.strides])]


_AGAIN = 1 << 18  # cells written from one copy of a repeated part
_LINE, _CACHE, _PAGE = 64, 32 << 10, 4096  # bytes, on most machines; a line's place in the cache is that in its page


def _strips(target, value):
    """(axis, width of a strip) where neighbours in `target` are far apart in `value`, else None.

    The width is the whole axis, or as much of it as the cache holds.
    """
    if np.shape(value) != target.shape:
        return None
    near, far = _nearest(target), _nearest(value)
    step = abs(value.strides[near])
    if near == far or step <= value.itemsize or np.may_share_memory(target, value):
        return None
    line = max(_gcd(step, _PAGE), _LINE)  # rows a power of 2 apart share few cache lines
    if target.shape[near] * line <= _CACHE or target.shape[far] * _LINE <= _PAGE:
        return near, target.shape[near]
    return near, max(_CACHE // (2 * line), 16)  # half the cache: the other half is for the target


def _nearest(a):
    """The axis with the smallest stride, without axes of size 1 and strides of 0; -1 if there is none."""
    near, least = -1, np.inf
    for d, s in enumerate(a.strides):
        if 0 < abs(s) < least and a.shape[d] > 1:
            near, least = d, abs(s)
    return near


def sum_to(g, shape):
    """Undo broadcasting: sum over the axes that were added or stretched."""
    if g.shape == shape:
        return g
    lead, stretched = _broadcast_axes(shape, g.shape)
    if shape and not stretched:
        return _add_up(g, lead)
    g = _add_up(g, lead + stretched, True)
    return g.reshape(shape) if lead else g


def write_sum(target, g) -> None:
    """Add into an array that is already there."""
    np.add(target, g, out=target, casting="unsafe")


def owns(g) -> bool:
    """True if an array has memory of its own in row-major or column-major order."""
    return g.__class__ is np.ndarray and g.base is None and g.flags.forc and g.flags.behaved


def whole(g):
    """The array that owns the memory of g, if g shows all of it in any order of axes.

    It is g itself or its base; else None.
    """
    a = g if g.base is None else g.base
    alone = a.__class__ is np.ndarray and a.base is None and a.size == g.size and g.flags.behaved
    return a if alone and _is_dense(g.shape, stride(g)) else None


def freeze(a) -> None:
    """Make an array read-only."""
    a.flags.writeable = False


def shares(a, b) -> bool:
    """True if two arrays have a slot in common; not where NumPy cannot tell with limited effort."""
    try:
        return np.shares_memory(a, b, max_work=100_000)
    except np.exceptions.TooHardError:
        return False
