"""No text of a figure runs past its cell, its panel or the drawing, however long names and numbers are, and however
deep a model is: measured in the scene, in every frame, on every side, with links."""

import numpy as np
import pytest

import rustyflow as rf
from rustyflow import nn, show
from rustyflow.scene import Figure, Frame, Scene, draw
from tests.scene.rooms import overruns

W, B, RESULT = "a_name_of_forty_letters_for_the_weights_", "another_name_of_forty_letters_for_inputs", "t" * 200
BIG = np.array([[123456789.25, -0.000123456], [1e30, -1e-30]])
R = np.random.default_rng(0)
MOST = 2**63 - 1


def perceptron(deep, wide):
    rf.manual_seed(0)
    layers = [part for _ in range(deep) for part in (nn.Linear(wide, wide), nn.Tanh())]
    model, x = nn.Sequential(*layers, nn.Linear(wide, 2)), rf.randn(4, wide)
    return nn.functional.cross_entropy(model(x), rf.tensor([0, 1, 0, 1]))


def drawn_of_long_names(figure):
    names = {"rf": rf, "show": show}
    exec(f"{W} = rf.tensor([[1.234567, 2.3], [3.1, -4.123456]]).requires_grad_()\n"
         f"{B} = rf.tensor([[0.1234567], [7.654321]]).requires_grad_()\n"
         f"the_result_of_a_product_of_long_names = ({W} @ {B}).tanh()\n"
         f"the_very_last_sum_of_all_of_these_numbers = (the_result_of_a_product_of_long_names * {B}).sum()", names)
    return eval(f"show.{figure}(the_very_last_sum_of_all_of_these_numbers)", names)


FIGURES = {
    "backward of a model": lambda: show.backward(perceptron(1, 2)),
    "backward of a deep model": lambda: show.backward(perceptron(3, 8)),
    "backward of long names": lambda: drawn_of_long_names("backward"),
    "backward with a long title": lambda: show.backward(rf.ones(2, requires_grad=True).sum(), title=RESULT),
    "graph of a model": lambda: show.graph(perceptron(1, 2)),
    "graph of a deep model": lambda: show.graph(perceptron(3, 8)),
    "graph of long names": lambda: drawn_of_long_names("graph"),
    "strides of a long name": lambda: show.strides(BIG, BIG.T, names=[W, B]),
    "strides with a long title": lambda: show.strides(BIG, names=[W], title=RESULT),
    "strides where no view can be": lambda: show.strides(np.arange(12).reshape(3, 4).T, view=(2, 6), names=[W]),
    "strides of whole numbers": lambda: show.strides(np.array([MOST, -MOST])),
    "broadcast": lambda: show.broadcast(BIG, BIG[0], op="*", names=[W, B]),
    "broadcast of three": lambda: show.broadcast(BIG, BIG[0], BIG[:, :1], names=[W, B, "x" * 40]),
    "broadcast of a function": lambda: show.broadcast(BIG, BIG[0], op="maximum", names=[W, B]),
    "broadcast of whole numbers": lambda: show.broadcast(np.array([[MOST], [5]]), np.array([MOST, 3]), op="*",
                                                         names=[W, B]),
    "clash": lambda: show.broadcast(np.ones((5, 3)), np.ones(5), op="-", names=[W, B]),
    "reduce": lambda: show.reduce(BIG, "sum", 1, name=W),
    "reduce to a norm": lambda: show.reduce(BIG, "norm", 1, name=W),
    "reduce of long lanes": lambda: show.reduce(R.normal(size=(3, 20)), "mean", 1, name=W),
    "reduce of four axes": lambda: show.reduce(R.normal(size=(2, 3, 2, 3)), "std", (0, 2), name=W),
    "reduce of one sentinel": lambda: show.reduce(np.array([[MOST, 5], [3, 4]]), "sum", 1, name="x"),
    "reduce of whole numbers": lambda: show.reduce(np.array([MOST, 5, 7, 9]), name=W),
    "matmul": lambda: show.matmul(BIG, BIG, names=[W, B]),
    "matmul of eight": lambda: show.matmul(R.normal(size=(8, 8)), R.normal(size=(8, 8)), names=[W, B]),
    "matmul of a batch": lambda: show.matmul(np.ones((2, 2, 3)), R.normal(size=(3, 2)), names=[W, B]),
    "clash of a product": lambda: show.matmul(np.ones((7, 2, 5, 3)), np.ones((2, 4, 3)), names=[W, B]),
    "op": lambda: show.op("conv2d", R.normal(size=(1, 1, 5, 5)), R.normal(size=(2, 1, 3, 3)), names=[W, B]),
    "op of own": lambda: show.op(lambda a, b: (a @ b).tanh() + a * b, BIG, BIG.copy(), names=[W, B]),
    "op one by one": lambda: show.op("matmul", BIG, BIG.copy(), names=[W, B], one_by_one=True),
    "op in words": lambda: show.op("exp", rf.ones(1000, 1000), names=[W]),
}  # fmt: skip


@pytest.mark.parametrize("name", FIGURES)
def test_no_text_runs_past_what_holds_it(name):
    assert overruns(FIGURES[name]()) == {}


def test_a_word_of_the_strip_that_is_cut_ends_with_an_ellipsis():
    scene = drawn_of_long_names("backward").scene
    chips = [shape for id, shape in scene.index.items() if id[:1] == "z"]
    words = [text.text for chip in chips for text in chip.children if text.tag == "text"]
    assert "another_name_…" in words and all(len(word) < 15 for word in words)


@pytest.mark.parametrize("shape", [
    draw.text(800, 20, "runs past the edge of the drawing"),
    draw.cell("c", 20, 20, "123456789"),
    draw.group("p", draw.card("d", 0, 0, (), 100).children[0], draw.text(16, 20, "wider than its panel"), at=(20, 20)),
])  # fmt: skip
def test_what_runs_out_is_found(shape):
    assert overruns(Figure(Scene("x", 860, 90, (shape,), (Frame("It is drawn."),))))
