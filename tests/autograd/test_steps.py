"""Backward as steps, and in an order of one's own."""

import pytest
from hypothesis import given, settings, strategies as st

import rustyflow as rf
from rustyflow.autograd import backward_steps, own_order


def test_steps_tell_the_story_of_a_broadcast_product():
    a, b = rf.tensor([[1.0], [2.0]], requires_grad=True), rf.tensor([3.0, 4.0, 5.0])
    steps = backward_steps((a * b).sum())
    assert [s.kind for s in steps] == ["seed", "accumulate", "vjp", "accumulate", "vjp", "sum_to", "accumulate"]
    folded = steps[5]
    assert folded.upstream.tolist() == [[3.0, 4.0, 5.0]] * 2 and folded.contribution.tolist() == [[12.0], [12.0]]
    assert a.grad is None


def test_every_step_is_a_sentence():
    a, b = rf.tensor([[1.0], [2.0]], requires_grad=True), rf.tensor([3.0, 4.0])
    assert [str(s) for s in backward_steps((a * b).sum(), retain_graph=False)] == [
        "seed: backward begins with 1 at SumBackward0",
        "accumulate: SumBackward0 had no gradient, 1 comes to it, and it has 1",
        "vjp: SumBackward0 turns 1 into [[1, 1], [1, 1]] for operand 0, MulBackward0",
        "accumulate: MulBackward0 had no gradient, [[1, 1], [1, 1]] comes to it, and it has [[1, 1], [1, 1]]",
        "vjp: MulBackward0 turns [[1, 1], [1, 1]] into [[3, 4], [3, 4]] for operand 0, a leaf",
        "sum_to: operand 0 of MulBackward0 was broadcast, so [[3, 4], [3, 4]] is added up to [[7], [7]]",
        "accumulate: a leaf had no gradient, [[7], [7]] comes to it, and it has [[7], [7]]",
        "free: MulBackward0 lets go of what it saved",
    ]
    x = rf.arange(20.0).view(2, 10).requires_grad_()
    said = [str(s) for s in backward_steps(x.max(1).values.sum())]
    assert said[2].endswith("for operand 0, MaxBackward0, result 0")
    assert said[4] == "vjp: MaxBackward0 turns [1, 1] and nothing into float32[2, 10] for operand 0, a leaf"


class Halves(rf.autograd.Function):
    """Two results of two operands, one of which has no gradient."""

    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(b)
        return a * b, a / 2

    @staticmethod
    def backward(ctx, g, h):
        return g * ctx.saved_tensors[0] + h / 2, None


def written(x):
    y = x * 2
    y[0] = 5.0
    y[:, 1] *= x[:, 0]
    return y.t()[1:]


ODD = {
    "views": lambda x: x.t()[1:].unfold(1, 2, 1).diagonal().expand(2, -1),
    "writes through views": written,
    "several results": lambda x: x.sort(1).values * x.unbind(0)[1] + x.max(0).values,
    "a Function": lambda x: Halves.apply(x, x * 3)[0] + Halves.apply(x.exp(), x)[1],
    "both sides broadcast": lambda x: x[:, :1] * x[0],
    "0-d": lambda x: x[0, 0] ** 2 * x.sum(),
    "empty": lambda x: x[:0] * x[0],
    "a leaf": lambda x: x,
    "another dtype": lambda x: x.half() * x,
}


@pytest.mark.parametrize("name", ODD)
def test_steps_and_ones_own_order_end_where_backward_does(name):
    x = rf.arange(1.0, 7.0).view(2, 3).requires_grad_()
    y = ODD[name](x)
    seed = rf.arange(y.numel(), dtype=y.dtype).view(y.shape)
    steps = backward_steps(y, seed)
    assert all(str(s).startswith(s.kind) for s in steps)
    order = list(dict.fromkeys(s.node for s in steps if s.kind == "vjp"))
    _, totals = own_order(y, order, seed)
    last = [s for s in steps if s.kind == "accumulate" and s.node is x._history][-1].after
    y.backward(seed)
    assert bits(x.grad) == last.tobytes() == totals[x._history].tobytes()


def hooked():
    x = rf.tensor([1.0, 2.0], requires_grad=True)
    h = x * 2
    h.register_hook(lambda g: g * 10)
    h.grad_fn.register_hook(lambda sent, came: (sent[0] + 1, None))
    x.register_hook(lambda g: g * 3)
    return x, h, (h * rf.tensor([3.0, 4.0])).sum()


def test_a_hook_is_a_step_of_its_own_and_counts_in_ones_own_order_too():
    x, h, y = hooked()
    steps = backward_steps(y)
    assert [str(s) for s in steps if s.kind == "hook"] == [
        "hook: a hook replaces the gradient of MulBackward0: [3, 4] becomes [30, 40]",
        "hook: a hook replaces the gradient of a leaf: [61, 81] becomes [183, 243]",
    ]
    order = [y, y.grad_fn.next_functions[0][0], h]
    again, totals = own_order(y, order)
    y.backward()
    assert totals[x._history].tolist() == x.grad.tolist() == [183.0, 243.0]
    assert [str(s) for s in again if s.kind == "hook"] == [str(s) for s in steps if s.kind == "hook"]


def test_nothing_is_written_to_a_grad_that_a_result_retains():
    x, h, y = hooked()
    h.retain_grad()
    backward_steps(y)
    own_order(y, [y, y.grad_fn.next_functions[0][0], h])
    assert h.grad is None and x.grad is None
    y.backward(retain_graph=True)
    kept = h.grad.tolist()
    backward_steps(y)
    assert h.grad.tolist() == kept == [30.0, 40.0]


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
    assert own_order(y, [y, mul, a])[1][x._history] == right[x._history]
    for pick in (rf.ones(1), None, 0):
        with pytest.raises(TypeError, match="the engine visits nodes"):
            own_order(y, [pick])


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
    rounding = 1e-6 * max(1.0, float(x.grad.abs().max()))  # of terms that cancel, in a cell beside large ones
    assert rf.allclose(rf.from_numpy(totals[x._history]), x.grad, rtol=1e-5, atol=rounding)
    falling = sorted(picks, key=lambda node: -node.number)
    assert own_order(y, falling)[1][x._history].tobytes() == bits(x.grad)


def test_no_bit_depends_on_the_layouts_in_which_gradients_meet():
    found = []
    for observer in (None, lambda step: None):
        x = rf.linspace(-1, 1, 9).view(3, 3).requires_grad_()
        turned = x.softmax(1).t()
        squares = [(m * m).sum() for m in (x * 0.75, turned, x + turned)]
        y = squares[0] + squares[1] + squares[2]
        rf.autograd.backward(y, observer=observer)
        found.append(bits(x.grad))
    assert found[0] == found[1]
