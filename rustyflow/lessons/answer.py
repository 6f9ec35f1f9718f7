"""A student's answer, whatever it is: is it touched, what does it come to, how is it shown, what does running it do."""

import contextlib
import dis
import inspect
import io
import linecache
import math
import re
import reprlib
import sys
import traceback
import warnings
from collections.abc import Callable, Iterator
from itertools import islice
from types import FunctionType
from typing import Any, NamedTuple

PATIENCE = 300_000
"""So many steps (bytecodes) of a student's function may run before it counts as a loop that never ends; under 1 s."""


class _Brief(reprlib.Repr):
    def repr_dict(self, x: dict, level: int) -> str:
        """A dict in its own order, which may be what an exercise is about."""
        if level <= 0:
            return "{...}"
        parts = [f"{self.repr1(k, level - 1)}: {self.repr1(v, level - 1)}" for k, v in islice(x.items(), self.maxdict)]
        return f"{{{', '.join(parts)}{', ...' if len(x) > len(parts) else ''}}}"


_brief = _Brief()
_brief.maxlist = _brief.maxtuple = _brief.maxdict = _brief.maxset = 24
_brief.maxstring = _brief.maxother = _brief.maxlong = 400


def untouched(answer: object) -> bool:
    """Whether an answer is still the stub of the lesson: `...`, or a function whose body is only that.

    >>> untouched(...), untouched(0), untouched(lambda x: ...), untouched(lambda x: x)
    (True, False, True, False)
    """
    if not isinstance(answer, FunctionType):
        return answer is ...
    idle = {"RESUME", "NOP", "RETURN_VALUE"}
    constant = {"LOAD_CONST", "RETURN_CONST"}
    steps = dis.get_instructions(answer)
    if not all(s.opname in idle or s.opname in constant and s.argval in (None, ...) for s in steps):
        return False
    try:  # compiled, a return of nothing is the same as no return at all
        return not re.search(r"^\s*return( None)?\s*$", inspect.getsource(answer), re.MULTILINE)
    except (OSError, SyntaxError):  # no source to be found, or cut out of its line
        return True


def listed(answer: object) -> Any:
    """Tensors and arrays of any library as numbers and lists; anything else as it is."""
    return answer.tolist() if hasattr(answer, "tolist") else answer


def plain(answer: object) -> Any:
    """An answer as numbers, strings and tuples of them, so that it can be an argument again."""
    answer = listed(answer)
    return tuple(plain(part) for part in answer) if isinstance(answer, list | tuple) else answer


def same(answer: object, key: object) -> bool:
    """Whether an answer is the key: floats nearly, the rest exactly; `True` is no number, and no list is a number.

    >>> same([3, 4], (3, 4)), same(6.0, 6), same(True, 1), same(0.1 + 0.2, 0.3), same("6", 6)
    (True, True, False, True, False)
    """
    answer, key = listed(answer), listed(key)
    if isinstance(key, list | tuple) or isinstance(answer, list | tuple):
        both = isinstance(key, list | tuple) and isinstance(answer, list | tuple) and len(key) == len(answer)
        return both and all(map(same, answer, key))
    if isinstance(key, bool) or isinstance(answer, bool) or not isinstance(key, int | float):
        return type(answer) is type(key) and answer == key
    if not isinstance(answer, int | float):
        return False
    if isinstance(key, int):
        return answer == key
    return math.isclose(answer, key, rel_tol=1e-4, abs_tol=1e-6) or math.isnan(answer) and math.isnan(key)


