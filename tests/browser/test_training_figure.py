"""The figure of a run in real JupyterLab: it comes in the cell that trains, and tells each step by keyboard."""

import pytest

from tests.browser.panel import FIGURE, book, sentence, shot

pytestmark = pytest.mark.browser

TRAIN = """import rustyflow as rf
from rustyflow import nn, show
rf.manual_seed(0)
x, y = rf.utils.data.sets.moons(64)
model = nn.Sequential(nn.Linear(2, 8), nn.ReLU(), nn.Linear(8, 8), nn.ReLU(), nn.Linear(8, 2))
optimizer = rf.optim.SGD(model.parameters(), lr=0.5)
run = show.training([(x, y)] * 12, model, every=1)
for epoch in range(2):
    for xb, yb in run:
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(xb), yb).backward()
        optimizer.step()"""


def test_a_run_is_one_figure_of_all_its_epochs_that_keys_step_through(notebook, page, theme):
    opened = notebook(book(TRAIN))
    assert opened.errors() == []
    figure = page.locator(FIGURE)
    figure.locator(".stage").wait_for()
    assert figure.count() == 1
    figure.locator(".stage").focus()
    assert sentence(figure).startswith("Step 0: the loss is") and "gradient of norm" in sentence(figure)
    page.keyboard.press("PageDown")
    page.keyboard.press("u")
    assert sentence(figure).startswith("Step 1: ") and "of its size" in sentence(figure)
    assert figure.locator("#update0").is_visible() and not figure.locator("#gradient0").is_visible()
    page.keyboard.press("u")
    page.keyboard.press("End")
    assert sentence(figure).startswith("Step 23: ")
    place = "figure => parseFloat(figure.shadowRoot.querySelector('#cursor').getAttribute('transform').slice(10))"
    last = figure.evaluate(place)
    figure.locator("#s3").hover()
    assert sentence(figure).startswith("Step 3: ") and figure.evaluate(place) < last
    theme("dark")
    shot(page, "training-dark")
