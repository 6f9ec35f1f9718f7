"""What reads and writes other places than its own has NumPy's numbers, too: products, indices, windows, orders."""

import math
from itertools import product

import pytest
from hypothesis import given, settings, strategies as st

import rustyflow as rf
from rustyflow.backends import use

from .beside_numpy import EIGHTHS, LAYOUTS, arrays, same

F = rf.nn.functional


@settings(max_examples=25)
@given(st.data())
def test_products_of_matrices(data):
    m, k, n = (data.draw(st.integers(0, 3)) for _ in range(3))
    lead, other = data.draw(st.sampled_from([((), ()), ((2,), ()), ((), (2,)), ((2, 1), (3,))]))
    left, right = data.draw(
        st.sampled_from([((*lead, m, k), (*other, k, n)), ((k,), (*other, k, n)), ((*lead, m, k), (k,)), ((k,), (k,))])
    )
    a, b = (
        (list(s), data.draw(st.lists(EIGHTHS, min_size=math.prod(s), max_size=math.prod(s))), "dense")
        for s in (left, right)
    )
    same(lambda x, y: x @ y, a, b)
    if len(left) == len(right) == 2:
        same(lambda x, y: F.linear(x, y.t()), a, b)


@settings(max_examples=15)
@given(st.data())
def test_gather_and_scatter(data):
    x = data.draw(arrays(sizes=(1, 4)).filter(lambda x: x[2] == "dense" and x[0]))
    dim = data.draw(st.integers(0, len(x[0]) - 1))
    shape = [data.draw(st.integers(1, n)) for n in x[0]]
    index = data.draw(st.lists(st.integers(0, x[0][dim] - 1), min_size=math.prod(shape), max_size=math.prod(shape)))

    def named():
        return rf.tensor(index).reshape(shape)

    same(lambda x: x.gather(dim, named()), x)
    if shape == x[0]:  # of scatter_add, PyTorch has a gradient for src only then
        same(lambda x: x.scatter_add(dim, named(), x * 2), x)
    same(lambda x: x.scatter(dim, named(), 5.0), x)
    same(lambda x: x.index_select(dim, named().reshape(-1)), x)


@settings(max_examples=12)
@given(st.data())
def test_convolutions(data):
    groups, step, pad, spread = (
        data.draw(st.integers(1, 2)),
        data.draw(st.integers(1, 2)),
        data.draw(st.integers(0, 2)),
        data.draw(st.integers(1, 2)),
    )
    shape, kernel = (
        [data.draw(st.integers(1, 2)), 2, data.draw(st.integers(3, 5)), 4],
        [2, 2 // groups, data.draw(st.integers(1, 2)), 2],
    )
    x, w, b = (
        (s, data.draw(st.lists(EIGHTHS, min_size=math.prod(s), max_size=math.prod(s))), "dense")
        for s in (shape, kernel, [2])
    )
    same(lambda x, w, b: rf.conv2d(x, w, b, stride=step, padding=pad, dilation=spread, groups=groups), x, w, b)


WITHOUT_GRADIENTS = {
    "argsort": lambda x: x.argsort(-1, descending=True),
    "topk": lambda x: x.topk(1, 0).indices,
    "cummax": lambda x: (x - 0.5).sqrt().cummax(-1).indices,
    "cummin": lambda x: x.cummin(0),
    "argmax": lambda x: x.argmax(-1),
    "median": lambda x: x.median(-1).indices,
    "unique": lambda x: rf.unique(x, return_inverse=True, return_counts=True),
    "runs": lambda x: x.reshape(-1).unique_consecutive(return_counts=True),
    "isin": lambda x: rf.isin(x, rf.tensor([0.5, -1.0])),
    "searchsorted": lambda x: rf.searchsorted(rf.tensor([-1.0, 0.0, 0.5]), x.contiguous()),
    "one_hot": lambda x: F.one_hot((x > 0).long(), 3),
    "bincount": lambda x: rf.bincount((x.reshape(-1).abs() * 2).long(), minlength=4),
    "repeat_interleave": lambda x: rf.repeat_interleave((x > 0).long().reshape(-1) + 1),
    "masked_fill_": lambda x: x.clone().masked_fill_(x > 0, 7.0),
    "masked write": lambda x: written(x, x > 0, x[x > 0] * 2),
    "index write": lambda x: written(x, [0, -1], 5.0),
    "index_fill_": lambda x: x.clone().index_fill_(0, rf.tensor([0]), 2.0),
    "argwhere": lambda x: x.nonzero(),
    "torch.sum dtype": lambda x: x.sum(0, dtype=rf.int64),
    "random": lambda x: drawn(x),
}


def written(x, key, value):
    y = x.clone()
    y[key] = value
    return y


def drawn(x):
    rf.manual_seed(3)
    p = rf.full_like(x, 0.5)
    draws = rf.rand_like(x), rf.randn(2, 3), rf.bernoulli(p), rf.normal(x, 1.0), rf.multinomial(rf.ones(4), 2)
    return *draws, F.dropout(p, 0.5), rf.randperm(5), rf.zeros(4).uniform_(-1, 1)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name", WITHOUT_GRADIENTS)
def test_what_has_no_gradient_is_the_same_too(name, layout):
    results = []
    for backend in ("numpy", "loops"):
        with use(backend):
            x = rf.tensor([[0.5, -1.0, 0.5, 2.0], [0.25, 0.5, -1.0, -3.0], [2.0, 2.0, 0.0, 0.125]])
            y = WITHOUT_GRADIENTS[name](LAYOUTS[layout](x))
            results.append([(part.dtype, part.tolist()) for part in (y if isinstance(y, tuple) else (y,))])
    assert results[0] == results[1]


def test_an_index_into_an_axis_of_no_cells_is_refused_where_no_other_axis_has_cells_either():
    for name, i in product(("numpy", "loops"), ([0], [3, -1])):
        with use(name), pytest.raises(IndexError, match=f"index {i[-1]} is out of bounds"):
            rf.zeros(0, 0)[rf.tensor(i)]
