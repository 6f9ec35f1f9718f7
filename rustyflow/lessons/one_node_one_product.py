"""Checks of lesson 09: a node multiplies what arrives by factors of its own, and builds no table."""

from collections.abc import Callable, Mapping, Sequence
from operator import mul, truediv
from random import Random
from typing import Any

from ..claims.claim import worked
from ..claims.tree import times
from ..dtype import float64
from ..ops.creation import ones, tensor
from ..scene import Scene
from ..tensor import Tensor
from . import models
from .kit.answers.handed_back import judged
from .kit.answers.misconception import Misconception
from .kit.answers.source import borrows
from .kit.exercises.blanks import Blank, Blanks
from .kit.exercises.cases import evenly, numbers, vjp
from .kit.exercises.exercise import Exercise
from .kit.programs import worlds
from .kit.questions import factor_picture
from .kit.questions.question import Question

Ints = Sequence[int]


def _sent(op: Callable[..., Tensor], g: Any, *operands: Any) -> tuple[Tensor, ...]:
    """The gradients that a node hands to its operands when g arrives."""
    return vjp(op, *(tensor(x, dtype=float64) for x in (g, *operands)))


# The gradient of a factor when 10 arrives.

FACTORS = [n for n in range(-9, 10) if abs(n) > 1]


def _three_numbers(random: Random) -> Mapping[str, Any]:
    return evenly(upstream_of_ten, random, lambda: {name: random.choice(FACTORS) for name in ("a", "b", "g")})


upstream_of_ten = Question(
    case={"a": 3, "b": 7, "g": 10},
    another=_three_numbers,
    ask=lambda a, b, g: (
        f"a is {a}, b is {b}, and c = a * b is {a * b}. The upstream gradient of c is {g}: at the end of the program "
        f"the loss moves by {g} for one unit of c. What is the gradient of a?"
    ),
    key=lambda a, b, g: int(_sent(mul, float(g), float(a), float(b))[0].item()),
    misconceptions=(
        Misconception(
            "the gradient of a factor is the other factor, whatever comes after",
            "The other factor is how far c moves. For each unit of that the loss moves by what arrives, so multiply.",
            lambda a, b, g: b,
        ),
        Misconception(
            "what arrives is multiplied by the operand itself",
            "Move a by 1, and c moves by b, not by a.",
            lambda a, b, g: g * a,
        ),
        Misconception(
            "what arrives is multiplied by the result",
            "What counts is how far the result moves, not how large it is.",
            lambda a, b, g: g * a * b,
        ),
    ),
    why=lambda a, b, g: (
        f"For one unit of a, c moves by {b}. For one unit of c, the loss moves by {g}. {worked(times(g, b))}."
    ),
    locked=factor_picture.waiting,
    played=factor_picture.told,
)


# Another end of the program.


def _by_backward(a: int, b: int, end: int) -> tuple[float, float, float]:
    x, y = (tensor(float(n), requires_grad=True) for n in (a, b))
    c = x * y
    c.retain_grad()
    (c / end).backward()
    return c.grad.item(), x.grad.item(), y.grad.item()


IGNORED = "That is how far c moves. Multiply it by what arrives at c."

CHANGED = "what stands on the screen is what is asked for"
BACK = "That is for half of the number in the question. Was it changed before, in the figure or in a cell of yours?"

another_end = Blanks(
    "another_end",
    case={"a": 3, "b": 7, "end": 4},
    another=lambda random: {
        "a": random.choice((3, 5)),
        "b": random.choice((6, 7, 9)),
        "end": random.choice((4, 8)),
    },
    ask=lambda a, b, end: (
        f"a is {a}, b is {b}, c = a * b, and loss = c / {end}.\n\n"
        "arrives   the upstream gradient of c\ngrad_a    the gradient of a\ngrad_b    the gradient of b"
    ),
    blanks={
        "arrives": Blank(
            lambda a, b, end: _by_backward(a, b, end)[0],
            (
                Misconception(
                    "what arrives is what came out",
                    "The number that came out is a value. A gradient says how far the loss moves for one unit of c.",
                    lambda a, b, end: a * b / end,
                ),
                Misconception(
                    "to divide forward is to multiply backward",
                    "The loss moves by a part of what c moves by. That part is the gradient.",
                    lambda a, b, end: end,
                ),
                Misconception(CHANGED, BACK, lambda a, b, end: _by_backward(a, b, end / 2)[0]),
            ),
        ),
        "grad_a": Blank(
            lambda a, b, end: _by_backward(a, b, end)[1],
            (
                Misconception("the upstream gradient does not matter", IGNORED, lambda a, b, end: b),
                Misconception(
                    "what arrives is multiplied by the operand itself",
                    "Move a by 1, and c moves by b.",
                    lambda a, b, end: a / end,
                ),
                Misconception(CHANGED, BACK, lambda a, b, end: _by_backward(a, b, end / 2)[1]),
            ),
        ),
        "grad_b": Blank(
            lambda a, b, end: _by_backward(a, b, end)[2],
            (
                Misconception("the upstream gradient does not matter", IGNORED, lambda a, b, end: a),
                Misconception(
                    "what arrives is multiplied by the operand itself",
                    "Move b by 1, and c moves by a.",
                    lambda a, b, end: b / end,
                ),
                Misconception(CHANGED, BACK, lambda a, b, end: _by_backward(a, b, end / 2)[2]),
            ),
        ),
    },
    why=lambda a, b, end: (
        f"Move c by one unit, and the loss moves by {1 / end:g}. "
        f"The factors of the node are what they were: {b} for a, {a} for b."
    ),
    hints=(
        "Move c by 1: how far does c divided by that number move? That arrives at c.",
        "The factors of the node did not change: b for a, and a for b.",
        "Multiply what arrives by each of the factors.",
    ),
)


