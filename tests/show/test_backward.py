"""The backward figure's story: each event in order, in symbols, in numbers and in words."""

import re

import numpy as np
import pytest

import rustyflow as rf
from rustyflow import show
from rustyflow.errors import GradError
from rustyflow.show.backward.figure import scene_of
from rustyflow.show.backward.panels import Panels
from tests.show.seen import inspected, lit, said, steps, text, two_ways


def test_forward_first_then_every_event_with_its_sentence(line):
    assert said(line)[1:] == [
        "Forward: the values of the leaves are there, and no gradient is, not even 0.",
        "mul: [2, 3]·[0.5] = [1, 1.5].",
        "loss: sum([1, 1.5]) = 2.5.",
        "Backward begins: dloss, the gradient that reaches loss, is 1: that of anything by itself. "
        "It goes back times what stands on the arrow.",
        "hands on: loss turns its gradient into one for mul, by d(mul) = g, repeated, "
        "which gives [1, 1].",
        "arrives: mul now has [1, 1]. It is ready.",
        "loss hands its gradient on to mul by d(mul) = g, repeated, which gives [1, 1].",
        "hands on: mul turns its gradient into one for w, by dw = g * x, which gives [0.5, 0.5].",
        "arrives: w now has [0.5, 0.5].",
        "hands on: mul turns its gradient into one for x, by dx = g * w, which gives [2, 3].",
        "sums: x was read as 2 numbers, so its 2 gradients are added up: 2 + 3 = 5.",
        "arrives: x now has [5].",
        "mul hands its gradient on to w by dw = g * x, which gives [0.5, 0.5]; "
        "to x by dx = g * w, which gives [2, 3], summed to [5]. Then it lets go of w and x.",
        "Every leaf has heard from all who read it: w.grad and x.grad are complete. "
        "Click a leaf to see what made its gradient.",
        "Where x.grad[0] comes from: 2·1 + 3·1 = 5.",
    ]


def test_the_inspector_shows_the_rule_in_symbols_and_in_numbers(line):
    frame = said(line).index("hands on: mul turns its gradient into one for x, by dx = g * w, which gives [2, 3].")
    numbers = "dx = [1, 1]·[2, 3] = [2, 3]"
    assert inspected(line, frame) == ["dx = g * w", numbers, "its shape is (2,), like the value of mul"]
    classes = line.state(frame).classes
    assert "grad-ink" in classes["p11"] and "value-ink" in classes["p13"]  # g, then a value
    assert {"n3", "z2"} < lit(line, frame=frame)
    done = next(k for k, says in enumerate(said(line)) if says.startswith("mul hands its gradient on"))
    assert inspected(line, done) == [
        "dw = g * x,  dx = g * w", "dw = [1, 1]·[0.5] = [0.5, 0.5]", f"{numbers}, summed [5]",
    ]  # fmt: skip


@pytest.mark.parametrize("program, most", [
    (lambda x: (x * x + 3 * x).sum(), 8), (lambda x: (x.exp() * x.sin()).mean(), 8), (lambda x: x.relu().sum() * 2, 8),
])  # fmt: skip
def test_a_node_a_step_and_its_events_as_details_of_it(program, most):
    figure = show.backward(program(rf.tensor([1.0, 2.0], requires_grad=True)))
    assert len(steps(figure)) - 1 <= most < len(figure.frames) - 1
    assert not figure.frames[0].fine and not figure.frames[-1].fine
    handed = [says for says in steps(figure) if "hands its gradient on" in says]
    assert len(handed) == len(steps(figure)) - 4
    for before, frame, after_ in zip(figure.frames, figure.frames[1:], figure.frames[2:], strict=False):
        if "hands its gradient on" in frame.sentence:  # the last event of its node, after the details
            assert before.fine and before.sentence.startswith("arrives: ")
            assert not after_.sentence.startswith("arrives: ")


