"""show.curve: a function of one number as a line, with the slopes of a nudge and of backward."""

from collections.abc import Callable, Sequence
from typing import Any

from ...scene import Figure
from ..calls.beside import put_back, reached
from ..words.caller import caller_text
from ..words.given import Names, titled
from .asked import asked_of, either, fit_words, spanned
from .check import scene_of as scene_of_check
from .fits import fitted, scene_of as scene_of_fits
from .picture import picture_of
from .slopes import Slopes, checked, nudges_at


def curve(
    f: str | Callable | None = None, at: Any = 1.0, index: Any = None, *, nudge: float | Sequence[float] | None = None,
    over: int | str = 0, span: Sequence[float] | None = None, check: bool = False,
    fits: Sequence[Any] | None = None, points: Sequence[Any] | None = None,
    names: Names = None, title: str | None = None,
) -> Figure:  # fmt: skip
    """Shows a function of one number as a line, with the slopes of a nudge and of backward.

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
            return Figure(scene_of_fits(fitted(f, fits, points, *fit_words(f, caller, names)), titled(title)))
        asked = asked_of(f, at, index, over, caller, names, titled(title))
        if check:
            return Figure(scene_of_check(asked.function, asked.at, asked.titled(asked.at)))
        slopes = Slopes(asked.function, asked.at, nudges_at(asked.at) if nudge is None else checked(nudge))
        return Figure(picture_of(slopes, asked.titled(asked.at), spanned(span)).scene())
