"""Lines with side effects, no Python, unknown names, too many numbers: said in a sentence, and nothing changes."""

import random
import re

import numpy as np
import pytest

import rustyflow as rf
from rustyflow import nn, see
from rustyflow.errors import ArgumentTypeError, ArgumentValueError, UnknownName
from rustyflow.see.exhibit import exhibit
from rustyflow.see.line import read
from rustyflow.see.twins import NotCopied, Twins


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.calls = nn.Linear(4, 3), []

    def forward(self, x):
        self.calls.append(1)
        return self.scaled(x).relu()

    def scaled(self, x, by=2):
        return self.a(x) * by


def test_effects_of_a_line_stay_on_copies(capsys):
    x, batches = rf.arange(12.0).view(3, 4), [rf.ones(2), rf.zeros(2)]
    it, net, log, norm = iter(batches), Net(), [], nn.BatchNorm1d(4)
    net.register_forward_hook(lambda module, given, out: log.append(out))
    before, weights = (random.getstate(), np.random.get_state()[1].tolist(), rf.get_rng_state().tolist()), net.a.weight
    effects = ["batches.pop()", "next(it)", "print(x)", "x.add_(1)", "x[0] = 5", "rf.rand(3) + 1", "net(x)", "norm(x)",
               "x.requires_grad_()", "[batches.append(x), x][1].t()", "random.random() * x",
               "np.random.rand() * x"]
    for line in effects:
        assert see(line).frames, line
    assert capsys.readouterr().out == ""
    assert x.sum() == 66 and not x.requires_grad and x.shape == (3, 4) and x._version == 0
    assert len(batches) == 2 and next(it) is batches[0] and net.calls == [] == log and norm.num_batches_tracked == 0
    assert (random.getstate(), np.random.get_state()[1].tolist(), rf.get_rng_state().tolist()) == before
    assert net.a.weight is weights and weights.grad is None


