"""Graph layout: nothing overlaps, everything flows right, the same every time, and no worse than Graphviz."""

import pytest
from hypothesis import given, settings, strategies as st

from rustyflow.show.kit.layers import arrange, ranks

ATTENTION = [(0, 4), (1, 4), (0, 5), (2, 5), (0, 6), (3, 6), (5, 7), (4, 8), (7, 8), (8, 9), (9, 11), (10, 11),
             (11, 12), (12, 13), (6, 13), (13, 15), (14, 15), (15, 16), (0, 16)]  # fmt: skip
NORM = [
    (0, 1),
    (0, 2),
    (1, 2),
    (2, 3),
    (3, 4),
    (4, 5),
    (5, 6),
    (6, 7),
    (2, 8),
    (7, 8),
    (8, 9),
    (10, 9),
    (9, 11),
    (12, 11),
]
LOSS = [(0, 3), (1, 3), (3, 4), (2, 4), (4, 5), (5, 6), (6, 7), (4, 7), (7, 8)]
TANGLED = [(0, 6), (1, 5), (2, 4), (0, 4), (1, 6), (2, 5), (3, 4), (3, 6), (4, 7), (5, 7), (6, 7)]


def mlp(layers):
    """Per layer: a weight, its transpose, a product, a bias added, a relu."""
    edges, n, h = [], 1, 0
    for _ in range(layers):
        w, b, wt, mm, add, relu = range(n, n + 6)
        edges += [(w, wt), (h, mm), (wt, mm), (mm, add), (b, add), (add, relu)]
        n, h = n + 6, relu
    return edges


@st.composite
def graphs(draw):
    many = draw(st.integers(1, 18))
    edges = [(draw(st.integers(0, v - 1)), v) for v in range(1, many) for _ in range(draw(st.integers(0, 3)))]
    sizes = draw(st.lists(st.tuples(st.integers(10, 120), st.integers(10, 80)), min_size=many, max_size=many))
    return sizes, edges


@settings(max_examples=80)
@given(graphs())
def test_nothing_overlaps_and_everything_flows_right(graph):
    sizes, edges = graph
    drawing = arrange(sizes, edges, across=40, down=12)
    boxes = [(x, y, x + w, y + h) for (x, y), (w, h) in zip(drawing.places, sizes, strict=True)]
    for k, (left, top, right, bottom) in enumerate(boxes):
        assert left >= 0 and top >= -0.1 and right <= drawing.width and bottom <= drawing.height + 0.1
        for other in boxes[:k]:
            apart = left >= other[2] or other[0] >= right or top >= other[3] + 11.8 or other[1] >= bottom + 11.8
            assert apart
    for (u, v), route in zip(edges, drawing.routes, strict=True):
        assert boxes[u][2] + 40 <= boxes[v][0]
        assert [x for x, _ in route] == sorted(x for x, _ in route)


@settings(max_examples=80)
@given(graphs())
def test_edges_that_pass_a_column_pass_between_its_nodes(graph):
    sizes, edges = graph
    drawing = arrange(sizes, edges, across=40, down=12)
    for route in drawing.routes:
        for (x, y), _ in zip(route[1:-1], route[2:], strict=False):
            for (left, top), (w, h) in zip(drawing.places, sizes, strict=True):
                assert not (left < x < left + w and top + 0.1 < y < top + h - 0.1)


@settings(max_examples=30)
@given(graphs())
def test_the_same_graph_is_the_same_drawing(graph):
    assert arrange(*graph) == arrange(*graph)


@pytest.mark.parametrize(
    ("edges", "most", "length"),  # what dot of Graphviz comes to, with nodes of one size
    [(LOSS, 0, 11), (ATTENTION, 2, 33), (NORM, 0, 21), (mlp(3), 0, 18), (mlp(5), 0, 30), (TANGLED, 4, 11)],
)
def test_as_few_crossings_and_as_short_edges_as_dot(edges, most, length):
    many = max(map(max, edges)) + 1
    rank = ranks(many, edges)
    assert sum(rank[v] - rank[u] for u, v in edges) <= length
    assert arrange([(112, 66)] * many, edges).crossings <= most


def test_a_long_edge_is_straight():
    drawing = arrange([(20, 20)] * 5, [(0, 1), (1, 2), (2, 3), (0, 4), (3, 4)])
    inner = drawing.routes[3][1:-1]
    assert len({y for _, y in inner}) == 1


def test_a_cycle_is_refused():
    with pytest.raises(ValueError, match="cycle"):
        arrange([(1, 1)] * 2, [(0, 1), (1, 0)])


def test_no_nodes_and_one_node():
    assert arrange([], []).places == []
    assert arrange([(10, 20)], []) == ([(0, 0)], [], 10, 20, 0)
