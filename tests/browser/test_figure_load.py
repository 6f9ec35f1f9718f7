"""One player, many scenes: what `load` keeps, what a page keeps, and what the figure's owner is told."""

import json
import re

import numpy as np
import pytest

from rustyflow import show
from rustyflow.scene import Figure, Frame, Link, Links, Scene, draw, wire
from tests.browser.panel import HOST, lit, sentence

pytestmark = pytest.mark.browser

X = np.arange(12).reshape(3, 4)
PARTS = """root => [...root.querySelectorAll('.figure, .figure *, dialog')].filter(
    e => !e.closest('.stage svg, .says [aria-hidden], .notes'))"""
SAME = f"""host => {{
    const now = ({PARTS})(host.shadowRoot);
    return now.length > 20 && host.before.every((e, k) => e === now[k]);
}}"""

# Another of the first figure, once it lives: what is packed in figures before it has been inflated by then.
AFTER = f"""async () => {{
    const host = document.querySelector('{HOST}'), after = document.createElement(host.localName);
    after.innerHTML = host.innerHTML;
    document.body.append(after);
    while (!after.shadowRoot) await new Promise(requestAnimationFrame);
    await new Promise(done => setTimeout(done));
    after.remove();
}}"""


def strides(x=X):
    return show.strides(x, names=["x"], title="x")


def sides(words="backward", frames=3):
    shapes = draw.cell("a0", 10, 10, 1, "unless-g"), draw.cell("b0", 60, 10, 9, "grad when-g")
    links = Links("Pinned.", {"a0": Link(("a0",)), "b0": Link(("b0",))})
    story = [Frame({"": f"Forward {k}.", "g": f"Backward {k}."}) for k in range(frames)]
    return Figure(Scene("two sides", 200, 80, shapes, (*story,), (links,), ((("a0", "b0"),),), {"g": words}))


def load(tab, figure, keep=None, **changes):
    scene = json.loads(wire.encode(figure.scene)) | changes
    tab.locator(HOST).evaluate("(host, [scene, keep]) => host.load(scene, keep)", [scene, keep])


def state(tab):
    return tab.locator(HOST).evaluate("host => host.state")


def heard(tab):
    """What the owner has been told since the last time that this was asked."""
    return tab.locator(HOST).evaluate(
        """host => {
            if (!host.heard) host.addEventListener("rustyflow:state", e => host.heard.push(e.detail));
            const heard = host.heard ?? [];
            host.heard = [];
            return heard;
        }"""
    )


def test_the_buttons_the_slider_and_the_sentence_are_the_same_ones_with_another_scene(opened):
    tab = opened(strides())
    tab.locator(HOST).evaluate(f"host => {{ host.before = ({PARTS})(host.shadowRoot); host.drawing = host.svg }}")
    load(tab, strides(X.T.copy()))
    assert tab.locator(HOST).evaluate(SAME)
    assert tab.locator(HOST).evaluate("host => host.drawing !== host.svg && host.drawing.parentNode === null")
    assert tab.locator(".stage svg").count() == 1
    tab.locator("#a5").hover()  # the stage listens, whatever is on it
    assert lit(tab) == {"a5", "s5"} and sentence(tab).startswith("x[1, 2] is slot 5")
    tab.locator("#a4").click()
    tab.mouse.move(5, 5)
    assert lit(tab) == {"a4", "s4"} and sentence(tab).startswith("pinned x[1, 1]")


def test_what_belongs_to_the_scene_is_the_new_scenes(opened):
    tab = opened(strides())
    load(tab, sides())
    assert tab.locator(".stage").get_attribute("aria-label") == "two sides"
    assert tab.locator("input").get_attribute("max") == "2" and tab.locator(".count").inner_text() == "1 / 3"
    assert tab.locator(".tools button:visible").all_inner_texts() == ["backward g", "f", "?"]
    tab.keyboard.press("?")
    assert "backward, or back" in tab.locator(".help").inner_text()
    tab.keyboard.press("?")
    tab.keyboard.press("g")
    assert sentence(tab) == "Backward 0."
    load(tab, sides(frames=1))
    assert not any(tab.locator(part).is_visible() for part in (".steps", "input", ".count"))
    load(tab, strides())
    assert all(tab.locator(part).is_visible() for part in (".steps", "input", ".count"))
    assert tab.locator(".tools button:visible").all_inner_texts() == ["f", "?"]
    assert "backward" not in tab.locator(".help").inner_text()


