"""The error of a gradient check over its step: a U between a bending line and rounding."""

from collections.abc import Sequence
from dataclasses import replace
from math import floor, isfinite, log10

from ...claims.claim import equation
from ...claims.digits import spell, telling
from ...errors import GradError
from ...scene import Frame, Link, Links, Look, Scene, Shape, draw
from ..kit.axes import Axis, across, along
from ..words.sentences import gradient
from .function import Function
from .line import framed, plot, warm
from .steps import EACH, LEAST, Run, Step

DTYPES = "float32", "float64"
"""The dtypes in which a check is tried."""

TOP, BOTTOM, LEFT, PLOT, TABLE, EDGE, TALL = 44, 332, 84, 540, 572, 836, 372
"""The ends of the diagram, both ends of the table, and the height of the drawing."""

DIGITS, SIZE, ROW, WORDS, AIR = 6, 18, 56, 116, 0.16
"""The digits of what is measured; the size of numbers, the height of a row, the room of a law's words, and over the
dots for a name."""

def scene_of(function: Function, at: float, title: str) -> Scene:
    """The scene of the check at a point.

    Raises:
        GradError (a RuntimeError): backward gives no gradient there, or none that is a number.
    """
    runs, truth = [], None
    for kind in DTYPES if function.kind == "float64" else (function.kind,):
        one = replace(function, kind=kind)
        truth, why = function.gradient(at)
        if truth is None or not isfinite(truth):
            was = f"{gradient(function.variable)} is {truth}" + f": {why}" * bool(why)
            raise GradError(was, "a check compares nudges with a gradient that is a number", "another at=")
        run = Run(one, at, truth, 10.0 ** floor(log10(max(1.0, abs(at)))))
        runs += [run] * (len(run.steps) > 2 * EACH)
    if not runs:
        was, rule = f"{function.of(at)}: no number beside it", "a check nudges to both sides"
        raise GradError(was, rule, "another at=")
    return CheckPicture(function, runs, title).scene()


