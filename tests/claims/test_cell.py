"""The tree of one cell comes to the number that the op computes there, or hands on; its parts multiply out."""

import ast
import zlib
from itertools import combinations, islice
from operator import ge

import numpy as np
import pytest

import rustyflow as rf
import rustyflow.nn.functional  # it brings ops of its own
from rustyflow.claims.cell import Part, cells, in_numbers
from rustyflow.claims.rule import forms_in
from rustyflow.claims.rules import Rules
from rustyflow.claims.tree import Op, floats, leaves, text
from rustyflow.claims.work import evaluate
from rustyflow.ops import OPS
from tests.formulas import calls
from tests.formulas.cases import CASES, operand
from tests.formulas.exceptions import UNTOLD, apart
from tests.formulas.moving import MOVES
from tests.formulas.trial import Trial, array_of, in_float64

FEWEST = 700, 240, 3500
"""So many results and gradients are told at least: of the ops' table, of figures' calls, and of stored ones."""


def worked_out(tree):
    """A tree with those of its parts in their place."""
    if isinstance(tree, Op):
        return Op(tree.how, tuple(map(worked_out, tree.parts)))
    return worked_out(tree.tree) if isinstance(tree, Part) else tree


def sides(trial):
    """Each result and gradient of a call that has a rule: its left side, its numbers, what arrives."""
    for left, y in trial.results.items():
        if left in trial.rules.rules and y is not None:
            parts = [(f"{left}[{k}]", x) for k, x in enumerate(y)] if isinstance(y, list | tuple) else [(left, y)]
            yield from ((name, array_of(x), {}) for name, x in parts)
    for name, _, dx in trial.backward([f"d{name}" for name in trial.names]):
        yield f"d{name}", dx, trial.sent


def hold(trial, *, few=None, compare=True):
    """Compare cells' trees with the op's numbers, and their parts with what NumPy makes of the rule's letters.

    Returns the left sides that are told, and those that are not.
    """
    told, untold = [], []
    for left, want, sent in sides(trial):
        lazy = cells(trial.rules, left, sent)
        (untold if lazy is None else told).append(left)
        if lazy is None:
            continue
        assert lazy.shape == want.shape, left
        of = left.partition("[")[0]
        rule = trial.rules.rules[of if of in trial.results else trial.rules.gradient_of[left[1:]]]
        names, known, arrays = trial.rules.names_for(trial.rules.arrived(sent)), dict(rule.known), {}
        for at in islice(np.ndindex(*want.shape), few) if compare else ():
            tree = lazy.at(at)
            for number in (floats(tree), floats(worked_out(tree))):
                assert same(number, want[at]), f"{left}{at}: {text(tree)} = {number}, not {want[at]}"
            for part in (leaf for leaf in leaves(tree) if isinstance(leaf, Part)):
                letter, _, place = part.name.partition("[")
                if letter not in known:  # a sum within the rule, which has no letter of its own
                    continue
                if letter not in arrays:
                    arrays[letter] = np.asarray(evaluate(known[letter], known, names))
                number = cell_of(arrays[letter], ast.literal_eval(f"({place.rstrip(']')},)") if place else ())
                np.testing.assert_allclose(part.value, number, 1e-9, 1e-12, err_msg=part.name)
    return told, untold


def same(number, want):
    """True if a tree comes to the number of an op; whole numbers wrap around, and all but 0 is True."""
    if want.dtype.kind in "iu":
        return (int(float(number)) - int(want)) % 2 ** (8 * want.dtype.itemsize) == 0
    if want.dtype.kind == "b":
        return bool(number) == bool(want)
    return np.isclose(float(number), float(want), 1e-7, 1e-9, equal_nan=True)


def cell_of(array, place):
    """The number at a place that leaves out some axes of size 1: those that a reduction has taken out."""
    ones = [d for d, n in enumerate(array.shape) if n == 1]
    for out in combinations(ones, array.ndim - len(place)):
        rest = array.reshape([n for d, n in enumerate(array.shape) if d not in out])
        if all(k < n for k, n in zip(place, rest.shape)):
            return rest[place]
    raise AssertionError(f"{place} is no place in {array.shape}")


def untold_of(name):
    return {left for one in UNTOLD if one.op == name for left in one.left.split()}


