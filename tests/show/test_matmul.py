"""The matrix product figure: rows meet columns; backward, rows meet rows and columns meet columns."""

import re

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import rustyflow as rf
from rustyflow import show
from rustyflow.claims.digits import spell
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
    assert lit(product, "c7", toggles=()) == {"c7", "a3", "a4", "a5", "b3", "b7", "b11"}
    state = product.state(link="c7")
    assert state.sentence == "Row 1 of a meets column 3 of b: (a @ b)[1, 3] = 0·1 + 1·(-1) + 3·1 = 2."
    assert state.seen == "Row 1 of a meets column 3 of b."


def test_a_cell_of_a_meets_a_row_of_g_and_a_column_of_the_transpose(product):
    # a[1, 0]: row 1 of g is dc4..dc7, row 0 of b is tb0..tb3, a column of b.T
    met = {"da3", "tb0", "tb1", "tb2", "tb3", "dc4", "dc5", "dc6", "dc7"}
    assert lit(product, "da3", toggles=G) == lit(product, "a3", toggles=G) - {"a3"} == met
    assert product.state(link="da3", toggles=G).sentence == (
        "Row 1 of g meets column 0 of b.T: a.grad[1, 0] = 1·1 + 2·0 + 5·2 + 1·1 = 12."
    )


def test_a_cell_of_b_meets_a_row_of_the_transpose_and_a_column_of_g(product):
    # b[0, 3]: column 0 of a is ta0, ta3, a row of a.T; column 3 of g is ec3, ec7
    assert lit(product, "db3", toggles=G) == {"db3", "ta0", "ta3", "ec3", "ec7"}
    assert lit(product, "b3", toggles=()) == {"b3", "a0", "a3", "c3", "c7"}
    assert product.state(link="b3", toggles=G).sentence == (
        "Row 0 of a.T meets column 3 of g: b.grad[0, 3] = 1·4 + 0·1 = 4."
    )


def test_a_gradient_that_arrives_goes_to_a_row_and_a_column(product):
    # g[1, 3], dc7 and ec7, goes to row 1 of a, beside column 3 of b, and to column 3 of b, beside row 1 of a
    goes = {"dc7", "ec7", "da3", "da4", "da5", "tb3", "tb7", "tb11", "db3", "db7", "db11", "ta3", "ta4", "ta5"}
    assert lit(product, "ec7", toggles=G) == lit(product, "dc7", toggles=G) == goes
    assert product.state(link="dc7", toggles=G).sentence == "g[1, 3] = 1 goes to row 1 of a and column 3 of b."


def test_a_number_of_a_transpose_says_in_which_gradients_it_is_a_factor(product):
    # b[0, 3] = 1, in column 0 of b.T, is a factor in column 0 of a.grad: da0 and da3, with column 3 of g
    assert lit(product, "tb3", toggles=G) == {"tb3", "dc3", "dc7", "da0", "da3"}
    assert product.state(link="tb3", toggles=G).sentence == "b[0, 3] = 1 is a factor in all of column 0 of a.grad."
    assert product.state(link="ta5", toggles=G).sentence == "a[1, 2] = 3 is a factor in all of row 2 of b.grad."


def test_the_steps(product):
    said = list(product.sentences)
    assert said[1] == "(2, 3) @ (3, 4): the inner sizes are both 3 and disappear, so the result has shape (2, 4)."
    assert said[2] == "Row 0 of a meets column 0 of b: (a @ b)[0, 0] = 1·1 + 2·2 + 0·0 = 5."
    assert said[-1] == "Rows with rows, columns with columns: a.grad = g @ b.T and b.grad = a.T @ g."
    assert "waiting" in product.state(4).classes["da0"] and "waiting" not in product.state(5).classes["da3"]


def test_the_transposes_stand_beside_the_gradient_that_arrives(product):
    turned = product.svg(0, toggles=G)
    for text in (">b.grad<", ">a.grad<", ">g<", ">b.T<", ">a.T<"):
        assert text in turned and text not in product.svg(0, toggles=())
    for numbers in (A, B, GRADIENT):
        assert all(f">{spell(float(n))}</text>" in turned for n in numbers.reshape(-1))


