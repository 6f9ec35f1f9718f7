"""PyTorch's torch.nn.init: initial weights, written into a tensor in place.

Source: https://pytorch.org/docs/stable/nn.init.html
"""

from __future__ import annotations

from math import erf, prod, sqrt
from typing import Any

from ..errors import ArgumentValueError, NoTensorError, missing as _missing, warn
from ..errors.foreign import kind_of
from ..tensor import Tensor
from ..tensor.gradmode import no_grad

__all__ = """
    calculate_gain constant_ eye_ kaiming_normal_ kaiming_uniform_ normal_ ones_ orthogonal_ trunc_normal_ uniform_
    xavier_normal_ xavier_uniform_ zeros_
""".split()

GAINS = {name: 1.0 for name in "linear conv1d conv2d conv3d conv_transpose1d conv_transpose2d sigmoid".split()} | {
    "tanh": 5 / 3,
    "relu": sqrt(2),
    "selu": 3 / 4,
}


def calculate_gain(nonlinearity: str, param: Any = None) -> float:
    """By how much weights are to be larger, so that the variance survives a nonlinearity.

    Args:
        nonlinearity: 'linear', 'conv2d', 'sigmoid', 'tanh', 'relu', 'leaky_relu', 'selu'.
        param: the slope of leaky_relu.

    Raises:
        ValueError: another name.
    Source: https://pytorch.org/docs/stable/nn.init.html#torch.nn.init.calculate_gain

    Example:
        >>> import rustyflow as rf
        >>> round(rf.nn.init.calculate_gain("relu"), 4)
        1.4142
    """
    if nonlinearity == "leaky_relu":
        slope = 0.01 if param is None else param
        if isinstance(slope, bool) or not isinstance(slope, (int, float)):
            raise ArgumentValueError(f"param={slope!r}", f"negative_slope {slope} not a valid number", "param=0.01")
        return sqrt(2.0 / (1 + slope**2))
    if nonlinearity not in GAINS:
        raise ArgumentValueError(
            f"{nonlinearity!r}",
            f"Unsupported nonlinearity {nonlinearity}",
            ", ".join(map(repr, ("relu", "leaky_relu", "tanh", "linear"))),
        )
    return GAINS[nonlinearity]


def _written(summary: str, formula: str = ""):
    """A function that fills a tensor and returns it, recorded by nobody."""

    def made(fill):
        def call(tensor: Tensor, *args: Any, **kwargs: Any) -> Tensor:
            if not isinstance(tensor, Tensor):
                rule = f"{fill.__name__} writes into a tensor, not into a {kind_of(tensor)}"
                raise NoTensorError(kind_of(tensor), rule, "layer.weight", value=tensor)
            with no_grad():
                fill(tensor, *args, **kwargs)
            return tensor

        call.__name__ = call.__qualname__ = fill.__name__
        call.__wrapped__ = fill
        call.__doc__ = f"""{summary}

    Args:
        tensor: what is written, of any shape{formula}; the rest as the signature says.

    Raises:
        ValueError: a tensor of too few axes, an impossible number. NoTensorError (an AttributeError and a TypeError):
        a module, or what else is no tensor.
    Source: https://pytorch.org/docs/stable/nn.init.html#torch.nn.init.{fill.__name__}

    Example:
        >>> import rustyflow as rf
        >>> rf.nn.init.{fill.__name__}(rf.empty(2, 2){", 3." if fill.__name__ == "constant_" else ""}).shape
        rustyflow.Size([2, 2])
    """
        return call

    return made


@_written("Numbers between a and b, all alike likely.")
def uniform_(tensor, a=0.0, b=1.0, generator=None):
    tensor.uniform_(a, b, generator=generator)


@_written("Numbers of a normal distribution.")
def normal_(tensor, mean=0.0, std=1.0, generator=None):
    tensor.normal_(mean, std, generator=generator)


@_written("One number everywhere.")
def constant_(tensor, val):
    tensor.fill_(val)


@_written("1 everywhere.")
def ones_(tensor):
    tensor.fill_(1.0)


@_written("0 everywhere.")
def zeros_(tensor):
    tensor.zero_()


@_written("The identity: 1 on the diagonal of a matrix.")
def eye_(tensor):
    if tensor.dim() != 2:
        raise ArgumentValueError(
            f"shape {tuple(tensor.shape)}", "Only tensors with 2 dimensions are supported", "a matrix"
        )
    tensor.zero_().fill_diagonal_(1.0)


