"""A scene as its player reads it: the drawing, and as JSON every look, template and id list once; packed.

Its `format` is a number, another one when a player of before would misread it: of another format it shows the picture.
"""

import base64
import json
import zlib
from collections.abc import Mapping

from . import svg
from .maps import Column, Map, Mapped, Named, Way, Words
from .scene import Asks, Frame, Links, Look, Scene, Sentence, State
from .templates import Templates, laid_out
from .unfolds import Part, Unfolds, packed

JSON = dict[str, object]

FORMAT = 5
"""What `encode` writes today, and the player in this folder reads."""

BARE = State(0, None, (), {}, {}, "", "")


def pack(scene: Scene) -> str:
    """The text of `encode`, deflated, as text that may stand anywhere in a page: long stories repeat themselves.

    >>> from base64 import b64decode
    >>> zlib.decompress(b64decode(pack(Scene("x", 40, 40, (), (Frame("One number."),)))))[:23]
    b'{"format":5,"title":"x"'
    """
    return base64.b64encode(zlib.compress(encode(scene).encode(), 8)).decode()


def encode(scene: Scene, later: bool = False) -> str:
    """The scene's drawing and all its states as JSON; `later`: another one comes, with what its numbers open into.

    >>> encode(Scene("a < b", 40, 40, (), (Frame("One number."),)))[:42]
    '{"format":5,"title":"a < b","w":40,"h":40,'
    """
    looks: dict[int, tuple[int, Look]] = {}
    used = (look for frame in scene.frames for look in frame.looks)
    for look in (*used, *(f.opens for f in scene.links if f.opens is not None), *scene.turned.values()):
        looks.setdefault(id(look), (len(looks), look))
    maps = _Maps()
    links = [maps.links(f, f.links, looks) if isinstance(f.links, Mapped) else _links(f, looks) for f in scene.links]
    told = {"maps": [*map(laid_out, maps.maps.values())], "words": maps.told.entries}
    data = {
        "format": FORMAT,
        "title": scene.title,
        **({"note": scene.note} if scene.note else {}),
        "w": scene.width,
        "h": {"by": dict(scene.height)} if isinstance(scene.height, Mapping) else scene.height,
        **({} if scene.least == Scene.least else {"least": scene.least}),
        "frames": [_frame(scene, frame, looks) for frame in scene.frames],
        "looks": [{"c": _classes(look.classes), "a": _sets(look.sets)} for _, look in looks.values()],
        "links": links,
        **{name: some for name, some in told.items() if some},
        "paths": [[" ".join(row) for row in group] for group in scene.paths],
        "toggles": dict(scene.toggles),
        **({"flows": {side: [*map(list, pairs)] for side, pairs in scene.flows.items()}} if scene.flows else {}),
        **({"turned": {toggle: looks[id(look)][0] for toggle, look in scene.turned.items()}} if scene.turned else {}),
        **({"search": 1} if scene.search else {}),
        **({"asks": _asks(scene.asks)} if scene.asks else {}),
        **({"inner": {key: inner._asdict() for key, inner in scene.inner.items()}} if scene.inner else {}),
        **({"later": 1} if later else {}),
        **({"unfolds": _unfolds(scene, scene.unfolds)} if scene.unfolds and not _asked(scene) else {}),
        "drawing": svg.draw(scene, BARE, head=False, everything=True),
    }
    return json.dumps(data, separators=(",", ":"))


def sequel(
    again: Mapping[str, str], told: Mapping[str, Scene], played: Mapping[str, tuple[str, int]] | None = None
) -> str:
    """The sequels of a question's choices, packed: the sentence after a first wrong guess, and the scene at the end.

    `played`: what a choice that nobody took begins with, and how many frames of its scene come before what is so.
    """
    scenes = ",".join(f"{json.dumps(letter)}:{encode(scene)}" for letter, scene in told.items())
    words = f'"again":{json.dumps(dict(again))},"played":{json.dumps(dict(played or {}))}'
    data = f'{{{words},"told":{{{scenes}}}}}'
    return base64.b64encode(zlib.compress(data.encode(), 9)).decode()


def _asks(asks: Asks) -> JSON:
    points, said = dict(asks.points), dict(asks.said)
    data = {"text": asks.text, "choices": dict(asks.choices), "points": points, "said": said, "open": asks.open}
    return {**data, **({"sequel": asks.sequel} if asks.sequel else {})}


