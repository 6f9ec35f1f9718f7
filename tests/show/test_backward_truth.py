"""What the backward figure says of programs that write, hook, or divide by 0: as it was, or that it is no more."""

import re

import numpy as np
import pytest

import rustyflow as rf
from rustyflow import show
from tests.show.seen import inspected, said, text


def less(w):
    with rf.no_grad():
        w -= 0.5


@pytest.mark.parametrize("change", [
    less, lambda w: w.data.mul_(2), lambda w: setattr(w, "data", rf.tensor([7.0, 8.0])),
    lambda w: w.detach().add_(1), lambda w: w.detach().numpy().__setitem__(0, 9.0),
])  # fmt: skip
def test_a_leaf_that_changed_since_it_was_read_is_said_to_have_and_is_in_no_sum(change):
    w, v = rf.tensor([1.0, 2.0], requires_grad=True), rf.tensor([3.0, 4.0], requires_grad=True)
    y = (w + v).sum()
    change(w)
    figure = show.backward(y)
    assert any(says.startswith("add gives [4, 6]. w") and "changed since" in says for says in said(figure))
    assert text(figure, "v0") in ("changed since", "changed since?")
    has = "has" if text(figure, "v0") == "changed since" else "may have"
    assert figure.state(0, pointed="n0").sentence.startswith(f"w: it {has} changed since it was read.")
    assert (figure.state(0, pointed="n1").sentence.startswith("v: its value is")) == (has == "has")
    assert "w.grad = [1, 1]" in figure.text() and "y: sum([4, 6]) = 10." in said(figure)


def inplace(x):
    h = x * 3
    h += 2
    h /= x
    h.exp_()
    return h


def rows(x):
    h = x.view(1, 3).clone()
    h[0, 1:] *= 10
    h.t()[0] = 5
    return h


@pytest.mark.parametrize("read", [lambda h, x: h * x, lambda h, x: x - h, lambda h, x: h.exp()])
def test_no_leaf_is_surely_blamed_where_what_was_made_of_it_may_have_changed(read):
    x = rf.tensor([1.0, 2.0], requires_grad=True)
    h = x.square()
    h.data.fill_(0)
    figure = show.backward(read(h, x))
    assert any(says == "h gives [0, 0]. x may have changed since." for says in said(figure))
    assert not any("x has changed" in says for says in said(figure))


@pytest.mark.parametrize("program", [
    lambda x: x.quantile(0.5), lambda x: (x * 2).unsqueeze_(0), lambda x: (x + 1).view(1, 3).transpose_(0, 1),
])  # fmt: skip
def test_what_takes_another_shape_in_place_is_not_written_over(program):
    figure = show.backward(program(rf.tensor([3.0, 1.0, 2.0], requires_grad=True)).sum())
    assert not any("written" in says for says in said(figure))


@pytest.mark.parametrize("program", [inplace, rows])
def test_what_was_written_over_is_told_with_the_numbers_it_had(program):
    figure = show.backward(program(rf.tensor([1.0, 2.0, 4.0], requires_grad=True)).sum())
    forward = said(figure)[2 : next(k for k, says in enumerate(said(figure)) if says.startswith("Backward begins"))]
    assert forward and not any("shape (" in says for says in forward), forward
    if program is inplace:
        assert forward[:3] == [
            "mul: [1, 2, 4]·3 = [3, 6, 12].", "add: [3, 6, 12] + 2 = [5, 8, 14].",
            "div: [5, 8, 14] / [1, 2, 4] = [5, 4, 3.5].",
        ]  # fmt: skip
    for says in forward:
        for found in re.findall(r"\[([-\d., ]+)\] ([-+*/]) \[?([-\d., ]+)\]? = \[([-\d., ]+)\]", says):
            a, op, b, c = ([float(n) for n in part.split(",")] if k != 1 else part for k, part in enumerate(found))
            b = b * len(a) if len(b) == 1 else b
            assert [eval(f"{x} {op} {y}") for x, y in zip(a, b, strict=True)] == pytest.approx(c, rel=0.01)


