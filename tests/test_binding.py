"""A call that does not fit a function's parameters says so in three parts, and the lines of a layer are nobody's."""

import contextlib
import inspect
import math
import subprocess
import sys
import warnings
from types import FunctionType

import numpy as np
import pytest

import rustyflow as rf
from rustyflow.errors import ArgumentTypeError, CallError, TensorError
from tests.each import each

PLACES = {
    "": rf, "Tensor": rf.Tensor, "linalg": rf.linalg, "nn.functional": rf.nn.functional, "autograd": rf.autograd,
    "autograd.functional": rf.autograd.functional,
}


def calls():
    """The functions and methods that take arguments."""
    for module in PLACES.values():
        for name in dir(module):
            call = getattr(module, name, None)
            if isinstance(call, FunctionType) and not name.startswith("_"):
                if inspect.signature(call).parameters:
                    yield call


@each("call", calls())
def test_an_unknown_keyword_is_named_and_the_known_ones_listed(call):
    with pytest.raises(TypeError) as caught:
        call(rf.ones(3, 3), no_such=1)
    error = caught.value
    assert isinstance(error, ArgumentTypeError) and "no_such" in error.was + error.rule and error.fix
    assert "<locals>" not in str(error) and ".call" not in str(error)


@pytest.mark.parametrize("method", ["sum", "softmax", "roll", "unsqueeze_", "index_add_", "uniform_", "cumsum_"])
def test_so_does_a_method_with_a_layer(method):
    with pytest.raises(ArgumentTypeError):
        getattr(rf.ones(3, 3), method)(0, 1, 2, 3, 4, 5, 6)


@pytest.mark.parametrize("wrong, was, rule, fix", [
    (lambda: rf.ones(2).add(1, alfa=2), "Tensor(2,).add(1, alfa=2)", "keyword argument 'alfa'", "alpha=2; x.add("),
    (lambda: rf.ones(2, 3).sum(dimm=0), "Tensor(2, 3).sum(dimm=0)", "keyword argument 'dimm'", "dim=0; x.sum("),
    (lambda: rf.tensor([1.], dtpye=rf.int64), "tensor([1.0], dtpye=", "'dtpye'", "dtype=rustyflow.int64; tensor(data"),
    (lambda: rf.cat([rf.ones(2), rf.ones(3)], dmi=0), "cat([Tensor(2,), Tensor(3,)], dmi=0)", "'dmi'", "dim=0; cat("),
    (lambda: rf.nn.functional.cross_entropy(rf.ones(2)), "cross_entropy(Tensor(2,))", "missing", "target, weight"),
    (lambda: rf.linalg.det(), "det()", "missing a required argument: 'A'", "det(A)"),
    (lambda: rf.arange(1, 2, 3, 4), "arange(1, 2, 3, 4)", "too many positional arguments", "end=None"),
    (lambda: rf.autograd.grad(rf.ones(1), rf.ones(1), unused=1), "unused=1)", "'unused'", "allow_unused=1; grad("),
])  # fmt: skip
def test_the_three_parts(wrong, was, rule, fix):
    with pytest.raises(ArgumentTypeError) as caught:
        wrong()
    assert was in caught.value.was and rule in caught.value.rule and fix in caught.value.fix


@pytest.mark.parametrize("call", [
    lambda m, x: m.stack((x, x), axis=1), lambda m, x: x.sort(axis=0).values, lambda m, x: m.softmax(x, axis=0),
    lambda m, x: x.unsqueeze(axis=0), lambda m, x: x.cumsum_(axis=0),
    lambda m, x: x.quantile(0.5, axis=0, keepdims=True),
    lambda m, x: m.linalg.norm(x, axis=1, keepdims=True), lambda m, x: m.cumprod(x, axis=0, out=m.empty(0)),
    lambda m, x: x.repeat_interleave(2, axis=1), lambda m, x: m.chunk(x, 3, axis=1)[0],
])  # fmt: skip
def test_numpys_names_are_understood(call):
    torch = pytest.importorskip("torch")
    of = [call(m, m.arange(6.).view(2, 3)) for m in (rf, torch)]
    assert of[0].tolist() == of[1].tolist()


@pytest.mark.parametrize("call", [
    lambda x: rf.nn.functional.softmax(x, axis=0), lambda x: rf.split(x, 1, axis=0), lambda x: x.sort(axis=0, dim=0),
    lambda x: x.sort(axis=0, no_such=1), lambda x: x.unique(axis=0), lambda x: x.reshape(size=(3, 2)),
])  # fmt: skip
def test_where_pytorch_does_not_take_them_they_are_refused(call):
    with pytest.raises(ArgumentTypeError):
        call(rf.arange(6.).view(2, 3))


