"""Writing by index tensors into a copy, or in place: scatter, index_add, index_copy, index_fill, index_put, masks."""
from __future__ import annotations

from ..backends import backend
from ..errors import DTypeError, IndexOutOfRange, ShapeError, align_right
from ..layout import wrap_dim
from ..scalars import number
from ..tensor import Tensor, wrap
from .guard import guard, need_tensors
from .index import check_arrays, spread
from .put import PLACED, as_cell, as_index, index_put_, placed
from .registry import apply, function, is_recorded, not_a_tensor, op, renamed, watchers
from .search import no_derivative
from .select import axis_of, check_index, check_inside, check_window
from .shape import clone
from .writing import attach, writes


def same_dtype(name: str, x, other, label: str) -> None:
    """Refuse a source of another dtype, or one that is no tensor.

    Raises:
        ArgumentTypeError (a TypeError), DTypeError (a RuntimeError).
    """
    if not isinstance(other, Tensor):
        raise not_a_tensor(name, label, other)
    if other._a.dtype != x._a.dtype:
        raise DTypeError(f"input of {x.dtype!r}, {label} of {other.dtype!r}",
                         f"{name}(): Expected self.dtype to be equal to {label}.dtype", f"{label}.to(x.dtype)")


def _places(name, input, dim, index, src=None):
    """The dim of a scatter, after its index has been checked."""
    dim = wrap_dim(dim, input._a.ndim)
    check_index(name, index)
    check_window(name, index, input, dim, src)
    check_inside(name, index, input._a.shape[dim] if input._a.ndim else 1, dim)
    return dim


def _whole(g, shape):
    """The gradient of a source, all of which must have been written.

    Raises:
        ShapeError (a RuntimeError): index was smaller than src, for which PyTorch has no gradient either.
    """
    if tuple(g.shape) != tuple(shape):
        raise ShapeError(align_right(("src", shape), ("index", g.shape)),
                         f"the gradient of scatter for src needs an index as large as src: got {list(g.shape)}, "
                         f"expected {list(shape)}", "cut src to the shape of the index before")
    return g


@op(public=False, method=False)
class scatter_from:
    """y = x with y[index[i, j], j] = src[i, j] along dim        dx = g, 0 where written        dsrc = g read there"""
    torch_name = "ScatterBackward0"
    promote = None
    def forward(F, x, index, src, *, dim): return F.scatter_write(F.dense(x), dim, index, src)
    def grad_x(F, g, index, *, dim): return F.scatter_clear(g, dim, index)
    def grad_src(F, g, shape, index, *, dim): return _whole(F.gather(g, dim, index), shape)


@op(public=False, method=False)
class scatter_value:
    """y = x with one number at index along dim        dx = g, 0 where written"""
    torch_name = "ScatterBackward1"
    promote = None
    def forward(F, x, index, *, dim, value): return F.scatter_write(F.dense(x), dim, index, value)
    def grad_x(F, g, index, *, dim, value): return F.scatter_clear(g, dim, index)


@op(public=False, method=False)
class scatter_clear:
    """y = x with 0 at index along dim        dx = g with 0 there"""
    promote = None
    def forward(F, x, index, *, dim): return F.scatter_clear(x, dim, index)
    def grad_x(F, g, index, *, dim): return F.scatter_clear(g, dim, index)
    def call(x, dim, index): return apply(scatter_clear.op, x, index, dim=dim)


@function(public=False, method=False)
def scatter_write(x, dim, index, src):
    """`scatter` into an x that nobody else reads, to gradients."""
    return scatter(x, dim, index, src)


@op
class scatter_add:
    """y = x with src[i, j] added at y[index[i, j], j] along dim        dx = g        dsrc = g read there

    Repeated indices add up. Shapes: index may be smaller than x (except along dim) and than src.
    Raises: ShapeError, OutsideAxis, DTypeError (RuntimeErrors).
    Source: https://pytorch.org/docs/stable/generated/torch.Tensor.scatter_add_.html

    Example:
        >>> import rustyflow as rf
        >>> rf.zeros(3).scatter_add(0, rf.tensor([1, 1]), rf.tensor([2., 3.]))
        tensor([0., 5., 0.])
    """
    promote = None
    def forward(F, x, index, src, *, dim): return F.scatter_join(F.add, F.dense(x), dim, index, src)
    def grad_x(F, g, *, dim): return g
    def grad_src(F, g, shape, index, *, dim): return _whole(F.gather(g, dim, index), shape)

    @writes
    @guard
    def call(input, dim, index, src):
        need_tensors("scatter_add", src=src)
        dim = _places("scatter_add", input, dim, index, src)
        same_dtype("scatter_add", input, src, "src")
        return (scatter_add.op, (index, src), {"dim": dim},
                lambda a: backend.scatter_join(backend.add, a, dim, index._a, src._a))