def test_numbers_that_were_written_over_and_kept_by_nobody_are_said_to_be():
    x, shift = rf.tensor([1.0, 2.0], requires_grad=True), rf.tensor([5.0, 5.0])
    h = x + shift
    h -= 1
    assert {"add: [1, 2] + [5, 5] = [6, 7].", "h: [6, 7] - 1 = [5, 6]."} <= {*said(show.backward((h * h).sum()))}
    shift += 1
    says = said(show.backward((h * h).sum()))
    lost = "add gives 2 numbers, which nothing kept before their storage was written to in place."
    assert f"{lost} shift has changed since." in says and "h gives [5, 6]." in says
    known = x + 5
    known -= 1
    assert "add: [1, 2] + 5 = [6, 7]." in said(show.backward((known * known).sum()))


def test_a_row_that_is_still_there_is_not_said_to_be_written_over():
    x, y = rf.tensor([1.0, 2.0, 3.0], requires_grad=True), rf.zeros(2, 3)
    y[0] = x
    y[1] = y[0] * 2
    assert not any("written over" in says for says in said(show.backward(y.sum())))


def test_a_leaf_written_with_what_it_was_has_not_changed():
    x = rf.tensor([1.0, 2.0], requires_grad=True)
    y = (x * 2).sum()
    with rf.no_grad():
        x += 0
    assert "mul: [1, 2]·2 = [2, 4]." in said(show.backward(y))


@pytest.mark.parametrize("factor", [100.0, -0.5, 0.0])
def test_a_number_that_a_hook_made_is_told_with_what_it_made_it_of(factor):
    w = rf.tensor([1.0, 2.0], requires_grad=True)
    w.register_hook(lambda g: g * factor)
    h = w * 3
    h.register_hook(lambda g: g + 1)
    figure = show.backward(h.sum())
    made = f"{6 * factor:g}"
    assert figure.sentences[-1] == f"Where w.grad[0] comes from: 3·2 = 6, which a hook made {made}."
    assert figure.state(link="o0u0").sentence == "dh[0] = 1·1 = 1, which a hook made 2."
    assert sum(says.startswith("hook: ") for says in said(figure)) == 2
    h.sum().backward(retain_graph=True)
    traced = rf.autograd.provenance(h.sum(), w, (1,))
    assert traced.value == w.grad[1] and str(traced) == f"grad[1] = 3 * 2 = 6, which a hook made {made}"


def test_a_hook_on_a_node_is_said_to_have_made_what_the_rule_did_not():
    w = rf.tensor([1.0, 2.0], requires_grad=True)
    y = (w * 3).exp()
    y.grad_fn.next_functions[0][0].register_hook(lambda into, out: (into[0] * 7, None))
    figure = show.backward(y, rf.tensor([0.0, 1.0]))
    made = "by dw = g * 3, which gives ≈ [0, 1210], which a hook on mul makes ≈ [0, 8472]."
    assert any(made in says for says in said(figure))
    assert figure.state(link="o0q1").sentence == "w.grad[1] = 3·403 ≈ 1210, which a hook made ≈ 8472."


def test_what_backward_does_after_a_gradient_has_come_is_said_and_not_done():
    called = []
    w, v = (rf.tensor([1.0, 2.0], requires_grad=True) for _ in range(2))
    w.register_post_accumulate_grad_hook(called.append)
    figure = show.backward((w * v).sum())
    assert "Then .backward() calls the hook that w has for w.grad; it is not called here." in figure.text()
    assert not called and "that v has" not in figure.text()


@pytest.mark.parametrize("before", [[5.0, 5.0], [0.0, 0.0]])
def test_of_a_leaf_with_a_gradient_no_sentence_says_that_it_had_none(before):
    w = rf.tensor([1.0, 2.0], requires_grad=True)
    w.grad = rf.tensor(before)
    figure = show.backward((w * w).sum())
    assert not any("no gradient yet" in says for says in said(figure)) and "w.grad = [2" not in figure.text()
    assert f"w.grad has [{before[0]:g}, {before[1]:g}] already" in figure.text()
    assert w.grad.tolist() == before


