"""nbgrader beside us: what its Validate button and its grading make of an answer that is wrong, untouched or right."""

import json

import pytest


def notebook(answer):
    """A cell for the student and one that grades it, as `nbgrader assign` leaves them."""
    def cell(source, name, **flags):
        nbgrader = {"schema_version": 3, "grade": False, "solution": False, "locked": False, "task": False,
                    "grade_id": name, **flags}
        return {"cell_type": "code", "id": name, "source": source, "metadata": {"nbgrader": nbgrader}, "outputs": [],
                "execution_count": None}
    cells = [
        cell("from rustyflow.lessons import one_line_of_memory as lesson", "start", locked=True),
        cell(f"answer = {answer}", "answer", solution=True),
        cell("lesson.find_the_layout(*answer) if answer is not ... else lesson.find_the_layout(..., ..., ...)", "check",
             grade=True, locked=True, points=1),
    ]
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    return json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": kernel, "cells": cells})


@pytest.fixture(params=[("untouched", "..."), ("wrong", "((9, 9), (9, 9), 9)"), ("half", "((2, 3), (9, 9), 9)"),
                        ("right", "((2, 3), (5, 2), 5)")], ids=lambda pair: pair[0])
def handed_in(request, tmp_path):
    kind, answer = request.param
    path = tmp_path / "lesson.ipynb"
    path.write_text(notebook(answer), encoding="utf-8")
    return kind, path


def test_the_validate_button_fails_what_is_not_right(handed_in):
    validator = pytest.importorskip("nbgrader.validator")
    kind, path = handed_in
    found = validator.Validator().validate(str(path))
    assert ("failed" in found) == (kind != "right"), found


def test_grading_gives_the_score(handed_in, monkeypatch):
    utils = pytest.importorskip("nbgrader.utils")
    import nbformat
    from nbconvert.preprocessors import ExecutePreprocessor
    kind, path = handed_in
    monkeypatch.setenv("NBGRADER_EXECUTION", "autograde")
    book = nbformat.read(path, 4)
    ExecutePreprocessor().preprocess(book, {"metadata": {"path": str(path.parent)}})
    score, most = utils.determine_grade(book.cells[2])
    assert most == 1 and score == {"untouched": 0, "wrong": 0, "half": pytest.approx(1 / 3), "right": 1}[kind]


def test_what_was_handed_in_is_scored_as_the_others(tmp_path, monkeypatch):
    utils = pytest.importorskip("nbgrader.utils")
    import nbformat
    from nbconvert.preprocessors import ExecutePreprocessor

    from rustyflow.lessons import models, museum_of_real_bugs as museum
    from rustyflow.lessons.kit.answers import keeping
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(keeping, "passed", {"shares": models.shares})
    assert museum.hand_in().score == 0.5
    monkeypatch.setenv("NBGRADER_EXECUTION", "autograde")
    book = nbformat.read(tmp_path / "handed-in" / "museum_of_real_bugs.ipynb", 4)
    ExecutePreprocessor().preprocess(book, {"metadata": {"path": str(tmp_path)}})
    graded = [cell for cell in book.cells if cell.metadata.nbgrader.grade]
    assert [utils.determine_grade(cell) for cell in graded] == [(1, 1), (0, 1)]
