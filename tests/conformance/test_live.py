"""rustyflow against the PyTorch that is installed, on every fourth point of the grid, and on PyTorch's own examples."""

import pytest

import rustyflow

from . import docs_examples, graphs
from .floors import FAST, floors, short_of
from .run import FAMILIES, measure, total

torch = pytest.importorskip("torch")


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.title)
def test_same_calls_same_results(family):
    names = measure(torch, rustyflow, [family], thin=FAST)[family.title]
    failures = [f"{case}: {verdict.note}" for tally in names.values() for case, verdict in tally.failures]
    short = short_of(floors("live")[family.title], total(names).rates)
    assert not short, "\n".join([*short, *failures[:10]])


def test_the_graphs_below_the_results_are_pytorchs():
    counts, unequal = graphs.measure(torch, rustyflow)
    short = short_of(floors("graphs")["recorded calls"], {"graphs": graphs.rate(counts)})
    unsaid = [f"{case}\n{got}\n{want}" for case, got, want, pattern in unequal if pattern is None]
    assert not short and not unsaid, "\n".join([*short, *unsaid[:10]])
    assert {pattern for *_, pattern in unequal} == set(graphs.APART)


def test_pytorchs_own_examples_run_and_print_the_same():
    counts, failures = docs_examples.measure(torch, rustyflow)
    short = short_of(floors("examples")["docstrings"], docs_examples.rates(counts))
    assert not short, "\n".join([*short, *(f"{name}: {statement}\n{note}" for name, statement, note in failures[:10])])
