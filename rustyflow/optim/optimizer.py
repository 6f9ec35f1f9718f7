"""Optimizer: parameters in groups, each with its settings, and what is kept for each parameter."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from copy import deepcopy
from difflib import get_close_matches
from functools import wraps
from math import inf
from numbers import Real
from types import NoneType
from typing import Any

from ..errors import (
    AbsentError,
    AbsentKey,
    ArgumentTypeError,
    ArgumentValueError,
    ShapeError,
    TensorError,
    align_right,
    warn,
)
from ..errors.foreign import kind_of
from ..nn.module import clear_gradients
from ..ops.creation import tensor, zeros_like
from ..tensor import Tensor
from ..tensor.gradmode import enable_grad, no_grad

NUMBERS = ("lr", "eps", "momentum", "weight_decay", "alpha", "lr_decay", "rho", "momentum_decay",
           "initial_accumulator_value")
"""Settings that are numbers from 0 on."""


class Optimizer:
    """The base of all optimizers: a subclass writes `_update(group, parameter, gradient, state)`.

    Attributes:
        param_groups: dicts with "params" and the settings, which may be changed between steps.
        state: what is kept for each parameter, such as a momentum.

    Shapes:
        parameters of any shapes, each with a gradient of its own.

    Raises:
        ValueError: no parameters, one that is no leaf, one in two groups. TypeError: what is no tensor.
    Source: https://pytorch.org/docs/stable/optim.html

    Example:
        >>> import rustyflow as rf
        >>> w = rf.tensor([1.0], requires_grad=True)
        >>> optimizer = rf.optim.SGD([w], lr=0.1)
        >>> (w * w).sum().backward()
        >>> optimizer.step()
        >>> w
        tensor([0.8000], requires_grad=True)
    """

    stepped = False  # which schedulers ask

    def __init_subclass__(cls, **kwargs: Any):
        super().__init_subclass__(**kwargs)
        if "step" in vars(cls):  # an optimizer of one's own, which writes it anew
            cls.step = _noted(cls.step)

    def __init__(self, params: Any, defaults: dict[str, Any]):
        if not isinstance(defaults, Mapping):
            was = f"defaults={kind_of(defaults)}"
            raise ArgumentTypeError(was, "settings are a dict", "{'lr': 0.1}", value=defaults)
        self.defaults, self.state = defaults, defaultdict(dict)
        self.param_groups: list[dict[str, Any]] = []
        if isinstance(params, Tensor) or not isinstance(params, Iterable):
            raise ArgumentTypeError(
                f"a {kind_of(params)}",
                "params argument given to the optimizer should be an iterable of Tensors or "
                f"dicts, but got {kind_of(params)}",
                "model.parameters(); of one tensor w, [w]",
                value=params,
            )
        groups = list(params)
        if not groups:
            raise ArgumentValueError(
                "no parameters",
                "optimizer got an empty parameter list",
                "model.parameters() of a model that has some; a plain list hides layers, nn.ModuleList does not",
            )
        for group in groups if isinstance(groups[0], Mapping) else [{"params": groups}]:
            self.add_param_group(group)

    def add_param_group(self, param_group: Mapping[str, Any]) -> None:
        """Add parameters with settings of their own: `{"params": [...], "lr": 0.01}`; what is not said is as usual.

        Raises:
            TypeError: no dict, what is no tensor. ValueError: one that is no leaf, or in another group.
        """
        if not isinstance(param_group, Mapping):
            raise ArgumentTypeError(
                f"{kind_of(param_group)}",
                f"param_group must be a dict, but got {kind_of(param_group)}",
                "{'params': [w], 'lr': 0.1}",
                value=param_group,
            )
        if "params" not in param_group:
            raise AbsentKey(f"a group of {', '.join(param_group)}", "a group has its 'params'", "{'params': [w]}")
        for name in param_group.keys() - self.defaults.keys() - {"params"}:
            for near in get_close_matches(name, self.defaults, 1):
                warn(f"a group says {name!r}, which {type(self).__name__} does not read; did you mean {near!r}?")
        params = param_group["params"]
        if isinstance(params, (set, frozenset)):
            rule = "optimizer parameters need to be organized in ordered collections, as a set's order changes"
            raise ArgumentTypeError(kind_of(params), rule, "a list of them", value=params)
        if not isinstance(params, Iterable):
            raise ArgumentTypeError(f"params={kind_of(params)}", "params are tensors", "{'params': [w]}", value=params)
        params = [params] if isinstance(params, Tensor) else list(params)
        names = [p[0] for p in params if isinstance(p, tuple)]
        named = {"param_names" in group for group in self.param_groups} | {bool(names), len(names) == len(params)}
        if params and len(named) > 1:
            rule = "all optimizer params should be with/without names"
            raise ArgumentValueError("names for some of the parameters", rule, "model.named_parameters() throughout")
        params = [p[1] if isinstance(p, tuple) else p for p in params]
        taken = {id(p) for group in self.param_groups for p in group["params"]}
        for p in params:
            if not isinstance(p, Tensor):
                raise ArgumentTypeError(
                    f"{kind_of(p)}",
                    f"optimizer can only optimize Tensors, but one of the params is {kind_of(p)}",
                    "model.parameters()",
                    value=p,
                )
            if not p.is_leaf and not p.retains_grad:
                raise ArgumentValueError(
                    f"a tensor of {p.grad_fn.name()}",
                    "can't optimize a non-leaf Tensor",
                    "the leaf that it was computed from, or x.detach().requires_grad_()",
                )
            if id(p) in taken:
                raise ArgumentValueError(
                    "a parameter in two groups",
                    "some parameters appear in more than one parameter group",
                    "each parameter once",
                )
        if len({id(p) for p in params}) < len(params):
            warn("optimizer contains a parameter group with duplicate parameters: each of them is changed twice a step")
        self._check({**self.defaults, **param_group})
        group = {**param_group, "params": params, **({"param_names": names} if names else {})}
        self.param_groups.append({**group, **{name: x for name, x in self.defaults.items() if name not in group}})

    def _check(self, group: Mapping[str, Any]) -> None:
        """Refuse settings that no step can take."""
        for name in NUMBERS:
            value, most = group.get(name, 0), 1 if name == "rho" else inf
            if not isinstance(value, (Real, Tensor)):
                raise ArgumentTypeError(f"{name}={value!r:.60}", f"{name} is a number", f"{name}=0.01", value=value)
            if isinstance(value, Tensor) and value.numel() != 1:
                was = f"{name} of shape {tuple(value.shape)}"
                raise ArgumentValueError(was, f"Tensor {name} must be 1-element", f"{name}=rustyflow.tensor(0.01)")
            if not 0 <= value <= most:
                said = {"lr": "learning rate", "eps": "epsilon value"}.get(name, f"{name} value")
                fix = f"{name}=0.9, from 0 to 1" if most == 1 else f"{name}=0.01, or another number from 0 on"
                raise ArgumentValueError(f"{name}={value}", f"Invalid {said}: {value}", fix)
        if group.get("differentiable"):
            rule = "steps are not recorded: they write into the parameters, which are leaves"
            raise AbsentError("differentiable=True", rule, "p - lr * g, with g of autograd.grad, create_graph=True")
        betas = group.get("betas", (0.0, 0.0))
        pair = isinstance(betas, (tuple, list)) and len(betas) == 2
        if not pair or not all(isinstance(beta, (Real, Tensor)) for beta in betas):
            raise ArgumentTypeError(f"betas={betas!r:.60}", "betas are two numbers", "betas=(0.9, 0.999)", value=betas)
        for k, beta in enumerate(betas):
            if not 0 <= beta < 1:
                raise ArgumentValueError(
                    f"betas={group['betas']}", f"Invalid beta parameter at index {k}: {beta}", "betas=(0.9, 0.999)"
                )

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Forget the gradients of all parameters, or fill them with 0."""
        clear_gradients((p for group in self.param_groups for p in group["params"]), set_to_none)

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Change every parameter that has a gradient; `closure` computes the loss anew, which is returned."""
        loss = None
        if closure is not None and not callable(closure):
            rule, fix = "closure is a function that computes the loss anew", "optimizer.step()"
            raise ArgumentTypeError(f"step({kind_of(closure)})", rule, fix, value=closure)
        if closure is not None:
            with enable_grad():
                loss = closure()
        self.stepped = True
        with no_grad():
            for group in self.param_groups:
                if isinstance(group.get("lr"), Tensor):
                    group = {**group, "lr": group["lr"].item()}
                try:
                    self._step_group(group)
                except TypeError:
                    self._recheck(group)
                    raise
        return loss

    def _step_group(self, group: dict[str, Any]) -> None:
        for p in group["params"]:
            if p.grad is not None:
                self._update(group, p, p.grad, state := self.state.get(p, {}))
                if state and p not in self.state:
                    self.state[p] = state

    def _recheck(self, group: dict[str, Any]) -> None:
        """Say what is wrong with settings that were changed by hand, if it is they."""
        try:
            self._check(group)
        except TensorError as told:
            raise told from None

    def _update(self, group: dict[str, Any], p: Tensor, g: Tensor, state: dict[str, Any]) -> None:
        """Change a parameter by its gradient.

        Raises:
            NotImplementedError: it is not said how.
        """
        rule, fix = "an optimizer says what a step does", "def step(self, closure=None), or optim.SGD"
        raise AbsentError(f"{type(self).__name__} without a step", rule, fix)

    def state_dict(self) -> dict[str, Any]:
        """The part of it to keep: settings, and the state of each parameter by its number."""
        numbers = {id(p): k for k, p in enumerate(p for group in self.param_groups for p in group["params"])}
        groups = [
            {**{k: v for k, v in group.items() if k != "params"}, "params": [numbers[id(p)] for p in group["params"]]}
            for group in self.param_groups
        ]
        return {
            "state": {numbers[id(p)]: dict(kept) for p, kept in self.state.items() if id(p) in numbers},
            "param_groups": groups,
        }

    def load_state_dict(self, state_dict: Mapping[str, Any]) -> None:
        """Go on from what `state_dict` kept.

        Raises:
            ValueError: other groups, or groups of other sizes. KeyError: no state, or that of another optimizer.
            ShapeError (a RuntimeError): that of a model with other layers; nothing is changed then.
        """
        if not isinstance(state_dict, Mapping) or not isinstance(state_dict.get("state", {}), Mapping):
            was, rule = f"load_state_dict({kind_of(state_dict)})", "an optimizer's state is a dict of dicts"
            raise ArgumentTypeError(was, rule, "what optimizer.state_dict() gave", value=state_dict)
        if "param_groups" not in state_dict or "state" not in state_dict:
            was = f"a dict of {', '.join(map(str, list(state_dict)[:4])) or 'nothing'}"
            rule = "an optimizer's state has 'state' and 'param_groups'"
            raise AbsentKey(was, rule, "what optimizer.state_dict() gave")
        given = state_dict["param_groups"]
        if not isinstance(given, (list, tuple)) or not all(isinstance(g, Mapping) and "params" in g for g in given):
            was, rule = f"param_groups={given!r:.60}", "its groups are a list of dicts, each with its 'params'"
            raise AbsentKey(was, rule, "what optimizer.state_dict() gave")
        sizes = [len(group["params"]) for group in self.param_groups], [len(group["params"]) for group in given]
        if sizes[0] != sizes[1]:
            raise ArgumentValueError(
                f"groups of {sizes[1] or 'no'} parameters for {sizes[0]}",
                "loaded state dict contains a parameter group that doesn't match the size of optimizer's group",
                "an optimizer over the same model",
            )
        numbers = [name for name, usual in self.defaults.items() if not isinstance(usual, (bool, NoneType))]
        if lost := [name for name in numbers if any(name not in group for group in given)]:
            rule = f"{type(self).__name__} has the settings {', '.join(numbers)}"
            raise AbsentKey(f"a state without {', '.join(lost)}", rule, "the optimizer that the state was kept of")
        parameters = [p for group in self.param_groups for p in group["params"]]
        order = [number for group in given for number in group["params"]]
        kept = {str(key): value for key, value in state_dict["state"].items()}
        state = defaultdict(dict)
        for number, p in zip(order, parameters, strict=True):
            if str(number) in kept:
                state[p] = {name: _kept(name, value, p) for name, value in kept[str(number)].items()}
        self.state = state
        for group, new in zip(self.param_groups, given, strict=True):
            group.update({name: deepcopy(value) for name, value in new.items() if name != "params"})

    def __repr__(self) -> str:
        said = f"{type(self).__name__} ("
        for k, group in enumerate(self.param_groups):
            said += f"\nParameter Group {k}\n"
            said += "".join(f"    {name}: {group[name]}\n" for name in sorted(group) if name != "params")
        return said + ")"


def _noted(step: Callable) -> Callable:
    """A step after which its optimizer knows that it has begun."""

    @wraps(step)
    def noted(self, *args, **kwargs):
        self.stepped = True
        return step(self, *args, **kwargs)

    return noted


def _kept(name: str, value: Any, p: Tensor) -> Any:
    """A part of a state as its parameter needs it: of its dtype, and its own."""
    if name in ("step", "mu_product"):
        return tensor(float(value))
    if not isinstance(value, Tensor):
        return deepcopy(value)
    if value.shape != p.shape:
        was = align_right((name, value.shape), ("parameter", p.shape))
        raise ShapeError(was, "what is kept for a parameter has its shape", "the state of a model with the same layers")
    return value.detach().to(p.dtype).clone()


def settings(call: Mapping[str, Any], order: str = "") -> dict[str, Any]:
    """The settings among the local names of an optimizer's `__init__`, whose signature says each of them once.

    PyTorch's groups have some of them in another order, which `order` is, from where the first of these stands.

    Example:
        >>> settings({"self": 0, "params": [], "lr": 0.1, "eps": 1, "momentum": 0, "alpha": 2}, "momentum eps")
        {'lr': 0.1, 'momentum': 0, 'eps': 1, 'alpha': 2}
    """
    moved = iter(order.split())
    names = [name for name in call if name not in ("self", "params", "__class__")]
    return {name: call[name] for name in (next(moved) if name in order.split() else name for name in names)}


def decayed(group: dict[str, Any], p: Tensor, g: Tensor) -> Tensor:
    """The gradient, turned where one goes up, with the weight decay; one that is decoupled falls on p itself."""
    g = -g if group["maximize"] else g
    if group.get("decoupled_weight_decay"):
        p.mul_(1 - group["lr"] * group["weight_decay"])
        return g
    return g.add(p, alpha=group["weight_decay"]) if group["weight_decay"] else g


def counted(state: dict[str, Any], p: Tensor, *kept: str) -> float:
    """Count a step; at the first one begin what is kept with zeros."""
    if "step" not in state:
        state["step"] = tensor(0.0)
    for name in kept:
        if name not in state:
            state[name] = zeros_like(p.detach())
    state["step"].add_(1)
    return state["step"].item()
