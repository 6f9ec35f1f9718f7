"""Dtypes: which one mixed operands get, and what a cast does to values, memory and gradients."""

from itertools import product

import pytest

import rustyflow as rf
from rustyflow.dtype import ALL

NAMES = [d.name for d in ALL]


@pytest.mark.parametrize("left", NAMES)
def test_promotion_of_every_pair_with_and_without_axes(left):
    torch = pytest.importorskip("torch")
    for right, (rank, other) in product(NAMES, ((1, 1), (1, 0), (0, 1), (0, 0))):
        ours, theirs = (t.add(t.ones((1,) * rank, dtype=getattr(t, left)), t.ones((1,) * other, dtype=getattr(t, right))).dtype for t in (rf, torch))
        assert str(ours).split(".")[1] == str(theirs).split(".")[1], (left, rank, right, other)
        assert str(rf.promote_types(getattr(rf, left), getattr(rf, right))).split(".")[1] == str(torch.promote_types(getattr(torch, left), getattr(torch, right))).split(".")[1]


@pytest.mark.parametrize("name", NAMES)
def test_python_numbers_only_lift_the_kind(name):
    torch = pytest.importorskip("torch")
    for number, rank in product((True, 2, 2.5), (0, 1)):
        ours, theirs = (t.mul(t.ones((1,) * rank, dtype=getattr(t, name)), number).dtype for t in (rf, torch))
        assert str(ours).split(".")[1] == str(theirs).split(".")[1]


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
    assert (x + 1).dtype is rf.float16 and (x * x).tolist() == [2.25, 6.25] and x.sum().item() == 4 and x.exp().dtype is rf.float16
    assert (x + rf.ones(2)).dtype is rf.float32 and rf.finfo(rf.float16).max == 65504


def test_dtypes_print_and_compare_as_values():
    assert repr(rf.float32) == "rustyflow.float32" and rf.float is rf.float32 and rf.long is rf.int64 and rf.half is rf.float16
    assert rf.float32.is_floating_point and not rf.uint8.is_signed and rf.int8.itemsize == 1
    assert rf.can_cast(rf.int64, rf.float16) and not rf.can_cast(rf.float16, rf.int64)


@pytest.mark.parametrize("call, error", [
    (lambda: rf.ones(1).to("a"), RuntimeError), (lambda: rf.ones(1).to("cuda"),
                                                 NotImplementedError), (lambda: rf.ones(1).type_as(2),
                                                                        TypeError), (lambda: rf.ones(1).to([1]),
                                                                                     TypeError),
    (lambda: rf.ones(1).type("word"), ValueError), (lambda: rf.promote_types("a", rf.int8),
                                                    TypeError), (lambda: rf.can_cast(1, 2), TypeError),
    (lambda: rf.set_default_dtype(rf.int64), TypeError), (lambda: rf.finfo(rf.int32),
                                                          TypeError), (lambda: rf.iinfo(rf.float32), TypeError),
])
def test_mistakes_have_pytorchs_type(call, error):
    with pytest.raises(error):
        call()
