"""The layout of a graph in layers from left to right, with few crossings and straight long edges.

The classic four steps: ranks with short edges, dummy nodes on long edges, orders by medians and exchanges (all three
after Gansner, Koutsofios, North and Vo, "A technique for drawing directed graphs", 1993), and the coordinates of
`straight`. Pure Python, every tie broken by the order of the input: the same drawing on every machine.
"""

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from ...errors import ArgumentValueError
from .straight import coordinates

BUNDLE = 8
"""More long edges of one node than this go one way."""

Edge = tuple[int, int]
Point = tuple[float, float]
Layers = list[list[int]]


class Drawing(NamedTuple):
    """Places of nodes (top left corners), the points each edge goes through, and the extent of it all."""

    places: list[Point]
    routes: list[list[Point]]
    width: float
    height: float
    crossings: int


def arrange(
    sizes: Sequence[tuple[float, float]], edges: Sequence[Edge], across: float | Sequence[tuple[float, float]] = 48,
    down: float = 18,
) -> Drawing:  # fmt: skip
    """The places of nodes of the given sizes, so that every edge goes from left to right.

    Two edges may join the same nodes.

    Args:
        sizes: (width, height) of each node. edges: pairs (from, to); no cycles.
        across: room between columns; or pairs (room, greatest width), of which the first that fits is taken, or else
            the last. down: room between nodes of a column.

    Raises:
        ValueError: the edges make a cycle.

    >>> drawing = arrange([(10, 10)] * 3, [(0, 2), (1, 2)], across=20, down=6)
    >>> drawing.places, drawing.crossings
    ([(0, 0), (0, 16), (30, 8)], 0)
    """
    if not sizes:
        return Drawing([], [], 0, 0, 0)
    rank, layers, chains, _, crossed = _ordered(len(sizes), tuple(edges))
    tall, middle = _settled(tuple([h for _, h in sizes]), tuple(edges), down)
    wide = [max((sizes[v][0] for v in layer if v < len(sizes)), default=0) for layer in layers]
    if not isinstance(across, int | float):
        steps = len(layers) - 1
        across = next((gap for gap, most in across if sum(wide) + gap * steps <= most), across[-1][0])
    left = [sum(wide[:r]) + across * r for r in range(len(layers))]
    top = min(middle[v] - tall[v] / 2 for v in middle)
    places = [
        (left[rank[v]] + (wide[rank[v]] - w) / 2, round(middle[v] - h / 2 - top, 1)) for v, (w, h) in enumerate(sizes)
    ]
    places = [(x if x % 1 else int(x), y if y % 1 else int(y)) for x, y in places]
    routes = []
    for (u, v), chain in zip(edges, chains, strict=True):
        inner = [(left[rank[u] + 1 + k] + side, middle[d] - top) for k, d in enumerate(chain) for side in
                 (0, wide[rank[u] + 1 + k])]  # fmt: skip
        start = places[u][0] + sizes[u][0], middle[u] - top
        routes.append([start, *inner, (places[v][0], middle[v] - top)])
    height = max(middle[v] + tall[v] / 2 for v in middle) - top
    return Drawing(places, routes, sum(wide) + across * (len(layers) - 1), round(height, 1), crossed)


@lru_cache(16)  # a figure tries several sizes of boxes on one graph
def _ordered(many: int, edges: tuple[Edge, ...]) -> tuple[list[int], Layers, list[list[int]], list[Edge], int]:
    """The parts that no size changes: columns, orders, dummies, steps, and the number of crossings.

    Callers must not write to it.
    """
    rank = ranks(many, edges)
    layers, chains, links = _with_dummies(rank, edges)
    return rank, layers, chains, links, order(layers, links)


def breadth(sizes: Sequence[tuple[float, float]], edges: Sequence[Edge], across: float) -> float:
    """The width of the drawing of `arrange`, without arranging it.

    >>> breadth([(10, 10)] * 3, [(0, 2), (1, 2)], 20)
    40
    """
    _, layers, *_ = _ordered(len(sizes), tuple(edges))
    wide = (max((sizes[v][0] for v in layer if v < len(sizes)), default=0) for layer in layers)
    return sum(wide) + across * (len(layers) - 1)


