"""The runs of the operation that `show.op` draws: with the same random numbers, and with numbers as floats."""

from collections.abc import Sequence
from contextlib import nullcontext, redirect_stdout
from io import StringIO
from itertools import combinations
from typing import Any

import numpy as np

from ...ops.creation import from_numpy
from .beside import put_back, reached
from .reads import FAILED, Call, first_tensor


def repeated(call: Call, of: Call | None = None) -> Call:
    """An operation that draws the same random numbers in each run, changes no module, and prints in the first alone.

    `of` is the function that it calls, if that is another one.
    """
    values, printed = reached(of or call), False

    def again(*operands: Any) -> Any:
        nonlocal printed
        quiet = redirect_stdout(StringIO()) if printed else nullcontext()
        printed = True
        with put_back(values), quiet:
            return call(*operands)

    return again


def as_numbers(call: Call, arrays: list[np.ndarray]) -> list[np.ndarray]:
    """Returns operands with whole numbers as floats, beside floats or indices, if the operation takes them so."""
    if not any(x.dtype.kind == "f" for x in arrays):
        return _beside_indices(call, arrays)
    for k, x in enumerate(arrays):
        if x.dtype.kind in "iu":
            others = [*arrays[:k], x.astype(np.float32), *arrays[k + 1 :]]
            if _result(call, others) is not None:
                arrays = others
    return arrays


def _beside_indices(call: Call, arrays: list[np.ndarray]) -> list[np.ndarray]:
    """Returns operands as floats but for the fewest that have to be indices or masks, if the result stays."""
    every = range(len(arrays))
    for indices in (some for n in range(len(arrays)) for some in combinations(every, n)):
        others = [x if k in indices else x.astype(float) for k, x in enumerate(arrays)]
        result = _result(call, others)
        if result is not None:
            plain = indices and all(arrays[k].dtype.kind in "iu" for k in every if k not in indices)
            return others if plain and np.array_equal(result, _result(call, arrays)) else arrays
    return arrays


def _result(call: Call, arrays: Sequence[np.ndarray]) -> np.ndarray | None:
    """The result of an operation, if it takes such operands."""
    try:
        return np.array(first_tensor(call(*map(from_numpy, arrays))).detach().tolist())
    except FAILED:
        return None
