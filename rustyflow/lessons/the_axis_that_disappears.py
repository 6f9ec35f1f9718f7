"""Checks of lesson 05: which axis a sum takes away, and what is left."""

from collections.abc import Callable, Sequence
from math import prod
from random import Random
from typing import Any

from ..ops.creation import tensor, zeros
from ..ops.nn.softmax import softmax
from ..scene import Scene
from ..show.words.sentences import many
from ..tensor import Tensor
from . import models
from .kit.answers.answer import astray, same
from .kit.answers.misconception import Misconception
from .kit.answers.source import borrowed
from .kit.exercises.blanks import Blank, Blanks
from .kit.exercises.cases import numbers
from .kit.exercises.exercise import Exercise
from .kit.programs import worlds
from .kit.questions.grids import cells, grids, lit
from .kit.questions.question import Question

Ints = Sequence[int]


# The shape of x.sum(dim=d).


def _a_sum(random: Random) -> dict[str, Any]:
    shape = tuple(random.sample(range(2, 10), random.choice((2, 3))))
    return {"shape": shape, "dim": random.randrange(len(shape)), "keepdim": random.random() < 0.75}


def _summed(shape: Ints, dim: int | tuple[int, ...], keepdim: bool) -> Ints:
    return tuple(zeros(*shape).sum(dim, keepdim=keepdim).shape)


def _others(shape: Ints, dim: int) -> tuple[int, ...]:
    return tuple(d for d in range(len(shape)) if d != dim % len(shape))


def _call(dim: int, keepdim: bool) -> str:
    return f"x.sum(dim={dim}{', keepdim=True' if keepdim else ''})"


def _points(shape: Ints) -> Tensor:
    return tensor([[(4 * i + 3 * j + 2) % 11 for j in range(shape[1])] for i in range(shape[0])])


def _gone(answer: Ints, shape: Ints, dim: int, keepdim: bool) -> Scene:
    """x, of two axes, and the sums as they would be; of more axes a program."""
    if len(shape) > 2:
        lines, y = ("y.ndim", "y.numel()"), zeros(_summed(shape, dim, keepdim))
        if tuple(answer) == tuple(y.shape):
            return worlds.ran(*((line, worlds.runs(line, y=y)) for line in lines))
        told = (worlds.tried(line, worlds.runs(line, y=zeros(answer)), y=y) for line in lines)
        return worlds.world(worlds.Row(f"y = {_call(dim, keepdim)}", ""), *told)
    x, (rows, columns) = _points(shape), shape
    lanes = range(0, rows * columns, columns), range(columns)  # along each dim, that of the first sum

    def drawn(sums: Tensor, *frames: Any) -> Scene:
        return grids(("x", "x", x), ("sums", "r", sums), frames=frames)

    if answer == _summed(shape, (0, 1), keepdim):
        both = "If this were so, the numbers would be added up along both axes."
        nothing = f"If this were so, dim={dim} would say nothing: dim={1 - dim} would give the same."
        return drawn(x.sum((0, 1), keepdim=True), lit(both, *cells("x", range(rows * columns)), "r0"), lit(nothing))
    if answer == _summed(shape, 1 - dim, keepdim):
        other = f"If this were so, the sums would go along dim {1 - dim}."
        nothing = f"If this were so, dim={dim} would name the axis that nothing happens to."
        return drawn(x.sum(1 - dim, keepdim=True), lit(other, *cells("x", lanes[1 - dim]), "r0"), lit(nothing))
    along = *cells("x", lanes[dim]), "r0"
    sums = x.sum(dim, keepdim=True)
    if answer == _summed(shape, dim, not keepdim):
        left = f"If this were so, axis {dim} would be {'gone' if keepdim else 'left, with size 1'}."
        absurd = "If this were so, keepdim=True would say nothing: the shape would be the same without it."
        if not keepdim:
            row, first = many(zeros(*answer)[0].numel(), "number"), x.sum(dim)[0].item()
            absurd = f"If this were so, {_call(dim, keepdim)}[0] would be a row of {row}. It is one number, {first}."
        return drawn(sums, lit(left, *along), lit(absurd))
    return drawn(sums, lit(f"Along dim {dim} lie {shape[dim]} numbers, and become one. dim {dim} is gone.", *along))


