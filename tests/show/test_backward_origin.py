"""Where a gradient comes from: each number as the sum it is, over every way, back to the slots that were read."""

import re

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import rustyflow as rf
from rustyflow import show
from tests.show.seen import lit, two_ways


def test_one_number_falls_back_to_the_storage(line):
    # origins: o0 is w's, o1 is x's; q0 the number, u the gradients of mul and of sum, s the slots of w's storage
    cells = {"o1q0", "o1u0", "o1u1", "o1u2", "o1s0", "o1s1"}
    assert lit(line, link="o1q0") == {*cells, "n1", "n2", "n3", "n4", "e0", "e2", "e3"}  # through the broadcast
    assert line.scene.index["e1"] and [e for e in ("e1",) if e in lit(line, link="o1q0")] == []  # not over w
    assert (
        line.state(link="o1q0").sentence == "x.grad[0] = 2·1 + 3·1 = 5: added up, because it was read more than once."
    )
    slots = [line.scene.index[f"o1s{k}"].children for k in (0, 1)]
    assert [(cell[1].text, cell[2].text) for cell in slots] == [("2", "0"), ("3", "1")]
    assert lit(line, link="o0q1") == {"o0q1", "o0u1", "o0u2", "o0s0", "n0", "n3", "n4", "e1", "e3"}
    assert line.state(link="o1u1").sentence == "d(mul)[1] = 1·1 = 1."
    assert line.state(link="o1u2").sentence == "dloss = 1: backward began with it."
    assert line.state(link="o1q0").sets["o1d", "text"] == "= w[0]·d(mul)[0] + w[1]·d(mul)[1]"
    hidden = line.state(0, "n1").classes
    assert "off" not in hidden["o1"] and "off" in hidden["ins"]


def test_the_slots_are_those_of_the_storage():
    base = rf.arange(6.0)
    w = base[1::2]  # slots 1, 3, 5
    x = rf.tensor([10.0], requires_grad=True)
    figure = show.backward((w * x).sum())
    cells = [shape for id, shape in figure.scene.index.items() if re.fullmatch(r"o0s\d", id)]
    assert [(cell.children[1].text, cell.children[2].text) for cell in cells] == [("1", "1"), ("3", "3"), ("5", "5")]


@pytest.fixture(scope="module")
def mlp():
    """A network of two layers with numbers that can be worked by hand: one sample, relu, half its squared error."""
    x, t = rf.tensor([[1.0, 2.0]]), rf.tensor([[1.0]])
    w1 = rf.tensor([[1.0, -1.0, 0.5], [0.5, 1.0, -1.0]], requires_grad=True)  # x @ w1 = [2, 1, -1.5]
    b1 = rf.tensor([0.0, 1.0, 0.0], requires_grad=True)  # relu([2, 2, -1.5]) = [2, 2, 0]
    w2 = rf.tensor([[1.0], [-1.0], [3.0]], requires_grad=True)  # out = 0
    out = (x @ w1 + b1).relu() @ w2
    loss = (0.5 * (out - t) ** 2).sum()  # dloss/dout = out - t = -1
    return show.backward(loss)


def test_a_weight_s_number_falls_back_through_both_layers(mlp):
    # dloss/dw1[1, 1] = x[0, 1] * relu'(2) * w2[1, 0] * (out - t) = 2 * 1 * -1 * -1
    link = next(id for id in ("o0q4",) if id in mlp.scene.index)
    assert mlp.state(link=link).sentence == "w1.grad[1, 1] = 2·1 = 2."
    behind = lit(mlp, link=link)
    said = {mlp.state(link=id).sentence for id in behind if re.fullmatch(r"o0u\d+", id)}
    assert said >= {
        "d(add)[0, 1] = 1·1 = 1.", "d(relu)[0, 1] = (-1)·(-1) = 1.", "d(sub)[0, 0] = (-2)·0.5 = -1.",
        "d(pow)[0, 0] = 0.5·1 = 0.5.", "dloss = 1: backward began with it.",
    }  # fmt: skip
    slots = [mlp.scene.index[id].children for id in sorted(behind) if re.fullmatch(r"o0s\d+", id)]
    read = [(cell[1].text, cell[2].text) for cell in slots if cell[2:]]  # value, address
    assert ("2", "1") in read  # x[0, 1] is slot 1 of x's storage
    assert ("-1", "1") in read  # w2[1, 0] is slot 1 of w2's