@function
@writes
@guard
def scatter(input, dim, index, src=None, *, value=None, reduce=None):
    """A copy in which y[index[i, j], j] = src[i, j] along dim; src may be one number; reduce 'add' or 'multiply' joins
    it to what is there.

    Of several writes to a cell the last one stays (PyTorch leaves it open). With reduce there is no gradient, as in
    PyTorch.
    Raises:
        ShapeError, OutsideAxis, DTypeError (RuntimeErrors): an index too large or out of range, another dtype, an
        unknown reduce.
    Source: https://pytorch.org/docs/stable/generated/torch.Tensor.scatter_.html

    Example:
        >>> import rustyflow as rf
        >>> rf.zeros(2, 3).scatter(1, rf.tensor([[2], [0]]), 1.)
        tensor([[0., 0., 1.],
                [1., 0., 0.]])
    """
    src = value if src is None else src
    if src is None or isinstance(src, (str, list, tuple)):
        raise not_a_tensor("scatter", "src", src)
    if reduce not in (None, "add", "multiply"):
        raise ShapeError(f"scatter(reduce={reduce!r})", "reduce argument must be either add or multiply.",
                         "reduce='add'")
    source = src if isinstance(src, Tensor) else None
    dim = _places("scatter", input, dim, index, source)
    if source is not None:
        same_dtype("scatter", input, source, "src")
    plain = src if source is not None else as_cell(number("scatter", "src", src), input.dtype)
    cells = plain if source is None else source._a
    if reduce is not None:
        it = scatter_joined.op if source is not None else _number_joined
        return (it, (index, plain), {"dim": dim, "how": reduce},
                lambda a: backend.scatter_join(getattr(backend, reduce), a, dim, index._a, cells))
    if source is None:
        it, others, attrs = scatter_value.op, (index,), {"dim": dim, "value": plain}
    else:
        it, others, attrs = scatter_from.op, (index, source), {"dim": dim}
    return it, others, attrs, lambda a: backend.scatter_write(a, dim, index._a, cells)


@op(public=False, method=False)
class scatter_joined:
    """y = x with src joined in at index along dim by a sum or a product"""
    torch_name, promote = "NotImplemented", None
    def forward(F, x, index, src, *, dim, how): return F.scatter_join(getattr(F, how), F.dense(x), dim, index, src)
    def grad_x(F, g, *, dim, how): raise no_derivative("scatter with reduce", "scatter_add")
    grad_src = grad_x


_number_joined = renamed(scatter_joined.op, "NotImplemented", [0])


def _slices(name, input, dim, index, source, kinds, error=DTypeError):
    """The dim of a write of whole slices, after index and source have been checked."""
    several = isinstance(index, Tensor) and index._a.size != 1
    dim = axis_of(input, dim) if several else wrap_dim(dim, input._a.ndim)
    check_index(name, index, kinds, error)
    if index._a.ndim > 1:
        raise IndexOutOfRange(f"an index of shape {tuple(index.shape)}", f"{name}: Index should have dimension 1 or 0",
                              "index.flatten()")
    same_dtype(name, input, source, "source")
    if dim >= source._a.ndim > 0:
        raise ShapeError(align_right(("input", input._a.shape), ("source", source._a.shape)),
                         f"{name}: Indexing dim {dim} is out of bounds of the source tensor with dim {source._a.ndim}",
                         "slices of the input's size")
    slices = source._a.shape[dim] if source._a.ndim else 1
    if index._a.size != slices:
        raise IndexOutOfRange(f"{index._a.size} indices, source of shape {tuple(source.shape)}",
                              f"{name}(): Number of indices ({index._a.size}) should be equal to "
                              f"source.size(dim): ({slices}), for dim: {dim}", "one index per slice")
    rest = [[n for d, n in enumerate(x._a.shape) if d != dim] for x in (input, source)]
    if rest[0] != rest[1]:
        raise ShapeError(align_right(("input", input._a.shape), ("source", source._a.shape)),
                         f"{name}: source and input have the same size except along dim {dim}",
                         "slices of the input's size")
    return dim


@op(public=False, method=False)
class add_slices:
    """y = x with alpha * source added to the slices at index
    dx = g        dsource = alpha * g's slices at index
    """
    torch_name = "IndexAddBackward0"
    promote = None
    def forward(F, x, index, source, *, dim, alpha):
        return F.index_add(F.dense(x), dim, index, source, alpha)

    def grad_x(F, g, *, dim, alpha): return g

    def grad_source(F, g, shape, index, *, dim, alpha):
        g = F.reshape(F.index_select(g, dim, index), shape)
        return g if alpha == 1 else g * alpha


