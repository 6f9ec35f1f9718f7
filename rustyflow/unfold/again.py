"""One operation run again, alone: to have its numbers back, or on other numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..backends import backend
from ..claims.rules import Rules
from ..dispatch.operation import Op
from ..dispatch.run import apply
from ..errors import TensorError
from ..tensor import wrap
from ..tensor.gradmode import no_grad
from .source import Call

LAID = "copy_slices", "write_where"
"""The ops that write to a part of an array, which their forward finds done."""


class Unknown(LookupError):
    """The numbers of a tensor are gone, and nothing gives them back; it says why."""


def run(call: Call, operands: Sequence[Any]) -> list[np.ndarray]:
    """The results of an operation on these operands: arrays, numbers, None.

    Raises:
        Unknown: it cannot be run again: a function of the program's own, or one that drew at random.
    """
    op = call.op
    if not isinstance(op, Op) or "source" in call.attrs:
        raise Unknown(f"{getattr(op, 'name', 'it')} is not run again")
    try:
        if op.layout is not None or op.name in LAID:
            return _by_rule(call, operands)
        with no_grad(), backend.silent():
            given = [wrap(backend.asarray(np.array(x))) if isinstance(x, np.ndarray) else x for x in operands]
            given += [None] * (len(op.operands) - len(given))
            results = apply(op, *given, **call.attrs)
    except (TensorError, ValueError, TypeError, IndexError, KeyError, ArithmeticError, AttributeError) as error:
        raise Unknown(f"{op.name} does not run again") from error
    return [np.array(x._a) for x in (results if isinstance(results, tuple) else (results,))]


def _by_rule(call: Call, operands: Sequence[Any]) -> list[np.ndarray]:
    """The same of what moves cells, by the op's rule in NumPy."""
    results = {label: np.zeros(x.shape, x.dtype) for label, x in zip(call.labels, call.results, strict=True)}
    several = len(call.results) > 1 and len(call.op.results) == 1
    rules = Rules(call.op.doc, dict(zip(call.letters, operands, strict=False)), call.attrs,
                  {"y": [*results.values()]} if several else results)  # fmt: skip
    value = rules.value("y")
    parts = value if isinstance(value, list | tuple) else [value]
    return [np.array(part).reshape(x.shape) for part, x in zip(parts, call.results, strict=True)]