def test_a_step_tells_all_that_a_node_sends_and_who_waits_for_more():
    x = rf.tensor(3.0, requires_grad=True)
    figure = show.backward(x * x * x)
    assert steps(figure)[2:4] == [
        "mul %3 hands its gradient on to mul %2 by d(%2) = g * x, which gives 3; to x by dx = g * %2, which gives 9. "
        "x waits for 2 more. Then mul %3 lets go of mul %2 and x.",
        "mul %2 hands its gradient on twice to x by dx = g * x, which gives 9. Then it lets go of x.",
    ]
    a = [rf.tensor([1.5, 2.5, float(k)], requires_grad=True) for k in range(6)]
    long = show.backward(rf.cat(a).tanh().sum())
    (says,) = (says for says in steps(long) if says.startswith("cat"))
    assert len(says) < 190 and says.startswith("cat hands its gradient on to ")


def test_no_gradient_arrives_before_its_event_in_steps_either(line):
    for frame in (frame for frame in range(len(line.frames)) if not line.frames[frame].fine):
        arrived = [k for k, says in enumerate(said(line)[: frame + 1]) if says.startswith("arrives: x")]
        assert (text(line, "g1", frame) == "") == (not arrived and frame > 0) or frame == 0


def test_a_formula_too_long_for_the_inspector_is_cut_where_it_makes_sense():
    a, b = (rf.tensor([12.3, 45.6, 78.9, 98.7], requires_grad=True) for _ in range(2))
    figure = show.backward((a * b).tanh().sum())

    def shown(start):
        frame = next(k for k, s in enumerate(said(figure)) if s.startswith(start))
        return inspected(figure, frame)[1:]

    numbers = "[12.3, 45.6, 78.9, 98.7]"
    assert shown("mul: ") == [f"{numbers}·{numbers}", "≈ [151, 2079, 6225, 9742]"]
    c = rf.tensor([0.123, 0.456], requires_grad=True)
    figure = show.backward(c.tanh().sum())
    assert shown("hands on: tanh") == ["dc = [1, 1]·(1 - [0.122, 0.427]·[0.122, 0.427])", "≈ [0.985, 0.818]"]
    c = rf.tensor([0.123, 0.456, 0.789, 1.234], requires_grad=True)
    figure = show.backward(c.tanh().sum())
    assert shown("hands on: tanh")[0] == "dc ≈ [0.985, 0.818, 0.567, 0.288]"


def test_the_ledger_at_a_fan_out():
    x = rf.tensor(4.0, requires_grad=True)
    y = x * x
    figure = show.backward(y)
    frames = [k for k, s in enumerate(said(figure)) if s.startswith("arrives: x")]
    assert [said(figure)[k] for k in frames] == [
        "arrives: x now has 4; 1 of 2 has reported. It waits for the other.",
        "arrives: x had 4, and 4 comes to it: 8; 2 of 2 have reported.",
    ]
    ledger = [[text(figure, id, k) for id in ("l0", "l1", "l2", "l3")] for k in frames]
    assert ledger == [["x.grad", "nothing", "+ 4", "4"], ["x.grad", "4", "+ 4", "8"]]
    assert [text(figure, "g0", k) for k in (frames[0], frames[1])] == ["4", "8"]


def test_pressing_through_changes_no_gradient_and_keeps_the_graph():
    x = rf.tensor([1.0, 2.0], requires_grad=True)
    y = (x * x).sum()
    show.backward(y)
    assert x.grad is None
    y.backward()
    assert x.grad.tolist() == [2.0, 4.0]


def test_more_than_one_number_has_an_upstream_gradient():
    x = rf.tensor([1.0, 2.0], requires_grad=True)
    figure = show.backward(x * 3)
    sentence = "d(mul), the gradient that reaches mul, is [1, 4]: numbers made up here, unless you give yours with"
    assert f"{sentence} upstream=." in figure.text()
    given = show.backward(x * 3, rf.tensor([5.0, 7.0]))
    assert "d(mul), the gradient that reaches mul, is [5, 7]: given with upstream=." in given.text()
    assert "x.grad = [15, 21]" in given.text()


