"""The student's copy of the course: complete, without outputs, brought up to date, and no work is ever lost."""

import json
import os
import tempfile
from datetime import datetime
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from rustyflow.cli import course

NOW = datetime(2026, 11, 20, 15, 30)
LESSONS = ("00-start-here", "01-one-line", "03-stride-zero")


def notebook(source, outputs=()):
    cells = [
        {"cell_type": "markdown", "id": "a", "metadata": {}, "source": "# A lesson"},
        {"cell_type": "code", "id": "b", "metadata": {"tags": ["exercise"], "execution": {"started": "noon"}}}
        | {"source": source, "outputs": list(outputs), "execution_count": 3},
    ]
    return {"nbformat": 4, "nbformat_minor": 5, "metadata": {"widgets": {"state": {}}}, "cells": cells}


def result(text):
    return {"output_type": "stream", "name": "stdout", "text": text}


def put(path, source, *outputs):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(notebook(source, outputs)), encoding="utf-8")


def code(path):
    return json.loads(path.read_text(encoding="utf-8"))["cells"][1]["source"]


@pytest.fixture
def source(tmp_path):
    """A course as its authors keep it: executed lessons, a file they need, and what is not for students."""
    folder = tmp_path / "notebooks"
    for name in LESSONS:
        put(folder / f"{name}.ipynb", f"# {name}", result("the answer"))
        (folder / f"{name}.md").write_text("for the teacher", encoding="utf-8")
    (folder / "glossary.md").write_text("# Glossary", encoding="utf-8")
    (folder / "teacher").mkdir()
    (folder / "teacher" / "guide.md").write_text("for the teacher", encoding="utf-8")
    (folder / "data").mkdir()
    (folder / "data" / "points.csv").write_bytes(b"1,2\r\n")
    (folder / ".ipynb_checkpoints").mkdir()
    put(folder / ".ipynb_checkpoints" / "00-start-here-checkpoint.ipynb", "old")
    (folder / "conftest.py").write_text("", encoding="utf-8")
    return folder


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "Zoë's course, 2nd try"


def held(folder):
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def test_a_copy_holds_the_lessons_and_what_they_need_and_nothing_for_the_teacher(source, folder):
    assert course.deliver(source, folder, "0.1.0") == []
    lessons = {f"{name}.ipynb" for name in LESSONS}
    assert held(folder) == lessons | {"glossary.md", "data/points.csv", ".rustyflow/course.json"}
    assert (folder / "data" / "points.csv").read_bytes() == b"1,2\r\n"


def test_a_copy_has_no_outputs_counts_timings_or_widget_state_and_keeps_the_rest(source, folder):
    course.deliver(source, folder, "0.1.0")
    book = json.loads((folder / "01-one-line.ipynb").read_text(encoding="utf-8"))
    assert book["cells"][1] == {
        "cell_type": "code",
        "id": "b",
        "metadata": {"tags": ["exercise"]},
        "source": "# 01-one-line",
        "outputs": [],
        "execution_count": None,
    }
    assert book["metadata"] == course.of_kernel()  # so JupyterLab has nothing to write into it


def test_text_that_is_no_notebook_is_refused():
    with pytest.raises(ValueError):
        course.without_outputs("not JSON")


def test_a_second_delivery_changes_nothing_and_says_nothing(source, folder):
    course.deliver(source, folder, "0.1.0")
    before = {name: (folder / name).stat().st_mtime_ns for name in held(folder)}
    assert course.deliver(source, folder, "0.1.0") == []
    assert {name: (folder / name).stat().st_mtime_ns for name in held(folder)} == before


def test_an_upgrade_brings_new_lessons_and_replaces_the_ones_nobody_touched(source, folder):
    course.deliver(source, folder, "0.1.0")
    put(source / "01-one-line.ipynb", "# better")
    put(source / "07-nudge-it.ipynb", "# new")
    assert course.deliver(source, folder, "0.2.0") == ["updated: 01-one-line.ipynb", "new: 07-nudge-it.ipynb"]
    assert code(folder / "01-one-line.ipynb") == "# better"
    assert code(folder / "07-nudge-it.ipynb") == "# new"


def test_an_upgrade_lays_the_new_version_beside_the_students_work_once(source, folder):
    course.deliver(source, folder, "0.1.0")
    put(folder / "01-one-line.ipynb", "my work")
    assert course.deliver(source, folder, "0.1.0") == []
    put(source / "01-one-line.ipynb", "# better")
    (said,) = course.deliver(source, folder, "0.2.0")
    assert said.endswith("its new version is 01-one-line.new-0.2.0.ipynb")
    assert code(folder / "01-one-line.ipynb") == "my work"
    assert code(folder / "01-one-line.new-0.2.0.ipynb") == "# better"
    assert course.deliver(source, folder, "0.2.0") == []


