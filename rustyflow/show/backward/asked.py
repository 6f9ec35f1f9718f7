"""A backward figure that keeps its factors back: each stands on its arrow while that is lit, and not before."""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from ...scene import Frame, Link, Links, Look, Scene, Shape


def asked(scene: Scene) -> Scene:
    """Returns the scene with its factors hidden until somebody points at a box, or a step goes over their arrow.

    What its text says of them is left out.

    >>> from rustyflow import show, tensor
    >>> x, w = tensor(3.0, requires_grad=True), tensor(7.0, requires_grad=True)
    >>> scene = asked(show.backward(x * w, names=["y"]).scene)
    >>> [id for id, shape in scene.index.items() if "asked" in shape.cls], scene.state(0).classes.get("fe0")
    (['fe0', 'fe1'], None)
    >>> scene.state(0, link="n0").classes["fe0"]
    ('mono', 'factor', 'asked', 'lit')
    """
    factors = {id for id, shape in scene.index.items() if "factor" in shape.cls}

    def lit(ids: Iterable[str]) -> tuple[str, ...]:
        ids = tuple(ids)
        return *ids, *(f"f{id}" for id in ids if f"f{id}" in factors)

    def shown(shape: Shape) -> Shape:
        cls = (*shape.cls, "asked") if shape.id in factors else shape.cls
        return shape._replace(cls=cls, children=tuple(map(shown, shape.children)))

    def look(one: Look) -> Look:
        return replace(one, classes={**one.classes, "lit": lit(one.classes["lit"])}) if "lit" in one.classes else one

    def frame(one: Frame) -> Frame:
        return replace(one, looks=tuple(map(look, one.looks)))

    def family(one: Links) -> Links:
        links = {}
        for id, (lights, args) in one.links.items():
            sides = {side: lit(ids) for side, ids in lights.items()} if isinstance(lights, Mapping) else lit(lights)
            links[id] = Link(sides, args)
        return replace(one, links=links)

    return replace(
        scene,
        shapes=tuple(map(shown, scene.shapes)),
        frames=tuple(map(frame, scene.frames)),
        links=tuple(map(family, scene.links)),
        about=tuple(line for line in scene.about if not line.startswith("backward, ")),
    )
