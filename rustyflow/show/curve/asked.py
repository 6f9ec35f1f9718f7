"""A curve as it is asked for: its function and its point, with the caller's words for both."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from ...claims.digits import spell
from ...errors import ArgumentTypeError
from ...ir.text import clean
from ...tensor import Tensor
from ..calls.call import program
from ..words.caller import Words
from ..words.given import Names, named
from .function import DIGITS, Function, called, numbers, parameters, tried
from .moved import of_numbers, of_weight


class Asked(NamedTuple):
    """A function as it is asked for, the number at which, and its title."""

    function: Function
    at: float
    head: str
    title: str | None

    def titled(self, at: float) -> str:
        """The title at a number."""
        if self.title is not None:
            return self.title
        return f"{self.head} {spell(at, DIGITS)}"


def either(both: Words, one: Words) -> Words:
    """Returns the words of a call that gives the point by its place, or by its name."""
    if both.arguments[0] is not None:
        return both
    return one._replace(arguments=(*one.arguments, one.keywords.get("at")), assignments=(*one.assignments, None))


def asked_of(f: Any, at: Any, index: Any, over: int | str, caller: Words, names: Names, title: str | None) -> Asked:
    """Returns what is asked for, with the caller's words for it."""
    f = called(f)
    source, name = caller.expressions[0], _name(f, caller)
    if isinstance(at, Tensor) and (at.numel() != 1 or index is not None or parameters(f)[1] == 0):
        (variable,) = named(names, [at], caller._replace(arguments=caller.arguments[1:2]).names([at], "wxyz", True))
        function, place = of_weight(f, name, at, index, variable)
        return Asked(tried(function, place), place, f"{name} over {function.variable}, at", title)
    if index is not None:
        raise ArgumentTypeError(f"at={at!r:.40}, index={index!r:.40}", "an index is a place of a tensor",
                                "show.curve(loss, w, (0, 1)), where w is a weight")  # fmt: skip
    given = numbers(at)
    (variable,) = named(names, [at], [""])
    function = of_numbers(f, name, given, over, variable or None)
    place = given[parameters(f)[0].index(over) if isinstance(over, str) else over]
    words = [*function.before, function.variable, *function.after]
    text = _unquoted(program(f, source if source.startswith("lambda") else name, words, {}, [], []), words)
    whole = function.of(function.variable)
    head = clean(whole if text == whole else f"{whole} = {text}", 60)
    return Asked(tried(function, place), place, f"{head}, at {function.variable} =", title)


def _unquoted(text: str, words: Sequence[str]) -> str:
    """A program with names where they stood as texts."""
    for word in words:
        text = text.replace(repr(word), word)
    return text


def _name(f: Callable, caller: Words) -> str:
    """The name of a function in sentences: its own, the caller's for it, or f."""
    name = getattr(f, "__name__", "") or type(f).__name__
    written = (caller.arguments[0] or "") if caller.arguments else ""
    if name == "<lambda>" or not name.isidentifier():
        name = written if written.isidentifier() else "f"
    return clean(name, 24)


def fit_words(f: Any, caller: Words, names: Names) -> tuple[str, list[str]]:
    """Returns the program of f, and the names of x and y: given, or the caller's; "" where unknown."""
    source = caller.expressions[0] if caller.arguments else ""
    text = source.partition(":")[2].strip() if source.startswith("lambda") else "" if f is None else _name(f, caller)
    written = (caller.keywords.get("points") or "").strip("()").split(",")
    known = [part.strip() if part.strip().isidentifier() else "" for part in written]
    ours = named(names, [0, 1], known if len(known) == 2 else ["", ""])
    return text or "a line", ours


def spanned(span: Sequence[float] | None) -> tuple[float, float] | None:
    """Returns from where to where a line is drawn.

    Raises:
        TypeError: no two numbers. ValueError: they are none that are finite, the first before the second.
    """
    if span is None:
        return None
    ends = numbers(span, "span", "span=(-2, 2)")
    if len(ends) != 2 or not ends[0] < ends[1]:
        raise ArgumentTypeError(f"span={span!r:.40}", "a line goes from one number to a greater one", "span=(-2, 2)")
    return ends[0], ends[1]
