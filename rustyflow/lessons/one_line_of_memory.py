"""Checks of lesson 01: tensors are not nested lists."""

from collections.abc import Callable, Sequence
from itertools import pairwise
from random import Random
from typing import Any

from ..claims.claim import worked
from ..claims.tree import of_pairs
from ..layout import contiguous_stride, flat_index, slots
from ..ops.creation import arange, empty, zeros
from ..scene import Scene
from ..show.source import source_of
from ..show.strides.figure import scene_of
from ..tensor import Tensor
from . import models
from .kit.answers.misconception import Misconception
from .kit.answers.source import borrows
from .kit.exercises.blanks import Blank, Blanks
from .kit.exercises.exercise import Exercise
from .kit.programs import worlds
from .kit.questions import pictures
from .kit.questions.question import Question
from .kit.questions.stages import SUPPOSED
from .kit.questions.tape import grid, measured, read_with, rows_of, tape

Ints = Sequence[int]


def fresh(shape: Ints) -> Tensor:
    """A new tensor whose numbers, 10, 20, 30 ..., cannot be mistaken for its slots."""
    return arange(1, zeros(shape).numel() + 1).mul(10).view(*shape)


# Which slot is t[i, j]?


def _a_cell(random: Random) -> dict[str, Any]:
    while True:
        rows, columns = random.randint(3, 6), random.randint(3, 6)
        i, j = random.randint(1, rows - 1), random.randint(0, columns - 1)
        if rows != columns and i != j and i * (columns - 1) != j * (rows - 1):
            return {"shape": (rows, columns), "index": (i, j)}


def _waiting(shape: Ints, index: Ints) -> Scene:
    """The numbers of t, and a line of slots with nothing in them."""
    return pictures.without(_drawn(fresh(shape)), "k0", "f0", "w", "hop*", blank="s*")


def _read_at(slot: int, shape: Ints, index: Ints) -> Scene:
    """t with the strides that lead its cell to a slot: what would be in the other cells then."""
    t, believed = fresh(shape), ((0, 1), (1, shape[0]), (shape[0], 1), (shape[1], 1))
    stride = next(stride for stride in believed if flat_index(index, stride, 0) == slot)
    read, cell, lit = [*slots(shape, stride, 0)], f"t[{index[0]}, {index[1]}]", f"a{index[0] * shape[1] + index[1]}"
    if stride == t.stride():
        return pictures.story(_drawn(t), (f"{cell} is slot {slot}, value {t[index].item()}.", lit))
    would = f"If this were so, t would have stride {stride}, and {cell} would read slot {slot}."
    if max(read) >= len(read):
        past = f"If this were so, the last cell would read slot {max(read)}: there are {len(read)} slots."
        return pictures.story(_drawn(t), (would, None), (past, None))
    seen = t.as_strided(shape, stride, 0)
    twice = next((n for n in sorted(read) if read.count(n) > 1), None)
    if twice is None:
        there, here = (", ".join(map(str, row.tolist())) for row in (seen[0], t[0]))
        absurd = f"If this were so, row 0 of t would be {there}. It is {here}."
        return pictures.story(_drawn(seen), (would, lit), (absurd, "a1"))
    many, left = read.count(twice), len(read) - len(set(read))
    shown = f"{many} cells would show the number of slot {twice}"
    absurd = f"If this were so, {shown}, and {left} of the {len(read)} numbers would be in no cell."
    return pictures.story(_drawn(seen), (would, lit), (absurd, f"s{twice}"))


def _drawn(t: Tensor, name: str = "t") -> Scene:
    return scene_of([source_of(t, name)], title=name)


which_slot = Question(
    case={"shape": (3, 4), "index": (1, 2)},
    another=_a_cell,
    ask=lambda shape, index: (
        f"t has shape {shape}. Its {shape[0] * shape[1]} numbers lie in one line of memory, in slots 0 to "
        f"{shape[0] * shape[1] - 1}. Which slot does t[{index[0]}, {index[1]}] read?"
    ),
    key=lambda shape, index: fresh(shape)[index].storage_offset(),
    misconceptions=(
        Misconception(
            "every row is a list of its own",
            "All rows share one line of slots, and those of the rows before come first.",
            lambda shape, index: index[1],
        ),
        Misconception(
            "columns are laid down first",
            "Rows are: neighbours in a row are neighbours in memory. Or did you count from 1? Slots begin at 0.",
            lambda shape, index: index[0] + index[1] * shape[0],
        ),
        Misconception(
            "to go down a row, skip as many slots as there are rows",
            "A row is as long as there are columns: that many slots lie between rows.",
            lambda shape, index: index[0] * shape[0] + index[1],
        ),
    ),
    why=lambda shape, index: (
        f"A row fills {shape[1]} slots, so {index[0]} whole row{'s come' if index[0] > 1 else ' comes'} first, "
        f"then {index[1]} cells: {worked(of_pairs([(index[0], shape[1]), index[1:]]))}."
    ),
    words=lambda slot: f"slot {slot}",
    locked=_waiting,
    played=_read_at,
    points=lambda slot, shape, index: f"s{slot}",
)


