"""The backward figure: each event in order, what has arrived and what not, sums written out, numbers traced back."""

import re

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import rustyflow as rf
from rustyflow import ir, show
from rustyflow.autograd import own_order
from rustyflow.errors import GradError
from rustyflow.scene import Figure
from rustyflow.scene.measure import width
from rustyflow.show.backward_story import Story


def text(figure, id, frame):
    """The words of a shape in a frame."""
    return figure.state(frame).sets.get((id, "text"), figure.scene.index[id].text)


def lit(figure, frame=0, link=None):
    state = figure.state(frame, link)
    return {id for id, classes in state.classes.items() if "lit" in classes}


def said(figure):
    return [frame.says for frame in figure.frames]


@pytest.fixture(scope="module")
def line():
    # %1 w, %2 x, %3 expand x, %4 mul, %5 sum
    w, x = rf.tensor([2.0, 3.0], requires_grad=True), rf.tensor([0.5], requires_grad=True)
    loss = (w * x).sum()
    return show.backward(loss)


def test_forward_first_then_every_event_with_its_sentence(line):
    assert said(line)[1:] == [
        "Forward: the values of the leaves are there, and no gradient is, not even 0.",
        "mul: [2, 3] * [0.5] = [1, 1.5].",
        "loss: sum([1, 1.5]) = 2.5.",
        "Backward begins: the gradient of loss is 1: if loss grows by 1, loss grows by 1.",
        "accumulate: loss had no gradient yet, so it has 1. It is ready.",
        "vjp (vector-Jacobian product): loss turns its gradient into one for mul, by d(mul) = g, repeated along dim, "
        "which gives [1, 1].",
        "accumulate: mul had no gradient yet, so it has [1, 1]. It is ready.",
        "free: loss has sent its gradients on, and is done: it kept no tensor.",
        "vjp: mul turns its gradient into one for w, by dw = g * x, which gives [0.5, 0.5].",
        "accumulate: w had no gradient yet, so it has [0.5, 0.5].",
        "vjp: mul turns its gradient into one for x, by dx = g * w, which gives [2, 3].",
        "sum_to: x was read as 2 numbers, so its 2 gradients are added up: 2 + 3 = 5.",
        "accumulate: x had no gradient yet, so it has [5].",
        "free: mul has sent its gradients on, and lets go of w and x.",
        "Every leaf has heard from all who read it: w.grad and x.grad are complete. "
        "Click a leaf to see what made its gradient.",
        "Where x.grad[0] comes from: 2·1 + 3·1 = 5. In blue: what was read on the way.",
    ]


def test_values_arrive_forward_and_gradients_backward(line):
    assert [text(line, id, 1) for id in ("v0", "v3", "v4", "g0", "g4")] == ["[2, 3]", "", "", "not yet", "not yet"]
    assert [text(line, id, 2) for id in ("v3", "v4", "g3")] == ["[1, 1.5]", "", "not yet"]
    assert [text(line, "g3", frame) for frame in (6, 7)] == ["not yet", "[1, 1]"]
    assert [text(line, "g1", frame) for frame in (12, 13)] == ["not yet", "[5]"]


def test_a_gradient_that_has_not_arrived_is_never_0(line):
    for frame in range(1, 13):
        assert text(line, "g1", frame) == "not yet"


def test_the_inspector_shows_the_rule_in_symbols_and_in_numbers(line):
    frame = said(line).index("vjp: mul turns its gradient into one for x, by dx = g * w, which gives [2, 3].")
    assert text(line, "i1", frame) == "dx = g * w"
    assert "".join(text(line, f"p{k}", frame) for k in range(10)) == "dx = [1, 1] * [2, 3] = [2, 3]"
    classes = line.state(frame).classes
    assert "grad-ink" in classes["p1"] and "value-ink" in classes["p3"]  # g, then a value
    assert {"n3", "z7"} < lit(line, frame)


