"""Lines that act on the reader's world: refused by name, or done on copies; nothing of the reader's changes."""

import array
import functools
import os
import pathlib
import random
import shutil
import subprocess
import sys
import weakref
from collections import Counter, deque
from types import ModuleType

import numpy as np
import pytest

import rustyflow as rf
from rustyflow import nn, optim, see
from rustyflow.errors import ArgumentValueError
from rustyflow.see.outside import NotCopied


@pytest.mark.parametrize("line, name", [
    ("os.remove('victim')", "os.remove"), ("remove('victim')", "remove"), ("os.environ.update(A='1')", "os.environ"),
    ("pathlib.Path('new').touch()", "pathlib.Path"), ("p.touch()", "p is a"), ("p.write_text('a')", "p is a"),
    ("exec('log.append(1)')", "exec"), ("eval('log.append(1)')", "eval"),
    ("__import__('os').remove('victim')", "os.remove"),
    ("subprocess.run(['touch', 'new'])", "subprocess.run"), ("shutil.rmtree('.')", "shutil.rmtree"),
    ("[os.mkdir('new'), x][1]", "os.mkdir"), ("sys.modules.clear()", "sys.modules"), ("rf.save(x, 'f')", "save"),
    ("random._os.remove('victim')", "os.remove"), ("removes(x)", "os.remove"), ("imports(x)", "shutil.rmtree"),
    ("np.set_printoptions(precision=1)", "set_printoptions"), ("rf.set_default_dtype(rf.float64)", "set_default"),
    ("setter(rf.float64)", "setter"), ("writes(x)", "tofile"), ("box.out.write_text('a')", "write_text"),
])
def test_what_acts_is_refused_by_name(line, name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "victim").write_text("here")
    log, before = [], dict(os.environ)

    def removes(x):
        os.remove("victim")
        return x

    def imports(x):
        import shutil

        shutil.rmtree(".")
        return x

    def writes(x):
        x.numpy().tofile("new")
        return x

    class Box:
        def __init__(self):
            self.out = pathlib.Path("new")

    names = {"os": os, "remove": os.remove, "pathlib": pathlib, "p": pathlib.Path("new"), "log": log, "sys": sys,
             "subprocess": subprocess, "shutil": shutil, "x": rf.ones(2), "rf": rf, "np": np, "random": random,
             "removes": removes, "imports": imports, "writes": writes, "setter": rf.set_default_dtype,
             "box": Box()}  # fmt: skip
    with pytest.raises(NotCopied) as error:
        see(line, names)
    assert name in str(error.value)
    assert [path.name for path in tmp_path.iterdir()] == ["victim"] and log == [] and dict(os.environ) == before
    assert np.get_printoptions()["precision"] == 8 and rf.get_default_dtype() == rf.float32


class Slots:
    __slots__ = ("x",)


class Rows(list):
    pass


class Named(dict):
    by = 2


class Property:
    log = []

    @property
    def acts(self):
        self.log.append(1)
        return rf.ones(2)


@functools.lru_cache
def cached(n):
    return rf.ones(n)


SLOTS = Slots()
SLOTS.x = rf.ones(2, 3)


@pytest.mark.parametrize("line, value, state", [
    ("v.update('aa'), x.t()", Counter("a"), lambda v: v["a"]), ("v.append(7), x.t()", array.array("i", [1]), list),
    ("v.append(7), x.t()", bytearray(b"a"), bytes), ("v.append(7), x.t()", deque([1]), list),
    ("v.random() * x", random.Random(3), random.Random.getstate),
    ("v.random() * x", np.random.default_rng(3), lambda v: str(v.bit_generator.state)),
    ("v.rand() * x", np.random.RandomState(3), lambda v: str(v.get_state())),
    ("v(7), x.t()", Rows([1]).append, lambda v: list(v.__self__)), ("v.append(7), x.t()", Rows([1]), list),
    ("v.update(b=1), x.t()", Named(a=1), dict), ("v.x.t()", SLOTS, lambda v: v.x.tolist()),
    ("v.x.mul_(3)", SLOTS, lambda v: v.x.tolist()), ("v.acts * 1", Property(), lambda v: len(v.log)),
    ("v.acts", Property(), lambda v: len(v.log)), ("v(3) + 1", cached, lambda v: v.cache_info().currsize),
])
def test_values_that_are_no_tensors_are_copied(line, value, state):
    before = state(value)
    assert see(line, {"v": value, "x": rf.ones(2, 3)}).frames
    assert state(value) == before


