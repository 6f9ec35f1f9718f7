"""A computation graph drawn: a box for each node, arrows that follow the data, flowing to the right."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import inf, prod

from ...ir import Graph, Node
from ...ir.node import owner
from ...scene import Shape, draw
from ...scene.draw import LEFT
from ...scene.measure import width
from .layers import arrange

WIDEST = draw.WIDE - LEFT
"""How far to the right a graph that is drawn at once may go, and a window on a larger one goes."""

TOP, LOW = 12, draw.STAGE
"""Where graphs begin; the height of a figure."""

OPEN, LARGE = 40, 200
"""Up to so many nodes are drawn at once, and so many seen through a window; of a larger graph the text is shown, with
its middle left out."""


FACTOR = draw.LABEL
"""The font size of words on arrows."""

WIDE, NARROW = (48, 40), (34, 28, 20)
"""Room between columns, for words on the arrows or without."""


@dataclass(frozen=True, eq=False)
class Place:
    """A box: its corner and its size."""

    x: float
    y: float
    w: float
    h: float


class Dag:
    """The places of a graph's nodes, and its arrows.

    Attributes:
        places: for each node id its box. edges: for each arrow its id, the ids of the nodes it joins, and the
            operand's position. right, bottom: the corner opposite to where it begins.
    """

    def __init__(
        self, graph: Graph, size: Callable[[Node], tuple[float, float]], x: float = 0, y: float = 0,
        room: float = inf, down: float = 14, across: Sequence[float] = WIDE + NARROW,
    ):  # fmt: skip
        self.graph = graph
        ids = {node.id: k for k, node in enumerate(graph.nodes)}
        joined = [(owner(ref), user, k) for ref, user, k in graph.edges]
        pairs = [(ids[a], ids[b]) for a, b, _ in joined]
        sizes = [size(node) for node in graph.nodes]
        gaps = [(gap, min(WIDEST - LEFT, room)) for gap in across] + [(across[-1], room)]
        drawn = arrange(sizes, pairs, gaps, down)
        self.places = {
            node.id: Place(x + a, y + b, *sizes[k])
            for k, (node, (a, b)) in enumerate(zip(graph.nodes, drawn.places, strict=True))
        }
        self.edges = [(f"e{k}", *join) for k, join in enumerate(joined)]
        routes = [[(x + a, y + b) for a, b in route] for route in drawn.routes]
        self.ends = ends = self._ends()
        self.routes = [_straightened(route) for route in routes]
        self.paths = [_path(route, end) for route, end in zip(self.routes, ends, strict=True)]
        self.right, self.bottom = x + drawn.width, y + drawn.height
        self.marks: list[tuple[float, float, float]] = []  # on arrows: from where to where, and how low

    def _ends(self) -> list[float]:
        """The distance of each arrow's end from the middle of its box's side, in the arrows' order."""
        arriving: dict[str, list[int]] = {}
        for k, (_, _, user, _) in enumerate(self.edges):
            arriving.setdefault(user, []).append(k)
        ends = [0.0] * len(self.edges)
        for user, numbers in arriving.items():
            side = self.places[user].h
            numbers.sort(key=lambda k: (self._from(k), self.edges[k][3]))
            for n, k in enumerate(numbers, 1):
                ends[k] = round((n / (len(numbers) + 1) - 0.5) * min(side, 26 * (len(numbers) + 1)), 1)
        return ends

    def _from(self, k: int) -> float:
        box = self.places[self.edges[k][1]]
        return box.y + box.h / 2

    @cached_property
    def returns(self) -> list[str]:
        """The arrows the other way."""
        return [_path(route, end, back=True) for route, end in zip(self.routes, self.ends, strict=True)]

    def arrows(self, dashed: Callable[[str, str], bool] = lambda a, b: False) -> list[Shape]:
        """The arrows; dashed where `dashed(from, to)`."""
        return [
            Shape("path", id, ("edge", *(("dashed",) if dashed(a, b) else ())), (("d", d),))
            for (id, a, b, _), d in zip(self.edges, self.paths, strict=True)
        ]

    def beside(self, edge: str, texts: Sequence[str], id: str) -> Shape | None:
        """The first of some words that fits between the columns, on an arrow; None if none does.

        They stand where the arrow begins or ends, or beside it, where they are on no arrow and on no other words.
        """
        _, a, b, _ = self.edges[k := int(edge[1:])]
        source, user = self.places[a], self.places[b]
        before = max((p.x + p.w for p in self.places.values() if p.x + p.w <= user.x), default=0)
        text = next((w for w in texts if width(w, FACTOR, mono=True) <= user.x - before - 11), "")
        start, end = source.y + source.h / 2, user.y + user.h / 2 + self.ends[k]
        wide, gap = width(text, FACTOR, mono=True), source.x + source.w
        near = [point for one in self.lines for point in one if gap <= point[0] <= user.x]
        own = [point for point in self.lines[k] if gap <= point[0] <= user.x]
        spots = [(gap + 8, start + (-5 if end >= start else 14)), (user.x - 8 - wide, end - 5),
                 (user.x - 8 - wide, end + 14)]  # fmt: skip
        low, high = sorted((start, end))
        beside = [(x, low - 8 + 4 * n) for n in range(int((high - low) / 4) + 8)
                  for x in (before + 8, (before + user.x - wide) / 2, user.x - 8 - wide)]  # fmt: skip
        beside.sort(key=lambda at: min(abs(at[1] - 5 - b) + max(at[0] - a, a - at[0] - wide, 0) for a, b in own))
        free = (spot for spot in spots + beside if not _hit(spot, wide, near) and not any(
            abs(spot[1] - y) < FACTOR and left < spot[0] + wide and spot[0] < right for left, right, y in self.marks))
        x, y = next(free, (0.0, 0.0)) if text else (0.0, 0.0)
        if not y:
            return None
        self.marks.append((x, x + wide, y))
        return draw.text(round(x, 1), round(y, 1), text, "mono factor", FACTOR, id=id)

    @cached_property
    def lines(self) -> list[list[tuple[float, float]]]:
        """Points on each arrow, close together."""
        lines = []
        for route, end in zip(self.routes, self.ends, strict=True):
            points = [*route[:-1], (route[-1][0], route[-1][1] + end)]
            lines.append([_between(p, q, n / 24) for p, q in zip(points, points[1:], strict=False) for n in range(25)])
        return lines

    def into(self, id: str) -> list[str]:
        """The arrows of what a node reads."""
        return [edge for edge, _, b, _ in self.edges if b == id]

    def touching(self, id: str) -> list[str]:
        """The arrows into and out of a node."""
        return [edge for edge, a, b, _ in self.edges if id in (a, b)]

    def between(self, a: str, b: str, operand: int | None = None) -> str | None:
        """The arrow from one node to another."""
        return next((e for e, u, v, k in self.edges if (u, v) == (a, b) and operand in (None, k)), None)


