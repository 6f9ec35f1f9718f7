"""The matrix product figure: rows meet columns; backward, rows meet rows and columns meet columns."""

import re

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import rustyflow as rf
from rustyflow import show
from rustyflow.errors import ShapeError
from tests.show.seen import lit

A = np.array([[1.0, 2.0, 0.0], [0.0, 1.0, 3.0]])
B = np.array([[1.0, 0.0, 2.0, 1.0], [2.0, 1.0, 0.0, -1.0], [0.0, 3.0, 1.0, 1.0]])
GRADIENT = np.array([[3.0, 1.0, 2.0, 4.0], [1.0, 2.0, 5.0, 1.0]])
G = ("g",)


@pytest.fixture(scope="module")
def product():
    return show.matmul(A, B, upstream=GRADIENT, names=["a", "b"])


def test_a_result_lights_its_row_and_its_column(product):
    # (1, 3) is c7: row 1 of a is a3 a4 a5; column 3 of b is b3 b7 b11
    assert {id for id in lit(product, "c7") if id[0] != "d"} == {"c7", "a3", "a4", "a5", "b3", "b7", "b11"}
    assert product.state(link="c7").sentence == "(a @ b)[1, 3] = 0*1 + 1*(-1) + 3*1 = 2."


def test_a_cell_of_a_meets_a_row_of_g_and_a_row_of_b(product):
    # a[1, 0]: row 1 of g is c4..c7, row 0 of b is b0..b3
    assert lit(product, "da3") == {"a3", "da3", "b0", "b1", "b2", "b3", "c4", "c5", "c6", "c7"}
    assert product.state(link="da3", toggles=G).sentence == (
        "a.grad[1, 0] = 1*1 + 2*0 + 5*2 + 1*1 = 12: row 1 of g times row 0 of b."
    )


def test_a_cell_of_b_meets_a_column_of_a_and_a_column_of_g(product):
    # b[0, 3]: column 0 of a is a0, a3; column 3 of g is c3, c7
    assert lit(product, "db3") == {"b3", "db3", "a0", "a3", "c3", "c7"}
    assert product.state(link="b3", toggles=G).sentence == (
        "b.grad[0, 3] = 1*4 + 0*1 = 4: column 0 of a times column 3 of g."
    )


def test_the_steps(product):
    said = list(product.sentences)
    assert said[1] == "(2, 3) @ (3, 4): the inner sizes are both 3 and disappear, so the result has shape (2, 4)."
    assert said[2] == "Row 0 of a meets column 0 of b: (a @ b)[0, 0] = 1*1 + 2*2 + 0*0 = 5."
    assert said[-1] == "Rows with rows, columns with columns: a.grad = g @ b.T and b.grad = a.T @ g."
    assert "off" in product.state(4).classes["G0"] and "G0" not in product.state(5).classes


def test_a_batch_that_broadcasts_is_summed():
    figure = show.matmul(np.ones((2, 2, 3)), B[:, :2], upstream=np.ones((2, 2, 2)), names=["a", "b"])
    assert "virtual" in figure.scene.index["b6"].cls and "virtual" not in figure.scene.index["b0"].cls
    assert figure.state(link="b0", toggles=G).sentence == (
        "b.grad[0, 0] gets 1*1 + 1*1 = 2, 4 in all: column 0 of a times column 0 of g, summed over the batch."
    )
    assert figure.state(link="c4").sentence.startswith("(a @ b)[1, 0, 0] = ")


def test_inner_sizes_that_differ_are_told_with_what_fits():
    said = list(show.matmul(A, np.ones((2, 4)), names=["a", "b"]).sentences)
    assert said == [
        "The inner sizes, 3 of a and 2 of b, meet in every product, so they must be equal.",
        "a.mT @ b fits: (3, 2) @ (2, 4) gives (3, 4).",
    ]


@pytest.mark.parametrize("shapes", [((3,), (3,)), ((2, 3), (3,)), ((3,), (3, 2)), ((0, 3), (3, 2)), ((2, 0), (0, 2))])
def test_vectors_and_empty(shapes):
    figure = show.matmul(*(np.ones(s) for s in shapes))
    assert f"shape {np.matmul(*(np.ones(s) for s in shapes)).shape}" in figure.text()


def test_a_large_product_answers_at_once_in_words():
    text = show.matmul(np.ones((3000, 400)), np.ones((400, 5000))).text()
    assert "15,000,000 cells, each a sum of 400 products" in text


def test_what_cannot_be_shown_is_refused():
    with pytest.raises(ShapeError, match="upstream"):
        show.matmul(A, B, upstream=np.ones(3))
    with pytest.raises(ValueError, match="an axis or more"):
        show.matmul(np.ones(()), B)
    with pytest.raises(TypeError):
        show.matmul([1, 2], B)


