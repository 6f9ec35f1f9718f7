"""Checks of lesson 12: rules, an order and a sum make an engine, which needs each of them."""

import ast
from random import Random
from typing import Any

from ..autograd import grad
from ..claims.claim import Claim, worked
from ..claims.tree import Leaf, times
from ..ops.creation import ones, tensor
from ..scene import Scene
from ..tensor import Tensor
from . import models
from .kit.answers.answer import astray, same, shown
from .kit.answers.handed_back import judged, where
from .kit.answers.misconception import Misconception
from .kit.answers.source import borrows
from .kit.exercises.cases import vjp
from .kit.exercises.exercise import Exercise
from .kit.programs.engine import (
    ADDED,
    CONSTANT,
    REVERSED,
    SUMMED,
    Engine,
    Gradients,
    Recorded,
    engine,
    reads,
    recorded,
    without,
    written,
)
from .kit.programs.engine_picture import chain, training
from .kit.programs.fits import CARS, Fit
from .kit.programs.graphs import plain_recursion
from .kit.questions.question import Question

__all__ = ["CARS", "PARTS", "backward", "nothing_is_added", "training", "vjp_sub", "vjp_sum", "which_may_go", "without"]

# Which part may be left out?


PARTS = (REVERSED, ADDED, SUMMED, CONSTANT)
TELL = (("w", "speed", "feet"), ("k", "hours", "miles"), ("p", "pieces", "cents"), ("c", "grams", "degrees"))


def _part(part: str, fit: Fit) -> str:
    """A part of the engine as a choice."""
    return {
        REVERSED: "without reversed: the walk goes from the leaves on to the loss",
        ADDED: "without +=: what comes later takes the place of what came first",
        SUMMED: "without sum_to: a gradient stays as large as it has arrived there",
        CONSTANT: f"without what {fit.names[2]} gets: a minus sends to one side only",
    }[part]


def _spared(part: str, fit: Fit) -> bool:
    """True if the number that is fitted gets its gradient without a part of the engine."""
    graph = fit.run()
    id, right = next(iter(_by_backward(graph).items()))
    return same(engine(graph, part).get(id), right)


def _another_fit(random: Random) -> dict[str, Any]:
    n = random.randint(3, 7)
    x, y = (tuple(map(float, random.sample(range(low, high), n))) for low, high in ((1, 10), (11, 99)))
    return {"fit": Fit(random.choice(TELL), x, y, random.random() < 0.5)}


def _gets(name: str, value: Any, verb: str = "gets") -> str:
    """The gradient that a tensor gets, in words."""
    if value is None or value.ndim:
        return f"{name} {verb} " + ("nothing" if value is None else f"{value.numel()} numbers")
    return str(Claim(name, Leaf(value.item()), value.item(), verb=verb, digits=4))


def _without_it(answer: str, fit: Fit) -> Scene:
    """The program with the gradients of an engine that does without a part."""
    part = next(part for part in PARTS if _part(part, fit) == answer)
    graph, name = fit.run(), fit.names[0]
    broken, right = (engine(graph, one).get("%1") for one in (part, ""))
    said = f"{_gets(name, broken)} without it, too." if _gets("", broken) == _gets("", right) else (
        f"{_gets(name, right, 'would get')} without it, and {_gets('it', broken)}.")  # fmt: skip
    return chain(graph, engine(graph, part), said, lit="%1")


which_may_go = Question(
    case={"fit": CARS},
    another=_another_fit,
    ask=lambda fit: (
        f"{fit.names[0]} is one number that wants a gradient; {fit.names[1]} and {fit.names[2]} hold {len(fit.x)} "
        f"numbers each, and want none.\n   {fit.lines[0]}\n   {fit.lines[1]}\n"
        f"One part of the engine may be left out, and {fit.names[0]} gets its gradient all the same. Which?"
    ),
    key=lambda fit: next(_part(part, fit) for part in PARTS if _spared(part, fit)),
    misconceptions=(
        Misconception(
            "any order will do, as long as every node is visited",
            "At the leaves nothing has arrived yet. Who is visited too early hands on nothing, or not all.",
            lambda fit: _part(REVERSED, fit),
        ),
        Misconception(
            "one gradient comes to a node",
            "d * d reads d twice, so two come to d. Both count.",
            lambda fit: _part(ADDED, fit),
        ),
        Misconception(
            "the shapes take care of themselves",
            "One number was read many times, and as many numbers come back. Somebody has to add them up.",
            lambda fit: _part(SUMMED, fit),
        ),
    ),
    why=lambda fit: (
        f"Nobody asks for the gradient of {fit.names[2]}, and nothing further back is made of it. An engine that works "
        "it out wastes a little time; PyTorch's does not."
    ),
    played=_without_it,
)


# The number that is left when nothing is added.


