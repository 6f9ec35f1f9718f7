"""Result: what a check says about an answer."""

import os
import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import wraps
from typing import Any

from ....errors.spelling import printed
from ....scene import figure
from . import progress
from .answer import untouched
from .card import Own, card

WIDTH = 88


@dataclass(frozen=True)
class Result:
    """A text for the student and a score from 0 to 1 for whoever counts.

    In a notebook the text is shown on a card, with the student's `own` numbers where one of them is wrong. Where
    nbgrader runs it (to grade, or behind its Validate button) the score is, since nbgrader gives part of a cell's
    points when the cell ends in a number: give a check's cell one point.
    Source: https://nbgrader.readthedocs.io/en/stable/user_guide/creating_and_grading_assignments.html

    >>> import rustyflow as rf
    >>> rf.lessons.Result("Right.", 1)
    Right.
    >>> float(rf.lessons.Result("Not attempted yet.", 0))
    0.0
    """

    text: str
    score: float
    own: Own | None = None

    def __float__(self) -> float:
        return float(self.score)

    def beside(self, line: str) -> "Result":
        """The same with a line more, if there is one."""
        return replace(self, text=f"{self.text}\n\n{line}") if line else self

    def _repr_html_(self) -> str | None:
        """The card; a committed lesson and a grader have the text alone."""
        plain = figure.is_static() or os.environ.get("NBGRADER_EXECUTION")
        return None if plain else card(self.text, self.score, self.own)

    def __repr__(self) -> str:
        return repr(float(self)) if os.environ.get("NBGRADER_EXECUTION") else printed(self.text)


def prose(words: str, indent: str = "") -> str:
    """Words filled into lines that fit beside a figure.

    Lines that begin with a space are code and stay as they are.
    """
    fill = textwrap.TextWrapper(WIDTH, initial_indent=indent, subsequent_indent=indent, break_long_words=False).fill
    return "\n".join(line if line.startswith(" ") else fill(line) for line in words.splitlines())


def requested(hints: Sequence[str], number: int, call: str) -> str:
    """The first hints, and how to ask for what comes next: another one or, after the last, the answer.

    >>> print(requested(["Draw it."], 1, "check.trap(trap"))
    Hint 1 of 1: Draw it.
    <BLANKLINE>
    To see the answer: check.trap(trap, show=True)
    """
    given = hints[: max(number, 0)]
    told = [prose(f"Hint {n} of {len(hints)}: {hint}") + "\n" for n, hint in enumerate(given, 1)]
    if len(given) == len(hints):
        return "\n".join([*told, f"To see the answer: {call}, show=True)"])
    which = "For the next one" if given else "For a hint"
    return "\n".join([*told, f"{which}: {call}, hint={len(given) + 1})"])


def kindly(check: Callable[..., Result]) -> Callable[..., Result]:
    """A check that meets an answer it cannot even look at says so, and raises nothing."""

    @wraps(check)
    def checked(self: Any, *args, **kwargs) -> Result:
        try:
            return check(self, *args, **kwargs)
        except Exception as problem:
            return Result(f"This answer cannot be read ({type(problem).__name__}). Give plain numbers or a tuple.", 0)

    return checked


def noted(check: Callable[..., Result]) -> Callable[..., Result]:
    """A check that remembers what came of each answer; with a seed it is another one, and does not."""

    @wraps(check)
    def checked(self: Any, *args, **kwargs) -> Result:
        result = check(self, *args, **kwargs)
        answers = [*args, *(value for name, value in kwargs.items() if name not in ("seed", "show", "hint"))]
        if kwargs.get("seed") is None and not all(map(untouched, answers)):
            return result.beside(progress.note(self, result.score))
        return result

    return checked
