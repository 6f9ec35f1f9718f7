"""Lazy modules: layers that read from their first input how many features or channels come in."""

from __future__ import annotations

from typing import Any

from ..dispatch.guard import need_tensors
from ..errors import ArgumentValueError, AssertedError, DimError, ShapeError
from ..ops.creation import tensor
from ..tensor import Tensor
from ..tensor.gradmode import no_grad
from .convolution import Conv1d, Conv2d
from .linear import Linear
from .module import Module
from .normalization import BatchNorm1d, BatchNorm2d
from .parameter import UninitializedBuffer, UninitializedParameter, is_lazy


class LazyModule(Module):
    """A module whose parameters wait for the first input; then it becomes an instance of the class it stands for."""

    cls_to_become: type[Module]

    def _wait(self, made: dict[str, Any], **wanted: bool) -> None:
        """Holds parameters that wait, and asks the first input for their sizes."""
        for name, there in wanted.items():
            self.register_parameter(name, UninitializedParameter(**made) if there else None)
        self._initialize_hook = self.register_forward_pre_hook(_infer, with_kwargs=True)

    def has_uninitialized_params(self) -> bool:
        """Returns True while a parameter or buffer waits."""
        return any(map(is_lazy, (*self._parameters.values(), *self._buffers.values())))

    def initialize_parameters(self, input: Tensor, *args: Any, **kwargs: Any) -> None:
        """Gives the parameters the sizes that an input asks for, and their first weights.

        Raises:
            NotImplementedError: a class that does not say how.
        """
        raise NotImplementedError(f"initialize_parameters is not implemented for {type(self).__name__}")

    def reset_parameters(self) -> None:
        """Draws the weights again; nothing while they wait."""
        if not self.has_uninitialized_params():
            super().reset_parameters()  # type: ignore[misc]

    def _materialize(self, **shapes: tuple[int, ...]) -> None:
        with no_grad():
            for name, shape in shapes.items():
                if (held := getattr(self, name)) is not None:
                    held.materialize(shape)
            self.reset_parameters()


def _infer(module: Any, args: tuple, kwargs: dict[str, Any]) -> None:
    """The hook before the first forward: sizes, first weights, and the class that the module stands for."""
    module.initialize_parameters(*args, **kwargs)
    module._initialize_hook.remove()
    del module._initialize_hook
    module.__class__ = module.cls_to_become


class LazyLinear(LazyModule, Linear):
    """A Linear that reads in_features from its first input, and is a Linear from then on.

    Shapes:
        input (..., in_features); output (..., out_features); weight (out_features, in_features); bias (out_features,).

    Raises:
        ValueError: a parameter is read before the first call.
    Source: https://pytorch.org/docs/stable/generated/torch.nn.LazyLinear.html

    Example:
        >>> import rustyflow as rf
        >>> layer = rf.nn.LazyLinear(2)
        >>> layer.weight
        <UninitializedParameter>
        >>> layer(rf.ones(4, 3)).shape, layer
        (rustyflow.Size([4, 2]), Linear(in_features=3, out_features=2, bias=True))
    """

    cls_to_become = Linear

    def __init__(self, out_features: int, bias: bool = True, device: Any = None, dtype: Any = None):
        super().__init__(0, 0, False)
        self.out_features = out_features
        self._wait({"device": device, "dtype": dtype}, weight=True, bias=bias)

    def initialize_parameters(self, input: Tensor, *args: Any, **kwargs: Any) -> None:
        """Reads in_features off an input, and draws the weights."""
        need_tensors(type(self).__name__, input=input)
        if not input.dim():
            rule = "a linear layer reads along the last axis of its input, which has none"
            raise DimError("input of shape ()", rule, "an input (..., in_features)")
        found = input.shape[-1]
        if self.has_uninitialized_params():
            self.in_features = found
            self._materialize(weight=(self.out_features, found), bias=(self.out_features,))
        elif not self.in_features and found != self.weight.shape[-1]:  # they were loaded
            raise AssertedError(
                f"input of shape {tuple(input.shape)}, weight of shape {tuple(self.weight.shape)}",
                f"The in_features inferred from input: {found} is not equal to in_features from self.weight: "
                f"{self.weight.shape[-1]}",
                f"an input whose last axis is {self.weight.shape[-1]}",
            )
        self.in_features = found