def _three_numbers(random: Random) -> dict[str, Any]:
    """Numbers of which d has either sign, and is not 0."""
    while True:
        case = {"w": random.randint(2, 9), "x": random.randint(2, 9), "y": random.randint(2, 80)}
        if case["w"] * case["x"] != case["y"]:
            return case


def _square(w: int, x: int, y: int) -> Recorded:
    leaf = tensor(float(w), requires_grad=True)
    d = leaf * x - y
    loss = d * d
    return recorded(loss, w=leaf, d=d, loss=loss)


def _left(w: int, x: int, y: int, part: str = "") -> int:
    return int(engine(_square(w, x, y), part)["%1"].item())


def _with_what_is_left(answer: int, w: int, x: int, y: int) -> Scene:
    """The program with the gradients that an answer stands for."""
    d, graph = w * x - y, _square(w, x, y)
    if answer == _left(w, x, y, ADDED):
        said = f"d * d sends {d} to d twice, and the second one takes the place of the first."
        return chain(graph, engine(graph, ADDED), said, lit="%1")
    if answer == _left(w, x, y):
        twice = Claim("d", Leaf(2 * d), 2 * d, verb="would get")
        return chain(graph, engine(graph), f"{twice}, as where both are added.", lit="%1")
    arrived = engine(graph, ADDED) | {"%1": tensor(float(answer))}
    if not answer:
        at = next(node.id for node in graph if node.name == "d")
        said = f"d would get 0. But = writes, and does not empty: the second {d} that d * d sends stays."
        return chain(graph, arrived | {at: tensor(0.0)}, said, lit=at)
    said = f"the product with {x} would hand on {answer} where {d} arrives, and not {worked(times(d, x))}."
    return chain(graph, arrived, said, lit="%1")


nothing_is_added = Question(
    case={"w": 5, "x": 3, "y": 8},
    another=_three_numbers,
    ask=lambda w, x, y: (
        f"w is {w}. This runs:\n   d = w * {x} - {y}\n   loss = d * d\nso d is {w * x - y}. In the engine stands = in "
        "the place of +=. What does w get?"
    ),
    key=lambda w, x, y: _left(w, x, y, ADDED),
    misconceptions=(
        Misconception(
            "what comes first stays, and the second is added to it",
            "That is what += does. With = the second takes the place of the first.",
            lambda w, x, y: _left(w, x, y),
        ),
        Misconception(
            "a node that is read twice gets nothing if the two are not added",
            "One of the two is left, and is handed on.",
            lambda w, x, y: 0,
        ),
        Misconception(
            "what is left is handed on as it is",
            "On its way to w it passes the product, which multiplies it.",
            lambda w, x, y: w * x - y,
        ),
    ),
    why=lambda w, x, y: (
        f"d gets {w * x - y} from each of its two places in d * d, and one of them is left. The product hands on "
        f"{worked(times(w * x - y, x))}. It should be twice as much: the bug of lesson 10."
    ),
    words=lambda number: f"w gets {number}",
    played=_with_what_is_left,
)


# Two rules that are still missing.


def _pair(random: Random) -> dict[str, Any]:
    shape = _a_shape(random)
    return {name: _numbers(random, shape) for name in "gab"}


def _a_shape(random: Random) -> tuple[int, ...]:
    """A shape of 0 to 4 axes, some of size 1 and a few of size 0."""
    return tuple(random.choice((1, 2, 3, 3)) for _ in range(random.randint(0, 4))) if random.random() < 0.9 else (0, 2)


def _numbers(random: Random, shape: tuple[int, ...]) -> Tensor:
    """Numbers with halves, signs and a 0 now and then."""
    return tensor([random.randint(-15, 15) / 2 for _ in range(ones(shape).numel())]).reshape(shape)


def _difference(g: Tensor, a: Tensor, b: Tensor) -> tuple[Tensor, Tensor]:
    return vjp(Tensor.sub, g, a, b)


OWN = borrows("backward", "grad", "vjp", "jacobian")

