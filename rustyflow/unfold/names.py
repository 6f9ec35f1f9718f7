"""The names of a program's tensors: the reader's; else those that `show.graph` gives their boxes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..ir.names import Names
from ..ir.text import clean
from ..tensor import AccumulateGrad
from .source import Source


class Called:
    """Names of sources; each has one, and no two the same.

    Args:
        names: those of the program.
    """

    def __init__(self, names: Names):
        self.names = names
        self.reader = {name: x for x in names.alive if (name := names.of(x))}
        self.known: dict[Any, str] = {}
        self.used: dict[str, Any] = {}
        self.grads: dict[Any, str] = {}  # of gradients that have a name of their own, by the source's key

    @property
    def taken(self) -> Mapping[str, Any]:
        """The names that the reader gave."""
        return self.reader

    def own(self, source: Source) -> str:
        """The reader's name, or ""."""
        key = source.node if source.node is not None else source.tensor
        return self.names.of(key, source.place) or self.names.of(source.tensor) or ""

    def __call__(self, source: Source) -> str:
        if source.key not in self.known:
            name = clean(self.own(source)) or self._free(self._word(source), source)
            self.known[source.key] = name
            self.used.setdefault(name, source.key)
        return self.known[source.key]

    def _word(self, source: Source) -> str:
        call = source.call
        if call is None:
            return source.word or "leaf"
        if source.place:
            return f"{self(call.results[0])}.{call.labels[source.place]}"
        if getattr(call.op, "layout", None) is not None and isinstance(call.operands[0], Source):
            return f"{self(call.operands[0]).partition('%')[0]}.{source.word}"
        return source.word

    def _free(self, word: str, source: Source) -> str:
        free = word not in self.reader and self.used.get(word, source.key) == source.key
        return word if free else f"{word}%{len(self.known) + 1}"

    def grad(self, source: Source) -> str:
        """The name of a tensor's gradient: `w.grad`, `dz`, `d(sub%10)`."""
        name = self(source)
        if source.key in self.grads:
            return self.grads[source.key]
        if type(source.node) is AccumulateGrad:
            return f"{name}.grad"
        return f"d{name}" if name.isidentifier() else f"d({name})"
