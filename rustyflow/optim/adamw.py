"""AdamW: Adam whose weight decay goes past the means."""

from __future__ import annotations

from typing import Any

from .adam import Adam
from .optimizer import settings


class AdamW(Adam):
    """Adam, with a weight decay that goes past the means: p *= 1 - lr * weight_decay.

    Args:
        params: parameters, or groups of them.
        lr, betas, eps, amsgrad, maximize: as of Adam. weight_decay: 0.01 if nothing is said.

    Shapes:
        parameters of any shapes; `exp_avg`, `exp_avg_sq` and `max_exp_avg_sq` in the state have the parameter's.

    Raises:
        ValueError: a negative setting, a beta that is not in [0, 1).
    Source: https://pytorch.org/docs/stable/generated/torch.optim.AdamW.html; Loshchilov and Hutter (2019)

    Example:
        >>> import rustyflow as rf
        >>> w = rf.tensor([1.0], requires_grad=True)
        >>> optimizer = rf.optim.AdamW([w], lr=0.1)
        >>> (w * w).sum().backward()
        >>> optimizer.step()
        >>> w
        tensor([0.8990], requires_grad=True)
    """

    def __init__(
        self,
        params: Any,
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 1e-2,
        amsgrad: bool = False,
        *,
        maximize: bool = False,
        foreach: Any = None,
        capturable: bool = False,
        differentiable: bool = False,
        fused: Any = None,
    ):
        super().__init__(params, **settings(locals()), decoupled_weight_decay=True)
