"""Repairs: tried on what the operation had, without running the reader's expressions again, and valid Python."""

import sys
import threading

import pytest

import rustyflow as rf
import rustyflow.nn.functional as F
from rustyflow import nn
from rustyflow.see.exhibit import exhibit

from .lines import failed, names


def pictured(line, space):
    """What is said of a line that fails, and its repairs as code."""
    first, *rest = exhibit(failed(line, space), seconds=60).sentences
    return first, [sentence.partition(" runs")[0] for sentence in rest if " runs" in sentence]


def post(x):
    return x * 1


@pytest.mark.parametrize("line", ["post(x) @ torch.ones(4, 2).T", "torch.cat([post(x), w])", "post(x).view(7)",
                                  "post(x)[5]", "post(x)[:, 0] + x", "y = post(x).sum(7)"])  # fmt: skip
def test_an_operand_is_had_once_for_all_repairs(line):
    space, calls = {**names(rf, nn, F), "post": post}, []
    error = failed(line, space)

    def count(frame, event, _):
        if event == "call" and frame.f_code is post.__code__:
            calls.append(1)

    threading.setprofile(count)
    try:
        assert exhibit(error, seconds=60) is not None
    finally:
        threading.setprofile(None)
        sys.setprofile(None)
    assert len(calls) == 1


@pytest.mark.parametrize("cell, runs", [
    ("s = leaf.exp()\ns += 1\nlog(s)\ns.sum().backward()", False),
    ("def f(x): return x\ns = leaf.exp()\ns += f(1)\ns.sum().backward()", False),
    ("s = leaf.exp()\ns += 1\ns.sum().backward()", True),
    ("s = leaf.exp()\ns.add_(torch.ones(3))\nprint(s.sum())\ns.sum().backward()", True),
])
def test_a_cell_with_a_function_of_the_readers_is_not_run_again(cell, runs):
    space = {**names(rf, nn, F), "log": post}
    assert bool(pictured(cell, space)[1]) == runs


@pytest.mark.parametrize("line, repairs", [
    ("W.view(2, 4)[0] = 1.", ["z = W.view(2, 4).clone(); z[0] = 1.0", "z = W.view(2, 4).detach(); z[0] = 1.0"]),
    ("W[0] = 1.", ["W = W.clone(); W[0] = 1.0", "W = W.detach(); W[0] = 1.0"]),
    ("W.t()[0] += 1.", ["z = W.t().clone(); z[0] = W.t()[0] + 1.0", "z = W.t().detach(); z[0] = W.t()[0] + 1.0"]),
    ("F.embedding(torch.tensor([0, 5]), x)",
     ["F.embedding(torch.tensor([0, 5]) % 3, x)", "F.embedding(torch.tensor([0, 5]).clamp(max=2), x)"]),
    ("F.embedding(torch.tensor([[3], [7]]), x)", ["F.embedding(torch.tensor([[3], [7]]) % 3, x)"]),
    ("x.index_select(1, torch.tensor([6]))", ["x.index_select(1, torch.tensor([6]) % 4)"]),
    ("F.one_hot(torch.tensor([0, 5]), 3)", ["F.one_hot(torch.tensor([0, 5]) % 3, 3)"]),
])
def test_repairs_are_valid_and_run(line, repairs):
    space = {**names(rf, nn, F), "W": rf.ones(4, 2, requires_grad=True)}
    codes = pictured(line, space)[1]
    assert {*repairs} <= {*codes}
    for code in codes:
        exec(code, {**space, "W": rf.ones(4, 2, requires_grad=True)})


@pytest.mark.parametrize("line", ["x.expand(3, 4, 2)", "F.conv2d(x.view(1, 1, 3, 4), torch.ones(1, 2, 2, 2))",
                                  "F.one_hot(y, 1)", "F.nll_loss(x, torch.tensor([0, 1, 9]))"])  # fmt: skip
def test_pytorchs_errors_keep_their_words(line):
    torch = pytest.importorskip("torch")
    space = names(torch, torch.nn, torch.nn.functional)
    error = failed(line, space)
    said = exhibit(error, seconds=60).sentences[0].lower()
    assert str(error).splitlines()[0].rstrip(".").lower() in said
