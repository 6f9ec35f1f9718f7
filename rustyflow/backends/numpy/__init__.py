"""The default backend: array functions under PyTorch's names, on NumPy.

What is not defined here is NumPy's own function of that name. A family of functions is loaded when the first name
outside `core` and `views` is asked for.
"""
from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np

from . import core, views

FAMILIES = (
    "elementwise errorfunction reduce cumulative index slots order linalg activation softmax linear loss "
    "normalization convolution pooling padding"
).split()


class _Rest:
    """The other families, then NumPy."""

    def __getattr__(self, name: str) -> Any:
        for module in FAMILIES:
            self.__dict__.update(_public(import_module(f".{module}", __name__)))
        if name not in self.__dict__:
            self.__dict__[name] = getattr(np, name)
        return self.__dict__[name]


def _public(module) -> dict:
    return {name: value for name, value in vars(module).items() if not name.startswith("_")}


_functions = _public(core) | _public(views) | {"name": "numpy", "rest": _Rest()}


def functions() -> dict:
    """The namespace F."""
    return _functions
