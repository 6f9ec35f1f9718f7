"""Numbers that open in figures: each drawn cell opens to leaves, its levels hold, and say what the figure says."""

from types import MappingProxyType

import numpy as np
import pytest

import rustyflow as rf
from rustyflow import show, widgets
from rustyflow.claims.tree import Op, floats
from rustyflow.errors import ArgumentValueError
from rustyflow.scene import Part
from rustyflow.unfold import Number
from rustyflow.unfold.trees import At
from tests.show.op_calls import equation_of

R = np.random.default_rng(0)
X = np.array([[2.0, 1.0, 0.5], [-2.0, -1.0, 4.0]])
P = np.array([[1.5, 0.5, 2.0], [0.25, 3.0, 1.0]])
N = {"names": ["a", "b"]}


def made():
    """An operand that operations made, under a name of the program's."""
    w = rf.tensor([[0.5, -1.0, 2.0], [1.0, 0.0, -0.5]], requires_grad=True)
    return (w * 2).tanh()


def net(loss=True):
    x, w = rf.tensor([[1.0, 2.0], [0.0, -1.0]]), rf.tensor([[0.5, -0.2, 0.1], [0.3, 0.4, -0.6]], requires_grad=True)
    b, v = rf.tensor([0.1, 0.2, 0.3], requires_grad=True), rf.tensor([[0.2], [0.5], [-1.0]], requires_grad=True)
    h = (x @ w + b).tanh()
    y = h @ v
    return (y * y).mean() if loss else y


def fanned():
    a = rf.tensor([1.0, -2.0, 3.0], requires_grad=True)
    return (a * a + a.relu()).sum()


def viewed():
    x = rf.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    return (x.t()[1] * x[0]).sum()


def greatest():
    x = rf.tensor([[1.0, 3.0, 3.0], [2.0, 0.0, -1.0]], requires_grad=True)
    m, _ = x.max(1)
    return (m * m).sum()


FIGURES = {
    "matmul": lambda: show.matmul(X, P.T, **N),
    "matmul of vectors": lambda: show.matmul(X[0], P[1], **N),
    "matmul of a batch": lambda: show.matmul(R.normal(size=(2, 2, 3)), P.T, **N),
    "matmul of one by itself": lambda: show.matmul(x := rf.tensor(X[:, :2]), x),
    "matmul of what was made": lambda: show.matmul(made(), rf.tensor(P.T).float(), **N),
    "broadcast": lambda: show.broadcast(X, P[0], op="*", **N),
    "broadcast of a quotient": lambda: show.broadcast(X, P[:, :1], op="/", **N),
    "broadcast of a choice": lambda: show.broadcast(X, P[0], op="maximum", **N),
    "broadcast of three": lambda: show.broadcast(X, P[0], 2.0, op="*", names=["a", "b", "c"]),
    "broadcast of one twice": lambda: show.broadcast(x := rf.tensor([2.0, 3.0]), x, op="*"),
    "broadcast of whole numbers": lambda: show.broadcast(np.arange(6).reshape(2, 3), np.arange(3), **N),
    "reduce": lambda: show.reduce(X, "sum", 1, name="x"),
    "reduce to a mean": lambda: show.reduce(X, "mean", 0, True, name="x"),
    "reduce to the greatest": lambda: show.reduce(X, "amax", 1, name="x"),
    "reduce to a product": lambda: show.reduce(X, "prod", 1, name="x"),
    "reduce to a variance": lambda: show.reduce(rf.tensor(X), "var", 1, name="x"),
    "reduce whole numbers": lambda: show.reduce(np.arange(6).reshape(2, 3), "sum", name="x"),
    "reduce what was made": lambda: show.reduce(made(), "mean", 1, name="h"),
    "op": lambda: show.op("cumsum", X, dim=1, names=["x"]),
    "op that is made of parts": lambda: show.op("softmax", X, dim=1, names=["x"]),
    "op that moves cells": lambda: show.op(lambda x: x.t()[1:], X, names=["x"]),
    "op that gathers": lambda: show.op("gather", X, 1, np.array([[0, 0], [2, 1]]), names=["x", "i"]),
    "op of windows": lambda: show.op("conv2d", X.reshape(1, 1, 2, 3), P[:, :2].reshape(1, 1, 2, 2), names=["x", "k"]),
    "op of a reader": lambda: show.op(lambda x, w: (x * w).sum(1), made(), P, names=["x", "w"]),
    "backward": lambda: show.backward(net()),
    "backward of several": lambda: show.backward(net(False)),
    "backward of a fan-out": lambda: show.backward(fanned()),
    "backward of views": lambda: show.backward(viewed()),
    "backward of a choice": lambda: show.backward(greatest()),
    "graph": lambda: show.graph(net()),
    "graph of a choice": lambda: show.graph(greatest()),
    "widgets.Op": lambda: widgets.Op("cumsum", rf.tensor([1.0, 2.0, 4.0]), dim=0, names=["x"]).figure,
    "widgets.Expression": lambda: widgets.Expression("(a * b).sum()", a=rf.tensor([1.0]), b=rf.tensor([3.0])).figure,
    "widgets.Backward": lambda: widgets.Backward(net()).figure,
    "widgets.BroadcastPlayground": lambda: widgets.BroadcastPlayground((3, 1), (4,)).figure,
}


