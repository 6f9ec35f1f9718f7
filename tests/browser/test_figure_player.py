"""The player outside JupyterLab: keys, mouse, touch, projector, small screens, themes, speed."""

import numpy as np
import pytest

import rustyflow as rf
from rustyflow import show
from rustyflow.scene import Figure, Frame, Link, Links, Scene, draw, once
from tests.browser.panel import HOST, sentence

pytestmark = pytest.mark.browser

X = np.arange(12).reshape(3, 4)


def lit(tab):
    return sorted(tab.locator(".lit[id]").evaluate_all("all => all.map(e => e.id)"))


def two_sided():
    shapes = (draw.cell("a", 10, 10, 1, "unless-g"), draw.cell("b", 10, 10, 9, "grad when-g"))
    link = Links({"": "Forward, pinned.", "g": "Backward, pinned."}, {"a": Link(("a", "b")), "b": Link(("a", "b"))})
    frames = Frame({"": "Forward.", "g": "Backward."}), Frame("The gradient.", toggles=("g",))
    return Figure(Scene("two sides", 200, 80, shapes, frames, (link,), ((("a", "b"),),), {"g": "backward"}))


def test_arrows_walk_through_cells_and_slots(tab):
    for key in ("PageDown", "PageDown", "ArrowRight", "ArrowRight", "ArrowDown"):  # x alone, with nothing lit
        tab.keyboard.press(key)
    assert lit(tab) == ["a5", "b1", "s5"]  # and what y reads there
    for _ in range(2):
        tab.keyboard.press("ArrowLeft")
    assert lit(tab) == ["a3", "b4", "s3"]
    for _ in range(20):
        tab.keyboard.press("ArrowDown")
    assert lit(tab)[-1].startswith("s") and sentence(tab).startswith("Slot")


def test_a_mouse_at_rest_does_not_talk_over_the_steps(tab):
    tab.locator("#a5").hover()
    assert sentence(tab).startswith("x[1, 1] is slot 5")
    for _ in range(3):
        tab.keyboard.press("PageDown")
        tab.wait_for_timeout(600)  # cells fly past the pointer
    assert sentence(tab) == "x[2, 3] is slot 11, value 11."


def test_arrows_pass_by_what_is_not_there(tab):
    tab.keyboard.press("PageDown")  # the memory alone
    tab.keyboard.press("ArrowRight")
    assert lit(tab)[-1] == "s0"


def test_enter_pins_and_lets_go(tab):
    for key in (*["PageDown"] * 4, "ArrowRight", "Enter"):  # both, with nothing lit
        tab.keyboard.press(key)
    tab.locator("#b3").hover()
    assert sentence(tab).startswith("pinned x[0, 0] is slot 0")
    tab.keyboard.press("Enter")
    tab.locator("#b2").hover()
    assert sentence(tab).startswith("y[1, 0] is slot 2")


def test_a_click_pins_and_a_click_elsewhere_lets_go(tab):
    tab.locator("#b3").click()
    tab.mouse.move(5, 5)
    assert lit(tab) == ["a6", "b3", "s6"]
    tab.locator(".stage").click(position={"x": 4, "y": 4})
    tab.mouse.move(5, 5)
    assert lit(tab) == ["a1", "b0", "s1"]  # as the first step has it


def test_a_pinned_cell_has_another_frame_than_one_pointed_at_and_escape_lets_go(tab):
    frame = "e => (({stroke, strokeWidth}) => [stroke, strokeWidth])(getComputedStyle(e.querySelector('rect')))"
    cell, slot = tab.locator("#b3"), tab.locator("#s6")
    cell.hover()
    pointed = cell.evaluate(frame)
    assert slot.evaluate(frame) == pointed
    for filled in (False, True):
        if filled:
            tab.keyboard.press("f")
        cell.click()
        pinned = cell.evaluate(frame)
        assert pinned[1] > pointed[1] and slot.evaluate(frame) == pointed
        tab.keyboard.press("Escape")
        assert cell.evaluate(frame) == pointed and not sentence(tab).startswith("pinned")
        assert tab.locator("dialog[open]").count() == filled  # the next one leaves
    tab.keyboard.press("Escape")
    assert tab.locator("dialog[open]").count() == 0


