"""The nodes that `dispatch.run` writes out for speed are those that `make_node` makes, field by field."""

import pytest

import rustyflow as rf
from rustyflow.dispatch.operation import OPS
from rustyflow.dispatch.run import apply, apply_view, binary, unary
from rustyflow.tensor.history import KEEP, Meta, Node, View, make_node, small
from rustyflow.tensor.table import fill

fill()
ONE = [it for it in OPS.values() if it.forward and len(it.operands) == 1 and not it.has_attrs and not it.variadic
       and it.differentiable and it.results == ("y",)]
TWO = [it for it in OPS.values() if it.forward and len(it.operands) == 2 and not it.has_attrs and not it.variadic
       and it.differentiable and it.promote and it.results == ("y",) and it.optional == []]
TRACKED = {"both": (True, True), "the first": (True, False), "the second": (False, True)}


def same(quick, plain):
    """Check that two nodes agree in every field; the second was made right after the first."""
    assert type(quick) is type(plain)
    slots = {name for kind in type(quick).__mro__ for name in vars(kind).get("__slots__", ()) if name[:1] != "_"}
    assert slots >= {"parents", "saved", "number", "out"}
    assert vars(quick) == vars(plain) == {}
    assert quick.parents == plain.parents
    assert quick.number < plain.number
    assert len(quick.saved) == len(plain.saved)
    for one, other in zip(quick.saved, plain.saved):
        if one is not other:  # a result, without history
            assert one._history is None is other._history
            assert (one._a.dtype, one.shape, one.stride()) == (other._a.dtype, other.shape, other.stride())
            assert one._a.tobytes() == other._a.tobytes()
    assert type(quick.out) is type(plain.out)
    assert (quick.out.shape, quick.out.dtype) == (plain.out.shape, plain.out.dtype)
    if type(quick.out) is not Meta:
        assert quick.out.strides == plain.out.strides
        assert quick.out.tobytes() == plain.out.tobytes()
    if quick.has_attrs:
        assert quick.attrs == plain.attrs


def floats(shape, tracked=True, by=1.0):
    n = rf.arange(1, 1 + rf.Size(shape).numel(), dtype=rf.float32)
    return ((n / (n.numel() + 1)).view(shape) * by).requires_grad_(tracked)


def test_there_are_quick_ways_for_many_ops():
    assert len(ONE) > 30 and len(TWO) > 12


@pytest.mark.parametrize("n", [2, 9], ids=["kept", "too large to keep"])
@pytest.mark.parametrize("it", ONE, ids=lambda it: it.name)
def test_unary(it, n):
    x = floats((n, n))
    assert (x.numel() > KEEP) == (n == 9)
    same(unary(it)(x).grad_fn, apply(it, x).grad_fn)


@pytest.mark.parametrize("tracked", TRACKED.values(), ids=TRACKED)
@pytest.mark.parametrize("it", TWO, ids=lambda it: it.name)
def test_binary(it, tracked):
    for shape in ((3,), (3, 3), (2, 3, 3)):
        a, b = floats(shape, tracked[0]), floats(shape, tracked[1], by=0.5)
        try:
            quick = binary(it)(a, b)
        except (RuntimeError, ValueError):  # a product of other shapes
            continue
        return same(quick.grad_fn, apply(it, a, b).grad_fn)
    raise AssertionError(f"{it.name} ran with none of the shapes")


def test_of_views():
    x, base = floats((2, 3)), floats((3, 2)).view(2, 3)
    assert type(base._history) is View
    for seen in (x, base, floats((9, 9)).view(9, 9)):
        made = apply_view(rf.transpose.op, seen, dim0=0, dim1=1)._history.node
        parent = seen._history.node if type(seen._history) is View else seen._history
        same(made, make_node(rf.transpose.op.Node, (parent,), (), small(seen._a.T), {"dim0": 0, "dim1": 1}))


def test_an_op_without_attributes_keeps_none():
    node = make_node(rf.mul.op.Node, (None, None), (), small(rf.ones(2)._a), {})
    assert node.attrs is Node.attrs
