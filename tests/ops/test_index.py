"""Everything square brackets take, the functions that take an index, and sorting: values, shapes, gradients, errors."""

import math

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import rustyflow as rf
from rustyflow.autograd import gradcheck, gradgradcheck

from .beside_torch import agree, laid, set_

# Worked by hand

def test_the_axes_of_index_arrays_stand_where_they_stood_or_in_front():
    x = rf.zeros(2, 3, 4)
    i, j = rf.tensor([0, 1]), rf.tensor([[0], [2], [1]])
    assert tuple(x[:, i].shape) == (2, 2, 4) and tuple(x[:, j].shape) == (2, 3, 1, 4)
    assert tuple(x[i, :, i].shape) == (2, 3) and tuple(x[0, :, i].shape) == (3, 2)
    assert tuple(x[:, None, i].shape) == (2, 1, 2, 4) and tuple(x[..., i, i].shape) == (2, 2)
    assert tuple(x[True, i].shape) == (2, 3, 4) and tuple(x[False].shape) == (0, 2, 3, 4)


def test_repeated_indices_accumulate_their_gradients():
    x = rf.zeros(3, 2, requires_grad=True)
    (x[[0, 0, 2, 0]] * rf.tensor([[1.0], [10.0], [5.0], [100.0]])).sum().backward()
    assert x.grad.tolist() == [[111, 111], [0, 0], [5, 5]]


def test_a_basic_index_is_one_view_for_each_item_that_does_something():
    x = rf.arange(24.0).view(2, 3, 4).requires_grad_()
    y = x[1, None, ::2, 1:]
    assert (tuple(y.shape), y.stride(), y.storage_offset()) == ((1, 2, 3), (12, 8, 1), 13)
    made, node = [], y.grad_fn
    while node.next_functions:
        made.append(node.name())
        node = node.next_functions[0][0]
    assert made == ["SliceBackward0", "SliceBackward0", "UnsqueezeBackward0", "SelectBackward0"]
    assert [x[k].grad_fn.name() for k in (0, None, ..., (), [0])] == ["SelectBackward0", "UnsqueezeBackward0",
                                                                      "AliasBackward0", "AliasBackward0",
                                                                      "IndexBackward0"]


def test_writing_gives_gradients_to_value_and_base():
    w, v = rf.ones(3, requires_grad=True), rf.tensor([2.0, 3.0], requires_grad=True)
    y = w * 1
    y[rf.tensor([0, 2])] = v
    y[1] = w[1] * 7
    (y * rf.tensor([1.0, 10.0, 100.0])).sum().backward()
    assert w.grad.tolist() == [0, 70, 0] and v.grad.tolist() == [1, 100]


def test_writing_casts_broadcasts_and_stays_in_its_part():
    x = rf.zeros(3, 4, dtype=rf.int64)
    x[1:, ::2] = 2.9
    x[:, 3] = rf.tensor([1.5, 2.5, 3.5])
    x[x == 0] = -1
    assert x.tolist() == [[-1, -1, -1, 1], [2, -1, 2, 2], [2, -1, 2, 3]]
    x[[0, 0]] += 1
    assert x[0].tolist() == [0, 0, 0, 2]
    x.index_put_((rf.tensor([0, 0]), rf.tensor([0, 0])), rf.tensor([5, 6]), accumulate=True)
    assert x[0, 0].item() == 11


@pytest.mark.parametrize("key, error, says", [
    (3, IndexError, "dimension 0 with size 3"), ((0, -5), IndexError, "dimension 1 with size 4"),
                                              (1.5, IndexError, "got float"), ((0, 0, 0), IndexError, "too many"),
    ([0, 5], IndexError, "dimension 0 with size 3"), (rf.tensor([0.5]), IndexError, "long, int, byte or bool"),
                                              ("a", TypeError, "invalid data type"),
    (slice(None, None, -1), ValueError, "greater than zero"), (rf.tensor([True, False]), IndexError,
                                                               "shape of the mask"),
                                              (slice("a"), TypeError, "slice indices"),
    (([0, 1], [0, 1, 2]), IndexError, "could not be broadcast together"), (np.bool_(True), IndexError, "valid indices"),
])
def test_wrong_indices_name_the_axis(key, error, says):
    x = rf.zeros(3, 4)
    with pytest.raises(error, match=says):
        x[key]
    with pytest.raises(error, match=says):
        x[key] = 1
    assert not x.any()


