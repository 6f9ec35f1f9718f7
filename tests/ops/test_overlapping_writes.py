"""Writes where cells share memory: with the operand that is read, or with one another."""

import warnings

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


@pytest.mark.parametrize("write", [
    lambda x, y: x.__setitem__((slice(None), 0), y[0]), lambda x, y: x[:, 0].add_(y[0]),
    lambda x, y: x.diagonal().sub_(y[0]), lambda x, y: x[:, 1].copy_(y[1]), lambda x, y: x[::2].add_(y[:2]),
    lambda x, y: x[:, 0].addcmul_(rf.ones(3), y[0]),
], ids=["column = row", "column += row", "diagonal -= row", "copy_", "steps", "addcmul_"])
def test_slots_that_are_the_same_cell_of_both_may_be_written_while_they_are_read(write):
    results = []
    for other in (lambda x: x, lambda x: x.clone()):
        w = rf.arange(1.0, 10).view(3, 3).requires_grad_()
        x = w * 2
        write(x, other(x))
        (x * rf.arange(9.0).view(3, 3)).sum().backward()
        results.append((x.tolist(), w.grad.tolist()))
    assert results[0] == results[1]


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
    "rows": lambda m, x, v: x.__setitem__([0, 2], v),
    "rows, a tensor": lambda m, x, v: x.__setitem__(m.tensor([0, 2]), m.as_tensor(v).reshape(1)),
    "columns": lambda m, x, v: x.__setitem__((slice(None), m.tensor([0, 2])), v),
    "a mask": lambda m, x, v: x.__setitem__(m.arange(12).view(3, 4) % 5 == 0, v),
    "a mask of rows": lambda m, x, v: x.__setitem__(m.tensor([True, False, True]), v),
    "masked_fill_": lambda m, x, v: x.masked_fill_(m.arange(12).view(3, 4) % 5 == 0, v),
    "index_fill_": lambda m, x, v: x.index_fill_(1, m.tensor([0, 2]), v),
    "index_put_": lambda m, x, v: x.index_put_((m.tensor([0, 2]), m.tensor([0, 1])), m.as_tensor(v)),
}

EVERY_CELL = {
    "fill_": lambda m, x, v: x.fill_(v),
    "copy_": lambda m, x, v: x.copy_(m.as_tensor(v).reshape(1, 1)),
    "all": lambda m, x, v: x.__setitem__(slice(None), v),
    "all, a cell with an axis": lambda m, x, v: x.__setitem__(slice(1, None), m.as_tensor(v).reshape(1)),
    "copy_, expanded": lambda m, x, v: x.copy_(m.as_tensor(v).expand(3, 4)),
    "index_put_, expanded": lambda m, x, v: x.index_put_((m.tensor([0, 2]),), m.as_tensor(v).expand(2, 4)),
}

OVERLAPPING = {"a row for each": lambda b: b[:1].expand(3, 4), "windows": lambda b: b.view(-1).unfold(0, 4, 2)}

BOTH = [(lay, write) for lay in OVERLAPPING for write in (*ONE_VALUE, *EVERY_CELL)
        if lay == "windows" or write in ONE_VALUE]


def run(m, lay, write, base, value):
    {**ONE_VALUE, **EVERY_CELL}[write](m, OVERLAPPING[lay](base), value)
    return base


@pytest.mark.filterwarnings("ignore:Use of .* on expanded tensors")
@pytest.mark.parametrize("lay, write", BOTH)
def test_one_value_may_be_written_into_memory_that_overlaps(lay, write):
    torch = pytest.importorskip("torch")
    for value in (2, 0, float("nan")):
        found = [run(m, lay, write, m.ones(2, 4), m.tensor(float(value))).tolist() for m in (torch, rf)]
        assert str(found[0]) == str(found[1])


@pytest.mark.filterwarnings("ignore:Use of .* on expanded tensors")
@pytest.mark.parametrize("lay, write", BOTH)
def test_a_gradient_counts_each_slot_that_one_value_was_written_to_once(lay, write):
    rf.manual_seed(3)
    base = rf.randn(2, 4, dtype=rf.float64, requires_grad=lay == "windows")
    value = rf.tensor(0.5, dtype=rf.float64, requires_grad=True)
    def whole(base, value): return run(rf, lay, write, base * 2, value).sin()
    def through(base, value): return OVERLAPPING[lay](run(rf, lay, write, base * 2, value)).sin()
    for f in (whole, through):
        assert rf.autograd.gradcheck(f, (base, value)) and rf.autograd.gradgradcheck(f, (base, value))


