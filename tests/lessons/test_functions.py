"""What a check understands of a function that a student wrote, and what it says of it, in words worked out by hand."""

import sys
import time

import pytest

from rustyflow import zeros
from rustyflow.lessons import (
    a_program_is_a_graph,
    back_through_a_broadcast,
    models,
    one_line_of_memory,
    one_node_one_product,
    stride_zero,
    wait_for_everyone,
)
from rustyflow.lessons.kit.answers import call as running
from rustyflow.lessons.kit.answers.answer import untouched
from rustyflow.lessons.kit.answers.call import call


def test_functions_written_by_hand_pass():
    def slot_of(index, stride, offset):
        return offset + sum(i * s for i, s in zip(index, stride, strict=True))

    def stride_of_new(shape):
        stride, step = [], 1
        for size in reversed(shape):
            stride.insert(0, step)
            step *= max(size, 1)
        return stride

    def expanded_stride(shape, stride, size):
        new = len(size) - len(shape)
        kept = [0 if n == 1 and m != 1 else s for n, s, m in zip(shape, stride, size[new:], strict=True)]
        return tuple([0] * new + kept)

    def straight(x):
        squared = x * x
        return squared.tanh() * x

    def topological_order(graph):
        order = []
        while len(order) < len(graph):
            order += [n for n in graph if n not in order and all(source in order for source in graph[n])]
        return order

    def trap(a, b):
        c = a * b
        d = c.tanh()
        return c + d

    def sum_to(g, shape):
        while g.ndim > len(shape):
            g = g.sum(0)
        for d, n in enumerate(shape):
            if n == 1:
                g = g.sum(d, keepdim=True)
        return g

    assert a_program_is_a_graph.straight(straight).score == 1
    assert a_program_is_a_graph.topological_order(topological_order).score == 1
    assert wait_for_everyone.trap(trap).score == 1
    assert back_through_a_broadcast.sum_to(sum_to).score == 1
    assert one_line_of_memory.slot_of(slot_of).text == "slot_of is right: 50 cases of 50."
    assert one_line_of_memory.stride_of_new(stride_of_new).score == 1
    assert stride_zero.expanded_stride(expanded_stride).score == 1


def test_a_wrong_function_is_told_its_case_and_its_misconception():
    def slot_of(index, stride, offset):
        return sum(i * s for i, s in zip(index, stride, strict=True))

    said = one_line_of_memory.slot_of(slot_of)
    assert said.score == 0
    assert said.text.startswith("slot_of is not right yet. Case 2 of 50:")  # the example has no offset, so it is right
    assert "slot_of(index=(" in said.text and "got       " in said.text and "wrong     too small" in said.text
    assert '"every tensor starts at slot 0"' in said.text


def test_a_function_is_shown_on_request_as_it_can_be_typed():
    def stub(a, b): ...

    code = "One way to write it:\n\n  def trap(a, b):\n      c = a * b\n      return c + c * 2"
    for answer in (..., stub, lambda a, b: a * b, lambda a, b: a * b + a * b, models.trap):
        assert wait_for_everyone.trap(answer, show=True).text.endswith(code)
        assert "def trap" not in wait_for_everyone.trap(answer).text
        assert wait_for_everyone.trap(answer, show=True).score == wait_for_everyone.trap(answer).score


def test_a_size_of_1_that_stays_keeps_its_stride():
    def expanded_stride(shape, stride, size):
        new = len(size) - len(shape)
        return (0,) * new + tuple(0 if n == 1 else s for n, s in zip(shape, stride, strict=True))

    said = stride_zero.expanded_stride(expanded_stride)
    assert said.score == 0 and '"every axis of size 1 has stride 0"' in said.text


def test_of_two_misconceptions_the_one_is_told_that_the_case_shows():
    def expanded_stride(shape, stride, size):
        return [0 if n == 1 else s for n, s in zip(shape, stride, strict=True)]  # and no new axes

    said = stride_zero.expanded_stride(expanded_stride).text
    assert '"every axis of size 1 has stride 0"' in said and "got       [0]\n" in said


def test_a_graph_that_is_right_but_not_written_step_by_step_is_refused():
    def loops(x):
        y = x
        for turn in range(3):
            y = y.tanh() if turn == 1 else y * x
        return y

    def folds(x):
        return [y := x, *[y := y.tanh() if turn == 1 else y * x for turn in range(3)]][-1]

    def calls(x):
        return a_program_is_a_graph.program(x)

    for function, why in ((loops, "has a loop or an if"), (folds, "has a loop or an if"), (calls, "calls program")):
        said = a_program_is_a_graph.straight(function)
        assert said.score == 0 and why in said.text and "10 cases of 10" in said.text


def test_a_graph_is_told_its_misconception_by_what_ran_not_by_its_numbers():
    def said(function):
        return " ".join(a_program_is_a_graph.straight(function).text.split())

    assert "the order of the two factors does not matter" in said(lambda x: x * (x * x).tanh())
    assert "x ** 2 is not x * x" in said(lambda x: (x**2).tanh() * x)
    assert "x ** 2 is not x * x" in said(lambda x: x**2)  # seen in its source
    assert "This is what follows from" not in said(lambda x: x.exp())
    assert "float32[] " in said(lambda x: x**2)  # a number, as in the lesson