def test_numbers_with_many_digits_get_wide_cells():
    rng = np.random.default_rng(3)
    scene = show.matmul(rng.normal(size=(2, 5)), rng.normal(size=(6, 5)).T, names=["x", "y"]).scene
    for id in ("a0", "b0", "c0", "da0", "db0", "dc0", "ta0", "tb0", "ec0"):
        assert dict(scene.index[id].children[-1].attrs)["font-size"] >= 14


def test_a_batch_that_broadcasts_is_summed():
    figure = show.matmul(np.ones((2, 2, 3)), B[:, :2], upstream=np.ones((2, 2, 2)), names=["a", "b"])
    assert "virtual" in figure.scene.index["b6"].cls and "virtual" not in figure.scene.index["b0"].cls
    assert figure.state(link="b0", toggles=G).sentence == (
        "Row 0 of a.mT[0] meets column 0 of g[0]: b.grad[0, 0] gets 1·1 + 1·1 = 2 (4 from the whole batch)."
    )
    assert figure.state(link="c4").sentence.startswith("Row 0 of a[1] meets column 0 of b: (a @ b)[1, 0, 0] = ")
    assert "Dashed numbers are read again: b is repeated along the batch." in figure.sentences


def test_inner_sizes_that_differ_are_told_with_what_fits():
    said = list(show.matmul(A, np.ones((2, 4)), names=["a", "b"]).sentences)
    assert said == [
        "a has shape (2, 3) and b has shape (2, 4): do they meet?",
        "The inner sizes, 3 of a and 2 of b, meet in every product, so they must be equal: a @ b is an error.",
        "a.T @ b fits: (3, 2) @ (2, 4) gives (3, 4).",
    ]


@pytest.mark.parametrize("left, right, lit", [
    ((5, 3), (4, 3), {"T0_1", "T1_1"}), ((5,), (4, 3), {"T0_1", "T1_1"}), ((5,), (3,), {"T0_1", "T1_1"}),
    ((2, 5, 3), (4, 3, 6), {"T0_0", "T1_0"}), ((7, 2, 5, 3), (2, 4, 3), {"T0_3", "T1_3"}), ((4, 3), (2, 4), set()),
    ((6, 2, 5, 3), (4, 1, 3, 2), {"T0_0", "T1_0"}), ((3,), (5, 2, 6), {"T0_2", "T1_2"}), ((2, 0), (3, 2), set()),
])
@pytest.mark.parametrize("library", ["rustyflow", "torch"])
def test_what_clashes_is_lit_and_every_repair_runs_and_gives_what_is_said(left, right, lit, library):
    lib = pytest.importorskip(library)
    a, b = lib.ones(left), lib.ones(right)
    with pytest.raises(RuntimeError):
        a @ b
    figure = show.matmul(a, b)
    shown = {id for id, cls in figure.state(1).classes.items() if "lit" in cls}
    assert shown == lit if lit else len(shown) == 2
    for says in figure.sentences[2:]:
        if found := re.fullmatch(r"(.*) fits: .* gives (\(.*\))\.", says):
            assert tuple(eval(found[1], {"a": a, "b": b}).shape) == eval(found[2])
        else:
            assert says.startswith("No transpose")


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
    said = show.matmul(g, b.T).state(link="c1").sentence
    assert said == "Row 0 of g meets column 1 of b.T: (g @ b.T)[0, 1] = 1·1 + 1·1 + 1·1 + 1·1 = 4."
    assert show.matmul(a @ b, b.T).scene.title == "(a @ b) @ b.T"
    assert [said.partition(" fits")[0] for said in show.matmul(b.T, a).sentences[2:]] == ["b.T @ a.T"]
    assert show.matmul(g, b.T).sentences[-1].endswith("g.grad = up @ b and d(b.T) = g.T @ up.")


def test_whole_numbers_have_no_backward_side():
    figure = show.matmul(np.arange(4).reshape(2, 2), np.eye(2, dtype=int))
    assert not figure.scene.toggles and not any("ackward" in says for says in figure.sentences)
    assert figure.state(link="c3").sentence.endswith("[1, 1] = 2·0 + 3·1 = 3.")
    with pytest.raises(ValueError, match="no gradients"):
        show.matmul(rf.ones(2, 2).long(), rf.ones(2, 2).long(), upstream=rf.ones(2, 2))


