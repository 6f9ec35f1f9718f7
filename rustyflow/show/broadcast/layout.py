"""The places of the grids of show.broadcast: values, what they are sent back, sums, and their formula."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from typing import NamedTuple

from ...scene import draw
from ...scene.draw import LEFT, RIGHT
from ...scene.measure import width
from ..kit.alignment import Alignment, Index
from ..kit.cells import Place
from ..kit.grids import BESIDE, Plan, margin
from ..kit.line import fitting

HEAD, UNDER, LOW = 28, 40, 8
"""Room above a grid for its name; between grids of values and those of gradients; below all."""

LINE, TABLE, AIR = 32, 12, 28
"""From the grids to the baseline of the formula; from there to the table of shapes; between two headings of a line."""

SIGN, NAMED = 40, 130
"""Room for the sign beside grids that stand under each other; the most for a gradient's name beside its sums."""


def sized(longest: int, room: float = RIGHT - LEFT) -> float:
    """The size of a formula's type, which is no larger than that of the numbers above it."""
    return min(fitting(longest, room), draw.NUMBER)


class Layout(NamedTuple):
    """The places of all grids.

    Attributes:
        homes: of the operands and of the result, in whose place the gradient stands that arrives.
        returns: of what the operands are sent: under their values, or where `apart`, in their place.
        beside: grids stand side by side, with `gap` between them; else under each other.
        end, low: the lower ends of the values, and of the gradients.
        formula: where that of the sums begins, and the size of its type; `lines`: under the gradient that arrives it
            has two.
    """

    homes: list[Place]
    returns: list[Place]
    apart: bool
    beside: bool
    gap: float
    end: float
    low: float
    formula: tuple[float, float, float]
    lines: int
    width: float


@dataclass(frozen=True, eq=False)
class Wanted:
    """The needs of a figure: what its layout has to have room for.

    Attributes:
        grads: the names of the operands' gradients. summed: the operands whose gradients are sums; None where there
            is no backward side.
        pieces: the most characters of a formula of a sum up to its equals sign, and after it.
        below: the height of what stands below the forward formula.
    """

    met: Alignment
    grads: Sequence[str]
    summed: Sequence[int] | None
    pieces: tuple[int, int]
    below: float

    def edge(self, k: int, plan: Plan) -> tuple[dict[Index, Place], bool]:
        """The places of an operand's sums at the edge of its grid, and True if that is at the right."""
        firsts = dict.fromkeys(self.met.first(k, cell) for cell in plan.grid.places)
        return margin(plan.grid, [*firsts], plan.side)

    def together(self, plan: Plan, tall: float) -> Layout | None:
        """The layout for a size of cells with the gradients under the values, if there is room for both."""
        return self._laid(plan, tall, False)

    def apart(self, plan: Plan, tall: float) -> Layout | None:
        """The layout in which the gradients take the place of the values."""
        return self._laid(plan, tall, True)

    def _laid(self, plan: Plan, tall: float, apart: bool) -> Layout | None:
        """The layout side by side, or stacked, if it is no higher than `tall` and not too wide."""
        back = self.summed is not None and plan.whole and not plan.dots
        for beside in (True, False):
            layout = self._placed(plan, beside, apart, back)
            high = max(layout.end + LINE + TABLE + self.below, layout.low if back else 0) + LOW
            if layout.width <= draw.WIDE and high <= tall or tall == inf and not beside:
                return layout
        return None

    def _placed(self, plan: Plan, beside: bool, apart: bool, back: bool) -> Layout:
        grid, many = plan.grid, len(self.grads)
        gap, deep = self._edges(plan) if back else (float(draw.BETWEEN), 0.0)
        left, step = (LEFT, grid.w + gap) if beside else (LEFT + SIGN, grid.h + HEAD - 4)
        homes = [(left + k * step, HEAD) if beside else (left, HEAD + k * step) for k in range(many + 1)]
        end, right = homes[-1][1] + grid.h, homes[-1][0] + grid.w
        if beside:
            returns = [(x, HEAD if apart else end + UNDER) for x, _ in homes[:-1]]
        else:
            first = HEAD + step if apart else end + UNDER  # under the gradient that arrives
            returns = [(left, first + k * (step + deep)) for k in range(many)]
            homes = [*homes[:-1], (left, HEAD)] if apart and not beside else homes
        low = returns[-1][1] + grid.h + deep if back else end
        x, y = LEFT, low + LINE
        size, lines = sized(sum(self.pieces)), 1
        at, longest = homes[-1][0], max(self.pieces)
        big = sized(longest, draw.WIDE - LEFT - at)
        if beside and not apart and big > draw.LABEL:
            x, y, size, lines = at, returns[-1][1] + grid.h / 2 - 8, big, 2
            right = max(right, at + width("0" * longest, big, mono=True))
        else:
            low = y
        return Layout(homes, returns, apart, beside, gap, end, low, (x, y, size), lines, max(RIGHT, right) + LEFT)

    def _edges(self, plan: Plan) -> tuple[float, float]:
        """The gap that sums at the right need, or the names of those below; the height of the latter."""
        gap, deep = float(draw.BETWEEN), 0.0
        for k in self.summed or ():
            spots, right = self.edge(k, plan)
            if not spots:
                continue
            if right:
                gap = max(gap, draw.BETWEEN + BESIDE + plan.wide)
                continue
            deep = max(deep, *(y + plan.side - plan.grid.h for _, y in spots.values()))
            named = min(NAMED, width(self.grads[k], draw.NUMBER, mono=True, bold=True))
            ends = max(x for x, _ in spots.values()) + plan.wide + 8 + named
            if k < len(self.grads) - 1:
                gap = max(gap, ends + 16 - plan.grid.w)
        return gap, deep
