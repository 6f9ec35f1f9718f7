"""The player outside JupyterLab: keys, mouse, touch, projector, small screens, themes, speed."""

import numpy as np
import pytest

import rustyflow as rf
from rustyflow import show
from rustyflow.scene import Figure, Frame, Link, Links, Scene, draw, once
from tests.browser.panel import HOST, resize, says

pytestmark = pytest.mark.browser

X = np.arange(12).reshape(3, 4)


@pytest.fixture
def opened(plain, tmp_path):
    def open_figure(figure, **how):
        tab = plain(figure.save(tmp_path / "figure.html"), **how)
        tab.locator(".stage").focus()
        return tab

    return open_figure


@pytest.fixture
def tab(opened):
    return opened(show.strides(X, X.T[1:, :2], names=["x", "y"], title="y = x.T[1:, :2]"))


def lit(tab):
    return sorted(tab.locator(".lit").evaluate_all("all => all.map(e => e.id)"))


def two_sided():
    shapes = (draw.cell("a", 10, 10, 1, "unless-g"), draw.cell("b", 10, 10, 9, "grad when-g"))
    link = Links({"": "Forward, pinned.", "g": "Backward, pinned."}, {"a": Link(("a", "b")), "b": Link(("a", "b"))})
    frames = Frame({"": "Forward.", "g": "Backward."}), Frame("The gradient.", toggles=("g",))
    return Figure(Scene("two sides", 200, 80, shapes, frames, (link,), ((("a", "b"),),), {"g": "backward"}))


def test_arrows_walk_through_cells_and_slots(tab):
    for key in ("ArrowRight", "ArrowRight", "ArrowDown"):
        tab.keyboard.press(key)
    assert lit(tab) == ["a5", "s5"]
    for _ in range(2):
        tab.keyboard.press("ArrowLeft")
    assert lit(tab) == ["a3", "s3"]
    for _ in range(20):
        tab.keyboard.press("ArrowDown")
    assert lit(tab)[-1].startswith("s") and says(tab).startswith("Slot")


def test_a_mouse_at_rest_does_not_talk_over_the_steps(tab):
    tab.locator("#a5").hover()
    assert says(tab).startswith("x[1, 1] is slot 5")
    for _ in range(3):
        tab.keyboard.press("PageDown")
        tab.wait_for_timeout(600)  # cells fly past the pointer
    assert says(tab) == "x[2, 3] is slot 11, value 11."


def test_arrows_pass_by_what_is_not_there(tab):
    tab.keyboard.press("PageDown")  # the memory alone
    tab.keyboard.press("ArrowRight")
    assert lit(tab)[-1] == "s0"


def test_enter_pins_and_lets_go(tab):
    tab.keyboard.press("ArrowRight")
    tab.keyboard.press("Enter")
    tab.locator("#b3").hover()
    assert says(tab).startswith("pinned x[0, 0] is slot 0")
    tab.keyboard.press("Enter")
    tab.locator("#b2").hover()
    assert says(tab).startswith("y[1, 0] is slot 2")


def test_a_click_pins_and_a_click_elsewhere_lets_go(tab):
    tab.locator("#b3").click()
    tab.mouse.move(5, 5)
    assert lit(tab) == ["b3", "s6"]
    tab.locator(".title").click()
    tab.mouse.move(5, 5)
    assert lit(tab) == []


def test_the_scrubber_and_the_buttons(tab):
    tab.locator("input").fill("3")
    assert says(tab).startswith("x[2, 3] is slot 11")
    tab.get_by_label("next step").click()
    assert tab.locator(".count").inner_text() == "5 / 10"
    tab.keyboard.press("PageUp")  # the keyboard is still ours
    assert tab.locator(".count").inner_text() == "4 / 10"


def test_space_plays_and_pauses(tab):
    tab.clock.install()
    tab.keyboard.press("Space")
    tab.clock.run_for(5100)
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
    assert says(tab) == "pinned Forward, pinned." and tab.locator("#a").is_visible()
    tab.keyboard.press("g")
    assert says(tab) == "pinned Backward, pinned." and tab.locator("#b").is_visible()
    assert not tab.locator("#a").is_visible()
    tab.keyboard.press("PageDown")
    assert says(tab) == "The gradient." and tab.locator("#b").is_visible()
    tab.keyboard.press("g")
    assert tab.locator("#a").is_visible()