# Three numbers at once.


def _three_cells(random: Random) -> Mapping[str, Any]:
    while True:
        case = {name: tuple(random.sample(range(2, 10), 3)) for name in ("a", "b")}
        case["g"] = tuple(random.sample(range(1, 11), 3))
        answers = {three_at_once.key(**case), *(m.answer(**case) for m in three_at_once.misconceptions)}
        if len(answers) == 4:
            return case


def _whole(x: Any) -> Any:
    """Numbers of a gradient as whole numbers in tuples."""
    return tuple(map(_whole, x)) if isinstance(x, list | tuple) else int(x)


def _cells(a: Ints, b: Ints, g: Ints) -> tuple[int, ...]:
    return _whole(_sent(mul, g, a, b)[0].tolist())


def _table(numbers: Ints) -> tuple[tuple[int, ...], ...]:
    """A table that has numbers on its diagonal, and 0 elsewhere."""
    return tuple(tuple(n if i == j else 0 for j in range(len(numbers))) for i, n in enumerate(numbers))


def _each_moved(answer: Any, a: Ints, b: Ints, g: Ints) -> Scene:
    """The moves of the loss for a unit of each cell of u, in both worlds."""
    u, v, counts = (tensor(numbers, dtype=float64) for numbers in (a, b, g))
    if isinstance(answer[0], tuple):
        shapes = (tuple(tensor(gradient).shape) for gradient in (answer, _cells(a, b, g)))
        return worlds.world(worlds.row("u.shape", *[tuple(u.shape)] * 2), worlds.row("u.grad.shape", *shapes))

    def moved(k: int) -> int:
        more = u.clone()
        more[k] += 1
        return int(((more * v - u * v) * counts).sum().item())

    names = [f"the move of the loss for 1 more in u[{k}]" for k in range(len(a))]
    if answer == _cells(a, b, g):
        return worlds.ran(*((name, moved(k)) for k, name in enumerate(names)))
    return worlds.world(*(worlds.row(name, answer[k], moved(k)) for k, name in enumerate(names)))


three_at_once = Question(
    case={"a": (2, 5, 7), "b": (3, 4, 6), "g": (10, 1, 2)},
    another=_three_cells,
    ask=lambda a, b, g: (
        f"u holds {', '.join(map(str, a))}, v holds {', '.join(map(str, b))}, and w = u * v, cell by cell. "
        f"The upstream gradient of w holds {', '.join(map(str, g))}. What is the gradient of u?"
    ),
    key=_cells,
    misconceptions=(
        Misconception(
            "upstream can be ignored",
            "Then the loss would move by 1 for one unit of each cell of w. Multiply by what arrives there.",
            lambda a, b, g: tuple(b),
        ),
        Misconception(
            "each number that arrives reaches each number of u",
            "w[0] reads u[0] alone, so what arrives at w[0] goes to u[0] alone.",
            lambda a, b, g: tuple(sum(g) * n for n in b),
        ),
        Misconception(
            "the node hands on a table, with a row for each number of w",
            "A gradient has the shape of its tensor: one number for each number of u. No table is built.",
            lambda a, b, g: _table(_cells(a, b, g)),
        ),
    ),
    why=lambda a, b, g: (
        f"Cell by cell, what arrives times the other factor: "
        f"{', '.join(worked(times(*pair)) for pair in zip(g, b, strict=True))}."
    ),
    words=lambda numbers: "; ".join(map(_row, numbers)) if isinstance(numbers[0], tuple) else _row(numbers),
    played=_each_moved,
)


def _row(numbers: Ints) -> str:
    return " ".join(map(str, numbers))


