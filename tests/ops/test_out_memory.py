"""What functions take to write into `out`: no tensor of that size, where the backend can be told to write there."""

import warnings
from functools import cache, lru_cache, partial

import numpy as np
import pytest

import rustyflow as rf
from rustyflow.backends import backend, use
from rustyflow.dispatch import out as module
from rustyflow.dispatch.inplace import apply_inplace
from rustyflow.dispatch.offer import Offer
from rustyflow.dispatch.operation import OPS, Op
from rustyflow.dispatch.out_forms import BOUNDED, DTYPED, EXACT, NAMES, SEVERAL, SILENT
from rustyflow.dispatch.registry import PUBLIC, direct
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

REDUCED = "all amax amin any argmax argmin logsumexp max mean median min nanmedian nansum prod std sum var".split()

GIVEN = {**dict.fromkeys(ONE, "x"), **dict.fromkeys(TWO, "x, y"), **dict.fromkeys(WHOLE, "i, i % 7"),
         "addcdiv": "x, y, w", "addcmul": "x, y, w", "bitwise_not": "i", "clamp": "x, 0.2, 0.7", "clip": "x, 0.2, 0.7",
         "clamp_max": "x, 0.5", "clamp_min": "x, y", "lerp": "x, y, 0.3", "where": "m, x, y",
         **dict.fromkeys(("cat", "concat", "concatenate"), "[x[:500], x[500:]]"), "stack": "x.unbind()",
         **dict.fromkeys(("matmul", "mm"), "x, y.t()"), "bmm": "x.view(1, N, N), y.view(1, N, N)",
         "inner": "x, y", "tensordot": "x, y, 1", "matrix_power": "y, 2", "mv": "x.view(-1, 1), w[:1]",
         **dict.fromkeys(("outer", "ger"), "w, w"), "cross": "x[:999].view(3, 333, N), y[:999].view(3, 333, N), 0",
         "addmm": "w, y, y", "addmv": "x.view(-1), y.view(-1, 1), w[:1]", "addr": "x, w, w",
         "addbmm": "w, y.view(10, N, 100), y.view(10, 100, N)", "baddbmm": "x[None], y[None], y[None]",
         **dict.fromkeys(("vstack", "row_stack"), "[x[:500], x[500:]]"), "dstack": "[x, y]",
         **dict.fromkeys(("hstack", "column_stack"), "[x[:, :500], x[:, 500:]]"),
         **dict.fromkeys(REDUCED, "rf.stack([x, y]), 0"),
         "aminmax": "rf.stack([x, y])", "norm": "rf.stack([x, y]), 2, 0", "kthvalue": "rf.stack([x, y]), 2, 0",
         "cumsum": "x, 1", "cumprod": "x, 0", "logcumsumexp": "x, 1", "cummax": "x, 1", "cummin": "x, 0",
         "softmax": "x, 1", "log_softmax": "x, 0", "sort": "x, 1", "topk": "x, 900, 0", "diff": "x, 1, 0",
         "gather": "x, 1, i", "take": "x, i - 1", "take_along_dim": "x, i, 0", "index_select": "x, 0, r",
         "index_add": "x, 0, r, y", "index_copy": "x, 1, r, y", "scatter": "x, 1, i, y", "scatter_add": "x, 0, i, y",
         "scatter_reduce": "x, 1, i, y, 'prod'",
         "kron": "x[:50, :40], y[:20, :25]", "nonzero": "m",
         "tril": "x", "triu": "x, 1", "searchsorted": "w.sort()[0], x", "bucketize": "x, w.sort()[0]",
         **dict.fromkeys(("zeros", "ones", "empty"), "N, N"), "full": "(N, N), 7.", "eye": "N", "arange": "N * N",
         **dict.fromkeys(("linspace", "logspace"), "0, 1, N * N")}
"""The operands of every function that writes straight into `out`."""

NAMED = {"aminmax": {"dim": 0}}
"""What can be given by name alone."""

