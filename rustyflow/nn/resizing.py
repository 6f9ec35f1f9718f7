"""Modules that change the size of an image: cells around it, or more cells for it."""

from __future__ import annotations

from typing import Any

from ..errors import ArgumentTypeError, ArgumentValueError
from ..tensor import Tensor
from . import functional as F
from .module import Module


class _Pad2d(Module):
    """Cells around the last two axes, as many on each side as `padding` says."""

    mode, value = "constant", 0.0

    def __init__(self, padding: Any):
        super().__init__()
        self.padding = tuple(padding) if isinstance(padding, (tuple, list)) else (padding,) * 4

    def forward(self, input: Tensor) -> Tensor:
        return F.pad(input, self.padding, self.mode, self.value)

    def extra_repr(self) -> str:
        return f"{self.padding}"


class ZeroPad2d(_Pad2d):
    """Zeros around the last two axes.

    Args:
        padding: how many on each side, or (left, right, top, bottom); below 0 they are cut off.

    Shapes:
        input (..., H, W); output (..., top + H + bottom, left + W + right).

    Raises:
        ShapeError (a RuntimeError): more is cut off than there is.
    Source: https://pytorch.org/docs/stable/generated/torch.nn.ZeroPad2d.html

    Example:
        >>> import rustyflow as rf
        >>> rf.nn.ZeroPad2d((1, 0, 0, 1))(rf.ones(1, 1, 2, 2))
        tensor([[[[0., 1., 1.],
                  [0., 1., 1.],
                  [0., 0., 0.]]]])
    """


class ReflectionPad2d(_Pad2d):
    """Cells around the last two axes, read off the other side of the edge, which is not repeated.

    Args:
        padding: how many on each side, or (left, right, top, bottom).

    Shapes:
        input (N, C, H, W) or (C, H, W); output (..., top + H + bottom, left + W + right).

    Raises:
        ShapeError (a RuntimeError): as much padding as there are cells, or more.
    Source: https://pytorch.org/docs/stable/generated/torch.nn.ReflectionPad2d.html

    Example:
        >>> import rustyflow as rf
        >>> rf.nn.ReflectionPad2d((2, 1, 0, 0))(rf.tensor([[[1., 2., 3.]]]))
        tensor([[[3., 2., 1., 2., 3., 2.]]])
    """

    mode = "reflect"


def _factor(value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError) as error:
        kind = ArgumentTypeError if isinstance(error, TypeError) else ArgumentValueError
        rule = "scale_factor is a number, or a tuple of one per axis"
        raise kind(f"Upsample(scale_factor={value!r:.60})", rule, "scale_factor=2, or (2, 2)", value=value) from None


class Upsample(Module):
    """An image, or a line, of more cells: repeated, or read between the ones that are there.

    Args:
        size: that of the result, or `scale_factor`: how many times larger; one number, or one per axis. mode:
            'nearest', 'linear', 'bilinear', 'bicubic' and the others of `nn.functional.interpolate`. align_corners:
            whether the first and last cells keep their places.

    Shapes:
        input (N, C, L) or (N, C, H, W); output of the same axes.

    Raises:
        ValueError: neither size nor scale_factor, or both. NotImplementedError: a mode for other axes.
    Source: https://pytorch.org/docs/stable/generated/torch.nn.Upsample.html

    Example:
        >>> import rustyflow as rf
        >>> rf.nn.Upsample(scale_factor=2)(rf.tensor([[[[1., 2.]]]]))
        tensor([[[[1., 1., 2., 2.],
                  [1., 1., 2., 2.]]]])
    """

    def __init__(
        self,
        size: Any = None,
        scale_factor: Any = None,
        mode: str = "nearest",
        align_corners: bool | None = None,
        recompute_scale_factor: bool | None = None,
    ):
        super().__init__()
        self.name, self.size, self.mode, self.align_corners = type(self).__name__, size, mode, align_corners
        self.recompute_scale_factor = recompute_scale_factor
        self.scale_factor: Any = None
        if isinstance(scale_factor, tuple):
            self.scale_factor = tuple(map(_factor, scale_factor))
        elif scale_factor:
            self.scale_factor = _factor(scale_factor)

    def forward(self, input: Tensor) -> Tensor:
        return F.interpolate(
            input,
            self.size,
            self.scale_factor,
            self.mode,
            self.align_corners,
            recompute_scale_factor=self.recompute_scale_factor,
        )

    def extra_repr(self) -> str:
        said = f"scale_factor={self.scale_factor!r}" if self.scale_factor is not None else f"size={self.size!r}"
        return f"{said}, mode={self.mode!r}"
