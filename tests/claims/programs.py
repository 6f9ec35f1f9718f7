"""Figures of programs by name: `show.backward` and `show.graph`."""

import numpy as np

import rustyflow as rf
import rustyflow.nn.functional as f
from rustyflow import ir, show

from .inputs import BIG, BOOLS, INF, ODD, THIRDS, drawn, t

FIGURES = {}


class Mine(rf.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * 2 * x


def w(*shape, seed=0, dtype="float32"):
    return t(drawn(*shape, seed=seed, dtype=dtype))


def twice():
    a = t(3.0)
    c = a * 2
    return c + c * 5


def net():
    x, w1, b1, w2 = w(2, 3), w(4, 3, seed=1), w(4, seed=2), w(1, 4, seed=3)
    return f.mse_loss(f.linear(f.linear(x, w1, b1).tanh(), w2)[:, 0], t(np.array([0.5, -1.0], "float32"), False))


def inplace():
    x = w(2, 2)
    y = x * 1.5
    y[0] *= 3
    return y.sum()


def scoped():
    x = w(3)
    with ir.scope("block"):
        y = x.tanh() * 2
    return (y + x).sum()


def layers(n):
    x = t(np.array([[0.5, -1.0]]), False)
    for k in range(n):
        x = (x @ t(np.array([[1.0, 0.5], [-0.5, 1.0]])) + t(np.array([0.1 * k, 0.0]))).tanh()
    return x.sum()


PROGRAMS = {
    "twice": twice,
    "product": lambda: (t(np.array([1 / 3, 2.0])) * t(np.array([-0.5, 7.0]))).sum(),
    "net": net,
    "scalars": lambda: (t(2.0) * t(3.0) + t(1.0)) * t(-0.5),
    "broadcast": lambda: (w(2, 1) * w(3, seed=1)).sum(),
    "mean": lambda: (w(2, 3) ** 2).mean(),
    "tanh": lambda: w(3).tanh(),
    "matmul": lambda: (w(2, 3) @ w(3, 2, seed=1)).sum(),
    "softmax": lambda: w(2, 3).softmax(1)[0, 0],
    "cross entropy": lambda: f.cross_entropy(w(3, 4), rf.tensor([0, 2, 1])),
    "relu": lambda: w(4).relu().sum(),
    "max": lambda: w(2, 3).amax(1).sum(),
    "index": lambda: w(3, 2)[[0, 2, 2]].sum(),
    "view": lambda: (w(2, 3).T[1:] * 2).sum(),
    "cat": lambda: rf.cat([w(2), w(2, seed=1)]).prod(),
    "in place": inplace,
    "written by hand": lambda: Mine.apply(w(3)).sum(),
    "scope": scoped,
    "where": lambda: rf.where(w(3) > 0, w(3), w(3, seed=1) * 2).sum(),
    "layer norm": lambda: f.layer_norm(w(2, 3), (3,), w(3, seed=1)).sum(),
    "conv": lambda: f.conv2d(w(1, 1, 3, 3), w(1, 1, 2, 2, seed=1)).sum(),
    "divide": lambda: (t(np.array([1.0, 2.0])) / t(np.array([3.0, 0.0]))).sum(),
    "log of zero": lambda: t(np.array([0.0, 1.0])).log().sum(),
    "odd": lambda: (t(ODD) * 2).sum(),
    "big": lambda: (t(BIG) * 1e10).sum(),
    "doubles": lambda: w(3, dtype="float64").exp().sum(),
    "expand": lambda: (t(np.array([[1.5], [2.5]])).expand(2, 3) * t(THIRDS)).sum(),
    "empty": lambda: (t(np.ones((0, 3))) * 2).sum(),
    "masked": lambda: w(2, 3).masked_fill(t(BOOLS, False), -INF).softmax(1).sum(),
    "a constant": lambda: (w(3) + 1e-5).sqrt().sum(),
    "window": lambda: layers(3),
    "detach": lambda: (lambda x: (x * 2).detach() * x)(w(3)).sum(),
    "cumsum": lambda: w(4).cumsum(0)[2],
    "attention": lambda: f.scaled_dot_product_attention(w(1, 2, 2), w(1, 2, 2, seed=1), w(1, 2, 2, seed=2)).sum(),
}
FIGURES |= {f"backward: {name}": lambda make=make: show.backward(make(), title="y") for name, make in PROGRAMS.items()}
GRAPHS = (
    "twice", "net", "product", "broadcast", "matmul", "index", "view", "in place", "written by hand", "scope", "odd",
    "empty", "window", "a constant", "attention", "cross entropy", "where",
)  # fmt: skip
FIGURES |= {f"graph: {name}": lambda name=name: show.graph(PROGRAMS[name](), title="y") for name in GRAPHS}


def learned(act="ReLU", steps=9):
    """A run of a small network, watched."""
    rf.manual_seed(0)
    x, y = rf.utils.data.sets.moons(8)
    model = rf.nn.Sequential(rf.nn.Linear(2, 4), getattr(rf.nn, act)(), rf.nn.Linear(4, 4), rf.nn.Linear(4, 2))
    optimizer = rf.optim.SGD(model.parameters(), lr=0.5)
    run = show.training([(x, y)] * steps, model, every=1)
    for xb, yb in run:
        optimizer.zero_grad()
        f.cross_entropy(model(xb), yb).backward()
        optimizer.step()
    return run.figure()


FIGURES |= {"training: relu": learned, "training: sigmoid": lambda: learned("Sigmoid", 3)}
