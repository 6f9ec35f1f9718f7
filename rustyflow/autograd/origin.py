"""The origin of a number in a gradient: the products whose sum it is, down to storage slots."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from math import fsum, prod
from typing import Any

from ..backends import backend
from ..dispatch.operation import Op
from ..errors import IndexOutOfRange, ShapeError, TensorError
from ..layout import contiguous_stride, flat_index
from ..tensor import Tensor, history_of, wrap
from ..tensor.history import edge_of, output_of
from .contributions import cast
from .factors import (
    as_read,
    block_of,
    cell_of,
    derivatives,
    elementwise,
    line,
    moving,
    name_of,
    nudging,
    number_of,
    parts_of,
    record,
    send_one,
    values_of,
)
from .step import Step
from .steps import backward_steps

SMALL = 256
"""The factors of up to this many upstream numbers are found by sending a single 1 through each; others by
differentiating.
"""

AT_ONCE = 1 << 22
"""The most numbers in one table of factors."""

MOST = 1000
"""The most terms that are listed one by one, unless told otherwise; the others are counted and summed."""


@dataclass(frozen=True)
class Term:
    """One product in a sum: `factor` times one element of a node's upstream gradient.

    Attributes: `node` and `operand`, whose gradient rule made it; `at`, the element of that contribution (before
    broadcasting was undone); `upstream`, the element's index in the node's own gradient (its output number first,
    where it has several); `factor`, `upstream_value`, `product`.
    """

    node: Any
    operand: int
    at: tuple
    upstream: tuple
    factor: float
    upstream_value: float
    product: float


@dataclass(frozen=True)
class Provenance:
    """The products whose sum is one number of one gradient.

    Attributes: `history`, whose gradient; `index`, which number; `value`, of which hooks are part; `terms`, in order,
    the first of `count`; `rest`, the sum of those that are not listed; `slot`, where the number it is the gradient of
    lies in its storage (None for a result); `summed`, what arrived before a hook made `value` of it.
    """

    history: Any
    index: tuple
    value: float
    terms: tuple[Term, ...]
    slot: int | None = None
    tracer: Any = field(default=None, repr=False, compare=False)
    count: int = 0
    rest: float = 0.0
    summed: float = 0.0

    def behind(self, term: Term) -> Provenance:
        """Returns the origin of a term's upstream number in its turn."""
        return self.tracer.of(term.node, term.upstream)

    def reads(self, term: Term) -> list[tuple[str, tuple, float, int]]:
        """The saved numbers that a term's factor is made of: (name, index, value, storage slot)."""
        return self.tracer.reads(term)

    def __str__(self):
        shown = [f"{t.factor:g} * {t.upstream_value:g}" for t in self.terms[:20]]
        if self.count > len(shown):
            rest = added([self.rest, *(t.product for t in self.terms[20:])])
            shown.append(f"{self.count - len(shown)} more, {rest:g}")
        said = " + ".join(shown) or ("the seed" if self.tracer.seeded(self.history) else "no product")
        hooked = "" if same(self.summed, self.value) else f", which a hook made {self.value:g}"
        return f"grad{list(self.index)} = {said} = {self.summed:g}{hooked}"


def provenance(y: Tensor, x: Tensor, index: Sequence[int] = (), gradient: Tensor | None = None, *,
               most: int = MOST) -> Provenance:
    """Returns the products whose sum is one number of dy/dx, up to the rounding of the sum.

    A vector-Jacobian product is linear in its upstream gradient, so each factor is the derivative of the one by the
    other. A product whose factor is 0 is left out. Where a hook replaces a gradient, the products add up to what
    arrived, and the value is what the hook made of it.
    Args:
        y: where backward starts. x: any tensor on the way, tracked. index: one element of x. gradient: the seed. most:
        how many terms to list one by one.

    Raises:
        IndexOutOfRange (an IndexError): no such element. ShapeError: x has no gradient here. GradError: as `backward`.

    Example:
        >>> import rustyflow as rf
        >>> a, b = rf.tensor([2.], requires_grad=True), rf.tensor([1., 10., 100.])
        >>> print(rf.autograd.provenance((a * b).sum(), a, (0,)))
        grad[0] = 1 * 1 + 10 * 1 + 100 * 1 = 111
    """
    index = tuple(index)
    if len(index) != x.ndim or any(not 0 <= i < n for i, n in zip(index, x.shape, strict=False)):
        raise IndexOutOfRange(f"index {index} of a gradient of shape {tuple(x.shape)}",
                              "a gradient has its tensor's shape", "give one index per axis, from 0")
    history = history_of(x)
    tracer = _Tracer(y, gradient, most)
    if history is None or _key(history) not in tracer.arrived:
        raise ShapeError(f"a tensor of shape {tuple(x.shape)}", "no gradient of y reaches it",
                         "pick a tensor that y was computed from")
    slot = flat_index(index, x.stride(), x.storage_offset()) if x.is_leaf else None
    return tracer.of(history, index, slot)