def test_arrow_keys_walk_a_gradient_as_it_stands(mlp):
    nodes, weights = mlp.scene.paths[:2]
    assert nodes[0][0] in ("n0", "m0")
    assert weights[:2] == (("o0q0", "o0q1", "o0q2"), ("o0q3", "o0q4", "o0q5"))  # w1.grad has 2 rows of 3


def test_where_relu_stopped_it_there_is_nothing(mlp):
    assert mlp.state(link="o0q2").sentence == "w1.grad[0, 2] = 1·0 = 0."


def test_every_number_on_the_way_is_the_sum_it_says(mlp):
    for id in (id for id in mlp.scene.index if re.fullmatch(r"o\d[qu]\d+", id)):
        whose, _, sum_ = mlp.state(link=id).sentence.rstrip(".").partition(" = ")
        terms, _, total = sum_.partition(":")[0].rpartition(" = ")
        products = [[float(x.strip("()")) for x in term.split("·")] for term in terms.split(" + ") if term]
        assert sum(f * g for f, g in products) == float(total) or not terms, whose


def test_a_number_read_a_million_times_freezes_nothing():
    w = rf.tensor(2.0, requires_grad=True)
    figure = show.backward((rf.ones(1000, 1000) * w).sum())
    assert not any(id.startswith("o0") for id in figure.scene.index)
    assert "w.grad = 1e6" in figure.text()


def test_a_bias_read_by_a_large_batch_is_traced_as_far_as_can_be_drawn():
    b = rf.zeros(4, requires_grad=True)
    figure = show.backward((rf.arange(128.0).view(32, 4) + b).tanh().mean())
    sentence = figure.state(link="o0q1").sentence
    assert sentence.startswith("b.grad[1] = ") and sentence.count("·") == 5 and " + ... + " in sentence
    assert "o0u0" not in figure.scene.index


def test_where_no_number_is_read_no_gradient_comes_from():
    x, y = rf.tensor([[1.0, 2.0]], requires_grad=True), rf.zeros(0, 2, requires_grad=True)
    assert "x.grad = [[0, 0]]" in show.backward((x - y).sum()).text()
    assert rf.autograd.provenance((x - y).sum(), x, (0, 1)).value == 0
    figure = show.backward(rf.tensor(3.0, requires_grad=True).norm(0))
    assert figure.sentences[-1] == "Backward ends here: no gradient came to a leaf."


def test_a_number_that_is_not_picked_is_not_multiplied_by_0():
    v, rows = rf.tensor([7.0, 8.0], requires_grad=True), rf.tensor([[1.0], [2.0]], requires_grad=True)
    look = rf.nn.functional.embedding
    for y, said in (
        (v[rf.tensor([1, 1])].exp().sum(), "v.grad[0] = 0: index does not read v[0]."),
        (v[1:].sum() + v[[1]].sum(), "v.grad[0] = 0: slice and index do not read v[0]."),
        (v[1:].sum() + (v * 0).sum(), "v.grad[0] = 0: all that would lead to it is multiplied by 0."),
        (look(rf.tensor([1]), rows).sum(), "rows.grad[0, 0] = 0: embedding does not read rows[0, 0]."),
        (look(rf.tensor([0, 1]), rows, padding_idx=0).sum(),
         "rows.grad[0, 0] = 0: row 0 is padding, which gets no gradient."),
    ):  # fmt: skip
        figure = show.backward(y)
        assert figure.state(link="o0q0").sentence == said


