"""The provenance of a number in a gradient: the products whose sum it is, at every depth, down to slots."""

import sys
import zlib
from math import fsum

import numpy as np
import pytest

import rustyflow as rf
import rustyflow.nn.functional as f
from rustyflow.autograd import origin, provenance
from rustyflow.backends import use
from rustyflow.ops import OPS
from rustyflow.tensor.table import fill
from tests.autograd.programs import cases
from tests.each import each
from tests.formulas.cases import operand

fill()

ALL = {name: (program, operands) for name, program, operands in cases()}
LAYOUTS = ["dense", "transposed", "sliced"]


def adds_up(found, exactly=False):
    """The terms' products and what is left of them add up to the number, but for the rounding of a sum of so many."""
    products = [t.product for t in found.terms]
    total = fsum([*products, found.rest])
    room = 0 if exactly else 4e-16 * (found.count + 8) * (sum(map(abs, products)) + abs(found.rest) + abs(found.value))
    assert abs(total - found.value) <= room, (total, found.value)
    assert found.count == len(found.terms) or found.rest
    for term in found.terms:
        assert term.product == pytest.approx(term.factor * term.upstream_value, rel=1e-12, abs=1e-300)


@pytest.mark.parametrize("way", ["sending ones", "differentiating"])
@each("name", ALL)
def test_the_terms_of_every_op_add_up(name, way, monkeypatch):
    monkeypatch.setattr(origin, "SMALL", 10**6 if way == "sending ones" else 0)
    program, specs = ALL[name]
    layout = LAYOUTS[zlib.crc32(name.encode()) % 3]
    random = np.random.default_rng(zlib.crc32(name.encode()))
    inputs = [operand(*how, layout, random).detach() for how in specs]
    grads = OPS[name].grads if name in OPS and not OPS[name].vjp else inputs
    leaves = [
        x.requires_grad_() for x, grad in zip(inputs, grads, strict=False) if x.is_floating_point() and grad is not None
    ]
    y = program(*inputs)
    parts = [part for part in (y if isinstance(y, tuple) else (y,)) if part.is_floating_point()]
    total = sum((part * rf.from_numpy(random.uniform(0.5, 2, part.shape))).sum() for part in parts)
    expected = rf.autograd.grad(total, leaves, retain_graph=True, allow_unused=True)
    for x, g in zip(leaves, expected, strict=True):
        if g is None:
            continue
        for _ in range(2):
            index = tuple(int(random.integers(n)) for n in x.shape)
            found = provenance(total, x, index)
            assert found.value == pytest.approx(g[index].item(), rel=1e-12, abs=1e-12)
            adds_up(found)
            for term in found.terms[:2]:
                behind = found.behind(term)
                assert behind.value == pytest.approx(term.upstream_value, rel=1e-12, abs=1e-300)
                adds_up(behind)


def whole(*shape, seed=0):
    """Small whole numbers: their sums and products are exact in any order."""
    return rf.tensor(np.random.default_rng(seed).integers(-3, 4, shape).astype(np.float32))


def network():
    x, w1, b1, w2 = whole(4, 3), whole(3, 5, seed=1), whole(5, seed=2), whole(5, 2, seed=3)
    h = (x @ w1.requires_grad_() + b1.requires_grad_()).relu()
    return (h @ w2.requires_grad_() * whole(4, 2, seed=4)).sum(), [w1, b1, w2]


def windows():
    x, w, b = (
        whole(2, 2, 4, 4).requires_grad_(),
        whole(3, 2, 2, 2, seed=1).requires_grad_(),
        whole(3, seed=2).requires_grad_(),
    )
    return (f.conv2d(x, w, b, stride=2, padding=1).relu() * whole(3, 1, 1, seed=3)).sum(), [x, w, b]


def parts():
    x, v = whole(4, 4).requires_grad_(), whole(4, seed=1).requires_grad_()
    y = x * v
    z = rf.cat([y.t()[1:], y[[0, 0, 2]] * 2]).cumsum(0).reshape(2, -1)
    return (z.mean(0) * 8).amax() + (y.unfold(1, 2, 1) * whole(2, seed=5)).sum() + y.sort(1).values[:, 0].sum(), [x, v]


