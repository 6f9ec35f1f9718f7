"""Gradients as tensors that share storages: those that `grad` returns, and those that hooks and Functions return.

Inside a walk gradients are bare arrays, without storages.
"""
from __future__ import annotations

from weakref import WeakValueDictionary

from ..backends import backend
from ..layout import is_dense
from ..tensor import Tensor, UntypedStorage, holding, over, storage_of, wrap

_returned: WeakValueDictionary[int, UntypedStorage] = WeakValueDictionary()
"""Storages of lent tensors, by the id of their memory; a storage keeps its memory alive, so no other has that id."""


def returned_array(x: Tensor):
    """The array of a tensor that a Function or a hook returns as a gradient.

    It may be a saved tensor, so its storage is remembered while the program holds it, and a write through the gradient
    is counted there.
    """
    if x._a.flags.writeable and (x._storage is not None or is_dense(x._a.shape, backend.stride(x._a))):
        _returned.setdefault(id(backend.memory_of(x._a)), storage_of(x))  # the first stays: a hook sees another tensor
    return x._a


def as_tensors(arrays: list, seeds: tuple) -> list[Tensor | None]:
    """The arrays in a walk's sinks as tensors; tensors that share memory, also with a seed, share one storage.

    A read-only array, or one in which cells share a slot, such as an expanded one, is copied, so that it can be written
    to.
    """
    known = {id(g._a): g for g in seeds if g is not None}
    storages = {id(backend.memory_of(g._a)): storage_of(g) for g in known.values()
                if g._storage is not None or is_dense(g._a.shape, backend.stride(g._a))}
    for a in arrays:
        if a is None or id(a) in known:
            continue
        memory = id(backend.memory_of(a))
        if memory not in storages:
            if (storage := _returned.get(memory)) is not None:
                storages[memory] = storage
            elif backend.owns(a):
                known[id(a)] = wrap(a)
                storages[memory] = storage_of(known[id(a)])
                continue
            elif (whole := backend.flat_memory(a)) is not None:  # a part of memory that no tensor has yet
                storages[memory] = holding(whole)
        shared = memory in storages and a.flags.writeable
        layout = backend.layout_in(a, storages[memory].buffer) if shared else None
        known[id(a)] = wrap(backend.dense(backend.asarray(a))) if layout is None else over(storages[memory], *layout)
    return [None if a is None else known[id(a)] for a in arrays]