def test_a_number_of_one_of_several_results_is_called_as_the_program_reads_it():
    x = rf.tensor([3.0, 1.0, 2.0], requires_grad=True)
    figure = show.backward(x.sort().values[1:].pow(2).sum())
    said = [figure.state(link=id).sentence for id in figure.scene.index if id.startswith("o0u")]
    assert "d(sort.values)[0] = 0: slice does not read sort.values[0]." in said
    figure = show.backward(x[::2].view(2)[1] * 2)
    said = [figure.state(link=id).sentence for id in figure.scene.index if id.startswith("o0u")]
    assert "d(view)[0] = 0: select does not read view[0]." in said


def test_a_gradient_of_0_did_not_begin_backward():
    x = rf.tensor([-3.0, 1.0], requires_grad=True)
    figure = show.backward(x.relu().sum())
    assert figure.state(link="o0q0").sentence == "x.grad[0] = 0: all that would lead to it is multiplied by 0."
    assert figure.sentences[-1] == "Where x.grad[1] comes from: 1·1 = 1."
    assert "comes from" not in show.backward(rf.tensor(-3.0, requires_grad=True).relu()).sentences[-1]


OPS = {
    "mul": lambda a, b: a * b,
    "sub": lambda a, b: a - b,
    "div": lambda a, b: a / (b * b + 1),
    "relu": lambda a, b: (a + b).relu(),
    "tanh": lambda a, b: (a * b).tanh(),
    "mean": lambda a, b: (a * b).mean(),
    "views": lambda a, b: (a.t() @ (a - b)).sum(),
}


@settings(max_examples=15)
@given(st.sampled_from(list(OPS)), st.integers(0, 2**32 - 1))
def test_what_is_shown_last_is_what_the_engine_computes(op, seed):
    rng = np.random.default_rng(seed)
    a = rf.tensor(rng.uniform(-2, 2, (2, 1)), requires_grad=True)
    b = rf.tensor(rng.uniform(-2, 2, (2,)), requires_grad=True)
    y = OPS[op](a, b)
    g = rf.tensor(rng.normal(size=tuple(y.shape)))
    figure = show.backward(y, g)
    y.backward(g)
    for name, leaf in (("a", a), ("b", b)):
        number = next(k for k, node in enumerate(rf.ir.graph(y, names={"a": a, "b": b})) if node.name == name)
        words = figure.scene.index[f"g{number}"].text
        shown = [float(v) for v in re.findall(r"-?[\d.]+(?:e-?\d+)?", words)]
        counted = words.startswith("(")
        assert counted or shown == pytest.approx(leaf.grad.reshape(-1).tolist(), rel=0.06, abs=1e-3)


@settings(max_examples=15)
@given(st.sampled_from(list(OPS)), st.integers(0, 2**32 - 1))
def test_products_add_up_to_the_number_they_explain(op, seed):
    rng = np.random.default_rng(seed)
    a = rf.tensor(np.round(rng.uniform(-3, 3, (2, 1))), requires_grad=True)
    b = rf.tensor(np.round(rng.uniform(-3, 3, (2,))), requires_grad=True)
    figure = show.backward(OPS[op](a, b))
    for id in (id for id in figure.scene.index if re.fullmatch(r"o\dq\d", id)):
        words = figure.state(link=id).sentence.split(" = ")
        if len(words) < 3 or "..." in words[1]:
            continue
        products = [[float(x.strip("()")) for x in term.split("·")] for term in words[1].split(" + ")]
        total = float(words[2].partition(":")[0].rstrip("."))
        rounding = 0.02 * sum(abs(f * g) for f, g in products) + 0.01  # each number is shown with three digits
        assert sum(f * g for f, g in products) == pytest.approx(total, abs=rounding)


def test_two_ways_into_a_gradient_stand_in_a_box_each_though_their_numbers_are_equal():
    figure = two_ways()
    heard = {figure.state(link=f"o0{cell}").sentence for cell in ("u0", "u1", "u2")}
    assert heard == {
        "dc = 1·1 + 5·1 = 6: added up, because it was read more than once.",
        "dd = 1·1 = 1.",
        "dy = 1: backward began with it.",
    }


