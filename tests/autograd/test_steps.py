"""Backward as steps, in an order of one's own, and the provenance of a number."""
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import rustyflow as rf
from rustyflow.autograd import backward_steps, own_order, provenance


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


PROGRAMS = {
    "mul": lambda a, b: a * b,
    "div": lambda a, b: a / (b * b + 1),
    "chain": lambda a, b: ((a * b).tanh() * b).exp(),
    "sum": lambda a, b: (a * b).sum(0) * b,
    "mean keepdim": lambda a, b: a - (a * b).mean(1, keepdim=True),
    "amax": lambda a, b: (a * b).amax(1),
    "matmul": lambda a, b: (a * b) @ (a * b).t(),
    "views": lambda a, b: (a * b).t()[1:].reshape(-1) * 2,
    "index": lambda a, b: (a * b)[[0, 0, 2]] * 3,
    "reused": lambda a, b: (a + b) * (a + b) + a,
}


@pytest.mark.parametrize("name", PROGRAMS)
@settings(max_examples=8, deadline=None)
@given(seed=st.integers(0, 10_000))
def test_the_terms_add_up_to_the_number(name, seed):
    rng = np.random.default_rng(seed)
    a = rf.tensor(rng.standard_normal((3, 1)), requires_grad=True)
    b = rf.tensor(rng.standard_normal(4), requires_grad=True)
    y = PROGRAMS[name](a, b)
    upstream = rf.tensor(rng.standard_normal(tuple(y.shape)))
    ga, gb = rf.autograd.grad(y, (a, b), upstream, retain_graph=True)
    for x, g, index in ((a, ga, (int(rng.integers(3)), 0)), (b, gb, (int(rng.integers(4)),))):
        found = provenance(y, x, index, upstream)
        assert found.value == pytest.approx(g[index].item(), rel=1e-12, abs=1e-12)
        assert sum(t.product for t in found.terms) == pytest.approx(found.value, rel=1e-9, abs=1e-9)
        for term in found.terms[:3]:
            assert found.behind(term).value == pytest.approx(term.upstream_value)


def test_provenance_goes_down_to_the_storage_slots():
    base = rf.arange(12.0, dtype=rf.float64).view(3, 4)
    b = base.t()[1]  # offset 1, stride 4
    a = rf.tensor([2.0, 2.0, 2.0], dtype=rf.float64, requires_grad=True)
    found = provenance((a * b).sum(), a, (2,))
    term, = found.terms
    assert found.slot == 2 and found.reads(term) == [("b", (2,), 9.0, 9)] and (term.factor, term.upstream_value) == (9.0, 1.0)
    assert str(found) == "grad[2] = 9 * 1 = 9"


def test_provenance_names_what_is_wrong():
    x, z = rf.ones(2, requires_grad=True), rf.ones(2, requires_grad=True)
    with pytest.raises(IndexError):
        provenance(x.sum(), x, (5,))
    with pytest.raises(RuntimeError, match="no gradient of y reaches"):
        provenance(x.sum(), z, (0,))


def test_provenance_goes_through_a_function_of_the_users_own():
    class Double(rf.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            return g * 2
    x = rf.tensor([1.0, 2.0], requires_grad=True)
    assert str(provenance((Double.apply(x) * 5).sum(), x, (1,))) == "grad[1] = 2 * 5 = 10"
