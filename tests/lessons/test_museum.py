"""The museum: each broken engine says what it is known for, the right one what is true; guests under PyTorch, too."""

import math

import numpy as np
import pytest

import rustyflow as rf
from rustyflow import ir
from rustyflow.errors import AbsentKey, ArgumentValueError
from rustyflow.lessons import models, museum_of_real_bugs as museum
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


def test_an_operation_without_a_rule_is_told_in_three_parts_in_any_engine():
    x = rf.tensor([1.0, 2.0], requires_grad=True)
    graph = ir.graph(x.amax(), names={"x": x})
    with pytest.raises(AbsentKey, match="(?s)amax in .*rule: .*none for amax.*try: .*add, sub.*a rule for amax"):
        Engine()(graph)
    own = {"max": lambda g: g}
    said = run(lambda graph, upstream: own[graph.nodes[-1].op], graph).error
    assert said.splitlines()[0] == "AbsentKey: amax in the graph" and "try:  a rule for amax" in said
    assert run(lambda graph, upstream: {}["y"], graph).error == "KeyError: 'y'", "another key is no operation"


def counts_readers(graph):
    """An engine whose first sum counts readers, which are enough for it; only the second one adds gradients."""
    readers = {}
    for node in graph:
        for ref in node.operands:
            readers[ref] = readers.get(ref, 0)
            readers[ref] += 1
    found = {graph.results[0]: rf.tensor(1.0)}
    for node in reversed(graph.nodes):
        if node.op in models.rules and readers.get(node.id, 1):
            values = [models.value(graph, ref) for ref in node.operands]
            for ref, part in zip(node.operands, models.rules[node.op](found[node.id], *values), strict=True):
                found[ref] = found.get(ref, 0) + part
    return found


def in_a_choice(graph):
    """An engine that asks whether a gradient is the first one."""
    found = {graph.results[0]: rf.tensor(1.0)}
    for node in reversed(graph.nodes):
        if node.op in models.rules:
            values = [models.value(graph, ref) for ref in node.operands]
            for ref, part in zip(node.operands, models.rules[node.op](found[node.id], *values), strict=True):
                found[ref] = part + found[ref] if ref in found else part
    return found


def adds_nothing(graph):
    return {node.id: rf.tensor(4.0) for node in graph}


def never_comes_to_an_end(graph):
    found = {"all": 0}
    while True:
        found["all"] += 1


@pytest.mark.parametrize("engine, line", [
    (models.backward, "grad[ref] += part   is now   grad[ref] = part"),
    (counts_readers, "found[ref] = found.get(ref, 0) + part   is now   found[ref] = part"),
    (in_a_choice, "found[ref] = part + found[ref] if ref in found else part   is now   found[ref] = part if "),
    (adds_nothing, "So this is the course's engine."), (never_comes_to_an_end, "So this is the course's engine."),
    (lambda graph: {}, "It finds no gradients of a * b + a. So this is the course's engine."),
    (lambda graph: None, "It finds no gradients"), (7, "It finds no gradients"),
])  # fmt: skip
def test_the_line_that_is_changed_is_one_with_which_a_gradient_goes_wrong(engine, line, monkeypatch, capsys):
    monkeypatch.setattr(museum, "PATIENCE", 0.3)
    changed = museum.sabotaged(engine)
    assert line in capsys.readouterr().out
    a, b = rf.tensor(2.0, requires_grad=True), rf.tensor(3.0, requires_grad=True)
    graph = ir.graph(a * b + a, names={"a": a, "b": b})
    assert numbers(changed(graph)) == {"a": 3.0, "b": 2.0} != numbers(Engine()(graph))


def test_a_name_of_the_other_wing_is_told_where_it_hangs_and_an_unknown_one_what_there_is():
    for call, told in (
        (lambda: museum.compare("one of them stays"), "check.guest('one of them stays', torch)"),
        (lambda: museum.guest("ties", rf), "check.compare('ties')"),
        (lambda: museum.compare("tie"), '"three axes, two loops", "once a path"'),
        (lambda: museum.guest("guest", rf), '"a square that fits" or "one of them stays"'),
    ):
        with pytest.raises(ArgumentValueError) as raised:
            call()
        assert told in str(raised.value) and "rule: " in str(raised.value)


def test_an_engine_bears_either_name_so_that_a_test_by_name_is_wrong_somewhere():
    seen = {(museum._is_right(engine), type(engine._call.__closure__[0].cell_contents).__name__)
            for engine in (museum.my_test.numbers(seed)["engine"] for seed in museum.my_test.seeds)}  # fmt: skip
    assert seen == {(right, name) for right in (True, False) for name in ("Engine", "AllOfTheTied")}
