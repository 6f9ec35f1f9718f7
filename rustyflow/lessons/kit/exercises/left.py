"""Left: a function to write that leaves gradients in what it is given, as a step of training does."""

from collections.abc import Callable
from typing import Any

from ....tensor import Tensor
from ..answers import call as running
from ..answers.answer import same
from ..answers.call import Call
from .exercise import Exercise, written_over


class Left(Exercise):
    """An exercise whose answer is what the `.grad` of its tensors holds afterwards, whatever is given back.

    Its key and the answers of misconceptions run backward, too, and give these gradients back: `left` makes such ones.

    >>> from rustyflow.lessons import who_cut_the_graph as check
    >>> check.pull(check.pull.model)
    pull is right: 40 cases of 40.
    """

    def _call(self, function: Callable[..., object], seed: int | None, seconds: float) -> Call:
        given = self.numbers(seed)
        made = running.call(function, tuple(given.values()), max(seconds, 0), whole=running.PATIENCE)
        before = self.numbers(seed)
        changed = [name for name in given if not same(_held(given[name]), _held(before[name]))]
        if made.problem:
            return made
        found, wrote = gradients(*given.values()), written_over(given, before)
        return made._replace(value=found, changed=next(iter(changed), ""), wrote=wrote)

    def fault(self, value: Any, seed: int | None) -> str:
        """Why gradients are not those that a case should leave; empty where they are."""
        case = self.numbers(seed)
        names = [name for name, x in case.items() if isinstance(x, Tensor)]
        for name, got, key in zip(names, value, self.key(**case), strict=True):
            if key is None and got is not None:
                return f"{name}.grad holds something, and should be None"
            if got is None and key is not None:
                return f"{name}.grad is None: nothing came to it"
            if not same(got, key):
                return f"{name}.grad holds other numbers than it should"
        return ""


def left(change: Callable[..., Any]) -> Callable[..., list[Tensor | None]]:
    """Makes an answer of a function that runs backward.

    >>> import rustyflow as rf
    >>> left(lambda x: (x * 3).sum().backward())(rf.ones(2, requires_grad=True))
    [tensor([3., 3.])]
    """

    def answer(*given: Any, **named: Any) -> list[Tensor | None]:
        change(*given, **named)
        return gradients(*given, *named.values())

    return answer


def gradients(*given: Any) -> list[Tensor | None]:
    """The gradients that tensors hold, each a copy."""
    tensors = [x for x in given if isinstance(x, Tensor)]
    return [None if x.grad is None else x.grad.detach().clone() for x in tensors]


def _held(value: Any) -> Any:
    """The content of an argument: of a tensor its numbers, and if it wants a gradient."""
    return (value.requires_grad, value.detach()) if isinstance(value, Tensor) else value
