"""A docstring's first line says in a few words what a thing is or does; the rest stands below it."""

import ast
import re
from pathlib import Path

import pytest

import rustyflow

ROOT = Path(rustyflow.__file__).parent
MOST = 20
ASKS = "What", "Whether", "Where", "Who", "How", "Which"
WORD = re.compile(r"\S*\w\S*")
RULE = re.compile(r"[\w, ]+(\[[^]]*\])? [+-]?= ")
"""An op begins with its formula: `y = x + 1        dx = g`."""


def faults(source):
    """The lines of a module in which a docstring begins otherwise, with how it does.

    >>> faults('"Whether it is."'), faults("def f():\\n    'y = 1        dx = 2'"), faults("x = 1")
    (['1: Whether it is.'], [], [])
    """
    documented = ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef
    nodes = [node for node in ast.walk(ast.parse(source)) if isinstance(node, documented)]
    firsts = [(node.body[0].lineno, text.partition("\n")[0]) for node in nodes if (text := ast.get_docstring(node))]
    return [f"{line}: {first}" for line, first in firsts
            if not RULE.match(first) and (first.split()[0] in ASKS or len(WORD.findall(first)) > MOST)]  # fmt: skip


ROOMS = {path.relative_to(ROOT).parts[0] for path in ROOT.rglob("*.py")}


@pytest.mark.parametrize("room", sorted(ROOMS))
def test_the_first_line_of_a_docstring_is_short_and_no_question(room):
    paths = [ROOT / room] if room.endswith(".py") else sorted((ROOT / room).rglob("*.py"))
    found = {str(path.relative_to(ROOT)): faults(path.read_text(encoding="utf-8")) for path in paths}
    assert {path: lines for path, lines in found.items() if lines} == {}
