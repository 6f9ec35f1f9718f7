"""What small steps of single numbers do to the results of an op: it is run again with them."""

from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np

from ..ops.creation import from_numpy
from .reads import FAILED, Call, Index, Reads, first_tensor

STEP, LEAST, BATCHES = 2.0**-20, 1e-5, 64
"""A small step, the least slope that counts, the most runs in which cells are tried."""


class Kink(NamedTuple):
    """A number whose gradient is 0 and that moves a result: where the slope jumps, where the result does, or where the
    gradient is withheld; and by a step to which sides."""

    why: str
    sides: tuple[str, ...]


class Steps:
    """An op on its operands, and on others near them, in float64 if it takes such."""

    def __init__(self, call: Call, made: Reads):
        self.call, self.made = call, made

    @cached_property
    def operands(self) -> list[np.ndarray]:
        """The operands, as exact as the op takes them; none where it takes no float64."""
        exact = [x.astype(float) if x.dtype.kind == "f" else x for x in self.made.operands]
        found = self.run(exact)
        same = found is not None and np.allclose(found, self.made.result, 1e-3, 1e-3, equal_nan=True)
        return exact if same else []

    def run(self, operands: Sequence[np.ndarray]) -> np.ndarray | None:
        """The results of other operands; None where the op takes no such, or they have another shape."""
        try:
            with np.errstate(all="ignore"):
                found = np.array(first_tensor(self.call(*map(from_numpy, operands))).detach().tolist(), float)
        except FAILED:
            return None
        return found if found.shape == self.made.result.shape else None

    @cached_property
    def _before(self) -> np.ndarray | None:
        """The results before any step: many steps are compared with them."""
        return self.run(self.operands)

    @cached_property
    def _near(self) -> list[tuple[list[np.ndarray], np.ndarray]]:
        """Two runs with numbers that are a little larger, and a little less: their order stays."""
        least = min((np.abs(x[x != 0]).min(initial=1) for x in self.operands if x.dtype.kind == "f"), default=1)
        runs = []
        for by in (1 / 64, -1 / 64):
            others = [np.where(x == 0, by * least, x * (1 + by)) if x.dtype.kind == "f" else x for x in self.operands]
            found = self.run(others) if others else None
            runs += [] if found is None else [(others, found)]
        return runs

    def copied(self, cell: Index, k: int, index: Index) -> bool:
        """Whether a result stays a cell's number where all numbers are others."""
        return len(self._near) == 2 and all(others[k][index] == found[cell] for others, found in self._near)

    @cached_property
    def _other(self) -> tuple[list[np.ndarray], np.ndarray | None]:
        """A run with numbers of the other sign, each larger by another part."""
        random = np.random.default_rng(0)
        others = [np.array(np.where(x == 0, -1, -x) * random.uniform(1, 2, x.shape)) if x.dtype.kind == "f" else x
                  for x in self.operands]  # fmt: skip
        return others, self.run(others) if others else None

    def weighed(self, cell: Index, sent: Sequence[tuple[int, Index, float]]) -> bool:
        """Whether a result is the sum of what was read times what it sends back, and stays so where all numbers differ.

        >>> from .reads import reads
        >>> twice = lambda a: a + a
        >>> Steps(twice, reads(twice, [np.array([3.0])])).weighed((0,), [(0, (0,), 2.0)])
        True
        """
        others, found = self._other
        if found is None:
            return False
        for operands, value in (self.operands, self._before[cell]), (others, found[cell]):
            terms = [operands[k][index] * factor for k, index, factor in sent]
            if not abs(sum(terms) - value) <= 1e-6 * sum(map(abs, terms)):
                return False
        return True

    def kinks(self, k: int, still: Sequence[Index]) -> dict[Index, Kink]:
        """Which cells of an operand, all of gradient 0, do move a result, to first order.

        >>> relu = lambda a: a.relu()
        >>> from .reads import reads
        >>> x = np.array([-1.0, 0.0, 2.0])
        >>> Steps(relu, reads(relu, [x])).kinks(0, [(0,), (1,)])
        {(1,): Kink(why='slope', sides=('up',))}
        """
        if not self.operands or not still:
            return {}
        at_once = [self._moved(k, still, by, apart=True) for by in (1.0, -1.0)]
        if all(side and not side[0].any() for side in at_once):
            return {}
        readers: dict[Index, list[Index]] = {index: [] for index in still}
        for cell, read in self.made.cells.items():
            for n, index in read:
                if n == k and index in readers:
                    readers[index].append(cell)
        batches: list[tuple[set[Index], list[Index]]] = []  # no result reads two cells of a batch
        for index, cells in readers.items():
            free = next((batch for batch in batches if batch[0].isdisjoint(cells)), None)
            if free is None:
                batches.append(free := (set(), []))
            free[0].update(cells)
            free[1].append(index)
        found = {}
        for _, batch in batches[:BATCHES]:
            up, down = (self._moved(k, batch, by) for by in (1.0, -1.0))
            for index in batch:
                if kink := _kink(up, down, readers[index]):
                    found[index] = kink
        return found

    def _moved(
        self, k: int, some: Sequence[Index], by: float, apart: bool = False
    ) -> tuple[np.ndarray, np.ndarray] | None:  # fmt: skip
        """By how much, over the step, each result moves with cells that move so, or each `apart` by another part of it,
        to first order; and whether it jumps. None where the op takes no such numbers."""
        before, moves = self._before, []
        parts = np.random.default_rng(0).uniform(0.5, 1, len(some)) if apart else np.ones(len(some))
        for step in (by * STEP, by * STEP / 2):
            others = [x.copy() for x in self.operands]
            with np.errstate(invalid="ignore"):  # a step from inf
                for index, part in zip(some, parts):
                    others[k][index] += step * part * max(1, abs(others[k][index]))
            after = self.run(others)
            if after is None or before is None:
                return None
            with np.errstate(all="ignore"):
                moves.append(np.nan_to_num(after - before, nan=0, posinf=0, neginf=0))
        whole, half = moves
        counts = np.abs(whole) > LEAST * STEP * np.maximum(1, np.abs(before))
        counts &= np.abs(whole) < 3 * np.abs(half)  # what is of second order falls to a quarter
        slopes = np.where(counts, whole, 0) / STEP
        return slopes, counts & (np.abs(whole) < 1.3 * np.abs(half))


def _kink(up: tuple | None, down: tuple | None, readers: Sequence[Index]) -> Kink | None:
    """What steps of a cell to both sides tell, by the results that read it."""
    slopes = [np.array([side[0][cell] if side else 0.0 for cell in readers]) for side in (up, down)]
    sides = tuple(name for name, slope in zip(("up", "down"), slopes) if slope.any())
    if not sides:
        return None
    if any(side[1][cell] for side in (up, down) if side for cell in readers):
        return Kink("result", sides)
    return Kink("withheld" if np.allclose(slopes[0], -slopes[1], 1e-3) else "slope", sides)
