"""Given back: copies of what calls return, for when they run again, and the object that two of them share."""

from collections.abc import Iterable, Sequence
from copy import copy
from itertools import islice
from typing import Any

from ....tensor import Tensor

DEEP = 4
"""So many lists inside each other are copied; what lies deeper, or has itself in it, stays as it is."""

LONG = 256
"""A list of more parts is copied, and its parts stay as they are: no lesson asks for so many."""


def apart(value: Any, deep: int = DEEP) -> Any:
    """The copy of an answer, to be looked at when the function that gave it has run again.

    A tensor that was computed stays as it is: a copy of it would have another graph.

    >>> inner = [1]
    >>> kept = apart((inner, "a"))
    >>> inner.append(2)
    >>> kept
    ([1], 'a')
    """
    if isinstance(value, Tensor):
        return value if value.grad_fn else value.detach().clone().requires_grad_(value.requires_grad)
    if _is_array(value):
        return value.copy()
    if isinstance(value, set):
        return set(value)
    if not deep:
        return value
    if type(value) in (dict, list, tuple) and len(value) > LONG:
        return copy(value)
    if isinstance(value, dict):
        return {key: apart(part, deep - 1) for key, part in value.items()}
    if type(value) in (list, tuple):
        return type(value)(apart(part, deep - 1) for part in value)
    return value


def lent(value: Any, arguments: Iterable[Any]) -> list[Any]:
    """The objects in an answer that somebody could still write to, without those that the function was given."""
    given = {id(part) for part in arguments}
    parts = (value, *(islice(value, LONG) if isinstance(value, list | tuple) else ()))
    written = (part for part in parts if isinstance(part, Tensor | list | dict | set) or _is_array(part))
    return [part for part in written if id(part) not in given]


def again(lent_by_calls: Sequence[Sequence[Any]]) -> str:
    """The words on an object that came back from two calls; empty where none did.

    >>> here = []
    >>> again([[here], [[]], [here]])
    'It gives back the same list in several calls: make a new one inside the function, at each call.'
    >>> again([[[]], [[]]])
    ''
    """
    seen: dict[int, Any] = {}
    for parts in lent_by_calls:
        alone = {id(part): part for part in parts}
        if twice := [part for key, part in alone.items() if key in seen]:
            kind = type(twice[0]).__name__.lower()
            return f"It gives back the same {kind} in several calls: make a new one inside the function, at each call."
        seen |= alone
    return ""


def _is_array(value: object) -> bool:
    """True for an array of NumPy's; asks the type alone, since a value may refuse every question."""
    return (type(value).__module__, type(value).__name__) == ("numpy", "ndarray")
