"""Checks of lesson 04: which shapes meet, and which numbers of theirs."""

from collections.abc import Iterable, Sequence
from itertools import product
from random import Random
from typing import Any

from ..layout import broadcast_shapes
from ..ops.creation import arange, tensor
from ..scene import Scene
from ..tensor import Tensor
from . import models
from .kit.answers.answer import astray, listed, same
from .kit.answers.misconception import Misconception
from .kit.answers.source import borrows
from .kit.exercises.blanks import Blank, Blanks
from .kit.exercises.cases import numbers
from .kit.exercises.exercise import Exercise
from .kit.questions.grids import cells, grids, lit
from .kit.questions.question import Question

Ints = Sequence[int]
Floats = Sequence[float]
CLASH = "clash"
ERROR = "none: an error comes instead"


def _meet(a: Ints, b: Ints) -> Ints | str:
    """The shape of a + b, or that it clashes."""
    try:
        return broadcast_shapes(a, b)
    except RuntimeError:
        return CLASH


# The loss of a perfect model, (N, 1) - (N,).


def _mean_squared(pred: Tensor, target: Tensor) -> Tensor:
    return ((pred - target) ** 2).mean()


def _column(values: Floats) -> Tensor:
    return tensor(values).view(-1, 1)


def _loss(pred: Floats, target: Floats) -> float:
    return _mean_squared(_column(pred), tensor(target)).item()


def _mean_of(pairs: Iterable[tuple[float, float]]) -> float:
    squares = [(p - t) ** 2 for p, t in pairs]
    return sum(squares) / len(squares)


def _one_by_one(pred: Floats, target: Floats) -> float:
    return _mean_of(zip(pred, target, strict=True))


def _to_the_first(pred: Floats, target: Floats) -> float:
    return _mean_of((p, target[0]) for p in pred)


def _a_model(random: Random) -> dict[str, Any]:
    place = random.randrange(3)  # of the right loss among the three numbers: by size, it tells nothing
    while True:
        rows = random.choice((2, 4))
        pred, target = (tuple(float(n) for n in random.sample(range(1, 10), rows)) for _ in range(2))
        right = _mean_of(product(pred, target))
        losses = sorted({right, _one_by_one(pred, target), _to_the_first(pred, target)})
        if len(losses) == 3 and losses[place] == right and all(map(float.is_integer, losses)):
            return {"pred": pred, "target": target}


def _numbers(values: Floats) -> str:
    return ", ".join(f"{x:g}" for x in values)


def _apart(pred: Floats, target: Floats) -> Scene:
    return grids(("pred", "p", _column(pred)), ("target", "t", tensor(target)))


def _met(loss: float | str, pred: Floats, target: Floats) -> Scene:
    """The two, and their differences as they would be."""
    rows, p, t = len(pred), _column(pred), tensor(target)
    if loss == ERROR:
        alone = "If this were so, a size of 1 would not fit another size."
        column = "If this were so, no column could be added to a row, and no number to a tensor."
        return grids(("pred", "p", p), ("target", "t", t), frames=[lit(alone), lit(column)])

    def drawn(difference: Tensor, *frames: Any) -> Scene:
        return grids(("pred", "p", p), ("target", "t", t), ("pred - target", "d", difference), frames=frames)

    if loss == _one_by_one(pred, target):
        would = "If this were so, pred[1, 0] would meet target[1], and no other number."
        absurd = "If this were so, an axis of size 1 would count as none. It is stretched."
        return drawn(tensor(pred) - t, lit(would, "p1", "t1", "d1"), lit(absurd))
    if loss == _to_the_first(pred, target):
        would = "If this were so, each prediction would meet target[0]."
        absurd = f"If this were so, nobody would read target[1] to target[{rows - 1}]."
        return drawn(p - t[:1], lit(would, "t0", *cells("p", range(rows))), lit(absurd, *cells("t", range(1, rows))))
    own = cells("d", range(0, rows * rows, rows + 1))
    pairs = f"Each prediction meets each target: {rows * rows} differences. The {rows} that were wanted are lit."
    return drawn(p - t, lit(pairs, *own), lit(f"The mean of all {rows * rows} squares is {loss:g}."))


