"""The slow, obviously right backend: pure Python over flat lists, without NumPy; every read and write is an event.

    with rustyflow.backends.use("loops"), rustyflow.backends.loops.watch(events.append):
        ...

It has what the numpy backend has but for what `ABSENT` names, and asks for nothing but the definition: no sum is
rearranged, and results are rounded to their dtype after every single operation, as IEEE 754 rounds them.
"""

from __future__ import annotations

from importlib import import_module
from types import SimpleNamespace

from .. import backend
from ..plain import formulas
from . import operators  # noqa: F401 - it gives arrays theirs
from .array import Array, write
from .buffer import Event, watch

__all__ = ["ABSENT", "Array", "Event", "functions", "storage_number", "watch"]

FAMILIES = ("memory elementwise activation reduce order product matrices convolution pooling resize normalization "
            "attention loss laid indexed masked").split()
_own = [import_module(f".{name}", __name__) for name in FAMILIES]
_functions: dict = {}

ABSENT = {
    "svd": "it is found by going round until nothing moves any more, no formula whose slots one could follow",
    "eigen": "it is found like the singular values, by going round until nothing moves any more",
    "reinterpret": "its memory is a list of numbers, which has no bytes to be read as another dtype",
}
"""What it has not got, and why."""


def functions() -> dict:
    """The namespace F."""
    if not _functions:
        _functions.update(formulas(backend))
        for module in _own:
            own = {name: f for name, f in vars(module).items() if getattr(f, "__module__", "").startswith(__name__)}
            _functions.update({name: f for name, f in own.items() if not name.startswith("_")})
        _functions.update(name="loops", rest=SimpleNamespace(), Array=Array, Ufunc=(), write=write, absent=ABSENT)
    return _functions


def storage_number(x) -> int:
    """The number that events call a tensor's storage by.

    Example:
        >>> import rustyflow as rf
        >>> from rustyflow.backends import loops, use
        >>> with use("loops"):
        ...     x, events = rf.tensor([1., 2.]), []
        ...     with loops.watch(events.append):
        ...         y = x[1:] * 3
        >>> [(e.kind, e.storage == loops.storage_number(x), e.slot, e.value) for e in events]
        [('write', False, 0, 3.0), ('read', True, 1, 2.0), ('read', False, 0, 3.0), ('write', False, 0, 6.0)]
    """
    return x._a.buffer.number
