"""Curve: a function of one number with its slopes, the point and the nudge dragged in the picture, or typed."""

from collections.abc import Callable, Sequence
from math import ceil, floor, isfinite, log10
from typing import Any

import traitlets

from ..errors import ArgumentTypeError, ArgumentValueError
from ..scene import Figure
from ..show.calls.beside import put_back, reached
from ..show.curve.asked import asked_of, either, spanned
from ..show.curve.picture import picture_of
from ..show.curve.slopes import Slopes, checked, nudges_at
from ..show.words.caller import caller_text
from ..show.words.given import Names, titled
from .base import Control, Widget

STEPS, WIDE = 200, 3
"""About how many steps the point may take from one end of the line to the other; how many nudges there are on each
side of it."""


class NoNumberError(ArgumentTypeError, traitlets.TraitError):
    """An error: what is no number is set as one."""


class Number(traitlets.Float):
    """A number, as an input that is set."""

    def error(self, obj: Any, value: Any, error: Exception | None = None, info: str | None = None):
        was, write = f"{self.name} = {value!r:.40}", f"curve.{self.name} = 1.0"
        raise NoNumberError(was, f"{self.name} is a number", write, value=value)


class Curve(Widget):
    """`show.curve` with a point and a nudge that one drags in the picture, moves by the arrow keys, or types.

    The first picture is drawn at the point; each change shows the slope of the nudge beside that of backward.

    Attributes:
        at, nudge: where the number is, and by how much it is nudged.

    Raises:
        What `show.curve` raises.

    Example:
        >>> widget = Curve(lambda x: x * x, at=3.0)
        >>> widget.at, widget.nudge = 2.0, 0.5
        >>> widget.figure.sentences[-1]
        'A nudge of 0.5 gives 4.5; the gradient, the slope at the point itself, is 4.'
    """

    at = Number().tag(sync=True)
    nudge = Number().tag(sync=True)

    def __init__(
        self, f: str | Callable, at: Any = 1.0, index: Any = None, *, nudge: float | None = None, over: int | str = 0,
        span: Sequence[float] | None = None, names: Names = None, title: str | None = None,
    ):  # fmt: skip
        self._f, self._fixed = f, spanned(span)
        with put_back(reached(f) if callable(f) else ()):
            words = either(caller_text((f, at)), caller_text((f,)))
            self._asked = asked_of(f, at, index, over, words, names, titled(title))
        by = nudges_at(self._asked.at)[0] if nudge is None else checked(nudge)[0]
        self._span = self._fixed or (self._asked.at - WIDE * abs(by), self._asked.at + WIDE * abs(by))
        self._drawn = self._asked.at, by
        super().__init__(at=self._asked.at, nudge=by)

    def make(self) -> Figure:
        if not isfinite(self.at) or not isfinite(self.nudge) or not self.nudge:
            was = f"at = {self.at:g}, nudge = {self.nudge:g}"
            raise ArgumentValueError(was, "a nudge of 0 moves nothing: 0 / 0 is no slope", "another nudge")
        self._span = self._around()
        with put_back(reached(self._f) if callable(self._f) else ()):
            slopes = Slopes(self._asked.function, self.at, [self.nudge / 10**k for k in range(3)])
            self._picture = picture_of(slopes, self._asked.titled(self.at), self._span)
        return Figure(self._picture.scene())

    def _around(self) -> tuple[float, float]:
        """The ends of the line: as before, while the point and the end of the nudge are on it."""
        low, high = self._span
        if low <= self.at <= high and low <= self.at + self.nudge <= high:
            return self._span
        wide = max((high - low) / 2, WIDE * abs(self.nudge))
        return self.at - wide, self.at + wide

    def opens_at(self) -> int:
        """A changed point is seen with both slopes, in the last step."""
        before, self._drawn = self._drawn, (self.at, self.nudge)
        return self.frame if before == self._drawn else len(self.figure.frames) - 1

    def controls(self) -> list[Control]:
        (low, high), function, axis = self._span, self._asked.function, self._picture.views[0].x
        step = _round((high - low) / STEPS)
        inner, outer, half = ceil(low / step), floor(high / step), floor((high - low) / 2 / step)
        ends = [float(f"{k * step:.12g}") for k in (inner, outer, -half, half)]
        there = [axis.at(v) for v in (*ends[:2], self.at + ends[2], self.at + ends[3])]
        return [
            Control("range", function.variable, "at", None, *ends[:2], spot="p0", step=step, ends=(*there[:2],)),
            Control("range", "nudge", "nudge", None, *ends[2:], spot="q0", step=step, ends=(*there[2:],)),
        ]


def _round(number: float) -> float:
    """A round number near another.

    >>> _round(0.03), _round(0.06), _round(123.0)
    (0.02, 0.05, 100.0)
    """
    power = floor(log10(number))
    digit = max(k for k in (1, 2, 5) if k <= number / 10.0**power * 1.0001)
    return float(f"{digit}e{power}")
