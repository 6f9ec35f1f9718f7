"""The cards of a graph: PyTorch's name, what is kept, where a kink is, the rules in the program's names."""

import pytest

import rustyflow as rf
from rustyflow import ir, show
from tests.show.seen import box, card


def test_kinks_are_told_in_the_program_s_names():
    x, a = rf.tensor([1.0, -2.0], requires_grad=True), rf.tensor([3.0, 3.0], requires_grad=True)
    bound, tie = show.graph((x * a).clamp(min=0)), show.graph(rf.maximum(a * 2, x))
    elu = show.graph(rf.nn.functional.elu(x - a))
    threshold = show.graph(rf.nn.functional.threshold(x * a, 0.5, 7.0))
    assert "at a bound %3 gets the gradient" in card(bound, 3)
    assert "where %3 = x each gets half" in card(tie, 3)
    assert "at %3 = 0 the gradient is " in card(elu, 3)
    assert "where %3 = 0.5 the gradient is 0" in card(threshold, 3)


def test_rules_in_words_have_the_arguments_of_their_call():
    x = rf.ones(3, 4, requires_grad=True)

    def said(y, k=1):
        return card(show.graph(y), k)

    assert "y = x[1:3]" in said(x.narrow(0, 1, 2)).replace("%1", "x")
    assert "y = x[:, 2]" in said(x.select(1, 2)).replace("%1", "x")
    assert "indices along dims 0 and 1 reversed" in said(x.flip(0, 1))
    assert "shifted along dim 1," in said(x.roll(2, 1)) and "shifted, what" in said(x.roll(2))
    assert "along dims 1 and 0 differ by 2" in said(x.diagonal(2, 1, 0))
    assert "laid side by side, 1, 2 and 3 times along its axes" in said(x.repeat(1, 2, 3))
    assert "the means over 1×2 stretches" in said(rf.nn.functional.adaptive_avg_pool1d(x, 2), 2)


def test_the_rule_of_joined_tensors_is_of_those_that_are_joined():
    x, c = rf.ones(2, requires_grad=True), rf.zeros(2)
    h = x * 3
    figure = show.graph(rf.cat([h, c, x, h]))
    assert "= the tensors end to end along dim 0 each gets g of its own stretch" in card(figure, 3)


def test_axes_of_size_1_in_front_are_no_copies():
    bias = rf.ones(3, requires_grad=True)
    figure = show.graph(rf.ones(1, 3) * bias)
    assert "%3 = bias with axes of size 1 in front dbias = g without them" in card(figure, 2)


def test_a_gradient_that_is_yet_to_be_summed_is_that_of_the_expand():
    w, x = rf.tensor(0.5, requires_grad=True), rf.ones(3)
    y = w * x
    assert "y = w * x d(%3) = g * x" in card(show.graph(y), 3)
    layer = rf.nn.Linear(2, 1)
    figure = show.graph(layer(rf.ones(3, 2)))
    told = next(said for said in (card(figure, k) for k in range(6)) if "AddmmBackward0" in said)
    assert "d(%" in told and "layer.bias) =" not in told


def test_an_index_is_kept_and_a_named_argument_keeps_its_name():
    x, i = rf.ones(3, 2, requires_grad=True), rf.tensor([2, 0, 2])
    assert "keeps the index" in card(show.graph(x[i]), 1) and "keeps nothing" in card(show.graph(x[1:]), 1)
    for n in (0, 2):
        told = card(show.graph(x.std(0, correction=n, keepdim=True)), 1)
        assert f"correction={n})" in told


def test_a_gradient_of_what_several_boxes_read_is_added_in_each():
    a = rf.tensor([[2.0, 1.0]], requires_grad=True)
    b = a.exp()
    c = b.cumsum(1) * b.max(1, keepdim=True).values
    figure = show.graph(c.sum() + b.sum())
    assert "db[:, i] += sum(" in card(figure, 2) and "db += zeros" in card(figure, 3)
    assert "da = g * b" in card(figure, 1)


def test_what_was_let_go_of_is_not_kept():
    x, i = rf.tensor([3.0, 1.0], requires_grad=True), rf.tensor([1, 1])
    y = (x[i].exp() * 2).sum()
    y.backward()
    figure = show.graph(y)
    assert "kept" not in box(figure, 2) and "keeps nothing" in card(figure, 1)


