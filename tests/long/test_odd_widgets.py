"""Odd tensors, names and graphs in every widget: a figure, or an error that says what came, the rule, what to write."""

import math

import pytest

import rustyflow as rf
from rustyflow.errors import TensorError

pytest.importorskip("anywidget")
from rustyflow import widgets

ODD = {
    "rank 0": rf.tensor(1.5),
    "rank 8": rf.ones(1, 2, 1, 1, 2, 1, 1, 2),
    "empty": rf.empty(0),
    "no rows": rf.empty(0, 3),
    "nan and inf": rf.tensor([[math.nan, math.inf], [-math.inf, -0.0]]),
    "bool": rf.tensor([[True, False], [False, True]]),
    "overlapping": rf.arange(3.0).as_strided((2, 2), (1, 1)),
    "huge": rf.zeros(1).expand(10**9),
    "large": rf.zeros(1000, 1000),
}
NAMES = "<b>x</b>", "&amp;", "🦀", '"', "'", "</script>", "a\nb"
MADE = {
    "Strides": lambda x, name: widgets.Strides(x, names=[name]),
    "StridesPlayground": lambda x, name: widgets.StridesPlayground(x, name=name),
    "Broadcast": lambda x, name: widgets.Broadcast(x, x, names=[name, "b"]),
    "Reduce": lambda x, name: widgets.Reduce(x, name=name),
    "Matmul": lambda x, name: widgets.Matmul(x, x, names=[name, "b"]),
    "Op": lambda x, name: widgets.Op("cumsum", x, dim=0, names=[name]),
    "Graph": lambda x, name: widgets.Graph(tracked(x), title=name),
    "Backward": lambda x, name: widgets.Backward(tracked(x), title=name),
    "BeTheEngine": lambda x, name: widgets.BeTheEngine(tracked(x), title=name),
    "Expression": lambda x, name: widgets.Expression("a * 2", a=x),
}
SET = {"Strides": "tensors", "Broadcast": "tensors", "Reduce": "x", "Matmul": "a", "Graph": "y", "Backward": "y"}
every_widget = pytest.mark.parametrize("widget", MADE)


def tracked(x):
    """Computed from x, which asks for its gradient where it can; of what is too large to multiply a part."""
    x = x if x.numel() < 10**7 else x[:5]
    return x.detach().requires_grad_() * 2 if x.is_floating_point() else x * 2


def clear(error):
    return isinstance(error, TensorError) and error.was and error.rule and error.fix


@every_widget
@pytest.mark.parametrize("kind", ODD)
def test_an_odd_tensor_is_drawn_or_refused_in_three_parts(widget, kind):
    try:
        made = MADE[widget](ODD[kind], "x")
    except Exception as error:
        assert clear(error), repr(error)
    else:
        assert made.figure.sentences and all(made.figure.sentences) and len(made._scene) < 300_000


@every_widget
def test_a_name_is_text(widget):
    scripts = MADE[widget](rf.ones(2, 2), "x")._bundle()["text/html"].count("</script>")
    for name in NAMES:
        try:
            made = MADE[widget](rf.ones(2, 2), name)
        except Exception as error:
            assert clear(error), repr(error)
        else:
            drawn, html = made.figure.svg(), made._bundle()["text/html"]
            assert "<b>x" not in drawn + html and html.count("</script>") == scripts, name
            assert "a\nb" not in drawn + html, name


@pytest.mark.parametrize("widget", SET)
def test_an_odd_tensor_that_is_set_is_drawn_or_the_figure_stays(widget):
    made, trait = MADE[widget](rf.ones(2, 2), "x"), SET[widget]
    for kind, x in ODD.items():
        before = made.figure
        setattr(made, trait, [x, x] if trait == "tensors" else tracked(x) if trait == "y" else x)
        assert (made.figure is before) == made._note.startswith("The figure stays as it was. "), (kind, made._note)
        assert made.figure.sentences and made._note.count("\n") <= 4 and len(made._note) < 500, kind


@pytest.mark.parametrize("widget", ["Graph", "Backward", "BeTheEngine"])
def test_a_freed_graph_is_drawn_as_it_was_or_refused(widget):
    x = rf.tensor([1.0, 2.0], requires_grad=True)
    y = (x * x).sum()
    y.backward()
    try:
        made = getattr(widgets, widget)(y)
    except Exception as error:
        assert clear(error) and "backward" in error.rule + error.fix, repr(error)
    else:
        assert "freed" in made.figure.text() or "let go" in made.figure.text()


def test_an_equal_tensor_that_is_set_is_another_one():
    x = rf.tensor([[1.0]])
    for made, trait in ((widgets.Strides(x, names=["x"]), "tensors"), (widgets.Reduce(x, name="x"), "x")):
        before, other = made.figure, x.as_strided((1, 1), (1, 7))
        setattr(made, trait, [other] if trait == "tensors" else other)
        assert made.figure is not before
