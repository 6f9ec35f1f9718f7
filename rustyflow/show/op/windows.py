"""The windows through which results read an operand, such as those of a convolution."""

from collections.abc import Sequence
from itertools import combinations

from ...scene import draw
from .layout import Grid

Index = tuple[int, ...]
Box = tuple[Index, Index]
"""The first cell and the last one."""

COMPARED, AROUND = 64, 4
"""So many windows are compared; how far outside of its cells one is drawn."""

Frames = list[list[tuple[float, float, float, float]]]
"""For each result the place and the size of its windows."""


def windows(grids: Sequence[Grid], reads: Sequence[Sequence[Sequence[int]]]) -> dict[int, Frames]:
    """The windows of each result, one in each matrix that it reads, by the number of the operand.

    They slide along an operand where all are of one size and without gaps, and some overlap; so has what lies on
    them, such as the weights of a convolution, a window of that size.

    >>> import numpy as np
    >>> x, w = Grid("x", np.arange(4), (None,), "a", 44), Grid("w", np.arange(2), (None,), "b", 44)
    >>> windows([x, w], [[[0, 1], [1, 2], [2, 3]], [[0, 1]] * 3])[0][1]
    [(42.0, 28.0, 98, 52)]
    >>> windows([x], [[[0, 1], [2, 3]]])
    {}
    """
    found = {k: boxes for k, grid in enumerate(grids) if (boxes := _found(grid, reads[k]))}
    sliding = {_size(boxes) for boxes in found.values() if _slides(boxes)}
    return {k: _framed(grids[k], boxes) for k, boxes in found.items()
            if _slides(boxes) or _size(boxes) in sliding}  # fmt: skip


def _found(grid: Grid, reads: Sequence[Sequence[int]]) -> list[list[Box]]:
    """The boxes that each result reads of a grid, of one size all; none where they are not."""
    cells = list(grid.places)
    if cells == [()]:  # a scalar has no axes to slide along
        return []
    found = [_boxes([cells[n] for n in some]) for some in reads]
    if not found or not all(found) or len({len(some) for some in found}) > 1:
        return []
    return found if len({_size([[box]]) for some in found for box in some}) == 1 else []


def _size(boxes: Sequence[Sequence[Box]]) -> Index:
    """The size of boxes that have one, along their last two axes."""
    first, last = boxes[0][0]
    return tuple(b - a + 1 for a, b in zip(first, last))[-2:]


def _slides(boxes: Sequence[Sequence[Box]]) -> bool:
    """True if some boxes overlap."""
    return any(_overlap(*pair) for pair in combinations(sorted({box for some in boxes for box in some})[:COMPARED], 2))


def _framed(grid: Grid, boxes: Sequence[Sequence[Box]]) -> Frames:
    """The frames around boxes."""
    high, wide = (1, *_size(boxes))[-2:]
    across, down = wide * (grid.wide + draw.GAP) - draw.GAP, high * (grid.side + draw.GAP) - draw.GAP
    return [[(grid.places[first][0] - AROUND, grid.places[first][1] - AROUND, across + 2 * AROUND, down + 2 * AROUND)
             for first, _ in some] for some in boxes]  # fmt: skip


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
