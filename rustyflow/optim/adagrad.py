"""Adagrad: steps by the sum of squared gradients."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..ops.creation import tensor, zeros_like
from ..tensor import Tensor
from .optimizer import Optimizer, counted, decayed, settings


class Adagrad(Optimizer):
    """p -= lr / (1 + (n - 1) lr_decay) * g / (sqrt(s) + eps), with the sum s of all g * g so far.

    Args:
        params: parameters, or groups of them.
        lr: the learning rate. lr_decay: how it falls. weight_decay: this times p is added to g.
        initial_accumulator_value: what s begins with. eps: added to the root. maximize: go up.

    Shapes:
        parameters of any shapes; `sum` in the state has the parameter's.

    Raises:
        ValueError: a negative setting.
    Source: https://pytorch.org/docs/stable/generated/torch.optim.Adagrad.html; Duchi et al. (2011)

    Example:
        >>> import rustyflow as rf
        >>> w = rf.tensor([1.0], requires_grad=True)
        >>> optimizer = rf.optim.Adagrad([w], lr=0.1)
        >>> (w * w).sum().backward()
        >>> optimizer.step()
        >>> w
        tensor([0.9000], requires_grad=True)
    """

    def __init__(
        self,
        params: Any,
        lr: float = 1e-2,
        lr_decay: float = 0,
        weight_decay: float = 0,
        initial_accumulator_value: float = 0,
        eps: float = 1e-10,
        foreach: Any = None,
        *,
        maximize: bool = False,
        differentiable: bool = False,
        fused: Any = None,
    ):
        super().__init__(params, settings(locals(), "eps weight_decay initial_accumulator_value"))

    def add_param_group(self, param_group: Mapping[str, Any]) -> None:
        super().add_param_group(param_group)
        begin = self.param_groups[-1]["initial_accumulator_value"]
        for p in self.param_groups[-1]["params"]:
            self.state[p] = {"step": tensor(0.0), "sum": zeros_like(p.detach()).fill_(begin)}

    def _update(self, group: dict[str, Any], p: Tensor, g: Tensor, state: dict[str, Any]) -> None:
        g = decayed(group, p, g)
        n = counted(state, p, "sum")
        s = state["sum"].addcmul_(g, g, value=1)
        p.addcdiv_(g, s.sqrt().add_(group["eps"]), value=-group["lr"] / (1 + (n - 1) * group["lr_decay"]))