class _Tracer:
    """The record of one backward: every contribution by where it arrived, and its factors once they are asked for."""

    def __init__(self, y, gradient, most):
        self.most = most
        self.arrived: dict[tuple[int, int], list[Step]] = {}
        self.totals: dict[tuple[int, int], Any] = {}
        self.sent: dict[tuple[int, int], list] = {}  # per contribution, its values for single 1s upstream
        self.finite: set[tuple[int, int]] = set()  # of which contributions all those values are finite
        self.nudges: dict[tuple, Any] = {}  # what saved numbers, nudged, make of them
        self.recorded: dict[tuple[int, int], tuple] = {}  # or the contribution as a function of the upstream gradient
        self.hooked: dict[tuple[int, int], Any] = {}  # what hooks made of a gradient
        with backend.silent():
            for step in backward_steps(y, gradient):
                if step.kind in ("seed", "vjp"):
                    self.arrive(step)
                elif step.kind == "hook":
                    several = step.contribution if type(step.contribution) is list else [step.contribution]
                    self.hooked |= {(step.node.number, k): backend.asarray(g) for k, g in enumerate(several)
                                    if g is not None}  # fmt: skip

    def arrive(self, step) -> None:
        """Keep a contribution, and add it to what came there before."""
        target = step.node if step.kind == "seed" else step.node.parents[step.operand]
        key = _key(target)
        self.arrived.setdefault(key, []).append(step)
        g = backend.asarray(step.contribution)
        g = g if g.shape == target.out.shape else backend.asarray(backend.sum_to(g, target.out.shape))
        g = cast(g, target.out.dtype)
        self.totals[key] = g if key not in self.totals else self.totals[key] + g

    def seeded(self, history) -> bool:
        return any(step.kind == "seed" for step in self.arrived.get(_key(history), ()))

    def of(self, history, index, slot=None) -> Provenance:
        """Returns the terms of one number of the gradient of a history.

        The index begins with the number of the output if a node has several.
        """
        if type(history.out) is tuple:
            k, *index = index
            history = output_of(history, k)
        key, at = _key(history), tuple(index)
        terms: list[Term] = []
        rest: list[float] = []
        for step in self.arrived.get(key, ()):
            if step.kind == "vjp":
                for cells, sources, *numbers in self._products(step, block_of(step, at)):
                    room = self.most - len(terms)
                    first = zip(*[line(x[:room]).tolist() for x in numbers], strict=True) if room else ()
                    for k, (factor, value, made) in enumerate(first):
                        name = name_of(step.upstream, sources(k))
                        terms.append(Term(step.node, step.operand, cells(k), name, factor, value, made))
                    rest += numbers[-1][room:].tolist()
        summed = float(self.totals[key][at]) if key in self.totals else 0.0  # nothing reached a result that nobody used
        value = float(self.hooked[key][at]) if key in self.hooked else summed
        return Provenance(history, at, value, tuple(terms), slot, self, len(terms) + len(rest), added(rest), summed)

    def _products(self, step, block) -> Iterator[tuple]:
        """Yields runs of the products whose sums are the cells of a block, in order.

        Those whose factor is 0 are left out. A run is (cell, source, factors, upstream numbers, products):
        functions that give the cell and the upstream number of the k-th product, and lines of numbers.
        """
        values, whole = values_of(step.upstream), backend.asarray(step.contribution)
        made, shape = line(whole[block]), whole.shape
        for start, sources, factors in self._factors(step, block):
            at, by = sources if sources is not None else (backend.nonzero(factors)[0],) * 2
            kept = line(factors)
            if sources is None:  # one product per cell
                kept, numbers = kept[at], line(backend.asarray(values.reshape(shape)[block]))[at]
                products = made[at]
            else:
                numbers = values[by]
                with backend.silent():
                    products = kept * numbers
                if len(at):
                    alone = backend.bincount(at, None, 0)[at] == 1
                    products = backend.where(alone, made[at + start], products)  # as the rule rounded it

            def cell(k, at=at, start=start):
                return cell_of(block, shape, int(at[k]) + start)

            def source(k, by=by, own=sources is None, cell=cell):
                return flat_index(cell(k), contiguous_stride(shape)) if own else int(by[k])

            yield cell, source, kept, numbers, products

    def _factors(self, step, block) -> Iterator[tuple]:
        """Yield (start, pairs, factors) for stretches of a block's cells, `start` being the number of the first cell.

        `pairs` are two arrays, of cells counted from `start` and of upstream numbers, for the factors that are not 0;
        None where each cell depends on the upstream number at its own place alone.
        """
        key = (step.node.number, step.operand)
        size = sum(prod(shape) for _, shape in parts_of(step.upstream))
        n = backend.asarray(backend.asarray(step.contribution)[block]).size
        if not size or not n:  # without cells or upstream numbers there are no products
            return
        few = size <= SMALL and size * step.contribution.size <= AT_ONCE
        if key not in self.sent and (few or self._function(step) is None):
            self.sent[key] = [backend.asarray(send_one(step, k)) for k in range(size)]
            if all(bool(backend.isfinite(row).all()) for row in self.sent[key]):
                self.finite.add(key)
        if key in self.sent:
            rows = [backend.asarray(row[block]).reshape(-1) for row in self.sent[key]]
            if (isinstance(step.node.op, Op) and key not in self.finite
                    and not all(bool(backend.isfinite(row).all()) for row in rows)):  # fmt: skip
                read = as_read(step, block)
                if read is not None:
                    yield 0, *read
                    return
            for start in range(0, n, max(1, AT_ONCE // max(size, 1))):
                stop = start + max(1, AT_ONCE // max(size, 1))
                table = backend.stack([row[start:stop] for row in rows], 1)
                pairs = backend.nonzero(table)
                yield start, pairs, backend.index(table, (0, 1), pairs)
            return
        out, g = self._function(step)
        if n > 1 and len(g) == 1 and g[0].shape == out.shape and (row := elementwise(out, g[0], block)) is not None:
            yield 0, None, backend.asarray(row[block]).reshape(-1)
            return
        for k in range(n):
            seed = backend.filled(tuple(out.shape), 0, out._a.dtype)
            seed[cell_of(block, tuple(out.shape), k)] = 1
            row = derivatives(out, g, wrap(seed))
            (by,) = backend.nonzero(row)
            yield k, (by * 0, by), row[by]

    def _function(self, step):
        """One contribution recorded as a function of the upstream gradient; None where its rule cannot be."""
        key = (step.node.number, step.operand)
        if key not in self.recorded:
            try:
                out, given = record(step, step.node)
                if not isinstance(step.node.op, Op) and out.requires_grad:
                    derivatives(out, given, wrap(backend.filled(tuple(out.shape), 0, out._a.dtype)))
                self.recorded[key] = (out, given) if out.requires_grad else None
            except TensorError:  # a Function whose backward has no derivative
                self.recorded[key] = None
        return self.recorded[key]

    def reads(self, term):
        """Returns the saved numbers that move a term's factor.

        They are nudged one by one or, in a large tensor, found by differentiating.
        """
        node, found = term.node, []
        if not isinstance(node.op, Op):  # how a user's Function uses its saved values is unknown
            return found
        arrived = self.arrived[_key(node.parents[term.operand])]
        step = next(s for s in arrived if s.node is node and s.operand == term.operand)
        source = number_of(step.upstream, term.upstream)
        for k, x in enumerate(node.saved or ()):
            if isinstance(x, Tensor) and x.is_floating_point():
                few = x.numel() <= SMALL
                moved = nudging(step, term, source, k, x, self.nudges) if few else moving(step, term, source, k, x)
                for index in moved:
                    slot = flat_index(index, x.stride(), x.storage_offset())
                    found.append((node.op.slots[k], index, float(x._a[index]), slot))
        return found


def same(a: float, b: float) -> bool:
    """True for two numbers that are equal, NaN to itself."""
    return a == b or a != a and b != b


def added(numbers: list[float]) -> float:
    """The sum of numbers, rounded once; NaN for infinities of both signs."""
    try:
        return fsum(numbers)
    except (ValueError, OverflowError):
        return sum(numbers)


def _key(history):
    return history.number, edge_of(history)[1]
