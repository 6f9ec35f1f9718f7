"""Checks of lesson 03: broadcasting does not copy."""

from collections.abc import Sequence
from math import prod
from random import Random
from typing import Any

from ..claims.claim import equation, worked
from ..claims.tree import times
from ..layout import contiguous_stride, expand
from ..ops.creation import arange, ones, zeros
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

Ints = Sequence[int]
Outcome = tuple[int, tuple[tuple[int, ...], ...]]
FLOAT32 = 4
ERROR = "nothing: an error comes instead"


# e = x.expand(3, 4); e[i, j] = 5: what changes?


def _a_write(random: Random) -> dict[str, Any]:
    rows, columns = random.sample(range(2, 7), 2)
    return {"shape": (rows, columns), "cell": (random.randrange(rows), random.randrange(columns))}


def _write(shape: Ints, cell: Ints) -> Outcome:
    """The number of cells of x that changed, and which of e."""
    x = zeros(shape[0], 1)
    e = x.expand(*shape)
    e[tuple(cell)] = 5
    in_x = sum(row != [0.0] for row in x.tolist())
    return in_x, tuple((i, j) for i, row in enumerate(e.tolist()) for j, value in enumerate(row) if value)


def _what_changed(outcome: Outcome | str) -> str:
    if isinstance(outcome, str):
        return outcome
    in_x, in_e = outcome
    first = in_e[0]
    cells = f"e[{first[0]}, {first[1]}]" if len(in_e) == 1 else f"all {len(in_e)} cells of row {first[0]} of e"
    return f"{cells}, and x[{first[0]}, 0]" if in_x else f"{cells}, and nothing in x"


def _after_it(outcome: Outcome | str, shape: Ints, cell: Ints) -> Scene:
    """x and e once the cell is written, as somebody believes that they are laid out."""
    x = arange(1.0, shape[0] + 1).mul(10).view(shape[0], 1)
    where, e = f"e[{cell[0]}, {cell[1]}]", x.expand(*shape)
    id = f"b{cell[0] * shape[1] + cell[1]}"
    if isinstance(outcome, str):
        one = f"If this were so, the slot that {where} reads could be read and not written."
        stays = f"If this were so, {where} would stay {e[tuple(cell)].item():g}."
        return pictures.story(_seen(x, e), (stays, id), (one, id))
    if not outcome[0]:
        e = e.clone() if len(outcome[1]) == 1 else x.clone().expand(*shape)
    e[tuple(cell)] = 5
    if outcome[0]:
        so = f"{equation(where, 5)} was written into the slot of x[{cell[0]}, 0]. It holds 5 now."
        return pictures.story(_seen(x, e), (so, id))
    own = f"{e.untyped_storage().nbytes() // FLOAT32} slots of its own"
    would = f"If this were so, e would have {own}, and x would keep its numbers."
    stride = x.expand(*shape).stride()
    begins = f"If this were so, e.data_ptr() would not be x.data_ptr(). It is, and e.stride() is {stride}."
    return pictures.story(_seen(x, e), (would, id), (begins, "a0"))


def _seen(x: Tensor, e: Tensor) -> Scene:
    scene = scene_of([source_of(x, "x"), source_of(e, "e")], title="x, e")
    return pictures.raised(scene, "k0", "k1", by=64)  # without the facts, which would push it out of sight


what_changes = Question(
    case={"shape": (3, 4), "cell": (0, 0)},
    another=_a_write,
    ask=lambda shape, cell: (
        f"x has shape ({shape[0]}, 1), and e = x.expand{shape}. Now e[{cell[0]}, {cell[1]}] = 5 is run. What changes?"
    ),
    key=_write,
    misconceptions=(
        Misconception(
            "broadcasting copies",
            "expand copies nothing: e has no memory of its own to write to.",
            lambda shape, cell: (0, (tuple(cell),)),
        ),
        Misconception(
            "each row of e is a copy that its cells share",
            "There is one storage, and x reads it too.",
            lambda shape, cell: (0, tuple((cell[0], j) for j in range(shape[1]))),
        ),
        Misconception(
            "an expanded tensor can only be read",
            "NumPy makes it read-only, PyTorch does not: e[i, j] names one slot, and that slot can be written.",
            lambda shape, cell: ERROR,
        ),
    ),
    why=lambda shape, cell: (
        f"The {shape[1]} cells of row {cell[0]} of e read one slot, which is also that of x[{cell[0]}, 0]. "
        "The slot holds 5 now, whoever reads it."
    ),
    words=_what_changed,
    played=_after_it,
)


# e += 1: what becomes of x?


def _a_stretch(random: Random) -> dict[str, Any]:
    return {"shape": tuple(random.sample(range(2, 7), 2))}


