"""Checks of lesson 08: a program is recorded as a graph of what ran, no tree of what was written."""

import ast
import dis
from math import exp
from random import Random
from typing import Any

from .. import ir
from ..ops.creation import tensor
from ..scene import Scene
from ..show.words.sentences import many
from ..tensor import Tensor
from . import models
from .kit.answers.misconception import Misconception
from .kit.answers.source import borrows, codes, instructions, parts, tree
from .kit.exercises.cases import numbers
from .kit.exercises.exercise import Exercise
from .kit.programs import worlds
from .kit.programs.graphs import (
    Graph,
    a_graph,
    from_the_first_name,
    met_first,
    plain_recursion,
    premature,
    same_graph,
    waiting_order,
)
from .kit.questions.question import Question


def operations(y: Tensor) -> tuple[str, ...]:
    """The operations in the graph of y, in the order in which they ran."""
    return tuple(node.op for node in ir.graph(y, depth=0) if node.kind == "op")


# The same sum, written in two ways.


def _how_often(random: Random) -> dict[str, Any]:
    return {"times": random.randint(2, 5), "number": random.randint(2, 9)}


def _written(times: int, x: Tensor) -> tuple[Tensor, Tensor]:
    """The sum with its products written out, and that with their name."""
    first = x * x
    for _ in range(times - 1):
        first = first + x * x
    s = x * x
    second = s
    for _ in range(times - 1):
        second = second + s
    return first, second


def _both(times: int, number: int) -> tuple[int, int]:
    first, second = _written(times, tensor(float(number), requires_grad=True))
    return len(operations(first)), len(operations(second))


def _products(counts: tuple[int, int], times: int, number: int) -> Scene:
    """The products that would have run, and those that ran."""
    x = tensor(float(number), requires_grad=True)
    y, z = (operations(one).count("mul") for one in _written(times, x))
    in_y, in_z = "the number of products that ran for y", "the number of products that ran for z"
    if counts == _both(times, number):
        return worlds.ran((in_y, y), (in_z, z))
    if counts[0] > counts[1]:
        return worlds.world(worlds.row("the number of operations that made x", 1, len(operations(x))))
    sums = times - 1
    return worlds.world(worlds.row(in_y, counts[0] - sums, y), worlds.row(in_z, counts[1] - sums, z))


def _sums(n: int) -> str:
    return "1 sum" if n == 1 else f"{n} sums"


written_twice = Question(
    case={"times": 2, "number": 3},
    another=_how_often,
    ask=lambda times, number: (
        f"Two programs, with x = torch.tensor({number}.0, requires_grad=True):\n"
        f"   y = {' + '.join(['(x * x)'] * times)}\n"
        f"   s = x * x; z = {' + '.join(['s'] * times)}\n"
        "How many operations are recorded for y, and how many for z?"
    ),
    key=_both,
    misconceptions=(
        Misconception(
            "what is used twice is there twice",
            "s ran once, so it is there once. That it is read more than once makes the graph no larger.",
            lambda times, number: (2 * times - 1, 2 * times - 1),
        ),
        Misconception(
            "what is written twice is noticed and kept once",
            "Nobody compares. Each x * x that runs is recorded.",
            lambda times, number: (times, times),
        ),
        Misconception(
            "x is an operation too",
            "x is a leaf: it was given, not computed.",
            lambda times, number: (2 * times, times + 1),
        ),
    ),
    why=lambda times, number: (
        f"For y, {times} products and {_sums(times - 1)} ran; for z, 1 product and {_sums(times - 1)}. "
        "What ran is recorded, once."
    ),
    words=lambda counts: f"{counts[0]} and {counts[1]}",
    played=_products,
)


# What of an `if` is recorded?


def _a_branch(random: Random) -> dict[str, Any]:
    return {"number": random.choice([n for n in range(-9, 10) if n]), "factor": random.randint(2, 9)}


def _branch(number: int, factor: int) -> tuple[str, ...]:
    x = tensor(float(number), requires_grad=True)
    return operations(x * factor if x > 0 else x.exp())


def _taken(number: int) -> str:
    return "mul" if number > 0 else "exp"