@pytest.mark.filterwarnings("ignore:Use of .* on expanded tensors")
@pytest.mark.parametrize("write", ONE_VALUE)
def test_rows_that_a_stride_of_0_repeats_are_written_while_no_gradient_goes_through_them(write):
    rows = (rf.ones(2, 4, requires_grad=True) * 2)[:1].expand(3, 4)
    with pytest.raises(RuntimeError, match="single memory location"):
        ONE_VALUE[write](rf, rows, 5.0)
    with rf.no_grad():
        ONE_VALUE[write](rf, rows, 5.0)
    assert 5 in rows


@pytest.mark.parametrize("name", ["tril_", "triu_"])
@pytest.mark.parametrize("lay", OVERLAPPING)
def test_a_slot_is_cleared_where_one_of_its_cells_is_outside_the_triangle(name, lay):
    torch = pytest.importorskip("torch")

    def cleared(base):
        getattr(OVERLAPPING[lay](base), name)()
        return base
    assert cleared(rf.arange(1.0, 9.0).view(2, 4)).tolist() == cleared(torch.arange(1.0, 9.0).view(2, 4)).tolist()
    if lay == "windows":
        base = rf.arange(1.0, 9.0, dtype=rf.float64).view(2, 4).requires_grad_()
        assert rf.autograd.gradcheck(lambda base: cleared(base * 2).sin(), (base,))


def test_a_view_that_was_written_and_its_base_say_how():
    base, value = rf.zeros(5), rf.tensor(2.0, requires_grad=True)
    windows = base.unfold(0, 3, 1)
    windows[:] = value
    assert (base.grad_fn.name(), windows.grad_fn.name()) == ("CopySlices", "AsStridedBackward0")
    (base * rf.arange(5.0)).sum().backward()
    assert value.grad == 10


@pytest.mark.filterwarnings("ignore:Use of .* on expanded tensors")
def test_memory_that_overlaps_and_is_no_view_is_written_once_for_all_who_read_a_slot():
    value = rf.tensor(2.0, requires_grad=True)
    x = rf.zeros(4).expand(3, 4).detach()
    x[rf.tensor([0])] = value
    assert x.tolist() == [[2.0] * 4] * 3
    (x * rf.arange(12.0).view(3, 4)).sum().backward()
    assert value.grad == 66


@pytest.mark.parametrize("name", ["abs_", "ceil_", "floor_", "frac_", "relu_", "round_", "sgn_", "sign_", "trunc_"])
def test_windows_that_overlap_may_be_written_by_what_leaves_its_own_results_alone(name):
    x = rf.tensor([-1.5, -0.2, 0.7, 2.5])
    want = getattr(x.clone(), name)()
    getattr(x.unfold(0, 3, 1), name)()
    assert x.equal(want)
    assert rf.arange(4.0).unfold(0, 2, 1).clamp_(1, 2).tolist() == [[1, 1], [1, 2], [2, 2]]
    assert rf.nn.functional.relu6(rf.arange(-1.0, 2.0).unfold(0, 2, 1), True).tolist() == [[0, 0], [0, 1]]
    assert rf.nn.functional.threshold_(rf.arange(4.0).unfold(0, 2, 1), 1, 0.5).tolist() == [[.5, .5], [.5, 2], [2, 3]]
    for refused in (rf.zeros(3).expand(2, 3), rf.zeros(4, requires_grad=True).mul(1).unfold(0, 2, 1)):
        with pytest.raises(RuntimeError, match="clone"):
            getattr(refused, name)()


def test_cells_that_only_seem_to_share_slots_may_be_written():
    x = rf.zeros(8)
    x.as_strided((3, 2), (2, 3)).copy_(rf.arange(1.0, 7.0).view(3, 2)).mul_(2)
    assert x.tolist() == [2, 0, 6, 4, 10, 8, 0, 12]


@pytest.mark.parametrize("lay", OVERLAPPING)
def test_several_values_are_not_written_at_an_index_of_overlapping_memory(lay):
    x = OVERLAPPING[lay](rf.zeros(2, 4))
    with pytest.raises(RuntimeError, match="clone"):
        x[[0, 1]] = rf.arange(4.0)


OUT = {
    "mm": lambda m, out: m.mm(m.ones(2, 3), m.ones(3, 2), out=out),
    "sum": lambda m, out: m.sum(m.ones(2, 3), 0, out=out),
    "cat": lambda m, out: m.cat([m.ones(2), m.zeros(1)], out=out),
    "full": lambda m, out: m.full((2, 2), 7.0, out=out),
    "randn": lambda m, out: (m.manual_seed(0), m.randn(3, out=out))[1],
    "gather": lambda m, out: m.gather(m.ones(3), 0, m.tensor([0, 2]), out=out),
    "add": lambda m, out: m.add(m.ones(2, 2), 1, out=out),
    "where": lambda m, out: m.where(m.ones(2) > 0, m.ones(2), m.zeros(2), out=out),
}


