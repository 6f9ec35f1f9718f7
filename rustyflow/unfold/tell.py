"""One operation told for one cell: by its rule, by numbering, or by its trace.

What does not come to the engine's number is not said.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from math import isfinite
from typing import Any, NamedTuple

import numpy as np

from ..claims.lazy import Index
from ..claims.tree import Op as Step, Tree, floats, size
from ..dispatch.operation import Op
from ..errors import TensorError
from .again import Unknown
from .inside import Inside
from .moved import Moved
from .number import Told
from .ruled import Ruled
from .source import Call, Source
from .traced import Traced
from .trees import At, parts_of

FINE = {"float64": 1e-9, "float16": 1e-2}
"""Relative: how near a level comes to the engine's number."""
ROUGH = 3e-5
"""The same of another dtype."""


class Fine(NamedTuple):
    """A level's distance from the engine's number: relative, and absolute; and the most that its dtype holds."""

    relative: float
    absolute: float
    most: float


class Teller:
    """One call, told cell by cell.

    Args:
        world: it has the arrays and the numbers of cells.
        call: an operation.
    """

    def __init__(self, world: Any, call: Call):
        self.world, self.call = world, call
        self.begin()

    def begin(self) -> None:
        """Takes the numbers of the operands as they are known now."""
        some = WAYS if isinstance(self.call.op, Op) else [Inside]
        self.ways = [way(self.world, self.call) for way in some]
        self.failed: set[tuple[Any, bool]] = set()

    def result(self, k: int, i: Index) -> Told:
        """The level of a cell of the k-th result."""
        value = self.world.array(self.call.results[k])[i]
        told = self._first(lambda way: way.result(k, i), value, False)
        alone = told.tree is not None and not told.note and not parts_of(told.tree)
        return told._replace(note=f"which {self.call.word} puts there") if alone else told

    def sent(self, operand: int, i: Index, value: Any) -> Told:
        """The level of what is sent to a cell of an operand, which the engine has as `value`."""
        return self._first(lambda way: way.sent(operand, i), value, True)

    @cached_property
    def fine(self) -> Fine:
        """The distance that the coarsest dtype on the way allows a level."""
        some = {x.dtype for x in (*self.call.operands, *self.call.results) if isinstance(x, Source)}
        some = [dtype for dtype in some if dtype.kind == "f"] or [np.dtype("float32")]
        ends = [np.finfo(str(dtype)) for dtype in some]
        least, most = max(float(x.smallest_subnormal) for x in ends), min(float(x.max) for x in ends)
        return Fine(max(FINE.get(str(dtype), ROUGH) for dtype in some), 8 * least, most)

    def _first(self, ask: Callable[[Any], Told | None], value: Any, back: bool) -> Told:
        """The first way whose numbers come to the engine's."""
        while True:
            for way in self.ways:
                if (way, back) in self.failed:
                    continue
                try:
                    told = ask(way)
                    if told is not None and told.tree is not None and agrees(told.tree, value, self.fine):
                        return told
                except (Unknown, TensorError, ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
                    self.failed.add((way, back))
            if not (changed := self.world.values.doubt(self.call)):
                return Told(None, self.untold())
            self.world.forget(changed)
            self.begin()

    def untold(self) -> str:
        """Why a number does not open."""
        for x in self.call.operands:
            if isinstance(x, Source) and (writer := written_since(x, self.call)):
                return f"but {self.world.called(x)} was written over since, by {writer}"
        if "source" in self.call.attrs:
            return f"which {self.call.word} drew at random"
        if getattr(self.call.node, "posthooks", ()):
            return f"which a hook on {self.call.word} may have put in its place"
        return f"and {self.call.word} does not tell how"


WAYS: list[Callable[[Any, Call], Any]] = [Ruled, Moved, Traced]


def written_since(source: Source, call: Call) -> str:
    """The op that wrote over a leaf since it was read, or ""."""
    storage = getattr(source.tensor, "_storage", None)
    return storage.writer if storage is not None and storage.written > call.number else ""


def agrees(tree: Tree, value: Any, fine: Fine) -> bool:
    """True if a tree comes to the engine's number, but for what its dtype loses.

    A number that is finite has no inner part that is not.
    """
    reached, number = float(floats(tree)), float(value)
    if isfinite(number) and not all(isfinite(part) for part in _inner(tree)):
        return False
    if reached == number or reached != reached and number != number:
        return True
    if not isfinite(number) and isfinite(reached):
        return number * reached > 0 and abs(reached) > fine.most  # which overflows
    return abs(reached - number) <= fine.relative * (abs(reached) + abs(number) + size(tree)) + fine.absolute


def _inner(tree: Tree) -> list[float]:
    """The numbers of a rule's inner parts, and of theirs."""
    if isinstance(tree, Step):
        return [number for part in tree.parts for number in _inner(part)]
    if isinstance(tree, At) and tree.number.place is None:
        below = tree.number.told.tree
        return [float(tree.value), *(_inner(below) if below is not None else ())]
    return []
