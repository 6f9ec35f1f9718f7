"""`out=`: results written into a tensor there is; what is refused, what is returned, that no function ignores it."""

import pytest

import rustyflow as rf
from rustyflow.dispatch.out import NAMES
from rustyflow.dispatch.registry import PUBLIC
from tests.each import each


def test_the_result_is_written_and_out_itself_returned():
    y = rf.empty(3)
    assert rf.add(rf.tensor([1.0, 2.0, 3.0]), 10, out=y) is y
    assert y.tolist() == [11.0, 12.0, 13.0]


def test_a_strided_out_changes_its_own_slots_alone():
    base = rf.zeros(2, 3)
    rf.mul(rf.tensor([1.0, 2.0]), 5, out=base[:, 1])
    assert base.tolist() == [[0.0, 5.0, 0.0], [0.0, 10.0, 0.0]]


def test_out_may_be_an_operand():
    x = rf.tensor([[1.0, 2.0], [3.0, 4.0]])
    rf.matmul(x, x, out=x)
    assert x.tolist() == [[7.0, 10.0], [15.0, 22.0]]


def test_a_write_counts_as_one():
    y = rf.zeros(2)
    before = y._version
    rf.exp(rf.zeros(2), out=y)
    assert y._version == before + 1


def test_backward_notices_that_out_was_saved():
    w = rf.tensor([2.0], requires_grad=True)
    x = rf.tensor([3.0])
    y = w * x
    rf.exp(x, out=x)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.backward()


def test_several_results_take_a_tuple():
    values, indices = rf.empty(2), rf.empty(2, dtype=rf.int64)
    found = rf.topk(rf.tensor([3.0, 1.0, 2.0]), 2, out=(values, indices))
    assert found.values is values and found.indices is indices
    assert repr(found).startswith("rustyflow.return_types.topk_out(\nvalues=tensor(")
    assert (values.tolist(), indices.tolist()) == ([3.0, 2.0], [0, 2])


RESIZED = {
    "smaller": lambda lib: (lib.ones(2), lib.zeros(2, 3)),
    "larger": lambda lib: (lib.ones(3, 3), lib.zeros(2)),
    "part of memory with room": lambda lib: (lib.ones(3), lib.zeros(10)[4:6]),
    "part of memory without": lambda lib: (lib.ones(3, 4), lib.zeros(10)[4:6]),
    "strided": lambda lib: (lib.ones(3), lib.zeros(10)[::2]),
    "as the operand lies": lambda lib: (lib.ones(3, 2).t(), lib.zeros(4, 4)),
    "to no cells": lambda lib: (lib.ones(0, 3), lib.zeros(4)),
    "wider": lambda lib: (lib.ones(2), lib.zeros(4, dtype=lib.float64)),
}


@pytest.mark.parametrize("name", RESIZED)
def test_another_shape_is_taken_with_a_warning_as_in_torch(name):
    def run(lib):
        x, out = RESIZED[name](lib)
        with pytest.warns(UserWarning, match=r"was resized since it had shape \[.*required output shape \[") as caught:
            assert lib.add(x, 1, out=out) is out
        return (out.tolist(), tuple(out.shape), out.stride(), out.storage_offset(), out.untyped_storage().nbytes(),
                out._version, str(out.dtype).split(".")[-1], {warning.filename for warning in caught})

    assert run(rf) == run(pytest.importorskip("torch"))


def test_a_resized_part_is_written_where_it_begins_and_its_memory_stays_one():
    base = rf.zeros(6)
    with pytest.warns(UserWarning):
        rf.add(rf.ones(3), 1, out=base[1:3])
    assert base.tolist() == [0.0, 2.0, 2.0, 2.0, 0.0, 0.0] and base._version == 1


def test_what_reads_memory_that_out_outgrew_keeps_it():
    x = rf.tensor([1.0, 2.0])
    y = x.view(2)
    with pytest.warns(UserWarning):
        rf.mul(rf.ones(4), 3, out=y)
    y.add_(1)
    assert (x.tolist(), y.tolist()) == ([1.0, 2.0], [4.0] * 4)


def test_an_operand_is_not_resized():
    x = rf.ones(3)
    with pytest.raises(RuntimeError) as error:
        rf.add(x, rf.ones(2, 3), out=x)
    for said in ("out:        3", "result:  2  3", "output with shape [3] doesn't match the broadcast shape [2, 3]"):
        assert said in str(error.value)
    assert x.tolist() == [1.0] * 3