def test_a_graph_too_large_is_told_in_words():
    x = rf.ones(3, requires_grad=True)
    y = x
    for _ in range(3000):
        y = y * 2
    figure = show.backward(y.sum())
    assert "3,002 nodes and 6,004 events, more than are drawn (2,000)." in figure.text()
    assert "n0" not in figure.scene.index


def test_what_is_told_in_words_tells_the_way_back_and_the_gradients():
    w = rf.tensor([2.0, 3.0], requires_grad=True)
    y = w
    for _ in range(1000):
        y = y * 1.0 + w
    figure = show.backward(y.sum())
    assert "w.grad = [1001, 1001], the sum of 1,001 that came to it" in figure.text()
    assert figure.frames[1].sentence == (
        "Backward goes from the last line of the text up to the first, through 1,000 mul, 1,000 add and 1 sum, "
        "and adds to w.grad."
    )


def test_a_hook_that_replaces_a_gradient_is_an_event():
    x = rf.tensor([1.0, 2.0], requires_grad=True)
    h = x * 2
    h.register_hook(lambda g: g * 10)
    figure = show.backward(h.sum())
    says = [frame.sentence for frame in figure.frames]
    assert "hook: a hook replaces the gradient of h: [1, 1] becomes [10, 10]." in says
    assert "hands on: h turns its gradient into one for x, by dx = g * 2, which gives [20, 20]." in says


def test_a_hook_on_long_numbers_is_inspected_whole():
    x = rf.tensor([0.123456, -0.654321, 12.3456], requires_grad=True)
    h = x * x - x
    h.register_hook(lambda g: g * -3.21)
    figure = show.backward((h * h * h).sum())
    frame = next(k for k, says in enumerate(said(figure)) if says.startswith("hook: "))
    whole = "≈ [0.0351, 3.52, 58857] becomes ≈ [-0.113, -11.3, -188932]"
    assert inspected(figure, frame)[1:] == [whole, "a function of the program's"]


def test_a_line_that_is_too_long_is_set_smaller_then_continues_on_the_next_and_its_result_is_whole():
    panels = Panels()
    smaller, longest = ([("x" * many, ""), (" = ", ""), ("6.25", "strong")] for many in (panels.large, panels.line))
    small = panels.inspected("mul", "", smaller)
    assert small.classes["small"] == ("p0",) and small.sets["p02", "text"] == "6.25"
    broken = panels.inspected("mul", "", longest)
    assert [broken.sets[id, "text"] for id in ("p10", "p11")] == ["= ", "6.25"]


def test_what_cannot_be_walked_is_refused():
    with pytest.raises(GradError):
        show.backward(rf.ones(3))
    x = rf.tensor(3.0, requires_grad=True)
    y = x * x
    y.backward()
    with pytest.raises(GradError, match="runs backward itself"):
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
    assert "one for b, by db = g, which gives [1, 1]" in figure.text()
    assert show.graph(x.clamp(max=b)).sentences[3].startswith("%3 = clamp reads x and b and gives")


def test_names_are_text():
    x = rf.tensor(3.0, requires_grad=True)
    assert "<script>" not in show.backward(x * x, title="<script>").svg()


@pytest.mark.parametrize("program", [
    lambda a, b: (a * b + a).sum(), lambda a, b: (a @ b).exp(), lambda a, b: a.max() * b.mean(),
])  # fmt: skip
def test_pointing_at_a_box_tells_no_gradient_that_may_not_have_arrived(program):
    a, b = rf.tensor([1.5, 2.25], requires_grad=True), rf.tensor([0.5, 4.0], requires_grad=True)
    figure = show.backward(program(a, b), rf.tensor(97.0))
    program(a, b).backward(rf.tensor(97.0))
    for id in (id for id in figure.scene.index if re.fullmatch(r"n\d+", id)):
        says = figure.state(1, pointed=id).sentence
        assert "gradient is " not in says.replace("gradient is made", "") and "97" not in says
        assert "its value is" in says


