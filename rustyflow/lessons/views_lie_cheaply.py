"""Checks of lesson 02: which calls read old slots in a new way, and which make new ones."""

from collections.abc import Callable, Sequence
from random import Random
from typing import Any

from ..claims.claim import worked
from ..claims.digits import spell
from ..claims.tree import of_pairs, times
from ..errors import ArgumentValueError
from ..layout import flat_index
from ..ops.creation import arange, tensor
from ..scene import Figure, Frame, Scene, draw
from ..show.kit.cells import Cells
from ..show.source import source_of
from ..show.words.sentences import listed, many
from ..tensor import Tensor
from . import models
from .kit.answers.misconception import Misconception
from .kit.exercises.blanks import Blank, Blanks
from .kit.exercises.cases import numbers
from .kit.exercises.exercise import Exercise
from .kit.questions.grids import cells, grids, lit
from .kit.questions.question import Question
from .one_line_of_memory import fresh

Ints = Sequence[int]


def shares(a: Tensor, b: Tensor) -> bool:
    """True if two tensors read one storage."""
    return a.untyped_storage().data_ptr() == b.untyped_storage().data_ptr()


def _table(grid: Tensor) -> str:
    return "\n".join("  " + "".join(f"{number:>5}" for number in row) for row in grid.tolist())


# t.view(4, 3) or t.T: what is row 1?


def _a_grid(random: Random) -> dict[str, Any]:
    while True:
        rows, more = random.randint(2, 5), random.randint(1, 2)
        row = random.randint(1, rows - 1)
        if row * more < rows:  # what each belief says of the row has numbers in common with what is so
            numbers = tuple(random.sample(range(10, 100), rows * (rows + more)))
            return {"numbers": numbers, "rows": rows, "row": row}


def _row(grid: Tensor, row: int) -> Ints:
    return tuple(grid[row].tolist())


def _viewed(numbers: Ints, rows: int) -> Tensor:
    return tensor(numbers).view(-1, rows)


def _question_of_rows(numbers: Ints, rows: int, row: int) -> str:
    columns = len(numbers) // rows
    return (
        f"t has {rows} rows and {columns} columns:\n{_table(tensor(numbers).view(rows, columns))}\n"
        f"v = t.view({columns}, {rows}) has {columns} rows and {rows} columns. What is v[{row}]?"
    )


def _with_its_line(numbers: Ints, rows: int, row: int) -> Scene:
    return grids(("t", "t", tensor(numbers).view(rows, -1)), ("memory", "s", numbers), tape="s")


def _cut(answer: Ints, numbers: Ints, rows: int, row: int) -> Scene:
    """The line of t, and v as it would be if its row were the answer."""
    t, v = tensor(numbers).view(rows, -1), _viewed(numbers, rows)
    columns, begin, own = t.shape[1], row * rows, [*range(row * rows, row * rows + rows)]

    def drawn(seen: Tensor, *frames: Any) -> Scene:
        return grids(("t", "t", t), ("v", "v", seen), ("memory", "s", numbers), frames=frames, tape="s")

    if answer == _row(v, row):
        first = worked(times(row, rows))
        sentence = f"v[{row}] begins with slot {first}, and reads slots {begin} to {begin + rows - 1}."
        return drawn(v, lit(sentence, *cells("v", own), *cells("s", own)))
    if answer == _row(t.T, row):
        read = [*range(row, len(numbers), columns)]
        would = f"If this were so, v[{row}] would read slots {listed([*map(str, read)])}: column {row} of t."
        absurd = "If this were so, v would be t.T, cell for cell, and view another name for it."
        return drawn(t.T, lit(would, *cells("v", own), *cells("s", read)), lit(absurd))
    if answer == _row(t[:, :rows], row):
        read = [*range(row * columns, row * columns + rows)]
        left = [n for n in range(len(numbers)) if n % columns >= rows]
        would = f"If this were so, v[{row}] would read slots {read[0]} to {read[-1]}."
        lost = listed([f"slot {n}" for n in left])
        absurd = f"If this were so, no row of v would read {lost}. v has a cell for each number."
        return drawn(t[:, :rows], lit(would, *cells("v", own), *cells("s", read)), lit(absurd, *cells("s", left)))
    before = [n - rows for n in own]
    would = f"If this were so, v[{row}] would read slots {before[0]} to {before[-1]}."
    absurd = (
        f"If this were so, the last row would be v[{columns}]. That is an error: the rows are v[0] to v[{columns - 1}]."
    )
    last = range(len(numbers) - rows, len(numbers))
    return drawn(v, lit(would, *cells("v", before), *cells("s", before)), lit(absurd, *cells("v", last)))