def test_what_no_gradient_is_asked_of_has_none_that_is_summed():
    scale, w = rf.tensor(2.0), rf.ones(3, requires_grad=True)
    figure = show.graph(w * scale, w * rf.ones(2, 1, 3))
    assert figure.state(link="n2").sentence == "scale is read as [3] with stride 0, by broadcasting."
    assert card(figure, 2).endswith("scale repeated without copying") and "dw += g summed" in card(figure, 5)


def test_what_was_written_over_is_told_and_that_backward_refuses():
    x = rf.tensor([3.0, 1.0], requires_grad=True)
    y = x.tanh()
    y.neg_()
    figure = show.graph(y)
    assert figure.state(link="n1").sentence.endswith(
        "keeps %2 for backward: neg_ has written over that since, so that no backward passes here.")  # fmt: skip
    assert "(version 1, since neg_)" in card(figure, 1)
    with pytest.raises(RuntimeError):
        y.sum().backward()


def test_of_several_results_only_those_that_have_a_name_are_called():
    x = rf.tensor([[3.0, 1.0, 2.0]], requires_grad=True)
    low = x.min(1).values
    _, where = x.max(1)
    figure = show.graph(low, rf.nn.functional.layer_norm(x, (3,)), x.max(1).values[where])
    assert any(line.startswith("low ") for line in figure.scene.about) and "low, _" not in figure.text()
    first, second = rf.split(x, 2, 1)
    assert box(show.graph(first, second), 1).endswith("[1, 2], [1, 1]")
    assert "gives runs of 2 and 1 along dim 1" in card(show.graph(second), 1)


def test_rules_say_how_many_and_in_which_order():
    x = rf.tensor([3.0, 1.0, 2.0], requires_grad=True)
    assert "the 2 smallest along dim 0" in card(show.graph(x.topk(2, largest=False).values), 1)
    assert "largest=False" in show.graph(x.topk(2, largest=False).values).text()
    assert "x in falling order along dim 0" in card(show.graph(x.sort(descending=True).values), 1)
    assert "smallest (k = 2) along dim 0" in card(show.graph(x.kthvalue(2).values), 1)


def test_only_an_operand_without_axes_is_told_as_a_number():
    w, twos = rf.tensor([1.0, 3.0], requires_grad=True), rf.tensor([2.0, 2.0])
    s = rf.tensor(5.0, requires_grad=True)
    for y, rule in [(w - 2, "y = w - 2"), (w + rf.tensor(2.0), "y = w + 2"), (2 - w, "y = 2 - w"),
                    (w - twos, "y = w - twos"), (w + rf.zeros(3, 2), "y = w + %2"),
                    (rf.sub(w, twos, alpha=3), "y = w - 3 * twos"), (s + 0.5, "y = s + 0.5")]:  # fmt: skip
        assert rule in card(show.graph(y), -1 + len(ir.graph(y, depth=1)))
    y = twos - s
    assert "y = twos - s" in card(show.graph(y), 3)


def test_a_letter_of_a_rule_is_no_tensor_of_the_program():
    i, x = rf.tensor([[0, 1]]), rf.ones(2, 2, requires_grad=True)
    y = x.gather(0, i)
    assert "y[r, j] = x[i[r, j], j]" in card(show.graph(y), 2)
    k, target = x.cumprod(1), rf.tensor([1, 0])
    assert "k[:, i] = prod(x[:, :i + 1], 1)" in card(show.graph(k), 1)
    assert "with r = (target != 1)" in card(show.graph(rf.nn.functional.cross_entropy(k, target, ignore_index=1)), 3)


def test_of_a_traced_program_what_nothing_tracks_has_no_gradient_and_a_written_view_is_that_of_the_write():
    def program(x):
        y = rf.zeros(3)
        y[1] = x.sum()
        with rf.no_grad():
            scale = y.mean()
        return y / scale

    figure = show.graph(ir.trace(program, rf.tensor([1.0, 2.0], requires_grad=True)))
    ops = {node.op: k for k, node in enumerate(ir.trace(program, rf.tensor([1.0, 2.0], requires_grad=True)))}
    assert "scale = sum(y) / 3" in card(figure, ops["mean"]) and "dy" not in card(figure, ops["mean"])
    assert "AsStrided" not in card(figure, ops["select"] + 1) and "dy" not in card(figure, ops["select"])
    assert "dy" in card(figure, ops["div"])


def test_a_rule_that_stands_on_another_one_is_written_out():
    a, b = rf.tensor([1.0, 2.0], requires_grad=True), rf.tensor([3.0, 4.0], requires_grad=True)
    y = a.dist(b)
    assert "db += -(g * sign(a - b)" in card(show.graph(y, b * 2), 2) and "-da" not in card(show.graph(y), 2)


