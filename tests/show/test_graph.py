"""The graph figure: a box and a line of text for each node, lit together; what is shared, kept, repeated, a view."""

import re

import numpy as np
import pytest

import rustyflow as rf
from rustyflow import ir, show
from rustyflow.show.graph.figure import scene_of
from tests.show.seen import lit


@pytest.fixture(scope="module")
def line():
    w = rf.tensor([2.0, 3.0], requires_grad=True)
    x = rf.tensor([0.5], requires_grad=True)
    b = rf.tensor([0.1, 0.2], requires_grad=True)
    loss = ((w * x) + b).tanh().sum()
    return show.graph(loss)


def test_a_box_and_its_line_light_each_other_the_box_all_its_arrows_the_line_those_of_what_it_reads(line):
    # %1 w, %2 x, %3 b, %4 expand x, %5 mul, %6 add, %7 tanh, %8 sum
    reads = {id for id in lit(line, "t4") if id[0] == "e"}
    assert lit(line, "t4") - reads == {"n4", "t4"}
    reader = lit(line, "n4") - lit(line, "t4")
    assert (len(reads), len(reader)) == (2, 1) and lit(line, "t4") < lit(line, "n4")
    assert lit(line, frame=5) == lit(line, "t4")  # a step speaks of what is read
    assert line.state(link="n4").sentence == (
        "%5 = mul reads w and x (repeated) and gives float32[2], and keeps w and x for backward."
    )


def test_the_text_is_the_ir(line):
    assert line.scene.title == "loss = ((w * x) + b).tanh().sum()"
    assert line.scene.about[3:5] == (
        "      %4 = expand %2    : float32[2]  view of %2",
        "      %5 = mul %1, %4   : float32[2]  saved: %1 %2",
    )
    assert line.scene.index["t4"].text == line.scene.about[4]


def test_a_line_that_would_run_under_the_card_goes_on_in_the_next_row():
    x, b = rf.ones(1, 2), rf.ones(2)
    w = rf.ones(2, 2, requires_grad=True)
    figure = show.graph((rf.nn.functional.linear(x, w, b) + rf.ones(65, 2)).sum(), title="y")
    for k, line in enumerate(figure.scene.about):
        if (shape := figure.scene.index.get(f"t{k}")) and not shape.text:
            assert " ".join("".join(part.text for part in shape.children).split()) == " ".join(line.split())
    texts = [s for top in figure.scene.shapes for s in top.walk() if s.tag in ("text", "tspan") and s.text]
    assert any(s.text.lstrip().startswith("? is an untracked operand that nothing kept") for s in texts)
    card = next(dict(s.attrs)["transform"] for top in figure.scene.shapes for s in top.walk() if s.id == "card")
    edge = float(card.removeprefix("translate(").partition(" ")[0])
    rows = [s for s in texts if s.tag == "tspan" or s.id[:1] == "t" or s.text.startswith("return")]
    assert all(24 + 0.602 * 15 * len(s.text) < edge for s in rows)


@pytest.mark.parametrize("name", ["layer_norm", "huber_loss", "smooth_l1_loss", "clamp", "softplus", "conv2d"])
def test_a_card_shows_the_longest_rules_in_full(name):
    F, x = rf.nn.functional, rf.ones(1, 1, 3, 3, requires_grad=True)
    made = {
        "layer_norm": lambda: F.layer_norm(x, (3,), x[0, 0, 0], x[0, 0, 1]), "clamp": lambda: x.clamp(x * 2, x * 3),
        "huber_loss": lambda: F.huber_loss(x, x * 2), "smooth_l1_loss": lambda: F.smooth_l1_loss(x, x * 2),
        "softplus": lambda: F.softplus(x), "conv2d": lambda: F.conv2d(x, x[:, :, :2, :2], x[0, 0, 0, :1]),
    }[name]()  # fmt: skip
    figure = show.graph(made, title="y")
    for family in figure.scene.links:
        for id in family.links:
            sets = figure.state(link=id).sets
            assert not [words for words in sets.values() if "…" in words]
            rules = " ".join(sets.get((f"{letter}{k}", "text"), "") for letter in "cd" for k in range(3, 7))
            assert rules.count("(") == rules.count(")")


