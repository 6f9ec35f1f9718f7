"""The cells of one tensor as a figure draws them: `cells[1, 2]` is the id of a cell."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import isfinite, nan

from ...scene import Shape, draw
from ..source import Value

Index = tuple[int, ...]
Place = tuple[float, float]


class Cells:
    """A letter and a place for each index; they are numbered in that order from `first`, or by `numbers`.

    >>> cells = Cells("a", {(0, 0): (20, 40), (0, 1): (64, 40)})
    >>> cells[0, 1], cells.ids, cells.path([[(0, 0), (0, 1)]])
    ('a1', ('a0', 'a1'), (('a0', 'a1'),))
    """

    def __init__(
        self, letter: str, places: Mapping[Index, Place], first: int = 0, numbers: Iterable[int] | None = None
    ):
        self.letter, self.places = letter, places
        each = range(first, first + len(places)) if numbers is None else numbers
        self.ids = tuple(f"{letter}{n}" for n in each)
        self.named = dict(zip(places, self.ids, strict=True))

    def __getitem__(self, index: Index) -> str:
        return self.named[index]

    def __iter__(self) -> Iterator[Index]:
        return iter(self.places)

    def __len__(self) -> int:
        return len(self.ids)

    def of(self, indices: Iterable[Index]) -> tuple[str, ...]:
        """The ids of some cells."""
        return tuple(self[index] for index in indices)

    def path(self, rows: Iterable[Iterable[Index]]) -> tuple[tuple[str, ...], ...]:
        """The way of the arrow keys: rows of ids."""
        return tuple(map(self.of, rows))

    def draw(
        self, values: Sequence[Value], w: float, h: float, size: float, cls: Iterable[str] | str = ""
    ) -> list[Shape]:  # fmt: skip
        """The cells with their numbers, in one size of font; `cls` is of all, or of each.

        The size is the one in which the longest fits.
        """
        faces, small = draw.fitted(values, w - 6, size)
        each = [cls] * len(self) if isinstance(cls, str) else cls
        return [draw.cell(id, *at, face, c, w, h, small)
                for id, at, face, c in zip(self.ids, self.places.values(), faces, each, strict=True)]  # fmt: skip

    def dots(
        self, values: Sequence[Value], side: float, dimmed: Iterable[bool] | None = None, cls: Iterable[str] = ()
    ) -> list[Shape]:
        """The cells where they are too small for numbers: one of eight shades each; `cls` is of each."""
        pale, each = [False] * len(self) if dimmed is None else dimmed, cls or [""] * len(self)
        drawn = zip(self.ids, self.places.values(), shades(values), pale, each, strict=True)
        return [
            Shape("rect", id, ("dot", "odd" if shade is None else f"shade{shade}", *(("dimmed",) if dim else ()),
                               *more.split()),
                  (("x", round(x, 1)), ("y", round(y, 1)), ("width", side), ("height", side)))
            for id, (x, y), shade, dim, more in drawn
        ]  # fmt: skip


def shades(values: Sequence[Value]) -> list[int | None]:
    """For each value one of eight shades between the smallest and the greatest; None for what is no finite number.

    >>> shades([0, 1, 7, float("nan")])
    [0, 1, 7, None]
    """
    reals = [_real(value) for value in values]
    finite = [v for v in reals if isfinite(v)]
    low, high = min(finite, default=0.0), max(finite, default=0.0)
    return [int(7 * (v - low) / ((high - low) or 1)) if isfinite(v) else None for v in reals]


def _real(value: Value | str) -> float:
    """The number that a shade is of: 0 for a complex number, nan for a `?`."""
    return nan if isinstance(value, str) else 0.0 if isinstance(value, complex) else float(value)
