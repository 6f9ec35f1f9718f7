"""What the caller wrote: the words of the arguments of a call, and how a name was made. For titles only.

All of it may be missing (a call from a prompt without source); then the answer is None and a figure says "x".
"""

import ast
import linecache
import sys
from collections.abc import Iterator, Mapping
from types import FrameType
from typing import Any, NamedTuple

LONGEST = 72


class Words(NamedTuple):
    """The source text of each argument (None where unknown), and the caller's variables."""

    arguments: tuple[str | None, ...]
    programs: tuple[str | None, ...]
    variables: Mapping[str, Any]


def words(count: int, depth: int = 2) -> Words:
    """The words of the `count` positional arguments of the call that runs `depth` frames up.

    `arguments` are the expressions as written; `programs` say how each was made: `y = x.t()[1:]` for a variable whose
    assignment is in the same source (or in an earlier cell of the notebook), the expression itself for others.
    """
    frame = sys._getframe(depth)
    variables = {**frame.f_globals, **frame.f_locals}
    lines = linecache.getlines(frame.f_code.co_filename, frame.f_globals)
    source = "".join(lines)
    call = _call(frame, source)
    if call is None or len(call.args) < count or any(isinstance(a, ast.Starred) for a in call.args[:count]):
        return Words((None,) * count, (None,) * count, variables)
    arguments = tuple(_said(source, node) for node in call.args[:count])
    programs = tuple(
        (isinstance(node, ast.Name) and _made(node.id, frame, source, (call.lineno, call.col_offset))) or said
        for node, said in zip(call.args, arguments, strict=False)
    )
    return Words(arguments, programs, variables)


def _call(frame: FrameType, source: str) -> ast.Call | None:
    where = list(frame.f_code.co_positions())[frame.f_lasti // 2]
    tree = _parse(source)
    if tree is None or None in where:
        return None
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and (node.lineno, node.end_lineno, node.col_offset, node.end_col_offset) == where:
            return node
    return None


def _made(name: str, frame: FrameType, source: str, before: tuple[int, int]) -> str | None:
    """`name = expression`, from the last place that gave the name a value, if that is a plain assignment."""
    for text, limit in ((source, before), *((cell, (sys.maxsize, 0)) for cell in _earlier_cells(frame))):
        nodes = [n for n in _scope(_parse(text), frame) if _where(n) < limit]
        stores = [n for n in nodes if isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Store)]
        if not stores:
            continue
        last = max(stores, key=lambda node: (node.lineno, node.col_offset))
        for node in nodes:
            if isinstance(node, ast.Assign) and node.targets == [last]:
                said = _said(text, node.value)
                return f"{name} = {said}" if said else None
        return None
    return None


def _earlier_cells(frame: FrameType) -> Iterator[str]:
    """The notebook's cells that were run before this one, the last first."""
    history = frame.f_globals.get("In")
    if isinstance(history, list) and len(history) > 1:
        return (str(cell) for cell in reversed(history[:-1]))
    # a kernel that is told to keep no history, as nbval tells it, still has the sources of what it compiled
    cells = [entry for name, entry in linecache.cache.items() if "ipykernel" in name and len(entry) > 2]
    return ("".join(entry[2]) for entry in reversed(cells))


def _scope(tree: ast.AST | None, frame: FrameType) -> Iterator[ast.AST]:
    """The nodes that run in the frame: of its function, or of the module; not those of functions defined inside."""
    functions = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
    todo: list[ast.AST] = [] if tree is None else [tree]
    if tree is not None and frame.f_code.co_name != "<module>":
        names = (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))
        todo = [*(node for node in names if node.name == frame.f_code.co_name and node.lineno <= frame.f_lineno)][-1:]
    while todo:
        node = todo.pop()
        yield node
        todo += [child for child in ast.iter_child_nodes(node) if not isinstance(child, functions)]


def _where(node: ast.AST) -> tuple[int, int]:
    """Line and column; a node without (the module itself) comes first."""
    return getattr(node, "lineno", 0), getattr(node, "col_offset", 0)


def _said(source: str, node: ast.AST) -> str | None:
    text = " ".join((ast.get_source_segment(source, node) or "").split())
    return text if 0 < len(text) <= LONGEST else None


def _parse(source: str) -> ast.AST | None:
    try:
        return ast.parse(source)
    except (SyntaxError, ValueError, RecursionError):  # a cell with magics: no words from it
        return None
