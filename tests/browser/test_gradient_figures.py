"""The graph and the backward figure in real JupyterLab: pointing, keys, both themes, on a projector and on a phone."""


import pytest

import rustyflow as rf
from rustyflow import show
from tests.browser.panel import FIGURE, HOST, book, lit, quiet, resize, sentence, shot

pytestmark = pytest.mark.browser

MAKE = """import rustyflow as rf
from rustyflow import show
w = rf.tensor([2.0, 3.0], requires_grad=True)
x = rf.tensor([0.5], requires_grad=True)
b = rf.tensor([0.1, 0.2], requires_grad=True)
loss = (w * x + b).tanh().sum()"""


@pytest.fixture
def shown(shared, page):
    def run(source):
        shared(book(MAKE, source))
        figure = page.locator(FIGURE).first
        figure.locator(".stage").wait_for()
        page.mouse.move(2, 2)
        return figure

    return run


def test_a_line_of_text_and_its_box_are_one_selection(shown, page, theme):
    figure = shown("show.graph(loss)")
    figure.locator("#t4").hover()
    assert {"n4", "t4"} < lit(figure)
    assert sentence(figure) == "%5 = mul reads w and x (repeated) and gives float32[2], and keeps w and x for backward."
    figure.locator("#card").wait_for()
    shot(page, "gradient-graph-light")
    theme("dark")
    figure.locator("#n6").hover()
    assert {"n6", "t6"} < lit(figure)
    shot(page, "gradient-graph-dark")


def test_the_graph_by_keyboard_alone(shown, page):
    figure = shown("show.graph(loss)")
    figure.locator(".stage").focus()
    for key in ("ArrowRight", "ArrowRight", "Enter"):
        page.keyboard.press(key)
    assert sentence(figure).startswith("pinned x is a leaf") or sentence(figure).startswith("pinned w is a leaf")
    page.keyboard.press("ArrowDown")
    assert sentence(figure).startswith("pinned")
    page.keyboard.press("Enter")
    page.keyboard.press("End")
    assert sentence(figure) == "From no box leads more than one arrow: here the graph is a tree."


def test_backward_step_by_step_by_keyboard(shown, page, theme):
    figure = shown("show.backward(loss)")
    figure.locator(".stage").focus()
    page.keyboard.press("d")
    heard = []
    for _ in range(21):
        page.keyboard.press("PageDown")
        heard.append(sentence(figure))
    assert figure.locator("#g1").text_content() == ""
    assert heard[-1].startswith("sums: x was read as 2 numbers")
    shot(page, "gradient-backward-light")
    page.keyboard.press("PageDown")
    assert figure.locator("#g1").text_content() == "[1.09]"
    theme("dark")
    figure.locator(".stage").focus()  # on a busy machine JupyterLab's splash screen takes the keyboard
    page.keyboard.press("PageUp")
    page.keyboard.press("PageUp")
    shot(page, "gradient-backward-dark")
    page.keyboard.press("End")
    assert sentence(figure).startswith("Where x.grad[0] comes from: 2·0.359 + 3·0.125 ≈ 1.09")
    shot(page, "gradient-origin-dark")


def test_one_number_is_followed_back_by_clicks(shown, page):
    figure = shown("show.backward(loss)")
    figure.locator("#n1").click()
    figure.locator("#o1").wait_for()
    figure.locator("#ins").wait_for(state="hidden")
    figure.locator("#o1q0").click()
    assert {"o1q0", "o1u0", "o1u1", "o1s0", "o1s1"} < lit(figure)
    shot(page, "gradient-origin-light")


def test_pointing_tells_and_a_click_opens_what_stays_open(shown, page):
    figure = shown("show.backward(loss)")
    figure.locator("#n1").hover()
    assert sentence(figure).startswith("x: its value is [0.5]. Click, or press Enter, to see")
    assert not figure.locator("#o1").is_visible()
    figure.locator("#n1").click()
    page.mouse.move(2, 2)
    assert figure.locator("#o1").is_visible() and sentence(figure).startswith("pinned x.grad is made of the numbers")
    figure.locator("#o1u0").hover()  # inside of what is open, without a click
    assert "o1u0" in lit(figure) and sentence(figure) == "d(add)[0] = 0.359·1 ≈ 0.359."
    figure.locator("#n4").hover()  # outside
    assert sentence(figure).startswith("pinned x.grad is made of")
    page.mouse.move(2, 2)
    page.keyboard.press("Enter")  # what is pinned opens into its numbers
    assert figure.locator("#o1").is_visible() and figure.locator(".level").inner_text().startswith("x.grad")
    figure.locator("#o1u0").hover()
    assert "o1u0" not in lit(figure)  # what lights is what is open
    page.keyboard.press("Escape")
    page.keyboard.press("Escape")
    assert not figure.locator("#o1").is_visible()


