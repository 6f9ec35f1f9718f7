"""The functions that a student wrote in earlier lessons, brought back by name: `from rustyflow.lessons import mine`."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from ..errors.spelling import printed
from .kit.answers import keeping, progress
from .kit.exercises.exercise import Exercise

PARTS = ("vjp_mul", "vjp_div", "vjp_pow", "topological_order", "sum_to")
"""The functions of which the engine of lesson 12 is put together."""


class Written(NamedTuple):
    """A function that a lesson asks for: its check, and the number of the lesson."""

    check: Exercise
    number: str


class Mine:
    """A student's own functions as attributes; of one that did not pass its check, the course's.

    Shown, it says of each part of the engine whose it is.

    Args:
        written: gives the functions that the course asks for, by name; only asked when one is wanted.

    Raises:
        AttributeError: no lesson asks for a function of that name.

    >>> from rustyflow.lessons import mine
    >>> mine.sum_to.__name__
    'sum_to'
    >>> mine.whose("sum_to").startswith(("yours", "the course's"))
    True
    """

    def __init__(self, written: Callable[[], Mapping[str, Written]]) -> None:
        self._written = written

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name.startswith("_") or name not in self._written():
            known = "" if name.startswith("_") else f"\nThey are: {', '.join(sorted(self._written()))}."
            raise AttributeError(f"mine.{name}: no lesson asks for a function of this name.{known}")
        return keeping.own(name).function or self._written()[name].check.model

    def __dir__(self) -> list[str]:
        return sorted(self._written())

    def __repr__(self) -> str:
        return printed("\n".join(f"{name:<18} {self.whose(name)}" for name in PARTS))

    def whose(self, name: str) -> str:
        """Returns who wrote a function, in words, and what to do where it is not the student."""
        check, number = self._written()[name]
        function, fault = keeping.own(name)
        if function is not None:
            return f"yours, from lesson {number}{fault and f'; an older one, since {fault}'}"
        again = f"run the cell of check.{name} in lesson {number} again"
        if fault:
            return f"the course's: {fault}; {again}"
        if progress.done(check):
            return f"the course's: what you passed with was not kept; {again} (your score stays)"
        return f"the course's: check.{name} of lesson {number} has not been passed yet"
