"""Several pictures as one: one story after the other, or one that opens in the place of another."""

from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

from .scene import Frame, Link, Links, Look, Scene, Shape, of_side


def in_turn(*scenes: Scene) -> Scene:
    """A scene that shows some scenes one after the other; title, toggles and still picture are those of the last.

    >>> from rustyflow.scene import draw
    >>> one = Scene("one", 80, 80, (draw.cell("a", 20, 20, 1),), (Frame("It is 1."),))
    >>> two = Scene("two", 80, 80, (draw.cell("a", 20, 20, 2),), (Frame("Now it is 2."),))
    >>> both = in_turn(one, two)
    >>> [frame.sentence for frame in both.frames], sorted(both.state(0).classes.items())
    (['It is 1.', 'Now it is 2.'], [('turn0', ()), ('turn1', ('off',))])
    """
    *before, last = scenes
    parts = [*(_Renamed(scene, f"-{n}").scene for n, scene in enumerate(before)), last]
    toggles = {key: label for part in parts for key, label in part.toggles.items()}
    groups, frames = [], []
    for n, part in enumerate(parts):
        cls = () if part is last else ("off",)  # what is turned over, and leaves the story, is a side of the last
        groups.append(Shape("g", f"turn{n}", cls, (), part.shapes))
        others = tuple(f"turn{k}" for k in range(len(parts)) if k != n)
        here = Look({"off": others, "-off": (f"turn{n}",)})
        frames += [replace(frame, looks=(here, *frame.looks)) for frame in part.frames]
    return replace(
        last,
        width=max(part.width for part in parts),
        height={side: max(of_side(part.height, (side,)) for part in parts) for side in ("", *toggles)},
        shapes=tuple(groups),
        frames=tuple(frames),
        links=tuple(family for part in parts for family in part.links),
        paths=tuple(group for part in parts for group in part.paths),
        toggles=toggles,
        turned={t: _joined([part.turned[t] for part in parts if t in part.turned]) for t in toggles},
        still=len(frames) - len(last.frames) + last.still,
        about=(),
    )


class Opened(NamedTuple):
    """A picture that a pinned shape opens: its hidden group, the look that shows it, and its links and paths."""

    group: Shape
    look: Look
    links: tuple[Links, ...]
    paths: tuple[tuple[tuple[str, ...], ...], ...]


def opened(scene: Scene, ending: str, *hides: str) -> Opened:
    """Returns a picture, in its last frame, for a scene in which it comes in the place of some shapes.

    Its ids get an ending. Its links are alive while a link with the same look is pinned.

    >>> from rustyflow.scene import draw
    >>> inner = opened(Scene("one", 80, 80, (draw.cell("a", 20, 20, 1),), (Frame("It is 1."),)), "-1", "b")
    >>> inner.group.cls, inner.look.classes, inner.group.children[0].id
    (('off',), {'off': ('b',), '-off': ('open-1',)}, 'a-1')
    """
    inner = _Renamed(scene, ending).scene
    look = _joined([Look({"off": hides, "-off": (f"open{ending}",)}), *inner.frames[-1].looks])
    links = tuple(replace(family, opens=look) for family in inner.links)
    return Opened(Shape("g", f"open{ending}", ("off",), (), inner.shapes), look, links, inner.paths)


def _joined(looks: list[Look]) -> Look:
    """Looks of different shapes as one."""
    classes: dict[str, tuple[str, ...]] = {}
    for look in looks:
        for cls, ids in look.classes.items():
            classes[cls] = (*classes.get(cls, ()), *ids)
    return Look(classes, {at: value for look in looks for at, value in look.sets.items()})


class _Renamed:
    """A scene with other ids, each with an ending of its own."""

    def __init__(self, scene: Scene, ending: str):
        self.ending, self.looks = ending, {}
        self.scene = replace(
            scene,
            shapes=tuple(map(self._shape, scene.shapes)),
            frames=tuple(map(self._frame, scene.frames)),
            links=tuple(map(self._links, scene.links)),
            turned={toggle: self._look(look) for toggle, look in scene.turned.items()},
            paths=tuple(tuple(map(self._all, group)) for group in scene.paths),
        )

    def _all(self, ids: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(id + self.ending for id in ids)

    def _shape(self, shape: Shape) -> Shape:
        return shape._replace(id=shape.id and shape.id + self.ending, children=tuple(map(self._shape, shape.children)))

    def _look(self, look: Look) -> Look:
        if id(look) not in self.looks:  # one that many frames use stays one
            self.looks[id(look)] = Look(self._classes(look.classes), self._sets(look.sets))
        return self.looks[id(look)]

    def _frame(self, frame: Frame) -> Frame:
        link = frame.link and frame.link + self.ending
        sends = tuple((a + self.ending, b + self.ending) for a, b in frame.sends)
        return replace(frame, looks=tuple(map(self._look, frame.looks)), link=link, sends=sends)

    def _links(self, family: Links) -> Links:
        links = {id + self.ending: Link(self._lights(link.lights), link.args) for id, link in family.links.items()}
        opens = family.opens and self._look(family.opens)
        lines = tuple(map(self._all, family.lines))
        return Links(family.sentence, links, self._sets(family.sets), self._classes(family.classes), opens, lines)

    def _lights(self, lights):
        return self._classes(lights) if isinstance(lights, Mapping) else self._all(lights)

    def _classes(self, classes: Mapping[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
        return {cls: self._all(ids) for cls, ids in classes.items()}

    def _sets(self, sets: Mapping[tuple[str, str], object]) -> dict:
        return {(id + self.ending, attribute): value for (id, attribute), value in sets.items()}