perfect_loss = Question(
    case={"pred": (1.0, 3.0, 4.0, 8.0), "target": (1.0, 3.0, 4.0, 8.0)},
    another=_a_model,
    ask=lambda pred, target: (
        f"pred has shape ({len(pred)}, 1) and holds {_numbers(pred)}, one in each row.\n"
        f"target has shape ({len(target)},) and holds {_numbers(target)}.\n"
        "  loss = ((pred - target) ** 2).mean()\nWhat is the loss?"
    ),
    key=_loss,
    misconceptions=(
        Misconception(
            "equal length means compatible",
            "Both hold as many numbers, and still they do not meet one by one: look at the shapes.",
            _one_by_one,
        ),
        Misconception(
            "other shapes do not fit",
            "An axis of size 1 is stretched, and a missing axis counts as one. So these two fit.",
            lambda pred, target: ERROR,
        ),
        Misconception(
            "a row of pred has one number, so it meets one target, the first",
            "That one number is repeated along its row, and meets every target.",
            _to_the_first,
        ),
    ),
    why=lambda pred, target: (
        f"From the right, 1 meets {len(pred)}, and then {len(pred)} meets an axis that target does not have. Both "
        f"are stretched: pred - target has shape ({len(pred)}, {len(pred)}). Each prediction is held against each "
        "target, and only one in a row is its own."
    ),
    words=lambda loss: loss if isinstance(loss, str) else f"{loss:g}",
    locked=_apart,
    played=_met,
)


# One weight for each row: which shape?


def _a_grid(random: Random) -> dict[str, Any]:
    return {"shape": tuple(random.sample(range(2, 10), 2))}


def _weighed(wanted: Ints, shape: Ints) -> Scene:
    """x, and w in the shape that it would have."""
    rows, columns = shape
    x, w = _rows_of_numbers(shape), tensor([10 ** (k % 3) for k in range(rows)])
    wide = f"w has shape {wanted}"
    if _meet(shape, wanted) != tuple(shape):
        under = f"If this were so, each of the {columns} columns of x would find its weight under it. There are {rows}."
        absurd = f"If this were so, x * w would run. It does not: {rows} numbers and {columns} columns do not fit."
        frames = lit(under, *cells("w", range(rows))), lit(absurd, *cells("x", range(columns)))
        return grids(("x", "x", x), (wide, "w", w.view(*wanted)), frames=frames)
    if tuple(wanted) == tuple(shape):
        all_of_them = f"If this were so, w would hold {rows * columns} numbers, and {columns} of them for each row."
        absurd = f"If this were so, the {rows} weights that there are would have to be copied, {columns} times each."
        held = w.view(-1, 1).expand(*shape)
        frames = lit(all_of_them, *cells("w", range(rows * columns))), lit(absurd)
        return grids(("x", "x", x), (wide, "w", held), frames=frames)
    along = range(columns, 2 * columns)
    sentence = "Row 1 of x meets w[1, 0], which is repeated along the row."
    result = "x * w", "r", x * w.view(*wanted)
    return grids(
        ("x", "x", x),
        (wide, "w", w.view(*wanted)),
        result,
        frames=[lit(sentence, "w1", *cells("x", along), *cells("r", along))],
    )


def _rows_of_numbers(shape: Ints) -> Tensor:
    return arange(1, shape[0] * shape[1] + 1).view(*shape)


shape_of_the_weights = Question(
    case={"shape": (3, 4)},
    another=_a_grid,
    ask=lambda shape: (
        f"x has shape {shape}. w holds {shape[0]} weights, one for each row of x, and x * w should multiply each row "
        "by its weight. Which shape does w need?"
    ),
    key=lambda shape: next(wanted for wanted in ((shape[0],), (shape[0], 1)) if _meet(shape, wanted) == tuple(shape)),
    misconceptions=(
        Misconception(
            "equal length means compatible",
            "Sizes are compared from the right, where w would meet the columns of x.",
            lambda shape: (shape[0],),
        ),
        Misconception(
            "a new axis of size 1 goes in front",
            "In front a 1 is put anyway. It is behind the rows that an axis has to be held free, for the columns.",
            lambda shape: (1, shape[0]),
        ),
        Misconception(
            "only equal shapes fit",
            "That needs a weight for each number. An axis of size 1 is stretched.",
            lambda shape: tuple(shape),
        ),
    ),
    why=lambda shape: (
        f"From the right, the 1 of w meets the {shape[1]} columns and is stretched. Then {shape[0]} meets {shape[0]}, "
        "row by row."
    ),
    locked=lambda shape: grids(("x", "x", _rows_of_numbers(shape))),
    played=_weighed,
)


# Found in the playground: one number for each place along an axis.


def _a_block(random: Random) -> dict[str, Any]:
    return {"shape": tuple(random.sample(range(2, 8), 3))}


def _smallest(shape: Ints, dim: int) -> Ints:
    """The shape with a number for each place along dim, and with as few axes as possible."""
    wanted: Ints = (shape[dim],)
    while _meet(shape, wanted) != tuple(shape):
        wanted = (*wanted, 1)
    return wanted


