"""Checks of lesson 21: engines that are broken as published ones were, and the tests that catch them."""

import ast
import math
from collections.abc import Callable, Sequence
from random import Random
from typing import Any

from .. import ir, show
from ..claims.claim import Claim
from ..claims.tree import Leaf
from ..errors import ArgumentValueError
from ..ops.creation import tensor
from ..scene import Figure, Scene
from ..show.compare.engine import Engine, Gradients, numbers, run
from ..show.words.sentences import many
from . import models
from .kit.answers import call as running
from .kit.answers.answer import listed, same, shown
from .kit.answers.misconception import Misconception
from .kit.answers.source import borrows, tree
from .kit.exercises.exercise import Exercise
from .kit.exercises.handing import handing_in
from .kit.programs import worlds
from .kit.questions.question import Question
from .museum import broken
from .museum.exhibits import EXHIBITS, Exhibit
from .museum.guests import GUESTS, Guest

__all__ = ["compare", "guest", "hall", "hand_in", "how_many_visits", "my_test", "shares", "sabotaged",
           "which_test_passes"]  # fmt: skip

# A wrong sign: which test would still pass?


class MinusForPlus(Engine):
    """The gradient of a - b for a is -1."""

    rules = Engine.rules | {"sub": lambda g, node, a, b: (-g, -g)}


SIGNS = {1: broken.PlusForMinus, 0: MinusForPlus}


def _found(engine: Engine, a: int, b: int) -> list[float]:
    """The gradients of a and b in the square of their difference."""
    x, y = tensor(float(a), requires_grad=True), tensor(float(b), requires_grad=True)
    d = x - y
    found = numbers(run(engine, ir.graph(d * d, names={"x": x, "y": y}, depth=0)).gradients)
    return [found["x"], found["y"]]


def _asserts(k: int, a: int, b: int, names: tuple[str, str], faulty: int) -> str:
    """A test that asks for one of the two gradients."""
    value = int(_found(Engine(), a, b)[k])
    return f"it asks whether {Claim(f'{names[k]}.grad', Leaf(value), value)}"


def _another_sign(random: Random) -> dict[str, Any]:
    a, b = random.sample(range(2, 20), 2)
    names = random.choice((("a", "b"), ("p", "q"), ("x", "y"), ("u", "v")))
    return {"a": a, "b": b, "names": names, "faulty": random.randint(0, 1)}


def _tested(test: str, a: int, b: int, names: tuple[str, str], faulty: int) -> Scene:
    """The picture of a test: the number with which it would pass, and that which it finds."""
    wrong, right, name = _found(SIGNS[faulty](), a, b), _found(Engine(), a, b), names[faulty]
    if "nudges" in test:  # forward alone, to both sides
        sides = [float((a - b - more if faulty else a - b + more) ** 2) for more in (1, -1)]
        return worlds.world(worlds.row(f"the slope of {name} by a nudge", wrong[faulty], (sides[0] - sides[1]) / 2))
    if "+" in test:
        return worlds.world(worlds.row(f"{names[0]}.grad + {names[1]}.grad", 0.0, sum(wrong)))
    if test == _asserts(faulty, a, b, names, faulty):
        return worlds.world(worlds.row(f"{name}.grad", right[faulty], wrong[faulty]))
    return worlds.ran((f"{names[1 - faulty]}.grad", wrong[1 - faulty]), (f"{name}.grad", wrong[faulty]))


