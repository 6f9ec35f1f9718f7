"""The figure of a run in real JupyterLab: it comes in the cell that trains, and tells each step by keyboard.

Its kept steps open: those in the file anywhere, the others while Python is there.
"""

import pytest

from tests.browser.panel import FIGURE, HOST, book, sentence, shot
from tests.browser.test_widgets import until
from tests.show.test_training import kept_run

pytestmark = pytest.mark.browser

TRAIN = """import rustyflow as rf
from rustyflow import nn, show
rf.manual_seed(0)
x, y = rf.utils.data.sets.moons(64)
model = nn.Sequential(nn.Linear(2, 8), nn.ReLU(), nn.Linear(8, 8), nn.ReLU(), nn.Linear(8, 2))
optimizer = rf.optim.SGD(model.parameters(), lr=0.5)
run = show.training([(x[:4], y[:4])] * 12, model, every=1)
run.pin(5, 6, 7, 8)
for epoch in range(2):
    for xb, yb in run:
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(xb), yb).backward()
        optimizer.step()"""


def test_a_run_is_one_figure_of_all_its_epochs_that_keys_step_through(notebook, page, theme):
    opened = notebook(book(TRAIN))
    assert opened.errors() == []
    page.wait_for_function(f"() => [...document.querySelectorAll('{FIGURE}')].some(f => f.model)")
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
    figure.locator(".stage").focus()
    page.keyboard.press("Home")
    for _ in range(8):
        page.keyboard.press("PageDown")
    page.keyboard.press("o")  # the seventh that is kept: no file takes it along
    figure.locator(".title", has_text="graph of step 8").wait_for()
    assert "operations made loss" in sentence(figure)
    page.keyboard.press("Escape")
    assert sentence(figure).startswith("Step 8: ") and figure.locator(".title").inner_text().startswith("Sequential, ")
    page.keyboard.press("PageDown")
    page.keyboard.press("o")
    assert figure.locator(".remark").inner_text().startswith("This step is not kept: 0, 5, 6, 7, 8")
    theme("dark")
    shot(page, "training-dark")


def test_in_a_file_one_goes_from_a_step_to_a_weight_s_gradient_and_unfolds_it_and_comes_back(opened):
    run, _ = kept_run(pins=(2, 4, 5, 6, 7, 8))
    tab = opened(run.figure())
    tab.emulate_media(reduced_motion="reduce")
    host = tab.locator(HOST)
    tab.keyboard.press("End")
    tab.keyboard.press("g")
    host.locator(".title", has_text="backward of step 11").wait_for()
    for key in ("End", "ArrowRight", "Enter", "Enter"):
        tab.keyboard.press(key)
    pill = host.locator(".pill").first.inner_text()
    name, value = pill.split(" ≈ ") if "≈" in pill else pill.split(" = ")
    assert ".grad[" in name and run.at(11, "g").where(name).value == pytest.approx(float(value), rel=0.01, abs=1e-9)
    for _ in range(3):  # the levels, the pin, the figure
        tab.keyboard.press("Escape")
    assert sentence(host).startswith("Step 11: ")
    away = next(step for step in run.kept if not run.figure().opened.inner["o"].scenes[f"s{step}"])
    for _ in range(11 - away):
        tab.keyboard.press("PageUp")
    tab.keyboard.press("o")
    assert "needs Python" in host.locator(".remark").inner_text()


def test_in_a_file_a_strip_waits_for_a_guess(opened):
    run, _ = kept_run()
    run.predict = True
    tab = opened(run.figure())
    host = tab.locator(HOST)
    assert host.locator("#gradient0").count() == 0 and "waits for a guess" in sentence(host)
    tab.keyboard.press("a")
    tab.keyboard.press("Enter")
    host.locator("#gradient0").wait_for()
    assert host.locator(".option.own, .option.wrong").count() == 1 and sentence(host).startswith("Step 0: ")


def test_in_a_notebook_a_guess_is_known_to_python_and_the_strip_comes(notebook, page, py):
    opened = notebook(book(TRAIN.replace("every=1", "every=1, predict=True")))
    assert opened.errors() == []
    page.wait_for_function(f"() => [...document.querySelectorAll('{FIGURE}')].some(f => f.model)")
    figure = page.locator(FIGURE)
    figure.locator(".stage").focus()
    assert figure.locator("#gradient0").count() == 0 and py("print(run.guessed == '')") == "True"
    page.keyboard.press("b")
    page.keyboard.press("Enter")
    figure.locator("#gradient0").wait_for()
    until(lambda: py("print(run.guessed)"), "B")
    assert sentence(figure).startswith("Step 0: ") and figure.locator(".option.own, .option.wrong").count() == 1
    page.keyboard.press("PageDown")
    assert sentence(figure).startswith("Step 1: ")
