"""The functions of the loops backend give NumPy's numbers, and the same gradients: bit for bit where NumPy computes."""

import pytest
from hypothesis import given, settings, strategies as st

import rustyflow as rf
from rustyflow.backends import use

from .beside_numpy import arrays, same

F = rf.nn.functional

EXACT = {
    "neg": lambda x: -x,
    "abs": rf.abs,
    "sign": rf.sign,
    "square": rf.square,
    "relu": rf.relu,
    "floor": rf.floor,
    "ceil": rf.ceil,
    "trunc": rf.trunc,
    "round": rf.round,
    "frac": rf.frac,
    "clamp": lambda x: x.clamp(-1, 0.5),
    "mul": lambda x: x * 2.5 + 1,
    "reflected": lambda x: 1 - x,
    "cube": lambda x: x**3,
    "leaky": lambda x: F.leaky_relu(x, 0.25),
    "hardtanh": F.hardtanh,
    "nan_to_num": rf.nan_to_num,
    "clone": rf.clone,
    "double": lambda x: x.double().float(),
    "where": lambda x: rf.where(x > 0, x, x * x),
    "sum": rf.sum,
    "sum 0": lambda x: x.sum(0),
    "sum keep": lambda x: x.sum(-1, keepdim=True),
    "mean": lambda x: rf.mean(x) * 2,
    "amax": lambda x: x.amax(-1),
    "amin": rf.amin,
    "max": lambda x: x.max(-1).values,
    "min": rf.min,
    "view": lambda x: x.reshape(-1) * x.reshape(-1),
    "permute": lambda x: x.permute(tuple(range(x.ndim))[::-1]),
    "unsqueeze": lambda x: x.unsqueeze(-1).expand(*x.shape, 2),
    "squeeze": lambda x: x.squeeze() * 1,
    "narrow": lambda x: x.narrow(0, 0, 1),
    "diagonal": lambda x: x.diagonal(),
    "select": lambda x: x.select(0, -1),
    "index": lambda x: x[[0, -1, 0]],
    "mask": lambda x: x[x > 0],
    "cumsum": lambda x: x.cumsum(0),
    "tril": rf.tril,
    "cat": lambda x: rf.cat([x, x * 2], -1),
    "stack": lambda x: rf.stack([x, x]),
    "chained": lambda x: (x * x).sum(-1, keepdim=True) * x,
    "flip": lambda x: x.flip(0) * x,
    "split": lambda x: x.split(1)[0] * 2,
    "sort": lambda x: x.sort(-1, descending=True).values,
    "topk": lambda x: x.topk(2, 0, largest=False).values,
    "median": lambda x: x.median(-1).values,
    "roll": lambda x: x.roll(1, 0),
    "rot90": lambda x: x.rot90() * x.rot90(),
    "repeat": lambda x: x.repeat(2, *[1] * x.ndim),
    "pad": lambda x: F.pad(x, (1, -1), value=2.0),
    "reflect": lambda x: F.pad(x.reshape(1, -1), (1, 2), mode="reflect"),
    "max_pool2d": lambda x: F.max_pool2d(x.reshape(1, 2, -1), 2, 1),
    "adaptive_max_pool2d": lambda x: F.adaptive_max_pool2d(x.reshape(1, 2, -1), (2, 3)),
    "as_strided": lambda x: x.contiguous().as_strided((2, 2), (1, 1)),
}
CLOSE = {
    "exp": rf.exp,
    "log": rf.log,
    "sqrt": rf.sqrt,
    "rsqrt": rf.rsqrt,
    "sin": rf.sin,
    "cos": rf.cos,
    "tan": rf.tan,
    "tanh": rf.tanh,
    "sinh": rf.sinh,
    "cosh": rf.cosh,
    "asin": rf.asin,
    "acos": rf.acos,
    "atan": rf.atan,
    "asinh": rf.asinh,
    "acosh": rf.acosh,
    "atanh": rf.atanh,
    "sigmoid": rf.sigmoid,
    "expm1": rf.expm1,
    "exp2": rf.exp2,
    "log1p": rf.log1p,
    "log2": rf.log2,
    "log10": rf.log10,
    "erf": rf.erf,
    "erfc": rf.erfc,
    "reciprocal": rf.reciprocal,
    "pow": lambda x: x.abs() ** 1.5,
    "gelu": F.gelu,
    "gelu tanh": lambda x: F.gelu(x, approximate="tanh"),
    "silu": F.silu,
    "softplus": F.softplus,
    "elu": F.elu,
    "mish": F.mish,
    "logsigmoid": F.logsigmoid,
    "prod": lambda x: x.prod(-1),
    "logsumexp": lambda x: x.logsumexp(-1),
    "softmax": lambda x: x.softmax(-1),
    "log_softmax": lambda x: x.log_softmax(-1),
    "var": lambda x: x.var(-1),
    "std": lambda x: x.std(0),
    "norm": rf.linalg.norm,
    "logcumsumexp": lambda x: x.logcumsumexp(0),
    "layer_norm": lambda x: F.layer_norm(x, x.shape[-1:]),
    "cross_entropy": lambda x: F.cross_entropy(x.reshape(1, -1), rf.ones(1, dtype=rf.int64)),
    "avg_pool2d": lambda x: F.avg_pool2d(x.reshape(1, 2, -1), 2, 1, 1),
    "adaptive": lambda x: F.adaptive_avg_pool2d(x.reshape(1, 2, -1), (2, 3)),
}
PAIRS = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "maximum": rf.maximum,
    "minimum": rf.minimum,
    "where": lambda a, b: rf.where(a < b, a, b),
    "alpha": lambda a, b: rf.add(a, b, alpha=3),
    "addcmul": lambda a, b: rf.addcmul(a, b, a),
    "clamp": lambda a, b: rf.clamp(a, b),
    "in place": lambda a, b: (a + 0).mul_(b).add_(1),
}
CLOSE_PAIRS = {
    "div": lambda a, b: a / b,
    "atan2": rf.atan2,
    "hypot": rf.hypot,
    "logaddexp": rf.logaddexp,
    "xlogy": rf.xlogy,
    "lerp": lambda a, b: rf.lerp(a, b, 0.25),
    "pow": lambda a, b: (a * a + 1) ** b,
    "remainder": rf.remainder,
    "fmod": rf.fmod,
    "floor": lambda a, b: rf.div(a, b, rounding_mode="floor"),
}