def _straightened(points: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """Points without those in the middle of a straight piece."""
    inner = (b for a, b, c in zip(points, points[1:], points[2:], strict=False) if not a[1] == b[1] == c[1])
    return [points[0], *inner, points[-1]]


def _between(p: tuple[float, float], q: tuple[float, float], t: float) -> tuple[float, float]:
    """A point of the curve that `_path` draws from one point to the next."""
    s, bend = 1 - t, 3 * t * (1 - t)
    return (s**3 * p[0] + bend * (p[0] + q[0]) / 2 + t**3 * q[0], (s**3 + bend * s) * p[1] + (t**3 + bend * t) * q[1])


def _hit(spot: tuple[float, float], wide: float, points: Sequence[tuple[float, float]]) -> bool:
    """True if words on a baseline have one of some points under them."""
    x, low = spot
    return any(x - 2 < a < x + wide + 2 and low - 12 < b < low + 4 for a, b in points)


def _path(points: Sequence[tuple[float, float]], end: float, back: bool = False) -> str:
    """A smooth line through points that flow one way, with a head.

    It is `end` off the last point; the head is there, or at the start of one that goes `back`.
    """
    (x, y), (u, v) = points[-1], points[0]
    points = [*points[:-1], (x if back else x - 3, y + end)]
    if back:
        points = [(u + 3, v), *points[1:]][::-1]
    d = f"M{points[0][0]:g} {points[0][1]:g}"
    for (a, b), (u, v) in zip(points, points[1:], strict=False):
        middle = round((a + u) / 2, 1)
        d += f"L{u:g} {v:g}" if b == v else f"C{middle:g} {b:g} {middle:g} {v:g} {u:g} {v:g}"
    way = -7 if back else 7
    return d + f"m{-way} -4.5l{way} 4.5l{-way} 4.5"


def panel(w: float, h: float, cls: str = "", round_: float = 8) -> Shape:
    """The ground of a box or of a card."""
    return Shape("rect", "", ("panel", *cls.split()), (("width", w), ("height", h), ("rx", round_)))


def repeats(graph: Graph, node: Node) -> bool:
    """True if an expansion reads numbers again, rather than put axes of size 1 in front."""
    longer = ([n for n in one.shape or () if n != 1] for one in (node, graph[node.operands[0]]))
    return next(longer) != next(longer)


def repeated(graph: Graph, node: Node) -> list[str]:
    """The texts in the box of an expansion: how often each number is read, and how; or its shape."""
    if not repeats(graph, node):
        return ["read as", str(tuple(node.shape or ()))]
    return [f"×{prod(node.shape or ()) // max(1, prod(graph[node.operands[0]].shape or ()))}", "stride 0"]


def small_box(id: str, at: Place, lines: Sequence[str]) -> Shape:
    """The dashed box of an expansion."""
    texts = [draw.text(at.w / 2, 19 + 18 * k, line, "mono muted", draw.LABEL, "middle") for k, line in enumerate(lines)]
    return draw.group(id, panel(at.w, at.h, "node dashed", 4), *texts, at=(at.x, at.y))


def lines_of(lines: Sequence[str]) -> tuple[Shape, ...]:
    """The lines of text in place of a graph that is too large to draw."""
    return tuple(draw.text(LEFT, 24 + 24 * k, line, "mono", room=draw.RIGHT - LEFT) for k, line in enumerate(lines))


def room_for(*lines: str, size: float = draw.LABEL, most: float = 170) -> float:
    """The width of a box that holds monospaced lines, at most `most`."""
    return min(most, max(60.0, *(width(line, size, mono=True) * 1.04 + 20 for line in lines)))
