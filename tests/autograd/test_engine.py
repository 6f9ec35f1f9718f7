"""The walk: what reaches the leaves, in which order, what is freed, and what is refused."""

import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import rustyflow as rf
from rustyflow.autograd import backward_steps
from rustyflow.tensor import memory
from rustyflow.tensor.storage import holding


def leaf(*values, dtype=None):
    return rf.tensor(values[0] if len(values) == 1 else list(values), dtype=dtype, requires_grad=True)


def test_a_shared_node_is_visited_once_and_hears_from_all_its_users():
    a, b = leaf(2.0), leaf(3.0)
    c = a * b
    (c + c).backward()
    assert (a.grad.item(), b.grad.item()) == (6.0, 4.0)


def test_equal_values_are_not_the_same_node():
    a, b = leaf(2.0), leaf(3.0)
    (a * b + a * b).backward()
    assert a.grad.item() == 6.0


def test_sixty_doublings_are_sixty_visits():
    x = leaf(1.0)
    y = x
    for _ in range(60):
        y = y + y
    steps = backward_steps(y)
    assert len([s for s in steps if s.kind == "vjp"]) == 120
    y.backward()
    assert x.grad.item() == 2.0**60


def test_a_leaf_used_by_ten_thousand_ops_gets_every_contribution():
    x = leaf(1.0, dtype=rf.float64)
    total = rf.zeros((), dtype=rf.float64)
    for k in range(10_000):
        total = total + x * k
    total.backward()
    assert x.grad.item() == sum(range(10_000))


def test_broadcast_operands_get_the_sum_over_their_copies():
    a, b = rf.tensor([[1.0], [2.0], [3.0]], requires_grad=True), leaf(1.0, 10.0, 100.0, 1000.0)
    upstream = rf.arange(12.0).view(3, 4)
    (a * b).backward(upstream)
    assert a.grad.tolist() == [[0 + 10 + 200 + 3000], [4 + 50 + 600 + 7000], [8 + 90 + 1000 + 11000]]
    assert b.grad.tolist() == [0 * 1 + 4 * 2 + 8 * 3, 1 + 10 + 27, 2 + 12 + 30, 3 + 14 + 33]


def test_backward_twice_adds_up_when_retained():
    a, b = leaf(2.0), leaf(3.0)
    z = (a * b) * b
    z.backward(retain_graph=True)
    z.backward()
    assert a.grad.item() == 18.0


def test_a_second_walk_through_freed_values_is_refused_and_one_that_needs_none_is_not():
    a = leaf(2.0)
    y = a * a
    y.backward()
    with pytest.raises(RuntimeError, match="second time"):
        y.backward()
    z = a + a
    z.backward()
    z.backward()


def test_backward_needs_history_a_number_and_a_fitting_seed():
    with pytest.raises(RuntimeError, match="does not require grad"):
        rf.ones(2).sum().backward()
    x = leaf(1.0, 2.0)
    with pytest.raises(RuntimeError, match="only for scalar"):
        (x * 2).backward()
    with pytest.raises(RuntimeError, match="Mismatch in shape"):
        (x * 2).backward(rf.ones(3))


def test_a_saved_value_overwritten_later_is_refused_by_the_names_of_both_ops():
    x = leaf(1.0, 2.0)
    y = x.exp()
    z = (y * y).sum()
    y.add_(1)
    with pytest.raises(RuntimeError, match=r"MulBackward0 saved .* written into since, by add_"):
        z.backward()


def through_written_indices(c):
    indices = rf.tensor([1, 0])
    y = c.take_along_dim(indices, 0)
    indices.zero_()
    return y


@pytest.mark.parametrize(
    "program",
    [
        lambda c: (c + 1).add_(1),
        lambda c: (c * 2).add_(1),
        lambda c: c.tanh().mul(1).add_(c.detach()),
        lambda c: c.clone().mul_(3),
        lambda c: c.clone().tanh_(),
        lambda c: c.clone().exp_(),
        lambda c: rf.nn.functional.gelu(c).mul_(2),
        lambda c: rf.nn.functional.elu(c).add_(1),
        lambda c: rf.nn.functional.selu(c).neg_(),
        lambda c: rf.nn.functional.celu(c).exp_(),
        lambda c: rf.var_mean(c)[0].mul_(2),
        lambda c: through_written_indices(c),
    ],
    ids=[
        "add needs nothing",
        "a constant factor needs nothing",
        "through detach",
        "mul_ by a number",
        "tanh_ saves its result",
        "exp_ saves its result",
        "gelu needs its operand alone",
        "elu needs its operand alone",
        "selu needs its operand alone",
        "celu needs its operand alone",
        "a variance needs its operand alone",
        "take_along_dim has indices of its own",
    ],
)
def test_legal_in_place_programs_are_legal(program):
    x = leaf(0.5, -0.25)
    y = program(x * 1)
    y.sum().backward()
    assert np.isfinite(x.grad.numpy()).all()