@lru_cache(16)
def _settled(heights: tuple[float, ...], edges: tuple[Edge, ...], down: float) -> tuple[dict, dict[int, float]]:
    """The height of each node and dummy and where its middle is, which no width changes."""
    _, layers, _, links, _ = _ordered(len(heights), edges)
    tall = {v: heights[v] if v < len(heights) else 8.0 for layer in layers for v in layer}
    return tall, coordinates(layers, links, tall, down, len(heights))


def ranks(many: int, edges: Sequence[Edge]) -> list[int]:
    """A column for each node, so that edges point right and are short.

    Their sum is as short as single moves of nodes can make it.

    >>> ranks(4, [(0, 1), (1, 3), (2, 3)])
    [0, 1, 1, 2]
    """
    ahead: list[list[int]] = [[] for _ in range(many)]
    back: list[list[int]] = [[] for _ in range(many)]
    for u, v in edges:
        ahead[u].append(v)
        back[v].append(u)
    waiting, ready, rank, seen = [len(b) for b in back], [v for v in range(many) if not back[v]], [0] * many, 0
    walk = []
    while ready:
        u = ready.pop(0)
        walk.append(u)
        seen += 1
        for v in ahead[u]:
            rank[v] = max(rank[v], rank[u] + 1)
            waiting[v] -= 1
            if not waiting[v]:
                ready.append(v)
    if seen < many:
        raise ArgumentValueError("edges that make a cycle", "a computation graph has none", "leave out one of them")
    loose: set[int] = set()
    for v in walk:  # a source, and what is made of it alone, stands next to what reads it
        if not back[v] or len(back[v]) == 1 and back[v][0] in loose and len(ahead[back[v][0]]) == 1:
            loose.add(v)
    for v in reversed(walk):
        if v in loose and ahead[v]:
            rank[v] = min(rank[u] for u in ahead[v]) - 1
    while any(
        [_shift(v, step, rank, *sides) for v in walk for step, sides in ((1, (ahead, back)), (-1, (back, ahead)))]
    ):
        pass  # each shift shortens the sum of lengths, so this ends
    lowest = min(rank)
    return [r - lowest for r in rank]


def _shift(start: int, step: int, rank: list[int], ahead: list[list[int]], back: list[list[int]]) -> bool:
    """Moves a node one column on, with all that it pushes before it, if the edges get shorter in sum."""
    pushed, todo = {start}, [start]
    while todo:
        u = todo.pop()
        for v in ahead[u]:
            if v not in pushed and rank[v] - rank[u] == step:
                pushed.add(v)
                todo.append(v)
    shorter = sum(v not in pushed for u in pushed for v in ahead[u])
    longer = sum(v not in pushed for u in pushed for v in back[u])
    if shorter <= longer:
        return False
    for u in pushed:
        rank[u] += step
    return True


def _with_dummies(rank: list[int], edges: Sequence[Edge]) -> tuple[Layers, list[list[int]], list[Edge]]:
    """The layers with a dummy wherever an edge passes a column, each edge's dummies, the edges cut into steps.

    The many long edges of one node go one way, each as far as it must.
    """
    layers: Layers = [[] for _ in range(max(rank) + 1)]
    for v, r in enumerate(rank):
        layers[r].append(v)
    chains, links, fresh = [], [], len(rank)
    readers = Counter(u for u, v in edges if rank[v] > rank[u] + 1)
    shared: dict[int, list[int]] = {}
    for u, v in edges:
        chain = shared.setdefault(u, []) if readers[u] > BUNDLE else []
        for r in range(rank[u] + 1 + len(chain), rank[v]):
            links.append((chain[-1] if chain else u, fresh))
            layers[r].append(fresh)
            chain.append(fresh)
            fresh += 1
        chain = chain[: rank[v] - rank[u] - 1]
        links.append((chain[-1] if chain else u, v))
        chains.append(chain)
    return layers, chains, links


