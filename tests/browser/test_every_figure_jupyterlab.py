"""Every figure in real JupyterLab: all frames as Python draws them, alive without a kernel, dark, narrow."""

import json
import linecache

import pytest

from tests.browser.panel import alive, book, lit, quiet, resize, sentence, shot
from tests.browser.test_figure_states import READ, python

pytestmark = pytest.mark.browser

MAKE = """import rustyflow as rf
from rustyflow import show
x = rf.tensor([[1.0, 5.0, 3.0], [4.0, 2.0, 2.0]])
m = rf.tensor([[1.0, 0.0], [2.0, 1.0], [0.0, 3.0]])
row = rf.tensor([10.0, 20.0, 30.0])
w = rf.tensor([2.0, 3.0], requires_grad=True)
v = rf.tensor([0.5], requires_grad=True)
loss = (w * v).sum()
deep = w
for _ in range(14):
    deep = deep * 1.5
net = rf.nn.Sequential(rf.nn.Linear(3, 4), rf.nn.ReLU(), rf.nn.Linear(4, 1))
for p in net.parameters():
    p.data = rf.linspace(-1, 1, p.numel()).reshape(p.shape)
run = show.training([x, x / 2, -x], net, every=1, live=False)
for batch in run:
    net(batch).sum().backward()
"""
CALLS = {
    "strides": "show.strides(x)",
    "broadcast": "show.broadcast(x, row)",
    "reduce": "show.reduce(x, 'mean', 1)",
    "matmul": "show.matmul(x, m)",
    "curve": "show.curve(lambda x: x * x, 3.0)",
    "curve of a check": "show.curve('exp', 1.0, check=True)",
    "graph": "show.graph(loss)",
    "backward": "show.backward(loss)",
    "training": "run.figure()",
    "graph through a window": "show.graph(deep)",
    "backward through a window": "show.backward(deep.sum())",
}


def here(call):
    """The same figure, made in this process by the same cells, so that it has the same title and names."""
    scope = {}
    for n, source in enumerate((MAKE, f"figure = {call}\n")):
        file = f"<cell {n} of {call}>"
        linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
        exec(compile(source, file, "exec"), scope)
    return scope["figure"]


@pytest.fixture(scope="module")
def frozen():
    return {name: here(call) for name, call in CALLS.items()}


@pytest.fixture
def figures(shared, page):
    opened = shared(book(MAKE, *CALLS.values()))
    found = alive(page, len(CALLS))
    page.mouse.move(2, 2)
    return opened, dict(zip(CALLS, (found.nth(k) for k in range(len(CALLS))), strict=True))


def test_every_frame_in_the_notebook_is_the_one_python_draws(figures, frozen):
    _, shown = figures
    read = f"figure => figure.scene.frames.map((_, frame) => {{ figure.show({{frame}}); return ({READ})(figure) }})"
    for name, figure in frozen.items():
        pages = shown[name].evaluate(read)
        assert len(pages) == len(figure.frames)
        for frame, page in enumerate(pages):
            assert json.loads(page) == python(figure, frame, None, None), (name, frame)


def test_reduce_shows_and_says_what_was_worked_by_hand(figures, page):
    _, shown = figures
    figure = shown["reduce"]
    figure.locator("#r1").hover()
    assert lit(figure) == {"r1", "a3", "a4", "a5"}
    assert sentence(figure).startswith("3 cells along j become one number: x.mean(dim=1)[1] = (4 + 2 + 2) / 3 ≈ 2.67.")
    figure.locator("#a1").hover()
    assert lit(figure) == {"a1", "r0"} and sentence(figure) == "x[0, 1] = 5 goes into x.mean(dim=1)[0]."
    page.mouse.move(2, 2)
    figure.locator(".stage").focus()
    heard = []
    for _ in range(7):
        page.keyboard.press("PageDown")
        heard.append(sentence(figure).partition("\n")[0])  # and without its formula, as it is seen
    assert heard == [
        "Along j · dim 1, x has 2 lanes of 3 cells.",
        "3 cells along j become one number: x.mean(dim=1)[0] = (1 + 5 + 3) / 3 = 3.",
        "3 cells along j become one number: x.mean(dim=1)[1] = (4 + 2 + 2) / 3 ≈ 2.67.",
        "(2, 3) has become (2,): j · dim 1 is gone; keepdim=True would leave it, with size 1.",
        "Backward: 2 upstream gradients come, one for each result. x asks for none: here is what it would get.",
        "g[0] = 3 fans out over its lane, times 1/3: [1, 1, 1].",
        "Gradient in: 4; gradient out: 4: reduce forward, expand backward.",
    ]
    assert [figure.locator(f"#ga{n} text").inner_html() for n in range(6)] == ["1"] * 3 + ["0.333"] * 3
    page.keyboard.press("Home")
    for key in ("ArrowRight", "ArrowRight", "ArrowDown", "Enter"):
        page.keyboard.press(key)
    assert "x[1, 1] = 2 goes into x.mean(dim=1)[1]." in sentence(figure)
    page.keyboard.press("g")
    assert "x.grad[1, 1] = 1 / 3 ≈ 0.333." in sentence(figure)


