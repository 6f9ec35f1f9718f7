"""The lessons in JupyterLab, as a student meets them: a copy without outputs, cells run one after the other."""

import json
import re
import shutil
from pathlib import Path

import pytest

from rustyflow import cli
from rustyflow.cli import course
from rustyflow.cli.course import source_of, without_outputs
from rustyflow.lessons.kit.answers import progress
from tests.browser.panel import FIGURE, book, live, sentence, shot
from tests.browser.test_widgets import until

LESSONS = sorted((Path(__file__).parents[2] / "notebooks").glob("*.ipynb"))
FEW = LESSONS[::5]
"""Those that are run all at once in every run; the long ring does each of them by keyboard."""
OWN = r"^(check|museum)\.((training|compare|record|watch)\(|ink\(line\.)"
"""The figures that a lesson makes of its own."""


def copy_of(path):
    return json.loads(without_outputs(path.read_text(encoding="utf-8")))


def unlocked(book):
    """A copy in which no cell waits for a guess."""
    cells = [cell for cell in book["cells"] if cell["cell_type"] == "code"]
    names = re.findall(r"^check\.(\w+)\.after\(\)", "\n".join(source_of(cell["source"]) for cell in cells), re.M)
    cells[0]["source"] = "\n".join([source_of(cells[0]["source"]), *(f"check.{name}.skip()" for name in names)])
    return book


def figures_of(source):
    """How many figures a cell shows: those side by side are several."""
    *before, last = source.splitlines()  # a run that is not live is seen where it is the cell's result, or later
    source = "\n".join([*(line for line in before if "live=False" not in line), last])
    if "widgets.beside" in source:
        return source.count("show.")
    return bool(re.search(rf"show\.(?!\w+\([^()]*\)\.where)|widgets\.|^%see |^check\.\w+$|{OWN}", source, re.M))


def all_live(path, page):
    """Wait until all figures of a lesson that has run are alive."""
    cells = [cell for cell in copy_of(path)["cells"] if cell["cell_type"] == "code"]
    figures = sum(figures_of(source_of(cell["source"])) for cell in cells)
    assert figures
    page.wait_for_function(
        """many => {
            const panel = document.querySelector('.jp-NotebookPanel:not(.lm-mod-hidden)');
            const found = [...panel.querySelectorAll('*')].filter(e => e.localName.startsWith('rustyflow-figure-'));
            return found.length === many && found.every(e => e.shadowRoot?.querySelector('svg'));
        }""",
        arg=figures,
    )


@pytest.mark.parametrize("path", FEW, ids=lambda path: path.stem)
def test_it_runs_and_its_figures_live(path, notebook, page):
    """The fixtures see to it that nothing was said on the console and nothing left the machine."""
    opened = notebook(unlocked(copy_of(path)))
    assert opened.errors() == []
    all_live(path, page)


def test_a_tab_that_was_only_opened_has_nothing_to_save(notebook, page):
    notebook(json.loads(course.as_delivered(LESSONS[1])), run=False)
    told = "jupyterapp.shell.currentWidget.context"
    page.wait_for_function(f"() => {told}.model.getMetadata('language_info').codemirror_mode")
    heard = """async kernel => {  // what it says of itself, which is written as soon as it is heard
        await Promise.all([kernel.info, kernel.spec]);
        await new Promise(done => setTimeout(done));
    }"""
    page.evaluate(f"() => ({heard})({told}.sessionContext.session.kernel)")
    assert not page.evaluate(f"() => {told}.model.dirty")


def test_run_all_waits_for_a_guess(notebook, page):
    opened = notebook(copy_of(LESSONS[1]))
    line = "First answer the question above ({0}). Cannot wait? check.{0}.skip()"
    assert [error["traceback"] for error in opened.errors()] == [[line.format("which_slot")]]
    figure = page.locator(FIGURE)
    page.wait_for_function(f"() => document.querySelector('{FIGURE}')?.model")
    figure.locator(".stage").focus()
    for key in ("c", "Enter", "d", "Enter"):  # faster than Python answers
        page.keyboard.press(key)
    until(lambda: sentence(figure)[:8], "Right: D")
    shot(page, "lesson")
    opened.run()
    assert [error["traceback"] for error in opened.errors()] == [[line.format("stride_of_the_transpose")]]


@pytest.fixture
def copy(lab):
    """The folder that JupyterLab shows, as a copy of the course."""
    place = lab.root / course.MANIFEST
    place.parent.mkdir()
    place.write_text("{}", encoding="utf-8")
    yield lab.root
    shutil.rmtree(place.parent)


def test_votes_by_key_click_and_pointing_are_remembered_and_locked_no_more_after_a_restart(
    copy, notebook, page, py, capsys
):
    ready = "import os\nos.environ.pop('CI', None)\nfrom rustyflow.lessons import one_line_of_memory as check"
    names = "which_slot", "stride_of_the_transpose", "which_are_contiguous"
    opened = notebook(book(ready, *(f"check.{name}" for name in names)))
    by_point, by_key, by_click = live(opened, page, bound=3, shown=3)
    by_point.locator("#s6").click()
    until(lambda: by_point.evaluate("figure => figure.pick"), "D")
    by_point.locator("#s6").click()
    by_key.locator(".stage").focus()
    for key in ("b", "Enter"):
        page.keyboard.press(key)
    option = by_click.get_by_role("radio").first
    option.click()
    until(lambda: by_click.evaluate("figure => figure.pick"), "A")
    option.click()
    mine = lambda: progress.read(copy).get("one_line_of_memory", {})  # noqa: E731
    until(lambda: [mine().get(name, {}).get("done") for name in names], [True] * 3)
    assert mine()["which_slot"]["score"] == 1
    assert cli.main(["progress", str(copy)]) == 0
    rows = [row.split()[:4] for row in capsys.readouterr().out.splitlines()]
    assert ["01-one-line-of-memory", "3", "of", "6"] in rows
    session = "jupyterapp.shell.currentWidget.context.sessionContext.session"
    page.evaluate(f"async () => {{ await {session}.kernel.restart() }}")
    assert "First answer" in py(f"{ready}\nos.environ['CI'] = 'true'\ncheck.which_slot.after()")
    assert py(f"{ready}\n" + "\n".join(f"check.{name}.after()" for name in names)) == ""