@pytest.mark.parametrize("reduction", ["mean", "sum"])
def test_a_loss_is_told_as_one_number_and_what_it_keeps_by_its_own_name(reduction):
    x = rf.tensor([[1.0, 2.0, 3.0], [0.5, 0.25, 0.0]], requires_grad=True)
    loss = rf.nn.functional.cross_entropy(x, rf.tensor([1, 0]), reduction=reduction)
    figure = show.backward(loss)
    assert text(figure, "v2") == f"{loss.item():.3g}" and "results" not in figure.text()
    assert any(re.fullmatch(rf"loss(: .*| gives) ≈ {loss.item():.3g}\.", says) for says in said(figure))
    assert not any("[[1, 2, 3]" in says and "[[1, 0]]" in says for says in said(figure))  # no index of an index
    words = [shape.text for shape in figure.scene.index["o0"].children]
    assert "storage of cross_entropy.shares" in words and "storage of loss" not in words
    assert "dloss" in words and figure.state(link="o0u0").sentence == "dloss = 1: backward began with it."


def test_a_normalized_batch_is_one_result_with_its_gradient():
    x = rf.tensor([[1.0, 2.0], [3.0, 5.0]], requires_grad=True)
    h = rf.nn.functional.batch_norm(x, None, None, training=True)
    h.register_hook(lambda g: g * 2)
    figure = show.backward((h * h * h).sum())
    assert "results" not in figure.text() and any(says.startswith("hook: a hook replaces the gradient of h: ≈ [[")
                                                  for says in said(figure))  # fmt: skip


@pytest.mark.parametrize("given, write", [
    (rf.nn.Linear(2, 2), "model(x) in place of model"), (rf.ones(3).max(0), "y[0]"), ([rf.ones(2)], "y[0]"),
    (rf.nn.MSELoss(), "model(x) in place of model"),
])  # fmt: skip
def test_what_holds_or_makes_tensors_is_told_what_to_give(given, write):
    for figure in (show.backward, show.graph):
        with pytest.raises(TypeError, match=re.escape(write)):
            figure(given)


def run(words):
    """A formula that a figure says in numbers, as PyTorch would run it."""
    calls = "exp log sqrt sin cos tanh abs sign sum mean prod amax var erf where"
    names = {name: getattr(rf, name) for name in calls.split()}
    lists = r"\[(?:\[[^\[\]]*\](?:, )?)+\]|\[[^\[\]]*\]"
    spelled = re.sub(lists, lambda found: f"rf.tensor({found[0]}, dtype=rf.float64)", words)
    spelled = re.sub(r"(?<![\w.])(exp|log|sqrt|tanh|sin|cos)\((-?[\d.]+)\)", r"\1(rf.tensor(\2))", spelled)
    return eval(spelled, {"rf": rf, **names})


MATRIX = [[1.0, 2.0], [3.0, 5.0]]
FORMULAS = {
    "sums": lambda x: x.sum(1).exp() + x.sum(0), "means": lambda x: x - x.mean(1, keepdim=True) + x.mean(0),
    "variances": lambda x: x.var(1, correction=0) * x.std(0), "losses": lambda x: rf.nn.functional.mse_loss(
        x, x.detach() * 2, reduction="sum") + rf.nn.functional.mse_loss(x, x.detach() * 3),
    "softmax": lambda x: x[0].softmax(0) * x[1], "norms": lambda x: x.norm() + x.norm(dim=0),
    "products": lambda x: x.prod(1) / x.amax(0), "powers": lambda x: x**3 - 2**x, "logs": lambda x: x.log() * x.tanh(),
    "layers": lambda x: rf.nn.functional.layer_norm(x, (2,)) * x.sqrt(), "scaled": lambda x: rf.add(x, x, alpha=3) / 4,
}  # fmt: skip