shape_of_a_sum = Question(
    case={"shape": (3, 4), "dim": 0, "keepdim": False},
    another=_a_sum,
    ask=lambda shape, dim, keepdim: f"x has shape {shape}. What is the shape of {_call(dim, keepdim)}?",
    key=_summed,
    misconceptions=(
        Misconception(
            "dim names what stays: axis 0 means rows",
            "dim names the axis along which numbers are added up. That axis is the one that goes.",
            lambda shape, dim, keepdim: _summed(shape, _others(shape, dim), keepdim),
        ),
        Misconception(
            "the axis that is summed stays, with size 1",
            "That is what keepdim=True asks for. Without it the axis is gone.",
            lambda shape, dim, keepdim: _summed(shape, dim, not keepdim),
        ),
        Misconception(
            "a sum is one number",
            "A sum over all axes is. Along one axis there is a sum for each place on the others.",
            lambda shape, dim, keepdim: _summed(shape, tuple(range(len(shape))), keepdim),
        ),
    ),
    why=lambda shape, dim, keepdim: (
        f"Axis {dim}, of size {shape[dim]}, is added up and "
        + ("is left with size 1. The others stay." if keepdim else "disappears. What is left keeps its order.")
    ),
    locked=lambda shape, dim, keepdim: grids(("x", "x", _points(shape))),
    played=_gone,
)


# Found in the playground: dim and keepdim for a shape.


