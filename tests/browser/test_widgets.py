"""A widget in a real JupyterLab: its output is a figure, which finds its model in the page, and lives without one."""

import os
import signal

import pytest

from tests.browser.panel import FIGURE, HOST, accept, at_rest, book, sentence, until

pytestmark = pytest.mark.browser
pytest.importorskip("anywidget")

CELLS = (
    "import threading, traitlets\nimport ipywidgets as W\nimport rustyflow as rf\nfrom rustyflow import show, widgets",
    """class Rows(widgets.Widget):
    rows = traitlets.Int(3).tag(sync=True)
    heard = None

    def make(self):
        self.heard = threading.current_thread()
        return show.strides(rf.arange(self.rows * 2).view(self.rows, 2), names=["x"], title=f"x with {self.rows} rows")

w = Rows()
w""",
    "s = W.IntSlider()\nlink = W.jslink((s, 'value'), (w, 'frame'))\nW.HBox([w, s])",
)
OUTPUT = FIGURE.removesuffix(HOST)
BOUND = f"() => document.querySelectorAll('{FIGURE}').length === 2 && document.querySelector('{FIGURE}')?.model"


@pytest.fixture
def widget(notebook, page):
    opened = notebook(book(*CELLS))
    assert opened.errors() == []
    page.wait_for_function(BOUND)
    figures = page.locator(FIGURE)
    figures.nth(1).locator(".stage").wait_for()
    return opened, figures.nth(0), figures.nth(1)


def models(figure):
    """How many models the page has of a figure's own notebook: others may still be open."""
    return figure.evaluate(
        """figure => {
            const {session} = jupyterapp.shell.currentWidget.context.sessionContext;
            const all = [...globalThis[Symbol.for(figure.localName)].models.values()];
            return all.filter(model => model.widget_manager.kernel.id === session.kernel.id).length;
        }"""
    )


def step(figure):
    return figure.locator(".count").inner_text().partition(" ")[0]


def title(figure):
    return figure.locator(".stage").get_attribute("aria-label")


def test_a_trait_set_in_python_changes_the_picture_in_every_place(widget, page, py):
    _, figure, boxed = widget
    py("w.frame = 2")
    until(lambda: (step(figure), step(boxed)), ("3", "3"))
    until(lambda: py("print(s.value)"), "2")  # jslink
    py("w.pinned = 'a3'")
    until(lambda: sentence(figure)[:14], "pinned x[1, 1]")
    py("w.rows = 5")
    until(lambda: (title(figure), title(boxed)), ("x with 5 rows",) * 2)
    assert (step(figure), sentence(figure)[:14]) == ("3", "pinned x[1, 1]")
    py("w.rows = -1")
    until(lambda: figure.locator(".remark").text_content()[:27], "The figure stays as it was.")
    py("with w.together(): w.rows, w.frame = 1, 99")
    until(lambda: (title(figure), figure.locator(".remark").text_content()), ("x with 1 rows", ""))
    until(lambda: step(figure), py("print(len(w.figure.frames))"))


def test_a_gesture_changes_the_trait(widget, page, py):
    opened, figure, boxed = widget
    figure.locator(".stage").focus()
    for key in ("PageDown", "PageDown", "d", "d"):
        page.keyboard.press(key)
    until(lambda: py("print(w.frame)"), "2")
    assert page.evaluate("() => jupyterapp.shell.currentWidget.content.widgets.length") == len(CELLS)
    figure.locator("#a3").click()
    until(lambda: py("print(w.pinned)"), "a3")
    until(lambda: (step(boxed), sentence(boxed)[:14]), ("3", "pinned x[1, 1]"))
    boxed.locator(".stage").focus()
    page.keyboard.press("PageUp")
    until(lambda: py("print(w.frame, w.pinned)"), "1")
    until(lambda: step(figure), "2")


def test_a_large_scene_comes_deflated_and_the_last_one_wins(widget, page, py):
    _, figure, boxed = widget
    heard = """figure => {
        const hear = figure.hear;
        figure.heard = [];
        figure.hear = () => figure.heard[figure.heard.push(hear.call(figure)) - 1];
    }"""
    figure.evaluate(heard)
    py("for w.rows in (90, 100, 4, 110): pass")
    until(lambda: (title(figure), title(boxed)), ("x with 110 rows",) * 2)
    py("w.rows = 120; w.rows = 2")
    until(lambda: (title(figure), title(boxed)), ("x with 2 rows",) * 2)
    assert figure.evaluate("async figure => (await Promise.all(figure.heard)).length") > 1  # those before it, too
    assert title(figure) == "x with 2 rows"


def test_a_long_press_is_a_click_though_the_output_would_be_written_anew_meanwhile(widget, page, py):
    _, figure, _ = widget
    py("with w.together(): w.rows, w.frame, w.pinned = 3, 2, ''")
    until(lambda: (title(figure), step(figure)), ("x with 3 rows", "3"))
    at = at_rest(figure.locator("#a3"))
    page.mouse.move(at["x"] + at["width"] / 2, at["y"] + at["height"] / 2)
    until(lambda: py("print(w._written[1])"), "2")  # at rest
    page.mouse.down()
    figure.evaluate("figure => figure.pin('a2')")
    page.wait_for_timeout(1500)  # a picture is at rest after 700 ms
    page.mouse.up()
    until(lambda: py("print(w.pinned)"), "a3")


