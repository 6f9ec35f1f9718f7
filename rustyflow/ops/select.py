"""Reading by index tensors: gather, index_select, take, and where the nonzero cells are."""
from __future__ import annotations

from math import prod

from ..backends import backend
from ..binding import explained
from ..dtype import int64
from ..errors import DimError, DTypeError, IndexOutOfRange, ShapeError, TensorError, align_right
from ..layout import broadcast_shapes, wrap_dim
from ..scalars import whole
from ..tensor import Tensor, wrap
from .broadcast import expand
from .offer import offered, room
from .registry import apply, function, is_recorded, not_a_tensor, op
from .shape import reshape
from .view import view


class OutsideAxis(TensorError, RuntimeError):
    """An index outside its axis, where PyTorch raises a RuntimeError and not an IndexError."""


def check_index(name: str, index, kinds=("int64", "int32"), error=DTypeError, argument="index") -> None:
    """Refuse an index that is no tensor of whole numbers.

    Raises:
        ArgumentTypeError (a TypeError), DTypeError (a RuntimeError).
    """
    if not isinstance(index, Tensor):
        raise not_a_tensor(name, argument, index)
    if index._a.dtype not in kinds:
        raise error(f"{name} with an index of {index.dtype!r}",
                    f"{name}(): Expected dtype {' or '.join(kinds)} for index", "index.long()")


def check_cells(name: str, index, kinds=("int64", "int32"), argument: str = "index"):
    """An index for cells; one without any, which tensor([]) is, may have any dtype.

    Raises:
        As `check_index`.
    """
    if isinstance(index, Tensor) and not index._a.size and index._a.dtype not in kinds:
        return index.to(int64)
    check_index(name, index, kinds, argument=argument)
    return index


def check_vector(name: str, index, rule: str) -> None:
    """Refuse an index of several axes, whatever its dtype is.

    Raises:
        ArgumentTypeError (a TypeError), IndexOutOfRange (an IndexError).
    """
    if not isinstance(index, Tensor):
        raise not_a_tensor(name, "index", index)
    if index._a.ndim > 1:
        raise IndexOutOfRange(f"an index of shape {tuple(index.shape)}", rule, "index.flatten(), or x[index]")


def check_inside(name: str, index, n: int, dim: int, error=OutsideAxis, negative=False, empty=OutsideAxis) -> None:
    """Refuse indices outside an axis of size n; with the error `empty` where that is 0.

    Raises:
        OutsideAxis (a RuntimeError) or IndexOutOfRange (an IndexError): names the axis and the index.
    """
    if backend.are_below(index._a, n):
        return
    low, error = -n if negative else 0, error if n else empty
    for i in (index._a.min(), index._a.max()) if index._a.size else ():
        if not low <= i < n:
            raise error(f"{name} with index {i} on dim {dim}, which has {n} indices",
                        f"index {i} is out of bounds for dimension {dim} with size {n}",
                        f"use {low} to {n - 1}" if n else "an axis of size 0 has no index", dim=dim, index=int(i))


def check_window(name: str, index, x, dim: int, src=None) -> None:
    """Refuse an index tensor that reaches over x, other than along dim, or over src.

    Raises:
        ShapeError (a RuntimeError). DimError (an IndexError): a src of fewer axes.
    """
    a, rank = index._a, max(x._a.ndim, 1)
    for other, label in ((x, "input"), (src, "src")):
        if other is not None and a.size and max(other._a.ndim, 1) != max(a.ndim, 1):
            error = DimError if other is src and 0 < src._a.ndim < a.ndim and src._a.size else ShapeError
            raise error(align_right((label, other._a.shape), ("index", a.shape)),
                        f"Index tensor must have the same number of dimensions as {label} tensor",
                        "index.expand(...) or unsqueeze")
    if src is not None and (not src._a.ndim and a.size > 1 or not a.ndim and not src._a.size):
        raise ShapeError(align_right(("index", a.shape), ("src", src._a.shape)),
                         f"{name}: expected index {list(a.shape)} to be no larger than src []",
                         "a src as large as the index")
    if a.ndim and rank == a.ndim and a.size:
        over = [d for d in range(a.ndim) if d != dim and x._a.ndim and a.shape[d] > x._a.shape[d] or src is not None
                and src._a.ndim and a.shape[d] > src._a.shape[d]]
        if over:
            raise ShapeError(align_right(("input", x._a.shape), ("index", a.shape),
                                         *([("src", src._a.shape)] if src is not None else [])),
                             f"{name}: expected index {list(a.shape)} to be no larger than self {list(x.shape)} apart "
                             f"from dimension {dim}"
                             + (f" and to be no larger than src {list(src.shape)}" if src is not None else ""),
                             f"a smaller index on dim {over[0]}")