SCRATCH = {"bitwise_left_shift": 0.6, "bitwise_right_shift": 0.6, "bucketize": 0.6, "cummax": 0.6, "cummin": 0.6,
           "erfc": 0.9, "searchsorted": 0.6, "topk": 0.6, "float_power": 1.7, "heaviside": 0.9,
           "remainder": 0.9, "sinc": 0.9}
"""What may take more than half a tensor: the arrays on the way of a quarter of a million cells, however many there are.
"""

FIRST = {
    "cholesky histc inverse isin slogdet svd": "NumPy's function takes no out",
    "argsort msort": "made of a sort, which has two results",
    "diag slice_scatter": "its last step is made in another shape",
    "masked_select": "how long the result is comes out on the way",
    "mode": "its indices are read of others",
    "dot": "one number",
    "histogram nanmean nanquantile quantile": "made of several steps, each of the result's size",
}
"""The functions whose result is made first, and then written, and why."""


@cache
def drawn():
    """Tensors of which no two cells are alike, with NaN, infinities and negative numbers in x."""
    rf.manual_seed(0)
    given = {"x": rf.randn(N, N), "y": rf.rand(N, N) + 0.5, "w": rf.rand(N) + 0.5}
    given["x"][0, :3] = rf.tensor([float("nan"), float("inf"), float("-inf")])
    return given


def several(names):
    given = operands(names)
    return given | {name: x.clone() for name, x in drawn().items() if name in names}


def test_every_function_is_asked():
    _ = rf.exp  # the first op that is named brings all of them
    first = {name for names in FIRST for name in names.split()}
    assert GIVEN.keys() | first == NAMES & PUBLIC.keys() and not GIVEN.keys() & first


def names_of(name):
    return compile(GIVEN[name], name, "eval").co_names


def calls(name, given):
    """The function on its operands, which still takes `out`; and what it gives, as a list."""
    call = partial(getattr(rf, name), *eval(f"({GIVEN[name]},)", given), **NAMED.get(name, {}))
    want = call()
    return call, [want] if isinstance(want, rf.Tensor) else list(want)


@lru_cache(1)
def several_calls(name):
    """The same on operands of which no two cells are alike, for the tests of one function after another."""
    return calls(name, several(names_of(name)))


def put(call, outs):
    return call(out=outs[0] if len(outs) == 1 else tuple(outs))


@pytest.mark.parametrize("name", GIVEN)
def test_out_is_written_without_a_second_tensor(name):
    call, outs = calls(name, operands(names_of(name)))
    assert buffers(lambda: put(call, outs)) < SCRATCH.get(name, 0.5)


@pytest.mark.parametrize("call", [
    lambda x, i, **out: rf.take(x.t(), i, **out), lambda x, i, **out: rf.index_select(x.t(), 0, i[0], **out),
    lambda x, i, **out: rf.index_select(x.t(), 1, i[0], **out)], ids=["take", "rows", "columns"])
def test_what_lies_across_is_read_straight_into_out(call):
    given = several("xi")
    x, i, out = given["x"], given["i"], rf.zeros(N, N)
    assert buffers(lambda: call(x, i, out=out)) < 0.5
    assert rf.isclose(out, call(x, i), rtol=0, atol=0, equal_nan=True).all()


@pytest.mark.parametrize("name", GIVEN)
def test_what_is_written_is_what_is_returned_without_out(name):
    call, want = several_calls(name)
    bases = [rf.zeros(*y.shape[:-1], y.shape[-1] + 1, dtype=y.dtype) for y in want]
    for outs in ([rf.zeros_like(y) for y in want], [base[..., 1:] for base in bases]):
        versions = [y._version for y in outs]
        put(call, outs)
        for out, y, version in zip(outs, want, versions, strict=True):
            assert rf.isclose(out, y, rtol=1e-6, atol=0, equal_nan=True).all() and out._version == version + 1
    assert not any(base[..., 0].any() for base in bases)


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


