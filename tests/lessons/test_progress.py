"""What is remembered of a student's answers: where, when, and that a lesson is never disturbed by it."""

import builtins
import json
import os
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from rustyflow import cli
from rustyflow.cli import course, teach
from rustyflow.data.sets import course_folder
from rustyflow.lessons import Question, one_line_of_memory as check
from rustyflow.lessons.kit.answers import progress
from rustyflow.lessons.kit.answers.record import entries, parse
from tests.each import each


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
    assert {path.name for path in copy.glob(".rustyflow/*")} == {"course.json", "mine", "progress.json"}


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


def test_nothing_is_written_outside_a_copy_or_a_kernel(copy, monkeypatch, tmp_path_factory):
    monkeypatch.delattr(builtins, "get_ipython")
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    for folder in (copy, elsewhere):
        monkeypatch.chdir(folder)
        check.which_slot("A")
        check.slot_of(check.slot_of.model)
    monkeypatch.setattr(builtins, "get_ipython", lambda: None, raising=False)
    check.which_slot("A")
    assert list(elsewhere.iterdir()) == [] and kept(copy) == {}


STUDENT = """
import rustyflow.lessons.one_line_of_memory as check

def test_it():
    check.which_slot('A')
    check.which_slot.commit('B')
    check.slot_of(check.slot_of.model)

test_it()
import IPython
from rustyflow.lessons import one_line_of_memory as check
test_it()
"""


@pytest.mark.parametrize("program", [[], ["-m", "pytest", "-q", "-p", "no:cacheprovider"]], ids=["script", "pytest"])
def test_a_script_and_a_test_run_of_a_student_write_nothing_with_ipython_imported_or_not(copy, program):
    (copy / "test_mine.py").write_text(STUDENT, encoding="utf-8")
    env = {name: value for name, value in os.environ.items() if name not in ("CI", "NBGRADER_EXECUTION")}
    subprocess.run([sys.executable, *program, "test_mine.py"], cwd=copy, env=env, check=True, stdout=subprocess.PIPE)
    assert {path.name for path in copy.glob(".rustyflow/*")} == {"course.json"}


WHICH = '"which_slot": {"done": true, "score": 0.0}'
SLOT_OF = '"slot_of": {"done": true, "score": 1.0}'
BOTH = {"which_slot": {"done": True, "score": 0.0}, "slot_of": {"done": True, "score": 1.0}}
ONE = {"which_slot": BOTH["which_slot"]}
WHOLE = json.dumps({"one_line_of_memory": BOTH, "stride_zero": {"what_changes": BOTH["which_slot"]}}, indent=1)
MERGED = """{
 "one_line_of_memory": {
<<<<<<< HEAD
  "slot_of": {
   "done": true,
   "score": 1.0
  },
  "which_slot": {
   "done": false,
   "score": 0.0
=======
  "which_slot": {
   "done": true,
   "score": 0.0
>>>>>>> theirs
  }
 }
}"""
HALF = """{
 "one_line_of_memory": {
  "slot_of": {
<<<<<<< mine
   "done": false,
   "score": 0.0
||||||| before
=======
   "done": true,
   "score": 1.0
>>>>>>> theirs
  },
  "which_slot": {
   "done": true,
   "score": 0.0
  }
 }
}"""
ACROSS = """{
<<<<<<< HEAD
 "one_line_of_memory": {
  "slot_of": {
   "done": true,
   "score": 1.0
=======
 "a_program_is_a_graph": {
  "what_of_an_if": {
   "done": true,
   "score": 0.0
  }
 },
 "one_line_of_memory": {
  "which_slot": {
   "done": true,
   "score": 0.0
>>>>>>> theirs
  }
 },
 "stride_zero": {
  "what_changes": {
   "done": true,
   "score": 0.0
  }
 }
}"""
LOST = ACROSS.replace("=======", """||||||| before
 "nudge_it": {
  "what_w_holds": {
<<<<<<<<< Temporary merge branch 1
   "done": true,
   "score": 0.5
=========
   "done": false,
   "score": 0.5
>>>>>>>>> Temporary merge branch 2
=======""").replace('"done": true,\n   "score": 1.0', '"done": false,\n   "score": 1.0', 1)
ALL = [("one_line_of_memory", "slot_of"), ("stride_zero", "what_changes"), ("a_program_is_a_graph", "what_of_an_if"),
       ("one_line_of_memory", "which_slot")]


