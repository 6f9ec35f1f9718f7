"""Each op's first docstring line, `y = ...        da = ...`, is evaluated: `y` against the op's forward, `da` against
central differences of the formula's own `y` under a random upstream gradient, and against the op's backward.

In float64, over strided operands. A gradient is summed over, or repeated along, what its operand's shape asks for.
"""

import re
import zlib

import numpy as np
import pytest

import rustyflow as rf
import rustyflow.nn.functional  # noqa: F401 - it brings ops of its own
from rustyflow.ir.formula import rules
from rustyflow.ops import OPS, apply
from rustyflow.table import fill
from tests.formulas.cases import CASES, LISTED, MOST, SPOKEN, UNSAID, operand
from tests.formulas.language import FUNCTIONS, evaluate, said_of

fill()

STEP = 1e-6


class Formula:
    """An op's rules, and the names that they may use in one trial."""

    def __init__(self, op, attrs, arrays, shape):
        said, self.definitions = said_of(op.doc)
        self.indexed = "[i]" in op.doc.splitlines()[0]
        self.rules = {left.partition("[")[0]: right for left, right in said.items()}
        self.attrs, self.arrays, self.shape = attrs, arrays, tuple(shape)
        self.first = arrays[op.operands[0]]
        count = self.first.size // max(int(np.prod(shape)), 1)
        self.names = {**FUNCTIONS, **attrs, "n": count, **SPOKEN.get(op.name, lambda attrs: {})(attrs), **arrays}

    def value(self, left, **names):
        """The right side of one rule: `y[i] = ...` for every i."""
        names = {**self.names, **names}
        if self.indexed:
            cells = [evaluate(self.rules[left], {**names, "i": i}) for i in range(self.first.size)]
            return np.array(cells, float).reshape(self.first.size)
        return np.asarray(evaluate(self.rules[left], names, self.definitions), float)

    def forward(self, **names):
        y = self.value("y", **names)
        return y.reshape(self.shape) if y.size == np.prod(self.shape) else np.broadcast_to(y, self.shape)

    def differences(self, which, g):
        """How y, weighted by g, moves with each cell of one operand."""
        moved = np.empty(self.arrays[which].shape)
        for at in np.ndindex(*moved.shape):
            sides = []
            for step in (STEP, -STEP):
                cells = self.arrays[which].copy()
                cells[at] += step
                sides.append(np.sum(self.forward(**{which: cells}) * g))
            moved[at] = (sides[0] - sides[1]) / (2 * STEP)
        return moved

    def gradients(self, y, g):
        """Every `da = ...`; one that reads another comes after it."""
        said = [left for left in self.rules if left[0] == "d" and left[1:] in self.arrays]
        found = {}
        for left in sorted(said, key=lambda left: len(re.findall(r"\bd[a-z]\b", self.rules[left]))):
            value = self.value(left, y=self.kept(y), g=self.kept(g), **found)
            found[left] = fitted(value, self.arrays[left[1:]].shape)
        return found

    def kept(self, value):
        """A result with its reduced axes as axes of size 1."""
        if self.attrs.get("keepdim", True):
            return value
        dim = self.attrs["dim"]
        return np.expand_dims(value, tuple(range(self.first.ndim)) if dim is None else dim)


def fitted(value, shape):
    """Summed over axes that were stretched, repeated along those that were reduced."""
    while value.ndim > len(shape):
        value = value.sum(0)
    value = value.reshape((1,) * (len(shape) - value.ndim) + value.shape)
    over = tuple(d for d, n in enumerate(shape) if n == 1 and value.shape[d] != 1)
    return np.broadcast_to(value.sum(over, keepdims=True), shape)


@pytest.mark.parametrize("layout", ["dense", "transposed", "sliced", "repeated"])
@pytest.mark.parametrize("name", CASES)
def test_the_formula_is_the_forward_and_the_backward(name, layout):
    op, (operands, settings) = OPS[name], CASES[name]
    for attrs in settings:
        random = np.random.default_rng(zlib.crc32(f"{name} {layout}".encode()))
        tensors = {key: operand(*how, layout, random).detach() for key, how in zip(op.operands, operands, strict=True)}
        arrays = {key: x.numpy().copy() for key, x in tensors.items()}
        floats = [key for key, x in tensors.items() if x.is_floating_point()]
        for key in floats:
            tensors[key].requires_grad_()
        y = apply(op, *tensors.values(), **attrs)
        formula, forward = Formula(op, attrs, arrays, y.shape), y.detach().numpy()
        says = f"{name}: y = {formula.rules['y']}"
        np.testing.assert_allclose(forward, formula.forward(), rtol=1e-9, atol=1e-12, err_msg=says)

        g = random.uniform(-2, 2, y.shape)
        y.backward(rf.from_numpy(g))
        said = formula.gradients(forward, g)
        for key in floats:
            if op.grads[op.operands.index(key)] is None or key in UNSAID.get(name, ()):
                continue
            assert "d" + key in said, f"{name}: there is no d{key} = ..."
            says = f"{name}: d{key} = {formula.rules['d' + key]}"
            moved, coded = formula.differences(key, g), tensors[key].grad.numpy()
            np.testing.assert_allclose(said["d" + key], moved, 2e-6, 2e-7, err_msg=says + ", against differences of y")
            np.testing.assert_allclose(coded, said["d" + key], 1e-9, 1e-11, err_msg="the rule in code, against " + says)


def test_every_op_is_checked_or_listed():
    listed = [name for names in LISTED.values() for name in names.split()]
    told = {name for name, op in OPS.items() if op.differentiable}
    assert told - set(listed) == set(CASES) and not set(listed) - told, "give a new op a formula and a line in CASES"
    assert len(listed) == len(set(listed)) <= MOST


def test_every_listed_op_has_a_line_all_the_same():
    for names in LISTED.values():
        for name in names.split():
            assert rules(OPS[name].doc), f"{name}: the first docstring line reads `y = ...        da = ...`"


def test_a_wrong_formula_is_found(monkeypatch):
    wrong = {
        "mul": "y = a * b        da = g * a        db = g * b",
        "sum": "y = sum(x, dim, keepdim) / 2        dx = g / 2, repeated along dim",
        "relu": "y = maximum(x, 0)        dx = g",
    }
    for name, doc in wrong.items():
        monkeypatch.setattr(OPS[name], "doc", doc)
        with pytest.raises(AssertionError, match=name):
            test_the_formula_is_the_forward_and_the_backward(name, "dense")
