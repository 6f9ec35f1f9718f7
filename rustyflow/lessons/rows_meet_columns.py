"""Checks of lesson 06: in a product of matrices rows meet columns, along an axis that goes."""

from collections.abc import Callable
from random import Random
from typing import Any

from ..dtype import float64
from ..ops.creation import ones, tensor, zeros
from ..scene import Scene
from ..show.words.sentences import many
from ..tensor import Tensor
from . import models
from .kit.answers.answer import astray, same, unfit
from .kit.answers.misconception import Misconception
from .kit.answers.multiplying import by_hand, looped
from .kit.exercises.blanks import Blank, Blanks
from .kit.exercises.cases import evenly, numbers
from .kit.exercises.exercise import Exercise
from .kit.programs import worlds
from .kit.questions import products
from .kit.questions.question import Question


def _table(rows: products.Rows, name: str) -> str:
    """Numbers in rows, for a text, with their name before the first."""
    return "\n".join(
        f"  {' ' if n else name}" + "".join(f"{value:>5}" for value in row) for n, row in enumerate(rows)
    )


def _sizes(*names: str) -> Callable[[Random], dict[str, int]]:
    """Makes cases of sizes that all differ."""
    return lambda random: dict(zip(names, random.sample(range(2, 10), len(names)), strict=True))


# One cell of a product.


def _two_tables(random: Random) -> dict[str, Any]:
    numbers = [n for n in range(-9, 10) if n]
    a = tuple(tuple(random.sample(numbers, 3)) for _ in range(2))
    b = tuple(tuple(random.sample(numbers, 4)) for _ in range(3))
    return {"a": a, "b": b, "row": random.randrange(2), "column": random.randrange(3)}


one_cell = Question(
    case={"a": ((2, 5, 1), (4, 3, 6)), "b": ((7, 1, 2, 4), (0, 3, 5, 1), (2, 6, 8, 9)), "row": 1, "column": 2},
    another=lambda random: evenly(one_cell, random, lambda: _two_tables(random)),
    ask=lambda a, b, row, column: (
        f"a has shape (2, 3), b has shape (3, 4), and c = a @ b:\n{_table(a, 'a')}\n{_table(b, 'b')}\n"
        f"What is c[{row}, {column}]?"
    ),
    key=products.cell,
    misconceptions=(
        Misconception(
            "each number meets the one in its own place",
            "Then it would be a * b, which these shapes do not even allow. In a @ b a whole row meets a whole column.",
            lambda a, b, row, column: a[row][column] * b[row][column],
        ),
        Misconception(
            "rows meet rows",
            "A row of b has 4 numbers, and one would be left over. A column has 3, as a row of a has.",
            lambda a, b, row, column: products.across(a[row], b[row]),
        ),
        Misconception(
            "first both are added up, and then multiplied",
            "The numbers meet in pairs. Each pair is multiplied, and then the products are added.",
            lambda a, b, row, column: sum(a[row]) * sum(line[column] for line in b),
        ),
    ),
    why=lambda a, b, row, column: (
        f"Row {row} of a meets column {column} of b: {products.summed(a, b, row, column)}."
    ),
    words=lambda number: f"it is {number}",
    locked=products.apart,
    played=products.played,
)


# Who reads a number?


def _touched(rows: int, inner: int, columns: int, left: bool) -> int:
    """The number of cells of the product that move when one number of the left or right side does."""
    a, b = zeros(rows, inner) + 1, zeros(inner, columns) + 1
    before = a @ b
    (a if left else b)[1, 0] += 1
    return int((a @ b != before).sum().item())