# What is the stride of t.T?


def _a_matrix(random: Random) -> dict[str, Any]:
    rows, columns = random.sample(range(2, 10), 2)
    return {"shape": (rows, columns)}


def _with_stride(stride: Ints, shape: Ints) -> Scene:
    """u as a reader with some strides would see it."""
    t, u = fresh(shape), fresh(shape).T
    if tuple(stride) == u.stride():
        return pictures.story(_drawn(u, "u"), ("u[1, 0] reads slot 1, to the right of u[0, 0] in t.", f"a{shape[0]}"))
    would, read = f"{SUPPOSED}, u[1, 0] would read slot {stride[0]}.", [*slots(u.shape, stride, 0)]
    if max(read) >= t.numel():
        past = f"{SUPPOSED}, the last cell of u would read slot {max(read)}: there are {t.numel()} slots."
        return pictures.story(_drawn(t), (would, None), (past, None))
    seen = t.as_strided(u.shape, stride, 0)
    there, here = (", ".join(map(str, row.tolist())) for row in (seen[0], t[:, 0]))
    below, so = f"a{shape[0]}", f"{SUPPOSED}, row 0 of u would be {there}. Column 0 of t is {here}."
    return pictures.story(_drawn(seen, "u"), (would, below), (so, "a1"))


stride_of_the_transpose = Question(
    case={"shape": (3, 4)},
    another=_a_matrix,
    ask=lambda shape: (
        f"t has shape {shape} and stride {contiguous_stride(shape)}. u = t.T has shape {shape[::-1]}. "
        f"What is u.stride()?"
    ),
    key=lambda shape: fresh(shape).T.stride(),
    misconceptions=(
        Misconception(
            "transposing writes the numbers down again in the new order",
            "Not one number moves: u reads the slots that t reads.",
            lambda shape: contiguous_stride(shape[::-1]),
        ),
        Misconception(
            "the stride belongs to the memory",
            "The memory is only a line. The stride belongs to the tensor that reads it, and u reads in another order.",
            lambda shape: contiguous_stride(shape),
        ),
        Misconception(
            "to go down a row, skip as many slots as there are rows",
            "It is as many slots as lie between one row and the next in memory.",
            lambda shape: (1, shape[0]),
        ),
    ),
    why=lambda shape: (
        f"A step down in u is a step to the right in t, 1 slot; a step to the right in u is a step down in t, "
        f"{shape[1]} slots. The axes change places, and their strides go with them."
    ),
    played=_with_stride,
)


# Given the tape and the grid, find shape, stride and offset.


def _a_slice(random: Random) -> dict[str, Any]:
    while True:
        rows, columns = random.randint(3, 4), random.randint(4, 6)
        top, left, step = random.randint(0, 1), random.randint(0, 1), random.randint(1, 2)
        gaps, high, wide = left or step > 1, rows - top, (columns - left + step - 1) // step
        if gaps and top + left > 0 and high != wide:
            numbers = tuple(random.sample(range(10, 100), rows * columns))
            flip = random.random() < 0.5
            return {"numbers": numbers, "rows": rows, "top": top, "left": left, "step": step, "flip": flip}


def _of(answer: Callable[[Tensor], Any]) -> Callable[..., Any]:
    """A function of the grid as one of a case."""
    return lambda **case: answer(grid(**case))


