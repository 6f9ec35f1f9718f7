"""Convolutions: every window of the input times the same filters.

One op over any number of axes, public as conv1d, conv2d and their transposes.
"""
from __future__ import annotations

from math import prod

from ...arguments.numbers import no_tuple
from ...dispatch import apply, function, not_a_tensor, op
from ...dtype import can_cast
from ...errors import DTypeError, ShapeError, UnsupportedDTypeError, align_right
from ...layout import whole_numbers, whole_sizes
from ...tensor import Tensor
from .padding import constant_pad


@op(public=False, method=False)
class convolution:
    """y[n, o, i, j] = beyond(sum(x[n, (o // (w.shape[0] // groups) * w.shape[1] if groups > 1 else 0) + c, \
i * stride[0] + p * dilation[0] - padding[0], j * stride[1] + q * dilation[1] - padding[1]] * w[o, c, p, q]) \
+ bias[o], x, padding)
    dx = same_sum(g, x)
    dw = same_sum(g, w)
    dbias = of_channels(g)
    """
    takes = "biuf"
    def forward(F, x, w, bias=None, **how): return F.convolution(x, w, bias, **how)
    def grad_x(F, g, w, shape, **how): return F.convolution_input(g, w, shape, **how)
    def grad_w(F, g, x, shape, **how): return F.convolution_weight(g, x, shape, **how)
    def grad_bias(F, g, **how): return F.sum(g, (0, *range(2, g.ndim)))


@op(public=False, method=False)
class convolution_input:
    """y = spread_by_filters(g, w, size, stride, padding, dilation, groups) + beside(bias, size)
    dg = convolved(dy, w, g.shape, stride, padding, dilation, groups)
    dw = filters_met(g, dy, w.shape, stride, padding, dilation, groups)
    dbias = of_channels(dy)
    """
    torch_name = "ConvolutionBackward0"

    def forward(F, g, w, bias=None, *, size, **how):
        y = F.convolution_input(g, w, size, **how)
        return y if bias is None else y + bias.reshape((-1,) + (1,) * (len(size) - 2))

    def grad_g(F, u, w, *, size, **how): return F.convolved(u, w, **how)
    def grad_w(F, u, g, shape, *, size, **how): return F.convolution_weight(g, u, shape, **how)
    def grad_bias(F, u, *, size, **how): return F.sum(u, (0, *range(2, len(size))))
    def call(g, w, shape, bias=None, **how): return apply(convolution_input.op, g, w, bias, size=tuple(shape), **how)


@op(public=False, method=False)
class convolution_weight:
    """y = filters_met(g, x, size, stride, padding, dilation, groups)
    dg = convolved(x, dy, g.shape, stride, padding, dilation, groups)
    dx = spread_by_filters(g, dy, x.shape, stride, padding, dilation, groups)
    """
    def forward(F, g, x, *, size, **how): return F.convolution_weight(g, x, size, **how)
    def grad_g(F, u, x, *, size, **how): return F.convolved(x, u, **how)
    def grad_x(F, u, g, shape, *, size, **how): return F.convolution_input(g, u, shape, **how)


def per_axis(name, key, value, axes, what="convolution", numbers=whole_sizes):
    """One whole number for every axis, or one for each, of a list that `numbers` reads; `what` has these axes.

    Raises:
        ArgumentTypeError (a TypeError): something else. ShapeError (a RuntimeError): another number of them.

    Example:
        >>> per_axis("conv2d", "stride", 2, 2), per_axis("conv2d", "stride", (1, 2), 2)
        ((2, 2), (1, 2))
    """
    try:
        given = numbers(value) if isinstance(value, (tuple, list)) else whole_numbers((value,))
    except TypeError:
        raise no_tuple(name, key, value, f"e.g. {key}=1") from None
    if len(given) not in (1, axes):
        raise ShapeError(f"{name}({key}={value!r})",
                         f"expected {key} to be a single integer value or a list of {axes} values to match the "
                         f"{what} dimensions", f"{axes} whole numbers")
    return given * axes if len(given) == 1 else given


def _shapes(a, w):
    return align_right(("input", a.shape), ("weight", w.shape))


def _ready(name, axes, input, weight, bias):
    """Input with a batch axis, and whether it came without one, after the checks that all convolutions share.

    Raises:
        ArgumentTypeError (a TypeError); ShapeError, DTypeError (RuntimeErrors).
    """
    given = {"input": input, "weight": weight, "bias": bias}
    for key, x in given.items():
        if not isinstance(x, Tensor):
            if x is None and key == "bias":
                continue
            raise not_a_tensor(name, key, x)
        if x._a.dtype is not input._a.dtype:
            wrong = UnsupportedDTypeError if input._a.dtype.kind == "b" else DTypeError
            raise wrong(f"input: {input.dtype!r}, {key}: {x.dtype!r}",
                        f"Input type ({input.dtype.name}) and {key} type ({x.dtype.name}) should be the same",
                        f"{key}.to({input.dtype!r})" if input._a.dtype.kind == "f"
                        else f"input.to({x.dtype!r}), as images of whole numbers need")
    a, w = input._a, weight._a
    if a.ndim not in (axes + 1, axes + 2):
        raise ShapeError(_shapes(a, w),
                         f"Expected {axes + 1}D (unbatched) or {axes + 2}D (batched) input to {name}, but got "
                         f"input of size: {list(a.shape)}",
                         f"input (N, C{', size' * axes}), weight (O, C / groups{', k' * axes})")
    if w.ndim != axes + 2:
        raise ShapeError(_shapes(a, w),
                         f"expected {axes + 2}-dimensional input and weight for {name}, but got weight of size "
                         f"{list(w.shape)}", f"weight (O, C / groups{', k' * axes})")
    return (input, False) if a.ndim == axes + 2 else (input.unsqueeze(0), True)


