"""Questions for a page without Python: packed, within their room, and with no answer to be read."""

import re

import pytest

from rustyflow.lessons import Question
from rustyflow.lessons.kit.questions import stages
from rustyflow.scene import Figure

from .catalogue import every

QUESTIONS = every(Question)


def test_each_question_takes_no_more_than_its_room_of_a_page():
    large = {name: len(packed) for name, question in QUESTIONS.items()
             if len(packed := stages.alone(question).asks.sequel) > stages.LARGEST}  # fmt: skip
    assert len(QUESTIONS) > 30 and large == {}


@pytest.mark.parametrize("name", ["one_line_of_memory.which_slot", "align_from_the_right.perfect_loss"])
def test_what_is_so_stands_nowhere_in_plain_form(name):
    question = QUESTIONS[name]
    page = Figure(stages.alone(question)).html()
    words = question.why(**question.case)
    assert words not in page and not re.search(r'"(right|key|answer)"', page.partition("<script>")[0])
