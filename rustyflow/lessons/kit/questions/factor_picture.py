"""The node of a product at which a gradient arrives, and a guess of what it hands on."""

from dataclasses import replace

from ....claims.claim import equation, worked
from ....claims.tree import called, times
from ....ir import graph
from ....ops.creation import tensor
from ....scene import Scene, Shape
from ....show.backward.figure import scene_of
from . import pictures
from .stages import SUPPOSED


def node(a: int, b: int, g: int) -> Scene:
    """The node of a product, its values and the gradient that arrives, and what it hands on."""
    x, y = tensor(float(a), requires_grad=True), tensor(float(b), requires_grad=True)
    c = x * y
    scene = scene_of(c, tensor(float(g)), "c = a * b", graph(c, names={"a": x, "b": y, "c": c}, depth=0))
    return replace(pictures.without(scene, "ins", "led", "leg", "strip", "o*"), height=184)


def told(number: int, a: int, b: int, g: int) -> Scene:
    """The node with what an answer says of the gradient of a."""
    if number == g * b:
        so = f"c moves {b} times as far as a, and the loss {g} times as far as c."
        return pictures.story(node(a, b, g), (so, None))
    part, to = worked(called("/", [number, g])), equation("", a * b + number / g)
    steps = (
        f"{SUPPOSED}, the loss would move by {number} for one unit of a, and so c by {part}.",
        f"{SUPPOSED}, c would go from {a * b} to {to} when a goes to {a + 1}. But {worked(times(a + 1, b))}.",
    )
    guessed = pictures.written(pictures.without(node(a, b, g), "g1", "fe*"), {"gr0": number})
    supposed = replace(guessed, shapes=tuple(_guess(shape) for shape in guessed.shapes))
    return pictures.story(supposed, *((step, None) for step in steps))


def _guess(shape: Shape) -> Shape:
    """A shape in which the gradient of a stands as what somebody has guessed."""
    cls = (*shape.cls, "virtual") if shape.id == "gr0" else shape.cls
    return shape._replace(cls=cls, children=tuple(map(_guess, shape.children)))


def waiting(a: int, b: int, g: int) -> Scene:
    """The node before it has handed anything on."""
    return pictures.without(node(a, b, g), "g0", "g1", "fe*")
