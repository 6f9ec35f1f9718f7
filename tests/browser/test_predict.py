"""A question in front of its figure, in a real JupyterLab: by key, by pointing, wrong and right; votes of a class."""

import base64
import re
import zlib

import pytest

from tests.browser.panel import FIGURE, book, lit, live, resize, sentence, shot
from tests.browser.test_widgets import until

pytestmark = pytest.mark.browser
pytest.importorskip("anywidget")

CELLS = (
    "from dataclasses import replace\nfrom rustyflow.lessons import one_line_of_memory as check\n"
    "q, r, s = (replace(check.which_slot) for _ in range(3))\nq",
    "r",
    "text = replace(check.which_slot, locked=None, played=None, points=None)\ntext",
    "s",
)


@pytest.fixture(scope="module")
def figures(shared, page):
    return live(shared(book(*CELLS)), page, bound=4, shown=4)


def checked(figure):
    picked = figure.locator("[role=radio][aria-checked=true]")
    return picked.evaluate_all("all => all.map(e => e.dataset.letter).join()")


def test_a_guess_by_key_is_asked_once_more_then_a_hint_then_the_second_is_played_out(figures, page, py):
    figure = figures[0]
    figure.locator(".stage").focus()
    shot(page, "locked")
    for key in "v", "4 11 3 7", "v":  # what a class voted stands beside all that is told
        page.keyboard.type(key)
    page.keyboard.press("a")
    until(lambda: (checked(figure), sentence(figure)), ("A", "Take A, slot 5? Press Enter, or click it again."))
    page.keyboard.press("2")
    until(lambda: (checked(figure), lit(figure)), ("C", {"s2"}))
    shot(page, "picked")
    assert py("print(q.guesses)") == "()"
    page.keyboard.press("Enter")
    until(lambda: py("print(q.guesses)"), "('C',)")
    until(lambda: sentence(figure)[:22], "Not C: that follows fr")
    shot(page, "nudged")
    page.keyboard.press("c")
    page.keyboard.press("Enter")
    assert (checked(figure), sentence(figure)[:5], py("print(q.guesses)")) == ("", "Not C", "('C',)")
    page.keyboard.press("b")
    page.keyboard.press("Enter")
    until(lambda: sentence(figure), 'You took B. It follows from "columns are laid down first".')
    assert figure.evaluate("f => f.shadowRoot.activeElement.className") == "stage"
    assert figure.locator(".tally b").all_inner_texts() == ["4", "11", "3", "7"]
    shot(page, "supposed")
    page.keyboard.press("PageDown")
    until(lambda: (sentence(figure)[:22], lit(figure) >= {"a6-0", "s7-0"}), ("If this were so, t wou", True))
    for _ in range(3):
        page.keyboard.press("PageDown")
    until(lambda: (sentence(figure)[:25], lit(figure) >= {"a6", "s6"}), ("The answer is D, slot 6. ", True))
    shot(page, "told")
    assert float(py("print(float(q))")) == 0


def test_a_guess_by_pointing_and_by_clicks(figures, page, py):
    figure, text = figures[1], figures[2]
    figure.locator("#s3").click()
    until(lambda: checked(figure), "")
    figure.locator("#s6").dblclick()
    until(lambda: (checked(figure), sentence(figure)), ("D", "Take D, slot 6? Press Enter, or click it again."))
    assert py("print(r.guesses)") == "()"
    figure.locator("#s6").click()
    until(lambda: sentence(figure)[:15], "Right: D, slot ")
    until(lambda: py("print(r.guesses, float(r))"), "('D',) 1.0")
    option = text.get_by_role("radio", name="slot 5")
    option.click()
    until(lambda: checked(text), "A")
    option.press("ArrowRight")
    until(lambda: checked(text), "B")
    page.keyboard.press("Enter")
    until(lambda: sentence(text)[:5], "Not B")
    py("text('slot 6')")
    until(lambda: sentence(text)[:5], "Right")
    shot(page, "text")