def test_outputs_are_work_and_a_mere_save_is_not(source, folder):
    course.deliver(source, folder, "0.1.0")
    put(folder / "01-one-line.ipynb", "# 01-one-line", result("6"))
    saved = json.loads((folder / "03-stride-zero.ipynb").read_text(encoding="utf-8"))
    saved["metadata"]["language_info"] = {"name": "python"}
    saved["cells"][1]["source"] = [saved["cells"][1]["source"]]
    (folder / "03-stride-zero.ipynb").write_text(json.dumps(saved), encoding="utf-8")
    for name in LESSONS:
        put(source / f"{name}.ipynb", "# better")
    said = course.deliver(source, folder, "0.2.0")
    assert [line.partition(" has your work")[0] for line in said] == [
        "updated: 00-start-here.ipynb",
        "01-one-line.ipynb",
        "updated: 03-stride-zero.ipynb",
    ]


@pytest.mark.parametrize("damage", ["", "{", "[]", '{"files": 3}', '{"files": {"01-one-line.ipynb": null}}'])
def test_with_a_damaged_manifest_every_file_is_the_students(source, folder, damage):
    course.deliver(source, folder, "0.1.0")
    (folder / course.MANIFEST).write_text(damage, encoding="utf-8")
    put(source / "01-one-line.ipynb", "# better")
    course.deliver(source, folder, "0.2.0")
    assert code(folder / "01-one-line.ipynb") == "# 01-one-line"
    assert code(folder / "01-one-line.new-0.2.0.ipynb") == "# better"


@pytest.mark.parametrize("stop", [KeyboardInterrupt, OSError(28, "No space left on device")])
@pytest.mark.parametrize("after", range(4))
def test_an_interrupted_upgrade_loses_nothing_and_the_next_one_finishes_it(source, folder, monkeypatch, stop, after):
    course.deliver(source, folder, "0.1.0")
    put(folder / "01-one-line.ipynb", "my work")
    for name in LESSONS:
        put(source / f"{name}.ipynb", "# better")
    replace, done = os.replace, []

    def stumble(draft, path):
        if len(done) == after:
            raise stop
        done.append(path)
        replace(draft, path)

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", stumble)
        if after < 3:  # two lessons and the manifest are written
            with pytest.raises((KeyboardInterrupt, course.CourseError)):
                course.deliver(source, folder, "0.2.0")
    assert not [name for name in held(folder) if ".writing-" in name]
    course.deliver(source, folder, "0.2.0")
    assert code(folder / "01-one-line.ipynb") == "my work"
    assert {name for name in held(folder) if ".new-" in name} == {"01-one-line.new-0.2.0.ipynb"}
    assert code(folder / "00-start-here.ipynb") == code(folder / "03-stride-zero.ipynb") == "# better"


def test_a_file_where_the_folder_should_be_is_refused(source, folder):
    folder.write_text("mine", encoding="utf-8")
    with pytest.raises(course.CourseError, match="is a file"):
        course.deliver(source, folder, "0.1.0")
    assert folder.read_text(encoding="utf-8") == "mine"


@pytest.mark.parametrize("there", [True, False])
@pytest.mark.parametrize(("name", "said"), [("03-a.ipynb", "lab$"), ("sub/03-a.IPYNB", "lab sub$")])
def test_a_lesson_is_no_folder_for_the_course(source, tmp_path, monkeypatch, name, said, there):
    monkeypatch.chdir(tmp_path)
    if there:
        put(Path(name), "my work")
    before = held(tmp_path)
    with pytest.raises(course.CourseError, match=f"names a lesson(.|\n)*rustyflow {said}"):
        course.deliver(source, Path(name), "0.1.0")
    assert held(tmp_path) == before


def test_a_folder_that_cannot_be_written_is_refused_with_a_way_out(source, folder, monkeypatch):
    def refuse(*_, **__):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(tempfile, "mkstemp", refuse)
    with pytest.raises(course.CourseError, match=r"Permission denied(.|\n)*rustyflow lab SOME-FOLDER"):
        course.deliver(source, folder, "0.1.0")


def test_the_course_is_not_delivered_into_itself(source):
    before = code(source / "01-one-line.ipynb"), held(source)
    with pytest.raises(course.CourseError, match="--in-place"):
        course.deliver(source, source / ".." / "notebooks", "0.1.0")
    assert (code(source / "01-one-line.ipynb"), held(source)) == before


