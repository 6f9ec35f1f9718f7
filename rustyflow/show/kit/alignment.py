"""Shapes written under each other from the right: which columns agree, who repeats, who feeds which cell. Integers."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations
from math import prod

Index = tuple[int, ...]
Shape = tuple[int, ...]


@dataclass(frozen=True)
class Alignment:
    """Shapes aligned from the right.

    Attributes:
        padded: the shapes with a 1 for every axis they lack.
        sizes: per column the size all agree on, or None where they clash.

    >>> met = Alignment(((3, 1), (4,)))
    >>> met.padded, met.shape, [met.verdict(dim) for dim in (0, 1)]
    (((3, 1), (1, 4)), (3, 4), ['stretch', 'stretch'])
    >>> met.feed(0, (1, 2)), met.feed(1, (1, 2)), met.repeated(0), met.repeated(1)
    ((1, 0), (2,), (1,), (0,))
    """

    shapes: tuple[Shape, ...]
    padded: tuple[Shape, ...] = field(init=False)
    sizes: tuple[int | None, ...] = field(init=False)
    again: tuple[tuple[int, ...], ...] = field(init=False, repr=False)

    def __post_init__(self):
        rank = max(map(len, self.shapes))
        padded = tuple((1,) * (rank - len(shape)) + tuple(shape) for shape in self.shapes)
        object.__setattr__(self, "padded", padded)
        sizes = tuple(_agreed(column) for column in zip(*padded, strict=True))
        again = (tuple(d for d, n in enumerate(shape) if n == 1 and sizes[d] not in (1, None)) for shape in padded)
        object.__setattr__(self, "sizes", sizes)
        object.__setattr__(self, "again", tuple(again))

    @property
    def rank(self) -> int:
        """Columns of the table."""
        return len(self.sizes)

    @property
    def shape(self) -> Shape | None:
        """The shape of the result, or None where a column clashes."""
        return None if None in self.sizes else self.sizes

    def missing(self, operand: int) -> int:
        """The number of axes that the operand lacks; they are the first columns."""
        return self.rank - len(self.shapes[operand])

    def verdict(self, dim: int) -> str:
        """`equal`, `stretch` (somebody has size 1 and repeats) or `clash`."""
        column = {shape[dim] for shape in self.padded}
        return "equal" if len(column) == 1 else "clash" if self.sizes[dim] is None else "stretch"

    def repeated(self, operand: int) -> tuple[int, ...]:
        """The columns along which the operand's one position is read again and again."""
        return self.again[operand]

    def times(self, operand: int) -> int:
        """The number of times that each number of the operand is read."""
        return prod(self.sizes[dim] for dim in self.repeated(operand))

    def stretched(self) -> list[tuple[int, int]]:
        """The pairs of operands that are repeated along different axes, which is seldom meant."""
        along = [set(self.repeated(k)) for k in range(len(self.shapes))]
        pairs = combinations(range(len(self.shapes)), 2)
        return [(a, b) for a, b in pairs if along[a] - along[b] and along[b] - along[a]]

    def paired(self, a: int, b: int) -> bool:
        """True if each number of one operand meets each of the other: they share no axis."""
        return all(n == 1 or dim in (*self.repeated(a), *self.repeated(b)) for dim, n in enumerate(self.sizes))

    def first(self, operand: int, index: Index) -> Index:
        """The first position of the result that reads the same cell of the operand as position `index` does."""
        again = self.repeated(operand)
        return tuple(0 if dim in again else i for dim, i in enumerate(index))

    def feed(self, operand: int, index: Index) -> Index:
        """The operand's own index of the cell that position `index` of the result reads."""
        return self.first(operand, index)[self.missing(operand) :]


def _agreed(column: Sequence[int]) -> int | None:
    sizes = set(column) - {1}
    return None if len(sizes) > 1 else sizes.pop() if sizes else 1
