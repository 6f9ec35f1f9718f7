"""show.curve: slopes by nudges and by backward, corners, jumps and ends, checks over their steps, lines that learn."""

import math
import random

import numpy as np
import pytest

import rustyflow as rf
from rustyflow import nn, show
from rustyflow.show.curve.function import tried
from rustyflow.show.curve.line import sampled
from rustyflow.show.curve.moved import of_numbers
from rustyflow.show.curve.slopes import Slopes
from rustyflow.show.kit.axes import Axis
from tests.claims.curves import LINES
from tests.scene.rooms import overruns

SPEED, FEET = rf.tensor([1.0, 1.5, 2.0]), rf.tensor([10.0, 20.0, 50.0])


def slopes(f, at, nudges=(1.0, 0.1, 0.01)):
    return Slopes(tried(of_numbers(f, "f", [at], 0, None), at), at, nudges)


@pytest.mark.parametrize("f, at, wanted, gradient", [
    (lambda x: x * x, 3.0, (7, 6.1, 6.01), 6),
    (lambda x: x * x * x - 2 * x, -1.0, (-1, 0.71, 0.9701), 1),
    (lambda x: 1 / x, 0.5, (-4 / 3, -10 / 3, -200 / 51), -4),
    (lambda x: x.abs(), -2.0, (-1, -1, -1), -1),
    (lambda x: x.exp(), 0.0, (math.e - 1, (math.e**0.1 - 1) / 0.1, (math.e**0.01 - 1) / 0.01), 1),
])  # fmt: skip
def test_slopes_of_nudges_and_of_backward(f, at, wanted, gradient):
    told = slopes(f, at)
    assert [nudge.slope for nudge in told.nudges] == pytest.approx(wanted, rel=1e-9, abs=1e-12)
    assert told.grad == pytest.approx(gradient) and told.sides.kind == "smooth" and told.agrees


KINDS = {
    "corner": ((lambda x: x.relu(), 0.0), (lambda x: x.abs(), 0.0), (lambda x: (x * 1e6).relu(), 0.0),
               (lambda x: rf.maximum(x, 2 - x), 1.0)),
    "jump": ((lambda x: x.floor(), 2.0), (lambda x: rf.where(x > 1, x * 0 + 2, x), 1.0), (lambda x: x > 0, 0.0)),
    "endless": ((lambda x: x.abs().sqrt(), 0.0), (lambda x: x.abs() ** 0.25, 0.0),
                (lambda x: x.sign() * x.abs().sqrt(), 0.0)),
    "edge": ((lambda x: x.sqrt(), 0.0), (lambda x: (2 - x).sqrt(), 2.0), (lambda x: 1 / x if x <= 1 else None, 1.0)),
    "smooth": ((lambda x: (x * 1e8).tanh(), 0.0), (lambda x: nn.functional.softplus(x * 1000), 0.0),
               (lambda x: (1 / x).sin(), 0.01), (lambda x: x * 0 + 5, 1.0), (lambda x: x.exp(), 100.0)),
    "unknown": ((lambda x: (1 - x).log(), 2.0), (lambda x: x.exp(), 800.0), (lambda x: x * math.nan, 0.0)),
}  # fmt: skip


@pytest.mark.parametrize("f, at, kind", [(f, at, kind) for kind, some in KINDS.items() for f, at in some])
def test_the_two_sides_of_a_point_are_known(f, at, kind):
    assert slopes(f, at).sides.kind == kind


@pytest.mark.parametrize("f, at, words", [
    (lambda x: x.relu(), 0.0, "A nudge of -0.000625 gives 0, one of 0.000625 gives 1: the line has a corner here"),
    (lambda x: x.floor(), 2.0, "the smaller the nudge, the steeper. The line jumps here."),
    (lambda x: x.abs().sqrt(), 0.0, "The line stands upright here."),
    (lambda x: x.sqrt(), 0.0, "f(-0.000625) = nan: here the line ends"),
    (lambda x: x.detach() * x, 3.0, "Nudges to both sides give 6, and backward x.grad = 3: it follows another rule"),
    (lambda x: x.item() ** 2, 3.0, "No gradient comes to x: f returned a float, which keeps no history."),
    (lambda x: int(x.item()), 3.0, "No gradient comes to x: f returned an int, which keeps no history."),
    (lambda x: rf.tensor(5.0), 3.0, "what f returned was not computed from x by operations."),
    (lambda x: x.mul_(2), 3.0, "No gradient comes to x: asked for one, f raised GradError, a leaf"),
    (lambda x: x.log(), -1.0, "f(-1) = nan: there is no point of the line, and no slope."),
    (lambda x: x.exp(), 800.0, "f(800) = inf: there is no point of the line, and no slope."),
])  # fmt: skip
def test_what_is_no_slope_is_said(f, at, words):
    assert any(words in sentence for sentence in show.curve(f, at).sentences)


