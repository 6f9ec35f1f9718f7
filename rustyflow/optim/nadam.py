"""NAdam: Adam with Nesterov's momentum, which looks a step ahead."""

from __future__ import annotations

from typing import Any

from ..ops.creation import tensor
from ..tensor import Tensor
from .optimizer import Optimizer, counted, decayed, settings


class NAdam(Optimizer):
    """p -= lr * (a * g + b * m) / (sqrt(v) + eps), with means m of g and v of g * g.

    In step n the momentum is k(n) = b1 * (1 - 0.96^(n * momentum_decay) / 2), and P(n) the product of k(1) to k(n);
    then a = (1 - k(n)) / (1 - P(n)) and b = k(n + 1) / (1 - P(n + 1)), while v is divided by 1 - b2^n.

    Args:
        params: parameters, or groups of them.
        lr: the learning rate. betas: b1 and b2, how slowly m and v change. eps: added to the root. weight_decay: this
            times p is added to g; with decoupled_weight_decay p *= 1 - lr * weight_decay. momentum_decay: how fast k
            comes to b1. maximize: go up.

    Shapes:
        parameters of any shapes; `exp_avg` and `exp_avg_sq` in the state have the parameter's, `mu_product` is P(n).

    Raises:
        ValueError: a negative setting, a beta that is not in [0, 1).
    Source: https://pytorch.org/docs/stable/generated/torch.optim.NAdam.html; Dozat (2016)

    Example:
        >>> import rustyflow as rf
        >>> w = rf.tensor([1.0], requires_grad=True)
        >>> optimizer = rf.optim.NAdam([w], lr=0.1)
        >>> (w * w).sum().backward()
        >>> optimizer.step()
        >>> w
        tensor([0.8944], requires_grad=True)
    """

    def __init__(
        self,
        params: Any,
        lr: float = 2e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        momentum_decay: float = 4e-3,
        decoupled_weight_decay: bool = False,
        *,
        foreach: Any = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
    ):
        super().__init__(params, settings(locals(), "maximize foreach"))

    def _update(self, group: dict[str, Any], p: Tensor, g: Tensor, state: dict[str, Any]) -> None:
        g, (b1, b2), lr = decayed(group, p, g), group["betas"], group["lr"]
        if not state:
            state.update(step=tensor(0.0), mu_product=tensor(1.0))
        n = counted(state, p, "exp_avg", "exp_avg_sq")
        now, ahead = (b1 * (1 - 0.5 * 0.96 ** (k * group["momentum_decay"])) for k in (n, n + 1))
        product = state["mu_product"].mul_(now).item()
        m, v = state["exp_avg"].lerp_(g, 1 - b1), state["exp_avg_sq"]
        v.mul_(b2).addcmul_(g, g, value=1 - b2)
        root = v.div(1 - b2**n).sqrt_().add_(group["eps"])
        p.addcdiv_(g, root, value=-lr * (1 - now) / (1 - product))
        p.addcdiv_(m, root, value=-lr * ahead / (1 - product * ahead))
