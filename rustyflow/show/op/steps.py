"""The moves of an op's results with small steps of single numbers: it is run again with them."""

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from ...ops.creation import from_numpy
from .reads import FAILED, Call, Index, Reads, first_tensor

STEP, LEAST, BATCHES = 2.0**-20, 1e-5, 64
"""A small step, the least slope that counts, the most runs in which cells are tried."""


class Steps:
    """An op on its operands, and on others near them, in float64 if it takes such."""

    def __init__(self, call: Call, reads: Reads):
        self.call, self.reads = call, reads

    @cached_property
    def operands(self) -> list[np.ndarray]:
        """The operands, as exact as the op takes them; none where it takes no float64."""
        exact = [x.astype(float) if x.dtype.kind == "f" else x for x in self.reads.operands]
        results = self.run(exact)
        same = results is not None and np.allclose(results, self.reads.result, 1e-3, 1e-3, equal_nan=True)
        return exact if same else []

    def run(self, operands: Sequence[np.ndarray]) -> np.ndarray | None:
        """The results of other operands; None where the op takes no such, or they have another shape."""
        try:
            with np.errstate(all="ignore"):
                results = np.array(first_tensor(self.call(*map(from_numpy, operands))).detach().tolist(), float)
        except FAILED:
            return None
        return results if results.shape == self.reads.result.shape else None

    @cached_property
    def _before(self) -> np.ndarray | None:
        """The results before any step: many steps are compared with them."""
        return self.run(self.operands)

    def kinks(self, k: int, still: Sequence[Index]) -> dict[Index, str]:
        """Returns, for cells of gradient 0 that move a result to first order, what jumps there.

        It is the "slope" or the "result", or "withheld" where the gradient is.

        >>> relu = lambda a: a.relu()
        >>> from .reads import reads
        >>> x = np.array([-1.0, 0.0, 2.0])
        >>> Steps(relu, reads(relu, [x])).kinks(0, [(0,), (1,)])
        {(1,): 'slope'}
        """
        if not self.operands or not still:
            return {}
        at_once = [self._moved(k, still, by, apart=True) for by in (1.0, -1.0)]
        if all(side and not side[0].any() for side in at_once):
            return {}
        readers: dict[Index, list[Index]] = {index: [] for index in still}
        for cell, read in self.reads.cells.items():
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
        kinks = {}
        for _, batch in batches[:BATCHES]:
            up, down = (self._moved(k, batch, by) for by in (1.0, -1.0))
            for index in batch:
                if kink := _kink(up, down, readers[index]):
                    kinks[index] = kink
        return kinks

    def _moved(
        self, k: int, some: Sequence[Index], by: float, apart: bool = False
    ) -> tuple[np.ndarray, np.ndarray] | None:  # fmt: skip
        """Returns by how much, over the step, each result moves with some cells, and whether it jumps.

        To first order; the cells move alike, or each `apart` by another part of the step. None where the op takes no
        such numbers.
        """
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


def _kink(up: tuple | None, down: tuple | None, readers: Sequence[Index]) -> str:
    """The kind of jump that steps of a cell to both sides show in its readers; "" where none moves."""
    slopes = [np.array([side[0][cell] if side else 0.0 for cell in readers]) for side in (up, down)]
    if not any(slope.any() for slope in slopes):
        return ""
    if any(side[1][cell] for side in (up, down) if side for cell in readers):
        return "result"
    return "withheld" if np.allclose(slopes[0], -slopes[1], 1e-3) else "slope"