def test_a_box_gives_its_rule_in_the_program_s_names():
    figure = two_ways()
    sent = "Backward it sends g·1 to c and g·1 to d."
    assert figure.state(link="n3").sentence == f"add: y = c + d; its value is 36. {sent}"
    assert figure.state(link="n1").sentence == "mul: c = a * 2; its value is 6. Backward it sends g·2 to a."
    assert not any("it kept what it kept" in str(frame) for frame in figure.frames)


def forward(figure, name):
    """What the forward step of a node says, and its rule."""
    told = (k for k, says in enumerate(said(figure)) if says.startswith(name) and re.search("=|≈|gives", says))
    frame = next(told)
    return said(figure)[frame], inspected(figure, frame)[0]


def test_a_number_that_was_not_kept_is_told_where_the_result_leaves_no_doubt():
    x = rf.tensor(2.0, requires_grad=True)
    b = rf.tensor(3.0, requires_grad=True)
    p = x * b
    q = p + 1
    assert forward(show.backward(q * p), "q") == ("q: 6 + 1 = 7.", "q = p + 1")
    r = 1 - p / 7
    assert forward(show.backward(r * 1), "r") == ("r: 1 - 0.857 ≈ 0.143.", "r = 1 - div")
    s = p - 0.1
    assert forward(show.backward(s * 1), "s") == ("s: 6 - 0.1 = 5.9.", "s = p - 0.1")


def test_an_operand_that_nobody_knows_has_no_tensor_s_name():
    b = rf.tensor(1e8, requires_grad=True)
    q = b + 1  # lost in the rounding
    assert forward(show.backward(q * 1), "q") == ("q: 1e8 + 1 ≈ 1e8.", "q = b + 1")
    x = rf.tensor([1.0, 2.0], requires_grad=True)
    s = x + rf.tensor([4.0, 5.0])
    assert forward(show.backward(s.sum()), "s") == ("s: [1, 2] + [4, 5] = [5, 7].", "s = x + %2")
    large = rf.ones(100, requires_grad=True)
    z = large + rf.ones(100)
    assert forward(show.backward(z.sum()), "z")[1] == "z = large + (untracked)"


def test_rules_call_a_result_by_its_node_and_not_y():
    y = rf.tensor([0.5], requires_grad=True)
    figure = show.backward((y * 2).tanh().sum())
    assert any("d(mul) = g * (1 - tanh * tanh)" in sentence for sentence in said(figure))


def test_an_index_and_a_sign_read_as_written():
    x = rf.tensor([1.0, -3.0], requires_grad=True)
    figure = show.backward(-x[1] * x[0])
    assert [sentence for sentence in said(figure)[2:5]] == [
        "select %2: x[1] = -3.", "neg: -(-3) = 3.", "select %4: x[0] = 1.",
    ]  # fmt: skip


def test_a_scene_needs_no_caller():
    x = rf.tensor([1.0, 2.0], requires_grad=True)
    scene = scene_of(x * 2, rf.tensor([1.0, 3.0]), "twice")
    assert scene.title == "twice" and "%1.grad = [2, 6]" in scene.about
    same = show.backward(x * 2, rf.tensor([1.0, 3.0]), title="twice").scene
    assert len(same.frames) == len(scene.frames) and same.title == scene.title


def test_a_bias_of_one_row_has_nothing_to_add_up():
    m = rf.nn.Linear(2, 3)
    said = [s for s in show.backward(m(rf.ones(1, 2)).sum()).sentences if "m.bias" in s]
    assert "sums: the gradient has shape (1, 3) and m.bias has (3,): there is nothing to add up." in said
    assert not any("added up" in s or "summed to" in s for s in said)
    said = show.backward(m(rf.ones(4, 2)).sum()).sentences
    assert any("m.bias was read as 12 numbers, so its 12 gradients are added up into 3" in s for s in said)


def test_an_operation_without_a_formula_is_told_by_its_name():
    x = rf.ones(3, requires_grad=True)
    figure = show.backward(x.cumsum(0).sum())
    assert figure.state(3, link="n1").sentence == "cumsum: its value is [1, 2, 3]."


