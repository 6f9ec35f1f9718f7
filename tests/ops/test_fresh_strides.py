"""In which order of axes results with memory of their own lie: PyTorch's, whatever their operands' is."""

from itertools import permutations, product

import numpy as np
import pytest

import rustyflow as rf

ORDERS = list(permutations(range(3)))

OF_ONE = """
    -x | x.exp() | x.floor() | x.int().floor() | x.int() | x.log10() | x.nan_to_num() | x.sum(1)
    x.mean(0, keepdim=True) | x.amax(2) | x.any(0) | x.max(1)[1] | x.cumsum(1) | x.softmax(1) | x.log_softmax(0)
    F.logsigmoid(x) | x.sort(0)[0]
    x.argsort(2) | x.topk(2, 1)[0] | x.kthvalue(2, 1)[0] | x.flip(0) | m.rot90(x) | x.roll(1, 0) | x.tril() | x.clone()
    x.contiguous() | m.zeros_like(x) | m.tensor(x.numpy()) | F.pad(x, (1, 1)) | F.pad(x, (0, -1))
    x.masked_fill(x > 0, 1.) | x.index_fill(1, i, 0.5) | x.index_select(1, i) | x[i] | x[:, i] | x[..., i]
    x[i, i] | x[x > 0] | 2 ** x
    F.batch_norm(x, None, None, training=True) | F.layer_norm(x, (4,)) | m.linalg.inv(x[:, :2, :2])
    x.unfold(1, 2, 1).sum(-1) | x.unique_consecutive(dim=1) | x.sum_to_size(3, 4)
"""

OF_TWO = """
    x + y | x * y[0] | x < y | x / y | x.maximum(y) | m.where(x > 0, x, y) | m.lerp(x, y, 0.5) | m.addcmul(x, y, y)
    x ** y | m.add(x, y, alpha=2) | m.atan2(x, y) | x.clamp(min=y) | m.cat((x, y), 1) | m.stack((x, y), 2)
    x @ y.mT | x.unsqueeze(-1) @ y.unsqueeze(2) | F.mse_loss(x, y, reduction="none") | m.addr(x[0], y[0, :, 0], y[0, 0])
    x.select_scatter(y[0], 0, 1) | x.slice_scatter(y[:, :1], 1, 2) | x.diagonal_scatter(y[0, :2].t())
"""


def calls(table):
    return [text.strip() for line in table.strip().splitlines() for text in line.split(" | ")]


def permuted(m, order, seed, gaps):
    """A tensor of shape (2, 3, 4) whose axes lie in that order, slowest first."""
    shape = np.array((2, 3, 4))[list(order)] * (2 if gaps else 1)
    x = m.from_numpy(np.random.default_rng(seed).random(shape, dtype=np.float32))
    return (x[::2, ::2, ::2] if gaps else x).permute(*np.argsort(order).tolist())


def stride(m, text, *orders, gaps=False):
    x, y = [permuted(m, order, seed, gaps) for seed, order in enumerate((*orders, ORDERS[0])[:2])]
    return eval(text, {"m": m, "F": m.nn.functional, "x": x, "y": y, "i": m.tensor([1, 0])}).stride()


@pytest.mark.parametrize("text", calls(OF_ONE))
def test_of_one_operand_as_in_torch(text):
    torch = pytest.importorskip("torch")
    for order, gaps in product(ORDERS, (False, True)):
        assert stride(rf, text, order, gaps=gaps) == stride(torch, text, order, gaps=gaps), (order, gaps)


@pytest.mark.parametrize("text", calls(OF_TWO))
def test_of_two_operands_that_lie_in_different_orders_as_in_torch(text):
    torch = pytest.importorskip("torch")
    for orders in product(ORDERS, ORDERS):
        assert stride(rf, text, *orders) == stride(torch, text, *orders), orders


@pytest.mark.parametrize("text", calls(
    "-x | x.exp() | x.floor() | x.erf() | x * 2 | x + x | x.clamp(0, 1) | F.elu(x) | F.logsigmoid(x)"))
@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_of_an_operand_that_is_repeated_along_an_axis_as_in_torch(text, dtype):
    torch = pytest.importorskip("torch")
    for repeated, order in product(ORDERS[0], ORDERS):
        shape = [1 if d == repeated else n for d, n in enumerate((2, 3, 4))]
        rows = [m.ones(shape, dtype=getattr(m, dtype)).expand(2, 3, 4).permute(order) for m in (rf, torch)]
        got, wanted = [eval(text, {"m": m, "F": m.nn.functional, "x": x}).stride() for m, x in zip((rf, torch), rows)]
        assert got == wanted, (repeated, order)


@pytest.mark.parametrize("text", calls("x.clone() | x.double() | x.contiguous() | m.zeros_like(x)"))
def test_of_axes_with_one_index_as_in_torch(text):
    torch = pytest.importorskip("torch")
    layouts = [((1, 3), (1, 1)), ((3, 1), (1, 2)), ((1, 2, 2), (6, 2, 1)), ((1, 1), (5, 7)), ((2, 1, 2), (1, 9, 2))]
    for shape, steps in layouts:
        got, wanted = [eval(text, {"m": m, "x": m.zeros(20).as_strided(shape, steps)}).stride() for m in (rf, torch)]
        assert got == wanted, (shape, steps)


def test_the_first_operand_that_steps_along_two_axes_says_which_is_slower():
    rows, columns, row = rf.ones(3, 4), rf.ones(4, 3).t(), rf.ones(4)
    assert (columns + rows).stride() == (1, 3)
    assert (rows + columns).stride() == (4, 1)
    assert (row.expand(3, 4) + columns).stride() == (1, 3)
    assert (row.expand(3, 4) + 1).stride() == (4, 1)


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("text", calls("x * 2 | x.sum() | x.softmax(0) | x.mT.exp() | x[0] | x + x.clone()"))
def test_a_gradient_lies_as_its_leaf(text, order):
    x = permuted(rf, order, 0, False).requires_grad_()
    for _ in range(2):
        eval(text, {"x": x}).sum().backward()
        assert x.grad.stride() == x.stride()


def test_a_gradient_of_a_leaf_with_holes_is_row_major():
    x = rf.ones(6, 8)[::2, ::2].t().detach().requires_grad_()
    x.exp().sum().backward()
    assert x.grad.stride() == (3, 1)


def test_what_is_picked_does_not_keep_the_whole_alive():
    x = rf.rand(300, 400)
    assert x.kthvalue(3, 1)[0].untyped_storage().nbytes() == 4 * 300


@pytest.mark.parametrize("name", ["sum", "mean", "amax", "any", "all", "nansum", "prod"])
def test_what_keeps_its_axes_has_the_strides_of_a_new_tensor(name):
    x = rf.ones(3, 4).t()
    for dim, stride in ((0, (3, 1)), (1, (1, 1))):
        kept = getattr(x, name)(dim, keepdim=True)
        assert kept.stride() == stride and kept.flatten().data_ptr() == kept.data_ptr()
