"""The goal of a walk: to add to every leaf, or to find the gradients at some edges alone."""
from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..tensor import AccumulateGrad


class Goal:
    """The edges that are asked for, as (node number, number of the result), and the nodes that lead to them.

    Attributes:
        sinks: the gradient at each edge; None where all leaves are meant, which then accumulate theirs.
        only: the numbers of the nodes worth visiting; None for all.
    """

    __slots__ = ("sinks", "only")

    def __init__(self, edges: Iterable[tuple[int, int]] | None = None, only: set[int] | None = None):
        self.sinks = None if edges is None else dict.fromkeys(edges)
        self.only = only

    def keep(self, node: Any, g: Any) -> None:
        """Store what arrived at a node (a list for several results), for those of its results that are asked for."""
        for k, part in enumerate(g) if type(g) is list else ((0, g),):
            if (node.number, k) in self.sinks:
                self.sinks[node.number, k] = part

    def is_beyond(self, node: Any) -> bool:
        """True if the walk goes on from a node.

        One that looks for edges accumulates in no leaf.
        """
        if self.sinks is None:
            return True
        if node.__class__ is AccumulateGrad:
            return False
        return self.only is None or any([p is not None and p.number in self.only for p in node.parents])
