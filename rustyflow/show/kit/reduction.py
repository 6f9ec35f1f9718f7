"""What a reduction computes: shapes, values and gradients as the library has them, and what a lane comes to."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import isfinite, prod
from typing import Any

import numpy as np

from ...claims.rule import rules_in
from ...dispatch.operation import OPS
from ...dispatch.registry import PUBLIC
from ...errors import ArgumentValueError, CallError
from ...layout import reduced_shape
from ...ops.creation import from_numpy
from ...tensor import Tensor
from ..source import Source, Value, exact, upstream_of
from ..words.exact import TRIED, as_written, bits_of, comes_out, digits_of, held, sign, worked, wraps
from ..words.numbers import DIGITS, NINE
from ..words.sentences import arriving
from .alignment import Index

BARE = ("count_nonzero",)
"""What takes a dim and no keepdim."""

SPREAD, MIDDLE = ("var", "std"), {"median": "quantile", "nanmedian": "nanquantile"}
"""What divides by n - 1, and in NumPy by n; what takes the lower of two in the middle, and in NumPy their mean."""

WIDENED = "mean", "nanmean", "var", "std", "norm"
"""What NumPy takes of whole numbers and bools, too."""

PAIRED = "max", "min", "median", "nanmedian", "mode"
"""What gives values and indices, if it is asked for a dim."""


@dataclass(frozen=True)
class Reduction:
    """What is computed: of a tensor, by an operation, along some of its axes."""

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
        """How many cells a lane has."""
        return prod(self.source.shape[d] for d in self.dims)

    @property
    def about(self) -> tuple[str, str]:
        source = self.source
        name = self.known or source.name
        return f"{name}: shape {source.shape}, {source.dtype}", f"{self.title}: shape {self.shape}"

    @property
    def arrives(self) -> str:
        """What the gradient that arrives is called."""
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

    def come_to(self, lane: Sequence[Any]) -> Any:
        """What the numbers of a lane come to without rounding; None where the operation's rule cannot be worked out."""
        if self.op not in OPS or self.between or not all(map(isfinite, lane)):
            return None
        given = {"x": np.array(lane, object), "dim": 0, "keepdim": False, "n": len(lane), "correction": self.correction}
        found = worked(next((rule for rule in rules_in(OPS[self.op].doc) if rule.left == "y"), None), given, ())
        return None if found is None else found.item()

    def written(
        self, array: np.ndarray, table: np.ndarray, values: Mapping[Index, Value], lanes: Mapping[Index, list[Index]]
    ) -> tuple[dict[Index, int], dict[Index, str], dict[Index, str]]:  # fmt: skip
        """The digits of each lane's numbers, by its first cell, the sign before its result, and that in full.

        With so many digits the numbers come to the result as it is written; 0 is for all they have. The result is in
        full where it has all its digits, too, or is what its dtype's bits hold.
        """
        digits, signs, ends, rough, left = {}, {}, {}, set(), dict(lanes)
        results = {first: exact(table[self.own(first)])[0] for first in lanes}
        for n in (*TRIED, DIGITS) if left else ():
            read = {cell: as_written(value, n) for cell, value in values.items()}
            able = {cell: held(value, array.dtype) for cell, value in read.items()}
            kept = np.zeros(array.shape, "float64" if array.dtype.kind == "f" else array.dtype)
            for cell, value in read.items():
                kept[cell] = value if able[cell] else values[cell]
            found, last = self.of(kept), n == DIGITS < max(digits.values(), default=0)
            for first, lane in [*left.items()]:
                digits[first], total = n, results[first]
                can = all(able[cell] for cell in lane)
                came = exact(found[self.own(first)])[0] if can else self.come_to([read[cell] for cell in lane])
                fits = comes_out(came, total, max(abs(values[cell]) for cell in lane))
                if last or len(lane) > 12 or fits:
                    rough |= set() if fits else {first}
                    again = self.come_to([read[cell] for cell in left.pop(first)])
                    signs[first] = sign([came if again is None else again], [total])
        for first, lane in lanes.items() if array.dtype.kind in "iu" else ():
            whole, total = self.come_to([values[cell] for cell in lane]), results[first]
            if (bits := bits_of(table.dtype)) and whole not in (None, total) and wraps(whole, total, bits):
                digits[first], signs[first], ends[first] = 0, "=", f"{total} (mod 2^{bits})"
            elif first in rough and (whole is None or whole == total):
                digits[first], signs[first], ends[first] = 0, "=", digits_of(total)
        return digits, signs, ends

    def gradients(self, array: np.ndarray, upstream: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray] | None:
        """What arrives, the engine's gradient for it, and that for ones: the factors; None where none flows."""
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
