"""Handing in: the functions of a lesson that passed, as a notebook that a teacher can run."""

import json
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from ..answers import keeping, progress
from ..answers.result import Result, prose
from ..answers.standalone import Dependent, standalone
from .exercise import Exercise


def handing_in(room: str) -> Callable[[], Result]:
    """Makes `check.hand_in` of a lesson.

    Args:
        room: the lesson's module, by its whole name.
    """

    def hand_in() -> Result:
        """Writes `handed-in/LESSON.ipynb`: each function of this lesson that passed, and the cell that checks it.

        It lies in your copy of the course, or where Python was started. An older one stays beside it, under a dated
        name. What has not passed stands in it as not attempted, so that the points of all are the same.

        Returns:
            What is in it, with the share of the lesson's functions that passed as its score.
        """
        return _handed_in(room)

    hand_in.__module__ = room
    return hand_in


def _handed_in(room: str) -> Result:
    lesson = room.rpartition(".")[2]
    checks = {name: c for name, c in vars(sys.modules[room]).items() if isinstance(c, Exercise)}
    texts = {name: text for name, check in checks.items() if (text := _passed(check))}
    home = progress.copy_at_work() or Path.cwd()
    place = home / "handed-in" / f"{lesson}.ipynb"
    try:
        place.parent.mkdir(exist_ok=True)
        text = _notebook(lesson, {name: texts.get(name, f"{name} = ...") for name in checks})
        if not (place.is_file() and place.read_bytes() == text.encode()):
            progress.put(place, text, aside=os.path.lexists(place))
    except OSError as problem:
        return Result(f"Nothing was written: {problem.strerror or problem}.", 0.0)
    said = [f"handed-in/{place.name} is written. Give it to your teacher."]
    said += [f"  {name:<16} {'passed' if name in texts else 'not passed yet'}" for name in checks]
    if len(texts) < len(checks):
        said.append("Pass its check first, then write check.hand_in() once more.")
    return Result(prose("\n".join(said)), len(texts) / max(len(checks), 1))


def _passed(check: Exercise) -> str:
    """The text of a student's function that passes alone; "" where there is none."""
    function = keeping.own(check.name).function
    try:
        text = standalone(function, check.name) if function is not None else ""
        return text.rstrip() if text and keeping.passes_alone(check, text) else ""
    except Dependent:
        return ""


def _notebook(lesson: str, functions: dict[str, str]) -> str:
    """A notebook with a cell for each function, and one that checks it, marked as nbgrader marks them."""
    start = "import rustyflow as torch\nfrom rustyflow import ir, show\n"
    start += f"from rustyflow.lessons import {lesson} as check"
    cells = [_cell("start", start, locked=True), *(cell for pair in functions.items() for cell in _graded(*pair))]
    kernel = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
    book = {"cells": cells, "metadata": kernel, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(book, indent=1, ensure_ascii=False) + "\n"


def _graded(name: str, text: str) -> Iterator[dict[str, Any]]:
    """The cell of a function, and the cell that gives it a point."""
    yield _cell(name, text, solution=True)
    yield _cell(f"{name}-check", f"check.{name}({name})", grade=True, locked=True, points=1)


def _cell(name: str, source: str, **flags: Any) -> dict[str, Any]:
    """A code cell with what nbgrader notes of it."""
    nbgrader = {"schema_version": 3, "grade": False, "solution": False, "locked": False, "task": False,
                "grade_id": name} | flags  # fmt: skip
    return {"cell_type": "code", "id": name.replace("_", "-"), "metadata": {"nbgrader": nbgrader}, "outputs": [],
            "execution_count": None, "source": source.splitlines(keepends=True)}  # fmt: skip
