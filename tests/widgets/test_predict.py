"""A question as a widget: what it hands to a page and to a notebook before a guess, and after it."""

import base64
import json
import re
import zlib
from dataclasses import replace

import numpy as np
import pytest

from rustyflow import ones, show as rf_show
from rustyflow.lessons import Misconception, one_line_of_memory
from rustyflow.lessons.kit.questions.question import Unanswered
from rustyflow.scene import Figure, static

pytest.importorskip("anywidget")
from rustyflow import widgets
from rustyflow.widgets import base

WHICH = one_line_of_memory.which_slot


@pytest.fixture
def sent(monkeypatch):
    """All that leaves Python: the bundles that are displayed, and the state and messages of the comm."""
    out = []
    monkeypatch.setattr(base, "display", lambda data, **how: out.append(data))
    monkeypatch.setattr(widgets.Predict, "send", lambda self, content, buffers=None: out.append(content))
    return out


def as_key(letter):
    """The lesson's question with another of its choices as the right one."""
    choices = WHICH.choices()
    beliefs = {k: WHICH.held(k) or Misconception("rows do not count", "They do.", None) for k in choices}
    others = (beliefs[k]._replace(answer=lambda a=a, **case: a) for k, a in choices.items() if k != letter)
    return replace(WHICH, key=lambda **case: choices[letter], misconceptions=tuple(others))


def told(widget, sent):
    """What a page has in hand, readable: packed scenes inflated, pictures decoded, without the widget's own key."""
    widget._ipython_display_()
    state = {name: value for name, value in widget.get_state().items() if not name.startswith(("_model", "_view"))}
    state["_scene"] = bytes(state["_scene"]).decode("utf-8", "replace")
    text = json.dumps([sent, state, repr(widget)], default=str)
    for packed in re.findall(r'application/zlib\\">([\w+/=]+)<', text):
        text += zlib.decompress(base64.b64decode(packed)).decode()
    for image in re.findall(r"svg\+xml;base64,([\w+/=]+)", text):
        text += base64.b64decode(image).decode()
    return re.sub(r"[0-9a-f]{32}|IPY_MODEL_\w+", "", text)


def test_before_a_guess_the_bytes_are_the_same_whichever_choice_is_right(sent):
    seen = set()
    for letter in WHICH.choices():
        sent.clear()
        text = told(widgets.Predict(as_key(letter)), sent)
        assert "If this were so" not in text and f"Right: {letter}" not in text and "The answer" not in text
        seen.add(text)
    assert len(seen) == 1


def test_after_a_first_wrong_guess_too(sent):
    for tried in WHICH.choices():
        seen = set()
        for letter in set(WHICH.choices()) - {tried}:
            sent.clear()
            widget = widgets.Predict(as_key(letter))
            widget.press(tried)
            seen.add(told(widget, sent).replace(str(widget.question.held(tried)), ""))
        assert len(seen) == 1


def test_a_widget_and_the_code_give_guesses_to_one_question():
    asked = replace(WHICH)
    widget = asked.widget
    assert widget is asked.widget and widget.figure.scene.asks.open
    widget._hear(widget, {"press": "A"}, [])
    widget._hear(widget, {"press": "A"}, [])
    assert widget.guesses == ("A",) and widget.figure.scene.asks.said == {"A": "your first guess"}
    assert asked("slot 6").score == 1
    assert not widget.figure.scene.asks.open and float(asked) == 0
    widget.commit("B")
    assert widget.guesses == ("A", "D")


def test_what_is_none_of_the_choices_is_said_and_does_not_count():
    widget = widgets.Predict(replace(WHICH))
    widget._hear(widget, {"press": "<img onerror=x>"}, [])
    assert widget.guesses == () and "the choices are A, B, C, D" in widget._note
    with pytest.raises(ValueError, match="none|choices"):
        widget.commit("Z")


@pytest.mark.parametrize("given", [np.array([1, 2]), np.array(["play A", "back"]), 10**400, None, [], b"A"])
def test_what_is_no_text_is_none_of_the_choices_too(given):
    widget = widgets.Predict(replace(one_line_of_memory.which_slot))
    with pytest.raises(ValueError, match="rule: the choices are A, B, C, D") as caught:
        widget.commit(given)
    assert widget.guesses == () and "truth value" not in str(caught.value)


