"""Numbers of a dtype that rustyflow has not got: figures work them out in another, and say so."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from ...scene import Figure, Scene
from ..source import Source
from ..words.sentences import listed

_WIDER = {"uint16": "int32", "uint32": "int64", "uint64": "int64"}


def kind_of(dtype: str) -> str:
    """Returns the dtype in which numbers of a dtype are worked out.

    >>> kind_of("bfloat16"), kind_of("uint16"), kind_of("uint8")
    ('float32', 'int32', 'uint8')
    """
    narrow = dtype.startswith(("bfloat", "float8", "qint", "quint"))
    return "float32" if narrow else _WIDER.get(dtype, dtype)


def widened(figure: Figure, sources: Sequence[Source]) -> Figure:
    """Returns a figure that says so, before all else, where it works numbers out in another dtype than they have."""
    kinds = {source.dtype: kind for source in sources if (kind := kind_of(source.dtype)) != source.dtype}
    if not kinds:
        return figure
    said = (f"Worked out in {listed(sorted({*kinds.values()}))}: rustyflow has no {listed(sorted(kinds))}, "
            "where results are rounded or wrapped to fewer digits.")  # fmt: skip
    return figure.drawn(noted(figure.scene, said))


def noted(scene: Scene, sentence: str) -> Scene:
    """Returns a scene that says something more, before all else."""
    first, *rest = scene.frames
    before = first.sentence
    now = {key: _after(sentence, part) for key, part in before.items()} if isinstance(before, Mapping) else _after(
        sentence, before)
    frames = (replace(first, sentence=now), *rest)
    return replace(scene, frames=frames, about=(sentence, *scene.about))


def _after(sentence: str, template: Any) -> Any:
    return f"{sentence} {template}" if isinstance(template, str) else (f"{sentence} ", *template)