# The exercises: what a node sends back.


def _operands(random: Random) -> dict[str, Any]:
    """Operands and an upstream gradient of one shape; b, which may divide, holds no 0."""
    shape = _a_shape(random)
    return {name: numbers(random, *shape, dtype=float64, nonzero=name == "b") for name in "gab"}


def _a_shape(random: Random) -> Ints:
    return tuple(random.choice((0, 1, 2, 2, 3, 3)) for _ in range(random.choice((0, 1, 1, 2, 3, 3, 4))))


def _first() -> dict[str, Any]:
    return {"g": tensor([10.0, -1.0]), "a": tensor([6.0, 3.0]), "b": tensor([2.0, 4.0])}


def _keyed(op: Callable[..., Tensor]) -> Callable[..., tuple[Tensor, ...]]:
    return lambda g, a, b: vjp(op, g, a, b)


FORGOTTEN = "Then every loss would be the sum of the cells. Multiply by g: it says how much each cell counts."
SUMMED = "What arrives at a cell goes to the operands of that cell. Multiply cell by cell."

vjp_mul = Exercise(
    "vjp_mul",
    example=_first,
    another=_operands,
    key=_keyed(mul),
    model=models.vjp_mul,
    misconceptions=(
        Misconception("upstream can be ignored", FORGOTTEN, lambda g, a, b: (b, a)),
        Misconception(
            "what arrives is multiplied by the operand itself",
            "Move a by 1, and the result moves by b.",
            lambda g, a, b: (g * a, g * b),
        ),
        Misconception(
            "what arrives is multiplied by the result",
            "What counts is how far the result moves, not how large it is.",
            lambda g, a, b: (g * a * b, g * a * b),
        ),
        Misconception(
            "each number that arrives reaches each number of a", SUMMED, lambda g, a, b: (g.sum() * b, g.sum() * a)
        ),
    ),
    judge=judged("da, db", _keyed(mul)),
    form=borrows("backward", "grad", "jacobian", "vjp"),
    many=20,
    hints=(
        "Move a by 1, and the product moves by b. That is the factor of a.",
        "What arrives, g, is multiplied by the factor.",
        "The same for b, with the factor a; then return both, da first.",
    ),
)

vjp_div = Exercise(
    "vjp_div",
    example=_first,
    another=_operands,
    key=_keyed(truediv),
    model=models.vjp_div,
    misconceptions=(
        Misconception("upstream can be ignored", FORGOTTEN, lambda g, a, b: (1 / b, -a / (b * b))),
        Misconception("upstream can be ignored", FORGOTTEN, lambda g, a, b: (g / b, -a / (b * b))),
        Misconception("upstream can be ignored", FORGOTTEN, lambda g, a, b: (1 / b, -g * a / (b * b))),
        Misconception(
            "a does not count for b",
            "With a = 12 each of the measured factors of b is twice as large as with a = 6. So a is in it.",
            lambda g, a, b: (g / b, -g / (b * b)),
        ),
        Misconception(
            "what was measured for one a holds for each",
            "-6 / (b * b) is the factor of b where a is 6. With a = 12 each was twice as large. So a is in it.",
            lambda g, a, b: (g / b, g * -6 / (b * b)),
        ),
        Misconception(
            "a quotient is like a product",
            "Move a by 1, and a / b moves by 1 / b.",
            lambda g, a, b: (g * b, g * a),
        ),
        Misconception(
            "the sign does not matter",
            "When b grows, a / b shrinks if both are positive: the factor of b has a minus.",
            lambda g, a, b: (g / b, g * a / (b * b)),
        ),
        Misconception(
            "b counts once",
            "Look at the measured factors: twice the b, a quarter of the factor. So b is there twice.",
            lambda g, a, b: (g / b, -g * a / b),
        ),
        Misconception(
            "the factor of each operand is one over the other",
            "That is so for a. The factor of b was measured above: -6, -1.5 and -0.667 for a = 6.",
            lambda g, a, b: (g / b, g / a),
        ),
    ),
    judge=judged("da, db", _keyed(truediv)),
    form=borrows("backward", "grad", "jacobian", "vjp"),
    many=20,
    hints=(
        "For a: g times 1 / b.",
        "For b: with a = 6 the factors were -6, -1.5 and -0.667. Divide each by 6, and look for b in it.",
        "-1, -1/4 and -1/9 are -1 / (b * b). So the factor of b is -a / (b * b).",
    ),
)


# More: a power, and the table that nobody builds.


