"""Views share memory and strides as PyTorch's do, copies are copies, and gradients come back through both."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import rustyflow as rf
from rustyflow.autograd import gradcheck, gradgradcheck

from .beside_torch import agree, laid

dims = st.integers(-3, 2)


@pytest.fixture
def x():
    return rf.arange(12).view(3, 4)


def numbers(t):
    return t.tolist()


# Worked by hand

@pytest.mark.parametrize("make, shape, stride, offset", [
    (lambda x: x.t(), (4, 3), (1, 4), 0),
    (lambda x: x[1:, ::2], (2, 2), (4, 2), 4),
    (lambda x: x.unfold(1, 2, 1), (3, 3, 2), (4, 1, 1), 0),
    (lambda x: x.diagonal(1), (3,), (5,), 1),
    (lambda x: x[:, None].expand(3, 2, 4), (3, 2, 4), (4, 0, 1), 0),
    (lambda x: x.unflatten(1, (2, 2)).movedim(2, 0), (2, 3, 2), (1, 4, 2), 0),
    (lambda x: x.as_strided((2, 2), (1, 3), 5), (2, 2), (1, 3), 5),
    (lambda x: x.narrow(0, 1, 2).select(1, 3), (2,), (4,), 7),
])
def test_a_view_is_a_layout_over_the_same_storage(x, make, shape, stride, offset):
    y = make(x)
    assert (tuple(y.shape), y.stride(), y.storage_offset()) == (shape, stride, offset)
    assert y.untyped_storage() is x.untyped_storage()
    y[(0,) * y.ndim] = 99
    assert 99 in x.view(-1).tolist()


@pytest.mark.parametrize("make, stride", [
    (lambda x: x.t(), (1, 1)),
    (lambda x: x.t()[::2], (2, 1)),
    (lambda x: x[None].permute(2, 0, 1), (1, 3, 1)),
    (lambda x: x.t().unsqueeze(1), (1, 3, 1)),
])
def test_views_of_nothing_have_strides_as_well(make, stride):
    assert make(rf.zeros(3, 0)).stride() == stride


@pytest.mark.parametrize("make", [lambda x: x.flip(0), lambda x: x.roll(1), lambda x: x.repeat(1, 1),
                                  lambda x: x.t().reshape(-1), lambda x: x.t().contiguous(),
                                  lambda x: x.clone(), lambda x: x[[0, 1]], lambda x: x.tile(1)])
def test_a_copy_is_a_copy(x, make):
    assert make(x).untyped_storage() is not x.untyped_storage()


@pytest.mark.parametrize("shape", [(300, 700), (512, 512), (1024, 80), (9, 100, 300), (3, 40000)])
@pytest.mark.parametrize("d", [rf.float16, rf.float32, rf.int64])
def test_a_large_copy_across_memory_is_that_of_each_cell(shape, d):
    cells = np.arange(np.prod(shape)).reshape(shape) % 1999
    x, last = rf.tensor(cells, dtype=d), len(shape) - 1
    for y, z in ((x.transpose(0, last), cells.swapaxes(0, last)), (x.mT, cells.mT), (x.mT[..., 1:], cells.mT[..., 1:])):
        assert y.contiguous().is_contiguous() and np.array_equal(y.contiguous().numpy(), z)
        assert np.array_equal(y.reshape(-1).numpy(), z.reshape(-1))
        assert np.array_equal(y.unsqueeze(1).expand(-1, 3, *y.shape[1:]).contiguous()[:, 2].numpy(), z)
        assert np.array_equal(y.roll((1, -2), (0, last)).numpy(), np.roll(z, (1, -2), (0, last)))
        assert np.array_equal(rf.zeros(y.shape, dtype=d).copy_(y).numpy(), z)


def test_a_dtype_view_shares_bytes_versions_and_writes():
    x = rf.tensor([1.0, 2.0, 3.0, 4.0])
    bits, pairs = x.view(rf.int32), x.view(rf.int64)
    assert bits.tolist() == np.array([1, 2, 3, 4], "float32").view("int32").tolist() and tuple(pairs.shape) == (2,)
    bits[0] = 0
    assert x[0].item() == 0 and x._version == bits._version == 1
    assert tuple(x.view(rf.int16)[2:6].view(rf.float32).shape) == (2,) and x.view(rf.uint8).stride() == (1,)
    with pytest.raises(RuntimeError, match="divisible by 2"):
        x[:3].view(rf.float64)


def test_in_place_views_change_the_tensor_itself():
    x = rf.arange(6).view(2, 3).clone()
    assert x.t_() is x and x.stride() == (1, 3) and x.unsqueeze_(0).squeeze_().transpose_(0, 1).stride() == (3, 1)
    w = rf.ones(2, 3, requires_grad=True)
    y = w * 2
    y.transpose_(0, 1)
    y[0].mul_(5)
    y.sum().backward()
    assert w.grad.tolist() == [[10, 2, 2], [10, 2, 2]]
    with pytest.raises(RuntimeError, match="leaf"):
        w.t_()


def test_splitting_is_one_node_whose_unused_parts_count_as_zero():
    w = rf.arange(6.0).view(2, 3).requires_grad_()
    rows = (w * 1).unbind()
    assert rows[0].grad_fn is rows[1].grad_fn and [r.output_nr for r in rows] == [0, 1]
    (rows[1] * 3).sum().backward()
    assert w.grad.tolist() == [[0, 0, 0], [3, 3, 3]]
    for part in (rows[0], rows[0][::2], rows[0].view(3, 1)[1]):
        with pytest.raises(RuntimeError, match="multiple views"):
            part.mul_(2)


def test_overlapping_windows_add_up():
    x = rf.zeros(4, requires_grad=True)
    x.unfold(0, 2, 1).sum().backward()
    assert x.grad.tolist() == [1, 2, 2, 1]


@pytest.mark.parametrize("wrong, error, says", [
    (lambda x: x.t().view(12), RuntimeError, "dims 0 and 1 cannot merge"),
    (lambda x: x.view(5), RuntimeError, "product of the sizes"),
    (lambda x: x.expand(3, 5), RuntimeError, "non-singleton dimension 1"),
    (lambda x: x.squeeze(2), IndexError, "range of \\[-2, 1\\]"),
    (lambda x: x.as_strided((4, 4), (4, 1)), RuntimeError, "needs slot 15"),
    (lambda x: x.select(1, 4), IndexError, "dimension 1 with size 4"),
    (lambda x: x.split([1, 1]), RuntimeError, "add up to 2"),
    (lambda x: x.unsqueeze(0).t(), RuntimeError, "<= 2 dimensions"),
    (lambda x: x.repeat(2), RuntimeError, "Number of dimensions"), (lambda x: x.roll(()), RuntimeError, "must align"),
    (lambda x: rf.broadcast_to(x, (2, 4)), RuntimeError, "must match the existing size"),
    (lambda x: rf.unsqueeze(3, 0), TypeError, "must be Tensor, not int"),
    (lambda x: x.permute(0, "a"), TypeError, "whole numbers"),
    (lambda x: x.movedim((0, 1), 1), TypeError, "or both tuples"),
    (lambda x: rf.broadcast_shapes((-1,), (3,)), ValueError, "negative length"),
    (lambda x: rf.scalar_tensor([1]), TypeError, "must be Number, not list"),
    (lambda x: rf.positive("a"), TypeError, "must be Tensor, not str"),
])
def test_errors_name_the_axis_and_the_rule(x, wrong, error, says):
    with pytest.raises(error, match=says) as caught:
        wrong(x)
    assert caught.value.was and caught.value.rule and caught.value.fix


# Beside PyTorch, on any layout

VIEWS = {
    "transpose": lambda m, x, d, e: x.transpose(d, e),
    "movedim": lambda m, x, d, e: x.movedim(d, e),
    "squeeze": lambda m, x, d, e: x.squeeze(d),
    "unsqueeze": lambda m, x, d, e: x.unsqueeze(d),
    "flatten": lambda m, x, d, e: x.flatten(d, e),
    "ravel": lambda m, x, d, e: x.ravel(),
    "diagonal": lambda m, x, d, e: x.diagonal(d, 0, e),
    "unbind": lambda m, x, d, e: x.unbind(d),
    "split": lambda m, x, d, e: x.split(abs(d) + 1, e),
    "chunk": lambda m, x, d, e: x.chunk(abs(d) + 1, e),
    "tensor_split": lambda m, x, d, e: x.tensor_split(abs(d) + 1, e),
    "narrow": lambda m, x, d, e: x.narrow(d, 1, 1),
    "unfold": lambda m, x, d, e: x.unfold(d, 2, abs(e) + 1),
    "mT": lambda m, x, d, e: x.mT if x.ndim > 1 else x,
    "expand": lambda m, x, d, e: x.unsqueeze(d).expand(*[-1 if n != 1 else 3 for n in x.unsqueeze(d).shape]),
    "view": lambda m, x, d, e: x.view(-1),
    "reshape": lambda m, x, d, e: x.reshape(-1),
    "atleast_3d": lambda m, x, d, e: m.atleast_3d(x),
    "detach": lambda m, x, d, e: x.detach(),
}
COPIES = {
    "flip": lambda m, x, d, e: x.flip(d),
    "roll": lambda m, x, d, e: x.roll(2, d),
    "rot90": lambda m, x, d, e: x.rot90(e, (0, 1)),
    "repeat": lambda m, x, d, e: x.repeat(2, *[abs(d)] * x.ndim),
    "repeat_interleave": lambda m, x, d, e: x.repeat_interleave(2, d),
    "tile": lambda m, x, d, e: x.tile(2, abs(e)),
    "clone": lambda m, x, d, e: x.clone(),
}


@pytest.mark.parametrize("name", VIEWS)
@settings(max_examples=25)
@given(x=laid(), d=dims, e=dims)
def test_views_as_in_torch(name, x, d, e):
    agree(lambda m, x: VIEWS[name](m, x, d, e), x)


@pytest.mark.parametrize("name", COPIES)
@settings(max_examples=25)
@given(x=laid(), d=dims, e=dims)
def test_copies_as_in_torch(name, x, d, e):
    agree(lambda m, x: COPIES[name](m, x, d, e), x, copies=True)


@settings(max_examples=25)
@given(laid(rank=st.integers(1, 2)), laid(rank=st.just(1), sizes=st.just(4)))
def test_as_strided_gradients_count_slots(x, y):
    agree(lambda m, x, y: x.as_strided((2,), (1,), x.storage_offset()) * 2 + y[:2], x, y)


# Derivatives of every order, by finite differences

DOUBLE = {**VIEWS, **COPIES, "as_strided": lambda m, x, d, e: x.contiguous().as_strided((2, 2), (1, 2)),
          "view": lambda m, x, d, e: x.contiguous().view(-1),
          "tensor_split": lambda m, x, d, e: x.tensor_split((1,), 1)}
del DOUBLE["detach"]


@pytest.mark.parametrize("name", DOUBLE)
def test_first_and_second_derivatives(name):
    x = rf.randn(4, 3, dtype=rf.float64).t().requires_grad_()

    def f(x):
        y = DOUBLE[name](rf, x, 0, 1)
        return tuple(part * part for part in y) if isinstance(y, tuple) else y * y
    assert gradcheck(f, (x,)) and gradgradcheck(f, (x,))


def test_functions_take_dims_as_a_tuple_and_methods_one_by_one_as_well():
    x = rf.arange(6).view(2, 3)
    for name, dims in (("flip", (0, 1)), ("permute", (1, 0)), ("tile", (2, 1))):
        function, method = getattr(rf, name), getattr(x, name)
        assert function(x, dims).equal(method(*dims)) and function(x, dims=dims).equal(method(dims))
        with pytest.raises(TypeError, match=f"argument 'dims' must be tuple of ints, not int\ntry:  rustyflow.{name}"):
            function(x, *dims)
    assert rf.zeros(1, 2, 1, 1).squeeze(0, -1).shape == rf.zeros(1, 2, 1, 1).squeeze_(0, -1).shape == (2, 1)


def test_a_dtype_is_a_view_and_no_shape():
    with pytest.raises(TypeError, match=r"view\(dtype\)"):
        rf.zeros(4).reshape(rf.float64)


def test_the_adjoint_of_a_matrix_is_its_transpose():
    x = rf.zeros(2, 3, requires_grad=True)
    assert x.H.shape == (3, 2) and x.H.grad_fn.name() == "TransposeBackward0"
    with pytest.warns(UserWarning, match="deprecated on 0-D"):
        assert rf.tensor(1.0).H.shape == ()
    for shape in ((2,), (2, 3, 4)):
        with pytest.raises(RuntimeError, match="only supported on matrices"):
            _ = rf.zeros(shape).H


@pytest.mark.parametrize("view", [
    lambda x: x.expand(2**40, 2**40), lambda x: x.as_strided((2**62,), (0,)), lambda x: x.repeat(2**62, 4),
    lambda x: x.view([1] * 65), lambda x: x.view([1] * 64).unsqueeze(0), lambda x: x.sum().expand(2**62, 2)])
def test_a_view_of_more_than_an_array_can_be_is_refused(view):
    with pytest.raises(RuntimeError, match="at most 64 axes, and 2\\*\\*59 cells"):
        view(rf.ones(1))


def _grown(rows, x):
    """The rows of a loop in which their tensor is written to."""
    for row in rows:
        x.add_(1)
        yield row.tolist()


LOOPS = [
    lambda m, x: [(tuple(row.shape), row.stride(), row.storage_offset(), row.tolist()) for row in x],
    lambda m, x: [row.requires_grad for row in x] + [row.grad_fn for row in x.detach()],
    lambda m, x: [*_grown(x.detach(), x.detach())],
    lambda m, x: [(a.add_(b), x.tolist()) and x.tolist() for a, b in zip(x.detach(), x.detach().flip(0))],
    lambda m, x: (len(list(x)), sum(1 for _ in reversed(x.detach())), x.tolist() in [x.tolist()]),
]


@pytest.mark.parametrize("loop", LOOPS)
@pytest.mark.parametrize("make", [
    lambda m: m.arange(4), lambda m: m.arange(12.).view(3, 4).t(), lambda m: m.arange(24).view(2, 3, 4)[:, 1:, ::2],
    lambda m: m.zeros(0, 2), lambda m: m.zeros(3, 0, 2), lambda m: m.arange(5.)[2:] + 0.5])
def test_a_loop_over_a_tensor_gives_what_pytorchs_does(loop, make):
    torch = pytest.importorskip("torch")
    assert loop(rf, make(rf)) == loop(torch, make(torch))


@pytest.mark.parametrize("make, error", [
    (lambda m: m.tensor(3.), TypeError),                                        # nothing to loop over
    (lambda m: m.ones(3, requires_grad=True), None),                            # one node for all
    (lambda m: m.ones(3, requires_grad=True) * 2, None),
])
def test_a_loop_over_a_tracked_tensor_is_one_node(make, error):
    x = make(rf)
    if error is not None:
        with pytest.raises(error, match="iteration over a 0-d tensor"):
            iter(x)
        return
    rows = list(x)
    assert len({id(row.grad_fn) for row in rows}) == 1 and [row.output_nr for row in rows] == [0, 1, 2]
    assert rows[0].grad_fn.name() == "UnbindBackward0"


@pytest.mark.parametrize("at_once", [True, False])
def test_slices_that_are_made_late_are_those_of_the_loops_beginning(at_once):
    w, base = rf.ones(2, requires_grad=True), rf.ones(2, 2)
    rows = iter(base.unbind(0)) if at_once else iter(base)
    base.mul_(w)  # base has a history now, of which the slices know nothing
    with pytest.raises(RuntimeError, match="multiple views and its base .* has been modified inplace"):
        next(rows) * 2
    with rf.no_grad():
        rows = iter(base.detach().unbind(0)) if at_once else iter(base.detach())
    assert "no_grad" in next(rows)._history.creation_meta


VAST = rf.ones(1).expand(2**46)


@pytest.mark.parametrize("call", [
    lambda x, i: x.softmax(0), lambda x, i: x.all(), lambda x, i: x.amax(0), lambda x, i: x.prod(),
    lambda x, i: x.histc(), lambda x, i: x.nonzero(), lambda x, i: x.count_nonzero(), lambda x, i: x.unbind(),
    lambda x, i: list(x), lambda x, i: x.split(1), lambda x, i: x.chunk(2**45), lambda x, i: x.tensor_split(2**45),
    lambda x, i: i.bincount(), lambda x, i: i.sum(), lambda x, i: x.gather(0, i), lambda x, i: x.index_select(0, i),
    lambda x, i: rf.ones(3, 2)[i], lambda x, i: rf.nn.functional.embedding(i, rf.ones(3, 2))])
def test_what_would_read_more_cells_than_memory_holds_is_refused_at_once(call):
    assert VAST.sum() == 2**46 and VAST.mean() == 1  # repeated memory is read once
    with pytest.raises(RuntimeError, match="can't allocate memory"):
        call(VAST, rf.zeros(1, dtype=rf.int64).expand(2**46))
