"""The bytes that a graph keeps for backward: operation by operation more forward, and fewer on the way back."""

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from math import ceil
from typing import Any, NamedTuple

from ...backends import backend
from ...ir.reader import in_order
from ...ir.torch_names import name as op_name
from ...scene import Figure, Frame, Link, Links, Scene, Shape, draw
from ...scene.measure import shorten
from ...tensor import AccumulateGrad, Paths, Tensor, history_of
from ..kit.axes import Axis, across
from ..words.sentences import many

MOST = 150
"""The most operations of each half that have a bar; of more those are left out first that keep nothing."""

LEFT, RIGHT, TOP, TALL = 112, 640, 32, 240
"""The edges of the plot, and its height."""


class Moment(NamedTuple):
    """An operation by name and module, the bytes that it keeps or lets go, and those kept after it."""

    name: str
    place: str
    change: int
    kept: int


def memory(loss: Tensor, *, names: Mapping[str, Tensor], title: str) -> Figure:
    """Shows the bytes that are kept for backward while a step runs forward, and back again.

    What has a name is there anyway, and does not count: weights, a batch. What two operations keep counts once.

    Args:
        loss: a tracked tensor, whose graph was not freed. names: the tensors that the program has. title: the title.
    """
    return Figure(Picture(moments(loss, names.values()), title).scene())


def moments(loss: Tensor, there: Iterable[Tensor]) -> tuple[list[Moment], list[Moment]]:
    """Returns what each operation keeps for backward forward, and what each lets go backward, in their orders."""
    free = {id(backend.memory_of(x._a)) for x in there}
    nodes = [node for node in in_order([history_of(loss)]) if type(node) is not AccumulateGrad]
    saved = {node: {key: size for key, size in _saved(node) if key not in free} for node in nodes}
    first: dict[int, Any] = {}  # which is the last that backward comes to
    for node in nodes:
        for key in saved[node]:
            first.setdefault(key, node)
    paths, kept = Paths(), 0
    halves: tuple[list[Moment], list[Moment]] = [], []
    for half, sign, order in ((halves[0], 1, nodes), (halves[1], -1, nodes[::-1])):
        for node in order:
            change = sign * sum(size for key, size in saved[node].items() if first[key] is node)
            kept += change
            half.append(Moment(op_name(node.op, node), paths.of(paths.around(node.number)), change, kept))
    return halves


def _saved(node: Any) -> Iterator[tuple[int, int]]:
    """The memories that a node holds until backward comes, each with its size in bytes."""
    parts = [part for x in node.saved or () for part in (x if isinstance(x, tuple | list) else (x,))]
    for x in parts:
        array = x._a if isinstance(x, Tensor) else x
        if isinstance(array, backend.Array):
            memory = backend.memory_of(array)
            yield id(memory), int(getattr(memory, "nbytes", array.nbytes))


def drawn(half: list[Moment]) -> list[Moment]:
    """Returns the moments of a half that have a bar.

    >>> many = [Moment("exp", "", k % 2, k) for k in range(1000)]
    >>> len(drawn(many)), len(drawn(many[:90])), drawn(many)[0].kept
    (125, 90, 1)
    """
    some = half if len(half) <= MOST else [moment for moment in half if moment.change]
    return some[:: max(1, ceil(len(some) / MOST))]


