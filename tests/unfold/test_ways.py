"""The ways in which a cell is told, each alone; and numbers that are gone, or that something has written over."""

import numpy as np
import pytest

import rustyflow as rf
import rustyflow.nn.functional as F
from rustyflow.claims.tree import Leaf
from rustyflow.unfold import World, tell
from rustyflow.unfold.moved import Moved
from rustyflow.unfold.number import Told
from rustyflow.unfold.ruled import Ruled
from rustyflow.unfold.traced import Traced
from tests.unfold.levels import hold, refused
from tests.unfold.programs import attention, batch_norm, convolution, made, net, picks, recurrent


def moving(r):
    x, b = r(3, 4), r(2, 4)
    y = rf.cat([x.t()[1:3, :2].flip(0), b[:, 1:3].roll(1, 0)], 1).view(2, 2, 2).permute(2, 0, 1)
    return y.reshape(-1)[[0, 3, 3]].take(rf.tensor([2, 0])), dict(x=x, b=b, y=y)


@pytest.mark.parametrize("way, programs", [
    (Ruled, [net, attention, recurrent]), (Moved, [moving]), (Traced, [net, batch_norm, convolution, picks]),
], ids=lambda x: getattr(x, "__name__", None))  # fmt: skip
def test_each_way_alone_comes_to_the_engines_numbers(monkeypatch, way, programs):
    monkeypatch.setattr(tell, "WAYS", [way])
    for program in programs:
        result, names = made(program)
        seed = None if result.dim() == 0 else rf.randn(*result.shape, dtype=result.dtype)
        hold(World(result, names, seed), 1e-8)


def test_a_way_that_does_not_come_to_the_engines_number_is_not_taken(monkeypatch):
    monkeypatch.setattr(Ruled, "told", lambda self, left, i: Told(Leaf(5.0)))
    x = rf.tensor([1.0, 2.0], requires_grad=True)
    y = x * 3
    assert str(World(y.sum(), {"x": x, "y": y}).where("y[1]")) == "y[1] = x[1]·3\n  = 2·3 = 6"


@pytest.mark.parametrize("write", [
    lambda y: y.data.zero_(), lambda y: y.detach().mul_(7), lambda y: y.numpy(force=True).fill(9.0),
])  # fmt: skip
def test_what_was_written_over_unseen_is_computed_again(write):
    x = rf.tensor([1.0, 2.0], requires_grad=True)
    y = x * 2
    z = y.exp()
    loss = z.sum()
    write(y)
    world = World(loss, {"x": x, "z": z})
    assert str(world.where("z[1]")) == "z[1] = exp(mul[1])\n  = exp(4) ≈ 54.6"
    assert str(world.where("z[1]").open()) == "mul[1] = x[1]·2\n  = 2·2 = 4"


def test_numbers_that_are_gone_are_said_to_be():
    x, constant = rf.ones(10, 10).requires_grad_(), rf.ones(10, 10) * 2
    y = x + constant
    loss = y.sum()
    del constant
    world = World(loss, {"x": x, "y": y})
    assert str(world.where("y[0, 0]")) == "y[0, 0] = 3, and add does not tell how"
    del y, world
    world = World(loss, {"x": x})
    with refused(ValueError, "add[0, 0]", "its numbers are gone", "keep add in a variable"):
        world.where("add[0, 0]")
    assert world.where("x.grad[3, 3]").value == 1 and str(world.where("sum")).startswith("sum = 300, and")


class Drops(rf.autograd.Function):
    """One whose forward does not run again: of an argument that is no number only the program knows."""

    @staticmethod
    def forward(ctx, x, how):
        return x * len(how)

    @staticmethod
    def backward(ctx, g):
        return g * 3, None


class Twice(rf.autograd.Function):
    """One with a context that is set up apart, and two results."""

    @staticmethod
    def forward(x):
        return x * 2, x.exp()

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(output[1])

    @staticmethod
    def backward(ctx, g, h):
        (e,) = ctx.saved_tensors
        return g * 2 + h * e


def test_functions_of_the_programs_own_are_opened_as_calls_or_said():
    x = rf.tensor([1.0, 2.0], requires_grad=True)
    y = Drops.apply(x, "abc")
    world = World(y.sum(), {"x": x, "y": y})
    assert str(world.where("y[1]")) == "y[1] = 6, and Drops does not tell how"
    assert str(world.where("x.grad[1]")) == "x.grad[1] = dy[1]·3\n  = 1·3 = 3"
    y, z = Twice.apply(x)
    world = World((y * z).sum(), {"x": x, "y": y, "z": z})
    hold(world, 1e-5)
    assert str(world.where("z[0]")) == "z[0] = exp(x[0])\n  = exp(1) ≈ 2.72"
    assert world.where("x.grad[1]").value == pytest.approx(2 * np.exp(2) + 4 * np.exp(2), rel=1e-6)


def test_steps_of_composed_functions_open():
    rf.manual_seed(0)
    x = rf.randn(1, 1, 3, 3, dtype=rf.float64).requires_grad_()
    y = F.interpolate(x, scale_factor=2, mode="bilinear", align_corners=True)
    hold(World((y * y).sum(), {"x": x, "y": y}))


def write_number(y):
    y[1] = 7.0


def write_bool(y):
    y[1] = True


@pytest.mark.parametrize("write, said", [
    (write_number, ["y[1] = copy_ = 7", "copy_ = 7, which copy_ puts there"]),
    (write_bool, ["y[1] = copy_ = 1", "copy_ = True = 1, which copy_ puts there"]),
    (lambda y: y[1].add_(2), ["y[1] = add = 4", "add = mul.select + 2\n  = 2 + 2 = 4"]),
    (lambda y: y[0].fill_(5), ["y[1] = mul[1] = 2", "mul[1] = x[1]·2\n  = 1·2 = 2"]),
])
def test_a_number_that_was_written_into_a_cell_is_told(write, said):
    x = rf.ones(3).requires_grad_()
    y = x * 2
    write(y)
    number = World(y, {"x": x, "y": y}).where("y[1]")
    assert [str(number), str(number.open(0))] == said
