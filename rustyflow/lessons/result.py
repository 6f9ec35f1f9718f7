"""Result: what a check says about an answer."""

import os
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps

WIDTH = 88


@dataclass(frozen=True)
class Result:
    """A text for the student and a score from 0 to 1 for whoever counts.

    In a notebook the text is shown. Where nbgrader runs it (to grade, or behind its Validate button) the score is,
    since nbgrader gives part of a cell's points when the cell ends in a number: give a check's cell one point.
    Source: https://nbgrader.readthedocs.io/en/stable/user_guide/creating_and_grading_assignments.html

    >>> import rustyflow as rf
    >>> rf.lessons.Result("Right.", 1)
    Right.
    >>> float(rf.lessons.Result("Not attempted yet.", 0))
    0.0
    """

    text: str
    score: float

    def __float__(self) -> float:
        return float(self.score)

    def __repr__(self) -> str:
        return repr(float(self)) if os.environ.get("NBGRADER_EXECUTION") else self.text


def prose(words: str, indent: str = "") -> str:
    """Words filled into lines that fit beside a figure; lines that begin with a space are code and stay as they are."""
    fill = textwrap.TextWrapper(WIDTH, initial_indent=indent, subsequent_indent=indent, break_long_words=False).fill
    return "\n".join(line if line.startswith(" ") else fill(line) for line in words.splitlines())


def kindly(check: Callable[..., Result]) -> Callable[..., Result]:
    """A check that meets an answer it cannot even look at says so, and raises nothing."""

    @wraps(check)
    def checked(*args, **kwargs) -> Result:
        try:
            return check(*args, **kwargs)
        except Exception as problem:
            return Result(f"This answer cannot be read ({type(problem).__name__}). Give plain numbers or a tuple.", 0)

    return checked
