"""Reading by index tensors: gather, index_select, take, and where the nonzero cells are."""
from __future__ import annotations

from math import prod

from ...arguments.numbers import whole
from ...backends import backend
from ...dispatch import apply, function, is_recorded, op
from ...errors import IndexOutOfRange, ShapeError, align_right
from ...layout import broadcast_shapes, reduced_shape, wrap_dim
from ...tensor import wrap
from ..views import expand, reshape, view
from .index_check import (
    OutsideAxis,
    axis_of,
    check_cells,
    check_index,
    check_inside,
    check_vector,
    check_window,
)


@op
class gather:
    """y[i, j] = gather(x, dim, index)        dx = given_back(g, x)

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
    def grad_x(F, g, shape, index, *, dim): return F.scatter_add_zeros(g, shape, dim, index)

    def call(input, dim, index, *, sparse_grad=False):
        dim = wrap_dim(dim, input._a.ndim)
        index = check_cells("gather", index)
        check_window("gather", index, input, dim)
        check_inside("gather", index, input._a.shape[dim] if input._a.ndim else 1, dim)
        return apply(gather.op, input, index, dim=dim)


@op(public=False, method=False)
class scatter_add_zeros:
    """y = scatter_zeros(x, size, dim, index)        dx = gather(dy, dim, index)"""
    promote = None
    def forward(F, x, index, *, size, dim): return F.scatter_add_zeros(x, size, dim, index)
    def grad_x(F, g, index, *, size, dim): return F.gather(g, dim, index)
    def call(x, shape, dim, index): return apply(scatter_add_zeros.op, x, index, size=shape, dim=dim)


@op
class index_select:
    """y = slices_at(x, dim, index)        dx = given_back(g, x)

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

    def grad_x(F, g, shape, index, *, dim):
        return F.index_zeros(g, shape, (dim,), (index,)) if len(shape) else F.reshape(g, shape)

    def call(input, dim, index):
        dim = wrap_dim(dim, input._a.ndim)
        check_vector(index, "index_select(): Index is supposed to be a vector")
        check_index("index_select", index)
        if not input._a.ndim and index._a.size != 1:
            raise ShapeError(f"{index._a.size} indices into a 0-d tensor",
                             f"index_select(): Index to scalar can have only 1 value, got {index._a.size} value(s)",
                             "x.unsqueeze(0) gives it an axis")
        shape = input._a.shape  # PyTorch looks at the second axis in a way of its own, and at tensors without cells
        error = OutsideAxis if dim == 1 or len(shape) > 1 and 0 in shape else IndexOutOfRange
        check_inside("index_select", index, shape[dim] if shape else 1, dim, error, empty=error)
        return apply(index_select.op, input, index if index._a.ndim else reshape(index, -1), dim=dim)


@op
class take:
    """y = take(x, index)        dx = given_back(g, x)

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

    def grad_x(F, g, shape, index):
        return F.reshape(F.index_zeros(g, (prod(shape),), (0,), (index,)), shape)

    def call(input, index):
        check_index("take", index, ("int64",))
        if index._a.size and not input._a.size:
            raise IndexOutOfRange(f"take from shape {tuple(input.shape)}", "take(): tried to take from an empty tensor",
                                  "an empty index, or a tensor with cells")
        try:
            return apply(take.op, input, index)
        except IndexError:
            check_inside("take", index, input._a.size, 0, IndexOutOfRange, negative=True)
            raise


@function
def take_along_dim(input, indices, dim=None):
    """`gather` whose other axes broadcast; without dim, of the flattened tensors.

    With a dim, indices count on around the axis as in PyTorch: -1 is the last index, and n, one past it, is 0 again.

    Raises:
        ShapeError, OutsideAxis, DTypeError (RuntimeErrors): axes that do not broadcast, an index out of range, or not
        int64, or int32 without dim. ViewError (one too): without dim, a tensor that cannot be seen as a vector.
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
        indices = check_cells("take_along_dim", indices)
        input, indices, dim = view(input, -1), view(indices, -1), 0
    else:
        dim, = whole("take_along_dim", dim=dim)
        check_index("take_along_dim", indices, ("int64",))
    if input._a.ndim != indices._a.ndim:
        raise ShapeError(align_right(("input", input._a.shape), ("indices", indices._a.shape)),
                         "torch.take_along_dim(): input and indices should have the same "
                         "number of dimensions", "unsqueeze the indices")
    dim = axis_of(input, dim)
    if not flat and input._a.shape[dim] == 1 and indices._a.shape[dim] != 1:  # PyTorch stretches it
        input = expand(input, [indices._a.shape[d] if d == dim else n for d, n in enumerate(input._a.shape)])
    n = input._a.shape[dim]
    if flat or not n:
        check_inside("take_along_dim", indices, n, dim)
    if n and not backend.are_below(indices._a, n):
        indices = wrap(backend.remainder(indices._a, n))
    elif is_recorded(input):
        indices = wrap(backend.dense(indices._a))  # the program's own may be written to, as in PyTorch
    if flat:
        return gather(input, dim, indices)
    common = broadcast_shapes(*[reduced_shape(x._a.shape, (dim,), True) for x in (input, indices)])
    input, indices = [expand(x, [x._a.shape[d] if d == dim else n for d, n in enumerate(common)])
                      for x in (input, indices)]
    return gather(input, dim, indices)


@function
def nonzero(input, *, as_tuple=False):
    """The indices of the cells that are not 0, one row each.

    With as_tuple=True one tensor per axis, as x[...] takes them.

    Source: https://pytorch.org/docs/stable/generated/torch.nonzero.html

    Example:
        >>> import rustyflow as rf
        >>> rf.tensor([[0, 5], [7, 0]]).nonzero()
        tensor([[0, 1],
                [1, 0]])
    """
    if not as_tuple:
        return wrap(backend.argwhere(input._a))
    return wrap(backend.argwhere(input._a if input._a.ndim else input._a.reshape(1))).unbind(1)


@function
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
