"""Checks of lesson 17: what a reduction sends back, where equal numbers share, and an index that comes twice."""

from collections.abc import Callable, Sequence
from math import lcm
from random import Random
from typing import Any

from ..autograd import grad
from ..claims.claim import worked
from ..claims.tree import added, called, times
from ..ops.creation import tensor, zeros
from ..scene import Frame, Scene
from ..tensor import Tensor
from . import models
from .kit.answers.misconception import Misconception
from .kit.answers.source import borrows
from .kit.exercises.cases import EIGHTHS, numbers, vjp
from .kit.exercises.exercise import Exercise
from .kit.exercises.handing import handing_in
from .kit.questions.grids import grids, lit
from .kit.questions.question import Question
from .kit.questions.stages import SUPPOSED
from .kit.questions.turned import so, supposing, waiting
from .museum_of_real_bugs import compare, guest

__all__ = ["compare", "guest", "hand_in", "what_a_row_gets", "what_comes_twice", "what_equals_get", "vjp_amax",
           "vjp_embedding", "vjp_mean"]  # fmt: skip

Row = tuple[int, ...]
Rows = Sequence[Row]


def _row(parts: Sequence[float]) -> str:
    return ", ".join(f"{part:g}" for part in parts)


def _sent(name: str, rows: Rows, g: Sequence[float], dim: int = 1) -> list[list[float]]:
    """The gradient that the library leaves in x, when g arrives at a reduction of it."""
    x = tensor(rows).float().requires_grad_()
    [found] = grad(getattr(x, name)(dim), [x], tensor(g).float())
    return found.tolist()


# What a row gets of a mean.


def _a_mean(random: Random) -> dict[str, Any]:
    """Rows, and what arrives: a number that all answers divide without a rest."""
    while True:
        many, wide = random.sample((2, 3, 4, 5), 2)
        rows = tuple(tuple(random.randint(0, 9) for _ in range(wide)) for _ in range(many))
        total = sum(rows[0])
        if len(set(rows[0])) < wide or lcm(total, wide, many) > 120:
            continue
        first = lcm(total, wide, many) * random.choice((1, -1))
        return {"rows": rows, "g": (first, *(random.choice((-12, -6, 6, 12, 24)) for _ in rows[1:]))}


def _of_a_mean(rows: Rows, g: Row) -> Row:
    return tuple(int(round(n)) for n in _sent("mean", rows, g)[0])


def _mean_if(row: Row, rows: Rows, g: Row) -> Scene:
    wide, first = len(rows[0]), g[0]
    if row == _of_a_mean(rows, g):
        return so("mean", rows, g)
    if len(set(row)) > 1:
        low, high = rows[0].index(min(rows[0])), rows[0].index(max(rows[0]))
        moves = f"1 more in x[0, {high}] and 1 less in x[0, {low}] would move the loss by"
        moves = f"{moves} {worked(called('-', [row[high], row[low]]))}"
        absurd = "the loss would move, and its mean would not: the sum of row 0 stays"
        return supposing("mean", rows, g, row, moves, absurd)
    moves = f"1 more in each cell of row 0 would move the loss by {worked(times(wide, row[0]))}"
    absurd = f"the mean would move by 1, and the loss not by {first}, as g[0] says"
    return supposing("mean", rows, g, row, moves, absurd)


