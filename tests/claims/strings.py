"""Every string that a reader sees of a scene, by the state in which it is seen; columns of a formula as one line."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from rustyflow.scene import Figure, Scene, Shape
from rustyflow.scene.scene import fill, of_side

Strings = Iterator[tuple[str, str]]
"""Keys, `frame 3 g` or `link r4 line f0`, with what is seen."""


def strings(drawn: Figure | Scene | str | Mapping, name: str = "") -> Strings:
    """The strings of a figure, or of some scenes and texts by their names."""
    if isinstance(drawn, Mapping):
        for part, one in drawn.items():
            yield from strings(one, f"{part}/" if part else "")
    elif isinstance(drawn, str):
        yield f"{name}text", drawn
    else:
        scene = drawn.scene if isinstance(drawn, Figure) else drawn
        yield from ((name + key, text) for key, text in _scene(scene) if text)


def _scene(scene: Scene) -> Strings:
    yield "title", scene.title
    yield from ((f"about {k}", line) for k, line in enumerate(scene.about))
    if scene.asks:
        yield "asks", scene.asks.text
        yield from ((f"asks {letter}", words) for letter, words in scene.asks.lines())
    yield from ((f"toggle {key}", label) for key, label in scene.toggles.items())
    lines = [*_lines(scene)]
    yield from _drawn(scene, lines)
    for toggle, look in scene.turned.items():
        yield from _set(scene, lines, look.sets, f"turned {toggle}")
    sides = [(), *((toggle,) for toggle in scene.toggles)]
    for number, frame in enumerate(scene.frames):
        for on in dict.fromkeys([frame.toggles, *sides]):
            yield " ".join([f"frame {number}", *on]), fill(of_side(frame.sentence, on), ())
        yield from _set(
            scene, lines, {at: text for look in frame.looks for at, text in look.sets.items()}, f"frame {number}"
        )
    for family in scene.links:
        if family.opens is not None:
            yield from _set(scene, lines, family.opens.sets, f"opens {next(iter(family.links), '')}")
        for trigger in family.links:
            args = family.links[trigger].args
            for on in (way for side in sides for way in (side, ("pinned", *side))):
                yield " ".join([f"link {trigger}", *on]), fill(of_side(family.sentence, on), args)
            sets = {at: fill(template, args) for at, template in family.sets.items()}
            yield from _set(scene, lines, sets, f"link {trigger}")


def _lines(scene: Scene) -> Iterator[list[str]]:
    """The ids of texts that a state can change, those of one line together."""
    told = [line for family in scene.links for line in family.lines]
    yield from map(list, dict.fromkeys(told))
    beside: dict[tuple, list[str]] = {}
    for top in scene.shapes:
        _beside(top, "", beside)
    known = {id for line in told for id in line}
    for ids in beside.values():
        if left := [id for id in ids if id not in known]:
            yield left


def _beside(shape: Shape, inside: str, beside: dict[tuple, list[str]]) -> None:
    if shape.tag == "text" and shape.id and "factor" not in shape.cls:
        place = inside, dict(shape.attrs).get("y"), shape.id.rstrip("0123456789") or shape.id
        beside.setdefault(place, []).append(shape.id)
    spans = [child.id for child in shape.children if child.tag == "tspan" and child.id]
    if spans:
        beside[inside, "in", spans[0]] = spans
    for child in shape.children:
        _beside(child, shape.id or inside, beside)


def _set(scene: Scene, lines: Sequence[Sequence[str]], sets: Mapping[tuple[str, str], object], of: str) -> Strings:
    for line in lines:
        if any((id, "text") in sets for id in line):
            yield f"{of} line {line[0]}", "".join(str(sets.get((id, "text"), scene.index[id].text)) for id in line)


def _drawn(scene: Scene, lines: Sequence[Sequence[str]]) -> Strings:
    """What is drawn whatever the state."""
    columns = {id for line in lines if len(line) > 1 for id in line}
    for k, shape in enumerate(scene.shapes):
        yield from _texts(shape, f"drawn {k}", columns)
    for line in lines:
        text = "".join(scene.index[id].text for id in line)
        if len(line) > 1 and re.search(r"[^\W_]", text):
            yield f"drawn line {line[0]}", text


def _texts(shape: Shape, path: str, columns: Iterable[str]) -> Strings:
    if shape.text and shape.id not in columns:
        yield f"drawn {shape.id}" if shape.id else path, shape.text
    for k, child in enumerate(shape.children):
        yield from _texts(child, f"drawn {shape.id}.{k}" if shape.id else f"{path}.{k}", columns)
