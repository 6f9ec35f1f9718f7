"""Windows that become their largest cell or their mean, and images of another size."""

import math

import pytest
from hypothesis import assume, given, settings, strategies as st

import rustyflow as rf
import rustyflow.nn.functional as F

from .beside_torch import agree, pairs, rf_shape


@settings(max_examples=60)
@given(st.data(), st.sampled_from(("max", "avg")), pairs(1, 3), pairs(1, 3), pairs(0, 1), pairs(1, 2), st.booleans(),
       st.booleans(), st.booleans())
def test_pooling(data, name, kernel, stride, padding, dilation, ceil_mode, batched, flag):
    x = rf_shape(data, (2, 2, *data.draw(pairs(3, 6))) if batched else (2, *data.draw(pairs(3, 6))))
    how = {"stride": stride, "padding": padding, "ceil_mode": ceil_mode}
    how |= {"dilation": dilation, "return_indices": flag} if name == "max" else {"count_include_pad": flag}
    agree(lambda torch, a: getattr(torch.nn.functional, f"{name}_pool2d")(a, kernel, **how), x)


@settings(max_examples=30)
@given(st.data(), st.sampled_from(("max_pool1d", "avg_pool1d")), st.integers(1, 3), st.integers(1, 3), st.booleans())
def test_pooling_of_lines(data, name, kernel, stride, ceil_mode):
    agree(lambda torch, a: getattr(torch.nn.functional, name)(a, kernel, stride, kernel // 2, ceil_mode=ceil_mode),
          rf_shape(data, (2, 2, data.draw(st.integers(3, 7)))))


@settings(max_examples=20)
@given(st.data(), pairs(1, 5), st.booleans())
def test_adaptive_pooling(data, size, flag):
    x = rf_shape(data, (1, 2, *data.draw(pairs(3, 6))))
    agree(lambda torch, a: torch.nn.functional.adaptive_avg_pool2d(a, size), x)
    agree(lambda torch, a: torch.nn.functional.adaptive_max_pool2d(a, size, return_indices=flag), x)
    agree(lambda torch, a: torch.nn.functional.adaptive_max_pool1d(a[0], size[0], return_indices=flag), x)


def test_the_nearest_cell_is_found_in_float32_but_of_lines_of_float64_in_float64_as_in_torch():
    x = rf.arange(26.0)
    lines = [F.interpolate(x.to(dtype).view(1, 1, 26), size=22)[0, 0, 11] for dtype in (rf.float32, rf.float64)]
    image = F.interpolate(x.double().view(1, 1, 26, 1), size=(22, 1))[0, 0, 11, 0]
    assert [*lines, image] == [12, 13, 12]


def test_adaptive_pooling_of_a_long_line_needs_no_matrix_of_all_its_cells():
    x = rf.arange(70_000.0, dtype=rf.float64).view(1, 1, -1).requires_grad_()
    y = F.adaptive_avg_pool1d(x, 100_000)
    assert y[0, 0, [0, 1, 2, 99_999]].tolist() == [0.0, 0.5, 1.5, 69_999.0]
    y.backward(rf.ones_like(y))
    assert x.grad.sum().item() == pytest.approx(100_000) and x.grad[0, 0, :3].tolist() == [1.5, 1.0, 2.0]
    assert tuple(F.adaptive_avg_pool1d(x[:0], 2**31).shape) == (0, 1, 2**31)


@pytest.mark.parametrize("call, error", {
    lambda: F.adaptive_avg_pool2d(rf.ones(1, 4, 4), (-1, 2)): RuntimeError,
    lambda: F.adaptive_avg_pool2d(rf.ones(1, 0, 4), (2, 2)): RuntimeError,
    lambda: F.adaptive_avg_pool1d(rf.ones(1, 4), (2, 1)): RuntimeError,
    lambda: F.adaptive_max_pool2d(rf.ones(4, 4), 2): RuntimeError,
    lambda: F.adaptive_max_pool2d(rf.ones(1, 0, 4, 4), 2): RuntimeError,
    lambda: F.adaptive_max_pool2d(rf.ones(1, 4, 4), "a"): TypeError,
    lambda: F.adaptive_max_pool1d(rf.ones(1, 4).long(), 2): NotImplementedError,
    lambda: F.adaptive_avg_pool1d(rf.ones(1, 4), ()): RuntimeError,
    lambda: F.adaptive_avg_pool2d(rf.arange(16).view(1, 4, 4), 2): NotImplementedError,
    lambda: F.interpolate(rf.arange(16).view(1, 1, 4, 4), 2): NotImplementedError,
    lambda: F.interpolate(rf.arange(16, dtype=rf.uint8).view(1, 1, 4, 4), 2, mode="bilinear"): NotImplementedError,
}.items())
def test_resizing_refuses_what_has_no_means(call, error):
    with pytest.raises(error, match="rule: "):
        call()


def test_max_pool_of_nan_and_of_minus_infinity():
    x = rf.tensor([[[float("-inf"), float("-inf"), 1.0, float("nan")], [float("-inf"), float("-inf"), 2.0, 3.0]]])
    values, at = F.max_pool2d(x, 2, return_indices=True)
    assert values[0, 0, 0].item() == float("-inf") and values[0, 0, 1].isnan() and at.tolist() == [[[0, 3]]]


@settings(max_examples=100)
@given(st.data(), pairs(1, 3), pairs(1, 3), pairs(0, 1), pairs(1, 2), st.booleans(),
       st.sampled_from(("float16", "float32", "float64", "int64", "uint8")))
def test_the_largest_cells_are_the_same_whether_their_places_are_asked_for_or_not(data, kernel, stride, padding,
                                                                                  dilation, ceil_mode, dtype):
    size = data.draw(pairs(1, 7))
    some = [0, 1, 2] + [-0.0, -1.0, float("nan"), float("inf"), float("-inf")] * ("float" in dtype)
    n = 4 * size[0] * size[1]
    cells = data.draw(st.lists(st.sampled_from(some), min_size=n, max_size=n))
    x = rf.tensor(cells, dtype=getattr(rf, dtype)).view(1, 2 * size[0], 2 * size[1])
    x = x[:, ::2, ::2] if data.draw(st.booleans()) else x.mT[:, :size[0]]
    how = {"stride": stride, "padding": padding, "dilation": dilation, "ceil_mode": ceil_mode}
    try:
        values, _ = F.max_pool2d(x, kernel, **how, return_indices=True)
    except RuntimeError:
        assume(False)
    alone = F.max_pool2d(x, kernel, **how).double()
    assert alone.isnan().equal(values.isnan()) and alone.nan_to_num().equal(values.double().nan_to_num())
    assert alone.nan_to_num().signbit().equal(values.double().nan_to_num().signbit())


def test_pooling_by_one_cell_shares_no_memory():
    x = rf.zeros(1, 2, 2)
    F.max_pool2d(x, 1).add_(1)
    assert x.tolist() == [[[0, 0], [0, 0]]]


@pytest.mark.parametrize("pool", (F.max_pool1d, F.avg_pool1d))
def test_pooling_refuses_bools(pool):
    with pytest.raises(NotImplementedError, match="rule: "):
        pool(rf.ones(1, 4, dtype=rf.bool), 2)


@pytest.mark.parametrize("mode", ("nearest", "nearest-exact"))
def test_the_nearest_cell_is_the_one_pytorch_finds_in_float32(mode):
    torch = pytest.importorskip("torch")
    for n, out in ((28, 46), (3, 7), (41, 82), (14, 45), (49, 98), (55, 36), (29, 101), (22, 60)):
        got, wanted = [t.nn.functional.interpolate(t.arange(float(n)).view(1, 1, 1, n), (1, out), mode=mode).tolist()
                       for t in (rf, torch)]
        assert got == wanted


def test_a_cell_on_a_tie_is_found_in_float32():
    assert F.interpolate(rf.arange(28.0).view(1, 1, 28), 46)[0, 0, 23] == 13


@pytest.mark.parametrize("bad", (math.nan, math.inf))
def test_what_is_no_number_stays_in_the_places_that_read_it(bad):
    x = rf.tensor([[[bad, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0]]])
    assert F.adaptive_avg_pool1d(x, 3)[0, 0, 1:].tolist() == [3, 5]
    halves = F.interpolate(x, size=13, mode="linear", align_corners=True)
    assert halves[0, 0, 2:].tolist() == [1 + k / 2 for k in range(11)]
    y = rf.ones(1, 1, 7, requires_grad=True)
    means = F.adaptive_avg_pool1d(y, 3)
    (g,) = rf.autograd.grad(means, y, rf.tensor([[[bad, 3.0, 3.0]]]))
    assert g.isfinite().tolist() == [[[False] * 3 + [True] * 4]]


def test_an_axis_that_keeps_its_size_keeps_its_cells_whatever_the_scale():
    x = rf.randn(1, 2, 3, 4)
    y = F.interpolate(x, scale_factor=1.2, mode="bilinear")
    assert rf.equal(y, x) and y.data_ptr() != x.data_ptr()


def test_a_long_line_is_resized_without_a_matrix_of_its_length():
    x = rf.arange(70_000.0, dtype=rf.float64).view(1, 1, -1).requires_grad_()
    y = rf.nn.functional.interpolate(x, scale_factor=2, mode="linear")
    y.sum().backward()
    inner = rf.arange(1, 139_999, dtype=rf.float64) / 2 - 0.25
    assert rf.allclose(y[0, 0, 1:-1], inner) and rf.allclose(x.grad, rf.full_like(x, 2.0))
