"""Figures, widgets and X-ray in Notebook 7: they live, the notebook keeps its keys, and a killed kernel is said."""

import json
import os
import signal
from contextlib import nullcontext

import pytest

from tests.browser.conftest import WINDOW
from tests.browser.panel import HOST, accept, book, listening, sentence, shot
from tests.browser.test_training_figure import TRAIN
from tests.browser.test_widgets import step, title, until
from tests.long.test_widgets_live import IMPORTS, PLAY, remark

pytest.importorskip("notebook")
pytest.importorskip("anywidget")

CELLS = (IMPORTS + "\nimport os", "show.strides(x, x.t())", PLAY, "print(os.getpid(), play.offset)")


SEEN = ("%load_ext rustyflow", "import rustyflow as torch\nx, w = torch.ones(3, 4), torch.ones(3)", "x.T @ w[:, None]",
        "x @ w")  # fmt: skip


@pytest.fixture
def tab(lab, browser, ears, request):
    """A notebook in Notebook 7, which JupyterLab's server serves too."""
    path, cells = lab.root / "seven.ipynb", request.param
    path.write_text(json.dumps(book(*cells)), encoding="utf-8")
    page = browser.new_page(viewport=WINDOW)
    ears.listen(page)
    page.goto(lab.url.replace("/lab?", f"/notebooks/{path.name}?").replace("&reset", ""))
    page.locator(".jp-Cell .cm-content").first.click()
    page.wait_for_load_state("networkidle")
    ears.console[:] = [said for said in ears.console if "reading 'schema'" not in said]  # its own settings
    assert ears.console == []
    with listening(page) if cells is SEEN else nullcontext():
        for _ in cells:
            page.keyboard.press("Shift+Enter")
    yield page, path
    page.close()


@pytest.mark.parametrize("tab", [CELLS], indirect=True, ids=["figures"])
def test_it_lives_keeps_the_notebooks_keys_and_says_that_python_stopped(tab, heard):
    page, path = tab
    figures, cells = page.locator(f".jp-OutputArea-output {HOST}"), page.locator(".jp-Notebook .jp-Cell")
    until(lambda: figures.count() == 2 and figures.nth(1).evaluate("host => !!host.model"), True, 60)
    figure, play = figures.nth(0), figures.nth(1)
    prompt = cells.nth(2).locator(".jp-InputPrompt")
    until(lambda: cells.nth(3).locator(".jp-OutputArea-output").inner_text()[-2:].strip(), "0", 30)
    process = int(cells.nth(3).locator(".jp-OutputArea-output").inner_text().split()[0])

    many = cells.count()
    figure.locator(".stage").focus()
    for key in ("PageDown", "d", "d", "x"):
        page.keyboard.press(key)
    assert (step(figure), cells.count()) == ("2", many)
    play.get_by_label("offset", exact=True).first.focus()
    page.keyboard.press("ArrowRight")
    until(lambda: title(play), "x.as_strided((2, 3), (3, 1), 1)")
    assert "rustyflow-figure" not in path.read_text(encoding="utf-8")
    page.keyboard.press("Control+s")
    until(lambda: "rustyflow-figure" in path.read_text(encoding="utf-8"), True)
    shot(page, "seven")
    before = prompt.inner_text()
    play.locator(".stage").focus()
    page.keyboard.press("Shift+Enter")
    until(lambda: prompt.inner_text() not in (before, "[*]:"), True)  # the cell ran, and made another
    until(lambda: play.evaluate("host => !!host.model") and title(play), "x.as_strided((2, 3), (3, 1), 0)")

    os.kill(process, signal.SIGKILL)
    until(lambda: remark(play)[:18], "Python has stopped", 20)
    accept(page)  # the notebook says so too
    play.locator(".stage").focus()
    page.keyboard.press("PageDown")
    assert step(play) == "2" and sentence(play) and play.locator(".stage svg").count() == 1
    shot(page, "seven-killed")
    heard.console.clear()


@pytest.mark.parametrize("tab", [SEEN], indirect=True, ids=["see"])
def test_xray_floats_a_figure_and_keeps_it_and_an_error_is_drawn(tab):
    page, _ = tab
    figures, cells = page.locator(f".jp-OutputArea-output {HOST}"), page.locator(".jp-Notebook .jp-Cell")
    until(lambda: figures.count(), 1, 60)
    assert sentence(figures.nth(0)).endswith("The last size of x meets the only of w in every product: 4 is not 3.")
    cells.nth(2).locator(".cm-content").click()
    page.keyboard.press("Home")
    page.keyboard.press("Alt+KeyX")
    xray = page.locator(".rustyflow-xray")
    xray.locator(".stage svg").wait_for()
    assert xray.locator("[aria-current]").inner_text() == "x"
    page.keyboard.press("Alt+KeyX")
    until(lambda: xray.locator("[aria-current]").inner_text(), "….T")
    shot(page, "seven-xray")
    page.keyboard.press("Enter")
    until(lambda: cells.nth(2).locator(f".jp-OutputArea-output {HOST} .stage svg").count(), 1)
    until(lambda: xray.count(), 0)


@pytest.mark.parametrize("tab", [[TRAIN]], indirect=True, ids=["training"])
def test_a_run_is_one_figure_and_a_step_that_no_file_takes_along_opens(tab):
    page, _ = tab
    figure = page.locator(f".jp-OutputArea-output {HOST}")
    until(lambda: figure.count() == 1 and figure.evaluate("host => !!host.model"), True, 60)
    figure.locator(".stage").focus()
    page.keyboard.press("End")
    assert sentence(figure).startswith("Step 23: ")
    page.keyboard.press("Home")
    for _ in range(8):
        page.keyboard.press("PageDown")
    page.keyboard.press("o")
    figure.locator(".title", has_text="graph of step 8").wait_for()
    page.keyboard.press("Escape")
    assert sentence(figure).startswith("Step 8: ")
    shot(page, "seven-training")