def test_the_card_shows_the_rule_and_pytorch_s_name(line):
    card = [line.state(link="n4").sets[f"c{k}", "text"] for k in range(7)]
    assert card == ["%5  mul", "in PyTorch: MulBackward0", "keeps w and x (version 0)",
                    "%5 = w * x", "dw = g * x", "d(%4) = g * w", ""]  # fmt: skip
    kink = show.graph(rf.tensor([1.0], requires_grad=True).relu())
    assert kink.state(link="n1").sets["c2", "text"] == "at %1 = 0 the gradient is 0"


def test_the_steps_follow_the_program(line):
    said = [frame.sentence for frame in line.frames]
    assert said[0] == "4 operations made loss from w, x and b: each line of text with = is a box of the picture."
    assert said[5].startswith("%5 = mul") and said[-2].startswith("%8 = sum reads %7 and gives float32[]")
    assert line.state(5).classes["n5"][-1] == "coming" and "coming" not in line.state(5).classes["n4"]


def test_a_box_tells_its_name_its_shape_and_that_it_is_kept_apart(line):
    shown = [tuple(words.text for words in line.scene.index[f"n{k}"].children[1:]) for k in (0, 6, 7)]
    assert shown[0] == ("w", "[2, 3]", "[2], kept")
    assert [(name, shape) for name, _, shape in shown[1:]] == [("tanh", "[2], kept"), ("sum loss", "scalar")]


def test_a_box_of_several_results_tells_which_of_them_is_kept():
    x, weight = rf.ones(3, 4, requires_grad=True), rf.ones(4)
    loss = rf.nn.functional.cross_entropy(x, rf.tensor([0, 3, 1]), weight=weight)
    drawn = show.graph(loss), show.graph(x.sort(1).values), show.graph(x.prod(1).sum())
    said = [re.findall(">([^<>]*kept)<", figure.svg()) for figure in drawn]
    assert said == [["[3], kept", "[4], kept", "scalar, shares kept"], ["[3, 4], indices kept"],
                    ["[3, 4], kept", "[3], kept"]]  # fmt: skip


def test_what_is_written_over_is_not_said_to_be_read():
    x = rf.tensor([2.0, 5.0], requires_grad=True)
    written = (x * 1).copy_(x * 3), rf.zeros(2).fill_(x[0]), (x * 1).zero_()
    told = [line.partition(" and gives")[0] for y in written for line in show.graph(y).sentences if " writes " in line]
    assert told == ["%4 = copy_ writes %3 over %2", "%5 = fill writes %2 (repeated) over %3",
                    "%3 = zero_ writes 0 over %2"]  # fmt: skip
    figure = show.graph(x.masked_fill(x > 3, 0.5))
    assert "%3 = masked_fill reads x, %2 and " in figure.text()


def test_a_shared_node_is_one_box():
    y = rf.tensor(2.0, requires_grad=True)
    z = y * y
    q = z + z
    figure = show.graph(q)
    assert sum(id[0] == "n" and id[1:].isdigit() for id in figure.scene.index) == 3
    read = "y and z are read more than once"
    assert figure.frames[-1].sentence == f"{read}: a tree would need 7 boxes, the graph needs 3."
    assert sum(id[0] == "e" for id in figure.scene.index) == 4
    assert lit(figure, frame=-1) == {"n0", "t0", "n1", "t1", "e0", "e1", "e2", "e3"}  # y and z, and who reads them


def test_the_last_step_brings_what_is_shared_into_the_window_and_lights_nothing_where_nothing_is():
    x = deep(20, 3, 4, 5, 6)
    y = x * x
    figure = show.graph(y.tanh())
    assert {id for id in lit(figure, frame=-1) if id[0] != "e"} == {"n20", "t20", "m20"}
    moved = figure.state(link="m20").sets
    assert {key: figure.state(-1).sets[key] for key in moved if key[0] in ("world", "win", "lines")} == {
        key: value for key, value in moved.items() if key[0] in ("world", "win", "lines")
    }
    assert lit(show.graph(deep(3)), frame=-1) == set()


def test_a_view_is_dashed_to_its_base():
    w = rf.ones(2, 3, requires_grad=True)
    figure = show.graph(w.t().exp())
    view = figure.scene.index["n1"]
    assert "dashed" in view.children[0].cls and "dashed" in figure.scene.index["e0"].cls
    assert figure.state(link="n1").sentence.endswith("a view of w without numbers of its own.")


