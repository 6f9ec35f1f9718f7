"""Every widget by touch alone, and by keys alone, in a real JupyterLab: a tap is a click, a drag moves a slider, Tab
goes through every input, and Escape is back in the notebook.
"""

import json

import pytest

from tests.browser.conftest import Notebook
from tests.browser.panel import at_rest, book, live, resize, sentence, shot
from tests.browser.test_be_the_engine import LOST, box
from tests.browser.test_predict import checked
from tests.browser.test_widgets import step, title, until
from tests.long.test_widgets_live import EVERY, FRONT

pytest.importorskip("anywidget")

ASKED = (
    "from dataclasses import replace\nfrom rustyflow.lessons import one_line_of_memory as check\n"
    "q = replace(check.which_slot)\nq"
)
GAME = """x, b = rf.tensor(1., requires_grad=True), rf.tensor(3., requires_grad=True)
c = x * 2
d = c * b
y = c + d
game = widgets.BeTheEngine(y)
game"""
OP = "op = widgets.Op('cumsum', rf.tensor([1.0, 2.0]), dim=0)\nop"
SMALL = """h => [...h.shadowRoot.querySelectorAll('button,input,select')].filter(e => e.checkVisibility())
    .map(e => [e.ariaLabel ?? e.textContent, e.getBoundingClientRect()])
    .filter(([_, box]) => Math.min(box.width, box.height) < 24).map(([name]) => name)"""


@pytest.fixture(scope="module")
def fingers(lab, browser, ears):
    """A tab of a tablet: a screen that is touched, and no mouse."""
    context = browser.new_context(viewport={"width": 1024, "height": 1000}, has_touch=True)
    tab = context.new_page()
    ears.listen(tab)
    tab.goto(lab.url)
    tab.wait_for_selector(".jp-Launcher")
    tab.wait_for_selector("#jupyterlab-splash", state="detached")
    path = lab.root / "touched.ipynb"
    path.write_text(json.dumps(book(*EVERY[:5], GAME, *EVERY[5:], ASKED, OP)), encoding="utf-8")
    opened = Notebook(tab, path)
    opened.open(kernel=True)
    opened.run()
    yield opened, live(opened, tab, bound=len(EVERY) + 2, shown=len(EVERY) + 2)
    opened.close()
    context.close()


def drag(page, slider, part):
    """A finger goes down on a slider and along to a part of its length."""
    room, session = at_rest(slider), page.context.new_cdp_session(page)
    y = room["y"] + room["height"] / 2
    start, end = room["x"] + 8, room["x"] + 8 + part * (room["width"] - 16)
    touch = lambda kind, *at: session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [*at]})  # noqa: E731
    touch("touchStart", {"x": start, "y": y})
    for k in range(1, 6):
        touch("touchMove", {"x": start + k * (end - start) / 5, "y": y})
    touch("touchEnd")
    session.detach()


def says(opened, code):
    """What Python prints."""
    return opened.page.evaluate(
        """async code => {
            let said = "";
            const kernel = jupyterapp.shell.currentWidget.context.sessionContext.session.kernel;
            const future = kernel.requestExecute({code, store_history: false});
            future.onIOPub = message => { said += message.content.text ?? message.content.evalue ?? "" };
            await future.done;
            return said.trim();
        }""",
        code,
    )


def test_what_is_tapped_is_large_enough(fingers):
    for k, figure in enumerate(fingers[1]):
        assert figure.evaluate(SMALL) == [], k


def test_taps_and_drags_play_with_strides(fingers):
    opened, (play, *_) = fingers
    drag(opened.page, play.get_by_label("offset", exact=True).first, 0.5)
    until(lambda: says(opened, "print(play.offset, play.tensor)"), "3 None")
    play.get_by_role("button", name="start again").tap()
    until(lambda: title(play), "x.as_strided((2, 3), (3, 1), 0)")
    play.get_by_role("button", name="transpose").tap()
    until(lambda: says(opened, "print(tuple(play.tensor.shape))"), "(3, 2)")
    play.locator("#a2").tap()  # what a mouse says at rest
    until(lambda: sentence(play)[:14], "pinned x[1, 0]")
    play.locator("#a2").tap()
    until(lambda: play.evaluate("host => host.pinned"), None)
    shot(opened.page, "touch-strides")


