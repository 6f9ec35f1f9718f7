"""Widgets of odd tensors, odd names and odd texts, and two notebooks on one kernel, in a real JupyterLab: a clear word
each time, and nothing on the console, which the fixtures listen to.
"""

import pytest

from tests.browser.panel import book, live
from tests.browser.test_playgrounds import field
from tests.browser.test_widgets import step, title, until
from tests.long.test_widgets_live import FRONT, IDLE, bound, remark

pytest.importorskip("anywidget")

FIRST = "import rustyflow as rf\nfrom rustyflow import widgets"
ODD = """odd = [rf.tensor(1.0), rf.zeros(1, 1, 1, 1, 1, 1, 1, 2), rf.empty(0), rf.tensor([float("nan"), float("inf")]),
       rf.tensor([True]), rf.arange(3).as_strided((2, 2), (1, 1))]
widgets.Strides(*odd, names=["<b>", "&amp;", "🦀", '"', "'", "<script>"])"""
TYPED = {
    "1o": "does not read as an expression yet",
    "a * q": "'q': a name is one of the tensors here",
    "a ^ 2": "a power is written **: ^ is another operation",
    "9**9**9": "a number that no float holds",
    "a.expand(10**9)": "an expression is made of tensors",
    "__import__('os')": "an expression is made of tensors",
    "<b>🦀": "'🦀' is the crab U+1F980, which means nothing here",
}


def test_odd_tensors_names_and_texts(notebook, page, py):
    opened = notebook(book(FIRST, ODD, "e = widgets.Expression('a + 1', a=rf.tensor([1.0]))\ne"))
    strides, e = live(opened, page, bound=2, shown=2)
    assert "🦀" in strides.locator(".stage").text_content()
    assert strides.locator(".stage").locator("b, script").count() == 0
    for text, said in TYPED.items():
        field(e, "expression").fill(text)
        until(lambda said=said: said in e.locator(".remark").text_content(), True)
        assert (title(e), py("print(e.result.item())")) == ("a + 1", "2.0")


def test_two_notebooks_on_one_kernel(notebook, page, py):
    cells = FIRST, "play = widgets.StridesPlayground(rf.arange(6).view(2, 3), name='x')\nplay"
    live(notebook(book(*cells)), page, bound=1, shown=1)
    kernel = page.evaluate("() => jupyterapp.shell.currentWidget.context.sessionContext.session.kernel.id")
    second = notebook(book(*cells), run=False)
    change = "id => jupyterapp.shell.currentWidget.context.sessionContext.changeKernel({id}).then(() => 1)"
    page.evaluate(change, kernel)
    second.run()
    (play,) = live(second, page, bound=1, shown=1)
    field(play, "offset").first.focus()
    page.keyboard.press("ArrowRight")
    until(lambda: (title(play)[-2:], py("print(play.offset)")), ("1)", "1"))
    py("play.offset = 0")
    until(lambda: title(play)[-2:], "0)")
    # the kernel is the first notebook's to end
    page.evaluate(f"() => {{ {FRONT}.context.model.dirty = false; {FRONT}.close() }}")


def test_a_notebook_that_gets_another_kernel_binds_what_runs_there(notebook, page, py):
    shows = "play = widgets.StridesPlayground(rf.arange(6).view(2, 3), name='x')\nplay"
    first, second = live(notebook(book(FIRST, shows, shows)), page, bound=2, shown=2)
    page.evaluate(f"() => {FRONT}.context.sessionContext.changeKernel({{name: 'python3'}}).then(() => 1)")
    until(lambda: {remark(one)[:18] for one in (first, second)}, {"Python has stopped"})
    page.wait_for_function(IDLE, timeout=30000)
    page.evaluate(f"() => {{ {FRONT}.content.activeCellIndex = 0 }}")
    for _ in range(2):
        page.evaluate("() => jupyterapp.commands.execute('notebook:run-cell-and-select-next')")
    bound(page, 1)
    field(first, "offset").first.focus()
    page.keyboard.press("ArrowRight")
    until(lambda: (title(first)[-2:], py("print(play.offset)")), ("1)", "1"))
    second.locator(".stage").focus()
    page.keyboard.press("PageDown")
    assert (step(second), title(second)[-2:]) == ("2", "0)")
    assert remark(second).startswith(("Python has stopped", "Run the cell"))
    assert second.locator(".controls > *").count() == 0


def test_what_is_typed_for_a_stride_is_a_whole_number_or_nothing(notebook, page, py):
    (play,) = live(notebook(book(FIRST, "play = widgets.StridesPlayground(rf.arange(6).view(2, 3), name='x')\nplay")),
                   page, bound=1, shown=1)  # fmt: skip
    box = field(play, "stride[1]").last
    box.click()
    page.keyboard.press("ControlOrMeta+a")
    page.keyboard.type("x1e")  # which is no number
    page.keyboard.press("Backspace")
    page.keyboard.press("Backspace")
    asked = "figure => globalThis[Symbol.for(figure.localName)].asked.size"
    play.evaluate("figure => figure.ask()")
    until(lambda: play.evaluate(asked), 0)  # Python has met all that came before
    assert (box.input_value(), py("print(play.stride)")) == ("", "[3, 1]")
    page.keyboard.press("Tab")  # it shows what is so again
    until(box.input_value, "1")
    box.fill("2")
    until(lambda: py("print(play.stride)"), "[3, 2]")
    py("try:\n    play.stride = ['2', 1]\nexcept TypeError as error:\n    said = str(error)")
    assert "'2' in stride, of type str" in py("print(said)") and py("print(play.stride)") == "[3, 2]"
