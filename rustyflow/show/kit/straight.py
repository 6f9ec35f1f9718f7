"""Coordinates within layers, so that nodes stand in the middle of their neighbours and long edges are straight.

Brandes and Koepf, "Fast and simple horizontal coordinate assignment", 2001: align each node with a median
neighbour, from four corners; place the blocks that arise; take the mean of the two middle results.
"""

from collections.abc import Mapping, Sequence

Layers = list[list[int]]

DRIFT = 1.3
"""How much wider than the narrowest of the four results their mean may be. That of a long chain with a leaf at every
step drifts aside all the way: then the narrowest one is taken."""


def coordinates(
    layers: Layers, links: Sequence[tuple[int, int]], tall: Mapping[int, float], gap: float, real: int
) -> dict[int, float]:
    """The middle of each node along its layer.

    Args:
        layers: nodes in order; those numbered `real` and up are dummies of long edges.
        links: between neighbouring layers.
        tall: the extent of each node. gap: the least room between two.

    >>> coordinates([[0, 1], [2]], [(0, 2), (1, 2)], {0: 10, 1: 10, 2: 10}, 6, 3)
    {0: 0.0, 1: 16.0, 2: 8.0}
    """
    crossing = _conflicts(layers, links, real)
    drawings = []
    for up in (False, True):
        for mirrored in (False, True):
            flow = [layer[::-1] if mirrored else layer for layer in (reversed(layers) if up else layers)]
            above: dict[int, list[int]] = {}
            for u, v in links:
                above.setdefault(u if up else v, []).append(v if up else u)
            spots = _place(flow, _blocks(flow, above, crossing), tall, gap)
            drawings.append({v: -x for v, x in spots.items()} if mirrored else spots)
    spans = [(min(x - tall[v] / 2 for v, x in s.items()), max(x + tall[v] / 2 for v, x in s.items())) for s in drawings]
    low, high = min(spans, key=lambda span: span[1] - span[0])
    for k, (spots, span) in enumerate(zip(drawings, spans, strict=True)):
        shift = high - span[1] if k % 2 else low - span[0]
        drawings[k] = {v: x + shift for v, x in spots.items()}
    middle = {v: sum(sorted(spots[v] for spots in drawings)[1:3]) / 2 for layer in layers for v in layer}
    if max(middle.values()) - min(middle.values()) > DRIFT * (high - low):
        middle = next(spots for spots, span in zip(drawings, spans, strict=True) if span[1] - span[0] == high - low)
    return {v: round(x, 2) for v, x in middle.items()}


def _conflicts(layers: Layers, links: Sequence[tuple[int, int]], real: int) -> set[frozenset[int]]:
    """Steps that cross a step between two dummies: long edges have the right of way."""
    place = {v: (r, k) for r, layer in enumerate(layers) for k, v in enumerate(layer)}
    steps: list[list[tuple[int, int]]] = [[] for _ in layers]
    for u, v in links:
        steps[place[u][0]].append((u, v))
    crossing = set()
    for step in steps:
        inner = [(place[u][1], place[v][1]) for u, v in step if u >= real and v >= real]
        for u, v in step:
            a, b = place[u][1], place[v][1]
            if not (u >= real and v >= real) and any((a - c) * (b - d) < 0 for c, d in inner):
                crossing.add(frozenset((u, v)))
    return crossing


def _blocks(layers: Layers, above: Mapping[int, Sequence[int]], crossing: set[frozenset[int]]) -> dict[int, int]:
    """For each node the first node of the straight line it belongs to."""
    place = {v: k for layer in layers for k, v in enumerate(layer)}
    root: dict[int, int] = {}
    for layer in layers:
        last = -1
        for v in layer:
            root[v] = v
            near = sorted(above.get(v, ()), key=place.__getitem__)
            for k in sorted({(len(near) - 1) // 2, len(near) // 2}) if near else ():
                u = near[k]
                if root[v] == v and place[u] > last and frozenset((u, v)) not in crossing:
                    root[v], last = root[u], place[u]
    return root


def _place(layers: Layers, root: Mapping[int, int], tall: Mapping[int, float], gap: float) -> dict[int, float]:
    """Places blocks close to the first side, and then pulls them to the other, as far as neighbours allow."""
    after: dict[int, dict[int, float]] = {r: {} for r in root.values()}
    waiting = dict.fromkeys(after, 0)
    for layer in layers:
        for u, v in zip(layer, layer[1:], strict=False):
            apart, a, b = (tall[u] + tall[v]) / 2 + gap, root[u], root[v]
            waiting[b] += b not in after[a]
            after[a][b] = max(after[a].get(b, 0.0), apart)
    spots = dict.fromkeys(after, 0.0)
    ready, walk = [b for b in after if not waiting[b]], []
    while ready:
        a = ready.pop(0)
        walk.append(a)
        for b, apart in after[a].items():
            spots[b] = max(spots[b], spots[a] + apart)
            waiting[b] -= 1
            if not waiting[b]:
                ready.append(b)
    for a in reversed(walk):
        if after[a]:
            spots[a] = max(spots[a], min(spots[b] - apart for b, apart in after[a].items()))
    return {v: spots[root[v]] for v in root}
