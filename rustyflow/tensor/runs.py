"""The calls of modules, by the numbers of the nodes that were made meanwhile: so a graph can say who made a node."""
from __future__ import annotations

from bisect import bisect_left
from collections import deque
from typing import Any
from weakref import ref

from .storage import tick

RUNS: deque = deque(maxlen=1 << 13)
"""The latest calls: the first and the last node number of each, and its module, weakly."""

REACH = 512
"""How many calls before a node's are looked at for those that it was made in."""


class running:
    """While a module runs, the nodes that are made are its own."""

    __slots__ = ("first", "module")

    def __init__(self, module: Any):
        self.module = module

    def __enter__(self) -> None:
        self.first = tick()

    def __exit__(self, *exc: Any) -> None:
        RUNS.append((self.first, tick(), ref(self.module)))


class Paths:
    """For node numbers the path of the module that made it: `Net.encoder.0`, or nothing."""

    def __init__(self) -> None:
        self.runs = sorted(RUNS, key=lambda run: run[0])

    def of(self, number: int) -> str:
        """The names of the modules that ran when a node was made, from the outermost on, joined by dots."""
        here = bisect_left(self.runs, number, key=lambda run: run[0])
        around = [module() for _, last, module in self.runs[max(0, here - REACH):here] if last > number]
        around = [module for module in around if module is not None]  # of one that is gone nothing is known
        parts: list[str] = []
        for outer, module in zip([None, *around], around, strict=False):
            named = outer.named_modules() if outer is not None else ()
            parts.append(next((name for name, part in named if part is module), type(module).__name__))
        return ".".join(parts)