def _add_one(shape: Ints) -> int | str:
    """By how much each number of x grew, or that there was an error."""
    x = zeros(shape[0], 1)
    e = x.expand(*shape)
    try:
        e += 1
    except RuntimeError:
        return ERROR
    return int(x[0, 0].item())


def _growth(outcome: int | str) -> str:
    if isinstance(outcome, str):
        return outcome
    return f"every number of x grows by {outcome}" if outcome else "e grows by 1, and x stays as it is"


def _who_writes_when(outcome: int | str, shape: Ints) -> Scene:
    """The numbers of x that two orders of writing would leave, or the memory that a copy would have."""
    x = arange(10, 10 * shape[0] + 10, 10).view(-1, 1)
    e = x.expand(*shape)
    if isinstance(outcome, str):
        return worlds.ran(("e.stride()", e.stride()), ("x[1, 0], as before", x[1, 0]))
    if not outcome:
        copy = e.clone()
        same_place = worlds.tried("e.data_ptr() == x.data_ptr()", copy.data_ptr() == x.data_ptr(), e=e, x=x)
        return worlds.world(same_place, worlds.tried("e.stride()", copy.stride(), e=e))
    start = x[1, 0].item()
    read_first = [start + 1 for _ in range(shape[1])][-1]
    in_turn = start
    for _ in range(shape[1]):
        in_turn += 1
    return worlds.world(
        worlds.row(f"{start} (all read, then all write)", start + outcome, read_first),
        worlds.row(f"{start} (each reads what the last one wrote)", start + outcome, in_turn),
        head="in this order",
        comes="Nothing says which order: in this one it would be",
    )


add_one_in_place = Question(
    case={"shape": (3, 4)},
    another=_a_stretch,
    ask=lambda shape: f"x has shape ({shape[0]}, 1), and e = x.expand{shape}. Now e += 1 is run. What changes?",
    key=_add_one,
    misconceptions=(
        Misconception(
            "broadcasting copies",
            "expand copies nothing: e has no memory of its own that could grow.",
            lambda shape: 0,
        ),
        Misconception(
            "each number is there once, so it gets 1 once",
            "e has several cells for it, and the statement says that each of them gets 1.",
            lambda shape: 1,
        ),
        Misconception(
            "each cell adds its 1 to the slot",
            "That would need the cells to take turns. Nothing says that they do: it would be a matter of luck.",
            lambda shape: shape[1],
        ),
    ),
    why=lambda shape: (
        f"{shape[1]} cells would write to one slot. By how much it grows would depend on who writes when, "
        "so the statement is refused."
    ),
    words=_growth,
    played=_who_writes_when,
)


# How many bytes does the expanded tensor keep in memory?


def _a_column(random: Random) -> dict[str, Any]:
    rows = random.randint(2, 6)
    return {"rows": rows, "columns": random.choice((100, 500, 1000, 2000))}


