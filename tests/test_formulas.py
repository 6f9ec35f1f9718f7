"""Each op's first docstring line, `y = ...        da = ...`, is evaluated: `y` against the op's forward, `da` against central
differences of the formula's own `y` under a random upstream gradient, and against the op's backward; in float64, over
strided operands. A gradient is summed over, or repeated along, what its operand's shape asks for.
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


def fitted(value, shape):
    """Summed over axes that were stretched, repeated along those that were reduced."""
    value = np.asarray(value, float)
    while value.ndim > len(shape):
        value = value.sum(0)
    value = value.reshape((1,) * (len(shape) - value.ndim) + value.shape)
    over = tuple(d for d, n in enumerate(shape) if n == 1 and value.shape[d] != 1)
    return np.broadcast_to(value.sum(over, keepdims=True), shape)


def keepdims(value, attrs, ndim):
    """A result with its reduced axes as axes of size 1."""
    if "keepdim" not in attrs or attrs["keepdim"]:
        return value
    dims = range(ndim) if attrs["dim"] is None else attrs["dim"] if isinstance(attrs["dim"], tuple) else (attrs["dim"],)
    return np.expand_dims(value, tuple(dims))


def along(text, size, names):
    """`y[i] = ...`, for every i."""
    return np.array([evaluate(text, {**names, "i": i}) for i in range(size)], float).reshape(size)


def test_every_op_is_checked_or_listed():
    listed = [name for names in LISTED.values() for name in names.split()]
    told = {name for name, op in OPS.items() if op.differentiable}
    assert told - set(listed) == set(CASES) and not set(listed) - told, "give a new op a formula and a line in CASES"
    assert len(listed) == len(set(listed)) <= MOST


def test_every_listed_op_has_a_line_all_the_same():
    for names in LISTED.values():
        for name in names.split():
            assert rules(OPS[name].doc), f"{name}: the first docstring line reads `y = ...        da = ...`"


@pytest.mark.parametrize("layout", ["dense", "transposed", "sliced", "repeated"])
@pytest.mark.parametrize("name", CASES)
def test_the_formula_is_the_forward_and_the_backward(name, layout):
    op = OPS[name]
    formula, definitions = said_of(op.doc)
    formula = {left.partition("[")[0]: right for left, right in formula.items()}
    indexed = "[i]" in op.doc.splitlines()[0]
    operands, settings = CASES[name]
    for attrs in settings:
        random = np.random.default_rng(zlib.crc32(f"{name} {layout}".encode()))
        tensors = [operand(shape, domain, layout, random).detach() for shape, domain in operands]
        floats = [k for k, x in enumerate(tensors) if x.is_floating_point()]
        for k in floats:
            tensors[k].requires_grad_()
        y = apply(op, *tensors, **attrs)
        g = random.uniform(-2, 2, y.shape)
        arrays = {op.operands[k]: x.detach().numpy().copy() for k, x in enumerate(tensors)}
        first = arrays[op.operands[0]]
        names = {
            **FUNCTIONS,
            **attrs,
            "n": first.size // max(y.numel(), 1),
            **SPOKEN.get(name, lambda attrs: {})(attrs),
            **arrays,
        }

        def value(names, formula=formula, size=first.size, indexed=indexed):
            y_ = (
                along(formula["y"], size, names)
                if indexed
                else np.asarray(evaluate(formula["y"], names, definitions), float)
            )
            return y_.reshape(y.shape) if y_.size == y.numel() else np.broadcast_to(y_, y.shape)

        np.testing.assert_allclose(
            y.detach().numpy(), value(names), rtol=1e-9, atol=1e-12, err_msg=f"{name}: y = {formula['y']}"
        )

        y.backward(rf.from_numpy(g))
        result, upstream = keepdims(y.detach().numpy(), attrs, first.ndim), keepdims(g, attrs, first.ndim)
        inside = {**names, "y": result, "g": upstream}
        for left in sorted(
            [left for left in formula if left.startswith("d") and left[1:] in arrays],
            key=lambda left: len(re.findall(r"\bd[a-z]\b", formula[left])),
        ):
            inside[left] = fitted(
                evaluate(formula[left], inside, definitions)
                if not indexed
                else along(formula[left], first.size, inside),
                arrays[left[1:]].shape,
            )
        for k in floats:
            which = op.operands[k]
            if op.grads[k] is None or which in UNSAID.get(name, ()):
                continue
            assert "d" + which in formula, f"{name} has no d{which}"
            moved = np.empty(arrays[which].shape)
            for at in np.ndindex(*moved.shape):
                sides = []
                for step in (STEP, -STEP):
                    other = arrays[which].copy()
                    other[at] += step
                    sides.append(np.sum(value({**names, which: other}) * g))
                moved[at] = (sides[0] - sides[1]) / (2 * STEP)
            said = inside["d" + which]
            np.testing.assert_allclose(
                said,
                moved,
                rtol=2e-6,
                atol=2e-7,
                err_msg=f"{name}: d{which} = {formula['d' + which]}, against differences of its own y",
            )
            np.testing.assert_allclose(
                tensors[k].grad.numpy(),
                said,
                rtol=1e-9,
                atol=1e-11,
                err_msg=f"{name}: the rule in code, against d{which} = {formula['d' + which]}",
            )
