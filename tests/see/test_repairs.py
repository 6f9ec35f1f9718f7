"""Repairs: tried on what the operation had, without running the reader's expressions again, and valid Python."""

import sys
import threading
from collections import OrderedDict

import pytest

import rustyflow as rf
import rustyflow.nn.functional as F
from rustyflow import nn
from rustyflow.see.exhibit import exhibit
from rustyflow.see.failure import failure_of
from rustyflow.see.refusal import sizes_of
from rustyflow.see.repairs import repairs as repairs_of

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
    ("W[0] = 1.", ["with torch.no_grad(): W[0] = 1.0", "W = W.clone(); W[0] = 1.0"]),
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


LEAVES = """
lin, leaf = nn.Linear(4, 2), torch.ones(3, requires_grad=True)
"""


@pytest.mark.parametrize("library", ["rustyflow", "torch"])
@pytest.mark.parametrize("line, repairs", [
    ("lin.weight[0] = 0", ["with torch.no_grad(): lin.weight[0] = 0"]),
    ("lin.weight -= 0.5 * lin.weight", ["with torch.no_grad(): lin.weight -= 0.5 * lin.weight"]),
    ("lin.weight.mul_(2)", ["with torch.no_grad(): lin.weight.mul_(2)"]),
    ("leaf += 1", ["with torch.no_grad(): leaf += 1", "leaf = leaf + 1"]),
    ("leaf[0] = 0", ["with torch.no_grad(): leaf[0] = 0", "leaf = leaf.clone(); leaf[0] = 0"]),
])
def test_a_write_into_a_leaf_is_first_done_unrecorded_and_what_else_loses_is_said(line, repairs, library):
    torch = pytest.importorskip(library)
    space = names(torch, torch.nn, torch.nn.functional)
    exec(LEAVES, space)
    first, *sentences = exhibit(failed(line, space), seconds=60).sentences
    assert [sentence.partition(" runs")[0] for sentence in sentences] == repairs
    assert all(", but leaf is no leaf then, and leaf.grad stays None." in sentence for sentence in sentences[1:])
    for code in repairs:
        exec(LEAVES, space)
        exec(code, space)
        assert space["lin"].weight.is_leaf and (space["leaf"].is_leaf or code.startswith("leaf ="))


@pytest.mark.parametrize("library", ["rustyflow", "torch"])
@pytest.mark.parametrize("cell, repairs", [
    ("y = (leaf ** 2).sum()\ny.backward()\ny.backward()",
     ["y.backward(retain_graph=True) runs in line 2.", "y = (leaf ** 2).sum(); y.backward() runs in line 3."]),
    ("y = (leaf ** 2).sum()\na = y * 2\nb = y * 3\na.backward()\nb.backward()",
     ["a.backward(retain_graph=True) runs in line 4."]),
    ("s = leaf.exp()\ns += 1\ns.sum().backward()", ["s = s + 1 runs in line 2."]),
    ("y = (leaf ** 2).sum()\nfor k in range(2):\n    y.backward()", []),
])
def test_a_repair_in_another_line_says_in_which(cell, repairs, library):
    torch = pytest.importorskip(library)
    assert [*exhibit(failed(cell, names(torch, torch.nn, torch.nn.functional)), seconds=60).sentences[1:]] == repairs


@pytest.mark.parametrize("library", ["rustyflow", "torch"])
@pytest.mark.parametrize("line, repairs", [
    ("F.scaled_dot_product_attention(q, q, q, attn_mask=keys)",
     ["F.scaled_dot_product_attention(q, q, q, attn_mask=keys[:, None, None, :]) runs and gives shape (2, 4, 5, 8), "
      "with keys's 2 on dim 0 and 5 on dim 3.",
      "F.scaled_dot_product_attention(q, q, q, attn_mask=keys[:, None, :, None]) runs and gives shape (2, 4, 5, 8), "
      "with keys's 2 on dim 0 and 5 on dim 2."]),
    ("F.cross_entropy(torch.ones(6, 5), y)", ["F.cross_entropy(torch.ones(6, 5)[:3], y) runs and gives shape ()."]),
])
def test_the_likeliest_axes_of_a_mask_and_of_a_batch_come_first(line, repairs, library):
    torch = pytest.importorskip(library)
    space = names(torch, torch.nn, torch.nn.functional)
    space |= {"q": torch.ones(2, 4, 5, 8), "keys": torch.ones(2, 5).bool()}
    assert [*exhibit(failed(line, space), seconds=60).sentences[1 : 1 + len(repairs)]] == repairs


LAYERS = """
gray, rgb, last = torch.ones(8, 1, 9, 9), torch.ones(8, 3, 9, 9), torch.ones(2, 8, 8, 3)
conv1, conv3, norm = nn.Conv2d(1, 4, 3), nn.Conv2d(3, 4, 3, padding=1), nn.BatchNorm2d(4)
model, seq = nn.Sequential(nn.Conv2d(1, 4, 3), nn.ReLU()), torch.ones(2, 10, 5)
"""