def test_the_story_of_a_square():
    figure = show.curve(lambda x: x * x, at=3.0)
    assert figure.scene.title == "f(x) = x * x, at x = 3"
    assert figure.sentences == (
        "f(3) = 9: the point on the line.",
        "A nudge of 1 moves x from 3 to 4: f(4) = 16.",
        "f(4) - f(3) = 16 - 9 = 7 over a nudge of 1: the slope of the dashed line.",
        "f(3.1) - f(3) = 9.61 - 9 = 0.61, and 0.61 / 0.1 = 6.1.",
        "f(3.01) - f(3) = 9.0601 - 9 = 0.0601, and 0.0601 / 0.01 = 6.01.",
        "The smaller the nudge, the nearer it comes to the gradient, the slope at the point itself: x.grad = 6.",
        "A nudge of 1 gives 7; the gradient, the slope at the point itself, is 6.",
    )
    seen = [[id for id in ("w0", "w1", "w2") if "off" not in figure.state(k).classes.get(id, ())] for k in range(7)]
    assert seen == [["w0"], ["w0"], ["w0"], ["w1"], ["w2"], ["w2"], ["w0"]]
    assert "lit" in figure.state(3).classes["f1"] and "off" in figure.state(3).classes["g"]
    assert "off" in figure.state(2).classes["v1"] and "off" not in figure.state(6).classes.get("g", ())


def test_a_pinned_row_opens_its_window():
    state = show.curve(lambda x: x * x, 3.0).state(0, link="r2")
    assert "off" not in state.classes["w2"] and "off" in state.classes["w0"] and "lit" in state.classes["f2"]
    assert "off" not in state.classes["v2"] and state.sentence.endswith("0.0601 / 0.01 = 6.01.")


def test_the_lengths_are_in_proportion():
    scene = show.curve(lambda x: x * x, 3.0).scene
    heights = []
    for id in ("s0", "t0"):
        d = dict(scene.index[id].children[1].attrs)["d"].split("V")
        heights.append(float(d[0].rpartition(" ")[2]) - float(d[1].partition("M")[0]))
    assert heights[0] / heights[1] == pytest.approx(7 / 6, rel=0.01)


def test_a_length_of_nothing_has_its_number_above_the_line():
    scene = show.curve(lambda x: x.relu(), -1.0).scene
    for id in ("s0", "t0"):
        _, length, number = scene.index[id].children
        y = float(dict(length.attrs)["d"].split()[1].split("h")[0])
        assert number.text == "0" and dict(number.attrs)["y"] == y - 8


TITLES = [
    (lambda: show.curve("exp", 1.0), "exp(x), at x = 1"),
    (lambda: show.curve(np.exp, 1), "exp(x), at x = 1"),
    (lambda: show.curve(nn.Tanh(), 1.0), "Tanh(x), at x = 1"),
    (lambda: show.curve(lambda speed: speed**2, 2.5), "f(speed) = speed ** 2, at speed = 2.5"),
    (lambda: show.curve(lambda x: x * 2, 1.0, names=["u"]), "f(u) = u * 2, at u = 1"),
    (lambda: show.curve(lambda x, w: x * w, (3.0, 2.0), over="w"), "f(3, w) = 3 * w, at w = 2"),
    (lambda: show.curve(lambda x, w: x * w, (3.0, 2.0), over=-2), "f(x, 2) = x * 2, at x = 3"),
    (lambda: show.curve(lambda x: x, rf.tensor(2.0)), "f(x) = x, at x = 2"),
    (lambda: show.curve(lambda x: x, 1.0, title="mine"), "mine"),
]  # fmt: skip


