"""A student keeps the copy of the lessons that they began with, and brings the library up to date under it.

`lessons-0.json` has the code cells of the six lessons as they were first laid out, and `lessons-1.json` those of twelve
whose questions are figures. They are not changed any more.
"""

import ast
import builtins
import json
import re
from pathlib import Path

import pytest

from rustyflow import cli
from rustyflow.cli import course
from rustyflow.data.sets import course_folder
from rustyflow.lessons import Blanks, Exercise, Question
from rustyflow.lessons.kit.answers import progress
from tests.lessons.catalogue import checks_of, lessons

FIXTURES = Path(__file__).parents[1] / "fixtures"
OLDER = [json.loads((FIXTURES / f"lessons-{k}.json").read_text(encoding="utf-8")) for k in (0, 1)]
LESSONS = [pytest.param(*lesson, id=f"{lesson[0]} {k}") for k, copy in enumerate(OLDER) for lesson in copy.items()]
MODULES = lessons()
CALL = re.compile(r"^check\.(\w+)(?:\((.*)\))?$", re.M)

every_lesson = pytest.mark.parametrize("lesson, cells", LESSONS)


@pytest.fixture(autouse=True)
def fresh():
    """As in a kernel that was just started, nothing is guessed."""
    for module in MODULES.values():
        for question in (check for check in checks_of(module).values() if isinstance(check, Question)):
            question._guesses.clear()
            question._known.clear()


def displayed(value):
    """A value as Jupyter shows it."""
    bundle = getattr(value, "_repr_mimebundle_", None)
    return bundle() if bundle else repr(value)


def run(source, names):
    """Run a cell, and show its last expression if it ends in one."""
    tree = ast.parse(source)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "cell", "exec"), names)
    value = eval(compile(ast.Expression(last.value), "cell", "eval"), names) if last else None
    displayed(value)
    return value


def asked(cells):
    """The checks that cells ask for, by name, each with its cell."""
    return {found[1]: source for source in cells if (found := CALL.search(source))}


def module_of(lesson):
    return MODULES[course.titled(lesson).replace("-", "_")]


def right(check):
    """Source that answers a check, as a student would who has it all."""
    if isinstance(check, Blanks):
        return ", ".join(f"{name}={blank.key(**check.case)!r}" for name, blank in check.blanks.items())
    return "model" if isinstance(check, Exercise) else repr(check.right())


@every_lesson
def test_every_cell_of_an_older_copy_runs(lesson, cells, monkeypatch):
    """A question is answered as soon as it is shown, so that the cells below it run."""
    monkeypatch.setenv("RUSTYFLOW_DISPLAY", "static")
    names, checks = {}, checks_of(module_of(lesson))
    for source in cells:
        run(source, names)
        for name in asked([source]):
            if isinstance(checks[name], Question):
                checks[name].commit("A")


@every_lesson
@pytest.mark.parametrize("guess", ['"A"', '"b"', "6", "None"])
def test_a_guess_in_an_older_copy_is_answered(lesson, cells, guess):
    names, checks = {}, checks_of(module_of(lesson))
    run(cells[0], names)
    for name, source in asked(cells).items():
        if not isinstance(checks[name], Question):
            continue
        source = source.replace("...", guess, 1) if "..." in source else f"{source}({guess})"
        assert float(run(source, names)) in (0, 1)


@every_lesson
def test_values_and_functions_in_an_older_copy_are_answered(lesson, cells):
    names, checks = {}, checks_of(module_of(lesson))
    run(cells[0], names)
    for name, source in asked(cells).items():
        if isinstance(checks[name], Question):
            continue
        assert float(run(source, names)) == 0 and "not attempted yet" in run(source, names).text.lower()
        assert 0 <= float(run(source.replace("...", "1", 1), names)) <= 1


@every_lesson
def test_a_cell_of_an_older_copy_waits_for_its_guess_and_then_runs(lesson, cells):
    names, checks = {}, checks_of(module_of(lesson))
    run(cells[0], names)
    for name in dict.fromkeys(re.findall(r"^check\.(\w+)\.after\(\)$", "\n".join(cells), re.M)):
        with pytest.raises(Exception, match=rf"First answer the question above \({name}\)"):
            run(f"check.{name}.after()", names)
        checks[name].commit("A")
        run(f"check.{name}.after()", names)


@every_lesson
def test_progress_counts_what_is_answered_in_an_older_copy(lesson, cells, tmp_path, monkeypatch, capsys):
    course.deliver(course_folder(), tmp_path, "0.1.0")
    book = {"cells": [{"cell_type": "code", "source": source} for source in cells]}
    (tmp_path / f"{lesson}.ipynb").write_text(json.dumps(book), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(builtins, "get_ipython", lambda: None, raising=False)
    for name in ("CI", "NBGRADER_EXECUTION"):
        monkeypatch.delenv(name, raising=False)
    names, checks = {}, checks_of(module_of(lesson))
    run(cells[0], names)
    many = len(asked(cells))
    for count, name in enumerate(asked(cells), 1):
        names["model"] = getattr(checks[name], "model", None)
        run(f"check.{name}({right(checks[name])})", names)
        assert progress.done(checks[name])
        assert cli.main(["progress"]) == 0
        [line] = [line for line in capsys.readouterr().out.splitlines() if line.startswith(lesson)]
        left = [f"check.{one}" for one in list(asked(cells))[count:]]
        assert line.split() == [lesson, str(count), "of", str(many), *left[:1]]
