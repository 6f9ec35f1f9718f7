"""Each op's formula, the first paragraph of its docstring, is evaluated: `y` against the op's forward, `da` against
central differences of `y` under a random upstream gradient, and against the op's backward.

In float64, over strided operands. A gradient is summed over, or repeated along, what its operand's shape asks for.
"""

import zlib

import numpy as np
import pytest

import rustyflow as rf
import rustyflow.nn.functional  # it brings ops of its own
from rustyflow.claims.say import say_rule
from rustyflow.dispatch.operation import Op
from rustyflow.ops import OPS
from tests.each import each
from tests.formulas.cases import CASES, POSITIVE, SYMMETRIC, operand
from tests.formulas.exceptions import APART
from tests.formulas.moving import MOVES
from tests.formulas.trial import Trial, agree, array_of, listed

STEP = 1e-6
ALL = {**CASES, **MOVES}


def results_at(trial, **cells):
    """The results by their rules with other cells of an operand; by the op where a property is all that is said."""
    if trial.rules.proved:
        moved = {name: rf.from_numpy(cells[name]) if name in cells else x for name, x in trial.tensors.items()}
        return {name: array_of(y) for name, y in trial.run(moved).items()}
    return {name: trial.rules.value(name, **cells) for name in trial.sent}


def differences(trial, which, mirrored):
    """How the results, weighted by what arrives there, move with each cell of one operand, or with it and its mirror
    image."""
    x, moved = trial.arrays[which], np.empty(trial.arrays[which].shape)
    for at in np.ndindex(*moved.shape):
        step, sides = np.zeros(moved.shape), []
        step[at] = STEP
        for sign in (1, -1):
            y = results_at(trial, **{which: x + sign * ((step + step.mT) / 2 if mirrored else step)})
            pairs = [pair for name, g in trial.sent.items() for pair in zip(listed(y[name]), listed(g))]
            sides.append(sum(np.sum(fitting(part, g.shape) * g) for part, g in pairs))
        moved[at] = (sides[0] - sides[1]) / (2 * STEP)
    return moved


def fitting(y, shape):
    y = np.asarray(y)
    return y.reshape(shape) if y.size == np.prod(shape) else np.broadcast_to(y, shape)


@pytest.mark.parametrize("name", ALL)
@each("layout", ["dense", "transposed", "sliced", "repeated"])
def test_the_formula_is_the_forward_and_the_backward(name, layout):
    tried(name, layout)


def tried(name, layout):
    op, (operands, settings) = OPS[name], ALL[name]
    mirrored = any(domain in (SYMMETRIC, POSITIVE) for _, domain in operands)
    for attrs in settings:
        random = np.random.default_rng(zlib.crc32(f"{name} {layout}".encode()))
        trial = Trial(op, [operand(*how, layout, random) for how in operands], attrs)
        for left, worked, y in trial.rules.forward():
            agree(worked, y, f"{name}: {left}", 1e-9, 1e-12)
        for key, worked, dx in trial.backward():
            of = f"{name}: {say_rule(trial.rules.rules[trial.rules.gradient_of[key]])}"
            agree(worked, differences(trial, key, mirrored), of + ", against differences of y", 2e-6, 2e-7)
            agree(worked, dx, "the rule in code, against " + of)


def test_every_op_is_tried():
    told = {name for name, op in OPS.items() if op.differentiable and "no gradient is defined" not in op.doc}
    apart = {one.op for one in APART if one.op not in ALL} | {"as_strided"}  # of which the operand's own layout decides
    assert told - apart == set(ALL) - {"dots"}, "give a new op a formula and a line in CASES or MOVES"


def test_a_wrong_formula_is_found(monkeypatch):
    wrong = {
        "mul": "y = a * b        da = g * a        db = g * b",
        "sum": "y = sum(x, dim, keepdim) / 2        dx = along(g / 2, dim)",
        "relu": "y = maximum(x, 0)        dx = g",
        "flip": "y = flip(x, dims)        dx = g",
        "index_copy": "y = index_copy(x, dim, index, source)        dx = g        dsource = slices_at(g, dim, index)",
        "scatter_value": "y = scatter(x, dim, index, 0)        dx = scatter(g, dim, index, 0)",
        "max_dim": "values, indices = smallest(x, dim)        dx = at_indices(g, indices, dim, x.shape)",
        "stack": "y = stack(tensors, dim)        dx = select(g, dim, 0)",
        "standardize": OPS["standardize"].doc.replace("mean(gw * xhat, over, True)", "mean(gw, over, True)"),
    }
    for name, doc in wrong.items():
        monkeypatch.setattr(OPS[name], "doc", doc)
        with pytest.raises(AssertionError, match=name):
            tried(name, "dense")


@pytest.mark.parametrize("slip", [{"grad_bb": lambda F, g, a: g * a}, {"elementwize": True}])
def test_an_op_that_says_what_no_op_says_is_refused(slip):
    with pytest.raises(TypeError, match=f"says {next(iter(slip))}, which no op does; its operands are a, b"):
        Op(type("times", (), {"forward": lambda F, a, b: a * b, **slip}))