def test_the_scrubber_and_the_buttons(tab):
    tab.locator("input").fill("3")
    assert sentence(tab).startswith("x[2, 3] is slot 11")
    tab.get_by_label("next step").click()
    assert tab.locator(".count").inner_text() == "5 / 10"
    tab.keyboard.press("PageUp")  # the keyboard is still ours
    assert tab.locator(".count").inner_text() == "4 / 10"


def test_space_plays_and_pauses(tab):
    tab.clock.install()
    tab.keyboard.press("Space")
    for _ in range(2):  # each sentence as long as it takes to read
        tab.clock.run_for(820 + 300 * len(sentence(tab).split()))
    assert tab.locator(".count").inner_text() == "3 / 10"
    tab.keyboard.press("Space")
    tab.clock.run_for(9000)
    assert tab.locator(".count").inner_text() == "3 / 10"
    tab.keyboard.press("Space")
    tab.clock.run_for(60_000)
    assert tab.locator(".count").inner_text() == "10 / 10"


def test_g_turns_the_picture_and_keeps_the_pin(opened):
    tab = opened(two_sided())
    tab.keyboard.press("ArrowRight")
    tab.keyboard.press("Enter")
    assert sentence(tab) == "pinned Forward, pinned." and tab.locator("#a").is_visible()
    tab.keyboard.press("g")
    assert sentence(tab) == "pinned Backward, pinned." and tab.locator("#b").is_visible()
    assert not tab.locator("#a").is_visible()
    tab.keyboard.press("PageDown")
    assert sentence(tab) == "The gradient." and tab.locator("#b").is_visible()
    tab.keyboard.press("g")
    assert tab.locator("#a").is_visible()


def test_what_g_turned_up_stays_until_the_story_gets_there(opened):
    tab = opened(show.broadcast(X[:, :1] * 1.0, X[0] * 1.0, names=["a", "b"]))
    sides = tab.locator("button", has_text="backward")
    tab.keyboard.press("g")
    tab.keyboard.press("PageDown")
    assert sides.get_attribute("aria-pressed") == "true" and sentence(tab).startswith("Backward: ")
    assert tab.locator("#S0").is_visible() and "waiting" not in tab.locator("#a5").get_attribute("class")
    tab.keyboard.press("End")
    tab.keyboard.press("g")
    assert sides.get_attribute("aria-pressed") == "false"
    tab.keyboard.press("PageUp")  # what is turned away is turned away for one step
    assert sides.get_attribute("aria-pressed") == "true"
    tab.keyboard.press("Home")
    assert sides.get_attribute("aria-pressed") == "false"


@pytest.mark.parametrize("dark", [".", "b"])
def test_a_step_ends_the_black_screen(tab, dark):
    tab.keyboard.press(dark)
    assert tab.locator(".blank").is_visible()
    tab.keyboard.press("PageDown")
    assert not tab.locator(".blank").is_visible() and tab.locator(".count").inner_text() == "2 / 10"
    tab.keyboard.press(dark)
    tab.keyboard.press(dark)
    assert not tab.locator(".blank").is_visible()


def test_the_sentence_stays_where_it_is_when_the_number_of_the_step_gets_longer(tab):
    lefts = set()
    for _ in range(10):
        lefts.add(round(tab.locator(".says").bounding_box()["x"]))
        tab.keyboard.press("PageDown")
    assert tab.locator(".count").inner_text() == "10 / 10" and len(lefts) == 1


def test_one_tab_stop_a_figure(plain, tmp_path):
    figure = show.strides(X, names=["x"]).html()
    tab = plain(f"<button id=before>a</button>{figure}<button id=after>b</button>")
    tab.locator("#before").focus()
    tab.keyboard.press("Tab")
    inside = f"() => document.querySelector('{HOST}').shadowRoot.activeElement?.className"
    assert tab.evaluate(inside) == "stage"
    tab.keyboard.press("Tab")
    assert tab.evaluate("() => document.activeElement.id") == "after"


