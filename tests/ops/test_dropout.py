"""Noise that drops cells or channels: PyTorch's own draws, and what it takes and refuses."""

import itertools

import numpy as np
import pytest

import rustyflow as rf
import rustyflow.nn.functional as F


@pytest.mark.parametrize("p", (0.1, 0.5, 0.9))
@pytest.mark.parametrize("shape", ((5,), (4, 6), (1000,)))
def test_dropout_draws_as_pytorch_does(p, shape):
    torch = pytest.importorskip("torch")
    outs = []
    for m in (torch, rf):
        m.manual_seed(3)
        x = m.ones(*shape, requires_grad=True)
        y = m.nn.functional.dropout(x, p)
        y.sum().backward()
        outs.append((y.detach().numpy(), x.grad.numpy()))
    assert all(np.array_equal(a, b) for a, b in zip(*outs))


def test_dropout_leaves_the_input_alone_where_nothing_is_to_do():
    x = rf.ones(3)
    assert F.dropout(x, 0.5, training=False) is x and F.dropout(x, 0.0) is x and F.dropout(x, 1.0).tolist() == [0, 0, 0]


@pytest.mark.parametrize("name, shape", [("dropout1d", (3, 2)), ("dropout1d", (2, 3, 2)), ("dropout2d", (2, 3, 2)),
                                         ("dropout2d", (2, 3, 2, 2)), ("dropout3d", (3, 2, 2, 2))])
@pytest.mark.filterwarnings("ignore:dropout2d")
def test_dropout_of_channels_as_pytorch_does(name, shape):
    torch = pytest.importorskip("torch")
    outs = []
    for m in (torch, rf):
        m.manual_seed(1)
        x = m.ones(*shape)
        drop = getattr(m.nn.functional, name)
        outs.append((drop(x, 0.5).tolist(), drop(x, 0.0).data_ptr() == x.data_ptr()))
    assert outs[0] == outs[1]


@pytest.mark.parametrize("p", (0, 0.5, 1, 2))
@pytest.mark.parametrize("name", ("dropout1d", "dropout2d", "dropout3d"))
@pytest.mark.filterwarnings("ignore:dropout")
def test_dropout_of_channels_takes_and_refuses_the_dims_that_pytorch_does(name, p):
    torch = pytest.importorskip("torch")

    def run(m, ndim, training, inplace):
        x = m.ones((2,) * ndim)
        m.manual_seed(1)
        try:
            y = getattr(m.nn.functional, name)(x, p, training, inplace)
        except (RuntimeError, ValueError) as error:
            return isinstance(error, ValueError)
        return y.tolist(), y is x, y.data_ptr() == x.data_ptr()

    for case in itertools.product(range(7), (True, False), (True, False)):
        assert run(rf, *case) == run(torch, *case), case
