"""Lessons 15 and 16: strips that tell their network, a mask that is proved by what it lets through, and a model with a
student's own mask."""

import builtins
import json
import linecache
import math
from pathlib import Path

import pytest

import rustyflow as torch
from rustyflow.lessons import (
    a_layer_and_a_step as layer,
    a_tiny_transformer as writer,
    checks_of,
    mine,
    when_gradients_die as strips,
)
from rustyflow.lessons.kit.answers import keeping, progress
from rustyflow.lessons.kit.answers.pytorch import by_what_comes
from rustyflow.lessons.kit.questions import pictures
from rustyflow.scene.scene import of_side
from tests.lessons.answers.training import causal, hides_only_the_last

LESSONS = ("a_layer_and_a_step", "how_wrong_in_one_number", "when_gradients_die", "a_tiny_transformer")

NOTEBOOK = Path(__file__).parents[2] / "notebooks" / "16-a-tiny-transformer.ipynb"


def said(result):
    return " ".join(result.text.split())


def cut_off(scene):
    """Whether a picture draws beyond its own edge."""
    right, low = pictures.extent(scene.shapes)
    return right > scene.width or low > of_side(scene.height, ()) or not scene.shapes


@pytest.mark.parametrize("lesson", LESSONS)
def test_no_picture_that_plays_an_answer_out_is_cut_off(lesson):
    asked = [(check, check.numbers(seed)) for check in checks_of(lesson).values() for seed in (None, 0, 1)
             if getattr(check, "played", None)]  # fmt: skip
    for check, case in asked:
        answers = [check.key(**case), *(m.answer(**case) for m in check.misconceptions)]
        assert [answer for answer in answers if cut_off(check.played(answer, **case))] == []


def test_the_three_strips_are_not_cut_off():
    assert not cut_off(strips.training().scene)


def test_a_function_that_passed_goes_on_with_the_tensors_of_the_library_that_it_was_written_with():
    pytorch = pytest.importorskip("torch")
    source = """
import torch
def causal_weights(scores):
    n = scores.shape[-1]
    return scores.masked_fill(torch.ones(n, n).triu(1) > 0, float("-inf")).softmax(-1)
"""
    names = {"__name__": "__main__"}
    exec(source, names)
    kept = by_what_comes(names["causal_weights"])
    assert kept(torch.zeros(1, 2, 2)).tolist() == kept(pytorch.zeros(1, 2, 2)).tolist() == [[[1.0, 0.0], [0.5, 0.5]]]
    assert [type(kept(scores)) for scores in (pytorch.zeros(2, 2), torch.zeros(2, 2))] == [pytorch.Tensor, torch.Tensor]


def test_a_mask_that_lets_the_last_letter_through_is_told_whose_output_moved():
    told = said(writer.causal_weights(lambda scores: scores.softmax(-1)))
    assert "text 1 is text 0 with another letter 2. The output of letter 0, before it, changes, too" in told


def test_a_mask_that_hides_the_last_letter_alone_is_found_out_though_that_letter_moves_nothing():
    told = said(writer.causal_weights(hides_only_the_last))
    assert "letter 0 gives something to a letter that comes after it" in told


def test_some_texts_change_before_their_last_letter():
    scores = [case["scores"] for case in map(writer.causal_weights.numbers, writer.causal_weights.seeds)]
    assert {one.ndim for one in scores} == {2, 3, 4} and {len(one) for one in scores if one.ndim == 3} == {2, 3}
    first = {writer._first_change(one) - one.shape[-1] + 1 for one in scores if one.ndim == 3 and len(one) == 2}
    assert 0 in first and min(first) < 0


def test_who_changes_is_what_attention_does():
    assert writer.who_changes.key(letters=5, changed=3) == (3, 4)
    assert writer.who_changes.key(letters=9, changed=1) == tuple(range(1, 9))


def test_a_chain_of_five_sigmoids_leaves_a_1024th():
    assert strips.at_the_first_layer.key(layers=5, arrives=1) == "1/1024"
    assert strips.at_the_first_layer.key(layers=3, arrives=2) == "2/64"


def test_the_strips_of_the_lesson_are_of_the_networks_that_they_are_said_to_be_of():
    assert [strips._kind(strips._strip(*one)) for one in strips.THREE] == [kind for kind, *_ in strips.THREE]
    dead = strips._strip("dead", 7, 5)
    assert [row[0] is None for row in dead] == [True] * 5 + [False] * 2, "the fourth of seven layers is dead"
    assert strips.which_is_which("dead", "sigmoid", "large").score == 1


