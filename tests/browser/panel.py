"""What the figure tests share: a notebook to open, where its figure is, what it says and lights, a picture of it."""

import os
from pathlib import Path

HOST = "[data-lm-suppress-shortcuts]"
FIGURE = f".jp-NotebookPanel:not(.lm-mod-hidden) .jp-OutputArea-output {HOST}"


def book(*sources):
    cells = [
        {"cell_type": "code", "id": f"cell-{i}", "metadata": {}, "source": s, "outputs": [], "execution_count": None}
        for i, s in enumerate(sources)
    ]
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    return {"nbformat": 4, "nbformat_minor": 5, "metadata": {"kernelspec": kernel}, "cells": cells}


def live(opened, page, bound, shown):
    """The figures that a notebook shows, once so many of them are bound to their widgets."""
    assert opened.errors() == []
    found = f"[...document.querySelectorAll('{FIGURE}')].filter(f => f.model)"
    page.wait_for_function(f"() => {found}.length === {bound}")
    return [page.locator(FIGURE).nth(k) for k in range(shown)]


def shot(page, name):
    """A picture for a person to look at, when SHOTS names a folder."""
    if folder := os.environ.get("SHOTS"):
        page.wait_for_timeout(700)
        page.screenshot(path=Path(folder) / f"{name}.png")


def resize(page, width, height):
    """Give the window this size and wait until the page has been drawn in it: the browser answers before it has."""
    page.set_viewport_size({"width": width, "height": height})
    drawn = "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
    page.wait_for_function("([w, h]) => innerWidth === w && innerHeight === h", arg=[width, height])
    page.evaluate(drawn)


def sentence(figure):
    return figure.locator("p#says").inner_text()


def lit(figure):
    return set(figure.locator(".stage svg .lit[id]").evaluate_all("all => all.map(e => e.id)"))
