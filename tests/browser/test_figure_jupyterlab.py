"""A figure in real JupyterLab: alive when run, alive reopened without a kernel, asleep but readable when untrusted."""

import json
import subprocess
import sys

import pytest

from tests.browser.panel import FIGURE, alive, book, drawn, resize, sentence, shot
from tests.browser.test_widgets import until

pytestmark = pytest.mark.browser

MAKE = "import rustyflow as rf\nfrom rustyflow import show\nx = rf.arange(12).view(3, 4)\ny = x.t()[1:, :2]"
DRAW = "y = x.t()[1:, :2]\nshow.strides(y)"


def forgive(heard, known):
    """What JupyterLab itself complains of, with or without a figure, is no fault of ours."""
    heard.console[:] = [said for said in heard.console if known not in said]


def strides_in(open_notebook, page):
    opened = open_notebook(book(MAKE, DRAW))
    assert opened.errors() == []
    figure = page.locator(FIGURE).first
    figure.locator(".stage").wait_for()
    page.mouse.move(2, 2)
    return opened, figure


@pytest.fixture
def strides(shared, page):
    return strides_in(shared, page)


@pytest.fixture
def own_strides(notebook, page):
    """For a test that changes its notebook."""
    return strides_in(notebook, page)


def test_pointing_at_a_cell_lights_its_slot(strides, page):
    _, figure = strides
    figure.locator("#a5").hover()
    assert figure.locator("#s7").get_attribute("class") == "cell lit"
    assert sentence(figure) == "y[2, 1] is slot 7, value 7; x sees it as x[1, 3]."
    shot(page, "lab-light")
    figure.locator("#s4").hover()
    assert sentence(figure) == "Slot 4 holds 4 and is not read by y."


def test_everything_by_keyboard_alone(own_strides, page):
    _, figure = own_strides
    figure.locator(".stage").focus()
    page.keyboard.press("PageDown")
    assert sentence(figure).startswith("x keeps 12 numbers")
    page.keyboard.press("End")
    assert sentence(figure).startswith("y and x share this storage")
    page.keyboard.press("Home")
    assert sentence(figure).startswith("y is a view of x")
    for key in ("ArrowRight", "ArrowDown", "Enter", "ArrowRight"):
        page.keyboard.press(key)
    assert sentence(figure) == "pinned y[1, 1] is slot 6, value 6; x sees it as x[1, 2]."
    before = cells(page)
    for key in ("a", "b", "d", "d", "x"):
        page.keyboard.press(key)
    assert cells(page) == before
    page.keyboard.press("Escape")
    assert not sentence(figure).startswith("pinned")
    page.keyboard.press("Escape")
    page.keyboard.press("b")
    until(lambda: cells(page), before + 1)


def cells(page):
    return page.evaluate("() => jupyterapp.shell.currentWidget.content.model.cells.length")


def test_the_keys_to_save_and_to_run_are_the_notebooks(strides, page):
    opened, figure = strides
    ran = "() => jupyterapp.shell.currentWidget.content.widgets[1].model.executionCount"
    dirty = "() => jupyterapp.shell.currentWidget.context.model.dirty"
    count = page.evaluate(ran)
    assert page.evaluate(dirty)
    figure.locator(".stage").click()
    page.keyboard.press("PageDown")
    page.keyboard.press("Control+s")
    page.wait_for_function("() => !jupyterapp.shell.currentWidget.context.model.dirty")
    page.keyboard.press("PageDown")  # the focus is where it was
    assert figure.locator(".count").inner_text().startswith("3 / ")
    page.keyboard.press("Shift+Enter")
    page.wait_for_function(f"count => ({ran})() > count", arg=count)
    assert opened.errors() == []


