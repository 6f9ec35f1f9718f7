"""Other shapes of the same cells: views where strides can say it, else copies."""
from __future__ import annotations

from ... import layout as rules
from ...arguments.numbers import no_tuple, several, sizes as ints, whole
from ...backends import backend
from ...dispatch import apply, apply_view, expose, function, function_of, need_tensors, need_tuple, op, renamed
from ...dtype import dtype
from ...errors import ShapeError
from ...tensor import storage_of
from ...tensor.memory_format import is_row_major
from .broadcast import expand
from .view import unsqueeze, view


@op(public=False, method=False)
class copy:
    """y = x        dx = g

    In fresh row-major memory.
    """
    torch_name, elementwise = "CloneBackward0", False
    def forward(F, x): return F.dense(x)
    def grad_x(F, g): return g


@op(public=False, method=False)
class copy_as:
    """y = x        dx = g

    In fresh memory, with x's strides where x is dense.
    """
    called, torch_name, elementwise = "clone(input)", "CloneBackward0", False
    def forward(F, x): return F.dense_as(x)
    def grad_x(F, g): return g


@op(public=False, method=False)
class unsafe_view:
    """y = reshape(x, size)        dx = reshape(g, x.shape)

    It shares the memory, where strides allow it, but is no view: for a tensor that a function made for itself.
    """
    def forward(F, x, *, size): return x.reshape(size)
    def grad_x(F, g, shape, *, size): return F.reshape(g, shape)

    def call(x, size):
        y = apply(unsafe_view.op, x, size=tuple(size))
        y._storage, y._offset = storage_of(x), x._offset  # a write to x is seen by whoever saved y
        return y


reshape_alias = renamed(view.op, "ReshapeAliasBackward0")


@function
def clone(input, *, memory_format=None):
    """A copy in memory of its own; a dense one keeps its order unless row-major is asked for.

    Raises: ArgumentTypeError (a TypeError): no memory format.
    Source: https://pytorch.org/docs/stable/generated/torch.clone.html

    Example:
        >>> import rustyflow as rf
        >>> x = rf.zeros(2, 3).t()
        >>> x.clone().stride(), x.contiguous().stride()
        ((1, 3), (2, 1))
    """
    return copy(input) if memory_format is not None and is_row_major("clone", memory_format) else copy_as(input)


@function(public=False)
def contiguous(input, *, memory_format=None):
    """The tensor itself when its cells lie in order, else a copy in which they do.

    Raises: ShapeError (a RuntimeError): preserve_format, where they do not. ArgumentTypeError (a TypeError): no memory
    format.
    Source: https://pytorch.org/docs/stable/generated/torch.Tensor.contiguous.html

    Example:
        >>> import rustyflow as rf
        >>> x = rf.zeros(2, 3)
        >>> x.contiguous() is x, x.t().contiguous().stride()
        (True, (2, 1))
    """
    if memory_format is not None and not is_row_major("contiguous", memory_format) and not input.is_contiguous():
        raise ShapeError(f"contiguous(memory_format={memory_format!r})", "preserve memory format is unsupported by the "
                         "contiguous operator, which changes the order", "x.contiguous()")
    return input if input.is_contiguous() else copy(input)


@function(public=False)
def reshape(input, *shape, **named):
    """Another shape: a view where strides can say it, else a copy; one size may be -1.

    Raises:
        ShapeError (a RuntimeError): the number of cells differs.
    Source: https://pytorch.org/docs/stable/generated/torch.reshape.html

    Example:
        >>> import rustyflow as rf
        >>> rf.arange(6).reshape(2, -1)
        tensor([[0, 1, 2],
                [3, 4, 5]])
    """
    if named or not shape:
        shape = several("reshape", "shape", shape, named, "x.reshape(-1)")
    if isinstance(shape[0], dtype):
        raise no_tuple("reshape", "shape", shape[0], "view(dtype) reads the same memory as another dtype")
    a = input._a
    size = ints(shape, "reshape", "shape", "x.reshape(3, 4)")
    if a.flags.c_contiguous:
        return apply_view(view.op, input, size=size)
    size = rules.infer_size(size, a.size, a.shape)
    if rules.view_stride(a.shape, backend.stride(a), size) is not None:
        return apply_view(reshape_alias, input, size=size)
    return unsafe_view(copy(input), size)


def _reshape(input, shape):
    if not isinstance(shape, (tuple, list)):
        raise no_tuple("reshape", "shape", shape, f"rustyflow.reshape(x, ({shape},)), or x.reshape({shape})")
    return reshape(input, shape)


_reshape.__name__, _reshape.__doc__ = "reshape", reshape.__doc__
expose("reshape", _reshape, method=False)


def _like(name, call):
    def form(input, other):
        need_tensors(name, other=other)
        return call(input, other._a.shape)
    form.__name__ = form.__qualname__ = name
    form.__doc__ = f"""`x.{call.__name__}(other.shape)`.

    Raises:
        ArgumentTypeError (a TypeError): an `other` that is no tensor. What `{call.__name__}` raises.
    Source: https://pytorch.org/docs/stable/generated/torch.Tensor.{name}.html

    Example:
        >>> import rustyflow as rf
        >>> rf.tensor([5, 6]).{name}(rf.zeros(1, 2))
        tensor([[5, 6]])"""
    return function(form, public=False)


