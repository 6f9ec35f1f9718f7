"""Several pictures as one story: each frame shows what it shows alone, and nothing of the others."""

import re

import pytest

import rustyflow as rf
from rustyflow import show
from rustyflow.scene import Figure, in_turn

X = rf.arange(6.0).view(2, 3)
FIGURES = (
    lambda: show.strides(X, names=["x"], title="x"),
    lambda: show.reduce(X, "sum", 0, name="x"),
    lambda: show.curve(lambda x: x * x, 3.0),
    lambda: show.matmul(X, X.t(), names=["x", "y"]),
)


def seen(figure, frame, link=None):
    """The texts of a picture that are drawn."""
    return sorted(re.findall(r">([^<>]+)</t", figure.svg(frame, link, head=False)))


@pytest.mark.parametrize("second", FIGURES)
@pytest.mark.parametrize("first", FIGURES)
def test_each_frame_shows_what_it_shows_alone(first, second):
    one, two = first(), second()
    both = Figure(in_turn(one.scene, two.scene))
    assert both.sentences == one.sentences + two.sentences
    for n in range(len(both.frames)):
        alone, frame, ending = (one, n, "-0") if n < len(one.frames) else (two, n - len(one.frames), "")
        assert seen(both, n) == seen(alone, frame)
        lit = {id + ending for id, worn in alone.state(frame).classes.items() if "lit" in worn}
        assert {id for id, worn in both.state(n).classes.items() if "lit" in worn} == lit
        assert both.frames[n].sends == tuple((a + ending, b + ending) for a, b in alone.frames[frame].sends)
    link = next(iter(one.scene.links[0].links))
    assert both.state(0, link + "-0").sentence == one.state(0, link).sentence
    assert both.state().frame == len(one.frames) + two.state().frame