who_reads = Blanks(
    "who_reads",
    case={"rows": 2, "inner": 3, "columns": 4},
    another=_sizes("rows", "inner", "columns"),
    ask=lambda rows, inner, columns: (
        f"a has shape ({rows}, {inner}), b has shape ({inner}, {columns}), and c = a @ b.\n\n"
        "of_a    how many cells of c read the number a[1, 0]\n"
        "of_b    how many cells of c read the number b[1, 0]\n"
        "pairs   how many products of two numbers are added up in one cell of c"
    ),
    blanks={
        "of_a": Blank(
            lambda rows, inner, columns: _touched(rows, inner, columns, left=True),
            (
                Misconception(
                    "each number is read once",
                    "Its row meets every column of b, and it is read each time.",
                    lambda **_: 1,
                ),
                Misconception(
                    "every cell reads every number",
                    "A cell of another row reads another row of a.",
                    lambda rows, columns, **_: rows * columns,
                ),
            ),
        ),
        "of_b": Blank(
            lambda rows, inner, columns: _touched(rows, inner, columns, left=False),
            (
                Misconception(
                    "each number is read once",
                    "Its column meets every row of a, and it is read each time.",
                    lambda **_: 1,
                ),
                Misconception(
                    "every cell reads every number",
                    "A cell of another column reads another column of b.",
                    lambda rows, columns, **_: rows * columns,
                ),
                Misconception(
                    "a number of b is read along its row",
                    "It is read along its column: by the cells of c below each other.",
                    lambda columns, **_: columns,
                ),
            ),
        ),
        "pairs": Blank(
            lambda inner, **_: inner,
            (
                Misconception(
                    "a cell is one product",
                    "A row and a column meet, number by number, and all their products are added.",
                    lambda **_: 1,
                ),
                Misconception(
                    "a row of the result is added up",
                    "What is added up is the axis along which a and b meet. It is not in c any more.",
                    lambda columns, **_: columns,
                ),
            ),
        ),
    },
    why=lambda rows, inner, columns: (
        f"a[1, 0] is in row 1, which meets {columns} columns. b[1, 0] is in column 0, which meets {rows} rows. A row "
        f"of a and a column of b have {inner} numbers each."
    ),
    hints=(
        "a[1, 0] stands in row 1 of a. Which cells of the result are made of that row? Count them.",
        "Its row meets each column of b once. The column of b[1, 0] meets each row of a once.",
        "In one cell a row meets a column: as many pairs as a row of a has numbers.",
    ),
)


# The shape of a batched product.


def _of_this_shape(shape: tuple[int, ...], batch: int, rows: int, inner: int, columns: int) -> Scene:
    """The picture of a product of some shape, beside that of the library."""
    x, w = ones(batch, rows, inner), ones(inner, columns)
    y, believed = x @ w, ones(*shape)
    if shape == y.shape:
        return worlds.ran(("y = x @ w; y.ndim", y.ndim), ("y.numel()", y.numel()))
    lines = ("len(y)", "y.ndim", "y.numel()")
    if shape == (batch, rows, inner):  # whatever w is
        lines = ("y.shape[-1] == w.shape[-1]", "y.numel()")
    return worlds.world(worlds.Row("y = x @ w", ""), *(
        worlds.tried(line, worlds.runs(line, y=believed, w=w), y=y, w=w) for line in lines
    ))


batched_shape = Question(
    case={"batch": 5, "rows": 2, "inner": 3, "columns": 4},
    another=_sizes("batch", "rows", "inner", "columns"),
    ask=lambda batch, rows, inner, columns: (
        f"x has shape ({batch}, {rows}, {inner}): {batch} tables, stacked. w has shape ({inner}, {columns}). "
        f"What is the shape of x @ w?"
    ),
    key=lambda batch, rows, inner, columns: tuple((zeros(batch, rows, inner) @ zeros(inner, columns)).shape),
    misconceptions=(
        Misconception(
            "each number of x stays in its place, so the shape does, too",
            "In x * x it would be so. Here rows meet columns: a row of the result has a number for each column of w.",
            lambda batch, rows, inner, **_: (batch, rows, inner),
        ),
        Misconception(
            "the tables are laid below each other, as one",
            "The stack stays a stack: each table is multiplied by w, and the results stand where the tables stood.",
            lambda batch, rows, columns, **_: (batch * rows, columns),
        ),
        Misconception(
            "no axis goes",
            "Along the inner axis the numbers meet and are added up. It is gone in the result.",
            lambda batch, rows, inner, columns: (batch, rows, inner, columns),
        ),
    ),
    why=lambda batch, rows, inner, columns: (
        f"The last two axes are a product: ({rows}, {inner}) @ ({inner}, {columns}) is ({rows}, {columns}). In front "
        f"stands the batch, {batch}; w is read again for each of its tables."
    ),
    played=_of_this_shape,
)


# The core exercises: shapes, and one cell by hand.


