"""Parts of a picture that lead to lessons: by click and by key, in JupyterLab and in exported pages."""

import json

import pytest

from rustyflow.cli.export.page import offline_page
from rustyflow.lessons import your_own_engine as check
from tests.browser.conftest import Notebook
from tests.browser.panel import FIGURE, HOST, book
from tests.browser.test_widgets import until

pytestmark = pytest.mark.browser

MAKE = "from rustyflow.lessons import mine, your_own_engine as check\ncheck.training(check.CARS, mine.backward, many=2)"
FRONT = "jupyterapp.shell.currentWidget?.context?.path"


def figure():
    return check.training(check.CARS, check.backward.model, many=2)


def test_a_part_opens_its_lesson_in_jupyterlab(notebook, page, lab):
    for name in ("10-wait-for-everyone", "01-one-line-of-memory"):
        (lab.root / f"{name}.ipynb").write_text(json.dumps(book("1")), encoding="utf-8")
    notebook(book(MAKE))
    shown = page.locator(FIGURE)
    page.wait_for_function(f"() => document.querySelector('{FIGURE}')?.scene")
    mine = page.evaluate(f"() => {FRONT}")
    shown.locator("#l4").click()
    until(lambda: page.evaluate(f"() => {FRONT}"), "10-wait-for-everyone.ipynb")
    page.evaluate("path => { jupyterapp.commands.execute('docmanager:open', {path}) }", mine)
    until(lambda: page.evaluate(f"() => {FRONT}"), mine)
    shown.locator(".stage").focus()
    shown.evaluate("figure => figure.show({frame: 0})")
    while shown.evaluate("figure => figure.spot") != "l":
        before = shown.evaluate("figure => figure.spot")
        page.keyboard.press("ArrowRight")
        if shown.evaluate("figure => figure.spot") == before:
            page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    until(lambda: page.evaluate(f"() => {FRONT}"), "01-one-line-of-memory.ipynb")
    for name in ("10-wait-for-everyone", "01-one-line-of-memory"):
        Notebook(page, lab.root / f"{name}.ipynb").close()


def test_a_part_opens_its_lesson_s_page_where_that_lies_beside(plain, tmp_path):
    output = {"output_type": "display_data", "data": {"text/html": figure().html()}, "metadata": {}}
    cell = {"cell_type": "code", "id": "a", "metadata": {}, "source": "1", "outputs": [output], "execution_count": 1}
    own = {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [cell]}
    pages = ["10-wait-for-everyone.ipynb"]
    made = offline_page(json.dumps(own), "12", tmp_path, pages=pages)
    (tmp_path / "10-wait-for-everyone.html").write_text("<p>10</p>", encoding="utf-8")
    (tmp_path / "12-your-own-engine.html").write_text(made.html, encoding="utf-8")
    tab = plain(tmp_path / "12-your-own-engine.html")
    assert tab.evaluate(f"() => document.querySelector('{HOST}').querySelectorAll('a').length") == 1
    tab.locator(f"{HOST} #l4").click()
    tab.wait_for_url("**/10-wait-for-everyone.html")
