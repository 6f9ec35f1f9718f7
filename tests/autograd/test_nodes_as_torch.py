"""Nodes and their next functions are those that PyTorch shows."""

import pytest

import rustyflow as rf
from tests.autograd.outcome import leaf, ones

torch = pytest.importorskip("torch")


def numbers(m, x):
    return [
        1 - x,
        1 + x,
        2 * x,
        x - 1,
        x**2,
        2**x,
        x % 2,
        x.clamp(0, 1),
        x.log1p(),
        x.lerp(x * 2, 0.5),
        x.masked_fill(x > 0, 1.0),
    ]


def shapes(m, x):
    y = x.reshape(1, 3, 1)
    return [
        y.squeeze(),
        y.squeeze(0),
        y.squeeze((0, 2)),
        y[0],
        y[..., None],
        y.expand(2, 3, 1),
        y.sum(),
        y.sum(1),
        y.mT,
    ]


def places(m, x):
    k = m.tensor([0, 2])
    return [
        x.index_select(0, k),
        x[k],
        x.gather(0, k),
        x.scatter(0, k, 1.0),
        m.where(x > 1, x, 0.0),
        m.cat([x, x]),
        x.sort().values,
        x.max(0).values,
    ]


def layers(m, x):
    f, w = m.nn.functional, ones(m, 2, 3)
    own = function_of_two(m)
    return [
        f.linear(x.reshape(1, 3), w),
        f.embedding(m.tensor([0]), x.reshape(1, 3)),
        f.layer_norm(x, (3,)),
        own.apply(x, 3, ones(m)),
    ]


def function_of_two(m):
    return type(
        "Own",
        (m.autograd.Function,),
        {
            "forward": staticmethod(lambda ctx, x, n, y: x * n * y),
            "backward": staticmethod(lambda ctx, g: (g, None, None)),
        },
    )


@pytest.mark.parametrize("program", [numbers, shapes, places, layers])
def test_nodes_and_their_next_functions_are_as_pytorch_shows_them(program):
    def said(m):
        results = program(m, leaf(m))
        return [
            (
                y.grad_fn.name(),
                [(parent and parent.name().rpartition(":")[2], k) for parent, k in y.grad_fn.next_functions],
            )
            for y in results
        ]

    assert said(rf) == said(torch)
