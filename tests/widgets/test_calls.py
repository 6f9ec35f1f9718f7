"""Calls of widgets that do not fit: the rule, the name that may be meant, and the whole form."""

import pytest
import traitlets

import rustyflow as rf
from rustyflow import show, widgets
from rustyflow.errors import CallError

X = rf.arange(6.0).view(2, 3)
W = rf.ones(2, requires_grad=True)


class Rows(widgets.Widget):
    rows = traitlets.Int(2).tag(sync=True)

    def make(self):
        return show.strides(rf.arange(self.rows), names=["x"])


@pytest.mark.parametrize("call, rule, fix", [
    (lambda: widgets.Strides(X, name="a"), "'name'", "names='a'; widgets.Strides(*tensors,"),
    (lambda: widgets.Reduce(X, keepdims=True), "'keepdims'", "keepdim=True; widgets.Reduce(x,"),
    (lambda: widgets.Matmul(X), "missing a required argument: 'b'", "widgets.Matmul(a, b,"),
    (lambda: widgets.Graph(W.sum(), titel="a"), "'titel'", "title='a'; widgets.Graph(y,"),
    (lambda: widgets.Backward(), "missing a required argument: 'y'", "widgets.Backward(y,"),
    (lambda: widgets.Op("exp", X, name=["x"]), "'name'", "names=['x']; exp(input)"),
    (lambda: widgets.StridesPlayground(X, nmae="x"), "'nmae'", "name='x'; widgets.StridesPlayground(x,"),
    (lambda: widgets.BroadcastPlayground((3, 1), (4,), op="+"), "'op'", "widgets.BroadcastPlayground(*shapes)"),
    (lambda: widgets.Expression(), "missing a required argument: 'text'", "widgets.Expression(text,"),
    (lambda: widgets.Expression("a", a=W, backwards=False), "'backwards'", "backward=False; widgets.Expression(text,"),
    (lambda: widgets.BeTheEngine(W.sum(), upstrem=3), "'upstrem'", "upstream=3; widgets.BeTheEngine(y,"),
    (lambda: widgets.Predict(), "missing a required argument: 'question'", "widgets.Predict(question)"),
    (lambda: widgets.beside(show.strides(X), gap=2), "'gap'", "widgets.beside(*parts)"),
    (lambda: Rows(rws=3), "'rws'", "rows=..."),
])  # fmt: skip
def test_a_call_that_does_not_fit_says_what_is_meant(call, rule, fix):
    with pytest.raises(TypeError) as caught:
        call()
    assert isinstance(caught.value, CallError)
    assert rule in caught.value.rule and caught.value.fix.startswith(fix)


def test_what_fits_is_made_and_named_by_the_caller():
    y = X.t()
    assert Rows(rows=3).rows == 3 and widgets.Strides(y).figure.scene.title == "y"