which_test_passes = Question(
    case={"a": 5, "b": 2, "names": ("a", "b"), "faulty": 1},
    another=_another_sign,
    ask=lambda a, b, names, faulty: (
        f"{names[0]} is {a} and {names[1]} is {b}. This runs:\n   d = {names[0]} - {names[1]}\n   loss = d * d\n"
        f"In the engine the sign of what d sends to {names[faulty]} is wrong. Which of four tests still passes?"
    ),
    key=lambda a, b, names, faulty: next(
        _asserts(k, a, b, names, faulty) for k in (0, 1)
        if _found(SIGNS[faulty](), a, b)[k] == _found(Engine(), a, b)[k]
    ),
    misconceptions=(
        Misconception(
            "what runs without an error is right",
            "The wrong sign gives a number of the same size, and no error. This test asks for just that number.",
            lambda a, b, names, faulty: _asserts(faulty, a, b, names, faulty),
        ),
        Misconception(
            "in a sum of gradients a wrong sign is lost",
            "The two gradients come to 0 only if their signs differ. With the wrong sign they are the same.",
            lambda a, b, names, faulty: f"it asks whether {names[0]}.grad + {names[1]}.grad is 0",
        ),
        Misconception(
            "a nudge goes through the engine, too",
            "A nudge runs the program forward alone, twice. It knows nothing of the engine's signs.",
            lambda a, b, names, faulty: f"it nudges {names[faulty]}, and asks for the same slope",
        ),
    ),
    why=lambda a, b, names, faulty: (
        f"The rule sends one gradient to {names[0]} and one to {names[1]}, and only one of them is wrong. A test that "
        "asks for the other one alone sees nothing. Ask for every gradient, or nudge every leaf."
    ),
    played=_tested,
)

# Once a path: how many visits?


def _visits(many: int, engine: Engine) -> int:
    x = y = tensor(1.0, requires_grad=True)
    for _ in range(many):
        y = y + y
    return sum(1 for _ in engine.order(ir.graph(y, names={"x": x}, depth=0)))


how_many_visits = Question(
    case={"many": 5, "name": "y"},
    another=lambda random: {"many": random.randint(4, 12), "name": random.choice("yzuvst")},
    ask=lambda many, name: (
        f"This runs:\n   for _ in range({many}):\n       {name} = {name} + {name}\n"
        "The engine goes back as plain recursion does: from each node to both of its operands, and it keeps no list of "
        "whom it has visited. How many visits does it make?"
    ),
    key=lambda many, name: _visits(many, broken.OncePerPath()),
    misconceptions=(
        Misconception(
            "a node is visited once",
            "It would be, if somebody kept a list. Here each way that leads to a node is a visit.",
            lambda many, name: many + 1,
        ),
        Misconception(
            "a node that is read twice is visited twice",
            "Each visit of its reader visits it twice. Of a reader that is visited four times it is eight.",
            lambda many, name: 2 * many + 1,
        ),
        Misconception(
            "the ways to the leaf are all visits there are",
            "The nodes on the way are visited, too, each once for every way that leads there.",
            lambda many, name: 2**many,
        ),
    ),
    why=lambda many, name: (
        f"The last node is visited once, the one before twice, then four times, up to {2**many} visits of the leaf. "
        f"An engine that waits visits {many + 1} nodes. With two lines "
        "both end at once: a test that asks for no gradient passes."
    ),
    words=lambda number: f"{number:,} visits",
    played=lambda number, **case: worlds.smaller(number, how_many_visits, case, {
        f"the number of visits after {many(k, 'line')}": case | {"many": k} for k in (1, 2, 3)
    }),
)

# Repair: ties.


def _ties(random: Random) -> dict[str, Any]:
    cells = [float(random.randint(-3, 3)) for _ in range(random.randint(1, 6))]
    cells += [max(cells)] * random.randint(0, 2)
    random.shuffle(cells)
    return {"g": tensor(float(random.choice((-6, -2, -1, 1, 2, 3, 12)))), "x": tensor(cells)}


def _first_alone(g: Any, x: Any) -> Any:
    cells = x.tolist()
    return tensor([g.item() if k == cells.index(max(cells)) else 0.0 for k in range(len(cells))])


