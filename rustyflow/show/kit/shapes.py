"""Shapes alone: the rules by which they meet, and what would mend a clash."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations, permutations
from math import prod
from typing import NamedTuple

from ...scene import Frame, Scene, Shape as Drawn, draw
from ...scene.draw import LEFT, RIGHT
from .alignment import Alignment, Shape
from .reading import drawn_axes
from .story import Story
from .table import Table

COLUMNS = 12
"""The most columns of a table of shapes that can be read."""


def scene_of(shapes: Sequence[Shape], op: str = "add", names: Sequence[str] = (), title: str = "") -> Scene:
    """The scene of shapes that meet, or clash: the whole, the rules one by one, then what would fit.

    >>> print(scene_of([(3, 4), (3,)], "mul").frames[4].sentence)
    Along j, dim 1, 4 of a meets 3 of b: sizes must be equal or 1, so a * b is an error.
    """
    return alone(Table(names or "abcdefgh"[: len(shapes)], shapes, op, title))


def alone(table: Table, numpy: Sequence[bool] = ()) -> Scene:
    """Returns the scene of a table without cells under it; under a clash stands what would fit.

    Of operands that are `numpy` arrays that is written as NumPy does.
    """
    if table.met.rank > COLUMNS:
        return _told(table)
    met, story, shapes, y = table.met, Story(), table.draw(), table.bottom
    fitting = repairs(met.shapes) if met.shape is None else []
    fitting = [repair.of_numpy() if any(numpy[repair.operand :][:1]) else repair for repair in fitting]
    clash = [d for d in range(met.rank) if met.verdict(d) == "clash"]
    story.tell(table.whole(), lit=table.apart(clash))
    table.later(story)
    for n in range(len(fitting)):
        story.later(f"x{n}", off=(f"x{n}",) if n else ("xh", "x0"))
    codes = [repair.written(table.names, "  or  ") for repair in fitting]
    notes = [f"has shape {repair.shapes[repair.operand]}" for repair in fitting]
    shapes += offers(zip(codes, notes, (repair.result for repair in fitting)), y)
    table.tell(story)
    if met.shape is None:
        sentence = "No change of one tensor alone makes these shapes fit."
        if fitting:
            sentence = "The rules look at sizes only from the right, and never guess: here is what you can write."
            y += 48 + draw.ROWS * len(fitting)
        story.tell(sentence, *(f"v{d}" for d in range(met.rank)))
    elif drawn_axes(met.shape) is None:
        note = f"cells of {met.rank} axes are not drawn"
        shapes.append(draw.text(LEFT, y + 20, note, "muted"))
        y += 24
    for n, repair in enumerate(fitting):
        code, shape = repair.written(table.names, " or "), repair.shapes[repair.operand]
        story.tell(f"{code} has shape {shape}, and then the result has shape {repair.result}.", f"x{n}")
    return Scene(table.title, 860, y + 8, tuple(shapes), tuple(story.frames), about=table.about(), note=table.note)


def _told(table: Table) -> Scene:
    """Returns the scene of shapes of too many axes for a table: what is not equal, and the result."""
    met, story = table.met, Story()
    shapes = []
    for name, shape in zip((*table.names, table.result), (*met.shapes, met.shape or "is an error"), strict=True):
        y, told = 24 + 28 * len(shapes), f"{name}: {shape}"
        shapes.append(draw.text(LEFT, y, told, "mono", draw.NUMBER, room=RIGHT - LEFT))
    y = 24 + 28 * len(shapes)
    shapes.append(draw.text(LEFT, y, f"{met.rank} axes: more than {COLUMNS} are told in words", "muted"))
    table.tell(story)
    frames = tuple(Frame(frame.sentence) for n, frame in enumerate(story.frames) if n < 2 or " equal (" not in
                   str(frame.sentence))  # fmt: skip
    return Scene(table.title, 860, y + 14, tuple(shapes), frames, about=table.about(), note=table.note)


def offers(rows: Iterable[tuple[str, str, Shape]], y: float) -> list[Drawn]:
    """Draws what would fit, under a heading, from `y` on: code, its meaning, the resulting shape."""
    drawn: list[Drawn] = []
    for n, (code, note, gives) in enumerate(rows):
        row = y + 64 + draw.ROWS * n
        drawn += [draw.text(LEFT, row - 32, "what would fit", "strong", draw.NUMBER, id="xh")] * (n == 0)
        drawn.append(draw.group(
            f"x{n}",
            draw.text(LEFT, row, code, "mono strong", draw.NUMBER, room=360),
            draw.text(400, row, note, "muted", room=190),
            draw.text(600, row, f"gives {gives}", "mono", draw.NUMBER, room=RIGHT - 600),
        ))  # fmt: skip
    return drawn


class Repair(NamedTuple):
    """A change of one operand that makes the shapes fit.

    `codes` are ways to write it, with `{}` for the operand.
    """

    operand: int
    codes: tuple[str, ...]
    shapes: tuple[Shape, ...]
    result: Shape

    def of_numpy(self) -> "Repair":
        """The same as NumPy writes it.

        >>> Repair(0, ("{}[:, None]", "{}.unsqueeze(1)"), (), ()).of_numpy().codes
        ('{}[:, None]',)
        """
        codes = [code.replace(".transpose(", ".swapaxes(").replace(".permute(", ".transpose(") for code in self.codes]
        return self._replace(codes=tuple(code for code in codes if "unsqueeze" not in code))

    def written(self, names: Sequence[str], between: str) -> str:
        """The ways to write it, in the operand's name."""
        return between.join(code.format(names[self.operand]) for code in self.codes)


