"""SequentialLR: schedulers one after the other."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from typing import Any

from ...errors import AbsentError, AbsentKey, ArgumentTypeError, ArgumentValueError
from ...errors.foreign import kind_of
from ..optimizer import Optimizer
from .base import LRScheduler, need_dict, need_number, need_optimizer, set_value, settings_of
from .plateau import ReduceLROnPlateau


class SequentialLR(LRScheduler):
    """Schedulers one after the other: the next one begins at each milestone.

    Raises:
        ValueError: no schedulers, as many milestones, a ReduceLROnPlateau, schedulers of another optimizer.
        NotImplementedError: a milestone at which a SequentialLR would begin; the first scheduler may be one.
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
        _check(need_optimizer(optimizer), schedulers, milestones)
        self._schedulers, self._milestones = schedulers, milestones
        self.last_epoch, self.optimizer = last_epoch + 1, optimizer
        for group, begin in zip(optimizer.param_groups, settings_of(optimizer, "initial_lr"), strict=True):
            set_value(group, "lr", begin)
        _undo(self)
        first = schedulers[bisect_right(milestones, 0)]
        first._initial_step()
        self._last_lr = first.get_last_lr()

    def get_lr(self):
        """A SequentialLR asks its schedulers for their rates, and has none of its own to begin with.

        Raises:
            NotImplementedError: always.
        """
        rule = "a SequentialLR cannot begin at a milestone of another one, nor is it asked for the next rate"
        fix = "one SequentialLR of all schedulers, with all milestones; get_last_lr() for the rate"
        raise AbsentError("a rate of SequentialLR itself", rule, fix)

    def step(self) -> None:
        """Begin the next epoch, at a milestone that of the next scheduler."""
        self.last_epoch += 1
        which = bisect_right(self._milestones, self.last_epoch)
        if which and self._milestones[which - 1] == self.last_epoch:
            self._schedulers[which]._update_lr(0)
        else:
            self._schedulers[which].step()
        self._last_lr = self._schedulers[which].get_last_lr()

    def state_dict(self) -> dict[str, Any]:
        """Returns what to keep of it, with the schedulers'."""
        kept = super().state_dict()
        del kept["_schedulers"]
        return kept | {"_schedulers": [one.state_dict() for one in self._schedulers]}

    def load_state_dict(self, state_dict: Mapping[str, Any]) -> None:
        """Go on from what `state_dict` kept.

        Raises:
            ValueError: that of another number of schedulers. KeyError: none of schedulers. TypeError: no dict.
        """
        schedulers, kept = self._schedulers, need_dict(state_dict).get("_schedulers")
        if kept is None:
            was, rule = "a state without '_schedulers'", "a SequentialLR's state has that of each scheduler"
            raise AbsentKey(was, rule, "what scheduler.state_dict() gave")
        if len(kept) != len(schedulers):
            was = f"states of {len(kept)} schedulers for {len(schedulers)}"
            raise ArgumentValueError(was, "each scheduler has a state", "a SequentialLR of as many schedulers")
        super().load_state_dict(state_dict)
        self._schedulers = schedulers
        for one, state in zip(schedulers, kept, strict=True):
            one.load_state_dict(state)


def _check(optimizer: Optimizer, schedulers: Any, milestones: Any) -> None:
    """Refuse what cannot follow one another."""
    for name, value in ("schedulers", schedulers), ("milestones", milestones):
        if not isinstance(value, Sequence) or isinstance(value, str):
            fix = "[first, second], milestones=[5]"
            raise ArgumentTypeError(f"{name}={value!r:.60}", f"{name} is a list", fix, value=value)
    for one in milestones:
        need_number("milestones", one, [5])
    if not schedulers:
        rule = "SequentialLR expects at least one scheduler, but got no scheduler."
        raise ArgumentValueError("no schedulers", rule, "[first, second], milestones=[5]")
    for k, one in enumerate(schedulers):
        name = type(one).__name__
        if not hasattr(one, "optimizer"):
            rule = f"SequentialLR at index {k} should have `optimizer` as its attribute: a scheduler"
            raise ArgumentTypeError(kind_of(one), rule, "ExponentialLR(optimizer, 0.9)", value=one)
        if isinstance(one, ReduceLROnPlateau):
            rule = "SequentialLR does not support `ReduceLROnPlateau` scheduler: its step() needs a measure"
            raise ArgumentValueError(f"{name} at index {k}", rule, "plateau.step(loss), beside the sequence")
        if one.optimizer is not optimizer:
            rule = "SequentialLR expects all schedulers to belong to the same optimizer"
            raise ArgumentValueError(f"{name} at index {k}", rule, "the optimizer that they were made for")
    if len(milestones) != len(schedulers) - 1:
        raise ArgumentValueError(
            f"{len(schedulers)} schedulers, {len(milestones)} milestones",
            "Sequential Schedulers expects number of schedulers provided to be one more than the number of milestone "
            "points",
            f"{len(schedulers) - 1} milestones",
        )


def _undo(scheduler: LRScheduler) -> None:
    """Take back the epoch that each scheduler began when it was made, those in sequences of sequences too."""
    if isinstance(scheduler, SequentialLR):
        for one in scheduler._schedulers:
            _undo(one)
    else:
        scheduler.last_epoch -= 1
