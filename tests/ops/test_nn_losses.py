"""Losses and normalizations of nn.functional: as PyTorch's over any layout and any of their numbers, and by hand."""

import math

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import rustyflow as rf
import rustyflow.nn.functional as F

from .beside_torch import agree, laid, rf_shape

reductions = st.sampled_from(("mean", "sum", "none"))


@settings(max_examples=80)
@given(st.data(), st.sampled_from(("cross_entropy", "nll_loss")),
       st.sampled_from(((4,), (3, 4), (2, 4, 3), (2, 4, 2, 3))), reductions, st.booleans(),
       st.sampled_from((-100, 1)), st.sampled_from((0.0, 0.3)), st.sampled_from(("float64", "float32")))
def test_losses_on_classes(data, name, shape, reduction, weighed, ignore, smoothing, dtype):
    x = rf_shape(data, shape)
    targets = shape[:1][:len(shape) - 1] + shape[2:]
    n = math.prod(targets)
    drawn = data.draw(st.lists(st.sampled_from((0, 1, 2, 3, ignore)), min_size=n, max_size=n))
    classes = np.array(drawn, np.int64).reshape(targets)
    how = {"reduction": reduction, "ignore_index": ignore}
    how |= {"label_smoothing": smoothing} if name == "cross_entropy" else {}

    def call(torch, a, w):
        d = getattr(torch, dtype)
        weight = w.detach().abs().to(d) if weighed else None
        return getattr(torch.nn.functional, name)(a.contiguous().to(d), torch.from_numpy(classes), weight, **how)
    # a smoothed target and a probability near it leave the rounding of either: 6e-8 of 1
    agree(call, x, rf_shape(data, (4,)), atol=1e-8 if dtype == "float64" else 5e-7)


@settings(max_examples=40)
@given(st.data(), st.sampled_from(((4,), (3, 4), (2, 4, 3))), reductions, st.booleans(), st.sampled_from((0.0, 0.3)))
def test_cross_entropy_of_distributions(data, shape, reduction, weighed, smoothing):
    agree(lambda torch, a, p, w: torch.nn.functional.cross_entropy(a, p, w.detach() if weighed else None,
                                                                   reduction=reduction, label_smoothing=smoothing),
          rf_shape(data, shape), rf_shape(data, shape), rf_shape(data, (4,)))


@settings(max_examples=40)
@given(st.data(), st.sampled_from(((4,), (3, 4), (1, 4))), reductions, st.booleans(), st.sampled_from((1, 2)),
       st.sampled_from((1.0, 0.25, -1.0)))
def test_a_margin_between_classes(data, shape, reduction, weighed, p, margin):
    targets = data.draw(st.sampled_from(((1,), ()))) if shape[:-1] != (3,) else (3,)
    n = math.prod(targets)
    classes = np.array(data.draw(st.lists(st.integers(0, 3), min_size=n, max_size=n))).reshape(targets)
    agree(lambda torch, a, w: torch.nn.functional.multi_margin_loss(
        a, torch.from_numpy(classes), p, margin, w.detach() if weighed else None, reduction=reduction),
        rf_shape(data, shape), rf_shape(data, (4,)))


def test_cross_entropy_by_hand():
    x = rf.tensor([[0.0, math.log(3.0)], [0.0, 0.0]], requires_grad=True)
    loss = F.cross_entropy(x, rf.tensor([1, 0]))
    assert loss.item() == pytest.approx((math.log(4 / 3) + math.log(2)) / 2)
    assert loss.grad_fn.name() == "NllLossBackward0"
    loss.backward()
    assert x.grad.tolist() == [pytest.approx([1 / 8, -1 / 8]), pytest.approx([-1 / 4, 1 / 4])]


def test_cross_entropy_does_not_overflow_and_is_differentiable_twice():
    x = rf.tensor([[1000.0, 0.0], [-1000.0, 1000.0]], dtype=rf.float64, requires_grad=True)
    assert F.cross_entropy(x, rf.tensor([0, 1])).item() == 0
    z = rf.tensor([[0.3, -0.2, 1.0]], dtype=rf.float64, requires_grad=True)
    g, = rf.autograd.grad(F.cross_entropy(z, rf.tensor([2])), z, create_graph=True)
    h = [rf.autograd.grad(g[0, k], z, retain_graph=True)[0].tolist()[0] for k in range(3)]
    p = F.softmax(z.detach(), 1)[0]
    assert np.allclose(h, (p.diag() - rf.outer(p, p)).numpy())


@settings(max_examples=60)
@given(st.data(),
       st.sampled_from("mse_loss l1_loss smooth_l1_loss huber_loss kl_div binary_cross_entropy_with_logits".split()),
       reductions, laid(rank=st.integers(0, 2), expands=False), st.sampled_from(("float64", "float32")))
