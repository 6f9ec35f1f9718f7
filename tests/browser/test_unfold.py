"""A pinned number opens into the expression that it was made of, level by level: by key, by press, without a kernel."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

import rustyflow as rf
from rustyflow import cli, show
from rustyflow.scene import Asks, Figure
from rustyflow.scene.wire import encode
from rustyflow.show.kit.unfold import unfolds
from tests.browser.panel import FIGURE, HOST, book, live, resize, sentence, shot, until
from tests.scene import opening

pytestmark = pytest.mark.browser

PILLS = """host => [...host.layers.querySelectorAll('.trail>*')].map(e => e.textContent.replaceAll('\\u00a0', ' '))"""
ROOT = Path(__file__).parents[2]


def trail(tab):
    return tab.locator(HOST).evaluate(PILLS)


def lines(tab):
    """Each level that is shown, as it reads."""
    return [" ".join(text.split()) for text in tab.locator(".level:visible").all_text_contents()]


def next_number(tab):
    chosen = {text.replace("\u00a0", " ") for text in tab.locator(".level .next").all_text_contents()}
    assert len(chosen) <= 2  # its letters and its digits
    return chosen


def dressed(tab, cls):
    return set(tab.locator(f".stage svg .{cls}[id]").evaluate_all("all => all.map(e => e.id)"))


def heard(tab):
    return " ".join(tab.locator("#says .heard").text_content().split())


def pinned(tab):
    return tab.locator(HOST).evaluate("host => host.state.pinned")


def press(tab, *keys):
    for key in keys:
        tab.keyboard.press(key)


@pytest.fixture
def tab(opened):
    return opened(opening.figure())


def pin(tab, id):
    tab.locator("#" + id).click()
    tab.mouse.move(2, 2)


def test_enter_opens_what_is_pinned_tab_goes_on_backspace_goes_back_and_escape_closes(tab):
    pin(tab, "wg1")
    assert trail(tab) == [] and lines(tab) == []
    press(tab, "Enter")
    one = "dw[0, 1] = x[0, 0]·dz[0, 1] + x[1, 0]·dz[1, 1] = 1·(-0.6) + 0·0.42 \u2248 -0.6"
    assert lines(tab) == [one] and trail(tab) == ["loss = 0.86", "dw[0, 1] \u2248 -0.6", "dz[0, 1]"]
    assert next_number(tab) == {"dz[0, 1]", "(-0.6)"}
    press(tab, "Tab")
    assert next_number(tab) == {"dz[1, 1]", "0.42"} and trail(tab)[-1] == "dz[1, 1]"
    press(tab, "Tab")
    assert next_number(tab) == {"dz[0, 1]", "(-0.6)"}  # x is a leaf: it is not stopped at
    press(tab, "Shift+Tab", "Enter")
    two = "dz[1, 1] = dh[1, 1]·s = 0.53·0.79 \u2248 0.42"
    assert lines(tab) == [one, two] and trail(tab)[1:] == ["dw[0, 1] \u2248 -0.6", "dz[1, 1] \u2248 0.42", "s"]
    press(tab, "Enter")
    assert lines(tab) == [two, "s = 1 - h[1, 1]·h[1, 1] = 1 - (-0.46)·(-0.46) \u2248 0.79"]
    press(tab, "Enter", "Enter")
    assert lines(tab)[-1] == "z[1, 1] = x[1, 0]·w[0, 1] + x[1, 1]·w[1, 1] = 0·(-0.25) + (-1)·0.5 = -0.5"
    press(tab, "Enter", "Tab")  # leaves alone: nothing more opens, and the keys go nowhere else
    assert len(trail(tab)) == 6 and next_number(tab) == set()
    press(tab, "Backspace", "Backspace", "Backspace", "Backspace")
    assert lines(tab) == [one] and next_number(tab) == {"dz[1, 1]", "0.42"}  # the one it came back from
    press(tab, "Enter", "Escape")
    assert lines(tab) == [] and trail(tab) == [] and pinned(tab) == "wg1"
    press(tab, "Escape")
    assert pinned(tab) == "" and tab.evaluate("document.activeElement.matches('[data-lm-suppress-shortcuts]')")


@pytest.mark.parametrize("many", [10, 19])
def test_tab_goes_through_the_numbers_behind_dots_and_their_cells_are_lit(opened, many):
    h = (rf.ones(1, 20).requires_grad_() * 2).tanh()
    tab = opened(show.matmul(h, rf.ones(20, 1), names=["h", "v"]))
    pin(tab, "c0")
    press(tab, "Enter")
    assert "..." in lines(tab)[0] and dressed(tab, "read") >= {f"{letter}{k}" for letter in "ab" for k in range(20)}
    press(tab, *["Tab"] * many)
    assert trail(tab)[-1] == f"h[0, {many}]" and f"h[0, {many}]" in heard(tab)
    press(tab, "Enter")
    assert lines(tab)[-1].startswith(f"h[0, {many}] = tanh(")
    press(tab, "Backspace")
    assert trail(tab)[-1] == f"h[0, {many}]"


def test_with_nothing_open_each_key_means_what_it_meant(tab):
    press(tab, "ArrowRight", "Enter")
    assert pinned(tab) == "x0" and trail(tab) == []  # not yet pinned: it is; and a leaf opens nothing
    press(tab, "Enter")
    assert pinned(tab) == ""
    press(tab, "Backspace", "PageDown")
    assert tab.locator(".count").inner_text() == "2 / 3"
    press(tab, "Enter", "Enter")
    assert pinned(tab) == "wg0" and trail(tab)[1] == "dw[0, 0] = 0.5"
    press(tab, "Escape", "Escape", "Tab")
    assert tab.locator(HOST).evaluate("host => host.shadowRoot.activeElement !== host.stage")  # out of the figure


def test_the_cells_of_the_levels_are_lit_where_they_stand(tab):
    pin(tab, "wg1")
    assert dressed(tab, "lit") == {"wg1"}
    press(tab, "Enter", "Tab")
    assert dressed(tab, "opened") == {"wg1"} and dressed(tab, "read") == {"x0", "zg1", "x2", "zg4"}
    press(tab, "Enter")
    assert dressed(tab, "opened") == {"wg1", "zg4"} and dressed(tab, "read") == {"x0", "zg1", "x2", "zg4", "hg4"}
    wide = "host => ['zg4', 'hg4', 'x0'].map(id => getComputedStyle(host.shapes.get(id).firstChild).strokeWidth)"
    assert tab.locator(HOST).evaluate(wide) == ["5px", "3px", "3px"]
    press(tab, "Enter")
    assert dressed(tab, "opened") == {"wg1", "zg4"} and dressed(tab, "read") == {"hg4", "h4"}
    press(tab, "Escape")
    assert dressed(tab, "opened") == dressed(tab, "read") == set() and dressed(tab, "lit") == {"wg1"}


def test_by_pointer_alone(tab):
    pin(tab, "wg1")
    tab.locator("#wg1").click()  # once more: it opens
    assert len(lines(tab)) == 1
    tab.locator(".level [role=button]", has_text="dz[1, 1]").click()
    assert trail(tab)[-1] == "s"
    tab.locator(".level [role=button]", has_text="0.79").click()
    tab.locator(".level [role=button]", has_text="(-0.46)").first.click()
    assert trail(tab)[2:] == ["dz[1, 1] \u2248 0.42", "s \u2248 0.79", "h[1, 1] \u2248 -0.46", "z[1, 1]"]
    tab.locator(".trail [role=button]").nth(1).click()
    assert trail(tab)[-2:] == ["dz[1, 1] \u2248 0.42", "s"]
    tab.locator(".level [role=button]", has_text="dz[0, 1]").click()  # in the level above: another way from there
    assert trail(tab)[1:] == ["dw[0, 1] \u2248 -0.6", "dz[0, 1] \u2248 -0.6", "s"]
    tab.locator(".trail [role=button]").first.click()
    tab.locator("#zg4").click()  # in the picture: a number of the level
    assert trail(tab)[-2:] == ["dz[1, 1] \u2248 0.42", "s"]
    press(tab, "Backspace")  # the keys are the figure's
    assert trail(tab)[-1] == "dz[1, 1]"
    tab.locator("#wg1").click()  # what is pinned, once more: let go
    assert pinned(tab) == "" and trail(tab) == []


def test_by_touch(browser, tmp_path):
    context = browser.new_context(offline=True, has_touch=True, viewport={"width": 390, "height": 844})
    tab = context.new_page()
    tab.goto(opening.figure().save(tmp_path / "figure.html").as_uri())
    tab.locator("#wg1").tap()
    tab.locator("#wg1").tap()
    tab.locator(".level [role=button]", has_text="dz[1, 1]").tap()
    until(lambda: trail(tab)[-2:], ["dz[1, 1] \u2248 0.42", "s"])  # a tap is a click a little later
    context.close()


def test_a_clicker_closes_all_and_steps(tab):
    pin(tab, "wg1")
    press(tab, "Enter", "Enter", "PageDown")
    assert trail(tab) == [] and pinned(tab) == "" and tab.locator(".count").inner_text() == "2 / 3"
    assert sentence(tab) == "The first gradient." and dressed(tab, "opened") == set()


def test_another_cell_that_is_pinned_opens_in_its_place(tab):
    pin(tab, "z0")
    press(tab, "Enter", "ArrowRight")
    assert pinned(tab) == "z1" and trail(tab) == ["z[0, 1] = 0.75"]
    press(tab, "ArrowUp", "ArrowLeft")
    pin(tab, "x1")
    assert trail(tab) == [] and pinned(tab) == "x1"  # a leaf


def test_each_side_of_a_picture_has_numbers_of_its_own(opened):
    scene = opening.figure().scene
    (at_z, at_g), whole = (scene.unfolds.opens[id] for id in ("z1", "zg1")), scene.unfolds
    told = replace(whole, opens=whole.opens | {"z1": {"": at_z, "g": at_g}, "x1": {"g": at_g}})
    tab = opened(Figure(replace(scene, unfolds=told, toggles={"g": "backward"})))
    pin(tab, "z1")
    press(tab, "Enter")
    assert trail(tab) == ["z[0, 1] = 0.75"]
    press(tab, "g")
    assert trail(tab) == ["loss = 0.86", "dz[0, 1] \u2248 -0.6", "s"] and dressed(tab, "opened") == {"zg1"}
    press(tab, "g")
    assert trail(tab) == ["z[0, 1] = 0.75"]
    pin(tab, "x1")
    assert trail(tab) == []
    press(tab, "g", "Enter")
    assert trail(tab)[1] == "dz[0, 1] \u2248 -0.6"


def test_what_is_heard_is_words(tab):
    pin(tab, "wg0")
    assert tab.locator("#says .heard").count() == 0
    press(tab, "Enter")
    assert heard(tab) == (
        "dw[0, 0] is x[0, 0] times dz[0, 0] plus x[1, 0] times dz[1, 0], which is 1 times 0.5 plus 0 times 1.88, "
        "which is 0.5, which a hook put in place of 8. Enter opens dz[0, 0], 0.5."
    )
    assert tab.locator("#says [aria-hidden]").inner_text() == "pinned dw[0, 0] is 0.5."
    press(tab, "Tab")
    assert heard(tab).strip(". ") == "Enter opens dz[1, 0], 1.88"
    press(tab, "Enter", "Enter", "Enter")
    assert heard(tab).startswith("h[1, 0] is tanh(z[1, 0]), which is tanh(0.25), about 0.24")
    assert tab.locator("#says [aria-hidden]").inner_text() == "h[1, 0] is 0.24."  # what is seen is of the same number
    assert tab.locator("#says").get_attribute("aria-live") == "polite"


SMALL = """host => [...host.layers.querySelectorAll('*')].filter(e => e.checkVisibility()).map(e => {
    const box = e.getBoundingClientRect(), room = host.layers.getBoundingClientRect();
    const within = box.left >= room.left - 1 && box.right <= room.right + 1 && e.scrollWidth <= e.clientWidth + 1;
    return [parseFloat(getComputedStyle(e).fontSize), within, e.textContent];
})"""


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("width", [390, 640, 1280])
def test_long_lines_wrap_and_nothing_is_cut_or_small(opened, width, dark):
    tab = opened(opening.long(), dark=dark)
    resize(tab, width, 900)
    for cell in ("wg0", "wg1", "wg2"):
        pin(tab, cell)
        press(tab, "Enter", "Enter")
        every = tab.locator(HOST).evaluate(SMALL)
        assert min(size for size, *_ in every) >= 14 and {size for size, *_ in every} <= {14, 18, 24}
        assert [text for _, whole, text in every if not whole] == [] and len(every) > 20
        assert tab.evaluate("document.documentElement.scrollWidth <= innerWidth")
        shot(tab, f"unfold-{cell}-{width}-{'dark' if dark else 'light'}")
        press(tab, "Escape")


BROKEN = """host => [...host.layers.querySelectorAll('.number')].filter(e => e.getClientRects().length > 1).length"""


def test_no_number_is_broken_and_terms_begin_lines(opened):
    tab = opened(opening.long())
    resize(tab, 640, 900)
    pin(tab, "wg0")
    press(tab, "Enter")
    assert tab.locator(HOST).evaluate(BROKEN) == 0
    terms = tab.locator(".level p").first.locator(".term")
    tops, heights = zip(*terms.evaluate_all("all => all.map(e => [e.offsetTop, e.offsetHeight])"), strict=True)
    assert len(set(tops)) > 1 and len(set(heights)) == 1  # more than one line, and each term in one


@pytest.mark.parametrize("size", [(1280, 720), (1920, 1080)])
@pytest.mark.parametrize("dark", [False, True])
def test_in_the_projector_one_level_is_shown_large(opened, dark, size):
    tab = opened(opening.long(), dark=dark)
    resize(tab, *size)
    zoom = size[1] / 720
    pin(tab, "wg0")
    press(tab, "f", "Enter")
    for keys, many in (((), 1), (("Enter",), 1), (("Backspace",), 1)):
        press(tab, *keys)
        every = tab.locator(HOST).evaluate(SMALL)
        assert len(lines(tab)) == many and min(size for size, *_ in every) >= 20 * zoom
        assert [text for _, whole, text in every if not whole] == []
        assert max(size for size, *_ in every) == pytest.approx(32 * zoom)
        assert dressed(tab, "read") <= {"x1", *(f"zg{k}" for k in range(6)), "hg0"}
    sees = """host => {
        const box = host.shapes.get('wg0').getBoundingClientRect(), room = host.stage.getBoundingClientRect();
        return [box.top >= room.top && box.bottom <= room.bottom, box.height];
    }"""
    seen, tall = tab.locator(HOST).evaluate(sees)
    assert seen and tall >= 46 * zoom  # of 42, in the drawing
    shot(tab, f"unfold-projector-{size[0]}-{'dark' if dark else 'light'}")
    press(tab, "Escape", "Escape", "Escape")
    assert not tab.locator(HOST).evaluate("host => host.dialog.open")


def test_a_trail_of_many_levels_keeps_its_ends_in_sight(opened):
    number = opening.Number("y0", 1.0, ("2·0.5",))
    for k in range(40):
        number = opening.Number(f"y{k + 1}", 1.0, (number.written(), "·1"))
    scene = opening.figure().scene
    tab = opened(Figure(replace(scene, unfolds=unfolds({"z1": number}, lambda place: None))))
    pin(tab, "z1")
    press(tab, *["Enter"] * 21)
    seen = tab.locator(".trail>:visible").all_text_contents()
    assert seen == ["y40 = 1", "y39 = 1", *(f"y{k} = 1" for k in (23, 22, 21, 20)), "y19"] and len(trail(tab)) == 22
    tab.locator(".trail>:visible").nth(1).click()
    assert trail(tab) == ["y40 = 1", "y39 = 1", "y38"]


CONTRAST = """host => {
    const seen = [], rgb = text => text.match(/[\\d.]+/g).map(Number);
    const ground = e => rgb(getComputedStyle(e).backgroundColor), edge = style => rgb(style.borderTopColor);
    const linear = v => (v /= 255) <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4;
    const light = c => [.2126, .7152, .0722].reduce((sum, weight, k) => sum + weight * linear(c[k]), .05);
    const ratio = (a, b) => Math.max(light(a), light(b)) / Math.min(light(a), light(b));
    for (const e of host.layers.querySelectorAll('*')) {
        let under = e;
        while (ground(under)[3] === 0) under = under.parentElement;
        const style = getComputedStyle(e), edged = parseFloat(style.borderTopWidth);
        seen.push([ratio(rgb(style.color), ground(under)), edged ? ratio(edge(style), ground(host.body)) : 9]);
    }
    return seen;
}"""


@pytest.mark.parametrize("dark", [False, True])
def test_letters_and_edges_have_contrast_and_gradients_are_not_told_by_colour_alone(opened, dark):
    tab = opened(opening.figure(), dark=dark)
    pin(tab, "wg1")
    press(tab, "Enter", "Tab", "Enter")
    seen = tab.locator(HOST).evaluate(CONTRAST)
    assert len(seen) > 20 and min(text for text, _ in seen) >= 4.5 and min(edge for _, edge in seen) >= 3
    boxed = "e => getComputedStyle(e).backgroundColor !== 'rgba(0, 0, 0, 0)'"
    digits = tab.locator(".digits .number")
    kinds = dict(zip(digits.all_text_contents(), [digits.nth(k).evaluate(boxed) for k in range(digits.count())]))
    assert kinds == {"1": False, "(-0.6)": True, "0": False, "0.42": True, "0.53": True, "0.79": False}


def load(tab, figure):
    tab.locator(HOST).evaluate("(host, scene) => host.load(scene)", json.loads(encode(figure.scene)))


def other(change):
    told = opening.program()
    change(told)
    return opening.figure(numbers=told)


def test_the_trail_outlives_a_scene_that_still_has_its_numbers(tab):
    pin(tab, "wg1")
    press(tab, "Enter", "Tab", "Enter", "Enter")
    assert trail(tab)[2:] == ["dz[1, 1] \u2248 0.42", "s \u2248 0.79", "h[1, 1]"]

    def twice(told):
        told["z", (1, 1), True].value = 0.84

    load(tab, other(twice))
    assert trail(tab)[2:] == ["dz[1, 1] = 0.84", "s \u2248 0.79", "h[1, 1]"]
    assert dressed(tab, "opened") == {"wg1", "zg4"}

    def gone(told):
        told["w", (0, 1), True].pieces = ("2·", told["z", (0, 1), True].written())

    load(tab, other(gone))
    assert trail(tab)[1:] == ["dw[0, 1] \u2248 -0.6", "dz[0, 1]"] and pinned(tab) == "wg1"
    load(tab, Figure(replace(opening.figure().scene, unfolds=None)))
    assert trail(tab) == [] and pinned(tab) == "wg1" and dressed(tab, "lit") == {"wg1"}
    load(tab, opening.figure())
    assert trail(tab) == []


def test_without_a_kernel_what_is_beyond_is_left_to_python_and_said(opened):
    tab = opened(opening.figure(most=24))
    met = "host => { host.met = []; host.addEventListener('rustyflow:open', e => host.met.push(e.detail)) }"
    tab.locator(HOST).evaluate(met)
    pin(tab, "wg1")
    press(tab, "Enter", "Tab", "Enter")
    assert lines(tab)[-1].startswith("dz[1, 1] = dh[1, 1]·s") and tab.locator(HOST).evaluate("host => host.met") == []
    press(tab, "Enter")
    assert lines(tab)[-1] == 'figure.where("s") opens it in Python.' == heard(tab).strip(". ") + "."
    told = {"name": "s", "shape": "wg1", "side": [], "path": ["dz[1, 1]", "s"]}
    assert tab.locator(HOST).evaluate("host => host.met") == [told] and trail(tab)[-1] == "s"
    press(tab, "Tab", "Enter", "Backspace")
    assert next_number(tab) == {"s", "0.79"}
    tab = opened(opening.figure(most=0))  # not one
    pin(tab, "z1")
    press(tab, "Enter")
    assert lines(tab) == ['figure.where("z[0, 1]") opens it in Python.']
    press(tab, "Escape")
    assert lines(tab) == [] and pinned(tab) == "z1"


def test_an_owner_answers_with_levels(opened):
    tab = opened(opening.figure(most=24))
    pin(tab, "wg1")
    owner = "host => host.addEventListener('rustyflow:open', e => { host.met = e.detail })"
    tab.locator(HOST).evaluate(owner)
    press(tab, "Enter", "Tab", "Enter", "Enter")
    assert lines(tab)[-1] == 'figure.where("s") opens it in Python.'
    levels = [["s", [["1"], ["- ", 1]], "=", "0.8"], ["h", [["tanh(2)"]], "=", "0.2"]]
    answer = {"levels": levels, "parts": [[0, "s", "0.8"], [1, "h", "0.2"]]}
    tell = "(host, [wish, answer]) => host.opened({wish: wish ?? host.met, ...answer})"
    tab.locator(HOST).evaluate(tell, [{"name": "s"}, answer])
    assert lines(tab)[-1].startswith("figure.where")  # an answer to something else
    tab.locator(HOST).evaluate(tell, [None, answer])
    assert lines(tab)[-1] == "s = 1 - h = 1 - 0.2 = 0.8" and next_number(tab) == {"h", "0.2"}
    press(tab, "Enter")
    assert lines(tab)[-1] == "h = tanh(2) = 0.2"


def test_a_question_that_takes_a_guess_opens_nothing(plain):
    scene = replace(opening.figure().scene, asks=Asks("How much is z[0, 1]?", {"A": "1", "B": "2"}, {"z1": "A"}))
    tab = plain(Figure(scene).html(keep={"pinned": "z1"}))
    tab.locator(".stage").focus()
    press(tab, "Enter")
    assert trail(tab) == []


def test_names_are_text_wherever_they_stand(opened):
    evil = "</p><img src=x onerror=alert(1)>&quot;\u05e9\u05dd"
    told = opening.program()
    number = told["z", (0, 0), False]
    number.name, number.note = evil, evil
    told["h", (0, 0), False].pieces = "tanh(", number.written(), ")"
    tab = opened(opening.figure(numbers=told, of=evil))
    pin(tab, "h0")
    press(tab, "Enter", "Enter")
    assert evil in trail(tab)[1] and evil in lines(tab)[0] and evil in heard(tab)
    assert tab.locator("img[src=x]").count() == 0


def test_a_page_that_is_exported_opens_numbers_offline(plain, tmp_path):
    output = {"output_type": "display_data", "data": {"text/html": opening.figure().html()}, "metadata": {}}
    cells = [{"cell_type": "code", "id": "a", "metadata": {}, "source": "1", "outputs": [output], "execution_count": 1}]
    (tmp_path / "one.ipynb").write_text(json.dumps(book() | {"cells": cells}), encoding="utf-8")
    assert cli.main(["export", str(tmp_path / "one.ipynb")]) == 0
    tab = plain(tmp_path / "one.html")
    tab.locator(".stage").focus()
    pin(tab, "wg1")
    press(tab, "Enter", "Enter", "Enter")
    assert trail(tab)[1:] == ["dw[0, 1] \u2248 -0.6", "dz[0, 1] \u2248 -0.6", "s \u2248 0.6", "h[0, 1]"]


MAKE = f"""import sys; sys.path.insert(0, {str(ROOT)!r})
import traitlets
from rustyflow import widgets
from tests.scene import opening
from rustyflow.widgets.base import Widget
class Opens(Widget):
    most = traitlets.Int(24).tag(sync=True)
    def make(self): return opening.figure(self.most, later=True)
