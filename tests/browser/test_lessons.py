"""The lessons in JupyterLab, as a student meets them: a copy without outputs, cells run one after the other."""

import json
from pathlib import Path

import pytest

from rustyflow.cli.course import source_of, without_outputs

LESSONS = sorted((Path(__file__).parents[2] / "notebooks").glob("*.ipynb"))


def copy_of(path):
    return json.loads(without_outputs(path.read_text(encoding="utf-8")))


@pytest.mark.parametrize("path", LESSONS, ids=lambda path: path.stem)
def test_it_runs_and_its_figures_live(path, notebook, page):
    """The fixtures see to it that nothing was said on the console and nothing left the machine."""
    opened = notebook(copy_of(path))
    assert opened.errors() == []
    cells = [cell for cell in copy_of(path)["cells"] if cell["cell_type"] == "code"]
    figures = sum("show." in source_of(cell["source"]) for cell in cells)
    assert figures
    page.wait_for_function(
        """many => {
            const panel = document.querySelector('.jp-NotebookPanel:not(.lm-mod-hidden)');
            const found = [...panel.querySelectorAll('*')].filter(e => e.localName.startsWith('rustyflow-figure-'));
            return found.length === many && found.every(e => e.shadowRoot?.querySelector('svg'));
        }""",
        arg=figures,
        timeout=10_000,
    )


def test_a_student_guesses_wrong_then_right(notebook, page):
    opened = notebook(copy_of(LESSONS[1]), run=False)
    opened.panel.locator(".jp-Cell").first.click()
    question = opened.panel.locator(".jp-CodeCell", has=page.locator(".cm-content:has-text('check.which_slot')"))
    for _ in range(6):
        page.keyboard.press("Shift+Enter")
    question.get_by_text("Not answered yet.").wait_for()

    def answer(letter, rubbed_out):
        question.locator(".cm-content").click()
        page.keyboard.press("Control+Home")
        page.keyboard.press("End")
        for _ in range(rubbed_out):
            page.keyboard.press("Backspace")
        page.keyboard.insert_text(f'"{letter}"')
        page.keyboard.press("Control+Enter")

    answer("B", rubbed_out=len("..."))
    question.get_by_text("Not so.").wait_for()
    assert "A row is as long as there are columns" in question.locator(".jp-OutputArea").inner_text()
    answer("C", rubbed_out=len('"B"'))
    question.get_by_text("Right.").wait_for()
    assert opened.errors() == []