which_shapes = Blanks(
    "which_shapes",
    case={"batch": 6, "rows": 4, "inner": 2, "columns": 3, "others": 5},
    another=_sizes("batch", "rows", "inner", "columns", "others"),
    ask=lambda batch, rows, inner, columns, others: (
        f"plain   the shape of the product ({columns}, {inner}) @ ({inner}, {others})\n"
        f"stack   the shape of the product ({batch}, {rows}, {inner}) @ ({batch}, {inner}, {columns})\n"
        f"n       the n for which ({rows}, {inner}) @ (n, {others}) runs"
    ),
    blanks={
        "plain": Blank(
            lambda inner, columns, others, **_: tuple((zeros(columns, inner) @ zeros(inner, others)).shape),
            (
                Misconception(
                    "the inner sizes stay",
                    "Where they meet, the numbers are added up. What stays is outside.",
                    lambda inner, **_: (inner, inner),
                ),
                Misconception(
                    "the result has the shape of the left side",
                    "Its rows are those of the left side, its columns those of the right side.",
                    lambda inner, columns, **_: (columns, inner),
                ),
                Misconception(
                    "columns first",
                    "A shape says the rows first, here too.",
                    lambda columns, others, **_: (others, columns),
                ),
            ),
        ),
        "stack": Blank(
            lambda batch, rows, inner, columns, **_: tuple(
                (zeros(batch, rows, inner) @ zeros(batch, inner, columns)).shape
            ),
            (
                Misconception(
                    "each table meets each table",
                    "The two stacks are stepped through together: table 0 meets table 0.",
                    lambda batch, rows, columns, **_: (batch, batch, rows, columns),
                ),
                Misconception(
                    "the tables of a stack are added up",
                    "Only the inner axis is added up. Each pair of tables has a result of its own.",
                    lambda rows, columns, **_: (rows, columns),
                ),
            ),
        ),
        "n": Blank(
            lambda inner, **_: inner,
            (
                Misconception(
                    "the numbers of rows agree",
                    "Rows meet columns. What has to agree is the length of a row and that of a column.",
                    lambda rows, **_: rows,
                ),
                Misconception(
                    "the right side is a square",
                    "It may have any number of columns. What has to agree are the sizes inside.",
                    lambda others, **_: others,
                ),
            ),
        ),
    },
    why=lambda **_: (
        "The last axis of the left side and the last but one of the right side meet: they agree, and go. What is in "
        "front of the last two axes is a batch, and is stepped through together."
    ),
    hints=(
        "Write both shapes beside each other, and strike out the two sizes in the middle.",
        "With a batch, only the last two axes are a product. What stands in front stays.",
        "Two tables can be multiplied if the last size of the left one is the last but one of the right one.",
    ),
)


def _a_cell(random: Random) -> dict[str, Any]:
    rows, inner, columns = random.sample(range(1, 6), 3)
    case = {"a": numbers(random, rows, inner, dtype=float64), "b": numbers(random, inner, columns, dtype=float64)}
    return case | {"i": random.randrange(rows), "j": random.randrange(columns)}


def _product_cell(a: Tensor, b: Tensor, i: int, j: int) -> float:
    return (a @ b)[i, j].item()


def _not_the_cell(_number: Any, a: Tensor, b: Tensor, i: int, j: int) -> str:
    """Empty for the number, as a number of Python's or as a tensor of one."""
    key = _product_cell(a, b, i, j)
    return "" if same(_number, key) else astray(_number, key) or "not what should come out"


product_cell = Exercise(
    "product_cell",
    example=lambda: {
        "a": tensor([[2.0, 5.0, 1.0], [4.0, 3.0, 6.0]]),
        "b": tensor([[7.0, 1.0], [9.0, 3.0], [2.0, 6.0]]),
        "i": 1,
        "j": 0,
    },
    another=_a_cell,
    key=_product_cell,
    model=models.product_cell,
    misconceptions=(
        Misconception(
            "each number meets the one in its own place",
            "A whole row of a meets a whole column of b. Go along both, and add the products.",
            lambda a, b, i, j: a[i, min(j, a.shape[1] - 1)].item() * b[min(i, b.shape[0] - 1), j].item(),
        ),
        Misconception(
            "rows meet rows",
            "Along b you go down a column: the index that moves is its first one, b[k, j].",
            lambda a, b, i, j: sum(x * y for x, y in zip(a[i].tolist(), b[j % b.shape[0]].tolist(), strict=False)),
        ),
        Misconception(
            "the last product is enough",
            "Add each product to those before it: total += ..., not total = ...",
            lambda a, b, i, j: a[i, -1].item() * b[-1, j].item(),
        ),
        Misconception(
            "first both are added up, and then multiplied",
            "The numbers meet in pairs: multiply each pair, then add.",
            lambda a, b, i, j: (a[i].sum() * b[:, j].sum()).item(),
        ),
        Misconception(
            "a sum of products is a whole number",
            "Only where its factors are. Give back what the sum is, without int() or round().",
            lambda a, b, i, j: int(_product_cell(a, b, i, j)),
        ),
        Misconception(
            "a sum of products is a whole number",
            "Only where its factors are. Give back what the sum is, without int() or round().",
            lambda a, b, i, j: round(_product_cell(a, b, i, j)),
        ),
        Misconception(
            "the products stay apart",
            "One cell is one number: add the products up.",
            lambda a, b, i, j: a[i] * b[:, j],
        ),
    ),
    judge=_not_the_cell,
    form=by_hand,
    edges=lambda: ({"a": zeros(2, 0), "b": zeros(0, 3), "i": 1, "j": 2},),
    many=30,
    hints=(
        "Begin with total = 0, and add to it in a loop over k, for k in range(a.shape[1]).",
        "Along row i of a the second index moves: a[i, k].",
        "Along column j of b the first index moves: b[k, j]. Add a[i, k] * b[k, j] each time.",
    ),
)


