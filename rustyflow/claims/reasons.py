"""The reasons for what a cell is: the choices that its rule made, told as they hold.

>>> from .tree import Leaf, Op
>>> with choices() as made:
...     holds = chosen(Op("<=", (Leaf(3.0, "y[1]"), Leaf(0))))
>>> holds, told(made)
(False, 'y[1] > 0')
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from math import isnan
from typing import Any

from .tree import Leaf, Op, Tree, floats, text

Choice = tuple[Tree, bool]
"""A condition of one cell, and whether it holds."""

MOST = 2
"""So many choices of one cell are told; of more the first."""

OTHERWISE = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "=="}
SAID = {"==": "is", "!=": "is not"}

USUAL = {"isnan": False, "isinf": False, "isfinite": True}
"""What is not worth a word."""

TAKEN = {
    "amax": "the largest", "largest": "the largest", "amin": "the smallest", "smallest": "the smallest",
    **dict.fromkeys(("median", "nanmedian", "middle", "middle_number"), "the middle one"),
    "most_frequent": "the most frequent one", "kth_smallest": "number {k} from below",
    "top": "one of the {k} {end}", "in_order": "number {place} in order",
    "largest_so_far": "anywhere the largest so far", "smallest_so_far": "anywhere the smallest so far",
    "largest_of_windows": "the largest of any window", "largest_of_stretches": "the largest of any stretch",
}  # fmt: skip
"""The functions that take some cells, and what is said of such a cell."""

ONE = {"amax", "largest", "amin", "smallest", "median", "nanmedian", "middle", "middle_number", "most_frequent"}
"""Those that take the one cell of a line that is so, or several that are equal."""

NAN = {"amax", "largest", "amin", "smallest", "median", "middle"}
"""Those that take a nan where there is one."""

PICKED = "middle", "middle_number", "most_frequent", "kth_smallest", "top", "in_order"
"""Those that are told by the one cell that they take."""


def noun(function: str, attrs: Mapping[str, Any], i: Sequence[int] = (0,)) -> str:
    """The words for a cell that a function takes for the i-th cell of its result.

    >>> noun("kth_smallest", {"k": 2, "dim": 0}), noun("top", {"k": 3, "largest": False, "dim": 0})
    ('number 2 from below', 'one of the 3 smallest')
    """
    end = "largest" if attrs.get("largest", True) else "smallest"
    dim = attrs.get("dim")
    place = i[dim] + 1 if type(dim) is int and -len(i) <= dim < len(i) else 1
    return TAKEN[function].format(k=attrs.get("k"), end=end, place=place)


_made: ContextVar[list[Choice] | None] = ContextVar("made", default=None)


@contextmanager
def choices() -> Iterator[list[Choice]]:
    """Keeps the choices that are made for one cell meanwhile; those of its parts are theirs."""
    token = _made.set(made := [])
    try:
        yield made
    finally:
        _made.reset(token)


def chosen(test: Tree) -> bool:
    """Returns whether a condition of one cell holds, and keeps it."""
    holds = bool(floats(test))
    if (made := _made.get()) is not None and (test, holds) not in made:
        made.append((test, holds))
    return holds


def told(made: Sequence[Choice], *, nothing: bool = False) -> str:
    """The reason in words; none where nothing was chosen, or too much.

    Of a number that is nothing one choice of many is told; of another what is usual is not, as that a divisor is no 0.
    """
    usual = () if nothing else [one for one in made if isinstance(one[0], Op) and one[0].how == "not" and one[1]]
    last = {_sides(test): (test, holds) for test, holds in made if (test, holds) not in usual}
    texts = [*dict.fromkeys(filter(None, (_because(test, holds) for test, holds in last.values())))]
    if len(texts) <= MOST:
        return " and ".join(texts)
    return f"{texts[0]} and so on" if nothing else ""


def _sides(test: Tree) -> Any:
    """The same for two comparisons of the same numbers, of which the last one says most."""
    return test.parts if isinstance(test, Op) and test.how in OTHERWISE else test


def _because(test: Tree, holds: bool) -> str:
    """A condition as it holds: `x[0] > 0`, `mask[0, 1] is False`; nothing of what is usual."""
    if isinstance(test, Leaf):
        return f"{test.name or text(test)} is {holds}"
    if isinstance(test, Op) and test.how == "not":
        return _because(test.parts[0], not holds)
    if isinstance(test, Op) and test.how in ("and", "or"):
        deciding = [part for part in test.parts if bool(floats(part)) == holds]
        texts = [_because(part, holds) for part in (deciding if holds == (test.how == "and") else deciding[:1])]
        return " and ".join(filter(None, texts))
    if isinstance(test, Op) and test.how in OTHERWISE:
        if nan := next((part for part in test.parts if isnan(floats(part))), None):
            return f"{text(nan)} is nan"
        how = test.how if holds else OTHERWISE[test.how]
        return f" {SAID.get(how, how)} ".join(map(text, test.parts))
    return "" if isinstance(test, Op) and USUAL.get(test.how) == holds else f"{text(test)} is {holds}"
