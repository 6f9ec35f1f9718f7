"""The museum: each broken engine says what it is known for, the right one what is true; guests under PyTorch, too."""

import math

import numpy as np
import pytest

import rustyflow as rf
from rustyflow import ir
from rustyflow.lessons.engine import Engine, numbers, run
from rustyflow.lessons.museum.exhibits import EXHIBITS
from rustyflow.lessons.museum.guests import GUESTS


@pytest.fixture(params=["rustyflow", "torch"])
def lib(request):
    """The library, ours or PyTorch where it is installed."""
    return rf if request.param == "rustyflow" else pytest.importorskip("torch")


@pytest.mark.parametrize("exhibit", EXHIBITS, ids=lambda exhibit: exhibit.name)
def test_a_broken_engine_says_what_it_is_known_for_and_the_right_one_what_is_true(exhibit):
    assert exhibit.looks(exhibit.outcome()) == exhibit.says != exhibit.truth
    assert exhibit.looks(exhibit.outcome(Engine())) == exhibit.truth


def test_there_are_fifteen_of_the_kinds_that_are_known():
    errors = [exhibit for exhibit in EXHIBITS if exhibit.outcome().error]
    assert len(EXHIBITS) == 15 and len({exhibit.name for exhibit in EXHIBITS}) == 15
    assert [exhibit.name for exhibit in errors] == ["forward alone", "all axes turned"]


@pytest.mark.parametrize("exhibit", [e for e in EXHIBITS if isinstance(e.truth, float | list) and e.truth],
                         ids=lambda exhibit: exhibit.name)  # fmt: skip
def test_what_is_true_is_what_backward_gives(exhibit):
    result, names = exhibit.program()
    for _ in range(exhibit.times):
        result.backward(rf.ones(result.shape), retain_graph=True)
    right = {name: x.grad.tolist() for name, x in names.items() if x.requires_grad and x.is_leaf}
    assert numbers(exhibit.outcome(Engine()).gradients) == right


@pytest.mark.parametrize("guest", GUESTS, ids=lambda guest: guest.name)
def test_a_guest_goes_wrong_as_said_and_its_mended_program_is_right(guest, lib):
    faulty, mended = (np.array(program(lib), float) for program in (guest.faulty, guest.mended))
    assert np.allclose(faulty, guest.says, equal_nan=True) and np.allclose(mended, guest.truth)
    assert not np.allclose(faulty, mended)


def test_an_engine_of_ones_own_is_any_function_of_a_graph():
    a = rf.tensor(3.0, requires_grad=True)
    graph = ir.graph(a * a, names={"a": a})
    assert run(lambda graph, upstream: {"a": rf.tensor(6.0)}, graph).gradients == run(Engine(), graph).gradients
    assert run(lambda graph, upstream: 1 / 0, graph).error == "ZeroDivisionError: division by zero"


def test_upstream_gradients_arrive():
    x = rf.tensor([1.0, 2.0], requires_grad=True)
    graph = ir.graph((x - x / 4) * x, names={"x": x})
    found = Engine()(graph, rf.tensor([1.0, -2.0]))["x"]
    assert found.tolist() == [1.5, -6.0] and math.isclose(run(Engine(), graph).gradients["x"][0], 1.5)
