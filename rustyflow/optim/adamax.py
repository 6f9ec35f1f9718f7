"""Adamax: Adam by the largest gradient in place of the mean of squares."""

from __future__ import annotations

from typing import Any

from ..tensor import Tensor
from .optimizer import Optimizer, counted, decayed, settings


class Adamax(Optimizer):
    """p -= lr / (1 - b1^n) * m / u, with a mean m of g, and u the larger of b2 * u and abs(g) + eps.

    Args:
        params: parameters, or groups of them.
        lr: the learning rate. betas: how slowly m and u change. eps: added to each gradient's size. weight_decay: this
            times p is added to g. maximize: go up.

    Shapes:
        parameters of any shapes; `exp_avg` and `exp_inf` in the state have the parameter's.

    Raises:
        ValueError: a negative setting, a beta that is not in [0, 1).
    Source: https://pytorch.org/docs/stable/generated/torch.optim.Adamax.html; Kingma and Ba (2015)

    Example:
        >>> import rustyflow as rf
        >>> w = rf.tensor([1.0], requires_grad=True)
        >>> optimizer = rf.optim.Adamax([w], lr=0.1)
        >>> (w * w).sum().backward()
        >>> optimizer.step()
        >>> w
        tensor([0.9000], requires_grad=True)
    """

    def __init__(
        self,
        params: Any,
        lr: float = 2e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        foreach: Any = None,
        *,
        maximize: bool = False,
        differentiable: bool = False,
        capturable: bool = False,
    ):
        super().__init__(params, settings(locals()))

    def _update(self, group: dict[str, Any], p: Tensor, g: Tensor, state: dict[str, Any]) -> None:
        g, (b1, b2) = decayed(group, p, g), group["betas"]
        n = counted(state, p, "exp_avg", "exp_inf")
        m, u = state["exp_avg"].lerp_(g, 1 - b1), state["exp_inf"]
        u.copy_(u.mul_(b2).maximum(g.abs().add_(group["eps"])))
        p.addcdiv_(m, u, value=-(group["lr"] / (1 - b1**n)))
