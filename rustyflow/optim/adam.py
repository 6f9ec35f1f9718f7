"""Adam: steps by the means of gradients and of their squares."""

from __future__ import annotations

from math import sqrt
from typing import Any

from ..tensor import Tensor
from .optimizer import Optimizer, counted, decayed, settings


class Adam(Optimizer):
    """p -= lr * m / (sqrt(v) + eps), with means m of g and v of g * g, both corrected for having begun at 0.

    Args:
        params: parameters, or groups of them.
        lr: the learning rate. betas: how slowly m and v change. eps: added to the root. weight_decay: this times p is
            added to g. amsgrad: divide by the largest v so far. maximize: go up.

    Shapes:
        parameters of any shapes; `exp_avg`, `exp_avg_sq` and `max_exp_avg_sq` in the state have the parameter's.

    Raises:
        ValueError: a negative setting, a beta that is not in [0, 1).
    Source: https://pytorch.org/docs/stable/generated/torch.optim.Adam.html; Kingma and Ba (2015)

    Example:
        >>> import rustyflow as rf
        >>> w = rf.tensor([1.0], requires_grad=True)
        >>> optimizer = rf.optim.Adam([w], lr=0.1)
        >>> (w * w).sum().backward()
        >>> optimizer.step()
        >>> w
        tensor([0.9000], requires_grad=True)
    """

    def __init__(
        self,
        params: Any,
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        amsgrad: bool = False,
        *,
        foreach: Any = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
        fused: Any = None,
        decoupled_weight_decay: bool = False,
    ):
        super().__init__(params, settings(locals(), "maximize foreach"))

    def _update(self, group: dict[str, Any], p: Tensor, g: Tensor, state: dict[str, Any]) -> None:
        (b1, b2), lr = group["betas"], group["lr"]
        g = decayed(group, p, g)
        n = counted(state, p, "exp_avg", "exp_avg_sq", *["max_exp_avg_sq"] * group["amsgrad"])
        m, v = state["exp_avg"], state["exp_avg_sq"]
        m.lerp_(g, 1 - b1)
        v.mul_(b2).addcmul_(g, g, value=1 - b2)
        if group["amsgrad"]:
            v = state["max_exp_avg_sq"].copy_(state["max_exp_avg_sq"].maximum(v))
        root = v.sqrt().div_(sqrt(1 - b2**n)).add_(group["eps"])
        p.addcdiv_(m, root, value=-lr / (1 - b1**n))
