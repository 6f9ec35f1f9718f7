"""What functions take to write into `out`: no tensor of that size, where the backend can be told to write there."""

import pytest

import rustyflow as rf
from rustyflow.backends import use
from rustyflow.ops import out as module
from rustyflow.ops.out import NAMES
from rustyflow.ops.registry import PUBLIC
from tests.ops.test_memory import N, buffers, operands

ONE = """
    abs absolute acos acosh arccos arccosh arcsin arcsinh arctan arctanh asin asinh atan atanh ceil cos cosh deg2rad
    erf erfc exp exp2 expm1 fix floor frac isneginf isposinf log log10 log1p log2 logical_not nan_to_num neg negative
    rad2deg reciprocal round rsqrt sgn sigmoid sign signbit sin sinc sinh sqrt square tan tanh trunc
""".split()

TWO = """
    add arctan2 atan2 copysign div divide eq float_power floor_divide fmax fmin fmod ge greater greater_equal gt
    heaviside hypot le less less_equal logaddexp logical_and logical_or logical_xor lt maximum minimum mul multiply ne
    not_equal pow remainder sub subtract true_divide xlogy
""".split()

WHOLE = "bitwise_and bitwise_left_shift bitwise_or bitwise_right_shift bitwise_xor gcd lcm".split()

GIVEN = {**dict.fromkeys(ONE, "x"), **dict.fromkeys(TWO, "x, y"), **dict.fromkeys(WHOLE, "i, i % 7"),
         "addcdiv": "x, y, w", "addcmul": "x, y, w", "bitwise_not": "i", "clamp": "x, 0.2, 0.7", "clip": "x, 0.2, 0.7",
         "clamp_max": "x, 0.5", "clamp_min": "x, y", "lerp": "x, y, 0.3", "where": "m, x, y",
         **dict.fromkeys(("cat", "concat", "concatenate"), "[x[:500], x[500:]]"), "stack": "x.unbind()",
         **dict.fromkeys(("matmul", "mm"), "x, y.t()"), "bmm": "x.view(1, N, N), y.view(1, N, N)",
         "cumsum": "x, 1", "cumprod": "x, 0"}
"""The operands of every function that writes straight into `out`."""

SCRATCH = {"bitwise_left_shift": 0.6, "bitwise_right_shift": 0.6, "erfc": 0.9, "float_power": 1.7, "heaviside": 0.9,
           "remainder": 0.9, "sinc": 0.9}
"""What may take more than half a tensor: the arrays on the way of a quarter of a million cells, however many there are.
"""

FIRST = frozenset("""
    addbmm addmm addmv addr all amax amin aminmax any arange argmax argmin argsort baddbmm bucketize cholesky
    column_stack cross cummax cummin det diag diff dot dstack empty eye full gather
    ger histc hstack index_add index_copy index_select inner inverse isin kron kthvalue linspace log_softmax
    logcumsumexp logspace logsumexp masked_select matrix_power max mean median min msort mv nanmean nanmedian
    nanquantile nansum nonzero norm ones outer prod quantile row_stack scatter scatter_add searchsorted slice_scatter
    slogdet softmax sort std sum svd take take_along_dim tensordot topk tril triu var vstack zeros
""".split())
"""The functions whose result is made first, and then written."""


def several():
    """Operands of which no two cells are alike, with NaN, infinities and negative numbers in x."""
    given = operands()
    rf.manual_seed(0)
    given.update(x=rf.randn(N, N), y=rf.rand(N, N) + 0.5, w=rf.rand(N) + 0.5)
    given["x"][0, :3] = rf.tensor([float("nan"), float("inf"), float("-inf")])
    return given


def test_every_function_is_asked():
    _ = rf.exp  # the first op that is named brings all of them
    assert GIVEN.keys() | FIRST == NAMES & PUBLIC.keys() and not GIVEN.keys() & FIRST


@pytest.mark.parametrize("name", GIVEN)
def test_out_is_written_without_a_second_tensor(name):
    given = operands()
    args = eval(f"({GIVEN[name]},)", given)
    y = getattr(rf, name)(*args)
    assert buffers(lambda: getattr(rf, name)(*args, out=y)) < SCRATCH.get(name, 0.5)


@pytest.mark.parametrize("name", GIVEN)
def test_what_is_written_is_what_is_returned_without_out(name):
    args = eval(f"({GIVEN[name]},)", several())
    want = getattr(rf, name)(*args)
    base = rf.zeros(*want.shape[:-1], N + 1, dtype=want.dtype)
    for y in (rf.zeros_like(want), base[..., 1:]):
        getattr(rf, name)(*args, out=y)
        assert rf.isclose(y, want, rtol=1e-6, atol=0, equal_nan=True).all()
    assert not base[..., 0].any()


