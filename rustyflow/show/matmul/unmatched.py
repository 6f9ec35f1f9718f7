"""A product of matrices that cannot be: the sizes that had to meet, and what to write instead."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ...scene import Scene, Shape, draw
from ...scene.draw import LEFT, RIGHT
from ...scene.measure import width
from ..kit.alignment import Alignment, Index
from ..kit.shapes import offers
from ..kit.story import Story
from ..kit.table import CELL_H, CELL_W, LINE, PITCH, ROW, TOP
from ..source import Source
from ..words.sentences import turned

AXES = 0, 2, 1
"""The letters and colours of the last axes, as numbers: i for rows, k for the one that is met, j for columns."""


def scene_of(a: Source, b: Source, title: str = "") -> Scene:
    """The scene of two shapes that cannot be multiplied; default title: the product.

    >>> import numpy as np
    >>> from rustyflow.show.source import source_of
    >>> for frame in scene_of(source_of(np.ones((5, 3)), "x"), source_of(np.ones((4, 3)), "w")).frames[1:3]:
    ...     print(frame.sentence)
    The inner sizes, 3 of x and 4 of w, meet in every product, so they must be equal: x @ w is an error.
    x @ w.T fits: (5, 3) @ (3, 4) gives (5, 4).
    """
    left, right, names, story = a.shape, b.shape, (a.name, b.name), Story()
    product, inner = f"{a.name} @ {b.name}", (left[-1], right[-2:][0])
    title = title or product
    if inner[0] != inner[1]:
        sentence = f"The inner sizes, {inner[0]} of {a.name} and {inner[1]} of {b.name}, meet in every product, "
        sentence += "so they must be equal"
    else:
        sentence = f"The batches {left[:-2]} of {a.name} and {right[:-2]} of {b.name} do not broadcast: "
        sentence += "from the right, sizes must be equal or 1"
    fits = list(repairs((left, right), names))[:4]
    shapes, lit, bottom = _table((left, right), names, title)
    rows = [(code, f"{pair[0]} @ {pair[1]}", result) for code, pair, result in fits]
    shapes += offers(rows, bottom)
    for n in range(len(fits)):
        story.later(f"x{n}", off=(f"x{n}",) if n else ("xh", "x0"))
    story.later("clash", off=("v",))
    story.tell(f"{a.name} has shape {left} and {b.name} has shape {right}: do they meet?")
    story.tell(f"{sentence}: {product} is an error.", "clash", lit=lit)
    story.later("clash", lit=lit)
    for n, (code, pair, result) in enumerate(fits):
        story.tell(f"{code} fits: {pair[0]} @ {pair[1]} gives {result}.", f"x{n}")
    if not fits:
        story.tell("No transpose of one of them, and no other order, makes these shapes fit.")
    about = f"{a.name}: shape {left}", f"{b.name}: shape {right}"
    return Scene(title, 860, bottom + 34 + 34 * len(fits), tuple(shapes), tuple(story.frames), about=about,
                 note=f"{left} @ {right} do not fit")  # fmt: skip


class Repair(NamedTuple):
    """A repair: the code to write, the two shapes that meet in it, and the shape that it gives."""

    code: str
    shapes: tuple[Index, Index]
    result: Index


def repairs(shapes: tuple[Index, Index], names: Sequence[str]) -> Iterator[Repair]:
    """Yields the repairs that fit, the simplest first.

    They are a transpose, the other order, an axis for the batch, both transposes.

    >>> [repair.code for repair in repairs(((3, 4), (5, 3)), ("a", "b"))]
    ['a.T @ b.T', 'b @ a']
    """
    (left, right), (a, b) = shapes, names
    turn = (turned(a, len(left) > 2), _turn(left)), (turned(b, len(right) > 2), _turn(right))
    tries = [(turn[0], (b, right)), ((a, left), turn[1]), turn, ((b, right), (a, left))]
    if len(left) == len(right) == 1:
        tries = [((f"{a}[:, None]", (*left, 1)), (f"{b}[None, :]", (1, *right)))]
    elif len(left) > 2 and len(right) > 2:
        tries.append(((f"{a}[:, None]", (left[0], 1, *left[1:])), (b, right)))
        tries.append(((a, left), (f"{b}[:, None]", (right[0], 1, *right[1:]))))
    seen = {shapes}
    for (one, p), (other, q) in tries:
        if (p, q) not in seen and (result := product_of(p, q)) is not None:
            seen.add((p, q))
            yield Repair(f"{one} @ {other}", (p, q), result)


def product_of(left: Index, right: Index) -> Index | None:
    """The shape of a product, or None where it cannot be.

    >>> product_of((5, 2, 3), (3, 4)), product_of((3,), (3, 4)), product_of((3,), (4,))
    ((5, 2, 4), (4,), None)
    """
    batch = Alignment((left[:-2] or (1,), right[:-2] or (1,))).shape
    if left[-1] != right[-2:][0] or batch is None:
        return None
    lead = batch if max(len(left), len(right)) > 2 else ()
    return *lead, *left[-2:-1], *(right[-1:] if len(right) > 1 else ())


def _turn(shape: Index) -> Index:
    return (*shape[:-2], shape[-1], shape[-2]) if len(shape) > 1 else shape


def _table(shapes: tuple[Index, Index], names: Sequence[str], title: str) -> tuple[list[Shape], list[str], float]:
    """Draws the sizes, those that have to meet under each other; returns also the clashing ids and the end.

    The columns are the axes of the batch, aligned from the right, then the rows of one, the axis that is met, the
    columns of the other.
    """
    (left, right), lead = shapes, max(0, *(len(shape) - 2 for shape in shapes))
    places = _columns(left, lead, lead, lead + 1), _columns(right, lead, lead + 1, lead + 2)
    label = min(200.0, max(width(name, draw.NUMBER, mono=True, bold=True) for name in names))
    pitch, start = min(PITCH, 400 / (lead + 3)), LEFT + label + 22
    at = {column: start + n * pitch for n, column in enumerate(sorted({*places[0], *places[1]}))}
    w, end = min(CELL_W, pitch - 8), max(at.values())
    drawn, top = [], TOP
    for column, x in at.items():
        axis = AXES[column - lead] if column >= lead else None
        drawn.append(draw.text(x, top + 17, "batch", "muted", room=w) if axis is None
                     else draw.badge(x + w / 2 - 12, top, axis))  # fmt: skip
    clash, meets, where = _clash(left, right, lead, names)
    lit = [f"T{k}_{column}" for k in range(2) for column in clash if column in places[k]]
    for k, (shape, name) in enumerate(zip(shapes, names, strict=True)):
        y = top + 27 + k * ROW
        drawn.append(draw.text(start - 18, y + 21, name, "mono strong", draw.NUMBER, "end", room=label))
        for column, n in zip(places[k], shape, strict=True):
            ink = f"ax{AXES[column - lead]}" if column >= lead else ""
            drawn.append(draw.cell(f"T{k}_{column}", at[column], y, f"{n:,}", ink, w, CELL_H))
    texts = (draw.text(0, 0, "what clashes", "strong"), draw.text(0, 27, meets, "mono warn strong", draw.NUMBER),
            draw.text(0, 27 + LINE, where, "muted", room=RIGHT - end - w - 30))  # fmt: skip
    return [*drawn, draw.group("v", *texts, at=(end + w + 30, top + 17))], lit, top + 27 + 2 * ROW + 4


def _columns(shape: Index, lead: int, one: int, other: int) -> list[int]:
    """Returns the columns of a shape's sizes: of its batch, then of its last axes.

    A vector has only the axis that is met.
    """
    last = [one, other] if len(shape) > 1 else [lead + 1]
    return [*range(lead - max(len(shape) - 2, 0), lead), *last]


def _clash(left: Index, right: Index, lead: int, names: Sequence[str]) -> tuple[list[int], str, str]:
    """The columns that clash, the sizes in them, and where these come from."""
    if left[-1] != right[-2:][0]:
        first = f"the first of each matrix of {names[1]}" if len(right) > 2 else f"the first of {names[1]}"
        return [lead + 1], f"{left[-1]} ≠ {right[-2:][0]}", f"the last axis of {names[0]}, {first}"
    met = Alignment((left[:-2], right[:-2]))
    bad = [column for column, n in enumerate(met.sizes) if n is None]
    return bad, ", ".join(" ≠ ".join(str(shape[c]) for shape in met.padded) for c in bad), "in the batch: neither is 1"