def roots(figure):
    """Each shape that opens, on which side, with what is written of its number."""
    for id, opens in figure.opened.unfolds.opens.items():
        for side, part in ({"": opens} if isinstance(opens, Part) else opens).items():
            yield id, side, part


def filled(tree, value):
    """A level's tree with the engine's numbers in it."""
    if isinstance(tree, Op):
        return Op(tree.how, tuple(filled(part, value) for part in tree.parts))
    return tree._replace(value=value(tree.number)) if isinstance(tree, At) else tree


def holds(number, seen):
    """Open a number down to its leaves: each level comes to what the engine has."""
    waiting = [number]
    while waiting:
        here = waiting.pop()
        if here in seen:
            continue
        seen.add(here)
        if here.opens:
            worked = float(floats(filled(here.tree, lambda part: float(part.value))))
            assert worked == pytest.approx(float(here.value), 1e-4, 1e-5, nan_ok=True), str(here)
            assert all(len(line) <= 150 for line in str(here).split("\n")), str(here)
        else:
            assert not here.note.startswith(("and", "but")), str(here)
        waiting += here.parts
    return seen


@pytest.mark.parametrize("name", FIGURES)
def test_each_drawn_number_opens_to_leaves_and_every_level_holds(name):
    figure, seen, cells = FIGURES[name](), set(), 0
    levels = figure.opened.unfolds.levels
    for id, side, part in roots(figure):
        told = levels[part.opens]
        inner = [part] if told.sign else told.numbers  # a box holds several
        for one in inner:
            if one.opens >= 0 and levels[one.opens].sign:
                number = figure.where(one.letters)
                assert isinstance(number, Number) and number.name == levels[one.opens].about
                holds(number, seen)
                cells += 1
        if told.sign and not name.startswith(("backward", "graph", "widgets.B")):
            sentence = equation_of(figure, id, (side,) if side else ())
            assert told.digits in sentence or f"added to {told.about}" in sentence, (sentence, str(told))
    assert cells and any(number.opens for number in seen)


ASKED = {
    "op": (lambda x: show.op("exp", x), "x.grad[0, 1]"),
    "matmul": (lambda x: show.matmul(x, x.t()), "part of x.grad[0, 1]"),
    "broadcast": (lambda x: show.broadcast(x, x[0], op="*"), "part of x.grad[0, 1]"),
    "reduce": (lambda x: show.reduce(x, "mean"), "x.grad[0, 1]"),
    "backward": (lambda x: show.backward((x * x).sum()), "x.grad[0, 1]"),
    "graph": (lambda x: show.graph((x * x).sum()), "x.grad[0, 1]"),
}  # fmt: skip


