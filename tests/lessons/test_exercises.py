"""What every exercise promises: wrong answers of any kind are refused, right ones pass however they are written."""

from collections import deque
from dataclasses import replace
from random import Random

import numpy as np
import pytest

import rustyflow
from rustyflow.lessons import (
    Blanks,
    Exercise,
    a_program_is_a_graph,
    back_through_a_broadcast,
    nudge_it,
    one_line_of_memory,
    stride_zero,
    wait_for_everyone,
)
from rustyflow.lessons.kit.exercises.in_place import InPlace
from rustyflow.lessons.kit.exercises.left import Left
from tests.lessons.catalogue import every

EXERCISES, BLANKS = every(Exercise), every(Blanks)
STEPS = (
    lambda x, y: x * y, lambda x, y: y * x, lambda x, y: y.tanh(), lambda x, y: y.exp(), lambda x, y: y + x,
    lambda x, y: x - y, lambda x, y: y * 2,
)  # fmt: skip


def spoilt(answer, random):
    """Wrong in one place, or by one more or one less."""
    if isinstance(answer, rustyflow.Tensor):
        return spoilt_tensor(answer, random)
    if isinstance(answer, tuple | list):
        place = random.randrange(len(answer) + 1)
        if place == len(answer):
            return random.choice((answer[:-1], (*answer, 1), (0, *answer)))
        return (*answer[:place], spoilt(answer[place], random), *answer[place + 1 :])
    if isinstance(answer, int | float) and not isinstance(answer, bool):
        return answer + random.choice((-7, -2, -1, 1, 3, 10))
    return f"no {answer}"


def spoilt_tensor(answer, random):
    """Another number in one place, or another shape."""
    if random.random() < 0.3:
        return answer.unsqueeze(random.randrange(answer.ndim + 1))
    changed = answer.detach().clone(memory_format=rustyflow.contiguous_format)
    changed.view(-1)[random.randrange(answer.numel())] += random.choice((-1, 3, 2))
    return changed


def spoilt_in_place(answer, tensors, random):
    """Tensors that were rightly changed, and then one of their numbers wrongly; what is given back does not count."""
    cells = random.choice(tensors).detach().view(-1)
    cells[random.randrange(cells.numel())] += random.choice((-1, 3, 2))
    return answer


def names(answer, random):
    """One left out, one twice, one that is strange, or one before what it needs."""
    order, place = list(answer), random.randrange(len(answer))
    way = random.randrange(4)
    if way == 0:
        return order[:place] + order[place + 1 :]
    if way == 1:
        return [*order, order[place]]
    if way == 2:
        return [*order[:place], "zz", *order[place + 1 :]]
    return order[::-1]


def another_program(random):
    """Three steps or so; `program` itself is y * x, tanh, y * x, and is left out."""
    steps = [random.choice(STEPS) for _ in range(random.randint(1, 4))]
    return None if steps == [STEPS[1], STEPS[2], STEPS[1]] else steps


def a_tree(random):
    """A program in which every result is read once, so that plain recursion loses nothing."""
    return [random.choice((lambda y, a: y + a, lambda y, a: a * y, lambda y, a: y.tanh(), lambda y, a: a - y))
            for _ in range(random.randint(1, 5))]


def walked(steps, y, x):
    for step in steps:
        y = step(y, x)
    return y


def wrong(name, check, seed):
    """A function that is wrong in a way of its own."""
    random = Random(seed)
    if name.endswith(".straight"):
        steps = None
        while steps is None:
            steps = another_program(random)
        first = steps[0] is STEPS[0] and steps[1:] == [STEPS[2], STEPS[1]]  # x * x, whichever is called y
        steps = steps[:-1] if first else steps
        return lambda x: walked([lambda y, x, s=s: s(x, y) for s in steps], x, x)
    if name.endswith(".trap"):
        steps = a_tree(random)
        return lambda a, b: walked(steps, a * b, a)
    keys = list(check.numbers(0))
    if isinstance(check, InPlace):
        return lambda *given: spoilt_in_place(check.key(**dict(zip(keys, given, strict=True))), given[0], random)
    if isinstance(check, Left):
        return lambda *given: spoilt_in_place(
            check.key(**dict(zip(keys, given, strict=True))), [x.grad for x in given if x.grad is not None], random)
    spoil = names if check.name == "topological_order" else spoilt
    return lambda *given: spoil(check.key(**dict(zip(keys, given, strict=True))), random)


WRONG = range(15)
"""The wrong functions that are tried in every run; the long ring tries a hundred."""


@pytest.mark.parametrize("name", EXERCISES)
def test_many_wrong_functions_are_refused(name):
    check = replace(EXERCISES[name], many=8)  # fewer cases than a student's function has to pass
    for seed in WRONG:
        said = check(wrong(name, check, seed))
        assert said.score == 0 and "hint=1" in said.text, seed


def slots(index, stride, offset):
    return np.dot(index, stride) + offset


