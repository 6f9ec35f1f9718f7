"""show.op: each equation that it says of a result and of a gradient is worked out again, as it is written."""

import math
import re

import numpy as np
import pytest

import rustyflow as rf
from rustyflow import show
from rustyflow.claims.claim import Claim
from rustyflow.claims.tree import added, called, times
from tests.show.op_calls import F, equation_of, some
from tests.show.seen import lit

A, B, SQUARE = some(2, 3) - 1.25, some(3, 2, seed=1) - 1.5, some(2, 3, 3, seed=2).reshape(1, 2, 3, 3) / 4
MASK = np.array([[True, False, True], [False, True, False]])

CALLS = {
    "a*a+1": (lambda a: a * a + 1, A), "a**3": (lambda a: a**3, A), "norm": (lambda a: a.norm(2, 1), A),
    "cdist": (rf.cdist, A, A[:1] + 1), "gelu": (F.gelu, A), "layer_norm": (lambda a: F.layer_norm(a, (3,)), A),
    "a program": (lambda a, b: (a @ b).tanh().sum(0), A, B),
    "masked_fill": (lambda a, b: a.masked_fill(b, 7.5), A, MASK),
    "attention": (lambda a, b, c: F.scaled_dot_product_attention(a, b, c, is_causal=True), A / 4, A / 3, B.T),
    "conv2d": (lambda a, b: F.conv2d(a, b, stride=2, padding=1), SQUARE, SQUARE[:, :, :2, :2] + 1),
    "unfold": (lambda a: F.unfold(a, 2, padding=1), SQUARE), "windows": (lambda a: a.unfold(1, 2, 1), A),
    "interpolate": (lambda a: F.interpolate(a, scale_factor=2, mode="bilinear"), SQUARE[:, :1, :2, :2]),
    "nearest": (lambda a: F.interpolate(a, scale_factor=2), SQUARE[:, :1, :2, :2]),
    "pixel_shuffle": (lambda a: F.pixel_shuffle(a, 2), some(1, 4, 2, 2)), "softmax": (lambda a: a.softmax(1), A),
    "large": (lambda a: a.softmax(1), A * 1000), "max": (lambda a: a.amax(1), A), "relu": (lambda a: a.relu(), A),
    "max_pool2d": (lambda a: F.max_pool2d(a, 2, 1), SQUARE), "cross_entropy": (F.cross_entropy, A, np.array([2, 0])),
    "prod": (lambda a: a.prod(1), A), "std": (lambda a: a.std(1), A), "cumsum": (lambda a: a.cumsum(1), A),
    "huber": (lambda a: F.huber_loss(a, a * 2), A), "logsumexp": (lambda a: a.logsumexp(0), A),
    "batch_norm": (lambda a: F.batch_norm(a, None, None, training=True), A), "gather": (
        lambda a, b: a.gather(1, b), A, np.array([[0, 2], [1, 1]])),
    "elu": (F.elu, A), "silu": (F.silu, A), "where": (lambda a, b: rf.where(a > b, a * 2, b), A, A[::-1].copy()),
    "bmm": (rf.bmm, SQUARE[0], SQUARE[0]), "det": (rf.linalg.det, SQUARE[0, 0]), "lerp": (rf.lerp, A, A + 1, A * 2),
}  # fmt: skip

FUNCTIONS = {"exp": np.exp, "log": math.log, "sqrt": math.sqrt, "tanh": math.tanh, "erf": math.erf, "abs": abs,
             "max": max, "min": min, "sign": np.sign, "trunc": math.trunc, "inf": math.inf}  # fmt: skip


def worked_out(sentence, arrays):
    """What an equation comes to as it is written, and what it says that it comes to; None for other sentences."""
    found = re.fullmatch(r"(?:.*: )?\w[\w.]*(?:\[[\d, ]*\])? = (.+?) [=≈] (\S+?)(?:, (?:with|which) .*)?\.", sentence)
    if found is None or "..." in found[1]:
        return None
    words = re.sub(r"the (great|l)e?a?st of (.*)", lambda m: f"{'max' if m[1] == 'great' else 'min'}({m[2]})", found[1])
    with np.errstate(all="ignore"):
        return eval(words.replace("·", "*"), {**FUNCTIONS, **arrays}), float(found[2])


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_what_is_said_of_each_cell_holds(name, dtype):
    call, *operands = CALLS[name]
    operands = [x.astype(dtype) if x.dtype.kind == "f" else x for x in operands]
    names = [*"abc"[: len(operands)]]
    figure = show.op(call, *operands, names=names)
    leaves = [rf.from_numpy(x.copy()).requires_grad_(x.dtype.kind == "f") for x in operands]
    y = call(*leaves)
    g = rf.tensor([[3, 1, 2, 4, 1, 2, 5, 1, 3][n % 9] for n in range(y.numel())], dtype=y.dtype).reshape(y.shape)
    y.backward(g)
    arrays = {**dict(zip(names, operands)), "g": g.numpy()}
    wanted = [("y", (), y.detach().numpy()), *((letter, ("g",), x.grad.numpy()) for letter, x in zip("abc", leaves)
                                               if x.grad is not None)]  # fmt: skip
    told = 0
    for letter, toggles, array in wanted:
        for n, value in enumerate(array.reshape(-1).tolist()):
            sentence = equation_of(figure, f"{letter}{n}", toggles)
            shown = float(re.search(r"(\S+?)(?:: [^=≈]*|, and nothing [^=≈]*)?\.$", sentence)[1])
            assert shown == pytest.approx(value, rel=6e-3, abs=1e-6), sentence
            if (found := worked_out(sentence, arrays)) is not None:
                told += 1
                assert found[0] == pytest.approx(found[1], rel=1e-2, abs=5e-3), sentence
    assert told


