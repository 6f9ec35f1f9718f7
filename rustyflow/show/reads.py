"""Who reads whom in any op, and how what is read is put together: found from the loops backend's events, never told."""

from collections.abc import Callable, Sequence
from math import isclose, nan, prod
from typing import Any, NamedTuple, TypeVar

import numpy as np

from ..backends import loops, use
from ..dtype import as_dtype
from ..errors import ArgumentValueError, TensorError
from ..layout import flat_index
from ..ops.creation import tensor
from ..tensor import Tensor
from .source import Value, exact

Index = tuple[int, ...]
Read = tuple[int, Index]
"""An operand's number and the index that is read."""

T = TypeVar("T")

Call = Callable[..., Any]
"""The op with its attributes in place: it takes the operands alone."""


FAILED = (TensorError, RuntimeError, ValueError, IndexError, TypeError, ArithmeticError)
"""What an op may raise for numbers that somebody made up."""


FEW = 64
"""The most indices of which each is changed to see who reads it."""


class Reads(NamedTuple):
    """Of one run: the operands as arrays, the result, and for each of its cells what was read for it, in order."""

    operands: tuple[np.ndarray, ...]
    result: np.ndarray
    cells: dict[Index, list[Read]]

    @property
    def counted(self) -> list[int]:
        """The operands whose numbers count; beside floats, whole numbers and bools only say which."""
        floats = [k for k, x in enumerate(self.operands) if x.dtype.kind == "f"]
        return floats or [*range(len(self.operands))]

    def numbers(self, cell: Index) -> list[tuple[int, Value]]:
        """The numbers that were read for a cell, each with its operand's place, of operands whose numbers count."""
        read = [(k, index) for k, index in self.cells[cell] if k in self.counted]
        return [(k, exact(self.operands[k][index])[0]) for k, index in read]


def reads(call: Call, operands: Sequence[np.ndarray]) -> Reads:
    """Run an op on the loops backend and follow each number that it wrote back to the operands' cells.

    Raises:
        ValueError: it gives no tensor, or it writes to an operand. What the op raises, and AbsentError for one that
        has no form as loops.

    >>> made = reads(lambda a, b: a @ b, [np.ones((2, 3)), np.ones((3, 4))])
    >>> made.result.shape, made.cells[1, 2][:2]
    ((2, 4), [(0, (1, 0)), (1, (0, 2))])
    """
    made = _run(call, operands)
    for k in range(len(operands)):
        if k not in made.counted and _is_uneven(made, k):
            made = _followed(call, made, k)
    return made


def _run(call: Call, operands: Sequence[np.ndarray]) -> Reads:
    with use("loops"):
        given = [tensor(x.tolist(), dtype=as_dtype(x.dtype)).reshape(x.shape) for x in operands]
        numbers = {loops.storage_number(x): k for k, x in enumerate(given)}
        source: dict[tuple[int, int], list[Read]] = {}
        pending: list[list[Read]] = []
        values: list[Value] = []
        target = None  # the storage that is written to after what was read

        def seen(event: loops.Event) -> None:
            nonlocal target
            place = event.storage, event.slot
            if event.kind == "read":
                if target is not None:  # what was read before has gone where it went
                    pending.clear()
                    values.clear()
                    target = None
                values.append(event.value)
                known = numbers.get(event.storage)
                pending.append(source.get(place, []) if known is None else [(known, _index(given[known], event.slot))])
            else:
                # what follows the first write without another read is a filling, or one of several that were moved
                moved = target == event.storage and len(pending) > 1 and event.value in values
                found = pending if target is None or moved else []
                target = event.storage if target is None else target
                source[place] = list(dict.fromkeys(read for part in found for read in part))

        with loops.watch(seen):
            y = first_tensor(call(*given))
        if any(loops.storage_number(x) == storage for storage, _ in source for x in given):
            raise ArgumentValueError(
                "an op that writes to its operand", "a figure shows what a result reads", "the op without its _"
            )
        out, cells = loops.storage_number(y), {}
        for cell in np.ndindex(*y.shape):
            slot = flat_index(cell, y.stride(), y.storage_offset())
            viewed = numbers.get(out)
            cells[cell] = source.get((out, slot), []) if viewed is None else [(viewed, _index(given[viewed], slot))]
        result = np.array(y.tolist(), dtype=str(y.dtype).rpartition(".")[2])
    return Reads(tuple(operands), result, cells)


def _is_uneven(made: Reads, k: int) -> bool:
    """Whether an operand of indices was read as a whole, before anything was written."""
    counts = {sum(n == k for n, _ in read) for read in made.cells.values()}
    return len(counts) > 1 and 0 < made.operands[k].size <= FEW


