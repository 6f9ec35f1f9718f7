"""Dtypes: which one mixed operands get, and what a cast does to values, memory and gradients."""

from itertools import product

import numpy as np
import pytest

import rustyflow as rf
from rustyflow.dtype import ALL

NAMES = [d.name for d in ALL]


def name_of(d):
    """A dtype's name in either library."""
    return str(d).split(".")[1]


@pytest.mark.parametrize("left", NAMES)
def test_promotion_of_every_pair_with_and_without_axes(left):
    torch = pytest.importorskip("torch")
    for right, (rank, other) in product(NAMES, ((1, 1), (1, 0), (0, 1), (0, 0))):
        sums, promoted = [], []
        for t in (rf, torch):
            a, b = getattr(t, left), getattr(t, right)
            sums.append(name_of(t.add(t.ones((1,) * rank, dtype=a), t.ones((1,) * other, dtype=b)).dtype))
            promoted.append(name_of(t.promote_types(a, b)))
        assert sums[0] == sums[1], (left, rank, right, other)
        assert promoted[0] == promoted[1]


@pytest.mark.parametrize("name", NAMES)
def test_python_numbers_only_lift_the_kind(name):
    torch = pytest.importorskip("torch")
    for number, rank in product((True, 2, 2.5), (0, 1)):
        ours, theirs = (t.mul(t.ones((1,) * rank, dtype=getattr(t, name)), number).dtype for t in (rf, torch))
        assert name_of(ours) == name_of(theirs)


@pytest.mark.parametrize("source", NAMES)
def test_casts_of_every_pair(source):
    torch = pytest.importorskip("torch")
    values = [0, 1, 3, 100]
    for target in NAMES:
        ours, theirs = (t.tensor(values, dtype=getattr(t, source)).to(getattr(t, target)) for t in (rf, torch))
        assert ours.tolist() == theirs.tolist() and ours.dtype is getattr(rf, target)


def test_a_cast_to_the_same_dtype_is_the_tensor_itself():
    x = rf.ones(2)
    assert x.float() is x and x.to(rf.float32) is x and x.type_as(x) is x and x.to("cpu") is x
    assert x.to(rf.float32, copy=True) is not x and x.double().untyped_storage() is not x.untyped_storage()
    assert (x.type(), x.long().type(), x.type(rf.bool).dtype,
            x.type("rustyflow.IntTensor").dtype) == ("rustyflow.FloatTensor", "rustyflow.LongTensor", rf.bool, rf.int32)


def test_the_gradient_of_a_cast_comes_back_in_the_operands_dtype():
    x = rf.ones(2, requires_grad=True)
    (x.double() * rf.tensor([2.0, 3.0], dtype=rf.float64) + x.half()).sum().backward()
    assert x.grad.dtype is rf.float32 and x.grad.tolist() == [3, 4]
    assert not x.int().requires_grad


def test_float16_is_stored_and_computed():
    x = rf.tensor([1.5, 2.5], dtype=rf.float16)
    assert (x + 1).dtype is rf.float16 and x.exp().dtype is rf.float16
    assert (x * x).tolist() == [2.25, 6.25] and x.sum().item() == 4
    assert (x + rf.ones(2)).dtype is rf.float32 and rf.finfo(rf.float16).max == 65504


@pytest.mark.parametrize("call", [
    lambda x: x * 0.3, lambda x: 7e5 * x, lambda x: x / 0.3, lambda x: x.mul(-2.7), lambda x: x.clone().mul_(0.3),
    lambda x: x.clone().div_(0.3), lambda x: x.true_divide(1e-6), lambda x: x.view(20, 50).t() * 0.3,
    lambda x: x[3] * 0.3, lambda x: x + 0.3,
])  # fmt: skip
def test_a_number_beside_float16_is_what_it_is_to_torch(call):
    torch = pytest.importorskip("torch")
    x = np.linspace(0.1, 4, 1000).astype(np.float16)
    got, wanted = [call(m.from_numpy(x)).numpy() for m in (rf, torch)]
    assert got.dtype == np.float16 and np.array_equal(got, wanted)


@pytest.mark.parametrize("call", [
    lambda x: x.mean(), lambda x: rf.std_mean(x)[1], lambda x: rf.nn.functional.l1_loss(x, x.detach() - 1),
])
def test_the_share_of_one_in_a_hundred_thousand_is_not_lost_in_float16(call):
    x = rf.ones(100_000, dtype=rf.float16, requires_grad=True)
    call(x).backward()
    assert x.grad[0].item() == pytest.approx(1e-5, rel=0.01)


def test_dtypes_print_and_compare_as_values():
    assert repr(rf.float32) == "rustyflow.float32"
    assert rf.float is rf.float32 and rf.long is rf.int64 and rf.half is rf.float16
    assert rf.float32.is_floating_point and not rf.uint8.is_signed and rf.int8.itemsize == 1
    assert rf.can_cast(rf.int64, rf.float16) and not rf.can_cast(rf.float16, rf.int64)