def test_what_was_freed_is_said():
    x = rf.tensor(3.0, requires_grad=True)
    y = x * x
    y.backward()
    assert "has let go of what it kept" in show.graph(y).state(link="n1").sentence


def test_a_constant_takes_part():
    x, c = rf.tensor([1.0, 2.0], requires_grad=True), rf.tensor([3.0, 4.0])
    figure = show.graph(x * c)
    assert "no gradient flows to it" in " ".join(frame.sentence for frame in figure.frames)


def deep(n, *shape):
    y = rf.ones(*shape or (3,), requires_grad=True)
    for _ in range(n):
        y = y.tanh()
    return y


def test_a_graph_flows_one_way_and_through_a_window_where_it_is_too_wide():
    for figure, seen_at_once in ((show.graph(deep(6)), True), (show.graph(deep(6, 3, 4, 5, 6)), False)):
        left = [float(dict(figure.scene.index[f"n{k}"].attrs)["transform"][10:].split()[0]) for k in range(7)]
        assert left == sorted(set(left)) and ("world" not in figure.scene.index) == seen_at_once


def test_the_window_on_four_boxes_under_each_other_cuts_none_in_two():
    x = rf.ones(2, requires_grad=True)
    y = x * 1 + x * 2 + x * 3 + x * 4
    for _ in range(9):  # too wide to be seen at once
        y = y.exp()
    figure = show.graph(y)
    top = float(dict(figure.scene.index["world"].attrs)["transform"][10:-1].split()[1])
    sizes = dict(next(shape for shape in figure.scene.index["view"].children if shape.tag == "svg").attrs)
    for k in range(8):
        box = figure.scene.index[f"n{k}"]
        y = float(dict(box.attrs)["transform"][10:-1].split()[1]) + top
        low = y + dict(box.children[0].attrs)["height"]
        assert 0 <= y < low <= sizes["height"] or low <= 0 or sizes["height"] <= y


def wide(n):
    return rf.cat([rf.tensor([float(k)], requires_grad=True) ** 2 for k in range(n)]).sum()


def written_into():
    x = rf.ones(2, 3, requires_grad=True)
    y = x * 2
    y[0].mul_(10)
    y[:, 1] += 1
    return y.sum()


def network():
    h = rf.tensor([[0.5, -1.0, 2.0], [1.0, 0.0, 1.0]])
    for n, m in ((3, 4), (4, 4), (4, 1)):
        w, b = rf.full((n, m), 0.25, requires_grad=True), rf.zeros(m, requires_grad=True)
        h = (h @ w + b).tanh()
    return h.mean()


@pytest.mark.parametrize("program", [network, written_into, lambda: wide(2), lambda: wide(12), lambda: deep(30)])
@pytest.mark.parametrize("draws", [show.graph, show.backward])
def test_what_is_18_pixels_high_is_20_on_a_projector_and_labels_are_16(draws, program):
    scene = draws(program()).scene
    assert scene.height <= 400 and scene.width <= 1104  # 1264 x 507 are left under a sentence of two lines
    scale = min(1264 / scene.width, 507 / (scene.height - 12))
    sizes = {dict(s.attrs)["font-size"] for top in scene.shapes for s in top.walk() if s.tag == "text"}
    assert sizes <= {14, 18} and 18 * scale >= 20 and 14 * scale >= 16


