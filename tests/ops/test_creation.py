"""New tensors: what they hold, in which dtype, and over whose memory."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import rustyflow as rf
from rustyflow.layout import is_dense
from tests.autograd.outcome import outcome

from .beside_torch import agree, laid

numbers = st.integers(-5, 5) | st.floats(-4, 4).map(lambda v: round(v * 4) / 4)


@settings(max_examples=60)
@given(st.recursive(st.booleans() | st.integers(-9, 9) | st.floats(-9, 9),
                    lambda part: st.integers(1, 2).flatmap(lambda n: st.lists(part, min_size=n, max_size=n)),
                    max_leaves=8))
def test_a_tensor_of_nested_lists(data):
    def call(torch):
        try:
            return torch.tensor(data)
        except (TypeError, ValueError):  # which of the two, where rows differ in length and in depth, is nowhere said
            raise ValueError("ragged") from None
    agree(call)


@settings(max_examples=60)
@given(numbers, numbers, numbers, st.sampled_from((None, "float32", "float64", "int64", "int32")))
def test_arange(start, end, step, dtype):
    agree(lambda torch: torch.arange(start, end, step, dtype=dtype and getattr(torch, dtype)))


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16"])
@pytest.mark.parametrize("start, end, step", [(-8, 8, 0.1), (0, 1, 0.1), (-5, 5, 0.01), (0, 100, 0.7), (1, -1, -0.3),
                                              (0, 1000, 0.02)])
def test_arange_has_pytorchs_digits_where_a_number_is_all_but_0_too(start, end, step, dtype):
    torch = pytest.importorskip("torch")
    ours, theirs = [m.arange(start, end, step, dtype=getattr(m, dtype)).tolist() for m in (rf, torch)]
    assert ours == theirs


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("ends", [(-1, 1), (0, 3.14159), (-5, 30), (1, 0), (-3e38, 3e38)])
@pytest.mark.parametrize("steps", [2, 10, 101, 1000])
def test_linspace_has_pytorchs_digits(ends, steps, dtype):
    torch = pytest.importorskip("torch")
    ours, theirs = [m.linspace(*ends, steps, dtype=getattr(m, dtype)).numpy() for m in (rf, torch)]
    np.testing.assert_array_equal(ours, theirs)


@settings(max_examples=40)
@given(st.sampled_from(("linspace", "logspace")), numbers, numbers, st.integers(-1, 9),
       st.sampled_from(("float32", "float64")))
def test_equal_steps_and_equal_ratios(name, start, end, steps, dtype):
    agree(lambda torch: getattr(torch, name)(start, end, steps, dtype=getattr(torch, dtype)))


def test_whole_numbers_in_equal_steps_are_cut_towards_zero():
    assert rf.linspace(0, 10, 4, dtype=rf.int64).tolist() == [0, 3, 6, 10]
    assert rf.linspace(-1.5, 2.7, 5, dtype=rf.int64).tolist() == [-1, 0, 0, 1, 2]
    assert rf.logspace(0.5, 2.5, 5, dtype=rf.int64).tolist() == [1, 3, 10, 31, 100]
    assert rf.logspace(1.5, 0, 1, dtype=rf.int64).tolist() == [31]


@settings(max_examples=40)
@given(st.sampled_from(("tril_indices", "triu_indices")), st.integers(0, 4), st.integers(0, 4), st.integers(-4, 4))
def test_indices_of_triangles(name, rows, columns, offset):
    agree(lambda torch: getattr(torch, name)(rows, columns, offset))


@settings(max_examples=60)
@given(st.sampled_from("zeros_like ones_like full_like new_zeros new_ones new_full new_tensor".split()),
       laid(dtypes=st.sampled_from(("float32", "int64", "bool"))))
def test_like_another_tensor(name, x):
    def call(torch, a):
        a = a.detach()
        if name.startswith("new_"):
            return getattr(a, name)(*{"new_full": ((2, 1), 1), "new_tensor": ([[1, 0]],)}.get(name, (2, 3)))
        out = getattr(torch, name)(a, *((1,) if name == "full_like" else ()))
        return out, torch.tensor(out.stride() if is_dense(tuple(a.shape), a.stride()) else 0)
    agree(call, x)


def test_dtypes_follow_the_data():
    kinds = {rf.bool: True, rf.int64: 3, rf.float32: 1.5, rf.float64: np.float64(2), rf.int16: np.int16(2)}
    for d, value in kinds.items():
        assert rf.tensor(value).dtype is d and rf.tensor([[value]]).dtype is d
    assert rf.tensor([True, 2]).dtype is rf.int64 and rf.tensor([1, 2.5]).dtype is rf.float32
    assert rf.full((2,), True).dtype is rf.bool and rf.full((2,), 3).dtype is rf.int64
    assert rf.tensor([]).dtype is rf.arange(0, 1, 0.5).dtype is rf.scalar_tensor(2).dtype is rf.float32
    assert rf.tensor([1.7, -1.7], dtype=rf.int64).tolist() == [1, -1]
    assert rf.tensor([rf.tensor(1), rf.tensor(2)]).tolist() == [1, 2]


def test_numbers_keep_the_digits_of_the_dtype_asked_for():
    assert rf.tensor([0.1, 2 / 3], dtype=rf.float64).tolist() == [0.1, 2 / 3]
    assert rf.tensor(0.1, dtype=rf.float64).item() == rf.tensor([]).double().new_tensor(0.1).item() == 0.1
    assert rf.tensor([16777217.0], dtype=rf.int64).tolist() == [16777217]


def test_the_default_dtype_is_followed():
    try:
        rf.set_default_dtype(rf.float64)
        assert {rf.tensor(1.5).dtype, rf.zeros(1).dtype, rf.linspace(0, 1, 2).dtype, (rf.tensor([1]) / 2).dtype,
                (rf.tensor([1]) + 0.5).dtype} == {rf.float64}
    finally:
        rf.set_default_dtype(rf.float32)


def test_a_copy_is_a_copy_and_an_array_is_shared():
    a = np.arange(6.0).reshape(2, 3)
    copied, shared = rf.tensor(a), rf.from_numpy(a[:, 1:].T)
    a[0, 1] = 99
    assert copied[0, 1].item() == 1 and shared[0, 0].item() == 99 and shared.stride() == (1, 3)
    shared[1, 1] = -1
    assert a[1, 2] == -1
    x = rf.tensor([1.0])
    assert rf.as_tensor(x) is x
    with pytest.warns(UserWarning, match="copy construct"):
        assert rf.tensor(x) is not x


def nested(depth):
    return [nested(depth - 1)] if depth else 1


def endless():
    data = [1]
    data.append(data)
    return data


@pytest.mark.parametrize("call, error", [
    (lambda: rf.tensor([[1, 2], [3]]), ValueError), (lambda: rf.tensor("a"), TypeError),
    (lambda: rf.tensor(["a"]), ValueError), (lambda: rf.tensor(None), RuntimeError),
    (lambda: rf.tensor([300], dtype=rf.uint8), RuntimeError), (lambda: rf.tensor(2**70), ValueError),
    (lambda: rf.tensor([1], requires_grad=True), RuntimeError), (lambda: rf.tensor([1], dtype="a"), TypeError),
    (lambda: rf.tensor([1], device="cuda"), NotImplementedError),
    (lambda: rf.tensor([1], device="nowhere"), RuntimeError), (lambda: rf.tensor(1j), NotImplementedError),
    (lambda: rf.zeros(-1), RuntimeError), (lambda: rf.zeros(2.5), TypeError), (lambda: rf.full((2,), "a"), TypeError),
    (lambda: rf.arange(5, 1), RuntimeError), (lambda: rf.arange(1, 5, 0), RuntimeError),
    (lambda: rf.arange(float("inf")), RuntimeError), (lambda: rf.linspace(0, 1, 2.5), TypeError),
    (lambda: rf.empty(2**62, 2**62), RuntimeError), (lambda: rf.rand([1] * 65), RuntimeError),
    (lambda: rf.tensor(nested(65)), ValueError), (lambda: rf.tensor(endless()), ValueError),
    (lambda: rf.eye(-1), RuntimeError), (lambda: rf.tril_indices(3, 3, dtype=rf.float32), NotImplementedError),
    (lambda: rf.from_numpy([1]), TypeError), (lambda: rf.from_numpy(np.arange(3)[::-1]), ValueError),
    (lambda: rf.zeros_like(3), TypeError), (lambda: rf.from_numpy(np.array(["a"])), TypeError),
])
def test_mistakes_have_pytorchs_type_and_teach(call, error):
    with pytest.raises(error) as caught:
        call()
    assert caught.value.was and caught.value.rule


def test_ragged_rows_are_named():
    with pytest.raises(ValueError, match=r"data\[1\]\[2\] has shape \(1,\)"):
        rf.tensor([[[1, 2], [3, 4], [5, 6]], [[1, 2], [3, 4], [5]]])


def test_a_long_list_is_read_once():
    assert rf.tensor(list(range(100_000))).sum().item() == 4_999_950_000
    deep = 1.0
    for _ in range(20):
        deep = [deep]
    assert rf.tensor(deep).ndim == 20


def test_python_types_stand_for_their_own_width():
    assert rf.tensor([1.5], dtype=float).dtype is rf.float64 and rf.ones(2).to(float).dtype is rf.float64
    assert rf.ones(2).to(int).dtype is rf.int64 and rf.ones(2, dtype=bool).dtype is rf.bool


CONSTRUCTED = [
    lambda m: m.Tensor([1, 2]), lambda m: m.Tensor((2, 3)), lambda m: m.Tensor(np.ones(2)), lambda m: m.Tensor(()),
    lambda m: m.Tensor(3), lambda m: m.Tensor(2, 3), lambda m: m.Tensor(), lambda m: m.Tensor(m.ones(2, 3).shape),
    lambda m: m.Tensor(m.Size([])), lambda m: m.Tensor(np.int64(3)), lambda m: m.Tensor(2, m.tensor(3)),
    lambda m: m.Tensor(m.tensor(3)), lambda m: m.Tensor(m.ones(2, dtype=m.float64)), lambda m: m.Tensor(-1),
    lambda m: m.Tensor(3.0), lambda m: m.Tensor("a"), lambda m: m.Tensor(None), lambda m: m.Tensor([1], [2]),
]


@pytest.mark.parametrize("make", CONSTRUCTED)
def test_the_constructor_takes_sizes_or_numbers_and_makes_floats(make):
    def program(m):
        x = make(m)
        return x.zero_()  # what a tensor of sizes holds is not promised
    assert outcome(rf, program) == outcome(pytest.importorskip("torch"), program)


def test_a_tensor_of_a_tensor_shares_its_memory_and_goes_on_from_its_history():
    x = rf.tensor([1.0, 2.0], requires_grad=True)
    y = rf.Tensor(x)
    (y * y).sum().backward()
    assert y.data_ptr() == x.data_ptr() and not y.is_leaf and x.grad.tolist() == [2, 4]


def test_a_tensor_in_a_list_stands_for_one_number_as_in_pytorch():
    one, two = rf.tensor([[1.0]]), rf.tensor([1.0, 2.0])
    assert rf.tensor([one, 2]).tolist() == rf.tensor([1.0, rf.tensor(2)]).tolist() == [1, 2]
    assert rf.tensor([[3.0, 4.0], two]).tolist() == [[3, 4], [1, 2]]  # beside a row it is a row
    with pytest.raises(ValueError, match="only one element tensors(.|\n)*stack"):
        rf.tensor([two, two])
    with pytest.raises(TypeError, match="only integer tensors of a single element(.|\n)*stack"):
        rf.tensor([two.long(), two.long()])


def test_arange_may_name_its_end_alone():
    assert rf.arange(end=3).tolist() == [0, 1, 2] and rf.arange(start=1, end=3).tolist() == [1, 2]
    for call in (lambda: rf.arange(), lambda: rf.arange(5, step=2), lambda: rf.arange(start=5)):
        with pytest.raises(TypeError, match="where to start\ntry:"):
            call()
    with pytest.raises(NotImplementedError, match="not implemented for bool"):
        rf.arange(2, dtype=rf.bool)


@pytest.mark.parametrize("write", [
    lambda x: rf.full((2,), 1e39), lambda x: x.fill_(1e39), lambda x: x.masked_fill(x == 0, -1e39),
    lambda x: x.index_fill(0, rf.tensor([0]), 1e39), lambda x: x.__setitem__(0, 1e39), lambda x: x.clamp(max=1e39),
    lambda x: x.half().masked_fill(x == 0, -1e9), lambda x: x.to(rf.uint8).clamp(max=300),
    lambda x: x.to(rf.int8).clamp_min(-300),
    lambda x: rf.where(x == 0, x.to(rf.uint8), 300), lambda x: rf.where(x == 0, 1e39, x),
    lambda x: x.half().fill_(70000), lambda x: x.long().fill_(float("nan")), lambda x: x.to(rf.uint8).fill_(-3.0),
    lambda x: rf.linspace(0, 1e39, 3), lambda x: rf.linspace(0, 300, 3, dtype=rf.uint8), lambda x: x.half().clip(70000),
    lambda x: x.add(x, alpha=-1e39), lambda x: x.half().sub_(x.half(), alpha=1e5), lambda x: x.lerp(x, 1e39),
    lambda x: x.addcmul(x, x, value=1e39), lambda x: x.half().addcdiv(x.half(), x.half(), value=1e39),
    lambda x: x.expand(2, 2).addmm(x.expand(2, 2), x.expand(2, 2), beta=1e39),
    lambda x: rf.nn.functional.pad(x.to(rf.uint8), (1, 1), value=-1), lambda x: rf.nn.functional.leaky_relu(x, 1e39),
    lambda x: rf.nn.functional.threshold(x.half(), 0, 1e5), lambda x: rf.nn.functional.hardtanh(x.half(), -1e5, 0),
])
def test_a_number_beyond_the_dtype_is_not_written_nor_bounds(write):
    with pytest.raises(RuntimeError, match="value cannot be converted to type .* without overflow\n"):
        write(rf.zeros(2))


def test_a_number_that_is_only_computed_with_may_be_beyond_the_dtype():
    x = rf.ones(2)
    assert (x + 1e39).tolist() == [float("inf")] * 2 and (x < 1e39).all() and (x.double() + 2**63)[0].item() == 2**63
    assert rf.nn.functional.leaky_relu(-x.half(), 1e5)[0].item() == -float("inf")  # float16 is computed in float32
    assert rf.linspace(-3, 3, 3, dtype=rf.uint8).tolist() == [253, 128, 3]  # the ends wrap before the steps are taken


def test_what_can_be_written_at_the_end_of_a_dtype():
    assert rf.full((1,), rf.finfo(rf.float32).max).isfinite().all()
    assert rf.zeros(1).fill_(float("-inf")).item() == float("-inf")
    assert rf.zeros(1).half().fill_(65504).item() == 65504
    assert rf.zeros(1, dtype=rf.int8).fill_(rf.tensor(300.0)).item() == 44  # a tensor is cast, and wraps
    assert rf.tensor([200], dtype=rf.uint8).clamp(max=255).item() == 200


def test_a_triangle_of_few_cells_in_a_huge_matrix():
    most = 2**63 - 1
    assert rf.tril_indices(3, most, -1).tolist() == rf.tril_indices(3, 2**40, -1).tolist() == [[1, 2, 2], [0, 0, 1]]
    assert rf.triu_indices(most, 2, 1).tolist() == [[0], [1]]
    assert rf.triu_indices(0, 3, offset=-(2**63)).shape == (2, 0)
    for huge in (lambda: rf.tril_indices(most, 1), lambda: rf.tril_indices(3, most, most),
                 lambda: rf.triu_indices(3, most)):
        with pytest.raises(RuntimeError):
            huge()
