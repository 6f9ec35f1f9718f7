"""Figures in pages from right to left, and names in Hebrew and Arabic: everything stands where it stands elsewhere."""

import json
import re

import pytest

import rustyflow as rf
from rustyflow import cli, show
from rustyflow.scene import Asks, Figure, Frame, Scene, draw
from tests.browser.panel import HOST, drawn, shot
from tests.browser.test_figure_places import X, figures, page_of

pytestmark = pytest.mark.browser


NAMES = "\u05e9\u05dc\u05d5\u05dd", "\u0645\u0635\u0641\u0648\u0641\u0629_2"
PAGE = '<!doctype html><html dir="{}"><meta charset="utf-8"><body style="text-align:{}">{}'
WAYS = ("ltr", "left"), ("rtl", "right")


def named():
    """Figures whose tensors have such names."""
    a, b = rf.ones(2, 1, requires_grad=True), rf.ones(3, requires_grad=True)
    said, choices = (Frame(f"{NAMES[1]}[0, 1] is 7."),), {"A": f"{NAMES[0]} (3, 2)", "B": "(2, 3)"}
    asks = Asks(f"{NAMES[0]} has shape (2, 3). Which is {NAMES[0]}.T?", choices)
    return {
        "strides": show.strides(X, X.t(), names=NAMES, title=f"{NAMES[0]} (2, 3) {NAMES[1]}"),
        "broadcast": show.broadcast(a, b, op="*", names=NAMES),
        "reduce": show.reduce(X, "sum", 1, name=NAMES[0]),
        "matmul": show.matmul(rf.ones(2, 3), rf.ones(3, 2), names=NAMES),
        "backward": show.backward((a * b).sum(), title=f"{NAMES[0]}(2, 3)"),
        "question": Figure(Scene("x", 300, 60, (draw.cell("a", 10, 10, 1),), said, asks=asks)),
    }


ALL = """host => {
  const all = "text,tspan,.says>p,.option,.option *,.asks p,button,input,select,label,label *,.count";
  const boxes = [...host.shadowRoot.querySelectorAll(all)].map(part => part.getBoundingClientRect());
  return boxes.filter(box => box.width).map(box => [box.x, box.y, box.width, box.height]);
}"""


@pytest.mark.parametrize("name", ["strides", "broadcast", "reduce", "matmul", "backward", "question"])
def test_a_page_from_right_to_left_has_a_figure_as_every_page_has_it(plain, name):
    html = (named() | dict(zip(("strides", "broadcast", "reduce"), figures())))[name].html()  # these with names of ours
    tabs = [plain(PAGE.format(*way, html)) for way in WAYS]
    for tab in tabs:
        tab.emulate_media(reduced_motion="reduce")  # no cell flies
    for keys in ([], ["PageDown"], ["f"], ["?"]):
        for tab in tabs:
            tab.locator(".stage").focus()
            for key in keys:
                tab.keyboard.press(key)
            drawn(tab)
        ltr, rtl = (tab.locator(HOST).evaluate(ALL) for tab in tabs)
        assert ltr == rtl and len(ltr) > 10, keys


def test_and_a_widget_with_its_inputs_and_figures_beside_each_other(plain):
    pytest.importorskip("anywidget")
    from rustyflow.widgets import Expression, StridesPlayground, beside

    a = rf.arange(3) * 1.0
    for html in (page_of(StridesPlayground(X)), page_of(Expression(f"({NAMES[0]} * 2).sum()", **{NAMES[0]: a})),
                 beside(*figures()[:2])._bundle()["text/html"]):  # fmt: skip
        found = []
        for way in WAYS:
            page = plain(PAGE.format(*way, html))
            page.wait_for_function(f"() => [...document.querySelectorAll('{HOST}')].some(f => f.scene)")
            drawn(page)
            found.append([host.evaluate(ALL) for host in page.locator(HOST).all()])
            shot(page, f"widget-{way[0]}")
        assert found[0] == found[1] and len(found[0][0]) > 10


