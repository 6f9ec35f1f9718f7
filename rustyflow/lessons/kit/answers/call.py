"""Call: a student's function, run with patience, and what became of it."""

import contextlib
import io
import linecache
import sys
import traceback
import warnings
from collections.abc import Callable, Sequence
from math import prod
from typing import NamedTuple

from ....show.calls.budget import Work
from ....tensor import Tensor
from .answer import settled

PATIENCE = 5.0
"""So many seconds a student's function has, for all cases of its exercise together."""
PRINTED = 400
MOST = 1_000_000
"""No answer has so many values: one that has is not compared."""
STOPPED = "It stopped with an error:"


class Call(NamedTuple):
    """The outcome of a call: its value, or the problem as text; what it printed; the argument that it changed.

    `wrote` is the argument into which it wrote other numbers, `lent` what it gave back that it may still write to, and
    `fault` why the value is no answer: a problem is one, too.
    """

    value: object
    problem: str = ""
    printed: str = ""
    changed: str = ""
    wrote: str = ""
    lent: Sequence[object] = ()
    fault: str = ""


class _Head(io.TextIOBase):
    """Keeps the beginning of what is printed: a loop can print more than there is memory."""

    text = ""

    def write(self, text: str) -> int:
        self.text += text[: max(0, PRINTED - len(self.text))]
        return len(text)


def call(
    function: Callable[..., object],
    arguments: tuple[object, ...],
    seconds: float = PATIENCE,
    then: Callable[[], object] = lambda: None,
    whole: float | None = None,
) -> Call:
    """Run a student's function; its errors and its endless loops come back as text, and nothing it prints gets lost.

    `seconds` may be what is left of a `whole`, which is told then. `then` runs behind it in the same thread, where it
    sees what the function has left switched on or off.
    """
    printed, run = _Head(), Work(lambda: (settled(function(*arguments)), then())[0])
    with contextlib.redirect_stdout(printed), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if sys.gettrace():  # a debugger is at work, and sees this thread only
            run.run()
        else:
            run.start()
            try:
                run.join(seconds)
                late = run.is_alive()
            finally:  # JupyterLab's Interrupt as well
                run.stop()
            if late:
                return Call(None, _late(run, seconds if whole is None else whole), printed.text)
    if run.error is not None:
        return Call(None, _told(run.error, function), printed.text)
    if (count := _size(run.value)) > MOST:
        return Call(None, f"It gives back {count:,} values: far more than any answer here has.", printed.text)
    return Call(run.value, printed=printed.text)


def _size(value: object, deep: int = 1) -> int:
    """The number of values in an answer, or in the largest of its parts."""
    if isinstance(value, Tensor) or type(value).__module__ in ("numpy", "torch"):
        return prod(getattr(value, "shape", ()))
    if not isinstance(value, list | tuple | dict | set):
        return 1
    few = value if deep and isinstance(value, list | tuple) and len(value) < 10 else ()
    return max([len(value), *(_size(part, deep - 1) for part in few)])


def _late(run: Work, seconds: float) -> str:
    enough = "1 second was" if seconds == 1 else f"{seconds:g} seconds were"
    said = (
        f"It was stopped: {enough} not enough.\n"
        "A loop in it seems never to end, or it waits, as time.sleep does."
    )
    return said + ("\nIt is still at work unseen; Kernel > Restart Kernel ends it." if run.is_alive() else "")


def _told(error: BaseException, function: Callable[..., object]) -> str:
    """The error as a student can use it: the line of their own function, and the words of it."""
    try:
        said = f"{type(error).__name__}: {error}".removesuffix(": ").replace("\n", "\n  ")
    except Exception:  # an exception class of the student's own, with a str() that fails
        said = type(error).__name__
    if isinstance(error, ImportError):
        said += "\nNo exercise needs more than Python and what the lesson imports: leave this import out."
    file = getattr(getattr(function, "__code__", None), "co_filename", None)
    lines = [number for frame, number in traceback.walk_tb(error.__traceback__) if frame.f_code.co_filename == file]
    if not lines:
        return f"{STOPPED}\n  {said}"
    source = linecache.getline(file, lines[-1]).strip()
    return f"It stopped with an error in line {lines[-1]} of its cell:\n  {source or '...'}\n  {said}"
