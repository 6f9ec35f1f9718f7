"""CONTRIBUTING.md: what it shows is done here, from start to finish."""


import re
import subprocess
import sys
from pathlib import Path

import pytest

import rustyflow

ROOT = Path(rustyflow.__file__).parents[1]
TEXT = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")


def shown(name):
    return re.search(rf"<!-- {name} -->\n```python\n(.*?)```", TEXT, re.DOTALL)[1]


def test_the_op_is_a_function_a_method_a_node_and_differentiable_twice():
    code = shown("op") + """
import doctest, rustyflow as rf
x = rf.tensor([2.0, -3], dtype=rf.float64, requires_grad=True)
assert rf.cube(x).tolist() == x.cube().tolist() == [8, -27] and rf.cube(x).grad_fn.name() == "CubeBackward0"
assert rf.autograd.gradcheck(rf.cube, (x,)) and rf.autograd.gradgradcheck(rf.cube, (x,))
assert "cube %1" in str(rf.ir.graph(rf.cube(x))) and "third power" in rf.cube.__doc__
print("done")
"""
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT)
    assert told.stdout == "done\n", told.stderr


def test_the_figure_is_a_picture_and_a_text():
    names = {}
    exec(shown("figure"), names)
    figure = names["diagonal"](4)
    assert figure.sentences[1] == "The diagonal reads slots 0, 5, 10, 15: a step of 5."
    assert figure.state(1).classes["c22"] == ("cell", "lit") and "<svg" in figure.svg(1)


def test_the_lesson_checks_an_answer_and_names_what_was_thought():
    names = {}
    exec(shown("lesson"), names)
    assert names["how_many"](12).score == 1 and names["how_many"](...).score == 0
    assert "Every row meets every column" in names["how_many"](7).text
    assert names["how_many"](seed=3).score == 0


@pytest.mark.parametrize("path", sorted(set(re.findall(r"`((?:rustyflow|tests|notebooks)/[\w/]*(?:\.py|/))`", TEXT))))
def test_what_it_names_is_there(path):
    assert (ROOT / path).exists()