@pytest.mark.parametrize("name", ASKED)
def test_a_number_is_asked_for_by_name_and_by_tensor(name):
    ask, text = ASKED[name]
    x = rf.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    figure = ask(x)
    assert figure.where(text) is figure.where(x, (0, 1), grad=True)
    assert figure.where(x, (1, 0)).value == figure.where("x[1, 0]").value == 3.0
    with pytest.raises(ArgumentValueError, match=r"where\('nobody\[0\]'\)\nrule: there are .*x"):
        figure.where("nobody[0]")
    with pytest.raises(IndexError, match="one index for each axis"):
        figure.where(x, (5, 0))


@pytest.mark.parametrize("name", ASKED)
def test_nothing_of_the_readers_is_changed_by_a_figure_that_opens(name):
    called = []
    x = rf.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    x.register_hook(called.append)
    figure = ASKED[name][0](x)
    times = len(called)
    figure.html()
    assert x.grad is None and x._version == 0 and len(called) == times
    assert name == "backward" or not times  # which walks by itself, as a backward does


def test_what_opens_is_worked_out_as_a_figure_is_shown_and_not_before(monkeypatch):
    told = []
    tell = Number.told.func
    monkeypatch.setattr(Number, "told", property(lambda number: told.append(number.name) or tell(number)))
    figures = [FIGURES[name]() for name in ("op", "matmul", "broadcast", "reduce", "backward", "graph")]
    assert not told
    for figure in figures:
        figure.html()
        assert told
        told.clear()


NONE = {
    "of other shapes": lambda: show.matmul(X, X, **N), "that clashes": lambda: show.broadcast(X, P.T, **N),
    "too large": lambda: show.broadcast(np.zeros((500, 500)), np.zeros(500), **N),
    "of comparisons": lambda: show.op(lambda x: x > 1, X, names=["x"]),
    "of slots": lambda: show.strides(X, names=["x"]),
}  # fmt: skip


@pytest.mark.parametrize("name", NONE)
def test_a_figure_in_which_nothing_opens_says_so(name):
    figure = NONE[name]()
    assert figure.opened.unfolds is None
    with pytest.raises(ArgumentValueError, match="of this figure open into nothing.* of ops with a gradient"):
        figure.where("x[0]")


BOXES = MappingProxyType({
    "one number and its gradient": (lambda: rf.tensor(2.0, requires_grad=True) * 3 + 1, "n1",
                                    "mul = value mul, gradient dmul"),
    "a vector": (lambda: rf.tensor([1.0, 2.0], requires_grad=True).exp().sum(), "n1",
                 "exp = value [exp[0], exp[1]], gradient [dexp[0], dexp[1]]"),
    "a leaf": (lambda: (rf.tensor([1.0, 2.0], requires_grad=True) ** 2).sum(), "n0",
               "leaf.grad = [leaf.grad[0], leaf.grad[1]]"),
    "many rows": (lambda: rf.ones(13, 13, requires_grad=True).exp().sum(), "n1",
                  "exp = value exp, gradient dexp = value 13×13 numbers, gradient 13×13 numbers"),
})  # fmt: skip


@pytest.mark.parametrize("name", BOXES)
def test_a_box_opens_into_what_it_holds(name):
    make, id, told = BOXES[name]
    unfolds = show.backward(make(), title="y").opened.unfolds
    assert str(unfolds.levels[unfolds.opens[id].opens]).startswith(told)


def test_it_is_said_of_which_number_gradients_are():
    loss = (rf.tensor([1.0, 2.0], requires_grad=True) ** 2).sum()
    assert show.backward(loss).opened.unfolds.of == "loss = 5"
    assert show.backward(loss * rf.ones(2)).opened.unfolds.of == ""


def test_of_many_rows_the_first_four_and_the_last_open():
    unfolds = show.backward(rf.ones(13, 13, requires_grad=True).exp().sum(), title="y").opened.unfolds
    value, _ = unfolds.levels[unfolds.opens["n1"].opens].numbers
    rows = unfolds.levels[value.opens]
    assert rows.letters == "[exp[0], exp[1], exp[2], exp[3], ..., exp[12]]"
    assert unfolds.levels[rows.numbers[-1].opens].letters.endswith("..., exp[12, 12]]")