@pytest.mark.parametrize("wrong, error, says", [
    (lambda x: x.gather(1, rf.tensor([[4]])), RuntimeError, "index 4 is out of bounds for dimension 1"),
    (lambda x: x.gather(0, rf.tensor([[0.5]])), RuntimeError, "int64"),
    (lambda x: x.gather(0, [[0]]), TypeError, "'index' must be Tensor, not list"),
    (lambda x: x.index_select(0, rf.tensor([3])), IndexError, "dimension 0 with size 3"),
    (lambda x: x.scatter(0, rf.zeros(3, 4, dtype=rf.int64), rf.zeros(1, 4)), RuntimeError, "no larger than src"),
    (lambda x: x.masked_fill(x, 0), RuntimeError, "BoolTensor"),
    (lambda x: x.masked_fill(x > 0, rf.ones(2)), RuntimeError, "0-dimensional"),
    (lambda x: x.index_add(0, rf.tensor([0, 1]), rf.zeros(3, 4)), RuntimeError, "Number of indices"),
    (lambda x: x.index_fill(0, rf.tensor([[0, 1]]), 1), RuntimeError, "has to be a vector/scalar"),
    (lambda x: x.take(rf.tensor([12])), IndexError, "size 12"),
    (lambda x: x.topk(5), RuntimeError, "k from 0 to 4"),
    (lambda x: x[0].tril(), RuntimeError, "at least 2 dimensions"),
    (lambda x: rf.bincount(rf.tensor([-1])), RuntimeError, "non-negative"),
    (lambda x: x.sort("a"), TypeError, "a dim is one whole number"),
])
def test_functions_with_an_index_teach(wrong, error, says):
    with pytest.raises(error, match=says) as caught:
        wrong(rf.zeros(3, 4))
    assert caught.value.was and caught.value.rule and caught.value.fix


def test_index_put_at_numbers_alone_writes_or_adds_in_one_place():
    x = rf.ones(3, 2)
    assert x.index_put_((rf.tensor(1),), rf.tensor([5.0, 7.0])) is x and x.tolist() == [[1, 1], [5, 7], [1, 1]]
    assert x.index_put((rf.tensor(1), rf.tensor(0)), rf.tensor(2.0), accumulate=True).tolist()[1] == [7, 7]


def test_order_is_stable_both_ways_and_nan_is_largest():
    x = rf.tensor([2.0, float("nan"), 1.0, 2.0, float("nan")])
    assert x.argsort().tolist() == [2, 0, 3, 1, 4] and x.argsort(descending=True).tolist() == [1, 4, 0, 3, 2]
    values, indices = rf.tensor([[3, 1, 2]]).sort()
    assert values.tolist() == [[1, 2, 3]] and indices.tolist() == [[1, 2, 0]]


# Beside PyTorch, on any layout

def part_of(kind, sizes, shared):
    """One part of an index expression, over the axes of these sizes; lists and index tensors of `shared` cells."""
    at = st.integers(-sizes[0], sizes[0] - 1)
    places = st.lists(at, min_size=shared, max_size=shared)
    return {"int": at, "numpy": at, "0-d": at, "list": places, "tensor": places,
            "slice": st.builds(slice, st.none() | at, st.none() | at, st.none() | st.integers(1, 3)),
            "grid": st.lists(at.map(lambda i: [i]), min_size=2, max_size=2),
            "mask": st.integers(0, 9).map(lambda seed: np.random.default_rng(seed).random(sizes) < .5)}[kind]


