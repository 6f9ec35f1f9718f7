"""What a figure says that one call computes and hands on is run by PyTorch, letter by letter, for every operation whose
rule is no sentence: it comes to what was computed, in its shape, and to what was handed on."""

import math
import re

import numpy as np
import pytest
import torch

import rustyflow as rf
from rustyflow import ir
from rustyflow.dispatch.operation import OPS
from rustyflow.errors import GradError
from rustyflow.show.words.rule import arrays_of, behind
from tests.show.each_op import CALLS, inputs
from tests.show.test_rules_run import told, worked


def cells(function):
    """Of numbers, too, and of shapes that broadcast."""
    return lambda *sides: function(*torch.broadcast_tensors(*map(torch.as_tensor, sides)))


NAMES = {name: getattr(torch, name) for name in (
    "sum mean prod amax amin var std exp sin cos tan sinh cosh tanh erf softmax inverse det outer diag eye trunc ceil "
    "round asin acos atan asinh acosh atanh log2 log10").split()}  # fmt: skip
NAMES |= {name: cells(getattr(torch, name)) for name in "minimum maximum where sqrt log atan2 floor abs sign".split()}
NAMES |= {"pi": math.pi, "both": cells(torch.logical_and), "either": cells(torch.logical_or), "range": range,
          "len": len, "one_hot": torch.nn.functional.one_hot, "numel": torch.numel,
          "view": lambda x, *size: x.view(*size), "gather": torch.gather, "movedim": torch.movedim,
          "cross": lambda a, b, dim: torch.cross(*torch.broadcast_tensors(a, b), dim)}  # fmt: skip


def run(rule, names):
    """What a rule comes to; None for one that is a sentence."""
    rule, _, known = rule.partition(" with ")
    names = {**NAMES, **names}
    try:
        for definition in re.split(r", (?=\w+ = )", known) if known else ():
            letter, _, made = definition.partition(" = ")
            names[letter] = worked(made, names)
        return worked(rule, names)
    except (SyntaxError, NameError):
        return None


def reduced(found, shape):
    """A gradient in the shape of its operand, which was read there several times."""
    found = found.sum(tuple(range(found.ndim - len(shape)))) if found.ndim > len(shape) else found
    again = tuple(d for d, n in enumerate(shape[len(shape) - found.ndim:]) if n == 1 < found.shape[d])
    return torch.broadcast_to(found.sum(again, True) if again else found, shape)


TRIED = set()


@pytest.mark.parametrize("second", [False, True])
@pytest.mark.parametrize("name", CALLS)
def test_a_rule_runs_as_torch_would_run_it(name, second):
    operands = [x.detach().clone().requires_grad_(x.is_floating_point()) for x in inputs(name, second)]
    try:
        y = CALLS[name][0](*operands)
    except GradError:  # a gradient for the first alone
        operands[1:] = [x.detach() for x in operands[1:]]
        y = CALLS[name][0](*operands)
    if isinstance(y, tuple) or not y.requires_grad:
        return
    graph = ir.graph(y, depth=0)
    nodes = [node for node in graph if node.kind == "op"]
    if len(nodes) > 1 or not (op := OPS.get(nodes[0].rule)):
        return
    node = nodes[0]
    given = {**getattr(node.history, "attrs", {}), **dict(node.attrs)}
    names = {letter: value for letter, value in given.items() if type(value) in (int, float)}
    names |= {letter: torch.tensor(array) for letter, array in arrays_of(graph, node).items() if array is not None}
    rules = {left: told(node, left) for left in ["y", *(f"d{own}" for own in op.operands)]}
    g = rf.linspace(-1, 2, y.numel(), dtype=y.dtype).reshape(y.shape)
    try:
        y.backward(g)
    except RuntimeError:  # a derivative that PyTorch lacks, too
        return
    found = run(rules.pop("y"), names)
    if found is not None:
        found, _ = torch.as_tensor(found), TRIED.add(name)
        assert found.shape == tuple(y.shape) or found.numel() == 1, node.formula  # one number may be filled in
        np.testing.assert_allclose(found.expand(tuple(y.shape)), y.detach(), 1e-4, 1e-5, err_msg=node.formula)
    for own, ref in zip(op.operands, node.operands):
        leaf, rule = behind(graph, ref), rules[f"d{own}"]
        want = [x.grad for x in operands if leaf is not None and x.grad is not None
                and x.shape == leaf.shape and np.array_equal(x.detach(), leaf.out)]  # fmt: skip
        found = run(rule, {**names, "g": torch.tensor(g.numpy())}) if rule and want else None
        if found is not None:
            TRIED.add(f"{name} {own}")
            found = reduced(torch.as_tensor(found), tuple(want[0].shape))
            np.testing.assert_allclose(found, want[0], 1e-4, 1e-5, err_msg=rule)


def test_most_rules_are_no_sentences():
    assert len(TRIED) > 200