def test_another_picture_begins_at_its_first_step_with_nothing_pinned():
    widget = widgets.Predict(replace(WHICH))
    widget.press("A")
    widget.press("B")
    widget.frame, widget.pinned = 2, "a0-0"
    assert (widget.frame, widget.pinned) == (2, "a0-0")
    again = widgets.Predict(widget.question)
    assert again.frame == 0 and again.figure.scene.asks == widget.figure.scene.asks


def test_a_question_without_a_picture_is_asked_too():
    widget = widgets.Predict(replace(WHICH, locked=None, played=None, points=None))
    widget.press("B")
    widget.press("A")
    begins = [sentence.partition(" ")[0] for sentence in widget.figure.sentences]
    assert begins == ["You", "It", "The"] and "The answer is D, slot 6." in widget.figure.sentences[2]


def test_markup_in_a_question_is_text():
    evil = '<img src=x onerror="alert(1)">'
    asked = replace(WHICH, ask=lambda **case: f"{evil} Which?", words=lambda slot: f"{evil} {slot}")
    html = Figure(asked.scene()).html()
    assert "<img src=x" not in html and html.count("&lt;img src=x") >= 5


def test_a_committed_lesson_holds_text_and_picture_alone():
    asked = replace(WHICH)
    static()
    try:
        with pytest.raises(NotImplementedError):
            asked._ipython_display_()
        bundle = asked._repr_mimebundle_()
    finally:
        static(False)
    assert "Run the cell to answer" in bundle["text/html"]
    assert "<script" not in bundle["text/html"] and "<b>A</b>" in bundle["text/html"]
    assert "Not answered yet." in bundle["text/plain"] and "  D  slot 6\n" in bundle["text/plain"]


def test_a_grader_reads_the_score_of_the_first_guess(monkeypatch):
    """It takes a number that a cell ends in; of what is displayed otherwise it would give all points."""
    formatter = pytest.importorskip("IPython.core.formatters").DisplayFormatter()
    monkeypatch.setenv("NBGRADER_EXECUTION", "autograde")
    asked = replace(WHICH)
    for guess, score in ((..., "0.0"), ("D", "1.0"), ("B", "1.0")):
        asked(guess)
        assert formatter.format(asked)[0] == {"text/plain": score}


@pytest.mark.parametrize("given", [None, 3, "b", rf_show.strides(ones(3))])
def test_what_is_no_question_is_refused_in_words(given):
    with pytest.raises(TypeError, match="a question is asked, and a figure only shown"):
        widgets.Predict(given)


def test_any_letter_plays_its_world_before_and_after_the_answer():
    widget = widgets.Predict(replace(WHICH))
    key, belief = WHICH.right(), "columns are laid down first"
    wrong = next(letter for letter in WHICH.choices() if letter != key and WHICH.held(letter).belief == belief)
    for told in (False, True):
        asked = widget.figure.sentences
        widget.press(f"play {wrong}")
        assert belief in widget.figure.sentences[0] and widget.figure.sentences[1].startswith("If this were so")
        assert widget.figure.scene.asks.said == {wrong: "played"} | ({key: "right"} if told else {})
        widget.press(f"play {key}")
        assert "right" not in " ".join(widget.figure.sentences).lower() and widget.guesses == ((wrong, key) * told)[:2]
        widget.press("back")
        assert widget.figure.sentences == asked
        for letter in (wrong, key):
            widget.commit(letter)
    widget.press(f"play {wrong}")
    with pytest.raises(ValueError, match="the choices are A, B, C, D"):
        widget.press("play Z")
    assert belief in widget.figure.sentences[0]


def test_a_clicker_that_passes_it_by_counts_no_guess_and_unlocks_what_comes_after(monkeypatch):
    monkeypatch.delenv("RUSTYFLOW_DISPLAY", raising=False)
    monkeypatch.delenv("CI", raising=False)
    widget = widgets.Predict(replace(WHICH))
    with pytest.raises(Unanswered):
        widget.question.after()
    widget.press("skip")
    widget.question.after()
    assert widget.guesses == () and widget.figure.scene.asks.open
