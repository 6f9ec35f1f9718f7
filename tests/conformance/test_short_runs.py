"""The stored results once more, where two cells count as a long array: what is worked out a run of cells, some lines or
some windows at a time is what is worked out at once.
"""

import importlib
import pkgutil
from types import FunctionType

import pytest

import rustyflow
from rustyflow import ops
from rustyflow.backends import numpy as backend
from rustyflow.tensor.table import fill

from . import fixture

CELLS = 2
LONG = {"MANY", "PART", "ROWS", "RUN", "_AGAIN", "_BAND", "_LARGE", "_MANY", "_MANY_CELLS", "_PART", "_ROWS", "_RUN",
        "_SCORES", "_SMALL", "_SOME"}
BYTES = {"_AT_ONCE", "_BLOCK"}


def layers(value):
    """A function and those it is a layer around."""
    while isinstance(value, FunctionType):
        yield value
        value = getattr(value, "__wrapped__", None)


def shorten(patch):
    """Lower every limit from which on arrays are long: of modules, of keywords, and what decorators were given."""
    fill()
    modules = [importlib.import_module(f"{package.__name__}.{found.name}")
               for package in (backend, ops) for found in pkgutil.iter_modules(package.__path__)]
    lowered = set()
    for module in modules:
        for name in (LONG | BYTES) & set(vars(module)):
            patch.setattr(module, name, 8 * CELLS if name in BYTES else CELLS)
            lowered.add(f"{module.__name__}.{name}")
        for function in [layer for value in vars(module).values() for layer in layers(value)]:
            if "run" in (function.__kwdefaults__ or {}):
                patch.setitem(function.__kwdefaults__, "run", CELLS)
            for name, cell in zip(function.__code__.co_freevars, function.__closure__ or ()):
                if name == "length" and type(cell.cell_contents) is int:
                    patch.setattr(cell, "cell_contents", CELLS)
                    lowered.add(f"{module.__name__}.{function.__name__}")
    return lowered


def test_long_arrays_give_what_short_ones_give(monkeypatch):
    before = {(family, name): [case for case, _ in tally.failures]
              for family, names in fixture.measure(rustyflow).items() for name, tally in names.items()}
    with monkeypatch.context() as patch:
        assert len(shorten(patch)) > 30
        after = fixture.measure(rustyflow)
    for family, names in after.items():
        for name, tally in names.items():
            worse = [f"{case}: {verdict.note}" for case, verdict in tally.failures if case not in before[family, name]]
            assert not worse, "\n".join(worse)


@pytest.mark.parametrize("call", ["sort", "msort", "argsort", "topk", "median", "kthvalue", "cumsum", "quantile"])
def test_one_long_line_is_not_cut(call):
    n = 70_001
    x = rustyflow.randperm(n, generator=rustyflow.Generator().manual_seed(0)).double()
    got = {
        "sort": lambda: x.sort().values, "msort": x.msort, "argsort": lambda: x[x.argsort()],
        "topk": lambda: x.topk(n, largest=False).values, "median": lambda: x.median(0).values,
        "kthvalue": lambda: x.kthvalue(7).values, "cumsum": lambda: x.cumsum(0)[-1],
        "quantile": lambda: x.quantile(0.5, 0),
    }[call]()
    want = {"median": n // 2, "kthvalue": 6, "cumsum": n * (n - 1) / 2, "quantile": n // 2}
    assert got.tolist() == want.get(call, [*range(n)])
