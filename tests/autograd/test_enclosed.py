"""Functions that are one node of the graph although they are composed of others."""

import pytest

import rustyflow as rf
import rustyflow.nn.functional as f
from rustyflow import ir
from rustyflow.autograd import gradcheck, gradgradcheck
from rustyflow.autograd.enclosed import enclosed

IMAGE = (1, 4, 3, 4)
PROGRAMS = {
    "pixel_shuffle": (lambda x: f.pixel_shuffle(x, 2), IMAGE),
    "unfold": (lambda x: f.unfold(x, 2, padding=1), IMAGE),
    "fold": (lambda x: f.fold(x, (3, 4), 2), (1, 8, 6)),
    "interpolate": (lambda x: f.interpolate(x, (5, 6), mode="bilinear"), IMAGE),
}


def leaf(shape):
    rf.manual_seed(0)
    return rf.randn(shape, dtype=rf.float64).requires_grad_()


@pytest.mark.parametrize("name", PROGRAMS)
def test_first_and_second_derivatives(name):
    program, shape = PROGRAMS[name]
    assert gradcheck(program, leaf(shape), fast_mode=True)
    assert gradgradcheck(program, leaf(shape), fast_mode=True, atol=1e-4)


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_trace_sees_the_steps_that_the_graph_keeps_in_one_node(name):
    program, shape = PROGRAMS[name]
    x = leaf(shape)
    graph, trace = ir.graph(program(x)), ir.trace(program, x)
    assert name in {node.op for node in graph} and len(trace) > len(graph)


def test_a_value_that_a_step_saved_is_not_to_be_written_over():
    x, target = leaf((3, 4)), rf.ones(3, 4, dtype=rf.float64)
    y = x * 1
    scaled = enclosed("ScaledBackward0")(lambda x, target: -target * x)(y, target)
    y.zero_()
    assert scaled.grad_fn.name() == "ScaledBackward0"
    scaled.sum().backward()  # of -target * y only the target is kept
    grown = enclosed("GrownBackward0")(lambda x: (x * 1).exp())(x)
    grown.mul_(2)  # it is kept by the step that made it
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        grown.sum().backward()


def test_an_operand_that_asks_for_no_gradient_gets_none():
    x, y = leaf((3, 4)), rf.ones(2, 4, dtype=rf.float64)
    made = enclosed("JoinedBackward0")(lambda x, y: rf.cat([x, y]) * 2)(x, y)
    assert [node.name() for node, _ in made.grad_fn.next_functions] == ["AccumulateGrad"]
    made.sum().backward()
    assert x.grad.tolist() == (2 * rf.ones(3, 4)).tolist() and y.grad is None


@pytest.mark.parametrize("watch", [lambda: rf.autograd.detect_anomaly(), lambda: ir.scope("model")],
                         ids=["detect_anomaly", "scope"])
def test_only_a_trace_takes_the_steps_apart(watch):
    with watch():
        y = f.pixel_shuffle(leaf(IMAGE), 2)
    assert y.grad_fn.name() == "PixelShuffleBackward0"
    assert y.grad_fn.__dict__.get("scope") == "model" or y.grad_fn.made_at


def test_anomaly_detection_names_the_line_that_called_the_function():
    opposite = float("inf") * rf.tensor([1.0, -1.0] * 3)  # patches that overlap get both
    with rf.autograd.detect_anomaly():
        y = f.unfold(leaf(IMAGE), 2)  # the line to be named
        with pytest.raises(RuntimeError, match="(?s)test_enclosed.py.*the line to be named"):
            y.backward(opposite.expand(y.shape))


@pytest.mark.parametrize("create_graph", [False, True])
def test_what_one_operand_owes_to_another_is_counted_once(create_graph):
    @enclosed("ProductBackward0")
    def product(a, b):
        return a * b * b

    x = rf.tensor([2.0, 3.0], requires_grad=True)
    (g,) = rf.autograd.grad(product(x, x * x).sum(), x, create_graph=create_graph)  # of x ** 5
    assert g.tolist() == [80.0, 405.0]
    if create_graph:
        assert rf.autograd.grad(g.sum(), x)[0].tolist() == [160.0, 540.0]
