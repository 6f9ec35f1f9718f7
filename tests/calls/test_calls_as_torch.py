"""Calls at the edges of what PyTorch takes: what it refuses is refused with its type of error, in three parts, and what
it takes gives the same.
"""
import warnings

import numpy as np
import pytest

import rustyflow as rf
from rustyflow.errors import TensorError
from tests.each import each

from . import refused_kinds, refused_values
from .taken import TAKEN

REFUSED = {**refused_kinds.REFUSED, **refused_values.REFUSED}


def listed(text):
    return [call.strip() for line in text.splitlines() for call in line.split("; ") if call.strip()]


def put(x, key, value):
    x[key] = value
    return x


def given(y, upstream, **how):
    """Walk back from y with an upstream gradient: what arrives at the leaf w is the outcome."""
    y.backward(upstream, **how)


def outcome(module, call):
    """The type of Python's own error, or the dtype and the values."""
    from array import array
    from collections import UserDict, deque
    from enum import IntEnum
    w = module.tensor([1.0, 2.0, 3.0], requires_grad=True)
    names = {
        "torch": module, "F": module.nn.functional, "put": put, "given": given, "deque": deque, "w": w, "np": np,
        "zero": module.tensor(0), "UserDict": UserDict, "Colour": IntEnum("Colour", ["RED", "BLUE"]),
        "x": module.ones(2, 2), "i": module.tensor([0, 1]), "byte": module.tensor([1, 0]).byte(),
        "rows": module.arange(8.0).view(1, 2, 4), "none": module.zeros(0, 2).long(), "array": array("i", [1, 2]),
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        y = eval(call, names)
    y = w.grad if call.startswith("given") else y
    return str(y.dtype).split(".")[1], y.tolist()


@each("error, call", [(error, call) for error, text in REFUSED.items() for call in listed(text)])
def test_what_pytorch_refuses(error, call):
    with pytest.raises(error) as caught:
        outcome(rf, call)
    assert isinstance(caught.value, TensorError) and caught.value.was and caught.value.rule and caught.value.fix
    torch = pytest.importorskip("torch")
    with pytest.raises(error):
        outcome(torch, call)


@each("call", listed(TAKEN))
def test_what_pytorch_takes(call):
    dtype, values = outcome(rf, call)
    torch = pytest.importorskip("torch")
    wanted, its = outcome(torch, call)
    assert dtype == wanted and np.allclose(values, its, equal_nan=True)
