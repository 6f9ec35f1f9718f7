"""The default backend: array functions under PyTorch's names, on NumPy.

What the families do not define but `NUMPY` lists is NumPy's own function of that name. The families are loaded when the
first name outside `core` and `views` is asked for.
"""
from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np

from . import core, views
from .settings import quiet, silent

FAMILIES = (
    "cellwise elementwise choice errorfunction reduce cumulative index brackets slots order linalg factorization "
    "activation softmax linear loss normalization attention convolution pooling resize padding"
).split()


NUMPY = frozenset("""
    abs add bincount bitwise_and bitwise_not bitwise_or bitwise_xor copysign cos cosh equal exp exp2 expm1
    eye fmax fmin fmod gcd greater greater_equal hypot isfinite isinf isnan ix_ lcm less less_equal log log1p log2
    logaddexp logical_and logical_not logical_or logical_xor maximum minimum multiply negative not_equal signbit
    sin sinh sqrt subtract tan tanh true_divide unique zeros_like
""".split())
"""The functions that need no word of their own: NumPy's, as they are."""


class _Rest:
    """The other families, then `NUMPY`."""

    def __getattr__(self, name: str) -> Any:
        for module in FAMILIES:
            self.__dict__.update(_public(import_module(f".{module}", __name__)))
        if name not in self.__dict__:
            if name not in NUMPY:
                raise AttributeError(name)
            self.__dict__[name] = getattr(np, name)
        return self.__dict__[name]


def _public(module) -> dict:
    own = {name: value for name, value in vars(module).items() if not name.startswith("_") and name != "annotations"}
    return {name: value for name, value in own.items() if value is not np}


_functions = _public(core) | _public(views) | {"name": "numpy", "quiet": quiet, "silent": silent, "rest": _Rest()}


def functions() -> dict:
    """The namespace F."""
    return _functions
