"""show.curve: a function of one number as a line, the slope that a nudge gives, and the one that backward gives."""

from collections.abc import Callable, Mapping, Sequence
from math import isfinite
from typing import Any, NamedTuple

from ...claims.claim import equation
from ...claims.digits import spell
from ...errors import ArgumentTypeError
from ...ir.text import clean
from ...scene import Figure, Frame, Link, Links, Look, Scene, Shape, draw
from ...scene.measure import width
from ...tensor import Tensor
from ..op.beside import put_back, reached
from ..op.call import program
from ..words.caller import Words, caller_text
from ..words.given import Names, named, titled
from .check import scene_of as scene_of_check
from .fits import fitted, scene_of as scene_of_fits
from .function import DIGITS, Function, called, numbers, of_numbers, of_weight, parameters, tried
from .line import plot
from .slopes import Nudge, Slopes, checked, nudges_at
from .view import BOTTOM, NUMBER, TOP, View

TABLE, EDGE, TALL = 572, 836, 384
"""Both ends of the table, and the height of the drawing."""

ROW, CELL = 44, 40
"""The height of a row of the table and of the gradient's cell."""


def curve(
    f: str | Callable | None = None, at: Any = 1.0, index: Any = None, *, nudge: float | Sequence[float] | None = None,
    over: int | str = 0, span: Sequence[float] | None = None, check: bool = False,
    fits: Sequence[Any] | None = None, points: Sequence[Any] | None = None,
    names: Names = None, title: str | None = None,
) -> Figure:  # fmt: skip
    """Shows a function of one number as a line, with the slope that a nudge measures and the one that backward gives.

    A weight of a model may be that number: `show.curve(loss, w, (0, 1))` draws a loss that reads w, or takes it, over
    one of its numbers. Nothing of the reader's is written to.

    Args:
        f: of a tensor of one number, or of several; an operation by name; a loss without arguments that reads the
            weight `at`. What it draws at random is the same each time.
        at: the point: a number, one for each argument of f, or the weight.
        index: the place of the weight's number that is moved.
        nudge: by how much the number is moved, or several, each of which is drawn as near as it is small; default: 1,
            0.1 and 0.01, of a number from 10,000 on more.
        over: which of several arguments is moved, by its place or name.
        span: from where to where the line is drawn; default: around the point, as wide as the first nudge asks for.
        check: draw the error of a gradient check over its step instead, in float32 and float64, both axes logarithmic.
        fits: for each step of a training the parameters that f takes after x, or a function of x itself; drawn with
            `points`, while their loss, the mean of the squared misses, falls.
        points: what was measured: the numbers x, and y for each.
        names: what to call the number, ["x"], or x and y of the points; default: f's own name for it, or the calling
            line's.
        title: the title; default: the function and the point.

    Raises:
        TypeError: no function, no number, a result that is no number. ValueError: f raises at the point, or is another
        number each time; a nudge of 0, or one that rounding takes away; no such argument. IndexError: no such place of
        the weight. ShapeError (a RuntimeError): a result of several numbers.

    Example:
        >>> import rustyflow as rf
        >>> figure = rf.show.curve(lambda x: x * x, at=3.0)
        >>> figure.scene.title
        'f(x) = x * x, at x = 3'
        >>> print(figure.sentences[2])
        f(4) - f(3) = 16 - 9 = 7 over a nudge of 1: the slope of the dashed line.
        >>> print(figure.sentences[-1])
        A nudge of 1 gives 7; the gradient, the slope at the point itself, is 6.
    """
    caller = either(caller_text((f, at)), caller_text((f,)))
    with put_back(reached(f) if callable(f) else ()):
        if fits is not None or points is not None:
            return Figure(scene_of_fits(fitted(f, fits, points, *_fit_words(f, caller, names)), titled(title)))
        asked = asked_of(f, at, index, over, caller, names, titled(title))
        if check:
            return Figure(scene_of_check(asked.function, asked.at, asked.titled(asked.at)))
        slopes = Slopes(asked.function, asked.at, nudges_at(asked.at) if nudge is None else checked(nudge))
        return Figure(picture_of(slopes, asked.titled(asked.at), spanned(span)).scene())


