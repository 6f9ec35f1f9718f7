"""How an error reaches its reader."""
import operator
import subprocess
import sys
import warnings

import pytest

import rustyflow as rf

CELLS = """
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance()
shell.run_line_magic("colors", "NoColor")
{mode}
shell.run_cell("import rustyflow as torch\\ndef f(a):\\n    return a + torch.ones(4)")
shell.run_cell("f(torch.ones(3, 2))")
shell.run_cell("x = torch.ones(2, requires_grad=True)\\nx.register_hook(lambda g: g.view(5))\\nx.sum().backward()")
"""


def shown(mode=""):
    pytest.importorskip("IPython")
    return subprocess.run([sys.executable, "-c", CELLS.format(mode=mode)], capture_output=True, text=True, check=True,
                          encoding="utf-8").stdout


def test_a_notebook_shows_the_readers_lines_and_the_message_alone():
    text = shown()
    assert "----> 3     return a + torch.ones(4)" in text and "lambda g: g.view(5)" in text
    assert "size of tensor a (2) must match the size of tensor b (4)" in text and "try:" in text
    assert "rustyflow/" not in text.replace("\\", "/") and "another exception occurred" not in text


def test_shapes_one_below_the_other_stay_aligned_after_the_errors_name():
    lines = shown().splitlines()
    k = next(k for k, line in enumerate(lines) if line.startswith("a:"))
    assert lines[k - 1].startswith("BroadcastError") and len(lines[k]) == len(lines[k + 1].rstrip())
    assert lines[k].replace(" ", "") == "a:32" and lines[k + 1].replace(" ", "") == "b:4"


def test_verbose_mode_shows_every_line():
    assert "run.py" in shown('shell.run_line_magic("xmode", "Verbose")')


@pytest.mark.parametrize("x, works", [
    (rf.ones(3), "x[0].item()"), (rf.ones(2, 3), "x[0, 0].item()"), (rf.ones(0), "x.tolist()"),
], ids=["vector", "matrix", "empty"])
def test_one_number_of_many_is_advised_by_an_index_that_the_tensor_has(x, works):
    for one, kind in ((rf.Tensor.item, RuntimeError), (float, ValueError), (operator.index, TypeError)):
        with pytest.raises(kind) as caught:
            one(x)
        assert works in caught.value.fix
    eval(works)


@pytest.mark.parametrize("shape, size, works", [
    ((3,), (3, 4), "x.unsqueeze(1)"), ((2, 3), (2, 4, 3), "x.unsqueeze(1)"), ((2,), (3, 4), "x.repeat(3, 2)"),
    ((2, 3), (4, 3), "x.repeat(2, 1)"), ((3,), (4,), "keep dim 0 at 3"),
])
def test_a_refused_expand_is_advised_what_gives_the_size_asked_for(shape, size, works):
    x = rf.ones(shape)
    with pytest.raises(RuntimeError) as caught:
        x.expand(size)
    assert works in caught.value.fix
    if works.startswith("x."):
        assert tuple(eval(works).expand(size).shape) == size


x, whole, mask, long = rf.ones(2, 3), rf.ones(2, 3).int(), rf.ones(2, 3) > 0, rf.zeros(2, 4).long()
F, heads = rf.nn.functional, rf.ones(1, 2, 3, 4)


def walked_twice():
    y = rf.ones(2, requires_grad=True).tanh().sum()
    y.backward()
    y.backward()


def stepped_early():
    w = rf.ones(2, requires_grad=True)
    y = (w * w).sum()
    with rf.no_grad():
        w -= 0.1
    y.backward()


