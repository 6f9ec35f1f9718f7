"""The line under the cells: the formula of a cell, piece by piece, in the colours of its parts."""

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType

from ...scene import Link, Links, Shape, draw
from ...scene.draw import LEFT, RIGHT
from ...scene.maps import Column, Map, Mapped, Way, alike
from ...scene.measure import width
from ...scene.scene import of_side

FORWARD = (("f0", "muted"), ("f1", "strong"), ("f2", "muted"), ("f3", "lit-ink"))
BACKWARD = (("h0", "muted"), ("h1", "grad-ink strong"), ("h2", "muted"), ("h3", "lit-ink"))
"""The pieces of the line: what is asked, what is read or summed, and what that comes to."""

FULL = 96
"""The most characters of a line that fits in the smallest size of type."""

Lights = tuple[str, ...] | Mapping[str, tuple[str, ...]]


def flow(*parts: tuple[str, str] | tuple[str, str, str], x: float, y: float, size: float, cls: str = "") -> Shape:
    """One line of monospaced text made of parts `(id, class[, words])`, each beginning where the last one ends."""
    spans = tuple(
        Shape("tspan", part[0], tuple(part[1].split()), (), (), part[2] if len(part) > 2 else "") for part in parts
    )
    return Shape("text", "", ("mono", *cls.split()), (("x", x), ("y", y), ("font-size", round(size, 1))), spans)


def fitting(longest: int, room: float = RIGHT - LEFT) -> float:
    """The size of type, 24, 18 or 14, in which a line of so many characters fits a room.

    >>> fitting(50), fitting(70), fitting(90)
    (24, 18, 14)
    """
    fits = (size for size in (draw.FORMULA, draw.NUMBER) if width("0" * longest, size, mono=True) <= room)
    return next(fits, draw.LABEL)


def line(y: float, size: float, backs: int = 0) -> list[Shape]:
    """The line, and that of the backward side of so many pieces, if any.

    A fifth piece stands under it.
    """
    flows = [flow(*FORWARD, x=LEFT, y=y, size=size, cls="unless-g" if backs else "")]
    if backs:
        flows.append(flow(*BACKWARD[:backs], x=LEFT, y=y, size=size, cls="when-g"))
    return [*flows, draw.text(LEFT, y + 23, "", "muted when-g", id="h4")] if backs > 4 else flows


class Pointed:
    """The links of cells: what lights with each, and the line that it fills.

    Args:
        backs: how many pieces the line of the backward side has; none if the picture has no such side.

    >>> pointed = Pointed()
    >>> pointed.at("r0", ["a0", "a1"], ("y[0] = ", "1 + 2", " = ", "3"))
    >>> (family,) = pointed.links
    >>> family.links["r0"], family.sentence
    (Link(lights=('r0', 'a0', 'a1'), args=('y[0] = ', '1 + 2', ' = ', '3')), {'': (0, 1, 2, 3, '.')})
    """

    def __init__(self, backs: int = 0):
        self.backs = backs
        self.lit: dict[tuple, dict[int, Link]] = {}

    def at(
        self, id: str, lights: Iterable[str], line: Sequence[str], back: Sequence[str] = (), *,
        lights_back: Iterable[str] | None = None, sentence: str = "", sentence_back: str = "",
    ) -> None:  # fmt: skip
        """Links `id`: it lights with `lights`, fills the line with up to four pieces, and says that.

        A line for which there is no room goes without its first piece.
        """
        lit: Lights = tuple(dict.fromkeys((id, *lights)))
        if lights_back is not None and self.backs:
            lit = {"": lit, "g": tuple(dict.fromkeys((id, *lights_back)))}
        back = back if self.backs else ()
        if sum(map(len, line)) > FULL:
            line, sentence = ("", *line[1:]), sentence or f"{''.join(line)}."
        texts = *line, *[""] * (4 - len(line)), *back, *[""] * (self.backs - len(back))
        apart = {side: spoken for side, spoken, pieces in (("", sentence, line), ("g", sentence_back, back))
                 if spoken and spoken != f"{''.join(pieces)}." and side in _sides(self.backs)}  # fmt: skip
        letter, n = _parted(id)
        self.lit.setdefault((letter, *apart), {})[n] = Link(lit, (*texts, *apart.values()))

    @property
    def links(self) -> tuple[Links, ...]:
        """The families, for the scene: those of a letter that say what is said apart alike."""
        sides, families = _sides(self.backs), []
        number = {target: k for k, target in enumerate(target for pieces in sides.values() for target in pieces)}
        for (letter, *apart), links in self.lit.items():
            sentence: Said = {side: (*(number[piece] for piece in pieces), ".") for side, pieces in sides.items()}
            sentence |= {side: (n,) for n, side in enumerate(apart, len(number))}
            pieces: Said = {target: (k,) for target, k in number.items()}
            families.append(_family(sentence, mapped(letter, links), pieces, self.backs))
        return tuple(families)


