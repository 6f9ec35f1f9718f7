"""Two shapes the gradient figures need: a cell with a value on its face and a gradient on its back, and a line of words
that flows around texts which change."""

from ..scene import Shape, draw
from ..scene.measure import width


def twofold(id: str, x: float, y: float, value: object, gradient: object, cls: str, side: float, size: float) -> Shape:
    """A cell that shows `value`, and `gradient` while toggle `g` is on; one id, so that a spotlight on it stays."""
    face = draw.cell(id, x, y, value, cls, side, side, size)
    words, small = (gradient, size) if isinstance(gradient, str) else draw.number(gradient, side - 4, size)
    if small < size:  # a nought less makes it larger
        words = draw.tight(words)
        small = min(size, (side - 4) / width(words, 1, mono=True))
    box = (("x", 1.5), ("y", 1.5), ("width", side - 3), ("height", side - 3), ("rx", 4))
    at = (("x", side / 2), ("y", round(side / 2 + small * 0.35, 1)), ("font-size", round(small, 1)))
    front = tuple(part._replace(cls=(*part.cls, "unless-g")) if part.tag == "text" else part for part in face.children)
    back = (Shape("rect", "", ("back", "when-g"), box), Shape("text", "", ("back", "when-g"), at, (), words))
    return face._replace(children=front + (back if words else ()))


def flow(*parts: tuple[str, str] | tuple[str, str, str], x: float, y: float, size: float, cls: str = "") -> Shape:
    """One line of monospaced text made of parts `(id, class[, words])`, each beginning where the last one ends."""
    spans = tuple(
        Shape("tspan", part[0], tuple(part[1].split()), (), (), part[2] if len(part) > 2 else "") for part in parts
    )
    return Shape("text", "", ("mono", *cls.split()), (("x", x), ("y", y), ("font-size", round(size, 1))), spans)