def _checked(name, input, weight, bias, stride, padding, dilation, groups, channels, outputs):
    """Refuse numbers that no convolution can have.

    Raises:
        ShapeError (a RuntimeError).
    """
    a, w = input._a, weight._a
    if groups < 1 or min(stride) < 1 or min(padding) < 0 or min(dilation) < 1:
        raise ShapeError(f"{name} with stride={stride}, padding={padding}, dilation={dilation}, groups={groups}",
                         "non-positive stride, dilation or groups, or negative padding is not supported",
                         "1 or more; padding 0 or more")
    if not w.shape[0]:
        raise ShapeError(_shapes(a, w),
                         f"Given groups={groups}, expected weight to be at least {groups} at dimension 0, but got "
                         f"weight of size {list(w.shape)} instead", "at least one filter for each group")
    if 0 in w.shape[2:]:
        raise ShapeError(_shapes(a, w), f"kernel size should be greater than zero, but got {list(w.shape[2:])}",
                         "one cell or more on every axis")
    if a.shape[1] != channels or w.shape[0] % groups:
        raise ShapeError(_shapes(a, w),
                         f"Given groups={groups}, weight of size {list(w.shape)}, expected input{list(a.shape)} "
                         f"to have {channels} channels, but got {a.shape[1]} channels instead, "
                         "and the weight's first size to be a multiple of groups",
                         "the second axis of input is its channels")
    if bias is not None and bias._a.shape != (outputs,):
        raise ShapeError(f"weight {tuple(w.shape)}, bias {tuple(bias.shape)}",
                         f"expected bias to be 1-dimensional with {outputs} elements, but got bias of size "
                         f"{list(bias.shape)} instead", "one number per output channel")