@pytest.mark.parametrize("line", ["next(gen)", "open('f')", "rf.save(x, 'f')", "np.save('f', x)", "input()"])
def test_what_cannot_be_copied_is_named(line, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    x = rf.ones(3)
    gen = (part for part in [x, x])
    with pytest.raises(NotCopied) as error:
        see(line)
    assert line.partition("(")[0].split(".")[-1] in str(error.value) or "gen" in str(error.value)
    assert list(tmp_path.iterdir()) == [] and next(gen) is x


@pytest.mark.parametrize("line, kind, said", [
    ("x +", ArgumentValueError, "no Python"), ("", ArgumentValueError, "has none"), (3, ArgumentTypeError, "as text"),
    ("import os", ArgumentValueError, "has none"), ("del x", ArgumentValueError, "has none"),
    ("y1 + 1", UnknownName, "name 'y1' is not defined"), ("xs + 1", UnknownName, "x, if that is meant"),
    ("1 + 1", ArgumentValueError, "there is none"), ("'x'", ArgumentValueError, "there is none"),
    ("(" * 300 + "x" + ")" * 300, ArgumentValueError, "no Python"), ("x\0", ArgumentValueError, "no Python"),
])
def test_what_is_no_line_of_tensors_is_refused(line, kind, said):
    with pytest.raises(kind, match=None) as error:
        see(line, {"x": rf.ones(3)})
    assert said in str(error.value)


@pytest.mark.parametrize("line, frames", [
    ("big @ w", "3 for 64, 4 for 128 and 5 for 784"), ("rf.relu(big)", "3 for 64 and 4 for 784"),
    ("big.gather(1, index)", "3 for 64 and 4 for 784"), ("wide + 1", "3 for 1,000"), ("wide.sum(0)", "3 for 1,000"),
    ("array + 1", "3 for 1,000,000,000"), ("array.max()", "3 for 1,000,000,000"),
    ("rf.zeros(10**9)", "3 for 1,000,000,000"), ("rf.zeros(10**9).view(10, -1).sum(0)", "60 for 1,000,000,000"),
    ("nn.functional.softmax(big @ w, -1)", "3 for 64 and 4 for 128"),
])
def test_what_is_too_large_is_drawn_in_small(line, frames):
    space = {"rf": rf, "nn": nn, "big": rf.randn(64, 784), "w": rf.randn(784, 128),
             "wide": rf.zeros(1).expand(1000, 1000, 1000), "index": rf.randint(0, 784, (64, 1)),
             "array": np.broadcast_to(np.float32(1), (10**9,))}  # fmt: skip
    figure = see(line, space)
    assert len(figure.frames) > 1 and frames in figure.state(0).sentence and "small run" in figure.state(0).sentence


@pytest.mark.parametrize("line", ["wide[0].t()", "wide.permute(2, 0, 1)[5:]", "long.view(10, -1)[2:]", "big + 1"])
def test_views_of_large_tensors_are_drawn_as_they_are(line):
    space = {"wide": rf.zeros(1).expand(1000, 1000, 1000), "long": rf.zeros(2 * 10**7, dtype=rf.int8),
             "big": rf.randn(64, 784)}  # fmt: skip
    assert "small run" not in see(line, space).state(0).sentence


@pytest.mark.parametrize("line, said", [
    ("a", "storage of 12 numbers"), ("a.T[1:]", "one storage"), ("a[::-1]", "one storage"), ("a + a[0]", "(3, 4)"),
    ("a.std(axis=0)", "(4,)"), ("np.cumsum(a, axis=0)", "makes (3, 4)"), ("a @ a.T", "(3, 3)"), ("a[a > 3]", "(8,)"),
])
def test_lines_of_numpy(line, said):
    a = np.arange(12.0).reshape(3, 4)
    figure = see(line, {"a": a, "np": np})
    assert said in figure.state(0).sentence and "is not drawn" not in figure.state(0).sentence


@pytest.mark.parametrize("line", ["days - days[0]", "rows['b'] + 1"])
def test_what_only_the_drawing_refuses_is_not_said_of_the_line(line):
    names = {"days": np.array(["2020-01-01", "2021-01-01"], "M8[D]"), "rows": np.zeros(3, [("a", "i1"), ("b", "f8")])}
    eval(line, names)
    with pytest.raises(TypeError) as error:
        see(line, names)
    assert exhibit(error.value, read(line)) is None


@pytest.mark.parametrize("line, write", [
    ("hidden.sum(0)", "hidden.filled(0)"), ("hidden", "hidden.filled(0)"), ("a + hidden", "hidden.filled(0)"),
    ("matrix * matrix", "np.asarray(matrix)"), ("own + 1", "np.asarray(own)"),
])
def test_arrays_that_compute_in_another_way_are_not_drawn_as_arrays(line, write):
    a = np.arange(4.0).reshape(2, 2)
    own = type("Own", (np.ndarray,), {"__add__": lambda x, y: x - y})
    hidden, matrix = np.ma.masked_array(a, a > 2), a.view(np.matrix)
    names = {"a": a, "hidden": hidden, "matrix": matrix, "own": a.view(own)}
    with pytest.raises((TypeError, ValueError), match="try: .*" + re.escape(write)):
        see(line, names)


def test_twins_share_what_was_shared_and_refer_to_each_other():
    x = rf.arange(6.0)
    y, a = x.view(2, 3).t(), np.arange(6.0)
    loop = [x, y]
    loop.append(loop)
    twins = Twins(ours=False)
    one, two, again = twins.of(loop)
    assert again[0] is one and two.stride() == (1, 3) and two.data_ptr() == one.data_ptr() != x.data_ptr()
    b, c = twins.of(a), twins.of(a[::-2])
    assert np.shares_memory(b, c) and not np.shares_memory(b, a) and c.tolist() == [5, 3, 1]
    leaf = twins.of(nn.Parameter(rf.ones(2)))
    assert isinstance(leaf, nn.Parameter) and leaf.requires_grad


def test_the_names_are_those_of_the_caller_in_a_function_too():
    def inside(x):
        return see("x + 1").scene.title, see("y = x.t()").scene.title

    assert inside(rf.ones(2, 2)) == ("x + 1", "y = x.t()")


@pytest.mark.parametrize("line, title", [
    ("x += 1", "x += 1"), ("y = 3; x *= 2", "x *= 2"), ("x[0] += 1", "x[0] += 1"),
    ("y = (x @\n x.t())", "y = x @ x.t()"),
    ("for row in x + 1: pass", "x + 1"), ("y = 3; x.t()", "x.t()"), ("x: int = x.t()", "x = x.t()"),
])
def test_a_title_is_what_is_drawn_of_the_line(line, title):
    assert see(line, {"x": rf.ones(2, 3)}).scene.title.partition(",  ")[0] == title
