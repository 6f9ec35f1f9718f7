"""Lesson 09, in words worked out by hand: what its exercises take, what they send back, and what its text claims."""

import pytest

import rustyflow as torch
from rustyflow.lessons import one_node_one_product as check


@pytest.mark.parametrize(
    "exercise, function",
    [
        (check.vjp_mul, lambda g, a, b: [b * g, a * g]),
        (check.vjp_div, lambda g, a, b: (g / b, -g * a / b**2)),
        (check.vjp_div, lambda g, a, b: (g * (1 / b), g * -(a / b) / b)),
        (check.vjp_pow, lambda g, x, n: n * g * x ** (n - 1)),
    ],
)
def test_right_functions_pass_however_they_are_written(exercise, function):
    assert exercise(function).score == 1


@pytest.mark.parametrize(
    "exercise, function, told",
    [
        (check.vjp_mul, lambda g, a, b: (b, a), "upstream can be ignored"),
        (check.vjp_mul, lambda g, a, b: (g * a, g * b), "what arrives is multiplied by the operand itself"),
        (check.vjp_mul, lambda g, a, b: g * b, "two gradients are asked for"),
        (check.vjp_mul, lambda g, a, b: (torch.diag(g * b), torch.diag(g * a)), "da: shape (2, 2), where (2,) is"),
        (check.vjp_mul, lambda g, a, b: (g * b, (g * a).tolist()), "db: a tensor is asked for, not a list"),
        (check.vjp_div, lambda g, a, b: (g / b, g * a / b**2), "the sign does not matter"),
        (check.vjp_div, lambda g, a, b: (g / b, -g * a / b), "b counts once"),
        (check.vjp_div, lambda g, a, b: (g / b, -g / b**2), "a does not count for b"),
        (check.vjp_div, lambda g, a, b: (g / b, -a / b**2), "upstream can be ignored"),
        (check.vjp_div, lambda g, a, b: (g / b, -g * a / b**3), "db: the shape is right, the numbers are not"),
        (check.vjp_pow, lambda g, x, n: g * n * x**n, "the exponent stays"),
        (check.vjp_pow, lambda g, x, n: g.sum() * n * x ** (n - 1), "each number that arrives reaches each number"),
    ],
)
def test_a_slip_is_told_what_is_behind_it(exercise, function, told):
    said = exercise(function)
    assert said.score == 0 and "Its example" in said.text and told in " ".join(said.text.split())


@pytest.mark.parametrize(
    "function, told",
    [
        (lambda g, x, n: n * g * x**n / x, "the numbers are not"),  # at x = 0 that is 0 / 0
        (lambda g, x, n: n * g * ((n - 1) * x.log()).exp(), "the numbers are not"),
        (lambda g, x, n: n * g * x.abs() ** (n - 1), "a number to a power is positive"),
    ],
)
def test_a_power_that_holds_for_positive_numbers_alone_is_refused(function, told):
    said = check.vjp_pow(function)
    assert said.score == 0 and told in " ".join(said.text.split())


def test_autograd_is_not_asked():
    def vjp_mul(g, a, b):
        a, b = a.clone().requires_grad_(), b.clone().requires_grad_()
        (a * b).backward(g)
        return a.grad, b.grad

    said = check.vjp_mul(vjp_mul)
    assert said.score == 0 and "it leaves the work to backward" in " ".join(said.text.split())


def test_the_lesson_s_own_answers():
    assert check.upstream_of_ten(70).score == check.three_at_once((30, 4, 12)).score == 1
    assert check.another_end(0.25, 1.75, 0.75).score == check.how_large(10**6, 999_000, 1000).score == 1


def test_what_the_text_says_of_the_table():
    x, b = torch.rand(2, 3), torch.rand(2, 3) + 1
    table = torch.autograd.functional.jacobian(lambda x: x * b, x).reshape(6, 6)
    assert table.numel() == 6 * 6 and int((table == 0).sum()) == 6 * 6 - 6


def test_a_guess_is_played_with_its_number_in_the_box_of_a():
    scene = check.upstream_of_ten.played(7, **check.upstream_of_ten.case)
    box = scene.index["gr0"]
    assert "virtual" in box.cls and [part.text for part in box.walk() if part.text] == ["7"]
    assert [frame.sentence for frame in scene.frames] == [
        "If this were so, the loss would move by 7 for one unit of a, and so c by 7 / 10 = 0.7.",
        "If this were so, c would go from 21 to 21.7 when a goes to 4. But 4·7 = 28.",
    ]


def test_a_table_fails_at_the_shape_of_a_gradient():
    table = ((30, 0, 0), (0, 4, 0), (0, 0, 12))
    said = [frame.sentence for frame in check.three_at_once.played(table, **check.three_at_once.case).frames]
    assert said[-1] == "If this were so, u.grad.shape would be (3, 3). It is (3,)."


def test_what_comes_of_the_changed_number_is_told_so_with_a_figure_or_without():
    said = " ".join(check.another_end(0.5, 3.5, 1.5).text.split())
    assert said.count("That is for half of the number in the question.") == 3 and "or in a cell of yours?" in said


def test_the_zeros_of_the_table_are_there_whatever_b_holds():
    x, b = torch.ones(2, 3), torch.zeros(2, 3)
    b[0, 1] = 5
    table = torch.autograd.functional.jacobian(lambda x: x * b, x).reshape(6, 6)
    assert torch.equal(table, torch.diag(b.flatten()))