def test_frame_pin_and_side_stay_where_the_new_scene_has_them(opened):
    tab = opened(sides())
    for key in ("PageDown", "PageDown", "g", "ArrowRight", "Enter"):
        tab.keyboard.press(key)
    assert state(tab) == {"frame": 2, "pinned": "b0", "side": "g"}
    load(tab, sides("gradient"))
    assert state(tab) == {"frame": 2, "pinned": "b0", "side": "g"} and sentence(tab) == "pinned Pinned."
    load(tab, strides())  # no side, another b0
    assert state(tab)["side"] is None
    load(tab, sides(frames=2))
    assert state(tab)["frame"] == 1  # the last one
    load(tab, sides(), {"frame": 1, "pinned": "gone", "side": ""})
    assert state(tab) == {"frame": 1, "pinned": "", "side": ""} and sentence(tab) == "Forward 1."
    load(tab, sides(), {"frame": 99})
    assert state(tab) == {"frame": 2, "pinned": "", "side": None}


def test_a_pin_that_is_gone_is_let_go(opened):
    tab = opened(strides())
    tab.locator("#a11").click()
    tab.mouse.move(5, 5)
    load(tab, strides(X[:2]))
    assert state(tab)["pinned"] == "" and lit(tab) == set() and not sentence(tab).startswith("pinned")


def test_the_place_of_the_arrow_keys_stays(opened):
    tab = opened(strides())
    for _ in range(6):
        tab.keyboard.press("ArrowRight")
    load(tab, strides(X + 1))
    assert lit(tab) == {"a5", "s5"}
    tab.keyboard.press("ArrowRight")
    assert lit(tab) == {"a6", "s6"}


def test_the_focus_stays_where_it_was(opened):
    tab = opened(sides())
    focused = "host => host.shadowRoot.activeElement?.className || host.shadowRoot.activeElement?.textContent"
    host = tab.locator(HOST)
    load(tab, sides())
    assert host.evaluate(focused) == "stage"
    host.evaluate("host => host.controls.append(document.createElement('input'))")
    typed = host.locator("input:not([type])")
    typed.click()
    tab.keyboard.type("ab")
    load(tab, strides())
    tab.keyboard.type("cd")
    assert typed.input_value() == "abcd"
    load(tab, sides())
    host.evaluate("host => host.flips[0].focus()")
    load(tab, sides(frames=2))
    assert host.evaluate(focused) == "backward g"
    load(tab, strides())  # which has no such button
    assert host.evaluate(focused) == "stage"
    host.evaluate("host => host.scrub.focus()")
    load(tab, sides(frames=1))  # which has no use for a slider
    assert host.evaluate(focused) == "stage"


def test_a_sentence_that_stays_is_not_said_again(opened):
    tab = opened(strides())
    host = tab.locator(HOST)
    host.evaluate(
        """host => {
            host.changes = 0;
            const ear = new MutationObserver(changes => { host.changes += changes.length });
            ear.observe(host.says, {childList: true, subtree: true, characterData: true});
            host.region = host.says.isConnected && host.says;
        }"""
    )
    load(tab, strides())
    tab.wait_for_timeout(50)
    assert host.evaluate("host => host.changes") == 0
    load(tab, strides(X.T))
    assert host.evaluate("host => new Promise(done => setTimeout(() => done(host.changes), 50))") > 0
    assert host.evaluate("host => host.region === host.shadowRoot.querySelector('[aria-live]')")


def test_a_figure_in_projector_mode_goes_on_with_another_scene(opened):
    tab = opened(strides())
    tab.keyboard.press("f")
    load(tab, sides())
    tab.keyboard.press("PageDown")
    assert sentence(tab) == "Forward 1." and tab.locator("dialog[open]").get_attribute("aria-label") == "two sides"


def test_what_was_turned_and_moved_leaves_nothing_behind(opened):
    """Steps, toggles and pins change shapes; the same scene, loaded in another state, is drawn as if never played."""
    tab = opened(sides())
    drawn = "host => host.shadowRoot.querySelector('.stage').innerHTML"
    fresh = tab.locator(HOST).evaluate(drawn)
    for key in ("g", "ArrowRight", "Enter", "PageDown"):
        tab.keyboard.press(key)
    load(tab, sides(), {})
    assert tab.locator(HOST).evaluate(drawn) == fresh


def test_the_owner_is_told_what_has_changed_once_it_is_drawn(opened):
    tab = opened(sides())
    heard(tab)
    tab.keyboard.press("PageDown")
    assert heard(tab) == [{"frame": 1, "pinned": "", "side": None}]
    tab.locator("#a0").hover()  # pointing is nobody's business
    assert heard(tab) == []
    tab.locator("#a0").click()
    assert heard(tab) == [{"frame": 1, "pinned": "a0", "side": None}]
    tab.keyboard.press("g")
    tab.keyboard.press("g")
    assert [told["side"] for told in heard(tab)] == ["g", ""]
    drawn = """host => new Promise(done => {
        host.addEventListener("rustyflow:state", () => done(host.says.textContent), {once: true});
        host.show({frame: 2});
    })"""
    assert tab.locator(HOST).evaluate(drawn) == "Forward 2."


