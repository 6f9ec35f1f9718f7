"""`%%see` in a shell: the cell runs as any cell does, its statements say that they begin, and the figure comes after.

A cell magic that ran the cell itself would take `await`, the history and the frames of a traceback from it. So the cell
loses its first line and gets a mark at its end, by which its tree is known when the shell hands it out.
"""

import ast
import builtins
import linecache
import re
import sys
from collections.abc import Callable
from typing import Any

from .cell import Steps, figure
from .program import SAYS, instrumented
from .record import Record

MAGIC = "%%see"

USAGE = "%%see takes a cell of Python under it, whose lines it shows one by one; of magics of a cell it is the last"

MARK = f"{SAYS}.cell"
"""The statement at the end of a cell that is shown."""


class Stepping:
    """What a shell has for `%%see`.

    Attributes:
        ours: the shell's handler of errors while it is ours. raw: the text of the cell that began last.
        records: of each cell that is running, the outer first: its record, None of one that is not shown.
    """

    def __init__(self, shell: Any, ours: Any):
        self.shell, self.ours, self.records = shell, ours, list[Record | None]()
        self.events = (("pre_run_cell", self._begin), ("post_run_cell", self._end))
        self.raw, self.kinds = "", None
        shell.input_transformers_cleanup.append(self.marked)
        shell.ast_transformers.append(self)
        for name, call in self.events:
            shell.events.register(name, call)

    def leave(self) -> None:
        """Takes away from the shell all that it got."""
        for held in (self.shell.input_transformers_cleanup, self.shell.ast_transformers):
            held[:] = [one for one in held if one is not self and one != self.marked]
        for name, call in self.events:
            self.shell.events.unregister(name, call)
        self._say(None)

    # -- the cell before it runs -------------------------------------------------------------------------------------

    def marked(self, lines: list[str]) -> list[str]:
        """Returns the lines of a cell: of one under `%%see` its own, with a mark, if they are Python."""
        if not lines or lines[0].strip() != MAGIC:
            return lines
        body = lines[1:]
        body[-1:] = [line if line.endswith("\n") else f"{line}\n" for line in body[-1:]]
        text = "".join(body)
        if not text.strip() or text.lstrip().startswith("%%"):
            return lines
        try:
            python = self.shell.input_transformer_manager.transform_cell(text)
            tree = compile(python, "<see>", "exec", ast.PyCF_ONLY_AST | ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
        except (SyntaxError, ValueError, MemoryError, RecursionError):
            return body  # the shell says what is wrong with it
        if not tree.body:
            return lines
        ends = self.shell.displayhook.semicolon_at_end_of_expression(python)
        return [*python.splitlines(keepends=True), f"{MARK}{';' * ends}\n"]

    marked.has_side_effects = True  # where a terminal asks for one more line, a cell ends as that of any magic does

    def visit(self, tree: ast.Module) -> ast.Module:
        """Returns the tree of a cell: of one with a mark without it, and with statements that say that they begin."""
        last = tree.body[-1] if isinstance(tree, ast.Module) and tree.body else None
        if not isinstance(last, ast.Expr) or ast.unparse(last) != MARK:
            return tree
        del tree.body[-1]
        if self.records and self.records[-1] is None:
            record = Record(instrumented(tree, self.source), self.shell.user_ns)
            self.records[-1] = record
            self._say(self._first(record))
        return tree

    def _first(self, record: Record) -> Callable[[int], None]:
        """The record as the cell calls it; the first call takes the mark out of what tracebacks show of the cell."""
        def call(number: int) -> None:
            __tracebackhide__ = True
            entry = linecache.cache.get(sys._getframe(1).f_code.co_filename)
            if entry and len(entry) == 4 and entry[2] and entry[2][-1].startswith(MARK):
                entry[2].pop()
            self._say(record)
            self._catch_all()
            record(number)

        return call

    @property
    def source(self) -> str:
        """The reader's text of the cell that is running, without its first line and what is empty there."""
        lines = re.split(rf"^{MAGIC}\s*$", self.raw, maxsplit=1, flags=re.M)[-1].splitlines(keepends=True)
        for clean in self.shell.input_transformers_cleanup:
            lines = clean(lines)
        return "".join(lines)

    # -- the cell while it runs --------------------------------------------------------------------------------------

    def _begin(self, info: Any) -> None:
        """A cell begins."""
        self.raw = info.raw_cell
        self.records.append(None)

    def _end(self, result: Any) -> None:
        """A cell has ended: where it was shown, its figure comes under it."""
        record = self.records.pop() if self.records else None
        self._catch_all(False)
        self._say(next((one for one in reversed(self.records) if one), None))
        if record is not None:
            self._show(record, getattr(result, "error_in_exec", None))

    def failed(self, error: BaseException) -> None:
        """The cell that runs has failed: its figure comes before what is told of the error."""
        if self.records and (record := self.records[-1]) is not None:
            self.records[-1] = None
            self._show(record, error)

    def _catch_all(self, on: bool = True) -> None:
        """Meanwhile errors of every kind come to us, so that the figure stands before what is told of them."""
        if on and self.kinds is None and self.shell.CustomTB == self.ours:
            self.kinds = self.shell.custom_exceptions
            self.shell.custom_exceptions = (*self.kinds, Exception, KeyboardInterrupt)
        elif not on and self.kinds is not None:
            if self.shell.CustomTB == self.ours:
                self.shell.custom_exceptions = self.kinds
            self.kinds = None

    def _show(self, record: Record, error: BaseException | None) -> None:
        from IPython.display import display

        record.end(error)
        picture = _drawn(record)
        if isinstance(picture, Steps):
            display(picture)
        elif picture:
            print(picture, file=sys.stderr)

    @staticmethod
    def _say(record: Callable[[int], None] | None) -> None:
        """Settles whom statements tell that they begin."""
        if record is None:
            vars(builtins).pop(SAYS, None)
        else:
            setattr(builtins, SAYS, record)


def _drawn(record: Record) -> Steps | str | None:
    """The figure of a record, or why there is none: a fault of ours takes nothing from the reader's cell."""
    try:
        return figure(record)
    except Exception as fault:
        return f"The steps of this cell are not drawn: {fault!r:.200}"
