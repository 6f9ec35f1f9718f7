"""Programs of a few steps, drawn by lot: whatever can be computed has a graph in every form, and figures."""

import re
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

import rustyflow as rf
import rustyflow.nn.functional as f
from rustyflow import ir, show
from rustyflow.errors import TensorError

NUMBERS = ([-3, -2, -1, 0, 1, 2, 3], [0], [1], [float("nan"), float("inf"), -float("inf"), 0.0, -0.0, 1e30])
SHAPES = [(), (1,), (2,), (2, 3), (3, 1), (2, 2), (0,), (0, 3), (2, 1, 2)]
DTYPES = [rf.float32, rf.float32, rf.float64, rf.float16]


def function(name, make):
    """A Function of some name and shapes; its gradient is of ones."""

    def forward(ctx, x):
        ctx.of = x
        return make(ctx, x)

    def backward(ctx, *gradients):
        return rf.ones_like(ctx.of)

    return type(name, (rf.autograd.Function,), {"forward": staticmethod(forward), "backward": staticmethod(backward)})


def apart(ctx, x):
    ctx.mark_non_differentiable(where := x > 0)
    return x * 1, where


def written(x, write):
    y = x * 1
    write(y)
    return y


def halted(x):
    with rf.no_grad():
        y = x * 2
    return y + x.detach() * x


def hooked(x):
    y = x * 2
    y.register_hook(lambda g: g * 3)
    y.retain_grad()
    return y


def scoped(x):
    with ir.scope("<b>&"):
        return x.tanh()


FUNCTIONS = [
    function("Mine", lambda ctx, x: x * 2), function("step", lambda ctx, x: x.sum()), function("two", apart),
    function("linear", lambda ctx, x: x.reshape(-1).repeat(2)), function("mse_loss", lambda ctx, x: x.view(-1)),
    function("several", lambda ctx, x: (x * 2, x.sum(), None, 3)), function("cast", lambda ctx, x: x.double()),
    function("itself", lambda ctx, x: x), function("select", lambda ctx, x: rf.ones(2, 2)),
]  # fmt: skip
STEPS = [
    *[lambda x, y, name=name: getattr(x, name)() for name in (
        "exp log sqrt tanh sigmoid relu abs neg reciprocal floor isnan nan_to_num sum mean prod norm var std median "
        "amax max argmax any unique t flatten ravel squeeze detach clone double half long cumsum logit item diff "
        "tril trace"
    ).split()],
    *[lambda x, y, name=name: getattr(x, name)(-1) for name in (
        "sum mean prod max min median amax var norm logsumexp softmax cumsum sort argsort topk unbind unsqueeze "
        "cummax kthvalue chunk split flip expand"
    ).split()],
    lambda x, y: x + y, lambda x, y: x - y, lambda x, y: x * y, lambda x, y: x / y, lambda x, y: x ** y,
    lambda x, y: x @ y, lambda x, y: x // y, lambda x, y: x % y, lambda x, y: 2 ** x, lambda x, y: x * 3 - 1,
    lambda x, y: x < y, lambda x, y: rf.where(x > 0, x, y), lambda x, y: rf.maximum(x, y), lambda x, y: x.clamp(y),
    lambda x, y: x.clamp(None, 1), lambda x, y: x.clamp(max=y), lambda x, y: rf.cat([x, y]),
    lambda x, y: rf.stack([x, y]),
    lambda x, y: rf.outer(x, y), lambda x, y: rf.einsum("ij,jk->ik", x, y), lambda x, y: f.linear(x, y, y[:, 0]),
    lambda x, y: rf.addmm(y, x, y), lambda x, y: rf.cdist(x, y), lambda x, y: rf.det(x), lambda x, y: rf.inverse(x),
    lambda x, y: f.mse_loss(x, y), lambda x, y: f.binary_cross_entropy_with_logits(x, y.detach(), None, pos_weight=y),
    lambda x, y: f.cross_entropy(x, rf.zeros(len(x), dtype=rf.int64)), lambda x, y: f.cross_entropy(x, rf.tensor(0)),
    lambda x, y: f.nll_loss(x, rf.zeros(len(x), dtype=rf.int64)), lambda x, y: f.cross_entropy(x, x.softmax(-1)),
    lambda x, y: f.one_hot(rf.tensor([0, 2, 1])) * x, lambda x, y: f.embedding(rf.tensor([[0, 0], [1, 0]]), x),
    lambda x, y: f.layer_norm(x, x.shape[-1:]), lambda x, y: f.layer_norm(x, x.shape, None, y),
    lambda x, y: f.batch_norm(x, None, None, None, y, True), lambda x, y: f.dropout(x), lambda x, y: f.gelu(x),
    lambda x, y: f.conv1d(x, y[:, :, :1]), lambda x, y: f.conv2d(x[None, None], y[None, None], padding=1),
    lambda x, y: f.max_pool2d(x[None, None], 2), lambda x, y: f.interpolate(x[None, None], scale_factor=2),
    lambda x, y: f.scaled_dot_product_attention(x, x, x), lambda x, y: rf.nn.Linear(x.shape[-1], 2)(x),
    lambda x, y: x[0], lambda x, y: x[..., -1:], lambda x, y: x[:0], lambda x, y: x[[0, 0]], lambda x, y: x[x > 0],
    lambda x, y: x[None, ::2], lambda x, y: x.gather(0, x.argsort(0)), lambda x, y: x.masked_fill(x > 0, float("nan")),
    lambda x, y: x.expand(2, *x.shape), lambda x, y: x.as_strided((2, 2), (0, 1)), lambda x, y: x.view(-1, 1),
    lambda x, y: written(x, lambda y: y[0].mul_(3)), lambda x, y: written(x, lambda y: y.__setitem__(y > 0, 7)),
    lambda x, y: written(x, lambda z: z.clamp_max_(y)), lambda x, y: written(x, lambda y: y[1:].copy_(y[:-1] * 2)),
    lambda x, y: written(x, lambda y: y.gt_(0)), lambda x, y: halted(x), lambda x, y: hooked(x), lambda x, y: scoped(x),
    *[lambda x, y, made=made: made.apply(x) for made in FUNCTIONS],
]  # fmt: skip


