"""A walk of which any number can be asked: its products, and the kept numbers in their factors."""

from collections.abc import Iterable
from heapq import heappop, heappush
from math import isclose, prod
from typing import Any, NamedTuple

import numpy as np

from ...autograd import no_grad, provenance
from ...ir.node import owner
from ...layout import indices
from ...tensor import Tensor
from ..words.nodes import Voice
from ..words.rule import below, multiplies

TRIES, REACH = 1024, 1024
"""So many kept numbers are tried, one by one, for whether a number is made of them; of a tensor from which more numbers
were made, none is traced."""

NUMBERS, GRADIENTS = 24, 12
"""The most numbers of one gradient that are drawn, the most gradients on the way."""

PICKS = "index", "gather", "index_select", "take", "pick", "embedding"
"""What reads some numbers and hands them on as they are; views do as well."""

Key = tuple[int, tuple[int, ...]]
"""A number of a gradient: the number of the node whose gradient it is of, and its index in it."""

Slot = tuple[tuple, int]
"""A slot of a storage: the identity of the storage, the address."""


class Term(NamedTuple):
    """One product: the factor, and the number it is multiplied with, of the gradient of `node`."""

    factor: float
    upstream: Key
    value: float
    node: Any


class Read(NamedTuple):
    """A kept number that a factor was made of: its slot, whose it is, its index there, its value."""

    slot: Slot
    source: str
    index: tuple[int, ...]
    value: float


class Traced(NamedTuple):
    """A number with the products whose sum it is; none for the gradient that came from outside.

    `summed` is what arrived before a hook made the number of it.
    """

    value: float
    summed: float
    terms: tuple[Term, ...]
    provenance: Any