def test_a_formula_too_long_for_the_inspector_is_cut_where_it_makes_sense():
    a, b = (rf.tensor([12.3, 45.6, 78.9, 98.7], requires_grad=True) for _ in range(2))
    figure = show.backward((a * b).tanh().sum())

    def shown(start):
        frame = next(k for k, s in enumerate(said(figure)) if s.startswith(start))
        return ["".join(text(figure, id, frame) for id in ids) for ids in ([f"p{k}" for k in range(10)], ("r0", "r1"))]

    numbers = "[12.3, 45.6, 78.9, 98.7]"
    assert shown("mul: ") == [f"{numbers} * {numbers}", "= [151, 2079, 6225, 9742]"]
    c = rf.tensor([0.123, 0.456], requires_grad=True)
    figure = show.backward(c.tanh().sum())
    assert shown("vjp: tanh") == ["dc = [1, 1] * (1 - [0.122, 0.427] * [0.122, 0.427])", "= [0.985, 0.818]"]
    c = rf.tensor([0.123, 0.456, 0.789, 1.234], requires_grad=True)
    figure = show.backward(c.tanh().sum())
    assert shown("vjp: tanh") == ["dc = [0.985, 0.818, 0.567, 0.288]", ""]


def test_the_tape_marks_the_event(line):
    first = said(line).index("Backward begins: the gradient of loss is 1: if loss grows by 1, loss grows by 1.")
    for number in range(11):
        assert {id for id in lit(line, first + number) if id[0] == "z"} == {f"z{number}"}
    assert "".join(line.scene.index[f"z{k}"].children[-1].text for k in range(11)) == "s+v+fv+vΣ+f"


def test_the_ledger_at_a_fan_out():
    x = rf.tensor(4.0, requires_grad=True)
    y = x * x
    figure = show.backward(y)
    frames = [k for k, s in enumerate(said(figure)) if s.startswith("accumulate: x")]
    assert [said(figure)[k] for k in frames] == [
        "accumulate: x had no gradient yet, so it has 4; 1 of 2 has reported. It waits for the other.",
        "accumulate: x had 4, and 4 comes to it: 8; 2 of 2 have reported.",
    ]
    ledger = [[text(figure, id, k) for id in ("l0", "l1", "l2", "l3")] for k in frames]
    assert ledger == [["x.grad", "nothing", "+ 4", "4"], ["x.grad", "4", "+ 4", "8"]]
    assert [text(figure, "g0", k) for k in (frames[0], frames[1])] == ["4", "8"]


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
    assert line.state(link="o1u1").sentence == "g of mul[1] = 1·1 = 1."
    assert line.state(link="o1u2").sentence == "g of loss = 1: backward began with it."
    assert line.state(link="o1q0").sets["o1d", "text"] == "= w[0]·g of mul[0] + w[1]·g of mul[1]"
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
        "g of add[0, 1] = 1·1 = 1.", "g of relu[0, 1] = (-1)·(-1) = 1.", "g of sub[0, 0] = (-2)·0.5 = -1.",
        "g of pow[0, 0] = 0.5·1 = 0.5.", "g of loss = 1: backward began with it.",
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


def test_pressing_through_changes_no_gradient_and_keeps_the_graph():
    x = rf.tensor([1.0, 2.0], requires_grad=True)
    y = (x * x).sum()
    show.backward(y)
    assert x.grad is None
    y.backward()
    assert x.grad.tolist() == [2.0, 4.0]


def test_the_size_of_a_gradient_is_not_taken_for_its_value():
    x = rf.arange(6.0).view(6).requires_grad_()
    figure = show.backward((x * 1.2345).sum())
    assert figure.scene.index["v0"].text == "6 numbers" and figure.scene.index["g0"].text == "grad 6 numbers"
    frame = next(k for k, s in enumerate(said(figure)) if s.startswith("accumulate: x"))
    assert text(figure, "l3", frame) == "6 numbers"
    assert said(figure)[frame] == "accumulate: x had no gradient yet, so it has one of shape [6]."


def test_more_than_one_number_has_an_upstream_gradient():
    x = rf.tensor([1.0, 2.0], requires_grad=True)
    figure = show.backward(x * 3)
    says = "the gradient of mul is [1, 4]: numbers made up here, unless you give yours with upstream=."
    assert says in figure.text()
    given = show.backward(x * 3, rf.tensor([5.0, 7.0]))
    assert "the gradient of mul is [5, 7]: given with upstream=." in given.text()
    assert "x.grad = [15, 21]" in given.text()


def chain(n):
    """Nodes %1 ... : x, then n times a product with a number."""
    x = rf.tensor([1.0, 2.0], requires_grad=True)
    y = x
    for _ in range(n):
        y = y * 2
    return y.sum()


def window(figure, frame=0, link=None):
    """The x at which the window on the graph begins."""
    return -float(figure.state(frame, link).sets["world", "transform"].removeprefix("translate(").split()[0])