def test_every_factor_is_told_though_its_arrow_may_have_no_room_for_it():
    lib = pytest.importorskip("torch")
    a, b, c = (rf.tensor(v, requires_grad=True) for v in (2.0, -3.0, 10.0))
    y = (a * b + c) * a * b * (a - c)
    figure, text = show.backward(y), show.backward(y).text()
    boxes = (id for family in figure.scene.links for id in family.links if id[0] in "nm")
    told = "mul: %4 = a * b; its value is -6. Backward it sends g·(-3) to a and g·2 to b."
    assert told in {figure.state(3, link=id).sentence for id in boxes}
    for line in ("backward, %4 sends g·(-3) to a and g·2 to b", "backward, sub sends g·1 to a and g·(-1) to c"):
        assert line in text
    # followed by hand from y down, the factors give the gradients
    x = [lib.tensor(v, requires_grad=True) for v in (2.0, -3.0, 10.0)]
    ((x[0] * x[1] + x[2]) * x[0] * x[1] * (x[0] - x[2])).backward()
    g = {"y": 1.0}
    for name, sent in re.findall(r"backward, (.+) sends (.+)", text):
        for factor, to in re.findall(r"g·\(?(-?[\d.]+)\)? to ([%\w]+)", sent):
            g[to] = g.get(to, 0) + g[name] * float(factor)
    assert [g[name] for name in "abc"] == pytest.approx([leaf.grad.item() for leaf in x], rel=0.01)


def test_a_factor_that_is_sent_twice_is_said_so_and_the_last_node_comes_first():
    w = rf.tensor(5.0, requires_grad=True)
    lines = show.backward(w * w / 4 + (w + w + w) * 2, title="y").text().splitlines()
    sends = [line.strip() for line in lines if "backward, " in line and " sends " in line]
    assert "backward, %2 sends g·5 to w, twice" in sends and "backward, div sends g·0.25 to %2" in sends
    assert sends[0].startswith("backward, %") and "g·1 to div" in sends[0]  # the sum at the end, as backward goes


def test_copies_to_which_no_gradient_flows_are_not_summed():
    rows, column = rf.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True), rf.tensor([[5.0], [6.0]])
    told = {True: " is read again and again here: backward sums over the repeats.", False: " again and again here."}
    for tracked, words in told.items():
        figure = show.backward((rows * column.clone().requires_grad_(tracked)).mean())
        boxes = (id for family in figure.scene.links for id in family.links if id[0] == "n")
        assert any(figure.state(link=id).sentence.endswith(words) for id in boxes)


def test_in_words_no_colour_is_told_and_details_stand_under_the_step_that_sums_them_up():
    a = rf.tensor([2.0, 3.0], requires_grad=True)
    text = show.backward((a.exp() * a).sum()).text()
    steps = re.split(r"\n(?=\d+\. )", text)[1:]
    assert "blue" not in text and "orange" not in text
    assert "- exp: " in steps[0] and "hands on" not in steps[0] and "  - " not in steps[1]
    for step in steps[2:-2]:
        sender = re.match(r"\d+\. (\w+) hands its gradient on", step)[1]
        assert f"- hands on: {sender} turns" in step


@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
def test_a_loss_on_classes_reads_one_number_of_each_row(reduction):
    logits, classes = rf.tensor([[1.0, 0.0], [2.0, 4.0], [0.0, 3.0]], requires_grad=True), rf.tensor([1, 0, 1])
    loss = rf.nn.functional.cross_entropy(logits, classes, reduction=reduction)
    said = show.backward(loss).state(link="n2").sentence
    rule = re.search(r"loss = (.*?);", said)[1]
    assert "logits[range(3), classes]" in rule
    names = {"mean": rf.mean, "log": rf.log, "sum": rf.sum, "exp": rf.exp, "range": range}
    found = eval(rule, names, {"logits": logits, "classes": classes})
    assert rf.allclose(found, loss), said


