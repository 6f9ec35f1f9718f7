"""A function's line: points near enough to each other to draw, in pieces where it jumps or has no number."""

from collections.abc import Callable, Sequence
from math import isfinite

from ...scene import Shape, draw
from ...scene.measure import width
from ..kit.axes import Axis

STEEP, STAYS, EVEN, FINE, MOST = 0.08, 0.25, 72, 24, 360
"""The part of the height by which a line may rise between two points; the part of such a rise that stays where the
line jumps; how many points there are at least, how often a gap between two is halved, and how many points are put into
such gaps in all."""

Point = tuple[float, float]


def sampled(f: Callable[[float], float], low: float, high: float, tall: float, also: Sequence[float] = (),
            even: int = EVEN) -> list[list[Point]]:  # fmt: skip
    """The pieces of a line: points of f with finite numbers, from left to right.

    A piece ends where f has no finite number, and where it jumps: where the rise between two points stays, however
    near they are.

    Args:
        tall: the height of the drawing in f's numbers.
        also: places at which f is asked besides.
        even: into how many parts the way is cut first.

    >>> [len(piece) > 5 for piece in sampled(lambda x: 1.0 if x > 0.3 else 0.0, 0, 1, 2.0)]
    [True, True]
    >>> (piece,) = sampled(lambda x: x**0.5 if x >= 0.3 else float("nan"), 0, 1, 1.0)
    >>> round(piece[0][0], 5)
    0.3
    """
    places = sorted({low + (high - low) * k / even for k in range(even + 1)} | {x for x in also if low <= x <= high})
    points, left = [(x, f(x)) for x in places], MOST
    pieces: list[list[Point]] = [[]]
    for (a, fa), (b, fb) in zip(points, points[1:]):
        if isfinite(fa):
            pieces[-1].append((a, fa))
        between, jumps = _between(f, (a, fa), (b, fb), tall, left)
        left -= len(between)
        for k, (x, y) in enumerate(between):
            if jumps == k:
                pieces.append([])
            if isfinite(y):
                pieces[-1].append((x, y))
        if jumps == len(between):
            pieces.append([])
    if isfinite(points[-1][1]):
        pieces[-1].append(points[-1])
    return [piece for piece in pieces if piece]


def _between(f: Callable[[float], float], first: Point, last: Point, tall: float,
             most: int) -> tuple[list[Point], int | None]:  # fmt: skip
    """Returns more points between two, and before which of them the line breaks, if it does."""
    before, after, (a, b) = list[Point](), list[Point](), (first, last)
    for _ in range(min(FINE, most)):
        if not _far(a, b, tall):
            return [*before, *reversed(after)], None
        x = a[0] / 2 + b[0] / 2
        if not a[0] < x < b[0]:
            break
        middle = x, f(x)
        if _far(a, middle, tall) and (not _far(middle, b, tall) or _rise(a, middle) >= _rise(middle, b)):
            b = middle
            after.append(middle)
        else:
            a = middle
            before.append(middle)
    jumps = not _both(a, b) or most >= FINE and _rise(a, b) > STAYS * _rise(first, last)
    breaks = len(before) if _far(a, b, tall) and jumps else None
    return [*before, *reversed(after)], breaks


def _both(a: Point, b: Point) -> bool:
    return isfinite(a[1]) and isfinite(b[1])


def _rise(a: Point, b: Point) -> float:
    return abs(b[1] / 2 - a[1] / 2) if _both(a, b) else float("inf")


def _far(a: Point, b: Point, tall: float) -> bool:
    """True for two points that are no line yet: one far above the other, or only one of them there."""
    return _rise(a, b) > STEEP * tall / 2 if _both(a, b) else isfinite(a[1]) != isfinite(b[1])


def path(pieces: Sequence[Sequence[Point]], x: Axis, y: Axis) -> str:
    """The `d` of the pieces, as far as they are between both ends of the axis that goes up.

    >>> path([[(0.0, 0.0), (1.0, 4.0)]], Axis(0, 1, 0, 100), Axis(0, 2, 100, 0))
    'M0 100L50 0'
    """
    d = []
    for piece in pieces:
        if len(piece) == 1 and y.holds(piece[0][1]):
            d.append(f"M{x.at(piece[0][0]):g} {y.at(piece[0][1]):g}h.1")
        pen: Point | None = None
        for a, b in zip(piece, piece[1:]):
            ends = _inside(a, b, y)
            if ends is None:
                continue
            begin, end = ((x.at(u), y.at(v)) for u, v in ends)
            d.append(("" if begin == pen else f"M{begin[0]:g} {begin[1]:g}") + f"L{end[0]:g} {end[1]:g}")
            pen = end
    return "".join(d)


def _inside(a: Point, b: Point, y: Axis) -> tuple[Point, Point] | None:
    """The part of a straight way that is between the ends of the axis."""
    if a[1] == b[1]:
        return (a, b) if y.holds(a[1]) else None
    ends = sorted((end / 2 - a[1] / 2) / (b[1] / 2 - a[1] / 2) for end in (y.low, y.high))
    first, last = max(0.0, ends[0]), min(1.0, ends[1])
    if first >= last:
        return None
    at = lambda t: (a[0] + t * (b[0] - a[0]), a[1] * (1 - t) + b[1] * t)  # noqa: E731
    return (a if first == 0 else at(first)), (b if last == 1 else at(last))


def straight(through: Point, slope: float, low: float, high: float, x: Axis, y: Axis) -> str:
    """The `d` of a straight line through a point, between two numbers; with an endless slope it is upright.

    >>> straight((1.0, 1.0), 2.0, 0.0, 2.0, Axis(0, 2, 0, 100), Axis(0, 2, 100, 0))
    'M25 100L75 0'
    """
    u, v = through
    if not isfinite(slope):
        return f"M{x.at(u):g} {y.start:g}V{y.end:g}" if slope == slope else ""
    return path([[(low, v + slope * (low - u)), (high, v + slope * (high - u))]], x, y)


def plot(d: str, cls: str = "") -> Shape:
    """A line of a diagram: pale, or of class `ink` or `warm`."""
    return Shape("path", cls=("plot", *cls.split()), attrs=(("d", d),))


def framed(id: str, left: float, y: float, right: float, high: float) -> Shape:
    """The frame of a row of a table, seen while it is lit."""
    attrs = (("x", left), ("y", y), ("width", right - left), ("height", high), ("rx", 6), ("pointer-events", "all"))
    return Shape("rect", id, ("row",), attrs)


def warm(id: str, left: float, right: float, y: float, name: str, text: str) -> Shape:
    """A gradient's name, and its number in a box, which a narrow page writes again: it is no cell."""
    wide = max(72.0, round(width(text, 18, mono=True) + 24))
    box = Shape("rect", attrs=(("x", right - wide), ("y", y), ("width", wide), ("height", 40), ("rx", 5)))
    cls = "grad" if text != "None" else "virtual"
    words = draw.text(left, y + 26, name, "mono strong grad-ink", 18, room=right - left - wide - 8)
    number = draw.text(right - wide / 2, y + 26, text, "mono strong grad-ink", 18, "middle")
    return draw.group(id, words, box, number, cls=cls)
