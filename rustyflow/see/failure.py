"""The operation at which a reader's line failed: its place in the line, its operands, and the error."""

import ast
import linecache
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from types import TracebackType
from typing import Any, NamedTuple

from .line import Line, Part, copied, of_statement, opened, source
from .run import FILE, aside, evaluated, tensors_in
from .twins import Space, Twins, is_library

KINDS = (RuntimeError, IndexError, TypeError, ValueError)
"""The errors that an operation on tensors raises."""

LONG = 84
"""The most characters of a line that is shown whole."""


class Failure(NamedTuple):
    """A failed operation.

    Attributes:
        text: the reader's line. lit: where in it the operation stands, from and to. line: the operation as a line.
        whole: the expression of the statement with the operation in it, or None.
        form, parts, values: the operation with holes, and what stands in them, on copies in the reader's own library.
        space: the copies. error: what was raised. readers: the names where it failed.
        before: the statements of the reader's program up to the line.
        statement: the whole one that the operation is in.
    """

    text: str
    lit: tuple[int, int]
    line: Line
    whole: ast.expr | None
    form: ast.expr
    parts: list[Part]
    values: list[Any]
    space: Space
    error: BaseException
    readers: Mapping[str, Any]
    before: list[ast.stmt]
    statement: ast.AST

    def anew(self, twins: Twins) -> dict[str, Any]:
        """Copies of what stands in the holes, for one more trial: no expression of the reader's is run for them."""
        return {part.hole: _recorded(value, twins.of(value)) for part, value in zip(self.parts, self.values)}

    def value(self, form: ast.expr, meanwhile: AbstractContextManager | None = None) -> Any:
        """The value of a change of the operation, on copies of what that had: a write is done in these."""
        twins = Twins(ours=False)
        with aside(), meanwhile or nullcontext():
            holes = {**self.anew(twins), "__written__": _write}
            return evaluated(copied(form), twins.space(self.readers), holes)


def _write(x: Any, index: Any, value: Any) -> Any:
    x[index] = value
    return x


def _recorded(value: Any, twin: Any) -> Any:
    """A copy of a tensor: a leaf, a view of one, or neither, for errors of writes depend on it."""
    if getattr(value, "grad_fn", None) is None:
        return twin
    if value._base is not None and value._base.is_leaf:
        return twin.view_as(twin)
    again = twin.clone()
    return again if again.stride() == twin.stride() else twin