def test_a_guess_by_taps(fingers):
    opened, figures = fingers
    figure = figures[-2]
    room = at_rest(figure.locator("#s5"))
    opened.page.touchscreen.tap(room["x"] + room["width"] / 2, room["y"] + room["height"] + 8)  # missed by little
    until(lambda: (checked(figure), sentence(figure)), ("A", "Take A, slot 5? Press Enter, or click it again."))
    figure.get_by_role("radio", name="slot 5").tap()
    until(lambda: (sentence(figure)[:5], says(opened, "print(q.guesses)")), ("Not A", "('A',)"))
    figure.get_by_role("radio", name="slot 6").tap()
    figure.locator("#s6").tap()  # twice at one place would be a double tap, which counts once
    until(lambda: sentence(figure)[:8], "Right: D")
    shot(opened.page, "touch-told")


def test_picks_by_taps(fingers):
    opened, figures = fingers
    game = figures[4]
    for name in ("add y", "mul c"):
        box(game, name).tap()
        until(lambda name=name: says(opened, "print(game.picks[-1:])"), f"['{name[-1]}']")
    game.get_by_role("button", name="d", exact=True).tap()
    until(lambda: sentence(game), LOST)
    game.get_by_label("previous step (Page Up)").tap()
    until(lambda: step(game), "4")
    shot(opened.page, "touch-engine")


def test_an_expression_by_taps(fingers):
    opened, figures = fingers
    page, figure = opened.page, figures[2]
    field = figure.get_by_label("expression", exact=True)
    field.tap()
    until(lambda: field.evaluate("e => e === e.getRootNode().activeElement"), True)  # a tap is a click a little later
    page.keyboard.press("End")
    for _ in "a).sum()":
        page.keyboard.press("Backspace")
    page.keyboard.type("3).mean()")
    until(lambda: title(figure), "(a * 3).mean()")
    figure.get_by_label("next step (Page Down)").tap()
    until(lambda: step(figure), "2")
    shot(page, "touch-expression")


@pytest.mark.parametrize("k", [1, 5, 6, 7, 8, 9, 10, 12])
def test_a_tap_pins_and_a_tap_steps_in_each_of_the_others(fingers, k):
    figure = fingers[1][k]
    figure.get_by_label("next step (Page Down)").tap()
    until(lambda: figure.evaluate("host => host.frame > 0"), True)
    there = figure.evaluate("host => host.frame")
    figure.get_by_label("previous step (Page Up)").tap()
    until(lambda: figure.evaluate("host => host.frame") < there, True)
    spot = figure.evaluate("host => [...host.links.keys()].find(id => host.seen(host.shapes.get(id)))")
    figure.locator(f"#{spot}").tap()
    until(lambda: figure.evaluate("host => host.pinned"), spot)
    until(lambda: figure.evaluate("host => host.model.get('pinned')"), spot)


def test_inputs_of_the_others_by_taps(fingers):
    opened, figures = fingers
    shapes, reduce, back = figures[1], figures[7], figures[10]
    for figure, label, typed in ((shapes, "b has shape", "3"), (back, "upstream gradient", "2")):
        field = figure.get_by_label(label, exact=True)
        field.tap()
        until(lambda field=field: field.evaluate("e => e === e.getRootNode().activeElement"), True)
        opened.page.keyboard.press("End")
        for _ in "(4,)":
            opened.page.keyboard.press("Backspace")
        opened.page.keyboard.type(typed)
    until(lambda: shapes.locator(".stage").text_content().count("(3, 3)") > 0, True)
    until(lambda: back.evaluate("host => host.model.get('upstream')"), "2")
    reduce.get_by_label("keepdim", exact=True).tap()
    until(lambda: reduce.evaluate("host => host.model.get('keepdim')"), True)
    shot(opened.page, "touch-others")


# -- keys alone --------------------------------------------------------------------------------------------------------

