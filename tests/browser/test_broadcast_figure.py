"""The broadcast figure in real JupyterLab: what is pointed at, what the keys do, on a projector and on a phone."""

import numpy as np
import pytest

from rustyflow import show
from tests.browser.panel import FIGURE, HOST, book, lit, resize, sentence, shot

pytestmark = pytest.mark.browser

MAKE = """import rustyflow as rf
from rustyflow import show
a = rf.tensor([[10.], [20.], [30.]])
b = rf.tensor([1., 2., 3., 4.])
g = rf.tensor([[1., 0, 2, 1], [3, 1, 2, 1], [0, 1, 1, 2]])"""


@pytest.fixture
def figure(shared, page):
    shared(book(MAKE, "show.broadcast(a, b, upstream=g)"))
    found = page.locator(FIGURE).first
    found.locator(".stage").wait_for()
    page.mouse.move(2, 2)
    return found


def seen(figure):
    """The sentence as it is seen, without the formula of the picture, which is only heard in it."""
    return sentence(figure).splitlines()[-1]


def test_pointing_at_cells_in_both_directions(figure, page):
    figure.locator("#r6").hover()
    assert lit(figure) == {"r6", "a4", "a6", "b2", "b6"}
    assert seen(figure) == "a[1, 0] and b[2] meet."
    assert sentence(figure).startswith("a[1, 0] and b[2] meet: (a + b)[1, 2] = a[1, 0] + b[2] = 20 + 3 = 23.")
    shot(page, "broadcast-light")
    figure.locator("#b2").hover()
    assert {id for id in lit(figure) if id[0] == "r"} == {"r2", "r6", "r10"}


def test_the_story_by_keyboard_alone(figure, page, theme):
    theme("dark")
    figure.locator(".stage").focus()
    heard = []
    for _ in range(19):
        page.keyboard.press("PageDown")
        heard.append(sentence(figure))
    assert heard[1].startswith("Rule 1") and heard[2].startswith("Rule 2") and heard[3].startswith("Rule 3: along j")
    assert heard[9].startswith("a[1, 0] and b[2] meet: (a + b)[1, 2] = a[1, 0] + b[2] = 20 + 3 = 23.")
    assert heard[15] == "a.grad[1, 0] so far: 3 + 1 + 2 = 6."
    assert heard[16] == "a[1, 0] was read 4 times, so it gets the sum of 4 gradients: 7."
    page.keyboard.press("PageUp")
    page.keyboard.press("PageUp")
    shot(page, "broadcast-dark")
    figure.locator("#sa4").wait_for()
    assert figure.locator("#sa4").text_content() == "7"


def test_g_turns_the_picture_over_and_keeps_the_spotlight(figure, page):
    figure.locator(".stage").focus()
    for key in ("ArrowRight", "ArrowDown", "ArrowRight", "Enter"):
        page.keyboard.press(key)
    assert seen(figure) == "pinned a[1, 0] and b[1] meet."
    page.keyboard.press("g")
    assert sentence(figure) == (
        "pinned g[1, 1] = 1, which arrives at this result cell, sends 1 to a.grad[1, 0], 1 to b.grad[1]."
    )
    page.keyboard.press("Escape")
    for key in ("ArrowRight", "ArrowDown", "ArrowRight", "ArrowDown", "ArrowDown", "ArrowDown", "ArrowLeft", "g"):
        page.keyboard.press(key)
    assert sentence(figure).startswith("a[1, 0] = 20 is read 4 times")
    page.keyboard.press("g")
    assert seen(figure) == "Summed over j · dim 1, the axis along which a was repeated."
    assert figure.locator("#h1").text_content() == "3 + 1 + 2 + 1"