# More: a batch without a loop, and the second view of a product.


def _queries(random: Random) -> dict[str, Any]:
    batch, queries, keys, width = random.sample(range(1, 6), 4)
    return {name: numbers(random, batch, n, width, dtype=float64) for name, n in (("q", queries), ("k", keys))}


def _scores(q: Tensor, k: Tensor) -> Tensor:
    return q @ k.transpose(-2, -1)


def _not_the_scores(_given: Any, q: Tensor, k: Tensor) -> str:
    key = _scores(q, k)
    if hasattr(_given, "shape") and same(_given, key):
        return unfit(_given, key)
    return astray(_given, key) or "the shape is right, the numbers are not"


all_scores = Exercise(
    "all_scores",
    example=lambda: {
        "q": tensor([[[2.0, 5.0, 1.0]], [[4.0, 3.0, 6.0]]]),
        "k": tensor([[[7.0, 0.0, 2.0], [1.0, 3.0, 6.0]], [[2.0, 5.0, 8.0], [4.0, 1.0, 9.0]]]),
    },
    another=_queries,
    key=_scores,
    model=models.all_scores,
    misconceptions=(
        Misconception(
            "to reshape is to transpose",
            "The shape is right then, and the numbers are in other places. Swap the axes: k.transpose(1, 2).",
            lambda q, k: q @ k.reshape(k.shape[0], k.shape[2], k.shape[1]),
        ),
        Misconception(
            "the first table of k will do for all",
            "Each table of q meets the table of k in the same place of the stack. @ does that by itself.",
            lambda q, k: q @ k[0].T,
        ),
        Misconception(
            "the two sides may be swapped",
            "Then the rows of the result are those of k. The rows come from the left side.",
            lambda q, k: k @ q.transpose(-2, -1),
        ),
    ),
    judge=_not_the_scores,
    form=looped,
    flows=("q", "k"),
    edges=lambda: ({"q": zeros(0, 2, 3), "k": zeros(0, 4, 3)}, {"q": zeros(2, 2, 0), "k": zeros(2, 3, 0)}),
    many=20,
    hints=(
        "@ does the batch by itself, as long as the last two axes fit.",
        "The last two axes of k are the wrong way round: (keys, width) should be (width, keys).",
        "Swap them by k.transpose(1, 2), and multiply.",
    ),
)


def _outer(shape: tuple[int, int], rows: int, inner: int, columns: int) -> Scene:
    """The picture of a product of a column and a row, if it had some shape."""
    c, believed = ones(rows, inner)[:, 1:2] @ ones(inner, columns)[1:2, :], ones(*shape)
    lines = ("len(c)", "c.numel()")
    if shape == c.shape:
        return worlds.ran(*((line, worlds.runs(line, c=c)) for line in lines))
    return worlds.world(worlds.Row("c = a[:, 1:2] @ b[1:2, :]", ""), *(
        worlds.tried(line, worlds.runs(line, c=believed), c=c) for line in lines
    ))


column_times_row = Question(
    case={"rows": 2, "inner": 3, "columns": 4},
    another=_sizes("rows", "inner", "columns"),
    ask=lambda rows, inner, columns: (
        f"a has shape ({rows}, {inner}), b has shape ({inner}, {columns}). a[:, 1:2] is column 1 of a, with shape "
        f"({rows}, 1), and b[1:2, :] is row 1 of b, with shape (1, {columns}). What is the shape of their product, "
        f"a[:, 1:2] @ b[1:2, :]?"
    ),
    key=lambda rows, inner, columns: tuple((zeros(rows, inner)[:, 1:2] @ zeros(inner, columns)[1:2, :]).shape),
    misconceptions=(
        Misconception(
            "a row and a column always meet in one number",
            "A row on the left and a column on the right do. Here the column is on the left.",
            lambda **_: (1, 1),
        ),
        Misconception(
            "the sizes that a and b share are those that stay",
            "They were cut down to 1: one column, one row.",
            lambda inner, **_: (inner, inner),
        ),
        Misconception(
            "the right side gives the rows",
            "The left side does, whatever stands there.",
            lambda rows, columns, **_: (columns, rows),
        ),
    ),
    why=lambda rows, columns, **_: (
        f"({rows}, 1) @ (1, {columns}): the inner sizes are 1 and go. Each of the {rows} rows has 1 number, which "
        f"meets each of {columns} columns."
    ),
    words=lambda shape: f"{many(shape[0], 'row')}, {many(shape[1], 'column')}",
    played=_outer,
)