@pytest.mark.parametrize("rank", [5, 9, 33, 64])
def test_of_many_axes_the_shapes_are_told(rank):
    figure = show.matmul(rf.ones([1] * rank), rf.ones(1, 2))
    assert "the result has shape" in figure.sentences[0] and len(figure.sentences) == 1


def places(figure):
    """Where each cell stands, by its id."""
    found = {}
    for id, shape in figure.scene.index.items():
        attrs = dict(shape.attrs)
        if "cell" in shape.cls or "dot" in shape.cls:
            at = re.findall(r"-?[\d.]+", attrs["transform"]) if "transform" in attrs else (attrs["x"], attrs["y"])
            found[id] = tuple(map(float, at))
    return found


def test_eight_by_eight_is_drawn_in_numbers_in_a_row():
    figure = show.matmul(np.ones((8, 8)), np.ones((8, 8)), names=["a", "b"])
    assert figure.scene.index["c63"].children and figure.scene.height[""] <= 400 and figure.scene.width <= 1104
    at = places(figure)
    assert at["a0"][1] == at["b0"][1] == at["c0"][1] and at["a7"][0] < at["b0"][0] < at["c0"][0]


def test_sixteen_by_twelve_is_drawn_in_shades_and_its_numbers_are_told():
    figure = show.matmul(np.ones((16, 12)), np.ones((12, 16)), names=["a", "b"])
    assert "dot" in figure.scene.index["c255"].cls and max(figure.scene.height.values()) <= 560
    assert figure.state(link="c17").sentence.startswith("Row 1 of a meets column 1 of b: (a @ b)[1, 1] = 1·1 + ")


def test_axes_have_their_letters_and_the_rule_is_written_in_them():
    def letters(figure):
        return re.findall(r'class="badge ax\d".*?>([a-z])</text>', figure.svg(toggles=()))

    both = show.matmul(A, B, names=["a", "b"])
    assert sorted(letters(both)) == ["i", "j", "k", "k"]  # of a: i and k, of b: k and j
    assert "summed over " in both.svg() and '<tspan class="ink2">k</tspan>' in both.svg()
    assert letters(show.matmul(np.ones(3), np.ones(3), names=["a", "b"])) == ["k", "k"]


def test_numbers_fly_to_what_reads_them_and_gradients_back():
    flows = show.matmul(A, B).scene.flows
    assert flows[""] == (("a", "c"), ("b", "c")) and ("dc", "da") in flows["g"] and ("ec", "db") in flows["g"]
    assert list(show.matmul(np.ones((2, 2), int), np.ones((2, 2), int)).scene.flows) == [""]


def test_shares_of_a_gradient_that_a_batch_repeats_are_called_parts():
    assert "part of b.grad" in show.matmul(np.ones((2, 2, 3)), np.ones((3, 2)), names=["a", "b"]).svg(toggles=G)


def test_a_factor_that_stands_on_both_sides_gets_a_part_from_each():
    h = rf.tensor([[1.0, 2.0], [3.0, 5.0]])
    figure = show.matmul(h, h, upstream=rf.ones(2, 2))
    assert figure.state(link="a1", toggles=G).sentence.endswith(": h.grad[0, 1] gets 1·3 + 1·5 = 8 from the left.")
    assert figure.sentences[-1].endswith("h.grad = g @ h.T + h.T @ g.")
    x = h.clone().requires_grad_()
    (x @ x).backward(rf.ones(2, 2))
    g = rf.ones(2, 2)
    assert np.allclose((g @ h.T + h.T @ g).numpy(), x.grad.numpy())
    assert "part of h.grad" in figure.svg(toggles=G)
    assert "x gets g @ x, from the right x.T gets x.T @ g" in show.matmul(A, A.T, names=["x", "x.T"]).sentences[-1]


