"""Views: new layouts over the same storage. The rule for the layout is `rustyflow.layout`'s; here is what their gradients are."""
from __future__ import annotations

from functools import partial
from math import prod
from operator import index as as_int

from .. import layout as rules
from ..backends import backend
from ..dtype import dtype
from ..errors import ArgumentTypeError, DTypeError, ShapeError
from ..history import mode, small
from ..layout import wrap_dim, wrap_dims
from ..storage import tick
from ..tensor import Tensor, history_of, new, storage_of, _alias
from .registry import apply, apply_view, function, op, record


def sizes(args) -> tuple[int, ...]:
    """Sizes given as numbers or as one sequence.

    Raises:
        ArgumentTypeError (a TypeError): something that is no whole number.
    """
    args = args[0] if len(args) == 1 and isinstance(args[0], (tuple, list)) else args
    try:
        return tuple([as_int(n) for n in args])
    except TypeError:
        raise ArgumentTypeError(f"sizes {args!r}", "sizes must be whole numbers", "e.g. x.view(3, 4) or x.view((3, 4))") from None


def _scattered(rule):
    """The gradient of a view that reads part of its input: zeros, with g added where it was read."""
    return lambda F, g, shape, **attrs: F.scatter_through(g, shape, partial(rule, **attrs))


@op(public=False, method=False)
class sum_to:
    """y = x summed down to a shape that broadcasts to x's        dx = g, repeated"""
    def forward(F, x, *, size): return F.sum_to(x, size)
    def grad_x(F, g, shape, *, size): return F.expand(g, shape)
    def call(x, shape): return x if tuple(x.shape) == tuple(shape) else apply(sum_to.op, x, size=tuple(shape))


@function(public=False, method=False)
def restore(g, dim, keepdim, ndim):
    """Give a reduced tensor its lost axes back as axes of size 1."""
    if keepdim or not ndim:
        return g
    dims = range(ndim) if dim is None else [d % ndim for d in (dim if isinstance(dim, tuple) else (dim,))]
    kept = iter(g._a.shape)
    return view(g, [1 if d in dims else next(kept) for d in range(ndim)])


@op(public=False, method=False)
class scatter_through:
    """y = zeros of `shape` with g added through a view        dg = dy read through the view"""
    def forward(F, g, *, size, layout): return F.scatter_through(g, size, layout)
    def grad_g(F, g, *, size, layout): return F.through(g, size, layout)
    def call(g, shape, layout): return apply(scatter_through.op, g, size=shape, layout=layout)


@op(public=False, method=False)
class through:
    """y = x read through a view, as a copy        dx = zeros with g added through the view"""
    def forward(F, x, *, size, layout): return F.through(x, size, layout)
    def grad_x(F, g, *, size, layout): return F.scatter_through(g, size, layout)
    def call(x, shape, layout): return apply(through.op, x, size=shape, layout=layout)


@op(public=False)
class view:
    """y = x under another shape        dx = g under x's shape"""
    layout = rules.view
    def quick(a, *, size): return a.reshape(size) if a.flags.c_contiguous and a.size == prod(size) > 1 and 1 not in a.shape else None
    def grad_x(F, g, shape, *, size): return F.reshape(g, shape)

    def call(input, *size):
        if len(size) == 1 and isinstance(size[0], dtype):
            return view_dtype(input, size[0])
        return apply_view(view.op, input, size=sizes(size))


@op(public=False)
class expand:
    """y = x repeated without copying        dx = g summed over the repeats"""
    layout = rules.expand
    def grad_x(F, g, shape, *, size): return F.sum_to(g, shape)
    def call(input, *size): return apply_view(expand.op, input, size=sizes(size))


@op
class permute:
    """y = x with its axes in another order        dx = g with the order undone"""
    layout = rules.permute
    def grad_x(F, g, *, dims): return F.permute(g, tuple(sorted(range(len(dims)), key=[d % len(dims) for d in dims].__getitem__)))
    def call(input, *dims): return apply_view(permute.op, input, dims=sizes(dims))


@op
class transpose:
    """y = x with two axes swapped        dx = g with them swapped back"""
    layout = rules.transpose
    def quick(a, *, dim0, dim1): return a.swapaxes(dim0, dim1) if -a.ndim <= dim0 < a.ndim and -a.ndim <= dim1 < a.ndim else None
    def grad_x(F, g, *, dim0, dim1): return F.transpose(g, dim0, dim1)
    def call(input, dim0, dim1): return apply_view(transpose.op, input, dim0=dim0, dim1=dim1)