def _recorded(names: tuple[str, ...], number: int, factor: int) -> Scene:
    """The picture of a graph with some operations: its gradient, or its nodes, and what there is."""
    x = tensor(float(number), requires_grad=True)
    y = x * factor if x > 0 else x.exp()
    y.backward()
    if names == _branch(number, factor):
        return worlds.ran(("y.grad_fn.name()", y.grad_fn.name()), ("x.grad", x.grad))
    if len(names) == 3:  # both branches would send something back
        return worlds.world(worlds.row("x.grad", factor + exp(number), x.grad))
    if "gt" in names:
        return worlds.world(worlds.tried("(x > 0).requires_grad", True, x=x))
    return worlds.world(worlds.tried("(x > 0).grad_fn", "a node", x=x))


what_of_an_if = Question(
    case={"number": 3, "factor": 2},
    another=_a_branch,
    ask=lambda number, factor: (
        f"x is {number}, and this runs:\n   if x > 0:\n       y = x * {factor}\n   else:\n       y = x.exp()\n"
        "Which operations are in the graph of y? (gt is the operation of the sign >, short for greater than.)"
    ),
    key=_branch,
    misconceptions=(
        Misconception(
            "the graph holds the whole program",
            "It holds what ran on the way to y. The other branch did not run.",
            lambda number, factor: ("if", "mul", "exp"),
        ),
        Misconception(
            "the graph remembers the decision",
            "The comparison ran, but no number flows from it into y, and Python alone knows of the if.",
            lambda number, factor: ("if", _taken(number)),
        ),
        Misconception(
            "the graph remembers the comparison",
            "No gradient can flow through a yes or no, and y is not computed from it.",
            lambda number, factor: ("gt", _taken(number)),
        ),
    ),
    why=lambda number, factor: f"One operation made y: {_taken(number)}. With another x it may be another.",
    words=lambda names: " and ".join(names) if len(names) > 1 else f"{names[0]} alone",
    played=_recorded,
)


# How many nodes do twenty doublings make?


def _how_far(random: Random) -> dict[str, Any]:
    return {"times": random.randint(5, 12)}


def _doublings(times: int) -> int:
    y = tensor(1.0, requires_grad=True)
    for _ in range(times):
        y = y + y
    return len(ir.graph(y, depth=0))


twenty_doublings = Question(
    case={"times": 20},
    another=_how_far,
    ask=lambda times: (
        f"y = x, and then {times} times y = y + y. A node is a leaf or an operation. How many nodes has the graph of y?"
    ),
    key=_doublings,
    misconceptions=(
        Misconception(
            "the graph is a tree",
            "A tree would write each node once for each way that leads to it. The graph has it once.",
            lambda times: 2 ** (times + 1) - 1,
        ),
        Misconception(
            "a loop is one node",
            "The loop is not recorded. Each addition that ran in it is.",
            lambda times: 2,
        ),
        Misconception(
            "each operation brings its two inputs",
            "They are there already: both are the y of the turn before.",
            lambda times: 3 * times,
        ),
    ),
    why=lambda times: f"One leaf, and {times} additions.",
    words=lambda n: f"{n:,} nodes",
    played=lambda n, times: worlds.smaller(n, twenty_doublings, {"times": times}, {
        f"the number of nodes after {many(k, 'doubling')}": {"times": k} for k in (1, 2, 3)
    }),
)


# Write another program with the same graph.


def program(x: Tensor) -> Tensor:
    """The program of the lesson."""
    y = x
    for turn in range(3):
        if turn == 1:
            y = y.tanh()
        else:
            y = y * x
    return y


def _one_leaf(random: Random) -> dict[str, Any]:
    shape = random.choice(((), (), (), (3,), (1, 2), (2, 1, 2), (1, 2, 1, 2), (0, 2)))
    return {"x": numbers(random, *shape).requires_grad_()}


def _another_graph(y: Any, x: Tensor) -> str:
    if not isinstance(y, Tensor) or y.grad_fn is None:
        return "no tensor that was computed from x"
    wanted, found = (ir.graph(made, names={"x": x}, depth=0) for made in (program(x), y))
    if wanted == found:
        return ""
    return f"another graph than program(x) records\nyours:\n{found.text(limit=20)}\nwanted:\n{wanted}"