AT = "h => (e => e && (e.ariaLabel ?? e.textContent))(h.shadowRoot.activeElement)"
SEEN = """h => { const at = h.shadowRoot.querySelector(':focus-visible');
    const look = getComputedStyle(at.closest('.stage') ? at.closest('.figure') : at);
    return look.outlineStyle !== 'none' && parseFloat(look.outlineWidth) >= 2; }"""
KEYED = {  # a widget: up to which input Tab goes, what is pressed there, what Python is asked then, and says
    "StridesPlayground(x)": ("offset", "ArrowRight", "w.offset, w.tensor", "1 None"),
    "BroadcastPlayground((3, 1), (4,))": ("b has shape", "3", "w.result", "(3, 3)"),
    "Expression('(a * a).sum()', a=a)": ("expression", "(a*2).sum()", "w.result.item()", "12.0"),
    "BeTheEngine(y)": ("", "y ArrowLeft Enter", "len(w.picks)", "2"),
    "Predict(replace(check.which_slot))": ("", "2 Enter d Enter", "w.guesses", "('C', 'D')"),
    "Op('cumsum', rf.tensor([1., 2.]), dim=0)": ("", "PageDown ArrowRight", "w.frame", "1"),
    "Strides(x)": ("", "PageDown ArrowRight Enter", "w.frame, bool(w.pinned)", "1 True"),
    "Broadcast(rf.ones(3, 1), rf.ones(4))": ("op", "ArrowDown", "w.op", "-"),
    "Reduce(a)": ("keepdim", " ", "w.keepdim", "True"),
    "Matmul(a, rf.ones(3, 2))": ("", "PageDown ArrowRight Enter", "w.frame, bool(w.pinned)", "1 True"),
    "Graph(y)": ("", "ArrowRight Enter", "bool(w.pinned)", "True"),
    "Backward(y)": ("upstream gradient", "2", "w.upstream", "2"),
}


@pytest.fixture(scope="module")
def cells(shared, page):
    first = f"{EVERY[0]}\n{ASKED[: ASKED.index('q =')]}\nshown = {{}}"
    opened = shared(book(first, *(f"shown[{k}] = widgets.{code}\nshown[{k}]" for k, code in enumerate(KEYED))))
    return opened, live(opened, page, bound=len(KEYED), shown=len(KEYED))


SIZES = """h => { const scale = h.stage.querySelector("svg").getScreenCTM().a;
    const seen = e => e.textContent && e.checkVisibility({visibilityProperty: true});
    const sizes = (from, many) => [...from.querySelectorAll(many)].filter(seen)
        .map(e => parseFloat(getComputedStyle(e).fontSize));
    const drawn = sizes(h.stage, "text"), large = drawn.filter(one => one > 14);  // 14 is a label, not a number
    return Math.min(...large.map(one => one * scale), ...sizes(h.body, "button,p,.count"),
        ...drawn.map(one => one * scale * 20 / 16)); }"""  # a label is as large as 20 from 16 pixels on
ROOM = """h => h.dialog.matches(":modal") && h.body.scrollHeight <= innerHeight
    && h.stage.scrollHeight <= h.stage.clientHeight && h.stage.scrollWidth <= h.stage.clientWidth"""
LESSONS = (  # what stands under a picture takes none of its room
    "x, i = rf.arange(9.0).view(3, 3), rf.tensor([[0, 2], [1, 1], [2, 0]])\n"
    "w, t = rf.ones(3, 4), rf.ones(4, requires_grad=True)",
    "widgets.Op('gather', x, 1, i)",
    "widgets.Op('matmul', x, w)",
    "widgets.Op('softmax', x, dim=1)",
    "widgets.Broadcast(x[:, :1], w, op='*', names=['a_name', 'b'])",
    "widgets.Broadcast(x, x[0], x[:, :1])",
    "widgets.Reduce(x, 'logsumexp', 1, True)",
    "widgets.Reduce(w, 'mean', 0)",
    "widgets.BroadcastPlayground((2, 1), (1, 3), (3,))",
    "widgets.Expression('(t * u).sum() + u.relu()', t=t, u=rf.ones(4, requires_grad=True))",
    "widgets.Backward((x @ w * t).sum())",
    "widgets.StridesPlayground(rf.arange(24).view(2, 3, 4))",
)
EACH = pytest.mark.parametrize("k", range(len(KEYED)), ids=[code.partition("(")[0] for code in KEYED])