@pytest.mark.parametrize("program", [network, windows, parts])
def test_whole_numbers_add_up_exactly_at_every_depth(program):
    y, leaves = program()
    grads = rf.autograd.grad(y, leaves, retain_graph=True)
    for x, g in zip(leaves, grads, strict=True):
        for index in np.ndindex(*x.shape):
            found = provenance(y, x, index)
            assert found.value == g[index].item()
            waiting = [found]
            while waiting:
                for p in waiting:
                    if p.tracer.seeded(p.history):
                        assert not p.terms and p.value == 1
                    else:
                        adds_up(p, exactly=True)
                waiting = [p.behind(term) for p in waiting for term in p.terms[:2]][:8]


def test_every_path_from_a_weight_to_the_result_is_a_product_in_its_gradient():
    y, (w1, _, _) = network()

    def paths(p):
        return (
            [1.0] if p.tracer.seeded(p.history) else [t.factor * rest for t in p.terms for rest in paths(p.behind(t))]
        )

    for index in np.ndindex(3, 5):
        found = provenance(y, w1, index)
        assert fsum(paths(found)) == found.value


def test_many_terms_are_counted_and_summed_beyond_those_listed():
    a, b = rf.arange(6000.0).view(3, 2000), rf.tensor([2.0], requires_grad=True)
    found = provenance((a * b).sum(), b, (0,), most=10)
    assert (found.count, len(found.terms), found.value) == (5999, 10, 6000 * 5999 / 2)  # 0 is no product
    assert found.reads(found.terms[0]) == [("a", (0, 1), 1.0, 1)]
    adds_up(found, exactly=True)
    assert str(found).startswith("grad[0] = 1 * 1 + 2 * 1 + ") and str(found).endswith(
        "5989 more, 1.79969e+07 = 1.7997e+07"
    )


@pytest.mark.parametrize("stretched", [True, False])
def test_many_terms_take_no_call_each(stretched):
    a = rf.ones(300, 1000) if stretched else rf.ones(300_000, 1)
    b, calls = rf.tensor([[2.0]], requires_grad=True), []
    y = (a * b if stretched else a @ b).sum()
    sys.setprofile(lambda frame, event, arg: calls.append(event) if event == "call" else None)
    try:
        found = provenance(y, b, (0, 0), most=5)
    finally:
        sys.setprofile(None)
    assert found.count == found.value == 300_000 and len(found.terms) == 5 and found.rest == 299_995
    assert len(calls) < 10_000


def test_provenance_is_the_same_under_the_loops_backend():
    told = []
    for name in ("numpy", "loops"):
        with use(name):
            x, w = rf.arange(12.0).view(3, 4), rf.ones(4, 2, requires_grad=True)
            y = f.cross_entropy(x @ w * rf.tensor([1.0, 2.0]), rf.tensor([0, 1, 0]))
            found = provenance(y, w, (1, 1))
            told.append((str(found), found.reads(found.terms[0]), str(found.behind(found.terms[0]))))
    assert told[0] == told[1]


def test_a_layer_of_any_size_is_traced_to_its_slots():
    x, w = rf.randn(32, 300), (rf.randn(300, 64) / 20).requires_grad_()
    y = (x.t().contiguous().t() @ w).tanh().sum()
    found = provenance(y, w, (7, 5))
    assert found.count == 32 and found.slot == 7 * 64 + 5
    term = found.terms[3]
    (read,) = found.reads(term)
    assert (read[1], read[2], read[3]) == ((3, 7), x[3, 7].item(), 7 * 32 + 3)  # of the transposed copy's own storage
    behind = found.behind(term)
    (step,) = behind.terms
    ((name, at, value, slot),) = behind.reads(step)
    assert (name, at, slot) == ("y", (3, 5), 3 * 64 + 5) and step.factor == pytest.approx(1 - value * value, abs=1e-6)


def test_softmax_by_hand():
    x = rf.tensor([0.0, 0.0], dtype=rf.float64, requires_grad=True)
    found = provenance((x.softmax(0) * rf.tensor([3.0, 1.0], dtype=rf.float64)).sum(), x, (0,))
    assert [(t.factor, t.upstream_value) for t in found.terms] == [(0.25, 3.0), (-0.25, 1.0)] and found.value == 0.5
    assert found.reads(found.terms[1]) == [("y", (0,), 0.5, 0), ("y", (1,), 0.5, 1)]


def test_provenance_goes_down_to_the_storage_slots():
    base = rf.arange(12.0, dtype=rf.float64).view(3, 4)
    b = base.t()[1]  # offset 1, stride 4
    a = rf.tensor([2.0, 2.0, 2.0], dtype=rf.float64, requires_grad=True)
    found = provenance((a * b).sum(), a, (2,))
    (term,) = found.terms
    assert found.slot == 2 and found.reads(term) == [("b", (2,), 9.0, 9)]
    assert (term.factor, term.upstream_value, str(found)) == (9.0, 1.0, "grad[2] = 9 * 1 = 9")