def test_what_is_refused_is_not_resized():
    leaf, row = rf.ones(2, requires_grad=True), rf.ones(1).expand(3)
    for out in (rf.zeros(2, dtype=rf.int64), leaf, row):
        before = out.shape
        with pytest.raises(RuntimeError):
            rf.exp(rf.ones(4), out=out)
        assert out.shape == before


def test_a_leaf_resized_without_recording_is_a_leaf_of_that_shape():
    leaf = rf.ones(2, requires_grad=True)
    with rf.no_grad(), pytest.warns(UserWarning):
        rf.exp(rf.zeros(3), out=leaf)
    leaf.sum().backward()
    assert leaf.is_leaf and leaf.grad.tolist() == [1.0, 1.0, 1.0]


def test_what_an_operation_made_and_is_resized_forgets_it():
    made = rf.ones(3, requires_grad=True) * 2
    with rf.no_grad(), pytest.warns(UserWarning):
        rf.exp(rf.zeros(2, 2), out=made)
    assert made.is_leaf and not made[1:].requires_grad and made.tolist() == [[1.0, 1.0], [1.0, 1.0]]


def test_a_resized_part_of_a_result_is_followed_where_it_lies():
    x = rf.ones(6, requires_grad=True)
    base = x * 2
    part = base[1:3]
    with rf.no_grad(), pytest.warns(UserWarning):
        rf.exp(rf.zeros(4), out=part)
    (part * rf.arange(4.0)).sum().backward()
    assert x.grad.tolist() == [0.0, 0.0, 2.0, 4.0, 6.0, 0.0]


def test_backward_notices_that_what_it_saved_was_resized():
    w, x = rf.ones(2, requires_grad=True), rf.tensor([2.0, 3.0])
    y = w * x
    with pytest.warns(UserWarning):
        rf.exp(rf.zeros(3), out=x)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.sum().backward()


@pytest.mark.filterwarnings("error")
def test_a_created_tensor_resizes_out_and_says_nothing():
    _ = rf.manual_seed(0)
    out = rf.zeros(2, 3)
    for made in (rf.zeros(4, out=out), rf.eye(2, out=out), rf.full((1, 5), 2.0, out=out), rf.linspace(0, 1, 3, out=out),
                 rf.rand(2, 2, out=out), rf.bernoulli(rf.ones(7), out=out)):
        assert made is out
    assert out.tolist() == [1.0] * 7
    assert rf.arange(7, out=out.view(7)).tolist() == rf.linspace(0, 6, 7, out=rf.zeros(7, 1)).flatten().tolist()


def test_arange_says_it():
    with pytest.warns(UserWarning):
        assert rf.arange(3, out=rf.zeros(2)).tolist() == [0.0, 1.0, 2.0]


@pytest.mark.parametrize("out", [rf.empty(0), rf.empty(0, 5), rf.ones(3)[:0]],
                         ids=["empty", "empty matrix", "empty view"])
def test_an_out_without_cells_gets_memory_for_the_result(out):
    assert rf.add(rf.ones(2, 3), 1, out=out) is out
    assert (out.tolist(), out.stride(), out.is_contiguous()) == ([[2.0] * 3] * 2, (3, 1), True)


def test_a_dtype_that_would_lose_its_kind_is_refused():
    with pytest.raises(RuntimeError, match="result type float32 can't be cast to the desired output type int64"):
        rf.exp(rf.ones(2), out=rf.zeros(2, dtype=rf.int64))


def test_a_wider_dtype_takes_the_result():
    y = rf.zeros(2, dtype=rf.float64)
    rf.add(rf.tensor([1, 2]), 1, out=y)
    assert y.dtype is rf.float64 and y.tolist() == [2.0, 3.0]


def test_parts_that_cannot_be_cast_are_a_type_error():
    with pytest.raises(TypeError, match="can't be cast to the desired output type int64"):
        rf.stack([rf.ones(2)], out=rf.zeros(1, 2, dtype=rf.int64))


