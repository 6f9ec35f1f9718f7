"""The tree of one cell comes to the number that the op computes there, or hands on; its parts multiply out."""

import ast
import zlib
from itertools import combinations

import numpy as np
import pytest

import rustyflow as rf
import rustyflow.nn.functional  # it brings ops of its own
from rustyflow.claims.cell import Part, cells, in_numbers
from rustyflow.claims.rules import Rules
from rustyflow.claims.tree import Op, floats, leaves, text
from rustyflow.claims.work import evaluate
from rustyflow.ops import OPS
from tests.formulas import calls
from tests.formulas.cases import CASES, operand
from tests.formulas.moving import MOVES
from tests.formulas.trial import Trial, in_float64

UNTOLD = {
    "results of a whole matrix": "invert det cholesky_factor eigen svd",
    "results that are lists": "unbind split_equal split_with_sizes",
    "joins of any number of cells": "scatter_reduced scatter_joined",
    "counts": "distinct",
}
"""The ops some of whose cells are not told one by one."""


def worked_out(tree):
    """A tree with those of its parts in their place."""
    if isinstance(tree, Op):
        return Op(tree.how, tuple(map(worked_out, tree.parts)))
    return worked_out(tree.tree) if isinstance(tree, Part) else tree


def sides(trial):
    """Each result and gradient of a call that has a rule: its left side, its numbers, what arrives."""
    for left, y in trial.results.items():
        if left in trial.rules.rules:
            yield left, y if isinstance(y, list | tuple) else np.array(y.detach().numpy()), {}
    for name, _, dx in trial.backward():
        yield f"d{name}", dx, trial.sent


def hold(trial):
    """Compare every cell's tree with the op's number, and its parts with what NumPy makes of the rule's letters; return
    the left sides that are told, and those that are not."""
    told, untold = [], []
    for left, want, sent in sides(trial):
        lazy = cells(trial.rules, left, sent) if isinstance(want, np.ndarray) else None
        (untold if lazy is None else told).append(left)
        if lazy is None:
            continue
        assert lazy.shape == want.shape, left
        rule = trial.rules.rules[left if left in trial.rules.results else trial.rules.gradient_of[left[1:]]]
        names, known, arrays = trial.rules.names_for(trial.rules.arrived(sent)), dict(rule.known), {}
        for at in np.ndindex(*want.shape):
            tree = lazy.at(at)
            np.testing.assert_allclose(float(floats(tree)), want[at], 1e-7, 1e-9, err_msg=f"{left}{at}: {text(tree)}")
            np.testing.assert_allclose(float(floats(worked_out(tree))), want[at], 1e-7, 1e-9, err_msg=f"{left}{at}")
            for part in (leaf for leaf in leaves(tree) if isinstance(leaf, Part)):
                letter, _, place = part.name.partition("[")
                if letter not in known:  # a sum within the rule, which has no letter of its own
                    continue
                if letter not in arrays:
                    arrays[letter] = np.asarray(evaluate(known[letter], known, names))
                number = cell_of(arrays[letter], ast.literal_eval(f"({place.rstrip(']')},)") if place else ())
                np.testing.assert_allclose(part.value, number, 1e-9, 1e-12, err_msg=part.name)
    return told, untold


def cell_of(array, place):
    """The number at a place that leaves out some axes of size 1: those that a reduction has taken out."""
    ones = [d for d, n in enumerate(array.shape) if n == 1]
    for out in combinations(ones, array.ndim - len(place)):
        rest = array.reshape([n for d, n in enumerate(array.shape) if d not in out])
        if all(k < n for k, n in zip(place, rest.shape)):
            return rest[place]
    raise AssertionError(f"{place} is no place in {array.shape}")


@pytest.mark.parametrize("name", {**CASES, **MOVES})
def test_a_cells_tree_comes_to_the_ops_number(name):
    random = np.random.default_rng(zlib.crc32(name.encode()))
    operands, settings = {**CASES, **MOVES}[name]
    for attrs in settings:
        trial = Trial(OPS[name], [operand(*how, "dense", random) for how in operands], attrs)
        told, untold = hold(trial)
        apart = any(name in ops.split() for ops in UNTOLD.values()) or untold == ["indices"]
        assert not untold or apart, f"{name}: {untold} not told"
        assert told or apart, name


def test_the_calls_of_figures_are_told():
    with in_float64():
        for op, operands, attrs, call in calls.of_figures():
            told, untold = hold(Trial(op, operands, attrs))
            assert told and not {*untold} - {"indices"}, f"{op.name} in {call}: {untold}"