@pytest.mark.parametrize("name", FORMULAS)
def test_each_formula_in_numbers_runs_and_comes_to_what_is_said(name):
    figure = show.backward(FORMULAS[name](rf.tensor(MATRIX, requires_grad=True)))
    tried = 0
    for says in said(figure):
        found = re.fullmatch(r"[^:]+: (.+) [=≈] (\[[-\d\[\], .e]*\]|[-\d.e]+)\.", says)
        if not found or re.search(r"[·%]|\bx\b", says) or says.startswith(("hands on", "arrives", "sums")):
            continue
        tried += 1
        result = rf.as_tensor(run(found[1]))
        told = rf.tensor(eval(found[2]), dtype=rf.float64)
        assert result.shape == told.shape or result.numel() == told.numel() == 1, says
        assert rf.allclose(result.double().reshape(told.shape), told, rtol=0.02, atol=0.02), says
    assert tried


@pytest.mark.parametrize("where, said", [
    ((rf.tensor([0, 0, 1]),), "x[[0, 0, 1]]"), ((slice(None), rf.tensor([1])), "x[:, [1]]"),
    ((rf.tensor([0, 1]), rf.tensor([1, 0])), "x[[0, 1], [1, 0]]"),
])  # fmt: skip
def test_an_index_is_said_as_a_program_writes_it(where, said):
    x = rf.tensor(MATRIX, requires_grad=True)
    figure = show.backward(x[where].sum())
    assert any(f"index: {said} = " in words for words in figure.sentences) and "dims[k]" not in figure.text()


@pytest.mark.parametrize("function, factor", [
    (lambda x: rf.nn.functional.leaky_relu(x, 0.3), "(1 where x > 0, else 0.3)"),
    (lambda x: rf.nn.functional.elu(x, 0.5), "(0.5 * exp(x) where x <= 0, else 1)"),
    (lambda x: rf.nn.functional.selu(x), "(1.050701 * 1.673263 * exp(x) where x <= 0, else 1.050701)"),
])  # fmt: skip
def test_a_factor_of_two_cases_counts_what_comes_once(function, factor):
    x = rf.tensor([-2.0, 3.0, 0.5], requires_grad=True)
    y = function(x)
    assert f"backward, y sends g·{factor} to x" in show.backward(y).text()


@pytest.mark.parametrize("target", [rf.tensor([1, 0]), rf.tensor([1, -100])])
def test_weights_of_classes_are_no_crash(target):
    x = rf.tensor([[1.0, 2.0, 0.5], [0.0, 3.0, 1.0]], requires_grad=True)
    loss = rf.nn.functional.cross_entropy(x, target, weight=rf.tensor([1.0, 4.0, 2.0]))
    assert re.fullmatch(rf"loss(: .*| gives) ≈ {loss.item():.3g}\.", said(show.backward(loss))[2])


def test_what_was_written_into_a_part_stands_there():
    x = rf.tensor([1.0, 2.0, 3.0], requires_grad=True)
    y = x * 4
    y[1] = 7.0
    z = x.exp() * 1
    z.view(3, 1)[:2].mul_(10)
    z[2] = 6.0
    first, second = said(show.backward((y * y).sum())), said(show.backward(z.sum()))
    assert "copy_ gives 7." in first and "y gives [4, 7, 12]." in first
    assert not [says for says in second if "nothing kept" in says and says.startswith(("copy_ ", "mul %"))]


@pytest.mark.parametrize("other", [rf.tensor([1, 2, 3]), rf.tensor([True, False]), rf.tensor([5], dtype=rf.uint8)])
def test_a_number_beside_integers_has_not_changed(other):
    w = rf.tensor(0.75, requires_grad=True)
    for y in (w * other, other / w, other + w):
        assert "changed since" not in show.backward(y.sum()).text()


def test_a_leaf_that_changed_makes_up_no_number():
    w = rf.tensor([1.0, 2.0, 5.0], requires_grad=True)
    y = w + 3
    with rf.no_grad():
        w -= 0.25
    figure = show.backward(y)
    assert "y gives [4, 5, 8]. w has changed since." in said(figure)
    assert "3.25" not in figure.text()