def _a_power(random: Random) -> dict[str, Any]:
    """A power that is defined: below 0 for no 0, and with digits behind the point for positive numbers alone."""
    n, shape = random.choice((-2, -1, 0, 0.5, 1, 2, 2, 3, 4, 5)), _a_shape(random)
    x = numbers(random, *shape, dtype=float64, nonzero=n < 1)
    return {"g": numbers(random, *shape, dtype=float64), "x": x.abs() if n == 0.5 else x, "n": n}


def _power(g: Tensor, x: Tensor, n: int) -> Tensor:
    return vjp(lambda x: x**n, g, x)[0]


vjp_pow = Exercise(
    "vjp_pow",
    example=lambda: {"g": tensor([10.0, -1.0]), "x": tensor([3.0, 2.0]), "n": 4},
    another=_a_power,
    key=_power,
    model=models.vjp_pow,
    misconceptions=(
        Misconception("upstream can be ignored", FORGOTTEN, lambda g, x, n: n * x ** (n - 1)),
        Misconception(
            "the exponent stays",
            "x ** n has n factors. Move one of them, and n - 1 others are left to multiply it by.",
            lambda g, x, n: g * n * x**n,
        ),
        Misconception(
            "one of the factors moves",
            "All n factors of x ** n are x, and all of them move: n parts add up.",
            lambda g, x, n: g * x ** (n - 1),
        ),
        Misconception(
            "a number to a power is positive",
            "x may be negative, and then every odd power of it is. Keep its sign.",
            lambda g, x, n: g * n * x.abs() ** (n - 1),
        ),
        Misconception(
            "each number that arrives reaches each number of x", SUMMED, lambda g, x, n: g.sum() * n * x ** (n - 1)
        ),
    ),
    judge=judged("dx", _power),
    edges=lambda: ({"g": tensor([10.0, -1.0]), "x": tensor([0.0, 2.0]), "n": 0},),
    form=borrows("backward", "grad", "jacobian", "vjp"),
    many=20,
    hints=(
        "For n = 2 and x = 3 the factor was 6, which is 2 * 3. For n = 3 it was 27, which is 3 * 9.",
        "In front stands n, and behind it a power of x that is lower by one.",
        "Multiply that factor by g.",
    ),
)


def _counted(rows: int, columns: int) -> dict[str, int]:
    n = ones(rows, columns).numel()
    return {"table": n * n, "zeros": n * n - n, "products": n}


how_large = Blanks(
    "how_large",
    case={"rows": 20, "columns": 50},
    another=lambda random: {"rows": random.randint(10, 40), "columns": random.randint(11, 60)},
    ask=lambda rows, columns: (
        f"x has shape ({rows}, {columns}), and c = x * b with a b of the same shape.\n\n"
        "table_numbers   the numbers in the Jacobian of c by x: a row for each number of c, a column for each of x\n"
        "zeros           how many of them are 0, whatever numbers x and b hold\n"
        "products        the multiplications that the node does to find the gradient of x"
    ),
    blanks={
        "table_numbers": Blank(
            lambda rows, columns: _counted(rows, columns)["table"],
            (
                Misconception(
                    "a table has a number for each number of x",
                    "That is one row of it. There is a row for each number of c.",
                    lambda rows, columns: rows * columns,
                ),
                Misconception(
                    "a row and a column are added",
                    "Every row meets every column: multiply.",
                    lambda rows, columns: 2 * rows * columns,
                ),
            ),
        ),
        "zeros": Blank(
            lambda rows, columns: _counted(rows, columns)["zeros"],
            (
                Misconception(
                    "every number of c moves with every number of x",
                    "Each cell of c reads one cell of x. With the others it does not move.",
                    lambda rows, columns: 0,
                ),
                Misconception(
                    "all of the table is 0",
                    "Where the numbers of c and x stand in the same place, there is a number of b.",
                    lambda rows, columns: (rows * columns) ** 2,
                ),
            ),
        ),
        "products": Blank(
            lambda rows, columns: _counted(rows, columns)["products"],
            (
                Misconception(
                    "backward multiplies by the whole table",
                    "It never builds the table. It multiplies cell by cell.",
                    lambda rows, columns: (rows * columns) ** 2,
                ),
                Misconception(
                    "one node, so one multiplication",
                    "One product of tensors, and in it a multiplication for each cell.",
                    lambda rows, columns: 1,
                ),
            ),
        ),
    },
    why=lambda rows, columns: (
        f"{worked(times(rows, columns))} numbers in x and in c. The table has {rows * columns:,} rows of "
        f"{rows * columns:,}, and in each row one number is of b. All others are 0, whatever x and b hold."
    ),
    hints=(
        "x and c have rows times columns numbers each.",
        "The Jacobian has a row for each number of c, and in it a number for each of x.",
        "In each row one number is of b: that of the cell of x which this cell of c reads. The others are 0.",
    ),
)
