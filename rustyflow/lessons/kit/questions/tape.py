"""The tape: a storage and a grid that reads it, as text, and what a guessed layout reads."""

from collections.abc import Sequence
from typing import Any

from ....claims.claim import worked
from ....claims.tree import called
from ....errors import StorageBoundsError
from ....layout import flat_index
from ....ops.creation import tensor
from ....tensor import Tensor

Ints = Sequence[int]


def grid(numbers: Ints, rows: int, top: int, left: int, step: int, flip: bool) -> Tensor:
    """The part of a table from a row and a column on, in steps; its transpose with `flip`."""
    y = tensor(numbers).view(rows, -1)[top:, left::step]
    return y.T if flip else y


def tape(numbers: Ints) -> str:
    """A storage in two lines: its numbers, and below each its slot."""
    cells = [f"{value:>3}" for value in numbers]
    places = [f"{slot:>3}" for slot in range(len(numbers))]
    return f"storage  {' '.join(cells)}\nslot     {' '.join(places)}"


def rows_of(name: str, table: Sequence[Ints]) -> str:
    """A table in lines, the first of which begins with its name."""
    text = [" ".join(f"{value:>3}" for value in row) for row in table]
    return "\n".join(f"{name if k == 0 else '':<9}{row}" for k, row in enumerate(text))


def measured(y: Tensor) -> str:
    """The way to find the layout of a grid on the tape."""
    first, below, beside = (y[i, j].storage_offset() for i, j in ((0, 0), (1, 0), (0, 1)))
    return (
        f"y has {y.shape[0]} rows and {y.shape[1]} columns. y[0, 0] reads slot {first}, the offset. "
        f"One step down leads to slot {below}: {worked(called('-', [below, first]))}. "
        f"One step to the right leads to slot {beside}: {worked(called('-', [beside, first]))}."
    )


def read_with(given_shape: Any, given_stride: Any, given_offset: Any, numbers: Ints, **case: Any) -> str:
    """The numbers that a reader with these three would see: a wrong answer, played out."""
    try:
        seen = tensor(numbers).as_strided(given_shape, given_stride, given_offset)
    except StorageBoundsError:
        last = tuple(n - 1 for n in given_shape)
        slot = flat_index(last, given_stride, given_offset)
        return f"With these three, y{list(last)} would read slot {slot}; the storage ends at slot {len(numbers) - 1}."
    except (RuntimeError, TypeError, ValueError):
        if any(isinstance(n, int) and n < 0 for n in _flat((given_shape, given_stride, given_offset))):
            return "None of the three is negative here: PyTorch has no way to step back along the storage."
        return "Shape and stride are tuples with one number for each axis; the offset is one number."
    if seen.ndim != 2 or seen.numel() > 64:
        return f"With these three, y would have shape {tuple(seen.shape)}."
    return "With these three, a reader sees\n" + rows_of("", seen.tolist())


def _flat(value: Any) -> tuple[Any, ...]:
    return tuple(part for one in value for part in _flat(one)) if isinstance(value, tuple) else (value,)
