"""RAdam: Adam that waits with its root until enough squares were seen."""

from __future__ import annotations

from math import sqrt
from typing import Any

from ..tensor import Tensor
from .optimizer import Optimizer, counted, decayed, settings


class RAdam(Optimizer):
    """p -= lr * m * r / (sqrt(v) + eps), and p -= lr * m in the first steps, with means m of g and v of g * g.

    In step n squares are worth t = T - 2 n b2^n / (1 - b2^n) samples, of T = 2 / (1 - b2) - 1 in the end; from 5 on
    r = sqrt((t - 4) (t - 2) T / ((T - 4) (T - 2) t)). The means are corrected for having begun at 0.

    Args:
        params: parameters, or groups of them.
        lr: the learning rate. betas: b1 and b2, how slowly m and v change. eps: added to the root. weight_decay: this
            times p is added to g; with decoupled_weight_decay p *= 1 - lr * weight_decay. maximize: go up.

    Shapes:
        parameters of any shapes; `exp_avg` and `exp_avg_sq` in the state have the parameter's.

    Raises:
        ValueError: a negative setting, a beta that is not in [0, 1).
    Source: https://pytorch.org/docs/stable/generated/torch.optim.RAdam.html; Liu et al. (2020)

    Example:
        >>> import rustyflow as rf
        >>> w = rf.tensor([1.0], requires_grad=True)
        >>> optimizer = rf.optim.RAdam([w], lr=0.1)
        >>> (w * w).sum().backward()
        >>> optimizer.step()
        >>> w
        tensor([0.8000], requires_grad=True)
    """

    def __init__(
        self,
        params: Any,
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        decoupled_weight_decay: bool = False,
        *,
        foreach: Any = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
    ):
        super().__init__(params, settings(locals(), "maximize foreach capturable decoupled_weight_decay"))

    def _update(self, group: dict[str, Any], p: Tensor, g: Tensor, state: dict[str, Any]) -> None:
        g, (b1, b2) = decayed(group, p, g), group["betas"]
        n = counted(state, p, "exp_avg", "exp_avg_sq")
        m, v = state["exp_avg"].lerp_(g, 1 - b1), state["exp_avg_sq"]
        v.mul_(b2).addcmul_(g, g, value=1 - b2)
        step = (m / (1 - b1**n)).mul_(group["lr"])
        left, end = 1 - b2**n, 2 / (1 - b2) - 1
        seen = end - 2 * n * b2**n / left
        if seen > 5:
            step.mul_(sqrt(left) / v.sqrt().add_(group["eps"]))
            step.mul_(sqrt((seen - 4) * (seen - 2) * end / ((end - 4) * (end - 2) * seen)))
        p.sub_(step)
