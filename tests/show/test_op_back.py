"""show.op, backward: what comes back, from whom, and why nothing does."""

import math
import re

import numpy as np
import pytest

import rustyflow as rf
from rustyflow import show
from rustyflow.show.op.reads import reads
from rustyflow.show.op.sends import gradients
from tests.show.op_calls import OPS, F, each_op, equation_of, said_of, some


@each_op
def test_the_backward_terms_add_up(name):
    call, *operands = OPS[name]
    made = reads(call, operands)
    flow = gradients(call, made, None)
    assert flow is not None
    for k, total in enumerate(flow.totals):
        if total is None:
            continue
        for index in np.ndindex(total.shape):
            terms = sum(flow.upstream[cell] * by for cell, by in flow.factors[k].get(index, {}).items())
            np.testing.assert_allclose(terms, total[index], rtol=1e-5, atol=1e-7)


def test_a_sum_that_is_said_comes_to_what_is_said():
    x, w = rf.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]), rf.tensor([[1.0, 0.0], [2.0, -1.0], [0.5, 3.0]])
    figure = show.op("matmul", x, w)
    assert figure.scene.title == "matmul(x, w)"
    assert equation_of(figure, "y3") == "y[1, 1] = 4·0 + 5·(-1) + 6·3 = 13."
    assert equation_of(figure, "b0", ("g",)) == "w.grad[0, 0] = 3·1 + 2·4 = 11."
    assert equation_of(figure, "y3", ("g",)).startswith("g[1, 1] = 4 goes to x.grad[1, 0], x.grad[1, 1]")


def test_nothing_read_and_no_gradient_are_said():
    x = rf.tensor([[1.0, 2.0], [3.0, 4.0]])
    figure = show.op("tril", x)
    assert equation_of(figure, "y1") == "y[0, 1] = 0, and nothing was read for it."
    assert equation_of(figure, "a1", ("g",)) == "x.grad[0, 1] = 0: nobody reads it."
    whole = show.op("add", rf.tensor([1, 2]), rf.tensor([3, 4]))
    assert not whole.scene.toggles


