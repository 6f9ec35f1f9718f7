"""Every op under the loops backend: the numpy backend's numbers, or a word that it is absent; all of it in events."""

import zlib
from itertools import chain

import numpy as np
import pytest

import rustyflow as rf
from rustyflow.backends import loops, use
from rustyflow.errors import AbsentError
from rustyflow.ops import OPS
from rustyflow.tensor.table import fill
from tests.autograd import programs
from tests.each import each
from tests.formulas.cases import operand

fill()

ALL = {name: (program, specs) for name, program, specs in programs.cases()}

CONSTANTS = ("WHERE", "ROWS_OF", "CELLS", "WEIGHTS", "MASK", "TARGET", "CLASS_WEIGHT")
GIVEN = {name: (getattr(programs, name).tolist(), getattr(programs, name).dtype) for name in CONSTANTS}


def run(backend, name, layout, monkeypatch):
    """The results and the gradients of a program, as tensors of that backend."""
    program, specs = ALL[name]
    random = np.random.default_rng(zlib.crc32(name.encode()))
    data = [(x.tolist(), x.dtype) for x in (operand(*how, "dense", random) for how in specs)]
    with use(backend):
        for constant, (values, dtype) in GIVEN.items():
            monkeypatch.setattr(programs, constant, rf.tensor(values, dtype=dtype))
        inputs = [LAYOUTS[layout](rf.tensor(values, dtype=dtype)).detach() for values, dtype in data]
        grads = OPS[name].grads if name in OPS and not OPS[name].vjp else inputs
        leaves = [x for x, g in zip(inputs, grads, strict=False) if x.is_floating_point() and g is not None]
        for x in leaves:
            x.requires_grad_()
        y = program(*inputs)
        parts = [part for part in (y if isinstance(y, tuple) else (y,)) if part.is_floating_point()]
        weights = [rf.arange(part.numel(), dtype=part.dtype).reshape(part.shape) / 4 + 0.5 for part in parts]
        rf.autograd.backward(parts, weights)
        return [part.detach() for part in parts], [x.grad for x in leaves if x.grad is not None]


def every_other(x):
    wide = rf.zeros([2 * n + 1 for n in x.shape], dtype=x.dtype)
    part = wide[tuple(slice(1, None, 2) for _ in x.shape)]
    part.copy_(x)
    return part


LAYOUTS = {
    "dense": lambda x: x,
    "transposed": lambda x: x.mT.contiguous().mT.detach() if x.ndim > 1 else x,
    "every other": every_other,
}


@pytest.mark.parametrize("name", ALL)
@each("layout", LAYOUTS)
def test_the_same_numbers_and_nothing_but_events(name, layout, monkeypatch):
    memory = {}

    def follow(event):
        place = event.storage, event.slot
        if event.kind == "read":
            was = memory.get(place, 0)
            assert event.value == was or event.value != event.value and was != was, "something wrote without an event"
        else:
            memory[place] = event.value

    expected = run("numpy", name, layout, monkeypatch)
    with loops.watch(follow):
        if name.partition(" ")[0] in loops.ABSENT:
            with pytest.raises(AbsentError, match="the loops backend has no function"):
                run("loops", name, layout, monkeypatch)
            return
        got = run("loops", name, layout, monkeypatch)
    for ours, theirs in zip(chain(*got), chain(*expected), strict=True):
        assert ours.tolist() == pytest.approx(theirs.numpy(), rel=1e-9, abs=1e-11, nan_ok=True)
        buffer = ours._a.buffer
        assert buffer.cells == [memory.get((buffer.number, slot), 0) for slot in range(len(buffer.cells))]


def test_little_is_absent():
    assert len(loops.ABSENT) <= 3
