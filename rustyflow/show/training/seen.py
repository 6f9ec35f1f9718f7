"""The figures of a kept step's model as it was: its weights as cells, and its predictions."""

from collections.abc import Callable, Mapping
from copy import deepcopy
from sys import modules
from typing import Any

import numpy as np

from ...errors import ArgumentValueError
from ...errors.foreign import is_torch
from ...ops.creation import from_numpy
from ...scene import Figure, Frame, Link, Links, Scene, Shape, draw
from ...tensor import Tensor
from ...tensor.gradmode import no_grad
from ..words.sentences import listed, many
from .watch import array

LEVELS, WIDE, CELLS = 5, 14.0, 48
"""The shades of weights, the size of a cell, and the most cells of a row or column; of more the first are drawn."""

GRID, SIDE, PICTURES, PIXEL = 32, 320.0, 12, 5.0
"""The squares of a boundary along an axis, its size, the most pictures, and the size of a pixel."""


def weights(model: Any, names: Mapping[str, Tensor], title: str) -> Figure:
    """Shows the weights of a kept step as cells: the larger, the darker; those below 0 have a dot.

    Args:
        model: the model, with the weights of then. names: the tensors behind the loss. title: the title.
    """
    shapes: list[Shape] = []
    links, rows, y = {}, [], 24.0
    for name, p in model.named_parameters():
        if not p.numel():
            continue
        cells = np.atleast_2d(array(p))
        cells = cells.reshape(len(cells), -1)[:CELLS, :CELLS]
        some = cells[np.isfinite(cells)]
        most = float(np.abs(some).max(initial=0)) or 1.0
        cut = f", the first {cells.shape[0]}·{cells.shape[1]} cells" if cells.size < p.numel() else ""
        shapes.append(draw.text(24, y, f"{name}  {tuple(p.shape)}", "mono strong", 18))
        id, y = f"w{len(links)}", y + 12
        paths: dict[str, list[str]] = {}
        for (i, j), value in np.ndenumerate(cells):
            if not np.isfinite(value):
                continue
            level = f"shade{min(LEVELS, int(abs(value) / most * LEVELS)) + 1}"
            box = f"M{24 + WIDE * j:g} {y + WIDE * i:g}h{WIDE - 1}v{WIDE - 1}h-{WIDE - 1}z"
            paths.setdefault(level, []).append(box)
            if value < 0:
                paths.setdefault("below", []).append(f"M{30 + WIDE * j:g} {y + 6 + WIDE * i:g}h2v2h-2z")
        for cls, boxes in sorted(paths.items()):
            shapes.append(Shape("path", "", ("mark",) if cls == "below" else ("heat", cls), (("d", "".join(boxes)),)))
        high = WIDE * len(cells)
        box = (("x", 24), ("y", y), ("width", WIDE * cells.shape[1]), ("height", high))
        shapes.append(Shape("rect", id, ("touch",), box))
        links[id] = Link((id,), (f"{name}{cut}: {_range(some)}{_lost(cells.size - some.size)}.",))
        rows.append((id,))
        y += high + 32
    count = sum(p.numel() for p in model.parameters())
    frame = Frame(f"{many(count, 'weight')} of {listed([name for name, _ in model.named_parameters()], 4)}.")
    return Figure(Scene(title, 860, y, tuple(shapes), (frame,), (Links((0,), links),), (tuple(rows),)))


def _range(some: np.ndarray) -> str:
    """The least and the greatest of finite numbers in words."""
    return f"from {some.min():.3g} to {some.max():.3g}; a dot is below 0" if some.size else "no finite number"


def _lost(count: int) -> str:
    """The count of numbers that are infinite or nan in words, if there are any."""
    return f"; empty: {many(count, 'cell')} of nan or inf" if count else ""


def predictions(model: Any, names: Mapping[str, Tensor], title: str) -> Figure:
    """Shows what the model of a kept step says: of two inputs the boundary between classes, of pictures their classes.

    Raises:
        ValueError: the batch is neither.
    """
    batch = [x for name, x in names.items() if name != "loss" and not name.startswith("model.")]
    x = next((x for x in batch if x.is_floating_point() and x.numel() and np.isfinite(array(x)).all()), None)
    y = next((x for x in batch if not x.is_floating_point() and x.ndim == 1), None)
    if x is not None and x.ndim == 2 and x.shape[1] == 2:
        return Figure(_boundary(model, array(x), y, title))
    if x is not None and x.ndim in (3, 4) and max(x.shape[-2:]) <= 32 and (x.ndim == 3 or x.shape[1] == 1):
        return Figure(_pictures(model, x, y, title))
    raise ArgumentValueError(f"a batch of {listed([f'{tuple(x.shape)}' for x in batch])}",
                             "a boundary is drawn of two inputs, and predictions of small pictures, both of finite "
                             "numbers", "show.op")  # fmt: skip


