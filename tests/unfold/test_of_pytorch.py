"""Graphs of PyTorch's open as far as their nodes have kept values; where they have not it is said."""

import numpy as np
import pytest

from rustyflow import show
from rustyflow.unfold import World
from tests.unfold.levels import hold, refused

torch = pytest.importorskip("torch")
F = torch.nn.functional


def data():
    torch.manual_seed(0)
    return dict(x=torch.randn(3, 4), w=torch.randn(4, 8, requires_grad=True), v=torch.randn(8, 3, requires_grad=True),
                b=torch.randn(3, requires_grad=True))  # fmt: skip


PROGRAMS = {
    "a net": lambda x, w, v, b: F.cross_entropy((x @ w).tanh() @ v + b, torch.tensor([0, 2, 1])),
    "linear": lambda x, w, v, b: F.mse_loss(F.linear(x @ w, v.t(), b).relu(), torch.ones(3, 3)),
    "views": lambda w, **_: (w.view(2, 16).t().reshape(8, 4)[1:, ::2].unsqueeze(0).permute(2, 0, 1) ** 2).sum(),
    "a softmax": lambda w, v, **_: ((w.softmax(-1) @ v).log_softmax(0) * 2).mean(),
    "a layer norm": lambda w, **_: (F.layer_norm(w, (8,)) ** 3).mean(),
    "maxima": lambda w, **_: w.max(1)[0].sum() + w.amax() + w.max(),
    "a convolution": lambda w, **_: F.conv2d(w[None, None], torch.ones(1, 1, 2, 2), padding=1).sum(),
    "joins": lambda w, v, **_: torch.stack([torch.cat([w, v.t()]), torch.cat([w, v.t()])]).cumsum(0).sum(0).norm(),
    "picks": lambda w, **_: w[torch.tensor([0, 1])].gather(1, torch.tensor([[0, 1], [3, 3]])).sigmoid().sum(),
    "quotients": lambda w, **_: (2 / w + w / 3 - w * w.detach()).sum(1, keepdim=True).squeeze(1).sum(),
    "a variance": lambda w, **_: w.var(0, correction=0).sqrt().sum() + w.std(),
}


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_program_of_pytorchs_opens_to_its_leaves(program):
    names = data()
    result = PROGRAMS[program](**names)
    world = World(result, names)
    hold(world, 1e-4)
    assert world.at(result).value == pytest.approx(result.item(), rel=1e-5)
    assert all(x.grad is None for x in names.values())
    result.backward()
    for name, x in names.items():
        if x.grad is not None:
            got = [world.at(x, i, grad=True).value for i in np.ndindex(*x.shape)]
            np.testing.assert_allclose(got, x.grad.reshape(-1), 1e-4, 1e-5, err_msg=name)


def test_what_a_node_of_pytorchs_does_not_keep_is_said():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    future = torch.tensor([False, True])
    y = x.masked_fill(future, 5.0)
    loss = (y * y).sum()
    world = World(loss, {"x": x, "y": y, "loss": loss})
    assert str(world.where("y[1]")) == "y[1] = 5, and PyTorch's node does not keep how masked_fill made it"
    assert str(world.where("dy[1]")) == "dy[1] = dmul[1]·y[1] + dmul[1]·y[1]\n  = 1·5 + 1·5 = 10"
    with refused(ValueError, "the gradient of x", "PyTorch's nodes do not keep"):
        world.where("x.grad[0]")
    with refused(ValueError, "made by masked_fill", "keep"):
        World(x.masked_fill(future, 5.0), {"x": x})
    with refused(ValueError, "of shape (3,)", "not behind the result"):
        world.at(torch.ones(3), 0)


def test_a_graph_that_pytorch_has_freed_keeps_what_its_tensors_have():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = x * 3
    loss = (y * y).sum()
    loss.backward()
    assert str(World(loss, {"x": x, "y": y}).where("y[1]")).startswith("y[1] = ")


def test_a_seed_may_be_pytorchs():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = x.exp()
    number = World(y, {"x": x, "y": y}, torch.tensor([1.0, 10.0])).where("x.grad[1]")
    assert str(number) == "x.grad[1] = dy[1]·y[1]\n  = 10·7.39 ≈ 73.9" and number.open().note == "where backward begins"


SEVERAL = {
    "a chunk": lambda x: x.chunk(2, 1)[1] * 2, "a split": lambda x: x.split(2)[0].sum(),
    "top k": lambda x: x.topk(2)[0].exp().sum(), "a pool": lambda x: F.max_pool1d(x[None], 2).sum(),
    "an attention": lambda x: torch.nn.MultiheadAttention(6, 2)(x, x, x)[0], "a mode": lambda x: x.mode()[0].sum(),
    "an index": lambda x: freed(x[torch.tensor([0])].sum()), "a norm": lambda x: freed(F.layer_norm(x, (6,)).sum()),
    "a dropout": lambda x: freed((F.dropout(x) * x).sum()),
}  # fmt: skip


def freed(y):
    y.backward()
    return y


@pytest.mark.parametrize("program", SEVERAL)
def test_of_an_operation_of_several_results_and_of_a_graph_that_was_freed_the_figure_is_drawn(program):
    x = torch.linspace(-2, 2, 24).reshape(4, 6).requires_grad_()
    figure = show.graph(SEVERAL[program](x))
    assert figure.html() and (figure.world is None or figure.world.at(x, (1, 2)).value == x[1, 2].item())