def _asked(scene: Scene) -> bool:
    """True if a guess is taken: no number tells then what it was made of."""
    return scene.asks is not None and scene.asks.open


def _unfolds(scene: Scene, unfolds: Unfolds) -> JSON:
    roots = dict.fromkeys(part for _, _, part in unfolds.roots())
    at = {part: n for n, part in enumerate(roots)}
    sides: dict[str, dict[str, int]] = {}
    for side in ("", *scene.toggles):
        told = {id: p if isinstance(p, Part) else p.get(side, p.get("")) for id, p in unfolds.opens.items()}
        sides[side] = {id: at[part] for id, part in told.items() if part}
    opens = {"by": {side: told for side, told in sides.items() if not side or told != sides[""]}}
    return {**packed(unfolds.levels, roots), "opens": opens, "of": unfolds.of}


def _frame(scene: Scene, frame: Frame, looks: Mapping[int, tuple[int, Look]]) -> JSON:
    on = [toggle for toggle in scene.toggles if toggle in frame.toggles]
    numbers = [looks[id(look)][0] for look in frame.looks]
    fine = {"d": 1} if frame.fine else {}
    seen = {"v": frame.seen} if frame.seen else {}
    sends = {"f": " ".join(map(">".join, frame.sends))} if frame.sends else {}
    return {"s": _sentence(frame.sentence), "k": _runs(numbers), "l": frame.link, "t": on, **fine, **sends, **seen}


def _runs(numbers: list[int]) -> list[int | list[int]]:
    """Numbers with each run of successive ones as a pair: most of a long story is yet to come.

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
    rows: dict[tuple, int] = {}  # what several shapes say is told once
    links = {id: (_lights(link.lights), rows.setdefault(link.args, len(rows))) for id, link in family.links.items()}
    return {**_family(family, looks), "w": [*rows], "l": links}


def _family(family: Links, looks: Mapping[int, tuple[int, Look]]) -> JSON:
    opens = None if family.opens is None else looks[id(family.opens)][0]
    said, lines = _sentence(family.sentence), {"i": family.lines} if family.lines else {}
    return {"s": said, "c": _classes(family.classes), "a": _sets(family.sets), "o": opens, **lines}


class _Maps:
    """Maps and lists of words, each of which the links of a scene use several times, by their numbers."""

    def __init__(self) -> None:
        self.maps: dict[int, Map] = {}
        self.told = Templates()

    def links(self, family: Links, links: Mapped, looks: Mapping[int, tuple[int, Look]]) -> JSON:
        lights = {side: [(letter, self._way(way)) for letter, way in groups]
                  for side, groups in links.lights.items()}  # fmt: skip
        columns = [self._column(column) for column in links.columns]
        told = {"m": links.letter, "n": [*links.numbers], "w": columns, "l": lights}
        return {**_family(family, looks), **told}

    def _map(self, map: Map) -> int:
        self.maps[id(map)] = map
        return [*self.maps].index(id(map))

    def _words(self, words: Words) -> int | str:
        return words if isinstance(words, str) else self.told.number(words)

    def _way(self, way: Way | None) -> list[int]:
        return [self._map(way.map), *[1] * way.back] if way else []

    def _column(self, column: Column) -> object:
        if isinstance(column, Named):
            return {"x": column.name, "d": column.shape}
        if isinstance(column, str) or type(column) is tuple:
            return self._words(column)
        groups = [(self._column(named), self._way(way)) for named, way in column.groups]
        return {"g": groups, "f": (column.few, column.many), "z": column.none, "k": column.most}


def _lights(lights: tuple[str, ...] | Mapping[str, tuple[str, ...]]) -> object:
    return {"by": _classes(lights)} if isinstance(lights, Mapping) else " ".join(lights)


def _sentence(sentence: Sentence) -> object:
    return {"by": dict(sentence)} if isinstance(sentence, Mapping) else sentence


def _classes(classes: Mapping[str, tuple[str, ...]]) -> JSON:
    return {cls: " ".join(ids) for cls, ids in classes.items()}


def _sets(sets: Mapping[tuple[str, str], object]) -> list[tuple[str, str, object]]:
    return [(name, attribute, value) for (name, attribute), value in sets.items()]