class CheckPicture:
    """Errors over steps, both axes logarithmic, a line of dots for each dtype, and a table of some of them."""

    def __init__(self, function: Function, runs: Sequence[Run], title: str):
        self.function, self.runs, self.title = function, runs, title
        self.name = gradient(function.variable)
        steps = [step for run in runs for step in run.steps]
        errors = [step.error for step in steps if step.error > LEAST]
        low, high = min(errors, default=1e-9), max(errors, default=1.0)
        self.x = Axis(min(step.h for step in steps), max(step.h for step in steps), LEFT, PLOT, log=True)
        down, up = floor(log10(low)), log10(high)
        self.y = Axis(10.0**down, 10.0 ** (up + max(0.4, AIR * (up - down))), BOTTOM, TOP, log=True)

    def place(self, h: float, error: float) -> tuple[float, float]:
        """The place of an error; one that is 0 lies on the lower edge."""
        return self.x.at(h), self.y.at(min(max(error, self.y.low), self.y.high))

    def _drawn(self) -> list[Shape]:
        shapes: list[Shape] = [draw.text(draw.LEFT, TOP - 12, "error", "muted strong", 14)]
        shapes.append(draw.text(PLOT, BOTTOM + 38, "step h", "muted strong", 14, "end"))
        parts = []
        for k, run in enumerate(self.runs):
            parts.append(draw.group(f"b{k}", *self._band(run), cls="fade"))
        shapes += [*parts, *across(self.y, LEFT, PLOT, 6), *along(self.x, BOTTOM, self.x.ticks(6))]
        for k, run in enumerate(self.runs):
            shapes.append(draw.group(f"l{k}", *self._laws(run), cls="fade"))
            shapes.append(draw.group(f"u{k}", *self._dots(k, run), cls="fade"))
            shapes.append(draw.group(f"y{k}", *self._table(k, run), cls="aside fade"))
        return shapes

    def _band(self, run: Run) -> list[Shape]:
        """The valley, shaded."""
        first, last = run.valley
        right, left = self.x.at(run.steps[first].h), self.x.at(run.steps[last].h)
        wide = max(right - left, 8.0)
        box = (("x", left), ("y", TOP), ("width", round(wide, 1)), ("height", BOTTOM - TOP))
        middle = min(max(left + wide / 2, LEFT + 40), PLOT - 40)
        name = draw.text(middle, TOP - 6, "the valley", "strong", 14, "middle")
        return [name, Shape("rect", cls=("band",), attrs=box)]

    def _laws(self, run: Run) -> list[Shape]:
        """Both laws, dashed, each with its words at its outer end."""
        shapes: list[Shape] = []
        deep = run.steps[run.best].error or self.y.low
        for power, outer, words in ((2, run.steps[0], "bends: as h · h"), (-1, run.steps[-1], "rounds: as 1 / h")):
            if (factor := run.law(power)) is None:
                continue
            inner = min(max((deep / factor) ** (1 / power), self.x.low), self.x.high)
            (x, y), (u, v) = (self.place(h, factor * h**power) for h in (outer.h, inner))
            shapes.append(plot(f"M{x:g} {y:g}L{u:g} {v:g}", "ink thin dashed"))
            at = y + (v - y) * min(1.0, WORDS / (abs(u - x) or 1.0))  # so far the words go
            low, anchor = min(at + (24 if power > 0 else 44), BOTTOM - 10), "end" if power > 0 else "start"
            shapes.append(draw.text(x, round(low, 1), words, "muted factor", 14, anchor))
        return shapes

    def _dots(self, k: int, run: Run) -> list[Shape]:
        places = [self.place(step.h, step.error) for step in run.steps]
        d = "".join(f"{'L' if n else 'M'}{x:g} {y:g}" for n, (x, y) in enumerate(places))
        cls = ("spot", "open") if k else ("spot",)
        dots = [Shape("circle", f"{'de'[k]}{n}", cls, (("cx", x), ("cy", y), ("r", 2.6 if k else 3.4)))
                for n, (x, y) in enumerate(places)]  # fmt: skip
        y = min(self._left(run)) - 12
        if k and min(self._left(run)) < max(self._left(self.runs[0])) + 26:
            y = max(self._left(run)) + 22
        name = draw.text(LEFT + 4, max(y, TOP + 14), run.kind, "mono strong factor", 14)
        return [plot(d, "thin"), *dots, name]

    def _left(self, run: Run) -> list[float]:
        """The heights of the dots at the left, where the name stands."""
        return [self.place(step.h, step.error)[1] for step in run.steps[-2 * EACH :]]

    def _table(self, k: int, run: Run) -> list[Shape]:
        """Some steps, and what they measure, the digits that are right in bold; under them the gradient."""
        left, right = TABLE + 16, EDGE - 16
        shapes = [draw.text(left, TOP - 12, f"step h in {run.kind}", "muted strong", 14),
                  draw.text(right, TOP - 12, "measured", "muted strong", 14, "end")]  # fmt: skip
        for n, (at, words) in enumerate(run.rows):
            y, step = TOP + ROW * n, run.steps[at]
            box = framed(f"{'fg'[k]}{n}", TABLE, y, EDGE, ROW - 4)
            error = draw.text(right, y + 43, f"error {_claimed(step.error, 1)}", "muted", 14, "end")
            row = [box, draw.text(left, y + 24, spell(step.h), "mono", SIZE),
                   *self._right_digits(right, y + 24, step.slope), draw.text(left, y + 43, words, "muted", 14), error]
            shapes.append(draw.group(f"{'rs'[k]}{n}", *row))
        y = TOP + ROW * 3 + 12
        grad = warm("", TABLE, EDGE, y, self.name, spell(self.truth, DIGITS))
        return [*shapes, draw.rule(TABLE, y - 6, EDGE), grad]

    @property
    def truth(self) -> float:
        return self.runs[0].truth

    def _right_digits(self, x: float, y: float, slope: float) -> list[Shape]:
        text, right = spell(slope, DIGITS), spell(self.truth, DIGITS)
        same = next((n for n, (a, b) in enumerate(zip(text, right)) if a != b), min(len(text), len(right)))
        if text[-3:].count("e") or right[-3:].count("e") or text.split(".")[0] != right.split(".")[0]:
            same = len(text) if text == right else 0
        parts = (Shape("tspan", cls=("strong",), text=text[:same]), Shape("tspan", cls=("muted",), text=text[same:]))
        attrs = (("x", x), ("y", y), ("font-size", SIZE), ("text-anchor", "end"))
        return [Shape("text", "", ("mono",), attrs, tuple(part for part in parts if part.text))]

    def scene(self) -> Scene:
        """Steps too wide and too small, the valley between them, both laws; then the other dtype."""
        frames = [frame for k, run in enumerate(self.runs) for frame in self._frames(k, run)]
        about = [equation(self.name, self.truth, DIGITS)]
        about += [f"{run.kind}, {words}: {self._told(run.steps[at])}" for run in self.runs for at, words in run.rows]
        rows = tuple(tuple(f"{'de'[k]}{n}" for n in reversed(range(len(run.steps)))) for k, run in enumerate(self.runs))
        return Scene(self.title, 860, TALL + 8, tuple(self._drawn()), tuple(frames), tuple(self._links()), (rows,),
                     about=tuple(about))  # fmt: skip

    def _told(self, step: Step) -> str:
        h, slope, error = equation("", step.h), equation("", step.slope, self._apart(step)), _claimed(step.error, 2)
        return f"A step of {h} gives {slope}: an error of {error}."

    def _apart(self, step: Step) -> int:
        """The digits that tell what a step measures from the gradient, where it is written in full."""
        same = step.error and "≈" not in equation("", step.slope, DIGITS)
        return telling(step.slope, self.truth, DIGITS, 16) if same else DIGITS

    def _frames(self, k: int, run: Run) -> list[Frame]:
        frames = [self._frame(self._row(run, at, words), k, n) for n, (at, words) in enumerate(run.rows)]
        best, truth = run.steps[run.best], equation(self.name, self.truth, DIGITS)
        bends, rounds = run.law(2) is not None, run.law(-1) is not None
        if run.flat:
            text = f"However small the step, {truth} is not what nudges give: this is not the line's slope."
        elif bends and rounds:
            text = "A wide step errs as the line bends, by h · h; a small one by rounding, as 1 / h."
        elif rounds and run.valley[0] == 0:
            text = "Here only rounding errs, as 1 / h: what a wide step adds on one side, it takes on the other."
        else:
            text = f"The least error is {_claimed(best.error, 2)}, at a step of {equation('', best.h)}."
        frames.append(self._frame(text, k, None, laws=True))
        return frames

    def _row(self, run: Run, at: int, words: str) -> str:
        step = run.steps[at]
        if words != "the valley":
            return self._told(step) if run.flat else f"{self._told(step)} It is {words}."
        h, error = equation("", step.h), _claimed(step.error, 2)
        return f"In {run.kind} the best of these steps is {h}: its error is {error}."

    def _frame(self, sentence: str, k: int, row: int | None, laws: bool = False) -> Frame:
        others = [n for n in range(len(self.runs)) if n != k]
        hidden = [f"{letter}{n}" for n in others for letter in "bly"] + [f"u{n}" for n in others if n > k]
        hidden += [] if laws else [f"l{k}"]
        told = row is not None and self.runs[k].rows[row][1] == "the valley"
        hidden += [f"b{k}"] if self.runs[k].flat or not (laws or told or k) else []
        lit = () if row is None else (f"{'fg'[k]}{row}", f"{'de'[k]}{self.runs[k].rows[row][0]}")
        pale = tuple(f"u{n}" for n in others)
        return Frame(sentence, (Look({"off": tuple(hidden), "dimmed": pale}), Look({"lit": lit})))

    def _links(self) -> list[Links]:
        """The links of the dots and of the rows of the tables."""
        families = []
        for k, run in enumerate(self.runs):
            links = {f"{'de'[k]}{n}": Link((f"{'de'[k]}{n}",), (self._told(step),)) for n, step in enumerate(run.steps)}
            links |= {f"{'rs'[k]}{n}": Link((f"{'fg'[k]}{n}", f"{'de'[k]}{at}"), (self._told(run.steps[at]),))
                      for n, (at, _) in enumerate(run.rows)}  # fmt: skip
            families.append(Links((0,), links))
        return families


def _claimed(error: float, digits: int) -> str:
    """An error as a sentence has it."""
    return equation("", error, digits)