@st.composite
def keys(draw, shape):
    """An index expression: integers, slices, None, ..., lists, index tensors of any dtype, masks, bools, NumPy's."""
    parts, axis, shared = [], 0, draw(st.integers(1, 3))
    while axis < len(shape) and draw(st.integers(0, 4)):
        kind = draw(st.sampled_from(("int", "slice", "slice", "none", "list", "tensor", "grid", "mask", "true", "numpy",
                                     "0-d")))
        if kind == "none" or kind == "true":
            parts.append((kind, None))
            continue
        wide = draw(st.integers(1, min(2, len(shape) - axis))) if kind == "mask" else 1
        parts.append((kind, draw(part_of(kind, shape[axis:axis + wide], shared))))
        axis += wide
    if draw(st.booleans()):
        parts.insert(draw(st.integers(0, len(parts))), ("...", None))
    return tuple(parts)


def key_of(module, parts):
    make = {"none": lambda v: None, "true": lambda v: True, "...": lambda v: Ellipsis, "tensor": module.tensor,
            "grid": module.tensor, "0-d": module.tensor,
            "mask": lambda v: module.tensor(v.tolist()), "numpy": np.int64}
    return tuple(make.get(kind, lambda v: v)(value) for kind, value in parts)


def test_an_index_is_held_against_its_axis_where_a_cell_is_meant():
    x = rf.ones(3, 2, 0)
    assert x[[7]].shape == (1, 2, 0) and x[[7], [0]].shape == (1, 0)
    x[[7]] = 1.0
    with pytest.raises(IndexError, match="index 0 is out of bounds for dimension 2 with size 0"):
        x[:, :, [0]]
    with pytest.raises(IndexError, match="index 7 is out of bounds for dimension 0 with size 3"):
        rf.ones(3, 2)[[7]]


@settings(max_examples=60)
@given(st.data(), laid(rank=st.integers(0, 4)))
def test_reading_as_in_torch(data, x):
    parts = data.draw(keys(tuple(x.build(rf)[1].shape)))
    agree(lambda m, x: x[key_of(m, parts)], x)


@settings(max_examples=40)
@given(st.data(), laid(rank=st.integers(0, 3), expands=False), st.sampled_from(("number", "cell", "whole")))
def test_writing_as_in_torch(data, x, what):
    parts = data.draw(keys(tuple(x.build(rf)[1].shape)))

    def write(m, x):
        y, key = x.clone(), key_of(m, parts)
        v = m.from_numpy(np.asarray(2.0)).requires_grad_()
        indices = np.arange(y.numel()).reshape(tuple(y.shape))[tuple(k.numpy() if isinstance(k, m.Tensor) else k
                                                                     for k in key)]
        if what == "whole" and len(set(indices.ravel())) < indices.size:
            return y
        y[key] = 5 if what == "number" else v if what == "cell" else x[key] * v
        return y, v
    agree(write, x)


FUNCTIONS = {
    "gather": lambda m, x, i: x.gather(-1, i),
    "index_select": lambda m, x, i: x.index_select(-1, i.reshape(-1)),
    "take": lambda m, x, i: x.take(i),
    "take_along_dim": lambda m, x, i: m.take_along_dim(x, i, -1),
    "scatter": lambda m, x, i: x.scatter(-1, i, 3.0),
    "scatter_add": lambda m, x, i: x.scatter_add(-1, i, x[..., :i.shape[-1]] * 2 if x.shape[-1] == i.shape[-1]
                                                 else x.gather(-1, i)),
    "index_add": lambda m, x, i: x.index_add(-1, i.reshape(-1), x.index_select(-1, i.reshape(-1)) * 2, alpha=3),
    "index_fill": lambda m, x, i: x.index_fill(-1, i.reshape(-1), x.sum()),
    "masked_fill": lambda m, x, i: x.masked_fill(x > 0, x.sum()),
    "masked_select": lambda m, x, i: x.masked_select(x > 0),
    "masked_scatter": lambda m, x, i: x.masked_scatter(x > 0, x * 2),
    "nonzero": lambda m, x, i: x.nonzero(),
    "sort": lambda m, x, i: x.sort(dim=-1, stable=True),
    "sort_down": lambda m, x, i: m.sort(x, dim=0, descending=True, stable=True),
    "kthvalue": lambda m, x, i: (x + 0.01 * m.arange(x.numel(), dtype=m.float64).reshape(x.shape)).kthvalue(1),
    "unique_consecutive": lambda m, x, i: x.detach().unique_consecutive(return_counts=True),
    "unique": lambda m, x, i: m.unique(x.detach(), return_inverse=True, return_counts=True),
    "unique_rows": lambda m, x, i: m.unique(x.detach().round(), dim=0, return_inverse=True),
    "searchsorted": lambda m, x, i: m.searchsorted(x.detach().sort().values, x.detach(), right=True),
    "diag_embed": lambda m, x, i: x.diag_embed(1),
}


