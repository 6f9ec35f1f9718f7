"""What every number of a gradient is made of: products of kept numbers and of gradients further on, down to slots."""

from collections.abc import Callable, Iterable
from heapq import heappop, heappush
from typing import Any, NamedTuple

import numpy as np

from ..autograd import no_grad, provenance
from ..layout import indices
from ..tensor import Tensor
from .words.numbers import numbers

TRIES, REACH = 1024, 1024
"""So many kept numbers are tried, one by one, for whether a number is made of them; of a tensor from which more numbers
were made, none is traced."""

Key = tuple[int, tuple[int, ...]]
"""A number of a gradient: the number of the node whose gradient it is of, and its index in it."""

Slot = tuple[tuple, int]
"""A slot of a storage: the identity of the storage, the address."""


class Term(NamedTuple):
    """One product: the factor, and the number it is multiplied with."""

    factor: float
    upstream: Key
    value: float


class Read(NamedTuple):
    """A kept number that a factor was made of: its slot, whose it is, its index there, its value."""

    slot: Slot
    source: str
    index: tuple[int, ...]
    value: float


class Traced(NamedTuple):
    """A number and the products whose sum it is; none for the gradient that came from outside."""

    value: float
    terms: tuple[Term, ...]


class Trace:
    """One walk, of which any number can be asked; what was asked is remembered.

    Args:
        y, gradient: where backward starts, and with what. called: the name of a node, or of one of its operands.
        reach: how many numbers the largest result has that was made of a node's.
    """

    def __init__(self, y: Tensor, gradient: Tensor | None, called: Callable[..., str], reach: Callable[[Any], int]):
        self.y, self.gradient, self.called, self.reach = y, gradient, called, reach
        self.short = str(y.dtype).rpartition(".")[2] != "float64"
        self.tracer: Any = None
        self.known: dict[Key, Traced] = {}
        self.found: dict[Key, Any] = {}
        self.kept: dict[Key, list[tuple[Read, ...]]] = {}
        self.nodes: dict[int, Any] = {}
        self.stores: dict[tuple, str] = {}

    def leaf(self, history: Any) -> list[Key]:
        """The numbers of a leaf's gradient; none if too many numbers are made of them."""
        if self.reach(history) > REACH:
            return []
        with no_grad():
            if self.tracer is None:
                self.tracer = provenance(self.y, self.y, (0,) * self.y.ndim, self.gradient).tracer
            return [self._ask(history, index) for index in indices(tuple(history.out.shape))]

    def _ask(self, history: Any, index: tuple[int, ...]) -> Key:
        key = history.number, tuple(index)
        if key not in self.known:
            found = self.found[key] = self.tracer.of(history, index)
            terms = []
            for term in found.terms:
                self.nodes[term.node.number] = term.node
                upstream = term.node.number, tuple(term.upstream)
                terms.append(Term(self._number(term.factor), upstream, self._number(term.upstream_value)))
            self.known[key] = Traced(self._number(found.value), tuple(terms))
        return key

    def _number(self, value: float) -> float:
        """A number as the boxes have it: a float32 0.1 as 0.1, and no -0.0."""
        return numbers(np.float32(value) if self.short else value)[0]

    def reads(self, key: Key) -> list[tuple[Read, ...]]:
        """For each product of a number, the kept numbers that made its factor; none where many would be tried."""
        if key not in self.kept:
            found = self.found[key]
            tries = sum(x.numel() for term in found.terms for x in term.node.saved or () if isinstance(x, Tensor))
            few = tries <= TRIES
            with no_grad():
                self.kept[key] = [self._reads(found, term) if few else () for term in found.terms]
        return self.kept[key]

    def _reads(self, found: Any, term: Any) -> tuple[Read, ...]:
        read = []
        for kept, index, value, slot in found.reads(term):
            store, source = self._store(term.node, kept)
            self.stores.setdefault(store, source)
            read.append(Read((store, slot), source, index, self._number(value)))
        return tuple(read)

    def _store(self, node: Any, kept: str) -> tuple[tuple, str]:
        """The storage of a kept value, and whose it is: an operand's, or the node's own."""
        x = dict(zip(node.op.slots, node.saved, strict=False))[kept]
        store = x.untyped_storage().data_ptr(), x.untyped_storage().nbytes()
        return store, self.called(node, None if kept in node.op.results else node.op.operands.index(kept))

    def columns(self, start: Iterable[Key], most: int, numbers: int) -> tuple[list[tuple[int, list[Key]]], bool]:
        """The gradients on the way from some numbers to where backward began, nearest first, each with those needed.

        At most `most` of them, each of at most `numbers`; and whether that is all.
        """
        needed: dict[int, dict[Key, None]] = {}
        queue: list[int] = []
        found: list[tuple[int, list[Key]]] = []
        keys = list(start)
        with no_grad():
            while True:
                for key in keys:
                    for term in self.known[key].terms:
                        node = term.upstream[0]
                        if node not in needed:
                            heappush(queue, node)
                        needed.setdefault(node, {})[term.upstream] = None
                if not queue:
                    return found, True
                number = heappop(queue)
                keys = sorted(needed[number])
                if len(found) == most or len(keys) > numbers or self.reach(self.nodes[number]) > REACH:
                    return found, False
                for _, index in keys:
                    self._ask(self.nodes[number], index)
                found.append((number, keys))

    def passes(self, keys: list[Key], on: list[Key]) -> bool:
        """Whether each of some numbers is, unchanged, the one of the same index of a gradient further on."""
        if len(keys) != len(on):
            return False
        terms = [self.known[key].terms for key in keys]
        alone = all(len(products) == 1 and products[0].factor == 1 for products in terms)
        return alone and all(
            products[0].upstream == further and key[1] == further[1]
            for products, key, further in zip(terms, keys, on, strict=True)
        )
