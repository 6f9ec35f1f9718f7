"""Layers of nn.functional: as PyTorch's over any layout and any of their numbers, and by hand."""


import numpy as np
import pytest
from hypothesis import assume, given, settings, strategies as st

import rustyflow as rf
import rustyflow.nn.functional as F

from .beside_torch import agree, laid, rf_shape

ACTIVATIONS = ("relu sigmoid tanh silu mish logsigmoid leaky_relu elu selu celu gelu softplus hardtanh relu6 "
               "hardsigmoid hardswish").split()
sized = lambda *shape, **how: laid(rank=st.just(len(shape)), **how).filter(lambda x: 0 not in x.shape)  # noqa: E731


@settings(max_examples=60)
@given(st.sampled_from(ACTIVATIONS), laid())
def test_activations(name, x):
    agree(lambda torch, a: getattr(torch.nn.functional, name)(a * 2), x)


@pytest.mark.parametrize("name", ACTIVATIONS)
def test_activations_at_their_limits(name):
    torch = pytest.importorskip("torch")
    values = [0.0, -0.0, 1.0, -1.0, 3.0, -3.0, 6.0, 50.0, -50.0, 1000.0, -1000.0, float("inf"), float("-inf"),
              float("nan")]
    for dtype, tolerance in (("float32", 1e-6), ("float64", 1e-8)):
        # always its float64: with AVX-512, PyTorch's gelu of infinity is NaN in float32
        a = torch.tensor(values, dtype=torch.float64, requires_grad=True)
        b = rf.tensor(values, dtype=getattr(rf, dtype), requires_grad=True)
        want, got = getattr(torch.nn.functional, name)(a), getattr(F, name)(b)
        np.testing.assert_allclose(got.detach().numpy(), want.detach().numpy(), tolerance, tolerance)
        want.sum().backward(), got.sum().backward()
        np.testing.assert_allclose(b.grad.numpy(), a.grad.numpy(), tolerance, tolerance)


@pytest.mark.parametrize("shape", [(300, 2), (40_000, 3), (90, 10), (2, 5, 63), (20, 64), (3, 700)])
def test_shares_of_large_scores_do_not_overflow_however_long_the_lines(shape):
    x = rf.from_numpy(np.random.default_rng(0).permutation(np.prod(shape)).reshape(shape).astype("float64"))
    x[..., 1] = -np.inf
    x[0] = np.nan
    shares = x.softmax(-1)
    assert shares[0].isnan().all() and (shares[1:][..., 1] == 0).all() and (shares[1:].sum(-1) - 1).abs().max() < 1e-12
    assert (shares[1:].argmax(-1) == x[1:].argmax(-1)).all()
    assert rf.allclose(x[1:].log_softmax(-1).exp(), shares[1:])


@pytest.mark.parametrize("name", ("softmax", "log_softmax"))
def test_shares_of_many_float16_cells_as_of_float32(name):
    n, ours = 70_000, {}
    for dtype in (rf.float16, rf.float32):
        x = (rf.arange(n) % 5 / 128).to(dtype).requires_grad_()
        y = getattr(x, name)(0)
        y.backward(rf.ones(n, dtype=dtype) + (rf.arange(n) % 2))
        ours[dtype] = y.detach().float(), x.grad.float()
    for half, whole in zip(*ours.values()):
        assert rf.allclose(half, whole, 1e-2, 1e-6)


def test_layer_norm_of_an_expanded_row_is_as_exact_as_of_its_copy():
    x = rf.tensor(1.7).expand(200_000)
    assert F.layer_norm(x, x.shape).equal(F.layer_norm(x.contiguous(), x.shape))


@settings(max_examples=40)
@given(st.sampled_from(("softmax", "log_softmax", "softmin")), laid(rank=st.integers(0, 3)), st.integers(-3, 2))
def test_softmax(name, x, dim):
    agree(lambda torch, a: getattr(torch.nn.functional, name)(a * 5, dim), x)


@settings(max_examples=40)
@given(st.data(), st.integers(0, 3), st.integers(0, 3), st.integers(1, 3), st.booleans())
def test_linear(data, rank, inputs, outputs, biased):
    x = data.draw(laid(rank=st.just(rank), sizes=st.integers(0, 3)))
    agree(lambda torch, a, b,
          c: torch.nn.functional.linear(a.reshape(*a.shape[:-1], -1), b.expand(-1, *a.shape[-1:]) if rank else b,
                                        c if biased else None), x, data.draw(laid(rank=st.just(2), sizes=st.just(1))),
          data.draw(laid(rank=st.just(1), sizes=st.just(1))))


