"""A scene as the JSON its player reads: every look, template and id list once."""

import json
from collections.abc import Mapping

from .scene import Frame, Links, Look, Says, Scene

JSON = dict[str, object]


def encode(scene: Scene) -> str:
    """The scene's states as JSON that may stand inside a `<script>` (no `<` in it). The shapes travel in the picture.

    >>> encode(Scene("a < b", 40, 40, (), (Frame("One number."),)))[:35]
    '{"title":"a \\\\u003c b","w":40,"h":40'
    """
    looks: dict[int, tuple[int, Look]] = {}
    for frame in scene.frames:
        for look in frame.looks:
            looks.setdefault(id(look), (len(looks), look))
    data = {
        "title": scene.title,
        "w": scene.width,
        "h": scene.height,
        "frames": [_frame(scene, frame, looks) for frame in scene.frames],
        "looks": [{"c": _classes(look.classes), "a": _sets(look.sets)} for _, look in looks.values()],
        "links": [_links(family) for family in scene.links],
        "paths": [[" ".join(row) for row in group] for group in scene.paths],
        "toggles": dict(scene.toggles),
        "base": _base(scene),
    }
    return json.dumps(data, separators=(",", ":")).replace("<", "\\u003c")


def _frame(scene: Scene, frame: Frame, looks: Mapping[int, tuple[int, Look]]) -> JSON:
    on = [toggle for toggle in scene.toggles if toggle in frame.toggles]
    numbers = [looks[id(look)][0] for look in frame.looks]
    return {"s": _says(frame.says), "k": _runs(numbers), "l": frame.link, "t": on}


def _runs(numbers: list[int]) -> list[int | list[int]]:
    """Numbers with each run of successive ones as a pair: what is yet to come is most of a long story.

    >>> _runs([4, 7, 8, 9, 2])
    [4, [7, 9], 2]
    """
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return [first if first == last else [first, last] for first, last in runs]


def _links(family: Links) -> JSON:
    links = {trigger: (" ".join(link.lights), link.args) for trigger, link in family.links.items()}
    return {"s": _says(family.says), "c": _classes(family.classes), "a": _sets(family.sets), "l": links}


def _says(says: Says) -> object:
    return {"by": dict(says)} if isinstance(says, Mapping) else says


def _classes(classes: Mapping[str, tuple[str, ...]]) -> JSON:
    return {cls: " ".join(ids) for cls, ids in classes.items()}


def _sets(sets: Mapping[tuple[str, str], object]) -> list[tuple[str, str, object]]:
    return [(name, attribute, value) for (name, attribute), value in sets.items()]


def _base(scene: Scene) -> list[tuple[str, str, object]]:
    """What the still picture has changed, as it was before: the player starts from there."""
    still = scene.state()
    was: list[tuple[str, str, object]] = [(name, "class", " ".join(scene.index[name].cls)) for name in still.classes]
    for name, attribute in still.sets:
        shape = scene.index[name]
        was.append((name, attribute, shape.text if attribute == "text" else dict(shape.attrs).get(attribute, "")))
    return was