ADVICE = {
    "a loss of two lengths": (lambda: F.l1_loss(rf.ones(4), rf.ones(5)), RuntimeError, "the same shape"),
    "batches of two lengths": (lambda: rf.ones(2, 3, 4) @ rf.ones(3, 4, 5), RuntimeError, "as many on both sides"),
    "a batch the wrong way round": (lambda: rf.baddbmm(rf.ones(2), rf.ones(4, 2, 3), rf.ones(4, 2, 3)), RuntimeError,
                                    "a @ b.mT"),
    "heads": (lambda: F.scaled_dot_product_attention(rf.ones(1, 8, 3, 4), heads, heads), RuntimeError, "enable_gqa"),
    "classes last": (lambda: F.cross_entropy(rf.ones(2, 4, 65), long), RuntimeError, r"input.movedim\(-1, 1\)"),
    "one_hot": (lambda: F.cross_entropy(rf.ones(2, 4), long), RuntimeError, r"target.argmax\(1\)"),
    "and": (lambda: mask and mask, RuntimeError, "masks are combined with &"),
    "inf": (lambda: whole.masked_fill(mask, float("-inf")), RuntimeError, r"x.float\(\)"),
    "a dtype as a string": (lambda: x.to("float64"), RuntimeError, "rustyflow.float64"),
    "a negative class": (lambda: F.one_hot(rf.tensor([-1])), RuntimeError, "numbered from 0"),
    "a list": (lambda: rf.ones(2).copy_([1, 2]), TypeError, r"rustyflow.tensor\("),
    "one branch": (lambda: rf.where(mask, 1), TypeError, "give 'other'"),
    "an infinite end": (lambda: rf.arange(0, float("inf")), RuntimeError, "can be reached"),
    "axes for a mode": (lambda: F.interpolate(rf.ones(1, 1, 4, 4), 8, mode="linear"), NotImplementedError, "bilinear"),
    "a dim": (lambda: x.unsqueeze("a"), TypeError, "dim=1"),
    "no dim": (lambda: x.unsqueeze(), TypeError, r"x.unsqueeze\(dim\)"),
    "a number beside max": (lambda: rf.max(x, 1.0), TypeError, r"x.clamp\(min"),
    "a value for a column": (lambda: x.__setitem__((slice(None), 0), rf.ones(3)), RuntimeError, r"to \(2,\)"),
    "an image of bytes": (lambda: F.conv2d(rf.ones(1, 4, 4).byte(), rf.ones(1, 1, 3, 3)), RuntimeError, "input.to"),
    "probabilities in a column": (lambda: F.binary_cross_entropy(rf.ones(4, 1), rf.ones(4)), ValueError, "view_as"),
    "classes in a column": (lambda: F.cross_entropy(rf.ones(4, 3), long[:1].mT), RuntimeError, r"squeeze\(1\)"),
    "an image alone": (lambda: F.interpolate(rf.ones(4, 4), 8), NotImplementedError, r"x\[None, None\]"),
    "channels without batch": (lambda: F.interpolate(heads[0], 8, mode="bilinear"), NotImplementedError, r"x\[None\]"),
    "an image alone, padded": (lambda: F.pad(x, (1, 1, 1, 1), "reflect"), NotImplementedError, r"x\[None\]"),
    "a tuple of tensors": (lambda: x * (x,), TypeError, "x, = ctx.saved_tensors"),
    "no brackets": (lambda: x > 2 & x, NotImplementedError, r"\(x > 2\) & \(x < 5\)"),
    "a list of counts": (lambda: x.repeat_interleave([2, 1], 0), TypeError, r"rustyflow.tensor\(\[2, 1\]\)"),
    "joined along the wrong axis": (lambda: rf.cat([x, rf.ones(2, 5)]), RuntimeError, "dim=1 joins these"),
    "joined across numbers of axes": (lambda: rf.cat([x, rf.ones(3)]), RuntimeError, r"x.unsqueeze\(0\)"),
    "bias of another length": (lambda: rf.nn.functional.linear(x, rf.ones(5, 3), rf.ones(4)), RuntimeError,
                               r"one number per output: \(5,\)"),
    "matrix product with a number": (lambda: x @ 2, TypeError, r"a number scales a tensor with \*"),
    "several dims one by one": (lambda: x.sum(0, 1), TypeError, r"one tuple: dim=\(0, 1\)"),
    "new axis too far out": (lambda: x.unsqueeze(5), IndexError, "from -3 to 2"),
    "-1 beside sizes that do not divide": (lambda: x.reshape(4, -1), RuntimeError, "whose product divides 6"),
    "NumPy's function": (lambda: rf.array([1]), AttributeError, r"rustyflow.tensor\(data\)"),
    "NumPy's dtype as a method": (lambda: x.float64(), AttributeError, r"x.double\(\)"),
    "a step before backward": (stepped_early, RuntimeError, r"write after backward\(\)"),
    "a list of losses": (lambda: rf.mean([x.sum(), x.sum()]), TypeError, r"rustyflow.stack"),
    "a share of right ones": (lambda: (rf.ones(2, requires_grad=True) > 0).float().mean().backward(),
                              RuntimeError, "comparisons"),
    "a state handed on": (walked_twice, RuntimeError, "h.detach"),
    "a value for a cell": (lambda: x.__setitem__((0, 0), rf.ones(2)), RuntimeError, "takes one number"),
}


