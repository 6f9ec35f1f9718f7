"""Two figures to play with: how a shape, strides and an offset read a storage, and which shapes broadcast."""

import ast
from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from math import prod
from typing import Any

import numpy as np
import traitlets

from ..errors import ArgumentTypeError, ArgumentValueError, StorageBoundsError
from ..errors.foreign import kind_of
from ..layout import broadcast_shapes, flat_index
from ..scene import Figure, Frame, Look, Scene, Shape
from ..show.broadcast.figure import figure_of as figure_of_grids
from ..show.kit.shapes import scene_of as scene_of_shapes
from ..show.source import Source, source_of
from ..show.strides.figure import scene_of as scene_of_strides
from ..show.words.caller import caller_text
from ..show.words.given import named, one_name
from ..show.words.sentences import listed, many
from ..tensor import Tensor
from .base import Control, Widget
from .typed import plain

CELLS, RANK = 256, 5
"""The most cells, and the most axes, that are played with."""

BUTTONS = "transpose", "slice", "expand", "view", "unfold", "start again"


class NotWholeError(ArgumentTypeError, traitlets.TraitError):
    """An error: a part of a layout is not made of whole numbers."""


class Whole(traitlets.Int):
    """A whole number, as an input that is set."""

    rule, write = "is one whole number", "2"

    def error(self, obj: Any, value: Any, error: Exception | None = None, info: str | None = None):
        where = f"{value!r:.40} in {self.name}" if error else f"{self.name} = {value!r:.40}"
        write = f"playground.{self.name} = {self.write}"
        raise NotWholeError(f"{where}, of type {kind_of(value)}", f"{self.name} {self.rule}", write, value=value)


class Wholes(traitlets.List):
    """Whole numbers, one for each axis."""

    rule, write, error = "is a list of whole numbers, one for each axis", "[4, 1]", Whole.error


