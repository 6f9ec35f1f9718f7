"""LRScheduler: what all schedulers do, and what their arguments may be."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from numbers import Real
from typing import Any, TypeVar

from ...errors import AbsentError, AbsentKey, ArgumentTypeError, ArgumentValueError, warn
from ...errors.foreign import kind_of
from ...tensor import Tensor
from ..optimizer import Optimizer

Scheduler = TypeVar("Scheduler", bound="LRScheduler")


class LRScheduler:
    """The base of schedulers: `step()` after each epoch gives every group of the optimizer its next learning rate.

    A scheduler of your own writes `get_lr`: the rate of each group, from `base_lrs` and `last_epoch`; and, if it likes,
    `_get_closed_form_lr`, which `step(epoch)` asks in its place.

    Attributes:
        base_lrs: the first rate of each group. last_epoch: the epoch that has begun.

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

    _get_lr_called_within_step = False
    _is_initial = False

    def __init__(self, optimizer: Optimizer, last_epoch: int = -1):
        self.optimizer = need_optimizer(optimizer)
        need_number("last_epoch", last_epoch, -1)
        for k, group in enumerate(optimizer.param_groups):
            if last_epoch != -1 and "initial_lr" not in group:
                rule = f"param 'initial_lr' is not specified in param_groups[{k}] when resuming an optimizer"
                raise AbsentKey(f"last_epoch={last_epoch}", rule, "optimizer.load_state_dict(...) first")
            group.setdefault("initial_lr", copied(group["lr"]))
        self.base_lrs = settings_of(optimizer, "initial_lr")
        self.last_epoch = last_epoch
        self._initial_step()

    def _initial_step(self) -> None:
        """Begin the first epoch, or the one that follows `last_epoch`."""
        self._step_count, self._is_initial = 0, True
        try:
            self.step()
        finally:
            self._is_initial = False

    def get_lr(self) -> list[Any]:
        """The learning rate of each group in the epoch that begins; every scheduler writes its own.

        Raises:
            NotImplementedError: it has none.
        """
        fix = "def get_lr(self): return [begin * 0.9**self.last_epoch for begin in self.base_lrs]"
        raise AbsentError(f"{type(self).__name__} without get_lr", "get_lr gives the rate of each group", fix)

    def get_last_lr(self) -> list[Any]:
        """The learning rates that were set last."""
        return self._last_lr

    def step(self, epoch: float | None = None) -> None:
        """Begin the next epoch; with `epoch`, which PyTorch deprecates, begin that one.

        Raises:
            TypeError: an epoch that is no number. ValueError: a group that was added later, where it has no rate.
        """
        if self._step_count == 1:
            self._warn_of_order()
        self._step_count += 1
        self._update_lr(epoch if epoch is None else deprecated(epoch))

    def _update_lr(self, epoch: float | None = None) -> None:
        self.last_epoch = self.last_epoch + 1 if epoch is None else epoch
        self._set_from(self.get_lr if epoch is None else getattr(self, "_get_closed_form_lr", self.get_lr))

    def _set_from(self, ask: Callable[[], Any]) -> None:
        """Give each group the rate that a function of the scheduler has for it."""
        self._get_lr_called_within_step = True
        try:
            rates = ask()
        finally:
            self._get_lr_called_within_step = False
        self._set(rates)

    def _set(self, rates: Any) -> None:
        """Give each group its rate."""
        if not isinstance(rates, Iterable):
            was = f"{type(self).__name__}.get_lr() returned {kind_of(rates)}"
            raise ArgumentTypeError(was, "get_lr returns a list with a rate for each group", "[rate]", value=rates)
        rates, groups = list(rates), self.optimizer.param_groups
        if len(rates) != len(groups):
            raise self._other_groups(len(rates))
        for group, rate in zip(groups, rates, strict=True):
            set_value(group, "lr", need_number("rate", rate))
        self._last_lr = settings_of(self.optimizer, "lr")

    def _other_groups(self, rates: int) -> ArgumentValueError:
        name, groups = type(self).__name__, len(self.optimizer.param_groups)
        rule = f"{name} has a rate for each group that the optimizer had when {name} was made"
        return ArgumentValueError(f"{rates} rates for {groups} groups", rule, "add_param_group(...) before it is made")

    def _warn_of_order(self) -> None:
        if "step" in vars(self.optimizer):
            warn("`optimizer.step()` was overridden after the scheduler was made; call it before `lr_scheduler.step()`")
        elif not self.optimizer.stepped:
            warn(
                "Detected call of `lr_scheduler.step()` before `optimizer.step()`: the first learning rate is skipped;"
                " call them in the opposite order"
            )

    def _warn_outside_of_step(self) -> None:
        if not self._get_lr_called_within_step:
            warn("get_lr() computes the rate that comes next; `get_last_lr()` has the one that was set last")

    def state_dict(self) -> dict[str, Any]:
        """Returns what to keep of it: all but the optimizer."""
        return {name: value for name, value in vars(self).items() if name != "optimizer"}

    def load_state_dict(self, state_dict: Mapping[str, Any]) -> None:
        """Go on from what `state_dict` kept.

        Raises:
            TypeError: no dict.
        """
        vars(self).update(need_dict(state_dict))


