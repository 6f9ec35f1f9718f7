"""The line under the cells: the formula of what is pointed at, piece by piece, in the colours of what it speaks of."""

from collections.abc import Iterable, Mapping, Sequence

from ...scene import Link, Links, Shape, draw
from ...scene.draw import LEFT, RIGHT

FORWARD = (("f0", "muted"), ("f1", "value-ink"), ("f2", "muted"), ("f3", "lit-ink"))
BACKWARD = (("h0", "muted"), ("h1", "grad-ink strong"), ("h2", "muted"), ("h3", "lit-ink"))
"""The pieces of the line: what is asked, what is read or summed, and what that comes to."""

MOST, LEAST = 88, 15.0
"""So many characters fit in the smallest font size."""

Lights = tuple[str, ...] | Mapping[str, tuple[str, ...]]


def flow(*parts: tuple[str, str] | tuple[str, str, str], x: float, y: float, size: float, cls: str = "") -> Shape:
    """One line of monospaced text made of parts `(id, class[, words])`, each beginning where the last one ends."""
    spans = tuple(
        Shape("tspan", part[0], tuple(part[1].split()), (), (), part[2] if len(part) > 2 else "") for part in parts
    )
    return Shape("text", "", ("mono", *cls.split()), (("x", x), ("y", y), ("font-size", round(size, 1))), spans)


def fitting(longest: int, most: float = 20.0, wide: float = 0.602) -> float:
    """The font size in which a line of so many characters fits the width of a figure."""
    return max(LEAST, min(most, (RIGHT - LEFT) / longest / wide))


def cut(pieces: Sequence[str], most: int = MOST) -> tuple[str, ...]:
    """The pieces of a line that fits: of a longer one the longest, what is read or summed, without its middle terms.

    >>> cut(("y = ", "1.5 + 2.5 + 3.5 + 4.5 + 5.5", " = ", "17.5"), 32)
    ('y = ', '1.5 + 2.5 + ... + 5.5', ' = ', '17.5')
    """
    over, made = len("".join(pieces)) - most, list(pieces)
    if over <= 0:
        return tuple(pieces)
    at = max(range(len(made)), key=lambda k: len(made[k]))
    room, between = len(made[at]) - over, max((" + ", ", ", " * "), key=made[at].count)
    parts = made[at].split(between)
    while len(parts) > 3 and len(between.join(parts)) > room:
        parts[-3:] = "...", parts[-1]
    if len(parts) == 3 and len(between.join(parts)) > room:
        parts[1] = "..."
    said = between.join(parts)
    made[at] = said if len(said) <= room else said[: max(room - 1, 0)] + "…"
    return tuple(made)


def line(y: float, size: float, backs: int = 0) -> list[Shape]:
    """The line, and that of the backward side, of so many pieces, if there is one; a fifth piece stands under it."""
    made = [flow(*FORWARD, x=LEFT, y=y, size=size, cls="unless-g" if backs else "")]
    if backs:
        made.append(flow(*BACKWARD[:backs], x=LEFT, y=y, size=size, cls="when-g"))
    return [*made, draw.text(LEFT, y + 23, "", "muted when-g", id="h4")] if backs > 4 else made


class Pointed:
    """What lights with what, and what the line says then.

    Args:
        backs: how many pieces the line of the backward side has; none if the picture has no such side.

    >>> pointed = Pointed()
    >>> pointed.at("r0", ["a0", "a1"], ("y[0] = ", "1 + 2", " = ", "3"))
    >>> link = pointed.links.links["r0"]
    >>> link.lights, link.args[-1]
    (('r0', 'a0', 'a1'), 'y[0] = 1 + 2 = 3.')
    """

    def __init__(self, backs: int = 0):
        self.backs, self.made = backs, {}

    def at(
        self, id: str, lights: Iterable[str], line: Sequence[str], back: Sequence[str] = (), *,
        lights_back: Iterable[str] | None = None, sentence: str = "", sentence_back: str = "",
    ) -> None:  # fmt: skip
        """Pointing at `id` lights it and `lights`, fills the line with up to four pieces, and says the whole of it."""
        lit: Lights = tuple(dict.fromkeys((id, *lights)))
        if lights_back is not None and self.backs:
            lit = {"": lit, "g": tuple(dict.fromkeys((id, *lights_back)))}
        told = sentence or f"{''.join(line)}.", sentence_back or f"{''.join(back)}."
        texts = *cut(line), *[""] * (4 - len(line)), *cut(back[:4]), *back[4:], *[""] * (self.backs - len(back))
        self.made[id] = Link(lit, (*texts, *told[: 1 + bool(self.backs)]))

    @property
    def links(self) -> Links:
        """The family, for the scene."""
        targets = [f"f{k}" for k in range(4)] + [f"h{k}" for k in range(self.backs)]
        n = len(targets)
        sentence = {"": (n,), "g": (n + 1,)} if self.backs else (n,)
        return Links(sentence, self.made, {(target, "text"): (k,) for k, target in enumerate(targets)})