def tensors(x):
    return [part for part in (x if isinstance(x, (tuple, list)) else [x]) if isinstance(part, rf.Tensor)]


def program(seed):
    """The results of the last step of a program of one to four steps that fit each other."""
    random = np.random.default_rng(seed)
    rf.manual_seed(seed)
    some = lambda choices: choices[random.integers(len(choices))]  # noqa: E731
    shape, dtype = some(SHAPES), some(DTYPES)
    pool = [rf.tensor(random.choice(some(NUMBERS), s).tolist(), dtype=dtype).reshape(s).requires_grad_()
            for s in (shape, some([shape, some(SHAPES)]))]  # fmt: skip
    last, steps, tries = pool[:1], int(random.integers(1, 5)), 0
    while steps and tries < 80:
        tries += 1
        try:
            made = [x for x in tensors(some(STEPS)(some(pool), some(pool))) if x.numel() < 100]
        except Exception:  # shapes or dtypes that do not fit: no program
            continue
        if made:
            last, steps = made[:3], steps - 1
            pool += [*made[:3], made[0]]
    return last


def drawn(figure):
    """A figure in words and in pictures, its first, a middle and its last."""
    assert figure.text()
    for frame in {0, len(figure.frames) // 2, len(figure.frames) - 1}:
        root = ElementTree.fromstring(figure.svg(frame).encode())
        for shape in root.iter():
            said = " ".join(value for key, value in shape.attrib.items() if key not in ("id", "class", "style"))
            assert not re.search(r"\\b(nan|inf)\\b", said), said
    assert figure.html()


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("start", range(0, 120, 20))
def test_what_can_be_computed_can_be_drawn(start):
    for seed in range(start, start + 20):
        results = program(seed)
        graph = ir.graph(*results)
        assert graph.text() and graph.tree() and graph.dot()
        assert ir.Graph.from_json(graph.to_json()) == graph, seed
        drawn(show.graph(*results, title="y"))
        for y in results:
            if y.requires_grad and y.is_floating_point():
                try:
                    drawn(show.backward(y, title="y"))
                except TensorError:  # a derivative that PyTorch has not either
                    pass