def repairs(shapes: tuple[Shape, ...], most: int = 4) -> list[Repair]:
    """Returns legal ways to make clashing shapes fit, the simplest first: new axes of size 1, or exchanged axes.

    >>> [(r.codes[0], r.operand, r.result) for r in repairs(((3, 4), (3,)), 3)]
    [('{}[:, None]', 1, (3, 4)), ('{}.T', 0, (4, 3)), ('{}[:, :, None]', 0, (3, 4, 3))]
    """
    return _within(shapes, 4)[:most] or _within(shapes, sum(map(len, shapes)))[:most]


def _within(shapes: tuple[Shape, ...], rank: int) -> list[Repair]:
    """The repairs in which no operand has more than `rank` axes."""
    fits: list[tuple[int, int, Repair]] = []
    for operand in reversed(range(len(shapes))):
        for cost, codes, changed in _changes(shapes[operand], rank):
            tried = (*shapes[:operand], changed, *shapes[operand + 1 :])
            if (result := Alignment(tried).shape) is not None:
                cells = prod(result) if cost < 2 else 0  # of equally simple ones, first the one that makes fewer cells
                fits.append((cost, cells, Repair(operand, codes, tried, result)))
    kept: dict[tuple, Repair] = {}
    for *_, repair in sorted(fits, key=lambda fit: fit[:2]):
        kept.setdefault((repair.operand, repair.shapes), repair)
    return [*kept.values()]


def _changes(shape: Shape, rank: int) -> Iterator[tuple[int, tuple[str, ...], Shape]]:
    """Yields the cost of a change, ways to write it, and the new shape."""
    n = len(shape)
    for many in range(1, rank - n + 1):
        for places in combinations(range(1, n + many), many):  # in front: the rules do that by themselves
            rest = iter(shape)
            changed = tuple(1 if d in places else next(rest) for d in range(n + many))
            code = "{}[" + ", ".join("None" if d in places else ":" for d in range(n + many)) + "]"
            yield many, (code, f"{{}}.unsqueeze({places[0]})") if many == 1 else (code,), changed
    if n == 2 and shape[0] != shape[1]:
        yield 1, ("{}.T",), shape[::-1]
    if n in (3, 4):
        for one, other in combinations(range(n), 2):
            dims = list(range(n))
            dims[one], dims[other] = other, one
            if shape[one] != shape[other]:
                yield 2, (f"{{}}.transpose({one}, {other})",), tuple(shape[d] for d in dims)
        for dims in permutations(range(n)):
            yield 3, (f"{{}}.permute{dims}",), tuple(shape[d] for d in dims)