def test_a_readers_module_is_twinned_with_its_variables():
    module = ModuleType("own")
    exec("import rustyflow as rf\ncount, log = 0, []\ndef step(x):\n    global count\n    count += 1\n"
         "    log.append(count)\n    return x * count", vars(module))  # fmt: skip
    figure = see("own.step(x)", {"own": module, "x": rf.ones(2)})
    assert len(figure.frames) > 1 and (module.count, module.log) == (0, [])
    assert len(see("own.step(x)", {"own": module, "x": rf.ones(2)}).frames) > 1


def test_an_optimizer_steps_on_copies():
    layer = nn.Linear(2, 2)
    opt = optim.Adam(layer.parameters())
    layer(rf.ones(1, 2)).sum().backward()
    before = layer.weight.tolist()
    with pytest.raises(ArgumentValueError) as error:
        see("opt.step()", {"opt": opt})
    assert "opt.step()' is None" in str(error.value) and "%%see over the line" in str(error.value)
    assert layer.weight.tolist() == before and not opt.state


def test_backward_is_no_figure_of_its_slot():
    x = rf.ones(2, requires_grad=True)
    loss = (x * 2).sum()
    with pytest.raises(ArgumentValueError, match="%see loss, which draws the way back, or %%see over the line"):
        see("loss.backward()", {"loss": loss})
    assert x.grad is None


def test_a_scheduler_and_the_optimizer_that_it_wraps_step_on_copies_in_pytorch():
    torch = pytest.importorskip("torch")
    layer = torch.nn.Linear(2, 2)
    opt = torch.optim.SGD(layer.parameters(), lr=1.0, momentum=0.9)
    names = {"opt": opt, "plan": torch.optim.lr_scheduler.StepLR(opt, 1)}
    layer(torch.ones(1, 2)).sum().backward()
    before = layer.weight.tolist()
    for line in ("opt.step()", "plan.step()", "opt.zero_grad()"):
        with pytest.raises(ArgumentValueError) as error:
            see(line, names)
        assert f"{line}' is None" in str(error.value)
    assert layer.weight.tolist() == before and not opt.state and layer.weight.grad is not None
    assert opt.param_groups[0]["lr"] == 1.0 and names["plan"].last_epoch == 0


@pytest.mark.parametrize("line", ["x.max(1).values", "x.sort(1).values", "x.min(0).indices", "rf.topk(x, 2).values",
                                  "x.mode(0).values.t()"])  # fmt: skip
def test_one_of_several_results_is_drawn(line):
    figure = see(line, {"x": rf.arange(12.0).view(3, 4), "rf": rf})
    assert len(figure.frames) > 1 and "is not drawn" not in figure.state(0).sentence


@pytest.mark.parametrize("line", ["(x * w2).sum()", "F.cross_entropy(x @ w, t)", "((x + x[0]) * w2).mean()"])
def test_the_names_in_a_graph_are_the_readers(line):
    names = {"x": rf.arange(12.0).view(3, 4), "w": rf.ones(4, 2, requires_grad=True), "t": rf.tensor([0, 1, 1]),
             "w2": rf.ones(4, requires_grad=True), "F": nn.functional}  # fmt: skip
    scene = str(see(line, names).scene)
    assert "self.known" not in scene and "self.operands" not in scene and "__" not in scene


def test_weak_references_are_to_copies():
    x = rf.ones(2)
    box = Box()
    box.ref = weakref.ref(x)
    for line in ("box.ref().mul_(2)", "box.ref() + 1", "[box.ref().zero_(), box.ref()][1].view(2, 1)"):
        assert len(see(line, {"box": box}).frames) > 1
    assert x.tolist() == [1, 1] and box.ref() is x


class Box:
    pass