def test_a_loss_on_classes_of_many_places_and_of_one_vector():
    many, one = rf.rand(2, 3, 4).requires_grad_(), rf.rand(3).requires_grad_()
    loss = rf.nn.functional.cross_entropy(many, rf.zeros(2, 4, dtype=rf.int64))
    assert "many.gather(1, %2[:, None])[:, 0])" in show.backward(loss).state(link="n2").sentence
    loss = rf.nn.functional.cross_entropy(one, rf.tensor(2))
    figure = show.backward(loss)
    assert "log(sum(exp(one), 0)) - one[2]" in str(figure.scene.links)


def test_parts_of_a_tensor_have_the_names_of_the_program():
    x = rf.tensor([[1.0, 2.0], [3.0, 5.0]], requires_grad=True)
    top, bottom = x.unbind()
    figure = show.backward(top @ bottom)
    told = "\n".join((*figure.sentences, *figure.scene.about))
    assert "dtop = g * bottom" in told and "unbind[" not in told and "to unbind" not in told
    pieces = x.flatten().split(2)
    figure = show.backward((pieces[0] / pieces[1]).sum())
    assert re.search(r"backward, div sends .* to pieces\[0\] and .* to pieces\[1\]", figure.text())


def test_the_value_of_a_box_is_said_to_be_cut():
    w = rf.tensor([1 / 3], requires_grad=True)
    figure = show.backward(w * 3)
    assert figure.state(link="n1").sentence.startswith("mul: mul = w * 3; its value is [1].")
    assert "w: its value is ≈ [0.333]." in str(figure.scene.links)


def test_a_number_written_into_many_cells_is_repeated():
    s, table = rf.tensor(3.0, requires_grad=True), rf.zeros(2, 3)
    table[1] = s
    assert "fill: 3, repeated = [3, 3, 3]." in said(show.backward(table))


def test_a_sum_over_what_came_is_no_factor():
    x = rf.tensor([[1.0, 5.0], [2.0, 3.0], [4.0, 8.0]], requires_grad=True)
    scale, shift = rf.ones(2, requires_grad=True), rf.zeros(2, requires_grad=True)
    y = rf.nn.functional.batch_norm(x, None, None, scale, shift, training=True)
    assert not any("batch_norm sends" in line for line in show.backward(y.sum()).scene.about)


def test_a_buffer_filled_in_place_number_by_number():
    x, buffer = rf.tensor(3.0, requires_grad=True), rf.zeros(2, 2)
    for k in range(2):
        buffer[k, 1] = x * (k + 1)
    buffer[:, 0] += x
    assert "x.grad = 5" in show.backward(buffer.sum()).scene.about
    rows = rf.ones(3, 2)
    rows[:, 1] += x
    told = "copy_slices %6 gives [[1, 4], [1, 4], [1, 4]]."
    assert {"add: [1, 1, 1] + 3 = [4, 4, 4].", told} <= {*said(show.backward(rows))}


def test_a_result_changed_behind_the_back_of_backward_is_told_as_it_was_read():
    a = rf.tensor([2.0, 5.0], requires_grad=True)
    h = a * 2
    y = (h**3).sum()
    h.data.sub_(1)
    figure = show.backward(y)
    assert "h: [2, 5]·2 = [4, 10]." in said(figure) and "pow: [4, 10] ** 3 = [64, 1000]." in said(figure)
    assert not any("pow sends" in line for line in figure.scene.about)  # its rule, of the h of now
    assert "a.grad = [54, 486]" in figure.scene.about


def test_a_view_of_a_leaf_that_has_changed_has_no_value():
    a = rf.tensor([2.0, 5.0], requires_grad=True)
    y = a[1] * 4
    a.data.neg_()
    figure = show.backward(y)
    assert "select: select = a[1]; it may have changed since it was read." in {
        figure.state(link=f"n{k}").sentence for k in range(3)}  # fmt: skip
    assert not any("-5" in line for line in said(figure)[:4])