class Trace:
    """A walk of which any number can be asked; what was asked is remembered."""

    def __init__(self, voice: Voice, y: Tensor, gradient: Tensor | None):
        self.voice, self.graph, self.y, self.gradient = voice, voice.graph, y, gradient
        self.short = str(y.dtype).rpartition(".")[2] != "float64"
        self.tracer: Any = None
        self.known: dict[Key, Traced] = {}
        self.kept: dict[Key, list[tuple[Read, ...]]] = {}
        self.stores: dict[tuple, str] = {}
        self.sources: dict[tuple[int, str], tuple[tuple, str]] = {}
        self.results = {node.history.number: [voice.called(node, ref) for ref in node.refs if node.labels]
                        for node in self.graph if type(getattr(node.history, "out", None)) is tuple}  # fmt: skip
        """The operations with several results, and what these are called; nothing where the program has one of them."""

    def called(self, history: Any, operand: int | None = None) -> str:
        """Returns the name of a node, or of what it reads, for a heading."""
        ref = owner(self.graph.find(history))
        if operand is not None:
            ref = below(self.graph, self.graph[ref].operands[operand])
        return self.voice.called(self.graph[ref], ref) if ref[:1] == "%" else ref

    def arriving(self, history: Any) -> str:
        """Returns the name of the gradient that reaches a node, for a heading."""
        ref = owner(self.graph.find(history))
        return self.voice.arriving(self.graph[ref], ref)

    def _reach(self, history: Any) -> int:
        """Returns the size of the largest result that was made of a node's."""
        users = [user for user, _ in self.graph.users(owner(self.graph.find(history)))]
        return max((prod(user.shape or ()) for user in users), default=0)

    def leaf(self, history: Any) -> list[Key]:
        """Returns the numbers of a leaf's gradient; none if they, or the numbers made of them, are too many."""
        shape = tuple(history.out.shape)
        if prod(shape) > NUMBERS or not self.y.numel() or self._reach(history) > REACH:
            return []
        with no_grad():
            if self.tracer is None:
                self.tracer = provenance(self.y, self.y, (0,) * self.y.ndim, self.gradient).tracer
            return [self._ask(history, index) for index in indices(shape)]

    def _ask(self, history: Any, index: tuple[int, ...]) -> Key:
        key = history.number, tuple(index)
        if key not in self.known:
            number = self.tracer.of(history, index)
            terms = tuple(
                Term(self._number(term.factor), (term.node.number, tuple(term.upstream)),
                     self._number(term.upstream_value), term.node) for term in number.terms
            )  # fmt: skip
            products = [term.factor * term.value for term in terms]
            hooked = any(term.node.posthooks for term in terms)
            late = hooked and not isclose(sum(products), number.summed, rel_tol=1e-3)
            summed = sum(products) if late else number.summed
            self.known[key] = Traced(self._number(number.value), self._number(summed), terms, number)
        return key

    def _number(self, value: float) -> float:
        """A number as the boxes have it: a float32 0.1 as 0.1, and no -0.0."""
        return (float(str(np.float32(value))) if self.short else value) + 0.0

    def reads(self, key: Key) -> list[tuple[Read, ...]]:
        """Returns, for each product of a number, the kept numbers that made its factor.

        There are none where too many would have to be tried.
        """
        if key not in self.kept:
            number = self.known[key].provenance
            tries = sum(x.numel() for term in number.terms for x in term.node.saved or () if isinstance(x, Tensor))
            with no_grad():
                self.kept[key] = [self._reads(number, term) if tries <= TRIES else () for term in number.terms]
        return self.kept[key]

    def _reads(self, number: Any, term: Any) -> tuple[Read, ...]:
        read = []
        for kept, index, value, slot in number.reads(term):
            store, source = self._source(term.node, kept)
            self.stores.setdefault(store, source)
            read.append(Read((store, slot), source, index, self._number(value)))
        return tuple(read)

    def _source(self, node: Any, kept: str) -> tuple[tuple, str]:
        """Returns the storage of a kept value, and the name of its owner: an operand, or the node itself."""
        if (node.number, kept) not in self.sources:
            op, x = node.op, dict(zip(node.op.slots, node.saved, strict=False))[kept].untyped_storage()
            source = self.called(node, None if kept in op.results else op.operands.index(kept))
            if kept in op.results[1:]:
                source = f"{self.graph[owner(self.graph.find(node))].op}.{kept}"
            self.sources[node.number, kept] = (x.data_ptr(), x.nbytes()), source
        return self.sources[node.number, kept]

    def multiplies(self, key: Key, n: int) -> bool:
        """True if a product of a number is one by a kept number as it is.

        At x = 1 the factor 1 / x is x as well, and no such product.
        """
        term = self.known[key].provenance.terms[n]
        return multiplies(self.graph[owner(self.graph.find(term.node))], term.operand)

    def place(self, key: Key) -> tuple[str, tuple[int, ...]]:
        """Returns the name of the one of several results that a number is of, or "", and its index there."""
        number, index = key
        if number not in self.results:
            return "", index
        results = self.results[number]
        return results[index[0]] if results else "", index[1:]

    def unread(self, history: Any) -> list[str]:
        """Returns the operations that read a node, if each of them only picks some of its numbers.

        A number to which nothing leads is then one that is not picked.
        """
        users = [user for user, _ in self.graph.users(owner(self.graph.find(history)))]
        padded = any(dict(user.attrs).get("padding_idx", -1) >= 0 for user in users)  # that row is read all the same
        picks = users and not padded and all(user.is_view or user.rule in PICKS for user in users)
        return list(dict.fromkeys(user.op for user in users)) if picks else []

    def way(self, start: Iterable[Key]) -> tuple[list[tuple[Any, list[Key]]], bool]:
        """Returns the nodes on the way from some numbers back to where backward began, nearest first.

        Each comes with the numbers needed: not too many gradients, none of too many numbers. The second result is True
        if that is all.
        """
        needed: dict[int, tuple[Any, set[Key]]] = {}
        queue: list[int] = []
        way: list[tuple[Any, list[Key]]] = []
        keys = list(start)
        with no_grad():
            while True:
                for term in (term for key in keys for term in self.known[key].terms):
                    if term.node.number not in needed:
                        heappush(queue, term.node.number)
                    needed.setdefault(term.node.number, (term.node, set()))[1].add(term.upstream)
                if not queue:
                    return way, True
                node, numbers = needed[heappop(queue)]
                if len(way) == GRADIENTS or len(numbers) > NUMBERS or self._reach(node) > REACH:
                    return way, False
                keys = [self._ask(node, index) for _, index in sorted(numbers)]
                way.append((node, keys))

    def passes(self, keys: list[Key], on: list[Key]) -> bool:
        """True if each number is, unchanged, the one of the same index of a gradient further on."""
        return len(keys) == len(on) and all(
            [(term.factor, term.upstream) for term in self.known[key].terms] == [(1, further)] and key[1] == further[1]
            for key, further in zip(keys, on, strict=True)
        )
