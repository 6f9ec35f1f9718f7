"""A function as a text that runs alone: its source, and that of all it uses from its notebook."""

import ast
import inspect
import linecache
import symtable
import sys
from collections.abc import Callable, Iterator
from types import FunctionType, ModuleType
from typing import Any

PLAIN = (bool, int, float, complex, str, bytes, type(None))
"""Types whose repr is source."""
ROOMS = ("rustyflow", "rustyflow.lessons", "math", "numpy", "torch")
"""Where a thing may come from that does not say so itself."""


class Dependent(Exception):
    """A function that cannot run alone: why, and what to write instead."""


def standalone(function: Any, name: str) -> str:
    """The text that defines a function under a name, with all that it uses.

    Raises:
        Dependent: it uses what cannot be written down.

    >>> from rustyflow.lessons import models
    >>> print(standalone(models.vjp_mul, "vjp_mul"))
    def vjp_mul(g, a, b):
        return g * b, g * a
    <BLANKLINE>
    """
    gathering = _Gathering()
    called = gathering.name_of(function, name)
    last = [] if called == name else [f"{name} = {called}"]
    return "\n\n".join(["\n".join(gathering.imports), *gathering.parts, *last]).strip() + "\n"


class _Gathering:
    """Definitions on their way into a text; what is used stands before what uses it."""

    def __init__(self) -> None:
        self.imports: list[str] = []
        self.parts: list[str] = []
        self.taken: dict[str, Any] = {}

    def name_of(self, thing: Any, wanted: str) -> str:
        """The name under which a function or class of the notebook stands in the text, with all that it uses."""
        inner = inspect.unwrap(thing) if callable(thing) else thing
        source, called = _definition(inner, wanted)
        if not self.take(called, thing):
            return called
        for used in _globals_of(source):
            if used in _namespace(inner) and used != called:
                self.put(used, _namespace(inner)[used])
        self.parts.append(source)
        return called

    def take(self, name: str, value: Any) -> bool:
        """True if a name is new to the text."""
        if name in self.taken:
            if self.taken[name] is not value:
                raise Dependent(f"two things are called {name}: give one of them another name")
            return False
        self.taken[name] = value
        return True

    def put(self, name: str, value: Any) -> None:
        """Bring a global name into the text with its value."""
        if self.taken.get(name, self) is value:
            return
        if line := _imported(name, value):
            if self.take(name, value):
                self.imports.append(line)
        elif _is_written(value):
            called = self.name_of(value, name)
            if called != name and self.take(name, value):
                self.parts.append(f"{name} = {called}")
        elif self.take(name, value):
            self.parts.append(f"{name} = {self.expression(name, value)}")

    def expression(self, name: str, value: Any) -> str:
        """The source of a value: of numbers and words, of functions, and of groups of these."""
        if type(value) is float and (value != value or value in (float("inf"), -float("inf"))):
            return f'float("{value}")'
        if type(value) in PLAIN:
            return repr(value)
        if type(value) in (list, tuple, set, dict) and len(value) <= 1000:
            if type(value) is dict:
                pairs = (f"{self.expression(name, k)}: {self.expression(name, v)}" for k, v in value.items())
                return f"{{{', '.join(pairs)}}}"
            inside = ", ".join(self.expression(name, part) for part in value)
            return {list: f"[{inside}]", set: f"{{{inside}}}" if value else "set()",
                    tuple: f"({inside}{',' * (len(value) == 1)})"}[type(value)]  # fmt: skip
        called = getattr(value, "__name__", "")
        if _is_written(value):
            return self.name_of(value, f"{name}_{len(self.parts)}" if called == "<lambda>" else called)
        if callable(value) and called.isidentifier() and _imported(called, value):
            self.put(called, value)
            return called
        raise Dependent(f"it uses {name}, a {type(value).__name__} of the notebook: make it inside of the function")


def _is_written(value: Any) -> bool:
    """True for a function or class that is in no module: written in a notebook, or kept of one."""
    if not (inspect.isfunction(value) or inspect.isclass(value) or hasattr(value, "__wrapped__")):
        return False
    inner = inspect.unwrap(value)
    room = getattr(inner, "__globals__", {}).get("__name__", getattr(inner, "__module__", ""))
    return room == "__main__" or room not in sys.modules


