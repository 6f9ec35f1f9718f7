"""Backward as steps, and in an order of one's own."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

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


def test_an_observer_that_only_looks_sees_each_sum_before_and_after():
    x = rf.tensor([1.0, 2.0], requires_grad=True)
    seen = []

    def look(step):
        if step.kind == "accumulate" and not step.node.next_functions:
            seen.append((step.before is not None and step.before.tolist(), step.after.tolist()))

    rf.autograd.backward((x * 1 + x * 2 + x * 4).sum(), observer=look)
    assert seen == [(False, [4.0, 4.0]), ([4.0, 4.0], [6.0, 6.0]), ([6.0, 6.0], [7.0, 7.0])]


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


UNARY = (
    lambda x: x * 0.75,
    lambda x: x.tanh(),
    lambda x: x.t(),
    lambda x: x[:, [0, 0, -1]],
    lambda x: x.sort(1).values,
    lambda x: x.double().float(),
    lambda x: x.sum(0, keepdim=True),
    lambda x: x.softmax(1),
    lambda x: x.split(1)[0],
    lambda x: x.clone().mul_(2),
)
BINARY = (
    lambda x, y: x * y,
    lambda x, y: x + y,
    lambda x, y: x @ y.t(),
    lambda x, y: rf.cat([x, y]),
    lambda x, y: x - y[:1],
)


@st.composite
def graphs(draw):
    """A leaf, and the result of a few random ops on it and on one another."""

    def program():
        x = rf.linspace(-1, 1, 9).view(3, 3).requires_grad_()
        made = [x]
        for op, i, j in picks:
            try:
                made.append(op(made[i % len(made)]) if op in UNARY else op(made[i % len(made)], made[j % len(made)]))
            except (RuntimeError, IndexError):  # shapes that do not fit
                pass
        return x, sum(((m * m).sum() for m in made[-3:]), rf.zeros(()))

    picks = draw(st.lists(st.tuples(st.sampled_from(UNARY + BINARY), st.integers(0, 9), st.integers(0, 9)), max_size=9))
    return program


def bits(g):
    return g.numpy().tobytes()


@settings(max_examples=60, deadline=None)
@given(program=graphs())
def test_watching_changes_no_bit(program):
    found = []
    for observer in (None, [].append, lambda step: None):
        x, y = program()
        rf.autograd.backward(y, observer=observer)
        found.append(bits(x.grad))
    x, y = program()
    steps = backward_steps(y)
    y.backward()
    last = [s for s in steps if s.kind == "accumulate" and s.node is x._history][-1]
    found += [bits(x.grad), last.after.tobytes()]
    assert len(set(found)) == 1


@settings(max_examples=60, deadline=None)
@given(program=graphs(), order=st.randoms(use_true_random=False))
def test_any_order_in_which_all_have_reported_gives_the_engines_bits_or_the_same_sum(program, order):
    x, y = program()
    waits: dict = {}
    for step in backward_steps(y):
        if step.kind == "vjp":
            parent = step.node.next_functions[step.operand][0]
            waits.setdefault(parent, []).append(step.node)
    y.backward(retain_graph=True)
    done, picks, ready = set(), [], [y.grad_fn]
    while ready:
        node = ready.pop(order.randrange(len(ready)))
        done.add(node)
        picks.append(node)
        for parent, _ in node.next_functions:
            known = parent in waits and parent.next_functions and parent not in ready and parent not in done
            if known and all(user in done for user in waits[parent]):
                ready.append(parent)
    steps, totals = own_order(y, picks)
    assert not [s for s in steps if s.kind == "lost"]
    assert list(dict.fromkeys(s.node for s in steps if s.kind == "vjp")) == picks
    assert rf.allclose(rf.from_numpy(totals[x._history]), x.grad, rtol=1e-5, atol=1e-6)
    falling = sorted(picks, key=lambda node: -node.number)
    assert own_order(y, falling)[1][x._history].tobytes() == bits(x.grad)