row_of_a_view = Question(
    case={"numbers": tuple(range(10, 130, 10)), "rows": 3, "row": 1},
    another=_a_grid,
    ask=_question_of_rows,
    key=lambda numbers, rows, row: _row(_viewed(numbers, rows), row),
    misconceptions=(
        Misconception(
            "view turns rows into columns",
            "To turn rows into columns is what t.T does. view takes the numbers as they come, row after row.",
            lambda numbers, rows, row: _row(tensor(numbers).view(rows, -1).T, row),
        ),
        Misconception(
            "view cuts each row to its new length",
            "No number is left out, and none changes its place in the line.",
            lambda numbers, rows, row: _row(tensor(numbers).view(rows, -1)[:, :rows], row),
        ),
        Misconception(
            "rows are counted from 1",
            "From 0: v[1] is the second row.",
            lambda numbers, rows, row: _row(_viewed(numbers, rows), row - 1),
        ),
    ),
    why=lambda numbers, rows, row: (
        f"Take the numbers of t row after row, and begin a new row after every {rows}. "
        f"Row {row} begins with slot {worked(times(row, rows))}."
    ),
    words=lambda row: " ".join(map(str, row)),
    locked=_with_its_line,
    played=_cut,
    points=lambda answer, numbers, rows, row: f"s{numbers.index(answer[0])}",
)


# Read off the figure: one slot, three names.


def _a_place(random: Random) -> dict[str, Any]:
    while True:
        rows, columns = random.sample(range(2, 6), 2)
        cell = random.randrange(columns), random.randrange(rows)
        slot, by_old_stride = cell[0] * rows + cell[1], cell[0] * columns + cell[1]
        found = divmod(slot, columns)
        three = {cell, found, found[::-1], cell[::-1]}
        if len(three) == 4 and by_old_stride not in (slot, slot + 1):
            return {"shape": (rows, columns), "cell": cell}


def _slot(shape: Ints, cell: Ints) -> int:
    return fresh(shape).view(*shape[::-1])[tuple(cell)].storage_offset()


ROWS = "A row of v is shorter or longer than one of t, so the same place has another index."

three_names = Blanks(
    "three_names",
    case={"shape": (3, 4), "cell": (2, 0)},
    another=_a_place,
    ask=lambda shape, cell: (
        f"t = torch.arange(10, {10 * shape[0] * shape[1] + 10}, 10).view{shape}\n"
        f"v = t.view{shape[::-1]}\nu = t.T\n\n"
        f"slot   the slot that v[{cell[0]}, {cell[1]}] reads\n"
        f"in_t   the index of the cell of t that reads this slot\n"
        f"in_u   the index of the cell of u that reads it"
    ),
    blanks={
        "slot": Blank(
            _slot,
            (
                Misconception(
                    "v has the stride of t",
                    "Count along v: one step down leads as many slots on as a row of v is long.",
                    lambda shape, cell: cell[0] * shape[1] + cell[1],
                ),
                Misconception(
                    "slots are counted from 1", "The first slot is slot 0.", lambda shape, cell: _slot(shape, cell) + 1
                ),
            ),
        ),
        "in_t": Blank(
            lambda shape, cell: divmod(_slot(shape, cell), shape[1]),
            (
                Misconception("a cell keeps its index in a view", ROWS, lambda shape, cell: tuple(cell)),
                Misconception(
                    "view turns rows into columns",
                    "Only u has its two indices swapped. Find the slot first.",
                    lambda shape, cell: tuple(cell)[::-1],
                ),
            ),
        ),
        "in_u": Blank(
            lambda shape, cell: divmod(_slot(shape, cell), shape[1])[::-1],
            (
                Misconception(
                    "view turns rows into columns",
                    "v and u have the same shape, and read the slots in another order.",
                    lambda shape, cell: tuple(cell),
                ),
                Misconception(
                    "a transpose keeps the index",
                    "It swaps the two: u[i, j] is t[j, i].",
                    lambda shape, cell: divmod(_slot(shape, cell), shape[1]),
                ),
            ),
        ),
    },
    why=lambda shape, cell: (
        f"A row of v is {shape[0]} slots long: {worked(of_pairs([(cell[0], shape[0]), cell[1:]]))}. A row of t "
        f"is {shape[1]} slots long, so slot {_slot(shape, cell)} is t{list(divmod(_slot(shape, cell), shape[1]))}. "
        "For u, swap the two."
    ),
    hints=(
        "All three read one storage, row after row of t. For v count along its own rows, which have another length.",
        "In t a step down is a row of slots. How many whole rows of t fit into the slot, and what is left over?",
        "u is t.T: what is row and column in t is column and row in u.",
    ),
)


