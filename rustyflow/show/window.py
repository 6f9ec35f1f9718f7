"""A graph too large for the page: a window on it, which moves with what is told, and above it a map of the whole."""

from collections.abc import Container, Iterable, Mapping

from ..scene import Shape, draw
from .dag import LEFT, RIGHT, Dag

MAP, AIR = 44, 14
"""The height of the map; room around the graph within the window, and between map and window."""


class Window:
    """The window, and the map of nodes as marks, on which a frame shows where the window is.

    A state moves the window by setting the transforms of `world` and `win`; marks have ids that begin `m`.

    Attributes:
        bottom: where the window ends.
    """

    def __init__(self, dag: Dag, numbers: Mapping[str, int], top: float, tall: float):
        self.dag, self.numbers, self.top = dag, numbers, top
        self.w, self.h = RIGHT - LEFT, min(tall, dag.bottom + 2 * AIR)
        self.scale = self.w / max(dag.right, self.w), min(1.0, MAP / dag.bottom)
        self.at = top + dag.bottom * self.scale[1] + AIR
        self.bottom = self.at + self.h

    def draw(self, shapes: Iterable[Shape], grad: Container[str] = ()) -> tuple[Shape, ...]:
        """What is drawn of the graph, in the window; and the map, with marks for nodes that have a gradient."""
        box = (("width", self.w), ("height", self.h))
        ground = Shape("rect", "", ("panel",), (("x", LEFT), ("y", round(self.at, 1)), *box, ("rx", 8)))
        at = (("x", LEFT), ("y", round(self.at, 1)), *box)
        world = Shape("g", "world", (), (("transform", self._place(0, 0)),), tuple(shapes))
        across, down = self.scale
        high = round(min(self.h, self.dag.bottom) * down, 1)
        seen = (("width", round(self.w * across, 1)), ("height", high), ("rx", 3), ("transform", self._spot(0, 0)))
        win = Shape("rect", "win", ("win",), seen)
        return ground, Shape("svg", "", ("window",), at, (world,)), draw.group("map", *self._marks(grad)), win

    def _marks(self, grad: Container[str]) -> Iterable[Shape]:
        (across, down) = self.scale
        for id, box in self.dag.places.items():
            x, y = round(LEFT + box.x * across, 1), round(self.top + box.y * down, 1)
            size = (("width", round(max(4.0, box.w * across - 1), 1)), ("height", round(max(4.0, box.h * down), 1)))
            cls = ("mark", "grad") if id in grad else ("mark",)
            yield Shape("rect", f"m{self.numbers[id]}", cls, (("x", x), ("y", y), *size, ("rx", 1)))

    def onto(self, *ids: str) -> dict[tuple[str, str], str]:
        """What a state sets to have nodes in the window: all of them where they fit, else the first of them."""
        boxes = [self.dag.places[id] for id in ids]
        x = _start([(b.x, b.x + b.w) for b in boxes], self.w, self.dag.right)
        y = _start([(b.y, b.y + b.h) for b in boxes], self.h, self.dag.bottom)
        return {("world", "transform"): self._place(x, y), ("win", "transform"): self._spot(x, y)}

    @staticmethod
    def _place(x: float, y: float) -> str:
        return draw.place(round(-x, 1), round(-y, 1))

    def _spot(self, x: float, y: float) -> str:
        across, down = self.scale
        x, y = max(0.0, min(x, self.dag.right - self.w)), max(0.0, min(y, self.dag.bottom - self.h))
        return draw.place(round(LEFT + x * across, 1), round(self.top + y * down, 1))


def _start(spans: list[tuple[float, float]], room: float, whole: float) -> float:
    """Where a window of a given size begins, to have spans in its middle and to show nothing beyond the whole."""
    low, high = min(a for a, _ in spans), max(b for _, b in spans)
    if high - low > room - 2 * AIR:
        low, high = spans[0]
    if whole + 2 * AIR <= room:
        return (whole - room) / 2
    return max(-AIR, min((low + high - room) / 2, whole + AIR - room))