def test_a_network_in_capitals_is_told_that_only_its_spelling_is_off():
    said_of = said(strips.which_is_which("Dead", "large", "sigmoid"))
    assert "'Dead' is not it: only the spelling is off" in said_of and "'large' is not it: only" not in said_of


def test_each_column_of_the_strips_is_of_the_kind_that_the_first_one_is_of():
    for kind, layers, seed in strips.THREE:
        strip = strips._strip(kind, layers, seed)
        assert [strips._kind(tuple((row[k],) for row in strip)) for k in range(strips.STEPS)] == [kind] * strips.STEPS


def test_a_strip_does_not_hang_on_the_last_digit_of_a_number(monkeypatch):
    wanted = [strips._strip(*one) for one in strips.THREE]
    for by in (1 + 3e-7, 1 - 6e-7):
        monkeypatch.setattr(strips, "tensor", lambda numbers, by=by: torch.tensor(numbers) * by)
        assert [strips._strip.__wrapped__(*one) for one in strips.THREE] == wanted


def test_a_strip_is_shaded_over_its_whole_range_and_0_is_not_as_what_is_small():
    shapes = strips.training().scene.index
    marks = [{c for c in shapes[id].cls if c.startswith("heat") or c == "unread"} for id in ("a0", "b0", "b29", "c0")]
    assert marks == [{"unread"}, {"heat0"}, {"heat2"}, {"heat4"}]


def test_a_strip_is_far_from_where_it_would_be_rounded_otherwise(monkeypatch):
    """So that another machine, whose last digits differ, draws the same one."""
    logs = []
    monkeypatch.setattr(strips, "log10", lambda norm: logs.append(math.log10(norm)) or logs[-1])
    for one in (*strips.THREE, tuple(strips.whose_strip.case.values())):
        strips._strip.__wrapped__(*one)
    assert len(logs) > 100 and min(abs(log % 1 - 0.5) for log in logs) > 1e-4


def test_the_model_writes_with_the_students_own_mask(tmp_path, monkeypatch):
    for name in ("CI", "NBGRADER_EXECUTION", "RUSTYFLOW_DISPLAY", "PYTEST_CURRENT_TEST"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / progress.COURSE).parent.mkdir()
    (tmp_path / progress.COURSE).write_text("{}", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(builtins, "get_ipython", lambda: None, raising=False)
    keeping.passed.clear()
    source = ('def causal_weights(scores):\n    ahead = torch.ones(scores.shape[-2:]).triu(1) > 0\n'
              '    return torch.where(ahead, float("-inf"), scores).softmax(-1)\n')  # fmt: skip
    linecache.cache["<mask>"] = (len(source), None, source.splitlines(True), "<mask>")
    names = {"torch": torch, "__name__": "__main__"}
    exec(compile(source, "<mask>", "exec"), names)
    assert writer.causal_weights(names["causal_weights"]).score == 1
    assert mine.causal_weights.__code__ is names["causal_weights"].__code__
    cells = json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]
    sources = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    block = next(source for source in sources if "class Writer" in source).replace("check.who_changes.after()\n", "")
    names["nn"] = torch.nn
    exec(block, names)
    torch.manual_seed(0)
    model = names["Writer"](5, 8, 4)
    text = torch.tensor([[0, 1, 2, 3], [0, 1, 2, 4]])
    scores = model(text)
    assert torch.equal(scores[0, :3], scores[1, :3]) and not torch.equal(scores[0, 3], scores[1, 3])
    assert torch.allclose(causal(torch.zeros(1, 2, 2)), torch.tensor([[[1.0, 0.0], [0.5, 0.5]]]))
    keeping.passed.clear()


@pytest.mark.parametrize("live, told", [(False, "3 steps were seen"), (True, "words")])
def test_what_differs_by_the_machine_is_not_in_the_lesson_as_it_is_committed(live, told, monkeypatch, capsys):
    class Run:
        losses = [1.0, 2.0, 3.0]

    monkeypatch.setattr(writer.figure, "is_static", lambda: not live)
    writer.wrote(Run, "words")
    assert capsys.readouterr().out.startswith(told)


def test_a_function_that_stands_in_a_context_of_pytorch_s_is_run_in_ours():
    torch = pytest.importorskip("torch")

    @torch.no_grad()
    def step(parameters, lr):
        for p in parameters:
            if p.grad is not None:
                p.copy_(torch.sub(p, p.grad * lr))

    assert layer.step(step).score == 1
    x = torch.ones(2, requires_grad=True)
    x.grad = torch.ones(2)
    by_what_comes(step)([x], 0.5)
    assert x.tolist() == [0.5, 0.5]
