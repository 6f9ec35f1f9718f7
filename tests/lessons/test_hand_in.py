"""Work handed in: a notebook that runs alone, with what passed, and with a point for each function."""

import json
import linecache

import nbformat
import pytest

import rustyflow
from rustyflow.lessons import (
    again_and_again as again,
    museum_of_real_bugs as museum,
    reduce_forward_expand_backward as reduced,
    who_cut_the_graph as cuts,
    why_the_transposes as turned,
)
from rustyflow.lessons.kit.answers import keeping

SHARES = """
ALL = 1

def how_many(top):
    return top.sum() * ALL

def shares(g, x):
    top = x == x.max()
    return g * top / how_many(top)
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    keeping.passed.clear()
    yield tmp_path
    keeping.passed.clear()


def written(source, name):
    """A function as a cell of a notebook defines it."""
    linecache.cache["<cell>"] = (len(source), None, source.splitlines(True), "<cell>")
    names = {"torch": rustyflow, "__name__": "__main__"}
    exec(compile(source, "<cell>", "exec"), names)
    return names[name]


def scores(path):
    """What the last line of each grading cell comes to, where all cells are run in their order."""
    names, found = {}, {}
    for cell in nbformat.read(path, as_version=4).cells:
        marks = cell.metadata.nbgrader
        if marks.grade:
            found[marks.grade_id] = float(eval(cell.source, names))
        else:
            linecache.cache[marks.grade_id] = (1, None, cell.source.splitlines(True), marks.grade_id)
            exec(compile(cell.source, marks.grade_id, "exec"), names)
    return found


def test_what_passed_is_in_it_with_all_it_uses_and_the_rest_is_not_attempted(folder):
    assert museum.shares(written(SHARES, "shares")).score == 1
    said = museum.hand_in()
    words = " ".join(said.text.split())
    assert said.score == 0.5 and "shares passed" in words and "my_test not passed yet" in words
    path = folder / "handed-in" / "museum_of_real_bugs.ipynb"
    nbformat.validate(nbformat.read(path, as_version=4))
    assert scores(path) == {"shares-check": 1, "my_test-check": 0}
    assert "how_many" in path.read_text(encoding="utf-8")


@pytest.mark.parametrize("lesson, names", [
    (reduced, ["vjp_mean", "vjp_amax", "vjp_embedding"]), (turned, ["vjp_matmul", "vjp_linear"]),
    (cuts, ["pull"]), (again, ["accumulate"]), (museum, ["shares", "my_test"]),
])  # fmt: skip
def test_each_of_these_lessons_hands_in_what_is_written_in_it(folder, lesson, names):
    assert lesson.hand_in().score == 0
    path = folder / "handed-in" / f"{lesson.__name__.rpartition('.')[2]}.ipynb"
    assert scores(path) == {f"{name}-check": 0 for name in names}


def test_a_wrong_function_is_not_in_it(folder):
    cuts.pull(lambda student, teacher: None)
    assert cuts.hand_in().score == 0
    assert scores(folder / "handed-in" / "who_cut_the_graph.ipynb") == {"pull-check": 0}


def test_it_is_written_again_only_where_it_changes_and_an_older_one_stays(folder):
    place = folder / "handed-in" / "museum_of_real_bugs.ipynb"
    museum.hand_in()
    first = place.read_bytes()
    museum.hand_in()
    assert [path.name for path in place.parent.iterdir()] == [place.name]
    assert museum.shares(written(SHARES, "shares")).score == 1
    museum.hand_in()
    (older,) = (path for path in place.parent.iterdir() if path != place)
    assert older.read_bytes() == first != place.read_bytes()
    assert json.loads(first)["nbformat"] == 4


def test_where_nothing_can_be_written_it_says_so(folder):
    (folder / "handed-in").write_text("a file", encoding="utf-8")
    said = museum.hand_in()
    assert said.score == 0 and said.text.startswith("Nothing was written:")
    assert (folder / "handed-in").read_text(encoding="utf-8") == "a file"
