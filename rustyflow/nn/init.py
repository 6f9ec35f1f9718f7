"""PyTorch's torch.nn.init: initial weights, written into a tensor in place.

Source: https://pytorch.org/docs/stable/nn.init.html
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from math import erf, prod, sqrt
from typing import Any, TypeVar

import numpy as np

from ..arguments.explain import explaining
from ..errors import ArgumentValueError, NoTensorError, missing as _missing, warn
from ..errors.foreign import kind_of
from ..tensor import Tensor
from ..tensor.gradmode import no_grad

__all__ = """
    calculate_gain constant_ dirac_ eye_ kaiming_normal_ kaiming_uniform_ normal_ ones_ orthogonal_ trunc_normal_
    uniform_ xavier_normal_ xavier_uniform_ zeros_
""".split()
Fill = TypeVar("Fill", bound=Callable[..., Tensor])
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


def _written(fill: Fill) -> Fill:
    """A function that fills a tensor, recorded by nobody, and explains calls that do not fit it."""

    @wraps(fill)
    def call(*args: Any, **kwargs: Any) -> Tensor:
        tensor = args[0] if args else kwargs.get("tensor")
        if (args or "tensor" in kwargs) and not isinstance(tensor, Tensor):
            rule = f"{fill.__name__} writes into a tensor, not into a {kind_of(tensor)}"
            raise NoTensorError(kind_of(tensor), rule, "layer.weight", value=tensor)
        with no_grad():
            return told(*args, **kwargs)

    told = explaining(fill)
    return call  # type: ignore[return-value]


@_written
def uniform_(tensor: Tensor, a: float = 0.0, b: float = 1.0, generator: Any = None) -> Tensor:
    """Numbers between a and b, all alike likely.

    Args:
        a, b: between which. generator: where the numbers come from, else the usual stream.

    Shapes:
        tensor of any shape, which it keeps.

    Raises:
        RuntimeError: a above b.
        AttributeError, TypeError: a module, or what else is no tensor.
    Source: https://pytorch.org/docs/stable/nn.init.html#torch.nn.init.uniform_

    Example:
        >>> import rustyflow as rf
        >>> _ = rf.manual_seed(0)
        >>> rf.nn.init.uniform_(rf.empty(3), -1, 1)
        tensor([-0.0075,  0.5364, -0.8230])
    """
    return tensor.uniform_(a, b, generator=generator)


@_written
def normal_(tensor: Tensor, mean: float = 0.0, std: float = 1.0, generator: Any = None) -> Tensor:
    """Numbers of a normal distribution.

    Args:
        mean, std: of the distribution. generator: where the numbers come from, else the usual stream.

    Shapes:
        tensor of any shape, which it keeps.

    Raises:
        RuntimeError: a negative std.
        AttributeError, TypeError: a module, or what else is no tensor.
    Source: https://pytorch.org/docs/stable/nn.init.html#torch.nn.init.normal_

    Example:
        >>> import rustyflow as rf
        >>> _ = rf.manual_seed(0)
        >>> rf.nn.init.normal_(rf.empty(3), std=0.1)
        tensor([ 0.1541, -0.0293, -0.2179])
    """
    return tensor.normal_(mean, std, generator=generator)


@_written
def constant_(tensor: Tensor, val: float) -> Tensor:
    """One number everywhere.

    Args:
        val: the number.

    Shapes:
        tensor of any shape, which it keeps.

    Raises:
        AttributeError, TypeError: a module, or what else is no tensor.
    Source: https://pytorch.org/docs/stable/nn.init.html#torch.nn.init.constant_

    Example:
        >>> import rustyflow as rf
        >>> rf.nn.init.constant_(rf.empty(2), 3.)
        tensor([3., 3.])
    """
    return tensor.fill_(val)


@_written
def ones_(tensor: Tensor) -> Tensor:
    """1 everywhere.

    Shapes:
        tensor of any shape, which it keeps.

    Raises:
        AttributeError, TypeError: a module, or what else is no tensor.
    Source: https://pytorch.org/docs/stable/nn.init.html#torch.nn.init.ones_

    Example:
        >>> import rustyflow as rf
        >>> rf.nn.init.ones_(rf.empty(2))
        tensor([1., 1.])
    """
    return tensor.fill_(1.0)


@_written
def zeros_(tensor: Tensor) -> Tensor:
    """0 everywhere.

    Shapes:
        tensor of any shape, which it keeps.

    Raises:
        AttributeError, TypeError: a module, or what else is no tensor.
    Source: https://pytorch.org/docs/stable/nn.init.html#torch.nn.init.zeros_

    Example:
        >>> import rustyflow as rf
        >>> rf.nn.init.zeros_(rf.empty(2))
        tensor([0., 0.])
    """
    return tensor.zero_()


@_written
def eye_(tensor: Tensor) -> Tensor:
    """The identity: 1 on the diagonal of a matrix, else 0.

    Shapes:
        tensor (rows, columns), which it keeps.

    Raises:
        ValueError: another number of axes.
        AttributeError, TypeError: a module, or what else is no tensor.
    Source: https://pytorch.org/docs/stable/nn.init.html#torch.nn.init.eye_

    Example:
        >>> import rustyflow as rf
        >>> rf.nn.init.eye_(rf.empty(2, 3))
        tensor([[1., 0., 0.],
                [0., 1., 0.]])
    """
    if tensor.dim() != 2:
        rule = "Only tensors with 2 dimensions are supported"
        raise ArgumentValueError(f"shape {tuple(tensor.shape)}", rule, "a matrix")
    return tensor.zero_().fill_diagonal_(1.0)


@_written
def dirac_(tensor: Tensor, groups: int = 1) -> Tensor:
    """Filters that hand each channel on: 1 in the middle of filter k for channel k, else 0.

    Args:
        groups: into how many the filters are divided; each begins with its first channel again.

    Shapes:
        tensor (out, in, ...) of 3 to 5 axes, which it keeps.

    Raises:
        ValueError: another number of axes, or filters that the groups do not divide.
        AttributeError, TypeError: a module, or what else is no tensor.
    Source: https://pytorch.org/docs/stable/nn.init.html#torch.nn.init.dirac_

    Example:
        >>> import rustyflow as rf
        >>> w = rf.nn.init.dirac_(rf.empty(2, 2, 3))
        >>> rf.conv1d(rf.tensor([[[1., 2., 3.], [4., 5., 6.]]]), w, padding=1)
        tensor([[[1., 2., 3.],
                 [4., 5., 6.]]])
    """
    shape = tuple(tensor.shape)
    if len(shape) not in (3, 4, 5):
        rule = "Only tensors with 3, 4, or 5 dimensions are supported"
        raise ArgumentValueError(f"shape {shape}", rule, "the weight of a convolution")
    if groups < 1 or shape[0] % groups:
        raise ArgumentValueError(f"shape {shape}, groups={groups}", "dim 0 must be divisible by groups", "groups=1")
    tensor.zero_()
    each, middle = shape[0] // groups, tuple(n // 2 for n in shape[2:])
    for group in range(groups):
        for k in range(min(each, shape[1])):
            tensor[(group * each + k, k, *middle)] = 1
    return tensor


def fans(tensor: Tensor) -> tuple[int, int]:
    """The count of numbers that each output is made of, and of those each input goes into.

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
    mode = str(mode).lower()
    if mode not in ("fan_in", "fan_out"):
        raise ArgumentValueError(
            f"mode={mode!r}", f"Mode {mode} not supported, please use one of ['fan_in', 'fan_out']", "mode='fan_in'"
        )
    return fans(tensor)[mode == "fan_out"]