def test_the_seed_and_a_factor_of_0_are_told_apart():
    x = rf.ones(2, requires_grad=True)
    y = (x * 0).sum()
    assert str(provenance(y, y)) == "grad[] = the seed = 1"
    assert str(provenance(y, x, (0,))) == "grad[0] = no product = 0"


def test_behind_a_result_that_nobody_used_is_a_gradient_of_0():
    x = rf.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    left, _ = x.split(1, 1)
    found = provenance(left.sum(), x, (0, 1))
    (term,) = found.terms
    assert str(found.behind(term)) == "grad[0, 0] = no product = 0"


def test_the_number_is_the_gradient_s_own_where_dtypes_mix():
    x = rf.tensor([3.0], requires_grad=True)
    y = (x * rf.tensor([0.1], dtype=rf.float64)).sum()
    y.backward(retain_graph=True)
    assert provenance(y, x, (0,)).value == x.grad.item()


def test_provenance_names_what_is_wrong():
    x, z = rf.ones(2, requires_grad=True), rf.ones(2, requires_grad=True)
    with pytest.raises(IndexError):
        provenance(x.sum(), x, (5,))
    for stranger in (z, rf.ones(2)):
        with pytest.raises(RuntimeError, match="no gradient of y reaches"):
            provenance(x.sum(), stranger, (0,))


@pytest.mark.parametrize("size", [2, 1000])
def test_provenance_goes_through_functions_of_the_users_own(size):
    class Double(rf.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            return g * 2

    class Outside(Double):
        @staticmethod
        def backward(ctx, g):
            return rf.from_numpy(g.detach().numpy() * 2)

    for made in (Double, Outside):
        x = rf.ones(size, requires_grad=True)
        assert str(provenance((made.apply(x) * 5).sum(), x, (1,))) == "grad[1] = 2 * 5 = 10"


def test_a_factor_that_is_no_number_is_read_from_nowhere():
    class Root(rf.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x.sqrt()

        @staticmethod
        def backward(ctx, g):
            return g / (2 * ctx.saved_tensors[0].sqrt())

    x = rf.tensor([-1.0], requires_grad=True)
    for y in (x.sqrt().sum(), Root.apply(x).sum()):
        found = rf.autograd.provenance(y, x, (0,))
        assert [found.reads(term) for term in found.terms] == [[]]


def test_infinities_of_both_signs_add_up_to_no_number():
    x, w = rf.tensor([1.0], requires_grad=True), rf.tensor([1.0] * 20 + [float("inf"), -float("inf")])
    found = rf.autograd.provenance((x * w).sum(), x, (0,))
    assert str(found).endswith("more, nan = nan") and found.value != found.value


INF, NAN = float("inf"), float("nan")


@pytest.mark.parametrize("program, numbers, said", [
    (lambda a: a.log().sum(), [0.0, -1.0], ["inf * 1 = inf", "-1 * 1 = -1"]),
    (lambda a: (1 / a).sum(), [0.0, 2.0], ["-inf * 1 = -inf", "-0.25 * 1 = -0.25"]),
    (lambda a: rf.tensor([[1.0, NAN], [INF, 4.0]]).mv(a).sum(), [1.0, 1.0],
     ["1 * 1 + inf * 1 = inf", "nan * 1 + 4 * 1 = nan"]),
    (lambda a: (a[:, None] * rf.tensor([[1.0, INF], [2.0, 4.0]])).sum(), [1.0, 1.0],
     ["1 * inf = inf", "1 * 6 = 6"]),
    (lambda a: a.rsqrt().cumsum(0).sum(), [0.0, 4.0], ["-inf * 2 = -inf", "-0.0625 * 1 = -0.0625"]),
    (lambda a: a.prod(), [INF, 0.0], ["no product = 0", "inf * 1 = inf"]),
])  # fmt: skip
def test_what_is_not_finite_is_made_of_what_was_read(program, numbers, said):
    a = rf.tensor(numbers, requires_grad=True)
    y = program(a)
    found = [str(rf.autograd.provenance(y, a, (k,))).partition(" = ")[2] for k in range(2)]
    assert found == said
    y.backward()
    shown = [words.rpartition(" = ")[2] for words in found]
    assert shown == [f"{number:g}" for number in a.grad.tolist()]
