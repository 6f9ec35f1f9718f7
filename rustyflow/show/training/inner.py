"""The figures that open from the kept steps of a run, packed for a page."""

from itertools import product
from time import monotonic
from typing import Any

from ...errors import TensorError
from ...scene import Inner
from ...scene.wire import pack
from ..words.sentences import listed

AWAY = "The figure of this step is not in the file: it needs Python. Run the cell."


def inner_of(run: Any, seconds: float) -> dict[str, Inner]:
    """Returns by key the scenes that open from the shapes of steps, packed for the first few, and "" for others.

    None is begun after so many seconds.
    """
    begun, absent = monotonic(), f"This step is not kept: {listed([f'{step:,}' for step in run.kept])} are."
    shapes = [f"s{step}" for step in run.kept]
    found = {key: Inner(label, dict.fromkeys(shapes, ""), dict.fromkeys(shapes, AWAY), absent)
             for key, (label, _) in run.figures.items()}  # fmt: skip
    for step, (key, inner) in product(run.in_file(), found.items()):
        if monotonic() - begun > seconds:
            break
        try:
            inner.scenes[f"s{step}"] = pack(run.at(step, key).opened)
        except TensorError as error:
            del inner.scenes[f"s{step}"]
            inner.said[f"s{step}"] = f"Step {step:,} does not open: {error.was}: {error.rule}."
    return found