def test_the_votes_of_a_class_are_hidden_until_they_are_shown(figures, page):
    figure = figures[3]
    figure.locator(".stage").focus()
    page.keyboard.press("f")
    resize(page, 1280, 720)
    try:
        sizes = figure.locator(".asks *").evaluate_all("all => all.map(e => parseFloat(getComputedStyle(e).fontSize))")
        assert min(sizes) >= 20
        shot(page, "projector")
        page.keyboard.press("v")
        for count in ("3", "12", "4", "11"):
            page.keyboard.type(count)
            page.keyboard.press("Enter")
        field = figure.get_by_label("votes for B")
        assert field.input_value() == "12"
        assert field.evaluate("e => getComputedStyle(e).webkitTextSecurity") == "disc"
        shot(page, "votes-typed")
        page.keyboard.press("v")
        until(lambda: figure.locator(".tally b").all_inner_texts(), ["3", "12", "4", "11"])
        shot(page, "votes-shown")
        assert figure.locator(".tally small").all_inner_texts() == ["10 %", "40 %", "13 %", "37 %"]
        assert sentence(figure).startswith("30 voted. v votes after a talk;")
        page.keyboard.press("v")  # a second vote begins with empty fields, and may be typed in one
        page.keyboard.type("1 4 0 20")
        assert [f.input_value() for f in figure.locator(".tally input").all()] == ["1 4 0 20", "", "", ""]
        assert not checked(figure)
        page.keyboard.press("v")
        until(lambda: figure.locator(".round:not(.before) b").all_inner_texts(), ["1", "4", "0", "20"])
        assert figure.locator(".before b").all_inner_texts() == ["3", "12", "4", "11"]
        assert figure.get_by_label("4 votes for B").is_visible()
        assert figure.locator(".round").nth(3).inner_text().split() == ["after", "4", "16", "%"]
        assert sentence(figure).startswith("30 voted before the talk; after it: 25.")
        page.keyboard.press("a")
        assert sentence(figure).startswith("Take A, ")
        page.keyboard.press("Escape")
        shot(page, "votes-before-after")
        page.keyboard.press("v")  # a third vote is one after the talk, too
        page.keyboard.type("5 6 7 8 9 9")  # more than there are choices, and then taken back
        page.keyboard.press("Control+A")
        page.keyboard.type("0, 3")
        page.keyboard.press("v")
        until(lambda: figure.locator(".round:not(.before) b").all_inner_texts(), ["0", "3", "0", "0"])
        assert figure.locator(".round:not(.before) small").all_inner_texts() == ["0 %", "100 %", "0 %", "0 %"]
        page.keyboard.press("v")
        page.keyboard.type("0, 0, 0, 24")
        page.keyboard.press("v")
        until(lambda: figure.locator(".round:not(.before) b").all_inner_texts(), ["0", "0", "0", "24"])
        page.keyboard.press("Escape")
        until(lambda: figure.locator(".tally *").count(), 0)
        page.keyboard.press("v")  # no votes at all: the counts are forgotten
        page.keyboard.press("v")
        until(lambda: figure.locator(".tally *").count(), 0)
        page.keyboard.press("b")
        until(lambda: checked(figure), "B")
        page.keyboard.press("Escape")
        page.keyboard.press("Escape")
    finally:
        resize(page, 1280, 1000)


def test_any_letter_is_played_and_the_question_is_there_again(figures, page, py):
    figure = figures[3]
    figure.locator(".stage").focus()
    for letter, begins in (("B", "B, slot 7: this is what"), ("D", "D, slot 6: this is what")):
        page.keyboard.press(f"Shift+{letter}")
        until(lambda begins=begins: sentence(figure)[:23], begins)
        page.keyboard.press("End")
        assert not figure.locator(".option.so, .option.wrong").count()
    assert py("print(s.guesses)") == "()"
    page.keyboard.press("Escape")
    until(lambda: figure.get_by_role("radio").count(), 4)
    for letter in "BD":  # faster than Python answers
        page.keyboard.press(f"Shift+{letter}")
    until(lambda: sentence(figure)[:9], "D, slot 6")
    page.keyboard.press("Escape")
    until(lambda: figure.get_by_role("radio").count(), 4)
    assert sentence(figure).startswith("A, B, C, D or a click")
    page.keyboard.press("d")
    page.keyboard.press("Enter")
    until(lambda: sentence(figure)[:15], "Right: D, slot ")
    page.keyboard.press("Shift+B")
    until(lambda: sentence(figure)[:9], "B, slot 7")
    right = figure.locator(".option.so b")
    assert not right.is_visible()
    page.keyboard.press("End")
    until(right.is_visible, True)
    shot(page, "played-after")
    page.keyboard.press("Escape")
    until(lambda: sentence(figure)[:15], "Right: D, slot ")


def test_the_wire_and_the_file_tell_nothing_and_without_python_it_stays_locked(notebook, page, plain, py):
    """All frames of the kernel's sockets, with what is packed in them, until the notebook is saved unanswered."""
    frames = []

    def listen(socket):
        socket.on("framereceived", lambda data: frames.append(data if isinstance(data, bytes) else data.encode()))

    page.on("websocket", listen)
    opened = notebook(book(*CELLS[:1]))
    page.wait_for_function(f"() => document.querySelector('{FIGURE}')?.model")
    page.locator(FIGURE).locator("#s7").click()
    until(lambda: checked(page.locator(FIGURE)), "B")
    html = "".join(opened.save()["cells"][0]["outputs"][0]["data"]["text/html"])
    page.remove_listener("websocket", listen)
    seen = b"".join([*frames, html.encode()])
    for packed in set(re.findall(rb"application/zlib.{0,4}>([\w+/=]+)<", seen)):
        seen += zlib.decompress(base64.b64decode(packed))
    assert seen.count(b"Which slot does t[1, 2] read?") >= 4
    assert not re.search(rb"A row fills|If this were so|The answer is|every row is a list", seen)
    tab = plain(html)
    figure = tab.locator("[data-lm-suppress-shortcuts]")
    figure.locator(".stage").focus()
    tab.keyboard.press("b")
    assert figure.locator(".remark").inner_text() == "Run the cell to answer."
    tab.keyboard.press("Enter")
    assert figure.get_by_role("radio").count() == 4 and checked(figure) == ""
    assert py("print(q.guesses)") == "()"
