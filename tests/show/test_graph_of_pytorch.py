"""The graph figure of what PyTorch recorded: its names, what it keeps, what it hides."""

import re

import pytest

import rustyflow as rf
from rustyflow import ir, show
from tests.show.seen import box, card


def test_pytorch_s_graph_is_drawn_too():
    torch = pytest.importorskip("torch")
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = (x * 3).exp().sum()
    figure = show.graph(y)
    assert figure.scene.title == "y = (x * 3).exp().sum()" and "exp" in figure.text()


def test_what_pytorch_kept_and_shows_nobody_is_no_number():
    torch = pytest.importorskip("torch")
    figure = show.graph(torch.ones(3, requires_grad=True).exp().masked_fill(torch.tensor([True, False, True]), 0.0))
    assert "keeps something untracked" in figure.text() and "number ?" not in figure.text()


def test_rules_of_pytorch_s_nodes_have_their_axes_and_arguments_or_are_not_said():
    torch = pytest.importorskip("torch")
    F, x = torch.nn.functional, torch.tensor([[1.0, 2.0], [3.0, 5.0]], requires_grad=True)
    for y, rule in [
        (x.mean(0), "y = sum(x, 0) / 2 dx = g / 2, repeated along dim 0"), (x.std(), "(x - mean(x)) / (4 - 1) / y"),
        (x.sum(), "y = sum(x) dx = g, repeated"), (x.norm(dim=1), "y = sum(abs(x) ** 2, 1) ** (1 / 2)"),
        (torch.stack([x]), "along a new axis 0"), (x.cumsum(0), "y[i] = sum(x[:i + 1], 0)"),
        (x.prod(1), "all other cells along dim 1"), (x.min(0).values, "the smallest along dim 0"),
        (F.elu(x), "y = x where x > 0, else exp(x) - 1"), (F.leaky_relu(x, 0.2), "else 0.2 * x"),
        (F.gelu(x, approximate="tanh"), "(1 + tanh(s)) / 2"),
    ]:  # fmt: skip
        assert rule in card(show.graph(y), 1) and not re.search(r"\bdim\b(?! \d)", card(show.graph(y), 1))
    for y in (F.layer_norm(x, (2,)), F.nll_loss(x, torch.tensor([1, 0]))):
        figure = show.graph(y)
        assert " = " not in card(figure, len(ir.graph(y, depth=1)) - 1)


def test_pytorch_s_index_that_was_freed_and_its_batch_norm_in_training_are_told():
    torch = pytest.importorskip("torch")
    x = torch.tensor([[1.0, 2.0], [3.0, 5.0]], requires_grad=True)
    y = x[torch.tensor([0])].sum()
    y.backward()
    figure = show.graph(y)
    assert "keeps nothing" in card(figure, 1) and "kept" not in box(figure, 1)
    layer = torch.nn.BatchNorm1d(2)
    own, running = layer(x), layer.eval()(x)
    last = len(ir.graph(own, depth=1)) - 1
    assert "(untracked)" not in card(show.graph(own), last) and "reads x, layer.weight and" in show.graph(own).text()
    assert "running = (x - " in card(show.graph(running), len(ir.graph(running, depth=1)) - 1)


def test_a_squeeze_of_one_dim_says_which_axis_it_takes_out():
    torch = pytest.importorskip("torch")
    for t in (torch, rf):
        x = t.ones(1, 2, 1, 1, requires_grad=True)
        for y, told in ((x.squeeze(0), "dim 0"), (x.squeeze(-1), "dim 3"), (x.squeeze((0, 2)), "dims 0 and 2")):
            assert f"y = x without {told} dx = g with {told} put back" in card(show.graph(y), 1)
        y = x.squeeze(1)  # it has size 2
        assert "y = x dx = g" in card(show.graph(y), 1)
        y = x.squeeze()
        assert "y = x without dims 0, 2 and 3 dx = g with dims 0, 2 and 3 put back" in card(show.graph(y), 1)
    v = rf.tensor([[[2.0, 3.0]]], requires_grad=True)
    assert "[[[2, 3]]] without dim 1 = [[2, 3]]" in show.backward(v.squeeze(1)).text()
    seen = ir.trace(lambda x: x.squeeze(0), rf.ones(1, 1, 3))
    assert "without" not in card(show.graph(seen), 1)