find_the_layout = Blanks(
    "find_the_layout",
    case={
        "numbers": (71, 18, 44, 90, 23, 65, 12, 87, 36, 59, 31, 78, 50, 14, 97),
        "rows": 3,
        "top": 1,
        "left": 0,
        "step": 2,
        "flip": False,
    },
    another=_a_slice,
    ask=lambda **case: (
        f"{tape(case['numbers'])}\n\n{rows_of('y', grid(**case).tolist())}\n\n"
        "y reads this storage. Find its shape, its stride and its storage offset."
    ),
    blanks={
        "shape": Blank(
            _of(lambda y: tuple(y.shape)),
            (
                Misconception(
                    "columns come before rows",
                    "The first number of a shape is dim 0: how many rows.",
                    _of(lambda y: tuple(y.shape)[::-1]),
                ),
            ),
        ),
        "stride": Blank(
            _of(lambda y: y.stride()),
            (
                Misconception(
                    "the stride of the last axis comes first",
                    "The order is that of the shape: stride[0] is a step down.",
                    _of(lambda y: y.stride()[::-1]),
                ),
                Misconception(
                    "the stride follows from the shape",
                    "That holds for a new tensor. A view steps over slots that it does not read.",
                    _of(lambda y: contiguous_stride(tuple(y.shape))),
                ),
                Misconception(
                    "the stride counts the slots in between",
                    "It counts the steps from slot to slot: a neighbour is 1 away.",
                    _of(lambda y: tuple(s - 1 for s in y.stride())),
                ),
                Misconception(
                    "the stride is in bytes",
                    "NumPy counts bytes; PyTorch counts slots.",
                    _of(lambda y: tuple(8 * s for s in y.stride())),
                ),
            ),
        ),
        "offset": Blank(
            _of(lambda y: y.storage_offset()),
            (
                Misconception(
                    "every tensor starts at slot 0",
                    "A view may start anywhere: the offset is the slot of its first cell.",
                    lambda **case: 0,
                ),
                Misconception(
                    "slots are counted from 1",
                    "The first slot is slot 0.",
                    _of(lambda y: y.storage_offset() + 1),
                ),
                Misconception(
                    "the offset is the first number",
                    "It is the place of the first number.",
                    _of(lambda y: y[0, 0].item()),
                ),
            ),
        ),
    },
    why=_of(measured),
    comes_of=read_with,
    hints=(
        "The shape is counted: rows, then columns. The offset is the slot of y[0, 0]: find its number in the storage.",
        "For the stride take two cells that are neighbours, find both there, and subtract their slots.",
        "stride[0] is one step down, from y[0, 0] to y[1, 0]; stride[1] is one step to the right, to y[0, 1].",
    ),
)


# Write the formula.


def _a_reading(random: Random) -> dict[str, Any]:
    rank = random.choice((0, 1, 2, 2, 3, 3, 4))
    stride = tuple(random.choice((0, 1, 2, 3, 5, 12, 20)) for _ in range(rank))
    return {
        "index": tuple(random.randint(0, 5) for _ in range(rank)),
        "stride": stride,
        "offset": random.randint(0, 30),
    }


slot_of = Exercise(
    "slot_of",
    example=lambda: {"index": (1, 2), "stride": (4, 1), "offset": 0},
    another=_a_reading,
    key=flat_index,
    model=models.slot_of,
    misconceptions=(
        Misconception(
            "every tensor starts at slot 0",
            "A view may start anywhere: add the offset.",
            lambda index, stride, offset: flat_index(index, stride),
        ),
        Misconception(
            "every step is one slot",
            "A step along an axis is as long as the stride of that axis says.",
            lambda index, stride, offset: offset + sum(index),
        ),
        Misconception(
            "the stride of the last axis comes first",
            "index[0] goes with stride[0].",
            lambda index, stride, offset: flat_index(index, stride[::-1], offset),
        ),
        Misconception(
            "a tensor has two axes",
            "It may have any number: add up one product for each.",
            lambda index, stride, offset: flat_index(index[:2], stride[:2], offset),
        ),
    ),
    form=borrows("storage_offset"),
    hints=(
        "Begin at the offset, the slot of the first cell.",
        "Each axis adds its index times its stride. There may be one axis, or four.",
        "zip(index, stride) gives the pairs: in a loop over them, add i * s.",
    ),
)


# Write the stride of a new tensor.


def _a_shape(random: Random) -> dict[str, Any]:
    return {"shape": tuple(random.randint(1, 6) for _ in range(random.choice((1, 2, 2, 3, 3, 4))))}


stride_of_new = Exercise(
    "stride_of_new",
    example=lambda: {"shape": (3, 4)},
    another=_a_shape,
    key=lambda shape: empty(shape).stride(),
    model=models.stride_of_new,
    misconceptions=(
        Misconception(
            "columns are laid down first",
            "torch.zeros and its like lay a tensor down row after row: the stride of the last axis is 1.",
            lambda shape: contiguous_stride(shape[::-1])[::-1],
        ),
        Misconception(
            "a step is as long as its own axis",
            "A step along an axis passes over everything that stands to its right, and nothing of its own.",
            lambda shape: tuple(_product(shape[d:]) for d in range(len(shape))),
        ),
        Misconception(
            "the stride is the size of the next axis",
            "It is the product of all sizes to the right.",
            lambda shape: (*shape[1:], 1)[: len(shape)],
        ),
    ),
    form=borrows("stride", "strides", "contiguous_stride", "make_contiguous_strides_for"),
    edges=lambda: ({"shape": (2, 0, 3)}, {"shape": ()}),
    hints=(
        "The last axis steps from a cell to its neighbour in memory: its stride is 1.",
        "A step along an axis passes over all cells to its right: how many are those?",
        "Go through the sizes from the last to the first, and keep the product of those that you have passed.",
    ),
)


