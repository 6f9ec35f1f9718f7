"""Calls of operations that figures are tested on, and what such a figure says."""

import numpy as np
import pytest

import rustyflow as rf

F = rf.nn.functional


def some(*shape, seed=0):
    return np.random.default_rng(seed).permutation(np.arange(1.0, 1 + np.prod(shape, dtype=int))).reshape(shape) / 2


OPS = {
    "add": (lambda a, b: a + b, some(3, 1), some(4)),
    "outer": (rf.outer, some(3), some(2)),
    "matmul": (lambda a, b: a @ b, some(2, 3), some(3, 4)),
    "bmm": (rf.bmm, some(2, 2, 3), some(2, 3, 2)),
    "einsum": (lambda a, b: rf.einsum("bij,bkj->bik", a, b), some(2, 2, 3), some(2, 4, 3)),
    "linear": (F.linear, some(2, 3), some(4, 3), some(4)),
    "conv1d": (lambda a, b: F.conv1d(a[None, None], b[None, None])[0, 0], some(6), some(3)),
    "conv1d, padded": (lambda a, b: F.conv1d(a[None, None], b[None, None], padding=1)[0, 0], some(5), some(3)),
    "conv1d, dilated": (lambda a, b: F.conv1d(a[None, None], b[None, None], dilation=2)[0, 0], some(8), some(3)),
    "conv2d": (lambda a, b: F.conv2d(a[None, None], b[None, None])[0, 0], some(5, 5), some(3, 3)),
    "conv2d, stride 2": (lambda a, b: F.conv2d(a[None, None], b[None, None], stride=2)[0, 0], some(5, 7), some(3, 3)),
    "max_pool2d": (lambda a: F.max_pool2d(a[None, None], 2)[0, 0], some(4, 4)),
    "avg_pool2d": (lambda a: F.avg_pool2d(a[None, None], 2)[0, 0], some(4, 4)),
    "sum": (lambda a: a.sum(1), some(3, 4)),
    "mean": (lambda a: a.mean(0), some(3, 4)),
    "prod": (lambda a: a.prod(), some(4)),
    "amax": (lambda a: a.amax(0), some(3, 2)),
    "cumsum": (lambda a: a.cumsum(0), some(5)),
    "softmax": (lambda a: a.softmax(1), some(2, 3)),
    "log_softmax": (lambda a: a.log_softmax(1), some(2, 3)),
    "layer_norm": (lambda a: F.layer_norm(a, (3,)), some(2, 3)),
    "cross_entropy": (F.cross_entropy, some(3, 4), np.array([0, 2, 1])),
    "gather": (lambda a, b: a.gather(1, b), some(3, 4), np.array([[0], [2], [1]])),
    "index_select": (lambda a, b: a.index_select(0, b), some(4, 3), np.array([2, 0, 2])),
    "embedding": (lambda a, b: F.embedding(b, a), some(5, 2), np.array([2, 0, 2])),
    "scatter_add": (lambda a, b, c: a.scatter_add(0, b, c), some(4), np.array([1, 1, 3]), some(3, seed=1)),
    "where": (rf.where, np.array([True, False, True]), some(3), some(3, seed=1)),
    "masked_fill": (lambda a, b: a.masked_fill(b, 9.0), some(3), np.array([True, False, True])),
    "clamp": (lambda a: a.clamp(1, 2), some(4)),
    "exp": (lambda a: a.exp(), some(3)),
    "cat": (lambda a, b: rf.cat([a, b]), some(3), some(2)),
    "stack": (lambda a, b: rf.stack([a, b]), some(3), some(3, seed=1)),
    "roll": (lambda a: a.roll(1, 0), some(5)),
    "flip": (lambda a: a.flip(0), some(5)),
    "tril": (lambda a: a.tril(), some(3, 3)),
    "transpose": (lambda a: a.T, some(3, 4)),
    "slice": (lambda a: a[1:, ::2], some(3, 4)),
    "two rows": (lambda a: a[[0, 2]], some(3, 4)),
    "a mask": (lambda a: a[a > 1.1], some(5)),
    "unfold": (lambda a: a.unfold(0, 3, 1), some(6)),
    "diagonal": (lambda a: a.diagonal(), some(3, 3)),
    "expand": (lambda a: a.expand(3, 4), some(3, 1)),
    "repeat": (lambda a: a.repeat(2), some(3)),
    "sort": (lambda a: a.sort(), some(5)),
    "topk": (lambda a: a.topk(2), some(5)),
    "view": (lambda a: a.view(2, 6), some(3, 4)),
    "one cell": (lambda a: a[1, 2], some(3, 4)),
    "a row": (lambda a: a[1], some(3, 4)),
    "a new axis": (lambda a: a[:, None], some(3)),
    "the last axis": (lambda a: a[..., 0], some(3, 4)),
    "a row twice": (lambda a: a[[0, 2, 2]], some(3, 4)),
    "an index": (lambda a, b: a[b], some(6), np.array([1, 1, 4])),
    "two indices": (lambda a, b, c: a[b, c], some(3, 4), np.array([0, 2, 2]), np.array([1, 3, 3])),
    "a mask of its own": (lambda a, b: a[b], some(2, 3), np.array([[True, False, True], [False, True, False]])),
    "windows": (lambda a: F.unfold(a[None, None], 2)[0], some(3, 3)),
    "conv1d, channels": (F.conv1d, some(1, 2, 5), some(2, 2, 3, seed=1), some(2)),
    "conv2d, padded": (lambda a, b: F.conv2d(a[None, None], b[None, None], padding=1)[0, 0], some(4, 4), some(3, 3)),
    "conv2d, batch": (F.conv2d, some(1, 1, 4, 4), some(2, 1, 2, 2, seed=1)),
    "layer_norm, turned": (lambda a: F.layer_norm(a.T, (2,)), some(2, 3)),
    "layer_norm, scaled": (lambda a, b, c: F.layer_norm(a, (3,), b, c), some(2, 3), some(3), some(3, seed=1)),
    "glu": (lambda a: F.glu(a, 1), some(3, 4)),
    "log": (lambda a: a.log(), some(3)),
    "sigmoid": (lambda a: a.sigmoid(), some(3)),
    "div": (lambda a, b: a / b, some(2, 3), some(3)),
}

each_op = pytest.mark.parametrize("name", OPS)


def result(call, operands):
    made = call(*map(rf.from_numpy, operands))
    return np.array((made[0] if isinstance(made, tuple) else made).tolist())


def equation_of(figure, link, toggles=()):
    """What is said of a cell: of one that is worked out the equation, after the words before it."""
    words, _, equation = figure.state(link=link, toggles=toggles).sentence.partition(": ")
    return equation if equation and "=" not in words else f"{words}{_}{equation}"


def said_of(figure, *ids):
    return [equation_of(figure, id) for id in ids]