vjp_sub = Exercise(
    "vjp_sub",
    example=lambda: {"g": tensor([10.0, -1.0]), "a": tensor([6.0, 3.0]), "b": tensor([2.0, 4.0])},
    another=_pair,
    key=_difference,
    model=models.vjp_sub,
    misconceptions=(
        Misconception(
            "a difference is like a sum",
            "When b grows by 1, a - b shrinks by 1: what goes to b has a minus.",
            lambda g, a, b: (g, g),
        ),
        Misconception(
            "upstream can be ignored",
            "Multiply by g: it says how much each cell counts.",
            lambda g, a, b: (g * 0 + 1, g * 0 - 1),
        ),
        Misconception(
            "the gradients are the operands",
            "Move a by 1, and a - b moves by 1, whatever a and b hold.",
            lambda g, a, b: (g * a, -g * b),
        ),
        Misconception(
            "a difference has the factors of a product",
            "The factors of a - b are 1 and -1, whatever a and b hold: g * b and g * a are the rule of a * b.",
            lambda g, a, b: (g * b, -g * a),
        ),
        Misconception(
            "the change of a difference is a difference",
            "db is what g becomes on its way to b: g times -1, and nothing of a or b in it.",
            lambda g, a, b: (g, b - a),
        ),
        Misconception("the first operand has the minus", "a - b grows with a, and shrinks with b.",
                      lambda g, a, b: (-g, g)),
    ),
    judge=judged("da, db", _difference),
    form=OWN,
    many=20,
    hints=(
        "Move a by 1: how far does a - b move? And when b moves by 1?",
        "The factor of a is 1, that of b is -1. Each is multiplied by g.",
        "return g, and behind the comma the same with a minus in front.",
    ),
)  # fmt: skip


def _to_sum(random: Random) -> dict[str, Any]:
    return {"g": _numbers(random, ()), "x": _numbers(random, _a_shape(random))}


def _repeated(g: Tensor, x: Tensor) -> Tensor:
    return vjp(Tensor.sum, g, x)[0]


vjp_sum = Exercise(
    "vjp_sum",
    example=lambda: {"g": tensor(10.0), "x": tensor([6.0, 3.0, 2.0])},
    another=_to_sum,
    key=_repeated,
    model=models.vjp_sum,
    misconceptions=(
        Misconception(
            "a sum shares out what arrives",
            "Move any cell by 1, and the sum moves by 1: each gets all of g. (A mean shares it out.)",
            lambda g, x: (g / x.numel()).expand(x.shape),
        ),
        Misconception(
            "a sum shares out what arrives",
            "Move any cell by 1, and the sum moves by 1: each gets all of g, so the answer has the shape of x.",
            lambda g, x: g / x.numel(),
        ),
        Misconception(
            "one number arrives, so one number goes back",
            "A gradient has the shape of its tensor. All cells of x took part.",
            lambda g, x: g,
        ),
        Misconception("upstream can be ignored", "Multiply by g: it says how much the sum counts.",
                      lambda g, x: ones(x.shape)),
        Misconception("what arrives is multiplied by the cell", "The sum moves by 1 for each cell, however large.",
                      lambda g, x: g * x),
    ),
    form=OWN,
    many=20,
    hints=(
        "Move one cell of x by 1: how far does the sum move?",
        "Each cell of x gets g, so the answer has the shape of x.",
        "g.expand(x.shape) reads one number as often as x has cells. Nothing is copied: lesson 03.",
    ),
)  # fmt: skip


# The engine itself, on programs that the check makes.


def _twice(w: Tensor, x: Tensor, y: Tensor) -> Tensor:
    d = w * x - y
    return (d * d).sum() / 4


def _detour(w: Tensor, x: Tensor, y: Tensor) -> Tensor:
    p = w * x
    q = p + y
    return (p * q - q).sum()


def _late(w: Tensor, x: Tensor, y: Tensor) -> Tensor:
    p = w + x
    return (p + p * y / p).sum()


def _quotients(w: Tensor, x: Tensor, y: Tensor) -> Tensor:
    return (w / x - x / w).sum() * 2


def _of_sums(w: Tensor, x: Tensor, y: Tensor) -> Tensor:
    s = (w * x).sum()
    return s / (s * s + 1) + (y - s).sum()


def _straight(w: Tensor, x: Tensor, y: Tensor) -> Tensor:
    return ((w + x) * y - 3).sum() / 2


def _halved(w: Tensor, x: Tensor, y: Tensor) -> Tensor:
    return ((w * x * 2 - y) ** 2).sum() / 2  # one number at several shapes


PROGRAMS = (_halved, _twice, _detour, _late, _quotients, _of_sums, _straight)
SHAPES = (((), (3,), (3,)), ((2, 1), (3,), (2, 3)), ((3,), (2, 3), ()), ((), (), ()), ((2, 3), (1, 3), (2, 1)),
          ((1,), (4,), (4,)), ((2, 1, 2), (2, 1), (2,)))  # fmt: skip


def _a_program(random: Random) -> dict[str, Any]:
    program, shapes = random.choice(PROGRAMS), random.choice(SHAPES)
    wants = random.choice(((True, False, False), (True, True, False), (True, True, True), (True, False, True)))
    leaves = {}
    for name, shape, tracked in zip("wxy", shapes, wants, strict=True):
        numbers = _numbers(random, shape)
        leaves[name] = (numbers * numbers + 0.5).requires_grad_(tracked)  # positive, so that no sum is 0
    return {"graph": recorded(program(**leaves), **leaves)}


def _cars() -> dict[str, Any]:
    return {"graph": CARS.run()}