@settings(max_examples=20)
@given(st.integers(1, 3), st.integers(1, 3), st.integers(1, 3), st.integers(0, 2**32 - 1))
def test_every_number_is_the_engine_s(m, k, n, seed):
    rng = np.random.default_rng(seed)
    a, b, g = (rng.integers(-4, 5, s).astype(float) for s in ((m, k), (k, n), (m, n)))
    figure = show.matmul(a, b, upstream=g, names=["a", "b"])
    x, y = rf.tensor(a, requires_grad=True), rf.tensor(b, requires_grad=True)
    (x @ y).backward(rf.tensor(g))
    for name, leaf in (("a", x), ("b", y)):
        shown = [s.children[1].text for id, s in figure.scene.index.items() if re.fullmatch(f"d{name}\\d+", id)]
        assert [float(v) for v in shown] == leaf.grad.reshape(-1).tolist()


@pytest.mark.parametrize("left, right", [
    ((2, 3), (3, 4)), ((3,), (3,)), ((2, 3), (3,)), ((3,), (3, 4)), ((5, 2, 3), (3, 4)), ((5, 2, 3), (5, 3, 4)),
    ((5, 2, 3), (3,)), ((3,), (5, 3, 4)), ((2, 3), (5, 3, 4)), ((1, 2, 3), (5, 3, 4)), ((4, 1, 2, 3), (5, 3, 2)),
])
@pytest.mark.parametrize("library", ["rustyflow", "torch"])
def test_the_rule_that_is_told_last_computes_the_gradients(left, right, library):
    lib = pytest.importorskip(library)
    lib.manual_seed(5)
    a, b = (lib.randn(shape).requires_grad_() for shape in (left, right))
    y = a @ b
    g = lib.randn(y.shape)
    y.backward(g)
    said = show.matmul(a, b).sentences[-1]
    rules = re.fullmatch(r".*: a\.grad = (.*) and b\.grad = (.*)\.", said)
    for x, rule in zip((a, b), rules.groups(), strict=True):
        found = eval(rule, {"a": a.detach(), "b": b.detach(), "g": g})
        assert tuple(found.shape) == tuple(x.shape) and np.allclose(found.numpy(), x.grad.numpy(), atol=1e-5), said


def test_operands_are_called_as_they_are_written():
    a, b, g = rf.ones(2, 3), rf.ones(3, 4), rf.ones(2, 4)
    assert show.matmul(g, b.T).state(link="c1").sentence == "(g @ b.T)[0, 1] = 1*1 + 1*1 + 1*1 + 1*1 = 4."
    assert show.matmul(a @ b, b.T).scene.title == "(a @ b) @ b.T"
    assert [said.partition(" fits")[0] for said in show.matmul(b.T, a).sentences[1:]] == ["b.T @ a.mT"]
    assert show.matmul(g, b.T).sentences[-1].endswith("g.grad = g @ b and d(b.T) = g.T @ g.")


def test_whole_numbers_have_no_backward_side():
    figure = show.matmul(np.arange(4).reshape(2, 2), np.eye(2, dtype=int))
    assert not figure.scene.toggles and not any("ackward" in sentence for sentence in figure.sentences)
    assert figure.state(link="c3").sentence.endswith("[1, 1] = 2*0 + 3*1 = 3.")
    with pytest.raises(ValueError, match="no gradients"):
        show.matmul(rf.ones(2, 2).long(), rf.ones(2, 2).long(), upstream=rf.ones(2, 2))


@pytest.mark.parametrize("rank", [5, 9, 33, 64])
def test_of_many_axes_the_shapes_are_told(rank):
    figure = show.matmul(rf.ones([1] * rank), rf.ones(1, 2))
    assert "the result has shape" in figure.sentences[0] and len(figure.sentences) == 1


def test_eight_by_eight_is_drawn_in_numbers_with_the_gradients_below():
    scene = show.matmul(np.ones((8, 8)), np.ones((8, 8)), names=["a", "b"]).scene
    assert scene.index["c63"].children and scene.index["db63"].children
    lowest = max(float(dict(scene.index[id].attrs)["transform"].split()[1][:-1]) for id in ("da63", "db63", "c63"))
    assert lowest + 30 < scene.height - 30 and "pictures" not in scene.frames[1].sentence


def test_letters_of_axes_follow_them_through_the_product():
    texts = show.matmul(A, B, names=["a", "b"]).svg()
    assert all(said in texts for said in ("rows of a", "columns of b", "met, summed, gone"))
    alone = show.matmul(np.ones(3), np.ones(3), names=["a", "b"]).svg()
    assert "rows of" not in alone and "columns of" not in alone


def test_shares_of_a_gradient_that_a_batch_repeats_are_called_parts():
    assert "part of b.grad" in show.matmul(np.ones((2, 2, 3)), np.ones((3, 2)), names=["a", "b"]).svg(toggles=G)