@pytest.mark.parametrize("name", FUNCTIONS)
@settings(max_examples=25)
@given(x=laid(rank=st.integers(1, 3)), seed=st.integers(0, 9))
def test_functions_as_in_torch(name, x, seed):
    shape = tuple(x.build(rf)[1].shape)
    i = np.random.default_rng(seed).integers(0, shape[-1], (*shape[:-1], 2 if name != "scatter_add" else shape[-1]))
    if name == "scatter":
        i = i[..., :1]
    agree(lambda m, x: FUNCTIONS[name](m, x, m.from_numpy(i.copy())), x, copies=True)


@pytest.mark.parametrize("name", ["tril", "triu", "diag"])
@settings(max_examples=25)
@given(x=laid(rank=st.just(2)), k=st.integers(-3, 3))
def test_triangles_as_in_torch(name, x, k):
    agree(lambda m, x: getattr(m, name)(x, k), x, copies=True)


# Derivatives of every order

PLACES = rf.tensor([[0, 2], [1, 3], [2, 0]])
DOUBLE = {
    "read": lambda x: x[rf.tensor([0, 0, 2]), 1:], "grid": lambda x: x[rf.tensor([[0], [2]]), rf.tensor([1, 3])],
          "mask": lambda x: x[x > 0], "basic": lambda x: x[1:, None, ::2],
    "write": lambda x: set_(x, rf.tensor([0, 2]), x[0] * x[1]),
          "accumulate": lambda x: x.index_put((rf.tensor([1, 1]),), x[:2] * x[1:], accumulate=True),
    "gather": lambda x: x.gather(1, PLACES), "scatter": lambda x: x.scatter(1, PLACES, (x * x)[:, :2]),
          "scatter_add": lambda x: x.scatter_add(1, PLACES, (x * x)[:, :2]),
    "index_select": lambda x: x.index_select(1, rf.tensor([3, 3, 0])),
          "index_add": lambda x: x.index_add(0, rf.tensor([1, 1]), x[:2] * x[1:]),
    "index_copy": lambda x: x.index_copy(0, rf.tensor([2, 0]), x[:2] * x[1:]),
          "index_fill": lambda x: x.index_fill(1, rf.tensor([1, 2]), x[0, 0] * x[1, 1]),
    "masked_fill": lambda x: x.masked_fill(x > 0, x[0, 0] * 2), "masked_select": lambda x: x.masked_select(x > 0),
          "take": lambda x: x.take(PLACES),
    "masked_scatter": lambda x: x.masked_scatter(x > 0, x.flip(0)), "sort": lambda x: x.sort(1).values,
          "topk": lambda x: x.topk(2, 0).values, "tril": lambda x: x.tril(1),
    "diag_embed": lambda x: x.diag_embed(-1), "diag": lambda x: x.diag(1),
          "diagonal_scatter": lambda x: x.diagonal_scatter(x[:, 0] * x[:, 1]),
    "select_scatter": lambda x: x.select_scatter(x[0] * x[1], 0, 2),
          "slice_scatter": lambda x: x.slice_scatter(x[:2] * x[1:], 0, 1),
}


