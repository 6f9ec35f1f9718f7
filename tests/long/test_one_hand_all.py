"""Every kind of figure on four inputs: type of one scale on pages of any width and projectors, heights and edges."""

import numpy as np
import pytest

import rustyflow as rf
from rustyflow import show
from tests.browser.panel import HOST, resize
from tests.browser.test_one_hand import MEASURED, SCALE, SHADED, apart

pytestmark = pytest.mark.browser

F = rf.nn.functional


def some(*shape):
    return np.arange(float(np.prod(shape))).reshape(shape) / 8 - 0.5


X = some(4, 4)


def program(*shape):
    x = rf.tensor(some(*shape), requires_grad=True)
    return (x * x + x).tanh().sum()


FIGURES = {
    "strides": [lambda: show.strides(some(3, 4), names="x"), lambda: show.strides(some(12)[::2], names="x"),
                lambda: show.strides(X, X.T, names="xy"),
                lambda: show.strides(some(2, 2, 3), names="x")],
    "broadcast": [lambda: show.broadcast(some(3, 1), some(4), names="ab"), lambda: show.broadcast(some(4), 2.0),
                  lambda: show.broadcast(some(2, 3, 1), some(4), names="ab"),
                  lambda: show.broadcast(some(3, 4), some(3), names="ab")],
    "matmul": [lambda: show.matmul(some(2, 3), some(3, 2), names="ab"), lambda: show.matmul(some(3), some(3)),
               lambda: show.matmul(some(8, 8), some(8, 8), names="ab"), lambda: show.matmul(some(2, 3), some(2, 3))],
    "reduce": [lambda: show.reduce(some(3, 4), "sum", 1, name="x"), lambda: show.reduce(some(6), "amax", name="x"),
               lambda: show.reduce(some(3, 4), "mean", 0, name="x"), lambda: show.reduce(some(2, 3, 4), "sum", 1)],
    "op": [lambda: show.op("softmax", some(2, 4), dim=1, names="x"), lambda: show.op("cumsum", some(6), 0, names="x"),
           lambda: show.op(F.conv2d, some(1, 1, 4, 4), some(1, 1, 2, 2), names="xw"),
           lambda: show.op("gather", some(3, 4), 1, np.array([[0], [2], [1]]), names="xi")],
    "backward": [lambda: show.backward(program(2)), lambda: show.backward(program(2, 2)),
                 lambda: show.backward(program(1)), lambda: show.backward(program(3, 2))],
    "graph": [lambda: show.graph(program(2)), lambda: show.graph(program(2, 2)), lambda: show.graph(program(1)),
              lambda: show.graph(program(3, 2))],
    "curve": [lambda: show.curve(lambda x: x * x, 3.0), lambda: show.curve(lambda x: x.sin(), 0.5),
              lambda: show.curve(lambda x: x.relu(), -1.0), lambda: show.curve(lambda x: x.exp(), 0.0)],
}  # fmt: skip


@pytest.mark.parametrize("name", FIGURES)
def test_four_of_each_kind_are_of_one_scale_at_every_width(opened, name):
    for n, make in enumerate(FIGURES[name]):
        tab = opened(make())
        host = tab.locator(HOST)
        for width in (390, 640, 1280, 1920):
            resize(tab, width, 900)
            seen = host.evaluate(MEASURED, False)
            assert {*seen["sizes"], *seen["page"]} <= SCALE, (n, width)
            assert seen["below"] and seen["even"] and seen["above"] and seen["letters"] <= 80, (n, width)
            if width >= 1280:
                assert seen["tall"] <= 720 and seen["wide"] <= 1104, (n, width)
                assert seen["scale"] == pytest.approx(1, abs=0.01), (n, width)
        resize(tab, 1280, 720)
        tab.keyboard.press("f")
        seen = host.evaluate(MEASURED, True)
        assert {*seen["sizes"]} <= SCALE and {round(size) for size in seen["page"]} <= {21, 27, 36, 48}, n


@pytest.mark.parametrize("name", FIGURES)
def test_a_saved_png_of_each_kind_shows_what_the_page_shows(opened, tmp_path, name):
    for n, make in enumerate(FIGURES[name]):
        figure = make()
        mean, worst = apart(figure, opened(figure), tmp_path)
        assert mean < 1 and worst < 3, n


LARGE = {
    "strides": lambda: show.strides(some(3, 12), names="x"),
    "broadcast": lambda: show.broadcast(some(3, 1), some(14), names="ab"),
    "matmul": lambda: show.matmul(some(4, 16), some(16, 24), names="ab"),
    "reduce": lambda: show.reduce(some(4, 12), "sum", 1, name="x"),
    "blocks": lambda: show.reduce(some(2, 3, 7), "sum", 1, name="x"),
    "softmax": lambda: show.op("softmax", some(3, 10), dim=1, names="x"),
    "conv": lambda: show.op(F.conv2d, some(1, 1, 9, 9), some(1, 1, 3, 3), names="xw"),
    "truths": lambda: show.op("gt", some(2, 14), 0.3, names="x"),
}


@pytest.mark.parametrize("name", LARGE)
def test_no_grid_is_wider_than_a_phone(opened, name):
    tab = opened(LARGE[name]())
    resize(tab, 390, 900)
    host = tab.locator(HOST)
    assert host.evaluate("host => host.svg.classList.contains('stacked')")
    for side in host.evaluate("host => ['', ...host.toggles]"):
        for frame in range(host.evaluate("host => host.scene.frames.length")):
            host.evaluate("(host, [frame, side]) => host.show({frame, toggles: [...side]})", [frame, side])
            seen = host.evaluate(SHADED)
            assert not seen["scrolls"] and seen["round"] and seen["inside"] and {*seen["sizes"]} <= SCALE, (frame, side)