shares = Exercise(
    "shares",
    example=lambda: {"g": tensor(6.0), "x": tensor([1.0, 2.0, 2.0])},
    another=_ties,
    key=lambda g, x: g * (x == x.max()) / (x == x.max()).sum(),
    model=models.shares,
    misconceptions=(
        Misconception(
            "each of the largest gets all that arrives",
            "Nudge both of them by 1: the maximum moves by 1, and not by 2. They have to share.",
            lambda g, x: g * (x == x.max()),
        ),
        Misconception(
            "the first of the largest gets all",
            "argmax picks one. x.max() of all cells shares among the tied, and PyTorch's does the same.",
            _first_alone,
        ),
        Misconception(
            "a tie is always of two",
            "Count how many cells are as large as the largest: it may be one, or three.",
            lambda g, x: g * (x == x.max()) / 2,
        ),
        Misconception(
            "upstream can be ignored",
            "What arrives is shared out: multiply by g.",
            lambda g, x: (x == x.max()) / (x == x.max()).sum(),
        ),
        Misconception(
            "all cells share",
            "Who is not the largest can be nudged without any effect, and gets 0.",
            lambda g, x: g.expand(x.shape) / x.numel(),
        ),
    ),
    form=borrows("backward", "grad", "vjp", "jacobian"),
    hints=(
        "How many cells are as large as the largest?",
        "top = x == x.max() says which; top.sum() says how many.",
        "return g * top / top.sum()",
    ),
)

# The test that catches it.


class Unnamed:
    """An engine that tells nothing of itself: it can be called, and not be changed."""

    __slots__ = ("_call",)

    def __init__(self, engine: Callable[..., Gradients]) -> None:
        object.__setattr__(self, "_call", lambda *arguments: engine(*arguments))

    def __call__(self, graph: ir.Graph, upstream: Any = None) -> Gradients:
        return self._call(graph, upstream)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("an engine is tested as it is: nothing of it can be changed")

    def __eq__(self, other: object) -> bool:  # one is as good as another, so that a comparison tells nothing
        return isinstance(other, Unnamed)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return "an engine"


ENGINES = (Engine, broken.AllOfTheTied)


def _an_engine(random: Random) -> dict[str, Any]:
    """One of the two, and as often as not under the other one's name, so that its name tells nothing."""
    engine, name = random.choice(ENGINES), random.choice(ENGINES).__name__
    return {"engine": Unnamed(type(name, (engine,), {})())}


def _is_right(engine: Unnamed) -> bool:
    x = tensor([2.0, 2.0], requires_grad=True)
    return numbers(engine(ir.graph(x.max(), names={"x": x}, depth=0)))["x"] == [0.5, 0.5]


LOOKS = {"type", "isinstance", "getattr", "vars", "dir", "repr", "str", "id", "hash"}


def _looks_at_it(source: ast.AST) -> bool:
    """True if a test asks who the engine is."""
    return any(
        isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in LOOKS
        and any(isinstance(part, ast.Name) and part.id == "engine" for part in node.args)
        or isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "engine"
        for node in ast.walk(source)
    )  # fmt: skip


def _verdict(given: Any) -> Any:
    """The word of a test: of a tensor or an array with one number in it, that number."""
    one = given.reshape(()) if hasattr(given, "reshape") and math.prod(given.shape) == 1 else given
    return listed(one)


def _no_verdict(_given: Any, engine: Unnamed) -> str:
    if not isinstance(said := _verdict(_given), bool):
        return f"a test says True or False, and this is {shown(_given)}"
    if said is _is_right(engine):
        return ""
    return "it passes the broken engine" if said else "it does not pass the mended engine"


def _by_what_it_does(function: Any) -> str:
    """Why a test that tells the engines apart is none, or ""."""
    source = tree(function)
    return "it looks at who the engine is: ask what it computes" if source and _looks_at_it(source) else ""