def failure_of(error: BaseException, line: Line | None = None) -> Failure | None:
    """Returns the operation at which an error came up in a reader's code; None where it is not about tensors.

    `line` is the reader's line, where that was run by `see`.
    """
    trace = _readers(error.__traceback__)
    if trace is None or isinstance(error, RecursionError):  # which any operation may raise that is called too deep
        return None
    code, frame = trace.tb_frame.f_code, trace.tb_frame
    readers: Mapping[str, Any] = {**frame.f_globals, **frame.f_locals}
    place = [*code.co_positions()][trace.tb_lasti // 2]
    if code.co_filename == FILE:
        if line is None or not isinstance(frame.f_globals, Space):
            return None
        readers, text, statements = frame.f_globals.readers, line.text, []
        statement: ast.AST = ast.parse(line.text).body[-1]
    else:
        text = "".join(linecache.getlines(code.co_filename, frame.f_globals))
        try:
            path = [*_path(ast.parse(text), place)]
        except (SyntaxError, ValueError, RecursionError):
            return None
        at = max((k for k, node in enumerate(path) if isinstance(node, ast.stmt)), default=None)
        if at is None:
            return None
        statement, statements = path[at], _before(path[at - 1] if at else None, path[at])
    node = _operation(statement, place, text)
    if node is None:
        return None
    return _copied(node, statement, text, error, readers, statements)


def _readers(trace: TracebackType | None) -> TracebackType | None:
    """The innermost place of a traceback that is in a reader's code."""
    last = None
    while trace is not None:
        if not is_library(trace.tb_frame.f_globals):
            last = trace
        trace = trace.tb_next
    return last


def frames_of(error: BaseException) -> Iterator[Mapping[str, Any]]:
    """Yields the names of what a reader's code called when an error came up, the outermost first."""
    readers = _readers(error.__traceback__)
    trace = readers and readers.tb_next
    while trace is not None:
        yield trace.tb_frame.f_locals
        trace = trace.tb_next


def _path(tree: ast.AST, place: tuple) -> Iterator[ast.AST]:
    """Yields the nodes that hold a place, the outermost first."""
    yield tree
    for child in ast.iter_child_nodes(tree):
        if _holds(child, place):
            yield from _path(child, place)
            return


def _holds(node: ast.AST, place: tuple) -> bool:
    """True if a place is in a node, or in a part of one that has no place."""
    if not hasattr(node, "lineno"):
        return any(_holds(part, place) for part in ast.iter_child_nodes(node))
    first, last, begin, end = place
    return (node.lineno, node.col_offset) <= (first, begin) and (last, end) <= (node.end_lineno, node.end_col_offset)


def _before(block: ast.AST | None, statement: ast.AST) -> list[ast.stmt]:
    """The statements from the first of a block up to one of it."""
    for part in vars(block).values() if block is not None else ():
        if isinstance(part, list) and statement in part:
            return part[: part.index(statement) + 1]
    return []


def _operation(statement: ast.AST, place: tuple, text: str) -> Line | None:
    """The operation that has a place in a statement, as a line."""
    first, last, begin, end = place
    for node in ast.walk(statement):
        exact = (getattr(node, "lineno", None), getattr(node, "end_lineno", None),
                 getattr(node, "col_offset", None), getattr(node, "end_col_offset", None)) == (first, last, begin, end)
        if exact and isinstance(node, ast.expr) and isinstance(getattr(node, "ctx", ast.Load()), ast.Load):
            return Line(text, node)
    return of_statement(statement, text) if isinstance(statement, ast.stmt) else Line(text, statement)


def _copied(line: Line, statement: ast.AST, text: str, error: BaseException, readers: Mapping[str, Any],
            before: list[ast.stmt]) -> Failure | None:  # fmt: skip
    """The failure with copies of its operands, or None where none is a tensor."""
    space = Twins(ours=False).space(readers)
    form, parts = opened(text, line.node)
    try:
        with aside():
            values = [evaluated(_fresh(part.node), space) for part in parts]
    except Exception:  # a part cannot be had a second time: then there is nothing to show of it
        return None
    about = any(tensors_in(value) or hasattr(value, "named_parameters") for value in values)
    if not about and not _module(form, space):
        return None
    shown, lit = _shown(statement, line, text)
    outer = of_statement(statement, text) if isinstance(statement, ast.stmt) else Line(text, statement)
    whole = outer and outer.node
    return Failure(shown, lit, line, whole, form, parts, values, space, error, readers, before, statement)


def _module(form: ast.expr, space: Space) -> bool:
    """True where a module is called."""
    func = getattr(form, "func", None)
    return isinstance(func, ast.Name) and hasattr(space.readers.get(func.id), "named_parameters")


def _fresh(node: ast.expr) -> ast.expr:
    return ast.parse(ast.unparse(node), mode="eval").body


def _shown(statement: ast.AST, line: Line, text: str) -> tuple[str, tuple[int, int]]:
    """The line that is shown, and where in it the operation stands."""
    whole = ast.get_source_segment(text, statement) or ast.unparse(statement)
    whole = whole.split("\n")[0] if isinstance(statement, ast.For | ast.While | ast.With | ast.If) else whole
    part = source(text, line.node) if line.node is not statement else whole
    if "\n" in whole or part not in whole or len(whole) > LONG:
        whole, part = ast.unparse(statement).split("\n")[0], ast.unparse(line.node)
    if len(whole) > LONG or part not in whole:
        return part[:LONG], (0, min(len(part), LONG))
    at = whole.index(part)
    if whole.count(part) > 1 and hasattr(line.node, "col_offset") and getattr(line.node, "lineno", 0) == getattr(
            statement, "lineno", 1):
        at = max(0, line.node.col_offset - statement.col_offset)
        at = at if whole[at : at + len(part)] == part else whole.index(part)
    return whole, (at, at + len(part))