@pytest.mark.parametrize("text, wanted", [
    (ACROSS, ALL), (LOST, ALL), (ACROSS.partition(">>>>>>>")[0], [*ALL[:1], *ALL[2:]]),
    (ACROSS.replace("true", "false", 1) + ACROSS.replace('"score": 1.0', '"score": 0.0', 1), ALL),
], ids=["two", "with what was before", "cut short", "twice"])
def test_of_a_merge_that_cuts_through_lessons_each_side_is_read_whole(text, wanted):
    """Read as one text, what stands below a mark would come into the lesson above it."""
    scores = parse(text.encode()).scores
    assert sorted(entries(scores)) == sorted(wanted)
    slot = scores["one_line_of_memory"]["slot_of"]
    assert slot == {"done": text is not LOST, "score": 1.0}


DAMAGED = {
    "empty": (b"", {}, "is empty"),
    "blank": (b" \r\n", {}, "is empty"),
    "as a machine that went off leaves it": (b"\0" * 300, {}, "is empty"),
    "merged, by entries": (MERGED.encode(), BOTH, "has the marks of a merge"),
    "merged, within an entry": (HALF.encode(), BOTH, "has the marks of a merge"),
    "merged, Windows": (MERGED.replace("\n", "\r\n").encode(), BOTH, "has the marks of a merge"),
    "merged without marks": (f'{{"one_line_of_memory": {{{WHICH}}}, "one_line_of_memory": {{{SLOT_OF}}}}}'.encode(),
                             BOTH, "cannot be read: a name stands twice"),
    "cut in a name": (f'{{"one_line_of_memory": {{{WHICH}, "slo'.encode(), ONE, "is cut short"),
    "cut in a number": (f'{{"one_line_of_memory": {{{WHICH}, "slot_of": {{"done": false, "score": 0'.encode(), ONE,
                        "is cut short"),
    "cut after a brace": (f'{{"one_line_of_memory": {{{WHICH}}}'.encode(), ONE, "cannot be read"),
    "the head": (b"{", {}, "is cut short"),
    "brackets": (b"[" * 100_000, {}, "is cut short"),
    "bytes": (bytes(range(256)) * 9, {}, "is no text"),
    "latin": ('{"é": 5}'.encode("latin-1"), {}, "is no text"),
    "a picture": (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", {}, "is no text"),
    "a list": (b"[1]", {}, "holds a list"),
    "a list of lessons": (f'[{{"one_line_of_memory": {{{WHICH}}}}}]'.encode(), ONE, "holds a list"),
    "null": (b"null", {}, "holds null"),
    "a number": (b"5", {}, "holds a number"),
    "a lesson that is 3": (b'{"one_line_of_memory": 3}', {}, "one_line_of_memory is 3"),
    "a check that is 5": (f'{{"one_line_of_memory": {{{WHICH}, "slot_of": 5, "x": null}}}}'.encode(), ONE,
                          "one_line_of_memory.slot_of is 5, and 1 more"),
    "null in it": (f'{{"one_line_of_memory": {{"slot_of": null, {WHICH}}}, "stride_zero": null}}'.encode(), ONE,
                   "slot_of is None, and 1 more"),
    "nested": (f'{{"one_line_of_memory": {{{WHICH}, "slot_of": {{"a": {{"b": [{{}}]}}}}}}}}'.encode(), ONE,
               "slot_of is {'a': {'b': [{}]}}"),
    "scores that are none": (f'{{"one_line_of_memory": {{{WHICH}, "a": {{"score": 7}}, "b": {{"score": NaN}}, '
                             '"c": {"score": "1", "done": 1}, "d": {"score": true}}}'.encode(), ONE, ", and 3 more"),
    "a score that is lost": (b'{"one_line_of_memory": {"which_slot": {"done": true, "score": null}}}', ONE,
                             "which_slot is {'done': True, 'score': None}"),
    "a comma": (f'{{"one_line_of_memory": {{{WHICH},}}}}'.encode(), ONE, "cannot be read"),
    "somebody's words": (f'{{"one_line_of_memory": {{{WHICH}}}}} hello'.encode(), ONE, "cannot be read: Extra data"),
    "a long number": (b'{"one_line_of_memory": {"a": ' + b"9" * 5000 + b"}}", {}, "cannot be read"),
}


@pytest.mark.parametrize("data, good, why", DAMAGED.values(), ids=DAMAGED)
def test_a_damaged_file_is_told_set_aside_and_what_is_good_in_it_is_kept(copy, capsys, data, good, why):
    place = copy / progress.PROGRESS
    place.write_bytes(data)
    assert kept(copy) == good and progress.done(check.which_slot) == ("which_slot" in good)
    assert cli.main(["progress"]) == 0
    out = capsys.readouterr().out
    assert ["01-one-line-of-memory", str(len(good)), "of", "6"] in [line.split()[:4] for line in out.splitlines()]
    assert why in out and place.read_bytes() == data, "the command only reads"

    answered = check.find_the_layout((2, 3), stride=(5, 2), offset=5)
    said = answered.text.splitlines()[-1]
    assert answered.score == 1 and said.startswith(".rustyflow/progress.json ") and why in said
    [aside] = copy.glob(".rustyflow/progress-*.json")
    assert aside.read_bytes() == data and re.fullmatch(r"progress-\d{4}-\d\d-\d\d-\d{4}\.json", aside.name)
    are = "is" if len(good) == 1 else "are"
    assert said.endswith(f"It is set aside as {aside.name}, and {len(good)} of its answers {are} kept.")
    assert kept(copy) == good | {"find_the_layout": {"done": True, "score": 1.0}}
    assert progress.look(copy).fault == "" and progress.PROGRESS.as_posix() not in check.which_slot("A").text
    capsys.readouterr()
    assert cli.main(["progress"]) == 0 and "progress.json" not in capsys.readouterr().out


@each("size", range(len(WHOLE)))
def test_of_a_file_that_is_cut_anywhere_no_entry_is_changed(size):
    """And none is lost whose end is there."""
    whole, cut = parse(WHOLE.encode()).scores, parse(WHOLE[:size].encode())
    assert cut.fault and all(whole[lesson][name] == cut.scores[lesson][name] for lesson, name in entries(cut.scores))
    assert len(list(entries(cut.scores))) == len(re.findall(r'"score": [\d.]+\s', WHOLE[:size]))


@pytest.mark.parametrize("text", ["[", "5", "<<<<<<<"])
def test_what_was_set_aside_is_never_written_over(copy, text):
    for number in range(1, 5):
        (copy / progress.PROGRESS).write_text(f"{text}{number}", encoding="utf-8")
        check.which_slot("A")
        held = {path.read_text(encoding="utf-8") for path in copy.glob(".rustyflow/progress-*.json")}
        assert held == {f"{text}{k}" for k in range(1, number + 1)}
    assert kept(copy)["which_slot"]["done"]


def test_a_file_that_may_not_be_read_is_told_and_set_aside(copy, capsys, monkeypatch):
    place, may = copy / progress.PROGRESS, Path.read_bytes
    place.write_text(WHOLE, encoding="utf-8")

    def refused(path):
        if path.name == place.name:
            raise PermissionError(13, "Permission denied")
        return may(path)

    with monkeypatch.context() as patch:  # a mode of 000 would not stop root
        patch.setattr(Path, "read_bytes", refused)
        assert cli.main(["progress"]) == 0
        assert "progress.json cannot be read: Permission denied" in capsys.readouterr().out
        said = check.which_slot("A").text.splitlines()[-1]
        assert "cannot be read: Permission denied. It is set aside as progress-" in said
    [aside] = copy.glob(".rustyflow/progress-*.json")
    assert aside.read_text(encoding="utf-8") == WHOLE and list(kept(copy)) == ["which_slot"]


def test_a_folder_in_its_place_is_told_and_set_aside(copy, capsys):
    (copy / progress.PROGRESS / "mine").mkdir(parents=True)
    assert cli.main(["progress"]) == 0 and "progress.json is no file" in capsys.readouterr().out
    assert check.which_slot(check.which_slot.right()).score == 1
    assert [path.name for path in copy.glob(".rustyflow/progress-*.json/*")] == ["mine"]
    assert kept(copy)["which_slot"]["done"]


def test_a_disk_that_takes_nothing_disturbs_no_lesson_and_loses_nothing(copy, monkeypatch):
    place = copy / progress.PROGRESS
    for before in (WHOLE, WHOLE[:60]):
        place.write_text(before, encoding="utf-8")
        with monkeypatch.context() as patch:
            patch.setattr(os, "fsync", lambda handle: (_ for _ in ()).throw(OSError(28, "No space left on device")))
            result = check.find_the_layout((2, 3), stride=(5, 2), offset=5)
        assert result.score == 1 and result.text.endswith("This answer is not remembered: No space left on device.")
        assert place.read_text(encoding="utf-8") == before and not list(copy.glob(".rustyflow/*.lock"))


def test_answers_in_many_threads_are_all_kept(copy):
    names = [f"check_{number}" for number in range(40)]
    mine = {"done": True, "score": 1.0}

    def answer(name):
        with progress.alone(copy / progress.PROGRESS.with_suffix(".lock")):
            progress._noted(copy, "one_line_of_memory", name, mine)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(answer, names))
    assert kept(copy) == dict.fromkeys(names, mine)