def _product(sizes: Ints) -> int:
    n = 1
    for size in sizes:
        n *= size
    return n


# Which of these can be read in one go?


READINGS: dict[str, Callable[[Tensor], Tensor]] = {
    "t[1:]": lambda t: t[1:],
    "t[:2]": lambda t: t[:2],
    "t[::2]": lambda t: t[::2],
    "t[:, 1:]": lambda t: t[:, 1:],
    "t[:, :2]": lambda t: t[:, :2],
    "t.T": lambda t: t.T,
    "t.T[1:]": lambda t: t.T[1:],
    "t[1:].T": lambda t: t[1:].T,
    "t[0]": lambda t: t[0],
    "t[1]": lambda t: t[1],
    "t[:, 0]": lambda t: t[:, 0],
    "t[1:, 0]": lambda t: t[1:, 0],
}
Names = tuple[str, ...]


def _those(is_so: Callable[[Tensor], bool]) -> Callable[..., Names]:
    """The readings of a case of which something is so."""

    def those(shape: Ints, names: Names) -> Names:
        t = fresh(shape)
        return tuple(name for name in names if is_so(READINGS[name](t)))

    return those


def _leaves_none_out(view: Tensor) -> bool:
    """True if it reads slots in one piece, in any order."""
    found = sorted(slots(view.shape, view.stride(), view.storage_offset()))
    return found == list(range(found[0], found[0] + len(found)))


_contiguous = _those(Tensor.is_contiguous)
_from_start = _those(lambda view: view.storage_offset() == 0)
_unit_last = _those(lambda view: view.stride()[-1] == 1)
_gapless = _those(_leaves_none_out)


def _some_readings(random: Random) -> dict[str, Any]:
    while True:
        shape = tuple(random.sample(range(3, 8), 2))
        chosen = set(random.sample(sorted(READINGS), 5))
        case = {"shape": shape, "names": tuple(name for name in READINGS if name in chosen)}
        answers = {answer(**case) for answer in (_contiguous, _from_start, _unit_last, _gapless)}
        if len(answers) == 4 and () not in answers:
            return case


def _what_follows(answer: Names, shape: Ints, names: Names) -> Scene:
    """The slots in which some tensors jump, where it is believed that they do not, and the other way round."""
    right, t = _contiguous(shape, names), fresh(shape)
    if answer == right:
        return worlds.ran(*((f"the line that {name} reads", _few(READINGS[name](t))) for name in right))
    return worlds.world(*(_jump(name, READINGS[name](t)) for name in names if (name in answer) != (name in right)))


def _read_by(view: Tensor) -> list[int]:
    return [*slots(view.shape, view.stride(), view.storage_offset())]


def _few(view: Tensor, most: int = 6) -> str:
    read = _read_by(view)
    return ", ".join(map(str, read[:most])) + ", ..." * (len(read) > most)


def _jump(name: str, view: Tensor) -> worlds.Row:
    """The first jump of a tensor; one that has none is believed to have some."""
    read = _read_by(view)
    jump = next(((here, there) for here, there in pairwise(read) if there != here + 1), None)
    if jump is None:
        return worlds.row(f"the number of jumps in {name}", "1 or more", 0)
    return worlds.row(f"the slot behind {jump[0]} in {name}", jump[0] + 1, jump[1])


which_are_contiguous = Question(
    case={"shape": (3, 4), "names": ("t[1:]", "t[:, 1:]", "t.T", "t[0]", "t[:, 0]")},
    another=_some_readings,
    ask=lambda shape, names: (
        f"t has shape {shape} and is new. A tensor is contiguous when its cells, in order, lie in slots one "
        f"after the other. "
        f"Which are contiguous: {', '.join(names)}?"
    ),
    key=_contiguous,
    misconceptions=(
        Misconception(
            "contiguous means: starts at slot 0", "Where it starts does not matter; whether it jumps does.", _from_start
        ),
        Misconception(
            "contiguous means: the last stride is 1",
            "Within a row that is enough. At the end of a row it must not jump either.",
            _unit_last,
        ),
        Misconception(
            "contiguous means: no slot is left out",
            "The order counts too: t.T reads every slot, but not one after the other.",
            _gapless,
        ),
    ),
    why=lambda shape, names: (
        "Whole rows that follow each other lie in one piece; columns, and rows cut short, do not."
    ),
    words=lambda names: ", ".join(names),
    played=_what_follows,
)
