"""Who reads whom in any op, and how what is read is put together: found from the loops backend's events, never told."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from decimal import Decimal
from itertools import product
from math import isclose, isnan, prod
from types import MappingProxyType
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.lib.stride_tricks import as_strided

from ..backends import loops, use
from ..dtype import as_dtype
from ..errors import ArgumentValueError, TensorError
from ..layout import flat_index
from ..ops.creation import tensor
from ..tensor import Tensor
from .source import Value, exact
from .words.exact import EXACT, exactly

Index = tuple[int, ...]
Read = tuple[int, Index]
"""An operand's number and the index that is read."""

T = TypeVar("T")

Call = Callable[..., Any]
"""The op with its attributes in place: it takes the operands alone."""


FAILED = (TensorError, RuntimeError, ValueError, IndexError, TypeError, ArithmeticError)
"""What an op may raise for numbers that somebody made up."""


FEW, PAIRS = 64, 16
"""The most indices of which each is changed to see who reads it, and of which two are."""

NEAR = -1, 1, -2, 2
"""By how much an index is changed, besides to 0 and by a lot: at one other value a result may stay by chance."""

ENOUGH = 48
"""So many cells of two runs or more tell a way from all others."""


MOST = 2**20
"""The most reads that are followed, of all numbers that are written on the way to a result."""


class ManyReads(TensorError):
    """More is read than a figure follows: no ValueError, for which an operation that is watched would find reasons."""


class Written(ArgumentValueError):
    """An operation writes to some of its operands, which are known by their numbers."""

    def __init__(self, operands: Sequence[int]):
        rule = "a figure shows what a result reads, and its operands stay as they are"
        super().__init__("an op that writes to its operand", rule, "x.clone() in place of x")
        self.operands = operands


class Reads(NamedTuple):
    """Of one run: the operands as arrays, the result, and for each of its cells what was read for it, in order; the
    operand in whose storage the result stands, if it is a view, and whether it is that operand itself; the operands of
    indices of which several cells were read in one sweep, before a number was written; and of reads in vain the results
    whose numbers were written over."""

    operands: tuple[np.ndarray, ...]
    result: np.ndarray
    cells: dict[Index, list[Read]]
    view: int | None = None
    swept: frozenset[int] = frozenset()
    over: Mapping[Read, Sequence[Index]] = MappingProxyType({})
    itself: bool = False

    @property
    def counted(self) -> list[int]:
        """The operands whose numbers count; beside floats, whole numbers and bools only say which."""
        floats = [k for k, x in enumerate(self.operands) if x.dtype.kind == "f"]
        return floats or [*range(len(self.operands))]

    @property
    def half(self) -> bool:
        """Whether the results are of a dtype of few digits."""
        return self.result.dtype.itemsize == 2

    def own(self, cell: Index) -> float | None:
        """The number that was read where the result stands, of the only operand whose numbers count, if it was."""
        here = [k for k in self.counted if (k, cell) in self.cells[cell]]
        return exact(self.operands[here[0]][cell])[0] if len(here) == 1 else None

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
    made = run = _run(call, operands)
    for k in sorted(run.swept):
        if len(run.cells) > 1 and operands[k].size <= FEW:
            made = _followed(call, run, made, k)
    return made


