"""A line that bends to measured points, step by step of a training, while its loss falls."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from math import isfinite, nan
from typing import Any, NamedTuple

import numpy as np

from ...claims.claim import equation
from ...claims.digits import spell
from ...errors import ArgumentTypeError, ArgumentValueError
from ...errors.foreign import kind_of
from ...ir.text import clean
from ...ops.creation import from_numpy
from ...scene import Frame, Link, Links, Look, Scene, Shape, draw
from ...scene.scene import Template, fill
from ...tensor import Tensor
from ..kit.axes import Axis, across, along, around
from ..words.sentences import listed, many
from .function import Function, called, numbers, parameters, tried
from .line import path, plot, sampled
from .moved import runs

MOST, POINTS, EVEN = 24, 200, 32
"""The most steps that are drawn, the most points, and into how many parts a line is cut."""

TOP, BOTTOM, PLOT, TABLE, EDGE, TALL = 44, 332, 540, 616, 836, 372
"""The ends of the diagram, both ends of that of the loss, and the height of the drawing."""

LOW, SIZE, FAR = 212, 18, 50.0
"""The lower end of the diagram of the loss, the size of numbers, and from how large a fall on its axis is
logarithmic."""


class Fit(NamedTuple):
    """A step: its number, its parameters, the line's numbers at the points, and the mean of the squared misses."""

    step: int
    values: tuple[float, ...]
    line: Callable[[float], float]
    there: list[float]
    loss: float


class Fits(NamedTuple):
    """The points, the steps of a line towards them, and the names of x, of y and of the parameters."""

    xs: list[float]
    ys: list[float]
    fits: list[Fit]
    names: tuple[str, str, tuple[str, ...]]
    text: str


def fitted(f: Any, fits: Any, points: Any, text: str, names: Sequence[str]) -> Fits:
    """Returns the steps of a line and the points that it is drawn with.

    Raises:
        TypeError: no list of steps, no pair of lists of numbers, a step that is no number and no function.
        ValueError: no step, no point, more points than 200, another number of y than of x, nan or inf.
    """
    if not isinstance(points, list | tuple) or len(points) != 2:
        rule = "a line is fitted to what was measured: the numbers x, and y for each"
        raise ArgumentTypeError(f"points={points!r:.60}", rule, "points=(speed, feet)", value=points)
    xs, ys = (numbers(_listed(part), "points", "points=(speed, feet)") for part in points)
    if len(xs) != len(ys) or len(xs) > POINTS:
        was, rule = f"{many(len(xs), 'x')} and {many(len(ys), 'y')}", f"each of up to {POINTS} points has an x and a y"
        raise ArgumentValueError(was, rule, "points=(speed, feet), of one length")
    steps = [*fits] if isinstance(fits, list | tuple | np.ndarray | Tensor) else None
    if not steps:
        rule = "fits has a number, or several, or a function for each step of a training"
        raise ArgumentTypeError(f"fits={fits!r:.60}", rule, "fits=[0.0, 4.2, 8.1]", value=fits)
    shown = {*np.linspace(0, len(steps) - 1, min(len(steps), MOST)).round().astype(int).tolist()}
    if len(steps) > MOST:  # most happens early
        shown = {0, *np.geomspace(1, len(steps) - 1, MOST - 1).round().astype(int).tolist()}
    (x, y), ours = names[:2], [] if f is None else parameters(called(f))[0]
    made = [_fit(f, k, steps[k], xs, ys, ours[0] if ours else x) for k in sorted(shown)]
    variables = ours[1:] if ours else []
    variables += [f"w{k}" for k in range(len(variables), max(len(fit.values) for fit in made))]
    return Fits(xs, ys, made, (x or (ours[0] if ours else "x"), y or "y", (*variables,)), text)


def _listed(part: Any) -> Any:
    """Tensors and arrays as lists."""
    return part.tolist() if isinstance(part, Tensor | np.ndarray) else part


