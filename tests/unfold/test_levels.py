"""Every number, value and gradient, opens down to leaves, and each level comes to the engine's number."""

import pytest
from hypothesis import given, settings, strategies as st

import rustyflow as rf
from rustyflow.unfold import World
from tests.unfold.levels import hold
from tests.unfold.programs import PROGRAMS, made


def operations(world):
    return len({source.call.number for source in world.every if source.call})


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_every_number_opens_to_its_leaves(program):
    result, names = made(program)
    world = World(result, names)
    order, placed, inner = hold(world)
    assert placed <= 2 * operations(world) + 2  # down the gradients, then down the values
    assert inner <= 6  # of the parts of one rule
    before = {name: x.grad for name, x in names.items() if x.is_leaf}
    result.backward()
    for name, x in names.items():
        assert before.get(name) is None
        if x.is_leaf and x.requires_grad:
            assert [world.at(x, i, grad=True).value for i in [(0,) * x.dim()]] == [x.grad[(0,) * x.dim()].item()]
    leaves = {number.name.partition("[")[0] for number in order if not number.opens and number.place}
    assert leaves <= {*names, "target", "loss", f"d{world.called(world.source(result))}", "constant"} | {
        f"{name}.grad" for name in names}  # fmt: skip


@pytest.mark.parametrize("program", PROGRAMS[:5], ids=lambda program: program.__name__)
def test_in_float32_every_level_comes_to_the_engines_number_but_for_rounding(program):
    result, names = made(program, rf.float32)
    hold(World(result, names), 1e-4)


STEPS = [
    ("a view", lambda x: x.t()[::2]), ("a sum", lambda x: x.sum(-1, keepdim=True)), ("a mean", lambda x: x.mean(0)),
    ("a product", lambda x: x @ x.t()), ("a softmax", lambda x: x.softmax(-1)), ("an amax", lambda x: x.amax(-1)),
    ("a variance", lambda x: x.var(-1, correction=0)), ("a running sum", lambda x: x.cumsum(0)),
    ("relu", lambda x: x.relu()), ("a part", lambda x: x[..., -1:]), ("itself", lambda x: x * x.flip(0)),
]  # fmt: skip


@settings(max_examples=25)
@given(st.integers(1, 3), st.integers(1, 3), st.sampled_from(["dense", "turned", "sliced", "stretched"]),
       st.lists(st.sampled_from(STEPS), min_size=1, max_size=2), st.integers(0, 5))  # fmt: skip
def test_operations_on_strided_tensors_open_to_their_leaves(rows, columns, laid, steps, seed):
    rf.manual_seed(seed)
    base = {"dense": (rows, columns), "turned": (columns, rows), "sliced": (2 * rows, columns + 1),
            "stretched": (1, columns)}[laid]  # fmt: skip
    x = rf.randn(*base, dtype=rf.float64).requires_grad_()
    y = {"dense": lambda: x, "turned": x.t, "sliced": lambda: x[::2, 1:],
         "stretched": lambda: x.expand(rows, columns)}[laid]()  # fmt: skip
    for _, step in steps:
        y = step(y if y.dim() > 1 else y[None])
    hold(World(y, {"x": x, "y": y}, rf.randn(*y.shape, dtype=rf.float64)), 1e-8)