def test_what_g_turned_up_stays_until_the_story_gets_there(opened):
    tab = opened(show.broadcast(X[:, :1] * 1.0, X[0] * 1.0, names=["a", "b"]))
    sides = tab.locator("button", has_text="backward")
    tab.keyboard.press("g")
    tab.keyboard.press("PageDown")
    assert sides.get_attribute("aria-pressed") == "true" and says(tab).startswith("Backward: ")
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


@pytest.mark.parametrize("views", [1, 2])
def test_projector_mode_can_be_read_from_the_last_row(opened, views):
    y = X.T[1:, :2]
    tab = opened(show.strides(y, names=["y"]) if views == 1 else show.strides(X, y, names=["x", "y"]))
    resize(tab, 1280, 720)
    tab.keyboard.press("f")
    smallest = tab.locator(HOST).evaluate(
        """host => {
            const root = host.shadowRoot, scale = root.querySelector('.stage svg').getScreenCTM().a;
            const size = e => parseFloat(getComputedStyle(e).fontSize);
            const drawn = [...root.querySelectorAll('.stage text')].map(e => size(e) * scale);
            return Math.min(...drawn, ...[...root.querySelectorAll('.bar p, .count, button')].map(size));
        }"""
    )
    assert smallest >= 20
    for button in tab.locator("dialog button").all():
        box = button.bounding_box()
        assert min(box["width"], box["height"]) >= 44


@pytest.mark.parametrize("zoom", [110, 125, 150, 200])
@pytest.mark.parametrize("name", ["broadcast", "strides", "backward"])
def test_full_screen_is_the_same_picture_at_every_zoom_of_the_page(opened, name, zoom):
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
    seen = []
    for size in ((1280, 720), (1280 * 100 // zoom, 720 * 100 // zoom)):  # the page is zoomed in while it is shown
        resize(tab, *size)
        bar, buttons, scale, left, top, *whole = tab.locator(HOST).evaluate(place)
        assert all(whole) and tab.locator(".zoomed").count() == 0
        seen.append([n * 1280 / size[0] for n in (*bar, *buttons, left, top)] + [300 * scale * 1280 / size[0]])
    assert seen[1] == pytest.approx(seen[0], abs=8)


SMALLEST = """host => {
    const scale = host.shadowRoot.querySelector('.stage svg').getScreenCTM().a;
    const texts = [...host.shadowRoot.querySelectorAll('.stage text')].filter(t => t.textContent && host.seen(t));
    return Math.min(...texts.map(t => parseFloat(getComputedStyle(t).fontSize) * scale));
}"""


@pytest.mark.parametrize("shape", [(16, 16), (2, 3, 2, 3)], ids=str)
def test_on_a_projector_what_is_too_large_scrolls_to_what_is_told(opened, shape):
    tab = opened(show.strides(np.arange(np.prod(shape)).reshape(shape), names=["x"]))
    resize(tab, 1280, 720)
    tab.keyboard.press("f")
    host, room = tab.locator(HOST), tab.locator(".stage").bounding_box()
    assert host.evaluate(SMALLEST) >= (20 if len(shape) > 2 else 18)  # numbers of three digits in 256 cells: 13 px
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
    for button in tab.locator("button").all():
        assert button.bounding_box()["height"] >= 44
    for _ in range(4):
        tab.keyboard.press("ArrowRight")
    tab.keyboard.press("End")
    tab.locator("#s11").evaluate("slot => slot.dispatchEvent(new MouseEvent('click', {bubbles: true}))")
    assert says(tab).startswith("pinned Slot 11")


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
    whole = ["(a_long_name + another)[1, 2]", "a_long_name[1, 2]", "another[1, 0]", "= 10."]
    assert tab.locator("#says .whole").all_inner_texts() == whole
    for width in range(300, 700, 23):
        resize(tab, width, 844)
        assert tab.locator(HOST).evaluate(broken) == []


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


def test_what_the_keyboard_lights_is_scrolled_into_view(tab):
    resize(tab, 390, 844)
    for _ in range(40):
        tab.keyboard.press("ArrowRight")
    box = tab.locator("#s11").bounding_box()
    assert lit(tab)[-1] == "s11" and 0 <= box["x"] and box["x"] + box["width"] <= 390


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


def test_cells_move_unless_motion_is_unwelcome(tab):
    moving = f"() => document.querySelector('{HOST}').shadowRoot.querySelector('#a7').getAnimations().length"
    tab.keyboard.press("PageDown")
    tab.keyboard.press("PageDown")
    assert tab.evaluate(moving) > 0
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
    assert says(tab).startswith("Slot")


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
    assert says(tab).startswith("<img src=x onerror=alert(1)>[0, 0] is slot 0")
    assert tab.locator("b, .stage img").count() == 0
