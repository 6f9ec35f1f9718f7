"""X-ray: the figure of the expression under the cursor, floating under its line. It needs the extra `[lab]`."""

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ..errors.installation import extra
from .look import FAULTS, look

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
    try:
        return [*_holding(code, 0, first, last)]
    except (SyntaxError, ValueError, RecursionError):
        begin = code.rfind("\n", 0, first) + 1
        line = code[begin : end if (end := code.find("\n", last)) >= 0 else None]
        part = line.removeprefix("%see").strip()
        try:
            return [*_holding(part, begin + line.index(part), first, last)]
        except (SyntaxError, ValueError, RecursionError):
            return []


def _holding(text: str, shift: int, first: int, last: int) -> Iterator[str]:
    """Yields the expressions of a text that hold a selection, the shortest first."""
    lines = text.split("\n")
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)

    def place(row: int, column: int) -> int:
        return shift + starts[row - 1] + len(lines[row - 1].encode()[:column].decode())

    held, tree = [], ast.parse(text)
    methods = {id(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    for node in ast.walk(tree):
        read = isinstance(getattr(node, "ctx", ast.Load()), ast.Load) and id(node) not in methods
        if read and isinstance(node, DRAWN):
            begin, end = place(node.lineno, node.col_offset), place(node.end_lineno, node.end_col_offset)
            if begin <= first and last <= end:
                held.append((end - begin, text[begin - shift : end - shift]))
    yield from dict.fromkeys(part for _, part in sorted(held))


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
        place = (int(message[key]) for key in ("from", "to", "level"))
        self.send(self.answer(str(message.get("code", "")), *place))

    def answer(self, code: str, first: int, last: int, level: int) -> dict[str, Any]:
        """Returns the figure of the expression at a place: of the `level`-th, from the inmost out.

        No other is run: where this one has no figure, that is said.
        """
        texts = expressions(code, first, last)
        level = max(0, min(level, len(texts) - 1))
        parts = shortened(texts)
        if not texts:
            return {"html": "", "text": "Nothing to draw stands here.", "level": level, "parts": parts}
        try:
            figure = look(texts[level], self.shell.user_ns)
            return {"html": figure.html(), "plain": figure.bundle()["text/plain"], "text": "", "level": level,
                    "parts": parts}  # fmt: skip
        except FAULTS as error:
            why = str(error) or type(error).__name__
        around = f" Alt+X again asks for {texts[level + 1]}." if level + 1 < len(texts) else ""
        return {"html": "", "text": f"{why.rstrip('.')}.{around}", "level": level, "parts": parts}


def shortened(texts: list[str]) -> list[str]:
    """Returns expressions, each around the one before it, as what it adds to that.

    >>> shortened(["x * w", "x * w + b", "(x * w + b).T"])
    ['x * w', '… + b', '(…).T']
    """
    return [text.replace(before, "…", 1) if before else text for before, text in zip(["", *texts], texts)]