def _run(call: Call, operands: Sequence[np.ndarray]) -> Reads:
    operands = [x if x.flags.c_contiguous else laid(x) for x in operands]
    with use("loops"):
        given = [tensor(_slots(x), dtype=as_dtype(x.dtype)).as_strided(x.shape, _steps(x)) for x in operands]
        numbers = {loops.storage_number(x): k for k, x in enumerate(given)}
        each = [{flat_index(index, _steps(x)): index for index in np.ndindex(x.shape)} for x in operands]
        source: dict[tuple[int, int], list[Read]] = {}
        pending: list[list[Read]] = []
        values: list[Value] = []
        floats = any(x.dtype.kind == "f" for x in operands)
        said: dict[tuple[int, int], set[int]] = {}  # of which operands several indices say what was written
        indices: list[list[Read]] = []  # the parts of what is pending that are indices
        into: set[int] = set()
        over: dict[tuple[int, int], list[Read]] = {}
        target = filling = None  # the storage that is written to after what was read, and the first number
        followed = 0

        def seen(event: loops.Event) -> None:
            nonlocal target, filling, followed
            place = event.storage, event.slot
            if event.kind == "read":
                if target is not None:  # what was read before has gone where it went
                    for some in (pending, values, indices, into):
                        some.clear()
                    target = None
                values.append(event.value)
                known = numbers.get(event.storage)
                pending.append(source.get(place, []) if known is None else [(known, each[known][event.slot])])
                into.update(said.get(place, ()))
                if floats and not isinstance(event.value, float):
                    indices.append(pending[-1])
            else:
                # what follows the first write without another read is a filling, or one of several that were moved, or
                # found by comparing
                other = event.value in values or event.value != filling
                moved = target == event.storage and len(pending) > 1 and other
                found = pending if target is None or moved else []
                if target is None:
                    target, filling = event.storage, event.value
                over.setdefault(place, []).extend(source.get(place, ()) if found else ())
                source[place] = list(dict.fromkeys(read for part in found for read in part))
                often = Counter(k for k, _ in {read for part in indices for read in part}) if found else {}
                said[place] = {k for k, n in often.items() if n > 1 and operands[k].dtype.kind != "f"} | into
                followed += len(source[place])
                if followed > MOST:
                    raise ManyReads(f"more than {MOST:,} steps", "no more are followed", "smaller operands")

        with loops.watch(seen):
            y = first_tensor(call(*given))
        wrote = {storage for storage, _ in source}
        if into_own := [k for k, x in enumerate(given) if loops.storage_number(x) in wrote]:
            raise Written(into_own)
        out, cells, swept, vain = loops.storage_number(y), {}, set(), {}
        viewed = numbers.get(out)
        for cell in np.ndindex(*y.shape):
            slot = flat_index(cell, y.stride(), y.storage_offset())
            cells[cell] = source.get((out, slot), []) if viewed is None else [(viewed, each[viewed][slot])]
            swept |= said.get((out, slot), set())
            for read in dict.fromkeys(over.get((out, slot), ())):
                vain.setdefault(read, []).append(cell)
        result = np.array(y.tolist(), dtype=str(y.dtype).rpartition(".")[2]).reshape(tuple(y.shape))
    return Reads(tuple(operands), result, cells, viewed, frozenset(swept), vain)


def laid(x: np.ndarray) -> np.ndarray:
    """A copy that stands in memory as the array does; in a row where its cells share slots or run backwards.

    >>> laid(np.arange(12.0).reshape(3, 4)[:, ::2]).strides
    (32, 16)
    """
    apart = [step for step, n in zip(_steps(x), x.shape) if n > 1]
    if min(apart, default=1) < 1 or not x.size <= _span(x) <= 8 * x.size:
        return np.array(x, order="C")
    made = as_strided(np.zeros(_span(x), x.dtype), x.shape, x.strides)
    made[...] = x
    return made