def test_an_error_of_a_call_that_was_understood_is_its_own():
    with pytest.raises(IndexError, match="Dimension out of range") as caught:
        rf.ones(2).sort(axis=5)
    assert caught.value.__context__ is None


def test_a_type_error_from_further_down_is_left_as_it_is():
    def broken(x):
        raise TypeError("mine")
    with pytest.raises(TypeError, match="^mine$"):
        rf.autograd.functional.jacobian(broken, rf.ones(2))


@pytest.mark.parametrize("call", [
    lambda f, x: f.softmax(x), lambda f, x: f.log_softmax(x), lambda f, x: f.softmin(x),
    lambda f, x: f.mse_loss(x, x[0]), lambda f, x: f.l1_loss(x, x[0]), lambda f, x: f.huber_loss(x, x[0]),
    lambda f, x: f.smooth_l1_loss(x, x[0]), lambda f, x: f.kl_div(x, x), lambda f, x: x[0].T, lambda f, x: x[None].T,
    lambda f, x: rf.meshgrid(x[0], x[0]), lambda f, x: rf.meshgrid([x[0], x[0]]), lambda f, x: x[:1].var(0),
    lambda f, x: rf.std(x[:1], 0), lambda f, x: rf.var(x[:1], 0, out=rf.zeros(3)), lambda f, x: rf.tensor(x),
    lambda f, x: x.new_tensor(x), lambda f, x: x[x.byte()], lambda f, x: rf.cross(x, x), lambda f, x: x.cross(x),
    lambda f, x: f.mse_loss(x, x, size_average=False), lambda f, x: f.cross_entropy(x, x.argmax(1), reduce=False),
    lambda f, x: rf.where(x.byte(), x, 0.0), lambda f, x: rf.cov(x[:, :1]), lambda f, x: rf.corrcoef(x[:, :1]),
    lambda f, x: x[[[0], [1]]], lambda f, x: x.__setitem__([[0], [1]], 5.0),
    lambda f, x: x.__setitem__([[0]], rf.ones(3)), lambda f, x: f.l1_loss(x, x, 0),
    lambda f, x: float(x.sum().requires_grad_()), lambda f, x: math.sqrt(x.sum().requires_grad_()),
    lambda f, x: rf.tensor([x.sum().requires_grad_(), 2.0]), lambda f, x: rf.as_tensor([[x.sum().requires_grad_()]]),
])  # fmt: skip
def test_a_warning_points_at_the_line_that_called(call):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call(rf.nn.functional, rf.ones(2, 3))
    assert [warning.filename for warning in caught] == [__file__]


@pytest.mark.parametrize("call, same", [
    (lambda x: rf.tensor_split(x, indices=(1,)), lambda x: rf.tensor_split(x, (1,))),
    (lambda x: x.hsplit(sections=3), lambda x: x.hsplit(3)), (lambda x: x.vsplit(indices=(1,)), lambda x: x.split(1)),
    (lambda x: x.sum_to_size(size=(1, 3)), lambda x: x.sum(0, keepdim=True)),
    (lambda x: rf.linalg.matrix_rank(x, 0.5), lambda x: rf.linalg.matrix_rank(x, atol=0.5)),
    (lambda x: rf.linalg.matrix_rank(x, tol=0.5), lambda x: rf.linalg.matrix_rank(x, atol=0.5)),
    (lambda x: rf.linalg.svd(x, driver=None).S, lambda x: rf.linalg.svdvals(x, driver=None)),
])  # fmt: skip
def test_a_second_name_means_the_same(call, same):
    def plain(y):
        return [part.tolist() for part in y] if isinstance(y, tuple) else y.tolist()
    x = rf.arange(6.0).view(2, 3)
    assert plain(call(x)) == plain(same(x))


@pytest.mark.parametrize("call, result", [
    (lambda x, y: x.add(2, y), 7), (lambda x, y: rf.add(x, 2, y), 7), (lambda x, y: x.add_(-1, y), -2),
    (lambda x, y: x.sub(2, y), -5), (lambda x, y: x.addcmul(2, y, y), 19), (lambda x, y: x.addcdiv_(0.5, y, y), 1.5),
    (lambda x, y: x.addmm(2, y, y), 20), (lambda x, y: x.addmm(2, 3, y, y), 56), (lambda x, y: x.addmm_(2, y, y), 20),
])  # fmt: skip
def test_a_number_between_tensors_is_taken_with_a_warning(call, result):
    with pytest.warns(UserWarning, match="overload of .* is deprecated") as caught:
        y = call(rf.ones(2, 2), rf.full((2, 2), 3.0))
    assert y.tolist() == [[result] * 2] * 2 and {warning.filename for warning in caught} == {__file__}


