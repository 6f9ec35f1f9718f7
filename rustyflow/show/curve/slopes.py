"""Slopes at a point of a function: by nudges, from both sides, and by backward."""

from collections.abc import Sequence
from math import floor, isfinite, log10, nan
from typing import NamedTuple

import numpy as np

from ...claims.claim import Claim, equation
from ...claims.digits import spell
from ...claims.tree import called
from ...errors import ArgumentTypeError, ArgumentValueError
from ..words.sentences import gradient
from .function import DIGITS, Function

NEAR, NEARER, HALF, STEEPER, JUMP, OFF, NOISY = 16, 10, 0.25, 3, 10, 1e-3, 0.02
"""A side is asked with the smallest nudge and with a part of it, and so many times nearer. Of two sides that differ
as much at the nearer place there is a corner; a slope that has grown so many times has no end, or it is a jump. How far
backward's may be from the slopes, and how much of a slope may be rounding where it is judged."""

FEW, MOST = 3, 17
"""The digits of a number at which the function is asked: so many as tell it from the next; all that a float has."""


class Nudge(NamedTuple):
    """A nudge of the number: its size, where it leads, the result there, how far that rose, and the slope."""

    by: float
    there: float
    value: float
    rise: float
    slope: float


class Sides(NamedTuple):
    """The slopes close to the point, by nudges of `by` to both sides, and their kind.

    `kind` is smooth, corner, endless, jump, edge (one side has no number), or unknown.
    """

    kind: str
    by: float
    left: float = nan
    right: float = nan


def checked(nudge: float | Sequence[float]) -> list[float]:
    """Returns the nudges that are asked for.

    Raises:
        TypeError: no numbers. ValueError: 0, nan or inf, none, or too many.

    >>> checked(1), checked((1, 0.1))
    ([1.0], [1.0, 0.1])
    """
    parts = list(nudge) if isinstance(nudge, list | tuple | np.ndarray) else [nudge]
    if any(isinstance(h, bool | np.bool_) or not isinstance(h, int | float | np.number) for h in parts):
        rule = "a nudge is a number by which x is moved, or several"
        raise ArgumentTypeError(f"nudge={nudge!r:.60}", rule, "nudge=(1, 0.1, 0.01)", value=nudge)
    if not 0 < len(parts) <= 6 or not all(isfinite(h) and h for h in parts):
        rule = "one to six nudges move x, each by a finite number that is not 0: 0 / 0 is no slope"
        raise ArgumentValueError(f"nudge={nudge!r:.60}", rule, "nudge=(1, 0.1, 0.01)")
    return [*map(float, parts)]


def nudges_at(number: float) -> list[float]:
    """Returns the nudges that are drawn unless others are asked for.

    >>> nudges_at(3.0), nudges_at(-20000.0)
    ([1.0, 0.1, 0.01], [10.0, 1.0, 0.1])
    """
    power = max(0, floor(log10(abs(number) or 1)) - 3)
    return [float(f"1e{power - k}") for k in range(3)]