def axis_of(x, dim) -> int:
    """A dim of a tensor that has axes.

    Raises:
        DimError (an IndexError): no such dim, or a 0-d tensor.
    """
    if not x._a.ndim:
        raise DimError(f"dim {dim} of a 0-d tensor", f"Dimension specified as {dim} but tensor has no dimensions",
                       "x.unsqueeze(0) gives it an axis")
    return wrap_dim(dim, x._a.ndim)


@op
class gather:
    """y[i, j] = x[index[i, j], j] along dim        dx = zeros with every g added where it was read

    Shapes: as index, which may be smaller than x except along dim.
    Raises: ShapeError, OutsideAxis, DTypeError (RuntimeErrors): an index that is too large, out of range, or not int64
    or int32.
    Source: https://pytorch.org/docs/stable/generated/torch.gather.html

    Example:
        >>> import rustyflow as rf
        >>> rf.gather(rf.tensor([[1., 2.], [3., 4.]]), 1, rf.tensor([[1], [0]]))
        tensor([[2.],
                [3.]])
    """
    promote = None
    def forward(F, x, index, *, dim): return F.gather(x, dim, index)
    def to(F, out, x, index, *, dim): return out.shape == index.shape and F.gather(x, dim, index, out)
    def grad_x(F, g, shape, index, *, dim): return F.scatter_add_zeros(g, shape, dim, index)

    @explained
    def call(input, dim, index, *, sparse_grad=False):
        dim = wrap_dim(dim, input._a.ndim)
        index = check_cells("gather", index)
        check_window("gather", index, input, dim)
        check_inside("gather", index, input._a.shape[dim] if input._a.ndim else 1, dim)
        return apply(gather.op, input, index, dim=dim)


@op(public=False, method=False)
class scatter_add_zeros:
    """y = zeros of `shape` with x added at `index` along dim        dx = dy gathered there"""
    promote = None
    def forward(F, x, index, *, size, dim): return F.scatter_add_zeros(x, size, dim, index)
    def grad_x(F, g, index, *, size, dim): return F.gather(g, dim, index)
    def call(x, shape, dim, index): return apply(scatter_add_zeros.op, x, index, size=shape, dim=dim)


@op
class index_select:
    """y = the slices of x along dim that index names        dx = zeros with every g added where it was read

    Shapes: index is a vector; y has its length along dim.
    Raises: IndexOutOfRange (an IndexError): no such index; DTypeError (a RuntimeError): index is not int64 or int32.
    Source: https://pytorch.org/docs/stable/generated/torch.index_select.html

    Example:
        >>> import rustyflow as rf
        >>> rf.index_select(rf.arange(6).view(2, 3), 1, rf.tensor([2, 0]))
        tensor([[2, 0],
                [5, 3]])
    """
    promote = None

    def forward(F, x, index, *, dim):
        return F.index(x, (dim,), (index,)) if x.ndim else F.dense(x.reshape(1)[index].reshape(()))

    def to(F, out, x, index, *, dim): return F.index(x, (dim,), (index,), out)

    def grad_x(F, g, shape, index, *, dim):
        return F.index_zeros(g, shape, (dim,), (index,)) if len(shape) else F.reshape(g, shape)

    @explained
    def call(input, dim, index):
        dim = wrap_dim(dim, input._a.ndim)
        check_vector("index_select", index, "index_select(): Index is supposed to be a vector")
        check_index("index_select", index)
        if not input._a.ndim and index._a.size != 1:
            raise ShapeError(f"{index._a.size} indices into a 0-d tensor",
                             f"index_select(): Index to scalar can have only 1 value, got {index._a.size} value(s)",
                             "x.unsqueeze(0) gives it an axis")
        shape = input._a.shape  # PyTorch looks at the second axis in a way of its own, and at tensors without cells
        error = OutsideAxis if dim == 1 or len(shape) > 1 and 0 in shape else IndexOutOfRange
        check_inside("index_select", index, shape[dim] if shape else 1, dim, error, empty=error)
        return apply(index_select.op, input, reshape(index, -1), dim=dim)


