"""The level of a number, as it is said."""

import pytest

import rustyflow as rf
import rustyflow.nn.functional as F
from rustyflow.unfold import Number, Piece, Place, World
from tests.unfold.levels import refused


class Cube(rf.autograd.Function):
    """x cubed, times a number."""

    @staticmethod
    def forward(ctx, x, k):
        ctx.save_for_backward(x)
        ctx.k = k
        return x**3 * k

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * 3 * x**2 * ctx.k, None


def tracked(*numbers):
    return rf.tensor(numbers, requires_grad=True)


def fan_out():
    a = tracked(2.0, 3.0)
    y = a * a + a
    return y.sum(), dict(a=a, y=y)


def wide():
    x, w = rf.ones(1, 20) / 2, rf.ones(20, 1).requires_grad_()
    y = x @ w
    return y.sum(), dict(x=x, w=w, y=y)


def readers():
    a = tracked(1.0)
    y = sum((a * k).exp() for k in range(1, 14))
    return y, dict(a=a, y=y)


def masked():
    x, future = tracked(1.0, 2.0), rf.tensor([False, True])
    y = x.masked_fill(future, 0.0)
    return (y * y).sum(), dict(x=x, y=y, future=future)


def largest():
    x = tracked(1.0, 3.0, 3.0)
    m = x.amax()
    return m * m, dict(x=x, m=m)


def relu():
    x = tracked(-1.0, 2.0)
    h = x.relu()
    return h.sum(), dict(x=x, h=h)


def picked():
    x = rf.tensor([[1.0, 5.0], [4.0, 2.0]], requires_grad=True)
    m, _ = x.max(1)
    return m.sum(), dict(x=x, m=m)


def read():
    x, index = tracked(1.0, 2.0, 3.0), rf.tensor([0, 0])
    y = x[index]
    return (y * y).sum(), dict(x=x, y=y, index=index)


def own():
    x = tracked(2.0, 3.0)
    y = Cube.apply(x, 2.0)
    return y.sum(), dict(x=x, y=y)


def composed():
    x = rf.arange(4.0).view(1, 4, 1, 1).requires_grad_()
    y = F.pixel_shuffle(x, 2)
    return (y * y).sum(), dict(x=x, y=y)


def hooked():
    x = tracked(2.0, 3.0)
    y = x * 3
    y.register_hook(lambda g: g * 10)
    return (y * y).sum(), dict(x=x, y=y)


def hooked_node():
    x = tracked(2.0, 3.0)
    y = x.exp()
    y.grad_fn.register_hook(lambda given, arrived: (given[0] * 5,))
    return y.sum(), dict(x=x, y=y)


def written_part():
    x = rf.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    y = x * 2
    t = y[1]
    t.mul_(x[0])
    return (y * y).sum(), dict(x=x, y=y, t=t)


def written_over():
    x = tracked(2.0, 3.0)
    y = x * 3
    y.mul_(2)
    y.add_(1)
    return (y * y).sum(), dict(x=x, y=y)


def written_leaf():
    x = tracked(2.0, 3.0)
    y = x * 3
    loss = (y * y).sum()
    with rf.no_grad():
        x.add_(1)
    return loss, dict(x=x, y=y)


def drawn():
    x = tracked(0.5, 0.5)
    z = rf.bernoulli(x * 1)
    return (z * x).sum(), dict(x=x, z=z)


def apart():
    x = tracked(1.0, 2.0)
    with rf.no_grad():
        h = x * 2
    return (h * x).sum(), dict(x=x, h=h)


def not_a_number():
    x = tracked(1.0, -1.0)
    y = x.log()
    return (y * 2).sum(), dict(x=x, y=y)


def overflow():
    x = tracked(1000.0, 0.0)
    p = x.softmax(0)
    return (p * p).sum(), dict(x=x, p=p)


def padded():
    x = tracked(1.0, 2.0)
    y = F.pad(x, (1, 0), value=3.0)
    return y.sum(), dict(x=x, y=y)


def softmax():
    x, s = tracked(0.0, 0.0), tracked(1.0)
    p = x.softmax(0) * s
    return p.sum(), dict(x=x, s=s, p=p)


def rounding():
    x = rf.tensor([0.3, 0.1, 0.7], requires_grad=True)
    y = x - x.mean()
    return (y * y).sum(), dict(x=x, y=y)


