"""RMSprop: steps by the mean of squared gradients."""

from __future__ import annotations

from typing import Any

from ..tensor import Tensor
from .optimizer import Optimizer, counted, decayed, settings


class RMSprop(Optimizer):
    """p -= lr * g / (sqrt(v) + eps), with a mean v of g * g; centered: of which the square of the mean g is taken off.

    Args:
        params: parameters, or groups of them.
        lr: the learning rate. alpha: how slowly v changes. eps: added to the root. weight_decay: this times p is added
            to g. momentum: of the velocity, if any. centered, maximize: as said.

    Shapes:
        parameters of any shapes; `square_avg`, `momentum_buffer` and `grad_avg` in the state have the parameter's.

    Raises:
        ValueError: a negative setting.
    Source: https://pytorch.org/docs/stable/generated/torch.optim.RMSprop.html; Tieleman and Hinton (2012)

    Example:
        >>> import rustyflow as rf
        >>> w = rf.tensor([1.0], requires_grad=True)
        >>> optimizer = rf.optim.RMSprop([w], lr=0.01)
        >>> (w * w).sum().backward()
        >>> optimizer.step()
        >>> w
        tensor([0.9000], requires_grad=True)
    """

    def __init__(
        self,
        params: Any,
        lr: float = 1e-2,
        alpha: float = 0.99,
        eps: float = 1e-8,
        weight_decay: float = 0,
        momentum: float = 0,
        centered: bool = False,
        capturable: bool = False,
        foreach: Any = None,
        maximize: bool = False,
        differentiable: bool = False,
    ):
        super().__init__(params, settings(locals(), "momentum alpha eps centered weight_decay"))

    def _update(self, group: dict[str, Any], p: Tensor, g: Tensor, state: dict[str, Any]) -> None:
        g, alpha = decayed(group, p, g), group["alpha"]
        counted(
            state, p, "square_avg", *["momentum_buffer"] * (group["momentum"] > 0), *["grad_avg"] * group["centered"]
        )
        v = state["square_avg"].mul_(alpha).addcmul_(g, g, value=1 - alpha)
        if group["centered"]:
            mean = state["grad_avg"].lerp_(g, 1 - alpha)
            root = v.addcmul(mean, mean, value=-1).sqrt_().add_(group["eps"])
        else:
            root = v.sqrt().add_(group["eps"])
        if group["momentum"] > 0:
            p.add_(state["momentum_buffer"].mul_(group["momentum"]).addcdiv_(g, root), alpha=-group["lr"])
        else:
            p.addcdiv_(g, root, value=-group["lr"])
