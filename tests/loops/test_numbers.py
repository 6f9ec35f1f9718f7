"""Numbers that know how they were made: the numbers are the same, and each leads back to the cells it came from."""

import math

import numpy as np
import pytest

import rustyflow as rf
import rustyflow.nn.functional as f
from rustyflow.backends import use
from rustyflow.backends.loops.number import (
    LEAF,
    ManySteps,
    Number,
    Traced,
    Truth,
    leaves,
    plain,
    steps,
    traced,
    tracing,
)
from rustyflow.layout import flat_index

X = [[3.0, 1.0, 2.0], [6.0, 5.0, 4.0]]


def ran(program, *data, most=math.inf, **kinds):
    """The cells of a program's first result, each with its tree, and the result without tracing."""
    with use("loops"):
        rf.manual_seed(0)
        made = program(*[rf.tensor(x, **kinds) for x in data])
        wanted = (made[0] if isinstance(made, tuple) else made).tolist()
        rf.manual_seed(0)
        with tracing(most) as trace:
            operands = [rf.tensor(x, **kinds) for x in data]
            for name, x in zip("abc", operands):
                trace.leaves(x, name)
            y = program(*operands)
            y = y[0] if isinstance(y, tuple) else y
            slots = {at: flat_index(at, y.stride(), y.storage_offset()) for at in np.ndindex(*y.shape)}
            cells = {at: y._a.buffer.cells[slot] for at, slot in slots.items()}
            assert y.tolist() == wanted or np.isnan(wanted).any()
    return cells


def read(program, *data, at=(), **kinds):
    """The leaves of a cell as text: those it was made of, and those that decided."""
    own, beside = leaves(ran(program, *data, **kinds))[at]
    return [" ".join(sorted(f"{name}{list(index)}" for name, index in some)) for some in (own, beside)]


TAKEN = {
    "a product": (lambda a, b: a[:, :2] @ b, (X, [[1.0], [2.0]]), (0, 0), "a[0, 0] a[0, 1] b[0, 0] b[1, 0]", ""),
    "a view": (lambda a: a.T[1:], (X,), (0, 1), "a[1, 1]", ""),
    "the greatest": (lambda a: a.amax(1), (X,), (0,), "a[0, 0]", "a[0, 1] a[0, 2]"),
    "a window": (lambda a: f.max_pool1d(a[None], 2, 1)[0], (X,), (0, 1), "a[0, 2]", "a[0, 1] a[0, 2]"),
    "a choice": (lambda a, b: rf.where(a > 2, a, b), (X, X), (0, 1), "b[0, 1]", "a[0, 1]"),
    "in order": (lambda a: a.sort(1), (X,), (0, 0), "a[0, 1]", "a[0, 0] a[0, 1] a[0, 2]"),
    "where they were": (lambda a: a.argsort(1), (X,), (0, 0), "", "a[0, 0] a[0, 1] a[0, 2]"),
    "indices of the top": (lambda a: a.topk(1).indices, (X,), (1, 0), "", "a[1, 0] a[1, 1] a[1, 2]"),
    "a mask": (lambda a: a[a > 2], (X,), (1,), "a[1, 0]", "a[1, 0]"),
    "a filled cell": (lambda a: a.masked_fill(a > 5, 0.0), (X,), (1, 0), "", "a[1, 0]"),
    "softmax": (lambda a: a.softmax(1), (X,), (1, 1), "a[1, 0] a[1, 1] a[1, 2]", "a[1, 1] a[1, 2]"),
    "what a mask leaves out": (
        lambda a: f.scaled_dot_product_attention(a.T, a.T, a.T, is_causal=True), (X,), (0, 0), "a[0, 0] a[1, 0]",
        "a[0, 0] a[1, 0]"),
    "a factor of 0": (lambda a: a * 0, (X,), (0, 0), "a[0, 0]", ""),
    "the running least": (lambda a: a.cummin(1), (X,), (0, 2), "a[0, 1]", "a[0, 0] a[0, 1] a[0, 2]"),
    "drawn by weight": (lambda a: rf.multinomial(a[0] * 0 + 1, 3), (X,), (1,), "", "a[0, 0] a[0, 1] a[0, 2]"),
    "a number that left": (lambda a: a * a.max().item(), (X,), (0, 1), "a[0, 1]", ""),
    "rounded": (lambda a: a.double() / 3, (X,), (0, 1), "a[0, 1]", ""),
}  # fmt: skip


