"""Schedulers: the learning rate of each epoch. `optim.lr_scheduler` is their public face."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from math import cos, inf, pi
from numbers import Real
from typing import Any, TypeVar

from ..errors import AbsentKey, ArgumentTypeError, ArgumentValueError, warn
from ..errors.foreign import kind_of
from .optimizer import Optimizer

Scheduler = TypeVar("Scheduler", bound="LRScheduler")


class LRScheduler:
    """The base of schedulers: `step()` after each epoch gives every group of the optimizer its next learning rate.

    A scheduler of your own writes `get_lr`: the rate of each group, from `base_lrs` and `last_epoch`.

    Raises:
        TypeError: no optimizer. KeyError: a last_epoch, with an optimizer that has not begun.
    Source: https://pytorch.org/docs/stable/generated/torch.optim.lr_scheduler.LRScheduler.html

    Example:
        >>> import rustyflow as rf
        >>> class Halves(rf.optim.lr_scheduler.LRScheduler):
        ...     def get_lr(self):
        ...         return [begin / 2**self.last_epoch for begin in self.base_lrs]
        >>> scheduler = Halves(rf.optim.SGD([rf.ones(1, requires_grad=True)], lr=1.0))
        >>> scheduler.optimizer.step()
        >>> scheduler.step()
        >>> scheduler.get_last_lr()
        [0.5]
    """

    def __init__(self, optimizer: Optimizer, last_epoch: int = -1):
        self.optimizer, self.last_epoch = _optimizer(optimizer), last_epoch
        for group in optimizer.param_groups:
            if last_epoch != -1 and "initial_lr" not in group:
                rule = "param 'initial_lr' is not specified in param_groups when resuming an optimizer"
                raise AbsentKey(f"last_epoch={last_epoch}", rule, "optimizer.load_state_dict(...) first")
            group.setdefault("initial_lr", group["lr"])
        self.base_lrs = [group["initial_lr"] for group in optimizer.param_groups]
        self.step()

    def _rate(self, group: dict[str, Any], begin: float) -> float:
        raise NotImplementedError

    def get_lr(self) -> list[float]:
        """The learning rate of each group in the epoch that begins."""
        groups = zip(self.optimizer.param_groups, self.base_lrs, strict=True)
        return [self._rate(group, begin) for group, begin in groups]

    def get_last_lr(self) -> list[float]:
        """The learning rates that were set last."""
        return self._last_lr

    def step(self) -> None:
        """Begin the next epoch."""
        if self.last_epoch == 0 and not self.optimizer.stepped and type(self.optimizer).step is Optimizer.step:
            warn(
                "Detected call of `lr_scheduler.step()` before `optimizer.step()`: the first learning rate is skipped;"
                " call them in the opposite order"
            )
        self.last_epoch += 1
        for group, rate in zip(self.optimizer.param_groups, self.get_lr(), strict=True):
            group["lr"] = rate
        self._last_lr = [group["lr"] for group in self.optimizer.param_groups]

    def state_dict(self) -> dict[str, Any]:
        """What to keep of it: all but the optimizer, and functions."""
        return {name: value for name, value in vars(self).items() if name != "optimizer" and not callable(value)}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Go on from what `state_dict` kept."""
        vars(self).update(state_dict)


def _optimizer(given: Any) -> Optimizer:
    """What a scheduler is made for.

    Raises:
        ArgumentTypeError (a TypeError): no optimizer.
    """
    if not isinstance(given, Optimizer):
        kind, fix = kind_of(given), "optim.SGD(model.parameters(), lr=0.1)"
        raise ArgumentTypeError(kind, f"{kind} is not an Optimizer", fix, value=given)
    return given


def _epochs(name: str, value: Any) -> Any:
    """A number of epochs, after its check.

    Raises:
        ArgumentValueError (a ValueError): none.
    """
    if isinstance(value, bool) or not isinstance(value, Real) or value < 1:
        raise ArgumentValueError(f"{name}={value!r:.60}", f"{name} is a number of epochs, from 1 on", f"{name}=10")
    return value