def test_the_row_of_padding_gets_no_gradient_and_a_sentence_that_says_so():
    table = rf.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], requires_grad=True)
    y = rf.nn.functional.embedding(rf.tensor([2, 0, 2]), table, padding_idx=2)
    figure = show.backward(y)
    assert "zeros with g added where table was read, and none to row 2" in figure.text()
    assert figure.state(link="o0q4").sentence == "table.grad[2, 0] = 0: row 2 is padding, which gets no gradient."
    assert "padding" not in figure.state(link="o0q2").sentence


@pytest.mark.parametrize("op, taken", [("relu", "relu"), ("exp", "exp"), ("t", "t")])
def test_an_operation_is_not_called_by_a_name_that_the_program_has_for_something_else(op, taken):
    x = rf.tensor([[1.0, 2.0]], requires_grad=True)
    scope = {"x": x, taken: rf.tensor([1]), "show": show}
    exec(f"figure = show.backward((x.{op}() * 2).sum())", scope)
    assert f"{op} %2 hands its gradient on to x" in scope["figure"].text()


def test_a_result_waits_for_its_own_gradients_and_its_operation_for_all():
    x = rf.tensor([2.0, 5.0], requires_grad=True)
    u, v = x.chunk(2)
    told = show.backward((u * u + v).sum()).text()
    assert "u now has [2]; 1 of 2 has reported" in told and "v now has [1]; " not in told
    assert "v now has [1]. split waits for 2 more." in told and "split is ready" in told


def test_a_sum_that_lacks_a_term_is_not_shown_and_one_that_is_almost_nothing_says_so():
    x = rf.tensor([0.0, 1.0], requires_grad=True)
    told = show.backward((x.sqrt() + x.abs() ** 0.5).sum()).text()
    assert "≈ nan" not in told and "inf·1 = nan" not in told
    y = rf.tensor([[3.0, 4.0, 8.0]], requires_grad=True)
    told = show.backward((y.softmax(1) * 7).sum()).text()
    terms, came = re.search(r"comes from: (.*) ≈ (\S+), with more digits", told).groups()
    assert eval(terms.replace("·", "*")) == pytest.approx(float(came))


def test_what_is_written_twice_into_an_untracked_buffer_is_told():
    x = rf.tensor(2.0, requires_grad=True)
    buffer = rf.zeros(3)
    for k in range(3):
        buffer[k] = x**k
    told = show.backward(buffer.sum()).text()
    assert "copy_slices %5 gives [1, 0, 0]." in told and "x.grad = 5" in told


def test_a_global_is_not_called_by_a_name_that_is_another_tensors_in_the_function():
    scope = {"x": (one := rf.tensor([2.0], requires_grad=True)), "show": show, "rf": rf}
    exec("""def run(other):
    x = rf.tensor([3.0], requires_grad=True)
    return show.backward((x * other).sum())""", scope)
    told = scope["run"](one).text()
    assert "x.grad = [2]" in told and "other.grad = [3]" in told


def test_what_goes_back_through_sums_is_no_product_with_one_number_each():
    x = rf.tensor([[1.0, 4.0], [2.0, 0.0], [5.0, 1.0]], requires_grad=True)
    assert "sends g·0" not in show.backward(rf.nn.functional.batch_norm(x, None, None, training=True).sum()).text()


def test_a_number_that_fills_a_row_is_not_said_to_equal_it():
    row = rf.zeros(2, 3)
    row[1] = rf.tensor(4.0, requires_grad=True)
    assert "4 = [4" not in show.backward(row.sum()).text()


def normalized(x):
    centred = x - x.mean()
    return centred / centred.square().mean().sqrt()


