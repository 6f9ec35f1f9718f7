"""The page that `rustyflow export` makes, opened by a reader who has no network."""

import json

import numpy as np
import pytest

from rustyflow import cli, show
from rustyflow.lessons.kit.questions import stages
from rustyflow.lessons.one_line_of_memory import which_slot
from rustyflow.scene import Figure
from tests.browser.panel import resize

SCRIPT = '<p id="ran">asleep</p><script>document.getElementById("ran").textContent = "it ran"</script>'
FORMULA = "$x^2$, ![a dot](attachment:dot.svg) and\n\n```mermaid\ngraph LR\n```\n"
DOT = "<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'><circle r='9'/></svg>"


def test_an_exported_page_is_alive_asks_the_network_for_nothing_and_runs_no_script_of_the_notebooks(plain, tmp_path):
    output = {"output_type": "display_data", "data": {"text/html": SCRIPT}, "metadata": {}}
    cells = [
        {"cell_type": "markdown", "id": "a", "metadata": {}, "source": FORMULA,
         "attachments": {"dot.svg": {"image/svg+xml": DOT}}},
        {"cell_type": "code", "id": "b", "metadata": {}, "source": "1", "outputs": [output], "execution_count": 1},
    ]
    metadata = {"widgets": {"application/vnd.jupyter.widget-state+json": {"state": {}}}}
    book = {"nbformat": 4, "nbformat_minor": 5, "metadata": metadata, "cells": cells}
    (tmp_path / "lesson.ipynb").write_text(json.dumps(book), encoding="utf-8")
    assert cli.main(["export", str(tmp_path / "lesson.ipynb")]) == 0
    tab = plain(tmp_path / "lesson.html")
    tab.wait_for_load_state("networkidle")
    assert tab.locator("#ran").inner_text() == "asleep"
    assert tab.locator("math").bounding_box()["width"] > 5
    assert tab.evaluate("document.querySelector('img[alt=\"a dot\"]').naturalWidth") == 9


def test_two_figures_on_an_exported_page_share_one_player_and_both_live(plain, tmp_path):
    data = [{"text/html": show.strides(np.arange(n)).html()} for n in (3, 4)]
    outputs = [{"output_type": "display_data", "data": html, "metadata": {}} for html in data]
    cells = [{"cell_type": "code", "id": "a", "metadata": {}, "source": "1", "outputs": outputs, "execution_count": 1}]
    book = {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells}
    (tmp_path / "two.ipynb").write_text(json.dumps(book), encoding="utf-8")
    assert cli.main(["export", str(tmp_path / "two.ipynb")]) == 0
    assert (tmp_path / "two.html").read_text(encoding="utf-8").count("customElements.define") == 1
    tab = plain(tmp_path / "two.html")
    alive = "e => e.localName.startsWith('rustyflow-figure') && e.shadowRoot"
    assert tab.evaluate(f"[...document.querySelectorAll('*')].filter({alive}).length") == 2


