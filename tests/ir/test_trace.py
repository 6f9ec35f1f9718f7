"""A traced function: everything that ran, tracked or not."""

import threading

import pytest

import rustyflow as rf
from rustyflow import ir
from rustyflow.dispatch.operation import watchers


def ops(graph):
    return [(n.op, n.operands) for n in graph]


def test_untracked_operands_are_all_there():
    def model(x, w):
        hidden = x @ w + 1
        return hidden.relu().sum()

    graph = ir.trace(model, rf.ones(2, 3), rf.ones(3, 3, requires_grad=True))
    assert ops(graph) == [
        ("input", ()),
        ("leaf", ()),
        ("mm", ("%1", "%2")),
        ("add", ("%3", "1")),
        ("relu", ("%4",)),
        ("sum", ("%5",)),
    ]
    assert [n.name for n in graph] == ["x", "w", None, "hidden", None, None]
    assert [n.requires_grad for n in graph] == [False, True, True, True, True, True]
    assert graph.results == ("%6",)


def test_a_write_makes_a_new_value():
    def f(x):
        y = x * 2
        y[0] = 5
        return y * y

    graph = ir.trace(f, rf.ones(3))
    writes = [n for n in graph if n.op.endswith("_")]
    last = graph[graph.results[0]]
    assert [n.kind for n in writes] == ["op", "write"]  # through the view y[0]; and what it did to y
    assert last.operands == (writes[-1].id,) * 2 and writes[-1].operands == ("%2", writes[0].id)


def test_a_part_that_is_written_in_place_is_written_once():
    def f(y):
        y[0] += 1  # for Python: view = y[0]; view += 1; y[0] = view
        return y * 2

    assert ops(ir.trace(f, rf.zeros(2, 3)))[1:] == [
        ("select", ("%1",)),
        ("add_", ("%2", "1")),
        ("add_", ("%1", "%3")),
        ("mul", ("%4", "2")),
    ]


def test_a_comparison_in_place_is_told_by_its_own_name():
    def f(x):
        return (x * 1).gt_(rf.ones(3))

    x = rf.ones(2, 3, requires_grad=True)
    assert [name for name, _ in ops(ir.trace(f, x))][-3:] == ["constant", "expand", "gt_"]
    assert [name for name, _ in ops(ir.graph(f(x)))][-1] == "gt"


def test_two_writes_in_a_row_are_both_told():
    def f(y):
        y[1] = 5
        y.add_(1)
        return y

    assert ops(ir.trace(f, rf.zeros(2, 3)))[2:] == [
        ("fill_", ("%2", "5")),
        ("fill_", ("%1", "%3")),
        ("add_", ("%4", "1")),
    ]


def test_ops_and_arguments_have_the_names_that_a_program_uses():
    def f(x):
        y = x.clone()
        y[:, 1] = x[:, 0]
        y[y > 0] = 2.0
        return y.max(dim=1).values.sort().values.max() + y.sum(0).norm() + y.contiguous().t().reshape(6).diag(1).mean()

    made = {node.op for node in ir.trace(f, rf.ones(2, 3)) if node.kind == "op"}
    assert made == set(
        "clone select copy_ gt index_put_ max sort sum linalg.vector_norm t reshape diag_embed mean add".split()
    )
    (sort,) = [node for node in ir.trace(lambda x: x.sort(1), rf.ones(2, 3)) if node.op == "sort"]
    assert dict(sort.attrs) == {"dim": 1, "descending": False}
    assert sort.formula.startswith("values, indices = in_order(x, dim, descending)")


def test_an_in_place_op_reads_what_it_writes_over():
    def f(x, y):
        x.mul_(y)
        x += 1
        return x

    graph = ir.trace(f, rf.ones(2), rf.ones(2))
    assert graph[graph.results[0]].shape == (2,)
    assert {"mul", "add"} <= {n.op.rstrip("_") for n in graph}
    assert "?" not in str(graph)


def test_detach_is_the_same_value():
    graph = ir.trace(lambda x: x.detach() + x, rf.ones(2, requires_grad=True))
    assert ops(graph)[1:] == [("add", ("%1", "%1"))]


def test_results_may_be_nested():
    graph = ir.trace(lambda x: {"a": x + 1, "b": [x, (x * 2,)]}, rf.ones(2))
    assert graph.results == ("%2", "%1", "%3")


def test_a_traced_graph_equals_the_one_from_history():
    x, w = rf.randn(2, 3, requires_grad=True), rf.randn(3, requires_grad=True)

    def f(x, w):
        return (x * w).tanh().sum()

    assert ir.trace(f, x, w) == ir.graph(f(x, w))


def test_an_error_inside_stops_the_watching():
    with pytest.raises(ZeroDivisionError):
        ir.trace(lambda x: x + 1 / 0, rf.ones(1))
    assert not watchers


def test_other_threads_are_not_in_it():
    def f(x):
        other = threading.Thread(target=lambda: rf.ones(5).exp())
        other.start()
        other.join()
        return x.sin()

    assert [n.op for n in ir.trace(f, rf.ones(2))] == ["input", "sin"]


def test_a_double_backward_is_recorded_too():
    def f(x):
        y = (x * x * x).sum()
        (g,) = rf.autograd.grad(y, x, create_graph=True)
        return g

    graph = ir.trace(f, rf.tensor([2.0], requires_grad=True))
    assert [n.op for n in graph].count("mul") > 2 and graph[graph.results[0]].out.tolist() == [12.0]


def test_a_trace_keeps_values_as_they_were():
    def f(x):
        y = x * 2
        z = y + 1
        y.mul_(5)
        return z, y

    graph = ir.trace(f, rf.ones(2, requires_grad=True))
    assert graph["%2"].out.tolist() == [2.0, 2.0] and graph[graph.results[1]].out.tolist() == [10.0, 10.0]


def test_what_gives_no_tensor_is_no_node():
    assert [node.kind for node in ir.trace(lambda x: x.unbind(0), rf.zeros(0, 2))] == ["input"]