def test_losses_on_numbers(data, name, reduction, x, dtype):
    how = {"smooth_l1_loss": {"beta": data.draw(st.sampled_from((0.0, 0.5, 1.0)))},
           "huber_loss": {"delta": data.draw(st.sampled_from((0.5, 2.0)))},
           "kl_div": {"log_target": data.draw(st.booleans())}}.get(name, {})
    reduction = data.draw(st.sampled_from((reduction, "batchmean"))) if name == "kl_div" else reduction
    shift = 3 if name == "kl_div" else 0.7

    def call(torch, a, b):
        d = getattr(torch, dtype)
        return getattr(torch.nn.functional, name)(a.to(d), (b + shift).to(d), reduction=reduction, **how)
    agree(call, x, type(x)(x.shape, x.views, x.seed + 1))


@settings(max_examples=30)
@given(st.data(), reductions, st.booleans(), st.booleans())
def test_binary_cross_entropy(data, reduction, weighed, logits):
    def call(torch, a, b, w):
        f = torch.nn.functional
        weight, positive = (w.detach(), w.detach()[0].abs()) if weighed else (None, None)
        if logits:
            return f.binary_cross_entropy_with_logits(a, b.detach().sigmoid(), weight, reduction=reduction,
                                                      pos_weight=positive)
        return f.binary_cross_entropy((a * 3).sigmoid(), b.sigmoid(), weight, reduction=reduction)
    agree(call, *[rf_shape(data, (3, 4)) for _ in range(3)])


def test_losses_of_certain_and_of_impossible_probabilities_are_finite():
    x = rf.tensor([0.0, 1.0, 1.0], requires_grad=True)
    loss = F.binary_cross_entropy(x, rf.tensor([1.0, 1.0, 0.0]), reduction="none")
    assert loss.tolist() == [100, 0, 100]
    loss.sum().backward()
    assert x.grad.isfinite().all()


@settings(max_examples=60)
@given(st.data(), st.sampled_from(((1,), (2,), (3,))), st.booleans(), st.booleans())
def test_layer_norm(data, own, weighed, biased):
    x = rf_shape(data, (2, 3, 4))
    shape = (2, 3, 4)[-own[0]:]
    agree(lambda torch, a, w, b: torch.nn.functional.layer_norm(a, shape, w if weighed else None,
                                                                b if biased else None),
          x, rf_shape(data, shape), rf_shape(data, shape))


@settings(max_examples=60)
@given(st.data(), st.sampled_from(("batch", "group", "instance")), st.sampled_from(((4, 4), (2, 4, 3), (2, 4, 3, 2))),
       st.booleans(), st.booleans(), st.booleans())
def test_norms_over_channels(data, name, shape, weighed, running, training):
    def call(torch, a, w, b):
        f = torch.nn.functional
        # PyTorch's backward without training takes a strided weight for a dense one
        weight = w.contiguous() if weighed else None
        if name == "group":
            return f.group_norm(a, 2, weight, b if weighed else None)
        means = [torch.zeros(4).to(a), torch.ones(4).to(a)] if running or not training else []
        mean, var = means or (None, None)
        if name == "instance" and len(shape) > 2:
            return [f.instance_norm(a, mean, var, weight, b, use_input_stats=training), *means]
        return [f.batch_norm(a, mean, var, weight, b, training, 0.3), *means]
    agree(call, rf_shape(data, shape), rf_shape(data, (4,)), rf_shape(data, (4,)))


@pytest.mark.parametrize("name", ("mse_loss", "smooth_l1_loss", "huber_loss"))
def test_training_that_has_diverged_shows_in_the_gradients(name):
    x, target = rf.tensor([math.nan, 0.5, 3.0], requires_grad=True), rf.zeros(3, requires_grad=True)
    getattr(F, name)(x, target).backward()
    assert x.grad.isnan().tolist() == target.grad.isnan().tolist() == [True, False, False]


@pytest.mark.parametrize("name", ("smooth_l1_loss", "huber_loss"))
def test_a_loss_bends_no_more_where_its_straight_line_begins(name):
    x = rf.tensor([1.0, -1.0, 0.5], requires_grad=True)
    (slope,) = rf.autograd.grad(getattr(F, name)(x, rf.zeros(3), reduction="sum"), x, create_graph=True)
    assert rf.autograd.grad(slope.sum(), x)[0].tolist() == [0, 0, 1]


def test_norms_in_float32_stay_there():
    x, w = rf.randn(4, 6, dtype=rf.float32), rf.ones(6)
    for y in (F.layer_norm(x, (6,), w, w), F.batch_norm(x, None, None, w, w, True), F.group_norm(x, 3, w, w),
              F.batch_norm(x, w, w, w, w)):
        assert y.dtype is rf.float32