def _made(
    summary: str, page: str, example: str, rates: str, raises: str = "TypeError: no optimizer."
) -> Callable[[type[Scheduler]], type[Scheduler]]:
    """The docstring of a scheduler: what it does, and the rates of its first epochs."""

    def decorate(kind: type[Scheduler]) -> type[Scheduler]:
        kind.__doc__ = f"""{summary}

    Raises:
        {raises}
    Source: https://pytorch.org/docs/stable/generated/torch.optim.lr_scheduler.{page}.html

    Example:
        >>> import rustyflow as rf
        >>> optimizer = rf.optim.SGD([rf.ones(1, requires_grad=True)], lr=1.0)
        >>> scheduler = rf.optim.lr_scheduler.{page}(optimizer, {example})
        >>> rates = []
        >>> for _ in range(3):
        ...     rates += scheduler.get_last_lr()
        ...     optimizer.step()
        ...     scheduler.step()
        >>> print(*(round(rate, 3) for rate in rates))
        {rates}
    """
        return kind

    return decorate


@_made("The rate times gamma, every step_size epochs.", "StepLR", "step_size=2, gamma=0.1", "1.0 1.0 0.1")
class StepLR(LRScheduler):
    def __init__(self, optimizer: Optimizer, step_size: int, gamma: float = 0.1, last_epoch: int = -1):
        self.step_size, self.gamma = _epochs("step_size", step_size), gamma
        super().__init__(optimizer, last_epoch)

    def _rate(self, group, begin):
        falls = self.last_epoch and self.last_epoch % self.step_size == 0
        return group["lr"] * self.gamma if falls else group["lr"]


@_made("The rate times gamma, at each milestone.", "MultiStepLR", "milestones=[1, 2], gamma=0.1", "1.0 0.1 0.01")
class MultiStepLR(LRScheduler):
    def __init__(self, optimizer: Optimizer, milestones: Sequence[int], gamma: float = 0.1, last_epoch: int = -1):
        if not isinstance(milestones, Iterable):
            rule = "milestones are the epochs at which the rate falls"
            raise ArgumentTypeError(f"milestones={milestones!r:.60}", rule, "milestones=[30, 80]", value=milestones)
        self.milestones, self.gamma = Counter(milestones), gamma
        super().__init__(optimizer, last_epoch)

    def _rate(self, group, begin):
        return group["lr"] * self.gamma ** self.milestones[self.last_epoch]

    def load_state_dict(self, state_dict):
        super().load_state_dict(state_dict)
        self.milestones = Counter({int(epoch): n for epoch, n in self.milestones.items()})  # a file has words for keys


@_made("The rate times gamma, every epoch.", "ExponentialLR", "gamma=0.5", "1.0 0.5 0.25")
class ExponentialLR(LRScheduler):
    def __init__(self, optimizer: Optimizer, gamma: float, last_epoch: int = -1):
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def _rate(self, group, begin):
        return group["lr"] * self.gamma if self.last_epoch else group["lr"]


@_made(
    "The first rate times what a function says of the epoch.",
    "LambdaLR",
    "lambda epoch: 1 / (1 + epoch)",
    "1.0 0.5 0.333",
    "TypeError: no optimizer. ValueError: as many functions as groups, or one.",
)
class LambdaLR(LRScheduler):
    def __init__(self, optimizer: Optimizer, lr_lambda: Any, last_epoch: int = -1):
        many = len(optimizer.param_groups) if isinstance(optimizer, Optimizer) else 1
        self.lr_lambdas = list(lr_lambda) if isinstance(lr_lambda, (list, tuple)) else [lr_lambda] * many
        for one in self.lr_lambdas:
            if not callable(one):
                rule = "lr_lambda is a function of the epoch"
                raise ArgumentTypeError(kind_of(one), rule, "lambda epoch: 0.9**epoch", value=one)
        if len(self.lr_lambdas) != many:
            raise ArgumentValueError(
                f"{len(self.lr_lambdas)} functions for {many} groups",
                f"Expected {many} lr_lambdas, but got {len(self.lr_lambdas)}",
                "one function, or one for each group",
            )
        super().__init__(optimizer, last_epoch)

    def get_lr(self):
        return [begin * rate(self.last_epoch) for rate, begin in zip(self.lr_lambdas, self.base_lrs, strict=True)]

    def state_dict(self):
        return {name: value for name, value in super().state_dict().items() if name != "lr_lambdas"}


