"""Two shapes the gradient figures need: a cell with a value on its face and a gradient on its back, and a line of words
that flows around texts which change."""

from ...scene import Shape, draw


def twofold(
    id: str, x: float, y: float, face: str, back: str, cls: str, w: float, h: float, size: float
) -> Shape:  # fmt: skip
    """A cell that says `face`, and `back` while toggle `g` is on; one id, so that a spotlight on it stays."""
    made = draw.cell(id, x, y, face, cls, w, h, size)
    at = (("x", w / 2), ("y", round(h / 2 + size * 0.35, 1)), ("font-size", round(size, 1)))
    front = tuple(part._replace(cls=(*part.cls, "unless-g")) if part.tag == "text" else part for part in made.children)
    box = made.children[0].attrs
    behind = (Shape("rect", "", ("back", "when-g"), box), Shape("text", "", ("back", "when-g"), at, (), back))
    return made._replace(children=front + (behind if back else ()))


def flow(*parts: tuple[str, str] | tuple[str, str, str], x: float, y: float, size: float, cls: str = "") -> Shape:
    """One line of monospaced text made of parts `(id, class[, words])`, each beginning where the last one ends."""
    spans = tuple(
        Shape("tspan", part[0], tuple(part[1].split()), (), (), part[2] if len(part) > 2 else "") for part in parts
    )
    return Shape("text", "", ("mono", *cls.split()), (("x", x), ("y", y), ("font-size", round(size, 1))), spans)
