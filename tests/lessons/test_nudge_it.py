"""Lesson 07, in words worked out by hand: what its exercise takes, what it sends back, and what its text claims."""

import pytest

import rustyflow as torch
from rustyflow.lessons import nudge_it as check


def one_by_one(f, x, h, quotient):
    result = torch.zeros(2, 3)
    for i in range(2):
        for j in range(3):
            moved = x.clone()
            moved[i, j] += h
            result[i, j] = quotient(moved)
    return result


def forward(f, x, h):
    return one_by_one(f, x, h, lambda moved: (f(moved) - f(x)) / h)


def to_both_sides(f, x, h):
    return one_by_one(f, x, h, lambda moved: (f(moved) - f(x - (moved - x))) / (2 * h))


def with_a_mask(f, x, h):
    rows = []
    for k in range(x.numel()):
        mask = torch.zeros(x.numel(), dtype=x.dtype)
        mask[k] = h
        rows.append(((f(x + mask.view(x.shape)) - f(x)) / h).item())
    return torch.tensor(rows).view(2, 3)


@pytest.mark.parametrize("function", [forward, to_both_sides, with_a_mask])
def test_functions_written_in_different_ways_pass(function):
    assert check.sensitivities(function).text == "sensitivities is right: 20 cases of 20."


def undivided(f, x, h):
    return one_by_one(f, x, h, lambda moved: f(moved) - f(x))


def one_for_all(f, x, h):
    return (f(x + h) - f(x)) / h


def piled_up(f, x, h):
    result, moved = torch.zeros(2, 3), x.clone()
    for i in range(2):
        for j in range(3):
            moved[i, j] += h
            result[i, j] = (f(moved) - f(x)) / h
    return result


def under_two_names(f, x, h):
    result = torch.zeros(2, 3)
    for i in range(2):
        for j in range(3):
            moved = x
            moved[i, j] += h
            result[i, j] = (f(moved) - f(x)) / h
    return result


@pytest.mark.parametrize(
    "function, belief",
    [
        (undivided, "how far the result moves is the answer"),
        (one_for_all, "all numbers are nudged at once"),
        (piled_up, "a number that was nudged may stay where it is"),
        (under_two_names, "a second name is a copy"),
        (lambda f, x, h: one_by_one(f, x, h, lambda moved: f(moved) / h), "where the result arrives"),
        (lambda f, x, h: one_by_one(f, x, h, lambda moved: (f(x) - f(moved)) / h), "the order of the difference"),
    ],
)
def test_a_slip_is_told_the_belief_behind_it(function, belief):
    said = " ".join(check.sensitivities(function).text.split())
    assert "Its example" in said and f'"{belief}' in said and "f=lambda x: (x[0] * x[1]).sum()" in said


def test_backward_is_no_nudge():
    def asks(f, x, h):
        leaf = x.clone().requires_grad_()
        f(leaf).backward()
        return leaf.grad

    said = check.sensitivities(asks)
    assert said.score == 0 and "it leaves the work to backward" in " ".join(said.text.split())


def test_a_list_is_no_gradient():
    assert "a tensor is asked for" in check.sensitivities(lambda f, x, h: [[1.0] * 3] * 2).text
    assert "shape (3, 2), where (2, 3) is asked for" in check.sensitivities(lambda f, x, h: forward(f, x, h).T).text


def test_what_the_text_says_of_digits():
    def off(nudge, dtype):
        x = torch.tensor(3.0, dtype=dtype)
        return abs((((x + nudge) ** 3 - x**3) / nudge).item() - 27)

    steps = [10.0**-k for k in range(1, 12)]
    assert min(steps, key=lambda h: off(h, torch.float32)) == 1e-3
    assert min(steps, key=lambda h: off(h, torch.float64)) == 1e-8
    with pytest.raises(RuntimeError, match="(?s)Jacobian mismatch.*may keep too few digits for a nudge of 1e-06"):
        torch.autograd.gradcheck(lambda x: x * x * x, (torch.tensor([3.0, 0.5], requires_grad=True),))