@pytest.mark.parametrize("left, right", [((2, 3), (3, 4)), ((3,), (3, 4)), ((1, 3), (3, 3)), ((2, 2), (2, 4))])
def test_rows_of_what_is_at_the_left_meet_columns_of_what_is_above(left, right):
    figure = show.matmul(np.ones(left), np.ones(right))
    at, last = places(figure), {}
    for id in at:
        kind = id.rstrip("0123456789")
        last[kind] = max(last.get(kind, (0, 0)), at[id])
    for one, other, made in (("a", "b", "c"), ("dc", "tb", "da"), ("ta", "ec", "db")):
        assert at[f"{one}0"][1] == at[f"{made}0"][1] and last[one][1] == last[made][1]  # the same rows
        assert at[f"{other}0"][0] == at[f"{made}0"][0] and last[other][0] == last[made][0]  # the same columns
        assert last[one][0] < at[f"{made}0"][0] and last[other][1] < at[f"{made}0"][1]
    assert max(figure.scene.height.values()) <= 400 and figure.scene.width == 860


@pytest.mark.parametrize("left, right, said", [
    ((3,), (3, 2), ["v meets column 1 of w: (v @ w)[1]", "g[1] = 1 goes to v and column 1 of w.",
                    "g times row 2 of w: v.grad[2] = 3·1 + 1·1 = 4.", "v[1] times g[1]: w.grad[1, 1] = 1·1 = 1.",
                    "v[0] = 1 is a factor in all of the result.", "w[0, 1] = 1 is a factor in (v @ w)[1]."]),
    ((2, 3), (3,), ["Row 1 of v meets w: (v @ w)[1]", "g[1] = 1 goes to row 1 of v and w.",
                    "g[1] times w[2]: v.grad[1, 2] = 1·1 = 1.", "Column 1 of v times g: w.grad[1] = 1·3 + 1·1 = 4."]),
    ((3,), (3,), ["v meets w: v @ w = 1·1 + 1·1 + 1·1 = 3.", "g = 3 goes to v and w.",
                  "g times w[2]: v.grad[2] = 3·1 = 3.", "v[0] times g: w.grad[0] = 1·3 = 3."]),
])  # fmt: skip
def test_a_vector_has_no_rows_and_no_columns(left, right, said):
    scene = show.matmul(np.ones(left), np.ones(right), names=["v", "w"]).scene
    ids = {link for family in scene.links for link in family.links}
    links = [scene.state(0, link=id, toggles=on).sentence for id in ids for on in ((), G)]
    every = [scene.state(n).sentence for n in range(len(scene.frames))] + links
    assert all(any(told.startswith(one) for told in every) for one in said)
    rows, columns = (len(shape) > 1 for shape in (left, right))
    assert all("ow of v" not in told and "column of v" not in told for told in every if not rows)
    assert all("column of w" not in told and "row of w" not in told for told in every if not columns)


@pytest.mark.parametrize("left, right", [((2, 0), (0, 2)), ((0, 3), (3, 2)), ((0,), (0,)), ((2, 3), (3, 0))])
def test_a_sum_of_no_products_is_said_to_be_0(left, right):
    scene = show.matmul(np.ones(left), np.ones(right), names=["a", "b"]).scene
    for id in scene.links[0].links:
        assert all("=  =" not in scene.state(0, link=id, toggles=on).sentence for on in ((), G))
    assert ("there is no result" in scene.state(0).sentence) == (0 in np.matmul(np.ones(left), np.ones(right)).shape)


def test_of_a_batch_it_is_said_which_matrix():
    p, q = rf.arange(12.0).view(3, 2, 2), rf.tensor([[1.0, 2.0], [3.0, 4.0]])
    figure = show.matmul(p, q[0])
    said = [figure.state(link=id, toggles=G).sentence for family in figure.scene.links for id in family.links]
    assert "g[1, 0] = 2 goes to row 0 of p[1] and q[0]." in said
    figure = show.matmul(p, q)
    said = [figure.state(link=id, toggles=G).sentence for family in figure.scene.links for id in family.links]
    assert any(one.startswith("g[1, 0, 1] = ") and "row 0 of p[1] and column 1 of q" in one for one in said)
    assert any(one.startswith("Row 1 of p.mT[2] meets column 0 of g[2]: q.grad[1, 0] gets ") for one in said)


