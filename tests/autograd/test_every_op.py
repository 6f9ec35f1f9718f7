"""First and second derivatives of every op of the table, in float64, over strided operands."""

import zlib

import numpy as np
import pytest

import rustyflow as rf
from rustyflow.autograd import gradcheck, gradgradcheck
from rustyflow.ops import OPS
from rustyflow.tensor.table import fill
from tests.autograd.programs import UNPROVED, cases
from tests.formulas.cases import operand

fill()

ALL = {name: (program, operands) for name, program, operands in cases()}


def ops_of(y):
    """The names of the ops in the graph behind some results."""
    found, seen = set(), set()
    waiting = [t.grad_fn for t in (y if isinstance(y, (tuple, list)) else [y]) if t.grad_fn is not None]
    while waiting:
        node = waiting.pop()
        if node in seen or not hasattr(node, "op"):
            continue
        seen.add(node)
        found.add(node.op.name)
        waiting += [getattr(parent, "node", parent) for parent in node.parents if parent is not None]
    return found


def leaves(name, layout):
    random = np.random.default_rng(zlib.crc32(f"{name} {layout}".encode()))
    inputs = [operand(*how, layout, random).detach() for how in ALL[name][1]]
    grads = OPS[name].grads if name in OPS and not OPS[name].vjp else inputs
    for x, grad in zip(inputs, grads, strict=False):
        x.requires_grad_(x.is_floating_point() and grad is not None)
    return inputs


@pytest.mark.parametrize("name", ALL)
def test_first_and_second_derivatives(name):
    for layout in ("dense", "transposed", "sliced", "repeated"):
        program, inputs = ALL[name][0], leaves(name, layout)
        assert gradcheck(program, inputs, fast_mode=True), layout
        assert gradgradcheck(program, inputs, fast_mode=True, atol=1e-4), layout


@pytest.mark.parametrize("layout", ["dense", "transposed"])
def test_no_gradient_shares_memory_with_an_operand_or_a_result(layout):
    for name, (program, _) in ALL.items():
        inputs = leaves(name, layout)
        results = program(*inputs)
        results = [y for y in (results if isinstance(results, (tuple, list)) else [results]) if y.requires_grad]
        wanted = [x for x in inputs if x.requires_grad]
        grads = rf.autograd.grad(results, wanted, [rf.ones_like(y) for y in results], allow_unused=True)
        for g in grads:
            assert g is None or not any(np.shares_memory(g.numpy(), x.detach().numpy()) for x in inputs + results), name


def test_every_program_contains_its_op_and_every_op_is_in_a_program():
    for name, (program, _) in ALL.items():
        assert name not in OPS or name in ops_of(program(*leaves(name, "dense"))), name
    tried = {name.partition(" ")[0] for name in ALL}
    assert {name for name, op in OPS.items() if op.differentiable} - tried == set(UNPROVED)


@pytest.mark.parametrize("name", [name for name, why in UNPROVED.items() if "as in PyTorch" in why])
def test_a_derivative_that_pytorch_has_not_is_refused(name):
    x, other = rf.tensor([3.0, 1.0, 2.0], requires_grad=True), rf.tensor([2.0, 2.0, 2.0])
    y = {
        "distinct": lambda: x.unique(),
        "scatter_joined": lambda: x.scatter(0, rf.tensor([0, 0]), other[:2], reduce="add"),
        "floor_divide": lambda: x // other,
        "heaviside": lambda: x.heaviside(other),
    }[name]()
    assert ops_of(y) == {name}
    with pytest.raises(NotImplementedError if name == "distinct" else RuntimeError, match="not implemented"):
        y.sum().backward()
