"""The forms a graph takes: tree, DOT, JSON; equality and differences."""

import json
import re
import shutil

import pytest
from hypothesis import given, strategies as st

import rustyflow as rf
from rustyflow import ir
from rustyflow.ir.text import clean
from rustyflow.ir.tree import lines_of

EVIL = ['a"]; evil [label="', "new\nline", "\u202egpj", "<b>x</b>", "\\", "é", "\x00", "%1 = leaf", "x" * 500]


def program(scale=2, extra=False):
    x = rf.tensor([[1.0, 2.0], [3.0, float("inf")]], requires_grad=True)
    w = rf.ones(2, requires_grad=True)
    h = x * w * scale
    if extra:
        h = h.tanh()
    return h.sum(dim=1).max()


def test_the_tree_says_what_an_engine_with_lhs_and_rhs_says():
    a, b = rf.tensor(2.0, requires_grad=True), rf.tensor(3.0, requires_grad=True)
    y = a * b
    y.backward()
    assert ir.graph(y).tree().splitlines() == [
        "y: op mul, derivative None",
        "├─ lhs: a: op None, derivative 3.0",
        "└─ rhs: b: op None, derivative 2.0",
        "3 lines for a graph of 3 nodes; in each track_grad True",
    ]
    c, d = rf.tensor(2.0, requires_grad=True), rf.tensor(3.0)
    z = c * d
    assert ir.graph(z).tree().splitlines() == [
        "z: op mul, track_grad True",
        "├─ lhs: c: op None, track_grad True",
        "└─ rhs: d: op None, track_grad False",
        "3 lines for a graph of 3 nodes; in each derivative None",
    ]


def test_the_tree_repeats_shared_nodes_and_is_counted_without_being_written():
    y = rf.ones(1, requires_grad=True)
    for _ in range(60):
        y = y + y
    graph = ir.graph(y)
    text = graph.tree(limit=10)
    assert len(graph) == 61 and lines_of(graph)["%61"] == 2**61 - 1
    assert text.splitlines()[-1] == (
        f"{2**61 - 1:,} lines for a graph of 61 nodes; in each track_grad True, derivative None"
    )
    assert text.count("\n") == 11


def test_every_node_and_edge_is_in_the_dot():
    graph = ir.graph(program())
    text = graph.dot()
    assert len(re.findall(r"^  n\d+ \[label=", text, re.M)) == len(graph)
    assert len(re.findall(r"^  n\d+ -> n\d+", text, re.M)) == len(list(graph.edges))


@pytest.mark.parametrize("name", EVIL)
def test_a_name_from_outside_stays_a_name(name):
    x = rf.ones(2, requires_grad=True)
    graph = ir.graph(x.exp(), names={name: x})
    assert len(str(graph).splitlines()) == 3
    labels = re.findall(r'^  n\d+ \[label="((?:[^"\\]|\\.)*)"', graph.dot(), re.M)
    assert len(labels) == 2 and "\u202e" not in graph.dot() + str(graph)
    assert ir.Graph.from_json(graph.to_json())["%1"].name == name


@given(st.text(max_size=100))
def test_a_cleaned_name_is_one_printable_line(text):
    assert clean(text).isprintable() and len(clean(text)) <= 60 * 10


@pytest.mark.skipif(shutil.which("dot") is None, reason="no Graphviz")
def test_graphviz_takes_the_dot():
    graphviz = pytest.importorskip("graphviz")
    for name in EVIL:
        x = rf.ones(2, requires_grad=True)
        assert b"<svg" in graphviz.Source(ir.graph(x.exp() * x, names={name: x}).dot()).pipe("svg")


def test_graphviz_is_needed_only_to_draw(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "graphviz", None)
    graph = ir.graph(program())
    assert graph.dot().startswith("digraph")
    with pytest.raises(NotImplementedError, match="pip install graphviz"):
        graph.graphviz()


def test_json_brings_everything_back():
    graph = ir.graph(program())
    again = ir.Graph.from_json(graph.to_json())
    assert again == graph and str(again) == str(graph)
    assert again["%1"].out.tolist() == graph["%1"].out.tolist() == [[1.0, 2.0], [3.0, float("inf")]]
    json.loads(graph.to_json(), parse_constant=lambda word: pytest.fail(f"{word} is no JSON"))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{}",
        "[1, 2]",
        "null",
        '{"rustyflow.ir": 1, "results": ["%9"], "nodes": []}',
        "[" * 100_000,
        '{"rustyflow.ir": 1, "results": [], "nodes": [{"id": "%1", "kind": "op", "op": "add", "operands": ["%1"], '
        '"results": [{"shape": [], "dtype": "float32"}]}]}',
    ],
)
def test_other_json_is_refused(text):
    with pytest.raises(ValueError, match="to_json"):
        ir.Graph.from_json(text)


def test_equality_is_the_program_and_not_its_names_numbers_or_memory():
    x, y = rf.ones(2, requires_grad=True), rf.ones(2, requires_grad=True)
    b, a = rf.zeros(2, requires_grad=True), rf.zeros(2, requires_grad=True)  # created in the other order
    assert ir.graph(x * y.exp()) == ir.graph(a * b.exp())
    assert ir.graph(x * x.exp()) != ir.graph(x * y.exp())
    assert ir.graph(x - y) != ir.graph(rf.ones(3, requires_grad=True) - rf.ones(3, requires_grad=True))
    assert ir.graph(x * y.exp()) == ir.graph(y * x.exp())
    assert len({ir.graph(x * y), ir.graph(y * x), ir.graph(x + y)}) == 2


def test_the_order_of_operands_is_part_of_the_program():
    x = rf.ones(2, requires_grad=True)
    e, f = x.exp(), x.sin()
    assert ir.graph(e - f) != ir.graph(f - e)


def test_equal_graphs_have_no_differences():
    assert ir.graph(program()).diff(ir.graph(program())) == ()


def test_differences_name_what_changed_and_nothing_else():
    changes = ir.graph(program()).diff(ir.graph(program(scale=3)))
    assert [(c.kind, c.left.op, c.what.partition(": ")[2]) for c in changes] == [
        ("changed", "mul", "operands %4, 2 now %4, 3")
    ]
    (change,) = ir.graph(program()).diff(ir.graph(program(extra=True)))[:1]
    assert (change.kind, change.right.op) == ("added", "tanh")
    back = ir.graph(program(extra=True)).diff(ir.graph(program()))
    assert back[0].kind == "removed" and back[0].left.op == "tanh" and len(back) == 2  # and who reads it now


def test_a_change_of_shape_is_said():
    def f(n):
        return rf.ones(n, requires_grad=True).exp()

    assert [c.what.partition(": ")[2] for c in ir.graph(f(2)).diff(ir.graph(f(3)))] == ["float32[2] now float32[3]"] * 2
