"""A graph too large for the page: a window that moves with the telling, and a map of all."""

from collections.abc import Container, Iterable, Mapping, Sequence

from ...scene import Shape, draw
from ...scene.measure import width
from .dag import LEFT, TOP, WIDEST, Dag

MAP, AIR, BEGINS = 24, 14, TOP + 36
"""The height of the map; room around the graph within the window; where the window begins, below the map."""

ALL = "whole graph"
"""What stands beside the map."""

MOVES = ("world", "transform"), ("win", "transform"), ("before", "text"), ("beyond", "text")
"""What a state sets to move the window: the graph, its frame on the map, and whether the graph goes on at a side."""

Spans = Sequence[tuple[float, float]]


class Window:
    """The window, and the map of nodes as marks, on which a frame shows where the window is.

    A state moves the window by setting `MOVES`; marks have ids that begin `m`. What is seen
    through the window is the group `view`.

    Attributes:
        bottom: where the window ends.
    """

    def __init__(self, dag: Dag, numbers: Mapping[str, int], tall: float):
        self.dag, self.numbers = dag, numbers
        self.known: dict[tuple[str, ...], tuple[float, float]] = {}
        self.w, self.h = WIDEST - LEFT, min(tall, dag.bottom + 2 * AIR)
        self.bottom = BEGINS + self.h
        self.left = LEFT + round(width(ALL, draw.LABEL)) + 12
        self.scale = (WIDEST - self.left) / max(dag.right, self.w), min(1.0, MAP / dag.bottom)
        self.top = round(BEGINS - 8 - dag.bottom * self.scale[1], 1)

    def draw(self, shapes: Iterable[Shape], grad: Container[str] = ()) -> tuple[Shape, ...]:
        """The drawn part of the graph in its window, and the map.

        The map has marks for nodes that have a gradient.
        """
        at = (("x", LEFT), ("y", BEGINS), ("width", self.w), ("height", self.h))
        ground = Shape("rect", "", ("panel",), (*at, ("rx", 8)))
        begin = self.onto(next(iter(self.dag.places)))
        world = Shape("g", "world", (), (("transform", begin["world", "transform"]),), tuple(shapes))
        across, down = self.scale
        high = round(min(self.h, self.dag.bottom) * down, 1)
        seen = (("width", round(self.w * across, 1)), ("height", high), ("rx", 3))
        win = Shape("rect", "win", ("win",), (*seen, ("transform", begin["win", "transform"])))
        middle = BEGINS + self.h / 2 + 5
        sides = ((LEFT - 12, "before"), (WIDEST + 12, "beyond"))
        more = (draw.text(x, middle, begin[id, "text"], "muted", draw.NUMBER, "middle", id) for x, id in sides)
        view = draw.group("view", *more, ground, Shape("svg", "", ("window",), at, (world,)))
        named = draw.text(LEFT, BEGINS - 14, ALL, "muted")
        return view, draw.group("map", named, *self._marks(grad)), win

    def _marks(self, grad: Container[str]) -> Iterable[Shape]:
        (across, down) = self.scale
        for id, box in self.dag.places.items():
            x, y = round(self.left + box.x * across, 1), round(self.top + box.y * down, 1)
            size = (("width", round(max(4.0, box.w * across - 1), 1)), ("height", round(max(4.0, box.h * down), 1)))
            cls = ("mark", "grad") if id in grad else ("mark",)
            yield Shape("rect", f"m{self.numbers[id]}", cls, (("x", x), ("y", y), *size, ("rx", 1)))

    def onto(self, *ids: str) -> dict[tuple[str, str], str]:
        """The settings of a state that has nodes in the window: all that fit, else the first."""
        if ids not in self.known:
            boxes = [self.dag.places[id] for id in ids]
            x = _start([(b.x, b.x + b.w) for b in boxes], self.w, self.dag.right)
            spans = [(b.x, b.x + b.w) for b in boxes]
            if max(b for _, b in spans) - min(a for a, _ in spans) > self.w - 2 * AIR:
                spans = spans[:1]
            ends, columns = (-AIR, self.dag.right + AIR), [(b.x, b.x + b.w) for b in self.dag.places.values()]
            x = _whole(x, ends, self.w, spans, columns) if self.dag.right > self.w else x
            near = [b for b in self.dag.places.values() if x - b.w < b.x < x + self.w]
            spans = [(b.y, b.y + b.h) for b in boxes]
            y = _start(spans, self.h, self.dag.bottom)
            y = _whole(y, (-AIR, self.dag.bottom + AIR), self.h, spans, [(b.y, b.y + b.h) for b in near])
            self.known[ids] = x, y
        x, y = self.known[ids]
        goes_on = ("⋯" * (x > 0), "⋯" * (x + self.w < self.dag.right))
        return dict(zip(MOVES, (self._place(x, y), self._spot(x, y), *goes_on), strict=True))

    @staticmethod
    def _place(x: float, y: float) -> str:
        return draw.place(round(-x, 1), round(-y, 1))

    def _spot(self, x: float, y: float) -> str:
        across, down = self.scale
        x, y = max(0.0, min(x, self.dag.right - self.w)), max(0.0, min(y, self.dag.bottom - self.h))
        return draw.place(round(self.left + x * across, 1), round(self.top + y * down, 1))


def _start(spans: Spans, room: float, whole: float) -> float:
    """The start of a window of a given size that has spans in its middle and stays within the whole."""
    low, high = min(a for a, _ in spans), max(b for _, b in spans)
    if high - low > room - 2 * AIR:
        low, high = spans[0]
    if whole + 2 * AIR <= room:
        return (whole - room) / 2
    return max(-AIR, min((low + high - room) / 2, whole + AIR - room))


def _whole(start: float, ends: tuple[float, float], room: float, wanted: Spans, boxes: Spans) -> float:
    """The start of a window near `start` that cuts few boxes, and none that is wanted.

    >>> _whole(10, (-14, 200), 100, [(40, 60)], [(0, 20), (40, 60), (70, 90)])
    -1
    """
    low = min(max(*(b - room for _, b in wanted), ends[0]), start)
    high = max(min(*(a for a, _ in wanted), ends[1] - room), start)

    def cuts(y: float) -> int:
        return sum((a < y < b) + (a < y + room < b) for a, b in boxes)

    tries = dict.fromkeys((start, low, high, *(a - 1 for a, _ in boxes), *(b + 1 - room for _, b in boxes)))
    near = sorted((y for y in tries if low <= y <= high), key=lambda y: abs(y - start))
    for y in near:
        if not cuts(y):
            return y
    return min(near, key=cuts)