def test_matmul_shows_and_says_what_was_worked_by_hand(figures, page):
    _, shown = figures
    figure = shown["matmul"]
    figure.locator("#c1").hover()  # row 0 of x, column 1 of m
    assert lit(figure) == {"c1", "a0", "a1", "a2", "b1", "b3", "b5"}
    assert sentence(figure).startswith("Row 0 of x meets column 1 of m: (x @ m)[0, 1] = 1·0 + 5·1 + 3·3 = 14.")
    page.mouse.move(2, 2)
    figure.locator(".stage").focus()
    heard = []
    for _ in range(7):
        page.keyboard.press("PageDown")
        heard.append(sentence(figure).partition("\n")[0])  # and without its formula, as it is seen
    assert heard == [
        "(2, 3) @ (3, 2): the inner sizes are both 3 and disappear, so the result has shape (2, 2).",
        "Row 0 of x meets column 0 of m: (x @ m)[0, 0] = 1·1 + 5·2 + 3·0 = 11.",
        "Row 1 of x meets column 1 of m: (x @ m)[1, 1] = 4·0 + 2·1 + 2·3 = 8.",
        "Backward: each cell of x @ m receives a gradient, g. x and m ask for none: here is what they would get.",
        "Row 1 of g meets column 0 of m.T: x.grad[1, 0] = 2·1 + 4·0 = 2.",
        "Row 0 of x.T meets column 1 of g: m.grad[0, 1] = 1·1 + 4·4 = 17.",
        "Rows with rows, columns with columns: x.grad = g @ m.T and m.grad = x.T @ g.",
    ]
    assert figure.locator("#da3 text").inner_html() == "2" and figure.locator("#db1 text").inner_html() == "17"
    page.keyboard.press("Home")
    for key in ("ArrowRight", "ArrowDown", "Enter"):
        page.keyboard.press(key)
    assert "(x @ m)[1, 0] = 4·1 + 2·2 + 2·0 = 8." in sentence(figure)
    page.keyboard.press("g")
    assert "g[1, 0] = 2 goes to row 1 of x and column 0 of m." in sentence(figure)
    figure.locator("#da0").wait_for()


def test_a_large_graph_is_walked_by_keyboard_and_its_window_follows(figures, page):
    _, shown = figures
    figure = shown["backward through a window"]
    figure.locator(".stage").focus()
    inside = """figure => {
        const root = figure.shadowRoot, view = root.querySelector('svg.window').getBoundingClientRect();
        const [box] = [...root.querySelectorAll('#world g.lit')].map(e => e.getBoundingClientRect());
        return box.left >= view.left - 1 && box.right <= view.right + 1;
    }"""
    for key in ("End", *["PageUp"] * 3, "Home", *["PageDown"] * 3, "End"):
        page.keyboard.press(key)
    assert sentence(figure).startswith("Where w.grad[0] comes from: 1.5·")
    page.keyboard.press("Home")
    for _ in range(15):
        page.keyboard.press("ArrowRight")
    quiet(figure)  # the window still moves to the first step
    assert figure.evaluate(inside) and {"n14", "m14"} < lit(figure)
    figure.locator("#m3").click()
    assert sentence(figure).startswith("pinned mul: %4 = %3 * 1.5; its value is") and figure.evaluate(inside)
    shot(page, "window")


def test_the_dark_theme_reaches_every_figure(figures, page, theme):
    _, shown = figures
    ground = "figure => getComputedStyle(figure.shadowRoot.querySelector('.figure')).backgroundColor"
    assert {figure.evaluate(ground) for figure in shown.values()} == {"rgb(255, 255, 255)"}
    theme("dark")
    faint = """figure => {
        const channels = c => c.match(/[\\d.]+/g).slice(0, 3).map(v => v / 255);
        const light = c => channels(c).map(v => v <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4)
            .reduce((sum, v, k) => sum + v * [.2126, .7152, .0722][k], 0);
        const ground = light('rgb(17, 20, 24)'), texts = figure.shadowRoot.querySelectorAll('.stage text');
        return [...texts].filter(t => t.textContent && figure.seen(t) && !t.closest('.dimmed'))
            .filter(t => (light(getComputedStyle(t).fill) + .05) / (ground + .05) < 4.5).map(t => t.textContent);
    }"""
    for name, figure in shown.items():
        assert figure.get_attribute("theme") == "dark" and figure.evaluate(ground) == "rgb(17, 20, 24)", name
        assert figure.evaluate(faint) == [], name


def test_every_figure_is_alive_in_a_reopened_notebook_without_a_kernel(figures, notebook, page, frozen):
    opened, _ = figures
    notebook(opened.save(), kernel=False)
    found = alive(page, len(CALLS))
    for k, (_name, figure) in enumerate(frozen.items()):
        found.nth(k).locator(".stage").focus()
        page.keyboard.press("End")
        assert sentence(found.nth(k)) == figure.state(-1).sentence
    assert page.evaluate("() => jupyterapp.shell.currentWidget.context.sessionContext.session") is None


def test_in_a_narrow_notebook_nothing_but_the_drawing_scrolls(figures, page):
    _, shown = figures
    size = page.viewport_size
    page.evaluate("() => jupyterapp.commands.execute('application:toggle-left-area')")
    resize(page, 560, 844)
    try:
        for name, figure in shown.items():
            figure.scroll_into_view_if_needed()
            figure.locator(".stage").focus()
            page.keyboard.press("End")
            host = figure.bounding_box()
            buttons = figure.locator("button:visible").all()
            for part in (figure.locator("p#says"), *buttons, *figure.locator(".notes p").all()):
                box = part.bounding_box()
                assert host["x"] - 1 <= box["x"] and box["x"] + box["width"] <= host["x"] + host["width"] + 1, name
            assert figure.locator(".figure").evaluate("f => f.scrollWidth <= f.clientWidth"), name
        assert shown["backward"].locator(".notes").inner_text().count("v.grad[0] = ") == 1  # the sum, to be read
        shot(page, "narrow")
    finally:
        resize(page, **size)
        page.evaluate("() => jupyterapp.commands.execute('application:toggle-left-area')")