def _leaves(graph: Recorded) -> dict[str, Tensor]:
    """The tensors that want a gradient, by their nodes' ids."""
    return {graph.find(leaf): leaf for leaf in graph.leaves}


def _by_backward(graph: Recorded) -> Gradients:
    wanted = grad(graph.result, graph.leaves, retain_graph=True)
    return dict(zip(_leaves(graph), wanted, strict=True))


def _asked(arrived: Gradients, graph: Recorded) -> Gradients:
    """Of what an engine found, what is asked for; None where nothing arrived."""
    return {id: arrived.get(id) for id in _leaves(graph)}


def _not_the_gradients(_given: Any, graph: Recorded) -> str:
    if not isinstance(_given, dict):
        return "grad is asked for, a dict with the gradient of each node by its id: is the return still there?"
    alone = {*_given} <= {*graph.results}
    for id, right in _by_backward(graph).items():
        name = f"{graph[id].name} ({id})"
        given = _given.get(id)
        if given is None:
            return f"nothing has come to {name}" + ", nor to any other operand: what becomes of each part?" * alone
        if not hasattr(given, "shape"):
            return f"the gradient of {name} should be a tensor, and is {shown(given)}"
        if tuple(given.shape) != tuple(right.shape):
            shapes = f"shape {tuple(given.shape)}, and {graph[id].name} has {tuple(right.shape)}"
            return f"the gradient of {name} has {shapes}"
        if not same(given, right):
            numbers = f"its shape is right, its numbers are not{_instead(given, right)}"
            return f"the gradient of {name}: {astray(given, right) or numbers}"
    return ""


def _instead(given: Any, right: Tensor) -> str:
    """The one number that should be there, or the place of the first wrong one."""
    if right.numel() == 1:
        return f": it should be {written(right.reshape(()))}"
    return where(given, right)


def _alike(given: Any, believed: Any) -> bool:
    return isinstance(given, dict) and all(same(given.get(id), value) for id, value in believed.items())


def _as_it_is_reached(graph: Recorded) -> list[str]:
    """The order of plain recursion, from the result."""
    record = reads(graph)
    return list(plain_recursion({id: tuple(record[id]) for id in reversed(record)}))


def _stops(graph: Recorded) -> Gradients:
    """No gradients: the next rule is given a plain 0, at which it stops with an error."""
    return dict.fromkeys(_leaves(graph), "an error")


def _lets_a_sum_go(source: ast.AST) -> bool:
    """True where a line is the sum grad[...] + ..., which is neither kept nor given back."""
    lines = (node.value for node in ast.walk(source) if isinstance(node, ast.Expr))
    sums = (line.left for line in lines if isinstance(line, ast.BinOp) and isinstance(line.op, ast.Add))
    return any(isinstance(left, ast.Subscript) and getattr(left.value, "id", "") == "grad" for left in sums)


backward = Engine(
    "backward",
    example=_cars,
    another=_a_program,
    key=_by_backward,
    model=models.backward,
    misconceptions=(
        Misconception(
            "what comes later takes the place of what came first",
            "A node that is read twice gets two gradients. Add them: +=.",
            lambda graph: _asked(engine(graph, ADDED), graph),
        ),
        Misconception(
            "the result hands on last",
            "Then nobody is left to hand on what it sends. Inputs first is the order to compute in; back it goes the "
            "other way round: reversed(order).",
            lambda graph: (arrived := engine(graph, REVERSED)) | _asked(arrived, graph),  # one step is made
        ),
        Misconception(
            "go on to an input as soon as it is reached",
            "It may be read by others who have not reported. Wait for all: reversed(order) does.",
            lambda graph: _asked(engine(graph, order=_as_it_is_reached(graph)), graph),
        ),
        Misconception(
            "a broadcast hands on what arrives as it is",
            "A number that was read several times gets the sum: the rule for expand needs sum_to.",
            lambda graph: _asked(engine(graph, SUMMED), graph),
        ),
        Misconception(
            "backward begins with the result",
            "It begins with a 1: the loss moves by 1 when the loss moves by 1.",
            lambda graph: _asked(engine(graph, first=graph.result.detach()), graph),
        ),
        Misconception(
            "grad[ref] + part adds part to grad[ref]",
            "It makes a sum, and nobody keeps it: grad[ref] still holds the 0 of a node to which nothing has come. "
            "Write grad[ref] += part.",
            _stops,
            _lets_a_sum_go,
        ),
    ),
    judge=_not_the_gradients,
    alike=_alike,
    form=OWN,
    many=30,
    hints=(
        "The order has inputs first. Which way round do gradients go?",
        "What comes to a node is added to what has come: grad[ref] += ...",
        "Blank 1 is reversed(order), blank 2 is grad[ref] += part.",
    ),
)
