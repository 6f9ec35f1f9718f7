"""What `import rustyflow` loads, that the rest comes by itself, and what modules take from each other."""
import ast
import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest

import rustyflow as rf
from rustyflow import ops


def fresh(code):
    """What a new interpreter prints."""
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip()


def test_import_loads_tensors_and_creation_alone():
    loaded = fresh("import sys, rustyflow; print(*sys.modules)").split()
    assert "rustyflow.ops.creation" in loaded
    ours = {f"rustyflow.{name}" for name in ("ops.views.view", "scene", "show", "random", "autograd")}
    assert not (ours | {"torch", "IPython", "ipywidgets", "anywidget", "matplotlib", "safetensors"}) & set(loaded)


@pytest.mark.parametrize("use", ["rf.ones(2) + 1", "rf.ones(2)[0]", "rf.ones(2).tanh()", "rf.exp(rf.ones(2))"])
def test_any_first_use_fills_the_table(use):
    assert fresh(f"import rustyflow as rf; rf_ = {use}; print('filled')") == "filled"


def test_every_family_is_in_the_list():
    _ = rf.exp
    late = {"rustyflow.ops.elementwise.bits"}  # loaded by the one view that reinterprets bytes
    assert {m.name for m in pkgutil.walk_packages(ops.__path__, "rustyflow.ops.")} - late <= set(sys.modules)


def test_stand_ins_stand_for_every_special_method_and_are_all_replaced():
    _ = rf.exp
    left = [name for name, value in vars(rf.Tensor).items()
            if getattr(value, "__qualname__", "").startswith("_on_first_use")]
    assert left == []
    names = fresh("from rustyflow.tensor import Tensor; print(sorted(n for n in vars(Tensor) if n.startswith('__')))")
    assert [n for n in vars(rf.Tensor) if n.startswith("__") and repr(n) not in names] == []


def test_what_is_not_there_is_an_attribute_error():
    for thing in (rf, rf.ones(2), rf.autograd):
        assert not hasattr(thing, "no_such_name")


def test_threads_may_be_the_first_to_use_an_op():
    code = ("import threading, rustyflow as rf; x = rf.ones(3); out = []\n"
            "threads = [threading.Thread(target=lambda: out.append(x.cosh().shape)) for _ in range(8)]\n"
            "[t.start() for t in threads]; [t.join() for t in threads]; print(len(out))")
    assert fresh(code) == "8"


def test_importing_does_not_load_what_numpy_does_without():
    """Each of these costs a student's start as much as ten of our modules."""
    code = "import sys, numpy; before = set(sys.modules); import rustyflow; print(*set(sys.modules) - before)"
    assert not {"threading", "inspect", "dataclasses", "asyncio", "logging"} & set(fresh(code).split())


def private(tree):
    """The names with one underscore in front that a module takes from others of ours, imported or read off them."""
    ours = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.level]
    given = {alias.asname or alias.name for node in ours for alias in node.names}
    read = {(node.value.id, node.attr) for node in ast.walk(tree)
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in given}
    taken = [alias.name for node in ours for alias in node.names] + [f for m, f in read if m.islower()]
    return [name for name in taken if name.startswith("_") and not name.startswith("__")]


def test_no_module_takes_what_another_keeps_to_itself():
    assert private(ast.parse("from .a import _b, c; c._d")) == ["_b", "_d"]
    root = Path(rf.__file__).parent
    taken = {str(path.relative_to(root)): private(ast.parse(path.read_text(encoding="utf-8")))
             for path in root.rglob("*.py") if path.relative_to(root).parts[0] != "course"}
    assert len(taken) > 200 and {path: names for path, names in taken.items() if names} == {}


def test_a_star_brings_every_function_and_type_and_no_module():
    star = "from rustyflow import *; print(*[name for name in dir() if name[0] != '_'])"
    names, later = [set(fresh(code).split()) for code in (star, "import rustyflow as _rf; _rf.ones(1) + 1; " + star)]
    assert names == later
    assert {"Tensor", "tensor", "exp", "float32", "no_grad", "save", "inf"} <= names
    assert not names & {"numpy", "nn", "show", "linalg"}
