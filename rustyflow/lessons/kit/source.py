"""The source of a student's function: what can be seen in it before it runs."""

import ast
import inspect
import textwrap
from collections.abc import Callable, Iterator
from types import CodeType
from typing import Any


def codes(function: Any) -> Iterator[CodeType]:
    """The code of a function, and of the functions inside it; nothing for what was not written in Python."""
    waiting = [getattr(function, "__code__", None)]
    while waiting:
        if isinstance(code := waiting.pop(), CodeType):
            yield code
            waiting += code.co_consts


def borrows(*names: str) -> Callable[[Any], str]:
    """An exercise's `form`: a function that leaves what is to be written to one of these calls is told so.

    >>> borrows("sum_to_size")(lambda g, shape: g.sum_to_size(shape))
    'it leaves the work to sum_to_size, which does what you are to write: write down its steps'
    """

    def form(function: Any) -> str:
        used = {name for code in codes(function) for name in code.co_names}
        used.discard(getattr(function, "__name__", ""))  # it calls itself
        taken = next((name for name in names if name in used), None)
        return f"it leaves the work to {taken}, which does what you are to write: write down its steps" if taken else ""

    return form


def tree(function: Any) -> ast.AST | None:
    """The source of a function as a tree; None where there is none, or only a part of it."""
    try:
        return ast.parse(textwrap.dedent(inspect.getsource(function)))
    except (OSError, TypeError, SyntaxError):
        return None


def uses(*names: str) -> Callable[[ast.AST], bool]:
    """A misconception's `seen`: whether one of these names, or methods, is used.

    >>> uses("mean")(ast.parse("g.mean(0)"))
    True
    """

    def seen(source: ast.AST) -> bool:
        found = {getattr(node, "id", None) or getattr(node, "attr", None) for node in ast.walk(source)}
        return not found.isdisjoint(names)

    return seen
