"""Checks of lesson 11: the gradient of what was repeated is a sum, not an average."""

from collections.abc import Sequence
from dataclasses import replace
from random import Random
from typing import Any

from ..claims.claim import worked
from ..claims.tree import added, of_pairs
from ..dtype import float32
from ..ops.creation import ones, tensor, zeros
from ..scene import Frame, Look, Scene, Shape, draw
from ..show.words.sentences import many
from ..tensor import Tensor
from . import models
from .kit.answers.misconception import Misconception
from .kit.answers.source import borrows, uses
from .kit.exercises.blanks import Blank, Blanks
from .kit.exercises.cases import numbers
from .kit.exercises.exercise import Exercise
from .kit.questions.grids import cells, grids
from .kit.questions.question import Question

Ints = Sequence[int]
Rows = Sequence[Ints]


def table(rows: Rows) -> str:
    """Numbers in rows, for a text."""
    return "\n".join("  " + " ".join(f"{value:>4}" for value in row) for row in rows)


# The bias gradient of a batch of 3.


def _upstream(random: Random) -> dict[str, Any]:
    """An upstream gradient with a sum of its own for a column, a row, all cells, and for their mean."""
    while True:
        rows, columns = random.choice(((3, 4), (3, 2), (4, 3), (2, 4)))
        g = tuple(tuple(random.randint(1, 9) for _ in range(columns)) for _ in range(rows))
        column = random.randrange(columns)
        picked = [row[column] for row in g]
        answers = {sum(picked), picked[0], sum(map(sum, g)), sum(picked) // rows}
        if sum(picked) % rows == 0 and len(answers) == 4:
            return {"g": g, "column": column}


def _bias_gradient(g: Rows, column: int) -> int:
    x, b = zeros(len(g), len(g[0])), zeros(len(g[0]), requires_grad=True)
    (x + b).backward(tensor(g, dtype=float32))
    return int(b.grad[column].item())


def _what_comes_back(answer: int, g: Rows, column: int) -> Scene:
    """The column of g that comes back to b[column], added up as lengths, beside the length of a guess."""
    back, right = [row[column] for row in g], answer == sum(row[column] for row in g)
    arrives = grids(("what arrives at y", "g", tensor(g)), grads="g")
    left = draw.LEFT + max(len(g[0]) * (draw.CELL + draw.GAP), 200) + draw.BETWEEN
    scale, starts = (draw.RIGHT - left) / max(answer, sum(back)), [sum(back[:n]) for n in range(len(back))]
    y = 34.0 if right else 34.0 + draw.CELL + 44
    shapes = [draw.text(left, y - 10, f"the loss moves, when b[{column}] moves by 1", "muted"), *(
        _length(f"p{n}", left + scale * start, y, part, scale, "grad")
        for n, (start, part) in enumerate(zip(starts, back, strict=True)) if part
    )]  # fmt: skip
    if not right:
        shapes.append(draw.text(left, 24, "it would move, if this were so", "muted"))
        shapes.append(_length("guess", left, 34.0, answer, scale, "virtual"))
    so = f"If this were so, the loss would move by {answer} when b[{column}] moves by 1"
    frames = [] if right else [Frame(f"{so}.", (_lit("guess"), Look({"off": _parts(back, 0)})))]
    for n in range(len(back)):
        total, come = worked(added(back[: n + 1])), f"g{n * len(g[0]) + column}"
        whole = f"y[{n}, {column}] moves too, and brings {back[n]}"
        said = f"{whole}: {total}." if n else f"{whole}."
        sentence = said if right else f"If this were so, it would be {answer}. {said}"
        looks = _lit("guess" * (not right), come, f"p{n}" * bool(back[n])), Look({"off": _parts(back, n + 1)})
        frames.append(Frame(sentence, looks, sends=((come, f"p{n}"),) if back[n] else ()))
    return replace(arrives, shapes=(*arrives.shapes, *shapes), frames=tuple(frames), still=-1)


def _length(id: str, x: float, y: float, number: int, scale: float, cls: str) -> Shape:
    """A number as a length, with the number in it where there is room."""
    wide = max(scale * number - draw.GAP, 2)
    words = str(number) if draw.width(str(number), draw.NUMBER, mono=True) + 4 <= wide else ""
    return draw.cell(id, round(x, 1), y, words, cls, round(wide, 1))


def _lit(*ids: str) -> Look:
    return Look({"lit": tuple(filter(None, ids))})


def _parts(back: Ints, first: int) -> tuple[str, ...]:
    """The lengths of what comes back, from one on; of 0 there is none."""
    return tuple(f"p{n}" for n in range(first, len(back)) if back[n])


bias_gradient = Question(
    case={"g": ((5, 1, 2, 4), (0, 2, 7, 1), (3, 1, 6, 2)), "column": 2},
    another=_upstream,
    ask=lambda g, column: (
        f"x has shape ({len(g)}, {len(g[0])}), b has shape ({len(g[0])},), and y = x + b. This is the upstream "
        f"gradient of y:\n"
        f"{table(g)}\nWhat is b.grad[{column}]?"
    ),
    key=_bias_gradient,
    misconceptions=(
        Misconception(
            "the gradient is averaged over the batch",
            "Each row moves the loss by its own part, and the parts add up. If a mean is wanted, the loss has "
            "to take it.",
            lambda g, column: sum(row[column] for row in g) // len(g),
        ),
        Misconception(
            "b meets only the first row",
            "Every row of y reads b, so every row sends something back to it.",
            lambda g, column: g[0][column],
        ),
        Misconception(
            "the gradient of a broadcast tensor is one sum over all cells",
            "b[j] is read by column j alone. The other columns have numbers of their own.",
            lambda g, column: sum(map(sum, g)),
        ),
    ),
    why=lambda g, column: (
        f"b[{column}] is read by {len(g)} cells, one in each row. What comes back from them adds up: "
        f"{worked(added(row[column] for row in g))}."
    ),
    played=_what_comes_back,
)


# The shape of a gradient.


def _two_sizes(random: Random) -> dict[str, Any]:
    rows, columns = random.sample(range(2, 9), 2)
    return {"rows": rows, "columns": columns}


def _shape_of_the_gradient(rows: int, columns: int) -> tuple[int, ...]:
    p, q, g = zeros(rows, 1, requires_grad=True), zeros(columns), ones(rows, columns)
    ((p + q) * g).sum().backward()
    return tuple(p.grad.shape)


def _stepped(shape: tuple[int, ...], rows: int, columns: int) -> Scene:
    """The cells of p, those of a gradient of some shape, and those that a step with it gives."""
    p, gradient = zeros(rows, 1), zeros(shape)
    made, high = tuple((p - gradient).shape), draw.CELL if rows < 5 else draw.LITTLE
    of = [("p", "a", p), (f"p.grad {shape}", "b", gradient), (f"p - p.grad {made}", "c", p - gradient)]
    if shape == p.shape:
        of = [("g, which arrives", "d", zeros(rows, columns)), *of[:2]]
    scene = grids(*((name, letter, _blank(some)) for name, letter, some in of), grads="bd", h=high)
    every = {letter: cells(letter, range(some.numel())) for _, letter, some in of}
    if shape == p.shape:
        row = cells("d", range(columns, 2 * columns))
        return replace(scene, still=-1, frames=(
            Frame(f"p[1, 0] was read {columns} times: a row of g comes back.", (_lit("a1", *row),)),
            Frame("The row becomes one number, p.grad[1, 0].", (_lit("b1", *row),), sends=((row[0], "b1"),)),
            Frame(f"So p.grad has {many(p.numel(), 'number')}, one for each of p.", (_lit(*every["a"], *every["b"]),)),
        ))  # fmt: skip
    so = f"If this were so, p - p.grad would have shape {made}"
    off = Look({"off": tuple(every["c"])})
    return replace(scene, still=-1, frames=(
        Frame(f"If this were so, p.grad would hold {many(gradient.numel(), 'number')}.", (_lit(*every["b"]), off)),
        Frame(f"{so}: {many((p - gradient).numel(), 'number')}.", (_lit(*every["c"]),)),
        Frame(f"{so}, and p has room for {p.numel()}, in shape {(*p.shape,)}.", (_lit(*every["a"], *every["c"]),)),
    ))  # fmt: skip


def _blank(x: Tensor) -> list[Any]:
    """Rows of cells without a number, as many as a tensor has."""
    rows = x.tolist() if x.ndim > 1 else [x.tolist()]
    return [["" for _ in row] for row in rows]


shape_of_the_gradient = Question(
    case={"rows": 3, "columns": 4},
    another=_two_sizes,
    ask=lambda rows, columns: (
        f"p has shape ({rows}, 1), q has shape ({columns},), and the loss is ((p + q) * g).sum(), with a g of shape "
        f"({rows}, {columns}). What is the shape of p.grad?"
    ),
    key=_shape_of_the_gradient,
    misconceptions=(
        Misconception(
            "a gradient has the shape of the result",
            "There is one number for each number that can be moved. p has no more than it stores.",
            lambda rows, columns: (rows, columns),
        ),
        Misconception(
            "an axis that is summed disappears",
            "A sum can keep its axis, with size 1. Here it must: p has that axis.",
            lambda rows, columns: (rows,),
        ),
        Misconception(
            "the stretched axis is the one that stays",
            "The stretched axis is the one that is summed.",
            lambda rows, columns: (1, columns),
        ),
    ),
    why=lambda rows, columns: "A gradient has the shape of its own tensor, always: one number for each number of it.",
    played=_stepped,
)


# The core exercise: sum_to.


def _a_gradient(random: Random) -> dict[str, Any]:
    new, kept = random.choice(
        ((0, 0), (0, 1), (1, 0), (0, 2), (1, 1), (2, 0), (0, 3), (1, 2), (2, 1), (2, 1), (3, 0), (0, 4), (1, 3), (2, 2))
    )
    # two new axes show what becomes of the second one, so this is tried early: on few numbers
    sizes = ((1, 2), (2, 3)) if new == 2 else ((2, 4), (2, 4))
    size = tuple(random.randint(*sizes[d >= new]) for d in range(new + kept))
    if random.random() < 0.1 and size:
        size = (*size[:-1], 0)  # and as many in the operand, or it would have one that nobody reads
    shape = tuple(random.choice((1, n)) if n else 0 for n in size[new:])
    return {"g": numbers(random, *size), "shape": shape}


def _summed(g: Tensor, shape: Ints) -> Tensor:
    operand = zeros(shape, requires_grad=True)
    operand.expand(g.shape).backward(g)
    return operand.grad


def _stretched(g: Tensor, shape: Ints) -> tuple[int, ...]:
    """The axes of g along which the operand repeated."""
    new = g.ndim - len(shape)
    return tuple(d for d in range(g.ndim) if d < new or shape[d - new] == 1 and g.shape[d] != 1)


def _averaged(g: Tensor, shape: Ints) -> Tensor:
    axes = _stretched(g, shape)
    return g.mean(axes, keepdim=True).reshape(shape) if axes else g


def _mean_of_the_first(g: Tensor, shape: Ints) -> Tensor:
    return g.mean(0)


def _dropped(g: Tensor, shape: Ints) -> Tensor:
    axes = _stretched(g, shape)
    return g.sum(axes) if axes else g


def _new_axes_summed(g: Tensor, shape: Ints) -> Tensor:
    return g.sum(tuple(range(g.ndim - len(shape)))) if g.ndim > len(shape) else g


def _dropped_in_turn(g: Tensor, shape: Ints) -> Tensor:
    g = _new_axes_summed(g, shape)
    for d, n in enumerate(shape):
        if n == 1 and d < g.ndim:  # the student's own loop stops there with an error
            g = g.sum(d)
    return g


def _counted_up(g: Tensor, shape: Ints) -> Tensor:
    for d in range(g.ndim - len(shape)):
        if d < g.ndim:  # the student's own loop stops there with an error
            g = g.sum(d)
    return _sizes_of_one_summed(g, shape)


def _sizes_of_one_summed(g: Tensor, shape: Ints) -> Tensor:
    for d, n in enumerate(shape):
        if n == 1:
            g = g.sum(d, keepdim=True)
    return g


def _one_new_axis(g: Tensor, shape: Ints) -> Tensor:
    return _sizes_of_one_summed(g.sum(0) if g.ndim > len(shape) else g, shape)


def _new_axes_last(g: Tensor, shape: Ints) -> Tensor:
    return _new_axes_summed(_sizes_of_one_summed(g, shape), shape)


def _first_only(g: Tensor, shape: Ints) -> Tensor:
    if not g.numel():
        return g
    for d in _stretched(g, shape):
        g = g.narrow(d, 0, 1)
    return g.reshape(shape)


sum_to = Exercise(
    "sum_to",
    example=lambda: {"g": ones(3, 4), "shape": (3, 1)},
    another=_a_gradient,
    key=_summed,
    model=models.sum_to,
    misconceptions=(
        Misconception(
            "the gradient is averaged",
            "Each reader moves the loss by its own part; the parts add up.",
            _averaged,
            uses("mean"),
        ),
        Misconception(
            "the gradient is averaged over the first axis",
            "Nothing is averaged: the parts add up. And the axes to sum are those that were stretched.",
            _mean_of_the_first,
        ),
        Misconception(
            "an axis that is summed disappears",
            "Only new axes do. An axis that the operand has with size 1 stays: sum it with keepdim=True.",
            _dropped,
        ),
        Misconception(
            "an axis that is summed disappears",
            "Only new axes do. An axis that the operand has with size 1 stays: sum it with keepdim=True.",
            _dropped_in_turn,
        ),
        Misconception(
            "the axes keep their numbers while they are summed",
            "After g.sum(0) the axes that are left move up: what was axis 1 is axis 0 now. Sum axis 0 again.",
            _counted_up,
        ),
        Misconception(
            "only new axes were stretched",
            "Axes of size 1 were stretched too: sum them with keepdim=True.",
            _new_axes_summed,
        ),
        Misconception(
            "there is one new axis at most",
            "There may be several in front: sum axis 0 again, as long as g has more axes than shape.",
            _one_new_axis,
        ),
        Misconception(
            "axis d of the tensor is axis d of g",
            "Only when the new axes in front are gone. Sum those first, and then the axes of size 1.",
            _new_axes_last,
        ),
        Misconception(
            "one reader is enough",
            "Every cell that read the number sends its part.",
            _first_only,
        ),
    ),
    form=borrows("sum_to_size", "sum_to", "backward", "grad"),
    hints=(
        "First the axes that the tensor does not have: g.ndim - len(shape) of them, in front.",
        "g.sum(0) sums the first axis, and the others move up. So sum axis 0 again, as often as there are new axes.",
        "Now g has as many axes as shape. Where shape[d] is 1 and g.shape[d] is more: g.sum(d, keepdim=True).",
    ),
)


# By hand, with a product.


def _a_product(random: Random) -> dict[str, Any]:
    while True:
        rows, columns = random.choice(((2, 3), (3, 2)))
        case = {
            "a": tuple(random.randint(2, 9) for _ in range(rows)),
            "b": tuple(random.randint(2, 9) for _ in range(columns)),
            "g": tuple(tuple(random.randint(1, 5) for _ in range(columns)) for _ in range(rows)),
        }
        row, column = case["g"][0], [row[0] for row in case["g"]]
        of_a = sum(g * b for g, b in zip(row, case["b"], strict=True))
        of_b = sum(g * a for g, a in zip(column, case["a"], strict=True))
        in_a = {of_a, of_a / columns, sum(case["b"]), sum(row)}
        in_b = {of_b, of_b / rows, sum(case["a"]), sum(column)}
        if len(in_a) == len(in_b) == 4:  # nothing that leads astray is right by chance
            return case


def _gradients(a: Ints, b: Ints, g: Rows) -> tuple[tuple[int, ...], tuple[int, ...]]:
    column = tensor(a, dtype=float32).view(-1, 1).requires_grad_()
    row = tensor(b, dtype=float32).requires_grad_()
    (column * row).backward(tensor(g, dtype=float32))
    return tuple(map(int, column.grad.flatten().tolist())), tuple(map(int, row.grad.tolist()))


def _products(upstream: Ints, factors: Ints) -> str:
    """A sum of products, written out."""
    return worked(of_pairs(zip(upstream, factors, strict=True)))


PARTS = "A cell of a * b sends g times the other factor back, and the parts add up."

two_numbers_by_hand = Blanks(
    "two_numbers_by_hand",
    case={"a": (2, 3), "b": (5, 1, 4), "g": ((1, 0, 2), (3, 1, 1))},
    another=_a_product,
    ask=lambda a, b, g: (
        f"a has shape ({len(a)}, 1) and holds {', '.join(map(str, a))}.\nb has shape ({len(b)},) and holds "
        f"{', '.join(map(str, b))}. y = a * b.\nThis is the upstream gradient of y:\n{table(g)}\n\n"
        "a_grad   the number a.grad[0, 0]\nb_grad   the number b.grad[0]"
    ),
    blanks={
        "a_grad": Blank(
            lambda a, b, g: float(_gradients(a, b, g)[0][0]),
            (
                Misconception("the upstream gradient does not matter", PARTS, lambda a, b, g: sum(b)),
                Misconception("the other factor does not matter", PARTS, lambda a, b, g: sum(g[0])),
                Misconception("the gradient is averaged", PARTS, lambda a, b, g: _gradients(a, b, g)[0][0] / len(b)),
            ),
        ),
        "b_grad": Blank(
            lambda a, b, g: float(_gradients(a, b, g)[1][0]),
            (
                Misconception("the upstream gradient does not matter", PARTS, lambda a, b, g: sum(a)),
                Misconception("the other factor does not matter", PARTS, lambda a, b, g: sum(row[0] for row in g)),
                Misconception("the gradient is averaged", PARTS, lambda a, b, g: _gradients(a, b, g)[1][0] / len(a)),
            ),
        ),
    },
    why=lambda a, b, g: (
        f"a[0, 0] is read by row 0: {_products(g[0], b)}. b[0] is read by column 0: "
        f"{_products([row[0] for row in g], a)}."
    ),
    hints=(
        "a[0, 0] is read by the whole first row of y, b[0] by the whole first column.",
        "Each of these cells sends back its own upstream gradient times the other factor.",
        "For a[0, 0]: the numbers of the first row of the upstream gradient times those of b, added up.",
    ),
)
