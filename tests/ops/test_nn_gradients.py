"""First and second derivatives of nn.functional against finite differences."""

import pytest

import rustyflow as rf
import rustyflow.nn.functional as F
from rustyflow.autograd import gradcheck, gradgradcheck


def t(*shape, seed=0, scale=1.0, tracked=True):
    """Numbers without two alike, away from kinks at whole numbers and at halves."""
    n = rf.arange(0, rf.zeros(shape).numel(), dtype=rf.float64)
    values = ((n * 7 + 3 * seed + 5) % 23 - 11) / 7 + 0.043 + n / 1000
    return (values * scale).view(shape).clone().requires_grad_(tracked)


classes, probabilities = rf.tensor([0, 2, 1]), F.softmax(t(3, 4, tracked=False), 1)
weights = rf.tensor([1.0, 2.0, 3.0], dtype=rf.float64)
CASES = {
    **{name: (getattr(F, name), t(5)) for name in (
        "relu sigmoid tanh silu mish logsigmoid leaky_relu elu selu celu gelu softplus hardtanh relu6 hardsigmoid "
        "hardswish").split()},
    "gelu tanh": (lambda x: F.gelu(x, approximate="tanh"), t(5)),
    "softmax": (lambda x: F.softmax(x, 1), t(2, 3)),
    "log_softmax": (lambda x: F.log_softmax(x, 0), t(2, 3)),
    "linear": (F.linear, t(2, 2, 3), t(2, 3), t(2)),
    "linear, one row": (F.linear, t(3), t(2, 3), t(2)),
    "cross_entropy": (lambda x: F.cross_entropy(x, classes), t(3, 4)),
    "cross_entropy, images": (lambda x: F.cross_entropy(x, rf.tensor([[0, 2]]), weights, ignore_index=0,
                                                        reduction="none"), t(1, 3, 2)),
    "cross_entropy, smoothed": (lambda x: F.cross_entropy(x, classes, label_smoothing=0.2), t(3, 4)),
    "cross_entropy, distributions": (F.cross_entropy, t(3, 4), probabilities.requires_grad_()),
    "nll_loss": (lambda x: F.nll_loss(x, classes, reduction="sum"), t(3, 4)),
    "mse_loss": (F.mse_loss, t(2, 3), t(2, 3, seed=1)),
    "smooth_l1_loss": (lambda x, y: F.smooth_l1_loss(x, y, beta=0.7), t(2, 3), t(2, 3, seed=1)),
    "huber_loss": (lambda x, y: F.huber_loss(x, y, reduction="none", delta=0.7), t(2, 3), t(2, 3, seed=1)),
    "binary_cross_entropy": (lambda x, y: F.binary_cross_entropy(x.sigmoid(), y.sigmoid()), t(2, 3), t(2, 3, seed=1)),
    "binary_cross_entropy_with_logits": (
        lambda x, y: F.binary_cross_entropy_with_logits(x, y, pos_weight=weights[1:2]), t(2, 3), t(2, 3, seed=1)),
    "kl_div": (lambda x, y: F.kl_div(x, y, reduction="batchmean", log_target=True), t(2, 3), t(2, 3, seed=1)),
    "layer_norm": (lambda x, w, b: F.layer_norm(x, (3,), w, b), t(2, 3), t(3), t(3)),
    "batch_norm": (lambda x, w, b: F.batch_norm(x, None, None, w, b, True), t(2, 2, 2), t(2), t(2)),
    "group_norm": (lambda x, w, b: F.group_norm(x, 2, w, b), t(1, 4, 2), t(4), t(4)),
    "conv1d": (lambda x, w, b: F.conv1d(x, w, b, 2, 1), t(1, 2, 4), t(2, 2, 2), t(2)),
    "conv2d": (lambda x, w: F.conv2d(x, w, groups=2), t(1, 2, 3, 3), t(2, 1, 2, 2)),
    "conv2d, strided": (lambda x, w: F.conv2d(x, w, stride=2, padding=1, dilation=2), t(1, 1, 3, 4), t(1, 1, 2, 2)),
    "conv_transpose2d": (lambda x, w, b: F.conv_transpose2d(x, w, b, stride=2), t(1, 1, 2, 2), t(1, 1, 2, 2), t(1)),
    "max_pool2d": (lambda x: F.max_pool2d(x, 2, 1), t(1, 3, 3)),
    "avg_pool2d": (lambda x: F.avg_pool2d(x, 2, 1, 1, count_include_pad=False), t(1, 2, 3)),
    "adaptive_avg_pool2d": (lambda x: F.adaptive_avg_pool2d(x, 2), t(1, 3, 3)),
    "embedding": (lambda w: F.embedding(rf.tensor([2, 0, 2]), w), t(3, 2)),
    "pad": (lambda x: F.pad(x, (1, -1), value=2.0), t(2, 3)),
    "pad, mirrored": (lambda x: F.pad(x, (1, 2), "reflect"), t(1, 3)),
    "attention": (lambda q, k: F.scaled_dot_product_attention(q, k, k, is_causal=True), t(3, 2), t(3, 2, seed=1)),
    "normalize": (F.normalize, t(2, 3)),
    "cosine_similarity": (F.cosine_similarity, t(2, 3), t(2, 3, seed=1)),
    "pairwise_distance": (F.pairwise_distance, t(2, 3), t(2, 3, seed=1)),
}


@pytest.mark.parametrize("name", CASES)
def test_gradients_are_what_finite_differences_say(name):
    call, *inputs = CASES[name]
    assert gradcheck(call, inputs)


@pytest.mark.parametrize("name", CASES)
def test_second_derivatives_are_what_finite_differences_say(name):
    call, *inputs = CASES[name]
    assert gradgradcheck(call, inputs, atol=1e-4)


def test_an_infinite_gradient_of_one_row_leaves_the_other_rows_of_a_table_alone():
    w = rf.tensor([[0.0], [1.0], [1.0]], requires_grad=True)
    F.embedding(rf.tensor([0, 2]), w).log()[:1].sum().backward()
    assert w.grad.tolist() == [[float("inf")], [0], [0]]