def slots_by_recursion(index, stride, offset):
    return offset if not index else slots_by_recursion(index[1:], stride[1:], offset + index[0] * stride[0])


def strides_from_the_left(shape):
    return np.array([int(np.prod(shape[d + 1 :])) for d in range(len(shape))])


def strides_in_turn(shape):
    stride = [1]
    for size in reversed(shape[1:]):
        stride.insert(0, stride[0] * size)
    return stride


def strides_as_they_come(shape):
    for d in range(len(shape)):
        step = 1
        for size in shape[d + 1 :]:
            step *= size
        yield step


def expanded_by_padding(shape, stride, size):
    new = len(size) - len(shape)
    both = zip((1,) * new + tuple(shape), (0,) * new + tuple(stride), size)
    return rustyflow.tensor([s if n == m else 0 for n, s, m in both])


def expanded_backwards(shape, stride, size):
    result = deque()
    for d in range(1, len(size) + 1):
        stays = d <= len(shape) and shape[-d] == size[-d]
        result.appendleft(stride[-d] if stays else 0)
    return result


def straight_in_one(x):
    return (x * x).tanh() * x


def straight_by_name(x):
    first = rustyflow.mul(x, x)
    second = rustyflow.tanh(first)
    return rustyflow.mul(second, x)


def order_depth_first(graph):
    done = {}

    def visit(name):
        for source in graph[name]:
            visit(source)
        done[name] = True

    for name in graph:
        visit(name)
    return done


def order_by_counting(graph):
    left = {name: set(sources) for name, sources in graph.items()}
    while left:
        name = min(name for name, sources in left.items() if not sources)
        yield name
        del left[name]
        for sources in left.values():
            sources.discard(name)


def trap_of_three(a, b):
    c = a + b
    return c * (c * 3)


def trap_in_a_loop(a, b):
    y = a * b
    for _ in range(3):
        y = y + y.tanh()
    return y


def summed_at_once(g, shape):
    padded = (1,) * (g.ndim - len(shape)) + tuple(shape)
    axes = [d for d in range(g.ndim) if padded[d] == 1]
    return (g.sum(axes, keepdim=True) if axes else g).reshape(shape)


def summed_from_the_right(g, shape):
    for d in range(1, len(shape) + 1):
        if shape[-d] == 1:
            g = g.sum(-d, keepdim=True)
    while g.dim() != len(shape):
        g = rustyflow.sum(g, 0)
    return g


RIGHT = [
    (one_line_of_memory.slot_of, slots),
    (one_line_of_memory.slot_of, slots_by_recursion),
    (one_line_of_memory.stride_of_new, strides_from_the_left),
    (one_line_of_memory.stride_of_new, strides_in_turn),
    (one_line_of_memory.stride_of_new, strides_as_they_come),
    (stride_zero.expanded_stride, expanded_by_padding),
    (stride_zero.expanded_stride, expanded_backwards),
    (a_program_is_a_graph.straight, straight_in_one),
    (a_program_is_a_graph.straight, straight_by_name),
    (a_program_is_a_graph.topological_order, order_depth_first),
    (a_program_is_a_graph.topological_order, order_by_counting),
    (wait_for_everyone.trap, trap_of_three),
    (wait_for_everyone.trap, trap_in_a_loop),
    (back_through_a_broadcast.sum_to, summed_at_once),
    (back_through_a_broadcast.sum_to, summed_from_the_right),
]


@pytest.mark.parametrize("check, function", RIGHT, ids=[function.__name__ for _, function in RIGHT])
def test_a_right_function_passes_however_it_is_written(check, function):
    said = check(function)
    assert said.score == 1, said.text


@pytest.mark.parametrize("name", EXERCISES)
def test_three_beliefs_at_least_have_a_wrong_answer_of_their_own(name):
    assert len({m.belief for m in EXERCISES[name].misconceptions}) >= 3


@pytest.mark.parametrize("name", BLANKS)
def test_some_belief_stands_behind_each_value(name):
    """And three at least behind those of an exercise together."""
    beliefs = [m.belief for blank in BLANKS[name].blanks.values() for m in blank.misconceptions]
    assert all(blank.misconceptions for blank in BLANKS[name].blanks.values()) and len(beliefs) >= 3


@pytest.mark.parametrize("name", [*EXERCISES, *BLANKS])
def test_hints_come_one_after_another_and_then_the_answer_is_offered(name):
    check = (EXERCISES | BLANKS)[name]
    assert len(check.hints) == 3
    given = [lambda *arguments: -1] if name in EXERCISES else ["?"] * len(check.blanks)
    texts = [check(*given, hint=n).text for n in range(4)]
    for n, text in enumerate(texts):
        words = " ".join(text.split())
        assert [hint in words for hint in check.hints] == [k < n for k in range(3)]
        assert f"hint={n + 1})" in text if n < 3 else "show=True)" in text
        assert ("show=True" in text) == (n == 3)
    assert check(*given, hint=9).text == texts[3]
    untouched = check(..., hint=1)
    assert check.hints[0] in " ".join(untouched.text.split()) and untouched.score == 0


