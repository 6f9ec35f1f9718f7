"""x[...] = v, and writing or adding at index arrays."""
from __future__ import annotations

from numbers import Integral

from .. import layout as rules
from ..backends import backend
from ..dtype import OF_PYTHON
from ..errors import (
    ArgumentTypeError,
    BroadcastError,
    DTypeError,
    IndexOutOfRange,
    ShapeError,
    TensorError,
    align_right,
)
from ..scalars import fitted
from ..tensor import Tensor, storage_of, wrap
from .broadcast import expand
from .fill import copy_, fill_, set_one
from .index import as_tuple, basic, check_arrays, read, spread
from .inplace import check_apart
from .registry import constant, is_recorded, not_a_tensor, notify, op, overwrite, watchers
from .view import view
from .write_check import check_write


@op(public=False, method=False)
class write_at:
    """y = x with value at index arrays        dx = g with 0 there        dvalue = g read there"""
    called, torch_name = "index_put(input, values)", "IndexPutBackward0"
    promote = None
    def forward(F, x, value, *, dims, arrays): return F.index_put(F.dense_as(x), dims, arrays, value)
    def grad_x(F, g, *, dims, arrays): return F.index_clear(g, dims, arrays)
    def grad_value(F, g, *, dims, arrays): return F.index(g, dims, arrays)


@op(public=False, method=False)
class write_where:
    """y = value where mask, else x        dx = 0 where mask, else g        dvalue = g where mask, else 0, summed"""
    called, torch_name = "index_put(input, mask, values)", "IndexPutBackward0"
    promote = None
    def forward(F, x, mask, value): return F.where(mask, value, x)
    def grad_x(F, g, mask): return F.where(mask, 0.0, g)
    def grad_value(F, g, mask): return F.sum(F.where(mask, g, 0.0))


@op(public=False, method=False)
class add_at:
    """y = x with value added at index arrays        dx = g        dvalue = g read there"""
    called, torch_name = "index_put(input, values)", "IndexPutBackward0"
    promote = None
    def forward(F, x, value, *, dims, arrays): return F.index_put(F.dense_as(x), dims, arrays, value, True)
    def grad_x(F, g, *, dims, arrays): return g
    def grad_value(F, g, *, dims, arrays): return F.index(g, dims, arrays)


def setitem(x: Tensor, key, value) -> None:
    """x[key] = value: written into x's own memory; the value broadcasts, and is cast to x's dtype.

    Raises:
        As x[key] does; BroadcastError, GradError, MemoryOverlapError (RuntimeErrors); ArgumentTypeError (a TypeError):
        neither tensor nor number.
    """
    if not isinstance(value, Tensor) and value.__class__ not in OF_PYTHON:
        if not isinstance(value, (float, Integral)):
            raise ArgumentTypeError(f"x[...] = {str(value)[:60]}",
                                    f"can't assign a {'numpy.' * hasattr(value, 'dtype')}{type(value).__name__} to a "
                                    f"tensor of {x.dtype.name}", "a Python number, or wrap it: rustyflow.tensor(...)")
        value = value.item() if hasattr(value, "item") else value
    elif value.__class__ in (float, int) and _at_once(x, key if key.__class__ is tuple else (key,), value):
        return
    elif isinstance(value, Tensor) and value._a.size == 1 and value._a.dtype != x._a.dtype and masked_alone(key):
        value = value.to(x.dtype)
    if key.__class__ is bool:  # True is the whole tensor, as the one part of a view, False nothing of it
        return setitem(x, None, value) if key else None
    if _is_mask_of(x, key) and not getattr(value, "ndim", 0):
        put_where(x, key, value)
        return
    parts = key if key.__class__ is tuple else (key,)
    dims: tuple = ()
    if basic(parts):
        part = read(x, parts)
        if part._a.shape == x._a.shape and all([p is Ellipsis or p.__class__ is slice and p.start in (None, 0)
                                                and p.step in (None, 1) for p in parts]):
            part = x
    else:
        parts = as_tuple(key)
        items, dims, arrays = spread(x, parts, _lasting(x, value, parts))
        part = read(x, items) if items else x
    if dims:
        put(part, dims, arrays, _trimmed(value) if isinstance(value, Tensor) else value)
    elif isinstance(value, Tensor):
        _set(part, _kept(part, value))
    else:
        check_write(part, "copy_")
        set_one(part, value)


