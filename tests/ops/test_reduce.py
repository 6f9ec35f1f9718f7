"""Reductions, extrema, statistics and running results: as PyTorch's over any layout and any dims.

And by hand where cells are 0, equal, NaN or none.
"""

import numpy as np
import pytest
from hypothesis import assume, given, settings, strategies as st

import rustyflow as rf
from rustyflow.autograd import gradcheck, gradgradcheck

from .beside_torch import agree, laid

MANY = "sum mean amax amin var std logsumexp any all count_nonzero nansum nanmean norm".split()
ONE = "prod argmax argmin cumsum cumprod logcumsumexp max min median".split()


@settings(max_examples=100)
@given(st.sampled_from(MANY), laid(rank=st.integers(1, 3)), st.data())
def test_over_several_dims(name, x, data):
    rank = len(x.shape)
    dims = data.draw(st.lists(st.integers(0, rank - 1), min_size=1, max_size=rank, unique=True).map(tuple))
    dims = tuple(d - rank if data.draw(st.booleans()) else d for d in dims)
    how = {} if name == "count_nonzero" else {"keepdim": data.draw(st.booleans())}
    how |= {"p": data.draw(st.sampled_from((2, 1, 3, float("inf"))))} if name == "norm" else {}
    agree(lambda torch, a: getattr(torch, name)(a, dim=dims, **how), x)


@settings(max_examples=80)
@given(st.sampled_from(ONE), laid(rank=st.integers(0, 3)), st.integers(-2, 1), st.booleans())
def test_over_one_dim(name, x, dim, keepdim):
    def call(torch, a):
        if name == "median":  # which of several equal cells it picks is nowhere said
            a = a + torch.arange(a.numel()).view(a.shape) / 1024
        how = {} if name.startswith(("cum", "log")) else {"keepdim": keepdim}
        return getattr(torch, name)(a, dim, **how)
    agree(call, x)


@settings(max_examples=80)
@given(st.sampled_from("sum mean prod amax max min argmax var std norm median any all count_nonzero".split()),
       laid(sizes=st.integers(0, 4), dtypes=st.sampled_from(("float64", "float32", "int64", "uint8", "bool"))))
def test_of_everything(name, x):
    # the median of no whole number is nowhere said
    assume(name != "median" or x.dtype.startswith("float") or 0 not in x.shape)
    agree(lambda torch, a: getattr(torch, name)(a), x)


@settings(max_examples=30)
@given(st.sampled_from("sum prod cumsum cumprod mean".split()),
       laid(rank=st.integers(1, 2), dtypes=st.sampled_from(("int64", "uint8", "bool", "float32"))),
       st.sampled_from(("float64", "float32", "int64", "int32")))
def test_dtype_of_the_running_sum(name, x, dtype):
    agree(lambda torch, a: getattr(torch, name)(a.detach(), 0, dtype=getattr(torch, dtype)), x)


@pytest.mark.parametrize("call", [
    lambda x: x.mean((0, 1), keepdim=True), lambda x: x.prod(), lambda x: x.prod(1), lambda x: x.prod(0, keepdim=True),
    lambda x: x.cumprod(1), lambda x: x.cumprod(0), lambda x: x.cumsum(0), lambda x: x.logcumsumexp(1),
    lambda x: x.logsumexp((0, 1)), lambda x: x.var(1, correction=0), lambda x: x.std(0), lambda x: (x + 1).norm(3, 1),
    lambda x: (x + 1).norm(), lambda x: x.amax(1), lambda x: x.max(0).values,
])
def test_first_and_second_derivatives_with_zeros_against_finite_differences(call):
    numbers = np.array([[0.7, 0.0, 1.9, -0.4], [0.0, 1.2, 0.3, 0.0]])
    x = rf.from_numpy(numbers.T.copy()).requires_grad_()
    apart = rf.from_numpy(np.arange(8.0).reshape(2, 4) / 64 * (numbers != 0))
    assert gradcheck(lambda x: call(x.t() + apart), (x,)) and gradgradcheck(lambda x: call(x.t() + apart), (x,))


