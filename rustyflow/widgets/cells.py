"""Which cell of a notebook shows what: a cell that runs again leaves no widget behind."""

from typing import Protocol

from IPython import get_ipython


class Shown(Protocol):
    """A widget, or an output of several."""

    def close(self) -> None: ...


SHOWN: dict[str, tuple[str, list[Shown]]] = {}
"""For each cell the message that ran it last, and what it showed then."""


def shown(*things: Shown) -> None:
    """The cell that runs now shows these; what its last run showed, and no other cell shows, is closed.

    ipywidgets keeps every widget for ever, and so does the page. Where cells have no ids, nothing is closed.
    """
    parent = getattr(get_ipython(), "get_parent", dict)() or {}
    cell, run = parent.get("metadata", {}).get("cellId"), parent.get("header", {}).get("msg_id")
    if not cell:
        return
    last, before = SHOWN.get(cell, ("", []))
    if last != run:
        SHOWN[cell] = run, []
        kept = {id(thing) for _, there in SHOWN.values() for thing in there}.union(map(id, things))
        for thing in before:
            if id(thing) not in kept:
                thing.close()
    SHOWN[cell][1].extend(things)