GLYPHS = """root => {
  const lines = [...root.querySelectorAll("text,.title,.says>p:not([aria-hidden]),.option>span,.asks p")], found = [];
  for (const line of lines) {
    const walk = document.createTreeWalker(line, NodeFilter.SHOW_TEXT), glyphs = [], range = document.createRange();
    const shown = node => node.parentNode.closest(".heard") ? [] : [...node.data];
    for (let node; node = walk.nextNode();) shown(node).forEach((glyph, k) => {
      range.setStart(node, k);
      range.setEnd(node, k + 1);
      const box = range.getClientRects()[0];
      if (box?.width) glyphs.push([glyph, Math.round(box.y / 8), box.x + box.width / 2]);
    });
    const order = [...glyphs].sort((a, b) => a[1] - b[1] || a[2] - b[2]);
    found.push([glyphs.map(g => g[0]).join(""), order.map(g => g[0]).join("")]);
  }
  return found;
}"""
NAME = re.compile("[\u0590-\u08ff]+(?:_2)?")


def told(seen):
    """What is read of glyphs from left to right, a name from right to left; a number in it is one."""
    return NAME.sub(lambda name: "".join(re.findall(r"\d|.", name[0]))[::-1], seen)


def glyphs(root):
    """What lines with such names say, and what is seen from left to right."""
    bare = str.maketrans("", "", "\u2068\u2069")
    return [(said.translate(bare), order.translate(bare)) for said, order in root.evaluate(GLYPHS) if NAME.search(said)]


def wrong(found):
    return [(said, order) for said, order in found if told(said) != order]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", ["strides", "broadcast", "reduce", "matmul", "backward", "question"])
def test_names_from_right_to_left_reorder_nothing_beside_them(plain, name, way):
    tab, found = plain(PAGE.format(*way, named()[name].html())), []
    for _ in range(4):
        found += glyphs(tab.locator(HOST).evaluate_handle("host => host.shadowRoot"))
        tab.locator(".stage").focus()
        tab.keyboard.press("PageDown")
    if name in ("strides", "backward"):
        tab.locator("[data-link]").first.hover()
        found += glyphs(tab.locator(HOST).evaluate_handle("host => host.shadowRoot"))
    shot(tab, f"{name}-{way[0]}")
    assert wrong(found) == [] and any(re.search(r"[(\[]\d", said) for said, _ in found)


def test_so_do_a_saved_picture_the_still_question_and_an_exported_page(plain, tmp_path):
    made = named()
    boxes = "svg => [...svg.querySelectorAll('text')].map(text => JSON.stringify(text.getBoundingClientRect()))"
    for name in ("strides", "broadcast", "matmul"):
        path = made[name].save(tmp_path / f"{name}.svg")
        page = plain("")
        inside, svg = [], path.read_text(encoding="utf-8")
        for way, _ in WAYS:  # in a page, as its own text
            page.set_content(f'<html dir="{way}"><div style="position:absolute;left:0;top:0">{svg}</div>')
            inside.append(page.locator("svg").evaluate(boxes))
        assert inside[0] == inside[1] and len(inside[0]) > 10
        page.goto(path.as_uri())
        found = glyphs(page.locator("svg"))
        assert found and wrong(found) == []
    outputs = [{"output_type": "display_data", "data": figure.bundle(), "metadata": {}} for figure in made.values()]
    cells = [{"cell_type": "code", "id": "a", "metadata": {}, "source": "1", "outputs": outputs, "execution_count": 1}]
    book = {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells}
    (tmp_path / "names.ipynb").write_text(json.dumps(book), encoding="utf-8")
    assert cli.main(["export", str(tmp_path / "names.ipynb")]) == 0
    text, boxes = (tmp_path / "names.html").read_text(encoding="utf-8"), []
    for way, _ in WAYS:
        tab = plain(text.replace("<html ", f'<html dir="{way}" ', 1))
        assert tab.evaluate("document.documentElement.dir") == way
        drawn(tab)
        hosts = tab.locator(HOST).all()
        assert len(hosts) == len(made)
        found = [pair for host in hosts for pair in glyphs(host.evaluate_handle("host => host.shadowRoot"))]
        assert len(found) > 10 and wrong(found) == []
        places = [(host.bounding_box()["x"], host.evaluate(ALL)) for host in hosts]
        boxes.append([[[round(n) for n in (x - left, *rest)] for x, *rest in there] for left, there in places])
    assert boxes[0] == boxes[1]


def test_what_is_compared_and_copied_has_no_marks():
    for figure in named().values():
        assert not re.search("[\u2066-\u2069]", figure.text() + "".join(figure.sentences) + figure.html())
        assert "\u2068" in figure.svg() or figure.scene.asks
    assert "<bdi>" in named()["question"].picture()