class StridesPlayground(Widget):
    """A storage, read through a shape, strides and an offset that one changes by hand.

    What would be read past the end of the storage is shown as cells without a number; no tensor is built then.

    Attributes:
        shape, stride, offset: the layout, in elements. tensor: the view that it is; None where it leaves the storage.

    Raises:
        TypeError: not a rustyflow tensor.

    Example:
        >>> import rustyflow as rf
        >>> widget = StridesPlayground(rf.arange(12).view(3, 4), name="x")
        >>> widget.press("transpose")
        >>> widget.shape, widget.stride, widget.tensor.shape
        ([4, 3], [1, 4], rustyflow.Size([4, 3]))
        >>> widget.offset = 3
        >>> widget.tensor is None, widget.figure.sentences[0]
        (True, '3 cells would read slots 12, 13 and 14; the storage has slots 0 to 11.')
    """

    shape = Wholes(traitlets.Int()).tag(sync=True)
    stride = Wholes(traitlets.Int()).tag(sync=True)
    offset = Whole().tag(sync=True)

    def __init__(self, x: Tensor, *, name: str | None = None):
        (self._name,) = named(one_name(name, None), [x], caller_text((x,)).names([x]))
        if not isinstance(x, Tensor):
            rule = "what is read through other strides is a tensor of rustyflow's"
            raise ArgumentTypeError(f"{self._name}, of type {kind_of(x)}", rule, "rustyflow.tensor(...) of it", value=x)
        self._x, self._source = x, source_of(x, self._name)
        self._first = self._source.shape, self._source.stride, self._source.offset
        super().__init__(shape=list(x.shape), stride=list(x.stride()), offset=x.storage_offset())

    @property
    def tensor(self) -> Tensor | None:
        """The view that the layout is, or None where it leaves the storage."""
        try:
            slots = self._slots()
        except ArgumentValueError:
            return None
        if slots and not 0 <= min(slots) <= max(slots) < self._source.size:
            return None
        return self._x.as_strided(tuple(self.shape), tuple(self.stride), self.offset)

    def _slots(self) -> list[int]:
        """The slot of each cell, in the order of the cells."""
        was = f"shape {self.shape}, stride {self.stride}"
        if len(self.shape) != len(self.stride):
            raise ArgumentValueError(was, "each axis has a size and a stride", "lists of one length")
        if len(self.shape) > RANK or min(self.shape, default=0) < 0:
            raise ArgumentValueError(was, f"at most {RANK} axes, of sizes from 0 on, are played with", "fewer axes")
        if prod(self.shape) > CELLS:
            raise ArgumentValueError(f"{prod(self.shape):,} cells", f"at most {CELLS} are played with", "smaller sizes")
        return [flat_index(cell, self.stride, self.offset) for cell in product(*map(range, self.shape))]

    def make(self) -> Figure:
        slots, stored = self._slots(), self._source.size
        if slots and min(slots) < 0:
            raise StorageBoundsError(f"slot {min(slots)}", "the storage begins at slot 0", "a larger offset")
        if slots and max(slots) > stored + CELLS:
            raise StorageBoundsError(f"slot {max(slots):,}", f"the storage ends at {stored - 1}", "smaller strides")
        size = max([stored, *(slot + 1 for slot in slots)])

        def read(asked: Sequence[int]) -> list[Any]:
            known = iter(self._source.read([slot for slot in asked if slot < stored]))
            return [next(known) if slot < stored else "?" for slot in asked]

        layout = tuple(self.shape), tuple(self.stride), self.offset
        source = Source(
            self._name, *layout, self._source.dtype, self._source.storage, size, read, lambda: np.zeros(layout[0])
        )
        title = f"{self._name}.as_strided({', '.join(map(str, layout))})"
        scene = scene_of_strides([source], title=title, also={source.storage: [self._name]})
        return Figure(self._haunted(scene, slots, stored) if size > stored else scene)

    def _haunted(self, scene: Scene, slots: list[int], stored: int) -> Scene:
        """The scene with what lies past the storage marked, and said first."""
        lost = [n for n, slot in enumerate(slots) if slot >= stored]
        past = sorted({slots[n] for n in lost})
        ids = [f"a{n}" for n in lost] + [f"s{slot}" for slot in range(stored, past[-1] + 1)]
        drawn_ids = tuple(id for id in ids if id in scene.index)
        ghost, lit = Look({"virtual": drawn_ids, "-value": tuple(ids[: len(lost)])}), Look({"lit": drawn_ids})
        which = f"{'slots' if len(past) > 1 else 'slot'} {listed(list(map(str, past)))}"
        would = f"{many(len(lost), 'cell')} would read {which}"
        sentence = f"{would}; the storage has slots 0 to {stored - 1}."
        size, kind = past[-1] + 1, self._source.dtype
        drawn = tuple(_said(shape, f"{size} {kind} number", f"{stored} {kind} number") for shape in scene.shapes)
        return replace(scene, shapes=drawn, frames=(Frame(sentence, (ghost, lit)),), still=0)

    def note(self) -> str:
        slots = self._slots()
        gone = slots and max(slots) >= self._source.size
        return f"Not a tensor: a read leaves the storage, so none was built.{self._fitting()}" if gone else ""

    def _fitting(self) -> str:
        """The largest smaller stride with which all would fit."""
        size = self._source.size
        for dim in sorted(range(len(self.shape)), key=lambda d: -self.stride[d]):
            rest = self.offset + sum((n - 1) * s for d, (n, s) in enumerate(zip(self.shape, self.stride, strict=True))
                                     if d != dim and s > 0)  # fmt: skip
            most = (size - 1 - rest) // max(1, self.shape[dim] - 1)
            if 0 < most < self.stride[dim]:
                return f" With stride[{dim}] = {most} all {prod(self.shape)} would fit."
        return ""

    def controls(self) -> list[Control]:
        size, sliders = max(2, self._source.size), []
        for dim in range(len(self.shape)):
            sliders.append(Control("range", f"shape[{dim}]", "shape", dim, 0, max(size, self.shape[dim])))
            low, high = min(0, *self.stride), max(size, *self.stride)
            sliders.append(Control("range", f"stride[{dim}]", "stride", dim, low, high))
        sliders.append(Control("range", "offset", "offset", None, 0, max(size, self.offset)))
        return sliders + [Control("button", name, press=name) for name in BUTTONS]

    def press(self, name: str) -> None:
        """Does to the layout what a button says: a view of the view.

        Raises:
            ViewError (a RuntimeError): a flat view that the strides do not allow; it names the axes that cannot merge.
            ValueError: no such button.
        """
        shape, stride, offset = list(self.shape), list(self.stride), self.offset
        if name == "transpose":
            shape, stride = shape[::-1], stride[::-1]
        elif name == "slice" and shape and shape[0] > 1:
            shape[0], offset = shape[0] - 1, offset + stride[0]
        elif name == "expand" and len(shape) < RANK:
            shape, stride = [2, *shape], [0, *stride]
        elif name == "unfold" and shape and shape[-1] > 1 and len(shape) < RANK:
            shape, stride = [*shape[:-1], shape[-1] - 1, 2], [*stride, stride[-1]]
        elif name == "view" and (tensor := self.tensor) is not None:
            flat = tensor.view(-1)
            shape, stride, offset = list(flat.shape), list(flat.stride()), flat.storage_offset()
        elif name == "start again":
            shape, stride, offset = list(self._first[0]), list(self._first[1]), self._first[2]
        elif name not in BUTTONS:
            rule = f"the buttons are {', '.join(BUTTONS)}"
            raise ArgumentValueError(f"press({name!r:.40})", rule, "press('transpose')")
        with self.together():
            self.shape, self.stride, self.offset = shape, stride, offset


