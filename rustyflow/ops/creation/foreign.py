"""The numbers of another library's tensor as NumPy's array.

What NumPy cannot read itself is read by way of a copy.
"""
from __future__ import annotations

from typing import Any

import numpy as np

from ...errors import ArgumentTypeError, TensorError
from ...errors.foreign import cannot_read, is_torch, numbers_of, sized, unreadable, without_dtype


def read(x: Any, wrong: type[TensorError] = ArgumentTypeError, every: bool = False) -> np.ndarray:
    """The array of another library's tensor, over its own memory where NumPy can read that.

    Of PyTorch's tensors a copy is read where they are sparse, quantised, on another device, in bfloat16 or float8 (as
    float32, which holds each of their numbers), or have the conjugate or the negative bit. Their history stays behind.

    Raises:
        wrong: nothing can be read of it, or, without `every`, numbers of no dtype of ours; by default an
            ArgumentTypeError (a TypeError).

    Example:
        >>> Stranger = type("Stranger", (), {"__module__": "elsewhere", "shape": (), "dtype": "f4"})
        >>> Stranger.__array__ = lambda self, dtype=None, copy=None: np.array(2.5)
        >>> read(Stranger())
        array(2.5)
    """
    torch = is_torch(x)
    if torch and (lost := (None if every else without_dtype(x)) or unreadable(x)) is not None:
        raise wrong(sized(x), *lost)
    try:
        return numbers_of(x) if torch else np.asarray(x)
    except Exception as error:
        raise wrong(sized(x), *cannot_read(x, error)) from None