@op
class squeeze:
    """y = x without axes of size 1        dx = g with them put back"""
    layout = rules.squeeze
    def quick(a, *, dims): return a.squeeze(dims[0]) if len(dims) == 1 and a.ndim and a.shape[dims[0]] == 1 else None
    def grad_x(F, g, shape, *, dims): return F.reshape(g, shape)

    def call(input, dim=None):
        dims = wrap_dims(dim, input._a.ndim) if dim is None or dim != () else ()
        return apply_view(squeeze.op, input, dims=dims)


@op
class unsqueeze:
    """y = x with a new axis of size 1        dx = g without it"""
    layout = rules.unsqueeze
    def quick(a, *, dim): return a.reshape(a.shape[:dim] + (1,) + a.shape[dim:]) if 0 <= dim < a.ndim and a.size > 1 and a.flags.c_contiguous and 1 not in a.shape else None
    def grad_x(F, g, shape, *, dim): return F.reshape(g, shape)
    def call(input, dim): return apply_view(unsqueeze.op, input, dim=dim)


@op
class select:
    """y = x at one index of dim        dx = zeros with g at that index"""
    layout = rules.select
    grad_x = _scattered(rules.select)
    def call(input, dim, index): return apply_view(select.op, input, dim=dim, index=as_int(index))


@op(public=False)
class slice:
    """y = every step-th index of dim from start to stop        dx = zeros with g there"""
    layout = rules.slice_
    grad_x = _scattered(rules.slice_)
    def call(input, dim, start, stop, step): return apply_view(slice.op, input, dim=dim, start=start, stop=stop, step=step)


@op
class narrow:
    """y = length indices of dim from start on        dx = zeros with g there"""
    torch_name = "SliceBackward0"
    layout = rules.narrow
    grad_x = _scattered(rules.narrow)
    def call(input, dim, start, length): return apply_view(narrow.op, input, dim=dim, start=as_int(start), length=as_int(length))


@op
class diagonal:
    """y = cells whose indices differ by offset        dx = zeros with g on that diagonal"""
    layout = rules.diagonal
    grad_x = _scattered(rules.diagonal)
    def call(input, offset=0, dim1=0, dim2=1): return apply_view(diagonal.op, input, diag=offset, dim1=dim1, dim2=dim2)


@op(public=False)
class unfold:
    """y = windows of x        dx = every window's g added back"""
    layout = rules.unfold
    grad_x = _scattered(rules.unfold)
    def call(input, dimension, size, step): return apply_view(unfold.op, input, dim=dimension, size=as_int(size), step=as_int(step))


# as_strided, and writes through views: layouts over slots rather than over cells

@op(public=False, method=False)
class slots_read:
    """y = x laid out over its slots and read through another layout        dx = g added over those slots, read through x's layout"""
    def forward(F, x, *, own, other): return F.slots_read(x, own, other)
    def grad_x(F, g, *, own, other): return F.slots_add(g, own, other)
    def call(x, own, other): return apply(slots_read.op, x, own=own, other=other)


@op(public=False, method=False)
class slots_add:
    """y = g added over slots through `other`, read through `own`        dg = dy over `own`'s slots, read through `other`"""
    def forward(F, g, *, own, other): return F.slots_add(g, own, other)
    def grad_g(F, g, *, own, other): return F.slots_read(g, own, other)
    def call(g, own, other): return apply(slots_add.op, g, own=own, other=other)


@op(public=False, method=False)
class slots_clear:
    """y = x with 0 in the slots of another layout        dx = g with 0 in the same places"""
    def forward(F, x, *, own, other): return F.slots_clear(x, own, other)
    def grad_x(F, g, *, own, other): return F.slots_clear(g, own, other)
    def call(x, own, other): return apply(slots_clear.op, x, own=own, other=other)


@op
class as_strided:
    """y = x's storage through any layout        dx = g added over the slots, read through x's own layout"""
    def layout(shape, stride, offset, *, own, other): return other
    def grad_x(F, g, *, own, other): return F.slots_add(g, own, other)

    def call(input, size, stride, storage_offset=None):
        offset = input._offset if storage_offset is None else as_int(storage_offset)
        other = rules.as_strided(len(storage_of(input)), size=sizes((tuple(size),)), stride=sizes((tuple(stride),)), offset=offset)
        return apply_view(as_strided.op, input, own=layout_of(input), other=other)


@op(public=False, method=False)
class copy_slices:
    """y = base with value written into a part        dbase = g with 0 in that part        dvalue = g of that part"""
    torch_name = "CopySlices"
    def forward(F, base, value, *, own, other): return base
    def grad_base(F, g, *, own, other): return F.slots_clear(g, own, other)
    def grad_value(F, g, *, own, other): return F.slots_read(g, own, other)