@_written
def xavier_uniform_(tensor: Tensor, gain: float = 1.0, generator: Any = None) -> Tensor:
    """Uniform weights after Glorot and Bengio (2010): the variance is kept forward and backward.

    Args:
        gain: what all are multiplied by, see `calculate_gain`. generator: where the numbers come from.

    Shapes:
        tensor (out, in, ...) of 2 axes or more, which it keeps.

    Raises:
        ValueError: fewer than 2 axes. AttributeError, TypeError: a module, or what else is no tensor.
    Source: https://pytorch.org/docs/stable/nn.init.html#torch.nn.init.xavier_uniform_

    Example:
        >>> import rustyflow as rf
        >>> w = rf.nn.init.xavier_uniform_(rf.empty(4, 2))
        >>> bool((w.abs() <= 1).all())  # the square root of 6 / (4 + 2)
        True
    """
    bound = sqrt(3.0) * gain * sqrt(2.0 / sum(fans(tensor)))
    return tensor.uniform_(-bound, bound, generator=generator)


@_written
def xavier_normal_(tensor: Tensor, gain: float = 1.0, generator: Any = None) -> Tensor:
    """Normal weights after Glorot and Bengio (2010): the variance is kept forward and backward.

    Args:
        gain: what all are multiplied by, see `calculate_gain`. generator: where the numbers come from.

    Shapes:
        tensor (out, in, ...) of 2 axes or more, which it keeps.

    Raises:
        ValueError: fewer than 2 axes. AttributeError, TypeError: a module, or what else is no tensor.
    Source: https://pytorch.org/docs/stable/nn.init.html#torch.nn.init.xavier_normal_

    Example:
        >>> import rustyflow as rf
        >>> _ = rf.manual_seed(0)
        >>> w = rf.nn.init.xavier_normal_(rf.empty(100, 100))
        >>> round(w.std().item(), 2)
        0.1
    """
    return tensor.normal_(0.0, gain * sqrt(2.0 / sum(fans(tensor))), generator=generator)


