"""Sixty lines of PyTorch's kind under rustyflow's name: each is drawn, with the numbers that the line has."""

import pytest

import rustyflow as torch
import rustyflow.nn.functional as F
from rustyflow import nn, see
from rustyflow.see.exhibit import exhibit
from rustyflow.see.failure import failure_of

from .lines import FAILING, LINES, failed, names

SPACE = names(torch, nn, F)


@pytest.mark.parametrize("line", LINES)
def test_a_line_is_drawn_and_changes_nothing(line):
    before = {name: value.tolist() for name, value in SPACE.items() if isinstance(value, torch.Tensor)}
    state = torch.get_rng_state()
    figure = see(line, SPACE)
    assert len(figure.frames) > 1 and "is not drawn" not in figure.state(0).sentence
    assert line.split("[")[0].split("(")[0] in figure.scene.title
    assert {name: SPACE[name].tolist() for name in before} == before
    assert torch.equal(torch.get_rng_state(), state)


@pytest.mark.parametrize("line, cell, sentence", [
    ("x @ w0", "c0", "(x @ w0)[0, 0] = 0·1 + 1·0 + 2·0 + 3·2 = 6."),
    ("x + x[0]", "r5", "(x + x[0])[1, 1] = x[1, 1] + x[0][1] = 5 + 1 = 6."),
    ("x.sum(1)", "r2", "x.sum(dim=1)[2] = 8 + 9 + 10 + 11 = 38."),
    ("x.t()[1:]", "b0", "y[0, 0] is slot 1"),
    ("x.cumsum(dim=1)", "y2", "y[0, 2] = 0 + 1 + 2 = 3."),
])
def test_the_last_operation_decides_the_figure(line, cell, sentence):
    w0 = torch.tensor([[1.0], [0], [0], [2]])
    state = see(line, {**SPACE, "w0": w0}).state(link=cell)
    assert sentence.partition(" ")[2] in state.sentence


@pytest.mark.parametrize("line", FAILING)
def test_a_failing_line_has_its_picture_and_a_repair_that_runs(line):
    error = failed(line, names(torch, nn, F))
    figure = exhibit(error, seconds=20)
    assert len(figure.frames) > 1
    space = names(torch, nn, F)
    for sentence in figure.sentences[1:]:
        code = sentence.partition(" runs")[0]
        for statement in line.split("; ")[:-1]:  # what stands before the operation that failed
            if statement.split(".")[0] != code.split(" ")[0] or "=" in statement:
                exec(statement, space)
        exec(code, space)


@pytest.mark.parametrize("line, said, repair", [
    ("big + pad", "the 2 of pad stands under the 6 of big", "big + pad[:, None, None, :] runs and gives shape (2, 4"),
    ("x.t().view(12)", "Dims 0 and 1 cannot merge: stride 1 of dim 0 is not 3 times", "x.t().reshape(12) runs"),
    ("x[3]", "dim 0 of x has the indices 0 to 2", "x[2] runs and gives shape (4,)."),
    ("w @ x", "The last size of w meets the first of x in every product: 2 is not 3.", "x @ w runs and gives"),
    ("torch.cat([x, w])", "Along dim 1 the sizes are 4 and 2", "torch.cat([x, w.T]) runs and gives shape (5, 4)."),
    ("x.sum(2)", "x has 2 dims, 0 to 1: there is no dim 2.", "x.sum(1) runs and gives shape (3,)."),
    ("y @ x", "int64 != float32", "y.to(x.dtype) @ x runs and gives shape (4,)."),
    ("s = leaf.exp(); s += 1; s.sum().backward()", "it was written over since", "s = s + 1 runs."),
    ("s = leaf.exp(); s[0] = 1; s.sum().backward()", "it was written over since", "s = s.clone(); s[0] = 1 runs."),
    ("s = (leaf ** 2).sum(); s.backward(); s.backward()", "a second time", "s.backward(retain_graph=True) runs."),
])
def test_what_was_refused_is_said_with_its_sizes(line, said, repair):
    figure = exhibit(failed(line, names(torch, nn, F)), seconds=20)
    assert said in figure.state(0).sentence
    assert any(sentence.startswith(repair.removesuffix(".")) for sentence in figure.sentences[1:])


def test_the_operation_that_failed_is_lit():
    failure = failure_of(failed("attn = (big + pad).softmax(-1)", names(torch, nn, F)))
    assert failure.text[slice(*failure.lit)] == "big + pad"
    again = failure_of(failed("z = x + 1 + pad + x", names(torch, nn, F)))
    assert again.text[slice(*again.lit)] == "x + 1 + pad"


@pytest.mark.parametrize("library", ["rustyflow", "torch"])
@pytest.mark.parametrize("line, cell", [
    ("z.mul_(2)", "y[1] = (-2)·2 = -4."),
    ("out = z.add_(1)", "y[1] = (-2) + 1 = -1."), ("z.relu_()", "max(-2, 0) = 0."),
])
def test_what_a_line_writes_into_is_drawn_as_it_was(line, cell, library):
    z = pytest.importorskip(library).tensor([1.0, -2.0, 3.0])
    figure = see(line, {"z": z})
    assert figure.sentences[0].startswith("The line writes into z, in place: here z still has the numbers of before.")
    assert figure.state(link="y1").sentence.endswith(cell) and "clone" not in str(figure)
    assert z.tolist() == [1, -2, 3]


def test_the_sizes_that_are_told_are_those_of_operands_that_were_cut():
    x = torch.ones(8, 3, 32, 32)
    said = see("F.interpolate(x, scale_factor=2)", {"F": F, "x": x}).sentences[0]
    assert "for 32" in said and "for 8" in said and "for 64" not in said