@pytest.mark.parametrize("name", ADVICE)
def test_the_advice_is_about_what_was_written(name):
    call, error, words = ADVICE[name]
    with pytest.raises(error, match=f"try:  .*{words}"):
        call()


def test_batches_that_do_not_align_are_shown_with_their_matrices():
    with pytest.raises(RuntimeError, match="a:  2  3  4\nb:  3  4  5\n    \\^"):
        rf.ones(2, 3, 4) @ rf.ones(3, 4, 5)


def test_the_dtype_that_is_named_is_the_one_that_is_refused():
    with pytest.raises(RuntimeError, match="sub of a tensor of rustyflow.bool"):
        rf.tensor([True]) - 1


@pytest.mark.parametrize("method, key", [("view", "size"), ("repeat", "repeats"), ("permute", "dims")])
def test_an_argument_that_is_missing_is_said_to_be(method, key):
    with pytest.raises(TypeError, match=f"missing a required argument: '{key}'"):
        getattr(rf.ones(2), method)()


@pytest.mark.parametrize("product", [
    lambda x: x * [1, 2, 3], lambda x: [1, 2, 3] * x, lambda x: x.long() * [1, 2, 3],
], ids=["tensor * list", "list * tensor", "integers"])
def test_a_product_with_a_list_names_the_list(product):
    with pytest.raises(TypeError, match="only integer tensors of a single element") as caught:
        product(rf.ones(2, 3))
    assert "[1, 2, 3]" in caught.value.was and "rustyflow.tensor([1, 2, 3])" in caught.value.fix


def test_one_whole_number_repeats_a_list_as_in_pytorch():
    assert [1, 2] * rf.tensor(2) == rf.tensor([2]) * [1, 2] == [1, 2, 1, 2]


@pytest.mark.parametrize("backward", [rf.autograd.backward, lambda y: rf.autograd.grad(y, y[0])],
                         ids=["backward", "grad"])
def test_the_tensor_without_history_is_the_one_that_is_named(backward):
    with pytest.raises(RuntimeError, match="element 1 of tensors"):
        backward([rf.ones(1, requires_grad=True).sum(), rf.tensor(1.0)])


def test_an_axis_of_no_cells_is_not_stretched():
    with pytest.raises(RuntimeError, match="must match the existing size"):
        rf.ones(0, 3).expand(2, 3)


def test_a_width_is_for_one_number():
    assert f"{rf.tensor(3.14159):.2f}" == "3.14" and f"{rf.tensor([1.0])}" == "tensor([1.])"
    with pytest.raises(TypeError, match="x\\[0\\].item"):
        f"{rf.tensor([1.0, 2.0]):.2f}"


@pytest.mark.parametrize("work, why", [
    (lambda x: x + None, "return"), (lambda x: None - x, "return"), (lambda x: x - [1, 2], r"tensor\(\[1, 2\]\)"),
    (lambda x: (1, 2) + x, r"tensor\(\(1, 2\)\)"), (lambda x: x @ (1, 2), r"tensor\(\(1, 2\)\)"),
    (lambda x: x < "3", r"float\('3'\)"), (lambda x: "ab" * x, "is repeated"),
    (lambda x: x * [1, 2], "is repeated"), (lambda x: x * None, "return"),
])
def test_an_operator_says_what_to_write_for_what_it_does_not_take(work, why):
    with pytest.raises(TypeError, match=f"rule: (.|\\n)*{why}"):
        work(rf.ones(2))


