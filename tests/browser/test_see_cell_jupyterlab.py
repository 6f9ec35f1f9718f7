"""`%%see` in real JupyterLab: steps through a cell by keys, a figure opened from a row, an error after its steps."""

import pytest

from tests.browser.panel import FIGURE, book, sentence, shot

pytestmark = pytest.mark.browser

LOAD = "%load_ext rustyflow\nimport rustyflow as torch"
CELL = """%%see
x = torch.arange(12.).view(3, 4)
w = x.t()[1:]
w[0, 0] = 100
for i in range(4):
    x[0] += 1
x.sum()"""
FAILS = "%%see\ny = x * 2\ny @ y"


@pytest.fixture
def seen(notebook):
    return notebook(book(LOAD, CELL, FAILS))




@pytest.mark.parametrize("colours", ["light", "dark"])
def test_a_cell_is_stepped_through_and_a_tensor_opened_by_keys(seen, page, theme, colours):
    theme(colours)
    figures = page.locator(FIGURE)
    figures.nth(2).locator(".stage").wait_for()
    figure = figures.nth(0)
    assert seen.panel.get_by_text("tensor(181.)").is_visible()
    figure.locator(".stage").focus()
    page.keyboard.press("Home")
    assert sentence(figure) == "Line 1 makes x: shape (3, 4), new memory for 12 numbers."
    page.keyboard.press("PageDown")
    page.keyboard.press("PageDown")
    assert sentence(figure) == "Line 3 writes slot 1 through w: x reads it too, and changes with it."
    assert figure.locator("text.strong", has_text="w[0, 0] = 100").count() == 1
    shot(page, f"see-cell-{colours}")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    assert sentence(figure).startswith("w: shape (3, 3), stride (1, 4), offset 1; it reads the memory of x")
    page.keyboard.press("Enter")
    assert figure.get_by_text("w after line 3").is_visible()
    assert not figure.get_by_text("its memory").is_visible()
    shot(page, f"see-cell-opened-{colours}")
    page.keyboard.press("ArrowRight")
    assert figure.get_by_text("w after line 3").is_visible() and " is slot " in sentence(figure)
    page.keyboard.press("Escape")
    assert figure.get_by_text("its memory").is_visible()
    assert not figure.get_by_text("w after line 3").is_visible()
    page.keyboard.press("PageDown")
    assert sentence(figure) == "Line 4 begins round 1 of 4: i = 0."
    steps = figure.locator(".count").inner_text()
    page.keyboard.press("d")
    assert steps.endswith("/ 9") and figure.locator(".count").inner_text().endswith("/ 13")
    assert seen.errors() == []


def test_the_steps_to_an_error_stand_before_its_picture(seen, page):
    figures = page.locator(FIGURE)
    figures.nth(2).locator(".stage").wait_for()
    assert sentence(figures.nth(1)) == "Line 1 makes y: shape (3, 4), new memory for 12 numbers."
    figures.nth(1).locator(".stage").focus()
    page.keyboard.press("PageDown")
    assert sentence(figures.nth(1)).startswith("Line 2 raises RuntimeError: matmul: mat1 and mat2 shapes cannot be")
    assert sentence(figures.nth(2)).startswith("y @ y raises RuntimeError")
    assert "stepping.py" not in page.locator("details", has_text="the traceback").locator("pre").text_content()
    shot(page, "see-cell-error")
