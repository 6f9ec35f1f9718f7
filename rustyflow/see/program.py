"""A program whose statements are numbered, and which says before each one that it begins.

Statements keep their places, so that a traceback points where it would, and no tracer is needed: one that is there, a
debugger's or a profiler's, stays.
"""

import ast
import re
from collections.abc import Iterator
from typing import NamedTuple

SAYS = "__see__"
"""The name that a program calls with the number of the statement that begins."""

Loop = ast.For | ast.AsyncFor | ast.While
BLOCKS = "body", "orelse", "handlers", "finalbody", "cases"


class Statement(NamedTuple):
    """A statement.

    Attributes:
        node: its tree. first, last: its lines, of a block those of its head. end: the number after all within it.
        inner: the numbers of its body. binds: the names that it binds itself. via: the name that it writes through.
    """

    node: ast.stmt
    first: int
    last: int
    end: int
    inner: range
    binds: frozenset[str]
    via: str

    @property
    def is_loop(self) -> bool:
        """True for what runs in rounds."""
        return isinstance(self.node, Loop)


class Program(NamedTuple):
    """A program with its statements in the order in which they stand, and the names that occur in it."""

    lines: tuple[str, ...]
    statements: tuple[Statement, ...]
    names: frozenset[str]


def instrumented(tree: ast.Module, text: str) -> Program:
    """Returns the program of a tree, whose statements say from now on that they begin.

    A loop says it again before each round. What is in functions and classes is left as it is.

    >>> tree = ast.parse("for i in [1, 2]:\\n    x = i")
    >>> program = instrumented(tree, "for i in [1, 2]:\\n    x = i")
    >>> said = []
    >>> exec(compile(tree, "a", "exec"), {SAYS: said.append}), said
    (None, [0, 1, 0, 1, 0])
    """
    names = frozenset(_named(tree))
    statements: list[Statement | None] = []
    tree.body = _said(tree.body, statements, None)
    ast.fix_missing_locations(tree)
    return Program(tuple(text.rstrip().splitlines()), tuple(filter(None, statements)), names)


def _named(tree: ast.AST) -> Iterator[str]:
    """Yields the names in a program, and those in the text of a magic's line."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            yield node.id
        elif isinstance(node, ast.Call) and ast.unparse(node.func).startswith("get_ipython()."):
            yield from re.findall(r"[^\W\d]\w*", " ".join(map(ast.unparse, node.args)))


def _said(block: list[ast.stmt], statements: list[Statement | None], loop: int | None) -> list[ast.stmt]:
    """The statements of a block, each after a call that says its number."""
    out: list[ast.stmt] = []
    for statement in block:
        if isinstance(statement, ast.ImportFrom) and statement.module == "__future__" or _is_text(statement):
            out.append(statement)
            continue
        number = len(statements)
        binds, via = frozenset(_bound(statement)), _written_through(statement)
        statements.append(None)
        is_loop = isinstance(statement, Loop)
        inner = range(0)
        for part in _blocks(statement):
            for name in ("body", "orelse", "finalbody"):
                if not isinstance(inside := getattr(part, name, None), list) or not inside:
                    continue
                begin = len(statements)
                own = is_loop and part is statement and name == "body"
                said = _said(inside, statements, number if own else loop)
                setattr(part, name, [*said, _call(number, statement)] if own else said)
                inner = inner or (range(begin, len(statements)) if name == "body" else inner)
        first, last = _head(statement)
        statements[number] = Statement(statement, first, last, len(statements), inner, binds, via)
        again = [_call(loop, statement)] if isinstance(statement, ast.Continue) and loop is not None else []
        out += [_call(number, statement), *again, statement]
    return out


def _blocks(statement: ast.stmt) -> Iterator[ast.AST]:
    """Yields what has blocks of statements in it that run where they stand: the statement, its handlers, its cases."""
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return
    yield statement
    yield from getattr(statement, "handlers", ())
    yield from getattr(statement, "cases", ())


def _call(number: int, at: ast.stmt) -> ast.Expr:
    """The statement that says a number, in the place of the one that begins."""
    says = ast.Expr(ast.Call(ast.Name(SAYS, ast.Load()), [ast.Constant(number)], []))
    for node in ast.walk(says):
        ast.copy_location(node, at)
    return says


def _is_text(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant) and isinstance(
        statement.value.value, str)


def _head(statement: ast.stmt) -> tuple[int, int]:
    """The first line of a statement and its last one, of a block that of its head."""
    body = getattr(statement, "body", None) or getattr(statement, "cases", None)
    if not isinstance(body, list):
        return statement.lineno, statement.end_lineno or statement.lineno
    within = body[0].pattern if isinstance(body[0], ast.match_case) else body[0]
    inside = min(part.lineno for part in (within, *getattr(within, "decorator_list", ())))
    return statement.lineno, max(statement.lineno, inside - 1)


def _heads(statement: ast.stmt) -> Iterator[ast.AST]:
    """Yields the parts of a statement that are not its blocks."""
    for name, part in ast.iter_fields(statement):
        if name not in BLOCKS or not isinstance(part, list):
            yield from (one for one in (part if isinstance(part, list) else [part]) if isinstance(one, ast.AST))


def _bound(statement: ast.stmt) -> Iterator[str]:
    """Yields the names that a statement binds itself."""
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        yield statement.name
        return
    if isinstance(statement, ast.Import | ast.ImportFrom):
        yield from ((alias.asname or alias.name).partition(".")[0] for alias in statement.names if alias.name != "*")
    for head in _heads(statement):
        for node in ast.walk(head):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                yield node.id


def _written_through(statement: ast.stmt) -> str:
    """The name through which a statement writes: `w` of `w[0] = 1`, `w += 1` and `w.t().mul_(2)`."""
    match statement:
        case ast.Assign(targets=[ast.Subscript() as target, *_]) | ast.AugAssign(target=target):
            pass
        case ast.Expr(value=ast.Call(func=ast.Attribute(attr=attr) as target)) if attr.endswith("_"):
            pass
        case _:
            return ""
    node: ast.AST = target
    while isinstance(node, ast.Attribute | ast.Subscript | ast.Call):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else ""