def _at_once(x, parts, value) -> bool:
    """Write a number that fits, at integers and slices, into a tensor in order that has no history: in one step.

    False, and nothing is written, of all else.
    """
    a, places, flags = x._a, 0, x._a.flags
    if watchers or x._history is not None or not (flags.writeable and (flags.c_contiguous or flags.f_contiguous)):
        return False
    if not (0 <= value <= 127 or a.dtype.kind == "f" and -65504 <= value <= 65504):
        return False
    for part in parts:
        if part.__class__ is int:
            places += 1
        elif part.__class__ is not slice or part.step is not None:
            return False
    storage = storage_of(x)
    unwritten = storage.record
    storage.wrote("copy_" if places == a.ndim else "fill_")
    try:
        a[parts] = value
    except (IndexError, TypeError):  # which x[key] says better
        storage.record = unwritten
        return False
    return True


def _set(part, value):
    """Write a tensor that may broadcast; PyTorch gives it the part's shape first, without axes of size 1 in front."""
    if value._a.shape == part._a.shape:
        copy_(part, value)
    elif not value._a.ndim:
        fill_(part, value)
    else:
        shape = value._a.shape
        value = _trimmed(value) if shape[0] == 1 else view(value, shape)
        copy_(part, value if value._a.shape == part._a.shape else expand(value, part._a.shape))


def _trimmed(value):
    """A tensor without axes of size 1 in front."""
    shape = value._a.shape
    k = next((k for k, n in enumerate(shape) if n != 1), len(shape))
    return view(value, shape[k:]) if k else value


def masked_alone(key) -> bool:
    """Whether a mask is the only index array of an expression: one value is then cast, as masked_fill does."""
    taken = [part for part in as_tuple(key) if not basic((part,))]
    if len(taken) != 1:
        return False
    first = taken[0][0] if isinstance(taken[0], list) and taken[0] else taken[0]
    return isinstance(first, bool) or bool(getattr(first, "ndim", 0)) and str(first.dtype).endswith("bool")


def _kept(part, value):
    """The value of a write; a copy of it where it is a part of what is written, which repeats it and leaves it be."""
    if value._storage is None or value._storage is not part._storage or value._a.shape == part._a.shape:
        return value
    wide = expand(_trimmed(value), part._a.shape)
    mine, its = backend.stride(part._a), backend.stride(wide._a)
    return value.clone() if rules.repeats_part(part._a.shape, mine, part._offset, its, wide._offset) else value


def as_cell(value, d):
    """A Python number as an array of a dtype.

    Raises:
        DTypeError (a RuntimeError): a dtype that cannot hold it.
    """
    return constant(fitted("write", value, d), d)


def _is_mask_of(x, key) -> bool:
    """Whether an index is a mask of all of x."""
    return isinstance(key, Tensor) and key._a.dtype == "bool" and key._a.shape == x._a.shape != ()


def put_where(x: Tensor, mask: Tensor, value) -> None:
    """Write one value where a mask of x's own shape is True: one pass, without looking for the cells first."""
    value = single(x, value)
    check_write(x, "index_put_", mask)  # of x's own cells the value is one number, which stays what it is
    overwrite(write_where.op, x, (mask, value), lambda a: backend.fill_where(a, mask._a, value._a), {})
    if watchers:
        notify(write_where.op, (x, mask, value), {}, x)


def single(x, value) -> Tensor:
    """The value of a write at index arrays: a tensor of x's own dtype, or a number as one.

    Raises:
        DTypeError (a RuntimeError): another dtype, or a number that the dtype cannot hold.
    """
    if not isinstance(value, Tensor):
        return wrap(as_cell(value, x.dtype))
    if value._a.dtype != x._a.dtype:
        raise DTypeError(f"tensor of {x.dtype!r}, value of {value.dtype!r}",
                         "Index put requires the source and destination dtypes match", f"value.to({x.dtype!r})")
    return value


def placed(x: Tensor, dims, arrays, value, check=lambda value: None) -> Tensor:
    """The value to write, or to add, at index arrays of x, once that is seen to be possible."""
    if len(arrays) > 1:
        check_arrays(x, dims, arrays)
    try:
        value = single(x, value)
        check(value)
        if value._a.ndim:
            value = _fitting(value, x, dims, rules.broadcast_shapes(*[a.shape for a in arrays]))
    except TensorError:
        check_arrays(x, dims, arrays)            # an index that is not there is said first
        raise
    return value


