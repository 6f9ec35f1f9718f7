"""Each op's formula, the first paragraph of its docstring, is evaluated: `y` against the op's forward, `da` against
central differences of the formula's own `y` under a random upstream gradient, and against the op's backward.

In float64, over strided operands. A gradient is summed over, or repeated along, what its operand's shape asks for.
"""

import ast
import re
import zlib

import numpy as np
import pytest

import rustyflow as rf
import rustyflow.nn.functional  # it brings ops of its own
from rustyflow.claims.rule import rules_in
from rustyflow.claims.say import say_rule
from rustyflow.claims.work import Rules
from rustyflow.dispatch.operation import Op
from rustyflow.dispatch.run import apply_view
from rustyflow.ir.formula import rules
from rustyflow.ops import OPS, apply
from rustyflow.ops.views.split import apply_views
from rustyflow.tensor.table import fill
from tests.formulas.cases import CASES, LISTED, MOST, SPOKEN, TOGETHER, UNSAID, operand
from tests.formulas.moving import MOVES, PARTS

fill()

STEP = 1e-6
ALL = {**CASES, **MOVES}


class Formula(Rules):
    """An op's rules for one trial."""

    def __init__(self, op, attrs, arrays, shape, **results):
        self.variadic, self.parts = op.variadic, op.results if op.name in TOGETHER else ()
        whole = {"n": next(iter(arrays.values())).size * len(self.parts) // int(np.prod(shape))} if self.parts else {}
        spoken = SPOKEN.get(op.name, lambda attrs: {})(attrs)
        absent = [own for own in op.operands if own not in arrays and not op.variadic]
        super().__init__(op.doc, arrays, {**attrs, **whole, **spoken}, shape, absent, **results)
        if "y" not in self.rules and not self.parts:
            self.rules["y"] = self.rules[op.results[0]]

    def forward(self, **names):
        """y, cell after cell; of several results, one after the other."""
        parts = [self.value(part, **names) for part in self.parts or ("y",)]
        parts = parts[0] if type(parts[0]) is list else parts
        y = np.concatenate([np.ravel(part) for part in parts]) if len(parts) > 1 else np.asarray(parts[0], float)
        return y.reshape(self.shape) if y.size == np.prod(self.shape) else np.broadcast_to(y, self.shape)

    def differences(self, which, g):
        """How y, weighted by g, moves with each cell of one operand."""
        moved = np.empty(self.operands[which].shape)
        for at in np.ndindex(*moved.shape):
            sides = []
            for step in (STEP, -STEP):
                cells = self.operands[which].copy()
                cells[at] += step
                sides.append(np.sum(self.forward(**{which: cells}) * g))
            moved[at] = (sides[0] - sides[1]) / (2 * STEP)
        return moved

    def gradients(self, y, g):
        """Every `da = ...`; one that reads another comes after it."""
        if self.variadic:  # one rule for all
            each = enumerate(self.operands)
            return {f"d{key}": self.value("dx", k=k, **self.arrived(g)) for k, key in each}
        said = [left for left in self.rules if left[0] == "d" and left[1:] in self.operands]
        found = {}
        for left in sorted(said, key=lambda left: len(re.findall(r"\bd[a-z]\b", ast.unparse(self.rules[left].tree)))):
            result = {} if self.parts else {"y": self.kept(y)}
            value = self.value(left, **self.arrived(self.kept(g)), **found, **result)
            found[left] = fitted(np.asarray(value, float), self.operands[left[1:]].shape)
        return found

    def arrived(self, g):
        """The upstream gradient: dy, and g unless that is an operand's name; gw and gv of results w and v."""
        if self.parts:
            return {part: self.value(part) for part in self.parts} | {f"g{p}": x for p, x in zip(self.parts, g)}
        return {"dy": g} if "g" in self.operands else {"dy": g, "g": g}

    def kept(self, value):
        """A result with its reduced axes as axes of size 1."""
        if self.attrs.get("keepdim", True):
            return value
        if type(value) is list:
            return [self.kept(part) for part in value]
        dim = self.attrs["dim"]
        return np.expand_dims(value, tuple(range(self.operands[self.first].ndim)) if dim is None else dim)


def fitted(value, shape):
    """Summed over axes that were stretched, repeated along those that were reduced."""
    while value.ndim > len(shape):
        value = value.sum(0)
    value = value.reshape((1,) * (len(shape) - value.ndim) + value.shape)
    over = tuple(d for d, n in enumerate(shape) if n == 1 and value.shape[d] != 1)
    return np.broadcast_to(value.sum(over, keepdims=True), shape)


def results(op, tensors, attrs):
    """The results that the formula is about: the first of several names, or all that go by one or come together."""
    run = apply_views if op.name in PARTS else apply_view if op.layout else apply
    y = run(op, *tensors, *[None] * (len(op.operands or tensors) - len(tensors)), **attrs)
    return [y] if not isinstance(y, tuple) else list(y) if len(op.results) == 1 or op.name in TOGETHER else [y[0]]


def places(op, parts, tensors, attrs):
    """Where the values of an op with two results stand, which its gradient reads, with the axes that were reduced."""
    if "indices" not in op.results:
        return {}
    indices = apply(op, *tensors.values(), **attrs)[1].numpy()
    return {"indices": indices if attrs.get("keepdim", True) else np.expand_dims(indices, attrs["dim"])}


@pytest.mark.parametrize("layout", ["dense", "transposed", "sliced", "repeated"])
@pytest.mark.parametrize("name", ALL)
def test_the_formula_is_the_forward_and_the_backward(name, layout):
    op, (operands, settings) = OPS[name], ALL[name]
    for attrs in settings:
        random = np.random.default_rng(zlib.crc32(f"{name} {layout}".encode()))
        named = op.operands or [f"tensors[{k}]" for k in range(len(operands))]
        given = named[: len(operands)] if op.optional else named
        tensors = {key: operand(*how, layout, random).detach() for key, how in zip(given, operands, strict=True)}
        arrays = {key: x.numpy().copy() for key, x in tensors.items()}
        floats = [key for key, x in tensors.items() if x.is_floating_point()]
        for key in floats:
            tensors[key].requires_grad_()
        parts = results(op, list(tensors.values()), attrs)
        shape = parts[0].shape if len(parts) == 1 else (sum(part.numel() for part in parts),)
        formula = Formula(op, attrs, arrays, shape, **places(op, parts, tensors, attrs))
        forward = np.concatenate([part.detach().numpy().ravel() for part in parts]).reshape(tuple(shape))
        says = f"{name}: {say_rule(rules_in(op.doc)[0])}"
        np.testing.assert_allclose(forward, formula.forward(), rtol=1e-9, atol=1e-12, err_msg=says)

        sent = [random.uniform(-2, 2, part.shape) for part in parts]
        rf.autograd.backward(parts, [rf.from_numpy(np.array(g)) for g in sent])
        g = np.concatenate([np.ravel(g) for g in sent]).reshape(tuple(shape))
        said = formula.gradients(forward, g if len(parts) == 1 else sent)
        for key in floats:
            if not (op.vjp or op.grads[named.index(key)]) or key in UNSAID.get(name, ()):
                continue
            assert "d" + key in said, f"{name}: there is no d{key} = ..."
            says = f"{name}: {say_rule(formula.rules.get('d' + key, formula.rules.get('dx')))}"
            moved, coded = formula.differences(key, g), tensors[key].grad.numpy()
            np.testing.assert_allclose(said["d" + key], moved, 2e-6, 2e-7, err_msg=says + ", against differences of y")
            np.testing.assert_allclose(coded, said["d" + key], 1e-9, 1e-11, err_msg="the rule in code, against " + says)


def test_every_op_is_checked_or_listed():
    listed = [name for names in LISTED.values() for name in names.split()]
    told = {name for name, op in OPS.items() if op.differentiable and "no gradient is defined" not in op.doc}
    assert told - set(listed) == set(ALL), "give a new op a formula and a line in CASES or MOVES"
    assert not set(listed) - told
    assert len(listed) == len(set(listed)) <= MOST


def test_every_listed_op_has_a_line_all_the_same():
    for names in LISTED.values():
        for name in names.split():
            assert rules(OPS[name].doc), f"{name}: the docstring begins with `y = ...        da = ...`"


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
        "standardize": OPS["standardize"].doc.replace("xhat * mean(gw * xhat, over, True)", "xhat"),
    }
    for name, doc in wrong.items():
        monkeypatch.setattr(OPS[name], "doc", doc)
        with pytest.raises(AssertionError, match=name):
            test_the_formula_is_the_forward_and_the_backward(name, "dense")


@pytest.mark.parametrize("slip", [{"grad_bb": lambda F, g, a: g * a}, {"elementwize": True}])
def test_an_op_that_says_what_no_op_says_is_refused(slip):
    with pytest.raises(TypeError, match=f"says {next(iter(slip))}, which no op does; its operands are a, b"):
        Op(type("times", (), {"forward": lambda F, a, b: a * b, **slip}))
