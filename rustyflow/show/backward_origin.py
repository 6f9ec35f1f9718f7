"""Where the numbers of a leaf's gradient come from: every product, back to upstream gradients and slots."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ..autograd import no_grad, provenance
from ..layout import indices
from ..scene import Shape, draw
from ..tensor import Tensor
from .dag import RIGHT, brief

CELLS, TERMS, SIDE = 12, 48, 42
"""The most numbers of a gradient that are drawn, the most products, the side of a cell."""


class Origin:
    """The numbers of one leaf's gradient, and all that they are made of, as rows of cells.

    Attributes:
        columns: (heading, cells) from left to right: the gradient, then for each operation that read the leaf its own
            gradient and the storage of what it kept. A cell is (key, value, address).
        why: the end of the sentence: how the products came together.
    """

    def __init__(self, y: Tensor, gradient: Tensor | None, leaf: Tensor, name: str, called: Callable[[Any], str]):
        self.name = name
        self.columns: list[tuple[str, list[tuple[str, Any, str]]]] = []
        with no_grad():
            self.found = [provenance(y, leaf, index, gradient) for index in indices(tuple(leaf.shape))]
        self._add(f"{name}.grad", [(f"q{n}", p.value, "") for n, p in enumerate(self.found)])
        self.upstream: dict[tuple, str] = {}
        self.slots: dict[tuple, str] = {}
        self.read: list[list[list[tuple]]] = []
        sources: dict[tuple, dict] = {}
        stores: dict[tuple, dict] = {}
        copies = 0
        for found in self.found:
            rows = []
            copies = max(copies, len(found.terms))
            for term in found.terms:
                up = (term.node.number, term.upstream)
                heading = f"g of {called(term.node)}"
                sources.setdefault((term.node.number, heading), {})[term.upstream] = term.upstream_value
                with no_grad():
                    reads = found.reads(term)
                for kept, _, value, slot in reads:
                    store = self._store(term.node, kept)
                    stores.setdefault((store, called(self._source(term.node, kept))), {})[slot] = value
                rows.append((up, [(self._store(term.node, kept), slot) for kept, _, _, slot in reads]))
            self.read.append(rows)
        for (number, heading), cells in sources.items():
            keys = {at: f"u{len(self.upstream) + n}" for n, at in enumerate(sorted(cells))}
            self.upstream |= {(number, at): key for at, key in keys.items()}
            self._add(heading, [(keys[at], cells[at], "") for at in sorted(cells)])
        for (store, heading), cells in stores.items():
            keys = {slot: f"s{len(self.slots) + n}" for n, slot in enumerate(sorted(cells))}
            self.slots |= {(store, slot): key for slot, key in keys.items()}
            self._add(f"storage of {heading}", [(keys[s], cells[s], str(s)) for s in sorted(cells)])
        self.why = ": added up, because it was read more than once." if copies > 1 else "."

    @property
    def fits(self) -> bool:
        """Whether it can be drawn in one row."""
        few = len(self.found) <= CELLS and all(len(p.terms) <= TERMS for p in self.found)
        return few and self._width() <= RIGHT - 24 - 32

    def _add(self, heading: str, cells: list) -> None:
        self.columns.append((heading, cells))

    @staticmethod
    def _store(node: Any, kept: str) -> tuple:
        x = dict(zip(node.op.slots, node.saved, strict=False))[kept]
        return x.untyped_storage().data_ptr(), x.untyped_storage().nbytes()

    @staticmethod
    def _source(node: Any, kept: str) -> Any:
        """The history whose value was kept: an operand's, or the node's own."""
        if kept in node.op.results:
            return node
        return node.parents[node.op.operands.index(kept)] or kept

    def _lefts(self) -> list[float]:
        lefts, x = [], 16.0
        for heading, cells in self.columns:
            lefts.append(x)
            x += max(len(cells) * (SIDE + 2), 9.2 * len(heading)) + 34
        return [*lefts, x - 34]

    def _width(self) -> float:
        return self._lefts()[-1]

    def draw(self, k: int) -> Iterator[Shape]:
        """The cells, with ids that begin `o` and the number of the leaf."""
        for number, ((heading, cells), x) in enumerate(zip(self.columns, self._lefts(), strict=False)):
            ink = "value-ink" if heading.startswith("storage") else "grad-ink"
            yield draw.text(x, 19, heading, f"mono {ink}", 15)
            if number:
                yield draw.text(x - 22, 51, "←" if number == 1 else "·", "muted", 18)
            for n, (key, value, address) in enumerate(cells):
                cls = "value" if heading.startswith("storage") else "grad"
                words = brief(value)
                size = min(15.0, 1.6 * (SIDE - 4) / len(words))
                yield draw.cell(f"o{k}{key}", x + n * (SIDE + 2), 27, words, cls, SIDE, 36, size, address)

    def terms(self, k: int) -> Iterator[tuple[tuple[str, ...], str, str, str]]:
        """For each number of the gradient: what it lights, its products, their sum, and its index."""
        for number, (found, rows) in enumerate(zip(self.found, self.read, strict=True)):
            lights = [f"o{k}q{number}"]
            for up, slots in rows:
                lights += [f"o{k}{self.upstream[up]}", *(f"o{k}{self.slots[slot]}" for slot in slots)]
            shown = [f"{_sign(term.factor)}·{_sign(term.upstream_value)}" for term in found.terms[:5]]
            more = " + ..." if len(found.terms) > 5 else ""
            index = f"[{', '.join(map(str, found.index))}]" if found.index else ""
            yield tuple(dict.fromkeys(lights)), " + ".join(shown) + more, brief(float(np.float32(found.value))), index


def _sign(value: float) -> str:
    words = brief(value)
    return f"({words})" if words.startswith("-") else words
