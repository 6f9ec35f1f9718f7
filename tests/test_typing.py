"""What stubs name is there, what is there they name, and an editor completes it; a type checker is in the long ring."""

import ast
from importlib import import_module
from inspect import signature
from operator import attrgetter
from pathlib import Path

import pytest

import rustyflow

ROOT = Path(rustyflow.__file__).parent
@pytest.mark.parametrize("stub", [path.relative_to(ROOT).as_posix() for path in ROOT.rglob("*.pyi")])
def test_stubs_name_what_is_there(stub):
    module = import_module(".".join(["rustyflow", *Path(stub).with_suffix("").parts]).removesuffix(".__init__"))
    named = set()
    for node in ast.parse((ROOT / stub).read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ImportFrom):
            named |= {alias.asname for alias in node.names if alias.asname}
            package = module.__name__ if stub.endswith("__init__.pyi") else module.__name__.rpartition(".")[0]
            taken = import_module("." * node.level + (node.module or ""), package) if node.level else None
            assert taken is None or all(hasattr(taken, alias.name) for alias in node.names), ast.unparse(node)
        elif isinstance(node, ast.ClassDef | ast.FunctionDef):
            named |= {node.name} - {"__getattr__"}
    assert not [name for name in named if not hasattr(module, name)]


FACES = "nn", "nn.functional", "optim", "optim.lr_scheduler", "utils", "utils.data", "distributions"


def of_stub(face):
    """The nodes of a face's stub, by the names that they give."""
    path = ROOT / face.replace(".", "/")
    text = (path / "__init__.pyi" if path.is_dir() else path.with_suffix(".pyi")).read_text(encoding="utf-8")
    found = {}
    for node in ast.parse(text).body:
        held = node.names if isinstance(node, ast.ImportFrom) else [node]
        found |= {getattr(one, "name", ""): node for one in held}
    return found


@pytest.mark.parametrize("face", FACES)
def test_every_public_name_of_layers_optimizers_and_loaders_is_in_its_stub_with_its_settings(face):
    module, found = import_module(f"rustyflow.{face}"), of_stub(face)
    assert set(module.__all__) <= set(found)
    for name, node in found.items():
        if isinstance(node, ast.ClassDef | ast.FunctionDef):
            made = next((one for one in node.body if getattr(one, "name", "") == "__init__"), node)
            told = [one.arg for one in (*made.args.args[made is not node:], *made.args.kwonlyargs)]
            assert told == [*signature(getattr(module, name)).parameters], name


@pytest.mark.parametrize("begun, whole", [
    ("rf.nn.Lin", "Linear"), ("rf.nn.AdaptiveM", "AdaptiveMaxPool2d"), ("rf.nn.init.kaim", "kaiming_uniform_"),
    ("rf.nn.utils.clip", "clip_grad_norm_"), ("rf.optim.Ad", "AdamW"), ("rf.optim.lr_scheduler.Step", "StepLR"),
    ("rf.nn.functional.cross", "cross_entropy"), ("rf.utils.data.Data", "DataLoader"),
    ("rf.utils.data.sets.moo", "moons"), ("rf.nn.Linear(2, 3).wei", "weight"),
    ("rf.nn.Linear(2, 3).para", "parameters"), ("rf.optim.SGD([]).zero", "zero_grad"),
    ("rf.optim.lr_scheduler.StepLR(None, 2).get", "get_last_lr"), ("rf.distributions.Cat", "Categorical"),
    ("rf.distributions.Normal(0, 1).rs", "rsample"),
])
def test_an_editor_completes_names(begun, whole):
    jedi = pytest.importorskip("jedi")
    begin = "import rustyflow as rf\n"
    names = [one.name for one in jedi.Script(begin + begun).complete()]
    assert whole in names
    if "(" not in begun:
        shown = jedi.Script(f"{begin}{begun.rpartition(chr(46))[0]}.{whole}(").get_signatures()
        wanted = [*signature(attrgetter(f"{begun.rpartition(chr(46))[0]}.{whole}"[3:])(rustyflow)).parameters]
        assert shown and [one.name for one in shown[0].params] == wanted
