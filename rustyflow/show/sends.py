"""What the results of an operation send back, and to whom: the engine's gradients, and the factor of each of them."""

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ..autograd import grad
from ..errors import ArgumentValueError, GradError
from ..ops.creation import from_numpy
from ..tensor import Tensor
from .reads import FAILED, Call, Index, Reads, first_tensor, laid
from .source import upstream_of
from .words.numbers import NINE


class Gradients(NamedTuple):
    """What arrives, for each operand its gradient, or None, by which factor each result cell sends to each cell, and
    the operations that it comes back through, first the first."""

    upstream: np.ndarray
    totals: list[np.ndarray | None]
    factors: list[dict[Index, dict[Index, float]]]
    operations: list[str]


def gradients(call: Call, made: Reads, upstream: Any, real: Sequence[int] | None = None) -> Gradients | None:
    """The engine's gradients, of all floats or of some operands; each factor is found by sending a single 1. None where
    nothing flows.

    Raises:
        GradError: the operation has no derivative. ValueError: an upstream gradient for what has none.
    """
    real = [k for k, x in enumerate(made.operands) if x.dtype.kind == "f"] if real is None else real
    try:
        leaves, y = _recorded(call, made, real)
    except GradError:  # one of them is none that a gradient comes back to, as the weights of classes are
        real = [k for k in real if _takes_gradient(call, made, k)]
        leaves, y = _recorded(call, made, real)
    if not real or not y.requires_grad:
        if upstream is not None:
            raise ArgumentValueError("upstream= for what has no gradient", "a gradient arrives where one flows",
                                     "leave upstream out")  # fmt: skip
        return None
    kind = y.detach().numpy().dtype
    arrives = np.array([NINE[n % 9] for n in range(y.numel())], kind).reshape(tuple(y.shape))
    if upstream is not None:
        arrives = np.array(upstream_of(upstream, tuple(y.shape)).array(), kind)

    def back(g: np.ndarray) -> list[np.ndarray | None]:
        found = grad(y, [leaves[k] for k in real], from_numpy(g), retain_graph=True, allow_unused=True)
        each = dict(zip(real, found))
        return [None if each.get(k) is None else np.array(each[k].numpy()) for k in range(len(leaves))]

    factors: list[dict[Index, dict[Index, float]]] = [{} for _ in leaves]
    for cell in np.ndindex(*y.shape):
        one = np.zeros_like(arrives)
        one[cell] = 1
        for k, found in enumerate(back(one)):
            read = {index for n, index in made.cells[cell] if n == k}
            for index in read if found is not None else ():
                if found[index] != 0:
                    factors[k].setdefault(index, {})[cell] = found[index].item()
    return Gradients(arrives, back(arrives), factors, _operations(y.grad_fn))


def _recorded(call: Call, made: Reads, real: Sequence[int]) -> tuple[list[Tensor], Tensor]:
    """The operands, some of them leaves that want a gradient, and the result."""
    leaves = [from_numpy(laid(x)) for x in made.operands]
    for k in real:
        leaves[k].requires_grad_()
    return leaves, first_tensor(call(*leaves))


def _takes_gradient(call: Call, made: Reads, k: int) -> bool:
    try:
        _recorded(call, made, [k])
    except GradError:
        return False
    return True


def operations(call: Call, made: Reads) -> list[str]:
    """The operations of a call whose numbers have no gradient, if it takes floats in their place."""
    try:
        leaves = [from_numpy(x.astype(float)).requires_grad_() for x in made.operands]
        return _operations(first_tensor(call(*leaves)).grad_fn)
    except FAILED:
        return []


def _operations(node: Any) -> list[str]:
    """The operations of a graph as they were called, `mul` for `MulBackward0`."""
    todo, seen = [node], {}
    while todo:
        node = todo.pop()
        if node is not None and node not in seen:
            seen[node] = node.name().rstrip("0123456789").removesuffix("Backward")
            todo += [before for before, _ in node.next_functions]
    words = r"(?<=[a-z0-9])(?=[A-Z][a-z])|(?<=[0-9]D)(?=[A-Z])"
    return [re.sub(words, "_", name).lower() for name in [*seen.values()][::-1]
            if name not in ("AccumulateGrad", "torch::autograd::AccumulateGrad")]  # fmt: skip