def test_a_number_tells_the_sum_behind_it_and_its_columns_are_joined_over_both_ways():
    figure = two_ways()
    assert figure.sentences[-1] == "Where a.grad comes from: 2·6 = 12, and dc = 1·1 + 5·1 = 6."
    sentence = figure.state(link="o0q0").sentence
    assert sentence == "a.grad = 2·6 = 12: dc = 1·1 + 5·1 = 6, added up, because it was read more than once."
    assert [id for id in figure.scene.index if id.startswith("o0j")] == ["o0j0"]  # from y to c, past d
    assert "o0j0" in lit(figure, frame=len(figure.frames) - 1) and "o0j0" not in lit(figure, link="o0u1")  # u1 is d's

    from_, *_, to, _ = map(float, re.findall(r"[\d.]+", dict(figure.scene.index["o0j0"].attrs)["d"].partition("m")[0]))
    left = {id: float(dict(figure.scene.index[id].attrs)["transform"][10:].split()[0]) for id in ("o0u0", "o0u2")}
    assert left["o0u0"] < to < left["o0u0"] + 34 < left["o0u2"] < from_ < left["o0u2"] + 34


def test_columns_that_nothing_joins_have_no_arrow_between_them():
    x = rf.tensor(2.0, requires_grad=True)
    p, q = x * 3, x * 5
    figure = show.backward(p * q)
    words = [shape.text for shape in figure.scene.index["o0"].children if shape.tag == "text"]
    assert words.count("←") == 2  # x from the one, and the other from the product; not the one from the other


def test_a_number_alone_has_no_slot_and_a_storage_says_what_its_addresses_are(line):
    a, b = rf.tensor(3.0, requires_grad=True), rf.tensor(2.0, requires_grad=True)
    p = a * b
    q = p + a
    figure = show.backward(q * p)
    found = "Where a.grad comes from: 1·6 + 2·15 = 36, and dp = 9·1 + 1·6 = 15."
    assert figure.sentences[-1] == found
    assert figure.state(link="o0q0").sets["o0d", "text"] == "= dq + b·dp"
    words = [shape.text for shape in figure.scene.index["o0"].children]
    assert "value of b" in words and "of q" in words and "slot" not in words
    assert len(figure.scene.index["o0s0"].children) == 2  # no address
    words = [shape.text for shape in line.scene.index["o1"].children]
    assert "slot" in words and "storage of w" in words


@pytest.mark.parametrize("program", [lambda x: x.log(), lambda x: x**2, lambda x: x.rsqrt(), lambda x: x.sigmoid()])
def test_a_factor_that_only_looks_like_a_kept_number_is_not_called_by_it(program):
    figure = show.backward(program(rf.tensor([-1.0, 0.5, 1.0], requires_grad=True)))
    for links in figure.scene.links:
        assert not any("·g" in link.args[3] for id, link in links.links.items() if id.startswith("o0q"))


def test_a_result_that_nobody_reads_is_said_to_be_that():
    x = rf.arange(6.0).requires_grad_()
    a, b, c = x.chunk(3)
    figure = show.backward(a * b)
    told = {figure.state(link=id).sentence for id in figure.scene.index if re.fullmatch(r"o\du\d+", id)}
    assert {"dc[0] = 0: nobody reads c.", "dc[1] = 0: nobody reads c."} <= told


def test_the_sum_behind_a_number_is_told_where_that_number_stands_as_written_there():
    x = rf.tensor([[2.0, 5.0], [4.0, -1.0]], requires_grad=True)
    h = x * 1
    m = h.mean(0)
    spread = ((h - m) ** 2).mean(0)
    z = (h - m) * rf.rsqrt(spread + 1e-5)
    figure = show.backward((z * rf.tensor([[1.0, 2.0], [3.0, 4.0]])).sum())
    told = {figure.state(link=id).sentence for id in figure.scene.index if re.fullmatch(r"o\du\d+", id)}
    assert any("with more digits" in said for said in told)
    for said in told:
        if also := re.fullmatch(r"(.*?)[:,;] (?:added up, [^;]*; |and )?d.* [=≈] (\S+?)(?:, added .*)?\.", said):
            assert re.search(rf"·\(?{re.escape(also[2])}\)? ", also[1])
