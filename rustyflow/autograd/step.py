"""One thing that happened during backward, as a value and as a sentence."""
from __future__ import annotations

from typing import Any, NamedTuple

from ..tensor import AccumulateGrad, Output

LONGEST = 8
"""Arrays of more numbers than this are described by their shape."""


class Step(NamedTuple):
    """One thing that happened during backward; `str` says it in a sentence.

    Attributes:
        kind: 'seed', 'vjp' (a node's gradient for one operand), 'sum_to' (broadcasting undone), 'accumulate', 'hook'
            (the program's own function replaced a complete gradient), 'free'; in an order of one's own also 'lost'.
        node: whose gradient this is about; for 'vjp' and 'sum_to' the node that computes.
        operand: for 'vjp' and 'sum_to', which operand the contribution is for.
        upstream, contribution, before, after: arrays, or None: the upstream gradient, the contribution that it gives,
            the sum before the contribution is added, and the sum after.

    Example:
        >>> import rustyflow as rf
        >>> x = rf.tensor(3., requires_grad=True)
        >>> step = rf.autograd.backward_steps(x * x)[2]
        >>> step.kind, step.node.name(), step.operand, float(step.upstream), float(step.contribution)
        ('vjp', 'MulBackward0', 0, 1.0, 3.0)
        >>> print(step)
        vjp: MulBackward0 turns 1 into 3 for operand 0, a leaf
    """

    kind: str
    node: Any
    operand: int | None = None
    upstream: Any = None
    contribution: Any = None
    before: Any = None
    after: Any = None

    def __str__(self):
        name, gives = called(self.node), numbers(self.contribution)
        if self.kind == "seed":
            return f"seed: backward begins with {gives} at {name}"
        if self.kind == "vjp":
            to = called(self.node.parents[self.operand])
            return f"vjp: {name} turns {numbers(self.upstream)} into {gives} for operand {self.operand}, {to}"
        if self.kind == "sum_to":
            many = numbers(self.upstream)
            return f"sum_to: operand {self.operand} of {name} was broadcast, so {many} is added up to {gives}"
        if self.kind == "hook":
            return f"hook: a hook replaces the gradient of {name}: {numbers(self.upstream)} becomes {gives}"
        if self.kind == "accumulate":
            had = "had no gradient" if self.before is None else f"had {numbers(self.before)}"
            return f"accumulate: {name} {had}, {gives} comes to it, and it has {numbers(self.after)}"
        if self.kind == "lost":
            return f"lost: {gives} comes to {name}, which has already run"
        return f"free: {name} lets go of what it saved"


def called(history: Any) -> str:
    """A node by PyTorch's name, and which of its results."""
    if type(history) is Output:
        return f"{history.node.name()}, result {history.index}"
    return "a leaf" if type(history) is AccumulateGrad else history.name()


def numbers(array: Any) -> str:
    """Few numbers as they are, more as dtype and shape; a list, for several results, part by part."""
    if array is None:
        return "nothing"
    if type(array) is list:
        return " and ".join(map(numbers, array))
    return _nested(array.tolist()) if 0 < array.size <= LONGEST else f"{array.dtype.name}{list(array.shape)}"


def _nested(cells: Any) -> str:
    return f"[{', '.join(map(_nested, cells))}]" if isinstance(cells, list) else f"{cells:g}"
