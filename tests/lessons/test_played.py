"""Every wrong choice of every question is played out: its own picture runs the belief to where it fails."""

from dataclasses import replace

import pytest

from rustyflow.lessons import Question
from rustyflow.lessons.kit.programs import worlds
from rustyflow.lessons.kit.questions import stages
from rustyflow.scene import Figure
from tests.lessons.catalogue import every

IN_WORDS = {}
"""The wrong choices that stay in words, `lesson.question.letter`, with the reason; at most four."""

QUESTIONS = every(Question)


def test_few_choices_stay_in_words():
    assert len(IN_WORDS) <= 4 and all(IN_WORDS.values())


@pytest.mark.parametrize("name", QUESTIONS)
def test_each_wrong_choice_has_a_world_of_its_own(name):
    asked = QUESTIONS[name]
    for seed in (None, 0):
        question = replace(asked, case=asked.numbers(seed), seed=seed)
        for letter, answer in question.choices().items():
            if letter == question.right() or f"{name}.{letter}" in IN_WORDS:
                continue
            scene = question.played(answer, **question.case)
            told = Figure(stages.told(question, (letter,))).sentences
            assert scene.shapes and scene.frames, (seed, letter)
            assert any(said.startswith(stages.SUPPOSED) for said in told), (seed, letter)


def test_a_line_that_gives_the_same_in_both_worlds_is_not_told_to_fail():
    scene = worlds.world(worlds.Row("x = 2", ""), worlds.tried("x + 1", 3, x=2), worlds.tried("x * x", 5, x=2))
    assert [frame.sentence for frame in scene.frames] == [
        "If this were so, x * x would be 5.", "If this were so, x * x would be 5. It is 4.",
    ]  # fmt: skip
    first, last = (Figure(scene).state(k).classes for k in (0, 1))
    assert "off" in first["r1"] and "off" in first["r2"] and "off" not in last.get("r2", ())


@pytest.mark.parametrize("name, answer, said", [
    ("wait_for_everyone.reused_node", 12, ["what comes to c is 1 + 5 = 6.", "what c hands on to a is 6·2 = 12."]),
    ("your_own_engine.nothing_is_added", 0, [
        "d would get 0. But = writes, and does not empty: the second 7 that d * d sends stays."]),
    ("a_program_is_a_graph.written_twice", (4, 3), [
        "If this were so, the number of operations that made x would be 1. It is 0."]),
])  # fmt: skip
def test_what_an_answer_comes_to_is_said_of_what_the_answer_is_about(name, answer, said):
    question = QUESTIONS[name]
    frames = question.played(answer, **question.case).frames
    assert [frame.sentence for frame in frames][-len(said) :] == said


def test_a_world_is_run():
    """e of a belief is a tensor, and its cells are read after the write that was made into it."""
    from rustyflow.lessons import stride_zero as check

    rows = [[shape.children[-1].text for shape in check.how_many_bytes.played(many, **check.how_many_bytes.case).shapes
             if shape.id and shape.id[0] == "s" and shape.id != "supposed"] for many in (4, 4000, 12000)]  # fmt: skip
    assert rows == [["7", "7", "7"], ["7", "7", "1"], ["1", "7", "1"]]


def test_both_proofs_of_lesson_11_are_drawn_and_fit_a_projector():
    from rustyflow.lessons import back_through_a_broadcast as check

    bias, shape = check.bias_gradient, check.shape_of_the_gradient
    for question in (bias, shape):
        for answer in question.choices().values():
            assert question.played(answer, **question.case).height <= 230  # of 480 that it has with text and choices
    worlds_of_5 = bias.played(5, **bias.case)
    wide = {id: dict(worlds_of_5.index[id].children[0].attrs)["width"] + 2 for id in ("guess", "p0", "p1", "p2")}
    assert wide["p0"] / 2 == pytest.approx(wide["p1"] / 7, abs=0.1) == pytest.approx(wide["p2"] / 6, abs=0.1)
    assert wide["guess"] / 5 == pytest.approx(wide["p1"] / 7, abs=0.1)
    right = Figure(bias.played(15, **bias.case))
    lit = [{id for id, worn in right.state(k).classes.items() if "lit" in worn} for k in range(3)]
    assert lit == [{"g2", "p0"}, {"g6", "p1"}, {"g10", "p2"}]
    assert right.sentences[-1] == "y[2, 2] moves too, and brings 6: 2 + 7 + 6 = 15."
    for answer, many in ((1, 4), 12), ((3,), 9), ((3, 4), 12):
        stepped = shape.played(answer, **shape.case)
        assert len([id for id in stepped.index if id[0] == "c"]) == many and "a2" in stepped.index
    came = [id for id in shape.played((3, 1), **shape.case).index if id[0] == "b"]
    assert came == ["b0", "b1", "b2"]
