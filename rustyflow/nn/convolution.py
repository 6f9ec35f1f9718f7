"""Convolutions."""

from __future__ import annotations

from typing import Any

from ..errors import ArgumentTypeError, ArgumentValueError
from ..errors.foreign import kind_of
from ..ops.creation import empty
from ..tensor import Tensor
from . import functional as F
from .linear import draw
from .module import Module
from .parameter import Parameter

MODES = "zeros", "reflect", "replicate", "circular"


def _each(value: Any, dims: int) -> Any:
    return value if isinstance(value, (str, tuple)) else tuple(value) if isinstance(value, list) else (value,) * dims


class _Conv(Module):
    """The parts that convolutions share: the sizes, the weights, the text."""

    dims, transposed = 0, False

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        padding: Any = 0,
        dilation: Any = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
    ):
        super().__init__()
        if groups < 1 or in_channels % groups or out_channels % groups:
            raise ArgumentValueError(
                f"{in_channels} in, {out_channels} out, {groups} groups",
                "in_channels and out_channels must be divisible by groups",
                "groups=1",
            )
        self.in_channels, self.out_channels, self.groups = in_channels, out_channels, groups
        self.kernel_size, self.stride, self.padding, self.dilation = (
            _each(x, self.dims) for x in (kernel_size, stride, padding, dilation)
        )
        self.padding_mode, self.output_padding = padding_mode, (0,) * self.dims
        if isinstance(padding, str) and padding not in ("same", "valid"):
            rule = f"Invalid padding string {padding!r}, should be one of {{'valid', 'same'}}"
            raise ArgumentValueError(f"padding={padding!r}", rule, "padding='same'")
        if padding == "same" and any(step != 1 for step in self.stride):
            rule = "padding='same' is not supported for strided convolutions"
            raise ArgumentValueError(f"padding='same', stride={stride}", rule, "stride=1")
        if padding_mode not in MODES:
            rule = f"padding_mode must be one of {set(MODES)}, but got padding_mode={padding_mode!r}"
            raise ArgumentValueError(f"padding_mode={padding_mode!r}", rule, "padding_mode='zeros'")
        channels = (in_channels, out_channels) if self.transposed else (out_channels, in_channels)
        made = {"device": device, "dtype": dtype}
        self.weight = Parameter(empty(channels[0], channels[1] // groups, *self.kernel_size, **made))
        if bias:
            self.bias = Parameter(empty(out_channels, **made))
        else:
            self.register_parameter("bias", None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw the weights again, as PyTorch does."""
        draw(self.weight, self.bias)

    def _padded(self, input: Tensor) -> tuple[Tensor, Any]:
        """The input with what is not zeros around it, and how much the convolution itself is to add."""
        if self.padding_mode == "zeros":
            return input, self.padding
        around = self.padding if isinstance(self.padding, tuple) else (0,) * self.dims
        both = [(n, n) for n in around]
        if self.padding == "same":
            whole = [d * (k - 1) for d, k in zip(self.dilation, self.kernel_size, strict=True)]
            both = [(n // 2, n - n // 2) for n in whole]
        return F.pad(input, [n for pair in reversed(both) for n in pair], self.padding_mode), 0

    def extra_repr(self) -> str:
        said = f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}, stride={self.stride}"
        none = (0,) * self.dims
        usual = {"padding": none, "dilation": (1,) * self.dims, "output_padding": none, "groups": 1}
        said += "".join(
            f", {name}={getattr(self, name)}"
            for name in ("padding", "dilation", "output_padding", "groups")
            if getattr(self, name) != usual[name]
        )
        said += "" if self.bias is not None else ", bias=False"
        return said + ("" if self.padding_mode == "zeros" else f", padding_mode={self.padding_mode}")


class Conv1d(_Conv):
    """A kernel that slides along the last axis: each result is a sum over a window and over the channels.

    Shapes:
        input (N, in_channels, L) or (in_channels, L); output (N, out_channels, L'), with
        L' = (L + 2 padding - dilation (kernel_size - 1) - 1) // stride + 1; weight (out, in / groups, kernel_size).

    Raises:
        ValueError: channels that groups do not divide. ShapeError (a RuntimeError): an input of other channels.
    Source: https://pytorch.org/docs/stable/generated/torch.nn.Conv1d.html

    Example:
        >>> import rustyflow as rf
        >>> rf.nn.Conv1d(2, 4, 3, padding=1)(rf.ones(1, 2, 8)).shape
        rustyflow.Size([1, 4, 8])
    """

    dims = 1

    def forward(self, input: Tensor) -> Tensor:
        input, padding = self._padded(input)
        return F.conv1d(input, self.weight, self.bias, self.stride, padding, self.dilation, self.groups)


class Conv2d(_Conv):
    """A kernel that slides over the last two axes: sums over windows and channels.

    Shapes:
        input (N, in_channels, H, W) or (in_channels, H, W); output (N, out_channels, H', W'), with
        H' = (H + 2 padding - dilation (kernel_size - 1) - 1) // stride + 1; weight (out, in / groups, *kernel_size).

    Raises:
        ValueError: channels that groups do not divide. ShapeError (a RuntimeError): an input of other channels.
    Source: https://pytorch.org/docs/stable/generated/torch.nn.Conv2d.html

    Example:
        >>> import rustyflow as rf
        >>> rf.nn.Conv2d(1, 4, kernel_size=3, stride=2)(rf.ones(2, 1, 9, 9)).shape
        rustyflow.Size([2, 4, 4, 4])
    """

    dims = 2

    def forward(self, input: Tensor) -> Tensor:
        input, padding = self._padded(input)
        return F.conv2d(input, self.weight, self.bias, self.stride, padding, self.dilation, self.groups)


class _ConvTranspose(_Conv):
    """A transposed convolution: a weight (in, out / groups, ...), and sizes of the output that may be asked
    for."""

    transposed = True

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        padding: Any = 0,
        output_padding: Any = 0,
        groups: int = 1,
        bias: bool = True,
        dilation: Any = 1,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
    ):
        if padding_mode != "zeros":
            rule = f'Only "zeros" padding mode is supported for {type(self).__name__}'
            raise ArgumentValueError(f"padding_mode={padding_mode!r}", rule, "padding_mode='zeros'")
        super().__init__(
            in_channels, out_channels, kernel_size, stride, padding, dilation, groups, bias, padding_mode, device, dtype
        )
        self.output_padding = _each(output_padding, self.dims)

    def _behind(self, input: Tensor, output_size: Any) -> tuple[int, ...]:
        """The cells to add behind each axis of the output, so that it has the size that is asked for.

        Raises:
            ValueError: a size for another number of axes, or one that no input of this size gives.
        """
        if output_size is None:
            return self.output_padding
        if not isinstance(output_size, (tuple, list)):
            rule = f"output_size is a list of {self.dims} sizes, not {kind_of(output_size)}"
            raise ArgumentTypeError(f"output_size={output_size!r:.60}", rule, "output_size=y.shape[2:]")
        axes, wanted, shape = self.dims, tuple(output_size), tuple(input.shape)
        batch = len(shape) - axes
        if len(wanted) not in (axes, batch + axes):
            rule = (
                f"ConvTranspose{axes}D: for {len(shape)}D input, output_size must have {axes} or {batch + axes} "
                f"elements (got {len(wanted)})"
            )
            raise ArgumentValueError(f"output_size={list(wanted)}", rule, f"output_size=y.shape[-{axes}:]")
        wanted = wanted[-axes:]
        along = zip(shape[batch:], self.stride, self.padding, self.dilation, self.kernel_size, strict=True)
        least = [(n - 1) * s - 2 * p + d * (k - 1) + 1 for n, s, p, d, k in along]
        most = [n + s - 1 for n, s in zip(least, self.stride, strict=True)]
        if any(not low <= n <= high for low, n, high in zip(least, wanted, most, strict=True)):
            rule = (
                f"requested an output size of {list(wanted)}, but valid sizes range from {least} to {most} "
                f"(for an input of {list(shape[batch:])})"
            )
            raise ArgumentValueError(f"output_size={list(wanted)}", rule, f"output_size={least}")
        return tuple(n - low for n, low in zip(wanted, least, strict=True))


class ConvTranspose1d(_ConvTranspose):
    """The transpose of Conv1d: every cell of the input spreads a kernel over the output.

    Shapes:
        input (N, in_channels, L) or (in_channels, L); output (N, out_channels, L'), with
        L' = (L - 1) stride - 2 padding + dilation (kernel_size - 1) + output_padding + 1;
        weight (in, out / groups, kernel_size).

    Raises:
        ValueError: channels that groups do not divide; an output_size that is not to be had. ShapeError (a
        RuntimeError): an input of other channels.
    Source: https://pytorch.org/docs/stable/generated/torch.nn.ConvTranspose1d.html

    Example:
        >>> import rustyflow as rf
        >>> grow = rf.nn.ConvTranspose1d(2, 4, 3, stride=2)
        >>> grow(rf.ones(1, 2, 4)).shape, grow(rf.ones(1, 2, 4), output_size=[10]).shape
        (rustyflow.Size([1, 4, 9]), rustyflow.Size([1, 4, 10]))
    """

    dims = 1

    def forward(self, input: Tensor, output_size: Any = None) -> Tensor:
        behind = self._behind(input, output_size)
        return F.conv_transpose1d(
            input, self.weight, self.bias, self.stride, self.padding, behind, self.groups, self.dilation
        )


class ConvTranspose2d(_ConvTranspose):
    """The transpose of Conv2d: every cell of the input spreads a kernel over the output.

    Shapes:
        input (N, in_channels, H, W) or (in_channels, H, W); output (N, out_channels, H', W'), with
        H' = (H - 1) stride - 2 padding + dilation (kernel_size - 1) + output_padding + 1;
        weight (in, out / groups, *kernel_size).

    Raises:
        ValueError: channels that groups do not divide; an output_size that is not to be had. ShapeError (a
        RuntimeError): an input of other channels.
    Source: https://pytorch.org/docs/stable/generated/torch.nn.ConvTranspose2d.html

    Example:
        >>> import rustyflow as rf
        >>> rf.nn.ConvTranspose2d(3, 1, kernel_size=4, stride=2, padding=1)(rf.ones(2, 3, 5, 5)).shape
        rustyflow.Size([2, 1, 10, 10])
    """

    dims = 2

    def forward(self, input: Tensor, output_size: Any = None) -> Tensor:
        behind = self._behind(input, output_size)
        return F.conv_transpose2d(
            input, self.weight, self.bias, self.stride, self.padding, behind, self.groups, self.dilation
        )