def test_one_number_is_followed_back_by_keys(shown, page):
    figure = shown("show.backward(loss)")
    figure.locator(".stage").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    page.keyboard.press("ArrowDown")
    assert sentence(figure).startswith("pinned w.grad[0] = 0.5·0.359 ≈ 0.18")


def test_on_a_projector(shown, page):
    size = page.viewport_size
    resize(page, 1280, 720)
    try:
        for source, name in (("show.backward(loss)", "backward"), ("show.graph(loss)", "graph")):
            figure = shown(source)
            figure.locator(".stage").focus()
            page.keyboard.press("f")
            page.keyboard.press("d")
            for _ in range(17 if name == "backward" else 5):
                page.keyboard.press("PageDown")
            shot(page, f"gradient-projector-{name}")
            drawn = """e => {
                const scale = e.getScreenCTM().a, texts = [...e.querySelectorAll('text')];
                const seen = texts.filter(t => t.getClientRects().length && t.textContent &&
                    getComputedStyle(t).visibility !== 'hidden');
                return [14, 18].map(least => Math.min(...seen.map(t => +t.getAttribute('font-size'))
                    .filter(size => size >= least)) * scale);
            }"""
            label, number = figure.locator(".stage > svg").evaluate(drawn)
            assert label >= 15.9 and number >= 19.9
            page.keyboard.press("Escape")
    finally:
        resize(page, **size)


SMALLEST = """figure => {
    const scale = figure.svg.getScreenCTM().a, drawn = [...figure.svg.querySelectorAll('text')];
    const seen = drawn.filter(t => t.textContent && figure.seen(t));
    return Math.min(...seen.map(t => parseFloat(getComputedStyle(t).fontSize) * scale));
}"""


NUMBERS = SMALLEST.replace("t.textContent &&", "t.textContent && parseFloat(getComputedStyle(t).fontSize) >= 18 &&")
"""Of boxes, formulas and the ledger; labels are smaller."""


def network():
    """Two layers and a loss: 15 nodes, 33 events, and numbers that come from five storages."""
    rf.manual_seed(0)
    x, t = rf.randn(2, 3), rf.tensor([[1.0], [0.0]])
    w1, b1 = rf.randn(3, 4).requires_grad_(), rf.zeros(4).requires_grad_()
    w2, b2 = rf.randn(4, 1).requires_grad_(), rf.zeros(1).requires_grad_()
    return (((x @ w1 + b1).tanh() @ w2 + b2 - t) ** 2).mean()


@pytest.mark.parametrize("which", ["graph", "backward"])
def test_every_step_of_a_network_is_seen_whole_on_a_projector_numbers_20_pixels_high(plain, tmp_path, which):
    figure = getattr(show, which)(network())
    tab = plain(figure.save(tmp_path / "figure.html"))
    resize(tab, 1280, 720)
    tab.locator(".stage").focus()
    tab.keyboard.press("f")
    tab.keyboard.press("d")
    host = tab.locator(HOST)
    for frame in range(len(figure.frames)):
        assert host.evaluate(SMALLEST) >= 15.9 and host.evaluate(NUMBERS) >= 19.9, frame
        assert host.evaluate("figure => figure.stage.scrollHeight <= figure.stage.clientHeight + 1"), frame
        tab.keyboard.press("PageDown")
    if which == "backward":  # a number of a weight's gradient, selected: the sums behind it, and the way
        assert {"o0q0", "n0"} < lit(host)
        tab.locator("#o0").wait_for()
        tab.locator("#view").wait_for(state="hidden")


