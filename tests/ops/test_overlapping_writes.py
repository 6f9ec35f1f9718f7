"""Writes where cells share memory: with the operand that is read, or with one another."""

import pytest

import rustyflow as rf

ROWS = {
    "a row over all": lambda m, x: x.__setitem__(slice(None), x[1]),
    "a row over itself and the next": lambda m, x: x.__setitem__(slice(1, 3), x[1]),
    "a column over those after it": lambda m, x: x.__setitem__((slice(None), slice(1, None)), x[:, 1:2]),
    "one cell over every other": lambda m, x: x.__setitem__((slice(0, 2), slice(None, None, 2)), x[0, 0]),
    "one cell where a mask is": lambda m, x: x.__setitem__(x > 3, x[1, 1]),
    "through an ellipsis": lambda m, x: x.__setitem__(..., x[2]),
}


@pytest.mark.parametrize("name", ROWS)
def test_a_part_written_over_the_whole_it_is_a_part_of(name):
    torch = pytest.importorskip("torch")

    def run(m):
        w = m.arange(12.0).reshape(3, 4).requires_grad_()
        x = w * 2
        ROWS[name](m, x)
        (x * m.arange(12.0).reshape(3, 4)).sum().backward()
        return x.tolist(), w.grad.tolist(), x.grad_fn.name().rpartition("::")[2]
    assert run(rf) == run(torch)


def test_a_part_written_over_another_that_it_overlaps_is_refused():
    x = rf.arange(12.0).view(3, 4)
    with pytest.raises(RuntimeError, match="clone"):
        x[1:] = x[:-1]


def test_overlapping_memory_may_be_filled_with_one_number_and_with_nothing_else():
    y = rf.ones(4) * 2
    y[:3].unfold(0, 2, 1).fill_(5)
    y[1:3].expand(2, 2).zero_()
    assert y.tolist() == [5, 0, 0, 2]
    for write in (lambda x: x.mul_(2), lambda x: x.copy_(rf.ones(3, 4)), lambda x: x.fill_(rf.tensor(1.0)),
                  lambda x: x.__setitem__(..., 1),
                  lambda x: x.clone().requires_grad_().mul(1).expand(3, 3, 4).zero_()):
        with pytest.raises(RuntimeError, match="clone"):
            write(rf.ones(4).expand(3, 4))


ONE_VALUE = {
    "rows": lambda m, x: x.__setitem__([0, 2], 1),
    "rows, a tensor": lambda m, x: x.__setitem__(m.tensor([0, 2]), m.tensor([2.0])),
    "columns": lambda m, x: x.__setitem__((slice(None), m.tensor([0, 2])), 1),
    "a mask": lambda m, x: x.__setitem__(m.arange(12).view(3, 4) % 5 == 0, 2.0),
    "a mask of rows": lambda m, x: x.__setitem__(m.tensor([True, False, True]), 2.0),
    "masked_fill_": lambda m, x: x.masked_fill_(m.arange(12).view(3, 4) % 5 == 0, m.tensor(3.0)),
    "index_fill_": lambda m, x: x.index_fill_(1, m.tensor([0, 2]), 2.0),
    "index_put_": lambda m, x: x.index_put_((m.tensor([0, 2]), m.tensor([0, 1])), m.tensor(2.0)),
}


OVERLAPPING = {"a row for each": lambda b: b[:1].expand(3, 4), "windows": lambda b: b.view(-1).unfold(0, 4, 2)}


@pytest.mark.filterwarnings("ignore:Use of .* on expanded tensors")
@pytest.mark.parametrize("name", ONE_VALUE)
@pytest.mark.parametrize("lay", OVERLAPPING)
def test_one_value_may_be_written_at_an_index_of_overlapping_memory(name, lay):
    torch = pytest.importorskip("torch")
    found = []
    for m in (torch, rf):
        base = m.zeros(2, 4)
        ONE_VALUE[name](m, OVERLAPPING[lay](base))
        found.append(base.tolist())
    assert found[0] == found[1]


@pytest.mark.parametrize("name", ONE_VALUE)
@pytest.mark.parametrize("lay", OVERLAPPING)
def test_one_value_is_not_written_at_an_index_of_overlapping_memory_that_is_tracked(name, lay):
    tracked = rf.zeros(2, 4, requires_grad=True) * 1
    with pytest.raises(RuntimeError, match="clone"):
        ONE_VALUE[name](rf, OVERLAPPING[lay](tracked))


@pytest.mark.parametrize("lay", OVERLAPPING)
def test_a_tracked_value_is_not_written_at_a_mask_of_overlapping_memory(lay):
    x, value = OVERLAPPING[lay](rf.zeros(2, 4)), rf.zeros(1, requires_grad=True)[0]
    with pytest.raises(RuntimeError, match="clone"):
        x.masked_fill_(x[0] == 0, value)


@pytest.mark.parametrize("lay", OVERLAPPING)
def test_several_values_are_not_written_at_an_index_of_overlapping_memory(lay):
    x = OVERLAPPING[lay](rf.zeros(2, 4))
    with pytest.raises(RuntimeError, match="clone"):
        x[[0, 1]] = rf.arange(4.0)