def _fit(f: Any, k: int, step: Any, xs: Sequence[float], ys: Sequence[float], x: str) -> Fit:
    values: tuple[float, ...] = ()
    if callable(step):
        function = Function(runs(step, step, xs[0]), f"fits[{k}]", x or "x")
    elif f is None:
        was, rule = f"fits[{k}] is a {kind_of(step)}, and there is no f", "a step has parameters of f, or is a function"
        raise ArgumentTypeError(was, rule, "show.curve(lambda x, w: w * x, fits=[0.0, 4.2], points=(x, y))")
    else:
        values = tuple(_parameters(step, k))
        others = [from_numpy(np.array(value)) for value in values]
        ours = called(f)
        function = Function(runs(lambda leaf: ours(leaf, *_as(leaf, others)), ours, xs[0]), "f", x)
    function = tried(function, xs[0])
    line = replace(function).value
    there = [line(u) for u in xs]
    with np.errstate(all="ignore"):
        loss = float(np.mean((np.array(there) - np.array(ys)) ** 2))
    return Fit(k, values, line, there, loss)


def _parameters(step: Any, k: int) -> list[float]:
    """The numbers of a step; a training may have made nan of them."""
    parts = _listed(step)
    parts = list(parts) if isinstance(parts, list | tuple) else [parts]
    parts = [part.item() if isinstance(part, Tensor | np.generic) else part for part in parts]
    if not all(isinstance(part, int | float) and not isinstance(part, bool) for part in parts):
        rule = "a step of a training has numbers for what f takes after x"
        raise ArgumentTypeError(f"fits[{k}]={step!r:.40}", rule, "fits=[0.0, 4.2], or fits=[(0.0, 1.0), (4.2, 0.9)]")
    return [*map(float, parts)]


def _as(leaf: Tensor, others: Sequence[Tensor]) -> list[Tensor]:
    return [x.to(leaf.dtype) for x in others]


def scene_of(fits: Fits, title: str | None = None) -> Scene:
    """The scene of a line that bends to its points."""
    return FitsPicture(fits, title or f"{clean(fits.text, 48)}, and {many(len(fits.xs), 'point')}").scene()