def test_a_lock_that_a_killed_kernel_left_behind_is_waited_for_and_taken(copy, monkeypatch):
    monkeypatch.setattr(progress, "PATIENCE", 0.05)
    (copy / progress.PROGRESS).with_suffix(".lock").touch()
    check.which_slot("A")
    assert kept(copy)["which_slot"]["done"] and not list(copy.glob(".rustyflow/*.lock"))


@pytest.mark.parametrize("where", ["week 1", "a/b/c", ".hidden"])
@pytest.mark.parametrize("how", [shutil.move, shutil.copy], ids=["moved", "copied"])
def test_a_lesson_in_a_folder_of_the_copy_is_remembered_and_counted(copy, monkeypatch, capsys, where, how):
    (copy / where).mkdir(parents=True)
    how(copy / "01-one-line-of-memory.ipynb", copy / where / "01-one-line-of-memory.ipynb")
    monkeypatch.chdir(copy / where)
    check.which_slot("A")
    assert kept(copy)["which_slot"]["done"] and progress.done(check.which_slot)
    assert [path.name for path in Path().iterdir()] == ["01-one-line-of-memory.ipynb"]
    assert cli.main(["progress", str(copy)]) == 0
    counted = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert ["01-one-line-of-memory", "1", "of", "6", "check.stride_of_the_transpose"] in counted