@pytest.mark.parametrize("cells", ["nan 1 2", "inf 1 2", "-inf 1 2", "1 inf 2", "1 -inf 2", "-inf inf 0", "-inf -inf"])
@pytest.mark.parametrize("name", ["logcumsumexp", "nansum", "nanmean"])
def test_gradients_beside_infinities_and_nan_as_in_torch(name, cells):
    torch, found = pytest.importorskip("torch"), []
    for m in (rf, torch):
        x = m.tensor([float(cell) for cell in cells.split()], dtype=m.float64, requires_grad=True)
        getattr(m, name)(x, 0).sum().backward()
        found.append(x.grad.tolist())
    np.testing.assert_allclose(*found, rtol=1e-12)


@pytest.mark.parametrize("dtype", ("float16", "float64"))
@pytest.mark.parametrize("cells", (
    "-24 32 12 -20 -8 0 -12 8 0 -8 -20 -16", "0 300 300 300", "12 0 32 16 0 -24 -16", "inf 0 1", "2 0 nan", "2 0 3 inf",
    "16 -24 32 4 20 32 8 16 24 32 0 0", "2 inf 3", "nan 0 0 1",
))
def test_products_too_large_and_of_zeros_have_pytorchs_gradients(cells, dtype):
    torch = pytest.importorskip("torch")
    for call in (lambda x: x.prod(), lambda x: x.prod(0), lambda x: x.cumprod(0)):
        found = []
        for m in (rf, torch):
            x = m.tensor([float(cell) for cell in cells.split()], dtype=getattr(m, dtype), requires_grad=True)
            call(x).sum().backward()
            found.append(x.grad.tolist())
        np.testing.assert_allclose(*found, rtol=2e-3 if dtype == "float16" else 1e-12)


# Worked by hand

def test_a_product_with_zeros_has_the_product_of_the_others_for_gradient():
    x = rf.tensor([[2.0, 0.0, 5.0], [0.0, 3.0, 0.0]], requires_grad=True)
    x.prod(1).sum().backward()
    assert x.grad.tolist() == [[0, 10, 0], [0, 0, 0]]
    y = rf.tensor([2.0, 0.0, 5.0, 0.0, 7.0], requires_grad=True)
    y.cumprod(0).backward(rf.ones(5))
    assert y.grad.tolist() == [1, 12, 0, 0, 0]


def test_ties_and_nan():
    x = rf.tensor([[1.0, 3.0, 3.0]], requires_grad=True)
    x.max().backward()
    assert x.grad.tolist() == [[0, 0.5, 0.5]]
    x.grad = None
    assert x.max(1).indices.item() == 1 and x.argmax().item() == 1
    x.max(1).values.sum().backward()
    assert x.grad.tolist() == [[0, 1, 0]]
    nan = rf.tensor([1.0, float("nan"), 9.0])
    assert nan.argmax().item() == 1 and nan.max(0).indices.item() == 1 and nan.median(0).indices.item() == 1
    assert all(v.isnan().item() for v in (nan.max(), nan.min(), nan.amax(), nan.sum(), nan.median()))
    assert rf.nansum(nan).item() == 10 and rf.nanmean(nan).item() == 5


def test_of_nothing():
    none = rf.zeros(0, 3)
    assert (none.sum().item(), none.prod().item(), none.norm().item()) == (0, 1, 0)
    assert (none.any().item(), none.all().item()) == (False, True)
    assert none.sum(0).tolist() == [0, 0, 0] and tuple(none.sum(1).shape) == (0,) and none.mean().isnan().item()
    assert rf.logsumexp(none, 0).tolist() == [-float("inf")] * 3
    assert tuple(none.cumsum(0).shape) == (0, 3) and tuple(none.amax(1).shape) == (0,)
    for call, error in ((lambda: none.max(), RuntimeError), (lambda: none.max(0), IndexError),
                        (lambda: none.amax(0), IndexError), (lambda: none.argmax(), IndexError),
                        (lambda: none.norm(float("inf")), RuntimeError), (lambda: none.median(0), IndexError)):
        with pytest.raises(error, match="empty|non-zero size|numel"):
            call()