what_a_row_gets = Question(
    case={"rows": ((2, 5, 8, 0), (6, 9, 1, 4), (10, 2, 5, 8)), "g": (60, 12, 24)},
    another=_a_mean,
    ask=lambda rows, g: (
        f"x has shape ({len(rows)}, {len(rows[0])}), and its row 0 holds {_row(rows[0])}. y = x.mean(dim=1). "
        f"The gradient {g[0]} arrives at y[0]. What does row 0 of x.grad hold?"
    ),
    key=_of_a_mean,
    misconceptions=(
        Misconception(
            "what arrives goes whole to all that were reduced",
            "That is so for a sum. A mean divides, so each cell moves it by a part only.",
            lambda rows, g: tuple(g[0] for _ in rows[0]),
        ),
        Misconception(
            "who brought more gets more",
            "1 more in any cell moves the mean by the same. How large the number is plays no part.",
            lambda rows, g: tuple(g[0] * n // sum(rows[0]) for n in rows[0]),
        ),
        Misconception(
            "a mean divides by the number of rows",
            "It divides by how many numbers it takes in: those along dim 1, in one row.",
            lambda rows, g: tuple(g[0] // len(rows) for _ in rows[0]),
        ),
    ),
    why=lambda rows, g: (
        f"1 more in a cell of row 0 moves y[0] by 1/{len(rows[0])}, whichever cell it is. So each gets "
        f"{worked(called('/', [g[0], len(rows[0])]))}."
    ),
    words=_row,
    locked=lambda rows, g: waiting("mean", rows, g),
    played=_mean_if,
)


# Equal ones.


def _equals(random: Random) -> dict[str, Any]:
    """Rows of which the first has its largest number two or three times."""
    wide = random.choice((3, 4, 5))
    times, top = random.randint(2, min(3, wide - 1)), random.randint(6, 9)
    first = [top] * times + random.sample(range(5), wide - times)
    random.shuffle(first)
    second = random.sample(range(10), wide)
    g = lcm(times, wide) * random.choice((1, 2, -1, -2))
    return {"rows": (tuple(first), tuple(second)), "g": (g, random.choice((5, 7, -5)))}


def _of_equals(rows: Rows, g: Row) -> Row:
    return tuple(int(round(n)) for n in _sent("amax", rows, g)[0])


def _largest(rows: Rows) -> list[int]:
    return [k for k, n in enumerate(rows[0]) if n == max(rows[0])]


def _equals_if(row: Row, rows: Rows, g: Row) -> Scene:
    places, largest, first = _largest(rows), max(rows[0]), g[0]
    if row == _of_equals(rows, g):
        return so("amax", rows, g)
    if sum(map(bool, row)) == 1:
        moves = f"x[0, {places[1]}] would get nothing, though it is as large as x[0, {places[0]}]"
        absurd = "the place of a number would count. amax looks at how large they are, and says no place"
    elif all(row):
        low = rows[0].index(min(rows[0]))
        moves = f"1 more in x[0, {low}] would move the loss by {row[low]}"
        absurd = f"the loss would move, and y[0] would not: x[0, {low}] is {rows[0][low] + 1} then, less than {largest}"
    else:
        moves = f"1 more in each of the largest would move the loss by {worked(times(len(places), first))}"
        absurd = f"the maximum would move by 1, to {largest + 1}, and the loss not by {first}, as g[0] says"
    return supposing("amax", rows, g, row, moves, absurd)


what_equals_get = Question(
    case={"rows": ((3, 7, 7), (5, 2, 4)), "g": (6, 5)},
    another=_equals,
    ask=lambda rows, g: (
        f"x has shape (2, {len(rows[0])}), and its row 0 holds {_row(rows[0])}. y = x.amax(dim=1), the largest of "
        f"each row. The gradient {g[0]} arrives at y[0]. As PyTorch chose, amax treats equal numbers alike. What does "
        "row 0 of x.grad hold?"
    ),
    key=_of_equals,
    misconceptions=(
        Misconception(
            "each of the largest gets all that arrives",
            "Move all of them by 1: the maximum moves by 1, once. What they get comes to what arrived.",
            lambda rows, g: tuple(g[0] if n == max(rows[0]) else 0 for n in rows[0]),
        ),
        Misconception(
            "the first of the largest gets all",
            "x.max(dim=1) gives all to one: it has an index, too. amax shares among equal numbers.",
            lambda rows, g: tuple(g[0] if k == _largest(rows)[0] else 0 for k in range(len(rows[0]))),
        ),
        Misconception(
            "all cells of the lane share",
            "A cell that is not among the largest can be moved a little, and the maximum stays. It gets 0.",
            lambda rows, g: tuple(g[0] // len(rows[0]) for _ in rows[0]),
        ),
    ),
    why=lambda rows, g: (
        f"The largest is {max(rows[0])}, and stands there {len(_largest(rows))} times. These share what arrives: "
        f"{worked(called('/', [g[0], len(_largest(rows))]))}. The others get 0."
    ),
    words=_row,
    locked=lambda rows, g: waiting("amax", rows, g),
    played=_equals_if,
)


# The core exercises: a mean, and a maximum.

OWN = borrows("backward", "grad", "vjp", "jacobian")


def _reduced(random: Random, draw: Callable[..., Tensor]) -> dict[str, Any]:
    """A tensor of one to four axes, an axis of it, and what arrives at the reduction along that."""
    rank = random.choice((1, 2, 2, 2, 3, 3, 4))
    shape = [random.choice((1, 2, 3, 4)) if rank < 4 else random.choice((1, 2, 3)) for _ in range(rank)]
    dim = random.randrange(-rank if random.random() < 0.3 else 0, rank)
    kept = [size for d, size in enumerate(shape) if d != dim % rank]
    return {"g": numbers(random, *kept, nonzero=True), "x": draw(random, *shape), "dim": dim}


def _backward(reduction: Callable[[Tensor, int], Tensor]) -> Callable[..., Tensor]:
    """The gradient that the engine gives x."""

    return lambda g, x, dim: vjp(lambda x: reduction(x, dim), g, x)[0]


def _spread(g: Tensor, x: Tensor, dim: int) -> Tensor:
    return g.unsqueeze(dim).expand(x.shape).clone()


def _one_after_another(g: Tensor, x: Tensor, dim: int) -> Tensor:
    return g.reshape(-1).repeat(x.shape[dim]).reshape(x.shape)


vjp_mean = Exercise(
    "vjp_mean",
    example=lambda: {"g": tensor([6.0, 12.0]), "x": tensor([[1.0, 5.0, 3.0], [2.0, 2.0, 8.0]]), "dim": 1},
    another=lambda random: _reduced(random, numbers),
    key=_backward(lambda x, dim: x.mean(dim)),
    model=models.vjp_mean,
    misconceptions=(
        Misconception(
            "what arrives goes whole to all that were reduced",
            "That is a sum's gradient. A mean divides by how many there are along dim.",
            _spread,
        ),
        Misconception(
            "a mean divides by all cells of x",
            "Along dim lie x.shape[dim] numbers, and by so many it divides.",
            lambda g, x, dim: _spread(g, x, dim) / max(x.numel(), 1),
        ),
        Misconception(
            "a mean divides by the number of rows",
            "It divides by how many numbers lie along dim, whichever axis that is.",
            lambda g, x, dim: _spread(g, x, dim) / max(x.shape[0], 1),
        ),
        Misconception(
            "upstream can be ignored",
            "1/n is by how much y moves. The loss moves by g times that.",
            lambda g, x, dim: (x * 0 + 1) / max(x.shape[dim], 1),
        ),
        Misconception(
            "if the sizes fit, the numbers stand in their lanes",
            "The axis that comes back stands where dim was: g.unsqueeze(dim), then expand.",
            lambda g, x, dim: _one_after_another(g, x, dim) / max(x.shape[dim], 1),
        ),
        Misconception(
            "the way back is a mean, too",
            "Forward many become one. Backward one becomes many: nothing of g is averaged.",
            lambda g, x, dim: (x * 0 + g.sum() / max(g.numel(), 1)) / max(x.shape[dim], 1),
        ),
    ),
    form=OWN,
    edges=lambda: ({"g": zeros(3), "x": zeros(0, 3), "dim": 0}, {"g": zeros(0), "x": zeros(0, 3), "dim": 1}),
    hints=(
        "g has one axis less than x. g.unsqueeze(dim) gives it back, with size 1.",
        "expand(x.shape) repeats a number along its lane.",
        "A mean divides by x.shape[dim]: so does its gradient.",
    ),
)


def _with_equals(random: Random, *shape: int) -> Tensor:
    """Numbers of which some are equal, and some nearly so; in a lane its largest, now and then."""
    many = random.sample(EIGHTHS, 3) + [0]
    drawn = numbers(random, *shape)
    flat = drawn.view(-1)
    for k in range(flat.numel()):
        flat[k] = random.choice(many) / 8 + random.choice((0, 0, 0, 2**-10))
    return drawn


def _top(x: Tensor, dim: int) -> Tensor:
    return (x == x.amax(dim, keepdim=True)).float()


def _near(x: Tensor, dim: int) -> Tensor:
    return (x > x.amax(dim, keepdim=True) - 0.01).float()


def _first_alone(g: Tensor, x: Tensor, dim: int) -> Tensor:
    return zeros(*x.shape).scatter(dim, x.argmax(dim, keepdim=True), g.unsqueeze(dim))


vjp_amax = Exercise(
    "vjp_amax",
    example=lambda: {"g": tensor([6.0, 5.0]), "x": tensor([[3.0, 7.0, 7.0], [5.0, 2.0, 4.0]]), "dim": 1},
    another=lambda random: _reduced(random, _with_equals),
    key=_backward(lambda x, dim: x.amax(dim)),
    model=models.vjp_amax,
    misconceptions=(
        Misconception(
            "each of the largest gets all that arrives",
            "Together they move the maximum by 1. So they share: divide by how many they are, lane by lane.",
            lambda g, x, dim: g.unsqueeze(dim) * _top(x, dim),
        ),
        Misconception(
            "the first of the largest gets all",
            "x.max(dim) does that, since it has an index. amax shares among equal numbers.",
            _first_alone,
        ),
        Misconception(
            "all cells of the lane share",
            "Who is not the largest moves nothing, and gets 0.",
            lambda g, x, dim: _spread(g, x, dim) / x.shape[dim],
        ),
        Misconception(
            "upstream can be ignored",
            "What arrives is what is shared out: multiply by g.",
            lambda g, x, dim: _top(x, dim) / _top(x, dim).sum(dim, keepdim=True),
        ),
        Misconception(
            "nearly equal is equal",
            "Who is a little smaller can be moved, and the maximum stays. Compare with ==: the largest is one of them.",
            lambda g, x, dim: g.unsqueeze(dim) * _near(x, dim) / _near(x, dim).sum(dim, keepdim=True),
        ),
        Misconception(
            "the largest is one number for the whole tensor",
            "Each lane has a largest number of its own: x.amax(dim, keepdim=True).",
            lambda g, x, dim: g.unsqueeze(dim) * (x == x.max()).float() / (x == x.max()).sum().item(),
        ),
        Misconception(
            "how many they are is counted in the whole tensor",
            "Count in each lane: top.sum(dim, keepdim=True).",
            lambda g, x, dim: g.unsqueeze(dim) * _top(x, dim) / _top(x, dim).sum().item(),
        ),
    ),
    form=OWN,
    edges=lambda: ({"g": zeros(0), "x": zeros(0, 3), "dim": 1},),
    hints=(
        "top = x == x.amax(dim, keepdim=True) says who is the largest of its lane.",
        "top.sum(dim, keepdim=True) says how many they are.",
        "g.unsqueeze(dim) fans out over the lane. Multiply it by top, and divide by how many.",
    ),
)


# More: an index that comes twice.


def _words(random: Random) -> dict[str, Any]:
    """An index of four in which one stands twice, and what arrives, with a whole mean of the two."""
    many = random.choice((3, 4))
    twice = random.randrange(many)
    others = random.sample([k for k in range(many) if k != twice], 2)
    index = [twice, twice, *others]
    random.shuffle(index)
    g = random.sample([n for n in range(-9, 10) if n], 4)
    first, second = (k for k, i in enumerate(index) if i == twice)
    if (g[first] + g[second]) % 2 or not g[first] + g[second]:
        return _words(random)
    return {"many": many, "index": tuple(index), "g": tuple(g)}


def _added(many: int, index: Row, g: Row) -> Row:
    x = zeros(many, requires_grad=True)
    [found] = grad(x[tensor(index)], [x], tensor(g).float())
    return tuple(map(int, found.tolist()))


def _from(many: int, index: Row, g: Row, join: Callable[[list[int]], int]) -> Row:
    """The gradient of each number of x, of what those send that read it; 0 where nobody does."""
    parts = [[part for part, i in zip(g, index, strict=True) if i == k] for k in range(many)]
    return tuple(join(part) if part else 0 for part in parts)


def _picks(row: Sequence[object], index: Row, g: Row, *frames: Frame) -> Scene:
    """Numbers, an index, what it picks, what arrives there, and what x.grad holds."""
    x = [10 * k + 10 for k in range(len(row))]
    columns = {"x": x, "index": index, "y": [x[i] for i in index], "g": g, "x.grad": row}
    named = zip(columns, "xiygd", columns.values(), strict=True)
    return grids(*((name, letter, [[n] for n in some]) for name, letter, some in named), grads="gd", frames=frames)


def _twice_if(row: Row, many: int, index: Row, g: Row) -> Scene:
    twice = next(i for i in index if index.count(i) == 2)
    readers = [k for k, i in enumerate(index) if i == twice]
    at = [f"x{twice}", f"d{twice}", *(f"{letter}{k}" for k in readers for letter in "iyg")]
    both, total = " and ".join(f"y[{k}]" for k in readers), worked(added(g[k] for k in readers))
    if row == _added(many, index, g):
        return _picks(row, index, g, lit(f"{both} read x[{twice}], and both send something back: {total}.", *at))
    moves = f"1 more in x[{twice}] would move the loss by {row[twice]}"
    truth = f"{both} would move by 1, and the loss not by {total}, as g says"
    return _picks(row, index, g, *(lit(f"{SUPPOSED}, {said}.", *at) for said in (moves, truth)))


what_comes_twice = Question(
    case={"many": 3, "index": (2, 0, 2, 1), "g": (1, 5, 3, 7)},
    another=_words,
    ask=lambda many, index, g: (
        f"x has shape ({many},), and y = x[torch.tensor([{_row(index)}])]. The gradient {_row(g)} arrives at y. "
        "What does x.grad hold?"
    ),
    key=_added,
    misconceptions=(
        Misconception(
            "what comes later is written over what was there",
            "Both have read the number, so both move with it. Their parts are added.",
            lambda many, index, g: _from(many, index, g, lambda parts: parts[-1]),
        ),
        Misconception(
            "who was there first keeps its gradient",
            "Both have read the number, so both move with it. Their parts are added.",
            lambda many, index, g: _from(many, index, g, lambda parts: parts[0]),
        ),
        Misconception(
            "two that read one number send their mean",
            "Each moves the loss by its own part, as in lesson 11. Nothing divides.",
            lambda many, index, g: _from(many, index, g, lambda parts: sum(parts) // len(parts)),
        ),
    ),
    why=lambda many, index, g: (
        "Each number of g goes back to where the index says, and what comes to one place is added up: "
        f"{_row(_added(many, index, g))}."
    ),
    words=_row,
    locked=lambda many, index, g: _picks([""] * many, index, g),
    played=_twice_if,
)


def _a_table(random: Random) -> dict[str, Any]:
    rows, width, shape = random.randint(1, 5), random.randint(1, 3), (random.randint(1, 5),)
    if random.random() < 0.3:
        shape = (random.randint(1, 2), random.randint(1, 3))
    count = shape[0] * shape[-1] ** (len(shape) - 1)
    words = tensor([random.randrange(rows) for _ in range(count)]).reshape(shape)
    return {"g": numbers(random, *shape, width), "words": words, "rows": rows}


def _looked_up(g: Tensor, words: Tensor, rows: int) -> Tensor:
    table = zeros(rows, g.shape[-1], requires_grad=True)
    return grad(table[words], [table], g)[0]


def _each_row(g: Tensor, words: Tensor, rows: int, join: Callable[[list[Tensor]], Tensor]) -> Tensor:
    table, parts = zeros(rows, g.shape[-1]), g.reshape(-1, g.shape[-1])
    flat = words.reshape(-1).tolist()
    for row in set(flat):
        table[row] = join([part for part, word in zip(parts, flat, strict=True) if word == row])
    return table


def _in_order(g: Tensor, words: Tensor, rows: int) -> Tensor:
    table, parts = zeros(rows, g.shape[-1]), g.reshape(-1, g.shape[-1])[:rows]
    table[: len(parts)] = parts
    return table


vjp_embedding = Exercise(
    "vjp_embedding",
    example=lambda: {"g": tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]), "words": tensor([2, 0, 2]), "rows": 3},
    another=_a_table,
    key=_looked_up,
    model=models.vjp_embedding,
    misconceptions=(
        Misconception(
            "what comes later is written over what was there",
            "table[words] = g and table[words] += g write each place once: one part stays, and PyTorch does not "
            "promise which. Add part after part, in a loop or by index_add_.",
            lambda g, words, rows: _each_row(g, words, rows, lambda parts: parts[-1]),
        ),
        Misconception(
            "who was there first keeps its gradient",
            "All that have read a row send something back to it: add them.",
            lambda g, words, rows: _each_row(g, words, rows, lambda parts: parts[0]),
        ),
        Misconception(
            "two that read one row send their mean",
            "Each moves the loss by its own part. Nothing divides.",
            lambda g, words, rows: _each_row(g, words, rows, lambda parts: sum(parts) / len(parts)),
        ),
        Misconception(
            "the rows come back in the order in which they were read",
            "words says where each of them came from. There it goes back to.",
            _in_order,
        ),
    ),
    form=borrows("backward", "grad", "vjp", "jacobian", "embedding", "embedding_backward"),
    edges=lambda: ({"g": zeros(0, 2), "words": tensor([1])[:0], "rows": 3},),
    hints=(
        "Begin with torch.zeros(rows, g.shape[-1]).",
        "words.reshape(-1) and g.reshape(-1, g.shape[-1]) have a word and a part for each other: zip them.",
        "In the loop: table[word] += part. One word at a time, it adds.",
    ),
)


hand_in = handing_in(__name__)