def order(layers: Layers, links: Sequence[Edge], sweeps: int = 12, starts: int = 8) -> int:
    """Orders each layer in place to cross few edges, from a few first orders; returns how many still cross."""
    ahead, back = _neighbours(links)
    best, fewest = [list(layer) for layer in layers], len(links) ** 2
    for start in range(starts):
        _by_search(layers, *((back, ahead) if start % 2 else (ahead, back)), start // 2)
        for sweep in range(sweeps):
            now = crossings(layers, links)
            if now < fewest:
                best, fewest = [list(layer) for layer in layers], now
            if not fewest:
                break
            forward = sweep % 2 == 0
            for r in range(1, len(layers)) if forward else range(len(layers) - 2, -1, -1):
                at = {v: k for k, v in enumerate(layers[r - 1 if forward else r + 1])}
                layers[r] = _by_medians(layers[r], back if forward else ahead, at, last_first=sweep % 4 > 1)
            _exchange(layers, ahead, back)
        if not fewest:
            break
    layers[:] = best
    return fewest


def _neighbours(links: Sequence[Edge]) -> tuple[dict[int, list[int]], dict[int, list[int]]]:
    ahead: dict[int, list[int]] = {}
    back: dict[int, list[int]] = {}
    for u, v in links:
        ahead.setdefault(u, []).append(v)
        back.setdefault(v, []).append(u)
    return ahead, back


def _by_search(layers: Layers, ahead: dict, back: dict, turn: int) -> None:
    """A first order: depth first, against the edges, neighbours in the order given or turned around."""
    met: dict[int, int] = {}
    heads = sorted((v for layer in layers for v in layer), key=lambda v: (v in ahead, v))
    for start in heads[turn:] + heads[:turn]:
        stack = [start]
        while stack:
            v = stack.pop()
            if v not in met:
                met[v] = len(met)
                near = back.get(v, ())
                stack += [u for u in (near if turn % 2 else reversed(near)) if u not in met]
                stack += [u for u in ahead.get(v, ()) if u not in met] if turn > 1 else ()
    for layer in layers:
        layer.sort(key=met.__getitem__)


def _by_medians(layer: list[int], near: dict, at: dict[int, int], last_first: bool) -> list[int]:
    """The layer ordered by the median place of each node's neighbours; nodes without neighbours stay where they are."""
    keyed = []
    for k, v in enumerate(layer):
        spots = sorted(at[u] for u in near.get(v, ()))
        keyed.append((_median(spots), -k if last_first else k, v) if spots else None)
    moving = iter(sorted(entry for entry in keyed if entry))
    return [next(moving)[2] if entry else layer[k] for k, entry in enumerate(keyed)]


def _median(spots: list[int]) -> float:
    half = len(spots) // 2
    if len(spots) % 2:
        return spots[half]
    if len(spots) == 2:
        return sum(spots) / 2
    low, high = spots[half - 1] - spots[0], spots[-1] - spots[half]
    return (spots[half - 1] * high + spots[half] * low) / (low + high) if low + high else spots[half]


def _exchange(layers: Layers, ahead: dict, back: dict) -> None:
    """Exchanges neighbours as long as that removes crossings."""
    place = {v: k for layer in layers for k, v in enumerate(layer)}
    better = True
    while better:
        better = False
        for layer in layers:
            for k in range(len(layer) - 1):
                u, v = layer[k], layer[k + 1]
                sides = [
                    ([place[a] for a in near.get(u, ())], [place[b] for b in near.get(v, ())]) for near in (ahead, back)
                ]
                now = sum(a > b for one, other in sides for a in one for b in other)
                then = sum(a < b for one, other in sides for a in one for b in other)
                if then < now:
                    layer[k], layer[k + 1], place[u], place[v], better = v, u, k + 1, k, True


def crossings(layers: Layers, links: Sequence[Edge]) -> int:
    """The number of pairs of edges that cross between neighbouring layers."""
    place = {v: (r, k) for r, layer in enumerate(layers) for k, v in enumerate(layer)}
    steps = [[] for _ in layers]
    for u, v in links:
        steps[place[u][0]].append((place[u][1], place[v][1]))
    return sum((a - c) * (b - d) < 0 for step in steps for i, (a, b) in enumerate(step) for c, d in step[:i])
