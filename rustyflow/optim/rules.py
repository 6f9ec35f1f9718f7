"""The rules by which optimizers change parameters: each in place, with PyTorch's order of operations."""

from __future__ import annotations

from math import sqrt
from typing import Any

from ..errors import ArgumentValueError
from ..ops.creation import tensor, zeros_like
from ..tensor import Tensor
from .optimizer import Optimizer


class SGD(Optimizer):
    """p -= lr * g, and with momentum p -= lr * v, v = momentum * v + (1 - dampening) * g.

    Args:
        params: parameters, or groups of them.
        lr: the learning rate. momentum, dampening, nesterov: of the velocity v.
        weight_decay: this times p is added to g. maximize: go up.

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
        super().__init__(
            params,
            {
                "lr": lr,
                "momentum": momentum,
                "dampening": dampening,
                "weight_decay": weight_decay,
                "nesterov": nesterov,
                "maximize": maximize,
                "foreach": foreach,
                "differentiable": differentiable,
                "fused": fused,
            },
        )

    def _update(self, group: dict[str, Any], p: Tensor, g: Tensor, state: dict[str, Any]) -> None:
        g = _decayed(group, p, g)
        if group["momentum"]:
            v = state.get("momentum_buffer")
            if v is None:
                v = state["momentum_buffer"] = g.clone()
            else:
                v.mul_(group["momentum"]).add_(g, alpha=1 - group["dampening"])
            g = g.add(v, alpha=group["momentum"]) if group["nesterov"] else v
        p.add_(g, alpha=-group["lr"])


class Adam(Optimizer):
    """p -= lr * m / (sqrt(v) + eps), with means m of g and v of g * g, both corrected for having begun at 0.

    Args:
        params: parameters, or groups of them.
        lr: the learning rate. betas: how slowly m and v change. eps: added to the root. weight_decay: this times p is
            added to g. amsgrad: divide by the largest v so far. maximize: go up.

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

    apart = False  # whether weight decay goes past the means

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
        super().__init__(
            params,
            {
                "lr": lr,
                "betas": betas,
                "eps": eps,
                "weight_decay": weight_decay,
                "amsgrad": amsgrad,
                "maximize": maximize,
                "foreach": foreach,
                "capturable": capturable,
                "differentiable": differentiable,
                "fused": fused,
                "decoupled_weight_decay": decoupled_weight_decay or self.apart,
            },
        )

    def _update(self, group: dict[str, Any], p: Tensor, g: Tensor, state: dict[str, Any]) -> None:
        (b1, b2), lr = group["betas"], group["lr"]
        if group["decoupled_weight_decay"]:
            g = -g if group["maximize"] else g
            p.mul_(1 - lr * group["weight_decay"])
        else:
            g = _decayed(group, p, g)
        n = _counted(state, p, "exp_avg", "exp_avg_sq", *["max_exp_avg_sq"] * group["amsgrad"])
        m, v = state["exp_avg"], state["exp_avg_sq"]
        m.lerp_(g, 1 - b1)
        v.mul_(b2).addcmul_(g, g, value=1 - b2)
        if group["amsgrad"]:
            v = state["max_exp_avg_sq"].copy_(state["max_exp_avg_sq"].maximum(v))
        root = v.sqrt().div_(sqrt(1 - b2**n)).add_(group["eps"])
        p.addcdiv_(m, root, value=-lr / (1 - b1**n))


class AdamW(Adam):
    """Adam, with a weight decay that goes past the means: p *= 1 - lr * weight_decay.

    Args:
        params: parameters, or groups of them.
        lr, betas, eps, amsgrad, maximize: as of Adam. weight_decay: 0.01 if nothing is said.

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

    apart = True

    def __init__(
        self,
        params: Any,
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 1e-2,
        amsgrad: bool = False,
        **others: Any,
    ):
        super().__init__(params, lr, betas, eps, weight_decay, amsgrad, **others)


class RMSprop(Optimizer):
    """p -= lr * g / (sqrt(v) + eps), with a mean v of g * g; centered: of which the square of the mean g is taken off.

    Args:
        params: parameters, or groups of them.
        lr: the learning rate. alpha: how slowly v changes. eps: added to the root. weight_decay: this times p is added
            to g. momentum: of the velocity, if any. centered, maximize: as said.

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
        super().__init__(
            params,
            {
                "lr": lr,
                "momentum": momentum,
                "alpha": alpha,
                "eps": eps,
                "centered": centered,
                "weight_decay": weight_decay,
                "capturable": capturable,
                "foreach": foreach,
                "maximize": maximize,
                "differentiable": differentiable,
            },
        )

    def _update(self, group: dict[str, Any], p: Tensor, g: Tensor, state: dict[str, Any]) -> None:
        g, alpha = _decayed(group, p, g), group["alpha"]
        _counted(
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


class Adagrad(Optimizer):
    """p -= lr / (1 + (n - 1) lr_decay) * g / (sqrt(s) + eps), with the sum s of all g * g so far.

    Args:
        params: parameters, or groups of them.
        lr: the learning rate. lr_decay: how it falls. weight_decay: this times p is added to g.
        initial_accumulator_value: what s begins with. eps: added to the root. maximize: go up.

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
        super().__init__(
            params,
            {
                "lr": lr,
                "lr_decay": lr_decay,
                "eps": eps,
                "weight_decay": weight_decay,
                "initial_accumulator_value": initial_accumulator_value,
                "foreach": foreach,
                "maximize": maximize,
                "differentiable": differentiable,
                "fused": fused,
            },
        )
        for group in self.param_groups:
            for p in group["params"]:
                begin = group["initial_accumulator_value"]
                self.state[p] = {"step": tensor(0.0), "sum": zeros_like(p.detach()).fill_(begin)}

    def _update(self, group: dict[str, Any], p: Tensor, g: Tensor, state: dict[str, Any]) -> None:
        g = _decayed(group, p, g)
        n = _counted(state, p, "sum")
        s = state["sum"].addcmul_(g, g, value=1)
        p.addcdiv_(g, s.sqrt().add_(group["eps"]), value=-group["lr"] / (1 + (n - 1) * group["lr_decay"]))


def _decayed(group: dict[str, Any], p: Tensor, g: Tensor) -> Tensor:
    """The gradient, turned where one goes up, with the weight decay."""
    g = -g if group["maximize"] else g
    return g.add(p, alpha=group["weight_decay"]) if group["weight_decay"] else g


def _counted(state: dict[str, Any], p: Tensor, *kept: str) -> float:
    """Count a step; at the first one begin what is kept with zeros."""
    if "step" not in state:
        state["step"] = tensor(0.0)
    for name in kept:
        if name not in state:
            state[name] = zeros_like(p.detach())
    state["step"].add_(1)
    return state["step"].item()
