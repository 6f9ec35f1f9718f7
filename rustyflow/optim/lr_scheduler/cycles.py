"""Schedulers of cycles: one that rises and falls, and cosines that begin again."""

from __future__ import annotations

from math import cos, floor, log, pi
from numbers import Real
from typing import Any

from ...errors import ArgumentValueError, ZeroError
from ...tensor import Tensor
from ..optimizer import Optimizer
from .base import LRScheduler, documented, need_number, need_optimizer, one_for_each, settings_of


@documented(
    "The rate falls to eta_min along half a cosine, and begins again after T_0 epochs, then after T_mult times more.",
    "T_0=2",
    "1.0 0.5 1.0",
    "TypeError: no optimizer. ValueError: a T_0 or T_mult that is no whole number from 1 on; an epoch below 0.",
)
class CosineAnnealingWarmRestarts(LRScheduler):
    def __init__(self, optimizer: Optimizer, T_0: int, T_mult: int = 1, eta_min: float = 0.0, last_epoch: int = -1):
        need_whole("T_0", T_0, "Expected positive integer T_0")
        need_whole("T_mult", T_mult, "Expected integer T_mult >= 1")
        if not isinstance(eta_min, Real):
            rule = f"Expected float or int eta_min, but got {eta_min!r:.60}"
            raise ArgumentValueError(f"eta_min={eta_min!r:.60}", rule, "eta_min=0.001")
        self.T_0, self.T_i, self.T_mult, self.eta_min, self.T_cur = T_0, T_0, T_mult, eta_min, last_epoch
        super().__init__(optimizer, last_epoch)

    def get_lr(self):
        self._warn_outside_of_step()
        part = pi * self.T_cur / self.T_i
        return [self.eta_min + (begin - self.eta_min) * (1 + cos(part)) / 2 for begin in self.base_lrs]

    def step(self, epoch: float | None = None) -> None:
        """Begin the next epoch, or this one: between two of them too, such as `step(epoch + batch / batches)`.

        Raises:
            TypeError: an epoch that is no number. ValueError: one below 0; a group that was added later.
        """
        if epoch is None and self.last_epoch >= 0:
            epoch = self.last_epoch + 1
            self.T_cur += 1
            if self.T_cur >= self.T_i:
                self.T_cur, self.T_i = self.T_cur % self.T_i, self.T_i * self.T_mult
        else:
            epoch = need_number("epoch", 0 if epoch is None else epoch, 3)
            epoch = epoch.item() if isinstance(epoch, Tensor) else epoch
            if epoch < 0:
                raise ArgumentValueError(f"step({epoch})", f"Expected non-negative epoch, but got {epoch}", "step()")
            self._begin(epoch)
        self.last_epoch = floor(epoch)
        self._set_from(self.get_lr)

    def _begin(self, epoch: float) -> None:
        """Find the cosine that an epoch falls into, and how far it is."""
        if epoch < self.T_0:
            self.T_i, self.T_cur = self.T_0, epoch
        elif self.T_mult == 1:
            self.T_cur = epoch % self.T_0
        else:
            n = int(log(epoch / self.T_0 * (self.T_mult - 1) + 1, self.T_mult))
            self.T_cur = epoch - self.T_0 * (self.T_mult**n - 1) / (self.T_mult - 1)
            self.T_i = self.T_0 * self.T_mult**n


