"""Scenes of widgets, as they are changed, and of lessons' questions, as they are answered, by name."""

from dataclasses import replace
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import numpy as np

import rustyflow as rf
from rustyflow import show
from rustyflow.cli.course import titled
from rustyflow.lessons import Question, checks_of
from rustyflow.lessons.kit.questions import stages

from .cells import A, B
from .inputs import MINUS, THIRDS, X, t
from .programs import PROGRAMS, net, twice

FIGURES = {}


def played(make, *changes):
    """A widget's scene, and that after each change with what is said under it."""

    def scenes():
        widget = make()
        seen = {"": widget.figure.scene}
        for k, change in enumerate(changes):
            with widget.together():
                change(widget)
            seen |= {f"{k}": widget.figure.scene, f"note {k}": widget._note}
        return seen

    return scenes


def setting(**traits):
    return lambda widget: [setattr(widget, name, value) for name, value in traits.items()]


def pressing(*names):
    return lambda widget: [widget.press(name) for name in names]


def picking(which):
    return lambda engine: engine.waiting and engine.press(f"pick {engine.waiting[which]}")


W = None if find_spec("anywidget") is None else import_module("rustyflow.widgets")
WIDGETS = {}
if W:
    WIDGETS = dict(
        strides=played(
            lambda: W.Strides(t(X / 3, False), names=["x"]),
            setting(tensors=[t(X, False), t(X, False).t()]),
        ),
        strides_playground=played(
            lambda: W.StridesPlayground(t(X / 2, False), name="x"),
            pressing("transpose"),
            pressing("slice", "expand"),
            setting(offset=9),
        ),
        broadcast=played(
            lambda: W.Broadcast(t(A, False), t(B, False), names=["a", "b"]), setting(op="*"), setting(op="maximum")
        ),
        broadcast_playground=played(
            lambda: W.BroadcastPlayground((3, 1), (4,)),
            setting(shapes=["3, 4", "3"]),
            setting(shapes=["2, 1, 2", "2, 1"], op="*"),
        ),
        reduce=played(
            lambda: W.Reduce(t(THIRDS, False), "mean", name="x"), setting(dim="1"), setting(op="var", dim="0")
        ),
        matmul=played(
            lambda: W.Matmul(t(THIRDS, False), t(THIRDS.T, False), names=["a", "b"]), setting(b=rf.ones(2, 2))
        ),
        graph=played(lambda: W.Graph(twice(), title="y"), setting(y=net())),
        backward=played(lambda: W.Backward(PROGRAMS["product"](), title="y"), setting(upstream="0.3")),
        op=played(
            lambda: W.Op("cumsum", t(B, False), dim=0, names=["x"]),
            setting(cells=["[1, 2.5, 5]"]),
            setting(cells=["[[1/"]),
        ),
        op_product=played(lambda: W.Op("matmul", t(THIRDS, False), t(MINUS.T.copy(), False), names=["a", "b"])),
        curve=played(
            lambda: W.Curve(lambda x: x * x / 3, 3.0),
            setting(at=1 / 3, nudge=-0.3),
            setting(at=50.0),
            setting(nudge=0.0),
        ),
        expression=played(
            lambda: W.Expression("(a * b).sum()", a=t(np.array([1.0, 2.0])), b=t(np.array([1 / 3, 4.0]))),
            setting(text="(a * a * b).tanh().sum()"),
            setting(cells=["[1, 10]", "[nan, 4]"]),
        ),
        expression_forward=played(
            lambda: W.Expression(
                "(a * b).sum()", a=t(np.array([1.0, 2.0])), b=t(np.array([1 / 3, 4.0])), backward=False
            )
        ),
        engine_right=played(lambda: W.BeTheEngine(twice(), title="y"), *[picking(-1)] * 3),
        engine_early=played(lambda: W.BeTheEngine(twice(), title="y"), *[picking(0)] * 3),
        engine_net=played(lambda: W.BeTheEngine(net(), title="y"), *[picking(0)] * 8),
    )
FIGURES |= {f"widget: {name.replace('_', ' ')}": scenes for name, scenes in WIDGETS.items()}


def question(asked):
    """A question's scenes, locked, asked again and played out; and what its lesson says of each belief."""
    key, choices = asked.right(), asked.choices()
    return {
        "": stages.locked(asked),
        **{letter: stages.told(asked, (letter,)) for letter in choices},
        **{f"{letter} alone": stages.played(asked, letter) for letter in choices},
        **{f"{letter} again": stages.locked(asked, letter) for letter in choices if letter != key},
        **{f"belief {k}": m.belief for k, m in enumerate(asked.misconceptions)},
        **{f"truth {k}": m.truth for k, m in enumerate(asked.misconceptions)},
    }


for file in sorted((Path(__file__).parents[2] / "notebooks").glob("*.ipynb")):
    for name, check in checks_of(titled(file.stem).replace("-", "_")).items():
        if isinstance(check, Question):
            FIGURES[f"lesson: {name}"] = lambda check=check: question(replace(check))

FIGURES["help: all"] = lambda: {"": repr(show.help())}