my_test = Exercise(
    "my_test",
    another=_an_engine,
    key=_is_right,
    model=models.my_test,
    judge=_no_verdict,
    alike=lambda said, other: same(_verdict(said), _verdict(other)),
    form=_by_what_it_does,
    many=12,
    misconceptions=(
        Misconception(
            "a test that passes is a good test",
            "It passes the broken engine: ask for a number that comes out otherwise there.",
            lambda engine: True,
        ),
        Misconception(
            "a strict test finds every bug",
            "It refuses the mended engine, which is right.",
            lambda engine: False,
        ),
        Misconception(
            "a test says True where it finds the bug",
            "It tells the two apart, and says it the wrong way round: True is for the engine that is right.",
            lambda engine: not _is_right(engine),
        ),
        Misconception(
            "an engine is known by its name",
            "Whoever writes a bug gives it no name. Ask the engine for a gradient.",
            lambda engine: repr(engine),
            _looks_at_it,
        ),
    ),
    hints=(
        "Take an x in which two cells are the largest.",
        "engine(ir.graph(x.max(), names={'x': x}))['x'] is what x gets. .tolist() makes numbers of it.",
        "return found.tolist() == [0.5, 0.5]",
    ),
)

# The rest of the museum, for home.


def _exhibit(name: str) -> Exhibit:
    found = next((exhibit for exhibit in EXHIBITS if exhibit.name == name), None)
    if any(one.name == name for one in GUESTS):
        rule = "a guest is a pair of programs, and no engine"
        raise ArgumentValueError(f"the guest {shown(name)}", rule, f"check.guest({name!r}, torch)")
    if found is None:
        raise ArgumentValueError(f"the name {shown(name)}", f"an exhibit is called {_any_of(EXHIBITS)}",
                                 f'check.compare("{EXHIBITS[0].name}")')  # fmt: skip
    return found


def _any_of(named: Sequence[Exhibit | Guest]) -> str:
    return ", ".join(f'"{one.name}"' for one in named[:-1]) + f' or "{named[-1].name}"'


def hall() -> None:
    """Prints the names of the exhibits and guests, each with the lesson whose idea it breaks.

    >>> hall()  # doctest: +ELLIPSIS
    a sign                           lesson 09
    ...
    """
    for one in (*EXHIBITS, *GUESTS):
        print(f"{one.name:<32} lesson {one.lesson}")


def compare(name: str) -> Figure:
    """The figure of an exhibit, beside the engine that is right.

    >>> compare("a sign").sentences[-1]
    'In the end b.grad = -6 in rustyflow, and 6 in PlusForMinus.'
    """
    exhibit = _exhibit(name)
    result, names = exhibit.program()
    title = exhibit.code.partition("   #")[0].replace(":\n    ", ": ").replace("\n", "; ")
    return show.compare(result, exhibit.engine, names=names, times=exhibit.times, title=title)


def guest(name: str, torch: Any) -> None:
    """Prints what a guest's program gives, what the mended one gives, and which test both pass.

    >>> import rustyflow as rf
    >>> guest("a square that fits", rf)
    the fault:   [[0.5, 0.25], [0.5, 0.75]]
    mended:      [[0.5, 0.5], [0.25, 0.75]]
    still passes: no error comes of a square, and symmetric numbers come out right
    without keepdim the sums of rows lie along the columns.
    """
    found = next((one for one in GUESTS if one.name == name), None)
    if any(one.name == name for one in EXHIBITS):
        rule = "an exhibit is an engine, and is held against the one that is right"
        raise ArgumentValueError(f"the exhibit {shown(name)}", rule, f"check.compare({name!r})")
    if found is None:
        raise ArgumentValueError(f"the name {shown(name)}", f"a guest is called {_any_of(GUESTS)}",
                                 f'check.guest("{GUESTS[0].name}", torch)')  # fmt: skip
    print(f"the fault:   {found.faulty(torch)}\nmended:      {found.mended(torch)}")
    print(f"still passes: {found.passes}\n{found.why}")


# The last one is the student's own.