SAID = [
    (fan_out, "a.grad[1]", "a.grad[1] = dmul[1]·a[1] + dmul[1]·a[1] + dy[1]\n  = 1·3 + 1·3 + 1 = 7"),
    (fan_out, "y[1]", "y[1] = mul[1] + a[1]\n  = 9 + 3 = 12"),
    (fan_out, "dsum", "dsum = 1, where backward begins"),
    (fan_out, "dy[0]", "dy[0] = dsum = 1, which sum hands on"),
    (wide, "y[0, 0]", "y[0, 0] = x[0, 0]·w[0, 0] + x[0, 1]·w[1, 0] + x[0, 2]·w[2, 0] + x[0, 3]·w[3, 0] + ... + "
                      "x[0, 19]·w[19, 0]\n  = 0.5·1 + 0.5·1 + 0.5·1 + 0.5·1 + ... + 0.5·1 = 10"),
    (masked, "y[1]", "y[1] = 0, as future[1] is True"),
    (masked, "x.grad[1]", "x.grad[1] = 0, as future[1] is True"),
    (largest, "x.grad[0]", "x.grad[0] = 0, as x[0] is not the largest"),
    (largest, "x.grad[2]", "x.grad[2] = dm / 2\n  = 6 / 2 = 3"),
    (relu, "x.grad[0]", "x.grad[0] = 0, as h[0] <= 0"),
    (picked, "x.grad[1, 1]", "x.grad[1, 1] = 0, as x[1, 1] is not the largest"),
    (read, "x.grad[0]", "x.grad[0] = dy[0] + dy[1]\n  = 2 + 2 = 4"),
    (read, "x.grad[2]", "x.grad[2] = 0, as no cell of y reads x[2]"),
    (padded, "y[0]", "y[0] = 3, which pad puts there"),
    (padded, "y[2]", "y[2] = x[1] = 2"),
    (own, "y[1]", "y[1] = y.pow[1]·2\n  = 27·2 = 54"),
    (own, "x.grad[1]", "x.grad[1] = y.backward.mul2[1]·2\n  = 27·2 = 54"),
    (composed, "y[0, 0, 1, 0]", "y[0, 0, 1, 0] = y.view2[0, 0, 1, 0] = 2"),
    (composed, "x.grad[0, 3, 0, 0]", "x.grad[0, 3, 0, 0] = d(y.view1)[0, 0, 1, 1, 0, 0] = 6, which view hands on"),
    (hooked, "dy[0]", "dy[0] = hook(dy[0] as it came)\n  = hook(12) = 120"),
    (hooked_node, "x.grad[0]", "x.grad[0] ≈ 36.9, which a hook on exp may have put in its place"),
    (written_part, "y[1, 1]", "y[1, 1] = mul%5[1] = 16"),
    (written_part, "x.grad[1, 1]", "x.grad[1, 1] = d(mul%2)[1, 1]·2\n  = 64·2 = 128"),
    (written_over, "y[0]", "y[0] = mul%3[0] + 1\n  = 12 + 1 = 13"),
    (written_over, "mul%3[0]", "mul%3[0] = mul%2[0]·2\n  = 6·2 = 12"),
    (written_leaf, "y[1]", "y[1] = 9, but x was written over since, by add_"),
    (drawn, "x.grad[0]", None),
    (apart, "x.grad[1]", "x.grad[1] = dmul[1]·h[1]\n  = 1·4 = 4"),
    (apart, "h[1]", "h[1] = 4"),
    (not_a_number, "sum", "sum = mul[0] + mul[1], nan since y[1]\n  = 0 + nan = nan"),
    (not_a_number, "y[1]", "y[1] = log(x[1]), where nan arises\n  = log(-1) = nan"),
    (overflow, "p[0]", "p[0] = t[0] / total, worked out so that exp cannot overflow\n  = 1 / 1 = 1"),
]  # fmt: skip


@pytest.mark.parametrize("program, what, said", SAID, ids=lambda x: getattr(x, "__name__", None))
def test_a_number_says_its_level(program, what, said):
    result, names = program()
    number = World(result, names).where(what)
    assert said is None or str(number) == said
    assert number.name == what


def test_what_was_drawn_is_said_and_nothing_is_drawn_again():
    result, names = drawn()
    before = rf.get_rng_state().tolist()
    number = World(result, names).where("z[0]")
    assert str(number) == f"z[0] = {number.value:g}, which bernoulli drew at random"
    assert rf.get_rng_state().tolist() == before


def test_a_number_is_made_once_and_has_all_parts():
    result, names = wide()
    world = World(result, names)
    number = world.where("y[0, 0]")
    assert number is world.at(names["y"], (0, 0)) and number is world.where(names["y"], [0, -1])
    assert world.where("dy[0, 0]").open("dsum") is world.where("dsum") is world.at(result, (), grad=True)
    assert len(number.parts) == 40 and number.open(-1).name == "w[19, 0]" and number.open("x[0, 7]").value == 0.5
    assert {part.name[0] for part in number.leaves} == {"x", "w"} and not number.open(0).opens
    piece = number.pieces[0]
    assert isinstance(piece, Piece) and (piece.number, *piece[1:]) == (number.open("x[0, 0]"), "x[0, 0]", "0.5")
    assert number.place == Place(world.key(names["y"]), (0, 0), False) and isinstance(number, Number)
    with refused(ValueError, "open('q')", "it is made of x[0, 0], w[0, 0]"):
        number.open("q")
    for which in (0, "q", None):
        with refused(ValueError, f"open({which!r})", "x[0, 0] is a number that opens no further", "0.5: number.value"):
            number.open(0).open(which)
    with refused(ValueError, "open(None)", "it is made of x[0, 0], w[0, 0]"):
        number.open(None)