@pytest.mark.parametrize("doc, arrays, attrs, left, at, levels", [
    (rf.softmax.__doc__, {"x": [[0.0, 1.0]]}, {"dim": 1}, "y", (0, 1),
     ["e[0, 1] / s[0]", "e[0, 0] + e[0, 1]", "exp(x[0, 0])"]),
    (rf.softmax.__doc__, {"x": [[0.0, 1.0]]}, {"dim": 1}, "dx", (0, 0),
     ["y[0, 0]·(g[0, 0] - total[0])", "g[0, 0]·y[0, 0] + g[0, 1]·y[0, 1]"]),
    (OPS["standardize"].doc, {"x": [[0.0, 1.0]], "weight": None, "bias": None},
     {"dims": (1,), "affine": (2,), "inner": (1, 2), "eps": 0.0}, "y", (0, 1),
     ["xhat[0, 1]", "(x[0, 1] - mean[0]) / root[0]", "(x[0, 0] + x[0, 1]) / 2"]),
])  # fmt: skip
def test_a_rules_parts_are_asked_for_level_by_level(doc, arrays, attrs, left, at, levels):
    arrays = {name: x and np.array(x) for name, x in arrays.items()}
    rules = Rules(doc, arrays, attrs, {"y": arrays["x"]})
    tree = cells(rules, left, {"y": np.array([[2.0, 3.0]])}).at(at)
    lines = []
    while tree is not None:
        lines.append(text(tree))
        below = [leaf for leaf in leaves(tree) if isinstance(leaf, Part)]
        tree = next((part.tree for part in below if part.name[0] in "sta"), below[0].tree if below else None)
    assert lines[: len(levels)] == levels


def test_only_the_cell_that_is_asked_for_is_worked_out():
    random = np.random.default_rng(0)
    a, b = random.random((400, 300)), random.random((300, 200))
    tree = cells(Rules(rf.mm.__doc__, {"a": a, "b": b}, {}, {"y": a @ b}), "y").at((3, 5))
    assert {leaf.name.partition("[")[2] for leaf in leaves(tree)} == {f"3, {k}]" for k in range(300)} | {
        f"{k}, 5]" for k in range(300)}  # fmt: skip
    assert floats(tree) == pytest.approx(a[3] @ b[:, 5])


def test_what_is_moved_is_worked_out_no_earlier(monkeypatch):
    """A transposed, indexed or reshaped part, too."""
    asked = []
    monkeypatch.setattr("rustyflow.claims.cell.floats", lambda tree: asked.append(tree) or floats(tree))
    x = np.random.default_rng(0).random((20, 30))
    rules = Rules("y = reshape(e.T, 600) + e[:, 1:].mT[2, 3] with e = exp(x)", {"x": x}, {}, {"y": x.ravel()})
    assert text(cells(rules, "y").at((41,))) == "e[1, 2] + e[3, 3]"
    assert len(asked) <= 5  # of this cell, and of the first one, at which the rule is tried


def test_letters_have_the_names_that_are_given():
    x = np.array([0.0, 1.0])
    y = cells(Rules(rf.softmax.__doc__, {"x": x}, {"dim": 0}, {"y": x}), "y", names={"x": "h", "s": "softmax.s"})
    part = [*leaves(y.at((1,)))][1]
    assert (text(y.at((1,))), text(part.tree)) == ("e[1] / softmax.s", "e[0] + e[1]")
    assert text(in_numbers(part.tree)) == "1 + 2.72"


@pytest.mark.parametrize("x", [np.float64(2.0), [np.nan, 1.0], np.zeros((0, 2)), np.zeros((2, 0)), [np.inf, -np.inf]])
@pytest.mark.parametrize("op", [rf.softmax, rf.sum, rf.cumsum, rf.flip, rf.exp, rf.log_softmax])
def test_numbers_that_are_none_and_axes_that_have_no_cells_are_no_hindrance(op, x):
    if op in (rf.softmax, rf.log_softmax) and np.isinf(x).any():  # of which the rule is none: exp(inf) / exp(inf)
        x = np.array([1e300, -np.inf]) / 1e298
    x = rf.from_numpy(np.array(x))
    rank = {rf.flip: {"dims": (0,)}, rf.exp: {}}.get(op, {"dim": 0}) if x.dim() or op is not rf.flip else {"dims": ()}
    y = op(x, **rank)
    attrs = {**rank, **({"keepdim": False, } if op is rf.sum else {})}
    rules = Rules(op.__doc__, {"x": np.array(x)}, attrs, {"y": np.array(y)})
    lazy = cells(rules, "y")
    assert lazy.shape == y.shape
    for at in np.ndindex(*y.shape):
        number = floats(lazy.at(at))
        assert number == pytest.approx(np.array(y)[at], nan_ok=True) or np.isnan(number)


@pytest.mark.parametrize("rule", ["y = x.__class__", "y = x * 9 ** 9 ** 9", "y = x.tofile(1)"])
def test_a_rule_that_is_no_arithmetic_is_not_run(rule):
    x = np.ones(2)
    assert cells(Rules(rule, {"x": x}, {}, {"y": x}), "y") is None


def test_a_function_that_is_neither_reckoned_nor_moves_is_not_told():
    doc = "y = singular_values(x)        dx = eigenvalues(g, 'L')"
    x = np.array([[2.0, 1.0], [1.0, 3.0]])
    rules = Rules(doc, {"x": x}, {}, {"y": x})
    assert cells(rules, "y") is None and cells(rules, "dx", {"y": x}) is None
