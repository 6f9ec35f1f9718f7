"""Gradients that a rule hands back, one for each operand: why they are not right."""

from collections.abc import Callable
from typing import Any

from .answer import astray, same, unfit
from .card import own_numbers


def judged(name: str, key: Callable[..., Any]) -> Callable[..., str]:
    """Makes a judge that tells of each gradient that is handed back, by its name, why it is not right.

    >>> from rustyflow import ones
    >>> judged("da, db", lambda x: (x, x))((ones(2), ones(3)), x=ones(2))
    'db: shape (3,), where (2,) is asked for'
    """
    names = name.split(", ")

    def judge(_given: Any, **case: Any) -> str:
        wanted = key(**case)
        if len(names) == 1:
            _given, wanted = (_given,), (wanted,)
        if not isinstance(_given, tuple | list) or len(_given) != len(names):
            return "two gradients are asked for, with a comma between them: return da, db"
        for part, given, right in zip(names, _given, wanted, strict=True):
            if not same(given, right) or not hasattr(given, "shape"):
                numbers = f"the shape is right, the numbers are not{where(given, right)}"
                return f"{part}: {astray(given, right) or numbers}"
            if fault := unfit(given, right):
                return f"{part}: {fault}"
        return ""

    return judge


def where(given: Any, right: Any) -> str:
    """The place of the first wrong number, after a colon; empty where one cannot see it."""
    own = own_numbers(given, right, same)
    return f": {own.said}" if own else ""