# A slice, a list, += and = +: what is t[i, 0] now?

Lines = tuple[tuple[str, int], ...]


def _some_lines(random: Random) -> dict[str, Any]:
    while True:
        by = random.sample([step for step in range(-9, 10) if step], 3)
        sums = {0, by[0], by[0] + by[1], by[0] + by[2], sum(by)}
        if len(sums) == 5:
            lines = [("a +=", by[0]), ("a = a +", by[2])]
            lines.insert(random.randint(0, 2), ("b +=", by[1]))
            return {"row": random.randint(0, 2), "lines": tuple(lines)}


def _grown(row: int, lines: Lines) -> int:
    s = fresh((3, 4))
    a, b = s[row : row + 1], s[[row]]
    for line, by in lines:
        if line == "a +=":
            a += by
        elif line == "b +=":
            b += by
        else:
            a = a + by
    return int(s[row, 0])


def _with(*counted: str) -> Callable[..., int]:
    """The first number of the row, for one who lets these lines write to s."""
    return lambda row, lines: int(fresh((3, 4))[row, 0]) + sum(by for line, by in lines if line in counted)


def _written(line: str, by: int) -> str:
    return f"{line} {by}" if by > 0 else f"{line} {-by}".replace("+", "-")


def _believed(value: int, row: int, lines: Lines) -> Scene:
    """s as it would be with this number, and what else would have to be so."""
    s = fresh((3, 4))
    s[row] += value - int(s[row, 0])
    read = cells("s", range(4 * row, 4 * row + 4))
    if value == _grown(row, lines):
        by = dict(lines)
        b = fresh((3, 4))[row : row + 1] + by["b +="]
        a = s[row : row + 1] + by["a = a +"]
        sentence = (
            f"{_written('a +=', by['a +='])} wrote into row {row} of s. a, as it is now, and b have slots of their own."
        )
        return grids(("s", "s", s), ("a", "a", a), ("b", "b", b), frames=[lit(sentence, *read)])
    absurd = {
        _with("a +=", "b +=")(
            row, lines
        ): "b would read slots of s by a stride. For s[[2, 0, 0]] it would have to lead from "
        "row 2 to row 0, and then nowhere.",
        _with("a +=", "a = a +")(
            row, lines
        ): f"= would write into s, and a new number for a would stand in each cell of row {row}.",
        _with()(row, lines): f"a slice would have slots of its own. But s[{row}:{row + 1}].data_ptr() is the place of "
        f"s[{row}, 0].",
    }.get(value, "all that is worked out from a part of s would be written to s, and nothing could be kept beside it.")
    would = f"If this were so, row {row} of s would be {', '.join(str(n) for n in s[row].tolist())}."
    return grids(("s", "s", s), frames=[lit(would, *read), lit(f"If this were so, {absurd}", *read)])