@pytest.mark.parametrize("program", [
    lambda x: (x * x.sum()).tanh(), normalized, lambda x: x.softmax(0) * x.log(), lambda x: (x / x.norm()).cumsum(0),
    lambda x: (x.sqrt() * 7).exp().sum().log() * x, lambda x: x.outer(x.sin()).softmax(1)[:, 0],
])  # fmt: skip
def test_rounded_numbers_come_to_the_number_that_they_are_said_to(program):
    figure, sums = show.backward(program(rf.tensor([0.3, 1.7, 2.9], requires_grad=True))), 0
    pointed = [id for id in figure.scene.index if re.fullmatch(r"o\d[qu]\d+", id)]
    told = [*said(figure), *(figure.state(link=id).sentence for id in pointed)]
    for words in (part for says in told for part in re.split(r"[:;] |, which gives |, and |, summed|\.$", says)):
        found = re.fullmatch(r"(?:[^=]* = )?([-+.\d() ·e]+) ≈ (-?[\d.]+(?:e-?\d+)?)", words)
        if found and re.search(r"[·+]", found[1]):
            of, last = float(found[2]), found[2].partition("e")[0].partition(".")[2]
            unit = 10.0 ** (np.floor(np.log10(abs(of))) - 1) if of else 0.01
            unit = min(unit, 10.0 ** -len(last)) if last and "e" not in found[2] else unit
            assert abs(eval(found[1].replace("·", "*")) - of) < unit, words
            sums += 1
    assert sums > 2


def test_a_gradient_of_almost_0_is_not_worked_out_of_numbers_that_look_like_1():
    x = rf.tensor(5.0, requires_grad=True)
    figure = show.backward(x.tanh())
    lines = [line for k in range(len(figure.frames)) for line in inspected(figure, k)]
    assert not any("1·1" in line for line in lines) and "dx = 1·(1 - 0.999909·0.999909) ≈ 0.000182" in lines


def goes(figure):
    begins = next(sentence for sentence in figure.sentences if sentence.startswith("Backward begins"))
    return begins.partition(" It goes back ")[2]


def test_the_frame_in_which_backward_begins_explains_what_stands_on_the_arrows_of_this_figure():
    x, w = (rf.tensor(array, requires_grad=True) for array in ([[1.0, 2.0]], [[3.0, 1.0], [5.0, 2.0]]))
    assert goes(show.backward((x * 2).sum())) == "times what stands on the arrow."
    both = "times what stands on the arrow, or in the shape that stands on the arrow."
    assert goes(show.backward((x @ w).softmax(1))) == both
    assert goes(show.backward(w.t())) == "in the shape that stands on the arrow."
    assert not goes(show.backward(rf.tensor([3.0, 1.0], requires_grad=True).cumsum(0)))


def test_a_factor_that_is_too_long_for_an_arrow_is_told_by_the_list():
    attention, v = (rf.tensor([[1.0, 2.0], [3.0, 5.0]], requires_grad=True) for _ in range(2))
    y = attention @ v
    assert "y sends g @ v.T to attention and attention.T @ g to v" in show.backward(y).text()
    x = rf.linspace(-2, 2, 9).requires_grad_()
    y = x.tanh()
    assert "y sends g·(1 - y * y) to x" in show.backward(y).text()


def test_each_of_several_results_is_told():
    a, b, _ = rf.arange(6.0).requires_grad_().split(2)
    y = a * b
    assert "split gives [0, 1], [2, 3] and [4, 5]." in said(show.backward(y))


def test_a_part_that_was_read_is_told_by_name_and_not_by_all_numbers_of_it():
    a = rf.tensor([1 / 3, 1.0], requires_grad=True)
    figure = show.backward(a[1] * 2)
    lines = [line for k in range(len(figure.frames)) for line in inspected(figure, k)]
    assert "da = [0, 2]" in lines


