"""Figures beside each other on a projector: both fill the screen, in sight together, large enough to be read."""

import pytest

import rustyflow as rf
from rustyflow import show, widgets
from tests.browser.panel import HOST, drawn, resize, sentence
from tests.browser.test_figure_sizes import SMALLEST

pytestmark = pytest.mark.browser

WRITTEN = "e => parseFloat(getComputedStyle(e).fontSize) * e.currentCSSZoom"


def test_figures_beside_each_other_fill_the_screen_together_and_are_read_from_the_last_row(plain, tmp_path):
    x = rf.tensor(3.0, requires_grad=True)
    s = x * x
    row = widgets.beside(show.graph(x * x + x * x, title="y"), show.graph(s + s, title="z"))
    page = f"<meta charset=utf-8><body style='transform:translate(0)'>{row._bundle()['text/html']}"  # as a panel is
    tab = plain(page)
    resize(tab, 1280, 720)
    hosts = tab.locator(HOST)
    hosts.nth(1).locator(".stage").wait_for()
    hosts.first.locator(".stage").focus()
    before = [hosts.nth(k).bounding_box() for k in (0, 1)]
    tab.keyboard.press("f")
    drawn(tab)  # each figure fits itself into its part as that is drawn
    for k in (0, 1):
        labels, numbers = hosts.nth(k).evaluate(SMALLEST)
        assert labels >= 15.6 and numbers >= 20
    assert all(hosts.nth(k).locator("#says").evaluate(WRITTEN) >= 20 for k in (0, 1))
    for k in (0, 1):  # both graphs are in sight, whole, and the strips under them
        for box in (*(hosts.nth(k).locator(f"#n{n}").bounding_box() for n in range(4 - k)),
                    hosts.nth(k).locator(".count").bounding_box()):  # fmt: skip
            assert 0 <= box["x"] and box["x"] + box["width"] <= 1280 and box["y"] + box["height"] <= 720
    tab.keyboard.press("PageDown")
    tab.keyboard.press("Tab")  # on to the other one
    tab.keyboard.press("PageDown")
    assert [hosts.nth(k).locator(".count").inner_text() for k in (0, 1)] == ["2 / 6", "2 / 5"]
    tab.keyboard.press("Enter")
    assert sentence(hosts.nth(1)).startswith("pinned")
    tab.keyboard.press("Escape")  # lets go
    assert min(hosts.nth(1).evaluate(SMALLEST)) >= 15.6
    tab.keyboard.press("Escape")
    drawn(tab)
    assert [hosts.nth(k).bounding_box()["width"] for k in (0, 1)] == [box["width"] for box in before]
    hosts.first.get_by_role("button", name="fill the screen (f)").click()
    drawn(tab)
    assert min(hosts.nth(1).evaluate(SMALLEST)) >= 15.6
    tab.keyboard.press("f")
    drawn(tab)
    assert min(hosts.nth(1).evaluate(SMALLEST)) < 15.6
