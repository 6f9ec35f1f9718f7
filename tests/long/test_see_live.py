"""The extension in real JupyterLab over real PyTorch: a line, an error, a cell in steps, and X-ray by its keys."""

import pytest

from tests.browser.panel import FIGURE, book, listening, sentence, shot
from tests.browser.test_widgets import until

pytest.importorskip("torch")
pytestmark = pytest.mark.browser

LOAD = """%load_ext rustyflow
import torch
from torch import nn
torch.manual_seed(0)
scores, pad, x = torch.zeros(2, 4, 6, 6), torch.ones(2, 6), torch.arange(12.).view(3, 4)
w = torch.ones(4, 2, requires_grad=True)
"""
LINE = "y = (x @ w).relu().sum()"
STEPS = "%%see\nv = x.t()[1:]\nv[0, 0] = 100\nv.sum()"


def test_pytorchs_own_tensors_are_drawn_by_line_by_error_by_cell_and_by_key(notebook, page):
    with listening(page):
        seen = notebook(book(LOAD, "%see x.t()[1:, :2]", STEPS, LINE, "attn = (scores + pad).softmax(-1)"))
    figures = page.locator(FIGURE)
    figures.nth(2).locator(".stage").wait_for()
    assert sentence(figures.nth(0)).startswith("x.t() and y read one storage of 12 numbers")
    assert sentence(figures.nth(2)).startswith("scores + pad raises RuntimeError: Aligned from the right, the 2 of pad")
    figures.nth(2).locator(".stage").focus()
    page.keyboard.press("PageDown")
    assert sentence(figures.nth(2)) == "scores + pad[:, None, None, :] runs and gives shape (2, 4, 6, 6), " \
                                       "with pad's 2 on dim 0 and 6 on dim 3."
    figures.nth(1).locator(".stage").focus()
    page.keyboard.press("Home")
    page.keyboard.press("PageDown")
    assert sentence(figures.nth(1)) == "Line 2 writes slot 1 through v: x reads it too, and changes with it."
    seen.panel.locator(".jp-CodeCell").nth(3).locator(".cm-content").click()
    page.keyboard.press("Home")
    for _ in LINE.partition("x")[0]:
        page.keyboard.press("ArrowRight")
    xray = page.locator(".rustyflow-xray")
    for text in "x", "… @ w", "(…).relu()", "….sum()":
        page.keyboard.press("Alt+KeyX")
        page.wait_for_function("text => document.querySelector('.rustyflow-xray [aria-current]')?.textContent === text",
                               arg=text)
        xray.locator(".stage svg").first.wait_for()
    shot(page, "see-live")
    page.keyboard.press("Escape")
    until(lambda: xray.count(), 0)
    assert seen.errors() == []