@EACH
def test_on_a_projector_a_widget_of_a_lesson_s_size_is_20_pixels_high(cells, page, k):
    _, figures = cells
    resize(page, 1280, 720)
    try:
        figures[k].locator(".stage").focus()
        page.keyboard.press("f")
        shot(page, f"projector-{k}")
        assert figures[k].evaluate(SIZES) >= 20
    finally:
        page.keyboard.press("f")
        resize(page, 1280, 1000)


def test_on_a_projector_figures_of_lessons_are_20_pixels_high(notebook, page):
    figures = live(notebook(book(EVERY[0], *LESSONS)), page, bound=len(LESSONS) - 1, shown=len(LESSONS) - 1)
    resize(page, 1280, 720)
    try:
        small = {}
        for k, figure in enumerate(figures):
            figure.locator(".stage").focus()
            page.keyboard.press("f")
            sizes = []
            for key in ("Home", "End"):
                page.keyboard.press(key)
                sizes.append(round(figure.evaluate(SIZES), 2))
                shot(page, f"lesson-{k:02}-{key}")
            if min(sizes) < 20 or not figure.evaluate(ROOM):
                small[LESSONS[k + 1]] = sizes
            page.keyboard.press("f")
        assert not small, small
    finally:
        resize(page, 1280, 1000)


@EACH
def test_by_keys_alone(cells, page, py, k):
    opened, figures = cells
    (label, keys, asked, answer), figure = list(KEYED.values())[k], figures[k]
    where = f"{FRONT}.content.widgets[{k + 1}].node"
    page.evaluate(f"() => {{ {FRONT}.content.activeCellIndex = {k + 1}; {FRONT}.content.mode = 'command'; }}")
    page.evaluate(f"() => {where}.focus()")
    met = []
    while (label or title(figure)) not in met:  # from the cell into the figure, and on to an input
        page.keyboard.press("Tab")
        met.append(figure.evaluate(AT))
        assert len(met) < 30, met
        assert met[-1] is None or figure.evaluate(SEEN), met
    for key in keys.split() if label == "" else [keys] if keys.startswith("Arrow") else keys:
        page.keyboard.press(key)
    until(lambda: py(f"w = shown[{k}]; print({asked})"), answer)
    shot(page, f"keys-{k}")
    held = "host => 1 + (host.pinned !== null) + 2 * (host.asks?.open && host.pick !== null || 0)"  # each lets go first
    for _ in range(figure.evaluate(held)):
        page.keyboard.press("Escape")
    assert page.evaluate(f"() => document.activeElement === {where}")
    page.keyboard.press("ArrowDown")  # the notebook's again
    until(lambda: page.evaluate(f"() => {FRONT}.content.activeCellIndex"), min(k + 2, len(KEYED)))


def test_on_a_projector_the_engine_fits_and_is_played_by_keys(notebook, page, py):
    (game,) = live(notebook(book(EVERY[0], GAME)), page, bound=1, shown=1)
    resize(page, 1280, 720)
    try:
        game.locator(".stage").focus()
        page.keyboard.press("f")
        assert game.evaluate(ROOM) and game.evaluate(SIZES) >= 20
        for key in "ycd":
            page.keyboard.press(key)
        until(lambda: py("print(game.picks)"), "['y', 'c', 'd']")  # a cell that ran writes the output anew
        until(lambda: (sentence(game), game.evaluate(ROOM)), (LOST, True))
        assert game.evaluate(SIZES) >= 20
        shot(page, "projector-engine")
        page.keyboard.press("u")
        until(lambda: sentence(game), "c hands on 2 to x.")
        page.keyboard.press("Escape")
        until(lambda: game.evaluate("host => host.dialog.open"), False)
    finally:
        resize(page, 1280, 1000)
