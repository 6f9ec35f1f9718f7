"""The card of a check's result: mark, words and belief as in the text, and the first wrong number in its place."""

import re
from html import unescape

import pytest

import rustyflow as rf
from rustyflow.lessons import back_through_a_broadcast as check, one_line_of_memory, your_own_engine
from rustyflow.lessons.kit.answers.answer import same
from rustyflow.lessons.kit.answers.card import own_numbers
from rustyflow.scene import static


@pytest.fixture(autouse=True)
def alive():
    static(False)
    yield
    static(False)


def averaged(g, shape):
    for d, (n, m) in enumerate(zip(g.shape[-len(shape) :] if shape else (), shape, strict=True)):
        g = g.mean(g.ndim - len(shape) + d, keepdim=True) if n != m else g
    return g.sum(tuple(range(g.ndim - len(shape)))) if g.ndim > len(shape) else g


def told(html):
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", re.sub(r"</?b>", "", html))).split())


def test_a_wrong_result_has_its_mark_its_belief_and_its_first_wrong_number():
    result = check.sum_to(averaged)
    html = result._repr_html_()
    assert 'aria-label="Not right yet"' in html and "\u2717" in html and "<b>the gradient is averaged</b>" in html
    assert result.own.place == (0, 0) and result.own.rows == ((1.0,), (1.0,), (1.0,))
    assert html.count("3px solid") == 1 and html.index("3px solid") < html.index("1px solid")
    assert "[0, 0] is the first that is wrong" in result.text
    for line in result.text.split():
        assert line in told(html)


def test_a_right_result_and_one_not_attempted_have_other_marks_and_words():
    assert "\u2713" in (right := check.sum_to(check.sum_to.model))._repr_html_() and right.own is None
    assert 'aria-label="Right"' in right._repr_html_()
    assert 'aria-label="Not attempted yet"' in check.sum_to()._repr_html_()
    assert 'aria-label="Not attempted yet"' in one_line_of_memory.find_the_layout()._repr_html_()
    assert 'aria-label="Not right yet"' in one_line_of_memory.find_the_layout((2, 3), ..., 4)._repr_html_()


def test_a_committed_lesson_and_a_grader_have_the_text_alone(monkeypatch):
    result = check.sum_to(averaged)
    static()
    assert result._repr_html_() is None
    static(False)
    monkeypatch.setenv("NBGRADER_EXECUTION", "autograde")
    assert result._repr_html_() is None and repr(result) == "0.0"


def test_what_a_student_returns_is_no_markup():
    html = your_own_engine.vjp_sub("<img src=x onerror=alert(1)>")._repr_html_()
    assert "<img" not in html and "&lt;img" in html


def test_numbers_are_drawn_where_they_have_the_right_shape_and_are_few():
    key = rf.tensor([[1.0, 2.0], [3.0, 4.0]])
    assert own_numbers(rf.tensor([[1.0, 2.0], [5.0, 4.0]]), key, same).place == (1, 0)
    assert own_numbers(rf.tensor([1.0, 7.0]), rf.tensor([1.0, 2.0]), same).place == (1,)
    assert own_numbers(key, key, same) is None and own_numbers(key[0], key, same) is None
    assert own_numbers(rf.zeros(9, 9), rf.ones(9, 9), same) is None and own_numbers(3, key, same) is None