def _detour(function: Any) -> str:
    """The part of a function that is more than one step after the other; empty when nothing is."""
    used = [code for part in parts(function) for code in codes(part)]
    if any(program.__name__ in code.co_names for code in used):
        return f"it calls {program.__name__}: write down the steps themselves"
    if any(map(_turns, parts(function))) or any(not LOOPING.isdisjoint(code.co_names) for code in used):
        return "it has a loop or an if: write down one step after the other"
    return ""


def _turns(function: Any) -> bool:
    """True for a function with a loop or a choice in it; without its source, its steps tell."""
    source = tree(function)
    if source is not None and function.__name__ != "<lambda>":  # around a lambda there may be any line
        return any(isinstance(node, TURNS) for node in ast.walk(source))
    return any(step.opcode in (*dis.hasjrel, *dis.hasjabs) for step in instructions(function))


TURNS = (ast.For, ast.While, ast.If, ast.IfExp, ast.BoolOp, ast.Match, ast.Try, ast.comprehension)
LOOPING = {"map", "filter", "reduce", "accumulate", "exec", "eval"}


straight = Exercise(
    "straight",
    another=_one_leaf,
    key=program,
    model=models.straight,
    misconceptions=(
        Misconception(
            "programs with the same result have the same graph",
            "The graph is of operations. x ** 2 is not x * x, even where the numbers agree.",
            lambda x: (x**2).tanh() * x,
            lambda source: any(isinstance(part, ast.Pow) for part in ast.walk(source)),
        ),
        Misconception(
            "the body of a loop is recorded once",
            "It is recorded each time it runs.",
            lambda x: x * x,
        ),
        Misconception(
            "a method changes its tensor",
            "y.tanh() makes a new tensor. Without a name for it, y = y.tanh(), it is lost.",
            lambda x: x * x * x,
        ),
        Misconception(
            "the order of the two factors does not matter",
            "To the number it does not. The record says what was read first: y * x and x * y differ.",
            lambda x: x * (x * x).tanh(),
        ),
    ),
    judge=_another_graph,
    hints=(
        "Play the loop by hand: what is y after turn 0, after turn 1, after turn 2?",
        "Turn 0 is y * x, and y is x there. Turn 1 is y.tanh().",
        "Three lines and a return: each line makes y anew from the y before.",
    ),
    alike=same_graph,
    form=_detour,
    many=10,
)


# Write down an order in which a graph can be computed.


def _shuffled(random: Random) -> dict[str, Any]:
    graph = a_graph(random) if random.random() < 0.92 else {random.choice("cdefgh"): ()}
    if random.random() < 0.3:  # a second result, which nobody reads either
        graph = {"y": tuple(random.sample(list(graph), 1)), **graph}
    names = list(graph)
    random.shuffle(names)
    return {"graph": {name: graph[name] for name in names}}


def _computed(graph: Graph) -> list[str]:
    return [*reversed(waiting_order(graph))]


topological_order = Exercise(
    "topological_order",
    form=borrows("TopologicalSorter", "topological_sort"),
    edges=lambda: ({"graph": {}},),
    example=lambda: {"graph": {"y": ("a", "b"), "b": ("a",), "a": ()}},
    another=_shuffled,
    key=_computed,
    model=models.topological_order,
    misconceptions=(
        Misconception(
            "the order in which it is written will do",
            "A graph says who reads whom. It may be written down in any order.",
            lambda graph: tuple(graph),
        ),
        Misconception(
            "readers come first",
            "That is the order of backward. To compute a node, its inputs have to be there.",
            waiting_order,
        ),
        Misconception(
            "each node is put where it is met first",
            "Put a node down after its inputs, not before.",
            met_first,
        ),
        Misconception(
            "the first name leads to all the others",
            "The names stand in any order, and the first may lead to nobody. Start from each name, not from the first.",
            from_the_first_name,
        ),
        Misconception(
            "the first name leads to all the others",
            "The names stand in any order: start from every name. And put each down after its inputs, not before.",
            plain_recursion,
        ),
    ),
    judge=premature,
    hints=(
        "A node can go into the list when all of its inputs are in it. Which nodes can go first?",
        "Go over the names again and again, and put down each that is not there yet and whose inputs are all there.",
        "You are done when the list is as long as the graph: while len(order) < len(graph).",
    ),
)
