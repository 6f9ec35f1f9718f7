"""Where a function has a corner, its gradient is PyTorch's choice; each op that has one says so in `kinks`."""

import pytest

import rustyflow as rf
from rustyflow.ops import OPS
from rustyflow.tensor.table import fill

fill()

# Per op: a program of one vector (t is rustyflow or torch, f its nn.functional), the vector, and the gradient of the
# program's sum
CORNERS = {
    "abs": (lambda t, f, x: t.abs(x), [-1, 0, 2], [-1, 0, 1]),
    "relu": (lambda t, f, x: t.relu(x), [-1, 0, 2], [0, 0, 1]),
    "leaky_relu": (lambda t, f, x: f.leaky_relu(x, 0.5), [-1, 0, 2], [0.5, 0.5, 1]),
    "elu": (lambda t, f, x: f.elu(x, 2.0), [0, 1], [2, 1]),
    "threshold": (lambda t, f, x: f.threshold(x, 1.0, 5.0), [0, 1, 2], [0, 0, 1]),
    "hardshrink": (lambda t, f, x: f.hardshrink(x, 1.0), [-2, -1, 0, 1, 2], [1, 0, 0, 0, 1]),
    "softshrink": (lambda t, f, x: f.softshrink(x, 1.0), [-2, -1, 0, 1, 2], [1, 0, 0, 0, 1]),
    "prelu_kernel": (lambda t, f, x: f.prelu(x[:3], x[3:]), [-1, 0, 2, 0.5], [0.5, 0.5, 1, -1]),
    "copysign": (lambda t, f, x: t.copysign(x, t.tensor(-1.0)), [-1, 0, 2], [1, 0, -1]),
    "fmax": (lambda t, f, x: t.fmax(x[:2], x[2:]), [1, 5, 1, 2], [1, 1, 0, 0]),
    "fmin": (lambda t, f, x: t.fmin(x[:2], x[2:]), [1, 5, 1, 2], [1, 0, 0, 1]),
    "hardtanh": (lambda t, f, x: f.hardtanh(x), [-1, 0, 1], [0, 1, 0]),
    "hardsigmoid": (lambda t, f, x: f.hardsigmoid(x), [-3, 3], [0, 0]),
    "hardswish": (lambda t, f, x: f.hardswish(x), [-3, 3], [0, 1]),
    "clamp": (lambda t, f, x: t.clamp(x, -1, 1), [-2, -1, 0, 1, 2], [0, 1, 1, 1, 0]),
    "maximum": (lambda t, f, x: t.maximum(x[:2], x[2:]), [1, 5, 1, 2], [0.5, 1, 0.5, 0]),
    "minimum": (lambda t, f, x: t.minimum(x[:2], x[2:]), [1, 5, 1, 2], [0.5, 0, 0.5, 1]),
    "amax": (lambda t, f, x: t.amax(x, 0), [2, 1, 2], [0.5, 0, 0.5]),
    "amin": (lambda t, f, x: t.amin(x, 0), [1, 2, 1], [0.5, 0, 0.5]),
    "amax_all": (lambda t, f, x: x.max(), [2, 1, 2], [0.5, 0, 0.5]),
    "amin_all": (lambda t, f, x: x.min(), [1, 2, 1], [0.5, 0, 0.5]),
    "both_ends": (lambda t, f, x: sum(t.aminmax(x, dim=0)), [2, 1, 2], [0.5, 1, 0.5]),
    "median_all": (lambda t, f, x: x.median(), [2, 1, 2], [0.5, 0, 0.5]),
    "nanmedian_all": (lambda t, f, x: x.nanmedian(), [2, 1, 2], [0.5, 0, 0.5]),
    "max_dim": (lambda t, f, x: x.max(0).values, [2, 1, 2], [1, 0, 0]),
    "min_dim": (lambda t, f, x: x.min(0).values, [1, 2, 1], [1, 0, 0]),
    "median_dim": (lambda t, f, x: x.median(0).values, [3, 1, 2], [0, 0, 1]),
    "nanmedian_dim": (lambda t, f, x: x.nanmedian(0).values, [3, 1, 2], [0, 0, 1]),
    "max_pool2d_with_indices": (lambda t, f, x: f.max_pool2d(x.view(1, 1, 2, 2), 2), [1, 3, 3, 3], [0, 1, 0, 0]),
    "adaptive_max_pool2d_with_indices": (
        lambda t, f, x: f.adaptive_max_pool2d(x.view(1, 1, 2, 2), 1), [1, 3, 3, 3], [0, 1, 0, 0],
    ),
    "scatter_reduced": (
        lambda t, f, x: x[:1].scatter_reduce(0, t.tensor([0, 0]), x[1:], "amax"), [2, 2, 1], [0.5, 0.5, 0],
    ),
    "remainder": (lambda t, f, x: t.remainder(x[0], x[1]), [4, 2], [1, -2]),
    "fmod": (lambda t, f, x: t.fmod(x[0], x[1]), [-4, 2], [1, 2]),
    "frac": (lambda t, f, x: t.frac(x), [2, -3], [1, 1]),
    "xlogy": (lambda t, f, x: t.xlogy(x[0], x[1].detach()), [0, -1], [0, 0]),
    "atan2": (lambda t, f, x: t.atan2(x[0], x[1]), [0, 0], [0, 0]),
    "std": (lambda t, f, x: t.std(x), [3, 3], [0, 0]),
    "std_mean": (lambda t, f, x: t.std_mean(x)[0], [3, 3], [0, 0]),
    "vector_length": (lambda t, f, x: t.linalg.vector_norm(x, float("inf")), [2, -2, 1], [0.5, -0.5, 0]),
}

