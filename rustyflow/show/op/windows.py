"""The windows through which results read an operand, such as those of a convolution."""

from collections.abc import Sequence
from itertools import combinations

from ...scene import draw
from .layout import Grid

Index = tuple[int, ...]
Box = tuple[Index, Index]
"""The first cell and the last one."""

COMPARED, AROUND = 64, 3
"""So many windows are compared; how far outside of its cells one is drawn."""


def windows(grid: Grid, reads: Sequence[Sequence[int]]) -> list[list[tuple[float, float, float, float]]]:
    """The place and the size of the windows of each result, one in each matrix that it reads.

    There are none if some differ in size, have gaps, or if none of them overlap.

    >>> import numpy as np
    >>> windows(Grid("x", np.arange(4), (None,), "a", 44), [[0, 1], [1, 2], [2, 3]])[1]
    [(43.0, 29.0, 96, 50)]
    >>> windows(Grid("x", np.arange(4), (None,), "a", 44), [[0, 1], [2, 3]])
    []
    """
    cells = list(grid.places)
    if cells == [()]:  # a scalar has no axes to slide along
        return []
    found = [_boxes([cells[n] for n in some]) for some in reads]
    if not found or not all(found) or len({len(some) for some in found}) > 1:
        return []
    boxes = sorted({box for some in found for box in some})
    sizes = {tuple(last - first + 1 for first, last in zip(*box))[-2:] for box in boxes}
    if len(sizes) > 1 or not any(_overlap(*pair) for pair in combinations(boxes[:COMPARED], 2)):
        return []
    high, wide = (1, *sizes.pop())[-2:]
    across, down = wide * (grid.wide + draw.GAP) - draw.GAP, high * (grid.side + draw.GAP) - draw.GAP
    return [[(grid.places[first][0] - AROUND, grid.places[first][1] - AROUND, across + 2 * AROUND, down + 2 * AROUND)
             for first, _ in some] for some in found]  # fmt: skip


def _boxes(read: Sequence[Index]) -> list[Box]:
    """The box of some cells in each matrix; none if one has gaps."""
    matrices: dict[Index, list[Index]] = {}
    for cell in sorted(read):
        matrices.setdefault(cell[:-2], []).append(cell)
    boxes = []
    for some in matrices.values():
        high, wide = ({cell[-2:][n] for cell in some} for n in (0, -1))
        gaps = any(max(one) - min(one) + 1 > len(one) for one in (high, wide))
        if gaps or len(set(some)) < (len(high) * len(wide) if len(some[0]) > 1 else len(wide)):
            return []
        boxes.append((some[0], some[-1]))
    return boxes


def _overlap(one: Box, other: Box) -> bool:
    """True if two boxes share a cell, and are not one."""
    return one != other and all(a <= d and c <= b for a, b, c, d in zip(*one, *other))
