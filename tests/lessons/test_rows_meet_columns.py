"""Lesson 06, in words worked out by hand: what its exercises take, what they send back, and what its text claims."""

import pytest

import rustyflow as torch
from rustyflow.lessons import rows_meet_columns as check


def term_by_term(a, b, i, j):
    total = 0.0
    for k in range(b.shape[0]):
        total = total + a[i, k].item() * b[k, j].item()
    return total


@pytest.mark.parametrize("function", [term_by_term, lambda a, b, i, j: (a[i] * b[:, j]).sum()])
def test_a_cell_by_hand_passes_however_it_is_written(function):
    assert check.product_cell(function).text == "product_cell is right: 30 cases of 30."


@pytest.mark.parametrize(
    "function, told",
    [
        (lambda a, b, i, j: a[i, j] * b[i, j], '"each number meets the one in its own place"'),
        (lambda a, b, i, j: sum(x * y for x, y in zip(a[i], b[j], strict=False)), '"rows meet rows"'),
        (lambda a, b, i, j: a[i].sum() * b[:, j].sum(), '"first both are added up, and then multiplied"'),
        (lambda a, b, i, j: a[i] * b[:, j], '"the products stay apart"'),
        (lambda a, b, i, j: [a[i, k] * b[k, j] for k in range(3)][-1], '"the last product is enough"'),
    ],
)
def test_a_slip_is_told_the_belief_behind_it(function, told):
    said = check.product_cell(function)
    assert said.score == 0 and "Its example" in said.text and told in " ".join(said.text.split())


@pytest.mark.parametrize(
    "function, worker",
    [
        (lambda a, b, i, j: (a @ b)[i, j], "@"),
        (lambda a, b, i, j: torch.matmul(a, b)[i, j], "matmul"),
        (lambda a, b, i, j: a[i].dot(b[:, j]), "dot"),
    ],
)
def test_the_library_s_product_is_not_by_hand(function, worker):
    said = check.product_cell(function)
    assert said.score == 0 and f"it leaves the work to {worker}" in " ".join(said.text.split())


@pytest.mark.parametrize(
    "function",
    [
        lambda q, k: q @ k.transpose(1, 2),
        lambda q, k: torch.matmul(q, k.mT),
        lambda q, k: torch.einsum("nqd,nkd->nqk", q, k),
        lambda q, k: (q.unsqueeze(2) * k.unsqueeze(1)).sum(-1),
    ],
)
def test_all_scores_may_be_written_in_any_way_without_a_loop(function):
    assert check.all_scores(function).score == 1


@pytest.mark.parametrize(
    "function, told",
    [
        (lambda q, k: torch.stack([q[n] @ k[n].T for n in range(q.shape[0])]), "it has a product in a loop"),
        (lambda q, k: q @ k.reshape(k.shape[0], k.shape[2], k.shape[1]), '"to reshape is to transpose"'),
        (lambda q, k: q @ k[0].T, '"the first table of k will do for all"'),
        (lambda q, k: k @ q.mT, '"the two sides may be swapped"'),
        (lambda q, k: (q @ k.mT).tolist(), "a tensor is asked for, not a list"),
        (lambda q, k: q @ k, "It stopped with an error"),
    ],
)
def test_scores_that_are_not_right_are_told_why(function, told):
    said = check.all_scores(function)
    assert said.score == 0 and told in " ".join(said.text.split())


def test_the_lesson_s_own_answers():
    assert check.one_cell(4 * 2 + 3 * 5 + 6 * 8).score == check.batched_shape((5, 2, 4)).score == 1
    assert check.column_times_row((2, 4)).score == check.who_reads(4, 2, 3).score == 1
    assert check.which_shapes((3, 5), (6, 4, 3), 2).score == 1