what_is_written = Question(
    case={"row": 1, "lines": (("a +=", 5), ("b +=", 3), ("a = a +", 1))},
    another=_some_lines,
    ask=lambda row, lines: (
        f"s has 3 rows of 4 numbers:\n{_table(fresh((3, 4)))}\nThese lines run:\n  a = s[{row}:{row + 1}]\n"
        f"  b = s[[{row}]]\n" + "".join(f"  {_written(*line)}\n" for line in lines) + f"What is s[{row}, 0] now?"
    ),
    key=_grown,
    misconceptions=(
        Misconception(
            "a slice and a list index behave alike",
            "A slice is a view. A list may name any rows in any order, which no stride can follow: b is a copy.",
            _with("a +=", "b +="),
        ),
        Misconception(
            "x = x + 1 is x += 1",
            "What stands right of = makes a new tensor, and = gives it the name a. What a was before stays as it is.",
            _with("a +=", "a = a +"),
        ),
        Misconception(
            "an index makes a copy",
            "A list does. A slice is a view: a reads slots of s.",
            _with(),
        ),
        Misconception(
            "what is done to a part of s is done to s",
            "Only what is written into slots of s. b has slots of its own, and so has what stands right of =.",
            _with("a +=", "b +=", "a = a +"),
        ),
    ),
    why=lambda row, lines: (
        f"Only {_written('a +=', dict(lines)['a +='])} writes into a slot of s. b is a copy, and a = ... makes a new "
        "tensor."
    ),
    locked=lambda row, lines: grids(("s", "s", fresh((3, 4)))),
    played=_believed,
)


# Which of five calls make new slots?

RESHAPED: dict[str, Callable[[Tensor], Tensor]] = {
    "t.reshape(2, 6)": lambda t: t.reshape(2, 6),
    "t.reshape(12)": lambda t: t.reshape(12),
    "t[1:].reshape(4, 2)": lambda t: t[1:].reshape(4, 2),
    "t.T.reshape(2, 6)": lambda t: t.T.reshape(2, 6),
    "t.T.reshape(12)": lambda t: t.T.reshape(12),
    "t[:, 1:].reshape(9)": lambda t: t[:, 1:].reshape(9),
}
INDEXED: dict[str, Callable[[Tensor], Tensor]] = {
    "t[:, 1:]": lambda t: t[:, 1:],
    "t[::2]": lambda t: t[::2],
    "t[2]": lambda t: t[2],
    "t[[0, 2]]": lambda t: t[[0, 2]],
    "t[[1]]": lambda t: t[[1]],
    "t[:, [0, 1]]": lambda t: t[:, [0, 1]],
}
OTHERS: dict[str, Callable[[Tensor], Tensor]] = {
    "t.T": lambda t: t.T,
    "t.view(6, 2)": lambda t: t.view(6, 2),
    "t + 0": lambda t: t + 0,
    "t.clone()": lambda t: t.clone(),
}
CALLS = RESHAPED | INDEXED | OTHERS
PLACES = "first", "second", "third", "fourth", "fifth"


def _five(random: Random) -> dict[str, Any]:
    calls = *random.sample([*RESHAPED], 2), *random.sample([*INDEXED], 2), random.choice([*OTHERS])
    return {"calls": calls}


def _allocates(call: str) -> bool:
    t = fresh((3, 4))
    return not shares(t, CALLS[call](t))


def _blank(place: int, belief: str, truth: str) -> Blank:
    return Blank(
        lambda calls: _allocates(calls[place]),
        (Misconception(belief, truth, lambda calls: not _allocates(calls[place])),),
    )


RESHAPE = (
    "reshape always copies, or never",
    "Write down the slots in the order asked for. If strides can follow them it is a view, if not it has to copy.",
)
INDEX = (
    "a slice and a list index behave alike",
    "The cells of a slice, or of one row, can be found by strides. A list may name rows in any order: it copies.",
)

which_allocate = Blanks(
    "which_allocate",
    case={"calls": ("t[1:].reshape(4, 2)", "t[:, 1:].reshape(9)", "t[::2]", "t[:, [0, 1]]", "t.view(6, 2)")},
    another=_five,
    ask=lambda calls: (
        "t has shape (3, 4) and is new. Which of these make new slots? True, or False, for each.\n\n"
        + "\n".join(f"{place:<7} {call}" for place, call in zip(PLACES, calls, strict=True))
    ),
    blanks={
        "first": _blank(0, *RESHAPE),
        "second": _blank(1, *RESHAPE),
        "third": _blank(2, *INDEX),
        "fourth": _blank(3, *INDEX),
        "fifth": _blank(
            4,
            "equal numbers are the same memory, and another shape is other memory",
            "Neither tells. T and view are new readings of old slots; +, and clone, write what they find out anew.",
        ),
    },
    why=lambda calls: (
        f"New slots are made by {', '.join(filter(_allocates, calls)) or 'none of them'}. "
        "The slots of the others can be found by strides in the storage of t."
    ),
    hints=(
        "Ask of each: can its numbers be reached in the storage of t by an offset and one stride an axis?",
        "reshape is a view where strides can tell the new shape, and copies where they cannot. Think of t.T.",
        "Slices have an even step, a list of rows has none. What is computed is written into new slots.",
    ),
)