@pytest.mark.parametrize("call", [
    lambda x: x.addcmul(x, x, 2, 3), lambda x: x.addcmul(x, 2, x), lambda x: x.add(2, 3, x), lambda x: rf.add(2, x, x),
    lambda x: x.addmm(2, x, 3, x),
])  # fmt: skip
def test_a_number_elsewhere_is_not(call):
    with pytest.raises(TypeError, match="positional argument"):
        call(rf.ones(2, 2))


def test_what_leaves_nothing_to_guess_does_not_warn():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        rf.ones(2, 3).T, rf.meshgrid(rf.ones(2)), rf.meshgrid(rf.ones(2), rf.ones(3), indexing="ij")
        rf.as_tensor(rf.ones(2)), rf.tensor([rf.ones(()), 2]), rf.ones(2)[rf.ones(2) > 0]
        rf.cross(rf.ones(3), rf.ones(3), 0), rf.linalg.cross(rf.ones(3), rf.ones(3))
        float(rf.ones(())), rf.stack([rf.ones((), requires_grad=True)]), rf.ones(1, requires_grad=True).sum().item()


def test_a_call_before_the_ops_are_loaded_is_explained_too():
    program = """
import rustyflow as rf
x = rf.ones(2, 3)
for call in (x.transpose, lambda: x.size(1, 2), x.view_as, lambda: x.requires_grad_(True, 2)):
    try:
        call()
    except TypeError as error:
        print(type(error).__name__)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["CallError"] * 4


@each("name", [name for name in dir(rf) if name[0] != "_" and isinstance(getattr(rf, name), FunctionType)])
def test_a_call_without_any_argument_is_explained_or_right(name):
    with contextlib.suppress(TensorError):
        getattr(rf, name)()


@pytest.mark.parametrize("call, fix", [
    (lambda x: x.permute("a", 0), "x.permute(1, 0)"), (lambda x: x.flip("a"), "x.flip(0)"),
    (lambda x: x.reshape(2.5, 2), "x.reshape(3, 4)"), (lambda x: x.expand("a"), "x.expand(3, -1)"),
    (lambda x: rf.cat(x, x), "cat([a, b])"), (lambda x: rf.zeros((2,), foo=1), "dtype=None"),
])  # fmt: skip
def test_the_advice_is_for_the_function_that_was_called(call, fix):
    with pytest.raises(TypeError) as caught:
        call(rf.ones(2, 3))
    assert fix in caught.value.fix and "**" not in caught.value.was


@pytest.mark.parametrize("call, was, rule, fix", [
    (lambda x: x.sin(3), "Tensor(2, 3).sin(3)", "sin(): too many positional arguments", "x.sin()"),
    (lambda x: x.size(0, 1), "Tensor(2, 3).size(0, 1)",
     "size(): too many positional arguments", "x.size(dim=None)"),
    (lambda x: x.transpose(0, 1, 2), "Tensor(2, 3).transpose(0, 1, 2)",
     "transpose(): too many positional arguments", "x.transpose(dim0, dim1)"),
    (lambda x: x.chunk(), "Tensor(2, 3).chunk()", "chunk(): missing a required argument: 'chunks'",
     "x.chunk(chunks, dim=0)"),
    (lambda x: x.sin(input=x), "Tensor(2, 3).sin(input=Tensor(2, 3))",
     "sin(): multiple values for argument 'input'", "x.sin()"),
    (lambda x: x.cumsum_(0, 1), "Tensor(2, 3).cumsum_(0, 1)", "cumsum_(): too many positional arguments",
     "x.cumsum_(dim, *, dtype=None)"),
    (lambda x: x.masked_fill_(1), "Tensor(2, 3).masked_fill_(1)",
     "masked_fill_(): missing a required argument: 'value'", "x.masked_fill_(mask, value)"),
    (lambda x: x.unsqueeze_(0, 1), "Tensor(2, 3).unsqueeze_(0, 1)", "unsqueeze_(): too many", "x.unsqueeze_(dim"),
    (lambda x: rf.sin(x, 3), "sin(Tensor(2, 3), 3)", "sin(): too many positional arguments",
     "sin(input)"),
    (lambda x: rf.sin_(x, 3), "sin_(Tensor(2, 3), 3)", "sin_(): too many positional arguments",
     "sin_(input)"),
])  # fmt: skip
def test_a_method_is_shown_as_one_and_self_is_not_counted(call, was, rule, fix):
    with pytest.raises(CallError) as caught:
        call(rf.ones(2, 3))
    assert caught.value.was == was and caught.value.rule.startswith(rule) and caught.value.fix.startswith(fix)


@pytest.mark.parametrize("call, name, argument", [
    (lambda x: x.allclose(x, rtol="a"), "allclose", "rtol"), (lambda x: x.add_("a"), "add_", "other"),
    (lambda x: x.hsplit("a"), "hsplit", "indices_or_sections"), (lambda x: rf.logdet("a"), "logdet", "input"),
    (lambda x: x.split([1.5, 2]), "split", "split_size[0]"),
    (lambda x: rf.linalg.matrix_rank(x, tol="a"), "matrix_rank", "tol"),
    (lambda x: rf.linalg.matrix_rank(x, rtol="a"), "matrix_rank", "rtol"),
    (lambda x: rf.unravel_index(rf.tensor([1]), "a"), "unravel_index", "shape"),
])  # fmt: skip
def test_an_error_from_within_names_the_function_that_was_called_and_its_argument(call, name, argument):
    with pytest.raises(TypeError) as caught:
        call(rf.ones(2, 4))
    assert caught.value.rule.startswith(f"{name}(): argument '{argument}' must be")
    assert caught.value.was.startswith(f"{name}(")


def test_an_error_in_a_readers_function_keeps_the_name_of_what_that_called():
    with pytest.raises(TypeError, match=r"add\(\): argument 'other'"):
        rf.autograd.functional.jacobian(lambda other: rf.add(other, "a"), rf.ones(2))


@pytest.mark.parametrize("call, fix", [
    (lambda x: rf.arange(stop=3), "end=3; "), (lambda x: x.var(ddof=0), "correction=0; "),
    (lambda x: rf.linspace(0, 1, num=5), "steps=5; "), (lambda x: rf.linspace(0, stop=1, steps=3), "end=1; "),
    (lambda x: rf.zeros(shape=(3,)), "size=(3,); "), (lambda x: rf.reshape(x, newshape=(6,)), "shape=(6,); "),
    (lambda x: x.clip(a_max=1), "max=1; "), (lambda x: rf.linalg.solve(a=x, B=x), "A=...; "),
    (lambda x: x.triu(k=1), "diagonal=1; "),
])  # fmt: skip
def test_numpys_name_of_an_argument_is_translated(call, fix):
    with pytest.raises(CallError) as caught:
        call(rf.ones(2, 3))
    assert caught.value.fix.startswith(fix)


@pytest.mark.parametrize("call", [
    lambda x: rf.zeros((2, 3), rf.float64), lambda x: rf.ones(2, 3, rf.float64), lambda x: rf.arange(3, rf.float64),
    lambda x: rf.tensor([1], rf.float64), lambda x: rf.eye(3, rf.float64), lambda x: x.sum(rf.float64),
    lambda x: rf.full((2,), 1, rf.float64), lambda x: rf.zeros_like(x, rf.float64), lambda x: rf.rand(2, rf.float64),
])  # fmt: skip
def test_a_dtype_without_its_name_is_advised_to_have_one(call):
    with pytest.raises(TypeError) as caught:
        call(rf.ones(2, 3))
    assert caught.value.fix.startswith("dtype=rustyflow.float64; ")


@pytest.mark.parametrize("call, argument", [
    (lambda x: x.unsqueeze(), "dim"), (lambda x: rf.unsqueeze(x), "dim"), (lambda x: x.unsqueeze_(), "dim"),
])  # fmt: skip
def test_an_argument_that_nobody_gave_is_missing(call, argument):
    with pytest.raises(TypeError, match=f"missing a required argument: '{argument}'"):
        call(rf.ones(2, 3))


@pytest.mark.parametrize("call, advice", [(np.sum, r"x\.sum\(\)"), (np.mean, r"x\.mean\(\)"),
                                          (lambda x: np.sum(x, axis=0), r"x\.sum\(dim=0\)")])
def test_a_numpy_function_that_calls_a_method_is_named_as_the_caller(call, advice):
    with pytest.raises(TypeError, match=f"try:  {advice}, for NumPy's function"):
        call(rf.ones(2))