@documented(
    "One cycle, a batch a step: up to max_lr and down to next to nothing (Smith and Topin, 2017).",
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
        base_momentum: Any = 0.85,
        max_momentum: Any = 0.95,
        div_factor: float = 25.0,
        final_div_factor: float = 1e4,
        three_phase: bool = False,
        last_epoch: int = -1,
    ):
        groups = need_optimizer(optimizer).param_groups
        self.total_steps = _steps(total_steps, epochs, steps_per_epoch)
        if not isinstance(pct_start, float) or not 0 <= pct_start <= 1:
            was, rule = f"pct_start={pct_start!r:.60}", f"Expected float between 0 and 1 pct_start, but got {pct_start}"
            raise ArgumentValueError(was, rule, "pct_start=0.3")
        if anneal_strategy not in ("cos", "linear"):
            was, rule = f"anneal_strategy={anneal_strategy!r}", "anneal_strategy must be one of 'cos' or 'linear'"
            raise ArgumentValueError(was, rule, "'cos'")
        self._schedule_phases = _phases(self.total_steps, pct_start, three_phase)
        self._anneal_func_type, self.cycle_momentum = anneal_strategy, cycle_momentum
        for name, value in ("div_factor", div_factor), ("final_div_factor", final_div_factor):
            if need_number(name, value, 25.0) == 0:
                raise ZeroError(f"{name}=0", "the first and the last rate are max_lr divided by it", f"{name}=25.0")
        tops, first = one_for_each(optimizer, "max_lr", max_lr), {}
        if cycle_momentum:
            if "momentum" not in optimizer.defaults and "betas" not in optimizer.defaults:
                rule = "optimizer must support momentum or beta1 with `cycle_momentum` option enabled"
                raise ArgumentValueError(type(optimizer).__name__, rule, "cycle_momentum=False")
            self.use_beta1 = "betas" in optimizer.defaults
            first["max_momentum"] = one_for_each(optimizer, "max_momentum", max_momentum)
            first["base_momentum"] = one_for_each(optimizer, "base_momentum", base_momentum)
        if last_epoch == -1:
            for k, group in enumerate(groups):
                begin = tops[k] / div_factor
                group.update(initial_lr=begin, max_lr=tops[k], min_lr=begin / final_div_factor)
                group.update({name: values[k] for name, values in first.items()})
        super().__init__(optimizer, last_epoch)

    def get_lr(self):
        self._warn_outside_of_step()
        if self.last_epoch > self.total_steps:
            raise ArgumentValueError(
                f"step {self.last_epoch}",
                f"Tried to step {self.last_epoch} times. The specified number of total steps is {self.total_steps}",
                "total_steps=epochs * len(loader)",
            )
        begins = [0.0, *(phase["end_step"] for phase in self._schedule_phases)]
        k = next((k for k, end in enumerate(begins[1:-1]) if self.last_epoch <= end), len(begins) - 2)
        phase, (start, end) = self._schedule_phases[k], begins[k : k + 2]
        if start == end:
            was, rule = f"total_steps={self.total_steps}", "no phase takes 0 steps: pct_start * total_steps is not 1"
            raise ZeroError(was, rule, "another pct_start, such as 0.3; or more steps")
        part = (self.last_epoch - start) / (end - start)
        if self.cycle_momentum:
            momenta = self._between(phase, "momentum", part)
            for group, momentum in zip(self.optimizer.param_groups, momenta, strict=True):
                if self.use_beta1:
                    group["betas"] = (momentum, *group["betas"][1:])
                else:
                    group["momentum"] = momentum
        return self._between(phase, "lr", part)

    def _between(self, phase: dict[str, Any], what: str, part: float) -> list[Any]:
        """The rate or the momentum of each group, at a part of a phase."""
        ends = (settings_of(self.optimizer, phase[f"{side}_{what}"]) for side in ("start", "end"))
        if self._anneal_func_type == "linear":
            return [(last - first) * part + first for first, last in zip(*ends, strict=True)]
        return [last + (first - last) / 2.0 * (1 + cos(pi * part)) for first, last in zip(*ends, strict=True)]


def need_whole(name: str, value: Any, rule: str) -> int:
    """A whole number from 1 on, after its check.

    Raises:
        ArgumentValueError (a ValueError): none.
    """
    if not isinstance(value, int) or value < 1:
        raise ArgumentValueError(f"{name}={value!r:.60}", f"{rule}, but got {value!r:.60}", f"{name}=10")
    return value


def _steps(total_steps: Any, epochs: Any, steps_per_epoch: Any) -> int:
    """The number of steps, which is said in one of two ways."""
    if total_steps is not None:
        return need_whole("total_steps", total_steps, "Expected positive integer total_steps")
    if epochs is None or steps_per_epoch is None:
        was = "neither total_steps nor epochs and steps_per_epoch"
        rule = "You must define either total_steps OR (epochs AND steps_per_epoch)"
        raise ArgumentValueError(was, rule, "total_steps=epochs * len(loader)")
    need_whole("epochs", epochs, "Expected positive integer epochs")
    return epochs * need_whole("steps_per_epoch", steps_per_epoch, "Expected positive integer steps_per_epoch")


def _phases(steps: int, part: float, three: bool) -> list[dict[str, Any]]:
    """The phases: in which step each ends, and between which settings of a group it goes."""
    low, high = "base_momentum", "max_momentum"
    rows = [(part * steps - 1, "initial_lr", "max_lr", high, low), (steps - 1, "max_lr", "min_lr", low, high)]
    if three:
        rows[1:] = [
            (2 * part * steps - 2, "max_lr", "initial_lr", low, high),
            (steps - 1, "initial_lr", "min_lr", high, high),
        ]
    names = "end_step", "start_lr", "end_lr", "start_momentum", "end_momentum"
    return [dict(zip(names, row, strict=True)) for row in rows]