@pytest.mark.parametrize("call, error, words", [
    (lambda: F.cross_entropy(rf.ones(2, 3), rf.tensor([0, 3])), IndexError, "0 to 2"),
    (lambda: F.cross_entropy(rf.ones(2, 3), rf.tensor([0, -1])), IndexError, "0 to 2"),
    (lambda: F.cross_entropy(rf.ones(2, 3), rf.tensor([0])), ValueError, "one target per row"),
    (lambda: F.cross_entropy(rf.ones(2, 3), rf.tensor([0.0, 1.0])), RuntimeError, "long()"),
    (lambda: F.mse_loss(rf.ones(2, 3), rf.ones(4)), RuntimeError, "both the same shape"),
    (lambda: F.binary_cross_entropy(rf.tensor([2.0]), rf.tensor([1.0])), RuntimeError, "sigmoid"),
    (lambda: F.binary_cross_entropy_with_logits(rf.ones(2), rf.tensor([0, 1])), RuntimeError,
     "result type float32 can't be cast to the desired output type int64"),
    (lambda: F.layer_norm(rf.ones(2, 3), (2,)), RuntimeError, "last axes"),
    (lambda: F.batch_norm(rf.ones(1, 3), None, None, training=True), ValueError, "larger batch"),
    (lambda: F.batch_norm(rf.ones(2, 3), rf.ones(3, requires_grad=True), rf.ones(3), training=True), RuntimeError,
     "not differentiable with respect to argument 'running_mean'"),
    (lambda: F.mse_loss(rf.ones(2), rf.ones(2), reduction="most"), ValueError, "'mean'"),
    (lambda: F.multi_margin_loss(rf.ones(2, 3), rf.tensor([0, 3])), RuntimeError, "index 3 is out of bounds"),
    (lambda: F.multi_margin_loss(rf.ones(2, 3), rf.tensor([0.0, 1.0])), RuntimeError, "Expected dtype int64"),
    (lambda: F.multi_margin_loss(rf.ones(2, 3), rf.tensor([0, 1]), weight=rf.ones(2)), RuntimeError, "weight size"),
    (lambda: F.multi_margin_loss(rf.ones(2, 0), rf.tensor([0, 1])), RuntimeError, "each row of scores"),
])
def test_errors_say_what_was_the_rule_and_what_to_write(call, error, words):
    with pytest.raises(error) as caught:
        call()
    assert words in str(caught.value) and "\ntry:" in str(caught.value)


def test_a_mean_by_weights_is_divided_by_the_weights():
    x, target, weight = rf.tensor([1.0, 2.0]), rf.tensor([0.0, 4.0]), rf.tensor([3.0, 1.0])
    assert F.mse_loss(x, target, weight=weight).item() == (3 * 1 + 1 * 4) / 4
    assert F.l1_loss(x, target, weight=weight).item() == (3 * 1 + 1 * 2) / 4
    assert F.huber_loss(x, target, weight=weight).item() == (3 * 0.5 + 1 * 1.5) / 2  # but this one by their number
    for loss in (F.mse_loss, F.l1_loss, F.huber_loss):
        with pytest.raises(ValueError, match="same size"):
            loss(x, target, weight=rf.tensor([3.0]))


def test_a_mask_of_attention_is_of_bools_or_of_the_querys_dtype():
    q = rf.ones(2, 3)
    for mask in (rf.ones(2, 2, dtype=rf.int64), rf.ones(2, 2, dtype=rf.float64)):
        with pytest.raises(RuntimeError, match="attn_mask dtype"):
            F.scaled_dot_product_attention(q, q, q, attn_mask=mask)
    with pytest.raises(TypeError, match="attn_mask"):
        F.scaled_dot_product_attention(q, q, q, attn_mask=[[1, 0], [0, 1]])


def test_probabilities_know_no_ignored_class_and_a_negative_one_is_none():
    x, shares = rf.ones(2, 3), rf.ones(2, 3) / 3
    assert F.cross_entropy(x, shares, ignore_index=-1).item() == F.cross_entropy(x, shares).item()
    with pytest.raises(RuntimeError, match="not supported for floating point target"):
        F.cross_entropy(x, shares, ignore_index=0)


def test_losses_per_target_lie_in_order_however_the_targets_lie():
    x, targets = rf.ones(2, 5, 3, 4), rf.zeros(2, 4, 3, dtype=rf.int64).mT
    assert F.nll_loss(x, targets, reduction="none").stride() == (12, 4, 1)
    assert F.cross_entropy(x, targets, reduction="none", label_smoothing=0.1).stride() == (12, 4, 1)


def test_the_old_flags_of_a_loss_may_be_numbers():
    with pytest.warns(UserWarning, match="reduction='sum'"):
        assert F.l1_loss(rf.zeros(2), rf.ones(2), size_average=0) == 2
    with pytest.warns(UserWarning, match="reduction='none'"):
        assert F.l1_loss(rf.zeros(2), rf.ones(2), reduce=0).tolist() == [1, 1]