@pytest.mark.parametrize("n", [14, 72, 199])
def test_a_large_graph_is_seen_through_a_window_with_its_map_and_its_text(n):
    figure = show.graph(deep(n))
    scene = figure.scene
    assert scene.width == 1104 and scene.height <= 400
    assert all(f"{p}{k}" in scene.index for p in "ntm" for k in range(n + 1))

    def place(id, frame=0, link=None):
        said = figure.state(frame, link).sets.get((id, "transform")) or dict(scene.index[id].attrs)["transform"]
        return [float(number) for number in said[10:-1].split()]

    height = next(dict(s.attrs)["height"] for s in scene.shapes if s.children and s.children[0].id == "lines")
    for k in (0, n // 2, n):
        for trigger, moves in ((f"m{k}", ("world", "lines")), (f"t{k}", ("world",)), (f"n{k}", ("lines",))):
            assert {f"n{k}", f"t{k}", f"m{k}", *([f"e{k - 1}"] if k else [])} <= lit(figure, trigger)
            assert figure.state(0, trigger).sentence == figure.state(0, f"n{k}").sentence
            if "world" in moves:  # the box is within the window
                assert 0 <= place(f"n{k}")[0] + place("world", 0, trigger)[0] <= 1056 - 60
            if "lines" in moves:  # the line is among those that are seen
                line = dict(scene.index[f"t{k}"].attrs)["y"] + place("lines", 0, trigger)[1]
                assert 0 < line <= height
    boxes = [int(f.link[1:]) for f in figure.frames if f.link]
    assert boxes == list(range(1, n + 1)) if n > 14 else boxes[-1] == n  # every operation has a step


def test_a_graph_of_thousands_is_text():
    y = deep(240)
    for _ in range(4832):
        y = y.tanh()
    large = show.graph(y)
    assert "n0" not in large.scene.index and "5,073 nodes, more than the 2,000 that are drawn" in large.text()


def test_names_are_text():
    figure = show.graph(rf.ir.graph(rf.ones(2, requires_grad=True) * 2, names={}), title="<script>")
    assert "<script>" not in figure.svg()


def test_a_program_that_gives_no_tensor_made_nothing():
    x = rf.ones(2)
    assert show.graph(ir.trace(lambda: (x + 1).shape)).sentences[0].startswith("1 operation made nothing")


def test_only_a_tensor_has_a_graph():
    with pytest.raises(TypeError):
        show.graph(np.ones(3))


def test_a_card_gives_the_rule_in_the_program_s_names():
    x = rf.tensor(3.0, requires_grad=True)
    s = x * x
    z = s + 2 * x
    figure = show.graph(z)
    card = [figure.state(link="n1").sets[f"c{k}", "text"] for k in range(3, 6)]
    assert card == ["s = x * x", "dx += g * x", "dx += g * x"]
    assert figure.state(link="n3").sets["c3", "text"] == "z = s + %3"  # 2 * x has no name


def test_how_many_lines_are_out_of_sight_is_said():
    figure = show.graph(deep(40))
    def more(k):
        said = figure.state(0, f"n{k}").sets.get(("more", "text"), figure.scene.index["more"].text)
        return {where: int(n) for n, where in re.findall(r"(\d+) more (above|below)", said)}

    whole = {k: more(k) for k in (0, 20, 40)}
    assert [list(said) for said in whole.values()] == [["below"], ["above", "below"], ["above"]]
    assert len({sum(said.values()) for said in whole.values()}) == 1  # what is seen is as much in every state
    assert 20 < whole[0]["below"] < 41
    assert "whole graph" in figure.svg()  # beside the map


def test_the_lines_have_the_height_that_the_boxes_leave():
    a = rf.tensor(1.0, requires_grad=True)
    b = a * 2
    c = b * 3
    y = c * b + c * a + a
    figure = show.graph(y)
    assert figure.scene.height <= 412 and "return" in figure.svg() and figure.scene.index["more"].text == ""


def test_what_no_operation_made_is_not_said_to_be_made_by_0():
    for x in (rf.tensor(1.0, requires_grad=True), rf.tensor(1.0)):
        first = show.graph(x).sentences[0]
        assert first.startswith(("No operation made ", "Nothing is recorded of how ")) and " from " not in first


def test_a_scene_needs_no_caller():
    x = rf.tensor([1.0, 2.0], requires_grad=True)
    scene = scene_of(ir.graph(x * 2), "twice")
    assert scene.title == "twice" and scene.frames[0].sentence.startswith("1 operation made %2 from x: ")


@pytest.mark.parametrize("n", [2, 3])
def test_a_neuron_is_whole_with_all_its_lines(n):
    x = [rf.tensor(float(k), requires_grad=True) for k in range(2 * n)]
    y = sum(a * b for a, b in zip(x[::2], x[1::2], strict=True)).tanh()
    figure = show.graph(y)
    assert "world" not in figure.scene.index and figure.scene.index["more"].text == ""
    for frame in range(len(figure.frames)):
        assert ("lines", "transform") not in figure.state(frame).sets
    assert figure.scene.least == (1.42 if figure.scene.height > 401 else 1.1)


@pytest.mark.parametrize("loss, rule", [
    (lambda F, x, t: F.nll_loss(x, t[0]), "y = -mean(x[range(2), %2])"),
    (lambda F, x, t: F.nll_loss(x, t[0], reduction="sum"), "y = -sum(x[range(2), %2])"),
    (lambda F, x, t: F.binary_cross_entropy_with_logits(x, t[1]), "y = mean((1 - %2) * x + log(1 + exp(-x)))"),
    (lambda F, x, t: F.binary_cross_entropy(x, t[1], reduction="sum"),
     "y = -sum(%2 * log(x) + (1 - %2) * log(1 - x))"),
])  # fmt: skip
def test_a_loss_without_weights_says_nothing_of_them(loss, rule):
    x = rf.tensor([[0.25, 0.5], [0.75, 0.5]], requires_grad=True)
    y = loss(rf.nn.functional, x, (rf.tensor([0, 1]), rf.ones(2, 2)))
    figure = show.graph(y)
    card = "".join(figure.state(link="n2").sets.get((f"{letter}{k}", "text"), "") for letter in "cd" for k in range(9))
    assert rule.replace(" ", "") in card.replace(" ", "") and "untracked" not in card


def test_a_rule_says_along_which_axis():
    x = rf.ones(2, 3, requires_grad=True)
    for y, rule in ((x.sum(0), "y = sum(x, 0)"), (x.sum(1, keepdim=True), "y = sum(x, 1, True)"),
                    (x.mean((0, 1)), "y = sum(x) / 6"), (x.amax(1), "y = amax(x, 1)")):  # fmt: skip
        card = show.graph(y).state(link="n1").sets
        assert card["c3", "text"] == rule
        assert eval(rule[4:].replace(" / 6", ""), {"sum": rf.sum, "amax": rf.amax, "x": x}).shape == y.shape
        if "sum" in rule:
            where = "" if y.ndim == 0 else f" along dim {rule[11]}"
            assert card["c4", "text"].endswith(f", repeated{where}")


def test_a_second_result_that_is_kept_is_called_as_the_program_calls_it():
    x = rf.tensor([[1.0, 5.0, 2.0]], requires_grad=True)
    low, where = x.min(1)
    assert "and keeps where for backward." in show.graph(low * 2).text()
    assert where.tolist() == [0] and "low, where  %2 = min" in show.graph(low * 2).text()
    assert "and keeps the places of the maxima for backward." in show.graph(x.max(0).values.sum()).text()
    ordered = x.sort(1)[0]
    assert "and keeps the indices of ordered for backward." in show.graph(ordered.sum()).text()
    copy = x.exp().detach()
    assert "copy" not in show.graph((x.exp() * 2).sum()).text() and copy.shape == (1, 3)


def test_of_several_results_each_is_called_and_all_are_given():
    x = rf.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    text = show.graph(rf.mul(*x.unbind())).text()
    assert "= mul reads %2[0] and %2[1] and gives float32[2], and keeps %2[0] and %2[1] for backward" in text
    assert "= unbind reads x and gives float32[2] and float32[2], views of x" in text
    parts = x.split(1)
    figure = show.graph(parts[1] - parts[0])
    assert "= sub reads parts[1] and parts[0] and gives" in figure.text()
    assert "%2 is read more than once: a tree would need 5 boxes" in figure.text()
    assert figure.sentences[0].startswith("2 operations made %3 from x")
    bottom = x.chunk(2)[1]
    assert show.graph(bottom).sentences[0].startswith("1 operation made bottom from x")
    values, places = x.sort()
    assert "reads values and 2 and" in show.graph(values * 2).text() and places.shape == (2, 2)


def test_size_1_that_meets_size_1_is_not_said_to_be_repeated():
    row, cell = rf.tensor([[2.0, 5.0]], requires_grad=True), rf.ones(1, 1, 2, requires_grad=True)
    y = row * cell
    figures = show.graph(y), show.backward(y.sum())
    for figure in figures:
        said = figure.text() + "".join(figure.state(link=f"n{k}").sentence for k in range(4))
        assert not re.search("stride 0|[(]repeated|again and again|the copies", said) and "of size 1 in front" in said
    again = show.graph(row * rf.ones(3, 2)).text()
    assert "row is read as [3, 2] with stride 0, by broadcasting" in again and "row (repeated)" in again


def test_what_a_normalization_keeps_is_of_what_it_reads():
    u = rf.arange(12.0).view(2, 6).requires_grad_()
    h = rf.nn.functional.group_norm(u, 3)
    k = rf.nn.functional.batch_norm(u * h, None, None, training=True)
    figure = show.graph(k.sum())
    said = [line for line in figure.sentences if "_norm reads" in line]
    assert "keeps u, the means of u and the vars of u for" in said[0]
    assert re.search(r"keeps (%\d+), the means of \1 and the vars of \1 for", said[1])


def test_of_a_freed_node_it_is_not_said_that_no_gradient_read_what_it_kept():
    u = rf.ones(100, requires_grad=True)
    y = (u * rf.ones(100)).sum()
    y.backward()
    kept = "? is an untracked operand that nothing kept"
    assert f"{kept}, or what a backward has let go of;" in show.graph(y).scene.about[-1]
    assert f"{kept};" in show.graph(u + rf.ones(100)).scene.about[-1]
    assert "?" not in show.graph(u[:2] * rf.ones(2)).scene.about[-1]


def test_an_operation_gives_what_the_program_gets():
    x = rf.tensor([[1.0, 2.0]], requires_grad=True)
    figure = show.graph(rf.nn.functional.cross_entropy(x, rf.tensor([1])))
    assert "and gives float32[], and keeps" in figure.text()


def test_titles_of_several_results_are_told_apart():
    a = rf.tensor([1.0, 2.0], requires_grad=True)
    s, c = a.sin(), a.cos()
    assert show.graph(s * c, s).scene.title == "s * c;  s, c = a.sin(), a.cos()"


def test_a_result_whose_program_is_too_long_has_its_name_in_the_title():
    x = rf.tensor([3.0, 1.0, 2.0], requires_grad=True)
    figure = show.graph(x.exp(), (x.exp() + x.sin() + x.cos() + x.tanh() + x.sigmoid() + x.sqrt() + x.relu() * 2
                                  + x.exp() + x.sin() + x.cos() + x.tanh() + x.sigmoid()).prod())  # fmt: skip
    assert figure.scene.title == "x.exp(),  prod"


def test_what_no_operation_made_is_not_said_to_be_made_and_a_program_is_written_once():
    a = rf.tensor([[1.0, 5.0], [7.0, 2.0]], requires_grad=True)
    cost = (a * 3).sum()
    assert show.graph(cost, a).sentences[0].startswith("2 operations made cost from a:")
    top, where = a.min(0)
    figure = show.graph(top, where)
    assert figure.scene.title == "top, where = a.min(0)"
    assert figure.sentences[0].startswith("1 operation made top and where from a:")
    assert "constant" not in figure.text() and "return %2.values, %2.indices" in figure.text()


def test_a_module_whose_work_pytorch_does_by_other_operations_has_no_names_of_its_nodes():
    for model, x in ((rf.nn.LSTM(1, 1), rf.ones(2, 1, 1)), (rf.nn.RNN(1, 1), rf.ones(2, 1, 1))):
        assert {node.torch for node in ir.graph(model(x)[0])} == {"AccumulateGrad", ""}
    x, model = rf.ones(2, 1, 4), rf.nn.MultiheadAttention(4, 2)
    assert {node.torch for node in ir.graph(model(x, x, x)[0])} == {"AccumulateGrad", ""}
    assert {node.torch for node in ir.graph(rf.nn.Linear(4, 4)(x))} > {"AddmmBackward0"}


@pytest.mark.parametrize("compute, said", [
    (lambda x: x + 1e-5, "add reads x and 1e-5"),
    (lambda x: 1e-5 + x, "add reads x and 1e-5"),
    (lambda x: x - 3, "sub reads x and 3"),
    (lambda x: 3 - x, "sub reads 3 and x"),
    (lambda x: x / 2.5, "div reads x and 2.5"),
    (lambda x: rf.add(x, 2, alpha=3), "add reads x and 2"),
    (lambda x: x % 3, "remainder reads x and 3"),
    (lambda x: rf.where(x > 0, x, 0.0), "x and 0"),
    (lambda x: x + np.float64(0.5), "add reads x and 0.5"),
    (lambda x: x**3, "pow reads x and 3"),
])  # fmt: skip
def test_a_number_that_was_given_is_said_before_and_after_backward(compute, said):
    x = rf.tensor([1.0, 2.0], requires_grad=True)
    y = compute(x)
    assert any(said in sentence for sentence in show.graph(y).sentences)
    assert not any("untracked" in sentence for sentence in show.graph(y).sentences)
    y.sum().backward()
    assert any(said in sentence for sentence in show.graph(y).sentences)
