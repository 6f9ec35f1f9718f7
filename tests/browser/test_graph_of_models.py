"""The graph of a transformer in the page: boxes opened and left by keys, and found by what is said of them."""

import re

import pytest

from rustyflow import show
from tests.browser.panel import HOST
from tests.show.models import GPT, loss_of

pytestmark = pytest.mark.browser

SHOWN = """host => [...host.svg.querySelectorAll('g[id^=L]')].filter(e => host.seen(e))
    .map(e => +e.id.slice(1)).sort((a, b) => a - b)"""
TALL = "host => host.stage.getBoundingClientRect().height"


@pytest.fixture
def tab(opened):
    net, loss = loss_of(GPT)
    tab = opened(show.backward(loss, title=f"{type(net).__name__}, backward"))
    tab.emulate_media(reduced_motion="reduce")
    return tab


def said(tab):
    return tab.locator("#says").inner_text()


def test_a_box_is_opened_and_left_by_keys_and_the_figure_is_as_high_as_what_is_open(tab):
    host = tab.locator(HOST)
    assert host.evaluate(SHOWN) == [0]
    low = host.evaluate(TALL)
    for _ in range(5):
        tab.keyboard.press("ArrowRight")
    tab.keyboard.press("Enter")
    block = re.match(r"pinned (blocks\.\d): 67 nodes", said(tab))
    assert block and len(host.evaluate(SHOWN)) == 2 and host.evaluate(TALL) > low + 100
    tab.keyboard.press("ArrowDown")  # into it, to the box of the same place in its row: a module, which opens
    assert f"{block[1]}.mlp: 15 nodes" in said(tab) and len(host.evaluate(SHOWN)) == 3
    tab.keyboard.press("Escape")
    assert host.evaluate(SHOWN) == [0] and host.evaluate(TALL) == low


def test_search_pins_what_says_a_text_and_opens_all_around_it(tab):
    host = tab.locator(HOST)
    tab.keyboard.press("/")
    field = tab.get_by_role("searchbox", name="search")
    field.fill("mlp.0.weight is a parameter")
    for k in range(4):
        field.press("Enter")
        assert said(tab).startswith("pinned ") and f"blocks.{k}.mlp.0.weight" in said(tab)
        assert len(host.evaluate(SHOWN)) >= 3 and tab.locator(".found").inner_text() == f"{k + 1} / 4"
    field.press("Enter")
    assert "blocks.0.mlp.0.weight" in said(tab)  # and round again
    field.fill("nothing says this")
    field.press("Enter")
    assert tab.locator(".found").inner_text() == "none"
    field.press("Escape")
    assert tab.locator(".search").count() == 0
    tab.keyboard.press("Escape")
    assert host.evaluate(SHOWN) == [0]