@_made(
    "The first rate times a factor that goes from start_factor to end_factor in total_iters epochs.",
    "LinearLR",
    "start_factor=0.5, total_iters=2",
    "0.5 0.75 1.0",
    "TypeError: no optimizer. ValueError: factors that are not from 0 to 1.",
)
class LinearLR(LRScheduler):
    def __init__(
        self,
        optimizer: Optimizer,
        start_factor: float = 1 / 3,
        end_factor: float = 1.0,
        total_iters: int = 5,
        last_epoch: int = -1,
    ):
        if not 0 < start_factor <= 1:
            raise ArgumentValueError(
                f"start_factor={start_factor}",
                "Starting multiplicative factor expected to be greater than 0 and less or equal to 1.",
                "start_factor=0.1",
            )
        if not 0 <= end_factor <= 1:
            raise ArgumentValueError(
                f"end_factor={end_factor}",
                "Ending multiplicative factor expected to be between 0 and 1.",
                "end_factor=1.0",
            )
        self.start_factor, self.end_factor, self.total_iters = start_factor, end_factor, total_iters
        super().__init__(optimizer, last_epoch)

    def _rate(self, group, begin):
        if not self.last_epoch:
            return group["lr"] * self.start_factor
        if self.last_epoch > self.total_iters:
            return group["lr"]
        rise, n = self.end_factor - self.start_factor, self.last_epoch - 1
        return group["lr"] * (1 + rise / (self.total_iters * self.start_factor + n * rise))


@_made(
    "The first rate times a factor for total_iters epochs, then the first rate.",
    "ConstantLR",
    "factor=0.5, total_iters=2",
    "0.5 0.5 1.0",
    "TypeError: no optimizer. ValueError: a factor that is not from 0 to 1.",
)
class ConstantLR(LRScheduler):
    def __init__(self, optimizer: Optimizer, factor: float = 1 / 3, total_iters: int = 5, last_epoch: int = -1):
        if not 0 <= factor <= 1:
            raise ArgumentValueError(
                f"factor={factor}", "Constant multiplicative factor expected to be between 0 and 1.", "factor=0.5"
            )
        self.factor, self.total_iters = factor, total_iters
        super().__init__(optimizer, last_epoch)

    def _rate(self, group, begin):
        if not self.last_epoch:
            return group["lr"] * self.factor
        return group["lr"] / self.factor if self.last_epoch == self.total_iters else group["lr"]


@_made(
    "The rate falls from the first one to eta_min along half a cosine, in T_max epochs, and rises again.",
    "CosineAnnealingLR",
    "T_max=2",
    "1.0 0.5 0.0",
)
class CosineAnnealingLR(LRScheduler):
    def __init__(self, optimizer: Optimizer, T_max: int, eta_min: float = 0.0, last_epoch: int = -1):
        self.T_max, self.eta_min = _epochs("T_max", T_max), eta_min
        super().__init__(optimizer, last_epoch)

    def _rate(self, group, begin):
        n, top = self.last_epoch, self.T_max
        if n == 0:
            return group["lr"]
        if (n - 1 - top) % (2 * top) == 0:
            return group["lr"] + (begin - self.eta_min) * (1 - cos(pi / top)) / 2
        return (1 + cos(pi * n / top)) / (1 + cos(pi * (n - 1) / top)) * (group["lr"] - self.eta_min) + self.eta_min