@function
@writes
@guard
def index_add(input, dim, index, source, *, alpha=1):
    """A copy in which alpha times the slices of source are added to the slices along dim that index names; repeated
    indices add up.

    Raises:
        ShapeError, OutsideAxis, DTypeError (RuntimeErrors): sizes that differ, an index out of range, another dtype.
    Source: https://pytorch.org/docs/stable/generated/torch.Tensor.index_add_.html

    Example:
        >>> import rustyflow as rf
        >>> rf.zeros(3).index_add(0, rf.tensor([1, 1]), rf.tensor([2., 3.]))
        tensor([0., 5., 0.])
    """
    try:
        dim = _slices("index_add", input, dim, index, source, ("int64", "int32"))
    except IndexOutOfRange as error:
        raise error if index._a.ndim > 1 else ShapeError(error.was, error.rule, error.fix) from None
    check_inside("index_add", index, input._a.shape[dim] if input._a.ndim else 1, dim)
    alpha = number("index_add", "alpha", alpha)
    alpha = alpha if input._a.dtype.kind == "f" else int(alpha)
    return (add_slices.op, (index, source), {"dim": dim, "alpha": alpha},
            lambda a: backend.index_add(a, dim, index._a, source._a, alpha))


@op
class index_copy:
    """y = x with the slices at index those of source        dx = g, 0 in those        dsource = g there

    Raises: IndexOutOfRange (an IndexError): no such index, or too few; ShapeError, DTypeError (RuntimeErrors).
    Source: https://pytorch.org/docs/stable/generated/torch.Tensor.index_copy_.html

    Example:
        >>> import rustyflow as rf
        >>> rf.zeros(3).index_copy(0, rf.tensor([2, 0]), rf.tensor([5., 6.]))
        tensor([6., 0., 5.])
    """
    promote = None
    def forward(F, x, index, source, *, dim): return F.index_copy(F.dense(x), dim, index, source)
    def grad_x(F, g, index, *, dim): return F.index_fill(g, dim, index, 0)
    def grad_source(F, g, shape, index, *, dim): return F.reshape(F.index_select(g, dim, index), shape)

    @writes
    @guard
    def call(input, dim, index, source):
        dim = _slices("index_copy", input, dim, index, source, ("int64",))
        check_inside("index_copy", index, input._a.shape[dim] if input._a.ndim else 1, dim, IndexOutOfRange)
        return index_copy.op, (index, source), {"dim": dim}, lambda a: backend.index_copy(a, dim, index._a, source._a)


@op(public=False, method=False)
class fill_slices:
    """y = x with value in the slices at index        dx = g, 0 in those        dvalue = the sum of g over them"""
    torch_name, promote = "IndexFillBackward1", None
    def forward(F, x, index, value, *, dim): return F.index_fill(x, dim, index, value)
    def grad_x(F, g, index, *, dim): return F.index_fill(g, dim, index, 0)
    def grad_value(F, g, index, *, dim): return F.sum(F.index_select(g, dim, F.unique(index)))


_by_number = renamed(fill_slices.op, "IndexFillBackward0", [0])


@function
@writes
@guard
def index_fill(input, dim, index, value):
    """A copy with one value, a number or a 0-d tensor, in the slices along dim that index names.

    Raises:
        IndexOutOfRange (an IndexError): no such index, or not int64. ShapeError (a RuntimeError): value has axes.
    Source: https://pytorch.org/docs/stable/generated/torch.Tensor.index_fill_.html

    Example:
        >>> import rustyflow as rf
        >>> rf.zeros(2, 3).index_fill(1, rf.tensor([0, 2]), 7.)
        tensor([[7., 0., 7.],
                [7., 0., 7.]])
    """
    dim = wrap_dim(dim, input._a.ndim)
    check_index("index_fill", index, ("int64",), IndexOutOfRange)
    check_inside("index_fill", index, input._a.shape[dim] if input._a.ndim else 1, dim, IndexOutOfRange, negative=True)
    it = fill_slices.op if isinstance(value, Tensor) else _by_number
    value = single("index_fill", value, input)
    return it, (index, value), {"dim": dim}, lambda a: backend.fill_slices(a, dim, index._a, value._a)


def single(name, value, x):
    """A number or a 0-d tensor as a 0-d tensor of x's dtype.

    Raises:
        ArgumentTypeError (a TypeError): neither. ShapeError (a RuntimeError): a tensor with axes.
    """
    if isinstance(value, Tensor):
        if value._a.ndim:
            raise ShapeError(f"a value of shape {tuple(value.shape)}",
                             f"{name} only supports a 0-dimensional value tensor, but got tensor with {value._a.ndim} "
                             "dimension(s).", "a number, or value[0]")
        return value.to(x.dtype)
    return wrap(as_cell(number(name, "value", value), x.dtype))


@function
@guard
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
    lasting = bool(watchers) or is_recorded(input, values)
    items, dims, arrays = spread(input, as_index("index_put", input, indices), lasting)
    if items or not isinstance(values, Tensor):
        return index_put_(clone(input), indices, values, accumulate)
    value = placed(input, dims, arrays, values)
    try:
        return apply(PLACED[bool(accumulate)], input, value, dims=dims, arrays=arrays)
    except IndexError:
        check_arrays(input, dims, arrays)
        raise


attach(scatter, scatter_add, index_add, index_copy, index_fill)