@pytest.mark.parametrize("program", [
    lambda x: x.sum((0, 1), keepdim=True), lambda x: x.mean((0, 1), keepdim=True), lambda x: x.amax(keepdim=True),
    lambda x: x[0].prod(0, keepdim=True), lambda x: x.norm(dim=(0, 1), keepdim=True), lambda x: x[1].sum(0),
    lambda x: x.var((0, 1), keepdim=True), lambda x: x.logsumexp((0, 1), keepdim=True),
])  # fmt: skip
def test_a_reduction_of_all_axes_has_the_shape_that_it_is_said_to_have(program):
    y = program(rf.tensor([[1.0, 2.0], [3.0, 5.0]], requires_grad=True))
    told = next(says for says in said(show.backward(y)) if says.startswith("y: "))
    formula, _, result = re.fullmatch(r"y: (.*) ([=≈]) (.*)\.", told).groups()
    assert run(formula.replace("logsumexp", "")).shape == y.shape and result.count("[[") == (y.ndim == 2)


def test_a_gradient_with_an_axis_in_front_is_told_without_it():
    a, b = rf.tensor([[2.0, 3.0]], requires_grad=True), rf.tensor([4.0, 5.0], requires_grad=True)
    told = show.backward((a * b).sum()).text()
    assert "db = g * a, which gives [[2, 3]], without the axes in front [2, 3]." in told


def test_a_gradient_that_was_there_before_is_none_of_this_backward():
    w = rf.tensor([1.0, 2.0], requires_grad=True)
    (w * 3).sum().backward()
    y = (w * 4).sum()
    told = show.backward(y).text()
    assert "Forward: the values of the leaves are there, and no gradient of this backward is, not even 0." in told
    with rf.no_grad():
        w -= w.grad
    told = show.backward(y).text()
    assert "the values of the leaves are there, but for what has changed since, and no gradient of this" in told


def test_the_s_of_a_genitive_is_no_tensor():
    s = rf.tensor([1.0, 2.0], requires_grad=True)
    t = (s * 2).view(1, 2)
    assert "d(mul) = g under mul's shape" in show.backward(t.sum()).text()


def test_a_hook_that_changes_nothing_is_not_said_to_put_another_gradient_there():
    x = rf.tensor([1.0, -4.0], requires_grad=True)
    y = x * 2
    y.register_hook(lambda g: g.clamp(max=5))
    figure = show.backward(y.sum())
    assert "hook: a hook gives back the gradient of y: it stays [1, 1]." in [*said(figure)]


def test_a_factor_that_is_cut_is_sent_as_such():
    x = rf.tensor([1.0, 2.0, 4.0], requires_grad=True)
    third, half = show.backward((x * x).mean()).text(), show.backward((x[:2] * 2).mean()).text()
    assert "mean sends ≈ g·0.333 to mul" in third and "mean sends g·0.5 to mul" in half


def test_a_panel_without_room_for_numbers_says_that_a_gradient_is_summed():
    m, f = rf.tensor([1.0, 2.0], requires_grad=True), rf.tensor([[3.0, -1.0], [0.0, 4.0]])
    y = m * f
    figure = show.backward(y.sum())
    handed = next(k for k, says in enumerate(said(figure)) if says.startswith("y hands its gradient on to m"))
    assert inspected(figure, handed) == ["dm = g * f", "dm, summed = [3, 3]"]


def test_an_axis_that_is_put_in_front_is_named():
    x = rf.tensor([1.0, 2.0], requires_grad=True)
    told = show.backward((x[None] * 2).sum()).text()
    assert "with a new dim 0 of size 1" in told and "g without dim 0" in told


def test_a_value_alone_in_a_panel_has_its_sign():
    x = rf.tensor([[2.0, -1.0, 0.5]], requires_grad=True)
    figure = show.backward(rf.softmax(x, dim=1).max())
    told = next(k for k, says in enumerate(said(figure)) if says.startswith("softmax: "))
    assert inspected(figure, told)[-1] == "≈ [[0.786, 0.0391, 0.175]]"


def test_a_factor_that_is_cut_is_sent_as_such_where_what_arrives_is_not_called_g():
    g = rf.tensor([1.0, 2.0, 4.0], requires_grad=True)
    assert "mean sends ≈ up·0.333 to mul" in show.backward((g * g).mean()).text()
