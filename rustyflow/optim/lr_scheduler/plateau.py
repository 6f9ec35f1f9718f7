"""ReduceLROnPlateau: the scheduler that hears how well it goes."""

from __future__ import annotations

from math import inf
from typing import Any

from ...errors import ArgumentTypeError, ArgumentValueError, StateError
from ...errors.foreign import kind_of
from ..optimizer import Optimizer
from .base import LRScheduler, deprecated, need_number, need_optimizer, one_for_each, set_value, settings_of


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
        if need_number("factor", factor) >= 1.0:
            raise ArgumentValueError(f"factor={factor}", "Factor should be < 1.0.", "factor=0.1")
        if mode not in ("min", "max"):
            raise ArgumentValueError(f"mode={mode!r}", f"mode {mode} is unknown!", "mode='min', or 'max'")
        if threshold_mode not in ("rel", "abs"):
            rule = f"threshold mode {threshold_mode} is unknown!"
            raise ArgumentValueError(f"threshold_mode={threshold_mode!r}", rule, "threshold_mode='rel', or 'abs'")
        self.factor, self.optimizer = factor, need_optimizer(optimizer)
        self.default_min_lr = None if isinstance(min_lr, (list, tuple)) else min_lr
        self.min_lrs = one_for_each(optimizer, "min_lrs", min_lr)
        self.patience, self.cooldown = need_number("patience", patience, 10), need_number("cooldown", cooldown, 0)
        self.eps, self.last_epoch, self._last_lr = need_number("eps", eps), 0, settings_of(optimizer, "lr")
        self.mode_worse, self.mode = inf if mode == "min" else -inf, mode
        self.threshold, self.threshold_mode = need_number("threshold", threshold), threshold_mode
        self._reset()

    def _reset(self) -> None:
        """Forget what was heard."""
        self.best, self.cooldown_counter, self.num_bad_epochs = self.mode_worse, 0, 0

    @property
    def in_cooldown(self) -> bool:
        """True in the epochs of rest after a reduction."""
        return self.cooldown_counter > 0

    def step(self, metrics: Any, epoch: int | None = None) -> None:
        """Hear the measure of an epoch: a number, or a tensor of one; `epoch` is deprecated in PyTorch.

        Raises:
            TypeError: no number. RuntimeError: groups added since, where each has a min_lr of its own.
        """
        try:
            current = float(metrics)
        except (TypeError, ValueError, RuntimeError):
            rule, fix = "step takes the measure of the epoch, one number", "scheduler.step(loss.item())"
            raise ArgumentTypeError(f"step({kind_of(metrics)})", rule, fix, value=metrics) from None
        self.last_epoch = self.last_epoch + 1 if epoch is None else deprecated(epoch)
        if self._is_better(current, self.best):
            self.best, self.num_bad_epochs = current, 0
        else:
            self.num_bad_epochs += 1
        if self.in_cooldown:
            self.cooldown_counter -= 1
            self.num_bad_epochs = 0
        if self.num_bad_epochs > self.patience:
            self._reduce_lr(self.last_epoch)
            self.cooldown_counter, self.num_bad_epochs = self.cooldown, 0
        self._last_lr = settings_of(self.optimizer, "lr")

    def _reduce_lr(self, epoch: float) -> None:
        groups = self.optimizer.param_groups
        if len(groups) != len(self.min_lrs):
            if self.default_min_lr is None:
                was = f"{len(self.min_lrs)} min_lrs for {len(groups)} groups"
                rule = "the number of groups differs from when ReduceLROnPlateau was made: each has a min_lr of its own"
                raise StateError(was, rule, "scheduler.min_lrs.append(0) for each group that was added")
            self.min_lrs = [self.default_min_lr] * len(groups)
        for group, least in zip(groups, self.min_lrs, strict=True):
            rate = max(float(group["lr"]) * self.factor, least)
            if float(group["lr"]) - rate > self.eps:
                set_value(group, "lr", rate)

    def _is_better(self, current: float, best: float) -> bool:
        sign = 1 if self.mode == "min" else -1
        if self.threshold_mode == "rel":
            return sign * current < sign * best * (1 - sign * self.threshold)
        return sign * current < sign * best - self.threshold
