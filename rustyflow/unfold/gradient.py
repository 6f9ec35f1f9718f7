"""The gradients that backward would send, kept by where they arrive; no `backward` of the program's is needed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from ..autograd.steps import observe
from ..errors import TensorError
from ..tensor import edge_of


class Arrival(NamedTuple):
    """One contribution to a gradient.

    Attributes:
        reader: the engine's node that sent it, None of a seed. operand: which of its operands it is for. array: in the
            shape of the tensor.
    """

    reader: Any
    operand: int | None
    array: Any


class Gradients:
    """One walk back from some results; of one that was walked already its steps.

    Attributes:
        arrived: the contributions to each tensor's gradient, by its key; totals: what they come to. hooked: what hooks
            found in the place of a gradient, and what they made of it. refused: the error, where there are none.
    """

    def __init__(self, results: Sequence[Any], gradients: Sequence[Any], steps: Sequence[Any] | None = None):
        self.arrived: dict[Any, list[Arrival]] = {}
        self.totals: dict[Any, Any] = {}
        self.hooked: dict[Any, tuple[Any, Any]] = {}
        self.refused: TensorError | None = None
        self._now: Any = None
        for step in steps or ():
            self._see(step)
        try:
            if steps is None:
                self.walk(results, gradients)
        except TensorError as error:  # freed, written over since, or more than one number to begin with
            self.refused = error
            for known in (self.arrived, self.totals, self.hooked):  # of some only a part has arrived
                known.clear()

    def walk(self, results: Sequence[Any], gradients: Sequence[Any]) -> None:
        """Walks back from other results too."""
        observe(results, gradients, self._see)

    def _see(self, step: Any) -> None:
        if step.kind == "vjp":
            self._now = step.node, step.operand, step.node.parents[step.operand]
        elif step.kind == "seed":
            self._now = None, None, step.node
        elif step.kind == "accumulate":
            reader, operand, target = self._now
            key = key_of(target)
            self.arrived.setdefault(key, []).append(Arrival(reader, operand, step.contribution))
            self.totals[key] = step.after
        elif step.kind == "hook":
            several = type(step.contribution) is list
            pairs = zip(step.upstream, step.contribution, strict=True) if several else [
                (step.upstream, step.contribution)]  # fmt: skip
            for k, (came, became) in enumerate(pairs):
                if came is not became and became is not None:
                    key = step.node.number, k
                    self.hooked[key] = came, became
                    self.totals[key] = became


def key_of(history: Any) -> tuple[int, int]:
    """The key of a tensor with a history: its node's number, and which of the results it is."""
    node, k = edge_of(history)
    return node.number, k
