"""widgets.Curve in Python: what is set is drawn, what cannot be is said, and the line stays while the point moves."""

import math

import pytest
import traitlets

import rustyflow as rf

pytest.importorskip("anywidget")
from rustyflow import widgets


def slope(curve):
    return curve.figure.scene.index["v0"].text, curve.figure.scene.index["gc"].children[2].text


@pytest.mark.parametrize(
    "at, nudge, shown", [(2.0, 1.0, ("5", "4")), (-1.5, 0.5, ("-2.5", "-3")), (0, -2, ("-2", "0"))]
)
def test_what_is_set_is_drawn(at, nudge, shown):
    curve = widgets.Curve(lambda x: x * x, at=3.0)
    with curve.together():
        curve.at, curve.nudge = at, nudge
    assert slope(curve) == shown and curve.frame == len(curve.figure.frames) - 1 and curve._note == ""
    assert curve.figure.scene.title == f"f(x) = x * x, at x = {at:g}"


def test_the_axes_stay_while_the_point_moves_on_the_line():
    curve = widgets.Curve("sin", at=1.0)
    before = curve._picture.views[0]
    for at in (1.5, 2.0, -1.0):
        curve.at = at
        assert (curve._picture.views[0].x, curve._picture.views[0].y) == (before.x, before.y)
    curve.at = 40.0
    assert curve._picture.views[0].x.holds(40.0) and curve._picture.views[0].x != before.x


@pytest.mark.parametrize("trait, value, said", [
    ("nudge", 0.0, "0 / 0 is no slope"), ("nudge", math.nan, "0 / 0 is no slope"), ("at", math.inf, "a nudge of 0"),
    ("nudge", 1e-30, "rounded"),
])  # fmt: skip
def test_what_cannot_be_drawn_leaves_the_figure(trait, value, said):
    curve = widgets.Curve(lambda x: x * x, at=3.0)
    before = curve.figure
    setattr(curve, trait, value)
    assert curve.figure is before and said in curve._note and curve._note.startswith("The figure stays as it was.")
    curve.at, curve.nudge = 1.0, 1.0
    assert slope(curve) == ("3", "2") and curve._note == ""


def test_what_is_no_number_is_refused():
    curve = widgets.Curve(lambda x: x * x, at=3.0)
    with pytest.raises(traitlets.TraitError, match="at is a number"):
        curve.at = "three"
    with pytest.raises(TypeError, match="nudge"):
        widgets.Curve(lambda x: x, nudge="a")


def test_where_there_is_no_point_the_figure_says_so_and_can_be_left():
    curve = widgets.Curve("log", at=1.0)
    curve.at = -1.0
    assert curve.figure.sentences == ("log(-1) = nan: there is no point of the line, and no slope.",)
    curve.at = 2.0
    assert slope(curve)[1] == "0.5"


def test_its_inputs_lie_in_the_drawing_where_the_numbers_do():
    curve = widgets.Curve(lambda x: x * x, at=3.0)
    for control, shape in zip(curve.controls(), ("p0", "q0")):
        value = getattr(curve, control.trait)
        part = (value - control.min) / (control.max - control.min)
        place = control.ends[0] + part * (control.ends[1] - control.ends[0])
        there = dict(curve.figure.scene.index[shape].attrs)["cx"]
        assert control.spot == shape and place == pytest.approx(there, abs=0.3)
        steps = (value - control.min) / control.step
        assert steps == pytest.approx(round(steps), abs=1e-6)


def test_a_weight_is_played_with_and_stays_what_it_is():
    w = rf.tensor([1.0, 2.0], requires_grad=True)
    curve = widgets.Curve(lambda: (w * w).sum(), w, 1, names=["w"])
    curve.at = 5.0
    assert slope(curve) == ("11", "10") and w.tolist() == [1.0, 2.0] and w.grad is None and w._version == 0
    assert [control.label for control in curve.controls()] == ["w[1]", "nudge"]