w = Opens()"""


@pytest.fixture(scope="module")
def shown(shared, page):
    pytest.importorskip("anywidget")
    figures = live(shared(book(MAKE, "w", "opening.figure()")), page, bound=1, shown=2)
    for figure in figures:  # what numbers open into comes after the picture
        page.wait_for_function("figure => figure.parts", arg=figure.element_handle())
    return figures


def written(page, py):
    """Wait until the widget, at rest, has written its output anew, as it is now, and the page shows that."""
    until(lambda: py("print(w._written == w._now())"), "True")
    shows = "jupyterapp.shell.currentWidget.content.model.cells.get(1).outputs.toJSON()[0].data['text/html']"
    pinned = py("print(f'&quot;pinned&quot;: &quot;{w.pinned}&quot;')")
    page.wait_for_function(f"pinned => [{shows}].flat().join('').includes(pinned)", arg=pinned)


def sources(page):
    cells = "jupyterapp.shell.currentWidget.content.model.cells"
    return page.evaluate(f"() => Array.from({cells}, cell => cell.sharedModel.source)")


@pytest.mark.parametrize("which", [0, 1])
def test_in_jupyterlab_by_key_alone_and_no_key_reaches_the_notebook(shown, page, py, which):
    figure, before = shown[which], sources(page)
    figure.locator(".stage").focus()
    figure.evaluate("figure => figure.show({link: 'wg1'})")
    press(page, "Enter", "Tab", "Shift+Tab", "Tab", "Enter", "Backspace", "Backspace", "Enter", "Tab", "Enter")
    own = figure.evaluate(PILLS)
    assert own[1:] == ["dw[0, 1] \u2248 -0.6", "dz[1, 1] \u2248 0.42", "s"] and sources(page) == before
    assert figure.evaluate("figure => figure.shadowRoot.activeElement === figure.stage")
    press(page, "Enter")
    for _ in range(2):  # once it is told, by Python of the widget's, and once the widget's output was written anew
        page.wait_for_function(f"figure => ({PILLS})(figure).length === 5", arg=figure.element_handle())
        told = " ".join(figure.locator(".level").last.inner_text().split())
        assert told == "s = 1 - h[1, 1]·h[1, 1] = 1 - (-0.46)·(-0.46) \u2248 0.79"
        written(page, py)
    shot(page, f"unfold-lab-{which}")
    press(page, "Escape", "Escape")
    assert figure.evaluate(PILLS) == [] and sources(page) == before


def test_a_trail_stays_when_python_makes_the_figure_anew_and_when_its_output_is_written_anew(shown, page, py):
    figure = shown[0]
    figure.locator(".stage").focus()
    figure.evaluate("figure => figure.show({link: 'wg1'})")
    press(page, "Enter", "Enter")
    py("w.most = 2000")
    page.wait_for_function("figure => figure.scene.unfolds?.levels.length === 30", arg=figure.element_handle())
    written(page, py)
    figure = page.locator(FIGURE).first
    assert figure.evaluate(PILLS)[1:] == ["dw[0, 1] \u2248 -0.6", "dz[0, 1] \u2248 -0.6", "s"]
    press(page, "Escape", "Escape")
    py("w.most = 24")