def test_every_other_key_stays_in_the_figure(strides, page):
    _, figure = strides
    figure.locator(".stage").click()
    before = cells(page), page.evaluate("() => jupyterapp.shell.currentWidget.content.activeCellIndex")
    keys = "ArrowDown ArrowUp d d x a m y z Shift+m Shift+ArrowDown Control+a Control+x Control+Backspace Space Space"
    for key in keys.split():
        page.keyboard.press(key)
    assert before == (cells(page), page.evaluate("() => jupyterapp.shell.currentWidget.content.activeCellIndex"))
    chosen = "() => jupyterapp.shell.currentWidget.content.selectedCells.length"
    assert page.evaluate(chosen) == 1
    page.keyboard.press("Escape")
    page.keyboard.press("Control+a")
    until(lambda: page.evaluate(chosen), before[0])  # which shows that it would


def test_what_is_typed_in_an_owners_input_stays_there(strides, page):
    _, figure = strides
    before = cells(page)
    figure.evaluate("host => host.controls.append(document.createElement('input'))")
    field = figure.locator("input:not([type])")
    field.click()
    page.keyboard.type("ddxaf? g0")
    for key in ("ArrowLeft", "ArrowLeft", "Control+a", "Control+c", "End", "Control+v", "Control+Backspace"):
        page.keyboard.press(key)
    page.keyboard.press("Control+s")
    page.wait_for_function("() => !jupyterapp.shell.currentWidget.context.model.dirty")
    page.keyboard.type("!")
    assert field.input_value() == "ddxaf? g0ddxaf? !" and cells(page) == before
    page.keyboard.press("Escape")
    page.keyboard.press("b")
    until(lambda: cells(page), before + 1)


def test_projector_mode(strides, page):
    _, figure = strides
    size = page.viewport_size
    resize(page, 1280, 720)
    try:
        figure.locator(".stage").focus()
        page.keyboard.press("f")
        assert figure.locator("dialog[open] .stage").count() == 1
        for _ in range(6):
            page.keyboard.press("PageDown")
        shot(page, "projector-light")
        page.keyboard.press("F5")
        page.keyboard.press("Tab")
        page.keyboard.press("PageDown")
        assert sentence(figure).startswith("Read in order")
        page.keyboard.press(".")
        assert figure.locator(".blank").is_visible()
        page.keyboard.press(".")
        page.keyboard.press("Escape")
        assert figure.locator("dialog[open]").count() == 0
        page.keyboard.press("PageDown")
        assert sentence(figure).startswith("y and x share this storage")
    finally:
        resize(page, **size)


def test_dark(strides, page, theme):
    _, figure = strides
    theme("dark")
    figure.locator("#a3").hover()
    shot(page, "lab-dark")
    assert figure.get_attribute("theme") == "dark"


def lit(figure):
    """Whether pointing at a cell does anything."""
    figure.locator("#a5").hover()
    return figure.locator("#s7").get_attribute("class") == "cell lit"


def test_alive_in_a_reopened_notebook_without_a_kernel(own_strides, page, heard):
    opened, _ = own_strides
    opened.save()
    opened.close()
    opened.open(kernel=False)
    figure = page.locator(FIGURE).first
    assert lit(figure)
    assert page.evaluate("() => jupyterapp.shell.currentWidget.context.sessionContext.session") is None
    forgive(heard, "reading 'kernel'")


def test_a_picture_with_words_where_it_is_not_trusted(strides, notebook, page, heard):
    opened, _ = strides
    foreign = opened.save()
    for cell in foreign["cells"]:
        cell.get("metadata", {}).pop("trusted", None)
    foreign["metadata"]["title"] = "somebody else's"  # another notebook than the one signed here
    notebook(foreign, kernel=False)
    output = page.locator(".jp-NotebookPanel:not(.lm-mod-hidden) .jp-OutputArea-output").first
    image = output.locator("img")
    image.wait_for()
    assert image.get_attribute("alt").startswith("y = x.t()[1:, :2]. y[2, 1] is slot 7")
    assert image.evaluate("image => image.decode().then(() => image.naturalWidth)") == 860
    assert "trust the notebook" in output.inner_text()
    assert page.locator(FIGURE).count() == 0
    shot(page, "lab-untrusted")
    forgive(heard, "reading 'kernel'")


