"""The numbers of tensors as they were when they were read: kept, saved for a gradient, or computed again."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from ..backends import backend
from ..tensor import AccumulateGrad, Meta, Tensor, history_of
from .again import Unknown, run
from .gradient import key_of
from .source import Call, Key, Source

NEAR = 1e-4, 1e-6
"""How near a result that is computed again comes, relative and absolute, if nothing was written over."""


class Values:
    """The arrays of sources, each looked for once.

    Args:
        alive: the program's tensors.

    Attributes:
        again: how many operations were run again.
    """

    def __init__(self, alive: list[Any]):
        self.alive = alive
        self.arrays: dict[Key, np.ndarray] = {}
        self.saved: dict[Key, np.ndarray] = {}
        self.doubted: set[Key] = set()
        self.again = 0

    def of(self, source: Source) -> np.ndarray:
        """The array of a source.

        Raises:
            Unknown: its numbers are gone.
        """
        waiting = [source]
        while waiting:
            at = waiting[-1]
            if at.key not in self.arrays:
                kept = None if at.key in self.doubted else self.kept(at)
                if kept is None:
                    missing = self.missing(at)
                    if missing:
                        waiting += missing
                        continue
                    self.compute(at)
                else:
                    self.arrays[at.key] = kept
            waiting.pop()
        return self.arrays[source.key]

    def missing(self, source: Source) -> list[Source]:
        """The operands that have to be known before a tensor is computed again."""
        if source.call is None:
            raise Unknown(f"{source.word or 'it'} is gone")
        return [x for x in source.call.operands if isinstance(x, Source) and x.key not in self.arrays]

    def compute(self, source: Source) -> None:
        """Runs the operation that made a tensor again."""
        call = source.call
        operands = [self.arrays[x.key] if isinstance(x, Source) else x for x in call.operands]
        self.again += 1
        for x, array in zip(call.results, run(call, operands), strict=True):
            if x.key == source.key or x.key not in self.arrays:
                self.arrays[x.key] = array.astype(x.dtype)

    def kept(self, source: Source) -> np.ndarray | None:
        """The numbers that a node, one that saved it, or a tensor of the program's has kept, or None."""
        if source.node is None:
            return None if source.tensor is None else np.array(source.tensor._a)
        out = source.node.out
        out = out[source.place] if type(out) is tuple else out
        if type(out) is not Meta:
            return np.array(out)
        if source.key in self.saved:
            return self.saved[source.key]
        x = self.tensors.get(source.key)
        return None if x is None else np.asarray(x._a)

    @cached_property
    def tensors(self) -> dict[Key, Tensor]:
        """The program's tensors by key, but for those that were written over since."""
        known: dict[Key, Tensor] = {}
        for x in self.alive:
            if isinstance(x, Tensor) and (history := history_of(x)) is not None:
                written = x._storage.written if x._storage is not None else 0
                if written <= history.number or type(history) is AccumulateGrad:
                    known[key_of(history)] = x
        return known

    def learn(self, call: Call) -> None:
        """Takes down what a node has saved, of large operands and results that no node keeps."""
        node = call.node
        slots, saved = getattr(call.op, "slots", ()), getattr(node, "saved", None)
        if not saved or getattr(call.op, "held", False) or getattr(call.op, "variadic", False):
            return
        for name, x in zip(slots, saved, strict=False):
            if not isinstance(x, Tensor) or x._storage is not None and x._storage.written > node.number:
                continue
            if name in call.op.results:
                self.saved.setdefault((node.number, list(call.op.results).index(name)), np.asarray(x._a))
            elif name in call.op.operands and (parent := node.parents[list(call.op.operands).index(name)]) is not None:
                self.saved.setdefault(key_of(parent), np.asarray(x._a))

    def lost(self, call: Call) -> None:
        """Takes down the operands in whose memory an operation wrote its result."""
        node = call.node
        outs = node.out if type(node.out) is tuple else (node.out,)
        if getattr(call.op, "layout", None) is not None or any(type(out) is Meta for out in outs):
            return
        mine = {id(backend.memory_of(out)) for out in outs}
        for parent in node.parents:
            out = getattr(parent, "out", None)
            made = parent is not None and type(parent) is not AccumulateGrad
            if made and type(out) not in (Meta, tuple) and id(backend.memory_of(out)) in mine:
                self.doubted.add(key_of(parent))

    def doubt(self, call: Call) -> list[Source]:
        """Computes the operands again that something may have written over, unseen; returns those that were."""
        changed = []
        for x in call.operands:
            if isinstance(x, Source) and x.call is not None and x.key not in self.doubted:
                self.doubted.add(x.key)
                before = self.arrays.pop(x.key, None)
                try:
                    now = self.of(x)
                except Unknown:
                    now = None
                if before is not None and (now is None or np.allclose(before, now, *NEAR, equal_nan=True)):
                    self.arrays[x.key] = before
                elif now is not None:
                    changed.append(x)
        return changed
