"""Writing whole slices where an index says, into a copy or in place: index_add, index_copy and index_fill."""
from __future__ import annotations

from ...arguments.numbers import fitted, number
from ...backends import backend
from ...dispatch import attach, function, op, renamed, writes
from ...errors import DimError, DTypeError, IndexOutOfRange, ShapeError, align_right
from ...layout import wrap_dim
from ...tensor import Tensor, wrap
from ..index.index_check import OutsideAxis, axis_of, check_index, check_inside, check_vector
from ..index.put import as_cell
from ..index.scatter import same_dtype


def _slices(name, input, dim, index, source, kinds, error=DTypeError):
    """The dim of a write of whole slices, after index and source have been checked."""
    dim = wrap_dim(dim, input._a.ndim)
    check_vector(index, f"{name}(): Index should have dimension 1 or 0")
    rank = source._a.ndim
    if name == "index_copy" and (index._a.size != 1 if not rank else rank != input._a.ndim > 0):
        raise _misfit(input, source, "index_copy(): When source and destination are not scalars, their dimensionality "
                      "must match; a scalar goes to one index", IndexOutOfRange)
    check_index(name, index, kinds, error)
    same_dtype(name, input, source, "source")
    if dim >= max(rank, 1) and (rank or index._a.size != 1):
        raise _misfit(input, source, f"{name}: Indexing dim {dim} is out of bounds of the source tensor with dim "
                      f"{rank}")
    if index._a.size != 1 and not rank:
        raise _misfit(input, source, "Dimension specified as 0 but source has no dimensions", DimError,
                      "source.unsqueeze(0)")
    slices = source._a.shape[dim] if source._a.ndim else 1
    rest = [x._a.shape[:dim] + x._a.shape[dim + 1:] for x in (input, source)]
    differ = rest[0] != rest[1] or name == "index_add" and input._a.ndim != source._a.ndim
    if index._a.size != slices and not (differ and source._a.ndim):
        raise IndexOutOfRange(f"{index._a.size} indices, source of shape {tuple(source.shape)}",
                              f"{name}(): Number of indices ({index._a.size}) should be equal to "
                              f"source.size(dim): ({slices}), for dim: {dim}", "one index per slice")
    if differ:
        raise _misfit(input, source, f"{name}: source and input have the same size except along dim {dim}")
    return dim if index._a.size == 1 or name == "index_copy" and not input._a.ndim else axis_of(input, dim)


def _inside(name, index, x, dim, error, negative=False, empty=OutsideAxis):
    """The index, checked; in a tensor without cells every number names the same nothing, and becomes 0."""
    n = x._a.shape[dim] if x._a.ndim else 1
    if n and not x._a.size:
        return wrap(index._a * 0)
    check_inside(name, index, n, dim, error, negative, empty)
    return index


def _misfit(input, source, rule, error=ShapeError, fix="slices of the input's size"):
    return error(align_right(("input", input._a.shape), ("source", source._a.shape)), rule, fix)


@op(public=False, method=False)
class add_slices:
    """y = index_add(x, dim, index, alpha * source)
    dx = g        dsource = alpha * slices_at(g, dim, index)
    """
    torch_name, promote = "IndexAddBackward0", None
    def forward(F, x, index, source, *, dim, alpha):
        return F.index_add(F.dense(x), dim, index, source, alpha)

    def grad_x(F, g, *, dim, alpha): return g

    def grad_source(F, g, shape, index, *, dim, alpha):
        g = F.reshape(F.index_select(g, dim, index), shape)
        return g if alpha == 1 else g * alpha


@function
@writes
def index_add(input, dim, index, source, *, alpha=1):
    """A copy with alpha times the slices of source added to the slices that index names.

    They lie along dim; repeated indices add up.

    Raises:
        ShapeError, OutsideAxis, DTypeError (RuntimeErrors): sizes that differ, an index out of range, another dtype.
        IndexOutOfRange (an IndexError): an index outside a vector.
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
    error = OutsideAxis if input._a.ndim > 1 else IndexOutOfRange
    if input._a.ndim < 2 or input._a.shape[dim]:  # an axis without indices takes any
        index = _inside("index_add", index, input, dim, error, empty=error)
    alpha = number("index_add", "alpha", alpha)
    alpha = alpha if input._a.dtype.kind == "f" else int(alpha)
    return (add_slices.op, (index, source), {"dim": dim, "alpha": alpha},
            lambda a: backend.index_add(a, dim, index._a, source._a, alpha))


@op
class index_copy:
    """y = index_copy(x, dim, index, source)
    dx = index_fill(g, dim, index, 0)
    dsource = slices_at(g, dim, index)

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
    def call(input, dim, index, source):
        dim = _slices("index_copy", input, dim, index, source, ("int64",))
        index = _inside("index_copy", index, input, dim, IndexOutOfRange)
        return index_copy.op, (index, source), {"dim": dim}, lambda a: backend.index_copy(a, dim, index._a, source._a)


@op(public=False, method=False)
class fill_slices:
    """y = index_fill(x, dim, index, value)
    dx = index_fill(g, dim, index, 0)
    dvalue = sum(slices_once(g, dim, index))"""
    torch_name, promote = "IndexFillBackward1", None
    def forward(F, x, index, value, *, dim): return F.index_fill(x, dim, index, value)
    def grad_x(F, g, index, *, dim): return F.index_fill(g, dim, index, 0)
    def grad_value(F, g, index, *, dim): return F.sum(F.index_select(g, dim, F.unique(index)))


_by_number = renamed(fill_slices.op, "IndexFillBackward0", [0])


@function
@writes
def index_fill(input, dim, index, value):
    """A copy with one value, a number or a 0-d tensor, in the slices along dim that index names.

    Raises:
        IndexOutOfRange (an IndexError): no such index, or not int64. ShapeError (a RuntimeError): value has axes, or
        index more than one.
    Source: https://pytorch.org/docs/stable/generated/torch.Tensor.index_fill_.html

    Example:
        >>> import rustyflow as rf
        >>> rf.zeros(2, 3).index_fill(1, rf.tensor([0, 2]), 7.)
        tensor([[7., 0., 7.],
                [7., 0., 7.]])
    """
    it = fill_slices.op if isinstance(value, Tensor) else _by_number
    value, dim = fill_value("index_fill", value, input), wrap_dim(dim, input._a.ndim)
    check_index("index_fill", index, ("int64",), IndexOutOfRange)
    if index._a.ndim > 1:
        raise ShapeError(f"an index of shape {tuple(index.shape)}", "index_fill: Index has to be a vector/scalar",
                         "index.flatten()")
    index = _inside("index_fill", index, input, dim, IndexOutOfRange, negative=True)
    return it, (index, value), {"dim": dim}, lambda a: backend.fill_slices(a, dim, index._a, value._a)


def fill_value(name, value, x):
    """The value to fill with, a number or a 0-d tensor, as a 0-d tensor of x's dtype.

    Raises:
        ArgumentTypeError (a TypeError): neither. ShapeError, DTypeError (RuntimeErrors): a tensor with axes, or of a
        number that the dtype cannot hold.
    """
    if isinstance(value, Tensor):
        if value._a.ndim:
            raise ShapeError(f"a value of shape {tuple(value.shape)}",
                             f"{name} only supports a 0-dimensional value tensor, but got tensor with {value._a.ndim} "
                             "dimension(s).", "a number, or value[0]")
        fitted(name, value.item(), x.dtype)
        return value.to(x.dtype)
    return wrap(as_cell(name, number(name, "value", value), x.dtype))


attach(index_add, index_copy, index_fill)
