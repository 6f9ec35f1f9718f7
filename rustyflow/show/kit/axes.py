"""Axes: the places of numbers in a drawing, on an even or a logarithmic scale, with round ones written."""

from collections.abc import Sequence
from decimal import Decimal
from math import ceil, floor, isfinite, log10
from typing import NamedTuple

from ...claims.digits import short, spell
from ...scene import Shape, draw

LONG = 9
"""The most characters of a number at an axis: of longer ones none is written."""


class Axis(NamedTuple):
    """A scale from `low` at the place `start` to `high` at `end`, which may be the lesser place.

    >>> Axis(2.0, 4.0, 0, 100).at(2.5), Axis(1e-4, 1.0, 400, 0, log=True).at(0.01)
    (25.0, 200.0)
    """

    low: float
    high: float
    start: float
    end: float
    log: bool = False

    def at(self, number: float) -> float:
        """Returns the place of a number, to a tenth of a pixel."""
        # halves, which do not overflow
        low, high, number = (log10(v) if self.log else v / 2 for v in (self.low, self.high, number))
        return round(self.start + (number - low) / (high - low) * (self.end - self.start), 1)

    def holds(self, number: float) -> bool:
        """True for a number between both ends."""
        return self.low <= number <= self.high

    def ticks(self, most: int = 5) -> list[tuple[float, str]]:
        """Returns round numbers on the axis, each with its text.

        >>> [text for _, text in Axis(4.3, 17.5, 0, 1).ticks()], [text for _, text in Axis(3.0, 3.016, 0, 1).ticks(4)]
        (['6', '8', '10', '12', '14', '16'], ['3', '3.005', '3.01', '3.015'])
        >>> [text for _, text in Axis(2e-7, 3.0, 0, 1, log=True).ticks(3)]
        ['1e-6', '1e-3', '1']
        """
        return self._powers(most) if self.log else self._even(most)

    def _powers(self, most: int) -> list[tuple[float, str]]:
        first, last = ceil(log10(self.low) - 1e-9), floor(log10(self.high) + 1e-9)
        step = max(1, ceil((last - first + 1) / most))
        powers = [k for k in range(first, last + 1) if k % step == 0]
        ticks = [(10.0**k, "1" if k == 0 else f"1e{k}") for k in powers]
        return ticks if len(ticks) > 1 else [(v, spell(v)) for v in (self.low, self.high)]

    def _even(self, most: int) -> list[tuple[float, str]]:
        each = self.high / most - self.low / most
        if not 0 < each < 1e300:
            return []
        power = floor(log10(each))
        step = next(Decimal(m).scaleb(power) for m in (1, 2, 5, 10) if float(Decimal(m).scaleb(power)) >= each * 0.7)
        first, last = ceil(Decimal(self.low) / step), floor(Decimal(self.high) / step)
        numbers = [step * k for k in range(first, last + 1)]
        texts = [written(number) for number in numbers]
        return [(float(v), text) for v, text in zip(numbers, texts, strict=True)] if _short(texts) else []


def _short(texts: Sequence[str]) -> bool:
    return max(map(len, texts), default=0) <= LONG


def written(number: Decimal) -> str:
    """A round number with all its digits.

    >>> [written(Decimal(text)) for text in ("0.500", "-20", "2.5E+43", "3E-7", "0")]
    ['0.5', '-20', '2.5e43', '3e-7', '0']
    """
    if not number or Decimal("1e-4") <= abs(number) < 10**6:
        text = f"{number:f}"
        return text.rstrip("0").rstrip(".") if "." in text else text
    return short(f"{number.normalize():e}".replace("E", "e"))


def across(axis: Axis, left: float, right: float, most: int = 5) -> list[Shape]:
    """The lines of a grid at the numbers of an axis that goes up, and the numbers left of them."""
    shapes = []
    for number, text in axis.ticks(most):
        y = axis.at(number)
        shapes += [draw.rule(left, y, right), draw.text(left - 8, y + 5, text, "mono muted", 14, "end")]
    return shapes


def along(axis: Axis, y: float, numbers: Sequence[tuple[float, str]], cls: str = "mono muted") -> list[Shape]:
    """The line of an axis that goes right, with a mark and a text at some numbers."""
    shapes = [Shape("path", cls=("edge",), attrs=(("d", f"M{axis.start:g} {y:g}H{axis.end:g}"),))]
    for number, text in numbers:
        x = axis.at(number)
        shapes.append(Shape("path", cls=("edge",), attrs=(("d", f"M{x:g} {y:g}v6"),)))
        shapes.append(draw.text(x, y + 22, text, cls, 14 if "muted" in cls else 18, "middle"))
    return shapes


def around(numbers: Sequence[float], start: float, end: float, air: float = 0.1) -> Axis:
    """The even axis on which all finite ones of these numbers are, with some air beside them.

    >>> around([3.0, 5.0, float("inf")], 0, 100), around([2.0], 0, 100), around([], 0, 1)
    (Axis(low=2.8, high=5.2, start=0, end=100, log=False), Axis(low=1.0, high=3.0, start=0, end=100, log=False), \
Axis(low=-1.0, high=1.0, start=0, end=1, log=False))
    """
    finite = [v for v in numbers if isfinite(v)] or [0.0]
    low, high = min(finite), max(finite)
    room = air * high - air * low if high - low > 1e-12 * max(abs(low), abs(high)) else abs(high) / 2 or 1.0
    most = 1.7e308
    return Axis(max(low - room, -most), min(high + room, most), start, end)