@pytest.mark.parametrize("library", ["rustyflow", "torch"])
@pytest.mark.parametrize("line, repairs", [
    ("F.conv2d(x.view(1, 1, 3, 4), torch.ones(1, 2, 2, 2))",
     ["F.conv2d(x.view(1, 1, 3, 4).expand(-1, 2, -1, -1), torch.ones(1, 2, 2, 2))",
      "F.conv2d(x.view(1, 1, 3, 4), torch.ones(1, 2, 2, 2)[:, :1])"]),
    ("F.conv2d(img, torch.ones(3, 3))", ["F.conv2d(img, torch.ones(3, 3).expand(1, 2, -1, -1))"]),
    ("conv3(gray)", ["conv3(gray.expand(-1, 3, -1, -1))", "nn.Conv2d(1, 4, 3, padding=1)(gray)"]),
    ("conv1(rgb)", ["conv1(rgb.mean(1, keepdim=True))", "nn.Conv2d(3, 4, 3)(rgb)"]),
    ("conv3(last)", ["conv3(last.movedim(-1, 1))"]),
    ("model(rgb)", ["model(rgb.mean(1, keepdim=True))"]),
    ("norm(rgb)", ["nn.BatchNorm2d(3)(rgb)"]),
    ("nn.Linear(81, 10, bias=False)(gray)",
     ["nn.Linear(81, 10, bias=False)(gray.flatten(1))", "nn.Linear(9, 10, bias=False)(gray)"]),
    ("nn.LSTM(4, 3)(seq)", ["nn.LSTM(5, 3)(seq)"]),
    ("nn.LayerNorm((4, 4))(img[..., :3])", []),
])
def test_channels_and_layers_are_made_to_fit(line, repairs, library):
    torch = pytest.importorskip(library)
    space = names(torch, torch.nn, torch.nn.functional)
    exec(LAYERS, space)
    codes = pictured(line, space)[1]
    assert {*repairs} <= {*codes}
    for code in codes:
        exec(LAYERS, space)
        exec(code, space)


@pytest.mark.parametrize("library", ["rustyflow", "torch"])
@pytest.mark.parametrize("line, said, repairs", [
    ("net(x)", "The last size of net[2]'s input meets the last of net[2].weight in every product: 8 is not 9.",
     ["net[2] = nn.Linear(8, 3)"]),
    ("(own.body(x) + 1).sum()", "The last size of own.body[2]'s input meets the last of own.body[2].weight",
     ["own.body[2] = nn.Linear(8, 3)"]),
    ("pair(x)", "The last size of pair.last's input meets", ["pair.last = nn.Linear(8, 3)"]),
    ("net[2](x)", "The last size of x meets the last of net[2].weight", ["nn.Linear(4, 3)(x)"]),
])
def test_the_layer_in_a_module_that_does_not_fit_is_named_and_made_anew(line, said, repairs, library):
    torch = pytest.importorskip(library)
    nn = torch.nn
    space = names(torch, nn, nn.functional)
    space["net"] = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(9, 3))
    space["pair"] = nn.Sequential(OrderedDict(first=nn.Linear(4, 8), last=nn.Linear(9, 3)))
    space["own"] = nn.Module()
    space["own"].body = space["net"]
    first, codes = pictured(line, space)
    assert said in first and codes[: len(repairs)] == repairs
    exec(codes[0], space)
    if " = " in codes[0]:
        exec(line, space)


def test_where_no_time_is_left_for_repairs_the_sizes_are_there():
    failure, ran = failure_of(failed("big + pad", names(rf, nn, F))), []
    assert not repairs_of(failure, "shape", ran, 0.0) and ran == []
    assert repairs_of(failure, "shape", ran, 60.0) and ran[0].code == "big + pad[:, None, None, :]"
    rows = [[box.text for box in row.boxes if box] for row in sizes_of(failure).rows]
    assert rows == [["2", "4", "6", "6"], ["2", "6"]]


def test_no_layer_is_made_that_is_too_large_to_try():
    space = {**names(rf, nn, F), "wide": nn.Linear(4, 3000), "x": rf.zeros(1).expand(2, 4001)}
    assert not [code for code in pictured("wide(x)", space)[1] if code.startswith("nn.Linear")]


@pytest.mark.parametrize("line, said", [
    ("F.conv2d(img, one)", "Each kernel of one reads 1 channel, on dim 1; img has 2 there."),
    ("F.linear(x, wide)", "The last size of x meets the last of wide in every product: 4 is not 7."),
])
def test_what_does_not_fit_a_layer_is_said_by_its_dim(line, said):
    space = {**names(rf, nn, F), "one": rf.ones(4, 1, 2, 2), "wide": rf.ones(9, 7)}
    assert pictured(line, space)[0].endswith(said)


@pytest.mark.parametrize("line", ["x.expand(3, 4, 2)", "F.conv2d(x, ker)",
                                  "F.one_hot(y, 1)", "F.nll_loss(x, torch.tensor([0, 1, 9]))"])  # fmt: skip
def test_pytorchs_errors_keep_their_words(line):
    torch = pytest.importorskip("torch")
    space = names(torch, torch.nn, torch.nn.functional)
    error = failed(line, space)
    said = exhibit(error, seconds=60).sentences[0].lower()
    assert str(error).splitlines()[0].rstrip(".").lower() in said


def test_an_error_of_calls_that_go_too_deep_is_none_of_tensors():
    def deeper(x):
        return deeper(x @ x)

    with pytest.raises(RecursionError) as error:
        deeper(rf.eye(2))
    assert exhibit(error.value, seconds=60) is None


def test_of_several_results_the_shape_is_said_to_be_the_first_s():
    torch = pytest.importorskip("torch")
    said = exhibit(failed("x.split(0)", names(torch, torch.nn, torch.nn.functional)), seconds=60).sentences
    assert "x.split(1) runs and gives shape (1, 4), the first of 3 results." in said