def test_a_graph_that_is_told_names_nothing_that_its_student_did_not():
    said = a_program_is_a_graph.straight(lambda x: x.exp() * x).text
    assert "yours:\n            %1 = leaf " in said and "\n            %3 = mul %2, %1 " in said
    assert "wanted:\n            x  %1 = leaf " in said and said.count("tanh") == 1


def test_an_error_in_a_function_is_told_with_its_line():
    def slot_of(index, stride, offset):
        first = index * stride
        return first

    said = one_line_of_memory.slot_of(slot_of).text
    line = slot_of.__code__.co_firstlineno + 1
    assert f"It stopped with an error in line {line} of its cell:\n  first = index * stride\n  TypeError: " in said


def test_a_missing_return_and_what_was_printed_are_told():
    def slot_of(index, stride, offset):
        print("offset is", offset)

    said = one_line_of_memory.slot_of(slot_of).text
    assert "It gives None back: is a return missing?" in said and "printed   offset is" in said


def test_only_a_stub_is_untouched():
    def stub(x): ...
    def passes(x): pass
    def answers(x): return x
    def empty_handed(x): x.sort()  # fmt: skip

    assert untouched(...) and untouched(stub) and untouched(passes)
    assert not any(map(untouched, (None, 0, "...", answers, empty_handed, len, lambda: 0)))


def test_plain_recursion_is_right_by_luck_when_the_detour_comes_first():
    def detour_first(a, b):
        c = a * b
        return c * 2 + c

    said = wait_for_everyone.trap(detour_first)
    a, b = 2.0, 1.0  # those of the first case: y = 3ab
    assert said.score == 0 and f"trap(a=tensor({a:.0f}., requires_grad=True), b=tensor({b:.0f}.," in said.text
    assert f"gets this one right: a.grad is {3 * b:g}, b.grad is {3 * a:g}, as with an engine that waits" in said.text


def test_a_trap_of_which_the_operands_stand_the_wrong_way_round_is_told_so():
    def long_way_first(a, b):
        c = a * b
        d = c + 1
        return d * c

    said = " ".join(wait_for_everyone.trap(long_way_first).text.split())
    assert "the order of the operands decides" in said
    assert "the order of the operands" not in wait_for_everyone.trap(lambda a, b: a * b).text


def test_what_is_lost_and_counts_for_nothing_is_told_so():
    def zero_late(a, b):
        c = a * b
        return c + c * 0

    def zero_after(a, b):
        c = a * b * 0
        return c + c * 2

    for program in (zero_late, zero_after):
        said = wait_for_everyone.trap(program).text
        assert "too late and is lost, but it is 0, or is multiplied by 0" in said and "operand" not in said


@pytest.mark.parametrize("program", [lambda a, b: a + a * b, lambda a, b: a * (a + b), lambda a, b: a * a + b])
def test_a_leaf_used_twice_is_told_to_lose_nothing(program):
    said = wait_for_everyone.trap(program)
    assert said.score == 0 and "the order of the operands" not in said.text
    assert "a leaf is never visited: it only adds up what comes, so nothing is lost there" in said.text
    assert "a leaf" not in wait_for_everyone.trap(lambda a, b: a * b).text


def test_the_lessons_example_typed_again_is_no_trap_of_ones_own():
    def trap(a, b):
        c = a * 2
        return c + c * 5

    said = wait_for_everyone.trap(trap)
    assert said.score == 0 and "let the other take part too" in said.text


def test_one_value_in_brackets_is_told_as_a_number_is():
    def expanded_stride(shape, stride, size):
        right = models.expanded_stride(shape, stride, size)
        return tuple(0 if n == 1 else s for n, s in zip(size, right, strict=True))

    said = stride_zero.expanded_stride(expanded_stride).text
    assert "got       (0,)\n  wrong     too small" in said and "Where the size stays 1" in said


def test_a_return_of_nothing_is_an_attempt():
    def topological_order(graph):
        return None

    assert "is a return missing?" in a_program_is_a_graph.topological_order(topological_order).text


def test_a_sum_that_forgets_to_keep_its_axis_is_told_so():
    """Also where it stops with an error in a later case."""

    def sum_to(g, shape):
        for _ in range(g.ndim - len(shape)):
            g = g.sum(0)
        for d in range(len(shape)):
            if shape[d] == 1:
                g = g.sum(d)
        return g

    said = " ".join(back_through_a_broadcast.sum_to(sum_to).text.split())
    assert "shape (3,), where (3, 1) is asked for" in said and "sum it with keepdim=True" in said


def test_axes_that_moved_up_are_told_so_on_few_numbers():
    def sum_to(g, shape):
        for d in range(g.ndim - len(shape)):
            g = g.sum(d)
        for d in range(g.ndim):
            if shape[d] == 1 and g.shape[d] != 1:
                g = g.sum(d, keepdim=True)
        return g

    said = " ".join(back_through_a_broadcast.sum_to(sum_to).text.split())
    assert "Case 7 of 50" in said and "shape (1,), where (2,) is asked for" in said
    assert "what was axis 1 is axis 0 now. Sum axis 0 again." in said