def _stored(many: int, rows: int, columns: int) -> Scene:
    """The picture of a write into one cell of e, where e is stored in so many bytes."""
    kept = {1: (1, 1), columns: (1, columns), rows * columns: (rows, columns), rows: (rows, 1)}[many // FLOAT32]
    lines = ("e[0, 0]", "e[1, 0]", "e[1, 1]")
    real, e = (ones(*size).expand(rows, columns) for size in ((rows, 1), kept))
    for stretched in (real, e):
        stretched[1, 0] = 7
    if kept == (rows, 1):
        return worlds.ran(*((line, worlds.runs(line, e=real)) for line in lines))
    write = worlds.Row("e[1, 0].fill_(7)", "")
    return worlds.world(write, *(worlds.tried(line, worlds.runs(line, e=e), e=real) for line in lines))


how_many_bytes = Question(
    case={"rows": 3, "columns": 1000},
    another=_a_column,
    ask=lambda rows, columns: (
        f"x = torch.ones({rows}, 1) holds {rows} float32 numbers of {FLOAT32} bytes each. e = x.expand({rows}, "
        f"{columns}) has "
        f"{rows * columns:,} cells. How many bytes of numbers does e have in memory?"
    ),
    key=lambda rows, columns: ones(rows, 1).expand(rows, columns).untyped_storage().nbytes(),
    misconceptions=(
        Misconception(
            "broadcasting copies",
            "e reads the storage of x, over and over. No new number is stored.",
            lambda rows, columns: rows * columns * FLOAT32,
        ),
        Misconception(
            "one row is stored, and repeated",
            "It is the one number of each row of x that is repeated along that row.",
            lambda rows, columns: columns * FLOAT32,
        ),
        Misconception(
            "all cells are equal, so one number is enough",
            "Storage does not look at values: x has a slot for each of its cells, and e reads them all.",
            lambda rows, columns: FLOAT32,
        ),
    ),
    why=lambda rows, columns: (
        f"e reads the storage of x: {rows} numbers of {FLOAT32} bytes are {rows * FLOAT32} bytes."
    ),
    words=lambda n: f"{n:,} bytes",
    played=_stored,
)


# The core exercise: strides, bytes stored, bytes of a copy.


def _a_block(random: Random) -> dict[str, Any]:
    """Operands that both lack the first axis: b lacks the second too, where a's size is 1."""
    k, m, n, p = random.sample(range(2, 8), 4)
    a, b, size = random.choice((
        ((m, 1), (n,), (k, m, n)),
        ((1, n), (n,), (k, m, n)),
        ((m, 1, p), (p,), (k, m, n, p)),
        ((m, n, 1), (n, p), (k, m, n, p)),
        ((1, n, p), (n, p), (k, m, n, p)),
    ))
    return {"a": a, "b": b, "size": size}


def _stretched(shape: Ints, size: Ints) -> tuple[int, ...]:
    return zeros(shape).expand(size).stride()


def _left_aligned(shape: Ints, size: Ints) -> tuple[int, ...]:
    own = tuple(0 if n == 1 else step for n, step in zip(shape, contiguous_stride(shape)))
    return own + (0,) * (len(size) - len(shape))


def _bytes(numbers: int) -> int:
    return numbers * FLOAT32


COPIES = "broadcasting copies"
NO_NEW = "Expanding makes no new tensor. Where the same number is read again, the stride is 0."
ONE = "A step of 1 goes to the next slot. To read the same slot again, go 0."
BYTES = f"A float32 takes {FLOAT32} bytes."


def _why_these(a: Ints, b: Ints, size: Ints) -> str:
    axes = [f"dim {d}" for d, (step, n) in enumerate(zip(_stretched(a, size), size)) if step == 0]
    return (
        f"What is new or stretched is read again: stride 0. That is {' and '.join(axes)} of a, and the "
        f"{'two axes' if len(size) - len(b) == 2 else 'three axes'} in front of b. The other axes step as they did. "
        f"b stores {prod(b)} numbers of {FLOAT32} bytes: {_bytes(prod(b))}. A new tensor has {prod(size)} numbers: "
        f"{worked(times(prod(size), FLOAT32))} bytes."
    )


strides_and_bytes = Blanks(
    "strides_and_bytes",
    case={"a": (3, 1), "b": (4,), "size": (2, 3, 4)},
    another=_a_block,
    ask=lambda a, b, size: (
        f"a has shape {a} and b has shape {b}, both float32: {FLOAT32} bytes a number.\n"
        f"Both are new, and both are expanded to {size}.\n\n"
        f"stride_a   the stride of a.expand{size}\n"
        f"stride_b   the stride of b.expand{size}\n"
        f"stored     the bytes that the numbers of b take in memory\n"
        f"copied     the bytes that a new tensor of shape {size} would take"
    ),
    blanks={
        "stride_a": Blank(
            lambda a, b, size: _stretched(a, size),
            (
                Misconception(COPIES, NO_NEW, lambda a, b, size: contiguous_stride(size)),
                Misconception(
                    "every step is at least one slot",
                    ONE,
                    lambda a, b, size: tuple(max(step, 1) for step in _stretched(a, size)),
                ),
                Misconception(
                    "only new axes have stride 0",
                    "So has an axis of size 1 that is stretched.",
                    lambda a, b, size: (0, *contiguous_stride(size[1:])),
                ),
                Misconception(
                    "new axes come behind",
                    "Shapes are aligned from the right, so the new axis comes in front.",
                    lambda a, b, size: _left_aligned(a, size),
                ),
                Misconception(
                    "the axis of size 1 is the one that moves",
                    "The other way round: an axis of size 1 has one slot, so a step along it goes nowhere.",
                    lambda a, b, size: (0, *(int(n == 1) for n in a)),
                ),
            ),
        ),
        "stride_b": Blank(
            lambda a, b, size: _stretched(b, size),
            (
                Misconception(COPIES, NO_NEW, lambda a, b, size: contiguous_stride(size)),
                Misconception(
                    "every step is at least one slot",
                    ONE,
                    lambda a, b, size: tuple(max(step, 1) for step in _stretched(b, size)),
                ),
                Misconception(
                    "only the first axis is new",
                    "Count the axes of b: all that it lacks are new, and a new axis has stride 0.",
                    lambda a, b, size: (0, *contiguous_stride(size[1:])),
                ),
                Misconception(
                    "shapes are aligned from the left",
                    "From the right: the last axes meet, and the new axes come in front.",
                    lambda a, b, size: _left_aligned(b, size),
                ),
            ),
        ),
        "stored": Blank(
            lambda a, b, size: zeros(b).expand(size).untyped_storage().nbytes(),
            (
                Misconception(COPIES, "No number is stored twice.", lambda a, b, size: _bytes(prod(size))),
                Misconception("a number is a byte", BYTES, lambda a, b, size: prod(b)),
                Misconception(
                    "stored means the numbers of both tensors",
                    "Here it means those of b alone. a has a storage of its own.",
                    lambda a, b, size: _bytes(prod(a) + prod(b)),
                ),
            ),
        ),
        "copied": Blank(
            lambda a, b, size: zeros(size).nbytes,
            (
                Misconception("a number is a byte", BYTES, lambda a, b, size: prod(size)),
                Misconception("sizes add up", "Multiply them.", lambda a, b, size: _bytes(sum(size))),
                Misconception(
                    "a new tensor takes what is stored now",
                    "A new tensor has a slot for every cell.",
                    lambda a, b, size: _bytes(prod(b)),
                ),
            ),
        ),
    },
    why=_why_these,
    hints=(
        "Write the shapes below each other, aligned from the right. Which axes are new, which are stretched?",
        "A new or a stretched axis reads the same numbers again: its stride is 0. Any other keeps the stride it had.",
        f"Stored is what b has slots for, copied what the new shape has cells for; a number takes {FLOAT32} bytes.",
    ),
)


# Write expand's stride.


def _an_expansion(random: Random) -> dict[str, Any]:
    size = tuple(random.randint(2, 5) for _ in range(random.choice((1, 2, 2, 3, 3, 4))))
    kept = random.randint(0 if random.random() < 0.2 else 1, len(size))
    new = len(size) - kept
    size = tuple(n if d < new or random.random() < 0.8 else 1 for d, n in enumerate(size))  # some 1 stays a 1
    shape = tuple(random.choice((1, n, n)) for n in size[new:])
    stride = contiguous_stride(shape)
    if random.random() < 0.5:  # a view with gaps
        stride = tuple(step * random.choice((1, 2, 3)) for step in stride)
    if random.random() < 0.1:  # no axes at all
        shape = stride = size = ()
    elif shape and shape[-1] > 1 and random.random() < 0.1:  # and none of an axis
        shape, size = (*shape[:-1], 0), (*size[:-1], 0)
    return {"shape": shape, "stride": stride, "size": size}


def _as_if_copied(shape: Ints, stride: Ints, size: Ints) -> Ints:
    return contiguous_stride(tuple(size))


def _from_the_left(shape: Ints, stride: Ints, size: Ints) -> Ints:
    rest = len(size) - len(shape)
    return tuple(s if n == m else 0 for n, m, s in zip(shape, size, stride, strict=False)) + (0,) * rest


def _no_new_axes(shape: Ints, stride: Ints, size: Ints) -> Ints:
    wide = size[len(size) - len(shape) :]
    return tuple(s if n == m else 0 for n, m, s in zip(shape, wide, stride, strict=True))


def _every_one_repeats(shape: Ints, stride: Ints, size: Ints) -> Ints:
    return (0,) * (len(size) - len(shape)) + tuple(0 if n == 1 else s for n, s in zip(shape, stride, strict=True))


def _old_strides(shape: Ints, stride: Ints, size: Ints) -> Ints:
    return (0,) * (len(size) - len(shape)) + tuple(stride)


expanded_stride = Exercise(
    "expanded_stride",
    example=lambda: {"shape": (3, 1), "stride": (1, 1), "size": (3, 4)},
    another=_an_expansion,
    key=lambda shape, stride, size: expand(shape, stride, 0, size=size)[1],
    model=models.expanded_stride,
    misconceptions=(
        Misconception(COPIES, NO_NEW, _as_if_copied),
        Misconception(
            "shapes are aligned from the left",
            "They are aligned from the right; new axes come in front.",
            _from_the_left,
        ),
        Misconception(
            "an expanded tensor has the axes it had before",
            "size may be longer than shape: each axis in front is new, and needs a stride too.",
            _no_new_axes,
        ),
        Misconception(
            "only new axes have stride 0",
            "So has an axis of size 1 that is stretched.",
            _old_strides,
        ),
        Misconception(
            "every axis of size 1 has stride 0",
            "One that is stretched has. Where the size stays 1, so does the stride that was there.",
            _every_one_repeats,
        ),
        Misconception(
            "every axis of size 1 has stride 0",
            "One that is stretched has. And size may be longer than shape: new axes stand in front.",
            lambda shape, stride, size: _every_one_repeats(shape, stride, shape),
        ),
    ),
    form=borrows(
        *("stride", "strides", "expand", "expand_as", "broadcast_to", "broadcast_tensors", "broadcast_arrays"),
        *("as_strided", "empty_strided"),
    ),
    hints=(
        "Align from the right: size has len(size) - len(shape) axes more, and those are new, in front.",
        "An axis that repeats has stride 0: a new one in front, and one of size 1 that becomes larger.",
        "Any other axis keeps its stride. Also one of size 1 that stays 1.",
    ),
)
