"""The docstring of a reader's own op is text: figures say it as it is, and evaluate nothing but arithmetic."""

import subprocess
import sys

import numpy as np
import pytest

from rustyflow.claims.rule import rules_in
from rustyflow.claims.say import spoken
from rustyflow.claims.work import worked_out

DEEP, HIGH = "-" * 5000 + "x", "0x" + "f" * 5000

SAID = {
    # functions that have a phrase, called as nobody of ours calls them
    "y = flip(x)": "y = flip(x)",
    "y = top(x, k)": "y = top(x, k)",
    "y = roll(shifts=1, x=x)": "y = roll(shifts=1, x=x)",
    "y = f(*k, **w)": "y = f(*k, **w)",
    # arguments of other types than ours
    "y = tile(x, 2)": "y = x laid side by side, 2 times along its axis",
    "y = tile(x, -n)": "y = x laid side by side, -n[d] times along each axis",
    "y = stretch_means(x, 3)": "y = the means over 3 stretches of the last axes",
    "y = in_order(x, 0, 'a')": "y = x in falling order along dim 0, and where it was",
    # no arguments
    "y = sum()": "y = sum()",
    "y = exp()": "y = exp()",
    "y = maximum()": "y = maximum()",
    # sums and comparisons of other kinds
    "y = sum(x for x in y)": "y = sum((x for x in y))",
    "y = a is b": "y = a is b",
    "y = a if a not in b else 0": "y = a where a not in b, else 0",
    # no Python, or none that Python can read
    "y = the same, in words": "y = the same, in words",
    "y = x[": "y = x[",
    "y = x\0": "y = x\0",
    f"y = {DEEP}": f"y = {DEEP}",
    f"y = {HIGH}": f"y = {HIGH}",
}


@pytest.mark.parametrize("doc", SAID, ids=lambda doc: doc[:24].replace("\0", "0"))
def test_any_docstring_is_said(doc):
    assert spoken(doc) == SAID[doc]
    for given, absent in (({"k": 1, "reduction": "sum", "dim": None}, ["a"]), ({"x": 2}, ["x", "y"])):
        assert isinstance(spoken(doc, given, absent), str)


def defined(rule, names):
    """What a rule comes to; None where it is no arithmetic."""
    try:
        return worked_out(rules_in(f"y = {rule}")[0], names)
    except SyntaxError:
        return None


REACHING = [
    "x.__class__", "().__class__.__base__.__subclasses__()", "sum.__globals__", "(lambda: 1)()", "x.sum()",
    "[k for k in range(9)]", "f'{x}'", "9 ** 9 ** 9", "x ** (999 * 999 * 999)", "((x ** 999) ** 999) ** 999",
    "10000000 ** x", "1 << 100000000", "__import__('os').getcwd()", "(s := 3)",
    "open('y')", "np.save('y', x)", "(lambda: x)()", "x.view.__self__", "x.tofile('y')", "eye(100000)", "exp.reduce(x)",
    "'%999999999d' % 1", "'a' * 999999999", "eye(N=100000)", "log(x, x)", "exp(x, out=x)", "7 // 0", "foo() == 1",
    "x if ().__class__.__base__.__subclasses__() == 0 else 0", "x if 9 ** 9 ** 7 == 0 else 0",
]  # fmt: skip


@pytest.mark.parametrize("rule", REACHING)
def test_what_is_no_arithmetic_is_not_worked_out(rule):
    assert defined(rule, {"x": np.array(9.0)}) is None
    assert defined(f"x + s with s = {rule}", {"x": 9}) is None


CALLED = "open('y') == 0", "().__class__ == 0", "9 ** 9 ** 7 == 0", "len(x) == 0", "7 // 0 == 0", "rank == open('y')"


@pytest.mark.parametrize("test", CALLED)
def test_no_test_of_a_readers_rule_is_called_when_it_is_bound(test):
    assert spoken(f"y = x if {test} else 0", {"rank": 1, "reduction": "sum"}) == spoken(f"y = x if {test} else 0")


@pytest.mark.parametrize("rule, value", [
    ("g * x.T @ g", 108), ("x * 5000 - 2 ** x", 14992),
    ("sum(abs(x) ** p) ** (1 / p)", 3), ("maximum(x, 0) / s with s = x ** (p - 1)", 1),
])  # fmt: skip
def test_arithmetic_is(rule, value):
    names = {"x": np.array([[3.0]]), "g": np.array([[6.0]]), "p": 2}
    assert np.allclose(defined(rule, names), value)


OWN = """
import rustyflow as rf
from rustyflow.dispatch import op

class readers_own:
    def forward(F, x): return x * 2
    def grad_x(F, g): return g * 2

readers_own.__doc__ = "y = x * sum.__globals__['np'].save('y', 2)        dx = g * sum.__globals__['np'].save('dx', 2)"
op(readers_own)
x = rf.tensor([1.0, 2.0], requires_grad=True)
print(rf.show.backward(rf.readers_own(x).sum()).text(), rf.show.op("readers_own", x).text())

class readers_pair:
    def forward(F, a, b): return a * b
    def grad_a(F, g, b): return g * b

class readers_sum:
    def forward(F, x): return F.sum(x, None, False)
    def grad_x(F, g, x): return x * 0 + g

for own in (readers_pair, readers_sum):
    own.__doc__ = readers_own.__doc__.replace("dx", "da") if own is readers_pair else readers_own.__doc__
    op(own)
print(rf.show.broadcast(x, x.detach(), op="readers_pair").text(), rf.show.reduce(x, "readers_sum").text())
"""


def test_a_figure_of_a_readers_op_runs_nothing_of_its_docstring(tmp_path):
    ran = subprocess.run([sys.executable, "-c", OWN], cwd=tmp_path, capture_output=True, text=True)
    assert "x.grad = [2, 2]" in ran.stdout and not ran.stderr
    assert "readers_pair(x, a)[1] = readers_pair(x[1], a[1]) = 4." in ran.stdout
    assert not [*tmp_path.iterdir()]
