"""Normalizations: over the last axes, over groups of channels, over the batch."""

from __future__ import annotations

from typing import Any

from ..errors import ArgumentValueError, warn
from ..ops.creation import empty, tensor, zeros
from ..tensor import Tensor
from ..tensor.gradmode import no_grad
from . import functional as F, init
from .module import Module
from .parameter import Parameter


class _Scaled(Module):
    """A weight of ones and, it may be, a bias of zeros."""

    def _scale(self, shape: Any, device: Any, dtype: Any, **wanted: bool) -> None:
        for name, there in wanted.items():
            self.register_parameter(name, Parameter(empty(shape, device=device, dtype=dtype)) if there else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Begin with a weight of 1 and a bias of 0."""
        for name, parameter in self.named_parameters(recurse=False):
            init.constant_(parameter, float(name == "weight"))


class LayerNorm(_Scaled):
    """Mean 0 and variance 1 over the last axes of each example, then weight and bias.

    Shapes:
        input (..., *normalized_shape); output the same; weight and bias normalized_shape.

    Raises:
        ShapeError (a RuntimeError): an input that does not end in normalized_shape.
    Source: https://pytorch.org/docs/stable/generated/torch.nn.LayerNorm.html; Ba et al. (2016)

    Example:
        >>> import rustyflow as rf
        >>> rf.nn.LayerNorm(2)(rf.tensor([[1., 3.]]))
        tensor([[-1.0000,  1.0000]], grad_fn=<NativeLayerNormBackward0>)
    """

    def __init__(
        self,
        normalized_shape: Any,
        eps: float = 1e-5,
        elementwise_affine: bool = True,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ):
        super().__init__()
        self.normalized_shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
        self.eps, self.elementwise_affine = eps, elementwise_affine
        self._scale(self.normalized_shape, device, dtype, weight=elementwise_affine, bias=elementwise_affine and bias)

    def forward(self, input: Tensor) -> Tensor:
        return F.layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        said = f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}"
        return f"{said}, bias={self.bias is not None}"


class RMSNorm(_Scaled):
    """Divided by the root of the mean square over the last axes, then weight.

    Shapes:
        input (..., *normalized_shape); output the same; weight normalized_shape.

    Raises:
        ShapeError (a RuntimeError): an input that does not end in normalized_shape.
    Source: https://pytorch.org/docs/stable/generated/torch.nn.RMSNorm.html; Zhang and Sennrich (2019)

    Example:
        >>> import rustyflow as rf
        >>> rf.nn.RMSNorm(2, elementwise_affine=False)(rf.tensor([[1., 7.]]))
        tensor([[0.2000, 1.4000]])
    """

    def __init__(
        self,
        normalized_shape: Any,
        eps: float | None = None,
        elementwise_affine: bool = True,
        device: Any = None,
        dtype: Any = None,
    ):
        super().__init__()
        self.normalized_shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
        self.eps, self.elementwise_affine = eps, elementwise_affine
        self._scale(self.normalized_shape, device, dtype, weight=elementwise_affine)

    def forward(self, input: Tensor) -> Tensor:
        return F.rms_norm(input, self.normalized_shape, self.weight, self.eps)

    def extra_repr(self) -> str:
        return f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}"


class GroupNorm(_Scaled):
    """Mean 0 and variance 1 over each group of channels of each example, then weight and bias.

    Shapes:
        input (N, num_channels, ...); output the same; weight and bias (num_channels,).

    Raises:
        ValueError: channels that the groups do not divide.
    Source: https://pytorch.org/docs/stable/generated/torch.nn.GroupNorm.html; Wu and He (2018)

    Example:
        >>> import rustyflow as rf
        >>> rf.nn.GroupNorm(2, 4)(rf.ones(1, 4, 3)).shape
        rustyflow.Size([1, 4, 3])
    """

    def __init__(
        self,
        num_groups: int,
        num_channels: int,
        eps: float = 1e-5,
        affine: bool = True,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ):
        super().__init__()
        if num_channels % num_groups:
            raise ArgumentValueError(
                f"{num_channels} channels, {num_groups} groups",
                f"num_channels ({num_channels}) must be divisible by num_groups ({num_groups})",
                "a number of groups that divides it",
            )
        self.num_groups, self.num_channels, self.eps, self.affine = num_groups, num_channels, eps, affine
        self._scale(num_channels, device, dtype, weight=affine, bias=affine and bias)

    def forward(self, input: Tensor) -> Tensor:
        return F.group_norm(input, self.num_groups, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        bias = self.bias is not None
        return f"{self.num_groups}, {self.num_channels}, eps={self.eps}, affine={self.affine}, bias={bias}"


class _Running(_Scaled):
    """A norm by channel: weight and bias, and statistics that run from batch to batch."""

    ranks: tuple[int, ...] = ()
    _version = 2

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ):
        super().__init__()
        self.num_features, self.eps, self.momentum = num_features, eps, momentum
        self.affine, self.track_running_stats = affine, track_running_stats
        made = {"device": device, "dtype": dtype}
        for name in ("running_mean", "running_var"):
            self.register_buffer(name, zeros(num_features, **made) if track_running_stats else None)
        self.register_buffer("num_batches_tracked", tensor(0) if track_running_stats else None)
        self._scale(num_features, device, dtype, weight=affine, bias=affine and bias)

    def _load_from_state_dict(self, state_dict, prefix, local_metadata, *more):
        count, version = self.num_batches_tracked, local_metadata.get("version")
        if count is not None and (version is None or version < 2):  # which had no count of batches
            state_dict.setdefault(f"{prefix}num_batches_tracked", count)
        super()._load_from_state_dict(state_dict, prefix, local_metadata, *more)

    def reset_running_stats(self) -> None:
        """Begin with a running mean of 0 and a running variance of 1."""
        if self.track_running_stats:
            self.running_mean.zero_()
            self.running_var.fill_(1)
            self.num_batches_tracked.zero_()

    def reset_parameters(self) -> None:
        """Begin anew: statistics, weight and bias."""
        self.reset_running_stats()
        super().reset_parameters()

    def _need_axes(self, input: Tensor) -> None:
        if input.dim() not in self.ranks:
            said = " or ".join(f"{rank}D" for rank in self.ranks)
            raise ArgumentValueError(
                f"shape {tuple(input.shape)}",
                f"expected {said} input (got {input.dim()}D input)",
                f"an input of {said[0]} axes",
            )

    def extra_repr(self) -> str:
        return (
            f"{self.num_features}, eps={self.eps}, momentum={self.momentum}, affine={self.affine}, "
            f"bias={self.bias is not None}, track_running_stats={self.track_running_stats}"
        )


class _BatchNorm(_Running):
    """Mean 0 and variance 1 over the batch while training; with the running mean and variance afterwards."""

    def forward(self, input: Tensor) -> Tensor:
        self._need_axes(input)
        momentum = self.momentum
        if self.training and self.num_batches_tracked is not None:
            with no_grad():
                self.num_batches_tracked.add_(1)
            momentum = 1 / float(self.num_batches_tracked) if momentum is None else momentum
        batch = self.training or self.running_mean is None
        known = (self.running_mean, self.running_var) if not self.training or self.track_running_stats else (None, None)
        return F.batch_norm(input, *known, self.weight, self.bias, batch, momentum or 0.0, self.eps)


class BatchNorm1d(_BatchNorm):
    """Each channel with mean 0 and variance 1 over the batch, then weight and bias; afterwards with running statistics.

    Shapes:
        input (N, C) or (N, C, L); output the same; weight and bias (C,).

    Raises:
        ValueError: an input of other axes; in training, one number a channel.
    Source: https://pytorch.org/docs/stable/generated/torch.nn.BatchNorm1d.html; Ioffe and Szegedy (2015)

    Example:
        >>> import rustyflow as rf
        >>> rf.nn.BatchNorm1d(1, affine=False)(rf.tensor([[1.], [3.]]))
        tensor([[-1.0000],
                [ 1.0000]])
    """

    ranks = (2, 3)


class BatchNorm2d(_BatchNorm):
    """Each channel with mean 0 and variance 1 over the batch, then weight and bias; afterwards with running statistics.

    Shapes:
        input (N, C, H, W); output the same; weight and bias (C,).

    Raises:
        ValueError: an input of other axes.
    Source: https://pytorch.org/docs/stable/generated/torch.nn.BatchNorm2d.html; Ioffe and Szegedy (2015)

    Example:
        >>> import rustyflow as rf
        >>> rf.nn.BatchNorm2d(3)(rf.ones(2, 3, 4, 4)).shape
        rustyflow.Size([2, 3, 4, 4])
    """

    ranks = (4,)


class _InstanceNorm(_Running):
    """Mean 0 and variance 1 over the cells of each channel of each example."""

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = False,
        track_running_stats: bool = False,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ):
        super().__init__(num_features, eps, momentum, affine, track_running_stats, device, dtype, bias=bias)

    def forward(self, input: Tensor) -> Tensor:
        self._need_axes(input)
        alone = input.dim() == self.ranks[0]
        at = 0 if alone else 1
        if input.shape[at] != self.num_features:
            self._differs(input, at)
        batch = input.unsqueeze(0) if alone else input
        own = self.training or not self.track_running_stats
        y = F.instance_norm(
            batch, self.running_mean, self.running_var, self.weight, self.bias, own, self.momentum or 0.0, self.eps
        )
        return y.squeeze(0) if alone else y

    def _differs(self, input: Tensor, at: int) -> None:
        """Refuse other channels than there are weights for; without weights, warn as PyTorch does."""
        if self.affine:
            rule = f"expected input's size at dim={at} to match num_features ({self.num_features})"
            raise ArgumentValueError(
                f"shape {tuple(input.shape)}",
                f"{rule}, but got: {input.shape[at]}.",
                f"nn.{type(self).__name__}({input.shape[at]}, affine=True)",
            )
        warn(
            f"input's size at dim={at} does not match num_features, which is not used because affine=False: "
            f"nn.{type(self).__name__}({input.shape[at]}) says what comes in"
        )


class InstanceNorm1d(_InstanceNorm):
    """Each channel of each example with mean 0 and variance 1; then, if they are asked for, weight and bias.

    Shapes:
        input (N, C, L) or (C, L); output the same; weight and bias (C,).

    Raises:
        ValueError: an input of other axes; other channels than there are weights; one number a channel.
    Source: https://pytorch.org/docs/stable/generated/torch.nn.InstanceNorm1d.html; Ulyanov et al. (2016)

    Example:
        >>> import rustyflow as rf
        >>> rf.nn.InstanceNorm1d(2)(rf.tensor([[[1., 3.], [10., 30.]]]))
        tensor([[[-1.0000,  1.0000],
                 [-1.0000,  1.0000]]])
    """

    ranks = (2, 3)


class InstanceNorm2d(_InstanceNorm):
    """Each channel of each image with mean 0 and variance 1; then, if they are asked for, weight and bias.

    Shapes:
        input (N, C, H, W) or (C, H, W); output the same; weight and bias (C,).

    Raises:
        ValueError: an input of other axes; other channels than there are weights; one number a channel.
    Source: https://pytorch.org/docs/stable/generated/torch.nn.InstanceNorm2d.html; Ulyanov et al. (2016)

    Example:
        >>> import rustyflow as rf
        >>> rf.nn.InstanceNorm2d(3, affine=True)(rf.ones(2, 3, 4, 4)).shape
        rustyflow.Size([2, 3, 4, 4])
    """

    ranks = (3, 4)
