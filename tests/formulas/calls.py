"""Ops as calls run them, watched from inside: those that are compared with PyTorch, and those that figures show.

An in-place form is taken for the op that makes a new tensor, of the operands as the write left them.
"""

import warnings
from contextlib import contextmanager, suppress
from typing import Any, NamedTuple

import numpy as np

import rustyflow as rf
from rustyflow.dispatch.operation import watchers
from rustyflow.ops import OPS
from tests.conformance import fixture
from tests.conformance.graphs import MORE
from tests.conformance.grid import DTYPES, Inputs, cases
from tests.conformance.observe import compiled, restore
from tests.conformance.specs import FAMILIES
from tests.formulas.cases import operand
from tests.show import op_calls


class Call(NamedTuple):
    """An op, its operands and arguments, and the text of the call that ran it."""

    op: Any
    operands: tuple
    attrs: dict
    text: str


def described(value):
    """Equal for arguments that are alike, and for tensors of one shape, dtype and layout with cells that are finite."""
    if isinstance(value, rf.Tensor):
        return tuple(value.shape), value.dtype, value.stride(), bool(np.isfinite(value.detach().numpy()).all())
    if isinstance(value, np.ndarray):
        return value.shape, value.tobytes()
    return tuple(map(described, value)) if isinstance(value, (list, tuple)) else repr(value)


@contextmanager
def watched(seen, text):
    """Add to `seen` the ops that run, none twice that is called alike; none of a call that is refused."""
    new = {}

    def watcher(op, operands, attrs, result):
        if op.name in OPS and hasattr(op, "doc"):
            key = op.name, op.doc, described(operands), tuple((name, described(value)) for name, value in attrs.items())
            if key not in seen and key not in new:
                kept = tuple(x.detach() if isinstance(x, rf.Tensor) else x for x in operands)
                new[key] = Call(op, kept, dict(attrs), text)

    watchers.append(watcher)
    try:
        with suppress(Exception), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
            seen |= new
    finally:
        watchers.remove(watcher)


def of_cases(cases):
    """The ops of calls of the grid."""
    seen = {}
    for case in cases:
        with watched(seen, str(case)):
            if case.seeded:
                rf.manual_seed(11)
            eval(compiled(case.text), {}, Inputs(rf, case))
        if "torch.set_" in case.text:
            restore(rf)
    return list(seen.values())


def of_fixture():
    """Those of the calls whose results by PyTorch are stored."""
    return of_cases(case for case, want in fixture.stored() if want.error is None)


def of_grid():
    """Those of every call of the grid, and of the graphs beside it, of which it needs no PyTorch to know the forms."""
    dtypes = {"float64", "float32", "int64", "int8", "bool"} & {*DTYPES}
    return of_cases(case for family in (*FAMILIES, *MORE) for case in cases(family, rf) if case.dtype in dtypes)


def of_figures():
    """Those of the calls that figures are tested on."""
    seen = {}
    for name, (call, *arrays) in op_calls.OPS.items():
        tensors = [rf.from_numpy(np.array(array)) for array in arrays]
        with watched(seen, name):
            call(*[x.requires_grad_() if x.is_floating_point() else x for x in tensors])
    return list(seen.values())


def of_table(table):
    """Those that the ops' own table tries, one of each row of arguments."""
    random = np.random.default_rng(0)
    for name, (operands, settings) in table.items():
        for attrs in settings:
            tensors = tuple(operand(*how, "dense", random).detach() for how in operands)
            yield Call(OPS[name], tensors, attrs, name)
