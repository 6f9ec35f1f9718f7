"""A window on a function's line: its axes, a nudge, and the slopes of this and of backward."""

from math import isfinite

from ...claims.claim import equation
from ...claims.digits import spell
from ...scene import Shape, draw
from ...scene.measure import width
from ..kit.axes import Axis, across, along, around
from .function import DIGITS
from .line import EVEN, path, plot, sampled, straight
from .slopes import Nudge, Slopes

TOP, BOTTOM, PLOT, NUMBER = 44, 332, 540, 18
"""The upper and lower end of the diagram, its right end; the size of numbers."""

GRID = 40
"""Into how many parts the line is cut to see how high it goes."""

BESIDE, MOST = 0.22, 0.86
"""The least part of the width on each side of the nudge, and the most of both."""


class View:
    """The line seen through a window that is as wide as one nudge asks for."""

    def __init__(self, id: str, slopes: Slopes, nudge: Nudge, span: tuple[float, float] | None = None):
        self.id, self.slopes, self.nudge = id, slopes, nudge
        self.point = f"({spell(slopes.at, slopes.digits)}, {spell(slopes.here)})"
        rise = (slopes.grad or 0) * nudge.by
        self.first = 26 + width(spell(rise), NUMBER, mono=True)
        self.both = self.first + 26 + width(spell(nudge.rise), NUMBER, mono=True)
        low, high = span or self._wide()
        known = [v for v in (slopes.here, nudge.value, slopes.here + rise) if isfinite(v)]
        even = [v for v in (self._ask(low + (high - low) * k / GRID) for k in range(GRID + 1)) if isfinite(v)]
        tall = _reach(known) or _reach(even)
        even_part = EVEN if id == "w0" else EVEN // 2
        self.pieces = sampled(self._ask, low, high, 4 * tall or 1.0, (slopes.at, nudge.there), even_part)
        self.y = self._whole(sorted(even), known[:2]) if span else around(self._near(known, even), BOTTOM, TOP)
        labels = max((width(text, 14, mono=True) for _, text in self.y.ticks()), default=0)
        self.x = Axis(low, high, round(32 + max(labels, 24)), PLOT)
        self.out = 1 if nudge.by > 0 else -1
        if not self.x.start < self._end()[0] + self.out * self.both < PLOT:  # no room there for the lengths
            self.out = -self.out

    def _wide(self) -> tuple[float, float]:
        """From where to where the line goes, with room for the point's numbers before it and the lengths behind."""
        room, by = PLOT - 110, self.nudge.by
        point = width(self.point, NUMBER, mono=True)
        before, after = max(BESIDE, (point + 24) / room), max(BESIDE, (self.both + 8) / room)
        if before + after > MOST:  # the point's numbers find another place
            before, after = BESIDE, min(after, MOST - BESIDE)
        whole = by / (1 - before - after)
        low, high = sorted((self.slopes.at - before * whole, self.slopes.at + by + after * whole))
        return low, high

    def _ask(self, number: float) -> float:
        """The function at a number as its dtype keeps it."""
        return self.slopes.function.value(self.slopes.function.exactly(number))

    def _whole(self, line: list[float], known: list[float]) -> Axis:
        """The axis of a whole line, the same while the point moves, without what is far from most."""
        if line:
            low, high = line[len(line) // 10], line[-1 - len(line) // 10]
            line = [v for v in line if 2 * low - high <= v <= 2 * high - low]
        axis = around(line, BOTTOM, TOP)
        return axis if all(map(axis.holds, known)) else around([*line, *known], BOTTOM, TOP)

    def _near(self, known: list[float], even: list[float]) -> list[float]:
        """The heights to be seen around a point: its nudge, its tangent, and the line near them."""
        line = even + [v for piece in self.pieces for _, v in piece]
        low, high = min(known, default=0.0), max(known, default=0.0)
        room = high - low or _reach(line) / 2
        return [*known, *(v for v in line if low - room <= v <= high + room)]

    def at(self, u: float, v: float) -> tuple[float, float]:
        """The place of a point."""
        return self.x.at(u), self.y.at(v)

    def ground(self) -> list[Shape]:
        """The axes and the line."""
        slopes, nudge = self.slopes, self.nudge
        marks = [(v, spell(v, slopes.digits)) for v in (slopes.at, nudge.there) if self.x.holds(v)]
        apart = abs(self.x.at(slopes.at) - self.x.at(nudge.there))
        marks = marks[: 1 + (apart > 8 + 10 * max((len(text) for _, text in marks), default=0))]
        shapes = [*across(self.y, self.x.start, PLOT), *along(self.x, BOTTOM, marks, "mono strong")]
        name = slopes.function.variable
        if all(abs(self.x.at(v) - PLOT) > 60 + 5 * len(text) for v, text in marks):
            shapes.append(draw.text(PLOT, BOTTOM + 22, name, "mono muted", 14, "end", room=90))
        near = abs(slopes.nudges[0].by / nudge.by)
        far = f", {equation('', near)} times as near" if near != 1 else ""
        head = draw.text(24, TOP - 16, f"{slopes.function.form}{far}", "mono muted", 14, room=PLOT - 24)
        return [head, *shapes, plot(path(self.pieces, self.x, self.y))]

    def move(self) -> list[Shape]:
        """The way of the nudge: along, and up or down to the line."""
        (u, v), (s, t) = self.at(self.slopes.at, self.slopes.here), self._end()
        rises = self.nudge.rise >= 0
        by = spell(self.nudge.by, DIGITS)
        label = draw.text((u + s) / 2, v + (20 if rises else -9), by, "mono strong", NUMBER, "middle")
        return [plot(f"M{u:g} {v:g}H{s:g}V{t:g}", "ink thin"), label] if isfinite(self.nudge.value) else []

    def _end(self) -> tuple[float, float]:
        value = self.nudge.value if isfinite(self.nudge.value) else self.slopes.here
        return self.at(self.nudge.there, min(max(value, self.y.low), self.y.high))

    def secant(self) -> list[Shape]:
        """The dashed line through both points, and how far it rises over the nudge."""
        slopes, by = self.slopes, self.nudge.by
        if not isfinite(self.nudge.slope):
            return []
        low, high = sorted((slopes.at - 0.3 * by, slopes.at + 1.25 * by))
        low, high = max(low, self.x.low), min(high, self.x.high)
        d = straight((slopes.at, slopes.here), self.nudge.slope, low, high, self.x, self.y)
        column = self._end()[0] + self.out * (self.first + 8)
        return [plot(d, "ink secant"), *self._length(column, self.nudge.rise, "ink", "strong")]

    def tangent(self) -> list[Shape]:
        """The line that has the gradient as its slope, and how far that rises over the nudge."""
        slopes = self.slopes
        if slopes.grad is None:
            return []
        d = straight((slopes.at, slopes.here), slopes.grad, self.x.low, self.x.high, self.x, self.y)
        shapes = [plot(d, "warm")]
        if isfinite(rise := slopes.grad * self.nudge.by) and self.y.holds(slopes.here + rise):
            shapes += self._length(self._end()[0] + 16 * self.out, rise, "warm", "strong grad-ink")
        return shapes

    def _length(self, x: float, rise: float, line: str, ink: str) -> list[Shape]:
        """A length from the height of the point on, with its number."""
        start, end = self.y.at(self.slopes.here), self.y.at(self.slopes.here + rise)
        d = f"M{x - 5:g} {start:g}h10M{x:g} {start:g}V{end:g}M{x - 5:g} {end:g}h10"
        between = abs(end - start) > NUMBER  # else above both lines, which would run through it
        middle = round(start / 2 + end / 2 + 6, 1) if between else round(min(start, end) - 8, 1)
        anchor = "start" if self.out > 0 else "end"
        text = draw.text(x + 9 * self.out, middle, spell(rise), f"mono {ink} factor", NUMBER, anchor)
        return [plot(d, f"{line} thin"), text]

    def dots(self) -> list[Shape]:
        """The point with its numbers, and the open one to which the nudge leads."""
        (u, v), (s, t) = self.at(self.slopes.at, self.slopes.here), self._end()
        number = self.id[1:]
        rises = self.nudge.slope * self.nudge.by >= 0 if isfinite(self.nudge.slope) else True
        wide, out = width(self.point, NUMBER, mono=True), -1 if self.nudge.by > 0 else 1
        y = max(TOP + 12, v - 12) if rises else min(BOTTOM - 8, v + 24)
        room = u - self.x.start if out < 0 else PLOT - u
        x, anchor = (u + out * 12, "end" if out < 0 else "start")
        if wide + 14 > room:
            x, anchor = max(u, self.x.start + wide / 2 + 4), "middle"
            y = max(TOP + 12, v - 24) if rises else min(BOTTOM - 8, v + 34)
        label = draw.text(x, y, self.point, "mono strong factor", NUMBER, anchor)
        opened = [_dot(f"q{number}", s, t, "spot open")] if isfinite(self.nudge.value) else []
        return [label, draw.group(f"n{number}", *opened, cls="fade"), _dot(f"p{number}", u, v, "spot")]


def _dot(id: str, x: float, y: float, cls: str) -> Shape:
    return Shape("circle", id, tuple(cls.split()), (("cx", x), ("cy", y), ("r", 7)))


def _reach(numbers: list[float]) -> float:
    """Half of the way from the least number to the greatest."""
    return max(numbers, default=0.0) / 2 - min(numbers, default=0.0) / 2