@pytest.mark.parametrize("wanted", ["1", "01", "01-one-line", "01-one-line.ipynb", "one line", "ONE_LINE"])
def test_a_lesson_is_found_by_number_and_by_name(source, wanted):
    assert course.find_lesson(source, wanted) == Path("01-one-line.ipynb")


@pytest.mark.parametrize("wanted", ["2", "9" * 5000, "", "-", "one", "01-one", "../01-one-line", "zero"])
def test_what_is_no_lesson_lists_the_lessons(source, wanted):
    with pytest.raises(course.CourseError) as problem:
        course.find_lesson(source, wanted)
    assert all(f"\n  {name}" in str(problem.value) for name in LESSONS)


def test_a_number_that_two_lessons_have_lists_those(source):
    put(source / "03-again.ipynb", "")
    with pytest.raises(course.CourseError, match="more than one lesson. They are:\n  03-again\n  03-stride-zero\nGive"):
        course.find_lesson(source, "3")


def test_reset_sets_work_aside_dated_and_restores_the_lesson(source, folder):
    course.deliver(source, folder, "0.1.0")
    for work, aside in [
        ("first", "old-2026-11-20-1530-01-one-line.ipynb"),
        ("second", "old-2026-11-20-1530-01-one-line-2.ipynb"),
    ]:
        put(folder / "01-one-line.ipynb", work)
        assert aside in course.reset(source, folder, "1", NOW)
        assert code(folder / aside) == work
        assert code(folder / "01-one-line.ipynb") == "# 01-one-line"


def test_reset_says_on_a_line_of_its_own_what_to_choose_where_the_lesson_is_open(source, folder):
    course.deliver(source, folder, "0.1.0")
    put(folder / "01-one-line.ipynb", "my work")
    done, hint = course.reset(source, folder, "1", NOW).splitlines()
    assert done.endswith("01-one-line.ipynb is fresh")
    assert "File > Reload Notebook from Disk" in hint and "do not choose Overwrite" in hint


def test_reset_restores_a_lost_lesson_and_leaves_an_untouched_one(source, folder):
    course.deliver(source, folder, "0.1.0")
    before = held(folder)
    (folder / "01-one-line.ipynb").unlink()
    assert "restored" in course.reset(source, folder, "1", NOW)
    assert "nothing to reset" in course.reset(source, folder, "1", NOW)
    assert held(folder) == before


def test_reset_without_a_course_says_how_to_get_one(source, folder):
    with pytest.raises(course.CourseError, match="rustyflow lab"):
        course.reset(source, folder, "1", NOW)


texts = st.sampled_from(["one", "two", "three", "mine", "also mine"])
names = st.sampled_from(LESSONS)
steps = st.one_of(
    st.tuples(st.just("student writes"), names, texts),
    st.tuples(st.just("author writes"), names, texts),
    st.tuples(st.just("student deletes"), names),
    st.tuples(st.just("deliver")),
    st.tuples(st.just("forget")),
    st.tuples(st.just("reset"), names),
)


@given(st.lists(steps, max_size=12))
def test_no_delivery_and_no_reset_loses_a_word_the_student_wrote(story):
    with tempfile.TemporaryDirectory() as place:
        source, folder = Path(place, "source"), Path(place, "copy")
        for name in LESSONS:
            put(source / f"{name}.ipynb", "one")
        course.deliver(source, folder, "0.1.0")
        mine = {}  # what the student's files say, by lesson
        for step, *what in story:
            if step == "student writes":
                put(folder / f"{what[0]}.ipynb", what[1] + " by the student")
                mine[what[0]] = what[1] + " by the student"
            elif step == "author writes":
                put(source / f"{what[0]}.ipynb", what[1])
            elif step == "student deletes":
                (folder / f"{what[0]}.ipynb").unlink(missing_ok=True)
                mine.pop(what[0], None)
            elif step == "deliver":
                course.deliver(source, folder, "0.2.0")
                assert all(code(folder / f"{name}.ipynb") == work for name, work in mine.items())
            elif step == "forget":
                (folder / course.MANIFEST).unlink(missing_ok=True)
            else:
                aside = set(held(folder))
                course.reset(source, folder, what[0], NOW)
                if work := mine.pop(what[0], None):
                    (new,) = set(held(folder)) - aside
                    assert code(folder / new) == work
                assert code(folder / f"{what[0]}.ipynb") == code(source / f"{what[0]}.ipynb")