class Slopes:
    """The numbers of a point: its value, the slopes of some nudges, and what backward gives.

    Raises:
        ValueError: a nudge that rounding takes away.
    """

    def __init__(self, function: Function, at: float, nudges: Sequence[float]):
        self.function, self.at = function, at
        self.here = function.value(at)
        self.nudges = [self._moved(by) for by in nudges]
        self.digits = next((n for n in range(FEW, MOST) if self._apart(n)), MOST)
        self.grad, self.why = function.gradient(at) if isfinite(self.here) else (None, "")
        self.sides = self._sides(min(abs(by) for by in nudges))

    def _moved(self, by: float) -> Nudge:
        there = self.function.exactly(self.at + by)
        if there == self.at:
            was = f"{self.function.variable} = {self.at:.{DIGITS}g}, nudge = {by:g}"
            rule = f"in {self.function.kind} their sum is rounded to {self.at:.{DIGITS}g} again"
            raise ArgumentValueError(was, rule, "a larger nudge; check=True shows what small ones do")
        value = self.function.value(there)
        rise = value - self.here
        return Nudge(by, there, value, rise, rise / by)

    def _apart(self, digits: int) -> bool:
        """True if with so many digits no nudge seems to lead nowhere."""
        return all(spell(nudge.there, digits) != spell(self.at, digits) for nudge in self.nudges)

    def of(self, number: float) -> str:
        """The call at a number: `f(3.1)`."""
        return self.function.of(spell(number, self.digits))

    def _sides(self, by: float) -> Sides:
        """The slopes of both sides, as near as tells a corner from a bend."""
        sides = self._between(by, by / NEAR)
        for _ in range(NEARER):  # a corner, or a jump, is one as near as one may look
            if sides.kind not in ("corner", "endless", "jump"):
                break
            nearer = self._between(sides.by, sides.by / NEAR)
            if nearer.kind == "unknown":
                break
            sides = nearer if nearer.kind == "smooth" else sides._replace(by=nearer.by)
        return sides if sides.kind in ("smooth", "edge", "unknown") else self._between(by, by / NEAR)

    def _between(self, far: float, near: float) -> Sides:
        """The slopes of both sides by a small nudge, judged by those of a larger one."""
        (l1, r1, _), (left, right, noise) = (self._both(h) for h in (far, near))
        if not isfinite(self.here) or not isfinite(left) and not isfinite(right):
            return Sides("unknown", near)
        if not isfinite(left) or not isfinite(right):
            return Sides("edge", near, left, right)
        most = max(abs(left), abs(right))
        if left != right and noise > NOISY * most:
            return Sides("unknown", near, left, right)
        growth = max((abs(b) / abs(a) for a, b in ((l1, left), (r1, right)) if a and abs(b) == most), default=1.0)
        kind = "smooth"
        if growth > STEEPER:
            kind = "jump" if growth > JUMP else "endless"
        elif abs(right - left) > max(HALF * abs(r1 - l1), OFF * most, 4 * noise):
            kind = "corner"
        return Sides(kind, near, left, right)

    def _both(self, h: float) -> tuple[float, float, float]:
        """The slopes of a nudge to both sides, and by how much rounding may have changed them."""
        values = [self.function.value(self.function.exactly(self.at + by)) for by in (-h, h)]
        eps = float(np.finfo(self.function.kind).eps)
        noise = 4 * eps * max(map(abs, (*values, self.here))) / h + 4 * eps * abs(self.at) / h * OFF
        return (self.here - values[0]) / h, (values[1] - self.here) / h, noise

    @property
    def name(self) -> str:
        """The name of the gradient: `x.grad`, `w.grad[0, 1]`."""
        name, bracket, place = self.function.variable.partition("[")
        return f"{gradient(name)}{bracket}{place}"

    @property
    def agrees(self) -> bool:
        """True unless the line is smooth here, and backward gives another slope than it has."""
        if self.sides.kind != "smooth" or self.grad is None:
            return True
        middle = self.sides.left / 2 + self.sides.right / 2
        wide = abs(self.sides.right - self.sides.left)  # a curve bends
        return isfinite(self.grad) and abs(self.grad - middle) <= NOISY * (abs(middle) + OFF) + wide

    @property
    def nearer(self) -> bool:
        """True if each slope is nearer to the gradient than the one before."""
        off = [abs(nudge.slope - (self.grad or 0)) for nudge in self.nudges]
        return self.grad is not None and len(off) > 1 and all(b < a for a, b in zip(off, off[1:]))

    def point(self) -> str:
        """The claim of the value at the point."""
        return equation(self.of(self.at), self.here)

    def told(self, number: float, value: float) -> str:
        """The claim of a value, or the error that the function raises instead."""
        error = "" if isfinite(value) else self.function.error(number)
        return f"{self.of(number)} raises {error}" if error else equation(self.of(number), value)

    def moved(self, nudge: Nudge) -> str:
        """The words for a nudge, and where it leads."""
        start, end, by = (equation("", v, self.digits) for v in (self.at, nudge.there, nudge.by))
        there = self.told(nudge.there, nudge.value)
        return f"A nudge of {by} moves {self.function.variable} from {start} to {end}: {there}."

    def slope(self, nudge: Nudge) -> str:
        """The words for a nudge's slope: the rise, and what it is for one unit."""
        if not isfinite(nudge.value):
            return f"{self.told(nudge.there, nudge.value)}: this nudge tells nothing of a slope."
        about = f"{self.of(nudge.there)} - {self.of(self.at)}"
        rise = Claim(about, called("-", [nudge.value, self.here]), nudge.rise)
        if nudge.by == 1:
            return f"{rise} over a nudge of 1: the slope of the dashed line."
        return f"{rise}, and {Claim('', called('/', [nudge.rise, nudge.by]), nudge.slope)}."

    def sided(self) -> str:
        """The words for a point that has not the same slope on both sides; none for a smooth one."""
        kind, by, left, right = self.sides
        if kind == "edge":
            gone = self.at - by if isfinite(right) else self.at + by
            there = self.told(gone, self.function.value(gone))
            return f"{there}: here the line ends, and a slope can be asked for on one side alone."
        (down, one), (up, other) = ((equation("", h), equation("", v)) for h, v in ((-by, left), (by, right)))
        ways = f"A nudge of {down} gives {one}, one of {up} gives {other}"
        return {
            "corner": f"{ways}: the line has a corner here, with a slope on each side.",
            "endless": f"{ways}: the smaller the nudge, the steeper. The line stands upright here.",
            "jump": f"{ways}: the smaller the nudge, the steeper. The line jumps here.",
        }.get(kind, "")

    def tangent(self) -> str:
        """The words for what backward gives."""
        if self.grad is None:
            return f"No gradient comes to {self.function.variable}: {self.why}."
        claim = equation(self.name, self.grad)
        if not self.agrees:
            middle = equation("", self.sides.left / 2 + self.sides.right / 2)
            return f"Nudges to both sides give {middle}, and backward {claim}: it follows another rule than the line."
        if self.sided():
            return f"Backward gives one number all the same: {claim}."
        nearer = "The smaller the nudge, the nearer it comes to" if self.nearer else "Backward gives"
        return f"{nearer} the gradient, the slope at the point itself: {claim}."

    def both(self) -> str:
        """The words for both numbers side by side."""
        nudge = self.nudges[0]
        if self.grad is None or not isfinite(nudge.slope):
            return self.tangent()
        by, slope, grad = (equation("", v) for v in (nudge.by, nudge.slope, self.grad))
        itself = ", the slope at the point itself," if self.agrees and not self.sided() else ""
        return f"A nudge of {by} gives {slope}; the gradient{itself} is {grad}."
