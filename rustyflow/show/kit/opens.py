"""The boxes of a program's graph as places that open: a box into rows, and these into numbers."""

from collections.abc import Callable, Mapping, Sequence
from itertools import product
from math import prod
from typing import Any

import numpy as np

from ...claims.digits import spell
from ...claims.tree import TERMS, nested
from ...ir import Node
from ...ir.node import owner
from ...scene import Unfolds
from ...tensor import Tensor
from ...unfold import Number, Piece, Place, World
from ...unfold.again import Unknown
from ...unfold.line import LONGEST
from ...unfold.source import Source
from ..words.nodes import Voice, had
from ..words.rule import below
from ..words.sentences import indexed
from .unfold import MOST, unfolds

Index = tuple[int, ...]

FIRST, SHORT = 4, 60
"""So many of many rows are told, and the last; the most characters of numbers that stand for a row."""


class Whole:
    """Numbers that stand together, as those of a tensor or a row: it opens into them.

    Attributes:
        name, pieces, place: as of a `Number`. short: what is told where there is no room for all of them.
    """

    sign = digits = note = ""

    def __init__(self, name: str, pieces: Sequence[str | Piece], place: Place, short: str = ""):
        self.name, self.pieces, self.place, self.short = name, tuple(pieces), place, short

    @property
    def opens(self) -> bool:
        """True if any number in it does."""
        return any(piece.number.opens for piece in self.pieces if not isinstance(piece, str))

    @property
    def letters(self) -> int:
        """The number of letters in its line; of one of rows more than there is room for."""
        rows = any(isinstance(piece, Piece) and isinstance(piece.number, Whole) for piece in self.pieces)
        return sum(len(piece if isinstance(piece, str) else piece.letters) for piece in self.pieces) + rows * LONGEST


