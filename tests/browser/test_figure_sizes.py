"""The player's figures on projectors, on small screens and at every zoom: what is in sight, how large, and where."""

import numpy as np
import pytest

import rustyflow as rf
from rustyflow import show
from tests.browser.panel import HOST, lit, resize, sentence

pytestmark = pytest.mark.browser


X = np.arange(12).reshape(3, 4)


@pytest.mark.parametrize("views", [1, 2])
def test_projector_mode_can_be_read_from_the_last_row(opened, views):
    y = X.T[1:, :2]
    tab = opened(show.strides(y, names=["y"]) if views == 1 else show.strides(X, y, names=["x", "y"]))
    resize(tab, 1280, 720)
    tab.keyboard.press("f")
    labels, numbers, page = tab.locator(HOST).evaluate(
        """host => {
            const root = host.shadowRoot, scale = root.querySelector('.stage svg').getScreenCTM().a;
            const size = e => parseFloat(getComputedStyle(e).fontSize), small = sizes => Math.min(...sizes);
            const drawn = [...root.querySelectorAll('.stage text')].map(size);
            return [small(drawn) * scale, small(drawn.filter(n => n >= 18)) * scale,
                small([...root.querySelectorAll('.bar p, .count, button')].map(size))];
        }"""
    )
    assert labels >= 16 and numbers >= 20 and page >= 20
    for button in tab.locator("dialog button:visible").all():
        box = button.bounding_box()
        assert min(box["width"], box["height"]) >= 44


@pytest.mark.parametrize("name", ["broadcast", "strides", "backward"])
def test_full_screen_is_the_same_picture_at_every_zoom_of_the_page(opened, name):
    c = rf.tensor([3.0], requires_grad=True) * 2.0
    figures = {"broadcast": lambda: show.broadcast(np.arange(3.0)[:, None], np.arange(4.0), names=["a", "b"]),
               "strides": lambda: show.strides(X, names=["x"]), "backward": lambda: show.backward((c * 2 + c).sum())}
    tab = opened(figures[name]())
    place = """host => {
        const of = e => { const {x, y, width, height} = e.getBoundingClientRect(); return [x, y, width, height] };
        const drawing = host.svg.getScreenCTM(), {stage} = host;
        return [of(host.shadowRoot.querySelector('.bar')), [...host.shadowRoot.querySelectorAll('button')].flatMap(of),
            drawing.a, drawing.e, drawing.f,
            stage.scrollWidth <= stage.clientWidth + 1, stage.scrollHeight <= stage.clientHeight + 1];
    }"""
    resize(tab, 1280, 720)
    tab.keyboard.press("f")
    tab.evaluate("() => { document.body.style.width = '500px' }")  # as beside a file browser
    seen = {}
    for zoom in (100, 110, 125, 150, 200):  # the page is zoomed in while it is shown
        wide = 1280 * 100 // zoom
        resize(tab, wide, 720 * 100 // zoom)
        bar, buttons, scale, left, top, *whole = tab.locator(HOST).evaluate(place)
        assert all(whole) and tab.locator(".zoomed").count() == 0, zoom
        seen[zoom] = [n * 1280 / wide for n in (*bar, *buttons, left, top)] + [300 * scale * 1280 / wide]
        assert seen[zoom] == pytest.approx(seen[100], abs=8), zoom


SMALLEST = """host => {
    const scale = host.shadowRoot.querySelector('.stage svg').getScreenCTM().a;
    const texts = [...host.shadowRoot.querySelectorAll('.stage text')].filter(t => t.textContent && host.seen(t));
    const sizes = texts.map(t => parseFloat(getComputedStyle(t).fontSize));
    return [Math.min(...sizes) * scale, Math.min(...sizes.filter(n => n >= 18)) * scale];
}"""


@pytest.mark.parametrize("shape", [(16, 16), (2, 3, 2, 3)], ids=str)
def test_on_a_projector_what_is_too_large_scrolls_to_what_is_told(opened, shape):
    tab = opened(show.strides(np.arange(np.prod(shape)).reshape(shape), names=["x"]))
    resize(tab, 1280, 720)
    tab.keyboard.press("f")
    host, room = tab.locator(HOST), tab.locator(".stage").bounding_box()
    labels, numbers = host.evaluate(SMALLEST)
    assert labels >= 16 and numbers >= 20
    told = set()
    for _ in range(9):
        tab.keyboard.press("PageDown")
        if link := host.evaluate("host => host.scene.frames[host.frame].l"):
            box = tab.locator(f"#{link}").bounding_box()
            assert room["y"] <= box["y"] and box["y"] + box["height"] <= room["y"] + room["height"]
            told.add(link)
    assert len(told) > 2
    tab.keyboard.press("Escape")
    assert tab.locator(".zoomed").count() == 0


@pytest.mark.parametrize("program", ["ends of each axis", "three views", "four axes"])
def test_on_a_projector_a_cell_its_slot_and_the_formula_are_in_sight(opened, program):
    x = np.arange(24).reshape(2, 3, 4)
    tensors = {"ends of each axis": [np.ones((50, 70))], "three views": [x, x.transpose(2, 1, 0), x[:, 1]],
               "four axes": [np.ones((2, 3, 2, 2))]}[program]  # fmt: skip
    tab = opened(show.strides(*tensors, names=list("xyz"[: len(tensors)])))
    tab.emulate_media(reduced_motion="reduce")
    resize(tab, 1280, 720)
    tab.keyboard.press("f")
    host, room, told = tab.locator(HOST), tab.locator(".stage").bounding_box(), 0
    for _ in range(host.evaluate("host => host.scene.frames.length - 1")):
        tab.keyboard.press("PageDown")
        if host.evaluate("host => host.scene.frames[host.frame].l"):
            for shape in tab.locator(".stage svg").locator("g.lit, g[id^=f]:not(.off)").all():
                box = shape.bounding_box()
                assert room["y"] <= box["y"] and box["y"] + box["height"] <= room["y"] + room["height"]
                told += 1
    assert told > 8


def test_on_a_projector_the_picture_stays_where_it_is_from_step_to_step(opened):
    w = rf.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], requires_grad=True)
    figure = show.backward((w * w).sum(), title="y")
    tab = opened(figure)
    resize(tab, 1280, 720)
    tab.keyboard.press("f")
    where = """host => {
        const {a, e, f} = host.svg.getScreenCTM(), bar = host.shadowRoot.querySelector('.bar').getBoundingClientRect();
        return [a, e, f, bar.top, bar.height].map(Math.round);
    }"""
    host, places = tab.locator(HOST), []
    for _ in figure.frames:
        places.append(host.evaluate(where))
        tab.keyboard.press("PageDown")
    assert "last step" in tab.locator(".remark").inner_text()  # over the picture, until the next step
    tab.keyboard.press("PageUp")
    assert tab.locator(".remark").inner_text() == ""
    tab.keyboard.press("Home")
    tab.locator("#n0").click()  # which opens a panel
    places.append(host.evaluate(where))
    assert places == places[:1] * len(places)


