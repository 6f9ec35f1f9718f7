"""Square brackets: the layout that a basic index expression reads, in one pass."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..errors import ArgumentTypeError, ArgumentValueError, IndexOutOfRange
from .strides import Layout, Shape


def read(shape: Shape, stride: Shape, offset: int, *, items: Sequence[Any]) -> Layout:
    """An index, part by part: an integer drops its axis, a slice narrows it.

    None adds an axis of size 1, `...` stands for the axes not named.

    Raises:
        IndexOutOfRange (an IndexError): no such index, or more items than axes; names the axis.
        ArgumentValueError (a ValueError): a slice with a step below 1. ArgumentTypeError (a TypeError): one that is not
        of whole numbers.

    Example:
        >>> read((3, 4), (4, 1), 0, items=(1, None, slice(0, None, 2)))
        ((1, 2), (4, 2), 4)
    """
    rank, axis = len(shape), 0
    if len(items) > rank > 0 and sum(1 for item in items if item is not None and item is not Ellipsis) > rank:
        raise _too_many(shape, items)
    new_shape, new_stride = [], []
    for item in items:
        if item is None:
            new_shape.append(1)
            new_stride.append(shape[axis] * stride[axis] if axis < rank else 1)
            continue
        if item is Ellipsis:
            rest = axis + rank - sum(1 for other in items if other is not None and other is not Ellipsis)
            new_shape += shape[axis:rest]
            new_stride += stride[axis:rest]
            axis = max(axis, rest)
            continue
        if axis >= rank:
            raise _too_many(shape, items)
        n, s = shape[axis], stride[axis]
        if item.__class__ is slice:
            first, n, by = span(item, n)
            offset += first * s
            new_shape.append(n)
            new_stride.append(s * by)
        else:
            if not -n <= item < n:
                raise _outside(shape, axis, item)
            offset += (item + n if item < 0 else item) * s
        axis += 1
    return (*new_shape, *shape[axis:]), (*new_stride, *stride[axis:]), offset


LONGEST = 1 << 32
"""The longest step of a slice, or of one window: a longer one takes one cell as well, and its stride could have more
than 64 bits.
"""


def span(item: slice, n: int) -> tuple[int, int, int]:
    """The first index of a slice of an axis of size n, how many it takes, and its step.

    Raises:
        ArgumentValueError (a ValueError): a step below 1. ArgumentTypeError (a TypeError): not of whole numbers.

    Example:
        >>> span(slice(1, None, 2), 4)
        (1, 2, 2)
    """
    if item.step is None and item.start is None and item.stop is None:
        return 0, n, 1
    try:
        first, last, by = item.indices(n) if item.step != 0 else (0, 0, 0)
    except TypeError:
        shown = ":".join("" if part is None else str(part) for part in (item.start, item.stop, item.step))
        raise ArgumentTypeError(f"x[{shown}]", "slice indices must be integers or None or have an __index__ method",
                                "whole numbers, e.g. x[int(n / 2):], or n // 2") from None
    if by < 1:
        raise ArgumentValueError(f"a slice with step {item.step}", "step must be greater than zero",
                                 "use flip(dim) to read backwards; it copies")
    return first, max(0, (last - first + by - 1) // by), min(by, LONGEST)


def _outside(shape, axis, index) -> IndexOutOfRange | ArgumentValueError:
    n = shape[axis]
    if not -1 << 63 <= index < 1 << 63:
        return ArgumentValueError(f"an index of {index.bit_length()} bits on dim {axis} of shape {tuple(shape)}",
                                  "Overflow when unpacking long long", f"use {-n} to {n - 1}")
    return no_such_index(shape, axis, index)


def no_such_index(shape: Shape, dim: int, index: int) -> IndexOutOfRange:
    """The error for an index that an axis does not have.

    Example:
        >>> print(no_such_index((2, 3), 1, 3))
        index 3 on dim 1 of shape (2, 3)
        rule: index 3 is out of bounds for dimension 1 with size 3
        try:  use -3 to 2
    """
    n, shape = shape[dim], tuple(shape)
    return IndexOutOfRange(f"index {index} on dim {dim} of shape {shape}",
                           f"index {index} is out of bounds for dimension {dim} with size {n}",
                           f"use {-n} to {n - 1}" if n else "an axis of size 0 has no index",
                           dim=dim, index=int(index), shape=shape)


def _alone(item) -> None:
    """Refuse a slice or an index that is wrong for every axis."""
    if item.__class__ is slice:
        span(item, 1)
    elif not -1 << 63 <= item < 1 << 63:
        raise ArgumentValueError(f"an index of {item.bit_length()} bits into a 0-d tensor",
                                 "Overflow when unpacking long long", "read its number with x.item()")


def _too_many(shape, items) -> IndexOutOfRange:
    named = sum(1 for item in items if item is not None and item is not Ellipsis)
    if not shape:
        if len(items) == 1:  # an error of the only item itself comes first
            _alone(items[0])
        return IndexOutOfRange("an index into a 0-d tensor",
                               "invalid index of a 0-dim tensor: it has no axis to take it",
                               "read its number with x.item()")
    return IndexOutOfRange(f"{named} indices for shape {tuple(shape)}",
                           f"too many indices for tensor of dimension {len(shape)}",
                           f"at most {len(shape)}, one per axis")
