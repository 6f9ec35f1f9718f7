"""rustyflow against PyTorch's stored results: runs everywhere, PyTorch or not."""

import copy

import numpy as np
import pytest

import rustyflow

from . import fixture
from .floors import floors, short_of
from .judge import judge
from .observe import Outcome, Sight
from .run import total


@pytest.fixture(scope="module")
def found():
    return fixture.measure(rustyflow)


@pytest.mark.parametrize("family", floors("fixture"))
def test_stored_results_are_met(found, family):
    failures = [f"{case}: {verdict.note}" for tally in found[family].values() for case, verdict in tally.failures]
    short = short_of(floors("fixture")[family], total(found[family]).rates)
    assert not short, "\n".join([*short, *failures[:10]])


def test_every_stored_outcome_equals_itself():
    assert all(not judge(want, want).failed for _, want in fixture.stored())


@pytest.mark.parametrize(
    ("facet", "change"),
    [
        ("value", {"value": np.array([1.0, 2.5])}),
        ("value", {"value": np.array([1.0, np.nan])}),
        ("dtype", {"dtype": "float32"}),
        ("shape", {"shape": (1, 2)}),
        ("stride", {"stride": (3,)}),
        ("stride", {"offset": 1}),
        ("sharing", {"shares": (False,)}),
        ("gradient", {"records": False}),
    ],
)
def test_a_difference_is_seen(facet, change):
    want = Outcome(Sight(np.array([1.0, 2.0]), "float64", (2,), (1,), 0, (True,), True))
    got = copy.deepcopy(want)
    for name, value in change.items():
        setattr(got.result, name, value)
    assert judge(want, got).failed == (facet,)


def test_strides_of_memory_of_its_own_are_compared_but_for_axes_that_are_never_stepped_along():
    want = Outcome(Sight(np.ones((2, 3, 1)), "float64", (2, 3, 1), (3, 1, 1), 0, (False,), False))
    for stride, failed in (((1, 2, 1), ("layout",)), ((3, 1, 7), ())):
        got = copy.deepcopy(want)
        got.result.stride = stride
        assert judge(want, got).failed == failed


@pytest.mark.parametrize(
    ("facet", "got"),
    [
        ("gradient", Outcome(1, gradients=[np.array(2.5)])),
        ("gradient", Outcome(1, gradients=[None])),
        ("gradient", Outcome(1, backward_error="RuntimeError: no")),
        ("value", Outcome(2, gradients=[np.array(2.0)])),
        ("value", Outcome(1, gradients=[np.array(2.0)], trouble="divide by zero encountered")),
        ("error", Outcome(error="ValueError")),
    ],
)
def test_an_unequal_outcome_is_seen(facet, got):
    assert facet in judge(Outcome(1, gradients=[np.array(2.0)]), got).failed


def test_an_error_agrees_in_its_type_only():
    want = Outcome(error="IndexError", message="one text")
    assert judge(want, Outcome(error="IndexError", message="another")).equal
    assert not judge(want, Outcome(error="RuntimeError")).equal
    assert not judge(want, Outcome(1)).equal


def test_a_write_refused_by_design_is_neither_equal_nor_a_failure():
    refused = Outcome(error="RuntimeError", message="some elements of ... refer to a single memory location")
    assert judge(Outcome(1), refused).kind == "refused"
    assert judge(Outcome(error="RuntimeError"), refused).kind == "raises"
    assert judge(Outcome(1), Outcome(error="RuntimeError", message="another reason")).failed
