"""Where a function has a corner, its gradient is PyTorch's choice; each op that has one says so in `kinks`."""

import pytest

import rustyflow as rf
from rustyflow.ops import OPS
from rustyflow.table import fill

fill()

# Per op: a program of one vector (t is rustyflow or torch, f its nn.functional), the vector, and the gradient of the
# program's sum
CORNERS = {
    "abs": (lambda t, f, x: t.abs(x), [-1, 0, 2], [-1, 0, 1]),
    "relu": (lambda t, f, x: t.relu(x), [-1, 0, 2], [0, 0, 1]),
    "leaky_relu": (lambda t, f, x: f.leaky_relu(x, 0.5), [-1, 0, 2], [0.5, 0.5, 1]),
    "elu": (lambda t, f, x: f.elu(x, 2.0), [0, 1], [2, 1]),
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
    "median_all": (lambda t, f, x: x.median(), [2, 1, 2], [0.5, 0, 0.5]),
    "max_dim": (lambda t, f, x: x.max(0).values, [2, 1, 2], [1, 0, 0]),
    "min_dim": (lambda t, f, x: x.min(0).values, [1, 2, 1], [1, 0, 0]),
    "median_dim": (lambda t, f, x: x.median(0).values, [3, 1, 2], [0, 0, 1]),
    "max_pool2d_with_indices": (lambda t, f, x: f.max_pool2d(x.view(1, 1, 2, 2), 2), [1, 3, 3, 3], [0, 1, 0, 0]),
    "remainder": (lambda t, f, x: t.remainder(x[0], x[1]), [4, 2], [1, -2]),
    "fmod": (lambda t, f, x: t.fmod(x[0], x[1]), [-4, 2], [1, 2]),
    "frac": (lambda t, f, x: t.frac(x), [2, -3], [1, 1]),
    "xlogy": (lambda t, f, x: t.xlogy(x[0], x[1].detach()), [0, -1], [0, 0]),
    "atan2": (lambda t, f, x: t.atan2(x[0], x[1]), [0, 0], [0, 0]),
    "std": (lambda t, f, x: t.std(x), [3, 3], [0, 0]),
    "vector_length": (lambda t, f, x: t.linalg.vector_norm(x, float("inf")), [2, -2, 1], [0.5, -0.5, 0]),
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


def test_every_op_that_names_a_corner_is_tried_there():
    assert {name for name, op in OPS.items() if op.kinks} == set(CORNERS)