def _convolve(name, axes, input, weight, bias, stride, padding, dilation, groups):
    x, alone = _ready(name, axes, input, weight, bias)
    kernel = weight._a.shape[2:]
    stride, dilation = per_axis(name, "stride", stride, axes), per_axis(name, "dilation", dilation, axes)
    if isinstance(padding, str):
        if padding not in ("same", "valid"):
            raise ShapeError(f"{name}(padding={padding!r})", f"Invalid padding string: '{padding}'",
                             "'same', 'valid', or numbers")
        if padding == "same" and max(stride) > 1:
            raise ShapeError(f"{name}(padding='same', stride={stride})",
                             "padding='same' is not supported for strided convolutions",
                             "stride=1, or say the padding in numbers")
        total = [d * (k - 1) if padding == "same" else 0 for k, d in zip(kernel, dilation)]
        if any(n % 2 for n in total):
            # PyTorch puts the odd cell behind
            x = constant_pad(x, tuple([n for extra in reversed(total) for n in (0, extra % 2)]), 0)
        padding = tuple([n // 2 for n in total])
    padding = per_axis(name, "padding", padding, axes)
    _checked(name, x, weight, bias, stride, padding, dilation, groups, weight._a.shape[1] * groups, weight._a.shape[0])
    padded = [n + 2 * p for n, p in zip(x._a.shape[2:], padding)]
    if any(d * (k - 1) + 1 > n for k, d, n in zip(kernel, dilation, padded)):
        raise ShapeError(_shapes(x._a, weight._a),
                         f"Calculated padded input size per channel: ({padded}). Kernel size: ({list(kernel)}). "
                         "Kernel size can't be greater than actual input size", "a smaller kernel, or padding")
    y = apply(convolution.op, x, weight, bias, stride=stride, padding=padding, dilation=dilation, groups=groups)
    return y.squeeze(0) if alone else y


@function(method=False)
def conv1d(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    """Every window along one axis times the same filters.

    Shapes: input (N, C, L) or (C, L), weight (O, C / groups, k), bias (O,); result (N, O, L'), L' = (L + 2 * padding -
    dilation * (k - 1) - 1) // stride + 1.
    padding may be 'valid' (none) or 'same' (L' = L).

    Raises:
        ShapeError, DTypeError (RuntimeErrors): shapes, numbers or dtypes that do not go together.
    Source: https://pytorch.org/docs/stable/generated/torch.nn.functional.conv1d.html

    Example:
        >>> import rustyflow as rf
        >>> rf.conv1d(rf.tensor([[[1., 2., 3., 4.]]]), rf.tensor([[[1., -1.]]]))
        tensor([[[-1., -1., -1.]]])
    """
    return _convolve("conv1d", 1, input, weight, bias, stride, padding, dilation, groups)


@function(method=False)
def conv2d(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    """Every window of an image times the same filters.

    Shapes: input (N, C, H, W) or (C, H, W), weight (O, C / groups, kh, kw), bias (O,); result (N, O, H', W'), each size
    as in conv1d.
    stride, padding and dilation are one number, or one per axis; padding may be 'valid' (none) or 'same' (H' = H, W' =
    W).

    Raises:
        ShapeError, DTypeError (RuntimeErrors): shapes, numbers or dtypes that do not go together.
    Source: https://pytorch.org/docs/stable/generated/torch.nn.functional.conv2d.html

    Example:
        >>> import rustyflow as rf
        >>> rf.conv2d(rf.ones(1, 1, 3, 3), rf.ones(1, 1, 2, 2))
        tensor([[[[4., 4.],
                  [4., 4.]]]])
    """
    return _convolve("conv2d", 2, input, weight, bias, stride, padding, dilation, groups)


def _transposed(name, axes, input, weight, bias, stride, padding, output_padding, groups, dilation):
    if isinstance(bias, Tensor) and isinstance(input, Tensor):
        bias = bias.to(input.dtype) if can_cast(bias.dtype, input.dtype) else bias  # it is added in place
    x, alone = _ready(name, axes, input, weight, bias)
    given = {"stride": stride, "padding": padding, "output_padding": output_padding, "dilation": dilation}
    stride, padding, output_padding, dilation = [per_axis(name, key, value, axes) for key, value in given.items()]
    outputs = weight._a.shape[1] * groups
    _checked(name, x, weight, bias, stride, padding, dilation, groups, weight._a.shape[0], outputs)
    if 0 in x._a.shape[2:]:
        raise ShapeError(f"{name} of input {tuple(input.shape)}", "Only zero batch or zero channel inputs are "
                         f"supported, but got input shape: {list(x.shape)}", "an input with cells")
    if any(o < 0 or o >= max(s, d) for o, s, d in zip(output_padding, stride, dilation)):
        raise ShapeError(f"{name}(output_padding={output_padding}, stride={stride})",
                         "output padding must be smaller than either stride or dilation", "output_padding=0")
    along = zip(x._a.shape[2:], weight._a.shape[2:], stride, padding, output_padding, dilation)
    size = [(n - 1) * s - 2 * p + d * (k - 1) + o + 1 for n, k, s, p, o, d in along]
    if min(size) < 1 and prod(x._a.shape):
        raise ShapeError(f"{name} of input {tuple(input.shape)} would have size {size}",
                         "the padding leaves nothing of the result", "less padding")
    behind = [o // s for o, s in zip(output_padding, stride)]
    if any(behind):  # with dilation it may be a step or more: there, cells of 0 are spread
        x = constant_pad(x, tuple([n for extra in reversed(behind) for n in (0, extra)]), 0)
    y = convolution_input(x, weight, (x._a.shape[0], outputs, *size), bias, stride=stride, padding=padding,
                          dilation=dilation, groups=groups)
    return y.squeeze(0) if alone else y


@function(method=False)
def conv_transpose1d(input, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1):
    """The dual of conv1d: every cell of the input spreads a filter over the result.

    Shapes: input (N, C, L) or (C, L), weight (C, O / groups, k), bias (O,); result (N, O, (L - 1) * stride - 2 *
    padding + dilation * (k - 1) + output_padding + 1).

    Raises:
        ShapeError, DTypeError (RuntimeErrors): shapes, numbers or dtypes that do not go together.
    Source: https://pytorch.org/docs/stable/generated/torch.nn.functional.conv_transpose1d.html

    Example:
        >>> import rustyflow as rf
        >>> rf.conv_transpose1d(rf.tensor([[[1., 2.]]]), rf.tensor([[[1., 10.]]]))
        tensor([[[ 1., 12., 20.]]])
    """
    return _transposed("conv_transpose1d", 1, input, weight, bias, stride, padding, output_padding, groups, dilation)


@function(method=False)
def conv_transpose2d(input, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1):
    """The dual of conv2d, and its gradient: every cell of the input spreads a filter over the result.

    Shapes: input (N, C, H, W) or (C, H, W), weight (C, O / groups, kh, kw), bias (O,); result (N, O, H', W'), each size
    as in conv_transpose1d.

    Raises:
        ShapeError, DTypeError (RuntimeErrors): shapes, numbers or dtypes that do not go together.
    Source: https://pytorch.org/docs/stable/generated/torch.nn.functional.conv_transpose2d.html

    Example:
        >>> import rustyflow as rf
        >>> rf.conv_transpose2d(rf.ones(1, 1, 2, 2), rf.ones(1, 1, 2, 2))
        tensor([[[[1., 2., 1.],
                  [2., 4., 2.],
                  [1., 2., 1.]]]])
    """
    return _transposed("conv_transpose2d", 2, input, weight, bias, stride, padding, output_padding, groups, dilation)
