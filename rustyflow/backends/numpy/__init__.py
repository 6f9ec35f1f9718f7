"""The default backend: array functions under PyTorch's names, on NumPy. What is not defined here is NumPy's own function of that name."""
from __future__ import annotations

import numpy as np

from . import activation, convolution, core, cumulative, elementwise, errorfunction, index, linalg, linear, loss, normalization, order, padding, pooling, reduce, slots, softmax, views

_own = (core, elementwise, errorfunction, reduce, cumulative, index, slots, views, order, linalg,
        activation, softmax, linear, loss, normalization, convolution, pooling, padding)
_functions: dict = {}


def functions() -> dict:
    """The namespace F."""
    if not _functions:
        for module in _own:
            _functions.update({name: value for name, value in vars(module).items() if not name.startswith("_")})
        _functions.update(name="numpy", rest=np)
    return _functions
