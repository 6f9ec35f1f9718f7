"""The numbers of a reduction: shapes, values and gradients as the library has them, and the tree of each lane."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from math import prod
from typing import Any

import numpy as np

from ...claims.bind import bound
from ...claims.claim import Claim
from ...claims.digits import bits_of
from ...claims.rule import Rule
from ...claims.tree import Leaf, Op, Tree, added, called, exact as worked_out, floats, of_rule, times
from ...dispatch.operation import OPS
from ...dispatch.registry import PUBLIC
from ...errors import ArgumentValueError, CallError
from ...layout import reduced_shape
from ...ops.creation import from_numpy
from ...tensor import Tensor
from ..kit.alignment import Index
from ..source import Source, Value, exact, upstream_of
from ..words.numbers import NINE
from ..words.sentences import arriving, indexed

BARE = ("count_nonzero",)
"""What takes a dim and no keepdim."""

SPREAD, MIDDLE = ("var", "std"), {"median": "quantile", "nanmedian": "nanquantile"}
"""What divides by n - 1, and in NumPy by n; what takes the lower of two in the middle, and in NumPy their mean."""

WIDENED = "mean", "nanmean", "var", "std", "norm"
"""What NumPy takes of whole numbers and bools, too."""

PAIRED = "max", "min", "median", "nanmedian", "mode"
"""What gives values and indices, if it is asked for a dim."""

JOINS: dict[str, Callable[[Sequence[Any]], Tree]] = {"sum": added, "mean": added, "prod": lambda lane: times(*lane)}
"""The tree of a lane, where that is more than a function's name; that of a mean is divided by its length."""

IN_PARTS, LONG = "sum mean prod amax amin max min any all logsumexp norm".split(), 4096
"""What is the same of some numbers and of one that stands for the others; of lanes of up to so many."""

LARGE = 1 << 22
"""The cells from which on an array is not copied, and not worked out whole."""

ROOM = 76
"""The characters of an equation for which there is room."""


