"""A run while it runs: its picture in a notebook, a line in a terminal.

In static mode one picture comes after the cell.
"""

import sys
import uuid
from collections.abc import Callable
from time import monotonic
from typing import Any

from ...claims.digits import spell
from ...scene.figure import is_static

APART, SHARE, SOON = 1.0, 0.05, 5.0
"""The least seconds from picture to picture, the share of a run's time that drawing them may take, and how long the
figures of kept steps may be in the making at the end of a cell."""

hosts: list[Callable] = []
"""A slot, which the package's face fills: a function that makes a widget of a run, under a key."""


class Live:
    """The output of a run: a picture that is drawn anew, and at the end the figure."""

    def __init__(self, run: Any, on: bool):
        self.run, self.on, self._handle, self._due, self._begun = run, on, None, 0.0, None
        self._waiting, self._key, self._widget = False, uuid.uuid4().hex, None
        self._count = 0  # of steps in this loop, for one before may have been broken off

    def step(self) -> None:
        """Draws the picture, or writes the line, if it is time to."""
        now = monotonic()
        self._begun = self._begun or now
        self._count += 1
        if not self.on or now < self._due:
            return
        if in_notebook() and is_static():  # its one picture comes when the cell is done
            self._due = float("inf")
        elif in_notebook():
            self._show(self.run.figure().picture())
            self._due = monotonic() + max(APART, (monotonic() - now) / SHARE)
        elif in_terminal():
            self._due = now + APART
            sys.stderr.write("\r" + self.line(now - self._begun))

    def end(self) -> None:
        """Shows the figure, which is alive without a kernel, or ends the line."""
        if self.on and self.run.losses:
            if in_notebook():
                if not is_static():
                    self._show(self.run.figure(0).html())
                self._wait()
            elif in_terminal() and self._begun:
                sys.stderr.write("\r" + self.line(monotonic() - self._begun) + "\n")
        self._due, self._begun, self._count = 0.0, None, 0

    def _wait(self) -> None:
        """Shows the figure when the cell is done, with its kept steps, once for all epochs."""
        events = sys.modules["IPython"].get_ipython().events

        def done() -> None:
            from IPython.display import display

            events.unregister("post_execute", done)
            self._waiting = False
            if is_static():  # where nothing is drawn anew
                display(self.run.figure().bundle() | {"text/plain": repr(self.run)}, raw=True)
            else:
                self._rest()

        if not self._waiting:
            self._waiting = True
            events.register("post_execute", done)

    def _rest(self) -> None:
        """Brings the figure alive: by a widget, whose Python opens any kept step, where there is one."""
        try:
            if self._widget is None and hosts:
                self._widget = hosts[0](self.run, self._key)
            elif self._widget is not None:
                self._widget.refresh()
        except ImportError:  # without the extra [lab]
            hosts.clear()
        if self._widget is None:
            self._show(self.run.figure(SOON).html())
        else:
            self._handle.update(self._widget.bundle() | {"text/plain": repr(self.run)}, raw=True)

    def line(self, seconds: float) -> str:
        """The progress of the run in words."""
        done, loss = len(self.run.losses), spell(float(self.run.losses[-1]))
        try:
            whole = len(self.run)
        except TypeError:  # a loader that does not know
            return f"step {done}, loss {loss}, {seconds:.0f} s".ljust(60)
        left = max(0, whole - self._count)
        return f"step {done}, loss {loss}, {seconds:.0f} s, {left} of {whole} steps to go".ljust(60)

    def _show(self, html: str) -> None:
        from IPython.display import display

        bundle = {"text/html": html, "text/plain": repr(self.run)}
        if self._handle is None:
            self._handle = display(bundle, raw=True, display_id=self._key)
        else:
            self._handle.update(bundle, raw=True)


def in_notebook() -> bool:
    """True in a kernel, whose outputs are pictures."""
    if "IPython" not in sys.modules:
        return False
    shell = sys.modules["IPython"].get_ipython()
    return getattr(shell, "kernel", None) is not None


def in_terminal() -> bool:
    """True where somebody looks at standard error."""
    return sys.stderr is not None and sys.stderr.isatty()
