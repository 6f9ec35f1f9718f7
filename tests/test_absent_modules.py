"""Modules that programs import at their top and only then ask: the import works, and the error comes at the use."""

import copy
import doctest
import inspect
import pickle
import pydoc
import subprocess
import sys

import pytest

import rustyflow as rf
from rustyflow.absent.modules import LEFT_OUT
from rustyflow.errors import AbsentError


@pytest.fixture(autouse=True)
def imported():
    """What is imported here is forgotten afterwards, as other tests ask for it as an attribute."""
    before = set(sys.modules)
    yield
    for name in set(sys.modules) - before:
        owner, _, last = name.rpartition(".")
        if owner in sys.modules and name.startswith(("rustyflow.", "torch.")) and "which rustyflow leaves out" in repr(
                sys.modules[name]):
            vars(sys.modules[owner]).pop(last, None)
            del sys.modules[name]


def run(line):
    names = {}
    exec(line, names)
    return names


USES = {
    "import rustyflow.multiprocessing as mp": ("mp.set_start_method('spawn')", "multiprocessing"),
    "import rustyflow.distributed as dist": ("dist.init_process_group('gloo')", r"model\(x\)"),
    "from rustyflow.cuda import amp": ("amp.autocast()", "half"),
    "from rustyflow import amp": ("amp.GradScaler('cpu')", "half"),
    "from rustyflow.amp import autocast, GradScaler": ("autocast('cpu')", "half"),
    "from rustyflow.cuda.amp import autocast as cast": ("cast(enabled=True)", "half"),
    "import rustyflow.optim.swa_utils": ("rustyflow.optim.swa_utils.AveragedModel(1)", "lerp_"),
    "from rustyflow.optim.swa_utils import SWALR, update_bn": ("update_bn(1, 2)", "lerp_"),
    "from rustyflow.utils.tensorboard import SummaryWriter": ("SummaryWriter('runs')", r"plt\.plot"),
    "from rustyflow.utils.data.distributed import DistributedSampler": ("DistributedSampler(1)", "DataLoader"),
    "from rustyflow.nn.parallel import DistributedDataParallel as DDP": ("DDP(1)", r"model\(x\)"),
    "from rustyflow.nn.utils.rnn import pad_sequence": ("pad_sequence([1])", "nn"),
    "from rustyflow.nn.utils import prune": ("prune.l1_unstructured(1)", "nn"),
    "from rustyflow.distributed.elastic.multiprocessing.errors import record": ("record(print)", r"model\(x\)"),
    "from rustyflow.utils.checkpoint import checkpoint": ("checkpoint(print, 1)", r"model\(x\)"),
    "import rustyflow.onnx as onnx": ("onnx.export(1)", "ir"),
    "from rustyflow import onnx": ("onnx.export(1)", "ir"),
    "import rustyflow.nn.attention": ("rustyflow.nn.attention.sdpa_kernel(1)", "scaled_dot_product_attention"),
    "import rustyflow.fft": ("rustyflow.fft.rfft(1)", r"numpy\.fft"),
    "from rustyflow.distributions.multivariate_normal import MultivariateNormal as M": ("M(0, 1)", "log_prob"),
    "from rustyflow.distributions.binomial import Binomial": ("Binomial(3, .5)", "log_prob"),
    "from rustyflow.distributions import transformed_distribution as t": ("t.TransformedDistribution(1)", "log_prob"),
    "from rustyflow.profiler import profile, record_function": ("profile()", "cProfile"),
}


@pytest.mark.parametrize("line", USES)
def test_the_import_works_and_the_use_says_what_to_write(line):
    use, instead = USES[line]
    names = run(line)
    with pytest.raises(AbsentError, match=f"\nrule: .*\ntry: .*{instead}") as caught:
        eval(use, names)
    assert isinstance(caught.value, NotImplementedError)


@pytest.mark.parametrize("name", LEFT_OUT)
def test_each_module_has_its_reason_and_no_name_of_ours(name):
    module = run(f"import rustyflow.{name} as found")["found"]
    assert "which is not here: " in module.__doc__ and "Instead: " in module.__doc__ and dir(module) is not None
    with pytest.raises(AbsentError, match="rule: .*\ntry: "):
        module.anything()


def test_these_are_pytorchs_modules():
    pytest.importorskip("torch")
    theirs = [name for name in LEFT_OUT if name not in ("cuda.profiler", "utils.tensorboard")]  # which need others
    code = "import importlib, sys, warnings; warnings.simplefilter('ignore')\nfor name in sys.argv[1:]: " \
           "importlib.import_module('torch.' + name)"
    subprocess.run([sys.executable, "-c", code, *theirs], check=True)


WAYS = {
    "entered": lambda name: name.__class__.__enter__(name), "subclassed": lambda name: run_class(name),
    "subscripted": lambda name: name[0], "asked": lambda name: name.apply, "set": lambda name: setattr(name, "x", 1),
    "iterated": lambda name: list(name), "called": lambda name: name(1, a=2),
}