@pytest.mark.parametrize("check, function, call", [
    (one_line_of_memory.stride_of_new, lambda shape: rustyflow.empty(shape).stride(), "stride"),
    (stride_zero.expanded_stride, lambda shape, stride, size: rustyflow.empty(1).as_strided(
        shape, [0] * len(shape)).expand(size).stride(), "stride"),
    (back_through_a_broadcast.sum_to, lambda g, shape: g.sum_to_size(shape), "sum_to_size"),
    (back_through_a_broadcast.sum_to, back_through_a_broadcast.sum_to.key, "backward"),
])  # fmt: skip
def test_the_library_s_own_call_is_told_to_be_what_is_to_be_written(check, function, call):
    said = check(function)
    assert said.score == 0
    if "does what it should" in said.text:
        assert f"it leaves the work to {call}" in " ".join(said.text.split())


def test_a_belief_may_be_seen_in_the_source_alone():
    def sum_to(g, shape):
        return g.mean(7)

    said = back_through_a_broadcast.sum_to(sum_to).text
    assert "It stopped with an error" in said and '"the gradient is averaged"' in said


ROOM = rustyflow.zeros(2, 3)


def into_one_tensor(f, x, h):
    for i in range(2):
        for j in range(3):
            moved = x.clone()
            moved[i, j] += h
            ROOM[i, j] = (f(moved) - f(x)) / h
    return ROOM


PUT_DOWN = []


def into_one_list(graph):
    PUT_DOWN.clear()
    PUT_DOWN.extend(order_depth_first(graph))
    return PUT_DOWN


@pytest.mark.parametrize("check, function, kind", [
    (nudge_it.sensitivities, into_one_tensor, "tensor"),
    (a_program_is_a_graph.topological_order, into_one_list, "list"),
])  # fmt: skip
def test_what_comes_back_is_judged_before_the_next_call_writes_to_it(check, function, kind):
    said = check(function)
    assert said.score == 1 and f"It gives back the same {kind} in several calls" in said.text


def test_a_wrong_object_is_shown_as_it_came_from_the_case_that_is_told():
    room = []

    def topological_order(graph):
        room[:] = list(graph)
        return room

    assert "got       ['y', 'b', 'a']" in a_program_is_a_graph.topological_order(topological_order).text


def returns_in_the_loop(g, shape):
    while g.ndim > len(shape):
        g = g.sum(0)
    for d in range(len(shape)):
        if shape[d] == 1:
            g = g.sum(d, keepdim=True)
        return g
    return g


@pytest.mark.parametrize("check, function", [
    (back_through_a_broadcast.sum_to, returns_in_the_loop),
    (a_program_is_a_graph.topological_order, lambda graph: sorted(graph, key=lambda name: len(graph[name]))),
])  # fmt: skip
def test_a_belief_that_explains_some_cases_alone_is_not_named(check, function):
    said = check(function)
    assert said.score == 0 and "This is what follows" not in said.text


def test_of_a_program_that_has_to_fail_one_case_is_said_to_be_enough():
    def trap(a, b):
        c = a * b
        return c + c * 5 if a > b else c

    said = wait_for_everyone.trap(trap)
    assert said.score == 1 and said.text == "trap is right: 5 cases of 10, and one is enough."


def test_an_order_of_nothing_may_stand_in_a_dict_as_any_order():
    assert a_program_is_a_graph.topological_order(order_depth_first).text == (
        "topological_order is right: 50 cases of 50.")  # fmt: skip
    said = a_program_is_a_graph.topological_order(lambda graph: order_depth_first(graph) if graph else 7)
    assert said.text.endswith("topological_order(graph={}) is 7\n  and should be []")


def test_what_prints_is_not_heard_from_a_case_that_no_one_is_told_of(capsys):
    def sensitivities(f, x, h):
        print(x)
        return nudge_it.sensitivities.model(f, x, h)

    assert nudge_it.sensitivities(sensitivities).score == 1 and capsys.readouterr().out == ""


@pytest.mark.parametrize("half, tenth, towards", [(12.25, ..., ...), (..., 9.61, ...), (..., ..., 9)])
def test_where_y_arrives_is_told_from_how_far_it_moved(half, tenth, towards):
    assert '"where y arrives is the answer"' in nudge_it.smaller_nudges(half, tenth, towards).text


def test_practice_is_another_each_time():
    """No rule of thumb answers again: not the same strides, nor reading a program backwards."""
    blanks = stride_zero.strides_and_bytes
    assert len({blanks.blanks["stride_a"].key(**blanks.numbers(seed)) for seed in range(40)}) > 10
    question = one_line_of_memory.which_are_contiguous
    assert len({question.key(**question.numbers(seed)) for seed in range(40)}) > 10
    order = wait_for_everyone.an_order
    for seed in (None, *range(100)):
        lines = sorted(order.numbers(seed)["graph"])
        assert order(lines, seed=seed).score == order(lines[::-1], seed=seed).score == 0