@op
class take:
    """y = the cells of the flattened x at index        dx = zeros with every g added where it was read

    Shapes: as index, whose negative numbers count from the end.
    Raises: IndexOutOfRange (an IndexError): no such cell. DTypeError (a RuntimeError): index is not int64.
    Source: https://pytorch.org/docs/stable/generated/torch.take.html

    Example:
        >>> import rustyflow as rf
        >>> rf.arange(6).view(2, 3).take(rf.tensor([0, -1]))
        tensor([0, 5])
    """
    promote = None
    def forward(F, x, index): return F.take(x, index)
    def to(F, out, x, index): return out.shape == index.shape and F.take(x, index, out)

    def grad_x(F, g, shape, index):
        return F.reshape(F.index_zeros(g, (prod(shape),), (0,), (index,)), shape)

    @explained
    def call(input, index):
        check_index("take", index, ("int64",))
        if index._a.size and not input._a.size:
            raise IndexOutOfRange(f"take from shape {tuple(input.shape)}", "take(): tried to take from an empty tensor",
                                  "an empty index, or a tensor with cells")
        check_inside("take", index, input._a.size, 0, IndexOutOfRange, negative=True)
        return apply(take.op, input, index)


@function
@explained
def take_along_dim(input, indices, dim=None):
    """`gather` whose other axes broadcast; without dim, of the flattened tensors.

    Raises:
        ShapeError, OutsideAxis, DTypeError (RuntimeErrors): axes that do not broadcast, an index out of range, or not
        int64. ViewError (one too): without dim, a tensor that cannot be seen as a vector.
    Source: https://pytorch.org/docs/stable/generated/torch.take_along_dim.html

    Example:
        >>> import rustyflow as rf
        >>> x = rf.tensor([[3, 1], [2, 4]])
        >>> x.take_along_dim(x.argsort(1), 1)
        tensor([[1, 3],
                [2, 4]])
    """
    flat = dim is None
    if flat:
        indices = check_cells("take_along_dim", indices, ("int64",), "indices")
        input, indices, dim = view(input, -1), view(indices, -1), 0
    else:
        dim, = whole("take_along_dim", dim=dim)
        check_index("take_along_dim", indices, ("int64",), argument="indices")
    if input._a.ndim != indices._a.ndim:
        raise ShapeError(align_right(("input", input._a.shape), ("indices", indices._a.shape)),
                         "torch.take_along_dim(): input and indices should have the same "
                         "number of dimensions", "unsqueeze the indices")
    dim = axis_of(input, dim)
    if not flat and input._a.shape[dim] == 1 and indices._a.shape[dim] != 1:  # PyTorch stretches it
        input = expand(input, [indices._a.shape[d] if d == dim else n for d, n in enumerate(input._a.shape)])
    check_inside("take_along_dim", indices, input._a.shape[dim], dim, negative=not flat)
    places = backend.from_front(indices._a, input._a.shape[dim])
    if places is not indices._a:
        indices = wrap(places)
    elif is_recorded(input):
        indices = wrap(backend.dense(indices._a))  # the program's own may be written to, as in PyTorch
    if flat:
        return gather(input, dim, indices)
    shapes = [tuple(1 if d == dim else n for d, n in enumerate(x._a.shape)) for x in (input, indices)]
    common = broadcast_shapes(*shapes)
    input, indices = [expand(x, [x._a.shape[d] if d == dim else n for d, n in enumerate(common)])
                      for x in (input, indices)]
    return gather(input, dim, indices)


@function
@explained
def nonzero(input, *, as_tuple=False):
    """The indices of the cells that are not 0, one row each; with as_tuple=True one tensor per axis, as x[...] takes
    them.

    Source: https://pytorch.org/docs/stable/generated/torch.nonzero.html

    Example:
        >>> import rustyflow as rf
        >>> rf.tensor([[0, 5], [7, 0]]).nonzero()
        tensor([[0, 1],
                [1, 0]])
    """
    if not as_tuple:
        to = room((backend.count_nonzero(input._a), input._a.ndim), "int64") if offered() else None
        return wrap(backend.argwhere(input._a) if to is None else backend.argwhere(input._a, to))
    return wrap(backend.argwhere(input._a if input._a.ndim else input._a.reshape(1))).unbind(1)


@function
@explained
def argwhere(input):
    """`nonzero`: the indices of the cells that are not 0, one row each.

    Source: https://pytorch.org/docs/stable/generated/torch.argwhere.html

    Example:
        >>> import rustyflow as rf
        >>> rf.argwhere(rf.tensor([0, 3, 4]))
        tensor([[1],
                [2]])
    """
    return nonzero(input)
