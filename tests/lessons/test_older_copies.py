"""A student keeps the copy of the lessons that they began with, and brings the library up to date under it.

`lessons-0.json` has the code cells of the six lessons as they were first laid out, and is not changed any more.
"""

import ast
import json
from pathlib import Path

import pytest

OLDER = json.loads((Path(__file__).parents[1] / "fixtures" / "lessons-0.json").read_text(encoding="utf-8"))


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


@pytest.mark.parametrize("lesson", OLDER)
def test_every_cell_of_an_older_copy_runs(lesson, monkeypatch):
    monkeypatch.setenv("RUSTYFLOW_DISPLAY", "static")
    names = {}
    for source in OLDER[lesson]:
        run(source, names)


@pytest.mark.parametrize("lesson", OLDER)
@pytest.mark.parametrize("guess", ['"A"', '"b"', "6", "None"])
def test_a_guess_in_an_older_copy_is_answered(lesson, guess):
    names = {}
    for source in OLDER[lesson]:
        if source.startswith("guess = ..."):
            said = run(source.replace("...", guess, 1), names)
            assert float(said) in (0, 1)
        elif source.startswith("import"):
            run(source, names)