def _met(answer: object, shape: Ints) -> str:
    """Says what comes of a shape of w; more would tell how many axes the right one has."""
    wanted, x = listed(answer), tuple(shape)
    if type(wanted) is int:
        return "one value in round brackets has a comma behind it, as in (7,)"
    numbers = isinstance(wanted, list | tuple) and all(type(n) is int and n >= 0 for n in wanted)
    if not numbers or len(wanted) > 8:
        return "a shape is asked for: numbers in round brackets"
    met = _meet(x, wanted)
    if met == CLASH:
        return f"x * w is an error, for {x} and {tuple(wanted)} do not fit"
    return "x * w runs" if met == x else f"x * w has shape {met}"


EQUAL = "equal length means compatible"
FROM_THE_RIGHT = "Count the axes of x to the right of the one you mean: w needs a 1 for each of them."
one_for_each = Blanks(
    "one_for_each",
    case={"shape": (2, 3, 4)},
    another=_a_block,
    ask=lambda shape: (
        f"x has shape {shape}: {shape[0]} grids of {shape[1]} rows and {shape[2]} columns. x * w should have shape "
        f"{shape}\ntoo. Which shape does w need, with as few axes as possible, if it holds\n\n"
        "for_grids    one number for each grid\n"
        "for_rows     one number for each row of a grid, the same in all grids\n"
        "for_columns  one number for each column, the same in all rows and grids"
    ),
    blanks={
        "for_grids": Blank(
            lambda shape: _smallest(shape, 0),
            comes=_met,
            misconceptions=(
                Misconception(EQUAL, FROM_THE_RIGHT, lambda shape: (shape[0],)),
                Misconception("one axis of size 1 is enough", FROM_THE_RIGHT, lambda shape: (shape[0], 1)),
                Misconception(
                    "axes of size 1 go in front",
                    "In front they are put anyway. " + FROM_THE_RIGHT,
                    lambda shape: (1, 1, shape[0]),
                ),
            ),
        ),
        "for_rows": Blank(
            lambda shape: _smallest(shape, 1),
            comes=_met,
            misconceptions=(
                Misconception(EQUAL, FROM_THE_RIGHT, lambda shape: (shape[1],)),
                Misconception(
                    "w needs as many axes as x",
                    "It works. But what is missing in front counts as 1, so one axis less will do.",
                    lambda shape: (1, shape[1], 1),
                ),
                Misconception(
                    "axes of size 1 go in front",
                    "In front they are put anyway. " + FROM_THE_RIGHT,
                    lambda shape: (1, shape[1]),
                ),
            ),
        ),
        "for_columns": Blank(
            lambda shape: _smallest(shape, 2),
            comes=_met,
            misconceptions=(
                Misconception(
                    "an axis of size 1 goes behind the numbers, always",
                    "The columns are the last axis: nothing is to the right of them.",
                    lambda shape: (shape[2], 1),
                ),
                Misconception(
                    "w needs as many axes as x",
                    "It works. But what is missing in front counts as 1, so fewer axes will do.",
                    lambda shape: (1, 1, shape[2]),
                ),
            ),
        ),
    },
    why=lambda shape: (
        f"To the right of the grids, x has two axes, so w needs two of size 1: {_smallest(shape, 0)}. To the right of "
        f"the rows there is one: {_smallest(shape, 1)}. To the right of the columns there is none: "
        f"{_smallest(shape, 2)}."
    ),
    hints=(
        "Write the shape of x, and below it the shape of w, aligned from the right.",
        "Where each position of an axis has a number of its own, w has that axis's size; where all have the same, 1.",
        "Axes of size 1 in front are put there anyway. Those behind are not: they have to be written.",
    ),
)


# Mend the loss.


def _a_batch(random: Random) -> dict[str, Any]:
    rows = random.randint(1, 5)
    return {"pred": numbers(random, rows, 1), "target": numbers(random, rows)}