def test_alive_offline_in_an_exported_page(strides, plain, tmp_path, heard):
    opened, _ = strides
    opened.save()
    command = [sys.executable, "-m", "nbconvert", "--to", "html", "--output-dir", str(tmp_path), str(opened.path)]
    subprocess.run(command, check=True, capture_output=True)
    tab = plain((tmp_path / opened.path.name).with_suffix(".html"))
    assert lit(tab.locator("[data-lm-suppress-shortcuts]"))
    assert all("cdnjs.cloudflare.com" in request for request in heard.away), "more than nbconvert's own MathJax"
    heard.away.clear()
    forgive(heard, "ERR_INTERNET_DISCONNECTED")


def test_fifteen_figures_and_two_versions_on_one_page(notebook, page):
    other = (
        "from IPython.display import HTML\nfrom rustyflow.scene.figure import player\n"
        "html = show.strides(y).html()\nHTML(html.replace(player()[0], 'rustyflow-figure-00000000'))"
    )
    opened = notebook(book(MAKE, *["show.strides(y)"] * 15, other))
    assert opened.errors() == []
    figures = alive(page, 16)
    assert figures.evaluate_all("all => new Set(all.map(f => f.localName)).size") == 2
    for k in (0, 14, 15):
        figures.nth(k).scroll_into_view_if_needed()
        assert lit(figures.nth(k))
    assert "lit" not in figures.nth(3).locator("#s7").get_attribute("class")


def test_a_new_view_of_the_output(strides, page, heard):
    _, figure = strides
    figure.locator(".stage").click()
    page.evaluate("() => { jupyterapp.commands.execute('notebook:create-output-view') }")
    view = page.locator(".jp-LinkedOutputView [data-lm-suppress-shortcuts]")
    view.locator(".stage").wait_for()
    try:
        assert lit(view)
        assert "lit" not in (figure.locator("#s7").get_attribute("class") or "")
    finally:
        page.evaluate(
            """() => {
                for (const w of jupyterapp.shell.widgets('main'))
                    if (w.node.querySelector('.jp-LinkedOutputView')) w.close();
            }"""
        )
        forgive(heard, "reading 'changed'")


def test_scrolled_away_and_back_in_the_default_mode(notebook, page, heard):
    opened = notebook(book(MAKE, "show.strides(y)", *["print('\\n' * 60)"] * 12))
    assert opened.errors() == []
    page.evaluate(
        """() => {
            const content = jupyterapp.shell.currentWidget.content;
            content.notebookConfig = {...content.notebookConfig, windowingMode: 'contentVisibility'};
        }"""
    )
    scroll = "n => { jupyterapp.shell.currentWidget.content.scrollToItem(n, 'start') }"
    page.evaluate(scroll, 1)
    figure = page.locator(FIGURE).first
    figure.locator(".stage").focus()
    page.keyboard.press("PageDown")
    away = "f => f.getBoundingClientRect().bottom < 0"
    page.evaluate(scroll, 13)
    page.wait_for_function(away, arg=figure.element_handle())
    drawn(page)
    page.evaluate(scroll, 1)
    page.wait_for_function(f"f => !({away})(f)", arg=figure.element_handle())
    assert sentence(figure).startswith("x keeps 12 numbers")
    figure.locator(".stage").focus()
    page.keyboard.press("f")
    figure.locator("dialog").wait_for()
    box = figure.locator("dialog").bounding_box()
    assert (box["x"], box["y"], box["width"]) == (0, 0, page.viewport_size["width"])
    page.keyboard.press("Escape")
    page.keyboard.press("Home")
    assert lit(figure)
    opened.close()
    forgive(heard, "reading 'changed'")


def test_the_static_mode_is_a_picture_and_text_alone(notebook, page):
    opened = notebook(book("from rustyflow import show\nshow.static()", MAKE, DRAW))
    assert opened.errors() == []
    data = opened.outputs()[2][0]["data"]
    assert data["text/plain"].startswith("y = x.t()[1:, :2]\n  shape: (3, 2)")
    assert data["text/html"].startswith("<img alt=") and "<script" not in data["text/html"]
    assert len(json.dumps(data)) < 20_000
