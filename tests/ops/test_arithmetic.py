"""Elementwise ops: values, dtypes, shapes and gradients as PyTorch's over any layout.

And by hand the cases that are easy to get wrong.
"""

import warnings

import numpy as np
import pytest
from hypothesis import assume, given, settings, strategies as st

import rustyflow as rf
from rustyflow.autograd import gradcheck, gradgradcheck
from rustyflow.errors import TensorError

from .beside_torch import agree, laid

UNARY = ("neg abs sign square sqrt rsqrt reciprocal exp exp2 expm1 log log2 log10 log1p sin cos tan asin acos atan "
         "sinh cosh tanh asinh acosh atanh sigmoid "
         "erf erfc floor ceil trunc frac round relu nan_to_num isnan isinf isfinite logical_not").split()
BINARY = ("add sub mul div floor_divide remainder fmod pow atan2 hypot maximum minimum logaddexp xlogy float_power "
          "eq ne lt le gt ge logical_and logical_xor").split()
ONES_AND_THREES = st.sampled_from((1, 3))  # any two such shapes broadcast
DTYPES = st.sampled_from(("float64", "float32", "int64", "int32", "uint8", "bool"))


@settings(max_examples=60)
@given(st.sampled_from(UNARY),
       laid(dtypes=st.sampled_from(("float64", "float64", "float32", "int64", "uint8", "bool"))))
def test_one_operand(name, x):
    agree(lambda torch, a: getattr(torch, name)(a), x, copies=True)


@settings(max_examples=80)
@given(st.sampled_from(BINARY), laid(sizes=ONES_AND_THREES), laid(sizes=ONES_AND_THREES))
def test_two_operands_broadcast(name, x, y):
    def call(torch, a, b):
        out = getattr(torch, name)(a, b)
        return out.detach() if name == "floor_divide" else out
    agree(call, x, y)


@settings(max_examples=80)
@given(st.sampled_from("add sub mul div remainder pow maximum eq where".split()),
       laid(sizes=ONES_AND_THREES, dtypes=DTYPES), laid(sizes=ONES_AND_THREES, dtypes=DTYPES))
def test_promotion_of_two_tensors(name, x, y):
    def call(torch, a, b):
        if name == "where":
            return torch.where(a > b, a, b)
        return getattr(torch, name)(a, b if name not in ("remainder", "pow") else b * b + 1)
    agree(call, x, y)


@settings(max_examples=60)
@given(st.sampled_from("+ - * / // % ** < == & | ^ << >>".split()), laid(rank=st.integers(0, 1), dtypes=DTYPES),
       st.sampled_from((2, 3, True, 1.5, -2, 300)), st.booleans())
def test_operators_with_python_numbers(symbol, x, number, reflected):
    assume(symbol != "**" or number != 300)  # PyTorch turns down an exponent that the dtype cannot hold
    source = f"number {symbol} a" if reflected else f"a {symbol} number"
    agree(lambda torch, a: eval(source, {"a": a.detach(), "number": number}), x)


@settings(max_examples=40)
@given(st.sampled_from(("add_ sub_ mul_ div_ pow_ clamp_ lerp_ exp_ sqrt_ relu_ remainder_ eq_ fill_ copy_ "
                        "addcmul_").split()),
       laid(expands=False), laid(sizes=ONES_AND_THREES), st.booleans())
def test_in_place_forms_write_and_differentiate(name, x, y, first):
    def call(torch, a, b):
        a, b = a.clone() * 1, b if first else b * 2
        kept = a * 3
        others = {"clamp_": (-1, 1), "lerp_": (b, 0.25), "addcmul_": (b, b), "fill_": (0.5,), "pow_": (2,)}.get(name,
                                                                                                                (b,))
        others = () if name in ("exp_", "sqrt_", "relu_") else others
        assert getattr(a, name)(*others) is a
        return a * 2, kept
    agree(call, x, y)


