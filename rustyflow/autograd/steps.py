"""Backward as a list of steps, backward in an order of your own, and where a number in a gradient comes from."""
from __future__ import annotations

from dataclasses import dataclass, field
from itertools import product
from typing import Any, Sequence

from ..backends import backend
from ..errors import ArgumentValueError, IndexOutOfRange, ShapeError
from ..history import AccumulateGrad, Output, no_grad
from ..layout import indices, sums_to
from ..tensor import Tensor, history_of, wrap
from .backward import _roots
from .engine import Step, contributions, walk, zeros


def backward_steps(y: Tensor, gradient: Tensor | None = None, *, retain_graph: bool = True) -> list[Step]:
    """What backward would do, in order: seed, vjp, sum_to, accumulate, and free unless the graph is retained.

    The leaves' .grad is not touched. Arrays in the steps are the engine's own: do not write to them.
    Raises:
        GradError (a RuntimeError): as `backward`.

    Example:
        >>> import rustyflow as rf
        >>> x = rf.tensor(3., requires_grad=True)
        >>> [(s.kind, s.node.name()) for s in backward_steps(x * x)]
        [('seed', 'MulBackward0'), ('accumulate', 'MulBackward0'), ('vjp', 'MulBackward0'), ('accumulate', 'AccumulateGrad'), ('vjp', 'MulBackward0'), ('accumulate', 'AccumulateGrad')]
    """
    steps: list[Step] = []
    walk(_roots((y,), (gradient,), False), retain_graph=retain_graph, sinks={}, observer=steps.append)
    return steps


def own_order(y: Tensor, picks: Sequence[Any], gradient: Tensor | None = None) -> tuple[list[Step], dict[Any, Any]]:
    """Be the engine: visit waiting nodes in the order of `picks`, ready or not, each once.

    A node visited too early sends on only what it has; what reaches it later is 'lost', a kind of step of its own.
    Returns the steps, and per leaf's history the gradient that came of it.

    Raises:
        ArgumentValueError (a ValueError): a pick that is not waiting.

    Example:
        >>> import rustyflow as rf
        >>> x = rf.tensor(3., requires_grad=True)
        >>> y = x * x
        >>> steps, totals = own_order(y, [y.grad_fn])
        >>> float(totals[y.grad_fn.parents[0]])
        6.0
    """
    waiting: dict[int, list] = {}
    done: set[int] = set()
    steps: list[Step] = []
    totals: dict[Any, Any] = {}

    def deliver(target, g, source, operand, upstream):
        steps.append(Step("vjp", source, operand, upstream, g) if source is not None else Step("seed", target, contribution=g))
        if g.shape != target.out.shape:
            steps.append(Step("sum_to", source, operand, g, g := backend.sum_to(g, target.out.shape)))
        node, k = (target.node, target.index) if type(target) is Output else (target, 0)
        if node.number in done:
            steps.append(Step("lost", node, operand, g, g))
            return
        parts = waiting.setdefault(node.number, [node] + [None] * (len(node.out) if type(node.out) is tuple else 1))
        before = parts[k + 1]
        parts[k + 1] = g if before is None else before + g
        steps.append(Step("accumulate", node, operand, g, g, before, parts[k + 1]))
        if type(node) is AccumulateGrad:
            totals[node] = parts[1]

    with no_grad(), backend.silent():
        for target, g in _roots((y,), (gradient,), False):
            deliver(target, g, None, None, None)
        for pick in picks:
            node = pick.node if type(pick) is Output else pick
            if node.number not in waiting or type(node) is AccumulateGrad:
                names = ", ".join(p[0].name() for p in waiting.values() if type(p[0]) is not AccumulateGrad) or "none"
                raise ArgumentValueError(f"pick {node.name()}", f"only a node that a gradient has reached can go next: {names}", "pick one of those")
            parts = waiting.pop(node.number)[1:]
            done.add(node.number)
            g = [zeros(out, False) if p is None else p for p, out in zip(parts, node.out)] if type(node.out) is tuple else parts[0]
            sent = contributions(node, g, backend)
            for parent, contribution, i in sent:
                deliver(parent, contribution, node, i, g)
    return steps, totals


