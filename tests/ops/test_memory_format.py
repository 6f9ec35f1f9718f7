"""memory_format, the default device and the precision of products: what PyTorch takes is taken, with its results."""

import copy
import pickle

import pytest

import rustyflow as rf
from rustyflow.errors import AbsentError

CALLS = {
    "clone": lambda lib, x, m: x.clone(memory_format=m), "torch.clone": lambda lib, x, m: lib.clone(x, memory_format=m),
    "contiguous": lambda lib, x, m: x.contiguous(memory_format=m),
    "to": lambda lib, x, m: x.to(lib.float64, memory_format=m), "to itself": lambda lib, x, m: x.to(memory_format=m),
    "to a copy": lambda lib, x, m: x.to(lib.float32, copy=True, memory_format=m),
    "double": lambda lib, x, m: x.double(memory_format=m), "half": lambda lib, x, m: x.half(memory_format=m),
    "long": lambda lib, x, m: x.long(memory_format=m), "cpu": lambda lib, x, m: x.cpu(memory_format=m),
    "type": lambda lib, x, m: x.type(lib.float64, memory_format=m),
    "empty": lambda lib, x, m: lib.empty(2, 3, memory_format=m),
    "empty_like": lambda lib, x, m: lib.empty_like(x, memory_format=m),
    "zeros_like": lambda lib, x, m: lib.zeros_like(x, memory_format=m),
    "ones_like": lambda lib, x, m: lib.ones_like(x, memory_format=m),
    "full_like": lambda lib, x, m: lib.full_like(x, 2, memory_format=m),
    "rand_like": lambda lib, x, m: lib.rand_like(x, memory_format=m),
    "randn_like": lambda lib, x, m: lib.randn_like(x, memory_format=m),
    "randint_like": lambda lib, x, m: lib.randint_like(x, 9, memory_format=m),
    "Module.to": lambda lib, x, m: lib.nn.Linear(2, 3).to(memory_format=m).weight,
}  # fmt: skip
OPERANDS = {
    "row-major": lambda lib: lib.arange(6.0).view(2, 3), "transposed": lambda lib: lib.arange(6.0).view(2, 3).t(),
    "permuted": lambda lib: lib.arange(24.0).view(2, 3, 4).permute(2, 0, 1),
    "expanded": lambda lib: lib.arange(3.0).expand(2, 3), "without axes": lambda lib: lib.tensor(1.0),
}  # fmt: skip


@pytest.mark.parametrize("word", ["preserve_format", "contiguous_format"])
@pytest.mark.parametrize("operand", OPERANDS)
@pytest.mark.parametrize("name", CALLS)
def test_results_lie_as_pytorchs(name, operand, word):
    torch = pytest.importorskip("torch")
    found = []
    for lib in (rf, torch):
        lib.manual_seed(5)
        try:
            y = CALLS[name](lib, OPERANDS[operand](lib), getattr(lib, word))
            found.append((y.stride(), y.tolist() if name not in ("empty", "empty_like") else None))
        except RuntimeError:
            found.append("refused")
    assert found[0] == found[1]


@pytest.mark.parametrize("name, preserved, row_major", [
    ("clone", (1, 3), (2, 1)), ("zeros_like", (1, 3), (2, 1)), ("double", (1, 3), (2, 1)),
    ("to itself", (1, 3), (1, 3)), ("randn_like", (1, 3), (2, 1)),
])
def test_strides_worked_by_hand(name, preserved, row_major):
    x = OPERANDS["transposed"](rf)
    assert CALLS[name](rf, x, rf.preserve_format).stride() == preserved == CALLS[name](rf, x, None).stride()
    assert CALLS[name](rf, x, rf.contiguous_format).stride() == row_major


@pytest.mark.parametrize("name", CALLS)
def test_what_is_no_format_is_refused(name):
    with pytest.raises(TypeError, match=r"argument 'memory_format' must be rustyflow.memory_format, not str\ntry: "):
        CALLS[name](rf, OPERANDS["row-major"](rf), "contiguous_format")
    torch = pytest.importorskip("torch")
    with pytest.raises(AbsentError, match=r"rule: .*\ntry: .*permute\(0, 2, 3, 1\)"):
        CALLS[name](rf, OPERANDS["row-major"](rf), torch.channels_last)
    assert CALLS[name](rf, OPERANDS["row-major"](rf), torch.contiguous_format) is not None


def test_channels_last_says_what_lies_so():
    with pytest.raises(AttributeError, match=r"try: .*x\.permute\(0, 2, 3, 1\)\.contiguous\(\)\.permute\(0, 3, 1, 2\)"):
        rf.channels_last  # noqa: B018
    x = rf.zeros(2, 3, 4, 5)
    assert x.permute(0, 2, 3, 1).contiguous().permute(0, 3, 1, 2).stride() == (60, 1, 15, 3)


