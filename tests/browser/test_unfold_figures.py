"""In each kind of figure a cell opens by key alone: pinned, opened, gone on from, gone back to, and let go."""

import numpy as np
import pytest

import rustyflow as rf
from rustyflow import show
from tests.browser.panel import HOST, shot
from tests.browser.test_unfold import dressed, lines, next_number, pinned, press, trail

pytestmark = pytest.mark.browser

X = np.array([[2.0, 1.0, 0.5], [-2.0, -1.0, 4.0]])


def made():
    w = rf.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    return w * 2


def net(figure):
    """A figure of a program, with its names."""
    x, w = rf.tensor([[1.0, 2.0]]), rf.tensor([[0.5, 1.0], [-0.25, 2.0]], requires_grad=True)
    h = x @ w
    loss = (h * h).sum()
    return figure(loss)


KINDS = {
    "matmul": (lambda: show.matmul(made(), np.eye(2, dtype="f"), names=["a", "b"]), "", "c1",
               "(a @ b)[0, 1] = a[0, 0]·b[0, 1] + a[0, 1]·b[1, 1] = 2·0 + 4·1 = 4", "a[0, 1]",
               "a[0, 1] = leaf[0, 1]·2 = 2·2 = 4", {"a1"}),
    "broadcast": (lambda: show.broadcast(made(), made(), op="*", names=["a", "b"]), "", "r2",
                  "(a * b)[1, 0] = a[1, 0]·b[1, 0] = 6·6 = 36", "b[1, 0]",
                  "b[1, 0] = leaf%3[1, 0]·2 = 3·2 = 6", {"b2"}),
    "reduce": (lambda: show.reduce(made(), "mean", 1, name="x"), "", "r1",
               "x.mean(dim=1)[1] = (x[1, 0] + x[1, 1]) / 2 = (6 + 8) / 2 = 7", "x[1, 1]",
               "x[1, 1] = leaf[1, 1]·2 = 4·2 = 8", {"a3"}),
    "op": (lambda: show.op("softmax", X, dim=1, names=["x"]), "", "y0",
           "y[0, 0] = e[0, 0] / s[0] = 7.3891 / 11.756 ≈ 0.629", "s[0]",
           "s[0] = e[0, 0] + e[0, 1] + e[0, 2] = 7.39 + 2.72 + 1.65 ≈ 11.8", set()),
    "op backward": (lambda: show.op(lambda x, w: (x * w).exp(), X[:1], X[:1], names=["x", "w"]), "g", "p0",
                    "x.grad[0, 0] = dmul[0, 0]·w[0, 0] = 164·2 ≈ 328", "dmul[0, 0]",
                    "dmul[0, 0] = g[0, 0]·y[0, 0] = 3·54.6 ≈ 164", {"g0", "y0"}),
    "backward": (lambda: net(show.backward), "", "n0",
                 "w.grad = [[w.grad[0, 0], w.grad[0, 1]], [w.grad[1, 0], w.grad[1, 1]]] = [[0, 10], [0, 20]]",
                 "w.grad[0, 1]", "w.grad[0, 1] = x[0, 0]·dh[0, 1] = 1·10 = 10", {"n1", "n2"}),
    "graph": (lambda: net(show.graph), "", "n3", "mul = [[mul[0, 0], mul[0, 1]]] = [[0, 25]]", "mul[0, 1]",
              "mul[0, 1] = h[0, 1]·h[0, 1] = 5·5 = 25", {"n2"}),
}  # fmt: skip


def reach(tab, id):
    """Go from cell to cell by the arrow keys until one is reached."""
    for _ in range(60):
        if tab.locator(HOST).evaluate("host => host.spot") == id:
            return
        press(tab, "ArrowRight")
    raise AssertionError(f"no arrow leads to {id}")


@pytest.mark.parametrize("kind", KINDS)
def test_a_cell_opens_by_key_alone(opened, kind):
    make, side, id, one, second, two, read = KINDS[kind]
    tab = opened(make())
    press(tab, *side)
    reach(tab, id)
    press(tab, "Enter")
    assert pinned(tab) == id and trail(tab) == []
    press(tab, "Enter")
    assert lines(tab) == [one]
    shot(tab, f"unfold {kind} 1")
    for _ in range(12):
        if second in next_number(tab):
            break
        press(tab, "Tab")
    assert second in next_number(tab)
    press(tab, "Enter")
    assert lines(tab) == [one, two] and read <= dressed(tab, "read")
    shot(tab, f"unfold {kind} 2")
    press(tab, "Backspace")
    assert lines(tab) == [one] and second in next_number(tab)
    press(tab, "Escape")
    assert lines(tab) == [] and pinned(tab) == id
    press(tab, "Escape")
    assert not pinned(tab)


def test_the_form_in_which_the_engine_works_is_one_press_further(opened):
    tab = opened(show.op("softmax", X, dim=1, names=["x"]))
    reach(tab, "y0")
    press(tab, "Enter", "Enter", "Shift+Tab")
    assert "opens y[0, 0] as worked out" in tab.locator(HOST).locator(".keys").inner_text()
    press(tab, "Enter")
    assert lines(tab)[-1].startswith("y[0, 0] as worked out = t[0, 0] / total[0] = 1 / ")
    assert lines(tab)[-1].endswith("worked out so that exp cannot overflow")
    press(tab, "Enter")
    assert lines(tab)[-1].startswith("t[0, 0] = exp(x[0, 0] - m[0]) = exp(2 - 2) = 1")