# Repair a scrambled picture.

INKED = 64
"""The most rows and columns of a picture that is drawn as ink."""


def ink(picture: Any) -> Figure | None:
    """The picture in shades: the greater a number, the more ink in its cell.

    Args:
        picture: a tensor of two axes, of at most 64 rows and columns; None, which a function gives that is not written
            yet, has no picture.

    Raises:
        TypeError: something that is no tensor. ValueError: another number of axes, or too many cells.

    >>> print(ink(tensor([[8, 0], [0, 8]])))
    2 rows, 2 columns
      row 0: 8 0
      row 1: 0 8
    1. The greater a number, the more ink in its cell.
    """
    if picture is None:
        return None
    source = source_of(picture, "picture")
    if len(source.shape) != 2 or max(source.shape) > INKED or not source.numel:
        rule = f"ink draws rows and columns, of each 1 to {INKED}"
        raise ArgumentValueError(f"a picture of shape {source.shape}", rule, "ink(line.view(7, 5))")
    (rows, columns), side = source.shape, draw.LITTLE if max(source.shape) <= 12 else draw.SPECK
    places = {(i, j): (draw.LEFT + (side + 1) * j, 8 + (side + 1) * i) for i in range(rows) for j in range(columns)}
    values = source.read([flat_index(cell, source.stride, source.offset) for cell in places])
    lines = (" ".join(map(spell, values[row * columns : (row + 1) * columns])) for row in range(rows))
    about = tuple(f"row {row}: {line}" for row, line in enumerate(lines))
    shapes, frames = Cells("p", places).dots(values, side), (Frame("The greater a number, the more ink in its cell."),)
    title = f"{many(rows, 'row')}, {many(columns, 'column')}"
    return Figure(Scene(title, 860, 24 + (side + 1) * rows, tuple(shapes), frames, about=about))


def _a_line(random: Random) -> dict[str, Any]:
    rows, columns = random.sample(range(1, 7), 2)
    return {"line": numbers(random, rows * columns), "rows": rows, "columns": columns}


def _copies(function: Callable[..., Tensor]) -> str:
    line = arange(6)
    if shares(function(line, 2, 3), line):
        return ""
    return "it copies the numbers, and a view is enough. They all lie in the line already: find a reading of it"


unscramble = Exercise(
    "unscramble",
    example=lambda: {"line": tensor([7, 4, 1, 8, 2, 9]), "rows": 2, "columns": 3},
    another=_a_line,
    key=lambda line, rows, columns: line.view(columns, rows).T,
    model=models.unscramble,
    misconceptions=(
        Misconception(
            "view turns rows into columns",
            "view cuts the line into rows. Here a stretch of the line is a column.",
            lambda line, rows, columns: line.view(rows, columns),
        ),
        Misconception(
            "the transpose repairs whatever was cut before it",
            "Transposing swaps the sizes too. Cut the line into stretches that are as long as a column.",
            lambda line, rows, columns: line.view(rows, columns).T,
        ),
        Misconception(
            "with the right stretches it is done",
            "Each stretch is a row now, and should be a column.",
            lambda line, rows, columns: line.view(columns, rows),
        ),
        Misconception(
            "reshape brings back the right shape without harm",
            "The shape is right, and the numbers are in the wrong cells: reshape takes them row after row.",
            lambda line, rows, columns: line.view(rows, columns).T.reshape(rows, columns),
        ),
    ),
    form=_copies,
    edges=lambda: ({"line": tensor([]), "rows": 0, "columns": 3}, {"line": tensor([]), "rows": 3, "columns": 0}),
    hints=(
        "Which numbers of the line belong to column 0? They stand beside each other: how many are there?",
        "view cuts a line into rows. Cut it into stretches that are as long as a column is.",
        "Each stretch is a row now, and should be a column: .T turns the one into the other, and copies nothing.",
    ),
)