def test_formats_are_values_of_their_own():
    for word in ("preserve_format", "contiguous_format"):
        format = getattr(rf, word)
        assert isinstance(format, rf.memory_format) and repr(format) == f"rustyflow.{word}"
        assert pickle.loads(pickle.dumps(format)) is format is copy.deepcopy(format)
    assert rf.preserve_format != rf.contiguous_format
    assert rf.zeros(2, 3).t().is_contiguous(memory_format=rf.contiguous_format) is False
    with pytest.raises(TypeError):
        rf.memory_format("channels_first")


def test_gradients_flow_through_a_copy_in_another_order():
    x = rf.arange(6.0).view(2, 3).requires_grad_()
    (x.t().clone(memory_format=rf.contiguous_format) * rf.arange(6.0).view(3, 2)).sum().backward()
    (x.t().to(rf.float64, memory_format=rf.contiguous_format) * 2).sum().backward()
    assert x.grad.tolist() == [[2, 4, 6], [3, 5, 7]]


@pytest.mark.parametrize("given", ["cpu", "cpu:0", "cpu:1", None])
@pytest.mark.parametrize("library", ["rustyflow", "torch"])
def test_the_default_device_is_the_cpu(given, library):
    lib = pytest.importorskip(library)
    try:
        for device in (given, given and lib.device(given)):
            assert lib.set_default_device(device) is None
            assert str(lib.get_default_device()) == (given or "cpu") and lib.zeros(2).device.type == "cpu"
    finally:
        lib.set_default_device(None)


@pytest.mark.parametrize("outer, inner", [("cpu", "cpu:1"), ("cpu:0", "cpu"), ("cpu:2", "cpu:2")])
@pytest.mark.parametrize("library", ["rustyflow", "torch"])
def test_a_device_is_the_default_in_the_lines_of_its_with(outer, inner, library):
    lib = pytest.importorskip(library)
    with lib.device(outer) as entered:
        assert str(entered) == str(lib.get_default_device()) == outer and lib.zeros(2).device.type == "cpu"
        with pytest.raises(ZeroDivisionError), lib.device(inner):
            assert str(lib.get_default_device()) == inner
            raise ZeroDivisionError
        assert str(lib.get_default_device()) == outer
    assert str(lib.get_default_device()) == "cpu"


@pytest.mark.parametrize("given, error", [
    ("cuda", NotImplementedError), ("meta", NotImplementedError), ("nowhere", RuntimeError), (3.5, TypeError),
    ("cpu:x", RuntimeError),
])
def test_another_device_is_refused_with_what_to_write(given, error):
    with pytest.raises(error, match="rule: .*\ntry: "):
        rf.set_default_device(given)
    assert str(rf.get_default_device()) == "cpu"
    with pytest.raises(TypeError, match="try: .*set_default_device"):
        rf.set_default_device()


@pytest.mark.parametrize("library", ["rustyflow", "torch"])
def test_the_precision_of_products_is_taken_and_told(library):
    lib = pytest.importorskip(library)
    assert lib.get_float32_matmul_precision() == "highest"
    x = lib.rand(5, 5)
    y = x @ x
    try:
        for word in ("high", "medium", "highest", "high"):
            assert lib.set_float32_matmul_precision(word) is None and lib.get_float32_matmul_precision() == word
        assert library == "torch" or rf.equal(x @ x, y)
        with pytest.warns(UserWarning, match="no effect"):
            lib.set_float32_matmul_precision("low")
        assert lib.get_float32_matmul_precision() == "high"
        for wrong in (3, None, True):
            with pytest.raises(RuntimeError, match="expects a str, but got"):
                lib.set_float32_matmul_precision(wrong)
    finally:
        lib.set_float32_matmul_precision("highest")


OF_ONE = ["current_device_index", "synchronize", "empty_cache", "memory_allocated", "set_device_index"]


@pytest.mark.parametrize("name", OF_ONE)
@pytest.mark.parametrize("library", ["rustyflow", "torch"])
def test_there_is_no_accelerator(name, library):
    lib = pytest.importorskip(library)
    if library == "torch" and lib.accelerator.is_available():
        pytest.skip("this machine has one")
    assert lib.accelerator.is_available() is False and lib.accelerator.device_count() == 0
    assert lib.accelerator.current_accelerator() is None and lib.accelerator.current_accelerator(True) is None
    with pytest.raises(RuntimeError, match="none is available"):
        getattr(lib.accelerator, name)(*[0] * name.startswith("set_"))


def test_a_program_asks_for_its_device_as_it_does_of_pytorch():
    import rustyflow.accelerator as accelerator
    assert accelerator is rf.accelerator and "accelerator" in dir(rf)
    device = rf.accelerator.current_accelerator().type if rf.accelerator.is_available() else "cpu"
    assert rf.ones(2, device=device).to(device).is_cpu
    with pytest.raises(AttributeError, match="no_such_name"):
        accelerator.no_such_name  # noqa: B018
