"""What the figure tests share: a notebook to open, where its figure is, what it says and lights, a picture of it."""

import os
import time
from contextlib import contextmanager
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


def until(ask, wanted, seconds=10):
    """Python and the picture follow each other a message later."""
    end = time.monotonic() + seconds
    while (got := ask()) != wanted and time.monotonic() < end:
        time.sleep(0.03)
    assert got == wanted


def live(opened, page, bound, shown):
    """The figures that a notebook shows, once so many of them are bound to their widgets and show what these have."""
    assert opened.errors() == []
    found = f"[...document.querySelectorAll('{FIGURE}')].filter(f => f.model && f.bytes)"
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
    page.wait_for_function("([w, h]) => innerWidth === w && innerHeight === h", arg=[width, height])
    drawn(page)


def drawn(page):
    """Wait until the page has been drawn as it is now: only then is it said how large its parts are."""
    page.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")


def at_rest(thing):
    """Where a thing is that is aimed at by hand: in sight, and moving no more."""
    thing.click(trial=True)
    return thing.bounding_box()


def accept(page):
    """Presses the button of JupyterLab's dialog, which gives the keys back as it goes."""
    page.locator(".jp-Dialog .jp-mod-accept").click()
    page.locator(".jp-Dialog").wait_for(state="detached")


XRAY = "globalThis[Symbol.for('rustyflow.xray')]"


@contextmanager
def listening(page):
    """What opens a notebook that loads the extension: it ends when its X-ray hears keys, and not one before it."""
    before = page.evaluate_handle(f"() => {XRAY}")
    yield
    page.wait_for_function(f"before => {XRAY} && {XRAY} !== before", arg=before)


def sentence(figure):
    return figure.locator("p#says").inner_text()


def lit(figure):
    return set(figure.locator(".stage svg .lit[id]").evaluate_all("all => all.map(e => e.id)"))
