"""`%%see` in a shell: the cell runs as any cell does, and its figure comes after it.

Nothing of ours is in the way of other cells: the magic hands the lines under it to the shell, which shows the value of
the last one, and an error with the frames that it would have.
"""

import asyncio
import contextlib
import sys
import threading
from collections.abc import Coroutine, Iterator
from contextvars import copy_context
from typing import Any

from .program import instrumented
from .record import Record, said_to
from .stepper import Steps, figure

USAGE = "%%see takes lines of Python under it, which it runs once and shows one by one"


class Stepping:
    """The cells under `%%see` in a shell; those that are running, the outer first, each with its result."""

    def __init__(self, shell: Any):
        self.shell, self.running = shell, list[tuple[Record, Any]]()

    def run(self, cell: str, handler: Any) -> None:
        """Runs a cell, and shows its figure; `handler` is ours of errors, if the shell has it."""
        shell, result = self.shell, self.shell.displayhook.exec_result
        python = shell.transform_cell(cell)
        name = shell.compile.cache(python, getattr(result, "execution_count", 0), raw_code=cell)
        try:
            tree = shell.compile.ast_parse(python, filename=name)
        except (SyntaxError, ValueError, TypeError, OverflowError, MemoryError) as error:  # shown as the shell does
            shell.showindentationerror() if isinstance(error, IndentationError) else shell.showsyntaxerror()
            if result is not None:
                result.error_before_exec = error
            return
        tree = shell.transform_ast(tree)
        record = Record(instrumented(tree, self._text(cell)), shell.user_ns)
        quiet = shell.displayhook.semicolon_at_end_of_expression(python)
        show = "none" if quiet else shell.ast_node_interactivity
        work = shell.run_ast_nodes(tree.body, name, interactivity=show, compiler=shell.compile, result=result)
        self.running.append((record, result))
        try:
            with said_to(record), self._all_errors(handler):
                _driven(shell, work, shell.should_run_async(cell, transformed_cell=python))
        finally:
            if (record, result) in self.running:
                self._ended(getattr(result, "error_in_exec", None))

    def failed(self, error: BaseException) -> None:
        """Shows the figure of a cell that has failed, before what is told of the error."""
        if self.running and self.running[-1][1] is self.shell.displayhook.exec_result:
            self._ended(error)

    def _ended(self, error: BaseException | None) -> None:
        record, _ = self.running.pop()
        from IPython.display import display

        record.end(error)
        picture = _drawn(record)
        if isinstance(picture, Steps):
            display(picture)
        elif picture:
            print(picture, file=sys.stderr)

    def _text(self, cell: str) -> str:
        """The reader's text of a cell as the shell numbers its lines: without what is empty before them."""
        lines = cell.splitlines(keepends=True)
        for clean in self.shell.input_transformers_cleanup:
            lines = clean(lines)
        return "".join(lines)

    @contextlib.contextmanager
    def _all_errors(self, handler: Any) -> Iterator[None]:
        """Meanwhile errors of every kind come to us, so that the figure stands before what is told of them."""
        shell, kinds = self.shell, self.shell.custom_exceptions
        if shell.CustomTB == handler:
            shell.custom_exceptions = (*kinds, Exception, KeyboardInterrupt)
        try:
            yield
        finally:
            if shell.CustomTB == handler:
                shell.custom_exceptions = kinds


def _driven(shell: Any, work: Coroutine, waits: bool) -> None:
    """Runs a cell's work to its end, beside an event loop that is at work in one of its own."""
    if not waits:
        with contextlib.suppress(StopIteration):
            work.send(None)
        return
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return shell.loop_runner(work)
    tasks: list[tuple[asyncio.AbstractEventLoop, asyncio.Task]] = []

    async def task() -> None:
        tasks.append((asyncio.get_running_loop(), asyncio.current_task()))
        await work

    beside = threading.Thread(target=copy_context().run, args=(asyncio.run, task()), daemon=True)
    beside.start()
    try:
        beside.join()
    except KeyboardInterrupt:
        for loop, one in tasks:
            loop.call_soon_threadsafe(one.cancel)
        beside.join()
    return None


def _drawn(record: Record) -> Steps | str | None:
    """The figure of a record, or why there is none: a fault of ours takes nothing from the reader's cell."""
    try:
        picture, fault = figure(record), record.fault
    except Exception as error:
        picture, fault = None, error
    return picture if fault is None or picture else f"The steps of this cell are not drawn: {fault!r:.200}"