@pytest.mark.parametrize("call, error", [
    (lambda: rf.ones(1).to("a"), RuntimeError), (lambda: rf.ones(1).to("cuda"),
                                                 NotImplementedError), (lambda: rf.ones(1).type_as(2),
                                                                        TypeError), (lambda: rf.ones(1).to([1]),
                                                                                     TypeError),
    (lambda: rf.ones(1).type("word"), ValueError), (lambda: rf.promote_types("a", rf.int8),
                                                    TypeError), (lambda: rf.can_cast(1, 2), TypeError),
    (lambda: rf.isin(rf.tensor([True]), rf.tensor([1])), RuntimeError),
    (lambda: rf.isin(rf.ones(1), True), RuntimeError),
    (lambda: rf.set_default_dtype(rf.int64), TypeError), (lambda: rf.finfo(rf.int32),
                                                          TypeError), (lambda: rf.iinfo(rf.float32), TypeError),
])
def test_mistakes_have_pytorchs_type(call, error):
    with pytest.raises(error):
        call()


@pytest.mark.parametrize("scale", [3000.0, 1e-4])
@pytest.mark.parametrize("call", [
    lambda m, x: x.std(), lambda m, x: x.std(1), lambda m, x: m.std_mean(x, 1)[0],
    lambda m, x: m.nn.functional.rms_norm(x, (4,)), lambda m, x: m.nn.functional.rms_norm(x, (4,), m.ones_like(x[0])),
], ids=["std", "std along", "std_mean", "rms_norm", "rms_norm weighed"])
def test_squares_that_float16_cannot_hold_are_no_loss_as_in_torch(call, scale):
    torch = pytest.importorskip("torch")
    found = []
    for m in (rf, torch):
        x = (m.tensor([[0.5, -1.0, 0.25, 1.5], [1.0, 2.0, -0.5, 0.1]]) * scale).half().requires_grad_()
        y = call(m, x)
        y.sum().backward()
        assert y.dtype is x.grad.dtype is m.float16
        found.append((y.detach().numpy(), x.grad.numpy()))
    for got, wanted in zip(*found):
        np.testing.assert_allclose(got, wanted, rtol=1e-2, atol=1e-3 * np.abs(wanted).max())


@pytest.mark.parametrize("call", [
    lambda m, x: m.maximum(x, m.ones_like(x)) * 2.0**-24, lambda m, x: m.minimum(x, m.ones_like(x)) * (3 * 2.0**-24),
    *[lambda m, x, p=p: m.linalg.vector_norm(x * 1e-4, p) for p in (0.5, 1.5, 2, 3, -1)],
    lambda m, x: m.linalg.vector_norm(x * 2.0**-24, 2), lambda m, x: m.linalg.vector_norm(x * 2.0**-24, 0.5),
])  # fmt: skip
def test_the_gradient_of_the_smallest_float16_is_torchs(call):
    torch = pytest.importorskip("torch")
    found = []
    for m in (rf, torch):
        x = m.tensor([1.0, 2.0, -3.0, 0.5]).half().requires_grad_()
        call(m, x).sum().backward()
        found.append(x.grad.numpy())
    np.testing.assert_allclose(*found, rtol=2e-3)


@pytest.mark.parametrize("call", [
    lambda m, x, n: m.nn.functional.huber_loss(x, x + 1, delta=n), lambda m, x, n: x.lerp(x + 1, n),
    lambda m, x, n: x.clamp(n), lambda m, x, n: m.nn.functional.softplus(x, beta=n), lambda m, x, n: x.add(x, alpha=n),
    lambda m, x, n: x.masked_fill(x > 1, n), lambda m, x, n: m.nan_to_num(x, n), lambda m, x, n: m.full_like(x, n),
])  # fmt: skip
@pytest.mark.parametrize("number", [np.float64(0.5), np.float32(0.5), np.int64(2)], ids=repr)
def test_numpys_number_leaves_float32_as_it_is(call, number):
    torch = pytest.importorskip("torch")
    ours, theirs = [call(m, m.arange(4.), number) for m in (rf, torch)]
    assert str(ours.dtype) == "rustyflow.float32" and ours.tolist() == pytest.approx(theirs.tolist())


def test_numpys_numbers_are_weak_in_result_type():
    assert rf.result_type(rf.arange(3), np.float64(0.5)) is rf.float32
    assert rf.result_type(rf.tensor(3, dtype=rf.int8), np.int64(1)) is rf.int8


@pytest.mark.parametrize("call", [
    lambda x, n: rf.nn.functional.celu(x, n), lambda x, n: x.var(0, correction=n), lambda x, n: x.std(0, correction=n),
])  # fmt: skip
def test_a_tensor_of_one_cell_is_a_number(call):
    found = []
    for n in (2, rf.tensor(2)):
        x = rf.tensor([-1.0, 0.5, 3.0], requires_grad=True)
        y = call(x, n)
        y.sum().backward()
        found.append((y.tolist(), x.grad.tolist()))
    assert found[0] == found[1]
