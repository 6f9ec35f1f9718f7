"""Checks of lesson 13: a layer is a product and a bias, and a step goes against gradients."""

import ast
from collections.abc import Callable, Sequence
from dataclasses import replace
from random import Random
from typing import Any

from .. import nn, show
from ..autograd import no_grad
from ..claims.claim import equation, worked
from ..claims.tree import Leaf, added, times
from ..ops.creation import arange, ones, tensor
from ..optim import SGD
from ..scene import Frame, Look, Scene
from ..tensor import Tensor
from . import models
from .kit.answers.misconception import Misconception
from .kit.answers.source import borrows
from .kit.exercises.cases import numbers
from .kit.exercises.exercise import Exercise
from .kit.exercises.in_place import InPlace, after
from .kit.questions import pictures
from .kit.questions.question import Question
from .kit.questions.stages import SUPPOSED

# How many numbers does a layer learn?


def _sizes(random: Random) -> dict[str, int]:
    """Sizes that all differ, and with them the choices."""
    while True:
        rows, inside, out = random.sample(range(2, 7), 3)
        if len({out * (inside + 1), inside + out, out * (inside + rows), rows * inside}) == 4:
            return {"rows": rows, "inside": inside, "out": out}


def _parameters(inside: int, out: int, **_: int) -> int:
    """The numbers that a layer of the library's holds."""
    return sum(p.numel() for p in nn.Linear(inside, out).parameters())


def _of_a_layer(rows: int, inside: int, out: int) -> Scene:
    """A layer from its batch, its weight and its bias to what it gives."""
    x, weight = arange(1.0, rows * inside + 1).view(rows, inside), ones(out, inside)
    weight[0, 0], bias = 2.0, arange(1.0, out + 1) * 10
    scene = show.op(nn.functional.linear, x, weight, bias, names=["x", "weight", "bias"]).scene
    return pictures.forward(scene)


def _counted(number: int, rows: int, inside: int, out: int) -> Scene:
    """The layer with the numbers that an answer counts, and what would follow."""
    weight, bias = [f"b{k}" for k in range(out * inside)], [f"c{k}" for k in range(out)]
    lit = weight + bias
    if number == _parameters(inside, out):
        told = [f"Lit are {out}·{inside} weights and {out} numbers of the bias. All the cells of y read them."]
    elif number == rows * inside:
        lit = [f"a{k}" for k in range(rows * inside)]
        told = [
            f"{SUPPOSED}, training would change x.",
            f"{SUPPOSED}, what comes in would no longer be what was measured.",
        ]
    elif number == inside + out:
        lit = [f"b{k}" for k in range(inside)] + bias
        told = [f"{SUPPOSED}, every column of y would be made with one row of weights.",
                f"{SUPPOSED}, the columns of y could differ by a fixed amount only."]  # fmt: skip
    elif number == out * inside + rows * out:
        lit = weight + [f"y{k}" for k in range(rows * out)]
        told = [f"{SUPPOSED}, the bias would hold {rows}·{out} numbers, one for each cell of y.",
                f"{SUPPOSED}, a batch of {rows + 1} rows would find none for its last row."]  # fmt: skip
    else:
        told = [f"{SUPPOSED}, one number would be added in every column of y.",
                f"{SUPPOSED}, no column could start from a price of its own."]  # fmt: skip
        lit = weight + bias[:1]
    frames = tuple(Frame(said, (Look({"lit": tuple(lit)}),)) for said in told)
    return replace(_of_a_layer(rows, inside, out), frames=frames, still=-1)


how_many_move = Question(
    case={"rows": 5, "inside": 3, "out": 2},
    another=_sizes,
    ask=lambda rows, inside, out: (
        f"A layer makes {out} numbers of {inside}. It gets a batch x of shape ({rows}, {inside}), and gives y of shape "
        f"({rows}, {out}). How many numbers does the layer hold, which training can move?"
    ),
    key=lambda rows, inside, out: _parameters(inside, out),
    misconceptions=(
        Misconception(
            "each input has one weight, whatever it is used for",
            "Each output weighs all inputs in its own way: it has a whole row of weights.",
            lambda rows, inside, out: inside + out,
        ),
        Misconception(
            "each cell of the result has a bias of its own",
            "The bias is stretched over the batch: all rows read the same numbers. That is lesson 11.",
            lambda rows, inside, out: out * inside + rows * out,
        ),
        Misconception(
            "training moves the numbers that go in",
            "What goes in was measured. What moves is what the layer does with it.",
            lambda rows, inside, out: rows * inside,
        ),
    ),
    why=lambda rows, inside, out: (
        f"Each of the {out} outputs has {inside} weights and one number that is added: "
        f"{worked(added([times(out, inside), Leaf(out)]))}. How many rows come in plays no part."
    ),
    words=lambda number: f"{number} numbers",
    played=_counted,
)


