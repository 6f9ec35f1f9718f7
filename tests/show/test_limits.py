"""What show.op does not draw: it says what is so, and what it says to write is drawn."""

import re

import pytest

import rustyflow as rf
import rustyflow.nn.functional as F
from rustyflow import nn, show

X = rf.arange(12.0).view(4, 3)


def ones(*shape):
    return rf.ones(*shape)


LARGE = {
    "conv2d": (lambda a, b: show.op("conv2d", a, b), (1, 2, 20, 20), (8, 2, 9, 9)),
    "matmul": (lambda a, b: show.op("matmul", a, b), (200, 200), (200, 200)),
    "softmax": (lambda a: show.op("softmax", a, 1), (64, 64)),
    "cumsum": (lambda a: show.op("cumsum", a, 0), (4000,)),
    "attention": (lambda a, b, c: show.op(F.scaled_dot_product_attention, a, b, c), *[(1, 1, 64, 4)] * 3),
    "pooling": (lambda a: show.op("max_pool2d", a, 2), (8, 16, 28, 28)),
    "five axes": (lambda a: show.op("exp", a), (2, 1, 2, 1, 2)),
    "a million": (lambda a: show.op("exp", a), (1100, 1000)),
    "outer": (lambda a, b: show.op("outer", a, b), (100,), (100,)),
    "einsum": (lambda a, b: show.op("einsum", "ij,jk->ik", a, b), (120, 120), (120, 120)),
    "own": (lambda a, b: show.op(lambda a, b: (a @ b).relu(), a, b), (90, 90), (90, 90)),
}


@pytest.mark.parametrize("name", LARGE)
def test_of_what_is_too_large_a_part_is_named_that_is_drawn(name):
    draw, *shapes = LARGE[name]
    operands = [ones(*shape) for shape in shapes]
    figure = draw(*operands)
    (said,) = figure.sentences
    assert re.search("Cells are drawn up to 2,048.*: .* has [0-9]|to follow what its [0-9,]+ results? read", said)
    parts = re.search(r"Try (.*) in place of (.*)\.$", said)
    named = dict(zip("abc", operands))
    written, instead = (re.split(", (?![:0-9])| and ", words) for words in parts.groups())
    for name_, words in zip(instead, written, strict=True):
        named[name_] = eval(words, {}, dict(named))
    smaller = draw(*[named[name_] for name_ in "abc"[: len(shapes)]])
    assert len(smaller.sentences) > 1 and smaller.scene.links


def test_what_clashes_is_still_said_to_clash():
    with pytest.raises(RuntimeError, match="channels"):
        show.op("conv2d", ones(1, 3, 14, 14), ones(8, 2, 5, 5))


def add_one(x):
    x += 1
    return x * 2


def set_first(x):
    x[0] = 1
    return x


M, V = rf.zeros(3), rf.ones(3)
WRITING = [
    (lambda: show.op(F.batch_norm, X, M, V, training=True), "batch_norm, which writes to M and V", "lambda"),
    (lambda: show.op("batch_norm", X, M, V, training=True), "batch_norm, which writes to M and V", "lambda"),
    (lambda: show.op(F.relu, X, inplace=True), "relu, which writes to X", "leave out inplace=True"),
    (lambda: show.op(F.dropout, X, inplace=True), "dropout, which writes to X", "leave out inplace=True"),
    (lambda: show.op(nn.ReLU(inplace=True), X), "ReLU, which writes to X", "ReLU with inplace=False"),
    (lambda: show.op("relu_", X), "relu_, which writes to its operand", "'relu'"),
    (lambda: show.op(rf.Tensor.relu_, X), "relu_, which writes to X", "'relu'"),
    (lambda: show.op("zero_", X), "zero_, which writes to its operand", "x.clone().zero_("),
    (lambda: show.op("add", X, 1, out=rf.zeros(4, 3)), "add, which writes to", "leave out out="),
    (lambda: show.op(lambda x: x.relu_(), X), "f, which writes to X", "lambda"),
    (lambda: show.op(add_one, X), "add_one, which writes to X", "lambda"),
    (lambda: show.op(set_first, X), "set_first, which writes to X", "lambda"),
    (lambda: show.op(nn.init.zeros_, X), "zeros_, which writes to X", "X.clone()"),
]


@pytest.mark.parametrize("draw, was, fix", WRITING)
def test_of_what_writes_to_its_operands_these_are_named_and_what_to_write_is_drawn(draw, was, fix):
    with pytest.raises(ValueError, match="which writes") as caught:
        draw()
    assert caught.value.was.startswith(was) and "without its _" not in str(caught.value)
    assert fix in caught.value.fix
    if fix == "lambda":
        program = {**globals(), "rustyflow": rf}
        assert eval(caught.value.fix, program).scene.links


def test_a_name_that_is_none_is_told_the_nearest():
    with pytest.raises(ValueError, match="'softmax'"):
        show.op("softmx", X)
