"""What is run by hand comes into view and takes the keys, and a clicker walks through a notebook."""

import pytest

from tests.browser.panel import FIGURE, HOST, alive, book, drawn

pytestmark = pytest.mark.browser

FIRST = "import numpy as np\nfrom rustyflow import show\nx = np.arange(6).reshape(2, 3)\nprint('long\\n' * 30)"
STRIDES, SUM, TEXT = "show.strides(x)", "show.reduce(x, 'sum', 1)", "'text'"
FRONT = "jupyterapp.shell.currentWidget.content"


@pytest.fixture
def cells(notebook, page):
    """A notebook of four cells, none of them run, the first one chosen."""
    opened = notebook(book(FIRST, STRIDES, TEXT, SUM), run=False)
    page.wait_for_function(f"() => {FRONT}.widgets.length >= 4")
    page.evaluate(f"() => {{ {FRONT}.activeCellIndex = 0; {FRONT}.mode = 'command'; {FRONT}.node.focus(); }}")
    page.locator(".jp-NotebookPanel:not(.lm-mod-hidden) .jp-Cell.jp-mod-active").focus()
    return opened


def shown(page, count):
    """Waits until so many figures live, and says which of them has the keys."""
    alive(page, count)
    # JupyterLab takes the keys once more, and the figure takes them back when the page is drawn: kept for a few frames
    kept = f"document.activeElement.matches('{HOST}') && window.jupyterapp.shell.currentWidget.context.sessionContext"
    kept += ".session.kernel.status === 'idle'"
    page.evaluate("() => { window.kept = 0 }")
    page.wait_for_function(f"() => {{ window.kept = {kept} ? window.kept + 1 : 0; return window.kept > 3 }}")
    return page.evaluate(f"() => [...document.querySelectorAll('{FIGURE}')].indexOf(document.activeElement)")


def shift_enter(page, active):
    """Runs a cell, and waits until that one is the active one, as the page shows it."""
    page.keyboard.press("Shift+Enter")
    page.wait_for_function(f"k => {FRONT}.widgets[k]?.node.matches('.jp-mod-active')", arg=active)


def test_a_figure_that_is_run_by_hand_takes_the_keys_and_shift_enter_goes_on(cells, page):
    shift_enter(page, 1)
    shift_enter(page, 2)
    assert shown(page, 1) == 0
    top = page.evaluate(f"() => document.querySelector('{FIGURE}').getBoundingClientRect().top")
    assert 0 <= top < 300
    page.keyboard.press("PageDown")
    assert page.locator(f"{FIGURE} .count").inner_text().startswith("2 /")
    page.keyboard.press("Shift+Enter")  # of the cell after it, which has no figure, and of the next
    page.wait_for_function(f"() => {FRONT}.widgets[2].model.executionCount > 0")
    page.keyboard.press("Shift+Enter")
    assert shown(page, 2) == 1
    page.keyboard.press("Control+Enter")  # its own once more
    page.wait_for_function(f"() => {FRONT}.widgets[3].model.executionCount === 5")


def test_run_all_moves_nothing_and_takes_no_keys(cells, page):
    page.evaluate("() => jupyterapp.commands.execute('notebook:run-all-cells')")
    alive(page, 2)
    drawn(page)  # when a figure would take them
    assert page.evaluate(f"() => document.activeElement.matches('{HOST}')") is False


def test_shift_enter_in_a_figure_that_no_key_ran_runs_its_cell_once_and_then_goes_on(cells, page):
    page.evaluate("() => jupyterapp.commands.execute('notebook:run-all-cells')")
    alive(page, 2)
    count = f"k => {FRONT}.widgets[k].model.executionCount"
    own, after = page.evaluate(count, 1), page.evaluate(count, 2)
    page.locator(FIGURE).first.locator(".stage").click()
    page.keyboard.press("Shift+Enter")
    page.wait_for_function(f"([k, was]) => ({count})(k) > was", arg=[1, own])
    assert shown(page, 2) == 0 and page.evaluate(count, 2) == after
    page.keyboard.press("Shift+Enter")
    page.wait_for_function(f"([k, was]) => ({count})(k) > was", arg=[2, after])


def test_who_answers_a_question_that_no_key_ran_goes_on_from_it(notebook, page):
    ask = "from rustyflow.lessons import one_line_of_memory as check\ncheck.which_slot"
    opened = notebook(book(ask, "print('next')"), run=False)
    page.wait_for_function(f"() => {FRONT}.widgets.length >= 2")
    page.evaluate("() => jupyterapp.commands.execute('notebook:run-all-cells')")
    page.wait_for_function(f"() => document.querySelector('{FIGURE}')?.model")
    count = f"k => {FRONT}.widgets[k].model.executionCount"
    page.wait_for_function(f"() => ({count})(1) > 0")
    own, after = page.evaluate(count, 0), page.evaluate(count, 1)
    page.locator(FIGURE).locator(".stage").click()
    for key in ("a", "Enter"):
        page.keyboard.press(key)
    page.wait_for_function(f"() => document.querySelector('{FIGURE}').asks.said.A")
    page.keyboard.press("Shift+Enter")
    page.wait_for_function(f"([k, was]) => ({count})(k) > was", arg=[1, after])
    assert page.evaluate(count, 0) == own and opened.errors() == []


def test_a_clicker_walks_from_figure_to_figure(cells, page):
    shift_enter(page, 1)
    shift_enter(page, 2)
    assert shown(page, 1) == 0
    page.keyboard.press("f")
    page.keyboard.press("End")
    page.keyboard.press("PageDown")
    page.wait_for_function(f"() => [...document.querySelectorAll('{FIGURE}')].at(-1).dialog?.open && "
                           f"document.querySelectorAll('{FIGURE}').length === 2")  # fmt: skip
    page.keyboard.press("PageUp")
    page.wait_for_function(f"() => document.querySelector('{FIGURE}').dialog.open")
    page.keyboard.press("Escape")
    assert page.locator("dialog[open]").count() == 0


def test_page_down_after_a_played_guess_leads_back_to_its_question(notebook, page):
    ask = "from rustyflow.lessons import one_line_of_memory as check\ncheck.which_slot"
    opened = notebook(book(ask, "import numpy as np\nfrom rustyflow import show\nshow.strides(np.arange(4))"))
    page.wait_for_function(f"() => document.querySelector('{FIGURE}')?.model")
    question = page.locator(FIGURE).first
    question.locator(".stage").focus()
    page.keyboard.press("f")
    page.keyboard.press("Shift+B")
    page.wait_for_function(f"() => document.querySelector('{FIGURE}').asks.said.B === 'played'")
    page.keyboard.press("End")
    page.keyboard.press("PageDown")
    page.wait_for_function(f"() => document.querySelector('{FIGURE}').asks.open")
    assert question.locator("dialog[open]").count() == 1
    page.keyboard.press("PageDown")
    page.wait_for_function(f"() => [...document.querySelectorAll('{FIGURE}')][1]?.dialog?.open")
    page.keyboard.press("Escape")
    assert opened.errors() == []
