"""Figures of cells by name: strides, broadcast, reduce, matmul, and some seventy calls of `show.op`."""

import numpy as np

import rustyflow as rf
import rustyflow.nn.functional as f
from rustyflow import show

from .inputs import BIG, BOOLS, BYTES, LANES, MINUS, NAN, ODD, THIRDS, X, drawn, t

FIGURES = {}


def add(kind, **named):
    FIGURES.update({f"{kind}: {name.replace('_', ' ')}": make for name, make in named.items()})


add(
    "strides",
    ints=lambda: show.strides(X, names=["x"], title="x"),
    view=lambda: show.strides(X.T[1:, :2], names=["y"], title="y = x.T[1:, :2]"),
    two=lambda: show.strides(X * 1.5, (X * 1.5).T, names=["x", "z"], title="x and z"),
    shared=lambda: show.strides(X, X.T[1:, :2], X[1], names=["x", "y", "r"], title="x, y, r"),
    thirds=lambda: show.strides(THIRDS, names=["x"], title="x"),
    negative=lambda: show.strides(MINUS[:, ::-1], names=["x"], title="x"),
    random=lambda: show.strides(drawn(3, 3), names=["x"], title="x"),
    double=lambda: show.strides(drawn(2, 4, dtype="float64"), names=["x"], title="x"),
    big=lambda: show.strides(BIG, names=["x"], title="x"),
    odd=lambda: show.strides(ODD, names=["x"], title="x"),
    bool=lambda: show.strides(BOOLS, names=["m"], title="m"),
    bytes=lambda: show.strides(BYTES.T, names=["u"], title="u"),
    empty=lambda: show.strides(np.ones((0, 3)), names=["x"], title="x"),
    no_axes=lambda: show.strides(np.array(-2.75), names=["x"], title="x"),
    expanded=lambda: show.strides(np.broadcast_to(np.array([[NAN], [2.5]]), (2, 3)), names=["e"], title="e"),
    rank_3=lambda: show.strides(np.arange(8).reshape(2, 2, 2)[:, ::-1] / 4, names=["r"], title="r"),
    rank_4=lambda: show.strides(np.arange(16).reshape(2, 2, 2, 2).transpose(3, 1, 2, 0), names=["r"], title="r"),
    asked=lambda: show.strides(X * 1.5, view=(2, 6), names=["x"], title="x.view(2, 6)"),
    refused=lambda: show.strides(X.T / 3, view=12, names=["x"], title="x.view(12)"),
    overlap=lambda: show.strides(rf.arange(3.0).as_strided((2, 2), (1, 1)), names=["x"], title="x"),
    long=lambda: show.strides(np.arange(300) / 7, names=["x"], title="x"),
)
A, B = np.array([[10.0], [20.0], [30.0]]), np.arange(1.0, 5.0)
add(
    "broadcast",
    plus=lambda: show.broadcast(A, B, names=["a", "b"], title="a + b"),
    times=lambda: show.broadcast(A / 3, B, op="*", names=["a", "b"], title="a * b"),
    over=lambda: show.broadcast(X[:2] - 4.5, B / 7, op="/", names=["a", "b"], title="a / b"),
    minus=lambda: show.broadcast(drawn(2, 3), drawn(2, 1, seed=1), op="-", names=["a", "b"], title="a - b"),
    power=lambda: show.broadcast(
        drawn(2, 3, dtype="float64"), np.array([2.0, 0.0, 3.0]), op="**", names=["a", "b"], title="a ** b"
    ),
    maximum=lambda: show.broadcast(
        MINUS, np.array([1.5, -2.0, 0.25]), op="maximum", names=["a", "b"], title="maximum(a, b)"
    ),
    minimum=lambda: show.broadcast(
        ODD, np.array([[1.5], [-0.0]]), op="minimum", names=["a", "b"], title="minimum(a, b)"
    ),
    three=lambda: show.broadcast(
        X[:2, None, :2] / 2, np.ones((2, 1)) * 1.5, 2.25, op="*", names=["a", "b", "c"], title="a * b * c"
    ),
    clash=lambda: show.broadcast(X * 1.0, X[:, 0] * 1.0, names=["a", "b"], title="a + b"),
    wraps=lambda: show.broadcast(BYTES, BYTES[0], names=["a", "b"], title="a + b"),
    wraps_times=lambda: show.broadcast(BYTES, BYTES[:, :1], op="*", names=["a", "b"], title="a * b"),
    bools=lambda: show.broadcast(BOOLS, BOOLS[0], op="+", names=["a", "b"], title="a + b"),
    odd=lambda: show.broadcast(ODD, ODD[1], op="*", names=["a", "b"], title="a * b"),
    big=lambda: show.broadcast(BIG, np.array([1 / 3]), op="*", names=["a", "b"], title="a * b"),
    empty=lambda: show.broadcast(np.ones((0, 3)), np.ones(3), names=["a", "b"], title="a + b"),
    no_axes=lambda: show.broadcast(np.array(2.5), np.array(1 / 3), op="*", names=["a", "b"], title="a * b"),
    rank_4=lambda: show.broadcast(
        np.arange(4.0).reshape(2, 1, 2, 1) / 3, np.arange(4.0).reshape(2, 1, 2), op="*", names=["a", "b"], title="a * b"
    ),
    million=lambda: show.broadcast(np.zeros((1000, 1000)), np.arange(1000), names=["a", "b"], title="a + b"),
    tensors=lambda: show.broadcast(
        t(A), t(B), op="*", names=["a", "b"], title="a * b", upstream=rf.ones(3, 4, dtype=rf.float64) / 3
    ),
)
add(
    "reduce",
    sum=lambda: show.reduce(X, "sum", 1, name="x"),
    mean=lambda: show.reduce(X[:2, :3] * 1.5, "mean", 1, name="x"),
    mean_all=lambda: show.reduce(THIRDS, "mean", name="x"),
    prod=lambda: show.reduce(MINUS, "prod", 0, name="x"),
    amax=lambda: show.reduce(np.array([[3.0, 3.0], [1.0, 2.0]]), "amax", (0, 1), True, name="x"),
    max=lambda: show.reduce(t(drawn(2, 3)), "max", 1, name="x"),
    min=lambda: show.reduce(ODD, "min", 1, name="x"),
    var=lambda: show.reduce(t(drawn(2, 4)), "var", 1, name="x"),
    std=lambda: show.reduce(THIRDS, "std", 1, name="x"),
    logsumexp=lambda: show.reduce(THIRDS, "logsumexp", 1, name="x"),
    norm=lambda: show.reduce(t(MINUS), "norm", 1, name="x"),
    median=lambda: show.reduce(t(drawn(3, 3)), "median", 0, name="x"),
    wraps=lambda: show.reduce(np.array([[2**63 - 1, 5], [3, 4]]), "sum", 1, name="x"),
    bytes=lambda: show.reduce(BYTES, "prod", 1, name="x"),
    bools=lambda: show.reduce(BOOLS, "any", 1, name="m"),
    all_bools=lambda: show.reduce(BOOLS, "sum", 0, name="m"),
    odd=lambda: show.reduce(ODD, "sum", 0, name="x"),
    odd_max=lambda: show.reduce(ODD, "amax", 1, name="x"),
    big=lambda: show.reduce(BIG, "sum", 1, name="x"),
    long=lambda: show.reduce(LANES, "sum", 1, name="x"),
    long_mean=lambda: show.reduce(LANES.astype("float64"), "mean", 1, True, name="x"),
    empty=lambda: show.reduce(np.ones((2, 0)), "sum", 1, name="x"),
    no_axes=lambda: show.reduce(np.array(1 / 3), "sum", name="x"),
    rank_3=lambda: show.reduce(np.arange(12.0).reshape(2, 3, 2) / 3, "sum", (0, 2), name="x"),
    rank_4=lambda: show.reduce(np.arange(16.0).reshape(2, 2, 2, 2), "mean", (1, 3), True, name="x"),
    expanded=lambda: show.reduce(t(np.array([[1.5], [2.5]])).expand(2, 3), "sum", 1, name="x"),
    upstream=lambda: show.reduce(t(THIRDS), "sum", 1, upstream=t(np.array([1 / 7, -2.0]), False), name="x"),
)
add(
    "matmul",
    thirds=lambda: show.matmul(THIRDS, X[:3, :2] * 1.0, names=["a", "b"]),
    ints=lambda: show.matmul(X[:2, :3], X[:3, :2], names=["a", "b"]),
    vectors=lambda: show.matmul(drawn(3), drawn(3, seed=1), names=["a", "b"]),
    row=lambda: show.matmul(B, X.T / 4, names=["a", "b"]),
    batch=lambda: show.matmul(np.ones((2, 1, 3)) * 1.5, X[:, :2] * 1.0, names=["a", "b"]),
    batches=lambda: show.matmul(
        drawn(2, 1, 2, 2, dtype="float64"), drawn(2, 2, 2, seed=1, dtype="float64"), names=["a", "b"]
    ),
    upstream=lambda: show.matmul(THIRDS, THIRDS.T, names=["a", "b"], upstream=np.array([[0.5, 1 / 3], [2, -0.25]])),
    long=lambda: show.matmul(np.full((2, 14), -1.25), X[:, :2].repeat(5, 0)[:14] / 3, names=["a", "b"]),
    odd=lambda: show.matmul(ODD, ODD.T, names=["a", "b"]),
    wraps=lambda: show.matmul(BYTES, BYTES.T, names=["a", "b"]),
    empty=lambda: show.matmul(np.ones((2, 0)), np.ones((0, 3)), names=["a", "b"]),
    clash=lambda: show.matmul(X, X, names=["a", "b"]),
    expanded=lambda: show.matmul(
        t(np.array([[0.5], [-2.0]])).expand(2, 3), t(drawn(3, 2, dtype="float64")), names=["a", "b"]
    ),
    negative=lambda: show.matmul(MINUS, MINUS.T, names=["a", "b"]),
    big=lambda: show.matmul(BIG, BIG.T, names=["a", "b"]),
)
CALLS = {
    "add": ("add", X[:2] / 3, B),
    "add of ints": ("add", X, X[0]),
    "add that wraps": ("add", BYTES, BYTES[0]),
    "sub": ("sub", MINUS, drawn(3)),
    "mul": ("mul", drawn(2, 3), drawn(3, seed=1)),
    "div": ("div", THIRDS, drawn(3)),
    "pow": ("pow", t(drawn(2, 2)), 3),
    "neg": ("neg", ODD),
    "exp": ("exp", THIRDS),
    "log": ("log", ODD),
    "sqrt": ("sqrt", THIRDS),
    "tanh": ("tanh", drawn(2, 3)),
    "sigmoid": ("sigmoid", drawn(4)),
    "relu": ("relu", MINUS),
    "gelu": (f.gelu, drawn(3)),
    "softmax": ("softmax", X[:2] / 4, {"dim": 1}),
    "log_softmax": ("log_softmax", THIRDS, {"dim": 1}),
    "sum": ("sum", X[:2] / 3, {"dim": 1}),
    "long sum": ("sum", LANES, {"dim": 1}),
    "mean": ("mean", MINUS, {"dim": 0}),
    "prod": ("prod", THIRDS, {"dim": 1}),
    "var": ("var", drawn(2, 3), {"dim": 1}),
    "norm": (lambda x: x.norm(2, 1), drawn(2, 3)),
    "amax": ("amax", np.array([[3.0, 3.0], [1.0, 2.0]]), {"dim": 1}),
    "cumsum": ("cumsum", X[:2, :3] / 3, {"dim": 1}),
    "cumprod": ("cumprod", X[:2, :3] - 1.5, {"dim": 1}),
    "clamp": ("clamp", MINUS, -2.0, 1.0),
    "where": (rf.where, BOOLS, THIRDS, MINUS),
    "masked_fill": (lambda x, m: x.masked_fill(m, 9.5), MINUS, BOOLS),
    "maximum": ("maximum", MINUS, THIRDS),
    "gather": ("gather", X / 3, 1, X[:, :2] % 4),
    "index_select": (lambda x, i: x.index_select(0, i), X / 3, np.array([2, 0, 2])),
    "embedding": (lambda i, x: f.embedding(i, x), np.array([2, 0, 2]), drawn(3, 2)),
    "scatter_add": (lambda x, i, y: x.scatter_add(0, i, y), drawn(4), np.array([1, 1, 3]), drawn(3, seed=1)),
    "matmul": ("matmul", drawn(2, 3), drawn(3, 2, seed=1)),
    "matmul step by step": ("matmul", X[:2, :2] / 2, X[:2, 2:] - 4.5, {"one_by_one": True}),
    "long matmul": ("matmul", np.full((2, 14), -1.25), X[:, :2].repeat(5, 0)[:14] / 3),
    "linear": ("linear", X - 4.5, X * 1.0, X[:, 1] * 2.0),
    "outer": ("outer", THIRDS[0], MINUS[0]),
    "einsum": (lambda a, b: rf.einsum("ij,kj->ik", a, b), THIRDS, MINUS),
    "conv1d": ("conv1d", drawn(1, 1, 6), drawn(1, 1, 3, seed=1)),
    "conv2d": ("conv2d", X[None, None] * 1.0, X[None, None, :2, :3] - 1.5, {"padding": 1}),
    "conv2d by strides": ("conv2d", drawn(1, 1, 5, 5), drawn(1, 1, 3, 3, seed=1), {"stride": 2, "padding": 1}),
    "max_pool2d": (lambda x: f.max_pool2d(x, 2), drawn(1, 1, 4, 4)),
    "avg_pool2d": (lambda x: f.avg_pool2d(x, 2), drawn(1, 1, 4, 4)),
    "layer_norm": (lambda x: f.layer_norm(x, (3,)), drawn(2, 3)),
    "cross_entropy": (f.cross_entropy, drawn(3, 4), np.array([0, 2, 1])),
    "mse_loss": (f.mse_loss, drawn(2, 3), THIRDS.astype("float32")),
    "huber_loss": (f.huber_loss, drawn(3), drawn(3, seed=3)),
    "cdist": (rf.cdist, drawn(2, 3), drawn(2, 3, seed=1)),
    "sort": (lambda x: x.sort(), drawn(5)),
    "topk": (lambda x: x.topk(2), drawn(5)),
    "argmax": ("argmax", drawn(2, 3), {"dim": 1}),
    "cat": (lambda a, b: rf.cat([a, b]), drawn(3), drawn(2)),
    "transpose": (lambda x: x.T, THIRDS),
    "slice": (lambda x: x[1:, ::2], X / 3),
    "unfold": (lambda x: x.unfold(0, 3, 1), drawn(6)),
    "expand": (lambda x: x.expand(3, 4), drawn(3, 1)),
    "roll": ("roll", drawn(5), 1, 0),
    "tril": ("tril", THIRDS),
    "a lambda": (lambda a, b: (a @ b).tanh().sum(0), drawn(2, 3), drawn(3, 2, seed=1)),
    "a square": (lambda a: a * a + 1, THIRDS),
    "attention": (
        lambda q, k, v: f.scaled_dot_product_attention(q, k, v, is_causal=True),
        drawn(1, 1, 3, 2),
        drawn(1, 1, 3, 2, seed=1),
        drawn(1, 1, 3, 2, seed=2),
    ),
    "interpolate": (lambda x: f.interpolate(x, scale_factor=2), drawn(1, 1, 2, 2)),
    "pixel_shuffle": (lambda x: f.pixel_shuffle(x, 2), drawn(1, 4, 2, 1)),
    "compare": ("lt", MINUS, THIRDS),
    "no numbers": ("sum", np.ones((3, 0)), {"dim": 1}),
    "no axes": ("mul", np.array(1 / 3), np.array(2.5)),
    "odd": ("mul", ODD, ODD[0]),
    "big": ("mul", BIG, BIG[0]),
    "bools": ("logical_and", BOOLS, BOOLS[0]),
    "views": ("add", np.broadcast_to(np.array([[1.5], [2.5]]), (2, 3)), THIRDS),
    "rank 4": ("sum", np.arange(16).reshape(2, 2, 2, 2) / 3, {"dim": 3}),
}
OUTSIDE = t(drawn(3, seed=5), False)
CALLS["a tensor outside"] = (lambda a: a * OUTSIDE, drawn(2, 3))


def call(given):
    function, *operands = given
    settings = operands.pop() if isinstance(operands[-1], dict) else {}
    many = sum(isinstance(x, np.ndarray | rf.Tensor) for x in operands)
    return lambda: show.op(function, *operands, names=list("xywv")[:many], **settings)


add("op", **{name: call(given) for name, given in CALLS.items()})
