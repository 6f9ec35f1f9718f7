"""The rules of one call, told for one cell of a result, or of a gradient that is sent."""

from __future__ import annotations

import re
from functools import cached_property
from typing import Any

import numpy as np

from ..claims.cell import Cells, Part, cells
from ..claims.lazy import Index
from ..claims.rules import Rules
from ..claims.tree import Leaf, Op, Tree
from .number import Number, Told
from .source import Call, Source


class Ruled:
    """The rules of one call on the numbers that it ran on.

    Args:
        world: it has the arrays and the numbers of cells.
        call: an operation with a docstring of rules.
    """

    def __init__(self, world: Any, call: Call):
        self.world, self.call = world, call
        self.sources = {letter: x for letter, x in zip(call.letters, call.operands, strict=False)
                        if isinstance(x, Source)}  # fmt: skip
        self.sources = {**dict(zip(call.labels, call.results, strict=True)), **self.sources}
        self.lazy: dict[str, Cells | None] = {}

    @cached_property
    def rules(self) -> Rules:
        """The rules, on arrays in the dtype in which the op computed."""
        call = self.call
        results = {label: self.world.array(x) for label, x in zip(call.labels, call.results, strict=True)}
        first, op = next(iter(results.values())), call.op
        lift = bool(getattr(op, "promote", None) and getattr(op, "operands", ()) and first.dtype.kind == "f")
        operands: dict[str, Any] = {}
        for k, (letter, x) in enumerate(zip(call.letters, call.operands, strict=False)):
            array = self.world.array(x) if isinstance(x, Source) else x
            apart = k in getattr(op, "apart", ())
            if lift and not apart and isinstance(array, np.ndarray) and array.dtype.kind in "iu":
                array = array.astype(first.dtype)
            operands[letter] = array
        operands |= dict.fromkeys(letter for letter in getattr(op, "operands", ()) if letter not in operands)
        return Rules(op.doc, operands, call.attrs, results)

    @cached_property
    def arrived(self) -> dict[str, np.ndarray]:
        """The upstream gradients by the results' labels."""
        rules, sent = self.rules.rules, {}
        for label, x in zip(self.call.labels, self.call.results, strict=True):
            if label in rules and x.dtype.kind == "f":
                g = self.world.gradients.totals.get(x.key)
                sent[label] = np.zeros(x.shape) if g is None else np.asarray(g)
        return sent

    def result(self, k: int, i: Index) -> Told | None:
        """The level of a cell of the k-th result."""
        return self.told(self.call.labels[k], i)

    def sent(self, operand: int, i: Index) -> Told | None:
        """The level of what is sent to a cell of an operand."""
        return self.told(f"d{self.call.letters[operand]}", i)

    def told(self, left: str, i: Index) -> Told | None:
        """The level of a cell of a result `y`, or of a gradient `dx`; None where no rule tells it."""
        if left not in self.lazy:
            gradient = left not in self.call.labels
            of = self.rules.gradient_of if gradient else self.rules.rules
            known = (left[1:] if gradient else left) in of
            self.lazy[left] = cells(self.rules, left, self.arrived if gradient else {}) if known else None
        lazy = self.lazy[left]
        if lazy is None:
            return None
        tree = self.linked(lazy.at(i))
        if lazy.in_form(i):
            return Told(tree, f"worked out {lazy.form[1]}")
        why = self.worded(lazy.why(i)) if isinstance(tree, Leaf) else ""
        form = lazy.form
        engine = form and (lambda: Told(self.linked(form[0].at(i)), f"worked out {form[1]}"))
        return Told(tree, why and f"as {why}", engine)

    def worded(self, why: str) -> str:
        """A reason, its letters replaced by names."""
        names = {letter: self.world.called(x) for letter, x in self.sources.items()}
        return re.sub(r"\b[a-z_]\w*\b(?=\[| |$)", lambda match: names.get(match[0], match[0]), why)

    def linked(self, tree: Tree) -> Tree:
        """The same tree, whose leaves are numbers that open."""
        if isinstance(tree, Op):
            return Op(tree.how, tuple(map(self.linked, tree.parts)))
        if isinstance(tree, Part):
            return self.part(tree).leaf
        if isinstance(tree, Leaf) and tree.name and (number := self.cell(tree.name)) is not None:
            return number.leaf if isinstance(number, Number) else Leaf(number)
        return Leaf(tree.value) if isinstance(tree, Leaf) else tree

    def part(self, part: Part) -> Number:
        """The number of a rule's inner part."""
        known = vars(part).get("opened")
        if known is None:
            letter = part.name.partition("[")[0]
            name = f"{self.call.word}.{part.name}" if letter in self.world.called.reader else part.name
            part.opened = known = Number(name, part.value, lambda: Told(self.linked(part.tree)))  # type: ignore[attr-defined]
        return known

    def cell(self, name: str) -> Any:
        """The number that a leaf of the rule stands for, of an operand, a result or an upstream gradient."""
        letter, index = self._split(name)
        if letter in self.sources:
            source = self.sources[letter]
            return self.world.at_source(source, index[: len(source.shape)])
        for label, x in zip(self.call.labels, self.call.results, strict=True):
            if letter in (f"g{label}", "g", "dy"):
                return self.world.grad_source(x, index[: len(x.shape)])
        return None

    def _split(self, name: str) -> tuple[str, Index]:
        for letter in (*self.sources, *(f"g{label}" for label in self.call.labels), "g", "dy"):
            rest = name.removeprefix(letter)
            if letter in name[: len(letter)] and (not rest or rest[0] == "[" and rest.count("[") == 1):
                return letter, tuple(map(int, rest[1:-1].split(", "))) if rest else ()
        return "", ()