def test_what_is_typed_outlives_that_the_output_is_written_anew(widget, page, py):
    opened, figure, _ = widget
    figure.evaluate("host => host.controls.append(document.createElement('input'))")
    figure.locator(".stage").focus()
    page.keyboard.press("PageDown")
    field = figure.locator("input:not([type])")
    field.click()
    page.keyboard.type("ab")
    until(lambda: py("print(w._written[1])"), "1")  # the picture came to rest
    until(lambda: "&quot;frame&quot;: 1" in opened.outputs()[1][0]["data"]["text/html"], True)
    page.keyboard.type("cd")
    assert field.input_value() == "abcd"
    page.keyboard.press("Control+s")
    page.wait_for_function("() => !jupyterapp.shell.currentWidget.context.model.dirty")
    assert figure.evaluate("host => host.model && host.shadowRoot.activeElement.localName") == "input"


def test_handlers_run_beside_the_cell(widget, page, py):
    _, figure, _ = widget
    py("w.rows = 4")
    until(lambda: title(figure), "x with 4 rows")
    page.evaluate(
        """() => { jupyterapp.shell.currentWidget.context.sessionContext.session.kernel
            .requestExecute({code: 'import time; time.sleep(1.5); w.rows = 6'}) }"""
    )
    figure.locator(".stage").focus()
    page.keyboard.press("PageDown")
    assert step(figure) == "2"  # the picture does not wait for Python
    until(lambda: title(figure), "x with 6 rows")
    until(lambda: py("print(w.frame)"), "1")


def test_a_python_that_does_not_answer_is_said_and_taken_back(widget, page, py):
    _, figure, boxed = widget
    process = int(py("import os; print(os.getpid())"))
    remarks = lambda: {one.locator(".remark").text_content() for one in (figure, boxed)}  # noqa: E731
    os.kill(process, signal.SIGSTOP)
    try:
        figure.locator(".stage").focus()
        page.keyboard.press("PageDown")
        until(remarks, {"Python is busy: the picture goes on."})
        page.keyboard.press("PageDown")
        assert step(figure) == "3"
    finally:
        os.kill(process, signal.SIGCONT)
    until(remarks, {""})
    until(lambda: py("print(w.frame)"), "2")


def test_a_cell_that_runs_again_leaves_no_model_behind(widget, page, py):
    opened, figure, _ = widget
    count = "print(sum(type(one).__name__ == 'Rows' for one in W.widgets.widget._instances.values()))"
    assert py(count) == "1"
    page.evaluate("() => { jupyterapp.shell.currentWidget.content.activeCellIndex = 1 }")
    for _ in range(6):
        page.evaluate("() => jupyterapp.commands.execute('notebook:run-cell')")
    until(lambda: (py(count), models(figure)), ("1", 1))
    page.evaluate("() => jupyterapp.commands.execute('notebook:run-cell')")
    until(lambda: (py(count), models(figure)), ("1", 1))
    py("w.frame = 2")
    until(lambda: step(figure), "3")


def test_a_killed_kernel_is_said_the_figure_goes_on_and_one_key_brings_it_back(widget, page, py, heard):
    opened, figure, _ = widget
    os.kill(int(py("import os; print(os.getpid())")), signal.SIGKILL)
    until(lambda: figure.locator(".remark").text_content()[:18], "Python has stopped", 20)
    accept(page)  # JupyterLab says so too, once the kernel was restarted
    figure.locator(".stage").focus()
    page.keyboard.press("PageDown")
    assert step(figure) == "2"
    idle = "() => jupyterapp.shell.currentWidget.context.sessionContext.session?.kernel?.status === 'idle'"
    page.wait_for_function(idle, timeout=30000)
    page.keyboard.press("f")
    page.keyboard.press("r")
    alive = f"() => document.querySelector('{FIGURE}')?.model && document.querySelector('{FIGURE}').dialog?.open"
    page.wait_for_function(alive, timeout=30000)
    assert step(page.locator(FIGURE).first) == "2" and opened.errors() == []
    page.keyboard.press("Escape")
    heard.console.clear()


def test_saved_without_widget_state_it_is_the_figure_that_it_last_was(widget, page, py, heard):
    opened, figure, _ = widget
    figure.locator(".stage").focus()
    for _ in range(3):
        page.keyboard.press("PageDown")
    until(lambda: py("print(w._written[1])"), "3")
    until(lambda: "&quot;frame&quot;: 3" in opened.outputs()[1][0]["data"]["text/html"], True)
    saved = opened.save()
    assert "widgets" not in saved["metadata"]
    assert set(saved["cells"][1]["outputs"][0]["data"]) == {"text/plain", "text/html"}
    opened.close()
    opened.open(kernel=True)  # another kernel, which knows nothing
    figure = page.locator(FIGURE).first
    figure.locator(".stage").wait_for()
    assert step(figure) == "4" and figure.evaluate("host => !host.model")
    figure.locator(".stage").focus()
    page.keyboard.press("PageDown")
    assert step(figure) == "5"

    def lost():  # the box, whose view is ipywidgets' own: said late
        page.wait_for_timeout(50)
        return any("model not found" in said for said in heard.console)

    until(lost, True, 30)
    assert "model not found" not in page.locator(OUTPUT).first.inner_text()
    heard.console.clear()
