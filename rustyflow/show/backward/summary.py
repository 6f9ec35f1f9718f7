"""The words for a walk that is too long to draw: counts, the graph's text, the gradients of leaves."""

from collections import Counter

from ...autograd import Step
from ...claims.claim import equation
from ...ir import Graph
from ...ir.node import owner
from ...scene import Frame, Scene, draw
from ..kit.closed import WHOLE
from ..kit.dag import lines_of
from ..words.numbers import written
from ..words.sentences import listed, many


def summary(graph: Graph, steps: list[Step], title: str) -> Scene:
    """Returns the scene of a walk too long to draw: counts, the graph's text, the gradients of leaves."""
    counts = Counter(step.kind for step in steps)
    came: dict[str, list[Step]] = {}
    for step in steps:
        if step.kind == "accumulate" and not step.node.next_functions:
            came.setdefault(owner(graph.find(step.node)), []).append(step)
    grads = [_sum(f"{graph[id].name or id}.grad", heard) for id, heard in came.items()]
    leaves = listed([f"{graph[id].name or id}.grad" for id in came], 4)
    ops = listed([f"{n:,} {op}" for op, n in Counter(node.op for node in graph if node.kind == "op").most_common(4)])
    size = f"{many(len(graph), 'node')} and {many(len(steps), 'event')}, more than are drawn ({WHOLE:,})."
    frames = (
        Frame(f"{size} For a picture, show a smaller part, such as one turn of a loop."),
        Frame(f"Backward goes from the last line of the text up to the first, through {ops}, and adds to {leaves}."),
    )
    note = ", ".join(f"{n:,} {kind}" for kind, n in counts.items())
    lines = [*graph.text(limit=10).splitlines(), "", *grads[:2], *([f"and {len(grads) - 2} more"] if grads[2:] else [])]
    return Scene(title, 860, draw.STAGE, lines_of(lines), frames, about=(note, *lines), note=note)


def _sum(name: str, heard: list[Step]) -> str:
    """Says what a leaf's gradient is, and of how many gradients it is the sum."""
    grad = heard[-1].after
    text = equation(name, grad) if written(grad, 40) else f"{name} = a tensor of shape {tuple(grad.shape)}"
    return text if len(heard) == 1 else f"{text}, the sum of {len(heard):,} that came to it"
