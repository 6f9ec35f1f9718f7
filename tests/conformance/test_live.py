"""rustyflow against the PyTorch that is installed, on every fourth point of the grid, and on PyTorch's own examples."""

from functools import cache

import pytest

import rustyflow

from . import docs_examples, graphs, spoiled
from .floors import FAST, floors, short_of
from .run import FAMILIES, LAID_APART, measure, total

torch = pytest.importorskip("torch")


@cache
def every_fourth(family):
    return measure(torch, rustyflow, [family], thin=FAST)[family.title]


def laid_apart(found):
    return {name for names in found.values() for name, tally in names.items() if tally.failed["layout"]}


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.title)
def test_same_calls_same_results(family):
    names = every_fourth(family)
    failures = [f"{case}: {verdict.note}" for tally in names.values() for case, verdict in tally.failures]
    short = short_of(floors("live")[family.title], total(names).rates)
    assert not short, "\n".join([*short, *failures[:10]])


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.title)
def test_results_lie_in_memory_as_pytorchs_do_but_for_names_of_which_it_is_said(family):
    assert laid_apart({family.title: every_fourth(family)}) <= set(LAID_APART)


def test_a_call_with_a_wrong_argument_ends_as_under_pytorch():
    tally, differing = spoiled.measure(torch, rustyflow, thin=101)  # a prime, so that no kind of wrongness is left out
    rate = tally["equal"] / sum(tally.values())
    assert rate >= 0.985, "\n".join(f"{found}: {call}" for found, call, *_ in differing)


def test_what_is_said_to_lie_apart_does():
    assert laid_apart(measure(torch, rustyflow, only=LAID_APART)) == set(LAID_APART)


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


def test_pytorchs_own_examples_of_layers_run_but_for_those_of_which_it_is_said_why():
    counts, left = docs_examples.measure_layers(torch, rustyflow)
    found = docs_examples.rates(counts)
    assert found["statements"] >= 98 and found["outputs"] >= 85 and counts["all", "statements"] > 500, found
    assert set(left) <= set(docs_examples.REASONS), left
