"""Writing and adding at index arrays: index_put, and what x[...] = v is where index arrays stand in the brackets."""
from __future__ import annotations

from ...arguments.numbers import fitted
from ...backends import backend
from ...dispatch.guard import need_tensors, need_tuple
from ...dispatch.inplace import check_apart, overwrite
from ...dispatch.operation import notify, watchers
from ...dispatch.promotion import constant
from ...dispatch.registry import function, op
from ...dispatch.run import apply
from ...dispatch.write_check import check_write, is_one_value, of_one_storage
from ...errors import BroadcastError, DTypeError, IndexOutOfRange, ShapeError, align_right
from ...tensor import Tensor, wrap
from ..views import clone
from .brackets import hold, read
from .expression import BOOL, BYTE, basic, check_arrays, is_mask_of, is_of, shape_of, spread


@op(public=False, method=False)
class write_at:
    """y = write_at(x, dims, arrays, value)
    dx = write_at(g, dims, arrays, 0)
    dvalue = read_at(g, dims, arrays)"""
    called, torch_name, promote = "index_put(input, values)", "IndexPutBackward0", None
    def forward(F, x, value, *, dims, arrays): return F.index_put(F.dense_as(x), dims, arrays, value)
    def grad_x(F, g, arrays, *, dims): return F.index_clear(g, dims, arrays)
    def grad_value(F, g, arrays, *, dims): return F.index(g, dims, arrays)


@op(public=False, method=False)
class write_where:
    """y = value if mask else x        dx = 0 if mask else g        dvalue = sum(g if mask else 0)"""
    called, torch_name, promote = "index_put(input, mask, values)", "IndexPutBackward0", None
    def forward(F, x, mask, value): return F.where(mask, value, x)
    def grad_x(F, g, mask): return F.where(mask, 0.0, g)
    def grad_value(F, g, mask): return F.sum(F.where(mask, g, 0.0))


@op(public=False, method=False)
class add_at:
    """y = add_at(x, dims, arrays, value)        dx = g        dvalue = read_at(g, dims, arrays)"""
    called, torch_name, promote = "index_put(input, values)", "IndexPutBackward0", None
    def forward(F, x, value, *, dims, arrays): return F.index_put(F.dense_as(x), dims, arrays, value, True)
    def grad_x(F, g, *, dims): return g
    def grad_value(F, g, arrays, *, dims): return F.index(g, dims, arrays)


PLACED = write_at.op, add_at.op


def as_cell(name, value, d):
    """A Python number as an array of a dtype, for the op of that name.

    Raises:
        DTypeError (a RuntimeError): a dtype that cannot hold it.
    """
    return constant(fitted(name, value, d), d)


def put_where(x: Tensor, mask: Tensor, value) -> None:
    """Write one value where a mask of x's own shape is True: one pass, without looking for the cells first."""
    value = single(x, value)
    # the value may lie in x: it is one number, and keeps its value
    check_write(x, "index_put_", mask, alike=is_one_value(value))
    overwrite(write_where.op, x, (mask, value), lambda a: backend.fill_where(a, mask._a, value._a), {})
    if watchers:
        notify(write_where.op, (x, mask, value), {}, x)


def single(x, value) -> Tensor:
    """The value of a write at index arrays as a tensor of x's dtype, also of a number.

    Raises:
        DTypeError (a RuntimeError): another dtype, or a number that the dtype cannot hold.
    """
    if not isinstance(value, Tensor):
        return wrap(as_cell("index_put", value, x.dtype))
    if value._a.dtype != x._a.dtype:
        raise DTypeError(f"tensor of {x.dtype!r}, value of {value.dtype!r}",
                         "Index put requires the source and destination dtypes match", f"value.to({x.dtype!r})")
    return value


def placed(x: Tensor, dims, arrays, value, check=lambda value: None) -> Tensor:
    """The value to write, or to add, at index arrays of x, after all checks."""
    if not x._a.size:
        check_arrays(x, dims, arrays)
    if isinstance(value, Tensor) and value._a.ndim:
        value = _fitting(value, x, dims, shape_of(arrays))
    value = single(x, value)
    check(value)
    return value


def put(x: Tensor, parts, dims, arrays, value, accumulate=False) -> None:
    """Write, or add, a value at index arrays of x, which come from the parts of an expression."""
    def check(value):
        own = not accumulate and of_one_storage(x, value) and fills(parts, value)  # then it keeps its value
        read = () if own else (value,)
        check_write(x, "index_put_", *read, alike=not accumulate and is_one_value(value))
        check_apart(x, "index_put_", (*read, *parts))
    value = placed(x, dims, arrays, value, check)
    it = PLACED[bool(accumulate)]
    try:
        node = overwrite(it, x, (value,), lambda a: backend.index_put(a, dims, arrays, value._a, accumulate),
                         {"dims": dims, "arrays": arrays})
    except IndexError:                       # raised before the first cell is written
        check_arrays(x, dims, arrays)
        return                               # no cell is meant, so none is outside
    if node is not None:
        hold(node, parts)
    if watchers:
        notify(it, (x, value), {"dims": dims, "arrays": arrays}, x)


