"""Grids of cells beside each other: pictures of a question about shapes, and of what its answers would lead to."""

from collections.abc import Sequence
from math import ceil
from typing import Any

from ....scene import Frame, Look, Scene, draw
from ....tensor import Tensor


def grids(*named: tuple[str, str, Any], frames: Sequence[Frame] = (), tape: str = "", grads: str = "",
          h: float = draw.CELL) -> Scene:  # fmt: skip
    """Grids from left to right, of each its name, a letter, and its numbers; one axis is a row.

    The cells of a grid are its letter and a number, row after row. That with the letter `tape` is a line of slots,
    which stands below the others, with addresses; those with a letter of `grads` are gradients. `h` is the height of a
    cell.

    >>> from rustyflow import arange
    >>> scene = grids(("x", "a", arange(6).view(2, 3)), ("y", "b", [[7], [8]]))
    >>> [id for id in scene.index if id[0] in "ab"]
    ['a0', 'a1', 'a2', 'a3', 'a4', 'a5', 'b0', 'b1']
    """
    shapes, x, y, low, right = [], float(draw.LEFT), 24.0, 24.0, 0.0
    for name, letter, numbers in named:
        rows = _rows(numbers)
        places = [(i, j, value) for i, row in enumerate(rows) for j, value in enumerate(row)]
        numbers = [value for _, _, value in places if not isinstance(value, str)]
        texts = (draw.width(value, draw.NUMBER, mono=True) for _, _, value in places if isinstance(value, str))
        wide = max(draw.room_for(numbers), max(texts, default=0) + 10)
        across = (wide + draw.GAP) * max(map(len, rows))
        if letter == tape:
            x, y = draw.LEFT, low + 34
        ink, cls = (" grad-ink", "grad") if letter in grads else ("", "")
        shapes.append(draw.text(x, y, name, f"mono strong{ink}", draw.NUMBER))
        words, size = draw.fitted(numbers, wide - 4)
        fitted = iter(words)
        for n, (i, j, value) in enumerate(places):
            said = value if isinstance(value, str) else next(fitted)
            at, address = (x + (wide + draw.GAP) * j, y + 10 + (h + draw.GAP) * i), str(n) if letter == tape else ""
            shapes.append(draw.cell(f"{letter}{n}", *at, said, cls, wide, h, size=size, address=address))
        low = max(low, y + 10 + (h + draw.GAP) * len(rows) + (20 if letter == tape else 0))
        x += max(across, draw.width(name, draw.NUMBER, mono=True, bold=True))
        right, x = max(right, x), x + draw.BETWEEN
    return Scene("", max(860, ceil(right + draw.LEFT)), low + 16, tuple(shapes), tuple(frames) or (Frame("It waits."),))


def lit(sentence: str, *ids: str) -> Frame:
    """A step that says something, with some cells lit."""
    return Frame(sentence, (Look({"lit": ids}),) if ids else ())


def cells(letter: str, numbers: Sequence[int]) -> list[str]:
    """The ids of cells of a grid.

    >>> cells("a", range(2))
    ['a0', 'a1']
    """
    return [f"{letter}{n}" for n in numbers]


def _rows(numbers: Any) -> list[list[Any]]:
    rows = numbers.tolist() if isinstance(numbers, Tensor) else list(numbers)
    return rows if rows and isinstance(rows[0], list) else [rows]
