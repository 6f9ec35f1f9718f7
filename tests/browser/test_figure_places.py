"""Figures in pages that are made otherwise: frames far taller than the screen, and pages guarded by trusted types."""

import json
from html import escape

import pytest

import rustyflow as rf
from rustyflow import show
from rustyflow.scene.figure import player
from rustyflow.scene.wire import encode
from tests.browser.panel import HOST, sentence, shot
from tests.browser.test_widgets import until

pytestmark = pytest.mark.browser

X = rf.arange(6).view(2, 3)
TALL = "<div style='height:3000px'></div>"


def figures():
    a, b = rf.ones(2, 1), rf.arange(3) * 1.0
    return [show.strides(X, X.t(), names=["x", "y"]), show.broadcast(a, b, op="*", names=["a", "b"]),
            show.reduce(X, "sum", 1, name="x")]  # fmt: skip


# -- all outputs are one page, of which a part is seen (VS Code) -------------------------------------------------------


@pytest.fixture
def tall(tabs, tmp_path):
    """`tall(outputs)`: a window of 1280 by 800 with outputs in a frame of 13,000 px, in a frame, in what scrolls."""
    taken, (take, give_back) = [], tabs

    def open_page(outputs, sandbox="allow-scripts"):
        start = "<!doctype html><meta charset=utf-8><body style='margin:0'>"
        frame = f"<iframe sandbox='{sandbox}' style='border:0;width:900px;height:13000px' srcdoc=\"{{}}\"></iframe>"
        inner = start + TALL.join(["", *outputs])
        outer = frame.format(escape(start + frame.format(escape(inner))))
        scroller = "<div id=scroller style='position:absolute;inset:60px 0 0 200px;overflow:auto'>"
        path = tmp_path / "tall.html"
        path.write_text(f"{start}{scroller}{outer}</div>", encoding="utf-8")
        taken.append(take("light"))
        taken[-1].set_viewport_size({"width": 1280, "height": 800})
        taken[-1].goto(path.as_uri())
        while len(taken[-1].frames) < 3:
            taken[-1].wait_for_timeout(50)
        innermost, many = taken[-1].frames[2], sum(output.count("<rustyflow-figure") for output in outputs)
        alive = f"n => [...document.querySelectorAll('{HOST}')].filter(f => f.scene).length === n"
        innermost.wait_for_function(alive, arg=many)
        return taken[-1], innermost

    yield open_page
    for tab in taken:
        give_back(tab)


def seen(page, part):
    """Whether a part is wholly in the 1080 by 740 pixels that are seen of the outputs."""
    box = part.bounding_box()
    return box["x"] >= 199 and box["y"] >= 59 and box["x"] + box["width"] <= 1281 and box["y"] + box["height"] <= 801


@pytest.mark.parametrize("number", range(3))
def test_f_fills_what_is_seen_of_a_page_of_13000_px(tall, number):
    page, inner = tall([figure.html() for figure in figures()])
    assert inner.evaluate("innerHeight") == 13000
    figure = inner.locator(HOST).nth(number)
    figure.locator(".stage").scroll_into_view_if_needed()
    figure.locator(".title").first.click()
    before = figure.bounding_box()
    page.keyboard.press("f")
    body, svg = figure.locator(".figure"), figure.locator(".stage > svg")
    until(lambda: round(body.bounding_box()["height"]), 740)
    assert seen(page, body) and seen(page, svg) and seen(page, figure.locator("#says"))
    assert svg.bounding_box()["width"] > 600
    shot(page, f"tall-{number}")
    told = sentence(figure)
    page.keyboard.press("PageDown")
    assert sentence(figure) != told and figure.locator(".count").inner_text().startswith("2 /")
    page.evaluate("by => { scroller.scrollTop += by; }", -500 if number else 500)  # it comes along
    until(lambda: seen(page, body), True)
    page.keyboard.press("b")
    assert seen(page, figure.locator(".blank"))
    page.keyboard.press("b")
    page.keyboard.press("Escape")
    assert figure.locator("dialog[open]").count() == 0
    page.wait_for_timeout(400)
    after = figure.bounding_box()
    assert (after["width"], after["height"]) == (before["width"], before["height"])
    assert 60 <= after["y"] + after["height"] / 2 <= 800 and inner.evaluate("innerHeight") == 13000
    page.keyboard.press("PageDown")
    assert figure.locator(".count").inner_text().startswith("3 /")


def test_f_fills_what_is_seen_with_figures_beside_each_other(tall):
    pytest.importorskip("anywidget")
    from rustyflow.widgets import beside

    row = beside(*figures()[:2])._bundle()["text/html"]
    page, inner = tall([figures()[0].html(), row], "allow-scripts allow-same-origin")
    host = inner.locator(f"[data-beside] {HOST}").first
    host.locator(".stage").scroll_into_view_if_needed()
    host.locator(".title").first.click()
    page.keyboard.press("f")
    filled = inner.locator("[data-beside]")
    until(lambda: seen(page, filled) and filled.bounding_box()["height"] > 600, True)
    page.keyboard.press("PageDown")
    assert host.locator(".count").inner_text().startswith("2 /") and seen(page, host.locator(".title").first)
    page.keyboard.press("Escape")
    assert filled.evaluate("row => row.popover") is None