@pytest.mark.parametrize("name", TAKEN)
def test_each_number_leads_back_to_what_it_was_made_of_and_what_decided(name):
    program, data, at, own, beside = TAKEN[name]
    assert read(program, *data, at=at) == [own, beside]


@pytest.mark.parametrize("program, own, beside", [
    (lambda a, b: a.gather(0, b), "a[2]", "b[0]"), (lambda a, b: a[b], "a[2]", "b[0]"),
    (lambda a, b: rf.zeros(3, dtype=rf.int64).index_add(0, b, a), "a[1]", "b[1]"),
    (lambda a, b: a.repeat_interleave(b), "a[0]", "b[0]"), (lambda a, b: (a == b).long(), "", "a[0] b[0]"),
    (lambda a, b: f.one_hot(b, 3)[:, 2], "", "b[0]"), (lambda a, b: a + b * True, "a[0] b[0]", ""),
    (lambda a, b: b.bool() & (a > 0), "b[0]", "a[0]"),
])  # fmt: skip
def test_whole_numbers_and_bools_are_followed_too(program, own, beside):
    assert read(program, [7, 8, 9], [2, 0, 2], at=(0,)) == [own, beside]


@pytest.mark.parametrize("dtype", [rf.float32, rf.float16, rf.uint8, rf.int8])
def test_a_number_keeps_its_tree_where_it_is_rounded_or_wraps(dtype):
    (cell,) = ran(lambda a, b: a * b, [101.3], [3.7], dtype=dtype).values()
    assert cell.how == "*" and [part.how for part in cell.parts] == [LEAF, LEAF]


def test_nothing_is_traced_where_nobody_traces():
    with use("loops"):
        x = rf.tensor([1.0, 2.0])
        y = x * x
        assert not any(isinstance(cell, Traced) for cell in y._a.buffer.cells)
        with tracing() as trace:
            trace.leaves(z := rf.tensor([3.0]), "z")
            made = z + 1
        assert trace.steps and isinstance(made._a.buffer.cells[0], Number) and (made * 2).tolist() == [8.0]


def test_gradients_are_traced_like_all_numbers():
    with use("loops"), tracing() as trace:
        x = rf.tensor([0.5, 2.0], requires_grad=True)
        trace.leaves(x, "x")
        g = rf.tensor([3.0, 5.0])
        trace.leaves(g, "g")
        x.tanh().backward(g)
        cells = dict(enumerate(x.grad._a.buffer.cells))
    assert [sorted(name for name, _ in own) for own, _ in leaves(cells).values()] == [["g", "x"]] * 2
    assert plain(cells[0]) == pytest.approx(3 * (1 - math.tanh(0.5) ** 2), rel=1e-6)


def test_more_steps_than_are_asked_for_are_not_traced():
    with pytest.raises(ManySteps, match="more than 50 steps"):
        ran(lambda a: a @ a.T, [[1.0] * 9] * 9, most=50)
    with pytest.raises(ManySteps):
        leaves(ran(lambda a: a.cumsum(0), [1.0] * 40), most=500)


def test_a_chain_of_any_length_is_walked():
    def doubled(a):
        for _ in range(3000):
            a = a + a * 0
        return a

    cells = ran(doubled, [1.5])
    assert leaves(cells)[(0,)][0] == {("a", (0,)): None} and len([*steps(cells.values())]) == 6001


def test_a_number_is_the_number_it_was():
    a = traced(2.5, LEAF, ("a", ()))
    assert [a + 1, 1 - a, a * 2, 5 / a, -a, abs(a)] == [3.5, -1.5, 5.0, 2.0, -2.5, 2.5]
    assert [a // 1, a % 2, a**2] == [2.0, 0.5, 6.25]
    assert isinstance(a < 3, Truth) and (a < 3) and not (a > 3) and hash(a) == hash(2.5) and a != "a" and not a == "a"
    n = traced(5, LEAF, ("n", ()))
    assert [n + 1.5, 2 * n, n // 2, [1, 2, 3, 4, 5, 6][n], (n + a).how] == [6.5, 10, 2, 6, "+"]