def test_a_kink_is_of_the_result_and_an_argument_behind_else_is_its_number():
    x = rf.tensor([[1.0, 2.0], [4.0, 7.0]], requires_grad=True)
    spread, middle = rf.std_mean(x, 1)
    assert "the gradient of s is 0" in card(show.graph(spread), 1) and "gm[:, None] / 2" in card(show.graph(middle), 1)
    assert "20 where x <= 3, else x" in card(show.graph(rf.nn.functional.threshold(x, 3, 20)), 1)


def test_a_rule_says_which_sides_are_padded_and_which_of_two_is_the_median():
    x, pad = rf.tensor([[2.0, 5.0], [1.0, 3.0]], requires_grad=True), rf.nn.functional.pad
    made = [pad(x, (0, 2)), pad(x, (0, 0, -1, 1)), pad(x, (1, 1), "reflect"), x.median(), x.frac()]
    for said, told in zip([card(show.graph(y, title="y"), 1) for y in made], [
        "with cells of one value: 2 after along dim -1 d(%1) = g without them",
        "1 cut off before along dim -2, 1 after along dim -2 d(%1) = g without them and 0 where it was cut",
        "with cells of its own around it", "= the middle cell of all, of two the lower one",
        "where %1 is whole y jumps",
    ], strict=True):  # fmt: skip
        assert told in said


def test_a_gradient_is_not_called_as_something_of_the_program():
    v = rf.tensor([1.0, 3.0], requires_grad=True)
    dv = v * 2
    y = (dv * v).sum()
    assert "d(v) += g * dv" in card(show.graph(y), 2) and "d(v) += g * 2" in card(show.graph(y), 1)
    told = show.backward(y).text()
    assert "to v by d(v) = g * dv, which gives [2, 6]" in told and "dv = g" not in told.replace("ddv = g", "")


def test_a_letter_that_a_rule_defines_or_counts_with_is_no_name_of_the_program():
    x, y = rf.tensor([[1.0, 2.0], [3.0, 5.0]], requires_grad=True), rf.tensor([[0.0, 1.0], [1.0, 1.0]])
    s = rf.nn.functional.silu(x)
    d = rf.nn.functional.huber_loss(x, y)
    assert "dx = g * r * (1 + x * (1 - r)) with r = 1 / (1 + exp(-x))" in card(show.graph(s), 1)
    assert "d = mean(r * r / 2 where r <= 1, else r - 1 / 2)" in card(show.graph(d), 2)
    n, o = rf.ones(1, 1, 3, 3, requires_grad=True), rf.ones(1, 1, 2, 2, requires_grad=True)
    p = rf.nn.functional.conv2d(n, o)
    assert "p[r, s, i, j] = sum(n[r, c, i + t, j + q] * o[s, c, t, q])" in card(show.graph(p), 2)


def test_a_node_that_a_backward_made_has_no_name_of_pytorch_s():
    x = rf.tensor([0.5, 2.0], requires_grad=True)
    y = (x.tanh() * x).sum()
    slope, = rf.autograd.grad(y, x, create_graph=True)
    z = (slope.sigmoid() + x.tanh()).sum()
    made = ir.graph(z, depth=1)
    forward = {"tanh": "TanhBackward0", "sigmoid": "SigmoidBackward0", "sum": "SumBackward0"}
    told = [card(show.graph(z), k) for k, node in enumerate(made) if node.kind == "op"]
    named = [said for said in told if "in PyTorch" in said]
    assert all(any(name in said for said in named) for name in forward.values())
    assert len(named) == 5 < len(told)  # tanh twice, sigmoid, add, sum
    x.grad = None
    (x.exp() * x).sum().backward(create_graph=True)
    assert "in PyTorch: AddBackward0" not in card(show.graph(x.grad), len(ir.graph(x.grad, depth=1)) - 1)
    again = x.exp()
    assert "in PyTorch: ExpBackward0" in card(show.graph(again), 1)


