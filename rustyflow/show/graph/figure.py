"""show.graph: the program as a graph: its text form and its picture, with one selection for both."""

from collections.abc import Sequence
from math import prod
from typing import Any

from ...errors import TensorError
from ...errors.foreign import is_torch
from ...ir import Graph
from ...ir.names import Names as Known
from ...scene import Figure, Frame, Scene, draw
from ...tensor import Tensor
from ...unfold import World
from ..kit.closed import WHOLE, closed
from ..kit.dag import LARGE, OPEN, lines_of
from ..kit.opens import Opened, opened
from ..words.caller import caller_text
from ..words.given import Names, read_named, titled
from ..words.nodes import Voice, called
from ..words.sentences import listed, many
from .picture import GraphPicture

MANY_CELLS = 50_000
"""A graph of PyTorch's of more cells is not run again."""


def graph(y: Any, *more: Any, names: Names = None, title: str | None = None) -> Figure:
    """Shows the graph of a program: boxes joined by the arrows of the data, with a line of text each.

    Point at a box or a line to see both, what it reads, its rule, and what it keeps for backward. A graph too large for
    a projector is seen through a window, with a map above. A model's, of more than 40 nodes, is a row of closed boxes,
    one for each call of a module, and Enter opens one under the others; so is any of more than 200 nodes, in stretches
    of what ran. One of more than 2,000 is told in words.

    Args:
        y, more: results: rustyflow or PyTorch tensors, or a graph of `rustyflow.ir`.
        names: what to call y and more, ["loss"], or any tensors of the graph, {"w": w}; default: the program's names.
        title: the title; default: the results as the call has them, or the assignments of the same cell that made them.

    Raises:
        TypeError: not a tensor; a name or a title that is no text. ValueError: another number of names than tensors; a
        name of a tensor that is not in the graph.

    Example:
        >>> import rustyflow as rf
        >>> w, x = rf.tensor([2.0, 3.0], requires_grad=True), rf.tensor([0.5], requires_grad=True)
        >>> figure = rf.show.graph((w * x).sum())
        >>> print(figure.state(link="n3").sentence)
        %4 = mul reads w and x (repeated) and gives float32[2], and keeps w and x for backward.
    """
    title = titled(title)
    program, titles, known = read_named((y, *more), names, caller_text((y, *more)))
    results = [called(program[ref]) for ref in program.results]
    if any(titles):  # of what is too long the name alone
        titles = dict.fromkeys(text or name for text, name in zip(titles, results, strict=False))
    text = (";  " if any(" = " in title for title in titles) else ",  ").join(titles)
    return figure_of(program, title or text or f"The graph of {listed(results)}", (y, *more), known)


def scene_of(program: Graph, title: str) -> Scene:
    """The scene of a graph: its picture, or a few lines of text if it is too large for one."""
    return figure_of(program, title).scene


def figure_of(program: Graph, title: str, results: Sequence[Any] = (), known: Known | None = None) -> Figure:
    """Returns the figure of a graph: its picture, or lines of text if it is too large.

    The numbers behind its `results` open, if these are tensors of rustyflow's; `known` are all of the program's.
    """
    world = _world(program, results, known)
    if not 0 < len(program) <= WHOLE:
        return Figure(_told(program, title), world)
    if len(program) > LARGE or len(program) > OPEN and any(node.scope for node in program):
        return closed(program, title, world)
    picture, opens = GraphPicture(program, title), world and Opened(world, Voice(program))
    return Figure(picture.scene(), world, opens and (lambda: opened(opens, picture.opening(opens))))


def _world(program: Graph, results: Sequence[Any], known: Known | None) -> World | None:
    """The numbers behind results; of PyTorch's, whose operations are run again, where these are few and small."""
    theirs = any(map(is_torch, results))
    if not results or not (theirs or all(isinstance(y, Tensor) for y in results)):
        return None
    if theirs and (len(program) > LARGE or sum(prod(node.shape or ()) for node in program) > MANY_CELLS):
        return None
    try:
        return World(tuple(results), known or Known())
    except TensorError:  # nothing of it is kept
        return None


def _told(program: Graph, title: str) -> Scene:
    """Returns the scene of a graph too large to draw: its size, and its first and last lines."""
    counts: dict[str, int] = {}
    for node in program:
        counts[node.op] = counts.get(node.op, 0) + 1
    most = sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:8]
    lines = program.text(limit=13).splitlines()
    nodes = many(len(program), "node")
    sentence = f"{nodes}, more than the {WHOLE:,} that are drawn: the first and last lines of the text. "
    sentence += "For a picture, show a smaller part, such as one turn of a loop."
    if not len(program):
        sentence = "An empty graph: nothing was tracked."
    note = ", ".join(f"{count:,} {op}" for op, count in most)
    return Scene(title, 860, draw.STAGE, lines_of(lines), (Frame(sentence),), about=(note, *lines), note=note)
