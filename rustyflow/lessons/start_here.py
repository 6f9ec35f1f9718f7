"""The check of lesson 00, on which a student learns how checks work."""

from random import Random
from typing import Any

from ..claims.claim import worked
from ..claims.tree import times
from ..ops.creation import zeros
from .kit.blanks import Blank, Blanks
from .kit.misconception import Misconception


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