class Asked(NamedTuple):
    """A function as it is asked for, the number at which, and what the title says of it, or the whole title."""

    function: Function
    at: float
    head: str
    title: str | None

    def titled(self, at: float) -> str:
        """The title at a number."""
        if self.title is not None:
            return self.title
        return f"{self.head} {spell(at, DIGITS)}"


def either(both: Words, one: Words) -> Words:
    """Returns the words of a call that gives the point by its place, or by its name."""
    if both.arguments[0] is not None:
        return both
    return one._replace(arguments=(*one.arguments, one.keywords.get("at")), assignments=(*one.assignments, None))


def asked_of(f: Any, at: Any, index: Any, over: int | str, caller: Words, names: Names, title: str | None) -> Asked:
    """Returns what is asked for, with the caller's words for it."""
    f = called(f)
    source, name = caller.expressions[0], _name(f, caller)
    if isinstance(at, Tensor) and (at.numel() != 1 or index is not None or parameters(f)[1] == 0):
        (variable,) = named(names, [at], caller._replace(arguments=caller.arguments[1:2]).names([at], "wxyz", True))
        function, place = of_weight(f, name, at, index, variable)
        return Asked(tried(function, place), place, f"{name} over {function.variable}, at", title)
    if index is not None:
        raise ArgumentTypeError(f"at={at!r:.40}, index={index!r:.40}", "an index is a place of a tensor",
                                "show.curve(loss, w, (0, 1)), where w is a weight")  # fmt: skip
    given = numbers(at)
    (variable,) = named(names, [at], [""])
    function = of_numbers(f, name, given, over, variable or None)
    place = given[parameters(f)[0].index(over) if isinstance(over, str) else over]
    words = [*function.before, function.variable, *function.after]
    text = _unquoted(program(f, source if source.startswith("lambda") else name, words, {}, [], []), words)
    whole = function.of(function.variable)
    head = clean(whole if text == whole else f"{whole} = {text}", 60)
    return Asked(tried(function, place), place, f"{head}, at {function.variable} =", title)


def _unquoted(text: str, words: Sequence[str]) -> str:
    """A program with names where they stood as texts."""
    for word in words:
        text = text.replace(repr(word), word)
    return text


def _name(f: Callable, caller: Words) -> str:
    """The name of a function in sentences: its own, the caller's for it, or f."""
    name = getattr(f, "__name__", "") or type(f).__name__
    written = (caller.arguments[0] or "") if caller.arguments else ""
    if name == "<lambda>" or not name.isidentifier():
        name = written if written.isidentifier() else "f"
    return clean(name, 24)


def _fit_words(f: Any, caller: Words, names: Names) -> tuple[str, list[str]]:
    """The program of f, and the names of x and y: given, or as the caller calls what was measured; "" where unknown."""
    source = caller.expressions[0] if caller.arguments else ""
    text = source.partition(":")[2].strip() if source.startswith("lambda") else "" if f is None else _name(f, caller)
    written = (caller.keywords.get("points") or "").strip("()").split(",")
    known = [part.strip() if part.strip().isidentifier() else "" for part in written]
    ours = named(names, [0, 1], known if len(known) == 2 else ["", ""])
    return text or "a line", ours


def spanned(span: Sequence[float] | None) -> tuple[float, float] | None:
    """Returns from where to where a line is drawn.

    Raises:
        TypeError: no two numbers. ValueError: they are none that are finite, the first before the second.
    """
    if span is None:
        return None
    ends = numbers(span, "span", "span=(-2, 2)")
    if len(ends) != 2 or not ends[0] < ends[1]:
        raise ArgumentTypeError(f"span={span!r:.40}", "a line goes from one number to a greater one", "span=(-2, 2)")
    return ends[0], ends[1]


def picture_of(slopes: Slopes, title: str, span: tuple[float, float] | None = None) -> "CurvePicture":
    """The picture of a function's slopes at a point; `span` is from where to where the first of its windows goes."""
    return (CurvePicture if isfinite(slopes.here) else NoPoint)(slopes, title, span)


