"""Checks of lesson 07: a gradient is what small nudges measure, and backward moves no weight."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

from ..claims.claim import equation
from ..dtype import float32, float64
from ..ops.creation import tensor, zeros_like
from ..scene import Frame, Scene, Shape, draw
from ..tensor import Tensor
from . import models
from .kit.answers import call as running
from .kit.answers.answer import astray, listed, same
from .kit.answers.misconception import Misconception
from .kit.answers.source import borrows
from .kit.exercises.blanks import Blank, Blanks
from .kit.exercises.cases import evenly, numbers, vjp
from .kit.exercises.exercise import Exercise
from .kit.programs import worlds
from .kit.questions import pictures
from .kit.questions.question import Question
from .kit.questions.stages import SUPPOSED


@dataclass(frozen=True)
class Program:
    """A function of x with its text, as a student could have typed it."""

    text: str
    run: Callable[[Any], Any] = field(repr=False)

    def __call__(self, x: Any) -> Any:
        return self.run(x)

    def __repr__(self) -> str:
        return f"lambda x: {self.text}"


# Twice the nudge.

SQUARE = Program("x * x", lambda x: x * x)
BENT = (
    SQUARE,
    Program("x * (x + 4)", lambda x: x * (x + 4)),
    Program("x * (x - 12)", lambda x: x * (x - 12)),
    Program("x * (8 - x)", lambda x: x * (8 - x)),
)


def _moves(f: Program, number: int, nudge: int) -> dict[str, int]:
    """The numbers that the choices are made of."""
    once = f(number + nudge) - f(number)
    return {"twice": 2 * once, "four times": 4 * once, "arrived": f(number + 2 * nudge)}


def _a_nudge(random: Random) -> Mapping[str, Any]:
    return evenly(
        twice_the_nudge,
        random,
        lambda: {"f": random.choice(BENT), "number": random.randint(-9, 15), "nudge": random.randint(1, 3)},
    )


def _twice_the_nudge(f: Program, number: int, nudge: int) -> int:
    x = tensor(float(number))
    return int((f(x + 2 * nudge) - f(x)).item())


def _first_move(f: Program, number: int, nudge: int) -> str:
    before, after = f(number), f(number + nudge)
    return (
        f"x is {number}, and y = {f.text} is {before}. When x is moved by {nudge}, to {number + nudge}, "
        f"y goes to {after}: it moves by {after - before}."
    )


def _lines(f: Program, number: int, nudge: int, move: int | None = None) -> Scene:
    """A line for x with both its moves, and one for y with its first, and its second if given."""
    ends = [number, number + nudge, number + 2 * nudge]
    before, after = f(ends[0]), f(ends[1])
    moves = [_twice_the_nudge(f, number, nudge), *_moves(f, number, nudge).values()]
    low, high = min(before, *(before + m for m in moves)), max(before, *(before + m for m in moves))

    def line(name: str, y: float, numbers: Sequence[int], least: int, most: int) -> list[Shape]:
        places = [round(100 + 680 * (n - least) / (most - least), 1) for n in numbers]
        hops = [draw.hop((places[0], y), (end, y), 0) for end in places[1:]]
        drawn = [draw.text(x, y + 24, str(n), "mono", 18, "middle") for x, n in zip(places, numbers, strict=True)]
        drawn += [Shape("path", "", ("arrow",), (("d", d),)) for d in hops]
        return [draw.text(40, y + 5, name, "mono strong", 18), draw.rule(64, y, 830), *drawn]

    shown = [before, after] if move is None else [before, after, before + move]
    shapes = [*line("x", 44, ends, ends[0], ends[-1]), *line("y", 130, shown, low, high)]
    return Scene("", 860, 168, tuple(shapes), (Frame("It waits."),))


def _arrived(move: int, f: Program, number: int, nudge: int) -> Scene:
    """The place where y arrives if an answer is so."""
    end, there = number + 2 * nudge, f(number) + move
    says = f"At {equation('x', end)}, {f.text} is {f(end)}: so far y goes."
    if there != f(end):
        absurd = f"at {equation('x', end)}, {f.text} would be {there}, and it is {f(end)}."
        says = f"{SUPPOSED}, y would arrive at {there}: {absurd}"
    return pictures.story(_lines(f, number, nudge, move), (says, None))


twice_the_nudge = Question(
    case={"f": SQUARE, "number": 3, "nudge": 1},
    another=_a_nudge,
    ask=lambda f, number, nudge: (
        f"{_first_move(f, number, nudge)} How far does y move when x is moved from {number} by {2 * nudge} instead?"
    ),
    key=_twice_the_nudge,
    misconceptions=(
        Misconception(
            "twice the nudge, twice the move",
            "It would be if y were a multiple of x. Here the second half of the way is not like the first.",
            lambda f, number, nudge: _moves(f, number, nudge)["twice"],
        ),
        Misconception(
            "both factors are moved twice as far, so the result moves four times as far",
            "What is four times as large is the square of the nudge, and that is only a part of the move.",
            lambda f, number, nudge: _moves(f, number, nudge)["four times"],
        ),
        Misconception(
            "where y arrives is how far it moved",
            "Subtract where it came from.",
            lambda f, number, nudge: _moves(f, number, nudge)["arrived"],
        ),
    ),
    why=lambda f, number, nudge: (
        f"At {equation('x', number + 2 * nudge)} y is {f(number + 2 * nudge)}. It came from {f(number)}, so it "
        f"moved by {_twice_the_nudge(f, number, nudge)}; twice the first move would be "
        f"{_moves(f, number, nudge)['twice']}."
    ),
    words=lambda move: f"y moves by {move}",
    locked=_lines,
    played=_arrived,
)


# Smaller and smaller.


def _per_unit(number: int, nudge: float) -> float:
    x = tensor(float(number), dtype=float64)
    return round(((SQUARE(x + nudge) - SQUARE(x)) / nudge).item(), 9)


def _gradient(number: int) -> float:
    x = tensor(float(number), requires_grad=True)
    SQUARE(x).backward()
    return x.grad.item()


DIVIDE = "That is the move. For one unit of x, divide it by the nudge."
ARRIVES = "That is where y arrives. Subtract where it came from, and divide by the nudge."
SHRINKS = "The quotient is another one for each nudge: it is no straight line."

smaller_nudges = Blanks(
    "smaller_nudges",
    case={"number": 3},
    another=lambda random: {"number": random.randint(3, 9)},  # at 2 the gradient is where y is
    ask=lambda number: (
        f"x is {number}, and y = x * x. Divide how far y moves by the nudge of x.\n\n"
        "half      the quotient for a nudge of 0.5\n"
        "tenth     the quotient for a nudge of 0.1\n"
        "towards   the number it comes to when the nudge shrinks towards nothing"
    ),
    blanks={
        "half": Blank(
            lambda number: _per_unit(number, 0.5),
            (
                Misconception("how far y moves is the answer", DIVIDE, lambda number: _per_unit(number, 0.5) * 0.5),
                Misconception("where y arrives is the answer", ARRIVES, lambda number: (number + 0.5) ** 2),
                Misconception("the quotient is the same for all nudges", SHRINKS, lambda number: _per_unit(number, 1)),
            ),
        ),
        "tenth": Blank(
            lambda number: _per_unit(number, 0.1),
            (
                Misconception("how far y moves is the answer", DIVIDE, lambda number: _per_unit(number, 0.1) * 0.1),
                Misconception("where y arrives is the answer", ARRIVES, lambda number: (number + 0.1) ** 2),
                Misconception("the quotient is the same for all nudges", SHRINKS, lambda number: _per_unit(number, 1)),
            ),
        ),
        "towards": Blank(
            lambda number: float(_gradient(number)),
            (
                Misconception(
                    "a nudge of nothing moves nothing, so it is 0",
                    "The move shrinks, and the nudge with it. Their quotient does not.",
                    lambda number: 0,
                ),
                Misconception(
                    "where y arrives is the answer",
                    "That is y itself. Asked for is how far it moves, divided by the nudge.",
                    lambda number: number * number,
                ),
                Misconception(
                    "one factor is moved",
                    "x * x reads x twice, and the nudge is in both factors.",
                    lambda number: number,
                ),
                Misconception(
                    "a nudge of 1 tells it",
                    "Look at the quotients for 1, 0.5 and 0.1: they still fall.",
                    lambda number: int(_per_unit(number, 1)),
                ),
            ),
        ),
    },
    why=lambda number: (
        f"With a nudge of h, y moves by {2 * number}h + h * h. Divided by h that is {2 * number} + h, and h vanishes."
    ),
    hints=(
        "Half a unit further y is (x + 0.5) * (x + 0.5). Subtract what y was before.",
        "Divide that move by the nudge: by 0.5, then by 0.1.",
        "The quotients for 1, 0.5 and 0.1 are as much above a whole number as the nudge is large.",
    ),
)


# What backward does to a weight.


def _a_weight(random: Random) -> Mapping[str, Any]:
    return evenly(what_w_holds, random, lambda: {"weight": random.randint(-9, 9), "best": random.randint(-9, 9)})


def _weight_and_gradient(weight: int, best: int) -> tuple[int, int]:
    w = tensor(float(weight), requires_grad=True)
    loss = (w - best) * (w - best)
    loss.backward()
    return int(w.item()), int(w.grad.item())


def _less(number: int) -> str:
    return f"w - {number}" if number > 0 else f"w + {-number}" if number else "w"


def _loss(best: int) -> str:
    return f"({_less(best)}) * ({_less(best)})" if best else "w * w"


def _as_held(held: int, weight: int, best: int) -> Scene:
    """The picture of a w that holds something, beside the one that there is."""
    w, believed = (tensor(float(number), requires_grad=True) for number in (weight, held))
    gradient = _weight_and_gradient(weight, best)[1]
    lines = (_loss(best), "w - w.grad")
    for one in (w, believed):
        one.grad = tensor(float(gradient))
    if held == weight:
        return worlds.ran(*((line, worlds.runs(line, w=w)) for line in ("w", "w.grad")))
    return worlds.world(worlds.Row("loss.backward()", ""), *(
        worlds.tried(line, worlds.runs(line, w=believed), w=w) for line in lines
    ))


what_w_holds = Question(
    case={"weight": 5, "best": 3},
    another=_a_weight,
    ask=lambda weight, best: (
        f"w = torch.tensor({float(weight)}, requires_grad=True), and loss = {_loss(best)}. loss.backward() has run, "
        f"and w.grad is {_weight_and_gradient(weight, best)[1]}. What does w hold now?"
    ),
    key=lambda weight, best: _weight_and_gradient(weight, best)[0],
    misconceptions=(
        Misconception(
            "backward takes the step: w minus its gradient",
            "It only fills .grad. A step is a line of its own, which somebody has to write.",
            lambda weight, best: weight - _weight_and_gradient(weight, best)[1],
        ),
        Misconception(
            "backward puts the gradient into w",
            "The gradient stands beside w, in w.grad.",
            lambda weight, best: _weight_and_gradient(weight, best)[1],
        ),
        Misconception(
            "backward finds the w with the smallest loss",
            "It finds out how the loss moves near the w that is there. It goes nowhere.",
            lambda weight, best: best,
        ),
    ),
    why=lambda weight, best: f"backward() writes w.grad and leaves w alone: w is still {weight}.",
    words=lambda held: f"w holds {held}",
    played=_as_held,
)


# The core exercise: nudge each number of a tensor.

OF_TWO_ROWS = (
    Program("(x[0] * x[1]).sum()", lambda x: (x[0] * x[1]).sum()),
    Program("(x * x).sum()", lambda x: (x * x).sum()),
    Program("(x[0] * 5 - x[1] * 2).sum()", lambda x: (x[0] * 5 - x[1] * 2).sum()),
    Program("(x[0] / x[1]).sum()", lambda x: (x[0] / x[1]).sum()),
    Program("(x * x * x).sum() / 10", lambda x: (x * x * x).sum() / 10),
    Program("x[0].prod() + x[1].sum() * 3", lambda x: x[0].prod() + x[1].sum() * 3),
)


def _two_rows(random: Random) -> dict[str, Any]:
    rows = [(numbers(random, 3, nonzero=row == 1, dtype=float64) * 2).tolist() for row in (0, 1)]  # row 1 may divide
    return {
        "f": random.choice(OF_TWO_ROWS),
        "x": tensor(rows, dtype=float64),
        "h": random.choice((0.001, 0.0005, 0.0001)),
    }


def _by_backward(f: Program, x: Tensor, h: float) -> Tensor:
    return vjp(f, None, x)[0]


def _each(f: Program, x: Tensor, h: float, told: Callable[[Tensor, Tensor], Any], stays: bool = False) -> Tensor:
    """A loop over the cells of x: it nudges each by h, and keeps what is told of both results."""
    result, moved = zeros_like(x), x.clone()
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            moved = moved if stays else x.clone()
            moved[i, j] += h
            result[i, j] = told(f(x), f(moved))
    return result


def _not_measured(_gradient: Any, f: Program, x: Tensor, h: float) -> str:
    """Empty for what small nudges give, to one side or to both."""
    key = _by_backward(f, x, h)
    if tuple(getattr(_gradient, "shape", ())) != tuple(x.shape):
        return astray(_gradient, key) or f"one number for each of the {x.numel()} of x is asked for"
    for i, row in enumerate(key.tolist()):
        for j, wanted in enumerate(row):
            if not abs(listed(_gradient)[i][j] - wanted) <= 0.01 * (1 + abs(wanted)):
                return f"[{i}, {j}] is not how far f moves for one unit of x[{i}, {j}]"
    return ""


AT_ONCE = "Then nobody can tell whose move it was. Nudge one number, look, and begin again from x."

def _nudged_by(function: Callable[..., object]) -> str:
    """Why a function that finds the gradient has not measured it with the nudge that it was given."""
    if taken := borrows("backward", "grad", "jacobian")(function):
        return taken
    twos = zeros_like(tensor([[0.0] * 3] * 2, dtype=float64)) + 2
    made = running.call(function, (lambda x: (x * x * x).sum(), twos, 1.0))  # what it prints is of a case nobody knows
    found: Any = made.value
    # of x * x * x at 2 a nudge of 1 gives 27 - 8 up, 8 - 1 down, and (27 - 1) / 2 to both sides; the gradient is 12
    return "" if made.problem or any(same(found[0, 0], moved) for moved in (19.0, 7.0, 13.0)) else (
        "it nudges by something else than h: for x * x * x at 2 a nudge of 1 moves 8 to 27")  # fmt: skip


sensitivities = Exercise(
    "sensitivities",
    example=lambda: {"f": OF_TWO_ROWS[0], "x": tensor([[2, 7, 4], [5, 3, 8]], dtype=float64), "h": 0.001},
    another=_two_rows,
    key=_by_backward,
    model=models.sensitivities,
    misconceptions=(
        Misconception(
            "how far the result moves is the answer",
            "For one unit of x, divide it by the nudge h.",
            lambda f, x, h: _each(f, x, h, lambda before, after: after - before),
        ),
        Misconception("all numbers are nudged at once", AT_ONCE, lambda f, x, h: zeros_like(x) + (f(x + h) - f(x)) / h),
        Misconception("all numbers are nudged at once", AT_ONCE, lambda f, x, h: (f(x + h) - f(x)) / h),
        Misconception(
            "a number that was nudged may stay where it is",
            "Then the next move has the nudges before it in it. Take a new copy of x for each number.",
            lambda f, x, h: _each(f, x, h, lambda before, after: (after - before) / h, stays=True),
        ),
        Misconception(
            "a second name is a copy",
            "After moved = x both names are one tensor: x moves too, and no difference is left. Write x.clone().",
            lambda f, x, h: zeros_like(x),
        ),
        Misconception(
            "where the result arrives is how far it moved",
            "Subtract where it came from, f(x).",
            lambda f, x, h: _each(f, x, h, lambda before, after: after / h),
        ),
        Misconception(
            "the order of the difference does not matter",
            "What was there before is subtracted from what comes after: f(moved) - f(x).",
            lambda f, x, h: _each(f, x, h, lambda before, after: (before - after) / h),
        ),
        Misconception(
            "down or up makes no difference",
            "The sign is the wrong way round then: for a nudge of -h, divide by -h, or subtract the other way.",
            lambda f, x, h: _each(f, x, -h, lambda before, after: (after - before) / h),
        ),
        Misconception(
            "the nudge is h, to both sides as to one",
            "From h below to h above the way is 2 * h: divide by that.",
            lambda f, x, h: (_each(f, x, h, lambda before, after: (after - before) / h)
                             - _each(f, x, -h, lambda before, after: (after - before) / h)),
        ),
    ),
    judge=_not_measured,
    form=_nudged_by,
    many=20,
    hints=(
        "Two loops, over rows and columns, visit each number: for i in range(2): for j in range(3):",
        "Inside: moved = x.clone(), and then moved[i, j] += h. Begin with a new copy each time.",
        "What goes into the answer at [i, j] is the move, f(moved) - f(x), divided by h.",
    ),
)


# A nudge that is too small.


def _too_small(number: int, zeros: int) -> str:
    nudge = 10.0**-zeros
    x = tensor(float(number), dtype=float32)
    return f"{((SQUARE(x + nudge) - SQUARE(x)) / nudge).item():.1f}"


def _lost(said: str, number: int, zeros: int) -> Scene:
    """The picture of a step on the way to an answer, as it would be and as it is."""
    names = {"x": tensor(float(number), dtype=float32), "h": 10.0**-zeros, "f": SQUARE}
    if said == _too_small(number, zeros):
        return worlds.ran(*((line, worlds.runs(line, **names)) for line in ("x + h == x", "f(x + h) - f(x)")))
    line, supposed = {
        f"{2 * number}.0": ("x + h == x", False), "inf": ("1 / h", float("inf")), "an error": ("x + h", ValueError()),
    }[said]  # fmt: skip
    return worlds.world(worlds.tried(line, supposed, **names))


too_small_a_nudge = Question(
    case={"number": 3, "zeros": 9},
    another=lambda random: {"number": random.randint(2, 99), "zeros": random.randint(8, 12)},
    ask=lambda number, zeros: (
        f"x is {number} in float32, f(x) is x * x, and h is {10.0**-zeros:.0e}, which is 1 / 1{'0' * zeros}. What does "
        f"(f(x + h) - f(x)) / h come to?"
    ),
    key=_too_small,
    misconceptions=(
        Misconception(
            "the smaller the nudge, the better",
            "Only as long as x + h is another number than x. A float32 has some 7 digits.",
            lambda number, zeros: f"{2 * number}.0",
        ),
        Misconception(
            "what is divided by almost nothing has no bounds",
            "What is divided is 0 here, and 0 divided by any other number is 0.",
            lambda number, zeros: "inf",
        ),
        Misconception(
            "a nudge that is lost is an error",
            "Nobody notices. Numbers with a fixed number of digits are rounded at every step, in silence.",
            lambda number, zeros: "an error",
        ),
    ),
    why=lambda number, zeros: (
        f"x + h has more digits than a float32 can hold, and is rounded to {number}. So nothing moves: (f({number}) - "
        f"f({number})) / h."
    ),
    words=lambda said: said if said == "an error" else f"it is {said}",
    played=_lost,
)
