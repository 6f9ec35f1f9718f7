"""The source of a student's function: what can be seen in it before it runs."""

import ast
import dis
import inspect
import sys
import sysconfig
import textwrap
from collections.abc import Callable, Container, Iterable, Iterator
from functools import cache, partial
from pathlib import Path
from types import CodeType, FunctionType, MethodType
from typing import Any

INSTALLED = (str(Path(__file__).parents[3]), sysconfig.get_path("stdlib"))
WANTED_BY_NAME = ("getattr", "attrgetter", "methodcaller")
BY_NAME = ("LOAD_GLOBAL", "LOAD_NAME", "LOAD_DEREF")
CACHED = type(cache(len))
"""The type of what `functools.cache` and `lru_cache` make of a function."""
MANY = 1000
"""A group with more in it than this is data: nobody looks into it for functions."""


def codes(function: Any) -> Iterator[CodeType]:
    """The code of a function, and of the functions inside it; nothing for what was not written in Python."""
    waiting = [getattr(function, "__code__", None)]
    while waiting:
        if isinstance(code := waiting.pop(), CodeType):
            yield code
            waiting += code.co_consts


def instructions(function: Any) -> Iterator[dis.Instruction]:
    """Yields what Python does in a function, and in the functions inside it, one instruction at a time."""
    return (step for code in codes(function) for step in dis.get_instructions(code))


def installed(file: str) -> bool:
    """True for a file of Python's, of rustyflow's, or of a package that was installed."""
    return file.startswith(INSTALLED) or "site-packages" in file or "dist-packages" in file


def is_own(value: object) -> bool:
    """True for a function that a student wrote, in a cell or in a file beside the lesson."""
    return isinstance(value, FunctionType) and not installed(value.__code__.co_filename)


def names_in(function: FunctionType) -> dict[str, Any]:
    """The values of a function's names that are not its own: those of its notebook, and of functions around it."""
    named = (step for step in instructions(function) if step.opname in BY_NAME)  # a method may be named like one
    wanted = {step.argval for step in named}
    found = {name: function.__globals__[name] for name in wanted if name in function.__globals__}
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        try:
            found[name] = cell.cell_contents
        except ValueError:  # a name that has no value yet
            continue
    return found


def held(value: Any) -> Iterable[Any]:
    """The values in a thing of the student's that it may call, or that may be called in its place.

    >>> [*held(partial(max, 3))], [*held({"a": len})], [*held("text")]
    ([<built-in function max>, 3], [<built-in function len>], [])
    """
    kind = type(value)
    if is_own(value):
        yield from names_in(value).values()
        yield from (*(value.__defaults__ or ()), *(value.__kwdefaults__ or {}).values())
    elif kind is MethodType:
        yield from (value.__func__, value.__self__)
    elif kind is partial:
        yield from (value.func, *value.args, *value.keywords.values())
    elif kind is CACHED:
        yield value.__wrapped__
    elif kind in (list, tuple, set, dict):
        yield from (value.values() if kind is dict else value) if len(value) <= MANY else ()
    elif kind in (staticmethod, classmethod):
        yield value.__func__
    elif not _of_others(value if isinstance(value, type) else kind):
        yield from (*vars(value).values(), kind) if hasattr(value, "__dict__") else (kind,)


def reached(function: Any) -> list[Any]:
    """A function, and what else can be reached from it through what the student wrote, each once."""
    seen, known = [function], {id(function)}
    for part in seen:
        new = [value for value in held(part) if id(value) not in known]
        known |= {id(value) for value in new}
        seen += {id(value): value for value in new}.values()
    return seen


def parts(function: Any) -> list[FunctionType]:
    """A function, and what else the student wrote that it uses, each once."""
    return [part for part in reached(function) if _is_read(part, function)]


def _is_read(part: Any, function: Any) -> bool:
    """True for what is looked into: a function that the student wrote, and whatever function is the answer."""
    return is_own(part) or part is function and isinstance(part, FunctionType)


def borrows(*names: str) -> Callable[[Any], str]:
    """An exercise's `form`: a function that leaves what is to be written to one of these calls is told so.

    A function of the student's own may have such a name: what counts is what it does.

    >>> borrows("sum_to_size")(lambda g, shape: g.sum_to_size(shape))
    'it leaves the work to sum_to_size, which does what you are to write: write down its steps'
    """

    def form(function: Any) -> str:
        taken = borrowed(function, names)
        return f"it leaves the work to {taken}, which does what you are to write: write down its steps" if taken else ""

    return form


def borrowed(function: Any, names: Container[str]) -> str:
    """The first of these calls that a function, or one that it uses, leaves work to; or ""."""
    kinds = ((_called if _is_read(part, function) else _names_of)(part) for part in reached(function))
    return next((name for found in kinds for name in found if name in names), "")


def _called(function: FunctionType) -> Iterator[str]:
    """The names of what others wrote that a function uses: of attributes, of imports, and behind names of its own."""
    known = names_in(function)
    for code in codes(function):
        if not set(WANTED_BY_NAME).isdisjoint(code.co_names):
            yield from (text for text in code.co_consts if isinstance(text, str))
        before: Any = None  # what the step before has put down, as far as that is known
        for step in dis.get_instructions(code):
            value = known.get(step.argval) if step.opname in BY_NAME else None
            if step.opname in ("LOAD_ATTR", "LOAD_METHOD", "IMPORT_FROM"):
                value = getattr(before, step.argval, None)
                yield from () if is_own(getattr(value, "__func__", value)) else (step.argval,)
            elif value is not None and not is_own(value):
                yield from _names_of(value)
            before = value


def _names_of(value: Any) -> Iterator[str]:
    """The names by which others know a function, or the class of an object, that no student wrote."""
    kind = value if isinstance(value, type) else type(value)
    if _of_others(kind):
        yield kind.__name__
        yield getattr(value, "__name__", "")


def _of_others(kind: type) -> bool:
    """True for a class of Python's, of rustyflow's, or of a package."""
    room = kind.__module__
    file = "" if room == "__main__" else getattr(sys.modules.get(room), "__file__", None) or ""
    return room in sys.builtin_module_names or installed(file)


def tree(function: Any) -> ast.AST | None:
    """The source of a function as a tree; None where there is none, or only a part of it."""
    try:
        return ast.parse(textwrap.dedent(inspect.getsource(function)))
    except (OSError, TypeError, SyntaxError):
        return None


def returns(function: Any) -> bool:
    """True where a return has something behind it other than None; those of functions inside do not count."""
    source = tree(function)
    waiting = [part for node in getattr(source, "body", ()) for part in ast.iter_child_nodes(node)]
    for node in waiting:
        if isinstance(node, ast.Return) and getattr(node.value, "value", node.value) is not None:
            return True
        if not isinstance(node, ast.FunctionDef | ast.Lambda):
            waiting += ast.iter_child_nodes(node)
    return False


def uses(*names: str) -> Callable[[ast.AST], bool]:
    """A misconception's `seen`: whether one of these names, or methods, is used.

    >>> uses("mean")(ast.parse("g.mean(0)"))
    True
    """

    def seen(source: ast.AST) -> bool:
        found = {getattr(node, "id", None) or getattr(node, "attr", None) for node in ast.walk(source)}
        return not found.isdisjoint(names)

    return seen