@pytest.mark.parametrize("make, title", TITLES)
def test_titles(make, title):
    assert make().scene.title == title


def test_a_function_that_the_caller_has_named():
    square = lambda x: x * x  # noqa: E731

    def cube(x):
        return x * x * x

    assert show.curve(square, 3.0).scene.title == "square(x) = x * x, at x = 3"
    assert show.curve(cube, 2.0).sentences[0] == "cube(2) = 8: the point on the line."


def test_a_weight_of_a_model_and_nothing_changes():
    rf.manual_seed(3)
    model = nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1d(3), nn.Dropout(0.5), nn.Linear(3, 1))
    x, w = rf.randn(6, 2), model[0].weight

    def loss():
        return (model(x) ** 2).mean() + (w * w).sum()

    loss().backward()
    kept = [w.grad.clone(), w.detach().clone(), w._version, model[1].running_mean.clone(), rf.get_rng_state()]
    theirs = np.random.get_state()[1].tolist(), random.getstate()
    figure = show.curve(loss, w, (1, 0))
    assert rf.equal(w.grad, kept[0]) and rf.equal(w.detach(), kept[1]) and w._version == kept[2]
    assert rf.equal(model[1].running_mean, kept[3]) and rf.equal(rf.get_rng_state(), kept[4]) and w.is_leaf
    assert (np.random.get_state()[1].tolist(), random.getstate()) == theirs
    assert figure.scene.title.startswith("loss over w[1, 0], at ")
    with rf.random.fork_rng():
        (slope,) = rf.autograd.grad(loss(), w)
    assert float(figure.scene.index["gc"].children[2].text) == pytest.approx(slope[1, 0].item(), rel=0.01)


@pytest.mark.parametrize("index, number", [((0, 1), 2.0), ((-1, 0), 3.0), ([1, 1], 4.0)])
def test_a_loss_that_takes_its_weight(index, number):
    w = rf.tensor([[1.0, 2.0], [3.0, 4.0]])
    figure = show.curve(lambda w: (w * w * w).sum(), w, index, nudge=1)
    assert figure.scene.index["gc"].children[2].text == f"{3 * number**2:g}"
    assert figure.scene.index["v0"].text == f"{(number + 1) ** 3 - number**3:g}" and not w.requires_grad


