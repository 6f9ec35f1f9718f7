"""Figures, widgets and questions in the real marimo, as an app and in its editor: they live, and follow Python."""

import os
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path

import pytest

import rustyflow
from tests.browser.conftest import WINDOW
from tests.browser.panel import HOST, shot
from tests.browser.test_widgets import step, title, until

pytest.importorskip("marimo")
pytest.importorskip("anywidget")

CELLS = """\
import marimo as mo
import rustyflow as rf
from rustyflow import show, widgets
x = rf.arange(6).view(2, 3)

show.strides(x, x.t(), names=["x", "y"], title="first")

mo.hstack([show.reduce(x, "sum", 1, name="x"), show.broadcast(x * 1.0, rf.ones(3), op="*", names=["a", "b"])])

product = show.matmul(x, x.t(), names=["a", "b"])
mo.md(f"Before {mo.as_html(product)} after.")

play = mo.ui.anywidget(widgets.StridesPlayground(x))
play

other.b = x.t()[:, :1] if play.value["offset"] == 1 else x.t()

mo.md(f"The offset is {play.value['offset']}, the step is {play.value['frame']}.")

other = widgets.Matmul(x, x.t(), names=["a", "b"])
other

widgets.beside(show.strides(x, names=["x"], title="left"), widgets.Strides(x))

from rustyflow.lessons import one_line_of_memory as lesson
lesson.which_slot
""".split("\n\n")


def program(cells):
    """A program of marimo's: each cell is a function, whose last line is shown."""
    made = "".join("@app.cell\ndef _():\n    " + cell.replace("\n", "\n    ") + "\n\n" for cell in cells)
    return f"import marimo\n\napp = marimo.App(width='medium')\n\n{made}"


FOUND = f"""() => {{
  const inside = root => [...root.querySelectorAll("*")].flatMap(e => [
    ...e.matches("{HOST}") && e.scene ? [e] : [], ...e.shadowRoot ? inside(e.shadowRoot) : []]);
  return inside(document).length;
}}"""


@pytest.fixture(params=["run", "edit"])
def app(request, browser, ears, tmp_path):
    """A tab with the notebook in it, all cells of which have run, as an app or in the editor."""
    (tmp_path / "notebook.py").write_text(program(CELLS), encoding="utf-8")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "marimo", "--yes", request.param, "notebook.py", "--headless", "--no-token"]
    home = {name: str(tmp_path / name) for name in ("HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME")}
    home |= {"PYTHONPATH": str(Path(rustyflow.__file__).parents[1]), "RUSTYFLOW_DISPLAY": ""}
    with (tmp_path / "marimo.log").open("w", encoding="utf-8") as log:
        server = subprocess.Popen([*command, f"--port={port}", "--host=127.0.0.1"], cwd=tmp_path, env=os.environ | home,
                                  stdout=log, stderr=subprocess.STDOUT)  # fmt: skip
    page = browser.new_page(viewport=WINDOW | {"height": 4600})
    try:
        until(lambda: answers(f"http://127.0.0.1:{port}/"), True, 60)
        ears.listen(page)
        page.goto(f"http://127.0.0.1:{port}/")
        if request.param == "edit":
            page.locator(".cm-content").first.click()
            page.keyboard.press("Control+Shift+r")
        until(lambda: page.evaluate(FOUND), 8, 60)
        yield page
    finally:
        page.close()
        server.terminate()
        server.wait(20)


def answers(url):
    try:
        urllib.request.urlopen(url, timeout=2).close()
        return True
    except urllib.error.HTTPError:
        return True
    except OSError:
        return False


def called(page, name, bound):
    """The figure with that title, one of a widget's, which is bound to it by now, or not."""
    hosts = page.locator(HOST)
    found = "(all, [name, bound]) => all.findIndex(f => f.scene?.title.match(name) && !!f.model === bound)"
    until(lambda: hosts.evaluate_all(found, [name, bound]) >= 0, True)
    return hosts.nth(hosts.evaluate_all(found, [name, bound]))


def test_figures_widgets_and_questions_live_and_python_follows(app, request):
    page, cells = app, app.locator(".marimo-cell").count()
    shot(page, f"marimo-{request.node.callspec.id}")
    first = called(page, "first", False)
    first.locator(".title").click()
    for key in ("PageDown", "PageDown"):
        page.keyboard.press(key)
    assert step(first) == "3" and page.locator(".marimo-cell").count() == cells
    page.keyboard.press("f")
    assert first.locator("dialog .figure").bounding_box() == {"x": 0, "y": 0, "width": 1280, "height": 4600}
    page.keyboard.press("Escape")
    assert first.locator("dialog[open]").count() == 0
    row = [called(page, name, False) for name in ("x.sum", r"a \* b")]  # in a row
    assert all(figure.bounding_box()["width"] >= 320 for figure in row)
    page.locator("img[alt^='a @ b']").wait_for()  # in Markdown no script runs

    play, other = called(page, "x.as_strided", True), called(page, "a @ b", True)
    play.locator(".stage").focus()
    page.keyboard.press("PageDown")
    until(lambda: page.get_by_text("The offset is 0, the step is 1.").count(), 1)
    play.get_by_label("offset", exact=True).first.focus()
    page.keyboard.press("ArrowRight")
    until(lambda: title(play), "x.as_strided((2, 3), (3, 1), 1)")
    until(lambda: page.get_by_text("The offset is 1, the step is 0.").count(), 1)
    until(lambda: "(2, 1)" in other.evaluate("f => f.scene.frames[0].s"), True)  # a cell of Python's has set b
    left, right = called(page, "left", False), called(page, "^x$", True)
    assert abs(left.bounding_box()["y"] - right.bounding_box()["y"]) < 5

    question = page.locator(HOST).filter(has=page.locator(".option")).last
    until(lambda: question.evaluate("figure => !!figure.model"), True)
    question.locator(".stage").focus()
    for key in ("a", "Enter"):
        page.keyboard.press(key)
    until(lambda: question.locator(".option:disabled, .told .option").count() > 0, True)
    for dark in ("dark", "light"):
        page.evaluate("theme => { document.body.dataset.theme = theme; }", dark)
        until(lambda: {first.get_attribute("theme"), play.get_attribute("theme")}, {dark})
    shot(page, f"marimo-after-{request.node.callspec.id}")


def test_without_anywidget_and_in_static_mode_a_figure_is_a_picture_or_lives():
    code = """if True:
        import sys
        sys.modules["anywidget"] = None
        import rustyflow
        from rustyflow import show
        from rustyflow.lessons import one_line_of_memory as lesson
        figure = show.strides(rustyflow.ones(2))
        print(figure._display_().text.count("<script src="), lesson.which_slot._display_().text.count("<img "))
        show.static()
        print(figure._display_().text.count("<script"), figure._display_().text.count("<img "))
    """
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert run.stdout.split() == ["1", "1", "0", "1"], run.stderr
