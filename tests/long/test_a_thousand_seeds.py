"""What the checks of the lessons hold for two hundred draws of their numbers in every run, for a thousand."""

import pytest

from tests.lessons import test_checks
from tests.lessons.test_checks import (  # noqa: F401
    test_no_misconception_fills_a_blank,
    test_no_rule_of_thumb_finds_the_right_choice,
    test_the_choices_of_a_question_differ,
)


@pytest.fixture(autouse=True)
def a_thousand(monkeypatch):
    monkeypatch.setattr(test_checks, "SEEDS", (None, *range(1000)))
