"""Cases: of questions in numbers, where no choice is right more often for its size, and of functions of tensors."""

from collections.abc import Callable, Mapping
from math import prod
from random import Random
from typing import Any

from ....autograd import grad
from ....dtype import float32
from ....ops.creation import tensor
from ....tensor import Tensor

EIGHTHS = range(-40, 41)
"""A tensor's numbers, in eighths: exact in every dtype, and so are their sums and products."""


def numbers(random: Random, *shape: int, dtype: Any = float32, nonzero: bool = False) -> Tensor:
    """A tensor of numbers that all differ where they can: negative ones, fractions, and mostly a 0 among them.

    >>> numbers(Random(3), 2, 2).shape
    rustyflow.Size([2, 2])
    """
    many = prod(shape)
    drawn = random.sample([n for n in EIGHTHS if n], many) if many < 80 else random.choices(EIGHTHS, k=many)
    if many and not nonzero and random.random() < 0.6:
        drawn[random.randrange(many)] = 0
    return tensor([n / 8 for n in drawn], dtype=dtype).reshape(shape)


def vjp(op: Callable[..., Tensor], g: Tensor | None, *operands: Tensor) -> tuple[Tensor, ...]:
    """The gradients that the engine gives the operands of an operation at which g arrives.

    >>> vjp(lambda a, b: a * b, tensor(10.0), tensor(2.0), tensor(3.0))
    (tensor(30.), tensor(20.))
    """
    leaves = [x.detach().clone().requires_grad_() for x in operands]
    return grad(op(*leaves), leaves, g)


def evenly(check: Any, random: Random, draw: Callable[[], Mapping[str, Any]]) -> Mapping[str, Any]:
    """A drawn case in which all choices differ; by size, the right one has a place that was drawn before.

    >>> from rustyflow.lessons import nudge_it
    >>> case = evenly(nudge_it.what_w_holds, Random(1), lambda: {"weight": 5, "best": 3})
    >>> case["weight"]
    5
    """
    place = random.randrange(len(check.misconceptions) + 1)
    for tries in range(10_000):
        case = draw()
        key = check.key(**case)
        answers = {key, *(m.answer(**case) for m in check.misconceptions)}
        if len(answers) > len(check.misconceptions) and (sorted(answers)[place] == key or tries > 500):
            return case
    raise RuntimeError(f"no case in 10,000 in which the choices differ: {check.ask(**check.case)}")