def test_a_mean_of_the_wrong_shape_is_told_to_be_a_mean():
    said = " ".join(back_through_a_broadcast.sum_to(lambda g, shape: g.mean(0)).text.split())
    assert "Nothing is averaged" in said and "shape (4,), where (3, 1) is asked for" in said


def test_an_error_in_the_first_case_is_laid_to_no_misconception():
    said = back_through_a_broadcast.sum_to(lambda g, shape: g.sum(7)).text
    assert "stopped with an error" in said and "This is what follows from" not in said


def test_an_endless_loop_ends():
    def loop():
        while True: pass  # noqa: E701

    assert "a loop in it seems never to end" in call(loop, (), 0.2).problem.lower()


def test_a_tracer_of_somebody_else_stays():
    calls = []

    def tracer(*event):
        calls.append(event)

    before = sys.gettrace()
    sys.settrace(tracer)
    try:
        assert call(lambda: 1, ()).value == 1
        assert sys.gettrace() is tracer
    finally:
        sys.settrace(before)
    assert calls


def test_a_function_cannot_spoil_the_case_of_the_next():
    def stride_of_new(shape, seen=[]):  # noqa: B006
        shape = list(shape)
        seen.append(shape.copy())
        shape.clear()
        return ()

    assert one_line_of_memory.stride_of_new(stride_of_new).score == 0


def test_what_waits_or_catches_everything_is_not_waited_for(monkeypatch):
    monkeypatch.setattr(running, "PATIENCE", 0.3)
    awake = []

    def sleeps(index, stride, offset):
        time.sleep(5)
        awake.append(True)

    def catches(index, stride, offset):
        while True:
            try:
                offset += 1
            except:  # noqa: E722
                pass

    for function in (sleeps, catches):
        said = one_line_of_memory.slot_of(function)
        assert said.score == 0 and not awake  # nobody waited for it
        assert "0.3 seconds were not enough" in said.text and "time.sleep" in said.text


def test_the_patience_is_for_all_cases_together(monkeypatch):
    monkeypatch.setattr(running, "PATIENCE", 0.3)
    slow = one_line_of_memory.slot_of(lambda *case: time.sleep(0.02) or models.slot_of(*case))
    assert slow.score == 0 and "not enough" in slow.text


def test_what_is_printed_without_end_is_cut_and_goes_nowhere_else(capsys):
    def prints(index, stride, offset):
        while True:
            print("x" * 1000)

    said = call(prints, (1, 1, 1), 0.2)
    assert said.printed == "x" * running.PRINTED and capsys.readouterr().out == ""


@pytest.mark.parametrize("large", [
    lambda: zeros(2000, 1000), lambda: [0] * 2_000_000, lambda: (zeros(3), zeros(2_000_000)),
])  # fmt: skip
def test_a_very_large_answer_is_not_compared_number_by_number(large):
    began = time.monotonic()
    said = one_node_one_product.vjp_mul(lambda g, a, b: large())
    assert said.score == 0 and "It gives back 2,000,000 values: far more than any answer here has." in said.text
    assert time.monotonic() - began < 5


def test_a_function_is_refused_in_the_right_words():
    def absent(index, stride, offset):
        import einops

        return einops.slot(index)

    def prints(index, stride, offset):
        print(offset + sum(i * s for i, s in zip(index, stride)))

    check = one_line_of_memory.slot_of
    assert "No module named 'einops'\nNo exercise needs more than Python" in check(absent).text
    assert "It gives None back: is a return missing? What print shows is not given back." in check(prints).text
    assert "it is counted, so write 6 and not 6.0" in check(lambda i, s, offset: float(check.key(i, s, offset))).text
    assert "give it by its name alone: check.slot_of(slot_of)" in check(6).text


def test_an_argument_that_is_changed_is_told():
    def topological_order(graph):
        order = []
        while graph:
            order.append(next(name for name in graph if all(source in order for source in graph[name])))
            del graph[order[-1]]
        return order

    said = a_program_is_a_graph.topological_order(topological_order)
    changes = "it also changes graph, which belongs to the caller: work on a copy."
    assert said.score == 0 and changes in " ".join(said.text.split())

    def sum_to(g, shape):
        g += 1
        return g

    said = back_through_a_broadcast.sum_to(sum_to)
    assert said.score == 0 and "It changes g, which belongs to the caller" in said.text


@pytest.mark.parametrize("wrap, told", [
    (lambda g: g.tolist(), "a tensor is asked for, not a list"),
    (lambda g: g.numpy(), "a tensor is asked for, not a ndarray"),
    (lambda g: g.int(), "int32, where rustyflow.float32 is asked for"),
])
def test_a_gradient_is_a_tensor_of_its_own_dtype(wrap, told):
    said = back_through_a_broadcast.sum_to(lambda g, shape: wrap(models.sum_to(g, shape)))
    assert said.score == 0 and told in said.text