@_made(
    "One cycle, a batch a step: up to max_lr and down to next to nothing (Smith and Topin, 2017).",
    "OneCycleLR",
    "max_lr=1.0, total_steps=5",
    "0.04 0.95 0.611",
    "TypeError: no optimizer. ValueError: no number of steps; a step beyond the last; an optimizer without momentum.",
)
class OneCycleLR(LRScheduler):
    def __init__(
        self,
        optimizer: Optimizer,
        max_lr: Any,
        total_steps: int | None = None,
        epochs: int | None = None,
        steps_per_epoch: int | None = None,
        pct_start: float = 0.3,
        anneal_strategy: str = "cos",
        cycle_momentum: bool = True,
        base_momentum: float = 0.85,
        max_momentum: float = 0.95,
        div_factor: float = 25.0,
        final_div_factor: float = 1e4,
        three_phase: bool = False,
        last_epoch: int = -1,
    ):
        if total_steps is None and (epochs is None or steps_per_epoch is None):
            raise ArgumentValueError(
                "neither total_steps nor epochs and steps_per_epoch",
                "You must define either total_steps OR (epochs AND steps_per_epoch)",
                "total_steps=epochs * len(loader)",
            )
        if total_steps is not None and (type(total_steps) is not int or total_steps <= 0) or not 0 <= pct_start <= 1:
            was = f"total_steps={total_steps}, pct_start={pct_start}"
            rule = "Expected positive integer total_steps, and float between 0 and 1 pct_start"
            raise ArgumentValueError(was, rule, "total_steps=epochs * len(loader), pct_start=0.3")
        if anneal_strategy not in ("cos", "linear"):
            raise ArgumentValueError(
                f"anneal_strategy={anneal_strategy!r}", "anneal_strategy must be one of 'cos' or 'linear'", "'cos'"
            )
        self.total_steps = total_steps or epochs * steps_per_epoch
        self.strategy, self.cycled = anneal_strategy, cycle_momentum
        groups = _optimizer(optimizer).param_groups
        tops = max_lr if isinstance(max_lr, (list, tuple)) else [max_lr] * len(groups)
        up, last = pct_start * self.total_steps - 1, self.total_steps - 1
        low, high = ("base_momentum", "max_momentum")
        self.phases = [(0.0, up, "initial_lr", "max_lr", high, low), (up, last, "max_lr", "min_lr", low, high)]
        if three_phase:
            down = 2 * pct_start * self.total_steps - 2
            self.phases[1:] = [
                (up, down, "max_lr", "initial_lr", low, high),
                (down, last, "initial_lr", "min_lr", high, high),
            ]
        if cycle_momentum and not all("momentum" in group or "betas" in group for group in groups):
            rule = "optimizer must support momentum or beta1 with `cycle_momentum` option enabled"
            raise ArgumentValueError(type(optimizer).__name__, rule, "cycle_momentum=False")
        if last_epoch == -1:
            for group, top in zip(groups, tops, strict=True):
                first = top / div_factor
                group.update(initial_lr=first, max_lr=top, min_lr=first / final_div_factor, lr=first)
                if cycle_momentum:
                    group.update(max_momentum=max_momentum, base_momentum=base_momentum)
        super().__init__(optimizer, last_epoch)

    def _rate(self, group, begin):
        if self.last_epoch > self.total_steps:
            raise ArgumentValueError(
                f"step {self.last_epoch}",
                f"Tried to step {self.last_epoch} times. The specified number of total steps is {self.total_steps}",
                "total_steps=epochs * len(loader)",
            )
        start, end, *ends = next((p for p in self.phases if self.last_epoch <= p[1]), self.phases[-1])
        part = (self.last_epoch - start) / (end - start)
        if self.cycled:
            value = self._between(group[ends[2]], group[ends[3]], part)
            if "betas" in group:
                group["betas"] = (value, *group["betas"][1:])
            else:
                group["momentum"] = value
        return self._between(group[ends[0]], group[ends[1]], part)

    def _between(self, first: float, last: float, part: float) -> float:
        if self.strategy == "linear":
            return (last - first) * part + first
        return last + (first - last) / 2.0 * (1 + cos(pi * part))


