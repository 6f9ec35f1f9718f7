"""One operation traced: run on the loops backend, alone, with numbers that know how they were made."""

from __future__ import annotations

from collections import Counter
from functools import cached_property
from typing import Any

import numpy as np

from ..autograd.backward import grad
from ..backends import use
from ..backends.loops.number import COMPARISONS, LEAF, LEFT_OUT, SAME, Traced as Known, plain, steps, tracing
from ..claims.lazy import Index, sign, total
from ..claims.tree import Leaf, Op, Tree
from ..dispatch.run import apply, apply_view
from ..dtype import as_dtype
from ..ops.creation import tensor
from ..ops.views.split import apply_views
from ..tensor import Tensor
from ..tensor.gradmode import enable_grad
from .again import Unknown
from .number import Number, Told
from .source import Call, Source
from .trees import at

MOST = 50_000
"""The most steps of two numbers that are followed."""

CALLED = {"rint": "round"}
"""The functions that rules call otherwise."""

SIGNS = {"+", "-", "*", "/", "**"}


class Traced:
    """One call, of which each number is followed back through the loops that made it.

    Args:
        world: it has the arrays and the numbers of cells.
        call: an operation.
    """

    def __init__(self, world: Any, call: Call):
        self.world, self.call = world, call
        self.trees: dict[int, Tree] = {}
        self.numbers: dict[str, Number] = {}
        self.kept: list[Any] = []

    def result(self, k: int, i: Index) -> Told | None:
        """The level of a cell of the k-th result."""
        cells = self.cells[k]
        return None if cells is None else Told(self.tree(cells[i]))

    def sent(self, operand: int, i: Index) -> Told | None:
        """The level of what is sent to a cell of an operand."""
        cells = self.gradients[operand]
        return None if cells is None else Told(self.tree(cells[i]))

    @cached_property
    def cells(self) -> list[Any]:
        """The numbers of each result."""
        with use("loops"), tracing(MOST) as trace:
            return [_cells(x) for x in self._run(trace, False)[1]]

    @cached_property
    def gradients(self) -> list[Any]:
        """The numbers of what each operand gets."""
        with use("loops"), tracing(MOST) as trace:
            given, results = self._run(trace, True)
            sent = []
            for k, (x, source) in enumerate(zip(results, self.call.results, strict=True)):
                total = self.world.gradients.totals.get(source.key)
                trace.leaves(x, ("y", k))
                if total is not None and x.requires_grad:
                    g = _on_loops(total)
                    trace.leaves(g, ("g", k))
                    sent.append((x, g))
            tracked = [x for x in given if isinstance(x, Tensor) and x.requires_grad]
            found = grad([x for x, _ in sent], tracked, [g for _, g in sent], allow_unused=True)
            by = dict(zip(map(id, tracked), found, strict=True))
            return [None if by.get(id(x)) is None else _cells(by[id(x)]) for x in given]

    def _run(self, trace: Any, track: bool) -> tuple[list[Any], tuple]:
        """The operands on the loops backend, and the results of the operation."""
        op, attrs = self.call.op, self.call.attrs
        if "source" in attrs:
            raise Unknown("what was drawn is not drawn again")
        given: list[Any] = []
        for k, x in enumerate(self.call.operands):
            if isinstance(x, Source):
                array = self.world.array(x)
                x = _on_loops(array)
                if array.dtype.kind == "f":
                    trace.leaves(x, ("x", k))
                    x.requires_grad_(track)
            given.append(x)
        given += [None] * (len(getattr(op, "operands", ())) - len(given))
        attrs = {name: _looped(value) for name, value in attrs.items()}
        with enable_grad():
            views = apply_views if len(self.call.results) > 1 else apply_view
            made = (apply if op.layout is None else views)(op, *given, **attrs)
        return given, made if isinstance(made, tuple) else (made,)

    def tree(self, number: Any) -> Tree:
        """The tree of a number; a step that several others take is a number of its own."""
        self.kept.append(number)
        order = [*steps([number])]
        users = Counter(id(part) for x in order if x.how != LEAF for part in x.parts)
        for x in order:
            if id(x) not in self.trees:
                tree = self._step(x)
                if users[id(x)] > 1 and isinstance(tree, Op):
                    tell = lambda tree=tree: Told(self._linked(tree))  # noqa: E731
                    tree = self._named(Number(f"step {len(self.trees)}", float(plain(x)), tell))
                self.trees[id(x)] = tree
        return self._linked(self._part(number))

    def _named(self, number: Number) -> Leaf:
        """A number as a leaf that no sign takes for one of the op's own."""
        self.numbers[number.name] = number
        return Leaf(number.shown, number.name)

    def _linked(self, tree: Tree) -> Tree:
        """The same tree, whose leaves are numbers that open."""
        if isinstance(tree, Op):
            return Op(tree.how, tuple(map(self._linked, tree.parts)))
        return at(self.numbers[tree.name]) if isinstance(tree, Leaf) and tree.name else tree

    def _part(self, x: Any) -> Tree:
        return self.trees[id(x)] if isinstance(x, Known) else Leaf(x)

    def _step(self, x: Known) -> Tree:
        """The tree of one step."""
        if x.how == LEAF:
            (kind, k), index = x.parts
            if kind == "x":
                return self._named(self.world.at_source(self.call.operands[k], index))
            of = self.world.at_source if kind == "y" else self.world.grad_source
            return self._named(of(self.call.results[k], index))
        if x.how in COMPARISONS or x.how == LEFT_OUT or not x.parts:
            return Leaf(plain(x))
        parts = tuple(map(self._part, x.parts))
        if x.how == SAME:
            return parts[0]
        if x.how == "+":
            return total(term for part in parts for term in (part.parts if _is_sum(part) else [part]))
        return sign(x.how, *parts) if x.how in SIGNS and len(parts) == 2 else Op(CALLED.get(x.how, x.how), parts)


def _is_sum(tree: Tree) -> bool:
    return isinstance(tree, Op) and tree.how == "+"


def _on_loops(array: Any) -> Tensor:
    array = np.asarray(array)
    return tensor(array.tolist(), dtype=as_dtype(array.dtype))


def _looped(value: Any) -> Any:
    """An argument, whose arrays are those of the loops backend."""
    if isinstance(value, np.ndarray):
        return _on_loops(value)._a
    return type(value)(map(_looped, value)) if type(value) in (tuple, list) else value


def _cells(x: Tensor) -> dict[Index, Any] | None:
    """The numbers of a tensor by index."""
    cells, slots = x._a.buffer.cells, x._a.slots
    return {i: cells[slot] for i, slot in zip(np.ndindex(*x.shape), slots, strict=True)}