def test_the_owner_is_told_what_became_of_a_state_that_the_scene_does_not_have(opened):
    tab = opened(sides())
    heard(tab)
    load(tab, sides(), {"frame": 1, "pinned": "a0", "side": "g"})
    assert heard(tab) == []  # it is as was asked
    load(tab, sides(), {"frame": 7, "pinned": None, "side": "g"})
    assert heard(tab) == [{"frame": 2, "pinned": "", "side": "g"}]
    load(tab, sides(frames=1))
    assert heard(tab) == [{"frame": 0, "pinned": "", "side": "g"}]


def test_a_kept_state_is_the_first_one_that_is_shown(plain):
    tab = plain(sides().html(keep={"frame": 2, "pinned": "a0", "side": ""}))
    assert state(tab) == {"frame": 2, "pinned": "a0", "side": ""} and sentence(tab) == "pinned Pinned."
    tab = plain(sides().html(keep={"side": "g"}))
    assert state(tab) == {"frame": 0, "pinned": "", "side": "g"} and sentence(tab) == "Backward 0."


def test_an_id_with_quotes_and_markup_is_kept(plain):
    name = "\"'><b>&amp;"
    links = Links("Pinned.", {name: Link((name,))})
    scene = Scene("x", 80, 40, (draw.cell(name, 10, 10, 1),), (Frame("One number."),), (links,))
    tab = plain(Figure(scene).html(keep={"pinned": name}))
    assert state(tab)["pinned"] == name and lit(tab) == {name} and tab.locator("b").count() == 0


def test_a_scene_of_another_format_is_a_still_picture(opened):
    tab = opened(strides())
    other = wire.pack(sides().scene)
    new = """(host, packed) => {
        const other = document.createElement(host.localName);
        other.innerHTML = host.innerHTML;
        other.querySelector("script").textContent = packed;
        other.id = "other";
        document.body.append(other);
    }"""
    tab.locator(HOST).evaluate(new, other)
    tab.wait_for_function("() => document.querySelector('#other').shadowRoot")  # alive: it is the same player
    tab.evaluate("() => document.querySelector('#other').remove()")
    wire_format, wire.FORMAT = wire.FORMAT, wire.FORMAT + 1
    try:
        other = wire.pack(sides().scene)
    finally:
        wire.FORMAT = wire_format
    tab.locator(HOST).evaluate(new, other)
    tab.evaluate(AFTER)
    assert tab.evaluate("() => !document.querySelector('#other').shadowRoot")
    assert tab.locator("#other img").is_visible() and tab.locator("#other small").is_visible()
    load(tab, sides(), format=0)
    assert tab.locator(".stage").get_attribute("aria-label") == "x" and sentence(tab).startswith("x ")


def test_a_scene_may_come_before_the_page_is_read(plain):
    """An owner may load a scene as soon as the element is there; the one in the page does not undo it."""
    tab = plain(strides().html())
    scene = json.loads(wire.encode(sides().scene))
    tab.locator(HOST).evaluate(
        """(host, scene) => {
            const other = document.createElement(host.localName);
            other.innerHTML = host.innerHTML;
            other.id = "other";
            document.body.append(other);
            other.load(scene);
        }""",
        scene,
    )
    tab.evaluate(AFTER)
    shown = tab.locator("#other").evaluate("other => [other.stage.ariaLabel, other.getAttribute('theme')]")
    assert shown == ["two sides", "light"]


def test_a_figure_that_left_the_page_follows_nothing_and_may_come_back(opened):
    tab = opened(strides())
    tab.keyboard.press("f")
    leave = """async host => {
        const turn = async light => {
            document.body.dataset.jpThemeLight = light;
            await new Promise(done => setTimeout(done, 50));
            return host.getAttribute("theme");
        };
        const place = host.parentNode, seen = [];
        host.sizes.disconnect = () => seen.push("sizes");
        host.remove();
        seen.push(host.dialog.open, await turn("false"));
        place.append(host);
        seen.push(host.getAttribute("theme"), await turn("true"));
        return seen;
    }"""
    assert tab.locator(HOST).evaluate(leave) == ["sizes", False, "light", "dark", "light"]
    tab.locator(".stage").focus()
    tab.keyboard.press("PageDown")
    assert re.match(r"2 / \d+", tab.locator(".count").inner_text())


def test_keys_in_an_owners_input_are_the_inputs(opened):
    tab = opened(sides())
    tab.locator(HOST).evaluate("host => host.controls.append(document.createElement('input'))")
    field = tab.locator(HOST).locator("input:not([type])")
    field.click()
    tab.keyboard.type("g .b?f")
    for key in ("ArrowLeft", "Home", "PageDown", "Enter"):
        tab.keyboard.press(key)
    tab.keyboard.type("2")
    assert field.input_value() == "2g .b?f" and state(tab) == {"frame": 0, "pinned": "", "side": None}
    assert tab.locator(".help").is_hidden() and tab.locator("dialog[open]").count() == 0
    tab.keyboard.press("Escape")
    tab.keyboard.type("g")
    assert field.input_value() == "2g .b?f"
    assert state(tab)["side"] is None  # back in the page: the figure's keys are its own while it has the focus