def test_what_a_tensor_is_not_equal_to_and_how_often_it_repeats():
    x = rf.ones(2)
    assert (x == None) is False and (x != "a") is True and (x == [1, 1]) is False  # noqa: E711
    assert "ab" * rf.tensor(2) == "abab" and [0] * rf.tensor([3]) == [0, 0, 0]
    parts = []
    parts += x
    assert len(parts) == 2


def test_a_complex_number_is_absent_beside_an_operator():
    with pytest.raises(NotImplementedError, match="two tensors"):
        rf.ones(2) + 1j


@pytest.mark.parametrize("key, error, fix", [
    (slice(1.5, None), TypeError, "n // 2"), (slice(None, "a"), TypeError, "n // 2"),
    (slice(None, None, 0), ValueError, "flip"), (slice(None, None, -1), ValueError, "flip"),
])
def test_a_slice_is_of_whole_numbers_with_a_positive_step(key, error, fix):
    for x in (rf.ones(3), rf.ones(3, requires_grad=True), rf.ones(0)):
        with pytest.raises(error, match=f"rule: (.|\\n)*{fix}"):
            x[key]


def test_whole_numbers_have_no_logcumsumexp():
    with pytest.raises(NotImplementedError, match="floating"):
        rf.arange(3).logcumsumexp(0)


def test_what_is_looked_for_has_a_shape_that_fits():
    x = rf.zeros(3)
    assert rf.zeros(1) in x and 0 in x and rf.tensor([1.0, 0.0, 1.0]) in x and 2 not in x
    with pytest.raises(RuntimeError, match="must match the size"):
        _ = rf.zeros(2) in x
    for call in (lambda: rf.isin(x, [1, 1]), lambda: rf.isin(1, 2), lambda: rf.cartesian_prod((x, x)),
                 lambda: rf.as_tensor(x, rf.float64)):
        with pytest.raises(TypeError, match="rule:"):
            call()


@pytest.mark.parametrize("name", ["var", "std", "var_mean", "std_mean"])
def test_a_spread_of_too_few_cells_is_warned_of(name):
    x = rf.ones(1, 3)
    with pytest.warns(UserWarning, match=rf"{name}\(\): degrees of freedom"):
        getattr(rf, name)(x, 0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        getattr(rf, name)(x, 0, correction=0), getattr(rf, name)(x)


@pytest.mark.parametrize("call", [
    lambda: x.add("a"), lambda: x.clamp("a"), lambda: x.pow("a"), lambda: rf.mul(x, "a"), lambda: x.add_("a"),
])  # fmt: skip
def test_where_a_number_would_do_the_message_says_so(call):
    with pytest.raises(TypeError, match="must be Tensor or Number, not str"):
        call()


@pytest.mark.parametrize("value, fix", [
    ([1.0, 2.0], "wrap it: rustyflow.tensor"), (3, "wrap it: rustyflow.tensor"), (object(), "a tensor, such as"),
    ({"w": x}, r"the tensors .* input\['w'\]"), (x.mean, r"call it, where it makes a tensor: mean\("),
    (sys, "a tensor, such as"), ([1.5, "q"], "a tensor, such as"),
], ids=["list", "number", "object", "dict", "method", "module", "text"])  # fmt: skip
def test_wrapping_is_advised_for_what_can_be_a_tensor(value, fix):
    with pytest.raises(TypeError, match="try:  " + fix):
        rf.sin(value)


def test_a_size_that_is_no_number_is_shown_as_it_was_given():
    with pytest.raises(TypeError) as caught:
        rf.zeros("3")
    assert caught.value.was == "zeros('3')"


def test_advice_has_the_name_that_the_readers_program_gave_the_library(monkeypatch):
    monkeypatch.setattr(sys.modules["__main__"], "torch", rf, raising=False)
    with pytest.raises(TypeError, match=r"try:  wrap it: torch.tensor\("):
        rf.sin([1.0])
    monkeypatch.setattr(sys.modules["__main__"], "rustyflow", rf, raising=False)
    with pytest.raises(TypeError, match=r"try:  wrap it: rustyflow.tensor\("):
        rf.sin([1.0])
