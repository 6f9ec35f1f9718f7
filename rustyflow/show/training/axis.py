"""An axis of a plot: where a number is drawn, and which numbers stand beside it."""

from collections.abc import Sequence
from math import ceil, floor, log10
from typing import NamedTuple

from ...claims.digits import spell

FAR = 1e300
"""Beyond it a number is drawn at the edge, for the length of the axis has to be a number, too."""


class Axis(NamedTuple):
    """The place of numbers between two edges, linear or by their logarithms.

    Attributes:
        low, high: the numbers at the edges. start, end: their pixels. ticks: pixels and texts.
    """

    low: float
    high: float
    start: float
    end: float
    log: bool
    numbers: tuple[float, ...]

    def at(self, value: float) -> float:
        """The pixel of a number."""
        low, high, here = (log10(v) for v in (self.low, self.high, value)) if self.log else (self.low, self.high, value)
        return self.start + (self.end - self.start) * min(1.0, max(0.0, (here - low) / (high - low)))

    @property
    def ticks(self) -> list[tuple[float, str]]:
        """The pixel and the text of each number that stands beside the axis."""
        return [(round(self.at(v), 1), spell(v)) for v in self.numbers]


def axis(values: Sequence[float], start: float, end: float, log: bool = False, whole: bool = False) -> Axis:
    """Returns an axis on which all the values have a place, with two to six round numbers beside it.

    >>> axis([0.5, 0.71], 0, 100).numbers, axis([0.003, 4], 0, 100, log=True).numbers
    ((0.5, 0.55, 0.6, 0.65, 0.7), (0.01, 0.1, 1.0))
    >>> axis([0, 199], 0, 100, whole=True).ticks[:2]
    [(0.0, '0'), (25.1, '50')]
    """
    low, high = max(-FAR, float(min(values))), min(FAR, float(max(values)))
    if log:
        low, high = (low, high) if high / low > 1.01 else (low / 2 or low, high * 2)
        first, last = ceil(log10(low)), floor(log10(high))
        apart = max(1, -(-(last - first) // 5))
        numbers = tuple(10.0**k for k in range(first, last + 1, apart))
        return Axis(low, high, start, end, True, numbers if len(numbers) > 1 else (low, high))
    if high - low <= 1e-12 * max(abs(low), abs(high), 1e-12):
        low, high = low - max(0.5, abs(low) / 2), high + max(0.5, abs(high) / 2)
    step = 10.0 ** floor(log10((high - low) / 3))
    step *= next(k for k in (1, 2, 5, 10) if (high - low) / (step * k) <= 5)
    step = max(step, 1.0) if whole else step
    first, last = ceil(low / step - 1e-9), floor(high / step + 1e-9)
    digits = max(0, -floor(log10(step)))
    return Axis(low, high, start, end, False, tuple(round(k * step, digits) for k in range(first, last + 1)))
