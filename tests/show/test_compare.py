"""show.compare: the first event that differs, of engines and programs, with numbers worked by hand."""

import random
import time

import numpy as np
import pytest

import rustyflow as rf
from rustyflow import show
from rustyflow.lessons.engine import Engine, Event
from rustyflow.lessons.museum.exhibits import EXHIBITS
from rustyflow.show.compare import numbers


class Overwrites(Engine):
    """What comes later takes the place of what came first."""

    def add(self, before, part):
        return part


def program():
    a, b = rf.tensor(2.0, requires_grad=True), rf.tensor(3.0, requires_grad=True)
    return a * b + a, {"a": a, "b": b}


def said(other, **more):
    y, names = program()
    return show.compare(y, other, names=names, **more).sentences


def test_whole_numbers_differ_however_large_they_are():
    a, b = rf.tensor([2**62, 3]), rf.tensor([2**62 + 1, 3])
    told = "Event 1 is the first that differs: result[0] = 4611686018427387904 in a, and 4611686018427387905 in b."
    assert told in show.compare(a, b).sentences
    assert "never differ" in show.compare(rf.tensor([2]), rf.tensor([2.0])).sentences[-1]


def test_two_that_nobody_has_named_are_the_one_and_the_other():
    code = "told = show.compare(rf.tensor([1]), rf.tensor([2])).sentences"
    exec(code, made := {"show": show, "rf": rf})  # a program that no file holds
    assert "result = [1] in the one, and [2] in the other." in " ".join(made["told"])


def test_events_are_told_up_to_the_first_that_differs():
    sentences = said(Overwrites())  # y = 2·3 + 2; a gets 1 from the sum, then 3 from the product
    assert sentences[0] == "Event 2 is the same: each computes y = 8."
    assert sentences[2] == "Event 4 is the same: each sends 1 from y to mul."
    assert sentences[-2] == "Event 7 is the first that differs: a.grad = 4 in rustyflow, and 3 in Overwrites."
    assert sentences[-1] == "In the end a.grad = 4 in rustyflow, and 3 in Overwrites."


FIRST = {
    "a sign": "what d sends to b = -6 in rustyflow, and 6 in PlusForMinus.",
    "never summed": "rustyflow sends [6] from expand to a of shape (1,), and NeverSummed sends [1, 2, 3]",
    "equal is not the same": "rustyflow visits y1, and SeenByValue visits b.",
    "what is left of the last time": "mul.grad = 3 in rustyflow, and 6 in KeepsBetween.",
    "forward alone": "WithoutPow ends in AbsentKey: an engine has a rule for each operation, and this one",
    "three axes, two loops": "y[0, 2, 2] = 208 in rustyflow, and 0 in TwoLoops; 15 other numbers differ, too.",
    "once a path": "OncePerPath visits c once more, and rustyflow has a.grad = 6.",
    "two million visits": "OncePerPath visits x once more, and rustyflow has x.grad ",
    "ties": "what y sends to x[0] = 0.5 in rustyflow, and 1 in AllOfTheTied; 1 other number differs, too.",
    "axes that move": "expand sends to b[0] = 0 in rustyflow, and 6 in ShrinkingAxes; 1 other number differs, too.",
    "all axes turned": "and AllAxesTurned ends in MatmulError: matmul: mat1 and mat2 shapes cannot be multiplied",
    "a wrong word": "“axis 0 disappears”, and RowsForColumns says of y “axis 0: rows”.",
    "from the left": "what expand sends to b[0] = 3 in rustyflow, and 4 in FromTheLeft; 3 other numbers differ, too.",
    "wrong slots": "what mm sends to a[0, 0] = 3 in rustyflow, and 10 in WrongSlots; 5 other numbers differ, too.",
    "nothing arrives": "to x[0, 0] = -0.25 in rustyflow, and -0.5 in NothingArrives; 3 other numbers differ, too.",
}


@pytest.mark.parametrize("exhibit", EXHIBITS, ids=lambda exhibit: exhibit.name)
def test_each_exhibit_shows_where_it_goes_wrong(exhibit):
    y, names = exhibit.program()
    figure = show.compare(y, exhibit.engine, names=names, times=exhibit.times)
    assert FIRST[exhibit.name] in figure.sentences[-2] and "is the first that differs" in figure.sentences[-2]
    text = "\n".join(figure.bundle()["text/plain"].splitlines())
    assert "first that differs" in text


def test_the_line_of_code_behind_it_stands_over_each_side():
    y, names = program()
    about = show.compare(y, Overwrites, names=names).scene.about
    assert about == ("rustyflow: return part if before is None else before + part", "Overwrites: return part")


