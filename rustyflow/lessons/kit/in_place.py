"""InPlace: a function to write that changes what it is given, as an optimizer's step does."""

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any

from ...tensor import Tensor
from ...tensor.gradmode import is_grad_enabled
from . import call as running
from .answer import same
from .call import Call
from .exercise import Exercise


class InPlace(Exercise):
    """An exercise whose answer is what the tensors of the first argument hold afterwards, whatever is given back.

    Its key, and what a misconception answers, change them, too, and give a copy of them back: `after` makes such a one.
    It counts what was handed in: another tensor in the list is none of them. They have to learn on afterwards.

    >>> from rustyflow.lessons import a_layer_and_a_step as check
    >>> check.step(check.step.model)
    step is right: 40 cases of 40.
    """

    def _call(self, function: Callable[..., object], seed: int | None, seconds: float) -> Call:
        given = tuple(self.numbers(seed).values())
        tensors, enabled = [*given[0]], [True]
        grads = [x.grad if x.grad is None else x.grad.clone() for x in tensors]

        @wraps(function)
        def watched(*arguments: object) -> object:
            value = function(*arguments)
            enabled[0] = is_grad_enabled()  # of this thread, in which it ran
            return value

        made = running.call(watched, given, max(seconds, 0))
        if made.problem:
            return made
        spoilt = not all(same(x.grad, before) for x, before in zip(tensors, grads, strict=True))
        return made._replace(value=Held(tensors, enabled[0]), changed="the gradients" if spoilt else "")

    def fault(self, value: object, seed: int | None) -> str:
        """Why a value is not right for a case: what it holds, or that it could not learn on."""
        return super().fault(value, seed) or getattr(value, "stuck", "")


class Held(list):
    """The numbers that tensors hold.

    Args:
        tensors: they. enabled: whether operations are still recorded.
    """

    def __init__(self, tensors: Sequence[Tensor], enabled: bool = True):
        super().__init__(x.detach().clone() for x in tensors)
        asks = next((k for k, x in enumerate(tensors) if not (x.requires_grad and x.is_leaf)), None)
        self.stuck = "" if enabled else "nothing is recorded any more, so that no later loss has a gradient"
        if asks is not None:
            self.stuck = f"number {asks} of the tensors asks for no gradient any more: the next step would have none"


def after(change: Callable[..., Any]) -> Callable[..., list[Tensor]]:
    """Makes an answer of a function that changes the tensors of its first argument.

    >>> import rustyflow as rf
    >>> after(lambda tensors: [x.zero_() for x in tensors])([rf.ones(2)])
    [tensor([0., 0.])]
    """

    def answer(*given: Any, **named: Any) -> list[Tensor]:
        change(*given, **named)
        return Held((*given, *named.values())[0])

    return answer
