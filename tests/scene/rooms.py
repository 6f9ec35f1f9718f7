"""Where the texts of a scene end, by measured width: those that run past their cell, their panel or the drawing."""

import re
from itertools import islice

from rustyflow.scene import draw
from rustyflow.scene.measure import width

BY = 1.5
"""So many pixels are no overrun: the width table rounds."""

LINKED = 60
"""The most links of a family that are looked at."""


def states(scene):
    """Each frame on each side, and links."""
    sides = [(), *((toggle,) for toggle in scene.toggles)]
    for toggles in sides:
        for frame in range(len(scene.frames)):
            yield {"frame": frame, "toggles": toggles}
        for family in scene.links:
            for link in islice(family.links, LINKED):
                yield {"link": link, "toggles": toggles}


def overruns(figure):
    """The texts that run past what holds them, each once, with by how much."""
    found = {}
    for which in states(figure.scene):
        state = figure.scene.state(**which)
        side = set(state.toggles)
        for top in figure.scene.shapes:
            for words, past in _walk(top, state, side, 0.0, [(0.0, figure.scene.width)]):
                found[words] = max(past, found.get(words, 0))
    return {words: round(past, 1) for words, past in found.items() if past > BY}


def _walk(shape, state, side, x, holds, inside=()):
    classes = state.classes.get(shape.id, shape.cls)
    if "off" in classes or "unless-g" in classes and "g" in side or "when-g" in classes and "g" not in side:
        return
    attrs = dict(shape.attrs)
    moved = state.sets.get((shape.id, "transform"), attrs.get("transform", ""))
    x += float((re.search(r"translate\(([-\d.]+)", moved) or "00")[1])
    if shape.tag == "text":
        yield from _measured(shape, state, classes, x, attrs, holds, inside)
        return
    if shape.tag == "svg" or shape.id == "world":  # what leaves a window is seen when the window is there
        holds = [(float("-inf"), float("inf"))]
    if shape.tag == "g" and shape.children and shape.children[0].tag == "rect":
        box = dict(shape.children[0].attrs)
        left = x + float(box.get("x", 0))
        holds = [*holds, (left, left + float(box["width"]))]
    if {"cell", "badge"} & set(classes):
        inside = classes
    for child in shape.children:
        yield from _walk(child, state, side, x, holds, inside)


def _measured(shape, state, classes, x, attrs, holds, inside):
    mono = bool({"mono", "title"} & {*classes}) or "cell" in inside
    bold = bool({"strong", "title"} & {*classes})
    size = draw.LABEL if "small" in classes else float(attrs.get("font-size", 15))  # as drawing.css has it
    if rows := [part for part in shape.children if dict(part.attrs).get("x") is not None]:  # one below the other
        for part in rows:
            yield from _measured(part, state, classes, x, {**attrs, **dict(part.attrs)}, holds, inside)
        return
    words = "".join(state.sets.get((part.id, "text"), part.text) for part in shape.children or (shape,))
    if not words.strip():
        return
    wide = float(attrs.get("textLength", width(words, size, mono, bold)))
    left = x + float(state.sets.get((shape.id, "x"), attrs.get("x", 0)))
    middle = "cell" in inside or "badge" in inside and "mono" in classes
    left -= {"middle": wide / 2, "end": wide}.get("middle" if middle else attrs.get("text-anchor", ""), 0)
    free = "address" in classes or "words" in classes  # they stand under their cell, and beside it
    for low, high in holds[:1] if free else (holds[0], holds[-1]):
        yield words, max(low - left, left + wide - high)
