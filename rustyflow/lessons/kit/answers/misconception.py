"""Misconception: a belief that leads, by way of a function, to a wrong answer."""

import ast
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from .answer import same


class Misconception(NamedTuple):
    """A belief of somebody's, why it is not so, and what the belief answers for a case.

    Args:
        belief: in the words of one who holds it.
        truth: a sentence or two against it.
        answer: takes the case as the key does, and returns what follows from the belief.
        seen: whether the belief shows in the source of a function, for where no value of it does; takes its tree.
    """

    belief: str
    truth: str
    answer: Callable[..., Any]
    seen: Callable[[ast.AST], bool] | None = None

    def __str__(self) -> str:
        return f'This is what follows from "{self.belief}". {self.truth}'


def believed(misconceptions: Iterable[Misconception], case: dict[str, Any], answer: object) -> Misconception | None:
    """The first misconception whose answer in this case is the given one."""
    return next((m for m in misconceptions if same(answer, m.answer(**case))), None)
