"""Channels turned into pixels and back, channels mixed, patches of an image as columns and back."""
from __future__ import annotations

from collections.abc import Iterable

from ...arguments.numbers import no_tuple, whole
from ...autograd.enclosed import enclosed
from ...dispatch import function, need_float
from ...errors import ArgumentValueError, DimError, ShapeError
from ...layout import contiguous_stride, whole_numbers
from ..views import copy, slots_add
from .padding import pad


def _image(name, input, least):
    if input._a.ndim < least:
        wrong = DimError if name == "unfold" else ShapeError
        raise wrong(f"{name} of shape {tuple(input.shape)}", f"{name} expects input to have at least {least} "
                    f"dimensions, but got input with {input._a.ndim} dimension(s)", "(N, C, H, W)")


def _no_empty(name, input, most):
    """Refuse an axis of size 0, but for the batch, as PyTorch does of patches.

    Raises:
        ShapeError (a RuntimeError).
    """
    if 0 in input._a.shape[input._a.ndim == most:]:
        raise ShapeError(f"{name} of shape {tuple(input.shape)}",
                         f"Expected {most - 1}D or {most}D (batch mode) tensor for input with possibly 0 batch size "
                         "and other non-zero dimensions", "a tensor with cells")


def _fresh(x, shape):
    """The same cells under another shape, in memory of their own."""
    y = x.reshape(shape)
    return copy(y) if y._is_view() else y


