"""Numbers that stand together where a gradient comes from: a gradient in the shape of its tensor, or a storage."""

from collections.abc import Iterator, Sequence

from ...claims.digits import spell
from ...scene import Shape, draw
from ...scene.measure import width

TALL, SLOT = draw.LITTLE, 54
"""Heights of a cell of a grid, and of a slot with its address."""

ROWS = 4
"""The most rows of a matrix."""


class Column:
    """Numbers that stand together: of a gradient, in the shape of its tensor, or a storage, in a line."""

    def __init__(
        self, kind: str, heading: str, ids: Sequence[str], values: Sequence[float], places: Sequence[tuple[int, int]],
        digits: int, addresses: Sequence[str] = (), lead: str = "",
    ):  # fmt: skip
        self.kind, self.heading, self.ids, self.places, self.addresses = kind, heading, ids, places, addresses
        self.rows, self.across = (1 + max((place[k] for place in places), default=0) for k in (0, 1))
        self.texts = [draw.tight(spell(value, digits)) for value in values]
        self.side = max(40.0, round(width(max(self.texts, key=len), draw.LABEL, mono=True) + 10))
        self.lead, self.left = lead, width(lead, draw.LABEL) + 8 if lead else 0.0
        self.wide = self.left + max(self.across * (self.side + 2) - 2, width(heading, draw.LABEL, mono=True))
        self.tall = 24 + (SLOT if addresses else self.rows * (TALL + 2))

    def draw(self, x: float, y: float) -> Iterator[Shape]:
        """Its heading and its cells."""
        if self.lead:
            yield draw.text(x, y + 22 + SLOT - 6, self.lead, "muted caption", draw.LABEL)
        x += self.left
        yield draw.text(x, y + 14, self.heading, f"mono {self.kind}-ink caption", draw.LABEL)
        for n, (id, text, (row, column)) in enumerate(zip(self.ids, self.texts, self.places, strict=True)):
            at = x + column * (self.side + 2), y + 22 + row * (TALL + 2)
            address = self.addresses[n] if self.addresses else ""
            yield draw.cell(id, *at, text, self.kind, self.side, TALL, draw.LABEL, address)


def places_of(indices: Sequence[tuple[int, ...]]) -> list[tuple[int, int]]:
    """Rows and columns for numbers by their index: the last axis across, all others down; a high stack in lines."""
    if len({index[:-1] for index in indices}) > ROWS:
        return [divmod(n, ROWS + 2) for n in range(len(indices))]
    rows = {head: n for n, head in enumerate(dict.fromkeys(index[:-1] for index in indices))}
    columns = {last: n for n, last in enumerate(sorted({index[-1:] for index in indices}))}
    return [(rows[index[:-1]], columns[index[-1:]]) for index in indices]