@pytest.mark.parametrize("which", ["graph", "backward"])
def test_on_a_phone(plain, tmp_path, which):
    w = rf.tensor([2.0, 3.0], requires_grad=True)
    figure = getattr(show, which)((w * w).sum())
    tab = plain(figure.save(tmp_path / "figure.html"), dark=True)
    resize(tab, 390, 844)
    assert tab.evaluate("() => document.documentElement.scrollWidth") <= 390
    tab.locator(HOST).locator("#n0").click()
    assert sentence(tab.locator(HOST)).startswith("pinned w")
    shot(tab, f"phone-{which}")


@pytest.mark.parametrize("dark", [False, True])
def test_a_gradient_that_waits_looks_unfinished_on_a_projector(plain, tmp_path, dark):
    a = rf.tensor(4.0, requires_grad=True)
    c = a * 2
    d = c * 5
    figure = show.backward(c + d)
    tab = plain(figure.save(tmp_path / "figure.html"), dark=dark)
    resize(tab, 1280, 720)
    host = tab.locator(HOST)
    tab.locator(".stage").focus()
    tab.keyboard.press("f")
    tab.keyboard.press("d")

    def step_to(start):
        for _ in figure.frames:
            if sentence(host).startswith(start):
                break
            tab.keyboard.press("PageDown")
        assert sentence(host).startswith(start)
        drawn = """e => { const box = e.querySelector("#n1 .panel").getBoundingClientRect(),
            count = e.querySelector("#h1 rect"), style = getComputedStyle(count), inner = count.getBoundingClientRect();
            const seen = [...e.querySelectorAll("#n1 text")].filter(t => getComputedStyle(t).visibility !== "hidden");
            return [seen.slice(2).map(t => t.textContent).filter(Boolean).join(" | "),
                style.fill === "none", box.width, box.height, box.left < inner.left &&
                inner.right < box.right && box.top < inner.top && inner.bottom < box.bottom]; }"""
        quiet(host)
        assert host.evaluate(SMALLEST) >= 19.9
        shot(tab, f"waits-{step_to.shots}-{'dark' if dark else 'light'}")
        step_to.shots += 1
        return host.locator(".stage > svg").evaluate(drawn)

    step_to.shots = 0
    before, waiting = step_to("Backward begins"), step_to("arrives: c now has")
    later, whole = step_to("hands on: d turns"), step_to("arrives: c had 1")
    assert before[0] == ""
    assert waiting[:2] == later[:2] == ["1 | 1 of 2", True]
    assert whole[:2] == ["6 | 2 of 2", False]
    assert before[2:] == waiting[2:] == later[2:] == whole[2:] and whole[-1]  # nothing moves, the count is in its box


def test_from_the_last_step_the_keys_lesson_10_names_lead_to_what_a_gradient_is_made_of(plain, tmp_path):
    a = rf.tensor(3.0, requires_grad=True)
    c = a * 2
    y = c + c * 5
    tab = plain(show.backward(y).save(tmp_path / "figure.html"))
    figure = tab.locator(HOST)
    figure.locator(".stage").focus()
    for key in ("End", "ArrowUp", "Enter"):
        tab.keyboard.press(key)
    assert sentence(figure).startswith("pinned a")
    tab.keyboard.press("ArrowDown")
    assert lit(figure) >= {"o0q0"} and sentence(figure).startswith("pinned ")


def test_a_gradient_flies_from_who_hands_it_on_to_who_receives_it(plain, tmp_path):
    a = rf.tensor(3.0, requires_grad=True)
    c = a * 2
    d = c * 5
    figure = show.backward(c + d)
    frame = next(k for k, told in enumerate(figure.frames) if told.sends == (("gr2", "gr1"),) and not told.fine)
    tab = plain(figure.save(tmp_path / "figure.html"))
    places = tab.locator(HOST).evaluate(
        """(host, frame) => {
            host.go(frame);
            const middle = e => {
                const {x, y, width, height} = e.getBoundingClientRect();
                return [x + width / 2, y + height / 2];
            };
            const at = ms => {
                for (const flight of host.flights) { flight.pause(); flight.currentTime = ms; }
                return middle(host.svg.lastElementChild.querySelector(".cell"));
            };
            const [sender, receiver] = ["gr2", "gr1"].map(id => middle(host.shapes.get(id)));
            return [sender, at(0), at(240), at(470), receiver]; }""",
        frame,
    )
    sender, begins, between, ends, receiver = places
    assert begins == pytest.approx(sender, abs=1) and ends == pytest.approx(receiver, abs=1)
    assert receiver[0] < between[0] < sender[0]
