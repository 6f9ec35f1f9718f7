"""A program's graph with its values alone, forward: what was given, and what each operation made of it."""

from typing import Any

from ..ir import Graph, Node
from ..ir.names import Names
from ..scene import Figure, Link, Links, Scene
from ..tensor import Tensor
from ..unfold import World
from .kit.boxes import Boxes
from .kit.dag import LARGE, OPEN
from .kit.opens import Opened, opened
from .kit.past import as_it_was
from .kit.story import Story
from .words.events import Events
from .words.nodes import Voice
from .words.sentences import listed, many

SEEN, TALLEST, LINE = 240, 420, 96
"""The height of a window on a large graph; up to which one is drawn at once; the characters of a formula."""


def figure_of(graph: Graph, title: str, y: Tensor, known: Names) -> Figure | None:
    """Returns the figure of the values of `y`'s graph: the whole, then each operation.

    There is none of one too large to draw. `known` are the program's tensors.

    >>> import rustyflow as rf
    >>> from rustyflow.ir import graph
    >>> x, w = rf.tensor(3.0, requires_grad=True), rf.tensor(4.0)
    >>> y, known = x * w + 2, Names(None, {"x": x, "w": w})
    >>> figure_of(graph(y, names=known), "x * w + 2", y, known).sentences
    ('2 operations made 14 from x and w.', 'mul: 3·4 = 12.', 'add: 12 + 2 = 14.')
    """
    if not 0 < len(graph) <= LARGE:
        return None
    picture, opens = ValuesPicture(as_it_was(graph), title), Opened(World(y, known), Voice(graph))
    return Figure(picture.scene(), opens.world, lambda: opened(opens, picture.opening(opens)))


class ValuesPicture:
    """The boxes of one graph, each with its value."""

    def __init__(self, graph: Graph, title: str):
        talls = () if len(graph) > OPEN else (SEEN, TALLEST)
        self.graph, self.title = graph, title
        self.boxes = Boxes(Voice(graph), {}, {}, talls, SEEN, lambda voice: {})
        self.events = Events(self.boxes.voice, {}, False, LINE)

    def _sentence(self, node: Node) -> str:
        """Says what a node was given, or computes."""
        if node.kind == "op":
            return self.events.computed(node).sentence
        return f"{self.boxes.voice.name(node)} is {self._value(node)}."

    def _value(self, node: Node) -> str:
        return self.boxes.voice.in_full([*node.outs], 40) or f"of shape {tuple(node.shape or ())}"

    def _links(self) -> Links:
        """Lets a box light with its arrows, and say what it holds."""
        boxes, links = self.boxes, {}
        for node in self.graph:
            id, marks = f"n{boxes.number[node.id]}", boxes.marks(node.id)
            for one in (id, *marks):
                links[one] = Link((id, *marks, *boxes.dag.touching(node.id)), (self._sentence(node),))
        return Links((0,), links)

    def opening(self, it: Opened) -> dict[str, Any]:
        """Returns what the boxes and their marks on the map open into."""
        boxes = {node.id: it.box(node, False) for node in self.graph}
        return {id: boxes[node.id] for node in self.graph
                for id in (f"n{self.boxes.number[node.id]}", *self.boxes.marks(node.id))}  # fmt: skip

    def scene(self) -> Scene:
        """Tells all values, then each operation and the value that it makes."""
        story, boxes, graph = Story(), self.boxes, self.graph
        ops = [node for node in graph if node.kind == "op"]
        given = [boxes.voice.name(node) for node in graph if node.kind in ("leaf", "parameter", "constant", "input")]
        results = listed([self._value(graph[ref]) for ref in graph.results])
        whole = f"{many(len(ops), 'operation')} made {results} from {listed(given, 4)}."
        story.tell(whole, looks=(boxes.onto(ops[-1].id),))
        for node in ops:
            story.later(node.id, boxes.empty(node.id))
        for node in ops:
            lit = f"n{boxes.number[node.id]}", *boxes.dag.into(node.id), *boxes.marks(node.id)
            story.tell(self._sentence(node), node.id, lit=lit, looks=(boxes.onto(node.id),))
        path = tuple(f"{'m' if boxes.window else 'n'}{k}" for k in range(len(graph)))
        about = tuple(self._sentence(node) for node in graph if node.kind != "op")
        return Scene(
            self.title, boxes.width, boxes.bottom + 12, boxes.draw(), tuple(story.frames), (self._links(),), ((path,),),
            still=0, about=about,
        )  # fmt: skip
