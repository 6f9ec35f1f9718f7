"""Square brackets: x[...] and x[...] = v, with everything PyTorch lets stand between them.

Integers, slices, None and `...` make a view: in one layout computation, or one for each where it is recorded. Index
arrays, lists and masks copy; several of them broadcast together, and their axes stand where the first one stood, or in
front where a slice stands between them.
"""
from __future__ import annotations

from operator import index as as_int
from typing import Any

from .. import layout as rules
from ..backends import backend
from ..errors import ArgumentTypeError, ArgumentValueError, BroadcastError, IndexOutOfRange, align_right
from ..tensor import Tensor
from .dispatch import fresh
from .registry import apply, apply_view, is_recorded, op, watchers
from .slots import layout_of, scattered
from .view import alias, unsqueeze


def _quick(a, *, items):
    """Integers and slices by NumPy's own view, and how many slots later it begins; None for the rest."""
    at, shape, strides = 0, a.shape, a.strides
    if not a.size or len(items) > len(shape):
        return None
    for axis, item in enumerate(items):
        if item.__class__ is int:
            at += (item if item >= 0 else item + shape[axis]) * strides[axis]
        elif item.__class__ is slice:
            if item.start is not None or item.stop is not None or item.step is not None:
                try:
                    first, _, by = item.indices(shape[axis])
                except (TypeError, ValueError):  # said by the layout
                    return None
                if by < 1:
                    return None
                at += first * strides[axis]
        else:
            return None
    try:
        return a[(*items, Ellipsis)], at // a.itemsize
    except IndexError:
        return None


def _reader(name, what):
    return op(public=False, method=False)(type(f"read_{name}", (), {
        "__doc__": f"y = x[items], whose last item {what}        dx = zeros with g where x was read",
        "__module__": __name__,
        "torch_name": f"{name.capitalize()}Backward0",
        "layout": rules.read,
        "quick": _quick,
        "grad_x": scattered(rules.read),
        "call": lambda input, items: apply_view(_READERS[name], input, items=items),
    })).op


_READERS = {
    "select": _reader("select", "is an integer"),
    "slice": _reader("slice", "is a slice"),
}
_OF_ITEM = {int: _READERS["select"], slice: _READERS["slice"]}


@op(public=False, method=False)
class index:
    """y = x[arrays], index array k along dims[k]        dx = zeros with every g added where it was read"""
    def forward(F, x, *, dims, arrays): return F.brackets(x, dims, arrays)
    def grad_x(F, g, shape, *, dims, arrays): return F.index_zeros(g, shape, dims, arrays)
    def call(x, dims, arrays): return apply(index.op, x, dims=dims, arrays=_plain(arrays))


@op(public=False, method=False)
class index_zeros:
    """y = zeros of `shape` with g added at index arrays        dg = dy read at them"""
    def forward(F, g, *, size, dims, arrays): return F.dense(F.index_zeros(g, size, dims, arrays))
    def grad_g(F, g, *, size, dims, arrays): return F.index(g, dims, arrays)
    def call(g, shape, dims, arrays): return apply(index_zeros.op, g, size=shape, dims=dims, arrays=_plain(arrays))


@op(public=False, method=False)
class index_clear:
    """y = x with 0 at index arrays        dx = g with 0 there"""
    def forward(F, x, *, dims, arrays): return F.index_clear(x, dims, arrays)
    def grad_x(F, g, *, dims, arrays): return F.index_clear(g, dims, arrays)
    def call(x, dims, arrays): return apply(index_clear.op, x, dims=dims, arrays=_plain(arrays))


def _plain(arrays):
    return tuple([a._a if isinstance(a, Tensor) else a for a in arrays])


# What stands between the brackets


SHORT = ("int16", "int8")


def basic(parts) -> bool:
    """Whether an index expression makes a view: integers, slices, None and `...` only."""
    for part in parts:
        kind = part.__class__
        if kind is not int and kind is not slice and part is not None and part is not Ellipsis:
            return False
    return True


