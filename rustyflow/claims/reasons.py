"""The reasons for what a cell is: the choices that its rule made, told as they hold.

>>> from .tree import Leaf, Op
>>> with choices() as made:
...     holds = chosen(Op("<=", (Leaf(3.0, "y[1]"), Leaf(0))))
>>> holds, told(made)
(False, 'y[1] > 0')
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from math import isnan

from .tree import Leaf, Op, Tree, floats, text

Choice = tuple[Tree, bool]
"""A condition of one cell, and whether it holds."""

MOST = 2
"""So many choices of one cell are told; of more the first."""

OTHERWISE = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "=="}
SAID = {"==": "is", "!=": "is not"}

TAKEN = {
    **dict.fromkeys(("amax", "largest"), "is not the largest"),
    **dict.fromkeys(("amin", "smallest"), "is not the smallest"),
    **dict.fromkeys(("median", "nanmedian", "middle", "middle_number"), "is not the middle one"),
    "largest_so_far": "is nowhere the largest so far", "smallest_so_far": "is nowhere the smallest so far",
    "largest_of_windows": "is the largest of no window", "largest_of_stretches": "is the largest of no stretch",
    **dict.fromkeys(("kth_smallest", "most_frequent", "top"), "is not taken"),
}  # fmt: skip
"""The functions that take some cells, and what is said of a cell that they do not take."""

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


def told(made: Sequence[Choice]) -> str:
    """The reason in words; nothing where nothing was chosen."""
    texts = [*dict.fromkeys(_because(test, holds) for test, holds in made)]
    return " and ".join(texts) if len(texts) <= MOST else f"{texts[0]} and so on"


def _because(test: Tree, holds: bool) -> str:
    """A condition as it holds: `x[0] > 0`, `mask[0, 1] is False`, `index[0] is not 2`."""
    if isinstance(test, Leaf):
        return f"{test.name or text(test)} is {holds}"
    if isinstance(test, Op) and test.how == "not":
        return _because(test.parts[0], not holds)
    if isinstance(test, Op) and test.how in ("and", "or"):
        deciding = [part for part in test.parts if bool(floats(part)) == holds]
        told = [_because(part, holds) for part in (deciding if holds == (test.how == "and") else deciding[:1])]
        return " and ".join(told)
    if isinstance(test, Op) and test.how in OTHERWISE:
        if nan := next((part for part in test.parts if isnan(floats(part))), None):
            return f"{text(nan)} is nan"
        how = test.how if holds else OTHERWISE[test.how]
        return text(Op(how, test.parts)).replace(f" {how} ", f" {SAID.get(how, how)} ")
    return f"{text(test)} is {holds}"
