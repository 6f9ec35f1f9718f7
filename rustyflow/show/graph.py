"""show.graph: the program as a graph: its text form and its picture, with one selection for both."""

from typing import Any

from ..ir import Graph, Node, graph as read
from ..ir.node import owner
from ..scene import Figure, Frame, Look, Scene, draw
from .graph_scene import Picture
from .kit.dag import LARGE, lines_of
from .words.caller import words
from .words.sentences import listed, many

STORY = 14
"""Up to so many nodes each has a step of its own, else each operation."""


def graph(y: Any, *more: Any, title: str | None = None) -> Figure:
    """The graph of what was computed: boxes joined by the arrows of the data, and below them a line of text for each.

    Point at a box or a line to see both, what it reads, its rule, and what it keeps for backward. A graph too large for
    a projector is seen through a window, with a map beside the title; one of more than 200 nodes is told in words.

    Args:
        y, more: results: rustyflow or PyTorch tensors, or a graph of `rustyflow.ir`.
        title: the program; default: the caller's own words.

    Raises:
        TypeError: not a tensor.

    Example:
        >>> import rustyflow as rf
        >>> w, x = rf.tensor([2.0, 3.0], requires_grad=True), rf.tensor([0.5], requires_grad=True)
        >>> figure = rf.show.graph((w * x).sum())
        >>> print(figure.state(link="n3").sentence)
        %4 = mul reads w and x (repeated) and gives float32[2], and keeps w and x for backward.
    """
    made = y if isinstance(y, Graph) else read(y, *more, depth=2)
    said = ",  ".join(filter(None, words(1 + len(more)).programs)) if title is None else None
    return Figure(tell(made, title or said or "graph"))


def tell(made: Graph, title: str) -> Scene:
    """The scene: the whole, then node after node as the program ran, then what is shared."""
    if len(made) > LARGE or not len(made):
        return _told(made, title)
    picture = Picture(made, title)
    nodes = made.nodes
    leaves = [picture.name(node) for node in nodes if node.kind in ("leaf", "parameter")]
    ops = sum(node.kind == "op" for node in nodes)
    begin = f"{many(ops, 'operation')} made {_results(picture)}" if ops else f"No operation made {_results(picture)}"
    begin += f" from {listed(leaves, 4)}" if ops and leaves else ""
    where = "the picture, which is seen in part" if picture.window else "the picture"
    lines = f"each line of text with = is a box of {where}"
    frames = [Frame(f"{begin}: {lines}.")]
    steps = range(len(nodes)) if len(nodes) <= STORY else [k for k, node in enumerate(nodes) if node.kind == "op"]
    later = [Look({"dimmed": picture.ids(k)}) for k in range(len(nodes))]
    for k in steps:
        looks = (*later[k + 1 :], Look(sets=picture.lines_at(k)))
        frames.append(Frame(picture.says(nodes[k]), looks, f"{'m' if picture.window else 't'}{k}"))
    shared = [node for node in nodes if len(made.users(node.id)) > 1]
    frames.append(Frame(_shared(picture, shared), (picture.lit(shared),)))
    path = tuple(f"{'m' if picture.window else 'n'}{k}" for k in range(len(nodes)))
    return Scene(
        title, picture.width, picture.height, picture.shapes, tuple(frames), picture.links(),
        ((path,), tuple((f"t{k}",) for k in range(len(nodes)))), still=0, about=tuple(picture.lines),
    )  # fmt: skip


def _results(picture: Picture) -> str:
    return listed([picture.name(picture.graph[ref]) for ref in picture.graph.results])


def _shared(picture: Picture, shared: list[Node]) -> str:
    """Who is read more than once, and how many boxes a tree would need."""
    made = picture.graph
    size: dict[str, int] = {}
    for node in made:
        size[node.id] = 1 + sum(size[owner(ref)] for ref in node.operands if ref[:1] == "%")
    tree = sum(size[owner(ref)] for ref in made.results)
    if not shared:
        return "Nothing is read twice, so here the graph is a tree."
    names = listed([picture.name(node) for node in shared], 4)
    are = f"{names} {'is' if len(shared) == 1 else 'are'} read more than once"
    return f"{are}: a tree would need {tree:,} boxes, the graph needs {len(made)}."


def _told(made: Graph, title: str) -> Scene:
    """A graph too large to draw: its size, and its first and last lines."""
    counts: dict[str, int] = {}
    for node in made:
        counts[node.op] = counts.get(node.op, 0) + 1
    most = sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:8]
    lines = made.text(limit=13).splitlines()
    says = f"{many(len(made), 'node')}, more than the {LARGE} that are drawn: the first and last lines of the text. "
    says += "For a picture, show a smaller part, such as one turn of a loop."
    if not len(made):
        says = "An empty graph: nothing was tracked."
    note = ", ".join(f"{count:,} {op}" for op, count in most)
    return Scene(title, 860, draw.STAGE, lines_of(title, note, lines), (Frame(says),), about=(note, *lines))