def test_the_keys_are_shown_over_the_picture_and_hide_no_sentence_and_no_button(opened):
    tab = opened(show.broadcast(X, X[:, :1], names=["a", "b"]))
    for projector in (False, True):
        if projector:
            resize(tab, 1280, 720)
            tab.keyboard.press("f")
        tab.keyboard.press("?")
        sheet, bar = tab.locator(".help").bounding_box(), tab.locator(".bar").bounding_box()
        assert sheet["y"] >= 0 and sheet["y"] + sheet["height"] <= bar["y"]
        assert sheet["x"] >= 0 and sheet["x"] + sheet["width"] <= 1280
        tab.keyboard.press("?")


def test_projector_mode_never_loses_the_keyboard(tab):
    tab.keyboard.press("f")
    tab.evaluate("() => { window.same = true }")
    tab.mouse.click(640, 990)
    tab.keyboard.press("F5")
    tab.keyboard.press("Tab")
    tab.keyboard.press("Tab")
    tab.locator(HOST).evaluate("host => host.shadowRoot.activeElement?.blur()")
    tab.keyboard.press("PageDown")
    assert tab.locator(".count").inner_text() == "2 / 10" and tab.evaluate("() => window.same")
    tab.keyboard.press(".")
    assert tab.locator(".blank").is_visible()
    tab.keyboard.press(".")
    tab.keyboard.press("?")
    assert tab.locator(".help").is_visible()
    tab.keyboard.press("Escape")
    assert not tab.locator(".help").is_visible() and tab.locator("dialog[open]").count() == 1
    tab.keyboard.press("Escape")
    tab.keyboard.press("PageDown")
    assert tab.locator("dialog[open]").count() == 0 and tab.locator(".count").inner_text() == "3 / 10"


def test_a_small_screen(tab):
    resize(tab, 390, 844)
    tab.keyboard.press("?")
    sheet, bar = tab.locator(".help").bounding_box(), tab.locator(".bar").bounding_box()
    assert bar["y"] < sheet["y"] and bar["x"] <= sheet["x"] and sheet["x"] + sheet["width"] <= 390
    tab.keyboard.press("?")
    assert tab.evaluate("() => document.scrollingElement.scrollWidth") <= 390
    for button in tab.locator("button:visible").all():
        assert button.bounding_box()["height"] >= 44
    for _ in range(4):
        tab.keyboard.press("ArrowRight")
    tab.keyboard.press("End")
    tab.locator("#s11").evaluate("slot => slot.dispatchEvent(new MouseEvent('click', {bubbles: true}))")
    assert sentence(tab).startswith("pinned Slot 11")


