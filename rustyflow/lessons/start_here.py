"""The vote and the exercise of lesson 00, on which a student learns how questions and checks work."""

from random import Random
from typing import Any

from ..claims.claim import worked
from ..claims.tree import times
from ..ops.creation import zeros
from ..scene import Scene
from .kit.answers.misconception import Misconception
from .kit.exercises.blanks import Blank, Blanks
from .kit.programs import worlds
from .kit.questions.question import Question


def _y(x: int, w: int, b: int) -> int:
    return x * w + b


def _three_numbers(random: Random) -> dict[str, Any]:
    x, w, b = random.sample(range(2, 8), 3)
    return {"x": x, "w": w, "b": b}


def _moved(move: int, x: int, w: int, b: int) -> Scene:
    """The program before and after, and y where a move would lead."""
    now, then = _y(x, w, b), _y(x + 1, w, b)
    lines = f"{x}·{w} + {b}", f"{x + 1}·{w} + {b}"
    if now + move == then:
        return worlds.ran(*zip(lines, (now, then), strict=True))
    return worlds.world(worlds.row(lines[0], now, now), worlds.row(lines[1], now + move, then))


how_far = Question(
    case={"x": 3, "w": 4, "b": 2},
    another=_three_numbers,
    ask=lambda x, w, b: (
        f"y = x * w + b, with x = {x}, w = {w} and b = {b}. "
        f"By how much does y grow when x becomes {x + 1}?"
    ),
    key=lambda x, w, b: _y(x + 1, w, b) - _y(x, w, b),
    misconceptions=(
        Misconception(
            "what x does, y does",
            "x is multiplied on its way to y.",
            lambda x, w, b: 1,
        ),
        Misconception(
            "b counts again when x moves",
            "b is added once, before and after.",
            lambda x, w, b: w + b,
        ),
        Misconception(
            "where y arrives is how far it moved",
            "How far is the difference between after and before.",
            lambda x, w, b: _y(x + 1, w, b),
        ),
    ),
    words=lambda move: f"by {move}",
    locked=lambda x, w, b: worlds.ran((f"{x}·{w} + {b}", _y(x, w, b))),
    played=_moved,
    why=lambda x, w, b: f"One x more is one w more in y: {worked(times(1, w))}.",
)


def _a_shape(random: Random) -> dict[str, Any]:
    rows, columns = random.sample(range(3, 9), 2)
    return {"shape": (rows, columns)}


first_try = Blanks(
    "first_try",
    case={"shape": (3, 4)},
    another=_a_shape,
    ask=lambda shape: f"How many numbers does torch.zeros{shape} hold?",
    blanks={
        "numbers": Blank(
            lambda shape: zeros(*shape).numel(),
            (
                Misconception(
                    "sizes add up",
                    "Every row meets every column: multiply.",
                    lambda shape: sum(shape),
                ),
                Misconception(
                    "a zero is nothing",
                    "A zero is a number too, and takes its place in memory.",
                    lambda shape: 0,
                ),
                Misconception(
                    "a row is one number",
                    "Each row has a number in every column.",
                    lambda shape: shape[0],
                ),
            ),
        )
    },
    hints=(
        "Draw the grid: a box for each number.",
        "Every row is as long as there are columns.",
        "How many rows, times how many in each?",
    ),
    why=lambda shape: (
        f"Each of the {shape[0]} rows has {shape[1]} numbers: {worked(times(*shape))}."
    ),
)
