"""The gradients that the results of an operation send back, and to whom: the engine's, and how each was made."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ...autograd import grad
from ...backends import use
from ...backends.loops.number import LEAF, SAME, Traced, plain, steps, taken, tracing
from ...errors import ArgumentValueError, GradError
from ...layout import flat_index
from ...ops.creation import from_numpy
from ...tensor import Tensor
from ..source import upstream_of
from ..words.numbers import NINE
from .reads import FAILED, STEPS, Call, Index, Reads, first_tensor, laid, on_loops


class Gradients(NamedTuple):
    """The gradients of one run.

    Attributes:
        upstream: what arrives. totals: for each operand its gradient, or None. factors: by which factor each result
            cell sends to each cell. trees: the numbers of the gradients that know how they were made. operations: those
            that it comes back through, first the first.
    """

    upstream: np.ndarray
    totals: list[np.ndarray | None]
    factors: list[dict[Index, dict[Index, float]]]
    trees: list[dict[Index, Any]]
    operations: list[str]


def gradients(call: Call, run: Reads, upstream: Any, real: Sequence[int] | None = None) -> Gradients | None:
    """Returns the engine's gradients, of all floats or of some operands; None where nothing flows.

    How they are made is known from a run as loops, in which the upstream gradient counts as one operand more.

    Raises:
        GradError: the operation has no derivative. ValueError: an upstream gradient for what has none. ManySteps: it
        takes too many.
    """
    real = [k for k, x in enumerate(run.operands) if x.dtype.kind == "f"] if real is None else real
    try:
        leaves, y = _recorded(call, run, real)
    except GradError:  # one of them is none that a gradient comes back to, as the weights of classes are
        real = [k for k in real if _takes_gradient(call, run, k)]
        leaves, y = _recorded(call, run, real)
    if not real or not y.requires_grad:
        if upstream is not None:
            raise ArgumentValueError("upstream= for what has no gradient", "a gradient arrives where one flows",
                                     "leave upstream out")  # fmt: skip
        return None
    kind = y.detach().numpy().dtype
    arrives = np.array([NINE[n % 9] for n in range(y.numel())], kind).reshape(tuple(y.shape))
    if upstream is not None:
        arrives = np.array(upstream_of(upstream, tuple(y.shape)).array(), kind)
    grads = dict(zip(real, grad(y, [leaves[k] for k in real], from_numpy(arrives), allow_unused=True)))
    totals = [None if grads.get(k) is None else np.array(grads[k].numpy()) for k in range(len(leaves))]
    trees = _trees(call, run, [k for k, total in enumerate(totals) if total is not None], arrives)
    return Gradients(arrives, totals, [factors(each, len(leaves)) for each in trees], trees, _operations(y.grad_fn))


def _trees(call: Call, run: Reads, real: Sequence[int], arrives: np.ndarray) -> list[dict[Index, Any]]:
    """Returns for each operand the numbers of its gradient, run as loops."""
    trees: list[dict[Index, Any]] = [{} for _ in run.operands]
    with use("loops"), tracing(2 * STEPS) as trace:
        given = [on_loops(x, k, trace) for k, x in enumerate(run.operands)]
        for k in real:
            given[k].requires_grad_()
        y = first_tensor(call(*given))
        g = on_loops(arrives, len(given), trace)
        for k, total in zip(real, grad(y, [given[k] for k in real], g, allow_unused=True)):
            for index in np.ndindex(total.shape) if total is not None else ():
                trees[k][index] = total._a.buffer.cells[flat_index(index, total.stride(), total.storage_offset())]
    return trees


def factors(trees: Mapping[Index, Any], g: int) -> dict[Index, dict[Index, float]]:
    """Returns by what, but 0, each number of a gradient has those of the upstream one, operand `g`, in it.

    >>> from rustyflow.backends.loops.number import traced
    >>> g = traced(3.0, LEAF, (1, (0,)))
    >>> factors({(2,): traced(9.0, "+", (g, traced(6.0, "*", (2.0, g))))}, 1)
    {(2,): {(0,): 3.0}}
    """
    known: dict[int, dict[Index, float]] = {}

    def by(x: Any) -> dict[Index, float]:
        return known.get(id(x), {})

    for x in steps(trees.values()):
        times = [1.0] * len(x.parts)
        if x.how == LEAF:
            known[id(x)] = {x.parts[1]: 1.0} if x.parts[0] == g else {}
            continue
        if x.how == "*":
            times = [float(plain(x.parts[1])), float(plain(x.parts[0]))]
        elif x.how == "/":
            times = [1 / float(plain(x.parts[1])) if x.parts[1] else float("nan"), 0.0]
        elif x.how == "-":
            times[-1] = -1.0
        elif x.how not in ("+", SAME, "max", "min", "float"):
            times = [0.0] * len(x.parts)
        kept = taken(x)
        total: dict[Index, float] = {}
        for part, factor in zip(x.parts, times):
            if isinstance(part, Traced) and any(part is one for one in kept):
                for cell, inner in by(part).items():
                    total[cell] = total.get(cell, 0.0) + inner * factor
        known[id(x)] = total
    by_index = {index: {cell: factor for cell, factor in sorted(by(x).items()) if factor} for index, x in trees.items()}
    return {index: sent for index, sent in by_index.items() if sent}


def _recorded(call: Call, run: Reads, real: Sequence[int]) -> tuple[list[Tensor], Tensor]:
    """The operands, some of them leaves that want a gradient, and the result."""
    leaves = [from_numpy(laid(x)) for x in run.operands]
    for k in real:
        leaves[k].requires_grad_()
    return leaves, first_tensor(call(*leaves))


def _takes_gradient(call: Call, run: Reads, k: int) -> bool:
    try:
        _recorded(call, run, [k])
    except GradError:
        return False
    return True


def operations(call: Call, run: Reads) -> list[str]:
    """The operations of a call whose numbers have no gradient, if it takes floats in their place."""
    try:
        leaves = [from_numpy(x.astype(float)).requires_grad_() for x in run.operands]
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
    breaks = r"(?<=[a-z0-9])(?=[A-Z][a-z])|(?<=[0-9]D)(?=[A-Z])"
    return [re.sub(breaks, "_", name).lower() for name in [*seen.values()][::-1]
            if name not in ("AccumulateGrad", "torch::autograd::AccumulateGrad", "NotImplemented")]  # fmt: skip