WRONG = {
    "a vector": (lambda: show.curve(lambda x: rf.stack([x, x]), 1.0), RuntimeError, "f(1) has shape (2,)"),
    "nothing": (lambda: show.curve(lambda x: None, 1.0), TypeError, "f(1) is None, a NoneType"),
    "a list": (lambda: show.curve(lambda x: [x], 1.0), TypeError, "a list"),
    "a layer of more inputs": (lambda: show.curve(nn.Linear(2, 1), 1.0), ValueError,
                               "Linear(1) raised ShapeError: linear(): input must have at least one axis"),
    "it raises": (lambda: show.curve(lambda x: 1 / 0, 1.0), ValueError, "f(1) raised ZeroDivisionError: division by"),
    "another each time": (lambda: show.curve(lambda x, n=[0]: n.append(0) or x * len(n), 1.0), ValueError, "and then"),
    "no function": (lambda: show.curve(3.0, 1.0), TypeError, "f=3.0, a float"),
    "no such operation": (lambda: show.curve("expp", 1.0), ValueError, "f='expp'"),
    "a point of text": (lambda: show.curve(abs, "3"), TypeError, "at='3'"),
    "a point that is none": (lambda: show.curve(abs, float("nan")), ValueError, "at=nan"),
    "a huge point": (lambda: show.curve(abs, 10**400), ValueError, "at=1000"),
    "a bool": (lambda: show.curve(abs, True), TypeError, "at=True"),
    "no nudge": (lambda: show.curve(abs, 1.0, nudge=0), ValueError, "nudge=0"),
    "an empty list of nudges": (lambda: show.curve(abs, 1.0, nudge=[]), ValueError, "nudge=[]"),
    "a nudge that is rounded away": (lambda: show.curve(abs, 1.0, nudge=1e-20), ValueError, "x = 1, nudge = 1e-20"),
    "a nudge of text": (lambda: show.curve(abs, 1.0, nudge="a"), TypeError, "nudge='a'"),
    "an argument that is none": (lambda: show.curve(lambda x, w: x, (1, 2), over="q"), ValueError, "over='q'"),
    "a span backwards": (lambda: show.curve(abs, 1.0, span=(3, 1)), TypeError, "span=(3, 1)"),
    "an index of a number": (lambda: show.curve(abs, 1.0, 0), TypeError, "at=1.0, index=0"),
    "no index": (lambda: show.curve(lambda: rf.ones(2).sum(), rf.ones(2)), IndexError, "index=None of shape (2,)"),
    "an index outside": (lambda: show.curve(lambda w: w.sum(), rf.ones(2, 3), (0, 3)), IndexError, "(0, 3)"),
    "an index of text": (lambda: show.curve(lambda w: w.sum(), rf.ones(2), "a"), TypeError, "index='a'"),
    "whole numbers": (lambda: show.curve(lambda w: w.sum(), rf.tensor([1, 2]), 0), TypeError, "int64"),
    "no numbers": (lambda: show.curve(lambda w: w.sum(), rf.zeros(0), 0), IndexError, "shape (0,)"),
    "nothing to check": (lambda: show.curve(lambda x: x.item(), 1.0, check=True), RuntimeError, "x.grad is None"),
    "no steps": (lambda: show.curve(abs, fits=[], points=([1], [2])), TypeError, "fits=[]"),
    "no points": (lambda: show.curve(lambda x, w: x * w, fits=[1.0]), TypeError, "points=None"),
    "points that are no pair": (lambda: show.curve(abs, fits=[()], points=([1, 2], [1])), ValueError, "2 xs and 1 y"),
    "a step of text": (lambda: show.curve(abs, fits=["a"], points=([1], [1])), TypeError, "fits[0]='a'"),
    "a step and no function": (lambda: show.curve(fits=[1.0], points=([1], [1])), TypeError, "there is no f"),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_what_is_no_curve_is_refused_in_three_parts(name):
    call, kind, was = WRONG[name]
    with pytest.raises(kind) as caught:
        call()
    assert was in caught.value.was and caught.value.rule and caught.value.fix


@pytest.mark.parametrize("f, at, value", [
    (math.log, 1.0, "log(1) = 0"), (math.hypot, (3.0, 4.0), "hypot(3, 4) = 5"), (max, (2.0, 1.0), "max(2, 1) = 2"),
])  # fmt: skip
def test_a_function_in_c_need_not_tell_its_parameters(f, at, value):
    assert show.curve(f, at).sentences[0] == f"{value}: the point on the line."


def test_a_nudge_to_where_the_function_raises_is_told_as_that():
    def square(x):
        if x > 1:
            raise ValueError("too far")
        return x * x

    told = show.curve(square, 0.5).sentences
    assert told[1] == "A nudge of 1 moves x from 0.5 to 1.5: square(1.5) raises ValueError."
    assert told[2] == "square(1.5) raises ValueError: this nudge tells nothing of a slope."


def test_a_function_that_raises_elsewhere_has_a_line_where_it_does_not():
    figure = show.curve(lambda x: math.sqrt(x), 0.5)
    assert figure.sentences[0] == "f(0.5) ≈ 0.707: the point on the line."


def test_a_module_of_float32_is_asked_in_float32():
    layer = nn.Linear(1, 1)
    figure = show.curve(lambda x: layer(x.view(1)), 1.0)
    assert figure.scene.index["gc"].children[2].text == f"{layer.weight.item():.3g}".replace("-0.", "-0.")


@pytest.mark.parametrize("f, breaks", [
    (lambda x: math.floor(3 * x), 2), (lambda x: 1 / (x - 0.4), 1), (lambda x: x if x < 0.5 else math.nan, 0),
    (lambda x: math.nan if 0.3 < x < 0.6 else 1.0, 1), (lambda x: x * 1e9, 0), (lambda x: 0.0, 0),
])  # fmt: skip
def test_a_line_breaks_where_it_jumps_and_where_it_has_no_number(f, breaks):
    pieces = sampled(f, 0.0, 0.95, 2.0)
    assert len(pieces) == 1 + breaks
    assert all(a[0] < b[0] for piece in pieces for a, b in zip(piece, piece[1:]))
    assert all(math.isfinite(y) for piece in pieces for _, y in piece)


@pytest.mark.parametrize(
    "low, high", [(0, 1), (-3e-7, 5e-7), (1e9, 3e9), (2.99, 3.01), (-1e308, 1e308), (5, 5.0000001)]
)
def test_ticks_are_round_and_lie_on_their_axis(low, high):
    axis = Axis(low, high, 0.0, 100.0)
    for number, text in axis.ticks():
        assert low <= number <= high and float(text) == pytest.approx(number, rel=1e-12, abs=1e-300)
        assert len(text) <= 9 and 0 <= axis.at(number) <= 100
    assert 0 <= len(axis.ticks()) <= 9


@pytest.mark.parametrize("f, at", [("exp", 1.0), (lambda x: x * x * x, 3.0), (lambda x: x.sin(), 0.5)])
def test_the_error_of_a_check_is_a_u_that_lies_lower_in_float64(f, at):
    figure = show.curve(f, at, check=True)
    wide, valley, small = (figure.scene.about[k] for k in (1, 2, 3))
    assert "float32, too wide" in wide and "float32, the valley" in valley and "float32, too small" in small
    least = [float(s.rpartition("≈ ")[2].rstrip(".")) for s in figure.sentences if "the best of these" in s]
    assert 1e-8 < least[0] < 1e-4 and 1e-13 < least[1] < 1e-8
    assert sum("as 1 / h" in s for s in figure.sentences) == 2
    assert "lit" in figure.state(1).classes["f1"] and "off" not in figure.state(1).classes.get("b0", ())


def test_a_check_at_a_corner_says_that_no_step_is_right():
    sentences = show.curve(lambda x: x.relu(), 0.0, check=True).sentences
    assert "However small the step, x.grad = 0 is not what nudges give: this is not the line's slope." in sentences


def test_the_errors_are_those_of_a_check_by_hand():
    figure = show.curve(lambda x: x * x * x, 2.0, check=True)
    places = {id: dict(shape.attrs) for id, shape in figure.scene.index.items() if id.startswith("e")}
    sentence = figure.state(link="e4").sentence  # a step of 0.1 in float64
    assert sentence == "A step of 0.1 gives 12.01: an error of 0.01." and len(places) == 41


@pytest.mark.parametrize("fits, losses", [
    ([0.0, 10.0, 12.0], [(100 + 400 + 2500) / 3, (0 + 2.5**2 + 10**2) / 3, (4 + 7**2 + 2**2) / 3]),
    ([rf.tensor(0.0), np.float64(12.0)], [1000, 19]),
    ([lambda x: x * 0, lambda x: x * x * 12], [1000, 19]),
])  # fmt: skip
def test_the_loss_is_the_mean_of_the_squared_misses(fits, losses):
    figure = show.curve(lambda speed, w: w * speed * speed, fits=fits, points=(SPEED, FEET))
    told = [figure.state(link=f"o{k}").sentence for k in range(len(fits))]
    assert [float(text.rpartition(" ")[2].rstrip(".")) for text in told] == pytest.approx(losses, rel=0.01)
    assert figure.sentences[-1].startswith(f"In {len(fits) - 1} step")


def test_a_long_training_shows_its_beginning_and_its_end():
    figure = show.curve(lambda x, w: w * x, fits=[1 - 0.9**k for k in range(500)], points=([1, 2], [1, 2]))
    assert len(figure.frames) <= 26 and "Step 499." in figure.sentences[-2] and "Step 1." in figure.sentences[2]


def test_a_training_that_left_the_numbers_is_said():
    figure = show.curve(lambda x, w: w * x, fits=[0.0, float("inf"), float("nan")], points=([1, 2], [1, 2]))
    assert "the loss, is inf." in figure.sentences[2] and "the loss, is nan." in figure.sentences[3]


@pytest.mark.parametrize("name", LINES)
def test_no_text_runs_past_what_holds_it(name):
    assert overruns(LINES[name]()) == {}


def test_names_and_titles_are_text():
    svg = show.curve(lambda x: x, 1.0, names=["<b>"], title="</script><i>{0}").svg()
    assert "<b>" not in svg and "<i>" not in svg and "&lt;i&gt;" in svg