@_written
def kaiming_uniform_(
    tensor: Tensor, a: float = 0, mode: str = "fan_in", nonlinearity: str = "leaky_relu", generator: Any = None
) -> Tensor:
    """Uniform weights after He et al. (2015): the variance is kept through a relu.

    Args:
        a: the slope of leaky_relu below 0. mode: 'fan_in', for the variance forward, or 'fan_out', backward.
        nonlinearity: what follows the layer, see `calculate_gain`. generator: where the numbers come from.

    Shapes:
        tensor (out, in, ...) of 2 axes or more, which it keeps.

    Raises:
        ValueError: fewer than 2 axes, another mode or nonlinearity.
        AttributeError, TypeError: a module, or what else is no tensor.
    Source: https://pytorch.org/docs/stable/nn.init.html#torch.nn.init.kaiming_uniform_

    Example:
        >>> import rustyflow as rf
        >>> w = rf.nn.init.kaiming_uniform_(rf.empty(4, 6), nonlinearity="relu")
        >>> bool((w.abs() <= 1).all())  # the square root of 6 / 6
        True
    """
    if 0 in tensor.shape:
        return tensor
    bound = sqrt(3.0) * calculate_gain(nonlinearity, a) / sqrt(_fan(tensor, mode))
    return tensor.uniform_(-bound, bound, generator=generator)


@_written
def kaiming_normal_(
    tensor: Tensor, a: float = 0, mode: str = "fan_in", nonlinearity: str = "leaky_relu", generator: Any = None
) -> Tensor:
    """Normal weights after He et al. (2015): the variance is kept through a relu.

    Args:
        a: the slope of leaky_relu below 0. mode: 'fan_in', for the variance forward, or 'fan_out', backward.
        nonlinearity: what follows the layer, see `calculate_gain`. generator: where the numbers come from.

    Shapes:
        tensor (out, in, ...) of 2 axes or more, which it keeps.

    Raises:
        ValueError: fewer than 2 axes, another mode or nonlinearity.
        AttributeError, TypeError: a module, or what else is no tensor.
    Source: https://pytorch.org/docs/stable/nn.init.html#torch.nn.init.kaiming_normal_

    Example:
        >>> import rustyflow as rf
        >>> _ = rf.manual_seed(0)
        >>> w = rf.nn.init.kaiming_normal_(rf.empty(100, 200), nonlinearity="relu")
        >>> round(w.std().item(), 2)
        0.1
    """
    if 0 in tensor.shape:
        return tensor
    return tensor.normal_(0.0, calculate_gain(nonlinearity, a) / sqrt(_fan(tensor, mode)), generator=generator)


