"""On the page no text of a figure lies on another one or on a cell of another, or leaves its cell or the drawing:
in all frames, on both sides, at rest."""

import numpy as np
import pytest

import rustyflow as rf
from rustyflow import show
from tests.browser.panel import HOST, resize
from tests.claims.curves import LINES

pytestmark = pytest.mark.browser

COLLISIONS = """figure => {
    const svg = figure.shadowRoot.querySelector('.stage > svg'), found = new Set();
    const size = e => e.getBoundingClientRect();
    const seen = e => e.checkVisibility({opacityProperty: true, visibilityProperty: true}) && size(e).width;
    const said = e => e.textContent || e.parentNode.id || e.parentNode.parentNode.id;
    const meet = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 2 &&
        Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 2.5;
    const look = state => {
        figure.show(state);
        const where = JSON.stringify(state), edge = size(svg);
        const all = which => [...svg.querySelectorAll(which)].filter(seen).map(e => [e, size(e)]);
        const texts = all('text').filter(([e]) => e.textContent.trim()), cells = all('.cell > rect:first-child');
        texts.forEach(([e, a], k) => {
            if (a.right > edge.right + 1 || a.bottom > edge.bottom + 1 || a.left < edge.left - 1)
                found.add(`${said(e)} leaves the drawing ${where}`);
            const own = e.closest('.cell');
            if (own && !e.classList.contains('address')) {
                const box = size(own.querySelector('rect'));
                if (a.left < box.left - 1 || a.right > box.right + 1) found.add(`${said(e)} leaves its cell ${where}`);
                return;
            }
            texts.slice(k + 1).forEach(([f, b]) => meet(a, b) && found.add(`${said(e)} over ${said(f)} ${where}`));
            const on = cells.filter(([f, b]) => f.parentNode !== own && meet(a, b));
            on.forEach(([f]) => found.add(`${said(e)} on ${said(f)} ${where}`));
        });
    };
    for (const toggles of [null, ...figure.toggles.map(t => [t])])
        figure.scene.frames.forEach((_, frame) => look({frame, toggles}));
    return [...found];
}"""

X, RANDOM = np.arange(12.0).reshape(3, 4), np.random.default_rng(7)
R = RANDOM.normal(size=(2, 3, 2, 2))

FIGURES = {
    "strides of a view": lambda: show.strides(X.T[1:, :2], names=["y"]),
    "strides of four axes": lambda: show.strides(np.arange(36).reshape(2, 3, 2, 3), names=["x"]),
    "strides of three views": lambda: show.strides(X, X.T, X[1:]),
    "strides of an expanded view": lambda: show.strides(rf.randn(3, 1), rf.randn(3, 1).expand(3, 4)),
    "strides where no view can be": lambda: show.strides(rf.arange(12).reshape(3, 4).T, view=(2, 6)),
    "strides that overlap": lambda: show.strides(rf.arange(10.0).as_strided((4, 3), (2, 1), 1)),
    "broadcast of three": lambda: show.broadcast(R[:, 0, 0], R[0, 0, 0], R[0, 0], op="*",
                                                 names=["weight", "x", "bias"]),
    "broadcast of four axes": lambda: show.broadcast(R[:, :, :1], R[0, :1], op="*", names=["a", "b"]),
    "broadcast of three axes": lambda: show.broadcast(R[0], R[0, :, :1, 0], names=["images", "mean"]),
    "clash of shapes": lambda: show.broadcast(np.ones((5, 3)), np.ones(5), op="-", names=["x", "mean"]),
    "reduce to rows": lambda: show.reduce(R[0, :, 0], "mean", 1, name="x"),
    "reduce of four axes": lambda: show.reduce(R, "logsumexp", (0, 2), True, name="activations"),
    "reduce of all": lambda: show.reduce(RANDOM.normal(size=(4, 5)), "sum", name="x"),
    "matmul with a transpose": lambda: show.matmul(RANDOM.normal(size=(2, 5)), RANDOM.normal(size=(6, 5)).T,
                                                   names=["x", "W.T"]),
    "matmul of a batch": lambda: show.matmul(np.ones((2, 2, 3)), X[:3, :2] * 1.25, names=["queries", "keys"]),
    "matmul of eight by eight": lambda: show.matmul(np.ones((8, 8)), np.eye(8), names=["a", "b"]),
    "matmul with a vector": lambda: show.matmul(X * 100, np.ones(4), names=["weight_matrix", "v"]),
    **{f"curve: {name}": make for name, make in LINES.items()},
    "clash of a product": lambda: show.matmul(np.ones((7, 2, 5, 3)), np.ones((2, 4, 3)), names=["layers", "w"]),
}  # fmt: skip


@pytest.mark.parametrize("name", FIGURES)
def test_no_text_lies_on_another_or_leaves_its_place(opened, name):
    tab = opened(FIGURES[name]())
    tab.emulate_media(reduced_motion="reduce")
    for width in (1280, 640):
        resize(tab, width, 900)
        assert tab.locator(HOST).evaluate(COLLISIONS) == []