# One step.

X = (1.0, 2.0, 4.0)
"""Where it is measured: the mean of the squares is 7, so that a gradient is 14 times what is missing to the best w."""


def _a_start(random: Random) -> dict[str, Any]:
    """A start and a best w with which steps of all kinds lead to places that differ."""
    while True:
        start, best = random.sample([n for n in range(-9, 10) if n], 2)
        case = {"start": start, "best": best, "rate": random.choice((0.02, 0.03, 0.05))}
        if len({_stepped(**case), *(step(**case) for step in STEPS.values())}) == 4:
            return case


def _loss(w: Tensor, best: int) -> Tensor:
    x = tensor(X)
    return ((w * x - best * x) ** 2).mean()


def _gradient(start: float, best: int) -> float:
    w = tensor(float(start), requires_grad=True)
    _loss(w, best).backward()
    return round(w.grad.item(), 3)


def _stepped(start: float, best: int, rate: float) -> float:
    """The place to which the library's own optimizer moves w in one step."""
    w = tensor(float(start), requires_grad=True)
    _loss(w, best).backward()
    SGD([w], lr=rate).step()
    return round(w.item(), 3)


STEPS: dict[str, Callable[..., float]] = {
    "along": lambda start, best, rate: round(start + rate * _gradient(start, best), 3),
    "whole": lambda start, best, rate: round(start - _gradient(start, best), 3),
    "replaced": lambda start, best, rate: round(-rate * _gradient(start, best), 3),
}
"""What w would hold after a step that somebody believes in."""


def _three_steps(answer: float, start: int, best: int, rate: float) -> Scene:
    """The line of w through what was measured, for three steps of the kind that an answer is one of."""
    step = next((f for f in STEPS.values() if f(start, best, rate) == answer), _stepped)
    seen = [float(start)]
    for _ in range(3):
        seen.append(step(seen[-1], best, rate))
    x = tensor(X)
    scene = show.curve(lambda x, w: w * x, fits=seen, points=(x, best * x), names=["x", "y"]).scene
    if step is _stepped:
        return replace(scene, frames=scene.frames[1:], still=-1)
    losses = [_loss(tensor(w), best).item() for w in seen]
    said = [f"w would hold {_said(seen[1])} after the step, and the loss would go from {_said(losses[0])} to "
            f"{_said(losses[1])}",
            f"three such steps would lead to a w of {_said(seen[3])} and a loss of {_said(losses[3])}"]  # fmt: skip
    looks = [scene.frames[2].looks, scene.frames[4].looks]
    frames = tuple(Frame(f"{SUPPOSED}, {so}.", look) for so, look in zip(said, looks, strict=True))
    return replace(scene, frames=frames, still=-1)


def _said(number: float) -> str:
    return equation("", number)


after_one_step = Question(
    case={"start": 1, "best": 3, "rate": 0.05},
    another=_a_start,
    ask=lambda start, best, rate: (
        f"w holds {start}, and loss.backward() has left {_gradient(start, best):g} in w.grad. The learning rate is "
        f"{rate:g}. After one step, what does w hold?"
    ),
    key=_stepped,
    misconceptions=(
        Misconception(
            "a step goes along the gradient",
            "The gradient says where the loss grows. A step goes the other way, so there is a minus.",
            STEPS["along"],
        ),
        Misconception(
            "the gradient itself is the step",
            "A gradient is a slope, and says nothing of how far to go. The learning rate makes a short step of it.",
            STEPS["whole"],
        ),
        Misconception(
            "the step takes the place of the weight",
            "A step begins where the weight is: it is subtracted from what w holds.",
            STEPS["replaced"],
        ),
    ),
    why=lambda start, best, rate: (
        f"The step is the rate times the gradient, {worked(times(rate, _gradient(start, best)))}, and is taken away "
        f"from {start}."
    ),
    words=lambda number: f"w holds {number:g}",
    played=_three_steps,
)