def _classes(model: Any, x: np.ndarray) -> np.ndarray:
    """The class that a model gives each row: of one score whether it is above 0."""
    p = next(model.parameters())
    with no_grad():
        scores = array(model.eval()(maker(p)(np.ascontiguousarray(x)).to(p.dtype)))
    scores = scores.reshape(len(x), -1)
    return (scores[:, 0] > 0).astype(int) if scores.shape[1] == 1 else scores.argmax(1)


def _boundary(model: Any, x: np.ndarray, y: Any, title: str) -> Scene:
    """The classes on a plane, in shades, and the points of the batch with their own class as a letter."""
    low, high = x.min(0), x.max(0)
    margin = (high - low).max() * 0.1 + 1e-6
    low, high = low - margin, high + margin
    steps = (np.arange(GRID) + 0.5) / GRID
    plane = np.stack(np.meshgrid(*(low[k] + steps * (high[k] - low[k]) for k in (0, 1))), -1).reshape(-1, 2)
    found, each = _classes(model, plane), SIDE / GRID
    shapes = []
    for k in range(int(found.max()) + 1):
        boxes = (f"M{24 + each * (n % GRID):g} {24 + SIDE - each * (n // GRID + 1):g}h{each:g}v{each:g}h-{each:g}z"
                 for n in np.flatnonzero(found == k))
        shapes.append(Shape("path", "", ("heat", f"shade{min(6, 2 * k)}"), (("d", "".join(boxes)),)))
    own, links, right = y.tolist() if y is not None else [0] * len(x), {}, _classes(model, x)
    for n, (point, k) in enumerate(zip(x[:200], own, strict=False)):
        at = 24 + SIDE * (point - low) / (high - low)
        shapes.append(draw.text(round(float(at[0]), 1), round(float(48 + SIDE - at[1] + 5), 1), str(k), "mono strong",
                                14, "middle", id=f"p{n}"))  # fmt: skip
        said = "and is said to be" if y is None or right[n] == k else "and is said to be, wrongly,"
        links[f"p{n}"] = Link((f"p{n}",), (f"Point {n} is of class {k}, {said} {right[n]}.",))
    hits = f", {int((right == np.array(own)).sum())} of {len(x)} right" if y is not None else ""
    frame = Frame(f"Each shade is a class that the model gives there, each number a point and its class{hits}.")
    return Scene(title, 860, SIDE + 56, tuple(shapes), (frame,), (Links((0,), links),), ((tuple(links),),))


def _pictures(model: Any, x: Tensor, y: Any, title: str) -> Scene:
    """The first pictures of the batch, under each what the model says."""
    found, shapes, links = _classes(model, array(x)), [], {}
    images = array(x).reshape(len(x), *x.shape[-2:])[:PICTURES]
    high, wide = images.shape[1:]
    size = max(2.0, min(PIXEL * 2, 110 / max(high, wide)))
    for n, image in enumerate(images):
        left, top = 24 + (n % 6) * 136, 24 + (n // 6) * (size * high + 56)
        spread = float(image.max() - image.min()) or 1.0
        paths: dict[int, list[str]] = {}
        for (i, j), value in np.ndenumerate((image - image.min()) / spread):
            paths.setdefault(min(6, int(value * 7)), []).append(
                f"M{left + size * j:g} {top + size * i:g}h{size:g}v{size:g}h-{size:g}z")  # fmt: skip
        shapes += [Shape("path", "", ("heat", f"shade{k}"), (("d", "".join(boxes)),)) for k, boxes in paths.items()]
        own = None if y is None else int(y[n])
        wrong = own is not None and own != found[n]
        text = f"{found[n]}, not {own}" if wrong else str(found[n])
        look = "mono warn strong" if wrong else "mono"
        shapes.append(draw.text(left, top + size * high + 22, text, look, 18, id=f"p{n}"))
        links[f"p{n}"] = Link((f"p{n}",), (f"Picture {n} is said to be {text}.",))
    rows = -(-len(images) // 6)
    hits = "" if y is None else f"; {int((found == y.numpy()).sum())} of {len(x)} in the batch are right"
    frame = Frame(f"Under each picture stands the class that the model gives it{hits}.")
    return Scene(title, 860, 24 + rows * (size * high + 56), tuple(shapes), (frame,), (Links((0,), links),),
                 ((tuple(links),),))  # fmt: skip


def as_it_was(model: Any, weights: Mapping[int, np.ndarray]) -> Any:
    """Returns a copy of a model with the weights and buffers of then."""
    copy = deepcopy(model)
    held, owns = ((*one.parameters(), *one.buffers()) for one in (model, copy))
    for p, own in zip(held, owns, strict=True):
        if id(p) in weights:
            own.detach().copy_(maker(own)(np.array(weights[id(p)])))
    return copy


def maker(x: Any) -> Callable[[np.ndarray], Any]:
    """The function that makes a tensor of an array, of the library that a tensor is of."""
    return modules["torch"].from_numpy if is_torch(x) else from_numpy


OF_MODELS = {"w": ("weights", weights), "p": ("predictions", predictions)}
"""By key the label and the function of a figure of a model as it was."""
