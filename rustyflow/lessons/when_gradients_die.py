"""Checks of lesson 15: layers multiply a gradient, and a strip of norms tells where it died."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from math import log10
from random import Random
from typing import Any

from ..autograd import grad
from ..claims.claim import equation
from ..nn.functional import cross_entropy
from ..ops.creation import ones, tensor, zeros
from ..scene import Figure, Frame, Scene, figure
from ..show.words.sentences import many
from ..tensor import Tensor
from . import models
from .kit.answers.misconception import Misconception
from .kit.answers.source import borrows
from .kit.exercises.blanks import Blank, Blanks
from .kit.exercises.cases import numbers, vjp
from .kit.exercises.exercise import Exercise
from .kit.programs import worlds
from .kit.questions.grids import cells, grids, lit
from .kit.questions.question import Question

__all__ = ["at_the_first_layer", "training", "vjp_sigmoid", "which_is_which", "whose_strip"]

# A chain of sigmoids: what is left of a gradient at its start.


def _left(layers: int, arrives: int) -> str:
    """The gradient at the start of a chain of sigmoids, each at 0, the steepest place."""
    start = zeros(()).requires_grad_()
    x = start
    for _ in range(layers):
        x = x.sigmoid() - 0.5  # a bias, so that the next one is at 0, too
    (found,) = grad(x, start, tensor(float(arrives)))
    return f"{arrives}/{round(arrives / found.item())}"


at_the_first_layer = Question(
    case={"layers": 5, "arrives": 1},
    another=lambda random: {"layers": random.randint(3, 8), "arrives": random.randint(1, 9)},
    ask=lambda layers, arrives: (
        f"{layers} layers, and after each a sigmoid. Weights are 1, and biases put each sigmoid where it is steepest, "
        f"with a slope of 1/4. A gradient of {arrives} arrives behind the last one. How much of it comes to the first "
        "one's input?"
    ),
    key=_left,
    misconceptions=(
        Misconception(
            "each value on the way has a factor, the input too",
            "A factor belongs to a sigmoid, and the input comes before the first one: as many factors as layers.",
            lambda layers, arrives: f"{arrives}/{4 ** (layers + 1)}",
        ),
        Misconception(
            "only the last layer has a say",
            "What it lets through comes to the layer before it, and that one multiplies it again.",
            lambda layers, arrives: f"{arrives}/4",
        ),
        Misconception(
            "slopes are added up, so deeper is better",
            "One stands behind the other, and each multiplies what comes through. Factors below 1 make it smaller.",
            lambda layers, arrives: f"{arrives * layers}/4",
        ),
    ),
    why=lambda layers, arrives: (
        f"{layers} factors of 1/4 are 1/{4**layers}. More comes through no {layers} sigmoids: "
        "elsewhere they are flatter."
    ),
    played=lambda answer, **case: worlds.smaller(answer, at_the_first_layer, case, {
        f"what is left behind {many(k, 'layer')}": case | {"layers": k} for k in (1, 2, 3)
    }),
)


# Strips: the norm of each layer's gradient, at the first steps, as powers of ten.

SIGMOID, LARGE, DEAD, WELL = "sigmoid", "large", "dead", "well"
WIDE, STEPS, RATE = 12, 5, 1e-5
"""Steps so short that a strip stays of one kind, and that a last digit that differs by the machine stays one."""

Strip = tuple[tuple[int | None, ...], ...]


def _functions(kind: str, layers: int) -> list[Callable[[Tensor], Tensor]]:
    """The functions after all layers but the last."""
    after = {SIGMOID: Tensor.sigmoid, DEAD: Tensor.relu}.get(kind, Tensor.tanh)
    return [after] * (layers - 1)


@cache
def _strip(kind: str, layers: int, seed: int) -> Strip:
    """The norms of gradients as powers of ten, layer by layer and step by step."""
    random = Random(seed)
    sizes = [2, *[WIDE] * (layers - 1), 2]
    size = {LARGE: 25.0, DEAD: 6**0.5, WELL: 3**0.5 * 1.3}.get(kind, 1.0)
    x = tensor([[random.uniform(-1, 1) for _ in range(2)] for _ in range(24)])
    y = (x[:, 0] * x[:, 1] > 0).long()
    weights = [tensor([[random.uniform(-1, 1) * size / a**0.5 for _ in range(b)] for _ in range(a)]).requires_grad_()
               for a, b in zip(sizes, sizes[1:], strict=False)]  # fmt: skip
    biases = [tensor([random.uniform(0, 0.3) for _ in range(b)]).requires_grad_() for b in sizes[1:]]
    if kind == DEAD:
        biases[layers // 2] = (zeros(WIDE) - 100).requires_grad_()
    norms: list[list[int | None]] = [[] for _ in weights]
    for _ in range(STEPS):
        h = x
        for k, (w, b) in enumerate(zip(weights, biases, strict=True)):
            h = h @ w + b
            h = _functions(kind, layers)[k](h) if k < layers - 1 else h
        found = grad(cross_entropy(h, y), [*weights, *biases])
        for k, g in enumerate(found[:layers]):
            norm = (g * g).sum().sqrt().item()
            norms[k].append(round(log10(norm)) if norm else None)
        old = [*weights, *biases]
        new = [(w.detach() - RATE * g).requires_grad_() for w, g in zip(old, found, strict=True)]
        weights, biases = new[:layers], new[layers:]
    return tuple(map(tuple, norms))


def _kind(strip: Strip) -> str:
    """The network that a strip is of: told from its first step."""
    first = [row[0] for row in strip]
    if None in first:
        return DEAD
    return LARGE if (first[0] or 0) > (first[-1] or 0) else SIGMOID


def _power(power: int | None) -> str:
    """A power of ten, as short as it can be.

    >>> [_power(p) for p in (None, 2, 0, -1, -5)]
    ['0', '100', '1', '0.1', '1e-5']
    """
    if power is None:
        return "0"
    return str(10**power) if power >= 0 else f"{10.0**power:.2f}".rstrip("0") if power > -3 else f"1e{power}"


def _shown(strip: Strip) -> list[list[str]]:
    return [[_power(power) for power in row] for row in strip]


def _strips(*named: tuple[str, str, Strip], frames: Sequence[Frame] = (Frame("It waits."),)) -> Scene:
    """Strips beside each other: the larger a power of ten, the deeper the shade of its cell; 0 is hatched."""
    scene = grids(*((name, letter, _shown(strip)) for name, letter, strip in named), frames=frames, h=26)
    shades = {f"{letter}{n}": _shade(power) for _, letter, strip in named
              for n, power in enumerate(power for row in strip for power in row)}  # fmt: skip
    return replace(scene, shapes=tuple(
        shape._replace(cls=(*shape.cls, shades[shape.id])) if shape.id in shades else shape for shape in scene.shapes
    ))


def _shade(power: int | None) -> str:
    """The class of a cell, over the powers of all strips: 1e-6 to 100.

    >>> [_shade(power) for power in (None, -6, -1, 2)]
    ['unread', 'heat0', 'heat2', 'heat4']
    """
    return "unread" if power is None else f"heat{max(0, min(4, (power + 6) // 2))}"


def _first_step(strip: Strip) -> str:
    return "  ".join(_power(row[0]) for row in strip)


def _network(kind: str, layers: int) -> str:
    """A network in words."""
    return {
        SIGMOID: f"{layers} layers, with a sigmoid between each two",
        LARGE: "first weights that are far too large",
        DEAD: "a layer of ReLUs that are all at 0",
        WELL: "a network that has nothing wrong and learns well",
    }[kind]


def _other(**of: str) -> Callable[..., str]:
    """A belief's network, by the kind of the strip that is seen."""
    return lambda kind, layers, seed: _network(of[kind], layers)