@pytest.mark.parametrize("name", EXACT)
@settings(max_examples=8)
@given(x=arrays())
def test_the_same_bits_forward_and_backward(name, x):
    same(EXACT[name], x)


@pytest.mark.filterwarnings("ignore:.*degrees of freedom")
@pytest.mark.parametrize("name", CLOSE)
@settings(max_examples=4)
@given(x=arrays())
def test_the_same_to_ten_digits_where_libraries_round_for_themselves(name, x):
    same(CLOSE[name], x, digits=10, dtype=rf.float64)


@pytest.mark.parametrize("name", PAIRS)
@settings(max_examples=8)
@given(a=arrays(), b=arrays())
def test_pairs_broadcast_alike(name, a, b):
    same(PAIRS[name], a, b)


@pytest.mark.parametrize("name", CLOSE_PAIRS)
@settings(max_examples=4)
@given(a=arrays(), b=arrays())
def test_pairs_of_functions_broadcast_alike(name, a, b):
    same(CLOSE_PAIRS[name], a, b, digits=10, dtype=rf.float64)


@settings(max_examples=40)
@given(a=st.floats(width=32), b=st.floats(width=32))
def test_float32_is_rounded_as_ieee_rounds_it(a, b):
    for f in (
        lambda x, y: x + y,
        lambda x, y: x - y,
        lambda x, y: x * y,
        lambda x, y: x / y,
        lambda x, y: (x * x + y).sqrt(),
    ):
        same(f, ([], [a], "dense"), ([], [b], "dense"))


@settings(max_examples=20)
@given(a=st.floats(width=16), b=st.floats(width=16))
def test_float16_is_rounded_as_ieee_rounds_it(a, b):
    same(lambda x, y: x * y + x, ([], [a], "dense"), ([], [b], "dense"), dtype=rf.float16)


@settings(max_examples=20)
@given(
    a=st.integers(-(2**31), 2**31 - 1),
    b=st.integers(-(2**31), 2**31 - 1),
    dtype=st.sampled_from([rf.int64, rf.int32, rf.int8, rf.uint8, rf.bool]),
)
def test_whole_numbers_wrap_alike(a, b, dtype):
    def f():
        x, y = rf.tensor(a).to(dtype), rf.tensor(b).to(dtype)
        return [(z.dtype, z.item()) for z in (x + y, x * y, x & y, x | y, x ^ y, x == y, x < y, x.sum(), x.float())]

    results = []
    for name in ("numpy", "loops"):
        with use(name):
            results.append(f())
    assert results[0] == results[1]