def test_on_a_projector_every_text_is_large_enough(figure, page):
    size = page.viewport_size
    resize(page, 1280, 720)
    try:
        figure.locator(".stage").focus()
        page.keyboard.press("f")
        for _ in range(14):
            page.keyboard.press("PageDown")
        shot(page, "broadcast-projector")
        drawn = """e => {
            const scale = e.getScreenCTM().a, texts = [...e.querySelectorAll('text')];
            const seen = texts.filter(t => t.getClientRects().length && t.textContent &&
                    getComputedStyle(t).visibility !== 'hidden');
            return Math.min(...seen.map(t => +(t.getAttribute('font-size') || 99) * scale));
        }"""
        assert figure.locator(".stage > svg").evaluate(drawn) >= 20
        box = figure.locator(".stage > svg").bounding_box()
        bar = figure.locator(".bar").bounding_box()
        assert box["y"] + box["height"] <= bar["y"] + 1 and bar["y"] + bar["height"] <= 720
        page.keyboard.press("Escape")
    finally:
        resize(page, **size)


def test_a_clash_offers_what_would_fit(notebook, page):
    opened = notebook(book(MAKE, "show.broadcast(g, a[:, 0])"))
    assert opened.errors() == []
    figure = page.locator(FIGURE).first
    page.mouse.move(2, 2)
    figure.locator(".stage").wait_for()
    figure.locator(".stage").focus()
    page.keyboard.press("End")
    shot(page, "broadcast-clash")
    assert figure.locator("#x0").text_content() == ("c[:, None]  or  c.unsqueeze(1)has shape (3, 1)gives (3, 4)")


@pytest.mark.parametrize("dark", [False, True])
def test_on_a_phone(plain, tmp_path, dark):
    a, b = np.array([[10.0], [20.0], [30.0]]), np.arange(1.0, 5.0)
    tab = plain(show.broadcast(a, b, op="*", names=["a", "b"]).save(tmp_path / "figure.html"), dark=dark)
    resize(tab, 390, 844)
    figure = tab.locator(HOST)
    assert tab.evaluate("() => document.documentElement.scrollWidth") <= 390
    figure.locator("#a4").click()
    assert sentence(figure).startswith("pinned a[1, 0] = 20 is read 4 times")
    shot(tab, f"phone-{'dark' if dark else 'light'}")


OVERLAPS = """figure => {
    const svg = figure.shadowRoot.querySelector('.stage > svg'), found = [];
    const boxes = () => [...svg.querySelectorAll('.cell > rect:first-child, text')].filter(e =>
        (e.tagName === 'rect' || e.textContent.trim() && !e.closest('.cell')) && e.checkVisibility(
            {opacityProperty: true, visibilityProperty: true})).map(e => [e, e.getBoundingClientRect()]);
    const look = state => {
        figure.show(state);
        const all = boxes();
        all.forEach(([e, a], k) => all.slice(k + 1).forEach(([f, b]) => {
            if (e.tagName === 'rect' && f.tagName === 'rect') return;
            const across = Math.min(a.right, b.right) - Math.max(a.left, b.left);
            const down = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
            if (across > 2 && down > 2) found.push([e, f].map(x => x.textContent || x.parentNode.id).join(' over '));
        }));
    };
    figure.scene.frames.forEach((_, frame) => look({frame}));
    for (const link of figure.links.keys()) for (const toggles of [[], ['g']]) look({frame: 0, link, toggles});
    return found;
}"""

PROGRAMS = {
    "bias": lambda: show.broadcast(np.zeros((3, 4)), np.arange(4.0), names=["x", "b"]),
    "product": lambda: show.broadcast(np.ones((2, 1)), np.arange(3.0), op="*", names=["a", "b"]),
    "both stretch": lambda: show.broadcast(np.ones((3, 1)), np.arange(4.0), names=["a", "b"]),
    "three axes": lambda: show.broadcast(np.ones((2, 1, 3)), np.ones((4, 1)), names=["a", "b"]),
    "three operands": lambda: show.broadcast(np.ones(3), 2.0, np.ones((2, 1)), names=["a", "b", "c"]),
}


@pytest.mark.parametrize("program", PROGRAMS)
def test_nothing_is_written_over_something_else(plain, tmp_path, program):
    tab = plain(PROGRAMS[program]().save(tmp_path / "figure.html"))
    tab.emulate_media(reduced_motion="reduce")
    assert tab.locator(HOST).evaluate(OVERLAPS) == []
