"""Schedulers by a factor: of the rate before, in some epochs or in all, or of the first rate."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable
from math import cos, pi
from types import FunctionType
from typing import Any

from ...errors import ArgumentTypeError, ArgumentValueError, ZeroError
from ...errors.foreign import kind_of
from ..optimizer import Optimizer
from .base import ChainableLR, LRScheduler, copied, documented, need_dict, need_epochs, need_number, need_optimizer


@documented("The rate times gamma, every step_size epochs.", "step_size=2, gamma=0.1", "1.0 1.0 0.1")
class StepLR(ChainableLR):
    def __init__(self, optimizer: Optimizer, step_size: int, gamma: float = 0.1, last_epoch: int = -1):
        self.step_size, self.gamma = need_epochs("step_size", step_size), need_number("gamma", gamma)
        super().__init__(optimizer, last_epoch)

    def _next(self, rate):
        return rate * self.gamma if self.last_epoch and self.last_epoch % self.step_size == 0 else rate

    def _at(self, begin):
        return begin * self.gamma ** (self.last_epoch // self.step_size)


@documented("The rate times gamma, at each milestone.", "milestones=[1, 2], gamma=0.1", "1.0 0.1 0.01")
class MultiStepLR(ChainableLR):
    def __init__(self, optimizer: Optimizer, milestones: Iterable[int], gamma: float = 0.1, last_epoch: int = -1):
        if not isinstance(milestones, Iterable):
            rule = "milestones are the epochs at which the rate falls"
            raise ArgumentTypeError(f"milestones={milestones!r:.60}", rule, "milestones=[30, 80]", value=milestones)
        self.milestones = Counter(need_number("milestones", one, [30, 80]) for one in milestones)
        self.gamma = need_number("gamma", gamma)
        super().__init__(optimizer, last_epoch)

    def _next(self, rate):
        return rate * self.gamma ** self.milestones[self.last_epoch] if self.last_epoch in self.milestones else rate

    def _at(self, begin):
        return begin * self.gamma ** bisect_right(sorted(self.milestones.elements()), self.last_epoch)

    def load_state_dict(self, state_dict):
        super().load_state_dict(state_dict)
        self.milestones = Counter({int(epoch): n for epoch, n in self.milestones.items()})  # a file has words for keys


@documented("The rate times gamma, every epoch.", "gamma=0.5", "1.0 0.5 0.25")
class ExponentialLR(ChainableLR):
    def __init__(self, optimizer: Optimizer, gamma: float, last_epoch: int = -1):
        self.gamma = need_number("gamma", gamma)
        super().__init__(optimizer, last_epoch)

    def _next(self, rate):
        return rate if self._is_initial else rate * self.gamma

    def _at(self, begin):
        return begin * self.gamma**self.last_epoch


@documented(
    "The first rate times a factor that goes from start_factor to end_factor in total_iters epochs.",
    "start_factor=0.5, total_iters=2",
    "0.5 0.75 1.0",
    "TypeError: no optimizer. ValueError: factors that are not from 0 to 1.",
)
class LinearLR(ChainableLR):
    def __init__(
        self,
        optimizer: Optimizer,
        start_factor: float = 1 / 3,
        end_factor: float = 1.0,
        total_iters: int = 5,
        last_epoch: int = -1,
    ):
        if not 0 < need_number("start_factor", start_factor) <= 1:
            raise ArgumentValueError(
                f"start_factor={start_factor}",
                "Starting multiplicative factor expected to be greater than 0 and less or equal to 1.",
                "start_factor=0.1",
            )
        if not 0 <= need_number("end_factor", end_factor) <= 1:
            raise ArgumentValueError(
                f"end_factor={end_factor}",
                "Ending multiplicative factor expected to be between 0 and 1.",
                "end_factor=1.0",
            )
        self.start_factor, self.end_factor = start_factor, end_factor
        self.total_iters = need_number("total_iters", total_iters, 10)
        super().__init__(optimizer, last_epoch)

    def _next(self, rate):
        if self.last_epoch == 0:
            return rate * self.start_factor
        if self._is_initial or self.last_epoch > self.total_iters:
            return rate
        rise, n = self.end_factor - self.start_factor, self.last_epoch - 1
        return rate * (1 + rise / (self.total_iters * self.start_factor + n * rise))

    def _at(self, begin):
        rise, n = self.end_factor - self.start_factor, min(self.total_iters, self.last_epoch)
        return begin * (self.start_factor + rise * n / self.total_iters)


@documented(
    "The first rate times a factor for total_iters epochs, then the first rate.",
    "factor=0.5, total_iters=2",
    "0.5 0.5 1.0",
    "TypeError: no optimizer. ValueError: a factor that is not from 0 to 1. ZeroDivisionError: the end of a factor 0.",
)
class ConstantLR(ChainableLR):
    def __init__(self, optimizer: Optimizer, factor: float = 1 / 3, total_iters: int = 5, last_epoch: int = -1):
        if not 0 <= need_number("factor", factor) <= 1:
            raise ArgumentValueError(
                f"factor={factor}", "Constant multiplicative factor expected to be between 0 and 1.", "factor=0.5"
            )
        self.factor, self.total_iters = factor, need_number("total_iters", total_iters, 10)
        super().__init__(optimizer, last_epoch)

    def _next(self, rate):
        if self.last_epoch == 0:
            return rate * self.factor
        if self.last_epoch != self.total_iters:
            return rate
        if self.factor == 0:
            rule = "after total_iters epochs the rate is divided by the factor, and nothing is divided by 0"
            raise ZeroError(f"factor=0, epoch {self.last_epoch}", rule, "factor=1e-8")
        return rate * (1.0 / self.factor)

    def _at(self, begin):
        return begin * (self.factor + (self.last_epoch >= self.total_iters) * (1 - self.factor))


@documented(
    "The rate falls to 0 in total_iters epochs, as (1 - epoch / total_iters) ** power.",
    "total_iters=4, power=2.0",
    "1.0 0.562 0.25",
)
class PolynomialLR(ChainableLR):
    def __init__(self, optimizer: Optimizer, total_iters: int = 5, power: float = 1.0, last_epoch: int = -1):
        self.total_iters, self.power = need_number("total_iters", total_iters, 10), need_number("power", power, 2.0)
        super().__init__(optimizer, last_epoch)

    def _next(self, rate):
        n, end = self.last_epoch, self.total_iters
        if self._is_initial or n > end:
            return rate
        return rate * ((1 - n / end) / (1 - (n - 1) / end)) ** self.power

    def _at(self, begin):
        return begin * (1 - min(self.total_iters, self.last_epoch) / self.total_iters) ** self.power


@documented(
    "The rate falls from the first one to eta_min along half a cosine, in T_max epochs, and rises again.",
    "T_max=2",
    "1.0 0.5 0.0",
)
class CosineAnnealingLR(ChainableLR):
    def __init__(self, optimizer: Optimizer, T_max: int, eta_min: float = 0.0, last_epoch: int = -1):
        self.T_max, self.eta_min = need_epochs("T_max", T_max), need_number("eta_min", eta_min)
        super().__init__(optimizer, last_epoch)

    def get_lr(self):
        if self._is_initial or (self.last_epoch - 1 - self.T_max) % (2 * self.T_max):
            return super().get_lr()
        self._warn_outside_of_step()  # from eta_min no factor leads up again
        groups = self.optimizer.param_groups
        if len(groups) != len(self.base_lrs):
            raise self._other_groups(len(self.base_lrs))
        rise = (1 - cos(pi / self.T_max)) / 2
        pairs = zip(groups, self.base_lrs, strict=True)
        return [copied(group["lr"]) + (begin - self.eta_min) * rise for group, begin in pairs]

    def _next(self, rate):
        if self._is_initial:
            return rate
        n, top = self.last_epoch, self.T_max
        return (1 + cos(pi * n / top)) / (1 + cos(pi * (n - 1) / top)) * (rate - self.eta_min) + self.eta_min

    def _at(self, begin):
        return self.eta_min + (begin - self.eta_min) * (1 + cos(pi * self.last_epoch / self.T_max)) / 2


@documented(
    "The first rate times what a function says of the epoch.",
    "lambda epoch: 1 / (1 + epoch)",
    "1.0 0.5 0.333",
    "TypeError: no optimizer, no function, no number from it. ValueError: as many functions as groups, or one.",
)
class LambdaLR(LRScheduler):
    def __init__(self, optimizer: Optimizer, lr_lambda: Any, last_epoch: int = -1):
        many = len(need_optimizer(optimizer).param_groups)
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
        self._warn_outside_of_step()
        name, n = f"lr_lambda({self.last_epoch})", self.last_epoch
        factors = [need_number(name, rate(n), "0.9, by lambda epoch: 0.9**epoch") for rate in self.lr_lambdas]
        return [begin * factor for begin, factor in zip(self.base_lrs, factors, strict=True)]

    def state_dict(self):
        kept = super().state_dict()
        del kept["lr_lambdas"]
        return kept | {"lr_lambdas": [_said_of(one) for one in self.lr_lambdas]}

    def load_state_dict(self, state_dict):
        functions = self.lr_lambdas
        super().load_state_dict(need_dict(state_dict))
        self.lr_lambdas = functions
        for one, kept in zip(functions, state_dict.get("lr_lambdas") or [], strict=False):
            if kept:
                vars(one).update(kept)


def _said_of(function: Any) -> dict[str, Any] | None:
    """The attributes of an object that is called; of a function nothing is kept."""
    return None if isinstance(function, FunctionType) else dict(getattr(function, "__dict__", {}))