def test_a_page_with_one_player_for_all_its_figures(plain):
    html = "<p>".join(show.strides(X + k, names=["x"]).html() for k in range(3))
    tab = plain(once(html))
    tab.locator("#a0").nth(2).hover()
    assert tab.locator("p#says").all_inner_texts()[2] == "x[0, 0] is slot 0, value 2."


def test_keys_are_ours_only_while_focused(plain):
    tab = plain(show.strides(X, names=["x"]).html())
    tab.keyboard.press("PageDown")
    assert tab.locator(".count").inner_text().startswith("1 /")


@pytest.mark.parametrize("views", [(X, X.T.copy()), (X, X.T, X.reshape(2, 6)), (X, X.copy(), X.T)], ids=len)
def test_arrows_cross_no_number_and_no_word(opened, views):
    figure = show.strides(*views, names=["x", "y", "z"][: len(views)])
    cells = [id for family in figure.scene.links for id in family.links if id[0] in "abc"]
    crossed = """(host, cells) => {
        const root = host.shadowRoot, path = root.querySelector('#w'), hit = [];
        for (const link of cells) {
            host.show({frame: host.scene.frames.length - 1, link});
            const boxes = [...root.querySelectorAll('.stage text')].filter(t => t.textContent && host.seen(t))
                .map(t => [t.textContent, t.getBoundingClientRect()]);
            for (let d = 0; d < path.getTotalLength() - 22; d += 3) {  // without its head
                const p = path.getPointAtLength(d).matrixTransform(path.getScreenCTM());
                const over = ([, b]) => b.left < p.x && p.x < b.right && b.top + 2 < p.y && p.y < b.bottom - 4;
                hit.push(...boxes.filter(over).map(([words]) => [link, words]));
            }
        }
        return hit;
    }"""
    assert opened(figure).locator(HOST).evaluate(crossed, cells) == []


def test_the_theme_follows_the_page_or_the_system(opened):
    tab = opened(show.strides(X, names=["x"]), dark=True)
    host = tab.locator(HOST)
    assert host.get_attribute("theme") == "dark"
    for attribute, value, theme in (
        ("data-jp-theme-light", "true", "light"), ("data-jp-theme-light", "false", "dark"),
        ("data-vscode-theme-kind", "vscode-light", "light"), ("data-vscode-theme-kind", "vscode-dark", "dark"),
    ):  # fmt: skip
        tab.evaluate("a => { for (const k of ['jpThemeLight', 'vscodeThemeKind']) delete document.body.dataset[k]; "
                     "document.body.setAttribute(...a) }", [attribute, value])  # fmt: skip
        tab.wait_for_function(f"t => document.querySelector('{HOST}').getAttribute('theme') === t", arg=theme)


def test_a_dark_figure_is_printed_as_on_paper(opened):
    tab = opened(show.strides(X, names=["x"]), dark=True)
    colours = """host => [['.says', 'color'], ['.stage .cell rect', 'fill'], ['.figure', 'backgroundColor']].map(
        ([where, what]) => getComputedStyle(host.shadowRoot.querySelector(where))[what])"""
    ink, white = "rgb(28, 30, 33)", "rgb(255, 255, 255)"
    assert tab.locator(HOST).evaluate(colours) != [ink, white, white]
    tab.emulate_media(color_scheme="dark", media="print")  # where no ground is printed, unless one asks for it
    assert tab.locator(HOST).evaluate(colours) == [ink, white, white]


def test_forced_colours_leave_the_track_of_the_steps(tab):
    track = "host => getComputedStyle(host.shadowRoot.querySelector('input')).backgroundImage.startsWith('linear')"
    ground = "host => getComputedStyle(host.shadowRoot.querySelector('.figure')).backgroundColor"
    tab.emulate_media(color_scheme="light", forced_colors="active")
    assert tab.locator(HOST).evaluate(track)
    tab.locator(HOST).evaluate("host => host.setAttribute('theme', 'dark')")
    assert tab.locator(HOST).evaluate(ground) == "rgb(17, 20, 24)"  # what the light letters of its drawing stand on


