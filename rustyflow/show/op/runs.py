"""The operands with which the operation that `show.op` draws is run: whole numbers as floats."""

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from ...ops.creation import from_numpy
from .reads import FAILED, Call, first_tensor


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