class ChainableLR(LRScheduler):
    """A scheduler whose rates follow from those before, so that several may share an optimizer; and a closed form."""

    def get_lr(self) -> list[Any]:
        """The learning rate of each group in the epoch that begins, from the one that it has."""
        self._warn_outside_of_step()
        return [self._next(copied(group["lr"])) for group in self.optimizer.param_groups]

    def _get_closed_form_lr(self) -> list[Any]:
        return [self._at(begin) for begin in self.base_lrs]

    def _next(self, rate: Any) -> Any:
        """The rate in `last_epoch` after this one in the epoch before."""
        raise NotImplementedError

    def _at(self, begin: Any) -> Any:
        """The rate in `last_epoch`, where this one was the first."""
        raise NotImplementedError


def copied(value: Any) -> Any:
    """A setting of its own: the copy of a tensor, which may be written into."""
    return value.clone() if isinstance(value, Tensor) else value


def settings_of(optimizer: Optimizer, name: str) -> list[Any]:
    """A setting of each group.

    Raises:
        AbsentKey (a KeyError): a group has none.
    """
    for k, group in enumerate(optimizer.param_groups):
        if name not in group:
            rule = f"each group has its {name!r}: a scheduler gives it to those that are there when it is made"
            raise AbsentKey(f"group {k} without {name!r}", rule, "optimizer.add_param_group(...) before the scheduler")
    return [copied(group[name]) for group in optimizer.param_groups]


def set_value(group: dict[str, Any], name: str, value: Any) -> None:
    """Change a setting of a group; where it is a tensor, write into that."""
    if isinstance(group[name], Tensor):
        group[name].fill_(value)
    else:
        group[name] = value


def one_for_each(optimizer: Optimizer, name: str, value: Any) -> list[Any]:
    """A value for each group, of one for all or of as many.

    Raises:
        ArgumentValueError (a ValueError): another number of values. ArgumentTypeError (a TypeError): no numbers.
    """
    many = len(optimizer.param_groups)
    values = list(value) if isinstance(value, (list, tuple)) else [value] * many
    if len(values) != many:
        rule = f"Expected {many} {name}, but got {len(values)}: one for all groups, or one for each of them"
        raise ArgumentValueError(f"{len(values)} {name} for {many} groups", rule, f"{name} of {many} values")
    return [copied(need_number(name, one)) for one in values]


def need_optimizer(given: Any) -> Optimizer:
    """The optimizer that a scheduler is made for, after its check.

    Raises:
        ArgumentTypeError (a TypeError): no optimizer.
    """
    if not isinstance(given, Optimizer):
        kind, fix = kind_of(given), "optim.SGD(model.parameters(), lr=0.1)"
        raise ArgumentTypeError(kind, f"{kind} is not an Optimizer", fix, value=given)
    return given


def need_number(name: str, value: Any, example: Any = 0.1) -> Any:
    """A number, or a tensor of one, after its check.

    Raises:
        ArgumentTypeError (a TypeError): none.
    """
    if not isinstance(value, Real) and not (isinstance(value, Tensor) and value.numel() == 1):
        was, rule = f"{name}={value!r:.60}", f"{name} is a number"
        if isinstance(value, Optimizer):
            was, rule = f"{name}={kind_of(value)}", f"{rule}, and the optimizer is the first argument"
        raise ArgumentTypeError(was, rule, f"{name}={example}", value=value)
    return value


def need_epochs(name: str, value: Any) -> Any:
    """A number of epochs, after its check.

    Raises:
        ArgumentValueError (a ValueError): one below 1. ArgumentTypeError (a TypeError): none.
    """
    if isinstance(value, bool) or need_number(name, value, 10) < 1:
        raise ArgumentValueError(f"{name}={value!r:.60}", f"{name} is a number of epochs, from 1 on", f"{name}=10")
    return value


def need_dict(state_dict: Any) -> Mapping[str, Any]:
    """The state that a scheduler goes on from, after its check.

    Raises:
        ArgumentTypeError (a TypeError): no dict.
    """
    if not isinstance(state_dict, Mapping):
        rule, fix = "a scheduler's state is a dict", "what scheduler.state_dict() gave"
        raise ArgumentTypeError(f"load_state_dict({kind_of(state_dict)})", rule, fix, value=state_dict)
    return state_dict


def deprecated(epoch: Any) -> float:
    """The epoch that `step` is given, after its check and PyTorch's warning.

    Raises:
        ArgumentTypeError (a TypeError): no number.
    """
    if not isinstance(epoch, Real) and not (isinstance(epoch, Tensor) and epoch.numel() == 1):
        rule = "step takes nothing, or the number of an epoch; ReduceLROnPlateau's takes a measure"
        raise ArgumentTypeError(f"step({epoch!r:.60})", rule, "scheduler.step()", value=epoch)
    warn(
        "The epoch parameter in `scheduler.step()` is deprecated: it sets the rate of that epoch, by the closed form"
        " where there is one; write scheduler.step() after each epoch"
    )
    return epoch.item() if isinstance(epoch, Tensor) else epoch


def documented(
    summary: str, example: str, rates: str, raises: str = "TypeError: no optimizer."
) -> Callable[[type[Scheduler]], type[Scheduler]]:
    """The docstring of a scheduler: what it does, and the rates of its first epochs."""

    def decorate(kind: type[Scheduler]) -> type[Scheduler]:
        kind.__doc__ = f"""{summary}

    Raises:
        {raises}
    Source: https://pytorch.org/docs/stable/generated/torch.optim.lr_scheduler.{kind.__name__}.html

    Example:
        >>> import rustyflow as rf
        >>> optimizer = rf.optim.SGD([rf.ones(1, requires_grad=True)], lr=1.0)
        >>> scheduler = rf.optim.lr_scheduler.{kind.__name__}(optimizer, {example})
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
