"""Each check against a catalogue of answers: every wrong one is told its own reason, every right one passes."""

import types
from functools import cache

import numpy as np
import pytest

from rustyflow.lessons import Exercise
from rustyflow.lessons.kit.answers import call
from tests.lessons.answers import engine, gradients, layers, memory, mirrors, museum, pains, shapes, training
from tests.lessons.catalogue import every

GROUPS = [memory, shapes, gradients, engine, layers, training, mirrors, pains, museum]
EXERCISES = {name.partition(".")[2]: check for name, check in every(Exercise).items()}


@cache
def library(group, torch):
    """A group of answers, with `torch` in it as a student's cell names it: rustyflow, or PyTorch itself."""
    if torch == "rustyflow":
        return group
    pytest.importorskip("torch")
    with open(group.__file__, encoding="utf-8") as file:
        source = file.read().replace("import rustyflow as torch", "import torch")
    module = types.ModuleType(f"{group.__name__}_with_torch")
    module.__file__ = group.__file__
    exec(compile(source, group.__file__, "exec"), vars(module))
    return module


def answers(which, name, torch):
    """The answers to an exercise; with PyTorch a third of the wrong ones: what is said does not hang on the library."""
    [group] = [group for group in GROUPS if name in getattr(group, which)]
    return getattr(library(group, torch), which)[name][:: 3 if (torch, which) == ("torch", "WRONG") else 1]


def words(result):
    return " ".join(result.text.split())


def test_every_exercise_has_answers_enough():
    right = {name: answers for group in GROUPS for name, answers in group.RIGHT.items()}
    wrong = {name: answers for group in GROUPS for name, answers in group.WRONG.items()}
    assert right.keys() == wrong.keys() == EXERCISES.keys()
    for name in EXERCISES:
        told = [fragment for _, fragment in wrong[name]]
        assert len(right[name]) >= 3 and len(told) >= 10, name
        assert len(set(told)) == len(told), "each wrong answer has a message of its own"
        assert any(fragment in m.belief for fragment in told for m in EXERCISES[name].misconceptions), name


@pytest.mark.parametrize("torch", ["rustyflow", "torch"])
@pytest.mark.parametrize("name", EXERCISES)
def test_a_right_answer_passes(name, torch):
    told = [EXERCISES[name](answer) for answer in answers("RIGHT", name, torch)]
    assert [said.text for said in told if said.score != 1] == []


@pytest.mark.parametrize("torch", ["rustyflow", "torch"])
@pytest.mark.parametrize("name", EXERCISES)
def test_a_wrong_answer_is_told_its_reason(name, torch, monkeypatch):
    missed = {}
    for answer, fragment in answers("WRONG", name, torch):
        with monkeypatch.context() as patch:
            if answer.__name__ == "never_ends":
                patch.setattr(call, "PATIENCE", 0.2)
            said = EXERCISES[name](answer)
        if said.score or fragment not in words(said):
            missed[fragment] = said.text
    assert missed == {}


def numbers_in(value):
    """All numbers of a case's argument."""
    value = value.tolist() if hasattr(value, "tolist") else value
    if isinstance(value, list | tuple):
        return [number for part in value for number in numbers_in(part)]
    return [value] if isinstance(value, int | float) else []


TENSORS = {
    "unscramble": "line", "fixed_loss": "pred", "centred_rows": "x", "softmax_by_hand": "x", "product_cell": "a",
    "all_scores": "q", "sensitivities": "x", "straight": "x", "trap": "a", "vjp_mul": "a", "vjp_div": "a",
    "vjp_pow": "x", "sum_to": "g", "vjp_sub": "a", "vjp_sum": "x",
    "linear": "x", "cross_entropy": "scores", "scores_grad": "scores",
    "causal_weights": "scores", "vjp_sigmoid": "x", "pull": "student",
    "vjp_mean": "x", "vjp_amax": "x", "vjp_embedding": "g",
    "vjp_matmul": "a", "vjp_linear": "x",
}  # fmt: skip
WANTS_SOME = {"fixed_loss", "cross_entropy", "scores_grad", "pull"}  # a mean of no numbers is none
NEVER_ZERO = {"trap"}  # there a factor of 0 loses nothing
RANKS = {"softmax_by_hand": (1, 4), "straight": (0, 4), "vjp_mul": (0, 4), "vjp_div": (0, 4), "vjp_pow": (0, 4),
         "sum_to": (0, 4), "vjp_sub": (0, 4), "vjp_sum": (0, 4),
         "vjp_mean": (1, 4), "vjp_amax": (1, 4), "vjp_embedding": (2, 3), "vjp_matmul": (2, 4),
         "vjp_linear": (2, 4)}  # fmt: skip


@pytest.mark.parametrize("name", TENSORS)
def test_cases_hold_numbers_of_every_kind(name):
    check = EXERCISES[name]
    tensors = [check.numbers(seed)[TENSORS[name]] for seed in check.seeds]
    held = [number for tensor in tensors for number in numbers_in(tensor)]
    assert any(number < 0 for number in held) and any(number % 1 for number in held)
    assert (0 in held) != (name in NEVER_ZERO)
    if name in RANKS:
        ranks = {tensor.ndim for tensor in tensors}
        assert ranks == set(range(RANKS[name][0], RANKS[name][1] + 1))
    if name not in ("sensitivities", "trap"):
        sizes = [size for seed in check.seeds for size in check.numbers(seed).values() if isinstance(size, int)]
        assert any(1 in tensor.shape for tensor in tensors) or 1 in sizes
        edges = [case[TENSORS[name]] for case in check.edges()]
        assert name in WANTS_SOME or any(0 in tensor.shape for tensor in [*tensors, *edges])


@pytest.mark.parametrize(
    "name, argument", [("slot_of", "index"), ("expanded_stride", "size"), ("broadcast_shape", "a")]
)
def test_cases_have_every_number_of_axes(name, argument):
    check = EXERCISES[name]
    assert {len(check.numbers(seed)[argument]) for seed in check.seeds} == set(range(5))


@pytest.mark.parametrize(
    "name, answer, told",
    [
        ("stride_of_new", lambda shape: [int(np.prod(shape[d + 1 :])) for d in range(len(shape))],
         "stride_of_new(shape=(2, 0, 3)) is [0, 3, 1] and should be (3, 3, 1)"),
        ("vjp_pow", lambda g, x, n: g * n * x ** (n - 1), "n=0) is tensor([nan, -0.]) and should be tensor([0., 0.])"),
        ("broadcast_shape", lambda a, b: shapes.shape_from_behind(a, b) if 0 not in a else (9,),
         "broadcast_shape(a=(0,), b=(1,)) is (9,)"),
    ],
)  # fmt: skip
def test_what_comes_at_the_edge_is_told_and_costs_nothing(name, answer, told):
    said = EXERCISES[name](answer)
    assert said.score == 1 and "One thing beside the cases, at the edge" in words(said) and told in words(said)


@pytest.mark.parametrize("name", EXERCISES)
def test_nothing_is_told_of_the_model_but_that_it_is_right(name):
    check = EXERCISES[name]
    assert check(check.model).text == f"{name} is right: {check.many} cases of {check.many}."
