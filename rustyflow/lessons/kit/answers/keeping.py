"""Keeping: the lines that passed a check, in files of the student's copy, for a later lesson.

Each function has a file of its own, with all that it uses.

Nothing is written over: what a new function takes the place of stays beside it, under a dated name.
"""

import os
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, NamedTuple

from . import call as running, progress
from .pytorch import by_what_comes
from .standalone import Dependent, defined, standalone

FOLDER = Path(".rustyflow", "mine")
"""In a copy of the course: a file for each function, named as it is."""
CASES = 4
"""So many cases of its check a function passes once more, alone."""
SECONDS = 2.0
"""The time that a kept file has to define its function."""

passed: dict[str, Callable[..., Any]] = {}
"""The functions that passed their check in this kernel, by the check's name."""


class Unrunnable(Exception):
    """A text that defines no function that can be called: why, in a line."""


class Own(NamedTuple):
    """A student's function, or None; and a fault of the file that should have it, or ""."""

    function: Callable[..., Any] | None = None
    fault: str = ""


def keep(check: Any, function: Any) -> str:
    """Keep a function that passed its check.

    Returns a line for the student where there is something to say: why it is kept for this kernel alone.
    """
    passed[check.name] = by_what_comes(function)
    try:
        if (home := progress.copy_at_work()) is None:
            return ""
        lesson, _ = progress.place_of(check)
        text = _alone(check, function)
        place = home / FOLDER / f"{check.name}.py"
        place.parent.mkdir(exist_ok=True)
        with progress.alone(place.with_suffix(".lock")):
            text = f"# Passed check.{check.name} of {lesson}; mine.{check.name} is this.\n\n{text}"
            if not (place.is_file() and place.read_bytes() == text.encode()):
                progress.put(place, text, aside=os.path.lexists(place))
        return ""
    except LookupError:
        return ""
    except Dependent as problem:
        return f"It is not kept for later lessons, since it cannot run alone: {problem}."
    except Exception as problem:  # a full disk, a folder that may only be read: no reason to stop a lesson
        return f"It is not kept for later lessons: {getattr(problem, 'strerror', None) or problem}."


def own(name: str) -> Own:
    """The student's function of a name: of this kernel, else the newest one in their copy that can be run."""
    if name in passed:
        return Own(passed[name])
    fault = ""
    for place in _files(name):
        try:
            return Own(_loaded(place.read_text(encoding="utf-8"), name, str(place)), fault)
        except Exception as problem:
            fault = fault or f"{FOLDER.as_posix()}/{place.name} cannot be run ({_why(problem):.120})"
    return Own(None, fault)


def _alone(check: Any, function: Any) -> str:
    """The text of a function, which has passed cases of its check by itself.

    Raises:
        Dependent: it passes with what is in the notebook only.
    """
    text = standalone(function, check.name)
    if not passes_alone(check, text):
        raise Dependent("with nothing but its own lines it gives another result. Does it change what is outside of it?")
    return text


def passes_alone(check: Any, text: str) -> bool:
    """True if what a text defines passes cases of its check.

    Raises:
        Dependent: the text cannot be run.
    """
    try:
        return replace(check, many=CASES).tried(_loaded(text, check.name, f"<{check.name}>")).score == 1
    except Exception as problem:
        raise Dependent(_why(problem)) from None


def _why(problem: Exception) -> str:
    """The words of an error, with its kind where they come from Python."""
    if isinstance(problem, Unrunnable):
        return str(problem)
    return getattr(problem, "strerror", None) or f"{type(problem).__name__}: {problem}"


@lru_cache(64)
def _loaded(text: str, name: str, file: str) -> Callable[..., Any]:
    """The function that a text defines, which may hold anything by now."""
    made = running.call(partial(defined, text, name, file), (), SECONDS)
    if made.problem:
        raise Unrunnable(" ".join(made.problem.removeprefix(running.STOPPED).split())[:200])
    return by_what_comes(made.value)


def _files(name: str) -> Iterator[Path]:
    """The files that may have a function, the newest first."""
    if (home := progress.copy_at_work()) is not None:
        folder = home / FOLDER
        older = sorted(folder.glob(f"{name}-*.py"), key=_moment, reverse=True)
        yield from (path for path in (folder / f"{name}.py", *older) if os.path.lexists(path))


def _moment(path: Path) -> list[int]:
    """The date in a file's name, and which of that minute it is."""
    return [int(digits) for digits in re.findall(r"\d+", path.stem.partition("-")[2])]