def test_of_what_pytorch_hides_in_a_write_to_a_part_no_rule_is_said():
    torch = pytest.importorskip("torch")
    w = torch.tensor([2.0, 3.0, 5.0], requires_grad=True)
    v = torch.tensor(4.0, requires_grad=True)
    writes = [lambda y: y[1:].mul_(3), lambda y: y[:1].relu_(), lambda y: y[2].div_(v), lambda y: y[0].copy_(v)]
    for write in writes:
        y = w * 1
        write(y)
        figure = show.graph(y)
        last = len(ir.graph(y, depth=1)) - 1
        assert card(figure, last).endswith("in PyTorch: CopySlices changes a part, PyTorch hides how")
    assert " = copy_slices reads %2 and v and gives float32[3]." in figure.text().replace("%3", "v")


def test_what_pytorch_keeps_for_a_product_is_named_and_a_question_mark_is_not_called_what_it_is_not():
    torch = pytest.importorskip("torch")
    w, x, c = (torch.ones(*size, requires_grad=True) for size in ((3, 2), (4, 2), (3,)))
    data = torch.ones(4, 2)
    h = x.exp()
    for y, kept in ((torch.addmm(c, h, w.t()), "h and %"), (torch.nn.functional.linear(data, w, c), "data for"),
                    (torch.addmv(c, w, w[0]), "w and %"), (torch.baddbmm(h[None], h[None], w.t()[None, :, :2]), "%")):
        said = show.graph(y).text()
        assert f"and keeps {kept}" in said and "untracked" not in said and "?" not in said
    layer = torch.nn.LayerNorm(2)
    y = layer(h)
    told = show.graph(y).scene.about[-1]
    assert told.strip() == "? is an untracked operand that nothing kept; ir.trace(function, ...) sees such operands"


def test_what_pytorch_kept_and_something_wrote_over_was_not_let_go_of():
    torch = pytest.importorskip("torch")
    x = torch.tensor([0.5, 1.0], requires_grad=True)
    h = x.sigmoid()
    y = h + 1
    h += 1
    z = h * y
    y.zero_()
    figure = show.graph(z)
    said = figure.text()
    assert "let go of" not in said and "(freed)" not in said
    assert "%2 = sigmoid reads x and gives float32[2], and keeps %2 for backward: something has written over" in said
    assert "keeps %2 (version 1, since something)" in card(figure, 1)


def test_a_number_that_a_gradient_reads_is_kept_and_pytorch_s_factor_is_in_the_rule():
    torch = pytest.importorskip("torch")
    for t in (torch, rf):
        w = t.ones(3, requires_grad=True)
        y = w / 4
        assert "keeps the number 4" in card(show.graph(y), 1)
        y = w + 4
        assert "keeps nothing" in card(show.graph(y), 1)
        y = t.addcmul(w, w, w, value=3)
        assert "y = w + 3 * w * w dw = g" in card(show.graph(y), 1)


def test_arguments_of_pytorch_s_that_are_tensors_are_said_by_name_or_shape():
    torch = pytest.importorskip("torch")
    q, k, v = (torch.randn(1, 2, 3, 4, requires_grad=True) for _ in range(3))
    attend = torch.nn.functional.scaled_dot_product_attention
    plain = torch.randn(1, 2, 3, 4)
    mask = torch.zeros(3, 3)
    for y in (attend(q, k, v), attend(q, k, v, is_causal=True), attend(q, k, plain), attend(q, k, v, attn_mask=mask),
              torch.nn.TransformerEncoderLayer(4, 2, 8, batch_first=True)(q[0])):  # fmt: skip
        figure = show.graph(y)
        text = "\n".join([*figure.scene.about, *figure.sentences])
        assert "tensor(" not in text and "attention" in text or "bmm" in text
    line = next(line for line in show.graph(attend(q, k, plain)).scene.about if "attention" in line)
    assert "float32[1, 2, 3, 4]" in line and "tensor(" not in line
