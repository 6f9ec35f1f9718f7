"""Writing cell by cell where an index says, into a copy or in place: scatter and scatter_add."""
from __future__ import annotations

from ...arguments.numbers import number
from ...backends import backend
from ...dispatch import apply, attach, function, need_tensors, not_a_tensor, op, renamed, writes
from ...errors import ArgumentTypeError, DTypeError, ShapeError, align_right, no_derivative
from ...layout import wrap_dim
from ...tensor import Tensor, wrap
from .index_check import check_cells, check_inside, check_window
from .put import as_cell


def same_dtype(name: str, x, other, label: str) -> None:
    """Refuse a source of another dtype, or one that is no tensor.

    Raises:
        ArgumentTypeError (a TypeError), DTypeError (a RuntimeError).
    """
    if other._a.dtype != x._a.dtype:
        raise DTypeError(f"input of {x.dtype!r}, {label} of {other.dtype!r}",
                         f"{name}(): Expected self.dtype to be equal to {label}.dtype", f"{label}.to(x.dtype)")


def places(name, input, dim, index, src=None):
    """The dim and the index of a scatter, after they have been checked."""
    dim = wrap_dim(dim, input._a.ndim)
    index = check_cells(name, index)
    if src is not None:
        same_dtype(name, input, src, "src")
    check_window(name, index, input, dim, src)
    check_inside(name, index, input._a.shape[dim] if input._a.ndim else 1, dim)
    return dim, index


def whole_gradient(g, shape):
    """The gradient of a scatter's source, after a check that index covers all of it.

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
    """y = scatter(x, dim, index, src)        dx = scatter(g, dim, index, 0)        dsrc = gather(g, dim, index)"""
    torch_name, promote = "ScatterBackward0", None
    def forward(F, x, index, src, *, dim): return F.scatter_write(F.dense(x), dim, index, src)
    def grad_x(F, g, index, *, dim): return F.scatter_clear(g, dim, index)
    def grad_src(F, g, shape, index, *, dim): return whole_gradient(F.gather(g, dim, index), shape)


@op(public=False, method=False)
class scatter_value:
    """y = scatter(x, dim, index, value)        dx = scatter(g, dim, index, 0)"""
    torch_name, promote = "ScatterBackward1", None
    def forward(F, x, index, *, dim, value): return F.scatter_write(F.dense(x), dim, index, value)
    def grad_x(F, g, index, *, dim, value): return F.scatter_clear(g, dim, index)


@op(public=False, method=False)
class scatter_clear:
    """y = scatter(x, dim, index, 0)        dx = scatter(g, dim, index, 0)"""
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
    """y = scatter_add(x, dim, index, src)        dx = g        dsrc = gather(g, dim, index)

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
    def grad_src(F, g, shape, index, *, dim): return whole_gradient(F.gather(g, dim, index), shape)

    @writes
    def call(input, dim, index, src):
        need_tensors("scatter_add", src=src)
        dim, index = places("scatter_add", input, dim, index, src)
        return (scatter_add.op, (index, src), {"dim": dim},
                lambda a: backend.scatter_join(backend.add, a, dim, index._a, src._a))


@function
@writes
def scatter(input, dim, index, src=None, *, value=None, reduce=None):
    """A copy in which y[index[i, j], j] = src[i, j] along dim; src may be one number.

    The reduce 'add' or 'multiply' joins it to what is there.

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
    if value is not None:
        if src is not None:
            raise ArgumentTypeError("scatter(src=..., value=...)", "scatter() takes 'src' or 'value', not both",
                                    "x.scatter(dim, index, src)")
        src = number("scatter", "value", value)
    if src is None or isinstance(src, (str, list, tuple)):
        raise not_a_tensor("scatter", "src", src)
    if reduce not in (None, "add", "multiply"):
        raise ShapeError(f"scatter(reduce={reduce!r})", "reduce argument must be either add or multiply.",
                         "reduce='add'")
    source = src if isinstance(src, Tensor) else None
    dim, index = places("scatter", input, dim, index, source)
    one = wrap(as_cell("scatter", number("scatter", "src", src), input.dtype)) if source is None else src
    cells = one._a
    if reduce is not None:
        it = scatter_joined.op if source is not None else _number_joined
        return (it, (index, one), {"dim": dim, "how": reduce},
                lambda a: backend.scatter_join(getattr(backend, reduce), a, dim, index._a, cells))
    if source is None:
        it, others, attrs = scatter_value.op, (index,), {"dim": dim, "value": cells}
    else:
        it, others, attrs = scatter_from.op, (index, source), {"dim": dim}
    return it, others, attrs, lambda a: backend.scatter_write(a, dim, index._a, cells)


@op(public=False, method=False)
class scatter_joined:
    """y = scatter_joined(x, dim, index, src, how)"""
    torch_name, promote = "NotImplemented", None
    def forward(F, x, index, src, *, dim, how): return F.scatter_join(getattr(F, how), F.dense(x), dim, index, src)
    def grad_x(F, g, *, dim, how): raise no_derivative("scatter with reduce", "scatter_add")
    grad_src = grad_x


_number_joined = renamed(scatter_joined.op, "NotImplemented", [0])


attach(scatter, scatter_add)
