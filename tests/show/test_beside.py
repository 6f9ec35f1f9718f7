"""Tensors that a function uses from outside: operands of show.op under their own names, and put back as they were."""

import random

import numpy as np
import pytest

import rustyflow as rf
from rustyflow import nn, show
from tests.show.op_calls import equation_of

X = rf.tensor([[1.0, 2.0, 3.0]])
W = rf.tensor([[2.0, 3.0, 4.0]], requires_grad=True)
PLACES, MASK = rf.tensor([0, 2]), rf.tensor([[True, False, True]])


def helped(t):
    return t * W


def hidden(scale):
    _w = rf.tensor([1.0, 2.0, 3.0])
    return lambda t: t * _w * scale


def within(scale):
    return lambda t: [part * scale for part in (t,)][0]



def reads(figure):
    return figure.sentences[0].partition(" from ")[2].partition(": point")[0]


LIN, NET = nn.Linear(3, 2), nn.Sequential(nn.Linear(3, 2), nn.Tanh())
LIN.load_state_dict({"weight": rf.tensor([[1.0, 2.0, 3.0], [0.0, -1.0, 2.0]]), "bias": rf.tensor([10.0, 20.0])})


class Holder(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("scale", rf.tensor([5.0, 6.0, 7.0]))
        self.plain, self.calls = rf.tensor([1.0, 0.0, 1.0]), 0

    def forward(self, t):
        self.calls += 1
        return t * self.scale + self.plain


class Shifted(nn.Module):
    def forward(self, t):
        return t + W


class Doubled:
    def __call__(self, t):
        return t * W


HOLDER = Holder()
USES = {
    "a global": (lambda t: t * W, "x (1, 3) and W (1, 3)", "y[0, 1] = 2·3 = 6."),
    "of a function that it calls": (lambda t: helped(t), "x (1, 3) and W (1, 3)", "y[0, 1] = 2·3 = 6."),
    "a closure, in a comprehension": (within(W), "x (1, 3) and scale (1, 3)", "y[0, 1] = 2·3 = 6."),
    "what no name leads to": (hidden(W), "x (1, 3), w (3,) and scale (1, 3)", "y[0, 1] = 2·2·3 = 12."),
    "a default": (lambda t, v=W: t * v, "x (1, 3) and v (1, 3)", "y[0, 1] = 2·3 = 6."),
    "a module": (LIN, "x (1, 3), {} (2, 3) and {} (2,)", "y[0, 1] = 1·0 + 2·(-1) + 3·2 + 20 = 24."),
    "a module that a function calls": (lambda t: LIN(t), "x (1, 3), LIN.weight (2, 3) and LIN.bias (2,)",
                                       "y[0, 1] = 1·0 + 2·(-1) + 3·2 + 20 = 24."),
    "its buffer and a plain tensor": (lambda t: HOLDER(t), "x (1, 3), HOLDER.scale (3,) and HOLDER.plain (3,)",
                                      "y[0, 1] = 2·6 + 0 = 12."),
    "of a module's forward": (nn.Sequential(Shifted()), "x (1, 3) and W (1, 3)", "y[0, 1] = 2 + 3 = 5."),
    "of an object that is called": (Doubled(), "x (1, 3) and W (1, 3)", "y[0, 1] = 2·3 = 6."),
    "one layer of several": (lambda t: NET(t), "x (1, 3), NET[0].weight (2, 3) and NET[0].bias (2,)", ""),
    "an index": (lambda t: t[0, PLACES], "x (1, 3) and PLACES (2,)", "PLACES[1] is 2: y[1] = x[0, 2] = 3."),
    "a mask": (lambda t: t[MASK], "x (1, 3) and MASK (1, 3)", "MASK[0, 2] is True: y[1] = x[0, 2] = 3."),
    "the operand itself": (lambda t: t + X, "x (1, 3)", ""),
    "what it returns": (lambda t: W, "x (1, 3) and W (1, 3)", "y[0, 1] = W[0, 1] = 3."),
    "its input": (lambda t: t, "x (1, 3)", "y[0, 1] = x[0, 1] = 2."),
    "of its own making": (lambda t: t * rf.full((3,), 4.0), "x (1, 3)", "y[0, 1] = 2·4 = 8."),
}


@pytest.mark.parametrize("use", USES)
def test_what_a_function_uses_stands_as_an_operand(use):
    f, from_, said = USES[use]
    x = X.clone() if use != "the operand itself" else X
    figure = show.op(f, x)
    assert reads(figure) == from_.format("f.weight", "f.bias")
    if said:
        assert equation_of(figure, "y1") == said


def test_a_module_is_called_as_the_caller_calls_it():
    lin, x = LIN, X.clone()
    assert reads(show.op(lin, x)) == "x (1, 3), lin.weight (2, 3) and lin.bias (2,)"
    assert "f.weight (2, 3)" in reads(show.op(nn.Linear(3, 2), x))
    assert reads(show.op(nn.LSTMCell(2, 2), rf.ones(1, 2))).count("f.") == 4


def test_gradients_are_those_of_the_engine_for_what_is_outside_too():
    x = X.clone()
    figure = show.op(lambda t: t * W * W, x, upstream=rf.tensor([[1.0, 2.0, 5.0]]))
    for cell, w in (("a1", "x.grad[0, 1] = 2·3·3 = 18."), ("b1", "W.grad[0, 1] = 2·2·3 + 2·3·2 = 24.")):
        assert equation_of(figure, cell, ("g",)) == w
    y = show.op(LIN, x)
    assert equation_of(y, "b1", ("g",)) == "LIN.weight.grad[0, 1] = 3·2 = 6."
    assert W.grad is None and LIN.weight.grad is None and LIN.weight.is_leaf and LIN.weight.requires_grad


def test_a_large_tensor_is_said_and_not_drawn():
    large, x = rf.ones(4, 80), rf.ones(1, 4)
    figure = show.op(lambda t: t @ large, x)
    assert figure.scene.title.endswith("large of shape (4, 80) is not drawn") and reads(figure) == "x (1, 4)"
    layers = nn.Sequential(*[nn.Linear(3, 3) for _ in range(4)])
    assert "layers[3].weight of shape (3, 3) is not drawn" in show.op(layers, X.clone()).scene.title
    huge = rf.ones(3, 400_000)
    assert "Try smaller operands" in show.op(lambda t: t @ huge, X.clone()).sentences[0]


def state(*things):
    return [random.getstate(), np.random.get_state()[1].tolist(), np.random.get_state()[2], rf.get_rng_state().tolist(),
            *[x.get_state().tolist() if isinstance(x, rf.Generator) else str(x.bit_generator.state) for x in things]]


def test_generators_are_as_they_were_and_give_the_same_each_time():
    ours, theirs = rf.Generator(), np.random.default_rng(0)
    before = state(ours, theirs)
    draws = [lambda t: t * rf.rand(3), lambda t: t * rf.rand(3, generator=ours), lambda t: t * float(theirs.random()),
             lambda t: t * random.random() * float(np.random.rand()), nn.Dropout(), nn.Dropout(0.2)]
    for f in draws:
        first, second = (equation_of(show.op(f, X.clone()), "y1") for _ in range(2))
        assert first == second and state(ours, theirs) == before
    assert show.op("bernoulli", rf.full((2,), 0.5), generator=ours) and state(ours, theirs) == before


def test_a_module_is_as_it_was():
    net, x = nn.Sequential(nn.BatchNorm1d(3), nn.Dropout(), HOLDER), rf.rand(4, 3)
    before = [(b.tolist(), b._version) for b in net.buffers()]
    held = {"net": [net]}
    for f in (net, lambda t: held["net"][0](t)):
        show.op(f, x)
        assert [(b.tolist(), b._version) for b in net.buffers()] == before and net.training and HOLDER.calls == 0


def test_a_tensor_from_outside_that_is_written_to_is_refused_and_as_it_was():
    buffer, rows = rf.zeros(1, 3), [rf.zeros(1, 3)]
    for f, name in [(lambda t: buffer.add_(t), "buffer"), (lambda t: rows[0].copy_(t) * 2, "rows[0]"),
                    (lambda t: t + W.detach().mul_(2), "W")]:
        with pytest.raises(ValueError) as refused:
            show.op(f, X.clone())
        assert str(refused.value).startswith(f"f writes to {name}, which it uses from outside")
        assert f"try:  {name}.clone()" in str(refused.value)
    assert buffer.tolist() == rows[0].tolist() == [[0, 0, 0]] and W.tolist() == [[2, 3, 4]]


def test_a_function_that_prints_does_so_once(capsys):
    def loud(t):
        print("loud")
        return t * W

    show.op(loud, X.clone())
    assert capsys.readouterr().out == "loud\n"


def test_a_function_that_raises_raises_its_own_and_leaves_all_as_it_was():
    def wrong(t):
        raise KeyError(f"{(t * W).shape}, {random.random()}")

    before = state()
    with pytest.raises(KeyError, match="1, 3"):
        show.op(wrong, X.clone())
    assert state() == before and W.requires_grad and W.tolist() == [[2, 3, 4]]


def test_the_numbers_of_what_is_outside_are_typed_under_the_widget():
    from rustyflow.widgets import Op

    widget, x = Op(lambda t: t * W, X), X
    assert widget.cells == ["[[1.0, 2.0, 3.0]]", "[[2.0, 3.0, 4.0]]"] and x is X
    widget.cells = ["[[1, 2, 3]]", "[[5, 6, 7]]"]
    assert equation_of(widget.figure, "y1") == "y[0, 1] = 2·6 = 12."
    assert W.tolist() == [[2.0, 3.0, 4.0]]
