"""Every function that takes `out`: what it writes there, in which dtype, after which resizing, and what it refuses."""

import warnings
from functools import partial

import numpy as np
import pytest

import rustyflow as rf
from rustyflow.backends import backend, use
from rustyflow.dispatch.inplace import apply_inplace
from rustyflow.dispatch.operation import OPS, Op
from rustyflow.dispatch.out import NAMES, SILENT
from rustyflow.dispatch.registry import PUBLIC, direct
from tests.each import each

N = 20

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
         **dict.fromkeys(("cat", "concat", "concatenate"), "[x[:10], x[10:]]"), "stack": "x.unbind()",
         **dict.fromkeys(("matmul", "mm"), "x, y.t()"), "bmm": "x.view(1, N, N), y.view(1, N, N)",
         "inner": "x, y", "tensordot": "x, y, 1", "matrix_power": "y, 2", "mv": "x.view(-1, 1), w[:1]",
         **dict.fromkeys(("outer", "ger"), "w, w"), "cross": "x[:18].view(3, 6, N), y[:18].view(3, 6, N), 0",
         "addmm": "w, y, y", "addmv": "x.view(-1), y.view(-1, 1), w[:1]", "addr": "x, w, w",
         "addbmm": "w, y.view(2, N, 10), y.view(2, 10, N)", "baddbmm": "x[None], y[None], y[None]",
         **dict.fromkeys(("vstack", "row_stack"), "[x[:10], x[10:]]"), "dstack": "[x, y]",
         **dict.fromkeys(("hstack", "column_stack"), "[x[:, :10], x[:, 10:]]"),
         **dict.fromkeys(REDUCED, "lib.stack([x, y]), 0"),
         "aminmax": "lib.stack([x, y])", "norm": "lib.stack([x, y]), 2, 0", "kthvalue": "lib.stack([x, y]), 2, 0",
         "cumsum": "x, 1", "cumprod": "x, 0", "logcumsumexp": "x, 1", "cummax": "x, 1", "cummin": "x, 0",
         "softmax": "x, 1", "log_softmax": "x, 0", "sort": "x, 1", "topk": "x, 9, 0", "diff": "x, 1, 0",
         "gather": "x, 1, i", "take": "x, i - 1", "take_along_dim": "x, i, 0", "index_select": "x, 0, r",
         "index_add": "x, 0, r, y", "index_copy": "x, 1, r, y", "scatter": "x, 1, i, y", "scatter_add": "x, 0, i, y",
         "scatter_reduce": "x, 1, i, y, 'prod'",
         "kron": "x[:5, :4], y[:4, :5]", "nonzero": "m",
         "tril": "x", "triu": "x, 1", "searchsorted": "w.sort()[0], x", "bucketize": "x, w.sort()[0]",
         **dict.fromkeys(("zeros", "ones", "empty"), "N, N"), "full": "(N, N), 7.", "eye": "N", "arange": "N * N",
         **dict.fromkeys(("linspace", "logspace"), "0, 1, N * N"),
         "cholesky": "y @ y.t() + N * lib.eye(N)", "histc": "y, 5", "inverse": "y", "isin": "i, r[:5]", "slogdet": "y",
         "svd": "y", "argsort": "x", "msort": "x", "diag": "w, 1", "slice_scatter": "x, y[:5], 0, 0, 5",
         "masked_select": "x, m", "mode": "i, 1", "dot": "w, w", "histogram": "y, 5", "nanmean": "x, 0",
         **dict.fromkeys(("quantile", "nanquantile"), "y, 0.3, 0")}
"""The operands of every function that takes `out`."""

NAMED = {"aminmax": {"dim": 0}, "argsort": {"stable": True}}
"""What can be given by name alone."""


def operands(lib=rf):
    """Tensors x, y and w of float32, of which no two cells are alike, with NaN, infinities and negative numbers in x,
    indices i of all cells and r of all rows, a mask m.
    """
    rng = np.random.default_rng(0)
    x, y, w = [rng.random(shape, "f4") + 0.5 for shape in ((N, N), (N, N), (N,))]
    x -= 1
    x[0, :3] = np.nan, np.inf, -np.inf
    given = {"x": x, "y": y, "w": w, "i": rng.permuted(np.tile(np.arange(N), (N, 1)), axis=1), "r": rng.permutation(N),
             "m": y > 1}
    return {"lib": lib, "N": N, **{name: lib.tensor(a) for name, a in given.items()}}


