"""Large programs: nothing is read, worked out or written but what is asked for."""

import pytest

import rustyflow as rf
from rustyflow.unfold import World
from tests.unfold.levels import refused


def chain(steps):
    a = y = rf.tensor([0.3, 0.5], requires_grad=True)
    for _ in range(steps):
        y = (y * 0.999).sin()
    return y.sum(), dict(a=a, y=y)


def test_of_a_long_chain_no_more_is_read_than_is_opened():
    loss, names = chain(10_000)
    world = World(loss, names)
    number = world.where("y[0]")
    assert str(number).startswith("y[0] = sin(mul%-2[0])\n") and len(world._calls) <= 3
    assert number.open().open().name == "sin%-3[0]" and world.where("sin%-3[0]") is number.open().open()
    assert len(world._calls) <= 4
    assert world.where("a.grad[0]").open().name == "d(mul%-20000)[0]"
    assert world.where("d(sin%-5)[1]").place.grad and len(world._calls) <= 10
    with refused(ValueError, "where('q[0]')", "there are a, y"):
        world.where("q[0]")


def test_a_long_chain_opens_down_to_its_leaf():
    loss, names = chain(700)
    assert [number.name for number in World(loss, names).where("y[1]").leaves] == ["a[1]"]


def test_doublings_have_as_many_numbers_as_operations():
    a = x = rf.tensor([1.0, 2.0], requires_grad=True)
    for _ in range(40):
        x = x + x
    number = World(x.sum(), {"a": a}).where("a.grad[0]")
    assert number.value == 2.0**40 and [leaf.value for leaf in number.leaves] == [1]
    many, waiting = set(), [number]
    while waiting:
        many.add(at := waiting.pop())
        waiting += [part for part in at.parts if part not in many]
    assert len(many) <= 90


def test_of_a_wide_layer_one_cell_is_told():
    rf.manual_seed(0)
    x, w = rf.randn(8, 784), rf.randn(784, 128).requires_grad_()
    y = x @ w
    h = y.relu()
    world = World(h.sum(), {"x": x, "w": w, "y": y, "h": h})
    number = world.where("y[3, 5]")
    assert len(number.parts) == 2 * 784 and number.open("w[783, 5]").value == w[783, 5].item()
    assert number.letters.endswith(" + ... + x[3, 783]·w[783, 5]") and number.value == pytest.approx(y[3, 5].item())
    assert {part.name for part in world.where("w.grad[100, 7]").parts} == {
        f"{name}[{n}, {k}]" for n in range(8) for name, k in (("x", 100), ("dy", 7))}  # fmt: skip
    assert len(world._numbers) < 2000


def test_results_too_large_to_keep_are_worked_out_again_once():
    rf.manual_seed(0)
    x = rf.randn(9, 9).requires_grad_()
    y = ((x * 2).sin() + 1).exp() * 3
    loss = y.sum()
    del y
    world = World(loss, {"x": x})
    number = world.where("sum")
    for _ in range(5):
        number = number.open()
    assert number.name == "mul%2[0, 0]" and number.value == pytest.approx(2 * x[0, 0].item())
    again = world.values.again
    assert 0 < again <= 5
    world.where("sum").open(80).open().open().open().open()
    assert world.values.again == again