@dataclass(frozen=True)
class Term:
    """One product in a sum: `factor` times one element of a node's upstream gradient.

    Attributes: `node` and `operand`, whose gradient rule made it; `at`, the element of that contribution (before broadcasting was
        undone); `upstream`, the element's index in the node's own gradient (its output number first, where it has several);
        `factor`, `upstream_value`, `product`.
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
    """Every product whose sum is one number of one gradient.

    Attributes: `history`, whose gradient; `index`, which number; `value`; `terms`; `slot`, where the number it is the gradient of
        lies in its storage (leaves only).
    """

    history: Any
    index: tuple
    value: float
    terms: tuple[Term, ...]
    slot: int | None = None
    tracer: Any = field(default=None, repr=False, compare=False)

    def behind(self, term: Term) -> "Provenance":
        """Where a term's upstream number comes from in its turn."""
        return self.tracer.of(term.node, term.upstream)

    def reads(self, term: Term) -> list[tuple[str, tuple, float, int]]:
        """The saved numbers that a term's factor is made of: (name, index, value, storage slot)."""
        return self.tracer.reads(term)

    def __str__(self):
        products = " + ".join(f"{t.factor:g} * {t.upstream_value:g}" for t in self.terms)
        return f"grad{list(self.index)} = {products or 'the seed'} = {self.value:g}"


def provenance(y: Tensor, x: Tensor, index: Sequence[int] = (), gradient: Tensor | None = None) -> Provenance:
    """Which products and sums make one number of dy/dx, exactly: their sum is the number.

    A vector-Jacobian product is linear in its upstream gradient, so each factor is read off by sending in a single 1.
    Args:
        y: where backward starts. x: any tensor on the way, tracked. index: one element of x.

    Raises:
        IndexOutOfRange (an IndexError): no such element. ShapeError: x has no gradient here. GradError: as `backward`.

    Example:
        >>> import rustyflow as rf
        >>> a, b = rf.tensor([2.], requires_grad=True), rf.tensor([1., 10., 100.])
        >>> print(provenance((a * b).sum(), a, (0,)))
        grad[0] = 1 * 1 + 10 * 1 + 100 * 1 = 111
    """
    index = tuple(index)
    if len(index) != x.ndim or any(not 0 <= i < n for i, n in zip(index, x.shape)):
        raise IndexOutOfRange(f"index {index} of a gradient of shape {tuple(x.shape)}", "a gradient has its tensor's shape", "give one index per axis, from 0")
    history = history_of(x)
    tracer = _Tracer(y, gradient)
    key = (history.number, history.index if type(history) is Output else 0) if history is not None else None
    if key not in tracer.arrived:
        raise ShapeError(f"a tensor of shape {tuple(x.shape)}", "no gradient of y reaches it", "pick a tensor that y was computed from")
    found = tracer.of(history, index)
    slot = x.storage_offset() + sum(i * s for i, s in zip(index, x.stride())) if x.is_leaf else None
    return Provenance(found.history, found.index, found.value, found.terms, slot, tracer)


