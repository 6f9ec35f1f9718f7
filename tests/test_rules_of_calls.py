"""Every rule of every op is worked out on the calls that are compared with PyTorch, on those that figures are tested on
and on the ops' own table, forward and backward, bound as a figure binds it; those apart are named in one list."""

from collections import Counter

import pytest

import rustyflow.nn.functional  # noqa: F401 - it brings ops of its own
from rustyflow.claims.rule import rules_in
from rustyflow.ops import OPS
from tests.formulas import calls
from tests.formulas.cases import CASES
from tests.formulas.exceptions import APART, MOST
from tests.formulas.moving import MOVES
from tests.formulas.trial import equations

SOURCES = {
    "stored": (calls.of_fixture, 1850, 1230),
    "figures": (calls.of_figures, 60, 50),
    "table": (lambda: calls.of_table({**CASES, **MOVES}), 220, 280),
}
"""Where calls are from, and how many equations there are at least: of results, and of gradients."""

RUN = set()


def hold(every):
    """Compare each call with its rules; return how many equations held, forward and backward."""
    count, failures = Counter(), []
    for op, operands, attrs, text in every:
        try:
            forward, backward, _ = equations(op, operands, attrs)
        except Exception as error:
            failures.append(f"{op.name} in {text}: {type(error).__name__}: {' '.join(str(error).split())[:200]}")
            continue
        count.update(forward=forward, backward=backward)
        RUN.add(op.name)
    assert not failures, "\n".join([f"{len(failures)} of {len(every)}", *failures[:20]])
    return count["forward"], count["backward"]


@pytest.mark.parametrize("source", SOURCES)
def test_rules_hold_in_every_call(source):
    make, forward, backward = SOURCES[source]
    counts = hold(list(make()))
    assert counts[0] >= forward and counts[1] >= backward, counts


def test_every_op_with_a_rule_is_among_them():
    for source in SOURCES:
        if not RUN:
            test_rules_hold_in_every_call(source)
    ruled = {name for name, op in OPS.items() if rules_in(op.doc)}
    assert ruled - RUN == {one.op for one in APART if one.when is None and not (one.left or one.kinks)}


def test_those_apart_are_few_and_each_is_of_a_rule_and_has_a_reason():
    assert len(APART) <= MOST
    for one in APART:
        assert one.why and rules_in(OPS[one.op].doc)


@pytest.mark.parametrize("name, doc", [
    ("mul", "y = a * b        da = g * a        db = g * b"),
    ("gather", "y[i, j] = gather(x, dim, index)        dx = given_back(2 * g, x)"),
    ("cumsum", "y[i] = sum(x[:i])        dx[i] = sum(g[i:])"),
    ("sort_along", OPS["sort_along"].doc.replace("descending", "not descending", 1)),
    ("softmax", OPS["softmax"].doc.replace("y = t / sum", "y = 2 * t / sum")),
    ("convolution", OPS["convolution"].doc.replace("dw = same_sum(g, w)", "dw = g")),
])  # fmt: skip
def test_a_wrong_rule_is_found(monkeypatch, name, doc):
    monkeypatch.setattr(OPS[name], "doc", doc)
    with pytest.raises(AssertionError, match=rf"\d+ of \d+\s+{name} in "):
        hold(calls.of_figures())