@pytest.mark.parametrize("name", "addmm cumsum cummax scatter_add softmax sort tril".split())
def test_an_operand_may_be_among_what_is_written(name):
    given = several({"x", *names_of(name)})
    x, (call, want) = given["x"], calls(name, given)
    put(call, [x, *want[1:]])
    assert rf.isclose(x, want[0], rtol=1e-6, atol=0, equal_nan=True).all()


@pytest.mark.parametrize("name", "sum sort cumsum gather addmm outer vstack searchsorted linspace".split())
@pytest.mark.parametrize(("make", "error"), [
    (lambda y: rf.zeros_like(y, dtype=rf.bool), "can't be cast|not implemented for 'Bool'"),
    (lambda y: rf.zeros((), dtype=y.dtype).expand(y.shape), "single memory location"),
], ids=["dtype", "expanded"])
def test_what_does_not_fit_is_refused_and_left_as_it_was(name, make, error):
    call, want = several_calls(name)
    outs = [make(want[0]), *want[1:]]
    if name in ("linspace", "sum") and outs[0].dtype is rf.bool:
        return  # these take their dtype from out
    with pytest.raises((RuntimeError, TypeError), match=error):
        put(call, outs)
    assert not outs[0].any() and outs[0]._version == 0


@pytest.mark.parametrize("name", sorted((EXACT - BOUNDED | SEVERAL.keys()) & GIVEN.keys()))
def test_some_want_the_very_dtype_of_their_result(name):
    call, outs = several_calls(name)
    other = rf.zeros_like(outs[0], dtype=rf.float32 if outs[0].dtype is rf.float64 else rf.float64)
    with pytest.raises(RuntimeError, match="Expected out tensor to have dtype"):
        put(call, [other, *outs[1:]])
    assert not other.any() and other._version == 0


@pytest.mark.parametrize("name", ["mean", "var", "logsumexp", "exp", "add", "cat"])
def test_a_wider_dtype_takes_what_the_narrower_gives(name):
    call, want = several_calls(name)
    outs = [rf.zeros_like(want[0], dtype=rf.float64), *want[1:]]
    put(call, outs)
    assert rf.isclose(outs[0], want[0].double(), rtol=0, atol=0, equal_nan=True).all()


@pytest.mark.parametrize("call", [lambda x, y: x > y, lambda x, y: rf.topk(x, 3, 0).values, lambda x, y: x.double() + y,
                                  lambda x, y: (x + y)[0] + 1, lambda x, y: rf.tril(x > 0)])
def test_what_is_made_on_the_way_is_what_it_is_without_out(call):
    x, y, out = rf.rand(N, N), rf.rand(N, N), rf.zeros(N, N)
    want = call(x, y)
    with Offer("a function", (out,)):
        got = call(x, y)
    assert (got == want).all() and got.dtype is want.dtype and out._version == out.any().item()


@pytest.mark.parametrize(("name", "dtype"), [("nanmean", rf.int64), ("quantile", rf.bool), ("nanquantile", rf.bool)])
def test_a_refused_out_holds_no_step_of_the_way(name, dtype):
    x, out = rf.rand(3, N, N), rf.zeros(N, N, dtype=dtype)
    with pytest.raises(RuntimeError, match="can't be cast"):
        getattr(rf, name)(x, *[0.5] * (name != "nanmean"), dim=0, out=out)
    assert not out.any() and out._version == 0


@pytest.mark.parametrize("name", sorted(DTYPED))
def test_an_out_of_another_dtype_than_the_one_given_is_left_as_it_was(name):
    x, out = rf.rand(1, N, N), rf.zeros(1, N, N)
    kept = {} if name.startswith("cum") else {"keepdim": True}
    with pytest.raises(RuntimeError, match="float64 does not match dtype of out"):
        getattr(rf, name)(x, 0, dtype=rf.float64, out=out, **kept)
    assert not out.any() and out._version == 0


