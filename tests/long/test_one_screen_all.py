"""Every question of every lesson is one screen, in every state."""

from rustyflow.lessons import Question
from tests.browser.test_one_screen import figure, in_each_size  # noqa: F401
from tests.lessons.catalogue import every


def test_each_question_of_each_lesson_is_one_screen_in_every_state(figure, page):  # noqa: F811
    assert in_each_size(page, figure, every(Question)) == ""