def test_a_copy_within_a_copy_is_a_copy_of_its_own(copy, monkeypatch):
    course.deliver(course_folder(), copy / "second", "0.1.0")
    monkeypatch.chdir(copy / "second")
    check.which_slot("A")
    assert kept(copy / "second")["which_slot"]["done"] and kept(copy) == {}


def test_what_a_teacher_shows_to_a_class_is_not_remembered(copy, monkeypatch):
    """Else the next class would find the lesson unlocked."""
    course.deliver(course_folder(), copy, "0.1.0", teach.parcels(course_folder(), teach.notes_folder()))
    monkeypatch.chdir(copy / "teacher")
    check.which_slot("A")
    assert kept(copy) == {} and not list(copy.rglob("progress*"))


@pytest.mark.parametrize("cells, wanted", [
    (["check.which_slot", "check.which_slot.after()"], "1 of 1"),
    (["guess = ...\ncheck.which_slot(guess)", "  x = check.slot_of(slot_of)", "check.typo"], "1 of 2  check.slot_of"),
    ([], "1 of 6  check.stride_of_the_transpose"),
])
def test_an_older_copy_is_counted_by_its_own_checks(copy, capsys, cells, wanted):
    book = {"cells": [{"cell_type": "code", "source": source} for source in cells]}
    (copy / "01-one-line-of-memory.ipynb").write_text(json.dumps(book), encoding="utf-8")
    check.which_slot("A")
    assert cli.main(["progress"]) == 0
    [line] = [line for line in capsys.readouterr().out.splitlines() if line.startswith("01-")]
    assert line.split() == ["01-one-line-of-memory", *wanted.split()]


def test_the_command_says_what_is_done_and_what_is_next(copy, capsys):
    check.which_slot("A")
    check.stride_of_the_transpose("B")
    assert cli.main(["progress"]) == 0
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert lines[0] == ["lesson", "done", "first", "open"]
    assert ["00-start-here", "0", "of", "2", "check.how_far"] in lines
    assert ["01-one-line-of-memory", "2", "of", "6", "check.find_the_layout"] in lines
    acts = [["I", "Memory"], ["II", "Shapes"], ["III", "Gradients"], ["IV", "Training"], ["V", "Workshop"]]
    assert [line for line in lines if line in acts] == acts
    assert len([line for line in lines if line and line not in acts]) == 1 + len(list(copy.glob("*.ipynb")))
    assert lines[lines.index(acts[1]) + 1][0] == "04-align-from-the-right"


def test_without_a_course_the_command_says_so(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert cli.main(["progress"]) == 1
    assert "there is no course in" in capsys.readouterr().err


def test_the_file_is_small_and_plain(copy):
    check.which_slot("A")
    text = (copy / progress.PROGRESS).read_text(encoding="utf-8")
    assert json.loads(text) and len(text) < 200
