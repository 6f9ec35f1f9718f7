"""Pooling to a given size: the mean or largest cell of stretches that cover an axis.

They are as equal as they can be.
"""
from __future__ import annotations

from collections.abc import Iterable

from ...arguments.numbers import no_tuple, sizes
from ...dispatch import apply, function, need_float, need_tensors, op
from ...dtype import int64
from ...errors import ArgumentValueError, ShapeError
from ...layout import whole_numbers
from .pooling import at_their_places


@op(public=False, method=False)
class stretch_means:
    """y = stretch_means(x, sizes)        dx = spread_equally(g, x.shape[-2:])"""
    torch_name = "AdaptiveAvgPool2DBackward0"
    def grad_x(F, g, shape, *, sizes): return F.stretch_means_input(g, shape[-len(sizes):])
    def call(x, sizes): return apply(stretch_means.op, x, sizes=tuple(sizes))


@op(public=False, method=False)
class stretch_means_input:
    """y = spread_equally(g, sizes)        dg = stretch_means(dy, g.shape[-2:])"""
    torch_name = "AdaptiveAvgPool2DBackwardBackward0"
    def grad_g(F, u, shape, *, sizes): return F.stretch_means(u, shape[-len(sizes):])
    def call(g, sizes): return apply(stretch_means_input.op, g, sizes=tuple(sizes))


