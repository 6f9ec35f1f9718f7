"""Joining and stretching several tensors."""

import pytest
from hypothesis import given, settings, strategies as st

import rustyflow as rf
from rustyflow.autograd import gradcheck, gradgradcheck

from .beside_torch import agree, laid

JOINS = {
    "cat": lambda m, x, y: m.cat([x, y], 0),
    "cat_last": lambda m, x, y: m.cat((y, x, y), -1),
    "stack": lambda m, x, y: m.stack([x, y], 1),
    "hstack": lambda m, x, y: m.hstack([x, y]),
    "vstack": lambda m, x, y: m.vstack([x, y]),
    "dstack": lambda m, x, y: m.dstack([x, y]),
    "column_stack": lambda m, x, y: m.column_stack([x, y]),
}
dtypes = st.sampled_from(("float64", "float32", "int64", "uint8", "bool"))


@pytest.mark.parametrize("name", JOINS)
@settings(max_examples=25)
@given(x=laid(rank=st.integers(1, 2), dtypes=dtypes), y=laid(rank=st.integers(1, 2), dtypes=dtypes))
def test_joins_as_in_torch(name, x, y):
    agree(lambda m, x, y: JOINS[name](m, x, y), x, y, copies=True)


@settings(max_examples=25)
@given(laid(rank=st.integers(0, 3)), laid(rank=st.integers(0, 3)))
def test_broadcast_tensors_are_views(x, y):
    agree(lambda m, x, y: m.broadcast_tensors(x, y), x, y)


@settings(max_examples=25)
@given(laid(rank=st.just(1)), laid(rank=st.integers(0, 1)), st.sampled_from(("ij", "xy")))
def test_meshgrid_is_views(x, y, indexing):
    agree(lambda m, x, y: m.meshgrid(x, y, indexing=indexing), x, y)


def test_an_empty_vector_joins_anything():
    assert rf.cat([rf.ones(2, 2), rf.zeros(0)]).shape == (2, 2)
    w = rf.ones(2, requires_grad=True)
    rf.cat([w, rf.zeros(3), w * 2]).sum().backward()
    assert w.grad.tolist() == [3, 3]


@pytest.mark.parametrize("wrong, error, says", [
    (lambda: rf.cat([]), ValueError, "non-empty"),
    (lambda: rf.cat([rf.ones(2, 2), rf.ones(2, 3)]), RuntimeError, "except in dimension 0"),
    (lambda: rf.cat([rf.tensor(1.0)]), RuntimeError, "zero-dimensional"),
    (lambda: rf.stack([rf.ones(2), rf.ones(3)]), RuntimeError, "equal size"),
    (lambda: rf.cat([rf.ones(2), 3]), TypeError, "tensors\\[1\\]"),
    (lambda: rf.meshgrid(rf.ones(2, 2)), RuntimeError, "0D or 1D"),
])
def test_errors(wrong, error, says):
    with pytest.raises(error, match=says):
        wrong()


@pytest.mark.parametrize("name", JOINS)
def test_first_and_second_derivatives(name):
    x, y = (rf.randn(3, 2, dtype=rf.float64).t().requires_grad_() for _ in range(2))
    assert gradcheck(lambda x, y: JOINS[name](rf, x, y * x) ** 2,
                     (x, y)) and gradgradcheck(lambda x, y: JOINS[name](rf, x, y * x) ** 2, (x, y))
