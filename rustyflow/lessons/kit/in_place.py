"""InPlace: a function to write that changes what it is given, as an optimizer's step does."""

from collections.abc import Callable
from typing import Any

from ...tensor import Tensor
from . import call as running
from .call import Call
from .exercise import Exercise


class InPlace(Exercise):
    """An exercise whose answer is what the tensors of the first argument hold afterwards, whatever is given back.

    Its key, and what a misconception answers, change them, too, and give a copy of them back: `after` makes such a one.

    >>> from rustyflow.lessons import a_layer_and_a_step as check
    >>> check.step(check.step.model)
    step is right: 40 cases of 40.
    """

    def _call(self, function: Callable[..., object], seed: int | None, seconds: float) -> Call:
        given = tuple(self.numbers(seed).values())
        made = running.call(function, given, max(seconds, 0))
        return made if made.problem else made._replace(value=_held(given[0]))


def after(change: Callable[..., Any]) -> Callable[..., list[Tensor]]:
    """Makes an answer of a function that changes the tensors of its first argument.

    >>> import rustyflow as rf
    >>> after(lambda tensors: [x.zero_() for x in tensors])([rf.ones(2)])
    [tensor([0., 0.])]
    """

    def answer(*given: Any, **named: Any) -> list[Tensor]:
        change(*given, **named)
        return _held((*given, *named.values())[0])

    return answer


def _held(tensors: Any) -> list[Tensor]:
    return [tensor.detach().clone() for tensor in tensors]