@pytest.mark.parametrize("name", DOUBLE)
def test_first_and_second_derivatives(name):
    rf.manual_seed(3)
    x = rf.randn(4, 3, dtype=rf.float64).t().requires_grad_()
    assert gradcheck(lambda x: DOUBLE[name](x * x + x), (x,)) and gradgradcheck(lambda x: DOUBLE[name](x * x + x), (x,))


def test_the_gradient_of_a_large_embedding_counts_every_read():
    table = rf.zeros(1000, 16, requires_grad=True)
    i = rf.from_numpy(np.random.default_rng(0).integers(0, 1000, 200_000))
    y = table[i]
    y.sum().backward()
    assert table.grad[:, 0].sum().item() == 200_000


def test_a_sorter_says_in_which_order_boundaries_are_sorted():
    w = rf.tensor([[3.0, 1.0, 2.0], [5.0, 9.0, 7.0]])
    v = rf.tensor([[2.0, 3.5], [4.0, 8.0]])
    assert rf.searchsorted(w, v, sorter=w.argsort()).tolist() == [[1, 3], [0, 2]]
    assert rf.searchsorted(w.sort().values, v).tolist() == [[1, 3], [0, 2]]
    for sorter in (rf.tensor([0, 1]), rf.tensor([0, 1, 3]), rf.tensor([0, 1, 2], dtype=rf.int32)):
        with pytest.raises(RuntimeError, match="try:"):
            rf.searchsorted(w[0], 2, sorter=sorter)


def test_a_row_takes_the_row_that_a_slice_of_the_same_memory_is():
    x = rf.arange(6.0).view(2, 3)
    x[0] = x[1:]
    assert x.tolist() == [[3, 4, 5], [3, 4, 5]]


def test_no_cell_is_deleted():
    x = rf.zeros(3)
    with pytest.raises(TypeError, match="does not support deleting"):
        del x[0]


def test_a_number_that_was_filled_has_no_gradient():
    """NumPy hands a gradient without axes on as a number of its own, whose copies are written to in vain."""
    x = rf.tensor(2.0, requires_grad=True)
    (x.index_fill(0, rf.tensor([0]), 0.5) * 3).backward()
    assert x.grad.item() == 0


def test_an_index_outside_a_vector_is_an_index_error_where_one_of_rows_is_a_runtime_error():
    for x, error in ((rf.zeros(3), IndexError), (rf.zeros(3, 2), RuntimeError)):
        for at in (3, -1):
            with pytest.raises(error, match="out of bounds"):
                x.index_add_(0, rf.tensor([at]), x[:1].clone())


@pytest.mark.parametrize("shape", [(2, 3), (0, 3)])
def test_a_write_outside_is_not_counted(shape):
    x = rf.zeros(shape)
    with pytest.raises(IndexError):
        x[[5, 0]] = 1.0
    assert x._version == 0


def test_a_cell_is_taken_from_more_cells_than_32_bits_count():
    x = rf.arange(70_000).expand(70_000, 70_000).t()
    assert x.take(rf.tensor([70_000 * 65_000 + 5, -1])).tolist() == [65_000, 69_999]


COUNTED = {
    "scatter_add": lambda x, at: x.scatter_add(0, at, rf.ones_like(at, dtype=x.dtype)),
    "index_add": lambda x, at: x.index_add(0, at, rf.ones_like(at, dtype=x.dtype)),
    "the gradient of gather": lambda x, at: rf.autograd.grad(x.gather(0, at).sum(), x)[0],
    "the gradient of index_select": lambda x, at: rf.autograd.grad(x.index_select(0, at).sum(), x)[0],
    "the gradient of an index": lambda x, at: rf.autograd.grad(x[at].sum(), x)[0],
    "the gradient of as_strided": lambda x, at: rf.autograd.grad(x.as_strided(at.shape, (0,)).sum(), x)[0],
}


@pytest.mark.parametrize("key", [0, slice(1), [0], ..., rf.tensor([True, False])], ids=str)
def test_of_a_number_too_large_for_float16_an_infinity_is_written(key):
    x = rf.zeros(2, dtype=rf.float16)
    x[key] = -1e9
    assert x[0] == float("-inf")