def layout_of(x: Tensor):
    """(shape, stride, offset) of a tensor."""
    return x._a.shape, backend.stride(x._a), x._offset


def reread(base: Tensor, x: Tensor):
    """A view's node after a write: `as_strided` of what the base is now; None when the base is not tracked."""
    return record(as_strided.op, (base,), _alias(x), {"own": layout_of(base), "other": layout_of(x)})


def write_slices(base: Tensor, x: Tensor, node) -> None:
    """After a write into a view that made `node`: the base's history goes on from its old one with this part copied in."""
    value = _alias(x)
    value._history = node
    joined = _alias(base)
    record(copy_slices.op, (base, value), joined, {"own": layout_of(base), "other": layout_of(x)})
    base._history = joined._history
    x._history.node, x._history.version = reread(base, x), x._storage.version


# Made of the views above

@op(public=False, method=False)
class copy:
    """y = x in fresh row-major memory        dx = g"""
    torch_name = "CloneBackward0"
    def forward(F, x): return F.dense(x)
    def grad_x(F, g): return g


@function(method=True)
def clone(input, *, memory_format=None):
    """A copy in memory of its own; a dense layout keeps its order of axes, as in PyTorch.

    Source: https://pytorch.org/docs/stable/generated/torch.clone.html

    Example:
        >>> import rustyflow as rf
        >>> x = rf.zeros(2, 3).t()
        >>> x.clone().stride(), x.contiguous().stride()
        ((1, 3), (2, 1))
    """
    stride = backend.stride(input._a)
    if not rules.is_dense(input._a.shape, stride) or input._a.ndim < 2 or rules.is_contiguous(input._a.shape, stride):
        return copy(input)
    order = sorted(range(input._a.ndim), key=lambda d: -stride[d])
    return permute(copy(permute(input, order)), sorted(range(len(order)), key=order.__getitem__))


@function(public=False)
def contiguous(input):
    """The tensor itself when its cells lie in order, else a copy in which they do.

    Source: https://pytorch.org/docs/stable/generated/torch.Tensor.contiguous.html

    Example:
        >>> import rustyflow as rf
        >>> x = rf.zeros(2, 3)
        >>> x.contiguous() is x, x.t().contiguous().stride()
        (True, (2, 1))
    """
    return input if input.is_contiguous() else copy(input)


@function
def reshape(input, *shape):
    """Another shape: a view where strides can say it, else a copy.

    Raises:
        ShapeError (a RuntimeError): the number of cells differs.
    Source: https://pytorch.org/docs/stable/generated/torch.reshape.html

    Example:
        >>> import rustyflow as rf
        >>> rf.arange(6).reshape(2, -1)
        tensor([[0, 1, 2],
                [3, 4, 5]])
    """
    size = rules.infer_size(sizes(shape), input._a.size, input._a.shape)
    if rules.view_stride(input._a.shape, backend.stride(input._a), size) is None:
        input = copy(input)
    return view(input, size)


@function
def t(input):
    """The transpose of a tensor with at most two axes: a view.

    Raises:
        ShapeError (a RuntimeError): more than two axes.
    Source: https://pytorch.org/docs/stable/generated/torch.t.html

    Example:
        >>> import rustyflow as rf
        >>> rf.zeros(2, 3).t().stride()
        (1, 3)
    """
    if input._a.ndim > 2:
        raise ShapeError(f"shape {tuple(input.shape)}", f"t() expects a tensor with <= 2 dimensions, but self is {input._a.ndim}D", "x.transpose(d0, d1), or x.mT for batches")
    return transpose(input, 0, 1) if input._a.ndim == 2 else apply_view(view.op, input, size=input._a.shape)


def view_dtype(input, d):
    """The same bytes read as another dtype: a view.

    Raises:
        ShapeError (a RuntimeError): the last axis does not come out.
    """
    if d.itemsize == input._a.dtype.itemsize:
        raw = storage_of(input).buffer.view(d.numpy)
        out = new(Tensor)
        out._a = backend.strided(raw, *layout_of(input))
        out._storage, out._offset, out._history = input._storage, input._offset, None
        return out
    raise ShapeError(f"{input.dtype!r} viewed as {d!r}", "the two dtypes differ in size, so a cell would be cut in parts", "x.to(dtype) converts the values instead")


Tensor.T = property(lambda x: permute(x, tuple(range(x._a.ndim))[::-1]), doc="All axes reversed: a view.")
Tensor.mT = property(lambda x: transpose(x, -2, -1), doc="The last two axes swapped: a view.")
