"""A student's answer, of any kind: if it is touched, its value, if it is right, its text."""

import dis
import inspect
import math
import re
import reprlib
from collections import deque
from collections.abc import Iterator, KeysView, ValuesView
from itertools import islice, pairwise
from types import FunctionType
from typing import Any

from ....show.words.sentences import articled


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
    """True for an answer that is still the lesson's stub: `...`, or a function whose body is only that.

    So is one in which a `for` goes over `...`: a blank of a function that is given in part.

    >>> untouched(...), untouched(0), untouched(lambda x: ...), untouched(lambda x: x)
    (True, False, True, False)
    >>> untouched(lambda x: [y for y in ...])
    True
    """
    if not isinstance(answer, FunctionType):
        return answer is ...
    idle = {"RESUME", "NOP", "RETURN_VALUE"}
    constant = {"LOAD_CONST", "RETURN_CONST"}
    steps = list(dis.get_instructions(answer))
    if any(s.opname == "LOAD_CONST" and s.argval is ... and t.opname == "GET_ITER" for s, t in pairwise(steps)):
        return True
    if not all(s.opname in idle or s.opname in constant and s.argval in (None, ...) for s in steps):
        return False
    try:  # compiled, a return of nothing is the same as no return at all
        return not re.search(r"^\s*return( None)?\s*$", inspect.getsource(answer), re.MULTILINE)
    except (OSError, SyntaxError):  # no source to be found, or cut out of its line
        return True


def settled(answer: object) -> Any:
    """The list of what is in an answer that can be read once only, or has an order.

    >>> settled(n * n for n in range(3)), settled(range(3)), settled((0, 1))
    ([0, 1, 4], [0, 1, 2], (0, 1))
    """
    ordered = isinstance(answer, Iterator | range | deque | KeysView | ValuesView)
    return list(islice(answer, 10_000)) if ordered else answer


def listed(answer: object) -> Any:
    """Tensors and arrays of any library as numbers and lists; anything else as it is."""
    return answer.tolist() if hasattr(answer, "tolist") else answer


def plain(answer: object) -> Any:
    """An answer as numbers, strings and tuples of them, so that it can be an argument again."""
    answer = listed(answer)
    return tuple(plain(part) for part in answer) if isinstance(answer, list | tuple) else answer


def same(answer: object, key: object) -> bool:
    """True if an answer is the key: floats nearly, the rest exactly; `True` is no number, no list is one.

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
    try:
        return math.isclose(answer, key, rel_tol=1e-4, abs_tol=1e-6) or math.isnan(answer) and math.isnan(key)
    except OverflowError:  # a whole number that is too large for a float
        return False


def unfit(answer: object, key: object) -> str:
    """The objection to an answer that has the key's numbers; empty when there is none.

    >>> unfit([4.0, 1.0], (4, 1)), unfit([4, 1], (4, 1)), unfit(6, 6.0)
    ('it is counted, so write 4 and not 4.0', '', '')
    """
    if hasattr(key, "dtype"):
        if not isinstance(answer, type(key)):
            torch = type(answer).__module__ == "torch"
            return f"a tensor is asked for, not {'one of PyTorch' if torch else _kind(answer)}"
        return "" if answer.dtype == key.dtype else f"dtype {answer.dtype}, where {key.dtype} is asked for"
    if isinstance(answer, float) and hasattr(answer, "dtype"):
        return ""  # a sum of NumPy's over no axes is a float of its own
    answer, key = plain(answer), plain(key)
    if isinstance(key, tuple):
        return next(filter(None, map(unfit, answer, key)), "")
    counted = isinstance(key, int) and isinstance(answer, float)
    return f"it is counted, so write {key} and not {answer}" if counted else ""


def astray(answer: object, key: object, name: str = "result") -> str:
    """The objection to an answer that does not tell the key; empty when there is none.

    >>> astray("12", 12), astray([1], 12), astray(7, 12)
    ('write 12 without quotes: a number, not text', 'one number is asked for, not a list', 'too small')
    >>> import rustyflow
    >>> astray(rustyflow.tensor([12]), 12)
    'one number is asked for, not a tensor of shape (1,), with one number in it: .item() takes it out'
    >>> astray("Dead ", "dead"), astray("large", "dead")
    ('only the spelling is off: write it letter for letter as it stands in the question', '')
    >>> astray((4, 1), (4, 2), "stride")
    'stride[0] is right, stride[1] is not'
    """
    if hasattr(key, "shape"):
        found, wanted = getattr(answer, "shape", None), tuple(key.shape)
        if found is None:
            return f"a tensor is asked for, not {_kind(answer)}"
        if tuple(found) != wanted:
            return f"shape {tuple(found)}, where {wanted} is asked for"
        few = "right to a few digits only: is a number in it rounded, or a small part left out?"
        return few if _near(answer, key) else ""
    given, answer, key = answer, listed(answer), listed(key)
    if isinstance(key, list | tuple):
        if not isinstance(answer, list | tuple):
            if not key:
                return "round brackets are asked for"
            words = isinstance(key[0], str)
            if len(key) == 1 and isinstance(answer, str) == words:
                one = f'("{answer:.40}",)' if words else "(7,)"
                return f"one value in round brackets has a comma behind it, as in {one}"
            what = "one value is not enough" if words else "one number is not enough"
            what = "write it without quotes" if isinstance(answer, str) and not words else what
            return f"{what}: {_many(len(key))} in round brackets"
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
    if isinstance(key, bool):
        quotes = ", without quotes" if isinstance(answer, str) else ""
        return "" if isinstance(answer, bool) else f"write True or False{quotes}"
    if isinstance(answer, str) and isinstance(key, int | float):
        return f"write {answer} without quotes: a number, not text" if _numeral(answer) else "a number, not text"
    if isinstance(answer, str) and isinstance(key, str) and answer.strip().lower() == key.strip().lower() != "":
        return "only the spelling is off: write it letter for letter as it stands in the question"
    if not isinstance(key, int | float):
        return ""
    if isinstance(answer, bool) or not isinstance(answer, int | float):
        return f"one number is asked for, not {_kind(given)}"
    return "too small" if answer < key else "too large" if answer > key else ""


def _near(answer: Any, key: Any) -> bool:
    """True if tensors of one shape, of which the key holds floats, are the same but for rounding by hand."""
    pairs = [*zip(answer.reshape(-1).tolist(), key.reshape(-1).tolist(), strict=True)]
    if not key.is_floating_point() or not all(map(math.isfinite, (n for pair in pairs for n in pair))):
        return False
    return all(math.isclose(a, b, rel_tol=1e-2) for a, b in pairs) or all(a in (round(b), int(b)) for a, b in pairs)


def _many(n: int) -> str:
    return "1 value" if n == 1 else f"{n} values"


def _numeral(text: str) -> bool:
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False


def _kind(answer: object) -> str:
    """The kind of an answer that is of the wrong one, in words."""
    name, shape = type(answer).__name__, getattr(answer, "shape", None)
    if shape is not None and hasattr(answer, "item"):
        alone = tuple(shape) == (1,) * len(shape)
        held = "one number in it: .item() takes it out" if alone else "several numbers in it"
        return f"{articled(name.lower())} of shape {tuple(shape)}, with {held}"
    return "None" if answer is None else articled(name)


def shown(answer: object) -> str:
    """An answer as text of a reasonable length, even where its own repr fails."""
    try:
        return _brief.repr(answer) if isinstance(answer, list | tuple | str | dict | set | int) else repr(answer)[:400]
    except Exception as problem:
        return f"a {type(answer).__name__} that cannot be shown ({type(problem).__name__})"