@pytest.mark.parametrize("n", [38, 60, 198])
def test_a_large_graph_is_seen_through_a_window_that_follows_the_story(n):
    figure = show.backward(chain(n))
    scene, many = figure.scene, n + 2
    assert scene.width == 860 and scene.height < 640
    left = {k: float(dict(scene.index[f"n{k}"].attrs)["transform"][10:].split()[0]) for k in range(many)}
    wide = {k: dict(scene.index[f"n{k}"].children[0].attrs)["width"] for k in range(many)}
    for frame, sentence in enumerate(said(figure)):
        found = [id for id in lit(figure, frame) if re.fullmatch(r"n\d+", id)]
        if found and not figure.frames[frame].link:
            k = int(found[0][1:])
            assert window(figure, frame) <= left[k] and left[k] + wide[k] <= window(figure, frame) + 812, sentence
            assert f"m{k}" in lit(figure, frame)
    for k in (0, n // 2, many - 1):  # the map's marks say what the boxes say, and bring them into sight
        assert figure.state(0, f"m{k}").sentence == figure.state(0, f"n{k}").sentence
        assert window(figure, 0, f"m{k}") <= left[k] <= window(figure, 0, f"m{k}") + 812
    assert ("world", "transform") not in figure.state(1, "n1").sets or window(figure, 1, "n1") == window(figure, 1)


def test_on_the_map_marks_change_as_values_and_gradients_arrive():
    figure = show.backward(chain(50))

    def marks(frame):
        state = figure.state(frame)
        worn = [state.classes.get(f"m{k}", figure.scene.index[f"m{k}"].cls) for k in range(52)]
        return [sum(kind in classes for classes in worn) for kind in ("waiting", "grad")]

    assert marks(1) == [51, 0]  # of x there is a value
    assert marks(2) == [0, 0]
    seen = [marks(frame)[1] for frame in range(3, len(figure.frames))]
    assert seen == sorted(seen) and seen[-1] == 52


def test_a_figure_of_two_hundred_nodes_weighs_little():
    assert len(show.backward(chain(198)).html()) < 256 * 1024
    assert len(show.backward(chain(38)).html()) < 100 * 1024


def test_a_tape_of_many_events_moves_with_the_story():
    figure = show.backward(chain(60))
    first = next(k for k, s in enumerate(said(figure)) if s.startswith("Backward begins"))
    for number in (0, 50, 100):
        state = figure.state(first + number)
        at = float(state.sets["tape", "transform"][10:].split()[0]) + 31 * number
        assert 0 <= at <= 812 - 31 and f"z{number}" in lit(figure, first + number)
        assert state.sets["veil", "transform"] == f"translate({31 * (number + 1) - 1} 0)"


def test_a_graph_too_large_is_told_in_words():
    x = rf.ones(3, requires_grad=True)
    y = x
    for _ in range(3000):
        y = y * 2
    figure = show.backward(y.sum())
    assert "3,002 nodes and 6,004 events, more than are drawn (200 and 500)." in figure.text()
    assert "n0" not in figure.scene.index


def test_what_is_told_in_words_tells_the_way_back_and_the_gradients():
    w = rf.tensor([2.0, 3.0], requires_grad=True)
    y = w
    for _ in range(150):
        y = y * 1.0 + w
    figure = show.backward(y.sum())
    assert "w.grad = [151, 151], the sum of 151 that came to it" in figure.text()
    assert figure.frames[1].says == (
        "Backward goes from the last line of the text up to the first, through 150 mul, 150 add and 1 sum, "
        "and adds to w.grad."
    )


def test_a_number_read_a_million_times_freezes_nothing():
    w = rf.tensor(2.0, requires_grad=True)
    figure = show.backward((rf.ones(1000, 1000) * w).sum())
    assert not any(id.startswith("o0") for id in figure.scene.index)
    assert "w.grad = 1e6" in figure.text()


def test_a_bias_read_by_a_large_batch_is_traced_as_far_as_can_be_drawn():
    b = rf.zeros(4, requires_grad=True)
    figure = show.backward((rf.arange(128.0).view(32, 4) + b).tanh().mean())
    sentence = figure.state(link="o0q1").sentence
    assert sentence.startswith("b.grad[1] = ") and sentence.count("·") == 5 and " + ... = " in sentence
    assert "o0u0" not in figure.scene.index


def test_a_hook_that_replaces_a_gradient_is_an_event():
    x = rf.tensor([1.0, 2.0], requires_grad=True)
    h = x * 2
    h.register_hook(lambda g: g * 10)
    figure = show.backward(h.sum())
    says = [frame.says for frame in figure.frames]
    assert "hook: a hook replaces the gradient of h: [1, 1] becomes [10, 10]." in says
    assert "vjp: h turns its gradient into one for x, by dx = g * 2, which gives [20, 20]." in says


def test_a_hook_on_long_numbers_is_inspected_in_two_lines():
    x = rf.tensor([0.123456, -0.654321, 12.3456], requires_grad=True)
    h = x * x - x
    h.register_hook(lambda g: g * -3.21)
    figure = show.backward((h * h * h).sum())
    frame = next(k for k, says in enumerate(said(figure)) if says.startswith("hook: "))
    shown = [text(figure, id, frame) for id in ("p0", "r0", "r1")]
    assert shown == ["[0.0351, 3.52, 58857]", "becomes ", "[-0.113, -11.3, -188932]"]


def test_what_cannot_be_walked_is_refused():
    with pytest.raises(GradError):
        show.backward(rf.ones(3))
    x = rf.tensor(3.0, requires_grad=True)
    y = x * x
    y.backward()
    with pytest.raises(GradError, match="second time"):
        show.backward(y)
    with pytest.raises(TypeError, match="tensor of rustyflow"):
        show.backward(np.ones(3))


def test_a_node_with_several_results_and_one_of_your_own():
    class Cube(rf.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x**3

        @staticmethod
        def backward(ctx, g):
            (x,) = ctx.saved_tensors
            return g * 3 * x**2

    x = rf.tensor([1.0, 2.0, 4.0], requires_grad=True)
    assert "x.grad = [3, 12, 48]" in show.backward(Cube.apply(x).sum()).text()


def test_of_several_results_each_has_its_name_its_value_and_its_gradient():
    x = rf.tensor([1.0, 2.0, 4.0], requires_grad=True)
    parts = x.split([1, 2])
    figure = show.backward(parts[0].sum() + 10 * parts[1].sum())
    assert figure.scene.index["v1"].text == "[1], [2, 4]"
    frames = after(figure, "accumulate: split")
    assert [said(figure)[frame] for frame in frames] == [
        "accumulate: split_with_sizes[1] had no gradient yet, so it has [10, 10]; 1 of 2 has reported. "
        "It waits for the other.",
        "accumulate: split_with_sizes[0] had no gradient yet, so it has [1]; 2 of 2 have reported. It is ready.",
    ]
    assert [waits(figure, 1, frame) for frame in frames] == [
        ("[10, 10]", "1 of 2", True), ("[1], [10, 10]", "2 of 2", False),
    ]  # fmt: skip
    assert "sum %4: sum([2, 4]) = 6." in said(figure) and "x.grad = [1, 10, 10]" in figure.text()
    best = show.backward(x.max(0).values * 2)
    assert any(s.endswith("mul turns its gradient into one for max.values, by d(max.values) = g * 2, which gives 2.")
               for s in said(best))  # fmt: skip
    assert "free: max has sent its gradients on, and lets go of its indices." in said(best)


def test_a_hook_on_a_node_that_waits_comes_when_all_have_reported():
    x = rf.tensor(2.0, requires_grad=True)
    h = x * 3
    h.register_hook(lambda g: g * 10)
    figure = show.backward(h + h * 5)
    frames = [*after(figure, "accumulate: h"), *after(figure, "hook")]
    assert [waits(figure, 1, frame) for frame in frames] == [
        ("1", "1 of 2", True), ("6", "2 of 2", False), ("60", "2 of 2", False),
    ]  # fmt: skip


def test_an_index_of_whole_numbers_is_one_in_a_rule_too():
    x, w = rf.tensor([[1.0, 2.0], [3.0, 4.0]]), rf.tensor([[1.0, 0.0], [0.0, 1.0]], requires_grad=True)
    figure = show.backward(rf.nn.functional.nll_loss(x @ w, rf.tensor([0, 1])))
    assert "x.T @ g" in figure.text() and "w.grad = [[-0.5, -1.5], [-1, -2]]" in figure.text()


@pytest.mark.parametrize("bounds, rule, back", [
    ({"min": 2}, "maximum([1, 3], 2) = [2, 3]", "2 <= x, else 0, which gives [0, 1]"),
    ({"max": 2}, "minimum([1, 3], 2) = [1, 2]", "x <= 2, else 0, which gives [1, 0]"),
    ({"min": 2, "max": 4}, "minimum(maximum([1, 3], 2), 4) = [2, 3]", "2 <= x <= 4, else 0, which gives [0, 1]"),
])  # fmt: skip
def test_a_bound_that_was_left_out_is_in_no_rule(bounds, rule, back):
    x = rf.tensor([1.0, 3.0], requires_grad=True)
    text = show.backward(x.clamp(**bounds).sum()).text()
    assert f"clamp: {rule}" in text and f"by dx = g where {back}" in text


def test_an_operand_left_out_before_another_leaves_its_place():
    x, b = rf.tensor([1.0, 3.0], requires_grad=True), rf.tensor([1.0, 2.0], requires_grad=True)
    figure = show.backward(rf.nn.functional.layer_norm(x, (2,), None, b).sum())
    assert "one for b, by db = sum(g), which gives [1, 1]" in figure.text()
    assert show.graph(x.clamp(max=b)).sentences[3].startswith("%3 = clamp reads x and b and gives")


def test_where_no_number_is_read_no_gradient_comes_from():
    x, y = rf.tensor([[1.0, 2.0]], requires_grad=True), rf.zeros(0, 2, requires_grad=True)
    assert "x.grad = [[0, 0]]" in show.backward((x - y).sum()).text()
    assert rf.autograd.provenance((x - y).sum(), x, (0, 1)).value == 0
    figure = show.backward(rf.tensor(3.0, requires_grad=True).norm(0))
    assert figure.sentences[-1] == "Backward ends here: no gradient came to a leaf."


def test_a_gradient_of_0_did_not_begin_backward():
    x = rf.tensor([-3.0, 1.0], requires_grad=True)
    figure = show.backward(x.relu().sum())
    assert figure.state(link="o0q0").sentence == "x.grad[0] = 0: all that would lead to it is multiplied by 0."
    assert figure.sentences[-1] == "Where x.grad[1] comes from: 1·1 = 1."
    assert "comes from" not in show.backward(rf.tensor(-3.0, requires_grad=True).relu()).sentences[-1]


def test_names_are_text():
    x = rf.tensor(3.0, requires_grad=True)
    assert "<script>" not in show.backward(x * x, title="<script>").svg()


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
        assert words.startswith("grad 2") or shown == pytest.approx(leaf.grad.reshape(-1).tolist(), rel=0.06, abs=1e-3)


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


def two_ways():
    """The figure of a program in which c reaches y twice."""
    a = rf.tensor(3.0, requires_grad=True)
    c = a * 2
    d = c * 5
    y = c + d
    return show.backward(y)


def test_a_box_gives_its_rule_in_the_program_s_names():
    figure = two_ways()
    assert figure.state(link="n3").sentence == "add: y = c + d; its value is 36, and in the end its gradient is 1."
    assert figure.state(link="n1").sentence == "mul: c = a * 2; its value is 6, and in the end its gradient is 6."
    assert not any("it kept what it kept" in str(frame) for frame in figure.frames)


def forward(figure, name):
    """What the forward step of a node says, and its rule."""
    frame = next(k for k, says in enumerate(said(figure)) if says.startswith(name) and ("=" in says or "gives" in says))
    return said(figure)[frame], text(figure, "i1", frame)


def test_a_number_that_was_not_kept_is_told_where_the_result_leaves_no_doubt():
    x = rf.tensor(2.0, requires_grad=True)
    b = rf.tensor(3.0, requires_grad=True)
    p = x * b
    q = p + 1
    assert forward(show.backward(q * p), "q") == ("q: 6 + 1 = 7.", "q = p + 1")
    r = 1 - p / 7
    assert forward(show.backward(r * 1), "r") == ("r: 1 - 0.857 = 0.143.", "r = 1 - div")
    s = p - 0.1
    assert forward(show.backward(s * 1), "s") == ("s: 6 - 0.1 = 5.9.", "s = p - 0.1")


def test_an_operand_that_nobody_knows_has_no_tensor_s_name():
    b = rf.tensor(1e8, requires_grad=True)
    q = b + 1  # lost in the rounding
    assert forward(show.backward(q * 1), "q") == ("q gives 1e8.", "q = b + (untracked)")
    x = rf.tensor([1.0, 2.0], requires_grad=True)
    s = x + rf.tensor([4.0, 5.0])
    assert forward(show.backward(s.sum()), "s") == ("s gives [5, 7].", "s = x + (untracked)")


def test_rules_call_a_result_by_its_node_and_not_y():
    y = rf.tensor([0.5], requires_grad=True)
    figure = show.backward((y * 2).tanh().sum())
    assert any("d(mul) = g * (1 - tanh * tanh)" in says for says in said(figure))


def test_an_index_and_a_sign_read_as_written():
    x = rf.tensor([1.0, -3.0], requires_grad=True)
    figure = show.backward(-x[1] * x[0])
    assert [says for says in said(figure)[2:5]] == [
        "select %2: x[1] = -3.", "neg: -(-3) = 3.", "select %4: x[0] = 1.",
    ]  # fmt: skip


def test_two_ways_into_a_gradient_stand_in_a_box_each_though_their_numbers_are_equal():
    figure = two_ways()
    heard = {figure.state(link=f"o0{cell}").sentence for cell in ("u0", "u1", "u2")}
    assert heard == {
        "g of c = 1·1 + 5·1 = 6: added up, because it was read more than once.",
        "g of d = 1·1 = 1.",
        "g of y = 1: backward began with it.",
    }


def test_a_number_tells_the_sum_behind_it_and_its_columns_are_joined_over_both_ways():
    figure = two_ways()
    assert figure.sentences[-1] == "Where a.grad comes from: 2·6 = 12, and g of c = 1·1 + 5·1 = 6."
    sentence = figure.state(link="o0q0").sentence
    assert sentence == "a.grad = 2·6 = 12: g of c = 1·1 + 5·1 = 6, added up, because it was read more than once."
    assert [id for id in figure.scene.index if id.startswith("o0j")] == ["o0j0"]  # from y to c, past d
    assert "o0j0" in lit(figure, len(figure.frames) - 1) and "o0j0" not in lit(figure, link="o0u1")  # u1 is d's

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
    says = "Where a.grad comes from: 1·6 + 2·15 = 36, and g of p = 9·1 + 1·6 = 15. In blue: what was read on the way."
    assert figure.sentences[-1] == says
    assert figure.state(link="o0q0").sets["o0d", "text"] == "= g of q + b·g of p"
    words = [shape.text for shape in figure.scene.index["o0"].children]
    assert "value of b" in words and "of q" in words and "slot" not in words
    assert len(figure.scene.index["o0s0"].children) == 2  # no address
    words = [shape.text for shape in line.scene.index["o1"].children]
    assert "slot" in words and "storage of w" in words


def after(figure, start):
    """The frames of the steps whose sentences begin so."""
    return [k for k, says in enumerate(said(figure)) if says.startswith(start)]


def points(d):
    """The points of an arrow's line, without its head."""
    line = re.findall(r"-?[\d.]+", d.partition("m")[0])
    return list(zip(map(float, line[::2]), map(float, line[1::2]), strict=True))


def waits(figure, k, frame):
    """What a box says of its gradient, and how many have come; whether both look unfinished, or both finished."""
    if {"off"} <= set(figure.state(frame).classes.get(f"h{k}", ())):
        assert text(figure, f"g{k}", frame) == "" and "off" not in figure.state(frame).classes[f"y{k}"]
        return text(figure, f"y{k}", frame), "", True
    assert "off" in figure.state(frame).classes.get(f"y{k}", figure.scene.index[f"y{k}"].cls)
    grad, count = (figure.state(frame).classes.get(id, figure.scene.index[id].cls) for id in (f"g{k}", f"h{k}"))
    unfinished = {"muted" in grad, "grad-ink" not in grad, "waiting" in count}
    assert len(unfinished) == 1
    return text(figure, f"g{k}", frame), text(figure, f"w{k}", frame), unfinished.pop()


def test_a_node_that_waits_for_another_reader_looks_unfinished_until_all_have_reported():
    figure = two_ways()  # n1 is c, which y and d read
    first, second = after(figure, "accumulate: c")
    assert {waits(figure, 1, frame) for frame in range(first)} == {("not yet", "", True)}
    assert {waits(figure, 1, frame) for frame in range(first, second)} == {("1", "1 of 2", True)}
    assert {waits(figure, 1, frame) for frame in range(second, len(figure.frames))} == {("6", "2 of 2", False)}
    assert [text(figure, "l3w", frame) for frame in (first, second)] == ["so far", "now"]
    assert "h0" not in figure.scene.index and "h3" not in figure.scene.index  # one gradient comes to a, one to y


def test_a_leaf_counts_its_readers_and_a_gradient_that_it_had_is_none_of_them():
    x = rf.tensor([0.5, 0.25], requires_grad=True)
    x.grad = rf.tensor([100.0, 100.0])
    figure = show.backward((x * x + x).sum())
    frames = [1, *after(figure, "accumulate: x")]
    assert [waits(figure, 0, frame) for frame in frames] == [
        ("not yet", "", True), ("[1, 1]", "1 of 3", True),
        ("[1.5, 1.25]", "2 of 3", True), ("[2, 1.5]", "3 of 3", False),
    ]  # fmt: skip
    assert "x.grad = [2, 1.5]" in figure.text()


@pytest.mark.parametrize("picks, heard", [("rqp", ["10", "17"]), ("rpq", ["7", "17"])])
def test_gradients_are_counted_in_the_order_in_which_they_come(picks, heard):
    x = rf.tensor(2.0, requires_grad=True)
    s = x * 3
    p, q = s * 7, s * 10
    r = p + q
    made = ir.graph(r, names={"x": x, "s": s, "p": p, "q": q, "r": r}, depth=1)
    steps, _ = own_order(r, [{"p": p, "q": q, "r": r}[name] for name in picks] + [s])
    figure = Figure(Story(r, None, made, steps, "r").scene())
    assert [waits(figure, 1, frame)[:2] for frame in after(figure, "accumulate: s")] == [
        (heard[0], "1 of 2"), (heard[1], "2 of 2"),
    ]  # fmt: skip


def test_an_arrow_turns_round_when_a_gradient_has_come_over_it():
    figure = two_ways()
    steps = after(figure, "vjp")
    arrows = [next(id for id in lit(figure, frame) if id[0] == "e") for frame in steps]
    assert len(set(arrows)) == 4
    for arrow, step in zip(arrows, steps, strict=True):
        turned = [(arrow, "d") in figure.state(frame).sets for frame in range(len(figure.frames))]
        assert turned == [frame >= step for frame in range(len(figure.frames))]
        forward = dict(figure.scene.index[arrow].attrs)["d"]
        there, back = points(forward), points(figure.state(step).sets[arrow, "d"])
        assert there[0][0] < there[-1][0] and back[0][0] > back[-1][0]  # its head is at its end


def test_a_count_stands_beside_the_longest_gradient_that_the_box_ever_shows():
    x = rf.tensor([0.123, -0.456, 0.789], requires_grad=True)
    figure = show.backward((x * x.exp() - x).sum())
    box = figure.scene.index["n0"].children
    count = next(part for part in box if part.id == "h0")
    left = float(dict(count.attrs)["transform"].removeprefix("translate(").split()[0])
    ends = dict(figure.scene.index["g0"].attrs)["x"]
    longest = max(width(text(figure, "g0", frame), 15, mono=True) for frame in range(len(figure.frames)))
    assert 4 <= ends - longest and ends < left
    assert left + dict(count.children[0].attrs)["width"] <= dict(box[0].attrs)["width"] - 8


def test_on_the_map_a_node_that_waits_is_not_marked_as_having_its_gradient():
    x = rf.tensor(2.0, requires_grad=True)
    y = x
    for _ in range(50):
        y = y * 1.0
    figure = show.backward(y + x)
    begins, first, second = 52, *after(figure, "accumulate: x")

    def marked(frame):
        return "grad" in figure.state(frame).classes.get("m0", figure.scene.index["m0"].cls)

    assert [marked(frame) for frame in (begins, first, second - 1, second)] == [False, False, False, True]


def legend(figure):
    return next(line.text for line in figure.scene.index["leg"].children if line.text.startswith("the events"))


def test_the_legend_lists_the_events_that_occur_and_no_others(line):
    assert legend(line) == "the events: s seed, v vjp, Σ sum_to, + accumulate, f free"
    a = rf.tensor(3.0, requires_grad=True)
    assert legend(show.backward(a * 2)) == "the events: s seed, v vjp, + accumulate, f free"


def test_the_legend_explains_a_count_where_there_is_one(line):
    words = [line.text for line in two_ways().scene.index["leg"].children]
    assert "1 of 2: of the 2 gradients that are added up there, 1 has come; it waits for all" in words
    assert not any(" of " in line.text for line in line.scene.index["leg"].children)
