"""Checks of lesson 10: a node waits for all who read it before it hands its gradient on."""

from collections.abc import Iterator, Sequence
from random import Random
from typing import Any

from ..autograd import backward_steps, own_order
from ..claims.claim import worked
from ..claims.tree import added, times
from ..ops.creation import tensor
from ..scene import Scene
from ..tensor import Tensor
from . import models
from .kit.answers.answer import same
from .kit.answers.misconception import Misconception
from .kit.exercises.blanks import Blank, Blanks
from .kit.exercises.exercise import Exercise
from .kit.programs import worlds
from .kit.programs.graphs import Graph, a_graph, nearest_first, plain_recursion, same_graph, unjust, waiting_order
from .kit.questions.question import Question

# The gradient of a node that is used twice.


def _two_factors(random: Random) -> dict[str, Any]:
    return {"near": random.randint(2, 9), "far": random.randint(3, 9)}


def _gradient(near: int, far: int) -> int:
    a = tensor(1.0, requires_grad=True)
    c = a * near
    (c + c * far).backward()
    return int(a.grad.item())


def _counted(answer: int, near: int, far: int) -> Scene:
    """The part that c would have in y if it handed an answer on, and the one it has."""
    c = tensor([1.0, 2.0])
    y = (c + c * far).tolist()
    moves = int(y[1] - y[0])
    if answer == _gradient(near, far):
        come, hands = "what comes to c", "what c hands on to a"
        return worlds.ran(("the move of y for 1 more in c", moves), (come, worked(added((1, far)))),
                          (hands, worked(times(moves, near))))  # fmt: skip
    return worlds.world(worlds.row("the move of y for 1 more in c", answer // near, moves))


reused_node = Question(
    case={"near": 2, "far": 5},
    another=_two_factors,
    ask=lambda near, far: (
        f"A program:\n   c = a * {near}\n   d = c * {far}\n   y = c + d\nWhat is a.grad after y.backward()?"
    ),
    key=_gradient,
    misconceptions=(
        Misconception(
            "what comes first is handed on, and what comes later is lost",
            "c is read twice, so two gradients come back to it. Both count.",
            lambda near, far: near,
        ),
        Misconception(
            "what comes later takes the place of what came first",
            "Gradients that come back to one node are added. None replaces another.",
            lambda near, far: near * far,
        ),
        Misconception(
            "whenever something comes, the whole sum is handed on",
            "Then what came first is handed on twice. A node hands on once: when all has come.",
            lambda near, far: near + near * (1 + far),
        ),
    ),
    why=lambda near, far: (
        f"c gets 1 from y and {far} from d, {1 + far} in all. Only then it hands on: {worked(times(1 + far, near))}."
    ),
    played=_counted,
)


# Who is ready?


def _a_detour(random: Random) -> dict[str, Any]:
    names = random.sample("cdefghkmnpqrstuvw", random.randint(3, 5))
    return {"names": tuple(names), "straight_first": random.random() < 0.5}


def _lines(names: Sequence[str], straight_first: bool) -> list[str]:
    first, *way, last = names
    pair = f"{first} * {way[-1]}" if straight_first else f"{way[-1]} * {first}"
    steps = [f"{new} = {old} + 1" for old, new in zip(names, way, strict=False)]
    return [f"{first} = a * b", *steps, f"{last} = {pair}"]


def _reached(names: Sequence[str], straight_first: bool) -> tuple[set[str], set[str]]:
    """The nodes that a gradient reached once the last has handed on, and those of them that miss none."""
    known: dict[str, Any] = {name: tensor(2.0, requires_grad=True) for name in "ab"}
    exec("\n".join(_lines(names, straight_first)), known)
    called = {known[name].grad_fn: name for name in names}
    steps = [step for step in backward_steps(known[names[-1]]) if step.kind == "accumulate" and step.node in called]
    all_that_comes = {name: sum(called[step.node] == name for step in steps) for name in names}
    early, _ = own_order(known[names[-1]], [known[names[-1]].grad_fn])
    come = [called[step.node] for step in early if step.kind == "accumulate" and step.node in called]
    reached = set(come) - {names[-1]}
    return reached, {name for name in reached if come.count(name) == all_that_comes[name]}


def _names(names: set[str] | tuple[str, ...]) -> tuple[str, ...]:
    return tuple(sorted(names))


def _handed_on(answer: tuple[str, ...], names: Sequence[str], straight_first: bool) -> Scene:
    """The gradients of a and b if some handed on now, and as they are."""

    def gradients(lines: Sequence[str]) -> list[float]:
        known: dict[str, Any] = {"a": tensor(2.0, requires_grad=True), "b": tensor(3.0, requires_grad=True)}
        exec("\n".join(lines), known)
        known[names[-1]].backward()
        return [known[name].grad.item() for name in "ab"]

    lines = _lines(names, straight_first)
    gets = dict(zip(("a.grad", "b.grad"), gradients(lines), strict=True))
    if answer == _names(_reached(names, straight_first)[1]):
        return worlds.ran(*gets.items())
    cut = [line.replace(f"= {names[0]} +", f"= {names[0]}.detach() +") for line in lines]  # it reports too late
    early = [0.0, 0.0] if answer == ("a", "b") else gradients(cut)
    start = worlds.Row("a is 2, and b is 3", "")
    told = (worlds.row(name, would, gets[name]) for name, would in zip(gets, early, strict=True))
    return worlds.world(start, *told)


who_is_ready = Question(
    case={"names": ("p", "q", "r"), "straight_first": False},
    another=_a_detour,
    ask=lambda names, straight_first: (
        "\n".join(["A program:", *(f"   {line}" for line in _lines(names, straight_first))])
        + f"\nBackward begins at {names[-1]}, which has just handed on. Who can hand on next, and be right?"
    ),
    key=lambda **case: _names(_reached(**case)[1]),
    misconceptions=(
        Misconception(
            "who has a gradient is ready",
            "It may not be all of it. A node waits for everyone who reads it.",
            lambda **case: _names(_reached(**case)[0]),
        ),
        Misconception(
            "gradients come in the order of the program",
            "They come in the opposite order. What was made first was read by others, and they have to report.",
            lambda names, straight_first: (names[0],),
        ),
        Misconception(
            "the leaves come first",
            "They come last: their gradients have to pass through all that was made of them.",
            lambda names, straight_first: ("a", "b"),
        ),
    ),
    why=lambda names, straight_first: (
        f"{names[0]} is read by {names[-1]} and by {names[1]}. {names[1]} has not reported yet, so {names[0]} "
        f"has to wait."
    ),
    words=lambda names: " and ".join(names) if len(names) > 1 else f"{names[0]} alone",
    played=_handed_on,
)


# An order for the whole walk: any that lets everyone wait is right.


def _knot(random: Random) -> dict[str, Any]:
    while True:
        graph = a_graph(random)
        hasty = (plain_recursion(graph), nearest_first(graph))
        if all(unjust(order, graph) for order in (*hasty, sorted(graph), sorted(graph)[::-1])) and hasty[0] != hasty[1]:
            return {"graph": graph}


def _record(graph: Graph) -> Iterator[str]:
    """The nodes by name, so that neither reading down nor reading up is an answer."""
    for name in sorted(graph):
        yield f"  {name} reads {' and '.join(graph[name]) or 'x'}"


an_order = Blanks(
    "an_order",
    case={"graph": {"y": ("d", "b"), "b": ("e", "f"), "f": ("c",), "e": ("d",), "d": ("c",), "c": ()}},
    another=_knot,
    ask=lambda graph: (
        "A graph, its nodes in the order of the alphabet:\n" + "\n".join(_record(graph)) + "\n\n"
        f"order   the names as they can hand their gradients on, {next(iter(graph))} first;\n"
        "        without x, a leaf: it has nobody to hand on to"
    ),
    blanks={
        "order": Blank(
            waiting_order,
            (
                Misconception(
                    "go on to an input as soon as it is reached",
                    "That is plain recursion. The input may be read by others who have not reported.",
                    plain_recursion,
                ),
                Misconception(
                    "gradients come in the order of the program",
                    "The other way round: what was made last has nobody to wait for.",
                    lambda graph: tuple(reversed(waiting_order(graph))),
                ),
                Misconception(
                    "what is nearer to the result hands on first",
                    "A near node may also be read by a far one, and has to wait for it.",
                    nearest_first,
                ),
            ),
            judge=unjust,
        )
    },
    why=lambda graph: "Each name stands after all that read it, so all of its gradient has come before it hands on.",
    hints=(
        "Turn the lines round: for each name, who reads it? Those have to stand before it.",
        "The result is read by nobody, so it is first. Strike it out wherever it reads: who has no reader left?",
        "Put one of those down, strike it out, and look again, until no name is left.",
    ),
)


# Build the graph on which plain recursion fails.


def _two_leaves(random: Random) -> dict[str, Any]:
    """Two numbers: round ones, or such as make no factor of a program 0 by chance."""
    b, a = random.sample((0.5, 1.0, 1.5, 2.0), 2)
    if random.random() < 0.7:
        a, b = (random.choice((-1, 1, 1)) * random.randint(301, 1999) / 1024 for _ in "ab")
    return {"a": tensor(a, requires_grad=True), "b": tensor(b, requires_grad=True)}


def visits(y: Tensor) -> list[Any]:
    """The nodes as plain recursion visits them: a node, then its inputs in turn, each once; leaves are not visited."""
    found: list[Any] = []

    def go(node: Any) -> None:
        if node is not None and node.next_functions and node not in found:
            found.append(node)
            for source, _ in node.next_functions:
                go(source)

    go(y.grad_fn)
    return found


def recursion(y: Tensor) -> dict[Any, float]:
    """Leaf gradients as plain recursion has them."""
    _, totals = own_order(y, visits(y))
    return {leaf: float(total) for leaf, total in totals.items()}


def _too_late(y: Tensor) -> bool:
    """True if something reaches a node after plain recursion has visited it."""
    order = visits(y)
    return any(source in order[:place] for place, node in enumerate(order) for source, _ in node.next_functions)


def _too_small(y: Tensor) -> str:
    """The share that is lost, where it is too little to be seen in a gradient."""
    steps, _ = own_order(y, visits(y))
    had = {step.node: float(step.after) for step in steps if step.kind == "accumulate"}
    for step in steps:
        late = float(step.contribution) if step.kind == "lost" else 0.0
        if 0 < abs(late) < 1e-4 * abs(had.get(step.node, 0.0)):
            return f"{late:.3g} beside {had[step.node]:.3g}"
    return ""


def waiting(y: Tensor) -> dict[Any, float]:
    """Leaf gradients as they are."""
    steps = [step for step in backward_steps(y) if step.kind == "accumulate" and not step.node.next_functions]
    return {step.node: float(step.after) for step in steps}


def _no_trap(y: Any, a: Tensor, b: Tensor) -> str:
    if not isinstance(y, Tensor) or y.grad_fn is None:
        return "no tensor that was computed from a and b"
    if y.numel() != 1:
        return "no single number, from which backward could start"
    nodes = len({step.node for step in backward_steps(y)})
    if nodes > 50:
        return "too large a program: it has more than 50 nodes"
    hasty, right = recursion(y), waiting(y)
    if all(same(hasty.get(leaf, 0.0), g) for leaf, g in right.items()):
        called = {a.item(): "a.grad", b.item(): "b.grad"}
        found = (f"{called.get(float(leaf.out), 'another leaf')} is {g:.6g}" for leaf, g in right.items())
        said = f"plain recursion gets this one right: {', '.join(sorted(found))}, as with an engine that waits"
        if small := _too_small(y):
            return f"{said}; something comes too late and is lost, but it is so small, {small}, that rounding hides it"
        if _too_late(y):
            return f"{said}; something comes too late and is lost, but it is 0, or is multiplied by 0 on its way"
        come = [step.node for step in backward_steps(y) if step.kind == "accumulate"]
        shared = [node for node in come if come.count(node) > 1]
        readers = [{source for source, _ in node.next_functions} for node in visits(y)]
        if any(node.next_functions and sum(node in read for read in readers) > 1 for node in shared):
            return f"{said}; its first operand is visited first, so the order of the operands decides"
        if not shared:
            return f"{said}; nothing here gets more than one gradient, so none can come too late"
        if any(node.next_functions for node in shared):
            return f"{said}; no step here gets gradients from two readers: all that comes to a step comes at once"
        return (
            f"{said}; only a leaf is used more than once here, and a leaf is never visited: it only adds up what "
            "comes, so nothing is lost there"
        )
    return "" if len(right) > 1 else "a trap, but computed from one of a and b: let the other take part too"


def _doubled(c: Tensor) -> Tensor:
    return c + c


def _long_way_first(c: Tensor) -> Tensor:
    return c * 2 + c


trap = Exercise(
    "trap",
    another=_two_leaves,
    key=models.trap,
    model=models.trap,
    misconceptions=(
        Misconception(
            "to use a leaf twice is enough",
            "A leaf has nobody to hand on to, so nothing that comes to it can come too late.",
            lambda a, b: a * a,
        ),
        Misconception(
            "to use a node twice in one step is enough",
            "Both gradients come from one reader, at once. Nobody has to wait.",
            lambda a, b: _doubled(a * b),
        ),
        Misconception(
            "two readers are enough, in any order",
            "Here the long way is gone first: when the node is visited, both gradients are there. "
            "Let it be visited early.",
            lambda a, b: _long_way_first(a * b),
        ),
    ),
    judge=_no_trap,
    hints=(
        "Something has to be lost: a node is visited, and later one more gradient comes to it.",
        "Make a node c of a and b, and let two read it: one that is near to the result, one that is far.",
        "The near way has to be gone first: let the first operand of the result be c, and its second the far node.",
    ),
    alike=same_graph,
    many=10,
    once=True,
)