def _a_strip(random: Random) -> dict[str, Any]:
    return dict(zip(("kind", "layers", "seed"), _one_of(random, random.choice((SIGMOID, LARGE, DEAD))), strict=True))


def _one_of(random: Random, kind: str) -> tuple[str, int, int]:
    """A network of a kind whose strip is as it says."""
    while True:
        drawn = kind, random.randint(6, 8), random.randrange(99)
        if _kind(_strip(*drawn)) == kind:
            return drawn


def _alone(kind: str, layers: int, seed: int) -> Scene:
    return _strips(("layer 1 above; steps 0 to 4", "s", _strip(kind, layers, seed)))


def _beside(answer: str, kind: str, layers: int, seed: int) -> Scene:
    """The strip, and that of the network that was answered."""
    strip = _strip(kind, layers, seed)
    supposed = next(one for one in (SIGMOID, LARGE, DEAD, WELL) if _network(one, layers) == answer)
    if supposed == kind:
        row = max((k for k, powers in enumerate(strip) if powers[0] is None), default=0)
        so = {DEAD: f"Layer {row} gives 0 to all: nothing comes back through it, and layer {row + 1} multiplies 0.",
              SIGMOID: "From layer to layer, towards the input, it is several times smaller: many factors below 1.",
              LARGE: "From layer to layer, towards the input, it is larger: many factors above 1."}[kind]  # fmt: skip
        return _strips(("this strip", "s", strip),
                       frames=(lit(so, *cells("s", range(STEPS * row, STEPS * row + STEPS))),))  # fmt: skip
    others = (_strip(supposed, layers, k) for k in range(seed, seed + 99))
    other = next(one for one in others if supposed == WELL or _kind(one) == supposed)
    would, gets = (equation("", 0 if row[0] is None else 10.0 ** row[0]) for row in (other[0], strip[0]))
    said = f"layer 1 would get about {would} at step 0. Here it gets {gets}."
    return _strips(("this strip", "s", strip), ("such a network", "w", other),
                   frames=(lit(said, "s0", "w0"),))  # fmt: skip


