"""Linear layers, and those that only change a shape."""

from __future__ import annotations

from math import sqrt
from typing import Any

from ..errors import ArgumentValueError
from ..ops.creation import empty
from ..tensor import Tensor
from . import functional as F, init
from .module import Module
from .parameter import Parameter


class Identity(Module):
    """The input itself; takes any arguments, which change nothing.

    Shapes:
        an input of any shape; the output is the same.

    Source: https://pytorch.org/docs/stable/generated/torch.nn.Identity.html

    Example:
        >>> import rustyflow as rf
        >>> rf.nn.Identity(54)(rf.ones(2))
        tensor([1., 1.])
    """

    def __init__(self, *args: Any, **kwargs: Any):
        super().__init__()

    def forward(self, input: Tensor) -> Tensor:
        return input


class Linear(Module):
    """y = x @ weight.T + bias, over the last axis.

    Shapes:
        input (..., in_features); output (..., out_features); weight (out_features, in_features); bias (out_features,).

    Raises:
        ShapeError (a RuntimeError): an input whose last axis is not in_features.
    Source: https://pytorch.org/docs/stable/generated/torch.nn.Linear.html

    Example:
        >>> import rustyflow as rf
        >>> rf.nn.Linear(3, 2)(rf.ones(4, 3)).shape
        rustyflow.Size([4, 2])
    """

    def __init__(self, in_features: int, out_features: int, bias: bool = True, device: Any = None, dtype: Any = None):
        super().__init__()
        self.in_features, self.out_features = in_features, out_features
        self.weight = Parameter(empty(out_features, in_features, device=device, dtype=dtype))
        if bias:
            self.bias = Parameter(empty(out_features, device=device, dtype=dtype))
        else:
            self.register_parameter("bias", None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw the weights again, as PyTorch does."""
        draw(self.weight, self.bias)

    def forward(self, input: Tensor) -> Tensor:
        return F.linear(input, self.weight, self.bias)

    def extra_repr(self) -> str:
        return f"in_features={self.in_features}, out_features={self.out_features}, bias={self.bias is not None}"


class Bilinear(Module):
    """A weighted sum, for each output, over all pairs of a number of one input and one of another.

    Shapes:
        input1 (..., in1_features), input2 (..., in2_features); output (..., out_features);
        weight (out_features, in1_features, in2_features); bias (out_features,).

    Raises:
        ValueError: no in1_features. ShapeError (a RuntimeError): inputs of other sizes.
    Source: https://pytorch.org/docs/stable/generated/torch.nn.Bilinear.html

    Example:
        >>> import rustyflow as rf
        >>> rf.nn.Bilinear(3, 2, 5)(rf.ones(4, 3), rf.ones(4, 2)).shape
        rustyflow.Size([4, 5])
    """

    def __init__(
        self,
        in1_features: int,
        in2_features: int,
        out_features: int,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ):
        super().__init__()
        if in1_features <= 0:
            rule = f"in1_features must be > 0, but got (in1_features={in1_features})"
            raise ArgumentValueError(f"Bilinear({in1_features}, ...)", rule, "the size of input1's last axis")
        self.in1_features, self.in2_features, self.out_features = in1_features, in2_features, out_features
        made = {"device": device, "dtype": dtype}
        self.weight = Parameter(empty(out_features, in1_features, in2_features, **made))
        self.register_parameter("bias", Parameter(empty(out_features, **made)) if bias else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draws the weights again, as PyTorch does."""
        bound = 1 / sqrt(self.in1_features)
        for parameter in self.parameters():
            init.uniform_(parameter, -bound, bound)

    def forward(self, input1: Tensor, input2: Tensor) -> Tensor:
        return F.bilinear(input1, input2, self.weight, self.bias)

    def extra_repr(self) -> str:
        said = f"in1_features={self.in1_features}, in2_features={self.in2_features}"
        return f"{said}, out_features={self.out_features}, bias={self.bias is not None}"


class Flatten(Module):
    """Some axes in a row become one: by default all but the first.

    Shapes:
        input (N, ...); output (N, the product of the others).

    Raises:
        DimError (an IndexError): an axis that is not there.
    Source: https://pytorch.org/docs/stable/generated/torch.nn.Flatten.html

    Example:
        >>> import rustyflow as rf
        >>> rf.nn.Flatten()(rf.ones(2, 3, 4)).shape
        rustyflow.Size([2, 12])
    """

    def __init__(self, start_dim: int = 1, end_dim: int = -1):
        super().__init__()
        self.start_dim, self.end_dim = start_dim, end_dim

    def forward(self, input: Tensor) -> Tensor:
        return input.flatten(self.start_dim, self.end_dim)

    def extra_repr(self) -> str:
        return f"start_dim={self.start_dim}, end_dim={self.end_dim}"


class Unflatten(Module):
    """One axis becomes several.

    Shapes:
        input (N, D, ...); output (N, *unflattened_size, ...).

    Raises:
        ShapeError (a RuntimeError): sizes whose product is not the axis'.
    Source: https://pytorch.org/docs/stable/generated/torch.nn.Unflatten.html

    Example:
        >>> import rustyflow as rf
        >>> rf.nn.Unflatten(1, (3, 4))(rf.ones(2, 12)).shape
        rustyflow.Size([2, 3, 4])
    """

    def __init__(self, dim: int, unflattened_size: Any):
        super().__init__()
        self.dim, self.unflattened_size = dim, unflattened_size

    def forward(self, input: Tensor) -> Tensor:
        return input.unflatten(self.dim, self.unflattened_size)

    def extra_repr(self) -> str:
        return f"dim={self.dim}, unflattened_size={self.unflattened_size}"


def draw(weight: Tensor, bias: Tensor | None) -> None:
    """The weights that PyTorch begins with: uniform, within 1 / sqrt(fan_in)."""
    init.kaiming_uniform_(weight, a=sqrt(5))
    if bias is not None:
        fan_in = init.fans(weight)[0]
        bound = 1 / sqrt(fan_in) if fan_in > 0 else 0
        init.uniform_(bias, -bound, bound)
