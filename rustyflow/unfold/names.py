"""The names of a program's tensors: the reader's; else those that `show.graph` gives their boxes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from itertools import islice
from typing import Any

from ..ir.builder import Builder
from ..ir.names import Names
from ..ir.reader import in_order
from ..ir.text import clean
from ..tensor import AccumulateGrad, edge_of
from .source import Call, Key, Source

MOST = 500
"""In a graph of up to so many nodes each is called as its line in `ir.graph` is; in a larger one it is counted from
the end, for nothing is read but what is asked for."""


class Called:
    """The names of sources, no two alike.

    Args:
        names: those of the program.
        roots: the histories of the results.
        every: gives all sources, in a small graph.
    """

    def __init__(self, names: Names, roots: list[Any], every: Callable[[], Iterable[Source]]):
        self.names, self.roots, self.every = names, roots, every
        self.reader = names.named
        self.known: dict[Key, str] = {}
        self.grads: dict[Key, str] = {}  # of gradients that have a name of their own

    @cached_property
    def ids(self) -> dict[Key, str] | None:
        """The lines of `ir.graph` by key, None of a large graph."""
        if len([*islice(nodes(self.roots), MOST + 1)]) > MOST:
            return None
        builder = Builder(self.names)
        for history in in_order(self.roots):
            builder.history(history)
        lines = {("x", key[0]): ref for key, ref in builder.untracked.items()}
        for node in builder.nodes:
            if node.history is not None:
                lines |= {(node.history.number, k): node.id for k in range(len(node.refs))}
        return lines

    @cached_property
    def words(self) -> Counter[str]:
        """The number of those that are called by each word, in a small graph."""
        sources = [*self.every()]
        calls = {source.call.number: source.call for source in sources if source.call}
        leaves = (source.word for source in sources if not source.call and not self.own(source))
        return Counter([*map(self._word, calls.values()), *leaves])

    def own(self, source: Source) -> str:
        """The reader's name, or ""."""
        key = source.tensor if source.node is None else source.node
        return clean(self.names.of(key, source.place) or self.names.of(source.tensor) or "")

    def __call__(self, source: Source) -> str:
        if source.key not in self.known:
            self.known[source.key] = self.own(source) or self._name(source)
        return self.known[source.key]

    def _name(self, source: Source) -> str:
        """The name of what the reader has not named: its operation's, or that of the operation's first result."""
        call = source.call
        if call is None:
            return self._apart(source.word, source)
        label = call.labels[source.place]
        stem = "" if label.isdigit() or not source.place else self.own(call.results[0])
        stem = stem or self._apart(self._word(call), source)
        return f"{stem}.{label}" if source.place or label.isdigit() else stem

    def _word(self, call: Call) -> str:
        """An operation's name; that of a view tells of what."""
        first = call.operands[0] if getattr(call.op, "layout", None) is not None else None
        if not isinstance(first, Source):
            return call.word
        view = first.call is not None and getattr(first.call.op, "layout", None) is not None
        base = self.own(first) or ("" if view else first.word)
        return f"{base}.{call.word}" if base else call.word

    def _apart(self, word: str, source: Source) -> str:
        """The word, with what tells it from others of the same."""
        if self.ids is not None:
            alone = word and self.words[word] <= 1 and word not in self.reader
            return word if alone else word + self.ids.get(source.key, "")
        number = getattr(source.node, "number", None)
        return word if number is None else f"{word}%{number - max(root.number for root in self.roots)}"

    def grad(self, source: Source) -> str:
        """The name of a tensor's gradient: `w.grad`, `dz`, `d(sub%10)`."""
        name = self(source)
        if source.key in self.grads:
            return self.grads[source.key]
        if type(source.node) is AccumulateGrad:
            return f"{name}.grad"
        return self.sent(name)

    @staticmethod
    def sent(name: str) -> str:
        """The name of what arrives at a result of that name."""
        return f"d{name}" if name.isidentifier() else f"d({name})"


def nodes(roots: list[Any]) -> Iterator[Any]:
    """The engine's nodes behind some histories."""
    met: set[int] = set()
    waiting = [edge_of(root)[0] for root in roots]
    while waiting:
        node = waiting.pop()
        if id(node) not in met:
            met.add(id(node))
            yield node
            waiting += [edge_of(parent)[0] for parent in node.parents if parent is not None]
