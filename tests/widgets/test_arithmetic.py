"""Expressions that a student types: what they come to, and that nothing else runs."""

import pytest

import rustyflow as rf
from rustyflow.errors import TensorError
from rustyflow.widgets.arithmetic import METHODS, Unfinished, evaluate

A, B, C = rf.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True), rf.tensor([5.0, -6.0]), rf.tensor(2.0)
NAMES = {"a": A, "b": B, "c": C}


@pytest.mark.parametrize("text", [
    "a", "(a * b).sum() + c.relu()", "a @ b", "a.T - 1", "-a ** 2", "a / 4", "2 ** c", "a.mean(dim=1, keepdim=True)",
    "a.max(1)", "relu(a @ a.mT)", "maximum(a, b)", "b.clamp(min=0)", "a.reshape(4)", "a.sum((0, 1))", "+c * 1e3",
])  # fmt: skip
def test_an_expression_comes_to_what_python_computes(text):
    out = eval(text, {**NAMES, "relu": rf.relu, "maximum": rf.maximum})
    out = out[0] if isinstance(out, tuple) else out
    found = evaluate(text, NAMES)
    assert found.tolist() == out.tolist() and found.requires_grad == out.requires_grad


@pytest.mark.parametrize("text", [
    "__import__('os').system('x')", "a.__class__", "(lambda: a)()", "[a for a in b]", "a.tolist()", "a.data",
    "open('x')",
    "a.sum(*b)", "a if c else b", "a.backward()", "a[0]", "f'{a}'", "a.expand(10**9, 2, 2)", "a.requires_grad_()",
    "a and b",
    "(a := b)", "exec('1')", "a.numpy()", "a.share.b", "a.sum(__import__('os'))",
])  # fmt: skip
def test_nothing_but_listed_arithmetic_runs(text):
    with pytest.raises(TensorError):
        evaluate(text, NAMES)


@pytest.mark.parametrize("text", ["9**9**9", "a * 9**9**9", "1e400 * a", "10**400 + a", "(-8) ** 0.5 * a", "1 / 0 + a"])
def test_numbers_that_no_float_holds_are_refused_at_once(text):
    with pytest.raises(TensorError):
        evaluate(text, NAMES)


@pytest.mark.parametrize("text", ["a" + ".T" * 90, "-" * 190 + "a", "(" * 99 + "a" + ")" * 99])
def test_what_is_nested_deeply_is_worked_out(text):
    assert evaluate(text, NAMES).shape == A.shape


@pytest.mark.parametrize("text", ["", "(a", "a +", "a b", "((((" * 40, "x" * 300])
def test_what_is_half_typed_is_told_apart_from_what_is_wrong(text):
    with pytest.raises(TensorError) as caught:
        evaluate(text, NAMES)
    assert isinstance(caught.value, Unfinished) == (len(text) <= 200)


def test_no_result_is_large():
    wide, tall = rf.ones(1, 4000), rf.ones(4000, 1)
    with pytest.raises(TensorError, match="at most 4,096"):
        evaluate("w * t", {"w": wide, "t": tall})
    with pytest.raises(TensorError, match="at most 4,096"):
        evaluate("t @ w", {"w": wide, "t": tall})


def test_a_wrong_name_is_told_the_right_ones():
    with pytest.raises(TensorError, match="a, b, c"):
        evaluate("x + a", NAMES)
    with pytest.raises(TensorError, match="tensor in it"):
        evaluate("1 + 1", NAMES)


def test_every_listed_method_is_there():
    assert all(callable(getattr(rf.Tensor, name)) for name in METHODS)