def test_in_words_it_is_said_what_arrives():
    p, q = rf.ones(2, 2), rf.ones(2, 2)
    assert "g, which arrives backward, is [[3, 1], [2, 4]]" in show.matmul(p, q).text()
    assert "g, which arrives backward, is [0.5, 7]" in show.matmul(p, q[0], upstream=[0.5, 7.0]).text()
    assert "arrives backward" not in show.matmul(p.long(), q.long()).text()
    assert "arrives backward" not in show.matmul(rf.ones(9, 9), rf.ones(9, 99)).text()


@pytest.mark.parametrize("recorded", [True, False])
def test_what_is_made_of_the_other_operand_is_said_and_sends_its_gradient_on(recorded):
    x = rf.tensor([[1.0, 2.0], [3.0, 5.0]], requires_grad=recorded)
    figure = show.matmul(x.exp().cumsum(0), x)
    assert figure.scene.title == "a @ x,  a = x.exp().cumsum(0)"
    assert "and both flow back to one tensor" in figure.text()
    said = figure.state(link="b0", toggles=("g",)).sentence
    assert said.startswith("Row 0 of a.T meets column 0 of g: x.grad[0, 0] gets ")
    sentences = str(show.matmul(x, x).scene.frames)
    assert "point at a number of x.grad to see" in sentences and "x.grad that of x" not in sentences


def test_of_operands_that_read_the_same_numbers_it_is_said_from_which_side():
    w = rf.tensor([[2.0, 1.0], [1.0, 3.0]])
    for one, other, of in ((w, w, "w"), (w.T, w, "w"), (w.clone(), w, "")):
        figure = show.matmul(one, other, names=["v", "w"])
        left, right = figure.state(link="a2").sentence, figure.state(link="b2").sentence
        assert left == f"v[1, 0] = 1 is a factor{' from the left' * bool(of)} in all of row 1 of the result."
        assert right == f"w[1, 0] = 1 is a factor{' from the right' * bool(of)} in all of column 0 of the result."


@pytest.mark.parametrize(
    ("left", "right", "link", "want"),
    [
        ((2, 2, 3), (3, 2), "b1", "b[0, 1] = 1 is a factor in all of column 1 of each matrix of the result."),
        ((2, 2, 3), (3, 1), "a1", "a[0, 0, 1] = 1 is a factor in (a @ b)[0, 0, 0]."),
        ((1, 3), (4, 3, 1), "a2", "a[0, 2] = 1 is a factor in all of row 0 of each matrix of the result."),
        ((3, 2, 3), (3,), "b2", "b[2] = 1 is a factor in all of the result."),
        ((2, 1, 2, 2), (2, 2, 2), "b1",
         "b[0, 0, 1] = 1 is a factor in all of column 1 of 2 of the 4 matrices of the result."),
        ((2, 2, 2), (2, 2, 2), "a0", "a[0, 0, 0] = 1 is a factor in all of row 0 of batch [0] of the result."),
    ],
)
def test_a_number_is_a_factor_in_all_products_that_read_it(left, right, link, want):
    assert show.matmul(rf.ones(left), rf.ones(right), names=["a", "b"]).state(link=link).sentence == want


def test_where_nothing_is_met_nobody_is_asked_to_point_at_a_number():
    figure = show.matmul(rf.zeros(2, 0), rf.zeros(0, 3), names=["a", "b"])
    assert "point at a number" not in str(figure.scene.frames)
    said = figure.state(link="c0", toggles=("g",)).sentence
    assert said.endswith("goes nowhere: row 0 of a and column 0 of b have no cells.")
    one = show.matmul(rf.ones(0, 2), rf.ones(2, 3), names="ab")
    assert "Backward: point at a number of b.grad to see" in str(one.scene.frames)


def test_products_have_as_many_digits_as_it_takes():
    a, b = np.array([[3.0, 1.0]]), np.array([[0.24456], [0.1]])
    told = show.matmul(a, b, names="ab").state(link="c0").sentence
    assert told.startswith("Row 0 of a meets column 0 of b: (a @ b)[0, 0] = 3·0.2446 + 1·0.1 ≈ 0.834")