@op(public=False, method=False)
class adaptive_max_pool2d_with_indices:
    """values, indices = largest_of_stretches(x, sizes)        dx = at_cells(g, indices, x.shape)"""
    torch_name, results = "AdaptiveMaxPool2DBackward0", ("values", "indices")
    kinks = "of tied cells the first receives everything"

    def forward(F, x, *, sizes):
        rows, columns = (_stretches(n, out) for n, out in zip(x.shape[-2:], sizes))
        kernel = [len(at) // out if out else 1 for at, out in zip((rows, columns), sizes)]
        width, last = x.shape[-1], x.ndim - 1
        rows, columns = (F.asarray(at, int64.numpy) for at in (rows, columns))
        x = F.index_select(F.index_select(x, last - 1, rows), last, columns)
        values, where = F.max_pool2d(x, out=sizes, kernel=kernel, stride=kernel, padding=(0, 0), dilation=(1, 1))
        down, right = where // x.shape[-1], where % x.shape[-1]
        return values, F.take(rows, down) * width + F.take(columns, right)

    def grad_x(F, g, indices, shape, *, sizes): return at_their_places(F, g[0], indices, shape)


def _stretches(n, out):
    """The numbers of the cells of `out` stretches that cover n: of a shorter stretch the last cell again.

    Example:
        >>> _stretches(5, 2)  # cells 0 to 2, and 2 to 4
        [0, 1, 2, 2, 3, 4]
    """
    ends = [(n * k // out, -(-n * (k + 1) // out)) for k in range(out)]
    longest = max([end - start for start, end in ends], default=1)
    return [min(start + k, end - 1) for start, end in ends for k in range(longest)]


def _own_where_none(name, wanted, shape):
    """The sizes that are wanted of the last axes, None being an axis's own.

    Raises:
        ArgumentValueError (a ValueError): as many as there are axes, or more.
    """
    wanted = list(wanted)
    if len(wanted) >= len(shape):
        raise ArgumentValueError(f"{name} of shape {tuple(shape)} with {len(wanted)} sizes",
                                 f"Input dimension should be at least {len(wanted) + 1}", "(N, C, H, W) or (C, H, W)")
    return [own if n is None else n for n, own in zip(wanted, shape[len(shape) - len(wanted):])]


@function(public=False, method=False)
def adaptive_avg_pool2d(input, output_size):
    """Means over output_size stretches per axis that cover the input, as equal as they can be; None keeps an axis.

    Shapes: input (N, C, H, W) or (C, H, W); result (N, C, *output_size).

    Raises:
        ShapeError (a RuntimeError): another number of axes, no cells, a negative size. ArgumentTypeError (a
        TypeError): no whole numbers for sizes. ArgumentValueError (a ValueError): as many sizes as axes.
        UnsupportedDTypeError (a NotImplementedError): an input without floats.
    Source: https://pytorch.org/docs/stable/generated/torch.nn.functional.adaptive_avg_pool2d.html

    Example:
        >>> import rustyflow as rf
        >>> F = rf.nn.functional
        >>> F.adaptive_avg_pool2d(rf.arange(16.).view(1, 4, 4), 1)
        tensor([[[7.5000]]])
    """
    size = _size("adaptive_avg_pool2d", input, output_size)
    if size == (1, 1):
        return input.mean((-1, -2), keepdim=True)
    _check("adaptive_avg_pool2d", input)
    return stretch_means(input, size)


def _size(name, input, output_size):
    """The two sizes of a result.

    Raises:
        ShapeError (a RuntimeError), ArgumentTypeError (a TypeError): as the pools say.
    """
    need_tensors(name, input=input)
    if isinstance(output_size, Iterable):
        size = sizes((_own_where_none(name, output_size, input._a.shape),), name, "output_size", "output_size=(2, 3)")
    elif isinstance(output_size, int):
        size = sizes((output_size,), name, "output_size", "output_size=2") * 2
    else:
        raise no_tuple(name, "output_size", output_size, "output_size=2, or one for each axis: (2, 3)")
    if len(size) != 2:
        raise ShapeError(f"{name}(output_size={output_size!r})", "output_size must be 2", "one whole number, or two")
    if min(size) < 0:
        raise ShapeError(f"{name}(output_size={output_size!r})", "elements of output_size must be greater than or "
                         "equal to 0", "the number of stretches along each axis")
    return size


def _check(name, input):
    """Refuse what is no image with cells.

    Raises:
        ShapeError (a RuntimeError); UnsupportedDTypeError (a NotImplementedError).
    """
    shape = input._a.shape
    if len(shape) not in (3, 4):
        raise ShapeError(f"{name} of shape {tuple(shape)}", f"{name}(): Expected 3D or 4D tensor",
                         "(N, C, H, W) or (C, H, W)")
    if 0 in shape[-2:]:
        raise ShapeError(f"{name} of shape {tuple(shape)}",
                         "Expected input to have non-zero size for non-batch dimensions", "an image with cells")
    need_float(name, input)


@function(public=False, method=False)
def adaptive_max_pool2d(input, output_size, return_indices=False):
    """The largest cells of output_size stretches per axis that cover the input, as equal as they can be.

    None keeps an axis. With return_indices also the number of each in its plane of the input, int64. NaN wins.
    Shapes: input (N, C, H, W) or (C, H, W); result (N, C, *output_size).

    Raises:
        ShapeError (a RuntimeError): another number of axes, no cells, a negative size. ArgumentTypeError (a
        TypeError): no whole numbers for sizes. ArgumentValueError (a ValueError): as many sizes as axes.
        UnsupportedDTypeError (a NotImplementedError): an input without floats.
    Source: https://pytorch.org/docs/stable/generated/torch.nn.functional.adaptive_max_pool2d.html

    Example:
        >>> import rustyflow as rf
        >>> F = rf.nn.functional
        >>> F.adaptive_max_pool2d(rf.arange(16.).view(1, 4, 4), (1, 2))
        tensor([[[13., 15.]]])
    """
    size = _size("adaptive_max_pool2d", input, output_size)
    _check("adaptive_max_pool2d", input)
    if input._a.shape[-3] == 0:
        raise ShapeError(f"adaptive_max_pool2d of shape {tuple(input._a.shape)}",
                         "Expected input to have non-zero size for non-batch dimensions", "an image with channels")
    values, indices = apply(adaptive_max_pool2d_with_indices.op, input, sizes=size)
    return (values, indices) if return_indices else values


@function(method=False)
def adaptive_avg_pool1d(input, output_size):
    """`adaptive_avg_pool2d` of lines: means over output_size stretches that cover each.

    Shapes: input (N, C, L) or (C, L); result (N, C, output_size).
    Raises:
        ShapeError (a RuntimeError): another number of axes, a negative size. DTypeError (a RuntimeError): whole
            numbers.
    Source: https://pytorch.org/docs/stable/generated/torch.nn.functional.adaptive_avg_pool1d.html

    Example:
        >>> import rustyflow as rf
        >>> rf.adaptive_avg_pool1d(rf.tensor([[1., 5., 2., 4.]]), 2)
        tensor([[3., 3.]])
    """
    size = _length("adaptive_avg_pool1d", input, output_size)
    return adaptive_avg_pool2d(input.unsqueeze(-2), (1, size)).squeeze(-2)


@function(public=False, method=False)
def adaptive_max_pool1d(input, output_size, return_indices=False):
    """`adaptive_max_pool2d` of lines: the largest cells of output_size stretches that cover each.

    Shapes: input (N, C, L) or (C, L); result (N, C, output_size).
    Raises:
        ShapeError (a RuntimeError): another number of axes, no cells, a negative size. UnsupportedDTypeError (a
            NotImplementedError): whole numbers.
    Source: https://pytorch.org/docs/stable/generated/torch.nn.functional.adaptive_max_pool1d.html

    Example:
        >>> import rustyflow as rf
        >>> F = rf.nn.functional
        >>> F.adaptive_max_pool1d(rf.tensor([[1., 5., 2., 4.]]), 2, return_indices=True)
        (tensor([[5., 4.]]), tensor([[1, 3]]))
    """
    size = _length("adaptive_max_pool1d", input, output_size)
    pooled = adaptive_max_pool2d(input.unsqueeze(-2), (1, size), True)
    values, indices = [y.squeeze(-2) for y in pooled]
    return (values, indices) if return_indices else values


def _length(name, input, output_size):
    """The length of the lines of a result.

    Raises:
        ShapeError (a RuntimeError): no lines, or several lengths.
    """
    need_tensors(name, input=input)
    size = sizes((output_size,), name, "output_size", "output_size=2", whole_numbers)
    if input._a.ndim not in (2, 3):
        raise ShapeError(f"{name} of shape {tuple(input._a.shape)}", f"{name}(): Expected 2D or 3D tensor",
                         "(N, C, L) or (C, L)")
    if len(size) != 1:
        raise ShapeError(f"{name}(output_size={output_size!r:.60})",
                         f"{name}() argument 'output_size' should contain one int, not {len(size)}",
                         "the length of the result, e.g. output_size=2")
    return size[0]
