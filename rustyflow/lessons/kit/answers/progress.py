"""Progress: which checks a student has done, kept in the copy of the course that they work in.

Nothing is written outside that copy, and nothing at all where no student works: in tests, for a grader, in CI.
A file that is damaged is set aside, never written over, and what can be read of it is kept.
"""

import builtins
import json
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from itertools import count
from pathlib import Path
from typing import Any

from .record import Record, Scores, better, entries, parse

COURSE = Path(".rustyflow", "course.json")
"""In a copy of the course, and in no other folder."""
PROGRESS = Path(".rustyflow", "progress.json")
PATIENCE = 2.0
"""So many seconds another kernel has to write its own answer."""


def note(check: Any, score: float) -> str:
    """Remember what came of an answer.

    A question is done with any guess, an exercise when all of it is right.

    Returns a line for the student where there is something to say: what was set aside, or why nothing is remembered.
    """
    try:
        home = copy_at_work()
        if home is None:
            return ""
        lesson, name = place_of(check)
        with alone(home / PROGRESS.with_suffix(".lock")):
            return _noted(home, lesson, name, {"score": score, "done": score == 1 or hasattr(check, "choices")})
    except LookupError:
        return ""
    except Exception as problem:  # a full disk, a folder that may only be read: no reason to stop a lesson
        return f"This answer is not remembered: {getattr(problem, 'strerror', None) or problem}."


def done(check: Any) -> bool:
    """True if a student has done a check before, in a kernel that was stopped since."""
    try:
        lesson, name = place_of(check)
        home = copy_at_work()
        return home is not None and read(home)[lesson][name]["done"]
    except (LookupError, OSError):
        return False


def read(folder: Path) -> Scores:
    """The scores that are kept in a copy: by lesson and check, the best score and whether it is done."""
    return look(folder).scores


def look(folder: Path) -> Record:
    """The record that is kept in a copy, and what is wrong with the file."""
    place = folder / PROGRESS
    try:
        if place.is_file():
            return parse(place.read_bytes())
        return Record({}, "is no file" if os.path.lexists(place) else "")
    except OSError as problem:
        return Record({}, f"cannot be read: {problem.strerror or problem}")


def _noted(home: Path, lesson: str, name: str, mine: dict[str, Any]) -> str:
    """Put an entry into the file of a copy, in one step; a damaged file stays under another name."""
    place, (scores, fault) = home / PROGRESS, look(home)
    kept, before = len(list(entries(scores))), scores.get(lesson, {}).get(name)
    after = better(before, mine)
    if after == before and not fault:
        return ""
    scores.setdefault(lesson, {})[name] = after
    aside = put(place, json.dumps(scores, indent=1, sort_keys=True), aside=bool(fault))
    if aside is None:
        return ""
    are = "is" if kept == 1 else "are"
    return f"{PROGRESS.as_posix()} {fault}. It is set aside as {aside.name}, and {kept} of its answers {are} kept."


def put(place: Path, text: str, aside: bool) -> Path | None:
    """Write a file in one step; where `aside`, what is there stays under another name, which is returned."""
    draft = place.with_suffix(".writing")
    with draft.open("w", encoding="utf-8", newline="\n") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())  # else a machine that goes off may be left with an empty file under the name
    older = set_aside(place) if aside else None
    os.replace(draft, place)
    return older


def set_aside(place: Path) -> Path:
    """Give a file, even one that may not be read, a dated name that nothing has yet."""
    stem = f"{place.stem}-{datetime.now():%Y-%m-%d-%H%M}"
    names = (f"{stem}{f'-{number}' if number > 1 else ''}{place.suffix}" for number in count(1))
    free = next(path for path in map(place.with_name, names) if not os.path.lexists(path))
    os.rename(place, free)
    return free


@contextmanager
def alone(lock: Path) -> Iterator[None]:
    """One writer at a time: clicks come in a thread of their own, and two lessons have two kernels."""
    end = time.monotonic() + PATIENCE
    while True:
        try:
            os.close(os.open(lock, os.O_CREAT | os.O_EXCL | os.O_WRONLY))
            break
        except FileExistsError:
            if time.monotonic() > end:  # a kernel was killed, and has left it behind
                break
            time.sleep(0.01)
    try:
        yield
    finally:
        lock.unlink(missing_ok=True)


def copy_at_work() -> Path | None:
    """The copy that a student works in, their kernel's folder or one around it; None where none works.

    A teacher's lessons are for one class after another, and remember nothing.
    """
    program = any(os.environ.get(name) for name in ("NBGRADER_EXECUTION", "CI"))
    shell = _shell()
    if program or not (hasattr(builtins, "get_ipython") or hasattr(shell, "kernel")):
        return None
    for start in (Path.cwd(), Path(getattr(shell, "starting_dir", ""))):
        for folder in (start, *start.parents):
            if folder.name == "teacher" and os.path.isfile(folder / "guide.md"):
                return None
            if os.path.isfile(folder / COURSE):
                return folder
    return None


def _shell() -> Any:
    """IPython's shell, if there is one. A kernel's has `kernel`, between cells, too, when a click arrives."""
    get = getattr(sys.modules.get("IPython"), "get_ipython", None)
    return get() if get else None


def place_of(check: Any) -> tuple[str, str]:
    """The lesson's module and the name in it that a check has."""
    room = __package__.partition("kit")[0]
    for name, module in list(sys.modules.items()):
        if name.startswith(room):
            for own, value in list(vars(module).items()):
                if value is check:
                    return name.rpartition(".")[2], own
    raise LookupError("a check of no lesson")