def _fitting(value, x, dims, shape):
    """The value, after a check that its shape broadcasts to that of the part it is written to."""
    rest = [n for d, n in enumerate(x._a.shape) if d not in dims]
    first = dims[0] if dims and dims[-1] - dims[0] == len(dims) - 1 else 0
    target = (*rest[:first], *shape, *rest[first:])
    lead = len(target) - value._a.ndim
    if lead < 0 or any(n not in (1, target[lead + d]) for d, n in enumerate(value._a.shape)):
        raise BroadcastError(align_right(("part", target), ("value", value._a.shape)),
                             "shape mismatch: value tensor cannot be broadcast to indexing result",
                             f"a value whose shape broadcasts to {target}")
    return value


def _only_array(parts):
    """The index array of an expression with exactly one, else None; a single number is no index array."""
    taken = [part for part in parts if not basic((part,)) and (getattr(part, "ndim", 1) or is_of(part, BOOL))]
    return taken[0] if len(taken) == 1 else None


def fills(parts, value: Tensor) -> bool:
    """True if a write is a masked_fill: of one value, at a mask that is the only index array."""
    only = _only_array(parts)
    if only is None or value._a.size != 1:
        return False
    first = only[0] if isinstance(only, list) and only else only
    if isinstance(first, bool):
        return first is not only
    return bool(getattr(first, "ndim", 0)) and is_of(first, BOOL)


def as_filled(x, parts, value: Tensor) -> Tensor:
    """The value to write, cast to x's dtype if the write is a masked_fill.

    Raises:
        DTypeError (a RuntimeError): the dtype cannot hold it.
    """
    if not fills(parts, value):
        return value
    fitted("masked_fill_", value.item(), x.dtype)
    return value.to(x.dtype)


def need_bools(x, parts, value) -> None:
    """Refuse to write one value at a single mask of bytes, because masked_fill_ takes masks of bools only.

    Raises:
        DTypeError (a RuntimeError).
    """
    if isinstance(value, Tensor) and value._a.size != 1:
        return
    only = _only_array(parts)
    if getattr(only, "ndim", 0) and is_of(only, BYTE):
        raise DTypeError(f"tensor of shape {tuple(x.shape)}, mask of {only.dtype!r}",
                         "masked_fill_ only supports boolean masks, but got mask with dtype unsigned char",
                         "mask.bool(), or x > 0")


def as_index(name, x, indices):
    """The tuple of index tensors that index_put takes."""
    need_tuple(name, "indices", indices, "a tuple, e.g. (index,)")
    if not indices:
        raise ShapeError(f"{name} without indices", f"{name}(): at least one index tensor is needed", "x.fill_(value)")
    if not x._a.ndim:
        raise IndexOutOfRange(f"{len(indices)} indices for a 0-d tensor",
                              f"too many indices for tensor of dimension 0 (got {len(indices)})",
                              "x.fill_(value)")
    return tuple(indices)


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
    if isinstance(values, Tensor) and not accumulate:
        values = as_filled(self, parts, values)
    alone = len(parts) == 1 and is_mask_of(self, parts[0]) and not accumulate
    if alone and isinstance(values, Tensor) and not values.ndim:
        put_where(self, parts[0], values)
        return self
    items, dims, arrays = spread(self, parts)
    need_tensors("index_put_", values=values)
    if not accumulate:
        need_bools(self, parts, values)
    part = read(self, items) if items else self
    if dims:
        put(part, parts, dims, arrays, values, accumulate)
    else:  # every index is one number
        value = placed(part, dims, arrays, values)
        part.add_(value) if accumulate else part.copy_(value)
    return self


@function
def index_put(input, indices, values, accumulate=False):
    """A copy with `values` at a tuple of index tensors or masks, one per axis; with accumulate=True added, repeated
    indices included.

    Raises:
        As `Tensor.index_put_`.
    Source: https://pytorch.org/docs/stable/generated/torch.Tensor.index_put_.html

    Example:
        >>> import rustyflow as rf
        >>> rf.zeros(3).index_put((rf.tensor([0, 2]),), rf.tensor([1., 2.]))
        tensor([1., 0., 2.])
    """
    parts = as_index("index_put", input, indices)
    if isinstance(values, Tensor) and not accumulate:
        values = as_filled(input, parts, values)
    items, dims, arrays = spread(input, parts)
    if items or not isinstance(values, Tensor):
        return index_put_(clone(input), indices, values, accumulate)
    if not accumulate:
        need_bools(input, parts, values)
    value = placed(input, dims, arrays, values)
    try:
        out = apply(PLACED[bool(accumulate)], input, value, dims=dims, arrays=arrays)
    except IndexError:
        check_arrays(input, dims, arrays)
        raise
    if out._history is not None:
        hold(out._history, parts)
    return out


Tensor.index_put_ = index_put_
