"""The pictures of a question, made of a figure's: one that tells nothing yet, one with another story, and none."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from math import ceil

from ....scene import Frame, Scene, Shape, draw
from ....scene.scene import of_side


def without(scene: Scene, *ids: str, blank: Collection[str] = ()) -> Scene:
    """A picture to stand behind a question: without some shapes, and with no number in some cells.

    An id that ends in `*` means all that begin so.

    >>> from rustyflow import arange, show
    >>> figure = show.strides(arange(3), names=["x"], title="x")
    >>> seen = without(figure.scene, "k0", "f0", "w", "hop*", blank="s*")
    >>> "k0" in seen.index, [part.text for part in seen.index["s2"].children if part.text]
    (False, ['2'])
    """

    def named(id: str, ids: Collection[str]) -> bool:
        return any(id.startswith(one[:-1]) if one.endswith("*") else id == one for one in ids)

    def kept(shapes: tuple[Shape, ...], empty: bool = False) -> tuple[Shape, ...]:
        seen = (shape for shape in shapes if not (shape.id and named(shape.id, ids)))
        seen = (shape for shape in seen if not (empty and shape.tag == "text" and "address" not in shape.cls))
        blanks = (blank,) if isinstance(blank, str) else blank
        return tuple(s._replace(children=kept(s.children, bool(s.id) and named(s.id, blanks))) for s in seen)

    shapes = kept(scene.shapes)
    left = {shape.id for part in shapes for shape in part.walk()}
    paths = tuple(found for group in scene.paths if (found := among(group, left)))
    return Scene(scene.title, scene.width, of_side(scene.height, ()), shapes, (Frame("It waits."),), (), paths)


def forward(scene: Scene) -> Scene:
    """The picture of an operation, as `show.op` draws it, without the way back that stands below or beside.

    >>> from rustyflow import show, zeros
    >>> figure = show.op("exp", zeros(2), names=["x"])
    >>> of_side(figure.scene.height, ()) > of_side(forward(figure.scene).height, ())
    True
    """
    left = without(scene, "note", "B*", "p*", "q*", "r*", "g*", "h*", "f*")
    shapes = tuple(shape for shape in left.shapes if "when-g" not in shape.cls)
    right, low = extent(shapes)
    return replace(left, shapes=shapes, width=max(860, ceil(right + draw.LEFT)), height=low + 16)


def extent(shapes: Sequence[Shape]) -> tuple[float, float]:
    """The right and the lower end of what shapes draw: of their cells and lines of text.

    >>> from rustyflow.lessons.kit.questions.grids import grids
    >>> extent(grids(("x", "a", [1, 2, 3])).shapes)
    (160.0, 78.0)
    """
    right = low = 0.0
    for shape in shapes:
        if shape.tag == "text" and not any(part.text for part in shape.walk()):
            continue  # a line that a click would have filled
        at = dict(shape.attrs)
        x, y = map(float, re.findall(r"-?[\d.]+", str(at.get("transform", "0 0")))[:2])
        wide, high = extent(shape.children)
        own = (float(at.get(a, 0)) + float(at.get(b, 0)) for a, b in (("x", "width"), ("y", "height")))
        right, low = (max(end, move + far, move + one) for end, move, far, one in
                      zip((right, low), (x, y), (wide, high), own, strict=True))  # fmt: skip
    return right, low


def turned(scene: Scene, side: str = "g") -> Scene:
    """The other side of a picture, as one that has no other.

    >>> from rustyflow import arange, show
    >>> scene = turned(show.reduce(arange(3.0), names=["x"]).scene)
    >>> scene.index["ga0"].tag, "f1" in scene.index, dict(scene.toggles)
    ('g', False, {})
    """

    def kept(shapes: tuple[Shape, ...]) -> tuple[Shape, ...]:
        seen = (shape for shape in shapes if f"unless-{side}" not in shape.cls)
        return tuple(
            shape._replace(cls=tuple(c for c in shape.cls if c != f"when-{side}"), children=kept(shape.children))
            for shape in seen
        )

    shapes, waits = kept(scene.shapes), Frame("It waits.")
    return Scene(scene.title, scene.width, of_side(scene.height, (side,)), shapes, (waits,))


def written(scene: Scene, numbers: Mapping[str, object]) -> Scene:
    """A picture with other numbers in some cells, by their ids.

    >>> from rustyflow import arange, show
    >>> scene = written(show.reduce(arange(3.0), names=["x"]).scene, {"a2": 60})
    >>> [part.text for part in scene.index["a2"].children if part.text]
    ['60']
    """

    def kept(shapes: tuple[Shape, ...], number: object = None) -> tuple[Shape, ...]:
        said = (s._replace(text=str(number)) if s.text and number is not None else s for s in shapes)
        return tuple(s._replace(children=kept(s.children, numbers.get(s.id))) for s in said)

    return replace(scene, shapes=kept(scene.shapes))


def raised(scene: Scene, *ids: str, by: float) -> Scene:
    """A picture with nothing in some shapes at its top, moved up into their place; it tells nothing yet.

    >>> from rustyflow import arange, show
    >>> scene = show.strides(arange(3), names=["x"], title="x").scene
    >>> raised(scene, "k0", by=20).index["k0"].children, raised(scene, "k0", by=20).height < scene.height
    ((), True)
    """
    seen = (shape._replace(children=()) if shape.id in ids else shape for shape in scene.shapes)
    shapes = (draw.group("", *seen, at=(0, -by)),)
    return replace(scene, shapes=shapes, height=of_side(scene.height, ()) - by, frames=(Frame("It waits."),), still=-1)


def story(scene: Scene, *steps: tuple[str, str | None]) -> Scene:
    """A picture with other steps: what each says, and the id of what it lights, or None."""
    return replace(scene, frames=tuple(Frame(sentence, link=link) for sentence, link in steps), still=-1)


def bare(sentence: str = "There is no picture here.") -> Scene:
    """The picture of a question that has none."""
    return Scene("", 860, 8, (), (Frame(sentence),))


def among(rows: Sequence[Sequence[str]], ids: Collection[str]) -> tuple[tuple[str, ...], ...]:
    """Rows of ids, for the arrow keys, with some ids alone."""
    left = (tuple(id for id in row if id in ids) for row in rows)
    return tuple(row for row in left if row)