def test_those_that_never_differ_are_told_what_was_compared():
    assert said(Engine())[-1] == "They never differ. Compared were 2 values, 4 visits, 4 sent gradients, 2 gradients."
    assert said(lambda graph, upstream: {"a": rf.tensor(4.0), "b": 2.0})[-1].endswith("Compared were 2 gradients.")


def test_an_upstream_gradient_and_several_calls_come_to_both():
    right = {"a": rf.tensor(40.0), "b": rf.tensor(20.0)}  # 10·4 and 10·2, once
    assert said(lambda graph, upstream: right, upstream=rf.tensor(10.0))[-1].startswith("They never differ")
    assert said(lambda graph, upstream: right, upstream=rf.tensor(10.0), times=2)[-1].startswith("They never differ")
    assert "a.grad = 8 in rustyflow, and 80" in said(lambda graph, upstream: right, times=2)[-1]


def test_an_operation_of_which_the_small_engine_knows_no_rule_has_the_library_s():
    x = rf.tensor([0.0, 1.0], requires_grad=True)
    y = (x.exp() * x).sum()
    right = rf.autograd.grad(y, x, retain_graph=True)[0]
    figure = show.compare(y, lambda graph, upstream: {"x": right}, names={"x": x})
    assert figure.sentences[-1] == "They never differ. Compared were 1 gradient."


def endless(graph, upstream):
    while True:
        pass


@pytest.mark.parametrize(("engine", "words"), [
    (lambda graph, upstream: 1 / 0, "ends in ZeroDivisionError: division by zero."),
    (lambda graph, upstream: [1.0], "ends in AttributeError"),
    (lambda graph, upstream: {"a": rf.tensor(4.0)}, "has no gradient for b."),
    (lambda graph, upstream: {"a": rf.ones(2), "b": rf.tensor(2.0)}, "has a.grad = [1, 1] of shape (2,)."),
    (lambda graph, upstream: {"a": "4", "b": "<b>"}, "<b>"),
    (lambda graph, upstream: {"a": 4.0, "b": 2.0, "c": 1.0}, "has c.grad = 1, and rustyflow has come to its end."),
    (endless, "has not ended after 0.2 seconds"),
], ids=["raises", "a list", "too few", "shape", "words", "too many", "endless"])  # fmt: skip
def test_engines_that_are_none_are_told_so(engine, words, monkeypatch):
    monkeypatch.setattr(numbers, "SECONDS", 0.2)
    monkeypatch.setattr(numbers, "STOPPED", "has not ended after 0.2 seconds")
    begun = time.monotonic()
    assert words in said(engine)[-2]
    assert time.monotonic() - begun < 5


def test_an_engine_that_writes_to_values_spoils_them_for_itself_alone():
    y, names = program()

    def writes(graph, upstream):
        for node in graph:
            if node.out is not None and node.out.flags.writeable:
                node.out[...] = 9.0
        return {}

    show.compare(y, writes, names=names)
    assert [x.item() for x in (*names.values(), y)] == [2.0, 3.0, 8.0]


def test_two_programs_are_held_against_each_other():
    x = rf.tensor([1.0, 2.0], requires_grad=True)
    figure = show.compare(lambda: (x * x).sum(), lambda: (x * x * 2).sum())
    assert "5" in figure.sentences[-1] and "10" in figure.sentences[-1]
    assert show.compare(lambda: x * 2, lambda: x + x).sentences[-1].startswith("They never differ")


def test_both_draw_the_same_random_numbers_and_the_reader_s_stream_stays_where_it_was():
    rf.manual_seed(3)
    random.seed(3)
    np.random.seed(3)

    def draws():
        return rf.tensor([rf.randn(1).item(), random.random(), np.random.rand()])

    wanted = (rf.manual_seed(3), draws())[1]
    rf.manual_seed(3)
    random.seed(3)
    np.random.seed(3)
    assert show.compare(draws, lambda: draws()).sentences[-1] == "They never differ. Compared were 1 result."
    assert draws().tolist() == wanted.tolist()


def test_ours_against_pytorch_s():
    torch = pytest.importorskip("torch")

    def of(library):
        x = library.tensor([1.0, 2.0], requires_grad=True)
        return (x * x).sum()

    figure = show.compare(lambda: of(rf), lambda: of(torch))
    assert figure.sentences[-1] == "They never differ. Compared were 1 result, 1 gradient."