def test_no_line_is_longer_than_its_room_nor_cut_in_the_middle():
    for call, *operands in CALLS.values():
        figure = show.op(call, *operands, names=[*"abc"[: len(operands)]])
        for family in figure.scene.links:
            for link in [*family.links][:12]:
                for toggles in ((), ("g",)):
                    sentence = equation_of(figure, link, toggles)
                    assert len(sentence) <= 130 and sentence.count("(") == sentence.count(")"), sentence


def test_a_padded_place_is_0_and_nothing_was_read_for_it():
    figure = show.op(F.unfold, rf.ones(1, 1, 2, 2), 2, padding=1, names="x")
    assert equation_of(figure, "y0") == "y[0, 0, 0] = 0, and nothing was read for it."
    figure = show.op("conv1d", rf.tensor([[[2.0, 3.0]]]), rf.tensor([[[4.0, 5.0, 6.0]]]), padding=1, names="xw")
    assert equation_of(figure, "y0") == "y[0, 0, 0] = 2·5 + 3·6 = 28."


def test_the_triangle_of_a_causal_mask_is_seen():
    q, k, v = (rf.from_numpy(some(3, 2, seed=n) / 3) for n in range(3))
    for mask in ({"is_causal": True}, {"attn_mask": rf.ones(3, 3).tril().bool()}):
        figure = show.op(lambda q, k, v, mask=mask: F.scaled_dot_product_attention(q, k, v, **mask), q, k, v)
        for row in range(3):
            rows = {(id[0], int(id[1:]) // 2) for id in lit(figure, f"y{2 * row}") if id[0] in "abc"}
            assert rows == {("a", row), *((letter, n) for letter in "bc" for n in range(row + 1))}


@pytest.mark.parametrize("call, row", [
    (lambda t: t.topk(2).indices, True), (lambda t: t.argsort(1), True), (lambda t: rf.multinomial(t, 2), False),
    (lambda t: t.argmax(1), True), (lambda t: t.sort(1).indices, True), (lambda t: t.max(1).indices, True),
])  # fmt: skip
def test_indices_that_are_found_by_comparing_have_links(call, row):
    figure = show.op(call, rf.tensor([[3.0, 1.0, 2.0], [6.0, 5.0, 4.0]]), names="x")
    assert lit(figure, "y0") == {"y0", *(f"a{n}" for n in range(3 if row else 6))}
    assert equation_of(figure, "y0").startswith("from 3, 1, 2" + (" of x comes y[0" if row else ", 6, 5, 4"))


@pytest.mark.parametrize("call, told", [
    (lambda a: rf.where(a > 1, a * 2, 0.5), "a[0] is 1: y[0] = 0.5."),
    (lambda a: a.amax(), "y = max(1, 3, 2) = 3."),
    (lambda a: F.max_pool1d(a[None], 2)[0], "y[0] = max(1, 3) = 3."),
    (lambda a: a.sort(descending=True), "of 1, 3, 2, y[0] takes a[1] = 3."),
    (lambda a: a.topk(2), "of 1, 3, 2, y[0] takes a[1] = 3."), (lambda a: a.median(), "of 1, 3, 2, y takes a[2] = 2."),
])  # fmt: skip
def test_what_was_taken_is_told_apart_from_what_was_compared(call, told):
    assert equation_of(show.op(call, rf.tensor([1.0, 3.0, 2.0]), names="a"), "y0") == told


def test_a_program_of_any_length_is_told_in_a_line():
    def deep(a):
        for _ in range(300):
            a = (a * 0.9 + 0.1).tanh()
        return a

    def wide(a):
        for _ in range(40):
            a = a + a
        return a

    assert equation_of(show.op(deep, rf.tensor([0.5]), names="a"), "y0").startswith("y[0] = tanh(")
    assert equation_of(show.op(wide, rf.tensor([0.5]), names="a"), "y0").endswith(" ≈ 5.5e11.")


@pytest.mark.parametrize("tree, value, told", [
    (called("/", [called("exp", [1.0]), added([called("exp", [x]) for x in (1.0, 3.0, 4.0)])]), 0.0351190,
     "y = exp(1) / (exp(1) + exp(3) + exp(4)) ≈ 0.0351"),
    (called("-", [called("tanh", [2.0]), called("tanh", [-2.0])]), 1.92805516, "y = tanh(2) - tanh(-2) ≈ 1.93"),
    (times(0.0, called("log", [2.0])), 0.0, "y = 0·log(2) = 0"),
])  # fmt: skip
def test_numbers_without_an_end_come_to_no_number_by_chance(tree, value, told):
    assert str(Claim("y", tree, value)) == told