# A layer, by hand.


def _a_layer(random: Random) -> dict[str, Tensor]:
    rows, inside, out = (random.choice((1, 2, 3, 4, 5)) for _ in range(3))
    return {"x": numbers(random, rows, inside), "weight": numbers(random, out, inside), "bias": numbers(random, out)}


linear = Exercise(
    "linear",
    example=lambda: {
        "x": tensor([[1.0, 2.0, 3.0]]), "weight": tensor([[1.0, 0.0, 0.0], [0.0, 2.0, 1.0]]),
        "bias": tensor([10.0, 20.0]),
    },
    another=_a_layer,
    key=lambda x, weight, bias: nn.functional.linear(x, weight, bias),
    model=models.linear,
    misconceptions=(
        Misconception(
            "a layer is its weights",
            "Where all inputs are 0 a layer gives its bias: it is added to each row.",
            lambda x, weight, bias: x @ weight.T,
        ),
        Misconception(
            "another shape will do, and the sizes fit",
            "view and reshape leave the numbers in their order. The axes have to change places: .T.",
            lambda x, weight, bias: x @ weight.reshape(weight.shape[1], weight.shape[0]) + bias,
        ),
        Misconception(
            "rows and columns may change places",
            "x has a row for each example, and so has the result: x stands on the left.",
            lambda x, weight, bias: weight @ x.T + bias[:, None],
        ),
        Misconception(
            "the bias is one number",
            "Each output has a number of its own that is added.",
            lambda x, weight, bias: x @ weight.T + bias.sum(),
        ),
        Misconception(
            "the bias is one more weight to multiply by",
            "It is added: where the product is 0 the result is the bias.",
            lambda x, weight, bias: (x @ weight.T) * bias,
        ),
        Misconception(
            "the bias is added to each product",
            "The products are summed first. The bias is added once.",
            lambda x, weight, bias: x @ weight.T + x.shape[1] * bias,
        ),
    ),
    flows=("x", "weight", "bias"),
    form=borrows("linear", "Linear", "addmm", "bilinear"),
    edges=lambda: [{"x": ones(0, 3), "weight": ones(2, 3), "bias": ones(2)}],
    hints=(
        "One cell of the result: a row of x times a row of weight, and one number of bias.",
        "Rows meet columns in @. How do the rows of weight become columns?",
        "x @ weight.T has a row for each example. bias is stretched over the rows when it is added.",
    ),
)  # fmt: skip


# A step, by hand.


def _tensors(random: Random) -> dict[str, Any]:
    """Parameters with gradients, now and then one without."""
    shapes = random.sample(((2, 3), (3,), (), (1, 4), (2,), (2, 1, 2)), random.randint(1, 3))
    parameters = [numbers(random, *shape).requires_grad_() for shape in shapes]
    for p in parameters:
        p.grad = numbers(random, *p.shape, nonzero=True)
    if len(parameters) > 1 and random.random() < 0.3:
        random.choice(parameters).grad = None
    return {"parameters": parameters, "lr": random.choice((0.5, 0.25, 0.1, 0.125, 2.0))}


def _two() -> dict[str, Any]:
    w, b = tensor([1.0, 2.0], requires_grad=True), tensor(3.0, requires_grad=True)
    w.grad, b.grad = tensor([10.0, -20.0]), tensor(4.0)
    return {"parameters": [w, b], "lr": 0.1}


def _moves(by: Callable[[Tensor, Tensor, float], Tensor], many: int | None = None) -> Callable[..., list[Tensor]]:
    """An answer in which parameters with a gradient, the first few or all, get other numbers."""

    def change(parameters: Sequence[Tensor], lr: float) -> None:
        with no_grad():
            for p in parameters[:many]:
                if p.grad is not None:
                    p.copy_(by(p, p.grad, lr))

    return after(change)


def _as_sgd(parameters: Sequence[Tensor], lr: float) -> None:
    SGD(parameters, lr=lr).step()


