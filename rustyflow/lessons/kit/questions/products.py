"""A product of two matrices behind a question on one of its cells: before a guess, and played out."""

from collections.abc import Sequence
from dataclasses import replace

from ....claims.claim import Claim
from ....claims.tree import of_pairs
from ....dtype import float64
from ....ops.creation import tensor
from ....scene import Frame, Look, Scene
from ....show.matmul.figure import scene_of
from ....show.source import source_of
from . import pictures
from .grids import grids
from .stages import SUPPOSED

Rows = Sequence[Sequence[int]]


def across(left: Sequence[int], right: Sequence[int]) -> int:
    """The products of two rows, number by number and as far as both go, added up."""
    return sum(x * y for x, y in zip(left, right, strict=False))


def cell(a: Rows, b: Rows, row: int, column: int) -> int:
    """The number in a cell of the product."""
    return int((tensor(a, dtype=float64) @ tensor(b, dtype=float64))[row, column].item())


def summed(a: Rows, b: Rows, row: int, column: int, about: str = "") -> str:
    """The equation of a cell: a row of a and a column of b, multiplied in pairs and added up."""
    pairs = zip(a[row], (line[column] for line in b), strict=True)
    return str(Claim(about, of_pairs(pairs), cell(a, b, row, column)))


def _grids(a: Rows, b: Rows) -> Scene:
    """a and b, and their product beside the one and below the other."""
    return scene_of(*(source_of(tensor(rows, dtype=float64), name) for rows, name in ((a, "a"), (b, "b"))))


def apart(a: Rows, b: Rows, row: int, column: int) -> Scene:
    """Both, beside each other: no rule is drawn, and no place where a row would meet a column."""
    return grids(*((name, name, tensor(rows)) for name, rows in (("a", a), ("b", b))))


def waiting(a: Rows, b: Rows, row: int, column: int) -> Scene:
    """Both, and the cells of the product without a number."""
    scene = _grids(a, b)
    return pictures.without(scene, "rule", "f*", "h*", "gradients", blank="c*")


def played(number: int, a: Rows, b: Rows, row: int, column: int) -> Scene:
    """The product with what an answer says of one of its cells."""
    if number == cell(a, b, row, column):
        scene, link = _grids(a, b), f"c{4 * row + column}"
        return pictures.story(scene, (scene.state(0, link=link, toggles=()).sentence, link))
    whole = [f"a{3 * row + k}" for k in range(3)]
    if number == a[row][column] * b[row][column]:
        lit = [f"a{3 * row + column}", f"b{4 * row + column}"]
        would = f"c[{row}, {column}] would be made of a[{row}, {column}] and b[{row}, {column}] alone"
        absurd = f"c[{row}, 3] could not be made: a has no column 3"
    elif number == across(a[row], b[row]):
        lit = whole + [f"b{4 * row + k}" for k in range(4)]
        would = f"row {row} of a, 3 numbers, would meet row {row} of b, which has 4"
        absurd = f"b[{row}, 3] would count for nothing, and so would the last number of each row of b"
    else:
        lit = whole + [f"b{4 * k + column}" for k in range(3)]
        would = f"c[{row}, {column}] would be {sum(a[row])} times {sum(line[column] for line in b)}"
        absurd = f"it would not matter which number of row {row} stands where: turned round, it would give the same"
    told = tuple(Frame(f"{SUPPOSED}, {so}.", (Look({"lit": tuple(lit)}),)) for so in (would, absurd))
    return replace(waiting(a, b, row, column), frames=told)
