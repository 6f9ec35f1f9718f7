"""A reduction's figure turned round: what arrives stands there, and what comes of it in each row."""

from collections.abc import Sequence
from dataclasses import replace

from ....ops.creation import tensor
from ....scene import Frame, Scene
from ....show.reduce.figure import scene_of
from ....show.source import source_of
from . import pictures
from .grids import lit
from .stages import SUPPOSED

Rows = Sequence[Sequence[float]]


def _scene(name: str, rows: Rows, g: Sequence[float]) -> Scene:
    return scene_of(source_of(tensor(rows).float(), "x"), name, 1, upstream=tensor(g).float())


def waiting(name: str, rows: Rows, g: Sequence[float]) -> Scene:
    """The figure of a reduction along dim 1, turned round, with nothing in x.grad."""
    seen = pictures.turned(_scene(name, rows, g))
    return pictures.without(seen, "f*", "h*", "bars", blank="ga*")


def supposing(name: str, rows: Rows, g: Sequence[float], row: Sequence[float], *said: str) -> Scene:
    """The same, with what row 0 would get, lit; each sentence is a step."""
    scene, lane = pictures.turned(_scene(name, rows, g)), [f"ga{k}" for k in range(len(row))]
    told = [lit(f"{SUPPOSED}, {sentence}.", *lane, "gr0") for sentence in said]
    rest = [f"ga{k}" for k in range(len(row), len(row) * len(rows))]
    scene = pictures.written(pictures.without(scene, "f*", "h*", "bars", blank=rest), dict(zip(lane, row)))
    return replace(scene, frames=tuple(told), still=-1)


def so(name: str, rows: Rows, g: Sequence[float]) -> Scene:
    """The whole figure, turned round, with what arrives at row 0 lit."""
    scene, at = _scene(name, rows, g), {"link": "gr0", "toggles": ("g",)}
    return replace(scene, frames=(Frame(scene.state(0, **at).sentence, **at),), still=-1)