@function(method=False)
@enclosed("PixelShuffleBackward0")
def pixel_shuffle(input, upscale_factor):
    """r * r channels as one, r times as high and wide.

    Shapes: (..., C * r * r, H, W) to (..., C, H * r, W * r).
    Raises:
        ShapeError (a RuntimeError): fewer than three axes, or channels that r * r does not divide.
    Source: https://pytorch.org/docs/stable/generated/torch.nn.functional.pixel_shuffle.html; Shi et al., arXiv
        1609.05158

    Example:
        >>> import rustyflow as rf
        >>> rf.pixel_shuffle(rf.arange(4).view(4, 1, 1), 2)
        tensor([[[0, 1],
                 [2, 3]]])
    """
    r, = whole("pixel_shuffle", upscale_factor=upscale_factor)
    _image("pixel_shuffle", input, 3)
    *lead, c, h, w = input._a.shape
    if r <= 0 or c % (r * r):
        raise ShapeError(f"pixel_shuffle of shape {tuple(input.shape)} by {r}",
                         "pixel_shuffle expects its input's 'channel' dimension to be divisible by the square of a "
                         f"positive upscale_factor, but input.size(-3)={c} is not divisible by {r * r}",
                         "channels that are a multiple of upscale_factor ** 2")
    parts, n = input.reshape((*lead, c // (r * r), r, r, h, w)), len(lead)
    order = (*range(n), n, n + 3, n + 1, n + 4, n + 2)
    return _fresh(parts.permute(order), (*lead, c // (r * r), h * r, w * r))


@function(method=False)
@enclosed("PixelUnshuffleBackward0")
def pixel_unshuffle(input, downscale_factor):
    """The undoing of `pixel_shuffle`: r by r pixels become r * r channels.

    Shapes: (..., C, H * r, W * r) to (..., C * r * r, H, W).
    Raises:
        ShapeError (a RuntimeError): fewer than three axes, or a height or width that r does not divide.
    Source: https://pytorch.org/docs/stable/generated/torch.nn.functional.pixel_unshuffle.html

    Example:
        >>> import rustyflow as rf
        >>> rf.pixel_unshuffle(rf.arange(4).view(1, 2, 2), 2).flatten()
        tensor([0, 1, 2, 3])
    """
    r, = whole("pixel_unshuffle", downscale_factor=downscale_factor)
    _image("pixel_unshuffle", input, 3)
    *lead, c, h, w = input._a.shape
    if r <= 0 or h % r or w % r:
        raise ShapeError(f"pixel_unshuffle of shape {tuple(input.shape)} by {r}",
                         "pixel_unshuffle expects height and width to be divisible by a positive downscale_factor, but "
                         f"they are {h} and {w}", "crop or pad the image first")
    parts, n = input.reshape((*lead, c, h // r, r, w // r, r)), len(lead)
    order = (*range(n), n, n + 2, n + 4, n + 1, n + 3)
    return _fresh(parts.permute(order), (*lead, c * r * r, h // r, w // r))


@function(method=False)
@enclosed("ChannelShuffleBackward0")
def channel_shuffle(input, groups):
    """The channels of several groups dealt out in turn, so that each new group has some of every old one.

    Shapes: (N, C, ...), as the result.
    Raises:
        ShapeError (a RuntimeError): fewer than three axes, or channels that `groups` does not divide.
    Source: https://pytorch.org/docs/stable/generated/torch.nn.ChannelShuffle.html; Zhang et al., arXiv 1707.01083

    Example:
        >>> import rustyflow as rf
        >>> rf.channel_shuffle(rf.arange(4).view(1, 4, 1), 2).flatten()
        tensor([0, 2, 1, 3])
    """
    _image("channel_shuffle", input, 3)
    groups, = whole("channel_shuffle", groups=groups)
    n, c, *rest = input._a.shape
    if groups <= 0 or c % groups:
        raise ShapeError(f"{c} channels in {groups} groups", "Number of channels must be divisible by groups, which "
                         f"are positive. Got {c} channels and {groups} groups.", "a divisor of the number of channels")
    return _fresh(input.reshape((n, groups, c // groups, *rest)).transpose(1, 2), (n, c, *rest))


def _windows(size, kernel, dilation, padding, stride):
    """The number of windows along each axis."""
    return [(n + 2 * p - d * (k - 1) - 1) // s + 1 for n, k, d, p, s in zip(size, kernel, dilation, padding, stride)]


def _need_float_or_bool(name, x):
    """Refuse whole numbers, but not bools, as PyTorch does.

    Raises:
        UnsupportedDTypeError (a NotImplementedError).
    """
    if x._a.dtype.kind != "b":
        need_float(name, x)


def _pairs(name, **given):
    """Two whole numbers for each argument, which is one number for both axes, or any two.

    Of an image, as in PyTorch; two come as any iterable.

    Raises:
        ArgumentTypeError (a TypeError): something else. ShapeError (a RuntimeError): another number of them, or a size
            or a step that is none.
    """
    pairs = {}
    for key, value in given.items():
        try:
            pairs[key] = whole_numbers([*value] if isinstance(value, Iterable) else (value, value))
        except (TypeError, ArgumentValueError):
            raise no_tuple(name, key, value, f"e.g. {key}=1") from None
    for key, pair in pairs.items():
        if len(pair) != 2:
            raise ShapeError(f"{name}({key}={pair})",
                             f"It is expected {key} equals to 2, but got size {len(pair)}",
                             f"{key}=1, or one for each axis: {key}=(1, 1)")
    for key, pair in pairs.items():
        if key != "output_size" and min(pair) < (key != "padding"):
            least = "at least" if key == "padding" else "greater than"
            raise ShapeError(f"{name}({key}={pair})", f"{key} should be {least} zero, but got {pair}", f"{key}=1")
    return pairs.values()


def _windows_stride(own, dilation, stride):
    """The strides of all windows of an image: batch, channels, within a window, from window to window."""
    return *own[:2], *[step * by for bys in (dilation, stride) for step, by in zip(own[2:], bys)]


@function(public=False, method=False)
@enclosed("Im2ColBackward0")
def unfold(input, kernel_size, dilation=1, padding=0, stride=1):
    """The patches of an image, each as a column: a convolution is one product of matrices then.

    Shapes: (N, C, H, W) to (N, C * kernel height * kernel width, number of patches); N may be missing.
    Raises:
        ShapeError (a RuntimeError): other shapes, a kernel larger than the image.
    Source: https://pytorch.org/docs/stable/generated/torch.nn.functional.unfold.html

    Example:
        >>> import rustyflow as rf
        >>> F = rf.nn.functional
        >>> F.unfold(rf.arange(6.).view(1, 1, 2, 3), 2)
        tensor([[[0., 1.],
                 [1., 2.],
                 [3., 4.],
                 [4., 5.]]])
    """
    kernel, dilation, padding, stride = _pairs("unfold", kernel_size=kernel_size, dilation=dilation, padding=padding,
                                               stride=stride)
    if input._a.ndim > 2 or 0 in input._a.shape[1:]:  # else PyTorch misses the axes first
        _no_empty("unfold", input, 4)
    _image("unfold", input, 3)
    x = input if input._a.ndim == 4 else input.unsqueeze(0)
    counts = _windows(x._a.shape[-2:], kernel, dilation, padding, stride)
    if input._a.ndim > 4 or min(counts) <= 0:
        raise ShapeError(f"input of shape {tuple(input.shape)}, kernel {kernel}",
                         "unfold: expected (N, C, H, W) or (C, H, W), and sliding blocks whose count is positive, "
                         f"but it is {tuple(counts)}",
                         "a kernel that fits into the padded image")
    _need_float_or_bool("unfold", input)
    x = pad(x, (padding[1], padding[1], padding[0], padding[0])) if any(padding) else x.contiguous()
    n, c = x._a.shape[:2]
    windows = x.as_strided((n, c, *kernel, *counts), _windows_stride(x.stride(), dilation, stride), x.storage_offset())
    columns = windows.reshape((n, c * kernel[0] * kernel[1], counts[0] * counts[1]))
    columns = columns.clone().contiguous() if columns._is_view() else columns  # where no cell moves, no copy yet
    return columns if input._a.ndim == 4 else columns.squeeze(0)


@function(public=False, method=False)
@enclosed("Col2ImBackward0")
def fold(input, output_size, kernel_size, dilation=1, padding=0, stride=1):
    """The patches that `unfold` makes, each at its place in an image again; where they overlap they add up.

    Shapes: (N, C * kernel height * kernel width, number of patches) to (N, C, *output_size); N may be missing.
    Raises:
        ShapeError (a RuntimeError): columns that do not fit the kernel, or their number the image.
    Source: https://pytorch.org/docs/stable/generated/torch.nn.functional.fold.html

    Example:
        >>> import rustyflow as rf
        >>> F = rf.nn.functional
        >>> F.fold(rf.ones(1, 4, 2), (2, 3), 2)
        tensor([[[[1., 2., 1.],
                  [1., 2., 1.]]]])
    """
    size, kernel, dilation, padding, stride = _pairs("fold", output_size=output_size, kernel_size=kernel_size,
                                                     dilation=dilation, padding=padding, stride=stride)
    _image("fold", input, 2)
    if input._a.ndim > 3:
        raise ShapeError(f"fold of shape {tuple(input.shape)}", "Expected 2D or 3D (batch mode) tensor for input with "
                         "possibly 0 batch size", "(N, C * kernel height * kernel width, number of patches)")
    _no_empty("fold", input, 3)
    columns = input if input._a.ndim == 3 else input.unsqueeze(0)
    n, rows, patches = columns._a.shape
    high, wide = _windows(size, kernel, dilation, padding, stride)
    if rows % (kernel[0] * kernel[1]) or min(high, wide) <= 0 or patches != high * wide:
        raise ShapeError(f"input of shape {tuple(input.shape)}, output {size}, kernel {kernel}",
                         f"fold: expected a multiple of {kernel[0] * kernel[1]} rows, and {high * wide} sliding blocks",
                         "columns as unfold makes them of an image of that size")
    _need_float_or_bool("fold", input)
    parts = columns.reshape((n, rows // (kernel[0] * kernel[1]), *kernel, high, wide))
    shape = n, parts._a.shape[1], size[0] + 2 * padding[0], size[1] + 2 * padding[1]
    windows = parts._a.shape, _windows_stride(contiguous_stride(shape), dilation, stride), 0
    image = slots_add(parts, (shape, contiguous_stride(shape), 0), windows)
    image = image[:, :, padding[0]:padding[0] + size[0], padding[1]:padding[1] + size[1]].contiguous()
    return image if input._a.ndim == 3 else image.squeeze(0)