INF, NAN = float("inf"), float("nan")

# Where a gradient has no bound, or is 0 because all that it is shared by is: not a choice, and as easily wrong
EDGES = {
    "sqrt at 0": (lambda t, f, x: x.sqrt(), [0, 4], [INF, 0.25]),
    "log at 0": (lambda t, f, x: x.log(), [0, 2], [INF, 0.5]),
    "reciprocal at 0": (lambda t, f, x: 1 / x, [0, 2], [-INF, -0.25]),
    "a power of 0": (lambda t, f, x: x**2 + x**0 + x**1, [0, 1], [1, 3]),
    "a half power at 0": (lambda t, f, x: x**0.5, [0, 4], [INF, 0.25]),
    "0 to a power": (lambda t, f, x: x[0] ** x[1], [0, 2], [0, 0]),
    "0 to the 0": (lambda t, f, x: x[0] ** x[1], [0, 0], [0, 0]),
    "the length of nothing": (lambda t, f, x: x.norm() + t.linalg.vector_norm(x, 3), [0, 0], [0, 0]),
    "the sum of sizes": (lambda t, f, x: t.linalg.vector_norm(x, 1), [0, -2], [0, -1]),
    "a product with a 0": (lambda t, f, x: x.prod(), [0, 3, 2], [6, 0, 0]),
    "a product with two": (lambda t, f, x: x.prod(), [0, 0, 2], [0, 0, 0]),
    "running products through 0": (lambda t, f, x: x.cumprod(0), [2, 0, 3], [1, 8, 0]),
    "sorting equal cells": (
        lambda t, f, x: x.sort(stable=True).values * t.tensor([1.0, 10, 100]),
        [2, 1, 2],
        [10, 1, 100],
    ),
    "the largest of none": (lambda t, f, x: t.logsumexp(x, 0).exp(), [-INF, 0], [0, 1]),
    "softmax beyond reach": (lambda t, f, x: x.softmax(0)[0], [0, -1000], [0, 0]),
    "a root that is not taken": (lambda t, f, x: t.where(x > 0, x.sqrt(), x), [0, 4], [NAN, 0.25]),
    "an infinite slope at the top": (lambda t, f, x: (x.max() - 2).sqrt(), [1, 2], [0, INF]),
    "a spread of one": (lambda t, f, x: x.var(correction=0), [3], [0]),
}


def gradient(t, program, cells):
    x = t.tensor([float(c) for c in cells], requires_grad=True)
    program(t, t.nn.functional, x).sum().backward()
    return x.grad.tolist()


@pytest.mark.parametrize("name", CORNERS)
def test_a_corner_by_hand(name):
    program, cells, expected = CORNERS[name]
    assert gradient(rf, program, cells) == expected, OPS[name].kinks


@pytest.mark.parametrize("name", CORNERS)
def test_a_corner_is_pytorchs(name):
    torch = pytest.importorskip("torch")
    program, cells, expected = CORNERS[name]
    assert gradient(torch, program, cells) == expected


@pytest.mark.parametrize("name", EDGES)
def test_an_edge_by_hand_and_as_in_pytorch(name):
    program, cells, expected = EDGES[name]
    assert gradient(rf, program, cells) == pytest.approx(expected, nan_ok=True)
    torch = pytest.importorskip("torch")
    assert gradient(torch, program, cells) == pytest.approx(expected, nan_ok=True)


def test_every_op_that_names_a_corner_is_tried_there():
    assert {name for name, op in OPS.items() if op.kinks} == set(CORNERS)


@pytest.mark.parametrize("call", [
    lambda m, x: x.relu(), lambda m, x: x.clamp(min=0), lambda m, x: x.clamp(max=0), lambda m, x: x.clamp(min=x * 0),
    lambda m, x: m.nn.functional.elu(x), lambda m, x: m.nn.functional.celu(x), lambda m, x: m.nn.functional.relu6(x),
], ids=["relu", "clamp min", "clamp max", "clamp by a tensor", "elu", "celu", "relu6"])
def test_at_a_kink_in_0_a_zero_keeps_its_sign_as_in_torch(call):
    torch = pytest.importorskip("torch")
    data = [-0.0, 0.0, -0.0] * 7
    assert call(rf, rf.tensor(data)).signbit().tolist() == call(torch, torch.tensor(data)).signbit().tolist()


@pytest.mark.parametrize("name", ["relu", "leaky_relu", "threshold", "hardshrink", "softshrink", "hardtanh"])
def test_beside_its_corners_a_line_has_the_second_derivative_0(name):
    x = rf.tensor([-3.0, 0.5, 4.0], requires_grad=True)
    y = CORNERS[name][0](rf, rf.nn.functional, x)
    g, = rf.autograd.grad(y.sum(), x, create_graph=True)
    assert rf.autograd.grad(g.sum(), x)[0].tolist() == [0, 0, 0]


@pytest.mark.parametrize("run", [
    lambda t, f, x: t.relu(x), lambda t, f, x: x.clamp(0, 1), lambda t, f, x: x.max(), lambda t, f, x: x.median(),
    lambda t, f, x: t.maximum(x, x.new_tensor([0.0, 1.0])), lambda t, f, x: f.hardsigmoid(x - 2),
])
@pytest.mark.parametrize("upstream", [-1, INF])
def test_a_cell_that_gets_nothing_gets_plain_zero(run, upstream):
    x = rf.tensor([1.0, -2.0], requires_grad=True)
    y = run(rf, rf.nn.functional, x)
    y.backward(rf.full_like(y, upstream))
    idle = x.grad.argmin() if upstream == INF else x.grad.argmax()
    assert repr(x.grad[idle]) == "tensor(0.)"