def getitem(x: Tensor, key) -> Tensor:
    """x[key]: a view for integers, slices, None and `...`; a copy where index arrays, lists or masks take part.

    Raises:
        IndexOutOfRange (an IndexError): no such index (names the axis), too many items, a mask that does not fit, a
        float.
        ArgumentTypeError (a TypeError): text. ArgumentValueError (a ValueError): a step below 1.
    Source: https://pytorch.org/docs/stable/tensor_view.html
    """
    parts = key if key.__class__ is tuple else (key,)
    if basic(parts):
        return read(x, parts)
    lasting = bool(watchers) or is_recorded(x)
    if not lasting and isinstance(key, Tensor) and _is_mask(key._a) and key._a.shape == x._a.shape:
        return fresh(backend.masked_select(x._a, key._a))
    items, dims, arrays = spread(x, as_tuple(key), lasting)
    if items:
        x = read(x, items)
    return read_at(x, dims, arrays) if dims else x


def read(x: Tensor, items: tuple) -> Tensor:
    """x[items] for a basic index expression: one view named after its last index or slice; of a tensor with a history,
    and of None alone, one view for each item that does something, as PyTorch records it.
    """
    if len(items) == 1 or not is_recorded(x):
        for item in reversed(items):
            if item.__class__ in _OF_ITEM:
                return apply_view(_OF_ITEM[item.__class__], x, items=items)
    return _item_by_item(x, items)


def _item_by_item(x, items):
    y, axis = x, 0
    try:
        for item in items:
            if item is Ellipsis:
                axis += max(0, x._a.ndim - sum([other is not None and other is not Ellipsis for other in items]))
                continue
            if item is None:
                y = unsqueeze(y, axis)
            elif item.__class__ is not slice or not _whole(item, y._a.shape[axis]):
                y = apply_view(_OF_ITEM[item.__class__], y, items=(*[slice(None)] * axis, item))
            axis += item.__class__ is not int
    except (IndexError, ValueError):
        rules.read(*layout_of(x), items=items)  # says it of x itself
        raise
    return alias(x) if y is x else y


def _whole(item, n) -> bool:
    """Whether a slice is written as taking everything; PyTorch makes a view of one that only turns out to."""
    return item.start in (None, 0) and item.step in (None, 1) and (item.stop is None or item.stop >= n)


def read_at(x: Tensor, dims, arrays) -> Tensor:
    try:
        return apply(index.op, x, dims=dims, arrays=arrays)
    except IndexError:
        check_arrays(x, dims, arrays)
        nowhere = tuple([a * 0 for a in arrays])  # as in PyTorch, what reads no cell reads none outside
        return apply(index.op, x, dims=dims, arrays=nowhere)


def as_tuple(key) -> tuple:
    """The items of an index expression.

    As in PyTorch a short list in which lists, slices or tensors stand is taken for a tuple.
    """
    if isinstance(key, tuple):
        return key
    if isinstance(key, list) and len(key) < 32:
        for part in key:
            if (part is None or part is Ellipsis or isinstance(part, (list, tuple, slice, Tensor))
                    or getattr(part, "ndim", 0)):
                return tuple(key)
    return (key,)


def spread(x: Tensor, parts: tuple, lasting: bool = True) -> tuple[tuple, tuple, tuple]:
    """An index expression as a basic one, and index arrays for axes of what that gives.

    With `lasting`, as a gradient needs them, those are nobody else's; without, an index tensor is read where it lies.

    Returns:
        (items, dims, arrays): items is () where the basic part reads everything.
    """
    items: list[Any] = []
    dims, arrays = [], []
    axis, place = 0, 0             # of x, and of x[items]
    converted = [part if part is None or part is Ellipsis or isinstance(part, slice) else convert(part, lasting)
                 for part in parts]
    takes = [0 if part is None or part is Ellipsis else part.ndim if _is_mask(part) else 1 for part in converted]
    for k, part in enumerate(converted):
        if part is Ellipsis:
            skip = max(0, x._a.ndim - axis - sum(takes[k:]))
            items += [slice(None)] * skip
            axis, place = axis + skip, place + skip
        elif part is None or isinstance(part, (slice, int)):
            items.append(part)
            place += not isinstance(part, int)
            axis += part is not None
        elif _is_mask(part):
            fit_mask(x, part, axis)
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
    if axis > x._a.ndim:
        raise IndexOutOfRange(f"{axis} indices for shape {tuple(x.shape)}",
                              f"too many indices for tensor of dimension {x._a.ndim}",
                              f"at most {x._a.ndim}, one per axis")
    everything = all(isinstance(item, slice) and item == slice(None) for item in items)
    return () if everything else tuple(items), tuple(dims), tuple(arrays)


