"""An operation that is others inside: one composed of steps, or a function of the program's own, opened as calls.

The steps of the one are recorded; the other's forward and backward are called again, on copies.
"""

from __future__ import annotations

from collections import Counter
from functools import cached_property
from typing import Any

import numpy as np

from ..autograd.custom import Custom
from ..autograd.function import FunctionCtx
from ..backends import backend
from ..claims.lazy import Index
from ..dispatch import recording
from ..ir.torch_names import name as op_name
from ..tensor import AccumulateGrad, Tensor, history_of, wrap
from ..tensor.gradmode import enable_grad
from ..tensor.storage import tick
from .again import Unknown
from .names import nodes
from .number import Told
from .shares import arrived
from .source import Call, Source


class Inside:
    """One call of an operation that has others inside.

    Args:
        world: it has the numbers of cells.
        call: the operation.
    """

    def __init__(self, world: Any, call: Call):
        self.world, self.call = world, call

    def result(self, k: int, i: Index) -> Told | None:
        """The level of a cell of the k-th result: that of the step which made it."""
        source = self.results[k]
        return source and self.world.at_source(source, i).told

    def sent(self, operand: int, i: Index) -> Told | None:
        """The level of what is sent to a cell of an operand."""
        source = self.gradients[operand]
        if source is None:
            return None
        return self.world.at_source(source, i).told if self.custom else arrived(self.world, source, i)

    @property
    def custom(self) -> bool:
        """True of a function of the program's own."""
        return isinstance(self.call.op, Custom)

    @cached_property
    def results(self) -> list[Source | None]:
        """The results of the steps inside."""
        stem, attrs = self.world.called(self.call.results[0]), self.call.attrs
        if not self.custom:
            pairs = zip(attrs["inside"], self.call.operands, strict=True)
            return self._named([attrs["result"]], stem, [*pairs], 0)
        since, given = tick(), [self._copy(k) for k in range(len(self.call.operands))]
        made = self._forward(given)
        pairs = [pair for pair in zip(given, self.call.operands, strict=True) if isinstance(pair[0], Tensor)]
        return self._named(made if isinstance(made, tuple) else (made,), stem, pairs, since)

    @cached_property
    def gradients(self) -> list[Source | None]:
        """The tensors that the steps inside send to each operand."""
        g = [self.world.gradients.totals.get(x.key) for x in self.call.results]
        if not self.custom:
            (outer,), inner = self.call.results, self.results[0]
            self.world.gradients.walk([self.call.attrs["result"]], [wrap(backend.asarray(g[0]))])
            self.world.aliases[inner.key, "grad"] = outer, True
            return [self.world.source(x) for x in self.call.attrs["inside"]]
        since, arrives = tick(), [None if a is None else self._leaf(a) for a in g]
        stem, node = f"{self.world.called(self.call.results[0])}.backward", self.call.node
        with enable_grad(), backend.silent():
            sent = node.op.vjp(recording, arrives if type(node.out) is tuple else arrives[0], **node.attrs)
        for leaf, x in zip(arrives, self.call.results, strict=True):
            if leaf is not None:
                self.world.aliases[self.world.source(leaf).key, ""] = x, True
        return self._named(sent, stem, [], since)

    def _leaf(self, array: Any) -> Tensor:
        return wrap(backend.asarray(np.array(array))).requires_grad_()

    def _copy(self, k: int) -> Any:
        """A copy of an operand, tracked where it is."""
        x = self.call.operands[k]
        if x is None:
            raise Unknown(f"argument {k} of {self.call.word} is not kept")
        if not isinstance(x, Source):
            return x
        tracked = self.call.node.parents[k] is not None
        return self._leaf(self.world.array(x)) if tracked else wrap(backend.asarray(self.world.array(x)))

    def _forward(self, given: list[Any]) -> Any:
        """The forward of a function of the program's own, recorded."""
        cls, ctx = self.call.op.cls, FunctionCtx()
        ctx.needs_input_grad = tuple(parent is not None for parent in self.call.node.parents)
        apart = "setup_context" in {name for c in cls.__mro__[:-1] for name in vars(c)}
        seen = [x * 1 if isinstance(x, Tensor) and x.requires_grad else x for x in given] if ctx._dirty else given
        try:
            with enable_grad(), backend.silent():
                return cls.forward(*seen) if apart else cls.forward(ctx, *seen)
        except Exception as error:  # it is the program's own
            raise Unknown(f"{cls.__name__}.forward does not run again") from error

    def _named(self, made: Any, stem: str, pairs: list[Any], since: int) -> list[Source | None]:
        """The sources of results of steps, which are called by their operation behind that of the whole."""
        for inner, outer in pairs:
            self.world.aliases[self.world.source(inner).key, ""] = outer, False
        roots, count, known = [h for x in made if isinstance(x, Tensor) and (h := history_of(x))], Counter(), []
        for node in sorted(nodes(roots), key=lambda node: node.number):
            if node.number > since and type(node) is not AccumulateGrad:
                word = op_name(node.op, node)
                count[word] += 1
                known.append((node, word, count[word]))
        for node, word, k in known:
            name = f"{stem}.{word}" + str(k) * (count[word] > 1)
            for j in range(len(node.out) if type(node.out) is tuple else 1):
                self.world.called.known[node.number, j] = name + f".{j}" * bool(j)
        return [self.world.source(x) if isinstance(x, Tensor) else None for x in made]