def _imported(name: str, value: Any) -> str:
    """The import that gives a value under a name; empty where there is none."""
    if isinstance(value, ModuleType):
        return f"import {value.__name__}" + ("" if value.__name__ == name else f" as {name}")
    for room in (getattr(value, "__module__", None), *ROOMS):
        module = sys.modules.get(room) if isinstance(room, str) and room != "__main__" else None
        for called in {getattr(value, "__name__", name): 0, name: 0} if module and type(value) not in PLAIN else ():
            if isinstance(called, str) and vars(module).get(called, PLAIN) is value:
                return f"from {room} import {called}" + ("" if called == name else f" as {name}")
    return ""


def _namespace(thing: Any) -> dict[str, Any]:
    """The global names that a function, or a class, looks things up in."""
    return next((code_of.__globals__ for code_of in _functions_of(thing)), {})


def _functions_of(thing: Any) -> Iterator[FunctionType]:
    parts = vars(thing).values() if inspect.isclass(thing) else (thing,)
    return (part for part in parts if isinstance(part, FunctionType))


def _definition(thing: Any, wanted: str) -> tuple[str, str]:
    """The source of a function or class, and its name; a lambda gets the one that is wanted."""
    function = next(_functions_of(thing), None)
    if function is None:
        raise Dependent(f"{wanted} is no function written with def, whose lines could be kept: write it with def")
    if inspect.isfunction(thing) and function.__code__.co_freevars:
        outer = function.__code__.co_freevars[0]
        raise Dependent(f"it uses {outer}, which belongs to a function around it: write it with def on its own")
    text = "".join(linecache.getlines(function.__code__.co_filename))
    try:
        known = [node for node in ast.walk(ast.parse(text)) if _defines(node, thing)]
    except SyntaxError:
        known = []
    if not known:
        raise Dependent(f"the lines of {wanted} are not to be found: write it with def in a cell, and run that")
    node = known[0]
    if isinstance(node, ast.Lambda):
        return f"{wanted} = {ast.get_source_segment(text, node)}", wanted
    first = min([node.lineno, *(one.lineno for one in node.decorator_list)])
    lines = text.splitlines()[first - 1 : node.end_lineno]
    margin = lines[0][: node.col_offset]
    return "\n".join(line.removeprefix(margin) for line in lines), node.name


def _defines(node: ast.AST, thing: Any) -> bool:
    """True if a node of a cell's tree is the definition of a function or class."""
    if inspect.isclass(thing):
        return isinstance(node, ast.ClassDef) and node.name == thing.__name__
    code = thing.__code__
    if isinstance(node, ast.Lambda):
        place = node.body.lineno, node.body.end_lineno, node.body.col_offset, node.body.end_col_offset
        return code.co_name == "<lambda>" and place in code.co_positions()
    if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        return False
    first = min([node.lineno, *(one.lineno for one in node.decorator_list)])
    return node.name == code.co_name and first == code.co_firstlineno


def _globals_of(source: str) -> list[str]:
    """The names that a definition reads and does not make itself."""

    def of(table: symtable.SymbolTable) -> Iterator[str]:
        for symbol in table.get_symbols():
            read = symbol.is_referenced() or symbol.is_declared_global()  # COUNT += 1 alone is no reference
            if read and (symbol.is_global() or table.get_type() == "module"):
                yield symbol.get_name()
        for child in table.get_children():
            yield from of(child)

    return list(dict.fromkeys(of(symtable.symtable(source, "cell", "exec"))))


def defined(text: str, name: str, file: str) -> Callable[..., Any]:
    """The function that a text defines under a name.

    Raises:
        Exception: whatever the text raises; LookupError where it defines no such function.
    """
    names: dict[str, Any] = {"__name__": "mine"}
    exec(compile(text, file, "exec"), names)
    if not callable(function := names.get(name)):
        raise LookupError(f"it defines no function {name}")
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    return function