def fans(tensor: Tensor) -> tuple[int, int]:
    """How many numbers each output is made of, and each input goes into.

    Raises:
        ValueError: fewer than 2 axes.
    """
    if tensor.dim() < 2:
        raise ArgumentValueError(
            f"shape {tuple(tensor.shape)}",
            "Fan in and fan out can not be computed for tensor with fewer than 2 dimensions",
            "a weight of 2 axes or more, or nn.init.uniform_",
        )
    field = prod(tensor.shape[2:])
    return tensor.shape[1] * field, tensor.shape[0] * field


def _fan(tensor: Tensor, mode: str) -> int:
    if mode.lower() not in ("fan_in", "fan_out"):
        raise ArgumentValueError(
            f"mode={mode!r}", f"Mode {mode} not supported, please use one of ['fan_in', 'fan_out']", "mode='fan_in'"
        )
    return fans(tensor)[mode.lower() == "fan_out"]


@_written("Uniform weights after Glorot and Bengio (2010): the variance is kept forward and backward.")
def xavier_uniform_(tensor, gain=1.0, generator=None):
    bound = sqrt(3.0) * gain * sqrt(2.0 / sum(fans(tensor)))
    tensor.uniform_(-bound, bound, generator=generator)


@_written("Normal weights after Glorot and Bengio (2010): the variance is kept forward and backward.")
def xavier_normal_(tensor, gain=1.0, generator=None):
    tensor.normal_(0.0, gain * sqrt(2.0 / sum(fans(tensor))), generator=generator)


@_written("Uniform weights after He et al. (2015): the variance is kept through a relu.")
def kaiming_uniform_(tensor, a=0, mode="fan_in", nonlinearity="leaky_relu", generator=None):
    if 0 in tensor.shape:
        return
    bound = sqrt(3.0) * calculate_gain(nonlinearity, a) / sqrt(_fan(tensor, mode))
    tensor.uniform_(-bound, bound, generator=generator)


@_written("Normal weights after He et al. (2015): the variance is kept through a relu.")
def kaiming_normal_(tensor, a=0, mode="fan_in", nonlinearity="leaky_relu", generator=None):
    if 0 in tensor.shape:
        return
    tensor.normal_(0.0, calculate_gain(nonlinearity, a) / sqrt(_fan(tensor, mode)), generator=generator)


@_written("Numbers of a normal distribution, drawn again until they lie between a and b.")
def trunc_normal_(tensor, mean=0.0, std=1.0, a=-2.0, b=2.0, generator=None):
    if mean < a - 2 * std or mean > b + 2 * std:
        warn("mean is more than 2 std from [a, b] in nn.init.trunc_normal_; the numbers crowd at one end")
    inside = (erf((b - mean) / (std * sqrt(2))) - erf((a - mean) / (std * sqrt(2)))) / 2
    if inside > 0.3:
        low, high = (tensor.new_tensor(end).item() for end in (a, b))  # as the tensor's dtype has them
        tensor.normal_(mean, std, generator=generator)
        while (outside := (tensor < low) | (tensor > high)).any():
            again = tensor.new_empty(tensor.shape).normal_(mean, std, generator=generator)
            tensor.copy_(again.where(outside, tensor))
        return
    # few would fall between: uniform numbers, each kept with the density that it has there, beside the highest one
    highest = -0.5 * ((max(a, min(mean, b)) - mean) / std) ** 2
    outside = tensor.new_ones(tensor.shape).bool()
    while outside.any():
        drawn, chance = (tensor.new_empty(tensor.shape) for _ in range(2))
        tensor.copy_(drawn.uniform_(a, b, generator=generator).where(outside, tensor))
        density = drawn.sub_(mean).div_(std).pow_(2).mul_(-0.5).sub_(highest)
        outside &= chance.uniform_(generator=generator).log_() > density


@_written(
    "A matrix whose rows, or columns, are orthonormal: of the factors of a normal one (Saxe et al., 2013).",
    "; more than 2 axes are read as a matrix of rows",
)
def orthogonal_(tensor, gain=1, generator=None):
    if tensor.dim() < 2:
        raise ArgumentValueError(
            f"shape {tuple(tensor.shape)}", "Only tensors with 2 or more dimensions are supported", "a matrix"
        )
    import numpy as np

    if not tensor.numel():
        return
    rows = tensor.shape[0]
    flat = tensor.new_empty((rows, tensor.numel() // rows)).normal_(0, 1, generator=generator).numpy()
    q, r = np.linalg.qr(flat.T if rows < flat.shape[1] else flat)
    q = q * np.sign(np.diagonal(r))
    tensor.copy_(tensor.new_tensor(q.T if rows < flat.shape[1] else q).view(tensor.shape)).mul_(gain)


def __getattr__(name):
    _missing(__name__, name, __all__)


def __dir__():
    return __all__