def put(x: Tensor, dims, arrays, value, accumulate=False) -> None:
    """Write, or add, a value at index arrays of x."""
    def check(value):
        check_write(x, "index_put_", value)
        check_apart(x, "index_put_", (value,))
    value = placed(x, dims, arrays, value, check)
    it = PLACED[bool(accumulate)]
    try:
        overwrite(it, x, (value,), lambda a: backend.index_put(a, dims, arrays, value._a, accumulate),
                  {"dims": dims, "arrays": arrays})
    except IndexError:                       # raised before the first cell is written
        check_arrays(x, dims, arrays)
        return                               # no cell is meant, so none is outside
    if watchers:
        notify(it, (x, value), {"dims": dims}, x)


PLACED = write_at.op, add_at.op


def _fitting(value, x, dims, shape):
    """The value, once its shape is seen to broadcast to that of the part it is written into."""
    rest = [n for d, n in enumerate(x._a.shape) if d not in dims]
    first = dims[0] if dims[-1] - dims[0] == len(dims) - 1 else 0
    target = (*rest[:first], *shape, *rest[first:])
    front = value._a.ndim - len(target)
    if front > 0 and set(value._a.shape[:front]) == {1}:
        value = view(value, value._a.shape[front:])
    lead = len(target) - value._a.ndim
    if lead < 0 or any(n not in (1, target[lead + d]) for d, n in enumerate(value._a.shape)):
        raise BroadcastError(align_right(("part", target), ("value", value._a.shape)),
                             "shape mismatch: value tensor cannot be broadcast to indexing result",
                             f"a value whose shape broadcasts to {target}")
    return value


def _lasting(x, value, parts) -> bool:
    """Whether index tensors must be copied: a gradient will read them, or the write may reach them."""
    return is_recorded(x, value) or any([isinstance(part, Tensor) and backend.may_share(x._a, part._a)
                                         for part in parts])


def as_index(name, x, indices):
    """The tuple of index tensors that index_put takes."""
    if not isinstance(indices, (tuple, list)):
        raise ArgumentTypeError(f"{name}(indices={str(indices)[:60]})",
                                f"{name}(): argument 'indices' must be tuple of Tensors, not {type(indices).__name__}",
                                "a tuple, e.g. (index,)")
    for k, part in enumerate(indices):
        if part is not None and not isinstance(part, Tensor):
            raise not_a_tensor(name, f"indices[{k}]", part)
    if not indices:
        raise ShapeError(f"{name} without indices", f"{name}(): at least one index tensor is needed", "x.fill_(value)")
    if not x._a.ndim:
        raise IndexOutOfRange(f"{len(indices)} indices for a 0-d tensor",
                              f"too many indices for tensor of dimension 0 (got {len(indices)})",
                              "x.fill_(value)")
    return tuple([slice(None) if part is None else part for part in indices])


def index_put_(self, indices, values, accumulate=False):
    """Write `values` at a tuple of index tensors or masks, one per axis; with accumulate=True add them, repeated
    indices included.

    Raises:
        IndexOutOfRange (an IndexError): no such index. DTypeError (a RuntimeError): values of another dtype.
    Source: https://pytorch.org/docs/stable/generated/torch.Tensor.index_put_.html

    Example:
        >>> import rustyflow as rf
        >>> x = rf.zeros(3)
        >>> x.index_put_((rf.tensor([1, 1]),), rf.tensor([2., 3.]), accumulate=True)
        tensor([0., 5., 0.])
    """
    parts = as_index("index_put_", self, indices)
    alone = len(parts) == 1 and _is_mask_of(self, parts[0]) and not accumulate
    if alone and isinstance(values, Tensor) and not values.ndim:
        put_where(self, parts[0], values)
        return self
    items, dims, arrays = spread(self, parts, _lasting(self, values, parts))
    if not isinstance(values, Tensor):
        raise not_a_tensor("index_put_", "values", values)
    put(read(self, items) if items else self, dims, arrays, values, accumulate)
    return self


def delitem(x: Tensor, key) -> None:
    """del x[key], which no tensor does.

    Raises:
        ArgumentTypeError (a TypeError): always.
    """
    raise ArgumentTypeError(f"del x[{str(key)[:60]}]", "Tensor does not support deleting items: a part of its storage "
                            "cannot be given back", "x = x[kept], with the indices or the mask of those to keep")


Tensor.__setitem__, Tensor.__delitem__, Tensor.index_put_ = setitem, delitem, index_put_
