"""Each lesson from its first cell to its last in a real JupyterLab, without a mouse: run, answer, step, go on."""

import re

import pytest

from rustyflow.cli.course import source_of
from rustyflow.lessons import Question
from tests.browser.conftest import *  # noqa: F403
from tests.browser.panel import FIGURE, sentence
from tests.browser.test_lessons import LESSONS, copy_of
from tests.browser.test_widgets import until
from tests.lessons.catalogue import checks_of
from tests.lessons.test_notebooks import USED, module_of

pytest.importorskip("anywidget")

PANEL = ".jp-NotebookPanel:not(.lm-mod-hidden)"
NOTEBOOK = "jupyterapp.shell.currentWidget.content"
ACTIVE = f"() => {NOTEBOOK}.activeCellIndex"
RAN = f"""k => {{
    const cell = {NOTEBOOK}.widgets[k];
    return cell.model.type !== 'code' || cell.model.executionCount && cell.prompt !== '*' && cell.model.executionState !== 'running';
}}"""
FOCUSED = "() => document.activeElement?.localName"


def test_tab(notebook, page):
    opened = notebook(copy_of(LESSONS[1]), run=False)
    page.keyboard.press("Escape")
    where = "() => { const e = document.activeElement; return [e.localName, e.className.slice(0, 40), e.shadowRoot?.activeElement?.className ?? ''] }"
    page.wait_for_timeout(3000)
    for k in range(6):
        page.keyboard.press("Control+Enter")
        page.wait_for_timeout(2500)
        print("cell", k, page.evaluate(ACTIVE), page.evaluate(where), page.evaluate(f"() => document.querySelectorAll('{FIGURE}').length"))
        if page.evaluate(f"() => document.querySelectorAll('{FIGURE}').length"):
            break
        page.keyboard.press("ArrowDown")
    for k in range(5):
        page.keyboard.press("Tab")
        page.wait_for_timeout(300)
        print(k, page.evaluate(ACTIVE), page.evaluate(where))
