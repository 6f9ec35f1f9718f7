"""The items between square brackets: integers, slices, None, `...`, and index arrays, lists and masks.

An expression is taken apart into a basic one, which makes a view, and index arrays for axes of that view.
"""
from __future__ import annotations

from contextlib import suppress
from operator import index as as_int
from typing import Any

import numpy as np

from ... import layout as rules
from ...backends import backend
from ...dispatch import check_history
from ...errors import (
    ArgumentTypeError,
    ArgumentValueError,
    BroadcastError,
    DTypeError,
    IndexOutOfRange,
    align_right,
    warn,
)
from ...errors.foreign import kind_of, stranger
from ...tensor import Tensor

BOOL, BYTE = np.dtype("bool"), np.dtype("uint8")  # NumPy reads a name anew in each comparison


def basic(parts) -> bool:
    """True if an index expression makes a view: integers, slices, None and `...` only."""
    for part in parts:
        kind = part.__class__
        if kind is not int and kind is not slice and part is not None and part is not Ellipsis:
            return False
    return True


def as_tuple(key) -> tuple:
    """The items of an index expression.

    As in PyTorch, a short list that holds lists, slices or tensors is taken for a tuple, with a warning.
    """
    if isinstance(key, tuple):
        return key
    if isinstance(key, list) and len(key) < 32:
        for part in key:
            if part is None or part is Ellipsis or isinstance(part, (list, tuple, slice, Tensor, np.ndarray)):
                warn("Using a non-tuple sequence for multidimensional indexing is deprecated; use x[tuple(seq)] "
                     "instead of x[seq], or x[rustyflow.tensor(seq)] for an index array")
                return tuple(key)
    return (key,)


def spread(x: Tensor, parts: tuple, written: bool = False) -> tuple[tuple, tuple, tuple]:
    """Takes an index expression apart into a basic one, and index arrays for axes of its view.

    Returns:
        (items, dims, arrays): items is () where the basic part reads everything.
    """
    if (taken := sum(map(_taken, parts))) > x._a.ndim:
        raise IndexOutOfRange(f"{taken} indices for shape {tuple(x.shape)}",
                              f"too many indices for tensor of dimension {x._a.ndim}",
                              f"at most {x._a.ndim}, one per axis")
    try:
        return _apart(x, parts, taken)
    except (IndexError, TypeError, ValueError, RuntimeError):
        _in_turn(x, parts)
        if written:
            check_history(x, "index_put_")
        raise


def _in_turn(x, parts) -> None:
    """Raise the error that PyTorch finds first where several items are wrong: it makes the views of all basic items,
    one by one, before it reads index tensors.
    """
    axis = 0
    for k, part in enumerate(parts):
        if isinstance(part, Tensor) and (part._a.ndim or part._a.dtype.kind not in "iu" or part._a.dtype == BYTE):
            axis += _taken(part)
            continue
        if part is Ellipsis:
            axis = x._a.ndim - sum(map(_taken, parts[k + 1:]))
            continue
        item = part if part is None or isinstance(part, slice) else _convert(part)
        if isinstance(item, (int, slice)):
            rules.read(x._a.shape, x._a.strides, 0, items=(*[slice(None)] * axis, item))
        axis += _taken(part)


def _apart(x, parts, taken):
    items: list[Any] = []
    dims, arrays = [], []
    axis, place = 0, 0             # of x, and of x[items]
    converted = [part if part is None or part is Ellipsis or isinstance(part, slice) else _convert(part)
                 for part in parts]
    for part in converted:
        if part is Ellipsis:
            skip = x._a.ndim - max(taken, axis)  # 0 for a second `...`
            items += [slice(None)] * skip
            axis, place = axis + skip, place + skip
        elif part is None or isinstance(part, (slice, int)):
            items.append(part)
            place += not isinstance(part, int)
            axis += part is not None
        elif is_of(part, BOOL):
            _fit_mask(x, part, axis)
            items += [slice(None)] * part.ndim or [None]
            where = backend.nonzero(part)
            dims += range(place, place + len(where))
            arrays += where
            axis, place = axis + part.ndim, place + len(where)
        else:
            items.append(slice(None))
            dims.append(place)
            arrays.append(part)
            axis, place = axis + 1, place + 1
    everything = items.count(slice(None)) == len(items)
    return () if everything else tuple(items), tuple(dims), tuple(arrays)


def is_of(part, dtype: np.dtype) -> bool:
    """True if an item is a tensor, or an array, of that NumPy dtype."""
    return getattr(part._a if isinstance(part, Tensor) else part, "dtype", None) == dtype


def _taken(part) -> int:
    """The number of axes that an item takes: PyTorch counts one for a mask that is no tensor."""
    if part is None or part is Ellipsis or part.__class__ is bool:
        return 0
    return part._a.ndim if isinstance(part, Tensor) and part._a.dtype in (BOOL, BYTE) else 1


def is_mask_of(x, key) -> bool:
    """True if an index is a mask of all of x."""
    return isinstance(key, Tensor) and key._a.dtype == BOOL and key._a.shape == x._a.shape != ()


