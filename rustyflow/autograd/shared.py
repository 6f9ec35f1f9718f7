"""Gradients as tensors that say whose memory they share: those that `grad` gives, and those that a program lends.

Inside a walk gradients are arrays, which know nothing of storages.
"""
from __future__ import annotations

from weakref import WeakValueDictionary

from ..backends import backend
from ..layout import is_dense
from ..storage import Storage
from ..tensor import Tensor, over, storage_of, wrap

_lent: WeakValueDictionary[int, Storage] = WeakValueDictionary()
"""By the id of their memory, which they keep alive, and so no other has it."""


def lent(x: Tensor):
    """The array of a tensor that a Function or a hook gives for a gradient.

    It may be one that was saved: its storage is remembered while the program holds it, so that a write through the
    gradient is counted there.
    """
    if x._a.flags.writeable and (x._storage is not None or is_dense(x._a.shape, backend.stride(x._a))):
        _lent.setdefault(id(backend.memory_of(x._a)), storage_of(x))  # a hook sees it as a tensor of its own
    return x._a


def as_tensors(arrays: list, seeds: tuple) -> list[Tensor | None]:
    """The arrays that a walk has put aside, as tensors. What shares memory, with the seeds too, has one storage.

    An array that may only be read, or in which cells share a slot, such as an expanded one, is copied, so that it can
    be written to.
    """
    known = {id(g._a): g for g in seeds if g is not None}
    storages = {id(backend.memory_of(g._a)): storage_of(g) for g in known.values()
                if g._storage is not None or is_dense(g._a.shape, backend.stride(g._a))}
    for a in arrays:
        if a is None or id(a) in known:
            continue
        memory = id(backend.memory_of(a))
        if memory not in storages:
            if (storage := _lent.get(memory)) is not None:
                storages[memory] = storage
            elif backend.owns(a):
                known[id(a)] = wrap(a)
                storages[memory] = storage_of(known[id(a)])
                continue
            elif (whole := backend.flat_memory(a)) is not None:  # a part of memory that no tensor has yet
                storages[memory] = Storage(whole)
        shared = memory in storages and a.flags.writeable
        layout = backend.layout_in(a, storages[memory].buffer) if shared else None
        known[id(a)] = wrap(backend.dense(backend.asarray(a))) if layout is None else over(storages[memory], *layout)
    return [None if a is None else known[id(a)] for a in arrays]
