"""The extension in real JupyterLab: %see, a picture in the place of a traceback, and X-ray by its keys."""

import pytest

from tests.browser.panel import FIGURE, book, listening, sentence, shot
from tests.browser.test_widgets import until

pytestmark = pytest.mark.browser

OUTPUT = ".jp-OutputArea-output [data-lm-suppress-shortcuts]"

LOAD = "%load_ext rustyflow\nimport rustyflow as torch\nx = torch.arange(12.).view(3, 4)\nw = torch.ones(4, 2)"
LINE = "z = ((x * 2 + 1).T[1:] @ x[:, :2]).mean(0).sum()"


@pytest.fixture
def seen(notebook, page):
    with listening(page):
        return notebook(book(LOAD, "%see x.t()[1:, :2]", LINE, "attn = (x + torch.ones(3)).softmax(-1)"))


@pytest.mark.parametrize("colours", ["light", "dark"])
def test_a_line_and_an_error_are_drawn(seen, page, theme, colours):
    theme(colours)
    figures = page.locator(FIGURE)
    figures.nth(1).locator(".stage").wait_for()
    assert sentence(figures.nth(0)).startswith("x.t() and y read one storage of 12 numbers")
    assert sentence(figures.nth(1)).startswith("x + torch.ones(3) raises RuntimeError")
    figures.nth(1).locator(".stage").focus()
    page.keyboard.press("PageDown")
    said = "x + torch.ones(3)[:, None] runs and gives shape (3, 4), with torch.ones(3)'s 3 on dim 0."
    assert sentence(figures.nth(1)) == said
    folded = page.locator("details", has_text="the traceback")
    assert "BroadcastError" in folded.locator("summary").inner_text() and not folded.locator("pre").is_visible()
    folded.locator("summary").click()
    assert "attn = " in folded.locator("pre").inner_text()
    assert seen.errors() == []
    shot(page, f"see-{colours}")


def xray(page):
    return page.locator(".rustyflow-xray")


def caret(seen, page, at):
    cell = seen.panel.locator(".jp-CodeCell").nth(2).locator(".cm-content")
    cell.click()
    page.keyboard.press("Home")
    for _ in range(at):
        page.keyboard.press("ArrowRight")


def test_xray_opens_outward_and_inward_and_gives_the_caret_back(seen, page):
    page.locator(FIGURE).nth(1).locator(".stage").wait_for()
    caret(seen, page, LINE.index("x * 2") + 2)
    shown = []
    for _ in range(5):
        page.keyboard.press("Alt+KeyX")
        xray(page).locator("[aria-current]").wait_for()
        page.wait_for_function("n => document.querySelector('.rustyflow-xray [aria-current]')?.textContent !== n",
                               arg=shown[-1] if shown else "")
        shown.append(xray(page).locator("[aria-current]").inner_text())
    assert shown[:3] == ["x * 2", "… + 1", "(…).T"]
    until(lambda: xray(page).locator(".stage svg").count(), 1)  # its figure is drawn after its line
    shot(page, "xray")
    page.keyboard.press("Alt+Shift+KeyX")
    page.wait_for_function("n => document.querySelector('.rustyflow-xray [aria-current]')?.textContent === n",
                           arg=shown[-2])
    page.keyboard.press("Escape")
    until(lambda: xray(page).count(), 0)
    page.keyboard.type("0")
    assert "x 0* 2" in seen.panel.locator(".jp-CodeCell").nth(2).locator(".cm-content").inner_text()


def test_enter_keeps_an_xray_as_an_output_of_its_cell_and_leaves_the_line_as_it_is(seen, page):
    page.locator(FIGURE).nth(1).locator(".stage").wait_for()
    cell = seen.panel.locator(".jp-CodeCell").nth(2)
    assert cell.locator(OUTPUT).count() == 0
    caret(seen, page, LINE.index("x * 2") + 2)
    page.keyboard.press("Alt+KeyX")
    xray(page).locator("[aria-current]").wait_for()
    assert "Enter keeps it" in xray(page).inner_text()
    page.keyboard.press("Enter")
    kept = cell.locator(OUTPUT)
    kept.locator(".stage svg").wait_for()
    until(lambda: (kept.count(), xray(page).count()), (1, 0))
    assert seen.errors() == []
    page.keyboard.press("Enter")  # without an X-ray it is a new line, as ever: the caret is where it was
    at = LINE.index("x * 2") + 2
    lines = [line.strip() for line in cell.locator(".cm-line").all_inner_texts()]  # the second one is indented
    assert lines == [LINE[:at].strip(), LINE[at:]]


SLOW = """import time
from rustyflow.see.xray import XRay
answer = XRay.answer
XRay.answer = lambda *asked: time.sleep(1.5) or answer(*asked)"""


def test_an_xray_that_is_waited_for_is_let_go_of_and_two_presses_are_two(notebook, page, py):
    with listening(page):
        opened = notebook(book(LOAD, "y = x * 2 + 1\r\nz = 3", "q = 1"))
    asked, other = (opened.panel.locator(".jp-CodeCell").nth(k).locator(".cm-content") for k in (1, 2))
    assert py(SLOW) == ""
    for stays in (False, True):
        asked.locator(".cm-line").first.click()
        page.keyboard.press("Home")
        for _ in range(len("y = x * ")):
            page.keyboard.press("ArrowRight")
        page.keyboard.press("Alt+KeyX")
        page.keyboard.press("Alt+KeyX")
        xray(page).get_by_text("If it is busy, this is drawn when it is done.").wait_for()
        if not stays:
            page.keyboard.press("Escape")
            other.click()
            page.wait_for_timeout(3500)  # both answers have come
            page.keyboard.press("End")
            page.keyboard.press("Enter")  # nobody else's
            page.keyboard.type("7")
            until(lambda: (other.inner_text(), xray(page).count()), ("q = 1\n7", 0))
    until(lambda: xray(page).locator("[aria-current]").all_inner_texts(), ["… + 1"])
    assert "Enter keeps it" in xray(page).inner_text()  # the file has other line ends than the editor
    page.keyboard.press("Escape")


def test_an_xray_of_a_kernel_that_was_started_anew_says_what_it_needs(seen, page):
    page.evaluate("() => jupyterapp.shell.currentWidget.context.sessionContext.session.kernel.restart()")
    seen.panel.locator(".jp-CodeCell").nth(2).locator(".cm-content").click()
    until(lambda: page.keyboard.press("Alt+KeyX") or "%load_ext" in "".join(xray(page).all_inner_texts()), True)
    page.keyboard.press("Escape")
