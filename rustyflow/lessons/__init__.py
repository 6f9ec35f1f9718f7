"""Exercises and their checks: one module for each lesson, named as its notebook is.

    from rustyflow.lessons import one_line_of_memory as check

    check.which_slot             # shows a question in front of its figure; a key, a click, or pointing answers
    check.which_slot("B")        # the same in code; so do "(b)", the answer itself and its words
    check.which_slot.after()     # in a cell that would tell: stops it, and Run All, until there is a guess

    shape = ...                  # elsewhere a student replaces every ... by an answer
    check.find_the_layout(shape, (4, 1), 0)

A check called with an answer never raises: it returns a `Result`, whose text says what is wrong and which misconception
fits, and whose score (`float(result)`, 0 to 1) is what nbgrader reads. A question alone remembers: its score is that of
the first guess, `float(check.which_slot)`. What should have been answered is told to one who asks, with `show=True`.
Three kinds:

* `Question`: choose; every wrong choice is computed from the misconception that leads to it, and played out.
* `Blanks`: fill in values.
* `Exercise`: write a function; it is tried on its docstring's example, then on random cases, plain ones first.

A lesson's notebook is committed executed: `python -m rustyflow.lessons.execute NOTEBOOK` brings it into that state.

No right answer is stored, not even hashed: the key of a check is a function that runs the library on the check's case,
and the choices stand in an order drawn from the text of the question. Only a function to write has a model
beside its key, in `models`, for one who asks to see it.

A function that passes its check is kept in the student's copy, and `mine` brings it into a later lesson:

    from rustyflow.lessons import mine

    mine.sum_to(g, (3, 1))       # the student's own lines of lesson 11; the course's where they did not pass
"""

import re
from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from .kit.answers.misconception import Misconception
from .kit.answers.result import Result
from .kit.exercises.blanks import Blank, Blanks
from .kit.exercises.exercise import Exercise
from .kit.questions.question import Question
from .own_lines import Mine, Written

__all__ = ["Blank", "Blanks", "Exercise", "Misconception", "Question", "Result", "checks_of", "mine"]


def checks_of(lesson: str) -> dict[str, Blanks | Exercise | Question]:
    """The checks of a lesson by name, for what counts them.

    Args:
        lesson: the module of the lesson, in this room.

    Raises:
        ModuleNotFoundError: there is no such lesson.

    Example:
        >>> import rustyflow as rf
        >>> list(rf.lessons.checks_of("start_here"))
        ['how_far', 'first_try']
    """
    known = vars(import_module(f".{lesson}", __name__)).items()
    return {name: check for name, check in known if isinstance(check, Blanks | Exercise | Question)}


@cache
def _written() -> dict[str, Written]:
    """The functions that the course asks for, by name; those of the first hour are those of lessons."""
    found = {}
    for part in iter_modules(__path__):
        number = re.search(r"lesson (\d+)", import_module(f".{part.name}", __name__).__doc__ or "")
        for name, check in checks_of(part.name).items() if number else ():
            if isinstance(check, Exercise):
                found[name] = Written(check, number[1])
    return found


mine = Mine(_written)