def test_a_view_made_under_no_grad_or_with_others_takes_no_recorded_write():
    w, x = leaf(1.0, 2.0), rf.ones(2, dtype=rf.float64)
    with rf.no_grad():
        unrecorded = x.view(2)
    for part in (unrecorded, *x.split(1)):
        with pytest.raises(RuntimeError, match="made under no_grad|multiple views"):
            part.mul_(w[:len(part)])


def test_a_view_goes_on_from_a_recorded_write():
    w, x = leaf(1.0, 2.0), rf.ones(2, dtype=rf.float64)
    part = x.view(2)
    part.mul_(w)
    x.mul_(3)
    part.sum().backward()
    assert w.grad.tolist() == [3.0, 3.0] and x.tolist() == [3.0, 6.0]


def test_the_write_through_detach_is_counted():
    x = leaf(1.0, 2.0)
    y = x * 1
    z = y * y
    y.detach().zero_()
    with pytest.raises(RuntimeError, match="inplace"):
        z.sum().backward()


def test_watching_changes_no_bit():
    def run(observer):
        a, b = rf.linspace(-1, 1, 12).view(3, 4).requires_grad_(), rf.linspace(0.5, 2, 4).requires_grad_()
        y = ((a * b).tanh() / b + a.exp()).sum()
        rf.autograd.backward(y, observer=observer)
        return a.grad.numpy().tobytes(), b.grad.numpy().tobytes()

    seen = []
    assert run(None) == run(seen.append) and {s.kind for s in seen} == {"seed", "vjp", "sum_to", "accumulate", "free"}


def test_an_interrupted_walk_leaves_each_gradient_old_or_complete():
    a, b = leaf(1.0), leaf(1.0)
    y = (a * 2) * (b * 3)
    a.grad, b.grad = rf.tensor(10.0), rf.tensor(10.0)
    node = y.grad_fn.next_functions[0][0]

    def interrupt(grads):
        raise KeyboardInterrupt

    node.register_prehook(interrupt)
    with pytest.raises(KeyboardInterrupt):
        y.backward()
    assert a.grad.item() == 10.0 and b.grad.item() in (10.0, 16.0)
    assert rf.is_grad_enabled()


def test_backward_inside_backward():
    x = leaf(3.0)
    inner = []

    def hook(g):
        w = leaf(2.0)
        with rf.enable_grad():
            (w * w).backward()
        inner.append(w.grad.item())

    y = x * x
    y.register_hook(hook)
    y.backward()
    assert (x.grad.item(), inner) == (6.0, [4.0])


def test_threads_walk_graphs_of_their_own_and_have_their_own_mode():
    results, w = [], leaf(2.0, dtype=rf.float64)

    def work(k):
        if k % 2:
            with rf.no_grad():
                results.append((w * k).requires_grad)
        x = leaf(float(k), dtype=rf.float64)
        for _ in range(20):
            (x * x * 1.5).backward()
        results.append(x.grad.item() == 20 * 3 * k)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
    [t.start() for t in threads]
    [t.join() for t in threads]
    assert results.count(True) == 8 and results.count(False) == 4 and rf.is_grad_enabled()


def test_inputs_limits_where_gradients_go_and_grad_returns_them():
    a, b = leaf(2.0), leaf(3.0)
    c = a * b
    (c * c).backward(inputs=[a])
    assert a.grad.item() == 36.0 and b.grad is None
    d = a * b
    (dd,) = rf.autograd.grad(d * d, d)
    assert dd.item() == 12.0 and a.grad.item() == 36.0


def test_unused_inputs():
    a, b = leaf(1.0), leaf(1.0)
    with pytest.raises(RuntimeError, match="not have been used"):
        rf.autograd.grad(a * 2, (a, b))
    assert rf.autograd.grad(a * 2, (a, b), allow_unused=True)[1] is None
    assert rf.autograd.grad(a * 2, (a, b), materialize_grads=True)[1].item() == 0.0


def test_third_derivative():
    x = leaf(2.0, dtype=rf.float64)
    g = x**5
    for expected in (5 * 16, 20 * 8, 60 * 4):
        (g,) = rf.autograd.grad(g, x, create_graph=True)
        assert g.item() == pytest.approx(expected)