@pytest.mark.parametrize("call", [
    lambda x, y: rf.add(x, y, alpha=3), lambda x, y: rf.sub(x, y, alpha=-2), lambda x, y: x / y,
    lambda x, y: x**y, lambda x, y: x**3, lambda x, y: 2**x, lambda x, y: x % y,
    lambda x, y: rf.addcmul(x, x, y, value=0.5), lambda x, y: rf.addcdiv(x, x, y, value=2),
    lambda x, y: rf.lerp(x, y, x), lambda x, y: rf.hypot(x, y), lambda x, y: rf.logaddexp(x, y),
    lambda x, y: rf.xlogy(x, y), lambda x, y: rf.atan2(x, y), lambda x, y: rf.where(x > y, x * y, y),
    lambda x, y: rf.maximum(x, y), lambda x, y: rf.clamp(x, 0.4, 0.8), lambda x, y: rf.erf(x) * rf.erfc(y),
    lambda x, y: x.tan() + y.asinh(), lambda x, y: x.asin() * (y + 1).acosh(), lambda x, y: x.atanh() * y.sigmoid(),
    lambda x, y: x.rsqrt() - y.reciprocal(), lambda x, y: x.expm1() * y.log2(), lambda x, y: x.exp2() / y.log10(),
    lambda x, y: x.cosh() * y.sinh(),
])
def test_first_and_second_derivatives_against_finite_differences(call):
    numbers = np.random.default_rng(0).uniform(0.2, 0.95, (2, 3, 4))
    x = rf.from_numpy(numbers[0].copy()).requires_grad_()
    y = rf.from_numpy(numbers[1, :1].copy() + 0.02).requires_grad_()
    assert gradcheck(lambda x, y: call(x[:, 1:3], y[:, 1:3].expand(3, 2)), (x, y))
    assert gradgradcheck(lambda x, y: call(x[:2, 1::2], y[:, 1::2]), (x, y))


# Worked by hand

def test_whole_numbers_wrap_around():
    assert (rf.tensor([200, 100], dtype=rf.uint8) + 100).tolist() == [44, 200]
    assert (rf.tensor([100], dtype=rf.int8) * 2).tolist() == [-56]
    assert (rf.tensor([3], dtype=rf.uint8) + 300).tolist() == [47]
    assert (-rf.tensor([1], dtype=rf.uint8)).tolist() == [255]
    assert rf.tensor(5, dtype=rf.int8).mul_(rf.tensor(300, dtype=rf.int32)).item() == -36