view_as = _like("view_as", view)
reshape_as = _like("reshape_as", reshape)
expand_as = _like("expand_as", expand)


@function
def flatten(input, start_dim=0, end_dim=-1):
    """The dims from start_dim to end_dim as one: a view where strides can say it, else a copy.

    Raises:
        DimError (an IndexError): no such dim. ShapeError (a RuntimeError): start_dim after end_dim.
    Source: https://pytorch.org/docs/stable/generated/torch.flatten.html

    Example:
        >>> import rustyflow as rf
        >>> rf.zeros(2, 3, 4).flatten(1).shape
        rustyflow.Size([2, 12])
    """
    shape = input._a.shape
    first, last = rules.wrap_dim(start_dim, len(shape)), rules.wrap_dim(end_dim, len(shape))
    if first > last:
        raise ShapeError(f"flatten({start_dim}, {end_dim}) of shape {tuple(shape)}",
                         "flatten() has invalid args: start_dim cannot come after end_dim", "swap them")
    if not shape:
        return view(input, 1)
    if first == last:
        return input
    n = 1
    for size in shape[first:last + 1]:
        n *= size
    return reshape(input, shape[:first] + (n,) + shape[last + 1:])


@function
def unflatten(input, dim, sizes):
    """One dim cut into several, of the given sizes (one may be -1): a view.

    Raises:
        ShapeError (a RuntimeError): sizes whose product is not the dim's; a 0-d tensor.
    Source: https://pytorch.org/docs/stable/generated/torch.unflatten.html

    Example:
        >>> import rustyflow as rf
        >>> rf.zeros(2, 12).unflatten(1, (3, -1)).shape
        rustyflow.Size([2, 3, 4])
    """
    if not sizes:
        raise ShapeError(f"unflatten(sizes={sizes!r:.60})", "unflatten: sizes must be non-empty", "e.g. (3, -1)")
    dim, sizes = _kinds_of(dim, sizes)
    d, shape = rules.wrap_dim(dim, input._a.ndim), input._a.shape
    if not shape:
        raise ShapeError("unflatten() of a 0-d tensor", f"Dimension specified as {dim} but tensor has no dimensions",
                         "x.view(1, 1)")
    cut = rules.infer_size(sizes, shape[d], shape[d:d + 1])
    return view(input, shape[:d] + cut + shape[d + 1:])


@function_of(unflatten)
def _unflatten(input, dim, sizes):
    """The method alone asks first whether there are sizes at all, of whatever kind."""
    rules.wrap_dim(_kinds_of(dim, sizes)[0], input._a.ndim)
    return unflatten(input, dim, sizes)


def _kinds_of(dim, sizes):
    """The dim and the sizes, as numbers."""
    dim, = whole("unflatten", dim=dim)
    if not isinstance(sizes, (tuple, list)):
        raise no_tuple("unflatten", "sizes", sizes, "e.g. (3, -1)")
    return dim, ints((sizes,), "unflatten", "sizes", "x.unflatten(0, (3, -1))")


@function
def ravel(input):
    """One axis: a view where strides can say it, else a copy.

    Source: https://pytorch.org/docs/stable/generated/torch.ravel.html

    Example:
        >>> import rustyflow as rf
        >>> rf.arange(4).view(2, 2).t().ravel()
        tensor([0, 2, 1, 3])
    """
    return view(contiguous(input), -1)


def _at_least(rank, grow, doc):
    def form(*tensors, many=False):
        if len(tensors) == 1 and isinstance(tensors[0], (tuple, list)):
            tensors, many = tuple(tensors[0]), True
        need_tuple(form.__name__, "tensors", tensors, f"{form.__name__}(a, b)")
        grown = tuple([grow(x) if x._a.ndim < rank else x for x in tensors])
        return grown if many or len(grown) != 1 else grown[0]
    form.__name__ = form.__qualname__ = f"atleast_{rank}d"
    form.__doc__ = (f"{doc}\n\n    Source: https://pytorch.org/docs/stable/generated/torch.atleast_{rank}d.html\n\n"
                    f"    Example:\n        >>> import rustyflow as rf\n"
                    f"        >>> rf.atleast_{rank}d(rf.tensor(5)).ndim\n        {rank}")
    return function(form, method=False)


atleast_1d = _at_least(1, lambda x: view(x, 1), "A view with at least one axis; a tuple of views for several tensors.")
atleast_2d = _at_least(2, lambda x: unsqueeze(x, 0) if x._a.ndim else view(x, 1, 1),
                       "A view with at least two axes, new ones in front; a tuple of views for several tensors.")
atleast_3d = _at_least(3, lambda x: unsqueeze(atleast_2d(x), -1) if x._a.ndim else view(x, 1, 1, 1),
                       "A view with at least three axes: a vector is the middle one, a matrix the first two; a tuple "
                       "of views for several tensors.")
