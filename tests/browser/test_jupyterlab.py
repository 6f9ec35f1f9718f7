"""The ground the other browser tests stand on: JupyterLab runs a notebook, in silence, and stays on the machine."""

import pytest

from tests.browser.panel import until

pytestmark = pytest.mark.browser


def book(*sources):
    empty = {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None}
    cells = [empty | {"id": f"cell-{i}", "source": source} for i, source in enumerate(sources)]
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    return {"nbformat": 4, "nbformat_minor": 5, "metadata": {"kernelspec": kernel}, "cells": cells}


def test_a_notebook_runs_and_its_outputs_can_be_read(notebook, py):
    opened = notebook(book("x = 6 * 7", "x"))
    assert opened.outputs()[1][0]["data"]["text/plain"] == "42"
    assert opened.errors() == []
    assert py("print(x + 1)") == "43"
    assert opened.save()["cells"][1]["outputs"][0]["data"]["text/plain"] == ["42"]


def test_an_error_in_a_cell_is_seen(notebook, py):
    opened = notebook(book("1 / 0"))
    assert [error["ename"] for error in opened.errors()] == ["ZeroDivisionError"]
    assert py("undefined") == "name 'undefined' is not defined"


def test_a_notebook_opens_without_a_kernel(notebook, page):
    notebook(book("1 + 1"), kernel=False)
    assert page.evaluate("() => jupyterapp.shell.currentWidget.context.sessionContext.session") is None


def test_the_theme_changes(theme, page):
    background = "() => getComputedStyle(document.body).getPropertyValue('--jp-layout-color1').trim()"
    light = page.evaluate(background)
    theme("dark")
    assert page.evaluate(background) != light


def test_no_news_is_asked_for(page):
    assert page.locator(".Toastify__toast").count() == 0


def test_console_errors_are_heard(plain, heard):
    tab = plain("<script>console.error('over here'); setTimeout(() => { throw new Error('and here') })</script>")

    def said():  # what a page says is heard while something is asked of it
        tab.evaluate("0")
        return [text.splitlines()[0] for text in heard.console]

    until(said, ["over here", "and here"])
    heard.clear()


def test_requests_that_leave_the_machine_are_heard(plain, heard):
    plain("<img src='https://example.invalid/picture.png'>").wait_for_load_state("load")
    assert heard.away == ["https://example.invalid/picture.png"]
    heard.clear()