@pytest.mark.parametrize("name, last", [("sum", 4), ("prod", 2), ("cumsum", 4), ("cumprod", 2)])
def test_a_sum_is_made_in_the_dtype_of_out(name, last):
    y = rf.zeros(3 if name.startswith("cum") else (), dtype=rf.int64)
    getattr(rf, name)(rf.tensor([1.5, 1.5, 2.9]), 0, out=y)
    assert y.reshape(-1)[-1] == last


@pytest.mark.parametrize("which", ["operand", "out"])
def test_no_gradient_flows_through_out(which):
    x, y = rf.ones(2), rf.zeros(2)
    (x if which == "operand" else y).requires_grad_()
    with pytest.raises(RuntimeError,
                       match="don't support automatic differentiation, but one of the arguments requires"):
        rf.exp(x, out=y)
    with rf.no_grad():
        assert rf.exp(x, out=y) is y
    assert y.tolist() == pytest.approx([2.718281828] * 2)


def test_a_comparison_has_no_gradient_to_lose():
    w = rf.ones(2, requires_grad=True)
    y = rf.zeros(2, dtype=rf.bool)
    assert rf.eq(w, 1, out=y).tolist() == [True, True]


def test_one_slot_for_several_cells_cannot_be_written():
    with pytest.raises(RuntimeError, match="single memory location"):
        rf.exp(rf.ones(3), out=rf.ones(1).expand(3))


def test_part_of_an_operand_cannot_be_written():
    x = rf.ones(4)
    with pytest.raises(RuntimeError, match="single memory location"):
        rf.cat([x[:2], x[1:2]], out=x[1:])


def test_out_must_be_a_tensor():
    with pytest.raises(TypeError, match="argument 'out' must be Tensor, not int"):
        rf.exp(rf.ones(2), out=3)


def test_a_call_with_two_results_wants_two_tensors():
    with pytest.raises(TypeError) as error:
        rf.max(rf.ones(2, 2), 0, out=(rf.ones(2, 2),))
    assert str(error.value) == """max(out=(Tensor(2, 2),))
rule: max(): argument 'out' must be a tuple of 2 tensors
try:  out=(values, indices)"""


@pytest.mark.parametrize(("call", "said"), {
    "argsort(x, out=i)": ["argsort(..., out=...) without stable", "argsort(): out needs stable",
                          "argsort(input, stable=..., out=...), or out.copy_(argsort(input))"],
    "sum(x, out=x)": ["sum(..., out=...) without dim", "sum(): out needs dim",
                      "sum(input, dim=..., out=...), or out.copy_(sum(input))"],
}.items())
def test_what_a_call_lacks_beside_out_is_said(call, said):
    with pytest.raises(TypeError) as error:
        eval(f"rf.{call}", {"rf": rf, "x": rf.ones(2, 2), "i": rf.zeros(2, 2, dtype=rf.int64)})
    assert [error.value.was, error.value.rule, error.value.fix] == said


def test_a_call_that_does_not_fit_says_so_before_what_it_lacks_beside_out():
    with pytest.raises(TypeError, match=r"argsort\(\): missing a required argument: 'input'"):
        rf.argsort(out=rf.zeros(2, dtype=rf.int64))


def test_methods_do_not_take_it():
    for call in (rf.ones(2).add, rf.ones(2).dot):
        with pytest.raises(TypeError, match="out"):
            call(rf.ones(2), out=rf.ones(2))


def test_a_created_tensor_takes_the_dtype_of_out():
    y = rf.ones(2, 2, dtype=rf.int32)
    assert rf.eye(2, out=y) is y and y.dtype is rf.int32 and y.tolist() == [[1, 0], [0, 1]]
    with pytest.raises(RuntimeError, match="dtype float32 does not match dtype of out parameter"):
        rf.zeros(2, 2, out=y, dtype=rf.float32)
    z = rf.ones(2)
    assert rf.zeros(2, out=z, requires_grad=True) is z and z.requires_grad and z.tolist() == [0.0, 0.0]


def test_linalg_and_functional_take_it():
    y = rf.empty(2, 2)
    assert rf.linalg.inv(rf.tensor([[2.0, 0.0], [0.0, 4.0]]), out=y) is y
    assert y.tolist() == [[0.5, 0.0], [0.0, 0.25]]
    n = rf.empty(1, 2)
    assert rf.nn.functional.normalize(rf.tensor([[3.0, 4.0]]), out=n).tolist() == [pytest.approx([0.6, 0.8])]