def test_whole_numbers_are_added_in_int64():
    assert rf.full((300,), 200, dtype=rf.uint8).sum().item() == 60000
    assert rf.ones(3, dtype=rf.bool).sum().dtype is rf.int64
    assert rf.tensor([2, 0], dtype=rf.uint8).any().dtype is rf.uint8 and rf.tensor([2.0]).all().dtype is rf.bool
    assert rf.median(rf.tensor([4, 1, 3, 2])).item() == 2


@pytest.mark.parametrize(("shape", "dim"), [((300, 700), 1), ((5, 9001), 1), ((70_001,), 0), ((9, 30, 90), (0, 2)),
                                            ((4000, 5), 0), ((4000, 5), 1), ((40, 90, 7), 1), ((2, 130, 130), 0)])
def test_large_sums_keep_their_digits_in_every_layout(shape, dim):
    x = np.random.default_rng(0).random(shape, dtype="float32") + 1
    wide = np.zeros((*shape[:-1], shape[-1] + 3), "float32")
    wide[..., :-3] = x
    for y in (rf.tensor(x), rf.tensor(x.T.copy()).permute(*range(x.ndim)[::-1]), rf.tensor(wide)[..., :-3],
              rf.tensor(x)[:1].expand(*shape)):
        exact = y.numpy().astype("float64")
        np.testing.assert_allclose(y.sum(dim).numpy(), exact.sum(dim), 5e-7)
        np.testing.assert_allclose(y.sum(dim, keepdim=True).numpy(), exact.sum(dim, keepdims=True), 5e-7)
        np.testing.assert_allclose(y.sum().numpy(), exact.sum(), 5e-7)
        for z in (y, y.double()):
            np.testing.assert_allclose(z.sum(dim, dtype=rf.float32).numpy(), exact.sum(dim), 1e-6)
        np.testing.assert_allclose(y.norm(2, dim, True).numpy(), (exact ** 2).sum(dim, keepdims=True) ** 0.5, 1e-6)


def test_long_sums_keep_their_digits_along_any_axis():
    x = np.random.default_rng(0).random((20_000, 3), dtype="float32")
    exact = x.astype("float64").sum(0)
    for total in (rf.tensor(x).sum(0), rf.tensor(x.T.copy()).t().sum(0), rf.tensor(x).mean(0) * len(x)):
        np.testing.assert_allclose(total.numpy(), exact, 1e-6)
    assert rf.ones(17_000_000, 1).expand(-1, 2).sum(0).tolist() == pytest.approx([17e6, 17e6], 1e-5)
    assert rf.ones(5000, 2, dtype=rf.float16).sum(0).tolist() == [5000, 5000]
    tenths = rf.full((1 << 20, 2), 0.1, dtype=rf.float64)
    np.testing.assert_allclose(tenths.sum(0).numpy(), 104857.6, 1e-13)
    np.testing.assert_allclose(tenths.mean(0).numpy(), 0.1, 1e-13)


@pytest.mark.parametrize("shape", [(1000, 300), (701, 400), (300, 10, 100), (90, 4000)])
def test_values_of_many_wide_rows_are_added_up_with_all_their_digits(shape):
    x = np.random.default_rng(0).random(shape, dtype="float32") - 0.3
    exact = x.astype("float64")
    for y in (rf.tensor(x), rf.tensor(x.T.copy()).permute(*range(x.ndim)[::-1])):
        np.testing.assert_allclose(rf.linalg.vector_norm(y, 1, 0).numpy(), abs(exact).sum(0), 5e-7)
        np.testing.assert_allclose(y.var(0, keepdim=True).numpy(), exact.var(0, ddof=1, keepdims=True), 1e-6)


def test_a_product_of_two_zeros_and_what_is_not_finite_has_no_gradient_as_in_torch():
    for bad in (float("inf"), float("nan")):
        x = rf.tensor([0.0, 0.0, bad], requires_grad=True)
        x.prod().backward()
        assert x.grad.tolist() == [0, 0, 0]


def test_running_sums_and_products_count_in_float64():
    assert rf.full((10,), 0.1).cumsum(0)[-1] == 1
    steps = np.random.default_rng(0).random(10_000, dtype="float32")
    for name in ("cumsum", "cumprod"):
        x = steps * 1e-3 + (name == "cumprod")
        exact = getattr(np, name)(x.astype("float64")).astype("float32")
        np.testing.assert_array_equal(getattr(rf, name)(rf.tensor(x), 0).numpy(), exact)
        x = x.reshape(10, 1000)
        exact = getattr(np, name)(x.astype("float64"), 0).astype("float32")
        for rows in (rf.tensor(x), rf.tensor(x.T).t()):
            np.testing.assert_array_equal(getattr(rf, name)(rows, 0).numpy(), exact)


