"""What a check understands of an answer, and what it says, in words worked out by hand."""


import numpy as np
import pytest

import rustyflow
from rustyflow.lessons import (
    Result,
    a_program_is_a_graph,
    back_through_a_broadcast,
    one_line_of_memory,
    rows_meet_columns,
    start_here,
    stride_zero,
    wait_for_everyone,
)
from rustyflow.lessons.kit.answers.answer import plain, same, shown


def test_the_lessons_own_answers():
    assert one_line_of_memory.which_slot(6).score == 1
    assert one_line_of_memory.stride_of_the_transpose((1, 4)).score == 1
    assert one_line_of_memory.which_are_contiguous(("t[1:]", "t[0]")).score == 1
    assert one_line_of_memory.find_the_layout((2, 3), (5, 2), 5).score == 1
    assert stride_zero.what_changes((1, ((0, 0), (0, 1), (0, 2), (0, 3)))).score == 1
    assert stride_zero.add_one_in_place(stride_zero.ERROR).score == 1
    assert stride_zero.add_one_in_place("A").score == 1
    assert stride_zero.how_many_bytes(12).score == 1
    assert stride_zero.strides_and_bytes((0, 1, 0), (0, 0, 1), 16, 96).score == 1
    assert start_here.first_try(12).score == 1
    assert a_program_is_a_graph.written_twice((3, 2)).score == 1
    assert a_program_is_a_graph.what_of_an_if(("mul",)).score == 1
    assert a_program_is_a_graph.twenty_doublings(21).score == 1
    assert wait_for_everyone.reused_node(12).score == 1
    assert wait_for_everyone.who_is_ready(("q",)).score == 1
    assert back_through_a_broadcast.bias_gradient(15).score == 1
    assert back_through_a_broadcast.shape_of_the_gradient((3, 1)).score == 1
    assert back_through_a_broadcast.two_numbers_by_hand(1 * 5 + 0 * 1 + 2 * 4, 1 * 2 + 3 * 3).score == 1


def test_any_order_that_lets_everyone_wait_is_right():
    for order in ("ybefdc", "ybfedc", "ybedfc"):
        assert wait_for_everyone.an_order(list(order)).score == 1
    for order in ("ydbefc", "ybefcd", "bcdefy", "ybefd", "ybefdcc", "yfedcb"):
        assert wait_for_everyone.an_order(list(order)).score == 0


def test_the_first_counterexample_is_the_docstring_s_and_the_next_are_plain():
    for check, first in (
        (one_line_of_memory.slot_of, "slot_of(index=(1, 2), stride=(4, 1), offset=0)"),
        (one_line_of_memory.stride_of_new, "stride_of_new(shape=(3, 4))"),
        (stride_zero.expanded_stride, "expanded_stride(shape=(3, 1), stride=(1, 1), size=(3, 4))"),
        (back_through_a_broadcast.sum_to, "shape=(3, 1))"),
    ):
        assert first in check(lambda *arguments: -1).text and "Its example:" in check(lambda *arguments: -1).text
    check = one_line_of_memory.stride_of_new
    ranks = [len(check.numbers(seed)["shape"]) for seed in check.seeds]
    assert ranks[0] == 2 and ranks[1] == 1 and ranks[1:] == sorted(ranks[1:])


def test_the_answer_is_told_on_request_only():
    said = one_line_of_memory.find_the_layout((2, 3), (4, 1), 5)
    assert "stride  (4, 1) is not it: none of its 2 numbers is right." in said.text and "(5, 2)" not in said.text
    assert said.text.endswith("For a hint: check.find_the_layout(shape, stride, offset, hint=1)")
    asked = one_line_of_memory.find_the_layout((2, 3), (4, 1), 5, show=True)
    assert "stride  expected (5, 2)" in asked.text and asked.score == said.score
    assert "One step down leads to slot 10: 10 - 5 = 5." in " ".join(asked.text.split())
    untouched = start_here.first_try(..., show=True)
    assert "numbers  expected 12\nEach of the 3 rows" in untouched.text and untouched.score == 0
    function = one_line_of_memory.slot_of(lambda *arguments: -1)
    assert "expected" not in function.text and function.text.endswith("For a hint: check.slot_of(slot_of, hint=1)")
    assert "expected  6" in one_line_of_memory.slot_of(lambda *arguments: -1, show=True).text


def test_names_in_an_order_are_told_which_is_wrong():
    strange = wait_for_everyone.an_order(["y", "b", "f", "e", "d", "c", "x"]).text
    assert "leave out 'x', which is none of the names b, c, d, e, f, y." in strange and "without x, a leaf" in strange
    unquoted = wait_for_everyone.an_order([rustyflow.tensor(1.0)]).text
    assert 'write the names in a list, each in quotes, as in ["y", ...].' in unquoted
    assert "each node once, and b is there twice." in wait_for_everyone.an_order(list("ybefdcb")).text
    assert "each node once, and d is missing." in wait_for_everyone.an_order(list("ybefc")).text


def test_one_is_counted_in_the_singular():
    said = " ".join(a_program_is_a_graph.written_twice("A").text.split())
    assert "For y, 2 products and 1 sum ran; for z, 1 product and 1 sum." in said


def test_a_dict_is_shown_in_its_own_order():
    assert shown({"y": ("a", "b"), "a": ()}) == "{'y': ('a', 'b'), 'a': ()}"
    assert shown({}) == "{}" and shown({k: k for k in range(30)}).endswith("23: 23, ...}")
    knot = {}
    knot["k"] = knot
    assert "{...}" in shown(knot)


