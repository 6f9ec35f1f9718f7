"""The reads of any op.

An op is run on numbers that know how they were made, and each result is followed back.
"""

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from numpy.lib.stride_tricks import as_strided

from ...backends import use
from ...backends.loops.number import Trace, leaves, tracing
from ...dtype import as_dtype
from ...errors import ArgumentValueError, TensorError
from ...layout import flat_index
from ...ops.creation import tensor
from ...tensor import Tensor

Index = tuple[int, ...]
Read = tuple[int, Index]
"""An operand's number and the index that is read."""

Call = Callable[..., Any]
"""The op with its attributes in place: it takes the operands alone."""


FAILED = (TensorError, RuntimeError, ValueError, IndexError, TypeError, ArithmeticError)
"""What an op may raise for numbers that somebody made up."""

STEPS, MOST = 50_000, 2**20
"""The most steps of two numbers each that are followed; the most that lie behind all results together."""


class Written(ArgumentValueError):
    """An operation writes to some of its operands, which are known by their numbers."""

    def __init__(self, operands: Sequence[int]):
        rule = "a figure shows what a result reads, and its operands stay as they are"
        super().__init__("an op that writes to its operand", rule, "x.clone() in place of x")
        self.operands = operands


class Reads(NamedTuple):
    """The reads of one run.

    Attributes:
        operands, result: as arrays. trees: for each cell of the result the number that knows how it was made. taken,
            compared, cells: the reads that it was made of, those that decided it, and all, in order. view: the operand
            in whose storage the result stands. itself: True where it is that operand. over: of reads in vain the
            results whose numbers were written over. asked: the reads that decided how many results there are, or which.
    """

    operands: tuple[np.ndarray, ...]
    result: np.ndarray
    trees: dict[Index, Any]
    taken: dict[Index, list[Read]]
    compared: dict[Index, list[Read]]
    cells: dict[Index, list[Read]]
    view: int | None = None
    over: Mapping[Read, Sequence[Index]] = MappingProxyType({})
    asked: frozenset[Read] = frozenset()
    itself: bool = False

    @property
    def counted(self) -> list[int]:
        """The operands of which a number is taken; the others only decide."""
        return sorted({k for read in self.taken.values() for k, _ in read}) or [*range(len(self.operands))]


def reads(call: Call, operands: Sequence[np.ndarray]) -> Reads:
    """Runs an op on the loops backend and follows each number of its result back to the operands' cells.

    Raises:
        ValueError: it gives no tensor, or it writes to an operand. ManySteps: it takes too many. What the op raises,
        and AbsentError for one that has no form as loops.

    >>> run = reads(lambda a, b: a @ b, [np.ones((2, 3)), np.ones((3, 4))])
    >>> run.result.shape, run.cells[1, 2][:2]
    ((2, 4), [(0, (1, 0)), (0, (1, 1))])
    """
    operands = [x if x.flags.c_contiguous else laid(x) for x in operands]
    with use("loops"), tracing(STEPS) as trace:
        given = [on_loops(x, k, trace) for k, x in enumerate(operands)]
        before = [[*x._a.buffer.cells] for x in given]
        y = first_tensor(call(*given))
        if into := [k for k, x in enumerate(given) if any(a is not b for a, b in zip(before[k], x._a.buffer.cells))]:
            raise Written(into)
        buffer, cells = y._a.buffer, [*np.ndindex(*y.shape)]
        slots = {cell: flat_index(cell, y.stride(), y.storage_offset()) for cell in cells}
        view = next((k for k, x in enumerate(given) if x._a.buffer is buffer), None)
        result = np.array(y.tolist(), dtype=str(y.dtype).rpartition(".")[2]).reshape(tuple(y.shape))
    trees = {cell: buffer.cells[slot] for cell, slot in slots.items()}
    behind = leaves(trees, MOST)
    vain: dict[Read, list[Index]] = {}
    for cell in cells:
        before = getattr(buffer, "over", {}).get(slots[cell], ())
        still = {**behind[cell][0], **behind[cell][1]}
        for read in {read: None for some in leaves(dict(enumerate(before))).values() for one in some for read in one}:
            if read not in still:
                vain.setdefault(read, []).append(cell)
    idle = leaves(dict(enumerate(trace.idle)), MOST).values()
    return Reads(
        tuple(operands), result, trees, {cell: sorted(taken) for cell, (taken, _) in behind.items()},
        {cell: sorted(compared) for cell, (_, compared) in behind.items()},
        {cell: sorted({**taken, **compared}) for cell, (taken, compared) in behind.items()}, view, vain,
        frozenset(read for some in idle for one in some for read in one),
    )  # fmt: skip


