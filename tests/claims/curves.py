"""Figures of `show.curve` by name: lines of all kinds, checks over their steps, lines that are fitted to points."""

import numpy as np

import rustyflow as rf
from rustyflow import nn, show

from .inputs import NAN, drawn, t

MODEL, X, Y = nn.Linear(3, 1), t(drawn(5, 3), False), t(drawn(5, 1, seed=1), False)
with rf.no_grad():
    MODEL.weight.copy_(t(drawn(1, 3, seed=2), False))


def loss():
    return ((MODEL(X) - Y) ** 2).mean()


def floated(x):
    return float(x) ** 2


SPEED, FEET = [1.0, 1.4, 2.0, 2.4], [18.0, 36.0, 48.0, 92.0]
LINES = {
    "a square": lambda: show.curve(lambda x: x * x, 3.0),
    "thirds": lambda: show.curve(lambda x: x * x / 3, 1 / 3, nudge=(0.3, 1 / 7)),
    "to the left": lambda: show.curve(lambda x: 8 - x * x, 2.0, nudge=(-1, -0.5)),
    "a corner": lambda: show.curve(lambda x: x.relu(), 0.0),
    "a jump": lambda: show.curve(lambda x: x.floor(), 2),
    "upright": lambda: show.curve(lambda x: x.abs().sqrt(), 0.0),
    "an end": lambda: show.curve("sqrt", 0.0, nudge=(1, -0.1)),
    "no number": lambda: show.curve("log", -1.0),
    "beside no number": lambda: show.curve("log", 0.5, nudge=(1, -1, 0.1)),
    "huge": lambda: show.curve("exp", 100.0),
    "far": lambda: show.curve(lambda x: x * x + 1, 123456.0),
    "constant": lambda: show.curve(lambda x: rf.tensor(5.0), 1.0),
    "no gradient": lambda: show.curve(floated, 3.0),
    "another rule": lambda: show.curve(lambda x: x.detach() * x, 3.0),
    "of two": lambda: show.curve(lambda x, w: x * w * w, (0.5, 1 / 3), over="w"),
    "a weight": lambda: show.curve(loss, MODEL.weight, (0, 1)),
    "a part of the line": lambda: show.curve("sin", 1.0, span=(-4, 8)),
    "waves": lambda: show.curve(lambda x: (1 / x).sin(), 0.1),
    "check": lambda: show.curve("exp", 1.0, check=True),
    "check of a cube": lambda: show.curve(lambda x: x * x * x, 3.0, check=True),
    "check of a square": lambda: show.curve(lambda x: x * x, 3.0, check=True),
    "check at a corner": lambda: show.curve(lambda x: x.relu(), 0.0, check=True),
    "check of a weight": lambda: show.curve(loss, MODEL.weight, (0, 1), check=True),
    "fits": lambda: show.curve(
        lambda x, w: w * x * x, fits=[0.0, 6.45, 10.2, 12.4, 15.4], points=(SPEED, FEET), names=["speed", "feet"]
    ),
    "fits of two": lambda: show.curve(
        lambda x, a, b: a * x + b, fits=[(0, 0), (1 / 3, 5), np.array([30.0, -14.0]), (NAN, 1)], points=([1, 2], [9, 4])
    ),
    "fits of functions": lambda: show.curve(fits=[lambda x: x, lambda x: x * x], points=([1, 2, 3], [1, 4, 9])),
}
FIGURES = {f"curve: {name}": make for name, make in LINES.items()}
