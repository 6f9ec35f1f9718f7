"""An op that moves cells, told by numbering: it is run on the numbers of its cells."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from ..claims.lazy import Index
from ..claims.tree import Leaf, added
from .again import Unknown, run
from .number import Told
from .source import Call, Source


class Moved:
    """One call that moves cells, adds none and leaves none as it is by chance.

    Args:
        world: it has the arrays and the numbers of cells.
        call: an operation.
    """

    def __init__(self, world: Any, call: Call):
        self.world, self.call = world, call
        self.starts: dict[int, int] = {}

    @cached_property
    def places(self) -> list[np.ndarray] | None:
        """The number of the cell that each cell of a result is, 0 of the op's own.

        None where it moves none. Three runs tell: of two numberings a clamp may make the same constants.
        """
        count, ids, arrays = 1, [], []
        for k, x in enumerate(self.call.operands):
            array = self.world.array(x) if isinstance(x, Source) else x
            if isinstance(x, Source) and array.dtype.kind == "f":
                self.starts[k] = count
                array = np.arange(count, count + array.size, dtype=float).reshape(array.shape)
                count += array.size
                ids.append(k)
            arrays.append(array)
        other = np.concatenate([[0.0], np.random.default_rng(1).permutation(8 * count)[: count - 1] + 1.5])

        def again(sign: float) -> list[np.ndarray]:
            renamed = [sign * other[array.astype(int)] if k in ids else array for k, array in enumerate(arrays)]
            return run(self.call, renamed)

        try:
            runs = [*zip(run(self.call, arrays), again(1), again(-1), strict=True)]
        except (Unknown, ValueError):
            return None
        places = []
        for a, b, c in runs:
            whole = (a == np.floor(a)) & (a >= 1) & (a < count) if a.dtype.kind == "f" else np.zeros(a.shape, bool)
            at = np.where(whole, a, 0).astype(int)
            moved = whole & (other[at] == b) & (b == -c)
            if not (moved | (a == b) & (b == c)).all():
                return None
            places.append(np.where(moved, at, 0))
        return places if any(at.any() for at in places) else None

    def result(self, k: int, i: Index) -> Told | None:
        """The level of a cell of the k-th result."""
        if self.places is None:
            return None
        at = int(self.places[k][i])
        if not at:
            return Told(Leaf(self.world.array(self.call.results[k])[i].item()))
        operand = max((j for j, start in self.starts.items() if start <= at), key=self.starts.__getitem__)
        source = self.call.operands[operand]
        place = np.unravel_index(at - self.starts[operand], source.shape)
        return Told(self.world.at_source(source, tuple(map(int, place))).leaf)

    def sent(self, operand: int, i: Index) -> Told | None:
        """The level of what a cell of an operand gets: the sum of what arrives at its readers."""
        if self.places is None or operand not in self.starts:
            return None
        shape = self.call.operands[operand].shape
        at = self.starts[operand] + (int(np.ravel_multi_index(i, shape)) if shape else 0)
        readers = zip(self.call.results, self.places, strict=True)
        cells = [self.world.grad_source(x, tuple(map(int, j))) for x, places in readers
                 for j in np.argwhere(places == at)]  # fmt: skip
        return Told(added(cell.leaf for cell in cells if cell is not None))
