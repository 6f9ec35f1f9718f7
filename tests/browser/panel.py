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
    """The figures that a notebook shows, once all are there and so many of them follow their widgets."""
    assert opened.errors() == []
    found = alive(page, shown)
    follow = f"n => [...document.querySelectorAll('{FIGURE}')].filter(f => f.model && f.bytes).length === n"
    page.wait_for_function(follow, arg=bound)
    return [found.nth(k) for k in range(shown)]


def alive(page, many):
    """The figures of the notebook in front, once there are so many: a scene is inflated while the page goes on."""
    live = f"n => (all => all.length === n && all.every(f => f.scene))([...document.querySelectorAll('{FIGURE}')])"
    page.wait_for_function(live, arg=many)
    return page.locator(FIGURE)


def settled(figure):
    """Wait until Python has answered all that a widget's figure told it, and the figure shows it.

    What is told while an answer is due leaves the page when that has come, so Python is asked twice.
    """
    answered = """f => {
        const hub = globalThis[Symbol.for(f.localName)], {model} = f.dataset;
        return !hub.asked.has(model) && !hub.due.get(model) && !f.typed.length;
    }"""
    for _ in range(2):
        figure.evaluate("f => f.ask()")
        figure.page.wait_for_function(answered, arg=figure.element_handle())
    figure.evaluate("f => f.hearing")


def quiet(figure):
    """Wait until nothing in a figure moves or fades."""
    figure.page.wait_for_function("f => !f.shadowRoot.getAnimations().length", arg=figure.element_handle())


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
