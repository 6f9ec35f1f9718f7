"""show.compare in a page without Python: stepped by key to the first event that differs, light and dark, and pinned."""

import pytest

from rustyflow import show
from rustyflow.lessons.museum.exhibits import EXHIBITS
from tests.browser.panel import HOST, sentence

TIES = next(exhibit for exhibit in EXHIBITS if exhibit.name == "ties")


@pytest.mark.parametrize("dark", [False, True])
def test_keys_lead_to_the_first_event_that_differs(plain, tmp_path, dark):
    y, names = TIES.program()
    figure = show.compare(y, TIES.engine, names=names, times=TIES.times)
    tab = plain(figure.save(tmp_path / "compare.html"), dark=dark)
    host = tab.locator(HOST)
    tab.locator(".stage").focus()
    heard = [sentence(host)]
    for _ in figure.frames[1:]:
        tab.keyboard.press("PageDown")
        heard.append(sentence(host))
    assert tuple(heard) == figure.sentences
    k = next(k for k, said in enumerate(heard) if "is the first that differs" in said)
    tab.keyboard.press("Home")
    for _ in range(k):
        tab.keyboard.press("PageDown")
    lit = host.evaluate("host => [...host.svg.querySelectorAll('.lit')].map(e => getComputedStyle(e.matches('g') ? "
                        "e.querySelector('rect') ?? e : e).stroke)")  # fmt: skip
    assert lit and len(set(lit)) == 1
    assert host.get_attribute("theme") == ("dark" if dark else "light")
    assert "0.5" in host.evaluate("host => host.stage.textContent")  # what a tied cell is owed