def test_pytorch_s_numbers_are_compared_as_they_are():
    torch = pytest.importorskip("torch")
    a, b = torch.tensor([1 + 1j]), torch.tensor([1 + 2j])
    (differs, _), (same, _) = show.compare(a, b).sentences, show.compare(a.conj(), torch.tensor([1 - 1j])).sentences
    assert differs == "Event 1 is the first that differs: result[0] = (1+1j) in a, and (1+2j) in b."
    assert same == "Event 1 is the same: each gives result = [(1-1j)]."
    leaves = [library.ones(2, requires_grad=True) for library in (torch, rf)]
    for one, other in (leaves, leaves[::-1]):
        assert show.compare(one, other).sentences[1].endswith("grad = [1, 1].")


@pytest.mark.parametrize(("call", "error"), [
    (lambda: show.compare(3, Engine()), TypeError),
    (lambda: show.compare(rf.ones(2), Engine()), ValueError),
    (lambda: show.compare(program()[0], 3), TypeError),
    (lambda: show.compare(program()[0], Engine(), times=0), ValueError),
    (lambda: show.compare(program()[0], Engine(), times="2"), TypeError),
])  # fmt: skip
def test_what_is_no_program_is_refused(call, error):
    with pytest.raises(error):
        call()


def test_a_function_that_cannot_be_called_as_it_is_is_no_program():
    for call in (lambda f: show.compare(f, lambda: rf.ones(2)), lambda f: show.compare(lambda: rf.ones(2), f)):
        with pytest.raises(TypeError, match="(?s)which cannot be called without x, w.*try:  lambda: f"):
            call(lambda x, w, b=0, *more, **others: x @ w)
        assert "never differ" in call(lambda b=2, *more, **others: rf.ones(b)).sentences[-1]


@pytest.mark.parametrize("events", [
    None, 3, [1, "visit"], [Event("visit", [1]), Event("visit", 3)],
    property(lambda _: 1 / 0),
])  # fmt: skip
def test_events_that_are_none_stop_no_comparison(events):
    kind = type("Odd", (), {"events": events, "__call__": lambda self, graph, upstream: {"a": 4, "b": 2}})
    y, names = program()
    assert "never differ" in show.compare(y, kind(), names=names).sentences[-1]


def test_an_event_that_holds_no_number_is_told():
    y, names = program()
    engine = Overwrites()
    engine.add = lambda before, part: engine.events.append(Event("sends", "%4", part, "%1", object())) or part
    assert "differs" in show.compare(y, engine, names=names).text()


def test_what_is_held_in_other_shapes_is_told():
    class Wide(Engine):
        def add(self, before, part):
            return part if before is None else (before + part).expand(2)

    y, names = program()
    assert "a.grad has shape () in rustyflow, and (2,) in Wide." in show.compare(y, Wide(), names=names).text()


def test_large_results_that_differ_in_one_cell_are_told_at_once():
    x = rf.ones(1000, 1000)
    other = x.clone()
    other[999, 999] = 2
    begun = time.monotonic()
    assert "result[999, 999] = 1" in show.compare(lambda: x, lambda: other).sentences[0]
    assert time.monotonic() - begun < 3


def test_generators_and_modules_of_the_program_s_own_stand_where_they_stood():
    drawn, norm, x = rf.Generator().manual_seed(0), rf.nn.BatchNorm1d(2), rf.tensor([[1.0, 2.0], [3.0, 5.0]])
    arrays, mean = np.random.default_rng(0), norm.running_mean.tolist()

    def random_program():
        return norm(x + rf.randn(2, 2, generator=drawn)), arrays.standard_normal(3), norm.running_mean.clone()

    assert "never differ" in show.compare(random_program, random_program).sentences[-1]
    assert norm.running_mean.tolist() == mean and drawn.initial_seed() == 0
    torch = pytest.importorskip("torch")
    theirs = torch.Generator().manual_seed(0)
    draws = lambda: torch.randn(3, generator=theirs)  # noqa: E731
    assert "never differ" in show.compare(draws, draws).sentences[-1]


def test_tensors_in_lists_and_dicts_are_compared_number_by_number_under_their_names():
    near = [rf.ones(2), rf.tensor([1.0, 2.0, 3.0])]
    other = [rf.ones(2), rf.tensor([1.0, 2.0, 3.0002])]
    figure = show.compare(lambda: {"out": {"loss": near}}, lambda: {"out": {"loss": other}})
    assert "out.loss 1[2] = 3" in figure.text()


def test_a_function_without_arguments_beside_a_tensor_is_a_program():
    y, names = program()
    assert "never differ" in show.compare(y, lambda: program()[0], names=names).sentences[-1]
