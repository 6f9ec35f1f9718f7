"""show.help: each line that it tells to copy runs, and draws the figure that it names."""

import pytest

import rustyflow as rf
from rustyflow import show
from rustyflow.show.questions import ASKED


@pytest.mark.parametrize("line", [line for _, line in ASKED if line[0] != "%"])
def test_each_line_runs(line, capsys):
    x, w = rf.arange(6.0).reshape(2, 3).requires_grad_(), rf.ones(3, 2, requires_grad=True)
    y = (x @ w).sum()
    known = {"show": show, "rustyflow": rf, "x": x, "w": w, "y": y, "loader": [x], "model": rf.nn.Linear(3, 1)}
    known["other"] = lambda graph, upstream: {}
    made = eval(line.partition("#")[0], known)
    if "training" in line:  # the picture is of what it has seen
        for x in made:
            known["model"](x).sum().backward()
        made = made.figure()
    assert made is None and " = mm " in capsys.readouterr().out or isinstance(made, show.Figure)


def test_every_figure_answers_a_question_and_the_table_says_the_same():
    said = repr(show.help())
    assert {name for name in show.__all__ if name not in ("Figure", "help", "static")} == {
        line.partition("(")[0].removeprefix("show.") for _, line in ASKED if line.startswith("show.")
    }
    assert len(said.splitlines()) == len(ASKED) <= 15
    assert all(f"<code>{line}</code>" in show.help()._repr_html_().replace("&#x27;", "'") for _, line in ASKED)