@pytest.mark.parametrize("call", [
    lambda x, y, **out: rf.mm(x, y[None], **out), lambda x, y, **out: rf.bmm(x, y, **out),
    lambda x, y, **out: rf.cat(x, **out), lambda x, y, **out: rf.cat([x, y], 2, **out),
    lambda x, y, **out: rf.matmul(x, y[1:], **out), lambda x, y, **out: rf.cumsum(x, 2, **out),
    lambda x, y, **out: rf.stack([x, y[0]], **out), lambda x, y, **out: rf.cumsum(x.bool(), 0, **out),
])
def test_what_is_refused_is_refused_as_without_out(call):
    x, y = rf.ones(N, N), rf.ones(N, N)
    try:
        want = call(x, y)
    except Exception as error:
        with pytest.raises(type(error)) as refused:
            call(x, y, out=x)
        assert str(refused.value) == str(error) and (x == 1).all()
    else:
        assert call(x, y, out=x) is x and (x == want).all()


def test_a_product_may_go_into_one_of_its_factors():
    x, y = rf.rand(N, N), rf.rand(N, N)
    want, version = x @ y, x._version
    assert (rf.matmul(x, y, out=x) == want).all() and x._version == version + 1


@pytest.mark.parametrize("call", [
    lambda x, y, **out: rf.sub(y, x, **out), lambda x, y, **out: rf.sub(y, x, alpha=3, **out),
    lambda x, y, **out: rf.lerp(y, x, 0.3, **out), lambda x, y, **out: rf.sigmoid(x, **out),
    lambda x, y, **out: rf.where(x > 0, y, x, **out), lambda x, y, **out: rf.sub(x[:1], x, **out),
    lambda x, y, **out: rf.clamp(x.t(), min=x, **out), lambda x, y, **out: rf.sub(x.t(), y, **out),
], ids=["sub", "alpha", "lerp", "sigmoid", "where", "row", "transposed beside", "transposed"])
def test_out_may_be_an_operand_that_is_read_in_any_order(call):
    x, y = rf.arange(1.0 * N * N).view(N, N) / N, rf.ones(N, N)
    want = call(x, y)
    try:
        call(x, y, out=x)
    except RuntimeError as error:  # part of an operand, or one in another order
        assert "single memory location" in str(error) and x[0, 1] == 1 / N
    else:
        assert (x == want).all()


def test_operands_of_two_dtypes_are_promoted_as_without_out():
    i, x = rf.arange(N * N), rf.ones(N * N)
    y = rf.zeros(N * N, dtype=rf.float64)
    assert (rf.mul(i, 0.5, out=y) == i * 0.5).all() and (rf.add(i, x, out=y) == i + x).all()
    assert (rf.div(i, 7, out=y) == i / 7).all()
    assert (rf.mul(x.half(), 0.1, out=y) == x.half() * 0.1).all()


def test_a_long_write_is_one_and_refused_like_a_short_one():
    x = rf.ones(N, N)
    y = rf.zeros(N, N)
    rf.lerp(x, x, 0.5, out=y), rf.add(x, x, out=y)
    assert y._version == 2
    with pytest.raises(RuntimeError, match="result type float32 can't be cast"):
        rf.exp(x, out=rf.zeros(N, N, dtype=rf.int64))
    with pytest.raises(RuntimeError, match="out must have the shape"):
        rf.exp(x, out=rf.zeros(N, N + 1))
    with pytest.raises(RuntimeError, match="don't support automatic differentiation"):
        rf.exp(x, out=rf.zeros(N, N, requires_grad=True))
    with pytest.raises(RuntimeError, match="single memory location"):
        rf.exp(x, out=rf.ones(1).expand(N, N))
    with pytest.raises(RuntimeError, match="single memory location"):
        rf.exp(x.view(-1)[1:], out=x.view(-1)[:-1])
    with pytest.raises(RuntimeError, match="1 zero"):
        i = rf.arange(N * N)
        rf.floor_divide(i, i, out=rf.zeros(N * N, dtype=rf.int64))
    with pytest.raises(TypeError, match="nonsense"):
        rf.exp(x, nonsense=1, out=y)


def test_the_loops_write_so_too(monkeypatch):
    monkeypatch.setattr(module, "MANY", 0)
    with use("loops"):
        x, y = rf.tensor([1.0, 4.0]), rf.zeros(2)
        assert rf.sqrt(x, out=y).tolist() == [1.0, 2.0] and rf.sub(x, y, alpha=2, out=x).tolist() == [-1.0, 0.0]
