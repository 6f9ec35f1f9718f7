"""Calls of figures and widgets that do not fit: the rule, the name that may be meant, and the whole form."""

import pytest

import rustyflow as rf
from rustyflow import show
from rustyflow.errors import CallError

X = rf.arange(6.0).view(2, 3)
Y = (rf.ones(2, requires_grad=True) * 2).sum()

WRONG = [
    (lambda: show.strides(X, titel="a"), "unexpected keyword argument 'titel'", "title='a'; show.strides(x, *views,"),
    (lambda: show.strides(), "missing a required argument: 'x'", "show.strides(x, *views,"),
    (lambda: show.broadcast(X, X, opp="+"), "unexpected keyword argument 'opp'", "show.broadcast(*tensors, op='+'"),
    (lambda: show.reduce(X, "sum", 1, keepdims=True), "'keepdims'", "keepdim=True; show.reduce(x, op='sum'"),
    (lambda: show.reduce(X, "sum", 1, True, 3), "too many positional arguments", "show.reduce(x, op='sum'"),
    (lambda: show.matmul(X), "missing a required argument: 'b'", "show.matmul(a, b, *,"),
    (lambda: show.matmul(X, X, name=["a"]), "'name'", "names=['a']; show.matmul("),
    (lambda: show.graph(Y, tittle="a"), "'tittle'", "title='a'; show.graph(y, *more,"),
    (lambda: show.backward(Y, upstrem=1), "'upstrem'", "upstream=1; show.backward(y,"),
    (lambda: show.op(), "missing a required argument: 'f'", "show.op(f, *operands,"),
    (lambda: show.op("exp", X, name=["a"]), "'name'", "names=['a']; exp(input)"),
    (lambda: show.op(lambda t: t * 2, X, X), "too many positional arguments", "f(t)"),
    (lambda: show.curve(abs, 1.0, nudges=1), "'nudges'", "nudge=1; show.curve(f=None, at=1.0"),
    (lambda: show.curve(lambda x: x, (1.0, 2.0)), "too many positional arguments", "f(x)"),
    (lambda: show.help(3), "too many positional arguments", "show.help()"),
    (lambda: show.static(one=False), "'one'", "on=False; show.static(on=True)"),
    (lambda: show.strides(X).save(), "missing a required argument: 'path'", "save(path)"),
    (lambda: show.strides(X).state(frme=1), "'frme'", "frame=1; state("),
]


@pytest.mark.parametrize("call, rule, fix", WRONG)
def test_a_call_that_does_not_fit_says_what_is_meant(call, rule, fix):
    with pytest.raises(TypeError) as caught:
        call()
    assert isinstance(caught.value, CallError)
    assert rule in caught.value.rule and caught.value.fix.startswith(fix)


def test_the_layer_hides_nothing_of_the_caller():
    y = X.t()
    assert show.strides(y).scene.title == "y = X.t()" and show.reduce(y).scene.title == "y.sum()"
    with pytest.raises(TypeError, match="is no shape"):  # raised inside of what is called, it stays as it is

        def refuses(x):
            raise TypeError("is no shape")

        show.op(refuses, X)