def test_results_that_would_lie_in_the_same_memory_are_made_first():
    x, i = rf.rand(N, N), rf.zeros(N, N, dtype=rf.int64)
    values = i.view(rf.float32)[:, :N]
    rf.sort(x, out=(values, i))
    assert (i == x.argsort()).all()


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
        assert rf.sum(rf.ones(3, 2), 0, out=y).tolist() == [3.0, 3.0]
        assert rf.gather(x, 0, rf.tensor([1, 0]), out=y).tolist() == [0.0, -1.0]
        assert rf.cumsum(x, 0, out=y).tolist() == [-1.0, -1.0] and rf.arange(2.0, out=y).tolist() == [0.0, 1.0]


def test_an_op_that_does_more_than_call_the_function_of_its_name_does_so_in_place_and_with_out():
    class sinh:
        def forward(F, x):
            return F.sinh(x) * 2

    it, x = Op(sinh), rf.rand(N, N)
    call = direct(it)
    call.op, want = it, rf.sinh(x) * 2
    assert rf.equal(call(x), want)
    assert rf.equal(apply_inplace(it, x.clone()), want)
    assert rf.equal(module.with_out(call, name="sinh")(x, out=rf.empty(N, N)), want)


def test_an_op_that_says_it_is_of_every_cell_for_itself_is():
    _ = rf.exp
    for name, it in OPS.items():
        if not it.elementwise:
            continue
        cells = np.array([[0.3, 0.6, 0.7], [0.2, 0.1, 0.5]], "f4")
        cells = cells if "f" in it.fit else (10 * cells).astype("i8") if "i" in it.fit else cells > 0.4
        given = [cells > 0.4 if k in it.apart else cells for k in range(len(it.operands))]
        attrs = dict.fromkeys(it.code.co_varnames[it.code.co_argcount:][:it.code.co_kwonlyargcount], 2)
        attrs.update({"reduction": "none"} if "reduction" in attrs else {})
        y = np.asarray(backend.quiet().run(it.forward, backend, *given, **attrs))
        part = backend.quiet().run(it.forward, backend, *[a[:, 1:2] for a in given], **attrs)
        assert y.shape == (2, 3) and np.array_equal(y[:, 1:2], part, equal_nan=True), name


@pytest.mark.parametrize("make", [
    lambda y: rf.zeros(1, *y.shape, dtype=y.dtype), lambda y: rf.zeros(2, *y.shape, dtype=y.dtype),
    lambda y: rf.zeros(*y.shape, 1, dtype=y.dtype), lambda y: rf.zeros(y.shape[0] + 1, *y.shape[1:], dtype=y.dtype),
], ids=["one more axis", "twice", "one more axis at the end", "a row more"])
@pytest.mark.parametrize("name", GIVEN)
def test_one_of_another_shape_is_resized_and_written_once(name, make):
    call, want = several_calls(name)
    outs = [make(want[0]), *[rf.zeros_like(y) for y in want[1:]]]
    saved = rf.ones(1, requires_grad=True) * outs[0]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        put(call, outs)
    assert len(caught) == (name not in SILENT and outs[0].shape == want[0].shape) and outs[0]._version == 1
    y = want[0].view(outs[0].shape)  # linspace fills what has as many cells
    assert rf.isclose(outs[0], y, rtol=1e-6, atol=0, equal_nan=True).all() and outs[0].stride() == y.stride()
    if saved.requires_grad:
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            saved.sum().backward()


@pytest.mark.parametrize("call", [rf.floor_divide, rf.remainder, rf.fmod, partial(rf.div, rounding_mode="trunc")])
def test_a_division_by_0_is_refused_before_a_cell_is_written(call):
    x, out = rf.ones(N * N, dtype=rf.int64), rf.zeros(N * N, dtype=rf.int64)
    y = x.clone()
    y[-1] = 0
    with pytest.raises(RuntimeError, match="divided by 0"):
        call(x, y, out=out)
    assert not out.any() and out._version == 0