@dataclass(frozen=True)
class Reduction:
    """A reduction of a tensor, by an operation, along some of its axes."""

    source: Source
    op: str
    dims: tuple[int, ...]
    keepdim: bool
    title: str
    whole: bool  # all axes, without being asked for a dim: of equal cells max then shares
    known: str = ""  # what the source's name stands for
    correction: int = 1  # of var and std: they divide by n minus this
    between: bool = False  # of the median: of two in the middle it is the mean
    heading: str = ""  # the title of the figure

    @property
    def shape(self) -> tuple[int, ...]:
        return reduced_shape(self.source.shape, self.dims, self.keepdim)

    @property
    def length(self) -> int:
        """The number of cells of a lane."""
        return prod(self.source.shape[d] for d in self.dims)

    @property
    def about(self) -> tuple[str, str]:
        source = self.source
        name = self.known or source.name
        return f"{name}: shape {source.shape}, {source.dtype}", f"{self.title}: shape {self.shape}"

    @property
    def arrives(self) -> str:
        """The name of the gradient that arrives."""
        return arriving([self.title, self.known, self.heading])

    def own(self, first: Index) -> Index:
        """The index of a result cell, from the first cell of its lane."""
        return tuple(i for d, i in enumerate(first) if self.keepdim or d not in self.dims)

    def lane(self, cell: Index) -> Index:
        """The first cell of the lane of a cell."""
        return tuple(0 if d in self.dims else i for d, i in enumerate(cell))

    def apply(self, x: Tensor) -> Tensor:
        call = PUBLIC[self.op] if self.correction else partial(PUBLIC[self.op], correction=self.correction)
        if self.between:
            call = partial(PUBLIC[MIDDLE[self.op]], q=0.5)
        if not self.dims and (x.ndim or not self.whole):
            return x if self.op != "logsumexp" else call(x, tuple(range(x.ndim)))
        try:
            if self.whole:
                out = call(x)
            else:
                out = call(x, dim=self.dims[0] if len(self.dims) == 1 else self.dims, keepdim=self.keepdim)
        except CallError:  # it takes other arguments
            out = None if self.keepdim or self.op not in BARE else call(x, dim=self.dims)
        out = out[0] if isinstance(out, tuple) and out and self.op in PAIRED else out
        if not isinstance(out, Tensor) or tuple(out.shape) != self.shape:
            came = f"op={self.op!r} with dim={self.dims}" if self.dims else f"op={self.op!r}"
            rule = "op takes x, dim and keepdim, and each lane becomes one number"
            raise ArgumentValueError(
                came, rule, f"'sum', 'mean', 'amax' or another, or show.op(rf.{self.op}, ...) to see this one"
            )
        return out

    def of(self, array: np.ndarray) -> np.ndarray:
        wide = array.dtype.kind in "biu" and (self.between or self.source.numpy and self.op in WIDENED)
        return np.asarray(self.apply(from_numpy(array.astype(float) if wide else array)).detach().numpy())

    def of_lanes(self, array: np.ndarray, firsts: Sequence[Index]) -> dict[Index, np.ndarray]:
        """The results of the lanes that begin at some cells: of a large array no other is worked out."""
        array, part = (np.array(array, order="C"), False) if array.size < LARGE else (array, True)
        kept = [sorted({first[d] for first in firsts}) if part and d not in self.dims else slice(None)
                for d in range(array.ndim)]
        for d, some in enumerate(kept):
            array = array[(slice(None),) * d + (some,)]
        few = replace(self, source=replace(self.source, shape=array.shape))
        table = few.of(array)
        places = {first: tuple(i if isinstance(some, slice) else some.index(i) for i, some in zip(first, kept))
                  for first in firsts}
        return {first: table[self.own(place)] for first, place in places.items()}

    def lane_claim(self, first: Index, lane: Sequence[Value], array: np.ndarray, result: np.ndarray) -> Claim:
        """The equation of a result, of the numbers of its lane that are drawn."""
        about, (value,) = indexed(self.title, self.own(first)), exact(result)
        tree = self._tree(first, lane, array) or Leaf(value)
        return Claim(about, tree, value, bits=bits_of(result.dtype), room=ROOM - len(about))

    def _tree(self, first: Index, lane: Sequence[Value], array: np.ndarray) -> Tree | None:
        """The tree of a lane; if not all of it is drawn, a leaf without digits stands for the rest."""
        name = "np." * (self.op in SPREAD and not self.correction or self.between) + self.op
        join = JOINS.get(self.op, partial(called, name))
        if len(lane) < self.length:
            if self.length > LONG or self.op not in IN_PARTS:
                return None
            whole = tuple(slice(None) if d in self.dims else i for d, i in enumerate(first))
            one, two, *others, last = exact(array[whole])
            rest = worked_out(join(others), 0)
            lane = [one, two, Leaf(floats(join(others)) if rest is None else rest, "..."), last]
        return called("/", [join(lane), self.length]) if self.op == "mean" else join(lane)

    def share_claim(self, cell: Index, g: Value, factor: Value, x: Value, y: Value, share: Value) -> Claim:
        """The equation of a cell's gradient: by the op's rule, or what arrives times the engine's gradient for 1."""
        try:
            tree = of_rule(self._rule, {"g": g, "x": x, "y": y, "n": self.length})
        except (KeyError, ValueError, SyntaxError, MemoryError, RecursionError):  # of whole lanes, or of a reader's op
            tree = Leaf(g)
        about = indexed(self.source.grad, cell)
        claim = Claim(about, tree if isinstance(tree, Op) else times(g, factor), share)
        return claim if claim.holds else Claim(about, times(g, factor), share)

    @cached_property
    def _rule(self) -> Rule:
        """The rule of the gradient. Raises: KeyError: it has none, or its result is of another kind here."""
        rules = bound(OPS[self.op].doc, {"correction": self.correction}) if not self.between else ()
        return {name: rule for rule in rules for name in rule.names}["dx"]

    def gradients(self, array: np.ndarray, upstream: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray] | None:
        """The gradients that arrive, the engine's for them, and those for ones: the factors; None where none flows."""
        kind = self.source.dtype if self.source.dtype in ("float32", "float64") else "float64"
        x = from_numpy(np.array(array, kind)).requires_grad_()
        if "float" in self.source.dtype and self.apply(x).requires_grad:
            given = np.array([NINE[n % 9] for n in range(prod(self.shape))], kind).reshape(self.shape)
            if upstream is not None:
                given = np.array(upstream_of(upstream, self.shape).array(), kind)
            return given, self._gradient(x, given), self._gradient(x, np.ones_like(given))
        if upstream is not None:
            raise ArgumentValueError(
                f"op={self.op!r} of {self.source.dtype} with an upstream gradient",
                "whole numbers, bools and indices have no gradients", "leave upstream out",
            )
        return None

    def _gradient(self, x: Tensor, upstream: np.ndarray) -> np.ndarray:
        x.grad = None
        out = self.apply(x)
        out.backward(from_numpy(upstream).to(out.dtype))
        return np.asarray(x.grad.numpy())
