"""InPlace: a function to write that changes what it is given, as an optimizer's step does."""

from collections.abc import Callable, Sequence
from typing import Any

from ....tensor import Tensor, is_grad_enabled
from ..answers import call as running
from ..answers.answer import same
from ..answers.call import Call
from .exercise import Exercise


class InPlace(Exercise):
    """An exercise whose answer is what the tensors of the first argument hold afterwards, whatever is given back.

    Its key, and what a misconception answers, change them, too, and give a copy of them back: `after` makes such a one.

    >>> from rustyflow.lessons import a_layer_and_a_step as check
    >>> check.step(check.step.model)
    step is right: 40 cases of 40.
    """

    def _call(self, function: Callable[..., object], seed: int | None, seconds: float) -> Call:
        case = self.numbers(seed)
        name, *_ = case
        given = tuple(case.values())
        tensors = list(given[0])  # what the caller holds, whatever becomes of the list
        asked = [t.requires_grad for t in tensors]
        grads = [None if t.grad is None else t.grad.clone() for t in tensors]
        recording: list[bool] = []
        made = running.call(function, given, max(seconds, 0), lambda: recording.append(is_grad_enabled()),
                            whole=running.PATIENCE)  # fmt: skip
        if made.problem:
            return made
        now = list(given[0]) if isinstance(given[0], Sequence) else []
        other = [k for k, t in enumerate(tensors) if k >= len(now) or now[k] is not t]
        cut = [k for k, t in enumerate(tensors) if t.requires_grad != asked[k] or not t.is_leaf]
        if other:
            problem = (f"{name}[{other[0]}] is another tensor now. Only the list has it: the old one, which its owner "
                       "keeps, has not moved.")  # fmt: skip
        elif cut:
            problem = f"{name}[{cut[0]}] asks for no gradient any more: the next backward finds nothing to go to."
        elif not all(recording):
            problem = "It leaves gradients switched off: what runs next is not recorded. Below a with they come back."
        else:
            spoilt = [k for k, t in enumerate(tensors) if not same(t.grad, grads[k])]
            return made._replace(value=_held(tensors), changed=f"{name}[{spoilt[0]}].grad" if spoilt else "")
        return made._replace(problem=problem)


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
