"""rustyflow: tensors and gradients you can see. PyTorch's API on NumPy, honest down to storage, shape, stride and offset.

`rustyflow.show`, `.widgets`, `.ir` and `.lessons` load on first use.
"""
from __future__ import annotations

from importlib import import_module as _import_module

from . import creation as _creation, neighbours as _neighbours, ops as _ops, random  # noqa: F401 - they fill the table of public functions
from . import autograd
from .dtype import (bool, can_cast, double, dtype, finfo, float, float16, float32, float64, get_default_dtype, half, iinfo, int, int8, int16,
                    int32, int64, long, promote_types, result_type, set_default_dtype, short, uint8)
from .history import enable_grad, is_grad_enabled, no_grad, set_grad_enabled
from .ops.registry import PUBLIC as _PUBLIC
from .printing import set_printoptions
from .serialization import load, save
from .tensor import Size, Tensor

__version__ = "0.1.0"
globals().update(_PUBLIC)

_LAZY = ("show", "widgets", "ir", "lessons", "nn", "optim", "data", "scene", "linalg")


def __getattr__(name):
    if name in _LAZY:
        return _import_module(f".{name}", __name__)
    raise AttributeError(f"module 'rustyflow' has no attribute {name!r}")


def __dir__():
    return sorted([*globals(), *_LAZY])
