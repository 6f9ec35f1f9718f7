"""show.backward: the program forward, then its gradients backward, one event at a time."""

from collections import Counter

import numpy as np

from ..autograd import Step, backward_steps
from ..errors import ArgumentTypeError
from ..errors.foreign import is_torch, kind_of
from ..ir import Graph, graph as read
from ..ir.node import owner
from ..ops.creation import from_numpy
from ..scene import Figure, Frame, Scene, draw
from ..tensor import Tensor
from .backward_scene import LONG
from .backward_story import Story
from .kit.dag import LARGE, lines_of
from .words.caller import words
from .words.numbers import UPSTREAM, written
from .words.sentences import listed, many


def backward(y: Tensor, upstream: Tensor | None = None, *, title: str | None = None) -> Figure:
    """Forward, then backward: values arrive in each node, then gradients, event by event.

    The events are seed, vjp, sum_to, accumulate and free; a gradient that has not arrived reads "not yet". The
    inspector shows the rule of the step in symbols and in numbers, the ledger how a gradient grows. Click a leaf, or
    press Enter on it, then point at a number of its gradient, to see every product that made it, from gradient to
    gradient back to where backward began, and the slots of the storage that were read. A graph too large for a
    projector is seen through a window that follows the steps, with a map of it beside the title; one of more than 200
    nodes, or 500 events, is told in words. Nothing is written to any `.grad`, and the graph is kept.

    Args:
        y: a tracked rustyflow tensor.
        upstream: the gradient that arrives at y; default: 1 for a single number, else small unequal integers.
        title: the program; default: the caller's own words.

    Raises:
        TypeError: not a rustyflow tensor. GradError (a RuntimeError): y is untracked, or its graph was freed.

    Example:
        >>> import rustyflow as rf
        >>> w, x = rf.tensor([2.0, 3.0], requires_grad=True), rf.tensor([0.5], requires_grad=True)
        >>> figure = rf.show.backward((w * x).sum())
        >>> print(figure.frames[12].says)
        sum_to: x was read as 2 numbers, so its 2 gradients are added up: 2 + 3 = 5.
    """
    if not isinstance(y, Tensor):
        raise ArgumentTypeError(
            f"{str(y)[:60]}, of type {kind_of(y)}",
            "backward is walked from a tensor of rustyflow's",
            "show.graph(y) for PyTorch's"
            if is_torch(y)
            else "give a tensor y that was computed from one with requires_grad=True",
            **({} if is_torch(y) else {"value": y}),
        )
    made_up = upstream is None and y.numel() != 1
    if made_up:
        given = [UPSTREAM[n % len(UPSTREAM)] for n in range(y.numel())]
        upstream = from_numpy(np.array(given, str(y.dtype).rpartition(".")[2]).reshape(tuple(y.shape)))
    steps = backward_steps(y, upstream)
    made = read(y, depth=2)
    said = title or words(1).programs[0] or "backward"
    if len(made) > LARGE or len(steps) > LONG:
        return Figure(_summary(made, steps, said))
    return Figure(Story(y, upstream, made, steps, said, made_up).scene())


def _summary(made: Graph, steps: list[Step], title: str) -> Scene:
    """A walk too long to draw: how much of each kind there is, the graph's text, what came to the leaves."""
    counts = Counter(step.kind for step in steps)
    came: dict[str, list[Step]] = {}
    for step in steps:
        if step.kind == "accumulate" and not step.node.next_functions:
            came.setdefault(owner(made.find(step.node)), []).append(step)
    grads = [f"{made[id].name or id}.grad = {_sum(heard)}" for id, heard in came.items()]
    leaves = listed([f"{made[id].name or id}.grad" for id in came], 4)
    ops = listed([f"{n:,} {op}" for op, n in Counter(node.op for node in made if node.kind == "op").most_common(4)])
    size = f"{many(len(made), 'node')} and {many(len(steps), 'event')}, more than are drawn ({LARGE} and {LONG})."
    frames = (
        Frame(f"{size} For a picture, show a smaller part, such as one turn of a loop."),
        Frame(f"Backward goes from the last line of the text up to the first, through {ops}, and adds to {leaves}."),
    )
    note = ", ".join(f"{n:,} {kind}" for kind, n in counts.items())
    lines = [*made.text(limit=10).splitlines(), "", *grads[:2], *([f"and {len(grads) - 2} more"] if grads[2:] else [])]
    return Scene(title, 860, draw.STAGE, lines_of(title, note, lines), frames, about=(note, *lines))


def _sum(heard: list[Step]) -> str:
    """A leaf's gradient, and of how many it is the sum."""
    grad = heard[-1].after
    said = written(grad, 40) or f"a tensor of shape {list(grad.shape)}"
    return said if len(heard) == 1 else f"{said}, the sum of {len(heard):,} that came to it"
