"""What programs do around their models: plots, loops, first weights, samples, one step of a recurrent layer.

A draw returns nothing to compare, as each is another one: tests/test_random_as_torch.py compares them.
"""
from __future__ import annotations

import numpy as np

from .harness import data


def plot(m, n):
    """A line of matplotlib's, which is not drawn."""
    from matplotlib.figure import Figure
    axes, y = Figure().subplots(), m.tensor(data(n))

    def run():
        line, = axes.plot(y)
        line.remove()
        return line.get_xydata()
    return run


def array_of_numbers(m, n):
    numbers = [m.tensor(float(k)) for k in range(n)]
    return lambda: np.asarray(numbers)


def loop(m, shape):
    x = m.tensor(data(*shape))

    def run():
        rows = None
        for rows in x:  # noqa: B007 - the loop is what is timed
            pass
        return rows
    return run


def randn(m, shape):
    def run():
        m.randn(*shape)
    return run


def multinomial(m, n):
    weights = m.tensor(np.abs(data(n)))

    def run():
        m.multinomial(weights, 1)
    return run


def lstm(m, shape):
    batch, inputs, hidden = shape
    m.manual_seed(0)
    layer, x = m.nn.LSTM(inputs, hidden), m.tensor(data(1, batch, inputs))
    state = tuple(m.tensor(data(1, batch, hidden)) for _ in range(2))
    return lambda: layer(x, state)[0]


def lstm_cell(m, shape):
    batch, inputs, hidden = shape
    m.manual_seed(0)
    cell, x = m.nn.LSTMCell(inputs, hidden), m.tensor(data(batch, inputs))
    state = tuple(m.tensor(data(batch, hidden)) for _ in range(2))
    return lambda: cell(x, state)


def block(m, shape):
    """Convolution, batch norm and relu, forward and backward."""
    n, c, size, o = shape
    m.manual_seed(0)
    conv, norm = m.nn.Conv2d(c, o, 3, padding=1), m.nn.BatchNorm2d(o)
    x, target = m.tensor(data(n, c, size, size)), m.tensor(data(n, o, size, size))
    weights = [conv.weight, norm.weight, norm.bias]  # a bias before a norm has a gradient of float noise

    def run():
        for w in (*weights, conv.bias):
            w.grad = None
        (norm(conv(x)).relu() * target).sum().backward()
        return [w.grad for w in weights]
    return run