class CurvePicture:
    """A window on the line for each nudge, one of them seen at a time, and the table of their slopes beside it."""

    def __init__(self, slopes: Slopes, title: str, span: tuple[float, float] | None = None):
        self.slopes, self.title = slopes, title
        self.views = [View(f"w{k}", slopes, nudge, None if k else span) for k, nudge in enumerate(slopes.nudges)]

    def _drawn(self) -> list[Shape]:
        shapes: list[Shape] = list(draw.headed(self.title, "", y=34))[:1]
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
            box = Shape("rect", attrs=(("x", TABLE), ("y", y), ("width", EDGE - TABLE), ("height", ROW - 4), ("rx", 6)))
            by = draw.text(left, y + 26, spell(nudge.by, DIGITS), "mono", NUMBER)
            value = draw.text(right, y + 26, spell(nudge.slope), "mono", NUMBER, "end", id=f"v{k}")
            shapes.append(draw.group(f"r{k}", box, by, value, cls="row"))
        y = TOP + 30 + ROW * len(slopes.nudges)
        return [*shapes, draw.rule(TABLE, y - 4, EDGE), draw.group("g", *self._grad(y + 8), cls="fade")]

    def _grad(self, y: float) -> list[Shape]:
        """The gradient's name and its cell."""
        slopes = self.slopes
        text = "None" if slopes.grad is None else spell(slopes.grad)
        wide = max(72.0, round(width(text, NUMBER, mono=True) + 24))
        name = draw.text(TABLE, y + 26, slopes.name, "mono strong grad-ink", NUMBER, room=EDGE - TABLE - wide - 8)
        cls = "grad" if slopes.grad is not None else "virtual"
        return [name, draw.cell("gc", EDGE - wide, y, text, cls, wide, CELL, NUMBER)]

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
        lit = Look({"lit": (f"r{window}",)}) if "m" in told else Look()
        return Frame(sentence, (Look({"off": tuple(hidden)}), lit))

    def _links(self) -> list[Links]:
        """What a row of the table says, and the window that it opens; and so for the points and the gradient."""
        families, slopes = [], self.slopes
        for k, nudge in enumerate(slopes.nudges):
            ids = [f"r{k}"] + [f"q{k}"] * isfinite(nudge.value)
            families.append(self._opening(k, "ms", slopes.slope(nudge), ids, f"r{k}"))
        points = [f"p{k}" for k in range(len(self.views))]
        families.append(self._opening(0, "", f"{slopes.point()}: the point on the line.", points))
        families.append(self._opening(0, "mst", slopes.tangent(), ["gc"], "gc"))
        return families

    def _opening(self, window: int, told: str, sentence: str, ids: Sequence[str], lights: str = "") -> Links:
        others = tuple(f"w{k}" for k in range(len(self.views)) if k != window)
        parts = [f"{letter}{window}" for letter in told] + [f"n{window}"] * bool(told) + [f"v{window}"] * bool(told)
        parts += ["g"] * ("t" in told) + [f"w{window}"]
        opens = Look({"-off": tuple(parts), "off": others, "-lit": tuple(f"r{k}" for k in range(len(self.views)))})
        links: Mapping[str, Link] = {id: Link((lights,) if lights else (id,)) for id in ids}
        return Links(sentence, links, opens=opens)


class NoPoint(CurvePicture):
    """The line about a number at which the function has none."""

    def scene(self) -> Scene:
        """The line, as far as there is one, and where the number is."""
        view, slopes = self.views[0], self.slopes
        here = plot(f"M{view.x.at(slopes.at):g} {TOP}V{BOTTOM}", "thin dashed")
        shapes = (*draw.headed(self.title, "", y=34)[:1], *view.ground(), here)
        sentence = f"{slopes.point()}: there is no point of the line, and no slope."
        return Scene(self.title, 860, TALL, shapes, (Frame(sentence),))


def _row(nudge: Nudge) -> str:
    """A row of the table in words."""
    by, slope = equation("", nudge.by, DIGITS), equation("", nudge.slope)
    return f"a nudge of {by} gives {slope}" if isfinite(nudge.slope) else f"a nudge of {by} gives no slope"