@pytest.mark.parametrize("name", {**CASES, **MOVES})
def test_a_cells_tree_comes_to_the_ops_number(name):
    random = np.random.default_rng(zlib.crc32(name.encode()))
    operands, settings = {**CASES, **MOVES}[name]
    for attrs in settings:
        trial = Trial(OPS[name], [operand(*how, "dense", random) for how in operands], attrs)
        told, untold = hold(trial)
        assert {*untold} <= untold_of(name) and (told or name == "distinct"), f"{name}: {untold} not told"


def test_nearly_all_are_told_and_the_rest_are_in_one_list():
    untold, counts = {}, []
    for k, source in enumerate((lambda: calls.of_table({**CASES, **MOVES}), calls.of_figures, calls.of_fixture)):
        counts.append(0)
        with in_float64(), np.errstate(all="ignore"):
            for op, operands, attrs, call in source():
                trial = Trial(op, operands, attrs)
                try:
                    told, missing = hold(trial, few=4, compare=k == 1 or not apart(op, trial.arrays.values(), attrs))
                except (np.linalg.LinAlgError, ValueError):  # the rule itself is none in this call
                    assert apart(op, trial.arrays.values(), attrs), call
                    continue
                counts[-1] += len(told)
                untold.setdefault(op.name, set()).update(missing)
    assert {name: left for name, left in untold.items() if left} == {one.op: untold_of(one.op) for one in UNTOLD}
    assert all(one.why for one in UNTOLD) and all(map(ge, counts, FEWEST)), counts


@pytest.mark.parametrize("name", [name for name, op in OPS.items() if forms_in(op.doc)])
def test_the_form_in_which_an_op_works_out_a_rule_is_told_cell_by_cell(name):
    random = np.random.default_rng(zlib.crc32(name.encode()))
    operands, settings = {**CASES, **MOVES}[name]
    for attrs in settings:
        trial = Trial(OPS[name], [operand(*how, "dense", random) for how in operands], attrs)
        for left, _, y in trial.forms():
            form, why = cells(trial.rules, left).form
            assert why.startswith("so that ") and letters(form.told.rule).isdisjoint(letters(trial.rules.rules[left]))
            for at in np.ndindex(*y.shape):
                for tree in (form.at(at), worked_out(form.at(at))):
                    assert same(floats(tree), y[at]), f"{name}{at}: {text(tree)}"


def letters(rule):
    return {letter for letter, _ in rule.known if not letter.endswith("_")} - {"k", "w", "kept", "classes"}


def test_some_ops_work_out_a_rule_in_another_form():
    assert sum(bool(forms_in(op.doc)) for op in OPS.values()) >= 18


@pytest.mark.parametrize("op, x, attrs, at, told, in_form", [
    (rf.softmax, [1000.0, 0.0, 999.0], {"dim": 0}, (0,), "t[0] / total", True),
    (rf.softmax, [[3.0, 1e4], [1.0, 2.0]], {"dim": 1}, (0, 0), "t[0, 0] / total[0]", True),
    (rf.log_softmax, [-2000.0, -2001.0], {"dim": 0}, (1,), "x[1] - m - log(total)", True),
    (rf.logsumexp, [[1.0, 800.0]], {"dim": (1,)}, (0,), "m[0] + log(total[0])", True),
    (rf.nn.functional.logsigmoid, [-1e3, 1.0], {}, (0,), "x[0]", True),
    (rf.softmax, [1.0, -np.inf, 2.0], {"dim": 0}, (1,), "e[1] / s", False),
    (rf.softmax, [700.0, 0.0, 1.0], {"dim": 0}, (1,), "e[1] / s", False),
    (rf.log_softmax, [1.0, 2.0, 3.0], {"dim": 0}, (1,), "x[1] - log(s)", False),
])  # fmt: skip
def test_where_the_rules_numbers_become_infinite_the_form_of_the_op_is_told_at_once(op, x, attrs, at, told, in_form):
    x = rf.tensor(x, dtype=rf.float64)
    y = np.array(op(x, **attrs))
    lazy = cells(Rules(OPS[op.__name__].doc, {"x": np.array(x)}, {"keepdim": False, **attrs}, {"y": y}), "y")
    assert (text(lazy.at(at)), lazy.in_form(at)) == (told, in_form)
    assert floats(worked_out(lazy.at(at))) == pytest.approx(y[at], rel=1e-12)