def test_next_functions_are_as_in_pytorch_and_have_no_expand():
    a, b = rf.ones(3, 1, requires_grad=True), rf.ones(4)
    y = a * b + 1
    assert y.grad_fn.name() == type(y.grad_fn).__name__ == "AddBackward0"
    (mul, _), (none, _) = y.grad_fn.next_functions
    assert mul.name() == "MulBackward0" and none is None
    assert [f and f.name() for f, _ in mul.next_functions] == ["AccumulateGrad", None]
    assert mul.next_functions[0][0].variable is a


def test_modes_nest_and_decorate():
    @rf.no_grad()
    def still(x):
        with rf.enable_grad():
            inside = (x * 2).requires_grad
        return inside, (x * 2).requires_grad

    assert still(leaf(1.0)) == (True, False)
    rf.set_grad_enabled(False)
    try:
        assert not (leaf(1.0) * 2).requires_grad
    finally:
        rf.set_grad_enabled(True)


@pytest.mark.parametrize(
    "write",
    [lambda y: y.mul_(y), lambda y: y.div_(y), lambda y: y.mul_(y.detach())],
    ids=["mul_", "div_", "mul_ by its own alias"],
)
def test_an_operand_that_is_overwritten_by_its_own_op_is_refused(write):
    x = leaf(2.0, 3.0)
    y = x * 1
    write(y)
    with pytest.raises(RuntimeError, match="inplace"):
        y.sum().backward()


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("how", [{}, {"create_graph": True}, {"inputs": True}], ids=["plain", "create_graph", "inputs"])
@pytest.mark.parametrize("backend", ["numpy", "loops"])
def test_interrupted_anywhere_each_gradient_is_old_or_complete(backend, how):
    def once(stop):
        """A backward interrupted at its call number `stop`, where Python looks for signals; whether it ended before."""
        a, b = (rf.tensor([float(k), 2.0], requires_grad=True) for k in (1, 3))
        y = ((a * b).tanh() + a).sum() * b.sum()
        for x in (a, b):
            x.grad = rf.tensor([10.0, 20.0])
        calls = 0

        def interrupt(frame, event, _):
            nonlocal calls
            # between entering a `with` and its block Python promises nothing, whatever the code
            if event in ("call", "c_return") and frame.f_code.co_name not in ("__enter__", "__exit__"):
                calls += 1
                if calls == stop:
                    raise KeyboardInterrupt

        whole = True
        sys.setprofile(interrupt)
        try:
            y.backward(**{"inputs": [a, b]} if "inputs" in how else how)
        except KeyboardInterrupt:
            whole = False
        finally:
            sys.setprofile(None)
        assert rf.is_grad_enabled() and np.geterr()["over"] == "warn"
        return whole, [x.grad.tolist() for x in (a, b)]

    with rf.backends.use(backend):
        whole, new = once(0)
        assert whole
        stop, found, whole = 1, set(), False
        while not whole:
            whole, grads = once(stop)
            for x, complete in zip(grads, new, strict=True):
                assert x in ([10.0, 20.0], complete)
            found.add(str(grads))
            stop += 1 if stop < 40 or backend == "numpy" else 7
        assert len(found) >= 2


def test_threads_add_to_a_leaf_that_they_share():
    w = rf.zeros(200_000, requires_grad=True)

    def work():
        for _ in range(20):
            (w * 1.0).sum().backward()

    threads = [threading.Thread(target=work) for _ in range(4)]
    [t.start() for t in threads]
    [t.join() for t in threads]
    assert w.grad.tolist() == [80.0] * 200_000


def test_a_gradient_that_is_there_is_not_added_to_where_it_may_only_be_read():
    array = np.ones(2)
    array.flags.writeable = False
    x = leaf(1.0, 2.0, dtype=rf.float64)
    x.grad = rf.from_numpy(array)
    with pytest.raises(RuntimeError, match="may only be read"):
        (x * 2).sum().backward()
    assert x.grad.tolist() == [1.0, 1.0]


def test_threads_that_first_share_a_tensor_share_one_storage(monkeypatch):
    monkeypatch.setattr(memory, "holding", lambda array: (time.sleep(0), holding(array))[1])
    for share in (rf.detach, rf.ravel, rf.t):
        for _ in range(20):
            x = rf.ones(2, 3)
            with ThreadPoolExecutor(4) as threads:
                found = [view.untyped_storage() for view in threads.map(share, [x] * 4)]
            assert {id(storage) for storage in found} == {id(x.untyped_storage())}