def _fit_mask(x, mask, axis):
    """Refuse a mask whose shape is not that of the axes it stands for.

    Raises:
        IndexOutOfRange (an IndexError).
    """
    have = x._a.shape[axis:axis + mask.ndim]
    if have != mask.shape:
        if len(have) < mask.ndim:
            raise IndexOutOfRange(f"a mask of shape {tuple(mask.shape)} from dim {axis} on of shape {tuple(x.shape)}",
                                  f"too many indices for tensor of dimension {x._a.ndim}",
                                  "a mask takes as many axes as it has")
        d = next(d for d in range(mask.ndim) if have[d] != mask.shape[d])
        raise IndexOutOfRange(align_right(("tensor", x._a.shape), ("mask", mask.shape)),
                              f"The shape of the mask {list(mask.shape)} at index {d} does not match "
                              f"the shape of the indexed tensor {list(x.shape)} at index {axis + d}",
                              f"a mask of shape {tuple(have)}")


def _convert(part) -> Any:
    """One item: an int, or an index array of int64 or bool.

    Raises:
        IndexOutOfRange (an IndexError): no kind of index. ArgumentTypeError (a TypeError): text.
    """
    if isinstance(part, np.ndarray):
        part = _of_array(part)
    if isinstance(part, Tensor):
        a = part._a
        if a.dtype.kind not in "iub" or a.ndim and a.dtype.kind == "i" and a.itemsize < 4:
            raise IndexOutOfRange(f"an index of {part.dtype!r}",
                                  "tensors used as indices must be long, int, byte or bool tensors",
                                  "index.long(), or a mask: x > 0")
        if a.dtype.kind == "u":
            warn("indexing with dtype uint8 is now deprecated, please use a dtype bool instead: mask.bool(), or x > 0")
            return a != 0
        if a.dtype.kind == "b":
            return a
        return int(a) if not a.ndim else a.astype("int64", copy=False)
    if isinstance(part, bool):
        return backend.from_data(part, "bool")
    if isinstance(part, (str, bytes)):
        raise ArgumentTypeError(f"x[{part!r}]", f"new(): invalid data type '{kind_of(part)}'",
                                "an index is a number, a slice, a list or a tensor", value=part)
    if isinstance(part, (list, tuple, range)):
        return _numbers(part)
    if hasattr(part, "__index__") and getattr(part, "dtype", None) != "bool":
        with suppress(TypeError):  # as of an array of one float
            return as_int(part)
    raise IndexOutOfRange(f"x[{str(part)[:60]}]", "only integers, slices (`:`), ellipsis (`...`), None and long or "
                                                  "byte Variables are valid indices "
                          f"(got {kind_of(part)})", "a whole number, e.g. x[1]; int(i) for a float", value=part)


def _of_array(part):
    """One of NumPy's arrays as a tensor: a mask stays one, numbers become int64, as in PyTorch."""
    from ..creation import tensor
    from ..creation.values import check_layout
    if part.dtype.kind in "iu" and part.dtype != "uint8":
        check_layout(part)
        part = part.astype("int64")
    index = tensor(part)
    return index.long() if index.is_floating_point() else index


def _numbers(part):
    """A list or range as an index array; numbers become int64 as in PyTorch, bools a mask."""
    from ..creation import tensor
    if getattr(stranger(part), "ndim", 0):
        raise IndexOutOfRange(f"x[{str(part)[:60]}]", "an index list holds whole numbers or bools", value=part)
    try:
        a = tensor(list(part))._a
    except ArgumentValueError as error:
        if error.rule.startswith("Overflow"):
            raise ArgumentValueError(f"x[{part!r:.60}]", error.rule, "indices within the axis") from None
        wrong = ArgumentValueError if error.rule.startswith("expected sequence") else ArgumentTypeError
        raise wrong(error.was, f"an index list holds whole numbers or bools, in rows of one length: {error.rule}",
                    error.fix) from None
    if a.dtype.kind == "f" and not backend.all(abs(a) < 2**63):
        raise DTypeError(f"x[{str(part)[:60]}]", "value cannot be converted to type int64 without overflow",
                         "whole numbers within the axis")
    return a if a.dtype == BOOL else a.astype("int64")


def shape_of(arrays) -> tuple[int, ...]:
    """The shape that index arrays broadcast to.

    Raises:
        IndexOutOfRange (an IndexError): they do not.
    """
    try:
        return rules.broadcast_shapes(*[a.shape for a in arrays])
    except BroadcastError as error:
        raise IndexOutOfRange(error.was, "shape mismatch: indexing tensors could not be broadcast together with shapes "
                              + ", ".join(str(list(a.shape)) for a in arrays),
                              "index lists of one length, or [[0], [1]] against [2, 3] for a grid") from None


def check_arrays(x: Tensor, dims, arrays) -> None:
    """Refuse index arrays that do not broadcast together, or that leave their axis, unless no cell is meant at all.

    Raises:
        IndexOutOfRange (an IndexError): names the axis and the index.
    """
    shape = shape_of(arrays)
    cells = 0 not in shape and all([n for d, n in enumerate(x._a.shape) if d not in dims])
    for dim, a in zip(dims, arrays):
        n = x._a.shape[dim]
        for i in (a.min(), a.max()) if a.size else ():
            if not -n <= i < n and (cells or not n and 0 not in shape):
                raise rules.no_such_index(x._a.shape, dim, i)