def test_a_right_value_is_told_why_and_how_to_be_asked_again():
    said = start_here.first_try(12).text
    assert "All right. Each of the 3 rows has 4 numbers: 3·4 = 12." in said
    assert said.endswith("For another question: check.first_try(..., seed=0)\nAnswer it with the same seed.")


@pytest.mark.parametrize(
    "answer, told",
    [
        ("12", "'12' is not it: write 12 without quotes: a number, not text."),
        ("twelve", "'twelve' is not it: a number, not text."),
        ([12], "[12] is not it: one number is asked for, not a list."),
        (None, "None is not it: one number is asked for, not None."),
        (11, "11 is not it: too small."),
        (True, "True is not it: one number is asked for, not a bool."),
    ],
)
def test_a_value_of_the_wrong_type_is_told_so(answer, told):
    said = start_here.first_try(answer).text
    assert f"numbers  {told}\n" in said and "expected" not in said


def test_a_partly_filled_exercise_scores_its_part():
    said = one_line_of_memory.find_the_layout((2, 3), ..., ...)
    assert said.score == pytest.approx(1 / 3)
    assert "shape   (2, 3) is right.\nstride  not attempted yet" in said.text


def test_a_wrong_layout_is_played_out():
    said = one_line_of_memory.find_the_layout((2, 3), (3, 1), 0).text
    assert "With these three, a reader sees\n          71  18  44\n          90  23  65\n" in said
    past = one_line_of_memory.find_the_layout((2, 3), (10, 2), 5).text
    assert "With these three, y[1, 2] would read slot 19; the storage ends at slot 14.\n" in past


@pytest.mark.parametrize("seed", [0, 7, 10**9])
def test_a_question_can_be_asked_again_with_other_numbers(seed):
    again = one_line_of_memory.which_slot(seed=seed)
    assert "Not answered yet." in repr(again) and f"seed={seed}" in repr(again)
    assert again.ask(**again.case) != one_line_of_memory.which_slot.ask(**one_line_of_memory.which_slot.case)
    answered = one_line_of_memory.which_slot(again.right(), seed=seed)
    assert answered.score == 1 and answered.text.partition("   (your")[0] in repr(again)


def test_a_result_is_its_score_for_nbgrader_and_its_text_for_people(monkeypatch):
    result = one_line_of_memory.find_the_layout((2, 3), ..., ...)
    assert repr(result) == result.text and float(result) == result.score
    for way in ("autograde", "validate"):
        monkeypatch.setenv("NBGRADER_EXECUTION", way)
        assert float(repr(result)) == pytest.approx(1 / 3)
        assert repr(one_line_of_memory.which_slot()) == "0.0"


def test_tensors_arrays_and_lists_are_answers():
    assert plain(rustyflow.tensor([[1, 2]])) == plain(np.array([[1, 2]])) == plain([[1, 2]]) == ((1, 2),)
    assert plain(rustyflow.zeros(3, 4).shape) == (3, 4)
    assert same(np.int64(6), 6) and same(rustyflow.tensor(6), 6) and same(np.float32(0.1), 0.1)
    assert not same((1,), 1) and not same(1, True) and not same("6", 6) and not same(6.5, 6)
    assert same(float("nan"), float("nan")) and not same(float("nan"), 1.0)
    assert not same(10**400, 1.5)
    assert "wrong     too large" in rows_meet_columns.product_cell(lambda *given: 10**400).text
    assert one_line_of_memory.find_the_layout([2, 3], rustyflow.tensor([5, 2]), np.int8(5)).score == 1


def test_a_stretched_axis_with_a_step_is_told_why_it_has_none():
    said = " ".join(stride_zero.strides_and_bytes((0, 4, 1), (0, 4, 1), 16, 96).text.split())
    assert '"only new axes have stride 0"' in said and '"only the first axis is new"' in said


def test_a_step_back_along_the_storage_is_told_to_be_none():
    said = one_line_of_memory.find_the_layout((2, 3), (-5, 2), 5).text
    assert "None of the three is negative here" in said and "tuples" not in said


def test_a_layout_is_counted_in_whole_numbers():
    said = one_line_of_memory.find_the_layout((2.0, 3.0), (5, 2), 5.0)
    assert said.score == pytest.approx(1 / 3)
    assert "it is counted, so write 2 and not 2.0" in said.text and "write 5 and not 5.0" in said.text
    assert back_through_a_broadcast.two_numbers_by_hand(13.0, 11.0).score == 1, "a gradient may have a point"


def test_a_slot_that_is_one_too_far_is_told_where_slots_begin():
    assert "did you count from 1? Slots begin at 0." in " ".join(one_line_of_memory.which_slot(7).text.split())


def test_values_can_be_given_by_name():
    assert start_here.first_try(numbers=12).score == 1
    assert "Not attempted" in start_here.first_try(numbers=..., seed=1).text
    assert "or by name: numbers." in start_here.first_try(number=12).text


def test_the_text_is_plain():
    assert repr(Result("<b>", 0)) == "<b>"


@pytest.mark.parametrize("seed", range(40))
def test_no_seed_asks_the_lesson_s_own_question_again(seed):
    for check in (start_here.first_try, stride_zero.how_many_bytes, a_program_is_a_graph.written_twice):
        assert check.ask(**check.numbers(seed)) != check.ask(**check.case)
        assert repr(check(seed=seed)) == repr(check(seed=seed))