@pytest.mark.parametrize("key, value", [(0, rf.ones(3)), ((slice(1), slice(2)), rf.ones(2)), ((1, 2), rf.ones(()))])
def test_a_write_of_cells_in_one_step_is_counted(key, value):
    w, x = rf.ones(2, 3, requires_grad=True), rf.zeros(2, 3)
    y = w * x
    x[key] = value
    assert x.sum() == value.numel() and x._version == 1
    with pytest.raises(RuntimeError, match="copy_"):
        y.sum().backward()


@pytest.mark.parametrize("call", [
    lambda n: rf.bincount(n), lambda n: rf.repeat_interleave(n), lambda n: rf.ones(4).repeat_interleave(n),
    lambda n: rf.ones(4).repeat_interleave(n[:1]), lambda n: rf.combinations(rf.arange(100), 50),
])
def test_counts_that_no_memory_holds_are_refused(call):
    for n in (2**62, 2**63 - 1):
        with pytest.raises(RuntimeError, match="overflow"):
            call(rf.tensor([n] * 4))


@pytest.mark.parametrize("value", [5.0, rf.tensor([7.0, 8.0]), rf.ones(2, 2)])
def test_rows_written_in_one_step_are_counted_once_and_those_outside_change_nothing(value):
    x, rows = rf.zeros(3, 2), rf.tensor([2, -3])
    x[rows] = value
    assert x._version == 1 and x[1].tolist() == [0, 0] and rf.equal(x[[2, 0]], value + rf.zeros(2, 2))
    with pytest.raises(IndexError, match="index 3 is out of bounds for dimension 0 with size 3"):
        x[rf.tensor([1, 3])] = value
    assert x._version == 1 and x[1].tolist() == [0, 0]


@pytest.mark.parametrize("name", COUNTED)
def test_of_float16_more_than_2048_are_counted(name):
    x = rf.zeros(2, dtype=rf.float16, requires_grad=True)
    assert COUNTED[name](x, rf.zeros(5000, dtype=rf.int64)).tolist() == [5000, 0]


@pytest.mark.parametrize("include_self", [True, False])
@pytest.mark.parametrize("reduce", ["sum", "prod", "mean", "amax", "amin"])
@pytest.mark.parametrize("backend", ["numpy", "loops"])
def test_scatter_reduce_joins_what_an_index_sends_to_a_cell(reduce, include_self, backend):
    joined = {"sum": sum, "prod": math.prod, "mean": lambda v: sum(v) / len(v), "amax": max, "amin": min}[reduce]
    with rf.backends.use(backend):
        x, index = rf.tensor([[2.0, -1], [5, 7], [4, 4]]), rf.tensor([[0, 2], [0, 2], [0, 1], [2, 2]])
        src = rf.tensor([[3.0, 1], [-2, 6], [1, 0.5], [9, -8]])
        want = x.tolist()
        for row in range(3):
            for column in range(2):
                sent = [src[k, column].item() for k in range(4) if index[k, column] == row]
                if sent:
                    want[row][column] = joined(sent + [x[row, column].item()] * include_self)
        y = x.scatter_reduce(0, index, src, reduce, include_self=include_self)
        assert rf.allclose(y, rf.tensor(want))
        assert x.scatter_reduce_(0, index, src, reduce, include_self=include_self) is x and x.tolist() == y.tolist()


@pytest.mark.parametrize("include_self", [True, False])
@pytest.mark.parametrize("reduce", ["sum", "prod", "mean", "amax", "amin"])
@pytest.mark.parametrize("zeros", [0, 1, 3])
def test_gradients_of_scatter_reduce(reduce, include_self, zeros):
    random = np.random.default_rng(zeros)
    x, src = [rf.tensor(random.standard_normal(shape), requires_grad=True) for shape in ((3, 2), (5, 2))]
    with rf.no_grad():
        if reduce == "prod":
            src.view(-1)[:zeros] = 0
            x[0, 0] = 0
    index = rf.tensor([[0, 0], [0, 2], [2, 2], [1, 0], [0, 0]])

    def f(x, src):
        return x.scatter_reduce(0, index, src, reduce, include_self=include_self)
    assert rf.autograd.gradcheck(f, (x, src))
    if not zeros and reduce != "prod":
        assert rf.autograd.gradgradcheck(f, (x, src))