def test_in_a_widget_the_numbers_are_those_of_its_inputs_now():
    widget = widgets.Op("cumsum", rf.tensor([1.0, 2.0]), dim=0, names=["x"])
    assert str(widget.where("y[1]")) == "y[1] = x[0] + x[1]\n  = 1 + 2 = 3"
    widget.cells = ["[1, 2, 5]"]
    assert str(widget.where("y[2]")) == "y[2] = x[0] + x[1] + x[2]\n  = 1 + 2 + 5 = 8"
    assert "y[2]" in {part.letters for _, _, part in roots(widget.figure)}
    expression = widgets.Expression("(a * b).sum()", a=rf.tensor([1.0, 2.0]), b=rf.tensor([3.0, 4.0]))
    expression.cells = ["[1, 10]", "[3, 5]"]
    assert str(expression.where("a.grad[1]")) == "a.grad[1] = dmul[1]·b[1]\n  = 1·5 = 5"


def test_a_figure_says_in_words_how_its_numbers_open():
    figure = FIGURES["reduce"]()
    before = figure.text()
    assert 'numbers open: Enter on one, and once more, or .where("x.sum(axis=1)[0]")' in before
    figure.html()  # which works them out
    assert figure.text() == before
    assert "numbers open" not in NONE["of slots"]().text()


def test_the_boxes_of_a_graph_of_pytorchs_open():
    torch = pytest.importorskip("torch")
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = (x * x).exp().sum()
    figure = show.graph(y)
    assert str(figure.where("y")) == "y = exp[0] + exp[1]\n  = 2.72 + 54.6 ≈ 57.3"
    holds(figure.where(x, (1,), grad=True), seen := set())
    assert len(seen) > 3 and {"n1", "n2", "n3", "t3"} <= figure.opened.unfolds.opens.keys()


def test_a_number_of_a_program_too_long_to_draw_opens():
    a = y = rf.tensor([2.0], requires_grad=True)
    for _ in range(2100):
        y = y * 1.0
    for figure in (show.graph(y.sum()), show.backward(y.sum())):
        number = figure.where(a, (0,), grad=True)
        assert number.value == 1.0 and number.opens and figure.opened.unfolds is None


@pytest.mark.parametrize("draw", [
    lambda x: show.op(lambda x: x[x > 100], x), lambda x: show.op(lambda x: x[5:], x),
    lambda x: show.op("masked_select", x, x > 100), lambda x: show.op(lambda x: x.view(1, 3)[:, 5:], x),
], ids=["a mask", "a slice", "masked_select", "a slice of a view"])
def test_a_result_without_cells_has_none_that_opens(draw):
    figure = draw(rf.ones(3))
    assert figure.html() and not figure.scene.unfolds.opens.keys() & {f"y{k}" for k in range(3)}


@pytest.mark.parametrize("draw, terms, opens", [
    (lambda: show.matmul(np.ones((1, 20)), np.ones((20, 1)), names=["x", "w"]), 40, 0),
    (lambda: show.backward((rf.ones(30).requires_grad_() * 2).tanh().sum()), 30, 30),
    (lambda: show.backward((rf.ones(60).requires_grad_() * 2).tanh().sum()), 60, 60),
], ids=["a product", "a sum", "a longer sum"])
def test_numbers_behind_dots_are_reached_in_their_order(draw, terms, opens):
    level = next(level for level in draw().opened.unfolds.levels if " + ... + " in level.letters)
    shown = [part for part in level.pieces if isinstance(part, Part)]
    assert len(level.numbers) == terms > len(shown) and {*shown} < {*level.numbers} and level.numbers[-1] == shown[-1]
    assert sum(part.opens >= 0 for part in level.numbers) == opens
    assert all(part.shape for part in level.numbers)


def test_of_very_many_terms_all_cells_are_lit():
    a = rf.ones(150).requires_grad_()
    unfolds = show.backward((a * 2).sum(), names={"a": a}).opened.unfolds
    level = next(level for level in unfolds.levels if " + ... + " in level.letters)
    assert len(level.numbers) == 5 and level.read.split() == [*dict.fromkeys(part.shape for part in level.numbers)]
