"""Tensors in a file that share memory, or lie in another order: the memory once, and their layouts.

A layout is [key, size, stride, offset]: the array of the file that it reads, and how, in elements.
"""
from __future__ import annotations

from typing import Any

from .. import layout as rules
from ..backends import backend
from . import Tensor, over, storage_of

HOLES = 4
"""A tensor alone keeps its strides if they span at most so many times as many slots as it has cells."""


def laid_out(tensors: dict[str, Tensor]) -> tuple[dict[str, Any], dict[str, list]]:
    """The arrays to write, by name, and the layouts of those tensors that are not simply one of them."""
    homes: dict[tuple, list[str]] = {}
    for name, x in tensors.items():
        homes.setdefault((id(storage_of(x).untyped()), x.dtype), []).append(name)
    arrays, layouts = {}, {}
    for names in homes.values():
        whole = next((name for name in names if _holds(tensors, name, names)), None)
        if whole is not None:
            arrays[whole] = backend.dense(tensors[whole]._a)
            start = tensors[whole]._offset
        else:
            ends = [rules.extent(*_layout(tensors[name])) for name in names]
            start, end = min(first for first, _ in ends), max(last for _, last in ends)
            x = tensors[names[0]]
            if len(names) == 1 and end - start > HOLES * x.numel():
                arrays[names[0]] = backend.dense(x._a)
                continue
            arrays[names[0]] = backend.dense(storage_of(x).buffer[start:end])
        for name in names:
            if name != whole:
                size, stride, offset = _layout(tensors[name])
                layouts[name] = [whole or names[0], list(size), list(stride), offset - start if 0 not in size else 0]
    return arrays, layouts


def restored(tensors: dict[str, Tensor], layouts: Any) -> dict[str, Tensor]:
    """The tensors that layouts describe, over the memory of those that were read.

    Raises:
        ShapeError, StorageBoundsError (RuntimeErrors), ValueError, TypeError, KeyError: they do not describe any.
    """
    found = {}
    for name, (key, size, stride, offset) in layouts.items():
        if not all(type(n) is int for n in (*size, *stride, offset)):
            raise TypeError(f"the layout of {name!r} is not of whole numbers")
        storage = storage_of(tensors[key])
        found[name] = over(storage, *rules.as_strided(storage.buffer.size, size=size, stride=stride, offset=offset))
    return found


def _layout(x: Tensor) -> tuple:
    return tuple(x._a.shape), tuple(backend.stride(x._a)), x._offset


def _holds(tensors: dict[str, Tensor], name: str, names: list[str]) -> bool:
    """True if a tensor is row-major and has all slots that the others read."""
    x = tensors[name]
    first, end = rules.extent(*_layout(x))
    return x.is_contiguous() and all(
        not other.numel() or first <= low and high <= end
        for other in map(tensors.get, names) for low, high in [rules.extent(*_layout(other))])