whose_strip = Question(
    case={"kind": SIGMOID, "layers": 7, "seed": 0},
    another=_a_strip,
    ask=lambda kind, layers, seed: (
        f"The size (norm) of each layer's gradient, to the nearest power of ten, from the input on: at step 0 it is\n"
        f"   {_first_step(_strip(kind, layers, seed))}\nWhat is this?"
    ),
    key=lambda kind, layers, seed: _network(_kind(_strip(kind, layers, seed)), layers),
    misconceptions=(
        Misconception(
            "what counts is that the layers differ, and not how",
            "Look how: a little at each layer, all at one place, or upwards.",
            _other(sigmoid=LARGE, large=SIGMOID, dead=LARGE),
        ),
        Misconception(
            "it is enough to look at the smallest number",
            "Look at the step from layer to layer, too, and whether it is 0 or only small.",
            _other(sigmoid=DEAD, large=DEAD, dead=SIGMOID),
        ),
        Misconception(
            "a network that has gradients somewhere learns well",
            "The layers that get next to nothing, or far too much, do not learn. All of them have to.",
            _other(sigmoid=WELL, large=WELL, dead=WELL),
        ),
    ),
    why=lambda kind, layers, seed: {
        SIGMOID: "Towards the input it shrinks at each layer, by about the same factor: weights times slopes.",
        LARGE: "Towards the input the gradient grows: large weights are large factors.",
        DEAD: "From one layer on it is exactly 0, and above that it is not. A ReLU that gives 0 hands back 0.",
    }[kind],
    locked=_alone,
    played=_beside,
)


# Three strips, three networks.

THREE = (("dead", 7, 5), ("sigmoid", 6, 11), ("large", 8, 0))


def training(run: Any = None) -> Any:
    """Shows the three strips of the lesson; with a run, that run, where somebody runs it.

    What a run finds differs in its last digits by the machine, so the lesson as it is committed only counts its steps.
    """
    if run is not None:
        return f"{len(run.losses)} steps were seen. Run this cell to see them." if figure.is_static() else run
    named = zip(("first", "second", "third"), "abc", (_strip(*one) for one in THREE), strict=True)
    said = "Layer 1 is above, steps go to the right. The stronger the shade, the larger; hatched is 0."
    scene = _strips(*named, frames=(lit(said),))
    return Figure(replace(scene, title="Three strips: the norm of each layer's gradient, step by step"))