def test_what_a_rule_defines_is_not_called_as_a_tensor_of_the_program():
    f = rf.nn.functional
    s = rf.tensor([0.5, -1.0, 2.0], requires_grad=True)
    d = f.silu(s)
    assert "ds = g * r * (1 + s * (1 - r)) with r = 1 / (1 + exp(-s))" in card(show.graph(d), 1)
    assert "to s by ds = g * r * (1 + s * (1 - r)) with r = 1 / (1 + exp(-s))" in show.backward(d).text()
    h = f.huber_loss(d, rf.zeros(3))
    assert "with r = abs(d - %" in card(show.graph(h), 3)
    pi = f.gelu(s)
    assert "sqrt(2 * math.pi)" in card(show.graph(pi), 1)
    n = rf.ones(1, 1, 4, requires_grad=True)
    o = f.conv1d(n, rf.ones(1, 1, 2))
    assert "o[r, s, i] = sum(n[r, c, i + p] * %2[s, c, p])" in card(show.graph(o), 2)
    a, b = rf.ones(2, 3, requires_grad=True), rf.zeros(4, 3)
    d = rf.cdist(a, b)
    assert "d = sum(abs(r) ** 2, -1) ** (1 / 2)" in card(show.graph(d), 2)


def test_a_leaf_with_axes_in_front_that_is_read_again_adds_up_what_comes():
    b, u = (rf.ones(*size, requires_grad=True) for size in ((3,), (1, 3)))
    twice, once = (u + b) * b, u * b
    assert "db += g without them" in card(show.graph(twice), 2) and "db = g without them" in card(show.graph(once), 2)


def test_what_wrote_to_a_part_has_no_name_of_pytorch_s_which_shows_one_node_for_it():
    w = rf.tensor([1.0, 2.0, 3.0], requires_grad=True)
    y = w.exp()
    y[1:].add_(w[0].sin())
    figure = show.graph(y)
    made = ir.graph(y, depth=1)
    named = {node.op for k, node in enumerate(made) if "in PyTorch" in card(figure, k) and node.kind == "op"}
    assert named == {"exp", "sin", "select", "copy_slices"} and {node.op for node in made} >= {"slice", "add"}


def test_a_power_s_rule_says_where_it_is_0():
    x, e = rf.tensor([0.0, 2.0], requires_grad=True), rf.tensor([2.0, 0.0], requires_grad=True)
    both = card(show.graph(x**e), 2)
    assert "dx = g * e * x ** (e - 1), 0 where e is 0" in both and "log(x), 0 where x is 0 and e >= 0" in both
    assert card(show.graph(x**0), 1).endswith("dx = 0")
    assert card(show.graph(x**3), 1).endswith("dx = g * 3 * x ** (3 - 1)")
    assert "dx = 0 where x >= 0, else g * %2 * log(0)" in " ".join(card(show.graph(0**x), 1).split())


def test_a_number_that_a_shared_operand_is_multiplied_with_is_kept():
    w = rf.tensor(3.0, requires_grad=True)
    for y in (w * 0.1 + w, w / 4 + w):
        said = card(show.graph(y), 1)
        assert "keeps the number" in said and " += g " in said


def test_a_card_of_long_rules_has_room_for_the_last_one_and_what_its_letters_are():
    x = rf.tensor([[0.0, 2.0, 1.0]], requires_grad=True)
    scale, bias = (rf.tensor([2.0, 1.0, 1.0], requires_grad=True) for _ in range(2))
    said = card(show.graph(rf.nn.functional.layer_norm(x, (3,), scale, bias)), 3)
    assert "dbias = sum(g, 0)" in said and said.endswith("b = mean(gw * xhat, -1, True)") and "keeps x, scale," in said


def test_what_the_gradient_that_arrives_is_called_is_said_where_that_is_not_g():
    g = rf.tensor([1.0, 2.0], requires_grad=True)
    figure = show.graph((g * 3).exp())
    assert "In rules up is the gradient that arrives, for g is the program's." in figure.sentences[0]
    assert "dg = up * 3" in card(figure, 1)
    w = rf.tensor([1.0, 2.0], requires_grad=True)
    assert "In rules" not in show.graph((w * 3).exp()).sentences[0]


@pytest.mark.parametrize("power", [1e16, float("inf")])
def test_a_power_of_an_odd_number_is_a_number_too(power):
    assert "0 where" not in card(show.graph(rf.tensor([0.5], requires_grad=True) ** power), 1)


def test_a_module_of_the_program_may_have_attributes_of_any_name():
    class Net(rf.nn.Module):
        def __init__(self):
            super().__init__()
            self.other_nodes = self._other_nodes = rf.tensor([1.0, 2.0])

        def forward(self, x):
            return x.exp()

    made = ir.graph(Net()(rf.ones(2, requires_grad=True)))
    assert made.nodes[-1].torch == "ExpBackward0"