def test_scatter_reduce_of_whole_numbers_rounds_a_mean_down():
    x = rf.tensor([-1, 5]).scatter_reduce(0, rf.tensor([0, 0, 1]), rf.tensor([-3, -4, 4]), "mean")
    assert x.tolist() == [-3, 4]
    assert rf.tensor([0, 0], dtype=rf.uint8).scatter_reduce(
        0, rf.tensor([1]), rf.tensor([3], dtype=rf.uint8), "amin", include_self=False).tolist() == [0, 3]


def test_only_those_that_took_part_share_the_gradient_of_a_largest():
    x, src = rf.tensor([7.0], requires_grad=True), rf.tensor([7.0, 7, 1], requires_grad=True)
    x.scatter_reduce(0, rf.tensor([0, 0, 0]), src, "amax", include_self=False).sum().backward()
    assert x.grad.tolist() == [0] and src.grad.tolist() == [0.5, 0.5, 0]


@pytest.mark.parametrize("call, error", [
    (lambda x, i: (x, 0, i, x, "add"), RuntimeError), (lambda x, i: (x, 0, i, 1.0, "sum"), TypeError),
    (lambda x, i: (x, 0, i + 2, x, "sum"), RuntimeError), (lambda x, i: (x, 1, i, x, "sum"), IndexError),
    (lambda x, i: (x, 0, i, x.long(), "sum"), RuntimeError), (lambda x, i: (x, 0, i, x), TypeError),
    (lambda x, i: (x > 0, 0, i, x > 0, "mean"), NotImplementedError),
])
def test_mistakes_in_scatter_reduce_have_pytorchs_type(call, error):
    with pytest.raises(error):
        rf.scatter_reduce(*call(rf.ones(2), rf.tensor([0, 1])))


@pytest.mark.parametrize("backend", ["numpy", "loops"])
def test_mode_is_the_smallest_of_the_most_frequent_and_where_it_is_last(backend):
    with rf.backends.use(backend):
        values, indices = rf.tensor([[1, 2, 2, 1, 3], [5, 5, 0, 1, 1]]).mode()
        assert values.tolist() == [1, 1] and indices.tolist() == [3, 4]
        assert rf.tensor([[1, 2], [1, 0]]).mode(0, keepdim=True).values.tolist() == [[1, 0]]
        assert rf.tensor(4.0).mode().values.item() == 4 and rf.tensor([True, False, True]).mode()[1] == 2
    with pytest.raises(IndexError, match="non-zero size"):
        rf.empty(2, 0).mode()


def test_the_gradient_of_mode_goes_to_the_cell_that_is_told():
    x = rf.tensor([[3.0, 1, 3], [2, 2, 5]], requires_grad=True)
    x.mode(1).values.backward(rf.tensor([4.0, 6.0]))
    assert x.grad.tolist() == [[0, 0, 4], [0, 6, 0]]


def test_a_count_in_place_is_one_write_through_the_view_and_one_to_the_whole():
    n = rf.zeros(3, 3, dtype=rf.int64)
    for i, j in ((0, 1), (0, 1), (2, 0)):
        n[i, j] += 1
    assert n.tolist() == [[0, 2, 0], [0, 0, 0], [1, 0, 0]] and n._version == 6
    n[0] = n[0]
    n[0] = n[1]
    assert n.tolist() == [[0, 0, 0], [0, 0, 0], [1, 0, 0]]
    w = rf.ones(3, requires_grad=True)
    y = w * 1
    y[1] += 2
    (y * rf.arange(3.0)).sum().backward()
    assert y.tolist() == [1, 3, 1] and w.grad.tolist() == [0, 1, 2]

