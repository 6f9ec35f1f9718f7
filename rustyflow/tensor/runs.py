"""The calls of modules and the walks backward, by the numbers of the nodes made meanwhile.

So a graph can say who made a node.
"""
from __future__ import annotations

from bisect import bisect_left
from collections import deque
from typing import Any
from weakref import ref

from .storage import tick

RUNS: deque = deque(maxlen=1 << 13)
"""The latest calls: the first and the last node number of each, and its module, weakly."""

WALKS: deque = deque(maxlen=1 << 13)
"""The latest walks backward that were recorded: the first and the last node number of each."""

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


class walking:
    """While gradients are computed and recorded, the nodes that are made are no call of the program's."""

    __slots__ = ("first",)

    def __enter__(self) -> None:
        self.first = tick()

    def __exit__(self, *exc: Any) -> None:
        WALKS.append((self.first, tick()))


class Paths:
    """For node numbers the path of the module that made it: `Net.encoder.0`, or nothing; and whether a backward did."""

    def __init__(self) -> None:
        self.runs = sorted(RUNS, key=lambda run: run[0])
        self.walks: list = []
        for walk in sorted(WALKS):
            if not self.walks or walk[1] > self.walks[-1][1]:  # else it ran inside that one
                self.walks.append(walk)

    def backward(self, number: int) -> bool:
        """True if a node was made while gradients were computed."""
        here = bisect_left(self.walks, (number,))
        return here > 0 and self.walks[here - 1][1] > number

    def around(self, number: int) -> list[Any]:
        """The modules that ran when a node was made, from the outermost on; without those that are gone."""
        here = bisect_left(self.runs, number, key=lambda run: run[0])
        around = [module() for _, last, module in self.runs[max(0, here - REACH):here] if last > number]
        return [module for module in around if module is not None]

    def of(self, around: list[Any]) -> str:
        """The names of modules, each within the one before, joined by dots."""
        parts: list[str] = []
        for outer, module in zip([None, *around], around, strict=False):
            named = outer.named_modules() if outer is not None else ()
            parts.append(next((name for name, part in named if part is module), type(module).__name__))
        return ".".join(parts)