def _cells(held: Tensor) -> dict[str, float]:
    """The numbers of a tensor by their places."""
    if not held.ndim:
        return {"": held.item()}
    flat, strides = held.detach().contiguous().view(-1).tolist(), ones(*held.shape).stride()
    return {str([n // s % size for s, size in zip(strides, held.shape, strict=True)]): v for n, v in enumerate(flat)}


def _not_moved(_given: Any, parameters: Sequence[Tensor], lr: float) -> str:
    right = after(_as_sgd)([_like(p) for p in parameters], lr)
    told = zip(_given, parameters, right, strict=True)
    for k, (now, before, should) in enumerate(told):
        if tuple(now.shape) != tuple(should.shape):
            return f"parameters[{k}] had shape {tuple(before.shape)}, and has {tuple(now.shape)} now"
        for place, value in _cells(now).items():
            was, wanted, grad = _cells(before)[place], _cells(should)[place], before.grad
            if abs(value - wanted) > 1e-4 * max(1, abs(wanted)) or value != value:
                slope = "and has no gradient" if grad is None else f"its gradient is {_cells(grad)[place]:g}"
                stays = "it has not moved" if value == was else f"it holds {value:.6g} now"
                return f"parameters[{k}]{place} was {was:g}, {slope}, the rate is {lr:g}; {stays}"
    return ""


def _like(p: Tensor) -> Tensor:
    """A parameter of its own with the same numbers and gradient."""
    made = p.detach().clone().requires_grad_()
    made.grad = None if p.grad is None else p.grad.clone()
    return made


def _puts_into_the_list(source: ast.AST) -> bool:
    """True where a place of the list that is given gets another value, as in parameters[i] = p - lr * p.grad."""
    written = next((node for node in ast.walk(source) if isinstance(node, ast.FunctionDef)), None)
    names = {written.args.args[0].arg} if written and written.args.args else set()
    targets = (target for node in ast.walk(source) if isinstance(node, ast.Assign) for target in node.targets)
    return any(isinstance(t, ast.Subscript) and getattr(t.value, "id", None) in names for t in targets)


step = InPlace(
    "step",
    example=_two,
    another=_tensors,
    key=after(_as_sgd),
    model=models.step,
    misconceptions=(
        Misconception(
            "a new value under the old name moves the parameter",
            "p = ... makes another tensor, and the layer keeps the old one. p -= ... writes into its slots: lesson 02.",
            after(lambda parameters, lr: None),
        ),
        Misconception(
            "a new value in the list moves the parameter",
            "The list is only how a step gets to its parameters. p -= ... writes into the one that the layer keeps.",
            after(lambda parameters, lr: None),
            seen=_puts_into_the_list,
        ),
        Misconception(
            "a step goes along the gradient",
            "The gradient says where the loss grows. Go the other way.",
            _moves(lambda p, grad, lr: p + lr * grad),
        ),
        Misconception(
            "the gradient itself is the step",
            "Multiply it by lr, which says how short a step is.",
            _moves(lambda p, grad, lr: p - grad),
        ),
        Misconception(
            "the step takes the place of the weight",
            "It is taken away from what p holds.",
            _moves(lambda p, grad, lr: -lr * grad),
        ),
        Misconception(
            "the rate says by how much a step is divided",
            "A small rate makes a short step: multiply by it.",
            _moves(lambda p, grad, lr: p - grad / lr),
        ),
        Misconception(
            "one parameter is enough",
            "Every parameter moves. Does a return stand inside the loop?",
            _moves(lambda p, grad, lr: p - lr * grad, 1),
        ),
        Misconception(
            "every number moves equally far",
            "A steep number moves far, a flat one little: it is not only the sign that counts.",
            _moves(lambda p, grad, lr: p - lr * grad.sign()),
        ),
    ),
    judge=_not_moved,
    form=borrows("SGD", "Adam", "AdamW", "sgd"),
    many=40,
    hints=(
        "A loop over parameters, and in it one line for p. Where p.grad is None, nothing moves.",
        "What moves a parameter should not be recorded: with torch.no_grad(): around the loop.",
        "p -= lr * p.grad writes into p itself.",
    ),
)