def test_an_operation_without_a_derivative_is_drawn_and_says_so():
    figure = show.op(lambda x, y: x // y, rf.tensor([7.0, 9.0]), rf.tensor([2.0, 4.0]), names="xy")
    assert equation_of(figure, "y1" if "y1" in figure.scene.index else "out1").endswith(" = 2.")
    assert "There is no way back: the derivative for floor_divide is not implemented" in " ".join(figure.sentences)
    assert not figure.scene.toggles
    weights = show.op(F.cross_entropy, rf.tensor([[1.0, 2.0]]), rf.tensor([1]), rf.tensor([1.0, 2.0]), names="xcw")
    assert equation_of(weights, "c0", ("g",)) == "No gradient flows back to w."


def test_a_factor_of_0_is_a_factor_too():
    figure = show.op("outer", rf.tensor([1.0, 2.0]), rf.tensor([1.0, 0.0, -1.0]), names="xw")
    assert equation_of(figure, "a0", ("g",)) == "x.grad[0] = 3·1 + 1·0 + 2·(-1) = 1."
    figure = show.op("relu", rf.tensor([-1.0]), names="x")
    assert equation_of(figure, "a0", ("g",)) == "x.grad[0] = 0: all that the results send it is 0."


def test_what_is_read_twice_adds_up():
    x = rf.tensor([[1.0, 2.0], [3.0, 4.0]])
    figure = show.op(lambda t: t[[0, 1, 1]], x, names="x")
    assert "each cell gets the sum of what comes." in figure.sentences[-2]
    assert equation_of(figure, "a2", ("g",)) == "x.grad[1, 0] = 2 + 1 = 3."
    assert equation_of(figure, "a0", ("g",)) == "x.grad[0, 0] = g[0, 0] = 3."


def test_numbers_that_are_rounded_are_said_to_be_nearly_so_and_what_rests_at_a_minimum_moves_in_second_order():
    figure = show.op("mse_loss", rf.tensor([1.0, 2.0, 0.5]), rf.tensor([3.0, 2.5, 0.5]), names=["x", "t"])
    assert equation_of(figure, "y0") == (
        "y = ((1 - 3)·(1 - 3) + (2 - 2.5)·(2 - 2.5) + (0.5 - 0.5)·(0.5 - 0.5)) / 3 ≈ 1.42.")  # fmt: skip
    assert equation_of(figure, "a2", ("g",)) == "x.grad[2] = 0: all that the results send it is 0."
    figure = show.op("mse_loss", rf.tensor([1.0, 2.0]), rf.tensor([3.0, 4.0]), names=["x", "t"])
    assert equation_of(figure, "y0") == "y = ((1 - 3)·(1 - 3) + (2 - 4)·(2 - 4)) / 2 = 4."


def test_what_rounding_has_left_of_terms_that_cancel_is_said_to_be_that():
    figure = show.op(lambda a: F.layer_norm(a, (3,)), rf.tensor([[5.0, 7.0, 7.0], [3.0, 3.0, 1.0]]))
    told = [equation_of(figure, f"a{n}", ("g",)) for n in range(6)]
    noise, *_ = [sentence for sentence in told if "with more digits" in sentence]
    terms = re.search(r"= (.*) ≈ (\S+), with more digits", noise)
    assert eval(terms[1].replace("·", "*"), {"sqrt": math.sqrt}) == pytest.approx(float(terms[2]), rel=1e-2)
    assert sum("digits" in sentence for sentence in told) == 2
    figure = show.op(lambda a: a - a.mean(), rf.tensor([1.0, 2.0, 7.0]), upstream=rf.ones(3))
    assert equation_of(figure, "a0", ("g",)).endswith(" = 0.")


def test_why_an_operand_has_no_gradient():
    w, at, which = rf.ones(2, 3, requires_grad=True), rf.tensor([[1, 0], [2, 2]]), rf.tensor([True, False, True])
    figure = show.op("gather", w, 1, at)
    assert equation_of(figure, "b0", ("g",)) == "at holds whole numbers, which have no gradient."
    figure = show.op("where", which, w, 0.0)
    assert equation_of(figure, "a1", ("g",)) == "which holds True and False, which have no gradient."


KINKS = {
    "relu": (0.0, "slope", "max(0, 0) = 0"), "abs": (0.0, "slope", "abs(0) = 0"),
    "floor": (3.0, "result", "floor(3) = 3"), "ceil": (3.0, "result", "ceil(3) = 3"),
    "round": (3.5, "result", "round(3.5) = 4"), "sign": (0.0, "result", "sign(0) = 0"),
    "hardtanh": (1.0, "slope", "min(max(1, -1), 1) = 1"),
    "relu6": (6.0, "slope", "min(max(6, 0), 6) = 6"), "trunc": (-2.0, "result", "trunc(-2) = -2"),
}  # fmt: skip


@pytest.mark.parametrize("name", KINKS)
def test_at_a_kink_a_gradient_of_0_is_a_choice(name):
    x, jumps, told = KINKS[name]
    figure = show.op(name, rf.tensor([x, x + 0.25]), names="a")
    said = equation_of(figure, "a0", ("g",))
    assert said == f"a.grad[0] = 0: PyTorch's choice where the {jumps} jumps."
    assert equation_of(figure, "y0") == f"y[0] = {told}."
    assert "PyTorch" not in equation_of(figure, "a1", ("g",))


def test_ties_are_choices_too_and_a_withheld_gradient_is_said():
    figure = show.op("max", rf.tensor([[2.0, 5.0, 5.0]]), 1, names="a")
    said = [equation_of(figure, f"a{n}", ("g",)) for n in (0, 2)]
    assert said[0].endswith("all that the results send it is 0.") and said[1].endswith("where the slope jumps.")
    figure = show.op("embedding", rf.tensor([2, 0]), some(3, 2), padding_idx=2, names="iw")
    withheld = "a result moves with it, but the operation withholds its gradient."
    assert equation_of(figure, "b4", ("g",)) == f"w.grad[2, 0] = 0: {withheld}"
    assert equation_of(figure, "b2", ("g",)) == "w.grad[1, 0] = 0: nobody reads it."


def test_what_is_written_over_is_said_to_be():
    figure = show.op("scatter", rf.ones(3), 0, rf.tensor([2, 0, 2]), rf.tensor([4.0, 5.0, 6.0]), names="xis")
    told = "{} is read for y[2], which is then written over.".format
    assert said_of(figure, "b0", "c0", "a2") == [told("i[0] = 2"), told("s[0] = 4"), told("x[2] = 1")]
    assert equation_of(figure, "a2", ("g",)) == "x.grad[2] = 0: what read it was written over."
    figure = show.op("index_copy", rf.ones(2, 3), 0, rf.tensor([1, 1]), rf.zeros(2, 3), names="xis")
    assert said_of(figure, "b0") == ["i[0] = 1 is read for 3 results, which are then written over."]
    assert said_of(show.op("triu", rf.ones(2, 2), names="x"), "a2") == ["x[1, 0] = 1 is read by nobody."]


@pytest.mark.parametrize("f, rest", [("nll_loss", {}), ("nll_loss", {"weight": rf.tensor([2.0, 5.0])}),
                                     ("cross_entropy", {}), ("cross_entropy", {"reduction": "sum"})])  # fmt: skip
def test_nothing_is_read_at_a_target_that_is_ignored(f, rest):
    x, target = rf.tensor([[1.0, 2.0], [0.0, 3.0], [1.0, 1.5]]), rf.tensor([1, -100, 1])
    figure = show.op(f, x, target, names=["x", "target", "w"][: 2 + len(rest) * ("weight" in rest)], **rest)
    assert said_of(figure, "a2", "a3") == ["x[1, 0] = 0 is read by nobody.", "x[1, 1] = 3 is read by nobody."]
    assert equation_of(figure, "a3", ("g",)) == "x.grad[1, 1] = 0: nobody reads it."
    assert said_of(figure, "a5") == ["x[2, 1] = 1.5 is read by y."]


@pytest.mark.parametrize("f, x, n", [("std", [3.0, 3.0, 3.0], 1), (lambda t: (t - t.mean()).abs().sum(), [2.0, 2.0], 0),
                                     (lambda t: (t[0] - t[1]).abs(), [4.0, 4.0], 1)])  # fmt: skip
def test_cells_that_move_a_result_apart_are_at_a_kink_too(f, x, n):
    figure = show.op(f, rf.tensor(x), names="x")
    said = equation_of(figure, f"a{n}", ("g",))
    assert said == f"x.grad[{n}] = 0: PyTorch's choice where the slope jumps."


def test_a_step_that_is_refused_hides_no_other():
    figure = show.op("binary_cross_entropy", rf.tensor([0.0, 1.0]), rf.tensor([0.0, 1.0]), names="xt")
    assert equation_of(figure, "a0", ("g",)) == "x.grad[0] = 0: PyTorch's choice where the slope jumps."


def test_what_is_written_comes_to_what_is_shown_of_it():
    rf.manual_seed(3)
    a, b, c = rf.randn(2, 4) / 3, rf.randn(4, 2) / 7, rf.randn(2, 4)
    for figure in (show.op("matmul", a, b), show.op("mul", a, c), show.op("sum", a, dim=1), show.op("mean", a, dim=1),
                   show.op("sub", a, c), show.op("div", a, c), show.op("cumsum", a, dim=1), show.op("square", a),
                   show.op("softmax", c, dim=1, upstream=a), show.op("matmul", a, b, one_by_one=True)):  # fmt: skip
        cells = [id for links in figure.scene.links for id in links.links]
        told = {equation_of(figure, id, on) for id in cells for on in ((), ("g",))}
        sums = [re.fullmatch(r"(?:[^=]* = )?([^=≈,]*[·+/-][^=≈,]*) [=≈] (\S+)\.", said) for said in told]
        assert sum(map(bool, sums)) >= 2
        for found in (each for each in sums if each and "..." not in each[1]):
            shown = float(found[2])
            last = 10.0 ** (math.floor(math.log10(abs(shown) or 1)) - 2)
            worked = eval(found[1].replace("·", "*"), {"exp": math.exp})
            assert worked == pytest.approx(shown, abs=0.51 * last), found[0]
