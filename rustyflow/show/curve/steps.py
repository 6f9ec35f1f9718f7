"""Gradient checks with steps of all sizes: what they measure, where they are best, and how their errors grow."""

from functools import cached_property
from math import isfinite, log10
from statistics import median
from typing import NamedTuple

from .function import Function

STEPS, EACH = 40, 4
"""With how many steps a check is tried, so many of them a decade."""

DEEP, LEAST, WRONG = 10.0, 1e-17, 1e-3
"""The valley is where errors are up to so many times the least; errors below are drawn as that; from which part of the
gradient on no step is right."""

AS_LAW = {2: 0.3, -1: 0.5}
"""How far the measured power of the errors may be from that of a law."""


class Step(NamedTuple):
    """A step of the check: its size, the slope that it measures, and how far that is off."""

    h: float
    slope: float
    error: float


class Run:
    """The checks of one function in one dtype, from the widest step to the smallest."""

    def __init__(self, function: Function, at: float, truth: float, scale: float):
        self.kind, self.truth = function.kind, truth
        steps = (scale * 10.0 ** (-k / EACH) for k in range(STEPS + 1))
        tried = (self._tried(function, at, h) for h in steps)
        self.steps = [step for step in tried if isfinite(step.slope)]

    def _tried(self, function: Function, at: float, h: float) -> Step:
        ends = (function.value(function.exactly(at + by)) for by in (h, -h))
        slope = (next(ends) - next(ends)) / (2 * h)
        return Step(h, slope, abs(slope - self.truth))

    @cached_property
    def best(self) -> int:
        """The place of the step at which the errors are least, those beside it counted too."""
        errors = [step.error for step in self.steps]
        around = [median(errors[max(0, k - 1) : k + 2]) for k in range(len(errors))]
        return min(range(len(errors)), key=lambda k: (around[k], errors[k]))

    @cached_property
    def valley(self) -> tuple[int, int]:
        """The first and last place at which errors are not far above the least."""
        most = DEEP * max(self.steps[self.best].error, LEAST)
        first = last = self.best
        while first and self.steps[first - 1].error <= most:
            first -= 1
        while last + 1 < len(self.steps) and self.steps[last + 1].error <= most:
            last += 1
        return first, last

    def law(self, power: int) -> float | None:
        """The factor with which errors beside the valley go as a power of the step; None where they do not.

        The power 2 is of the wide steps, -1 of the small ones.
        """
        first, last = self.valley
        some = self.steps[: first + 1] if power > 0 else self.steps[last:]
        lost = abs(self.truth) / 3  # where x + h is x again, the error is all of the gradient
        some = [step for step in some if 0 < step.error and step.h <= self.steps[0].h / 4]
        some = [step for step in some if power > 0 or step.error < lost]
        if len(some) < EACH:
            return None
        xs, ys = [log10(step.h) for step in some], [log10(step.error) for step in some]
        x, y = sum(xs) / len(xs), sum(ys) / len(ys)
        found = sum((a - x) * (b - y) for a, b in zip(xs, ys)) / sum((a - x) ** 2 for a in xs)
        return median(step.error / step.h**power for step in some) if abs(found - power) <= AS_LAW[power] else None

    @cached_property
    def rows(self) -> list[tuple[int, str]]:
        """The places of three steps that are told, each with what it is; of a line without a valley fewer."""
        first, last = self.valley
        if self.flat:
            return [(EACH, "a wide one"), (4 * EACH, "a small one")]
        rows = [(max(0, (first + 1) // 2), "too wide")] * (first > 1) + [(self.best, "the valley")]
        small = min(len(self.steps) - 1, (last + len(self.steps)) // 2)
        return rows + [(small, "too small")] * (last < len(self.steps) - 2)

    @property
    def flat(self) -> bool:
        """True if no step is right."""
        return self.steps[self.best].error > WRONG * max(1.0, abs(self.truth))