def _a_wish(random: Random) -> dict[str, Any]:
    while True:
        shape, dim = tuple(random.sample(range(2, 8), 3)), random.randrange(3)
        if shape[dim] not in (dim, dim + 1, prod(shape) // shape[dim]):
            return {"shape": shape, "dim": dim, "keepdim": random.random() < 0.5}


def _dim_fault(answer: object, shape: Ints, dim: int, keepdim: bool) -> str:
    if same(answer, dim) or same(answer, dim - len(shape)):
        return ""
    if isinstance(answer, int) and not isinstance(answer, bool):
        inside = -len(shape) <= answer < len(shape)
        return "another axis goes then" if inside else f"y has axes 0 to {len(shape) - 1}"
    return astray(answer, dim) or "one whole number is asked for"


dim_and_keepdim = Blanks(
    "dim_and_keepdim",
    case={"shape": (2, 3, 4), "dim": 1, "keepdim": True},
    another=_a_wish,
    ask=lambda shape, dim, keepdim: (
        f"y has shape {shape}. The shape of y.sum(dim=..., keepdim=...) should be {_summed(shape, dim, keepdim)}.\n\n"
        "dim      which dim?\n"
        "keepdim  True or False?\n"
        "sums     how many sums are there?\n"
        "each     how many numbers are added up in each?"
    ),
    blanks={
        "dim": Blank(
            lambda shape, dim, keepdim: dim,
            (
                Misconception(
                    "axes are counted from 1", "The first axis is dim 0.", lambda shape, dim, keepdim: dim + 1
                ),
                Misconception(
                    "dim is a size",
                    "dim is the number of the axis, counted from 0, not how long it is.",
                    lambda shape, dim, keepdim: shape[dim],
                ),
            ),
            _dim_fault,
        ),
        "keepdim": Blank(
            lambda shape, dim, keepdim: keepdim,
            (
                Misconception(
                    "keepdim makes no difference to the shape",
                    "Count the axes that are left: with keepdim=True there are as many as before.",
                    lambda shape, dim, keepdim: not keepdim,
                ),
            ),
        ),
        "sums": Blank(
            lambda shape, dim, keepdim: prod(_summed(shape, dim, keepdim)),
            (
                Misconception(
                    "there is a sum for each place along dim",
                    "Those are the numbers that one sum adds up. There is a sum for each place on the other axes.",
                    lambda shape, dim, keepdim: shape[dim],
                ),
                Misconception(
                    "there are as many sums as numbers",
                    "Each sum takes in several.",
                    lambda shape, dim, keepdim: prod(shape),
                ),
            ),
        ),
        "each": Blank(
            lambda shape, dim, keepdim: prod(shape) // prod(_summed(shape, dim, keepdim)),
            (
                Misconception(
                    "a sum takes in all that the other axes hold",
                    "It goes along dim alone: one number for each place there.",
                    lambda shape, dim, keepdim: prod(shape) // shape[dim],
                ),
            ),
        ),
    },
    why=lambda shape, dim, keepdim: (
        f"Of {shape}, axis {dim} is the one that "
        + ("has size 1 now" if keepdim else "is gone")
        + f". Along it lie {shape[dim]} numbers, which are one sum. The other axes have {prod(shape) // shape[dim]} "
        "places, and there is a sum for each."
    ),
    hints=(
        "Write the wanted shape below the shape of y: which size is gone, or has become 1?",
        "Gone: keepdim is False. Still there, as a 1: it is True.",
        "There are as many sums as the result has cells, and each adds up as many numbers as dim is long.",
    ),
)


# Softmax along the wrong dim: what adds up to 1?

Kind = tuple[str, int]


def _scores(random: Random) -> dict[str, Any]:
    return {"shape": tuple(random.sample(range(2, 8), 2)), "dim": random.choice((0, 1, -1, -2))}


def _some_scores(shape: Ints) -> Tensor:
    return tensor([[float((2 * i + 3 * j + 1) % 5) for j in range(shape[1])] for i in range(shape[0])])


def _add_up(shape: Ints, dim: int) -> Kind:
    """The numbers that add up to 1, by trying."""
    p = softmax(_some_scores(shape), dim)
    down = p.sum(0)
    return ("column", shape[0]) if bool(((down - 1).abs() < 1e-4).all()) else ("row", shape[1])


def _kind(kind: Kind) -> str:
    name, numbers = kind
    if name == "none":
        return "none of these: each number is worked out by itself"
    return f"all {numbers} numbers together" if name == "all" else f"the {numbers} numbers of a {name}"


def _shared(kind: Kind, shape: Ints, dim: int) -> Scene:
    """Scores, and what they would become."""
    scores, (name, many) = _some_scores(shape), kind
    row, column = cells("p", range(shape[1])), cells("p", range(0, prod(shape), shape[1]))

    def drawn(p: Tensor, *frames: Any) -> Scene:
        return grids(("scores", "s", scores), ("p", "p", p.mul(100).round() / 100), frames=frames)

    if name == "none":
        alone = "If this were so, each number of p would come from one score alone."
        absurd = "If this were so, dim would say nothing, and a share would be a share of nothing."
        return drawn(scores.sigmoid(), lit(alone, "s0", "p0"), lit(absurd))
    if name == "all":
        together = f"If this were so, all {many} shares would add up to 1."
        absurd = "If this were so, dim would say nothing: dim=0 and dim=1 would give the same."
        return drawn(softmax(scores.view(-1), 0).view(*shape), lit(together, *cells("p", range(many))), lit(absurd))
    along, lane = (0, column) if name == "column" else (1, row)
    p = softmax(scores, along)
    if dim % 2 == along:
        return drawn(p, lit(f"The {many} shares of a {name} add up to 1.", *lane))
    would = f"If this were so, the {many} shares of a {name} would add up to 1."
    absurd = f"If this were so, dim={dim} would share along dim {along}, and dim={along} along dim {1 - along}."
    return drawn(p, lit(would, *lane), lit(absurd))


what_adds_up = Question(
    case={"shape": (3, 4), "dim": 0},
    another=_scores,
    ask=lambda shape, dim: (
        f"scores has shape {shape}: {shape[0]} pictures, with a score for each of {shape[1]} animals.\n"
        f"  p = torch.softmax(scores, dim={dim})\nWhat adds up to 1 in p?"
    ),
    key=_add_up,
    misconceptions=(
        Misconception(
            "dim 0 means for each row, dim 1 for each column",
            "dim is the axis along which the numbers belong together. Along dim 0 one goes down a column.",
            lambda shape, dim: ("row", shape[1]) if dim % 2 == 0 else ("column", shape[0]),
        ),
        Misconception(
            "softmax shares 1 among all numbers",
            "It does so along one axis, again for each place on the others.",
            lambda shape, dim: ("all", prod(shape)),
        ),
        Misconception(
            "softmax looks at one number at a time",
            "Each number becomes its share of what lies along dim: it needs the others there.",
            lambda shape, dim: ("none", 0),
        ),
    ),
    why=lambda shape, dim: (
        f"dim {dim} is the axis of the {('pictures', 'animals')[dim]}: the shares are among the {shape[dim]} "
        + (
            "pictures. That is the wrong way for the pictures, and nothing says so: the shape is right."
            if dim % 2 == 0
            else "animals, for each picture: the way it should be."
        )
    ),
    words=_kind,
    locked=lambda shape, dim: grids(("scores", "s", _some_scores(shape))),
    played=_shared,
)


# Centre the rows.


def _a_grid(random: Random) -> dict[str, Any]:
    return {"x": numbers(random, random.randint(1, 4), random.randint(1, 5))}


centred_rows = Exercise(
    "centred_rows",
    example=lambda: {"x": tensor([[1.0, 5.0, 3.0], [2.0, 2.0, 8.0]])},
    another=_a_grid,
    key=lambda x: x - x.mean(1, keepdim=True),
    model=models.centred_rows,
    misconceptions=(
        Misconception(
            "axis 0 means rows",
            "mean(0) goes down the columns. The mean of a row goes along dim 1.",
            lambda x: x - x.mean(0),
        ),
        Misconception(
            "a mean is one number",
            "Without dim it is one, of all numbers. Each row has a mean of its own.",
            lambda x: x - x.mean(),
        ),
        Misconception(
            "to centre is to take away the sum",
            "Take away the mean: then what is left of a row adds up to 0.",
            lambda x: x - x.sum(1, keepdim=True),
        ),
        Misconception(
            "the means are what is asked for",
            "They are what is to be taken away from x.",
            lambda x: x.mean(1, keepdim=True),
        ),
        Misconception(
            "a transpose makes it fit",
            "It does, and then the result lies on its side. keepdim=True makes it fit as it stands.",
            lambda x: x.T - x.mean(1),
        ),
    ),
    flows=("x",),
    edges=lambda: ({"x": zeros(0, 3)}, {"x": zeros(2, 0)}),
    hints=(
        "What shape has x.mean(dim=1)? In x - x.mean(dim=1), which axis of x does it line up with?",
        "keepdim=True leaves an axis of size 1, where dim was. Then each mean lines up with its own row.",
        "Take the mean along dim 1 with keepdim, and take it away from x.",
    ),
)


# Softmax by hand.


def _scores_and_dim(random: Random) -> dict[str, Any]:
    rank = random.choice((1, 2, 2, 2, 3, 3, 4))
    shape = [random.randint(1 if random.random() < 0.2 else 2, 4 if rank < 4 else 2) for _ in range(rank)]
    return {"x": numbers(random, *shape), "dim": random.randrange(-rank if random.random() < 0.3 else 0, rank)}


def _shares(x: Tensor, dim: int | tuple[int, ...]) -> Tensor:
    return x.exp() / x.exp().sum(dim, keepdim=True)


SOFTMAXES = (
    *("softmax", "log_softmax", "softmin", "gumbel_softmax", "logsumexp"),
    *("Softmax", "LogSoftmax", "Softmin", "Softmax2d"),
)


def _borrowed(function: Callable[..., Tensor]) -> str:
    taken = borrowed(function, SOFTMAXES)
    return f"it calls {taken}, which is what is to be written. Use exp, sum and /" if taken else ""


softmax_by_hand = Exercise(
    "softmax_by_hand",
    example=lambda: {"x": tensor([[1.0, 3.0, 2.0], [0.0, 1.0, 5.0]]), "dim": 1},
    another=_scores_and_dim,
    key=lambda x, dim: softmax(x, dim),
    model=models.softmax_by_hand,
    misconceptions=(
        Misconception(
            "dim names what stays",
            "Sum along dim itself: the numbers that lie along it share 1.",
            lambda x, dim: _shares(x, _others(x.shape, dim)),
        ),
        Misconception(
            "dim names what stays",
            "Sum along dim itself: the numbers that lie along it share 1. And x may have any number of axes.",
            lambda x, dim: _shares(x, int(x.ndim == 2 and dim == 0)),
        ),
        Misconception(
            "dim is 1, as in the example",
            "It may be any axis. Use the dim that is given.",
            lambda x, dim: _shares(x, min(1, x.ndim - 1)),
        ),
        Misconception(
            "softmax shares 1 among all numbers",
            "Only among those that lie along dim. Give sum its dim.",
            lambda x, dim: x.exp() / x.exp().sum(),
        ),
        Misconception(
            "the share of a number is the number over the sum",
            "Take exp of both first: then no share is negative.",
            lambda x, dim: x / x.sum(dim, keepdim=True),
        ),
        Misconception(
            "softmax ends with exp",
            "Then each number still has to be divided by the sum along dim.",
            lambda x, dim: x.exp(),
        ),
    ),
    form=_borrowed,
    flows=("x",),
    edges=lambda: ({"x": tensor(2.0), "dim": 0}, {"x": zeros(2, 0), "dim": 0}),
    hints=(
        "Two steps: exp of each number, then each divided by a sum.",
        "The sum is along dim itself: the numbers that lie along it share 1.",
        "Keep the axis with keepdim=True, so that each sum lines up with the numbers that it divides.",
    ),
)