def test_more_than_twelve_readers_are_a_share_each():
    result, names = readers()
    number = World(result, names).where("a.grad[0]")
    assert len(number.parts) == 13 and all(part.brief.startswith("(through mul") for part in number.parts)
    assert str(number.parts[4]).startswith("a.grad[0] through mul") and "·5\n" in str(number.parts[4])
    assert number.value == pytest.approx(sum(part.value for part in number.parts))


def test_a_part_that_has_a_readers_name_says_whose_it_is():
    result, names = softmax()
    number = World(result, names).where("softmax[0]")
    assert str(number) == "softmax[0] = e[0] / softmax.s\n  = 1 / 2 = 0.5"
    assert str(number.open(1)) == "softmax.s = e[0] + e[1]\n  = 1 + 1 = 2" and number.open(1).place is None


def test_the_form_in_which_an_op_works_is_one_press_further():
    result, names = softmax()
    number = World(result, names).where("softmax[0]")
    assert number.form.note == "worked out so that exp cannot overflow" and number.form.value == number.value
    assert World(*overflow()).where("p[0]").form is None and World(*fan_out()).where("y[0]").form is None


def test_what_rounding_leaves_is_called_so():
    result, names = rounding()
    world = World(result, names)
    text = str(world.where("x.grad[0]").parts[-1]) + str(world.where("dmean"))
    assert "which rounding has made" in text or "e-" not in text


def test_no_backward_is_asked_for_and_none_is_made():
    result, names = fan_out()
    world = World(result, names)
    assert world.where("a.grad[0]").value == 5 and names["a"].grad is None
    result.backward()
    assert world.where("a.grad[0]").value == 5 and str(world.where("y[1]")).startswith("y[1] = mul[1]")
    again = World(result, names)
    assert again.where("y[0]").value == 6
    with refused(RuntimeError, "backward through", "a second time", "retain_graph=True"):
        again.where("a.grad[0]")
    assert names["a"].grad.tolist() == [5, 7]


def test_names_that_are_not_there_are_refused_with_those_that_are():
    result, names = fan_out()
    world = World(result, names)
    for what in ("q[0]", "q.grad[0]", "dq", "", "a[x]", "a.grad.grad[0]"):
        with refused(ValueError, f"where({what!r})", "there are a, a.grad, mul, dmul, y, dy, sum, dsum"):
            world.where(what)
    for what in ("a[2]", "a", "a[0, 0]", "a[-3]"):
        with refused(IndexError, "of shape (2,)", "a cell has one index for each axis", "a[0]"):
            world.where(what)
    with refused(TypeError, "a number is one of a tensor's"):
        world.at(3)
    with refused(TypeError, "World(int)", "behind tensors"):
        World(3)
    with refused(ValueError, "World(())", "World((y, z))"):
        World(())
    for other in (rf.ones(2), tracked(1.0, 2.0), tracked(1.0, 2.0) * 2):
        with refused(ValueError, "a tensor of shape (2,)", "behind the result; there are a, a.grad", "where('sum')"):
            world.where(other, 0)
    with refused(RuntimeError, "scalar outputs", "upstream"):
        World(names["y"], names).where("a.grad[0]")
    assert World(names["y"], names, rf.tensor([1.0, 10.0])).where("a.grad[1]").value == 70
    with refused(ValueError, "the gradient of b", "backward sends nothing there"):
        World((names["a"] * rf.ones(2)).sum(), {"b": (b := rf.ones(2)), **names}).at(b, 0, grad=True)


def test_several_results_have_one_world():
    x = tracked(1.0, 2.0)
    y, z = x * 2, x.exp().sum()
    world = World((y, z), {"x": x, "y": y, "z": z}, (rf.tensor([1.0, 3.0]), None))
    assert str(world.where("x.grad[1]")) == "x.grad[1] = dy[1]·2 + dexp[1]·exp[1]\n  = 3·2 + 1·7.39 ≈ 13.4"


def test_a_tensor_is_found_by_each_of_its_names():
    result, names = fan_out()
    world = World(result, {**names, "b": names["a"], "again": names["y"], "other": rf.ones(2)})
    assert world.where("b.grad[1]") is world.where("a.grad[1]") and world.where("again[0]") is world.where("y[0]")
    with refused(ValueError, "where('other[0]')", "there are a, a.grad"):
        world.where("other[0]")
