"""The widgets of a notebook's cells: one that runs again, or a cleared Output, leaves none behind.

And whether the page has what brings widgets to life.
"""

import sys
import time
from typing import NamedTuple, Protocol

from IPython import get_ipython
from ipywidgets import Output
from ipywidgets.widgets import widget as front


class Shown(Protocol):
    """A widget, or an output of several."""

    _key: str

    def close(self) -> None: ...


class Place(NamedTuple):
    """An Output of ipywidgets, such as `interact` has one: the cell that made it, and what it holds."""

    cell: str | None
    groups: dict[str, list[Shown]]


SHOWN: dict[str, tuple[str, list[Shown]]] = {}
"""For each cell the message that ran it last, and what it showed then, outside of Outputs."""

PLACES: dict[str, Place] = {}
"""The Outputs that something was shown in, by the ids of their models."""


def shown(*things: Shown) -> None:
    """Keeps that the cell that runs, or the open Output, shows these: one output, under the last one's key.

    What the cell's last run showed is closed, if nothing else shows it. ipywidgets keeps every widget for ever, and so
    does the page. Where cells have no ids, nothing is closed.
    """
    parent = getattr(get_ipython(), "get_parent", dict)() or {}
    cell, run = parent.get("metadata", {}).get("cellId"), parent.get("header", {}).get("msg_id")
    if cell:
        PAGE.asked()
    gone: list[Shown] = []
    if cell and SHOWN.get(cell, ("",))[0] != run:
        _, gone = SHOWN.get(cell, ("", []))
        SHOWN[cell] = run, []
        for id in [id for id, place in PLACES.items() if place.cell == cell]:
            gone = [*gone, *(thing for group in PLACES.pop(id).groups.values() for thing in group)]
    if output := _open(run):
        if output.model_id not in PLACES:
            PLACES[output.model_id] = Place(cell, {})
            output.observe(_emptied, "outputs")
        PLACES[output.model_id].groups[things[-1]._key] = list(things)
    elif cell:
        SHOWN[cell][1].extend(things)
    _close(gone)


def _open(run: str | None) -> Output | None:
    """The Output that takes what is displayed now."""
    outputs = (one for one in list(front._instances.values()) if isinstance(one, Output))
    return next((one for one in outputs if run and one.msg_id == run), None)


def _emptied(change) -> None:
    """An Output says what it holds: what it held before, and does not any more, is closed."""
    _, groups = PLACES.get(change["owner"].model_id, Place(None, {}))
    was, now = (str([one.get("data") for one in outputs]) for outputs in (change["old"], change["new"]))
    for key in [key for key in groups if key in was and key not in now]:
        _close(groups.pop(key))


def _close(things: list[Shown]) -> None:
    """Closes what is shown nowhere any more."""
    inside = [group for place in PLACES.values() for group in place.groups.values()]
    kept = {id(thing) for there in (*(there for _, there in SHOWN.values()), *inside) for thing in there}
    for thing in things:
        if id(thing) not in kept:
            thing.close()


class Page:
    """True if the page answers for widgets: where it lacks their front end, a later cell says so, once.

    The answer may wait for cells that run, so only what has not come while none ran counts as missing.
    """

    late = 5.0
    says = (
        "The page does not answer for widgets: their figures live, but Python hears nothing of them. The front end of "
        "widgets is missing there, or too old; rustyflow doctor, in a terminal, says what to do."
    )

    def __init__(self):
        self.shell, self.idle, self.met = None, time.monotonic(), False

    def asked(self) -> None:
        """A widget was shown in a page."""
        if not self.met and self.shell is None and (shell := get_ipython()):
            self.shell = shell
            shell.events.register("pre_run_cell", self._begins)
            shell.events.register("post_run_cell", self._ends)

    def answers(self) -> None:
        """A widget's model in the page has sent something."""
        self.met = True

    def _ends(self, *_) -> None:
        self.idle = time.monotonic()

    def _begins(self, *_) -> None:
        waited = time.monotonic() - self.idle
        if self.met or waited > self.late:
            self.shell.events.unregister("pre_run_cell", self._begins)
            self.shell.events.unregister("post_run_cell", self._ends)
            if not self.met:
                print(self.says, file=sys.stderr)


PAGE = Page()