def _followed(call: Call, made: Reads, k: int) -> Reads:
    """The reads in which a cell of an operand of indices is read by the results that read elsewhere once it differs."""
    cells = {cell: [read for read in found if read[0] != k] for cell, found in made.cells.items()}
    plain = {cell: list(found) for cell, found in cells.items()}
    for index in np.ndindex(made.operands[k].shape):
        operands = [x.copy() for x in made.operands]
        value = operands[k][index]
        operands[k][index] = not value if operands[k].dtype.kind == "b" else value - 1 if value else value + 1
        try:
            other = _run(call, operands).cells
        except FAILED:
            continue
        for cell, found in plain.items():
            if [read for read in other.get(cell, []) if read[0] != k] != found:
                cells[cell].insert(0, (k, index))
    return made._replace(cells=cells)


def first_tensor(made: Any) -> Tensor:
    """The result of an op; of several the first, as the values of max and sort are.

    Raises:
        ValueError: there is none.
    """
    first = made[0] if isinstance(made, tuple | list) and made else made
    if not isinstance(first, Tensor):
        raise ArgumentValueError(f"a result of type {type(first).__name__}", "an op gives a tensor", "an op of tensors")
    return first


def _index(x: Tensor, slot: int) -> Index:
    return tuple(map(int, np.unravel_index(slot, tuple(x.shape)))) if x.dim() else ()


def other_values(operands: Sequence[np.ndarray], seed: int, shapes: Sequence[Index] | None = None) -> list[np.ndarray]:
    """Operands of the same dtypes with other numbers; whole numbers stay below the least axis, for they may be indices.

    >>> [x.shape for x in other_values([np.ones(3)], 0, [(5,)])]
    [(5,)]
    """
    random = np.random.default_rng(seed)
    made = []
    for k, x in enumerate(operands):
        shape = x.shape if shapes is None else shapes[k]
        if x.dtype.kind == "f":
            made.append((random.random(shape) * 3 + 0.25).astype(x.dtype))
        elif x.dtype.kind == "b":
            made.append(random.random(shape) < 0.5)
        else:
            made.append(random.integers(0, max(1, int(x.max(initial=0)) + 1), shape).astype(x.dtype))
    return made


Numbers = list[tuple[int, Value]]


def pairs(read: Sequence[tuple[int, T]]) -> list[tuple[T, ...]]:
    """What is read from two operands in turn, as factors of products; what is read otherwise is by itself.

    >>> pairs([(0, 2), (1, 3), (0, 4), (1, 5), (2, 6)])
    [(2, 3), (4, 5), (6,)]
    """
    made, k = [], 0
    while k < len(read):
        many = 2 if k + 1 < len(read) and read[k][0] != read[k + 1][0] else 1
        made.append(tuple(value for _, value in read[k : k + many]))
        k += many
    return made


def _plain(way: Callable[[list[float]], float]) -> Callable[[Numbers], float]:
    return lambda read: way([float(value) for _, value in read])


WAYS: dict[str, Callable[[Numbers], float]] = {
    "copy": _plain(lambda values: values[0] if len(values) == 1 else nan),
    "sum": _plain(sum),
    "mean": _plain(lambda values: sum(values) / len(values)),
    "product": _plain(prod),
    "products": lambda read: sum(prod(map(float, part)) for part in pairs(read)),
    "greatest": _plain(max),
    "least": _plain(min),
}
"""Ways in which numbers that were read come to one, tried in this order on all cells of six runs."""

def way_of(call: Call, made: Reads) -> str:
    """How what is read for a cell comes to its value, or "" for none of the simple ways.

    >>> call = lambda a, b: a @ b
    >>> way_of(call, reads(call, [np.ones((2, 3)), np.ones((3, 4))]))
    'products'
    """
    try:
        runs = [made, *(reads(call, other_values(made.operands, seed)) for seed in range(1, 6))]
    except FAILED:
        return ""
    cells = [(run.numbers(cell), run.result[cell].item()) for run in runs for cell in run.cells]
    told = [(read, value) for read, value in cells if read]
    if not told or made.result.dtype.kind == "b":
        return ""
    return next((name for name, way in WAYS.items() if all(_close(way(read), value) for read, value in told)), "")


def _close(value: float, wanted: Value) -> bool:
    return isclose(value, float(wanted), rel_tol=1e-4, abs_tol=1e-5)


def depends(call: Call, made: Reads) -> bool:
    """Whether the op reads other cells where the numbers that count are others.

    >>> depends(lambda a: a[a > 1], reads(lambda a: a[a > 1], [np.arange(3.0)]))
    True
    """
    for seed in (1, 2):
        operands = other_values(made.operands, seed)
        operands = [new if k in made.counted else old for k, (new, old) in enumerate(zip(operands, made.operands))]
        try:
            if reads(call, operands).cells != made.cells:
                return True
        except FAILED:
            return True
    return False