def run_class(base):
    class Mine(base):
        pass


@pytest.mark.parametrize("way", WAYS)
def test_every_way_of_use_is_told(way):
    name = run("from rustyflow.amp import autocast")["autocast"]
    with pytest.raises(AbsentError, match=r"^rustyflow\.amp\.autocast(.|\n)*rule: .*\ntry: "):
        WAYS[way](name)


def test_what_is_only_kept_is_no_use():
    name = run("from rustyflow.amp import GradScaler")["GradScaler"]

    def step(scaler: name | None, other: "int | None" = None) -> None | name: ...
    assert not isinstance(3, name) and not hasattr(name, "apply") and not hasattr(name, "__wrapped__")
    assert repr(pickle.loads(pickle.dumps(name))) == repr(copy.deepcopy(name)) == repr(name)
    assert "GradScaler" in repr(name) and inspect.unwrap(name) is name and not inspect.isclass(name)


@pytest.mark.parametrize("name", ["multiprocessing", "amp", "optim.swa_utils", "utils.tensorboard"])
def test_python_looks_a_module_over_as_any_other(name):
    module = run(f"import rustyflow.{name} as found")["found"]
    assert inspect.ismodule(module) and repr(module) and inspect.getdoc(module) == module.__doc__
    assert not hasattr(module, "__wrapped__") and not hasattr(module, "_private") and not hasattr(module, "__file__")
    for look in (inspect.getmembers, dir, pydoc.render_doc, doctest.DocTestFinder().find, inspect.unwrap):
        look(module)
    with pytest.raises(TypeError, match="cannot pickle"):
        pickle.dumps(module)


def test_whether_there_are_several_processes_is_answered():
    dist = run("import rustyflow.distributed as dist")["dist"]
    assert dist.is_available() is False and dist.is_initialized() is False


def test_it_is_collected_by_pytest_and_doctest(tmp_path):
    (tmp_path / "test_a.py").write_text(
        '"""A program.\n\n>>> 1 + 1\n2\n"""\nimport rustyflow.multiprocessing as mp\n'
        "from rustyflow.amp import autocast, GradScaler\nfrom rustyflow import amp\n\n\ndef test_a():\n    assert mp\n")
    done = subprocess.run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--doctest-modules",
                           str(tmp_path)], capture_output=True, text=True, cwd=tmp_path)
    assert "2 passed" in done.stdout, done.stdout


PROGRAM = """
import rustyflow, sys
sys.modules["torch"] = rustyflow
import torch, torch.nn as nn, torch.nn.functional as F, torch.optim as optim, torch.multiprocessing as mp
import torch.backends.cudnn as cudnn, torch.utils.data.dataloader, torch.distributions as D
from torch.utils.data import DataLoader
from torch.utils.data.dataloader import default_collate
from torch.cuda.amp import autocast
from torch.optim.lr_scheduler import StepLR
cudnn.benchmark = True
assert torch.backends.cudnn.benchmark and nn is rustyflow.nn and F is rustyflow.nn.functional
assert nn.__spec__.name == nn.__name__ and torch.accelerator.device_count() == 0
assert DataLoader is rustyflow.utils.data.DataLoader and D is rustyflow.distributions
assert issubclass(nn.Linear, rustyflow.nn.Module) and torch.cuda.amp is sys.modules["rustyflow.cuda.amp"]
print("ran", mp.Pool)
"""


def test_a_program_that_calls_it_torch_gets_the_same_modules():
    done = subprocess.run([sys.executable, "-W", "error", "-c", PROGRAM], capture_output=True, text=True)
    assert done.stdout == "ran <rustyflow.multiprocessing.Pool, which rustyflow leaves out>\n", done.stderr


def test_settings_for_a_gpu_are_a_module_too():
    import rustyflow.backends.cudnn as cudnn
    import rustyflow.backends.mps as mps
    assert cudnn is rf.backends.cudnn and mps is rf.backends.mps and not mps.is_built() and cudnn.version() is None
    before = cudnn.benchmark
    cudnn.benchmark = True
    assert rf.backends.cudnn.benchmark is True
    cudnn.benchmark = before
    with pytest.raises(AttributeError):
        cudnn.no_such_setting  # noqa: B018


def test_the_module_of_the_loader_has_what_programs_import_from_it():
    from rustyflow.utils.data import dataloader, dataset, sampler
    for face in (dataloader, dataset, sampler):
        assert dir(face) == face.__all__
        assert all(getattr(face, name) is getattr(rf.utils.data, name) for name in face.__all__)
        with pytest.raises(AttributeError):
            face.no_such_name  # noqa: B018
    theirs = pytest.importorskip("torch.utils.data.dataloader")
    assert set(dataloader.__all__) <= set(dir(theirs))