class _LazyConv(LazyModule):
    """A lazy convolution: the channels that come in are read off the first input."""

    def __init__(
        self,
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
        super().__init__(  # type: ignore[call-arg]
            0, out_channels, kernel_size, stride, padding, dilation, groups, False, padding_mode
        )
        self._wait({"device": device, "dtype": dtype}, weight=True, bias=bias)

    def initialize_parameters(self, input: Tensor, *args: Any, **kwargs: Any) -> None:
        """Reads in_channels off an input, and draws the weights."""
        if not self.has_uninitialized_params():
            return
        axes, kind = self.dims, type(self).__name__
        need_tensors(kind, input=input)
        if input.dim() not in (axes + 1, axes + 2):
            rule = f"Expected {axes + 1}D (unbatched) or {axes + 2}D (batched) input to {kind}"
            raise ShapeError(f"input of shape {tuple(input.shape)}", rule, f"input (N, C{', size' * axes})")
        found, groups = input.shape[-axes - 1], self.groups
        if found % groups:
            rule = "in_channels must be divisible by groups"
            raise ArgumentValueError(f"{found} channels in, {groups} groups", rule, "groups=1")
        self.in_channels = found
        self._materialize(weight=(self.out_channels, found // groups, *self.kernel_size), bias=(self.out_channels,))


class LazyConv1d(_LazyConv, Conv1d):
    """A Conv1d that reads in_channels from its first input, and is a Conv1d from then on.

    Shapes:
        those of Conv1d.

    Raises:
        ValueError: channels that groups do not divide; a parameter is read before the first call. ShapeError (a
            RuntimeError): an input of other axes.
    Source: https://pytorch.org/docs/stable/generated/torch.nn.LazyConv1d.html

    Example:
        >>> import rustyflow as rf
        >>> layer = rf.nn.LazyConv1d(4, kernel_size=3)
        >>> layer(rf.ones(1, 2, 8)).shape, layer
        (rustyflow.Size([1, 4, 6]), Conv1d(2, 4, kernel_size=(3,), stride=(1,)))
    """

    cls_to_become = Conv1d


class LazyConv2d(_LazyConv, Conv2d):
    """A Conv2d that reads in_channels from its first input, and is a Conv2d from then on.

    Shapes:
        those of Conv2d.

    Raises:
        ValueError: channels that groups do not divide; a parameter is read before the first call. ShapeError (a
            RuntimeError): an input of other axes.
    Source: https://pytorch.org/docs/stable/generated/torch.nn.LazyConv2d.html

    Example:
        >>> import rustyflow as rf
        >>> layer = rf.nn.LazyConv2d(4, kernel_size=3)
        >>> layer(rf.ones(1, 2, 8, 8)).shape, layer
        (rustyflow.Size([1, 4, 6, 6]), Conv2d(2, 4, kernel_size=(3, 3), stride=(1, 1)))
    """

    cls_to_become = Conv2d


class _LazyBatchNorm(LazyModule):
    """A lazy batch norm: the number of features is read off the first input."""

    def __init__(
        self,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ):
        super().__init__(0, eps, momentum, False, False, bias=False)  # type: ignore[call-arg]
        self.affine, self.track_running_stats = affine, track_running_stats
        made = {"device": device, "dtype": dtype}
        self._wait(made, weight=affine, bias=affine and bias)
        if track_running_stats:
            self.running_mean, self.running_var = UninitializedBuffer(**made), UninitializedBuffer(**made)
            self.num_batches_tracked = tensor(0)

    def initialize_parameters(self, input: Tensor, *args: Any, **kwargs: Any) -> None:
        """Reads num_features off an input; begins with a weight of 1 and a bias of 0."""
        if self.has_uninitialized_params():
            need_tensors(type(self).__name__, input=input)
            self._need_axes(input)
            self.num_features = input.shape[1]
            self._materialize(**dict.fromkeys(("weight", "bias", "running_mean", "running_var"), (self.num_features,)))


class LazyBatchNorm1d(_LazyBatchNorm, BatchNorm1d):
    """A BatchNorm1d that reads num_features from its first input, and is a BatchNorm1d from then on.

    Shapes:
        those of BatchNorm1d.

    Raises:
        ValueError: an input of other axes; a parameter is read before the first call.
    Source: https://pytorch.org/docs/stable/generated/torch.nn.LazyBatchNorm1d.html

    Example:
        >>> import rustyflow as rf
        >>> layer = rf.nn.LazyBatchNorm1d()
        >>> layer.running_mean
        <UninitializedBuffer>
        >>> layer(rf.ones(2, 3)).shape, layer.running_mean.shape
        (rustyflow.Size([2, 3]), rustyflow.Size([3]))
    """

    cls_to_become = BatchNorm1d


class LazyBatchNorm2d(_LazyBatchNorm, BatchNorm2d):
    """A BatchNorm2d that reads num_features from its first input, and is a BatchNorm2d from then on.

    Shapes:
        those of BatchNorm2d.

    Raises:
        ValueError: an input of other axes; a parameter is read before the first call.
    Source: https://pytorch.org/docs/stable/generated/torch.nn.LazyBatchNorm2d.html

    Example:
        >>> import rustyflow as rf
        >>> layer = rf.nn.LazyBatchNorm2d()
        >>> layer(rf.ones(2, 3, 4, 4)).shape, layer.num_features
        (rustyflow.Size([2, 3, 4, 4]), 3)
    """

    cls_to_become = BatchNorm2d
