"""The loops backend under the whole library: training, memory, and what it says that it lacks."""

import ast
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

import rustyflow as rf
from rustyflow import backends
from rustyflow.backends import loops, numpy as numpy_backend, use
from rustyflow.errors import AbsentError


def test_higher_derivatives_run_through_the_same_engine():
    with use("loops"):
        x = rf.tensor([2.0, 3.0], requires_grad=True)
        (g,) = rf.autograd.grad((x**3).sum(), x, create_graph=True)
        (h,) = rf.autograd.grad(g.sum(), x)
        assert (g.tolist(), h.tolist()) == ([12.0, 27.0], [12.0, 18.0])


def test_a_step_of_training():
    def train():
        w = rf.tensor([[0.5, -0.25]], requires_grad=True)
        x, target = rf.tensor([[1.0, 2.0], [3.0, 4.0]]), rf.tensor([[1.0], [2.0]])
        for _ in range(3):
            loss = ((x @ w.t() - target) ** 2).mean()
            loss.backward()
            with rf.no_grad():
                w -= 0.125 * w.grad
                w.grad.zero_()
        return w.tolist()

    with use("loops"):
        got = train()
    assert got == train()


def test_what_it_has_not_got_it_says():
    with use("loops"), pytest.raises(AbsentError, match="has no function svd: it is found by going round"):
        rf.linalg.matrix_norm(rf.eye(2), 2)
    with use("loops"), pytest.raises(AbsentError, match="which has no bytes"):
        rf.ones(2).view(rf.int32)
    with use("loops"), pytest.raises(AbsentError, match="cannot share NumPy's memory"):
        rf.from_numpy(np.ones(2))
    with use("loops"), pytest.raises(AbsentError, match="tolist"):
        rf.ones(2).numpy()
    assert backends.backend.name == "numpy"


def test_no_function_of_the_other_backend_is_missing_unnamed():
    own = {"empty_as", "into", "tanh_of"}  # which the numpy backend keeps for itself
    asked = set()
    for family in ("core", "views", *numpy_backend.FAMILIES):
        module = import_module(f"rustyflow.backends.numpy.{family}")
        asked |= {name for name, f in vars(module).items() if getattr(f, "__module__", "") == module.__name__}
    assert {name for name in asked if name[0] != "_"} - own - set(loops.functions()) == set(loops.ABSENT)
    of_ufuncs = {name for name in numpy_backend.NUMPY if isinstance(getattr(np, name), np.ufunc)}
    assert numpy_backend.NUMPY - of_ufuncs - set(loops.functions()) == {"eye"}  # which only svd and eigen need


def test_the_library_asks_for_nothing_that_the_interface_does_not_name():
    asked = set()
    house = Path(rf.__file__).parent
    for path in house.rglob("*.py"):
        if path.relative_to(house).parts[0] not in ("backends", "nn"):  # in nn F is nn.functional
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Attribute) and getattr(node.value, "id", "") in ("F", "backend"):
                    asked.add(node.attr)
    assert {name for name in asked if name[0] != "_" and not hasattr(backends.backend, name)} == set()
    assert not any(hasattr(backends.backend, name) for name in ("fft", "random", "testing", "np", "annotations"))


@pytest.mark.parametrize("name", backends.NAMES)
def test_tensors_of_two_backends_do_not_mix(name):
    x, kept = rf.ones(2, 2), []
    with use("loops"):
        y = rf.ones(2, 2)
    with use(name):
        for mix in (lambda: x + y, lambda: y + x, lambda: x @ y, lambda: y @ x, lambda: y.mul_(x), lambda: x.mul_(y),
                    lambda: rf.maximum(y, x), lambda: rf.atan2(x, y), lambda: x.copy_(y), lambda: y.copy_(x),
                    lambda: x.__setitem__(0, y[0])):
            with pytest.raises(TypeError, match="the arrays of two backends do not mix"):
                kept.append(mix())
    assert x.tolist() == [[1, 1], [1, 1]] == y.tolist()


def test_a_function_that_is_not_there_is_an_attribute_that_is_not_there():
    for name in backends.NAMES:
        with use(name):
            assert not hasattr(backends.backend, "no_such_function")


def test_no_file_of_it_imports_numpy():
    for path in Path(loops.__file__).parent.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = (
                [a.name for a in node.names]
                if isinstance(node, ast.Import)
                else [node.module or ""]
                if isinstance(node, ast.ImportFrom)
                else []
            )
            assert not any(name.split(".")[0] == "numpy" for name in names), path.name


def test_results_lie_in_memory_as_their_operands_do():
    told = []
    for name in ("numpy", "loops"):
        with use(name):
            x = rf.arange(24.0).view(2, 3, 4).permute(2, 0, 1)
            results = x * 2, 2 - x, x + x[:1], x.exp(), x.clamp(1, 5), x[::2] * x[1::2], rf.where(x > 3, x, 0)
            told.append([y.stride() for y in results])
    assert told[0] == told[1]


def test_views_share_and_writes_are_seen():
    with use("loops"):
        x = rf.arange(6).view(2, 3)
        row = x.t()[1]
        row += 10
        x[0] = rf.tensor([7, 8, 9])
        assert (x.tolist(), row.tolist(), x._version, row.stride()) == ([[7, 8, 9], [3, 14, 5]], [8, 14], 2, (3,))


def test_a_new_axis_in_a_transposed_tensor_reads_the_same_cells():
    told = []
    for name in ("numpy", "loops"):
        with use(name):
            told.append(rf.arange(6).view(2, 3).t().unsqueeze(1).expand(3, 2, 2).tolist())
    assert told[0] == told[1]