class FitsPicture:
    """The points with a line at one step, the misses dashed; beside it the loss of every step."""

    def __init__(self, fits: Fits, title: str):
        self.fits, self.title = fits, title
        low, high = min(fits.xs), max(fits.xs)
        air = (high - low) / 12 or abs(high) / 2 or 1.0
        ys = fits.ys
        tall = max(ys) - min(ys) or abs(ys[0]) or 1.0
        near = [v for fit in fits.fits for v in fit.there if min(ys) - tall <= v <= max(ys) + tall]
        self.x, self.y = Axis(low - air, high + air, 84, PLOT), around([*ys, *near], BOTTOM, TOP)
        losses = [fit.loss for fit in fits.fits if isfinite(fit.loss)]
        least, most = min(losses, default=0.0), max(losses, default=1.0)
        self.steps = Axis(-0.5, max(fits.fits[-1].step, 1) + 0.5, TABLE, EDGE)
        log = least > 0 and most / least > FAR
        self.loss = (Axis(least / 1.5, most * 1.5, LOW, TOP + 16, log=True) if log
                     else Axis(0.0, 1.1 * most or 1.0, LOW, TOP + 16))  # fmt: skip

    def _line(self, fit: Fit) -> tuple[str, str]:
        """The `d` of a line, and that of its misses."""
        tall = self.y.high - self.y.low
        pieces = sampled(fit.line, self.x.low, self.x.high, 4 * tall, self.fits.xs, EVEN)
        ends = [(self.x.at(u), self.y.at(v), self.y.at(min(max(there, self.y.low), self.y.high)))
                for u, v, there in zip(self.fits.xs, self.fits.ys, fit.there) if isfinite(there)]  # fmt: skip
        return path(pieces, self.x, self.y), "".join(f"M{x:g} {v:g}V{end:g}" for x, v, end in ends)

    def _drawn(self) -> list[Shape]:
        (x, y, _), fits = self.fits.names, self.fits
        shapes = [draw.text(24, TOP - 16, y, "mono muted", 14, room=200)]
        shapes += [*across(self.y, self.x.start, PLOT), *along(self.x, BOTTOM, self.x.ticks(6))]
        shapes.append(draw.text(PLOT, BOTTOM + 38, x, "mono muted", 14, "end", room=200))
        shapes += [Shape("path", "miss", ("plot", "ink", "thin", "dashed"), (("d", ""),)),
                   Shape("path", "fit", ("plot", "ink"), (("d", ""),))]  # fmt: skip
        shapes += [Shape("circle", f"m{k}", ("spot", "open"), (("cx", self.x.at(u)), ("cy", self.y.at(v)), ("r", 5)))
                   for k, (u, v) in enumerate(zip(fits.xs, fits.ys))]  # fmt: skip
        return [*shapes, *self._losses(), draw.group("", *self._values(), cls="aside")]

    def _losses(self) -> list[Shape]:
        """The loss of each step as a dot, all joined."""
        last, places = self.fits.fits[-1].step, self._places()
        ends = [(0.0, "0"), (float(last), str(last))] if last else [(0.0, "0")]
        shapes = [*across(self.loss, TABLE, EDGE, 4), *along(self.steps, LOW, ends),
                  draw.text(TABLE, TOP + 4, "loss", "muted strong", 14),
                  draw.text((TABLE + EDGE) / 2, LOW + 22, "step", "muted strong", 14, "middle")]  # fmt: skip
        numbers = [isfinite(fit.loss) for fit in self.fits.fits]
        pairs = [place for place, is_number in zip(places, numbers, strict=True) if is_number]
        d = "".join(f"{'L' if k else 'M'}{x:g} {y:g}" for k, (x, y) in enumerate(pairs))
        dots = [Shape("circle", f"o{k}", ("spot", *["open"] * (not numbers[k])), (("cx", x), ("cy", y), ("r", 3.4)))
                for k, (x, y) in enumerate(places)]  # fmt: skip
        return [*shapes, plot(d, "thin"), *dots]

    def _places(self) -> list[tuple[float, float]]:
        worst = self.loss.high
        pairs = ((fit.step, fit.loss if isfinite(fit.loss) else worst) for fit in self.fits.fits)
        return [(self.steps.at(step), self.loss.at(loss)) for step, loss in pairs]

    def _values(self) -> list[Shape]:
        """The parameters and the loss of the step that is seen."""
        rows = [*self.fits.names[2][:3], "loss"]
        shapes = []
        for k, name in enumerate(rows):
            y = LOW + 56 + 28 * k
            shapes.append(draw.text(TABLE, y, name, "mono strong", SIZE, room=100))
            shapes.append(draw.text(EDGE, y, "", "mono", SIZE, "end", id=f"z{k}"))
        return shapes

    def _told(self, fit: Fit) -> str:
        values = [equation(name, v) for name, v in zip(self.fits.names[2], fit.values)]
        where = f"With {listed(values)} the" if values else "The"
        return f"Step {fit.step}. {where} mean of the squared misses, the loss, is {equation('', fit.loss)}."

    def scene(self) -> Scene:
        """The points, then the line of each step, with its loss; then what has become of the loss."""
        fits, rows = self.fits.fits, self.fits.names[2][:3]
        links = {}
        for k, fit in enumerate(fits):
            shown = [spell(v) for v in (*fit.values, *[nan] * len(rows))[: len(rows)]]
            links[f"o{k}"] = Link((f"o{k}",), (self._told(fit), *self._line(fit), *shown, spell(fit.loss)))
        sets = {("fit", "d"): (1,), ("miss", "d"): (2,)}
        sets |= {(f"z{k}", "text"): (3 + k,) for k in range(len(rows) + 1)}
        many_points = many(len(self.fits.xs), "point")
        frames = [Frame(f"{many_points} measured: a line is to go as near as it can.")]
        seen = [self._seen(k, links[f"o{k}"].args, sets) for k in range(len(fits))]
        frames += [Frame(self._told(fit), (look,)) for fit, look in zip(fits, seen)]
        if len(fits) > 1:
            first, last = (equation("", fit.loss) for fit in (fits[0], fits[-1]))
            way = "fell" if fits[-1].loss < fits[0].loss else "went"
            steps = many(fits[-1].step, "step")
            frames.append(Frame(f"In {steps} the loss {way} from {first} to {last}.", (seen[-1],)))
        path = (tuple(f"o{k}" for k in range(len(fits))),)
        return Scene(self.title, 860, TALL + 8, tuple(self._drawn()), tuple(frames),
                     (Links((0,), links, sets),), (path,), about=(f"{many_points} measured",))  # fmt: skip

    def _seen(self, k: int, args: Sequence[Any], sets: Mapping[tuple[str, str], Template]) -> Look:
        """A step as a frame shows it: as its link does, but a narrow page stays where the line is."""
        return Look({"lit": (f"o{k}",)}, {place: fill(template, tuple(args)) for place, template in sets.items()})
