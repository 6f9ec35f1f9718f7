"""Cases for questions in numbers: none of the choices is right more often because of its size."""

from collections.abc import Callable, Mapping
from random import Random
from typing import Any


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