def on_loops(x: np.ndarray, name: Any, trace: Trace) -> Tensor:
    """A tensor of numbers that know their index, which stands in memory as an array does."""
    line = as_strided(x, (_span(x),), (x.itemsize,)).tolist()
    standing = tensor(line, dtype=as_dtype(x.dtype)).as_strided(x.shape, _steps(x))
    trace.leaves(standing, name)
    return standing


def laid(x: np.ndarray) -> np.ndarray:
    """Returns a copy that stands in memory as the array does.

    It stands in a row where the array's cells share slots or run backwards.

    >>> laid(np.arange(12.0).reshape(3, 4)[:, ::2]).strides
    (32, 16)
    """
    apart = [step for step, n in zip(_steps(x), x.shape) if n > 1]
    if min(apart, default=1) < 1 or not x.size <= _span(x) <= 8 * x.size:
        return np.array(x, order="C")
    copy = as_strided(np.zeros(_span(x), x.dtype), x.shape, x.strides)
    copy[...] = x
    return copy


def _steps(x: np.ndarray) -> Index:
    return tuple(step // x.itemsize for step in x.strides)


def _span(x: np.ndarray) -> int:
    return 1 + sum((n - 1) * step for n, step in zip(x.shape, _steps(x))) if x.size else 0


def first_tensor(result: Any) -> Tensor:
    """The result of an op; of several the first, as the values of max and sort are.

    Raises:
        ValueError: there is none.
    """
    first = result[0] if isinstance(result, tuple | list) and result else result
    if not isinstance(first, Tensor):
        raise ArgumentValueError(f"a result of type {type(first).__name__}", "an op gives a tensor", "an op of tensors")
    return first


def other_values(operands: Sequence[np.ndarray], seed: int, shapes: Sequence[Index] | None = None) -> list[np.ndarray]:
    """Returns operands of the same dtypes with other numbers.

    Whole numbers are at most the largest that is there, for they may be indices.

    >>> [x.shape for x in other_values([np.ones(3)], 0, [(5,)])]
    [(5,)]
    """
    random = np.random.default_rng(seed)
    others = []
    for k, x in enumerate(operands):
        shape = x.shape if shapes is None else shapes[k]
        if x.dtype.kind == "f":
            others.append((random.random(shape) * 3 + 0.25).astype(x.dtype))
        elif x.dtype.kind == "b":
            others.append(random.random(shape) < 0.5)
        else:
            others.append(random.integers(0, max(1, int(x.max(initial=0)) + 1), shape).astype(x.dtype))
    return others


def depends(call: Call, run: Reads) -> bool:
    """True if the op reads other cells where the numbers that count are others.

    >>> depends(lambda a: a[a > 1], reads(lambda a: a[a > 1], [np.arange(3.0)]))
    True
    """
    for seed in (1, 2):
        random = np.random.default_rng(seed)
        moved = [random.permutation(x.reshape(-1)).reshape(x.shape) for x in run.operands]  # it may take no others
        for others in (other_values(run.operands, seed), moved):
            operands = [new if k in run.counted else old for k, (new, old) in enumerate(zip(others, run.operands))]
            try:
                if reads(call, operands).cells != run.cells:
                    return True
            except FAILED:
                continue
            break
    return False