def _three(random: Random) -> dict[str, Any]:
    kinds = random.sample((SIGMOID, LARGE, DEAD), 3)
    return {"strips": tuple(_one_of(random, kind) for kind in kinds)}


def _blank(place: int) -> Blank:
    """The blank for one of three strips."""

    def read(strips: Any) -> str:
        return _kind(_strip(*strips[place]))

    return Blank(read, (
        Misconception(
            "what counts is that the layers differ, and not how",
            "Look how: a little at each layer, all at one place, or upwards.",
            lambda strips: {SIGMOID: LARGE, LARGE: SIGMOID, DEAD: LARGE}[read(strips)],
        ),
        Misconception(
            "it is enough to look at the smallest number",
            "Look at the step from layer to layer, too, and whether it is 0 or only small.",
            lambda strips: {SIGMOID: DEAD, LARGE: DEAD, DEAD: SIGMOID}[read(strips)],
        ),
    ))  # fmt: skip


which_is_which = Blanks(
    "which_is_which",
    case={"strips": THREE},
    another=_three,
    ask=lambda strips: (
        "The gradients at step 0, from the input on:\n"
        f"first   {_first_step(_strip(*strips[0]))}\nsecond  {_first_step(_strip(*strips[1]))}\n"
        f"third   {_first_step(_strip(*strips[2]))}\n"
        'Write "sigmoid" (many of them), "large" (first weights) or "dead" (a ReLU layer).'
    ),
    blanks={"first": _blank(0), "second": _blank(1), "third": _blank(2)},
    why=lambda strips: (
        "Smaller at each layer: sigmoids. Larger towards the input: large weights. 0 from one layer on: dead."
    ),
    hints=(
        "Go from the end to the input, as a gradient does. Does it shrink, grow, or stop?",
        "Exactly 0 is no small number: something has multiplied by 0.",
        "A factor below 1 at each layer is a sigmoid's slope; one above 1 is a weight.",
    ),
)


# What a sigmoid sends back.


def _pair(random: Random) -> dict[str, Any]:
    shape = tuple(random.choice((1, 2, 3)) for _ in range(random.randint(0, 4))) if random.random() < 0.9 else (0, 2)
    return {"g": numbers(random, *shape), "x": numbers(random, *shape)}


def _sent(g: Tensor, x: Tensor) -> Tensor:
    return vjp(Tensor.sigmoid, g, x)[0]


vjp_sigmoid = Exercise(
    "vjp_sigmoid",
    example=lambda: {"g": tensor([8.0, 8.0, 1.0]), "x": tensor([0.0, 4.0, -1.0])},
    another=_pair,
    key=_sent,
    model=models.vjp_sigmoid,
    misconceptions=(
        Misconception(
            "what comes out is the slope",
            "It is nearly 1 where the curve is flat. The slope is s * (1 - s).",
            lambda g, x: g * x.sigmoid(),
        ),
        Misconception(
            "the slope is a quarter everywhere",
            "It is so at 0 alone. Farther out the curve is flat.",
            lambda g, x: g * 0.25,
        ),
        Misconception(
            "upstream can be ignored",
            "Multiply by g: it says how much each cell counts.",
            lambda g, x: x.sigmoid() * (1 - x.sigmoid()),
        ),
        Misconception(
            "the slope is made of what goes in",
            "s * (1 - s) is made of what comes out: s = x.sigmoid().",
            lambda g, x: g * x * (1 - x),
        ),
        Misconception(
            "what is missing to 1 is the slope",
            "Far to the left all of 1 is missing, and the curve is flat. The slope is s * (1 - s).",
            lambda g, x: g * (1 - x.sigmoid()),
        ),
        Misconception(
            "a gradient goes through as it is",
            "So it is with a sum. A sigmoid has a slope of its own at each x.",
            lambda g, x: g * ones(x.shape),
        ),
    ),
    form=borrows("backward", "grad"),
    many=20,
    hints=(
        "With s = x.sigmoid(): where is the curve steep, and what is s there? Where is it flat, and what is s there?",
        "The slope is s * (1 - s): a quarter at 0, next to nothing far away.",
        "return g * s * (1 - s)",
    ),
)  # fmt: skip