def test_three_divisions():
    x = rf.tensor([7, -7])
    assert (x / 2).tolist() == [3.5, -3.5] and (x // 2).tolist() == [3, -4]
    assert rf.div(x, 2, rounding_mode="trunc").tolist() == [3, -3]
    assert (x % 3).tolist() == [1, 2] and rf.fmod(x, 3).tolist() == [1, -1]
    assert (7 // rf.tensor([2.0, -2.0])).tolist() == [3, -4]


@pytest.mark.parametrize("call", [lambda x: x // 0, lambda x: x % 0, lambda x: rf.fmod(x, 0),
                                  lambda x: rf.div(x, 0, rounding_mode="trunc")])
def test_whole_numbers_divided_by_zero_are_an_error_and_floats_are_not(call):
    with pytest.raises(RuntimeError, match="ZeroDivisionError"):
        call(rf.tensor([1, 2]))
    assert not call(rf.tensor([1.0, 2.0])).isfinite().any()


def test_powers_at_their_edges():
    assert (rf.tensor([0.0, 0.0, 2.0]) ** rf.tensor([0.0, 2.0, -1.0])).tolist() == [1, 0, 0.5]
    assert (rf.tensor([2, 1, -1, -1]) ** rf.tensor([-1, -3, -3, -2])).tolist() == [0, 1, -1, 1]
    with pytest.raises(RuntimeError, match="negative integer powers"):
        rf.tensor([2]) ** -1
    x = rf.tensor([0.0, -2.0], requires_grad=True)
    ((x**0).sum() + (x**2).sum() + (x**1).sum()).backward()
    assert x.grad.tolist() == [1, -3]


@pytest.mark.parametrize("run, derivatives", [(lambda x: x**3, [12, 12, 6, 0]), (rf.square, [4, 2, 0]),
                                              (lambda x: x**1, [1, 0])])
def test_a_power_has_derivatives_down_to_zero(run, derivatives):
    x = rf.tensor(2.0, requires_grad=True)
    y = run(x)
    for slope in derivatives:
        y, = rf.autograd.grad(y, x, create_graph=True)
        assert y.item() == slope
    assert not y.requires_grad


def test_ties_share_and_bounds_keep_the_gradient():
    x, y = (rf.tensor([1.0, 2.0], requires_grad=True) for _ in range(2))
    rf.maximum(x, y).sum().backward()
    assert x.grad.tolist() == y.grad.tolist() == [0.5, 0.5]
    z = rf.tensor([-1.0, 0.0, 1.0, 2.0], requires_grad=True)
    z.clamp(-1, 1).sum().backward()
    assert z.grad.tolist() == [1, 1, 1, 0]


def test_a_gradient_compares_whole_numbers_in_the_dtype_that_the_operation_did():
    x = rf.tensor(2.0**24, requires_grad=True)
    rf.maximum(x, rf.tensor([2**24 + 1])).sum().backward()  # in float32 a tie
    assert x.grad.item() == 0.5


def test_erf_keeps_its_digits():
    from math import erf, erfc
    for d, limit in ((rf.float64, 8), (rf.float32, 9)):
        x = rf.cat([rf.linspace(-6, 9, 4001, dtype=d), rf.logspace(-12, 0, 200, dtype=d)])
        for ours, theirs in ((rf.erf(x), erf), (rf.erfc(x), erfc)):
            exact = np.array([theirs(v) for v in x.tolist()])
            ulps = np.abs(ours.numpy() - exact) / np.spacing(np.abs(exact).astype(ours.numpy().dtype)).astype("float64")
            assert ulps.max() < limit
    assert rf.erf(rf.tensor([float("inf"), -float("inf"), -30.0, 1e30])).tolist() == [1, -1, -1, 1]
    assert rf.erfc(rf.tensor([float("inf"), -float("inf"), -30.0, 1e30])).tolist() == [0, 2, 2, 0]
    assert rf.erf(rf.tensor([float("inf"), float("nan")])).tolist()[0] == 1 and rf.erf(rf.tensor([])).tolist() == []


@pytest.mark.parametrize("x", [
    rf.linspace(-2, 2, 90_000).view(300, 300), rf.linspace(-2, 2, 90_000).view(300, 300).t(),
    rf.linspace(-2, 2, 180_000).view(300, 2, 300)[:, 1], rf.linspace(-2, 2, 180_000).view(2, 90_000),
    rf.linspace(-2, 2, 180_000).view(90_000, 1, 2)[..., 0]])
@pytest.mark.parametrize("name", "relu sigmoid floor add pow lerp clamp cumsum tril".split())
def test_in_place_a_long_tensor_becomes_what_a_new_one_would_be(x, name):
    y = rf.linspace(0, 3, x.numel()).view(x.shape[::-1]).permute(*range(x.ndim)[::-1])
    how = {"add": (y[0],), "pow": (y,), "lerp": (y, 0.25), "clamp": (None, y), "cumsum": (0,)}.get(name, ())
    new, old = getattr(x, name)(*how), x.clone()
    assert getattr(old, name + "_")(*how) is old
    assert np.array_equal(old.numpy(), new.numpy(), equal_nan=True)


@pytest.mark.parametrize("d", [rf.float32, rf.float64])
def test_gelu_is_right_to_two_last_places_of_what_it_is_given(d):
    from math import erfc, sqrt
    x = rf.cat([rf.linspace(-9, 9, 4001, dtype=d), rf.logspace(-12, 0, 200, dtype=d)])
    exact = np.array([v * erfc(-v / sqrt(2)) / 2 for v in x.tolist()])
    assert (np.abs(rf.nn.functional.gelu(x).numpy() - exact) <= 2 * np.spacing(np.abs(x.numpy()))).all()
    assert rf.nn.functional.gelu(rf.tensor([-40.0, 40.0, -1e30, 1e30])).tolist() == [0, 40, 0, rf.tensor(1e30).item()]


@pytest.mark.parametrize("call, error", [
    (lambda x, b: x - None, TypeError), (lambda x, b: x + "a", TypeError), (lambda x, b: b - b, RuntimeError),
    (lambda x, b: -b, RuntimeError), (lambda x, b: ~x, TypeError), (lambda x, b: x & 1, NotImplementedError),
    (lambda x, b: rf.floor(b), NotImplementedError), (lambda x, b: rf.exp(3), TypeError),
    (lambda x, b: rf.maximum(x, 2), TypeError), (lambda x, b: x + rf.zeros(5), RuntimeError),
    (lambda x, b: rf.clamp(x), RuntimeError), (lambda x, b: rf.div(x, 2, rounding_mode="up"), RuntimeError),
    (lambda x, b: rf.lerp(x, x.double(), 0.5), RuntimeError), (lambda x, b: rf.where(x, x, x), RuntimeError),
    (lambda x, b: rf.isclose(x, x.int()), RuntimeError), (lambda x, b: rf.zeros(1).add_(x), RuntimeError),
    (lambda x, b: rf.zeros(3, dtype=rf.int64).add_(0.5), RuntimeError),
    (lambda x, b: rf.round(x, decimals="a"), TypeError),
])
def test_mistakes_have_pytorchs_type_and_teach(call, error):
    with pytest.raises(error) as caught:
        call(rf.ones(3), rf.tensor([True]))
    if isinstance(caught.value, TensorError):
        assert caught.value.was and caught.value.rule and caught.value.fix


def test_an_in_place_write_keeps_what_its_gradient_needs():
    w = rf.tensor([2.0, 3.0], requires_grad=True)
    x = w * 1
    x.mul_(x.detach() * 0 + 5)
    x.pow_(2)
    x.sin_()
    x.sum().backward()
    assert np.allclose(w.grad.numpy(), 50 * w.detach().numpy() * np.cos(25 * w.detach().numpy() ** 2), rtol=1e-4)


def test_no_op_warns_or_touches_the_error_state():
    before = np.geterr()
    x = rf.tensor([0.0, -1.0, float("inf"), float("nan"), 1e38], requires_grad=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for name in UNARY:
            out = getattr(rf, name)(x)
            if out.requires_grad:
                out.sum().backward()
        (x / 0 + 0 / x + x**-2 + 1e300 + rf.tensor([1e300], dtype=rf.float64).float()).sum().backward()
        (rf.tensor([2**62]) * 4).int()
        x.detach().to(rf.uint8)
    assert np.geterr() == before


@pytest.mark.parametrize("text", ["half + whole", "whole * half", "rf.cat([half, whole])", "half.add_(whole)",
                                  "single.add_(double)", "rf.add(double, double, out=single)"])
def test_what_is_too_large_for_the_common_dtype_is_infinite_and_nobody_warns(text):
    given = {"half": rf.ones(2).half(), "whole": rf.tensor([1, 100_000]), "single": rf.ones(2),
             "double": rf.tensor([1.0, 1e300], dtype=rf.float64)}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        y = eval(text, {"rf": rf, **given})
    assert y[-1] == float("inf")


@pytest.mark.parametrize("long, short", [
    ("multiply", "mul"), ("subtract", "sub"), ("divide", "div"), ("negative", "neg"), ("absolute", "abs"),
    ("arcsin", "asin"), ("arctanh", "atanh"), ("greater_equal", "ge"), ("not_equal", "ne"), ("clip", "clamp"),
    ("fix", "trunc"), ("arctan2", "atan2"),
])
def test_long_names_are_the_same_functions_and_errors_say_them(long, short):
    for place in (rf, rf.Tensor):
        assert getattr(place, long).__doc__ is getattr(place, short).__doc__
        with pytest.raises(TypeError, match=rf"rule: {long}\(\):? "):
            getattr(place, long)(rf.ones(2), foo=1)
    assert getattr(rf.Tensor, long + "_").__wrapped__ is getattr(rf.Tensor, short + "_").__wrapped__


@pytest.mark.parametrize("call", (lambda x: rf.atan2(x, x), lambda x: rf.atan2(x, 2 * x), rf.sinc))
def test_gradients_of_numbers_whose_squares_vanish_are_0(call):
    x = rf.tensor([1.2e-38, -1e-30, 0.0], requires_grad=True)
    call(x).sum().backward()
    assert x.grad.tolist() == [0, 0, 0]


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int64", "bool"])
@pytest.mark.parametrize("lines", [(90, 130), (130,), (90, 1), ()])
def test_a_choice_between_many_cells_keeps_every_bit(dtype, lines):
    rng = np.random.default_rng(0)
    a, b = (rng.integers(-3, 3, (9, 90, 130)).astype(dtype) for _ in range(2))
    if a.dtype.kind == "f":
        a[0, :3, 0] = b[0, 3:6, 0] = [np.nan, np.inf, -0.0]
    mask = rng.random(lines) > 0.5
    for other in (b, np.repeat(b, 2, 2)[..., ::2], b.T.copy().T):
        chosen = rf.where(rf.tensor(mask), rf.tensor(a), rf.from_numpy(other)).numpy()
        assert chosen.tobytes() == np.where(mask, a, other).tobytes()
    if a.dtype.kind == "f":
        assert rf.tensor(a).masked_fill(rf.tensor(mask), -np.inf).numpy().tobytes() == np.where(
            mask, np.array(-np.inf, dtype), a).tobytes()