def test_cells_move_unless_motion_is_unwelcome(tab):
    moving = f"() => document.querySelector('{HOST}').shadowRoot.querySelector('#a7').getAnimations().length"
    key = "host => host.stage.dispatchEvent(new KeyboardEvent('keydown', {key: 'PageDown', bubbles: true}))"
    begun = f"host => {{ for (let k = 0; k < 2; k++) ({key})(host); return ({moving})(); }}"
    assert tab.locator(HOST).evaluate(begun) > 0  # at once: half a second later it has arrived
    tab.wait_for_function("() => !(" + moving + ")()")
    tab.emulate_media(reduced_motion="reduce")
    tab.keyboard.press("Home")
    tab.keyboard.press("PageDown")
    tab.keyboard.press("PageDown")
    assert tab.evaluate(moving) == 0


def test_the_sentence_is_a_live_region_and_the_drawing_has_a_name(tab):
    assert tab.locator("p#says").get_attribute("aria-live") == "polite"
    assert tab.locator(".stage").get_attribute("aria-label") == "y = x.T[1:, :2]"
    tab.keyboard.press("End")
    assert sentence(tab).startswith("Slot")


def test_lighting_and_stepping_are_fast_enough(opened):
    tab = opened(show.strides(np.arange(256).reshape(16, 16), names=["x"]))
    spent = tab.locator(HOST).evaluate(
        """host => {
            const time = (n, act) => { const t = performance.now(); for (let k = 0; k < n; k++) act(k);
                host.getBoundingClientRect(); return (performance.now() - t) / n };
            return [time(200, k => host.point('a' + k)), time(20, k => host.go(k % 7))];
        }"""
    )
    assert spent[0] < 16 and spent[1] < 100


def test_markup_in_labels_stays_text(opened):
    tab = opened(show.strides(X, names=["<img src=x onerror=alert(1)>"], title="</script><b>bold</b>"))
    tab.keyboard.press("ArrowRight")
    assert sentence(tab).startswith("<img src=x onerror=alert(1)>[0, 0] is slot 0")
    assert tab.locator("b, .stage img").count() == 0


def test_details_are_steps_of_their_own_only_when_asked_for(opened):
    x = rf.tensor([1.0, 2.0], requires_grad=True)
    figure = show.backward((x * x + 3 * x).sum())
    tab, count = opened(figure), lambda: tab.locator("span.count").inner_text()
    assert count() == "1 / 8"
    tab.keyboard.press("PageDown")
    assert count() == "2 / 8" and sentence(tab).startswith("Backward begins")
    tab.keyboard.press("d")
    assert count() == f"7 / {len(figure.frames)}" and sentence(tab).startswith("Backward begins")
    tab.keyboard.press("PageDown")
    assert sentence(tab).startswith("hands on: sum") and tab.locator("button", has_text="details").is_visible()
    tab.keyboard.press("d")
    tab.keyboard.press("PageDown")
    assert count() == "3 / 8" and sentence(tab).startswith("sum hands its gradient on")
    tab.locator("input").fill("6")
    assert sentence(tab).startswith("Every leaf has heard")


def test_no_press_changes_nothing(opened):
    tab = opened(show.broadcast(X[:, :1] * 1.0, X[0] * 1.0, names=["a", "b"]))
    tab.keyboard.press("g")

    def seen():
        return sentence(tab), tab.locator(".stage svg").evaluate("e => e.outerHTML")

    for key in ["PageDown", *["ArrowRight"] * 2, "PageUp"]:
        before = seen()
        tab.locator("input").focus() if key == "ArrowRight" else tab.locator(".stage").focus()
        tab.keyboard.press(key)
        assert seen() != before, key
