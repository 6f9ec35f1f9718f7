"""Links told all at once: a map says which cells each cell reads, for light and for words.

Nothing is stored for each link. The player has the same few functions, in maps.js, and the browser's tests hold the two
equal.

>>> rows, columns = Map((2, 2), 0, (3, 0), ((3, 1),)), Map((2, 2), 0, (0, 1), ((3, 2),))
>>> links = Mapped("y", range(4), (Named("y", (2, 2)), ("1", "2", "3", "4")),
...                {"": (("y", None), ("a", Way(rows)))})
>>> links["y3"]
Link(lights=('y3', 'a3', 'a4', 'a5'), args=('y[1, 1]', '4'))
>>> Way(rows, True).cells(4), Way(columns, True).cells(4)
([2, 3], [0, 2])
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import NamedTuple

import numpy as np

Words = str | tuple[str | None, ...]
"""What is said of each cell of a group, by its number; None where it counts for nothing; or the same of all."""


class Link(NamedTuple):
    """Pointing at the shape lights `lights`; `args` fill the templates of the `Links` it belongs to.

    What one side of a picture lights may be told apart, as in `Sentence`: `{"": ..., "g": ...}`.
    """

    lights: tuple[str, ...] | Mapping[str, tuple[str, ...]]
    args: tuple[int | str, ...] = ()


@dataclass(frozen=True, eq=False)
class Map:
    """The numbers of the cells that each of some cells reads, in order.

    They are read as a view reads its storage, or listed.

    Attributes:
        shape: in which the cells that read are counted. at: what the first one reads first. steps: by how much that
            grows along each axis. over: the size and the step of each axis along which a single cell reads.
        lists: instead of at, steps and over.
    """

    shape: tuple[int, ...]
    at: int = 0
    steps: tuple[int, ...] = ()
    over: tuple[tuple[int, int], ...] = ()
    lists: tuple[tuple[int, ...], ...] | None = None

    @classmethod
    def of(cls, lists: Sequence[Sequence[int]]) -> "Map":
        """The map of some lists, as a view where they are one.

        >>> Map.of([[0, 1], [1, 2], [3, 4], [4, 5]]), Map.of([[0], []]).lists
        (Map(shape=(2, 2), at=0, steps=(3, 1), over=((2, 1),), lists=None), ((0,), ()))
        """
        listed = cls((len(lists),), lists=tuple(map(tuple, lists)))
        if not lists or not lists[0] or len({len(one) for one in lists}) > 1:
            return listed
        table = np.array(lists)
        apart = table - table[:, :1]
        walked, over = _over((table[:, 0] - table[0, 0]).tolist()), _over(apart[0].tolist())
        if walked is None or over is None or (apart != apart[0]).any():
            return listed
        shape, steps = zip(*walked) if walked else ((), ())
        return cls(shape, int(table[0, 0]), steps, over)

    def cells(self, n: int) -> Sequence[int]:
        """The cells that a cell reads, in order."""
        return self._each[n]

    @cached_property
    def _each(self) -> Sequence[Sequence[int]]:
        if self.lists is not None:
            return self.lists
        beside = _walked(tuple(size for size, _ in self.over), tuple(step for _, step in self.over))
        return (self.at + _walked(self.shape, self.steps).reshape(-1, 1) + beside.reshape(-1)).tolist()

    @cached_property
    def readers(self) -> dict[int, list[int]]:
        """For each cell that is read its readers, one as often as it reads it."""
        met: dict[int, list[int]] = {}
        for n in range(prod(self.shape)):
            for m in self.cells(n):
                met.setdefault(m, []).append(n)
        return met


def _walked(shape: tuple[int, ...], steps: tuple[int, ...]) -> np.ndarray:
    """The distance of each cell from the first."""
    return sum((step * axis for step, axis in zip(steps, np.indices(shape))), np.zeros(shape, int))


def _over(apart: list[int]) -> tuple[tuple[int, int], ...] | None:
    """The axes along which one walks so far from the first, or None.

    >>> _over([0, 1, 2, 10, 11, 12]), _over([0]), _over([0, 1, 5])
    (((2, 10), (3, 1)), (), None)
    """
    axes: list[tuple[int, int]] = []
    while len(apart) > 1:
        step = apart[1]
        size = next((k for k, n in enumerate(apart) if n != k * step), len(apart))
        inner = apart[:size]
        if len(apart) % size or any(apart[k] - apart[k - k % size] != inner[k % size] for k in range(len(apart))):
            return None
        axes.insert(0, (size, step))
        apart = apart[::size]
    return tuple(axes)


def index_of(n: int, shape: tuple[int, ...]) -> tuple[int, ...]:
    """The index of the n-th cell.

    >>> index_of(7, (2, 4)), index_of(0, ())
    ((1, 3), ())
    """
    index: list[int] = []
    for size in reversed(shape):
        n, k = divmod(n, size)
        index.insert(0, k)
    return tuple(index)


class Way(NamedTuple):
    """A way from a cell to what it reads; `back` to its readers."""

    map: Map
    back: bool = False

    def cells(self, n: int) -> Sequence[int]:
        """The numbers of the cells where it leads."""
        return self.map.readers.get(n, []) if self.back else self.map.cells(n)


class Named(NamedTuple):
    """The cell itself, by its name: `y[1, 2]`."""

    name: str
    shape: tuple[int, ...]

    def said(self, n: int) -> str:
        return f"{self.name}[{', '.join(map(str, index_of(n, self.shape)))}]" if self.shape else self.name


class Names(NamedTuple):
    """The names of the cells to which some ways lead, after words for few, or for many; or `none`."""

    groups: tuple[tuple[Named, Way], ...]
    few: str
    many: str
    none: str
    most: int

    def said(self, n: int) -> str:
        names = [named.said(m) for named, way in self.groups for m in way.cells(n)]
        count = len(names)
        if not count:
            return self.none
        over = count > self.most
        last = f" and {count - self.most} more" if over else f" and {names.pop()}" if count > 1 else ""
        before = self.many.replace("#", str(count)) if over else self.few
        return before + ", ".join(names[: self.most]) + last


Column = Words | Named | Names
"""What is said of each cell in one place of a sentence."""


@dataclass(frozen=True, eq=False)
class Mapped(Mapping[str, Link]):
    """The links of cells of one letter, each made when it is asked for.

    Attributes:
        letter, numbers: the ids are the letter and a number. columns: the `args`.
        lights: for each side letters of cells, and the way to them; None for the cell of the same number.
    """

    letter: str
    numbers: Sequence[int]
    columns: tuple[Column, ...]
    lights: Mapping[str, tuple[tuple[str, Way | None], ...]]

    def __getitem__(self, id: str) -> Link:
        if id not in self:
            raise KeyError(id)
        n = int(id[len(self.letter) :])
        lit = {side: tuple(dict.fromkeys(f"{letter}{m}" for letter, way in groups for m in _reached(way, n)))
               for side, groups in self.lights.items()}  # fmt: skip
        return Link(lit if len(lit) > 1 else lit[""], tuple(said(column, n) for column in self.columns))

    def __contains__(self, id: object) -> bool:
        return isinstance(id, str) and id.startswith(self.letter) and id[len(self.letter) :] in self._known

    def __iter__(self) -> Iterator[str]:
        return (f"{self.letter}{n}" for n in self.numbers)

    def __len__(self) -> int:
        return len(self.numbers)

    def samples(self) -> list[Link]:
        """Its first link and its last, which stand for all."""
        return [self[f"{self.letter}{n}"] for n in {*self.numbers[:1], *self.numbers[-1:]}]

    @cached_property
    def _known(self) -> frozenset[str]:
        return frozenset(map(str, self.numbers))


def _reached(way: Way | None, n: int) -> Sequence[int]:
    return [n] if way is None else way.cells(n)


def alike(words: Sequence[str | None]) -> Words:
    """Words of each cell that has any, as one where they are all the same.

    >>> alike(["", ""]), alike(["a", None, "b"])
    ('', ('a', None, 'b'))
    """
    some = {word for word in words if word is not None}
    return some.pop() if len(some) == 1 else tuple(words)


def said(column: Column, n: int) -> str:
    """The words that a column has for a cell."""
    if isinstance(column, str):
        return column
    return column.said(n) if isinstance(column, Named | Names) else str(column[n] or "")