@pytest.mark.parametrize("n", [255, 256, 257, 65_536, 65_537, 131_073])
def test_running_sums_and_products_of_lines_of_any_length(n):
    x = np.arange(n, dtype="float32") % 7 - 3
    for name, a in (("cumsum", x), ("cumprod", np.where(x > 0, np.float32(-1), np.float32(1)))):
        exact = getattr(np, name)(a)
        for lines in (a, np.stack([a, a]), np.stack([a, a], 1).T):
            got = getattr(rf, name)(rf.tensor(lines), -1).numpy()
            np.testing.assert_array_equal(got, np.broadcast_to(exact, got.shape))


def test_named_results_print_as_they_are_named():
    largest = rf.tensor([[1, 5], [7, 2]]).max(1)
    assert repr(largest) == "rustyflow.return_types.max(\nvalues=tensor([5, 7]),\nindices=tensor([1, 0]))"
    values, indices = rf.tensor([3, 1]).min(0)
    assert (values.item(), indices.item()) == (1, 1) and rf.aminmax(rf.tensor([3, 1, 2])).max.item() == 3


@pytest.mark.parametrize("dtype", [rf.float16, rf.float32, rf.float64])
@pytest.mark.parametrize("times", [2, 3, 7, 39, 70_000])
def test_equal_cells_have_no_variance_and_their_deviation_no_gradient(times, dtype):
    x = (rf.arange(1.0, 9) / 7).to(dtype).requires_grad_()
    y = x.expand(times, 8)
    deviation = y.std(0)
    deviation.sum().backward()
    assert not deviation.any() and not x.grad.any() and not y.detach().t().var(1).any()


@pytest.mark.parametrize("scale, shift", [(1e-25, 0), (1e-40, 0), (1e19, 0), (1e19, 1e20), (1e36, 1e37)])
@pytest.mark.parametrize("backend", ["numpy", "loops"])
def test_a_deviation_is_found_where_its_square_is_no_number_of_float32(scale, shift, backend):
    a = (np.random.default_rng(0).standard_normal((4, 30)) * scale + shift).astype("f")
    upstream = np.random.default_rng(1).standard_normal(30).astype("f")
    exact = a.astype("d").std(0, ddof=1)
    with rf.backends.use(backend):
        x = rf.tensor(a.tolist(), requires_grad=True)
        y = x.std(0)
        y.backward(rf.tensor(upstream.tolist()))
        np.testing.assert_allclose(y.tolist(), exact, 1e-4)
        if scale > 1e-38:  # of whose deviation one part is still a normal number
            slope = (a - a.astype("d").mean(0)) / exact / 3 * upstream
            np.testing.assert_allclose(x.grad.tolist(), slope, 1e-4, 1e-4)


def test_a_variance_is_finite_where_only_the_sum_of_squares_is_not():
    x = rf.tensor([-1e19, 1e19] * 50)
    assert abs(x.var(correction=0).item() / 1e38 - 1) < 1e-6
    spread, mean = rf.var_mean(x, correction=0)
    assert abs(spread.item() / 1e38 - 1) < 1e-6 and mean == 0


@pytest.mark.parametrize("name", ["var_mean", "std_mean"])
def test_the_mean_alone_has_its_gradient_beside_a_cell_that_is_no_number(name):
    x = rf.tensor([1.0, float("nan"), float("inf"), 2], requires_grad=True)
    getattr(rf, name)(x)[1].backward()
    assert x.grad.tolist() == [0.25] * 4
    y = rf.tensor([[1.0, 3], [2, 2]], requires_grad=True)
    spread, mean = getattr(rf, name)(y, 1, keepdim=True)
    (spread.sum() * 2 + mean.sum()).backward()
    want = rf.tensor([[1.0, 3], [2, 2]], requires_grad=True)
    (getattr(want, name[:3])(1).sum() * 2 + want.mean(1).sum()).backward()
    assert y.grad.allclose(want.grad)