@lru_cache(1 << 14)
def _parted(id: str) -> tuple[str, int]:
    """The letter of a cell and its number."""
    letter = id.rstrip("0123456789")
    return letter, int(id[len(letter) :])


def mapped(letter: str, links: Mapping[int, Link]) -> Mapping[str, Link]:
    """The links of a letter's cells, by maps found in them, or as they are where they are few.

    >>> mapped("a", {0: Link(("a0", "y0", "y1")), 1: Link(("a1", "y2", "y3"))}).lights[""][1][1].map
    Map(shape=(2,), at=0, steps=(2,), over=((2, 1),), lists=None)
    """
    if max(links, default=0) >= 2 * len(links):
        return {f"{letter}{n}": link for n, link in links.items()}
    each, some = [links.get(n) for n in range(max(links) + 1)], next(iter(links.values()))
    texts = zip(*([None] * len(some.args) if link is None else map(str, link.args) for link in each))
    lights: dict[str, tuple[tuple[str, Way | None], ...]] = {}
    sides = {side for link in links.values() if isinstance(link.lights, Mapping) for side in link.lights}
    for side in sorted(sides) or ("",):
        lit: dict[str, list[list[int]]] = {}
        for n, link in enumerate(each):
            for other, m in map(_parted, () if link is None else of_side(link.lights, (side,))):
                if other not in lit:
                    lit[other] = [[] for _ in each]
                lit[other][n].append(m)
        lights[side] = tuple(
            (other, None if all(lists[n] == [n] for n in links) else Way(Map.of(lists)))
            for other, lists in lit.items()
        )
    return Mapped(letter, tuple(links), tuple(map(alike, texts)), lights)


Said = dict[str, tuple[str | int, ...]]


def _sides(backs: int) -> dict[str, tuple[str, ...]]:
    """The ids of the pieces of the line of each side."""
    forward = tuple(id for id, _ in FORWARD)
    return {"": forward, "g": tuple(f"h{k}" for k in range(backs))} if backs else {"": forward}


def _family(sentence: Said, links: Mapping[str, Link], pieces: Said, backs: int) -> Links:
    lines = tuple(ids[:4] for ids in _sides(backs).values())
    return Links(sentence, links, {(target, "text"): piece for target, piece in pieces.items()}, lines=lines)


Piece = Sequence[Column]
"""A piece of every line: columns, and words that are the same in all."""


def linked(
    letter: str, size: int, sides: Mapping[str, Sequence[Piece]],
    lights: Mapping[str, Sequence[tuple[str, Way | None]]],
    sentences: Mapping[str, Sequence[Piece]] = MappingProxyType({}),
) -> Links:  # fmt: skip
    """The links of all cells of a letter: their lines on each side, and what they light.

    `sentences` are of the sides on which a cell does not say its line.

    >>> family = linked("r", 2, {"": [["y = "], [("1", "2")]]}, {"": [("r", None), ("a", None)]})
    >>> family.links["r1"], family.sentence
    (Link(lights=('r1', 'a1'), args=('2',)), {'': ('y = ', 0, '.')})
    """
    columns: list[Column] = []

    def template(piece: Piece) -> tuple[str | int, ...]:
        parts: list[str | int] = []
        for column in piece:
            if not isinstance(column, str) and column not in columns:
                columns.append(column)
            parts.append(column if isinstance(column, str) else columns.index(column))
        return tuple(parts)

    pieces: Said = {}
    sentence: Said = {}
    for side, ids in _sides(4 * (len(sides) - 1)).items():
        filled = [template(piece) for piece in sides[side]]
        pieces |= dict(zip(ids, [*filled, *[()] * (len(ids) - len(filled))], strict=True))
        whole = map(template, sentences[side]) if sentences.get(side) else filled
        sentence[side] = (*(part for piece in whole for part in piece), ".")
    lit = {side: tuple(lights[side]) for side in sentence}
    links = Mapped(letter, range(size), tuple(columns), lit)
    return _family(sentence, links, pieces, 4 * (len(sides) - 1))