@pytest.mark.filterwarnings("ignore:An output with one or more elements was resized")
@pytest.mark.parametrize("name", OUT)
@pytest.mark.parametrize("lay", OVERLAPPING)
def test_an_out_of_another_shape_has_a_slot_for_each_cell_when_it_is_written(name, lay):
    torch = pytest.importorskip("torch")
    found = []
    for m in (torch, rf):
        try:
            out = OUT[name](m, OVERLAPPING[lay](m.zeros(2, 4)))
            found.append((out.tolist(), tuple(out.stride())))
        except RuntimeError as error:
            found.append("single memory location" in str(error))
    assert found[0] == found[1]


@pytest.mark.parametrize("length", [4, 1000])
@pytest.mark.parametrize("lay", [lambda x: x.unfold(0, len(x) // 2, 1), lambda x: x.expand(70, len(x))])
def test_an_out_in_which_cells_share_slots_takes_what_is_one_value_everywhere(lay, length):
    for name, given, value in (("ones", (), 1), ("full", (7.0,), 7), ("zeros", (), 0)):
        base = rf.arange(2.0, length + 2)
        out = lay(base)
        assert getattr(rf, name)(out.shape, *given, out=out) is out
        assert base.eq(value).all() and base._version == 1
    rf.empty(out.shape, out=out)
    with pytest.raises(RuntimeError, match="single memory location"):
        rf.add(out, 1, out=out)
    with pytest.raises(RuntimeError, match="single memory location"):
        rf.eye(*out.shape, out=out)


WARNED = {
    "masked_fill_": lambda m, x: x.masked_fill_(m.tensor([True, False, True, False]), 5.0),
    "masked_fill_ of a tensor": lambda m, x: x.masked_fill_(m.ones(3, 4, dtype=m.bool), m.tensor(5.0)),
    "masked_fill_ of none": lambda m, x: x.masked_fill_(m.zeros(3, 4, dtype=m.bool), 5.0),
    "where it is": lambda m, x: x.__setitem__(x > 0, 1), "where it is not": lambda m, x: x.__setitem__(x <= 0, 1),
    "rows by a mask": lambda m, x: x.__setitem__(m.tensor([True, False, True]), 1),
    "columns by a mask": lambda m, x: x.__setitem__((slice(None), m.tensor([True, False, True, True])), 1),
    "a list": lambda m, x: x.__setitem__([0], 1), "an index": lambda m, x: x.__setitem__(m.tensor([0, 2]), 1),
    "index_put_": lambda m, x: x.index_put_((m.tensor([0]),), m.tensor(5.0)),
    "index_fill_": lambda m, x: x.index_fill_(1, m.tensor([0]), 5.0),
}  # fmt: skip
SILENT = {
    "one row of it": lambda m, x: x[0].masked_fill_(m.tensor([True, False, True, False]), 5.0),
    "a batch of one": lambda m, x: x[:1].masked_fill_(m.tensor([True, False, True, False]), 5.0),
    "a cell": lambda m, x: x.__setitem__((0, 1), 5.0), "a copy": lambda m, x: x.clone().masked_fill_(x > 0, 5.0),
    "no underscore": lambda m, x: x.masked_fill(x > 0, 5.0), "zero_": lambda m, x: x.zero_(),
    "windows": lambda m, x: m.ones(6).unfold(0, 3, 1).masked_fill_(m.ones(4, 3, dtype=m.bool), 5.0),
}  # fmt: skip


@pytest.mark.parametrize("library", ["rustyflow", "torch"])
@pytest.mark.parametrize("name", [*WARNED, *SILENT])
def test_a_write_of_some_cells_of_an_expanded_tensor_is_warned_of(name, library):
    m = pytest.importorskip(library)
    base = m.tensor([-1.0, 0.0, 1.0, 2.0])
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        {**WARNED, **SILENT}[name](m, base.expand(3, 4))
    assert {warning.category for warning in said} == ({UserWarning} if name in WARNED else set())
    assert all("on expanded tensors is deprecated" in str(w.message) and "clone()" in str(w.message) for w in said)
    assert len(said) == (name in WARNED) or library == "torch"  # which warns of some twice
    if library == "rustyflow" and name in WARNED:
        assert said[0].filename == __file__ and "shape (3, 4), stride (0, 1)" in str(said[0].message)