@_written
def trunc_normal_(
    tensor: Tensor, mean: float = 0.0, std: float = 1.0, a: float = -2.0, b: float = 2.0, generator: Any = None
) -> Tensor:
    """Numbers of a normal distribution, drawn again until they lie between a and b.

    Args:
        mean, std: of the distribution before it is cut. a, b: between which. generator: where the numbers come from.

    Shapes:
        tensor of any shape, which it keeps.

    Raises:
        RuntimeError: a above b. ZeroDivisionError: a std of 0.
        AttributeError, TypeError: a module, or what else is no tensor.
    Source: https://pytorch.org/docs/stable/nn.init.html#torch.nn.init.trunc_normal_

    Example:
        >>> import rustyflow as rf
        >>> w = rf.nn.init.trunc_normal_(rf.empty(100), std=2, a=-1, b=3)
        >>> bool(((w >= -1) & (w <= 3)).all())
        True
    """
    if mean < a - 2 * std or mean > b + 2 * std:
        warn("mean is more than 2 std from [a, b] in nn.init.trunc_normal_; the numbers crowd at one end")
    inside = (erf((b - mean) / (std * sqrt(2))) - erf((a - mean) / (std * sqrt(2)))) / 2
    if inside > 0.3:
        low, high = (tensor.new_tensor(end).item() for end in (a, b))  # as the tensor's dtype has them
        tensor.normal_(mean, std, generator=generator)
        while (outside := (tensor < low) | (tensor > high)).any():
            again = tensor.new_empty(tensor.shape).normal_(mean, std, generator=generator)
            tensor.copy_(again.where(outside, tensor))
        return tensor
    # few would fall between: uniform numbers, each kept with the density that it has there, beside the highest one
    highest = -0.5 * ((max(a, min(mean, b)) - mean) / std) ** 2
    outside = tensor.new_ones(tensor.shape).bool()
    while outside.any():
        drawn, chance = (tensor.new_empty(tensor.shape) for _ in range(2))
        tensor.copy_(drawn.uniform_(a, b, generator=generator).where(outside, tensor))
        density = drawn.sub_(mean).div_(std).pow_(2).mul_(-0.5).sub_(highest)
        outside &= chance.uniform_(generator=generator).log_() > density
    return tensor


@_written
def orthogonal_(tensor: Tensor, gain: float = 1, generator: Any = None) -> Tensor:
    """A matrix whose rows, or columns, are orthonormal: of the factors of a normal one (Saxe et al., 2013).

    The last digits of a factorization are its library's own, here as in PyTorch.

    Args:
        gain: what all are multiplied by. generator: where the numbers come from.

    Shapes:
        tensor (rows, columns), which it keeps; of more axes all but the first are the columns.

    Raises:
        ValueError: fewer than 2 axes. AttributeError, TypeError: a module, or what else is no tensor.
    Source: https://pytorch.org/docs/stable/nn.init.html#torch.nn.init.orthogonal_

    Example:
        >>> import rustyflow as rf
        >>> w = rf.nn.init.orthogonal_(rf.empty(2, 3))
        >>> (w @ w.T).allclose(rf.eye(2), atol=1e-6)
        True
    """
    if tensor.dim() < 2:
        rule = "Only tensors with 2 or more dimensions are supported"
        raise ArgumentValueError(f"shape {tuple(tensor.shape)}", rule, "a matrix")
    if not tensor.numel():
        return tensor
    rows = tensor.shape[0]
    flat = tensor.new_empty((rows, tensor.numel() // rows)).normal_(0, 1, generator=generator).numpy()
    q, r = np.linalg.qr(flat.T if rows < flat.shape[1] else flat)
    q = q * np.sign(np.diagonal(r))
    return tensor.copy_(tensor.new_tensor(q.T if rows < flat.shape[1] else q).view(tensor.shape)).mul_(gain)


def __getattr__(name):
    _missing(__name__, name, __all__)


def __dir__():
    return __all__