class Picture:
    """The parts of the picture."""

    def __init__(self, halves: tuple[list[Moment], list[Moment]], title: str):
        self.halves, self.title = halves, title
        self.bars = [(sign, moment) for sign, half in zip((1, -1), halves, strict=True) for moment in drawn(half)]
        self.peak = max((moment.kept for moment in halves[0]), default=0)

    @cached_property
    def up(self) -> Axis:
        """The bytes."""
        return Axis(0, max(1, self.peak), TOP + TALL, TOP)

    def places(self) -> Iterator[tuple[float, float]]:
        """The left edge and the width of each bar."""
        wide = (RIGHT - LEFT) / max(1, len(self.bars))
        for n in range(len(self.bars)):
            yield round(LEFT + n * wide, 1), max(1, round(wide - (wide > 4), 1))

    def scene(self) -> Scene:
        """The whole picture: a frame an operation, forward and then back."""
        ids = tuple(f"m{n}" for n in range(len(self.bars)))
        frames = tuple(Frame(self.sentence(*bar), link=id) for id, bar in zip(ids, self.bars, strict=True))
        highest = next(n for n, (_, moment) in enumerate(self.bars) if moment.kept == max(m.kept for _, m in self.bars))
        note = f"{many(len(self.halves[0]), 'operation')}, {self.peak:,} bytes at most"
        shapes = (*across(self.up, LEFT, RIGHT), *self.curve(), *self.beside(), *self.columns())
        return Scene(self.title, draw.RIGHT + 24, TOP + TALL + 48, shapes, frames, (self.links(),), ((ids,),),
                     still=highest, note=note)  # fmt: skip

    def curve(self) -> Iterator[Shape]:
        """A bar for each operation, as high as what is kept after it."""
        for sign, cls in ((1, "shade5"), (-1, "shade2")):
            boxes = (f"M{x:g} {self.up.at(moment.kept):g}h{w:g}V{TOP + TALL}h-{w:g}z"
                     for (x, w), (way, moment) in zip(self.places(), self.bars, strict=True) if way == sign)
            yield Shape("path", "", ("heat", cls), (("d", "".join(boxes)),))
        middle = LEFT + (RIGHT - LEFT) * len([1 for way, _ in self.bars if way == 1]) / len(self.bars)
        yield draw.text(24, TOP - 8, "bytes", "strong", 18)
        yield draw.text(LEFT, TOP + TALL + 24, "forward", "muted", 14)
        yield draw.text(middle, TOP + TALL + 24, "backward", "muted", 14)

    def beside(self) -> Iterator[Shape]:
        """The numbers of one moment."""
        x = RIGHT + 24
        yield draw.text(x, TOP + 26, "", "mono strong", 24, id="kept")
        yield draw.text(x, TOP + 52, "bytes are kept", "muted", 14)
        yield draw.text(x, TOP + 90, "", "mono", 18, id="name")
        yield draw.text(x, TOP + 112, "", "mono muted", 14, id="place")
        yield draw.text(x, TOP + 146, "", "mono", 18, id="change")

    def columns(self) -> Iterator[Shape]:
        """The cursor, and a place to point at for each bar."""
        line = Shape("path", "", ("cursor",), (("d", f"M0 {TOP - 10}V{TOP + TALL}"),))
        yield draw.group("cursor", line, at=(LEFT, 0))
        for n, (x, w) in enumerate(self.places()):
            box = (("x", x), ("y", TOP - 10), ("width", w), ("height", TALL + 10))
            yield Shape("rect", f"m{n}", ("touch",), box)

    def links(self) -> Links:
        """The links of the bars: their sentences, numbers and places."""
        parts = ("cursor", "transform"), ("kept", "text"), ("name", "text"), ("place", "text"), ("change", "text")
        links = {}
        for n, ((x, w), (sign, moment)) in enumerate(zip(self.places(), self.bars, strict=True)):
            room = draw.RIGHT - RIGHT - 24
            texts = (draw.place(round(x + w / 2, 1), 0), f"{moment.kept:,}", shorten(moment.name, room, 18, mono=True),
                     shorten(moment.place, room, 14, mono=True), f"{moment.change:+,}")
            links[f"m{n}"] = Link((f"m{n}",), (*texts, self.sentence(sign, moment)))
        return Links((5,), links, {part: (k,) for k, part in enumerate(parts)})

    @staticmethod
    def sentence(sign: int, moment: Moment) -> str:
        """An operation in words, and what it keeps or lets go."""
        where = f" of {moment.place}" if moment.place else ""
        if sign > 0:
            new = f"it keeps {many(moment.change, 'byte')} for backward" if moment.change else "it keeps nothing new"
            return f"Forward, {moment.name}{where}: {new}; {moment.kept:,} in all."
        gone = f"{many(-moment.change, 'byte')} are let go" if moment.change else "nothing is let go"
        return f"Backward, {moment.name}{where}: {gone}; {moment.kept:,} in all."
