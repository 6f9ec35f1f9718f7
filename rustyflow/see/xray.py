"""X-ray: the figure of the expression under the cursor, floating under its line. It needs the extra `[lab]`."""

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ..errors.installation import extra
from ..show.words.sentences import listed
from .look import FAULTS, look, noted

with extra("lab", "%load_ext rustyflow, for X-ray"):
    import anywidget

DRAWN = ast.Name | ast.Attribute | ast.Subscript | ast.BinOp | ast.UnaryOp | ast.Call | ast.Compare
"""The expressions that have figures."""


def expressions(code: str, first: int, last: int) -> list[str]:
    """Returns the expressions that hold a selection, from the inmost out.

    In a cell with a magic, or half a line elsewhere, its own line is enough.

    >>> code = "%matplotlib inline\\ny = ((x * w + b).T[1:]).sum()"
    >>> expressions(code, code.index("w"), code.index("w"))[1:4]
    ['x * w', 'x * w + b', '(x * w + b).T']
    """
    return [*_expressions(code, first, last)]


def _expressions(code: str, first: int, last: int) -> dict[str, frozenset[str]]:
    """The expressions that hold a selection, each with the names in it that are set anew where it runs."""
    try:
        return _holding(code, 0, first, last)
    except (SyntaxError, ValueError, RecursionError):
        begin = code.rfind("\n", 0, first) + 1
        line = code[begin : end if (end := code.find("\n", last)) >= 0 else None]
        part = line.removeprefix("%see").strip()
        try:
            return _holding(part, begin + line.index(part), first, last)
        except (SyntaxError, ValueError, RecursionError):
            return {}


def _holding(text: str, shift: int, first: int, last: int) -> dict[str, frozenset[str]]:
    """The expressions of a text that hold a selection, the shortest first, as `_expressions` has them."""
    lines = text.split("\n")
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)

    def place(row: int, column: int) -> int:
        return shift + starts[row - 1] + len(lines[row - 1].encode()[:column].decode())

    held, tree = [], ast.parse(text)
    methods = {id(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    anew = {id(node): frozenset[str]() for node in ast.walk(tree)}
    for scope in ast.walk(tree):
        names = frozenset(_set_in(scope))
        for node in (part for inner in _inner(scope) for part in ast.walk(inner)):
            anew[id(node)] |= names
    for node in ast.walk(tree):
        read = isinstance(getattr(node, "ctx", ast.Load()), ast.Load) and id(node) not in methods
        if read and isinstance(node, DRAWN):
            begin, end = place(node.lineno, node.col_offset), place(node.end_lineno, node.end_col_offset)
            if begin <= first and last <= end:
                used = {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}
                held.append((end - begin, text[begin - shift : end - shift], anew[id(node)] & used))
    return {part: names for _, part, names in sorted(held, key=lambda one: one[:2])}


def _inner(scope: ast.AST) -> Iterator[ast.AST]:
    """Yields the parts of a function or a comprehension in which it has names of its own."""
    match scope:
        case ast.FunctionDef(body=body) | ast.AsyncFunctionDef(body=body):
            yield from body
        case ast.Lambda(body=body):
            yield body
        case ast.ListComp() | ast.SetComp() | ast.GeneratorExp() | ast.DictComp():
            yield from (part for part in ast.iter_child_nodes(scope) if part is not scope.generators[0])
            yield from scope.generators[0].ifs


def _set_in(scope: ast.AST) -> Iterator[str]:
    """Yields the names that a function or a comprehension sets each time that it runs."""
    for inner in (*_inner(scope), *getattr(scope, "generators", ())):
        yield from (part.id for part in ast.walk(inner)
                    if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store))  # fmt: skip
    if isinstance(arguments := getattr(scope, "args", None), ast.arguments):
        yield from (part.arg for part in ast.walk(arguments) if isinstance(part, ast.arg))


class XRay(anywidget.AnyWidget):
    """The model that listens in the page for Alt+X, and answers with figures; it is never shown itself.

    Enter adds the figure to the outputs of the cell, as the page's model of the notebook has them.
    """

    _esm = Path(__file__).with_name("xray.js")

    def __init__(self, shell: Any):
        super().__init__()
        self.shell = shell
        self.on_msg(self._hear)

    def _hear(self, _: Any, message: dict, __: Any) -> None:
        code = str(message.get("code", ""))
        place = (_counted(code, int(message[key])) for key in ("from", "to"))
        self.send(self.answer(code, *place, int(message["level"])) | {"ask": message.get("ask")})

    def answer(self, code: str, first: int, last: int, level: int) -> dict[str, Any]:
        """Returns the figure of the expression at a place: of the `level`-th, from the inmost out.

        No other is run: where this one has no figure, that is said.
        """
        found = _expressions(code, first, last)
        texts = [*found]
        level = max(0, min(level, len(texts) - 1))
        parts = shortened(texts)
        if not texts:
            return {"html": "", "text": "Nothing to draw stands here.", "level": level, "parts": parts}
        try:
            figure = look(texts[level], self.shell.user_ns)
            if names := sorted(found[texts[level]]):
                are, they = ("are", "they are") if len(names) > 1 else ("is", f"{names[0]} is")
                said = f"Here {listed(names)} {are} the notebook's: where this runs, {they} set anew."
                figure = noted(figure, said)
            return {"html": figure.html(), "plain": figure.bundle()["text/plain"], "text": "", "level": level,
                    "parts": parts}  # fmt: skip
        except FAULTS as error:
            why = str(error) or type(error).__name__
        around = f" Alt+X again asks for {texts[level + 1]}." if level + 1 < len(texts) else ""
        return {"html": "", "text": f"{why.rstrip('.')}.{around}", "level": level, "parts": parts}


def _counted(code: str, at: int) -> int:
    """A place in a text of the page, which counts a sign outside the first plane as two, in characters.

    >>> _counted("\N{SNAKE} x", 3)
    2
    """
    return len(code.encode("utf-16-le", "surrogatepass")[: 2 * at].decode("utf-16-le", "replace"))


def shortened(texts: list[str]) -> list[str]:
    """Returns expressions, each around the one before it, as what it adds to that.

    >>> shortened(["x * w", "x * w + b", "(x * w + b).T"])
    ['x * w', '… + b', '(…).T']
    """
    return [text.replace(before, "…", 1) if before else text for before, text in zip(["", *texts], texts)]