def test_in_a_window_of_its_own_a_figure_has_all_of_it(opened):
    tab = opened(figures()[0])
    tab.keyboard.press("f")
    assert tab.locator(".figure").bounding_box() == {"x": 0, "y": 0, "width": 1280, "height": 1000}


# -- a page that lets only policies of its own make elements of text -----------------------------------------------

GUARD = "require-trusted-types-for 'script'"


@pytest.fixture(scope="module")
def guard(browser):
    """A tab, and what scripts throw in it; its console, in which what a policy refuses is told, is nobody's."""
    tab, threw = browser.new_page(viewport={"width": 1280, "height": 1000}), []
    tab.on("pageerror", lambda error: threw.append(str(error)))
    yield tab, threw
    tab.close()


@pytest.fixture
def guarded(guard, tmp_path):
    """`guarded(html, directives)`: a page under that policy, and what its scripts threw."""
    tab, threw = guard
    path = tmp_path / "guarded.html"

    def open_page(html, directives):
        head = f'<meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="{directives}">'
        path.write_text(f"<!doctype html>{head}<body>{html}", encoding="utf-8")
        threw.clear()
        tab.goto(path.as_uri())
        # each whose element was made, as scripts ran, inflates its scene
        made = f"[...document.querySelectorAll('{HOST}')].filter(f => customElements.get(f.localName))"
        tab.wait_for_function(f"() => {made}.every(f => f.scene)")
        return tab, threw

    return open_page


def versions():
    """Three figures of this version, and one of another."""
    ours = [figure.html() for figure in figures()]
    return "".join([*ours, ours[0].replace(player()[0], "rustyflow-figure-00000000")])


@pytest.mark.parametrize("more, live", [
    ("", 4),  # any name may be made, and twice
    ("; trusted-types rustyflow 'allow-duplicates'", 4),
    ("; trusted-types *", 4),
    ("; trusted-types rustyflow", 3),  # the other version stays a picture
    ("; trusted-types 'none'", 0),
    ("; trusted-types dompurify", 0),
])  # fmt: skip
def test_figures_live_where_trusted_types_are_required_or_stay_pictures(guarded, more, live):
    page, threw = guarded(versions(), GUARD + more)
    hosts = page.locator(HOST)
    assert hosts.evaluate_all("all => all.filter(f => f.scene).length") == live and threw == []
    for k in range(live):
        figure = hosts.nth(k)
        figure.locator(".stage").focus()
        page.keyboard.press("PageDown")
        assert figure.locator(".count").inner_text().startswith("2 /")
        page.keyboard.press("f")
        assert figure.locator("dialog[open]").count() == 1 and figure.locator(".stage > svg").is_visible()
        page.keyboard.press("Escape")
    for k in range(live, 4):
        assert hosts.nth(k).locator("img").bounding_box()["height"] > 200
    assert threw == []
    shot(page, f"guarded-{live}")


def test_a_policy_that_is_refused_matters_only_where_one_is_required(guarded):
    page, threw = guarded(versions(), "trusted-types 'none'")
    assert page.locator(HOST).evaluate_all("all => all.every(f => f.scene)") and threw == []


MODEL = """
const [state, code] = TOLD, met = {}, model = {
  widget_manager: null, get: name => state[name], set(name, value) { state[name] = value; }, save_changes() {},
  on(name, act) { (met[name] ??= []).push(act); }, off() {},
  send(message) { if (message.need) for (const act of met["msg:custom"]) act({player: code}); },
};
state._scene = new DataView(new TextEncoder().encode(state._scene).buffer);
bridge.initialize({model});
bridge.render({model, el: document.body});
"""


def page_of(widget):
    """A page with a widget's view, by its own front end, whose model no Python answers."""
    from rustyflow.widgets import base

    traits = {"frame", "pinned", "side", "_key", "_note", "_controls", *(one.trait for one in widget.controls())} - {""}
    state = {name: getattr(widget, name) for name in traits} | {"_scene": encode(widget.figure.scene)}
    bridge = base._bridge().replace("export default", "const bridge =")
    script = bridge + MODEL.replace("TOLD", json.dumps([state, player()[1]]))
    return "<script type=module>" + script.replace("</", "<\\/") + "</script>"


def test_a_widgets_code_lives_where_trusted_types_are_required(guarded):
    pytest.importorskip("anywidget")
    from rustyflow.widgets import StridesPlayground, beside

    page, threw = guarded(page_of(StridesPlayground(X)), GUARD)
    host = page.locator(HOST)
    until(lambda: host.evaluate_all("all => all.map(f => !!f.scene)"), [True])
    assert host.get_by_label("offset", exact=True).count() == 2 and threw == []
    row, threw = guarded(beside(*figures()[:2])._bundle()["text/html"], GUARD)
    row.locator(".stage").first.focus()
    row.keyboard.press("f")
    assert row.locator("[data-beside]").evaluate("row => row.popover") == "manual" and threw == []
