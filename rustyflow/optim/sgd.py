"""Gradient descent, with momentum and without."""

from __future__ import annotations

from typing import Any

from ..errors import ArgumentValueError
from ..tensor import Tensor
from .optimizer import Optimizer, decayed, settings


class SGD(Optimizer):
    """p -= lr * g, and with momentum p -= lr * v, v = momentum * v + (1 - dampening) * g.

    Args:
        params: parameters, or groups of them.
        lr: the learning rate. momentum, dampening, nesterov: of the velocity v.
        weight_decay: this times p is added to g. maximize: go up.

    Shapes:
        parameters of any shapes; `momentum_buffer` in the state has the parameter's.

    Raises:
        ValueError: a negative setting; nesterov without momentum or with dampening.
    Source: https://pytorch.org/docs/stable/generated/torch.optim.SGD.html; Sutskever et al. (2013)

    Example:
        >>> import rustyflow as rf
        >>> w = rf.tensor([1.0], requires_grad=True)
        >>> optimizer = rf.optim.SGD([w], lr=0.1, momentum=0.9)
        >>> for _ in range(2):
        ...     optimizer.zero_grad()
        ...     (w * w).sum().backward()
        ...     optimizer.step()
        >>> w
        tensor([0.4600], requires_grad=True)
    """

    def __init__(
        self,
        params: Any,
        lr: float = 1e-3,
        momentum: float = 0,
        dampening: float = 0,
        weight_decay: float = 0,
        nesterov: bool = False,
        *,
        maximize: bool = False,
        foreach: Any = None,
        differentiable: bool = False,
        fused: Any = None,
    ):
        if nesterov and (momentum <= 0 or dampening != 0):
            raise ArgumentValueError(
                f"momentum={momentum}, dampening={dampening}",
                "Nesterov momentum requires a momentum and zero dampening",
                "momentum=0.9, nesterov=True",
            )
        super().__init__(params, settings(locals()))

    def _update(self, group: dict[str, Any], p: Tensor, g: Tensor, state: dict[str, Any]) -> None:
        g = decayed(group, p, g)
        if group["momentum"]:
            v = state.get("momentum_buffer")
            if v is None:
                v = state["momentum_buffer"] = g.clone()
            else:
                v.mul_(group["momentum"]).add_(g, alpha=1 - group["dampening"])
            g = g.add(v, alpha=group["momentum"]) if group["nesterov"] else v
        p.add_(g, alpha=-group["lr"])