WORDS = """# A page

Words, a [link](https://a.b), `code` and $x^2$.

| a | b |
|---|---|
| 1 | 2 |

<div id="own" style="background:#eef">on a ground of its own</div>

```python
def f(x): return "a text"  # a comment
```
"""
CONTRAST = """() => {
  const rgb = c => (c.match(/[\\d.]+/g) ?? []).map(Number);
  const light = c => c.slice(0, 3).map(v => (v /= 255) <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4)
    .reduce((sum, v, k) => sum + v * [.2126, .7152, .0722][k], 0);
  const ground = e => {
    if (!e) return [255, 255, 255];
    const [r, g, b, a = 1] = rgb(getComputedStyle(e).backgroundColor);
    return a === 1 ? [r, g, b] : ground(e.parentElement).map((v, k) => v * (1 - a) + [r, g, b][k] * a);
  };
  const found = {};
  const all = "body, h1, p, a:not(.anchor-link), code, td, th, math, #own, pre, pre span, summary";
  for (const e of document.querySelectorAll(all)) {
    if (!e.innerText?.trim() && e.localName !== "math" || !e.getBoundingClientRect().width) continue;
    const [a, b] = [light(rgb(getComputedStyle(e).color)), light(ground(e))].sort((a, b) => b - a);
    found[`${e.localName} ${e.className} ${e.textContent.slice(0, 20)}`] = (a + .05) / (b + .05);
  }
  return found;
}"""


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("scheme, dark", [("light", False), ("dark", True)])
def test_an_exported_page_is_dark_where_its_readers_browser_is(plain, tmp_path, scheme, dark, width):
    made = {"text/html": show.strides(np.arange(3)).html()}
    table = {"text/html": "<table><tr><th>a</th></tr><tr><td>1</td></tr></table>", "text/plain": "a"}
    outputs = [{"output_type": "stream", "name": "stdout", "text": "printed"},
               {"output_type": "stream", "name": "stderr", "text": "warned"},
               {"output_type": "error", "ename": "E", "evalue": "no", "traceback": ["\x1b[31mValueError\x1b[0m: no"]},
               *({"output_type": "display_data", "data": data, "metadata": {}} for data in (made, table))]
    cells = [{"cell_type": "markdown", "id": "a", "metadata": {}, "source": WORDS},
             {"cell_type": "code", "id": "b", "metadata": {}, "source": "x = f(1, 'a') + 2  # said", "outputs": outputs,
              "execution_count": 1}]
    book = {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells}
    (tmp_path / "page.ipynb").write_text(json.dumps(book), encoding="utf-8")
    assert cli.main(["export", str(tmp_path / "page.ipynb")]) == 0
    tab = plain(tmp_path / "page.html")
    tab.emulate_media(color_scheme=scheme)
    resize(tab, width, 900)  # and a figure is told of the scheme when the page is drawn, no sooner
    ground = tab.evaluate("getComputedStyle(document.body).backgroundColor")
    assert ground == ("rgb(17, 17, 17)" if dark else "rgb(255, 255, 255)")
    assert tab.locator("[theme]").get_attribute("theme") == scheme
    seen = tab.evaluate(CONTRAST)  # JupyterLab's own red on an error's ground has 2.74
    assert len(seen) > 20
    assert {name: ratio for name, ratio in seen.items() if ratio < (2.7 if "ansi" in name else 3)} == {}
    assert tab.evaluate("document.documentElement.scrollWidth <= innerWidth")
    tab.emulate_media(color_scheme="dark", media="print")  # paper is white
    assert tab.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"


def test_a_saved_figure_is_dark_where_its_readers_browser_is(plain, tmp_path):
    expect = pytest.importorskip("playwright.sync_api").expect
    tab = plain(show.strides(np.arange(3)).save(tmp_path / "x.html"))
    corners = set()
    expect(tab.get_by_role("main").get_by_role("heading", level=1)).to_have_text("np.arange(3)")
    for scheme, ground in (("light", "rgb(255, 255, 255)"), ("dark", "rgb(17, 20, 24)")):
        tab.emulate_media(color_scheme=scheme)
        expect(tab.locator("[theme]")).to_have_attribute("theme", scheme)
        expect(tab.locator(".figure").first).to_have_css("background-color", ground)
        corners.add(tab.screenshot(clip={"x": 0, "y": 0, "width": 4, "height": 4}))  # of the page, beside the figure
    assert len(corners) == 2


def test_a_formula_has_its_limits_under_it_and_its_columns_in_line(plain, tmp_path):
    source = (r"$$\arg\max_x f \quad \operatorname*{arg\,min}_y g$$" + "\n\n"
              + r"$$\begin{align} a &= b \\ \text{long} &= c \end{align}$$")
    book = {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [
        {"cell_type": "markdown", "id": "a", "metadata": {}, "source": source}]}
    (tmp_path / "page.ipynb").write_text(json.dumps(book), encoding="utf-8")
    assert cli.main(["export", str(tmp_path / "page.ipynb")]) == 0
    tab = plain(tmp_path / "page.html")
    for over, under in tab.evaluate("[...document.querySelectorAll('munder')].map(e => [...e.children].map(c => "
                                    "c.getBoundingClientRect().toJSON()))"):
        assert under["top"] >= over["bottom"] - 2 and over["left"] <= under["left"] <= under["right"] <= over["right"]
    assert tab.locator("munder").count() == 2
    first, second = tab.evaluate("[...document.querySelectorAll('mtd:first-child')].map(e => "
                                 "e.firstElementChild.getBoundingClientRect().right)")
    assert abs(first - second) < 1


