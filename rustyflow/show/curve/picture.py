"""The picture of a point's slopes: a window on the line for each nudge, and the table of their slopes."""

from collections.abc import Mapping, Sequence
from math import isfinite

from ...claims.claim import equation
from ...claims.digits import DIGITS as SHORT, spell, telling
from ...scene import Frame, Link, Links, Look, Scene, Shape, draw
from .function import DIGITS
from .line import framed, plot, warm
from .slopes import Nudge, Slopes
from .view import BOTTOM, NUMBER, TOP, View

TABLE, EDGE, TALL = 572, 836, 372
"""Both ends of the table, and the height of the drawing."""

ROW = 44
"""The height of a row of the table."""


def picture_of(slopes: Slopes, title: str, span: tuple[float, float] | None = None) -> "CurvePicture":
    """Returns the picture of a function's slopes at a point; `span` has both ends of its first window."""
    return (CurvePicture if isfinite(slopes.here) else NoPoint)(slopes, title, span)


class CurvePicture:
    """A window on the line for each nudge, one seen at a time, beside the table of slopes."""

    def __init__(self, slopes: Slopes, title: str, span: tuple[float, float] | None = None):
        self.slopes, self.title = slopes, title
        self.views = [View(f"w{k}", slopes, nudge, None if k else span) for k, nudge in enumerate(slopes.nudges)]

    def _drawn(self) -> list[Shape]:
        shapes: list[Shape] = []
        for k, view in enumerate(self.views):
            parts = [("m", view.move()), ("s", view.secant()), ("t", view.tangent())]
            groups = [draw.group(f"{letter}{k}", *some, cls="fade") for letter, some in parts]
            shapes.append(draw.group(f"w{k}", *view.ground(), *groups, *view.dots(), cls="fade"))
        return [*shapes, draw.group("", *self._table(), cls="aside")]

    def _table(self) -> list[Shape]:
        """The nudges with their slopes, and the gradient under them."""
        slopes, left, right = self.slopes, TABLE + 16, EDGE - 16
        shapes = [draw.text(left, TOP + 8, "nudge", "muted strong", 14),
                  draw.text(right, TOP + 8, "rise / nudge", "mono muted", 14, "end")]  # fmt: skip
        for k, nudge in enumerate(slopes.nudges):
            y = TOP + 18 + ROW * k
            box = framed(f"f{k}", TABLE, y, EDGE, ROW - 4)
            by = draw.text(left, y + 26, spell(nudge.by, DIGITS), "mono", NUMBER)
            value = draw.text(right, y + 26, apart(nudge.slope, slopes.grad), "mono", NUMBER, "end", id=f"v{k}")
            shapes.append(draw.group(f"r{k}", box, by, value))
        y = TOP + 30 + ROW * len(slopes.nudges)
        number = "None" if slopes.grad is None else spell(slopes.grad)
        grad = warm("gc", TABLE, EDGE, y + 8, slopes.name, number)
        return [*shapes, draw.rule(TABLE, y - 4, EDGE), draw.group("g", grad, cls="fade")]

    def scene(self) -> Scene:
        """The point, its nudge, the slope that this gives, smaller ones, the gradient, and both side by side."""
        slopes, last = self.slopes, len(self.views) - 1
        frames = [self._frame(f"{slopes.point()}: the point on the line.", 0, "", 0)]
        frames.append(self._frame(slopes.moved(slopes.nudges[0]), 0, "m", 0))
        frames += [self._frame(slopes.slope(nudge), k, "ms", k + 1) for k, nudge in enumerate(slopes.nudges)]
        if sided := slopes.sided():
            frames.append(self._frame(sided, 0, "", last + 1))
        frames.append(self._frame(slopes.tangent(), last if slopes.nearer else 0, "mst", last + 1, True))
        if slopes.both() != slopes.tangent():
            frames.append(self._frame(slopes.both(), 0, "mst", last + 1, True))
        about = [slopes.point(), *(_row(nudge) for nudge in slopes.nudges)]
        about.append(f"{slopes.name} is None" if slopes.grad is None else equation(slopes.name, slopes.grad))
        path = tuple((id,) for id in (*(f"r{k}" for k in range(last + 1)), "gc"))
        return Scene(self.title, 860, TALL, tuple(self._drawn()), tuple(frames), (*self._links(),), (path,),
                     about=tuple(about))  # fmt: skip

    def _frame(self, sentence: str, window: int, told: str, rows: int, grad: bool = False) -> Frame:
        """A frame in which one window is seen, some parts of it, some rows' slopes, and perhaps the gradient."""
        hidden = [f"w{k}" for k in range(len(self.views)) if k != window]
        hidden += [f"{letter}{k}" for letter in "mst" for k in range(len(self.views)) if letter not in told]
        hidden += [f"n{k}" for k in range(len(self.views)) if not told]
        hidden += [f"v{k}" for k in range(rows, len(self.views))] + ["g"] * (not grad)
        lit = Look({"lit": (f"f{window}",)}) if "m" in told else Look()
        return Frame(sentence, (Look({"off": tuple(hidden)}), lit))

    def _links(self) -> list[Links]:
        """The links of the rows, the points and the gradient, each with the window that it opens."""
        families, slopes = [], self.slopes
        for k, nudge in enumerate(slopes.nudges):
            ids = [f"r{k}"] + [f"q{k}"] * isfinite(nudge.value)
            families.append(self._opening(k, "ms", slopes.slope(nudge), ids, f"f{k}"))
        points = [f"p{k}" for k in range(len(self.views))]
        families.append(self._opening(0, "", f"{slopes.point()}: the point on the line.", points))
        families.append(self._opening(0, "mst", slopes.tangent(), ["gc"], "gc"))
        return families

    def _opening(self, window: int, told: str, sentence: str, ids: Sequence[str], lights: str = "") -> Links:
        others = tuple(f"w{k}" for k in range(len(self.views)) if k != window)
        parts = [f"{letter}{window}" for letter in told] + [f"n{window}"] * bool(told) + [f"v{window}"] * bool(told)
        parts += ["g"] * ("t" in told) + [f"w{window}"]
        opens = Look({"-off": tuple(parts), "off": others, "-lit": tuple(f"f{k}" for k in range(len(self.views)))})
        links: Mapping[str, Link] = {id: Link((lights,) if lights else (id,)) for id in ids}
        return Links(sentence, links, opens=opens)


class NoPoint(CurvePicture):
    """The line about a number at which the function has none."""

    def scene(self) -> Scene:
        """The line, as far as there is one, and where the number is."""
        view, slopes = self.views[0], self.slopes
        here = plot(f"M{view.x.at(slopes.at):g} {TOP}V{BOTTOM}", "thin dashed")
        shapes = (*view.ground(), here)
        sentence = f"{slopes.point()}: there is no point of the line, and no slope."
        return Scene(self.title, 860, TALL, shapes, (Frame(sentence),))


def apart(slope: float, grad: float | None) -> str:
    """A slope in as many digits, up to seven, as tell it from the gradient.

    >>> apart(6.001, 6.0), apart(6.1, 6.0), apart(6.0, 6.0), apart(1 / 3, None)
    ('6.001', '6.1', '6', '0.333')
    """
    return spell(slope, SHORT if grad is None else telling(slope, grad, SHORT, 7))


def _row(nudge: Nudge) -> str:
    """A row of the table in words."""
    by, slope = equation("", nudge.by, DIGITS), equation("", nudge.slope)
    return f"a nudge of {by} gives {slope}" if isfinite(nudge.slope) else f"a nudge of {by} gives no slope"
