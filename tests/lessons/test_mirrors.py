"""Lessons 17 and 18: answers worked out by hand, pictures before and after a guess, and what the text claims."""

from dataclasses import replace

import pytest

from rustyflow.lessons import reduce_forward_expand_backward as reduced, why_the_transposes as turned


@pytest.fixture(params=["rustyflow", "torch"])
def torch(request):
    """What a lesson claims is so here and under PyTorch."""
    return pytest.importorskip(request.param)


def sent(torch, f, x, g):
    x = torch.tensor(x, requires_grad=True)
    return torch.autograd.grad(f(x), x, torch.tensor(g))[0].tolist()


def numbers(scene, *ids):
    """The numbers in some cells of a picture, "" for a cell that waits."""
    return ["".join(part.text for part in scene.index[id].children) for id in ids]


@pytest.mark.parametrize("question, answer", [
    (reduced.what_a_row_gets, (15, 15, 15, 15)), (reduced.what_equals_get, (0, 3, 3)),
    (reduced.what_comes_twice, (5, 7, 1 + 3)), (turned.one_number_of_a, 1 * 7 + 2 * 1 + 5 * 2 + 3 * 4),
    (turned.which_product, "a.T @ g"), (turned.how_many_products, 2 * 3),
])  # fmt: skip
def test_the_lessons_own_answers(question, answer):
    assert replace(question)(answer).score == 1


def test_the_figure_of_05_is_turned_round_and_waits_and_then_plays_a_wrong_answer_in_its_cells():
    row = [f"ga{k}" for k in range(4)]
    asked = replace(reduced.what_a_row_gets)
    before = asked.scene()
    assert numbers(before, *row) == [""] * 4 and numbers(before, "gr0", "a2") == ["60", "8"]
    supposed = asked.played((60,) * 4, **asked.case)
    assert numbers(supposed, *row, "ga4") == ["60"] * 4 + [""]
    assert numbers(asked.played((15,) * 4, **asked.case), *row) == ["15"] * 4


def test_in_the_figure_of_06_what_arrives_stands_where_the_product_stood():
    before = replace(turned.one_number_of_a).scene()
    assert numbers(before, "c0", "c7", "a3") == ["3", "3", "4"] and "grad" in before.index["c0"].cls
    assert not [id for id in before.index if id.startswith(("da", "db", "ta", "tb"))]


@pytest.mark.parametrize("question, many", [(reduced.what_a_row_gets, 120), (turned.one_number_of_a, 99)])
def test_what_a_case_holds_stays_small_enough_for_its_cells(question, many):
    held = [abs(n) for seed in range(100) for row in [question.numbers(seed)["g"]] for n in
            ([n for part in row for n in part] if isinstance(row[0], tuple) else row)]  # fmt: skip
    assert max(held) <= many


@pytest.mark.parametrize("check", [reduced.vjp_mean, reduced.vjp_amax, reduced.vjp_embedding, turned.vjp_matmul,
                                   turned.vjp_linear], ids=lambda check: check.name)  # fmt: skip
def test_a_size_of_nothing_is_tried_as_well(check):
    assert check.edges() and "at the edge" not in check(check.model).text


def test_what_lesson_17_claims(torch):
    ties = [[3.0, 7.0, 7.0], [5.0, 2.0, 4.0]]
    assert sent(torch, lambda x: x.max(1).values, ties, [6.0, 5.0]) == [[0.0, 6.0, 0.0], [5.0, 0.0, 0.0]]
    assert sent(torch, lambda x: x.amax(1), ties, [6.0, 5.0]) == [[0.0, 3.0, 3.0], [5.0, 0.0, 0.0]]
    assert sent(torch, lambda x: x.max(), ties, 6.0) == [[0.0, 3.0, 3.0], [0.0, 0.0, 0.0]]
    assert sent(torch, lambda x: x.prod(0), [2.0, 5.0, 8.0, 0.0], 1.0) == [0.0, 0.0, 0.0, 80.0]
    assert sent(torch, lambda x: torch.maximum(x[0], x[1]), [[7.0, 1.0], [7.0, 3.0]], [6.0, 6.0]) == [[3, 0], [3, 6]]
    table = torch.zeros(3, 2)
    table[torch.tensor([2, 0, 2])] += torch.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    assert table.tolist() == [[3.0, 4.0], [0.0, 0.0], [5.0, 6.0]], "what came first is lost"


def test_what_lesson_18_claims(torch):
    q, k = (torch.arange(float(n)).view(*shape).requires_grad_() for n, shape in ((12, (2, 2, 3)), (24, (2, 4, 3))))
    g = torch.arange(16.0).view(2, 2, 4)
    dq, dk = torch.autograd.grad(q @ k.mT, [q, k], g)
    assert torch.equal(dq, g @ k) and torch.equal(dk, g.mT @ q)
    a, b, g = torch.arange(6.0).view(2, 3), torch.arange(12.0).view(3, 4), torch.arange(8.0).view(2, 4)
    assert torch.equal(torch.einsum("ij,kj->ik", g, b), g @ b.T)
    assert torch.equal(torch.einsum("ik,ij->kj", a, g), a.T @ g)
    squares = torch.arange(4.0).view(2, 2), torch.arange(4.0).view(2, 2) + 5
    assert not torch.equal(squares[0].T @ squares[1], squares[0] @ squares[1])
