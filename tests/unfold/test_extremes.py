"""Numbers at the ends of floats: too large, of two sizes, -0.0 and nan."""

import pytest

import rustyflow as rf
from rustyflow.unfold import World

NAN = float("nan")


def sides(*numbers):
    x = rf.tensor(numbers, requires_grad=True)
    return x, x.logsumexp(0)


@pytest.mark.parametrize("numbers, sign", [
    ((100.0, -100.0), "≈ 2.69e43"), ((50.0, -50.0), "≈ 5.18e21"), ((0.0, 0.0), "= 2"),
])
def test_a_part_of_terms_of_two_sizes_is_no_rounding(numbers, sign):
    x, y = sides(*numbers)
    total = World(y, {"x": x}).at(y).parts[0]
    assert str(total).endswith(f"exp({numbers[0]:g}) + exp({numbers[1]:g}) {sign}")


OVERFLOWS = [
    (lambda x: x.prod(), "prod", "= 1e30·1e30 ≈ 1e60, which overflows to inf"),
    (lambda x: (x * -x).sum(), "mul[0]", "= 1e30·(-1e30) ≈ -1e60, which overflows to -inf"),
    (lambda x: (x.half() * 2).sum(), "mul[0]", "= inf·2 = inf"),
    (lambda x: x.prod(), "x.grad[0]", "= 1·(inf / 1e30) = inf"),
]


@pytest.mark.parametrize("make, what, said", OVERFLOWS)
def test_what_overflows_is_called_so(make, what, said):
    x = rf.tensor([1e30, 1e30], requires_grad=True)
    assert str(World(make(x), {"x": x}).where(what)).endswith(said)


@pytest.mark.parametrize("make, said", [
    (lambda x: 1 / x, "reciprocal = 1 / x\n  = 1 / (-0) = -inf"),
    (lambda x: rf.atan2(x, rf.tensor(-1.0)) + 1, "atan2 = atan2(x, -1)\n  = atan2(-0, -1) ≈ -3.14"),
    (lambda x: x.sqrt() * 1, "sqrt = sqrt(x)\n  = sqrt(-0) = -0"),
])
def test_a_zero_with_a_sign_is_written_with_it(make, said):
    x = rf.tensor(-0.0, requires_grad=True)
    y = make(x)
    assert str(World(y, {"x": x}).at(y).open(0)) == said


@pytest.mark.parametrize("make, reasons", [
    (lambda x: x.max(), ["x[0, 0] is nan", "x[0, 1] is not nan", "x[1, 0] is not nan"]),
    (lambda x: x.min(1)[0].sum(), ["x[0, 0] is nan", "x[0, 1] is not nan", "x[1, 0] is not the smallest"]),
    (lambda x: x.median(), ["x[0, 0] is nan", "x[0, 1] is not nan", "x[1, 0] is not nan"]),
    (lambda x: x.nanmedian(), ["x[0, 0] is not the middle one", "x[0, 1] is not the middle one"]),
])
def test_what_is_taken_as_it_is_nan_is_not_called_the_largest(make, reasons):
    x = rf.tensor([[NAN, 1.0], [3.0, 2.0]], requires_grad=True)
    world = World(make(x), {"x": x})
    told = [str(world.at(x, (k // 2, k % 2), grad=True)).partition(", as ")[2] for k in range(len(reasons))]
    assert told == reasons
