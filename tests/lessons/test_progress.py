"""What is remembered of a student's answers: where, when, and that a lesson is never disturbed by it."""

import builtins
import json
from pathlib import Path

import pytest

from rustyflow import cli
from rustyflow.cli import course
from rustyflow.data.sets import course_folder
from rustyflow.lessons import Question, one_line_of_memory as check
from rustyflow.lessons.kit import progress


@pytest.fixture
def copy(tmp_path, monkeypatch):
    """A kernel that runs in a copy of the course."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(builtins, "get_ipython", lambda: None, raising=False)
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.delenv("NBGRADER_EXECUTION", raising=False)
    assert progress.COURSE == course.MANIFEST
    course.deliver(course_folder(), tmp_path, "0.1.0")
    forget()
    yield tmp_path
    forget()


def forget():
    """As in a kernel that was just started, nothing is guessed."""
    for question in (one for one in vars(check).values() if isinstance(one, Question)):
        question._guesses.clear()
        question._known.clear()


def kept(folder):
    return progress.read(folder).get("one_line_of_memory", {})


def test_a_guess_and_a_right_function_are_done_and_part_of_an_exercise_is_open(copy):
    check.which_slot(next(letter for letter in check.which_slot.choices() if letter != check.which_slot.right()))
    check.slot_of(check.slot_of.model)
    check.find_the_layout((2, 3), (1, 1), 0)
    check.find_the_layout(..., ..., ...)
    assert kept(copy) == {
        "which_slot": {"score": 0.0, "done": True},
        "slot_of": {"score": 1.0, "done": True},
        "find_the_layout": {"score": pytest.approx(1 / 3), "done": False},
    }
    check.find_the_layout((2, 3), stride=(5, 2), offset=5)
    check.find_the_layout(0, 0, 0)
    assert kept(copy)["find_the_layout"] == {"score": 1.0, "done": True}, "the best counts"
    assert {path.name for path in copy.glob(".rustyflow/*")} == {"course.json", "progress.json"}


def test_a_guess_by_key_or_click_counts_as_well(copy):
    check.which_are_contiguous.commit(check.which_are_contiguous.right())
    assert kept(copy)["which_are_contiguous"]["done"]


def test_what_was_not_answered_or_is_another_question_is_not_remembered(copy):
    check.which_slot(...)
    check.which_slot()
    check.which_slot("A", seed=3)
    check.slot_of(lambda index, stride, offset: ...)
    assert kept(copy) == {}


@pytest.mark.parametrize("name", ["CI", "NBGRADER_EXECUTION"])
def test_nothing_is_written_where_a_program_runs_the_lesson(copy, monkeypatch, name):
    monkeypatch.setenv(name, "true")
    check.which_slot("A")
    assert kept(copy) == {}


def test_nothing_is_written_outside_a_copy_or_a_kernel(copy, monkeypatch):
    monkeypatch.delattr(builtins, "get_ipython")
    check.which_slot("A")
    assert kept(copy) == {}
    monkeypatch.setattr(builtins, "get_ipython", lambda: None, raising=False)
    (copy / "elsewhere").mkdir()
    monkeypatch.chdir(copy / "elsewhere")
    check.which_slot("A")
    assert list(Path().iterdir()) == [] and kept(copy) == {}


@pytest.mark.parametrize("text", ["", "[", "[1]", '{"one_line_of_memory": 3}', "null", "[" * 100_000])
def test_a_damaged_file_disturbs_no_lesson(copy, text):
    (copy / progress.PROGRESS).write_text(text, encoding="utf-8")
    assert check.which_slot(check.which_slot.right()).score == 1
    assert cli.main(["progress"]) == 0


def test_a_folder_that_cannot_be_written_disturbs_no_lesson(copy):
    (copy / progress.PROGRESS).mkdir()
    assert check.which_slot(check.which_slot.right()).score == 1


def test_the_command_says_what_is_done_and_what_is_next(copy, capsys):
    check.which_slot("A")
    check.stride_of_the_transpose("B")
    assert cli.main(["progress"]) == 0
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert lines[0] == ["lesson", "done", "first", "open"]
    assert ["00-start-here", "0", "of", "1", "check.first_try"] in lines
    assert ["01-one-line-of-memory", "2", "of", "6", "check.find_the_layout"] in lines
    assert len(lines) == 1 + len(list(copy.glob("*.ipynb")))


def test_without_a_course_the_command_says_so(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert cli.main(["progress"]) == 1
    assert "there is no course in" in capsys.readouterr().err


def test_the_file_is_small_and_plain(copy):
    check.which_slot("A")
    text = (copy / progress.PROGRESS).read_text(encoding="utf-8")
    assert json.loads(text) and len(text) < 200