class BroadcastPlayground(Widget):
    """Two or three shapes, typed: what each column says, the grids where they meet, what would fit where they clash.

    Attributes:
        shapes: as they are typed, such as "(3, 1)". result: the shape they meet in; None where they
        clash, or are none.

    Raises:
        ValueError: fewer than two shapes, or more than three.

    Example:
        >>> widget = BroadcastPlayground((3, 1), (4,))
        >>> widget.result
        (3, 4)
        >>> widget.shapes = ["3, 4", "3"]
        >>> widget.result, widget.figure.scene.title
        (None, 'a + b')
    """

    shapes = traitlets.List(traitlets.Unicode()).tag(sync=True)
    op = traitlets.Enum(("+", "*", "-", "maximum"), "+").tag(sync=True)

    def __init__(self, *shapes: Sequence[int] | str):
        if not 2 <= len(shapes) <= 3:
            was, write = f"{len(shapes)} shapes", "BroadcastPlayground((3, 1), (4,))"
            raise ArgumentValueError(was, "two or three shapes meet", write)
        self._drawn = [shape if isinstance(shape, str) else str(tuple(shape)) for shape in shapes]
        super().__init__(shapes=self._drawn)

    @property
    def result(self) -> tuple[int, ...] | None:
        """The shape that the shapes meet in, or None."""
        try:
            return broadcast_shapes(*map(_shape, self.shapes)) if len(self.shapes) > 1 else None
        except (RuntimeError, ValueError):
            return None

    def make(self) -> Figure:
        read = [_shape(text) for text in self.shapes]
        if not 2 <= len(read) <= 3:
            raise ArgumentValueError(f"{len(read)} shapes", "two or three shapes meet", '["3, 1", "4"]')
        names, result = "abc"[: len(read)], self.result
        if result is None or len(result) > 4 or prod(result) > CELLS:
            return Figure(scene_of_shapes(read, self.op, names))
        tens = reversed(range(len(read)))
        pairs = zip(tens, read, strict=True)
        arrays = [np.asarray(np.arange(1.0, prod(shape) + 1).reshape(shape) * 10**k) for k, shape in pairs]
        sources = [source_of(x, name) for x, name in zip(arrays, names, strict=True)]
        return figure_of_grids(sources, self.op, backward=False)

    def opens_at(self) -> int:
        """Other shapes are seen from the first step on, which shows what they come to; another operation as before."""
        before, self._drawn = self._drawn, list(self.shapes)
        return self.frame if before == self._drawn else 0

    def stays(self) -> str:
        """Returns the shapes that are drawn: a shape that is being typed has been others on the way."""
        drawn = zip("abc", map(_shape, self._drawn), strict=False)
        return f"The figure shows what could be read last: {', '.join(f'{name} of {shape}' for name, shape in drawn)}."

    def controls(self) -> list[Control]:
        fields = [Control("text", f"{name} has shape", "shapes", k) for k, name in enumerate("abc"[: len(self.shapes)])]
        return [*fields, Control("choice", "op", "op", options=("+", "*", "-", "maximum"))]


def _said(shape: Shape, was: str, now: str) -> Shape:
    """A shape with other words in its texts."""
    inner = tuple(_said(child, was, now) for child in shape.children)
    return shape._replace(text=shape.text.replace(was, now), children=inner)


def _shape(text: str) -> tuple[int, ...]:
    """A shape as it is typed: `(3, 1)`, `3, 1`, `3`, or nothing for a number.

    >>> _shape("(3, 1)"), _shape("3, 1"), _shape("4"), _shape("")
    ((3, 1), (3, 1), (4,), ())
    """
    inside = plain(text, times=",").strip().removeprefix("(").removesuffix(")").strip().rstrip(",")
    try:
        sizes = ast.literal_eval(f"({inside},)") if inside and len(inside) <= 80 else ()
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        sizes = None
    fine = sizes is not None and all(type(n) is int and 0 <= n <= 10**9 for n in sizes) and len(sizes) <= 8
    if not fine or len(inside) > 80:
        rule = "a shape is up to eight whole numbers, with commas between"
        raise ArgumentValueError(f"{text[:40]!r}", rule, "(3, 1)")
    return sizes