def _is_mask(part) -> bool:
    return getattr(part, "dtype", None) == "bool"


def fit_mask(x, mask, axis):
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


def convert(part, lasting: bool = True) -> Any:
    """One item: an int, or an index array of int64 or bool; with `lasting`, one of int64 is a copy.

    Raises:
        IndexOutOfRange (an IndexError): no kind of index. ArgumentTypeError (a TypeError): text.
    """
    if isinstance(part, Tensor):
        a = part._a
        if a.dtype.kind not in "iub" or a.ndim and a.dtype in SHORT:
            raise IndexOutOfRange(f"an index of {part.dtype!r}",
                                  "tensors used as indices must be long, int, byte or bool tensors",
                                  "index.long(), or a mask: x > 0")
        if a.dtype.kind in "bu":
            return a if a.dtype.kind == "b" else a != 0
        return int(a) if not a.ndim else a.astype("int64", copy=lasting)
    if isinstance(part, bool):
        return backend.from_data(part, "bool")
    if isinstance(part, (str, bytes)):
        raise ArgumentTypeError(f"x[{part!r}]", f"new(): invalid data type '{type(part).__name__}'",
                                "an index is a number, a slice, a list or a tensor")
    if isinstance(part, (list, tuple, range)) or getattr(part, "ndim", 0):
        return _numbers(part)
    if hasattr(part, "__index__") and getattr(part, "dtype", None) != "bool":
        return as_int(part)
    raise IndexOutOfRange(f"x[{str(part)[:60]}]", "only integers, slices (`:`), ellipsis (`...`), None and long or "
                                                  "byte Variables are valid indices "
                          f"(got {type(part).__name__})", "a whole number, e.g. x[1]; int(i) for a float")


def _numbers(part):
    """A list, range or array as an index array; numbers become int64 as in PyTorch, bools a mask."""
    from ..creation import tensor
    try:
        a = tensor(part if hasattr(part, "dtype") else list(part))._a
    except ArgumentValueError as error:
        raise ArgumentTypeError(error.was,
                                f"an index list holds whole numbers or bools, in rows of one length: {error.rule}",
                                error.fix) from None
    return a if a.dtype == "bool" else a.astype("int64")


def check_arrays(x: Tensor, dims, arrays) -> None:
    """Refuse index arrays that do not broadcast together, or that leave their axis, unless no cell is meant at all.

    Raises:
        IndexOutOfRange (an IndexError): names the axis and the index.
    """
    try:
        shape = rules.broadcast_shapes(*[a.shape for a in arrays])
    except BroadcastError as error:
        raise IndexOutOfRange(error.was, "shape mismatch: indexing tensors could not be broadcast together with shapes "
                              + ", ".join(str(list(a.shape)) for a in arrays),
                              "index lists of one length, or [[0], [1]] against [2, 3] for a grid") from None
    cells = 0 not in shape and all([n for d, n in enumerate(x._a.shape) if d not in dims])
    for dim, a in zip(dims, arrays):
        n = x._a.shape[dim]
        for i in (a.min(), a.max()) if a.size else ():
            if not -n <= i < n and (cells or not n and 0 not in shape):
                raise IndexOutOfRange(f"index {i} on dim {dim} of shape {tuple(x.shape)}",
                                      f"index {i} is out of bounds for dimension {dim} with size {n}",
                                      f"use {-n} to {n - 1}" if n else "an axis of size 0 has no index", dim=dim,
                                      index=int(i), shape=tuple(x.shape))


Tensor.__getitem__ = getitem