class SequentialLR(LRScheduler):
    """Schedulers one after the other: the next one begins at each milestone.

    Raises:
        ValueError: as many milestones as schedulers, or schedulers of another optimizer.
    Source: https://pytorch.org/docs/stable/generated/torch.optim.lr_scheduler.SequentialLR.html

    Example:
        >>> import rustyflow as rf
        >>> from rustyflow.optim import lr_scheduler as ls
        >>> optimizer = rf.optim.SGD([rf.ones(1, requires_grad=True)], lr=1.0)
        >>> parts = [ls.ConstantLR(optimizer, 0.1, 2), ls.ExponentialLR(optimizer, 0.5)]
        >>> scheduler = ls.SequentialLR(optimizer, parts, milestones=[2])
        >>> rates = []
        >>> for _ in range(4):
        ...     rates += scheduler.get_last_lr()
        ...     optimizer.step()
        ...     scheduler.step()
        >>> print(*(round(rate, 3) for rate in rates))
        0.1 0.1 1.0 0.5
    """

    def __init__(
        self, optimizer: Optimizer, schedulers: Sequence[LRScheduler], milestones: Sequence[int], last_epoch: int = -1
    ):
        if len(milestones) != len(schedulers) - 1:
            raise ArgumentValueError(
                f"{len(schedulers)} schedulers, {len(milestones)} milestones",
                "Sequential Schedulers "
                "expects number of schedulers provided to be one more than the number of milestone "
                "points",
                f"{len(schedulers) - 1} milestones",
            )
        if any(one.optimizer is not optimizer for one in schedulers):
            raise ArgumentValueError(
                "schedulers of another optimizer",
                "Sequential Schedulers expects all schedulers to belong to the same optimizer",
                "the optimizer that they were made for",
            )
        self.optimizer, self.schedulers, self.milestones = optimizer, list(schedulers), list(milestones)
        self.last_epoch = last_epoch + 1
        for group in optimizer.param_groups:
            group["lr"] = group["initial_lr"]
        for one in self.schedulers:
            one.last_epoch -= 1
        self.schedulers[0].step()
        self._last_lr = self.schedulers[0].get_last_lr()

    def step(self) -> None:
        """Begin the next epoch."""
        self.last_epoch += 1
        which = bisect_right(self.milestones, self.last_epoch)
        if which and self.milestones[which - 1] == self.last_epoch:
            for group, begin in zip(self.optimizer.param_groups, self.schedulers[which].base_lrs, strict=True):
                group["lr"] = begin
        self.schedulers[which].step()
        self._last_lr = self.schedulers[which].get_last_lr()

    def state_dict(self) -> dict[str, Any]:
        """What to keep of it, with the schedulers'."""
        kept = {name: value for name, value in vars(self).items() if name not in ("optimizer", "schedulers")}
        return kept | {"_schedulers": [one.state_dict() for one in self.schedulers]}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Go on from what `state_dict` kept."""
        vars(self).update({name: value for name, value in state_dict.items() if name != "_schedulers"})
        for one, kept in zip(self.schedulers, state_dict["_schedulers"], strict=True):
            one.load_state_dict(kept)


class ReduceLROnPlateau(LRScheduler):
    """The rate times factor, when a measure has not become better for more than `patience` epochs.

    Args:
        mode: 'min' or 'max': which is better. threshold, threshold_mode: by how much it has to be. cooldown: epochs of
            rest after a reduction. min_lr: it falls no lower. eps: nor by less.

    Raises:
        ValueError: a factor of 1 or more, another mode.
    Source: https://pytorch.org/docs/stable/generated/torch.optim.lr_scheduler.ReduceLROnPlateau.html

    Example:
        >>> import rustyflow as rf
        >>> optimizer = rf.optim.SGD([rf.ones(1, requires_grad=True)], lr=1.0)
        >>> scheduler = rf.optim.lr_scheduler.ReduceLROnPlateau(optimizer, factor=0.5, patience=1)
        >>> for loss in (3.0, 2.0, 2.0, 2.0):
        ...     scheduler.step(loss)
        >>> optimizer.param_groups[0]["lr"]
        0.5
    """

    def __init__(
        self,
        optimizer: Optimizer,
        mode: str = "min",
        factor: float = 0.1,
        patience: int = 10,
        threshold: float = 1e-4,
        threshold_mode: str = "rel",
        cooldown: int = 0,
        min_lr: Any = 0,
        eps: float = 1e-8,
    ):
        if factor >= 1.0:
            raise ArgumentValueError(f"factor={factor}", "Factor should be < 1.0.", "factor=0.1")
        if mode not in ("min", "max") or threshold_mode not in ("rel", "abs"):
            raise ArgumentValueError(
                f"mode={mode!r}, threshold_mode={threshold_mode!r}",
                f"mode {mode} is unknown!",
                "mode='min', threshold_mode='rel'",
            )
        self.optimizer, self.mode, self.factor, self.patience = _optimizer(optimizer), mode, factor, patience
        self.threshold, self.threshold_mode, self.cooldown, self.eps = threshold, threshold_mode, cooldown, eps
        many = len(optimizer.param_groups)
        self.min_lrs = list(min_lr) if isinstance(min_lr, (list, tuple)) else [min_lr] * many
        self.last_epoch = self.cooldown_counter = self.num_bad_epochs = 0
        self.best = inf if mode == "min" else -inf
        self._last_lr = [group["lr"] for group in optimizer.param_groups]

    def step(self, metrics: Any) -> None:
        """Hear the measure of an epoch: a number, or a tensor of one."""
        current = float(metrics)
        self.last_epoch += 1
        if self._better(current):
            self.best, self.num_bad_epochs = current, 0
        else:
            self.num_bad_epochs += 1
        if self.cooldown_counter > 0:
            self.cooldown_counter -= 1
            self.num_bad_epochs = 0
        if self.num_bad_epochs > self.patience:
            for group, least in zip(self.optimizer.param_groups, self.min_lrs, strict=True):
                rate = max(group["lr"] * self.factor, least)
                if group["lr"] - rate > self.eps:
                    group["lr"] = rate
            self.cooldown_counter, self.num_bad_epochs = self.cooldown, 0
        self._last_lr = [group["lr"] for group in self.optimizer.param_groups]

    def _better(self, current: float) -> bool:
        sign = 1 if self.mode == "min" else -1
        if self.threshold_mode == "rel":
            return sign * current < sign * self.best * (1 - sign * self.threshold)
        return sign * current < sign * self.best - self.threshold
