"""Adadelta: steps by the means of squared gradients and of squared steps."""

from __future__ import annotations

from typing import Any

from ..tensor import Tensor
from .optimizer import Optimizer, counted, decayed, settings


class Adadelta(Optimizer):
    """p -= lr * d, d = g * sqrt(u + eps) / sqrt(v + eps), with a mean v of g * g, and u of the d * d before.

    Args:
        params: parameters, or groups of them.
        lr: by which each step is scaled. rho: how slowly v and u change. eps: added to both. weight_decay: this times
            p is added to g. maximize: go up.

    Shapes:
        parameters of any shapes; `square_avg` and `acc_delta` in the state have the parameter's.

    Raises:
        ValueError: a negative setting, a rho above 1.
    Source: https://pytorch.org/docs/stable/generated/torch.optim.Adadelta.html; Zeiler (2012)

    Example:
        >>> import rustyflow as rf
        >>> w = rf.tensor([1.0], requires_grad=True)
        >>> optimizer = rf.optim.Adadelta([w], eps=1e-2)
        >>> (w * w).sum().backward()
        >>> optimizer.step()
        >>> w
        tensor([0.6877], requires_grad=True)
    """

    def __init__(
        self,
        params: Any,
        lr: float = 1.0,
        rho: float = 0.9,
        eps: float = 1e-6,
        weight_decay: float = 0,
        foreach: Any = None,
        *,
        capturable: bool = False,
        maximize: bool = False,
        differentiable: bool = False,
    ):
        super().__init__(params, settings(locals(), "maximize capturable foreach"))

    def _update(self, group: dict[str, Any], p: Tensor, g: Tensor, state: dict[str, Any]) -> None:
        g, rho, eps = decayed(group, p, g), group["rho"], group["eps"]
        counted(state, p, "square_avg", "acc_delta")
        v, u = state["square_avg"], state["acc_delta"]
        v.mul_(rho).addcmul_(g, g, value=1 - rho)
        d = u.add(eps).sqrt_().div_(v.add(eps).sqrt_()).mul_(g)
        u.mul_(rho).addcmul_(d, d, value=1 - rho)
        p.add_(d, alpha=-group["lr"])