REASONS = [
    ("relu", {"x": [3.0, -1.0]}, {}, "dx", ["y[0] > 0", "y[1] <= 0"]),
    ("relu", {"x": [0.0, np.nan]}, {}, "dx", ["y[0] <= 0", "y[1] is nan"]),
    ("leaky_relu", {"x": [2.0, -1.0]}, {"slope": 0.1}, "y", ["x[0] > 0", "x[1] <= 0"]),
    ("where", {"condition": [True, False], "a": [1.0, 2.0], "b": [3.0, 4.0]}, {}, "da",
     ["condition[0] is True", "condition[1] is False"]),
    ("fill_mask", {"x": [1.0, 2.0], "mask": [True, False], "value": 5.0}, {}, "dx",
     ["mask[0] is True", "mask[1] is False"]),
    ("hardtanh", {"x": [-2.0, 0.5, 3.0]}, {"low": -1.0, "high": 1.0}, "dx",
     ["x[0] <= -1", "x[1] > -1 and x[1] < 1", "x[2] >= 1"]),
    ("amax", {"x": [3.0, 1.0, 3.0]}, {"dim": (0,), "keepdim": False}, "dx",
     ["x[0] is the largest", "x[1] is not the largest", "x[2] is the largest"]),
    ("min_dim", {"x": [3.0, 1.0]}, {"dim": 0, "keepdim": False}, "dx",
     ["x[0] is not the smallest", "x[1] is the smallest"]),
    ("median_dim", {"x": [3.0, 1.0, 2.0]}, {"dim": 0, "keepdim": False}, "dx",
     ["x[0] is not the middle one", "x[1] is not the middle one", "x[2] is the middle one"]),
    ("median_dim", {"x": [3.0, 1.0, 2.0]}, {"dim": 0, "keepdim": False}, "values", ["x[2] is the middle one"]),
    ("kth_along", {"x": [3.0, 1.0, 2.0]}, {"dim": 0, "k": 3, "keepdim": True}, "indices",
     ["x[0] is number 3 from below"]),
    ("top_along", {"x": [3.0, 1.0, 2.0]}, {"dim": 0, "k": 2, "largest": True}, "dx",
     ["", "x[1] is not one of the 2 largest", ""]),
    ("sort_along", {"x": [3.0, 1.0]}, {"dim": 0, "descending": False}, "values",
     ["x[1] is number 1 in order", "x[0] is number 2 in order"]),
    ("index_select", {"x": [1.0, 2.0, 3.0], "index": [2, 0]}, {"dim": 0}, "dx", ["", "no cell of y reads x[1]", ""]),
    ("narrow", {"x": [1.0, 2.0, 3.0]}, {"dim": 0, "start": 1, "length": 2}, "dx", ["no cell of y reads x[0]", "", ""]),
    ("select", {"x": [1.0, 2.0]}, {"dim": 0, "index": 0}, "dx", ["", "no cell of y reads x[1]"]),
    ("floor", {"x": [1.5, 2.5]}, {}, "dx", ["y does not move with x"] * 2),
    ("sign", {"x": [-1.5]}, {}, "dx", ["y does not move with x"]),
    ("fill", {"x": [1.0], "value": 2.0}, {}, "dx", ["y does not move with x"]),
    ("tril", {"x": [[1.0, 2.0], [3.0, 4.0]]}, {"diagonal": 0}, "y",
     ["column 0 <= row 0", "column 1 > row 0", "column 0 <= row 1", "column 1 <= row 1"]),
    ("exp", {"x": [1.0]}, {}, "dx", [""]),
    ("xlogy", {"a": [2.0], "b": [3.0]}, {}, "da", [""]),
]


@pytest.mark.parametrize("name, operands, attrs, left, reasons", REASONS)
def test_a_cell_says_why_it_is_what_it_is(name, operands, attrs, left, reasons):
    trial = Trial(OPS[name], [rf.tensor(x, dtype=rf.float64 if type(np.ravel(x)[0]) is np.float64 else None)
                              for x in operands.values()], attrs)  # fmt: skip
    lazy = cells(trial.rules, left, trial.sent if left[0] == "d" else {})
    assert [lazy.why(at) for at in np.ndindex(*lazy.shape)] == reasons


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
