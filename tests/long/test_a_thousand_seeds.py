"""What the checks of the lessons hold for two hundred draws of their numbers in every run, for a thousand; and a
hundred wrong functions in place of fifteen."""

import pytest

from tests.lessons import test_checks, test_exercises
from tests.lessons.test_checks import (  # noqa: F401
    test_no_misconception_fills_a_blank,
    test_no_rule_of_thumb_finds_the_right_choice,
    test_the_choices_of_a_question_differ,
)
from tests.lessons.test_exercises import test_many_wrong_functions_are_refused  # noqa: F401


@pytest.fixture(autouse=True)
def a_thousand(monkeypatch):
    monkeypatch.setattr(test_checks, "SEEDS", (None, *range(1000)))
    monkeypatch.setattr(test_exercises, "WRONG", range(100))