def test_every_function_is_asked():
    _ = rf.exp  # the first op that is named brings all of them
    assert GIVEN.keys() == NAMES & PUBLIC.keys()


def calls(name, given, lib=rf):
    """The function on its operands, which still takes `out`; and what it gives, as a list."""
    call = partial(getattr(lib, name), *eval(f"({GIVEN[name]},)", given), **NAMED.get(name, {}))
    want = call()
    return call, [want] if isinstance(want, lib.Tensor) else list(want)


def put(call, outs):
    return call(out=outs[0] if len(outs) == 1 else tuple(outs))


@each("name", GIVEN)
def test_what_is_written_is_what_is_returned_without_out(name):
    call, want = calls(name, operands())
    bases = [rf.zeros(*y.shape, 2, dtype=y.dtype) for y in want]
    for outs in ([rf.zeros_like(y) for y in want], [base[..., 1] for base in bases]):
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
    given = operands()
    x, (call, want) = given["x"], calls(name, given)
    put(call, [x, *want[1:]])
    assert rf.isclose(x, want[0], rtol=1e-6, atol=0, equal_nan=True).all()


@pytest.mark.parametrize("name", "sum sort cumsum gather addmm outer vstack searchsorted linspace".split())
@pytest.mark.parametrize(("make", "error"), [
    (lambda y: rf.zeros_like(y, dtype=rf.bool), "can't be cast|not implemented for 'Bool'"),
    (lambda y: rf.zeros((), dtype=y.dtype).expand(y.shape), "single memory location"),
], ids=["dtype", "expanded"])
def test_what_does_not_fit_is_refused_and_left_as_it_was(name, make, error):
    call, want = calls(name, operands())
    outs = [make(want[0]), *want[1:]]
    if name in ("linspace", "sum") and outs[0].dtype is rf.bool:
        return  # these take their dtype from out
    with pytest.raises((RuntimeError, TypeError), match=error):
        put(call, outs)
    assert not outs[0].any() and outs[0]._version == 0


@each("name", GIVEN)
@pytest.mark.filterwarnings("ignore")
def test_a_dtype_is_taken_where_torch_takes_it(name):
    torch = pytest.importorskip("torch")
    for dtype in ("float64", "float32", "int64", "bool"):
        found = []
        for lib in (torch, rf):
            call, want = calls(name, operands(lib), lib)
            outs = [lib.zeros_like(want[0], dtype=getattr(lib, dtype)), *want[1:]]
            try:
                put(call, outs)
                found.append("taken")
            except (TypeError, RuntimeError) as error:
                assert lib is not rf or not outs[0].any() and outs[0]._version == 0, dtype
                found.append(TypeError if isinstance(error, TypeError) else RuntimeError)
        # torch.linalg.cholesky refuses what torch.cholesky takes
        assert found[0] == found[1] or name == "cholesky", dtype


@pytest.mark.parametrize("name", "cumprod cumsum mean nanmean nansum prod sum".split())
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


def test_the_loops_write_so_too():
    with use("loops"):
        x, y = rf.tensor([1.0, 4.0]), rf.zeros(2)
        assert rf.sqrt(x, out=y).tolist() == [1.0, 2.0] and rf.sub(x, y, alpha=2, out=x).tolist() == [-1.0, 0.0]
        assert rf.sum(rf.ones(3, 2), 0, out=y).tolist() == [3.0, 3.0]
        assert rf.gather(x, 0, rf.tensor([1, 0]), out=y).tolist() == [0.0, -1.0]
        assert rf.cumsum(x, 0, out=y).tolist() == [-1.0, -1.0] and rf.arange(2.0, out=y).tolist() == [0.0, 1.0]


def test_an_op_that_does_more_than_call_the_function_of_its_name_does_so_in_place():
    class sinh:
        def forward(F, x):
            return F.sinh(x) * 2

    it, x = Op(sinh), rf.rand(N, N)
    call = direct(it)
    call.op, want = it, rf.sinh(x) * 2
    assert rf.equal(call(x), want)
    assert rf.equal(apply_inplace(it, x.clone()), want)


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
    lambda y: rf.zeros(*y.shape, 1, dtype=y.dtype), lambda y: rf.zeros(len(y.shape) + 1, *y.shape, 2, dtype=y.dtype),
], ids=["one more axis", "twice", "one more axis at the end", "two more axes"])
@each("name", GIVEN)
def test_one_of_another_shape_is_resized_and_written_once(name, make):
    call, want = calls(name, operands())
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