def astray(answer: object, key: object, name: str = "result") -> str:
    """What can be said against an answer without telling the key; empty when that is nothing.

    >>> astray("12", 12), astray([1], 12), astray(7, 12)
    ('write 12 without quotes: a number, not text', 'one number is asked for, not a list', 'too small')
    >>> astray((4, 1), (4, 2), "stride")
    'stride[0] is right, stride[1] is not'
    """
    if hasattr(key, "shape"):
        found, wanted = getattr(answer, "shape", None), tuple(key.shape)
        if found is None:
            return f"a tensor is asked for, not {_kind(answer)}"
        return "" if tuple(found) == wanted else f"shape {tuple(found)}, where {wanted} is asked for"
    answer, key = listed(answer), listed(key)
    if isinstance(key, list | tuple):
        if not isinstance(answer, list | tuple):
            what = "write it without quotes" if isinstance(answer, str) else "one number is not enough"
            return f"{what}: {len(key)} values in round brackets" if key else "round brackets are asked for"
        if len(answer) != len(key):
            return f"{_many(len(answer))}, where {_many(len(key))} {'is' if len(key) == 1 else 'are'} asked for"
        if len(key) == 1:
            return astray(answer[0], key[0], f"{name}[0]")
        if not 1 < len(key) <= 4 or any(isinstance(part, list | tuple) for part in key):
            return ""
        right = [same(*both) for both in zip(answer, key, strict=True)]
        if not any(right):
            return f"none of its {len(key)} numbers is right"
        return ", ".join(f"{name}[{d}] is {'right' if so else 'not'}" for d, so in enumerate(right))
    if isinstance(answer, str) and isinstance(key, int | float):
        return f"write {answer} without quotes: a number, not text" if _numeral(answer) else "a number, not text"
    if isinstance(key, bool) or not isinstance(key, int | float):
        return ""
    if isinstance(answer, bool) or not isinstance(answer, int | float):
        return f"one number is asked for, not {_kind(answer)}"
    return "too small" if answer < key else "too large" if answer > key else ""


def _many(n: int) -> str:
    return "1 value" if n == 1 else f"{n} values"


def _numeral(text: str) -> bool:
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False


def _kind(answer: object) -> str:
    name = type(answer).__name__
    return "None" if answer is None else f"{'an' if name[0] in 'aeio' else 'a'} {name}"


def shown(answer: object) -> str:
    """An answer as text of a reasonable length, even where its own repr fails."""
    try:
        return _brief.repr(answer) if isinstance(answer, list | tuple | str | dict | set | int) else repr(answer)[:400]
    except Exception as problem:
        return f"a {type(answer).__name__} that cannot be shown ({type(problem).__name__})"


class Call(NamedTuple):
    """What became of a call: its value, or the problem as text; and what it printed."""

    value: object
    problem: str = ""
    printed: str = ""


class _Endless(BaseException):
    """Not an Exception, so that `except Exception` in a student's loop does not catch it."""


def call(function: Callable[..., object], arguments: tuple[object, ...]) -> Call:
    """Run a student's function; its errors and its endless loops come back as text, and nothing it prints gets lost."""
    printed = io.StringIO()
    try:
        with contextlib.redirect_stdout(printed), warnings.catch_warnings(), _patience(function):
            warnings.simplefilter("ignore")
            return Call(function(*arguments), printed=printed.getvalue())
    except _Endless:
        problem = f"It ran {PATIENCE:,} steps and was not done: a loop in it seems never to end."
    except (Exception, SystemExit) as error:
        problem = _told(error, function)
    return Call(None, problem, printed.getvalue())


@contextlib.contextmanager
def _patience(function: Callable[..., object]) -> Iterator[None]:
    """Stops a function after so many steps of its own. Portable, unlike a signal; a debugger at work comes first."""
    code, before = getattr(function, "__code__", None), sys.gettrace()
    if code is None or before is not None:
        yield
        return
    left = PATIENCE

    def watch(frame, event, arg):
        nonlocal left
        if frame.f_code.co_filename != code.co_filename:
            return None
        frame.f_trace_opcodes = True  # a loop on a single line brings no line events
        left -= 1
        if left < 0:
            raise _Endless
        return watch

    sys.settrace(watch)
    try:
        yield
    finally:
        sys.settrace(before)


def _told(error: BaseException, function: Callable[..., object]) -> str:
    """The error as a student can use it: the line of their own function in which it came up, and what it says."""
    try:
        said = f"{type(error).__name__}: {error}".removesuffix(": ").replace("\n", "\n  ")
    except Exception:  # an exception class of the student's own, with a str() that fails
        said = type(error).__name__
    file = getattr(getattr(function, "__code__", None), "co_filename", None)
    lines = [number for frame, number in traceback.walk_tb(error.__traceback__) if frame.f_code.co_filename == file]
    if not lines:
        return f"It stopped with an error:\n  {said}"
    source = linecache.getline(file, lines[-1]).strip()
    return f"It stopped with an error in line {lines[-1]} of its cell:\n  {source or '...'}\n  {said}"