def test_linear_by_hand_and_in_float32():
    x, w, b = rf.tensor([[1.0, 2.0]]), rf.tensor([[3.0, 4.0], [5.0, 6.0], [0.0, -1.0]],
                                                 requires_grad=True), rf.tensor([10.0, 0.0, 0.0], requires_grad=True)
    y = F.linear(x, w, b)
    assert y.tolist() == [[21.0, 17.0, -2.0]] and y.dtype is rf.float32
    y.backward(rf.tensor([[1.0, 0.0, 2.0]]))
    assert w.grad.tolist() == [[1, 2], [0, 0], [2, 4]] and b.grad.tolist() == [1, 0, 2]


@settings(max_examples=60)
@given(st.data(), st.integers(1, 2), st.integers(1, 2), st.booleans(), st.booleans(),
       st.sampled_from(("conv", "conv_transpose")))
def test_convolutions(data, axes, groups, biased, batched, name):
    draw = lambda low, high: tuple(data.draw(st.integers(low, high)) for _ in range(axes))  # noqa: E731
    kernel, stride, dilation, size = draw(1, 3), draw(1, 3), draw(1, 2), draw(3, 6)
    padding = data.draw(st.sampled_from((draw(0, 2), "same", "valid"))) if name == "conv" else draw(0, 1)
    n, c, o = data.draw(st.integers(1, 2)), 2 * groups, 2 * groups
    x = rf_shape(data, (n, c, *size) if batched else (c, *size))
    w = rf_shape(data, (o, c // groups, *kernel) if name == "conv" else (c, o // groups, *kernel))
    how = {"stride": stride, "padding": padding, "dilation": dilation, "groups": groups}
    if name == "conv_transpose":
        how["output_padding"] = tuple(data.draw(st.integers(0, max(s, d) - 1)) for s, d in zip(stride, dilation))
        assume(all((n - 1) * s - 2 * p + d * (k - 1) + 1 > 0 for n, s, p, d,
                   k in zip(size, stride, padding, dilation, kernel)))
    agree(lambda torch, a, b,
          bias: getattr(torch.nn.functional, f"{name}{axes}d")(a, b, bias if biased else None, **how), x, w,
          rf_shape(data, (o,)))


def test_conv2d_by_hand():
    x, w = rf.arange(9.0).view(1, 1, 3, 3).requires_grad_(), rf.tensor([[[[1.0, 0.0], [0.0, -1.0]]]],
                                                                       requires_grad=True)
    y = F.conv2d(x, w, rf.tensor([10.0]))
    assert y.tolist() == [[[[6, 6], [6, 6]]]]
    y.sum().backward()
    assert x.grad.tolist() == [[[[1, 1, 0], [1, 0, -1], [0, -1, -1]]]]
    assert w.grad.tolist() == [[[[8, 12], [20, 24]]]]


def test_patches_of_an_expanded_image_send_each_cell_its_own_gradient():
    x = rf.ones(1).expand(1, 3, 3).requires_grad_()
    F.unfold(x, 2).sum().backward()
    assert x.grad.tolist() == [[[1, 2, 1], [2, 4, 2], [1, 2, 1]]]


@settings(max_examples=40)
@given(st.data(), st.sampled_from(("constant", "reflect", "replicate", "circular")), st.integers(1, 2))
def test_padding(data, mode, axes):
    cells = [data.draw(st.integers(-1, 2)) for _ in range(2 * axes)]
    x = rf_shape(data, (2, 2, *[3] * axes))
    agree(lambda torch, a: torch.nn.functional.pad(a, cells, mode, 1.5 if mode == "constant" else None), x)


@settings(max_examples=30)
@given(st.data(), st.integers(1, 40), st.integers(0, 3), st.one_of(st.none(), st.integers(-1, 0)),
       st.lists(st.integers(0, 39), max_size=12))
def test_embedding(data, rows, width, padding_idx, numbers):
    numbers = [n % rows for n in numbers]
    table = rf_shape(data, (rows, width))
    agree(lambda torch, w: torch.nn.functional.embedding(torch.tensor(numbers, dtype=torch.int64), w, padding_idx),
          table)


def test_embedding_of_a_large_table_adds_repeated_rows():
    table = rf.zeros(5000, 300, requires_grad=True)
    at = rf.tensor([4999, 7, 7, 0, 7, 4999] * 2)
    F.embedding(at, table, padding_idx=0).sum().backward()
    assert [table.grad[k, 0].item() for k in (0, 7, 4999, 1)] == [0, 6, 4, 0] and table.grad.sum().item() == 3000


@settings(max_examples=30)
@given(st.data(), st.booleans(), st.sampled_from((None, "bool", "float")), st.one_of(st.none(), st.floats(0.1, 2)))
def test_attention(data, causal, mask, scale):
    q, k, v = rf_shape(data, (2, 3, 4)), rf_shape(data, (2, 5, 4)), rf_shape(data, (2, 5, 2))

    def call(torch, q, k, v):
        keep = torch.tensor([[True, False, True, True, False], [True] * 5, [False, True, True, False, True]])
        given = {None: None, "bool": keep, "float": keep.to(q) * 2}[None if causal else mask]
        return torch.nn.functional.scaled_dot_product_attention(q, k, v, given, is_causal=causal, scale=scale)
    agree(call, q, k, v)


def test_a_query_that_may_see_nothing_has_the_result_0():
    q = rf.ones(2, 2, requires_grad=True)
    y = F.scaled_dot_product_attention(q, q, q, rf.tensor([[False, False], [True, False]]))
    assert y.tolist() == [[0, 0], [1, 1]]
    y.sum().backward()
    assert not q.grad.isnan().any()


def test_a_query_without_features_sees_all_keys_alike():
    q, k, v = rf.ones(1, 1, 3, 0), rf.ones(1, 1, 4, 0), rf.arange(4.).view(1, 1, 4, 1)
    assert F.scaled_dot_product_attention(q, k, v).flatten().tolist() == [1.5] * 3
    assert F.scaled_dot_product_attention(q, k, k).shape == (1, 1, 3, 0)


@settings(max_examples=30)
@given(laid(rank=st.integers(1, 3), expands=False), st.sampled_from((1.0, 2.0, 3.0, float("inf"))), st.integers(-3, 2))
def test_normalize(x, p, dim):
    agree(lambda torch, a: torch.nn.functional.normalize(a + 0.3, p, dim), x)


def test_distances():
    a, b = rf.tensor([[1.0, 0.0], [0.0, 0.0]]), rf.tensor([[1.0, 1.0], [1.0, 0.0]])
    assert F.cosine_similarity(a, b).tolist() == pytest.approx([0.5**0.5, 0])
    assert F.pairwise_distance(a, b, eps=0).tolist() == [1, 1]
    assert F.pairwise_distance(rf.tensor(1.0), rf.tensor(3.0), eps=0).item() == 2


@pytest.mark.parametrize("call",
                         (lambda x, inplace: F.relu(x, inplace=inplace), lambda x, inplace: F.elu(x, inplace=inplace),
                          lambda x, inplace: F.leaky_relu(x, 0.5, inplace), lambda x, inplace: F.silu(x, inplace)))
def test_in_place_activations_have_the_same_gradient(call):
    grads = []
    for inplace in (True, False):
        leaf = rf.tensor([-1.0, 2.0, 0.5], requires_grad=True)
        x = leaf * 3
        y = call(x, inplace)
        assert (y is x) is inplace
        (y * rf.tensor([1.0, 2.0, 3.0])).sum().backward()
        grads.append(leaf.grad.tolist())
    assert grads[0] == grads[1] and grads[0][1] != 0


@pytest.mark.parametrize("call, error, words", [
    (lambda: F.linear(rf.ones(2, 3), rf.ones(4, 5)), RuntimeError, "cannot be multiplied"),
    (lambda: F.conv2d(rf.ones(1, 3, 5, 5), rf.ones(2, 4, 3, 3)), RuntimeError, "channels"),
    (lambda: F.conv2d(rf.ones(1, 3, 2, 2), rf.ones(2, 3, 3, 3)), RuntimeError, "Kernel size"),
    (lambda: F.embedding(rf.tensor([3]), rf.ones(3, 2)), IndexError, "0 to 2"),
    (lambda: F.max_pool2d(rf.ones(1, 4, 4), 2, padding=2), RuntimeError, "half"),
    (lambda: F.pad(rf.ones(1, 3), (3, 0), "reflect"), RuntimeError, "less than"),
    (lambda: F.silu(rf.tensor([1])), NotImplementedError, "x.float()"),
    (lambda: F.dropout(rf.ones(2), 1.5), ValueError, "between 0 and 1"),
    (lambda: F.dropout1d(rf.ones(1, 2, 2, 2)), RuntimeError, "3D input"),
    (lambda: F.interpolate(rf.ones(1, 1, 1), scale_factor=0.5, mode="linear", recompute_scale_factor=True),
     RuntimeError, "greater than 0"),
    (lambda: F.one_hot(rf.tensor([0, 3]), 3), RuntimeError, "num_classes=4"),
])
def test_errors_say_what_was_the_rule_and_what_to_write(call, error, words):
    with pytest.raises(error) as caught:
        call()
    assert words in str(caught.value) and "\ntry:" in str(caught.value)


@pytest.mark.parametrize("name, how", [*[(name, {}) for name in "softplus sigmoid silu logsigmoid mish gelu".split()],
                                       ("gelu", {"approximate": "tanh"})])
def test_activations_in_float16_keep_its_digits(name, how):
    x = rf.tensor([-11.09, -7.996, -3.586, 0.3, 7.996, 11.5], dtype=rf.float16)
    got, exact = getattr(F, name)(x, **how), getattr(F, name)(x.double(), **how)
    assert got.dtype is rf.float16
    assert np.allclose(got.double().numpy(), exact.numpy(), rtol=2e-3, atol=5e-7)


@pytest.mark.parametrize("name", "softplus silu logsigmoid mish gelu".split() + ["gelu tanh"])
def test_gradients_of_activations_in_float16_keep_its_digits(name):
    x = rf.tensor([-11.09, -7.996, -3.586, 0.3, 7.996, 11.5], dtype=rf.float16, requires_grad=True)
    exact = x.detach().double().requires_grad_()
    name, *kind = name.split()
    how = {"approximate": kind[0]} if kind else {}
    getattr(F, name)(x, **how).sum().backward()
    getattr(F, name)(exact, **how).sum().backward()
    assert np.allclose(x.grad.double().numpy(), exact.grad.numpy(), rtol=4e-3, atol=2e-6)


@pytest.mark.parametrize("name, how", [
    ("leaky_relu", [0.3]), ("elu", [0.3]), ("celu", [0.3]), ("selu", []), ("softshrink", [0.3]), ("hardsigmoid", []),
    ("hardswish", []), ("mish", []),
])  # fmt: skip
def test_activations_in_float16_are_rounded_once_as_in_torch(name, how):
    torch = pytest.importorskip("torch")
    x = (3 * np.random.default_rng(0).standard_normal(2000)).astype(np.float16)
    got, wanted = [getattr(m.nn.functional, name)(m.from_numpy(x), *how).numpy() for m in (rf, torch)]
    assert np.array_equal(got, wanted)


@pytest.mark.parametrize("name", ["leaky_relu", "elu", "celu", "selu", "softshrink", "hardswish", "mish"])
def test_activations_of_what_is_not_finite(name):
    torch = pytest.importorskip("torch")
    x = np.array([np.inf, -np.inf, np.nan, -0.0, 0.0], np.float32)
    got, wanted = [getattr(m.nn.functional, name)(m.from_numpy(x)).numpy() for m in (rf, torch)]
    assert np.array_equal(got, wanted, equal_nan=True)


def test_a_convolution_of_no_channels_is_its_bias_and_one_without_filters_is_refused():
    x, w = rf.ones(2, 0, 4, 4, requires_grad=True), rf.ones(3, 0, 3, 3, requires_grad=True)
    y = F.conv2d(x, w, rf.arange(3.0), padding=1)
    y.sum().backward()
    assert y[1, :, 0, 0].tolist() == [0, 1, 2] and (x.grad.shape, w.grad.shape) == (x.shape, w.shape)
    with pytest.raises(RuntimeError, match="at least 1 at dimension 0"):
        F.conv2d(rf.ones(2, 1, 4, 4), rf.ones(0, 1, 3, 3))
    with pytest.raises(RuntimeError, match="kernel size should be greater than zero"):
        F.conv2d(rf.ones(2, 1, 4, 4), rf.ones(1, 1, 3, 0))


def test_what_keeps_a_divisor_from_0_is_not_negative():
    x, mean, var = rf.ones(2, 3), rf.zeros(3), rf.ones(3)
    for eps, training in ((-1, True), (0, True), (-1, False)):
        with pytest.raises(ValueError, match="batch_norm eps must be positive during training"):
            F.batch_norm(x, mean, var, training=training, eps=eps)
    assert F.batch_norm(x, mean, var, eps=0).tolist() == x.tolist()
    with pytest.raises(RuntimeError, match="eps must be non-negative"):
        F.cosine_similarity(x, x, eps=-1)