fixed_loss = Exercise(
    "fixed_loss",
    example=lambda: {"pred": tensor([[1.0], [5.0]]), "target": tensor([4.0, 5.0])},
    another=_a_batch,
    key=lambda pred, target: _mean_squared(pred.view(-1), target),
    model=models.fixed_loss,
    misconceptions=(
        Misconception(
            "equal length means compatible",
            "Every prediction still meets every target. Give both the same shape before you subtract.",
            _mean_squared,
        ),
        Misconception(
            "a row of pred meets one target, the first",
            "Each has a target of its own. Give both the same shape before you subtract.",
            lambda pred, target: _mean_squared(pred, target[:1]),
        ),
        Misconception(
            "the first index of a column is the column",
            "pred[0] is row 0, and holds one prediction. The column is pred[:, 0].",
            lambda pred, target: _mean_squared(pred[0], target),
        ),
        Misconception(
            "a sum will do",
            "A sum grows with the number of predictions. A mean does not: .mean() in place of .sum().",
            lambda pred, target: ((pred.view(-1) - target) ** 2).sum(),
        ),
        Misconception(
            "to take the sign away is as good as a square",
            "It is another loss. Here the differences are squared.",
            lambda pred, target: (pred.view(-1) - target).abs().mean(),
        ),
        Misconception(
            "the means may be taken first",
            "Then a prediction that is too large makes up for one that is too small. Subtract, square, then the mean.",
            lambda pred, target: (pred.mean() - target.mean()) ** 2,
        ),
        Misconception(
            "a loss is a number for each row",
            "A loss is one number: the mean is missing.",
            lambda pred, target: (pred.view(-1) - target) ** 2,
        ),
    ),
    flows=("pred",),
    hints=(
        "Print the shapes: pred is a column, target is not. What is the shape of pred - target?",
        "Give both the same shape before you subtract: pred.view(-1), pred[:, 0] or target[:, None].",
        "Then each difference squared, and the mean of them all.",
    ),
)


# Write the rule.


def _two_shapes(random: Random) -> dict[str, Any]:
    size = [random.randint(2, 5) for _ in range(random.choice((0, 1, 2, 2, 3, 3, 4)))]
    a, b = ([random.choice((1, n, n)) for n in size] for _ in range(2))
    if a and random.random() < 0.35:  # one that clashes, or may
        a[random.randrange(len(a))] = random.choice((2, 3, 6))
    short = random.randint(0, max(len(size) - 1, 0) if random.random() < 0.9 else len(size))
    shapes = tuple(a), tuple(b[short:])
    return dict(zip("ab", shapes if random.random() < 0.5 else shapes[::-1], strict=True))


def _padded(a: Ints, b: Ints, left: bool) -> list[tuple[int, int]]:
    """The sizes that meet, when what is missing is put to the left or to the right."""
    rank = max(len(a), len(b))
    ones = [(1,) * (rank - len(shape)) for shape in (a, b)]
    full = [(*one, *shape) if left else (*shape, *one) for one, shape in zip(ones, (a, b), strict=True)]
    return list(zip(*full, strict=True))


def _from_the_left(a: Ints, b: Ints) -> Ints | str:
    pairs = _padded(a, b, left=False)
    return tuple(max(pair) for pair in pairs) if all(m == n or 1 in (m, n) for m, n in pairs) else CLASH


def _only_equal(a: Ints, b: Ints) -> Ints | str:
    pairs = list(zip(a[::-1], b[::-1], strict=False))
    return max(tuple(a), tuple(b), key=len) if all(m == n for m, n in pairs) else CLASH


def _no_new_axes(a: Ints, b: Ints) -> Ints | str:
    rank = min(len(a), len(b))
    return _meet(a[len(a) - rank :], b[len(b) - rank :])


def _astray(answer: object, a: Ints, b: Ints) -> str:
    key = _meet(a, b)
    if same(answer, key):
        return ""
    if isinstance(answer, str) and answer.lower() == key == CLASH:
        return f'"{CLASH}" is written in small letters'
    if CLASH in (answer, key):
        return f"these two {'fit' if answer == CLASH else 'clash'}"
    return astray(answer, key) or "not what should come out"


broadcast_shape = Exercise(
    "broadcast_shape",
    example=lambda: {"a": (3, 1), "b": (4,)},
    another=_two_shapes,
    key=_meet,
    model=models.broadcast_shape,
    judge=_astray,
    form=borrows("broadcast_shapes", "broadcast_tensors", "broadcast_arrays", "broadcast", "zeros", "ones", "empty"),
    edges=lambda: ({"a": (0,), "b": (1,)}, {"a": (2, 0), "b": (2, 1)}, {"a": (0, 3), "b": (2, 3)}),
    misconceptions=(
        Misconception(
            "shapes are aligned from the left",
            "From the right: the last size of one meets the last size of the other.",
            _from_the_left,
        ),
        Misconception(
            "only equal sizes fit",
            "A size of 1 fits any other: it is stretched.",
            _only_equal,
        ),
        Misconception(
            "the larger size wins",
            "Only over a 1. Two sizes that differ, neither of them 1, clash.",
            lambda a, b: tuple(max(pair) for pair in _padded(a, b, left=True)),
        ),
        Misconception(
            "an axis that only one of them has is lost",
            "It is there in the result: the other counts as 1 there.",
            _no_new_axes,
        ),
    ),
    hints=(
        "Write the shapes below each other, aligned from the right, and fill up the shorter one with 1s in front.",
        "Then look at one pair of sizes after the other: equal, one of them 1, or a clash.",
        "Where one of the two sizes is 1, the other one is the size of the result.",
    ),
)
