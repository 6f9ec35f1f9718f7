"""Backward as steps, and in an order of one's own."""

import pytest

import rustyflow as rf
from rustyflow.autograd import backward_steps, own_order


def test_steps_tell_the_story_of_a_broadcast_product():
    a, b = rf.tensor([[1.0], [2.0]], requires_grad=True), rf.tensor([3.0, 4.0, 5.0])
    steps = backward_steps((a * b).sum())
    assert [s.kind for s in steps] == ["seed", "accumulate", "vjp", "accumulate", "vjp", "sum_to", "accumulate"]
    folded = steps[5]
    assert folded.upstream.tolist() == [[3.0, 4.0, 5.0]] * 2 and folded.contribution.tolist() == [[12.0], [12.0]]
    assert a.grad is None


def test_steps_leave_the_graph_usable_unless_told():
    x = rf.tensor(3.0, requires_grad=True)
    y = x * x
    backward_steps(y)
    assert [s.kind for s in backward_steps(y, retain_graph=False)][-1] == "free"
    with pytest.raises(RuntimeError, match="second time"):
        y.backward()


def test_going_too_early_loses_what_arrives_later():
    x = rf.tensor(3.0, requires_grad=True)
    a = x * 2
    y = a * a + a
    add = y.grad_fn
    mul = add.next_functions[0][0]
    steps, right = own_order(y, [add, mul, a.grad_fn])
    assert float(right[x._history]) == 26.0
    steps, wrong = own_order(y, [add, a.grad_fn, mul])
    assert float(wrong[x._history]) == 2.0 and [s.kind for s in steps].count("lost") == 2
    with pytest.raises(ValueError, match="only a node that a gradient has reached"):
        own_order(y, [a.grad_fn])