class _Tracer:
    """One backward, kept: what arrived where from whom, and each contribution's factors once asked for."""

    def __init__(self, y, gradient):
        self.arrived: dict[tuple[int, int], list[Step]] = {}
        self.totals: dict[tuple[int, int], Any] = {}
        self.factors: dict[tuple[int, int], dict] = {}
        for step in backward_steps(y, gradient):
            if step.kind in ("seed", "vjp"):
                target = step.node if step.kind == "seed" else step.node.parents[step.operand]
                key = (target.number, target.index if type(target) is Output else 0)
                self.arrived.setdefault(key, []).append(step)
                g = backend.asarray(step.contribution)
                g = g if g.shape == target.out.shape else backend.asarray(backend.sum_to(g, target.out.shape))
                self.totals[key] = g if key not in self.totals else self.totals[key] + g

    def of(self, history, index) -> Provenance:
        """The terms of one number of the gradient of a history; for a node with several results the output number comes first."""
        several = type(getattr(history, "out", None)) is tuple
        k, at = (index[0], tuple(index[1:])) if several else (history.index if type(history) is Output else 0, tuple(index))
        key = (history.number, k)
        terms = [t for step in self.arrived.get(key, ()) if step.kind == "vjp" for t in self._terms(step, at)]
        return Provenance(history, at, float(self.totals[key][at]), tuple(terms), None, self)

    def _terms(self, step, at):
        """The products of one contribution that end up at one number, over all cells that broadcasting made of it."""
        whole = backend.asarray(step.contribution)
        shape = step.node.parents[step.operand].out.shape
        lead = whole.ndim - len(shape)
        assert sums_to(whole.shape, shape)
        span = [range(n) for n in whole.shape[:lead]] + [range(n) if m == 1 and n != 1 else (i,) for n, m, i in zip(whole.shape[lead:], shape, at)]
        for cell in product(*span):
            for source, factor, value in self._factors(step, cell):
                yield Term(step.node, step.operand, cell, source, factor, value, factor * value)

    def _factors(self, step, cell):
        """(upstream index, factor, upstream value) wherever the factor is not 0."""
        key = (step.node.number, step.operand)
        if key not in self.factors:
            self.factors[key] = {source: (backend.asarray(_send(step, source)), value) for source, value in _elements(step.upstream)}
        return [(source, float(row[cell]), value) for source, (row, value) in self.factors[key].items() if row[cell] != 0]

    def reads(self, term):
        """Nudge each saved number; those that move the factor are what it is made of."""
        node, found = term.node, []
        step = next(s for s in self.arrived[_key(node.parents[term.operand])] if s.node is node and s.operand == term.operand)
        for k, x in enumerate(node.saved or ()):
            if not isinstance(x, Tensor) or not x.is_floating_point() or x.numel() > 4096:
                continue
            for index in indices(tuple(x.shape)):
                nudged = _nudged(node, k, index)
                if float(backend.asarray(_send(step, term.upstream, nudged))[term.at]) != term.factor:
                    slot = x.storage_offset() + sum(i * s for i, s in zip(index, x.stride()))
                    found.append((node.op.slots[k], index, float(x._a[index]), slot))
        return found


def _key(history):
    return history.number, history.index if type(history) is Output else 0


def _elements(upstream):
    parts = upstream if type(upstream) is list else [upstream]
    for k, part in enumerate(parts):
        part = backend.asarray(part)
        for index in indices(part.shape):
            yield (k, *index) if type(upstream) is list else index, float(part[index])


def _send(step, source, node=None):
    """A node's contribution to one operand when its upstream gradient is a single 1."""
    several = type(step.upstream) is list
    ones = [backend.filled(backend.asarray(p).shape, 0, backend.asarray(p).dtype) for p in (step.upstream if several else [step.upstream])]
    ones[source[0] if several else 0][source[1:] if several else source] = 1
    with no_grad(), backend.silent():  # a Function's own backward computes with tensors
        sent = contributions(node or step.node, ones if several else ones[0], backend)
    return next(g for _, g, i in sent if i == step.operand)


def _nudged(node, k, index):
    """The node with one saved number changed."""
    other = object.__new__(type(node))
    if node.has_attrs:
        other.attrs = node.attrs
    array = backend.dense(node.saved[k]._a)
    array[index] = array[index] * 1.5 + 0.25
    other.parents, other.number, other.out = node.parents, node.number, node.out
    other.saved = tuple(wrap(array) if j == k else x for j, x in enumerate(node.saved))
    return other
