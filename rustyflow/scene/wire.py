"""A scene as its player reads it: the drawing, and as JSON every look, template and id list once; packed.

Its `format` is a number, another one when a player of before would misread it: of another format it shows the picture.
"""

import base64
import json
import zlib
from collections.abc import Mapping

from . import svg
from .scene import Asks, Frame, Links, Look, Scene, Sentence, State

JSON = dict[str, object]

FORMAT = 2
"""What `encode` writes today, and the player in this folder reads."""

BARE = State(0, None, (), {}, {}, "")


def pack(scene: Scene) -> str:
    """What `encode` says, deflated, as text that may stand anywhere in a page: much of a long story repeats itself.

    >>> from base64 import b64decode
    >>> zlib.decompress(b64decode(pack(Scene("x", 40, 40, (), (Frame("One number."),)))))[:23]
    b'{"format":2,"title":"x"'
    """
    return base64.b64encode(zlib.compress(encode(scene).encode())).decode()


def encode(scene: Scene) -> str:
    """The scene's drawing and all its states as JSON.

    >>> encode(Scene("a < b", 40, 40, (), (Frame("One number."),)))[:42]
    '{"format":2,"title":"a < b","w":40,"h":40,'
    """
    looks: dict[int, tuple[int, Look]] = {}
    used = (look for frame in scene.frames for look in frame.looks)
    for look in (*used, *(f.opens for f in scene.links if f.opens is not None), *scene.turned.values()):
        looks.setdefault(id(look), (len(looks), look))
    data = {
        "format": FORMAT,
        "title": scene.title,
        "w": scene.width,
        "h": max(scene.height.values()) if isinstance(scene.height, Mapping) else scene.height,  # both sides have it
        **({} if scene.least == Scene.least else {"least": scene.least}),
        "frames": [_frame(scene, frame, looks) for frame in scene.frames],
        "looks": [{"c": _classes(look.classes), "a": _sets(look.sets)} for _, look in looks.values()],
        "links": [_links(family, looks) for family in scene.links],
        "paths": [[" ".join(row) for row in group] for group in scene.paths],
        "toggles": dict(scene.toggles),
        **({"turned": {toggle: looks[id(look)][0] for toggle, look in scene.turned.items()}} if scene.turned else {}),
        **({"asks": _asks(scene.asks)} if scene.asks else {}),
        "drawing": svg.draw(scene, BARE, caption=False, everything=True),
    }
    return json.dumps(data, separators=(",", ":"))


def _asks(asks: Asks) -> JSON:
    points, said = dict(asks.points), dict(asks.said)
    return {"text": asks.text, "choices": dict(asks.choices), "points": points, "said": said, "open": asks.open}


def _frame(scene: Scene, frame: Frame, looks: Mapping[int, tuple[int, Look]]) -> JSON:
    on = [toggle for toggle in scene.toggles if toggle in frame.toggles]
    numbers = [looks[id(look)][0] for look in frame.looks]
    fine = {"d": 1} if frame.fine else {}
    return {"s": _sentence(frame.sentence), "k": _runs(numbers), "l": frame.link, "t": on, **fine}


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


def _links(family: Links, looks: Mapping[int, tuple[int, Look]]) -> JSON:
    links = {trigger: (_lights(link.lights), link.args) for trigger, link in family.links.items()}
    opens = None if family.opens is None else looks[id(family.opens)][0]
    said = _sentence(family.sentence)
    return {"s": said, "c": _classes(family.classes), "a": _sets(family.sets), "l": links, "o": opens}


def _lights(lights: tuple[str, ...] | Mapping[str, tuple[str, ...]]) -> object:
    return {"by": _classes(lights)} if isinstance(lights, Mapping) else " ".join(lights)


def _sentence(sentence: Sentence) -> object:
    return {"by": dict(sentence)} if isinstance(sentence, Mapping) else sentence


def _classes(classes: Mapping[str, tuple[str, ...]]) -> JSON:
    return {cls: " ".join(ids) for cls, ids in classes.items()}


def _sets(sets: Mapping[tuple[str, str], object]) -> list[tuple[str, str, object]]:
    return [(name, attribute, value) for (name, attribute), value in sets.items()]