def test_a_question_on_a_page_is_answered_without_python_and_opens_what_follows_its_answer(plain, tmp_path):
    question = Figure(stages.alone(which_slot)).html()
    cells = [
        {"cell_type": "code", "id": "a", "metadata": {}, "source": "check.which_slot", "execution_count": 1,
         "outputs": [{"output_type": "display_data", "data": {"text/html": question}, "metadata": {}}]},
        *({"cell_type": "code", "id": f"b{k}", "metadata": {}, "source": source, "outputs": [], "execution_count": 2}
          for k, source in enumerate(["check.which_slot.after()\nshow.strides(t)", "t = 1"])),
    ]  # fmt: skip
    (tmp_path / "asks.ipynb").write_text(json.dumps({"nbformat": 4, "metadata": {}, "cells": cells}), encoding="utf-8")
    assert cli.main(["export", str(tmp_path / "asks.ipynb")]) == 0
    tab = plain(tmp_path / "asks.html")
    figure, fold = tab.locator("[data-lm-suppress-shortcuts]"), tab.locator("details")
    right = which_slot.right()
    first, second = [letter for letter in which_slot.choices() if letter != right][:2]
    figure.locator(".stage").focus()
    seen = []
    for letter in (first, second):
        for key in (letter.lower(), "Enter"):
            tab.keyboard.press(key)
        tab.wait_for_function("([figure, letter]) => letter in figure.asks.said", arg=[figure.element_handle(), letter])
        seen.append((figure.locator("#says").inner_text()[:5], fold.evaluate("fold => fold.open")))
    assert seen == [(f"Not {first}", False), ("You t", True)] and fold.count() == 1
    assert figure.evaluate("figure => figure.asks.said") == {first: "your first guess", second: "your guess",
                                                            right: "right"}  # fmt: skip
    assert figure.evaluate("figure => figure.scene.frames.some(frame => frame.s.startsWith('The answer is'))")


def test_on_a_page_any_letter_is_played_at_any_time_and_tells_no_answer(plain, tmp_path):
    path = tmp_path / "asks.html"
    path.write_text(Figure(stages.alone(which_slot)).html(), encoding="utf-8")
    tab = plain(path)
    figure = tab.locator("[data-lm-suppress-shortcuts]")
    says = figure.locator("#says")
    told = "figure => figure.scene.frames.some(frame => frame.s.includes('The answer is'))"
    right = which_slot.right()
    wrong = next(letter for letter in which_slot.choices() if letter != right)

    def play(letter):
        tab.keyboard.press(f"Shift+{letter}")
        tab.wait_for_function("([figure, letter]) => figure.asks.said[letter] === 'played'",
                              arg=[figure.element_handle(), letter])  # fmt: skip

    figure.locator(".stage").focus()
    for letter in (wrong, right):
        play(letter)
        assert says.inner_text().startswith(f"{letter}, ") and "this is what follows" in says.inner_text()
        assert not figure.evaluate(told) and "Esc leads back" in figure.locator(".option.played").inner_text()
    tab.keyboard.press("Escape")
    assert figure.get_by_role("radio").count() == len(which_slot.choices())
    for key in (right.lower(), "Enter"):
        tab.keyboard.press(key)
    tab.wait_for_function("figure => !figure.asks.open", arg=figure.element_handle())
    tab.keyboard.press("PageDown")
    where = tab.locator("#says").inner_text()
    play(wrong)
    tab.keyboard.press(right.lower())
    assert figure.locator(".remark").inner_text().startswith("Esc leads back")
    tab.keyboard.press("Escape")
    assert says.inner_text() == where and figure.locator(".remark").inner_text() == ""
    play(right)  # it is played as any other, and black stands on no letter of a choice
    tab.keyboard.press("b")
    assert figure.locator(".blank").is_hidden()
    tab.keyboard.press("Escape")
    assert says.inner_text() == where