class Opened:
    """A program's graph in a world: each of its boxes holds numbers that open.

    Args:
        world: of the graph's results. graph: with the names of its nodes. voice: says them.
    """

    def __init__(self, world: World, voice: Voice):
        self.world, self.graph, self.voice = world, voice.graph, voice
        self.boxes: dict[Any, int] = {}
        self.gradients: dict[Place, list[str]] = {}  # the other cells in which gradients stand
        self.slots: dict[tuple[int, int], dict[int, list[str]]] = {}  # and values, by the memory and the slot
        numbers = {node.id: k for k, node in enumerate(self.graph)}
        for k, node in enumerate(self.graph):
            for source in self._sources(node):
                self.boxes[source.key] = k
                if had(node) is not None:  # that name is taken by the one before
                    world.called.grads[source.key] = f"gradient of {world.called(source)}"
        for node in self.graph:  # of what nothing tracks only the readers know
            for operand, ref in enumerate(node.operands if node.kind == "op" and self._sources(node) else ()):
                x = world.operand(node.history, operand) if ref[:1] == "%" and world.twins is None else None
                if isinstance(x, Source):
                    self.boxes.setdefault(x.key, numbers[owner(below(self.graph, ref))])

    def _sources(self, node: Node) -> list[Source]:
        """The tensors of a node; of one of PyTorch's those of ours that stand for them."""
        if node.history is None or node.kind == "expand":
            return []
        if self.world.twins is None:
            return [self.world.source(node.history, k) for k in range(len(node.refs))]
        known = [self.world.twins.known.get(ref) for ref in node.refs]
        return [self.world.source(x) for x in known if isinstance(x, Tensor)]

    def shape_of(self, place: Place) -> str | None:
        """The ids of the box that a number is in, and of all other cells that show it."""
        ids = [f"n{self.boxes[place.tensor]}"] if place.tensor in self.boxes else []
        ids += self.gradients.get(place, ())
        array = _memory(self.world.sources[place.tensor]) if self.slots and not place.grad else None
        if array is not None:
            here = array[(*map(slice, place.index, [k + 1 for k in place.index]),)].__array_interface__["data"][0]
            for (start, size), slots in self.slots.items():
                ids += slots.get((here - start) // array.itemsize, ()) if start <= here < start + size else ()
        return " ".join(ids)

    def number(self, history: Any, k: int, index: Index) -> Number | None:
        """The number of a cell of a gradient; None where none came."""
        return self.world.grad_source(self.world.source(history, k), index)

    def box(self, node: Node, grads: bool) -> Whole | Number | None:
        """All that a box holds: values, and gradients if these are there; None where nothing of it opens."""
        sources = self._sources(node)
        each = [self._whole(source, False) for source in sources if node.kind == "op"]
        each += [self._whole(source, True) for source in sources if grads]
        each = [whole for whole in each if whole is not None and whole.opens]
        if len(each) < 2:
            return each[0] if each else None
        name, pieces = self.voice.called(node), list[str | Piece]()
        few = sum(whole.letters + 12 for whole in each if isinstance(whole, Whole)) <= LONGEST - len(name) - 24
        for whole in each:
            pieces.append(f"{', ' if pieces else ''}{'gradient' if whole.place.grad else 'value'} ")
            pieces += whole.pieces if few and isinstance(whole, Whole) else [_piece(whole)]
        return Whole(name, pieces, each[0].place)

    def _whole(self, source: Source, grad: bool) -> Whole | Number | None:
        """A tensor, or its gradient, in its rows or cells; None where it is not known."""
        name = self.world.called.grad(source) if grad else self.world.called(source)
        at = self.world.grad_source if grad else self.world.at_source
        try:
            return _rows(name, lambda index: at(source, index), source.shape, Place(source.key, (), grad))
        except (Unknown, LookupError):
            return None


def _memory(source: Source) -> np.ndarray | None:
    """The array of a tensor where it stands, None of one that is kept nowhere."""
    out = source.tensor._a if source.node is None else source.node.out
    out = out[source.place] if type(out) is tuple else out
    return out if isinstance(out, np.ndarray) else None


def _rows(name: str, at: Callable[[Index], Number | None], shape: Index, place: Place, lead: Index = ()) -> Any:
    """Numbers of a tensor that begin with an index: up to 12 cells as they are, of more their rows."""
    inner = shape[len(lead) :]
    if not inner:
        return at(lead)
    if (few := prod(inner) <= TERMS) or inner[0] <= TERMS:
        shown = [*product(*map(range, inner))] if few else [(k,) for k in range(inner[0])]
    else:
        shown = [(k,) for k in (*range(FIRST), inner[0] - 1)]
    parts = [_rows(name, at, shape, place, (*lead, *index)) for index in shown]
    if None in parts:
        return None
    parts = [_piece(part) for part in parts]
    texts = [part.digits for part in parts]
    if sum(len(part.letters) + 2 for part in parts) > LONGEST - 10:  # whose they are is told before
        parts = [part._replace(letters=indexed("", (*lead, *index))) for part, index in zip(parts, shown)]
    between = nested(["\x01"] * len(parts), inner if few else (len(parts),)).split("\x01")
    if len(shown) < inner[0] and not few:
        between[FIRST] = ", ..., "
    pieces = [piece for pair in zip(between, parts) for piece in pair] + between[-1:]
    told = nested(texts, inner) if few else ""
    many = "×".join(map(str, inner)) + " numbers"
    return Whole(indexed(name, lead), pieces, place, told if 0 < len(told) <= SHORT else many)


def _piece(number: Number | Whole) -> Piece:
    """A number, or several, as they are written in a line."""
    return Piece(number, number.name, number.short if isinstance(number, Whole) else spell(number.shown))


def opened(it: Opened, ids: Mapping[str, Any], of: str = "", most: int = MOST) -> Unfolds:
    """Returns the levels that boxes and cells open into, by the ids of their shapes; at most so many."""
    return unfolds({id: number for id, number in ids.items() if number is not None}, it.shape_of, most, of)