def _steps(x: np.ndarray) -> Index:
    return tuple(step // x.itemsize for step in x.strides)


def _span(x: np.ndarray) -> int:
    return 1 + sum((n - 1) * step for n, step in zip(x.shape, _steps(x))) if x.size else 0


def _slots(x: np.ndarray) -> list[Value]:
    """What stands in memory from the first cell to the last."""
    return as_strided(x, (_span(x),), (x.itemsize,)).tolist()


def _followed(call: Call, run: Reads, made: Reads, k: int) -> Reads:
    """The reads in which a cell of an operand of indices is read by the results that miss what they read, or are others
    for all that they read, once it differs."""
    cells = {cell: [read for read in found if read[0] != k] for cell, found in made.cells.items()}
    for index in np.ndindex(run.operands[k].shape):
        moved: set[Index] = set()
        for before, after in _elsewhere(call, run, k, index):
            moved |= {cell for cell in before.cells if cell in cells and not _stays(cell, before, after, k)}
        for cell in moved:
            cells[cell].append((k, index))
    return made._replace(cells=cells)


def _stays(cell: Index, before: Reads, after: Reads, k: int) -> bool:
    """Whether a result reads in another run what it read before, but for an operand, and is the same, or reads more."""
    was, read = ({read for read in run.cells.get(cell, ()) if read[0] != k} for run in (before, after))
    return read > was or read == was and np.array_equal(after.result[cell], before.result[cell], equal_nan=True)


def _elsewhere(call: Call, run: Reads, k: int, index: Index) -> list[tuple[Reads, Reads]]:
    """Pairs of runs that differ by one index; where no other one will do, by this one where another index differs, too,
    as one more True of a mask needs a False."""
    found = [(run, after) for after in _others(call, run, k, index)]
    if not found and run.operands[k].size <= PAIRS:
        for beside in np.ndindex(run.operands[k].shape):
            for before in _others(call, run, k, beside) if beside != index else ():
                found += [(before, after) for after in _others(call, before, k, index)]
    return found


def _others(call: Call, run: Reads, k: int, index: Index) -> Iterator[Reads]:
    """Runs in which one index is another one, a little less or more, where it can be."""
    value = run.operands[k][index].item()
    near = {0, *(value + by for by in (*NEAR, len(run.cells)) if value + by >= 0 or value < 0)}
    for other in [not value] if run.operands[k].dtype.kind == "b" else sorted(near - {value}):
        operands = [x.copy() for x in run.operands]
        operands[k][index] = other
        with suppress(*FAILED):
            yield _run(call, operands)


def first_tensor(made: Any) -> Tensor:
    """The result of an op; of several the first, as the values of max and sort are.

    Raises:
        ValueError: there is none.
    """
    first = made[0] if isinstance(made, tuple | list) and made else made
    if not isinstance(first, Tensor):
        raise ArgumentValueError(f"a result of type {type(first).__name__}", "an op gives a tensor", "an op of tensors")
    return first


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


class Way(NamedTuple):
    """A way in which numbers that were read come to one: what it comes to, and how that is written.

    Both take the numbers, or the words for them, and the one that stands where the result stands, or None.
    """

    value: Callable[[Sequence[float], float | None], float]
    said: Callable[[Sequence[str], str | None], str]


EXP, LOG = EXACT["exp"], EXACT["log"]


def _of_one(name: str, f: Callable[[float], float], said: str = "") -> tuple[str, Way]:
    return name, Way(lambda x, own: f(*x), lambda x, own: (said or f"{name}(_)").replace("_", x[0]))


def _of_two(name: str, f: Callable[[float, float], float], sign: str) -> tuple[str, Way]:
    return name, Way(lambda x, own: f(*x), lambda x, own: f" {sign} ".join(x))


def _weight(x: Sequence[float]) -> float:
    """What the exponentials add up to, over the greatest of them."""
    return sum(EXP(value - max(x)) for value in x)


def _exps(words: Sequence[str]) -> str:
    return " + ".join(f"exp({word})" for word in words)


WAYS: dict[str, Way] = dict([
    ("sum", Way(lambda x, own: sum(x), lambda x, own: " + ".join(x))),
    ("mean", Way(lambda x, own: sum(x) / len(x), lambda x, own: f"({' + '.join(x)}) / {len(x)}")),
    ("product", Way(lambda x, own: prod(x), lambda x, own: "·".join(x))),
    ("greatest", Way(lambda x, own: max(x), lambda x, own: f"the greatest of {', '.join(x)}")),
    ("least", Way(lambda x, own: min(x), lambda x, own: f"the least of {', '.join(x)}")),
    _of_two("difference", lambda a, b: a - b, "-"),
    _of_two("quotient", lambda a, b: a / b, "/"),
    _of_two("power", lambda a, b: a**b if b else type(a)(1), "**"),
    _of_one("minus", lambda x: -x, "-_"),
    _of_one("exp", EXACT["exp"]),
    _of_one("log", EXACT["log"]),
    _of_one("sqrt", EXACT["sqrt"]),
    _of_one("square", lambda x: x * x, "_·_"),
    _of_one("reciprocal", lambda x: 1 / x, "1 / _"),
    _of_one("sin", EXACT["sin"]),
    _of_one("cos", EXACT["cos"]),
    _of_one("tanh", EXACT["tanh"]),
    _of_one("sigmoid", lambda x: 1 / (1 + EXP(-x)), "1 / (1 + exp(-_))"),
    ("softmax", Way(lambda x, own: EXP(own - max(x)) / _weight(x), lambda x, own: f"exp({own}) / ({_exps(x)})")),
    ("log_softmax", Way(lambda x, own: own - max(x) - LOG(_weight(x)), lambda x, own: f"{own} - log({_exps(x)})")),
    ("normalized", Way(lambda x, own: (own - np.mean(x)) / np.std(x),
                       lambda x, own: f"({own} - mean) / std(correction=0) of {', '.join(x)}")),
])  # fmt: skip
"""What is tried in this order on all cells of up to six runs, after copies and products."""


IN_ORDER = {"difference", "quotient", "power"}
"""The ways in which it counts what is read first."""

JOINS = {"sum", "mean", "product", "products", "greatest", "least"}
"""The ways in which a number alone comes to itself."""

SHARES = {"softmax", "log_softmax", "normalized"}
"""The ways that say what one number is among others."""


def come_to(way: str, read: Numbers, own: float | None = None) -> float | None:
    """What numbers come to in a way, of decimals without rounding; None where they cannot come so.

    >>> come_to("sum", [(0, 2.0), (0, 3.0)]), come_to("products", [(0, 2.0), (1, 3.0), (0, 4.0), (1, 5.0)])
    (5.0, 26.0)
    """
    decimal = any(isinstance(value, Decimal) for _, value in read)  # beside them a True is 1
    values = [Decimal(value) if decimal else np.float64(value) for _, value in read]
    if way == "copy":
        return values[0] if len(values) == 1 else None
    if way == "products":
        return sum(prod(map(float, part)) for part in pairs(read))
    if way in SHARES and len(values) < 2:
        return None
    try:
        with np.errstate(all="ignore"), exactly():
            found = WAYS[way].value(values, own)
            return found if isinstance(found, Decimal) else float(found)
    except TypeError:  # too few numbers, or none that stands where the result stands
        return None


def way_of(call: Call, made: Reads, others: Sequence[Reads] = ()) -> str:
    """How what is read for a cell comes to its value, or "" for none of the simple ways; `others` are runs with other
    numbers, if there are any.

    >>> call = lambda a, b: a @ b
    >>> way_of(call, reads(call, [np.ones((2, 3)), np.ones((3, 4))]))
    'products'
    """
    left, tried = ["copy", *list(WAYS)[:3], "products", *list(WAYS)[3:]], 0
    if made.result.dtype.kind == "b":
        left = left[:1]
    for seed in range(6):
        try:
            known = seed <= len(others)
            run = [made, *others][seed] if known else reads(call, other_values(made.operands, seed))
        except FAILED:
            return ""
        for cell in run.cells:
            if read := run.numbers(cell):
                own, value = run.own(cell), run.result[cell].item()
                left = [way for way in left if is_close(come_to(way, read, own), value, made.half)]
                tried += 1
        if not left or seed and tried > ENOUGH:
            break
    if not left or not tried or left[0] == "copy" and not _is_copy(call, made):
        return ""
    return left[0]


def _is_copy(call: Call, made: Reads) -> bool:
    """Whether results are what was read, to the last digit, and for numbers of all sizes and signs: abs is none."""
    runs, random = [made], np.random.default_rng(0)
    for sign, power in product((1, -1), ((1, 4.5), (-4, 0))):
        sizes = [sign * 10 ** random.uniform(*power, x.shape) for x in made.operands]
        operands = [size.astype(x.dtype) if k in made.counted and x.dtype.kind in "fi" else x
                    for k, (x, size) in enumerate(zip(made.operands, sizes))]  # fmt: skip
        try:
            runs.append(reads(call, operands))
        except FAILED:  # it takes no such numbers
            continue
    return all(
        run.numbers(cell)[0][1] == value or isnan(value)
        for run in runs for cell in run.cells if run.numbers(cell) for value in exact(run.result[cell])
    )  # fmt: skip


def is_close(value: float | None, wanted: Value, half: bool) -> bool:
    """Whether what numbers come to is a result, but for rounding."""
    if value is None or isnan(value):
        return value is not None and isnan(wanted)
    return isclose(value, float(wanted), rel_tol=4e-3 if half else 1e-4, abs_tol=4e-3 if half else 1e-5)


def depends(call: Call, made: Reads) -> bool:
    """Whether the op reads other cells where the numbers that count are others.

    >>> depends(lambda a: a[a > 1], reads(lambda a: a[a > 1], [np.arange(3.0)]))
    True
    """
    for seed in (1, 2):
        random = np.random.default_rng(seed)
        moved = [random.permutation(x.reshape(-1)).reshape(x.shape) for x in made.operands]  # it may take no others
        for others in (other_values(made.operands, seed), moved):
            operands = [new if k in made.counted else old for k, (new, old) in enumerate(zip(others, made.operands))]
            try:
                if reads(call, operands).cells != made.cells:
                    return True
            except FAILED:
                continue
            break
    return False