def test_every_name_exists_and_none_is_ignored():
    """A function either writes its result there or raises; leaving `out` as it was would be silent."""
    _ = rf.exp  # the first op that is named brings all of them
    public = NAMES & PUBLIC.keys()
    assert NAMES - public == {"matrix_norm", "normalize", "solve", "vecdot", "vector_norm"}
    for name in public:
        with pytest.raises((TypeError, RuntimeError, IndexError, ValueError)):
            PUBLIC[name](rf.ones(2, 2), out="nowhere")


UNARY = sorted(NAMES & set("""abs acos asin atan ceil cos cosh erf exp exp2 expm1 floor frac log log10 log1p log2 neg
    reciprocal round rsqrt sgn sigmoid sign sin sinh sqrt square tan tanh trunc logical_not""".split()))


@pytest.mark.parametrize("of", ["float32", "int64"])
@each("name, to", [(name, to) for name in UNARY for to in ("float32", "float64", "int64", "bool")])
def test_beside_torch_one_operand(name, of, to):
    torch = pytest.importorskip("torch")

    def run(lib):
        x = lib.tensor([[1, 2, 0], [1, 1, 3]], dtype=getattr(lib, of))
        out = lib.zeros(3, 2, dtype=getattr(lib, to)).T
        try:
            return getattr(lib, name)(x, out=out) is out, out.dtype.__repr__().split(".")[-1], out.tolist()
        except RuntimeError:
            return "RuntimeError"

    want, got = run(torch), run(rf)
    if "RuntimeError" in (want, got):
        assert got == want
    else:
        assert got[:2] == want[:2] and got[2] == [pytest.approx(row, rel=1e-6, nan_ok=True) for row in want[2]]


CALLS = {
    "add": lambda lib, a, out: lib.add(a, a, alpha=2, out=out),
    "sub": lambda lib, a, out: lib.sub(a, 1, out=out),
    "div": lambda lib, a, out: lib.div(a, 2, out=out),
    "pow": lambda lib, a, out: lib.pow(a, 2, out=out),
    "maximum": lambda lib, a, out: lib.maximum(a, a.T, out=out),
    "where": lambda lib, a, out: lib.where(a > 1, a, a.T, out=out),
    "clamp": lambda lib, a, out: lib.clamp(a, 1, 2, out=out),
    "mm": lambda lib, a, out: lib.mm(a, a, out=out),
    "matmul": lambda lib, a, out: lib.matmul(a, a, out=out),
    "addmm": lambda lib, a, out: lib.addmm(a, a, a, beta=2, out=out),
    "cumsum": lambda lib, a, out: lib.cumsum(a, 1, out=out),
    "softmax": lambda lib, a, out: lib.softmax(a, 1, out=out),
    "tril": lambda lib, a, out: lib.tril(a, -1, out=out),
    "cat": lambda lib, a, out: lib.cat([a[:1], a[1:]], 0, out=out),
    "gather": lambda lib, a, out: lib.gather(a, 0, a.long().remainder(2), out=out),
    "index_select": lambda lib, a, out: lib.index_select(a, 0, lib.tensor([1, 0]), out=out),
    "outer": lambda lib, a, out: lib.outer(a[0], a[1], out=out),
    "full": lambda lib, a, out: lib.full((2, 2), 7, out=out),
    "msort": lambda lib, a, out: lib.msort(a, out=out),
}


@pytest.mark.parametrize("name", CALLS)
def test_beside_torch(name):
    torch = pytest.importorskip("torch")

    def run(lib):
        a, base = lib.tensor([[1.0, 3.0], [2.0, 0.5]]), lib.zeros(3, 4)
        out = base[1:, ::2]
        assert CALLS[name](lib, a, out) is out
        return base.tolist(), out.stride()

    (want, stride), (got, ours) = run(torch), run(rf)
    assert got == [pytest.approx(row, rel=1e-6) for row in want] and ours == stride


def test_every_one_of_pytorchs_functions_with_out_takes_it():
    torch = pytest.importorskip("torch")
    for name in sorted(NAMES & PUBLIC.keys()):
        with pytest.raises(Exception) as ours:
            PUBLIC[name](out=rf.ones(1), no_such_argument=1)
        assert "'out'" not in str(ours.value), name
        assert hasattr(torch, name), name