def test_variance_with_too_few_cells():
    assert rf.tensor([1.0, 3.0]).var(correction=0).item() == 1 and rf.tensor([1.0, 3.0]).var(unbiased=False).item() == 1
    with pytest.warns(UserWarning, match="degrees of freedom"):
        assert rf.tensor([2.0]).var().isnan() and rf.tensor([1.0, 3.0]).var(correction=2) == float("inf")


@pytest.mark.parametrize("call, error", [
    (lambda x: x.sum(2), IndexError), (lambda x: x.sum((0, -2)), RuntimeError), (lambda x: x.sum("a"), TypeError),
    (lambda x: x.sum(0, 1), TypeError), (lambda x: rf.sum(3), TypeError), (lambda x: x.int().mean(), RuntimeError),
    (lambda x: x.int().var(), RuntimeError), (lambda x: x.max((0, 1)), TypeError),
    (lambda x: x.prod(keepdim=True), TypeError), (lambda x: (x > 0).argmax(), RuntimeError),
    (lambda x: x.cumsum(), TypeError), (lambda x: x.norm("word"), RuntimeError),
    (lambda x: (x > 0).median(), NotImplementedError),
    (lambda x: x.requires_grad_().sum(0, dtype=rf.int64), RuntimeError), (lambda x: x.logsumexp(None), TypeError),
])
def test_mistakes_have_pytorchs_type(call, error):
    with pytest.raises(error):
        call(rf.ones(2, 3))


def test_numpys_names_for_the_arguments_are_understood():
    x = rf.arange(6.0).view(2, 3)
    assert x.sum(axis=0, keepdims=True).tolist() == [[3, 5, 7]] and x.argmax(axis=1).tolist() == [2, 2]


def test_one_argument_under_two_names_is_refused():
    with pytest.raises(TypeError):
        rf.ones(2, 2).sum(dim=0, axis=1)


@pytest.mark.parametrize("call", (lambda x: x.nanmedian(0), lambda x: x.kthvalue(1, 0), lambda x: x.median(0)))
def test_no_cell_has_a_rank_on_an_axis_of_none(call):
    with pytest.raises(IndexError, match="non-zero size"):
        call(rf.zeros(0, 3))


def test_means_without_nan_are_of_floats():
    with pytest.raises(RuntimeError, match="nanmean"):
        rf.nanmean(rf.tensor([1, 2]))


def test_repeated_indices_have_the_dtype_of_the_counts():
    assert rf.repeat_interleave(rf.tensor([1, 2], dtype=rf.int32)).dtype is rf.int32


@pytest.mark.parametrize("wrong, error, says", [
    (lambda x: x.repeat_interleave(2, output_size=7), RuntimeError, "expected 6 but got 7"),
    (lambda x: x.repeat_interleave(rf.tensor([1, 0, 1]), output_size=3), RuntimeError, "expected 2 but got 3"),
    (lambda x: rf.repeat_interleave(x.long(), output_size=4), RuntimeError, "expected 3 but got 4"),
    (lambda x: x.cumsum(0, dtype=rf.bool), NotImplementedError, "for 'Bool'"),
    (lambda x: x.cumprod(0, dtype=rf.bool), NotImplementedError, "for 'Bool'"),
    (lambda x: x.index_add_(0, rf.tensor([1]), rf.tensor(2.0)), RuntimeError, "same size"),
])
def test_what_does_not_add_up_is_refused(wrong, error, says):
    with pytest.raises(error, match=says):
        wrong(rf.ones(3))


@pytest.mark.parametrize("times", [0, 3, rf.tensor(2), rf.tensor([2]), rf.tensor([1, 0, 3])], ids=str)
@pytest.mark.parametrize("dim", [0, 1])
@pytest.mark.parametrize("tracked", [True, False])
def test_slices_repeat_side_by_side_recorded_or_not(times, dim, tracked):
    square = rf.arange(9.0).view(3, 3).requires_grad_(tracked)
    plain = times.numpy() if isinstance(times, rf.Tensor) else times
    for x in (square, square.t(), square[:, :1].expand(3, 3)):
        y = rf.repeat_interleave(x, times, dim)
        assert y.requires_grad is tracked and y.is_contiguous()
        assert y.tolist() == np.repeat(x.detach().numpy(), plain, dim).tolist()


