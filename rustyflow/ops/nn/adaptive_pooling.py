"""Pooling to a given size: the means over stretches that cover an axis, as equal as they can be."""
from __future__ import annotations

from collections.abc import Iterable

from ...arguments.numbers import no_tuple, sizes
from ...dispatch.guard import need_float, need_tensors
from ...dispatch.registry import function, op
from ...dispatch.run import apply
from ...errors import ArgumentValueError, ShapeError
from ...layout import whole_numbers


@op(public=False, method=False)
class stretch_means:
    """y = the means over `sizes` stretches of the last axes        dx = g spread equally over them"""
    torch_name = "AdaptiveAvgPool2DBackward0"
    def forward(F, x, *, sizes): return F.stretch_means(x, sizes)
    def grad_x(F, g, shape, *, sizes): return F.stretch_means_input(g, shape[-len(sizes):])
    def call(x, sizes): return apply(stretch_means.op, x, sizes=tuple(sizes))


@op(public=False, method=False)
class stretch_means_input:
    """y = g spread equally over stretches of the last axes, `sizes` cells        dg = the means of dy over them"""
    torch_name = "AdaptiveAvgPool2DBackwardBackward0"
    def forward(F, g, *, sizes): return F.stretch_means_input(g, sizes)
    def grad_g(F, u, shape, *, sizes): return F.stretch_means(u, shape[-len(sizes):])
    def call(g, sizes): return apply(stretch_means_input.op, g, sizes=tuple(sizes))


def _own_where_none(wanted, shape):
    """The sizes that are wanted of the last axes, None being an axis's own.

    Raises:
        ArgumentValueError (a ValueError): as many as there are axes, or more.
    """
    wanted = list(wanted)
    if len(wanted) >= len(shape):
        raise ArgumentValueError(f"adaptive_avg_pool2d of shape {tuple(shape)} with {len(wanted)} sizes",
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
    need_tensors("adaptive_avg_pool2d", input=input)
    shape = input._a.shape
    if isinstance(output_size, Iterable):
        wanted = _own_where_none(output_size, shape)
        size = sizes((wanted,), "adaptive_avg_pool2d", "output_size", "output_size=(2, 3)")
    elif isinstance(output_size, int):
        size = sizes((output_size,), "adaptive_avg_pool2d", "output_size", "output_size=2") * 2
    else:
        raise no_tuple("adaptive_avg_pool2d", "output_size", output_size, "output_size=2, or one for each axis: (2, 3)")
    if len(size) != 2:
        raise ShapeError(f"adaptive_avg_pool2d(output_size={output_size!r})", "output_size must be 2",
                         "one whole number, or two")
    if min(size) < 0:
        raise ShapeError(f"adaptive_avg_pool2d(output_size={output_size!r})", "elements of output_size must be greater "
                         "than or equal to 0", "the number of means along each axis")
    if size == (1, 1):
        return input.mean((-1, -2), keepdim=True)
    if len(shape) not in (3, 4):
        raise ShapeError(f"adaptive_avg_pool2d of shape {tuple(shape)}",
                         "adaptive_avg_pool2d(): Expected 3D or 4D tensor", "(N, C, H, W) or (C, H, W)")
    if 0 in shape[-2:]:
        raise ShapeError(f"adaptive_avg_pool2d of shape {tuple(shape)}",
                         "Expected input to have non-zero size for non-batch dimensions", "an image with cells")
    need_float("adaptive_avg_pool2d", input)
    return stretch_means(input, size)


@function(method=False)
def adaptive_avg_pool1d(input, output_size):
    """`adaptive_avg_pool2d` of lines: means over output_size stretches that cover each.

    Shapes: input (N, C, L) or (C, L); result (N, C, output_size).
    Source: https://pytorch.org/docs/stable/generated/torch.nn.functional.adaptive_avg_pool1d.html

    Example:
        >>> import rustyflow as rf
        >>> rf.adaptive_avg_pool1d(rf.tensor([[1., 5., 2., 4.]]), 2)
        tensor([[3., 3.]])
    """
    need_tensors("adaptive_avg_pool1d", input=input)
    size = sizes((output_size,), "adaptive_avg_pool1d", "output_size", "output_size=2", whole_numbers)
    if input._a.ndim not in (2, 3):
        raise ShapeError(f"adaptive_avg_pool1d of shape {tuple(input._a.shape)}",
                         "adaptive_avg_pool1d(): Expected 2D or 3D tensor", "(N, C, L) or (C, L)")
    if len(size) != 1:
        raise ShapeError(f"adaptive_avg_pool1d(output_size={output_size!r:.60})",
                         f"adaptive_avg_pool1d() argument 'output_size' should contain one int, not {len(size)}",
                         "the length of the result, e.g. output_size=2")
    return adaptive_avg_pool2d(input.unsqueeze(-2), (1, *size)).squeeze(-2)
