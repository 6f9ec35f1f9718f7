"""Indices, steps, dims and values that no axis has, or no dtype can hold."""

import pytest

import rustyflow as rf


@pytest.mark.parametrize("read, error", [
    (lambda x: x[2**63], ValueError), (lambda x: x[0, 2**63], ValueError),
    (lambda x: x[[0, float("nan")]], RuntimeError), (lambda x: x[[0, 1e300]], RuntimeError),
    (lambda x: x[:, :float("inf")], TypeError), (lambda x: x[None, 0:"a"], TypeError),
])
@pytest.mark.parametrize("recorded", [False, True])
def test_numbers_that_are_no_index(read, error, recorded):
    with pytest.raises(error, match="rule: "):
        read(rf.zeros(3, 4, requires_grad=recorded))


@pytest.mark.parametrize("step", [5, 2**62, 2**200])
def test_a_step_of_any_length_takes_the_first_cell(step):
    x = rf.ones(3, 4, requires_grad=True)
    x[:, ::step].sum().backward()
    assert x.grad.tolist() == [[1, 0, 0, 0]] * 3


def test_dims_of_permute_that_no_axis_has_however_large():
    for dims in ((1, 0, 2**63 - 1), (2**40, 0, 1), (-(2**63), -1, 1)):
        with pytest.raises(IndexError):
            rf.zeros(2, 3, 4).permute(*dims)


@pytest.mark.parametrize("fill", [
    lambda x, m, v: x.__setitem__(m, v), lambda x, m, v: x.index_put_((m,), v), lambda x, m, v: x.masked_fill_(m, v),
    lambda x, m, v: x.masked_fill(m, v), lambda x, m, v: x.index_fill_(0, rf.tensor([0, 1]), v),
])
@pytest.mark.parametrize("value, dtype", [(300.0, rf.uint8), (-1.0, rf.uint8), (128, rf.int8),
                                          (float("nan"), rf.int64)])
def test_a_number_that_the_dtype_lacks_is_not_filled_in(fill, value, dtype):
    x = rf.zeros(3, dtype=dtype)
    with pytest.raises(RuntimeError, match="without overflow"):
        fill(x, rf.tensor([True, False, True]), rf.tensor(value))
    assert x.tolist() == [0, 0, 0]