def test_the_right_size_of_the_repeated_is_taken():
    x = rf.arange(3)
    assert x.repeat_interleave(2, output_size=6).tolist() == [0, 0, 1, 1, 2, 2]
    assert x.repeat_interleave(rf.tensor([2]), output_size=6).tolist() == [0, 0, 1, 1, 2, 2]
    assert rf.repeat_interleave(x, output_size=3).tolist() == [1, 2, 2]


def test_one_slice_is_stretched_before_it_is_taken_along_its_dim():
    x = rf.tensor([[5.0, 6.0]], requires_grad=True)
    y = x.take_along_dim(rf.tensor([[1, 0], [0, 1], [2, 2]]), 0)
    assert y.tolist() == [[5, 6]] * 3
    y.sum().backward()
    assert x.grad.tolist() == [[3, 3]]


def test_places_of_fewer_axes_are_those_of_every_line():
    y, x = rf.arange(24.0).view(2, 3, 4), rf.tensor([0.0, 1.0, 3.0, 4.0]).expand(3, 4)
    assert rf.allclose(rf.trapezoid(y, x), rf.trapezoid(y, x[0]))


def test_counts_of_nothing_are_whole_numbers_even_weighted():
    assert rf.bincount(rf.tensor([], dtype=rf.int64), rf.tensor([]), minlength=2).dtype is rf.int64


@settings(max_examples=60)
@given(st.lists(st.integers(0, 3), min_size=1, max_size=12))
def test_of_equal_cells_the_median_is_the_one_that_is_in_the_middle_where_they_keep_their_order(cells):
    x = rf.tensor([float(n) for n in cells])
    assert x.median(0).indices.item() == x.sort(stable=True).indices[(len(cells) - 1) // 2].item()


def test_nanmean_of_more_halves_than_a_half_can_count():
    x = rf.full((70_000, 2), 0.125, dtype=rf.float16)
    assert x.nanmean() == 0.125 and x.nanmean(0).tolist() == [0.125, 0.125] and x.nanmean().dtype is rf.float16


def test_a_histogram_as_a_diagnostic_plot_draws_it():
    x = rf.tensor([0.0, 1, 1, 2, 5, -3, 2.5])
    hist, edges = rf.histogram(x, 4, density=True)
    assert edges.tolist() == [-3, -1, 1, 3, 5] and (hist * 14).allclose(rf.tensor([1.0, 1, 4, 1]))
    assert ((hist * edges.diff()).sum() - 1).abs() < 1e-6
    assert x.histogram(4).hist.tolist() == [1, 1, 4, 1] and rf.histogram(rf.tensor([1.0, 1]), 4).hist[2] == 2


def test_a_histogram_over_edges_counts_weights_and_not_what_lies_outside():
    x = rf.tensor([0.0, 1, 1, 2, 5, -3, float("nan")])
    found = rf.histogram(x, rf.tensor([0.0, 1, 5]), weight=rf.arange(7.0))
    assert found.hist.tolist() == [0, 10] and found.bin_edges.tolist() == [0, 1, 5]
    assert rf.histogram(x, bins=2, range=(0, 2)).hist.tolist() == [1, 3]


@pytest.mark.parametrize("call, error", [
    (lambda x: rf.histogram(x, 0), RuntimeError), (lambda x: rf.histogram(x, range=(2, 1)), RuntimeError),
    (lambda x: rf.histogram(x / 0), RuntimeError), (lambda x: rf.histogram(x.int()), NotImplementedError),
    (lambda x: rf.histogram(x, rf.tensor([1, 2])), RuntimeError), (lambda x: rf.histogram(x, [1, 2]), TypeError),
    (lambda x: rf.histogram(x, weight=rf.ones(2)), RuntimeError),
    (lambda x: rf.histogram(x, rf.ones(2, 2)), RuntimeError),
])
def test_what_no_histogram_has_is_explained(call, error):
    with pytest.raises(error, match="rule: "):
        call(rf.arange(3.0))
