"""Each lesson from its first cell to its last in a real JupyterLab, by keyboard alone: run, answer, step, go on; in
the end all of its figures live."""

import pytest

from rustyflow.cli.course import source_of
from rustyflow.lessons import Question
from tests.browser.panel import HOST, sentence
from tests.browser.test_lessons import LESSONS, all_live, copy_of, figures_of
from tests.browser.test_widgets import until
from tests.lessons.catalogue import checks_of
from tests.lessons.test_notebooks import USED, module_of

pytest.importorskip("anywidget")

NOTEBOOK = "jupyterapp.shell.currentWidget.content"
RAN = f"""k => {{
    const cell = {NOTEBOOK}.widgets[k].model;
    return cell.type !== 'code' || cell.executionCount && cell.executionState !== 'running';
}}"""
ACTIVE = ".jp-NotebookPanel:not(.lm-mod-hidden) .jp-Cell.jp-mod-active"
CELL = f"() => {NOTEBOOK}.activeCellIndex"


def into_the_figure(page):
    """Wait until the figure of a cell that has run takes the keyboard; the first of a page is reached by Tab."""
    inside = "() => document.activeElement?.localName.startsWith('rustyflow-figure')"
    for presses in range(30):
        if page.evaluate(inside):
            return
        if presses < 20:
            page.wait_for_timeout(50)
        else:
            page.keyboard.press("Tab")
    raise AssertionError("no figure after ten presses of Tab")


@pytest.mark.parametrize("path", LESSONS, ids=lambda path: path.stem)
def test_a_lesson_without_a_mouse(path, notebook, page):
    book, checks = copy_of(path), checks_of(module_of(path))
    opened = notebook(book, run=False)
    page.keyboard.press("Escape")
    for k, cell in enumerate(book["cells"]):
        source = source_of(cell["source"])
        until(lambda: page.evaluate(CELL), k)
        page.keyboard.press("Control+Enter")
        page.wait_for_function(RAN, arg=k, timeout=30_000)
        if cell["cell_type"] == "code" and figures_of(source):
            host = page.locator(f"{ACTIVE} {HOST}").first
            page.wait_for_function(f"() => document.querySelector('{ACTIVE} {HOST}')?.shadowRoot?.querySelector('svg')")
            into_the_figure(page)
            used = USED.search(source)
            check = checks[used[1]] if used else None
            if isinstance(check, Question):
                until(lambda host=host: bool(host.evaluate("one => one.model")), True)
                page.keyboard.press(check.right().lower())
                until(lambda host=host: sentence(host)[:4], "Take")
                page.keyboard.press("Enter")
                until(lambda host=host: sentence(host)[:5], "Right")
            else:
                page.keyboard.press("PageDown")
            page.keyboard.press("Escape")
        page.keyboard.press("ArrowDown")
    assert opened.errors() == []
    all_live(path, page)