MOST_LINES, PATIENCE = 20, 1.0
"""The most lines that are changed in turn until a gradient goes wrong, and the seconds that an engine has each time."""


class _Part(ast.NodeTransformer):
    """Leaves, of each sum that reads a container, what is added to what is there."""

    def __init__(self, container: str) -> None:
        self.container = container

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        there, added = (any(ast.unparse(part) == self.container for part in ast.walk(side))
                        for side in (node.left, node.right))  # fmt: skip
        return node if not isinstance(node.op, ast.Add) or there == added else node.right if there else node.left


class _Sabotage(ast.NodeTransformer):
    """Changes one of the lines that add to what a container holds: what came first is lost.

    Args:
        place: which of these lines, from 0 on. `line` says it, and is "" where there is none.
    """

    def __init__(self, place: int) -> None:
        self.place, self.line = place, ""

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST:
        return self._changed(node, node.target, node.value if isinstance(node.op, ast.Add) else None)

    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        target = node.targets[0]
        held = ast.unparse(target.value) if isinstance(target, ast.Subscript) else ""
        part = _Part(held).visit(ast.parse(ast.unparse(node.value), mode="eval").body)
        return self._changed(node, target, part if ast.unparse(part) != ast.unparse(node.value) else None)

    def _changed(self, node: ast.stmt, target: ast.expr, part: ast.expr | None) -> ast.AST:
        if not isinstance(target, ast.Subscript) or part is None:
            return node
        self.place -= 1
        if self.place != -1:
            return node
        new = ast.fix_missing_locations(ast.copy_location(ast.Assign([target], part), node))
        self.line = f"{ast.unparse(node)}   is now   {ast.unparse(new)}"
        return new


def sabotaged(function: Callable[..., Any]) -> Callable[..., Any]:
    """Changes one line of an engine of lesson 12, and prints it.

    It is the first line with which a gradient goes wrong. Where there is none, the course's engine is changed.

    Returns:
        An engine, as `show.compare` takes one: a function of a graph, which returns the gradients of leaves by name.

    >>> from rustyflow.lessons import models
    >>> engine = sabotaged(models.backward)
    grad[ref] += part   is now   grad[ref] = part
    """
    right = _found_by(_engine_of(function))
    for place in range(MOST_LINES):
        source, change = tree(function), _Sabotage(place)
        changed = change.visit(source) if source else None
        if not change.line:
            break
        known = dict(function.__globals__)
        exec(compile(ast.fix_missing_locations(changed), "<the engine>", "exec"), known)
        broken_one = _engine_of(known[function.__name__])
        if right and (found := _found_by(broken_one)) and found != right:
            print(change.line)
            return broken_one
    why = "No line of it adds gradients up, of those that can be changed." if right else \
        "It finds no gradients of a * b + a."  # fmt: skip
    print(f"{why} So this is the course's engine.")
    return sabotaged(models.backward)


def _engine_of(function: Callable[..., Any]) -> Callable[..., Gradients]:
    """An engine as `show.compare` takes one, of a function of lesson 12."""

    def engine(graph: ir.Graph, upstream: Any = None) -> Gradients:
        found = function(graph)
        wanted = [node for node in graph if node.kind == "leaf" and node.requires_grad]
        return {node.name or node.id: found[node.id] for node in wanted if node.id in found}

    engine.__name__ = "your engine"
    return engine


def _found_by(engine: Callable[..., Gradients]) -> dict[str, Any]:
    """The gradients that an engine finds where a number is read twice; none where it stops or never ends."""
    a, b = tensor(2.0, requires_grad=True), tensor(3.0, requires_grad=True)
    graph = ir.graph(a * b + a, names={"a": a, "b": b}, depth=0)
    made = running.call(lambda graph: numbers(engine(graph)), (graph,), PATIENCE)
    return {} if made.problem else made.value


hand_in = handing_in(__name__)
