"""Pooling: every window of an image becomes its largest cell or its mean."""
from __future__ import annotations

from functools import partial

from ...arguments.numbers import whole
from ...dispatch import apply, function, is_recorded, need_float, op
from ...dtype import int64
from ...errors import DimError, ShapeError, UnsupportedDTypeError, align_right
from ...layout import whole_numbers
from .convolution import per_axis

_per_axis = partial(per_axis, what="pooling", numbers=whole_numbers)  # which to PyTorch are ints, and no sizes


def windows_along(n: int, kernel: int, stride: int, padding: int, dilation: int, ceil_mode: bool) -> int:
    """The number of windows on an axis of n cells.

    With ceil_mode the last may reach beyond the end, if it starts before.

    Example:
        >>> windows_along(5, 2, 2, 0, 1, False), windows_along(5, 2, 2, 0, 1, True)
        (2, 3)
    """
    room = n + 2 * padding - dilation * (kernel - 1) - 1
    out = (-(-room // stride) if ceil_mode else room // stride) + 1
    return out - 1 if ceil_mode and (out - 1) * stride >= n + padding else out


def _windows(name, input, kernel_size, stride, padding, dilation, ceil_mode):
    """The result's size and the numbers of the windows, after their checks.

    Raises:
        ArgumentTypeError (a TypeError); ShapeError (a RuntimeError); UnsupportedDTypeError (a NotImplementedError).
    """
    kernel = _per_axis(name, "kernel_size", kernel_size, 2)
    padding, dilation = _per_axis(name, "padding", padding, 2), _per_axis(name, "dilation", dilation, 2)
    left_out = stride is None or isinstance(stride, (tuple, list)) and not stride
    stride = kernel if left_out else _per_axis(name, "stride", stride, 2)
    shape = input._a.shape
    if len(shape) < 3 and name == "avg_pool2d":
        raise DimError(f"{name} of shape {tuple(shape)}", f"Dimension out of range: {name} needs dim -3, the channels",
                       "(N, C, H, W) or (C, H, W)")
    if len(shape) not in (3, 4) or 0 in shape[len(shape) == 4:]:
        raise ShapeError(f"{name} of shape {tuple(shape)}",
                         "Expected 3D or 4D (batch mode) tensor with optional 0 dim batch size for input",
                         "(N, C, H, W) or (C, H, W)")
    if min(kernel) < 1 or min(stride) < 1 or min(dilation) < 1:
        raise ShapeError(f"{name} with kernel_size={kernel}, stride={stride}, dilation={dilation}",
                         "kernel_size, stride and dilation should be greater than zero", "1 or more")
    if min(padding) < 0 or any(2 * p > k for p, k in zip(padding, kernel)):
        raise ShapeError(f"{name} with kernel_size={kernel}, padding={padding}",
                         f"pad should be at most half of effective kernel size, but got pad={max(padding)}",
                         "less padding")
    out = tuple([windows_along(*each, ceil_mode) for each in zip(shape[-2:], kernel, stride, padding, dilation)])
    if min(out) < 1:
        raise ShapeError(align_right(("input", shape), ("kernel", kernel)),
                         f"Given input size: {tuple(shape[-3:])}. Calculated output size: {(shape[-3], *out)}. "
                         "Output size is too small", "a smaller kernel, or padding")
    if max(padding) and max(dilation) > 1:  # PyTorch lets this pass, then writes outside its memory
        for n, o, k, s, p, d in zip(shape[-2:], out, kernel, stride, padding, dilation):
            if any([all([not 0 <= at * s - p + d * j < n for j in range(k)]) for at in range(o)]):
                raise ShapeError(f"{name} of shape {tuple(shape)} with kernel_size={kernel}, padding={padding}, "
                                 f"dilation={dilation}",
                                 "every window needs a cell of the input, but one lies in the padding alone",
                                 "less padding, or less dilation")
    if input._a.dtype.kind == "b":
        raise UnsupportedDTypeError(f"{name} of bools", f"{name} needs numbers, not bools", "x.float()")
    return {"out": out, "kernel": kernel, "stride": stride, "padding": padding, "dilation": dilation}


@op(public=False, method=False)
class max_pool2d_with_indices:
    """values, indices = largest_of_windows(x, out, kernel, stride, padding, dilation)
    dx = at_cells(g, indices, x.shape)"""
    torch_name, results = "MaxPool2DWithIndicesBackward0", ("values", "indices")
    kinks = "of tied cells the first receives everything"
    def forward(F, x, **how): return F.max_pool2d(x, **how)

    def grad_x(F, g, indices, shape, **how): return at_their_places(F, g[0], indices, shape)


def at_their_places(F, g, indices, shape):
    """Zeros of a shape, with the cells of g added at those numbers of each plane."""
    planes, cells = shape[:-2], shape[-2] * shape[-1]
    flat = (*planes, indices.shape[-2] * indices.shape[-1])
    g, at = F.reshape(g, flat), F.reshape(indices, flat)
    return F.reshape(F.scatter_add_zeros(g, (*planes, cells), len(planes), at), shape)


@op(public=False, method=False)
class max_pooled:
    """y = largest_of_windows(x, out, kernel, stride, padding, dilation)"""
    def forward(F, x, **how): return F.max_pooled(x, **how)


@function(method=False)
def max_pool2d(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False):
    """The largest cell of every window; with return_indices also its number in its plane of the input, int64. NaN wins.

    Windows of kernel_size stand every `stride` (the kernel's own size when left out); padding stands for cells that
    never win.
    Shapes: input (N, C, H, W) or (C, H, W); result the same with H' = (H + 2 * padding - dilation * (k - 1) - 1) //
    stride + 1, rounded up with ceil_mode.

    Raises:
        ShapeError (a RuntimeError): numbers or shapes that leave no window. ArgumentTypeError (a TypeError): no whole
            numbers.
    Differs from PyTorch: a window that lies in the padding alone is an error.
    Source: https://pytorch.org/docs/stable/generated/torch.nn.functional.max_pool2d.html

    Example:
        >>> import rustyflow as rf
        >>> rf.max_pool2d(rf.arange(16.).view(1, 4, 4), 2)
        tensor([[[ 5.,  7.],
                 [13., 15.]]])
    """
    return _max_pool("max_pool2d", input, kernel_size, stride, padding, dilation, ceil_mode, return_indices)


def _max_pool(name, input, kernel_size, stride, padding, dilation, ceil_mode, return_indices):
    how = _windows(name, input, kernel_size, stride, padding, dilation, ceil_mode)
    if not return_indices and not is_recorded(input):
        return apply(max_pooled.op, input, **how)
    values, indices = apply(max_pool2d_with_indices.op, input, **how)
    return (values, indices) if return_indices else values


@op(public=False, method=False)
class avg_pool2d_windows:
    """y = mean_of_windows(x, out, kernel, stride, padding, count_padding, override)
    dx = spread_over_windows(g, x.shape, kernel, stride, padding, count_padding, override)"""
    torch_name = "AvgPool2DBackward0"
    def forward(F, x, **how): return F.averaged(x, **how)
    def grad_x(F, g, shape, **how): return F.avg_pool2d_input(g, shape, **how)


@op(public=False, method=False)
class avg_pool2d_input:
    """y = spread_over_windows(g, size, kernel, stride, padding, count_padding, override)
    dg = mean_of_windows(dy, out, kernel, stride, padding, count_padding, override)
    """
    def forward(F, g, *, size, **how): return F.avg_pool2d_input(g, size, **how)
    def grad_g(F, u, *, size, **how): return F.averaged(u, **how)


@function(public=False, method=False)
def averaged(x, **how):
    """avg_pool2d to gradients, after its checks."""
    return apply(avg_pool2d_windows.op, x, **how)


@function(public=False, method=False)
def avg_pool2d(input, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True,
               divisor_override=None):
    """The mean of every window. Padding counts as cells of 0, unless count_include_pad=False.

    divisor_override divides by another number than that of the cells.
    Shapes: input (N, C, H, W) or (C, H, W); result the same with H' = (H + 2 * padding - k) // stride + 1, rounded up
    with ceil_mode. Other arguments: as max_pool2d, without dilation.

    Raises:
        ShapeError (a RuntimeError): numbers or shapes that leave no window, a divisor of 0. ArgumentTypeError (a
            TypeError): no whole numbers.
    Source: https://pytorch.org/docs/stable/generated/torch.nn.functional.avg_pool2d.html

    Example:
        >>> import rustyflow as rf
        >>> F = rf.nn.functional
        >>> F.avg_pool2d(rf.arange(16.).view(1, 4, 4), 2)
        tensor([[[ 2.5000,  4.5000],
                 [10.5000, 12.5000]]])
    """
    how = _windows("avg_pool2d", input, kernel_size, stride, padding, 1, ceil_mode)
    if input.dtype is not int64:
        need_float("avg_pool2d", input)
    del how["dilation"]
    if divisor_override is not None:
        divisor_override, = whole("avg_pool2d", divisor_override=divisor_override)
    if divisor_override == 0:
        raise ShapeError("avg_pool2d(divisor_override=0)", "divisor must be not zero",
                         "leave it out for the number of cells")
    return apply(avg_pool2d_windows.op, input, count_padding=bool(count_include_pad), override=divisor_override, **how)


def _flat(name, input, numbers):
    """An image of one row, and windows one row high."""
    if input._a.ndim not in (2, 3):
        raise ShapeError(f"{name} of shape {tuple(input.shape)}", f"{name}() Expected 2D or 3D input tensor",
                         "(N, C, L) or (C, L)")
    given = zip(("kernel_size", "stride", "padding", "dilation"), numbers)
    kernel, stride, padding, dilation = [None if n is None or key == "stride" and isinstance(n, list) and not n
                                         else _per_axis(name, key, n, 1)[0] for key, n in given]
    return input.unsqueeze(-2), (1, kernel), (1, kernel if stride is None else stride), (0, padding), (1, dilation)


@function(method=False)
def max_pool1d(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False):
    """The largest cell of every window of the last axis: max_pool2d with one axis less.

    Shapes: input (N, C, L) or (C, L).
    Raises:
        ShapeError (a RuntimeError): numbers or shapes that leave no window. UnsupportedDTypeError (a
        NotImplementedError): whole numbers, unless their indices are asked for, as in PyTorch.
    Source: https://pytorch.org/docs/stable/generated/torch.nn.functional.max_pool1d.html

    Example:
        >>> import rustyflow as rf
        >>> rf.max_pool1d(rf.tensor([[1., 5., 2., 3.]]), 2)
        tensor([[5., 3.]])
    """
    image, *numbers = _flat("max_pool1d", input, (kernel_size, stride, padding, dilation))
    if not return_indices:
        need_float("max_pool1d", input)
    pooled = _max_pool("max_pool1d", image, *numbers, ceil_mode, return_indices)
    return tuple([y.squeeze(-2) for y in pooled]) if return_indices else pooled.squeeze(-2)


@function(method=False)
def avg_pool1d(input, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True):
    """The mean of every window of the last axis: avg_pool2d with one axis less.

    Shapes: input (N, C, L) or (C, L).

    Raises:
        ShapeError (a RuntimeError): numbers or shapes that leave no window.
    Source: https://pytorch.org/docs/stable/generated/torch.nn.functional.avg_pool1d.html

    Example:
        >>> import rustyflow as rf
        >>> rf.avg_pool1d(rf.tensor([[1., 5., 2., 3.]]), 2)
        tensor([[3.0000, 2.5000]])
    """
    image, kernel, stride, padding, _ = _flat("avg_pool1d", input, (kernel_size, stride, padding, 1))
    return avg_pool2d(image, kernel, stride, padding, ceil_mode, count_include_pad).squeeze(-2)