def test_on_a_small_screen_the_card_and_the_formula_are_text(tab):
    notes = tab.locator(".notes")
    tab.locator("#b3").click()
    assert not notes.is_visible()  # the drawing says it
    resize(tab, 390, 844)
    assert notes.locator("div").nth(0).locator("p").all_inner_texts()[1:3] == ["shape (3, 2)", "stride (1, 4)"]
    assert notes.locator("div").nth(1).locator("p").all_inner_texts() == ["y[1, 1] reads slot", "1 + 1·1 + 1·4 = 6"]
    for line in notes.locator("p").all():
        box = line.bounding_box()
        assert 0 <= box["x"] and box["x"] + box["width"] <= 390
    assert float(notes.locator("p").first.evaluate("p => parseFloat(getComputedStyle(p).fontSize)")) >= 16


def test_an_index_is_never_broken_over_two_lines(opened):
    figure = show.broadcast(X, X[:, :1], names=["a_long_name", "another"], title="a sum")
    tab = opened(figure)
    broken = """host => [...host.shadowRoot.querySelectorAll('#says .whole')].filter(e => e.getClientRects().length > 1)
        .map(e => e.textContent)"""
    tab.locator(HOST).evaluate("host => host.show({link: 'r6'})")
    whole = ["a_long_name[1, 2]", "another[1, 0]"]  # the formula stands in the picture
    assert tab.locator("#says .whole").all_inner_texts() == whole
    for width in range(300, 700, 23):
        resize(tab, width, 844)
        assert tab.locator(HOST).evaluate(broken) == []


def test_what_the_keyboard_lights_is_scrolled_into_view(tab):
    resize(tab, 390, 844)
    for _ in range(40):
        tab.keyboard.press("ArrowRight")
    box = tab.locator("#s11").bounding_box()
    assert "s11" in lit(tab) and 0 <= box["x"] and box["x"] + box["width"] <= 390


TURNED = {
    "matmul": lambda: show.matmul(X[:2] / 4, X.T[:, :2] / 1.0, names=["a", "b"]),
    "matmul of a batch": lambda: show.matmul(np.ones((2, 2, 3)), X[:3] / 2.0, names=["x", "w"]),
    "reduce": lambda: show.reduce(X / 1.0, "mean", 1, name="x"),
    "reduce all": lambda: show.reduce(np.arange(24.0).reshape(2, 3, 4), "amax", (0, 2), keepdim=True, name="y"),
    "curve": lambda: show.curve(lambda x: x * x, 3.0),
    "broadcast": lambda: show.broadcast(np.arange(3.0)[:, None], np.arange(4.0), op="mul", names=["a", "b"]),
    "broadcast wide": lambda: show.broadcast(np.ones((2, 3, 5)), np.arange(5.0), op="div", names=["x", "row"]),
}


@pytest.mark.parametrize("name", TURNED)
def test_the_page_stays_still_when_a_figure_is_turned_or_pointed_at(opened, name):
    tab = opened(TURNED[name]())
    heights = """host => {
        const high = () => host.getBoundingClientRect().height;
        const seen = [], ids = [...host.links.keys()];
        host.scene.frames.forEach((_, frame) => [[], ["g"]].forEach(toggles => {
            for (const link of [null, ids[0], ids.at(-1), ids[ids.length >> 1]]) {
                host.show({frame, toggles, link});
                seen.push(high());
            }
        }));
        return Math.max(...seen) - Math.min(...seen);
    }"""
    for width in (1280, 800):
        resize(tab, width, 900)
        assert tab.locator(HOST).evaluate(heights) < 0.1


def test_the_page_stays_still_while_sentences_change(opened):
    c = rf.tensor(4.0, requires_grad=True) * 2
    d = c * 5
    x = rf.tensor([0.5, 1.0], requires_grad=True)
    heights = "host => host.scene.frames.map((_, k) => (host.go(k), Math.round(host.getBoundingClientRect().height)))"
    for figure in (show.strides(X, names=["x"]), show.backward(c + d), show.graph((x * x + x).sum())):
        tab = opened(figure)
        for width in (1280, 800, 700):
            resize(tab, width, 900)
            assert len(set(tab.locator(HOST).evaluate(heights))) == 1
