"""Checks of lesson 18: both gradients of a product from its indices, with a batch, too."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from random import Random
from typing import Any

from ..claims.claim import Claim, worked
from ..claims.tree import of_pairs, times
from ..dtype import float64
from ..ops.creation import ones, tensor, zeros
from ..scene import Frame, Scene, Shape, draw
from ..show.matmul.figure import scene_of
from ..show.source import source_of
from ..tensor import Tensor
from . import models
from .kit.answers.handed_back import judged
from .kit.answers.misconception import Misconception
from .kit.answers.source import borrows, uses
from .kit.exercises.cases import evenly, numbers, vjp
from .kit.exercises.exercise import Exercise
from .kit.exercises.handing import handing_in
from .kit.questions import pictures
from .kit.questions.grids import cells, grids, lit
from .kit.questions.products import across
from .kit.questions.question import Question
from .kit.questions.stages import SUPPOSED
from .museum_of_real_bugs import compare

__all__ = ["compare", "hand_in", "how_many_products", "one_number_of_a", "vjp_linear", "vjp_matmul", "which_product"]

Rows = Sequence[Sequence[int]]


def _told(rows: Rows) -> str:
    """Numbers in rows, as a program writes them."""
    return str([list(row) for row in rows])


def _back(g: Tensor, a: Tensor, b: Tensor) -> tuple[Tensor, ...]:
    """The gradients that the engine gives the sides of a product."""
    return vjp(Tensor.matmul, g, a, b)


# One number of a.grad.


def _three_tables(random: Random) -> dict[str, Any]:
    wanted = [n for n in range(-9, 10) if n]
    b = tuple(tuple(random.sample(wanted, 4)) for _ in range(3))
    g = tuple(tuple(random.sample(wanted, 4)) for _ in range(2))
    return {"b": b, "g": g, "row": random.randrange(2), "column": random.randrange(3)}


def _of_a(b: Rows, g: Rows, row: int, column: int) -> int:
    b, g = (tensor(rows, dtype=float64) for rows in (b, g))
    return int(_back(g, zeros(2, 3, dtype=float64), b)[0][row, column].item())


A = ((2, 5, 1), (4, 3, 6))
"""The left side of lesson 06, which plays no part in its own gradient."""


def _product(b: Rows, g: Rows) -> Scene:
    """The figure of lesson 06, with what arrives on its other side."""
    sources = (source_of(tensor(rows, dtype=float64), name) for rows, name in ((A, "a"), (b, "b")))
    return scene_of(*sources, tensor(g, dtype=float64))


def _arrived(b: Rows, g: Rows, row: int, column: int) -> Scene:
    """The same turned round: what arrives stands where the product stood, and nothing tells where it goes."""
    scene = pictures.without(_product(b, g), "rule", "f*", "h*", "gradients")
    scene = pictures.written(scene, {f"c{k}": n for k, n in enumerate(n for line in g for n in line)})

    def warm(shape: Shape) -> Shape:
        if shape.text == "a @ b":
            return shape._replace(text="g", cls=(*shape.cls, "grad-ink"))
        cls = (*shape.cls, "grad") if shape.id[:1] == "c" else shape.cls
        return shape._replace(cls=cls, children=tuple(map(warm, shape.children)))

    return replace(scene, shapes=tuple(map(warm, scene.shapes)))


def _meeting(about: str, b: Rows, g: Rows, row: int, column: int) -> Claim:
    """The equation of a number of a.grad: a row of g meets a row of b."""
    return Claim(about, of_pairs(zip(g[row], b[column], strict=True)), _of_a(b, g, row, column))


def _of_a_if(number: int, b: Rows, g: Rows, row: int, column: int) -> Scene:
    i, k = row, column
    whole, at = [f"c{4 * i + j}" for j in range(4)], f"a{3 * i + k}"
    if number == _of_a(b, g, row, column):
        rows = f"Row {i} of g meets row {k} of b: {_meeting(f'a.grad[{i}, {k}]', b, g, i, k)}."
        met = lit(rows, at, *whole, *cells("b", range(4 * k, 4 * k + 4)))
        return replace(_arrived(b, g, row, column), frames=(met,))
    if number == g[i][0] * b[k][0]:
        lights = [f"c{4 * i}", f"b{4 * k}"]
        would = f"a[{i}, {k}] would move one cell of the product, in column 0"
        absurd = f"the other columns of row {i} would be made without a[{i}, {k}]. All four read it"
    elif number == g[i][k] * b[i][k]:
        lights = [f"c{4 * i + k}", f"b{4 * i + k}"]
        would = f"a[{i}, {k}] would send back by way of b[{i}, {k}], in its own place"
        absurd = f"row {k} of b would count for nothing, and a[{i}, {k}] was multiplied by that row"
    else:
        lights = [*whole, *(f"b{4 * j + k}" for j in range(3))]
        would = f"row {i} of g, 4 numbers, would meet column {k} of b, which has 3"
        absurd = f"g[{i}, 3] would count for nothing, though that cell was made with a[{i}, {k}]"
    told = tuple(lit(f"{SUPPOSED}, {said}.", at, *lights) for said in (would, absurd))
    return replace(_arrived(b, g, row, column), frames=told)


one_number_of_a = Question(
    case={"b": ((7, 1, 2, 4), (0, 3, 5, 1), (2, 6, 8, 9)), "g": ((3, 1, 2, 4), (1, 2, 5, 3)), "row": 1, "column": 0},
    another=lambda random: evenly(one_number_of_a, random, lambda: _three_tables(random)),
    ask=lambda b, g, row, column: (
        f"a has shape (2, 3), and b holds {_told(b)}. The gradient g = {_told(g)} arrives at a @ b. "
        f"What is a.grad[{row}, {column}]?"
    ),
    key=_of_a,
    misconceptions=(
        Misconception(
            "rows meet columns, on the way back too",
            "A row of g has 4 numbers, and a column of b has 3. A row of b has 4.",
            lambda b, g, row, column: across(g[row], [line[column] for line in b]),
        ),
        Misconception(
            "each number meets the one in its own place",
            "The number of a was a factor beside a whole row of b. Follow where it went.",
            lambda b, g, row, column: g[row][column] * b[row][column],
        ),
        Misconception(
            "one cell of the product sends back",
            "All cells of its row were made with it. Each sends its part, and the parts add up.",
            lambda b, g, row, column: g[row][0] * b[column][0],
        ),
    ),
    why=lambda b, g, row, column: (
        f"a[{row}, {column}] is read by row {row} of the product, each time beside a number of row {column} of b: "
        f"{_meeting('', b, g, row, column)}."
    ),
    words=lambda number: f"it is {number}",
    locked=_arrived,
    played=_of_a_if,
)


# Squares.

SIDES = {
    "a": {"g @ b.T": lambda g, a, b: g @ b.T, "g @ b": lambda g, a, b: g @ b, "b.T @ g": lambda g, a, b: b.T @ g,
          "b @ g.T": lambda g, a, b: b @ g.T},
    "b": {"a.T @ g": lambda g, a, b: a.T @ g, "a @ g": lambda g, a, b: a @ g, "g @ a.T": lambda g, a, b: g @ a.T,
          "g.T @ a": lambda g, a, b: g.T @ a},
}  # fmt: skip
"""For each side of a product what a program could say of its gradient; all of it fits where all are square."""


def _squares(random: Random) -> dict[str, Any]:
    while True:
        a, b, g = (tuple(tuple(random.sample(range(1, 10), 2)) for _ in range(2)) for _ in range(3))
        case = {"side": random.choice("ab"), "a": a, "b": b, "g": g}
        if len({str(_gives(said, **case)) for said in SIDES[case["side"]]}) == 4:
            return case


def _gives(said: str, side: str, a: Rows, b: Rows, g: Rows) -> Rows:
    return SIDES[side][said](*(tensor(rows) for rows in (g, a, b))).tolist()


def _right(side: str, a: Rows, b: Rows, g: Rows) -> str:
    both = _back(*(tensor(rows).float() for rows in (g, a, b)))
    wanted = both["ab".index(side)].tolist()
    return next(said for said in SIDES[side] if _gives(said, side, a, b, g) == wanted)


def _named(which: int) -> Callable[..., str]:
    return lambda side, a, b, g: [*SIDES[side]][which]


def _three(a: Rows, b: Rows, g: Rows) -> list[tuple[str, str, Tensor]]:
    return [(name, name, tensor(rows)) for name, rows in zip("abg", (a, b, g), strict=True)]


def _square_if(said: str, side: str, a: Rows, b: Rows, g: Rows) -> Scene:
    case = {"side": side, "a": a, "b": b, "g": g}
    found, true = _gives(said, **case), _gives(_right(**case), **case)
    r, c = next((r, c) for r in range(2) for c in range(2) if found[r][c] != true[r][c] or said == _right(**case))
    scene = grids(*_three(a, b, g), (said, "d", found), grads="gd")
    moved = [2 * r, 2 * r + 1] if side == "a" else [c, c + 2]
    factors = [(g[r][j], b[c][j]) for j in range(2)] if side == "a" else [(a[i][r], g[i][c]) for i in range(2)]
    at, line = f"{side}[{r}, {c}]", f"row {r}" if side == "a" else f"column {c}"
    ids = [f"{side}{2 * r + c}", f"d{2 * r + c}", *cells("g", moved)]
    truth = f"1 more in {at} moves {line} of the product, and the loss by {worked(of_pairs(factors))}"
    if said == _right(**case):
        return replace(scene, frames=(lit(f"{truth}.", *ids),))
    told = (f"1 more in {at} would move the loss by {found[r][c]}",
            f"{line} of the product would not move the loss by {worked(of_pairs(factors))}, as g says")  # fmt: skip
    return replace(scene, frames=tuple(lit(f"{SUPPOSED}, {one}.", *ids) for one in told))


which_product = Question(
    case={"side": "b", "a": ((1, 2), (3, 5)), "b": ((4, 1), (2, 6)), "g": ((1, 3), (2, 7))},
    another=_squares,
    ask=lambda side, a, b, g: (
        f"a = {_told(a)} and b = {_told(b)} are squares, so all products fit. g = {_told(g)} arrives at a @ b. "
        f"Which one is {side}.grad?"
    ),
    key=_right,
    misconceptions=(
        Misconception(
            "the transpose is there to make the sizes fit",
            "In squares all sizes fit without it, and still it has to be there. The indices ask for it.",
            _named(1),
        ),
        Misconception(
            "the two sides may change places",
            "g has the rows of the left side and the columns of the right one. It stays where these are.",
            _named(2),
        ),
        Misconception(
            "a gradient may lie on its side",
            "These are the right numbers, and each in the place of another one. In a square nobody notices.",
            _named(3),
        ),
    ),
    why=lambda side, a, b, g: (
        "a.grad[i, k] sums g[i, j] * b[k, j] over j: rows meet rows, so b is turned."
        if side == "a"
        else "b.grad[k, j] sums a[i, k] * g[i, j] over i: columns meet columns, so a is turned."
    ),
    locked=lambda side, a, b, g: grids(*_three(a, b, g), grads="g"),
    played=_square_if,
)


# More: how many products are in one number of w.grad?


def _a_batch(random: Random) -> dict[str, int]:
    batch, rows = random.choice(((2, 3), (3, 2), (2, 4), (4, 2)))
    return {"batch": batch, "rows": rows, "inner": 2, "columns": random.choice((5, 7, 9))}


def _products(batch: int, rows: int, inner: int, columns: int) -> int:
    """The products in w.grad[0, 0], counted by letting 1 arrive everywhere at a product of ones."""
    x, w = ones(batch, rows, inner), ones(inner, columns)
    return int(_back(ones(batch, rows, columns), x, w)[1][0, 0].item())


def _batch(batch: int, rows: int, inner: int, columns: int, *frames: Frame) -> Scene:
    """x and g, with their tables below each other, and w.grad, in which nothing stands."""
    x = [[k + inner * r for k in range(inner)] for r in range(batch * rows)]
    g = [[(3 * r + 5 * j) % 7 + 1 for j in range(columns)] for r in range(batch * rows)]
    named = (f"x: {batch} tables", "x", x), ("g", "g", g), ("w.grad", "d", [[""] * columns] * inner)
    return grids(*named, grads="gd", h=draw.LITTLE, frames=frames)


def _products_if(number: int, batch: int, rows: int, inner: int, columns: int) -> Scene:
    sizes = batch, rows, inner, columns
    column = [(r, f"x{inner * r}", f"g{columns * r}") for r in range(batch * rows)]
    if number == _products(*sizes):
        every = [id for _, *pair in column for id in pair]
        return _batch(*sizes, lit(f"w[0, 0] meets column 0 of x, in all {batch} tables.", *every, "d0"))
    if number == rows:
        seen = [id for r, *pair in column if r < rows for id in pair]
        would = "the first table alone would send something back"
        absurd = "the other tables would not move with w, though all of them read it"
    elif number == batch:
        seen = [id for r, *pair in column if r % rows == 0 for id in pair]
        would = "one row of each table would send something back"
        absurd = "the other rows would not move with w, though all of them read it"
    else:
        seen = ["x0", *cells("g", range(columns))]
        would = "w[0, 0] would move a whole row of the product"
        absurd = "it would move columns that other numbers of w make: it stands in column 0"
    return _batch(*sizes, *(lit(f"{SUPPOSED}, {one}.", *seen, "d0") for one in (would, absurd)))


how_many_products = Question(
    case={"batch": 2, "rows": 3, "inner": 2, "columns": 5},
    another=_a_batch,
    ask=lambda batch, rows, inner, columns: (
        f"x has shape ({batch}, {rows}, {inner}): {batch} tables. w has shape ({inner}, {columns}), and all tables "
        f"meet it in x @ w. g arrives, of shape ({batch}, {rows}, {columns}). Of how many products g * x is "
        "w.grad[0, 0] the sum?"
    ),
    key=_products,
    misconceptions=(
        Misconception(
            "each table of the batch has a gradient of its own",
            "w was read by every table, and there is one w: what comes of the tables is added up.",
            lambda batch, rows, inner, columns: rows,
        ),
        Misconception(
            "the batch alone is summed",
            "That is what lesson 11 sums. The rows of each table were made with this number, too.",
            lambda batch, rows, inner, columns: batch,
        ),
        Misconception(
            "the columns are summed, as for the left side",
            "A number of w stands in one column, and moves that column alone. What it moves are rows.",
            lambda batch, rows, inner, columns: columns,
        ),
    ),
    why=lambda batch, rows, inner, columns: (
        f"w[0, 0] is read by {rows} rows in each of {batch} tables, {worked(times(batch, rows))} cells of the product. "
        "Each sends a part, and they add up: rows and batch are summed."
    ),
    words=lambda number: f"{number} products",
    locked=_batch,
    played=_products_if,
)


# The core exercise: both gradients, with a batch.


def _two_sides(random: Random) -> dict[str, Tensor]:
    batch = random.choice(((), (), (1,), (2,), (3,), (2, 2), (2, 3)))
    m, k, n = (random.choice((1, 2, 2, 3, 3, 4)) for _ in range(3))
    shapes = {"g": (*batch, m, n), "a": (*batch, m, k), "b": (*batch, k, n)}
    return {name: numbers(random, *shape) for name, shape in shapes.items()}


def _first() -> dict[str, Tensor]:
    rows = {"g": [[3.0, 1.0, 2.0, 4.0], [1.0, 2.0, 5.0, 3.0]], "a": [[2.0, 5.0, 1.0], [4.0, 3.0, 6.0]],
            "b": [[7.0, 1.0, 2.0, 4.0], [0.0, 3.0, 5.0, 1.0], [2.0, 6.0, 8.0, 9.0]]}  # fmt: skip
    return {name: tensor(some) for name, some in rows.items()}


def _reshaped(g: Tensor, a: Tensor, b: Tensor) -> tuple[Tensor, Tensor]:
    return g @ b.reshape(b.mT.shape), a.reshape(a.mT.shape) @ g


def _all_turned(g: Tensor, a: Tensor, b: Tensor) -> tuple[Tensor, Tensor]:
    """Right for two axes; for more the axes of a batch are turned as well, and mostly nothing fits."""
    try:
        axes = [*range(a.ndim)][::-1]
        return (g @ b.permute(axes)).reshape(a.shape), (a.permute(axes) @ g).reshape(b.shape)
    except RuntimeError:
        return a * 0, b * 0


def _summed_batch(g: Tensor, a: Tensor, b: Tensor) -> tuple[Tensor, Tensor]:
    batch = tuple(range(a.ndim - 2))
    both = _back(g, a, b)
    return tuple(part.sum(batch, keepdim=True).expand(part.shape) for part in both) if batch else both


PRODUCT = borrows("backward", "grad", "vjp", "jacobian")

vjp_matmul = Exercise(
    "vjp_matmul",
    example=_first,
    another=_two_sides,
    key=_back,
    model=models.vjp_matmul,
    misconceptions=(
        Misconception(
            "to reshape is to transpose",
            "The shape is right then, and the numbers are in other places. Swap the last two axes: b.mT.",
            _reshaped,
        ),
        Misconception(
            "a transpose turns all axes",
            "A batch stays where it is, in front. Only the last two axes change places: b.mT, a.mT.",
            _all_turned,
            uses("T", "t", "permute"),
        ),
        Misconception(
            "a gradient may lie on its side",
            "It has the shape of its tensor: one number for each number, in its place.",
            lambda g, a, b: (b @ g.mT, g.mT @ a),
        ),
        Misconception(
            "the gradient of the left side comes second",
            "Return da first, with the shape of a.",
            lambda g, a, b: (a.mT @ g, g @ b.mT),
        ),
        Misconception(
            "upstream can be ignored",
            "Then every loss would be the sum of the cells. g says how much each cell counts.",
            lambda g, a, b: ((g * 0 + 1) @ b.mT, a.mT @ (g * 0 + 1)),
        ),
        Misconception(
            "the tables of a batch are summed",
            "Here each table of b has met one table of a. What is summed is what was read more than once.",
            _summed_batch,
        ),
    ),
    judge=judged("da, db", _back),
    form=PRODUCT,
    edges=lambda: (
        {"g": zeros(0, 4), "a": zeros(0, 3), "b": zeros(3, 4)},
        {"g": zeros(2, 4), "a": zeros(2, 0), "b": zeros(0, 4)},
    ),
    many=30,
    hints=(
        "da[i, k] sums g[i, j] * b[k, j] over j. Rows of g meet rows of b: make columns of them.",
        "db[k, j] sums a[i, k] * g[i, j] over i. Columns of a meet columns of g: make rows of them.",
        "x.mT swaps the last two axes, and leaves a batch in front. Return g @ b.mT and a.mT @ g.",
    ),
)


# More: a weight that a batch shares.


def _shared(random: Random) -> dict[str, Tensor]:
    batch = random.choice(((), (1,), (2,), (3,), (2, 2), (2, 3)))
    m, k, n = (random.choice((1, 2, 2, 3, 3, 4)) for _ in range(3))
    shapes = {"g": (*batch, m, n), "x": (*batch, m, k), "w": (k, n)}
    return {name: numbers(random, *shape) for name, shape in shapes.items()}


def _of_w(g: Tensor, x: Tensor, w: Tensor) -> Tensor:
    return _back(g, x, w)[1]


def _one_table(g: Tensor, x: Tensor, w: Tensor) -> Tensor:
    while g.ndim > 2:
        g, x = g[0], x[0]
    return x.T @ g


vjp_linear = Exercise(
    "vjp_linear",
    example=lambda: {
        "g": tensor([[[1.0, 0.0]], [[2.0, 3.0]]]), "x": tensor([[[1.0, 2.0, 4.0]], [[3.0, 0.0, 1.0]]]),
        "w": zeros(3, 2),
    },
    another=_shared,
    key=_of_w,
    model=models.vjp_linear,
    misconceptions=(
        Misconception(
            "each table of the batch has a gradient of its own",
            "There is one w, which all tables have read: sum what comes of them. w.grad has the shape of w.",
            lambda g, x, w: x.mT @ g,
        ),
        Misconception(
            "one table is enough",
            "All tables have read w. Each sends a part, and the parts add up.",
            _one_table,
        ),
        Misconception(
            "the gradient is averaged over the batch",
            "The parts add up. If a mean is wanted, the loss has to take it.",
            lambda g, x, w: (x.mT @ g).reshape(-1, *w.shape).mean(0),
        ),
        Misconception(
            "upstream can be ignored",
            "g says how much each cell counts.",
            lambda g, x, w: (x.mT @ (g * 0 + 1)).reshape(-1, *w.shape).sum(0),
        ),
    ),
    form=PRODUCT,
    edges=lambda: ({"g": zeros(0, 2, 4), "x": zeros(0, 2, 3), "w": zeros(3, 4)},),
    many=30,
    hints=(
        "For one table it is x.mT @ g, with the shape of w.",
        "w was stretched over the batch when it was read: sum the axes in front, as in lesson 11.",
        "Or lay all tables below each other: x.reshape(-1, x.shape[-1]) has all rows of the batch, and so has g.",
    ),
)  # fmt: skip


hand_in = handing_in(__name__)
