"""Square brackets: x[...], with everything PyTorch lets stand between them.

Integers, slices, None and `...` make a view: in one layout computation, or one for each where it is recorded. Index
arrays, lists and masks copy; several of them broadcast together, and their axes stand where the first one stood, or in
front where a slice stands between them.
"""
from __future__ import annotations

from ... import layout as rules
from ...backends import backend
from ...dispatch import apply, apply_view, fresh, is_recorded, layout_of, op, watchers
from ...tensor import Tensor
from ..views import alias, scattered, unsqueeze
from .expression import as_tuple, basic, check_arrays, is_mask_of, spread


def quick(a, *, items):
    """For integers and slices (NumPy's view, slots added to the offset); None for other items."""
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
                if not 0 < by <= rules.LONGEST:
                    return None
                at += first * strides[axis]
        else:
            return None
    try:
        return a[(*items, Ellipsis)], at // a.itemsize
    except (IndexError, OverflowError):  # said by the layout
        return None


def _reader(name):
    return op(public=False, method=False)(type(f"read_{name}", (), {
        "__doc__": "y = x[items]        dx = given_back(g, x)",
        "__module__": __name__,
        "torch_name": f"{name.capitalize()}Backward0",
        "layout": rules.read,
        "quick": quick,
        "grad_x": scattered(rules.read),
        "call": lambda input, items: apply_view(_READERS[name], input, items=items),
    })).op


_READERS = {"select": _reader("select"), "slice": _reader("slice")}
_OF_ITEM = {int: _READERS["select"], slice: _READERS["slice"]}


@op(public=False, method=False)
class index:
    """y = read_at(x, dims, arrays)        dx = given_back(g, x)"""
    def forward(F, x, *, dims, arrays): return F.brackets(x, dims, arrays)
    def grad_x(F, g, shape, arrays, *, dims): return F.index_zeros(g, shape, dims, arrays)
    def call(x, dims, arrays): return apply(index.op, x, dims=dims, arrays=_copied(arrays))


@op(public=False, method=False)
class index_zeros:
    """y = index_zeros(g, size, dims, arrays)        dg = read_at(dy, dims, arrays)"""
    def forward(F, g, *, size, dims, arrays): return F.dense(F.index_zeros(g, size, dims, arrays))
    def grad_g(F, g, arrays, *, size, dims): return F.index(g, dims, arrays)
    def call(g, shape, dims, arrays): return apply(index_zeros.op, g, size=shape, dims=dims, arrays=_copied(arrays))


@op(public=False, method=False)
class index_clear:
    """y = write_at(x, dims, arrays, 0)        dx = write_at(g, dims, arrays, 0)"""
    def forward(F, x, *, dims, arrays): return F.index_clear(x, dims, arrays)
    def grad_x(F, g, arrays, *, dims): return F.index_clear(g, dims, arrays)
    def call(x, dims, arrays): return apply(index_clear.op, x, dims=dims, arrays=_copied(arrays))


def _copied(arrays):
    """Copies of index arrays for a recorded gradient, which would not notice a write to the arrays themselves."""
    return tuple([backend.dense(a._a if isinstance(a, Tensor) else a) for a in arrays])


def hold(node, parts) -> None:
    """Let a node also save the program's index tensors, so that a write to one of them is noticed."""
    node.saved = (*node.saved, *[part for part in parts if isinstance(part, Tensor) and part._a.ndim])


@op(public=False, method=False)
class pick:
    """y = masked(x, mask)        dx = given_back(g, x)"""
    torch_name, promote = "IndexBackward0", None
    def forward(F, x, mask): return F.masked_select(x if x.shape == mask.shape else F.expand(x, mask.shape), mask)
    def grad_x(F, g, mask): return F.masked_place(g, mask)


@op(public=False, method=False)
class masked_place:
    """y = masked_zeros(x, mask)        dx = masked(dy, mask)"""
    promote = None
    def forward(F, x, mask): return F.masked_place(x, mask)
    def grad_x(F, g, shape, mask): return F.first_places(F.masked_select(g, mask), shape)
    def call(x, mask): return apply(masked_place.op, x, mask)


@op(public=False, method=False)
class first_places:
    """y = first_cells(x, size)        dx = first_of(dy, x.shape)"""
    def grad_x(F, g, shape, *, size): return F.reshape(F.narrow(F.reshape(g, (-1,)), 0, 0, shape[0]), shape)
    def call(x, shape): return x if x._a.shape == tuple(shape) else apply(first_places.op, x, size=tuple(shape))


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
    if is_mask_of(x, key):
        lasting = watchers or is_recorded(x)
        return apply(pick.op, x, key) if lasting else fresh(backend.masked_select(x._a, key._a))
    parts = as_tuple(key)
    items, dims, arrays = spread(x, parts)
    if items:
        x = read(x, items) if watchers or is_recorded(x) or not dims else _part(x, items)
    if not dims:
        return x
    out = read_at(x, dims, arrays)
    if out._history is not None:
        hold(out._history, parts)
    return out


def _part(x, items):
    """x[items] for index arrays to read from at once: nobody sees it, so it needs no storage and no base."""
    found = quick(x._a, items=items)
    return read(x, items) if found is None else fresh(found[0])


def read(x: Tensor, items: tuple) -> Tensor:
    """x[items] for a basic index expression, as one view, whose node is named after the last index or slice.

    A tensor with a history gets one view per item that changes anything, as PyTorch records it; so does an expression
    of None and `...` only.
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
    except (IndexError, ValueError, RuntimeError):  # RuntimeError: a tensor of several cells in a slice
        rules.read(*layout_of(x), items=items)  # raises with the layout of x itself
        raise
    return alias(x) if y is x else y


def _whole(item, n) -> bool:
    """True if a slice obviously takes everything; for another that does so, PyTorch makes a view."""
    if not all([part is None or hasattr(part, "__index__") for part in (item.start, item.stop, item.step)]):
        return False  # the layout refuses it
    return item.start in (None, 0) and item.step in (None, 1) and (item.stop is None or item.stop >= n)


def read_at(x: Tensor, dims, arrays) -> Tensor:
    try:
        return apply(index.op, x, dims=dims, arrays=arrays)
    except IndexError:
        check_arrays(x, dims, arrays)
        nowhere = tuple([a * 0 for a in arrays])  # nothing is read, so no index is out of range, as in PyTorch
        return apply(index.op, x, dims=dims, arrays=nowhere)


Tensor.__getitem__ = getitem
